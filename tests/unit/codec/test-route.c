/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: messages of routes, next hops, rules and neighbours to values and back: random ones, attribute for
 * attribute; the order and the number of the unknown; every attribute of a wrong size; random damage.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <linux/fib_rules.h>
#include <linux/neighbour.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>

#include "base/cleanup.h"
#include "gen-route.h"
#include "gen.h"

struct out {
	uint32_t buf[16384];
	struct nctl_msgbuf msg;
};

static void out_init(struct out *o)
{
	nctl_msgbuf_init(&o->msg, o->buf, sizeof(o->buf));
}

static struct nlmsghdr *out_take(struct out *o)
{
	assert_int_equal(nctl_msg_commit(&o->msg, 1), 0);
	return (void *)o->buf;
}

/* Both have been encoded from what should be the same. */
static void expect_same(const struct out *a, const struct out *b)
{
	assert_int_equal(a->msg.len, b->msg.len);
	assert_memory_equal(a->buf, b->buf, a->msg.len);
}

static struct out first, second;

static void test_round_trip(void **state)
{
	struct nctl_route_scratch s = NCTL_ROUTE_SCRATCH_INIT;
	uint64_t rng = gen_seed();
	struct nctl_nexthop na, nb;
	struct nctl_route a, b;
	struct nctl_rule ra, rb;
	struct gen_box box;

	(void)state;
	for (int i = 0; i < 3000; i++) {
		gen_route(&a, &box, &rng);
		out_init(&first);
		nctl_route_encode_state(&a, &first.msg);
		assert_int_equal(nctl_route_decode(out_take(&first), &s, &b), 0);
		assert_int_equal(nctl_route_diff(&a, &b), 0);
		assert_true(nctl_prefix_equal(&a.dst, &b.dst) && nctl_prefix_equal(&a.src, &b.src));
		assert_int_equal(a.table, b.table);
		out_init(&second);
		nctl_route_encode_state(&b, &second.msg);
		out_take(&second);
		expect_same(&first, &second);

		gen_nexthop(&na, &box, &rng);
		out_init(&first);
		nctl_nexthop_encode_state(&na, &first.msg);
		assert_int_equal(nctl_nexthop_decode(out_take(&first), &s, &nb), 0);
		assert_false(nctl_nexthop_differs(&na, &nb, true));

		gen_rule(&ra, &box, &rng);
		out_init(&first);
		nctl_rule_encode_state(&ra, &first.msg);
		assert_int_equal(nctl_rule_decode(out_take(&first), &s, &rb), 0);
		assert_true(nctl_rule_equal(&ra, &rb, true));
	}
	nctl_route_scratch_fini(&s);
}

static void test_neigh(void **state)
{
	struct nctl_route_scratch s = NCTL_ROUTE_SCRATCH_INIT;
	uint64_t rng = gen_seed();
	struct nctl_neigh a, b;
	struct gen_box box;

	(void)state;
	for (int i = 0; i < 3000; i++) {
		out_init(&first);
		gen_neigh(&a, &box, &first.msg, &rng);
		assert_int_equal(nctl_neigh_decode(out_take(&first), &s, &b), 0);
		assert_true(nctl_bytes_equal(a.rest, b.rest));
		a.rest = b.rest = NCTL_BYTES_NULL;
		assert_memory_equal(&a.dst, &b.dst, sizeof(a.dst));
		assert_true(nctl_lladdr_equal(&a.lladdr, &b.lladdr));
		assert_int_equal(a.family, b.family);
		assert_int_equal(a.ifindex, b.ifindex);
		assert_int_equal(a.flags, b.flags);
		assert_int_equal(a.ext_flags, b.ext_flags);
		assert_int_equal(a.state, b.state);
		assert_int_equal(a.master, b.master);
		assert_int_equal(a.via, b.via);
		assert_int_equal(a.protocol, b.protocol);
		assert_int_equal(a.vlan, b.vlan);
		assert_int_equal(a.port, b.port);
		assert_int_equal(a.vni, b.vni);
		assert_int_equal(a.src_vni, b.src_vni);
		assert_int_equal(a.nhid, b.nhid);
		assert_int_equal(a.probes, b.probes);
		assert_int_equal(a.used * 100 + a.confirmed * 10 + a.updated, 721);
		assert_int_equal(b.used * 100 + b.confirmed * 10 + b.updated, 721);
	}
	nctl_route_scratch_fini(&s);
}

