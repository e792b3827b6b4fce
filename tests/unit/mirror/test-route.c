/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: routes beside a naive model of the kernel's: for each family and table one array in the order of the
 * kernel, searched from end to end. Random messages with the flags by which the kernel would send them.
 */
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>

#include "mirror/route.h"
#include "route-model.h"

/* ---- single cases ---- */

static void test_one(void **state)
{
	struct rmodel *m = rmodel_new(1);
	struct nctl_route r;
	struct nctl_hop hop;
	struct nctl_route v;
	nctl_route_ref ref;

	(void)state;
	rmodel_route(&r, &hop, "10.1.0.0/16", 254, 3, "192.0.2.1");
	assert_int_equal(
		nctl_mirror_route_put(m->mirror, &r, NLM_F_CREATE | NLM_F_EXCL, NCTL_SOURCE_EVENT), 0);
	ref = nctl_mirror_route_get(m->mirror, 254, &r.dst);
	assert_true(ref);
	nctl_mirror_route_view(m->mirror, ref, &v);
	assert_int_equal(nctl_route_diff(&v, &r), 0);
	assert_true(nctl_prefix_equal(&v.dst, &r.dst));
	assert_int_equal(nctl_mirror_route_count_link(m->mirror, 3), 1);
	assert_int_equal(nctl_mirror_route_count(m->mirror, AF_INET), 1);
	assert_int_equal(nctl_mirror_route_drop(m->mirror, &r), 0);
	assert_int_equal(nctl_mirror_route_count(m->mirror, AF_UNSPEC), 0);
	assert_int_equal(nctl_mirror_route_count_link(m->mirror, 3), 0);
	rmodel_free(m);
}

static void test_order4(void **state)
{
	static const struct {
		const char *via;
		unsigned flags;
		const char *want;
	} steps[] = {
		{"10.9.0.1", NLM_F_CREATE | NLM_F_EXCL, "1"},
		{"10.9.0.2", NLM_F_CREATE | NLM_F_APPEND, "12"},
		{"10.9.0.3", NLM_F_CREATE, "312"},
		{"10.9.0.4", NLM_F_REPLACE, "412"},
		{"10.9.0.2", NLM_F_CREATE | NLM_F_APPEND, "412"}, /* there already */
		{"10.9.0.5", NLM_F_CREATE | NLM_F_APPEND, "4125"},
	};
	struct rmodel *m = rmodel_new(1);
	struct nctl_route r;
	struct nctl_hop hop;
	char got[16];

	(void)state;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		nctl_route_ref ref;
		size_t n = 0;

		rmodel_route(&r, &hop, "10.1.0.0/16", 254, 3, steps[i].via);
		nctl_mirror_route_put(m->mirror, &r, steps[i].flags, NCTL_SOURCE_EVENT);
		for (ref = nctl_mirror_route_get(m->mirror, 254, &r.dst); ref;
			ref = nctl_mirror_route_sibling(m->mirror, ref)) {
			struct nctl_route v;

			nctl_mirror_route_view(m->mirror, ref, &v);
			got[n++] = (char)('0' + v.hops[0].via.addr[3]);
		}
		got[n] = 0;
		assert_string_equal(got, steps[i].want);
	}
	rmodel_free(m);
}

/* A route on a link, without a gateway; metrics as the attribute of an MTU, or none. */
static void put_twin(struct rmodel *m, nctl_ifindex oif, uint32_t mtu, unsigned flags, enum nctl_source src)
{
	struct {
		struct nlattr a;
		uint32_t mtu;
	} metrics = {{sizeof(metrics), RTAX_MTU}, mtu};
	struct nctl_route r;
	struct nctl_hop hop;

	rmodel_route(&r, &hop, "2001:db8::/48", 254, oif, NULL);
	if (mtu)
		r.metrics = (struct nctl_bytes){(uint8_t *)&metrics, sizeof(metrics)};
	assert_int_equal(nctl_mirror_route_put(m->mirror, &r, flags, src), 0);
}

/* The links of the prefix's routes in order, in capitals where there is an MTU. */
static void assert_twins(const struct rmodel *m, const char *want)
{
	struct nctl_prefix p;
	char got[16];
	size_t n = 0;

	assert_int_equal(nctl_prefix_parse("2001:db8::/48", NCTL_PREFIX_NEED_LENGTH, &p), 0);
	for (nctl_route_ref ref = nctl_mirror_route_get(m->mirror, 254, &p); ref;
		ref = nctl_mirror_route_sibling(m->mirror, ref)) {
		struct nctl_route v;

		nctl_mirror_route_view(m->mirror, ref, &v);
		got[n++] = (char)((v.metrics.n ? 'A' : 'a') - 1 + (char)v.hops[0].oif);
	}
	got[n] = 0;
	assert_string_equal(got, want);
}

/* A dump that gives these; they are what the mirror has then. */
static void dump_twins(struct rmodel *m, const char *twins)
{
	const struct nctl_dump_scope all = {.type = NCTL_OBJECT_ROUTE6};

	nctl_mirror_dump_begin(m->mirror, &all);
	for (const char *t = twins; *t; t++)
		put_twin(m, (nctl_ifindex)(*t & 0x1f), *t < 'a' ? 1300 : 0, 0, NCTL_SOURCE_DUMP);
	nctl_mirror_dump_end(m->mirror, true);
	nctl_mirror_work(m->mirror, 100);
	assert_twins(m, twins);
}

