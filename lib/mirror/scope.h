/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "net/types.h"

/* The lists that the kernel is asked for, and which of them contain which. */

/* In the order in which they are dumped: what refers to others comes behind them. */
enum nctl_object_type {
	NCTL_OBJECT_LINK,
	NCTL_OBJECT_ADDR,
	NCTL_OBJECT_NEXTHOP,
	NCTL_OBJECT_RULE,
	NCTL_OBJECT_ROUTE4,
	NCTL_OBJECT_ROUTE6,
	NCTL_OBJECT_N_TYPES
};

/*
 * What a list is of: all objects of a type, or, of routes, those of one table or with a hop on one link (what
 * the kernel filters a strict dump by: net/ipv4/fib_frontend.c ip_valid_fib_dump_req). 0: any.
 */
struct nctl_dump_scope {
	enum nctl_object_type type;
	nctl_table table;
	nctl_ifindex oif;
	bool vlans; /* LINK: the VLANs of bridges and ports instead; says nothing of who is gone */
};

/* Does the list of a have all that the list of b has? */
bool nctl_dump_scope_covers(const struct nctl_dump_scope *a, const struct nctl_dump_scope *b);
/* Takes those that scope covers out of v, which has n; gives how many are left. */
size_t nctl_dump_scopes_absorb(struct nctl_dump_scope *v, size_t n, const struct nctl_dump_scope *scope);
/* The same with those that are about this one link. */
size_t nctl_dump_scopes_forget(struct nctl_dump_scope *v, size_t n, nctl_ifindex oif);
