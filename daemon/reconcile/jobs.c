/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the way of a configuration: texts are read and parsed, what the plan needs is gathered (gather.c), the
 * plan is made and carried out, and its end is outcome.c's; one job at a time, in the order of their arrival.
 * Each long step has a turn of the loop to itself.
 */
#include "reconcile/batches.h"
#include "reconcile/confirm.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#include "log/log.h"
#include "netns/jobs.h"
#include "reconcile/fault.h"

enum { JOBS_MAX = 16 };

static void job_free(struct job *job)
{
	nctl_plan_free(job->undo);
	nctl_plan_free(job->plan);
	if (!job->want_is_kept)
		nctl_want_free(job->want);
	nd_gather_fini(&job->gather);
	nd_diagnostics_fini(&job->diag);
	nd_config_texts_fini(&job->texts);
	free(job);
}

static int copy_texts(const struct nd_config_texts *from, struct nd_config_texts *to)
{
	int r = 0;

	to->most = from->most;

	for (size_t i = 0; r >= 0 && i < from->n; i++)
		r = nd_config_texts_add(to, from->v[i].path, from->v[i].data, from->v[i].len);
	return r;
}

/*
 * A client may have been faster than the mirrors; what it wants comes after the first pass all the same. The
 * way back comes before both, and behind the job that is on.
 */
static void insert(struct nd_reconcile *r, struct job *job)
{
	struct nctl_list *after = &r->jobs, *first = nctl_list_first(&r->jobs);
	bool on = first && r->step != STEP_IDLE;
	bool back = first && nctl_list_entry(first, struct job, link)->origin == JOB_RESTORE;

	if (job->origin != JOB_START && job->origin != JOB_RESTORE) {
		nctl_list_add_tail(&r->jobs, &job->link);
		return;
	}
	if (on || back)
		after = first;
	nctl_list_add_head(after, &job->link);
}

int nd_job_queue(struct nd_reconcile *r, enum job_origin origin, const struct nd_config_texts *texts,
	const struct nd_apply *how, void (*answer)(const char *json, size_t len, void *userdata),
	void *userdata)
{
	struct job *job;

	if (r->n_jobs >= JOBS_MAX && origin != JOB_RESTORE && origin != JOB_CONFIRM)
		return -EBUSY;
	job = calloc(1, sizeof(*job));
	if (!job)
		return -ENOMEM;
	job->origin = origin;
	job->number = nd_netns_job_number(r->netns);
	job->began = nctl_time_now();
	job->how = *how;
	job->texts = ND_CONFIG_TEXTS_INIT;
	nctl_arena_init(&job->gather.arena);
	nd_devices_init(&job->gather.devices);
	job->own_files = !texts;
	job->diag = ND_DIAGNOSTICS_INIT;
	if (texts && copy_texts(texts, &job->texts) < 0) {
		job_free(job);
		return -ENOMEM;
	}
	job->answer = answer;
	job->userdata = userdata;
	insert(r, job);
	r->n_jobs++;
	nd_jobs_advance(r);
	return 0;
}

struct job *nd_job_current(struct nd_reconcile *r)
{
	return nctl_list_entry(nctl_list_first(&r->jobs), struct job, link);
}

void nd_job_step(struct nd_reconcile *r, enum job_step step)
{
	r->step = step;
	nd_wake_send(&r->wake);
}

/*
 * A large job leaves a large heap, of which what main.c warmed up is enough until the next one. The look
 * costs nothing to speak of; giving back, some milliseconds.
 */
static void give_back(void)
{
	enum { KEEP_BYTES = 8 * 1024 * 1024 };

	if (mallinfo2().fordblks > 2 * KEEP_BYTES)
		malloc_trim(KEEP_BYTES);
}

void nd_job_end(struct nd_reconcile *r, struct nctl_strbuf *out)
{
	struct job *job = nd_job_current(r);
	bool first = job->origin == JOB_START && !r->late_start;

	if (job->origin == JOB_START)
		r->late_start = false;

	nctl_list_del(&job->link);
	r->n_jobs--;
	r->step = STEP_IDLE;
	if (job->answer) {
		static const char no_memory[] = "{\"exit\":4,\"error\":\"out of memory\"}";

		if (out->err)
			job->answer(no_memory, sizeof(no_memory) - 1, job->userdata);
		else
			job->answer(nctl_strbuf_str(out), out->len, job->userdata);
	}
	job_free(job);
	give_back();
	if (first && r->ready)
		r->ready(r->userdata);
}

static int read_and_parse(struct nd_reconcile *r, struct job *job)
{
	int e = job->own_files ? nd_gather_files(r, job) : 0;

	return e == 0 ? nd_config_parse(&job->texts, &job->diag, &job->want) : e;
}

/* What is applied next would be undone with it, or keep it from being undone. */
static void wait_first(struct nd_reconcile *r)
{
	char text[160];

	snprintf(text, sizeof(text),
		"generation %llu waits to be confirmed for another %llu s: netctl confirm or netctl rollback "
		"comes first; nothing was changed",
		(unsigned long long)r->journal.generation, (unsigned long long)nd_confirm_seconds_left(r));
	nd_job_fail(r, ND_EXIT_CONFIG, text);
}

/* What is wanted is known; a repair takes sysctls on trust, and waits for no namespace. */
static void take_accepted(struct nd_reconcile *r, struct job *job)
{
	job->want = r->drift.want;
	job->want_is_kept = true;
	if (!job->want)
		nd_job_fail(r, ND_EXIT_CONFIG, "no configuration is accepted yet");
	else
		nd_job_step(r, job->origin == JOB_REPAIR ? STEP_LOOKED : STEP_PARSED);
}

