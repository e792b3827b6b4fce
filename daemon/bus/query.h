/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <systemd/sd-bus.h>

#include "base/strbuf.h"
#include "net/prefix.h"
#include "netns/netns.h"
#include "obj/link.h"

/* What a client asks for, from where on, and the lines of it. */

enum nd_query_object { ND_QUERY_LINK, ND_QUERY_ADDRESS, ND_QUERY_NETNS };
enum nd_query_scope { ND_SCOPE_OWN, ND_SCOPE_ONE, ND_SCOPE_ALL };

struct nd_query {
	enum nd_query_object object;
	enum nd_query_scope space;
	char netns[NAME_MAX + 1]; /* ND_SCOPE_ONE: its name. Of netns: this one only, "" all */
	bool nameless;            /* of netns: those as well */

	/* The cursor, which survives whatever comes and goes between two calls. */
	bool done;
	uint64_t serial;   /* of the namespace */
	nctl_ifindex next; /* in it; 0: nothing of it was looked at yet */

	/* Names of devices, and what they mean in the namespace of the cursor; "" and 0: any. */
	char dev_name[128], master_name[128];
	nctl_ifindex index;
	bool vrf; /* master must be one */
	nctl_ifindex dev, master;

	const struct nctl_kind *kind;
	char kind_name[32]; /* of a kind that we do not know; "" none */
	bool up;
	uint8_t family; /* AF_UNSPEC any */
	bool scoped;
	uint8_t scope;
	struct nctl_prefix to; /* AF_UNSPEC any */
};

int nd_query_init(struct nd_query *q, const char *object, sd_bus_error *error);
int nd_query_filter(struct nd_query *q, const char *key, const char *value, sd_bus_error *error);
/* After the filters: looks up what they name. 0, or an error for the client. */
int nd_query_begin(struct nd_query *q, const struct nd_netns_set *set, sd_bus_error *error);
/* Adds lines to out until it holds `bytes` or enough was looked at; q->done at the end. 0, -ENOMEM, or
 * -ENXIO: the namespace that was asked for has gone. */
int nd_query_fill(struct nd_query *q, const struct nd_netns_set *set, size_t bytes, struct nctl_strbuf *out);

/* Its mirror has been whole at some time; NULL if not. */
struct nctl_mirror *nd_query_mirror(const struct nd_netns *n);
/* There is no use in waiting for n: its mirror is there, or will not be. */
bool nd_query_is_settled(const struct nd_netns *n);
/* For the client: there is no such namespace (n NULL), or it cannot be entered, or not yet. */
int nd_query_no_netns(sd_bus_error *error, const char *name, const struct nd_netns *n);
