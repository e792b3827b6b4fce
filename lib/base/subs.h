/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "base/list.h"

/*
 * A list of subscribers that may be changed from inside its own calls. The memory of a
 * struct nctl_sub is the subscriber's, who removes it before freeing it.
 */
typedef void (*nctl_sub_fn)(void *userdata, const void *arg);

struct nctl_subs_walk;

struct nctl_subs {
	struct nctl_list subs;
	struct nctl_subs_walk *walks; /* the notifications under way, innermost first */
	uint64_t round;
};

struct nctl_sub {
	struct nctl_list link;
	struct nctl_subs *list; /* NULL: not subscribed */
	nctl_sub_fn fn;
	void *userdata;
	uint64_t born; /* the list's round when this one was added */
};

#define NCTL_SUB_INIT ((struct nctl_sub){{NULL, NULL}, NULL, NULL, NULL, 0})

void nctl_subs_init(struct nctl_subs *list);

/* Forgets all subscribers; allowed from inside a call, which is then the last of its round. */
void nctl_subs_fini(struct nctl_subs *list);

/* sub must not be subscribed. It is called from the next notification on, after those added earlier. */
void nctl_subs_add(struct nctl_subs *list, struct nctl_sub *sub, nctl_sub_fn fn, void *userdata);

/* No call of sub begins after this. Does nothing to one that is not subscribed (zeroed, or removed). */
void nctl_sub_remove(struct nctl_sub *sub);

/*
 * Calls every subscriber in the order of subscription. A callback may remove itself or
 * others (they are not called any more), add some (they are not called in this round),
 * and notify again.
 */
void nctl_subs_notify(struct nctl_subs *list, const void *arg);
