/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "mirror/private.h"
#include "mirror/store.h"

/* What the files of lib/mirror that hold routes, next hops and rules offer each other. */

/* State of links or drivers in rtm_flags: NCTL_HOP_STATE, RTM_F_OFFLOAD, RTM_F_TRAP, RTM_F_OFFLOAD_FAILED. */
#define NCTL_ROUTE_STATE_FLAGS (NCTL_HOP_STATE | 0x2000C000U)

/* Does anybody listen to what becomes of routes of this protocol? */
static inline bool nctl_mirror_is_heard(const struct nctl_mirror *m, uint8_t protocol)
{
	return !nctl_list_empty(&m->subs.subs) ||
	       (protocol == m->own_protocol && !nctl_list_empty(&m->own_subs.subs));
}

static inline enum nctl_object_type nctl_fib_type(const struct nctl_fib *f)
{
	return f->family == AF_INET ? NCTL_OBJECT_ROUTE4 : NCTL_OBJECT_ROUTE6;
}

static inline struct nctl_fib *nctl_fib_of(struct nctl_mirror *m, uint8_t family)
{
	return &m->fibs[family == AF_INET6];
}

static inline struct nctl_set *nctl_set_at(const struct nctl_mirror *m, uint32_t id)
{
	return *(struct nctl_set **)nctl_slab_at(&m->sets, id);
}

static inline struct nctl_set *nctl_set_of(const struct nctl_fib *f, uint32_t route)
{
	return nctl_set_at(f->m, nctl_rec_at(f, route)->set);
}

/* refs.c: who refers to a link, a next-hop object, a local address. attach: 0 or -ENOMEM. */
int nctl_ref_attach(struct nctl_mirror *m, struct nctl_ref *r, void *owner, enum nctl_ref_kind kind,
	uint32_t number, const struct nctl_prefix *prefix);
void nctl_ref_detach(struct nctl_mirror *m, struct nctl_ref *r);
struct nctl_ref_head *nctl_ref_head(const struct nctl_mirror *m, enum nctl_ref_kind kind, uint32_t number,
	const struct nctl_prefix *prefix);
uint64_t nctl_ref_key(enum nctl_ref_kind kind, uint32_t number, const struct nctl_prefix *prefix);

/* route-same.c: which routes are the same, and in what order they stand at a prefix. */
/* Both have equal keys. */
bool nctl_route_same(const struct nctl_route *a, const struct nctl_route *b);
/* Equal for two routes that are the same. */
uint64_t nctl_route_ident(const struct nctl_route *r);
uint64_t nctl_hop_ident(
	const struct nctl_hop *h); /* the same, IPv6, of a route with this hop that is no sibling */
/* What routes of one prefix are in order by. */
struct nctl_key {
	struct nctl_prefix src;
	uint8_t tos;
	uint32_t metric;
};
int nctl_key_cmp(const struct nctl_key *a, const struct nctl_key *b);

static inline struct nctl_key nctl_key_of(const struct nctl_route *r, uint32_t metric)
{
	return (struct nctl_key){.src = r->src, .tos = r->tos, .metric = metric};
}

/* All that a set holds: equal, and the hash of it. */
bool nctl_route_content_equal(const struct nctl_route *a, const struct nctl_route *b);
uint64_t nctl_route_content_hash(const struct nctl_route *r);
/* What tells a route from all others, for the tombs. */
uint64_t nctl_route_tomb(const struct nctl_route *r);

