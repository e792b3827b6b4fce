/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: sets of attributes. Routes that are equal but for prefix and metric share one, found by a hash of its
 * content; a set knows its routes, and each link, next-hop object and preferred source that it names knows
 * the set. Sharing is an economy and no invariant: where the state of a link changes, the set is changed in
 * place, even if that makes it equal to another one.
 *
 * What happens to a set happens to all its routes at once and costs nothing a route: a dead one is skipped by
 * readers, and its routes are taken away later, bit by bit; of a changed one the routes are told bit by bit.
 */
#include "mirror/fib.h"
#include "mirror/pack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	RECENT = 512,         /* numbers of sets */
	RECENT_ROUTES = 4096, /* with fewer, memory is what counts */
};

static size_t content_bytes(const struct nctl_route *r)
{
	size_t n = nctl_pad(r->metrics.n) + nctl_pad(r->rest.n) + nctl_pad(r->n_hops * sizeof(*r->hops));

	for (uint32_t i = 0; i < r->n_hops; i++)
		n += nctl_pad(r->hops[i].encap.n) + nctl_pad(r->hops[i].rest.n);
	return n;
}

static void copy_content(struct nctl_set *s, const struct nctl_route *r, uint8_t *to)
{
	struct nctl_hop *hops = nctl_pack(&to, r->hops, r->n_hops * sizeof(*hops));

	s->v = *r;
	s->v.dst = (struct nctl_prefix){.family = r->dst.family};
	s->v.metric = 0;
	s->v.expires = 0;
	s->v.hops = hops;
	s->v.metrics.p = nctl_pack(&to, r->metrics.p, r->metrics.n);
	s->v.rest.p = nctl_pack(&to, r->rest.p, r->rest.n);
	for (uint32_t i = 0; i < r->n_hops; i++) {
		hops[i].encap.p = nctl_pack(&to, r->hops[i].encap.p, r->hops[i].encap.n);
		hops[i].rest.p = nctl_pack(&to, r->hops[i].rest.p, r->hops[i].rest.n);
	}
}

/* Is the last one in the list of this link this set already? */
static bool is_in(const struct nctl_mirror *m, const struct nctl_set *s, nctl_ifindex oif)
{
	struct nctl_ref_head *h = nctl_ref_head(m, NCTL_REF_OIF, oif, NULL);

	return h && nctl_list_entry(h->refs.prev, struct nctl_ref, link)->owner == s;
}

static int attach(struct nctl_mirror *m, struct nctl_set *s)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < s->v.n_hops; i++)
		if (s->v.hops[i].oif && !is_in(m, s, s->v.hops[i].oif))
			r = nctl_ref_attach(
				m, &s->refs[s->n_refs++], s, NCTL_REF_OIF, s->v.hops[i].oif, NULL);
	if (r == 0 && s->v.nhid)
		r = nctl_ref_attach(m, &s->refs[s->n_refs++], s, NCTL_REF_NHID, s->v.nhid, NULL);
	if (r == 0 && s->v.prefsrc.family != AF_UNSPEC)
		r = nctl_ref_attach(m, &s->refs[s->n_refs++], s, NCTL_REF_PREFSRC, 0, &s->v.prefsrc);
	if (r == 0)
		r = nctl_ref_attach(
			m, &s->refs[s->n_refs++], s, NCTL_REF_PROTOCOL, s->v.protocol, NULL);
	return r;
}

static void detach(struct nctl_mirror *m, struct nctl_set *s)
{
	for (uint32_t i = 0; i < s->n_refs; i++)
		nctl_ref_detach(m, &s->refs[i]);
	s->n_refs = 0;
}

static struct nctl_set *find(const struct nctl_mirror *m, const struct nctl_route *r, uint64_t hash)
{
	struct nctl_hash_node *n;

	nctl_hash_for_each_equal(n, &m->by_content, hash) {
		struct nctl_set *s = nctl_container_of(n, struct nctl_set, by_content);

		if (nctl_route_content_equal(&s->v, r))
			return s;
	}
	return NULL;
}

/* Where a set like that of r was last seen. Not what tells sets apart, but cheap. NULL: too few routes. */
static uint32_t *recent_place(struct nctl_mirror *m, const struct nctl_route *r)
{
	uint64_t h[2] = {r->nhid, r->metrics.n};

	if (!m->recent_sets && m->fibs[0].recs.n + m->fibs[1].recs.n >= RECENT_ROUTES) {
		m->recent_sets = calloc(RECENT, sizeof(*m->recent_sets));
		m->set_bytes += m->recent_sets ? RECENT * sizeof(*m->recent_sets) : 0;
	}
	if (r->n_hops) {
		memcpy(h, r->hops->via.addr + (r->dst.family == AF_INET6 ? 8 : 0), sizeof(h[0]));
		h[1] += (uint64_t)r->hops->oif << 32;
	}
	return m->recent_sets ? &m->recent_sets[nctl_hash_u64(h[0] ^ h[1]) % RECENT] : NULL;
}

