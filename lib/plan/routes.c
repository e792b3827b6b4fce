/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the routes of one namespace. Of a place in a table (family, prefix, metric) one route is wanted. What
 * is there and shows it is left alone, even if another program made it: then it is satisfied, and not ours.
 * One of ours that differs is replaced by one message where NLM_F_REPLACE can hit ours only (IPv4: the first
 * of its place; IPv6: the first of its kind), or else by two. A different route of another program in that
 * place is a conflict.
 */
#include "plan/fib.h"

#include <errno.h>
#include <linux/if_addr.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>

#include "base/array.h"

#ifndef IFF_LOWER_UP
#define IFF_LOWER_UP 0x10000U /* linux/if.h, which does not go with net/if.h */
#endif

/* What stands in the place of a wanted route. */
struct place {
	nctl_route_ref shown;           /* the first that shows it; 0: none */
	nctl_route_ref ours;            /* the first of ours that does not */
	nctl_route_ref foreign;         /* the first of others' that is in the way */
	unsigned n, n_ours, n_in_front; /* in_front: of others', before ours */
	bool first_kin_is_ours, has_kin;
};

static void keep(struct fib *f, nctl_route_ref ref)
{
	int r = nctl_array_grow(&f->kept, &f->cap_kept, f->n_kept, sizeof(ref));

	if (r < 0)
		f->b->err = r;
	else
		f->kept[f->n_kept++] = ref;
}

/* Would the kernel take v for the same route as h, or for a sibling of it? Of IPv4, all of a place are. */
static bool is_in_the_way(const struct nctl_route *v, const struct nctl_route *h)
{
	if (v->dst.family == AF_INET)
		return true;
	if (nctl_route_is_ecmp(v) || nctl_route_is_ecmp(h))
		return nctl_route_is_ecmp(v) == nctl_route_is_ecmp(h);
	if (v->nhid || h->nhid)
		return v->nhid == h->nhid;
	return !v->n_hops || (h->n_hops && h->hops[0].oif == v->hops[0].oif);
}

static void look_at(
	struct place *at, const struct nctl_route *v, const struct nctl_route *h, nctl_route_ref ref)
{
	bool ours = h->protocol == NCTL_PROTO, kin = nctl_route_is_ecmp(v) == nctl_route_is_ecmp(h);

	at->n++;
	at->n_ours += ours;
	if (kin && !at->has_kin)
		at->first_kin_is_ours = ours;
	at->has_kin |= kin;
	if (nctl_fib_route_shows(v, h)) {
		at->shown = at->shown ? at->shown : ref;
	} else if (ours) {
		at->ours = at->ours ? at->ours : ref;
	} else if (is_in_the_way(v, h)) {
		at->foreign = at->foreign ? at->foreign : ref;
		at->n_in_front += !at->ours;
	}
}

static struct place look(const struct fib *f, const struct nctl_route *v)
{
	const struct nctl_mirror *m = f->b->have;
	nctl_route_ref ref = nctl_mirror_route_get(m, v->table, &v->dst);
	struct place at = {0};
	struct nctl_route h;

	for (; ref; ref = nctl_mirror_route_sibling(m, ref)) {
		nctl_mirror_route_view(m, ref, &h);
		if (nctl_fib_same_key(v, &h))
			look_at(&at, v, &h, ref);
	}
	return at;
}

/* May one message take the place of ours, and of nothing else? */
static bool can_replace(const struct nctl_route *v, const struct place *at)
{
	if (at->n == at->n_ours)
		return true;
	return v->dst.family == AF_INET6 && at->has_kin && at->first_kin_is_ours;
}

static struct nctl_op *add(struct fib *f, const struct nctl_want_route *r, struct nctl_op_fib *fib,
	enum nctl_fib_rank rank, uint16_t nlm_flags)
{
	struct nctl_op *op = nctl_fib_op(f, NCTL_OP_ROUTE_NEW, rank, r->label, &r->pos, &fib);

	if (!op)
		return NULL;
	fib->nlm_flags = NLM_F_CREATE | nlm_flags;
	if (r->link && r->link->def->n_links > 1)
		op->want = r->link; /* told by its range */
	return op;
}

/* What is there, as it is. NULL: no memory (b->err). */
static struct nctl_op_fib *as_shown(struct fib *f, nctl_route_ref ref)
{
	struct nctl_op_fib *fib;
	struct nctl_route v;

	nctl_mirror_route_view(f->b->have, ref, &v);
	fib = nctl_fib_copy_route(f->b->plan, &v);
	if (!fib)
		f->b->err = -ENOMEM;
	return fib;
}

static void del(struct fib *f, nctl_route_ref ref, enum nctl_fib_rank rank, const struct nctl_pos *pos)
{
	struct nctl_op_fib *fib = as_shown(f, ref);

	if (fib)
		nctl_fib_op(f, NCTL_OP_ROUTE_DEL, rank, nctl_fib_route_label(f->b, &fib->v.route), pos, &fib);
}