/* route-set.c: sets of attributes. make: an equal one or a new one without routes; NULL: no memory. */
struct nctl_set *nctl_set_make(struct nctl_mirror *m, const struct nctl_route *r);
void nctl_set_add(struct nctl_fib *f, struct nctl_set *s, uint32_t route);
void nctl_set_del(struct nctl_fib *f, struct nctl_set *s, uint32_t route);
/* Frees it if it has no routes. */
void nctl_set_release(struct nctl_mirror *m, struct nctl_set *s);
/* Its routes are gone as far as readers are concerned; nctl_set_reap takes them away. */
void nctl_set_kill(struct nctl_mirror *m, struct nctl_set *s);
/* It was changed in place; its routes are told of it bit by bit. */
void nctl_set_changed(struct nctl_mirror *m, struct nctl_set *s, uint64_t diff);
/* In place: it has no hops on this link any more; no preferred source. nctl_set_changed comes behind. */
void nctl_set_unlink(struct nctl_mirror *m, struct nctl_set *s, nctl_ifindex oif);
void nctl_set_unsource(struct nctl_mirror *m, struct nctl_set *s);
/* Takes up to *budget routes of dead sets away, tells of that many changed ones. True: there is more. */
bool nctl_set_work(struct nctl_mirror *m, size_t *budget);
bool nctl_set_has_work(const struct nctl_mirror *m);
void nctl_set_init(struct nctl_mirror *m);
void nctl_set_fini(struct nctl_mirror *m);

/* dump.c: is there a dump, or was there just now, that may have been ahead of events? */
bool nctl_list_is_recent(const struct nctl_mirror *m, enum nctl_object_type type);
void nctl_route_bury(struct nctl_mirror *m, const struct nctl_route *r);
bool nctl_route_is_buried(const struct nctl_mirror *m, const struct nctl_route *r);
/* It is there, but a change without a word since the dump began may have made it another. */
bool nctl_route_is_outdated(const struct nctl_mirror *m, const struct nctl_route *r);
/* A dump that is on knows nothing of what went with all that refers to this. */
void nctl_ref_bury(struct nctl_mirror *m, enum nctl_object_type type, enum nctl_ref_kind kind,
	uint32_t number, const struct nctl_prefix *prefix);

/* silent.c: what the kernel changes without a word, see there. */
void nctl_silent_link(struct nctl_mirror *m, const struct nctl_link *old, const struct nctl_link *new,
	const struct nctl_link_diff *diff);
/* There was an event, whether it told of a change or not. */
void nctl_silent_link_told(struct nctl_mirror *m, const struct nctl_link *v);
void nctl_silent_link_gone(struct nctl_mirror *m, const struct nctl_link *old);
void nctl_silent_addr_first(struct nctl_mirror *m, const struct nctl_link *l); /* of IPv4 there */
void nctl_silent_addr_gone(struct nctl_mirror *m, const struct nctl_addr *old);
void nctl_silent_nexthop_gone(struct nctl_mirror *m, nctl_nhid id);
void nctl_silent_members_changed(struct nctl_mirror *m, nctl_nhid id);
/* late.c */
bool nctl_link_has_carrier(const struct nctl_link *l);
bool nctl_route_is_held_open(const struct nctl_route *r); /* it has no part in its link's carrier */
/*
 * An event is older than what a dump said of its links: what happened to these, and to the route or object with
 * them, has an event to come that will change nothing.
 */
bool nctl_silent_is_late(const struct nctl_mirror *m, const struct nctl_route *r);
bool nctl_silent_nexthop_is_late(const struct nctl_mirror *m, const struct nctl_nexthop *n);
/* suspect.c */
void nctl_suspect(struct nctl_mirror *m, enum nctl_object_type type, nctl_table table, nctl_ifindex oif);
void nctl_suspect_none(struct nctl_mirror *m, nctl_ifindex oif); /* of those about this link alone */

/* nexthop.c, rule.c */
void nctl_nexthop_remove(struct nctl_mirror *m, struct nctl_nexthop_entry *n);
void nctl_nexthop_fini(struct nctl_mirror *m);
void nctl_rule_remove(struct nctl_mirror *m, struct nctl_rule_entry *r);
void nctl_rule_fini(struct nctl_mirror *m);
/* A link of this name came or went: the rules that name it. */
void nctl_rule_link(struct nctl_mirror *m, const char *name);
/* Of a route, of the routes of a set: by its links, if they are a few, or else the table. */
void nctl_suspect_route(struct nctl_mirror *m, const struct nctl_route *r);
void nctl_suspect_set(struct nctl_mirror *m, const struct nctl_set *s);
/*
 * A message and what we have do not fit: a dump was ahead of it, or another message was lost. The routes
 * of this key but for the match are suspect.
 */
void nctl_suspect_equals(struct nctl_fib *f, const struct nctl_spot *spot);
