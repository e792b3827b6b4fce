/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: A helper and its keeper for the tests of the client, served by the loop of the test itself, so that
 * all that happens has one order.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <linux/netlink.h>

#include "base/cleanup.h"
#include "peer.h"

void peer_send(int fd, const void *buf, size_t len, const int *fds, size_t n_fds)
{
	union {
		struct cmsghdr align;
		char buf[CMSG_SPACE(253 * sizeof(int))];
	} control;
	struct iovec iov = {.iov_base = (void *)(uintptr_t)buf, .iov_len = len};
	struct msghdr h = {.msg_iov = &iov, .msg_iovlen = 1};

	if (n_fds) {
		memset(&control, 0, sizeof(control));
		h.msg_control = control.buf;
		h.msg_controllen = CMSG_SPACE(n_fds * sizeof(int));
		control.align.cmsg_level = SOL_SOCKET;
		control.align.cmsg_type = SCM_RIGHTS;
		control.align.cmsg_len = CMSG_LEN(n_fds * sizeof(int));
		memcpy(CMSG_DATA(&control.align), fds, n_fds * sizeof(int));
	}
	/* A test may have ended the other side. */
	if (sendmsg(fd, &h, MSG_NOSIGNAL) < 0)
		assert_true(errno == EPIPE || errno == ECONNRESET);
}

uint64_t peer_cookie(void)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	socklen_t len = sizeof(uint64_t);
	uint64_t cookie = 0;

	assert_int_equal(getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &len), 0);
	close(fd);
	return cookie;
}

static void send_answer(struct peer *p, const struct peer_request *q, struct nd_proto_answer *a,
	const char *rest, size_t len, const int *fds, size_t n_fds)
{
	static char buf[ND_PROTO_MESSAGE_MAX];

	a->magic = ND_PROTO_MAGIC;
	a->type = q->h.type;
	a->id = q->h.id;
	assert_true(sizeof(*a) + len <= sizeof(buf));
	memcpy(buf, a, sizeof(*a));
	if (len)
		memcpy(buf + sizeof(*a), rest, len);
	peer_send(p->channels[q->channel].fd, buf, sizeof(*a) + len, fds, n_fds);
}

void peer_answer_error(struct peer *p, const struct peer_request *q, int error, const char *text)
{
	struct nd_proto_answer a = {.error = error, .nsid = -1, .n_strings = text ? 1 : 0};

	send_answer(p, q, &a, text, text ? strlen(text) + 1 : 0, NULL, 0);
}

/* PEER_FILES of them, each /conf/N with a pipe's end as its descriptor, as many as fit in a message. */
static void answer_files(struct peer *p, const struct peer_request *q)
{
	int pipe_fds[2], fds[ND_PROTO_FDS_MAX];
	unsigned done = 0;

	assert_int_equal(pipe2(pipe_fds, O_CLOEXEC), 0);
	while (done < PEER_FILES) {
		unsigned n = nctl_min(PEER_FILES - done, (unsigned)ND_PROTO_FDS_MAX);
		struct nd_proto_answer a = {.n_strings = n, .more = done + n < PEER_FILES};
		char text[ND_PROTO_FDS_MAX * 32];
		size_t len = 0;

		for (unsigned i = 0; i < n; i++) {
			len += (size_t)sprintf(text + len, "/conf/%u", done + i) + 1;
			fds[i] = pipe_fds[0];
		}
		send_answer(p, q, &a, text, len, fds, n);
		done += n;
	}
	close(pipe_fds[0]);
	close(pipe_fds[1]);
}

static void answer_scan(struct peer *p, const struct peer_request *q)
{
	struct nd_proto_process v[1000];

	for (int done = 0; done < PEER_PROCESSES; done += 1000) {
		struct nd_proto_answer a = {.n_processes = 1000, .more = done + 1000 < PEER_PROCESSES};

		for (int i = 0; i < 1000; i++)
			v[i] = (struct nd_proto_process){
				.dev = 4, .ino = (uint64_t)(done + i), .pid = done + i + 1};
		send_answer(p, q, &a, (const char *)v, sizeof(v), NULL, 0);
	}
}

/* The values are the names in brackets, every third one is missing. */
static void answer_read(struct peer *p, const struct peer_request *q)
{
	struct nd_proto_answer a = {.n_strings = q->h.n_strings - 1};
	static char text[ND_PROTO_MESSAGE_MAX / 2];
	size_t len = 0;

	for (unsigned i = 0; i < a.n_strings; i++) {
		if (i % 3 == 2) {
			a.missing[i / 64] |= (uint64_t)1 << i % 64;
			text[len++] = '\0';
		} else {
			len += (size_t)sprintf(text + len, "[%s]", q->strings[i + 1]) + 1;
		}
	}
	send_answer(p, q, &a, text, len, NULL, 0);
}

static void answer_socket(struct peer *p, const struct peer_request *q)
{
	struct nd_proto_answer a = {.cookie = q->h.cookie[0]};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

	assert_true(fd >= 0);
	send_answer(p, q, &a, NULL, 0, &fd, 1);
	close(fd);
}

/* Of a kernel that has no IPv6. */
static void answer_maddr(struct peer *p, const struct peer_request *q)
{
	struct nd_proto_answer a = {.nsid = -1, .cookie = q->h.cookie[0], .n_strings = 2};
	int fds[2] = {open("/dev/null", O_RDONLY | O_CLOEXEC), open("/dev/zero", O_RDONLY | O_CLOEXEC)};

	assert_true(fds[0] >= 0 && fds[1] >= 0);
	send_answer(p, q, &a, "dev_mcast\0igmp", sizeof("dev_mcast\0igmp"), fds, 2);
	close(fds[0]);
	close(fds[1]);
}

