/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the reconciler: what the bus talks to. Owns the set of namespaces (which owns the hub), the ledgers,
 * the accepted generation and the queue of jobs (jobs.c).
 */
#include "reconcile/batches.h"
#include "reconcile/confirm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "log/log.h"

static void on_wake(struct nd_wake *w)
{
	nd_jobs_turn(w->userdata);
}

static void on_late(struct nd_timer *t)
{
	nd_jobs_turn(t->userdata);
}

/* A job may wait for what this turn brought. */
static void on_turn(void *userdata)
{
	struct nd_reconcile *r = userdata;

	if (r->step == STEP_LOOKING)
		nd_wake_send(&r->wake);
	nd_batches_wake(r);
	nd_drift_turn(r);
}

static void on_joined(struct nd_netns *n, void *userdata)
{
	nd_drift_joined(userdata, n);
}

static void on_gone(struct nd_netns *n, void *userdata)
{
	nd_drift_gone(userdata, n);
}

static int intend(const struct nctl_intent *v, size_t n, void *userdata)
{
	struct nd_reconcile *r = userdata;
	int e = nd_store_append_links(&r->store, v, n);

	return e < 0 ? e : nd_ledgers_intend(&r->ledgers, v, n);
}

static int intend_netns(const char *name, uint64_t cookie, void *userdata)
{
	struct nd_reconcile *r = userdata;
	int e = nd_store_append_netns(&r->store, name, cookie);

	return e < 0 ? e : nctl_netns_ledger_add(r->ledgers.netns, name, cookie);
}

static void forget_netns(const char *name, void *userdata)
{
	struct nd_reconcile *r = userdata;
	int e = nd_store_append_not_ours(&r->store, name);

	if (e < 0)
		nd_error("cannot write the ledger: %s; it still claims the namespace %s", strerror(-e), name);
	nctl_netns_ledger_del(r->ledgers.netns, name);
}

void nd_first_pass(struct nd_reconcile *r)
{
	const struct nd_apply how = {.flags = ND_APPLY_KEEP_GOING};
	int e = nd_job_queue(r, JOB_START, r->generation ? &r->texts : NULL, &how, NULL, NULL);

	if (e < 0)
		nd_error("cannot start the first pass: %s", strerror(-e));
}

/* The mirrors are whole for the first time: now what is ours and what was accepted can be judged. */
static void on_settled(void *userdata)
{
	struct nd_reconcile *r = userdata;
	struct nctl_mirror *home = nctl_session_mirror(nctl_hub_home(r->hub));
	int e = nd_store_load_ledger(&r->store, &r->ledgers);

	if (e < 0)
		nd_error("cannot read the ledger: %s; links made before are foreign now", strerror(-e));
	e = nd_store_load_generation(&r->store, &r->generation, &r->texts);
	if (e < 0 && e != -ENOENT)
		nd_error("cannot read the stored generation: %s; taking the files", strerror(-e));
	nd_info("mirror in step: %zu links, %zu addresses, %zu other namespaces; %zu links and %zu "
		"namespaces are "
		"ours; %s",
		nctl_mirror_link_count(home), nctl_mirror_addr_count(home), nd_netns_count(r->netns) - 1,
		nd_ledgers_link_count(&r->ledgers), nctl_netns_ledger_count(r->ledgers.netns),
		r->opts.observe ? "observing"
		: r->generation ? "resuming the accepted generation"
				: "taking the files");
	nd_networkd_look(r);
	r->settled = true;
	nd_drift_start(r);
	if (r->opts.observe) {
		if (r->ready)
			r->ready(r->userdata);
		return;
	}
	if (nd_confirm_resume(r) == RESUME_WAITING) {
		r->late_start = true;
		if (r->ready)
			r->ready(r->userdata);
		return;
	}
	nd_first_pass(r);
}

static void on_home_synced(void *userdata)
{
	nd_batches_wake(userdata);
	nd_jobs_advance(userdata);
}

static const struct nd_netns_ops netns_ops = {
	.home_synced = on_home_synced,
	.settled = on_settled,
	.turn = on_turn,
	.joined = on_joined,
	.gone = on_gone,
	.intend = intend,
	.intend_netns = intend_netns,
	.forget_netns = forget_netns,
};

/* Where /run is not ours to write (a container, a test), only the runtime folder's lock is left. */
static int lock_namespace(struct nd_reconcile *r)
{
	uint64_t cookie;
	int e;

	if (!r->opts.lock_dir)
		return 0;
	e = r->opts.kernel->get_cookie(r->opts.kernel, &cookie);
	if (e >= 0)
		e = nd_store_lock_namespace(&r->store, r->opts.lock_dir, cookie);
	if (e == STORE_LOCKED) {
		nd_error("another netctld manages this network namespace; each would undo what the other "
			 "does");
		return -EBUSY;
	}
	if (e < 0)
		nd_warn("cannot lock the network namespace: %s; mind that no other netctld manages it",
			strerror(-e));
	return 0;
}

