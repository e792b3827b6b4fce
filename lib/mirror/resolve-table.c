/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: a lookup in one table: the longest prefix that has a route for this packet. IPv4 takes the first route
 * that fits by TOS and has a live hop (fib_table_lookup); IPv6 the best by device and preference among those
 * of the lowest metric, then among all others (rt6_select). Where nothing fits, the next shorter prefix is
 * asked, to the default.
 */
#include "mirror/resolve-parts.h"

#include <errno.h>
#include <linux/icmpv6.h>
#include <linux/rtnetlink.h>

#define RT_TOS_MASK 0x1C /* IPTOS_RT_MASK of net/route.h: what routes and rules can ask for */

/* What a type makes of a packet: fib_props, ip6_rt_type_to_error. */
static int type_error(uint8_t type)
{
	switch (type) {
	case RTN_BLACKHOLE:
		return -EINVAL;
	case RTN_UNREACHABLE:
		return -EHOSTUNREACH;
	case RTN_PROHIBIT:
		return -EACCES;
	case RTN_THROW:
		return -EAGAIN;
	case RTN_UNSPEC:
	case RTN_NAT:
	case RTN_XRESOLVE:
		return -EINVAL;
	}
	return 0;
}

/* Hops that could be taken: of the route, or of its next-hop object. */
struct hops {
	const struct nctl_mirror *m;
	const struct nctl_route *r;
	const struct nctl_nexthop *nexthop; /* NULL: those of the route */
};

static struct hops hops_of(const struct nctl_mirror *m, const struct nctl_route *r)
{
	return (struct hops){m, r, r->nhid ? nctl_mirror_nexthop_get(m, r->nhid) : NULL};
}

/* The i-th, or NULL behind the last one. A member that is gone has no device. */
static const struct nctl_hop *hop_at(const struct hops *h, uint32_t i, uint16_t *ret_weight)
{
	static const struct nctl_hop gone = {.flags = RTNH_F_DEAD};
	const struct nctl_nexthop *n = h->nexthop;

	*ret_weight = 0;
	if (!n) {
		if (i >= h->r->n_hops)
			return NULL;
		*ret_weight = h->r->hops[i].weight;
		return &h->r->hops[i];
	}
	if (!n->group)
		return i == 0 ? &n->hop : NULL;
	if (i >= n->n_members)
		return NULL;
	*ret_weight = n->members[i].weight;
	n = nctl_mirror_nexthop_get(h->m, n->members[i].id);
	return n ? &n->hop : &gone;
}

static bool is_blackhole(const struct hops *h)
{
	const struct nctl_nexthop *n = h->nexthop;

	/* A group has one member only if one is a blackhole (valid_nexthop_group). */
	if (n && n->group && n->n_members)
		n = nctl_mirror_nexthop_get(h->m, n->members[0].id);
	return n && n->blackhole;
}

static bool is_alive(const struct nctl_flow *f, const struct nctl_hop *h)
{
	return !(h->flags & RTNH_F_DEAD) && !(f->q->ignore_linkdown && h->flags & RTNH_F_LINKDOWN);
}

/* What hops of a route are good for this packet: the first, how many, and the best by device (IPv6: -1 none).
 */
struct choice {
	const struct nctl_hop *first;
	uint16_t weight;
	uint32_t n;
	int score;
};

/* A device that was not asked for is out to IPv4, and second choice to IPv6 unless it is strict. */
static int score_device(const struct nctl_flow *f, const struct nctl_hop *h)
{
	if (!f->oif || h->oif == f->oif)
		return 2;
	return f->q->dst.family == AF_INET6 && !f->strict ? 0 : -1;
}

static struct choice choose(const struct nctl_flow *f, const struct hops *hops)
{
	struct choice c = {.score = -1};
	const struct nctl_hop *h;
	uint16_t weight;
	int score;

	for (uint32_t i = 0; (h = hop_at(hops, i, &weight)); i++) {
		score = is_alive(f, h) ? score_device(f, h) : -1;
		if (score < 0 || score < c.score)
			continue;
		if (score > c.score)
			c = (struct choice){.first = h, .weight = weight, .score = score};
		c.n++;
	}
	return c;
}

static int take(const struct nctl_flow *f, nctl_route_ref ref, const struct nctl_route *r,
	const struct choice *c, struct nctl_resolved *ret)
{
	ret->ref = ref;
	ret->route = *r;
	ret->type = r->type;
	ret->hop = c->first ? *c->first : (struct nctl_hop){0};
	if (c->first && c->weight)
		ret->hop.weight = c->weight;
	/* A named device chooses by itself. */
	ret->n_hops = f->oif && c->n ? 1 : c->n;
	return type_error(r->type);
}

static int refuse(const struct nctl_flow *f, nctl_route_ref ref, const struct nctl_route *r, int error,
	struct nctl_resolved *ret)
{
	const struct choice none = {0};

	(void)take(f, ref, r, &none, ret);
	return error;
}

