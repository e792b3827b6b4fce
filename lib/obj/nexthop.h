/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "obj/route.h"

/* A next-hop object or group (linux/nexthop.h, net/ipv4/nexthop.c); identity: id. Owns nothing, as a route.
 */

struct nctl_nexthop_member {
	nctl_nhid id;
	uint16_t weight; /* from 1 */
};

struct nctl_nexthop {
	nctl_nhid id;
	uint8_t family;      /* nh_family */
	uint8_t scope;       /* nh_scope */
	uint8_t protocol;    /* nh_protocol */
	uint32_t flags;      /* nh_flags: RTNH_F_* */
	struct nctl_hop hop; /* of a single one; weight 1 */
	bool blackhole, fdb;
	bool group;          /* has NHA_GROUP */
	uint16_t group_type; /* NEXTHOP_GRP_TYPE_* */
	uint32_t n_members;
	const struct nctl_nexthop_member *members;
	bool resilient; /* has NHA_RES_GROUP: */
	uint16_t buckets;
	uint32_t idle_timer, unbalanced_timer; /* USER_HZ ticks on the wire, kept so */
	uint64_t unbalanced_time;              /* volatile */
	struct nctl_bytes rest;
};

/* True if anything differs, volatile members and NCTL_HOP_STATE excepted (state: those count as well). */
bool nctl_nexthop_differs(const struct nctl_nexthop *a, const struct nctl_nexthop *b, bool state);
/* As `ip -j -d nexthop`. */
void nctl_nexthop_json(const struct nctl_nexthop *n, const struct nctl_names *names, struct nctl_json *json);
