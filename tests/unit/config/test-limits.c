/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: What keeps a hostile or broken file from costing more than it should, through the public functions. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/time.h"
#include "config/config.h"

struct load {
	struct nd_config_texts texts;
	struct nd_diagnostics diag;
	struct nctl_want *want;
	int r;
};

static void load(struct load *l, const char *data, size_t len)
{
	*l = (struct load){0};
	assert_int_equal(nd_config_texts_add(&l->texts, "t.yaml", data, len), 0);
	l->r = nd_config_parse(&l->texts, &l->diag, &l->want);
}

static void unload(struct load *l)
{
	nctl_want_freep(&l->want);
	nd_diagnostics_fini(&l->diag);
	nd_config_texts_fini(&l->texts);
}

static void expect_error(const char *data, size_t len, const char *message)
{
	const struct nd_diagnostic *d;
	struct load l;

	load(&l, data, len);
	assert_int_equal(l.r, ND_CONFIG_INVALID);
	assert_null(l.want);
	assert_true(l.diag.n_errors > 0);
	for (d = l.diag.v; d->severity != ND_ERROR; d++)
		;
	if (!strstr(d->message, message))
		fail_msg("\"%s\", not \"%s\"", d->message, message);
	assert_non_null(d->advice);
	assert_true(d->line > 0 && d->column > 0);
	unload(&l);
}

static void test_bytes(void **state)
{
	(void)state;
	expect_error("a: \0", 4, "NUL");
	expect_error("a: \xc0\x80", 5, "not UTF-8");
	expect_error("a: \xed\xa0\x80", 6, "not UTF-8");
	expect_error("a: \xf4\x90\x80\x80", 7, "not UTF-8");
	expect_error("a: \xe2\x82", 5, "not UTF-8");
	expect_error("a: \xc2\x85", 5, "U+0085");
	expect_error("a: \xe2\x80\xa8", 6, "U+2028");
	expect_error("a: b\rc: d", 9, "carriage return");
	expect_error("a: \x1b[2J", 7, "U+001B");
	expect_error("network: {ethernets: {e: {alias: \"a\\0b\"}}}", 42, "control characters");
	expect_error("network: {ethernets: {e: {alias: \"a\\e[2Jb\"}}}", 45, "control characters");
}

static void test_depth(void **state)
{
	char text[100];

	(void)state;
	memset(text, '[', sizeof(text));
	memcpy(text, "a: ", 3);
	expect_error(text, sizeof(text), "deeper");
}

/* Aliases that nest: each holds the one before at the bottom of ten levels. */
static void test_alias_depth(void **state)
{
	struct nctl_strbuf b = NCTL_STRBUF_INIT;

	(void)state;
	nctl_strbuf_puts(&b, "a0: &a0 [[[[[[[[[[x]]]]]]]]]]\n");
	for (int i = 1; i < 500; i++)
		nctl_strbuf_printf(&b, "a%d: &a%d [[[[[[[[[[*a%d]]]]]]]]]]\n", i, i, i - 1);
	expect_error(b.s, b.len, "aliases");
	nctl_strbuf_fini(&b);
}

static void test_anchors(void **state)
{
	struct nctl_strbuf b = NCTL_STRBUF_INIT;

	(void)state;
	for (int i = 0; i < 2000; i++)
		nctl_strbuf_printf(&b, "a%d: &a%d x\n", i, i);
	expect_error(b.s, b.len, "anchors");
	nctl_strbuf_fini(&b);
}

static void test_nodes(void **state)
{
	struct nctl_strbuf b = NCTL_STRBUF_INIT;

	(void)state;
	nctl_strbuf_puts(&b, "network: [");
	for (int i = 0; i < 4000001; i++)
		nctl_strbuf_puts(&b, "x,");
	expect_error(b.s, b.len, "too many");
	nctl_strbuf_fini(&b);
}

/* Several ranges may not add up to more than one. */
static void test_devices(void **state)
{
	static const char text[] = "network: {dummy-devices: {\"a{1..3}\": {}, \"b{1..999999}\": {}}}";

	(void)state;
	expect_error(text, strlen(text), "more than 1000000 devices");
}

