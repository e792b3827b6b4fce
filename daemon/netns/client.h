/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "helper/protocol.h"
#include "loop/loop.h"
#include "netns/helper.h"

/* What the files of the helper's client share: messages, answers, channels in the loop, the line for sockets.
 */

/* One message as it came. Its descriptors are closed by nd_message_fini, unless they were taken by take_fd.
 */
struct nd_message {
	_Alignas(8) unsigned char buf[ND_PROTO_MESSAGE_MAX];
	size_t len;
	int fds[ND_PROTO_FDS_MAX];
	size_t n_fds;
	bool lost_fds; /* this process may have no more descriptors (or there were too many): some are lost */
};
/* 0, -EAGAIN (nothing there), -EPIPE (the end), -EBADMSG (too long), -errno. m is to be finished if it is 0.
 */
int nd_message_recv(struct nd_message *m, int fd);
void nd_message_fini(struct nd_message *m); /* it can be used again */

/* A request to be. The strings of the namespaces come from refs. */
struct nd_call {
	enum nd_proto_type type;
	const struct nd_netns_ref *refs[2];
	size_t n_refs;
	uint64_t cookie; /* without refs */
	uint32_t number, flags;
	const char *const *strings;
	size_t n_strings;
};
/* The message, by malloc. -EINVAL: a bad name of a namespace; -E2BIG; -ENOMEM. */
int nd_call_encode(const struct nd_call *c, uint64_t id, char **ret, size_t *ret_len);
int nd_send(int fd, const void *buf, size_t len); /* one message, without waiting: 0, -EAGAIN, -errno */

/* An answer that grows message by message. */
struct nd_answer {
	enum nd_proto_type type; /* of the request, as id */
	uint64_t id;
	size_t n_values; /* SYSCTL_READ: so many must come */
	struct nd_helper_answer a;
	char *text, **values;
	int *fds;
	struct nd_helper_process *processes;
	size_t cap;
};
enum { ND_ANSWER_MORE = 1 };
enum { ND_ANSWER_FILES_MAX = 4096, ND_ANSWER_PROCESSES_MAX = 100000 };
void nd_answer_init(struct nd_answer *a, enum nd_proto_type type, uint64_t id);
/*
 * Takes what it needs out of m. 0: the answer is whole. ND_ANSWER_MORE. -EBADMSG: no such answer may come,
 * and *ret_why is a word why. Too much of it, or no memory for it, becomes the answer's error.
 */
int nd_answer_add(struct nd_answer *a, struct nd_message *m, const char **ret_why);
void nd_answer_fini(struct nd_answer *a);
void nd_answer_fail(struct nd_answer *a, int error); /* drops what came */

/* A request, from the call until it is answered. */
struct nd_request {
	struct nctl_list link;
	nd_helper_done done;
	void *userdata;
	char *msg; /* NULL: sent */
	size_t len;
	struct nd_answer answer;
};
/* Unlinks it, calls its done, frees it. */
void nd_request_end(struct nd_request *q);

enum { ND_CHANNEL_REQUESTS = 1024 };

/* One channel of requests. fd -1: closed. */
struct nd_channel {
	struct nd_io io;
	int fd;
	struct nctl_list
		requests; /* those that are sent, in the order in which they are answered, come first */
	struct nctl_list *unsent; /* the first that is not sent; &requests: none */
	size_t n;
	uint64_t last_id;
};
void nd_channel_init(struct nd_channel *c);
void nd_channel_open(struct nd_channel *c, struct nd_loop *loop, int fd,
	void (*event)(struct nd_io *io, unsigned), void *userdata);
void nd_channel_close(
	struct nd_channel *c, struct nctl_list *ret_orphans); /* requests not answered are moved there */
int nd_channel_add(struct nd_channel *c, const struct nd_call *call, nd_helper_done done, void *userdata);
int nd_channel_send(struct nd_channel *c); /* some of what waits. 0 or -errno: the channel is broken */
/* One message. 1: *ret is answered and the caller's to end; 0: the answer goes on; -EAGAIN; other -errno:
 * broken. */
int nd_channel_recv(
	struct nd_channel *c, struct nd_message *m, struct nd_request **ret, const char **ret_why);

/*
 * The channel ND_PROTO_SOCKET, which belongs to the threads that open transports, while helpers come and go.
 * Shared by reference between the helper's client and its kernels.
 */
struct nd_line;
int nd_line_new(struct nd_line **ret);
struct nd_line *nd_line_unref(struct nd_line *l);
void nd_line_replace(
	struct nd_line *l, int fd); /* takes fd over; -1: none. Who waits on the old one gets -EPIPE */
int nd_line_kernel(struct nd_line *l, const struct nd_netns_ref *ref, struct nctl_kernel **ret);

/* For tests: how long open waits. */
void nd_helper_set_open_timeout(struct nd_helper *h, unsigned ms);
void nd_line_set_timeout(struct nd_line *l, unsigned ms);
