/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

/* Intrusive node; embed it, and get back by nctl_container_of. Three words. */
struct nctl_rb_node {
	uintptr_t up; /* the parent, with the colour in bit 0 */
	struct nctl_rb_node *child[2];
};

struct nctl_rb_tree {
	struct nctl_rb_node *root;
	size_t n; /* nodes in the tree */
};

#define NCTL_RB_INIT ((struct nctl_rb_tree){NULL, 0})

/* Three-way comparisons; both must describe the same total order. */
typedef int (*nctl_rb_cmp)(const struct nctl_rb_node *a, const struct nctl_rb_node *b);
typedef int (*nctl_rb_cmp_key)(const void *key, const struct nctl_rb_node *n);

/* NULL when node went in; else the equal node that is there already, and the tree is unchanged. */
struct nctl_rb_node *nctl_rb_insert(struct nctl_rb_tree *t, struct nctl_rb_node *node, nctl_rb_cmp cmp);

/* node must be in t. Other nodes keep their addresses and their order. */
void nctl_rb_remove(struct nctl_rb_tree *t, struct nctl_rb_node *node);

/* The node equal to key, the first one >= key, the first one > key; NULL if there is none. */
struct nctl_rb_node *nctl_rb_find(const struct nctl_rb_tree *t, const void *key, nctl_rb_cmp_key cmp);
struct nctl_rb_node *nctl_rb_lower_bound(const struct nctl_rb_tree *t, const void *key, nctl_rb_cmp_key cmp);
struct nctl_rb_node *nctl_rb_upper_bound(const struct nctl_rb_tree *t, const void *key, nctl_rb_cmp_key cmp);

/* In ascending order; NULL past either end. O(log n), amortised O(1) for a walk. */
struct nctl_rb_node *nctl_rb_first(const struct nctl_rb_tree *t);
struct nctl_rb_node *nctl_rb_last(const struct nctl_rb_tree *t);
struct nctl_rb_node *nctl_rb_next(const struct nctl_rb_node *node);
struct nctl_rb_node *nctl_rb_prev(const struct nctl_rb_node *node);

/*
 * pos is a struct nctl_rb_node * of the caller; the body must not remove pos. To empty
 * a tree, take nctl_rb_first until it is NULL.
 */
#define nctl_rb_for_each(pos, tree) for ((pos) = nctl_rb_first(tree); (pos); (pos) = nctl_rb_next(pos))
