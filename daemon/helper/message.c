/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * DOC: messages: a request is taken apart here, and nothing of it is looked at before it is known to be
 * formed as its type wants it; an answer is put together here. Called by channels.c and by the operations.
 */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/cleanup.h"
#include "helper/private.h"

/* Which parts of struct nd_proto_request a type uses; all others must be 0. */
enum { COOKIE = 1 << 0, COOKIE_AND_PID = 1 << 1, TWO = 1 << 2, NUMBER = 1 << 3, FLAGS = 1 << 4 };

static const struct form {
	uint8_t channel, parts;
	uint8_t n_netns, min_strings, max_strings; /* strings: those of namespaces included */
} forms[ND_PROTO_TYPES] = {
	[ND_PROTO_CREATE] = {ND_PROTO_MAKE, FLAGS, 0, 1, 1},
	[ND_PROTO_DELETE] = {ND_PROTO_MAKE, COOKIE, 0, 1, 1},
	[ND_PROTO_JOIN] = {ND_PROTO_LOOK, COOKIE_AND_PID, 1, 1, 1},
	[ND_PROTO_NSID_IN] = {ND_PROTO_LOOK, COOKIE_AND_PID | TWO, 2, 2, 2},
	[ND_PROTO_SYSCTL_READ] = {ND_PROTO_LOOK, COOKIE_AND_PID, 1, 2, ND_PROTO_STRINGS_MAX},
	[ND_PROTO_SYSCTL_WRITE] = {ND_PROTO_MAKE, COOKIE_AND_PID, 1, 3, 3},
	[ND_PROTO_LINK_MOVE] = {ND_PROTO_MAKE, COOKIE_AND_PID | TWO | NUMBER, 2, 3, 3},
	[ND_PROTO_OPEN_FILES] = {ND_PROTO_LOOK, 0, 0, 0, 0},
	[ND_PROTO_SCAN] = {ND_PROTO_LOOK, 0, 0, 0, 0},
	[ND_PROTO_POOL] = {ND_PROTO_MAKE, NUMBER, 0, 0, 0},
	[ND_PROTO_PREPARE] = {ND_PROTO_MAKE, 0, 0, 0, 0},
	[ND_PROTO_OPEN_SOCKET] = {ND_PROTO_SOCKET, COOKIE_AND_PID | NUMBER, 1, 1, 1},
	[ND_PROTO_OPEN_MADDR] = {ND_PROTO_LOOK, COOKIE_AND_PID, 1, 1, 1},
	[ND_PROTO_READ_KEY] = {ND_PROTO_LOOK, 0, 0, 1, 1},
};

static bool parts_fit(const struct nd_proto_request *h, unsigned parts)
{
	if (!(parts & (COOKIE | COOKIE_AND_PID)) && h->cookie[0])
		return false;
	if (!(parts & COOKIE_AND_PID) && h->pid[0])
		return false;
	if (!(parts & TWO) && (h->cookie[1] || h->pid[1]))
		return false;
	if ((!(parts & NUMBER) && h->number) || (!(parts & FLAGS) && h->flags))
		return false;
	return h->pid[0] >= 0 && h->pid[1] >= 0 && !(h->flags & ~(uint32_t)ND_PROTO_REPAIR);
}

static bool is_for(uint32_t type, enum nd_proto_channel channel)
{
	bool either = type == ND_PROTO_CREATE || type == ND_PROTO_DELETE;

	return forms[type].channel == channel || (either && channel == ND_PROTO_MAKE_TOO);
}