/* Each difference has the bit of what differs, and state none but its own. */
static void test_diff(void **state)
{
	struct nctl_hop hop = {.oif = 7, .weight = 1}, other = hop;
	struct nctl_route a = {.table = 254, .n_hops = 1, .hops = &hop}, b = a;

	(void)state;
	b.hops = &other;
	assert_int_equal(nctl_route_diff(&a, &b), 0);
	other.flags = RTNH_F_DEAD | RTNH_F_LINKDOWN;
	b.flags = other.flags;
	assert_int_equal(nctl_route_diff(&a, &b), NCTL_ROUTE_BIT(STATE));
	assert_true(nctl_hop_equal(&hop, &other, false));
	assert_false(nctl_hop_equal(&hop, &other, true));
	other.flags = RTNH_F_ONLINK;
	assert_int_equal(nctl_route_diff(&a, &b), NCTL_ROUTE_BIT(FLAGS));
	other = hop;
	other.oif = 8;
	b.protocol = 9;
	b.expires = 10;
	b.error = 11;
	assert_int_equal(nctl_route_diff(&a, &b), NCTL_ROUTE_BIT(HOPS) | NCTL_ROUTE_BIT(PROTOCOL));
	assert_false(nctl_hop_same(&hop, &other));
	b = a;
	b.multipath = true;
	assert_int_equal(nctl_route_diff(&a, &b), NCTL_ROUTE_BIT(HOPS));
	b = a;
	b.scope = b.type = b.tos = 1;
	b.metric = b.mark = b.iif = b.realms = b.nhid = 1;
	b.has_pref = true;
	assert_int_equal(nctl_route_diff(&a, &b),
		NCTL_ROUTE_BIT(SCOPE) | NCTL_ROUTE_BIT(TYPE) | NCTL_ROUTE_BIT(TOS) | NCTL_ROUTE_BIT(METRIC) |
			NCTL_ROUTE_BIT(MARK) | NCTL_ROUTE_BIT(IIF) | NCTL_ROUTE_BIT(REALMS) |
			NCTL_ROUTE_BIT(NHID) | NCTL_ROUTE_BIT(PREF));
}

/* One attribute of n bytes behind a header of the right size. */
static int decode_one(uint16_t type, uint8_t family, uint16_t attr, const void *data, size_t n)
{
	struct nctl_route_scratch s = NCTL_ROUTE_SCRATCH_INIT;
	uint8_t header[sizeof(struct rtmsg)] = {family};
	struct nctl_nexthop nexthop;
	struct nctl_route route;
	struct nctl_neigh neigh;
	struct nctl_rule rule;
	int r = -1;

	out_init(&first);
	/* An address needs its length. */
	if (type == RTM_NEWROUTE || type == RTM_NEWRULE)
		header[1] = header[2] = 0;
	nctl_msg_begin(&first.msg, type, 0, header, type == RTM_NEWNEXTHOP ? 8 : sizeof(header));
	if (type == RTM_NEWNEXTHOP && attr != NHA_ID)
		nctl_msg_put_u32(&first.msg, NHA_ID, 1);
	nctl_msg_put(&first.msg, attr, data, n);
	out_take(&first);
	switch (type) {
	case RTM_NEWROUTE:
		r = nctl_route_decode((void *)first.buf, &s, &route);
		break;
	case RTM_NEWRULE:
		r = nctl_rule_decode((void *)first.buf, &s, &rule);
		break;
	case RTM_NEWNEXTHOP:
		r = nctl_nexthop_decode((void *)first.buf, &s, &nexthop);
		break;
	case RTM_NEWNEIGH:
		r = nctl_neigh_decode((void *)first.buf, &s, &neigh);
		break;
	}
	nctl_route_scratch_fini(&s);
	return r;
}

