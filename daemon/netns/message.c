/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Messages between daemon and helper (daemon/helper/protocol.h) as the daemon's end receives, encodes
 * and sends them, whole and without waiting. Descriptors that came are close-on-exec and owned by the message
 * until somebody takes them.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "netns/client.h"

void nd_message_fini(struct nd_message *m)
{
	for (size_t i = 0; i < m->n_fds; i++)
		nctl_closep(&m->fds[i]);
	m->n_fds = 0;
	m->len = 0;
}

static void take_fds(struct nd_message *m, struct msghdr *h)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(h); c; c = CMSG_NXTHDR(h, c)) {
		size_t n;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		/* The kernel puts all of a message into one header, which has no room for more than ours. */
		n = nctl_min((c->cmsg_len - CMSG_LEN(0)) / sizeof(int), ND_PROTO_FDS_MAX - m->n_fds);
		memcpy(m->fds + m->n_fds, CMSG_DATA(c), n * sizeof(int));
		m->n_fds += n;
	}
}

int nd_message_recv(struct nd_message *m, int fd)
{
	union {
		struct cmsghdr align;
		char buf[CMSG_SPACE(ND_PROTO_FDS_MAX * sizeof(int))];
	} control;
	struct iovec iov = {.iov_base = m->buf, .iov_len = sizeof(m->buf)};
	struct msghdr h = {.msg_iov = &iov, .msg_iovlen = 1};
	ssize_t k;

	m->n_fds = 0;
	do {
		h.msg_control = control.buf;
		h.msg_controllen = sizeof(control.buf);
		k = recvmsg(fd, &h, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	} while (k < 0 && errno == EINTR);
	if (k < 0)
		return errno == ECONNRESET ? -EPIPE : -errno;
	take_fds(m, &h);
	m->len = (size_t)k;
	m->lost_fds = h.msg_flags & MSG_CTRUNC;
	if (k > 0 && !(h.msg_flags & MSG_TRUNC))
		return 0;
	nd_message_fini(m);
	return k == 0 ? -EPIPE : -EBADMSG;
}

int nd_send(int fd, const void *buf, size_t len)
{
	ssize_t k;

	do
		k = send(fd, buf, len, MSG_DONTWAIT | MSG_NOSIGNAL);
	while (k < 0 && errno == EINTR);
	if (k < 0)
		return errno == ECONNRESET ? -EPIPE : -errno;
	return (size_t)k == len ? 0 : -EIO;
}

static bool is_name(const char *s)
{
	return strlen(s) <= NAME_MAX && !strchr(s, '/');
}

/* Adds a string with its NUL at *len of buf; with buf NULL it is only counted. */
static void put_string(char *buf, size_t *len, const char *s)
{
	size_t n = strlen(s) + 1;

	if (buf)
		memcpy(buf + *len, s, n);
	*len += n;
}

static size_t put_strings(const struct nd_call *c, char *buf)
{
	size_t len = sizeof(struct nd_proto_request);

	for (size_t i = 0; i < c->n_refs; i++)
		put_string(buf, &len, c->refs[i]->name ? c->refs[i]->name : "");
	for (size_t i = 0; i < c->n_strings; i++)
		put_string(buf, &len, c->strings[i]);
	return len;
}

int nd_call_encode(const struct nd_call *c, uint64_t id, char **ret, size_t *ret_len)
{
	struct nd_proto_request q = {
		.magic = ND_PROTO_MAGIC,
		.type = c->type,
		.id = id,
		.cookie = {c->cookie},
		.number = c->number,
		.flags = c->flags,
		.n_strings = (uint32_t)(c->n_refs + c->n_strings),
	};
	size_t len = put_strings(c, NULL);
	char *buf;

	if (len > ND_PROTO_MESSAGE_MAX || c->n_refs + c->n_strings > ND_PROTO_STRINGS_MAX)
		return -E2BIG;
	for (size_t i = 0; i < c->n_refs; i++) {
		if ((c->refs[i]->name && !is_name(c->refs[i]->name)) || c->refs[i]->pid < 0)
			return -EINVAL;
		q.cookie[i] = c->refs[i]->cookie;
		q.pid[i] = c->refs[i]->pid;
	}
	buf = malloc(len);
	if (!buf)
		return -ENOMEM;
	memcpy(buf, &q, sizeof(q));
	put_strings(c, buf);
	*ret = buf;
	*ret_len = len;
	return 0;
}
