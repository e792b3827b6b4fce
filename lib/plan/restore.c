/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the way back to a snapshot. What is there now is compared with it; each difference becomes an
 * operation as if a plan had made it, and that plan is undone (undo.c). So it does not matter how far the
 * real one got, nor whether it was known at all. Links that are not in the snapshot are left alone but for
 * those that the plan was to make.
 */
#include "plan/snapshot.h"

#include <errno.h>
#include <linux/if_addr.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "plan/fib.h"
#include "obj/vlans.h"
#include "plan/parts.h"

enum { DEPTH_MAX = 32 };

struct restore {
	struct builder b; /* of the plan that is undone */
	const struct nctl_snapshot *s;
	bool all;
	bool *gone; /* by namespace: it was there, and is not, or is another one */
};

static struct nctl_op *add(
	struct restore *r, uint32_t netns, enum nctl_op_type type, enum nctl_phase phase, const char *name)
{
	struct nctl_op *op;

	nctl_plan_enter(&r->b, netns);
	op = nctl_plan_add(&r->b, type, phase);
	if (!op)
		return NULL;
	op->state = NCTL_OP_DONE;
	op->name = nctl_plan_copy_name(&r->b, name);
	op->kind = "";
	return op;
}

static const char *kind_of(const struct nctl_link *l)
{
	return l->kind ? l->kind->name : nctl_link_kind_name(l) ? "generic" : "physical";
}

/* The mirror of a namespace of the snapshot, or NULL: it is not there. */
static const struct nctl_mirror *mirror_of(const struct restore *r, uint32_t netns)
{
	return r->gone[netns] ? NULL : r->b.plan->netns[netns].have;
}

static const struct nctl_mirror_link *link_now(const struct restore *r, uint32_t netns, nctl_ifindex ifindex)
{
	const struct nctl_mirror *m = mirror_of(r, netns);

	return m ? nctl_mirror_link_get(m, ifindex) : NULL;
}

/* -- what was made -- */

static int cmp_made(const void *x, const void *y)
{
	const struct nctl_snap_made *a = x, *b = y;

	if (a->netns != b->netns)
		return a->netns > b->netns ? 1 : -1;
	return (a->ifindex > b->ifindex) - (a->ifindex < b->ifindex);
}

/* Wanted links that stand for those that were made, of which undoing looks at the kind. */
static struct nctl_want_link *want_kind(struct restore *r, const struct nctl_kind *k)
{
	struct nctl_want_link *w = nctl_arena_alloc(&r->b.plan->arena, sizeof(*w));

	if (w)
		w->v = (struct nctl_link){.kind = k, .lower_nsid = NCTL_NSID_NONE};
	else
		r->b.err = -ENOMEM;
	return w;
}

/* Where the operation of a made link stands; by its place in a sorted copy of the list. */
struct made_ops {
	struct nctl_snap_made *v;
	uint32_t *ops;
	size_t n;
};

static uint32_t *op_of_made(const struct made_ops *m, uint32_t netns, nctl_ifindex ifindex)
{
	const struct nctl_snap_made key = {.netns = netns, .ifindex = ifindex};
	const struct nctl_snap_made *found = m->n ? bsearch(&key, m->v, m->n, sizeof(key), cmp_made) : NULL;

	return found ? &m->ops[found - m->v] : NULL;
}

static void one_made(struct restore *r, const struct nctl_snap_made *m, const struct made_ops *ops)
{
	const struct nctl_mirror_link *l = link_now(r, m->netns, m->ifindex);
	uint32_t *mine = op_of_made(ops, m->netns, m->ifindex), *lower;
	struct nctl_op *op;

	if (!l || l->v.kind != m->kind)
		return; /* never made, or gone, and somebody else has the index */
	op = add(r, m->netns, NCTL_OP_LINK_NEW, NCTL_PHASE_CREATE, l->v.name);
	if (!op)
		return;
	op->ifindex = m->ifindex;
	op->kind = kind_of(&l->v);
	op->want = want_kind(r, m->kind);
	*mine = nctl_plan_last(&r->b);
	lower = l->v.lower_nsid == NCTL_NSID_NONE ? op_of_made(ops, m->netns, l->v.lower) : NULL;
	if (lower && *lower != NCTL_OP_NONE && *lower != *mine)
		op->need[0] = *lower;
}

