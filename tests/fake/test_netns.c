/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: tests of the fake kernel's namespaces: who hears what under which nsid, how they end, and links that
 * go from one to another. Events are written down as "NSID: what it says", without an nsid ": …".
 */

#include <errno.h>
#include <net/if.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <linux/net_namespace.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>

#include "fake/describe.h"
#include "fake/fake.h"
#include "fake/wire.h"

struct world {
	struct nctl_fake *f;
	struct nctl_transport *all; /* at home, hears all */
	uint64_t home;
};

static struct nctl_transport *open_in(
	struct world *w, uint64_t cookie, enum nctl_transport_role role, int expected)
{
	struct nctl_kernel *k = nctl_fake_netns_kernel(w->f, cookie);
	struct nctl_transport *t = NULL;
	uint64_t own;
	assert_non_null(k);
	assert_int_equal(k->get_cookie(k, &own), 0);
	assert_int_equal(own, cookie);
	assert_int_equal(k->open(k, role, &t), expected);
	k->destroy(k);
	if (t && role != NCTL_TRANSPORT_REQUEST) {
		t->ops->join(t, RTNLGRP_LINK);
		t->ops->join(t, RTNLGRP_NSID);
	}
	return t;
}

static int setup(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	w->f = nctl_fake_new(1);
	w->home = nctl_fake_home(w->f);
	w->all = open_in(w, w->home, NCTL_TRANSPORT_EVENTS_ALL, 0);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;
	w->all->ops->destroy(w->all);
	nctl_fake_free(w->f);
	free(w);
	return 0;
}

static void put_nsid(const struct nlmsghdr *nlh, char *text, size_t size)
{
	const struct nlattr *tb[NETNSA_MAX + 1];
	assert_int_equal(fk_parse_msg(tb, NETNSA_MAX, nlh, sizeof(struct rtgenmsg)), 0);
	snprintf(text, size, "%s %d", nlh->nlmsg_type == RTM_NEWNSID ? "newnsid" : "delnsid",
		(int)fk_u32(tb[NETNSA_NSID]));
}

/* Only what tells links apart: "newlink 7 d0", and where it lies or goes. */
static void put_link(const struct nlmsghdr *nlh, char *text, size_t size)
{
	static const char *const keys[] = {" link=", " link-nsid=", " to-nsid=", " to-index="};
	struct fk_words words;
	char name[32];
	int index;
	assert_true(fk_describe(nlh, false, &words));
	assert_int_equal(sscanf(words.text, "link %d %31s", &index, name), 2);
	snprintf(text, size, "%s %d %s", words.removed ? "dellink" : "newlink", index, name);
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		const char *p = strstr(words.text, keys[i]);
		size_t len = strlen(text);
		if (p)
			snprintf(text + len, size - len, "%s%d", keys[i], atoi(p + strlen(keys[i])));
	}
}

/* All events that are there, as lines. */
static void heard(struct nctl_transport *t, const char *expected)
{
	_Alignas(8) static uint8_t buf[32768];
	static char text[4096];
	struct nctl_dgram d = {.buf = buf, .cap = sizeof buf};
	const struct nlmsghdr *nlh = (const void *)buf;
	*text = '\0';
	while (t->ops->recv(t, &d, 1) == 1) {
		char line[160], nsid[16] = "";
		if (nlh->nlmsg_type == RTM_NEWNSID || nlh->nlmsg_type == RTM_DELNSID)
			put_nsid(nlh, line, sizeof line);
		else
			put_link(nlh, line, sizeof line);
		if (d.has_nsid)
			snprintf(nsid, sizeof nsid, "%d", d.nsid);
		size_t len = strlen(text);
		snprintf(text + len, sizeof text - len, "%s: %s\n", nsid, line);
	}
	assert_string_equal(text, expected);
}

static int exec_link(struct world *w, uint64_t cookie, uint16_t type, int ifindex, const char *name,
	const char *kind, int lower)
{
	_Alignas(8) uint8_t bytes[512];
	struct fk_buf b = FK_BUF(bytes);
	struct ifinfomsg ifi = {.ifi_index = ifindex};
	uint16_t flags = NLM_F_REQUEST | (kind ? NLM_F_CREATE | NLM_F_EXCL : 0);
	size_t start = fk_msg_begin(&b, type, flags, 1, &ifi, sizeof ifi);
	if (name)
		fk_put_str(&b, IFLA_IFNAME, name);
	if (lower)
		fk_put_u32(&b, IFLA_LINK, (uint32_t)lower);
	if (kind) {
		size_t nest = fk_nest_begin(&b, IFLA_LINKINFO);
		fk_put_str(&b, IFLA_INFO_KIND, kind);
		fk_nest_end(&b, nest);
	}
	fk_msg_end(&b, start);
	return nctl_fake_netns_exec(w->f, cookie, bytes, b.len);
}

