/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Monitor: what its readers are told, in which order, under which numbers; what is there first;
 * namespaces that come and go; readers that are slow, stuck or gone. A client makes something happen by a
 * call of Status.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "mirror/route.h"
#include "stub.h"

#define FLOOD 20000

static int monitor(sd_bus *bus, const char *want, ...)
{
	va_list ap;
	int fd;

	va_start(ap, want);
	fd = client_pipe(bus, want, "Monitor", NULL, ap);
	va_end(ap);
	return fd;
}

static void step(sd_bus *bus)
{
	sd_bus_message_unref(client_send(bus, client_call(bus, "Status"), NULL));
}

/* The next record, in a buffer of its own for each fd up to 63. */
static char *next(int fd)
{
	static struct {
		char text[65536];
		size_t len, line;
	} * bufs[64];
	char *nl;
	ssize_t n;

	CHECK(fd < 64);
	if (!bufs[fd])
		bufs[fd] = calloc(1, sizeof(*bufs[fd]));
	memmove(bufs[fd]->text, bufs[fd]->text + bufs[fd]->line, bufs[fd]->len - bufs[fd]->line);
	bufs[fd]->len -= bufs[fd]->line;
	while (!(nl = memchr(bufs[fd]->text, '\n', bufs[fd]->len))) {
		n = read(fd, bufs[fd]->text + bufs[fd]->len, sizeof(bufs[fd]->text) - bufs[fd]->len);
		CHECK(n > 0);
		bufs[fd]->len += (size_t)n;
	}
	*nl = '\0';
	bufs[fd]->line = (size_t)(nl + 1 - bufs[fd]->text);
	return bufs[fd]->text;
}

static unsigned long number(const char *line, const char *key)
{
	const char *p = strstr(line, key);

	if (!p)
		client_fail(line, 0, key);
	return strtoul(p + strlen(key), NULL, 10);
}

static void expect(int fd, unsigned long seq, const char *a, const char *b)
{
	char *line = next(fd);

	if (number(line, "{\"seq\":") != seq || !strstr(line, a) || !strstr(line, b))
		client_fail(line, (int)seq, a);
}

static void put_route(struct nctl_mirror *m, unsigned i, uint8_t protocol)
{
	struct nctl_hop hop = {.oif = 2, .weight = 1};
	struct nctl_route r = {.table = RT_TABLE_MAIN,
		.protocol = protocol,
		.type = RTN_UNICAST,
		.n_hops = 1,
		.hops = &hop,
		.scope = RT_SCOPE_LINK};

	r.dst = (struct nctl_prefix){AF_INET, 32, {20, (uint8_t)(i >> 16), (uint8_t)(i >> 8), (uint8_t)i}};
	assert_int_equal(nctl_mirror_route_put(m, &r, NLM_F_CREATE | NLM_F_REPLACE, NCTL_SOURCE_EVENT), 0);
}

static void put_link(struct nctl_mirror *m, unsigned ifindex, unsigned mtu)
{
	struct nctl_link l = NCTL_LINK_INIT;

	l.ifindex = ifindex;
	l.mtu = mtu;
	l.has = NCTL_LINK_BIT(NAME) | NCTL_LINK_BIT(MTU);
	snprintf(l.name, sizeof(l.name), "l%u", ifindex);
	assert_int_equal(nctl_mirror_link_put(m, &l, NCTL_SOURCE_EVENT), 0);
	nctl_link_fini(&l);
}

static void make_changes(struct nd_reconcile *r, unsigned n)
{
	struct nctl_addr a = NCTL_ADDR_INIT;

	(void)n;
	put_link(r->mirror, 500, 1500);
	put_link(r->mirror, 500, 9000);
	a.ifindex = 500;
	a.local = (struct nctl_prefix){AF_INET, 24, {10, 9, 9, 9}};
	assert_int_equal(nctl_mirror_addr_put(r->mirror, &a, NCTL_SOURCE_EVENT), 0);
	put_route(r->mirror, 1, RTPROT_BGP);
	put_route(r->mirror, 1, RTPROT_STATIC);
	assert_int_equal(nctl_mirror_addr_drop(r->mirror, &a), 0);
	assert_int_equal(nctl_mirror_link_drop(r->mirror, 500), 0);
}

