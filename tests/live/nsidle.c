/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the end of what the kernel does behind one's back when namespaces go. One work item of the kernel
 * takes down in one batch all namespaces that were given up since it began the last one; at the start of a
 * batch it tells who knows an nsid of one of them (RTM_DELNSID), at the end nobody. So a marker namespace is
 * made, given an nsid, and given up: its message means that all batches before its own are over. What shares
 * a batch with the first marker is over when the message of a second one comes, which was given up after the
 * first one's message.
 */
#include "nsidle.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/net_namespace.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <libmnl/libmnl.h>

#include "base/cleanup.h"

enum {
	MARKERS = 2,
	FIRST_NSID = 1 << 30,            /* nobody gets one so high unless he asks for it */
	RCVBUF_BYTES = 64 * 1024 * 1024, /* others go by the thousand, and no message may be lost */
};

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static int open_own(void)
{
	int fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* A descriptor of a new namespace, or -errno; we stay in home. */
static int new_namespace(int home)
{
	int fd, r;

	if (unshare(CLONE_NEWNET) < 0)
		return -errno;
	fd = open_own();
	r = setns(home, CLONE_NEWNET) < 0 ? -errno : 0;
	if (r < 0 && fd >= 0)
		close(fd);
	return r < 0 ? r : fd;
}

/* Asks for this nsid for the namespace fd. */
static int send_new_nsid(int nl, int fd, uint32_t nsid)
{
	char buf[128] = {0};
	struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
	struct nlmsghdr *h = mnl_nlmsg_put_header(buf);

	h->nlmsg_type = RTM_NEWNSID;
	h->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	mnl_nlmsg_put_extra_header(h, sizeof(struct rtgenmsg));
	mnl_attr_put_u32(h, NETNSA_FD, (uint32_t)fd);
	mnl_attr_put_u32(h, NETNSA_NSID, nsid);
	return sendto(nl, h, h->nlmsg_len, 0, (struct sockaddr *)&kernel, sizeof(kernel)) < 0 ? -errno : 0;
}

/* > 0: this is the message waited for: the answer, if type is NLMSG_ERROR, or else type for this nsid. */
static int match(const struct nlmsghdr *h, uint16_t type, uint32_t nsid)
{
	const struct nlattr *a;
	bool ours = false;

	if (h->nlmsg_type != type)
		return 0;
	if (type == NLMSG_ERROR) {
		int error = ((const struct nlmsgerr *)mnl_nlmsg_get_payload(h))->error;

		return error < 0 ? error : 1;
	}
	mnl_attr_for_each(a, h, sizeof(struct rtgenmsg))
	{
		ours |= mnl_attr_get_type(a) == NETNSA_NSID && mnl_attr_get_u32(a) == nsid;
	}
	return ours;
}

static int wait_message(int nl, uint16_t type, uint32_t nsid, uint64_t deadline)
{
	char buf[8192];
	int r = 0;

	while (r == 0) {
		struct pollfd p = {.fd = nl, .events = POLLIN};
		uint64_t now = now_ms();
		ssize_t n;
		int len;

		if (now >= deadline || poll(&p, 1, (int)(deadline - now)) == 0)
			return -ETIMEDOUT;
		n = recv(nl, buf, sizeof(buf), MSG_DONTWAIT);
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return -errno;
		len = (int)n;
		for (const struct nlmsghdr *h = (const void *)buf; r == 0 && mnl_nlmsg_ok(h, len);
			h = mnl_nlmsg_next(h, &len))
			r = match(h, type, nsid);
	}
	return r < 0 ? r : 0;
}

static int open_listener(void)
{
	struct sockaddr_nl self = {.nl_family = AF_NETLINK};
	const int group = RTNLGRP_NSID, bytes = RCVBUF_BYTES;
	_cleanup_(nctl_closep) int nl = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

	if (nl < 0 || bind(nl, (struct sockaddr *)&self, sizeof(self)) < 0 ||
		setsockopt(nl, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)) < 0 ||
		setsockopt(nl, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, sizeof(group)) < 0)
		return -errno;
	return take_fd(nl);
}

static int wait_marker(int nl, int home, uint32_t nsid, uint64_t deadline)
{
	int fd = new_namespace(home);
	int r = fd < 0 ? fd : send_new_nsid(nl, fd, nsid);

	if (r == 0)
		r = wait_message(nl, NLMSG_ERROR, 0, deadline);
	if (fd >= 0)
		close(fd); /* the last that holds it */
	return r < 0 ? r : wait_message(nl, RTM_DELNSID, nsid, deadline);
}

int nsidle_wait(unsigned ms)
{
	uint64_t deadline = now_ms() + ms;
	uint32_t nsid = FIRST_NSID + (uint32_t)getpid() * MARKERS;
	_cleanup_(nctl_closep) int home = open_own(), nl = open_listener();
	int r = home < 0 ? home : nl < 0 ? nl : 0;

	for (uint32_t i = 0; i < MARKERS && r == 0; i++)
		r = wait_marker(nl, home, nsid + i, deadline);
	return r;
}
