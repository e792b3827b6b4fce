/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "mirror/route.h"
#include "random.h"

/*
 * A naive kernel beside a mirror: arrays of routes in the order of the kernel, searched from end to end, and
 * messages with the flags by which it would send them, which the mirror reads late. What the change records
 * say is added up beside it.
 */
enum { RM_HOPS = 4, RM_ROUTES = 512, RM_QUEUE = 256, RM_LINKS = 6 };

struct rm_route {
	struct nctl_route v; /* hops: own ones, see rm_view */
	struct nctl_hop hops[RM_HOPS];
};

struct rm_message {
	enum { RM_NEW, RM_DEL, RM_LINK_NEW, RM_LINK_DEL } what;
	unsigned flags;
	nctl_ifindex ifindex;
	struct rm_route route;
};

struct rmodel {
	struct nctl_mirror *mirror;
	struct nctl_sub sub;
	struct random rng;
	unsigned prefixes;
	bool links[RM_LINKS + 1];
	struct rm_route kernel[RM_ROUTES];
	unsigned n;
	struct rm_message queue[RM_QUEUE];
	unsigned head, tail;
	struct rm_route told[RM_ROUTES];
	unsigned n_told;
	bool forgetful; /* each allocation fails once */
	bool raced;     /* the order of equals is what the last events made of it */
};

struct rmodel *rmodel_new(uint64_t seed);
void rmodel_free(struct rmodel *m);

/* A route with one hop by this link and, unless NULL, gateway. */
void rmodel_route(struct nctl_route *ret, struct nctl_hop *hop, const char *dst, nctl_table table,
	nctl_ifindex oif, const char *via);

/* Somebody changes the kernel's state; messages are queued. */
void rmodel_change(struct rmodel *m);
/* The mirror reads up to n messages. */
void rmodel_read(struct rmodel *m, unsigned n);
/* A dump of a scope, during which things happen. */
void rmodel_dump(struct rmodel *m, const struct nctl_dump_scope *scope, unsigned changes);
/* Reads all, works all, dumps what is suspect. */
void rmodel_settle(struct rmodel *m);
/* A walk in the middle of changes: what is there all the time is given once. */
void rmodel_walk(struct rmodel *m);
/* Asserts that mirror and records are what the kernel has. */
void rmodel_check(struct rmodel *m);

/* Between the model's own files. */
struct nctl_route rmodel_view(const struct rm_route *r);
void rmodel_take(struct rm_route *to, const struct nctl_route *v);
bool rmodel_same_key(const struct nctl_route *a, const struct nctl_route *b);
bool rmodel_equal(const struct rm_route *a, const struct rm_route *b);
int rmodel_find_hop(const struct rm_route *r, const struct nctl_hop *h);
/* What the records say of this route; fails the test if they do not know it. */
unsigned rmodel_told(struct rmodel *m, const struct nctl_route *v);
