/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "fake/fake.h"
#include "netns/private.h"

/*
 * A machine for the registry: a fake kernel, a folder of names (a real one, below /tmp, so inotify is real),
 * and a helper that knows what is mounted on which name. Requests of the registry stand in a queue until the
 * helper is told to carry them out, and their answers until it is told to send them; or it does all by
 * itself.
 */

struct world {
	struct nd_loop *loop;
	struct nctl_fake *fake;
	struct nd_netns_set *set;
	char folder[64];
	/* calls of the set */
	unsigned homes, settled, turns, joined, gone, intends;
	uint64_t last_joined, last_gone; /* cookies */
	uint64_t intended;               /* cookie of the last intend_netns */
	int intend_error;
	char log[4096]; /* "+name " joined, "-name " gone; cut at its end */
};
extern struct world w;

/* start: with a helper or without. */
void world_open(void);
void world_start(bool helper);
void world_close(void);

/* Runs the loop until pred; fails the test after 20 s. */
void world_until(bool (*pred)(void));
/* So many turns of the loop, with what is ready, and no waiting. */
void world_turns(unsigned n);
bool world_is_settled(void);
bool world_is_quiet(void); /* no request outstanding, none to come but those that wait for a time */

/* What others do in the folder and to the kernel. */
void world_file(const char *name);      /* a file, no namespace */
uint64_t world_mount(const char *name); /* a namespace of its own on that file: its cookie */
void world_mount_cookie(const char *name, uint64_t cookie); /* one that is there already */
uint64_t world_add(const char *name);                       /* both */
void world_del(const char *name);
void world_rename(const char *from, const char *to); /* of a file without a mount */
void world_process(pid_t pid, uint64_t cookie);      /* a process in it, that keeps it; cookie 0: it ends */

extern bool world_keep; /* somebody holds the namespaces whose names are taken away */
uint64_t world_cookie(const char *name); /* of what is mounted there, 0: nothing */
const char *world_path(const char *name);
enum { PIDS = 64 };
extern struct world_process {
	pid_t pid;
	uint64_t cookie;
} world_processes[PIDS];

/* The helper. */
extern struct helper_fake {
	bool manual;        /* requests wait for helper_work and helper_answer */
	bool hang;          /* joins of names that begin with "stuck" are never answered */
	int busy;           /* so many next requests are refused with -EBUSY */
	int sockets;        /* so many next kernels refuse to open with -ENOENT */
	const char *maddr;  /* what stands in dev_mcast of any namespace */
	unsigned maddrs;
	const char *sysctl; /* what reads back; NULL: what was written */
	unsigned joins, creates, deletes, prepares, scans, pools, deaths; /* requests */
	size_t outstanding, most_joins, most_work;
	char order[4096]; /* names of creates and deletes, in the order of their coming */
	unsigned pool;
} helper;
size_t helper_work(size_t n);   /* carries out the next n requests: how many there were */
size_t helper_answer(size_t n); /* answers the next n that are carried out */
void helper_die(void);
void helper_come(void);

struct nd_netns *world_find(const char *name); /* asserts that it is there */
