/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <net/if.h>

#include "net/prefix.h"
#include "net/types.h"
#include "obj/field.h"

/*
 * An address on a link (rtnetlink(7), linux/if_addr.h). Identity within a namespace: IPv4 (ifindex, local,
 * length, peer), IPv6 (ifindex, local); see net/ipv4/devinet.c __inet_insert_ifa and net/ipv6/addrconf.c
 * ipv6_add_addr for what the kernel takes as equal.
 */
struct nctl_addr {
	nctl_ifindex ifindex;
	struct nctl_prefix local;     /* IFA_LOCAL (IPv6 without a peer: IFA_ADDRESS) and the prefix length */
	struct nctl_prefix peer;      /* IFA_ADDRESS where it differs from local; family AF_UNSPEC: none */
	struct nctl_prefix broadcast; /* AF_UNSPEC: none */
	uint32_t flags;               /* IFA_F_*, all 32 bits */
	uint8_t scope;                /* RT_SCOPE_* */
	uint8_t proto;                /* IFA_PROTO, 0 unset */
	uint32_t metric;              /* IFA_RT_PRIORITY, 0 unset */
	uint32_t valid, preferred;    /* seconds left when told; UINT32_MAX: for ever */
	char label[IF_NAMESIZE];      /* IPv4; "" none */
};

/* Bits of what differs, and of what a wanted address sets. */
enum nctl_addr_field {
	NCTL_ADDR_LOCAL,
	NCTL_ADDR_PEER,
	NCTL_ADDR_BROADCAST,
	NCTL_ADDR_FLAGS,
	NCTL_ADDR_SCOPE,
	NCTL_ADDR_PROTO,
	NCTL_ADDR_METRIC,
	NCTL_ADDR_LIFETIMES,
	NCTL_ADDR_LABEL,
	NCTL_ADDR_LENGTH, /* IPv6: identity without the prefix length */
	NCTL_ADDR_N_FIELDS
};
#define NCTL_ADDR_BIT(name_) (UINT64_C(1) << NCTL_ADDR_##name_)

/*
 * The flags that RTM_NEWADDR takes (IFA_F_* of linux/if_addr.h): nodad, optimistic, home, mngtmpaddr,
 * noprefixroute, autojoin; of these IPv4 knows the last two. The others are state.
 */
#define NCTL_ADDR_SETTABLE    0x716U
#define NCTL_ADDR_SETTABLE_V4 0x600U

#define NCTL_ADDR_FOREVER UINT32_MAX
#define NCTL_ADDR_INIT    ((struct nctl_addr){.valid = NCTL_ADDR_FOREVER, .preferred = NCTL_ADDR_FOREVER})

/*
 * Total order by identity: ifindex, family, local, then for IPv4 the length and the subnet of the peer (of
 * local, without one): two peers of one subnet are the same address to the kernel.
 */
int nctl_addr_cmp(const struct nctl_addr *a, const struct nctl_addr *b);
/*
 * The mask of NCTL_ADDR_BITs that differ between two addresses of one identity. LIFETIMES counts every
 * second; FLAGS counts state (tentative) as well as NCTL_ADDR_SETTABLE.
 */
uint64_t nctl_addr_diff(const struct nctl_addr *a, const struct nctl_addr *b);
/* One entry of addr_info as `ip -j addr` prints it. */
void nctl_addr_json(const struct nctl_addr *a, struct nctl_json *json);
