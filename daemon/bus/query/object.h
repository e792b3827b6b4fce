/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "base/json.h"
#include "bus/query.h"
#include "mirror/mirror.h"

/* What the files of this folder share: an object of Query is a const vtable, listed once in query.c. */

struct nd_query_filter {
	const char *name;
	int (*parse)(struct nd_query *q, const char *value, sd_bus_error *error);
};

/* One filling, in one namespace. */
struct nd_fill {
	struct nd_netns_set *set;
	const struct nd_netns *netns;
	const struct nctl_mirror *m;
	struct nctl_strbuf
		head;  /* what a line of a query over all namespaces begins with, but for the comma */
	size_t bytes;  /* enough when out holds so many */
	size_t looked; /* objects looked at: filters may skip all of them */
	struct nctl_strbuf *out;
	size_t line, value; /* where the line that is open begins, and its own object */
};

struct nd_query_object {
	const char *name;
	const struct nd_query_filter *filters; /* ends with a NULL name */
	/*
	 * Puts the cursor at the beginning of a namespace, and looks up there what filters name: 0, -ENODEV
	 * with the name of the device that is missing, -ENXIO: no such index, -EINVAL: it is no VRF.
	 */
	int (*begin)(struct nd_query *q, const struct nctl_mirror *m, const char **ret_name);
	/* Lines of that namespace; q->inside is false at its end. 0 or -ENOMEM. */
	int (*fill)(struct nd_query *q, struct nd_fill *f);
	/* Gives up what fill has begun and waits for, in the namespace that the cursor is in; or NULL. */
	void (*end)(struct nd_query *q);
	/* Instead of both: of all namespaces, from q->serial on. */
	int (*fill_set)(struct nd_query *q, const struct nd_netns_set *set, struct nd_fill *f);
};

extern const struct nd_query_object nd_query_of_link, nd_query_of_address, nd_query_of_route,
	nd_query_of_rule, nd_query_of_nexthop, nd_query_of_neigh, nd_query_of_fdb, nd_query_of_vrf,
	nd_query_of_netns, nd_query_of_stats, nd_query_of_maddr, nd_query_of_verify, nd_query_of_vlan;

/* Makes sure that q->live is there, to ask the kernel of f's namespace. 0 or a negative errno. */
int nd_query_live(struct nd_query *q, struct nd_fill *f);
/* True: no more in this filling. Counts the object that is looked at next. */
bool nd_fill_is_full(struct nd_fill *f);
/* A line: its one object is written by json between the two; kept or not. */
void nd_fill_line(struct nd_fill *f, struct nctl_json *json);
void nd_fill_line_end(struct nd_fill *f, bool keep);

/* filter.c: errors for the client, */
int nd_filter_invalid(sd_bus_error *error, const char *what, const char *value, const char *advice);
int nd_filter_no_device(sd_bus_error *error, const char *name);
/* numbers (up to max) and flags that have no value, */
int nd_filter_u32(const char *what, const char *value, uint32_t max, uint32_t *ret, sd_bus_error *error);
int nd_parse_mark(const char *text, uint32_t *ret); /* 0x… or decimal; -EINVAL */
int nd_filter_flag(const char *name, const char *value, bool *ret, sd_bus_error *error);
int nd_filter_prefix(const char *value, struct nctl_prefix *ret, sd_bus_error *error);
/* what many objects have, */
int nd_filter_dev(struct nd_query *q, const char *value, sd_bus_error *error);
int nd_filter_index(struct nd_query *q, const char *value, sd_bus_error *error);
int nd_filter_master(struct nd_query *q, const char *value, sd_bus_error *error);
int nd_filter_vrf(struct nd_query *q, const char *value, sd_bus_error *error);
int nd_filter_family(struct nd_query *q, const char *value, sd_bus_error *error);
int nd_filter_netns(struct nd_query *q, const char *value, sd_bus_error *error);
int nd_filter_all_netns(struct nd_query *q, const char *value, sd_bus_error *error);
#define ND_FILTERS_NETNS                                                                                     \
	{"netns", nd_filter_netns},                                                                          \
	{                                                                                                    \
		"all-netns", nd_filter_all_netns                                                             \
	}
/* and what becomes of devs in a namespace: for begin. */
int nd_devs_find(struct nd_query_devs *d, const struct nctl_mirror *m, const char **ret_name);

/* route.c: -ENODATA: it is no VRF. */
int nd_vrf_table(const struct nctl_mirror *m, nctl_ifindex ifindex, nctl_table *ret);

/* link.c: filters of links, and whether one passes; for objects that stand below links. */
int nd_filter_type(struct nd_query *q, const char *value, sd_bus_error *error);
int nd_filter_up(struct nd_query *q, const char *value, sd_bus_error *error);
#define ND_FILTERS_LINK                                                                                      \
	{"dev", nd_filter_dev}, {"index", nd_filter_index}, {"type", nd_filter_type},                        \
		{"master", nd_filter_master}, {"vrf", nd_filter_vrf},                                        \
	{                                                                                                    \
		"up", nd_filter_up                                                                           \
	}
int nd_query_links_begin(struct nd_query *q, const struct nctl_mirror *m, const char **ret_name);
/* Calls put for each link that passes. */
int nd_query_links_fill(struct nd_query *q, struct nd_fill *f,
	void (*put)(const struct nd_query *q, struct nd_fill *f, const struct nctl_mirror_link *l,
		const struct nctl_names *names));
/* link-stats.c */
int nd_query_link_stats_fill(struct nd_query *q, struct nd_fill *f);
