/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "mirror/resolve.h"

/* Pieces of resolve.c, for it alone. */

#define NCTL_LOOPBACK ((nctl_ifindex)1) /* LOOPBACK_IFINDEX of net/net_namespace.h */

/* A packet on its way through the rules: struct flowi. */
struct nctl_flow {
	const struct nctl_mirror *m;
	const struct nctl_resolve_query *q;
	nctl_ifindex iif, oif;
	nctl_ifindex vrf; /* flowi_l3mdev */
	bool strict;      /* IPv6: no other device than oif (RT6_LOOKUP_F_IFACE) */
};

/* The VRF that a link is or is a port of, 0 none; its table, 0 none. */
nctl_ifindex nctl_resolve_vrf(const struct nctl_mirror *m, nctl_ifindex ifindex);
nctl_table nctl_resolve_vrf_table(const struct nctl_mirror *m, nctl_ifindex vrf);

/* Looks a table up. 0, a refusal as error, or -EAGAIN: nothing there, or it says throw. Writes on all but
 * that. */
int nctl_resolve_table(const struct nctl_flow *f, nctl_table table, struct nctl_resolved *ret);

/* inet_select_addr: of oif for a neighbour via (AF_UNSPEC none), else of any link of its VRF. AF_UNSPEC:
 * none. */
struct nctl_prefix nctl_resolve_source4(
	const struct nctl_mirror *m, nctl_ifindex oif, const struct nctl_prefix *via, uint8_t scope);
/* ipv6_dev_get_saddr (RFC 6724 section 5). */
struct nctl_prefix nctl_resolve_source6(
	const struct nctl_mirror *m, nctl_ifindex oif, const struct nctl_prefix *dst);
