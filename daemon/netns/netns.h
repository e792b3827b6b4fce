/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "base/subs.h"
#include "exec/hub.h"
#include "loop/loop.h"
#include "netns/helper.h"

/*
 * All network namespaces of this machine that can be known: the daemon's own, those with a name in /run/netns
 * (watched by inotify(7)), and, when somebody asked, those of processes. Each is joined: told apart by its
 * SO_NETNS_COOKIE, given an nsid, and mirrored by a session of the hub. Owns the hub and ties it to the loop.
 */

struct nd_netns_set;
struct nd_netns; /* one namespace, or a name that is no namespace (yet) */

struct nd_netns_ops {
	/* The mirror of the daemon's own namespace is in step (again). */
	void (*home_synced)(void *userdata);
	/*
	 * Once: all names that were there at the start are joined and in step, or cannot be; home is in step.
	 * Those that take longer than 10 s are not waited for.
	 */
	void (*settled)(void *userdata);
	/* A turn of the loop in which results or events were handled is over. */
	void (*turn)(void *userdata);
	/*
	 * A namespace was joined and its mirror is in step for the first time; told at the end of a turn. Or
	 * one that has a session is gone, perhaps before that was told; n and its session are freed when this
	 * returns. gone comes from inside of the hub's dispatch, so it must not do more than mark work.
	 */
	void (*joined)(struct nd_netns *n, void *userdata);
	void (*gone)(struct nd_netns *n, void *userdata);
	/* As nctl_hub_ops.intend. */
	int (*intend)(const struct nctl_intent *v, size_t n, void *userdata);
	/* A namespace is about to be made for a plan: on record as ours (cookie 0), then again with its
	 * cookie. */
	int (*intend_netns)(const char *name, uint64_t cookie, void *userdata);
	/* It was not made after all: the name is somebody else's. */
	void (*forget_netns)(const char *name, void *userdata);
};

/* control_fd: of the helper, taken over, or -1: none, home is all there is. kernel and ops outlive the set.
 * hub: the hub's options, NULL: the usual ones. */
int nd_netns_set_new(struct nd_loop *loop, struct nctl_kernel *kernel, int control_fd,
	const struct nctl_hub_options *hub, const struct nd_netns_ops *ops, void *userdata,
	struct nd_netns_set **ret);
struct nd_netns_set *nd_netns_set_free(struct nd_netns_set *s);
struct nctl_hub *nd_netns_set_hub(const struct nd_netns_set *s);
struct nd_loop *nd_netns_set_loop(const struct nd_netns_set *s);
struct nd_helper *nd_netns_set_helper(const struct nd_netns_set *s); /* NULL: none */

/* What /run/netns holds at this moment is known when this returns (not that it is joined). */
void nd_netns_set_look(struct nd_netns_set *s);
/* Somebody waits for namespaces to be joined: for a second, none is held back for the sake of what is made
 * and deleted. */
void nd_netns_set_hurry(struct nd_netns_set *s);

/* Home first, then in the order in which they were met; serial steps with each, so that a cursor survives
 * changes. */
struct nd_netns *nd_netns_from(
	const struct nd_netns_set *s, uint64_t serial); /* the first with at least that one */
struct nd_netns *nd_netns_next(const struct nd_netns *n);
struct nd_netns *nd_netns_find(const struct nd_netns_set *s, const char *name);
struct nd_netns *nd_netns_find_cookie(const struct nd_netns_set *s, uint64_t cookie);
size_t nd_netns_count(const struct nd_netns_set *s); /* of all, home included */
uint64_t nd_netns_serial(const struct nd_netns *n);
const char *nd_netns_name(const struct nd_netns *n); /* the first of its names; NULL: home, or nameless */
/* All names, one for each i from 0 up; NULL at the end. One namespace may have several. */
const char *nd_netns_name_at(const struct nd_netns *n, size_t i);
pid_t nd_netns_pid(const struct nd_netns *n); /* nameless: a process in it */
bool nd_netns_is_home(const struct nd_netns *n);
/* NULL: not joined (yet): no mirror. */
struct nctl_session *nd_netns_session(const struct nd_netns *n);
uint64_t nd_netns_cookie(const struct nd_netns *n);   /* 0: not known (yet) */
const char *nd_netns_error(const struct nd_netns *n); /* why it cannot be joined, or NULL */
/*
 * {"name": the first one, "id": as in ip -j netns, "cookie", "pid", "links", "addresses", "state":
 * home|joined|joining|synchronising|unnamed|broken, "error"}; what is not known is absent.
 */
