/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "loop/loop.h"
#include "net/types.h"
#include "nl/transport.h"

/*
 * The daemon's end of the privileged helper (daemon/helper): requests. 0: answered exactly once by a call of
 * its `done` (NULL: nobody wants to know) from the loop, perhaps with -EPIPE when the helper died; while
 * there is no helper, `done` is called with -EPIPE from inside the call. Requests of one channel are carried
 * out in their order, and done may do anything, nd_helper_free included. Else done is not called: -EBUSY, at
 * most 1,024 are outstanding in a channel; -EINVAL, a bad name; -E2BIG; -ENOMEM.
 */

struct nd_helper;

/* Which namespace: by its name in /run/netns, else by a process in it, else (both empty) the daemon's own.
 * cookie, if not 0, must be its SO_NETNS_COOKIE, or the answer is -ESTALE. */
struct nd_netns_ref {
	const char *name; /* NULL or "": none; at most NAME_MAX bytes, no '/' */
	pid_t pid;        /* 0: none */
	uint64_t cookie;
};

/* The file descriptors and strings in it live until done returns; fds that done wants to keep it takes by
 * take_fd. */
struct nd_helper_answer {
	int error;        /* 0 or a negative errno */
	const char *text; /* what failed, for people, or NULL */
	uint64_t cookie;  /* create, join */
	nctl_nsid nsid;   /* join, nsid_in: NCTL_NSID_NONE if there is none; pool: how many are ready */
	size_t n;         /* of what follows */
	const char *const *values; /* sysctl_read: NULL entries: no such sysctl; open_files: paths; open_maddr: names */
	int *fds;                  /* open_files, open_maddr */
	const struct nd_helper_process {
		pid_t pid;
		uint64_t dev, ino; /* of its namespace (stat(2) of /proc/PID/ns/net) */
	} * processes;             /* scan: one process of each namespace that has any */
};
typedef void (*nd_helper_done)(const struct nd_helper_answer *a, void *userdata);

/*
 * control_fd: from nd_privileges_drop (privileges.h); taken over. alive is called when the helper is there,
 * and when it is gone (it comes back by itself, unless its keeper was killed as well).
 */
int nd_helper_new(struct nd_loop *loop, int control_fd, void (*alive)(bool yes, void *userdata),
	void *userdata, struct nd_helper **ret);
struct nd_helper *nd_helper_free(struct nd_helper *h); /* outstanding requests are answered with -ECANCELED */
bool nd_helper_is_alive(const struct nd_helper *h);
/* Waits for the helper, outside of the loop: before that runs. 0, -ETIMEDOUT after 10 s, -EPIPE: there will
 * be none. */
int nd_helper_wait(struct nd_helper *h);
pid_t nd_helper_pid(const struct nd_helper *h); /* 0: none */

/* Makes and names a namespace. repair: a name whose namespace was never mounted is no obstacle. */
int nd_helper_create(struct nd_helper *h, const char *name, bool repair, nd_helper_done done, void *userdata);
/* Takes the name away (and with it, if nothing else uses it, the namespace). cookie: 0, or it must be this
 * one. */
int nd_helper_delete(
	struct nd_helper *h, const char *name, uint64_t cookie, nd_helper_done done, void *userdata);
/* Tells cookie and nsid, which is assigned if there is none. */
int nd_helper_join(struct nd_helper *h, const struct nd_netns_ref *ref, nd_helper_done done, void *userdata);
/* The nsid by which namespace `in` knows `of`; assigned if there is none. */
int nd_helper_nsid_in(struct nd_helper *h, const struct nd_netns_ref *in, const struct nd_netns_ref *of,
	nd_helper_done done, void *userdata);
/* names: below /proc/sys/net, as nctl_want_sysctl.name; at most 64. */
int nd_helper_sysctl_read(struct nd_helper *h, const struct nd_netns_ref *ref, const char *const *names,
	size_t n, nd_helper_done done, void *userdata);
/* values[0] of the answer is what reads back. */
int nd_helper_sysctl_write(struct nd_helper *h, const struct nd_netns_ref *ref, const char *name,
	const char *value, nd_helper_done done, void *userdata);
/* Moves a link; new_name NULL: it keeps its name. */
int nd_helper_link_move(struct nd_helper *h, const struct nd_netns_ref *from, uint32_t ifindex,
	const struct nd_netns_ref *to, const char *new_name, nd_helper_done done, void *userdata);
/* Opens the *.yaml files of the folders, and the files, that the daemon was started with (nothing else can be
 * asked for), in the order and with the shadowing of nd_config_read_paths. */
int nd_helper_open_files(struct nd_helper *h, nd_helper_done done, void *userdata);
/* Opens what of nctl_maddr_files there is in that namespace. */
int nd_helper_open_maddr(
	struct nd_helper *h, const struct nd_netns_ref *ref, nd_helper_done done, void *userdata);
/* values[0] of the answer is the key of 44 characters of base64 that this file holds; -EBADMSG: it holds none. */
int nd_helper_read_key(struct nd_helper *h, const char *path, nd_helper_done done, void *userdata);
/* One process of each namespace that has processes. */
int nd_helper_scan(struct nd_helper *h, nd_helper_done done, void *userdata);
/* Keeps n namespaces ready, which nd_helper_create then takes. */
int nd_helper_pool(struct nd_helper *h, unsigned n, nd_helper_done done, void *userdata);
/* Sets up /run/netns (made if it is not there), so that it can be watched. */
int nd_helper_prepare(struct nd_helper *h, nd_helper_done done, void *userdata);

/*
 * A kernel whose transports the helper opens in that namespace, for the requester: open waits for the helper,
 * at most 10 s, on a channel of its own. The helper may be freed before the kernel; open fails with -EPIPE
 * then. -ENOENT: there is no such namespace any more (or another one by that name). ref is copied; its cookie
 * must not be 0. EVENTS_ALL is to be had for the daemon's own namespace only.
 */
int nd_helper_kernel_new(struct nd_helper *h, const struct nd_netns_ref *ref, struct nctl_kernel **ret);
