/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: a repair pass: the plan from what is there to the accepted configuration, of which all is carried out
 * that may be. Operations are withheld, and with them what needs them, where a link is put off (care.c), is
 * only to be reported, or would need somebody's consent; the others go on, whatever the kernel refuses, and
 * nothing is rolled back. What passes cost is measured, and they are spaced so that they take no more than
 * their share of one processor.
 */
#include "reconcile/private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "log/log.h"

enum {
	SHARE_PERCENT = 10,      /* of one processor, in the long run */
	CREDIT_MAX_US = 1000000, /* saved up in quiet times: a large repair is not put off */
	PENDING_MAX = 100,       /* lines in the status */
};

uint64_t nd_repair_clock_us(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t) < 0)
		return 0;
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

/* What the pass took is paid from what was saved; with debts, the next one waits. */
static void pay(struct drift *d)
{
	nctl_time now = nctl_time_now();
	int64_t took = (int64_t)(nd_repair_clock_us() - d->began_us), earned = CREDIT_MAX_US;

	if (d->credit_at.usec)
		earned = nctl_time_diff_us(now, d->credit_at) / (100 / SHARE_PERCENT);
	d->credit_at = now;
	d->credit_us = nctl_min(d->credit_us + earned, (int64_t)CREDIT_MAX_US) - took;
	d->allowed = (nctl_time){0};
	if (d->credit_us < 0)
		d->allowed = nctl_time_add_us(now, (uint64_t)-d->credit_us * (100 / SHARE_PERCENT));
}

/* What a plan says of one link. */
struct finding {
	const struct nctl_op *failed; /* the first one that was refused */
	bool planned, done, withheld;
};

static struct finding *findings_new(const struct drift *d)
{
	return calloc(d->want->n_links + 1, sizeof(struct finding));
}

static bool is_withheld(const struct drift *d, const struct nctl_want_link *w, nctl_time now)
{
	const struct care *c = nd_care_of(d, w);

	return nd_care_is_held(c, now) || (w && w->report && c->met);
}

/* Half a pair cannot be had. */
static bool is_pair_withheld(const struct drift *d, const struct nctl_want_link *w, nctl_time now)
{
	return is_withheld(d, w, now) || (w && w->peer.link && is_withheld(d, w->peer.link, now));
}

static bool needs_withheld(const struct nctl_plan *p, const struct nctl_op *op)
{
	for (int i = 0; i < NCTL_OP_NEEDS; i++)
		if (op->need[i] != NCTL_OP_NONE && p->ops[op->need[i]].state == NCTL_OP_POISONED)
			return true;
	return false;
}

/* Takes out of the plan what must wait. Returns how many operations are left. */
static size_t withhold(struct nd_reconcile *r, struct nctl_plan *p, struct finding *f, nctl_time now)
{
	struct drift *d = &r->drift;
	size_t left = 0;

	for (size_t i = 0; i < p->n_problems; i++)
		if (p->problems[i].type != NCTL_PROBLEM_WAIT) {
			f[nd_drift_slot(d, p->problems[i].of)].withheld = true;
			nd_care_blocked(d, nd_care_of(d, p->problems[i].of), p->problems[i].text);
		}
	for (size_t i = 0; i < p->n_ops; i++) {
		struct nctl_op *op = &p->ops[i];
		struct finding *of = &f[nd_drift_slot(d, op->of)];

		of->planned = true;
		of->withheld = of->withheld || is_pair_withheld(d, op->of, now);
		if (of->withheld || needs_withheld(p, op) ||
			(op->of && op->of->peer.link && f[nd_drift_slot(d, op->of->peer.link)].withheld))
			op->state = NCTL_OP_POISONED;
		else
			left++;
	}
	return left;
}

/* One line of what is pending, with its place. */
static void put_line(const struct nctl_want *want, const struct nctl_pos *pos, struct nctl_strbuf *out)
{
	if (pos->line && pos->file < want->n_files)
		nctl_strbuf_printf(out, "%s:%u:%u: ", want->files[pos->file], pos->line, pos->column);
}

