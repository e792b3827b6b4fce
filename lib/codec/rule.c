/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: RTM_NEWRULE and RTM_DELRULE to rules and back (linux/fib_rules.h, net/core/fib_rules.c
 * fib_nl_fill_rule). Rules of families that are not ours (multicast routing) are kept as well: the kernel
 * tells them in the same dump, and has them in the same form.
 */
#include <endian.h>
#include <linux/fib_rules.h>

#include "codec/attrs.h"

#ifndef FRA_DSCP
#define FRA_DSCP 25 /* since Linux 6.13 */
#endif

static int take_name(const struct nlattr *a, char ret[IF_NAMESIZE])
{
	const char *nul = memchr(nctl_take_data(a), '\0', nctl_take_len(a));
	size_t n = nul ? (size_t)(nul - (const char *)nctl_take_data(a)) : IF_NAMESIZE;

	if (n >= IF_NAMESIZE)
		return -EBADMSG;
	memset(ret, 0, IF_NAMESIZE);
	memcpy(ret, nctl_take_data(a), n);
	return 0;
}

static int take_range(const struct nlattr *a, bool *ret_has, struct nctl_port_range *ret)
{
	struct fib_rule_port_range range;

	if (nctl_take(a, &range, sizeof(range)) < 0)
		return -EBADMSG;
	*ret_has = true;
	*ret = (struct nctl_port_range){.first = range.start, .last = range.end};
	return 0;
}

static int take_uids(const struct nlattr *a, struct nctl_rule *ret)
{
	struct fib_rule_uid_range range;

	if (nctl_take(a, &range, sizeof(range)) < 0)
		return -EBADMSG;
	ret->has_uids = true;
	ret->uid_first = range.start;
	ret->uid_last = range.end;
	return 0;
}

static int take_tun_id(const struct nlattr *a, struct nctl_rule *ret)
{
	uint64_t id;

	if (nctl_take_u64(a, &id) < 0)
		return -EBADMSG;
	ret->tun_id = be64toh(id);
	return 0;
}

/* Three states in one number. */
static int take_dscp(const struct nlattr *a, struct nctl_rule *ret)
{
	uint8_t dscp;

	if (nctl_take_u8(a, &dscp) < 0 || dscp > 63)
		return -EBADMSG;
	ret->dscp = (uint8_t)(dscp + 1);
	return 0;
}

static int take_l3mdev(const struct nlattr *a, struct nctl_rule *ret)
{
	uint8_t on;

	if (nctl_take_u8(a, &on) < 0)
		return -EBADMSG;
	ret->l3mdev = on != 0;
	return 0;
}

static int decode_selector(const struct nlattr *a, const struct fib_rule_hdr *frh,
	struct nctl_unknown *unknown, struct nctl_rule *r)
{
	switch (a->nla_type & NLA_TYPE_MASK) {
	case FRA_DST:
		return nctl_take_prefix(a, frh->family, frh->dst_len, &r->dst);
	case FRA_SRC:
		return nctl_take_prefix(a, frh->family, frh->src_len, &r->src);
	case FRA_IIFNAME:
		return take_name(a, r->iif);
	case FRA_OIFNAME:
		return take_name(a, r->oif);
	case FRA_FWMARK:
		return nctl_take_u32(a, &r->mark);
	case FRA_FWMASK:
		return nctl_take_u32(a, &r->mask);
	case FRA_TUN_ID:
		return take_tun_id(a, r);
	case FRA_UID_RANGE:
		return take_uids(a, r);
	case FRA_IP_PROTO:
		return nctl_take_u8(a, &r->ip_proto);
	case FRA_SPORT_RANGE:
		return take_range(a, &r->has_sport, &r->sport);
	case FRA_DPORT_RANGE:
		return take_range(a, &r->has_dport, &r->dport);
	case FRA_DSCP:
		return take_dscp(a, r);
	}
	return nctl_unknown_add(unknown, a);
}

static int decode_attr(const struct nlattr *a, const struct fib_rule_hdr *frh, struct nctl_unknown *unknown,
	struct nctl_rule *r)
{
	switch (a->nla_type & NLA_TYPE_MASK) {
	case FRA_PRIORITY:
		return nctl_take_u32(a, &r->priority);
	case FRA_TABLE:
		return nctl_take_u32(a, &r->table);
	case FRA_L3MDEV:
		return take_l3mdev(a, r);
	case FRA_PROTOCOL:
		return nctl_take_u8(a, &r->protocol);
	case FRA_GOTO:
		return nctl_take_u32(a, &r->target);
	case FRA_FLOW:
		return nctl_take_u32(a, &r->realms);
	case FRA_SUPPRESS_PREFIXLEN:
		return nctl_take(a, &r->suppress_prefixlen, sizeof(r->suppress_prefixlen));
	case FRA_SUPPRESS_IFGROUP:
		return nctl_take(a, &r->suppress_ifgroup, sizeof(r->suppress_ifgroup));
	case FRA_PAD:
		return 0;
	}
	return decode_selector(a, frh, unknown, r);
}

static int check(const struct fib_rule_hdr *frh, struct nctl_rule *r)
{
	if ((frh->dst_len > 0 && r->dst.family == AF_UNSPEC) ||
		(frh->src_len > 0 && r->src.family == AF_UNSPEC))
		return -EBADMSG;
	if (r->dst.len > nctl_prefix_bits(r->dst.family) || r->src.len > nctl_prefix_bits(r->src.family))
		return -EBADMSG;
	/* Any address is told by no attribute, and no mark as well. */
	if (frh->dst_len == 0)
		r->dst = NCTL_PREFIX_NULL;
	if (frh->src_len == 0)
		r->src = NCTL_PREFIX_NULL;
	r->has_mark = r->mark || r->mask;
	nctl_prefix_mask(&r->dst);
	nctl_prefix_mask(&r->src);
	return 0;
}

