/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: what the benchmark of the mirror wants of the kernel, from somebody who keeps nothing: routes and
 * links in batches, the bare dump that is the yardstick of a synchronisation, and links that are lost one by
 * one while the processor's time of another process is read. No code of lib/ is used.
 *
 *   bench-kernel routes LINK HOPS FILE    a prefix a line, by HOPS gateways behind LINK (10.255.0.0/16 and
 *                                         fd00:255::/64, which are there), some with metrics
 *   bench-kernel links N 4|46             ifb l0 to l(N-1), group 4242, up, with 10.(n / 250).(n % 250).1/24
 *                                         each, and with 46 a link-local address of IPv6
 *   bench-kernel lose N PID COUNT 4|46    one of the N links goes, another one comes, COUNT times: the time
 *                                         of the processor that PID takes for each one that goes
 *   bench-kernel dump                     links, addresses, routes
 *
 * Prints one JSON object. Exit status 1 if the kernel refused something.
 */
#include <arpa/inet.h>
#include <dirent.h>
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
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <libmnl/libmnl.h>

enum {
	BATCH = 256,
	MESSAGE_MAX = 256,
	BUFFER = 32 * 1024, /* a dump fills no more at once (net/netlink/af_netlink.c) */
	GROUP = 4242,
	FIRST_IFINDEX = 3000000, /* not in netctld's range */
	GATEWAYS = 0x0aff0002,   /* 10.255.0.2 */
	POLL_NS = 2000 * 1000,
	QUIET_POLLS = 15, /* unchanged for so long: it has done all that it had to do */
};

struct kernel {
	struct mnl_socket *nl;
	char buf[BATCH * MESSAGE_MAX];
	size_t len;
	unsigned n;
	uint32_t seq;
	struct nlmsghdr *last;
	bool v6;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Sends what is there; the answer to the last message ends the wait. */
static void flush(struct kernel *k)
{
	char answer[BUFFER];
	bool last = false;

	if (k->n == 0)
		return;
	k->last->nlmsg_flags |= NLM_F_ACK;
	if (mnl_socket_sendto(k->nl, k->buf, k->len) < 0)
		err(1, "send");
	while (!last) {
		ssize_t r = mnl_socket_recvfrom(k->nl, answer, sizeof(answer));
		int len = (int)r;

		if (r < 0)
			err(1, "receive");
		for (struct nlmsghdr *h = (void *)answer; mnl_nlmsg_ok(h, len); h = mnl_nlmsg_next(h, &len)) {
			const struct nlmsgerr *e = mnl_nlmsg_get_payload(h);

			if (h->nlmsg_type == NLMSG_ERROR && e->error)
				errx(1, "message %" PRIu32 " of %" PRIu32 ": %s", h->nlmsg_seq, k->seq,
					strerror(-e->error));
			last |= h->nlmsg_seq == k->seq;
		}
	}
	k->len = k->n = 0;
}

static struct nlmsghdr *begin(
	struct kernel *k, uint16_t type, uint16_t flags, const void *header, size_t size)
{
	struct nlmsghdr *h;

