/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: no call takes long, and nothing that was promised is forgotten in between: events by portions, fences
 * in a queue that is never empty, pauses by an injected clock, what is ignored, and dumps of a part.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <linux/rtnetlink.h>

#include "base/cleanup.h"
#include "exec/hub.h"
#include "foreign.h"
#include "mirror/route.h"
#include "nl/msg.h"
#include "test.h"

enum {
	ETH = 2,
	MANY = 6000,      /* events, more than one call takes */
	CALL_MAX = 2500,  /* messages a call may take, a portion more or less */
	STORM_SEEN = 500, /* how many of an endless storm may pass before a fence does */
	PATIENCE_MS = 20 * 1000,
};

/* A fake kernel whose event transport says how much it holds, and may never be empty. */
static struct {
	struct nctl_fake *fake;
	struct nctl_kernel kernel;
	struct nctl_transport events;
	struct nctl_transport *real;
	bool storm;
	uint64_t stormed;
	size_t queued; /* as get_queue says; 0: it does not know */
	struct nctl_hub *hub;
	int wake_fd;
	unsigned synced, lost;
	nctl_mtu mtu; /* of eth0, once it was set */
	struct nctl_hub_options opts;
} t;

static nctl_time now;

static nctl_time injected(void)
{
	return now;
}

static int events_fd(struct nctl_transport *e)
{
	(void)e;
	return t.real->ops->get_fd(t.real);
}

/* What is added is a message that says nothing (RTM_NEWNSID without its attribute). */
static int events_recv(struct nctl_transport *e, struct nctl_dgram *v, size_t n)
{
	struct {
		struct nlmsghdr nlh;
		struct rtgenmsg gen;
	} nothing = {{.nlmsg_len = sizeof(nothing), .nlmsg_type = RTM_NEWNSID}, {AF_UNSPEC}};
	int k = t.real->ops->recv(t.real, v, n);

	(void)e;
	if (k < 0 || !t.storm)
		return k;
	for (; (size_t)k < n; k++) {
		memcpy(v[k].buf, &nothing, sizeof(nothing));
		v[k].len = sizeof(nothing);
		v[k].truncated = v[k].has_nsid = false;
		t.stormed++;
	}
	return k;
}

static int events_wait(struct nctl_transport *e, nctl_time deadline)
{
	(void)e;
	return t.real->ops->wait(t.real, deadline);
}

static int events_join(struct nctl_transport *e, unsigned group)
{
	(void)e;
	return t.real->ops->join(t.real, group);
}

static void events_destroy(struct nctl_transport *e)
{
	(void)e;
	t.real = nctl_transport_free(t.real);
}

static int events_queue(struct nctl_transport *e, struct nctl_transport_queue *ret)
{
	(void)e;
	*ret = (struct nctl_transport_queue){.bytes = t.queued, .max = 1 << 20, .drops = 7};
	return t.queued ? 0 : -EOPNOTSUPP;
}

static const struct nctl_transport_ops events_ops = {
	.get_fd = events_fd,
	.recv = events_recv,
	.wait = events_wait,
	.join = events_join,
	.destroy = events_destroy,
	.get_queue = events_queue,
};

static int kernel_open(struct nctl_kernel *k, enum nctl_transport_role role, struct nctl_transport **ret)
{
	struct nctl_kernel *real = nctl_fake_kernel(t.fake);

	(void)k;
	if (role == NCTL_TRANSPORT_REQUEST)
		return real->open(real, role, ret);
	t.events.ops = &events_ops;
	*ret = &t.events;
	return real->open(real, role, &t.real);
}

static int kernel_cookie(struct nctl_kernel *k, uint64_t *ret)
{
	(void)k;
	*ret = nctl_fake_home(t.fake);
	return 0;
}

static void on_wake(void *userdata)
{
	(void)userdata;
	(void)eventfd_write(t.wake_fd, 1);
}

static void on_synced(struct nctl_session *s, void *userdata)
{
	(void)s;
	(void)userdata;
	t.synced++;
}

static void on_lost(struct nctl_session *s, void *userdata)
{
	(void)userdata;
	assert_false(nctl_session_is_synced(s));
	t.lost++;
}

static const struct nctl_hub_ops ops = {.wake = on_wake, .synced = on_synced, .lost = on_lost};

static void start(void)
{
	assert_int_equal(nctl_hub_new_with(&t.kernel, &t.opts, &ops, NULL, &t.hub), 0);
}

