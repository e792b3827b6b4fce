/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <linux/netlink.h>

#include "exec/hub.h"
#include "nl/msg.h"

/*
 * Questions to the kernel of a namespace that the mirror has no answer to: neighbours, counters. The answer
 * comes piece by piece, each when the asker wants it, so that neither a long answer nor somebody slow costs
 * memory. All calls, and ready, are on the hub's thread; what waits for the kernel is a thread of the hub's.
 */
struct nctl_live;

/* ready: a piece is there; from inside of nctl_hub_dispatch_results. Ends with the hub at the latest. 0 or
 * -errno. */
int nctl_live_new(struct nctl_hub *h, struct nctl_session *s, void (*ready)(void *userdata), void *userdata,
	struct nctl_live **ret);
/* The same of generic netlink; nctl_live_next then gives refusals (NLMSG_ERROR), too. */
int nctl_live_new_generic(struct nctl_hub *h, struct nctl_session *s, void (*ready)(void *userdata), void *userdata,
	struct nctl_live **ret);
struct nctl_live *nctl_live_free(struct nctl_live *l);

/*
 * Asks: one dump request, or some others at once, of which each is answered or refused. Not before the answer
 * to the last question is over. 0 or -ENOMEM.
 */
int nctl_live_ask(struct nctl_live *l, const struct nctl_msgbuf *m);
/* Asks for the full list of a scope, as the mirror is filled from. As nctl_live_ask. */
int nctl_live_ask_list(struct nctl_live *l, const struct nctl_dump_scope *scope);

/*
 * The next message of the answer; valid until the next call. NULL: none is there now, and then *ret is
 * NCTL_LIVE_WAIT (ready will be called), 0 (the answer is over) or a negative errno (-EINTR: the kernel's
 * state changed while it was read, and the answer may not be whole).
 */
enum { NCTL_LIVE_WAIT = 1 };
const struct nlmsghdr *nctl_live_next(struct nctl_live *l, int *ret);