static void restore_made(struct restore *r)
{
	const struct nctl_snapshot *s = r->s;
	struct made_ops ops = {.n = s->n_made};

	ops.v = calloc(s->n_made + 1, sizeof(*ops.v));
	ops.ops = calloc(s->n_made + 1, sizeof(*ops.ops));
	if (!ops.v || !ops.ops)
		r->b.err = -ENOMEM;
	for (size_t i = 0; !r->b.err && i < s->n_made; i++) {
		ops.v[i] = s->made[i];
		ops.ops[i] = NCTL_OP_NONE;
	}
	if (!r->b.err)
		qsort(ops.v, ops.n, sizeof(*ops.v), cmp_made);
	for (size_t i = 0; !r->b.err && i < s->n_made; i++)
		one_made(r, &s->made[i], &ops);
	free(ops.v);
	free(ops.ops);
}

/* -- what was there -- */

static uint32_t depth_of(const struct nctl_snapshot *s, struct nctl_snap_link *l, unsigned limit)
{
	const bool has_lower =
		l->v.lower_nsid == NCTL_NSID_NONE && l->v.kind && !(l->v.kind->traits & NCTL_KIND_PEERED);
	struct nctl_snap_link *lower = has_lower ? nctl_snapshot_find(s, l->netns, l->v.lower) : NULL;
	uint32_t below = 0;

	if (l->depth)
		return l->depth;
	if (lower && lower != l && limit)
		below = depth_of(s, lower, limit - 1);
	return l->depth = 1 + below;
}

static int cmp_depth(const void *x, const void *y)
{
	const struct nctl_snap_link *a = *(struct nctl_snap_link *const *)x,
				    *b = *(struct nctl_snap_link *const *)y;

	if (a->depth != b->depth)
		return a->depth > b->depth ? 1 : -1;
	if (a->netns != b->netns)
		return a->netns > b->netns ? 1 : -1;
	return (a->v.ifindex > b->v.ifindex) - (a->v.ifindex < b->v.ifindex);
}

static struct nctl_op_before *before_of(struct restore *r, const struct nctl_snap_link *l)
{
	struct nctl_op_before *before = calloc(1, sizeof(*before));

	if (before && nctl_link_copy(&before->link, &l->v) >= 0) {
		before->wg = nctl_snapshot_wg(r->s, l->netns, l->v.ifindex);
		return before;
	}
	free(before);
	r->b.err = -ENOMEM;
	return NULL;
}

/* What of l is not as it was; false: nothing that counts now. */
static bool differs(const struct restore *r, const struct nctl_snap_link *l, const struct nctl_link *now,
	struct nctl_link_diff *ret)
{
	struct nctl_link_diff d = {0};
	struct nctl_link wanted = l->v;

	if (!wanted.kind && !nctl_link_kind_name(&wanted))
		wanted.kind = nctl_kind_by_section("ethernets");
	if (wanted.kind)
		nctl_plan_diff(&wanted, now, &d);
	d.common &= ~NCTL_LINK_BIT(LOWER);
	/* A bridge that lost all its ports shows such a MAC address, and no link can be given it. */
	if (nctl_lladdr_equal(&l->v.address, &(struct nctl_lladdr){.len = l->v.address.len}))
		d.common &= ~NCTL_LINK_BIT(ADDRESS);
	d.kind = false;
	if (!r->all) {
		d.common &= l->touched.common | NCTL_LINK_BIT(MASTER);
		d.data &= l->touched.data;
		d.port &= l->touched.port;
	}
	if (strcmp(l->v.name, now->name))
		d.common |= NCTL_LINK_BIT(NAME);
	if (nctl_link_is_up(&l->v) != nctl_link_is_up(now))
		d.common |= NCTL_LINK_BIT(FLAGS);
	*ret = d;
	return d.common || d.data || d.port;
}

