/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: RTM_NEWROUTE and RTM_DELROUTE to routes and back (rtnetlink(7), net/ipv4/fib_semantics.c fib_dump_info
 * and net/ipv6/route.c rt6_fill_node). A full Internet table passes here: one walk over the attributes, into
 * the value itself, and no memory but for hops beyond those of earlier routes. The flags of a single hop
 * stand in rtm_flags on the wire; here they are the hop's, and the route's as well.
 */
#include <linux/rtnetlink.h>

#include "codec/attrs.h"

#define USER_HZ        100 /* ticks of rta_expires a second (include/asm-generic/param.h) */
#define HOP_FLAGS_MASK 0xFFU
#define ANY_FLAGS      UINT32_MAX

struct decoder {
	const struct nlmsghdr *nlh;
	struct nctl_route_scratch *s;
	struct rtmsg rtm;
	size_t used;            /* of s->rest */
	struct nctl_hop single; /* what stands outside of RTA_MULTIPATH */
	bool multipath;
	struct nctl_unknown unknown;
};

static int decode_cacheinfo(const struct nlattr *a, struct nctl_route *r)
{
	struct rta_cacheinfo ci;

	if (nctl_take_len(a) < sizeof(ci))
		return -EBADMSG;
	memcpy(&ci, nctl_take_data(a), sizeof(ci));
	r->has_cacheinfo = true;
	r->error = ci.rta_error;
	/* What ends within this second has not ended. */
	r->expires = ci.rta_expires > 0 && ci.rta_expires < USER_HZ ? 1 : ci.rta_expires / USER_HZ;
	return 0;
}

/* What a hop may have wherever it stands. 1: another attribute. */
static int decode_hop_attr(uint8_t family, const struct nlattr *a, struct nctl_hop *h)
{
	switch (a->nla_type & NLA_TYPE_MASK) {
	case RTA_GATEWAY:
		return nctl_take_address(a, family, &h->via);
	case RTA_VIA:
		return nctl_take_via(a, &h->via);
	case RTA_ENCAP_TYPE:
		return nctl_take_u16(a, &h->encap_type);
	case RTA_ENCAP:
		return nctl_take_nest(a, &h->encap);
	}
	return 1;
}

static int decode_hop(struct decoder *d, const uint8_t *p, const struct rtnexthop *nh, struct nctl_hop *h)
{
	struct nctl_walk w = nctl_walk_of(p + sizeof(*nh), nh->rtnh_len - sizeof(*nh));
	struct nctl_unknown unknown;
	const struct nlattr *a;
	int r;

	unknown.n = 0;
	*h = (struct nctl_hop){
		.oif = (uint32_t)nh->rtnh_ifindex,
		.weight = (uint16_t)(nh->rtnh_hops + 1),
		.flags = nh->rtnh_flags,
	};
	while ((a = nctl_walk_next(&w))) {
		r = decode_hop_attr(d->rtm.rtm_family, a, h);
		if (r > 0 && (a->nla_type & NLA_TYPE_MASK) == RTA_FLOW)
			r = nctl_take_u32(a, &h->realms);
		else if (r > 0)
			r = nctl_unknown_add(&unknown, a);
		if (r < 0)
			return r;
	}
	nctl_take_encap_pad(h);
	return w.bad ? -EBADMSG : nctl_unknown_store(&unknown, d->nlh, d->s, &d->used, &h->rest);
}

static int decode_multipath(struct decoder *d, const struct nlattr *multipath, struct nctl_route *ret)
{
	const uint8_t *p = nctl_take_data(multipath);
	size_t left = nctl_take_len(multipath), n = 0, step;
	struct rtnexthop nh;
	int r;

	while (left > 0) {
		if (left < sizeof(nh))
			return -EBADMSG;
		memcpy(&nh, p, sizeof(nh));
		if (nh.rtnh_len < sizeof(nh) || nh.rtnh_len > left)
			return -EBADMSG;
		r = nctl_route_scratch_hops(d->s, n + 1);
		if (r == 0)
			r = decode_hop(d, p, &nh, &d->s->hops[n]);
		if (r < 0)
			return r;
		n++;
		step = RTNH_ALIGN((size_t)nh.rtnh_len);
		step = step < left ? step : left;
		p += step;
		left -= step;
	}
	d->multipath = true;
	ret->n_hops = (uint32_t)n;
	return 0;
}

