/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "obj/addr.h"
#include "obj/link.h"
#include "plan/phase.h"
#include "plan/want.h"

/* The operations of a plan (plan.h), and the phases in which they are carried out. */

struct nctl_op_fib; /* op-fib.h */
struct nctl_fib_lost;

enum nctl_op_type {
	NCTL_OP_LINK_NEW,
	NCTL_OP_LINK_SET,
	NCTL_OP_LINK_DEL,
	NCTL_OP_ALTNAME_NEW, /* one more; those of others stay (udev gives some to network cards) */
	NCTL_OP_ALTNAME_DEL, /* on the way back only */
	NCTL_OP_ADDR_NEW,
	NCTL_OP_ADDR_DEL,
	NCTL_OP_ROUTE_NEW,
	NCTL_OP_ROUTE_DEL,
	NCTL_OP_NEXTHOP_NEW,
	NCTL_OP_NEXTHOP_DEL,
	NCTL_OP_RULE_NEW, NCTL_OP_RULE_DEL,
	NCTL_OP_NEIGH_NEW, /* not mirrored: the answer is all there is */
	NCTL_OP_NEIGH_DEL,
	NCTL_OP_VLANS_ADD, NCTL_OP_VLANS_DEL, /* of a bridge or a port of one; ADD: with exactly these flags */
	/* By generic netlink; judged by what reads back. */
	NCTL_OP_ETHTOOL_SET, /* one group */
	NCTL_OP_WG_SET,
	/* Not for rtnetlink: the owner of the namespaces carries them out. */
	NCTL_OP_NETNS_NEW,
	NCTL_OP_NETNS_DEL,
	NCTL_OP_NETNS_ID, /* learns as what netns sees peer_netns; for a pair between them */
	NCTL_OP_SYSCTL_SET,
};
enum { NCTL_OP_TYPES = NCTL_OP_SYSCTL_SET + 1 };

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
	const struct nctl_wg *wg; /* NULL: none, or not known; outlives the plan */
	size_t n_addrs;
	struct nctl_op_before *ports; /* LINK_DEL: those that lose their master; NETNS_DEL: all links in it */
	size_t n_ports;
};

struct nctl_op {
	uint8_t type, phase, state, cls;
	uint32_t netns; /* index in the plan's netns */
	uint32_t rank;  /* in CREATE: lower ones first; in ROUTE and UNROUTE: enum nctl_fib_rank */
	bool implied;   /* LINK_DEL: another deletion takes it along; no message */
	bool if_missing; /* no message if the mirror shows it when its turn comes: the plan may cost it, or not */
	/*
	 * LINK_NEW of a PEERED kind: the other end is made by the same message (peer_ifindex, peer_netns). Of
	 * a pair with one end in the daemon's own namespace, that end is the other one.
	 */
	bool pair;
	uint32_t peer_netns;   /* also of NETNS_ID */
	nctl_nsid nsid;        /* NETNS_ID: what was learnt */
	union {
		struct {                       /* SYSCTL_SET */
			const char *sysctl;    /* as nctl_want_sysctl.name; of want, or in the plan's arena */
			const char *value;     /* likewise */
			const char *old_sysctl; /* its name before the link got another one; NULL: the same */
			const char *old_value; /* what it was, in the plan's arena; NULL: not known */
		};
		struct { /* ETHTOOL_SET: of group, what is wanted and what was there; NULL: not known */
			const struct nctl_ethtool *ethtool, *old_ethtool;
			uint8_t group; /* enum nctl_ethtool_group */
		};
		struct { /* WG_SET: likewise. Both outlive the plan: they are not copied, for what is secret in them */
			const struct nctl_wg *wg, *old_wg;
		};
	};
	bool stops_ipv6; /* SYSCTL_SET: takes the IPv6 addresses of a link, or of all, along */
	nctl_ifindex ifindex;
	nctl_ifindex lower, master, peer_ifindex; /* resolved, 0 none */
	const struct nctl_want_link *of; /* it is done for it; also of deletions that make way. NULL: none */
	const struct nctl_want_link *want;        /* NULL for LINK_DEL and ADDR_DEL of unwanted */
	const struct nctl_want_addr *want_addr;   /* ADDR_NEW */
	const void *data;                         /* LINK_SET: the kind's data, NULL: that of want */
	const char *altname;                      /* ALTNAME_NEW; of want */
	const struct nctl_op_fib *fib; /* ROUTE_*, NEXTHOP_*, RULE_*: the object; in the plan's arena */
	const struct nctl_addr *addr; /* ADDR_DEL: it; ADDR_NEW: the one that differs, or NULL; in the arena */
	struct nctl_link_diff diff; /* LINK_SET: what to set */
	uint64_t along; /* LINK_SET: of diff.data, what is said only since it must be (SET_WHOLE) */
	/* LINK_SET: the wanted IFF_UP, with FLAGS; only for the sake of the next one: its ack is enough. */
	bool up, passing;
	bool self;      /* VLANS_*: of the bridge itself */
	const struct nctl_vlans *vlans; /* VLANS_*; in the plan's arena */
	const char *name;               /* of the link, for people; of want, or in the plan's arena */
	const char *kind;               /* static */
	struct nctl_pos pos;
	/*
	 * Operations that must have succeeded before, NCTL_OP_NONE. The first one makes the link that op is
	 * about, or, of a LINK_NEW, its lower; of a pair over namespaces that are not home it is the
	 * NETNS_ID, if there is one. All in a namespace that is to be made needs its NETNS_NEW, or what needs
	 * that.
	 */
	uint32_t need[NCTL_OP_NEEDS];
	uint32_t after; /* must have been answered before, well or not; NCTL_OP_NONE */
	/* LINK_SET, LINK_DEL, NETNS_DEL, VLANS_*; ADDR_NEW of one that differs, which is in addr; or NULL. */
	struct nctl_op_before *before;
	struct nctl_fib_lost *lost;    /* routes and the like that it may take along; in the plan's arena */
	bool verbatim;                 /* what was there before: ADDR_NEW with its own protocol, not ours */
	/* Of a script. ADDR_NEW, NEIGH_NEW: these NLM_F_* instead of create or replace; 0: that. */
	uint16_t nlm_flags;
	uint32_t link_flags; /* LINK_SET: IFF_* for those in diff.flags, instead of up */
	bool moves;          /* LINK_SET: and moves it to peer_netns */
	uint32_t blame;
	int error;
	const char *text; /* in the plan's arena */
	bool by_kernel;   /* text is the kernel's own */
};

/* Fills ret with the wanted link as the kernel should show it: want's fields, indexes resolved. Borrows
 * everything. */
void nctl_op_link(const struct nctl_op *op, struct nctl_link *ret);

struct nctl_op_info {
	const char *action, *object; /* what it is called: "create", "link" */
	bool rtnl;    /* one message of rtnetlink; else another one carries it out */
	bool fib;     /* carries a nctl_op_fib (op-fib.h) */
	bool deletes; /* done as well if it is gone already */
};
const struct nctl_op_info *nctl_op_info(const struct nctl_op *op);
