/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * DOC: the filter of an event socket, in a network namespace of its own: of what the kernel tells only what
 * is wanted is queued, and a flood of the rest costs no byte of a receive buffer that is as small as can be.
 */

#include <arpa/inet.h>
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <cmocka.h>
#include <linux/if.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>

#include "base/cleanup.h"
#include "nl/attr.h"
#include "nl/filter.h"
#include "nl/requester.h"

enum {
	LO = 1,
	FLOOD = 100000,
	BATCH = 500,
	WAIT_MS = 20000,
	EXIT_SKIP = 77,
	WANTED = 4,  /* RTPROT_STATIC */
	FEED = 186,  /* RTPROT_BGP */
	HIGH = 4321, /* a table that needs RTA_TABLE */
	LOW = 77,    /* one that does not */
};

static struct nctl_requester *requester;
static int wake_fd;

static void on_wake(void *userdata)
{
	(void)userdata;
	(void)eventfd_write(wake_fd, 1);
}

/* A change of one route. */
struct change {
	uint16_t type, flags;
	uint8_t family, protocol;
	uint32_t table, dst;
};

static void put_route(struct nctl_msgbuf *m, const struct change *c)
{
	uint8_t dst[16] = {0x20, 0x01, 0x0d, 0xb8};
	size_t len = c->family == AF_INET ? 4 : 16;
	struct rtmsg rtm = {.rtm_family = c->family,
		.rtm_dst_len = (uint8_t)(8 * len),
		.rtm_protocol = c->protocol,
		.rtm_table = c->table < 256 ? (uint8_t)c->table : RT_TABLE_COMPAT,
		.rtm_scope = RT_SCOPE_LINK,
		.rtm_type = RTN_UNICAST};
	uint32_t be = htonl(c->dst);

	memcpy(dst + len - 4, &be, sizeof(be));
	nctl_msg_begin(m, c->type, c->flags, &rtm, sizeof(rtm));
	nctl_msg_put(m, RTA_DST, dst, len);
	nctl_msg_put_u32(m, RTA_OIF, LO);
	nctl_msg_put_u32(m, RTA_TABLE, c->table);
}

/* Sends b and waits until the kernel has done it. */
static void carry_out(struct nctl_batch *b)
{
	struct nctl_result *r;
	eventfd_t v;

	assert_int_equal(nctl_requester_submit(requester, nctl_kernel_here(), b), 0);
	while (!(r = nctl_requester_pop(requester)))
		(void)eventfd_read(wake_fd, &v);
	assert_int_equal(r->batch->status, 0);
	assert_int_equal(r->batch->n_errors, 0);
	nctl_result_free(r);
}

static struct nctl_batch *new_batch(void)
{
	struct nctl_batch *b;

	assert_int_equal(nctl_batch_new(64 * 1024, &b), 0);
	return b;
}

static void change(struct change c)
{
	struct nctl_batch *b = new_batch();

	put_route(&b->msgs, &c);
	assert_int_equal(nctl_batch_commit(b), 0);
	carry_out(b);
}

static void flood(struct change c)
{
	for (uint32_t i = 0; i < FLOOD; i += BATCH) {
		struct nctl_batch *b = new_batch();

		for (uint32_t k = 0; k < BATCH; k++) {
			c.dst = 0x0b000000 + i + k;
			put_route(&b->msgs, &c);
			assert_int_equal(nctl_batch_commit(b), 0);
		}
		carry_out(b);
	}
}

/* An event transport that hears routes and neighbours. */
static struct nctl_transport *listen_to(const struct nctl_event_filter *f, size_t buffer)
{
	static const unsigned groups[] = {
		RTNLGRP_IPV4_ROUTE, RTNLGRP_IPV6_ROUTE, RTNLGRP_NEIGH, RTNLGRP_LINK};
	struct nctl_kernel *k = nctl_kernel_here();
	struct nctl_transport *t;

	assert_int_equal(k->open(k, NCTL_TRANSPORT_EVENTS, &t), 0);
	if (buffer)
		assert_int_equal(t->ops->set_buffer(t, buffer), 0);
	if (f)
		assert_int_equal(t->ops->set_filter(t, f), 0);
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(groups); i++)
		assert_int_equal(t->ops->join(t, groups[i]), 0);
	return t;
}

