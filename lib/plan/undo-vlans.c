/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the VLANs of bridges and their ports on the way back. What an operation added and what it took away is
 * turned round by the list from before; a link that comes back into a bridge, or a bridge that is made again,
 * gets that list as a whole.
 */
#include "plan/undo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "obj/vlans.h"

/* Takes the reference. */
static void set(struct undo *u, const struct nctl_op *op, enum nctl_op_type type, struct nctl_vlans *vlans)
{
	struct nctl_op *back;

	if (!vlans)
		return;
	back = nctl_plan_vlans_op(&u->b, nctl_undo_turn(u, op, type, NCTL_PHASE_TUNE), vlans);
	if (back)
		back->self = op->before->link.kind && (op->before->link.kind->traits & NCTL_KIND_VLANS);
}

/* What of the old list the operation may have changed: the PVID goes as well when another VLAN takes it. */
static int changed(const struct nctl_op *op, const struct nctl_vlans *old, struct nctl_vlans **ret)
{
	const struct nctl_vlan_range *pvid = nctl_vlans_pvid(op->vlans) ? nctl_vlans_pvid(old) : NULL;
	struct nctl_vlan_range *v = malloc((op->vlans->n + 1) * sizeof(*v));
	struct nctl_vlans *touched;
	int r;

	if (!v)
		return -ENOMEM;
	memcpy(v, op->vlans->v, op->vlans->n * sizeof(*v));
	if (pvid)
		v[op->vlans->n] = *pvid;
	r = nctl_vlans_new(v, op->vlans->n + (pvid ? 1 : 0), &touched);
	free(v);
	if (r == 0)
		r = nctl_vlans_common(old, touched, ret);
	nctl_vlans_unref(touched);
	return r;
}

/* Only while the link stays where it was: else it comes back as a whole. */
void nctl_undo_vlans(struct undo *u, const struct nctl_op *op)
{
	const struct nctl_link *l = op->before ? &op->before->link : NULL;
	struct nctl_vlans *add = NULL, *del = NULL;
	int r;

	if (!l || (!op->self && (!l->master || l->master != op->master)))
		return;
	r = changed(op, l->vlans, &add);
	if (r == 0 && op->type == NCTL_OP_VLANS_ADD)
		r = nctl_vlans_except(op->vlans, l->vlans, false, &del);
	if (r < 0)
		u->b.err = r;
	set(u, op, NCTL_OP_VLANS_ADD, add);
	set(u, op, NCTL_OP_VLANS_DEL, del);
}

/* A kernel without VLANs on bridges knows none anywhere, and refuses to be told so. */
static bool knows_vlans(const struct nctl_mirror *m)
{
	const struct nctl_mirror_link *l = m ? nctl_mirror_link_from(m, 1) : NULL;

	while (l && !l->v.vlans)
		l = nctl_mirror_link_next(l);
	return l;
}

void nctl_undo_vlans_again(struct undo *u, const struct nctl_op *op)
{
	const struct nctl_link *l = &op->before->link;
	const struct nctl_kind *k = l->master ? l->port_kind : l->kind;
	struct nctl_vlans *del;
	int r;

	if (!k || !(k->traits & NCTL_KIND_VLANS) || (!l->vlans && !knows_vlans(u->p->netns[op->netns].have)))
		return;
	r = nctl_vlans_others(l->vlans, &del);
	if (r < 0) {
		u->b.err = r;
		return;
	}
	set(u, op, NCTL_OP_VLANS_ADD, nctl_vlans_ref(l->vlans));
	set(u, op, NCTL_OP_VLANS_DEL, del);
}
