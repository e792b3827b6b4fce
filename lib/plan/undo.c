/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the way back. What a plan will change or delete stands in its operations (remember.c): that state, and
 * not some older configuration, is "the state before". The plan back is made of the operations
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

/* The links that the plan deleted, by ifindex: what is made again needs others of them before. */
struct gone {
	const struct nctl_op *op;
	uint32_t depth; /* 0: not known yet */
};

enum { RANK_FIELDS, RANK_UP }; /* in CREATE, before anything is made */
enum { DEPTH_MAX = 32 };       /* the kernel stacks no more than 8 (MAX_NEST_DEV of linux/netdevice.h) */

struct undo {
	struct builder b;
	const struct nctl_plan *p;
	struct gone *gone;
	size_t n_gone;
};

static int cmp_gone(const void *x, const void *y)
{
	nctl_ifindex a = ((const struct gone *)x)->op->ifindex, b = ((const struct gone *)y)->op->ifindex;

	return (a > b) - (a < b);
}

static struct gone *find_gone(const struct undo *u, nctl_ifindex ifindex)
{
	const struct nctl_op probe_op = {.ifindex = ifindex};
	const struct gone probe = {.op = &probe_op};

	return bsearch(&probe, u->gone, u->n_gone, sizeof(probe), cmp_gone);
}

/*
 * Setting a link is done attribute by attribute, and what came before the refused one stays
 * (net/core/rtnetlink.c do_setlink): a port may have left its old master, say, when the new one refuses it.
 */
