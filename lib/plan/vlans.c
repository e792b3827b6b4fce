/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the VLANs of bridges and their ports (bridge(8)), where the configuration lists them: its list is all
 * that there is to be. They are set when all links have joined their masters, by up to two operations a link:
 * one adds, or changes flags, before the other takes away, so that a PVID moves without a gap. What a link
 * has that joins in the same plan, or whose bridge changes, is for the kernel to say (a default PVID): there
 * all that is not listed is taken away, which the kernel grants even for what is not there
 * (net/bridge/br_netlink.c br_vlan_info).
 */
#include "plan/parts.h"

#include <errno.h>
#include <string.h>

#include "obj/vlans.h"

struct nctl_op *nctl_plan_vlans_op(struct builder *b, struct nctl_op *op, struct nctl_vlans *vlans)
{
	size_t n = vlans ? sizeof(*vlans) + vlans->n * sizeof(*vlans->v) : 0;
	struct nctl_vlans *copy = n ? nctl_arena_alloc(&b->plan->arena, n) : NULL;

	if (copy)
		memcpy(copy, vlans, n);
	else
		b->err = -ENOMEM;
	nctl_vlans_unref(vlans);
	if (!op || !copy)
		return NULL;
	op->vlans = copy;
	return op;
}

/* Nothing to do for none. Takes the reference. */
static void set(
	struct builder *b, const struct nctl_want_link *w, enum nctl_op_type type, struct nctl_vlans *vlans)
{
	const struct item *it = &b->items[w->number];
	bool self = w->v.kind->traits & NCTL_KIND_VLANS;
	struct nctl_op *op;

	if (!vlans)
		return;
	op = nctl_plan_vlans_op(b, nctl_plan_link_op(b, w, type, NCTL_PHASE_TUNE), vlans);
	if (!op)
		return;
	op->self = self;
	op->pos = w->vlans_pos;
	if (it->joined_by != NCTL_OP_NONE)
		op->need[1] = it->joined_by;
	else if (!self)
		op->need[1] = b->items[w->master.link->number].made_by;
}

/* Is it known what it will have when all else is done? */
static bool is_settled(const struct builder *b, const struct nctl_want_link *w)
{
	const struct item *it = &b->items[w->number];
	const struct item *bridge =
		w->v.kind->traits & NCTL_KIND_VLANS ? it : &b->items[w->master.link->number];

	return it->state == ITEM_KEEP && bridge->state == ITEM_KEEP && !bridge->tuned &&
	       (bridge == it || it->have->v.master == bridge->ifindex);
}

void nctl_plan_vlans(struct builder *b, const struct nctl_want_link *w)
{
	const struct item *it = &b->items[w->number];
	bool self = w->v.kind->traits & NCTL_KIND_VLANS;
	struct nctl_vlans *add = NULL, *del = NULL;
	int r;

	if (!w->has_vlans || it->state == ITEM_WAIT ||
		(!self && b->items[w->master.link->number].state == ITEM_WAIT))
		return;
	if (is_settled(b, w)) {
		r = nctl_vlans_except(w->vlans, it->have->v.vlans, true, &add);
		if (r == 0)
			r = nctl_vlans_except(it->have->v.vlans, w->vlans, false, &del);
	} else {
		r = nctl_vlans_except(w->vlans, NULL, true, &add);
		if (r == 0)
			r = nctl_vlans_others(w->vlans, &del);
	}
	if (r < 0)
		b->err = r;
	set(b, w, NCTL_OP_VLANS_ADD, add);
	set(b, w, NCTL_OP_VLANS_DEL, del);
}
