/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the part of a snapshot that is told by generic netlink. It is kept in memory and nowhere else, since
 * keys of WireGuard are in it; a daemon that was killed begins with the accepted configuration, which says it
 * again.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "plan/parts.h"
#include "plan/snapshot.h"

static struct nctl_ethtool *copy_ethtool(
	struct nctl_snapshot *s, const struct nctl_ethtool *from, enum nctl_ethtool_group g)
{
	struct nctl_ethtool *copy = nctl_arena_alloc(&s->arena, sizeof(*copy));
	const struct nctl_switches *old = g < NCTL_ETHTOOL_N_SWITCHES ? &from->switches[g] : NULL;
	struct nctl_switch *v = old ? nctl_arena_alloc(&s->arena, old->n * sizeof(*v)) : NULL;

	if (!copy || (old && !v))
		return NULL;
	*copy = *from;
	memset(copy->switches, 0, sizeof(copy->switches));
	if (old) {
		memcpy(v, old->v, old->n * sizeof(*v));
		copy->switches[g] = (struct nctl_switches){v, old->n};
	}
	return copy;
}

static struct nctl_snap_told *add(struct nctl_snapshot *s, const struct nctl_op *op)
{
	struct nctl_snap_told *v;

	if (nctl_array_grow(&s->told, &s->cap_told, s->n_told, sizeof(*v)) < 0)
		return NULL;
	v = &s->told[s->n_told];
	*v = (struct nctl_snap_told){
		.netns = op->netns, .ifindex = op->ifindex, .name = nctl_arena_strdup(&s->arena, op->name)};
	return v->name ? v : NULL;
}

int nctl_snapshot_take_told(struct nctl_snapshot *s, const struct nctl_op *op)
{
	const struct nctl_wg *wg = op->type == NCTL_OP_WG_SET ? op->old_wg
	                           : op->before               ? op->before->wg
	                                                      : NULL;
	bool is_driver = op->type == NCTL_OP_ETHTOOL_SET;
	struct nctl_snap_told *t;

	if (is_driver ? !op->old_ethtool : !wg)
		return 0;
	t = add(s, op);
	if (!t)
		return -ENOMEM;
	if (is_driver) {
		t->group = op->group;
		t->ethtool = copy_ethtool(s, op->old_ethtool, op->group);
	} else {
		t->changed = op->type == NCTL_OP_WG_SET;
		t->wg = nctl_wg_dup(wg);
	}
	if (!t->ethtool && !t->wg)
		return -ENOMEM;
	s->n_told++;
	return 0;
}

const struct nctl_wg *nctl_snapshot_wg(const struct nctl_snapshot *s, uint32_t netns, nctl_ifindex ifindex)
{
	for (size_t i = 0; i < s->n_told; i++)
		if (s->told[i].wg && s->told[i].netns == netns && s->told[i].ifindex == ifindex)
			return s->told[i].wg;
	return NULL;
}

void nctl_snapshot_forget_told(struct nctl_snapshot *s)
{
	for (size_t i = 0; i < s->n_told; i++)
		if (s->told[i].wg) {
			nctl_wg_fini(s->told[i].wg);
			free(s->told[i].wg);
		}
	free(s->told);
}

void nctl_snapshot_restore_told(struct builder *b, const struct nctl_snapshot *s, const bool *gone)
{
	for (size_t i = 0; !b->err && i < s->n_told; i++) {
		const struct nctl_snap_told *t = &s->told[i];
		const struct nctl_mirror *m = gone[t->netns] ? NULL : b->plan->netns[t->netns].have;
		struct nctl_op *op;

		/* One that is made again comes with its keys (nctl_op_before). */
		if (!m || !nctl_mirror_link_get(m, t->ifindex) || (t->wg && !t->changed))
			continue;
		nctl_plan_enter(b, t->netns);
		op = nctl_plan_add(b, t->wg ? NCTL_OP_WG_SET : NCTL_OP_ETHTOOL_SET, NCTL_PHASE_TUNE);
		if (!op)
			return;
		op->state = NCTL_OP_DONE;
		op->name = nctl_plan_copy_name(b, t->name);
		op->kind = "";
		op->ifindex = t->ifindex;
		if (t->wg) {
			op->old_wg = t->wg;
			continue;
		}
		op->ethtool = op->old_ethtool = t->ethtool;
		op->group = t->group;
	}
}
