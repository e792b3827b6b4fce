/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * DOC: the real transport, an AF_NETLINK socket (netlink(7), rtnetlink(7)), and the
 * kernel of the calling thread's namespace. Owns the socket and the arrays for recvmmsg(2). Only datagrams of
 * the kernel itself (nl_pid 0) are handed up: any local process may send to a netlink port.
 */

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>

#include "base/cleanup.h"
#include "nl/filter.h"
#include "nl/transport.h"

enum {
	/*
	 * Receive buffers, in bytes. Events: holds about 80,000 route events, or those of some thousand new
	 * links, that arrive while nobody reads. Requests: the answers to a batch in which every message is
	 * refused.
	 */
	EVENTS_RCVBUF = 32 * 1024 * 1024,
	REQUEST_RCVBUF = 4 * 1024 * 1024,
	/* The longest batch: sendmsg(2) refuses more with EMSGSIZE. */
	REQUEST_SNDBUF = 2 * 1024 * 1024,
	VECTOR_MAX = 64, /* datagrams a system call */
};

union control {
	struct cmsghdr align;
	char buf[CMSG_SPACE(sizeof(int))]; /* the nsid; NETLINK_PKTINFO is off */
};

struct socket_transport {
	struct nctl_transport base;
	int fd;
	struct mmsghdr msgs[VECTOR_MAX];
	struct iovec iovs[VECTOR_MAX];
	struct sockaddr_nl from[VECTOR_MAX];
	union control control[VECTOR_MAX];
};

static struct socket_transport *socket_of(struct nctl_transport *t)
{
	return nctl_container_of(t, struct socket_transport, base);
}

static int socket_get_fd(struct nctl_transport *t)
{
	return socket_of(t)->fd;
}

static int socket_send(struct nctl_transport *t, const void *buf, size_t len)
{
	struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
	ssize_t k;

	do
		k = sendto(socket_of(t)->fd, buf, len, 0, (struct sockaddr *)&kernel, sizeof(kernel));
	while (k < 0 && errno == EINTR);
	if (k < 0)
		return -errno;
	return (size_t)k == len ? 0 : -EIO;
}

static void socket_prepare(struct socket_transport *s, const struct nctl_dgram *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		s->iovs[i] = (struct iovec){.iov_base = v[i].buf, .iov_len = v[i].cap};
		s->msgs[i].msg_hdr = (struct msghdr){
			.msg_name = &s->from[i],
			.msg_namelen = sizeof(s->from[i]),
			.msg_iov = &s->iovs[i],
			.msg_iovlen = 1,
			.msg_control = &s->control[i],
			.msg_controllen = sizeof(s->control[i]),
		};
	}
}

static void socket_read_nsid(struct msghdr *h, struct nctl_dgram *d)
{
	d->has_nsid = false;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(h); c; c = CMSG_NXTHDR(h, c)) {
		if (c->cmsg_level != SOL_NETLINK || c->cmsg_type != NETLINK_LISTEN_ALL_NSID ||
			c->cmsg_len < CMSG_LEN(sizeof(int)))
			continue;
		memcpy(&d->nsid, CMSG_DATA(c), sizeof(d->nsid));
		d->has_nsid = true;
	}
}

static bool socket_from_kernel(const struct msghdr *h)
{
	const struct sockaddr_nl *from = h->msg_name;

	return h->msg_namelen >= sizeof(*from) && from->nl_family == AF_NETLINK && from->nl_pid == 0;
}

/*
 * Fills v from what recvmmsg gave. A datagram that is not the kernel's is dropped by exchanging its buffer
 * with that of the next good one, so that the good ones are contiguous.
 */
static int socket_accept(struct socket_transport *s, struct nctl_dgram *v, int n)
{
	int good = 0;

	for (int i = 0; i < n; i++) {
		struct msghdr *h = &s->msgs[i].msg_hdr;
		struct nctl_dgram tmp = v[i];

		if (!socket_from_kernel(h))
			continue;
		v[i] = v[good];
		tmp.len = nctl_min((size_t)s->msgs[i].msg_len, tmp.cap);
		tmp.truncated = h->msg_flags & MSG_TRUNC;
		socket_read_nsid(h, &tmp);
		v[good++] = tmp;
	}
	return good;
}