/* Every attribute that is known, with every size: only the right ones are taken. */
static void test_sizes(void **state)
{
	static const struct {
		uint16_t type, attr, from, to, step;
	} v[] = {
		{RTM_NEWROUTE, RTA_DST, 4, 4, 1},
		{RTM_NEWROUTE, RTA_SRC, 4, 4, 1},
		{RTM_NEWROUTE, RTA_IIF, 4, 4, 1},
		{RTM_NEWROUTE, RTA_OIF, 4, 4, 1},
		{RTM_NEWROUTE, RTA_GATEWAY, 4, 4, 1},
		{RTM_NEWROUTE, RTA_PRIORITY, 4, 4, 1},
		{RTM_NEWROUTE, RTA_PREFSRC, 4, 4, 1},
		{RTM_NEWROUTE, RTA_FLOW, 4, 4, 1},
		{RTM_NEWROUTE, RTA_TABLE, 4, 4, 1},
		{RTM_NEWROUTE, RTA_MARK, 4, 4, 1},
		{RTM_NEWROUTE, RTA_PREF, 1, 1, 1},
		{RTM_NEWROUTE, RTA_ENCAP_TYPE, 2, 2, 1},
		{RTM_NEWROUTE, RTA_EXPIRES, 4, 4, 1},
		{RTM_NEWROUTE, RTA_NH_ID, 4, 4, 1},
		{RTM_NEWROUTE, RTA_CACHEINFO, sizeof(struct rta_cacheinfo), UINT16_MAX, 1},
		{RTM_NEWRULE, FRA_DST, 4, 4, 1},
		{RTM_NEWRULE, FRA_SRC, 4, 4, 1},
		{RTM_NEWRULE, FRA_GOTO, 4, 4, 1},
		{RTM_NEWRULE, FRA_PRIORITY, 4, 4, 1},
		{RTM_NEWRULE, FRA_FWMARK, 4, 4, 1},
		{RTM_NEWRULE, FRA_FWMASK, 4, 4, 1},
		{RTM_NEWRULE, FRA_FLOW, 4, 4, 1},
		{RTM_NEWRULE, FRA_TUN_ID, 8, 8, 1},
		{RTM_NEWRULE, FRA_SUPPRESS_IFGROUP, 4, 4, 1},
		{RTM_NEWRULE, FRA_SUPPRESS_PREFIXLEN, 4, 4, 1},
		{RTM_NEWRULE, FRA_TABLE, 4, 4, 1},
		{RTM_NEWRULE, FRA_L3MDEV, 1, 1, 1},
		{RTM_NEWRULE, FRA_UID_RANGE, 8, 8, 1},
		{RTM_NEWRULE, FRA_PROTOCOL, 1, 1, 1},
		{RTM_NEWRULE, FRA_IP_PROTO, 1, 1, 1},
		{RTM_NEWRULE, FRA_SPORT_RANGE, 4, 4, 1},
		{RTM_NEWRULE, FRA_DPORT_RANGE, 4, 4, 1},
		{RTM_NEWRULE, 25 /* FRA_DSCP */, 1, 1, 1},
		{RTM_NEWNEXTHOP, NHA_ID, 4, 4, 1},
		{RTM_NEWNEXTHOP, NHA_GROUP, 8, UINT16_MAX, 8},
		{RTM_NEWNEXTHOP, NHA_GROUP_TYPE, 2, 2, 1},
		{RTM_NEWNEXTHOP, NHA_BLACKHOLE, 0, 0, 1},
		{RTM_NEWNEXTHOP, NHA_FDB, 0, 0, 1},
		{RTM_NEWNEXTHOP, NHA_OIF, 4, 4, 1},
		{RTM_NEWNEXTHOP, NHA_GATEWAY, 4, 16, 12},
		{RTM_NEWNEXTHOP, NHA_ENCAP_TYPE, 2, 2, 1},
		{RTM_NEWNEIGH, NDA_DST, 4, 4, 1},
		{RTM_NEWNEIGH, NDA_LLADDR, 0, NCTL_LLADDR_MAX, 1},
		{RTM_NEWNEIGH, NDA_CACHEINFO, sizeof(struct nda_cacheinfo), UINT16_MAX, 1},
		{RTM_NEWNEIGH, NDA_PROBES, 4, 4, 1},
		{RTM_NEWNEIGH, NDA_VLAN, 2, 2, 1},
		{RTM_NEWNEIGH, NDA_PORT, 2, 2, 1},
		{RTM_NEWNEIGH, NDA_VNI, 4, 4, 1},
		{RTM_NEWNEIGH, NDA_SRC_VNI, 4, 4, 1},
		{RTM_NEWNEIGH, NDA_IFINDEX, 4, 4, 1},
		{RTM_NEWNEIGH, NDA_MASTER, 4, 4, 1},
		{RTM_NEWNEIGH, NDA_PROTOCOL, 1, 1, 1},
		{RTM_NEWNEIGH, NDA_NH_ID, 4, 4, 1},
		{RTM_NEWNEIGH, NDA_FLAGS_EXT, 4, 4, 1},
	};
	static const uint8_t data[80] = {1}; /* a number, but not 0 */
	bool fits;

	(void)state;
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(v); i++) {
		for (size_t n = 0; n <= sizeof(data); n++) {
			fits = n >= v[i].from && n <= v[i].to && (n - v[i].from) % v[i].step == 0;
			if (decode_one(v[i].type, AF_INET, v[i].attr, data, n) != (fits ? 0 : -EBADMSG))
				fail_msg("message %u, attribute %u of %zu bytes", v[i].type, v[i].attr, n);
		}
	}
}

