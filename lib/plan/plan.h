/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "mirror/mirror.h"
#include "obj/field.h"
#include "obj/neigh.h"
#include "plan/device.h"
#include "plan/ledger.h"
#include "plan/op.h"
#include "plan/want.h"

/*
 * The smallest ordered change from have to want, over all namespaces; pure functions, no side effects.
 * Operations stand in the order of their stages. In CREATE they stand by rank, so that what others need comes
 * first whatever its namespace; in TUNE to ADDRESS by namespace, so that each is entered once, and in
 * each by phase. A stage starts when the one before it is answered for: so an operation never meets an
 * ifindex that the kernel refused to give us.
 */

/* A finding that keeps part (or all) of the plan from being carried out. */
struct nctl_problem {
	enum {
		NCTL_PROBLEM_WAIT,    /* a link is not there (yet): its operations are left out */
		NCTL_PROBLEM_CONSENT, /* needs --allow-recreate: nothing is carried out */
		NCTL_PROBLEM_CONFLICT, /* a foreign link is in the way: nothing is carried out */
		/* What is not ours goes along with a deletion: needs --allow-foreign-loss, else nothing is
		 * carried out. */
		NCTL_PROBLEM_FOREIGN_LOSS
	} type;
	const struct nctl_want_link *of; /* the first link that it is about; NULL: none */
	struct nctl_pos pos;
	const char *text; /* a sentence, in the plan's arena */
};

/* What a sysctl of a link is now, in a hash by nctl_hash_str(name). */
struct nctl_sysctl_now {
	struct nctl_hash_node node;
	const char *name;  /* as nctl_want_sysctl.name, with the link's name in the kernel */
	const char *value; /* NULL: it cannot be read */
};

/*
 * What is known of a namespace when a plan is built; and, in a plan, while it is carried out: the owner then
 * keeps cookie and have up to date (a namespace that was made has them, one that is gone has none).
 */
struct nctl_plan_netns {
	const struct nctl_want_netns *want; /* NULL: not wanted any more */
	const char *name;                   /* NULL: the daemon's own. Outlives the plan */
	bool there;                         /* false: to be made; it will have lo, ifindex 1, down */
	/* Made by us, so that we may delete it; not there: a name on record as ours that has no namespace. */
	bool ours;
	uint64_t cookie;                  /* SO_NETNS_COOKIE, 0: not there */
	nctl_nsid nsid;                   /* as the daemon's own namespace sees it, or NCTL_NSID_NONE */
	const struct nctl_mirror *have;   /* NULL: not there, or gone */
	const struct nctl_ledger *ledger; /* NULL: nothing in it is ours */
	/* Neighbours that were set, and proxies, all of them if known, ascending by link; as sysctls, below. */
	const struct nctl_neigh *neighs;
	size_t n_neighs;
	bool neighs_known;
	const char *const *sysctls; /* values now, in the order of want's; NULL entries (or NULL): not known.
	                               Outlives nctl_plan_build only */
	const struct nctl_hash *link_sysctls; /* struct nctl_sysctl_now; NULL: not known. Likewise */
	const struct nctl_hash *drivers;      /* struct nctl_driver_of (match.h). Likewise */
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
	struct nctl_want *bound;       /* the same with its matches bound to devices; NULL: it has none */
	struct nctl_plan_netns *netns; /* want's, in its order, then those that are not wanted any more */
	size_t n_netns;
	struct nctl_mirror *fresh; /* what a namespace that is to be made will hold; the plan's own */
	struct nctl_plan *turned;  /* what it is the way back from, if that is its own (snapshot.h) */
	const struct nctl_plan_device *devices; /* as given */
	size_t n_devices;
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
	bool hold;    /* what is removed last is left for later: the run ends before */
	/*
	 * Somebody has put the operations in line himself (script.h), and they are carried out in this order: what is
	 * made is not ours, the kernel's word is enough, and whatever it refuses counts, also what is gone already.
	 */
	bool script;
};

struct nctl_plan_options {
	bool allow_recreate;
	bool allow_foreign_loss;
	bool confirm; /* what is removed last waits until it is confirmed (hold) */
	bool renames_up; /* the kernel renames links that are up (since Linux 6.2) */
	bool repair;     /* sysctls that are not known are as they should be, if there was nothing new */
	/* First index to give to a new link, free in all namespaces from there; 0: NCTL_IFINDEX_FIRST. Two
	 * links that one plan makes never have the same one, whatever their namespaces. */
	nctl_ifindex next_ifindex;
	const struct nctl_plan_device *devices; /* by netns and ifindex, ascending */
	size_t n_devices;
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

/* Sysctl s of the link that the kernel calls `link`, in buf; NULL: it is too long. */
enum { NCTL_SYSCTL_NAME_MAX = 256 };
const char *nctl_sysctl_name(const struct nctl_want_sysctl *s, const char *link, char buf[NCTL_SYSCTL_NAME_MAX]);

/*
 * True if the mirrors (or, for namespaces, p->netns) show what op wants. SYSCTL_SET, NETNS_ID and the like have nothing
 * to show: their answer is all there is.
 */
bool nctl_op_is_seen(const struct nctl_plan *p, const struct nctl_op *op);
/* Has it routes, next hops or rules of ours? */
bool nctl_plan_has_ours(const struct nctl_mirror *m);
