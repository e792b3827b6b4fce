/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * DOC: the real transport in a network namespace of its own: 300 veth pairs by batches, a dump, their
 * events.
 */

#include <errno.h>
#include <poll.h>
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
#include <linux/rtnetlink.h>
#include <linux/veth.h>

#include "base/cleanup.h"
#include "nl/attr.h"
#include "nl/pump.h"
#include "nl/requester.h"

enum { PAIRS = 300, FIRST_INDEX = 1000, WAIT_MS = 20000, EXIT_SKIP = 77 };

struct live {
	struct nctl_requester *requester;
	struct nctl_pump *pump;
	int wake_fd;
	bool seen[2 * PAIRS]; /* an event told of this link */
	unsigned n_seen, lost;
};

static void on_wake(void *userdata)
{
	struct live *l = userdata;

	(void)eventfd_write(l->wake_fd, 1);
}

static void on_message(void *userdata, int32_t nsid, const struct nlmsghdr *nlh)
{
	const struct ifinfomsg *ifi = NLMSG_DATA(nlh);
	struct live *l = userdata;
	int i = ifi->ifi_index - FIRST_INDEX;

	assert_int_equal(nsid, -1);
	if (nlh->nlmsg_type != RTM_NEWLINK || i < 0 || i >= 2 * PAIRS || l->seen[i])
		return;
	l->seen[i] = true;
	l->n_seen++;
}

static void on_lost(void *userdata)
{
	struct live *l = userdata;

	l->lost++;
}

static int set_up(void **state)
{
	static const struct nctl_pump_ops ops = {.message = on_message, .lost = on_lost};
	struct nctl_kernel *k = nctl_kernel_here();
	struct live *l = calloc(1, sizeof(*l));
	struct nctl_transport *events;

	assert_int_equal(k->open(k, NCTL_TRANSPORT_EVENTS, &events), 0);
	assert_int_equal(events->ops->join(events, RTNLGRP_LINK), 0);
	assert_int_equal(events->ops->wait(events, nctl_time_now()), -ETIMEDOUT);
	assert_int_equal(nctl_pump_new(events, &ops, l, &l->pump), 0);
	l->wake_fd = eventfd(0, EFD_CLOEXEC);
	assert_int_equal(nctl_requester_new(k, NULL, on_wake, l, &l->requester), 0);
	*state = l;
	return 0;
}

static int tear_down(void **state)
{
	struct live *l = *state;

	nctl_requester_freep(&l->requester);
	nctl_pump_freep(&l->pump);
	nctl_closep(&l->wake_fd);
	free(l);
	return 0;
}

static void wait_readable(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	assert_int_equal(poll(&p, 1, WAIT_MS), 1);
}

static struct nctl_result *next_result(struct live *l)
{
	struct nctl_result *r;
	eventfd_t v;

	while (!(r = nctl_requester_pop(l->requester))) {
		wait_readable(l->wake_fd);
		(void)eventfd_read(l->wake_fd, &v);
	}
	return r;
}

/* Is pair i asked for in a way that the kernel refuses, and with which error? */
static int expected_error(unsigned i)
{
	if (i % 100 == 50)
		return -EOPNOTSUPP; /* there is no such kind */
	if (i % 100 == 51)
		return -EINVAL; /* an MTU that a veth does not take */
	return 0;
}

static void add_pair(struct nctl_msgbuf *m, unsigned i)
{
	struct ifinfomsg ifi = {.ifi_index = (int)(FIRST_INDEX + 2 * i)};
	struct ifinfomsg peer = {.ifi_index = (int)(FIRST_INDEX + 2 * i + 1)};
	size_t info, data, end;
	char name[16];

	nctl_msg_begin(m, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, &ifi, sizeof(ifi));
	(void)snprintf(name, sizeof(name), "a%u", i);
	nctl_msg_put_str(m, IFLA_IFNAME, name);
	if (expected_error(i) == -EINVAL)
		nctl_msg_put_u32(m, IFLA_MTU, 1);
	info = nctl_msg_nest_begin(m, IFLA_LINKINFO);
	nctl_msg_put_str(m, IFLA_INFO_KIND, expected_error(i) == -EOPNOTSUPP ? "no-such-kind" : "veth");
	data = nctl_msg_nest_begin(m, IFLA_INFO_DATA);
	end = nctl_msg_nest_begin(m, VETH_INFO_PEER);
	nctl_msg_put_raw(m, &peer, sizeof(peer));
	name[0] = 'b';
	nctl_msg_put_str(m, IFLA_IFNAME, name);
	nctl_msg_nest_end(m, end);
	nctl_msg_nest_end(m, data);
	nctl_msg_nest_end(m, info);
}

