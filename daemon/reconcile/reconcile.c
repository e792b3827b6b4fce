/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the reconciler: ties a session to the loop, and is what the bus talks to. Owns the session, the
 * ledger, the accepted generation and the queue of jobs (jobs.c). While batches are on their way it leaves
 * events in the socket's buffer: read by the dozen they cost a fifth (tests/bench/s1), and each batch that
 * comes back drains them; should the kernel take long over one, events are read all the same after BUSY_US.
 */
#include "reconcile/private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "log/log.h"

enum {
	EVENT_BUDGET = 512, /* messages a turn: about 2 ms */
	RESULT_BUDGET = 4,  /* batches or dump chunks a turn */
	BUSY_US = 50 * 1000,
};

/* Sets the watchers to what the session waits for now. */
static void rewatch(struct nd_reconcile *r)
{
	nctl_time at = nctl_session_deadline(r->session);

	if (nctl_session_is_busy(r->session)) {
		if (!r->busy_until.usec)
			r->busy_until = nctl_time_add_us(nctl_time_now(), BUSY_US);
		nd_io_stop(&r->io);
		if (nctl_time_cmp(r->busy_until, at) < 0)
			at = r->busy_until;
	} else {
		r->busy_until.usec = 0;
		nd_io_start(&r->io);
	}
	nd_timer_set(&r->timer, at);
}

static void on_events(struct nd_io *io, unsigned events)
{
	struct nd_reconcile *r = io->userdata;
	int e = nctl_session_dispatch_events(r->session, EVENT_BUDGET);

	(void)events;
	if (e < 0) {
		nd_error("cannot read events: %s", strerror(-e));
		nd_loop_stop(r->loop, 1);
		return;
	}
	rewatch(r);
}

static void on_results(struct nd_wake *w)
{
	struct nd_reconcile *r = w->userdata;

	if (nctl_session_dispatch_results(r->session, RESULT_BUDGET) == NCTL_PUMP_MORE)
		nd_wake_send(&r->wake);
	nd_jobs_turn(r);
	rewatch(r);
}

static void on_timer(struct nd_timer *t)
{
	struct nd_reconcile *r = t->userdata;

	nctl_session_tick(r->session, nctl_time_now());
	r->busy_until.usec = 0;
	rewatch(r);
	if (nctl_session_is_busy(r->session))
		nd_io_start(&r->io);
}

/* From the requester's thread. */
static void wake(void *userdata)
{
	struct nd_reconcile *r = userdata;

	nd_wake_send(&r->wake);
}

static int intend(struct nctl_session *s, const struct nctl_ledger_link *links, size_t n, void *userdata)
{
	struct nd_reconcile *r = userdata;
	int e = nd_store_append_links(&r->store, links, n);

	(void)s;
	for (size_t i = 0; e >= 0 && i < n; i++)
		e = nctl_ledger_link_add(r->ledger, &links[i]);
	return e;
}

/* The mirror is whole for the first time: now what is ours and what was accepted can be judged. */
static void first_sync(struct nd_reconcile *r)
{
	int e = nd_store_load_ledger(&r->store, nctl_session_cookie(r->session), r->ledger);

	if (e < 0)
		nd_error("cannot read the ledger: %s; links made before are foreign now", strerror(-e));
	e = nd_store_load_generation(&r->store, &r->generation, &r->texts);
	if (e < 0 && e != -ENOENT)
		nd_error("cannot read the stored generation: %s; taking the files", strerror(-e));
	nd_info("mirror in step: %zu links, %zu addresses; %zu links are ours; %s",
		nctl_mirror_link_count(nctl_session_mirror(r->session)),
		nctl_mirror_addr_count(nctl_session_mirror(r->session)), nctl_ledger_link_count(r->ledger),
		r->opts.observe ? "observing"
		: r->generation ? "resuming the accepted generation"
				: "taking the files");
	r->first_synced = true;
	if (r->opts.observe) {
		if (r->ready)
			r->ready(r->userdata);
		return;
	}
	e = nd_job_queue(r, JOB_START, &r->texts, ND_APPLY_KEEP_GOING, NULL, NULL);
	if (e < 0)
		nd_error("cannot start the first pass: %s", strerror(-e));
}

static void synced(struct nctl_session *s, void *userdata)
{
	struct nd_reconcile *r = userdata;

	(void)s;
	if (!r->first_synced)
		first_sync(r);
	nd_jobs_advance(r);
}

static const struct nctl_session_ops session_ops = {.wake = wake, .synced = synced, .intend = intend};

static int open_session(struct nd_reconcile *r)
{
	int e = nctl_ledger_new(&r->ledger);

	if (e < 0)
		return e;
	nd_wake_init(&r->wake, r->loop, on_results, r);
	e = nctl_session_new(r->opts.kernel, &session_ops, r, &r->session);
	if (e < 0) {
		nd_wake_stop(&r->wake);
		return e;
	}
	nd_io_init(&r->io, r->loop, nctl_session_get_fd(r->session), ND_READ, on_events, r);
	nd_timer_init(&r->timer, r->loop, on_timer, r);
	r->watching = true;
	rewatch(r);
	return 0;
}

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

int nd_reconcile_new(struct nd_loop *loop, const struct nd_reconcile_options *opts,
	void (*ready)(void *userdata), void *userdata, struct nd_reconcile **ret)
{
	struct nd_reconcile *r = calloc(1, sizeof(*r));
	int e;

	if (!r)
		return -ENOMEM;
	r->loop = loop;
	r->opts = *opts;
	r->ready = ready;
	r->userdata = userdata;
	r->store = STORE_INIT;
	r->texts = ND_CONFIG_TEXTS_INIT;
	r->pending = NCTL_STRBUF_INIT;
	nctl_list_init(&r->jobs);
	e = nd_store_open(&r->store, opts->runtime_dir);
	if (e == STORE_LOCKED) {
		nd_error("another netctld uses the runtime folder %s", opts->runtime_dir);
		e = -EBUSY;
	}
	if (e >= 0)
		e = lock_namespace(r);
	if (e >= 0)
		e = open_session(r);
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
	nd_jobs_drop_all(r);
	if (r->watching) {
		nd_io_stop(&r->io);
		nd_timer_stop(&r->timer);
	}
	r->session = nctl_session_free(r->session); /* its thread calls wake to the last */
	if (r->watching)
		nd_wake_stop(&r->wake);
	nctl_ledger_free(r->ledger);
	nd_config_texts_fini(&r->texts);
	nctl_strbuf_fini(&r->pending);
	nd_store_close(&r->store);
	free(r->last_error);
	free(r);
	return NULL;
}

int nd_reconcile_apply(struct nd_reconcile *r, const struct nd_config_texts *texts, unsigned flags,
	void (*answer)(const char *json, size_t len, void *userdata), void *userdata)
{
	int e = nd_job_queue(r, texts ? JOB_CLIENT : JOB_RELOAD, texts, flags, answer, userdata);

	rewatch(r);
	return e;
}

void nd_reconcile_forget(struct nd_reconcile *r, void *userdata)
{
	struct nctl_list *n;

	nctl_list_for_each(n, &r->jobs) {
		struct job *job = nctl_list_entry(n, struct job, link);

		if (job->userdata == userdata)
			job->answer = NULL;
	}
}

const struct nctl_mirror *nd_reconcile_mirror(const struct nd_reconcile *r)
{
	return r->first_synced ? nctl_session_mirror(r->session) : NULL;
}

void nd_reconcile_be_brief(struct nd_reconcile *r)
{
	nctl_session_be_brief(r->session);
}
