/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: where packets go by a mirror made by hand: rules of every sort, tables, dead hops, next-hop objects,
 * VRFs and sources. tests/live/resolve.sh asks kernels the same at random.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <errno.h>
#include <linux/fib_rules.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "mirror/resolve.h"
#include "obj/rtname.h"

enum { LO = 1, A, B, C, VRF };

static struct nctl_mirror *m;

static struct nctl_prefix prefix(const char *text)
{
	struct nctl_prefix p;

	assert_int_equal(nctl_prefix_parse(text, NCTL_PREFIX_ANY, &p), 0);
	return p;
}

static void put_link(nctl_ifindex ifindex, const char *name, nctl_ifindex master, const char *kind)
{
	struct nctl_link l = NCTL_LINK_INIT;

	l.ifindex = ifindex;
	strncpy(l.name, name, sizeof(l.name) - 1);
	l.flags = IFF_UP | (ifindex == LO ? IFF_LOOPBACK : 0);
	l.master = master;
	l.group = ifindex == C ? 7 : 0;
	l.has = NCTL_LINK_BIT(NAME) | NCTL_LINK_BIT(MASTER) | NCTL_LINK_BIT(ALTNAMES) | NCTL_LINK_BIT(GROUP);
	if (kind) {
		assert_int_equal(nctl_link_set_kind(&l, nctl_kind_find(kind)), 0);
		nctl_field_set(&l.kind->data.v[0], l.data, 700);
		l.data_has = 1;
	}
	assert_int_equal(nctl_mirror_link_put(m, &l, NCTL_SOURCE_EVENT), 0);
	nctl_link_fini(&l);
}

static void put_addr(nctl_ifindex ifindex, const char *text, uint32_t flags)
{
	struct nctl_addr a = NCTL_ADDR_INIT;

	a.ifindex = ifindex;
	a.local = prefix(text);
	a.flags = flags;
	assert_int_equal(nctl_mirror_addr_put(m, &a, NCTL_SOURCE_EVENT), 0);
}

static void put_rule(struct nctl_rule r)
{
	r.family = r.family ? r.family : AF_INET;
	r.action = r.action ? r.action : FR_ACT_TO_TBL;
	r.suppress_prefixlen = r.suppress_prefixlen ? r.suppress_prefixlen - 1 : -1;
	r.suppress_ifgroup = r.suppress_ifgroup ? r.suppress_ifgroup : -1;
	assert_int_equal(nctl_mirror_rule_put(m, &r, NCTL_SOURCE_EVENT), 0);
}

/* via: NULL none; oif 0: no hop at all. */
static void put_route(const char *dst, nctl_table table, uint8_t type, nctl_ifindex oif, const char *via)
{
	struct nctl_hop hop = {.oif = oif, .weight = 1};
	struct nctl_route r = {.table = table, .type = type, .n_hops = oif != 0, .hops = &hop};

	r.dst = prefix(dst);
	r.scope = via || type != RTN_UNICAST ? RT_SCOPE_UNIVERSE : RT_SCOPE_LINK;
	if (type == RTN_LOCAL)
		r.scope = RT_SCOPE_HOST;
	if (via)
		hop.via = prefix(via);
	if (r.dst.family == AF_INET6)
		r.metric = 1024;
	assert_int_equal(nctl_mirror_route_put(m, &r, NLM_F_APPEND, NCTL_SOURCE_EVENT), 0);
}

