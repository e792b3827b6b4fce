/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: carries out a plan, stage by stage. Operations become batches (batch.c); two of them are on their way
 * at most, or some small ones, so that the requester never waits for us and a refusal is known soon. A stage
 * ends when all of it is answered for and the mirrors have been looked at; what they do not show yet is
 * looked for again at the end, until VERIFY_MS have passed without any news. Without keep_going no further
 * stage is started after a refusal. What a cascade was to take, and did not, is done by itself in the end.
 */
#include "exec/private.h"

#include <errno.h>
#include <stdlib.h>

enum {
	CHECK_PORTION = 256, /* operations between two looks at the clock */
	VERIFY_MS = 2000, /* work that the kernel puts off; what is there already shows in the dump before */
	/* Taking down namespaces, which the kernel does by the thousand, behind our back. */
	PATIENCE_MS = 120 * 1000,
};

/*
 * The first look in the mirrors at a stage that is answered for; what is missing is kept for the end. False:
 * the turn is over before it is.
 */
static bool check_stage(struct nctl_hub *h)
{
	struct run *run = &h->run;
	size_t n = 0;

	for (; run->checked < run->cursor; run->checked++) {
		uint32_t i = nctl_run_op_at(run, run->checked);
		struct nctl_op *op = &run->plan->ops[i];

		if (n++ % CHECK_PORTION == CHECK_PORTION - 1 && nctl_turn_is_over(h))
			return false;
		if (op->state != NCTL_OP_ACKED)
			continue;
		/* What implies it may come after it. */
		if (op->implied && nctl_run_poison(run, op))
			continue;
		if (run->plan->script || nctl_op_is_seen(run->plan, op))
			op->state = NCTL_OP_DONE;
		else
			run->unseen[run->n_unseen++] = i;
	}
	return true;
}

static void enter_stage(struct nctl_hub *h, enum nctl_stage stage)
{
	struct run *run = &h->run;
	const struct nctl_plan *p = run->plan;

	run->stage = stage;
	while (run->stage_end < p->n_ops && nctl_phase_stage(p->ops[run->stage_end].phase) == stage)
		run->stage_end++;
	nctl_run_reset_window(h);
}

/* Those that the mirrors show meanwhile are done. True if there were any. */
static bool look_again(struct run *run)
{
	size_t left = 0, before = run->n_unseen;

	for (size_t i = 0; i < run->n_unseen; i++) {
		struct nctl_op *op = &run->plan->ops[run->unseen[i]];

		if (nctl_op_is_seen(run->plan, op))
			op->state = NCTL_OP_DONE;
		else
			run->unseen[left++] = run->unseen[i];
	}
	run->n_unseen = left;
	return left < before;
}

static void wait_on(struct nctl_hub *h, nctl_time now)
{
	h->run.deadline = nctl_time_add_ms(now, h->ops->verify_ms ? h->ops->verify_ms : VERIFY_MS);
	if (nctl_time_cmp(h->run.deadline, h->run.patience) > 0)
		h->run.deadline = h->run.patience;
}

static void refresh_one(struct nctl_hub *h, uint32_t netns)
{
	struct nctl_session *s = h->run.sessions[netns];

	if (!s || s->refreshed == h->run_serial)
		return;
	s->refreshed = h->run_serial;
	nctl_sync_refresh(s);
}

/* One dump of each namespace in which something is missing. */
static void refresh(struct nctl_hub *h)
{
	struct run *run = &h->run;

	for (size_t i = 0; i < run->n_unseen; i++) {
		const struct nctl_op *op = &run->plan->ops[run->unseen[i]];

		/* The events of a cascade come in any case. */
		if (nctl_op_info(op)->deletes && op->implied)
			continue;
		refresh_one(h, op->netns);
		if (op->pair)
			refresh_one(h, op->peer_netns);
	}
	nctl_sync_advance(h);
}

/*
 * The events of what is done were in the queue before the acks. What they did not tell comes later by itself,
 * or never: a link that is down has no event for a new alias, group or address generation mode
 * (net/core/dev.c netdev_state_change). One dump tells the two apart.
 */
static void start_verifying(struct nctl_hub *h)
{
	struct run *run = &h->run;
	nctl_time now = nctl_time_now();

	run->verifying = true;
	run->patience = nctl_time_add_ms(now, PATIENCE_MS);
	wait_on(h, now);
	look_again(run);
	if (run->n_unseen)
		refresh(h);
}

