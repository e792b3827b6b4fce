/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

#include "net/lladdr.h"
#include "net/prefix.h"
#include "obj/field.h"

/*
 * What a configuration can say of a route, a hop of it, a next-hop object, a routing rule or a neighbour, as
 * the keys say it. daemon/config makes the kernel's objects of it; the tables are the truth for the man page
 * and the schema as well. Lists (the hops of a route, the members of a group) stand beside the tables.
 */

#define NCTL_RTAX_N 18 /* RTAX_MAX + 1 of linux/rtnetlink.h */

struct nctl_route_form {
	char *to; /* an address, a prefix, or "default" */
	struct nctl_prefix via, from;
	uint8_t on_link, type, scope;
	uint32_t metric, table, nexthop;
	uint32_t metrics[NCTL_RTAX_N]; /* by RTAX_*; [RTAX_LOCK] has a bit for each that is locked */
	char *congestion_control;
};
enum nctl_route_key {
	NCTL_ROUTE_KEY_TO,
	NCTL_ROUTE_KEY_VIA,
	NCTL_ROUTE_KEY_FROM,
	NCTL_ROUTE_KEY_ON_LINK,
	NCTL_ROUTE_KEY_METRIC,
	NCTL_ROUTE_KEY_TYPE,
	NCTL_ROUTE_KEY_SCOPE,
	NCTL_ROUTE_KEY_TABLE,
	NCTL_ROUTE_KEY_NEXTHOP,
	NCTL_ROUTE_KEY_CONGESTION_CONTROL,
	NCTL_ROUTE_KEY_METRICS, /* the first of those whose attr is a RTAX_* */
};
extern const struct nctl_field_table nctl_route_keys;

/*
 * The payload of RTA_METRICS, from values by RTAX_* as the kernel keeps them, 0 none; congestion_control may be NULL,
 * and is cut behind NCTL_CONGESTION_MAX bytes. Returns its length.
 */
#define NCTL_CONGESTION_MAX	15 /* TCP_CA_NAME_MAX of net/tcp.h */
#define NCTL_ROUTE_METRICS_ROOM (NCTL_RTAX_N * 8 + 32)
uint32_t nctl_route_metrics_put(
	const uint32_t v[NCTL_RTAX_N], const char *congestion_control, uint8_t buf[NCTL_ROUTE_METRICS_ROOM]);
/* The types that the kernel has no more (linux/rtnetlink.h keeps their numbers). */
#define NCTL_ROUTE_TYPE_NAT      10
#define NCTL_ROUTE_TYPE_XRESOLVE 11

/* One of `nexthops:` of a route. */
struct nctl_hop_form {
	struct nctl_prefix via;
	char device[IF_NAMESIZE];
	uint32_t weight;
	uint8_t on_link;
};
enum nctl_hop_key { NCTL_HOP_KEY_VIA, NCTL_HOP_KEY_DEVICE, NCTL_HOP_KEY_WEIGHT, NCTL_HOP_KEY_ON_LINK };
extern const struct nctl_field_table nctl_hop_keys;

struct nctl_nexthop_form {
	struct nctl_prefix via;
	char device[IF_NAMESIZE];
	uint8_t on_link, blackhole, fdb, family, type;
	uint32_t buckets, idle_timer, unbalanced_timer;
};
enum nctl_nexthop_key {
	NCTL_NEXTHOP_KEY_VIA,
	NCTL_NEXTHOP_KEY_DEVICE,
	NCTL_NEXTHOP_KEY_ON_LINK,
	NCTL_NEXTHOP_KEY_BLACKHOLE,
	NCTL_NEXTHOP_KEY_FDB,
	NCTL_NEXTHOP_KEY_FAMILY,
	NCTL_NEXTHOP_KEY_TYPE,
	NCTL_NEXTHOP_KEY_BUCKETS,
	NCTL_NEXTHOP_KEY_IDLE_TIMER,
	NCTL_NEXTHOP_KEY_UNBALANCED_TIMER,
};
extern const struct nctl_field_table nctl_nexthop_keys;

struct nctl_member_form {
	uint32_t id, weight;
};
extern const struct nctl_field_table nctl_member_keys; /* id, weight */

/* A neighbour that is set, or an address that is answered for. */
struct nctl_neigh_form {
	struct nctl_prefix to;
	struct nctl_lladdr lladdr;
	uint8_t proxy, router;
};
enum nctl_neigh_key { NCTL_NEIGH_KEY_TO, NCTL_NEIGH_KEY_LLADDR, NCTL_NEIGH_KEY_PROXY, NCTL_NEIGH_KEY_ROUTER };
extern const struct nctl_field_table nctl_neigh_keys;

struct nctl_rule_form {
	char *from, *to; /* prefixes */
	uint8_t family, invert, tos, action, l3mdev, ip_proto;
	uint32_t table, priority, target, suppress_ifgroup, suppress_prefixlen;
	char *mark; /* N, or N/MASK */
	char iif[IF_NAMESIZE], oif[IF_NAMESIZE];
	char *sport, *dport, *uids; /* N, or N-N */
	uint64_t tun_id;
};
enum nctl_rule_key {
	NCTL_RULE_KEY_FROM,
	NCTL_RULE_KEY_TO,
	NCTL_RULE_KEY_TABLE,
	NCTL_RULE_KEY_PRIORITY,
	NCTL_RULE_KEY_MARK,
	NCTL_RULE_KEY_TOS,
	NCTL_RULE_KEY_IIF,
	NCTL_RULE_KEY_OIF,
	NCTL_RULE_KEY_IP_PROTO,
	NCTL_RULE_KEY_SPORT,
	NCTL_RULE_KEY_DPORT,
	NCTL_RULE_KEY_UIDS,
	NCTL_RULE_KEY_SUPPRESS_PREFIXLEN,
	NCTL_RULE_KEY_SUPPRESS_IFGROUP,
	NCTL_RULE_KEY_L3MDEV,
	NCTL_RULE_KEY_GOTO,
	NCTL_RULE_KEY_ACTION,
	NCTL_RULE_KEY_INVERT,
	NCTL_RULE_KEY_FAMILY,
	NCTL_RULE_KEY_TUN_ID,
};
extern const struct nctl_field_table nctl_rule_keys;
