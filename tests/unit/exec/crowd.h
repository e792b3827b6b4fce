/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "exec/hub.h"
#include "fake/fake.h"

/* Many namespaces of a fake kernel, and a hub with an owner that joins them when it is told to. */

struct crowd_member {
	struct crowd *crowd;
	uint64_t cookie;
	nctl_nsid nsid; /* that it was given, or NCTL_NSID_NONE */
	struct nctl_session *session;
	bool dropped; /* by its maker */
	bool joined;
	unsigned synced; /* calls */
	bool gone;       /* was called */
};

struct crowd {
	struct nctl_fake *fake;
	struct nctl_hub *hub;
	int wake_fd;
	bool ignore_events; /* they stay in the transport's queue */
	uint64_t ignore;    /* NCTL_LINK_BITs that are not compared */
	unsigned home_synced, strangers;
	nctl_nsid stranger; /* the last one */
	void (*on_stranger)(struct crowd *c, nctl_nsid nsid);
	struct crowd_member **members; /* ever made */
	size_t n_members;
};

void crowd_init(struct crowd *c, uint64_t seed);
void crowd_fini(struct crowd *c);
void crowd_open(struct crowd *c); /* another hub, after the one before was freed */

/* A namespace; assign: home has an nsid for it. */
struct crowd_member *crowd_make(struct crowd *c, bool assign);
void crowd_assign(struct crowd_member *m);
void crowd_join(struct crowd_member *m);
void crowd_drop(struct crowd_member *m);
void crowd_kill(struct crowd_member *m); /* and waits until it is gone; nothing is read meanwhile */
struct nctl_mirror *crowd_mirror(const struct crowd_member *m);
bool crowd_has(const struct crowd_member *m, const char *name); /* does its mirror have that link? */

/* One poll and what it brings. False: nothing happened for timeout_ms. */
bool crowd_turn(struct crowd *c, int timeout_ms);
/* Until all mirrors are in step and nothing moves any more. Fails after a while. */
void crowd_settle(struct crowd *c);
/* Settles; then all that are joined and alive have a session whose mirror is the truth, and no others have.
 */
void crowd_check(struct crowd *c);