static int setup(void **state)
{
	(void)state;
	nctl_rtname_read(NULL, NULL);
	assert_int_equal(nctl_mirror_new(&m), 0);
	put_link(LO, "lo", 0, NULL);
	put_link(A, "a", 0, NULL);
	put_link(B, "b", 0, NULL);
	put_link(VRF, "blue", 0, "vrf");
	put_link(C, "c", VRF, NULL);
	put_addr(A, "10.1.0.9/24", IFA_F_PERMANENT);
	put_addr(A, "10.1.0.1/24", IFA_F_PERMANENT | IFA_F_SECONDARY);
	put_addr(A, "10.1.1.1/24", IFA_F_PERMANENT);
	put_addr(B, "10.2.0.1/24", IFA_F_PERMANENT);
	put_addr(C, "10.3.0.1/24", IFA_F_PERMANENT);
	put_addr(A, "2001:db8:1::1/64", IFA_F_PERMANENT);
	put_addr(A, "fe80::1/64", IFA_F_PERMANENT);
	put_addr(B, "2001:db8:2::1/64", IFA_F_PERMANENT);
	put_addr(B, "2001:db8:2::2/64", IFA_F_DEPRECATED);
	put_rule((struct nctl_rule){.table = RT_TABLE_LOCAL});
	put_rule((struct nctl_rule){.table = RT_TABLE_MAIN, .priority = 32766});
	put_rule((struct nctl_rule){.table = RT_TABLE_DEFAULT, .priority = 32767});
	put_rule((struct nctl_rule){.family = AF_INET6, .table = RT_TABLE_LOCAL});
	put_rule((struct nctl_rule){.family = AF_INET6, .table = RT_TABLE_MAIN, .priority = 32766});
	put_route("10.1.0.9/32", RT_TABLE_LOCAL, RTN_LOCAL, A, NULL);
	put_route("0.0.0.0/0", RT_TABLE_MAIN, RTN_UNICAST, A, "10.1.0.2");
	put_route("10.1.0.0/24", RT_TABLE_MAIN, RTN_UNICAST, A, NULL);
	put_route("10.2.0.0/24", RT_TABLE_MAIN, RTN_UNICAST, B, NULL);
	put_route("::/0", RT_TABLE_MAIN, RTN_UNICAST, A, "2001:db8:1::9");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	m = nctl_mirror_free(m);
	return 0;
}

static struct nctl_resolve_query to(const char *dst)
{
	return (struct nctl_resolve_query){.dst = prefix(dst)};
}

static struct nctl_resolved ask(struct nctl_resolve_query q)
{
	struct nctl_resolved r;

	nctl_mirror_resolve(m, &q, &r);
	return r;
}

/* via and src: "" none. */
static void expect(
	struct nctl_resolve_query q, nctl_table table, nctl_ifindex oif, const char *via, const char *src)
{
	struct nctl_resolved r = ask(q);
	char buf[NCTL_ADDR_STR];

	assert_int_equal(r.error, 0);
	assert_int_equal(r.table, table);
	assert_int_equal(r.hop.oif, oif);
	assert_string_equal(nctl_addr_format(&r.hop.via, buf), via);
	assert_string_equal(nctl_addr_format(&r.prefsrc, buf), src);
}

static void test_plain(void **state)
{
	struct nctl_resolve_query q;

	(void)state;
	expect(to("192.0.2.1"), RT_TABLE_MAIN, A, "10.1.0.2", "10.1.0.9");
	expect(to("10.2.0.7"), RT_TABLE_MAIN, B, "", "10.2.0.1");
	expect(to("10.1.0.9"), RT_TABLE_LOCAL, LO, "", "10.1.0.9");
	expect(to("2001:db8:7::1"), RT_TABLE_MAIN, A, "2001:db8:1::9", "2001:db8:1::1");
	q = to("192.0.2.1");
	q.src = prefix("192.0.2.9");
	assert_int_equal(ask(q).error, -ENETUNREACH);
	q.src = prefix("10.2.0.1");
	expect(q, RT_TABLE_MAIN, A, "10.1.0.2", "");
	/* A link without a route to there is believed. */
	q = to("192.0.2.1");
	q.oif = B;
	expect(q, 0, B, "", "10.2.0.1");
	q.oif = 99;
	assert_int_equal(ask(q).error, -ENETUNREACH);
	q = to("2001:db8:7::1");
	q.oif = B;
	assert_int_equal(ask(q).error, -ENETUNREACH);
}

static void test_types(void **state)
{
	static const struct {
		uint8_t type;
		int error;
	} v[] = {
		{RTN_BLACKHOLE, -EINVAL},
		{RTN_UNREACHABLE, -EHOSTUNREACH},
		{RTN_PROHIBIT, -EACCES},
	};
	char text[40];

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		snprintf(text, sizeof(text), "198.18.%u.0/24", i);
		put_route(text, RT_TABLE_MAIN, v[i].type, 0, NULL);
		snprintf(text, sizeof(text), "198.18.%u.1", i);
		assert_int_equal(ask(to(text)).error, v[i].error);
		snprintf(text, sizeof(text), "2001:db8:8%u::/48", i);
		put_route(text, RT_TABLE_MAIN, v[i].type, LO, NULL);
		snprintf(text, sizeof(text), "2001:db8:8%u::1", i);
		assert_int_equal(ask(to(text)).error, v[i].error);
	}
	/* throw: on to the next rule. */
	put_route("198.19.0.0/16", RT_TABLE_MAIN, RTN_THROW, 0, NULL);
	assert_int_equal(ask(to("198.19.0.1")).error, -ENETUNREACH);
	put_route("0.0.0.0/0", RT_TABLE_DEFAULT, RTN_UNICAST, B, "10.2.0.2");
	expect(to("198.19.0.1"), RT_TABLE_DEFAULT, B, "10.2.0.2", "10.2.0.1");
}

