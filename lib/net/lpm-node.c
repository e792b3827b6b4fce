/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Slots come into and out of a node of the prefix index. Pure functions on one block; what stands where
 * is told in lpm-node.h. The numbers of bits before each word are counted again at each change.
 */
#include <string.h>

#include "net/lpm-node.h"

unsigned nctl_lpm_node_cost(const uint32_t *node, unsigned position)
{
	unsigned words = nctl_lpm_node_words(node), n = nctl_lpm_ones(words);

	if (words >> position / 32 & 1)
		return 1;
	return 1 + nctl_lpm_slots_offset(n + 1) - nctl_lpm_slots_offset(n);
}

static void count_before(uint32_t *node, unsigned n)
{
	uint32_t *before = node + 1 + n;
	unsigned sum = 0;

	for (unsigned i = 0; i + 1 < n; i++) {
		sum += nctl_lpm_ones(node[1 + i]);
		before[i / 2] = i % 2 ? before[i / 2] | sum << 16 : sum;
	}
}

void nctl_lpm_node_put(uint32_t *node, unsigned position, uint32_t slot)
{
	unsigned words = nctl_lpm_node_words(node), count = nctl_lpm_node_count(node), w = position / 32;
	unsigned n = nctl_lpm_ones(words), i = 1 + nctl_lpm_ones(words & ((1U << w) - 1)), at;
	bool has_word = words >> w & 1;
	uint32_t *from = node + nctl_lpm_slots_offset(n), *to = node + nctl_lpm_slots_offset(n + !has_word);

	nctl_lpm_node_find(node, position, &at);
	memmove(to + at + 1, from + at, (count - at) * sizeof(*to));
	memmove(to, from, at * sizeof(*to));
	to[at] = slot;
	if (!has_word) {
		memmove(node + i + 1, node + i, (n + 1 - i) * sizeof(*node));
		node[i] = 0;
		n++;
	}
	node[i] |= UINT32_C(1) << position % 32;
	node[0] = nctl_lpm_node_head(words | 1U << w, count + 1, nctl_lpm_node_class(node));
	count_before(node, n);
}

void nctl_lpm_node_cut(uint32_t *node, unsigned position)
{
	unsigned words = nctl_lpm_node_words(node), count = nctl_lpm_node_count(node), w = position / 32;
	unsigned n = nctl_lpm_ones(words), i = 1 + nctl_lpm_ones(words & ((1U << w) - 1)), at;
	uint32_t *from = node + nctl_lpm_slots_offset(n), *to;

	nctl_lpm_node_find(node, position, &at);
	node[i] &= ~(UINT32_C(1) << position % 32);
	if (!node[i]) {
		memmove(node + i, node + i + 1, (n - i) * sizeof(*node));
		words &= ~(1U << w);
		n--;
	}
	to = node + nctl_lpm_slots_offset(n);
	memmove(to, from, at * sizeof(*to));
	memmove(to + at, from + at + 1, (count - at - 1) * sizeof(*to));
	node[0] = nctl_lpm_node_head(words, count - 1, nctl_lpm_node_class(node));
	count_before(node, n);
}
