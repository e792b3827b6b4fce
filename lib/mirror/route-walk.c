/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: readers of routes. Routes of dead sets are not seen any more, though their records may still be there.
 *
 * A cursor remembers the prefix that it is at and which of its routes it gave: their numbers, as long as they
 * are a few; a number that another route has by now is that of a new one, which may be left out. Of a crowd
 * it remembers the place in its order instead. So whatever happens between two steps, a route that is there
 * all the time is given once.
 */
#include "mirror/fib.h"

#include <string.h>

#define REF_V6 (UINT32_C(1) << 31)

static const struct nctl_fib *fib_of(const struct nctl_mirror *m, uint8_t family)
{
	return &m->fibs[family == AF_INET6];
}

static const struct nctl_fib *fib_of_ref(const struct nctl_mirror *m, nctl_route_ref ref)
{
	return &m->fibs[!!(ref & REF_V6)];
}

static nctl_route_ref ref_of(const struct nctl_fib *f, uint32_t route)
{
	return route ? route | (f->family == AF_INET6 ? REF_V6 : 0) : 0;
}

void nctl_mirror_route_view(const struct nctl_mirror *m, nctl_route_ref ref, struct nctl_route *ret)
{
	nctl_route_fill(fib_of_ref(m, ref), ref & ~REF_V6, ret);
}

uint32_t nctl_mirror_route_set(const struct nctl_mirror *m, nctl_route_ref ref)
{
	return nctl_rec_at(fib_of_ref(m, ref), ref & ~REF_V6)->set;
}

nctl_route_ref nctl_mirror_route_get(
	const struct nctl_mirror *m, nctl_table table, const struct nctl_prefix *p)
{
	const struct nctl_fib *f = fib_of(m, p->family);
	const struct nctl_fib_table *t = nctl_fib_table(f, table);

	return t ? ref_of(f, nctl_fib_live(f, nctl_lpm_get(t->lpm, p))) : 0;
}

nctl_route_ref nctl_mirror_route_find(const struct nctl_mirror *m, const struct nctl_route *r)
{
	const struct nctl_fib *f = fib_of(m, r->dst.family);
	const struct nctl_fib_table *t = nctl_fib_table(f, r->table);
	uint32_t id = t ? nctl_lpm_get(t->lpm, &r->dst) : 0;
	struct nctl_crowd *crowd = nctl_crowd_of(f, id);
	struct nctl_key key = nctl_key_of(r, r->metric);

	if (crowd)
		return ref_of(f, nctl_crowd_same(f, crowd, r));
	for (id = nctl_fib_live(f, id); id; id = nctl_fib_live(f, nctl_fib_next(f, id))) {
		struct nctl_key other = nctl_key_of(&nctl_set_of(f, id)->v, nctl_rec_at(f, id)->metric);

		if (!nctl_key_cmp(&key, &other) && nctl_route_same(&nctl_set_of(f, id)->v, r))
			break;
	}
	return ref_of(f, id);
}

nctl_route_ref nctl_mirror_route_match(
	const struct nctl_mirror *m, nctl_table table, const struct nctl_prefix *p)
{
	const struct nctl_fib *f = fib_of(m, p->family);
	const struct nctl_fib_table *t = nctl_fib_table(f, table);
	struct nctl_prefix q = *p;
	uint32_t route, live;

	while (t && (route = nctl_lpm_match(t->lpm, &q))) {
		live = nctl_fib_live(f, route);
		if (live)
			return ref_of(f, live);
		/* All of them are gone as far as we are concerned: the next shorter one. */
		q = nctl_fib_prefix(f, route);
		if (q.len == 0)
			break;
		q.len--;
		nctl_prefix_mask(&q);
	}
	return 0;
}

nctl_route_ref nctl_mirror_route_sibling(const struct nctl_mirror *m, nctl_route_ref ref)
{
	const struct nctl_fib *f = fib_of_ref(m, ref);

	return ref_of(f, nctl_fib_live(f, nctl_fib_next(f, ref & ~REF_V6)));
}

static bool was_given(const struct nctl_route_cursor *c, uint32_t route)
{
	for (uint32_t i = 0; i < c->n_given; i++)
		if (c->given[i] == route)
			return true;
	return false;
}

/* Room for one more: those that are not there any more are forgotten. */
static void forget_gone(const struct nctl_fib *f, uint32_t first, struct nctl_route_cursor *c)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->n_given; i++)
		for (uint32_t id = first; id; id = nctl_fib_next(f, id))
			if (c->given[i] == id) {
				c->given[n++] = id;
				break;
			}
	c->n_given = n;
}

/* The next of this prefix that was not given yet, or 0. */
static uint32_t next_here(const struct nctl_fib *f, uint32_t first, struct nctl_route_cursor *c)
{
	struct nctl_crowd *crowd = nctl_crowd_of(f, first);
	uint32_t route = crowd && c->in_crowd ? nctl_crowd_after(crowd, c) : first;

	while (route && (!nctl_fib_is_live(f, route) || was_given(c, route)))
		route = nctl_fib_next(f, route);
	if (!route)
		return 0;
	if (crowd) {
		nctl_crowd_mark(f, route, c);
		return route;
	}
	if (c->n_given == NCTL_ROUTE_FEW)
		forget_gone(f, first, c);
	c->given[c->n_given++] = route;
	return route;
}