static int socket_recv(struct nctl_transport *t, struct nctl_dgram *v, size_t n)
{
	struct socket_transport *s = socket_of(t);
	int k, good;

	n = nctl_min(n, (size_t)VECTOR_MAX);
	do {
		socket_prepare(s, v, n);
		k = recvmmsg(s->fd, s->msgs, (unsigned)n, MSG_DONTWAIT, NULL);
		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0)
			return errno == EAGAIN ? 0 : -errno;
		good = socket_accept(s, v, k);
	} while (k < 0 || (good == 0 && k > 0)); /* nothing but strangers' datagrams is not "none there" */
	return good;
}

/* Milliseconds until deadline, rounded up, for poll(2). */
static int socket_timeout(nctl_time deadline)
{
	int64_t us;

	if (nctl_time_cmp(deadline, NCTL_TIME_NEVER) == 0)
		return -1;
	us = nctl_time_diff_us(deadline, nctl_time_now());
	if (us <= 0)
		return 0;
	return (int)nctl_min((us + 999) / 1000, (int64_t)INT_MAX);
}

static int socket_wait(struct nctl_transport *t, nctl_time deadline)
{
	struct pollfd p = {.fd = socket_of(t)->fd, .events = POLLIN};
	int k;

	do
		k = poll(&p, 1, socket_timeout(deadline));
	while (k < 0 && errno == EINTR);
	if (k < 0)
		return -errno;
	return k > 0 ? 0 : -ETIMEDOUT;
}

static int socket_join(struct nctl_transport *t, unsigned group)
{
	if (setsockopt(socket_of(t)->fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, sizeof(group)) < 0)
		return -errno;
	return 0;
}

static void socket_destroy(struct nctl_transport *t)
{
	struct socket_transport *s = socket_of(t);

	nctl_closep(&s->fd);
	free(s);
}

static int socket_get_queue(struct nctl_transport *t, struct nctl_transport_queue *ret)
{
	uint32_t v[SK_MEMINFO_VARS] = {0};
	socklen_t len = sizeof(v);

	if (getsockopt(socket_of(t)->fd, SOL_SOCKET, SO_MEMINFO, v, &len) < 0)
		return -errno;
	*ret = (struct nctl_transport_queue){
		.bytes = v[SK_MEMINFO_RMEM_ALLOC],
		.max = v[SK_MEMINFO_RCVBUF],
		.drops = v[SK_MEMINFO_DROPS],
	};
	return 0;
}

/*
 * Sets a buffer size past the system's limit where we have the right to, else as far as the limit goes: a
 * smaller buffer overruns earlier, which every reader handles.
 */
static void socket_set_buffer(int fd, int force_option, int option, int bytes)
{
	if (setsockopt(fd, SOL_SOCKET, force_option, &bytes, sizeof(bytes)) < 0)
		(void)setsockopt(fd, SOL_SOCKET, option, &bytes, sizeof(bytes));
}

static int socket_set_receive_buffer(struct nctl_transport *t, size_t bytes)
{
	if (bytes > INT_MAX / 2)
		return -EINVAL;
	socket_set_buffer(socket_of(t)->fd, SO_RCVBUFFORCE, SO_RCVBUF, (int)bytes);
	return 0;
}

static int socket_set_filter(struct nctl_transport *t, const struct nctl_event_filter *f)
{
	struct nctl_filter_program p;
	struct sock_fprog prog = {.filter = p.v};

	nctl_filter_compile(f, &p);
	prog.len = (unsigned short)p.n;
	return setsockopt(socket_of(t)->fd, SOL_SOCKET, SO_ATTACH_FILTER, &prog, sizeof(prog)) < 0 ? -errno
												    : 0;
}