static void in_the_way(struct fib *f, const struct nctl_want_route *r, nctl_route_ref ref)
{
	struct nctl_route h;

	nctl_mirror_route_view(f->b->have, ref, &h);
	nctl_plan_problem(f->b, NCTL_PROBLEM_CONFLICT, &r->pos,
		"a route that netctld does not own (protocol %u) is in the way of %s in table %u with metric "
		"%u; delete "
		"it, or choose another metric",
		h.protocol, r->label, r->v.table, r->v.metric);
}

/* Something of ours, or nothing, is in its place. */
static struct nctl_op *put(struct fib *f, const struct nctl_want_route *r, struct nctl_op_fib *fib,
	const struct place *at, enum nctl_fib_rank rank)
{
	bool replaces = at->ours && can_replace(&r->v, at);
	uint16_t flags = replaces ? NLM_F_REPLACE : at->n ? 0 : NLM_F_EXCL;
	struct nctl_op *op;
	struct nctl_route h;

	/* IPv6 would join old and new. IPv4 puts the new one in front. */
	if (at->ours && !replaces && r->v.dst.family == AF_INET6) {
		del(f, at->ours, rank, &r->pos);
		keep(f, at->ours);
	}
	op = add(f, r, fib, rank, flags);
	if (!op || !replaces)
		return op;
	keep(f, at->ours);
	nctl_mirror_route_view(f->b->have, at->ours, &h);
	fib->old = nctl_fib_copy_route(f->b->plan, &h);
	if (!fib->old)
		f->b->err = -ENOMEM;
	return op;
}

/* What is wanted with the indexes of links; NULL: no memory. */
static struct nctl_op_fib *value_of(
	struct fib *f, const struct nctl_want_route *r, const struct fib_way *ways)
{
	struct nctl_op_fib *fib = nctl_fib_copy_route(f->b->plan, &r->v);

	if (!fib) {
		f->b->err = -ENOMEM;
		return NULL;
	}
	fib->v.route.protocol = NCTL_PROTO;
	for (uint32_t i = 0; i < r->v.n_hops; i++)
		((struct nctl_hop *)(uintptr_t)fib->v.route.hops)[i].oif = ways[i].ifindex;
	return fib;
}

struct state {
	bool waits, fades;
	uint32_t need[2];
};

static void take_way(struct state *s, const struct fib_way *w)
{
	s->waits |= w->waits;
	s->fades |= w->fades;
	if (w->made_by == NCTL_OP_NONE)
		return;
	if (s->need[0] == NCTL_OP_NONE)
		s->need[0] = w->made_by;
	else if (s->need[0] != w->made_by)
		s->need[1] = w->made_by;
}

/* The source address may be one of another link. */
static bool source_fades(const struct fib *f, const struct nctl_route *v)
{
	const struct nctl_mirror_addr *a =
		v->prefsrc.family ? nctl_mirror_addr_find(f->b->have, &v->prefsrc) : NULL;

	return a && nctl_fib_is_touched(f, a->v.ifindex);
}

static void find_nexthop(struct fib *f, const struct nctl_want_route *r, struct state *s)
{
	ssize_t i = nctl_fib_find_nexthop(f->w, r->v.nhid);

	if (i < 0)
		return;
	s->waits |= f->nexthops[i].waits;
	s->fades |= f->nexthops[i].fades;
	s->need[0] = f->nexthops[i].made_by;
}

/* Once per hop; their links are few. */
static struct fib_way *find_ways(struct fib *f, const struct nctl_want_route *r, struct state *s)
{
	struct fib_way *ways = calloc(r->v.n_hops + 1, sizeof(*ways));

	*s = (struct state){.need = {NCTL_OP_NONE, NCTL_OP_NONE}};
	if (!ways) {
		f->b->err = -ENOMEM;
		return NULL;
	}
	for (uint32_t i = 0; i < r->v.n_hops; i++) {
		nctl_fib_way(f, &r->devs[i], "the route to", r->label, &r->pos, &ways[i]);
		take_way(s, &ways[i]);
	}
	if (r->v.nhid)
		find_nexthop(f, r, s);
	s->fades |= source_fades(f, &r->v);
	return ways;
}

static bool waits_for_gateway(struct fib *f, const struct nctl_want_route *r, const struct nctl_route *v)
{
	char buf[NCTL_ADDR_STR];

	for (uint32_t i = 0; i < v->n_hops; i++) {
		if (nctl_fib_is_reachable(f, r, v, i))
			continue;
		nctl_fib_wait(f, &r->pos, "the route to %s waits for a way to its gateway %s", r->label,
			nctl_addr_format(&v->hops[i].via, buf));
		return true;
	}
	return false;
}

