/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "plan/plan.h"

/* What the files of lib/plan share while one plan is built; nobody else includes it. */

enum item_state {
	ITEM_KEEP, /* is there and stays; ifindex is the kernel's */
	ITEM_NEW,  /* is made; ifindex is ours */
	ITEM_WAIT, /* cannot be had now */
};

/* What becomes of a pair: settled for both ends when the first one is planned. */
enum pair_state {
	PAIR_OPEN,
	PAIR_STAYS,
	PAIR_MADE,
	PAIR_STUCK, /* something foreign is in the way */
};

/* One wanted link on its way into the plan; by its number in want. */
struct item {
	const struct nctl_mirror_link *have; /* KEEP: it; NEW: what is replaced, or NULL */
	const struct nctl_mirror_link *renamed; /* ours, which somebody gave another name; or NULL */
	nctl_ifindex ifindex, lower, master;
	uint32_t made_by;    /* operation that makes it, NCTL_OP_NONE */
	uint32_t removed_by; /* NEW: operation that deletes what is replaced, NCTL_OP_NONE */
	uint32_t told_by;    /* the last operation that tells its driver or WireGuard something, NCTL_OP_NONE */
	uint32_t joined_by;  /* operation by which it joins its master, NCTL_OP_NONE: none, or made_by */
	uint32_t tuned_by;   /* the last of its sysctls that are set before it comes up, NCTL_OP_NONE */
	uint32_t renamed_by; /* operation that gives it its name, NCTL_OP_NONE */
	uint32_t risen_by;   /* operation that brings it up, NCTL_OP_NONE */
	bool fading;         /* NEW: what is replaced goes by itself, so nobody is asked */
	bool flushed;        /* KEEP: loses its IPv6 addresses on the way */
	bool tuned;          /* KEEP: fields of its kind are set */
	uint8_t state;
	uint8_t pair;    /* PEERED: enum pair_state */
	uint8_t mark;    /* order.c */
	uint32_t level;  /* one more than the highest of all that it depends on */
	uint32_t early;  /* rank in CREATE at which it must be up, 0: it comes up with all others */
	bool has_uppers; /* wanted links stand on it */
	bool rises_early, rises_late; /* it comes up: before the end of TUNE, in UP */
};

/* An owned link that nobody wants any more. */
struct doomed {
	struct nctl_hash_node by_identity;
	const struct nctl_mirror_link *link;
	struct pair_end *end; /* PEERED: it */
	uint32_t removed_by;  /* operation that deletes it */
	bool early;           /* stands in the way of a new one */
};

/* One end of a pair that is there and goes: the other one goes along. */
struct pair_end {
	struct nctl_hash_node node;
	const struct nctl_mirror_link *link;
	uint32_t netns;
	uint32_t removed_by; /* operation that deletes it, or its namespace; NCTL_OP_NONE: not planned yet */
};

/* Where need[] of an operation says that its namespace must have been made (nctl_plan_add does). */
enum { NEED_NETNS = NCTL_OP_NEEDS - 1 };

struct builder {
	const struct nctl_want *want;
	/* Of the namespace that the work is in (nctl_plan_enter). have NULL: it is there, but cannot be read.
	 * ledger NULL: nothing in it is ours. */
	const struct nctl_mirror *have;
	const struct nctl_ledger *ledger;
	uint32_t netns;
	const struct nctl_want_link *of; /* the link that is being planned, NULL: none */
	uint32_t *netns_made; /* by number: operation that makes it, NCTL_OP_NONE */
	const struct nctl_plan_options *opts;
	struct nctl_plan *plan;
	struct item *items;           /* n_links of them */
	uint32_t *order;              /* link numbers, dependencies first */
	uint32_t *ports, *first_port; /* ports of link i: ports[first_port[i] .. first_port[i + 1]) */
	struct doomed *doomed;        /* by namespace and ifindex */
	size_t n_doomed;
	size_t *first_doomed; /* of namespace i: doomed[first_doomed[i] .. first_doomed[i + 1]) */
	struct nctl_hash doomed_by_identity;
	struct nctl_hash pair_ends; /* struct pair_end, by the ifindexes of the two ends */
	nctl_ifindex next_ifindex;
	uint32_t last_nsid; /* the last NETNS_ID, NCTL_OP_NONE */
	int err;            /* sticky: the first failure */
};
