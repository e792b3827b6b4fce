/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the tables of a family, each a prefix index of the first route of each prefix, and the order of the
 * routes at one prefix: a list of a few, or a crowd (crowd.c). A table is there while it has routes.
 */
#include "mirror/fib.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct nctl_fib_table *by_id(const struct nctl_rb_node *n)
{
	return n ? nctl_container_of(n, struct nctl_fib_table, by_id) : NULL;
}

static int cmp_id(const struct nctl_rb_node *a, const struct nctl_rb_node *b)
{
	nctl_table x = by_id(a)->id, y = by_id(b)->id;

	return (x > y) - (x < y);
}

static int cmp_id_key(const void *key, const struct nctl_rb_node *n)
{
	nctl_table x = *(const nctl_table *)key, y = by_id(n)->id;

	return (x > y) - (x < y);
}

static const uint8_t *key_of(const void *owner, uint32_t id, unsigned *ret_len)
{
	const struct nctl_rec *rec = nctl_rec_at(owner, id);

	*ret_len = rec->len;
	return rec->addr;
}

void nctl_fib_init(struct nctl_mirror *m, uint8_t family)
{
	struct nctl_fib *f = nctl_fib_of(m, family);

	f->m = m;
	f->family = family;
	f->tables = NCTL_RB_INIT;
	f->gen = 1;
	nctl_slab_init(&f->recs, (uint32_t)(offsetof(struct nctl_rec, addr) + nctl_prefix_bytes(family)));
}

static void free_crowds(struct nctl_fib *f)
{
	for (uint32_t id = 1; f->m->nodes.n && id <= nctl_slab_last(&f->recs); id++) {
		struct nctl_rec *rec = nctl_slab_at(&f->recs, id);

		if (rec && rec->set && rec->crowd)
			nctl_crowd_leave(f, id);
	}
}

void nctl_fib_fini(struct nctl_fib *f)
{
	struct nctl_rb_node *n;

	free_crowds(f);
	while ((n = nctl_rb_first(&f->tables))) {
		struct nctl_fib_table *t = by_id(n);

		nctl_rb_remove(&f->tables, n);
		nctl_lpm_free(t->lpm);
		free(t);
	}
	nctl_slab_fini(&f->recs);
}

struct nctl_fib_table *nctl_fib_table(const struct nctl_fib *f, nctl_table id)
{
	if (f->last && f->last->id == id)
		return f->last;
	return by_id(nctl_rb_find(&f->tables, &id, cmp_id_key));
}

struct nctl_fib_table *nctl_fib_table_from(const struct nctl_fib *f, nctl_table id)
{
	return by_id(nctl_rb_lower_bound(&f->tables, &id, cmp_id_key));
}

int nctl_fib_table_make(struct nctl_fib *f, nctl_table id, struct nctl_fib_table **ret)
{
	struct nctl_fib_table *t = nctl_fib_table(f, id);

	if (!t) {
		t = calloc(1, sizeof(*t));
		if (!t || nctl_lpm_new(f->family, key_of, f, &t->lpm) < 0) {
			free(t);
			return -ENOMEM;
		}
		t->id = id;
		nctl_rb_insert(&f->tables, &t->by_id, cmp_id);
	}
	f->last = t;
	*ret = t;
	return 0;
}

void nctl_fib_table_release(struct nctl_fib *f, struct nctl_fib_table *t)
{
	if (nctl_lpm_count(t->lpm))
		return;
	if (f->last == t)
		f->last = NULL;
	nctl_rb_remove(&f->tables, &t->by_id);
	nctl_lpm_free(t->lpm);
	free(t);
}

struct nctl_prefix nctl_fib_prefix(const struct nctl_fib *f, uint32_t route)
{
	const struct nctl_rec *rec = nctl_rec_at(f, route);
	struct nctl_prefix p = {.family = f->family, .len = (uint8_t)rec->len};

	memcpy(p.addr, rec->addr, nctl_prefix_bytes(f->family));
	return p;
}

bool nctl_fib_is_live(const struct nctl_fib *f, uint32_t route)
{
	return f->n_dead == 0 || !nctl_set_of(f, route)->dead;
}

uint32_t nctl_fib_next(const struct nctl_fib *f, uint32_t route)
{
	const struct nctl_rec *rec = nctl_rec_at(f, route);

	return rec->crowd ? nctl_crowd_next(f, route) : rec->next;
}

uint32_t nctl_fib_live(const struct nctl_fib *f, uint32_t route)
{
	while (route && !nctl_fib_is_live(f, route))
		route = nctl_fib_next(f, route);
	return route;
}

bool nctl_fib_is_kin(const struct nctl_fib *f, uint32_t route, const struct nctl_route *r)
{
	const struct nctl_set *s = nctl_set_of(f, route);

	return !s->dead && nctl_route_is_ecmp(&s->v) == nctl_route_is_ecmp(r);
}

/* The first dead one that r is, or one before it in order would be taken for. */
static uint32_t find_dead(const struct nctl_fib *f, uint32_t head, const struct nctl_route *r)
{
	struct nctl_crowd *c = nctl_crowd_of(f, head);

	if (c)
		return nctl_crowd_dead(f, c, r);
	for (uint32_t id = head; id; id = nctl_rec_at(f, id)->next)
		if (nctl_set_of(f, id)->dead)
			return id;
	return 0;
}

/* Of two that are the same to the kernel (IPv6: NLM_F_REPLACE can make twins), the one that is r in all it
 * shows. */
