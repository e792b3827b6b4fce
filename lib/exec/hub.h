/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/time.h"
#include "exec/session.h"
#include "nl/filter.h"
#include "nl/pump.h"
#include "nl/requester.h"
#include "plan/plan.h"

/*
 * All namespaces: one event transport that hears them all, one requester, a session each, and at most one
 * plan being carried out. Knows no event loop: the owner polls get_fd, calls dispatch_events when it is
 * readable, dispatch_results after a wake, tick at the deadline. None of these takes more than a few
 * milliseconds: what is left when their time is over is done by the next ones, and makes the deadline "now".
 */

struct nctl_hub;

/* A link about to be made in the namespace of that cookie. */
struct nctl_intent {
	uint64_t cookie;
	struct nctl_ledger_link link;
};

struct nctl_hub_ops {
	/* From the requester's thread: results are there. Must only wake the owner. */
	void (*wake)(void *userdata);
	/* The mirror of s is in step with the kernel, for the first time or again after a loss. */
	void (*synced)(struct nctl_session *s, void *userdata);
	/*
	 * Events are lost that may have been about s: its mirror may be wrong until synced is called, which
	 * it then is with the next epoch. Told once until then, from inside of a dispatch; only mark work.
	 * NULL: so what.
	 */
	void (*lost)(struct nctl_session *s, void *userdata);
	/* The namespace is being taken down, or is gone; s is freed when this returns. Never for home. */
	void (*gone)(struct nctl_session *s, void *userdata);
	/* An nsid that belongs to no session spoke or was assigned: there may be a namespace to join. NULL:
	 * so what. */
	void (*stranger)(nctl_nsid nsid, void *userdata);
	/*
	 * Before a batch is sent: n links are about to be made, and must be on record as ours (the intent
	 * ledger). A negative errno stops the run. NULL: there is no ledger.
	 */
	int (*intend)(const struct nctl_intent *v, size_t n, void *userdata);
	/*
	 * Carries out op number i of plan, one of NETNS_NEW, NETNS_DEL, NETNS_ID, SYSCTL_SET; answered by
	 * nctl_hub_op_done, perhaps from inside this call. At most NCTL_HUB_OPS_IN_FLIGHT are unanswered.
	 * NULL: such operations are refused with -EOPNOTSUPP.
	 */
	void (*carry_out)(struct nctl_plan *plan, uint32_t i, void *userdata);
	/* How long a run waits for the mirror to show what the kernel agreed to, once it is in step. 0: 2,000
	 */
	unsigned verify_ms;
};

enum { NCTL_HUB_OPS_IN_FLIGHT = 256 };

struct nctl_hub_stats {
	uint64_t strangers;       /* events of nsids that no session has */
	uint64_t ignored;         /* routes that nobody here wants */
	uint64_t scoped;          /* dumps of a part of a mirror */
	size_t sessions, syncing; /* syncing: not in step */
	size_t dumping;           /* dumps on their way, at most 8 */
	size_t waiting;           /* sessions that wait for a dump until a pause is over */
	bool has_queue;           /* the transport knows its: */
	uint64_t drops;           /* messages that the kernel had no room for (SK_MEMINFO_DROPS) */
	size_t queued, queue_max; /* bytes charged to the receive buffer now, and how many may be */
	struct nctl_pump_stats pump;
	struct nctl_requester_stats requester;
};

struct nctl_hub_options {
	size_t receive_buffer;           /* of events, in bytes; 0: the transport's usual one */
	struct nctl_event_filter filter; /* routes that are ignored everywhere, in events and dumps */
	nctl_time (*clock)(void);        /* what pauses are measured by; NULL: nctl_time_now */
};

/* home, ops and userdata outlive the hub. Makes the session of home and starts its first dump. */
int nctl_hub_new(
	struct nctl_kernel *home, const struct nctl_hub_ops *ops, void *userdata, struct nctl_hub **ret);
/* The same with options, copied; NULL: the usual ones. */
int nctl_hub_new_with(struct nctl_kernel *home, const struct nctl_hub_options *opts,
	const struct nctl_hub_ops *ops, void *userdata, struct nctl_hub **ret);
