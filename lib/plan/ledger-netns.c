/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the ledger of namespaces: the names of those that we made, with the cookie that tells a namespace from
 * a later one of the same name. A plain set in memory, as the ledger of links is.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "plan/ledger.h"

struct entry {
	struct nctl_ledger_netns v; /* its name is the one below */
	struct nctl_rb_node node;
	char name[];
};

struct nctl_netns_ledger {
	struct nctl_rb_tree tree;
};

static struct entry *to_entry(const struct nctl_rb_node *n)
{
	return n ? nctl_container_of(n, struct entry, node) : NULL;
}

static int cmp_key(const void *key, const struct nctl_rb_node *n)
{
	return strcmp(key, to_entry(n)->name);
}

static int cmp(const struct nctl_rb_node *a, const struct nctl_rb_node *b)
{
	return cmp_key(to_entry(a)->name, b);
}

int nctl_netns_ledger_new(struct nctl_netns_ledger **ret)
{
	struct nctl_netns_ledger *l = calloc(1, sizeof(*l));

	if (!l)
		return -ENOMEM;
	l->tree = NCTL_RB_INIT;
	*ret = l;
	return 0;
}

static void drop(struct nctl_netns_ledger *l, struct entry *e)
{
	nctl_rb_remove(&l->tree, &e->node);
	free(e);
}

struct nctl_netns_ledger *nctl_netns_ledger_free(struct nctl_netns_ledger *l)
{
	struct nctl_rb_node *n;

	if (!l)
		return NULL;
	while ((n = nctl_rb_first(&l->tree)))
		drop(l, to_entry(n));
	free(l);
	return NULL;
}

void nctl_netns_ledger_freep(struct nctl_netns_ledger **l)
{
	*l = nctl_netns_ledger_free(*l);
}

int nctl_netns_ledger_add(struct nctl_netns_ledger *l, const char *name, uint64_t cookie)
{
	struct entry *e = to_entry(nctl_rb_find(&l->tree, name, cmp_key));
	size_t len = strnlen(name, NAME_MAX + 1);

	if (!len)
		return -EINVAL;
	if (len > NAME_MAX)
		return -ENAMETOOLONG;
	if (!e) {
		e = calloc(1, sizeof(*e) + len + 1);
		if (!e)
			return -ENOMEM;
		memcpy(e->name, name, len + 1);
		e->v.name = e->name;
		nctl_rb_insert(&l->tree, &e->node, cmp);
	}
	e->v.cookie = cookie;
	return 0;
}

void nctl_netns_ledger_del(struct nctl_netns_ledger *l, const char *name)
{
	struct entry *e = to_entry(nctl_rb_find(&l->tree, name, cmp_key));

	if (e)
		drop(l, e);
}

const struct nctl_ledger_netns *nctl_netns_ledger_get(const struct nctl_netns_ledger *l, const char *name)
{
	const struct entry *e = to_entry(nctl_rb_find(&l->tree, name, cmp_key));

	return e ? &e->v : NULL;
}

const struct nctl_ledger_netns *nctl_netns_ledger_next(const struct nctl_netns_ledger *l, const char *after)
{
	const struct entry *e =
		to_entry(after ? nctl_rb_upper_bound(&l->tree, after, cmp_key) : nctl_rb_first(&l->tree));

	return e ? &e->v : NULL;
}

size_t nctl_netns_ledger_count(const struct nctl_netns_ledger *l)
{
	return l->tree.n;
}
