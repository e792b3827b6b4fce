/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: A node of the prefix index: a unit that tells what there is, those words of a bitmap of 511 bits that are
 * not 0, and a slot for each bit that is set, in the order of the walk. What stands at a position of the bitmap is
 * told in lpm-private.h. Pure functions on one block.
 */
#include "net/lpm-private.h"

static unsigned word_index(unsigned words, unsigned w)
{
	return 1 + nctl_lpm_ones(words & ((1U << w) - 1));
}

unsigned nctl_lpm_node_cost(const uint32_t *node, unsigned position)
{
	return nctl_lpm_node_words(node) >> position / 32 & 1 ? 1 : 2;
}

void nctl_lpm_node_put(uint32_t *node, unsigned position, uint32_t slot)
{
	unsigned words = nctl_lpm_node_words(node), count = nctl_lpm_node_count(node), w = position / 32;
	unsigned at = word_index(words, w), rank = nctl_lpm_node_rank(node, position);
	unsigned units = nctl_lpm_node_units(node);
	uint32_t *slots;

	if (!(words >> w & 1)) {
		memmove(node + at + 1, node + at, (units - at) * sizeof(*node));
		node[at] = 0;
		words |= 1U << w;
	}
	node[at] |= UINT32_C(1) << position % 32;
	node[0] = nctl_lpm_node_head(words, count + 1, nctl_lpm_node_class(node));
	slots = nctl_lpm_node_slots(node);
	memmove(slots + rank + 1, slots + rank, (count - rank) * sizeof(*slots));
	slots[rank] = slot;
}

void nctl_lpm_node_cut(uint32_t *node, unsigned position)
{
	unsigned words = nctl_lpm_node_words(node), count = nctl_lpm_node_count(node), w = position / 32;
	unsigned at = word_index(words, w), rank = nctl_lpm_node_rank(node, position);
	unsigned units = nctl_lpm_node_units(node);
	uint32_t *slots = nctl_lpm_node_slots(node);

	memmove(slots + rank, slots + rank + 1, (count - rank - 1) * sizeof(*slots));
	node[at] &= ~(UINT32_C(1) << position % 32);
	if (!node[at]) {
		memmove(node + at, node + at + 1, (units - at - 2) * sizeof(*node));
		words &= ~(1U << w);
	}
	node[0] = nctl_lpm_node_head(words, count - 1, nctl_lpm_node_class(node));
}
