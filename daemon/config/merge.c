/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Several files become one tree as netplan does it: mappings merge key by key, lists grow, a later
 * scalar replaces an earlier one. Every node keeps the place it came from.
 */
#include "config/parse.h"

static const char *type_name(const struct nd_node *n)
{
	switch ((enum nd_node_type)n->type) {
	case ND_NODE_SCALAR:
		return "a single value";
	case ND_NODE_SEQUENCE:
		return "a list";
	case ND_NODE_MAPPING:
		return "a mapping";
	}
	return "?";
}

static void merge_sequence(struct nd_parse *p, struct nd_node *dst, struct nd_node *src)
{
	struct nd_node *c, *next;

	for (c = src->first; c; c = next) {
		next = c->next;
		nd_failed(p, nd_node_append(&p->tree, dst, c));
	}
	dst->pos = src->pos;
}

/* A later scalar takes the place of an earlier one. */
static void replace_scalar(struct nd_node *dst, const struct nd_node *src)
{
	dst->text = src->text;
	dst->plain = src->plain;
	dst->pos = src->pos;
	dst->key_pos = src->key_pos;
	dst->key_plain = src->key_plain;
}

/* Depth is bounded by what nd_yaml_load lets pass. */
static void merge_mapping(struct nd_parse *p, struct nd_node *dst, struct nd_node *src)
{
	struct nd_node *c, *next, *old;

	for (c = src->first; c; c = next) {
		next = c->next;
		old = nd_node_get(&p->tree, dst, c->key);
		if (old) {
			nd_merge(p, old, c);
			continue;
		}
		nctl_hash_remove(&p->tree.keys, &c->by_key);
		nd_failed(p, nd_node_append(&p->tree, dst, c));
	}
}

struct nd_node *nd_merge(struct nd_parse *p, struct nd_node *dst, struct nd_node *src)
{
	if (!src || !dst)
		return dst ? dst : src;
	if (dst->type != src->type) {
		nd_error(p, src->pos, nd_text(p, "the other one is at %s", nd_place(p, dst->pos)),
			"this is %s, but %s in a file before", type_name(src), type_name(dst));
		return dst;
	}
	switch ((enum nd_node_type)dst->type) {
	case ND_NODE_SCALAR:
		replace_scalar(dst, src);
		break;
	case ND_NODE_SEQUENCE:
		merge_sequence(p, dst, src);
		break;
	case ND_NODE_MAPPING:
		merge_mapping(p, dst, src);
		break;
	}
	return dst;
}