/* What would be 10^12 of something is refused before the first is made. */
static const char *const bombs[][2] = {
	{"network: {namespaces: {\"t{1..1000000}\": {dummy-devices: {\"v{1..1000000}\": {}}}}}",
		"more than 1000000 devices"},
	{"network: {namespaces: {\"t{1..600}\": {vlans: {\"v{1..2000}\": {id: 1, link: x}}}}}",
		"more than 1000000 devices"},
	{"network: {namespaces: {\"t{1..1000000}\": {ethernets: {renderer: networkd, \"v{1..1000000}\": "
         "{}}}}}",
		"more than 1000000 devices"},
	{"network: {namespaces: {\"t{1..1000000}\": {}, u: {}}}", "more than 1000000 namespaces"},
	{"network: {bridges: {\"b{1..1000000}\": {interfaces: [\"v{1..1000000}\"]}}}",
		"more than 1000000 ports"},
	{"network: {namespaces: {\"t{1..2000}\": {bridges: {b: {interfaces: [\"v{1..2000}\"]}}}}}",
		"more than 1000000 ports"},
	{"network: {netns-pool: 1025}", "0 to 1024"},
};

static void test_bombs(void **state)
{
	nctl_time start = nctl_time_now();

	(void)state;
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(bombs); i++)
		expect_error(bombs[i][0], strlen(bombs[i][0]), bombs[i][1]);
	assert_true(nctl_time_diff_us(nctl_time_now(), start) < 60 * 1000 * 1000);
}

/* Long lists, and each for many devices. */
static void test_values(void **state)
{
	struct nctl_strbuf b = NCTL_STRBUF_INIT;

	(void)state;
	nctl_strbuf_puts(
		&b, "network: {namespaces: {\"t{1..1000}\": {dummy-devices: {\"v{1..1000}\": {addresses: [");
	for (int i = 0; i < 40; i++)
		nctl_strbuf_printf(&b, "10.0.0.%d/24,", i + 1);
	nctl_strbuf_puts(&b, "]}}}}}");
	expect_error(b.s, b.len, "more than 33554432 values");
	nctl_strbuf_fini(&b);
}

/* 64 sysctls fit into one message of the helper. */
static void test_sysctls(void **state)
{
	struct nctl_strbuf b = NCTL_STRBUF_INIT;
	struct load l;

	(void)state;
	nctl_strbuf_puts(&b, "network: {namespaces: {\"t{1..1000}\": {sysctl: {");
	for (int i = 0; i < 64; i++)
		nctl_strbuf_printf(&b, "net.a.b%d: \"{n}\",", i);
	nctl_strbuf_puts(&b, "}}}}");
	load(&l, b.s, b.len);
	assert_int_equal(l.r, 0);
	assert_int_equal(l.want->n_netns, 1001);
	assert_int_equal(l.want->netns[1000]->n_sysctls, 64);
	assert_string_equal(l.want->netns[1000]->sysctls[63].name, "a/b63");
	assert_string_equal(l.want->netns[1000]->sysctls[63].value, "1000");
	assert_ptr_equal(nctl_want_netns_find(l.want, "t1000"), l.want->netns[1000]);
	unload(&l);
	nctl_strbuf_reset(&b);
	nctl_strbuf_puts(&b, "network: {namespaces: {t: {sysctl: {");
	for (int i = 0; i < 65; i++)
		nctl_strbuf_printf(&b, "net.a.b%d: 1,", i);
	nctl_strbuf_puts(&b, "}}}}");
	expect_error(b.s, b.len, "more than 64 sysctls");
	nctl_strbuf_reset(&b);
	nctl_strbuf_puts(&b, "network: {namespaces: {t: {sysctl: {net.a: \"");
	for (int i = 0; i < 513; i++)
		nctl_strbuf_putc(&b, 'x');
	nctl_strbuf_puts(&b, "\"}}}}");
	expect_error(b.s, b.len, "at most 512 bytes");
	nctl_strbuf_reset(&b);
	nctl_strbuf_puts(&b, "network: {namespaces: {t: {sysctl: {net.");
	for (int i = 0; i < 252; i++)
		nctl_strbuf_putc(&b, 'x');
	nctl_strbuf_puts(&b, ": 1}}}}");
	expect_error(b.s, b.len, "at most 255 bytes");
	nctl_strbuf_fini(&b);
}