static void changes_client(struct fixture *f)
{
	sd_bus *bus = client_connect(f);
	int all = monitor(bus, NULL, NULL), links = monitor(bus, NULL, "link", "", NULL);
	int six = monitor(bus, NULL, "address", "", "link", "", "family", "inet6", NULL);

	monitor(bus, "InvalidFilter", "foo", "", NULL);
	monitor(bus, "InvalidFilter", "link", "x", NULL);
	monitor(bus, "NotFound", "netns", "nope", NULL);
	step(bus);
	expect(all, 1, "\"netns\":\"\",\"op\":\"added\",\"object\":\"link\"", "\"ifname\":\"l500\"");
	expect(all, 2, "\"op\":\"changed\",\"object\":\"link\"", "\"mtu\":9000");
	expect(all, 3, "\"op\":\"added\",\"object\":\"address\"", "\"ifname\":\"l500\",\"addr_info\":[{");
	expect(all, 4, "\"op\":\"added\",\"object\":\"route\"", "\"dst\":\"20.0.0.1\"");
	expect(all, 5, "\"op\":\"changed\",\"object\":\"route\"", "\"changed\":[\"protocol\"]");
	expect(all, 6, "\"op\":\"removed\",\"object\":\"address\"", "10.9.9.9");
	expect(all, 7, "\"op\":\"removed\",\"object\":\"link\"", "\"ifindex\":500");
	expect(links, 1, "\"added\"", "");
	expect(links, 2, "\"changed\":[\"mtu\"]", "");
	expect(links, 3, "\"removed\"", "");
	expect(six, 1, "\"added\"", "link");
	expect(six, 2, "\"changed\"", "link");
	expect(six, 3, "\"removed\"", "link");
	sd_bus_close_unref(bus);
}

static void changes(void **state)
{
	struct fixture *f = *state;

	add_links(f, 5);
	f->stub.step = make_changes;
	assert_int_equal(run_client(f, -1, changes_client), 0);
	/* Nobody listens any more. */
	run_for(f, 20);
	make_changes(&f->stub, 0);
}

/* Routes before, while and after what is there is told. */
static void add_some(struct nd_reconcile *r, unsigned n)
{
	for (unsigned i = 0; i < 10; i++)
		put_route(r->mirror, 100000 + n * 10 + i, RTPROT_BGP);
}

static void initial_client(struct fixture *f)
{
	sd_bus *bus = client_connect(f);
	int fd = monitor(bus, NULL, "initial", "", "route", "", NULL);
	bool *there = calloc(FLOOD + 10, sizeof(bool));
	unsigned long seq = 0, route, n = 0;
	const char *line, *dst;
	unsigned a, b, c;

	CHECK(there);
	step(bus);
	while (!strstr(line = next(fd), "\"op\":\"complete\"")) {
		CHECK(number(line, "{\"seq\":") == ++seq);
		dst = strstr(line, "\"dst\":\"20.");
		CHECK(dst && sscanf(dst + 10, "%u.%u.%u", &a, &b, &c) == 3);
		route = a << 16 | b << 8 | c;
		route = route < 100000 ? route : FLOOD + route - 100010;
		CHECK(route < FLOOD + 10);
		n += !there[route];
		there[route] = true;
	}
	CHECK(n == FLOOD + 10);
	step(bus);
	for (int i = 0; i < 10; i++)
		expect(fd, seq + 2 + (unsigned)i, "\"added\"", "20.1.134.");
	sd_bus_close_unref(bus);
}