static void put_name(const struct nctl_want_link *w, struct nctl_strbuf *out)
{
	nctl_strbuf_printf(out, "%s %s", w->v.kind->name, w->v.name);
	if (w->netns->name)
		nctl_strbuf_printf(out, " in %s", w->netns->name);
}

static bool put_reason(struct drift *d, const struct nctl_want_link *w, const struct finding *f,
	nctl_time now, struct nctl_strbuf *out)
{
	struct care *c = nd_care_of(d, w);
	unsigned long long s = nctl_time_cmp(c->until, now) > 0
	                               ? (unsigned long long)nctl_time_diff_us(c->until, now) / 1000000 + 1
	                               : 0;

	if (c->refused && c->reason) {
		nctl_strbuf_printf(out, "%s; attempt %u, again in %llu s\n", c->reason, c->times, s);
		return true;
	}
	if (!w || !f->planned || !f->withheld || c->blocked)
		return false;
	put_line(d->want, &w->pos, out);
	put_name(w, out);
	if (w->report && c->met)
		nctl_strbuf_puts(out, " is not as configured, which is only to be reported\n");
	else if (c->doubted)
		nctl_strbuf_puts(out, " was refused; it is tried again at once\n");
	else if (nd_care_is_held(c, now))
		nctl_strbuf_printf(
			out, " was brought back %u times, and changed again; again in %llu s\n", c->times, s);
	else
		nctl_strbuf_puts(out, " waits for what it needs\n");
	return true;
}

/* What the status shows as pending: what waits, what was refused, what is put off. */
static void tell_pending(
	struct nd_reconcile *r, const struct nctl_plan *p, const struct finding *f, nctl_time now)
{
	struct drift *d = &r->drift;
	size_t told = 0;

	nctl_strbuf_reset(&r->pending);
	nd_report_waits(p, &r->pending);
	for (size_t i = 0; i < p->n_problems && told < PENDING_MAX; i++) {
		if (p->problems[i].type == NCTL_PROBLEM_WAIT)
			continue;
		put_line(d->want, &p->problems[i].pos, &r->pending);
		nctl_strbuf_printf(&r->pending, "%s\n", p->problems[i].text);
		told++;
	}
	for (size_t i = 0; i <= d->want->n_links && told < PENDING_MAX; i++)
		told += put_reason(
			d, i < d->want->n_links ? d->want->links[i] : NULL, &f[i], now, &r->pending);
	if (told == PENDING_MAX)
		nctl_strbuf_puts(&r->pending, "... and others\n");
}

/* Links of which nothing is planned, and that are there, are fine. */
static void settle_fine(struct drift *d, const struct nctl_plan *p, const struct finding *f)
{
	for (size_t i = 0; i < d->want->n_links; i++)
		if (!f[i].planned && !f[i].withheld && nd_drift_is_there(p, d->want->links[i]))
			nd_care_fine(d, &d->cares[i]);
	if (!f[d->want->n_links].planned)
		nd_care_fine(d, &d->cares[d->want->n_links]);
}

/* What differs and is not to be repaired is told once, until it is fine again. */
static void log_reported(struct drift *d, const struct finding *f)
{
	for (size_t i = 0; i < d->want->n_links; i++) {
		const struct nctl_want_link *w = d->want->links[i];
		_cleanup_(nctl_strbuf_fini) struct nctl_strbuf line = NCTL_STRBUF_INIT;

		if (!w->report || !f[i].planned || !f[i].withheld || d->cares[i].told)
			continue;
		d->cares[i].told = true;
		put_line(d->want, &w->pos, &line);
		put_name(w, &line);
		nd_tell_drift(d, "%s is not as configured; it is left so, as \"drift: report\" says",
			nctl_strbuf_str(&line));
	}
}