static void restore_vlans(struct restore *r, const struct nctl_snap_link *l, const struct nctl_link *now,
	enum nctl_op_type type, struct nctl_vlans *vlans)
{
	struct nctl_op *op;

	if (!vlans)
		return;
	op = nctl_plan_vlans_op(&r->b, add(r, l->netns, type, NCTL_PHASE_TUNE, l->v.name), vlans);
	if (!op)
		return;
	op->ifindex = l->v.ifindex;
	op->kind = kind_of(&l->v);
	op->master = now->master;
	op->self = now->kind && (now->kind->traits & NCTL_KIND_VLANS);
	op->before = before_of(r, l);
}

/*
 * As if a plan had added what is there now, and taken away what is not. What was there without a list may not
 * have been asked for it yet: nothing is taken from it that the plan did not add.
 */
static void restore_list(struct restore *r, const struct nctl_snap_link *l, const struct nctl_link *now)
{
	struct nctl_vlans *added, *gone;
	int e;

	if (!((r->all && l->v.vlans) || l->touched.vlans) || nctl_vlans_equal(l->v.vlans, now->vlans))
		return;
	e = nctl_vlans_except(now->vlans, l->v.vlans, true, &added);
	if (e == 0)
		restore_vlans(r, l, now, NCTL_OP_VLANS_ADD, added);
	if (e == 0)
		e = nctl_vlans_except(l->v.vlans, now->vlans, false, &gone);
	if (e == 0)
		restore_vlans(r, l, now, NCTL_OP_VLANS_DEL, gone);
	else
		r->b.err = e;
}

static void restore_link(struct restore *r, const struct nctl_snap_link *l)
{
	const struct nctl_mirror_link *now = link_now(r, l->netns, l->v.ifindex);
	struct nctl_link wanted = l->v;
	struct nctl_link_diff d;
	struct nctl_op *op;

	if (r->gone[l->netns])
		return;
	if (now)
		restore_list(r, l, &now->v);
	if (now && !differs(r, l, &now->v, &d))
		return;
	op = add(r, l->netns, now ? NCTL_OP_LINK_SET : NCTL_OP_LINK_DEL,
		now ? NCTL_PHASE_TUNE : NCTL_PHASE_REMOVE, l->v.name);
	if (!op)
		return;
	op->ifindex = l->v.ifindex;
	op->kind = kind_of(&l->v);
	op->before = before_of(r, l);
	if (!now || !op->before)
		return;
	op->diff = d;
	op->up = nctl_link_is_up(&now->v);
	d.common &= ~(NCTL_LINK_BIT(NAME) | NCTL_LINK_BIT(FLAGS));
	op->cls = l->v.kind ? nctl_link_change_class(&now->v, &wanted, &d) : NCTL_CHANGE_LIVE;
}

static void restore_links(struct restore *r)
{
	const struct nctl_snapshot *s = r->s;

	for (size_t i = 0; i < s->n_links; i++)
		depth_of(s, s->links[i], DEPTH_MAX);
	if (s->n_links)
		qsort(s->links, s->n_links, sizeof(*s->links), cmp_depth);
	for (size_t i = 0; !r->b.err && i < s->n_links; i++)
		restore_link(r, s->links[i]);
}

/* -- addresses -- */

