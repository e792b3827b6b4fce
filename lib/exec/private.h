/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "base/hash.h"
#include "base/list.h"
#include "base/rbtree.h"
#include "exec/hub.h"
#include "exec/run.h"

/* What the files of lib/exec share; nobody else includes it. */

enum {
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
	bool lost;         /* as was told */
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

/* pair.c: a link that may be one end of a pair leaves for another namespace. */
void nctl_pair_moves(struct nctl_session *s, nctl_ifindex ifindex);

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