/* The set of that number if there is one now, and r has it. */
static struct nctl_set *try(const struct nctl_mirror *m, const struct nctl_route *r, uint32_t id)
{
	void *p = id ? nctl_slab_at(&m->sets, id) : NULL;
	struct nctl_set *s = p ? *(struct nctl_set **)p : NULL;

	/* What was given back has no more than the number of the next one in it. */
	if ((uintptr_t)s <= NCTL_SLAB_RECORDS || s->dead)
		return NULL;
	return nctl_route_content_equal(&s->v, r) ? s : NULL;
}

static struct nctl_set *make(struct nctl_mirror *m, const struct nctl_route *r)
{
	uint64_t hash = nctl_route_content_hash(r);
	struct nctl_set *s = find(m, r, hash);
	size_t refs = r->n_hops + 3, bytes;

	if (s)
		return s;
	bytes = nctl_pad(sizeof(*s) + refs * sizeof(s->refs[0]));
	s = calloc(1, bytes + content_bytes(r));
	if (!s)
		return NULL;
	s->id = nctl_slab_take(&m->sets);
	if (!s->id)
		goto no_id;
	nctl_list_init(&s->link);
	s->bytes = bytes + content_bytes(r);
	copy_content(s, r, (uint8_t *)s + bytes);
	if (attach(m, s) < 0 || nctl_hash_insert(&m->by_content, &s->by_content, hash) < 0)
		goto no_refs;
	*(struct nctl_set **)nctl_slab_at(&m->sets, s->id) = s;
	m->set_bytes += s->bytes;
	return s;

no_refs:
	detach(m, s);
	nctl_slab_give(&m->sets, s->id);
no_id:
	free(s);
	return NULL;
}

/* In a table of very many routes most of the time goes into the hash of what few of them have in common. */
struct nctl_set *nctl_set_make(struct nctl_mirror *m, const struct nctl_route *r)
{
	uint32_t *recent = recent_place(m, r);
	struct nctl_set *s = recent ? try(m, r, *recent) : NULL;

	if (s)
		return s;
	s = make(m, r);
	if (s && recent)
		*recent = s->id;
	return s;
}

void nctl_set_add(struct nctl_fib *f, struct nctl_set *s, uint32_t route)
{
	struct nctl_rec *rec = nctl_rec_at(f, route);

	rec->set = s->id;
	rec->set_prev = 0;
	rec->set_next = s->first;
	if (s->first)
		nctl_rec_at(f, s->first)->set_prev = route;
	s->first = route;
	s->n_routes++;
	for (uint32_t i = 0; i < s->n_refs; i++)
		if (s->refs[i].head)
			s->refs[i].head->n_routes++;
}

void nctl_set_del(struct nctl_fib *f, struct nctl_set *s, uint32_t route)
{
	struct nctl_rec *rec = nctl_rec_at(f, route);

	if (s->told == route)
		s->told = rec->set_next;
	if (s->swept == route)
		s->swept = rec->set_next;
	if (rec->set_prev)
		nctl_rec_at(f, rec->set_prev)->set_next = rec->set_next;
	else
		s->first = rec->set_next;
	if (rec->set_next)
		nctl_rec_at(f, rec->set_next)->set_prev = rec->set_prev;
	s->n_routes--;
	f->n_dead -= s->dead;
	for (uint32_t i = 0; i < s->n_refs; i++)
		if (s->refs[i].head)
			s->refs[i].head->n_routes--;
}

void nctl_set_release(struct nctl_mirror *m, struct nctl_set *s)
{
	if (s->n_routes)
		return;
	detach(m, s);
	nctl_list_del(&s->link);
	if (!s->dead)
		nctl_hash_remove(&m->by_content, &s->by_content);
	m->set_bytes -= s->bytes;
	nctl_slab_give(&m->sets, s->id);
	free(s);
}