static void test_malformed(void **state)
{
	static const uint8_t nest_over[] = {9, 0, 1, 0, 0, 0, 0, 0}, nest_short[] = {3, 0, 1, 0};
	static const uint8_t via_family[] = {99, 0, 1, 2, 3, 4}, via_short[] = {2, 0, 1, 2, 3};
	static const uint8_t via[] = {10, 0, [17] = 1}, long_name[16] = "abcdefghijklmnop";
	/* hops: too short for itself, longer than there is, with an attribute that is too long */
	static const uint8_t hop_short[] = {7, 0, 0, 0, 1, 0, 0, 0}, hop_long[] = {9, 0, 0, 0, 1, 0, 0, 0};
	static const uint8_t hop_attr[] = {12, 0, 0, 0, 1, 0, 0, 0, 5, 0, 5, 0};
	static const uint8_t weight[] = {1, 0, 0, 0, 255, 255, 0, 0}, dscp[] = {64};

	(void)state;
	assert_int_equal(decode_one(RTM_NEWROUTE, AF_INET, RTA_METRICS, nest_over, 8), -EBADMSG);
	assert_int_equal(decode_one(RTM_NEWROUTE, AF_INET, RTA_METRICS, nest_short, 4), -EBADMSG);
	assert_int_equal(decode_one(RTM_NEWROUTE, AF_INET, RTA_ENCAP, nest_over, 8), -EBADMSG);
	assert_int_equal(decode_one(RTM_NEWNEXTHOP, AF_INET, NHA_ENCAP, nest_over, 8), -EBADMSG);
	assert_int_equal(decode_one(RTM_NEWNEXTHOP, AF_INET, NHA_RES_GROUP, nest_over, 8), -EBADMSG);
	assert_int_equal(decode_one(RTM_NEWNEXTHOP, AF_INET, NHA_GROUP, weight, 8), -EBADMSG);
	assert_int_equal(decode_one(RTM_NEWROUTE, AF_INET, RTA_VIA, via, sizeof(via)), 0);
	assert_int_equal(decode_one(RTM_NEWROUTE, AF_INET, RTA_VIA, via_family, 6), -EBADMSG);
	assert_int_equal(decode_one(RTM_NEWROUTE, AF_INET, RTA_VIA, via_short, 5), -EBADMSG);
	assert_int_equal(decode_one(RTM_NEWROUTE, AF_INET, RTA_VIA, via, 1), -EBADMSG);
	assert_int_equal(decode_one(RTM_NEWROUTE, AF_INET, RTA_MULTIPATH, hop_short, 8), -EBADMSG);
	assert_int_equal(decode_one(RTM_NEWROUTE, AF_INET, RTA_MULTIPATH, hop_long, 8), -EBADMSG);
	assert_int_equal(decode_one(RTM_NEWROUTE, AF_INET, RTA_MULTIPATH, hop_long, 5), -EBADMSG);
	assert_int_equal(decode_one(RTM_NEWROUTE, AF_INET, RTA_MULTIPATH, hop_attr, 12), -EBADMSG);
	assert_int_equal(decode_one(RTM_NEWRULE, AF_INET, FRA_IIFNAME, long_name, 16), -EBADMSG);
	assert_int_equal(decode_one(RTM_NEWRULE, AF_INET, FRA_OIFNAME, long_name, 15), -EBADMSG);
	assert_int_equal(decode_one(RTM_NEWRULE, AF_INET, 25, dscp, 1), -EBADMSG);
}

/* Headers that are too short, lengths without an address or beyond it, and what is none of ours. */
static void test_headers(void **state)
{
	struct nctl_route_scratch s = NCTL_ROUTE_SCRATCH_INIT;
	struct rtmsg rtm = {.rtm_family = AF_INET, .rtm_dst_len = 33};
	struct fib_rule_hdr frh = {.family = AF_INET, .src_len = 8};
	struct nctl_route route;
	struct nctl_rule rule;

	(void)state;
	out_init(&first);
	nctl_msg_begin(&first.msg, RTM_NEWROUTE, 0, &rtm, sizeof(rtm));
	nctl_msg_put_u32(&first.msg, RTA_DST, 1);
	assert_int_equal(nctl_route_decode(out_take(&first), &s, &route), -EBADMSG);
	rtm.rtm_dst_len = 8;
	for (int i = 0; i < 4; i++) {
		static const struct rtmsg v[] = {
			{.rtm_family = AF_INET, .rtm_dst_len = 8},
			{.rtm_family = AF_INET6, .rtm_src_len = 8},
			{.rtm_family = AF_INET, .rtm_flags = RTM_F_CLONED},
			{.rtm_family = RTNL_FAMILY_IPMR},
		};

		out_init(&first);
		nctl_msg_begin(&first.msg, RTM_DELROUTE, 0, &v[i], sizeof(rtm));
		assert_int_equal(
			nctl_route_decode(out_take(&first), &s, &route), i < 2 ? -EBADMSG : NCTL_CODEC_SKIP);
		((struct nlmsghdr *)(void *)first.buf)->nlmsg_len -= 4;
		assert_int_equal(nctl_route_decode((void *)first.buf, &s, &route), -EBADMSG);
	}
	assert_int_equal(nctl_rule_decode((void *)first.buf, &s, &rule), NCTL_CODEC_SKIP);
	out_init(&first);
	nctl_msg_begin(&first.msg, RTM_NEWRULE, 0, &frh, sizeof(frh));
	assert_int_equal(nctl_rule_decode(out_take(&first), &s, &rule), -EBADMSG);
	assert_int_equal(nctl_route_decode((void *)first.buf, &s, &route), NCTL_CODEC_SKIP);
	nctl_route_scratch_fini(&s);
}