int nd_request_parse(const void *message, size_t len, enum nd_proto_channel channel, struct nd_request *ret)
{
	const char *s = (const char *)message + sizeof(ret->h), *end = (const char *)message + len, *nul;
	const struct form *form;
	uint32_t i;

	if (len < sizeof(ret->h) || len > ND_PROTO_MESSAGE_MAX)
		return -EBADMSG;
	memcpy(&ret->h, message, sizeof(ret->h));
	if (ret->h.magic != ND_PROTO_MAGIC || ret->h.type >= ND_PROTO_TYPES)
		return -EBADMSG;
	form = &forms[ret->h.type];
	if (!is_for(ret->h.type, channel) || ret->h.n_strings < form->min_strings ||
		ret->h.n_strings > form->max_strings || !parts_fit(&ret->h, form->parts))
		return -EBADMSG;
	for (i = 0; i < ret->h.n_strings; i++, s = nul + 1) {
		nul = memchr(s, '\0', (size_t)(end - s));
		if (!nul)
			return -EBADMSG;
		ret->strings[i] = s;
	}
	ret->n_netns = form->n_netns;
	return s == end ? 0 : -EBADMSG;
}

void nd_reply_init(struct nd_reply *a, int channel, const struct nd_request *q)
{
	*a = (struct nd_reply){
		.h = {.magic = ND_PROTO_MAGIC, .type = q->h.type, .id = q->h.id, .nsid = -1},
		.strings = NCTL_STRBUF_INIT,
		.channel = channel,
	};
}

static void answer_empty(struct nd_reply *a)
{
	while (a->n_fds)
		nctl_closep(&a->fds[--a->n_fds]);
	nctl_strbuf_reset(&a->strings);
	a->h.n_strings = 0;
	a->h.n_processes = 0;
}

void nd_reply_fini(struct nd_reply *a)
{
	answer_empty(a);
	free(a->memory);
	nctl_strbuf_fini(&a->strings);
}

void nd_reply_add_string(struct nd_reply *a, const char *s)
{
	nctl_strbuf_put(&a->strings, s, strlen(s) + 1);
	a->h.n_strings++;
}

int nd_reply_refuse(struct nd_reply *a, int error, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	answer_empty(a);
	nd_reply_add_string(a, text);
	a->refused = true;
	return error;
}

void nd_reply_set_error(struct nd_reply *a, int error)
{
	if (!a->refused)
		answer_empty(a);
	a->h.error = error;
	a->h.nsid = -1;
	a->h.cookie = 0;
	memset(a->h.missing, 0, sizeof(a->h.missing));
}

/* What cannot be told in full is an error; the answer is one in any case. */
static void answer_check(struct nd_reply *a)
{
	size_t len = sizeof(a->h) + a->h.n_processes * sizeof(*a->processes) + a->strings.len;
	int error = a->strings.err;

	if (!error && len > ND_PROTO_MESSAGE_MAX)
		error = -EMSGSIZE;
	if (error) {
		answer_empty(a);
		a->refused = false;
		nd_reply_set_error(a, error);
	}
}

int nd_reply_send(struct nd_reply *a, bool more)
{
	union {
		struct cmsghdr align;
		char buf[CMSG_SPACE(sizeof(a->fds))];
	} control;
	struct iovec iov[] = {{&a->h, sizeof(a->h)}, {a->processes, 0}, {NULL, 0}};
	struct msghdr m = {.msg_iov = iov, .msg_iovlen = NCTL_ARRAY_SIZE(iov)};
	struct cmsghdr *c;
	ssize_t k;

	answer_check(a);
	a->h.more = more;
	iov[1].iov_len = a->h.n_processes * sizeof(*a->processes);
	iov[2] = (struct iovec){a->strings.s, a->strings.len};
	if (a->n_fds) {
		memset(&control, 0, sizeof(control));
		m.msg_control = &control;
		m.msg_controllen = CMSG_SPACE(a->n_fds * sizeof(int));
		c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(a->n_fds * sizeof(int));
		memcpy(CMSG_DATA(c), a->fds, a->n_fds * sizeof(int));
	}
	do
		k = sendmsg(a->channel, &m, MSG_NOSIGNAL);
	while (k < 0 && errno == EINTR);
	answer_empty(a);
	return k < 0 ? -errno : 0;
}
