/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: nskillat PID WHAT COUNT: kills PID with SIGKILL as soon as the kernel has told COUNT times of WHAT
 * since this program listens; the moment is progress of a job, not a time, so that it is met on slow and on
 * fast machines.
 *
 *   names        names that came to /run/netns        nonames      that went
 *   links        links that came, in any namespace    nolinks      that went
 *   up           links that came up                   addresses    addresses that came (IPv4)
 *
 * Says "listening" when it is; exits with 0 after the kill. A link or address counts once for each namespace
 * and index. Namespaces without an nsid (seen from here) are not heard of.
 */
#include <err.h>
#include <linux/if.h>
#include <linux/rtnetlink.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <libmnl/libmnl.h>

enum { RCVBUF_BYTES = 64 * 1024 * 1024, SEEN_MAX = 1 << 20 };

struct watch {
	pid_t pid;
	const char *what;
	unsigned long left;
	unsigned char *seen; /* a bit for each hash of (nsid, ifindex) */
};

static void count(struct watch *w)
{
	if (--w->left == 0)
		exit(kill(w->pid, SIGKILL) < 0 ? EXIT_FAILURE : EXIT_SUCCESS);
}

/* The same link or address again: a hash is enough for a moment to be random. */
static void count_once(struct watch *w, int nsid, uint32_t ifindex)
{
	uint32_t hash = ((uint32_t)nsid * 2654435761u ^ ifindex * 40503u) % (SEEN_MAX * 8u);

	if (w->seen[hash / 8] & 1u << hash % 8)
		return;
	w->seen[hash / 8] |= (unsigned char)(1u << hash % 8);
	count(w);
}

static void on_message(struct watch *w, const struct nlmsghdr *h, int nsid)
{
	const struct ifinfomsg *ifi = mnl_nlmsg_get_payload(h);

	if (h->nlmsg_type == RTM_NEWLINK &&
		(!strcmp(w->what, "links") || (!strcmp(w->what, "up") && ifi->ifi_flags & IFF_UP)))
		count_once(w, nsid, (uint32_t)ifi->ifi_index);
	else if (h->nlmsg_type == RTM_DELLINK && !strcmp(w->what, "nolinks"))
		count_once(w, nsid, (uint32_t)ifi->ifi_index);
	else if (h->nlmsg_type == RTM_NEWADDR && !strcmp(w->what, "addresses"))
		count_once(w, nsid, ((const struct ifaddrmsg *)mnl_nlmsg_get_payload(h))->ifa_index);
}

static int open_netlink(void)
{
	static const int groups[] = {RTNLGRP_LINK, RTNLGRP_IPV4_IFADDR};
	const int on = 1, bytes = RCVBUF_BYTES;
	struct sockaddr_nl self = {.nl_family = AF_NETLINK};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

	if (fd < 0 || bind(fd, (struct sockaddr *)&self, sizeof(self)) < 0 ||
		setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)) < 0 ||
		setsockopt(fd, SOL_NETLINK, NETLINK_LISTEN_ALL_NSID, &on, sizeof(on)) < 0)
		err(1, "netlink socket");
	for (size_t i = 0; i < sizeof(groups) / sizeof(*groups); i++)
		if (setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &groups[i], sizeof(groups[i])) < 0)
			err(1, "group");
	return fd;
}

static void read_netlink(struct watch *w, int fd)
{
	char buf[32768], control[256];
	struct iovec iov = {.iov_base = buf, .iov_len = sizeof(buf)};
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)};
	ssize_t n = recvmsg(fd, &msg, 0);
	int len = (int)n, nsid = -1;

	if (n < 0)
		err(1, "events");
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&msg); c; c = CMSG_NXTHDR(&msg, c))
		if (c->cmsg_level == SOL_NETLINK && c->cmsg_type == NETLINK_LISTEN_ALL_NSID)
			memcpy(&nsid, CMSG_DATA(c), sizeof(nsid));
	for (const struct nlmsghdr *h = (const void *)buf; mnl_nlmsg_ok(h, len); h = mnl_nlmsg_next(h, &len))
		on_message(w, h, nsid);
}

static void read_inotify(struct watch *w, int fd)
{
	_Alignas(struct inotify_event) char buf[16384];
	ssize_t n = read(fd, buf, sizeof(buf));

	if (n < 0)
		err(1, "inotify");
	for (char *p = buf; p < buf + n; p += sizeof(struct inotify_event) + ((struct inotify_event *)p)->len)
		count(w);
}

int main(int argc, char **argv)
{
	const struct sched_param prio = {.sched_priority = 1};
	struct watch w = {0};
	bool names;
	int fd;

	if (argc != 4)
		errx(2, "usage: nskillat PID WHAT COUNT");
	w.pid = (pid_t)atoi(argv[1]);
	w.what = argv[2];
	w.left = strtoul(argv[3], NULL, 10);
	w.seen = calloc(SEEN_MAX, 1);
	names = !strcmp(w.what, "names") || !strcmp(w.what, "nonames");
	if (w.pid <= 1 || !w.left || !w.seen)
		return 2;
	if (names) {
		(void)mkdir("/run/netns", 0755);
		fd = inotify_init1(IN_CLOEXEC);
		if (fd < 0 || inotify_add_watch(fd, "/run/netns",
				      w.what[1] == 'a' ? IN_CREATE | IN_MOVED_TO : IN_DELETE) < 0)
			err(1, "/run/netns");
	} else {
		fd = open_netlink();
	}
	sched_setscheduler(0, SCHED_FIFO, &prio);
	puts("listening");
	fflush(stdout);
	for (;;)
		names ? read_inotify(&w, fd) : read_netlink(&w, fd);
}
