/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the next-hop objects of one namespace: those with a link, then groups of them. One of ours that
 * differs is replaced where the kernel can; or else it is deleted and made again, and what uses it is put
 * back.
 */
#include "plan/fib.h"

#include <errno.h>
#include <linux/netlink.h>
#include <stdio.h>

/* Can the kernel change one into the other (net/ipv4/nexthop.c replace_nexthop)? */
static bool can_replace(const struct nctl_nexthop *want, const struct nctl_nexthop *have)
{
	return want->group == have->group && want->group_type == have->group_type &&
	       want->resilient == have->resilient && want->buckets == have->buckets &&
	       want->family == have->family && want->fdb == have->fdb;
}

static struct nctl_op_fib *value_of(
	struct fib *f, const struct nctl_want_nexthop *n, const struct fib_way *way)
{
	struct nctl_op_fib *fib = nctl_fib_copy_nexthop(f->b->plan, &n->v);

	if (!fib) {
		f->b->err = -ENOMEM;
		return NULL;
	}
	fib->v.nexthop.protocol = NCTL_PROTO;
	fib->v.nexthop.hop.oif = way->ifindex;
	return fib;
}

static enum nctl_fib_rank rank_of(const struct nctl_nexthop *n)
{
	return n->group ? NCTL_FIB_GROUP : NCTL_FIB_NEXTHOP;
}

static void del(
	struct fib *f, const struct nctl_nexthop *have, enum nctl_fib_rank rank, const struct nctl_pos *pos)
{
	struct nctl_op_fib *fib = nctl_fib_copy_nexthop(f->b->plan, have);
	char label[16];

	if (!fib) {
		f->b->err = -ENOMEM;
		return;
	}
	snprintf(label, sizeof(label), "%u", have->id);
	nctl_fib_op(f, NCTL_OP_NEXTHOP_DEL, rank, nctl_plan_copy_name(f->b, label), pos, &fib);
}

/* Its deletion takes routes along, whoever made them. */
static bool spares_foreign(struct fib *f, nctl_nhid id, const struct nctl_pos *pos)
{
	struct nctl_route_walk walk;
	nctl_route_ref ref;
	struct nctl_route v;

	nctl_mirror_routes_of_nexthop(f->b->have, id, &walk);
	while ((ref = nctl_mirror_routes_of_next(&walk))) {
		char buf[NCTL_PREFIX_STR];

		nctl_mirror_route_view(f->b->have, ref, &v);
		if (v.protocol == NCTL_PROTO)
			continue;
		nctl_plan_problem(f->b, NCTL_PROBLEM_CONFLICT, pos,
			"deleting the next hop %u would take the route to %s along, which netctld does not "
		        "own",
			id, nctl_prefix_format(&v.dst, buf));
		return false;
	}
	return true;
}

static void in_the_way(struct fib *f, const struct nctl_want_nexthop *n, const struct nctl_nexthop *have)
{
	nctl_plan_problem(f->b, NCTL_PROBLEM_CONFLICT, &n->pos,
		"a next hop %u that netctld does not own (protocol %u) is in the way; delete it, or choose "
	        "another number",
		have->id, have->protocol);
}

/* What members and link say of it. */
static struct fib_way find_way(struct fib *f, const struct nctl_want_nexthop *n, struct fib_nexthop *state)
{
	struct fib_way way;

	nctl_fib_way(f, &n->dev, "next hop", n->label, &n->pos, &way);
	state->waits = way.waits;
	state->fades = way.fades;
	for (uint32_t i = 0; i < n->v.n_members; i++) {
		ssize_t at = nctl_fib_find_nexthop(f->w, n->v.members[i].id);

		if (at < 0)
			continue;
		state->waits |= f->nexthops[at].waits;
		state->fades |= f->nexthops[at].fades;
		if (f->nexthops[at].made_by != NCTL_OP_NONE)
			way.made_by = f->nexthops[at].made_by;
	}
	return way;
}