static int setup(void **state)
{
	(void)state;
	memset(&t, 0, sizeof(t));
	t.kernel = (struct nctl_kernel){.open = kernel_open, .get_cookie = kernel_cookie};
	t.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	t.fake = nctl_fake_new(1);
	assert_non_null(t.fake);
	assert_int_equal(foreign_new(t.fake, nctl_fake_home(t.fake), ETH, "eth0", "dummy", 0), 0);
	assert_int_equal(foreign_up(t.fake, nctl_fake_home(t.fake), ETH, true), 0);
	now = (nctl_time){1000 * 1000 * 1000};
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	t.hub = nctl_hub_free(t.hub);
	t.fake = nctl_fake_free(t.fake);
	nctl_closep(&t.wake_fd);
	return 0;
}

static struct nctl_session *home(void)
{
	return nctl_hub_home(t.hub);
}

static struct nctl_session_stats stats(void)
{
	struct nctl_session_stats s;

	nctl_session_get_stats(home(), &s);
	return s;
}

static uint64_t messages(void)
{
	struct nctl_hub_stats s;

	nctl_hub_get_stats(t.hub, &s);
	return s.pump.messages;
}

/* One round of what an owner does, without waiting for a pause; false: there was nothing to do. */
static bool turn(int timeout_ms)
{
	struct pollfd p[] = {
		{.fd = t.wake_fd, .events = POLLIN}, {.fd = nctl_hub_get_fd(t.hub), .events = POLLIN}};
	nctl_time at = nctl_hub_deadline(t.hub), by = t.opts.clock ? now : nctl_time_now();
	bool due = nctl_time_cmp(at, by) <= 0;
	int n = poll(p, 2, due ? 0 : timeout_ms);
	eventfd_t v;

	if (due)
		nctl_hub_tick(t.hub, by);
	if (p[0].revents) {
		(void)eventfd_read(t.wake_fd, &v);
		nctl_hub_dispatch_results(t.hub, 4);
	}
	if (p[1].revents)
		assert_true(nctl_hub_dispatch_events(t.hub, SIZE_MAX) >= 0);
	return due || n > 0;
}

static void until_synced(void)
{
	nctl_time end = nctl_time_add_ms(nctl_time_now(), PATIENCE_MS);

	while (!nctl_session_is_synced(home())) {
		assert_true(nctl_time_cmp(nctl_time_now(), end) < 0);
		turn(100);
	}
}

/* n events of eth0. */
static void mtu_of_eth(unsigned n)
{
	while (n--) {
		t.mtu = 1300 + (t.mtu + 1) % 100;
		assert_int_equal(foreign_mtu(t.fake, nctl_fake_home(t.fake), ETH, t.mtu), 0);
	}
}

static void test_portions(void **state)
{
	uint64_t first, before;
	unsigned calls = 0;
	int r;

	(void)state;
	start();
	until_synced();
	mtu_of_eth(MANY);
	first = messages();
	do {
		before = messages();
		r = nctl_hub_dispatch_events(t.hub, SIZE_MAX);
		assert_true(messages() - before <= CALL_MAX);
		calls++;
	} while (r == NCTL_PUMP_MORE);
	assert_int_equal(r, 0);
	assert_true(messages() - first >= MANY);
	assert_true(calls >= MANY / CALL_MAX);
	assert_int_equal(t.lost, 0);
}

/* A mirror becomes in step although the queue is never seen empty, and not before what was in it is read. */
static void test_storm(void **state)
{
	struct nctl_hub_stats s;

	(void)state;
	t.queued = 100 * 256;
	t.storm = true;
	start();
	mtu_of_eth(150);
	until_synced();
	assert_int_equal(nctl_mirror_link_get(nctl_session_mirror(home()), ETH)->v.mtu, t.mtu);
	assert_true(t.stormed > 0);
	nctl_hub_get_stats(t.hub, &s);
	assert_true(s.has_queue);
	assert_int_equal(s.drops, 7);
	assert_int_equal(s.queued, t.queued);
	/* The deadline is in the future: nothing is left to do but to wait. */
	t.storm = false;
	while (turn(0))
		;
	assert_int_equal(nctl_time_cmp(nctl_hub_deadline(t.hub), NCTL_TIME_NEVER), 0);
}

static bool spoil;

static void overrun_on_dump(void *userdata, unsigned chunk)
{
	(void)userdata;
	(void)chunk;
	if (!spoil)
		return;
	nctl_fake_overrun_events(t.fake, 1);
	mtu_of_eth(1);
}