static void finish(struct nd_reconcile *r, const struct nctl_plan *p, const struct finding *f)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf out = NCTL_STRBUF_INIT;
	struct drift *d = &r->drift;
	nctl_time now = nctl_time_now();

	tell_pending(r, p, f, now);
	if (!d->n_refused)
		nd_job_forgive(r);
	d->held = nd_care_next(d, now);
	nd_job_end(r, &out);
	pay(d);
	nd_jobs_advance(r);
}

void nd_repair_learn(struct nd_reconcile *r, const struct nctl_plan *p, bool repair)
{
	_cleanup_(nctl_freep) struct finding *f = findings_new(&r->drift);
	struct drift *d = &r->drift;
	nctl_time now = nctl_time_now();

	for (size_t i = 0; f && i < p->n_ops; i++) {
		const struct nctl_op *op = &p->ops[i];
		struct finding *of = &f[nd_drift_slot(d, op->of)];

		of->planned = true;
		of->done |= op->state == NCTL_OP_DONE;
		if (!of->failed && (op->state == NCTL_OP_REFUSED || op->state == NCTL_OP_UNSEEN))
			of->failed = op;
	}
	for (size_t i = 0; f && i <= d->want->n_links; i++) {
		_cleanup_(nctl_strbuf_fini) struct nctl_strbuf why = NCTL_STRBUF_INIT;

		if (i < d->want->n_links && !repair)
			d->cares[i].met = nd_drift_is_there(p, d->want->links[i]);
		if (f[i].failed && repair && nd_care_doubts(&d->cares[i], now))
			continue;
		if (f[i].failed) {
			nd_report_refusal(p, f[i].failed, &why);
			nd_care_refused(d, &d->cares[i], now, nctl_strbuf_str(&why));
		} else if (repair && f[i].done) {
			nd_care_repaired(d, &d->cares[i], now);
		}
	}
	d->held = nd_care_next(d, now);
}

static void repaired(struct nctl_plan *p, const struct nctl_outcome *outcome, void *userdata)
{
	struct nd_reconcile *r = userdata;
	_cleanup_(nctl_freep) struct finding *f = findings_new(&r->drift);
	struct drift *d = &r->drift;
	int e = nd_job_settle_ledger(r, p);

	if (e < 0)
		nd_error("cannot write the ledger: %s", strerror(-e));
	if (outcome->status < 0)
		nd_error("a repair was broken off: %s", strerror(-outcome->status));
	d->repairs += outcome->done;
	d->refusals += outcome->refused + outcome->unseen;
	nd_tell_repairs(r, p);
	nd_repair_learn(r, p, true);
	for (size_t i = 0; f && i < p->n_ops; i++) {
		f[nd_drift_slot(d, p->ops[i].of)].planned = true;
		f[nd_drift_slot(d, p->ops[i].of)].withheld |= p->ops[i].state == NCTL_OP_POISONED;
	}
	/* What was done is looked at once more, and so is what came meanwhile. */
	if (outcome->done)
		d->dirty = d->marked = true;
	if (f)
		finish(r, p, f);
	else
		nd_job_fail_errno(r, "a repair was done, but is not on record", -ENOMEM);
}

void nd_repair_run(struct nd_reconcile *r, struct job *job)
{
	_cleanup_(nctl_freep) struct finding *f = findings_new(&r->drift);
	struct drift *d = &r->drift;
	nctl_time now = nctl_time_now();
	int e;

	d->passes++;
	if (!f) {
		nd_job_fail_errno(r, "cannot repair", -ENOMEM);
		return;
	}
	if (!withhold(r, job->plan, f, now)) {
		settle_fine(d, job->plan, f);
		log_reported(d, f);
		if (job->plan->n_adopt_links || job->plan->n_adopt_addrs)
			nd_job_settle_ledger(r, job->plan);
		finish(r, job->plan, f);
		return;
	}
	settle_fine(d, job->plan, f);
	log_reported(d, f);
	r->step = STEP_RUNNING;
	e = nctl_hub_run(r->hub, job->plan, true, repaired, r);
	if (e < 0)
		nd_job_fail_errno(r, "cannot start a repair", e);
}
