/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the bare loop, the yardstick of the benchmarks: sends the messages that netctld sends for many links, in the
 * same phases, shapes and batches, and keeps no state at all. A second socket joins the groups that netctld joins
 * and is emptied after each batch; what it gives is thrown away. No code of lib/ is used, so that nothing that makes
 * netctld slow makes its yardstick slow.
 *
 *   bench-bare [-b BATCH] [-u LINK]... vlan N LOWER MASTER    VLANs foo.1 to foo.N, 2000::n/64 each (n read as
 *                                                             hexadecimal)
 *   bench-bare [-b BATCH] [-u LINK]... macvlan N LOWER        m1 to mN, 10.(n / 250).(n % 250).1/24 each
 *
 * -u: these links are there and are the first to be set up, in the phase of the others: what a lower link does to
 * many uppers when it goes up differs much from what they do one by one.
 *
 * Prints one JSON object: microseconds a phase, messages, sends, receives, events. Exit status 1 if the kernel
 * refused something.
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <libmnl/libmnl.h>

enum {
	BATCH_BYTES = 64 * 1024,
	MESSAGE_MAX = 256, /* bytes that one message may take */
	EVENTS_RCVBUF = 32 * 1024 * 1024,
	REQUEST_RCVBUF = 4 * 1024 * 1024,
	REQUEST_SNDBUF = 2 * 1024 * 1024,
	DATAGRAMS = 64,
	DATAGRAM_BYTES = 8 * 1024,
	FIRST_IFINDEX = 2000000, /* not in netctld's range */
	PROTOCOL = 78,           /* IFA_PROTO as netctld sets it */
};

struct job {
	const char *kind;
	unsigned n, lower, master;
	unsigned batch_max; /* messages */
	unsigned first_up[8];
	size_t n_first_up;
};

struct loop {
	int requests, events;
	char batch[BATCH_BYTES];
	size_t len;
	unsigned n;
	uint32_t seq;
	struct nlmsghdr *last;
	uint64_t messages, sends, receives, event_datagrams, refused;
	struct mmsghdr msgs[DATAGRAMS];
	struct iovec iovs[DATAGRAMS];
	char buffers[DATAGRAMS][DATAGRAM_BYTES];
};

static uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static void set_option(int fd, int level, int option, int value)
{
	if (setsockopt(fd, level, option, &value, sizeof(value)) < 0)
		err(1, "setsockopt %d", option);
}

static int open_socket(void)
{
	struct sockaddr_nl self = {.nl_family = AF_NETLINK};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

	if (fd < 0 || bind(fd, (struct sockaddr *)&self, sizeof(self)) < 0)
		err(1, "netlink socket");
	return fd;
}

static void loop_open(struct loop *l)
{
	l->requests = open_socket();
	set_option(l->requests, SOL_SOCKET, SO_SNDBUFFORCE, REQUEST_SNDBUF);
	set_option(l->requests, SOL_SOCKET, SO_RCVBUFFORCE, REQUEST_RCVBUF);
	set_option(l->requests, SOL_NETLINK, NETLINK_EXT_ACK, 1);
	set_option(l->requests, SOL_NETLINK, NETLINK_CAP_ACK, 1);
	l->events = open_socket();
	set_option(l->events, SOL_SOCKET, SO_RCVBUFFORCE, EVENTS_RCVBUF);
	set_option(l->events, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, RTNLGRP_LINK);
	set_option(l->events, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, RTNLGRP_IPV4_IFADDR);
	set_option(l->events, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, RTNLGRP_IPV6_IFADDR);
	for (size_t i = 0; i < DATAGRAMS; i++) {
		l->iovs[i] = (struct iovec){.iov_base = l->buffers[i], .iov_len = DATAGRAM_BYTES};
		l->msgs[i].msg_hdr = (struct msghdr){.msg_iov = &l->iovs[i], .msg_iovlen = 1};
	}
}