int nctl_rule_decode(const struct nlmsghdr *nlh, struct nctl_route_scratch *s, struct nctl_rule *ret)
{
	struct nctl_rule rule = {.suppress_prefixlen = -1, .suppress_ifgroup = -1};
	struct nctl_unknown unknown;
	struct fib_rule_hdr frh;
	const struct nlattr *a;
	struct nctl_walk w;
	size_t used = 0;
	int r = 0;

	if (nlh->nlmsg_type != RTM_NEWRULE && nlh->nlmsg_type != RTM_DELRULE)
		return NCTL_CODEC_SKIP;
	if (nlh->nlmsg_len < NLMSG_LENGTH(sizeof(frh)))
		return -EBADMSG;
	memcpy(&frh, NLMSG_DATA(nlh), sizeof(frh));
	rule.family = frh.family;
	rule.action = frh.action;
	rule.tos = frh.tos;
	rule.flags = frh.flags;
	rule.table = frh.table;
	unknown.n = 0;
	w = nctl_walk_msg(nlh, sizeof(frh));
	while (r == 0 && (a = nctl_walk_next(&w)))
		r = decode_attr(a, &frh, &unknown, &rule);
	if (r == 0)
		r = w.bad ? -EBADMSG : check(&frh, &rule);
	if (r == 0)
		r = nctl_unknown_store(&unknown, nlh, s, &used, &rule.rest);
	if (r < 0)
		return r;
	*ret = rule;
	return 0;
}

static void encode_selector(const struct nctl_rule *r, struct nctl_msgbuf *msg)
{
	if (r->src.len)
		nctl_encode_address(&r->src, FRA_SRC, msg);
	if (r->dst.len)
		nctl_encode_address(&r->dst, FRA_DST, msg);
	if (r->iif[0])
		nctl_msg_put_str(msg, FRA_IIFNAME, r->iif);
	if (r->oif[0])
		nctl_msg_put_str(msg, FRA_OIFNAME, r->oif);
	if (r->mark)
		nctl_msg_put_u32(msg, FRA_FWMARK, r->mark);
	if (r->mark || r->mask)
		nctl_msg_put_u32(msg, FRA_FWMASK, r->mask);
	if (r->tun_id)
		nctl_msg_put_u64(msg, FRA_TUN_ID, htobe64(r->tun_id));
	if (r->ip_proto)
		nctl_msg_put_u8(msg, FRA_IP_PROTO, r->ip_proto);
	if (r->dscp)
		nctl_msg_put_u8(msg, FRA_DSCP, (uint8_t)(r->dscp - 1));
}

static void encode_ranges(const struct nctl_rule *r, struct nctl_msgbuf *msg)
{
	struct fib_rule_uid_range uids = {.start = r->uid_first, .end = r->uid_last};
	struct fib_rule_port_range sport = {.start = r->sport.first, .end = r->sport.last};
	struct fib_rule_port_range dport = {.start = r->dport.first, .end = r->dport.last};

	if (r->has_uids)
		nctl_msg_put(msg, FRA_UID_RANGE, &uids, sizeof(uids));
	if (r->has_sport)
		nctl_msg_put(msg, FRA_SPORT_RANGE, &sport, sizeof(sport));
	if (r->has_dport)
		nctl_msg_put(msg, FRA_DPORT_RANGE, &dport, sizeof(dport));
}

static void encode(const struct nctl_rule *r, uint16_t type, uint16_t nlm_flags, uint32_t flags, bool has_priority,
	struct nctl_msgbuf *msg)
{
	struct fib_rule_hdr frh = {
		.family = r->family,
		.dst_len = r->dst.len,
		.src_len = r->src.len,
		.tos = r->tos,
		.table = (uint8_t)(r->table < 256 ? r->table : RT_TABLE_COMPAT),
		.action = r->action,
		.flags = r->flags & flags,
	};

	nctl_msg_begin(msg, type, nlm_flags, &frh, sizeof(frh));
	nctl_msg_put_u32(msg, FRA_TABLE, r->table);
	nctl_msg_put_u32(msg, FRA_SUPPRESS_PREFIXLEN, (uint32_t)r->suppress_prefixlen);
	nctl_msg_put_u8(msg, FRA_PROTOCOL, r->protocol);
	if (has_priority)
		nctl_msg_put_u32(msg, FRA_PRIORITY, r->priority);
	if (r->suppress_ifgroup != -1)
		nctl_msg_put_u32(msg, FRA_SUPPRESS_IFGROUP, (uint32_t)r->suppress_ifgroup);
	if (r->l3mdev)
		nctl_msg_put_u8(msg, FRA_L3MDEV, 1);
	if (r->target)
		nctl_msg_put_u32(msg, FRA_GOTO, r->target);
	if (r->realms)
		nctl_msg_put_u32(msg, FRA_FLOW, r->realms);
	encode_selector(r, msg);
	encode_ranges(r, msg);
	nctl_encode_rest(r->rest, msg);
}

void nctl_rule_encode_state(const struct nctl_rule *r, struct nctl_msgbuf *msg)
{
	encode(r, RTM_NEWRULE, 0, UINT32_MAX, r->priority, msg);
}

void nctl_rule_encode_new(const struct nctl_rule *r, bool has_priority, struct nctl_msgbuf *msg)
{
	encode(r, RTM_NEWRULE, NLM_F_CREATE | NLM_F_EXCL, ~NCTL_RULE_STATE, has_priority, msg);
}

void nctl_rule_encode_del(const struct nctl_rule *r, bool has_priority, struct nctl_msgbuf *msg)
{
	encode(r, RTM_DELRULE, 0, ~NCTL_RULE_STATE, has_priority, msg);
}