/* Fills a batch with as many pairs as fit from *i on; steps *i. userdata is the first pair's number. */
static struct nctl_batch *next_batch(unsigned *i)
{
	struct nctl_batch *b;

	assert_int_equal(nctl_batch_new(16 * 1024, &b), 0);
	b->userdata = (void *)(uintptr_t)*i;
	for (; *i < PAIRS; (*i)++) {
		add_pair(&b->msgs, *i);
		if (nctl_batch_commit(b) == NCTL_MSG_FULL)
			break;
	}
	return b;
}

static unsigned check_batch(const struct nctl_batch *b)
{
	unsigned first = (unsigned)(uintptr_t)b->userdata;
	size_t e = 0;

	assert_int_equal(b->status, 0);
	for (unsigned i = 0; i < b->msgs.n; i++) {
		if (expected_error(first + i) == 0)
			continue;
		assert_true(e < b->n_errors);
		assert_int_equal(b->errors[e].index, i);
		assert_int_equal(b->errors[e].error, expected_error(first + i));
		if (expected_error(first + i) == -EOPNOTSUPP)
			assert_string_equal(b->errors[e].text, "Unknown device type");
		e++;
	}
	assert_int_equal(e, b->n_errors);
	return (unsigned)(b->msgs.n - e);
}

/* Counts the links of a dump whose index is in our range. */
static unsigned dump_links(struct live *l)
{
	struct ifinfomsg ifi = {.ifi_family = AF_UNSPEC};
	unsigned n = 0;
	struct nctl_result *r;
	bool end = false;

	assert_int_equal(nctl_requester_dump(l->requester, nctl_kernel_here(), RTM_GETLINK, &ifi, sizeof(ifi),
				 NULL, 0, NULL),
		0);
	while (!end) {
		const struct nlmsghdr *nlh = NULL;

		r = next_result(l);
		end = r->type == NCTL_RESULT_DUMP_END;
		assert_int_equal(r->status, 0);
		assert_int_equal(r->attempt, 1);
		while (r->data && (nlh = nctl_msg_next(r->data, r->len, nlh)))
			n += ((const struct ifinfomsg *)NLMSG_DATA(nlh))->ifi_index >= FIRST_INDEX;
		nctl_result_free(r);
	}
	return n;
}

static void test_pairs(void **state)
{
	struct live *l = *state;
	unsigned sent = 0, batches = 0, made = 0, i = 0;
	struct nctl_requester_stats stats;

	while (i < PAIRS) {
		assert_int_equal(nctl_requester_submit(l->requester, nctl_kernel_here(), next_batch(&i)), 0);
		sent++;
	}
	for (; batches < sent; batches++) {
		struct nctl_result *r = next_result(l);

		assert_int_equal(r->type, NCTL_RESULT_BATCH);
		made += check_batch(r->batch);
		nctl_result_free(r);
	}
	assert_int_equal(made, PAIRS - 6);
	assert_int_equal(dump_links(l), 2 * made);
	while (l->n_seen < 2 * made) {
		int r;

		wait_readable(nctl_pump_get_fd(l->pump));
		r = nctl_pump_dispatch(l->pump, 256);
		assert_true(r == 0 || r == NCTL_PUMP_MORE);
	}
	assert_int_equal(l->lost, 0);
	assert_int_equal(nctl_pump_get_stats(l->pump)->malformed, 0);

	nctl_requester_get_stats(l->requester, &stats);
	assert_int_equal(stats.sends, sent + 1);
	assert_int_equal(stats.refusals, 6);
	print_message("%u batches, %u pairs: %llu sends, %llu receives, longest send %llu us\n", sent, made,
		(unsigned long long)stats.sends, (unsigned long long)stats.receives,
		(unsigned long long)stats.longest_send_us);
	/* A batch is one send and one receive; a dump needs hardly more than a receive per 32 datagrams. */
	assert_in_range(stats.receives, sent + 1, sent + 8);
}