static void put_unknown(const uint16_t *types, size_t n)
{
	struct rtmsg rtm = {.rtm_family = AF_INET};

	out_init(&first);
	nctl_msg_begin(&first.msg, RTM_NEWROUTE, 0, &rtm, sizeof(rtm));
	for (size_t i = 0; i < n; i++)
		nctl_msg_put(&first.msg, types[i], "abcdefg", types[i] % 7);
	out_take(&first);
}

/* The bytes of what is unknown do not depend on its order; there may be no flood of it. */
static void test_unknown(void **state)
{
	static const uint16_t up[] = {90, 91, 92, 105, 0x3FFF}, mixed[] = {105, 0x3FFF, 91, 90, 92};
	struct nctl_route_scratch s = NCTL_ROUTE_SCRATCH_INIT, t = NCTL_ROUTE_SCRATCH_INIT;
	uint16_t many[65];
	struct nctl_route a, b;

	(void)state;
	put_unknown(up, 5);
	assert_int_equal(nctl_route_decode((void *)first.buf, &s, &a), 0);
	put_unknown(mixed, 5);
	assert_int_equal(nctl_route_decode((void *)first.buf, &t, &b), 0);
	assert_int_equal(a.rest.n, 5 * 4 + 8 + 4 + 4);
	assert_int_equal(nctl_route_diff(&a, &b), 0);
	out_init(&second);
	nctl_route_encode_state(&b, &second.msg);
	assert_int_equal(nctl_route_decode(out_take(&second), &t, &b), 0);
	assert_int_equal(nctl_route_diff(&a, &b), 0);
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(many); i++)
		many[i] = (uint16_t)(200 - i);
	put_unknown(many, 64);
	assert_int_equal(nctl_route_decode((void *)first.buf, &s, &a), 0);
	put_unknown(many, 65);
	assert_int_equal(nctl_route_decode((void *)first.buf, &s, &a), -EBADMSG);
	nctl_route_scratch_fini(&s);
	nctl_route_scratch_fini(&t);
}

/* Not a test of speed (tests/bench has those): says what a decode costs here. */
static void test_cost(void **state)
{
	struct nctl_route r = {.table = RT_TABLE_MAIN, .metric = 20, .protocol = RTPROT_BGP, .n_hops = 1};
	struct nctl_hop hop = {.oif = 7, .weight = 1};
	struct nctl_route_scratch s = NCTL_ROUTE_SCRATCH_INIT;
	struct timespec t0, t1;
	struct nctl_route b;
	double ns;

	(void)state;
	r.type = RTN_UNICAST;
	r.hops = &hop;
	assert_int_equal(nctl_prefix_parse("192.0.2.0/24", 0, &r.dst), 0);
	assert_int_equal(nctl_addr_parse("198.51.100.1", &hop.via), 0);
	out_init(&first);
	nctl_route_encode_state(&r, &first.msg);
	out_take(&first);
	clock_gettime(CLOCK_MONOTONIC, &t0);
	for (int i = 0; i < 1000000; i++)
		assert_int_equal(nctl_route_decode((void *)first.buf, &s, &b), 0);
	clock_gettime(CLOCK_MONOTONIC, &t1);
	ns = (double)(t1.tv_sec - t0.tv_sec) * 1e9 + (double)(t1.tv_nsec - t0.tv_nsec);
	print_message("%5.0f ns a decode\n", ns / 1e6);
	nctl_route_scratch_fini(&s);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_neigh),
		cmocka_unit_test(test_diff),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_malformed),
		cmocka_unit_test(test_headers),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_cost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
