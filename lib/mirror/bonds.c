/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: bonds, and what behaves like them, by their MAC. A bond without ports has, now and then, the MAC of
 * the one that is about to be its first: see silent.c.
 */
#include "mirror/private.h"

#include <string.h>

static bool is_bond(const struct nctl_link *v)
{
	return v->kind && v->kind->traits & NCTL_KIND_PORT_DOWN && v->address.len;
}

static uint64_t hash_of(const struct nctl_lladdr *a)
{
	return nctl_hash_bytes(a->b, a->len);
}

int nctl_bonds_add(struct nctl_mirror *m, struct nctl_mirror_link *l, const struct nctl_link *v)
{
	int r = is_bond(v) ? nctl_hash_insert(&m->bonds, &l->by_address, hash_of(&v->address)) : 0;

	l->is_by_address = is_bond(v) && r == 0;
	return r;
}

void nctl_bonds_del(struct nctl_mirror *m, struct nctl_mirror_link *l)
{
	if (l->is_by_address)
		nctl_hash_remove(&m->bonds, &l->by_address);
	l->is_by_address = false;
}

bool nctl_bonds_has_empty(const struct nctl_mirror *m, const struct nctl_link *like)
{
	struct nctl_hash_node *n;

	if (!nctl_hash_count(&m->bonds))
		return false;
	nctl_hash_for_each_equal(n, &m->bonds, hash_of(&like->address)) {
		const struct nctl_mirror_link *l = nctl_container_of(n, struct nctl_mirror_link, by_address);

		if (l->v.ifindex != like->ifindex && nctl_list_empty(&l->ports) &&
			l->v.address.len == like->address.len &&
			!memcmp(l->v.address.b, like->address.b, like->address.len))
			return true;
	}
	return false;
}
