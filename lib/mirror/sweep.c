/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: what a complete list did not name goes, bit by bit. A record has the generation of the last dump (or
 * event) that touched it; a sweep takes those that are older than its dump and in its scope: all records in
 * the order of their numbers, or those of one table in the order of its index, or, by way of the sets that
 * name a link, those with a hop on it. Sweeps go on while later dumps run; what these touch is younger.
 */
#include "mirror/fib.h"

#include <string.h>

#define VISITS 8        /* records that are passed over for the price of one that goes */

/* A dump begins: all that is there is older than it from now on. */
void nctl_sweep_begin(struct nctl_fib *f)
{
	size_t all = SIZE_MAX;

	f->placed.id = 0;
	if (++f->gen < NCTL_REC_GENS)
		return;
	/* Once in a million dumps the numbers start again. */
	while (f->n_sweeps)
		nctl_sweep_work(f, &all);
	for (uint32_t id = 1; id <= nctl_slab_last(&f->recs); id++) {
		struct nctl_rec *rec = nctl_slab_at(&f->recs, id);

		if (rec && rec->set)
			rec->gen = 0;
	}
	f->gen = 1;
}

/* Complete or not. */
void nctl_sweep_end(struct nctl_fib *f)
{
	f->dumped = nctl_time_now();
}

void nctl_sweep_start(struct nctl_fib *f, const struct nctl_dump_scope *scope)
{
	size_t all = SIZE_MAX;

	/* More than a handful at once means that nobody works: then it is done at once. */
	while (f->n_sweeps == NCTL_SWEEPS)
		nctl_sweep_work(f, &all);
	f->sweeps[f->n_sweeps++] =
		(struct nctl_sweep){.scope = *scope, .gen = f->gen, .stamp = ++f->m->stamp, .at = 1};
}

static bool is_stale(const struct nctl_fib *f, const struct nctl_sweep *w, uint32_t route)
{
	return nctl_rec_at(f, route)->gen < w->gen && nctl_fib_is_live(f, route);
}

static uint64_t key_hash(const struct nctl_route *r)
{
	uint64_t h = nctl_hash_u64((uint64_t)r->table << 32 | r->metric);

	return nctl_hash_u64(h ^ nctl_prefix_hash(&r->dst)) + r->tos;
}

/*
 * An event that explains why a route was not in the dump may be on its way, and say that another one took its
 * place: not that of the one that is first now. Keys are remembered as bits; two with one bit only cause a
 * look.
 */
static void doubt(struct nctl_fib *f, uint32_t route)
{
	struct nctl_route v;
	uint64_t h;

	nctl_route_fill(f, route, &v);
	h = key_hash(&v) % (NCTL_DOUBTS * 64);
	f->doubts[h / 64] |= UINT64_C(1) << h % 64;
}

bool nctl_sweep_is_in_doubt(const struct nctl_fib *f, const struct nctl_route *r)
{
	uint64_t h = key_hash(r) % (NCTL_DOUBTS * 64);

	return f->doubts[h / 64] >> h % 64 & 1;
}

static void forget_doubts(struct nctl_fib *f)
{
	f->dumped.usec = 0;
	memset(f->doubts, 0, sizeof(f->doubts));
}

bool nctl_sweep_is_recent(struct nctl_fib *f)
{
	if (f->m->lists[nctl_fib_type(f)].dumping)
		return true;
	if (f->dumped.usec && nctl_time_diff_us(nctl_time_now(), f->dumped) > NCTL_LAG_US)
		forget_doubts(f);
	return f->dumped.usec;
}

static void take(struct nctl_fib *f, uint32_t route, size_t *budget)
{
	if (nctl_sweep_is_recent(f))
		doubt(f, route);
	nctl_route_remove(f, route, false);
	f->m->stats.swept++;
	*budget -= *budget > 0;
}

/* A price for looking. */
static void pay(size_t *budget, unsigned *visits)
{
	if (++*visits % VISITS == 0)
		*budget -= *budget > 0;
}

static bool sweep_all(struct nctl_fib *f, struct nctl_sweep *w, size_t *budget)
{
	unsigned visits = 0;

	for (; *budget && w->at <= nctl_slab_last(&f->recs); w->at++) {
		struct nctl_rec *rec = nctl_slab_at(&f->recs, w->at);

		pay(budget, &visits);
		if (!rec)
			w->at += NCTL_SLAB_RECORDS - 1 - (w->at - 1) % NCTL_SLAB_RECORDS;
		else if (rec->set && is_stale(f, w, w->at))
			take(f, w->at, budget);
	}
	return w->at > nctl_slab_last(&f->recs);
}

