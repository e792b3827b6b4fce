/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: devices that get another name (set-name), before all else. Where the new name is that of a device
 * which gets another one itself, there is a step between: first all of them give their names up, then they
 * take the new ones. Older kernels rename only what is down.
 */
#include "plan/parts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { RANK_GIVE_UP, RANK_TAKE };

static struct nctl_op *set_name(struct builder *b, const struct nctl_want_link *w, uint32_t rank)
{
	struct nctl_op *op = nctl_plan_link_op(b, w, NCTL_OP_LINK_SET, NCTL_PHASE_CREATE);

	if (!op)
		return NULL;
	op->rank = rank;
	op->diff.common = NCTL_LINK_BIT(NAME);
	b->items[w->number].renamed_by = nctl_plan_last(b);
	return op;
}

/* A name that nobody has: by the ifindex. */
static void step_aside(struct builder *b, const struct nctl_want_link *w)
{
	struct nctl_want_link *aside = nctl_arena_alloc(&b->plan->arena, sizeof(*aside));
	struct nctl_op *op = aside ? set_name(b, w, RANK_GIVE_UP) : NULL;

	if (!op) {
		b->err = b->err ? b->err : -ENOMEM;
		return;
	}
	*aside = *w;
	snprintf(aside->v.name, sizeof(aside->v.name), "ntmp%u", op->ifindex);
	op->want = aside;
	op->passing = true;
}

static void go_down(struct builder *b, const struct nctl_want_link *w)
{
	struct nctl_op *op = nctl_plan_link_op(b, w, NCTL_OP_LINK_SET, NCTL_PHASE_CREATE);

	if (!op)
		return;
	op->rank = RANK_GIVE_UP;
	op->diff.common = NCTL_LINK_BIT(FLAGS);
	op->cls = NCTL_CHANGE_FLAP;
	op->passing = true;
}

bool nctl_plan_rename(struct builder *b, const struct nctl_want_link *w, const struct nctl_mirror_link *have)
{
	const struct nctl_mirror_link *other = nctl_mirror_link_find(b->have, w->v.name);
	const struct nctl_want_link *its =
		other ? nctl_want_bound(b->want, b->netns, other->v.ifindex) : NULL;
	bool down = nctl_link_is_up(&have->v) && !b->opts->renames_up;
	struct nctl_op *op;

	if (other == have)
		other = NULL; /* by an altname of its own */
	if (other && (!its || !strcmp(its->v.name, other->v.name))) {
		nctl_plan_problem(b, NCTL_PROBLEM_CONFLICT, &w->match->set_name_pos,
			"%s cannot be named %s, which is the name of another link (ifindex %u); rename that",
			have->v.name, w->v.name, other->v.ifindex);
		return false;
	}
	if (down)
		go_down(b, w);
	if (other)
		step_aside(b, w);
	op = set_name(b, w, other ? RANK_TAKE : RANK_GIVE_UP);
	if (op)
		op->cls = down ? NCTL_CHANGE_FLAP : NCTL_CHANGE_LIVE;
	return down;
}