static int dummy(struct world *w, uint64_t cookie, int ifindex, const char *name)
{
	return exec_link(w, cookie, RTM_NEWLINK, ifindex, name, "dummy", 0);
}

static int set_up(struct world *w, uint64_t cookie, int ifindex)
{
	_Alignas(8) uint8_t bytes[64];
	struct fk_buf b = FK_BUF(bytes);
	struct ifinfomsg ifi = {.ifi_index = ifindex, .ifi_flags = IFF_UP, .ifi_change = IFF_UP};
	fk_msg_end(&b, fk_msg_begin(&b, RTM_NEWLINK, NLM_F_REQUEST, 1, &ifi, sizeof ifi));
	return nctl_fake_netns_exec(w->f, cookie, bytes, b.len);
}

/* An end far_index in the namespace nsid, the other one in cookie's. */
static int pair(struct world *w, uint64_t cookie, int ifindex, const char *name, int32_t nsid, int far_index,
	const char *far)
{
	_Alignas(8) uint8_t bytes[512];
	struct fk_buf b = FK_BUF(bytes);
	struct ifinfomsg ifi = {.ifi_index = far_index}, near = {.ifi_index = ifindex};
	const uint16_t flags = NLM_F_REQUEST | NLM_F_CREATE | NLM_F_EXCL;
	size_t start = fk_msg_begin(&b, RTM_NEWLINK, flags, 1, &ifi, sizeof ifi);
	fk_put_str(&b, IFLA_IFNAME, far);
	fk_put_u32(&b, IFLA_TARGET_NETNSID, (uint32_t)nsid);
	size_t info = fk_nest_begin(&b, IFLA_LINKINFO);
	fk_put_str(&b, IFLA_INFO_KIND, "veth");
	size_t data = fk_nest_begin(&b, IFLA_INFO_DATA), peer = fk_nest_begin(&b, VETH_INFO_PEER);
	fk_put_raw(&b, &near, sizeof near);
	fk_put_str(&b, IFLA_IFNAME, name);
	fk_nest_end(&b, peer);
	fk_nest_end(&b, data);
	fk_nest_end(&b, info);
	fk_msg_end(&b, start);
	return nctl_fake_netns_exec(w->f, cookie, bytes, b.len);
}

static uint64_t make(struct world *w)
{
	uint64_t cookie;
	assert_int_equal(nctl_fake_netns_new(w->f, &cookie), 0);
	return cookie;
}

static void test_who_hears(void **state)
{
	struct world *w = *state;
	uint64_t a = make(w), b = make(w);
	struct nctl_transport *in_a = open_in(w, a, NCTL_TRANSPORT_EVENTS, 0);
	assert_int_equal(dummy(w, a, 7, "d0"), 0);
	heard(w->all, "");
	heard(in_a, ": newlink 7 d0\n");
	assert_int_equal(nctl_fake_netns_assign_nsid(w->f, b), 0);
	assert_int_equal(nctl_fake_netns_assign_nsid(w->f, a), 1);
	assert_int_equal(nctl_fake_netns_assign_nsid(w->f, a), 1);
	heard(w->all, ": newnsid 0\n: newnsid 1\n");
	assert_int_equal(dummy(w, a, 8, "d1"), 0);
	assert_int_equal(dummy(w, b, 8, "d1"), 0);
	assert_int_equal(dummy(w, w->home, 8, "d1"), 0);
	heard(w->all, "1: newlink 8 d1\n0: newlink 8 d1\n: newlink 8 d1\n");
	heard(in_a, ": newlink 8 d1\n");
	/* What a calls b is a's business; those who hear all hear of it. */
	assert_int_equal(nctl_fake_netns_nsid_in(w->f, a, b, true), 0);
	heard(w->all, "1: newnsid 0\n");
	heard(in_a, ": newnsid 0\n");
	in_a->ops->destroy(in_a);
	nctl_fake_deny_all(w->f, true);
	assert_null(open_in(w, w->home, NCTL_TRANSPORT_EVENTS_ALL, -EOPNOTSUPP));
}

static void test_held_events(void **state)
{
	struct world *w = *state;
	uint64_t a = make(w);
	nctl_fake_netns_assign_nsid(w->f, a);
	heard(w->all, ": newnsid 0\n");
	nctl_fake_hold_events(w->f);
	dummy(w, a, 7, "d0");
	nctl_fake_netns_drop(w->f, a);
	a = make(w);
	nctl_fake_netns_assign_nsid(w->f, a);
	heard(w->all, "");
	nctl_fake_release_events(w->f);
	heard(w->all, "0: newlink 7 d0\n: delnsid 0\n: newnsid 0\n");
}

