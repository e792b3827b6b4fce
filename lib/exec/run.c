/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: carries out a plan, phase by phase. Operations become batches; two of them are on their way at most,
 * so that the requester never waits for us and a refusal is known soon. A batch has as many messages as the
 * kernel does in about SEND_TARGET_US, or SEND_BRIEF_US while somebody asks us things, measured as we go. A
 * phase ends when all of it is answered for and the mirror has been looked at; what the mirror does not show
 * yet is looked for again at the end, until VERIFY_MS have passed. A refusal poisons what needs it; without
 * keep_going no further phase is started.
 */
#include "exec/private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	BATCH_BYTES = 64 * 1024,
	WINDOW_FIRST = 32, /* messages, before anything is measured; so few take no long time anywhere */
	WINDOW_FIRST_BRIEF = 16,
	WINDOW_MIN = 8,
	/*
	 * How long the kernel may work on one batch: few system calls when nobody waits, quick answers when
	 * somebody does (on one processor, or for the RTNL lock). tests/bench/s1 and tests/bench/latency show
	 * both.
	 */
	SEND_TARGET_US = 25 * 1000,
	SEND_BRIEF_US = 4 * 1000,
	BRIEF_FOR_US = 50 * 1000, /* after somebody asked: the next question would have come */
	VERIFY_MS = 2000, /* work that the kernel puts off; what is there already shows in the dump before */
};

static bool has_failed(const struct nctl_op *op)
{
	switch ((enum nctl_op_state)op->state) {
	case NCTL_OP_REFUSED:
	case NCTL_OP_POISONED:
	case NCTL_OP_UNSEEN:
		return true;
	case NCTL_OP_PENDING:
	case NCTL_OP_SENT:
	case NCTL_OP_ACKED:
	case NCTL_OP_DONE:
		break;
	}
	return false;
}

/* The operation that keeps op from succeeding, or NCTL_OP_NONE. */
static uint32_t find_blame(const struct nctl_plan *p, const struct nctl_op *op)
{
	for (int i = 0; i < NCTL_OP_NEEDS; i++)
		if (op->need[i] != NCTL_OP_NONE && has_failed(&p->ops[op->need[i]]))
			return op->need[i];
	return NCTL_OP_NONE;
}

static bool poison(struct run *run, struct nctl_op *op)
{
	uint32_t blame = find_blame(run->plan, op);

	if (blame == NCTL_OP_NONE)
		return false;
	op->state = NCTL_OP_POISONED;
	op->blame = blame;
	return true;
}

/* Changing an index that we chose must wait until the kernel has said that it is ours. */
static bool must_wait(const struct nctl_plan *p, const struct nctl_op *op)
{
	if (op->type == NCTL_OP_LINK_NEW)
		return false;
	for (int i = 0; i < NCTL_OP_NEEDS; i++)
		if (op->need[i] != NCTL_OP_NONE && p->ops[op->need[i]].state == NCTL_OP_SENT)
			return true;
	return false;
}

static void refuse(struct run *run, struct nctl_op *op, int error, const char *text)
{
	if (poison(run, op))
		return;
	op->state = NCTL_OP_REFUSED;
	op->error = error;
	op->text = text ? nctl_arena_strdup(&run->plan->arena, text) : NULL;
	if (!run->keep_going)
		run->stopping = true;
}

/* Deleting what is gone is no failure: a cascade, or somebody else, was faster. */
static bool is_moot(const struct nctl_op *op, int error)
{
	switch ((enum nctl_op_type)op->type) {
	case NCTL_OP_LINK_DEL:
		return error == -ENODEV;
	case NCTL_OP_ADDR_DEL:
		return error == -EADDRNOTAVAIL || error == -ENODEV;
	case NCTL_OP_LINK_NEW:
	case NCTL_OP_LINK_SET:
	case NCTL_OP_ALTNAME_NEW:
	case NCTL_OP_ALTNAME_DEL:
	case NCTL_OP_ADDR_NEW:
		break;
	}
	return false;
}

static bool is_brief(struct nctl_session *s)
{
	if (!s->brief_until.usec)
		return false; /* without a look at the clock, which is a system call in some guests */
	if (nctl_time_cmp(nctl_time_now(), s->brief_until) < 0)
		return true;
	s->brief_until.usec = 0;
	return false;
}

static void adapt_window(struct nctl_session *s, const struct nctl_batch *b, size_t n)
{
	struct run *run = &s->run;
	uint64_t target = is_brief(s) ? SEND_BRIEF_US : SEND_TARGET_US;
	uint64_t fit = b->send_us ? n * target / b->send_us : NCTL_WINDOW_MAX;

	if (fit > run->window * 2)
		fit = run->window * 2; /* a few cheap messages say little about the next ones */
	if (fit < WINDOW_MIN)
		fit = WINDOW_MIN;
	run->window = fit < NCTL_WINDOW_MAX ? fit : NCTL_WINDOW_MAX;
}

