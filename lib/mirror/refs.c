/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: who refers to what. Sets of attributes, next-hop objects and groups stand in a list of each link,
 * next-hop object and local address that they name, whether that is here or not, so that losing one costs
 * those that name it and nothing else. A list lives as long as somebody is in it.
 */
#include "mirror/parts.h"

#include <errno.h>
#include <stdlib.h>

uint64_t nctl_ref_key(enum nctl_ref_kind kind, uint32_t number, const struct nctl_prefix *prefix)
{
	uint64_t h = nctl_hash_u64((uint64_t)kind << 32 | number);

	return prefix ? h ^ nctl_prefix_hash(prefix) : h;
}

struct nctl_ref_head *nctl_ref_head(
	const struct nctl_mirror *m, enum nctl_ref_kind kind, uint32_t number, const struct nctl_prefix *prefix)
{
	struct nctl_hash_node *n;

	nctl_hash_for_each_equal(n, &m->refs, nctl_ref_key(kind, number, prefix)) {
		struct nctl_ref_head *h = nctl_container_of(n, struct nctl_ref_head, by_key);

		if (h->kind == kind && h->number == number &&
			(!prefix || nctl_prefix_equal(&h->prefix, prefix)))
			return h;
	}
	return NULL;
}

int nctl_ref_attach(struct nctl_mirror *m, struct nctl_ref *r, void *owner, enum nctl_ref_kind kind,
	uint32_t number, const struct nctl_prefix *prefix)
{
	struct nctl_ref_head *h = nctl_ref_head(m, kind, number, prefix);

	if (!h) {
		h = calloc(1, sizeof(*h));
		if (!h)
			return -ENOMEM;
		h->kind = kind;
		h->number = number;
		if (prefix)
			h->prefix = *prefix;
		nctl_list_init(&h->refs);
		if (nctl_hash_insert(&m->refs, &h->by_key, nctl_ref_key(kind, number, prefix)) < 0) {
			free(h);
			return -ENOMEM;
		}
	}
	r->owner = owner;
	r->head = h;
	nctl_list_add_tail(&h->refs, &r->link);
	return 0;
}

void nctl_ref_detach(struct nctl_mirror *m, struct nctl_ref *r)
{
	struct nctl_ref_head *h = r->head;

	if (!h)
		return;
	r->head = NULL;
	nctl_list_del(&r->link);
	if (!nctl_list_empty(&h->refs))
		return;
	nctl_hash_remove(&m->refs, &h->by_key);
	free(h);
}
