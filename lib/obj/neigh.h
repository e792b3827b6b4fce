/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "net/lladdr.h"
#include "net/prefix.h"
#include "net/types.h"
#include "obj/bytes.h"
#include "obj/field.h"

/*
 * A neighbour, a proxy entry or, with family AF_BRIDGE, an FDB entry (linux/neighbour.h). Read on request,
 * not kept. Identity: (ifindex, family, dst, proxy), FDB: (ifindex, lladdr, vlan, vni, dst). Owns nothing.
 */
struct nctl_neigh {
	uint8_t family;
	uint8_t flags;      /* NTF_* */
	uint32_t ext_flags; /* NTF_EXT_* */
	uint16_t state;     /* NUD_* */
	nctl_ifindex ifindex;
	nctl_ifindex master;       /* FDB: NDA_MASTER */
	nctl_ifindex via;          /* FDB of a VXLAN: NDA_IFINDEX */
	struct nctl_prefix dst;    /* AF_UNSPEC none */
	struct nctl_lladdr lladdr; /* len 0 none */
	uint8_t protocol;          /* NDA_PROTOCOL */
	uint16_t vlan, port;       /* port: host order */
	uint32_t vni, src_vni;
	nctl_nhid nhid;
	uint32_t used, confirmed, updated, refcnt, probes; /* volatile: seconds, counts */
	struct nctl_bytes rest;
};

/* The words of ip-neighbour(8) for states, up to one without a name. */
extern const struct nctl_name nctl_neigh_states[];

/* As `ip -j -d neigh`, and of an FDB entry as `bridge -j -d fdb`. */
void nctl_neigh_json(const struct nctl_neigh *n, const struct nctl_names *names, struct nctl_json *json);
