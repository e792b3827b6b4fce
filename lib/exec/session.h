/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/time.h"
#include "mirror/mirror.h"
#include "nl/pump.h"
#include "nl/requester.h"
#include "plan/plan.h"

/*
 * One namespace: its transports, its mirror kept in step, and at most one plan being carried out. Knows no
 * event loop: the owner polls get_fd, calls dispatch_events when it is readable, dispatch_results after a
 * wake, tick at the deadline.
 */

struct nctl_session;

struct nctl_session_ops {
	/* From the requester's thread: results are there. Must only wake the owner. */
	void (*wake)(void *userdata);
	/* The mirror is in step with the kernel, for the first time or again after a loss. */
	void (*synced)(struct nctl_session *s, void *userdata);
	/*
	 * Before a batch is sent: n links are about to be made, and must be on record as ours (the intent
	 * ledger). A negative errno stops the run.
	 */
	int (*intend)(struct nctl_session *s, const struct nctl_ledger_link *links, size_t n, void *userdata);
	/* How long a run waits for the mirror to show what the kernel agreed to, once it is in step. 0: 2,000
	 */
	unsigned verify_ms;
};

struct nctl_session_stats {
	uint64_t epoch;       /* steps at each resynchronisation */
	uint64_t losses;      /* overruns and truncations noticed */
	uint64_t resyncs;     /* dumps of everything that were completed */
	uint64_t undecodable; /* messages that the codec refused */
	struct nctl_pump_stats pump;
	struct nctl_requester_stats requester;
};

/* kernel, ops and userdata outlive the session. Starts the first dump. */
int nctl_session_new(struct nctl_kernel *kernel, const struct nctl_session_ops *ops, void *userdata,
	struct nctl_session **ret);
struct nctl_session *nctl_session_free(struct nctl_session *s);
void nctl_session_freep(struct nctl_session **s);

int nctl_session_get_fd(const struct nctl_session *s);
/* Up to budget messages. 0 drained, NCTL_PUMP_MORE, -errno. */
int nctl_session_dispatch_events(struct nctl_session *s, size_t budget);
/* Handles what the requester brought back. 0, NCTL_PUMP_MORE when the budget (results) is used up, -errno. */
int nctl_session_dispatch_results(struct nctl_session *s, size_t budget);
/* When tick wants to be called, or NCTL_TIME_NEVER. */
nctl_time nctl_session_deadline(const struct nctl_session *s);
int nctl_session_tick(struct nctl_session *s, nctl_time now);
/* While batches are on their way events may wait: they are cheaper by the dozen, and dispatch_results drains
 * them. */
bool nctl_session_is_busy(const struct nctl_session *s);
bool nctl_session_is_synced(const struct nctl_session *s);

struct nctl_mirror *nctl_session_mirror(struct nctl_session *s);
uint64_t nctl_session_cookie(const struct nctl_session *s); /* SO_NETNS_COOKIE */
void nctl_session_get_stats(struct nctl_session *s, struct nctl_session_stats *ret);

/* What came of carrying out a plan. */
struct nctl_outcome {
	size_t done, refused, poisoned, unseen;
	int status;           /* 0 the run came to its end, -errno it was broken off (transport, ledger) */
	uint64_t duration_us; /* from the call to the last operation seen in the mirror */
	uint64_t sends, messages; /* of this run */
};

/*
 * Carries out plan, which must outlive the run; states, errors and texts are written into its operations.
 * done is called once, from inside this call if nothing could be sent (an empty plan, a ledger that cannot be
 * written). keep_going: a refusal stops only what depends on it; else no phase after the one with a refusal
 * is started. 0, -EBUSY: a run is on.
 */
int nctl_session_run(struct nctl_session *s, struct nctl_plan *plan, bool keep_going,
	void (*done)(struct nctl_session *s, struct nctl_plan *plan, const struct nctl_outcome *outcome,
		void *userdata),
	void *userdata);
bool nctl_session_is_running(const struct nctl_session *s);
/* Somebody waits for answers: a run that is on hands the kernel less at a time for a while. */
void nctl_session_be_brief(struct nctl_session *s);
