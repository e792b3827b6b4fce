/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "exec/session.h"

/* What the files of lib/exec share; nobody else includes it. */

enum {
	NCTL_BATCHES_IN_FLIGHT = 2, /* one at work in the kernel, one behind it */
	NCTL_WINDOW_MAX = 256,      /* messages in a batch */
};

/* How far the mirror is from being in step. */
enum sync_state {
	SYNC_WAIT, /* a dump is due at sync.at */
	SYNC_DUMP, /* the dump of sync.type is on its way */
	SYNC_DONE,
};

struct sync {
	enum sync_state state;
	enum nctl_object_type type;
	bool spoiled;      /* events were lost during this round: it must be done again */
	nctl_time at;      /* WAIT: when */
	uint64_t delay_us; /* before the next repetition; doubles while losses go on */
	nctl_time lost_at; /* the last time that a round had to be repeated */
};

/* The operations of a batch, by message number. */
struct run_batch {
	size_t n;
	uint32_t ops[NCTL_WINDOW_MAX];
};

/* A plan being carried out. */
struct run {
	struct nctl_plan *plan; /* NULL: none */
	bool keep_going;
	void (*done)(struct nctl_session *s, struct nctl_plan *plan, const struct nctl_outcome *outcome,
		void *userdata);
	void *userdata;
	enum nctl_phase phase;
	size_t cursor, phase_end; /* operations of this phase that are not sent yet */
	size_t checked;           /* operations before it have had their first look in the mirror */
	struct run_batch *flying[NCTL_BATCHES_IN_FLIGHT]; /* oldest first; owned */
	size_t in_flight;                                 /* how many */
	size_t window;                                    /* messages in the next batch */
	bool stopping;                                    /* a refusal ended it: no further phase */
	bool verifying;   /* all is sent; waiting for the mirror to show the rest */
	uint32_t *unseen; /* operations that the mirror has not shown yet */
	size_t n_unseen;
	nctl_time started, deadline;
	struct nctl_outcome outcome;
};

struct nctl_session {
	struct nctl_kernel *kernel;
	const struct nctl_session_ops *ops;
	void *userdata;
	uint64_t cookie;
	struct nctl_pump *pump;
	struct nctl_requester *requester;
	struct nctl_mirror *mirror;
	struct sync sync;
	struct run run;
	nctl_time brief_until; /* batches are to be short ones until then */
	uint64_t epoch, losses, resyncs, undecodable;
};

/* feed.c: one message into the mirror. */
void nctl_session_feed(struct nctl_session *s, const struct nlmsghdr *nlh, enum nctl_source src);

/* sync.c */
void nctl_sync_start(struct nctl_session *s);
void nctl_sync_lost(struct nctl_session *s);
/* Nothing is lost, but the kernel may have changed something without a word: one more round. */
void nctl_sync_refresh(struct nctl_session *s);
void nctl_sync_result(struct nctl_session *s, const struct nctl_result *r);
void nctl_sync_tick(struct nctl_session *s, nctl_time now);

/* run.c */
void nctl_run_batch_back(struct nctl_session *s, struct nctl_batch *b);
/* Sends what the window allows, and steps to the next phase when one is answered for. */
void nctl_run_advance(struct nctl_session *s);
/* Events have been read: looks for what is missing, and ends the run when nothing is. */
void nctl_run_verify(struct nctl_session *s);
void nctl_run_tick(struct nctl_session *s, nctl_time now);
void nctl_run_abandon(struct nctl_session *s);

/* encode.c: the message of one operation, left open in msg. */
void nctl_op_encode(const struct nctl_op *op, struct nctl_msgbuf *msg);
/* The ledger entries that op makes: 0, 1 or, for a pair, 2. */
size_t nctl_op_intents(const struct nctl_op *op, struct nctl_ledger_link ret[2]);

/* session.c: reads all events that are there, so that what the kernel told before an ack is in the mirror. */
void nctl_session_drain(struct nctl_session *s);
