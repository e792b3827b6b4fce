/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: what the kernel changes without a word: each row of the table in lib/mirror/silent.c, as a small story
 * with the routes that are left and the scopes that are suspect then.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/fib_rules.h>
#include <linux/if_addr.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>

#include "mirror/route.h"
#include "test.h"

static const uint32_t RUNNING = IFF_UP | IFF_RUNNING | 0x10000U; /* IFF_LOWER_UP of linux/if.h */

static struct nctl_mirror *setup(void)
{
	struct nctl_mirror *m = NULL;

	assert_int_equal(nctl_mirror_new(&m), 0);
	return m;
}

static void link_is(struct nctl_mirror *m, nctl_ifindex ifindex, const char *name, uint32_t flags)
{
	struct nctl_link l = NCTL_LINK_INIT;

	l.ifindex = ifindex;
	l.flags = flags;
	l.mtu = 1500;
	l.has = NCTL_LINK_BIT(NAME) | NCTL_LINK_BIT(FLAGS) | NCTL_LINK_BIT(MTU);
	snprintf(l.name, sizeof(l.name), "%s", name);
	assert_int_equal(nctl_mirror_link_put(m, &l, NCTL_SOURCE_EVENT), 0);
}

static void up(struct nctl_mirror *m, nctl_ifindex ifindex)
{
	char name[16];

	snprintf(name, sizeof(name), "link%u", ifindex);
	link_is(m, ifindex, name, RUNNING);
}

static struct nctl_addr address(nctl_ifindex ifindex, const char *text)
{
	struct nctl_addr a = NCTL_ADDR_INIT;

	a.ifindex = ifindex;
	assert_int_equal(nctl_prefix_parse(text, NCTL_PREFIX_NEED_LENGTH, &a.local), 0);
	return a;
}

/* Through each of the links; nhid and source unless 0 and NULL. */
static void route(struct nctl_mirror *m, const char *dst, nctl_ifindex one, nctl_ifindex two, nctl_nhid nhid,
	const char *source)
{
	struct nctl_hop hops[2] = {{.oif = one, .weight = 1}, {.oif = two, .weight = 1}};
	struct nctl_route r = {.table = RT_TABLE_MAIN, .protocol = RTPROT_STATIC, .type = RTN_UNICAST};
	const char *via;

	assert_int_equal(nctl_prefix_parse(dst, NCTL_PREFIX_NEED_LENGTH, &r.dst), 0);
	via = r.dst.family == AF_INET ? "192.0.2.1" : "2001:db8::1";
	assert_int_equal(nctl_addr_parse(via, &hops[0].via), 0);
	hops[1].via = hops[0].via;
	if (source)
		assert_int_equal(nctl_addr_parse(source, &r.prefsrc), 0);
	r.nhid = nhid;
	r.hops = hops;
	r.n_hops = two ? 2 : one ? 1 : 0;
	r.multipath = two;
	assert_int_equal(nctl_mirror_route_put(m, &r, NLM_F_CREATE | NLM_F_EXCL, NCTL_SOURCE_EVENT), 0);
}

/* What is there of a route: "" nothing, else its hops and their state. */
static const char *show(const struct nctl_mirror *m, const char *dst, char buf[64])
{
	struct nctl_prefix p;
	struct nctl_route v;
	nctl_route_ref ref;
	size_t n = 0;

	buf[0] = 0;
	assert_int_equal(nctl_prefix_parse(dst, NCTL_PREFIX_NEED_LENGTH, &p), 0);
	ref = nctl_mirror_route_get(m, RT_TABLE_MAIN, &p);
	if (!ref)
		return buf;
	nctl_mirror_route_view(m, ref, &v);
	if (v.nhid)
		n += (size_t)snprintf(buf, 64, "nhid%u", v.nhid);
	for (uint32_t i = 0; i < v.n_hops; i++)
		n += (size_t)snprintf(buf + n, 64 - n, "%s%u%s%s", n ? " " : "", v.hops[i].oif,
			v.hops[i].flags & RTNH_F_DEAD ? "dead" : "",
			v.hops[i].flags & RTNH_F_LINKDOWN ? "down" : "");
	if (v.prefsrc.family != AF_UNSPEC)
		snprintf(buf + n, 64 - n, " src");
	return buf;
}

static void assert_route(const struct nctl_mirror *m, const char *dst, const char *want)
{
	char buf[64];

	assert_string_equal(show(m, dst, buf), want);
}