/* First turn: texts to what is wanted. The rest is for the next ones, so that none keeps the loop for long.
 */
static void parse(struct nd_reconcile *r, struct job *job)
{
	nctl_time began = nctl_time_now();
	int e;

	if (job->origin == JOB_RESTORE) {
		nd_job_step(r, STEP_RESTORING);
		return;
	}
	if (r->journal.waiting && job->origin != JOB_PLAN && job->origin != JOB_DRIFT) {
		wait_first(r);
		return;
	}
	r->step = STEP_PARSING;
	if (job->origin == JOB_REPAIR || job->origin == JOB_DRIFT) {
		take_accepted(r, job);
		return;
	}
	e = read_and_parse(r, job);
	if (e == GATHER_LATER)
		return;
	if (e == ND_CONFIG_INVALID) {
		nd_job_fail(r, ND_EXIT_CONFIG, NULL);
	} else if (e < 0) {
		nd_job_fail_errno(r, "cannot read the configuration", e);
	} else {
		nd_debug("%zu files read, %zu links wanted: %lld us", job->texts.n, job->want->n_links,
			(long long)nctl_time_diff_us(nctl_time_now(), began));
		nd_job_step(r, STEP_PARSED);
	}
}

/* What keeps going is not undone by itself, nor is a restart's first pass. */
static bool needs_way_back(const struct job *job)
{
	return job->plan->n_ops && (job->how.confirm_s || !(job->how.flags & ND_APPLY_KEEP_GOING));
}

/* Last turn: from what is wanted and what is there to a plan on its way. */
static void plan_and_run(struct nd_reconcile *r, struct job *job)
{
	nctl_time began = nctl_time_now();
	int e = nd_gather_plan(r, job);
	char text[512];

	if (e == ND_CONFIG_INVALID) {
		nd_job_fail(r, ND_EXIT_CONFIG, NULL);
		return;
	}
	if (e < 0) {
		nd_job_fail_errno(r, "cannot plan", e);
		return;
	}
	if (job->origin == JOB_REPAIR) {
		nd_repair_run(r, job);
		return;
	}
	if (job->origin == JOB_PLAN || job->origin == JOB_DRIFT) {
		nd_job_tell_plan(r);
		return;
	}
	if (job->plan->blocked) {
		nd_job_fail(r, ND_EXIT_CONFIG, "the plan is blocked; nothing was changed");
		return;
	}
	if (job->cancelled) {
		nd_job_fail(r, ND_EXIT_REFUSED, "cancelled; nothing was changed");
		return;
	}
	nd_debug("%zu operations planned: %lld us", job->plan->n_ops,
		(long long)nctl_time_diff_us(nctl_time_now(), began));
	if (nd_guard(r, job, text, sizeof(text))) {
		nd_job_fail(r, ND_EXIT_CONFIG, text);
		return;
	}
	job->plan->hold = job->how.confirm_s;
	e = needs_way_back(job) ? nd_journal_begin(r, job) : 0;
	if (e < 0) {
		nd_job_fail_errno(
			r, "cannot write the journal in the runtime folder; nothing was changed", e);
		return;
	}
	r->step = STEP_RUNNING;
	if (job->origin != JOB_START)
		nd_fault(r->hub, false);
	e = nctl_hub_run(r->hub, job->plan, job->how.flags & ND_APPLY_KEEP_GOING, nd_job_applied, r);
	if (e < 0) {
		nd_journal_drop(r); /* nothing was sent */
		nd_job_fail_errno(r, "cannot start", e);
	}
}

static bool may_go_on(const struct nd_reconcile *r)
{
	return r->settled && !r->closing && !nd_batches_are_on(r) && nctl_session_is_synced(nctl_hub_home(r->hub)) &&
	       !nctl_list_empty(&r->jobs);
}

void nd_jobs_advance(struct nd_reconcile *r)
{
	while (r->step == STEP_IDLE && may_go_on(r))
		parse(r, nd_job_current(r));
	if (r->step == STEP_PARSED || r->step == STEP_LOOKED || r->step == STEP_RESTORING)
		nd_wake_send(&r->wake); /* it may have waited for the mirror */
	nd_drift_turn(r);
}

void nd_jobs_turn(struct nd_reconcile *r)
{
	if (!may_go_on(r))
		return;
	if (r->step == STEP_PARSED || r->step == STEP_LOOKING)
		nd_gather_look(r);
	else if (r->step == STEP_LOOKED)
		plan_and_run(r, nd_job_current(r));
	else if (r->step == STEP_RESTORING)
		nd_restore_turn(r);
	nd_jobs_advance(r);
}

void nd_job_drop(struct nd_reconcile *r, struct job *job, const char *error)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf out = NCTL_STRBUF_INIT;
	struct nctl_json j;

	nd_report_begin(&j, &out, ND_EXIT_REFUSED, error);
	nd_report_end(&j);
	nctl_list_del(&job->link);
	r->n_jobs--;
	if (job->answer)
		job->answer(nctl_strbuf_str(&out), out.len, job->userdata);
	job_free(job);
}

void nd_jobs_drop_all(struct nd_reconcile *r)
{
	while (!nctl_list_empty(&r->jobs)) {
		struct job *job = nd_job_current(r);

		nctl_list_del(&job->link);
		if (job->answer)
			job->answer(NULL, 0, job->userdata);
		job_free(job);
	}
	r->n_jobs = 0;
	r->step = STEP_IDLE;
}