/* May another batch be on its way? */
static bool has_room(const struct nctl_hub *h)
{
	const struct run *run = &h->run;

	if (h->idle && !h->aside.plan)
		return false;
	return run->in_flight < NCTL_BATCHES_IN_FLIGHT ||
	       (run->in_flight < NCTL_SMALL_BATCHES && run->messages_in_flight < run->window);
}

static int send_all(struct nctl_hub *h)
{
	struct run *run = &h->run;
	int r = 0;

	run->sending = true;
	run->waiting = false;
	while (r == 0 && !run->stopping && run->cursor < run->stage_end && has_room(h)) {
		size_t before = run->cursor;

		r = nctl_run_send(h);
		if (run->cursor == before)
			break; /* the next one waits for an answer */
	}
	run->sending = false;
	return r;
}

static enum nctl_stage last_stage(const struct run *run)
{
	return run->plan->hold ? NCTL_STAGE_REMOVE : NCTL_STAGE_N;
}

void nctl_run_advance(struct nctl_hub *h)
{
	struct run *run = &h->run;

	while (run->plan && !run->verifying) {
		int r = send_all(h);

		if (r < 0) {
			run->outcome.status = r;
			run->stopping = true;
		}
		if (nctl_run_make_way(h) || run->in_flight || run->ops_in_flight)
			return;
		if (run->waiting)
			return;
		if (!run->checking && !nctl_turn_drain(h, &run->fence))
			return;
		run->checking = !check_stage(h);
		if (run->checking)
			return;
		if (run->cursor < run->stage_end && !run->stopping)
			continue;
		if (run->stopping || run->stage + 1 == last_stage(run))
			start_verifying(h);
		else
			enter_stage(h, run->stage + 1);
	}
	nctl_run_verify(h);
}

void nctl_run_resume(struct nctl_hub *h)
{
	bool waited = h->run.waiting;

	/* The mirror may show it now. */
	h->run.waiting = false;
	if (h->run.fence.set || h->run.checking || waited)
		nctl_run_advance(h);
}

static void count(struct run *run)
{
	struct nctl_outcome *o = &run->outcome;

	for (size_t i = 0; i < run->plan->n_ops; i++)
		switch ((enum nctl_op_state)run->plan->ops[i].state) {
		case NCTL_OP_DONE:
			o->done++;
			break;
		case NCTL_OP_REFUSED:
			o->refused++;
			break;
		case NCTL_OP_POISONED:
			o->poisoned++;
			break;
		case NCTL_OP_UNSEEN:
			o->unseen++;
			break;
		case NCTL_OP_PENDING: /* never tried: a refusal ended the run before */
		case NCTL_OP_SENT:
		case NCTL_OP_ACKED:
			break;
		}
}

static void run_fini(struct run *run)
{
	free(run->unseen);
	free((void *)run->again);
	free(run->sessions);
}

static void finish(struct nctl_hub *h)
{
	struct run run = h->run;

	h->run = (struct run){0};
	count(&run);
	run_fini(&run);
	run.outcome.duration_us = (uint64_t)nctl_time_diff_us(nctl_time_now(), run.started);
	run.done(run.plan, &run.outcome, run.userdata);
	nctl_run_make_way(h);
}

void nctl_run_back(struct nctl_hub *h)
{
	if (h->run.verifying)
		wait_on(h, nctl_time_now());
}

void nctl_run_verify(struct nctl_hub *h)
{
	struct run *run = &h->run;

	if (!run->plan || !run->verifying)
		return;
	if (look_again(run))
		wait_on(h, nctl_time_now());
	if (!run->n_unseen)
		finish(h);
}

/* Is somebody still at work on it: a mirror that is not in step, a namespace that is being taken down? */
static bool is_coming(const struct run *run, const struct nctl_op *op)
{
	const struct nctl_session *s = run->sessions[op->netns];
	const struct nctl_op *cause =
		op->implied && op->need[0] != NCTL_OP_NONE ? &run->plan->ops[op->need[0]] : NULL;

	if (s && (!nctl_session_is_synced(s) || nctl_scopes_pending(s, NCTL_OBJECT_LINK)))
		return true;
	return cause && cause->type == NCTL_OP_NETNS_DEL && !run->sessions[cause->netns];
}