/* The suspects are these, in any order: "4@7" routes of IPv4 by link 7, "L" links, "N" next hops, "R" rules. */
static void assert_suspects(struct nctl_mirror *m, const char *want)
{
	struct nctl_dump_scope s;
	char one[32], got[128] = "";
	size_t n = 0;

	while (nctl_mirror_next_suspect(m, &s)) {
		if (s.type == NCTL_OBJECT_LINK || s.type == NCTL_OBJECT_NEXTHOP)
			snprintf(one, sizeof(one), s.type == NCTL_OBJECT_LINK ? "L" : "N");
		else if (s.type == NCTL_OBJECT_RULE)
			snprintf(one, sizeof(one), "R");
		else
			snprintf(one, sizeof(one), "%c@%u", s.type == NCTL_OBJECT_ROUTE4 ? '4' : '6', s.oif);
		n += (size_t)snprintf(got + n, sizeof(got) - n, "%s%s", n ? " " : "", one);
	}
	assert_string_equal(got, want);
}

static void work(struct nctl_mirror *m)
{
	while (nctl_mirror_work(m, 1))
		;
}

static void test_link_gone(void **state)
{
	struct nctl_mirror *m = setup();

	(void)state;
	up(m, 7);
	up(m, 8);
	route(m, "10.1.0.0/16", 7, 0, 0, NULL);
	route(m, "10.2.0.0/16", 7, 8, 0, NULL);
	route(m, "10.3.0.0/16", 8, 0, 0, NULL);
	route(m, "2001:db8:1::/48", 7, 0, 0, NULL);
	route(m, "2001:db8:2::/48", 7, 8, 0, NULL);
	assert_int_equal(nctl_mirror_link_drop(m, 7), 0);
	assert_int_equal(nctl_mirror_route_count(m, AF_UNSPEC), 2); /* at once */
	assert_int_equal(nctl_mirror_route_count_link(m, 7), 0);
	work(m);
	assert_route(m, "10.1.0.0/16", "");
	assert_route(m, "10.2.0.0/16", "");
	assert_route(m, "10.3.0.0/16", "8");
	assert_route(m, "2001:db8:1::/48", "");
	assert_route(m, "2001:db8:2::/48", "8");
	assert_int_equal(nctl_mirror_route_count(m, AF_UNSPEC), 2);
	assert_suspects(m, "");
	nctl_mirror_free(m);
}

static void test_link_down(void **state)
{
	struct nctl_mirror *m = setup();

	(void)state;
	up(m, 7);
	up(m, 8);
	route(m, "10.1.0.0/16", 7, 0, 0, NULL);
	route(m, "10.2.0.0/16", 7, 8, 0, NULL);
	route(m, "2001:db8:2::/48", 7, 8, 0, NULL);
	link_is(m, 7, "link7", 0);
	work(m);
	assert_route(m, "10.1.0.0/16", "");
	assert_route(m, "10.2.0.0/16", "7deaddown 8");
	assert_route(m, "2001:db8:2::/48", "7deaddown 8");
	assert_suspects(m, "4@7 6@7");
	up(m, 7);
	assert_route(m, "10.2.0.0/16", "7 8");
	assert_route(m, "2001:db8:2::/48", "7 8");
	assert_suspects(m, "4@7 6@7");
	link_is(m, 7, "link7", 0);
	link_is(m, 8, "link8", 0);
	assert_route(m, "10.2.0.0/16", "");
	nctl_mirror_free(m);
}

static void test_carrier(void **state)
{
	struct nctl_mirror *m = setup();
	struct nctl_nexthop n = {.id = 5, .family = AF_INET, .hop = {.oif = 7, .weight = 1}};

	(void)state;
	up(m, 7);
	route(m, "10.1.0.0/16", 7, 0, 0, NULL);
	route(m, "10.2.0.0/16", 0, 0, 5, NULL);
	assert_int_equal(nctl_mirror_nexthop_put(m, &n, NCTL_SOURCE_EVENT), 0);
	link_is(m, 7, "link7", IFF_UP);
	assert_route(m, "10.1.0.0/16", "7down");
	assert_route(m, "10.2.0.0/16", "");
	assert_null(nctl_mirror_nexthop_get(m, 5));
	assert_suspects(m, "N 4@7 6@7");
	up(m, 7);
	assert_route(m, "10.1.0.0/16", "7");
	assert_suspects(m, "4@7 6@7");
	link_is(m, 7, "link7", RUNNING); /* nothing new */
	assert_suspects(m, "");
	nctl_mirror_free(m);
}

