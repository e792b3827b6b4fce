/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: operations into batches, and what came of them. A batch goes to one namespace; it has as many messages
 * as the kernel does in about SEND_TARGET_US, or SEND_BRIEF_US while somebody asks us things, measured as we
 * go. The requester works in the order of the batches, so what was sent before is done before, whatever the
 * namespaces. A refusal poisons what needs it. Operations that are not for rtnetlink are handed to the owner
 * of the namespaces, or to generic netlink (told.c), on the way.
 */
#include "exec/private.h"
#include "plan/op-fib.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	BATCH_BYTES = 64 * 1024,
	WINDOW_FIRST = 32, /* messages, before anything is measured; so few take no long time anywhere */
	WINDOW_FIRST_BRIEF = 16,
	WINDOW_MIN = 8,
	/* Of scripts, whose next message may take a thousand times as long as the one before it. */
	WINDOW_SCRIPT = 64,
	/* Deletions of links, of which each may sleep for as long as a hundred other messages take. */
	WINDOW_FIRST_DEL = 4,
	/*
	 * How long the kernel may work on one batch: few system calls when nobody waits, quick answers when
	 * somebody does (on one processor, or for the RTNL lock). tests/bench/s1 and tests/bench/latency show
	 * both.
	 */
	SEND_TARGET_US = 25 * 1000,
	SEND_BRIEF_US = 4 * 1000,
	/* Duplicate address detection takes 2 s at most (RFC 4862 section 5.4.2), without a carrier for ever. */
	DAD_MS = 8 * 1000,
	BRIEF_FOR_US = 50 * 1000, /* after somebody asked: the next question would have come */
};

static const char GONE[] = "the network namespace is gone";

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

bool nctl_run_poison(struct run *run, struct nctl_op *op)
{
	uint32_t blame = find_blame(run->plan, op);

	if (blame == NCTL_OP_NONE)
		return false;
	op->state = NCTL_OP_POISONED;
	op->blame = blame;
	return true;
}

/*
 * Changing an index that we chose must wait until the kernel has said that it is ours. A script is not kept
 * waiting: its indexes are beyond all that is there and all that the kernel gives by itself, so that nobody
 * has one if the kernel says no.
 */
static bool must_wait(const struct nctl_plan *p, const struct nctl_op *op)
{
	if (op->after != NCTL_OP_NONE && p->ops[op->after].state == NCTL_OP_SENT)
		return true;
	for (int i = 0; i < NCTL_OP_NEEDS; i++) {
		const struct nctl_op *need = op->need[i] != NCTL_OP_NONE ? &p->ops[op->need[i]] : NULL;

		/* A new link may stand on one that is made by the message before, a route on its next hop. */
		if (need && need->state == NCTL_OP_SENT &&
			!((p->script || op->type == NCTL_OP_LINK_NEW || nctl_op_is_fib(op)) &&
				nctl_op_info(need)->rtnl))
			return true;
	}
	return false;
}

void nctl_run_refuse(struct run *run, struct nctl_op *op, int error, const char *text)
{
	if (nctl_run_poison(run, op))
		return;
	op->state = NCTL_OP_REFUSED;
	op->error = error;
	op->text = text ? nctl_arena_strdup(&run->plan->arena, text) : NULL;
	if (!run->keep_going)
		run->stopping = true;
}

/* Deleting what is gone is no failure: a cascade, or somebody else, was faster. */
static bool is_moot(const struct run *run, const struct nctl_op *op, int error)
{
	if (run->plan->script && !op->if_missing)
		return false;
	/* Two operations may have taken the same one along, or the mirror took one for gone that was not: it will show. */
	if (nctl_op_is_fib(op) && error == -EEXIST)
		return true;
	return nctl_op_info(op)->deletes && (error == -ENODEV || error == -ENOENT || error == -EADDRNOTAVAIL ||
						  (nctl_op_is_fib(op) && error == -ESRCH));
}

