/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: tests of the fake kernel by itself: answers, dumps, events and injections. What it answers and tells
 * is compared with a real kernel by differential.c.
 */

#include <errno.h>
#include <net/if.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <linux/rtnetlink.h>

#include "fake/describe.h"
#include "fake/fake.h"
#include "fake/wire.h"

struct world {
	struct nctl_fake *f;
	struct nctl_transport *events, *req;
	uint32_t seq;
	uint8_t buf[32768];
	struct nctl_dgram d;
};

static int setup(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	struct nctl_kernel *k;
	w->f = nctl_fake_new(1);
	k = nctl_fake_kernel(w->f);
	assert_int_equal(k->open(k, NCTL_TRANSPORT_EVENTS, &w->events), 0);
	assert_int_equal(k->open(k, NCTL_TRANSPORT_REQUEST, &w->req), 0);
	w->events->ops->join(w->events, RTNLGRP_LINK);
	w->events->ops->join(w->events, RTNLGRP_IPV4_IFADDR);
	w->events->ops->join(w->events, RTNLGRP_IPV6_IFADDR);
	w->d = (struct nctl_dgram){.buf = w->buf, .cap = sizeof w->buf};
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;
	w->events->ops->destroy(w->events);
	w->req->ops->destroy(w->req);
	nctl_fake_free(w->f);
	free(w);
	return 0;
}

static int recv_one(struct world *w, struct nctl_transport *t)
{
	w->d.truncated = false;
	return t->ops->recv(t, &w->d, 1);
}

/* The next answer: its errno; 1 if there is none. The extended-ack text goes to ret_text. */
static int answer(struct world *w, char ret_text[static 128])
{
	const struct nlattr *tb[NLMSGERR_ATTR_MAX + 1];
	const struct nlmsghdr *nlh = (const void *)w->buf;
	*ret_text = '\0';
	if (recv_one(w, w->req) != 1)
		return 1;
	assert_int_equal(nlh->nlmsg_type, NLMSG_ERROR);
	const struct nlmsgerr *err = NLMSG_DATA(nlh);
	if (nlh->nlmsg_flags & NLM_F_ACK_TLVS) {
		fk_parse_msg(tb, NLMSGERR_ATTR_MAX, nlh, sizeof *err);
		if (tb[NLMSGERR_ATTR_MSG])
			fk_str(tb[NLMSGERR_ATTR_MSG], ret_text, 128);
	}
	return err->error;
}

static int request(struct world *w, struct fk_buf *b, size_t start)
{
	char text[128];
	fk_msg_end(b, start);
	assert_int_equal(w->req->ops->send(w->req, b->p, b->len), 0);
	return answer(w, text);
}

static size_t begin_link(struct fk_buf *b, uint16_t type, uint16_t flags, int ifindex, unsigned up)
{
	struct ifinfomsg ifi = {.ifi_index = ifindex, .ifi_flags = up, .ifi_change = up};
	return fk_msg_begin(b, type, NLM_F_REQUEST | NLM_F_ACK | flags, 7, &ifi, sizeof ifi);
}

static int add_link(struct world *w, int ifindex, const char *name, const char *kind)
{
	_Alignas(8) uint8_t bytes[512];
	struct fk_buf b = FK_BUF(bytes);
	size_t start = begin_link(&b, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, ifindex, 0);
	fk_put_str(&b, IFLA_IFNAME, name);
	size_t nest = fk_nest_begin(&b, IFLA_LINKINFO);
	fk_put_str(&b, IFLA_INFO_KIND, kind);
	fk_nest_end(&b, nest);
	return request(w, &b, start);
}

static int simple(struct world *w, uint16_t type, int ifindex, unsigned up)
{
	_Alignas(8) uint8_t bytes[128];
	struct fk_buf b = FK_BUF(bytes);
	return request(w, &b, begin_link(&b, type, 0, ifindex, up));
}

static unsigned drain(struct world *w)
{
	unsigned n = 0;
	while (recv_one(w, w->events) == 1)
		n++;
	return n;
}