/* Whatever is told of a link without carrier, the objects that were made on it go. */
static void test_no_carrier(void **state)
{
	struct nctl_mirror *m = setup();
	struct nctl_nexthop n = {.id = 5, .family = AF_INET, .hop = {.oif = 7, .weight = 1}};

	(void)state;
	link_is(m, 7, "link7", IFF_UP);
	link_is(m, 8, "link8", IFF_UP);
	up(m, 9);
	assert_int_equal(nctl_mirror_nexthop_put(m, &n, NCTL_SOURCE_EVENT), 0);
	assert_suspects(m, "N"); /* before it is told of, the link may have been once more */
	link_is(m, 8, "link8", IFF_UP);
	up(m, 9);
	assert_suspects(m, "");
	link_is(m, 7, "link7", IFF_UP);
	assert_suspects(m, "N");
	nctl_mirror_free(m);
}

/* Nor has a route any whose other hops are dead. */
static void test_all_down(void **state)
{
	struct nctl_mirror *m = setup();

	(void)state;
	up(m, 7);
	up(m, 8);
	route(m, "10.1.0.0/16", 7, 8, 0, NULL);
	link_is(m, 8, "link8", IFF_UP);
	assert_suspects(m, "4@8 6@8");
	link_is(m, 8, "link8", IFF_UP);
	assert_suspects(m, ""); /* the other one is well */
	link_is(m, 7, "link7", 0);
	assert_route(m, "10.1.0.0/16", "7deaddown 8down");
	assert_suspects(m, "4@7 6@7");
	link_is(m, 8, "link8", IFF_UP);
	assert_suspects(m, "4@8");
	nctl_mirror_free(m);
}

static void test_secondary(void **state)
{
	struct nctl_mirror *m = setup();
	struct nctl_addr one = address(7, "10.0.0.1/24"), two = address(7, "10.0.0.2/24");

	(void)state;
	up(m, 7);
	up(m, 8);
	nctl_mirror_addr_put(m, &one, NCTL_SOURCE_EVENT);
	nctl_mirror_addr_put(m, &two, NCTL_SOURCE_EVENT);
	route(m, "10.1.0.0/16", 8, 0, 0, "10.0.0.1");
	route(m, "10.2.0.0/16", 8, 0, 0, "10.0.0.2");
	route(m, "10.3.0.0/16", 0, 0, 0, "10.0.0.2");
	nctl_mirror_addr_drop(m, &one);
	assert_route(m, "10.1.0.0/16", "");
	assert_suspects(m, "");
	two.flags |= IFA_F_SECONDARY;
	nctl_mirror_addr_drop(m, &two);
	assert_route(m, "10.2.0.0/16", "8 src");
	assert_route(m, "10.3.0.0/16", " src");
	assert_suspects(m, "4@8 4@0");
	nctl_mirror_free(m);
}

static void test_address(void **state)
{
	struct nctl_mirror *m = setup();
	struct nctl_addr one = address(7, "10.0.0.1/24"), two = address(7, "10.0.1.1/24");
	struct nctl_addr six = address(7, "2001:db8::7/64");

	(void)state;
	up(m, 7);
	nctl_mirror_addr_put(m, &one, NCTL_SOURCE_EVENT);
	nctl_mirror_addr_put(m, &two, NCTL_SOURCE_EVENT);
	nctl_mirror_addr_put(m, &six, NCTL_SOURCE_EVENT);
	route(m, "10.1.0.0/16", 7, 0, 0, "10.0.0.1");
	route(m, "10.2.0.0/16", 7, 0, 0, "10.0.1.1");
	route(m, "2001:db8:1::/48", 7, 0, 0, "2001:db8::7");
	nctl_mirror_addr_drop(m, &one);
	assert_route(m, "10.1.0.0/16", "");
	assert_route(m, "10.2.0.0/16", "7 src");
	assert_suspects(m, "");
	nctl_mirror_addr_drop(m, &six);
	assert_route(m, "2001:db8:1::/48", "7");
	assert_suspects(m, "6@7");
	/* Without any address there is no IPv4 on the link. */
	route(m, "10.3.0.0/16", 7, 0, 0, NULL);
	nctl_mirror_addr_drop(m, &two);
	assert_route(m, "10.3.0.0/16", "");
	work(m);
	assert_int_equal(nctl_mirror_route_count(m, AF_UNSPEC), 1);
	nctl_mirror_free(m);
}