static void test_end(void **state)
{
	struct world *w = *state;
	uint64_t a = make(w), b = make(w);
	int32_t id = nctl_fake_netns_assign_nsid(w->f, a);
	nctl_fake_netns_assign_nsid(w->f, b);
	assert_int_equal(dummy(w, a, 7, "d0"), 0);
	assert_int_equal(nctl_fake_netns_add_card(w->f, a, 3, "eth0"), 0);
	assert_int_equal(exec_link(w, a, RTM_DELLINK, 3, NULL, NULL, 0), -EOPNOTSUPP);
	assert_int_equal(pair(w, w->home, 9, "v0", id, 9, "v1"), 0);
	assert_int_equal(pair(w, b, 9, "w0", nctl_fake_netns_nsid_in(w->f, b, a, true), 10, "w1"), 0);
	nctl_fake_overrun_events(w->f, 0);
	assert_int_equal(w->all->ops->recv(w->all, NULL, 0), -ENOBUFS);
	/* A transport holds it. */
	struct nctl_transport *t = open_in(w, a, NCTL_TRANSPORT_REQUEST, 0);
	nctl_fake_netns_drop(w->f, a);
	heard(w->all, "");
	assert_true(nctl_fake_netns_is_alive(w->f, a));
	assert_false(nctl_fake_netns_wait(w->f, a, 1));
	t->ops->destroy(t);
	assert_false(nctl_fake_netns_is_alive(w->f, a));
	heard(w->all, ": delnsid 0\n1: delnsid 0\n: newlink 3 eth0\n1: dellink 9 w0 link=0\n: dellink 9 v0 "
	              "link=0\n");
	assert_null(open_in(w, a, NCTL_TRANSPORT_REQUEST, -ENOENT));
	assert_int_equal(dummy(w, a, 8, "d1"), -ENOENT);
	assert_null(nctl_fake_netns_print(w->f, a));
	assert_int_equal(nctl_fake_netns_nsid(w->f, a), -1);
	/* Cookies are new, nsids are not. */
	uint64_t c = make(w);
	assert_true(c > b);
	assert_int_equal(nctl_fake_netns_assign_nsid(w->f, c), 0);
}

static void test_pair(void **state)
{
	struct world *w = *state;
	uint64_t a = make(w);
	int32_t id = nctl_fake_netns_assign_nsid(w->f, a);
	assert_int_equal(pair(w, w->home, 9, "v0", 77, 9, "v0"), -EINVAL);
	assert_int_equal(pair(w, w->home, 9, "v0", id, 9, "v0"), 0);
	/* The near end is told of before it is tied to the far one; a gets an id for home. */
	heard(w->all,
		": newnsid 0\n: newlink 9 v0 link=0\n0: newnsid 0\n0: newlink 9 v0 link=9 link-nsid=0\n");
	char *text = nctl_fake_netns_print(w->f, a);
	assert_non_null(strstr(text, "link 9 v0"));
	free(text);
	/* Before 6.15 the far end's index was looked for at home. */
	nctl_fake_set_version(w->f, 6, 14);
	assert_int_equal(pair(w, w->home, 10, "v1", id, 9, "v1"), -EEXIST);
	assert_int_equal(pair(w, w->home, 10, "v1", id, 11, "v1"), 0);
	/* Carrier goes from one to the other. */
	nctl_fake_overrun_events(w->f, 0);
	assert_int_equal(w->all->ops->recv(w->all, NULL, 0), -ENOBUFS);
	assert_int_equal(set_up(w, w->home, 9), 0);
	assert_int_equal(set_up(w, a, 9), 0);
	text = nctl_fake_print(w->f);
	assert_non_null(strstr(text, "link 9 v0 flags=11043"));
	free(text);
}

