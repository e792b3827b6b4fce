/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The prefix index: a trie of 8 bits a level. A node stands for the addresses that begin with its bytes; it
 * holds the prefixes that end within the next byte, each at its own position, and for each whole value of that
 * byte either the one prefix that begins so (a leaf, whatever its length: its key is asked of the owner) or a node.
 * Invariants: below each node are at least two prefixes; a prefix of 8 * (depth + 1) bits stands in the node
 * of that depth as a leaf, or, if more begin with it, in the node below at position 0; ids stand in the order of
 * the walk. Changing is here, looking in lpm-find.c, one node's bits in lpm-node.c, its memory in lpm-pool.c.
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

		slot = nctl_lpm_node_slots(node) +
		       nctl_lpm_node_rank(node, nctl_lpm_position(addr, len, depth));
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

/* Gives the node at place a block for so many units. Returns the node, or 0: no memory, and it is as before. */
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

static int add_slot(struct nctl_lpm *t, struct place place, unsigned position, uint32_t leaf)
{
	const uint32_t *node = node_at(t, *slot_at(t, place));
	uint32_t fit = node_fit(t, place, nctl_lpm_node_units(node) + nctl_lpm_node_cost(node, position));

	if (!fit)
		return -ENOMEM;
	nctl_lpm_node_put(node_at(t, fit), position, leaf);
	return 0;
}

/* A node with p and the leaf that p met, and those above it in which they do not part yet. */
static int split(struct nctl_lpm *t, struct place place, const struct nctl_prefix *p, uint32_t leaf, unsigned depth)
{
	uint32_t met = *slot_at(t, place), nodes[NCTL_LPM_DEPTH_MAX];
	unsigned len, n = 0, end = depth, a, b;
	const uint8_t *addr = nctl_lpm_slot_key(t, met, &len);

	if (!nctl_lpm_slot_cmp(t, met, p))
		return -EEXIST;
	for (;; end++) {
		a = nctl_lpm_position(addr, len, end);
		b = nctl_lpm_position(p->addr, p->len, end);
		if (a != b)
			break;
	}
	/* From below, so that nothing refers to what is not whole. */
	for (; n <= end - depth; n++) {
		nodes[n] = node_new(t, n ? 3 : a / 32 == b / 32 ? 4 : 5);
		if (!nodes[n])
			goto undo;
		if (n) {
			a = nctl_lpm_position(p->addr, p->len, end - n);
			nctl_lpm_node_put(node_at(t, nodes[n]), a, nodes[n - 1]);
		} else {
			nctl_lpm_node_put(node_at(t, nodes[n]), a, met);
			nctl_lpm_node_put(node_at(t, nodes[n]), b, leaf);
		}
	}
	*slot_at(t, place) = nodes[n - 1];
	return 0;
undo:
	while (n--)
		nctl_lpm_block_free(&t->pool, nodes[n], nctl_lpm_node_class(node_at(t, nodes[n])));
	return -ENOMEM;
}

static int insert(struct nctl_lpm *t, const struct nctl_prefix *p, uint32_t leaf)
{
	struct place place = {0};
	uint32_t v = t->root;

	if (!v) {
		t->root = leaf;
		return 0;
	}
	for (unsigned depth = 0; !(v & NCTL_LPM_LEAF); depth++) {
		uint32_t *node = node_at(t, v);
		unsigned position = nctl_lpm_position(p->addr, p->len, depth);
		bool has = nctl_lpm_node_has(node, position);

		if (!has)
			return add_slot(t, place, position, leaf);
		if (!nctl_lpm_is_whole(p->len, depth))
			return -EEXIST;
		place = (struct place){v, nctl_lpm_node_rank(node, position)};
		v = nctl_lpm_node_slots(node)[place.at];
		if (v & NCTL_LPM_LEAF)
			return split(t, place, p, leaf, depth + 1);
	}
	return split(t, place, p, leaf, 0);
}

int nctl_lpm_insert(struct nctl_lpm *t, const struct nctl_prefix *p, uint32_t id)
{
	int r = insert(t, p, id | NCTL_LPM_LEAF);

	if (r == 0)
		t->n++;
	return r;
}

/* -- replacement and removal -- */

/* The path to p's slot. False: p is not there. */
static bool find_path(struct nctl_lpm *t, const struct nctl_prefix *p, struct path *path)
{
	uint32_t v = t->root;

	path->n = 1;
	path->places[0] = (struct place){0};
	for (unsigned depth = 0; v && !(v & NCTL_LPM_LEAF); depth++) {
		uint32_t *node = node_at(t, v);
		unsigned position = nctl_lpm_position(p->addr, p->len, depth);

		if (!nctl_lpm_node_has(node, position))
			return false;
		path->places[path->n] = (struct place){v, nctl_lpm_node_rank(node, position)};
		v = nctl_lpm_node_slots(node)[path->places[path->n++].at];
		if (!nctl_lpm_is_whole(p->len, depth))
			return true;
	}
	return v && !nctl_lpm_slot_cmp(t, v, p);
}

void nctl_lpm_replace(struct nctl_lpm *t, const struct nctl_prefix *p, uint32_t id)
{
	struct path path;

	if (find_path(t, p, &path))
		*slot_at(t, path.places[path.n - 1]) = id | NCTL_LPM_LEAF;
}

/* Takes the slot at the end of path out of its node, and nodes that hold just one leaf out of the trie. */
static void cut(struct nctl_lpm *t, const struct nctl_prefix *p, struct path *path)
{
	uint32_t number = path->places[path->n - 1].node, *node = node_at(t, number), leaf;

	nctl_lpm_node_cut(node, nctl_lpm_position(p->addr, p->len, path->n - 2));
	leaf = *nctl_lpm_node_slots(node);
	if (nctl_lpm_node_count(node) > 1 || !(leaf & NCTL_LPM_LEAF)) {
		/* Without memory for a smaller block it keeps the larger one. */
		node_fit(t, path->places[path->n - 2], nctl_lpm_node_units(node));
		return;
	}
	do {
		number = path->places[--path->n].node;
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
