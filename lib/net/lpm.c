/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The prefix index: a trie of 8 bits a level. A node stands for the addresses that begin with its bytes;
 * it holds the prefixes that end within the next byte, each at its own position, and for each whole value of
 * that byte either the one prefix that begins so (a leaf, whatever its length: its key is asked of the owner)
 * or a node. Invariants: below each node are at least two prefixes; a prefix of 8 * (depth + 1) bits stands
 * in the node of that depth as a leaf, or, if more begin with it, in the node below at position 0; ids stand
 * in the order of the walk. Changing is here, looking in lpm-find.c, one node's bits in lpm-node.c, its
 * memory in lpm-pool.c.
 */
#include <errno.h>
#include <stdlib.h>

#include "net/lpm-private.h"

/* Where a slot is: in a node, or, with node 0, the root. */
struct place {
	uint32_t node;
	unsigned at;
};

struct path {
	unsigned n;
	struct place places[1 + NCTL_LPM_DEPTH_MAX];
};

static uint32_t *node_at(const struct nctl_lpm *t, uint32_t node)
{
	return nctl_lpm_block(&t->pool, node);
}

static uint32_t *slot_at(struct nctl_lpm *t, struct place place)
{
	return place.node ? nctl_lpm_node_slots(node_at(t, place.node)) + place.at : &t->root;
}

static uint32_t node_new(struct nctl_lpm *t, unsigned units)
{
	unsigned class = nctl_lpm_class_of(units);
	uint32_t node = nctl_lpm_block_new(&t->pool, class);

	if (node)
		*node_at(t, node) = nctl_lpm_node_head(0, 0, class);
	return node;
}

/* The node that was `from` is now at `to`: any prefix below it leads to the slot that refers to it. */
static void relink(struct nctl_lpm *t, uint32_t from, uint32_t to)
{
	uint32_t v = to, *slot = &t->root;
	const uint8_t *addr;
	unsigned len;

	while (!(v & NCTL_LPM_LEAF))
		v = *nctl_lpm_node_slots(node_at(t, v));
	addr = nctl_lpm_slot_key(t, v, &len);
	for (unsigned depth = 0; *slot != from; depth++) {
		uint32_t *node = node_at(t, *slot);
		unsigned at;

		nctl_lpm_node_find(node, nctl_lpm_position(addr, len, depth), &at);
		slot = nctl_lpm_node_slots(node) + at;
	}
	*slot = to;
}

/* Nothing refers to node any more. path, if any, stays right. */
static void node_free(struct nctl_lpm *t, uint32_t node, struct path *path)
{
	uint32_t moved = nctl_lpm_block_free(&t->pool, node, nctl_lpm_node_class(node_at(t, node)));

	if (!moved)
		return;
	relink(t, moved, node);
	for (unsigned i = 0; path && i < path->n; i++)
		if (path->places[i].node == moved)
			path->places[i].node = node;
}

/* Gives the node at place a block for so many units. Returns the node, or 0: no memory, and it is as before.
 */
static uint32_t node_fit(struct nctl_lpm *t, struct place place, unsigned units)
{
	uint32_t old = *slot_at(t, place), new;
	unsigned from = nctl_lpm_node_class(node_at(t, old)), to = nctl_lpm_class_of(units);
	uint32_t *node;

	if (from == to)
		return old;
	new = nctl_lpm_block_new(&t->pool, to);
	if (!new)
		return 0;
	node = node_at(t, new);
	memcpy(node, node_at(t, old), nctl_lpm_node_units(node_at(t, old)) * sizeof(*node));
	node[0] = nctl_lpm_node_head(nctl_lpm_node_words(node), nctl_lpm_node_count(node), to);
	*slot_at(t, place) = new;
	node_free(t, old, NULL);
	return new;
}

/* -- insertion -- */

/* The slot of an id in a node of that depth, -1: in the root. */
static uint32_t leaf_of(uint32_t id, unsigned len, int depth)
{
	return (id & NCTL_LPM_ID_MAX) | NCTL_LPM_LEAF | ((int)len <= 8 * (depth + 1) ? NCTL_LPM_ENDS : 0);
}

static int add_slot(struct nctl_lpm *t, struct place place, unsigned position, uint32_t leaf)
{
	const uint32_t *node = node_at(t, *slot_at(t, place));
	uint32_t fit = node_fit(t, place, nctl_lpm_node_units(node) + nctl_lpm_node_cost(node, position));

	if (!fit)
		return -ENOMEM;
	nctl_lpm_node_put(node_at(t, fit), position, leaf);
	return 0;
}

/* A node for one or two prefixes at these positions. */
static uint32_t node_of(struct nctl_lpm *t, unsigned a, uint32_t slot_a, unsigned b, uint32_t slot_b)
{
	unsigned n = 1 + (a != b), words = 1 + (a / 32 != b / 32);
	uint32_t node = node_new(t, nctl_lpm_slots_offset(words) + n);

	if (!node)
		return 0;
	nctl_lpm_node_put(node_at(t, node), a, slot_a);
	if (a != b)
		nctl_lpm_node_put(node_at(t, node), b, slot_b);
	return node;
}

/*
 * p has met an id at place, behind `depth` nodes: makes a node in which they part, and those above in which
 * they do not yet.
 */
static int split(
	struct nctl_lpm *t, struct place place, const struct nctl_prefix *p, uint32_t id, unsigned depth)
{
	uint32_t met = *slot_at(t, place), nodes[NCTL_LPM_DEPTH_MAX], below = 0;
	unsigned len, n = 0, end = depth, a, b;
	const uint8_t *addr = nctl_lpm_slot_key(t, met, &len);

