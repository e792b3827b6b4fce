/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Red-black tree over nodes that live in the objects of the caller.
 *
 * Invariants: keys ascend from left to right; no red node has a red parent; every way
 * from the root to a missing child passes the same number of black nodes; the root is
 * black. A missing child counts as black. The code treats left and right as directions
 * 0 and 1, so that each case stands here once. Used by every ordered index above.
 */
#include "base/rbtree.h"

#define RED ((uintptr_t)1)

static struct nctl_rb_node *parent_of(const struct nctl_rb_node *n)
{
	return (struct nctl_rb_node *)(n->up & ~RED);
}

static int is_red(const struct nctl_rb_node *n)
{
	return n && (n->up & RED);
}

static void set_parent(struct nctl_rb_node *n, struct nctl_rb_node *parent)
{
	n->up = (uintptr_t)parent | (n->up & RED);
}

static void paint_black(struct nctl_rb_node *n)
{
	n->up &= ~RED;
}

static void paint_red(struct nctl_rb_node *n)
{
	n->up |= RED;
}

static void copy_colour(struct nctl_rb_node *to, const struct nctl_rb_node *from)
{
	to->up = (to->up & ~RED) | (from->up & RED);
}

static int side_of(const struct nctl_rb_node *parent, const struct nctl_rb_node *n)
{
	return parent->child[1] == n;
}

/* Lets what points down to `was` (a parent's child or the root) point to `now`. */
static void replace_child(struct nctl_rb_tree *t, struct nctl_rb_node *parent, struct nctl_rb_node *was,
	struct nctl_rb_node *now)
{
	if (parent)
		parent->child[side_of(parent, was)] = now;
	else
		t->root = now;
}

/* Moves n down to side dir; its child on the other side takes its place. Colours stay. */
static struct nctl_rb_node *rotate(struct nctl_rb_tree *t, struct nctl_rb_node *n, int dir)
{
	struct nctl_rb_node *top = n->child[!dir], *parent = parent_of(n);

	n->child[!dir] = top->child[dir];
	if (n->child[!dir])
		set_parent(n->child[!dir], n);
	top->child[dir] = n;
	replace_child(t, parent, n, top);
	set_parent(top, parent);
	set_parent(n, top);
	return top;
}

/* n is red and new; repairs a red parent. */
static void repair_insert(struct nctl_rb_tree *t, struct nctl_rb_node *n)
{
	struct nctl_rb_node *parent, *grand, *uncle;
	int dir;

	while (is_red(parent = parent_of(n))) {
		grand = parent_of(parent); /* a red node is never the root */
		dir = side_of(grand, parent);
		uncle = grand->child[!dir];
		if (is_red(uncle)) {
			paint_black(parent);
			paint_black(uncle);
			paint_red(grand);
			n = grand;
			continue;
		}
		if (side_of(parent, n) != dir)
			parent = rotate(t, parent, dir);
		paint_black(parent);
		paint_red(grand);
		rotate(t, grand, !dir);
		break;
	}
	paint_black(t->root);
}

struct nctl_rb_node *nctl_rb_insert(struct nctl_rb_tree *t, struct nctl_rb_node *node, nctl_rb_cmp cmp)
{
	struct nctl_rb_node *parent = NULL, **slot = &t->root;
	int c;

	while (*slot) {
		parent = *slot;
		c = cmp(node, parent);
		if (c == 0)
			return parent;
		slot = &parent->child[c > 0];
	}
	node->up = (uintptr_t)parent | RED;
	node->child[0] = node->child[1] = NULL;
	*slot = node;
	t->n++;
	repair_insert(t, node);
	return NULL;
}

/* The side dir of parent lacks one black node. */
static void repair_remove(struct nctl_rb_tree *t, struct nctl_rb_node *parent, int dir)
{
	struct nctl_rb_node *n, *sibling;

	while (parent) {
		sibling = parent->child[!dir];
		if (is_red(sibling)) {
			paint_black(sibling);
			paint_red(parent);
			rotate(t, parent, dir);
			sibling = parent->child[!dir];
		}
		if (is_red(sibling->child[0]) || is_red(sibling->child[1])) {
			if (!is_red(sibling->child[!dir]))
				sibling = rotate(t, sibling, !dir);
			copy_colour(sibling, parent);
			rotate(t, parent, dir);
			paint_black(sibling->child[0]);
			paint_black(sibling->child[1]);
			return;
		}
		paint_red(sibling);
		n = parent;
		parent = parent_of(n);
		if (n->up & RED || !parent) {
			paint_black(n);
			return;
		}
		dir = side_of(parent, n);
	}
}