static void drain_events(struct loop *l)
{
	int k;

	do {
		k = recvmmsg(l->events, l->msgs, DATAGRAMS, MSG_DONTWAIT, NULL);
		l->receives++;
		if (k < 0 && errno != EAGAIN)
			err(1, "events");
		l->event_datagrams += k > 0 ? (uint64_t)k : 0;
	} while (k == DATAGRAMS);
}

/* Reads answers up to that of the last message of the batch. */
static void collect(struct loop *l)
{
	char buf[DATAGRAM_BYTES];
	bool last = false;

	while (!last) {
		ssize_t k = recv(l->requests, buf, sizeof(buf), 0);
		int len = (int)k;

		if (k < 0)
			err(1, "answer");
		l->receives++;
		for (const struct nlmsghdr *h = (const void *)buf; mnl_nlmsg_ok(h, len);
			h = mnl_nlmsg_next(h, &len)) {
			const struct nlmsgerr *e = mnl_nlmsg_get_payload(h);

			if (h->nlmsg_type != NLMSG_ERROR)
				continue;
			if (e->error && l->refused++ == 0)
				warnx("message %" PRIu32 ": %s", h->nlmsg_seq, strerror(-e->error));
			last |= h->nlmsg_seq == l->seq;
		}
	}
}

static void flush(struct loop *l)
{
	struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};

	if (!l->n)
		return;
	l->last->nlmsg_flags |= NLM_F_ACK;
	if (sendto(l->requests, l->batch, l->len, 0, (struct sockaddr *)&kernel, sizeof(kernel)) < 0)
		err(1, "send");
	l->sends++;
	l->messages += l->n;
	collect(l);
	drain_events(l);
	l->len = l->n = 0;
}

static struct nlmsghdr *begin(struct loop *l, uint16_t type, uint16_t flags, const void *header, size_t size)
{
	struct nlmsghdr *h = mnl_nlmsg_put_header(l->batch + l->len);

	h->nlmsg_type = type;
	h->nlmsg_flags = NLM_F_REQUEST | flags;
	h->nlmsg_seq = ++l->seq;
	memcpy(mnl_nlmsg_put_extra_header(h, size), header, size);
	return h;
}

static void end(struct loop *l, const struct job *job, struct nlmsghdr *h)
{
	l->last = h;
	l->len += NLMSG_ALIGN(h->nlmsg_len);
	if (++l->n == job->batch_max || l->len + MESSAGE_MAX > BATCH_BYTES)
		flush(l);
}

static bool is_vlan(const struct job *job)
{
	return strcmp(job->kind, "vlan") == 0;
}

static void put_new(struct loop *l, const struct job *job, unsigned i)
{
	struct ifinfomsg ifi = {.ifi_index = (int)(FIRST_IFINDEX + i)};
	struct nlmsghdr *h = begin(l, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, &ifi, sizeof(ifi));
	struct nlattr *info, *data;
	char name[IF_NAMESIZE];

	snprintf(name, sizeof(name), "%s%u", is_vlan(job) ? "foo." : "m", i);
	mnl_attr_put_strz(h, IFLA_IFNAME, name);
	mnl_attr_put_u32(h, IFLA_LINK, job->lower);
	if (job->master)
		mnl_attr_put_u32(h, IFLA_MASTER, job->master);
	info = mnl_attr_nest_start(h, IFLA_LINKINFO);
	mnl_attr_put_strz(h, IFLA_INFO_KIND, job->kind);
	data = mnl_attr_nest_start(h, IFLA_INFO_DATA);
	if (is_vlan(job))
		mnl_attr_put_u16(h, IFLA_VLAN_ID, (uint16_t)i);
	else
		mnl_attr_put_u32(h, IFLA_MACVLAN_MODE, MACVLAN_MODE_BRIDGE);
	mnl_attr_nest_end(h, data);
	mnl_attr_nest_end(h, info);
	end(l, job, h);
}