static bool any_is_coming(const struct run *run)
{
	for (size_t i = 0; i < run->n_unseen; i++)
		if (is_coming(run, &run->plan->ops[run->unseen[i]]))
			return true;
	return false;
}

/* Deletions that the one before did not imply after all (a namespace that somebody else still uses) are done
 * by themselves. False: there are none. */
static bool redo_implied(struct nctl_hub *h)
{
	struct run *run = &h->run;
	uint32_t *again = run->again ? NULL : calloc(run->n_unseen + 1, sizeof(*again));
	size_t n = 0, left = 0;

	if (!again)
		return false;
	for (size_t i = 0; i < run->n_unseen; i++) {
		struct nctl_op *op = &run->plan->ops[run->unseen[i]];

		if (!op->implied) {
			run->unseen[left++] = run->unseen[i];
			continue;
		}
		op->implied = false;
		op->state = NCTL_OP_PENDING;
		again[n++] = run->unseen[i];
	}
	run->n_unseen = left;
	run->again = again;
	if (!n)
		return false;
	run->cursor = run->checked = 0;
	run->stage_end = n;
	run->verifying = false;
	nctl_run_advance(h);
	return true;
}

void nctl_run_tick(struct nctl_hub *h, nctl_time now)
{
	struct run *run = &h->run;
	bool patient;

	if (!run->plan || !(run->verifying || run->waiting) || nctl_time_cmp(run->deadline, now) > 0)
		return;
	if (run->waiting) {
		run->impatient = true;
		nctl_run_resume(h);
		return;
	}
	patient = nctl_time_cmp(run->patience, now) > 0;
	if (patient && any_is_coming(run)) {
		wait_on(h, now);
		return;
	}
	if (patient && redo_implied(h))
		return;
	for (size_t i = 0; i < run->n_unseen; i++)
		run->plan->ops[run->unseen[i]].state = NCTL_OP_UNSEEN;
	finish(h);
}

void nctl_run_abandon(struct nctl_hub *h)
{
	for (size_t i = 0; i < h->run.in_flight; i++)
		free(h->run.flying[i]);
	run_fini(&h->run);
	run_fini(&h->aside);
	h->run = h->aside = (struct run){0};
}

static void gone_from(struct run *run, const struct nctl_session *s)
{
	for (size_t i = 0; run->plan && i < run->plan->n_netns; i++) {
		if (run->sessions[i] != s)
			continue;
		run->sessions[i] = NULL;
		run->plan->netns[i].have = NULL;
	}
}

void nctl_run_gone(struct nctl_hub *h, const struct nctl_session *s)
{
	gone_from(&h->run, s);
	gone_from(&h->aside, s);
}

void nctl_hub_bind(struct nctl_hub *h, uint32_t netns, struct nctl_session *s)
{
	struct nctl_plan_netns *n = &h->run.plan->netns[netns];

	h->run.sessions[netns] = s;
	n->there = true;
	n->cookie = s->cookie;
	n->nsid = s->nsid;
	n->have = s->mirror;
}

int nctl_hub_run(struct nctl_hub *h, struct nctl_plan *plan, bool keep_going,
	void (*done)(struct nctl_plan *plan, const struct nctl_outcome *outcome, void *userdata),
	void *userdata)
{
	struct run *run = &h->run;
	struct nctl_session **sessions;
	uint32_t *unseen;

	if (run->plan)
		return -EBUSY;
	unseen = calloc(plan->n_ops + 1, sizeof(*unseen));
	sessions = calloc(plan->n_netns + 1, sizeof(struct nctl_session *));
	if (!unseen || !sessions) {
		free(unseen);
		free(sessions);
		return -ENOMEM;
	}
	*run = (struct run){
		.plan = plan,
		.keep_going = keep_going,
		.done = done,
		.userdata = userdata,
		.sessions = sessions,
		.unseen = unseen,
		.started = nctl_time_now(),
		.fault = h->fault,
	};
	h->fault = (struct nctl_fault){0};
	h->run_serial++;
	for (size_t i = 0; i < plan->n_netns; i++)
		sessions[i] = plan->netns[i].cookie ? nctl_hub_find(h, plan->netns[i].cookie) : NULL;
	nctl_turn_begin(h);
	enter_stage(h, 0);
	nctl_run_advance(h);
	return 0;
}

bool nctl_hub_is_running(const struct nctl_hub *h)
{
	return h->run.plan || h->aside.plan;
}