static bool is_brief(struct nctl_hub *h)
{
	if (!h->brief_until.usec)
		return false; /* without a look at the clock, which is a system call in some guests */
	if (nctl_time_cmp(nctl_time_now(), h->brief_until) < 0)
		return true;
	h->brief_until.usec = 0;
	return false;
}

/* Of deletions, as was found out last. */
static size_t deletions_window(const struct nctl_hub *h)
{
	return h->del_window ? h->del_window : WINDOW_FIRST_DEL;
}

void nctl_run_reset_window(struct nctl_hub *h)
{
	h->run.deleting = h->run.stage == NCTL_STAGE_REMOVE;
	if (h->run.deleting)
		h->run.window = deletions_window(h);
	else
		h->run.window = is_brief(h) ? WINDOW_FIRST_BRIEF : WINDOW_FIRST;
}

static void adapt_window(struct nctl_hub *h, const struct nctl_batch *b, size_t n)
{
	struct run *run = &h->run;
	uint64_t target = is_brief(h) ? SEND_BRIEF_US : SEND_TARGET_US;
	uint64_t fit = b->send_us ? n * target / b->send_us : NCTL_WINDOW_MAX;

	if (fit > run->window * 2)
		fit = run->window * 2; /* a few cheap messages say little about the next ones */
	if (fit < WINDOW_MIN)
		fit = run->deleting ? nctl_max(fit, UINT64_C(1)) : WINDOW_MIN;
	if (run->plan->script && fit > WINDOW_SCRIPT)
		fit = WINDOW_SCRIPT;
	run->window = fit < NCTL_WINDOW_MAX ? fit : NCTL_WINDOW_MAX;
	if (run->deleting)
		h->del_window = run->window;
}

void nctl_hub_be_brief(struct nctl_hub *h)
{
	if (h->run.plan)
		h->brief_until = nctl_time_add_us(nctl_time_now(), BRIEF_FOR_US);
}

static int cmp_reply(const void *x, const void *y)
{
	const struct nctl_reply *a = x, *b = y;

	return (a->index > b->index) - (a->index < b->index);
}

/* A refusal from the kernel or, for what is not rtnetlink's, from the owner of the namespaces. */
static void answer(struct run *run, struct nctl_op *op, int error, const char *text)
{
	if (op->state == NCTL_OP_SENT && !is_moot(run, op, error))
		nctl_run_refuse(run, op, error, text);
}

/* Nothing of it was sent, or nobody knows. */
static void batch_failed(struct run *run, const struct run_batch *rb, int status)
{
	const char *text = status == -ENOENT  ? "the network namespace is gone"
	                   : status == -EPIPE ? "the privileged helper is gone"
	                                      : NULL;

	if (!rb->netns) {
		run->outcome.status = status;
		run->stopping = true;
		return;
	}
	for (size_t i = 0; i < rb->n; i++)
		answer(run, &run->plan->ops[rb->ops[i]], status, text);
}

void nctl_run_batch_back(struct nctl_hub *h, struct nctl_batch *b)
{
	_cleanup_(nctl_freep) struct run_batch *rb = NULL;
	struct run *run = &h->run;

	if (!run->in_flight || b->userdata != run->flying[0])
		return;
	rb = run->flying[0];
	run->in_flight--;
	run->messages_in_flight -= rb->n;
	memmove(&run->flying[0], &run->flying[1], run->in_flight * sizeof(run->flying[0]));
	/* In the order of the messages, so that who is to blame is known first. */
	if (b->n_errors)
		qsort(b->errors, b->n_errors, sizeof(*b->errors), cmp_reply);
	for (size_t i = 0; i < b->n_errors; i++) {
		const struct nctl_reply *e = &b->errors[i];

		if (e->index < rb->n) {
			run->plan->ops[rb->ops[e->index]].by_kernel = e->text;
			answer(run, &run->plan->ops[rb->ops[e->index]], e->error, e->text);
		}
	}
	/* Lost acks are lost errors at worst; the mirror will tell. Anything else leaves us in the dark. */
	if (b->status < 0 && b->status != -ENOBUFS)
		batch_failed(run, rb, b->status);
	for (size_t i = 0; i < rb->n; i++)
		if (run->plan->ops[rb->ops[i]].state == NCTL_OP_SENT)
			run->plan->ops[rb->ops[i]].state = NCTL_OP_ACKED;
	adapt_window(h, b, rb->n);
}