static void put_up_index(struct loop *l, const struct job *job, unsigned ifindex)
{
	struct ifinfomsg ifi = {.ifi_index = (int)ifindex, .ifi_flags = IFF_UP, .ifi_change = IFF_UP};

	end(l, job, begin(l, RTM_NEWLINK, 0, &ifi, sizeof(ifi)));
}

static void put_up(struct loop *l, const struct job *job, unsigned i)
{
	for (size_t k = 0; i == 1 && k < job->n_first_up; k++)
		put_up_index(l, job, job->first_up[k]);
	put_up_index(l, job, FIRST_IFINDEX + i);
}

static void put_addr(struct loop *l, const struct job *job, unsigned i)
{
	bool v6 = is_vlan(job);
	struct ifaddrmsg ifa = {
		.ifa_family = v6 ? AF_INET6 : AF_INET,
		.ifa_prefixlen = v6 ? 64 : 24,
		.ifa_index = FIRST_IFINDEX + i,
	};
	struct nlmsghdr *h = begin(l, RTM_NEWADDR, NLM_F_CREATE | NLM_F_REPLACE, &ifa, sizeof(ifa));
	size_t size = v6 ? 16 : 4;
	uint8_t addr[16];
	char text[64];

	if (v6)
		snprintf(text, sizeof(text), "2000::%u", i);
	else
		snprintf(text, sizeof(text), "10.%u.%u.1", i / 250, i % 250);
	if (inet_pton(ifa.ifa_family, text, addr) != 1)
		errx(1, "%s is no address", text);
	mnl_attr_put(h, IFA_LOCAL, size, addr);
	mnl_attr_put(h, IFA_ADDRESS, size, addr);
	mnl_attr_put_u8(h, IFA_PROTO, PROTOCOL);
	end(l, job, h);
}

static uint64_t phase(
	struct loop *l, const struct job *job, void (*put)(struct loop *l, const struct job *job, unsigned i))
{
	uint64_t start = now_us();

	for (unsigned i = 1; i <= job->n; i++)
		put(l, job, i);
	flush(l);
	return now_us() - start;
}

static unsigned find_link(const char *name)
{
	unsigned i = if_nametoindex(name);

	if (!i)
		err(1, "%s", name);
	return i;
}

int main(int argc, char **argv)
{
	static struct loop l;
	struct job job = {.batch_max = 256};
	uint64_t start, us_new, us_up, us_addr;
	int c;

	while ((c = getopt(argc, argv, "b:u:")) == 'b' || c == 'u') {
		if (c == 'b')
			job.batch_max = (unsigned)atoi(optarg);
		else if (job.n_first_up < sizeof(job.first_up) / sizeof(*job.first_up))
			job.first_up[job.n_first_up++] = find_link(optarg);
	}
	argv += optind;
	argc -= optind;
	if (c != -1 || argc < 3 || job.batch_max < 1 || argc != (strcmp(argv[0], "vlan") == 0 ? 4 : 3)) {
		fputs("usage: bench-bare [-b BATCH] [-u LINK]... vlan N LOWER MASTER | macvlan N LOWER\n",
			stderr);
		return 2;
	}
	job.kind = argv[0];
	job.n = (unsigned)atoi(argv[1]);
	job.lower = find_link(argv[2]);
	job.master = argv[3] ? find_link(argv[3]) : 0;

	start = now_us();
	loop_open(&l);
	us_new = phase(&l, &job, put_new);
	us_up = phase(&l, &job, put_up);
	us_addr = phase(&l, &job, put_addr);
	printf("{\"us\":%" PRIu64 ",\"new_us\":%" PRIu64 ",\"up_us\":%" PRIu64 ",\"addr_us\":%" PRIu64
	       ",\"messages\":%" PRIu64 ",\"sends\":%" PRIu64 ",\"receives\":%" PRIu64 ",\"events\":%" PRIu64
	       ",\"refused\":%" PRIu64 "}\n",
		now_us() - start, us_new, us_up, us_addr, l.messages, l.sends, l.receives, l.event_datagrams,
		l.refused);
	return l.refused ? 1 : 0;
}
