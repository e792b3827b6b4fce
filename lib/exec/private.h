/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "base/hash.h"
#include "base/list.h"
#include "base/rbtree.h"
#include "exec/hub.h"

/* What the files of lib/exec share; nobody else includes it. */

enum {
	NCTL_BATCHES_IN_FLIGHT = 2, /* one at work in the kernel, one behind it */
	NCTL_SMALL_BATCHES = 32,    /* or so many that together have no more messages than one window */
	NCTL_WINDOW_MAX = 256,      /* messages in a batch */
	NCTL_DUMPS_IN_FLIGHT = 8,
	NCTL_HUB_QUEUE = NCTL_SMALL_BATCHES + NCTL_DUMPS_IN_FLIGHT + 8, /* jobs of the requester */
};

/* How far a mirror is from being in step. */
enum sync_state {
	SYNC_FENCED, /* new: what is in the event queue may be an earlier holder's of its nsid */
	SYNC_WAIT,   /* a round is due at sync.at; in the hub's waiting */
	SYNC_DUE,    /* in the hub's due, or, in the middle of a round, about to be */
	SYNC_DUMP,   /* the dump of sync.type is on its way */
	SYNC_DONE,
};

/* A dump on its way; outlives a session that ends meanwhile. */
struct dump_ticket {
	struct nctl_list link;        /* in the hub's tickets */
	struct nctl_session *session; /* NULL: nobody wants it any more */
	struct nctl_hub *hub;
};

struct sync {
	enum sync_state state;
	enum nctl_object_type type;
	bool spoiled;      /* events were lost during this round: it must be done again */
	nctl_time at;      /* WAIT: when */
	uint64_t delay_us; /* before the next repetition; doubles while losses go on */
	nctl_time lost_at; /* the last time that a round had to be repeated */
	struct nctl_rb_node waiting;
	struct nctl_list due; /* in the hub's due or fenced */
	struct dump_ticket *ticket;
};

struct nctl_session {
	struct nctl_hub *hub;
	struct nctl_kernel *kernel; /* referenced */
	void *owner;
	uint64_t cookie;
	nctl_nsid nsid;
	struct nctl_mirror *mirror;
	struct sync sync;
	struct nctl_list link; /* in the hub's sessions */
	struct nctl_hash_node by_cookie, by_nsid;
	uint64_t refreshed; /* serial of the last run that asked for a fresh dump */
	uint64_t epoch, losses, resyncs, undecodable;
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
	bool verifying;   /* all is sent; waiting for the mirror to show the rest */
	uint32_t *unseen; /* operations that the mirror has not shown yet */
	size_t n_unseen;
	nctl_time started, deadline, patience; /* patience: verifying ends then, whatever happens */
	struct nctl_outcome outcome;
};

struct nctl_hub {
	const struct nctl_hub_ops *ops;
	void *userdata;
	struct nctl_pump *pump;
	struct nctl_requester *requester;
	struct nctl_session *home;
	struct nctl_list sessions;
	size_t n_sessions;
	struct nctl_hash by_cookie, by_nsid;
	bool hears_all;
	bool shut; /* events may go on being lost until the queue is empty: no use in dumping before */
	struct nctl_list fenced, due; /* sessions by sync.due */
	struct nctl_rb_tree waiting;  /* sessions by sync.at */
	struct nctl_list tickets;     /* of the dumps on their way */
	size_t dumping;               /* how many */
	size_t unsynced;              /* sessions that are not SYNC_DONE */
	struct run run;
	uint64_t run_serial;
	nctl_time brief_until; /* batches are to be short ones until then */
	uint64_t strangers;
};

/* session.c */
int nctl_session_new(struct nctl_hub *h, struct nctl_kernel *kernel, uint64_t cookie, nctl_nsid nsid,
	void *owner, struct nctl_session **ret);
struct nctl_session *nctl_session_free(struct nctl_session *s);

/* hub.c: reads all events that are there, so that what the kernel told before an ack is in the mirror. */
void nctl_hub_drain(struct nctl_hub *h);
/* The namespace is no more: tells its owner, and frees s. Not for home. */
void nctl_hub_bury(struct nctl_hub *h, struct nctl_session *s);
/* The same when nobody said so: while s had its nsid, the next holder may have been given it. */
void nctl_hub_find_gone(struct nctl_hub *h, struct nctl_session *s);

/* feed.c: one message into the mirror. */
void nctl_session_feed(struct nctl_session *s, const struct nlmsghdr *nlh, enum nctl_source src);

/* sync.c */
void nctl_sync_init(struct nctl_session *s);
void nctl_sync_fini(struct nctl_session *s);
void nctl_sync_start(struct nctl_session *s);
void nctl_sync_lost(struct nctl_session *s, nctl_time now);
/* Nothing is lost, but the kernel may have changed something without a word: one more round. */
void nctl_sync_refresh(struct nctl_session *s);
void nctl_sync_result(const struct nctl_result *r);
/* The event queue was empty: what comes from now on belongs to the fenced sessions. */
void nctl_sync_unfence(struct nctl_hub *h);
/* Starts the dumps that are due, as many as may be on their way. */
void nctl_sync_advance(struct nctl_hub *h);
void nctl_sync_tick(struct nctl_hub *h, nctl_time now);
nctl_time nctl_sync_deadline(const struct nctl_hub *h);

/* batch.c: one batch out. 0, or -errno: nothing was sent. */
int nctl_run_send(struct nctl_hub *h);
void nctl_run_batch_back(struct nctl_hub *h, struct nctl_batch *b);
void nctl_run_reset_window(struct nctl_hub *h);
uint32_t nctl_run_op_at(const struct run *run, size_t i);
bool nctl_run_poison(struct run *run, struct nctl_op *op);
void nctl_run_refuse(struct run *run, struct nctl_op *op, int error, const char *text);

/* run.c */
/* Sends what may be on its way, and steps to the next stage when one is answered for. */
void nctl_run_advance(struct nctl_hub *h);
/* Events have been read: looks for what is missing, and ends the run when nothing is. */
void nctl_run_verify(struct nctl_hub *h);
void nctl_run_tick(struct nctl_hub *h, nctl_time now);
void nctl_run_abandon(struct nctl_hub *h);
void nctl_run_gone(struct nctl_hub *h, const struct nctl_session *s);

/* encode.c: the message of operation op, left open in msg; goes to the namespace nctl_op_carrier. */
void nctl_op_encode(const struct nctl_plan *p, const struct nctl_op *op, struct nctl_msgbuf *msg);
uint32_t nctl_op_carrier(const struct nctl_op *op);
bool nctl_op_is_rtnl(const struct nctl_op *op);
bool nctl_op_is_deletion(const struct nctl_op *op);
/* The ledger entries that op makes: 0, 1 or, for a pair, 2. */
size_t nctl_op_intents(const struct nctl_plan *p, const struct nctl_op *op, struct nctl_intent ret[2]);