/* route leaves its place: no sweep may stand on it. */
void nctl_sweep_leave(struct nctl_fib *f, uint32_t route)
{
	for (unsigned i = 0; i < f->n_sweeps; i++)
		if (f->sweeps[i].next == route)
			f->sweeps[i].next = nctl_fib_next(f, route);
}

static bool sweep_table(struct nctl_fib *f, struct nctl_sweep *w, size_t *budget)
{
	unsigned visits = 0;
	struct nctl_fib_table *t;
	uint32_t route;

	while (*budget && (t = nctl_fib_table(f, w->scope.table))) {
		route = w->next;
		if (!route) {
			route = nctl_lpm_next(t->lpm, w->to.family == AF_UNSPEC ? NULL : &w->to);
			if (!route)
				return true;
			w->to = nctl_fib_prefix(f, route);
		}
		w->next = nctl_fib_next(f, route);
		if (is_stale(f, w, route))
			take(f, route, budget);
		else
			pay(budget, &visits);
	}
	return *budget > 0;
}

static bool is_on(const void *userdata, const struct nctl_hop *h)
{
	return h->oif == *(const nctl_ifindex *)userdata;
}

/*
 * The dump of a link did not name it: it has nothing there any more. Of siblings the others may be there
 * still, and a route through an object goes where that leads now. False: it is left as it is.
 */
static bool take_from_link(struct nctl_fib *f, struct nctl_sweep *w, uint32_t route, size_t *budget)
{
	const struct nctl_route *v = &nctl_set_of(f, route)->v;
	bool others = false;

	if (v->nhid) {
		nctl_suspect(f->m, nctl_fib_type(f), v->table, 0);
		return false;
	}
	for (uint32_t i = 0; f->family == AF_INET6 && i < v->n_hops; i++)
		others |= !is_on(&w->scope.oif, &v->hops[i]);
	if (!others || nctl_route_without(f, route, is_on, &w->scope.oif, NCTL_TOUCH_NOT) < 0)
		take(f, route, budget);
	return true;
}

static bool sweep_set(struct nctl_fib *f, struct nctl_sweep *w, struct nctl_set *s, size_t *budget)
{
	unsigned visits = 0;

	if (s->swept_by != w->stamp) {
		s->swept_by = w->stamp;
		s->swept = s->first;
	}
	while (s->swept && *budget) {
		uint32_t route = s->swept;
		bool last = s->n_routes == 1;

		s->swept = nctl_rec_at(f, route)->set_next;
		if (is_stale(f, w, route) && (!w->scope.table || s->v.table == w->scope.table)) {
			if (take_from_link(f, w, route, budget) && last)
				return true; /* s is no more */
		} else {
			pay(budget, &visits);
		}
	}
	if (s->swept)
		return true;
	s->stamp = w->stamp;
	return false;
}

/* The sets of a link in a round: one that is done goes to the end of the list with the stamp of this sweep.
 */
static bool sweep_link(struct nctl_fib *f, struct nctl_sweep *w, size_t *budget)
{
	while (*budget) {
		struct nctl_ref_head *h = nctl_ref_head(f->m, NCTL_REF_OIF, w->scope.oif, NULL);
		struct nctl_ref *r;
		struct nctl_set *s;

		if (!h)
			return true;
		r = nctl_list_entry(nctl_list_first(&h->refs), struct nctl_ref, link);
		s = r->owner;
		if (s->stamp == w->stamp)
			return true;
		*budget -= 1;
		if (s->v.dst.family == f->family && sweep_set(f, w, s, budget))
			continue;
		s->stamp = w->stamp;
		nctl_list_del(&r->link);
		nctl_list_add_tail(&h->refs, &r->link);
	}
	return false;
}

bool nctl_sweep_work(struct nctl_fib *f, size_t *budget)
{
	struct nctl_sweep *w;
	bool done;

	while (*budget && f->n_sweeps) {
		w = &f->sweeps[0];
		if (w->scope.oif)
			done = sweep_link(f, w, budget);
		else if (w->scope.table)
			done = sweep_table(f, w, budget);
		else
			done = sweep_all(f, w, budget);
		if (!done)
			break;
		f->n_sweeps--;
		for (unsigned i = 0; i < f->n_sweeps; i++)
			f->sweeps[i] = f->sweeps[i + 1];
	}
	return f->n_sweeps > 0;
}
