/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the routes of a prefix that has many, like fe80::/64, which has one for each link. Beside their
 * records they have nodes: in a tree, in the order of the kernel (key, then place among equals), and in a
 * hash, by what tells them from their equals. So none of them costs more than one of a few. A crowd stays one
 * until it is empty.
 *
 * A place among equals is a number with much room to both sides; where the room is used up, all get new ones.
 */
#include "mirror/fib.h"

#include <errno.h>
#include <stdlib.h>

#define ROOM (INT64_C(1) << 24)

struct nctl_crowd {
	struct nctl_rb_tree order;
	uint64_t salt; /* no two crowds have one: they share a hash */
};

struct node {
	struct nctl_rb_node in_order;
	struct nctl_hash_node by_identity;
	struct nctl_crowd *crowd;
	int64_t place;
	struct nctl_key key;
	uint32_t route;
};

static struct node *node_of(const struct nctl_rb_node *n)
{
	return n ? nctl_container_of(n, struct node, in_order) : NULL;
}

static struct node *node_at(const struct nctl_fib *f, uint32_t route)
{
	return nctl_slab_at(&f->m->nodes, nctl_rec_at(f, route)->next);
}

static uint32_t route_of(const struct nctl_rb_node *n)
{
	return n ? node_of(n)->route : 0;
}

static int cmp_order(const struct nctl_rb_node *a, const struct nctl_rb_node *b)
{
	const struct node *x = node_of(a), *y = node_of(b);
	int c = nctl_key_cmp(&x->key, &y->key);

	return c ? c : (x->place > y->place) - (x->place < y->place);
}

static int cmp_key(const void *key, const struct nctl_rb_node *n)
{
	return nctl_key_cmp(key, &node_of(n)->key);
}

static int cmp_cursor(const void *cursor, const struct nctl_rb_node *n)
{
	const struct nctl_route_cursor *c = cursor;
	struct nctl_key key = {.src = c->src, .tos = c->tos, .metric = c->metric};
	int r = nctl_key_cmp(&key, &node_of(n)->key);
	int64_t place = node_of(n)->place;

	return r ? r : (c->place > place) - (c->place < place);
}

static uint64_t hash_of(const struct nctl_crowd *c, const struct nctl_key *key, uint64_t ident)
{
	uint64_t h = nctl_hash_u64(c->salt ^ ((uint64_t)key->metric << 8 | key->tos));

	if (key->src.family != AF_UNSPEC)
		h ^= nctl_prefix_hash(&key->src);
	return nctl_hash_u64(h + ident);
}

void nctl_crowd_init(struct nctl_mirror *m)
{
	nctl_slab_init(&m->nodes, sizeof(struct node));
	nctl_hash_init(&m->by_identity);
}

void nctl_crowd_fini(struct nctl_mirror *m)
{
	nctl_slab_fini(&m->nodes);
	nctl_hash_fini(&m->by_identity);
}

struct nctl_crowd *nctl_crowd_of(const struct nctl_fib *f, uint32_t route)
{
	return route && nctl_rec_at(f, route)->crowd ? node_at(f, route)->crowd : NULL;
}

static void renumber(struct nctl_crowd *c)
{
	struct nctl_rb_node *n;
	int64_t place = 0;

	nctl_rb_for_each(n, &c->order)
		node_of(n)->place = place += ROOM;
}

/* A place of its own behind `after`, or in front of all of its key (NULL). */
static int64_t place_behind(struct nctl_crowd *c, const struct nctl_key *key, const struct node *after)
{
	struct node *next = after ? node_of(nctl_rb_next(&after->in_order))
	                          : node_of(nctl_rb_lower_bound(&c->order, key, cmp_key));

	if (next && nctl_key_cmp(&next->key, key))
		next = NULL;
	if (!after)
		return next ? next->place - ROOM : 0;
	if (!next)
		return after->place + ROOM;
	if (next->place - after->place < 2)
		renumber(c);
	return after->place + (next->place - after->place) / 2;
}