void peer_answer(struct peer *p, const struct peer_request *q)
{
	struct nd_proto_answer a = {.nsid = -1};

	switch ((enum nd_proto_type)q->h.type) {
	case ND_PROTO_CREATE:
		a.cookie = 1000 + strlen(q->strings[0]);
		break;
	case ND_PROTO_JOIN:
		a.cookie = 2000 + (uint64_t)q->h.pid[0];
		a.nsid = 5;
		break;
	case ND_PROTO_NSID_IN:
		a.nsid = q->h.pid[0] + q->h.pid[1];
		break;
	case ND_PROTO_SYSCTL_READ:
		answer_read(p, q);
		return;
	case ND_PROTO_SYSCTL_WRITE:
		a.n_strings = 1;
		send_answer(p, q, &a, q->strings[2], strlen(q->strings[2]) + 1, NULL, 0);
		return;
	case ND_PROTO_OPEN_FILES:
		answer_files(p, q);
		return;
	case ND_PROTO_SCAN:
		answer_scan(p, q);
		return;
	case ND_PROTO_OPEN_SOCKET:
		answer_socket(p, q);
		return;
	case ND_PROTO_OPEN_MADDR:
		answer_maddr(p, q);
		return;
	case ND_PROTO_READ_KEY:
		a.n_strings = 1;
		send_answer(p, q, &a, "key", 4, NULL, 0);
		return;
	case ND_PROTO_DELETE:
	case ND_PROTO_LINK_MOVE:
	case ND_PROTO_POOL:
	case ND_PROTO_PREPARE:
	case ND_PROTO_TYPES:
		break;
	}
	send_answer(p, q, &a, NULL, 0, NULL, 0);
}

static bool belongs(enum nd_proto_channel channel, enum nd_proto_type type)
{
	static const enum nd_proto_channel channels[ND_PROTO_TYPES] = {
		[ND_PROTO_JOIN] = ND_PROTO_LOOK,
		[ND_PROTO_NSID_IN] = ND_PROTO_LOOK,
		[ND_PROTO_SYSCTL_READ] = ND_PROTO_LOOK,
		[ND_PROTO_OPEN_FILES] = ND_PROTO_LOOK,
		[ND_PROTO_SCAN] = ND_PROTO_LOOK,
		[ND_PROTO_OPEN_SOCKET] = ND_PROTO_SOCKET,
		[ND_PROTO_OPEN_MADDR] = ND_PROTO_LOOK,
		[ND_PROTO_READ_KEY] = ND_PROTO_LOOK,
	};

	if (channel == ND_PROTO_MAKE_TOO)
		return type == ND_PROTO_CREATE || type == ND_PROTO_DELETE;
	return type < ND_PROTO_TYPES && channels[type] == channel;
}

static void on_request(struct nd_io *io, unsigned events)
{
	struct peer *p = io->userdata;
	static char buf[ND_PROTO_MESSAGE_MAX];
	struct peer_request q = {0};
	ssize_t len;
	char *s = buf + sizeof(q.h);

	(void)events;
	while (&p->channels[q.channel].io != io)
		q.channel++;
	len = recv(p->channels[q.channel].fd, buf, sizeof(buf), MSG_DONTWAIT);
	if (len <= 0) {
		nd_io_stop(io);
		return;
	}
	assert_true((size_t)len >= sizeof(q.h));
	memcpy(&q.h, buf, sizeof(q.h));
	assert_int_equal(q.h.magic, ND_PROTO_MAGIC);
	assert_true(belongs(q.channel, q.h.type));
	assert_true(q.h.n_strings <= ND_PROTO_STRINGS_MAX);
	for (unsigned i = 0; i < q.h.n_strings; i++) {
		assert_true(s < buf + len);
		q.strings[i] = s;
		s += strlen(s) + 1;
	}
	assert_ptr_equal(s, buf + len);
	p->n_requests++;
	if (p->script)
		p->script(p, &q, p->userdata);
	else
		peer_answer(p, &q);
}

void peer_init(struct peer *p, struct nd_loop *loop, int *ret_control)
{
	int fds[2];

	*p = (struct peer){.loop = loop};
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds), 0);
	p->control = fds[0];
	*ret_control = fds[1];
	for (size_t i = 0; i < ND_PROTO_CHANNELS; i++)
		p->channels[i].fd = -1;
}

void peer_kill(struct peer *p)
{
	for (size_t i = 0; i < ND_PROTO_CHANNELS; i++) {
		if (p->channels[i].fd < 0)
			continue;
		nd_io_stop(&p->channels[i].io);
		close(take_fd(p->channels[i].fd));
	}
}

void peer_fini(struct peer *p)
{
	peer_kill(p);
	nctl_closep(&p->control);
	p->control = -1;
}

void peer_start(struct peer *p, int pid)
{
	struct nd_proto_hello hello = {.magic = ND_PROTO_MAGIC, .pid = pid};
	int theirs[ND_PROTO_CHANNELS], fds[2];

	peer_kill(p);
	for (size_t i = 0; i < ND_PROTO_CHANNELS; i++) {
		assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds), 0);
		p->channels[i].fd = fds[0];
		theirs[i] = fds[1];
		nd_io_init(&p->channels[i].io, p->loop, fds[0], ND_READ, on_request, p);
		nd_io_start(&p->channels[i].io);
	}
	peer_send(p->control, &hello, sizeof(hello), theirs, ND_PROTO_CHANNELS);
	for (size_t i = 0; i < ND_PROTO_CHANNELS; i++)
		close(theirs[i]);
}