/* How many events are queued; type and dst are those of the last one. */
static int hear(struct nctl_transport *t, uint16_t *ret_type)
{
	static uint8_t bufs[16][4096];
	struct nctl_dgram v[16];
	int n;

	for (size_t i = 0; i < NCTL_ARRAY_SIZE(v); i++)
		v[i] = (struct nctl_dgram){.buf = bufs[i], .cap = sizeof(bufs[i])};
	n = t->ops->recv(t, v, NCTL_ARRAY_SIZE(v));
	if (n > 0)
		*ret_type = ((struct nlmsghdr *)v[n - 1].buf)->nlmsg_type;
	return n;
}

static struct nctl_event_filter the_filter(void)
{
	struct nctl_event_filter f = {.n_tables = 0};

	nctl_event_filter_add_protocol(&f, FEED);
	nctl_event_filter_add_protocol(&f, 255);
	assert_int_equal(nctl_event_filter_add_table(&f, HIGH), 0);
	assert_int_equal(nctl_event_filter_add_table(&f, LOW), 0);
	assert_int_equal(nctl_event_filter_add_table(&f, LOW), 0);
	assert_int_equal(f.n_tables, 2);
	return f;
}

static uint64_t drops(struct nctl_transport *t)
{
	struct nctl_transport_queue q;

	assert_int_equal(t->ops->get_queue(t, &q), 0);
	assert_true(q.max > 0);
	return q.drops;
}

static void test_flood(void **state)
{
	struct nctl_event_filter f = the_filter();
	_cleanup_(nctl_transport_freep) struct nctl_transport *filtered = listen_to(&f, 1),
							      *all = listen_to(NULL, 1);
	struct change add = {RTM_NEWROUTE, NLM_F_CREATE, AF_INET, FEED, RT_TABLE_MAIN, 0};
	struct nctl_transport_queue q;
	uint16_t type = 0;

	(void)state;
	flood(add);
	assert_int_equal(drops(filtered), 0);
	assert_int_equal(filtered->ops->get_queue(filtered, &q), 0);
	assert_int_equal(q.bytes, 0);
	assert_true(drops(all) > FLOOD - 1000);
	/* Nor were any lost that are wanted. */
	change((struct change){RTM_NEWROUTE, NLM_F_CREATE, AF_INET, WANTED, RT_TABLE_MAIN, 0x0a000001});
	assert_int_equal(hear(filtered, &type), 1);
	assert_int_equal(type, RTM_NEWROUTE);
	add.type = RTM_DELROUTE;
	flood(add);
	assert_int_equal(drops(filtered), 0);
	assert_int_equal(hear(filtered, &type), 0);
}

static void check_one(struct nctl_transport *t, uint8_t family, uint8_t protocol, uint32_t table, bool passes)
{
	struct change c = {RTM_NEWROUTE, NLM_F_CREATE, family, protocol, table, 0x0a000002};
	uint16_t type = 0;

	change(c);
	assert_int_equal(hear(t, &type), passes);
	c.type = RTM_DELROUTE;
	change(c);
	assert_int_equal(hear(t, &type), passes);
	if (passes)
		assert_int_equal(type, RTM_DELROUTE);
}

static void test_choice(void **state)
{
	static const uint8_t families[] = {AF_INET, AF_INET6};
	struct nctl_event_filter f = the_filter(), none = {.n_tables = 0};
	_cleanup_(nctl_transport_freep) struct nctl_transport *t = listen_to(&f, 0),
							      *open = listen_to(&none, 0);
	uint16_t type;

	(void)state;
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(families); i++) {
		uint8_t family = families[i];

		check_one(t, family, WANTED, RT_TABLE_MAIN, true);
		check_one(t, family, FEED, RT_TABLE_MAIN, false);
		check_one(t, family, FEED - 1, RT_TABLE_MAIN, true);
		check_one(t, family, 255, RT_TABLE_MAIN, false);
		check_one(t, family, WANTED, HIGH, false);
		check_one(t, family, WANTED, LOW, false);
		check_one(t, family, WANTED, HIGH + 1, true);
		check_one(t, family, WANTED, LOW + 1, true);
		check_one(t, family, WANTED, RT_TABLE_COMPAT, true);
	}
	/* A filter that ignores no route lets all of them pass. */
	assert_int_equal(hear(open, &type), 16);
}

