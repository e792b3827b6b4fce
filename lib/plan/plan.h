/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "mirror/mirror.h"
#include "obj/field.h"
#include "plan/ledger.h"
#include "plan/want.h"

/*
 * The smallest ordered change from have to want, over all namespaces; pure functions, no side effects.
 * Operations stand in the order of their stages. In CREATE they stand by rank, so that what others need comes
 * first whatever its namespace; in TUNE, UP and ADDRESS by namespace, so that each is entered once, and in
 * each by phase. A stage starts when the one before it is answered for: so an operation never meets an
 * ifindex that the kernel refused to give us.
 */
enum nctl_phase {
	NCTL_PHASE_NETNS, /* new namespaces, and what holds for all links that they will have */
	NCTL_PHASE_CLEAR, /* unwanted addresses; links in the way of new ones */
	/*
	 * New links with lower and master, level by level; existing ones join masters that need it first, and
	 * links whose uppers would follow them up come up before there are any: one by one is no slower, and
	 * holds no lock for long.
	 */
	NCTL_PHASE_CREATE,
	NCTL_PHASE_TUNE, /* what a creating message cannot carry, and changes of existing links */
	NCTL_PHASE_UP,   /* up, masters first */
	NCTL_PHASE_ADDRESS,
	NCTL_PHASE_REMOVE, /* unwanted namespaces and links: last, since it cannot be undone */
	NCTL_PHASE_N
};
const char *nctl_phase_name(enum nctl_phase p);

/* What is answered for before the next one starts. TUNE, UP and ADDRESS are one stage. */
enum nctl_stage {
	NCTL_STAGE_NETNS,
	NCTL_STAGE_CLEAR,
	NCTL_STAGE_CREATE,
	NCTL_STAGE_CONFIGURE,
	NCTL_STAGE_REMOVE,
	NCTL_STAGE_N
};
enum nctl_stage nctl_phase_stage(enum nctl_phase p);

enum nctl_op_type {
	NCTL_OP_LINK_NEW,
	NCTL_OP_LINK_SET,
	NCTL_OP_LINK_DEL,
	NCTL_OP_ALTNAME_NEW, /* one more; those of others stay (udev gives some to network cards) */
	NCTL_OP_ALTNAME_DEL, /* on the way back only */
	NCTL_OP_ADDR_NEW,
	NCTL_OP_ADDR_DEL,
	/* Not for rtnetlink: the owner of the namespaces carries them out. */
	NCTL_OP_NETNS_NEW,
	NCTL_OP_NETNS_DEL,
	NCTL_OP_NETNS_ID, /* learns as what netns sees peer_netns; for a pair between them */
	NCTL_OP_SYSCTL_SET,
};

enum nctl_op_state {
	NCTL_OP_PENDING,
	NCTL_OP_SENT,
	NCTL_OP_ACKED,    /* the kernel agreed; not yet seen in the mirror */
	NCTL_OP_DONE,     /* the mirror shows it */
	NCTL_OP_REFUSED,  /* error and text say why */
	NCTL_OP_POISONED, /* not tried or hopeless, since `blame` failed */
	NCTL_OP_UNSEEN,   /* the kernel agreed, but the mirror never showed it */
};

#define NCTL_OP_NONE UINT32_MAX
enum { NCTL_OP_NEEDS = 4 };

/* What was there before an operation, for the way back. */
struct nctl_op_before {
	struct nctl_link link;
	struct nctl_addr *addrs; /* those that the operation may take along */
	size_t n_addrs;
	struct nctl_op_before *ports; /* LINK_DEL: those that lose their master; NETNS_DEL: all links in it */
	size_t n_ports;
};

struct nctl_op {
	uint8_t type, phase, state, cls;
	uint32_t netns; /* index in the plan's netns */
	uint32_t rank;  /* in CREATE: lower ones first */
	bool implied;   /* LINK_DEL: another deletion takes it along; no message */
	/*
	 * LINK_NEW of a PEERED kind: the other end is made by the same message (peer_ifindex, peer_netns). Of
	 * a pair with one end in the daemon's own namespace, that end is the other one.
	 */
	bool pair;
	uint32_t peer_netns;   /* also of NETNS_ID */
	nctl_nsid nsid;        /* NETNS_ID: what was learnt */
	const char *sysctl;    /* SYSCTL_SET: as nctl_want_sysctl.name; of want, or in the plan's arena */
	const char *value;     /* SYSCTL_SET: likewise */
	const char *old_value; /* SYSCTL_SET: what it was, in the plan's arena; NULL: not known */
	nctl_ifindex ifindex;
	nctl_ifindex lower, master, peer_ifindex; /* resolved, 0 none */
	const struct nctl_want_link *want;        /* NULL for LINK_DEL and ADDR_DEL of unwanted */
	const struct nctl_want_addr *want_addr;   /* ADDR_NEW */
	const void *data;                         /* LINK_SET: the kind's data, NULL: that of want */
	const char *altname;                      /* ALTNAME_NEW; of want */
	const struct nctl_addr
		*addr; /* ADDR_DEL: it; ADDR_NEW: the one that differs, or NULL; in the plan's arena */
	struct nctl_link_diff diff; /* LINK_SET: what to set */
	bool up;                    /* LINK_SET with FLAGS: the wanted IFF_UP */
	bool passing;               /* LINK_SET: only for the sake of the next one; its ack is enough */
	const char *name;           /* of the link, for people; of want, or in the plan's arena */
	const char *kind;           /* static */
	struct nctl_pos pos;
	uint32_t need[NCTL_OP_NEEDS];  /* operations that must have succeeded before, NCTL_OP_NONE */
	struct nctl_op_before *before; /* LINK_SET, LINK_DEL, NETNS_DEL; ADDR_NEW of one that differs, which
	                                  is in addr; NULL: nothing */
	bool verbatim;                 /* what was there before: ADDR_NEW with its own protocol, not ours */
	uint32_t blame;
	int error;
	const char *text; /* in the plan's arena */
};

