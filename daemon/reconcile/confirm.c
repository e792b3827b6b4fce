/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: commit-confirm. What was applied with a time limit is not accepted: the journal says how to go back,
 * and until when to wait. `confirm` accepts it, and then does what cannot be undone; `rollback`, or the end
 * of the time, goes back. All of it holds for a daemon that was started in between, since it reads the
 * journal: one that finds a plan broken off in the middle goes back at once.
 */
#include "reconcile/confirm.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log/log.h"

int nd_journal_drop(struct nd_reconcile *r)
{
	nd_timer_stop(&r->confirm_late);
	nd_journal_fini(&r->journal);
	return nd_journal_remove(&r->store);
}

uint64_t nd_confirm_seconds_left(const struct nd_reconcile *r)
{
	int64_t us = nctl_time_diff_us(r->journal.deadline, nctl_time_now());

	return us > 0 ? (uint64_t)(us + 999999) / 1000000 : 0;
}

int nd_journal_begin(struct nd_reconcile *r, struct job *job)
{
	struct journal *j = &r->journal;
	int e;

	nd_journal_fini(j);
	j->flags = job->how.flags;
	j->generation = r->generation + 1;
	e = nctl_snapshot_take(job->plan, &j->snapshot);
	return e < 0 ? e : nd_journal_write(&r->store, j);
}

/* The journal holds the configuration from here on, and the job holds it no more. */
int nd_confirm_wait(struct nd_reconcile *r, struct job *job)
{
	struct journal *j = &r->journal;

	j->waiting = true;
	j->deadline = nctl_time_add_ms(nctl_time_now(), 1000 * (uint64_t)job->how.confirm_s);
	nd_config_texts_fini(&j->texts);
	j->texts = job->texts;
	job->texts = ND_CONFIG_TEXTS_INIT;
	nd_timer_set(&r->confirm_late, j->deadline);
	return nd_journal_write(&r->store, j);
}

static int go_back(
	struct nd_reconcile *r, void (*answer)(const char *json, size_t len, void *userdata), void *userdata)
{
	nd_timer_stop(&r->confirm_late);
	r->journal.waiting = false; /* a confirm that comes now is too late */
	return nd_job_queue(r, JOB_RESTORE, NULL, &(struct nd_apply){0}, answer, userdata);
}

void nd_confirm_late(struct nd_timer *t)
{
	struct nd_reconcile *r = t->userdata;
	int e;

	if (!r->journal.waiting)
		return;
	nd_warn("generation %llu was not confirmed in time; going back to the state before",
		(unsigned long long)r->journal.generation);
	e = go_back(r, NULL, NULL);
	if (e < 0)
		nd_error("cannot go back: %s", strerror(-e));
}

/* Accepted, or not even begun: what is there is right. */
static bool is_stale(const struct nd_reconcile *r)
{
	return r->generation == r->journal.generation;
}

enum nd_resume nd_confirm_resume(struct nd_reconcile *r)
{
	int e = nd_journal_read(&r->store, &r->journal);

	if (e == -ENOENT)
		return RESUME_NOTHING;
	if (e < 0 || is_stale(r)) {
		if (e < 0)
			nd_error("cannot read the journal: %s; what an apply had begun stays as it is",
				strerror(-e));
		nd_journal_drop(r);
		return RESUME_NOTHING;
	}
	if (r->journal.waiting && nctl_time_cmp(nctl_time_now(), r->journal.deadline) < 0) {
		nd_info("generation %llu waits to be confirmed for another %llu s",
			(unsigned long long)r->journal.generation,
			(unsigned long long)nd_confirm_seconds_left(r));
		nd_timer_set(&r->confirm_late, r->journal.deadline);
		return RESUME_WAITING;
	}
	nd_warn("generation %llu was %s; going back to the state before",
		(unsigned long long)r->journal.generation,
		r->journal.waiting ? "not confirmed in time" : "being applied when the daemon ended");
	e = go_back(r, NULL, NULL);
	if (e < 0)
		nd_error("cannot go back: %s", strerror(-e));
	return RESUME_BACK;
}

/* Nothing to confirm, in the shape of any other answer. */
static void answer_nothing(void (*answer)(const char *json, size_t len, void *userdata), void *userdata)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf out = NCTL_STRBUF_INIT;
	struct nctl_json j;

	nd_report_begin(&j, &out, ND_EXIT_CONFIG,
		"nothing waits to be confirmed; to go back further, apply the earlier configuration");
	nd_report_end(&j);
	answer(nctl_strbuf_str(&out), out.len, userdata);
}

int nd_reconcile_confirm(
	struct nd_reconcile *r, void (*answer)(const char *json, size_t len, void *userdata), void *userdata)
{
	struct nd_apply how = {.flags = r->journal.flags | ND_APPLY_KEEP_GOING};
	int e;

	if (!r->journal.waiting) {
		answer_nothing(answer, userdata);
		return 0;
	}
	e = nd_store_write_generation(&r->store, r->journal.generation, &r->journal.texts);
	if (e < 0) {
		nd_error("cannot write the runtime folder %s: %s; not confirmed", r->opts.runtime_name,
			strerror(-e));
		return e;
	}
	r->generation = r->journal.generation;
	nd_config_texts_fini(&r->texts);
	r->texts = r->journal.texts;
	r->journal.texts = ND_CONFIG_TEXTS_INIT;
	nd_info("generation %llu is confirmed", (unsigned long long)r->generation);
	e = nd_journal_drop(r);
	if (e < 0)
		nd_error("cannot remove the journal: %s", strerror(-e));
	return nd_job_queue(r, JOB_CONFIRM, &r->texts, &how, answer, userdata);
}

int nd_reconcile_rollback(
	struct nd_reconcile *r, void (*answer)(const char *json, size_t len, void *userdata), void *userdata)
{
	if (!r->journal.waiting) {
		answer_nothing(answer, userdata);
		return 0;
	}
	nd_info("generation %llu is taken back", (unsigned long long)r->journal.generation);
	return go_back(r, answer, userdata);
}
