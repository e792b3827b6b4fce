/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "exec/fault.h"
#include "exec/turn.h"

/* A plan being carried out. Internal to lib/exec. */

enum {
	NCTL_BATCHES_IN_FLIGHT = 2, /* one at work in the kernel, one behind it */
	NCTL_SMALL_BATCHES = 32,    /* or so many that together have no more messages than one window */
	NCTL_WINDOW_MAX = 256,      /* messages in a batch */
};

/* The operations of a batch, by message number. */
struct run_batch {
	size_t n;
	uint32_t netns; /* where it went */
	uint32_t ops[NCTL_WINDOW_MAX];
};

/* A plan being carried out. */
struct run {
	struct nctl_plan *plan; /* NULL: none */
	bool keep_going;
	void (*done)(struct nctl_plan *plan, const struct nctl_outcome *outcome, void *userdata);
	void *userdata;
	struct nctl_session **sessions; /* by number of the namespace in the plan; NULL: not there */
	enum nctl_stage stage;
	size_t cursor, stage_end; /* operations of this stage that are not sent yet */
	size_t checked;           /* operations before it have had their first look in the mirror */
	const uint32_t *again;    /* cursor counts these instead: what a cascade did not take; owned */
	struct run_batch *flying[NCTL_SMALL_BATCHES]; /* oldest first; owned */
	size_t in_flight, messages_in_flight;         /* batches */
	size_t ops_in_flight;                         /* with the owner of the namespaces */
	size_t window;                                /* messages in the next batch */
	bool sending;                                 /* an answer that comes now must not send more */
	bool stopping;                                /* a refusal ended it: no further stage */
	bool cutting;    /* a script: it stops where the next line begins */
	bool deleting;   /* links, one by one, which takes long: the stage, or a script's last batch */
	bool checking;    /* in the middle of the first look at a stage */
	/* The next operation waits for something that the mirror will show; it has waited long enough. */
	bool waiting, impatient;
	bool verifying;   /* all is sent; waiting for the mirror to show the rest */
	uint32_t *unseen; /* operations that the mirror has not shown yet */
	size_t n_unseen;
	struct nctl_fence fence; /* set: all is answered for, what was told before is not read yet */
	nctl_time started, deadline, patience; /* patience: verifying ends then, whatever happens */
	struct nctl_outcome outcome;
	struct nctl_fault fault;
};

/* batch.c: one batch out. 0, or -errno: nothing was sent. */
int nctl_run_send(struct nctl_hub *h);
void nctl_run_batch_back(struct nctl_hub *h, struct nctl_batch *b);
void nctl_run_reset_window(struct nctl_hub *h);
uint32_t nctl_run_op_at(const struct run *run, size_t i);
bool nctl_run_poison(struct run *run, struct nctl_op *op);
void nctl_run_refuse(struct run *run, struct nctl_op *op, int error, const char *text);

/* fault.c: what becomes of the next operation; rb: those that go with it. */
enum nctl_fault_says { NCTL_FAULT_GO_ON, NCTL_FAULT_WAIT, NCTL_FAULT_FAIL };
#ifdef NCTL_TEST_FAULTS
enum nctl_fault_says nctl_run_fault(struct nctl_hub *h, const struct run_batch *rb);
#else
static inline enum nctl_fault_says nctl_run_fault(struct nctl_hub *h, const struct run_batch *rb)
{
	(void)h;
	(void)rb;
	return NCTL_FAULT_GO_ON;
}
#endif

/* run.c */
/* Sends what may be on its way, and steps to the next stage when one is answered for. */
void nctl_run_advance(struct nctl_hub *h);
/* interrupt.c: puts the run aside if somebody wants it and nothing is on its way. True: it is. */
bool nctl_run_make_way(struct nctl_hub *h);
/* It was put aside, and goes on: time has passed. */
void nctl_run_back(struct nctl_hub *h);
/* Goes on where it waited for events to be read, or for the next turn. */
void nctl_run_resume(struct nctl_hub *h);
/* Events have been read: looks for what is missing, and ends the run when nothing is. */
void nctl_run_verify(struct nctl_hub *h);
void nctl_run_tick(struct nctl_hub *h, nctl_time now);
void nctl_run_abandon(struct nctl_hub *h);
void nctl_run_gone(struct nctl_hub *h, const struct nctl_session *s);

/* encode.c: the message of operation op, left open in msg; goes to the namespace nctl_op_carrier. */
void nctl_op_encode(const struct nctl_plan *p, const struct nctl_op *op, struct nctl_msgbuf *msg);
uint32_t nctl_op_carrier(const struct nctl_op *op);

/* told.c: carries out op number i if it is for generic netlink, answered by nctl_hub_op_done; false: it is not. */
bool nctl_run_tell(struct nctl_hub *h, uint32_t i);
/* The ledger entries that op makes: 0, 1 or, for a pair, 2. */
size_t nctl_op_intents(const struct nctl_plan *p, const struct nctl_op *op, struct nctl_intent ret[2]);