void nctl_session_be_brief(struct nctl_session *s)
{
	if (s->run.plan)
		s->brief_until = nctl_time_add_us(nctl_time_now(), BRIEF_FOR_US);
}

static int cmp_reply(const void *x, const void *y)
{
	const struct nctl_reply *a = x, *b = y;

	return (a->index > b->index) - (a->index < b->index);
}

void nctl_run_batch_back(struct nctl_session *s, struct nctl_batch *b)
{
	_cleanup_(nctl_freep) struct run_batch *rb = NULL;
	struct run *run = &s->run;

	if (!run->in_flight || b->userdata != run->flying[0])
		return;
	rb = run->flying[0];
	run->in_flight--;
	memmove(&run->flying[0], &run->flying[1], run->in_flight * sizeof(run->flying[0]));
	/* Lost acks are lost errors at worst; the mirror will tell. Anything else leaves us in the dark. */
	if (b->status < 0 && b->status != -ENOBUFS) {
		run->outcome.status = b->status;
		run->stopping = true;
	}
	/* In the order of the messages, so that who is to blame is known first. */
	if (b->n_errors)
		qsort(b->errors, b->n_errors, sizeof(*b->errors), cmp_reply);
	for (size_t i = 0; i < b->n_errors; i++) {
		const struct nctl_reply *e = &b->errors[i];

		if (e->index < rb->n && !is_moot(&run->plan->ops[rb->ops[e->index]], e->error))
			refuse(run, &run->plan->ops[rb->ops[e->index]], e->error, e->text);
	}
	for (size_t i = 0; i < rb->n; i++)
		if (run->plan->ops[rb->ops[i]].state == NCTL_OP_SENT)
			run->plan->ops[rb->ops[i]].state = NCTL_OP_ACKED;
	adapt_window(s, b, rb->n);
}

/* Puts the next operations into b. Returns how many messages it has then; intents go to the ledger's keeper.
 */
static int fill(struct nctl_session *s, struct nctl_batch *b, struct run_batch *rb)
{
	struct nctl_ledger_link intents[2 * NCTL_WINDOW_MAX];
	struct run *run = &s->run;
	size_t n_intents = 0;

	for (; run->cursor < run->phase_end && rb->n < run->window; run->cursor++) {
		struct nctl_op *op = &run->plan->ops[run->cursor];

		if (poison(run, op))
			continue;
		if (op->implied) {
			op->state = NCTL_OP_ACKED;
			continue;
		}
		if (must_wait(run->plan, op))
			break;
		nctl_op_encode(op, &b->msgs);
		if (nctl_batch_commit(b) == NCTL_MSG_FULL) {
			if (rb->n)
				break;
			refuse(run, op, -EMSGSIZE, NULL);
			continue;
		}
		n_intents += nctl_op_intents(op, &intents[n_intents]);
		op->state = NCTL_OP_SENT;
		rb->ops[rb->n++] = (uint32_t)run->cursor;
	}
	return n_intents && s->ops->intend ? s->ops->intend(s, intents, n_intents, s->userdata) : 0;
}

static void unsend(struct run *run, const struct run_batch *rb)
{
	for (size_t i = 0; i < rb->n; i++)
		run->plan->ops[rb->ops[i]].state = NCTL_OP_PENDING;
}

/* One batch out. 0, or -errno: nothing was sent. */
static int send_one(struct nctl_session *s)
{
	_cleanup_(nctl_freep) struct run_batch *rb = malloc(sizeof(*rb));
	struct run *run = &s->run;
	struct nctl_batch *b;
	int r;

	if (!rb)
		return -ENOMEM;
	rb->n = 0;
	r = nctl_batch_new(BATCH_BYTES, &b);
	if (r < 0)
		return r;
	r = fill(s, b, rb);
	if (r >= 0 && rb->n) {
		b->userdata = rb;
		r = nctl_requester_submit(s->requester, b);
		if (r == NCTL_REQUESTER_FULL)
			r = -EBUSY; /* its queue holds more than we ever have on the way */
	}
	if (r < 0 || !rb->n) {
		unsend(run, rb);
		nctl_batch_free(b);
		return r;
	}
	run->outcome.sends++;
	run->outcome.messages += rb->n;
	run->flying[run->in_flight++] = take_ptr(rb);
	return 0;
}

/* The first look in the mirror at a phase that is answered for; what is missing is kept for the end. */
static void check_phase(struct nctl_session *s)
{
	struct run *run = &s->run;

	for (; run->checked < run->cursor; run->checked++) {
		struct nctl_op *op = &run->plan->ops[run->checked];

		if (op->state != NCTL_OP_ACKED)
			continue;
		/* What implies it may come after it. */
		if (op->implied && poison(run, op))
			continue;
		if (nctl_op_is_seen(op, s->mirror))
			op->state = NCTL_OP_DONE;
		else
			run->unseen[run->n_unseen++] = (uint32_t)run->checked;
	}
}

