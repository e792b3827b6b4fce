/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the way back. What a plan will change or delete stands in its operations (remember.c): that state, and
 * not some older configuration, is "the state before". The plan back is made of the operations
 * that may have taken effect, turned round and in reverse: what was made goes (a namespace with all that is
 * in it), what went is made again under its old ifindex (again.c), what was set is set to what it was, and
 * addresses that a flap took along return. What the kernel keeps beside links and addresses (neighbours, FDB
 * entries, qdiscs of a deleted link, sysctls of a deleted namespace) is lost.
 */
#include "plan/undo.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Setting a link is done attribute by attribute, and what came before the refused one stays
 * (net/core/rtnetlink.c do_setlink): a port may have left its old master, say, when the new one refuses it.
 */
bool nctl_undo_may_have_happened(const struct nctl_op *op)
{
	switch ((enum nctl_op_state)op->state) {
	case NCTL_OP_SENT:
	case NCTL_OP_ACKED:
	case NCTL_OP_DONE:
	case NCTL_OP_UNSEEN:
		return true;
	case NCTL_OP_REFUSED:
		return op->type == NCTL_OP_LINK_SET || op->type == NCTL_OP_ETHTOOL_SET ||
		       op->type == NCTL_OP_WG_SET;
	case NCTL_OP_PENDING:
	case NCTL_OP_POISONED:
		break;
	}
	return false;
}

/* An operation that concerns the same link as op. */
struct nctl_op *nctl_undo_turn(
	struct undo *u, const struct nctl_op *op, enum nctl_op_type type, enum nctl_phase phase)
{
	struct nctl_op *back;

	nctl_plan_enter(&u->b, op->netns);
	back = nctl_plan_add(&u->b, type, phase);

	if (!back)
		return NULL;
	back->ifindex = op->ifindex;
	back->kind = op->kind;
	back->pos = op->pos;
	back->name = op->name;
	return back;
}

/* A wanted link that stands for what was; it borrows from the plan that is undone. */
struct nctl_want_link *nctl_undo_want_before(struct undo *u, const struct nctl_op *op)
{
	struct nctl_want_link *w = nctl_arena_alloc(&u->b.plan->arena, sizeof(*w));
	struct nctl_want_def *def = nctl_arena_alloc(&u->b.plan->arena, sizeof(*def));

	if (!w || !def) {
		u->b.err = -ENOMEM;
		return NULL;
	}
	w->v = op->before->link;
	if (!w->v.kind)
		w->v.kind = nctl_kind_by_section("ethernets"); /* physical: none in the kernel */
	w->v.altnames = NULL;
	w->netns = &u->netns[op->netns];
	w->def = def;
	w->pos = op->pos;
	def->label = op->name;
	def->pos = op->pos;
	def->kind = w->v.kind;
	return w;
}

void nctl_undo_addr_back(
	struct undo *u, const struct nctl_op *op, const struct nctl_addr *a, struct nctl_want_link *w)
{
	struct nctl_want_addr *wa = nctl_arena_alloc(&u->b.plan->arena, sizeof(*wa));
	struct nctl_op *back = wa ? nctl_undo_turn(u, op, NCTL_OP_ADDR_NEW, NCTL_PHASE_ADDRESS) : NULL;

	if (!back) {
		u->b.err = -ENOMEM;
		return;
	}
	wa->v = *a;
	wa->pos = op->pos;
	back->want = w;
	back->want_addr = wa;
	back->verbatim = true;
}

void nctl_undo_addrs_back(struct undo *u, const struct nctl_op *op, struct nctl_want_link *w)
{
	for (size_t i = 0; i < op->before->n_addrs; i++)
		nctl_undo_addr_back(u, op, &op->before->addrs[i], w);
}

void nctl_undo_wg_back(
	struct undo *u, const struct nctl_op *op, const struct nctl_wg *wg, const struct nctl_wg *now)
{
	struct nctl_op *back = nctl_undo_turn(u, op, NCTL_OP_WG_SET, NCTL_PHASE_TUNE);

	if (!back)
		return;
	back->wg = wg;
	back->old_wg = now;
}

