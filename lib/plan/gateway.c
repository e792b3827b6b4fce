/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: whether the kernel will find the gateway of a wanted route (net/ipv4/fib_semantics.c
 * fib_check_nh_v4_gw, net/ipv6/route.c ip6_validate_gw): by an address of the link, wanted or there, or by a
 * route without a gateway of its own. One that it would not find is not sent: addresses may come later, from
 * somebody else.
 */
#include "plan/fib.h"

#include <linux/rtnetlink.h>

static bool is_in(const struct nctl_addr *a, const struct nctl_prefix *via)
{
	return nctl_prefix_contains(a->peer.family ? &a->peer : &a->local, via);
}

static bool wanted_reaches(const struct nctl_want_link *l, const struct nctl_prefix *via)
{
	for (size_t i = 0; i < l->n_addrs; i++)
		if (is_in(&l->addrs[i].v, via))
			return true;
	return false;
}

static bool link_reaches(const struct nctl_mirror *m, nctl_ifindex ifindex, const struct nctl_prefix *via)
{
	const struct nctl_mirror_link *l = nctl_mirror_link_get(m, ifindex);
	const struct nctl_mirror_addr *a = l ? nctl_mirror_addr_first(l) : NULL;

	while (a && !is_in(&a->v, via))
		a = nctl_mirror_addr_next(a);
	return a;
}

static bool table_reaches(
	const struct nctl_mirror *m, nctl_table table, nctl_ifindex oif, const struct nctl_prefix *via)
{
	nctl_route_ref ref = nctl_mirror_route_match(m, table, via);
	struct nctl_route v;

	if (!ref)
		return false;
	nctl_mirror_route_view(m, ref, &v);
	return v.type == RTN_UNICAST && v.n_hops && v.hops[0].via.family == AF_UNSPEC &&
	       (!oif || v.hops[0].oif == oif);
}

/* By a route without a gateway over the same link. */
static bool wanted_route_reaches(
	const struct fib *f, const struct nctl_want_ref *dev, const struct nctl_prefix *via)
{
	for (size_t i = 0; i < f->w->n_routes; i++) {
		const struct nctl_want_route *r = &f->w->routes[i];

		if (r->v.n_hops && r->v.hops[0].via.family == AF_UNSPEC && r->devs[0].name &&
			(!dev->link || r->devs[0].link == dev->link) && nctl_prefix_contains(&r->v.dst, via))
			return true;
	}
	return false;
}

/* Of a VRF's route, one of its ports. */
static bool ports_reach(const struct fib *f, const struct nctl_want_link *vrf, const struct nctl_prefix *via)
{
	const struct builder *b = f->b;

	for (uint32_t i = b->first_port[vrf->number]; i < b->first_port[vrf->number + 1]; i++)
		if (wanted_reaches(b->want->links[b->ports[i]], via))
			return true;
	return false;
}

bool nctl_fib_is_reachable(
	const struct fib *f, const struct nctl_want_route *r, const struct nctl_route *v, uint32_t hop)
{
	const struct nctl_want_ref *dev = &r->devs[hop];
	const struct nctl_hop *h = &v->hops[hop];
	const struct nctl_mirror *m = f->b->have;

	if (h->via.family == AF_UNSPEC || (h->flags & RTNH_F_ONLINK) ||
		(h->via.family == AF_INET6 && nctl_prefix_is_link_local(&h->via)))
		return true;
	if (dev->link && wanted_reaches(dev->link, &h->via))
		return true;
	if (!dev->name && r->link && ports_reach(f, r->link, &h->via))
		return true;
	if (h->oif && link_reaches(m, h->oif, &h->via))
		return true;
	return table_reaches(m, v->table, h->oif, &h->via) ||
	       table_reaches(m, RT_TABLE_MAIN, h->oif, &h->via) || wanted_route_reaches(f, dev, &h->via);
}