static void turn_addr(
	struct restore *r, const struct nctl_snap_addr *a, const struct nctl_addr *v, enum nctl_op_type type)
{
	const struct nctl_mirror_link *l = link_now(r, a->netns, v->ifindex);
	struct nctl_snap_link *was = nctl_snapshot_find(r->s, a->netns, v->ifindex);
	struct nctl_op *op = add(r, a->netns, type, NCTL_PHASE_ADDRESS,
		l     ? l->v.name
		: was ? was->v.name
		      : "");
	struct nctl_want_addr *w;

	if (!op)
		return;
	op->ifindex = v->ifindex;
	op->kind = l ? kind_of(&l->v) : was ? kind_of(&was->v) : "";
	if (type == NCTL_OP_ADDR_DEL) {
		op->addr = nctl_plan_copy_addr(&r->b, v);
		return;
	}
	w = nctl_arena_alloc(&r->b.plan->arena, sizeof(*w));
	if (w)
		w->v = *v;
	else
		r->b.err = -ENOMEM;
	op->want_addr = w;
}

static bool is_secondary(const struct nctl_addr *a)
{
	return a->local.family == AF_INET && (a->flags & IFA_F_SECONDARY);
}

/* Has the subnet of a another primary address than before? Then all of it must be added in its order. */
static bool is_shuffled(const struct restore *r, const struct nctl_snap_addr *a, const struct nctl_addr *now)
{
	(void)r;
	return now && is_secondary(&a->v) != is_secondary(now);
}

/* Subnets, by link, that are shuffled; few, if any. */
struct shuffled {
	uint32_t netns;
	nctl_ifindex ifindex;
	struct nctl_prefix subnet;
};

struct shuffles {
	struct shuffled *v;
	size_t n;
};

static bool find_shuffled(const struct shuffles *sh, const struct nctl_snap_addr *a)
{
	struct nctl_prefix subnet = nctl_plan_subnet(&a->v);

	for (size_t i = 0; i < sh->n && a->v.local.family == AF_INET; i++)
		if (sh->v[i].netns == a->netns && sh->v[i].ifindex == a->v.ifindex &&
			nctl_prefix_equal(&sh->v[i].subnet, &subnet))
			return true;
	return false;
}

static const struct nctl_addr *addr_now(const struct restore *r, const struct nctl_snap_addr *a)
{
	const struct nctl_mirror *m = mirror_of(r, a->netns);
	const struct nctl_mirror_addr *now = m ? nctl_mirror_addr_get(m, &a->v) : NULL;

	return now ? &now->v : NULL;
}

static void find_shuffles(struct restore *r, struct shuffles *sh)
{
	const struct nctl_snapshot *s = r->s;

	sh->v = calloc(s->n_addrs + 1, sizeof(*sh->v));
	if (!sh->v)
		r->b.err = -ENOMEM;
	for (size_t i = 0; !r->b.err && i < s->n_addrs; i++) {
		const struct nctl_snap_addr *a = &s->addrs[i];

		if (a->added || !is_shuffled(r, a, addr_now(r, a)) || find_shuffled(sh, a))
			continue;
		sh->v[sh->n++] = (struct shuffled){a->netns, a->v.ifindex, nctl_plan_subnet(&a->v)};
	}
}

/* What gets its old name back goes down for that, and loses its IPv6 addresses. */
static bool is_renamed(const struct restore *r, const struct nctl_snap_addr *a)
{
	const struct nctl_mirror_link *l = link_now(r, a->netns, a->v.ifindex);
	const struct nctl_snap_link *was = nctl_snapshot_find(r->s, a->netns, a->v.ifindex);

	return a->v.local.family == AF_INET6 && l && was && strcmp(l->v.name, was->v.name);
}

static void restore_addr(struct restore *r, const struct nctl_snap_addr *a, const struct shuffles *sh)
{
	const struct nctl_addr *now = addr_now(r, a);
	bool shuffled = find_shuffled(sh, a);

	if (a->added) {
		if (now)
			turn_addr(r, a, now, NCTL_OP_ADDR_NEW);
		return;
	}
	if (now && !shuffled && !nctl_plan_addr_differs(&a->v, now) && !is_renamed(r, a))
		return;
	turn_addr(r, a, &a->v, NCTL_OP_ADDR_DEL);
	if (now && (shuffled || nctl_plan_addr_must_go(&a->v, now)))
		turn_addr(r, a, now, NCTL_OP_ADDR_NEW);
}

