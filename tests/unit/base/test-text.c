/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: What makes and reads text: strbuf, JSON, numbers, suggestions; and the arena, the
 * clock and the ownership macros.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/json.h"
#include "base/num.h"
#include "base/strbuf.h"
#include "base/suggest.h"
#include "random.h"
#include "test.h"

static void test_cleanup(void **state)
{
	_cleanup_(nctl_freep) char *a = strdup("a"), *b = NULL;
	_cleanup_(nctl_closep) int fd = open("/dev/null", O_RDONLY | O_CLOEXEC), other = -1;
	int i = 1;

	(void)state;
	b = take_ptr(a);
	assert_null(a);
	assert_string_equal(b, "a");
	other = take_fd(fd);
	assert_int_equal(fd, -1);
	assert_true(other >= 0);
	assert_int_equal(nctl_max(nctl_min(i++, 5), nctl_min(0, 7)), 1);
	assert_int_equal(i, 2);
}

static void test_strbuf(void **state)
{
	struct nctl_strbuf b = NCTL_STRBUF_INIT;
	char *s;
	int i;

	(void)state;
	assert_string_equal(nctl_strbuf_str(&b), "");
	for (i = 0; i < 1000; i++)
		nctl_strbuf_putc(&b, 'x');
	assert_int_equal(strlen(nctl_strbuf_str(&b)), 1000);
	nctl_strbuf_reset(&b);
	nctl_strbuf_u64(&b, 0);
	nctl_strbuf_putc(&b, ' ');
	nctl_strbuf_u64(&b, UINT64_MAX);
	nctl_strbuf_printf(&b, " %s %d", "foo", -3);
	nctl_strbuf_put(&b, "\0!", 2);
	assert_int_equal(b.len, 31);
	s = nctl_strbuf_steal(&b);
	assert_string_equal(s, "0 18446744073709551615 foo -3");
	free(s);
	s = nctl_strbuf_steal(&b);
	assert_string_equal(s, "");
	free(s);
	nctl_strbuf_puts(&b, "kept");
	b.err = -ENOMEM;
	nctl_strbuf_puts(&b, "lost");
	assert_string_equal(nctl_strbuf_str(&b), "kept");
	assert_null(nctl_strbuf_steal(&b));
	assert_int_equal(b.err, 0);
}

static void test_json_shape(void **state)
{
	struct nctl_strbuf b = NCTL_STRBUF_INIT;
	struct nctl_json j;

	(void)state;
	nctl_json_init(&j, &b);
	nctl_json_arr_begin(&j);
	nctl_json_obj_begin(&j);
	nctl_json_kstr(&j, "name", "lo");
	nctl_json_ku64(&j, "mtu", 65536);
	nctl_json_ki64(&j, "min", INT64_MIN);
	nctl_json_kbool(&j, "up", true);
	nctl_json_key(&j, "list");
	nctl_json_arr_begin(&j);
	nctl_json_arr_end(&j);
	nctl_json_key(&j, "o");
	nctl_json_obj_begin(&j);
	nctl_json_obj_end(&j);
	nctl_json_obj_end(&j);
	nctl_json_str(&j, NULL);
	nctl_json_bool(&j, false);
	nctl_json_double(&j, -1.5, 3);
	nctl_json_double(&j, NAN, 3);
	nctl_json_double(&j, 2.0, 0);
	nctl_json_raw(&j, "{}", 2);
	nctl_json_arr_end(&j);
	assert_int_equal(b.err, 0);
	assert_string_equal(nctl_strbuf_str(&b), "[{\"name\":\"lo\",\"mtu\":65536,\"min\":-"
						 "9223372036854775808,\"up\":true,\"list\":[],\"o\":{}},"
						 "null,false,-1.500,null,2,{}]");
	nctl_strbuf_fini(&b);
}

static void test_json_escapes(void **state)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{"", "\"\""}, {"a\"b\\c/", "\"a\\\"b\\\\c/\""},
		{"\b\t\n\v\f\r\x1f\x7f", "\"\\b\\t\\n\\u000b\\f\\r\\u001f\\u007f\""},
		{"gr\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80", "\"gr\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80\""},
		{"\xff", "\"\\ufffd\""}, {"\x80y", "\"\\ufffdy\""}, {"\xc3", "\"\\ufffd\""}, /* cut short */
		{"\xe2\x82", "\"\\ufffd\\ufffd\""},                                          /* cut short */
		{"\xc0\xaf", "\"\\ufffd\\ufffd\""},                                          /* overlong */
		{"\xe0\x80\x80", "\"\\ufffd\\ufffd\\ufffd\""},                               /* overlong */
		{"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""},                               /* surrogate */
		{"\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""}, /* past U+10FFFF */
	};
	struct nctl_strbuf b = NCTL_STRBUF_INIT;
	struct nctl_json j;
	size_t i;

	(void)state;
	for (i = 0; i < NCTL_ARRAY_SIZE(cases); i++) {
		nctl_strbuf_reset(&b);
		nctl_json_init(&j, &b);
		nctl_json_str(&j, cases[i].in);
		assert_string_equal(nctl_strbuf_str(&b), cases[i].out);
	}
	nctl_strbuf_fini(&b);
}

static void misuse_value(struct nctl_json *j)
{
	nctl_json_obj_begin(j);
	nctl_json_u64(j, 1);
}

static void misuse_key(struct nctl_json *j)
{
	nctl_json_arr_begin(j);
	nctl_json_key(j, "a");
}

static void misuse_end(struct nctl_json *j)
{
	nctl_json_arr_begin(j);
	nctl_json_obj_end(j);
}

static void misuse_no_value(struct nctl_json *j)
{
	nctl_json_obj_begin(j);
	nctl_json_key(j, "a");
	nctl_json_obj_end(j);
}