/* What replaces the first of its equals may be behind it already: then there are two of it. */
static void test_twins6(void **state)
{
	struct rmodel *m = rmodel_new(1);
	struct nctl_dump_scope scope;
	struct nctl_route r;
	struct nctl_hop hop;

	(void)state;
	put_twin(m, 1, 0, NLM_F_CREATE | NLM_F_EXCL, NCTL_SOURCE_EVENT);
	put_twin(m, 2, 0, NLM_F_CREATE, NCTL_SOURCE_EVENT);
	put_twin(m, 2, 1300, NLM_F_REPLACE, NCTL_SOURCE_EVENT);
	assert_twins(m, "Bb");
	put_twin(m, 2, 1300, NLM_F_REPLACE, NCTL_SOURCE_EVENT);
	dump_twins(m, "Bb");
	assert_false(nctl_mirror_next_suspect(m->mirror, &scope));
	/* What a dump repeats may be a twin, which the next one tells. */
	dump_twins(m, "BBb");
	assert_true(nctl_mirror_next_suspect(m->mirror, &scope));
	dump_twins(m, "BBb");
	assert_false(nctl_mirror_next_suspect(m->mirror, &scope));
	dump_twins(m, "B");
	/* Two that only a dump tells of; the first one goes. */
	dump_twins(m, "bB");
	rmodel_route(&r, &hop, "2001:db8::/48", 254, 2, NULL);
	assert_int_equal(nctl_mirror_route_drop(m->mirror, &r), 0);
	assert_twins(m, "B");
	rmodel_free(m);
}

/*
 * Before a dump has told of all, what is first here may not be first there: another one was replaced, and the
 * dump of the table is asked once more.
 */
static void test_replaced_unknown(void **state)
{
	const struct nctl_dump_scope all = {.type = NCTL_OBJECT_ROUTE4};
	struct rmodel *m = rmodel_new(1);
	struct nctl_dump_scope scope;
	struct nctl_route second, third;
	struct nctl_hop hops[2];

	(void)state;
	rmodel_route(&second, &hops[0], "10.1.0.0/16", 254, 2, NULL);
	rmodel_route(&third, &hops[1], "10.1.0.0/16", 254, 3, NULL);
	/* The first one, on link 1, was there before. */
	nctl_mirror_route_put(m->mirror, &second, NLM_F_CREATE | NLM_F_APPEND, NCTL_SOURCE_EVENT);
	nctl_mirror_dump_begin(m->mirror, &all);
	nctl_mirror_route_put(m->mirror, &third, NLM_F_REPLACE, NCTL_SOURCE_EVENT);
	nctl_mirror_route_put(m->mirror, &third, 0, NCTL_SOURCE_DUMP);
	nctl_mirror_route_put(m->mirror, &second, 0, NCTL_SOURCE_DUMP);
	nctl_mirror_dump_end(m->mirror, true);
	nctl_mirror_work(m->mirror, 100);
	assert_true(nctl_mirror_next_suspect(m->mirror, &scope));
	assert_int_equal(scope.table, 254);
	nctl_mirror_dump_begin(m->mirror, &scope);
	nctl_mirror_route_put(m->mirror, &third, 0, NCTL_SOURCE_DUMP);
	nctl_mirror_route_put(m->mirror, &second, 0, NCTL_SOURCE_DUMP);
	nctl_mirror_dump_end(m->mirror, true);
	nctl_mirror_work(m->mirror, 100);
	assert_int_equal(nctl_mirror_route_count(m->mirror, AF_INET), 2);
	assert_false(nctl_mirror_next_suspect(m->mirror, &scope));
	rmodel_free(m);
}

static void test_random(void **state)
{
	struct random rng = random_init("mirror routes");
	uint64_t seed = rng.state;

	(void)state;
	for (unsigned run = 0; run < 200; run++) {
		struct rmodel *m = rmodel_new(seed + run);

		m->prefixes = run % 3 == 0 ? 1 : run % 3 == 1 ? 4 : 24; /* one: a crowd */
		m->forgetful = run % 5 == 0;
		for (unsigned i = 0; i < 400; i++) {
			rmodel_change(m);
			rmodel_read(m, (unsigned)random_below(&m->rng, 4));
			nctl_mirror_work(m->mirror, random_below(&m->rng, 4));
			if (i % 32)
				continue;
			rmodel_walk(m);
			rmodel_settle(m);
			rmodel_check(m);
		}
		rmodel_free(m);
	}
}

/* Dumps of all and of scopes, while things happen. */
static void test_races(void **state)
{
	struct random rng = random_init("mirror route races");
	uint64_t seed = rng.state;

	(void)state;
	for (unsigned run = 0; run < 300; run++) {
		struct rmodel *m = rmodel_new(seed + run);

		m->prefixes = run % 2 ? 2 : 12;
		for (unsigned i = 0; i < 40; i++) {
			struct nctl_dump_scope scope = {
				.type = i % 2 ? NCTL_OBJECT_ROUTE4 : NCTL_OBJECT_ROUTE6,
				.table = random_below(&m->rng, 3) ? 0 : 254,
				.oif = random_below(&m->rng, 3) ? 0 : 2,
			};

			for (unsigned k = 0; k < 8; k++)
				rmodel_change(m);
			rmodel_read(m, (unsigned)random_below(&m->rng, 12));
			rmodel_dump(m, &scope, 6);
			nctl_mirror_work(m->mirror, random_below(&m->rng, 8));
			if (i % 4)
				continue;
			rmodel_settle(m);
			rmodel_check(m);
		}
		rmodel_free(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one),
		cmocka_unit_test(test_order4),
		cmocka_unit_test(test_twins6),
		cmocka_unit_test(test_replaced_unknown),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_races),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
