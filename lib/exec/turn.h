/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "exec/hub.h"

/* How the hub keeps each of its turns short. Internal to lib/exec. */

/* Passed when all events are read that were queued when it was set. */
struct nctl_fence {
	bool set;
	uint64_t empties, datagrams;
};

/* A turn begins with each call from outside. */
void nctl_turn_begin(struct nctl_hub *h);
bool nctl_turn_is_over(const struct nctl_hub *h);
/* Reads events, up to budget messages or the end of the turn, but a portion in any case; as dispatch_events.
 */
int nctl_turn_read(struct nctl_hub *h, size_t budget);
void nctl_fence_set(struct nctl_hub *h, struct nctl_fence *f);
bool nctl_fence_is_passed(const struct nctl_hub *h, const struct nctl_fence *f);
/*
 * What the kernel told before an ack is to be in the mirror: sets f if it is not, reads events, and says
 * whether they are read; f is not set any more then. Else it must be called again in the next turn.
 */
bool nctl_turn_drain(struct nctl_hub *h, struct nctl_fence *f);
/* The mirror of s was fed. */
void nctl_turn_touch(struct nctl_session *s);
/* Lets the mirrors do their own work. */
void nctl_turn_work(struct nctl_hub *h);
bool nctl_turn_has_more(const struct nctl_hub *h);
