/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The container of the desired state and its index by name.
 *
 * daemon/config fills a want and seals it; from then on nobody changes it, so that the
 * planner and the clients of one generation may share it. Everything lives in the arena but
 * the buckets of the index.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "plan/want.h"

struct want_name {
	struct nctl_hash_node node, bound;
	struct nctl_want_link *link;
};

struct want_netns_name {
	struct nctl_hash_node node;
	struct nctl_want_netns *netns;
};

struct want_index {
	struct nctl_hash hash;
	struct nctl_hash bound;
	struct nctl_hash netns;
};

struct nctl_want *nctl_want_new(void)
{
	_cleanup_(nctl_want_freep) struct nctl_want *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	nctl_arena_init(&w->arena);
	w->netns = nctl_arena_alloc(&w->arena, sizeof(struct nctl_want_netns *));
	if (!w->netns)
		return NULL;
	w->netns[0] = nctl_arena_alloc(&w->arena, sizeof(*w->netns[0]));
	if (!w->netns[0])
		return NULL;
	w->n_netns = 1;
	return take_ptr(w);
}

static void index_fini(struct want_index *index)
{
	nctl_hash_fini(&index->hash);
	nctl_hash_fini(&index->bound);
	nctl_hash_fini(&index->netns);
}

struct nctl_want *nctl_want_free(struct nctl_want *w)
{
	struct want_index *index;

	if (!w)
		return NULL;
	for (size_t i = 0; i < w->n_links; i++)
		if (w->links[i]->wg)
			nctl_wg_wipe(&w->links[i]->wg->v);
	index = w->by_name;
	if (index)
		index_fini(index);
	nctl_arena_fini(&w->arena);
	free(w);
	return NULL;
}

void nctl_want_freep(struct nctl_want **w)
{
	*w = nctl_want_free(*w);
}

static uint64_t name_hash(uint32_t netns, const char *name)
{
	return nctl_hash_str(name) ^ nctl_hash_u64(netns);
}

static uint64_t bound_hash(uint32_t netns, nctl_ifindex ifindex)
{
	return nctl_hash_u64((uint64_t)netns << 32 | ifindex);
}

static struct nctl_want_link *index_find(const struct want_index *index, uint32_t netns, const char *name)
{
	struct nctl_hash_node *pos;
	struct want_name *n;

	nctl_hash_for_each_equal(pos, &index->hash, name_hash(netns, name)) {
		n = nctl_container_of(pos, struct want_name, node);
		if (n->link->netns->number == netns && !strcmp(n->link->v.name, name))
			return n->link;
	}
	return NULL;
}

static int seal_netns(struct nctl_want *w, struct want_index *index)
{
	struct want_netns_name *names = nctl_arena_alloc(&w->arena, w->n_netns * sizeof(*names));
	int r = names ? 0 : -ENOMEM;

	for (size_t i = 1; r >= 0 && i < w->n_netns; i++) {
		names[i].netns = w->netns[i];
		r = nctl_hash_insert(&index->netns, &names[i].node, nctl_hash_str(w->netns[i]->name));
	}
	return r;
}

int nctl_want_seal(struct nctl_want *w, const struct nctl_want_link **ret_twice)
{
	struct want_index *index = w->by_name;
	struct want_name *names;
	size_t i;
	int r;

	if (index)
		index_fini(index);
	else
		index = nctl_arena_alloc(&w->arena, sizeof(*index));
	names = nctl_arena_alloc(&w->arena, w->n_links * sizeof(*names));
	if (!index || !names)
		return -ENOMEM;
	nctl_hash_init(&index->hash);
	nctl_hash_init(&index->bound);
	nctl_hash_init(&index->netns);
	w->by_name = index;
	r = seal_netns(w, index);
	if (r < 0)
		return r;
	for (i = 0; i < w->n_links; i++) {
		const struct nctl_want_link *l = w->links[i];

		if (l->absent || (l->match && !l->ifindex))
			continue;
		if (index_find(index, l->netns->number, l->v.name)) {
			*ret_twice = l;
			return -EEXIST;
		}
		names[i].link = w->links[i];
		r = nctl_hash_insert(&index->hash, &names[i].node, name_hash(l->netns->number, l->v.name));
		if (r >= 0 && l->ifindex)
			r = nctl_hash_insert(
				&index->bound, &names[i].bound, bound_hash(l->netns->number, l->ifindex));
		if (r < 0)
			return r;
	}
	return 0;
}

struct nctl_want_link *nctl_want_bound(const struct nctl_want *w, uint32_t netns, nctl_ifindex ifindex)
{
	const struct want_index *index = w->by_name;
	struct nctl_hash_node *pos;

	if (!index)
		return NULL;
	nctl_hash_for_each_equal(pos, &index->bound, bound_hash(netns, ifindex)) {
		struct nctl_want_link *l = nctl_container_of(pos, struct want_name, bound)->link;

		if (l->netns->number == netns && l->ifindex == ifindex)
			return l;
	}
	return NULL;
}

struct nctl_want_link *nctl_want_find(const struct nctl_want *w, uint32_t netns, const char *name)
{
	const struct want_index *index = w->by_name;

	return index ? index_find(index, netns, name) : NULL;
}

struct nctl_want_netns *nctl_want_netns_find(const struct nctl_want *w, const char *name)
{
	const struct want_index *index = w->by_name;
	struct nctl_hash_node *pos;

	if (!index)
		return NULL;
	nctl_hash_for_each_equal(pos, &index->netns, nctl_hash_str(name)) {
		struct nctl_want_netns *n = nctl_container_of(pos, struct want_netns_name, node)->netns;

		if (!strcmp(n->name, name))
			return n;
	}
	return NULL;
}
