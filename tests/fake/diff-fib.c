/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the generator of requests of the differential test: routes, next-hop objects and rules. Few prefixes,
 * gateways and ids, so that requests meet what earlier ones left.
 */

#include <arpa/inet.h>
#include <string.h>
#include <linux/fib_rules.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>

#include "fake/diff.h"

static void diff_put_ip(struct diff_op *op, uint8_t family, uint16_t attr, const char *text)
{
	uint8_t addr[16];
	inet_pton(family, text, addr);
	diff_say(op, " %s", text);
	fk_put(&op->b, attr, addr, family == AF_INET ? 4 : 16);
}

static const char *diff_gateway(struct diff_gen *g, uint8_t family)
{
	static const char *const four[] = {
		"10.0.0.7", "10.0.0.8", "10.0.1.7", "10.0.0.1", "192.0.2.7", "172.16.0.1"};
	static const char *const six[] = {"2001:db8::7", "2001:db8::8", "fe80::7", "fe80::8", "2001:db8::1",
		"2001:db8:1::7", "2001:db8:77::7"};
	return family == AF_INET ? four[diff_rand(g, diff_chance(g, 90) ? 3 : NCTL_ARRAY_SIZE(four))]
	                         : six[diff_rand(g, diff_chance(g, 90) ? 4 : NCTL_ARRAY_SIZE(six))];
}

static const char *diff_prefix(struct diff_gen *g, uint8_t family, uint8_t *ret_len)
{
	static const struct {
		const char *text;
		uint8_t len;
	} four[] = {{"172.16.0.0", 12}, {"172.16.0.0", 16}, {"172.17.0.0", 16}, {"0.0.0.0", 0},
		{"10.0.0.0", 24}, {"172.16.0.1", 16}, {"172.16.0.0", 33}},
	  six[] = {{"2001:db8:a::", 48}, {"2001:db8:a::", 64}, {"2001:db8:b::", 48}, {"::", 0},
		  {"2001:db8::", 64}, {"2001:db8:a::1", 48}, {"2001:db8:a::", 129}};
	size_t i = diff_rand(g, diff_chance(g, 95) ? 5 : 7);
	*ret_len = family == AF_INET ? four[i].len : six[i].len;
	return family == AF_INET ? four[i].text : six[i].text;
}

static uint32_t diff_table(struct diff_gen *g)
{
	static const uint32_t tables[] = {RT_TABLE_MAIN, 50, 1000, 100, 101};
	return tables[diff_chance(g, 60) ? 0 : diff_rand(g, g->all_kinds ? 5 : 3)];
}

static void diff_put_hop(struct diff_gen *g, struct diff_op *op, uint8_t family)
{
	bool via = diff_chance(g, 70);
	if (via)
		diff_put_ip(op, family, RTA_GATEWAY, diff_gateway(g, family));
	if (!via || diff_chance(g, 60)) {
		int dev = diff_pick(g);
		if (dev == 1 && family == AF_INET6)
			dev = 10; /* becomes a route that rejects, of another type */
		diff_say(op, " dev %d", dev);
		fk_put_u32(&op->b, RTA_OIF, (uint32_t)dev);
	}
}

static void diff_put_multipath(struct diff_gen *g, struct diff_op *op, uint8_t family)
{
	unsigned n = 2 + diff_rand(g, 2);
	size_t nest = fk_nest_begin(&op->b, RTA_MULTIPATH);
	for (unsigned i = 0; i < n; i++) {
		size_t at = op->b.len;
		int dev = diff_chance(g, 60) ? diff_pick(g) : 0;
		struct rtnexthop nh = {
			.rtnh_ifindex = dev, .rtnh_hops = family == AF_INET && diff_chance(g, 30) ? 3 : 0};
		fk_put_raw(&op->b, &nh, sizeof nh);
		diff_say(op, " [dev %d", dev);
		if (family == AF_INET6 || diff_chance(g, 80))
			diff_put_ip(op, family, RTA_GATEWAY, diff_gateway(g, family));
		diff_say(op, "]");
		uint16_t len = (uint16_t)(op->b.len - at);
		memcpy(op->b.p + at, &len, sizeof len);
	}
	fk_nest_end(&op->b, nest);
}

static void diff_put_extras(struct diff_gen *g, struct diff_op *op, uint8_t family)
{
	if (diff_chance(g, 12))
		diff_put_ip(op, family, RTA_PREFSRC,
			family == AF_INET ? (diff_chance(g, 70) ? "10.0.0.1" : "10.0.0.2")
					  : (diff_chance(g, 70) ? "2001:db8::1" : "2001:db8::2"));
	if (!diff_chance(g, 12))
		return;
	size_t nest = fk_nest_begin(&op->b, RTA_METRICS);
	uint32_t mtu = 1300 + 100 * diff_rand(g, 3);
	diff_say(op, " mtu %u", mtu);
	fk_put_u32(&op->b, RTAX_MTU, mtu);
	fk_nest_end(&op->b, nest);
}

