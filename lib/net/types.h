/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdint.h>

typedef uint32_t nctl_ifindex; /* 0: none */
typedef uint32_t nctl_table;   /* RTA_TABLE, never the 8-bit rtm_table */
typedef int32_t nctl_nsid;     /* a label of one transport, no identity */
typedef uint32_t nctl_nhid;    /* NHA_ID of a next-hop object (linux/nexthop.h); 0: none */
typedef uint32_t nctl_mtu;     /* bytes; 0: none */

#define NCTL_NSID_NONE ((nctl_nsid)-1) /* NETNSA_NSID_NOT_ASSIGNED of linux/net_namespace.h */
