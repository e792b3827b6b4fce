/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the way of a configuration: texts are parsed, planned against the mirror, carried out, and accepted,
 * one job at a time, in the order of their arrival. Nothing is accepted half: after a refusal (without
 * keep-going) the plan is undone from what it remembers of the state before it.
 */
#include "reconcile/private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log/log.h"

enum { JOBS_MAX = 16 };

static void job_free(struct job *job)
{
	nctl_plan_free(job->plan);
	nctl_plan_free(job->undo);
	nctl_want_free(job->want);
	nd_diagnostics_fini(&job->diag);
	nd_config_texts_fini(&job->texts);
	free(job);
}

static int copy_texts(const struct nd_config_texts *from, struct nd_config_texts *to)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < from->n; i++)
		r = nd_config_texts_add(to, from->v[i].path, from->v[i].data, from->v[i].len);
	return r;
}

int nd_job_queue(struct nd_reconcile *r, enum job_origin origin, const struct nd_config_texts *texts,
	unsigned flags, void (*answer)(const char *json, size_t len, void *userdata), void *userdata)
{
	struct job *job;

	if (r->n_jobs >= JOBS_MAX)
		return -EBUSY;
	job = calloc(1, sizeof(*job));
	if (!job)
		return -ENOMEM;
	job->origin = origin;
	job->flags = flags;
	job->texts = ND_CONFIG_TEXTS_INIT;
	job->diag = ND_DIAGNOSTICS_INIT;
	if (texts && copy_texts(texts, &job->texts) < 0) {
		job_free(job);
		return -ENOMEM;
	}
	job->answer = answer;
	job->userdata = userdata;
	nctl_list_add_tail(&r->jobs, &job->link);
	r->n_jobs++;
	nd_jobs_advance(r);
	return 0;
}

int nd_job_plan(struct nd_reconcile *r, const struct nctl_want *want, unsigned flags, struct nctl_plan **ret)
{
	nctl_ifindex last = nctl_mirror_link_last(nctl_session_mirror(r->session));
	struct nctl_plan_options opts = {
		.allow_recreate = flags & ND_APPLY_ALLOW_RECREATE,
		.next_ifindex = last >= NCTL_IFINDEX_FIRST && last < INT32_MAX / 2 ? last + 1 : 0,
	};

	/* While a plan is carried out (this one is only to be looked at), intents stand for links on their
	 * way. */
	if (!nctl_session_is_running(r->session))
		nctl_ledger_prune(r->ledger, nctl_session_mirror(r->session));
	return nctl_plan_build(want, nctl_session_mirror(r->session), r->ledger, &opts, ret);
}

static struct job *current(struct nd_reconcile *r)
{
	return nctl_list_entry(nctl_list_first(&r->jobs), struct job, link);
}

static void remember_error(struct nd_reconcile *r, const char *error)
{
	free(r->last_error);
	r->last_error = error ? strdup(error) : NULL;
	r->partly = false;
}

/* Ends the current job with this answer. */
static void answer(struct nd_reconcile *r, struct nctl_strbuf *out)
{
	struct job *job = current(r);
	bool first = job->origin == JOB_START;

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
	if (first && r->ready)
		r->ready(r->userdata);
}

/* A job that ends before anything was sent. error is a sentence; NULL: the diagnostics say it all. */
static void fail(struct nd_reconcile *r, int exit_status, const char *error)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf out = NCTL_STRBUF_INIT, why = NCTL_STRBUF_INIT;
	struct job *job = current(r);
	struct nctl_json j;

	if (!error)
		error = "the configuration has errors; nothing was changed";
	if (job->diag.n_errors)
		nd_report_first_error(&job->diag, &why);
	else if (job->plan)
		nd_report_first_problem(job->plan, &why);
	if (!why.len && job->plan)
		nd_report_first_refusal(job->plan, &why);
	if (why.len)
		nctl_strbuf_puts(&why, "; ");
	nctl_strbuf_puts(&why, error);
	nd_error("%s", nctl_strbuf_str(&why));
	for (size_t i = 0; i < job->diag.n; i++)
		nd_error("%s:%u:%u: %s", job->diag.v[i].file ? job->diag.v[i].file : "", job->diag.v[i].line,
			job->diag.v[i].column, job->diag.v[i].message);
	remember_error(r, nctl_strbuf_str(&why));
	nd_report_begin(&j, &out, exit_status, error);
	nd_report_diagnostics(&j, &job->diag);
	if (job->plan)
		nd_report_plan(&j, job->plan);
	nd_report_end(&j);
	answer(r, &out);
}

