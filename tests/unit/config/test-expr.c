/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: Expressions: values, and the byte at which each error is. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "config/expr.h"

struct good {
	const char *text;
	int64_t n;
	const char *expected;
};

static const struct good good[] = {
	{"", 1, ""},
	{"plain", 1, "plain"},
	{"{n}", 7, "7"},
	{"{ n }", 7, "7"},
	{"a{n}b{n}c", 7, "a7b7c"},
	{"{{n}", 7, "{n}"},
	{"a}b{n}", 7, "a}b7"},
	{"{1+2*3}", 0, "7"},
	{"{(1+2)*3}", 0, "9"},
	{"{10-3-2}", 0, "5"},
	{"{100/7/2}", 0, "7"},
	{"{7%4*2}", 0, "6"},
	{"{-n}", 7, "-7"},
	{"{--n}", 7, "7"},
	{"{-7/2}", 0, "-3"},
	{"{-7%2}", 0, "-1"},
	{"{0x1F}", 0, "31"},
	{"{0}", 0, "0"},
	{"{n:x}", 255, "ff"},
	{"{n:04x}", 255, "00ff"},
	{"{n:04}", 42, "0042"},
	{"{n:d}", 42, "42"},
	{"{n:03d}", 42, "042"},
	{"{9223372036854775807}", 0, "9223372036854775807"},
	{"{-9223372036854775807 - 1}", 0, "-9223372036854775808"},
	{"10.{n/256}.{n%256}.1/24", 1000, "10.3.232.1/24"},
};

static void test_good(void **state)
{
	(void)state;
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(good); i++) {
		struct nctl_strbuf b = NCTL_STRBUF_INIT;
		struct nd_numbers numbers = {.n = good[i].n, .has_n = true};
		struct nd_expr_error error;

		assert_int_equal(nd_expr_expand(good[i].text, &numbers, &b, &error), 0);
		assert_string_equal(nctl_strbuf_str(&b), good[i].expected);
		nctl_strbuf_fini(&b);
	}
}

/* N is the number of the namespace, n that of the device in it. */
static void test_two_numbers(void **state)
{
	const struct nd_numbers numbers = {.n = 7, .N = 300, .has_n = true, .has_N = true};
	struct nctl_strbuf b = NCTL_STRBUF_INIT;
	struct nd_expr_error error;

	(void)state;
	assert_int_equal(nd_expr_expand("10.{N/256}.{N%256}.{n} {N*10+n:x}", &numbers, &b, &error), 0);
	assert_string_equal(nctl_strbuf_str(&b), "10.1.44.7 bbf");
	nctl_strbuf_fini(&b);
}

struct bad {
	const char *text;
	size_t offset;
	const char *message;
};

static const struct bad bad[] = {
	{"{", 0, "not closed"},
	{"abc{n", 3, "not closed"},
	{"{}", 1, "expected"},
	{"{n+}", 3, "expected"},
	{"{n n}", 3, "operator"},
	{"{n)}", 2, "operator"},
	{"{(n}", 1, "parenthesis"},
	{"{((n)}", 1, "parenthesis"},
	{"{m}", 1, "expected"},
	{"{N}", 1, "range of namespaces"},
	{"{n+N}", 3, "range of namespaces"},
	{"{1/0}", 2, "zero"},
	{"{1%(n-n)}", 2, "zero"},
	{"{010}", 1, "leading zero"},
	{"{0x}", 3, "hexadecimal"},
	{"{9223372036854775808}", 1, "too large"},
	{"{9223372036854775807+1}", 20, "too large"},
	{"{0-9223372036854775807-2}", 22, "too large"},
	{"{9223372036854775807*2}", 20, "too large"},
	{"{(-9223372036854775807-1)/(-1)}", 25, "too large"},
	{"{(-9223372036854775807-1)%(-1)}", 25, "too large"},
	{"{-(-9223372036854775807-1)}", 1, "too large"},
	{"{n:}", 2, "format"},
	{"{n:4}", 2, "format"},
	{"{n:099}", 2, "format"},
	{"{n:099999999999999999999x}", 2, "format"},
	{"{n:x", 0, "not closed"},
	{"{n:s}", 2, "format"},
	{"{-1:x}", 3, "negative"},
	{"{1..3}", 2, "operator"},
	{"{{}{", 3, "not closed"},
};

static const struct nd_numbers one = {.n = 1, .has_n = true};

static void test_bad(void **state)
{
	(void)state;
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(bad); i++) {
		struct nctl_strbuf b = NCTL_STRBUF_INIT;
		struct nd_expr_error error = {0};

		assert_int_equal(nd_expr_expand(bad[i].text, &one, &b, &error), -EINVAL);
		if (error.offset != bad[i].offset || !strstr(error.message, bad[i].message))
			fail_msg("%s: \"%s\" at %zu", bad[i].text, error.message, error.offset);
		nctl_strbuf_fini(&b);
	}
}

/* Neither parentheses nor signs may eat the stack. */
static void test_nesting(void **state)
{
	static char text[100003];
	struct nctl_strbuf b = NCTL_STRBUF_INIT;
	struct nd_expr_error error = {0};

	(void)state;
	for (const char *c = "(-"; *c; c++) {
		memset(text, *c, sizeof(text) - 1);
		text[0] = '{';
		text[sizeof(text) - 2] = '}';
		assert_int_equal(nd_expr_expand(text, &one, &b, &error), -EINVAL);
		assert_string_equal(error.message, "nested too deeply");
	}
	nctl_strbuf_fini(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_two_numbers),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_nesting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