static void test_hops(void **state)
{
	struct nctl_hop hops[2] = {
		{.oif = A, .weight = 1, .flags = RTNH_F_DEAD | RTNH_F_LINKDOWN}, {.oif = B, .weight = 2}};
	struct nctl_route r = {.table = RT_TABLE_MAIN, .type = RTN_UNICAST, .n_hops = 2, .multipath = true};
	struct nctl_resolve_query q = to("203.0.113.1");

	(void)state;
	r.hops = hops;
	r.dst = prefix("203.0.113.0/24");
	assert_int_equal(nctl_mirror_route_put(m, &r, 0, NCTL_SOURCE_EVENT), 0);
	expect(q, RT_TABLE_MAIN, B, "", "10.2.0.1");
	assert_int_equal(ask(q).n_hops, 1);
	r.dst = prefix("203.0.114.0/24");
	hops[0].flags = RTNH_F_LINKDOWN;
	assert_int_equal(nctl_mirror_route_put(m, &r, 0, NCTL_SOURCE_EVENT), 0);
	q = to("203.0.114.1");
	assert_int_equal(ask(q).n_hops, 2);
	expect(q, RT_TABLE_MAIN, A, "", "10.1.0.9");
	q.ignore_linkdown = true;
	assert_int_equal(ask(q).n_hops, 1);
	expect(q, RT_TABLE_MAIN, B, "", "10.2.0.1");
	q.oif = A;
	/* No hop of the prefix, nor the default, has it: hence the next. */
	expect(q, RT_TABLE_MAIN, A, "10.1.0.2", "10.1.0.9");
}

static void test_nexthops(void **state)
{
	struct nctl_nexthop_member members[] = {{.id = 1, .weight = 3}, {.id = 2, .weight = 1}};
	struct nctl_nexthop n = {.id = 1, .family = AF_INET, .hop = {.oif = B, .weight = 1}};
	struct nctl_route r = {.table = RT_TABLE_MAIN, .type = RTN_UNICAST, .nhid = 3};

	(void)state;
	n.hop.via = prefix("10.2.0.8");
	assert_int_equal(nctl_mirror_nexthop_put(m, &n, NCTL_SOURCE_EVENT), 0);
	n.id = 2;
	n.hop.oif = A;
	n.hop.via = prefix("fe80::9");
	assert_int_equal(nctl_mirror_nexthop_put(m, &n, NCTL_SOURCE_EVENT), 0);
	n = (struct nctl_nexthop){
		.id = 3, .group = true, .n_members = 2, .members = members, .hop = {.weight = 1}};
	assert_int_equal(nctl_mirror_nexthop_put(m, &n, NCTL_SOURCE_EVENT), 0);
	r.dst = prefix("203.0.113.0/24");
	assert_int_equal(nctl_mirror_route_put(m, &r, 0, NCTL_SOURCE_EVENT), 0);
	expect(to("203.0.113.1"), RT_TABLE_MAIN, B, "10.2.0.8", "10.2.0.1");
	assert_int_equal(ask(to("203.0.113.1")).n_hops, 2);
	assert_int_equal(ask(to("203.0.113.1")).hop.weight, 3);
	n = (struct nctl_nexthop){.id = 4, .blackhole = true, .family = AF_INET, .hop = {.weight = 1}};
	assert_int_equal(nctl_mirror_nexthop_put(m, &n, NCTL_SOURCE_EVENT), 0);
	r.nhid = 4;
	r.dst = prefix("203.0.114.0/24");
	assert_int_equal(nctl_mirror_route_put(m, &r, 0, NCTL_SOURCE_EVENT), 0);
	assert_int_equal(ask(to("203.0.114.1")).error, -EINVAL);
}

