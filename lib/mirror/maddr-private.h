/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "base/genset.h"
#include "base/hash.h"
#include "base/list.h"
#include "base/rbtree.h"
#include "mirror/maddr.h"

/* What the files of maddr share; nobody else includes it. */

/* One who wants an entry: (by, ifindex, group) is unique in it. */
struct nctl_maddr_want {
	struct nctl_rb_node node;
	uint32_t n;               /* how often */
	uint8_t by;               /* enum nctl_maddr_by */
	nctl_ifindex ifindex;     /* UPPER, PORT */
	struct nctl_prefix group; /* ADDRESS: the address itself; ALL, GROUP */
};

/* A link-layer address on a link. */
struct nctl_maddr_mac {
	struct nctl_rb_node node; /* in its link */
	struct nctl_maddr_link *link;
	struct nctl_list queued;      /* to be settled */
	struct nctl_genset_node seen; /* in a set: it was read back */
	struct nctl_rb_tree wants;
	uint32_t n_addresses; /* of wants */
	uint32_t users;       /* as read back */
	bool is_static;       /* as read back */
	bool handed_down;     /* over all edges of its link */
	struct nctl_lladdr mac;
};

struct nctl_maddr_group {
	struct nctl_rb_node node;
	struct nctl_maddr_link *link;
	struct nctl_genset_node seen;
	uint32_t users;
	bool wants; /* its link-layer address */
	struct nctl_prefix group;
};

/* from hands its link-layer addresses down to to, while to is not NULL. */
struct nctl_maddr_edge {
	struct nctl_list in_from;
	struct nctl_maddr_link *from, *to;
	bool lacp;
};

/* A link that is here, or that another one names, or still gets something from above. */
struct nctl_maddr_link {
	struct nctl_hash_node node;
	nctl_ifindex ifindex;
	uint32_t n_named; /* by how many links, as lower or master */
	bool here, up, ethernet, solicits, all_hosts, all_nodes;
	bool to_lower, to_ports; /* what its kind hands down */
	struct nctl_kind_ports ports_rule;
	struct nctl_maddr_link *lower, *master;
	bool registers, registered;   /* its kind has lower listen for GVRP and MVRP; lower does */
	struct nctl_maddr_edge down;  /* to its lower */
	struct nctl_maddr_edge above; /* from its master */
	struct nctl_list outs;        /* edges from here */
	struct nctl_list ports, in_master;
	struct nctl_rb_tree macs, groups;
};

struct nctl_maddrs {
	struct nctl_hash links;
	struct nctl_list queue; /* struct nctl_maddr_mac whose wants changed */
	struct nctl_genset seen_macs, seen_groups;
	size_t n_macs;
	bool incomplete;
};

struct nctl_maddr_link *nctl_maddr_link_find(const struct nctl_maddrs *s, nctl_ifindex ifindex);
struct nctl_maddr_mac *nctl_maddr_mac_find(const struct nctl_maddr_link *l, const struct nctl_lladdr *mac);
/* NULL: no memory, and s is incomplete. */
struct nctl_maddr_mac *nctl_maddr_mac_make(
	struct nctl_maddrs *s, struct nctl_maddr_link *l, const struct nctl_lladdr *mac);

/* One more, or one fewer, who wants mac on l; what follows from that by nctl_maddr_settle. */
void nctl_maddr_want(struct nctl_maddrs *s, struct nctl_maddr_link *l, const struct nctl_lladdr *mac,
	const struct nctl_maddr_want *who);
void nctl_maddr_unwant(struct nctl_maddrs *s, struct nctl_maddr_link *l, const struct nctl_lladdr *mac,
	const struct nctl_maddr_want *who);
bool nctl_maddr_has_want(const struct nctl_maddr_mac *e, const struct nctl_maddr_want *who);
void nctl_maddr_queue(struct nctl_maddrs *s, struct nctl_maddr_mac *e);
void nctl_maddr_settle(struct nctl_maddrs *s);
/* l is gone: all that it wanted itself goes, all that was read back of it as well. */
void nctl_maddr_clear(struct nctl_maddrs *s, struct nctl_maddr_link *l);
/* Of a store that ends: frees, settles nothing. */
void nctl_maddr_drop(struct nctl_maddrs *s, struct nctl_maddr_link *l);
struct nctl_maddr_group *nctl_maddr_group_find(
	const struct nctl_maddr_link *l, const struct nctl_prefix *group);
void nctl_maddr_group_free(struct nctl_maddrs *s, struct nctl_maddr_group *g);

/* The edges: on or off, and what that hands down or takes back. to NULL: off. */
void nctl_maddr_edge_set(struct nctl_maddrs *s, struct nctl_maddr_edge *e, struct nctl_maddr_link *from,
	struct nctl_maddr_link *to, bool lacp);
