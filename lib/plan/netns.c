/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the namespaces of a plan. Items and operations of all namespaces stand in one array each; what is read
 * (mirror, ledger) is switched by nctl_plan_enter. A namespace that is to be made is planned as if it were
 * there with its lo, and everything in it needs the operation that makes it.
 */
#include "plan/parts.h"

#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

void nctl_plan_enter(struct builder *b, uint32_t netns)
{
	const struct nctl_plan_netns *n = &b->plan->netns[netns];

	b->netns = netns;
	b->have = n->there ? n->have : b->plan->fresh;
	b->ledger = n->there ? n->ledger : NULL;
}

bool nctl_plan_netns_is_doomed(const struct nctl_plan_netns *n)
{
	return !n->want && n->name && n->there && n->ours;
}

/* As a new namespace comes from the kernel: lo alone, down (drivers/net/loopback.c). */
int nctl_plan_netns_fresh(struct builder *b)
{
	struct nctl_plan *p = b->plan;
	struct nctl_link lo = NCTL_LINK_INIT;
	bool all_there = true;
	int r;

	for (size_t i = 0; i < p->n_netns; i++)
		all_there &= p->netns[i].there;
	if (all_there)
		return 0;
	r = nctl_mirror_new(&p->fresh);
	if (r < 0)
		return r;
	lo.ifindex = 1;
	lo.flags = IFF_LOOPBACK;
	lo.mtu = 65536;
	memcpy(lo.name, "lo", sizeof("lo"));
	lo.has = NCTL_LINK_BIT(NAME) | NCTL_LINK_BIT(FLAGS) | NCTL_LINK_BIT(MTU) | NCTL_LINK_BIT(MASTER) |
	         NCTL_LINK_BIT(GROUP) | NCTL_LINK_BIT(ALIAS) | NCTL_LINK_BIT(ALTNAMES);
	return nctl_mirror_link_put(p->fresh, &lo, NCTL_SOURCE_EVENT);
}

int nctl_plan_netns_init(struct builder *b, const struct nctl_plan_netns *netns, size_t n)
{
	struct nctl_plan *p = b->plan;

	p->netns = calloc(n, sizeof(*p->netns));
	b->netns_made = calloc(n, sizeof(*b->netns_made));
	if (!p->netns || !b->netns_made)
		return -ENOMEM;
	p->n_netns = n;
	for (size_t i = 0; i < n; i++) {
		p->netns[i] = netns[i];
		b->netns_made[i] = NCTL_OP_NONE;
	}
	return 0;
}

struct nctl_op *nctl_plan_netns_op(struct builder *b, enum nctl_op_type type, enum nctl_phase phase)
{
	const struct nctl_plan_netns *n = &b->plan->netns[b->netns];
	struct nctl_op *op = nctl_plan_add(b, type, phase);

	if (!op)
		return NULL;
	op->kind = "netns";
	op->name = n->name;
	if (n->want)
		op->pos = n->want->pos;
	return op;
}

uint32_t nctl_plan_nsid(struct builder *b, uint32_t first, uint32_t second)
{
	const struct nctl_op *last = b->last_nsid != NCTL_OP_NONE ? &b->plan->ops[b->last_nsid] : NULL;
	uint32_t back = b->netns;
	struct nctl_op *op;

	if (!first || !second || first == second)
		return first ? b->netns_made[first] : b->netns_made[second];
	if (last && last->netns == second && last->peer_netns == first)
		return b->last_nsid;
	nctl_plan_enter(b, second);
	op = nctl_plan_netns_op(b, NCTL_OP_NETNS_ID, NCTL_PHASE_NETNS);
	nctl_plan_enter(b, back);
	if (!op)
		return NCTL_OP_NONE;
	op->peer_netns = first;
	op->nsid = NCTL_NSID_NONE;
	op->need[0] = b->netns_made[first];
	b->last_nsid = nctl_plan_last(b);
	return b->last_nsid;
}

bool nctl_plan_is_pair(const struct nctl_plan *p, uint32_t netns, const struct nctl_link *l,
	uint32_t other_netns, const struct nctl_link *other)
{
	bool here = l->lower_nsid == NCTL_NSID_NONE, other_here = other->lower_nsid == NCTL_NSID_NONE;

	if (l->lower != other->ifindex || other->lower != l->ifindex)
		return false;
	if (netns == other_netns)
		return here && other_here;
	if (here || other_here)
		return false;
	/* What an nsid means is known of home only. */
	if (!netns)
		return l->lower_nsid == p->netns[other_netns].nsid;
	return other_netns || other->lower_nsid == p->netns[netns].nsid;
}

bool nctl_plan_was_last_at(const struct nctl_plan *p, const struct nctl_pos *pos)
{
	const struct nctl_pos *last = p->n_problems ? &p->problems[p->n_problems - 1].pos : NULL;

	return last && last->file == pos->file && last->line == pos->line && last->column == pos->column;
}

void nctl_plan_netns_new(struct builder *b)
{
	struct nctl_plan *p = b->plan;

	for (uint32_t i = 1; i < p->n_netns && !b->err; i++) {
		if (!p->netns[i].want || p->netns[i].there)
			continue;
		nctl_plan_enter(b, i);
		if (nctl_plan_netns_op(b, NCTL_OP_NETNS_NEW, NCTL_PHASE_NETNS))
			b->netns_made[i] = nctl_plan_last(b);
	}
	for (uint32_t i = 0; i < p->n_netns && !b->err; i++) {
		const struct nctl_want_netns *w = p->netns[i].want;

		nctl_plan_enter(b, i);
		if (w && b->have)
			nctl_plan_netns_sysctls(b);
		else if (w && !nctl_plan_was_last_at(p, &w->pos))
			nctl_plan_problem(b, NCTL_PROBLEM_WAIT, &w->pos, "namespace %s cannot be read yet",
				w->def ? w->def->label : w->name);
	}
}