static void enter_phase(struct nctl_session *s, enum nctl_phase phase)
{
	struct run *run = &s->run;

	run->phase = phase;
	while (run->phase_end < run->plan->n_ops && run->plan->ops[run->phase_end].phase == phase)
		run->phase_end++;
	run->window = is_brief(s) ? WINDOW_FIRST_BRIEF : WINDOW_FIRST;
}

/* Those that the mirror shows meanwhile are done. */
static void look_again(struct nctl_session *s)
{
	struct run *run = &s->run;
	size_t left = 0;

	for (size_t i = 0; i < run->n_unseen; i++) {
		struct nctl_op *op = &run->plan->ops[run->unseen[i]];

		if (nctl_op_is_seen(op, s->mirror))
			op->state = NCTL_OP_DONE;
		else
			run->unseen[left++] = run->unseen[i];
	}
	run->n_unseen = left;
}

static nctl_time verify_deadline(const struct nctl_session *s, nctl_time now)
{
	return nctl_time_add_ms(now, s->ops->verify_ms ? s->ops->verify_ms : VERIFY_MS);
}

/*
 * The events of what is done were in the queue before the acks. What they did not tell comes later by itself,
 * or never: a link that is down has no event for a new alias, group or address generation mode
 * (net/core/dev.c netdev_state_change). One dump tells the two apart.
 */
static void start_verifying(struct nctl_session *s)
{
	struct run *run = &s->run;

	run->verifying = true;
	run->deadline = verify_deadline(s, nctl_time_now());
	look_again(s);
	if (run->n_unseen)
		nctl_sync_refresh(s);
}

void nctl_run_advance(struct nctl_session *s)
{
	struct run *run = &s->run;

	while (run->plan && !run->verifying) {
		size_t before = run->cursor;
		int r = 0;

		while (r == 0 && !run->stopping && run->cursor < run->phase_end &&
			run->in_flight < NCTL_BATCHES_IN_FLIGHT) {
			before = run->cursor;
			r = send_one(s);
			if (run->cursor == before)
				break; /* the next one waits for an answer */
		}
		if (r < 0) {
			run->outcome.status = r;
			run->stopping = true;
		}
		if (run->in_flight)
			return;
		nctl_session_drain(s);
		check_phase(s);
		if (run->cursor < run->phase_end && !run->stopping)
			continue;
		if (run->stopping || run->phase + 1 == NCTL_PHASE_N) {
			start_verifying(s);
		} else {
			enter_phase(s, run->phase + 1);
		}
	}
	nctl_run_verify(s);
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

static void finish(struct nctl_session *s)
{
	struct run run = s->run;

	s->run = (struct run){0};
	free(run.unseen);
	count(&run);
	run.outcome.duration_us = (uint64_t)nctl_time_diff_us(nctl_time_now(), run.started);
	run.done(s, run.plan, &run.outcome, run.userdata);
}

void nctl_run_verify(struct nctl_session *s)
{
	struct run *run = &s->run;

	if (!run->plan || !run->verifying)
		return;
	look_again(s);
	if (!run->n_unseen)
		finish(s);
}

void nctl_run_tick(struct nctl_session *s, nctl_time now)
{
	struct run *run = &s->run;

	if (!run->plan || !run->verifying || nctl_time_cmp(run->deadline, now) > 0)
		return;
	if (!nctl_session_is_synced(s)) {
		run->deadline = verify_deadline(s, now);
		return;
	}
	for (size_t i = 0; i < run->n_unseen; i++)
		run->plan->ops[run->unseen[i]].state = NCTL_OP_UNSEEN;
	finish(s);
}

void nctl_run_abandon(struct nctl_session *s)
{
	for (size_t i = 0; i < s->run.in_flight; i++)
		free(s->run.flying[i]);
	free(s->run.unseen);
	s->run = (struct run){0};
}

int nctl_session_run(struct nctl_session *s, struct nctl_plan *plan, bool keep_going,
	void (*done)(struct nctl_session *s, struct nctl_plan *plan, const struct nctl_outcome *outcome,
		void *userdata),
	void *userdata)
{
	struct run *run = &s->run;
	uint32_t *unseen;

	if (run->plan)
		return -EBUSY;
	unseen = calloc(plan->n_ops + 1, sizeof(*unseen));
	if (!unseen)
		return -ENOMEM;
	*run = (struct run){
		.plan = plan,
		.keep_going = keep_going,
		.done = done,
		.userdata = userdata,
		.unseen = unseen,
		.started = nctl_time_now(),
	};
	enter_phase(s, 0);
	nctl_run_advance(s);
	return 0;
}

bool nctl_session_is_running(const struct nctl_session *s)
{
	return s->run.plan;
}
