/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: what is ours, over all namespaces: a ledger of links and addresses for each namespace that holds any
 * of ours, by its cookie, and the names of the namespaces that we made. In memory; store.c keeps the copy on
 * disk.
 */
#include "reconcile/private.h"

#include <errno.h>
#include <stdlib.h>

int nd_ledgers_init(struct ledgers *l)
{
	nctl_hash_init(&l->by_cookie);
	return nctl_netns_ledger_new(&l->netns);
}

static void forget(struct ledgers *l, struct namespace_ledger *n)
{
	nctl_hash_remove(&l->by_cookie, &n->by_cookie);
	nctl_ledger_free(n->ledger);
	free(n);
}

void nd_ledgers_fini(struct ledgers *l)
{
	struct nctl_hash_iter it;
	struct nctl_hash_node *n;

	nctl_hash_iter_init(&it, &l->by_cookie);
	while ((n = nctl_hash_iter_next(&it)))
		forget(l, nctl_container_of(n, struct namespace_ledger, by_cookie));
	nctl_hash_fini(&l->by_cookie);
	l->netns = nctl_netns_ledger_free(l->netns);
}

static struct namespace_ledger *find(const struct ledgers *l, uint64_t cookie)
{
	struct nctl_hash_node *pos;

	nctl_hash_for_each_equal(pos, &l->by_cookie, nctl_hash_u64(cookie)) {
		struct namespace_ledger *n = nctl_container_of(pos, struct namespace_ledger, by_cookie);

		if (n->cookie == cookie)
			return n;
	}
	return NULL;
}

struct nctl_ledger *nd_ledgers_find(const struct ledgers *l, uint64_t cookie)
{
	const struct namespace_ledger *n = find(l, cookie);

	return n ? n->ledger : NULL;
}

struct nctl_ledger *nd_ledgers_get(struct ledgers *l, uint64_t cookie)
{
	struct namespace_ledger *n = find(l, cookie);

	if (n)
		return n->ledger;
	n = calloc(1, sizeof(*n));
	if (!n)
		return NULL;
	n->cookie = cookie;
	if (nctl_ledger_new(&n->ledger) < 0 ||
		nctl_hash_insert(&l->by_cookie, &n->by_cookie, nctl_hash_u64(cookie)) < 0) {
		nctl_ledger_free(n->ledger);
		free(n);
		return NULL;
	}
	return n->ledger;
}

size_t nd_ledgers_link_count(const struct ledgers *l)
{
	struct nctl_hash_iter it;
	struct nctl_hash_node *n;
	size_t count = 0;

	nctl_hash_iter_init(&it, &l->by_cookie);
	while ((n = nctl_hash_iter_next(&it)))
		count += nctl_ledger_link_count(
			nctl_container_of(n, struct namespace_ledger, by_cookie)->ledger);
	return count;
}

/* A name that is gone, or that somebody else gave to another namespace, is not ours any more. */
static void prune_names(struct ledgers *l, struct nd_netns_set *set)
{
	const struct nctl_ledger_netns *e, *next;

	for (e = nctl_netns_ledger_next(l->netns, NULL); e; e = next) {
		const struct nd_netns *n = nd_netns_find(set, e->name);

		next = nctl_netns_ledger_next(l->netns, e->name);
		if (!n || (e->cookie && nd_netns_cookie(n) && nd_netns_cookie(n) != e->cookie))
			nctl_netns_ledger_del(l->netns, e->name);
	}
}

void nd_ledgers_prune(struct ledgers *l, struct nd_netns_set *set)
{
	struct nctl_hash_iter it;
	struct nctl_hash_node *pos;

	nd_netns_set_look(set);
	prune_names(l, set);
	nctl_hash_iter_init(&it, &l->by_cookie);
	while ((pos = nctl_hash_iter_next(&it))) {
		struct namespace_ledger *n = nctl_container_of(pos, struct namespace_ledger, by_cookie);
		struct nctl_session *s = nctl_hub_find(nd_netns_set_hub(set), n->cookie);

		if (s && nctl_session_is_synced(s))
			nctl_ledger_prune(n->ledger, nctl_session_mirror(s));
		else if (!s && !nd_netns_find_cookie(set, n->cookie))
			forget(l, n);
	}
}

int nd_ledgers_intend(struct ledgers *l, const struct nctl_intent *v, size_t n)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < n; i++) {
		struct nctl_ledger *ledger = nd_ledgers_get(l, v[i].cookie);

		r = ledger ? nctl_ledger_link_add(ledger, &v[i].link) : -ENOMEM;
	}
	return r;
}
