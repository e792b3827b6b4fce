/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/strbuf.h"
#include "helper/pool.h"
#include "helper/protocol.h"

/*
 * The parts of the privileged helper: a keeper, which starts it again and again (keeper.c), and the helper
 * itself, confined (confine.c), with one thread for each channel (channels.c), which checks requests
 * (message.c) and carries them out (the rest). Each thread stands in the namespace that the helper was
 * started in, home, between requests.
 */

#define ND_NETNS_DIR "/run/netns" /* where iproute2 has it as well */

struct nd_helper_options {
	int control_fd;
	uid_t user; /* of the daemon */
	const char *const *paths;
	size_t n_paths;
};

/* Returns the exit status: 0 when the daemon has gone. */
int nd_keeper_run(const struct nd_helper_options *o);

/* Limits this process, and what it forks, to the few capabilities that are needed. 0 or -errno. */
int nd_confine_capabilities(void);
/* All threads of this process: only the system calls that are needed. 0, or -errno: the kernel cannot. */
int nd_confine_calls(void);

/* A request that is formed as its type wants it. Everything points into the message. */
struct nd_request {
	struct nd_proto_request h;
	const char *strings[ND_PROTO_STRINGS_MAX]; /* the first are the names of namespaces */
	uint32_t n_netns;
};

/* 0 or -EBADMSG: what no daemon of this build sends. What the strings say is for the operations to check. */
int nd_request_parse(const void *message, size_t len, enum nd_proto_channel channel, struct nd_request *ret);

/* What goes back. Operations add to it; what is added when it is full is sent at once as a part of the
 * answer. */
struct nd_reply {
	struct nd_proto_answer h; /* operations write nsid, cookie, missing */
	struct nctl_strbuf strings;
	struct nd_proto_process *processes; /* h.n_processes, at most ND_REPLY_PROCESSES; not owned */
	void *memory;                       /* freed with the answer, for processes to point into */
	int fds[ND_PROTO_FDS_MAX];          /* owned */
	size_t n_fds;
	int channel;
	bool refused; /* what is in strings are the words for an error */
};
enum { ND_REPLY_PROCESSES = 2048 };