	if (k->n == BATCH)
		flush(k);
	h = mnl_nlmsg_put_header(k->buf + k->len);
	h->nlmsg_type = type;
	h->nlmsg_flags = NLM_F_REQUEST | flags;
	h->nlmsg_seq = ++k->seq;
	memcpy(mnl_nlmsg_put_extra_header(h, size), header, size);
	k->last = h;
	return h;
}

static void end(struct kernel *k, const struct nlmsghdr *h)
{
	k->len += NLMSG_ALIGN(h->nlmsg_len);
	k->n++;
}

static void put_metrics(struct nlmsghdr *h, unsigned i)
{
	struct nlattr *metrics;

	if (i % 16)
		return;
	metrics = mnl_attr_nest_start(h, RTA_METRICS);
	mnl_attr_put_u32(h, RTAX_MTU, 1400 + i % 64);
	if (i % 64 == 0)
		mnl_attr_put_u32(h, RTAX_ADVMSS, 1300);
	mnl_attr_nest_end(h, metrics);
}

/* Neighbours in the table mostly have different ways. */
static void put_gateway(struct nlmsghdr *h, bool v6, unsigned i, unsigned hops)
{
	unsigned hop = (unsigned)(i * UINT64_C(0x9e3779b97f4a7c15) >> 40) % hops;
	uint8_t via[16] = {0xfd, 0x00, 0x02, 0x55, [14] = (uint8_t)(hop >> 8), [15] = (uint8_t)(hop + 2)};

	if (v6)
		mnl_attr_put(h, RTA_GATEWAY, sizeof(via), via);
	else
		mnl_attr_put_u32(h, RTA_GATEWAY, htonl(GATEWAYS + hop));
}

static void put_route(
	struct kernel *k, const char *text, unsigned len, unsigned i, unsigned hops, unsigned oif)
{
	struct rtmsg rt = {
		.rtm_table = RT_TABLE_MAIN,
		.rtm_protocol = RTPROT_BGP,
		.rtm_type = RTN_UNICAST,
		.rtm_family = strchr(text, ':') ? AF_INET6 : AF_INET,
		.rtm_dst_len = (uint8_t)len,
	};
	bool v6 = rt.rtm_family == AF_INET6;
	struct nlmsghdr *h = begin(k, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL, &rt, sizeof(rt));
	uint8_t addr[16];