/* A finding that keeps part (or all) of the plan from being carried out. */
struct nctl_problem {
	enum {
		NCTL_PROBLEM_WAIT,    /* a link is not there (yet): its operations are left out */
		NCTL_PROBLEM_CONSENT, /* needs --allow-recreate: nothing is carried out */
		NCTL_PROBLEM_CONFLICT /* a foreign link is in the way: nothing is carried out */
	} type;
	struct nctl_pos pos;
	const char *text; /* a sentence, in the plan's arena */
};

/*
 * What is known of a namespace when a plan is built; and, in a plan, while it is carried out: the owner then
 * keeps cookie and have up to date (a namespace that was made has them, one that is gone has none).
 */
struct nctl_plan_netns {
	const struct nctl_want_netns *want; /* NULL: not wanted any more */
	const char *name;                   /* NULL: the daemon's own. Outlives the plan */
	bool there;                         /* false: to be made; it will have lo, ifindex 1, down */
	bool ours;                          /* made by us, so that we may delete it */
	uint64_t cookie;                    /* SO_NETNS_COOKIE, 0: not there */
	nctl_nsid nsid;                     /* as the daemon's own namespace sees it, or NCTL_NSID_NONE */
	const struct nctl_mirror *have;     /* NULL: not there, or gone */
	const struct nctl_ledger *ledger;   /* NULL: nothing in it is ours */
	const char *const *sysctls; /* values now, in the order of want's; NULL entries (or NULL): not known.
	                               Outlives nctl_plan_build only */
};

/* Entries for the ledger of one namespace. */
struct nctl_adopt_link {
	uint32_t netns;
	struct nctl_ledger_link link;
};
struct nctl_adopt_addr {
	uint32_t netns;
	struct nctl_addr addr;
};

struct nctl_plan {
	struct nctl_arena arena;
	const struct nctl_want *want;  /* outlives the plan */
	struct nctl_plan_netns *netns; /* want's, in its order, then those that are not wanted any more */
	size_t n_netns;
	struct nctl_mirror *fresh; /* what a namespace that is to be made will hold; the plan's own */
	struct nctl_op *ops;
	size_t n_ops, cap_ops;
	struct nctl_problem *problems;
	size_t n_problems, cap_problems;
	/* Entries for the ledger: links and addresses that exist and match, to be owned from now on. */
	struct nctl_adopt_link *adopt_links;
	size_t n_adopt_links, cap_adopt_links;
	struct nctl_adopt_addr *adopt_addrs;
	size_t n_adopt_addrs, cap_adopt_addrs;
	bool blocked; /* a CONSENT or CONFLICT problem: must not be carried out */
};

struct nctl_plan_options {
	bool allow_recreate;
	/* First index to give to a new link, free in all namespaces from there; 0: NCTL_IFINDEX_FIRST. Two
	 * links that one plan makes never have the same one, whatever their namespaces. */
	nctl_ifindex next_ifindex;
};

/* Indexes that netctld gives to new links: far above what the kernel counts up to by itself. */
#define NCTL_IFINDEX_FIRST 1000000u

/*
 * netns: n of them, copied; want's in its order (so number 0 is the daemon's own), then those that are not
 * wanted any more, but are ours or hold what is ours.
 */
int nctl_plan_build(const struct nctl_want *want, const struct nctl_plan_netns *netns, size_t n,
	const struct nctl_plan_options *opts, struct nctl_plan **ret);
/*
 * The plan back from where p got to (by the states of its operations) to the state before it. p and its want
 * must outlive ret; p->netns says what is there after p. ret has problems if something cannot be made again.
 * 0 or -ENOMEM.
 */
int nctl_plan_undo(const struct nctl_plan *p, struct nctl_plan **ret);
struct nctl_plan *nctl_plan_free(struct nctl_plan *p);
void nctl_plan_freep(struct nctl_plan **p);

/*
 * True if the mirrors (or, for namespaces, p->netns) show what op wants. SYSCTL_SET and NETNS_ID have nothing
 * to show: their answer is all there is.
 */
bool nctl_op_is_seen(const struct nctl_plan *p, const struct nctl_op *op);
/* Fills ret with the wanted link as the kernel should show it: want's fields, indexes resolved. Borrows
 * everything. */
void nctl_op_link(const struct nctl_op *op, struct nctl_link *ret);