void nd_reply_init(struct nd_reply *a, int channel, const struct nd_request *q);
void nd_reply_fini(struct nd_reply *a);
void nd_reply_add_string(struct nd_reply *a, const char *s);
/* What failed, for people; takes the place of what was said before. error: a negative errno, returned. */
int nd_reply_refuse(struct nd_reply *a, int error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The answer is this error, and of what was added only the words of nd_reply_refuse, if any, remain. */
void nd_reply_set_error(struct nd_reply *a, int error);
/* Sends a part, and empties it for the next one. 0 or -errno: the channel is broken. */
int nd_reply_send(struct nd_reply *a, bool more);

/* What a thread needs of its own. */
struct nd_place {
	int home;             /* the namespace of the daemon */
	int rtnl;             /* a netlink socket there */
	uint64_t home_cookie; /* never 0 */
	struct nd_pool *pool;
	const struct nd_helper_options *options;
	bool prepared;        /* /run/netns is, as far as this thread knows */
	int proc_net;         /* proc.c; -1: none yet */
	unsigned proc_visits; /* how often it was used */
};

int nd_place_init(struct nd_place *p, struct nd_pool *pool, const struct nd_helper_options *o);
void nd_place_fini(struct nd_place *p);
/* Opens the i-th namespace of q; -ENOENT: there is none, -ENXIO: the name is not mounted on a namespace
 * (yet). */
int nd_place_open(const struct nd_place *p, const struct nd_request *q, uint32_t i, int *ret_fd);
/*
 * The same, and goes there. -ESTALE: its cookie is not the expected one. ret_fd may be NULL. On 0 the caller
 * must go home (nd_place_home), which cannot fail: the helper ends instead, since no thread may work where it
 * is not meant to.
 */
int nd_place_enter(
	const struct nd_place *p, const struct nd_request *q, uint32_t i, int *ret_fd, uint64_t *ret_cookie);
void nd_place_home(const struct nd_place *p);
/* For _cleanup_: *p NULL: stayed at home. */
void nd_place_homep(const struct nd_place **p);
int nd_place_refuse(struct nd_reply *a, int error, const struct nd_request *q, uint32_t i); /* says so */
/* SO_NETNS_COOKIE of the thread's namespace. */
int nd_netns_here_cookie(uint64_t *ret);

/* proc.c: the folder /proc/sys/net, of whatever namespace the thread is in; stays p's. -errno */
int nd_proc_net(struct nd_place *p);

/* The thread's namespace. fd: of a socket of nd_rtnl_open. */
int nd_rtnl_open(int *ret_fd);
/* The nsid of the namespace target_fd in that of rtnl; assign: it gets one if it has none, else perhaps -1.
 */
int nd_rtnl_nsid(int rtnl, int target_fd, bool assign, int32_t *ret);
/* Moves a link; name "": it keeps its own. A refusal of the kernel leaves its words in text. */
int nd_rtnl_move(int rtnl, uint32_t ifindex, int target_fd, const char *name, struct nctl_strbuf *text);

/* Makes a namespace and comes home; with its cookie. */
int nd_netns_make(const struct nd_place *p, int *ret_fd, uint64_t *ret_cookie);

/* "ipv4/conf/all/forwarding": such names, with a '/' between them? */
bool nd_sysctl_is_good(const char *name);

/* Carries out a request; 0 or a negative errno, which is the answer. Such a function for each type. */
typedef int (*nd_operation)(struct nd_place *p, const struct nd_request *q, struct nd_reply *a);
extern const nd_operation nd_operations[ND_PROTO_TYPES];

int nd_op_create(struct nd_place *p, const struct nd_request *q, struct nd_reply *a);
int nd_op_delete(struct nd_place *p, const struct nd_request *q, struct nd_reply *a);
int nd_op_prepare(struct nd_place *p, const struct nd_request *q, struct nd_reply *a);
int nd_op_pool(struct nd_place *p, const struct nd_request *q, struct nd_reply *a);
int nd_op_join(struct nd_place *p, const struct nd_request *q, struct nd_reply *a);
int nd_op_nsid_in(struct nd_place *p, const struct nd_request *q, struct nd_reply *a);
int nd_op_socket(struct nd_place *p, const struct nd_request *q, struct nd_reply *a);
int nd_op_link_move(struct nd_place *p, const struct nd_request *q, struct nd_reply *a);
int nd_op_sysctl_read(struct nd_place *p, const struct nd_request *q, struct nd_reply *a);
int nd_op_sysctl_write(struct nd_place *p, const struct nd_request *q, struct nd_reply *a);
int nd_op_open_files(struct nd_place *p, const struct nd_request *q, struct nd_reply *a);
int nd_op_open_maddr(struct nd_place *p, const struct nd_request *q, struct nd_reply *a);
int nd_op_read_key(struct nd_place *p, const struct nd_request *q, struct nd_reply *a);
int nd_op_scan(struct nd_place *p, const struct nd_request *q, struct nd_reply *a);

/* A file of root's or user's, without these bits of its mode. A symbolic link to one is fine, anything but a file is
 * not: O_NONBLOCK, so that a FIFO does not stop us. 0, or -errno: -EINVAL no file, -EACCES. */
int nd_open_own(const char *path, uid_t user, mode_t forbidden, int *ret_fd);

/* Answers a request, if it is one. 0; -EBADMSG: it is none, nothing was answered; else the channel is broken.
 */
int nd_dispatch(const nd_operation operations[static ND_PROTO_TYPES], struct nd_place *p,
	enum nd_proto_channel channel, int fd, const void *message, size_t len);
/* Serves until the daemon is gone; returns the exit status. Starts the threads and confines them. */
int nd_channels_serve(const int channels[static ND_PROTO_CHANNELS], const struct nd_helper_options *o);
