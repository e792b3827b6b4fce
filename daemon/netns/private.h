/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "base/genset.h"
#include "base/hash.h"
#include "base/list.h"
#include "base/rbtree.h"
#include "netns/netns.h"
#include "netns/pieces.h"

/* What the files of the registry share; nobody else includes it, but for its tests. */

/* A name in the folder: one incarnation of it, from its making to its taking away. */
struct netns_name {
	struct nctl_hash_node by_name;
	struct nctl_genset_node in_folder;
	struct nctl_list of_netns; /* in netns->names */
	struct nctl_list waiting;  /* in the queue, or at rest until `at` */
	struct nd_netns *netns;    /* what it names; one without a cookie while that is not known */
	struct netns_join *join;   /* outstanding, or NULL */
	nctl_time at;              /* at rest: until when; in the queue: since when */
	uint8_t tries;
	bool urgent, first,
		again; /* first: `settled` waits for it; something happened to it while it was being joined */
	char text[];
};

struct nd_netns {
	struct nd_netns_set *set;
	struct nctl_rb_node by_serial;
	struct nctl_hash_node by_cookie; /* if it has one */
	struct nctl_list names;
	struct nctl_list news;   /* in step for the first time, which is to be told */
	struct nctl_list undead; /* deleted, and counted until undead_until */
	nctl_time undead_until;
	uint64_t serial, cookie;
	struct nctl_session *session;
	char *error;
	pid_t pid;
	uint32_t scan;
	bool told;
	bool lost; /* as subscribers were told */
};

struct nd_netns_set {
	struct nd_loop *loop;
	const struct nd_netns_ops *ops;
	void *userdata;
	char *folder;
	struct nctl_hub *hub;
	struct nd_helper *helper;
	struct nd_netns *home;
	struct nctl_kernel *kernel; /* of home, where the helper helps; or NULL */
	uint64_t last_serial;
	struct nctl_rb_tree by_serial;
	struct nctl_hash by_cookie, by_name;
	struct nctl_genset in_folder;
	struct nctl_list news;
	struct nctl_subs subs; /* of struct nd_netns_record */
	/* set.c: what is to be told */
	bool home_news, settled, was_read;
	bool stirred; /* somebody may wait for what is neither an event nor a result */
	size_t n_first;
	nctl_time settle_by;
	/* watch.c */
	int inotify, watch;
	int ear; /* hears inotify, or is closed while the helper makes names, of which it tells itself */
	bool ear_closed;
	struct nd_io inotify_io;
	bool unwatched; /* inotify is not to be had */
	bool preparing;
	nctl_time folder_at; /* when to set the folder up (again) */
	unsigned folder_tries;
	/* join.c */
	struct nctl_list queue, resting[NETNS_RESTS];
	struct netns_join joins[NETNS_JOINS], *free_joins[NETNS_JOINS];
	size_t n_free_joins;
	struct netns_scan scan;
	/* work.c */
	struct nctl_list groups, makes, deletes;
	struct netns_request requests[NETNS_WINDOW], *free_requests[NETNS_WINDOW];
	size_t n_free_requests, n_waiting, n_deleting;
	uint64_t job_number; /* the last one */
	bool delete_next;
	struct nctl_list undead;
	size_t n_undead;
	nctl_time faint[NETNS_UNDEAD]; /* a ring: when those that the hub knows nothing of stop counting */
	size_t faint_first, n_faint;
	unsigned pool, pool_ready; /* how many there should be, and are */
	nctl_time pool_at;         /* when to ask how many are ready */
	/* ops.c */
	struct nctl_list tasks;
	bool tasks_dirty;
	nctl_time retry_at; /* the helper was busy: not before */
	/* maddr.c */
	struct nctl_list readings;
	size_t n_maddr_waiters;
	struct nd_wake maddr_wake;
	/* loop.c */
	struct nd_io io;
	struct nd_timer timer, chores;
	struct nd_wake wake;
	struct nd_prepare prepare;
	nctl_time busy_until, hold_until, hurry_until;
	bool let_in, watching;
};

/* As nd_netns_set_new, for another folder than /run/netns. */
int nd_netns_set_new_at(struct nd_loop *loop, struct nctl_kernel *kernel, int control_fd, const char *folder,
	const struct nctl_hub_options *hub, const struct nd_netns_ops *ops, void *userdata,
	struct nd_netns_set **ret);
#include "netns/parts.h"
