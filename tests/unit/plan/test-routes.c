/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: plans for routes, next-hop objects and rules: what is wanted comes in an order that the kernel can
 * follow, ours that nobody wants go, what others made is never touched, what the kernel takes along is put
 * back, and the way back ends where it began.
 */
#include <linux/fib_rules.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "case.h"
#include "mirror/route.h"

static const char ROUTED[] =
	"  ethernets:\n"
	"    eth0:\n"
	"      addresses: [192.0.2.1/24, \"2001:db8::1/64\"]\n"
	"      routes:\n"
	"        - {to: default, via: 192.0.2.254}\n"
	"        - {to: \"::/0\", via: \"2001:db8::fe\"}\n"
	"        - {to: 10.0.0.0/8, via: 192.0.2.2, mtu: 1400}\n"
	"        - {to: 10.1.0.0/16, nexthops: [{via: 192.0.2.3}, {via: 192.0.2.4}]}\n"
	"        - {to: \"2001:db8:1::/48\", nexthops: [{via: \"2001:db8::3\"}, {via: \"2001:db8::4\"}]}\n"
	"        - {to: 198.51.100.0/24}\n"
	"        - {to: 10.2.0.0/16, type: blackhole}\n"
	"        - {to: \"2001:db8:2::/48\", type: unreachable}\n"
	"        - {to: 10.3.0.0/16, nexthop: 3}\n"
	"  nexthops:\n"
	"    3: {group: [{id: 1}, {id: 2, weight: 3}]}\n"
	"    2: {via: 198.51.100.5, device: eth0}\n"
	"    1: {via: 192.0.2.5, device: eth0}\n"
	"  routing-policy:\n"
	"    - {from: 10.0.0.0/8, table: 7, priority: 100}\n"
	"    - {from: 10.9.0.0/16, table: 8}\n";

static int setup_eth0(void **state)
{
	const struct nctl_rule rules[] = {
		{.family = AF_INET,
			.table = 255,
			.action = 1,
			.suppress_prefixlen = -1,
			.suppress_ifgroup = -1},
		{.family = AF_INET,
			.table = 254,
			.action = 1,
			.priority = 32766,
			.suppress_prefixlen = -1,
			.suppress_ifgroup = -1},
	};

	setup(state);
	world_link(&w, 1, "lo", NULL, 0, IFF_UP | IFF_LOOPBACK);
	world_link(&w, 5, "eth0", NULL, 0, IFF_UP);
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(rules); i++)
		assert_int_equal(nctl_mirror_rule_put(w.have, &rules[i], NCTL_SOURCE_EVENT), 0);
	return 0;
}

/* A route of another program over eth0. */
static void foreign(const char *dst, const char *via, uint32_t metric, unsigned nlm_flags)
{
	struct nctl_hop hop = {.oif = 5, .weight = 1};
	struct nctl_route r = {.table = RT_TABLE_MAIN,
		.protocol = RTPROT_BIRD,
		.type = RTN_UNICAST,
		.metric = metric,
		.n_hops = 1,
		.hops = &hop};

	assert_int_equal(nctl_prefix_parse(dst, NCTL_PREFIX_ANY, &r.dst), 0);
	if (via)
		assert_int_equal(nctl_addr_parse(via, &hop.via), 0);
	r.scope = via || r.dst.family == AF_INET6 ? RT_SCOPE_UNIVERSE : RT_SCOPE_LINK;
	r.has_pref = r.dst.family == AF_INET6;
	assert_int_equal(nctl_mirror_route_put(w.have, &r, nlm_flags, NCTL_SOURCE_EVENT), 0);
}

static void test_order(void **state)
{
	(void)state;
	plan_is(ROUTED, "address: addr-new eth0 192.0.2.1/24\n"
			"address: addr-new eth0 2001:db8::1/64\n"
			"route: route-new 198.51.100.0/24\n"
			"route: route-new 10.2.0.0/16\n"
			"route: route-new 2001:db8:2::/48 metric 1024\n"
			"route: nexthop-new 1\n"
			"route: nexthop-new 2\n"
			"route: nexthop-new 3\n"
			"route: route-new default\n"
			"route: route-new default metric 1024\n"
			"route: route-new 10.0.0.0/8\n"
			"route: route-new 10.1.0.0/16\n"
			"route: route-new 2001:db8:1::/48 metric 1024\n"
			"route: route-new 10.3.0.0/16\n"
			"route: rule-new 100\n"
			"route: rule-new from 10.9.0.0/16\n");
	world_settle(&w, ROUTED);
}

