/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <string.h>

#include "net/lpm.h"
#include "net/lpm-node.h"

/* What the files of the prefix index share. */

/* -- blocks: runs of 32-bit units, in size classes, without a header each -- */

enum {
	NCTL_LPM_PAGE_BITS = 12, /* units of a page: 16 KiB */
	NCTL_LPM_CLASSES = 55,
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

/* -- the trie: see the DOC of lpm.c -- */

enum { NCTL_LPM_DEPTH_MAX = 16 }; /* nodes on a path */

/*
 * A slot is the block of a node, or an id with the first of these bits; 0, nothing, in the root only. With the other
 * one the id's prefix ends where the slot stands; without it is longer, and its key tells by what.
 */
#define NCTL_LPM_LEAF (UINT32_C(1) << 31)
#define NCTL_LPM_ENDS (UINT32_C(1) << 30)

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

/*
 * Compares the prefix of a slot that p has led to, behind `depth` nodes, with p, in the order of the walk. The slot is
 * an id.
 */
static inline int nctl_lpm_slot_cmp(
	const struct nctl_lpm *t, uint32_t slot, const struct nctl_prefix *p, unsigned depth)
{
	unsigned len = 8 * depth;
	int c = 0;

	if (!(slot & NCTL_LPM_ENDS))
		c = memcmp(nctl_lpm_slot_key(t, slot, &len), p->addr, t->bytes);
	return c ? c : (int)len - p->len;
}
