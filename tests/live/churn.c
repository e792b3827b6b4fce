/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: somebody else who changes much, for tests of the mirror: makes and removes links and routes as fast as the
 * kernel takes them, in batches, until its time is over, and ends with all of them there. No code of lib/ is used.
 *
 *   churn SECONDS LINKS ROUTES [LINK]
 *
 * Links are c0 to c(LINKS-1), of kind ifb (dummy, where there is none) and group 4242; LINK, which is up and has an
 * address, carries the routes: 198.18.0.0/15 in pieces of /32, in table 7, each time with another metric, so that
 * nothing is as before. Prints what it has done: rounds, messages. Exit status 1 if the kernel refused something.
 */
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
#include <arpa/inet.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <libmnl/libmnl.h>

enum { BATCH = 200, MESSAGE_MAX = 256, GROUP = 4242, TABLE = 7, BASE = 0xC6120000 /* 198.18.0.0 */ };

struct churn {
	struct mnl_socket *nl;
	char buf[BATCH * MESSAGE_MAX];
	size_t len;
	unsigned n;
	uint32_t seq;
	struct nlmsghdr *last;
	uint64_t messages;
	const char *kind;
	unsigned links, routes, oif;
};

static struct timespec now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t;
}

/* Sends what is there; the answer to the last message ends the wait. */
static void flush(struct churn *c)
{
	char answer[16384];
	ssize_t n;
	int r = MNL_CB_OK;

	if (c->n == 0)
		return;
	c->last->nlmsg_flags |= NLM_F_ACK;
	if (mnl_socket_sendto(c->nl, c->buf, c->len) < 0)
		err(1, "send");
	while (r == MNL_CB_OK) {
		n = mnl_socket_recvfrom(c->nl, answer, sizeof(answer));
		if (n < 0)
			err(1, "receive");
		for (struct nlmsghdr *h = (void *)answer; mnl_nlmsg_ok(h, (int)n); h = mnl_nlmsg_next(h, (int *)&n)) {
			struct nlmsgerr *e = mnl_nlmsg_get_payload(h);

			if (h->nlmsg_type == NLMSG_ERROR && e->error)
				errx(1, "message %u of %u: %s", h->nlmsg_seq, c->seq, strerror(-e->error));
			if (h->nlmsg_seq == c->seq)
				r = MNL_CB_STOP;
		}
	}
	c->messages += c->n;
	c->len = c->n = 0;
}

static struct nlmsghdr *begin(struct churn *c, uint16_t type, uint16_t flags)
{
	struct nlmsghdr *h;

	if (c->n == BATCH)
		flush(c);
	h = mnl_nlmsg_put_header(c->buf + c->len);
	h->nlmsg_type = type;
	h->nlmsg_flags = NLM_F_REQUEST | flags;
	h->nlmsg_seq = ++c->seq;
	c->last = h;
	return h;
}

static void end(struct churn *c, const struct nlmsghdr *h)
{
	c->len += NLMSG_ALIGN(h->nlmsg_len);
	c->n++;
}

static void make_links(struct churn *c)
{
	for (unsigned i = 0; i < c->links; i++) {
		struct nlmsghdr *h = begin(c, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL);
		struct nlattr *info;
		char name[IF_NAMESIZE];

		mnl_nlmsg_put_extra_header(h, sizeof(struct ifinfomsg));
		snprintf(name, sizeof(name), "c%u", i);
		mnl_attr_put_strz(h, IFLA_IFNAME, name);
		mnl_attr_put_u32(h, IFLA_GROUP, GROUP);
		info = mnl_attr_nest_start(h, IFLA_LINKINFO);
		mnl_attr_put_strz(h, IFLA_INFO_KIND, c->kind);
		mnl_attr_nest_end(h, info);
		end(c, h);
	}
	flush(c);
}

static void remove_links(struct churn *c)
{
	struct nlmsghdr *h = begin(c, RTM_DELLINK, 0);

	mnl_nlmsg_put_extra_header(h, sizeof(struct ifinfomsg));
	mnl_attr_put_u32(h, IFLA_GROUP, GROUP);
	end(c, h);
	flush(c);
}

static void change_routes(struct churn *c, uint16_t type, uint16_t flags, uint32_t metric)
{
	for (unsigned i = 0; i < c->routes; i++) {
		struct nlmsghdr *h = begin(c, type, flags);
		struct rtmsg *rt = mnl_nlmsg_put_extra_header(h, sizeof(*rt));

		rt->rtm_family = AF_INET;
		rt->rtm_dst_len = 32;
		rt->rtm_table = TABLE;
		rt->rtm_protocol = RTPROT_STATIC;
		rt->rtm_scope = type == RTM_DELROUTE ? RT_SCOPE_NOWHERE : RT_SCOPE_LINK;
		rt->rtm_type = type == RTM_DELROUTE ? RTN_UNSPEC : RTN_UNICAST;
		mnl_attr_put_u32(h, RTA_DST, htonl(BASE + i));
		mnl_attr_put_u32(h, RTA_PRIORITY, metric);
		mnl_attr_put_u32(h, RTA_OIF, c->oif);
		end(c, h);
	}
	flush(c);
}

static bool has_kind(struct churn *c, const char *kind)
{
	char command[96];

	(void)c;
	snprintf(command, sizeof(command), "ip link add churnprobe type %s 2>/dev/null && ip link del churnprobe", kind);
	return system(command) == 0;
}

int main(int argc, char **argv)
{
	static struct churn c;
	struct timespec until;
	uint64_t rounds = 0;

	if (argc < 4)
		errx(2, "usage: churn SECONDS LINKS ROUTES [LINK]");
	c.links = (unsigned)strtoul(argv[2], NULL, 10);
	c.routes = (unsigned)strtoul(argv[3], NULL, 10);
	c.oif = argc > 4 ? if_nametoindex(argv[4]) : 0;
	if (c.routes && !c.oif)
		errx(2, "routes want a link that is there");
	c.kind = has_kind(&c, "ifb") ? "ifb" : "dummy";
	c.nl = mnl_socket_open(NETLINK_ROUTE);
	if (!c.nl || mnl_socket_bind(c.nl, 0, MNL_SOCKET_AUTOPID) < 0)
		err(1, "netlink");
	until = now();
	until.tv_sec += (time_t)strtoul(argv[1], NULL, 10);
	make_links(&c);
	change_routes(&c, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL, 1);
	for (; now().tv_sec < until.tv_sec; rounds++) {
		change_routes(&c, RTM_DELROUTE, 0, 1 + rounds % 2);
		change_routes(&c, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL, 1 + (rounds + 1) % 2);
		if (c.links) {
			remove_links(&c);
			make_links(&c);
		}
	}
	printf("{\"rounds\": %" PRIu64 ", \"messages\": %" PRIu64 "}\n", rounds, c.messages);
	mnl_socket_close(c.nl);
	return 0;
}
