/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: A set of nodes that knows which of them were named again since a mark.
 *
 * Every node is in exactly one of two lists: fresh, and its gen is the set's; or stale,
 * and its gen is an older one. begin moves all of fresh to the end of stale in one
 * splice, and steps gen; nothing here walks a list.
 */
#include "base/genset.h"

void nctl_genset_init(struct nctl_genset *set)
{
	nctl_list_init(&set->fresh);
	nctl_list_init(&set->stale);
	set->gen = 1;
	set->n = 0;
}

void nctl_genset_begin(struct nctl_genset *set)
{
	nctl_list_splice_tail(&set->stale, &set->fresh);
	set->gen++;
}

void nctl_genset_add(struct nctl_genset *set, struct nctl_genset_node *node)
{
	nctl_list_add_tail(&set->fresh, &node->link);
	node->gen = set->gen;
	set->n++;
}

void nctl_genset_del(struct nctl_genset *set, struct nctl_genset_node *node)
{
	nctl_list_del(&node->link);
	node->gen = 0;
	set->n--;
}

void nctl_genset_touch(struct nctl_genset *set, struct nctl_genset_node *node)
{
	if (node->gen == set->gen)
		return;
	nctl_list_del(&node->link);
	nctl_list_add_tail(&set->fresh, &node->link);
	node->gen = set->gen;
}

struct nctl_genset_node *nctl_genset_stale(const struct nctl_genset *set)
{
	struct nctl_list *first = nctl_list_first(&set->stale);

	return first ? nctl_list_entry(first, struct nctl_genset_node, link) : NULL;
}
