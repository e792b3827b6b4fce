/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "base/list.h"
#include "base/rbtree.h"
#include "exec/turn.h"
#include "mirror/mirror.h"

/* How mirrors are kept in step, by rounds of dumps and by dumps of a part. Internal to lib/exec. */

enum { NCTL_DUMPS_IN_FLIGHT = 8 };

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
	bool vlans;                       /* behind the links: those of bridges */
	bool lost;                        /* as was told */
	bool spoiled;                     /* events were lost during this round: it must be done again */
	bool refresh;                     /* links and addresses once more when it is over */
	bool waits;                       /* in the hub's waiting */
	nctl_time at;                     /* until when */
	nctl_time began;                  /* to be out of step */
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
/* Somebody wants all of it once more, at once: as if something was lost, which is told. */
void nctl_sync_again(struct nctl_session *s);
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
void nctl_sync_stop_waiting(struct nctl_session *s);
/* When it may be done again: now if it is the first time in a while, later if it goes on. */
nctl_time nctl_backoff_next(struct nctl_backoff *b, nctl_time now);

/* scope.c */
void nctl_scopes_init(struct nctl_session *s);
void nctl_scopes_fini(struct nctl_session *s);
void nctl_scopes_add(struct nctl_session *s, const struct nctl_dump_scope *scope);
/* Takes what the mirror suspects; s is in step. */
void nctl_scopes_gather(struct nctl_session *s);
/* A link is gone, and with it, without doubt, all that may have been wrong about it. */
void nctl_scopes_forget(struct nctl_session *s, nctl_ifindex oif);
/* A pause is over. */
void nctl_scopes_due(struct nctl_session *s);
/* A round begins: the dump on its way is of no use, and if all is dumped, no scope is needed. */
void nctl_scopes_abandon(struct nctl_session *s, bool all);
void nctl_scopes_over(struct nctl_session *s, const struct nctl_result *r);
void nctl_scopes_advance(struct nctl_hub *h);
bool nctl_scopes_pending(const struct nctl_session *s, enum nctl_object_type type);
