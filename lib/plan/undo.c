/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the way back. While a plan is built, what it will change or delete is copied into its operations: that
 * state, and not some older configuration, is "the state before". The plan back is made of the operations
 * that may have taken effect, turned round and in reverse: what was made goes, what went is made again under
 * its old ifindex, what was set is set to what it was, and addresses that a flap took along return. What the
 * kernel keeps beside links and addresses (neighbours, FDB entries, qdiscs of a deleted link) is lost.
 */
#include "plan/private.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

/* What the kernel makes again by itself is left out. */
static bool is_worth_keeping(const struct nctl_addr *a)
{
	return a->local.family == AF_INET || a->scope != RT_SCOPE_LINK;
}

static int remember_addrs(struct nctl_op_before *before, const struct nctl_mirror_link *l)
{
	const struct nctl_mirror_addr *a;

	if (!l->addrs.n)
		return 0;
	before->addrs = calloc(l->addrs.n, sizeof(*before->addrs));
	if (!before->addrs)
		return -ENOMEM;
	for (a = nctl_mirror_addr_first(l); a; a = nctl_mirror_addr_next(a))
		if (is_worth_keeping(&a->v))
			before->addrs[before->n_addrs++] = a->v;
	return 0;
}

/* Can this operation cost the link its addresses? */
static bool takes_addrs(const struct nctl_op *op)
{
	return op->type == NCTL_OP_LINK_DEL || op->cls >= NCTL_CHANGE_FLAP ||
	       (op->diff.common & (NCTL_LINK_BIT(MASTER) | NCTL_LINK_BIT(FLAGS)));
}

static int remember_link(struct nctl_op *op, const struct nctl_mirror *have)
{
	const struct nctl_mirror_link *l = nctl_mirror_link_get(have, op->ifindex);

	if (!l)
		return 0; /* it is made by this plan */
	op->before = calloc(1, sizeof(*op->before));
	if (!op->before || nctl_link_copy(&op->before->link, &l->v) < 0)
		return -ENOMEM;
	return takes_addrs(op) ? remember_addrs(op->before, l) : 0;
}

static int remember_addr(struct nctl_op *op, const struct nctl_mirror *have)
{
	struct nctl_addr wanted = op->want_addr->v;
	const struct nctl_mirror_addr *a;

	wanted.ifindex = op->ifindex;
	a = nctl_mirror_addr_get(have, &wanted);
	if (!a)
		return 0;
	op->before = calloc(1, sizeof(*op->before));
	if (!op->before)
		return -ENOMEM;
	op->before->link = NCTL_LINK_INIT;
	op->addr = a->v;
	return 0;
}

int nctl_plan_remember(struct nctl_plan *p, const struct nctl_mirror *have)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < p->n_ops; i++)
		switch ((enum nctl_op_type)p->ops[i].type) {
		case NCTL_OP_LINK_SET:
		case NCTL_OP_LINK_DEL:
			r = remember_link(&p->ops[i], have);
			break;
		case NCTL_OP_ADDR_NEW:
			r = remember_addr(&p->ops[i], have);
			break;
		case NCTL_OP_LINK_NEW:
		case NCTL_OP_ALTNAME_NEW:
		case NCTL_OP_ALTNAME_DEL:
		case NCTL_OP_ADDR_DEL:
			break;
		}
	return r;
}

void nctl_plan_forget(struct nctl_plan *p)
{
	for (size_t i = 0; i < p->n_ops; i++) {
		struct nctl_op_before *before = p->ops[i].before;

		if (!before)
			continue;
		nctl_link_fini(&before->link);
		free(before->addrs);
		free(before);
	}
}

static bool may_have_happened(const struct nctl_op *op)
{
	switch ((enum nctl_op_state)op->state) {
	case NCTL_OP_SENT:
	case NCTL_OP_ACKED:
	case NCTL_OP_DONE:
	case NCTL_OP_UNSEEN:
		return true;
	case NCTL_OP_PENDING:
	case NCTL_OP_REFUSED:
	case NCTL_OP_POISONED:
		break;
	}
	return false;
}

/* An operation that concerns the same link as op. */
static struct nctl_op *turn(
	struct builder *b, const struct nctl_op *op, enum nctl_op_type type, enum nctl_phase phase)
{
	struct nctl_op *back = nctl_plan_add(b, type, phase);

