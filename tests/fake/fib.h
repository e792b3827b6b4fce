/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "fake/core.h"
#include "fake/rule.h"
#include "fake/wire.h"

/*
 * Routes, next-hop objects and rules of the fake kernel. An IPv4 route has all its hops; an IPv6 route has
 * one, and those that differ in nothing else than a gateway are siblings, as in the kernel.
 */

enum { FK_MAX_HOPS = 16, FK_METRICS_MAX = 128 };
enum { FK_PRIO_USER = 1024, FK_PRIO_ADDRCONF = 256 };
#define FK_F_STATE ((uint8_t)(RTNH_F_DEAD | RTNH_F_LINKDOWN))

struct fk_hop {
	int oif; /* 0: none */
	uint8_t via_family, via[16];
	uint8_t weight; /* less one, as in rtnh_hops */
	uint8_t flags;  /* RTNH_F_* */
	uint8_t scope;  /* IPv4: of the way to the gateway */
};

struct fk_prefix; /* routes.c */

/* What walks over all routes look at comes first. */
struct fk_route {
	struct nctl_list
		node; /* in its namespace's routes of the family: by table, prefix, then as it does */
	struct fk_nexthop *nh; /* NULL: hops */
	unsigned n_hops;
	uint32_t table, metric, flags; /* flags: fib_flags, of several hops */
	struct fk_hop hops[FK_MAX_HOPS];
	struct fk_prefix *prefix;
	uint8_t family, len, tos, type, scope, protocol, pref;
	uint8_t dst[16], prefsrc[16];
	bool has_prefsrc, flush, prefsrc_gone;
	uint8_t metrics[FK_METRICS_MAX];
	size_t metrics_len;
};

struct fk_member {
	struct fk_nexthop *nh;
	uint16_t weight; /* less one */
};

struct fk_nexthop {
	struct nctl_list node; /* in its namespace's, by id */
	uint32_t id;
	uint8_t family, scope, protocol;
	uint32_t flags;
	bool blackhole, group;
	struct fk_hop hop;
	unsigned n_members;
	struct fk_member members[FK_MAX_HOPS];
	uint64_t born;
};

/* What a request says of a route. */
struct fk_route_req {
	struct fk_route r;              /* hops of RTA_MULTIPATH, or the one of RTA_OIF and RTA_GATEWAY */
	bool multipath, onlink, kernel; /* kernel: its own, no request */
	uint32_t nhid;
	uint16_t flags; /* NLM_F_* */
};

/* routes.c: the store, and what looks things up in it */
struct nctl_list *fk_routes(struct fk_netns *ns, uint8_t family);
int fk_route_key_cmp(const struct fk_route *a, const struct fk_route *b); /* table and prefix */
bool fk_route_same_prefix(const struct fk_route *a, const struct fk_route *b);
struct fk_route *fk_route_first(struct fk_netns *ns, const struct fk_route *key); /* of its prefix; NULL */
struct fk_route *fk_route_next(struct fk_netns *ns, struct fk_route *r); /* of the same prefix; NULL */
void fk_route_insert(struct fk_netns *ns, struct fk_route *r, struct fk_route *before); /* NULL: last */
void fk_route_unlink(struct fk_netns *ns, struct fk_route *r);
struct fk_route *fk_route_last(struct fk_netns *ns, const struct fk_route *key);
bool fk_prefix_has(const uint8_t *prefix, unsigned len, const uint8_t *addr);
void fk_prefix_mask(uint8_t *addr, unsigned len, unsigned bytes);
unsigned fk_route_hops(const struct fk_route *r, struct fk_hop *ret); /* also of a next-hop object */
/* IPv6: of its siblings too, unless alone. */
unsigned fk_collect_hops(struct fk_netns *ns, const struct fk_route *r, bool alone, struct fk_hop *hops);
uint32_t fk_table_of(const struct fk_link *l, uint32_t otherwise);    /* l3mdev_fib_table() */
bool fk_table_exists(struct fk_netns *ns, uint8_t family, uint32_t table);
void fk_table_make(struct fk_netns *ns, uint8_t family, uint32_t table);
void fk_routes_free(struct fk_netns *ns);

