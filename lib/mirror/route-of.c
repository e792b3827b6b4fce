/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: readers of the lists that refs.c keeps: the routes and next-hop objects that refer to one thing, and
 * no others, so that a plan about one link costs what hangs on that link, whatever the size of the tables.
 */
#include "mirror/fib.h"

#include <linux/rtnetlink.h>

#define REF_V6 (UINT32_C(1) << 31) /* as in route-walk.c */

static void begin(const struct nctl_mirror *m, struct nctl_route_walk *w, const struct nctl_ref_head *h)
{
	*w = (struct nctl_route_walk){.m = m};
	if (!h)
		return;
	w->list = &h->refs;
	w->at = h->refs.next;
}

void nctl_mirror_routes_of_link(const struct nctl_mirror *m, nctl_ifindex oif, struct nctl_route_walk *w)
{
	begin(m, w, nctl_ref_head(m, NCTL_REF_OIF, oif, NULL));
}

void nctl_mirror_routes_of_source(
	const struct nctl_mirror *m, const struct nctl_prefix *source, struct nctl_route_walk *w)
{
	begin(m, w, nctl_ref_head(m, NCTL_REF_PREFSRC, 0, source));
}

void nctl_mirror_routes_of_nexthop(const struct nctl_mirror *m, nctl_nhid id, struct nctl_route_walk *w)
{
	begin(m, w, nctl_ref_head(m, NCTL_REF_NHID, id, NULL));
}

void nctl_mirror_routes_of_protocol(const struct nctl_mirror *m, uint8_t protocol, struct nctl_route_walk *w)
{
	begin(m, w, nctl_ref_head(m, NCTL_REF_PROTOCOL, protocol, NULL));
}

nctl_route_ref nctl_mirror_routes_of_next(struct nctl_route_walk *w)
{
	const struct nctl_set *s;
	uint32_t route;

	while (!w->route) {
		if (!w->list || w->at == w->list)
			return 0;
		s = nctl_list_entry(w->at, struct nctl_ref, link)->owner;
		w->at = w->at->next;
		w->family = s->v.dst.family;
		w->route = s->first;
	}
	route = w->route;
	w->route = nctl_rec_at(&w->m->fibs[w->family == AF_INET6], route)->set_next;
	return route | (w->family == AF_INET6 ? REF_V6 : 0);
}

void nctl_mirror_nexthops_of_link(const struct nctl_mirror *m, nctl_ifindex oif, struct nctl_route_walk *w)
{
	begin(m, w, nctl_ref_head(m, NCTL_REF_NEXTHOP_OIF, oif, NULL));
}

void nctl_mirror_nexthops_of_member(const struct nctl_mirror *m, nctl_nhid id, struct nctl_route_walk *w)
{
	begin(m, w, nctl_ref_head(m, NCTL_REF_MEMBER, id, NULL));
}

const struct nctl_nexthop *nctl_mirror_nexthops_of_next(struct nctl_route_walk *w)
{
	const struct nctl_nexthop_entry *n;

	if (!w->list || w->at == w->list)
		return NULL;
	n = nctl_list_entry(w->at, struct nctl_ref, link)->owner;
	w->at = w->at->next;
	return &n->v;
}
