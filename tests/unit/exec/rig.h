/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "exec/session.h"
#include "fake/fake.h"

/* A session over a fake kernel with the smallest owner it can have: poll(2), a ledger, and one plan at a
 * time. */

struct rig {
	struct nctl_fake *fake;
	struct nctl_session *session;
	struct nctl_ledger *ledger;
	int wake_fd;
	bool ignore_events; /* they stay in the transport's queue */
	unsigned synced;    /* calls */
	unsigned intends;   /* calls, and links in them */
	size_t intended;
	int intend_error; /* what intend answers */
	struct nctl_want *want;
	struct nctl_plan *plan, *undone;
	unsigned done; /* calls */
	struct nctl_outcome outcome;
};

/* With a fake of its own (eth0 and eth1 are there), or a second owner of another one's. Not synchronised yet.
 */
void rig_init(struct rig *r, uint64_t seed);
void rig_init_over(struct rig *r, struct nctl_fake *fake);
void rig_fini(struct rig *r);  /* not of a fake that rig_init_over was given */
void rig_close(struct rig *r); /* all but the fake and the ledger */

/* One poll and what it brings. False: nothing happened for timeout_ms. */
bool rig_turn(struct rig *r, int timeout_ms);
void rig_until_synced(struct rig *r); /* fails the test after 10 s */
void rig_until_done(struct rig *r);
/* Until the mirror is in step and nothing moves any more. */
void rig_settle(struct rig *r);

/* Plans from the mirror to body, and starts the run. */
void rig_start(struct rig *r, const char *body, bool keep_going);
/* To the end of the run; the ledger is pruned as the reconciler does it. */
void rig_apply(struct rig *r, const char *body, bool keep_going);
/* Back to the state before the last run. */
void rig_undo(struct rig *r);
/* Operations that a plan for body would have now. */
size_t rig_plan(struct rig *r, const char *body);

/* Asserts that the mirror holds what a fresh dump of the fake says. */
void rig_check_mirror(struct rig *r);
const struct nctl_mirror_link *rig_link(const struct rig *r, const char *name); /* NULL: none */

/* What somebody else does to the fake kernel. 0 or the kernel's errno. */
int rig_foreign_new(
	struct nctl_fake *f, nctl_ifindex ifindex, const char *name, const char *kind, nctl_ifindex lower);
int rig_foreign_del(struct nctl_fake *f, nctl_ifindex ifindex);
int rig_foreign_up(struct nctl_fake *f, nctl_ifindex ifindex, bool up);
int rig_foreign_mtu(struct nctl_fake *f, nctl_ifindex ifindex, nctl_mtu mtu);
int rig_foreign_addr(struct nctl_fake *f, nctl_ifindex ifindex, const char *prefix, bool add);
