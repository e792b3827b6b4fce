/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "config/config.h"
#include "exec/session.h"
#include "loop/loop.h"
#include "netns/netns.h"

/*
 * The reconciler brings the kernel to a configuration: it owns the session, the accepted generation and the
 * ledger, and answers as JSON text, one object, the same for every transport:
 *
 *   {"exit": 0..5,                         exit status of netctl, see netctl(1)
 *    "error": "…",                         why it failed as a whole; absent when it did not
 *    "diagnostics": […], "diagnostics_text": "…",   of the configuration; absent when there are none
 *    "plan": {"changes": N, "blocked": B,
 *             "entries": [{"action": create|change|delete|add|remove|set, "object":
 * link|address|altname|netns|sysctl|wireguard|features|rings|channels|coalesce|pause|speed|wakeonlan|private-flags, "kind": K, "label": "foo.{1..1500}", "netns": "t{1..9}", "count": N,
 * "class": live|flap|flush|recreate, "undo": last|never (absent: it can be undone), "fields": ["mtu"], "file": F, "line": L, "column": C}], "problems":
 * [{"type": wait|consent|conflict|foreign-loss, "text": T, "file": F, "line": L, "column": C}]}, "result": {"state":
 * applied|unchanged|partly-applied|failed|rolled-back|to-be-confirmed|confirmed, "generation": N, "confirm_s": N, "held": N, "done": N, "refused": N, "poisoned":
 * N, "unseen": N, "sends": N, "messages": N, "duration_us": N, "refusals":
 * [{"action": A, "object": O, "name": N, "errno": E, "error": T, "kernel"|"detail": T, "file": F, "line": L,
 * "column": C}]}}
 */

struct nd_reconcile;

struct nd_reconcile_options {
	const char *const *paths; /* configuration files and folders, see nd_config_read_paths */
	size_t n_paths;
	const char *runtime_dir;
	const char *runtime_name; /* what people call it, NULL: the same */
	const char *lock_dir; /* has a file for each managed namespace, made if need be; NULL: no such lock */
	struct nctl_kernel *kernel;
	int control_fd; /* of the privileged helper (netns/privileges.h), taken over; -1: there is none */
	bool observe;   /* keep the mirror, change nothing at start */
	const struct nctl_hub_options *hub; /* NULL: the usual ones */
};

/* All in opts outlives the reconciler. Starts the session and the first pass (stored generation, else the
 * files). */
int nd_reconcile_new(struct nd_loop *loop, const struct nd_reconcile_options *opts,
	void (*ready)(void *userdata), void *userdata, struct nd_reconcile **ret);
struct nd_reconcile *nd_reconcile_free(struct nd_reconcile *r);

enum nd_apply_flags {
	ND_APPLY_KEEP_GOING = 1 << 0,
	ND_APPLY_ALLOW_RECREATE = 1 << 1,
	ND_APPLY_ALLOW_FOREIGN_LOSS = 1 << 2,
	ND_APPLY_NO_GUARD = 1 << 3, /* though it touches what carries the caller's own session */
};

/* How to apply, or what to plan for. */
struct nd_apply {
	unsigned flags;
	/* Of the caller's own session from afar: it is not to be cut off (AF_UNSPEC: there is none). */
	struct nctl_prefix peer, local;
	unsigned confirm_s; /* go back unless it is confirmed within so many seconds; 0: it is accepted at once */
};

/* Checks only; the answer goes to out. texts stays the caller's. 0 or -ENOMEM. */
int nd_reconcile_check(struct nd_reconcile *r, const struct nd_config_texts *texts, struct nctl_strbuf *out);
/* The accepted configuration: nd_check_show. */
int nd_reconcile_config(struct nd_reconcile *r, bool origin, struct nctl_strbuf *out);
/* What apply would do; otherwise like nd_reconcile_apply. */
int nd_reconcile_plan(struct nd_reconcile *r, const struct nd_config_texts *texts, const struct nd_apply *how,
	void (*answer)(const char *json, size_t len, void *userdata), void *userdata);

/* What differs now from the accepted configuration, and would be repaired; otherwise like nd_reconcile_plan. */
int nd_reconcile_drift(struct nd_reconcile *r, void (*answer)(const char *json, size_t len, void *userdata),
	void *userdata);