/* IPv4 is on again with the first address: what was dead there is not any more. */
static void test_first_address(void **state)
{
	struct nctl_mirror *m = setup();
	struct nctl_addr one = address(7, "10.0.0.1/24"), two = address(7, "10.0.1.1/24");

	(void)state;
	up(m, 7);
	up(m, 8);
	nctl_mirror_addr_put(m, &one, NCTL_SOURCE_EVENT);
	route(m, "10.1.0.0/16", 7, 8, 0, NULL);
	nctl_mirror_addr_drop(m, &one);
	assert_route(m, "10.1.0.0/16", "7deaddown 8");
	assert_suspects(m, "4@7");
	nctl_mirror_addr_put(m, &one, NCTL_SOURCE_EVENT);
	assert_route(m, "10.1.0.0/16", "7 8");
	assert_suspects(m, "4@7");
	nctl_mirror_addr_put(m, &two, NCTL_SOURCE_EVENT);
	assert_suspects(m, "");
	nctl_mirror_free(m);
}

/* A dump knew already that it is gone, and then come the events: of a route, and of its end. */
static void test_late_address(void **state)
{
	struct nctl_mirror *m = setup();
	struct nctl_addr one = address(7, "10.0.0.1/24"), other = address(9, "10.0.1.1/24");

	(void)state;
	up(m, 7);
	up(m, 8);
	route(m, "10.1.0.0/16", 7, 0, 0, NULL);
	route(m, "10.2.0.0/16", 8, 0, 0, "10.0.0.1");
	route(m, "10.3.0.0/16", 8, 0, 0, "10.0.1.1");
	nctl_mirror_addr_drop(m, &one);
	assert_route(m, "10.1.0.0/16", "");
	assert_route(m, "10.2.0.0/16", "");
	assert_suspects(m, "4@7");
	/* Its link is gone as well, and whether that was in a VRF. */
	nctl_mirror_addr_drop(m, &other);
	assert_route(m, "10.3.0.0/16", "8 src");
	assert_suspects(m, "4@8");
	nctl_mirror_free(m);
}

/* A wider local route has the address still. */
static void test_local(void **state)
{
	struct nctl_mirror *m = setup();
	struct nctl_addr one = address(7, "10.0.0.1/24"), two = address(7, "10.0.1.1/24");
	struct nctl_hop hop = {.oif = 8, .weight = 1};
	struct nctl_route local = {.table = RT_TABLE_LOCAL,
		.type = RTN_LOCAL,
		.scope = RT_SCOPE_HOST,
		.hops = &hop,
		.n_hops = 1};

	(void)state;
	up(m, 7);
	up(m, 8);
	nctl_mirror_addr_put(m, &one, NCTL_SOURCE_EVENT);
	nctl_mirror_addr_put(m, &two, NCTL_SOURCE_EVENT);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(nctl_prefix_parse(i ? "10.0.1.1/32" : "10.0.0.0/24",
					 NCTL_PREFIX_NEED_LENGTH, &local.dst),
			0);
		assert_int_equal(nctl_mirror_route_put(m, &local, NLM_F_CREATE, NCTL_SOURCE_EVENT), 0);
	}
	route(m, "10.1.0.0/16", 8, 0, 0, "10.0.0.1");
	route(m, "10.2.0.0/16", 8, 0, 0, "10.0.1.1");
	nctl_mirror_addr_drop(m, &one);
	assert_route(m, "10.1.0.0/16", "8 src");
	assert_suspects(m, "4@8");
	nctl_mirror_addr_drop(m, &two);
	assert_route(m, "10.2.0.0/16", "");
	assert_suspects(m, "");
	nctl_mirror_free(m);
}

static void put_group(struct nctl_mirror *m, nctl_nhid id, nctl_nhid a, nctl_nhid b)
{
	struct nctl_nexthop_member members[2] = {{a, 1}, {b, 1}};
	struct nctl_nexthop n = {.id = id, .group = true, .members = members, .n_members = b ? 2 : 1};

	assert_int_equal(nctl_mirror_nexthop_put(m, &n, NCTL_SOURCE_EVENT), 0);
}