static int decode_attr(struct decoder *d, const struct nlattr *a, struct nctl_route *r)
{
	switch (a->nla_type & NLA_TYPE_MASK) {
	case RTA_DST:
		return nctl_take_prefix(a, d->rtm.rtm_family, d->rtm.rtm_dst_len, &r->dst);
	case RTA_SRC:
		return nctl_take_prefix(a, d->rtm.rtm_family, d->rtm.rtm_src_len, &r->src);
	case RTA_TABLE:
		return nctl_take_u32(a, &r->table);
	case RTA_PRIORITY:
		return nctl_take_u32(a, &r->metric);
	case RTA_OIF:
		return nctl_take_u32(a, &d->single.oif);
	case RTA_GATEWAY:
	case RTA_VIA:
	case RTA_ENCAP_TYPE:
	case RTA_ENCAP:
		return decode_hop_attr(d->rtm.rtm_family, a, &d->single);
	case RTA_MULTIPATH:
		d->used = 0; /* the last of two counts */
		return decode_multipath(d, a, r);
	case RTA_PREFSRC:
		return nctl_take_address(a, d->rtm.rtm_family, &r->prefsrc);
	case RTA_METRICS:
		return nctl_take_nest(a, &r->metrics);
	case RTA_FLOW:
		return nctl_take_u32(a, &r->realms);
	case RTA_IIF:
		return nctl_take_u32(a, &r->iif);
	case RTA_MARK:
		return nctl_take_u32(a, &r->mark);
	case RTA_PREF:
		r->has_pref = true;
		return nctl_take_u8(a, &r->pref);
	case RTA_NH_ID:
		return nctl_take_u32(a, &r->nhid);
	case RTA_EXPIRES:
		return nctl_take(a, &r->expires, sizeof(r->expires));
	case RTA_CACHEINFO:
		return decode_cacheinfo(a, r);
	case RTA_PAD:
		return 0;
	}
	return nctl_unknown_add(&d->unknown, a);
}

static bool is_hop(const struct nctl_hop *h)
{
	return h->oif || h->via.family != AF_UNSPEC || h->encap_type || h->encap.n;
}

/* Lengths without their address, and what only all attributes together tell. */
static int finish(struct decoder *d, struct nctl_route *r)
{
	if (r->dst.family == AF_UNSPEC) {
		if (d->rtm.rtm_dst_len > 0)
			return -EBADMSG;
		r->dst.family = d->rtm.rtm_family;
	}
	if (d->rtm.rtm_src_len > 0 && r->src.family == AF_UNSPEC)
		return -EBADMSG;
	if (d->rtm.rtm_src_len == 0)
		r->src = NCTL_PREFIX_NULL;
	nctl_prefix_mask(&r->dst);
	nctl_prefix_mask(&r->src);
	r->multipath = d->multipath;
	if (!d->multipath && is_hop(&d->single)) {
		if (nctl_route_scratch_hops(d->s, 1) < 0)
			return -ENOMEM;
		d->single.flags = (uint8_t)(d->rtm.rtm_flags & HOP_FLAGS_MASK);
		nctl_take_encap_pad(&d->single);
		d->s->hops[0] = d->single;
		r->n_hops = 1;
	}
	r->hops = r->n_hops ? d->s->hops : NULL;
	return nctl_unknown_store(&d->unknown, d->nlh, d->s, &d->used, &r->rest);
}