static void test_move(void **state)
{
	struct world *w = *state;
	uint64_t a = make(w), b = make(w);
	nctl_fake_netns_assign_nsid(w->f, a);
	nctl_fake_netns_assign_nsid(w->f, b);
	dummy(w, a, 7, "d0");
	dummy(w, b, 7, "e0");
	exec_link(w, a, RTM_NEWLINK, 20, "br0", "bridge", 0);
	nctl_fake_overrun_events(w->f, 0);
	assert_int_equal(w->all->ops->recv(w->all, NULL, 0), -ENOBUFS);
	/* The index is taken there, the name is not. */
	assert_int_equal(nctl_fake_netns_move(w->f, a, 7, b, NULL), 0);
	heard(w->all, "0: newnsid 0\n0: dellink 7 d0 to-nsid=0 to-index=2\n1: newlink 2 d0\n");
	/* Under another name: both are told. */
	assert_int_equal(nctl_fake_netns_move(w->f, b, 2, w->home, "d1"), 0);
	heard(w->all, "1: newnsid 0\n1: dellink 2 d0 to-nsid=0 to-index=2\n: newlink 2 d0\n: newlink 2 d1\n");
	/* Its own name is in use there: only the new one is. */
	dummy(w, w->home, 8, "e0");
	assert_int_equal(nctl_fake_netns_move(w->f, b, 7, w->home, NULL), -EEXIST);
	heard(w->all, ": newlink 8 e0\n");
	assert_int_equal(nctl_fake_netns_move(w->f, b, 7, w->home, "e1"), 0);
	heard(w->all, "1: dellink 7 e0 to-nsid=0 to-index=7\n: newlink 7 e1\n");
	assert_int_equal(nctl_fake_netns_move(w->f, a, 20, b, NULL), -EINVAL);
	assert_int_equal(nctl_fake_netns_move(w->f, a, 1, b, NULL), -EINVAL);
	assert_int_equal(nctl_fake_netns_move(w->f, a, 99, b, NULL), -ENODEV);
	assert_int_equal(nctl_fake_netns_move(w->f, a, 7, b + 99, NULL), -ENOENT);
	/* One that is up, with an address of its own making, goes down. */
	set_up(w, w->home, 7);
	assert_int_equal(nctl_fake_netns_move(w->f, w->home, 7, a, NULL), 0);
	char *text = nctl_fake_netns_print(w->f, a);
	assert_non_null(strstr(text, "link 7 e1 flags=82"));
	assert_null(strstr(text, "addr 7"));
	free(text);
}

/* What stands on a link stays where it is, and goes when the link does. */
static void test_upper(void **state)
{
	struct world *w = *state;
	uint64_t a = make(w);
	nctl_fake_netns_assign_nsid(w->f, a);
	dummy(w, w->home, 7, "d0");
	assert_int_equal(exec_link(w, w->home, RTM_NEWLINK, 8, "m0", "macvlan", 7), 0);
	assert_int_equal(nctl_fake_netns_move(w->f, w->home, 7, a, NULL), 0);
	char *text = nctl_fake_print(w->f);
	assert_non_null(strstr(text, "link 8 m0"));
	assert_non_null(strstr(text, "link=7 link-nsid=0"));
	free(text);
	nctl_fake_overrun_events(w->f, 0);
	assert_int_equal(w->all->ops->recv(w->all, NULL, 0), -ENOBUFS);
	assert_int_equal(exec_link(w, a, RTM_DELLINK, 7, NULL, NULL, 0), 0);
	heard(w->all, ": dellink 8 m0 link=7 link-nsid=0\n0: dellink 7 d0\n");
}

static void test_refusal(void **state)
{
	struct world *w = *state;
	uint64_t a = make(w);
	struct nctl_fake_refusal r = {.type = RTM_NEWLINK, .cookie = a, .error = -EPERM};
	_Alignas(8) uint8_t bytes[128], buf[4096];
	struct fk_buf b = FK_BUF(bytes);
	struct ifinfomsg ifi = {.ifi_index = 1, .ifi_flags = IFF_UP, .ifi_change = IFF_UP};
	struct nctl_dgram d = {.buf = buf, .cap = sizeof buf};
	fk_msg_end(&b, fk_msg_begin(&b, RTM_NEWLINK, NLM_F_REQUEST | NLM_F_ACK, 1, &ifi, sizeof ifi));
	assert_int_equal(nctl_fake_refuse(w->f, &r), 0);
	for (int i = 0; i < 2; i++) {
		struct nctl_transport *t = open_in(w, i ? a : w->home, NCTL_TRANSPORT_REQUEST, 0);
		assert_int_equal(t->ops->send(t, bytes, b.len), 0);
		assert_int_equal(t->ops->recv(t, &d, 1), 1);
		assert_false(d.has_nsid);
		const struct nlmsgerr *err = NLMSG_DATA((const struct nlmsghdr *)(const void *)buf);
		assert_int_equal(err->error, i ? -EPERM : 0);
		t->ops->destroy(t);
	}
}

#define CASE(name) cmocka_unit_test_setup_teardown(test_##name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(who_hears),
		CASE(held_events),
		CASE(end),
		CASE(pair),
		CASE(move),
		CASE(upper),
		CASE(refusal),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
