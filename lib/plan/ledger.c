/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the ledger: which links and addresses of one namespace are ours. Links by ifindex, since that is what
 * an intent knows before the link exists; addresses that we adopted by their identity. A plain set in memory:
 * its copy on disk is written by the reconciler, its truth is checked against the mirror by
 * nctl_ledger_prune.
 */
#include "plan/ledger.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mirror/mirror.h"

struct ledger_link {
	struct nctl_ledger_link v;
	struct nctl_rb_node node;
};

struct ledger_addr {
	struct nctl_addr v;
	struct nctl_rb_node node;
};

struct nctl_ledger {
	struct nctl_rb_tree links, addrs;
};

static struct ledger_link *to_link(const struct nctl_rb_node *n)
{
	return n ? nctl_container_of(n, struct ledger_link, node) : NULL;
}

static struct ledger_addr *to_addr(const struct nctl_rb_node *n)
{
	return n ? nctl_container_of(n, struct ledger_addr, node) : NULL;
}

static int cmp_link_key(const void *key, const struct nctl_rb_node *n)
{
	nctl_ifindex x = *(const nctl_ifindex *)key, y = to_link(n)->v.ifindex;

	return (x > y) - (x < y);
}

static int cmp_link(const struct nctl_rb_node *a, const struct nctl_rb_node *b)
{
	return cmp_link_key(&to_link(a)->v.ifindex, b);
}

static int cmp_addr_key(const void *key, const struct nctl_rb_node *n)
{
	return nctl_addr_cmp(key, &to_addr(n)->v);
}

static int cmp_addr(const struct nctl_rb_node *a, const struct nctl_rb_node *b)
{
	return nctl_addr_cmp(&to_addr(a)->v, &to_addr(b)->v);
}

int nctl_ledger_new(struct nctl_ledger **ret)
{
	struct nctl_ledger *l = calloc(1, sizeof(*l));

	if (!l)
		return -ENOMEM;
	l->links = NCTL_RB_INIT;
	l->addrs = NCTL_RB_INIT;
	*ret = l;
	return 0;
}

struct nctl_ledger *nctl_ledger_free(struct nctl_ledger *l)
{
	struct nctl_rb_node *n;

	if (!l)
		return NULL;
	while ((n = nctl_rb_first(&l->links))) {
		nctl_rb_remove(&l->links, n);
		free(to_link(n));
	}
	while ((n = nctl_rb_first(&l->addrs))) {
		nctl_rb_remove(&l->addrs, n);
		free(to_addr(n));
	}
	free(l);
	return NULL;
}

void nctl_ledger_freep(struct nctl_ledger **l)
{
	*l = nctl_ledger_free(*l);
}

int nctl_ledger_link_add(struct nctl_ledger *l, const struct nctl_ledger_link *e)
{
	struct ledger_link *x = to_link(nctl_rb_find(&l->links, &e->ifindex, cmp_link_key));

	if (!x) {
		x = calloc(1, sizeof(*x));
		if (!x)
			return -ENOMEM;
		x->v.ifindex = e->ifindex;
		nctl_rb_insert(&l->links, &x->node, cmp_link);
	}
	x->v = *e;
	return 0;
}

void nctl_ledger_link_del(struct nctl_ledger *l, nctl_ifindex ifindex)
{
	struct ledger_link *x = to_link(nctl_rb_find(&l->links, &ifindex, cmp_link_key));

	if (!x)
		return;
	nctl_rb_remove(&l->links, &x->node);
	free(x);
}

const struct nctl_ledger_link *nctl_ledger_link_get(const struct nctl_ledger *l, nctl_ifindex ifindex)
{
	const struct ledger_link *x = l ? to_link(nctl_rb_find(&l->links, &ifindex, cmp_link_key)) : NULL;

	return x ? &x->v : NULL;
}

const struct nctl_ledger_link *nctl_ledger_link_from(const struct nctl_ledger *l, nctl_ifindex ifindex)
{
	const struct ledger_link *x =
		l ? to_link(nctl_rb_lower_bound(&l->links, &ifindex, cmp_link_key)) : NULL;

	return x ? &x->v : NULL;
}

size_t nctl_ledger_link_count(const struct nctl_ledger *l)
{
	return l ? l->links.n : 0;
}

int nctl_ledger_addr_add(struct nctl_ledger *l, const struct nctl_addr *a)
{
	struct ledger_addr *x;

	if (nctl_ledger_addr_has(l, a))
		return 0;
	x = calloc(1, sizeof(*x));
	if (!x)
		return -ENOMEM;
	x->v = *a;
	nctl_rb_insert(&l->addrs, &x->node, cmp_addr);
	return 0;
}

void nctl_ledger_addr_del(struct nctl_ledger *l, const struct nctl_addr *a)
{
	struct ledger_addr *x = to_addr(nctl_rb_find(&l->addrs, a, cmp_addr_key));

	if (!x)
		return;
	nctl_rb_remove(&l->addrs, &x->node);
	free(x);
}

bool nctl_ledger_addr_has(const struct nctl_ledger *l, const struct nctl_addr *a)
{
	return l && nctl_rb_find(&l->addrs, a, cmp_addr_key);
}

const struct nctl_addr *nctl_ledger_addr_next(const struct nctl_ledger *l, const struct nctl_addr *after)
{
	const struct ledger_addr *x;

	if (!l)
		return NULL;
	x = to_addr(after ? nctl_rb_upper_bound(&l->addrs, after, cmp_addr_key) : nctl_rb_first(&l->addrs));

	return x ? &x->v : NULL;
}

/* Kinds are compared as the kernel names them; physical links have none, and the ledger says "". */
static bool is_borne_out(const struct nctl_ledger_link *e, const struct nctl_mirror *m)
{
	const struct nctl_mirror_link *l = nctl_mirror_link_get(m, e->ifindex);
	const char *kind = l ? nctl_link_kind_name(&l->v) : NULL;

	return l && !strcmp(kind ? kind : "", e->kind);
}

size_t nctl_ledger_prune(struct nctl_ledger *l, const struct nctl_mirror *m)
{
	struct nctl_rb_node *n, *next;
	size_t gone = 0;

	for (n = nctl_rb_first(&l->links); n; n = next) {
		next = nctl_rb_next(n);
		if (is_borne_out(&to_link(n)->v, m))
			continue;
		nctl_rb_remove(&l->links, n);
		free(to_link(n));
		gone++;
	}
	for (n = nctl_rb_first(&l->addrs); n; n = next) {
		next = nctl_rb_next(n);
		if (nctl_mirror_addr_get(m, &to_addr(n)->v))
			continue;
		nctl_rb_remove(&l->addrs, n);
		free(to_addr(n));
		gone++;
	}
	return gone;
}
