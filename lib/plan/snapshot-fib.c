/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: routes, next-hop objects, rules and neighbours in a snapshot: those that a plan replaces or deletes,
 * or that go along with links, addresses and next hops (remember-fib.c has found them), and those that it
 * makes; and the way back to them.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "plan/fib.h"
#include "plan/snapshot.h"

int nctl_snapshot_add_fib(struct nctl_snapshot *s, const struct nctl_snap_fib *f)
{
	struct nctl_snap_fib copy = *f;

	copy.fib = nctl_fib_copy(&s->arena, f->type, f->fib);
	if (!copy.fib || nctl_array_grow(&s->fibs, &s->cap_fibs, s->n_fibs, sizeof(copy)) < 0)
		return -ENOMEM;
	s->fibs[s->n_fibs++] = copy;
	return 0;
}

static int take(struct nctl_snapshot *s, const struct nctl_op *op, uint8_t type,
	const struct nctl_op_fib *fib, bool added)
{
	return nctl_snapshot_add_fib(
		s, &(struct nctl_snap_fib){.netns = op->netns, .type = type, .added = added, .fib = fib});
}

/* What it makes: of an object that it changes, the old one says enough. */
static int take_new(struct nctl_snapshot *s, const struct nctl_op *op)
{
	const struct nctl_op_fib *old = op->fib->old;
	int r = old ? take(s, op, op->type, old, false) : 0;

	if (r < 0 || op->if_missing ||
		(old && (op->type == NCTL_OP_NEXTHOP_NEW || op->type == NCTL_OP_NEIGH_NEW)))
		return r;
	return take(s, op, op->type, op->fib, true);
}

int nctl_snapshot_take_fib(struct nctl_snapshot *s, const struct nctl_op *op)
{
	int r = 0;

	for (const struct nctl_fib_lost *l = op->lost; l && r >= 0; l = l->next)
		r = take(s, op, l->type, l->fib, false);
	if (r < 0 || !nctl_op_is_fib(op))
		return r;
	if (!nctl_op_info(op)->deletes)
		return take_new(s, op);
	/* Each deletion stands behind its NEW. */
	return take(s, op, (uint8_t)(op->type - 1), op->fib, false);
}

/* As the operation of a plan that has been carried out: undoing it does what is to be done. */
struct nctl_op *nctl_snapshot_turn_fib(struct builder *b, const struct nctl_snap_fib *f)
{
	struct nctl_op_fib *fib = nctl_fib_copy(&b->plan->arena, f->type, f->fib);
	uint8_t type = (uint8_t)(f->added ? f->type : f->type + 1);
	struct fib own = {.b = b};
	struct nctl_op *op;

	if (!fib) {
		b->err = -ENOMEM;
		return NULL;
	}
	op = nctl_fib_op(
		&own, (enum nctl_op_type)type, NCTL_FIB_ROUTE, nctl_fib_label(b, f->type, fib), NULL, &fib);
	if (op)
		op->state = NCTL_OP_DONE;
	return op;
}

bool nctl_snapshot_fib_is_there(const struct nctl_mirror *m, const struct nctl_snap_fib *f)
{
	const struct nctl_op probe = {.type = f->type, .fib = f->fib};

	return nctl_fib_op_is_seen(&probe, m);
}