	if (!back)
		return NULL;
	back->ifindex = op->ifindex;
	back->kind = op->kind;
	back->pos = op->pos;
	memcpy(back->name, op->name, sizeof(back->name));
	return back;
}

/* A wanted link that stands for what was; it borrows from the plan that is undone. */
static struct nctl_want_link *want_before(struct builder *b, const struct nctl_op *op)
{
	struct nctl_want_link *w = nctl_arena_alloc(&b->plan->arena, sizeof(*w));
	struct nctl_want_def *def = nctl_arena_alloc(&b->plan->arena, sizeof(*def));

	if (!w || !def) {
		b->err = -ENOMEM;
		return NULL;
	}
	w->v = op->before->link;
	if (!w->v.kind)
		w->v.kind = nctl_kind_find("physical"); /* as the configuration calls them */
	w->v.altnames = NULL;
	w->def = def;
	w->pos = op->pos;
	def->label = op->name;
	def->pos = op->pos;
	def->kind = w->v.kind;
	return w;
}

static void add_addr(
	struct builder *b, const struct nctl_op *op, const struct nctl_addr *a, struct nctl_want_link *w)
{
	struct nctl_want_addr *wa = nctl_arena_alloc(&b->plan->arena, sizeof(*wa));
	struct nctl_op *back = wa ? turn(b, op, NCTL_OP_ADDR_NEW, NCTL_PHASE_ADDRESS) : NULL;

	if (!back) {
		b->err = -ENOMEM;
		return;
	}
	wa->v = *a;
	wa->pos = op->pos;
	back->want = w;
	back->want_addr = wa;
	back->verbatim = true;
}

static void add_addrs(struct builder *b, const struct nctl_op *op, struct nctl_want_link *w)
{
	for (size_t i = 0; i < op->before->n_addrs; i++)
		add_addr(b, op, &op->before->addrs[i], w);
}

static void undo_new(struct builder *b, const struct nctl_plan *p, const struct nctl_op *op)
{
	const struct nctl_op *lower = op->need[0] != NCTL_OP_NONE ? &p->ops[op->need[0]] : NULL;
	struct nctl_op *back = turn(b, op, NCTL_OP_LINK_DEL, NCTL_PHASE_CLEAR);

	if (back)
		back->implied = lower && lower->type == NCTL_OP_LINK_NEW && may_have_happened(lower) &&
		                (op->want->v.kind->traits & NCTL_KIND_LOWER_REQUIRED);
}

static void undo_set(struct builder *b, const struct nctl_op *op)
{
	struct nctl_want_link *w;
	struct nctl_op *back;

	if (!op->before)
		return; /* the link goes as a whole */
	w = want_before(b, op);
	back = w ? turn(b, op, NCTL_OP_LINK_SET, NCTL_PHASE_TUNE) : NULL;
	if (!back)
		return;
	back->want = w;
	back->diff = op->diff;
	back->master = op->before->link.master;
	back->lower = op->before->link.lower;
	back->up = nctl_link_is_up(&op->before->link);
	back->passing = op->passing;
	back->cls = op->cls;
	add_addrs(b, op, w);
}

/* The other end of a pair whose deletion is undone: the operation that deleted it, or NULL. */
static const struct nctl_op *other_end(const struct nctl_plan *p, const struct nctl_op *op)
{
	for (size_t i = 0; i < p->n_ops; i++)
		if (p->ops[i].type == NCTL_OP_LINK_DEL && p->ops[i].ifindex == op->before->link.lower)
			return &p->ops[i];
	return NULL;
}

static void make_again(
	struct builder *b, const struct nctl_plan *p, const struct nctl_op *op, struct nctl_want_link *w)
{
	const struct nctl_link *l = &op->before->link;
	const struct nctl_op *other = NULL;
	struct nctl_op *back;

	if (l->kind->traits & NCTL_KIND_PEERED) {
		other = other_end(p, op);
		if (!other || !other->before || other->ifindex < op->ifindex)
			return; /* made together with the other end */
		w->peer.link = want_before(b, other);
		if (!w->peer.link)
			return;
		w->peer.link->peer.link = w;
	}
	back = turn(b, op, NCTL_OP_LINK_NEW, NCTL_PHASE_CREATE);
	if (!back)
		return;
	back->want = w;
	back->lower = other ? 0 : l->lower;
	back->master = l->master;
	back->pair = other;
	back->peer_ifindex = other ? other->ifindex : 0;
}

