/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "plan/plan.h"

/* A mirror, a ledger and the configuration of the moment; and a naive kernel that does what plans ask for. */

struct world {
	struct nctl_mirror *have;
	struct nctl_ledger *ledger;
	struct nctl_want *want; /* of the last world_plan */
	struct nctl_plan *plan; /* the last one */
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
/* world_plan and world_apply; then a second plan must be empty. */
void world_settle(struct world *w, const char *body);

/* A foreign link. kind NULL: physical. data: "key: value" of its kind's table, or NULL. */
void world_link(struct world *w, nctl_ifindex ifindex, const char *name, const char *kind, nctl_ifindex lower,
	unsigned flags);
void world_addr(struct world *w, const char *link, const char *prefix, uint32_t flags, uint8_t proto);
nctl_ifindex world_index(const struct world *w, const char *name);
void world_own(struct world *w, const char *name);

/*
 * The plan as lines: "create: link-new dummy d0", "tune: link-set vlan v1 mtu", "address: addr-new v1
 * 192.0.2.1/24", "remove: link-del vlan v1 (implied)", and one a problem: "consent", "conflict", "wait".
 * Owned by the caller.
 */
char *world_print(const struct nctl_plan *p);
/* Compares world_print with text. */
void world_expect(const struct nctl_plan *p, const char *text);