/*
 * Why a link is not as it should be: {"exit", "error", "why": NODE}, at once, from memory. NODE: {"type": link|carrier|
 * address|dad|ports|refused|blocked|put-off|reported|down|netns, "text", "link", "state": absent|down|no-carrier|up, "wanted",
 * "file", "line", "column", "since_s", "attempts", "again_in_s", "because": [NODE…]}; what does not apply is absent.
 * netns "": the daemon's own. 0 or -ENOMEM.
 */
int nd_reconcile_why(struct nd_reconcile *r, const char *netns, const char *link, struct nctl_strbuf *out);

/*
 * Makes texts (NULL: the files of opts.paths, read now) the configuration. answer is called exactly once with
 * the whole JSON text, perhaps before this returns; with NULL if the reconciler is freed first. At most 16
 * wait; then -EBUSY. nd_reconcile_forget makes sure that answer is not called with this userdata any more (a
 * client that is gone); the job itself goes on.
 */
int nd_reconcile_apply(struct nd_reconcile *r, const struct nd_config_texts *texts, const struct nd_apply *how,
	void (*answer)(const char *json, size_t len, void *userdata), void *userdata);
/* What waits to be confirmed is accepted, or undone now; answered as apply. 0, -EBUSY, or what the store says. */
int nd_reconcile_confirm(struct nd_reconcile *r,
	void (*answer)(const char *json, size_t len, void *userdata), void *userdata);
int nd_reconcile_rollback(struct nd_reconcile *r,
	void (*answer)(const char *json, size_t len, void *userdata), void *userdata);
enum nd_batch_flags {
	ND_BATCH_FORCE = 1 << 0, /* a line that fails does not stop those behind it */
};
struct nd_batch_how {
	unsigned flags;
	char netns[256]; /* "": the daemon's own */
};
/*
 * Carries out lines of ip(8) (batch/batch.h), beside the jobs and other batches, a window at a time. Otherwise like
 * nd_reconcile_apply, but that what is in text is taken over, if it is not refused; -EBUSY also if the texts that wait have 64 MiB together. The answer has, in place of "plan" and
 * "result", {"batch": {"job", "state": done|partly-done|stopped|cancelled|broken-off|refused, "lines", "done", "failed",
 * "not_done", "beyond" (lines done behind the one that stopped it, since they were on their way with it), "windows",
 * "messages", "sends", "duration_us"}, "failures": [{"line", "error", "errno", "kernel"|"detail"}]}.
 */
int nd_reconcile_batch(struct nd_reconcile *r, struct nd_config_text *text, const struct nd_batch_how *how,
	void (*answer)(const char *json, size_t len, void *userdata), void *userdata);
/*
 * All jobs that are on or wait: {"jobs": [{"job": NUMBER, "what": batch|apply|reload|plan|drift|start|confirm|restore|repair|
 * netns-add|netns-delete, "state": waiting|checking|running|going-back, "done", "total", "failed", "doing", "since_us",
 * "pid"}]}. done and total: lines, operations or names. pid: of the client that waits for it, as pid_of tells by what it
 * gave as userdata; absent where that is 0.
 */
void nd_reconcile_jobs(struct nd_reconcile *r, int (*pid_of)(const void *userdata, void *arg), void *arg,
	struct nctl_strbuf *out);
/*
 * No more of that job is sent; what is on its way is answered for, and then it ends: a batch and names with what is done, an
 * apply goes back. 0; -ENOENT: there is no such job; -EBUSY: it cannot be cancelled (any more).
 */
int nd_reconcile_cancel(struct nd_reconcile *r, uint64_t number);
void nd_reconcile_forget(struct nd_reconcile *r, void *userdata);

/* {"version", "state": synchronising|applying|repairing|to-be-confirmed|settled|waiting|failed|partly-applied|idle, "generation", "confirm": {"generation", "seconds_left"}, "warning",
 * "files": […], "links", "addresses", "owned_links", "namespaces", "owned_namespaces", "helper":
 * alive|gone|none, "helper_pid", "epoch", "losses", "kernel": {sends, messages, changes, receives, refusals,
 * dumps, …}, "events": {…}, "drift": {passes, repairs, unrepaired}, "loop": {…}, "pending": […], "last_error"} */
void nd_reconcile_status(struct nd_reconcile *r, struct nctl_strbuf *out);
/* A client asked something other than a change: a job that is on gives way for a while. */
void nd_reconcile_be_brief(struct nd_reconcile *r);
/* False until all mirrors were whole for the first time: half an answer would look like a whole one. */
bool nd_reconcile_is_ready(const struct nd_reconcile *r);
struct nd_netns_set *nd_reconcile_netns(const struct nd_reconcile *r);
