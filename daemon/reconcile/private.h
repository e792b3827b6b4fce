/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "base/json.h"
#include "base/list.h"
#include "plan/ledger.h"
#include "reconcile/reconcile.h"

/* What the files of daemon/reconcile share; nobody else includes it. */

/* store.c: the runtime folder: the ledger (appended while a plan runs, written anew between) and the
 * generation. */
struct store {
	int dir_fd, lock_fd, ledger_fd, namespace_fd;
	uint64_t cookie;
	bool torn; /* the ledger ends in the middle of a line */
};
#define STORE_INIT ((struct store){.dir_fd = -1, .lock_fd = -1, .ledger_fd = -1, .namespace_fd = -1})

enum { STORE_LOCKED = 1 }; /* another daemon has this runtime folder */

/* Opens the folder (made with mode 0755 if it is not there) and locks it. 0, STORE_LOCKED, -errno. */
int nd_store_open(struct store *s, const char *dir);
/* Keeps a second daemon out of this network namespace. 0, STORE_LOCKED, -errno: cannot be had here. */
int nd_store_lock_namespace(struct store *s, const char *dir, uint64_t cookie);
void nd_store_close(struct store *s);
/* Reads the entries of namespace cookie into l, and makes the file fit for appending. A missing file is
 * empty. */
int nd_store_load_ledger(struct store *s, uint64_t cookie, struct nctl_ledger *l);
int nd_store_append_links(struct store *s, const struct nctl_ledger_link *links, size_t n);
int nd_store_write_ledger(struct store *s, const struct nctl_ledger *l);
/* The accepted configuration. load: -ENOENT when none was ever accepted. */
int nd_store_load_generation(struct store *s, uint64_t *ret_number, struct nd_config_texts *texts);
int nd_store_write_generation(struct store *s, uint64_t number, const struct nd_config_texts *texts);

enum job_origin {
	JOB_START,  /* the first pass */
	JOB_CLIENT, /* apply with files */
	JOB_RELOAD, /* the daemon's own paths */
};

enum job_step {
	STEP_IDLE,    /* not begun, or there is none */
	STEP_PARSING, /* within one call */
	STEP_PARSED,  /* to be planned in the next turn */
	STEP_RUNNING, /* on its way, or on its way back */
};

/* One request to make something the configuration. */
struct job {
	struct nctl_list link;
	enum job_origin origin;
	unsigned flags;
	struct nd_config_texts texts;
	void (*answer)(const char *json, size_t len, void *userdata); /* NULL: nobody waits */
	void *userdata;
	struct nd_diagnostics diag;
	struct nctl_want *want;
	struct nctl_plan *plan;
	struct nctl_outcome outcome;
	struct nctl_plan *undo; /* the way back after a refusal */
};

struct nd_reconcile {
	struct nd_loop *loop;
	struct nd_reconcile_options opts;
	void (*ready)(void *userdata);
	void *userdata;
	struct store store;
	struct nctl_session *session;
	struct nctl_ledger *ledger;
	struct nd_io io;
	struct nd_timer timer;
	struct nd_wake wake;
	nctl_time busy_until; /* batches are on their way; events wait for them until then at most. 0: none
	                         are */
	bool watching;        /* the session exists and its watchers are set up */
	bool first_synced;    /* ledger and generation are loaded, the first pass is queued */
	uint64_t generation;
	struct nd_config_texts texts; /* of the accepted generation */
	struct nctl_list jobs;        /* struct job; the first one may be active */
	size_t n_jobs;
	enum job_step step; /* of the first job */
	char *last_error;
	bool partly;                /* the accepted generation was refused in part, as last_error says */
	struct nctl_strbuf pending; /* what the accepted configuration still waits for, a line each */
};

/* jobs.c */
int nd_job_queue(struct nd_reconcile *r, enum job_origin origin, const struct nd_config_texts *texts,
	unsigned flags, void (*answer)(const char *json, size_t len, void *userdata), void *userdata);
/* Starts the first job if nothing keeps it from starting. */
void nd_jobs_advance(struct nd_reconcile *r);
/* A turn of the loop for the job that waits for its next step; from the wake watcher alone. */
void nd_jobs_turn(struct nd_reconcile *r);
void nd_jobs_drop_all(struct nd_reconcile *r);
int nd_job_plan(struct nd_reconcile *r, const struct nctl_want *want, unsigned flags, struct nctl_plan **ret);

/* report.c */
enum { ND_EXIT_FINE, ND_EXIT_DIFFERENT, ND_EXIT_CONFIG, ND_EXIT_NO_DAEMON, ND_EXIT_REFUSED, ND_EXIT_TIMEOUT };
void nd_report_begin(struct nctl_json *j, struct nctl_strbuf *out, int exit_status, const char *error);
void nd_report_diagnostics(struct nctl_json *j, const struct nd_diagnostics *d);
void nd_report_plan(struct nctl_json *j, const struct nctl_plan *p);
void nd_report_result(struct nctl_json *j, const char *state, uint64_t generation, const struct nctl_plan *p,
	const struct nctl_outcome *o);
void nd_report_end(struct nctl_json *j);
/* "foo.yaml:3:1: create vlan foo.3: File exists (the kernel says: …)" of the first refusal, for the log; ""
 * without one. */
void nd_report_first_refusal(const struct nctl_plan *p, struct nctl_strbuf *out);
/* The same of the first error in a configuration, and of the first problem that blocks a plan. */
void nd_report_first_error(const struct nd_diagnostics *d, struct nctl_strbuf *out);
void nd_report_first_problem(const struct nctl_plan *p, struct nctl_strbuf *out);
/* The sentences of WAIT problems, a line each. */
void nd_report_waits(const struct nctl_plan *p, struct nctl_strbuf *out);
