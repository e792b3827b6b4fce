/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Query for what is neither link nor address: which objects pass which filters, neighbours and counters
 * that the kernel is asked for, and a great many routes with a reader that does not read.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <linux/fib_rules.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "mirror/route.h"
#include "stub.h"

#define MANY 200000

static struct nctl_prefix prefix(const char *text)
{
	struct nctl_prefix p;

	assert_int_equal(nctl_prefix_parse(text, NCTL_PREFIX_ANY, &p), 0);
	return p;
}

static void put_route(struct nctl_mirror *m, const char *dst, nctl_table table, unsigned metric,
	nctl_ifindex oif, const char *via, uint8_t protocol)
{
	struct nctl_hop hop = {.oif = oif, .weight = 1, .via = via ? prefix(via) : NCTL_PREFIX_NULL};
	struct nctl_route r = {.dst = prefix(dst),
		.table = table,
		.metric = metric,
		.protocol = protocol,
		.scope = via ? RT_SCOPE_UNIVERSE : RT_SCOPE_LINK,
		.type = RTN_UNICAST,
		.n_hops = 1,
		.hops = &hop};

	assert_int_equal(nctl_mirror_route_put(m, &r, NLM_F_CREATE, NCTL_SOURCE_EVENT), 0);
}

static void put_rule(
	struct nctl_mirror *m, uint8_t family, uint32_t priority, nctl_table table, uint32_t mark)
{
	struct nctl_rule r = {.family = family,
		.action = FR_ACT_TO_TBL,
		.table = table,
		.priority = priority,
		.protocol = RTPROT_KERNEL,
		.suppress_prefixlen = -1,
		.suppress_ifgroup = -1,
		.has_mark = mark,
		.mark = mark,
		.mask = mark ? UINT32_MAX : 0};

	assert_int_equal(nctl_mirror_rule_put(m, &r, NCTL_SOURCE_EVENT), 0);
}

static void put_nexthop(struct nctl_mirror *m, nctl_nhid id, nctl_ifindex oif, bool group)
{
	const struct nctl_nexthop_member members[] = {{1, 1}, {2, 3}};
	struct nctl_nexthop n = {.id = id,
		.family = group ? AF_UNSPEC : AF_INET,
		.protocol = RTPROT_STATIC,
		.group = group,
		.n_members = group ? 2 : 0,
		.members = members};

	n.hop = (struct nctl_hop){.oif = oif, .weight = 1};
	assert_int_equal(nctl_mirror_nexthop_put(m, &n, NCTL_SOURCE_EVENT), 0);
}

static void fill(struct fixture *f)
{
	struct nctl_mirror *m = f->stub.mirror;

	add_links(f, 300);
	put_route(m, "0.0.0.0/0", RT_TABLE_MAIN, 0, 2, "10.0.2.9", RTPROT_STATIC);
	put_route(m, "10.0.0.0/8", RT_TABLE_MAIN, 0, 3, "10.0.3.9", RTPROT_BGP);
	put_route(m, "10.1.0.0/16", RT_TABLE_MAIN, 0, 3, "10.0.3.8", RTPROT_BGP);
	put_route(m, "10.1.0.0/16", RT_TABLE_MAIN, 7, 4, NULL, RTPROT_BGP);
	put_route(m, "10.1.1.0/24", RT_TABLE_MAIN, 0, 5, NULL, RTPROT_STATIC);
	put_route(m, "10.1.0.0/16", 100, 0, 6, NULL, RTPROT_STATIC);
	put_route(m, "10.1.0.0/16", UINT32_MAX, 0, 6, NULL, RTPROT_STATIC);
	put_route(m, "::/0", RT_TABLE_MAIN, 1024, 2, "fe80::1", RTPROT_RA);
	put_route(m, "2000::/64", RT_TABLE_MAIN, 256, 3, NULL, RTPROT_KERNEL);
	put_rule(m, AF_INET, 0, RT_TABLE_LOCAL, 0);
	put_rule(m, AF_INET, 100, 100, 7);
	put_rule(m, AF_INET, 100, 101, 8);
	put_rule(m, AF_INET, 32766, RT_TABLE_MAIN, 0);
	put_rule(m, AF_INET6, 0, RT_TABLE_LOCAL, 0);
	put_nexthop(m, 1, 2, false);
	put_nexthop(m, 2, 3, false);
	put_nexthop(m, 10, 0, true);
}

