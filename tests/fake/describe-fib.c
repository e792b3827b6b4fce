/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: messages about routes, next-hop objects and rules in words, as describe.c does it for the others: what
 * is printed here is what is compared.
 */

#include <arpa/inet.h>
#include <string.h>
#include <linux/fib_rules.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>

#include "fake/describe.h"
#include "fake/wire.h"

static void fk_say_ip(struct fk_words *w, const char *key, uint8_t family, const struct nlattr *a, bool mask)
{
	if (!a)
		return;
	fk_words_say(w, " %s=", key);
	fk_words_addr(w, family, a, mask);
}

static void fk_say_number(struct fk_words *w, const char *key, const struct nlattr *a)
{
	if (a)
		fk_words_say(w, " %s=%u", key, fk_u32(a));
}

static void fk_say_hop_to(struct fk_words *w, uint8_t family, const struct nlattr **tb)
{
	fk_say_ip(w, "via", family, tb[RTA_GATEWAY], false);
	if (tb[RTA_VIA] && fk_len(tb[RTA_VIA]) == 18) {
		char text[INET6_ADDRSTRLEN];
		fk_words_say(w, " via6=%s",
			inet_ntop(AF_INET6, (const uint8_t *)fk_data(tb[RTA_VIA]) + 2, text, sizeof text));
	}
}

static void fk_say_hops(struct fk_words *w, uint8_t family, const struct nlattr *mp)
{
	const uint8_t *p = fk_data(mp);
	for (size_t left = fk_len(mp); left >= sizeof(struct rtnexthop);) {
		const struct nlattr *tb[RTA_MAX + 1];
		const struct rtnexthop *nh = (const void *)p;
		if (nh->rtnh_len < sizeof *nh || nh->rtnh_len > left)
			return;
		fk_words_say(w, " [dev=%d weight=%d flags=%x", nh->rtnh_ifindex, nh->rtnh_hops + 1,
			nh->rtnh_flags);
		if (fk_parse(tb, RTA_MAX, p + sizeof *nh, nh->rtnh_len - sizeof *nh) == 0)
			fk_say_hop_to(w, family, tb);
		fk_words_say(w, "]");
		size_t step = RTNH_ALIGN(nh->rtnh_len);
		if (step >= left)
			return;
		p += step;
		left -= step;
	}
}

static void fk_say_metrics(struct fk_words *w, const struct nlattr *a)
{
	const struct nlattr *tb[RTAX_MAX + 1];
	if (!a || fk_parse_nest(tb, RTAX_MAX, a) < 0)
		return;
	for (unsigned i = 1; i <= RTAX_MAX; i++)
		if (tb[i])
			fk_words_say(w, " metric%u=%u", i, fk_u32(tb[i]));
}

static bool fk_describe_route(const struct nlmsghdr *nlh, bool mask_auto, struct fk_words *w)
{
	const unsigned own = NLM_F_REPLACE | NLM_F_EXCL | NLM_F_CREATE | NLM_F_APPEND;
	const struct nlattr *tb[RTA_MAX + 1];
	const struct rtmsg *rtm = NLMSG_DATA(nlh);
	if (fk_parse_msg(tb, RTA_MAX, nlh, sizeof *rtm) < 0 || rtm->rtm_flags & RTM_F_CLONED ||
		(rtm->rtm_family != AF_INET && rtm->rtm_family != AF_INET6))
		return false;
	w->object = true;
	w->nlm_flags = nlh->nlmsg_flags & own;
	fk_words_say(w, "route%d %u ", rtm->rtm_family == AF_INET ? 4 : 6,
		tb[RTA_TABLE] ? fk_u32(tb[RTA_TABLE]) : rtm->rtm_table);
	if (tb[RTA_DST])
		fk_words_addr(w, rtm->rtm_family, tb[RTA_DST], mask_auto);
	else
		fk_words_say(w, "default");
	fk_words_say(w, "/%u metric=%u tos=%u type=%u proto=%u scope=%u", rtm->rtm_dst_len,
		tb[RTA_PRIORITY] ? fk_u32(tb[RTA_PRIORITY]) : 0, rtm->rtm_tos, rtm->rtm_type,
		rtm->rtm_protocol, rtm->rtm_scope);
	fk_words_say(w, " flags=%x", rtm->rtm_flags);
	fk_say_number(w, "nhid", tb[RTA_NH_ID]);
	fk_say_hop_to(w, rtm->rtm_family, tb);
	fk_say_number(w, "dev", tb[RTA_OIF]);
	fk_say_ip(w, "src", rtm->rtm_family, tb[RTA_PREFSRC], mask_auto);
	fk_say_metrics(w, tb[RTA_METRICS]);
	if (tb[RTA_PREF])
		fk_words_say(w, " pref=%u", fk_u8(tb[RTA_PREF]));
	if (tb[RTA_MULTIPATH])
		fk_say_hops(w, rtm->rtm_family, tb[RTA_MULTIPATH]);
	if (tb[RTA_OIF])
		w->ifindex = (int)fk_u32(tb[RTA_OIF]);
	return true;
}

