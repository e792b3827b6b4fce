/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "plan/op-fib.h"
#include "plan/parts.h"
#include "plan/want-route.h"

/* What the files that plan routes, next hops and rules share; nobody else includes it. */

struct fib_link {
	uint32_t netns;
	nctl_ifindex ifindex;
};

/* A wanted next-hop object on its way into the plan. */
struct fib_nexthop {
	uint32_t made_by; /* operation that makes or changes it, NCTL_OP_NONE */
	bool waits;       /* cannot be had now */
	bool fades;       /* may be lost on the way, and what uses it with it */
};

struct fib {
	struct builder *b;
	const struct nctl_want_routing *w;
	struct fib_nexthop *nexthops; /* as many as w has */
	nctl_route_ref *kept;         /* routes of ours that stay, or are replaced */
	size_t n_kept, cap_kept;
	struct fib_link *touched; /* links of all namespaces that the plan may cost routes, in order */
	size_t n_touched;
};

/* How a wanted route or next hop leaves. */
struct fib_way {
	nctl_ifindex ifindex; /* 0: the kernel finds it */
	uint32_t made_by;     /* operation that makes the link, NCTL_OP_NONE */
	bool waits;           /* there is no such link now, or it is down */
	bool fades;           /* the plan may cost the link its routes */
};

/* fib.c */
/* Can the operation cost its link routes? */
bool nctl_fib_touches(const struct nctl_op *op);
void nctl_fib_way(struct fib *f, const struct nctl_want_ref *ref, const char *what, const char *label,
	const struct nctl_pos *pos, struct fib_way *ret);
/* An operation with its value, which is zeroed; NULL: no memory (b->err). */
struct nctl_op *nctl_fib_op(struct fib *f, enum nctl_op_type type, enum nctl_fib_rank rank, const char *label,
	const struct nctl_pos *pos, struct nctl_op_fib **ret);
/* One sentence for a whole range. */
void nctl_fib_wait(struct fib *f, const struct nctl_pos *pos, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
bool nctl_fib_is_touched(const struct fib *f, nctl_ifindex ifindex);
/* The place of this object in w->nexthops; -1: it is not wanted. */
ssize_t nctl_fib_find_nexthop(const struct nctl_want_routing *w, nctl_nhid id);
/* Deep copies in the plan's arena; NULL: no memory (b->err). */
struct nctl_op_fib *nctl_fib_copy_route(struct nctl_plan *p, const struct nctl_route *r);
struct nctl_op_fib *nctl_fib_copy_nexthop(struct nctl_plan *p, const struct nctl_nexthop *n);
struct nctl_op_fib *nctl_fib_copy_rule(struct nctl_plan *p, const struct nctl_rule *r);
struct nctl_op_fib *nctl_fib_copy_neigh(struct nctl_plan *p, const struct nctl_neigh *n);
/* The object of an operation of this type (ROUTE_NEW and so on). NULL: no memory. */
struct nctl_op_fib *nctl_fib_copy(struct nctl_arena *a, uint8_t type, const struct nctl_op_fib *fib);
/* "10.0.0.0/8", "default", a number; in the plan's arena. */
const char *nctl_fib_label(struct builder *b, uint8_t type, const struct nctl_op_fib *fib);
const char *nctl_fib_route_label(struct builder *b, const struct nctl_route *r);

/* routes.c, nexthops.c, rules.c: in the namespace that b is in. */
void nctl_fib_device_routes(struct fib *f);
void nctl_fib_routes(struct fib *f);
void nctl_fib_unroute(struct fib *f); /* ours that nobody wants */
void nctl_fib_nexthops(struct fib *f);
void nctl_fib_drop_nexthops(struct fib *f);
void nctl_fib_rules(struct fib *f);
void nctl_fib_neighs(struct fib *f); /* neighs.c */

struct nctl_snapshot;
struct nctl_snap_fib;
/* snapshot-fib.c: what op changes and takes along. 0 or -ENOMEM. */
int nctl_snapshot_take_fib(struct nctl_snapshot *s, const struct nctl_op *op);
bool nctl_snapshot_fib_is_there(const struct nctl_mirror *m, const struct nctl_snap_fib *f);
struct nctl_op *nctl_snapshot_turn_fib(struct builder *b, const struct nctl_snap_fib *f);

/* gateway.c: can the kernel find the gateway of this hop, when all links and addresses are as they are
 * wanted? */
bool nctl_fib_is_reachable(
	const struct fib *f, const struct nctl_want_route *r, const struct nctl_route *v, uint32_t hop);
