/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "base/arena.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/list.h"
#include "plan/ledger.h"
#include "reconcile/reconcile.h"

/* What the files of daemon/reconcile share; nobody else includes it. */

/* ledgers.c: what is ours: namespaces by name, and in each namespace links and addresses. */
struct ledgers {
	struct nctl_hash by_cookie; /* of struct namespace_ledger */
	struct nctl_netns_ledger *netns;
};

struct namespace_ledger {
	struct nctl_hash_node by_cookie;
	uint64_t cookie;
	struct nctl_ledger *ledger;
};

int nd_ledgers_init(struct ledgers *l);
void nd_ledgers_fini(struct ledgers *l);
struct nctl_ledger *nd_ledgers_find(
	const struct ledgers *l, uint64_t cookie);                      /* NULL: nothing is ours there */
struct nctl_ledger *nd_ledgers_get(struct ledgers *l, uint64_t cookie); /* made if need be; NULL: no memory */
size_t nd_ledgers_link_count(const struct ledgers *l);
/* Forgets what the mirrors do not bear out, and namespaces that are not there any more. */
void nd_ledgers_prune(struct ledgers *l, struct nd_netns_set *set);
int nd_ledgers_intend(struct ledgers *l, const struct nctl_intent *v, size_t n);

/* store.c: the runtime folder: the ledger (appended while a plan runs, written anew between) and the
 * generation. */
struct store {
	int dir_fd, lock_fd, ledger_fd, namespace_fd;
	bool torn; /* the ledger ends in the middle of a line */
};
#define STORE_INIT ((struct store){.dir_fd = -1, .lock_fd = -1, .ledger_fd = -1, .namespace_fd = -1})

enum { STORE_LOCKED = 1 }; /* another daemon has this runtime folder */

/* Opens the folder (made with mode 0755 if it is not there) and locks it. 0, STORE_LOCKED, -errno. */
int nd_store_open(struct store *s, const char *dir);
/* Keeps a second daemon out of this network namespace. 0, STORE_LOCKED, -errno: cannot be had here. */
int nd_store_lock_namespace(struct store *s, const char *dir, uint64_t cookie);
void nd_store_close(struct store *s);
/* Reads all entries into l, and makes the file fit for appending. A missing file is empty. */
int nd_store_load_ledger(struct store *s, struct ledgers *l);
int nd_store_append_links(struct store *s, const struct nctl_intent *v, size_t n);
int nd_store_append_netns(struct store *s, const char *name, uint64_t cookie);
int nd_store_write_ledger(struct store *s, const struct ledgers *l);
/* The accepted configuration. load: -ENOENT when none was ever accepted. */
int nd_store_load_generation(struct store *s, uint64_t *ret_number, struct nd_config_texts *texts);
int nd_store_write_generation(struct store *s, uint64_t number, const struct nd_config_texts *texts);

enum job_origin {
	JOB_START,  /* the first pass */
	JOB_CLIENT, /* apply with files */
	JOB_RELOAD, /* the daemon's own paths */
	JOB_PLAN,   /* changes nothing */
};

enum job_step {
	STEP_IDLE,    /* not begun, or there is none */
	STEP_READING, /* the helper opens the files */
	STEP_PARSING, /* within one call */
	STEP_PARSED,  /* what the plan needs to know is to be gathered in the next turn */
	STEP_LOOKING, /* it is being gathered */
	STEP_LOOKED,  /* to be planned in the next turn */
	STEP_RUNNING, /* on its way, or on its way back */
};

/* What a job gathers before it can be planned; the answers come by and by. */
struct gather {
	struct nctl_arena arena;
	const char ***sysctls; /* by number of the wanted namespace: values in its order, or NULL: not read */
	size_t next;           /* wanted namespace to look at */
	size_t waiting;        /* answers that are to come */
	nctl_time patience;    /* how long to wait for namespaces to be joined */
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
	bool own_files; /* texts are to be read from the daemon's own paths */
	struct nctl_want *want;
	struct gather gather;
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
	struct nd_netns_set *netns;
	struct nctl_hub *hub; /* of netns */
	struct ledgers ledgers;
	struct nd_wake wake; /* a turn of its own for the next step of a job */
	bool waking;         /* the wake watcher is set up */
	bool settled;        /* ledger and generation are loaded, the first pass is queued */
	bool closing;        /* answers that come now are for nobody */
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
/* A turn of the loop for the job that waits for its next step. */
void nd_jobs_turn(struct nd_reconcile *r);
void nd_jobs_drop_all(struct nd_reconcile *r);
struct job *nd_job_current(struct nd_reconcile *r);
/* Its next step is to be done, in a turn of its own. */
void nd_job_step(struct nd_reconcile *r, enum job_step step);

/* outcome.c: how a job ends. */
/* Before anything was sent. error is a sentence; NULL: the diagnostics say it all. */
void nd_job_fail(struct nd_reconcile *r, int exit_status, const char *error);
void nd_job_fail_errno(struct nd_reconcile *r, const char *what, int error);
/* A plan that is only to be looked at. */
void nd_job_tell_plan(struct nd_reconcile *r);
void nd_job_end(struct nd_reconcile *r, struct nctl_strbuf *out);
/* For nctl_hub_run. */
void nd_job_applied(struct nctl_plan *plan, const struct nctl_outcome *outcome, void *userdata);

/* gather.c */
/* The daemon's own files into the job's texts. 0 read, GATHER_LATER, ND_CONFIG_INVALID (below 0: -errno). */
enum { GATHER_LATER = 2 };
int nd_gather_files(struct nd_reconcile *r, struct job *job);
/* All that the plan needs to know; STEP_LOOKED when it is there. */
void nd_gather_look(struct nd_reconcile *r);
int nd_gather_plan(struct nd_reconcile *r, struct job *job);
void nd_gather_fini(struct gather *g);

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