static void test_rules(void **state)
{
	struct nctl_resolve_query q = to("192.0.2.1");

	(void)state;
	put_route("0.0.0.0/0", 300, RTN_UNICAST, B, "10.2.0.3");
	put_rule((struct nctl_rule){.priority = 10, .has_mark = true, .mark = 5, .mask = 0xFF, .table = 300});
	put_rule((struct nctl_rule){.priority = 20,
		.dst = prefix("192.0.2.0/25"),
		.flags = FIB_RULE_INVERT,
		.has_uids = true,
		.uid_first = 0,
		.uid_last = 999,
		.action = FR_ACT_PROHIBIT});
	put_rule((struct nctl_rule){.priority = 30,
		.ip_proto = 6,
		.has_dport = true,
		.dport = {20, 30},
		.action = FR_ACT_BLACKHOLE});
	put_rule((struct nctl_rule){.priority = 40, .tos = 0x10, .action = FR_ACT_UNREACHABLE});
	put_rule((struct nctl_rule){.priority = 50, .iif = "lo", .oif = "b", .table = 300});
	put_rule((struct nctl_rule){.priority = 60, .iif = "gone", .action = FR_ACT_BLACKHOLE});
	put_rule((struct nctl_rule){.priority = 70, .tun_id = 9, .action = FR_ACT_GOTO, .target = 90});
	put_rule((struct nctl_rule){.priority = 80, .tun_id = 9, .action = FR_ACT_BLACKHOLE});
	put_rule((struct nctl_rule){.priority = 90, .action = FR_ACT_NOP});
	expect(q, RT_TABLE_MAIN, A, "10.1.0.2", "10.1.0.9");
	q.mark = 0x105;
	expect(q, 300, B, "10.2.0.3", "10.2.0.1");
	assert_int_equal(ask(q).rule->priority, 10);
	q.mark = 0;
	q.uid = 1000;
	assert_int_equal(ask(q).error, -EACCES);
	q.uid = 0;
	q.ip_proto = 6;
	q.dport = 22;
	assert_int_equal(ask(q).error, -EINVAL);
	q.dport = 31;
	expect(q, RT_TABLE_MAIN, A, "10.1.0.2", "10.1.0.9");
	q.tos = 0x10;
	assert_int_equal(ask(q).error, -ENETUNREACH);
	q.tos = 0;
	q.oif = B;
	expect(q, 300, B, "10.2.0.3", "10.2.0.1");
	q.oif = 0;
	q.tun_id = 9;
	expect(q, RT_TABLE_MAIN, A, "10.1.0.2", "10.1.0.9");
	/* Not the default of main, nor a route by a link of group 7. */
	put_rule((struct nctl_rule){.priority = 100, .table = RT_TABLE_MAIN, .suppress_prefixlen = 1});
	put_rule((struct nctl_rule){.priority = 110, .table = 300});
	expect(q, 300, B, "10.2.0.3", "10.2.0.1");
	put_route("192.0.2.64/26", RT_TABLE_MAIN, RTN_UNICAST, B, NULL);
	expect(to("192.0.2.65"), RT_TABLE_MAIN, B, "", "10.2.0.1");
	put_route("0.0.0.0/0", 301, RTN_UNICAST, C, NULL);
	put_rule((struct nctl_rule){.priority = 95, .table = 301, .suppress_ifgroup = 7});
	expect(q, 300, B, "10.2.0.3", "10.2.0.1");
}

static void test_vrf(void **state)
{
	struct nctl_resolve_query q = to("192.0.2.1");

	(void)state;
	put_rule((struct nctl_rule){.priority = 1000, .l3mdev = true});
	put_rule((struct nctl_rule){.family = AF_INET6, .priority = 1000, .l3mdev = true});
	put_route("192.0.2.0/24", 700, RTN_UNICAST, C, "10.3.0.2");
	put_route("10.3.0.1/32", 700, RTN_LOCAL, C, NULL);
	expect(q, RT_TABLE_MAIN, A, "10.1.0.2", "10.1.0.9");
	q.oif = VRF;
	expect(q, 700, C, "10.3.0.2", "10.3.0.1");
	q.oif = C;
	expect(q, 700, C, "10.3.0.2", "10.3.0.1");
	q = to("10.3.0.1");
	q.oif = VRF;
	expect(q, 700, VRF, "", "10.3.0.1");
	/* What leads out of the VRF has its source there. */
	q = to("198.51.100.1");
	q.oif = VRF;
	expect(q, RT_TABLE_MAIN, A, "10.1.0.2", "10.3.0.1");
	/* A VRF that is named is a link that is named: the source does not say by which one it goes. */
	q = to("225.1.10.139");
	q.oif = VRF;
	q.src = prefix("10.3.0.1");
	assert_int_equal(ask(q).hop.oif, A);
	assert_int_equal(ask(q).type, RTN_MULTICAST);
	q.dst = prefix("224.0.0.5");
	assert_int_equal(ask(q).hop.oif, VRF);
	q = to("fe80::77");
	q.oif = VRF;
	assert_int_equal(ask(q).error, -ENETUNREACH);
	q = to("192.0.2.1");
	q.iif = C;
	q.src = prefix("10.3.0.9");
	expect(q, 700, C, "10.3.0.2", "");
}