static bool waits_for_gateway(struct fib *f, const struct nctl_want_nexthop *n, const struct fib_way *way)
{
	struct nctl_hop hop = n->v.hop;
	struct nctl_want_ref dev = n->dev;
	const struct nctl_want_route r = {.devs = &dev, .v = {.n_hops = 1}, .label = n->label};
	struct nctl_route v = {.table = 254, .n_hops = 1, .hops = &hop}; /* main */
	char buf[NCTL_ADDR_STR];

	hop.oif = way->ifindex;
	if (n->v.group || n->v.fdb || nctl_fib_is_reachable(f, &r, &v, 0))
		return false;
	nctl_fib_wait(f, &n->pos, "next hop %s waits for a way to its gateway %s", n->label,
		nctl_addr_format(&hop.via, buf));
	return true;
}

static void put(struct fib *f, const struct nctl_want_nexthop *n, const struct nctl_nexthop *have,
	struct nctl_op_fib *fib, const struct fib_way *way, struct fib_nexthop *state)
{
	bool shown = have && nctl_fib_nexthop_shows(&fib->v.nexthop, have);
	bool replaces = have && !shown && can_replace(&fib->v.nexthop, have);
	enum nctl_fib_rank rank = rank_of(&n->v);
	struct nctl_op *op;

	if (have && !shown && !replaces) {
		if (!spares_foreign(f, n->v.id, &n->pos))
			return;
		del(f, have, rank, &n->pos);
		state->fades = true;
	}
	op = nctl_fib_op(f, NCTL_OP_NEXTHOP_NEW, rank, n->label, &n->pos, &fib);
	if (!op)
		return;
	state->made_by = nctl_plan_last(f->b);
	op->if_missing = shown;
	op->need[0] = way->made_by;
	fib->nlm_flags = NLM_F_CREATE | (replaces ? NLM_F_REPLACE : NLM_F_EXCL);
	if (!replaces)
		return;
	fib->old = nctl_fib_copy_nexthop(f->b->plan, have);
	if (!fib->old)
		f->b->err = -ENOMEM;
}

static void plan_nexthop(struct fib *f, size_t i)
{
	const struct nctl_want_nexthop *n = &f->w->nexthops[i];
	const struct nctl_nexthop *have = nctl_mirror_nexthop_get(f->b->have, n->v.id);
	struct fib_nexthop *state = &f->nexthops[i];
	struct fib_way way = find_way(f, n, state);
	struct nctl_op_fib *fib = value_of(f, n, &way);
	bool shown = fib && have && nctl_fib_nexthop_shows(&fib->v.nexthop, have);

	state->made_by = NCTL_OP_NONE;
	if (!fib || state->waits || (shown && !state->fades))
		return;
	if (!shown && have && have->protocol != NCTL_PROTO) {
		in_the_way(f, n, have);
		state->waits = true;
		return;
	}
	if (!shown && waits_for_gateway(f, n, &way)) {
		state->waits = true;
		return;
	}
	put(f, n, have, fib, &way, state);
}

void nctl_fib_nexthops(struct fib *f)
{
	for (size_t i = 0; i < f->w->n_nexthops && !f->b->err; i++)
		if (!f->w->nexthops[i].v.group)
			plan_nexthop(f, i);
	for (size_t i = 0; i < f->w->n_nexthops && !f->b->err; i++)
		if (f->w->nexthops[i].v.group)
			plan_nexthop(f, i);
}

static void drop_some(struct fib *f, bool groups)
{
	const struct nctl_nexthop *n;
	nctl_nhid id = 0;

	for (; !f->b->err && (n = nctl_mirror_nexthop_from(f->b->have, id)); id = n->id + 1) {
		if (n->group == groups && n->protocol == NCTL_PROTO &&
			nctl_fib_find_nexthop(f->w, n->id) < 0 &&
			!(n->hop.oif && nctl_plan_is_doomed(f->b, n->hop.oif)) &&
			spares_foreign(f, n->id, &(struct nctl_pos){0}))
			del(f, n, groups ? NCTL_FIB_UNGROUP : NCTL_FIB_UNNEXTHOP, NULL);
		if (n->id == UINT32_MAX)
			return;
	}
}

void nctl_fib_drop_nexthops(struct fib *f)
{
	drop_some(f, true);
	drop_some(f, false);
}
