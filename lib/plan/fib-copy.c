/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: deep copies of routes, next-hop objects and rules into the arena of a plan, for its operations. */
#include "plan/fib.h"

#include <string.h>

/* src's bytes; false: no memory. */
static bool copy_bytes(struct nctl_arena *a, struct nctl_bytes *b)
{
	uint8_t *p = b->n ? nctl_arena_alloc(a, b->n) : NULL;

	if (b->n && !p)
		return false;
	if (p)
		memcpy(p, b->p, b->n);
	b->p = p;
	return true;
}

static bool copy_hop(struct nctl_arena *a, struct nctl_hop *h)
{
	return copy_bytes(a, &h->encap) && copy_bytes(a, &h->rest);
}

static struct nctl_op_fib *copy_route(struct nctl_arena *a, const struct nctl_route *r)
{
	struct nctl_op_fib *fib = nctl_arena_alloc(a, sizeof(*fib));
	struct nctl_hop *hops = r->n_hops ? nctl_arena_alloc(a, r->n_hops * sizeof(*hops)) : NULL;
	struct nctl_route *v;

	if (!fib || (r->n_hops && !hops))
		return NULL;
	v = &fib->v.route;
	*v = *r;
	v->hops = hops;
	for (uint32_t i = 0; i < r->n_hops; i++) {
		hops[i] = r->hops[i];
		if (!copy_hop(a, &hops[i]))
			return NULL;
	}
	return copy_bytes(a, &v->metrics) && copy_bytes(a, &v->rest) ? fib : NULL;
}

static struct nctl_op_fib *copy_nexthop(struct nctl_arena *a, const struct nctl_nexthop *n)
{
	struct nctl_op_fib *fib = nctl_arena_alloc(a, sizeof(*fib));
	size_t bytes = n->n_members * sizeof(*n->members);
	void *members = bytes ? nctl_arena_alloc(a, bytes) : NULL;
	struct nctl_nexthop *v;

	if (!fib || (bytes && !members))
		return NULL;
	v = &fib->v.nexthop;
	*v = *n;
	if (bytes)
		memcpy(members, n->members, bytes);
	v->members = members;
	return copy_hop(a, &v->hop) && copy_bytes(a, &v->rest) ? fib : NULL;
}

static struct nctl_op_fib *copy_rule(struct nctl_arena *a, const struct nctl_rule *r)
{
	struct nctl_op_fib *fib = nctl_arena_alloc(a, sizeof(*fib));

	if (!fib)
		return NULL;
	fib->v.rule = *r;
	return copy_bytes(a, &fib->v.rule.rest) ? fib : NULL;
}

static struct nctl_op_fib *copy_neigh(struct nctl_arena *a, const struct nctl_neigh *n)
{
	struct nctl_op_fib *fib = nctl_arena_alloc(a, sizeof(*fib));

	if (!fib)
		return NULL;
	fib->v.neigh = *n;
	return copy_bytes(a, &fib->v.neigh.rest) ? fib : NULL;
}

struct nctl_op_fib *nctl_fib_copy_neigh(struct nctl_plan *p, const struct nctl_neigh *n)
{
	return copy_neigh(&p->arena, n);
}

struct nctl_op_fib *nctl_fib_copy_route(struct nctl_plan *p, const struct nctl_route *r)
{
	return copy_route(&p->arena, r);
}

struct nctl_op_fib *nctl_fib_copy_nexthop(struct nctl_plan *p, const struct nctl_nexthop *n)
{
	return copy_nexthop(&p->arena, n);
}

struct nctl_op_fib *nctl_fib_copy_rule(struct nctl_plan *p, const struct nctl_rule *r)
{
	return copy_rule(&p->arena, r);
}

struct nctl_op_fib *nctl_fib_copy(struct nctl_arena *a, uint8_t type, const struct nctl_op_fib *fib)
{
	struct nctl_op_fib *copy = type == NCTL_OP_NEIGH_NEW   ? copy_neigh(a, &fib->v.neigh)
	                           : type == NCTL_OP_ROUTE_NEW ? copy_route(a, &fib->v.route)
	                           : type == NCTL_OP_RULE_NEW  ? copy_rule(a, &fib->v.rule)
	                                                       : copy_nexthop(a, &fib->v.nexthop);

	if (copy)
		copy->has_priority = fib->has_priority;
	return copy;
}
