/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: how a job ends: refused before anything was sent, applied and accepted, or refused by the kernel and
 * undone. Nothing is accepted half: after a refusal (without keep-going) the plan is undone from what it
 * remembers of the state before it.
 */
#include "reconcile/confirm.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log/log.h"
#include "reconcile/fault.h"

static void remember_error(struct nd_reconcile *r, const char *error)
{
	free(r->last_error);
	r->last_error = error ? strdup(error) : NULL;
	r->partly = false;
}

static void log_finding(const struct nd_diagnostic *d)
{
	if (d->file && d->line)
		nd_error("%s:%u:%u: %s", d->file, d->line, d->column, d->message);
	else
		nd_error("%s%s%s", d->file ? d->file : "", d->file ? ": " : "", d->message);
}

/* In the log and in the status; a plan that was only to be looked at leaves no trace there. */
static void put_on_record(struct nd_reconcile *r, const struct job *job, const char *why)
{
	if (!job->diag.n_errors)
		nd_error("%s", why);
	for (size_t i = 0; i < job->diag.n; i++)
		log_finding(&job->diag.v[i]);
	remember_error(r, why);
}

void nd_job_fail(struct nd_reconcile *r, int exit_status, const char *error)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf out = NCTL_STRBUF_INIT, why = NCTL_STRBUF_INIT;
	struct job *job = nd_job_current(r);
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
	/* What must wait for a confirm says nothing of the state. */
	if (job->origin != JOB_PLAN && job->origin != JOB_DRIFT && !r->journal.waiting)
		put_on_record(r, job, nctl_strbuf_str(&why));
	nd_report_begin(&j, &out, exit_status, error);
	nd_report_diagnostics(&j, &job->diag);
	if (job->plan)
		nd_report_plan(&j, job->plan);
	nd_report_end(&j);
	nd_job_end(r, &out);
}

void nd_job_fail_errno(struct nd_reconcile *r, const char *what, int error)
{
	char text[256];

	snprintf(text, sizeof(text), "%s: %s", what, strerror(-error));
	nd_job_fail(r, ND_EXIT_REFUSED, text);
}

static void report_and_answer(struct nd_reconcile *r, int exit_status, const char *error, const char *state)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf out = NCTL_STRBUF_INIT;
	struct job *job = nd_job_current(r);
	bool waits = r->journal.waiting;
	struct nctl_json j;

	nd_report_begin(&j, &out, exit_status, error);
	nd_report_diagnostics(&j, &job->diag);
	nd_report_plan(&j, job->plan);
	nd_report_result(&j, state, waits ? r->journal.generation : r->generation, job->plan, &job->outcome,
		waits ? job->how.confirm_s : 0);
	nd_report_end(&j);
	nd_job_end(r, &out);
}

static int plan_exit(const struct job *job)
{
	const struct nctl_plan *p = job->plan;

	if (job->origin == JOB_DRIFT)
		return p->n_ops || p->n_problems ? ND_EXIT_DIFFERENT : ND_EXIT_FINE;
	if (p->blocked)
		return ND_EXIT_CONFIG;
	return p->n_ops ? ND_EXIT_DIFFERENT : ND_EXIT_FINE;
}

void nd_job_tell_plan(struct nd_reconcile *r)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf out = NCTL_STRBUF_INIT;
	struct job *job = nd_job_current(r);
	struct nctl_json j;

	nd_report_begin(&j, &out, plan_exit(job), NULL);
	nd_report_diagnostics(&j, &job->diag);
	nd_report_plan(&j, job->plan);
	nd_report_end(&j);
	nd_job_end(r, &out);
}