/* Lets the successor of n, which has two children, change places with it, colours included. */
static void swap_with_next(struct nctl_rb_tree *t, struct nctl_rb_node *n)
{
	struct nctl_rb_node *next = n->child[1], *parent = parent_of(n), *right, *below;
	uintptr_t up;

	while (next->child[0])
		next = next->child[0];
	right = next->child[1];
	below = parent_of(next);
	up = next->up;

	replace_child(t, parent, n, next);
	next->up = n->up;
	next->child[0] = n->child[0];
	set_parent(next->child[0], next);
	if (below == n) {
		next->child[1] = n;
		n->up = (uintptr_t)next | (up & RED);
	} else {
		next->child[1] = n->child[1];
		set_parent(next->child[1], next);
		below->child[0] = n;
		n->up = up;
	}
	n->child[0] = NULL;
	n->child[1] = right;
	if (right)
		set_parent(right, n);
}

void nctl_rb_remove(struct nctl_rb_tree *t, struct nctl_rb_node *node)
{
	struct nctl_rb_node *parent, *child;
	int dir;

	if (node->child[0] && node->child[1])
		swap_with_next(t, node);
	parent = parent_of(node);
	child = node->child[0] ? node->child[0] : node->child[1];
	dir = parent ? side_of(parent, node) : 0;
	replace_child(t, parent, node, child);
	t->n--;
	if (child) {
		/* An only child is red and its parent black, or the black heights would differ. */
		set_parent(child, parent);
		paint_black(child);
	} else if (!is_red(node)) {
		repair_remove(t, parent, dir);
	}
	node->up = 0;
	node->child[0] = node->child[1] = NULL;
}

struct nctl_rb_node *nctl_rb_find(const struct nctl_rb_tree *t, const void *key, nctl_rb_cmp_key cmp)
{
	struct nctl_rb_node *n = t->root;
	int c;

	while (n && (c = cmp(key, n)) != 0)
		n = n->child[c > 0];
	return n;
}

/* The first node n with cmp(key, n) < limit. */
static struct nctl_rb_node *first_beyond(
	const struct nctl_rb_tree *t, const void *key, nctl_rb_cmp_key cmp, int limit)
{
	struct nctl_rb_node *n = t->root, *best = NULL;
	int c;

	while (n) {
		c = cmp(key, n);
		c = (c > 0) - (c < 0);
		if (c < limit)
			best = n;
		n = n->child[c >= limit];
	}
	return best;
}

struct nctl_rb_node *nctl_rb_lower_bound(const struct nctl_rb_tree *t, const void *key, nctl_rb_cmp_key cmp)
{
	return first_beyond(t, key, cmp, 1);
}

struct nctl_rb_node *nctl_rb_upper_bound(const struct nctl_rb_tree *t, const void *key, nctl_rb_cmp_key cmp)
{
	return first_beyond(t, key, cmp, 0);
}

/* The outermost node of n's subtree on side dir. */
static struct nctl_rb_node *outermost(const struct nctl_rb_node *n, int dir)
{
	while (n && n->child[dir])
		n = n->child[dir];
	return (struct nctl_rb_node *)n;
}

static struct nctl_rb_node *neighbour(const struct nctl_rb_node *n, int dir)
{
	const struct nctl_rb_node *parent;

	if (n->child[dir])
		return outermost(n->child[dir], !dir);
	while ((parent = parent_of(n)) && side_of(parent, n) == dir)
		n = parent;
	return (struct nctl_rb_node *)parent;
}

struct nctl_rb_node *nctl_rb_first(const struct nctl_rb_tree *t)
{
	return outermost(t->root, 0);
}

struct nctl_rb_node *nctl_rb_last(const struct nctl_rb_tree *t)
{
	return outermost(t->root, 1);
}

struct nctl_rb_node *nctl_rb_next(const struct nctl_rb_node *node)
{
	return neighbour(node, 1);
}

struct nctl_rb_node *nctl_rb_prev(const struct nctl_rb_node *node)
{
	return neighbour(node, 0);
}
