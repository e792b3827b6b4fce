/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: full lists beside events. A dump takes its time, and events tell of changes meanwhile; whichever of
 * the two is read first, the event is right: an object that an event spoke of since dump_begin ignores the
 * dump's entry, and one that an event removed has a tomb, so that its entry does not bring it back. Tombs are
 * keys of 64 bits: two objects with one key would only make a dump's entry be ignored, and the next dump
 * brings it.
 */
#include "mirror/private.h"

#include <stdlib.h>

struct tomb {
	struct nctl_hash_node by_key;
};

void nctl_mirror_list_init(struct nctl_mirror_list *l)
{
	*l = (struct nctl_mirror_list){.serial = 1};
	nctl_genset_init(&l->gen);
	nctl_hash_init(&l->tombs);
}

static void clear_tombs(struct nctl_mirror_list *l)
{
	struct nctl_hash_iter it;
	struct nctl_hash_node *n;

	nctl_hash_iter_init(&it, &l->tombs);
	while ((n = nctl_hash_iter_next(&it)))
		free(nctl_container_of(n, struct tomb, by_key));
	nctl_hash_fini(&l->tombs);
	nctl_hash_init(&l->tombs);
}

void nctl_mirror_list_fini(struct nctl_mirror_list *l)
{
	clear_tombs(l);
	nctl_hash_fini(&l->tombs);
}

bool nctl_mirror_list_is_buried(const struct nctl_mirror_list *l, uint64_t key)
{
	return nctl_hash_find(&l->tombs, key);
}

void nctl_mirror_list_bury(struct nctl_mirror_list *l, uint64_t key)
{
	struct tomb *t;

	if (!l->dumping || nctl_mirror_list_is_buried(l, key))
		return;
	t = calloc(1, sizeof(*t));
	/* Without memory for it, a stale entry may come back; the owner's next dump sweeps it. */
	if (t && nctl_hash_insert(&l->tombs, &t->by_key, key) < 0)
		free(t);
}

void nctl_mirror_list_revive(struct nctl_mirror_list *l, uint64_t key)
{
	struct nctl_hash_node *n = nctl_hash_find(&l->tombs, key);

	if (!n)
		return;
	nctl_hash_remove(&l->tombs, n);
	free(nctl_container_of(n, struct tomb, by_key));
}

bool nctl_mirror_is_overtaken(struct nctl_mirror *m, enum nctl_object_type type, const uint64_t *touched,
	uint64_t key, enum nctl_source src)
{
	struct nctl_mirror_list *l = &m->lists[type];
	bool overtaken = false;

	if (src == NCTL_SOURCE_EVENT)
		nctl_mirror_list_revive(l, key);
	else if (touched)
		overtaken = *touched == l->serial;
	else
		overtaken = nctl_mirror_list_is_buried(l, key);
	m->stats.dump_ignored += overtaken;
	return overtaken;
}

void nctl_mirror_dump_begin(struct nctl_mirror *m, const struct nctl_dump_scope *scope)
{
	struct nctl_mirror_list *l = &m->lists[scope->type];

	m->scope = *scope;
	l->dumping = true;
	l->serial++;
	clear_tombs(l);
	nctl_genset_begin(&l->gen);
}

static void sweep_one(struct nctl_mirror *m, enum nctl_object_type type, struct nctl_genset_node *n)
{
	switch (type) {
	case NCTL_OBJECT_LINK:
		nctl_mirror_link_remove(m, nctl_container_of(n, struct nctl_mirror_link, gen));
		break;
	case NCTL_OBJECT_ADDR: {
		struct nctl_mirror_addr *a = nctl_container_of(n, struct nctl_mirror_addr, gen);

		nctl_mirror_addr_remove(m, nctl_mirror_link_lookup(m, a->v.ifindex), a);
		break;
	}
	case NCTL_OBJECT_NEXTHOP:
	case NCTL_OBJECT_RULE:
	case NCTL_OBJECT_ROUTE4:
	case NCTL_OBJECT_ROUTE6:
	case NCTL_OBJECT_N_TYPES:
		break;
	}
	m->stats.swept++;
}

void nctl_mirror_dump_end(struct nctl_mirror *m, bool complete)
{
	struct nctl_mirror_list *l = &m->lists[m->scope.type];
	struct nctl_genset_node *n;

	l->dumping = false;
	clear_tombs(l);
	while (complete && (n = nctl_genset_stale(&l->gen)))
		sweep_one(m, m->scope.type, n);
}

bool nctl_mirror_work(struct nctl_mirror *m, size_t budget)
{
	(void)m;
	(void)budget;
	return false;
}

bool nctl_mirror_next_suspect(struct nctl_mirror *m, struct nctl_dump_scope *ret)
{
	(void)m;
	(void)ret;
	return false;
}