static bool fk_describe_nexthop(const struct nlmsghdr *nlh, struct fk_words *w)
{
	const struct nlattr *tb[NHA_MAX + 1];
	const struct nhmsg *nhm = NLMSG_DATA(nlh);
	if (fk_parse_msg(tb, NHA_MAX, nlh, sizeof *nhm) < 0 || !tb[NHA_ID])
		return false;
	w->object = true;
	fk_words_say(w, "nexthop %u family=%u scope=%u proto=%u flags=%x", fk_u32(tb[NHA_ID]), nhm->nh_family,
		nhm->nh_scope, nhm->nh_protocol, nhm->nh_flags);
	fk_say_number(w, "dev", tb[NHA_OIF]);
	fk_say_ip(w, "via", nhm->nh_family, tb[NHA_GATEWAY], false);
	if (tb[NHA_BLACKHOLE])
		fk_words_say(w, " blackhole");
	if (tb[NHA_GROUP_TYPE])
		fk_words_say(w, " type=%u", fk_u16(tb[NHA_GROUP_TYPE]));
	if (!tb[NHA_GROUP])
		return true;
	const struct nexthop_grp *m = fk_data(tb[NHA_GROUP]);
	for (size_t i = 0; i < fk_len(tb[NHA_GROUP]) / sizeof *m; i++)
		fk_words_say(w, " [%u weight=%d]", m[i].id, m[i].weight + 1);
	return true;
}

static void fk_say_name(struct fk_words *w, const char *key, const struct nlattr *a)
{
	char name[64];
	if (a && fk_str(a, name, sizeof name))
		fk_words_say(w, " %s=%s", key, name);
}

static bool fk_describe_rule(const struct nlmsghdr *nlh, struct fk_words *w)
{
	const struct nlattr *tb[FRA_MAX + 1];
	const struct fib_rule_hdr *frh = NLMSG_DATA(nlh);
	if (fk_parse_msg(tb, FRA_MAX, nlh, sizeof *frh) < 0 ||
		(frh->family != AF_INET && frh->family != AF_INET6))
		return false;
	w->object = true;
	fk_words_say(w, "rule%d %u table=%u action=%u flags=%x tos=%u", frh->family == AF_INET ? 4 : 6,
		tb[FRA_PRIORITY] ? fk_u32(tb[FRA_PRIORITY]) : 0,
		tb[FRA_TABLE] ? fk_u32(tb[FRA_TABLE]) : frh->table, frh->action, frh->flags, frh->tos);
	fk_say_name(w, "iif", tb[FRA_IIFNAME]);
	fk_say_name(w, "oif", tb[FRA_OIFNAME]);
	fk_say_number(w, "mark", tb[FRA_FWMARK]);
	fk_say_number(w, "mask", tb[FRA_FWMASK]);
	fk_say_number(w, "goto", tb[FRA_GOTO]);
	fk_say_ip(w, "from", frh->family, tb[FRA_SRC], false);
	fk_say_ip(w, "to", frh->family, tb[FRA_DST], false);
	fk_words_say(w, "/%u/%u", frh->src_len, frh->dst_len);
	if (tb[FRA_L3MDEV])
		fk_words_say(w, " l3mdev");
	if (tb[FRA_PROTOCOL])
		fk_words_say(w, " proto=%u", fk_u8(tb[FRA_PROTOCOL]));
	return true;
}

bool fk_describe_fib(const struct nlmsghdr *nlh, bool mask_auto, struct fk_words *w)
{
	switch (nlh->nlmsg_type) {
	case RTM_NEWROUTE:
	case RTM_DELROUTE:
		w->removed = nlh->nlmsg_type == RTM_DELROUTE;
		return fk_describe_route(nlh, mask_auto, w);
	case RTM_NEWNEXTHOP:
	case RTM_DELNEXTHOP:
		w->removed = nlh->nlmsg_type == RTM_DELNEXTHOP;
		return fk_describe_nexthop(nlh, w);
	case RTM_NEWRULE:
	case RTM_DELRULE:
		w->removed = nlh->nlmsg_type == RTM_DELRULE;
		return fk_describe_rule(nlh, w);
	default:
		return false;
	}
}
