/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/list.h"
#include "loop/loop.h"
#include "netns/netns.h"
#include "plan/plan.h"

/*
 * What others change of what is ours, and how it is brought back. Mirrors only mark that something may differ
 * (watch.c); when the dust has settled and no job is on, a repair pass plans the accepted configuration once
 * more and carries out what is missing (repair.c), link by link as often as damping allows (care.c). Internal
 * to daemon/reconcile.
 */

struct job;
struct nd_reconcile;

/* What became of one wanted link since its configuration was accepted; by its number. All zero: nothing. */
struct care {
	nctl_time at;    /* of the last attempt to repair it */
	nctl_time until; /* none before; 0: none is put off */
	uint32_t times;  /* attempts, without a quiet time between them */
	bool met;        /* it was there once */
	bool blocked;    /* it would need somebody's consent, for this reason */
	bool refused;    /* so the last attempt ended, for this reason */
	bool doubted;    /* the last attempt was refused, for the first time */
	bool seen;       /* that it differs while it is put off */
	bool told;       /* its difference, which is only to be reported, is in the log */
	char *reason;    /* owned; NULL: none */
	/* Since when it is not there, has no carrier, has had a tentative address; 0: it is not so, or that
	 * is not known. */
	nctl_time gone_at, carrier_at, dad_at;
};

struct drift {
	struct nctl_want *want; /* of the accepted configuration; NULL: none */
	struct care *cares;     /* one for each of its links, and one more for what is of no link */
	size_t n_refused;
	struct nctl_hash awaited; /* names that it refers to and that are not in it */
	bool matches;           /* it has definitions with match: any device may be meant */
	void *awaited_names;      /* of these; owned */
	struct nctl_hash taps;    /* of struct tap (watch.c): one for each mirror */
	struct nd_timer timer;
	bool ticking;      /* the timer is set up */
	bool marked;       /* in this turn */
	bool dirty;        /* something may differ */
	bool helped;       /* something came that may be what a refused one lacked */
	nctl_time since;   /* dirty: the first mark */
	nctl_time help_at; /* not before */
	nctl_time quiet;   /* dirty: the dust has settled then */
	nctl_time held; /* the first of those that are put off may be tried again then; NCTL_TIME_NEVER: none
	                   is */
	nctl_time allowed; /* no pass before: the last ones took so much of the processor's time */
	nctl_time credit_at;
	int64_t credit_us; /* of the processor's time */
	uint64_t began_us; /* processor's time of the process when the pass began */
	uint64_t passes, repairs, refusals, untold;
	nctl_time log_at;
	uint32_t log_credit; /* lines */
};

/* watch.c */
int nd_drift_init(struct nd_reconcile *r);
void nd_drift_fini(struct nd_reconcile *r);
/* The mirrors were whole for the first time. */
void nd_drift_start(struct nd_reconcile *r);
void nd_drift_joined(struct nd_reconcile *r, struct nd_netns *n);
void nd_drift_gone(struct nd_reconcile *r, struct nd_netns *n);
/* The job's configuration is the accepted one from here, and its want is ours; the job's plan, which was
 * carried out, still borrows from it. */
void nd_drift_accept(struct nd_reconcile *r, struct job *job);
/* Since when a link is not there that the configuration refers to, and that is not in it; 0: not known. */
nctl_time nd_drift_missing_since(const struct drift *d, uint32_t netns, const char *name);
/* A turn is over, or a job: starts a pass if it is time for one. */
void nd_drift_turn(struct nd_reconcile *r);

/* The place of a link of a plan's in arrays of all links of the accepted want; n_links: of no link (NULL). */
size_t nd_drift_slot(const struct drift *d, const struct nctl_want_link *w);
/* Is there a device for this link, by the plan's mirrors? */
bool nd_drift_is_there(const struct nctl_plan *p, const struct nctl_want_link *w);

/* care.c */
struct care *nd_care_of(
	const struct drift *d, const struct nctl_want_link *w); /* w NULL: what is of no link */
bool nd_care_is_held(const struct care *c, nctl_time now);
/* It was brought back, or that was refused. */
void nd_care_repaired(struct drift *d, struct care *c, nctl_time now);
/*
 * True: this refusal is the first one, and may come of a change that was met half way (a VRF loses its ports
 * before it is gone): it is tried again at once, and told if it is refused again.
 */
bool nd_care_doubts(struct care *c, nctl_time now);
void nd_care_refused(struct drift *d, struct care *c, nctl_time now, const char *reason);
/* It cannot be repaired without consent, or while something foreign is in the way. */
void nd_care_blocked(struct drift *d, struct care *c, const char *reason);
/* It is as it should be. */
void nd_care_fine(struct drift *d, struct care *c);
/* What was refused may be tried soon: when the first one may, or NCTL_TIME_NEVER. */
nctl_time nd_care_help(struct drift *d, nctl_time now);
/* When the first of those that are put off may be tried again, or NCTL_TIME_NEVER. */
nctl_time nd_care_next(const struct drift *d, nctl_time now);
void nd_cares_free(struct drift *d);

/* repair.c */
/* Carries out what may be carried out of the plan of a pass. */
void nd_repair_run(struct nd_reconcile *r, struct job *job);
/* What came of a plan that was carried out, for each link. */
void nd_repair_learn(struct nd_reconcile *r, const struct nctl_plan *p, bool repair);
uint64_t nd_repair_clock_us(void);

/* tell.c: into the log, as far as the ration goes. */
void nd_tell_drift(struct drift *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void nd_tell_repairs(struct nd_reconcile *r, const struct nctl_plan *p);