/* The other end of a pair that stands in a namespace that stays, while the first one goes with its own. */
static void undo_other_end(struct undo *u, const struct nctl_op *op)
{
	const struct nctl_want_link *peer = op->want->peer.link;
	struct nctl_op *back;

	nctl_plan_enter(&u->b, op->peer_netns);
	back = nctl_plan_add(&u->b, NCTL_OP_LINK_DEL, NCTL_PHASE_CLEAR);
	if (!back)
		return;
	back->ifindex = op->peer_ifindex;
	back->kind = op->kind;
	back->pos = peer->pos;
	back->name = peer->v.name;
}

static void undo_new(struct undo *u, const struct nctl_op *op)
{
	const struct nctl_plan *p = u->p;
	const struct nctl_op *lower = op->need[0] != NCTL_OP_NONE ? &p->ops[op->need[0]] : NULL;
	struct nctl_op *back;

	if (u->made[op->netns]) {
		if (op->pair && !u->made[op->peer_netns])
			undo_other_end(u, op);
		return;
	}
	back = nctl_undo_turn(u, op, NCTL_OP_LINK_DEL, NCTL_PHASE_CLEAR);
	if (back)
		back->implied = lower && lower->type == NCTL_OP_LINK_NEW &&
		                nctl_undo_may_have_happened(lower) &&
		                (op->want->v.kind->traits & NCTL_KIND_LOWER_REQUIRED);
}

struct nctl_op *nctl_undo_set_back(struct undo *u, const struct nctl_op *op, struct nctl_want_link *w,
	enum nctl_phase phase, const struct nctl_link_diff *d)
{
	struct nctl_op *back = nctl_undo_turn(u, op, NCTL_OP_LINK_SET, phase);

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

/*
 * Its old name, which another link may have now: then all such give theirs up first. Older kernels rename
 * only what is down.
 */
static void rename_back(struct undo *u, const struct nctl_op *op, struct nctl_want_link *w)
{
	const struct nctl_link_diff name = {.common = NCTL_LINK_BIT(NAME)},
				    flags = {.common = NCTL_LINK_BIT(FLAGS)};
	const struct nctl_mirror_link *now, *holder;
	struct nctl_want_link *aside;
	struct nctl_op *back;

	now = u->b.have ? nctl_mirror_link_get(u->b.have, op->ifindex) : NULL;
	holder = u->b.have ? nctl_mirror_link_find(u->b.have, w->v.name) : NULL;
	if (!(op->diff.common & NCTL_LINK_BIT(NAME)) || !now || !strcmp(now->v.name, w->v.name))
		return;
	back = nctl_link_is_up(&now->v) ? nctl_undo_set_back(u, op, w, NCTL_PHASE_CREATE, &flags) : NULL;
	if (back) {
		back->up = false;
		back->passing = true;
	}
	if (holder && holder != now) {
		aside = nctl_arena_alloc(&u->b.plan->arena, sizeof(*aside));
		back = aside ? nctl_undo_set_back(u, op, aside, NCTL_PHASE_CREATE, &name) : NULL;
		if (!back) {
			u->b.err = u->b.err ? u->b.err : -ENOMEM;
			return;
		}
		*aside = *w;
		snprintf(aside->v.name, sizeof(aside->v.name), "ntmp%u", op->ifindex);
		back->passing = true;
	}
	back = nctl_undo_set_back(u, op, w, NCTL_PHASE_CREATE, &name);
	if (back)
		back->rank = holder && holder != now ? RANK_UP : RANK_FIELDS;
}

/* What needs no other link, before any link is made again: those on this one may need its MTU. */
static void set_own_fields(struct undo *u, const struct nctl_op *op, struct nctl_want_link *w)
{
	const struct nctl_link_diff d = {
		.common = op->diff.common &
	                  ~(NCTL_LINK_BIT(MASTER) | NCTL_LINK_BIT(FLAGS) | NCTL_LINK_BIT(NAME)),
		.data = op->diff.data,
	};
	struct nctl_op *back;

	back = d.common || d.data ? nctl_undo_set_back(u, op, w, NCTL_PHASE_CREATE, &d) : NULL;
	if (!back)
		return;
	back->rank = RANK_FIELDS;
	back->cls = op->cls;
	back->along = op->along;
}

/* Back into its master, or out of one; its own MTU again where the master gives it another one. */
static void set_master_back(struct undo *u, const struct nctl_op *op, struct nctl_want_link *w)
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
	back = down ? nctl_undo_set_back(u, op, w, NCTL_PHASE_TUNE, &flags) : NULL;
	if (back) {
		back->up = false;
		back->passing = true;
	}
	back = d.common ? nctl_undo_set_back(u, op, w, NCTL_PHASE_TUNE, &d) : NULL;
	if (back)
		back->cls = op->cls;
	if (port.port)
		nctl_undo_set_back(u, op, w, NCTL_PHASE_TUNE, &port);
	if (d.common)
		nctl_undo_set_back(u, op, w, NCTL_PHASE_TUNE, &mtu);
	if (d.common && nctl_link_is_up(&op->before->link))
		nctl_undo_set_back(u, op, w, NCTL_PHASE_UP, &flags);
}

