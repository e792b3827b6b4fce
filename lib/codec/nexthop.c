/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: RTM_NEWNEXTHOP and RTM_DELNEXTHOP to next-hop objects and back (linux/nexthop.h, net/ipv4/nexthop.c
 * nh_fill_node). A member's weight had 8 bits until Linux 6.12; the byte behind it, zero before, has 8 more.
 */
#include <stdlib.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>

#include "codec/attrs.h"

static int reserve_members(struct nctl_route_scratch *s, size_t n)
{
	struct nctl_nexthop_member *v;

	if (s->n_members >= n)
		return 0;
	v = reallocarray(s->members, n, sizeof(*v));
	if (!v)
		return -ENOMEM;
	s->members = v;
	s->n_members = n;
	return 0;
}

static int decode_group(const struct nlattr *a, struct nctl_route_scratch *s, struct nctl_nexthop *ret)
{
	size_t n = nctl_take_len(a) / sizeof(struct nexthop_grp);
	struct nexthop_grp g;
	uint32_t weight;
	int r;

	if (n == 0 || nctl_take_len(a) % sizeof(g) != 0)
		return -EBADMSG;
	r = reserve_members(s, n);
	if (r < 0)
		return r;
	for (size_t i = 0; i < n; i++) {
		memcpy(&g, nctl_take_data(a) + i * sizeof(g), sizeof(g));
		weight = (uint32_t)(g.resvd1 << 8 | g.weight) + 1;
		if (weight > UINT16_MAX)
			return -EBADMSG;
		s->members[i] = (struct nctl_nexthop_member){.id = g.id, .weight = (uint16_t)weight};
	}
	ret->group = true;
	ret->n_members = (uint32_t)n;
	return 0;
}

static int decode_resilient(const struct nlattr *nest, struct nctl_nexthop *ret)
{
	struct nctl_walk w = nctl_walk_of(nctl_take_data(nest), nctl_take_len(nest));
	const struct nlattr *a;
	int r = 0;

	while (r == 0 && (a = nctl_walk_next(&w))) {
		switch (a->nla_type & NLA_TYPE_MASK) {
		case NHA_RES_GROUP_BUCKETS:
			r = nctl_take_u16(a, &ret->buckets);
			break;
		case NHA_RES_GROUP_IDLE_TIMER:
			r = nctl_take_u32(a, &ret->idle_timer);
			break;
		case NHA_RES_GROUP_UNBALANCED_TIMER:
			r = nctl_take_u32(a, &ret->unbalanced_timer);
			break;
		case NHA_RES_GROUP_UNBALANCED_TIME:
			r = nctl_take_u64(a, &ret->unbalanced_time);
			break;
		}
	}
	ret->resilient = true;
	return w.bad ? -EBADMSG : r;
}

static int decode_attr(const struct nlattr *a, struct nctl_route_scratch *s, struct nctl_unknown *unknown,
	struct nctl_nexthop *n)
{
	switch (a->nla_type & NLA_TYPE_MASK) {
	case NHA_ID:
		return nctl_take_u32(a, &n->id);
	case NHA_GROUP:
		return decode_group(a, s, n);
	case NHA_GROUP_TYPE:
		return nctl_take_u16(a, &n->group_type);
	case NHA_BLACKHOLE:
		return nctl_take_flag(a, &n->blackhole);
	case NHA_FDB:
		return nctl_take_flag(a, &n->fdb);
	case NHA_OIF:
		return nctl_take_u32(a, &n->hop.oif);
	case NHA_GATEWAY:
		return nctl_take_any_address(a, &n->hop.via);
	case NHA_ENCAP_TYPE:
		return nctl_take_u16(a, &n->hop.encap_type);
	case NHA_ENCAP:
		return nctl_take_nest(a, &n->hop.encap);
	case NHA_RES_GROUP:
		return decode_resilient(a, n);
	}
	return nctl_unknown_add(unknown, a);
}

