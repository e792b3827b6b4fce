/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the way back of routes, next-hop objects and rules: what was made goes, what was replaced or deleted
 * returns with its own protocol, and so does what a link, an address or a next hop took along, if it is
 * missing then.
 */
#include "plan/undo.h"

#include <errno.h>
#include <linux/netlink.h>

#include "plan/fib.h"

static enum nctl_fib_rank rank_of_route(const struct nctl_route *r)
{
	for (uint32_t i = 0; i < r->n_hops; i++)
		if (r->hops[i].via.family)
			return NCTL_FIB_ROUTE;
	return r->nhid ? NCTL_FIB_ROUTE : NCTL_FIB_DEVICE_ROUTE;
}

static enum nctl_fib_rank rank_of(enum nctl_op_type type, const struct nctl_op_fib *fib)
{
	if (type == NCTL_OP_ROUTE_NEW)
		return rank_of_route(&fib->v.route);
	if (type == NCTL_OP_RULE_NEW)
		return NCTL_FIB_RULE;
	if (type == NCTL_OP_NEIGH_NEW)
		return NCTL_FIB_NEIGH;
	return fib->v.nexthop.group ? NCTL_FIB_GROUP : NCTL_FIB_NEXTHOP;
}

/* It comes back as it was, of whatever protocol. */
static void bring_back(struct undo *u, const struct nctl_op *op, enum nctl_op_type type,
	const struct nctl_op_fib *fib, uint16_t nlm_flags)
{
	struct nctl_op_fib *value = nctl_arena_alloc(&u->b.plan->arena, sizeof(*value));
	struct fib f = {.b = &u->b};
	struct nctl_op *back;

	if (!value) {
		u->b.err = -ENOMEM;
		return;
	}
	*value = *fib;
	value->old = NULL;
	value->has_priority = true;
	value->nlm_flags = NLM_F_CREATE | nlm_flags;
	nctl_plan_enter(&u->b, op->netns);
	back = nctl_fib_op(
		&f, type, rank_of(type, fib), nctl_fib_label(&u->b, (uint8_t)type, fib), &op->pos, &value);
	if (back)
		back->if_missing = true;
}

/* Of IPv4 behind its equals, as they were walked; of IPv6 beside its siblings. */
static uint16_t flags_of(enum nctl_op_type type, const struct nctl_op_fib *fib)
{
	if (type == NCTL_OP_ROUTE_NEW)
		return fib->v.route.dst.family == AF_INET ? NLM_F_APPEND : 0;
	return NLM_F_REPLACE; /* a group that has lost members */
}

static void take_away(struct undo *u, const struct nctl_op *op, enum nctl_op_type type,
	enum nctl_fib_rank rank, const struct nctl_op_fib *fib)
{
	struct nctl_op_fib *value = (struct nctl_op_fib *)(uintptr_t)fib;
	struct fib f = {.b = &u->b};
	struct nctl_op *back;
	const struct nctl_op *need = op->need[0] != NCTL_OP_NONE ? &u->p->ops[op->need[0]] : NULL;

	nctl_plan_enter(&u->b, op->netns);
	back = nctl_fib_op(&f, type, rank, op->name, &op->pos, &value);
	if (back)
		back->implied = need && need->type == NCTL_OP_LINK_NEW && nctl_undo_may_have_happened(need);
}

/* The kernel has chosen its priority. */
static const struct nctl_op_fib *find_rule(struct undo *u, const struct nctl_op *op)
{
	const struct nctl_mirror *m = u->p->netns[op->netns].have;
	const struct nctl_rule *want = &op->fib->v.rule, *r;
	struct nctl_op_fib *fib;

	if (op->fib->has_priority || !m)
		return op->fib;
	for (size_t i = 0; (r = nctl_mirror_rule_at(m, want->family, i)); i++) {
		if (r->protocol != want->protocol || !nctl_fib_rule_shows(want, false, r))
			continue;
		fib = nctl_fib_copy_rule(u->b.plan, r);
		u->b.err = fib ? u->b.err : -ENOMEM;
		return fib;
	}
	return NULL;
}

static void undo_new(struct undo *u, const struct nctl_op *op)
{
	const struct nctl_op_fib *fib;

	if (op->if_missing)
		return; /* was there before */
	fib = op->type == NCTL_OP_RULE_NEW ? find_rule(u, op) : op->fib;
	if (!fib)
		return;
	if (fib->old)
		bring_back(u, op, (enum nctl_op_type)op->type, fib->old, NLM_F_REPLACE);
	else if (op->type == NCTL_OP_ROUTE_NEW)
		take_away(u, op, NCTL_OP_ROUTE_DEL, NCTL_FIB_UNROUTE, fib);
	else if (op->type == NCTL_OP_RULE_NEW)
		take_away(u, op, NCTL_OP_RULE_DEL, NCTL_FIB_UNRULE, fib);
	else if (op->type == NCTL_OP_NEIGH_NEW)
		take_away(u, op, NCTL_OP_NEIGH_DEL, NCTL_FIB_UNNEIGH, fib);
	else
		take_away(u, op, NCTL_OP_NEXTHOP_DEL,
			fib->v.nexthop.group ? NCTL_FIB_UNGROUP : NCTL_FIB_UNNEXTHOP, fib);
}

/* What makes again what such an operation takes away. */
static enum nctl_op_type new_of(const struct nctl_op *del)
{
	return del->type == NCTL_OP_ROUTE_DEL   ? NCTL_OP_ROUTE_NEW
	       : del->type == NCTL_OP_RULE_DEL  ? NCTL_OP_RULE_NEW
	       : del->type == NCTL_OP_NEIGH_DEL ? NCTL_OP_NEIGH_NEW
	                                        : NCTL_OP_NEXTHOP_NEW;
}

static void return_lost(struct undo *u, const struct nctl_op *op)
{
	for (const struct nctl_fib_lost *l = op->lost; l && !u->b.err; l = l->next)
		bring_back(u, op, (enum nctl_op_type)l->type, l->fib,
			flags_of((enum nctl_op_type)l->type, l->fib));
}

void nctl_undo_fib(struct undo *u, const struct nctl_op *op)
{
	if (nctl_op_is_fib(op) && !nctl_op_info(op)->deletes)
		undo_new(u, op);
	else if (nctl_op_is_fib(op))
		bring_back(u, op, new_of(op), op->fib, flags_of(new_of(op), op->fib));
	return_lost(u, op);
}