static void test_nexthops(void **state)
{
	struct nctl_mirror *m = setup();
	struct nctl_nexthop n = {.id = 1, .family = AF_INET, .hop = {.oif = 7, .weight = 1}};

	(void)state;
	up(m, 7);
	up(m, 8);
	nctl_mirror_nexthop_put(m, &n, NCTL_SOURCE_EVENT);
	n.id = 2;
	n.hop.oif = 8;
	nctl_mirror_nexthop_put(m, &n, NCTL_SOURCE_EVENT);
	put_group(m, 10, 1, 2);
	put_group(m, 11, 1, 0);
	route(m, "10.1.0.0/16", 7, 8, 10, NULL);
	route(m, "10.2.0.0/16", 0, 0, 11, NULL);
	route(m, "10.3.0.0/16", 8, 0, 2, NULL);
	assert_int_equal(nctl_mirror_nexthop_drop(m, 1), 0);
	assert_null(nctl_mirror_nexthop_get(m, 11)); /* with its last member */
	assert_int_equal(nctl_mirror_nexthop_get(m, 10)->n_members, 1);
	assert_route(m, "10.1.0.0/16", "nhid10 7 8");
	assert_route(m, "10.2.0.0/16", "");
	assert_suspects(m, "4@7 4@8"); /* the route through the group shows less */
	assert_int_equal(nctl_mirror_link_drop(m, 8), 0);
	assert_int_equal(nctl_mirror_nexthop_count(m), 0);
	work(m);
	assert_int_equal(nctl_mirror_route_count(m, AF_UNSPEC), 0);
	nctl_mirror_free(m);
}

static uint32_t rule_flags(const struct nctl_mirror *m, size_t nth)
{
	return nctl_mirror_rule_at(m, AF_INET, nth)->flags;
}

static void test_rules(void **state)
{
	struct nctl_mirror *m = setup();
	struct nctl_rule a = {.family = AF_INET,
		.action = FR_ACT_TO_TBL,
		.priority = 200,
		.iif = "link7",
		.flags = FIB_RULE_IIF_DETACHED,
		.table = 5};
	struct nctl_rule b = {.family = AF_INET,
		.action = FR_ACT_GOTO,
		.priority = 100,
		.target = 300,
		.flags = FIB_RULE_UNRESOLVED};
	struct nctl_rule c = {.family = AF_INET, .action = FR_ACT_TO_TBL, .priority = 300, .table = 6};

	(void)state;
	nctl_mirror_rule_put(m, &a, NCTL_SOURCE_EVENT);
	nctl_mirror_rule_put(m, &b, NCTL_SOURCE_EVENT);
	assert_int_equal(nctl_mirror_rule_at(m, AF_INET, 0)->priority, 100);
	assert_null(nctl_mirror_rule_at(m, AF_INET, 2));
	assert_null(nctl_mirror_rule_at(m, AF_INET6, 0));
	assert_int_equal(nctl_mirror_rule_count(m, AF_INET), 2);
	up(m, 7);
	assert_int_equal(rule_flags(m, 1), 0);
	link_is(m, 7, "other", RUNNING);
	assert_int_equal(rule_flags(m, 1), FIB_RULE_IIF_DETACHED);
	link_is(m, 7, "link7", RUNNING);
	assert_int_equal(rule_flags(m, 1), 0);
	nctl_mirror_link_drop(m, 7);
	assert_int_equal(rule_flags(m, 1), FIB_RULE_IIF_DETACHED);
	nctl_mirror_rule_put(m, &c, NCTL_SOURCE_EVENT);
	assert_int_equal(rule_flags(m, 0), 0);
	nctl_mirror_rule_drop(m, &c);
	assert_int_equal(rule_flags(m, 0), FIB_RULE_UNRESOLVED);
	assert_int_equal(nctl_mirror_rule_count(m, AF_UNSPEC), 2);
	nctl_mirror_free(m);
}

/* A rule may know a link by a name that is not the link's own, until that link goes. */
static void test_altname_rules(void **state)
{
	struct nctl_mirror *m = setup();
	struct nctl_rule r = {.family = AF_INET, .action = FR_ACT_TO_TBL, .priority = 200, .oif = "other"};

	(void)state;
	up(m, 7);
	up(m, 8);
	up(m, 9);
	nctl_mirror_rule_put(m, &r, NCTL_SOURCE_EVENT);
	assert_suspects(m, "R");
	nctl_mirror_dump_begin(m, &(struct nctl_dump_scope){.type = NCTL_OBJECT_RULE});
	nctl_mirror_rule_put(m, &r, NCTL_SOURCE_DUMP);
	nctl_mirror_dump_end(m, true);
	assert_int_equal(rule_flags(m, 0), 0);
	assert_suspects(m, "");
	nctl_mirror_link_drop(m, 7);
	assert_suspects(m, "R");
	link_is(m, 8, "link80", RUNNING);
	assert_suspects(m, "R");
	r.flags = FIB_RULE_OIF_DETACHED;
	nctl_mirror_dump_begin(m, &(struct nctl_dump_scope){.type = NCTL_OBJECT_RULE});
	nctl_mirror_rule_put(m, &r, NCTL_SOURCE_DUMP);
	nctl_mirror_dump_end(m, true);
	assert_int_equal(rule_flags(m, 0), FIB_RULE_OIF_DETACHED);
	nctl_mirror_link_drop(m, 9);
	assert_suspects(m, "");
	nctl_mirror_free(m);
}

