/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "base/hash.h"
#include "plan/op-fib.h"
#include "plan/plan.h"

/*
 * The state before a plan, of all that it may change or take along, and what it will make: enough to find the
 * way back from wherever the plan got to, for somebody who knows nothing else of it (a daemon that was killed
 * and started again). daemon/reconcile keeps it on disk. A new type of object is one more array here, filled
 * in snapshot.c and compared in restore.c.
 */

struct nctl_snap_netns {
	const char *name; /* NULL: the daemon's own */
	uint64_t cookie;  /* 0: it was not there */
	bool made;        /* by the plan */
	bool ours;        /* made by us before */
};

struct nctl_snap_link {
	struct nctl_hash_node node; /* by namespace and ifindex */
	uint32_t netns;
	struct nctl_link v;
	struct nctl_link_diff touched; /* what the plan sets of it; other fields may follow by themselves */
	bool ours, adopted;
	bool whole; /* so are its ports, and all that may follow it */
	uint32_t depth; /* restore.c: how many links stand below it */
};

/* A link that the plan makes. */
struct nctl_snap_made {
	uint32_t netns;
	nctl_ifindex ifindex;
	const struct nctl_kind *kind;
};

struct nctl_snap_addr {
	uint32_t netns;
	struct nctl_addr v;
	bool added;   /* by the plan; else it was there */
	bool adopted; /* it was there before us, and is ours */
};

/* An alternative name that the plan adds. */
struct nctl_snap_altname {
	uint32_t netns;
	nctl_ifindex ifindex;
	const char *name;
};

struct nctl_snap_sysctl {
	uint32_t netns;
	const char *name, *old, *value; /* old NULL: not known */
};

/* A route, next-hop object, rule or neighbour. */
struct nctl_snap_fib {
	uint32_t netns;
	uint8_t type; /* of the operation that makes one: NCTL_OP_ROUTE_NEW, _NEXTHOP_NEW, _RULE_NEW, _NEIGH_NEW */
	bool added;   /* by the plan; else it was there */
	const struct nctl_op_fib *fib;
};

/* What a driver or WireGuard was told before (snap-told.c); never written to disk. */
struct nctl_snap_told {
	uint32_t netns;
	nctl_ifindex ifindex;
	const char *name;                   /* of the link */
	const struct nctl_ethtool *ethtool; /* of group; NULL: wg */
	struct nctl_wg *wg;                 /* owned */
	uint8_t group;
	bool changed; /* wg: the plan changes it; else it deletes the link */
};

struct nctl_snapshot {
	struct nctl_arena arena;
	struct nctl_snap_netns *netns; /* in the order of the plan's */
	size_t n_netns;
	struct nctl_snap_link **links;
	size_t n_links, cap_links;
	struct nctl_hash by_ifindex;
	struct nctl_snap_made *made; /* lower ones first */
	size_t n_made, cap_made;
	struct nctl_snap_addr *addrs;
	size_t n_addrs, cap_addrs;
	struct nctl_snap_altname *altnames;
	size_t n_altnames, cap_altnames;
	struct nctl_snap_sysctl *sysctls;
	size_t n_sysctls, cap_sysctls;
	struct nctl_snap_fib *fibs;
	size_t n_fibs, cap_fibs;
	struct nctl_snap_told *told;
	size_t n_told, cap_told;
};

/* Of a plan that is not yet carried out. 0 or -ENOMEM. */
int nctl_snapshot_take(const struct nctl_plan *p, struct nctl_snapshot **ret);
/* One without anything but n namespaces, to be filled. 0 or -ENOMEM. */
int nctl_snapshot_new(size_t n_netns, struct nctl_snapshot **ret);
struct nctl_snapshot *nctl_snapshot_free(struct nctl_snapshot *s);
void nctl_snapshot_freep(struct nctl_snapshot **s);

/* Add one object: what it points to is copied, but link: its content is moved. 0 or -ENOMEM. */
int nctl_snapshot_add_link(struct nctl_snapshot *s, const struct nctl_snap_link *l, struct nctl_link *link);
int nctl_snapshot_add_made(struct nctl_snapshot *s, const struct nctl_snap_made *m);
int nctl_snapshot_add_addr(struct nctl_snapshot *s, const struct nctl_snap_addr *a);
int nctl_snapshot_add_altname(struct nctl_snapshot *s, const struct nctl_snap_altname *a);
int nctl_snapshot_add_sysctl(struct nctl_snapshot *s, const struct nctl_snap_sysctl *v);
int nctl_snapshot_add_fib(struct nctl_snapshot *s, const struct nctl_snap_fib *f); /* snapshot-fib.c */
/* What op, which is told or deletes a link, changes. 0 or -ENOMEM. */
int nctl_snapshot_take_told(struct nctl_snapshot *s, const struct nctl_op *op);
/* What that link had, or NULL. */
const struct nctl_wg *nctl_snapshot_wg(const struct nctl_snapshot *s, uint32_t netns, nctl_ifindex ifindex);
void nctl_snapshot_forget_told(struct nctl_snapshot *s);
struct nctl_snap_link *nctl_snapshot_find(
	const struct nctl_snapshot *s, uint32_t netns, nctl_ifindex ifindex); /* NULL: not in it */

/*
 * restore.c: what it takes to go from what is there now to s. now: s's namespaces in its order (what is of no
 * use to a plan back is not looked at). all false: what the plan has done; all true: also what followed by
 * itself and was not undone by itself (an MTU that hangs on another link's): that is for a second plan, when
 * the first one has been carried out. Without operations: all is as it was. s outlives ret. 0 or -ENOMEM.
 */
int nctl_snapshot_restore(
	const struct nctl_snapshot *s, const struct nctl_plan_netns *now, bool all, struct nctl_plan **ret);