/* Namespaces that are written one by one, too: nothing looks for each among all. */
static void test_many_netns(void **state)
{
	struct nctl_strbuf b = NCTL_STRBUF_INIT;
	struct load l;

	(void)state;
	nctl_strbuf_puts(&b, "network:\n  virtual-ethernets:\n");
	for (int i = 0; i < 20000; i++)
		nctl_strbuf_printf(&b, "    v%d: {}\n", i);
	nctl_strbuf_puts(&b, "  namespaces:\n");
	for (int i = 0; i < 20000; i++)
		nctl_strbuf_printf(
			&b, "    t%d: {virtual-ethernets: {e: {peer: {netns: \"\", name: v%d}}}}\n", i, i);
	load(&l, b.s, b.len);
	assert_int_equal(l.r, 0);
	assert_int_equal(l.want->n_links, 40000);
	assert_ptr_equal(nctl_want_find(l.want, 0, "v7")->peer.link, nctl_want_find(l.want, 8, "e"));
	assert_ptr_equal(nctl_want_find(l.want, 8, "e")->peer.link, nctl_want_find(l.want, 0, "v7"));
	unload(&l);
	nctl_strbuf_fini(&b);
}

static void test_many_errors(void **state)
{
	struct nctl_strbuf b = NCTL_STRBUF_INIT, out = NCTL_STRBUF_INIT;
	struct load l;

	(void)state;
	nctl_strbuf_puts(&b, "network:\n  dummy-devices:\n");
	for (int i = 0; i < 30; i++)
		nctl_strbuf_printf(&b, "    w%d: {mtu: 1000, addresses: [\"2001:db8::1/64\"]}\n", i);
	for (int i = 0; i < 150; i++)
		nctl_strbuf_printf(&b, "    d%d: {mtu: x}\n", i);
	load(&l, b.s, b.len);
	assert_int_equal(l.r, ND_CONFIG_INVALID);
	assert_int_equal(l.diag.n, 100);
	assert_int_equal(l.diag.n_errors, 150);
	for (size_t i = 1; i < l.diag.n; i++)
		assert_true(l.diag.v[i - 1].line <= l.diag.v[i].line);
	nd_diagnostics_print(&l.diag, &out);
	assert_non_null(strstr(nctl_strbuf_str(&out), " more\n"));
	unload(&l);
	nctl_strbuf_fini(&b);
	nctl_strbuf_fini(&out);
}

/* A tower of VLANs as high as a range is long must not eat the stack. */
static void test_tower(void **state)
{
	static const char text[] = "network: {vlans: {\"v{1..100000}\": {id: 1, link: \"v{n-1}\"}},"
				   "  ethernets: {v0: {}}}";
	static const char ring[] = "network: {vlans: {\"v{0..99999}\": {id: 1, link: \"v{(n+1)%100000}\"}}}";
	struct load l;

	(void)state;
	load(&l, text, strlen(text));
	assert_int_equal(l.r, 0);
	assert_int_equal(l.want->n_links, 100001);
	assert_ptr_equal(
		nctl_want_find(l.want, 0, "v99999"), nctl_want_find(l.want, 0, "v100000")->lower.link);
	assert_null(nctl_want_find(l.want, 0, "v100001"));
	unload(&l);
	expect_error(ring, strlen(ring), "stands on itself");
}

/* Each of many wrong references asks for a suggestion among many names. */
static void test_suggestions(void **state)
{
	static const char text[] = "network: {dummy-devices: {\"d{1..20000}\": {}}, vlans: {\"v{1..20000}\": "
				   "{id: 1, link: \"e{n}\"}}}";
	nctl_time start = nctl_time_now();

	(void)state;
	expect_error(text, strlen(text), "there is no device");
	assert_true(nctl_time_diff_us(nctl_time_now(), start) < 20 * 1000 * 1000);
}

static void test_json(void **state)
{
	struct nctl_strbuf out = NCTL_STRBUF_INIT;
	struct nctl_json json;
	struct load l;

	(void)state;
	load(&l, "nework: {}", 10);
	nctl_json_init(&json, &out);
	nd_diagnostics_json(&l.diag, &json);
	assert_string_equal(nctl_strbuf_str(&out),
		"[{\"severity\":\"error\",\"file\":\"t.yaml\",\"line\":1,\"column\":1,"
		"\"message\":\"unknown key \\\"nework\\\"\",\"advice\":\"did you mean \\\"network\\\"?\","
		"\"source\":\"nework: {}\"}]");
	unload(&l);
	nctl_strbuf_fini(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_alias_depth),
		cmocka_unit_test(test_anchors),
		cmocka_unit_test(test_nodes),
		cmocka_unit_test(test_devices),
		cmocka_unit_test(test_bombs),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_sysctls),
		cmocka_unit_test(test_many_netns),
		cmocka_unit_test(test_many_errors),
		cmocka_unit_test(test_tower),
		cmocka_unit_test(test_suggestions),
		cmocka_unit_test(test_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