/* What a creating message cannot carry, and whether it is up. */
static void tune_again(struct builder *b, const struct nctl_op *op, struct nctl_want_link *w)
{
	const struct nctl_link *l = &op->before->link;
	struct nctl_op *back = turn(b, op, NCTL_OP_LINK_SET, NCTL_PHASE_TUNE);

	if (!back)
		return;
	back->want = w;
	back->master = l->master;
	back->diff.common =
		l->has & nctl_fields_with(&nctl_link_fields, NCTL_FIELD_LATE) & ~NCTL_LINK_BIT(ALTNAMES);
	back->diff.common |= NCTL_LINK_BIT(MASTER) | NCTL_LINK_BIT(FLAGS);
	back->up = nctl_link_is_up(l);
	for (char **a = l->altnames; a && *a; a++) {
		back = turn(b, op, NCTL_OP_ALTNAME_NEW, NCTL_PHASE_TUNE);
		if (back)
			back->altname = *a;
	}
}

static void undo_del(struct builder *b, const struct nctl_plan *p, const struct nctl_op *op)
{
	struct nctl_want_link *w;

	if (!op->before || nctl_mirror_link_get(b->have, op->ifindex))
		return; /* it is still there */
	w = op->before->link.kind ? want_before(b, op) : NULL;
	if (!w) {
		nctl_plan_problem(b, NCTL_PROBLEM_CONFLICT, &op->pos,
			"%s is gone, and netctld cannot make links of its kind again", op->name);
		return;
	}
	make_again(b, p, op, w);
	tune_again(b, op, w);
	add_addrs(b, op, w);
}

static void undo_addr_new(struct builder *b, const struct nctl_plan *p, const struct nctl_op *op)
{
	struct nctl_op *back;

	if (op->need[0] != NCTL_OP_NONE && p->ops[op->need[0]].type == NCTL_OP_LINK_NEW)
		return; /* goes with its link */
	if (op->before) {
		add_addr(b, op, &op->addr, NULL);
		return;
	}
	back = turn(b, op, NCTL_OP_ADDR_DEL, NCTL_PHASE_CLEAR);
	if (!back)
		return;
	back->addr = op->want_addr->v;
	back->addr.ifindex = op->ifindex;
}

static void undo_altname(struct builder *b, const struct nctl_plan *p, const struct nctl_op *op)
{
	struct nctl_op *back;

	if (op->need[0] != NCTL_OP_NONE && p->ops[op->need[0]].type == NCTL_OP_LINK_NEW)
		return;
	back = turn(b, op, NCTL_OP_ALTNAME_DEL, NCTL_PHASE_CLEAR);
	if (back)
		back->altname = op->altname;
}

static void undo_one(struct builder *b, const struct nctl_plan *p, const struct nctl_op *op)
{
	switch ((enum nctl_op_type)op->type) {
	case NCTL_OP_LINK_NEW:
		undo_new(b, p, op);
		break;
	case NCTL_OP_LINK_SET:
		undo_set(b, op);
		break;
	case NCTL_OP_LINK_DEL:
		undo_del(b, p, op);
		break;
	case NCTL_OP_ALTNAME_NEW:
		undo_altname(b, p, op);
		break;
	case NCTL_OP_ALTNAME_DEL:
		break; /* never in a plan forward */
	case NCTL_OP_ADDR_NEW:
		undo_addr_new(b, p, op);
		break;
	case NCTL_OP_ADDR_DEL:
		add_addr(b, op, &op->addr, NULL);
		break;
	}
}

int nctl_plan_undo(const struct nctl_plan *p, const struct nctl_mirror *now, struct nctl_plan **ret)
{
	_cleanup_(nctl_plan_freep) struct nctl_plan *plan = calloc(1, sizeof(*plan));
	struct builder b = {.plan = plan, .have = now};
	int r;

	if (!plan)
		return -ENOMEM;
	nctl_arena_init(&plan->arena);
	plan->want = p->want;
	for (size_t i = p->n_ops; i-- > 0 && !b.err;)
		if (may_have_happened(&p->ops[i]))
			undo_one(&b, p, &p->ops[i]);
	r = b.err ? b.err : nctl_plan_sort(plan);
	if (r < 0)
		return r;
	*ret = take_ptr(plan);
	return 0;
}
