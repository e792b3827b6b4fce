/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/genset.h"
#include "base/hash.h"
#include "base/list.h"
#include "base/rbtree.h"
#include "base/subs.h"
#include "mirror/scope.h"
#include "obj/addr.h"
#include "obj/link.h"

/*
 * The mirror of one network namespace: links and addresses with every index, kept by one insert, one update and
 * one remove (S6). It knows no messages: lib/exec decodes and feeds it. Pointers to its objects are valid until
 * the next call that feeds it; keep an ifindex instead.
 */

struct nctl_mirror;

struct nctl_mirror_link {
	struct nctl_link v;		/* read only to all but the mirror */
	struct nctl_rb_node by_index;
	struct nctl_hash_node by_name;
	struct nctl_mirror_altname *altnames; /* one hash node each, as many as v.altnames */
	struct nctl_list ports;		/* links whose master this is, by .in_master */
	struct nctl_list uppers;	/* links whose lower this is, by .in_lower */
	struct nctl_list in_master, in_lower;
	struct nctl_rb_tree addrs;	/* struct nctl_mirror_addr by .by_identity */
	struct nctl_genset_node gen;
	struct nctl_hash_node by_address; /* of a bond: by its MAC */
	bool is_by_address;
	uint64_t touched, vlans_touched; /* sync serial of the last event that spoke of it, of its VLANs */
};

struct nctl_mirror_addr {
	struct nctl_addr v;
	struct nctl_rb_node by_identity; /* in its link's addrs */
	struct nctl_rb_node by_prefix;	 /* in the namespace: (family, address, length, ifindex) */
	struct nctl_genset_node gen;
	uint64_t touched;
	int64_t place; /* among its link's in the kernel's order, as far as it was seen: by age, IPv6 youngest first */
};

enum nctl_change_op { NCTL_ADDED, NCTL_CHANGED, NCTL_REMOVED };

struct nctl_route;
struct nctl_nexthop;
struct nctl_rule;

/* A change record. Both values live until the callback returns. */
struct nctl_change {
	enum nctl_object_type type;
	enum nctl_change_op op;
	nctl_ifindex ifindex;
	const struct nctl_link *old_link, *new_link; /* LINK; NULL where there is none */
	struct nctl_link_diff link_diff;	     /* LINK, CHANGED */
	const struct nctl_addr *old_addr, *new_addr; /* ADDR */
	uint64_t addr_diff;			     /* ADDR, CHANGED: NCTL_ADDR_BITs */
	/* ROUTE4, ROUTE6. What a link, an address or an object does to all routes that name it changes them at
	 * once, and is told one by one later: the old value is the new one then. */
	const struct nctl_route *old_route, *new_route;
	uint64_t route_diff;				/* CHANGED: NCTL_ROUTE_BITs */
	const struct nctl_nexthop *old_nexthop, *new_nexthop;
	const struct nctl_rule *old_rule, *new_rule;
};

struct nctl_mirror_stats {
	uint64_t added, changed, removed; /* change records */
	uint64_t unchanged;		  /* events that told nothing new */
	uint64_t dump_ignored;		  /* dump entries that an event had overtaken */
	uint64_t swept;			  /* objects that a complete dump no longer had */
};

int nctl_mirror_new(struct nctl_mirror **ret);
struct nctl_mirror *nctl_mirror_free(struct nctl_mirror *m);
void nctl_mirror_freep(struct nctl_mirror **m);

/* Subscribers only mark work (S19); the callback's argument is a struct nctl_change. */
struct nctl_subs *nctl_mirror_subs(struct nctl_mirror *m);
/* The same for who cares for the routes of one protocol only; of others it hears nothing, and they cost nothing. One
 * such protocol a mirror. */
struct nctl_subs *nctl_mirror_subs_of(struct nctl_mirror *m, uint8_t protocol);
const struct nctl_mirror_stats *nctl_mirror_get_stats(const struct nctl_mirror *m);

/* Where a value comes from: an event always wins over an entry of a dump that was running when it came. */
enum nctl_source { NCTL_SOURCE_EVENT, NCTL_SOURCE_DUMP };

/* Takes what l owns (l is empty then). 0 or -ENOMEM: the mirror is as before, and out of date. */
int nctl_mirror_link_put(struct nctl_mirror *m, struct nctl_link *l, enum nctl_source src);
int nctl_mirror_link_drop(struct nctl_mirror *m, nctl_ifindex ifindex);
int nctl_mirror_addr_put(struct nctl_mirror *m, const struct nctl_addr *a, enum nctl_source src);
int nctl_mirror_addr_drop(struct nctl_mirror *m, const struct nctl_addr *a);

/* The full list of a scope is about to arrive; call it before the request is sent. One at a time. */
void nctl_mirror_dump_begin(struct nctl_mirror *m, const struct nctl_dump_scope *scope);
/* It has arrived: what neither it nor an event mentioned since begin goes, a first piece at once, the rest by
 * nctl_mirror_work. complete false: nothing goes. */
void nctl_mirror_dump_end(struct nctl_mirror *m, bool complete);

/*
 * Work that is done piece by piece, so that no call takes long: sweeps, and the routes of links and next-hop
 * objects that went (readers do not see them any more). budget: objects. True: there is more.
 */
bool nctl_mirror_work(struct nctl_mirror *m, size_t budget);
/*
 * The kernel changed more than it told (silent.c has the table): what must be dumped again to be sure. Takes
 * the next such scope. False: nothing is suspect.
 */
bool nctl_mirror_next_suspect(struct nctl_mirror *m, struct nctl_dump_scope *ret);

/* Readers. NULL where there is none. */
const struct nctl_mirror_link *nctl_mirror_link_get(const struct nctl_mirror *m, nctl_ifindex ifindex);
const struct nctl_mirror_link *nctl_mirror_link_find(const struct nctl_mirror *m, const char *name); /* or altname */
/* The first link with an index of at least ifindex: start with 1, go on with the last one's + 1. */
const struct nctl_mirror_link *nctl_mirror_link_from(const struct nctl_mirror *m, nctl_ifindex ifindex);
const struct nctl_mirror_link *nctl_mirror_link_next(const struct nctl_mirror_link *l);
size_t nctl_mirror_link_count(const struct nctl_mirror *m);
nctl_ifindex nctl_mirror_link_last(const struct nctl_mirror *m); /* the highest index, 0 none */

const struct nctl_mirror_addr *nctl_mirror_addr_get(const struct nctl_mirror *m, const struct nctl_addr *identity);
const struct nctl_mirror_addr *nctl_mirror_addr_first(const struct nctl_mirror_link *l);
const struct nctl_mirror_addr *nctl_mirror_addr_next(const struct nctl_mirror_addr *a);
/* The first holder of this very address (any length, any link), and the others behind it. */
const struct nctl_mirror_addr *nctl_mirror_addr_find(const struct nctl_mirror *m, const struct nctl_prefix *p);
size_t nctl_mirror_addr_count(const struct nctl_mirror *m);

/* For printers: names and states straight from the mirror. */
struct nctl_names nctl_mirror_names(const struct nctl_mirror *m);
