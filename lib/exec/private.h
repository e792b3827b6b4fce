/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "base/hash.h"
#include "base/list.h"
#include "base/rbtree.h"
#include "codec/route.h"
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
	SYNC_WORK,   /* the same, but the mirror has work to finish before */
	SYNC_DUMP,   /* the dump of sync.type is on its way */
	SYNC_SETTLE, /* all is dumped; in the hub's settling until the events from before are read */
	SYNC_DONE,
};

/* A dump on its way; outlives a session that ends meanwhile. */
struct dump_ticket {
	struct nctl_list link;        /* in the hub's tickets */
	struct nctl_session *session; /* NULL: nobody wants it any more */
	struct nctl_hub *hub;
};

/* Pauses that double while something goes on happening. */
struct nctl_backoff {
	uint64_t delay_us;
	nctl_time last;
};

struct sync {
	enum sync_state state;
	enum nctl_object_type type, last; /* of a round: which is dumped, and which is the last one */
	bool lost;                        /* as was told */
	bool spoiled;                     /* events were lost during this round: it must be done again */
	bool refresh;                     /* links and addresses once more when it is over */
	bool waits;                       /* in the hub's waiting */
	nctl_time at;                     /* until when */
	struct nctl_backoff backoff;
	struct nctl_rb_node waiting;
	struct nctl_list due; /* in the hub's due, fenced or settling */
	struct nctl_fence fence;
	struct dump_ticket *ticket;
};

enum { NCTL_SCOPES = 8 };

/* Parts of a mirror that is in step, but may not be quite right (scope.c). */
struct scopes {
	struct nctl_dump_scope v[NCTL_SCOPES]; /* to be dumped, the next one first */
	size_t n;
	bool dumping; /* sync.ticket is that of now */
	struct nctl_dump_scope now;
	struct nctl_backoff backoff;
	struct nctl_list due; /* in the hub's suspects */
	struct nctl_fence fence;
};

struct nctl_session {
	struct nctl_hub *hub;
	struct nctl_kernel *kernel; /* referenced */
	void *owner;
	uint64_t cookie;
	nctl_nsid nsid;
	struct nctl_mirror *mirror;
	struct sync sync;
	struct scopes scopes;
	struct nctl_list link;    /* in the hub's sessions */
	struct nctl_list touched; /* in the hub's touched: its mirror may have work, or suspects */
	struct nctl_hash_node by_cookie, by_nsid;
	uint64_t refreshed; /* serial of the last run that asked for a fresh dump */
	uint64_t epoch, losses, resyncs, undecodable, retries, scoped, ignored;
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
	struct nctl_list fenced, due, settling, settled; /* sessions by sync.due */
	struct nctl_list suspects;              /* sessions by scopes.due */
	struct nctl_rb_tree waiting;            /* sessions by sync.at */
	size_t n_waiting;
	struct nctl_list tickets; /* of the dumps on their way */
	size_t dumping;           /* how many */
	size_t unsynced;          /* sessions that are not SYNC_DONE */
	/* turn.c */
	struct nctl_list touched;
	nctl_time turn_until;
	uint64_t empties;                 /* times that the event queue was seen empty */
	bool reading;                     /* inside of the pump */
	bool unread;                      /* there were more events when it was left */
	struct nctl_result *chunk;        /* of a dump, fed up to chunk_at (NULL: not begun); owned */
	const struct nlmsghdr *chunk_at;
	bool results_left;
	struct nctl_route_scratch scratch;
	struct nctl_event_filter filter;
	struct run run;
	uint64_t run_serial;
	nctl_time brief_until; /* batches are to be short ones until then */
	uint64_t strangers, ignored, scoped;
	nctl_time (*clock)(void);
};

/* session.c */
int nctl_session_new(struct nctl_hub *h, struct nctl_kernel *kernel, uint64_t cookie, nctl_nsid nsid,
	void *owner, struct nctl_session **ret);
struct nctl_session *nctl_session_free(struct nctl_session *s);