static void initial(void **state)
{
	struct fixture *f = *state;

	add_links(f, 5);
	for (unsigned i = 0; i < FLOOD; i++)
		put_route(f->stub.mirror, i, RTPROT_BGP);
	f->stub.step = add_some;
	assert_int_equal(run_client(f, -1, initial_client), 0);
}

static void flood(struct nd_reconcile *r, unsigned n)
{
	if (n % 2 == 0) {
		put_link(r->mirror, 7, 1000 + n);
		return;
	}
	for (unsigned i = 0; i < FLOOD; i++)
		put_route(r->mirror, i, n % 4 == 1 ? RTPROT_BGP : RTPROT_STATIC);
}

/* The records up to and with the gap. */
static unsigned long read_gap(int fd, unsigned long seq)
{
	char *line;

	while (!strstr(line = next(fd), "\"op\":\"gap\""))
		CHECK(number(line, "{\"seq\":") == ++seq);
	CHECK(number(line, "\"lost\":") > 0);
	CHECK(number(line, "\"epoch\":") == 0);
	CHECK(number(line, "{\"seq\":") == seq + number(line, "\"lost\":"));
	return number(line, "{\"seq\":");
}

static void slow_client(struct fixture *f)
{
	sd_bus *bus = client_connect(f);
	int slow = monitor(bus, NULL, NULL), other = monitor(bus, NULL, "link", "", NULL);
	unsigned long seq;

	step(bus);
	/* A reader of something else notices nothing. */
	step(bus);
	expect(other, 1, "\"op\":\"added\"", "\"ifname\":\"l7\"");
	seq = read_gap(slow, 0);
	/* The gap ends before or behind the link. */
	if (seq == FLOOD)
		expect(slow, ++seq, "\"added\"", "\"l7\"");
	CHECK(seq == FLOOD + 1);
	step(bus);
	step(bus);
	expect(other, 2, "\"op\":\"changed\"", "\"mtu\":1004");
	seq = read_gap(slow, seq);
	if (seq == 2 * FLOOD + 1)
		expect(slow, ++seq, "\"changed\"", "\"mtu\":1004");
	CHECK(seq == 2 * (FLOOD + 1));
	close(slow);
	sd_bus_close_unref(bus);
}

static void slow(void **state)
{
	struct fixture *f = *state;
	size_t bytes;

	add_links(f, 5);
	for (unsigned i = 0; i < FLOOD; i++)
		put_route(f->stub.mirror, i, RTPROT_KERNEL);
	f->stub.step = flood;
	assert_int_equal(run_client_measured(f, slow_client, &bytes), 0);
	print_message("%zu bytes at most\n", bytes);
	assert_true(bytes < 1 << 20);
}

static void tell(struct nd_reconcile *r, enum nd_netns_record_type type, struct nd_netns *n, bool after_loss)
{
	const struct nd_netns_record record = {
		.type = type, .netns = n, .epoch = 3, .losses = 2, .after_loss = after_loss};

	nctl_subs_notify(&r->set.subs, &record);
}

static void namespaces_step(struct nd_reconcile *r, unsigned n)
{
	struct fixture *f = nctl_container_of(r, struct fixture, stub);
	struct nd_netns *t;

	if (n == 1) {
		t = add_netns(f, "late", false);
		tell(r, ND_NETNS_BORN, t, false);
		put_link(t->session.mirror, 9, 1500);
		tell(r, ND_NETNS_SYNCED, t, false);
		put_link(nd_netns_find(&r->set, "t1")->session.mirror, 8, 1500);
		tell(r, ND_NETNS_LOST, r->set.v[0], false);
		tell(r, ND_NETNS_SYNCED, r->set.v[0], true);
	} else if (n == 2) {
		t = nd_netns_find(&r->set, "t1");
		tell(r, ND_NETNS_GONE, t, false);
		drop_netns(t);
		t = add_netns(f, "t1", false);
		tell(r, ND_NETNS_BORN, t, false);
		put_link(t->session.mirror, 10, 1500);
	}
}

