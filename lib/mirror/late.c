/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the state that a link gives to what is on it, and whether a message was made before that.
 */
#include "mirror/parts.h"

#include <linux/if.h>
#include <linux/rtnetlink.h>

#include "obj/parts.h"

bool nctl_link_has_carrier(const struct nctl_link *l)
{
	return l->flags & (IFF_RUNNING | IFF_LOWER_UP);
}

/* fib_sync_down_dev, NETDEV_CHANGE; fib6_ifdown, NETDEV_CHANGE: not local and anycast routes. */
bool nctl_route_is_held_open(const struct nctl_route *r)
{
	return r->dst.family == AF_INET ? r->scope == RT_SCOPE_HOST
	                                : r->type == RTN_LOCAL || r->type == RTN_ANYCAST;
}

/* rt6_mtu_change_route: the MTU among its metrics may have followed the link's since. */
static bool may_follow_mtu(const struct nctl_route *r, const struct nctl_mirror_link *l)
{
	uint64_t mtu;

	return r->dst.family == AF_INET6 && nctl_bytes_uint(r->metrics, RTAX_MTU, &mtu) && mtu != l->v.mtu;
}

bool nctl_silent_is_late(const struct nctl_mirror *m, const struct nctl_route *r)
{
	if (nctl_route_is_held_open(r))
		return false;
	for (uint32_t i = 0; i < r->n_hops; i++) {
		const struct nctl_hop *h = &r->hops[i];
		const struct nctl_mirror_link *l = nctl_mirror_link_get(m, h->oif);

		if (!l)
			continue;
		if (!nctl_link_is_up(&l->v) ? !(h->flags & RTNH_F_DEAD)
					    : nctl_link_has_carrier(&l->v) == !!(h->flags & RTNH_F_LINKDOWN))
			return true;
		if (may_follow_mtu(r, l))
			return true;
	}
	return false;
}

bool nctl_silent_nexthop_is_late(const struct nctl_mirror *m, const struct nctl_nexthop *n)
{
	const struct nctl_mirror_link *l = nctl_mirror_link_get(m, n->hop.oif);

	return l && (!nctl_link_is_up(&l->v) || !nctl_link_has_carrier(&l->v));
}
