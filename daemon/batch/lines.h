/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "batch/private.h"

/* What reads the lines, object by object. */

/* data.c: the rest of the line, as parameters of the table into data. has: those that are said. */
struct data {
	const struct nctl_field_table *table;
	const struct nctl_kind *kind;
	void *data;
	uint64_t has;
	struct found lower; /* as some kinds say it there; ifindex 0: not */
	bool lowers;        /* it may be said */
};
bool nd_batch_data(struct reader *r, struct data *d);

/* link.c and the others: the verb is taken. */
bool nd_batch_link_add(struct reader *r);
bool nd_batch_link_set(struct reader *r);
bool nd_batch_link_del(struct reader *r);
bool nd_batch_link_property(struct reader *r);

/* linkopts.c: what both add and set say. */
struct link_words {
	struct nctl_want_link *want;
	const char *name, *new_name, *type, *netns;
	struct found lower, master;
	struct nctl_link_diff diff;
	uint32_t flags;
	nctl_ifindex index;
};
/* Up to the end, or type, whose name is taken. */
bool nd_batch_link_words(struct reader *r, struct link_words *l, bool adds);
/* Operations of a LINK_SET, if there is anything to set. */
bool nd_batch_link_set_op(
	struct reader *r, const struct link_words *l, const struct found *f, uint32_t netns);

bool nd_batch_addr(struct reader *r, enum nctl_op_type type, uint16_t nlm_flags);
bool nd_batch_addr_flush(struct reader *r);
bool nd_batch_route(struct reader *r, enum nctl_op_type type, uint16_t nlm_flags);
bool nd_batch_route_flush(struct reader *r);
bool nd_batch_nexthop(struct reader *r, enum nctl_op_type type, uint16_t nlm_flags);
bool nd_batch_rule(struct reader *r, enum nctl_op_type type);
bool nd_batch_neigh(struct reader *r, enum nctl_op_type type, uint16_t nlm_flags);
bool nd_batch_netns_line(struct reader *r, enum nd_batch_type type);
