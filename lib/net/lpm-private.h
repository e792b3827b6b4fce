/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <string.h>

#include "net/lpm.h"
#include "net/lpm-node.h"
#include "net/lpm-pool.h"

/* The trie itself, see the DOC of lpm.c. */

enum { NCTL_LPM_DEPTH_MAX = 16 }; /* nodes on a path */

/*
 * A slot is the block of a node, or an id with the first of these bits; 0, nothing, in the root only. With
 * the other one the id's prefix ends where the slot stands; without it is longer, and its key tells by what.
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
 * Compares the prefix of a slot that p has led to, behind `depth` nodes, with p, in the order of the walk.
 * The slot is an id.
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
