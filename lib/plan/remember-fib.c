/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: what an operation takes along of routes, next-hop objects and rules, whoever made them, for the way
 * back. The kernel drops all routes and next hops of a link that goes down (net/ipv4/fib_frontend.c
 * fib_disable_ip, net/ipv6/route.c rt6_disable_ip, net/ipv4/nexthop.c nexthop_flush_dev), and with it those
 * of links above; IPv4 ones of a link that loses its last address; those with a source address that goes;
 * those of a next-hop object, which its groups lose as well. Neighbours that were set go with a link, too
 * (net/core/neighbour.c neigh_ifdown), as far as they are known. What hangs on a link is found by that link,
 * and copied once.
 */
#include "plan/fib.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>

enum { DEPTH_MAX = 16 }; /* the kernel stacks no more than 8 (MAX_NEST_DEV of linux/netdevice.h) */

struct seen {
	struct nctl_hash_node node;
	uint32_t netns;
	uint32_t number;
	bool v4_only;
};

struct remember {
	struct nctl_plan *p;
	struct nctl_op *op;
	const struct nctl_mirror *have;
	struct nctl_hash links; /* struct seen: their routes are copied */
	int err;
};

/* The kernel makes these by itself, or a router announces them again. */
static bool is_worth_keeping(uint8_t protocol)
{
	return protocol != RTPROT_KERNEL && protocol != RTPROT_RA && protocol != RTPROT_REDIRECT;
}

static void lose(struct remember *m, enum nctl_op_type type, const struct nctl_op_fib *fib)
{
	struct nctl_fib_lost *lost = fib ? nctl_arena_alloc(&m->p->arena, sizeof(*lost)) : NULL;

	if (!lost) {
		m->err = -ENOMEM;
		return;
	}
	*lost = (struct nctl_fib_lost){.next = m->op->lost, .type = (uint8_t)type, .fib = fib};
	m->op->lost = lost;
}

static void lose_routes(struct remember *m, struct nctl_route_walk *walk, uint8_t family)
{
	nctl_route_ref ref;
	struct nctl_route v;

	while (!m->err && (ref = nctl_mirror_routes_of_next(walk))) {
		nctl_mirror_route_view(m->have, ref, &v);
		if (is_worth_keeping(v.protocol) && (!family || family == v.dst.family))
			lose(m, NCTL_OP_ROUTE_NEW, nctl_fib_copy_route(m->p, &v));
	}
}

static void lose_nexthop(struct remember *m, const struct nctl_nexthop *n)
{
	struct nctl_route_walk walk;

	lose(m, NCTL_OP_NEXTHOP_NEW, nctl_fib_copy_nexthop(m->p, n));
	nctl_mirror_routes_of_nexthop(m->have, n->id, &walk);
	lose_routes(m, &walk, AF_UNSPEC);
}

static void lose_groups(struct remember *m, nctl_nhid member)
{
	const struct nctl_nexthop *n;
	struct nctl_route_walk walk;

	nctl_mirror_nexthops_of_member(m->have, member, &walk);
	while (!m->err && (n = nctl_mirror_nexthops_of_next(&walk)))
		lose_nexthop(m, n);
}

/* True: it was not seen before, or for IPv4 only. */
static bool is_new(struct remember *m, nctl_ifindex ifindex, bool v4_only)
{
	uint64_t hash = nctl_hash_u64((uint64_t)m->op->netns << 32 | ifindex);
	struct nctl_hash_node *pos;
	struct seen *s;

	nctl_hash_for_each_equal(pos, &m->links, hash) {
		s = nctl_container_of(pos, struct seen, node);
		if (s->netns == m->op->netns && s->number == ifindex && s->v4_only <= v4_only)
			return false;
	}
	s = nctl_arena_alloc(&m->p->arena, sizeof(*s));
	if (!s || nctl_hash_insert(&m->links, &s->node, hash) < 0) {
		m->err = -ENOMEM;
		return false;
	}
	s->netns = m->op->netns;
	s->number = ifindex;
	s->v4_only = v4_only;
	return true;
}

static void lose_neighs(struct remember *m, nctl_ifindex ifindex)
{
	const struct nctl_plan_netns *n = &m->p->netns[m->op->netns];
	size_t from = 0, to = n->n_neighs;

	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (n->neighs[mid].ifindex < ifindex)
			from = mid + 1;
		else
			to = mid;
	}
	for (; !m->err && from < n->n_neighs && n->neighs[from].ifindex == ifindex; from++)
		lose(m, NCTL_OP_NEIGH_NEW, nctl_fib_copy_neigh(m->p, &n->neighs[from]));
}

