/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "mirror/route.h"
#include "obj/neigh.h"
#include "plan/plan.h"

/* Operations about routes, next-hop objects and rules: what they carry, and what their phases are made of. */

/* In ROUTE, whatever the namespace: what gateways are found by comes before what has one. */
enum nctl_fib_rank {
	NCTL_FIB_DEVICE_ROUTE, /* no gateway */
	NCTL_FIB_NEXTHOP,
	NCTL_FIB_GROUP,
	NCTL_FIB_ROUTE,
	NCTL_FIB_RULE,
	NCTL_FIB_NEIGH,
	/* In UNROUTE, which follows: nothing leads to what is not there any more. */
	NCTL_FIB_UNRULE,
	NCTL_FIB_UNROUTE,
	NCTL_FIB_UNGROUP,
	NCTL_FIB_UNNEXTHOP,
	NCTL_FIB_UNNEIGH,
	NCTL_FIB_RANKS
};

/* In the plan's arena, with all that the value points to. */
struct nctl_op_fib {
	union {
		struct nctl_route route;
		struct nctl_nexthop nexthop;
		struct nctl_rule rule;
		struct nctl_neigh neigh;
	} v;
	uint16_t nlm_flags;            /* NEW of routes and next hops */
	bool has_priority;             /* RULE_NEW: or else the kernel chooses */
	const struct nctl_op_fib *old; /* ROUTE_NEW, NEXTHOP_NEW: one of ours that it takes the place of */
};

/* What an operation may take along, as it was: a NEW of its type brings it back. */
struct nctl_fib_lost {
	struct nctl_fib_lost *next;
	uint8_t type; /* NCTL_OP_ROUTE_NEW, NCTL_OP_NEXTHOP_NEW, NCTL_OP_RULE_NEW */
	const struct nctl_op_fib *fib;
};

/* fib-same.c: does have show what is wanted? Its protocol does not count, nor what only a kernel can know:
 * the state of links, hops of next-hop objects, a hop's link that was left to it (oif 0). */
bool nctl_fib_route_shows(const struct nctl_route *want, const struct nctl_route *have);
bool nctl_fib_nexthop_shows(const struct nctl_nexthop *want, const struct nctl_nexthop *have);
bool nctl_fib_rule_shows(const struct nctl_rule *want, bool has_priority, const struct nctl_rule *have);
/* Both are of one place in their table: family, prefix, tos and metric. */
bool nctl_fib_same_key(const struct nctl_route *a, const struct nctl_route *b);

/* fib-op.c: for nctl_op_is_seen, of the types that carry a nctl_op_fib. m NULL: nothing is there. */
bool nctl_fib_op_is_seen(const struct nctl_op *op, const struct nctl_mirror *m);
bool nctl_op_is_fib(const struct nctl_op *op);
/*
 * An IPv6 route whose source address is still checked for duplicates is refused (net/ipv6/route.c
 * ip6_route_info_create, ipv6_chk_addr): READY, WAITING until the mirror shows the end of that, or HOPELESS,
 * since there is a duplicate.
 */
enum nctl_readiness { NCTL_OP_READY, NCTL_OP_WAITING, NCTL_OP_HOPELESS };
enum nctl_readiness nctl_op_readiness(const struct nctl_plan *p, const struct nctl_op *op);
/* What such an operation waits for becomes one of the plan's problems, and it is left out: POISONED. */
void nctl_plan_leave_out(struct nctl_plan *p, struct nctl_op *op);
