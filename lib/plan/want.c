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
	struct nctl_hash_node node;
	struct nctl_want_link *link;
};

struct want_index {
	struct nctl_hash hash;
};

struct nctl_want *nctl_want_new(void)
{
	struct nctl_want *w = calloc(1, sizeof(*w));

	if (w)
		nctl_arena_init(&w->arena);
	return w;
}

struct nctl_want *nctl_want_free(struct nctl_want *w)
{
	struct want_index *index;

	if (!w)
		return NULL;
	index = w->by_name;
	if (index)
		nctl_hash_fini(&index->hash);
	nctl_arena_fini(&w->arena);
	free(w);
	return NULL;
}

void nctl_want_freep(struct nctl_want **w)
{
	*w = nctl_want_free(*w);
}

static struct nctl_want_link *index_find(const struct want_index *index, const char *name, uint64_t hash)
{
	struct nctl_hash_node *pos;
	struct want_name *n;

	nctl_hash_for_each_equal(pos, &index->hash, hash) {
		n = nctl_container_of(pos, struct want_name, node);
		if (!strcmp(n->link->v.name, name))
			return n->link;
	}
	return NULL;
}

int nctl_want_seal(struct nctl_want *w, const struct nctl_want_link **ret_twice)
{
	struct want_index *index = w->by_name;
	struct want_name *names;
	uint64_t hash;
	size_t i;
	int r;

	if (index)
		nctl_hash_fini(&index->hash);
	else
		index = nctl_arena_alloc(&w->arena, sizeof(*index));
	names = nctl_arena_alloc(&w->arena, w->n_links * sizeof(*names));
	if (!index || !names)
		return -ENOMEM;
	nctl_hash_init(&index->hash);
	w->by_name = index;
	for (i = 0; i < w->n_links; i++) {
		hash = nctl_hash_str(w->links[i]->v.name);
		if (index_find(index, w->links[i]->v.name, hash)) {
			*ret_twice = w->links[i];
			return -EEXIST;
		}
		names[i].link = w->links[i];
		r = nctl_hash_insert(&index->hash, &names[i].node, hash);
		if (r < 0)
			return r;
	}
	return 0;
}

struct nctl_want_link *nctl_want_find(const struct nctl_want *w, const char *name)
{
	const struct want_index *index = w->by_name;

	return index ? index_find(index, name, nctl_hash_str(name)) : NULL;
}