int nctl_route_decode(const struct nlmsghdr *nlh, struct nctl_route_scratch *s, struct nctl_route *ret)
{
	struct decoder d;
	struct nctl_route route;
	const struct nlattr *a;
	struct nctl_walk w;
	unsigned bits;
	int r;

	if (nlh->nlmsg_type != RTM_NEWROUTE && nlh->nlmsg_type != RTM_DELROUTE)
		return NCTL_CODEC_SKIP;
	if (nlh->nlmsg_len < NLMSG_LENGTH(sizeof(d.rtm)))
		return -EBADMSG;
	memcpy(&d.rtm, NLMSG_DATA(nlh), sizeof(d.rtm));
	bits = nctl_prefix_bits(d.rtm.rtm_family);
	if (bits == 0 || d.rtm.rtm_flags & RTM_F_CLONED)
		return NCTL_CODEC_SKIP;
	if (d.rtm.rtm_dst_len > bits || d.rtm.rtm_src_len > bits)
		return -EBADMSG;
	/* Not all of d: the list of the unknown is large, and nearly always empty. */
	d.nlh = nlh;
	d.s = s;
	d.used = d.unknown.n = 0;
	d.multipath = false;
	d.single = (struct nctl_hop){.weight = 1};
	route = (struct nctl_route){
		.table = d.rtm.rtm_table,
		.tos = d.rtm.rtm_tos,
		.protocol = d.rtm.rtm_protocol,
		.scope = d.rtm.rtm_scope,
		.type = d.rtm.rtm_type,
		.flags = d.rtm.rtm_flags,
	};
	w = nctl_walk_msg(nlh, sizeof(d.rtm));
	while ((a = nctl_walk_next(&w))) {
		r = decode_attr(&d, a, &route);
		if (r < 0)
			return r;
	}
	r = w.bad ? -EBADMSG : finish(&d, &route);
	if (r < 0)
		return r;
	*ret = route;
	return 0;
}

static void encode_gateway(uint8_t family, const struct nctl_prefix *via, struct nctl_msgbuf *msg)
{
	uint8_t buf[sizeof(struct rtvia) + sizeof(via->addr)];
	struct rtvia head = {.rtvia_family = via->family};

	if (via->family == family || via->family == AF_UNSPEC) {
		nctl_encode_address(via, RTA_GATEWAY, msg);
		return;
	}
	memcpy(buf, &head, sizeof(head));
	memcpy(buf + sizeof(head), via->addr, sizeof(via->addr));
	nctl_msg_put(msg, RTA_VIA, buf, sizeof(head) + nctl_prefix_bytes(via->family));
}

/* In the order of fib_nexthop_info and fib_add_nexthop, so that the bytes of RTA_MULTIPATH are the same. */
static void encode_hops(const struct nctl_route *r, uint32_t flags, struct nctl_msgbuf *msg)
{
	size_t nest = nctl_msg_nest_begin(msg, RTA_MULTIPATH), begin;
	const struct nctl_hop *h;
	struct rtnexthop nh;

	for (h = r->hops; h < r->hops + r->n_hops; h++) {
		nh = (struct rtnexthop){
			.rtnh_flags = (uint8_t)(h->flags & flags),
			.rtnh_hops = (uint8_t)(h->weight - 1),
			.rtnh_ifindex = (int)h->oif,
		};
		begin = msg->open;
		nctl_msg_put_raw(msg, &nh, sizeof(nh));
		encode_gateway(r->dst.family, &h->via, msg);
		nctl_encode_encap(h, RTA_ENCAP, RTA_ENCAP_TYPE, msg);
		if (h->realms)
			nctl_msg_put_u32(msg, RTA_FLOW, h->realms);
		nctl_encode_rest(h->rest, msg);
		/* Begins with its length, as an attribute does. */
		nctl_msg_nest_end(msg, begin);
	}
	nctl_msg_nest_end(msg, nest);
}

static void encode_single(const struct nctl_route *r, struct nctl_msgbuf *msg)
{
	const struct nctl_hop *h = r->hops;

	if (h->oif)
		nctl_msg_put_u32(msg, RTA_OIF, h->oif);
	encode_gateway(r->dst.family, &h->via, msg);
	nctl_encode_encap(h, RTA_ENCAP, RTA_ENCAP_TYPE, msg);
	nctl_encode_rest(h->rest, msg);
}

