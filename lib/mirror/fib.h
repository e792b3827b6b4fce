/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "mirror/parts.h"

/* What the files that hold routes offer each other: their order, their records, sweeps over them. */

/* crowd.c: the routes of a prefix that has many. */
void nctl_crowd_init(struct nctl_mirror *m);
void nctl_crowd_fini(struct nctl_mirror *m);
struct nctl_crowd *nctl_crowd_of(const struct nctl_fib *f, uint32_t route);
/* All routes from first on become a crowd, as their prefix's order is. 0 or -ENOMEM: as before. */
int nctl_crowd_found(struct nctl_fib *f, uint32_t first);
/* route, which is in no list, goes behind `after`, or to the front of its equals (after 0). 0 or -ENOMEM. */
int nctl_crowd_join(struct nctl_fib *f, struct nctl_crowd *c, uint32_t route, uint32_t after);
/* Frees c with its last route. */
void nctl_crowd_leave(struct nctl_fib *f, uint32_t route);
/* Behind `after`, in the same crowd and of the same key; after 0: in front of its equals. */
void nctl_crowd_move(struct nctl_fib *f, uint32_t route, uint32_t after);
void nctl_crowd_rekey(struct nctl_fib *f, uint32_t route); /* it has another set now */
uint32_t nctl_crowd_first(const struct nctl_crowd *c);
uint32_t nctl_crowd_next(const struct nctl_fib *f, uint32_t route);
void nctl_crowd_find(
	const struct nctl_fib *f, struct nctl_crowd *c, const struct nctl_route *r, struct nctl_spot *spot);
/* A dead route of the same identity as r, or 0. */
uint32_t nctl_crowd_dead(const struct nctl_fib *f, struct nctl_crowd *c, const struct nctl_route *r);
/* The live one that is the same to the kernel as r, or 0. */
uint32_t nctl_crowd_same(const struct nctl_fib *f, struct nctl_crowd *c, const struct nctl_route *r);
/* For cursors: the first behind a place, which need not exist any more. */
uint32_t nctl_crowd_after(const struct nctl_crowd *c, const struct nctl_route_cursor *cursor);
void nctl_crowd_mark(const struct nctl_fib *f, uint32_t route, struct nctl_route_cursor *cursor);

/* route-list.c: tables, and the order of routes at one prefix. */
void nctl_fib_init(struct nctl_mirror *m, uint8_t family);
void nctl_fib_fini(struct nctl_fib *f);
struct nctl_fib_table *nctl_fib_table(const struct nctl_fib *f, nctl_table id);
struct nctl_fib_table *nctl_fib_table_from(const struct nctl_fib *f, nctl_table id);
int nctl_fib_table_make(struct nctl_fib *f, nctl_table id, struct nctl_fib_table **ret);
void nctl_fib_table_release(struct nctl_fib *f, struct nctl_fib_table *t); /* if it is empty */
struct nctl_prefix nctl_fib_prefix(const struct nctl_fib *f, uint32_t route);
bool nctl_fib_is_live(const struct nctl_fib *f, uint32_t route);
uint32_t nctl_fib_next(const struct nctl_fib *f, uint32_t route);
uint32_t nctl_fib_live(const struct nctl_fib *f, uint32_t route); /* it or the first live one behind it */
/* Live, and to NLM_F_REPLACE of its kind (IPv6: both siblings or both not). */
bool nctl_fib_is_kin(const struct nctl_fib *f, uint32_t route, const struct nctl_route *r);
/* Takes dead ones that r would be mistaken for away. */
void nctl_fib_find(
	struct nctl_fib *f, struct nctl_fib_table *t, const struct nctl_route *r, struct nctl_spot *ret);
/* Behind `after` of the same key; 0: in front of its equals. 0 or -ENOMEM. */
int nctl_fib_link(struct nctl_fib *f, struct nctl_spot *spot, uint32_t route, uint32_t after);
void nctl_fib_move(struct nctl_fib *f, const struct nctl_spot *spot, uint32_t route, uint32_t after);
void nctl_fib_unlink(struct nctl_fib *f, struct nctl_fib_table *t, uint32_t route);

/* route.c */
/* With a change record, and with its table if that is empty then and not kept. */
void nctl_route_remove(struct nctl_fib *f, uint32_t route, bool keep_table);
void nctl_route_fill(const struct nctl_fib *f, uint32_t route, struct nctl_route *ret);
/* Whose word it is; of events, whether they also said where it stands: before or behind its equals. */
enum nctl_touch { NCTL_TOUCH_DUMP, NCTL_TOUCH_EVENT, NCTL_TOUCH_FRONT, NCTL_TOUCH_BACK, NCTL_TOUCH_NOT };
/* Replaces the attributes. 0 or -ENOMEM. */
int nctl_route_update(struct nctl_fib *f, uint32_t route, const struct nctl_route *r, enum nctl_touch by);
void nctl_route_tell(struct nctl_fib *f, enum nctl_change_op op, const struct nctl_route *old,
	const struct nctl_route *new, uint64_t diff);

typedef bool (*nctl_hop_filter)(const void *userdata, const struct nctl_hop *h);
/* Takes hops away, with the last one the route. 0 or -ENOMEM: as before. */
int nctl_route_without(
	struct nctl_fib *f, uint32_t route, nctl_hop_filter goes, const void *userdata, enum nctl_touch by);

/* expiry.c: when the few routes that end by themselves do. */
int nctl_expiry_set(struct nctl_fib *f, uint32_t route, int32_t seconds); /* 0: never. 0 or -ENOMEM */
int32_t nctl_expiry_get(const struct nctl_fib *f, uint32_t route);
void nctl_expiry_fini(struct nctl_mirror *m);

/* sweep.c */
void nctl_sweep_begin(struct nctl_fib *f);
void nctl_sweep_start(struct nctl_fib *f, const struct nctl_dump_scope *scope);
void nctl_sweep_end(struct nctl_fib *f);
/* Was there a dump just now, that may have been ahead of events? */
bool nctl_sweep_is_recent(struct nctl_fib *f);
/* Did a sweep take one of this key away since? */
bool nctl_sweep_is_in_doubt(const struct nctl_fib *f, const struct nctl_route *r);
bool nctl_sweep_work(struct nctl_fib *f, size_t *budget);
void nctl_sweep_leave(struct nctl_fib *f, uint32_t route);
