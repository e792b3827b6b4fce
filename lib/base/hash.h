/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * Intrusive hash table with chains. It maps a 64-bit hash to the nodes that have it;
 * comparing keys is the caller's business, and equal nodes may coexist. It grows
 * (and shrinks again) by moving a few chains at each insert, so no operation is
 * O(all nodes).
 */
struct nctl_hash_node {
	struct nctl_hash_node *next;
	uint64_t hash;
};

struct nctl_hash_table {
	struct nctl_hash_node **buckets;
	unsigned bits; /* 2^bits buckets, if there are any */
};

struct nctl_hash {
	struct nctl_hash_table cur; /* where nodes live, but for those that still wait in old */
	struct nctl_hash_table old; /* while resizing: chains from `moved` on */
	size_t moved;
	size_t n;
};

#define NCTL_HASH_INIT ((struct nctl_hash){0})

void nctl_hash_init(struct nctl_hash *h);

/* Frees the buckets only; the nodes are the caller's. h is as after nctl_hash_init. */
void nctl_hash_fini(struct nctl_hash *h);

/*
 * Inserts node under hash. -ENOMEM only if there is no table at all yet; when a later
 * resize gets no memory, the chains grow longer and the next insert tries again.
 */
int nctl_hash_insert(struct nctl_hash *h, struct nctl_hash_node *node, uint64_t hash);

/* node must be in h. Moves no other node. */
void nctl_hash_remove(struct nctl_hash *h, struct nctl_hash_node *node);

/* The first node with exactly this hash, the next one with the same hash as node; or NULL. */
struct nctl_hash_node *nctl_hash_find(const struct nctl_hash *h, uint64_t hash);
struct nctl_hash_node *nctl_hash_find_next(const struct nctl_hash_node *node);

/* pos is a struct nctl_hash_node * of the caller; the body must not remove pos and go on. */
#define nctl_hash_for_each_equal(pos, h, hash)                                                               \
	for ((pos) = nctl_hash_find((h), (hash)); (pos); (pos) = nctl_hash_find_next(pos))

static inline size_t nctl_hash_count(const struct nctl_hash *h)
{
	return h->n;
}

/*
 * A walk over all nodes in no useful order. Between two steps the node that was
 * returned last may be removed and freed, but no other, and nothing may be inserted.
 *
 *	nctl_hash_iter_init(&it, h);
 *	while ((node = nctl_hash_iter_next(&it)))
 */
struct nctl_hash_iter {
	const struct nctl_hash *h;
	struct nctl_hash_node *next;
	size_t bucket; /* the next bucket to look at: those of old come first */
};

void nctl_hash_iter_init(struct nctl_hash_iter *it, const struct nctl_hash *h);
struct nctl_hash_node *nctl_hash_iter_next(struct nctl_hash_iter *it);

/*
 * Hashes keyed with a random number of this process: bytes and strings by SipHash-1-3,
 * so that names chosen by an enemy build no chains; u64 by a cheaper keyed mix, for
 * numbers that the kernel chose (ifindex, table, nsid).
 */
uint64_t nctl_hash_bytes(const void *p, size_t len);
uint64_t nctl_hash_str(const char *s);
uint64_t nctl_hash_u64(uint64_t v);