static void test_remove(void **state)
{
	(void)state;
	world_settle(&w, ROUTED);
	foreign("10.4.0.0/16", "192.0.2.2", 0, 0);
	plan_is("  ethernets: {eth0: {addresses: [192.0.2.1/24, \"2001:db8::1/64\"]}}\n",
		"unroute: rule-del 99\n"
		"unroute: rule-del 100\n"
		"unroute: route-del 198.51.100.0/24\n"
		"unroute: route-del 10.2.0.0/16\n"
		"unroute: route-del 2001:db8:2::/48 metric 1024\n"
		"unroute: route-del default\n"
		"unroute: route-del default metric 1024\n"
		"unroute: route-del 10.0.0.0/8\n"
		"unroute: route-del 10.1.0.0/16\n"
		"unroute: route-del 2001:db8:1::/48 metric 1024\n"
		"unroute: route-del 10.3.0.0/16\n"
		"unroute: nexthop-del 3\n"
		"unroute: nexthop-del 1\n"
		"unroute: nexthop-del 2\n");
	world_apply(&w);
	assert_int_equal(nctl_mirror_route_count(w.have, AF_UNSPEC), 1);
}

/* One route over eth0, which has addresses of both families. */
static const char *body(const char *routes)
{
	static char text[1024];

	snprintf(text, sizeof(text),
		"  ethernets: {eth0: {addresses: [192.0.2.1/24, \"2001:db8::1/64\"], routes: [%s]}}\n",
		routes);
	return text;
}

static void test_change(void **state)
{
	(void)state;
	world_settle(&w,
		body("{to: 10.0.0.0/8, via: 192.0.2.2}, {to: \"2001:db8:1::/48\", via: \"2001:db8::2\"}"));
	plan_is(body("{to: 10.0.0.0/8, via: 192.0.2.2, mtu: 1300}, {to: \"2001:db8:1::/48\", via: "
	             "\"2001:db8::2\"}"),
		"route: route-new 10.0.0.0/8 (replace)\n");
	plan_is(body("{to: 10.0.0.0/8, via: 192.0.2.2}, {to: \"2001:db8:1::/48\", via: \"2001:db8::3\"}"),
		"route: route-new 2001:db8:1::/48 metric 1024 (replace)\n");
	plan_is(body("{to: 10.0.0.0/8, via: 192.0.2.2, metric: 5}, {to: \"2001:db8:1::/48\", via: "
	             "\"2001:db8::2\"}"),
		"route: route-new 10.0.0.0/8 metric 5\n"
		"unroute: route-del 10.0.0.0/8\n");
	world_settle(&w, body("{to: 10.0.0.0/8, type: prohibit}, {to: \"2001:db8:1::/48\", type: throw}"));
	world_settle(&w, body("{to: 10.0.0.0/8, nexthops: [{via: 192.0.2.2}, {via: 192.0.2.3}]}, "
			      "{to: \"2001:db8:1::/48\", nexthops: [{via: \"2001:db8::2\"}, {via: "
	                      "\"2001:db8::3\"}]}"));
	/* The order of siblings is the kernel's own in IPv6. */
	plan_is(body("{to: 10.0.0.0/8, nexthops: [{via: 192.0.2.3}, {via: 192.0.2.2}]}, "
		     "{to: \"2001:db8:1::/48\", nexthops: [{via: \"2001:db8::3\"}, {via: \"2001:db8::2\"}]}"),
		"route: route-new 10.0.0.0/8 (replace)\n");
}

static void test_foreign(void **state)
{
	(void)state;
	world_settle(&w, body(""));
	foreign("10.0.0.0/8", "192.0.2.2", 0, 0);
	foreign("2001:db8:1::/48", "2001:db8::2", 1024, 0);
	/* It is there already. */
	plan_is(body("{to: 10.0.0.0/8, via: 192.0.2.2}, {to: \"2001:db8:1::/48\", via: \"2001:db8::2\"}"),
		"");
	plan_is(body(""), "");
	/* Another one is. */
	plan_is(body("{to: 10.0.0.0/8, via: 192.0.2.3}"),
		"conflict: a route that netctld does not own (protocol 12) is in the way of 10.0.0.0/8 in "
	        "table 254 with "
		"metric 0; delete it, or choose another metric\n");
	plan_is(body("{to: \"2001:db8:1::/48\", via: \"2001:db8::3\"}"),
		"conflict: a route that netctld does not own (protocol 12) is in the way of 2001:db8:1::/48 "
	        "in table 254 "
		"with metric 1024; delete it, or choose another metric\n");
	plan_is(body("{to: \"2001:db8:1::/48\"}"), "route: route-new 2001:db8:1::/48 metric 1024 (beside)\n");
	/* With another metric, they stand beside each other. */
	world_settle(&w, body("{to: 10.0.0.0/8, via: 192.0.2.3, metric: 5}"));
	plan_is(body(""), "unroute: route-del 10.0.0.0/8 metric 5\n");
}

