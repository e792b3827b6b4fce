/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "base/arena.h"
#include "base/json.h"
#include "base/list.h"
#include "reconcile/devices.h"
#include "reconcile/drift.h"
#include "reconcile/gather.h"
#include "reconcile/reconcile.h"
#include "reconcile/report.h"
#include "reconcile/store.h"

/* What the files of daemon/reconcile share; nobody else includes it. */

enum job_origin {
	JOB_START,  /* the first pass */
	JOB_CLIENT, /* apply with files */
	JOB_RELOAD, /* the daemon's own paths */
	JOB_PLAN,   /* changes nothing */
	JOB_CONFIRM, /* what was put off until its configuration was confirmed */
	JOB_RESTORE, /* back to the snapshot of the journal */
	JOB_REPAIR, /* what is missing of the accepted configuration; nobody asked */
	JOB_DRIFT,  /* what is missing of it; changes nothing */
};

enum job_step {
	STEP_IDLE,    /* not begun, or there is none */
	STEP_READING, /* the helper opens the files */
	STEP_PARSING, /* within one call */
	STEP_PARSED,  /* what the plan needs to know is to be gathered in the next turn */
	STEP_LOOKING, /* it is being gathered */
	STEP_LOOKED,  /* to be planned in the next turn */
	STEP_RUNNING, /* on its way, or on its way back */
	STEP_RESTORING, /* the next plan of the way to a snapshot is to be made in the next turn */
};

/* One request to make something the configuration. */
struct job {
	struct nctl_list link;
	enum job_origin origin;
	uint64_t number;
	nctl_time began;
	bool cancelled;
	struct nd_apply how;
	struct nd_config_texts texts;
	void (*answer)(const char *json, size_t len, void *userdata); /* NULL: nobody waits */
	void *userdata;
	struct nd_diagnostics diag;
	bool own_files; /* texts are to be read from the daemon's own paths */
	struct nctl_want *want;
	bool want_is_kept; /* it is not the job's (any more) */
	struct gather gather;
	struct nctl_plan *plan;
	struct nctl_outcome outcome;
	struct nctl_plan *undo; /* the way back after a refusal; of the last pass */
	unsigned pass;          /* of the way to the snapshot of the journal */
};

struct nd_reconcile {
	struct nd_loop *loop;
	struct nd_reconcile_options opts;
	void (*ready)(void *userdata);
	void *userdata;
	struct store store;
	struct nd_netns_set *netns;
	struct nctl_hub *hub; /* of netns */
	struct ledgers ledgers;
	struct nd_wake wake;  /* a turn of its own for the next step of a job */
	struct nd_timer late; /* a job has waited for namespaces long enough */
	bool waking;          /* both are set up */
	bool settled;         /* ledger and generation are loaded, the first pass is queued */
	bool closing;         /* answers that come now are for nobody */
	uint64_t generation;
	struct nd_config_texts texts; /* of the accepted generation */
	struct nctl_list jobs;        /* struct job; the first one may be active */
	size_t n_jobs;
	struct {
		struct nctl_list all; /* struct batch (batches.h) */
		size_t n, bytes;
		struct nd_wake wake;
		struct nd_timer late, slice;
		struct batch *running; /* while on: whose window it is, and since when */
		nctl_time since;
		nctl_ifindex last_ifindex; /* given to a new link */
		/* A window is with the kernel; the run that is on was asked to make way; it has. */
		bool on, asked, granted;
	} batches;
	enum job_step step; /* of the first job */
	char *last_error;
	bool renames_up;            /* nctl_plan_options */
	bool partly;                /* the accepted generation was refused in part, as last_error says */
	const char *networkd;   /* what it does to others, in words; NULL: nothing, or it does not run */
	bool late_start;        /* the first pass comes when nothing waits to be confirmed any more */
	struct journal journal; /* its snapshot is there while a plan may have to be undone */
	struct nd_timer confirm_late;
	struct drift drift;
	struct nctl_strbuf pending; /* what the accepted configuration still waits for, a line each */
};

/* jobs.c */
int nd_job_queue(struct nd_reconcile *r, enum job_origin origin, const struct nd_config_texts *texts,
	const struct nd_apply *how, void (*answer)(const char *json, size_t len, void *userdata), void *userdata);
/* Starts the first job if nothing keeps it from starting. */
void nd_jobs_advance(struct nd_reconcile *r);
/* A turn of the loop for the job that waits for its next step. */
void nd_jobs_turn(struct nd_reconcile *r);
void nd_jobs_drop_all(struct nd_reconcile *r);
/* joblist.c: the member "jobs" of nd_reconcile_jobs; pid_of NULL: nobody's. */
void nd_jobs_tell(struct nd_reconcile *r, struct nctl_json *j, int (*pid_of)(const void *userdata, void *arg), void *arg);
/* Answers a job that has not begun, and forgets it. */
void nd_job_drop(struct nd_reconcile *r, struct job *job, const char *error);
struct job *nd_job_current(struct nd_reconcile *r);
/* Its next step is to be done, in a turn of its own. */
void nd_job_step(struct nd_reconcile *r, enum job_step step);

/* outcome.c: how a job ends. */
/* The ledger after a run: what was adopted is ours, what is gone is not; the file says the same. 0 or -errno. */
int nd_job_settle_ledger(struct nd_reconcile *r, const struct nctl_plan *p);
/* What was refused of the accepted configuration is there now. */
void nd_job_forgive(struct nd_reconcile *r);
/* Before anything was sent. error is a sentence; NULL: the diagnostics say it all. */
void nd_job_fail(struct nd_reconcile *r, int exit_status, const char *error);
void nd_job_fail_errno(struct nd_reconcile *r, const char *what, int error);
/* A plan that is only to be looked at. */
void nd_job_tell_plan(struct nd_reconcile *r);
void nd_job_end(struct nd_reconcile *r, struct nctl_strbuf *out);
/* For nctl_hub_run. */
void nd_job_applied(struct nctl_plan *plan, const struct nctl_outcome *outcome, void *userdata);
/* The state is that of the journal's snapshot, which is gone. why: what of it could not be had, NULL: all is. */
void nd_job_restored(struct nd_reconcile *r, const char *why);

/* gather.c */
/* The daemon's own files into the job's texts. 0 read, GATHER_LATER, ND_CONFIG_INVALID (below 0: -errno). */
enum { GATHER_LATER = 2 };
int nd_gather_files(struct nd_reconcile *r, struct job *job);
/* All that the plan needs to know; STEP_LOOKED when it is there. */
void nd_gather_look(struct nd_reconcile *r);
int nd_gather_plan(struct nd_reconcile *r, struct job *job);
void nd_gather_fini(struct gather *g);
/* What is there of the namespace that ret names. */
void nd_gather_describe(const struct nd_reconcile *r, const struct nd_netns *n, struct nctl_plan_netns *ret);
