/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "config/device.h"
#include "config/parse.h"
#include "obj/fib-keys.h"
#include "plan/want-route.h"

/*
 * Routes, next-hop objects and rules. What is said of them is collected while definitions are read, and put
 * in its place when all names are known. Internal to daemon/config.
 */

struct nd_route {
	struct nd_route *next;
	struct nctl_want_netns *netns;
	struct nctl_want_route w;
	bool has_table, onlink;
	struct nctl_pos table_pos, via_pos;
	struct nctl_pos nexthop_pos;
};

struct nd_nexthop {
	struct nd_nexthop *next;
	struct nctl_want_netns *netns;
	struct nctl_want_nexthop w;
	struct nctl_pos *member_pos; /* as many as members */
};

struct nd_rule {
	struct nd_rule *next;
	struct nctl_want_netns *netns;
	struct nctl_want_rule w;
	const struct nctl_want_link *link; /* whose definition says it; NULL: none */
	bool has_table;
	struct nctl_pos table_pos;
};

struct nd_neigh {
	struct nd_neigh *next;
	struct nctl_want_netns *netns;
	struct nctl_want_neigh w;
};

/* form.c: the keys of a mapping that a table has, into form. `other`: one more key, whose value is not read
 * but given back (NULL: there is none). False: a finding, or no memory. */
bool nd_form_read(struct nd_dev *d, const struct nd_node *mapping, const struct nctl_field_table *t,
	void *form, const char *other, const struct nd_node **ret_other, uint64_t *ret_given);
/* Where the value of this key stands, or else the mapping. */
struct nctl_pos nd_form_pos(const struct nd_dev *d, const struct nd_node *mapping, const char *key);
/* A network, "ADDRESS" or "ADDRESS/LENGTH"; host bits are reported and taken away. */
bool nd_form_prefix(struct nd_dev *d, const struct nd_node *mapping, const char *key, const char *text,
	struct nctl_prefix *ret);
const char *nd_family_name(uint8_t family);

/* routes.c: keys of a definition. */
void nd_step_routes(struct nd_dev *d, const struct nd_step *s);
void nd_step_gateway(struct nd_dev *d, const struct nd_step *s);
/* metrics.c: the payload of RTA_METRICS, as the kernel shows it. */
struct nctl_bytes nd_route_metrics(struct nd_parse *p, const struct nctl_route_form *form);

/* rules.c: the key of a definition, and of network or a namespace. */
void nd_step_rules(struct nd_dev *d, const struct nd_step *s);
void nd_rules_read(struct nd_parse *p, const struct nd_node *node, const struct nd_scope *scope);

/* neighs.c */
void nd_step_neighs(struct nd_dev *d, const struct nd_step *s);
void nd_neighs_check(struct nd_parse *p);

/* nexthops.c */
void nd_nexthops_read(struct nd_parse *p, const struct nd_node *node, const struct nd_scope *scope);

/* routing.c: names become links, tables those of VRFs; then all is checked, and put into the want. */
void nd_routing_init(struct nd_parse *p);
void nd_routing_resolve(struct nd_parse *p);
/* The table of a VRF, or of the VRF that the link is in; 0: none. */
nctl_table nd_routing_table(const struct nctl_want_link *l);
/* routes-check.c: what must not be twice, gateways that nobody can reach. */
void nd_routes_check(struct nd_parse *p);