static int open_namespaces(struct nd_reconcile *r)
{
	int e;

	nd_wake_init(&r->wake, r->loop, on_wake, r);
	nd_timer_init(&r->late, r->loop, on_late, r);
	nd_timer_init(&r->confirm_late, r->loop, nd_confirm_late, r);
	nd_batches_init(r);
	r->waking = true;
	e = nd_netns_set_new(r->loop, r->opts.kernel, take_fd(r->opts.control_fd), r->opts.hub, &netns_ops, r,
		&r->netns);
	if (e >= 0)
		r->hub = nd_netns_set_hub(r->netns);
	return e;
}

int nd_reconcile_new(struct nd_loop *loop, const struct nd_reconcile_options *opts,
	void (*ready)(void *userdata), void *userdata, struct nd_reconcile **ret)
{
	struct nd_reconcile *r = calloc(1, sizeof(*r));
	int e;

	if (!r)
		return -ENOMEM;
	r->loop = loop;
	r->opts = *opts;
	if (!r->opts.runtime_name)
		r->opts.runtime_name = opts->runtime_dir;
	r->ready = ready;
	r->userdata = userdata;
	r->store = STORE_INIT;
	r->texts = ND_CONFIG_TEXTS_INIT;
	r->journal = JOURNAL_INIT;
	r->pending = NCTL_STRBUF_INIT;
	nctl_list_init(&r->jobs);
	e = nd_store_open(&r->store, opts->runtime_dir);
	if (e == STORE_LOCKED) {
		nd_error("another netctld uses the runtime folder %s", r->opts.runtime_name);
		e = -EBUSY;
	}
	if (e >= 0)
		e = lock_namespace(r);
	if (e >= 0)
		e = nd_ledgers_init(&r->ledgers);
	if (e >= 0)
		e = nd_drift_init(r);
	if (e >= 0)
		e = open_namespaces(r);
	if (e < 0) {
		nd_reconcile_free(r);
		return e;
	}
	*ret = r;
	return 0;
}

struct nd_reconcile *nd_reconcile_free(struct nd_reconcile *r)
{
	if (!r)
		return NULL;
	r->closing = true;
	/* First, since it answers what jobs have asked, and its thread works for their plans. */
	r->netns = nd_netns_set_free(r->netns);
	nctl_closep(&r->opts.control_fd);
	nd_jobs_drop_all(r);
	nd_drift_fini(r);
	if (r->waking) {
		nd_batches_fini(r);
		nd_wake_stop(&r->wake);
		nd_timer_stop(&r->late);
		nd_timer_stop(&r->confirm_late);
	}
	nd_ledgers_fini(&r->ledgers);
	nd_config_texts_fini(&r->texts);
	nd_journal_fini(&r->journal);
	nctl_strbuf_fini(&r->pending);
	nd_store_close(&r->store);
	free(r->last_error);
	free(r);
	return NULL;
}

int nd_reconcile_apply(struct nd_reconcile *r, const struct nd_config_texts *texts,
	const struct nd_apply *how, void (*answer)(const char *json, size_t len, void *userdata),
	void *userdata)
{
	return nd_job_queue(r, texts ? JOB_CLIENT : JOB_RELOAD, texts, how, answer, userdata);
}

int nd_reconcile_plan(struct nd_reconcile *r, const struct nd_config_texts *texts,
	const struct nd_apply *how, void (*answer)(const char *json, size_t len, void *userdata),
	void *userdata)
{
	return nd_job_queue(r, JOB_PLAN, texts, how, answer, userdata);
}

int nd_reconcile_drift(struct nd_reconcile *r, void (*answer)(const char *json, size_t len, void *userdata),
	void *userdata)
{
	return nd_job_queue(r, JOB_DRIFT, NULL, &(struct nd_apply){0}, answer, userdata);
}

void nd_reconcile_forget(struct nd_reconcile *r, void *userdata)
{
	struct nctl_list *n;

	nctl_list_for_each(n, &r->jobs) {
		struct job *job = nctl_list_entry(n, struct job, link);

		if (job->userdata == userdata)
			job->answer = NULL;
	}
	nd_batches_forget(r, userdata);
}

bool nd_reconcile_is_ready(const struct nd_reconcile *r)
{
	return r->settled;
}

struct nd_netns_set *nd_reconcile_netns(const struct nd_reconcile *r)
{
	return r->netns;
}

void nd_reconcile_be_brief(struct nd_reconcile *r)
{
	nctl_hub_be_brief(r->hub);
}