static size_t lines(int fd, const char *must_have)
{
	size_t n = 0, len;
	char *text = client_slurp(fd, &len), *p = text, *nl;

	for (; *p != '\n'; p = nl + 1, n++) {
		nl = memchr(p, '\n', len - (size_t)(p - text));
		CHECK(nl && *p == '{' && nl[-1] == '}');
		*nl = '\0';
		if (must_have && !strstr(p, must_have))
			client_fail(p, 0, must_have);
	}
	CHECK(p + 1 == text + len);
	free(text);
	return n;
}

#define LINES(must_have_, ...) lines(client_query(bus, NULL, __VA_ARGS__, NULL), must_have_)

static void routes_client(struct fixture *f)
{
	sd_bus *bus = client_connect(f);

	CHECK(LINES("\"dst\"", "route") == 5);
	CHECK(LINES(NULL, "route", "family", "inet6") == 2);
	CHECK(LINES(NULL, "route", "table", "all") == 9);
	CHECK(LINES(NULL, "route", "table", "all", "family", "inet") == 7);
	CHECK(LINES("100", "route", "table", "100") == 1);
	CHECK(LINES(NULL, "route", "table", "4294967295") == 1);
	CHECK(LINES(NULL, "route", "table", "77") == 0);
	CHECK(LINES("default", "route", "exact", "default") == 1);
	CHECK(LINES("default", "route", "exact", "default", "family", "inet6") == 1);
	CHECK(LINES("10.1.", "route", "root", "10.1.0.0/16") == 3);
	CHECK(LINES("10.1.", "route", "root", "10.1.0.0/16", "table", "all") == 5);
	CHECK(LINES(NULL, "route", "match", "10.1.2.3") == 4);
	CHECK(LINES(NULL, "route", "match", "10.1.2.3", "table", "all") == 6);
	CHECK(LINES(NULL, "route", "match", "10.1.0.0/16", "root", "10.0.0.0/8") == 3);
	CHECK(LINES("10.1.0.0/16", "route", "exact", "10.1.0.0/16") == 2);
	CHECK(LINES("10.1.0.0/16", "route", "exact", "10.1.0.0/16", "table", "all") == 4);
	CHECK(LINES(NULL, "route", "exact", "10.1.0.0/17", "table", "all") == 0);
	CHECK(LINES(NULL, "route", "match", "2000::7") == 2);
	CHECK(LINES("\"l3\"", "route", "dev", "l3") == 2);
	CHECK(LINES("10.0.3.", "route", "via", "10.0.3.0/24") == 2);
	CHECK(LINES("bgp", "route", "proto", "bgp") == 3);
	CHECK(LINES("10.1.0.0/16", "route", "metric", "7") == 1);
	CHECK(LINES(NULL, "route", "scope", "link") == 2);
	CHECK(LINES(NULL, "route", "type", "blackhole") == 0);
	client_query(bus, "NotFound", "route", "dev", "nope", NULL);
	client_query(bus, "InvalidFilter", "route", "table", "nope", NULL);
	client_query(bus, "InvalidFilter", "route", "root", "10.0.0/8", NULL);
	client_query(bus, "InvalidFilter", "route", "type", "nope", NULL);
	client_query(bus, "InvalidFilter", "route", "up", "", NULL);
	sd_bus_close_unref(bus);
}

static void others_client(struct fixture *f)
{
	sd_bus *bus = client_connect(f);

	CHECK(LINES("priority", "rule") == 4);
	CHECK(LINES(NULL, "rule", "family", "inet6") == 1);
	CHECK(LINES("100", "rule", "priority", "100") == 2);
	CHECK(LINES("101", "rule", "priority", "100", "table", "101") == 1);
	CHECK(LINES("101", "rule", "fwmark", "0x8") == 1);
	CHECK(LINES(NULL, "rule", "fwmark", "8/0xff") == 0);
	CHECK(LINES(NULL, "rule", "protocol", "kernel", "iif", "lo") == 0);
	client_query(bus, "InvalidFilter", "rule", "fwmark", "x", NULL);
	CHECK(LINES("\"id\"", "nexthop") == 3);
	CHECK(LINES("\"id\":2", "nexthop", "id", "2") == 1);
	CHECK(LINES(NULL, "nexthop", "id", "3") == 0);
	CHECK(LINES("\"group\"", "nexthop", "groups", "") == 1);
	CHECK(LINES("\"l3\"", "nexthop", "dev", "l3") == 1);
	CHECK(LINES(NULL, "nexthop", "protocol", "bgp") == 0);
	CHECK(LINES("\"routes\":9", "stats") == 1);
	CHECK(LINES("\"routes\"", "stats", "all-netns", "") == 1);
	sd_bus_close_unref(bus);
}