static void diff_put_where(struct diff_gen *g, struct diff_op *op, uint8_t family, bool error)
{
	unsigned dice = diff_rand(g, 100);
	if (error)
		return;
	if (dice < 15) {
		uint32_t id = 1 + diff_rand(g, 6);
		diff_say(op, " nhid %u", id);
		fk_put_u32(&op->b, RTA_NH_ID, id);
	} else if (dice < 40) {
		diff_put_multipath(g, op, family);
	} else {
		diff_put_hop(g, op, family);
	}
}

static const char *diff_change(struct diff_gen *g, uint16_t *ret)
{
	static const struct {
		const char *word;
		uint16_t flags;
	} ways[] = {{"add", NLM_F_CREATE | NLM_F_EXCL}, {"append", NLM_F_CREATE | NLM_F_APPEND},
		{"replace", NLM_F_CREATE | NLM_F_REPLACE}, {"prepend", NLM_F_CREATE},
		{"change", NLM_F_REPLACE}, {"test", NLM_F_EXCL}};
	size_t i = diff_chance(g, 45) ? 0 : diff_rand(g, diff_chance(g, 95) ? 5 : 6);
	*ret = ways[i].flags;
	return ways[i].word;
}

void diff_op_route(struct diff_gen *g, struct diff_op *op)
{
	static const uint8_t errors[] = {RTN_BLACKHOLE, RTN_UNREACHABLE, RTN_PROHIBIT, RTN_THROW};
	uint8_t family = diff_chance(g, 55) ? AF_INET : AF_INET6;
	bool error = diff_chance(g, 8);
	uint16_t flags;
	struct rtmsg rtm = {.rtm_family = family, .rtm_protocol = RTPROT_STATIC, .rtm_type = RTN_UNICAST};
	const char *word = diff_change(g, &flags), *dst = diff_prefix(g, family, &rtm.rtm_dst_len);
	uint32_t table = diff_table(g);
	if (error)
		rtm.rtm_type = errors[diff_rand(g, 4)];
	if (family == AF_INET && diff_chance(g, 10))
		rtm.rtm_tos = 16;
	if (family == AF_INET && diff_chance(g, 10))
		rtm.rtm_scope = RT_SCOPE_LINK;
	fk_msg_begin(&op->b, RTM_NEWROUTE, NLM_F_REQUEST | NLM_F_ACK | flags, 0, &rtm, sizeof rtm);
	diff_say(op, "%s route", word);
	if (rtm.rtm_dst_len)
		diff_put_ip(op, family, RTA_DST, dst);
	diff_say(op, "/%u table %u type %u tos %u scope %u", rtm.rtm_dst_len, table, rtm.rtm_type,
		rtm.rtm_tos, rtm.rtm_scope);
	fk_put_u32(&op->b, RTA_TABLE, table);
	if (diff_chance(g, 25)) {
		uint32_t metric = 10 + diff_rand(g, 2);
		diff_say(op, " metric %u", metric);
		fk_put_u32(&op->b, RTA_PRIORITY, metric);
	}
	diff_put_where(g, op, family, error);
	diff_put_extras(g, op, family);
}

void diff_op_unroute(struct diff_gen *g, struct diff_op *op)
{
	uint8_t family = diff_chance(g, 50) ? AF_INET : AF_INET6;
	struct rtmsg rtm = {.rtm_family = family, .rtm_scope = RT_SCOPE_NOWHERE};
	const char *dst = diff_prefix(g, family, &rtm.rtm_dst_len);
	uint32_t table = diff_table(g);
	if (family == AF_INET && diff_chance(g, 5))
		rtm.rtm_tos = 16;
	fk_msg_begin(&op->b, RTM_DELROUTE, NLM_F_REQUEST | NLM_F_ACK, 0, &rtm, sizeof rtm);
	diff_say(op, "del route");
	if (rtm.rtm_dst_len)
		diff_put_ip(op, family, RTA_DST, dst);
	diff_say(op, "/%u table %u", rtm.rtm_dst_len, table);
	fk_put_u32(&op->b, RTA_TABLE, table);
	if (diff_chance(g, 20))
		fk_put_u32(&op->b, RTA_PRIORITY, 10 + diff_rand(g, 2));
	if (diff_chance(g, 40))
		diff_put_where(g, op, family, false);
}