static bool may_have_happened(const struct nctl_op *op)
{
	switch ((enum nctl_op_state)op->state) {
	case NCTL_OP_SENT:
	case NCTL_OP_ACKED:
	case NCTL_OP_DONE:
	case NCTL_OP_UNSEEN:
		return true;
	case NCTL_OP_REFUSED:
		return op->type == NCTL_OP_LINK_SET;
	case NCTL_OP_PENDING:
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
	back->name = op->name;
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

static void undo_new(struct undo *u, const struct nctl_op *op)
{
	const struct nctl_plan *p = u->p;
	struct builder *b = &u->b;
	const struct nctl_op *lower = op->need[0] != NCTL_OP_NONE ? &p->ops[op->need[0]] : NULL;
	struct nctl_op *back = turn(b, op, NCTL_OP_LINK_DEL, NCTL_PHASE_CLEAR);

	if (back)
		back->implied = lower && lower->type == NCTL_OP_LINK_NEW && may_have_happened(lower) &&
		                (op->want->v.kind->traits & NCTL_KIND_LOWER_REQUIRED);
}

static struct nctl_op *set_back(struct builder *b, const struct nctl_op *op, struct nctl_want_link *w,
	enum nctl_phase phase, const struct nctl_link_diff *d)
{
	struct nctl_op *back = turn(b, op, NCTL_OP_LINK_SET, phase);

	if (!back)
		return NULL;
	back->want = w;
	back->diff = *d;
	back->master = op->before->link.master;
	back->lower = op->before->link.lower;
	back->up = nctl_link_is_up(&op->before->link);
	return back;
}

/* Back into a master that takes no port that is up: down before, and up again with all others. */
static bool rejoins_down(const struct nctl_op *op)
{
	const struct nctl_link *l = &op->before->link;

	return (op->diff.common & NCTL_LINK_BIT(MASTER)) && l->master && l->port_kind &&
	       (l->port_kind->traits & NCTL_KIND_PORT_DOWN);
}

/* What needs no other link, before any link is made again: those on this one may need its MTU. */
static void set_own_fields(struct builder *b, const struct nctl_op *op, struct nctl_want_link *w)
{
	const struct nctl_link_diff d = {
		.common = op->diff.common & ~(NCTL_LINK_BIT(MASTER) | NCTL_LINK_BIT(FLAGS)),
		.data = op->diff.data,
	};
	struct nctl_op *back = d.common || d.data ? set_back(b, op, w, NCTL_PHASE_CREATE, &d) : NULL;

	if (!back)
		return;
	back->rank = RANK_FIELDS;
	back->cls = op->cls;
}

/* Back into its master, or out of one; its own MTU again where the master gives it another one. */
static void set_master_back(struct builder *b, const struct nctl_op *op, struct nctl_want_link *w)
{
	const struct nctl_link_diff flags = {.common = NCTL_LINK_BIT(FLAGS)},
				    mtu = {.common = NCTL_LINK_BIT(MTU)};
	const struct nctl_link_diff d = {.common = op->diff.common & NCTL_LINK_BIT(MASTER)};
	/* In a message of its own: one that joins carries no port data (net/core/rtnetlink.c: EOPNOTSUPP). */
	const struct nctl_link_diff port = {.port = op->before->link.master ? op->diff.port : 0};
	bool down = rejoins_down(op);
	struct nctl_op *back;

	if (!d.common && !port.port)
		return;
	back = down ? set_back(b, op, w, NCTL_PHASE_TUNE, &flags) : NULL;
	if (back) {
		back->up = false;
		back->passing = true;
	}
	back = d.common ? set_back(b, op, w, NCTL_PHASE_TUNE, &d) : NULL;
	if (back)
		back->cls = op->cls;
	if (port.port)
		set_back(b, op, w, NCTL_PHASE_TUNE, &port);
	if (d.common)
		set_back(b, op, w, NCTL_PHASE_TUNE, &mtu);
	if (d.common && nctl_link_is_up(&op->before->link))
		set_back(b, op, w, NCTL_PHASE_UP, &flags);
}

static void undo_set(struct builder *b, const struct nctl_op *op)
{
	const struct nctl_link_diff flags = {.common = NCTL_LINK_BIT(FLAGS)};
	struct nctl_want_link *w;

	if (!op->before)
		return; /* the link goes as a whole */
	w = want_before(b, op);
	if (!w)
		return;
	set_own_fields(b, op, w);
	set_master_back(b, op, w);
	if ((op->diff.common & NCTL_LINK_BIT(FLAGS)) && !nctl_link_is_up(&op->before->link))
		set_back(b, op, w, NCTL_PHASE_UP, &flags);
	add_addrs(b, op, w);
}

/* Up again, lower ones first (as the plan has them), and before any link is made again on them. */
static void rise_again(struct builder *b, const struct nctl_op *op)
{
	const struct nctl_link_diff flags = {.common = NCTL_LINK_BIT(FLAGS)};
	bool may_be_down = op->cls == NCTL_CHANGE_FLAP || (op->diff.common & NCTL_LINK_BIT(FLAGS));
	struct nctl_want_link *w;
	struct nctl_op *back;

	if (!op->before || !may_be_down || !nctl_link_is_up(&op->before->link))
		return;
	w = want_before(b, op);
	back = w ? set_back(b, op, w, NCTL_PHASE_CREATE, &flags) : NULL;
	if (!back)
		return;
	back->rank = RANK_UP;
	back->passing = true; /* a master may close it once more */
}

static int collect_gone(struct undo *u)
{
	u->gone = calloc(u->p->n_ops + 1, sizeof(*u->gone));
	if (!u->gone)
		return -ENOMEM;
	for (size_t i = 0; i < u->p->n_ops; i++)
		if (u->p->ops[i].type == NCTL_OP_LINK_DEL && u->p->ops[i].before)
			u->gone[u->n_gone++].op = &u->p->ops[i];
	qsort(u->gone, u->n_gone, sizeof(*u->gone), cmp_gone);
	return 0;
}

/* How many of the gone links stand below this one or are its master, itself counted. */
static uint32_t depth_of(const struct undo *u, nctl_ifindex ifindex, unsigned limit)
{
	struct gone *g = ifindex && limit ? find_gone(u, ifindex) : NULL;
	const struct nctl_link *l;
	uint32_t lower, master;

	if (!g)
		return 0;
	if (g->depth)
		return g->depth;
	l = &g->op->before->link;
	/* The two ends of a pair name each other, and are made by one message: behind the masters of both. */
	if (l->kind && l->kind->traits & NCTL_KIND_PEERED) {
		const struct gone *other = find_gone(u, l->lower);

		lower = other ? depth_of(u, other->op->before->link.master, limit - 1) : 0;
	} else {
		lower = depth_of(u, l->lower, limit - 1);
	}
	master = depth_of(u, l->master, limit - 1);
	g->depth = 1 + (lower > master ? lower : master);
	return g->depth;
}

/*
 * What a link is not made with, since it may not be had yet or not be kept: an MTU that its lower has only
 * when its ports are back, and what a bond changes of its ports.
 */
static uint64_t not_at_once(const struct nctl_link *l)
{
	uint64_t mask = 0;

	if (l->kind->traits & NCTL_KIND_LOWER_REQUIRED)
		mask |= NCTL_LINK_BIT(MTU);
	if (l->port_kind && (l->port_kind->traits & NCTL_KIND_PORT_DOWN))
		mask |= NCTL_LINK_BIT(MTU) | NCTL_LINK_BIT(ADDRESS);
	return mask & l->has;
}

static void make_again(struct undo *u, const struct nctl_op *op, struct nctl_want_link *w)
{
	struct builder *b = &u->b;
	const struct nctl_link *l = &op->before->link;
	const struct nctl_op *other = NULL;
	struct nctl_op *back;

	if (l->kind->traits & NCTL_KIND_PEERED) {
		const struct gone *g = find_gone(u, l->lower);

		other = g ? g->op : NULL;
		if (!other || other->ifindex < op->ifindex)
			return; /* made together with the other end */
		w->peer.link = want_before(b, other);
		if (!w->peer.link)
			return;
		w->peer.link->peer.link = w;
		w->peer.link->v.has &= ~not_at_once(&w->peer.link->v);
	}
	w->v.has &= ~not_at_once(l);
	back = turn(b, op, NCTL_OP_LINK_NEW, NCTL_PHASE_CREATE);
	if (!back)
		return;
	back->rank = 2 * depth_of(u, op->ifindex, DEPTH_MAX);
	back->want = w;
	back->verbatim = true;
	back->lower = other ? 0 : l->lower;
	back->master = l->master;
	back->pair = other;
	back->peer_ifindex = other ? other->ifindex : 0;
}

/* What a creating message cannot carry, and whether it is up: before the next one that stands on it is made.
 */
static void tune_again(struct undo *u, const struct nctl_op *op, struct nctl_want_link *w)
{
	const struct nctl_link *l = &op->before->link;
	const struct nctl_link_diff late = {
		.common = (l->has & nctl_fields_with(&nctl_link_fields, NCTL_FIELD_LATE) &
				  ~(NCTL_LINK_BIT(ALTNAMES) | NCTL_LINK_BIT(FLAGS))) |
	                  NCTL_LINK_BIT(MASTER),
	};
	const struct nctl_link_diff flags = {.common = NCTL_LINK_BIT(FLAGS)},
				    mtu = {.common = NCTL_LINK_BIT(MTU)};
	uint32_t rank = 2 * depth_of(u, op->ifindex, DEPTH_MAX) + 1;
	struct nctl_op *back = set_back(&u->b, op, w, NCTL_PHASE_CREATE, &late);

	if (back)
		back->rank = rank;
	if (not_at_once(l) & NCTL_LINK_BIT(MTU))
		set_back(&u->b, op, w, NCTL_PHASE_UP, &mtu); /* when its lower has its ports again */
	/* A lower that comes up may take it along: down is said last. */
	back = set_back(&u->b, op, w, nctl_link_is_up(l) ? NCTL_PHASE_CREATE : NCTL_PHASE_UP, &flags);
	if (back)
		back->rank = rank;
	for (char **a = l->altnames; a && *a; a++) {
		back = turn(&u->b, op, NCTL_OP_ALTNAME_NEW, NCTL_PHASE_TUNE);
		if (back)
			back->altname = *a;
	}
}

/* Fields of a port that a configuration can set; it has the defaults when it joins. */
static uint64_t port_fields(const struct nctl_link *l)
{
	uint64_t mask = 0;

	for (size_t i = 0; l->port_kind && i < l->port_kind->port.n; i++)
		if (l->port_kind->port.v[i].key)
			mask |= UINT64_C(1) << i;
	return mask & l->port_has;
}

/* Ports that op's link had, and that are in no other one now, come back into it. */
static void take_back_ports(struct undo *u, const struct nctl_op *op)
{
	struct builder *b = &u->b;

	for (size_t i = 0; i < op->before->n_ports; i++) {
		struct nctl_op_before *before = &op->before->ports[i];
		const struct nctl_mirror_link *now = nctl_mirror_link_get(b->have, before->link.ifindex);
		const char *kind = nctl_link_kind_name(&before->link);
		struct nctl_op set = {
			.cls = NCTL_CHANGE_FLAP,
			.ifindex = before->link.ifindex,
			.kind = before->link.kind ? before->link.kind->name
		                : kind            ? "generic"
		                                  : "physical",
			.pos = op->pos,
			.before = before,
			.diff = {.common = NCTL_LINK_BIT(MASTER), .port = port_fields(&before->link)},
		};

		if (!now || now->v.master)
			continue;
		set.name = nctl_arena_strdup(&b->plan->arena, before->link.name);
		if (set.name)
			undo_set(b, &set);
		else
			b->err = -ENOMEM;
	}
}

static void undo_del(struct undo *u, const struct nctl_op *op)
{
	struct builder *b = &u->b;
	struct nctl_want_link *w;

	if (!op->before || nctl_mirror_link_get(b->have, op->ifindex))
		return; /* it is still there; else it is gone, be it only along with another */
	w = op->before->link.kind ? want_before(b, op) : NULL;
	if (!w) {
		nctl_plan_problem(b, NCTL_PROBLEM_CONFLICT, &op->pos,
			"%s is gone, and netctld cannot make links of its kind again", op->name);
		return;
	}
	make_again(u, op, w);
	tune_again(u, op, w);
	add_addrs(b, op, w);
	take_back_ports(u, op);
}

static void undo_addr_new(struct undo *u, const struct nctl_op *op)
{
	const struct nctl_plan *p = u->p;
	struct builder *b = &u->b;
	struct nctl_addr *added;
	struct nctl_op *back;

	if (op->need[0] != NCTL_OP_NONE && p->ops[op->need[0]].type == NCTL_OP_LINK_NEW)
		return; /* goes with its link */
	/* Where the old one had to go first, its deletion brings it back. */
	if (op->addr && !nctl_plan_addr_must_go(&op->want_addr->v, op->addr)) {
		add_addr(b, op, op->addr, NULL);
		return;
	}
	added = nctl_plan_copy_addr(b, &op->want_addr->v);
	back = turn(b, op, NCTL_OP_ADDR_DEL, NCTL_PHASE_CLEAR);
	if (!back || !added)
		return;
	added->ifindex = op->ifindex;
	back->addr = added;
}

static void undo_altname(struct undo *u, const struct nctl_op *op)
{
	const struct nctl_plan *p = u->p;
	struct builder *b = &u->b;
	struct nctl_op *back;

	if (op->need[0] != NCTL_OP_NONE && p->ops[op->need[0]].type == NCTL_OP_LINK_NEW)
		return;
	back = turn(b, op, NCTL_OP_ALTNAME_DEL, NCTL_PHASE_CLEAR);
	if (back)
		back->altname = op->altname;
}

static void undo_one(struct undo *u, const struct nctl_op *op)
{
	switch ((enum nctl_op_type)op->type) {
	case NCTL_OP_LINK_NEW:
		undo_new(u, op);
		break;
	case NCTL_OP_LINK_SET:
		undo_set(&u->b, op);
		break;
	case NCTL_OP_LINK_DEL:
		undo_del(u, op);
		break;
	case NCTL_OP_ALTNAME_NEW:
		undo_altname(u, op);
		break;
	case NCTL_OP_ALTNAME_DEL:
		break; /* never in a plan forward */
	case NCTL_OP_ADDR_NEW:
		undo_addr_new(u, op);
		break;
	case NCTL_OP_ADDR_DEL:
		add_addr(&u->b, op, op->addr, NULL);
		if (op->before)
			add_addrs(&u->b, op, NULL);
		break;
	}
}

int nctl_plan_undo(const struct nctl_plan *p, const struct nctl_mirror *now, struct nctl_plan **ret)
{
	_cleanup_(nctl_plan_freep) struct nctl_plan *plan = calloc(1, sizeof(*plan));
	struct undo u = {.b = {.plan = plan, .have = now}, .p = p};
	int r;

	if (!plan)
		return -ENOMEM;
	nctl_arena_init(&plan->arena);
	plan->want = p->want;
	r = collect_gone(&u);
	for (size_t i = p->n_ops; r >= 0 && i-- > 0; r = u.b.err)
		if (may_have_happened(&p->ops[i]) || p->ops[i].type == NCTL_OP_LINK_DEL)
			undo_one(&u, &p->ops[i]);
	for (size_t i = 0; r >= 0 && i < p->n_ops; r = u.b.err, i++)
		if (may_have_happened(&p->ops[i]) && p->ops[i].type == NCTL_OP_LINK_SET)
			rise_again(&u.b, &p->ops[i]);
	free(u.gone);
	if (r >= 0)
		r = nctl_plan_sort(plan);
	if (r < 0)
		return r;
	*ret = take_ptr(plan);
	return 0;
}
