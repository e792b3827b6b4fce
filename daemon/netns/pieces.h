/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "base/list.h"
#include "netns/netns.h"

/* What the set is made of, beside namespaces and names; included by netns/private.h alone. */

enum {
	NETNS_JOINS = 64,   /* requests to join outstanding */
	NETNS_PATIENCE = 5, /* tries at a name that is no namespace before it is said to be broken: 0.3 s */
	NETNS_TRIES = 10,   /* and before it is left alone: 6.5 s */
	NETNS_RESTS = 8,    /* delays between them: 20 ms, doubled to 2 s */
	NETNS_SETTLE_MS = 10 * 1000,
	NETNS_WINDOW = 64,      /* namespaces being made or deleted, over all groups */
	NETNS_UNDEAD = 1024,    /* named no more and not taken down */
	NETNS_GROUP = 100000,   /* names in a group */
	NETNS_WAITING = 400000, /* names in all groups */
	NETNS_NAMES = 1 << 18,  /* in the folder; more are not looked at */
};

struct netns_join {
	struct nd_netns_set *set;
	struct netns_name *name; /* NULL: it is gone, or pid is meant */
	pid_t pid;
};

/* Names to be made or deleted together; one of a plan is a group of its own. */
struct netns_group {
	struct nctl_list link; /* in groups */
	struct nctl_list turn; /* in makes or deletes, while some are not sent */
	struct nd_netns_set *set;
	const char **names; /* with the strings behind them */
	int *errors;
	size_t n, sent, answered;
	uint64_t cookie; /* that the namespace to be deleted must have, or 0 */
	bool del, planned;
	uint64_t number; /* as a job, 0: none (jobs.h) */
	nctl_time began;
	struct netns_task *task; /* of a plan, until it is answered */
	nd_netns_done done;
	void *userdata;
};

struct netns_request {
	struct netns_group *group;
	size_t i;
	uint64_t cookie; /* of what is deleted, if it is mirrored: the hub will tell when it is gone */
};

struct netns_scan {
	struct nctl_list now, next; /* who waits for this one, and for the next one */
	size_t n_waiters;
	bool on, asked;  /* asked: the helper has not answered; also after `until` */
	uint32_t number; /* of this scan; nd_netns.scan has it while it waits for that one to come in step */
	pid_t *pids;     /* to be joined */
	size_t n, sent;
	size_t unanswered, unsynced;
	nctl_time until;
};