	if (!nctl_lpm_slot_cmp(t, met, p, depth))
		return -EEXIST;
	for (;; end++) {
		a = nctl_lpm_position(p->addr, p->len, end);
		b = nctl_lpm_position(addr, len, end);
		if (a != b)
			break;
	}
	below = nodes[n++] = node_of(t, a, leaf_of(id, p->len, (int)end), b, leaf_of(met, len, (int)end));
	while (below && end-- > depth) {
		a = nctl_lpm_position(p->addr, p->len, end);
		below = nodes[n++] = node_of(t, a, below, a, 0);
	}
	if (below) {
		*slot_at(t, place) = below;
		return 0;
	}
	/* In the reverse order, so that none of the others moves. */
	for (n--; n--;)
		nctl_lpm_block_free(&t->pool, nodes[n], nctl_lpm_node_class(node_at(t, nodes[n])));
	return -ENOMEM;
}

static int insert(struct nctl_lpm *t, const struct nctl_prefix *p, uint32_t id)
{
	struct place place = {0};
	uint32_t v = t->root;
	unsigned depth = 0;

	if (!v) {
		t->root = leaf_of(id, p->len, -1);
		return 0;
	}
	for (; !(v & NCTL_LPM_LEAF); depth++) {
		uint32_t *node = node_at(t, v);
		unsigned position = nctl_lpm_position(p->addr, p->len, depth), at;

		if (!nctl_lpm_node_find(node, position, &at))
			return add_slot(t, place, position, leaf_of(id, p->len, (int)depth));
		if (!nctl_lpm_is_whole(p->len, depth))
			return -EEXIST;
		place = (struct place){v, at};
		v = nctl_lpm_node_slots(node)[at];
	}
	return split(t, place, p, id, depth);
}

int nctl_lpm_insert(struct nctl_lpm *t, const struct nctl_prefix *p, uint32_t id)
{
	int r = insert(t, p, id);

	if (r == 0)
		t->n++;
	return r;
}

/* -- replacement and removal -- */

/* The path to p's slot. False: p is not there. */
static bool find_path(struct nctl_lpm *t, const struct nctl_prefix *p, struct path *path)
{
	uint32_t v = t->root;
	unsigned depth = 0;

	path->n = 1;
	path->places[0] = (struct place){0};
	for (; v && !(v & NCTL_LPM_LEAF); depth++) {
		uint32_t *node = node_at(t, v);
		unsigned at;

		if (!nctl_lpm_node_find(node, nctl_lpm_position(p->addr, p->len, depth), &at))
			return false;
		path->places[path->n++] = (struct place){v, at};
		v = nctl_lpm_node_slots(node)[at];
		if (!nctl_lpm_is_whole(p->len, depth))
			return true;
	}
	return v && !nctl_lpm_slot_cmp(t, v, p, depth);
}

void nctl_lpm_replace(struct nctl_lpm *t, const struct nctl_prefix *p, uint32_t id)
{
	struct path path;
	uint32_t *slot;

	if (!find_path(t, p, &path))
		return;
	slot = slot_at(t, path.places[path.n - 1]);
	*slot = (*slot & ~NCTL_LPM_ID_MAX) | id;
}

/* Takes the slot at the end of path out of its node, and nodes that hold just one id out of the trie. */
static void cut(struct nctl_lpm *t, const struct nctl_prefix *p, struct path *path)
{
	uint32_t number = path->places[path->n - 1].node, *node = node_at(t, number), leaf;
	unsigned at;

	nctl_lpm_node_cut(node, nctl_lpm_position(p->addr, p->len, path->n - 2));
	if (nctl_lpm_node_count(node) > 1 || !(*nctl_lpm_node_slots(node) & NCTL_LPM_LEAF)) {
		/* Without memory for a smaller block it keeps the larger one. */
		node_fit(t, path->places[path->n - 2], nctl_lpm_node_units(node));
		return;
	}
	do {
		node = node_at(t, number);
		leaf = *nctl_lpm_node_slots(node) | NCTL_LPM_ENDS;
		if (!nctl_lpm_node_find(node, 0, &at)) /* else it ends where the node begins */
			leaf &= ~NCTL_LPM_ENDS;
		path->n--;
		*slot_at(t, path->places[path->n - 1]) = leaf;
		node_free(t, number, path);
		number = path->places[path->n - 1].node;
	} while (number && nctl_lpm_node_count(node_at(t, number)) == 1);
}

uint32_t nctl_lpm_remove(struct nctl_lpm *t, const struct nctl_prefix *p)
{
	struct path path;
	uint32_t id;

	if (!find_path(t, p, &path))
		return NCTL_LPM_NONE;
	id = *slot_at(t, path.places[path.n - 1]) & NCTL_LPM_ID_MAX;
	if (path.n > 1) {
		cut(t, p, &path);
	} else {
		t->root = 0;
		nctl_lpm_pool_fini(&t->pool);
	}
	t->n--;
	return id;
}

/* -- as a whole -- */

int nctl_lpm_new(uint8_t family, nctl_lpm_key key, const void *owner, struct nctl_lpm **ret)
{
	struct nctl_lpm *t = calloc(1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	t->key = key;
	t->owner = owner;
	t->family = family;
	t->bytes = (uint8_t)nctl_prefix_bytes(family);
	*ret = t;
	return 0;
}

struct nctl_lpm *nctl_lpm_free(struct nctl_lpm *t)
{
	if (t)
		nctl_lpm_pool_fini(&t->pool);
	free(t);
	return NULL;
}

size_t nctl_lpm_count(const struct nctl_lpm *t)
{
	return t->n;
}

size_t nctl_lpm_bytes(const struct nctl_lpm *t)
{
	return sizeof(*t) + t->pool.bytes;
}
