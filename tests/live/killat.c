/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: killat PID link NAME | up NAME | address ADDRESS: kills PID with SIGKILL as soon as the kernel tells of this link,
 * of its being up, or of this address. At real-time priority where that is allowed, so that on one processor the event
 * comes before the victim's next step. Says "listening" when it is; exits with 0 after the kill.
 */
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/prefix.h"
#include "nl/attr.h"
#include "nl/pump.h"

struct watch {
	pid_t pid;
	const char *what, *name;
	struct nctl_prefix address;
};

static void strike(const struct watch *w)
{
	exit(kill(w->pid, SIGKILL) < 0 ? EXIT_FAILURE : EXIT_SUCCESS);
}

static void on_link(const struct watch *w, const struct nlmsghdr *nlh)
{
	static const struct nctl_attr_policy policy[IFLA_MAX + 1] = {[IFLA_IFNAME] = {.kind = NCTL_ATTR_STR}};
	const struct nlattr *tb[IFLA_MAX + 1];
	const struct ifinfomsg *ifi = NLMSG_DATA(nlh);

	if (nctl_attr_parse_msg(nlh, sizeof(*ifi), policy, tb, IFLA_MAX) < 0 || !tb[IFLA_IFNAME])
		return;
	if (strcmp(nctl_attr_str(tb[IFLA_IFNAME]), w->name))
		return;
	if (!strcmp(w->what, "link") || (!strcmp(w->what, "up") && ifi->ifi_flags & IFF_UP))
		strike(w);
}

static void on_addr(const struct watch *w, const struct nlmsghdr *nlh)
{
	static const struct nctl_attr_policy policy[IFA_MAX + 1] = {
		[IFA_ADDRESS] = {.kind = NCTL_ATTR_BYTES, .min = 4, .max = 16}};
	const struct nlattr *tb[IFA_MAX + 1];
	size_t len;

	if (nctl_attr_parse_msg(nlh, sizeof(struct ifaddrmsg), policy, tb, IFA_MAX) < 0 || !tb[IFA_ADDRESS])
		return;
	len = nctl_attr_len(tb[IFA_ADDRESS]);
	if (!strcmp(w->what, "address") && len == nctl_prefix_bytes(w->address.family) &&
		!memcmp(nctl_attr_data(tb[IFA_ADDRESS]), w->address.addr, len))
		strike(w);
}

static void on_message(void *userdata, int32_t nsid, const struct nlmsghdr *nlh)
{
	(void)nsid;
	if (nlh->nlmsg_type == RTM_NEWLINK)
		on_link(userdata, nlh);
	else if (nlh->nlmsg_type == RTM_NEWADDR)
		on_addr(userdata, nlh);
}

static void on_lost(void *userdata)
{
	(void)userdata;
	fputs("killat: events were lost\n", stderr);
	exit(EXIT_FAILURE);
}

static int listen_to_kernel(struct watch *w)
{
	static const struct nctl_pump_ops ops = {.message = on_message, .lost = on_lost};
	static const unsigned groups[] = {RTNLGRP_LINK, RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV6_IFADDR};
	struct nctl_kernel *k = nctl_kernel_here();
	struct nctl_transport *t;
	struct nctl_pump *p;
	int r = k->open(k, NCTL_TRANSPORT_EVENTS, &t);

	for (size_t i = 0; r >= 0 && i < sizeof(groups) / sizeof(groups[0]); i++)
		r = t->ops->join(t, groups[i]);
	if (r >= 0)
		r = nctl_pump_new(t, &ops, w, &p);
	if (r < 0)
		return r;
	puts("listening");
	fflush(stdout);
	while (r >= 0) {
		r = t->ops->wait(t, NCTL_TIME_NEVER);
		if (r >= 0)
			r = nctl_pump_dispatch(p, SIZE_MAX);
	}
	return r;
}

int main(int argc, char **argv)
{
	const struct sched_param prio = {.sched_priority = 1};
	struct watch w = {0};

	if (argc != 4) {
		fputs("killat PID link NAME | up NAME | address ADDRESS\n", stderr);
		return 2;
	}
	w.pid = (pid_t)atoi(argv[1]);
	w.what = argv[2];
	w.name = argv[3];
	if (w.pid <= 1 || (!strcmp(w.what, "address") && nctl_addr_parse(w.name, &w.address) != 0))
		return 2;
	sched_setscheduler(0, SCHED_FIFO, &prio);
	fprintf(stderr, "killat: %s\n", strerror(-listen_to_kernel(&w)));
	return EXIT_FAILURE;
}