/* Goes on until the hub waits for a pause that is not over at once; how long it is, in us. */
static uint64_t next_pause(void)
{
	nctl_time end = nctl_time_add_ms(nctl_time_now(), PATIENCE_MS);
	struct nctl_hub_stats s;

	do {
		assert_true(nctl_time_cmp(nctl_time_now(), end) < 0);
		turn(10);
		nctl_hub_get_stats(t.hub, &s);
	} while (!s.waiting || nctl_time_cmp(nctl_hub_deadline(t.hub), now) <= 0);
	return (uint64_t)nctl_time_diff_us(nctl_hub_deadline(t.hub), now);
}

static void test_pauses(void **state)
{
	uint64_t want = 10 * 1000, retries;

	(void)state;
	t.opts.clock = injected;
	start();
	until_synced();
	spoil = true;
	nctl_fake_on_dump(t.fake, overrun_on_dump, NULL);
	nctl_fake_overrun_events(t.fake, 1);
	mtu_of_eth(1);
	/* The first repetition comes at once. */
	for (unsigned i = 0; i < 13; i++) {
		assert_int_equal(next_pause(), want);
		now = nctl_time_add_us(now, want);
		want = nctl_min(2 * want, (uint64_t)5 * 1000 * 1000);
	}
	assert_int_equal(t.lost, 1);
	assert_int_equal(t.synced, 1);
	retries = stats().retries;
	assert_true(retries >= 13);
	spoil = false;
	until_synced();
	assert_int_equal(t.synced, 2);
	assert_int_equal(stats().epoch, 2);
	/* After a calm the pause starts small again. */
	now = nctl_time_add_us(now, 20 * 1000 * 1000);
	spoil = true;
	nctl_fake_overrun_events(t.fake, 1);
	mtu_of_eth(1);
	assert_int_equal(next_pause(), 10 * 1000);
	assert_int_equal(t.lost, 2);
	spoil = false;
	now = nctl_time_add_us(now, 10 * 1000);
	until_synced();
}

/* A truncated event is its namespace's loss; it was announced, and is made good. */
static void test_truncated(void **state)
{
	(void)state;
	start();
	until_synced();
	mtu_of_eth(1);
	nctl_fake_truncate(t.fake, 1, 64);
	while (!t.lost)
		turn(100);
	until_synced();
	assert_int_equal(t.synced, 2);
	assert_int_equal(nctl_mirror_link_get(nctl_session_mirror(home()), ETH)->v.mtu, t.mtu);
}

/* Somebody adds or removes 198.51.100.0/24 by way of eth0. */
static int route(uint16_t type, uint8_t protocol, uint32_t table, unsigned flags)
{
	struct rtmsg rtm = {.rtm_family = AF_INET,
		.rtm_dst_len = 24,
		.rtm_protocol = protocol,
		.rtm_table = table < 256 ? (uint8_t)table : RT_TABLE_COMPAT,
		.rtm_scope = RT_SCOPE_LINK,
		.rtm_type = RTN_UNICAST};
	static const uint8_t dst[] = {198, 51, 100, 0};
	_Alignas(4) uint8_t buf[256];
	struct nctl_msgbuf m;

	nctl_msgbuf_init(&m, buf, sizeof(buf));
	nctl_msg_begin(&m, type, (uint16_t)flags, &rtm, sizeof(rtm));
	nctl_msg_put(&m, RTA_DST, dst, sizeof(dst));
	nctl_msg_put_u32(&m, RTA_OIF, ETH);
	nctl_msg_put_u32(&m, RTA_TABLE, table);
	assert_int_equal(nctl_msg_commit(&m, 1), 0);
	return nctl_fake_netns_exec(t.fake, nctl_fake_home(t.fake), buf, m.len);
}

static size_t in_table(uint32_t table)
{
	struct nctl_route_cursor c = {.family = AF_INET, .one_table = true, .table = table};
	size_t n = 0;

	while (nctl_mirror_route_next(nctl_session_mirror(home()), &c))
		n++;
	return n;
}

static void settle(void)
{
	nctl_time end = nctl_time_add_ms(nctl_time_now(), PATIENCE_MS);
	struct nctl_hub_stats s;

	do {
		assert_true(nctl_time_cmp(nctl_time_now(), end) < 0);
		while (turn(0))
			;
		nctl_hub_get_stats(t.hub, &s);
		if (s.waiting && t.opts.clock)
			now = nctl_hub_deadline(t.hub);
		turn(s.dumping || s.waiting ? 100 : 0);
	} while (s.dumping || s.waiting || stats().suspects);
}