/* route has a set. after is of any key: another one than route's means the front. 0 or -ENOMEM. */
static int join(struct nctl_fib *f, struct nctl_crowd *c, uint32_t route, uint32_t after, uint32_t *ret_node)
{
	struct nctl_rec *rec = nctl_rec_at(f, route);
	struct nctl_set *s = nctl_set_of(f, route);
	struct node *n, *behind = after ? node_at(f, after) : NULL;
	uint32_t id = nctl_slab_take(&f->m->nodes);

	if (!id)
		return -ENOMEM;
	n = nctl_slab_at(&f->m->nodes, id);
	n->crowd = c;
	n->key = nctl_key_of(&s->v, rec->metric);
	n->route = route;
	if (nctl_hash_insert(
		    &f->m->by_identity, &n->by_identity, hash_of(c, &n->key, nctl_route_ident(&s->v))) < 0) {
		nctl_slab_give(&f->m->nodes, id);
		return -ENOMEM;
	}
	if (behind && nctl_key_cmp(&behind->key, &n->key))
		behind = NULL;
	n->place = place_behind(c, &n->key, behind);
	nctl_rb_insert(&c->order, &n->in_order, cmp_order);
	*ret_node = id;
	return 0;
}

static void leave(struct nctl_fib *f, uint32_t id)
{
	struct node *n = nctl_slab_at(&f->m->nodes, id);

	nctl_rb_remove(&n->crowd->order, &n->in_order);
	nctl_hash_remove(&f->m->by_identity, &n->by_identity);
	nctl_slab_give(&f->m->nodes, id);
}

int nctl_crowd_found(struct nctl_fib *f, uint32_t first)
{
	struct nctl_crowd *c = calloc(1, sizeof(*c));
	struct nctl_rb_node *n;
	uint32_t route, prev = 0, node, next;

	if (!c)
		return -ENOMEM;
	c->order = NCTL_RB_INIT;
	c->salt = nctl_hash_u64(++f->m->n_crowds);
	for (route = first; route; prev = route, route = next) {
		struct nctl_rec *rec = nctl_rec_at(f, route);

		next = rec->next;
		if (join(f, c, route, prev, &node) < 0)
			goto undo;
		rec->next = node;
		rec->crowd = 1;
	}
	f->m->crowd_bytes += sizeof(*c);
	return 0;

undo:
	/* From the last one that joined to the first: each gets the one behind it back. */
	while ((n = nctl_rb_last(&c->order))) {
		struct nctl_rec *rec = nctl_rec_at(f, node_of(n)->route);
		uint32_t id = rec->next;

		rec->next = route;
		rec->crowd = 0;
		route = node_of(n)->route;
		leave(f, id);
	}
	free(c);
	return -ENOMEM;
}

int nctl_crowd_join(struct nctl_fib *f, struct nctl_crowd *c, uint32_t route, uint32_t after)
{
	struct nctl_rec *rec = nctl_rec_at(f, route);
	uint32_t node;
	int r = join(f, c, route, after, &node);

	if (r < 0)
		return r;
	rec->next = node;
	rec->crowd = 1;
	return 0;
}

void nctl_crowd_leave(struct nctl_fib *f, uint32_t route)
{
	struct nctl_rec *rec = nctl_rec_at(f, route);
	struct nctl_crowd *c = nctl_crowd_of(f, route);

	leave(f, rec->next);
	rec->next = 0;
	rec->crowd = 0;
	if (c->order.n)
		return;
	f->m->crowd_bytes -= sizeof(*c);
	free(c);
}

void nctl_crowd_move(struct nctl_fib *f, uint32_t route, uint32_t after)
{
	struct node *n = node_at(f, route), *behind = after ? node_at(f, after) : NULL;
	struct nctl_crowd *c = n->crowd;

	if (behind == n)
		return;
	if (behind && nctl_key_cmp(&behind->key, &n->key))
		behind = NULL;
	nctl_rb_remove(&c->order, &n->in_order);
	n->place = place_behind(c, &n->key, behind);
	nctl_rb_insert(&c->order, &n->in_order, cmp_order);
}

void nctl_crowd_rekey(struct nctl_fib *f, uint32_t route)
{
	struct node *n = node_at(f, route);

	nctl_hash_remove(&f->m->by_identity, &n->by_identity);
	nctl_hash_insert(&f->m->by_identity, &n->by_identity, /* the table is there */
		hash_of(n->crowd, &n->key, nctl_route_ident(&nctl_set_of(f, route)->v)));
}

