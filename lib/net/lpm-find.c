/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Looking into the prefix index: exact match, longest match, and the walk. Changes nothing; see lpm.c
 * for the trie. A walk that changes may come between is a descent each step; the other one keeps its path.
 */
#include "net/lpm-private.h"

static uint32_t *node_at(const struct nctl_lpm *t, uint32_t node)
{
	return nctl_lpm_block(&t->pool, node);
}

uint32_t nctl_lpm_get(const struct nctl_lpm *t, const struct nctl_prefix *p)
{
	uint32_t v = t->root;

	for (unsigned depth = 0; v && !(v & NCTL_LPM_LEAF); depth++) {
		uint32_t *node = node_at(t, v);
		unsigned position = nctl_lpm_position(p->addr, p->len, depth);

		if (!nctl_lpm_node_has(node, position))
			return NCTL_LPM_NONE;
		v = nctl_lpm_node_slots(node)[nctl_lpm_node_rank(node, position)];
		if (!nctl_lpm_is_whole(p->len, depth))
			return v & NCTL_LPM_ID_MAX;
	}
	return v && !nctl_lpm_slot_cmp(t, v, p) ? v & NCTL_LPM_ID_MAX : NCTL_LPM_NONE;
}

/* -- longest match -- */

static bool leaf_contains(const struct nctl_lpm *t, uint32_t leaf, const struct nctl_prefix *p)
{
	unsigned len;
	const uint8_t *addr = nctl_lpm_slot_key(t, leaf, &len);

	if (len > p->len || memcmp(addr, p->addr, len / 8))
		return false;
	return !(len % 8) || !((addr[len / 8] ^ p->addr[len / 8]) & 0xff00 >> len % 8);
}

/* The longest prefix within the node's byte that holds octet and has no more than `bits` bits of it. */
static uint32_t longest_in(uint32_t *node, unsigned octet, unsigned bits)
{
	for (unsigned left = bits + 1; left--;) {
		unsigned o = octet & 0xff00U >> left;
		unsigned position = 2 * o + left - nctl_lpm_ones(o);

		if (nctl_lpm_node_has(node, position))
			return nctl_lpm_node_slots(node)[nctl_lpm_node_rank(node, position)];
	}
	return 0;
}

uint32_t nctl_lpm_match(const struct nctl_lpm *t, const struct nctl_prefix *p)
{
	uint32_t *path[NCTL_LPM_DEPTH_MAX], v = t->root;
	unsigned depth = 0;

	for (; v && !(v & NCTL_LPM_LEAF); depth++) {
		uint32_t *node = path[depth] = node_at(t, v);
		unsigned position;

		v = 0;
		if (!nctl_lpm_is_whole(p->len, depth))
			continue;
		position = nctl_lpm_position(p->addr, p->len, depth);
		if (nctl_lpm_node_has(node, position))
			v = nctl_lpm_node_slots(node)[nctl_lpm_node_rank(node, position)];
	}
	if (v && leaf_contains(t, v, p))
		return v & NCTL_LPM_ID_MAX;
	while (depth--) {
		unsigned bits = nctl_min(p->len - 8 * depth, 7U);

		v = longest_in(path[depth], bits ? p->addr[depth] : 0, bits);
		if (v)
			return v & NCTL_LPM_ID_MAX;
	}
	return NCTL_LPM_NONE;
}

/* -- the walk -- */

static void push(struct nctl_lpm_iter *it, uint32_t node, unsigned at)
{
	it->stack[it->depth].node = node;
	it->stack[it->depth++].at = (uint16_t)at;
}

/* Up to the first at or, if not `at`, behind p. */
static void seek(struct nctl_lpm_iter *it, const struct nctl_lpm *t, const struct nctl_prefix *p, bool at)
{
	uint32_t v = t->root;
	int c;

	for (unsigned depth = 0; v && !(v & NCTL_LPM_LEAF); depth++) {
		uint32_t *node = node_at(t, v);
		unsigned position = nctl_lpm_position(p->addr, p->len, depth);
		unsigned rank = nctl_lpm_node_rank(node, position);
		bool has = nctl_lpm_node_has(node, position);

		it->stack[it->depth - 1].at++;
		if (!nctl_lpm_is_whole(p->len, depth))
			rank += has && !at, has = false;
		push(it, v, rank);
		if (!has)
			return;
		v = nctl_lpm_node_slots(node)[rank];
	}
	if (!v)
		return;
	c = nctl_lpm_slot_cmp(t, v, p);
	if (c < 0 || (c == 0 && !at))
		it->stack[it->depth - 1].at++;
}

void nctl_lpm_iter_init(struct nctl_lpm_iter *it, const struct nctl_lpm *t, const struct nctl_prefix *from)
{
	it->t = t;
	it->depth = 0;
	push(it, 0, 0); /* no node: the root's slot */
	if (from)
		seek(it, t, from, true);
}

uint32_t nctl_lpm_iter_next(struct nctl_lpm_iter *it)
{
	while (it->depth) {
		uint32_t number = it->stack[it->depth - 1].node;
		unsigned at = it->stack[it->depth - 1].at++;
		const uint32_t *slots = &it->t->root;
		unsigned n = it->t->root != 0;

		if (number) {
			uint32_t *node = node_at(it->t, number);

			slots = nctl_lpm_node_slots(node);
			n = nctl_lpm_node_count(node);
		}
		if (at >= n) {
			it->depth--;
			continue;
		}
		if (slots[at] & NCTL_LPM_LEAF)
			return slots[at] & NCTL_LPM_ID_MAX;
		push(it, slots[at], 0);
	}
	return NCTL_LPM_NONE;
}

uint32_t nctl_lpm_next(const struct nctl_lpm *t, const struct nctl_prefix *after)
{
	struct nctl_lpm_iter it;

	nctl_lpm_iter_init(&it, t, NULL);
	if (after)
		seek(&it, t, after, false);
	return nctl_lpm_iter_next(&it);
}

uint32_t nctl_lpm_from(const struct nctl_lpm *t, const struct nctl_prefix *from)
{
	struct nctl_lpm_iter it;

	nctl_lpm_iter_init(&it, t, from);
	return nctl_lpm_iter_next(&it);
}
