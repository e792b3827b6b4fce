/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: full lists beside events. A dump takes its time, and events tell of changes meanwhile; whichever of
 * the two is read first, the event is right: an object that an event spoke of since dump_begin ignores the
 * dump's entry, and one that an event removed has a tomb, so that its entry does not bring it back. Tombs are
 * keys of 64 bits: two objects with one key would only make a dump's entry be ignored, and the next dump
 * brings it.
 */
#include "mirror/fib.h"

#include <stdlib.h>
#include <linux/rtnetlink.h>

#define FIRST_PIECE 2000 /* objects that go at once */

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

bool nctl_list_is_recent(const struct nctl_mirror *m, enum nctl_object_type type)
{
	const struct nctl_mirror_list *l = &m->lists[type];

	return l->dumping ||
	       (l->dumped.usec && nctl_time_diff_us(nctl_time_now(), l->dumped) <= NCTL_LAG_US);
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

void nctl_route_bury(struct nctl_mirror *m, const struct nctl_route *r)
{
	struct nctl_mirror_list *l = &m->lists[r->dst.family == AF_INET ? NCTL_OBJECT_ROUTE4 : NCTL_OBJECT_ROUTE6];

	if (l->dumping)
		nctl_mirror_list_bury(l, nctl_route_tomb(r));
}

void nctl_ref_bury(struct nctl_mirror *m, enum nctl_object_type type, enum nctl_ref_kind kind, uint32_t number,
	const struct nctl_prefix *prefix)
{
	nctl_mirror_list_bury(&m->lists[type], nctl_ref_key(kind, number, prefix));
}

bool nctl_route_is_buried(const struct nctl_mirror *m, const struct nctl_route *r)
{
	const struct nctl_mirror_list *l = &m->lists[r->dst.family == AF_INET ? NCTL_OBJECT_ROUTE4 : NCTL_OBJECT_ROUTE6];
	bool buried = nctl_mirror_list_is_buried(l, nctl_route_tomb(r));

	if (r->nhid)
		buried = buried || nctl_mirror_list_is_buried(l, nctl_ref_key(NCTL_REF_NHID, r->nhid, NULL));
	for (uint32_t i = 0; !buried && i < r->n_hops; i++) {
		nctl_ifindex oif = r->hops[i].oif;

		buried = nctl_mirror_list_is_buried(l, nctl_ref_key(NCTL_REF_OIF, oif, NULL)) ||
			 (r->scope != RT_SCOPE_HOST &&
				 nctl_mirror_list_is_buried(l, nctl_ref_key(NCTL_REF_DOWN, oif, NULL)));
	}
	return buried;
}

bool nctl_route_is_outdated(const struct nctl_mirror *m, const struct nctl_route *r)
{
	const struct nctl_mirror_list *l = &m->lists[r->dst.family == AF_INET ? NCTL_OBJECT_ROUTE4 : NCTL_OBJECT_ROUTE6];

	return (r->nhid && nctl_mirror_list_is_buried(l, nctl_ref_key(NCTL_REF_MEMBERS, r->nhid, NULL))) ||
	       (r->prefsrc.family != AF_UNSPEC &&
		       nctl_mirror_list_is_buried(l, nctl_ref_key(NCTL_REF_SOURCE_GONE, 0, &r->prefsrc)));
}

static void sweep_one(struct nctl_mirror *m, enum nctl_object_type type, struct nctl_genset_node *n)
{
	switch (type) {
	case NCTL_OBJECT_LINK:
		nctl_mirror_link_remove(m, nctl_container_of(n, struct nctl_mirror_link, gen));
		break;
	case NCTL_OBJECT_ADDR: {
		struct nctl_mirror_addr *a = nctl_container_of(n, struct nctl_mirror_addr, gen);

		nctl_mirror_addr_lose(m, nctl_mirror_link_lookup(m, a->v.ifindex), a);
		break;
	}
	case NCTL_OBJECT_NEXTHOP:
		nctl_nexthop_remove(m, nctl_container_of(n, struct nctl_nexthop_entry, gen));
		break;
	case NCTL_OBJECT_RULE:
		nctl_rule_remove(m, nctl_container_of(n, struct nctl_rule_entry, gen));
		break;
	case NCTL_OBJECT_ROUTE4:
	case NCTL_OBJECT_ROUTE6:
	case NCTL_OBJECT_N_TYPES:
		break;
	}
	m->stats.swept++;
}

/* True: there is more. */
static bool sweep_list(struct nctl_mirror *m, enum nctl_object_type type, size_t *budget)
{
	struct nctl_mirror_list *l = &m->lists[type];
	struct nctl_genset_node *n = NULL;

	while (l->sweeping && *budget && (n = nctl_genset_stale(&l->gen))) {
		sweep_one(m, type, n);
		--*budget;
	}
	if (l->sweeping && !nctl_genset_stale(&l->gen))
		l->sweeping = false;
	return l->sweeping;
}

static bool is_route(enum nctl_object_type type)
{
	return type == NCTL_OBJECT_ROUTE4 || type == NCTL_OBJECT_ROUTE6;
}

void nctl_mirror_dump_begin(struct nctl_mirror *m, const struct nctl_dump_scope *scope)
{
	struct nctl_mirror_list *l = &m->lists[scope->type];
	size_t all = SIZE_MAX;

	m->scope = *scope;
	if (scope->vlans)
		return;
	l->serial++;
	clear_tombs(l);
	if (is_route(scope->type)) {
		nctl_sweep_begin(&m->fibs[scope->type == NCTL_OBJECT_ROUTE6]);
	} else {
		/* What is to go must not be taken for what this one did not name. */
		sweep_list(m, scope->type, &all);
		nctl_genset_begin(&l->gen);
		m->rule_placed = NULL;
		m->rules_by_altname &= scope->type != NCTL_OBJECT_RULE;
	}
	l->dumping = true;
}

void nctl_mirror_dump_end(struct nctl_mirror *m, bool complete)
{
	struct nctl_mirror_list *l = &m->lists[m->scope.type];

	if (m->scope.vlans)
		return;
	l->dumping = false;
	l->dumped = nctl_time_now();
	clear_tombs(l);
	if (is_route(m->scope.type))
		nctl_sweep_end(&m->fibs[m->scope.type == NCTL_OBJECT_ROUTE6]);
	if (complete && is_route(m->scope.type))
		nctl_sweep_start(&m->fibs[m->scope.type == NCTL_OBJECT_ROUTE6], &m->scope);
	else if (complete)
		l->sweeping = true;
	nctl_mirror_work(m, FIRST_PIECE);
}

bool nctl_mirror_work(struct nctl_mirror *m, size_t budget)
{
	bool more = nctl_set_work(m, &budget);

	for (int type = 0; type < NCTL_OBJECT_N_TYPES; type++) {
		if (is_route(type))
			more |= nctl_sweep_work(&m->fibs[type == NCTL_OBJECT_ROUTE6], &budget);
		else
			more |= sweep_list(m, type, &budget);
	}
	/* A sweep may have made work of the first kind. */
	return more || nctl_set_has_work(m);
}
