/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: Ranges in names: their numbers, and the byte at which each error is. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/range.h"
#include "test.h"

struct bad {
	const char *text;
	size_t offset;
	const char *message;
};

static void test_good(void **state)
{
	struct nctl_strbuf b = NCTL_STRBUF_INIT;
	struct nctl_range_error error;
	struct nctl_range r;

	(void)state;
	assert_int_equal(nctl_range_parse("plain", &r, &error), NCTL_RANGE_NONE);
	assert_int_equal(nctl_range_parse("foo.{1..1500}", &r, &error), 0);
	assert_int_equal(r.count, 1500);
	assert_int_equal(nctl_range_at(&r, 1499), 1500);
	assert_int_equal(nctl_range_parse("a{0..10..4}b", &r, &error), 0);
	assert_int_equal(r.count, 3);
	assert_int_equal(nctl_range_at(&r, 2), 8);
	nctl_range_name(&r, "a{0..10..4}b", 8, &b);
	assert_string_equal(nctl_strbuf_str(&b), "a8b");
	assert_int_equal(nctl_range_parse("{7..7}", &r, &error), 0);
	assert_int_equal(r.count, 1);
	assert_int_equal(nctl_range_parse("{0..4294967295..4294967295}", &r, &error), 0);
	assert_int_equal(r.count, 2);
	nctl_strbuf_fini(&b);
}

static const struct bad bad[] = {
	{"a{1..}", 5, "no end"},
	{"a{..5}", 2, "first"},
	{"a{1..5", 6, "not closed"},
	{"a{1..5..}", 8, "step"},
	{"a{1..5..0}", 2, "step of 0"},
	{"a{1..5..2..3}", 9, "expected"},
	{"a{1}", 3, "\"..\""},
	{"a{1.5}", 3, "\"..\""},
	{"a{1..5}{1..2}", 7, "second"},
	{"a{1..5}}", 7, "second"},
	{"a}", 1, "closing"},
	{"a{9..1}", 2, "before it starts"},
	{"a{01..5}", 2, "leading zero"},
	{"a{-1..5}", 2, "first"},
	{"a{0..1000000}", 2, "too large"},
	{"a{1..1000001}", 2, "too large"},
	{"a{1..4294967296}", 5, "too large"},
	{"a{1..99999999999999999999}", 5, "too large"},
};

static void test_bad(void **state)
{
	(void)state;
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(bad); i++) {
		struct nctl_range_error error = {0};
		struct nctl_range r;

		assert_int_equal(nctl_range_parse(bad[i].text, &r, &error), -EINVAL);
		if (error.offset != bad[i].offset || !strstr(error.message, bad[i].message))
			fail_msg("%s: \"%s\" at %zu", bad[i].text, error.message, error.offset);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_bad),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
