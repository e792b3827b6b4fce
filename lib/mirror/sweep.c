/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: what a complete list did not name goes, bit by bit. A record has the generation of the last dump (or
 * event) that touched it; a sweep takes those that are older than its dump and in its scope: all records in
 * the order of their numbers, or those of one table in the order of its index, or, by way of the sets that
 * name a link, those with a hop on it. Sweeps go on while later dumps run; what these touch is younger.
 */
#include "mirror/parts.h"

#define LAG    10000000 /* us; events are not that late, if nobody says nctl_mirror_caught_up */
#define VISITS 8 /* records that are passed over for the price of one that goes */

/* A dump begins: all that is there is older than it from now on. */
void nctl_sweep_begin(struct nctl_fib *f)
{
	size_t all = SIZE_MAX;

	f->placed.id = 0;
	if (++f->gen < NCTL_REC_GENS)
		return;
	/* Once in two million dumps the numbers start again. */
	while (f->n_sweeps)
		nctl_sweep_work(f, &all);
	for (uint32_t id = 1; id <= nctl_slab_last(&f->recs); id++) {
		struct nctl_rec *rec = nctl_slab_at(&f->recs, id);

		if (rec && rec->set)
			rec->gen = 0;
	}
	f->gen = 1;
}

bool nctl_sweep_is_recent(struct nctl_fib *f)
{
	if (f->m->lists[nctl_fib_type(f)].dumping)
		return true;
	if (f->dumped.usec && nctl_time_diff_us(nctl_time_now(), f->dumped) > LAG)
		f->dumped.usec = 0;
	return f->dumped.usec;
}

void nctl_mirror_caught_up(struct nctl_mirror *m)
{
	m->fibs[0].dumped.usec = m->fibs[1].dumped.usec = 0;
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
	f->sweeps[f->n_sweeps++] = (struct nctl_sweep){
		.scope = *scope, .gen = f->gen, .stamp = ++f->m->stamp, .at = 1};
}

static bool is_stale(const struct nctl_fib *f, const struct nctl_sweep *w, uint32_t route)
{
	return nctl_rec_at(f, route)->gen < w->gen && nctl_fib_is_live(f, route);
}

/*
 * A stale one among equals: the event that explains it may be on its way, and be one that replaced it. Then the
 * other one will be taken for what was replaced, so that is looked at again.
 */
static void suspect_others(struct nctl_fib *f, uint32_t route)
{
	const struct nctl_set *s = nctl_set_of(f, route);
	struct nctl_prefix p = nctl_fib_prefix(f, route);
	uint32_t head = nctl_lpm_get(nctl_fib_table(f, s->v.table)->lpm, &p), other = head;
	struct nctl_key key = nctl_key_of(&s->v, nctl_rec_at(f, route)->metric);

	if (nctl_crowd_of(f, head))
		return;
	for (; other; other = nctl_fib_next(f, other)) {
		const struct nctl_set *o = nctl_set_of(f, other);
		struct nctl_key k = nctl_key_of(&o->v, nctl_rec_at(f, other)->metric);

		if (other != route && !o->dead && !nctl_key_cmp(&k, &key))
			nctl_suspect_set(f->m, o);
	}
}

static void take(struct nctl_fib *f, uint32_t route, size_t *budget)
{
	if (nctl_sweep_is_recent(f))
		suspect_others(f, route);
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
			take(f, route, budget);
			if (last)
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

/* The sets of a link in a round: one that is done goes to the end of the list with the stamp of this sweep. */
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