static void fail_errno(struct nd_reconcile *r, const char *what, int error)
{
	char text[256];

	snprintf(text, sizeof(text), "%s: %s", what, strerror(-error));
	fail(r, ND_EXIT_REFUSED, text);
}

static void report_and_answer(struct nd_reconcile *r, int exit_status, const char *error, const char *state)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf out = NCTL_STRBUF_INIT;
	struct job *job = current(r);
	struct nctl_json j;

	nd_report_begin(&j, &out, exit_status, error);
	nd_report_diagnostics(&j, &job->diag);
	nd_report_plan(&j, job->plan);
	nd_report_result(&j, state, r->generation, job->plan, &job->outcome);
	nd_report_end(&j);
	answer(r, &out);
}

/* The ledger after a run: what we adopted is ours, what is gone is not; the file says the same. */
static int settle_ledger(struct nd_reconcile *r, const struct nctl_plan *p)
{
	int e = 0;

	for (size_t i = 0; e >= 0 && i < p->n_adopt_links; i++)
		e = nctl_ledger_link_add(r->ledger, &p->adopt_links[i]);
	for (size_t i = 0; e >= 0 && i < p->n_adopt_addrs; i++)
		e = nctl_ledger_addr_add(r->ledger, &p->adopt_addrs[i]);
	nctl_ledger_prune(r->ledger, nctl_session_mirror(r->session));
	return e < 0 ? e : nd_store_write_ledger(&r->store, r->ledger);
}

/* Of a job that kept going. */
static void remember_refusals(struct nd_reconcile *r, bool partly)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf why = NCTL_STRBUF_INIT;

	if (partly) {
		nd_report_first_refusal(current(r)->plan, &why);
		nd_error("applied in part: %s", nctl_strbuf_str(&why));
	}
	remember_error(r, partly ? nctl_strbuf_str(&why) : NULL);
	r->partly = partly;
}

/* Are these the texts of the accepted generation, to the byte? */
static bool is_accepted(const struct nd_reconcile *r, const struct nd_config_texts *texts)
{
	if (!r->generation || r->texts.n != texts->n)
		return false;
	for (size_t i = 0; i < texts->n; i++) {
		const struct nd_config_text *a = &r->texts.v[i], *b = &texts->v[i];

		if (strcmp(a->path, b->path) || a->len != b->len || memcmp(a->data, b->data, a->len))
			return false;
	}
	return true;
}

/* The job's configuration is the accepted one from here. */
static void accept_generation(struct nd_reconcile *r)
{
	struct job *job = current(r);
	bool changed = job->plan->n_ops, same = is_accepted(r, &job->texts);
	bool partly = job->outcome.refused || job->outcome.unseen;
	int e = settle_ledger(r, job->plan);

	if (!same)
		r->generation++;
	if (e >= 0 && !same)
		e = nd_store_write_generation(&r->store, r->generation, &job->texts);
	if (e < 0)
		nd_error("cannot write the runtime folder %s: %s; a restart will not know of this generation",
			r->opts.runtime_dir, strerror(-e));
	nd_config_texts_fini(&r->texts);
	r->texts = job->texts;
	job->texts = ND_CONFIG_TEXTS_INIT;
	nctl_strbuf_reset(&r->pending);
	nd_report_waits(job->plan, &r->pending);
	remember_refusals(r, partly);
	nd_info("generation %llu: %zu operations done, %zu refused, %llu messages in %llu sends, %llu us",
		(unsigned long long)r->generation, job->outcome.done, job->outcome.refused,
		(unsigned long long)job->outcome.messages, (unsigned long long)job->outcome.sends,
		(unsigned long long)job->outcome.duration_us);
	report_and_answer(r, partly ? ND_EXIT_REFUSED : ND_EXIT_FINE, NULL,
		partly    ? "partly-applied"
		: changed ? "applied"
			  : "unchanged");
}

static void undone(
	struct nctl_session *s, struct nctl_plan *plan, const struct nctl_outcome *outcome, void *userdata)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf why = NCTL_STRBUF_INIT;
	struct nd_reconcile *r = userdata;
	struct job *job = current(r);
	bool whole = !outcome->status && !outcome->refused && !outcome->unseen && !plan->n_problems;
	int e;

	(void)s;
	e = settle_ledger(r, plan);
	if (e < 0)
		nd_error("cannot write the ledger: %s", strerror(-e));
	nd_report_first_refusal(job->plan, &why);
	if (!why.len && job->outcome.status < 0)
		nctl_strbuf_printf(&why, "broken off: %s (is the runtime folder %s full?)",
			strerror(-job->outcome.status), r->opts.runtime_dir);
	nctl_strbuf_puts(&why,
		whole ? "; the state is as before" : "; going back to the state before failed in part: ");
	if (!whole)
		nd_report_first_refusal(plan, &why);
	nd_error("not applied: %s", nctl_strbuf_str(&why));
	remember_error(r, nctl_strbuf_str(&why));
	report_and_answer(r, ND_EXIT_REFUSED,
		job->outcome.status < 0 ? nctl_strbuf_str(&why)
		: whole                 ? "refused; the state is as before"
					: "refused, and going back failed in part",
		whole ? "rolled-back" : "failed");
	nd_jobs_advance(r);
}

