/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The strict reader against json-c: both take, or refuse, the same texts, whole and cut off anywhere.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "netctl/scan.h"

static bool scan_takes(const char *text, size_t len)
{
	/* A copy without anything behind it, so that a sanitizer sees each byte too far. */
	_cleanup_(nctl_freep) char *copy = malloc(len ? len : 1);
	struct cli_scan s;

	assert_non_null(copy);
	memcpy(copy, text, len);
	cli_scan_init(&s, copy, len);
	cli_scan_skip(&s);
	return cli_scan_done(&s);
}

static bool json_c_takes(const char *text, size_t len)
{
	struct json_tokener *t = json_tokener_new_ex(30);
	struct json_object *o;
	bool ok;

	json_tokener_set_flags(t, JSON_TOKENER_STRICT);
	o = json_tokener_parse_ex(t, text, (int)len);
	if (json_tokener_get_error(t) == json_tokener_continue)
		o = json_tokener_parse_ex(t, "", -1); /* a number ends with the text */
	ok = json_tokener_get_error(t) == json_tokener_success;
	json_object_put(o);
	json_tokener_free(t);
	return ok;
}

static const char *const good[] = {
	"{}",
	"[]",
	"[[],{},[{}]]",
	"{\"a\":1,\"b\":[true,false,null],\"c\":{\"d\":\"e\"}}",
	"[0,-1,1.5,-0.25,1e3,1E-3,12345678901234567890]",
	"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\"",
	" { \"a\" : [ 1 , 2 ] } ",
	"{\"ifindex\":7,\"ifname\":\"eth0\",\"flags\":[\"BROADCAST\",\"UP\"],\"linkinfo\":{\"info_kind\":"
        "\"vlan\"}}",
};

static const char *const bad[] = {"", " ", "{", "}", "[1,]", "[,1]", "{\"a\"}", "{\"a\":}", "{a:1}",
	"{\"a\":1,}", "[1 2]", "01", "-", "1.", ".5", "1e", "tru", "nul", "\"", "\"\\x\"", "\"\\u12\"",
	"\"a\nb\"", "[1]]", "{} {}", "[}", "{]", "[{]}", "{\"a\":1]", "'a'", "+1", "[[1],[2]"};

static void whole(void **state)
{
	(void)state;
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(good); i++)
		assert_true(scan_takes(good[i], strlen(good[i])));
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(bad); i++)
		if (scan_takes(bad[i], strlen(bad[i])))
			fail_msg("taken: %s", bad[i]);
}

static void cut(void **state)
{
	(void)state;
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(good); i++)
		for (size_t n = 1; n < strlen(good[i]); n++)
			if (scan_takes(good[i], n) && !json_c_takes(good[i], n))
				fail_msg("taken: %.*s", (int)n, good[i]);
}

/* Every single byte replaced: what we take, json-c takes. */
static void damaged(void **state)
{
	static const char with[] = "\"\\{}[],:0-+.eu \nx\x7f";
	char text[256];

	(void)state;
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(good); i++) {
		size_t len = strlen(good[i]);

		for (size_t at = 0; at < len; at++) {
			for (const char *c = with; *c; c++) {
				memcpy(text, good[i], len + 1);
				text[at] = *c;
				if (scan_takes(text, len) && !json_c_takes(text, len))
					fail_msg("taken: %s", text);
			}
		}
	}
}

static void deep(void **state)
{
	char text[200];

	(void)state;
	memset(text, '[', 100);
	memset(text + 100, ']', 100);
	assert_false(scan_takes(text, 200));
	assert_true(scan_takes(text + 100 - 30, 60));
}

static void walk(void **state)
{
	static const char text[] =
		"{\"n\":-1.5e3,\"s\":\"a\\\"\\u00e9\\u20ac\\n\",\"skip\":[{\"x\":[1]}],\"null\":null,"
		"\"a_key_that_is_far_longer_than_the_room_for_it\":[true,\"b\"]}";
	char key[CLI_SCAN_KEY_MAX], value[16];
	struct cli_scan s;

	(void)state;
	cli_scan_init(&s, text, strlen(text));
	assert_false(cli_scan_array(&(struct cli_scan){.p = text, .end = text + strlen(text)}));
	assert_true(cli_scan_object(&s));
	assert_true(cli_scan_key(&s, key));
	assert_string_equal(key, "n");
	cli_scan_text(&s, value, 4);
	assert_string_equal(value, "-1.");
	assert_true(cli_scan_key(&s, key));
	cli_scan_text(&s, value, sizeof(value));
	assert_string_equal(value, "a\"\xc3\xa9\xe2\x82\xac\n");
	assert_true(cli_scan_key(&s, key));
	cli_scan_skip(&s);
	assert_true(cli_scan_key(&s, key));
	cli_scan_text(&s, value, sizeof(value));
	assert_string_equal(value, "");
	assert_true(cli_scan_key(&s, key));
	assert_int_equal(strlen(key), CLI_SCAN_KEY_MAX - 1);
	assert_true(cli_scan_array(&s));
	assert_true(cli_scan_item(&s));
	assert_false(cli_scan_object(&s)); /* skips the true */
	assert_true(cli_scan_item(&s));
	cli_scan_text(&s, value, sizeof(value));
	assert_string_equal(value, "b");
	assert_false(cli_scan_item(&s));
	assert_false(cli_scan_key(&s, key));
	assert_true(cli_scan_done(&s));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole),
		cmocka_unit_test(cut),
		cmocka_unit_test(damaged),
		cmocka_unit_test(deep),
		cmocka_unit_test(walk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