int nd_job_settle_ledger(struct nd_reconcile *r, const struct nctl_plan *p)
{
	struct nctl_ledger *l;
	int e = 0;

	for (size_t i = 0; e >= 0 && i < p->n_adopt_links; i++) {
		l = nd_ledgers_get(&r->ledgers, p->netns[p->adopt_links[i].netns].cookie);
		e = l ? nctl_ledger_link_add(l, &p->adopt_links[i].link) : -ENOMEM;
	}
	for (size_t i = 0; e >= 0 && i < p->n_adopt_addrs; i++) {
		l = nd_ledgers_get(&r->ledgers, p->netns[p->adopt_addrs[i].netns].cookie);
		e = l ? nctl_ledger_addr_add(l, &p->adopt_addrs[i].addr) : -ENOMEM;
	}
	nd_ledgers_prune(&r->ledgers, r->netns);
	return e < 0 ? e : nd_store_write_ledger(&r->store, &r->ledgers);
}

/* Of a job that kept going. */
static void remember_refusals(struct nd_reconcile *r, bool partly)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf why = NCTL_STRBUF_INIT;

	if (partly) {
		nd_report_first_refusal(nd_job_current(r)->plan, &why);
		nd_error("applied in part: %s", nctl_strbuf_str(&why));
	}
	remember_error(r, partly ? nctl_strbuf_str(&why) : NULL);
	r->partly = partly;
}

void nd_job_forgive(struct nd_reconcile *r)
{
	if (r->partly)
		remember_error(r, NULL);
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
	struct job *job = nd_job_current(r);
	bool changed = job->plan->n_ops, same = is_accepted(r, &job->texts);
	bool partly = job->outcome.refused || job->outcome.unseen;
	int e = nd_job_settle_ledger(r, job->plan);

	if (!same)
		r->generation++;
	if (e >= 0 && !same)
		e = nd_store_write_generation(&r->store, r->generation, &job->texts);
	if (e < 0)
		nd_error("cannot write the runtime folder %s: %s; a restart will not know of this generation",
			r->opts.runtime_name, strerror(-e));
	e = nd_journal_drop(r);
	if (e < 0)
		nd_error("cannot remove the journal: %s", strerror(-e));
	nd_networkd_look(r);
	nd_config_texts_fini(&r->texts);
	r->texts = job->texts;
	job->texts = ND_CONFIG_TEXTS_INIT;
	nd_netns_pool(r->netns, (unsigned)job->want->netns_pool);
	nctl_strbuf_reset(&r->pending);
	nd_report_waits(job->plan, &r->pending);
	remember_refusals(r, partly);
	nd_drift_accept(r, job);
	nd_info("generation %llu: %zu operations done, %zu refused, %llu messages in %llu sends, %llu us",
		(unsigned long long)r->generation, job->outcome.done, job->outcome.refused,
		(unsigned long long)job->outcome.messages, (unsigned long long)job->outcome.sends,
		(unsigned long long)job->outcome.duration_us);
	report_and_answer(r, partly ? ND_EXIT_REFUSED : ND_EXIT_FINE, NULL,
		partly                       ? "partly-applied"
		: job->origin == JOB_CONFIRM ? "confirmed"
		: changed                    ? "applied"
					     : "unchanged");
}

/* Applied, but for what cannot be undone; it is accepted when it is confirmed. */
static void wait_for_confirm(struct nd_reconcile *r)
{
	struct job *job = nd_job_current(r);
	bool partly = job->outcome.refused || job->outcome.unseen;
	int e = nd_confirm_wait(r, job);

	nd_ledgers_prune(&r->ledgers, r->netns);
	if (e >= 0)
		e = nd_store_write_ledger(&r->store, &r->ledgers);
	if (e < 0)
		nd_error("cannot write the runtime folder %s: %s; a restart will go back at once",
			r->opts.runtime_name, strerror(-e));
	nd_info("generation %llu: %zu operations done, %zu refused; to be confirmed within %u s",
		(unsigned long long)r->journal.generation, job->outcome.done, job->outcome.refused,
		job->how.confirm_s);
	report_and_answer(r, partly ? ND_EXIT_REFUSED : ND_EXIT_FINE, NULL, "to-be-confirmed");
}

