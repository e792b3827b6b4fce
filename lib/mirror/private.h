/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "mirror/maddr.h"
#include "mirror/mirror.h"
#include "mirror/store.h"

/* What the files of lib/mirror share; nobody else includes it. */

struct nctl_mirror_altname {
	struct nctl_hash_node by_name;
	struct nctl_mirror_link *link;
	const char *name; /* in link->v.altnames */
};

/* The full list of one type: what it has touched, and what events said meanwhile. */
struct nctl_mirror_list {
	struct nctl_genset gen;
	bool dumping;
	bool sweeping; /* the stale ones go, bit by bit */
	nctl_time dumped; /* when the last list ended */
	uint64_t serial;        /* steps at each dump_begin; starts at 1, so that 0 means "never touched" */
	struct nctl_hash tombs; /* struct tomb: what events removed since dump_begin */
};

#define NCTL_LAG_US 10000000 /* events are not that late */
#define NCTL_SUSPECTS (16 * NCTL_OBJECT_N_TYPES) /* see suspect.c */

struct nctl_mirror {
	struct nctl_rb_tree by_index;
	struct nctl_hash by_name;
	struct nctl_hash by_altname;
	struct nctl_hash bonds; /* see bonds.c */
	size_t n_bridges; /* links of a kind that has VLANs (NCTL_KIND_VLANS) */
	struct nctl_hash
		ghosts; /* struct ghost: links that others name as master or lower and that are not here */
	struct nctl_rb_tree by_prefix; /* all addresses */
	int64_t first_place, last_place; /* of addresses */
	struct nctl_mirror_list lists[NCTL_OBJECT_N_TYPES];
	struct nctl_dump_scope scope; /* of the dump that is on, or was last */
	struct nctl_maddrs *maddrs;
	struct nctl_fib fibs[2];      /* IPv4, IPv6 */
	struct nctl_slab sets;        /* struct nctl_set *, by their ids */
	struct nctl_hash by_content;  /* sets */
	struct nctl_list dead_sets, changed_sets;
	size_t set_bytes;
	uint32_t *recent_sets; /* NULL: none yet; see route-set.c */
	struct nctl_slab nodes;       /* of routes in crowds */
	struct nctl_hash by_identity; /* these */
	uint64_t n_crowds;            /* that there ever were */
	size_t crowd_bytes;
	struct nctl_hash refs;       /* struct nctl_ref_head */
	struct nctl_hash expiries;   /* struct expiry */
	struct nctl_hop *hops;       /* room for the hops of a route in the making */
	uint32_t n_hops;
	struct nctl_rb_tree nexthops; /* struct nctl_nexthop_entry by id */
	struct nctl_rule_entry **rules; /* in the kernel's order */
	size_t n_rules, max_rules;
	struct nctl_hash rules_by_content, rules_by_link[2];
	size_t n_gotos;
	bool rules_by_altname; /* one may know a link by another name than its own */
	struct nctl_rule_entry *rule_placed; /* of the dump's last entry; NULL none */
	uint64_t rules_told;                 /* serial of the last rule dump that events overlapped */
	uint32_t stamp; /* the last sweep's */
	struct nctl_dump_scope suspects[NCTL_SUSPECTS];
	size_t n_suspects;
	struct nctl_subs subs, own_subs;
	uint8_t own_protocol; /* of the routes that own_subs hear of */
	struct nctl_mirror_stats stats;
};

/* mirror.c: to all who listen; of routes, nctl_route_tell knows who does. */
void nctl_mirror_tell(struct nctl_mirror *m, const struct nctl_change *c);

/* relation.c: who is port of whom, who stands on whom. */
void nctl_relation_link(struct nctl_mirror *m, struct nctl_mirror_link *l);
void nctl_relation_unlink(struct nctl_mirror *m, struct nctl_mirror_link *l);
/* For want of memory l may be in no list (nctl_relation_leave); its next message puts it back. */
void nctl_relation_repair(struct nctl_mirror *m, struct nctl_mirror_link *l);
/* l names others than old did: ghosts that only old had named go. */
void nctl_relation_forget(struct nctl_mirror *m, const struct nctl_link *old);
/* Room for the ghosts that link and unlink of l may need, so that they cannot fail. 0 or -ENOMEM. */
int nctl_relation_reserve(struct nctl_mirror *m, const struct nctl_link *v);
/* l is new: takes over those who waited for it. l goes: those who name it wait again. */
void nctl_relation_arrive(struct nctl_mirror *m, struct nctl_mirror_link *l);
void nctl_relation_leave(struct nctl_mirror *m, struct nctl_mirror_link *l);
void nctl_relation_fini(struct nctl_mirror *m);

/* dump.c: events win over dump entries. key tells an object from all others of its type. */
void nctl_mirror_list_init(struct nctl_mirror_list *l);
void nctl_mirror_list_fini(struct nctl_mirror_list *l);
void nctl_mirror_list_bury(struct nctl_mirror_list *l, uint64_t key);
void nctl_mirror_list_revive(struct nctl_mirror_list *l, uint64_t key);
bool nctl_mirror_list_is_buried(const struct nctl_mirror_list *l, uint64_t key);
/* Is this value older than what we have? Counts it if so. touched: of the object, NULL when we have none. */
bool nctl_mirror_is_overtaken(struct nctl_mirror *m, enum nctl_object_type type, const uint64_t *touched,
	uint64_t key, enum nctl_source src);

/* addr.c */
bool nctl_mirror_has_v4(const struct nctl_mirror *m, nctl_ifindex ifindex);
void nctl_mirror_addr_remove(struct nctl_mirror *m, struct nctl_mirror_link *l, struct nctl_mirror_addr *a);
/* The same of one whose link stays: with what the kernel changes then. */
void nctl_mirror_addr_lose(struct nctl_mirror *m, struct nctl_mirror_link *l, struct nctl_mirror_addr *a);

/* vlans.c: takes over what l's VLANs are into v, a newer message of it, which never says them. */
void nctl_mirror_link_keep_vlans(const struct nctl_mirror_link *l, struct nctl_link *v);
void nctl_mirror_count_bridge(
	struct nctl_mirror *m, const struct nctl_link *old, const struct nctl_link *new);

/* bonds.c: l is one of value v, or not. 0, or -ENOMEM: it is not in the index then. */
int nctl_bonds_add(struct nctl_mirror *m, struct nctl_mirror_link *l, const struct nctl_link *v);
void nctl_bonds_del(struct nctl_mirror *m, struct nctl_mirror_link *l);
/* Another link than this one that has the same MAC, is a bond, and has no ports. */
bool nctl_bonds_has_empty(const struct nctl_mirror *m, const struct nctl_link *like);

/* link.c */
void nctl_mirror_link_notify(struct nctl_mirror *m, enum nctl_change_op op, const struct nctl_link *old,
	const struct nctl_link *new, const struct nctl_link_diff *diff);
struct nctl_mirror_link *nctl_mirror_link_lookup(const struct nctl_mirror *m, nctl_ifindex ifindex);
void nctl_mirror_link_remove(struct nctl_mirror *m, struct nctl_mirror_link *l);
