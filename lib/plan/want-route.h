/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "obj/neigh.h"
#include "obj/nexthop.h"
#include "obj/route.h"
#include "obj/rule.h"
#include "plan/want.h"

/*
 * What a configuration wants of routes, next-hop objects and rules, by namespace (nctl_want_netns.routing).
 * Values are as the kernel would show them, but for what only a plan knows: the indexes of links, and our
 * protocol.
 */

struct nctl_want_route {
	struct nctl_route
		v; /* protocol 0; oif of its hops 0; IPv6: metric never 0, reject types have no hop */
	/* One for each hop: the link that it leaves by. name NULL: the kernel finds it by the gateway. */
	struct nctl_want_ref *devs;
	const struct nctl_want_link *link; /* whose definition says it; NULL: none */
	struct nctl_pos pos;
	const char *label; /* "default", "10.0.0.0/8" */
};

struct nctl_want_nexthop {
	struct nctl_nexthop v; /* protocol 0, oif 0 */
	struct nctl_want_ref dev;
	struct nctl_pos pos;
	const char *label; /* its number */
};

struct nctl_want_rule {
	struct nctl_rule v; /* protocol 0 */
	bool has_priority;  /* or else the kernel chooses */
	struct nctl_pos pos;
	const char *label; /* "100", its priority, or "from 10.0.0.0/8" */
};

/* A permanent neighbour, or an address that is answered for (NTF_PROXY). */
struct nctl_want_neigh {
	struct nctl_neigh v; /* protocol 0, ifindex 0 */
	const struct nctl_want_link *link;
	struct nctl_pos pos;
	const char *label; /* its address */
};

struct nctl_want_routing {
	struct nctl_want_route *routes; /* of one key (family, table, prefix, metric) there is one */
	size_t n_routes;
	struct nctl_want_nexthop *nexthops; /* by id */
	size_t n_nexthops;
	struct nctl_want_rule *rules; /* no two equal ones; in the order of the files */
	size_t n_rules;
	struct nctl_want_neigh *neighs; /* of a link, address and kind there is one */
	size_t n_neighs;
};
