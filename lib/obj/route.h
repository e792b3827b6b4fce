/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/prefix.h"
#include "net/types.h"
#include "obj/bytes.h"
#include "obj/field.h"

/*
 * A route of any table as the kernel describes it (rtnetlink(7), linux/rtnetlink.h), as a value that owns
 * nothing: hops, metrics, encapsulations and rest belong to the message, the scratch or the mirror that it
 * comes from, and live as long as these say.
 */

/* One next hop (RTA_OIF and RTA_GATEWAY or RTA_VIA, or an entry of RTA_MULTIPATH). */
struct nctl_hop {
	nctl_ifindex oif;        /* 0 none */
	struct nctl_prefix via;  /* full length; AF_UNSPEC none; its family may differ from the route's */
	uint16_t weight;         /* rtnh_hops + 1 */
	uint8_t flags;           /* RTNH_F_* */
	uint16_t encap_type;     /* LWTUNNEL_ENCAP_*, 0 none */
	uint32_t realms;         /* RTA_FLOW, 0 none */
	struct nctl_bytes encap; /* payload of RTA_ENCAP */
	struct nctl_bytes rest;  /* attributes that we do not know, each padded to 4 */
};

/* RTNH_F_* that follow from the state of the link (dead, linkdown), and those of drivers: never wanted. */
#define NCTL_HOP_STATE 0x79U /* DEAD OFFLOAD LINKDOWN UNRESOLVED TRAP of linux/rtnetlink.h; see route.c */

struct nctl_route {
	/* identity: IPv4 (table, dst, tos, metric) and a place among equals; IPv6 (table, dst, src, metric)
	 * and the hops, or the next-hop object */
	struct nctl_prefix dst; /* masked; len 0: default; its family is the route's */
	struct nctl_prefix src; /* IPv6 subtrees; AF_UNSPEC none */
	nctl_table table;
	uint32_t metric; /* RTA_PRIORITY, 0 unset */
	uint8_t tos;

	uint8_t protocol, scope, type; /* RTPROT_*, RT_SCOPE_*, RTN_* */
	uint8_t pref;                  /* RTA_PREF, ICMPV6_ROUTER_PREF_*; has_pref */
	bool has_pref;
	uint32_t flags; /* rtm_flags: RTM_F_*, and RTNH_F_* of a single hop */
	nctl_nhid nhid;
	struct nctl_prefix prefsrc; /* AF_UNSPEC none */
	uint32_t realms;            /* RTA_FLOW outside of hops */
	nctl_ifindex iif;           /* RTA_IIF */
	uint32_t mark;              /* RTA_MARK */
	struct nctl_bytes metrics;  /* payload of RTA_METRICS */
	struct nctl_bytes rest;     /* attributes that we do not know, each padded to 4 */
	bool multipath;             /* the hops came in RTA_MULTIPATH */
	uint32_t n_hops;            /* 0: none (blackhole and its like), or only nhid is told */
	const struct nctl_hop *hops;

	/* volatile: no difference, not kept with the attributes */
	bool has_cacheinfo;
	int32_t expires; /* seconds left, 0 never (RTA_CACHEINFO in USER_HZ ticks) */
	uint32_t error;  /* rta_error, a positive errno: unreachable and its like in IPv6 */
};

enum nctl_route_field {
	NCTL_ROUTE_PROTOCOL,
	NCTL_ROUTE_SCOPE,
	NCTL_ROUTE_TYPE,
	NCTL_ROUTE_PREF,
	NCTL_ROUTE_FLAGS, /* of the route or a hop, NCTL_HOP_STATE excepted */
	NCTL_ROUTE_STATE, /* NCTL_HOP_STATE flags */
	NCTL_ROUTE_NHID,
	NCTL_ROUTE_PREFSRC,
	NCTL_ROUTE_REALMS,
	NCTL_ROUTE_IIF,
	NCTL_ROUTE_MARK,
	NCTL_ROUTE_METRICS,
	NCTL_ROUTE_REST,
	NCTL_ROUTE_HOPS,
	NCTL_ROUTE_TOS, /* of the identity, where it is not what identifies: */
	NCTL_ROUTE_METRIC,
	NCTL_ROUTE_N_FIELDS
};
#define NCTL_ROUTE_BIT(name_) (UINT64_C(1) << NCTL_ROUTE_##name_)

/* The mask of what differs between two routes of one table and prefix; volatile members never do. */
uint64_t nctl_route_diff(const struct nctl_route *a, const struct nctl_route *b);
bool nctl_hop_equal(const struct nctl_hop *a, const struct nctl_hop *b, bool with_state);
/* Is it the same hop to the kernel (net/ipv6/ip6_fib.c rt6_duplicate_nexthop): device, gateway, encap? */
bool nctl_hop_same(const struct nctl_hop *a, const struct nctl_hop *b);

/*
 * The JSON object of `ip -j -d route` (iproute2 6.1). In two parts, so that a million routes that share their
 * attributes are printed fast: head opens the object and writes what is the route's own (dst, tos, metric,
 * expires), tail all else with the closing brace. nctl_route_json is both.
 */
void nctl_route_json_head(const struct nctl_route *r, struct nctl_json *json);
void nctl_route_json_tail(const struct nctl_route *r, const struct nctl_names *names, struct nctl_json *json);
void nctl_route_json(const struct nctl_route *r, const struct nctl_names *names, struct nctl_json *json);

/* RTN_*, RTPROT_*, RT_SCOPE_* and tables by name or number, as ip(8) takes and prints them. */
int nctl_route_type_parse(const char *text, uint8_t *ret);
int nctl_route_protocol_parse(const char *text, uint8_t *ret);
int nctl_route_scope_parse(const char *text, uint8_t *ret);
int nctl_route_table_parse(const char *text, nctl_table *ret); /* default, main, local, a number */
