/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "base/json.h"
#include "bus/private.h"
#include "bus/query.h"

/* What the files of Monitor share. */

enum nd_monitor_object {
	ND_MONITOR_NETNS,
	ND_MONITOR_LINK,
	ND_MONITOR_ADDRESS,
	ND_MONITOR_NEXTHOP,
	ND_MONITOR_RULE,
	ND_MONITOR_ROUTE,
	ND_MONITOR_N_OBJECTS
};
extern const char *const nd_monitor_objects[ND_MONITOR_N_OBJECTS];

/* The present state, piece by piece: where it is. */
struct nd_present {
	bool on;
	uint64_t serial; /* of the namespace */
	unsigned step;   /* in it; 0: it is to be begun */
	bool asking;     /* query is under way */
	struct nd_query query;
};

/* One stream. */
struct nd_monitor {
	struct nctl_list link;   /* in the client's monitors */
	struct nctl_list all;    /* in the bus's */
	struct nctl_list hungry; /* in the bus's hungry_monitors */
	struct nd_client *client;
	enum nd_query_scope space;
	char name[NAME_MAX + 1];     /* ND_SCOPE_ONE */
	const struct nd_netns *only; /* that one, while it has a session; NULL: none, or all */
	unsigned objects;            /* bits by enum nd_monitor_object */
	uint8_t family;              /* AF_UNSPEC: any */
	bool initial;
	struct nd_present present;
	uint64_t seq;   /* of the last record, lost ones included */
	uint64_t lost;  /* records dropped since the reader fell behind; 0: it has not */
	bool gap_first; /* the line that is at the front tells of a gap, and must not be dropped */
	uint64_t gap;   /* the number in it */
	int fd;
	struct nd_io io;
	struct nctl_strbuf buf;
	size_t sent; /* bytes of buf */
};

/*
 * One record for m: body is a whole JSON object, which gets a member "seq" in front. Never fails: what finds
 * no room is counted as lost.
 */
void nd_monitor_put(struct nd_monitor *m, const char *body, size_t len);

/* watch.c: tells the monitors of a bus what happens; begun by the first one, ended by the last. */
int nd_watch_begin(struct nd_bus *b, const struct nd_monitor *m); /* 0 or -ENOMEM */
void nd_watch_end(struct nd_bus *b);
/* {"netns": …, "op": op} and, unless it is NULL, the object; more members may follow. */
void nd_watch_head(const struct nd_netns *n, const char *op, const char *object, struct nctl_json *json);

/* present.c: adds some lines of what is there to m; m->present.on is false at the end. 0 or -ENOMEM. */
void nd_present_begin(struct nd_monitor *m);
int nd_present_some(struct nd_monitor *m, struct nd_netns_set *set);
