/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "config/parse.h"

/* Names, and who refers to whom. Internal to daemon/config. */

/* What goes by a name. */
struct nd_name {
	struct nctl_hash_node node;
	const char *name;
	uint32_t netns;              /* its number: names are by namespace */
	struct nctl_want_link *link; /* NULL: left to another renderer */
	struct nctl_pos pos;
};

/* names.c. */
/* Reports a name that no link can have (limit: IF_NAMESIZE, or more for an altname); true if it is fine. */
bool nd_name_check(struct nd_parse *p, const char *name, size_t limit, struct nctl_pos pos);
/* Registers; reports the second holder of a name. name is not copied. link may be NULL. */
void nd_name_add(struct nd_parse *p, const struct nctl_want_netns *netns, const char *name,
	struct nctl_want_link *link, struct nctl_pos pos);
/* Who goes by this name in this namespace; NULL, reported unless p->broken, if nobody does. section: where it
 * should be defined, or NULL. */
const struct nd_name *nd_name_look_up(struct nd_parse *p, const struct nctl_want_netns *netns,
	const char *name, struct nctl_pos pos, const char *section);
/* " in the namespace \"X\"", or "" for the daemon's own. */
const char *nd_in_netns(struct nd_parse *p, const struct nctl_want_netns *netns);

/* A device is to be a port of another: said by its own `vrf:`, or by the master's list. */
struct nd_claim {
	struct nd_claim *next;
	const char *master_name, *port_name;
	struct nctl_want_link *master, *port; /* the one of them that said it */
	struct nctl_pos pos;
};

/* A value for a port's field, likewise. */
struct nd_port_param {
	struct nd_port_param *next;
	const char *key, *text, *port_name;
	struct nctl_want_link *master, *port;
	const struct nd_node *node;
	struct nctl_pos port_pos;
};

/* What is known of the other end of a pair beside its name; only where there is something to know. In the
 * order of the links. */
struct nd_peer {
	struct nd_peer *next;
	struct nctl_want_link *link;
	bool missing;      /* not said here: another definition has to say it */
	const char *netns; /* "": the daemon's own; NULL: said, but faulty */
	struct nctl_pos pos;
};

void nd_claim_add(struct nd_parse *p, const struct nd_claim *c);           /* copies */
void nd_port_param_add(struct nd_parse *p, const struct nd_port_param *c); /* copies */

void nd_peer_add(struct nd_parse *p, const struct nd_peer *peer); /* copies */

/* peers.c: the other ends of pairs. */
void nd_peers_resolve(struct nd_parse *p);
/* Reports that a device of another renderer was to be changed. */
void nd_left_alone(struct nd_parse *p, const char *name, struct nctl_pos pos);

/* refs.c: names become pointers; lower, peer, master, and the ports' fields. */
void nd_refs_resolve(struct nd_parse *p);

/* linksysctl.c: what the sysctls of a device contradict. */
void nd_check_link_sysctls(struct nd_parse *p, const struct nctl_want_link *l);

/* check.c, loops.c: what can be said only when all is known. */
void nd_check_links(struct nd_parse *p);
void nd_check_loops(struct nd_parse *p);