/* Somebody else's stands behind ours: NLM_F_REPLACE would do, but might hit the wrong one when ours is gone.
 */
static void test_foreign_behind(void **state)
{
	(void)state;
	world_settle(&w, body("{to: 10.0.0.0/8, via: 192.0.2.2}"));
	foreign("10.0.0.0/8", "192.0.2.9", 0, NLM_F_APPEND);
	plan_is(body("{to: 10.0.0.0/8, via: 192.0.2.3}"), "route: route-new 10.0.0.0/8 (beside)\n"
							  "unroute: route-del 10.0.0.0/8\n");
	world_apply(&w);
	plan_is(body("{to: 10.0.0.0/8, via: 192.0.2.3}"), "");
	plan_is(body(""), "unroute: route-del 10.0.0.0/8\n");
}

static void test_waits(void **state)
{
	(void)state;
	plan_is("  ethernets: {eth0: {routes: [{to: 10.0.0.0/8, via: 192.0.2.2}]}}\n",
		"wait: the route to 10.0.0.0/8 waits for a way to its gateway 192.0.2.2\n");
	world_addr(&w, "eth0", "192.0.2.1/24", 0, 0);
	plan_is("  ethernets: {eth0: {routes: [{to: 10.0.0.0/8, via: 192.0.2.2}]}}\n",
		"route: route-new 10.0.0.0/8\n");
	plan_is("  ethernets: {eth0: {routes: [{to: 10.0.0.0/8, via: 203.0.113.2, on-link: true}]}}\n",
		"route: route-new 10.0.0.0/8\n");
	plan_is("  ethernets: {eth0: {activation-mode: off, routes: [{to: 10.0.0.0/8}]}}\n",
		"tune: link-set physical eth0 down (flap)\n"
		"wait: the route to 10.0.0.0/8 waits for eth0, which is down\n");
	plan_is("  ethernets: {eth0: {activation-mode: off}}\n  vlans: {v: {id: 1, link: eth0, addresses: [192.0.2.1/24], "
		"routes: [{to: 10.0.0.0/8}]}}\n",
		"create: link-new vlan v\n"
		"tune: link-set physical eth0 down (flap)\n"
		"up: link-set vlan v up\n"
		"address: addr-new v 192.0.2.1/24\n"
		"wait: the route to 10.0.0.0/8 waits for v, which is down\n");
	plan_is("  ethernets: {eth7: {routes: [{to: 10.0.0.0/8}]}}\n", "wait: eth7 is not there yet\n");
	plan_is("  nexthops: {5: {via: 203.0.113.1, device: eth0}}\n  ethernets: {eth0: {routes: [{to: "
	        "10.0.0.0/8, nexthop: 5}]}}\n",
		"wait: next hop 5 waits for a way to its gateway 203.0.113.1\n");
}

/* A link that goes down loses them all; those of others come back on the way back. */
static void test_flap(void **state)
{
	char *before, *after;

	(void)state;
	world_settle(&w, "  dummy-devices: {d0: {addresses: [192.0.2.1/24], routes: [{to: 10.0.0.0/8, via: "
	                 "192.0.2.2}]}}\n");
	before = world_dump(&w);
	plan_is("  dummy-devices: {d0: {activation-mode: off, addresses: [192.0.2.1/24], routes: [{to: "
	        "10.0.0.0/8, via: "
		"192.0.2.2}]}}\n",
		"tune: link-set dummy d0 down (flap)\n"
		"wait: the route to 10.0.0.0/8 waits for d0, which is down\n");
	world_apply(&w);
	assert_int_equal(nctl_mirror_route_count(w.have, AF_UNSPEC), 0);
	world_undo(&w);
	after = world_dump(&w);
	assert_string_equal(before, after);
	free(before);
	free(after);
}

static void test_doomed(void **state)
{
	(void)state;
	world_settle(&w, "  dummy-devices: {d0: {addresses: [192.0.2.1/24], routes: [{to: 10.0.0.0/8, via: "
	                 "192.0.2.2}]}}\n"
			 "  nexthops: {1: {device: d0}}\n");
	plan_is("  dummy-devices: {}\n", "remove: link-del dummy d0\n");
}