/* Back to the state before the job, which its plan remembers. */
static void undo(struct nd_reconcile *r)
{
	struct job *job = current(r);
	int e = nctl_plan_undo(job->plan, nctl_session_mirror(r->session), &job->undo);

	if (e >= 0)
		e = nctl_session_run(r->session, job->undo, true, undone, r);
	if (e < 0)
		fail_errno(r, "refused, and there is no way back", e);
}

static void applied(
	struct nctl_session *s, struct nctl_plan *plan, const struct nctl_outcome *outcome, void *userdata)
{
	struct nd_reconcile *r = userdata;
	struct job *job = current(r);

	(void)s;
	(void)plan;
	job->outcome = *outcome;
	if (outcome->status < 0 ||
		((outcome->refused || outcome->unseen) && !(job->flags & ND_APPLY_KEEP_GOING)))
		undo(r);
	else
		accept_generation(r);
	nd_jobs_advance(r);
}

/* First turn: texts to what is wanted. The plan is for the next one, so that neither keeps the loop for long.
 */
static void parse(struct nd_reconcile *r, struct job *job)
{
	nctl_time began = nctl_time_now();
	int e = 0;

	if (job->origin == JOB_RELOAD || (job->origin == JOB_START && !r->generation))
		e = nd_config_read_paths(r->opts.paths, r->opts.n_paths, &job->texts, &job->diag);
	if (e == 0)
		e = nd_config_parse(&job->texts, &job->diag, &job->want);
	if (e == ND_CONFIG_INVALID) {
		fail(r, ND_EXIT_CONFIG, NULL);
	} else if (e < 0) {
		fail_errno(r, "cannot read the configuration", e);
	} else {
		nd_debug("%zu files read, %zu links wanted: %lld us", job->texts.n, job->want->n_links,
			(long long)nctl_time_diff_us(nctl_time_now(), began));
		r->step = STEP_PARSED;
		nd_wake_send(&r->wake);
	}
}

/* Second turn: from what is wanted to a plan on its way. */
static void plan_and_run(struct nd_reconcile *r, struct job *job)
{
	nctl_time began = nctl_time_now();
	int e = nd_job_plan(r, job->want, job->flags, &job->plan);

	if (e < 0) {
		fail_errno(r, "cannot plan", e);
		return;
	}
	if (job->plan->blocked) {
		fail(r, ND_EXIT_CONFIG, "the plan is blocked; nothing was changed");
		return;
	}
	nd_debug("%zu operations planned: %lld us", job->plan->n_ops,
		(long long)nctl_time_diff_us(nctl_time_now(), began));
	r->step = STEP_RUNNING;
	e = nctl_session_run(r->session, job->plan, job->flags & ND_APPLY_KEEP_GOING, applied, r);
	if (e < 0)
		fail_errno(r, "cannot start", e);
}

static bool may_go_on(const struct nd_reconcile *r)
{
	return r->first_synced && nctl_session_is_synced(r->session) && !nctl_list_empty(&r->jobs);
}

void nd_jobs_advance(struct nd_reconcile *r)
{
	while (r->step == STEP_IDLE && may_go_on(r)) {
		r->step = STEP_PARSING;
		parse(r, current(r));
	}
	if (r->step == STEP_PARSED)
		nd_wake_send(&r->wake); /* it may have waited for the mirror */
}

void nd_jobs_turn(struct nd_reconcile *r)
{
	if (r->step != STEP_PARSED || !may_go_on(r))
		return;
	plan_and_run(r, current(r));
	nd_jobs_advance(r);
}

void nd_jobs_drop_all(struct nd_reconcile *r)
{
	while (!nctl_list_empty(&r->jobs)) {
		struct job *job = current(r);

		nctl_list_del(&job->link);
		if (job->answer)
			job->answer(NULL, 0, job->userdata);
		job_free(job);
	}
	r->n_jobs = 0;
	r->step = STEP_IDLE;
}
