/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hash.h"
#include "plan/want.h"

/* YAML as a tree in which every key and value knows its place. Internal to daemon/config. */

struct nd_parse;

enum nd_node_type {
	ND_NODE_SCALAR,
	ND_NODE_SEQUENCE,
	ND_NODE_MAPPING,
};

struct nd_node {
	struct nctl_hash_node by_key; /* of an entry of a mapping, in nd_tree.keys */
	struct nd_node *parent, *next;
	struct nd_node *first, *last; /* children */
	const char *key;              /* of an entry of a mapping, else NULL */
	const char *text;             /* of a scalar: valid UTF-8 without control characters */
	struct nctl_pos pos, key_pos;
	uint8_t type; /* enum nd_node_type */
	bool plain;   /* a scalar without quotes */
	bool key_plain;
	bool flow; /* a mapping written in { } */
};

struct nd_tree {
	struct nctl_arena arena; /* of everything that dies with the parse */
	struct nctl_hash keys;   /* all entries of all mappings, by parent and key */
	size_t n_nodes, n_copied;
	size_t max_nodes, max_copied; /* limits; 0: the usual ones */
};

/* The entry of this mapping with this key, or NULL. */
struct nd_node *nd_node_get(const struct nd_tree *t, const struct nd_node *mapping, const char *key);
/* Appends node to parent; under key, if parent is a mapping that has no such key yet. 0 or -ENOMEM. */
int nd_node_append(struct nd_tree *t, struct nd_node *parent, struct nd_node *node);

/* The tree of text number `file`. NULL with findings reported, or if the file is empty. */
struct nd_node *nd_yaml_load(struct nd_parse *p, uint32_t file);
/* Mappings merge, sequences grow, scalars are replaced; what is left of src must not be used. Either may be
 * NULL. */
struct nd_node *nd_merge(struct nd_parse *p, struct nd_node *dst, struct nd_node *src);