uint32_t nctl_crowd_first(const struct nctl_crowd *c)
{
	return route_of(nctl_rb_first(&c->order));
}

uint32_t nctl_crowd_next(const struct nctl_fib *f, uint32_t route)
{
	return route_of(nctl_rb_next(&node_at(f, route)->in_order));
}

/* One of this crowd and key under this hash that is r: live, or dead. */
static uint32_t find_ident(const struct nctl_fib *f, const struct nctl_crowd *c, const struct nctl_key *key,
	const struct nctl_route *r, uint64_t ident, bool dead)
{
	struct nctl_hash_node *n;

	nctl_hash_for_each_equal(n, &f->m->by_identity, hash_of(c, key, ident)) {
		struct node *x = nctl_container_of(n, struct node, by_identity);
		const struct nctl_set *s = x->crowd == c ? nctl_set_of(f, x->route) : NULL;

		if (s && s->dead == dead && !nctl_key_cmp(&x->key, key) && nctl_route_same(&s->v, r))
			return x->route;
	}
	return 0;
}

static uint32_t find_same(
	const struct nctl_fib *f, struct nctl_crowd *c, const struct nctl_route *r, bool dead)
{
	struct nctl_key key = nctl_key_of(r, r->metric);
	bool ecmp = nctl_route_is_ecmp(r);
	uint32_t id = find_ident(f, c, &key, r, nctl_route_ident(r), dead);

	if (id || f->family == AF_INET || r->nhid || r->n_hops == 0)
		return id;
	/* One that was no sibling may have become one, and the other way round. */
	if (!ecmp)
		return find_ident(f, c, &key, r, 1, dead);
	for (uint32_t i = 0; !id && i < r->n_hops; i++)
		id = find_ident(f, c, &key, r, nctl_hop_ident(&r->hops[i]), dead);
	return id;
}

uint32_t nctl_crowd_same(const struct nctl_fib *f, struct nctl_crowd *c, const struct nctl_route *r)
{
	return find_same(f, c, r, false);
}

uint32_t nctl_crowd_dead(const struct nctl_fib *f, struct nctl_crowd *c, const struct nctl_route *r)
{
	return find_same(f, c, r, true);
}

void nctl_crowd_find(
	const struct nctl_fib *f, struct nctl_crowd *c, const struct nctl_route *r, struct nctl_spot *spot)
{
	struct nctl_key key = nctl_key_of(r, r->metric);
	struct nctl_rb_node *first = nctl_rb_lower_bound(&c->order, &key, cmp_key);
	struct nctl_rb_node *behind = nctl_rb_upper_bound(&c->order, &key, cmp_key);
	struct nctl_rb_node *n;

	spot->before = route_of(first ? nctl_rb_prev(first) : nctl_rb_last(&c->order));
	if (first && !cmp_key(&key, first)) {
		spot->first = route_of(first);
		spot->last = route_of(behind ? nctl_rb_prev(behind) : nctl_rb_last(&c->order));
		for (n = first; n != behind && !nctl_fib_is_kin(f, route_of(n), r);)
			n = nctl_rb_next(n);
		for (n = n == behind ? first : n; n != behind && !nctl_fib_is_live(f, route_of(n));)
			n = nctl_rb_next(n);
		spot->first_kin = n == behind ? 0 : route_of(n);
	}
	spot->match = nctl_crowd_same(f, c, r);
}

uint32_t nctl_crowd_after(const struct nctl_crowd *c, const struct nctl_route_cursor *cursor)
{
	return route_of(nctl_rb_upper_bound(&c->order, cursor, cmp_cursor));
}

void nctl_crowd_mark(const struct nctl_fib *f, uint32_t route, struct nctl_route_cursor *cursor)
{
	const struct node *n = node_at(f, route);

	cursor->in_crowd = true;
	cursor->src = n->key.src;
	cursor->tos = n->key.tos;
	cursor->metric = n->key.metric;
	cursor->place = n->place;
}