/* Names of a link dump, with blanks between; "!" for an interrupted one. */
static void dump_names(struct world *w, char *text, size_t size)
{
	_Alignas(8) uint8_t bytes[128];
	struct fk_buf b = FK_BUF(bytes);
	struct ifinfomsg ifi = {0};
	size_t start = fk_msg_begin(&b, RTM_GETLINK, NLM_F_REQUEST | NLM_F_DUMP, 9, &ifi, sizeof ifi);
	*text = '\0';
	fk_msg_end(&b, start);
	w->req->ops->send(w->req, bytes, b.len);
	while (recv_one(w, w->req) == 1) {
		for (size_t off = 0; off < w->d.len;) {
			const struct nlmsghdr *nlh = (const void *)(w->buf + off);
			const struct nlattr *tb[IFLA_MAX + 1];
			size_t len = strlen(text);
			if (nlh->nlmsg_type == NLMSG_DONE) {
				if (nlh->nlmsg_flags & NLM_F_DUMP_INTR)
					strcat(text, "!");
				return;
			}
			fk_parse_msg(tb, IFLA_MAX, nlh, sizeof ifi);
			snprintf(text + len, size - len, "%s ", (const char *)fk_data(tb[IFLA_IFNAME]));
			off += NLMSG_ALIGN(nlh->nlmsg_len);
		}
	}
	strcat(text, "?");
}

static void test_create_and_delete(void **state)
{
	struct world *w = *state;
	char text[256];
	assert_int_equal(add_link(w, 10, "d0", "dummy"), 0);
	assert_int_equal(add_link(w, 11, "d0", "dummy"), -EEXIST);
	assert_int_equal(add_link(w, 10, "d1", "dummy"), -EEXIST);
	assert_int_equal(add_link(w, 12, "d2", "nonsense"), -EOPNOTSUPP);
	dump_names(w, text, sizeof text);
	assert_string_equal(text, "lo d0 ");
	assert_int_equal(simple(w, RTM_NEWLINK, 10, IFF_UP), 0);
	assert_int_equal(simple(w, RTM_DELLINK, 10, 0), 0);
	assert_int_equal(simple(w, RTM_DELLINK, 10, 0), -ENODEV);
	assert_int_equal(simple(w, RTM_DELLINK, 1, 0), -EOPNOTSUPP);
	dump_names(w, text, sizeof text);
	assert_string_equal(text, "lo ");
	assert_int_equal(nctl_fake_count(w->f, RTM_NEWLINK), 5);
	assert_int_equal(nctl_fake_count_changes(w->f), 8);
}

static void test_events_and_descriptor(void **state)
{
	struct world *w = *state;
	struct pollfd p = {.fd = w->events->ops->get_fd(w->events), .events = POLLIN};
	assert_int_equal(poll(&p, 1, 0), 0);
	add_link(w, 10, "d0", "dummy");
	assert_int_equal(poll(&p, 1, 0), 1);
	assert_int_equal(w->events->ops->wait(w->events, NCTL_TIME_NEVER), 0);
	assert_int_equal(drain(w), 1);
	assert_int_equal(poll(&p, 1, 0), 0);
	assert_int_equal(w->events->ops->wait(w->events, nctl_time_now()), -ETIMEDOUT);
	simple(w, RTM_NEWLINK, 10, IFF_UP);
	assert_true(drain(w) >= 2); /* the link and its fe80:: address */
	nctl_fake_hold_events(w->f);
	simple(w, RTM_DELLINK, 10, 0);
	assert_int_equal(drain(w), 0);
	nctl_fake_release_events(w->f);
	assert_true(drain(w) >= 3);
}

static void test_overrun(void **state)
{
	struct world *w = *state;
	add_link(w, 10, "d0", "dummy");
	nctl_fake_overrun_events(w->f, 0);
	assert_int_equal(recv_one(w, w->events), -ENOBUFS);
	assert_int_equal(drain(w), 0);
	nctl_fake_overrun_events(w->f, 1);
	add_link(w, 11, "d1", "dummy");
	add_link(w, 12, "d2", "dummy");
	assert_int_equal(recv_one(w, w->events), -ENOBUFS);
	assert_int_equal(drain(w), 1);
	nctl_fake_set_rcvbuf(w->f, NCTL_TRANSPORT_EVENTS, 8192);
	for (int i = 20; i < 40; i++) {
		char name[16];
		snprintf(name, sizeof name, "e%d", i);
		add_link(w, i, name, "dummy");
	}
	assert_int_equal(recv_one(w, w->events), -ENOBUFS);
	assert_in_range(drain(w), 1, 8);
	simple(w, RTM_DELLINK, 39, 0);
	assert_int_equal(drain(w), 1);
}