void nctl_undo_set(struct undo *u, const struct nctl_op *op)
{
	const struct nctl_link_diff flags = {.common = NCTL_LINK_BIT(FLAGS)};
	struct nctl_want_link *w;

	if (!op->before)
		return; /* the link goes as a whole */
	w = nctl_undo_want_before(u, op);
	if (!w)
		return;
	rename_back(u, op, w);
	set_own_fields(u, op, w);
	set_master_back(u, op, w);
	if ((op->diff.common & NCTL_LINK_BIT(MASTER)) && op->before->link.master)
		nctl_undo_vlans_again(u, op);
	if ((op->diff.common & NCTL_LINK_BIT(FLAGS)) && !nctl_link_is_up(&op->before->link))
		nctl_undo_set_back(u, op, w, NCTL_PHASE_UP, &flags);
	nctl_undo_addrs_back(u, op, w);
}

/* Up again, lower ones first (as the plan has them), and before any link is made again on them. */
static void rise_again(struct undo *u, const struct nctl_op *op)
{
	const struct nctl_link_diff flags = {.common = NCTL_LINK_BIT(FLAGS)};
	bool may_be_down = op->cls == NCTL_CHANGE_FLAP ||
	                   (op->diff.common & (NCTL_LINK_BIT(FLAGS) | NCTL_LINK_BIT(NAME)));
	struct nctl_want_link *w;
	struct nctl_op *back;

	if (!op->before || !may_be_down || !nctl_link_is_up(&op->before->link))
		return;
	w = nctl_undo_want_before(u, op);
	back = w ? nctl_undo_set_back(u, op, w, NCTL_PHASE_CREATE, &flags) : NULL;
	if (!back)
		return;
	back->rank = RANK_UP;
	back->passing = true; /* a master may close it once more */
}

static void undo_addr_new(struct undo *u, const struct nctl_op *op)
{
	const struct nctl_plan *p = u->p;
	struct nctl_addr *added;
	struct nctl_op *back;

	if (op->need[0] != NCTL_OP_NONE && p->ops[op->need[0]].type == NCTL_OP_LINK_NEW)
		return; /* goes with its link */
	/* Where the old one had to go first, its deletion brings it back. */
	if (op->addr && !nctl_plan_addr_must_go(&op->want_addr->v, op->addr)) {
		nctl_undo_addr_back(u, op, op->addr, NULL);
		return;
	}
	added = nctl_plan_copy_addr(&u->b, &op->want_addr->v);
	back = nctl_undo_turn(u, op, NCTL_OP_ADDR_DEL, NCTL_PHASE_CLEAR);
	if (!back || !added)
		return;
	added->ifindex = op->ifindex;
	back->addr = added;
}

static void undo_altname(struct undo *u, const struct nctl_op *op)
{
	const struct nctl_plan *p = u->p;
	struct nctl_op *back;

	if (op->need[0] != NCTL_OP_NONE && p->ops[op->need[0]].type == NCTL_OP_LINK_NEW)
		return;
	back = nctl_undo_turn(u, op, NCTL_OP_ALTNAME_DEL, NCTL_PHASE_CLEAR);
	if (back)
		back->altname = op->altname;
}

/* What went with IPv6. */
static void give_addrs_back(struct undo *u, const struct nctl_op *op)
{
	for (size_t i = 0; op->before && i < op->before->n_ports; i++) {
		const struct nctl_op_before *of = &op->before->ports[i];
		struct nctl_op link = {
			.netns = op->netns, .ifindex = of->link.ifindex, .kind = op->kind, .pos = op->pos};

		link.before = &op->before->ports[i];
		link.name = of->n_addrs ? nctl_plan_copy_name(&u->b, of->link.name) : "";
		nctl_undo_addrs_back(u, &link, NULL);
	}
}

