/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: what one operation about a route, a next hop or a rule means to the mirror: is it done, and can it be
 * sent yet?
 */
#include "plan/op-fib.h"

#include <linux/if_addr.h>
#include <string.h>

#include "plan/parts.h"

bool nctl_op_is_fib(const struct nctl_op *op)
{
	return nctl_op_info(op)->fib;
}

static bool shows_route(const struct nctl_mirror *m, const struct nctl_route *r)
{
	nctl_route_ref ref = nctl_mirror_route_get(m, r->table, &r->dst);
	struct nctl_route have;

	for (; ref; ref = nctl_mirror_route_sibling(m, ref)) {
		nctl_mirror_route_view(m, ref, &have);
		if (have.protocol == r->protocol && nctl_fib_route_shows(r, &have))
			return true;
	}
	return false;
}

static bool shows_nexthop(const struct nctl_mirror *m, const struct nctl_nexthop *n)
{
	const struct nctl_nexthop *have = nctl_mirror_nexthop_get(m, n->id);

	return have && have->protocol == n->protocol && nctl_fib_nexthop_shows(n, have);
}

static bool shows_rule(const struct nctl_mirror *m, const struct nctl_op_fib *fib)
{
	const struct nctl_rule *r = &fib->v.rule, *have;

	if (fib->has_priority)
		return nctl_mirror_rule_has(m, r);
	for (size_t i = 0; (have = nctl_mirror_rule_at(m, r->family, i)); i++)
		if (have->protocol == r->protocol && nctl_fib_rule_shows(r, false, have))
			return true;
	return false;
}

bool nctl_fib_op_is_seen(const struct nctl_op *op, const struct nctl_mirror *m)
{
	bool goes = nctl_op_info(op)->deletes, shown;

	if (op->type == NCTL_OP_NEIGH_NEW || op->type == NCTL_OP_NEIGH_DEL)
		return op->state == NCTL_OP_ACKED || op->state == NCTL_OP_DONE;
	if (!m)
		return goes;
	if (op->type == NCTL_OP_ROUTE_NEW || op->type == NCTL_OP_ROUTE_DEL)
		shown = shows_route(m, &op->fib->v.route);
	else if (op->type == NCTL_OP_NEXTHOP_NEW || op->type == NCTL_OP_NEXTHOP_DEL)
		shown = shows_nexthop(m, &op->fib->v.nexthop);
	else
		shown = goes ? nctl_mirror_rule_has(m, &op->fib->v.rule) : shows_rule(m, op->fib);
	return shown != goes;
}

enum nctl_readiness nctl_op_readiness(const struct nctl_plan *p, const struct nctl_op *op)
{
	const struct nctl_mirror *m = p->netns[op->netns].have;
	const struct nctl_mirror_addr *a;

	if (op->type != NCTL_OP_ROUTE_NEW || op->fib->v.route.prefsrc.family != AF_INET6 || !m)
		return NCTL_OP_READY;
	a = nctl_mirror_addr_find(m, &op->fib->v.route.prefsrc);
	if (!a || !(a->v.flags & IFA_F_TENTATIVE) || (a->v.flags & IFA_F_OPTIMISTIC))
		return NCTL_OP_READY;
	return a->v.flags & IFA_F_DADFAILED ? NCTL_OP_HOPELESS : NCTL_OP_WAITING;
}

void nctl_plan_leave_out(struct nctl_plan *p, struct nctl_op *op)
{
	struct builder b = {.plan = p};
	char buf[NCTL_ADDR_STR];
	bool blocked = p->blocked;

	op->state = NCTL_OP_POISONED;
	op->blame = NCTL_OP_NONE;
	nctl_plan_problem(&b, NCTL_PROBLEM_WAIT, &op->pos,
		"the route to %s waits until %s is known to be no duplicate", op->name,
		nctl_addr_format(&op->fib->v.route.prefsrc, buf));
	p->blocked = blocked;
}
