/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the mirror of one namespace as a whole: its birth and end, its subscribers and counters. link.c and
 * addr.c hold the objects and their indexes, route*.c routes, nexthop.c and rule.c the
 * rest, relation.c who belongs to whom, dump.c how full lists and events
 * go together. Owned by a session (lib/exec), read by everybody on the loop's thread.
 */
#include "mirror/fib.h"

#include <errno.h>
#include <stdlib.h>

int nctl_mirror_new(struct nctl_mirror **ret)
{
	struct nctl_mirror *m = calloc(1, sizeof(*m));

	if (!m || nctl_maddrs_new(&m->maddrs) < 0) {
		free(m);
		return -ENOMEM;
	}
	m->by_index = NCTL_RB_INIT;
	m->by_prefix = NCTL_RB_INIT;
	nctl_hash_init(&m->by_name);
	nctl_hash_init(&m->by_altname);
	nctl_hash_init(&m->ghosts);
	nctl_hash_init(&m->bonds);
	for (int i = 0; i < NCTL_OBJECT_N_TYPES; i++)
		nctl_mirror_list_init(&m->lists[i]);
	nctl_subs_init(&m->subs);
	nctl_subs_init(&m->own_subs);
	nctl_fib_init(m, AF_INET);
	nctl_fib_init(m, AF_INET6);
	nctl_set_init(m);
	nctl_crowd_init(m);
	m->nexthops = NCTL_RB_INIT;
	nctl_hash_init(&m->expiries);
	nctl_hash_init(&m->rules_by_content);
	nctl_hash_init(&m->rules_by_link[0]);
	nctl_hash_init(&m->rules_by_link[1]);
	*ret = m;
	return 0;
}

struct nctl_mirror *nctl_mirror_free(struct nctl_mirror *m)
{
	struct nctl_rb_node *n;

	if (!m)
		return NULL;
	nctl_subs_fini(&m->subs);
	nctl_subs_fini(&m->own_subs);
	nctl_rule_fini(m);
	nctl_nexthop_fini(m);
	nctl_fib_fini(&m->fibs[0]);
	nctl_fib_fini(&m->fibs[1]);
	nctl_crowd_fini(m);
	nctl_set_fini(m);
	nctl_expiry_fini(m);
	free(m->hops);
	while ((n = nctl_rb_first(&m->by_index)))
		nctl_mirror_link_remove(m, nctl_container_of(n, struct nctl_mirror_link, by_index));
	nctl_hash_fini(&m->by_name);
	nctl_hash_fini(&m->by_altname);
	nctl_relation_fini(m);
	nctl_hash_fini(&m->bonds);
	for (int i = 0; i < NCTL_OBJECT_N_TYPES; i++)
		nctl_mirror_list_fini(&m->lists[i]);
	nctl_maddrs_free(m->maddrs);
	free(m);
	return NULL;
}

void nctl_mirror_freep(struct nctl_mirror **m)
{
	*m = nctl_mirror_free(*m);
}

struct nctl_subs *nctl_mirror_subs(struct nctl_mirror *m)
{
	return &m->subs;
}

struct nctl_subs *nctl_mirror_subs_of(struct nctl_mirror *m, uint8_t protocol)
{
	m->own_protocol = protocol;
	return &m->own_subs;
}

void nctl_mirror_tell(struct nctl_mirror *m, const struct nctl_change *c)
{
	nctl_subs_notify(&m->subs, c);
	nctl_subs_notify(&m->own_subs, c);
}

struct nctl_maddrs *nctl_mirror_maddrs(const struct nctl_mirror *m)
{
	return m->maddrs;
}

void nctl_mirror_maddrs_repair(struct nctl_mirror *m)
{
	const struct nctl_mirror_link *l;
	const struct nctl_mirror_addr *a;

	if (!nctl_maddrs_is_incomplete(m->maddrs))
		return;
	nctl_maddrs_reset(m->maddrs);
	for (l = nctl_mirror_link_from(m, 1); l; l = nctl_mirror_link_next(l)) {
		nctl_maddrs_link(m->maddrs, &l->v);
		for (a = nctl_mirror_addr_first(l); a; a = nctl_mirror_addr_next(a))
			nctl_maddrs_addr(m->maddrs, &a->v, true);
	}
}

const struct nctl_mirror_stats *nctl_mirror_get_stats(const struct nctl_mirror *m)
{
	return &m->stats;
}

static const char *link_name(const void *userdata, uint32_t ifindex)
{
	const struct nctl_mirror_link *l = nctl_mirror_link_get(userdata, ifindex);

	return l ? l->v.name : NULL;
}

static bool link_is_up(const void *userdata, uint32_t ifindex)
{
	const struct nctl_mirror_link *l = nctl_mirror_link_get(userdata, ifindex);

	return l && nctl_link_is_up(&l->v);
}

static const struct nctl_nexthop *nexthop(const void *userdata, uint32_t id)
{
	return nctl_mirror_nexthop_get(userdata, id);
}

struct nctl_names nctl_mirror_names(const struct nctl_mirror *m)
{
	return (struct nctl_names){
		.link_name = link_name, .link_is_up = link_is_up, .userdata = m, .nexthop = nexthop};
}
