/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <net/if.h>

#include "base/hash.h"
#include "base/rbtree.h"
#include "obj/addr.h"

struct nctl_mirror;

/*
 * What is ours in one namespace: links by ifindex, and adopted addresses (those that we made carry
 * IFA_PROTO). An entry is an intent: it may name a link that was never made. Kept on disk by
 * daemon/reconcile.
 */
struct nctl_ledger;

struct nctl_ledger_link {
	nctl_ifindex ifindex;
	bool adopted; /* was there before us */
	char kind[16];
	char name[IF_NAMESIZE];
};

/* A reader (const) takes NULL for a ledger without entries. */

/* rtm_protocol and ifa_proto of what netctld makes; conf/ has the rt_protos.d entry. */
#define NCTL_PROTO 78

int nctl_ledger_new(struct nctl_ledger **ret);
struct nctl_ledger *nctl_ledger_free(struct nctl_ledger *l);
void nctl_ledger_freep(struct nctl_ledger **l);

int nctl_ledger_link_add(
	struct nctl_ledger *l, const struct nctl_ledger_link *e); /* replaces an equal ifindex */
void nctl_ledger_link_del(struct nctl_ledger *l, nctl_ifindex ifindex);
const struct nctl_ledger_link *nctl_ledger_link_get(const struct nctl_ledger *l, nctl_ifindex ifindex);
/* The first with an index of at least ifindex, to walk them in order. */
const struct nctl_ledger_link *nctl_ledger_link_from(const struct nctl_ledger *l, nctl_ifindex ifindex);
size_t nctl_ledger_link_count(const struct nctl_ledger *l);

int nctl_ledger_addr_add(struct nctl_ledger *l, const struct nctl_addr *a);
void nctl_ledger_addr_del(struct nctl_ledger *l, const struct nctl_addr *a);
bool nctl_ledger_addr_has(const struct nctl_ledger *l, const struct nctl_addr *a);
const struct nctl_addr *nctl_ledger_addr_next(
	const struct nctl_ledger *l, const struct nctl_addr *after); /* NULL: first */

/* Forgets entries that the mirror does not bear out: no such ifindex, or one of another kind. Returns how
 * many. */
size_t nctl_ledger_prune(struct nctl_ledger *l, const struct nctl_mirror *m);

/*
 * Namespaces that are ours, by their name in /run/netns: those that we made, and may delete. An entry without
 * a cookie is an intent: it may name a namespace that was never made. Kept on disk by daemon/reconcile, too.
 */
struct nctl_netns_ledger;

struct nctl_ledger_netns {
	const char *name; /* 1..NAME_MAX bytes */
	uint64_t cookie;  /* SO_NETNS_COOKIE, 0: not known */
};

int nctl_netns_ledger_new(struct nctl_netns_ledger **ret);
struct nctl_netns_ledger *nctl_netns_ledger_free(struct nctl_netns_ledger *l);
void nctl_netns_ledger_freep(struct nctl_netns_ledger **l);

/* The name is copied; an entry of that name is replaced. 0, -ENOMEM, -EINVAL: an empty name, -ENAMETOOLONG.
 */
int nctl_netns_ledger_add(struct nctl_netns_ledger *l, const char *name, uint64_t cookie);
void nctl_netns_ledger_del(struct nctl_netns_ledger *l, const char *name);
/* Entries live until they are replaced or deleted. NULL: there is none. */
const struct nctl_ledger_netns *nctl_netns_ledger_get(const struct nctl_netns_ledger *l, const char *name);
/* The next one in the order of strcmp(3); after NULL: the first. `after` need not be in it. */
const struct nctl_ledger_netns *nctl_netns_ledger_next(const struct nctl_netns_ledger *l, const char *after);
size_t nctl_netns_ledger_count(const struct nctl_netns_ledger *l);