int nctl_nexthop_decode(const struct nlmsghdr *nlh, struct nctl_route_scratch *s, struct nctl_nexthop *ret)
{
	struct nctl_nexthop n = {.hop = {.weight = 1}};
	struct nctl_unknown unknown;
	const struct nlattr *a;
	struct nctl_walk w;
	struct nhmsg nhm;
	size_t used = 0;
	int r = 0;

	if (nlh->nlmsg_type != RTM_NEWNEXTHOP && nlh->nlmsg_type != RTM_DELNEXTHOP)
		return NCTL_CODEC_SKIP;
	if (nlh->nlmsg_len < NLMSG_LENGTH(sizeof(nhm)))
		return -EBADMSG;
	memcpy(&nhm, NLMSG_DATA(nlh), sizeof(nhm));
	n.family = nhm.nh_family;
	n.scope = nhm.nh_scope;
	n.protocol = nhm.nh_protocol;
	n.flags = nhm.nh_flags;
	n.hop.flags = (uint8_t)nhm.nh_flags;
	unknown.n = 0;
	w = nctl_walk_msg(nlh, sizeof(nhm));
	while (r == 0 && (a = nctl_walk_next(&w)))
		r = decode_attr(a, s, &unknown, &n);
	if (r == 0 && (w.bad || n.id == 0))
		r = -EBADMSG;
	nctl_take_encap_pad(&n.hop);
	if (r == 0)
		r = nctl_unknown_store(&unknown, nlh, s, &used, &n.rest);
	if (r < 0)
		return r;
	n.members = n.group ? s->members : NULL;
	if (!n.group) {
		n.resilient = false;
		n.group_type = n.buckets = 0;
		n.idle_timer = n.unbalanced_timer = 0;
		n.unbalanced_time = 0;
	}
	*ret = n;
	return 0;
}

static void encode_members(const struct nctl_nexthop *n, struct nctl_msgbuf *msg)
{
	size_t nest = nctl_msg_nest_begin(msg, NHA_GROUP);
	struct nexthop_grp g;

	for (uint32_t i = 0; i < n->n_members; i++) {
		g = (struct nexthop_grp){
			.id = n->members[i].id,
			.weight = (uint8_t)(n->members[i].weight - 1),
			.resvd1 = (uint8_t)((n->members[i].weight - 1) >> 8),
		};
		nctl_msg_put_raw(msg, &g, sizeof(g));
	}
	nctl_msg_nest_end(msg, nest);
}

static void encode_group(const struct nctl_nexthop *n, struct nctl_msgbuf *msg)
{
	size_t nest;

	nctl_msg_put_u16(msg, NHA_GROUP_TYPE, n->group_type);
	encode_members(n, msg);
	if (!n->resilient)
		return;
	nest = nctl_msg_nest_begin(msg, NHA_RES_GROUP | NLA_F_NESTED);
	nctl_msg_put_u16(msg, NHA_RES_GROUP_BUCKETS, n->buckets);
	nctl_msg_put_u32(msg, NHA_RES_GROUP_IDLE_TIMER, n->idle_timer);
	nctl_msg_put_u32(msg, NHA_RES_GROUP_UNBALANCED_TIMER, n->unbalanced_timer);
	nctl_msg_nest_end(msg, nest);
}

static void encode(const struct nctl_nexthop *n, uint16_t nlm_flags, const struct nhmsg *nhm, struct nctl_msgbuf *msg)
{
	nctl_msg_begin(msg, RTM_NEWNEXTHOP, nlm_flags, nhm, sizeof(*nhm));
	nctl_msg_put_u32(msg, NHA_ID, n->id);
	if (n->group)
		encode_group(n, msg);
	if (n->blackhole)
		nctl_msg_put(msg, NHA_BLACKHOLE, NULL, 0);
	if (n->fdb)
		nctl_msg_put(msg, NHA_FDB, NULL, 0);
	if (n->hop.oif)
		nctl_msg_put_u32(msg, NHA_OIF, n->hop.oif);
	nctl_encode_address(&n->hop.via, NHA_GATEWAY, msg);
	nctl_encode_encap(&n->hop, NHA_ENCAP, NHA_ENCAP_TYPE, msg);
	nctl_encode_rest(n->rest, msg);
}

void nctl_nexthop_encode_state(const struct nctl_nexthop *n, struct nctl_msgbuf *msg)
{
	const struct nhmsg nhm = {
		.nh_family = n->family,
		.nh_scope = n->scope,
		.nh_protocol = n->protocol,
		.nh_flags = n->flags,
	};

	encode(n, 0, &nhm, msg);
}

/* The kernel finds the scope itself, and refuses to be told (net/ipv4/nexthop.c rtm_to_nh_config). */
void nctl_nexthop_encode_new(const struct nctl_nexthop *n, uint16_t nlm_flags, struct nctl_msgbuf *msg)
{
	const struct nhmsg nhm = {
		.nh_family = n->family,
		.nh_protocol = n->protocol,
		.nh_flags = n->flags & RTNH_F_ONLINK,
	};
	struct nctl_nexthop v = *n;

	/* What we do not know of it are states and counters, which the kernel does not take. */
	v.rest = NCTL_BYTES_NULL;
	encode(&v, nlm_flags, &nhm, msg);
}

void nctl_nexthop_encode_del(nctl_nhid id, struct nctl_msgbuf *msg)
{
	const struct nhmsg nhm = {.nh_family = AF_UNSPEC};

	nctl_msg_begin(msg, RTM_DELNEXTHOP, 0, &nhm, sizeof(nhm));
	nctl_msg_put_u32(msg, NHA_ID, id);
}