	if (inet_pton(rt.rtm_family, text, addr) != 1)
		errx(1, "%s is no address", text);
	mnl_attr_put(h, RTA_DST, v6 ? 16 : 4, addr);
	mnl_attr_put_u32(h, RTA_PRIORITY, 20);
	mnl_attr_put_u32(h, RTA_OIF, oif);
	put_gateway(h, v6, i, hops);
	put_metrics(h, i);
	end(k, h);
}

static unsigned load_routes(struct kernel *k, unsigned oif, unsigned hops, const char *path)
{
	FILE *f = fopen(path, "re");
	char line[80];
	unsigned n = 0;

	if (!f)
		err(1, "%s", path);
	for (; fgets(line, sizeof(line), f); n++) {
		char *slash = strchr(line, '/');

		if (!slash)
			errx(1, "%s: no prefix: %s", path, line);
		*slash = '\0';
		put_route(k, line, (unsigned)strtoul(slash + 1, NULL, 10), n, hops, oif);
	}
	flush(k);
	fclose(f);
	return n;
}

static void put_link(struct kernel *k, unsigned i)
{
	struct ifinfomsg ifi = {.ifi_index = (int)(FIRST_IFINDEX + i)};
	struct nlmsghdr *h = begin(k, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, &ifi, sizeof(ifi));
	struct nlattr *info;
	char name[IF_NAMESIZE];

	snprintf(name, sizeof(name), "l%u", i);
	mnl_attr_put_strz(h, IFLA_IFNAME, name);
	mnl_attr_put_u32(h, IFLA_GROUP, GROUP);
	info = mnl_attr_nest_start(h, IFLA_LINKINFO);
	mnl_attr_put_strz(h, IFLA_INFO_KIND, "ifb");
	mnl_attr_nest_end(h, info);
	end(k, h);
}

/* No address by itself: its routes would be looked at for each link that comes. */
static void put_mode(struct kernel *k, unsigned i)
{
	struct ifinfomsg ifi = {.ifi_index = (int)(FIRST_IFINDEX + i)};
	struct nlmsghdr *h = begin(k, RTM_NEWLINK, 0, &ifi, sizeof(ifi));
	struct nlattr *spec = mnl_attr_nest_start(h, IFLA_AF_SPEC), *inet6 = mnl_attr_nest_start(h, AF_INET6);

	mnl_attr_put_u8(h, IFLA_INET6_ADDR_GEN_MODE, IN6_ADDR_GEN_MODE_NONE);
	mnl_attr_nest_end(h, inet6);
	mnl_attr_nest_end(h, spec);
	end(k, h);
}

static void put_up(struct kernel *k, unsigned i)
{
	struct ifinfomsg ifi = {
		.ifi_index = (int)(FIRST_IFINDEX + i), .ifi_flags = IFF_UP, .ifi_change = IFF_UP};

	end(k, begin(k, RTM_NEWLINK, 0, &ifi, sizeof(ifi)));
}

static void put_addr(struct kernel *k, unsigned i, bool v6)
{
	struct ifaddrmsg ifa = {
		.ifa_family = v6 ? AF_INET6 : AF_INET,
		.ifa_prefixlen = v6 ? 64 : 24,
		.ifa_scope = v6 ? RT_SCOPE_LINK : RT_SCOPE_UNIVERSE,
		.ifa_flags = v6 ? IFA_F_NODAD : 0,
		.ifa_index = FIRST_IFINDEX + i,
	};
	struct nlmsghdr *h = begin(k, RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL, &ifa, sizeof(ifa));
	uint8_t addr[16] = {
		0xfe, 0x80, [13] = (uint8_t)(i >> 16), [14] = (uint8_t)(i >> 8), [15] = (uint8_t)i};
	uint32_t v4 = htonl(0x0a000001 + (i / 250 << 16) + (i % 250 << 8));

	mnl_attr_put(h, IFA_LOCAL, v6 ? 16 : 4, v6 ? (const void *)addr : &v4);
	mnl_attr_put(h, IFA_ADDRESS, v6 ? 16 : 4, v6 ? (const void *)addr : &v4);
	end(k, h);
}

static void make_links(struct kernel *k, unsigned first, unsigned n)
{
	for (unsigned i = first; i < first + n; i++)
		put_link(k, i);
	for (unsigned i = first; k->v6 && i < first + n; i++)
		put_mode(k, i);
	for (unsigned i = first; i < first + n; i++)
		put_up(k, i);
	for (unsigned i = first; i < first + n; i++)
		put_addr(k, i, false);
	for (unsigned i = first; k->v6 && i < first + n; i++)
		put_addr(k, i, true);
	flush(k);
}

static void remove_link(struct kernel *k, unsigned i)
{
	struct ifinfomsg ifi = {.ifi_index = (int)(FIRST_IFINDEX + i)};

	end(k, begin(k, RTM_DELLINK, 0, &ifi, sizeof(ifi)));
	flush(k);
}

static bool read_file(const char *pid, const char *tid, const char *name, char *buf, size_t size)
{
	char path[600];
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%s/task/%s/%s", pid, tid, name);
	f = fopen(path, "re");
	if (!f)
		return false;
	n = fread(buf, 1, size - 1, f);
	buf[n] = '\0';
	fclose(f);
	return n;
}

/* What all threads of pid have had of the processors; running: one has, or wants, one. */
static uint64_t cpu_ns(const char *pid, bool *ret_running)
{
	char path[64], buf[1024];
	const struct dirent *e;
	uint64_t sum = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%s/task", pid);
	dir = opendir(path);
	if (!dir)
		err(1, "%s", path);
	*ret_running = false;
	while ((e = readdir(dir))) {
		const char *state;

		if (*e->d_name == '.' || !read_file(pid, e->d_name, "schedstat", buf, sizeof(buf)))
			continue;
		sum += strtoull(buf, NULL, 10);
		if (!read_file(pid, e->d_name, "stat", buf, sizeof(buf)))
			continue;
		state = strrchr(buf, ')');
		*ret_running |= state && state[1] && state[2] == 'R';
	}
	closedir(dir);
	return sum;
}

/* Waits until pid does nothing any more: what it has had until then. */
static uint64_t quiet(const char *pid)
{
	const struct timespec pause = {.tv_nsec = POLL_NS};
	uint64_t before = 0, ns;
	unsigned same = 0;
	bool running;

	while (same < QUIET_POLLS) {
		ns = cpu_ns(pid, &running);
		same = ns == before && !running ? same + 1 : 0;
		before = ns;
		nanosleep(&pause, NULL);
	}
	return before;
}

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Links are l0 to l(n-1); a new one, of another index, takes the place of each that is lost. */
static void lose(struct kernel *k, unsigned n, const char *pid, unsigned count)
{
	uint64_t *ns = calloc(count, sizeof(*ns)), sum = 0;
	unsigned *links = calloc(n, sizeof(*links));

	if (!ns || !links || !count)
		errx(1, "nothing to do");
	for (unsigned i = 0; i < n; i++)
		links[i] = i;
	for (unsigned i = 0; i < count; i++) {
		unsigned *which = &links[i * UINT64_C(2654435761) % n];
		uint64_t before = quiet(pid);

		remove_link(k, *which);
		ns[i] = quiet(pid) - before;
		sum += ns[i];
		*which = n + i;
		make_links(k, *which, 1);
	}
	qsort(ns, count, sizeof(*ns), compare);
	printf("{\"links\":%u,\"lost\":%u,\"p50_ns\":%" PRIu64 ",\"mean_ns\":%" PRIu64 ",\"most_ns\":%" PRIu64
	       "}\n",
		n, count, ns[count / 2], sum / count, ns[count - 1]);
	free(links);
	free(ns);
}

static int count_message(const struct nlmsghdr *h, void *data)
{
	unsigned *n = data;

	(void)h;
	++*n;
	return MNL_CB_OK;
}

/* As netctld asks: links without their counters. */
static unsigned dump(struct kernel *k, uint16_t type)
{
	static char buf[BUFFER];
	struct nlmsghdr *h = mnl_nlmsg_put_header(buf);
	unsigned n = 0;
	ssize_t len;
	int r = MNL_CB_OK;

	h->nlmsg_type = type;
	h->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	h->nlmsg_seq = ++k->seq;
	mnl_nlmsg_put_extra_header(h, type == RTM_GETLINK   ? sizeof(struct ifinfomsg)
				      : type == RTM_GETADDR ? sizeof(struct ifaddrmsg)
							    : sizeof(struct rtmsg));
	if (type == RTM_GETLINK)
		mnl_attr_put_u32(h, IFLA_EXT_MASK, RTEXT_FILTER_VF | RTEXT_FILTER_SKIP_STATS);
	if (mnl_socket_sendto(k->nl, h, h->nlmsg_len) < 0)
		err(1, "send");
	while (r > MNL_CB_STOP) {
		len = mnl_socket_recvfrom(k->nl, buf, sizeof(buf));
		if (len < 0)
			err(1, "receive");
		r = mnl_cb_run(buf, (size_t)len, k->seq, mnl_socket_get_portid(k->nl), count_message, &n);
	}
	if (r < 0)
		err(1, "dump");
	return n;
}

static void dump_all(struct kernel *k)
{
	uint64_t start = now_ns();
	unsigned links = dump(k, RTM_GETLINK), addresses = dump(k, RTM_GETADDR),
		 routes = dump(k, RTM_GETROUTE);

	printf("{\"us\":%" PRIu64 ",\"links\":%u,\"addresses\":%u,\"routes\":%u}\n",
		(now_ns() - start) / 1000, links, addresses, routes);
}

static unsigned number(const char *text)
{
	return (unsigned)strtoul(text, NULL, 10);
}

int main(int argc, char **argv)
{
	static struct kernel k;
	uint64_t start = now_ns();
	unsigned n;

	k.nl = mnl_socket_open(NETLINK_ROUTE);
	if (!k.nl || mnl_socket_bind(k.nl, 0, MNL_SOCKET_AUTOPID) < 0)
		err(1, "netlink");
	k.v6 = argc > 1 && strcmp(argv[argc - 1], "46") == 0;
	if (argc == 5 && strcmp(argv[1], "routes") == 0) {
		unsigned oif = if_nametoindex(argv[2]);

		n = oif && number(argv[3]) ? load_routes(&k, oif, number(argv[3]), argv[4]) : 0;
		printf("{\"us\":%" PRIu64 ",\"routes\":%u}\n", (now_ns() - start) / 1000, n);
		return n ? 0 : 1;
	}
	if (argc == 4 && strcmp(argv[1], "links") == 0) {
		make_links(&k, 0, number(argv[2]));
		printf("{\"us\":%" PRIu64 "}\n", (now_ns() - start) / 1000);
	} else if (argc == 6 && strcmp(argv[1], "lose") == 0) {
		lose(&k, number(argv[2]), argv[3], number(argv[4]));
	} else if (argc == 2 && strcmp(argv[1], "dump") == 0) {
		dump_all(&k);
	} else {
		fputs("usage: bench-kernel routes LINK HOPS FILE | links N 4|46 | lose N PID COUNT 4|46 | "
		      "dump\n",
			stderr);
		return 2;
	}
	return 0;
}