static const struct nctl_transport_ops socket_ops = {
	.get_fd = socket_get_fd,
	.send = socket_send,
	.recv = socket_recv,
	.wait = socket_wait,
	.join = socket_join,
	.destroy = socket_destroy,
	.get_queue = socket_get_queue,
	.set_buffer = socket_set_receive_buffer,
	.set_filter = socket_set_filter,
};

static int socket_set_request_options(int fd)
{
	static const int options[] = {NETLINK_EXT_ACK, NETLINK_CAP_ACK, NETLINK_GET_STRICT_CHK};
	int on = 1;

	for (size_t i = 0; i < NCTL_ARRAY_SIZE(options); i++)
		if (setsockopt(fd, SOL_NETLINK, options[i], &on, sizeof(on)) < 0)
			return -errno;
	return 0;
}

/* CAP_NET_BROADCAST is asked for, in the namespace's user namespace (net/netlink/af_netlink.c). */
static int socket_hear_all(int fd)
{
	int on = 1;

	if (setsockopt(fd, SOL_NETLINK, NETLINK_LISTEN_ALL_NSID, &on, sizeof(on)) < 0)
		return errno == EPERM ? -EOPNOTSUPP : -errno;
	return 0;
}

int nctl_transport_protocol(enum nctl_transport_role role)
{
	return role == NCTL_TRANSPORT_GENERIC ? NETLINK_GENERIC : NETLINK_ROUTE;
}

int nctl_socket_set_up(int fd, enum nctl_transport_role role)
{
	struct sockaddr_nl self = {.nl_family = AF_NETLINK};
	int r = 0;

	switch (role) {
	case NCTL_TRANSPORT_EVENTS_ALL:
		r = socket_hear_all(fd);
		socket_set_buffer(fd, SO_RCVBUFFORCE, SO_RCVBUF, EVENTS_RCVBUF);
		break;
	case NCTL_TRANSPORT_EVENTS:
		socket_set_buffer(fd, SO_RCVBUFFORCE, SO_RCVBUF, EVENTS_RCVBUF);
		break;
	case NCTL_TRANSPORT_REQUEST:
	case NCTL_TRANSPORT_GENERIC:
		socket_set_buffer(fd, SO_RCVBUFFORCE, SO_RCVBUF, REQUEST_RCVBUF);
		socket_set_buffer(fd, SO_SNDBUFFORCE, SO_SNDBUF, REQUEST_SNDBUF);
		r = socket_set_request_options(fd);
		break;
	}
	if (r < 0)
		return r;
	/* Before any group is joined, so that nothing is queued for a socket without an address. */
	if (bind(fd, (struct sockaddr *)&self, sizeof(self)) < 0)
		return -errno;
	return 0;
}

int nctl_transport_from_fd(int fd, struct nctl_transport **ret)
{
	struct socket_transport *s = calloc(1, sizeof(*s));

	if (!s) {
		close(fd);
		return -ENOMEM;
	}
	s->base.ops = &socket_ops;
	s->fd = fd;
	*ret = &s->base;
	return 0;
}

static int socket_open(struct nctl_kernel *k, enum nctl_transport_role role, struct nctl_transport **ret)
{
	_cleanup_(nctl_closep) int fd = -1;
	int r;

	(void)k;
	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, nctl_transport_protocol(role));
	if (fd < 0)
		return -errno;
	r = nctl_socket_set_up(fd, role);
	return r < 0 ? r : nctl_transport_from_fd(take_fd(fd), ret);
}

static int socket_get_cookie(struct nctl_kernel *k, uint64_t *ret)
{
	_cleanup_(nctl_closep) int fd = -1;
	uint64_t cookie;
	socklen_t len = sizeof(cookie);

	(void)k;
	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	if (fd < 0 || getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &len) < 0)
		return -errno;
	*ret = cookie;
	return 0;
}

struct nctl_kernel *nctl_kernel_here(void)
{
	static struct nctl_kernel here = {.open = socket_open, .get_cookie = socket_get_cookie};

	return &here;
}