static void filters(void **state)
{
	struct fixture *f = *state;

	fill(f);
	assert_int_equal(run_client(f, -1, routes_client), 0);
	assert_int_equal(run_client(f, -1, others_client), 0);
}

static void live_client(struct fixture *f)
{
	sd_bus *bus = client_connect(f);

	CHECK(LINES("\"lladdr\":\"02:00:00:00:00:01\"", "neigh") == 1234);
	CHECK(LINES("10.0.0.", "neigh", "to", "10.0.0.0/24") == 256);
	CHECK(LINES(NULL, "neigh", "nud", "stale") == 0);
	CHECK(LINES(NULL, "neigh", "dev", "l2") == 0);
	CHECK(LINES(NULL, "fdb") == 0);
	CHECK(LINES("\"stats64\":{\"rx\":{\"bytes\":", "link", "stats", "") == 300);
	CHECK(LINES("\"collisions\":7}}}", "link", "stats", "", "up", "") == 31);
	CHECK(LINES("\"bytes\":17000,", "link", "stats", "", "dev", "l17") == 1);
	sd_bus_close_unref(bus);
}

static void live(void **state)
{
	struct fixture *f = *state;

	add_links(f, 300);
	f->stub.set.neighs = 1234;
	assert_int_equal(run_client(f, -1, live_client), 0);
}

/* While nobody reads, the kernel is not asked for more. */
static void stuck_live_client(struct fixture *f)
{
	sd_bus *bus = client_connect(f);

	client_query(bus, NULL, "neigh", NULL);
	for (int i = 0; i < 2000; i++)
		sd_bus_message_unref(client_send(bus, client_call(bus, "Status"), NULL));
	sd_bus_close_unref(bus);
}

static void stuck_live(void **state)
{
	struct fixture *f = *state;

	add_links(f, 2);
	f->stub.set.neighs = 10000000;
	assert_int_equal(run_client(f, -1, stuck_live_client), 0);
	print_message("pieces read for nobody: %u\n", f->stub.set.pieces);
	assert_true(f->stub.set.pieces < 300);
}

static void add_many(struct nctl_mirror *m)
{
	struct nctl_hop hop = {.oif = 2, .weight = 1, .via = prefix("10.0.2.9")};
	struct nctl_route r = {.table = RT_TABLE_MAIN,
		.protocol = RTPROT_BGP,
		.type = RTN_UNICAST,
		.n_hops = 1,
		.hops = &hop};

	for (uint32_t i = 0; i < MANY; i++) {
		r.dst = (struct nctl_prefix){
			AF_INET, 32, {20, (uint8_t)(i >> 16), (uint8_t)(i >> 8), (uint8_t)i}};
		assert_int_equal(nctl_mirror_route_put(m, &r, NLM_F_CREATE, NCTL_SOURCE_EVENT), 0);
	}
}

/* Its end is not seen, since it is not read: then the other one is served as ever, and so is this one in the
 * end. */
static void stuck_client(struct fixture *f)
{
	sd_bus *bus = client_connect(f), *other = client_connect(f);
	uint64_t longest = 0;
	int fds[8];

	for (int i = 0; i < 8; i++)
		fds[i] = client_query(bus, NULL, "route", NULL);
	for (int i = 0; i < 200; i++) {
		nctl_time begin = nctl_time_now();

		sd_bus_message_unref(client_send(other, client_call(other, "Status"), NULL));
		longest = nctl_max(longest, (uint64_t)nctl_time_diff_us(nctl_time_now(), begin));
	}
	print_message("others wait for %u us at most\n", (unsigned)longest);
	CHECK(longest < 100000); /* a busy machine is no failure; the turns are looked at below */
	CHECK(lines(fds[0], "\"dev\":\"l2\"") == MANY);
	sd_bus_close_unref(bus);
	sd_bus_close_unref(other);
}

static void stuck(void **state)
{
	struct fixture *f = *state;
	struct nd_loop_stats stats;
	size_t bytes;

	add_links(f, 2);
	add_many(f->stub.mirror);
	assert_int_equal(run_client_measured(f, stuck_client, &bytes), 0);
	nd_loop_get_stats(f->loop, &stats);
	print_message("longest turn %u us, %zu bytes for 8 readers\n", (unsigned)stats.longest_turn_us,
		bytes);
	assert_true(bytes < 8 * (1 << 20));
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(filters),
		TEST(live),
		TEST(stuck_live),
		TEST(stuck),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