/* The first route at this prefix that takes the packet, or 1: none does. */
static int lookup4(const struct nctl_flow *f, nctl_route_ref ref, struct nctl_resolved *ret)
{
	struct nctl_route r;
	struct choice c;
	struct hops h;
	int error;

	for (; ref; ref = nctl_mirror_route_sibling(f->m, ref)) {
		nctl_mirror_route_view(f->m, ref, &r);
		if (r.tos && r.tos != (f->q->tos & RT_TOS_MASK))
			continue;
		error = type_error(r.type);
		if (error)
			return refuse(f, ref, &r, error, ret);
		if (r.flags & RTNH_F_DEAD)
			continue;
		h = hops_of(f->m, &r);
		if (is_blackhole(&h))
			return refuse(f, ref, &r, -EINVAL, ret);
		c = choose(f, &h);
		if (c.first)
			return take(f, ref, &r, &c, ret);
		/* Of a next-hop object no further route is asked for. */
		if (h.nexthop)
			return 1;
	}
	return 1;
}

/* IPV6_DECODE_PREF: high, medium, low. */
static int score_preference(const struct nctl_route *r)
{
	switch (r->has_pref ? r->pref : ICMPV6_ROUTER_PREF_MEDIUM) {
	case ICMPV6_ROUTER_PREF_HIGH:
		return 3 << 2;
	case ICMPV6_ROUTER_PREF_LOW:
		return 1 << 2;
	}
	return 2 << 2;
}

/* Does its source prefix have this length (-1: it has none) and the packet's source? */
static bool is_from(const struct nctl_flow *f, const struct nctl_route *r, int len)
{
	struct nctl_prefix any = {.family = AF_INET6, .len = 128};

	if (r->src.family == AF_UNSPEC)
		return len < 0;
	return r->src.len == len &&
	       nctl_prefix_contains(&r->src, f->q->src.family == AF_INET6 ? &f->q->src : &any);
}

/* The best of those from ref with a source prefix of len, in one metric or in all. */
struct best {
	nctl_route_ref ref;
	struct choice choice;
	int score;
	bool blackhole;
};

static void score_route(
	const struct nctl_flow *f, nctl_route_ref ref, const struct nctl_route *r, struct best *best)
{
	struct hops h = hops_of(f->m, r);
	struct choice c = choose(f, &h);
	int score = c.score;

	if (is_blackhole(&h))
		score = 2;
	if (score < 0)
		return;
	score |= score_preference(r);
	if (score > best->score)
		*best = (struct best){ref, c, score, is_blackhole(&h)};
}

static struct best best_of(const struct nctl_flow *f, nctl_route_ref ref, int len)
{
	struct best best = {.score = -1};
	struct nctl_route r;
	bool begun = false, rest = false;
	uint32_t metric = 0;

	for (; ref; ref = nctl_mirror_route_sibling(f->m, ref)) {
		nctl_mirror_route_view(f->m, ref, &r);
		if (!is_from(f, &r, len))
			continue;
		if (!begun)
			metric = r.metric;
		begun = true;
		if (r.metric != metric && !rest) {
			if (best.ref)
				break;
			rest = true;
		}
		score_route(f, ref, &r, &best);
	}
	return best;
}

/* The next shorter length of a source prefix that fits at this prefix; -1: routes from anywhere. */
static int next_source(const struct nctl_flow *f, nctl_route_ref ref, int below)
{
	struct nctl_route r;
	int len = -1;

	for (; ref; ref = nctl_mirror_route_sibling(f->m, ref)) {
		nctl_mirror_route_view(f->m, ref, &r);
		if (r.src.family != AF_UNSPEC && r.src.len < below && r.src.len > len &&
			is_from(f, &r, r.src.len))
			len = r.src.len;
	}
	return len;
}

static int lookup6(const struct nctl_flow *f, nctl_route_ref ref, struct nctl_resolved *ret)
{
	struct nctl_route r;
	struct best best;
	int len = 129;

	do {
		len = next_source(f, ref, len);
		best = best_of(f, ref, len);
	} while (!best.ref && len >= 0);
	if (!best.ref)
		return 1;
	nctl_mirror_route_view(f->m, best.ref, &r);
	if (best.blackhole)
		return refuse(f, best.ref, &r, -EINVAL, ret);
	return take(f, best.ref, &r, &best.choice, ret);
}

int nctl_resolve_table(const struct nctl_flow *f, nctl_table table, struct nctl_resolved *ret)
{
	struct nctl_prefix p = f->q->dst;
	struct nctl_route r;
	nctl_route_ref ref;
	int error;

	while ((ref = nctl_mirror_route_match(f->m, table, &p))) {
		error = p.family == AF_INET6 ? lookup6(f, ref, ret) : lookup4(f, ref, ret);
		if (error <= 0) {
			ret->table = table;
			return error;
		}
		nctl_mirror_route_view(f->m, ref, &r);
		if (r.dst.len == 0)
			break;
		p.len = (uint8_t)(r.dst.len - 1);
		nctl_prefix_mask(&p);
	}
	return -EAGAIN;
}