void nctl_hub_op_done(struct nctl_hub *h, uint32_t i, int error, const char *text)
{
	struct run *run = &h->run;
	struct nctl_op *op;

	if (!run->plan || i >= run->plan->n_ops || !run->ops_in_flight)
		return;
	op = &run->plan->ops[i];
	if (op->state != NCTL_OP_SENT || nctl_op_info(op)->rtnl)
		return;
	run->ops_in_flight--;
	if (error < 0)
		answer(run, op, error, text);
	if (op->state == NCTL_OP_SENT)
		op->state = NCTL_OP_ACKED;
	if (!run->sending)
		nctl_run_advance(h);
}

uint32_t nctl_run_op_at(const struct run *run, size_t i)
{
	return run->again ? run->again[i] : (uint32_t)i;
}

/* Routes go by themselves, too, and some by what comes before in this very plan: then there is nothing to say. */
static bool may_be_done(const struct nctl_op *op)
{
	return op->if_missing || (nctl_op_is_fib(op) && nctl_op_info(op)->deletes);
}

/* What needs no message: true if op is dealt with. */
static bool pass_over(struct run *run, struct nctl_op *op)
{
	if (op->state != NCTL_OP_PENDING || nctl_run_poison(run, op))
		return true;
	if (op->implied || (!run->plan->script && may_be_done(op) && nctl_op_is_seen(run->plan, op))) {
		op->state = NCTL_OP_ACKED;
		return true;
	}
	if (!nctl_op_info(op)->rtnl || (run->sessions[op->netns] && run->sessions[nctl_op_carrier(op)]))
		return false;
	/* The namespace is gone, and with it all that was to be deleted there. */
	if (nctl_op_info(op)->deletes && !run->plan->script)
		op->state = NCTL_OP_ACKED;
	else
		nctl_run_refuse(run, op, -ENOENT, GONE);
	return true;
}

/* To the owner of the namespaces. False: it has enough to do. */
static bool hand_over(struct nctl_hub *h, uint32_t i)
{
	struct run *run = &h->run;
	struct nctl_op *op = &run->plan->ops[i];

	if (run->ops_in_flight == NCTL_HUB_OPS_IN_FLIGHT)
		return false;
	op->state = NCTL_OP_SENT;
	run->ops_in_flight++;
	if (nctl_run_tell(h, i))
		return true;
	if (h->ops->carry_out)
		h->ops->carry_out(run->plan, i, h->userdata);
	else
		nctl_hub_op_done(h, i, -EOPNOTSUPP, NULL);
	return true;
}

/* Adds one operation to the batch. False: it does not go into this one. */
static bool put(struct nctl_hub *h, uint32_t i, struct nctl_batch *b, struct run_batch *rb)
{
	struct run *run = &h->run;
	struct nctl_op *op = &run->plan->ops[i];

	if (rb->n && nctl_op_carrier(op) != rb->netns)
		return false;
	nctl_op_encode(run->plan, op, &b->msgs);
	if (nctl_batch_commit(b) == NCTL_MSG_FULL) {
		if (rb->n)
			return false;
		nctl_run_refuse(run, op, -EMSGSIZE, NULL);
		return true;
	}
	rb->netns = nctl_op_carrier(op);
	op->state = NCTL_OP_SENT;
	rb->ops[rb->n++] = i;
	return true;
}