void nd_netns_json(const struct nd_netns *n, struct nctl_json *j);

/*
 * What happens to the mirrors, for streams: told at the very moment, in one order with the change records of
 * the mirrors (nctl_mirror_subs), so from inside of the hub's dispatch: only copy, and mark work. The
 * argument is a struct nd_netns_record. Home was there before anybody could subscribe.
 */
enum nd_netns_record_type {
	ND_NETNS_BORN,   /* it has a session with an empty mirror now, which is filled next */
	ND_NETNS_LOST,   /* events are lost: the mirror may be wrong; told once until SYNCED */
	ND_NETNS_SYNCED, /* the mirror is in step: for the first time, after a loss, or after a precaution */
	ND_NETNS_GONE,   /* n, its session and its mirror are freed next */
};
struct nd_netns_record {
	enum nd_netns_record_type type;
	struct nd_netns *netns;
	uint64_t epoch;  /* of its mirror: SYNCED steps it, and the first one gives 1 */
	uint64_t losses; /* since it was born */
	bool after_loss; /* SYNCED: LOST was told before */
};
struct nctl_subs *nd_netns_subs(struct nd_netns_set *s);

/*
 * Makes or deletes namespaces by name, many at a time; done is called once all are answered: errors[i] is 0
 * or a negative errno. names are copied. Groups take turns, name by name. Deletion is paced: at most 1,024
 * namespaces are named no more and not yet taken down. done may be NULL; it is never called from inside. When
 * it is, the set knows of the change. 0, -ENOMEM, -EINVAL (no names), -E2BIG (more than 100,000), -EBUSY
 * (400,000 names wait), -EPIPE: no helper.
 */
typedef void (*nd_netns_done)(const char *const *names, const int *errors, size_t n, void *userdata);
int nd_netns_create(
	struct nd_netns_set *s, const char *const *names, size_t n, nd_netns_done done, void *userdata);
int nd_netns_delete(
	struct nd_netns_set *s, const char *const *names, size_t n, nd_netns_done done, void *userdata);
/* done, of a scan also, is not called any more with this userdata; the work goes on. */
void nd_netns_forget(struct nd_netns_set *s, void *userdata);
/*
 * Looks for namespaces without a name, by their processes, and joins them; done when those found are in step
 * (or after 10 s, with -ETIMEDOUT). Never calls done from inside. 0, -ENOMEM, -EBUSY (256 wait), -EPIPE: no
 * helper.
 */
int nd_netns_scan(struct nd_netns_set *s, void (*done)(int error, void *userdata), void *userdata);
/*
 * Reads the multicast memberships of n (lib/mirror/maddr.h) back from the kernel, as they are after this call
 * or later; done is never called from inside. 0; -ENOENT: n is not mirrored; -EPIPE: no helper; -EBUSY (4,096
 * wait); -ENOMEM. done: -ENOENT: n has gone; -ECANCELED: the set goes, do not ask again; -EBADMSG: the kernel
 * wrote what we do not know; other -errno.
 */
int nd_netns_maddr_read(const struct nd_netns *n, void (*done)(int error, void *userdata), void *userdata);
/* done is not called any more with this userdata. */
void nd_netns_maddr_forget(struct nd_netns_set *s, void *userdata);
/* So many namespaces are kept ready for nd_netns_create. */
void nd_netns_pool(struct nd_netns_set *s, unsigned n);
unsigned nd_netns_pool_ready(const struct nd_netns_set *s); /* as far as is known */
