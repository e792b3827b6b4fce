/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <limits.h>
#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mirror/route.h"
#include "net/prefix.h"
#include "obj/link.h"

/* What a query keeps of each object: what its filters want, and its cursor. Plain values. */

/* Links by name, index, kind and master, as most objects take them. */
struct nd_query_devs {
	char dev_name[128], master_name[128]; /* "" any */
	nctl_ifindex index;                   /* 0 any */
	bool vrf;                             /* master must be one */
	nctl_ifindex dev, master;             /* what that means in the namespace of the cursor */
};

struct nd_query_link {
	nctl_ifindex next; /* cursor */
	const struct nctl_kind *kind;
	char kind_name[32]; /* of a kind that we do not know; "" none */
	bool up;
	bool stats;       /* with counters: */
	bool asked, last; /* an answer is awaited; behind it there is nothing more */
	void *request;    /* in the making */
};

struct nd_query_neigh {
	struct nctl_prefix to; /* AF_UNSPEC any */
	unsigned states;       /* NUD_*, 0: what is usually shown */
	uint8_t flags;         /* NTF_*, all of them */
	bool proxy, unused, dynamic;
	uint32_t vlan; /* 0 any */
	bool asked;
};

struct nd_query_address {
	bool scoped, filtered; /* filtered: by something that is the addresses' own */
	uint8_t scope;
	struct nctl_prefix to;      /* AF_UNSPEC any */
	uint32_t flags_mask, flags; /* IFA_F_* */
	char label[64];             /* fnmatch(3); "" any */
};

enum nd_query_tables { ND_TABLES_MAIN, ND_TABLES_ONE, ND_TABLES_VRF, ND_TABLES_ALL };

/* family of p AF_UNSPEC: the default route, of a family that is decided at the beginning. */
struct nd_query_prefix {
	bool set;
	struct nctl_prefix p;
};

enum {
	ND_ROUTE_PROTO = 1 << 0,
	ND_ROUTE_TYPE = 1 << 1,
	ND_ROUTE_SCOPE = 1 << 2,
	ND_ROUTE_TOS = 1 << 3,
	ND_ROUTE_METRIC = 1 << 4,
};

struct nd_query_route {
	enum nd_query_tables tables;
	nctl_table table;                   /* MAIN, ONE, VRF; ALL with match: where the cursor is */
	struct nd_query_prefix root, match; /* inside of root, around match */
	struct nctl_prefix via, src, from;  /* AF_UNSPEC any */
	unsigned has;                       /* ND_ROUTE_*: */
	uint8_t protocol, type, scope, tos;
	uint32_t metric;
	nctl_nhid nhid; /* 0 any */
	/* the cursor; with match: the table, the length of the prefix, and how many of that */
	struct nctl_route_cursor cursor;
	unsigned len;
	uint32_t nth;
};

enum {
	ND_RULE_PRIORITY = 1 << 0,
	ND_RULE_TABLE = 1 << 1,
	ND_RULE_PROTO = 1 << 2,
	ND_RULE_MARK = 1 << 3,
	ND_RULE_MASK = 1 << 4,
};

struct nd_query_rule {
	unsigned has; /* ND_RULE_*: */
	uint32_t priority, mark, mask;
	nctl_table table;
	uint8_t protocol;
	struct nctl_prefix src, dst; /* AF_UNSPEC any */
	char iif[IF_NAMESIZE], oif[IF_NAMESIZE];
	uint32_t at, nth; /* cursor: the priority, and how many of it */
};

struct nd_query_nexthop {
	nctl_nhid id; /* 0 any */
	bool groups, fdb, has_protocol;
	uint8_t protocol;
	nctl_nhid next; /* cursor; 0: behind the last one */
};

struct nd_query_maddr {
	bool why;
	bool reading, was_read; /* back from the kernel, in the namespace of the cursor */
	int error;              /* of that */
	struct nd_netns_set *set;
};

struct nd_query_netns {
	bool nameless; /* those as well */
};
