/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <string.h>

#include "base/cleanup.h"
#include "net/lpm.h"

/* What the files of the prefix index share. */

/* -- blocks: runs of 32-bit units, in size classes, without a header each -- */

enum {
	NCTL_LPM_PAGE_BITS = 12, /* units of a page: 16 KiB */
	NCTL_LPM_CLASSES = 55,
	NCTL_LPM_UNITS_MIN = 3,
};

struct nctl_lpm_class {
	uint32_t page;      /* the last page; all before it are full */
	uint16_t used, cap; /* blocks of the last page; cap 0: there is no page */
};

union nctl_lpm_page {
	uint32_t *units;
	uint32_t next; /* a free number: 1 + the next free one, or 0 */
};

struct nctl_lpm_pool {
	union nctl_lpm_page *pages; /* by number */
	struct nctl_lpm_class *classes;
	uint32_t n_pages, pages_cap;
	uint32_t free_page; /* 1 + a free number, or 0 */
	uint8_t n_classes;
	size_t bytes;
};

unsigned nctl_lpm_class_of(unsigned units);
unsigned nctl_lpm_class_units(unsigned class);

/* The block's number, never 0; or 0: no memory. Blocks keep their numbers, but the memory behind them may move. */
uint32_t nctl_lpm_block_new(struct nctl_lpm_pool *p, unsigned class);
/*
 * Frees block. The last block of its class takes its place and number: the number that it had is returned, or 0
 * if no block moved (as when blocks are freed in the reverse order of their making). Never fails.
 */
uint32_t nctl_lpm_block_free(struct nctl_lpm_pool *p, uint32_t block, unsigned class);
void nctl_lpm_pool_fini(struct nctl_lpm_pool *p); /* as zeroed */

static inline uint32_t *nctl_lpm_block(const struct nctl_lpm_pool *p, uint32_t block)
{
	return p->pages[block >> NCTL_LPM_PAGE_BITS].units + (block & ((1U << NCTL_LPM_PAGE_BITS) - 1));
}

/* -- nodes: see the DOC of lpm.c -- */

enum {
	NCTL_LPM_SLOTS_MAX = 511,
	NCTL_LPM_DEPTH_MAX = 16, /* nodes on a path */
};

/* A slot is an id with this bit, or the block of a node, or 0: nothing, in the root only. */
#define NCTL_LPM_LEAF UINT32_C(0x80000000)

/* The first unit of a node: which words of the bitmap there are, the number of slots, the class of the block. */
static inline unsigned nctl_lpm_node_words(const uint32_t *node)
{
	return node[0] & 0xffff;
}

static inline unsigned nctl_lpm_node_count(const uint32_t *node)
{
	return node[0] >> 16 & 0x1ff;
}

static inline unsigned nctl_lpm_node_class(const uint32_t *node)
{
	return node[0] >> 25;
}

static inline uint32_t nctl_lpm_node_head(unsigned words, unsigned count, unsigned class)
{
	return words | count << 16 | class << 25;
}

/* Not the compiler's builtin: without an instruction for it, that is a call. */
static inline unsigned nctl_lpm_ones(uint32_t v)
{
	v -= v >> 1 & 0x55555555;
	v = (v & 0x33333333) + (v >> 2 & 0x33333333);
	v = (v + (v >> 4)) & 0x0f0f0f0f;
	return v * 0x01010101 >> 24;
}

static inline uint32_t *nctl_lpm_node_slots(uint32_t *node)
{
	return node + 1 + nctl_lpm_ones(nctl_lpm_node_words(node));
}

static inline unsigned nctl_lpm_node_units(const uint32_t *node)
{
	return 1 + nctl_lpm_ones(nctl_lpm_node_words(node)) + nctl_lpm_node_count(node);
}

/*
 * Where a prefix stands in a node of depth bytes: the nodes of a complete binary tree of 8 levels, counted as
 * a walk meets them. A step to the right skips the node itself and a whole left half, so a set bit of value b
 * counts 2b: 1 for the level and 2b - 1 for that half.
 */
static inline unsigned nctl_lpm_position(const uint8_t *addr, unsigned len, unsigned depth)
{
	unsigned bits = nctl_min(len - 8 * depth, 8U);
	unsigned octet = bits ? addr[depth] & 0xff00U >> bits : 0;

	return 2 * octet + bits - nctl_lpm_ones(octet);
}

/* Does the position stand for a whole byte, so that longer prefixes may be in it, too? */
static inline bool nctl_lpm_is_whole(unsigned len, unsigned depth)
{
	return len >= 8 * (depth + 1);
}

static inline bool nctl_lpm_node_has(const uint32_t *node, unsigned position)
{
	unsigned words = nctl_lpm_node_words(node), w = position / 32;

	return (words >> w & 1) &&
	       (node[1 + nctl_lpm_ones(words & ((1U << w) - 1))] >> position % 32 & 1);
}

/* The number of slots before position. */
static inline unsigned nctl_lpm_node_rank(const uint32_t *node, unsigned position)
{
	unsigned words = nctl_lpm_node_words(node), w = position / 32;
	unsigned n = nctl_lpm_ones(words & ((1U << w) - 1)), rank = 0;

	for (unsigned i = 1; i <= n; i++)
		rank += nctl_lpm_ones(node[i]);
	if (words >> w & 1)
		rank += nctl_lpm_ones(node[1 + n] & ((UINT32_C(1) << position % 32) - 1));
	return rank;
}

/* Units more that a slot at position would take. */
unsigned nctl_lpm_node_cost(const uint32_t *node, unsigned position);
/* The block is large enough, and position is free. */
void nctl_lpm_node_put(uint32_t *node, unsigned position, uint32_t slot);
void nctl_lpm_node_cut(uint32_t *node, unsigned position); /* it is there */

/* -- the trie -- */

struct nctl_lpm {
	nctl_lpm_key key;
	const void *owner;
	struct nctl_lpm_pool pool;
	size_t n;
	uint32_t root; /* a slot */
	uint8_t bytes; /* of an address */
	uint8_t family;
};

/* The address and length of a slot that is an id. */
static inline const uint8_t *nctl_lpm_slot_key(const struct nctl_lpm *t, uint32_t slot, unsigned *ret_len)
{
	return t->key(t->owner, slot & NCTL_LPM_ID_MAX, ret_len);
}

/* The order of the walk. */
static inline int nctl_lpm_slot_cmp(const struct nctl_lpm *t, uint32_t slot, const struct nctl_prefix *p)
{
	unsigned len;
	const uint8_t *addr = nctl_lpm_slot_key(t, slot, &len);
	int c = memcmp(addr, p->addr, t->bytes);

	return c ? c : (int)len - p->len;
}
