/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Lack of memory at every single place: the answer is -ENOMEM or the right one, and nothing leaks (which
 * the address sanitizer sees). Allocations of libyaml, a shared library, are not ours and do not fail here.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "config/config.h"
#include "memory.h"

static const char good[] = "network:\n"
			   "  ethernets: {e0: &x {mtu: 1500, altnames: [a1, a2], alias: text}}\n"
			   "  bridges: {br0: {interfaces: [e0], parameters: {path-cost: {e0: 5}}}}\n"
			   "  vrfs: {red: {table: 5}}\n"
			   "  dummy-devices: {\"d{1..40}\": {addresses: [\"10.0.0.{n}/24\", "
			   "{\"10.0.1.{n}/24\": {label: x}}], vrf: red}}\n"
			   "  vlans: {\"v{1..40}\": {id: \"{n}\", link: br0}}\n";
static const char good_netns[] = "network:\n"
				 "  netns-pool: 4\n"
				 "  virtual-ethernets: {\"v{1..40}\": {peer: {netns: \"t{n}\", name: e}}}\n"
				 "  namespaces:\n"
				 "    \"t{1..40}\":\n"
				 "      sysctl: {net.ipv4.ip_forward: 1, net/core/somaxconn: \"{n}\"}\n"
				 "      virtual-ethernets: {e: {addresses: [\"10.{N}.0.2/24\"]}}\n"
				 "      ethernets: {renderer: networkd, \"f{1..3}\": {}}\n";
static const char bad_netns[] =
	"network:\n"
	"  virtual-ethernets: {v1: {peer: {netns: t3, name: e}}, v2: {peer: {netns: x, "
	"name: e}}}\n"
	"  namespaces: {\"t{1..40}\": {sysctl: {a: on}, vlans: {w: {id: 1, link: w}}, "
	"vrfs: {x: {table: 1}, y: {table: 1}}}, t40: {}}\n";
static const char more[] = "network: {dummy-devices: {\"d{1..40}\": {mtu: 1400}}}";
static const char bad[] = "network:\n"
			  "  ethernets: {e0: {mtu: 01500, unknwon: 1}, e0: {}}\n"
			  "  vlans: {\"v{1..40}\": {id: \"{n/0}\", link: nowhere}, w: {id: 1, link: w}}\n";

/* The result with the allocation number `at` failing; the findings are counted in n_errors. */
static int run(const char *first, const char *second, long at, size_t *n_errors)
{
	struct nd_config_texts texts = ND_CONFIG_TEXTS_INIT;
	struct nd_diagnostics diag = ND_DIAGNOSTICS_INIT;
	struct nctl_want *want = NULL;
	int r;

	countdown = at;
	r = nd_config_texts_add(&texts, "1.yaml", first, strlen(first));
	if (r == 0)
		r = nd_config_texts_add(&texts, "2.yaml", second, strlen(second));
	if (r == 0)
		r = nd_config_parse(&texts, &diag, &want);
	*n_errors = diag.n_errors;
	assert_true(r == 0 ? want != NULL : want == NULL);
	nctl_want_freep(&want);
	nd_diagnostics_fini(&diag);
	nd_config_texts_fini(&texts);
	return r;
}

static void fail_everywhere(const char *first, const char *second, int expected)
{
	size_t n_errors, expected_errors;
	long at;
	int r;

	assert_int_equal(run(first, second, -1, &expected_errors), expected);
	for (at = 0; at < 100000; at++) {
		r = run(first, second, at, &n_errors);
		if (countdown >= 0)
			break;
		if (r == -ENOMEM)
			continue;
		/* A hash table that could not grow works on. */
		assert_int_equal(r, expected);
		assert_int_equal(n_errors, expected_errors);
	}
	assert_true(at > 20 && at < 100000);
	countdown = -1;
}

static void test_good(void **state)
{
	(void)state;
	fail_everywhere(good, more, 0);
	fail_everywhere(good_netns, more, 0);
}

static void test_bad(void **state)
{
	(void)state;
	fail_everywhere(bad, more, ND_CONFIG_INVALID);
	fail_everywhere(bad_netns, more, ND_CONFIG_INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_bad),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
