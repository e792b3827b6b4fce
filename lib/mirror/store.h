/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sys/socket.h>

#include "base/genset.h"
#include "base/hash.h"
#include "base/list.h"
#include "base/rbtree.h"
#include "base/time.h"
#include "mirror/route.h"
#include "mirror/slab.h"
#include "net/lpm.h"

/* How routes, next-hop objects and rules lie in memory; what the files of lib/mirror share about them. */

/* A route: its key and where it belongs; all else is in its set. Free: set is 0. */
struct nctl_rec {
	uint32_t next; /* the one behind it at its prefix; of one in a crowd: its node */
	uint32_t set_prev, set_next;
	uint32_t set;
	uint32_t metric;
	uint32_t len : 8;
	uint32_t gen : 20; /* of its family's last dump that touched it, or at its last event */
	uint32_t by : 2;   /* enum nctl_touch: what that was */
	uint32_t crowd : 1;
	uint32_t timed : 1; /* has an entry in the side table of expiries */
	uint8_t addr[];     /* 4 or 16 */
};
#define NCTL_REC_GENS (UINT32_C(1) << 20)

/* What refers to others, in a list of those that refer to the same one; kept whether or not it is here. */
enum nctl_ref_kind {
	NCTL_REF_OIF,
	NCTL_REF_NHID,
	NCTL_REF_PREFSRC, NCTL_REF_PROTOCOL,
	NCTL_REF_NEXTHOP_OIF,
	NCTL_REF_MEMBER,
	NCTL_REF_DOWN, /* in tombs only: a link that went down */
	NCTL_REF_SOURCE_GONE, NCTL_REF_MEMBERS, /* too: what must be confirmed */
};
struct nctl_ref_head {
	struct nctl_hash_node by_key;
	enum nctl_ref_kind kind;
	uint32_t number;           /* an ifindex, an id */
	struct nctl_prefix prefix; /* PREFSRC */
	struct nctl_list refs;
	size_t n_routes;
};
struct nctl_ref {
	struct nctl_list link;
	struct nctl_ref_head *head; /* NULL: nowhere */
	void *owner;                /* a struct nctl_set or struct nctl_nexthop_entry */
};

/* What routes have in common: table, tos, src and all that is not dst, metric and expiry. */
struct nctl_set {
	struct nctl_hash_node by_content; /* of all sets that are not dead */
	struct nctl_list link;            /* in the mirror's dead or changed sets */
	uint32_t id;
	uint32_t first; /* of its routes, the newest first */
	uint32_t n_routes;
	uint32_t told;            /* the next route whose change of state is to be told; 0 none */
	uint32_t swept, swept_by; /* the next route that a sweep looks at, and which one does */
	uint32_t stamp;           /* the sweep that is done here */
	bool dead;
	struct nctl_route v; /* dst: its family only; hops, metrics and rest are behind refs */
	uint64_t diff;       /* of the change that is to be told */
	uint32_t n_refs;
	size_t bytes;
	struct nctl_ref refs[];
};

struct nctl_crowd;

struct nctl_fib_table {
	struct nctl_rb_node by_id;
	nctl_table id;
	struct nctl_lpm *lpm;
};

/* A complete list was there, and what it did not name goes bit by bit. */
struct nctl_sweep {
	struct nctl_dump_scope scope;
	uint32_t gen;
	uint32_t stamp;
	uint32_t at;           /* all: the next record */
	struct nctl_prefix to; /* a table: the last prefix begun; AF_UNSPEC: none yet */
	uint32_t next;         /* of its routes; 0: it is done */
};
#define NCTL_SWEEPS 4
#define NCTL_DOUBTS 64

/* All routes of one family. */
struct nctl_fib {
	struct nctl_mirror *m;
	uint8_t family;
	struct nctl_slab recs;
	struct nctl_rb_tree tables;
	struct nctl_fib_table *last; /* that was looked for; or NULL */
	size_t n_dead;               /* of recs: in dead sets */
	uint32_t gen;
	nctl_time dumped;             /* when the last dump ended */
	uint64_t doubts[NCTL_DOUBTS]; /* bits: keys of what sweeps took since then */
	struct nctl_sweep sweeps[NCTL_SWEEPS];
	unsigned n_sweeps;
	struct { /* where the last entry of a dump is: the next one of its prefix belongs behind it */
		nctl_table table;
		struct nctl_prefix prefix;
		uint32_t id;
	} placed;
};

/* Where a route is or belongs at its prefix. */
struct nctl_spot {
	struct nctl_fib_table *table;
	struct nctl_crowd *crowd;
	uint32_t head;      /* the first of the prefix */
	uint32_t before;    /* the last of a smaller key (metric, ...) */
	uint32_t first;     /* the first of equal key */
	uint32_t first_kin; /* the first of them that NLM_F_REPLACE means */
	uint32_t last;      /* the last of equal key */
	uint32_t match;     /* the route itself */
	unsigned n;         /* routes of the prefix, where it has no crowd */
};

struct nctl_nexthop_entry {
	struct nctl_rb_node by_id;
	struct nctl_genset_node gen;
	uint64_t touched;
	struct nctl_nexthop v;   /* what it points to is behind refs */
	struct nctl_list doomed; /* among those that are about to go */
	uint32_t n_refs;
	struct nctl_ref refs[];
};

struct nctl_rule_entry {
	struct nctl_hash_node by_content;
	struct nctl_hash_node by_link[2]; /* iif, oif; where it names one */
	struct nctl_genset_node gen;
	uint64_t touched;
	uint64_t dumped; /* serial of the last dump that named it */
	bool untold;         /* a dump brought it, and no event told of it yet */
	struct nctl_rule v; /* rest is behind it */
};

static inline struct nctl_rec *nctl_rec_at(const struct nctl_fib *f, uint32_t id)
{
	return nctl_slab_at(&f->recs, id);
}