struct nctl_hub *nctl_hub_free(struct nctl_hub *h); /* frees all sessions, without a word */
void nctl_hub_freep(struct nctl_hub **h);

int nctl_hub_get_fd(const struct nctl_hub *h);
/* Up to budget messages, as long as time allows. 0 drained, NCTL_PUMP_MORE, -errno. */
int nctl_hub_dispatch_events(struct nctl_hub *h, size_t budget);
/* Handles what the requester brought back. 0, NCTL_PUMP_MORE when the budget (results) or the time is used
 * up. */
int nctl_hub_dispatch_results(struct nctl_hub *h, size_t budget);
/* When tick wants to be called, or NCTL_TIME_NEVER. */
nctl_time nctl_hub_deadline(const struct nctl_hub *h);
void nctl_hub_tick(struct nctl_hub *h, nctl_time now);
/* While batches are on their way events may wait: they are cheaper by the dozen, and dispatch_results drains
 * them. */
bool nctl_hub_is_busy(const struct nctl_hub *h);
/* True if it hears other namespaces (NCTL_TRANSPORT_EVENTS_ALL was to be had). */
bool nctl_hub_hears_all(const struct nctl_hub *h);
void nctl_hub_get_stats(const struct nctl_hub *h, struct nctl_hub_stats *ret);

struct nctl_session *nctl_hub_home(const struct nctl_hub *h);
/*
 * A namespace that home has this nsid for. kernel: referenced. owner: the caller's, for nctl_session_owner.
 * If another session has that nsid, its namespace must be gone: gone is called for it. The mirror is dumped
 * as soon as all events are read that were in the queue at this time (they may be those of an earlier holder
 * of the nsid); synced tells. -EEXIST: there is a session of that cookie. -EOPNOTSUPP: the hub hears home
 * only.
 */
int nctl_hub_join(struct nctl_hub *h, struct nctl_kernel *kernel, uint64_t cookie, nctl_nsid nsid,
	void *owner, struct nctl_session **ret);
/* Ends a session, without a call of gone. */
void nctl_hub_leave(struct nctl_hub *h, struct nctl_session *s);
/* Reads all that s mirrors once more, as if events were lost: lost is told, then synced. It counts as no loss. */
void nctl_hub_resync(struct nctl_hub *h, struct nctl_session *s);
struct nctl_session *nctl_hub_find(const struct nctl_hub *h, uint64_t cookie);
struct nctl_session *nctl_hub_find_nsid(const struct nctl_hub *h, nctl_nsid nsid);

/* What came of carrying out a plan. */
struct nctl_outcome {
	size_t done, refused, poisoned, unseen;
	int status;           /* 0 the run came to its end, -errno it was broken off (transport, ledger) */
	uint64_t duration_us; /* from the call to the last operation seen in the mirror */
	uint64_t sends, messages; /* of this run */
};

/*
 * Carries out plan, which must outlive the run; states, errors and texts are written into its operations, and
 * have of plan->netns is set to NULL when one is gone. Sessions are found by the cookies in plan->netns;
 * those of namespaces that the plan makes are bound by nctl_hub_bind. done is called once, from inside this
 * call if nothing could be sent (an empty plan, a ledger that cannot be written). keep_going: a refusal stops
 * only what depends on it; else no stage after the one with a refusal is started. 0, -EBUSY: a run is on.
 */
int nctl_hub_run(struct nctl_hub *h, struct nctl_plan *plan, bool keep_going,
	void (*done)(struct nctl_plan *plan, const struct nctl_outcome *outcome, void *userdata),
	void *userdata);
bool nctl_hub_is_running(const struct nctl_hub *h);
/* Operation i of the plan that runs is answered: 0, or a negative errno and text (copied; NULL: none). A
 * NETNS_NEW must be bound first: cookie, nsid and mirror of the session become those of its plan's netns. */
void nctl_hub_op_done(struct nctl_hub *h, uint32_t i, int error, const char *text);
void nctl_hub_bind(struct nctl_hub *h, uint32_t netns, struct nctl_session *s);
/* Somebody waits for answers: a run that is on hands the kernel less at a time for a while. */
void nctl_hub_be_brief(struct nctl_hub *h);