static void diff_put_group(struct diff_gen *g, struct diff_op *op)
{
	struct nexthop_grp m[3] = {0};
	unsigned n = 1 + diff_rand(g, 3);
	for (unsigned i = 0; i < n; i++) {
		m[i].id = 1 + diff_rand(g, diff_chance(g, 95) ? 4 : 7);
		m[i].weight = diff_chance(g, 20) ? 4 : 0;
		diff_say(op, " %u", m[i].id);
	}
	fk_put(&op->b, NHA_GROUP, m, n * sizeof m[0]);
}

/* Ids 1 and 2 are IPv4's, 3 and 4 IPv6's, 5 and 6 groups, mostly. */
void diff_op_nexthop(struct diff_gen *g, struct diff_op *op)
{
	uint32_t id = 1 + diff_rand(g, 6);
	bool add = diff_chance(g, 75), group = id > 4;
	uint8_t family = id <= 2 ? AF_INET : AF_INET6;
	uint16_t flags = NLM_F_REQUEST | NLM_F_ACK;
	if (diff_chance(g, 5)) {
		family = family == AF_INET ? AF_INET6 : AF_INET;
		group = diff_chance(g, 50);
	}
	if (add)
		flags |= diff_chance(g, 50) ? NLM_F_CREATE | NLM_F_EXCL
		                            : NLM_F_REPLACE | (diff_chance(g, 90) ? NLM_F_CREATE : 0);
	struct nhmsg nhm = {
		.nh_family = add && !group ? family : AF_UNSPEC, .nh_protocol = add ? RTPROT_STATIC : 0};
	fk_msg_begin(&op->b, add ? RTM_NEWNEXTHOP : RTM_DELNEXTHOP, flags, 0, &nhm, sizeof nhm);
	diff_say(op, "%s nexthop %u flags %x", add ? "add" : "del", id, flags);
	fk_put_u32(&op->b, NHA_ID, id);
	if (!add)
		return;
	if (group) {
		diff_put_group(g, op);
	} else if (diff_chance(g, 8)) {
		diff_say(op, " blackhole");
		fk_put(&op->b, NHA_BLACKHOLE, NULL, 0);
	} else {
		int dev = diff_pick(g);
		diff_say(op, " dev %d", dev);
		fk_put_u32(&op->b, NHA_OIF, (uint32_t)dev);
		if (diff_chance(g, 75))
			diff_put_ip(op, family, NHA_GATEWAY, diff_gateway(g, family));
	}
}

static void diff_put_rule(
	struct diff_gen *g, struct diff_op *op, uint8_t family, const struct fib_rule_hdr *frh)
{
	static const char *const names[] = {"a0", "a1", "x0", "x1", "lo"};
	uint16_t which = diff_chance(g, 50) ? FRA_IIFNAME : FRA_OIFNAME;
	if (diff_chance(g, 70)) {
		const char *name = names[diff_rand(g, 5)];
		diff_say(op, " %s %s", which == FRA_IIFNAME ? "iif" : "oif", name);
		fk_put_str(&op->b, which, name);
	}
	if (frh->src_len)
		diff_put_ip(op, family, FRA_SRC, family == AF_INET ? "10.0.0.0" : "2001:db8::");
	if (diff_chance(g, 20)) {
		diff_say(op, " mark");
		fk_put_u32(&op->b, FRA_FWMARK, 1 + diff_rand(g, 2));
	}
}

void diff_op_rule(struct diff_gen *g, struct diff_op *op)
{
	bool add = diff_chance(g, 70), jump = diff_chance(g, 15);
	uint8_t family = diff_chance(g, 50) ? AF_INET : AF_INET6;
	uint32_t priority = 100 * (1 + diff_rand(g, 4));
	struct fib_rule_hdr frh = {.family = family, .action = jump ? FR_ACT_GOTO : FR_ACT_TO_TBL};
	uint16_t flags = NLM_F_REQUEST | NLM_F_ACK;
	if (add)
		flags |= NLM_F_CREATE | (diff_chance(g, 90) ? NLM_F_EXCL : 0);
	if (diff_chance(g, 15))
		frh.src_len = family == AF_INET ? 24 : 64;
	fk_msg_begin(&op->b, add ? RTM_NEWRULE : RTM_DELRULE, flags, 0, &frh, sizeof frh);
	diff_say(op, "%s rule%u %u", add ? "add" : "del", family, priority);
	if (!add || diff_chance(g, 85))
		fk_put_u32(&op->b, FRA_PRIORITY, priority);
	if (jump) {
		diff_say(op, " goto");
		fk_put_u32(&op->b, FRA_GOTO, 100 * (1 + diff_rand(g, 5)));
	} else if (add || diff_chance(g, 50)) {
		uint32_t table = diff_chance(g, 50) ? 50 : 1000;
		diff_say(op, " table %u", table);
		fk_put_u32(&op->b, FRA_TABLE, table);
	}
	if (add || diff_chance(g, 30))
		diff_put_rule(g, op, family, &frh);
}