/* Undoing takes them from the end: primary addresses are there again first. */
static void restore_addrs(struct restore *r)
{
	struct shuffles sh = {0};

	find_shuffles(r, &sh);
	for (int secondary = 1; secondary >= 0; secondary--)
		for (size_t i = 0; !r->b.err && i < r->s->n_addrs; i++) {
			const struct nctl_snap_addr *a = &r->s->addrs[i];

			/* With its namespace it is made again; on a link that is gone, or was made, it goes
			 * along. */
			if (r->gone[a->netns] || is_secondary(&a->v) != secondary)
				continue;
			if (link_now(r, a->netns, a->v.ifindex) ||
				nctl_snapshot_find(r->s, a->netns, a->v.ifindex))
				restore_addr(r, a, &sh);
		}
	free(sh.v);
}

/* -- the rest -- */

static void restore_altnames(struct restore *r)
{
	for (size_t i = 0; !r->b.err && i < r->s->n_altnames; i++) {
		const struct nctl_snap_altname *a = &r->s->altnames[i];
		const struct nctl_mirror_link *l = link_now(r, a->netns, a->ifindex);
		struct nctl_op *op;

		if (!l || !nctl_plan_has_altname(&l->v, a->name))
			continue;
		op = add(r, a->netns, NCTL_OP_ALTNAME_NEW, NCTL_PHASE_TUNE, l->v.name);
		if (!op)
			return;
		op->ifindex = a->ifindex;
		op->kind = kind_of(&l->v);
		op->altname = a->name;
	}
}

/* Neighbours are not mirrored: once they are set back, without a look. */
static bool is_as_it_was(const struct restore *r, const struct nctl_mirror *m, const struct nctl_snap_fib *f)
{
	if (f->type == NCTL_OP_NEIGH_NEW)
		return !m || r->all;
	/* In a namespace that is gone, there is nothing. */
	return m ? nctl_snapshot_fib_is_there(m, f) != f->added : f->added;
}

/* What goes from the end of the list comes back first. */
static void restore_fibs(struct restore *r)
{
	for (size_t i = 0; !r->b.err && i < r->s->n_fibs; i++) {
		const struct nctl_snap_fib *f = &r->s->fibs[i];
		const struct nctl_mirror *m = mirror_of(r, f->netns);

		if (is_as_it_was(r, m, f))
			continue;
		nctl_plan_enter(&r->b, f->netns);
		nctl_snapshot_turn_fib(&r->b, f);
	}
}

/* They are not mirrored: once they are set back, without a look. */
static void restore_sysctls(struct restore *r)
{
	for (size_t i = 0; !r->all && !r->b.err && i < r->s->n_sysctls; i++) {
		const struct nctl_snap_sysctl *v = &r->s->sysctls[i];
		struct nctl_op *op;

		if (!mirror_of(r, v->netns))
			continue;
		op = add(r, v->netns, NCTL_OP_SYSCTL_SET, nctl_plan_sysctl_phase(v->name), v->name);
		if (!op)
			return;
		op->kind = "sysctl";
		op->sysctl = v->name;
		op->value = v->value;
		op->old_value = v->old;
	}
}

