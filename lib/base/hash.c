/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Hash table with chains over nodes of the caller, resized a little at a time.
 *
 * While resizing there are two tables. Chain i of the old one is either whole in old
 * (i >= moved) or was redistributed into cur (i < moved), so one comparison tells
 * where a hash lives and all nodes with equal hash stay in one chain. Only inserts
 * move chains: finds may run on a const table, and removal during a walk is safe. Each
 * insert moves MOVE_CHAINS chains, so that a resize is over long before the next.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/hash.h"

#define MIN_BITS    4
#define MOVE_CHAINS 4

/* The multiplier (2^64 / golden ratio) spreads hashes that differ in few bits. */
static size_t bucket_of(const struct nctl_hash_table *t, uint64_t hash)
{
	return (hash * 0x9e3779b97f4a7c15u) >> (64 - t->bits);
}

static size_t buckets_of(const struct nctl_hash_table *t)
{
	return t->buckets ? (size_t)1 << t->bits : 0;
}

/* The chain in which nodes with this hash are now; the table has buckets. */
static struct nctl_hash_node **chain_of(const struct nctl_hash *h, uint64_t hash)
{
	size_t i;

	if (h->old.buckets) {
		i = bucket_of(&h->old, hash);
		if (i >= h->moved)
			return &h->old.buckets[i];
	}
	return &h->cur.buckets[bucket_of(&h->cur, hash)];
}

void nctl_hash_init(struct nctl_hash *h)
{
	*h = NCTL_HASH_INIT;
}

void nctl_hash_fini(struct nctl_hash *h)
{
	free(h->cur.buckets);
	free(h->old.buckets);
	nctl_hash_init(h);
}

static void move_chain(struct nctl_hash *h, size_t i)
{
	struct nctl_hash_node *n = h->old.buckets[i], *next, **slot;

	for (; n; n = next) {
		next = n->next;
		slot = &h->cur.buckets[bucket_of(&h->cur, n->hash)];
		n->next = *slot;
		*slot = n;
	}
	h->old.buckets[i] = NULL;
}

static void resize_step(struct nctl_hash *h)
{
	unsigned k;

	for (k = 0; k < MOVE_CHAINS && h->moved < buckets_of(&h->old); k++)
		move_chain(h, h->moved++);
	if (h->moved < buckets_of(&h->old))
		return;
	free(h->old.buckets);
	h->old = (struct nctl_hash_table){0};
}

static int resize_begin(struct nctl_hash *h, unsigned bits)
{
	struct nctl_hash_node **buckets;

	buckets = calloc((size_t)1 << bits, sizeof(*buckets));
	if (!buckets)
		return -ENOMEM;
	h->old = h->cur;
	h->moved = 0;
	h->cur = (struct nctl_hash_table){buckets, bits};
	return 0;
}

int nctl_hash_insert(struct nctl_hash *h, struct nctl_hash_node *node, uint64_t hash)
{
	size_t buckets = buckets_of(&h->cur);
	struct nctl_hash_node **slot;
	int r = 0;

	if (h->old.buckets)
		resize_step(h);
	else if (!buckets || h->n >= buckets)
		r = resize_begin(h, buckets ? h->cur.bits + 1 : MIN_BITS);
	else if (h->cur.bits > MIN_BITS && h->n < buckets / 8)
		(void)resize_begin(h, h->cur.bits - 1);
	if (r < 0 && !buckets)
		return r;

	slot = chain_of(h, hash);
	node->hash = hash;
	node->next = *slot;
	*slot = node;
	h->n++;
	return 0;
}

void nctl_hash_remove(struct nctl_hash *h, struct nctl_hash_node *node)
{
	struct nctl_hash_node **slot = chain_of(h, node->hash);

	while (*slot != node)
		slot = &(*slot)->next;
	*slot = node->next;
	node->next = NULL;
	h->n--;
}

static struct nctl_hash_node *first_equal(struct nctl_hash_node *n, uint64_t hash)
{
	while (n && n->hash != hash)
		n = n->next;
	return n;
}

struct nctl_hash_node *nctl_hash_find(const struct nctl_hash *h, uint64_t hash)
{
	return h->cur.buckets ? first_equal(*chain_of(h, hash), hash) : NULL;
}

struct nctl_hash_node *nctl_hash_find_next(const struct nctl_hash_node *node)
{
	return first_equal(node->next, node->hash);
}

/* Advances to the next chain that is not empty. */
static void iter_fill(struct nctl_hash_iter *it)
{
	const struct nctl_hash *h = it->h;
	size_t n_old = buckets_of(&h->old), n_all = n_old + buckets_of(&h->cur);

	for (; !it->next && it->bucket < n_all; it->bucket++)
		it->next =
			it->bucket < n_old ? h->old.buckets[it->bucket] : h->cur.buckets[it->bucket - n_old];
}

void nctl_hash_iter_init(struct nctl_hash_iter *it, const struct nctl_hash *h)
{
	*it = (struct nctl_hash_iter){.h = h};
}

struct nctl_hash_node *nctl_hash_iter_next(struct nctl_hash_iter *it)
{
	struct nctl_hash_node *n;

	iter_fill(it);
	n = it->next;
	if (n)
		it->next = n->next;
	return n;
}