static void misuse_depth(struct nctl_json *j)
{
	int i;

	for (i = 0; i <= NCTL_JSON_DEPTH; i++)
		nctl_json_arr_begin(j);
}

static void test_json_misuse(void **state)
{
	static void (*const cases[])(struct nctl_json *) = {
		misuse_value,
		misuse_key,
		misuse_end,
		misuse_no_value,
		misuse_depth,
	};
	struct nctl_strbuf b = NCTL_STRBUF_INIT;
	struct nctl_json j;
	size_t i;

	(void)state;
	for (i = 0; i < NCTL_ARRAY_SIZE(cases); i++) {
		nctl_strbuf_reset(&b);
		nctl_json_init(&j, &b);
		cases[i](&j);
		assert_int_equal(b.err, -EINVAL);
	}
	nctl_strbuf_fini(&b);
}

static void test_num(void **state)
{
	static const char *const bad[] = {
		"", "-1", "+1", " 1", "1 ", "0x10", "1.0", "12a", "99999999999999999999x"};
	uint64_t v = 7;
	uint32_t w = 7;
	size_t i;

	(void)state;
	for (i = 0; i < NCTL_ARRAY_SIZE(bad); i++)
		assert_int_equal(nctl_parse_u64(bad[i], 10, &v), -EINVAL);
	assert_int_equal(nctl_parse_u64("18446744073709551616", 10, &v), -ERANGE);
	assert_true(v == 7);
	assert_int_equal(nctl_parse_u64("18446744073709551615", 10, &v), 0);
	assert_true(v == UINT64_MAX);
	assert_int_equal(nctl_parse_u64("fF", 16, &v), 0);
	assert_true(v == 255);
	assert_int_equal(nctl_parse_u64("8", 8, &v), -EINVAL);
	assert_int_equal(nctl_parse_u32("4095", 10, 1, 4094, &w), -ERANGE);
	assert_int_equal(nctl_parse_u32("0", 10, 1, 4094, &w), -ERANGE);
	assert_true(w == 7);
	assert_int_equal(nctl_parse_u32("4094", 10, 1, 4094, &w), 0);
	assert_true(w == 4094);
}

static void test_suggest(void **state)
{
	static const char *const words[] = {"addresses", "mtu", NULL, "vlans", "vrfs", "macaddress", "id"};
	const size_t n = NCTL_ARRAY_SIZE(words);
	char longest[200];

	(void)state;
	memset(longest, 'a', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	assert_string_equal(nctl_suggest("adresses", words, n), "addresses");
	assert_string_equal(nctl_suggest("addressse", words, n), "addresses");
	assert_string_equal(nctl_suggest("mut", words, n), "mtu");
	assert_string_equal(nctl_suggest("MTU", words, n), "mtu");
	assert_string_equal(nctl_suggest("vlan", words, n), "vlans");
	assert_string_equal(nctl_suggest("mac-address", words, n), "macaddress");
	assert_null(nctl_suggest("bridges", words, n));
	assert_null(nctl_suggest("x", words, n));
	assert_null(nctl_suggest("", words, n));
	assert_null(nctl_suggest(longest, words, n));
}

static void test_arena(void **state)
{
	_cleanup_(nctl_arena_fini) struct nctl_arena a = NCTL_ARENA_INIT;
	struct random r = random_init("arena");
	size_t size, total = 0;
	unsigned char *p;
	int i;

	(void)state;
	for (i = 0; i < 2000; i++) {
		size = random_below(&r, i % 100 ? 200 : 200000);
		p = nctl_arena_alloc(&a, size);
		assert_non_null(p);
		assert_int_equal((uintptr_t)p % 16, 0);
		assert_true(!size || (p[0] == 0 && !memcmp(p, p + 1, size - 1)));
		memset(p, 0xa5, size);
		total += size;
	}
	assert_true(nctl_arena_bytes(&a) >= total);
	assert_true(nctl_arena_bytes(&a) < 2 * total + 300000);
	assert_string_equal(nctl_arena_strdup(&a, "foo"), "foo");
	assert_string_equal(nctl_arena_strndup(&a, "foobar", 3), "foo");
	assert_string_equal(nctl_arena_strndup(&a, "foo", 30), "foo");
	assert_string_equal(nctl_arena_printf(&a, "%s.%d", "foo", 12), "foo.12");
	assert_null(nctl_arena_alloc(&a, SIZE_MAX));
}

static void test_time(void **state)
{
	nctl_time a = nctl_time_now(), b = nctl_time_add_ms(a, 5);

	(void)state;
	assert_int_equal(nctl_time_diff_us(b, a), 5000);
	assert_int_equal(nctl_time_diff_us(a, b), -5000);
	assert_true(nctl_time_cmp(a, b) < 0 && nctl_time_cmp(b, a) > 0 && nctl_time_cmp(a, a) == 0);
	assert_true(nctl_time_cmp(b, NCTL_TIME_NEVER) < 0);
	assert_int_equal(nctl_time_cmp(nctl_time_add_ms(NCTL_TIME_NEVER, 1), NCTL_TIME_NEVER), 0);
	assert_int_equal(nctl_time_cmp(nctl_time_add_ms(a, UINT64_MAX), NCTL_TIME_NEVER), 0);
	assert_true(nctl_time_diff_us(NCTL_TIME_NEVER, (nctl_time){0}) == INT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cleanup),
		cmocka_unit_test(test_strbuf),
		cmocka_unit_test(test_json_shape),
		cmocka_unit_test(test_json_escapes),
		cmocka_unit_test(test_json_misuse),
		cmocka_unit_test(test_num),
		cmocka_unit_test(test_suggest),
		cmocka_unit_test(test_arena),
		cmocka_unit_test(test_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