/* routemsg.c */
void fk_put_route(struct fk_buf *b, struct fk_netns *ns, const struct fk_route *r, bool alone, uint16_t type,
	uint16_t flags, uint32_t seq); /* alone: without its siblings */
void fk_put_nexthop(struct fk_buf *b, const struct nctl_fake *f, const struct fk_nexthop *n, uint16_t type,
	uint16_t flags, uint32_t seq);
void fk_put_rule(struct fk_buf *b, struct fk_netns *ns, const struct fk_rule *r, uint16_t type,
	uint16_t flags, uint32_t seq);
void fk_route_event(struct fk_netns *ns, const struct fk_route *r, uint16_t type, uint16_t flags);
void fk_nexthop_event(struct fk_netns *ns, const struct fk_nexthop *n, uint16_t type);
void fk_rule_event(struct fk_netns *ns, const struct fk_rule *r, uint16_t type);

/* routereq.c */
int fk_route_request(struct fk_req *rq);

/* fib4.c */
int fk_fib4_insert(struct fk_req *rq, struct fk_netns *ns, struct fk_route_req *q);
int fk_fib4_delete(struct fk_req *rq, struct fk_netns *ns, const struct fk_route_req *q);
void fk_fib4_flush(struct fk_netns *ns);
/* fib4-check.c */
int fk_fib4_check_hop(
	struct fk_req *rq, struct fk_netns *ns, struct fk_hop *h, uint32_t table, uint8_t scope, bool onlink);
uint8_t fk_fib4_addr_type(struct fk_netns *ns, const uint8_t *addr, uint32_t table);
bool fk_fib4_valid_prefsrc(struct fk_netns *ns, const struct fk_route *r);
/* fib4-kernel.c */
void fk_fib4_event(struct nctl_fake *f, struct fk_link *l, enum fk_event ev);
void fk_fib4_vrf_moved(struct fk_link *l);
void fk_fib4_addr(struct fk_addr *a, bool added);
void fk_fib4_metric(struct fk_addr *a, uint32_t metric);

/* fib6.c */
int fk_fib6_add(struct fk_req *rq, struct fk_netns *ns, struct fk_route_req *q);
int fk_fib6_del(struct fk_req *rq, struct fk_netns *ns, const struct fk_route_req *q);
void fk_fib6_remove(struct fk_netns *ns, struct fk_route *r, bool say);
bool fk_fib6_is_ecmp(const struct fk_route *r);
bool fk_fib6_siblings(const struct fk_route *a, const struct fk_route *b);
int fk_fib6_check_hop(
	struct fk_req *rq, struct fk_netns *ns, const struct fk_route *r, struct fk_hop *h, bool onlink);
/* fib6-kernel.c */
void fk_fib6_sync_up(struct fk_link *l, bool dead);
void fk_fib6_sync_down(struct fk_link *l, enum fk_event ev);
void fk_fib6_multicast(struct fk_link *l);
void fk_fib6_prefix(const struct fk_addr *a);
void fk_fib6_addr(struct fk_addr *a);
void fk_fib6_peer_gone(const struct fk_addr *a);
void fk_fib6_addr_gone(struct fk_addr *a, bool down);
void fk_fib6_modified(struct fk_addr *a, bool had_prefix);
void fk_fib6_permanent(struct fk_link *l);
void fk_fib6_mtu(struct fk_link *l);
bool fk_fib6_has_addr(struct fk_netns *ns, const uint8_t *addr, const struct fk_link *l, bool any_link);

/* nexthop.c */
struct fk_nexthop *fk_nexthop_find(struct fk_netns *ns, uint32_t id);
int fk_nexthop_request(struct fk_req *rq);
void fk_nexthop_link_event(struct fk_link *l, enum fk_event ev);
void fk_nexthops_free(struct fk_netns *ns);