static bool is_closer(const struct nctl_fib *f, uint32_t route, uint32_t than, const struct nctl_route *r)
{
	return !nctl_route_content_equal(&nctl_set_of(f, than)->v, r) &&
	       nctl_route_content_equal(&nctl_set_of(f, route)->v, r);
}

static void find_in_list(struct nctl_fib *f, const struct nctl_route *r, struct nctl_spot *spot)
{
	struct nctl_key want = nctl_key_of(r, r->metric), key;
	const struct nctl_set *s;
	uint32_t kin = 0;
	int c;

	for (uint32_t id = spot->head; id; id = nctl_rec_at(f, id)->next) {
		s = nctl_set_of(f, id);
		spot->n++;
		key = nctl_key_of(&s->v, nctl_rec_at(f, id)->metric);
		c = nctl_key_cmp(&key, &want);
		if (c < 0)
			spot->before = id;
		if (c)
			continue;
		spot->last = id;
		if (!spot->first)
			spot->first = spot->first_kin = id;
		if (!kin && nctl_fib_is_kin(f, id, r))
			kin = id;
		if (nctl_route_same(&s->v, r) && (!spot->match || is_closer(f, id, spot->match, r)))
			spot->match = id;
	}
	spot->first_kin = kin ? kin : spot->first_kin;
}

void nctl_fib_find(
	struct nctl_fib *f, struct nctl_fib_table *t, const struct nctl_route *r, struct nctl_spot *ret)
{
	uint32_t dead;

	*ret = (struct nctl_spot){.table = t, .head = nctl_lpm_get(t->lpm, &r->dst)};
	/* The end of the old one is told before the new one. The table stays: its owner is about to use it.
	 */
	while (f->n_dead && ret->head && (dead = find_dead(f, ret->head, r))) {
		nctl_route_remove(f, dead, true);
		ret->head = nctl_lpm_get(t->lpm, &r->dst);
	}
	ret->crowd = nctl_crowd_of(f, ret->head);
	if (ret->crowd)
		nctl_crowd_find(f, ret->crowd, r, ret);
	else
		find_in_list(f, r, ret);
}

/* The order at the prefix is about to be, or was, changed: the index has its first one. */
static void set_head(struct nctl_fib *f, const struct nctl_spot *spot, uint32_t head)
{
	struct nctl_prefix p;

	if (head == spot->head)
		return;
	p = nctl_fib_prefix(f, head);
	nctl_lpm_replace(spot->table->lpm, &p, head);
}

static int link_in_crowd(struct nctl_fib *f, struct nctl_spot *spot, uint32_t route, uint32_t after)
{
	if (!spot->crowd) {
		if (nctl_crowd_found(f, spot->head) < 0)
			return -ENOMEM;
		spot->crowd = nctl_crowd_of(f, spot->head);
	}
	if (nctl_crowd_join(f, spot->crowd, route, after) < 0)
		return -ENOMEM;
	set_head(f, spot, nctl_crowd_first(spot->crowd));
	return 0;
}

static void link_in_list(struct nctl_fib *f, const struct nctl_spot *spot, uint32_t route, uint32_t after)
{
	struct nctl_rec *rec = nctl_rec_at(f, route);

	if (!after)
		after = spot->before;
	if (after) {
		rec->next = nctl_rec_at(f, after)->next;
		nctl_rec_at(f, after)->next = route;
		return;
	}
	rec->next = spot->head;
	set_head(f, spot, route);
}

int nctl_fib_link(struct nctl_fib *f, struct nctl_spot *spot, uint32_t route, uint32_t after)
{
	struct nctl_prefix p;

	if (!spot->head) {
		p = nctl_fib_prefix(f, route);
		return nctl_lpm_insert(spot->table->lpm, &p, route);
	}
	if (spot->crowd || spot->n >= NCTL_ROUTE_FEW)
		return link_in_crowd(f, spot, route, after);
	link_in_list(f, spot, route, after);
	return 0;
}

static void unlink_from_list(struct nctl_fib *f, uint32_t head, uint32_t route)
{
	uint32_t id = head;

	if (head == route)
		return;
	while (nctl_rec_at(f, id)->next != route)
		id = nctl_rec_at(f, id)->next;
	nctl_rec_at(f, id)->next = nctl_rec_at(f, route)->next;
}

void nctl_fib_move(struct nctl_fib *f, const struct nctl_spot *spot, uint32_t route, uint32_t after)
{
	struct nctl_spot s = *spot;

	nctl_sweep_leave(f, route);
	if (s.crowd) {
		nctl_crowd_move(f, route, after);
		set_head(f, &s, nctl_crowd_first(s.crowd));
		return;
	}
	unlink_from_list(f, s.head, route);
	if (s.head == route) {
		/* It is not the only one: `after` is another. */
		set_head(f, &s, nctl_rec_at(f, route)->next);
		s.head = nctl_rec_at(f, route)->next;
	}
	link_in_list(f, &s, route, after);
}

void nctl_fib_unlink(struct nctl_fib *f, struct nctl_fib_table *t, uint32_t route)
{
	struct nctl_prefix p = nctl_fib_prefix(f, route);
	uint32_t head = nctl_lpm_get(t->lpm, &p), next = nctl_fib_next(f, route);

	if (head == route && next)
		nctl_lpm_replace(t->lpm, &p, next);
	else if (head == route)
		nctl_lpm_remove(t->lpm, &p);
	if (nctl_rec_at(f, route)->crowd)
		nctl_crowd_leave(f, route);
	else
		unlink_from_list(f, head, route);
}