/* A namespace that is gone, with all links that were in it. */
static void one_gone(struct restore *r, uint32_t netns, size_t n)
{
	const struct nctl_snapshot *s = r->s;
	struct nctl_op *op = add(r, netns, NCTL_OP_NETNS_DEL, NCTL_PHASE_REMOVE, s->netns[netns].name);

	if (!op)
		return;
	op->kind = "netns";
	op->before = calloc(1, sizeof(*op->before));
	if (!op->before || !(op->before->ports = calloc(n + 1, sizeof(*op->before->ports)))) {
		r->b.err = -ENOMEM;
		return;
	}
	op->before->link = NCTL_LINK_INIT;
	for (size_t i = 0; i < s->n_links; i++) {
		struct nctl_op_before *before = &op->before->ports[op->before->n_ports];
		size_t n_addrs = 0;

		if (s->links[i]->netns != netns)
			continue;
		if (nctl_link_copy(&before->link, &s->links[i]->v) < 0) {
			r->b.err = -ENOMEM;
			return;
		}
		op->before->n_ports++;
		for (size_t k = 0; k < s->n_addrs; k++)
			n_addrs += s->addrs[k].netns == netns &&
			           s->addrs[k].v.ifindex == before->link.ifindex && !s->addrs[k].added;
		before->addrs = calloc(n_addrs + 1, sizeof(*before->addrs));
		if (!before->addrs) {
			r->b.err = -ENOMEM;
			return;
		}
		for (size_t k = 0; k < s->n_addrs; k++)
			if (s->addrs[k].netns == netns && s->addrs[k].v.ifindex == before->link.ifindex &&
				!s->addrs[k].added)
				before->addrs[before->n_addrs++] = s->addrs[k].v;
	}
}

static void restore_netns(struct restore *r)
{
	const struct nctl_snapshot *s = r->s;

	for (uint32_t i = 0; !r->b.err && i < s->n_netns; i++) {
		const struct nctl_plan_netns *now = &r->b.plan->netns[i];
		struct nctl_op *op;

		if (s->netns[i].made && now->there && now->ours) {
			op = add(r, i, NCTL_OP_NETNS_NEW, NCTL_PHASE_NETNS, now->name);
			if (op)
				op->kind = "netns";
		}
		if (r->gone[i] && s->netns[i].ours)
			one_gone(r, i, s->n_links);
	}
}

/* Who was there and is not, or is another one under the old name. */
static int look(struct restore *r, const struct nctl_plan_netns *now)
{
	const struct nctl_snapshot *s = r->s;

	r->gone = nctl_arena_alloc(&r->b.plan->arena, s->n_netns * sizeof(*r->gone));
	if (!r->gone || nctl_plan_netns_init(&r->b, now, s->n_netns) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < s->n_netns; i++) {
		struct nctl_plan_netns *n = &r->b.plan->netns[i];

		n->want = NULL;
		n->sysctls = NULL;
		if (s->netns[i].made || (n->have && n->cookie == s->netns[i].cookie))
			continue;
		r->gone[i] = s->netns[i].cookie;
	}
	return 0;
}

int nctl_snapshot_restore(
	const struct nctl_snapshot *s, const struct nctl_plan_netns *now, bool all, struct nctl_plan **ret)
{
	_cleanup_(nctl_plan_freep) struct nctl_plan *turned = calloc(1, sizeof(*turned)), *back = NULL;
	struct restore r = {.b = {.plan = turned, .last_nsid = NCTL_OP_NONE}, .s = s, .all = all};
	int e;

	if (!turned)
		return -ENOMEM;
	nctl_arena_init(&turned->arena);
	e = look(&r, now);
	if (e >= 0) {
		restore_netns(&r);
		restore_made(&r);
		restore_links(&r);
		restore_addrs(&r);
		restore_altnames(&r);
		restore_sysctls(&r);
		restore_fibs(&r);
		if (!r.all)
			nctl_snapshot_restore_told(&r.b, s, r.gone);
		e = r.b.err;
	}
	free(r.b.netns_made);
	if (e >= 0)
		e = nctl_plan_undo(turned, &back);
	if (e < 0)
		return e;
	back->turned = take_ptr(turned);
	*ret = take_ptr(back);
	return 0;
}
