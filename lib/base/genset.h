/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "base/list.h"

/*
 * "The full list arrived" (a dump, the set in a file, a scan) as one primitive:
 *
 *	nctl_genset_begin(set);
 *	for each entry of the list: nctl_genset_touch(set, known node) or nctl_genset_add(set, new node)
 *	while ((node = nctl_genset_stale(set))) { nctl_genset_del(set, node); destroy it }
 *
 * Intrusive; each operation is O(1). A round that breaks off is simply begun again:
 * what the broken round had touched is stale again.
 */
struct nctl_genset {
	struct nctl_list fresh; /* touched or added since begin */
	struct nctl_list stale;
	uint64_t gen;
	size_t n;
};

struct nctl_genset_node {
	struct nctl_list link;
	uint64_t gen; /* 0: in no set */
};

void nctl_genset_init(struct nctl_genset *set);
void nctl_genset_begin(struct nctl_genset *set);

/* node is in no set. Counts as touched. */
void nctl_genset_add(struct nctl_genset *set, struct nctl_genset_node *node);

/* node is in set. */
void nctl_genset_del(struct nctl_genset *set, struct nctl_genset_node *node);
void nctl_genset_touch(struct nctl_genset *set, struct nctl_genset_node *node);

/* The first node that was not touched since begin, or NULL; the caller removes (or touches) it. */
struct nctl_genset_node *nctl_genset_stale(const struct nctl_genset *set);

static inline bool nctl_genset_touched(const struct nctl_genset *set, const struct nctl_genset_node *node)
{
	return node->gen == set->gen;
}

static inline size_t nctl_genset_count(const struct nctl_genset *set)
{
	return set->n;
}
