/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <systemd/sd-bus.h>

#include "base/strbuf.h"
#include "bus/query/state.h"
#include "net/prefix.h"
#include "netns/netns.h"

/* What a client asks for, from where on, and the lines of it. Each object is a file in query/. */

enum nd_query_scope { ND_SCOPE_OWN, ND_SCOPE_ONE, ND_SCOPE_ALL };

struct nd_query_object; /* query/object.h */

struct nctl_live;

/* A plain value, until it is filled from: copies are as good. */
struct nd_query {
	const struct nd_query_object *object;
	enum nd_query_scope space;
	char netns[NAME_MAX + 1]; /* ND_SCOPE_ONE: its name. Of netns: this one only, "" all */
	uint8_t family;           /* AF_UNSPEC any */
	struct nd_query_devs devs;

	/* The cursor, which survives whatever comes and goes between two calls. */
	bool done;
	uint64_t serial; /* of the namespace */
	bool inside;     /* it has been begun; the object knows how far */

	/* Of what the kernel is asked for (query/neigh.c); set by the owner, who must end the query then. */
	void (*ready)(void *userdata);
	void *userdata;
	struct nctl_live *live;
	bool waiting; /* nothing more is there until ready is called */

	struct nd_query_link link;
	union {
		struct nd_query_neigh neigh;
		struct nd_query_address address;
		struct nd_query_route route;
		struct nd_query_rule rule;
		struct nd_query_nexthop nexthop;
		struct nd_query_maddr maddr;
		struct nd_query_netns names;
	};
};

int nd_query_init(struct nd_query *q, const char *object, sd_bus_error *error);
int nd_query_filter(struct nd_query *q, const char *key, const char *value, sd_bus_error *error);
/* It is of namespaces, not of what is in them. */
bool nd_query_is_of_netns(const struct nd_query *q);
/* After the filters: looks up what they name. 0, or an error for the client. */
int nd_query_begin(struct nd_query *q, const struct nd_netns_set *set, sd_bus_error *error);
/* Instead of it, without filters by name: of this one namespace. 0, or -ENXIO: its mirror is not there. */
int nd_query_begin_in(struct nd_query *q, const struct nd_netns *n);
/* Adds lines to out until it holds `bytes` or enough was looked at; q->done at the end. 0, -ENOMEM, or
 * -ENXIO: the namespace that was asked for has gone. */
int nd_query_fill(struct nd_query *q, struct nd_netns_set *set, size_t bytes, struct nctl_strbuf *out);
void nd_query_end(struct nd_query *q);

/* Its mirror has been whole at some time; NULL if not. */
struct nctl_mirror *nd_query_mirror(const struct nd_netns *n);
/* There is no use in waiting for n: its mirror is there, or will not be. */
bool nd_query_is_settled(const struct nd_netns *n);
/* For the client: there is no such namespace (n NULL), or it cannot be entered, or not yet. */
int nd_query_no_netns(sd_bus_error *error, const char *name, const struct nd_netns *n);
/* Members of a line that say which namespace it is of, into an open object. */
void nd_query_put_netns(const struct nd_netns *n, struct nctl_json *json);

/* query/stats.c: what the sessions and mirrors of namespaces have counted. */
struct nd_mirror_sums {
	struct nctl_session_stats session;
	struct nctl_mirror_stats mirror;
	uint64_t links, addresses, routes, nexthops, rules, bytes;
};
void nd_stats_add(struct nd_mirror_sums *sum, const struct nd_netns *n);
void nd_stats_put_mirror(const struct nd_mirror_sums *sum, struct nctl_json *json);
