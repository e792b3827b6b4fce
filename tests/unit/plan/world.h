/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "plan/plan.h"

/*
 * Namespaces with a mirror and a ledger each, and the configuration of the moment; and a naive kernel that
 * does what plans ask for.
 */

enum { WORLD_SYSCTLS = 16 };

struct world_netns {
	char name[32]; /* "": home */
	bool ours;     /* made by a plan */
	uint64_t cookie;
	nctl_nsid nsid; /* as home calls it */
	struct nctl_mirror *have;
	struct nctl_ledger *ledger;
	struct world_sysctl {
		char *name, *value;
	} sysctls[WORLD_SYSCTLS];
	size_t n_sysctls;
	struct nctl_sysctl_now now[WORLD_SYSCTLS]; /* the same as plans see them, */
	struct nctl_hash by_name;                  /* by their names */
};

struct world {
	struct nctl_mirror *have;   /* of home */
	struct nctl_ledger *ledger; /* of home */
	struct world_netns **netns; /* number 0 is home; NULL: it is gone */
	size_t n_netns;
	struct world_netns **planned; /* by number in the plan; NULL: not there */
	struct nctl_want *want;       /* of the last world_plan */
	struct nctl_plan *plan;       /* the last one */
	const struct nctl_plan_device *devices; /* what drivers and WireGuard have */
	size_t n_devices;
};

void world_init(struct world *w);
void world_fini(struct world *w);

/* The YAML text as a sealed want; fails the test if it is wrong. body is what stands under "network:". */
struct nctl_want *world_parse(const char *body);

/* A plan from what is there to body. Owned by w, until the next one. */
const struct nctl_plan *world_plan(struct world *w, const char *body, bool allow_recreate);
/* The same for a want made by hand, which stays the caller's. */
const struct nctl_plan *world_plan_want(struct world *w, struct nctl_want *want, bool allow_recreate);

/* Does to the mirror and the ledger what the last plan asks for. */
void world_apply(struct world *w);
/* Does the first n operations only. */
void world_apply_some(struct world *w, size_t n);
/* Goes back to what was before world_apply or world_apply_some. w->plan is the plan back then. */
void world_undo(struct world *w);
/* To body, n operations far, and back: all is as it was. */
void world_return(struct world *w, const char *body, size_t n);
/* world_plan and world_apply; then a second plan must be empty. */
void world_settle(struct world *w, const char *body);

/* A foreign link. kind NULL: physical. data: "key: value" of its kind's table, or NULL. */
void world_link(struct world *w, nctl_ifindex ifindex, const char *name, const char *kind, nctl_ifindex lower,
	unsigned flags);
/* The same in a namespace, which is there. */
void world_link_in(struct world *w, const char *netns, nctl_ifindex ifindex, const char *name,
	const char *kind, nctl_ifindex lower, unsigned flags);
/* A namespace that somebody else made, with its lo. */
struct world_netns *world_netns_add(struct world *w, const char *name);
/* NULL: there is none. */
struct world_netns *world_netns_find(const struct world *w, const char *name);
/* Somebody deletes it. */
void world_netns_del(struct world *w, const char *name);
/* What the kernel has there; NULL: nothing that is known. */
void world_sysctl(struct world_netns *n, const char *name, const char *value);
const char *world_sysctl_get(const struct world_netns *n, const char *name);
void world_addr(struct world *w, const char *link, const char *prefix, uint32_t flags, uint8_t proto);
nctl_ifindex world_index(const struct world *w, const char *name);
void world_own(struct world *w, const char *name);

/*
 * The plan as lines: "create: link-new dummy d0", "tune: link-set vlan v1 mtu", "address: addr-new v1
 * 192.0.2.1/24", "remove: link-del vlan v1 (implied)", and one a problem: "consent", "conflict", "wait".
 * What is not in home has its namespace before its name: "t1/d0". Owned by the caller.
 */
char *world_print(const struct nctl_plan *p);
/* All links and addresses, to be compared. Owned by the caller. */
char *world_dump(const struct world *w);
/* Compares world_print with text. */
void world_expect(const struct nctl_plan *p, const char *text);