/* The end of a way back after a refusal. why: what is not as before, NULL: nothing. */
static void taken_back(struct nd_reconcile *r, const char *not_whole)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf why = NCTL_STRBUF_INIT;
	struct job *job = nd_job_current(r);

	if (!job->cancelled)
		nd_report_first_refusal(job->plan, &why);
	if (job->cancelled)
		nctl_strbuf_puts(&why, "cancelled");
	else if (!why.len && job->outcome.status < 0)
		nctl_strbuf_printf(&why, "broken off: %s (is the runtime folder %s full?)",
			strerror(-job->outcome.status), r->opts.runtime_name);
	nctl_strbuf_puts(&why,
		not_whole ? "; going back to the state before failed in part: " : "; the state is as before");
	if (not_whole)
		nctl_strbuf_puts(&why, not_whole);
	nd_error("not applied: %s", nctl_strbuf_str(&why));
	remember_error(r, nctl_strbuf_str(&why));
	report_and_answer(r, ND_EXIT_REFUSED,
		job->outcome.status < 0 || job->cancelled ? nctl_strbuf_str(&why)
		: not_whole             ? "refused, and going back failed in part"
					: "refused; the state is as before",
		not_whole ? "failed" : "rolled-back");
}

void nd_job_restored(struct nd_reconcile *r, const char *why)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf out = NCTL_STRBUF_INIT, text = NCTL_STRBUF_INIT;
	struct nctl_json j;

	if (nd_job_current(r)->plan) {
		taken_back(r, why);
		nd_jobs_advance(r);
		return;
	}
	if (why) {
		nctl_strbuf_printf(&text, "going back to the state before failed in part: %s", why);
		nd_error("%s", nctl_strbuf_str(&text));
		remember_error(r, nctl_strbuf_str(&text));
	} else {
		nd_info("the state is as before");
	}
	nd_report_begin(&j, &out, why ? ND_EXIT_REFUSED : ND_EXIT_FINE, why ? nctl_strbuf_str(&text) : NULL);
	nd_report_state(&j, why ? "failed" : "rolled-back", r->generation);
	nd_report_end(&j);
	nd_job_end(r, &out);
	if (r->late_start)
		nd_first_pass(r);
	nd_jobs_advance(r);
}

/* What undoing the operations left, the snapshot knows. */
static void undone(struct nctl_plan *plan, const struct nctl_outcome *outcome, void *userdata)
{
	struct nd_reconcile *r = userdata;
	bool whole = !outcome->status && !outcome->refused && !outcome->unseen && !plan->n_problems;
	int e;

	if (!r->journal.snapshot) { /* of a run that was to keep going, and could not */
		_cleanup_(nctl_strbuf_fini) struct nctl_strbuf why = NCTL_STRBUF_INIT;

		e = nd_job_settle_ledger(r, plan);
		if (e < 0)
			nd_error("cannot write the ledger: %s", strerror(-e));
		nd_report_first_refusal(plan, &why);
		taken_back(r, whole ? NULL : nctl_strbuf_str(&why));
		nd_jobs_advance(r);
		return;
	}
	nd_job_current(r)->pass = 1;
	nd_job_step(r, STEP_RESTORING);
}

/* Back to the state before the job, which its plan remembers. */
static void undo(struct nd_reconcile *r)
{
	struct job *job = nd_job_current(r);
	int e = nctl_plan_undo(job->plan, &job->undo);

	if (e >= 0) {
		nd_fault(r->hub, true);
		e = nctl_hub_run(r->hub, job->undo, true, undone, r);
	}
	if (e < 0)
		nd_job_fail_errno(r, "refused, and there is no way back", e);
}

static bool is_to_be_confirmed(const struct job *job)
{
	return job->how.confirm_s && job->plan->n_ops;
}

void nd_job_applied(struct nctl_plan *plan, const struct nctl_outcome *outcome, void *userdata)
{
	struct nd_reconcile *r = userdata;
	struct job *job = nd_job_current(r);

	(void)plan;
	job->outcome = *outcome;
	if (outcome->status < 0 ||
		((outcome->refused || outcome->unseen) && !(job->how.flags & ND_APPLY_KEEP_GOING)))
		undo(r);
	else if (is_to_be_confirmed(job))
		wait_for_confirm(r);
	else
		accept_generation(r);
	nd_jobs_advance(r);
}