static void test_inet6(void **state)
{
	struct nctl_hop hop = {.oif = B, .weight = 1};
	struct nctl_route r = {
		.table = RT_TABLE_MAIN, .type = RTN_UNICAST, .n_hops = 1, .metric = 1024, .hops = &hop};
	struct nctl_resolve_query q = to("2001:db8:2::55");

	(void)state;
	/* Another device of the same prefix, higher preference: it wins over order. */
	r.dst = prefix("2001:db8:2::/48");
	hop.via = prefix("2001:db8:2::77");
	assert_int_equal(nctl_mirror_route_put(m, &r, NLM_F_APPEND, NCTL_SOURCE_EVENT), 0);
	expect(q, RT_TABLE_MAIN, B, "2001:db8:2::77", "2001:db8:2::1");
	/* Routes for one source hide those beside them, but not on the way back. */
	r.dst = prefix("2001:db8:2::/64");
	r.src = prefix("2001:db8:1::/64");
	hop.via = prefix("2001:db8:2::78");
	assert_int_equal(nctl_mirror_route_put(m, &r, NLM_F_APPEND, NCTL_SOURCE_EVENT), 0);
	r.src = NCTL_PREFIX_NULL;
	hop.via = prefix("2001:db8:2::79");
	assert_int_equal(nctl_mirror_route_put(m, &r, NLM_F_APPEND, NCTL_SOURCE_EVENT), 0);
	expect(q, RT_TABLE_MAIN, B, "2001:db8:2::77", "2001:db8:2::1");
	q.src = prefix("2001:db8:1::1");
	expect(q, RT_TABLE_MAIN, B, "2001:db8:2::78", "2001:db8:2::1");
}

static void test_json(void **state)
{
	struct nctl_resolve_query q = to("192.0.2.1");
	struct nctl_names names = nctl_mirror_names(m);
	struct nctl_strbuf out = NCTL_STRBUF_INIT;
	struct nctl_resolved r = ask(q);
	struct nctl_json json;

	(void)state;
	nctl_json_init(&json, &out);
	nctl_resolved_json(&q, &r, &names, &json);
	assert_string_equal(nctl_strbuf_str(&out), "{\"type\":\"unicast\",\"dst\":\"192.0.2.1\",\"gateway\":"
	                                           "\"10.1.0.2\",\"dev\":\"a\",\"table\":"
						   "\"main\",\"prefsrc\":\"10.1.0.9\",\"flags\":[],\"uid\":0,"
	                                           "\"cache\":[],\"prefix\":\"default\","
						   "\"rule\":32766}");
	nctl_strbuf_reset(&out);
	q = to("2001:db8:8::1");
	q.oif = B;
	r = ask(q);
	nctl_json_init(&json, &out);
	nctl_resolved_json(&q, &r, &names, &json);
	assert_string_equal(nctl_strbuf_str(&out), "{\"dst\":\"2001:db8:8::1\",\"error\":-101}");
	nctl_strbuf_fini(&out);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_plain, setup, teardown),
		cmocka_unit_test_setup_teardown(test_types, setup, teardown),
		cmocka_unit_test_setup_teardown(test_hops, setup, teardown),
		cmocka_unit_test_setup_teardown(test_nexthops, setup, teardown),
		cmocka_unit_test_setup_teardown(test_rules, setup, teardown),
		cmocka_unit_test_setup_teardown(test_vrf, setup, teardown),
		cmocka_unit_test_setup_teardown(test_inet6, setup, teardown),
		cmocka_unit_test_setup_teardown(test_json, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