/* A small receive buffer overruns when nobody reads: the pump says so and goes on. */
static void test_overrun(void **state)
{
	struct live *l = *state;
	struct ifinfomsg lo = {.ifi_index = 1};
	struct nctl_batch *b;
	struct nctl_result *r;
	int small = 4096;

	assert_int_equal(
		setsockopt(nctl_pump_get_fd(l->pump), SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)), 0);
	assert_int_equal(nctl_batch_new(16 * 1024, &b), 0);
	for (uint32_t i = 0; i < 100; i++) {
		nctl_msg_begin(&b->msgs, RTM_NEWLINK, 0, &lo, sizeof(lo));
		nctl_msg_put_u32(&b->msgs, IFLA_MTU, 1500 + i);
		assert_int_equal(nctl_batch_commit(b), 0);
	}
	assert_int_equal(nctl_requester_submit(l->requester, nctl_kernel_here(), b), 0);
	r = next_result(l);
	assert_int_equal(r->batch->status, 0);
	assert_int_equal(r->batch->n_errors, 0);
	nctl_result_free(r);
	assert_int_equal(nctl_pump_dispatch(l->pump, 1000), 0);
	assert_int_equal(l->lost, 1);
	assert_int_equal(nctl_pump_get_stats(l->pump)->overruns, 1);
	assert_in_range(nctl_pump_get_stats(l->pump)->messages, 1, 99);
}

static void test_cookie(void **state)
{
	struct nctl_kernel *k = nctl_kernel_here();
	uint64_t a = 0, b = 0;

	(void)state;
	assert_int_equal(k->get_cookie(k, &a), 0);
	assert_int_equal(k->get_cookie(k, &b), 0);
	assert_true(a != 0 && a == b);
}

/* What a process sends to our port is not taken for the kernel's word. */
static void test_stranger(void **state)
{
	struct nctl_kernel *k = nctl_kernel_here();
	_cleanup_(nctl_transport_freep) struct nctl_transport *t = NULL;
	_cleanup_(nctl_closep) int fd = -1;
	struct sockaddr_nl to;
	socklen_t len = sizeof(to);
	struct nlmsghdr lie = {.nlmsg_len = sizeof(lie), .nlmsg_type = NLMSG_NOOP}, truth = lie;
	uint8_t bufs[2][256];
	struct nctl_dgram v[] = {
		{.buf = bufs[0], .cap = sizeof(bufs[0])}, {.buf = bufs[1], .cap = sizeof(bufs[1])}};

	(void)state;
	assert_int_equal(k->open(k, NCTL_TRANSPORT_REQUEST, &t), 0);
	assert_int_equal(getsockname(t->ops->get_fd(t), (struct sockaddr *)&to, &len), 0);
	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	if (sendto(fd, &lie, sizeof(lie), 0, (struct sockaddr *)&to, len) < 0) {
		assert_int_equal(errno, EPERM);
		skip();
	}
	assert_int_equal(t->ops->recv(t, v, 2), 0);

	assert_int_equal(sendto(fd, &lie, sizeof(lie), 0, (struct sockaddr *)&to, len), sizeof(lie));
	truth.nlmsg_type = RTM_GETLINK; /* without a family header it does nothing but be acknowledged */
	truth.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	assert_int_equal(t->ops->send(t, &truth, sizeof(truth)), 0);
	assert_int_equal(t->ops->wait(t, nctl_time_add_ms(nctl_time_now(), WAIT_MS)), 0);
	assert_int_equal(t->ops->recv(t, v, 2), 1);
	assert_int_equal(((struct nlmsghdr *)v[0].buf)->nlmsg_type, NLMSG_ERROR);
	assert_false(v[0].truncated);
	assert_false(v[0].has_nsid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_pairs, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_overrun, set_up, tear_down),
		cmocka_unit_test(test_cookie),
		cmocka_unit_test(test_stranger),
	};

	if (unshare(CLONE_NEWNET) < 0 && unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0) {
		(void)fprintf(stderr, "skipped: no network namespace of our own: %s\n", strerror(errno));
		return EXIT_SKIP;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