/* The old value, unless it went along with the link or the namespace. */
static void undo_sysctl(struct undo *u, const struct nctl_op *op)
{
	enum nctl_phase phase = op->phase == NCTL_PHASE_CREATE ? NCTL_PHASE_SYSCTL : op->phase;
	struct nctl_op *back;

	if (!op->old_value && op->need[0] != NCTL_OP_NONE)
		return;
	if (!op->old_value) {
		nctl_plan_problem(&u->b, NCTL_PROBLEM_CONFLICT, &op->pos,
			"%s stays as it was set, since its old value is not known", op->sysctl);
		return;
	}
	back = nctl_undo_turn(u, op, NCTL_OP_SYSCTL_SET, phase);
	if (!back)
		return;
	back->sysctl = op->old_sysctl ? op->old_sysctl : op->sysctl;
	back->value = op->old_value;
	back->old_value = op->value;
	give_addrs_back(u, op);
}

static bool goes_with_link(const struct undo *u, const struct nctl_op *op)
{
	return op->need[0] != NCTL_OP_NONE && u->p->ops[op->need[0]].type == NCTL_OP_LINK_NEW;
}

static void undo_ethtool(struct undo *u, const struct nctl_op *op)
{
	struct nctl_op *back;

	if (goes_with_link(u, op))
		return;
	if (!op->old_ethtool) {
		nctl_plan_problem(&u->b, NCTL_PROBLEM_CONFLICT, &op->pos,
			"%s of %s stay as they were set, since the old ones are not known",
			nctl_ethtool_group_name(op->group), op->name);
		return;
	}
	back = nctl_undo_turn(u, op, NCTL_OP_ETHTOOL_SET, NCTL_PHASE_TUNE);
	if (!back)
		return;
	back->ethtool = op->old_ethtool;
	back->old_ethtool = op->ethtool;
	back->group = op->group;
}

static void undo_wg(struct undo *u, const struct nctl_op *op)
{
	if (goes_with_link(u, op))
		return;
	if (op->old_wg)
		nctl_undo_wg_back(u, op, op->old_wg, NULL); /* it may have come half the way */
	else
		nctl_plan_problem(&u->b, NCTL_PROBLEM_CONFLICT, &op->pos,
			"keys and peers of %s stay as they were set, since the old ones are not known", op->name);
}

static void undo_one(struct undo *u, const struct nctl_op *op)
{
	if (u->made[op->netns] && op->type != NCTL_OP_LINK_NEW && op->type != NCTL_OP_NETNS_NEW)
		return; /* goes with its namespace */
	nctl_plan_enter(&u->b, op->netns);
	switch ((enum nctl_op_type)op->type) {
	case NCTL_OP_LINK_NEW:
		undo_new(u, op);
		break;
	case NCTL_OP_LINK_SET:
		nctl_undo_set(u, op);
		break;
	case NCTL_OP_LINK_DEL:
		nctl_undo_del(u, op);
		break;
	case NCTL_OP_ALTNAME_NEW:
		undo_altname(u, op);
		break;
	case NCTL_OP_ADDR_NEW:
		undo_addr_new(u, op);
		break;
	case NCTL_OP_ADDR_DEL:
		nctl_undo_addr_back(u, op, op->addr, NULL);
		if (op->before)
			nctl_undo_addrs_back(u, op, NULL);
		break;
	case NCTL_OP_VLANS_ADD:
	case NCTL_OP_VLANS_DEL:
		nctl_undo_vlans(u, op);
		break;
	case NCTL_OP_NETNS_NEW:
		nctl_plan_netns_op(&u->b, NCTL_OP_NETNS_DEL, NCTL_PHASE_REMOVE);
		break;
	case NCTL_OP_ETHTOOL_SET:
		undo_ethtool(u, op);
		break;
	case NCTL_OP_WG_SET:
		undo_wg(u, op);
		break;
	case NCTL_OP_SYSCTL_SET:
		undo_sysctl(u, op);
		break;
	case NCTL_OP_NETNS_DEL: /* again.c */
	case NCTL_OP_NETNS_ID:
	case NCTL_OP_ALTNAME_DEL: /* never in a plan forward */
	case NCTL_OP_ROUTE_NEW:
	case NCTL_OP_ROUTE_DEL:
	case NCTL_OP_NEXTHOP_NEW:
	case NCTL_OP_NEXTHOP_DEL:
	case NCTL_OP_RULE_NEW:
	case NCTL_OP_RULE_DEL:
	case NCTL_OP_NEIGH_NEW:
	case NCTL_OP_NEIGH_DEL:
		break;
	}
	nctl_undo_fib(u, op);
}

