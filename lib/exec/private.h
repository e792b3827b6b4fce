/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "base/hash.h"
#include "base/list.h"
#include "base/rbtree.h"
#include "codec/route.h"
#include "exec/hub.h"
#include "exec/run.h"
#include "exec/sync.h"

/* What the files of lib/exec share; nobody else includes it. */

enum {
	NCTL_HUB_QUEUE = NCTL_SMALL_BATCHES + NCTL_DUMPS_IN_FLIGHT + 8, /* jobs of the requester */
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
	uint64_t epoch, losses, resyncs, undecodable, retries, scoped, ignored, resync_us;
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
	struct nctl_list suspects;                       /* sessions by scopes.due */
	struct nctl_rb_tree waiting;                     /* sessions by sync.at */
	size_t n_waiting;
	struct nctl_list tickets; /* of the dumps on their way */
	size_t dumping;           /* how many */
	size_t unsynced;          /* sessions that are not SYNC_DONE */
	/* turn.c */
	struct nctl_list touched;
	nctl_time turn_until;
	uint64_t empties;          /* times that the event queue was seen empty */
	bool reading;              /* inside of the pump */
	struct nctl_result *chunk; /* of a dump, fed up to chunk_at (NULL: not begun); owned */
	const struct nlmsghdr *chunk_at;
	bool results_left;
	struct nctl_route_scratch scratch;
	struct nctl_event_filter filter;
	struct run run;
	struct run aside; /* interrupt.c: the one that run has pushed aside, or that waits to go on */
	void (*idle)(void *userdata); /* not NULL: somebody waits for run to make way */
	void *idle_userdata;
	struct nctl_fault fault; /* of the next run */
	size_t del_window;       /* deletions in a script's batch, as was found out last; 0: not known */
	uint64_t run_serial;
	nctl_time brief_until; /* batches are to be short ones until then */
	uint64_t strangers, ignored, scoped;
	nctl_time (*clock)(void);
	struct nctl_asker *asker; /* NULL until somebody asks */
	struct nctl_list lives;   /* struct nctl_live */
	struct nctl_genl *genl;   /* NULL until there is a job */
};

/* session.c */
int nctl_session_new(struct nctl_hub *h, struct nctl_kernel *kernel, uint64_t cookie, nctl_nsid nsid,
	void *owner, struct nctl_session **ret);
struct nctl_session *nctl_session_free(struct nctl_session *s);

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

/* live.c */
void nctl_live_dispatch(struct nctl_hub *h);
void nctl_live_end(struct nctl_hub *h);
