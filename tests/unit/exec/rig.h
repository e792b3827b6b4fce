/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "exec/hub.h"
#include "fake/fake.h"
#include "plan/snapshot.h"

/*
 * A hub over a fake kernel with the smallest owner it can have: poll(2), ledgers, named namespaces, and one
 * plan at a time.
 */

enum { RIG_SYSCTLS = 4 };

/* A namespace that has a name. */
struct rig_netns {
	char name[32];
	uint64_t cookie; /* 0: it is not there */
	nctl_nsid nsid;
	bool ended; /* it has no name any more, and is there as long as somebody holds it */
	bool ours;  /* made by a plan */
	struct {
		char name[64], value[64];
	} sysctls[RIG_SYSCTLS]; /* that were set */
	struct nctl_session *session;
	struct nctl_ledger *ledger;
	uint32_t op; /* a NETNS_NEW that is answered once the mirror is in step; NCTL_OP_NONE */
	uint32_t number;
};

struct rig {
	struct nctl_fake *fake;
	struct nctl_hub *hub;
	struct nctl_session *session; /* of home, as is the ledger */
	struct nctl_ledger *ledger;
	struct rig_netns **netns; /* with a name, there or not */
	size_t n_netns;
	int wake_fd;
	bool ignore_events; /* they stay in the transport's queue */
	unsigned synced;    /* calls for home */
	unsigned gone;      /* calls */
	unsigned intends;   /* calls, and links in them */
	size_t intended;
	int intend_error; /* what intend answers */
	/* Operations that the hub hands over: answered in a later turn. */
	uint32_t ops[NCTL_HUB_OPS_IN_FLIGHT];
	size_t n_ops, most_ops;
	bool at_once; /* answered from inside the call instead */
	bool in_step; /* a new namespace is bound only when its mirror is in step */
	unsigned carried[NCTL_OP_SYSCTL_SET + 1];
	int refuse_type; /* enum nctl_op_type: those are refused with refuse_error */
	int refuse_error;
	struct nctl_want *want;
	struct nctl_plan *plan, *undone;
	struct nctl_snapshot *snapshot; /* before the last run forward */
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
void rig_until_synced(struct rig *r); /* home; fails the test after 10 s */
void rig_until_done(struct rig *r);
/* Until all mirrors are in step and nothing moves any more. */
void rig_settle(struct rig *r);

/* Plans from the mirrors to body, and starts the run. */
void rig_start(struct rig *r, const char *body, bool keep_going);
/* To the end of the run; the ledgers are pruned as the reconciler does it. */
void rig_apply(struct rig *r, const char *body, bool keep_going);
/* Back to the state before the last run. */
void rig_undo(struct rig *r);
/* The same by what the snapshot says, whatever happened meanwhile; all: from the first plan on. False: it never gets
 * there. */
bool rig_restore(struct rig *r, bool all);
/* Operations that a plan for body would have now. */
size_t rig_plan(struct rig *r, const char *body);

/* Asserts that all mirrors hold what a dump of the fake says. */
void rig_check_mirror(struct rig *r);
const struct nctl_mirror_link *rig_link(const struct rig *r, const char *name); /* NULL: none */

/* rig-netns.c: the owner of the namespaces. */

extern const struct nctl_hub_ops rig_ops;
struct rig_netns *rig_netns(struct rig *r, const char *name);        /* NULL: never heard of, or ended */
struct rig_netns *rig_netns_make(struct rig *r, const char *name);   /* by somebody else; joined */
void rig_netns_end(struct rig *r, const char *name);                 /* by somebody else */
struct nctl_ledger *rig_ledger(struct rig *r, uint64_t cookie);      /* NULL: of nobody */
const char *rig_sysctl(const struct rig_netns *n, const char *name); /* NULL: not known */
size_t rig_there(const struct rig *r);                               /* namespaces with a session */
void rig_until_there(struct rig *r, size_t n);                       /* fails the test after 10 s */
const struct nctl_mirror_link *rig_link_in(struct rig *r, const char *netns, const char *name);
/* Answers what the hub has handed over. False: it has nothing. */
bool rig_answer(struct rig *r);
void rig_netns_free(struct rig *r); /* all of them, not in the fake */

/* What somebody else does to the fake's home. 0 or the kernel's errno. */
int rig_foreign_new(
	struct nctl_fake *f, nctl_ifindex ifindex, const char *name, const char *kind, nctl_ifindex lower);
int rig_foreign_del(struct nctl_fake *f, nctl_ifindex ifindex);
int rig_foreign_up(struct nctl_fake *f, nctl_ifindex ifindex, bool up);
int rig_foreign_mtu(struct nctl_fake *f, nctl_ifindex ifindex, nctl_mtu mtu);
int rig_foreign_name(struct nctl_fake *f, nctl_ifindex ifindex, const char *name);
int rig_foreign_addr(struct nctl_fake *f, nctl_ifindex ifindex, const char *prefix, bool add);