/* turn.c. A turn begins with each call from outside. */
void nctl_turn_begin(struct nctl_hub *h);
bool nctl_turn_is_over(const struct nctl_hub *h);
/* Reads events, up to budget messages or the end of the turn, but a portion in any case; as dispatch_events. */
int nctl_turn_read(struct nctl_hub *h, size_t budget);
void nctl_fence_set(struct nctl_hub *h, struct nctl_fence *f);
bool nctl_fence_is_passed(const struct nctl_hub *h, const struct nctl_fence *f);
/*
 * What the kernel told before an ack is to be in the mirror: sets f if it is not, reads events, and says
 * whether they are read; f is not set any more then. Else it must be called again in the next turn.
 */
bool nctl_turn_drain(struct nctl_hub *h, struct nctl_fence *f);
/* The mirror of s was fed. */
void nctl_turn_touch(struct nctl_session *s);
/* Lets the mirrors do their own work. */
void nctl_turn_work(struct nctl_hub *h);
bool nctl_turn_has_more(const struct nctl_hub *h);

/* hub.c */
static inline nctl_time nctl_hub_now(const struct nctl_hub *h)
{
	return h->clock();
}
/* The namespace is no more: tells its owner, and frees s. Not for home. */
void nctl_hub_bury(struct nctl_hub *h, struct nctl_session *s);
/* The same when nobody said so: while s had its nsid, the next holder may have been given it. */
void nctl_hub_find_gone(struct nctl_hub *h, struct nctl_session *s);

/* feed.c: one message into the mirror. */
void nctl_session_feed(struct nctl_session *s, const struct nlmsghdr *nlh, enum nctl_source src);

/* pair.c: a link that may be one end of a pair leaves for another namespace. */
void nctl_pair_moves(struct nctl_session *s, nctl_ifindex ifindex);

/* request.c: asks for the list of a scope. As nctl_requester_dump. */
int nctl_request_dump(
	struct nctl_session *s, const struct nctl_dump_scope *scope, struct dump_ticket *ticket);
/* Is a refusal only another word for "there are none": no such table, or no such objects in this kernel? */
bool nctl_request_is_empty(const struct nctl_dump_scope *scope, const struct nctl_result *r);

/* sync.c */
void nctl_sync_init(struct nctl_session *s);
void nctl_sync_fini(struct nctl_session *s);
void nctl_sync_fence(struct nctl_session *s);
void nctl_sync_start(struct nctl_session *s);
void nctl_sync_lost(struct nctl_session *s, nctl_time now);
/* Nothing is lost, but the kernel may have changed a link without a word: links and addresses once more. */
void nctl_sync_refresh(struct nctl_session *s);
/* A result of a dump. True: it is done with; false: there is more of it for the next turn. */
bool nctl_sync_result(struct nctl_hub *h, const struct nctl_result *r);
/* Events were read: the fenced sessions, and those that settle, may have waited for it. */
void nctl_sync_unfence(struct nctl_hub *h);
void nctl_sync_settle(struct nctl_hub *h);
/* The mirror has no more work. */
void nctl_sync_worked(struct nctl_session *s);
/* Starts the dumps that are due, as many as may be on their way. */
void nctl_sync_advance(struct nctl_hub *h);
void nctl_sync_tick(struct nctl_hub *h, nctl_time now);
nctl_time nctl_sync_deadline(const struct nctl_hub *h);
/* Begins the dump of scope. False: the requester's queue is full, or memory is short. */
bool nctl_sync_dump(struct nctl_session *s, const struct nctl_dump_scope *scope);
void nctl_sync_wait(struct nctl_session *s, nctl_time at);
/* When it may be done again: now if it is the first time in a while, later if it goes on. */
nctl_time nctl_backoff_next(struct nctl_backoff *b, nctl_time now);

/* scope.c */
void nctl_scopes_init(struct nctl_session *s);
void nctl_scopes_fini(struct nctl_session *s);
void nctl_scopes_add(struct nctl_session *s, const struct nctl_dump_scope *scope);
/* Takes what the mirror suspects; s is in step. */
void nctl_scopes_gather(struct nctl_session *s);
/* A pause is over. */
void nctl_scopes_due(struct nctl_session *s);
/* A round begins: the dump on its way is of no use, and if all is dumped, no scope is needed. */
void nctl_scopes_abandon(struct nctl_session *s, bool all);
void nctl_scopes_over(struct nctl_session *s, const struct nctl_result *r);
void nctl_scopes_advance(struct nctl_hub *h);
bool nctl_scopes_pending(const struct nctl_session *s);