/* Without a carrier, the kernel never ends its look for duplicates of the source address; and if nothing is
 * done to links, there will be none. */
static bool waits_for_carrier(struct fib *f, const struct nctl_want_route *r)
{
	const struct nctl_mirror_addr *a =
		r->v.prefsrc.family == AF_INET6 ? nctl_mirror_addr_find(f->b->have, &r->v.prefsrc) : NULL;
	const struct nctl_mirror_link *l = a ? nctl_mirror_link_get(f->b->have, a->v.ifindex) : NULL;
	char buf[NCTL_ADDR_STR];

	if (!l || f->n_touched || !(a->v.flags & IFA_F_TENTATIVE) || !nctl_link_is_up(&l->v) ||
		(l->v.flags & IFF_LOWER_UP))
		return false;
	nctl_fib_wait(f, &r->pos,
		"the route to %s waits for a carrier of %s, without which %s cannot be used", r->label,
		l->v.name, nctl_addr_format(&r->v.prefsrc, buf));
	return true;
}

/* It is to be sent; false: not now. What is in its place stays until then. */
static bool may_send(
	struct fib *f, const struct nctl_want_route *r, const struct nctl_route *v, const struct place *at)
{
	if (at->foreign && (at->n_in_front || !at->ours)) {
		in_the_way(f, r, at->foreign);
		return false;
	}
	return !waits_for_gateway(f, r, v) && !waits_for_carrier(f, r);
}

static void plan_route(struct fib *f, const struct nctl_want_route *r, enum nctl_fib_rank rank)
{
	struct nctl_op *op = NULL;
	struct nctl_op_fib *fib;
	struct fib_way *ways;
	struct place at;
	struct state s;

	f->b->of = r->link;
	ways = find_ways(f, r, &s);
	fib = ways ? value_of(f, r, ways) : NULL;

	free(ways);
	if (!fib)
		return;
	at = look(f, &fib->v.route);
	if (at.shown)
		keep(f, at.shown);
	if (at.shown && s.fades && !s.waits)
		fib = as_shown(f, at.shown);
	if (!fib)
		return;
	if (at.shown ? s.fades && !s.waits : !s.waits && may_send(f, r, &fib->v.route, &at)) {
		op = at.shown ? add(f, r, fib, rank, 0) : put(f, r, fib, &at, rank);
	} else if (!at.shown && at.ours) {
		keep(f, at.ours);
	}
	if (!op)
		return;
	op->if_missing = at.shown;
	op->need[0] = s.need[0];
	op->need[1] = s.need[1];
}

static bool has_gateway(const struct nctl_route *v)
{
	for (uint32_t i = 0; i < v->n_hops; i++)
		if (v->hops[i].via.family)
			return true;
	return v->nhid;
}

void nctl_fib_device_routes(struct fib *f)
{
	for (size_t i = 0; i < f->w->n_routes && !f->b->err; i++)
		if (!has_gateway(&f->w->routes[i].v))
			plan_route(f, &f->w->routes[i], NCTL_FIB_DEVICE_ROUTE);
	f->b->of = NULL;
}

void nctl_fib_routes(struct fib *f)
{
	for (size_t i = 0; i < f->w->n_routes && !f->b->err; i++)
		if (has_gateway(&f->w->routes[i].v))
			plan_route(f, &f->w->routes[i], NCTL_FIB_ROUTE);
	f->b->of = NULL;
}

static int cmp_ref(const void *x, const void *y)
{
	nctl_route_ref a = *(const nctl_route_ref *)x, b = *(const nctl_route_ref *)y;

	return (a > b) - (a < b);
}

/* All that it leaves by goes with this plan. */
static bool goes_by_itself(const struct fib *f, const struct nctl_route *v)
{
	for (uint32_t i = 0; i < v->n_hops; i++)
		if (!nctl_plan_is_doomed(f->b, v->hops[i].oif))
			return false;
	return v->n_hops;
}

void nctl_fib_unroute(struct fib *f)
{
	struct nctl_route_walk walk;
	nctl_route_ref ref;
	struct nctl_route v;

	if (f->n_kept)
		qsort(f->kept, f->n_kept, sizeof(*f->kept), cmp_ref);
	nctl_mirror_routes_of_protocol(f->b->have, NCTL_PROTO, &walk);
	while (!f->b->err && (ref = nctl_mirror_routes_of_next(&walk))) {
		if (f->n_kept && bsearch(&ref, f->kept, f->n_kept, sizeof(ref), cmp_ref))
			continue;
		nctl_mirror_route_view(f->b->have, ref, &v);
		if (!goes_by_itself(f, &v))
			del(f, ref, NCTL_FIB_UNROUTE, NULL);
	}
}