void nctl_set_kill(struct nctl_mirror *m, struct nctl_set *s)
{
	struct nctl_fib *f = nctl_fib_of(m, s->v.dst.family);

	if (s->dead)
		return;
	for (uint32_t i = 0; i < s->n_refs; i++)
		if (s->refs[i].head)
			s->refs[i].head->n_routes -= s->n_routes;
	detach(m, s);
	nctl_hash_remove(&m->by_content, &s->by_content);
	nctl_list_del(&s->link);
	nctl_list_add_tail(&m->dead_sets, &s->link);
	s->dead = true;
	s->told = 0;
	f->n_dead += s->n_routes;
}

void nctl_set_changed(struct nctl_mirror *m, struct nctl_set *s, uint64_t diff)
{
	nctl_hash_remove(&m->by_content, &s->by_content);
	nctl_hash_insert(
		&m->by_content, &s->by_content, nctl_route_content_hash(&s->v)); /* the table is there */
	if (!nctl_mirror_is_heard(m, s->v.protocol)) {
		m->stats.changed += s->n_routes;
		return;
	}
	/* All of them hear of it, those too that were just told of an earlier change. */
	s->diff = s->told ? s->diff | diff : diff;
	s->told = s->first;
	nctl_list_del(&s->link);
	nctl_list_add_tail(&m->changed_sets, &s->link);
}

/* The routes of s leave the list of one thing that it names. */
static void leave(struct nctl_mirror *m, struct nctl_set *s, const struct nctl_ref_head *h)
{
	for (uint32_t i = 0; h && i < s->n_refs; i++) {
		if (s->refs[i].head != h)
			continue;
		s->refs[i].head->n_routes -= s->n_routes;
		nctl_ref_detach(m, &s->refs[i]);
		/* The others stay where they are: lists go through them. */
		return;
	}
}

void nctl_set_unlink(struct nctl_mirror *m, struct nctl_set *s, nctl_ifindex oif)
{
	leave(m, s, nctl_ref_head(m, NCTL_REF_OIF, oif, NULL));
}

void nctl_set_unsource(struct nctl_mirror *m, struct nctl_set *s)
{
	leave(m, s, nctl_ref_head(m, NCTL_REF_PREFSRC, 0, &s->v.prefsrc));
	s->v.prefsrc = NCTL_PREFIX_NULL;
}

static void tell_changed(struct nctl_mirror *m, struct nctl_set *s, size_t *budget)
{
	struct nctl_fib *f = nctl_fib_of(m, s->v.dst.family);
	struct nctl_route v;
	uint32_t route;

	while (*budget && (route = s->told)) {
		--*budget;
		s->told = nctl_rec_at(f, route)->set_next;
		nctl_route_fill(f, route, &v);
		m->stats.changed++;
		nctl_route_tell(f, NCTL_CHANGED, &v, &v, s->diff);
	}
	if (!s->told)
		nctl_list_del(&s->link);
}

bool nctl_set_has_work(const struct nctl_mirror *m)
{
	return !nctl_list_empty(&m->dead_sets) || !nctl_list_empty(&m->changed_sets);
}

bool nctl_set_work(struct nctl_mirror *m, size_t *budget)
{
	struct nctl_list *n;

	while (*budget && (n = nctl_list_first(&m->dead_sets))) {
		struct nctl_set *s = nctl_list_entry(n, struct nctl_set, link);

		--*budget;
		nctl_route_remove(nctl_fib_of(m, s->v.dst.family), s->first, false);
	}
	while (*budget && (n = nctl_list_first(&m->changed_sets)))
		tell_changed(m, nctl_list_entry(n, struct nctl_set, link), budget);
	return nctl_set_has_work(m);
}

void nctl_set_init(struct nctl_mirror *m)
{
	nctl_slab_init(&m->sets, sizeof(struct nctl_set *));
	nctl_hash_init(&m->by_content);
	nctl_hash_init(&m->refs);
	nctl_list_init(&m->dead_sets);
	nctl_list_init(&m->changed_sets);
}

/* At the end of a mirror, when nobody listens: without a walk over indexes. */
void nctl_set_fini(struct nctl_mirror *m)
{
	struct nctl_set *s;

	for (uint32_t id = 1; id <= nctl_slab_last(&m->sets); id++) {
		void *p = nctl_slab_at(&m->sets, id);

		s = p ? *(struct nctl_set **)p : NULL;
		/* What was given back has no more than the number of the next one in it. */
		if ((uintptr_t)s <= NCTL_SLAB_RECORDS)
			continue;
		detach(m, s);
		free(s);
	}
	free(m->recent_sets);
	nctl_slab_fini(&m->sets);
	nctl_hash_fini(&m->by_content);
	nctl_hash_fini(&m->refs);
}
