/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"

/*
 * A node of the prefix index, of units of 32 bits: a head, those words of a bitmap that are not 0, for each
 * word but the first the number of bits before it (16 bits each), and a slot for each bit. Slots are in the
 * order of the walk.
 */
enum {
	NCTL_LPM_WORDS_MAX = 16, /* 511 bits, of which the last is not used */
	NCTL_LPM_UNITS_MIN = 3,
	NCTL_LPM_UNITS_MAX = 1 + 16 + 8 + 511,
};

/* The head: which words there are, the number of slots, the class of the block. */
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

/* Units before the slots, with n words. */
static inline unsigned nctl_lpm_slots_offset(unsigned n)
{
	return 1 + n + n / 2;
}

static inline uint32_t *nctl_lpm_node_slots(uint32_t *node)
{
	return node + nctl_lpm_slots_offset(nctl_lpm_ones(nctl_lpm_node_words(node)));
}

static inline unsigned nctl_lpm_node_units(const uint32_t *node)
{
	return nctl_lpm_slots_offset(nctl_lpm_ones(nctl_lpm_node_words(node))) + nctl_lpm_node_count(node);
}

/*
 * Where a prefix stands in a node of depth bytes: the nodes of a complete binary tree of 8 levels, counted as
 * a walk meets them. A step to the right skips the node itself and a whole left half, so a set bit of value b
 * counts 2b: 1 for the level and 2b - 1 for that half. Octet: its bits behind the first `bits` are 0.
 */
static inline unsigned nctl_lpm_octet_position(unsigned octet, unsigned bits)
{
	return 2 * octet + bits - nctl_lpm_ones(octet);
}

static inline unsigned nctl_lpm_position(const uint8_t *addr, unsigned len, unsigned depth)
{
	unsigned bits = nctl_min(len - 8 * depth, 8U);

	return nctl_lpm_octet_position(bits ? addr[depth] & 0xff00U >> bits : 0, bits);
}

/* Does the position stand for a whole byte, so that longer prefixes may be in it, too? */
static inline bool nctl_lpm_is_whole(unsigned len, unsigned depth)
{
	return len >= 8 * (depth + 1);
}

/* The number of bits before word i of n. */
static inline unsigned nctl_lpm_node_before(const uint32_t *node, unsigned n, unsigned i)
{
	return node[n + (i + 1) / 2] >> (i + 1) % 2 * 16 & (i ? 0xffff : 0);
}

/* Is there a slot at position? *ret_at: the number of slots before it, in any case. */
static inline bool nctl_lpm_node_find(const uint32_t *node, unsigned position, unsigned *ret_at)
{
	unsigned words = nctl_lpm_node_words(node), w = position / 32;
	unsigned n = nctl_lpm_ones(words), i = nctl_lpm_ones(words & ((1U << w) - 1));
	uint32_t word;

	if (!(words >> w & 1)) {
		*ret_at = i == n ? nctl_lpm_node_count(node) : nctl_lpm_node_before(node, n, i);
		return false;
	}
	word = node[1 + i];
	*ret_at =
		nctl_lpm_node_before(node, n, i) + nctl_lpm_ones(word & ((UINT32_C(1) << position % 32) - 1));
	return word >> position % 32 & 1;
}

/* Units more that a slot at position would take. */
unsigned nctl_lpm_node_cost(const uint32_t *node, unsigned position);
/* The block is large enough, and position is free. */
void nctl_lpm_node_put(uint32_t *node, unsigned position, uint32_t slot);
void nctl_lpm_node_cut(uint32_t *node, unsigned position); /* it is there */