static bool is_within(const struct nctl_route_cursor *c, const struct nctl_prefix *p)
{
	return c->within.family == AF_UNSPEC || nctl_prefix_contains(&c->within, p);
}

/* The first route of the next prefix of a table, or 0; the cursor is at it then. */
static uint32_t next_prefix(
	const struct nctl_fib *f, const struct nctl_fib_table *t, struct nctl_route_cursor *c)
{
	struct nctl_prefix p;
	uint32_t route;

	if (c->at.family != AF_UNSPEC)
		route = nctl_lpm_next(t->lpm, &c->at);
	else if (c->within.family != AF_UNSPEC)
		route = nctl_lpm_from(t->lpm, &c->within);
	else
		route = nctl_lpm_next(t->lpm, NULL);
	if (!route)
		return 0;
	p = nctl_fib_prefix(f, route);
	if (!is_within(c, &p))
		return 0;
	c->at = p;
	c->n_given = 0;
	c->in_crowd = false;
	return route;
}

static uint32_t next_in_table(
	const struct nctl_fib *f, const struct nctl_fib_table *t, struct nctl_route_cursor *c)
{
	uint32_t first = c->at.family != AF_UNSPEC ? nctl_lpm_get(t->lpm, &c->at) : 0, route;

	for (;;) {
		route = first ? next_here(f, first, c) : 0;
		if (route)
			return route;
		first = next_prefix(f, t, c);
		if (!first)
			return 0;
	}
}

static uint32_t next_in_family(const struct nctl_fib *f, struct nctl_route_cursor *c)
{
	const struct nctl_fib_table *t;
	uint32_t route;

	for (;;) {
		t = c->one_table ? nctl_fib_table(f, c->at_table) : nctl_fib_table_from(f, c->at_table);
		if (!t)
			return 0;
		if (t->id != c->at_table)
			c->at = NCTL_PREFIX_NULL;
		c->at_table = t->id;
		route = next_in_table(f, t, c);
		if (route || c->one_table || t->id == UINT32_MAX)
			return route;
		c->at = NCTL_PREFIX_NULL;
		c->at_table++;
	}
}

static void begin_family(struct nctl_route_cursor *c, uint8_t family)
{
	c->at = NCTL_PREFIX_NULL;
	c->at_table = c->one_table ? c->table : 0;
	c->at_family = family;
}

nctl_route_ref nctl_mirror_route_next(const struct nctl_mirror *m, struct nctl_route_cursor *c)
{
	uint8_t family = c->within.family != AF_UNSPEC ? c->within.family : c->family;
	const struct nctl_fib *f;
	uint32_t route;

	if (c->within.family != AF_UNSPEC && c->family != AF_UNSPEC && c->family != c->within.family)
		return 0;
	if (!c->begun)
		begin_family(c, family == AF_INET6 ? AF_INET6 : AF_INET);
	c->begun = true;
	for (;;) {
		f = fib_of(m, c->at_family);
		route = c->at_family ? next_in_family(f, c) : 0;
		if (route)
			return ref_of(f, route);
		if (family != AF_UNSPEC || c->at_family != AF_INET)
			return 0;
		begin_family(c, AF_INET6);
	}
}

bool nctl_mirror_table_from(const struct nctl_mirror *m, uint8_t family, nctl_table *table)
{
	const struct nctl_fib_table *t = nctl_fib_table_from(fib_of(m, family), *table);

	if (t)
		*table = t->id;
	return t;
}

size_t nctl_mirror_route_count(const struct nctl_mirror *m, uint8_t family)
{
	size_t n = 0;

	for (int i = 0; i < 2; i++)
		if (family == AF_UNSPEC || m->fibs[i].family == family)
			n += m->fibs[i].recs.n - m->fibs[i].n_dead;
	return n;
}

size_t nctl_mirror_route_count_link(const struct nctl_mirror *m, nctl_ifindex ifindex)
{
	const struct nctl_ref_head *h = nctl_ref_head(m, NCTL_REF_OIF, ifindex, NULL);

	return h ? h->n_routes : 0;
}

static size_t hash_bytes(const struct nctl_hash *h)
{
	size_t n = 0;

	if (h->cur.buckets)
		n += sizeof(*h->cur.buckets) << h->cur.bits;
	if (h->old.buckets)
		n += sizeof(*h->old.buckets) << h->old.bits;
	return n;
}

size_t nctl_mirror_route_bytes(const struct nctl_mirror *m)
{
	struct nctl_rb_node *n;
	size_t bytes = nctl_slab_bytes(&m->sets) + nctl_slab_bytes(&m->nodes) + m->set_bytes + m->crowd_bytes;

	bytes += hash_bytes(&m->by_content) + hash_bytes(&m->by_identity) + hash_bytes(&m->refs) +
	         hash_bytes(&m->expiries);
	bytes += m->refs.n * sizeof(struct nctl_ref_head);
	for (int i = 0; i < 2; i++) {
		bytes += nctl_slab_bytes(&m->fibs[i].recs);
		nctl_rb_for_each(n, &m->fibs[i].tables) {
			const struct nctl_fib_table *t = nctl_container_of(n, struct nctl_fib_table, by_id);

			bytes += sizeof(*t) + nctl_lpm_bytes(t->lpm);
		}
	}
	return bytes;
}