/* What is there now, and what the plan made. */
static int look(struct undo *u)
{
	const struct nctl_plan *p = u->p;
	struct nctl_want_netns *names = nctl_arena_alloc(&u->b.plan->arena, p->n_netns * sizeof(*names));
	int r = nctl_plan_netns_init(&u->b, p->netns, p->n_netns);

	u->made = calloc(p->n_netns, sizeof(*u->made));
	if (r < 0 || !u->made || !names)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->n_netns; i++) {
		struct nctl_plan_netns *n = &u->b.plan->netns[i];

		names[i].name = n->name;
		names[i].number = i;
		n->there = n->have || n->cookie;
	}
	u->netns = names;
	for (size_t i = 0; i < p->n_ops; i++)
		if (p->ops[i].type == NCTL_OP_NETNS_NEW && nctl_undo_may_have_happened(&p->ops[i]))
			u->made[p->ops[i].netns] = true;
	return 0;
}

/* Addresses of IPv6 need it to be on again. */
static void wait_for_ipv6(struct undo *u)
{
	struct nctl_plan *back = u->b.plan;
	uint32_t *on = calloc(back->n_netns, sizeof(*on));

	if (!on)
		u->b.err = -ENOMEM;
	for (size_t i = 0; on && i < back->n_ops; i++) {
		const struct nctl_op *op = &back->ops[i];

		if (op->type == NCTL_OP_SYSCTL_SET && op->old_value &&
			nctl_plan_stops_ipv6(op->sysctl, op->old_value))
			on[op->netns] = (uint32_t)i + 1;
	}
	for (size_t i = 0; on && i < back->n_ops; i++) {
		struct nctl_op *op = &back->ops[i];

		if (op->type == NCTL_OP_ADDR_NEW && op->want_addr->v.local.family == AF_INET6 &&
			on[op->netns])
			op->need[1] = on[op->netns] - 1;
	}
	free(on);
}

static int turn_all(struct undo *u)
{
	const struct nctl_plan *p = u->p;

	for (size_t i = p->n_ops; i-- > 0 && !u->b.err;)
		if (nctl_undo_may_have_happened(&p->ops[i]) || p->ops[i].type == NCTL_OP_LINK_DEL)
			undo_one(u, &p->ops[i]);
	nctl_undo_lost(u);
	for (size_t i = 0; i < p->n_ops && !u->b.err; i++)
		if (nctl_undo_may_have_happened(&p->ops[i]) && p->ops[i].type == NCTL_OP_LINK_SET)
			rise_again(u, &p->ops[i]);
	if (!u->b.err)
		wait_for_ipv6(u);
	return u->b.err;
}

int nctl_plan_undo(const struct nctl_plan *p, struct nctl_plan **ret)
{
	_cleanup_(nctl_plan_freep) struct nctl_plan *plan = calloc(1, sizeof(*plan));
	struct undo u = {.b = {.plan = plan, .want = p->want, .last_nsid = NCTL_OP_NONE}, .p = p};
	int r;

	if (!plan)
		return -ENOMEM;
	nctl_arena_init(&plan->arena);
	nctl_hash_init(&u.by_ends);
	plan->want = p->want;
	r = look(&u);
	if (r >= 0)
		r = nctl_undo_collect_gone(&u);
	if (r >= 0)
		r = turn_all(&u);
	if (r >= 0)
		r = nctl_plan_sort(plan);
	nctl_hash_fini(&u.by_ends);
	free(u.gone);
	free(u.made);
	free(u.b.netns_made);
	if (r < 0)
		return r;
	*ret = take_ptr(plan);
	return 0;
}