static void lose_link(struct remember *m, const struct nctl_mirror_link *l, unsigned limit)
{
	const struct nctl_nexthop *n;
	struct nctl_route_walk walk;
	struct nctl_list *u;

	if (!l || !limit || !is_new(m, l->v.ifindex, false))
		return;
	nctl_mirror_routes_of_link(m->have, l->v.ifindex, &walk);
	lose_routes(m, &walk, AF_UNSPEC);
	lose_neighs(m, l->v.ifindex);
	nctl_mirror_nexthops_of_link(m->have, l->v.ifindex, &walk);
	while (!m->err && (n = nctl_mirror_nexthops_of_next(&walk))) {
		lose_nexthop(m, n);
		lose_groups(m, n->id);
	}
	nctl_list_for_each(u, &l->uppers)
		lose_link(m, nctl_list_entry(u, struct nctl_mirror_link, in_lower), limit - 1);
}

static void lose_addr(struct remember *m, const struct nctl_op *op)
{
	struct nctl_prefix source = op->addr->local;
	struct nctl_route_walk walk;

	source.len = (uint8_t)nctl_prefix_bits(source.family);
	nctl_mirror_routes_of_source(m->have, &source, &walk);
	lose_routes(m, &walk, AF_UNSPEC);
	if (source.family != AF_INET || !is_new(m, op->ifindex, true))
		return;
	nctl_mirror_routes_of_link(m->have, op->ifindex, &walk);
	lose_routes(m, &walk, AF_INET);
}

static void lose_all(struct remember *m)
{
	struct nctl_route_cursor cursor = {0};
	const struct nctl_nexthop *n;
	const struct nctl_rule *rule;
	struct nctl_route v;
	nctl_route_ref ref;
	nctl_nhid id = 0;

	while (!m->err && (ref = nctl_mirror_route_next(m->have, &cursor))) {
		nctl_mirror_route_view(m->have, ref, &v);
		if (is_worth_keeping(v.protocol))
			lose(m, NCTL_OP_ROUTE_NEW, nctl_fib_copy_route(m->p, &v));
	}
	for (; !m->err && (n = nctl_mirror_nexthop_from(m->have, id)) && n->id < UINT32_MAX; id = n->id + 1)
		lose(m, NCTL_OP_NEXTHOP_NEW, nctl_fib_copy_nexthop(m->p, n));
	for (int family = AF_INET; family <= AF_INET6; family += AF_INET6 - AF_INET)
		for (size_t i = 0; !m->err && (rule = nctl_mirror_rule_at(m->have, (uint8_t)family, i)); i++)
			if (is_worth_keeping(rule->protocol))
				lose(m, NCTL_OP_RULE_NEW, nctl_fib_copy_rule(m->p, rule));
}

static void remember(struct remember *m, struct nctl_op *op)
{
	m->op = op;
	m->have = m->p->netns[op->netns].have;
	if (!m->have || !m->p->netns[op->netns].there)
		return;
	if (op->type == NCTL_OP_NETNS_DEL)
		lose_all(m);
	else if (op->type == NCTL_OP_ADDR_DEL)
		lose_addr(m, op);
	else if (op->type == NCTL_OP_NEXTHOP_DEL)
		lose_groups(m, op->fib->v.nexthop.id);
	else if (op->type == NCTL_OP_LINK_DEL || nctl_fib_touches(op))
		lose_link(m, nctl_mirror_link_get(m->have, op->ifindex), DEPTH_MAX);
	if (op->type == NCTL_OP_NEXTHOP_DEL) {
		struct nctl_route_walk walk;

		nctl_mirror_routes_of_nexthop(m->have, op->fib->v.nexthop.id, &walk);
		lose_routes(m, &walk, AF_UNSPEC);
	}
}

int nctl_plan_remember_fib(struct nctl_plan *p)
{
	struct remember m = {.p = p};

	nctl_hash_init(&m.links);
	for (size_t i = 0; i < p->n_ops && !m.err; i++)
		remember(&m, &p->ops[i]);
	nctl_hash_fini(&m.links);
	return m.err;
}