static void test_refusal(void **state)
{
	struct world *w = *state;
	struct nctl_fake_refusal r = {.type = RTM_NEWLINK,
		.ifname = "d1",
		.skip = 1,
		.error = -EPERM,
		.text = "no such luck",
		.offset = 16};
	_Alignas(8) uint8_t bytes[128];
	struct fk_buf b = FK_BUF(bytes);
	char text[128];
	assert_int_equal(nctl_fake_refuse(w->f, &r), 0);
	assert_int_equal(add_link(w, 10, "d0", "dummy"), 0);
	assert_int_equal(add_link(w, 11, "d1", "dummy"), 0);
	fk_msg_end(&b, begin_link(&b, RTM_NEWLINK, 0, 11, IFF_UP));
	w->req->ops->send(w->req, bytes, b.len);
	assert_int_equal(answer(w, text), -EPERM);
	assert_string_equal(text, "no such luck");
	assert_int_equal(simple(w, RTM_NEWLINK, 11, IFF_UP), 0);
}

static void test_acks(void **state)
{
	struct world *w = *state;
	_Alignas(8) uint8_t bytes[256];
	struct fk_buf b = FK_BUF(bytes);
	char text[128];
	add_link(w, 10, "d0", "dummy");
	nctl_fake_lose_acks(w->f, 1);
	assert_int_equal(simple(w, RTM_NEWLINK, 10, IFF_UP), 1);
	nctl_fake_reverse_acks(w->f, true);
	fk_msg_end(&b, begin_link(&b, RTM_NEWLINK, 0, 10, IFF_UP));
	size_t second = begin_link(&b, RTM_NEWLINK, 0, 99, IFF_UP);
	fk_msg_end(&b, second);
	w->req->ops->send(w->req, bytes, b.len);
	assert_int_equal(answer(w, text), -ENODEV);
	assert_int_equal(answer(w, text), 0);
	nctl_fake_truncate(w->f, 1, 20);
	simple(w, RTM_NEWLINK, 10, IFF_UP);
	assert_true(w->d.truncated);
	assert_int_equal(w->d.len, 20);
}

static void remove_last(void *userdata, unsigned chunk)
{
	struct world *w = userdata;
	_Alignas(8) uint8_t bytes[128];
	struct fk_buf b = FK_BUF(bytes);
	if (chunk != 1)
		return;
	fk_msg_end(&b, begin_link(&b, RTM_DELLINK, 0, 39, 0));
	assert_int_equal(nctl_fake_exec(w->f, bytes, b.len), 0);
}

static void test_dumps(void **state)
{
	struct world *w = *state;
	char text[512], all[512] = "lo ";
	for (int i = 20; i < 40; i++) {
		char name[16];
		snprintf(name, sizeof name, "e%d", i);
		add_link(w, i, name, "dummy");
		strcat(strcat(all, name), " ");
	}
	nctl_fake_interrupt_dumps(w->f, 1);
	nctl_fake_set_dump_chunk(w->f, 4096);
	dump_names(w, text, sizeof text);
	all[strlen(all) + 1] = '\0';
	all[strlen(all)] = '!';
	assert_string_equal(text, all);
	nctl_fake_on_dump(w->f, remove_last, w);
	dump_names(w, text, sizeof text);
	*strstr(all, "e39") = '\0';
	assert_string_equal(text, all);
}

static void test_print(void **state)
{
	struct world *w = *state;
	simple(w, RTM_NEWLINK, 1, IFF_UP);
	char *text = nctl_fake_print(w->f);
	assert_non_null(strstr(text, "addr 1 127.0.0.1/8"));
	assert_non_null(strstr(text, "addr 1 ::1/128"));
	assert_non_null(strstr(text, "link 1 lo"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_create_and_delete, setup, teardown),
		cmocka_unit_test_setup_teardown(test_events_and_descriptor, setup, teardown),
		cmocka_unit_test_setup_teardown(test_overrun, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refusal, setup, teardown),
		cmocka_unit_test_setup_teardown(test_acks, setup, teardown),
		cmocka_unit_test_setup_teardown(test_dumps, setup, teardown),
		cmocka_unit_test_setup_teardown(test_print, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