/* What is ignored may take the place of what is not: that is told. */
static void test_replace(void **state)
{
	struct nctl_event_filter f = the_filter();
	_cleanup_(nctl_transport_freep) struct nctl_transport *t = listen_to(&f, 0);
	struct change c = {RTM_NEWROUTE, NLM_F_CREATE, AF_INET, WANTED, RT_TABLE_MAIN, 0x0a000003};
	uint16_t type;

	(void)state;
	change(c);
	assert_int_equal(hear(t, &type), 1);
	c.protocol = FEED;
	c.flags |= NLM_F_REPLACE;
	change(c);
	assert_int_equal(hear(t, &type), 1);
	c.table = LOW;
	change(c);
	assert_int_equal(hear(t, &type), 0);
}

static void test_neighbours(void **state)
{
	struct nctl_event_filter f = {.n_tables = 0};
	_cleanup_(nctl_transport_freep) struct nctl_transport *t = listen_to(&f, 0),
							      *all = listen_to(NULL, 0);
	struct ndmsg ndm = {.ndm_family = AF_INET, .ndm_ifindex = LO, .ndm_state = NUD_PERMANENT};
	struct ifinfomsg lo = {.ifi_index = LO};
	struct nctl_batch *b = new_batch();
	uint32_t dst = htonl(0x0a000004);
	uint16_t type;

	(void)state;
	nctl_msg_begin(&b->msgs, RTM_NEWNEIGH, NLM_F_CREATE, &ndm, sizeof(ndm));
	nctl_msg_put(&b->msgs, NDA_DST, &dst, sizeof(dst));
	nctl_msg_put(&b->msgs, NDA_LLADDR, "\0\0\0\0\0", 6);
	assert_int_equal(nctl_batch_commit(b), 0);
	carry_out(b);
	assert_int_equal(hear(all, &type), 1);
	assert_int_equal(type, RTM_NEWNEIGH);
	assert_int_equal(hear(t, &type), 0);
	b = new_batch();
	nctl_msg_begin(&b->msgs, RTM_NEWLINK, 0, &lo, sizeof(lo));
	nctl_msg_put_u32(&b->msgs, IFLA_MTU, 1400);
	assert_int_equal(nctl_batch_commit(b), 0);
	carry_out(b);
	assert_int_equal(hear(t, &type), 1);
	assert_int_equal(type, RTM_NEWLINK);
}

/* The longest list there can be. */
static void test_limits(void **state)
{
	struct nctl_event_filter f = {.n_tables = 0};
	_cleanup_(nctl_transport_freep) struct nctl_transport *t = NULL;

	(void)state;
	for (unsigned i = 0; i < 256; i++)
		if (i != WANTED)
			nctl_event_filter_add_protocol(&f, (uint8_t)i);
	for (uint32_t i = 0; i < NCTL_FILTER_TABLES; i++)
		assert_int_equal(nctl_event_filter_add_table(&f, i), 0);
	assert_int_equal(nctl_event_filter_add_table(&f, NCTL_FILTER_TABLES), -E2BIG);
	t = listen_to(&f, 0);
	check_one(t, AF_INET, WANTED, NCTL_FILTER_TABLES, true);
	check_one(t, AF_INET, WANTED, NCTL_FILTER_TABLES - 1, false);
	check_one(t, AF_INET6, FEED, NCTL_FILTER_TABLES, false);
}

static int set_up(void **state)
{
	struct ifinfomsg lo = {.ifi_index = LO, .ifi_flags = IFF_UP, .ifi_change = IFF_UP};
	struct nctl_batch *b = new_batch();

	(void)state;
	wake_fd = eventfd(0, EFD_CLOEXEC);
	assert_int_equal(nctl_requester_new(nctl_kernel_here(), NULL, on_wake, NULL, &requester), 0);
	nctl_msg_begin(&b->msgs, RTM_NEWLINK, 0, &lo, sizeof(lo));
	assert_int_equal(nctl_batch_commit(b), 0);
	carry_out(b);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	requester = nctl_requester_free(requester);
	nctl_closep(&wake_fd);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flood),
		cmocka_unit_test(test_choice),
		cmocka_unit_test(test_replace),
		cmocka_unit_test(test_neighbours),
		cmocka_unit_test(test_limits),
	};

	if (unshare(CLONE_NEWNET) < 0 && unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0) {
		(void)fprintf(stderr, "skipped: no network namespace of our own: %s\n", strerror(errno));
		return EXIT_SKIP;
	}
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