/* Must it wait for the mirror? What waits in vain is left out: then it is no more pending. */
static bool must_wait_for_mirror(struct run *run, struct nctl_op *op)
{
	enum nctl_readiness r = nctl_op_readiness(run->plan, op);

	if (r == NCTL_OP_READY)
		return false;
	run->waiting = r == NCTL_OP_WAITING && !run->impatient;
	if (!run->waiting)
		nctl_plan_leave_out(run->plan, op);
	else if (!run->deadline.usec)
		run->deadline = nctl_time_add_ms(nctl_time_now(), DAD_MS);
	return run->waiting;
}

/* Where a script's batch ends. Deletions of links are by themselves, and few at first. */
static bool ends_batch(struct nctl_hub *h, const struct nctl_op *op, const struct run_batch *rb)
{
	struct run *run = &h->run;
	bool deletes = op->type == NCTL_OP_LINK_DEL;

	if (!run->plan->script)
		return false;
	if (run->cutting && op != run->plan->ops && op[-1].pos.line != op->pos.line) {
		run->stopping = true;
		return true;
	}
	if (deletes == run->deleting)
		return false;
	if (rb->n)
		return true;
	run->deleting = deletes;
	run->window = deletes ? deletions_window(h) : WINDOW_FIRST;
	return false;
}

/* Puts the next operations of one namespace into b. */
static void fill(struct nctl_hub *h, struct nctl_batch *b, struct run_batch *rb)
{
	struct run *run = &h->run;

	for (; run->cursor < run->stage_end && rb->n < run->window; run->cursor++) {
		uint32_t i = nctl_run_op_at(run, run->cursor);
		struct nctl_op *op = &run->plan->ops[i];
		enum nctl_fault_says fault;

		if (ends_batch(h, op, rb))
			break;
		if (pass_over(run, op))
			continue;
		if (must_wait(run->plan, op) || (!run->plan->script && must_wait_for_mirror(run, op)))
			break;
		if (op->state != NCTL_OP_PENDING)
			continue;
		fault = nctl_run_fault(h, rb);
		if (fault == NCTL_FAULT_WAIT)
			break;
		if (fault == NCTL_FAULT_FAIL) {
			nctl_run_refuse(run, op, -EPERM, "refused for a test");
			continue;
		}
		if (!(nctl_op_info(op)->rtnl ? put(h, i, b, rb) : hand_over(h, i)))
			break;
	}
}

/* What the batch makes goes to the ledger's keeper. */
static int intend(struct nctl_hub *h, const struct run_batch *rb)
{
	struct nctl_intent intents[2 * NCTL_WINDOW_MAX];
	struct run *run = &h->run;
	size_t n = 0;

	for (size_t i = 0; i < rb->n; i++)
		n += nctl_op_intents(run->plan, &run->plan->ops[rb->ops[i]], &intents[n]);
	return n && h->ops->intend ? h->ops->intend(intents, n, h->userdata) : 0;
}

static void unsend(struct run *run, const struct run_batch *rb)
{
	for (size_t i = 0; i < rb->n; i++)
		run->plan->ops[rb->ops[i]].state = NCTL_OP_PENDING;
}

int nctl_run_send(struct nctl_hub *h)
{
	_cleanup_(nctl_freep) struct run_batch *rb = malloc(sizeof(*rb));
	struct run *run = &h->run;
	struct nctl_batch *b;
	int r;

	if (!rb)
		return -ENOMEM;
	rb->n = 0;
	r = nctl_batch_new(BATCH_BYTES, &b);
	if (r < 0)
		return r;
	fill(h, b, rb);
	if (rb->n)
		r = intend(h, rb);
	if (r >= 0 && rb->n) {
		b->userdata = rb;
		r = nctl_requester_submit(h->requester, run->sessions[rb->netns]->kernel, b);
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
	run->messages_in_flight += rb->n;
	run->flying[run->in_flight++] = take_ptr(rb);
	return 0;
}