/* Events and dumps agree on what is ignored, with or without a filter in the kernel. */
static void test_ignored(void **state)
{
	enum { FEED = 186, HIGH = 1000, OTHER = 1001 };

	(void)state;
	nctl_event_filter_add_protocol(&t.opts.filter, FEED);
	assert_int_equal(nctl_event_filter_add_table(&t.opts.filter, HIGH), 0);
	assert_int_equal(route(RTM_NEWROUTE, FEED, 77, NLM_F_CREATE), 0);
	assert_int_equal(route(RTM_NEWROUTE, RTPROT_STATIC, HIGH, NLM_F_CREATE), 0);
	assert_int_equal(route(RTM_NEWROUTE, RTPROT_STATIC, OTHER, NLM_F_CREATE), 0);
	start();
	until_synced();
	assert_int_equal(in_table(77), 0);
	assert_int_equal(in_table(HIGH), 0);
	assert_int_equal(in_table(OTHER), 1);
	assert_int_equal(stats().ignored, 2);
	assert_int_equal(route(RTM_NEWROUTE, FEED, 78, NLM_F_CREATE), 0);
	settle();
	assert_int_equal(in_table(78), 0);
	/* It takes the place of one that is not ignored: only a dump tells, and only of that table. */
	nctl_fake_reset_counts(t.fake);
	assert_int_equal(route(RTM_NEWROUTE, FEED, OTHER, NLM_F_CREATE | NLM_F_REPLACE), 0);
	settle();
	assert_int_equal(in_table(OTHER), 0);
	assert_int_equal(stats().scoped, 1);
	assert_int_equal(nctl_fake_count(t.fake, RTM_GETROUTE), 1);
	assert_int_equal(nctl_fake_count(t.fake, RTM_GETLINK), 0);
	assert_int_equal(t.synced, 1);
	assert_int_equal(stats().epoch, 1);
}

/* A dump of a part that a loss overtakes is of no use; the round after it has all. */
static void test_scope_overtaken(void **state)
{
	enum { FEED = 186, OTHER = 1001 };

	(void)state;
	nctl_event_filter_add_protocol(&t.opts.filter, FEED);
	start();
	until_synced();
	assert_int_equal(route(RTM_NEWROUTE, RTPROT_STATIC, OTHER, NLM_F_CREATE), 0);
	settle();
	assert_int_equal(in_table(OTHER), 1);
	assert_int_equal(route(RTM_NEWROUTE, FEED, OTHER, NLM_F_CREATE | NLM_F_REPLACE), 0);
	while (!stats().dumping)
		turn(0);
	nctl_fake_overrun_events(t.fake, 1);
	mtu_of_eth(1);
	settle();
	until_synced();
	settle();
	assert_int_equal(in_table(OTHER), 0);
	assert_int_equal(t.lost, 1);
	assert_int_equal(t.synced, 2);
	assert_int_equal(stats().suspects, 0);
}

/* A link comes, gets an address and goes down: its routes go without a word, and are suspect. */
static void link_goes_down(nctl_ifindex link)
{
	uint64_t netns = nctl_fake_home(t.fake);

	assert_int_equal(foreign_new(t.fake, netns, link, "dummy0", "dummy", 0), 0);
	assert_int_equal(foreign_up(t.fake, netns, link, true), 0);
	assert_int_equal(foreign_addr(t.fake, netns, link, "192.0.2.1/24", true), 0);
	settle();
	assert_int_equal(foreign_up(t.fake, netns, link, false), 0);
}

/* What a pause was for went with its link: nothing is left to wake for. */
static void test_scope_forgotten(void **state)
{
	(void)state;
	t.opts.clock = injected;
	start();
	until_synced();
	link_goes_down(77);
	settle();
	assert_true(stats().scoped >= 1);
	assert_int_equal(foreign_del(t.fake, nctl_fake_home(t.fake), 77), 0);
	settle();
	link_goes_down(78);
	assert_true(next_pause() > 0);
	assert_int_equal(foreign_del(t.fake, nctl_fake_home(t.fake), 78), 0);
	while (turn(0))
		;
	assert_int_equal(stats().suspects, 0);
	assert_int_equal(nctl_time_cmp(nctl_hub_deadline(t.hub), NCTL_TIME_NEVER), 0);
}

#define CASE(name_) cmocka_unit_test_setup_teardown(test_##name_, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(portions),
		CASE(storm),
		CASE(pauses),
		CASE(truncated),
		CASE(ignored),
		CASE(scope_overtaken),
		CASE(scope_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