static void namespaces_client(struct fixture *f)
{
	sd_bus *bus = client_connect(f);
	int all = monitor(bus, NULL, "all-netns", "", NULL), one = monitor(bus, NULL, "netns", "t1", NULL),
	    own = monitor(bus, NULL, "link", "", NULL);

	step(bus);
	expect(all, 1, "\"netns\":\"late\",\"op\":\"added\",\"object\":\"netns\"",
		"\"value\":{\"name\":\"late\"");
	expect(all, 2, "\"netns\":\"late\",\"op\":\"added\",\"object\":\"link\"", "\"l9\"");
	expect(all, 3, "\"netns\":\"late\",\"op\":\"synced\"", "\"epoch\":3");
	expect(all, 4, "\"netns\":\"t1\",\"op\":\"added\"", "\"l8\"");
	expect(all, 5, "\"netns\":\"\",\"op\":\"lost\"", "");
	expect(all, 6, "\"netns\":\"\",\"op\":\"resynced\"", "\"losses\":2");
	expect(one, 1, "\"t1\"", "\"l8\"");
	expect(own, 1, "\"lost\"", "");
	expect(own, 2, "\"resynced\"", "");
	step(bus);
	expect(one, 2, "\"netns\":\"t1\",\"op\":\"removed\",\"object\":\"netns\"", "");
	expect(one, 3, "\"netns\":\"t1\",\"op\":\"added\",\"object\":\"netns\"", "");
	expect(one, 4, "\"netns\":\"t1\",\"op\":\"added\",\"object\":\"link\"", "\"l10\"");
	sd_bus_close_unref(bus);
}

static void namespaces(void **state)
{
	struct fixture *f = *state;

	add_links(f, 5);
	add_netns(f, "t1", false);
	f->stub.step = namespaces_step;
	assert_int_equal(run_client(f, -1, namespaces_client), 0);
}

static void limits_client(struct fixture *f)
{
	sd_bus *bus[9];
	int fds[4];

	for (int i = 0; i < 9; i++)
		bus[i] = client_connect(f);
	for (int i = 0; i < 4; i++)
		fds[i] = monitor(bus[0], NULL, NULL);
	monitor(bus[0], "LimitsExceeded", NULL);
	/* Readers that are gone make room, though nothing was to be written. */
	close(fds[0]);
	close(fds[1]);
	monitor(bus[0], NULL, NULL);
	monitor(bus[0], NULL, NULL);
	monitor(bus[0], "LimitsExceeded", NULL);
	for (int i = 4; i < 32; i++)
		monitor(bus[i / 4], NULL, "all-netns", "", NULL);
	monitor(bus[8], "LimitsExceeded", NULL);
	step(bus[8]);
}

static void limits(void **state)
{
	struct fixture *f = *state;

	add_links(f, 5);
	f->stub.step = make_changes;
	assert_int_equal(run_client(f, -1, limits_client), 0);
	run_for(f, 20);
}

static void stats_client(struct fixture *f)
{
	sd_bus *bus = client_connect(f);
	int fd = monitor(bus, NULL, NULL);
	sd_bus_message *reply;
	const char *json;

	reply = client_send(bus, client_call(bus, "Stats"), NULL);
	CHECK(sd_bus_message_read(reply, "s", &json) >= 0);
	CHECK(strstr(json, "\"monitors\":1,") && strstr(json, "\"links\":5,") &&
		strstr(json, "\"joined\":4711,"));
	CHECK(strstr(json, "\"longest_turn_us\":") && strstr(json, "\"below_us\":64,"));
	sd_bus_message_unref(reply);
	close(fd);
	sd_bus_close_unref(bus);
}

static void stats(void **state)
{
	struct fixture *f = *state;

	add_links(f, 5);
	assert_int_equal(run_client(f, -1, stats_client), 0);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(changes),
		TEST(initial),
		TEST(slow),
		TEST(namespaces),
		TEST(limits),
		TEST(stats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