/* flags: of the route and its hops, those that are told. */
static void begin_route(
	const struct nctl_route *r, uint16_t type, uint16_t nlm_flags, uint32_t flags, struct nctl_msgbuf *msg)
{
	struct rtmsg rtm = {
		.rtm_family = r->dst.family,
		.rtm_dst_len = r->dst.len,
		.rtm_src_len = r->src.len,
		.rtm_tos = r->tos,
		.rtm_table = (uint8_t)(r->table < 256 ? r->table : RT_TABLE_COMPAT),
		.rtm_protocol = r->protocol,
		.rtm_scope = r->scope,
		.rtm_type = r->type,
		.rtm_flags = r->flags,
	};

	if (r->n_hops == 1 && !r->multipath)
		rtm.rtm_flags = (r->flags & ~HOP_FLAGS_MASK) | r->hops->flags;
	rtm.rtm_flags &= flags;
	nctl_msg_begin(msg, type, nlm_flags, &rtm, sizeof(rtm));
}

static void encode_attrs(const struct nctl_route *r, uint32_t flags, struct nctl_msgbuf *msg)
{
	nctl_msg_put_u32(msg, RTA_TABLE, r->table);
	if (r->dst.len)
		nctl_encode_address(&r->dst, RTA_DST, msg);
	nctl_encode_address(&r->src, RTA_SRC, msg);
	/* IPv6 always tells it (rt6_fill_node). */
	if (r->metric || r->dst.family == AF_INET6)
		nctl_msg_put_u32(msg, RTA_PRIORITY, r->metric);
	nctl_encode_address(&r->prefsrc, RTA_PREFSRC, msg);
	if (r->metrics.n)
		nctl_msg_put(msg, RTA_METRICS, r->metrics.p, r->metrics.n);
	if (r->nhid)
		nctl_msg_put_u32(msg, RTA_NH_ID, r->nhid);
	if (r->multipath)
		encode_hops(r, flags, msg);
	else if (r->n_hops)
		encode_single(r, msg);
	if (r->realms)
		nctl_msg_put_u32(msg, RTA_FLOW, r->realms);
	if (r->iif)
		nctl_msg_put_u32(msg, RTA_IIF, r->iif);
	if (r->mark)
		nctl_msg_put_u32(msg, RTA_MARK, r->mark);
	if (r->has_pref)
		nctl_msg_put_u8(msg, RTA_PREF, r->pref);
	nctl_encode_rest(r->rest, msg);
}

void nctl_route_encode_state(const struct nctl_route *r, struct nctl_msgbuf *msg)
{
	begin_route(r, RTM_NEWROUTE, 0, ANY_FLAGS, msg);
	encode_attrs(r, ANY_FLAGS, msg);
}

/* What a request says: the hops of an object, and a type that follows from it, are the kernel's to know. */
static struct nctl_route as_asked(const struct nctl_route *r)
{
	struct nctl_route v = *r;

	if (!v.nhid)
		return v;
	v.n_hops = 0;
	v.multipath = false;
	v.type = v.type == RTN_BLACKHOLE ? RTN_UNICAST : v.type;
	return v;
}

void nctl_route_encode_new(const struct nctl_route *r, uint16_t nlm_flags, struct nctl_msgbuf *msg)
{
	struct nctl_route v = as_asked(r);

	begin_route(&v, RTM_NEWROUTE, nlm_flags, RTNH_F_ONLINK, msg);
	encode_attrs(&v, RTNH_F_ONLINK, msg);
	if (v.dst.family == AF_INET6 && v.expires > 0)
		nctl_msg_put_u32(msg, RTA_EXPIRES, (uint32_t)v.expires);
}

void nctl_route_encode_del(const struct nctl_route *r, struct nctl_msgbuf *msg)
{
	struct nctl_route v = as_asked(r);

	begin_route(&v, RTM_DELROUTE, 0, RTNH_F_ONLINK, msg);
	encode_attrs(&v, RTNH_F_ONLINK, msg);
}