/* Very many scopes of one type become all of it. */
static void test_many_suspects(void **state)
{
	struct nctl_mirror *m = setup();
	struct nctl_dump_scope s;
	unsigned n = 0;

	(void)state;
	for (nctl_ifindex i = 1; i <= 100; i++) {
		char dst[32];

		up(m, i);
		snprintf(dst, sizeof(dst), "10.%u.0.0/16", i);
		route(m, dst, i, 0, 0, NULL);
	}
	for (nctl_ifindex i = 1; i <= 100; i++) {
		char name[16];

		snprintf(name, sizeof(name), "link%u", i);
		link_is(m, i, name, IFF_UP);
	}
	while (nctl_mirror_next_suspect(m, &s)) {
		assert_int_equal(s.oif, 0);
		n++;
	}
	assert_int_equal(n, 2); /* IPv4, IPv6 */
	nctl_mirror_free(m);
}

/* A dump that was taken before a link went does not bring its routes back. */
static void test_late_dump(void **state)
{
	struct nctl_mirror *m = setup();
	struct nctl_hop hop = {.oif = 7, .weight = 1};
	struct nctl_route r = {.table = RT_TABLE_MAIN, .type = RTN_UNICAST, .hops = &hop, .n_hops = 1};

	(void)state;
	up(m, 7);
	assert_int_equal(nctl_prefix_parse("10.1.0.0/16", NCTL_PREFIX_NEED_LENGTH, &r.dst), 0);
	nctl_mirror_dump_begin(m, &(struct nctl_dump_scope){.type = NCTL_OBJECT_ROUTE4});
	nctl_mirror_link_drop(m, 7);
	nctl_mirror_route_put(m, &r, 0, NCTL_SOURCE_DUMP);
	assert_int_equal(nctl_mirror_route_count(m, AF_INET), 0);
	nctl_mirror_dump_end(m, true);
	assert_int_equal(nctl_mirror_get_stats(m)->dump_ignored, 1);
	nctl_mirror_free(m);
}

/* The same of siblings, of which there may be more than the hops on that link. */
static void test_late_siblings(void **state)
{
	struct nctl_mirror *m = setup();
	struct nctl_hop hops[2] = {{.oif = 7, .weight = 1}, {.oif = 8, .weight = 1}};
	struct nctl_route r = {.table = RT_TABLE_MAIN, .type = RTN_UNICAST, .hops = hops, .n_hops = 2};

	(void)state;
	up(m, 7);
	up(m, 8);
	r.multipath = true;
	assert_int_equal(nctl_prefix_parse("2001:db8:1::/48", NCTL_PREFIX_NEED_LENGTH, &r.dst), 0);
	nctl_mirror_dump_begin(m, &(struct nctl_dump_scope){.type = NCTL_OBJECT_ROUTE6});
	nctl_mirror_link_drop(m, 7);
	nctl_mirror_route_put(m, &r, 0, NCTL_SOURCE_DUMP);
	nctl_mirror_dump_end(m, true);
	assert_int_equal(nctl_mirror_route_count(m, AF_INET6), 0);
	assert_suspects(m, "6@7 6@0"); /* the second is the whole table */
	nctl_mirror_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_link_gone),
		cmocka_unit_test(test_link_down),
		cmocka_unit_test(test_carrier),
		cmocka_unit_test(test_no_carrier),
		cmocka_unit_test(test_all_down),
		cmocka_unit_test(test_secondary),
		cmocka_unit_test(test_address),
		cmocka_unit_test(test_first_address),
		cmocka_unit_test(test_late_address),
		cmocka_unit_test(test_local),
		cmocka_unit_test(test_nexthops),
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_altname_rules),
		cmocka_unit_test(test_many_suspects),
		cmocka_unit_test(test_late_dump),
		cmocka_unit_test(test_late_siblings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