static void test_nexthops(void **state)
{
	static const char one[] = "  ethernets: {eth0: {routes: [{to: 10.0.0.0/8, nexthop: 1}]}}\n";
	char text[512];

	(void)state;
	world_addr(&w, "eth0", "192.0.2.1/24", 0, 0);
	snprintf(text, sizeof(text), "%s  nexthops: {1: {via: 192.0.2.2, device: eth0}}\n", one);
	world_settle(&w, text);
	snprintf(text, sizeof(text), "%s  nexthops: {1: {via: 192.0.2.3, device: eth0}}\n", one);
	plan_is(text, "route: nexthop-new 1 (replace)\n");
	world_apply(&w);
	/* What cannot be changed is made again, and its routes with it. */
	snprintf(text, sizeof(text), "%s  nexthops: {1: {group: [{id: 2}]}, 2: {device: eth0}}\n", one);
	plan_is(text, "route: nexthop-new 2\n"
		      "route: nexthop-del 1\n"
		      "route: nexthop-new 1\n"
		      "route: route-new 10.0.0.0/8 (if missing)\n");
}

static void test_foreign_nexthop(void **state)
{
	const struct nctl_nexthop n = {
		.id = 1, .family = AF_INET, .protocol = RTPROT_ZEBRA, .hop = {.oif = 5, .weight = 1}};

	(void)state;
	assert_int_equal(nctl_mirror_nexthop_put(w.have, &n, NCTL_SOURCE_EVENT), 0);
	plan_is("  ethernets: {eth0: {}}\n", "");
	plan_is("  ethernets: {eth0: {}}\n  nexthops: {1: {device: eth0}}\n", "");
	plan_is("  ethernets: {eth0: {}}\n  nexthops: {1: {blackhole: true}}\n",
		"conflict: a next hop 1 that netctld does not own (protocol 11) is in the way; delete it, or "
	        "choose "
		"another number\n");
}

static void test_rules(void **state)
{
	(void)state;
	world_settle(&w, "  routing-policy: [{from: 10.0.0.0/8, table: 7, priority: 5}, {mark: 1/3, table: "
	                 "8}, {l3mdev: true, priority: 9}]\n");
	plan_is("  routing-policy: [{mark: 1/3, table: 8}, {from: 10.0.0.0/8, table: 7, priority: 6}]\n",
		"route: rule-new 6\n"
		"unroute: rule-del 5\n"
		"unroute: rule-del 9\n"
		"unroute: rule-del 9\n");
	world_apply(&w);
	plan_is("  routing-policy: []\n", "unroute: rule-del 4\n"
					  "unroute: rule-del 6\n"
					  "unroute: rule-del 0\n");
}

/* Back from each step. */
static void test_undo(void **state)
{
	(void)state;
	world_addr(&w, "eth0", "192.0.2.1/24", 0, 0);
	foreign("10.4.0.0/16", "192.0.2.2", 0, 0);
	for (size_t n = 0; n <= 20; n++)
		world_return(&w, ROUTED, n);
	world_settle(&w, ROUTED);
	for (size_t n = 0; n <= 20; n++)
		world_return(&w, "  ethernets: {eth0: {addresses: [192.0.2.1/24]}}\n", n);
	for (size_t n = 0; n <= 8; n++)
		world_return(&w, body("{to: default, via: 192.0.2.7}, {to: 10.0.0.0/8, via: 192.0.2.2}"), n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_order, setup_eth0, teardown),
		cmocka_unit_test_setup_teardown(test_remove, setup_eth0, teardown),
		cmocka_unit_test_setup_teardown(test_change, setup_eth0, teardown),
		cmocka_unit_test_setup_teardown(test_foreign, setup_eth0, teardown),
		cmocka_unit_test_setup_teardown(test_foreign_behind, setup_eth0, teardown),
		cmocka_unit_test_setup_teardown(test_waits, setup_eth0, teardown),
		cmocka_unit_test_setup_teardown(test_flap, setup_eth0, teardown),
		cmocka_unit_test_setup_teardown(test_doomed, setup_eth0, teardown),
		cmocka_unit_test_setup_teardown(test_nexthops, setup_eth0, teardown),
		cmocka_unit_test_setup_teardown(test_foreign_nexthop, setup_eth0, teardown),
		cmocka_unit_test_setup_teardown(test_rules, setup_eth0, teardown),
		cmocka_unit_test_setup_teardown(test_undo, setup_eth0, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
