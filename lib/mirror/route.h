/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "mirror/mirror.h"
#include "obj/nexthop.h"
#include "obj/route.h"
#include "obj/rule.h"

/*
 * The routes, next-hop objects and rules of a mirror. A route is held in some ten bytes beside its key; all
 * else is in a set of attributes that equal routes share. So readers get views: values that borrow from the
 * mirror and are valid until the next call that feeds it or works for it.
 */

/* nlm_flags: of the message: NLM_F_REPLACE and NLM_F_APPEND mean something in IPv4 events. -ENOMEM as for
 * links. */
int nctl_mirror_route_put(
	struct nctl_mirror *m, const struct nctl_route *r, unsigned nlm_flags, enum nctl_source src);
/* RTM_DELROUTE: the first route that r describes (IPv6: the hops that go). */
int nctl_mirror_route_drop(struct nctl_mirror *m, const struct nctl_route *r);
int nctl_mirror_nexthop_put(struct nctl_mirror *m, const struct nctl_nexthop *n, enum nctl_source src);
int nctl_mirror_nexthop_drop(struct nctl_mirror *m, nctl_nhid id);
int nctl_mirror_rule_put(struct nctl_mirror *m, const struct nctl_rule *r, enum nctl_source src);
int nctl_mirror_rule_drop(struct nctl_mirror *m, const struct nctl_rule *r);

/* A route by reference, valid as a view is; 0: none. */
typedef uint32_t nctl_route_ref;
void nctl_mirror_route_view(const struct nctl_mirror *m, nctl_route_ref ref, struct nctl_route *ret);
/* Two routes with one id share all but their identity (and expiry): print the tail once. */
uint32_t nctl_mirror_route_set(const struct nctl_mirror *m, nctl_route_ref ref);

/*
 * A walk in the order of family, table, prefix (lpm), and the kernel's own order at one prefix. It survives
 * whatever happens between two steps: a route that is there all the time is given exactly once.
 */
#define NCTL_ROUTE_FEW 12 /* routes of a prefix that are kept in a plain list */
struct nctl_route_cursor {
	uint8_t family; /* only this one; AF_UNSPEC: both */
	bool one_table; /* only .table */
	nctl_table table;
	struct nctl_prefix within; /* only what it contains, itself included; AF_UNSPEC: all */
	/* where it is, the mirror's own business; zeroed at first: */
	bool begun, in_crowd;
	struct nctl_prefix at;
	uint8_t at_family;
	nctl_table at_table;
	uint32_t n_given;
	uint32_t given[NCTL_ROUTE_FEW]; /* routes of that prefix */
	struct nctl_prefix src;         /* in_crowd: the last one's place */
	uint8_t tos;
	uint32_t metric;
	int64_t place;
};
nctl_route_ref nctl_mirror_route_next(const struct nctl_mirror *m, struct nctl_route_cursor *c);
/* The first table of that family with an id of at least *table. False: there is none. */
bool nctl_mirror_table_from(const struct nctl_mirror *m, uint8_t family, nctl_table *table);

/* The first route of the longest prefix that contains p, and the one behind it at the same prefix. */
nctl_route_ref nctl_mirror_route_match(
	const struct nctl_mirror *m, nctl_table table, const struct nctl_prefix *p);
/* The first of that very prefix. */
nctl_route_ref nctl_mirror_route_get(
	const struct nctl_mirror *m, nctl_table table, const struct nctl_prefix *p);
/* The one that is the same to the kernel as r (which need not be equal in all that it shows), however many
 * routes that prefix has. */
nctl_route_ref nctl_mirror_route_find(const struct nctl_mirror *m, const struct nctl_route *r);
nctl_route_ref nctl_mirror_route_sibling(const struct nctl_mirror *m, nctl_route_ref ref);
size_t nctl_mirror_route_count(const struct nctl_mirror *m, uint8_t family); /* AF_UNSPEC: both */
/* Routes that have this link among their hops; those of next-hop objects are not in it. */
size_t nctl_mirror_route_count_link(const struct nctl_mirror *m, nctl_ifindex ifindex);
/* Bytes of memory that routes, their sets and indexes take. */
size_t nctl_mirror_route_bytes(const struct nctl_mirror *m);

/*
 * Routes that leave by a link, have this preferred source or next-hop object, or are of this protocol; objects that
 * leave by a link, groups that have this member. A walk costs what it gives, and ends with the next call that feeds
 * the mirror.
 */
struct nctl_route_walk {
	const struct nctl_mirror *m;
	const struct nctl_list *list, *at;
	uint32_t route;
	uint8_t family;
};
void nctl_mirror_routes_of_link(const struct nctl_mirror *m, nctl_ifindex oif, struct nctl_route_walk *w);
void nctl_mirror_routes_of_source(
	const struct nctl_mirror *m, const struct nctl_prefix *source, struct nctl_route_walk *w);
void nctl_mirror_routes_of_nexthop(const struct nctl_mirror *m, nctl_nhid id, struct nctl_route_walk *w);
void nctl_mirror_routes_of_protocol(const struct nctl_mirror *m, uint8_t protocol, struct nctl_route_walk *w);
nctl_route_ref nctl_mirror_routes_of_next(struct nctl_route_walk *w); /* 0: no more */
void nctl_mirror_nexthops_of_link(const struct nctl_mirror *m, nctl_ifindex oif, struct nctl_route_walk *w);
void nctl_mirror_nexthops_of_member(const struct nctl_mirror *m, nctl_nhid id, struct nctl_route_walk *w);
const struct nctl_nexthop *nctl_mirror_nexthops_of_next(struct nctl_route_walk *w); /* NULL: no more */
/* Is it one that the kernel joins with others of its metric to one multipath route (IPv6)? */
bool nctl_route_is_ecmp(const struct nctl_route *r);

/* NULL where there is none; the first with an id of at least id. Views are the mirror's own. */
const struct nctl_nexthop *nctl_mirror_nexthop_get(const struct nctl_mirror *m, nctl_nhid id);
const struct nctl_nexthop *nctl_mirror_nexthop_from(const struct nctl_mirror *m, nctl_nhid id);
size_t nctl_mirror_nexthop_count(const struct nctl_mirror *m);

/* In the kernel's order: family (AF_INET, AF_INET6, others), priority, age. nth: from 0; NULL: no more. */
const struct nctl_rule *nctl_mirror_rule_at(const struct nctl_mirror *m, uint8_t family, size_t nth);
/* One that is equal but for state, its protocol included. */
bool nctl_mirror_rule_has(const struct nctl_mirror *m, const struct nctl_rule *r);
size_t nctl_mirror_rule_count(const struct nctl_mirror *m, uint8_t family);
