/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: plans over namespaces: made, left alone, deleted; what is in them; and how much work many are.
 */
#include <inttypes.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/strbuf.h"
#include "case.h"

/* From what is there to body and back, from any point of the way. */
static void undo_returns(const char *body)
{
	size_t n = world_plan(&w, body, true)->n_ops;

	for (size_t i = 0; i <= n; i++)
		world_return(&w, body, i);
}

static const char nothing[] = "  dummy-devices: {}\n";
static const char one[] = "  namespaces: {t1: {dummy-devices: {d0: {addresses: [192.0.2.1/24]}}, "
			  "ethernets: {lo: {addresses: [198.51.100.1/32]}}, "
			  "vlans: {v: {id: 1, link: d0}}}}\n";

static void test_fresh(void **state)
{
	const struct nctl_plan *p = world_plan(&w, one, false);

	(void)state;
	world_expect(p, "netns: netns-new t1\n"
			"create: link-new dummy t1/d0\n"
			"create: link-set dummy t1/d0 up\n"
			"create: link-new vlan t1/v\n"
			"up: link-set physical t1/lo up\n"
			"up: link-set vlan t1/v up\n"
			"address: addr-new t1/d0 192.0.2.1/24\n"
			"address: addr-new t1/lo 198.51.100.1/32\n");
	assert_null(p->netns[1].have);
	assert_int_equal(p->n_netns, 2);
	for (size_t i = 0; i < p->n_ops; i++)
		assert_int_equal(p->ops[i].netns, 1);
	/* A namespace that cannot be made takes all along that was to be in it. */
	assert_int_equal(p->ops[1].need[3], 0);
	assert_int_equal(p->ops[4].need[3], 0);
	assert_false(nctl_op_is_seen(p, &p->ops[0]));
	assert_false(nctl_op_is_seen(p, &p->ops[1]));
	world_apply(&w);
	assert_true(nctl_op_is_seen(w.plan, &w.plan->ops[0]));
	assert_true(nctl_op_is_seen(w.plan, &w.plan->ops[3]));
	plan_is(one, "");
	assert_int_equal(w.plan->n_adopt_links, 0);
	assert_null(w.plan->fresh);
}

/* Names and ifindexes are those of a namespace: one says nothing of another. */
static void test_apart(void **state)
{
	static const char body[] = "  dummy-devices: {d0: {}}\n"
				   "  namespaces: {\"t{1..2}\": {dummy-devices: {d0: {}}, "
				   "vlans: {v: {id: 7, link: d0}}}}\n";
	const struct nctl_plan *p;

	(void)state;
	world_link(&w, NCTL_IFINDEX_FIRST, "x", "dummy", 0, 0);
	p = world_plan(&w, body, false);
	world_expect(p, "netns: netns-new t1\n"
			"netns: netns-new t2\n"
			"create: link-new dummy d0\n"
			"create: link-new dummy t1/d0\n"
			"create: link-new dummy t2/d0\n"
			"create: link-set dummy t1/d0 up\n"
			"create: link-set dummy t2/d0 up\n"
			"create: link-new vlan t1/v\n"
			"create: link-new vlan t2/v\n"
			"up: link-set dummy d0 up\n"
			"up: link-set vlan t1/v up\n"
			"up: link-set vlan t2/v up\n");
	/* No two have the same index, though they could. */
	for (size_t i = 2; i < p->n_ops; i++)
		for (size_t k = 2; k < i; k++)
			if (p->ops[i].type == NCTL_OP_LINK_NEW && p->ops[k].type == NCTL_OP_LINK_NEW)
				assert_int_not_equal(p->ops[i].ifindex, p->ops[k].ifindex);
	world_settle(&w, body);
	/* A VLAN makes way for one of its own namespace only. */
	plan_is("  dummy-devices: {d0: {}}\n"
		"  namespaces: {t1: {dummy-devices: {d0: {}}, vlans: {v: {id: 7, link: d0}}}, "
		"t2: {dummy-devices: {d0: {}}, vlans: {u: {id: 7, link: d0}}}}\n",
		"clear: link-del vlan t2/v\ncreate: link-new vlan t2/u\nup: link-set vlan t2/u up\n");
}

/* TUNE, UP and ADDRESS come namespace by namespace. */
static void test_order(void **state)
{
	static const char body[] =
		"  bridges: {br0: {mtu: 1400}}\n"
		"  dummy-devices: {d0: {alias: x, addresses: [192.0.2.1/24]}}\n"
		"  namespaces: {\"t{1..2}\": {bridges: {br0: {mtu: 1400}}, dummy-devices: {d0: "
		"{alias: x, addresses: [192.0.2.1/24]}}}}\n";

	(void)state;
	plan_is(body, "netns: netns-new t1\n"
		      "netns: netns-new t2\n"
		      "create: link-new bridge br0\n"
		      "create: link-new dummy d0\n"
		      "create: link-new bridge t1/br0\n"
		      "create: link-new bridge t2/br0\n"
		      "create: link-new dummy t1/d0\n"
		      "create: link-new dummy t2/d0\n"
		      "tune: link-set dummy d0 alias\n"
		      "up: link-set bridge br0 up\n"
		      "up: link-set dummy d0 up\n"
		      "address: addr-new d0 192.0.2.1/24\n"
		      "tune: link-set dummy t1/d0 alias\n"
		      "up: link-set bridge t1/br0 up\n"
		      "up: link-set dummy t1/d0 up\n"
		      "address: addr-new t1/d0 192.0.2.1/24\n"
		      "tune: link-set dummy t2/d0 alias\n"
		      "up: link-set bridge t2/br0 up\n"
		      "up: link-set dummy t2/d0 up\n"
		      "address: addr-new t2/d0 192.0.2.1/24\n");
	world_settle(&w, body);
}

static void test_remove(void **state)
{
	const struct nctl_plan *p;

	(void)state;
	world_settle(&w, one);
	world_link_in(&w, "t1", 5, "foreign", "dummy", 0, 0);
	p = world_plan(&w, nothing, false);
	world_expect(p, "remove: netns-del t1\n");
	assert_false(nctl_op_is_seen(p, &p->ops[0]));
	w.plan->ops[0].state = NCTL_OP_ACKED;
	assert_true(nctl_op_is_seen(p, &p->ops[0]));
	world_apply(&w);
	assert_null(world_netns_find(&w, "t1"));
	plan_is(nothing, "");
}

/* Of a namespace that somebody else made, only what is ours goes. */
static void test_remove_from_foreign(void **state)
{
	struct nctl_addr a = NCTL_ADDR_INIT;
	struct world_netns *n = world_netns_add(&w, "t1");

	(void)state;
	world_link_in(&w, "t1", 5, "foreign", "dummy", 0, 0);
	a.ifindex = 5;
	a.proto = NCTL_PROTO;
	assert_int_equal(nctl_prefix_parse("192.0.2.9/24", NCTL_PREFIX_NEED_LENGTH, &a.local), 0);
	assert_int_equal(nctl_mirror_addr_put(n->have, &a, NCTL_SOURCE_EVENT), 0);
	plan_is(one, "clear: addr-del t1/foreign 192.0.2.9/24\n"
		     "create: link-new dummy t1/d0\n"
		     "create: link-set dummy t1/d0 up\n"
		     "create: link-new vlan t1/v\n"
		     "up: link-set physical t1/lo up\n"
		     "up: link-set vlan t1/v up\n"
		     "address: addr-new t1/d0 192.0.2.1/24\n"
		     "address: addr-new t1/lo 198.51.100.1/32\n");
	world_settle(&w, one);
	assert_int_equal(nctl_mirror_addr_put(n->have, &a, NCTL_SOURCE_EVENT), 0);
	plan_is(nothing, "clear: addr-del t1/lo 198.51.100.1/32\n"
			 "clear: addr-del t1/foreign 192.0.2.9/24\n"
			 "remove: link-del dummy t1/d0\n"
			 "remove: link-del vlan t1/v (implied)\n");
	undo_returns(nothing);
	world_plan(&w, nothing, false);
	world_apply(&w);
	plan_is(nothing, "");
	assert_int_equal(nctl_mirror_link_count(n->have), 2);
	assert_int_equal(nctl_mirror_addr_count(n->have), 0);
}

/* What matches is adopted in its namespace. */
static void test_adopt(void **state)
{
	(void)state;
	world_netns_add(&w, "t1");
	world_netns_add(&w, "t2");
	world_link_in(&w, "t2", 5, "d0", "dummy", 0, IFF_UP);
	plan_is("  namespaces: {t1: {}, t2: {dummy-devices: {d0: {}}}}\n", "");
	assert_int_equal(w.plan->n_adopt_links, 1);
	assert_int_equal(w.plan->adopt_links[0].netns, 2);
	assert_int_equal(w.plan->adopt_links[0].link.ifindex, 5);
	world_apply(&w);
	plan_is("  namespaces: {t1: {}, t2: {}}\n", "remove: link-del dummy t2/d0\n");
}

/* There, but without a mirror: nothing is done in it, nor to the other ends of pairs. */
static void test_unread(void **state)
{
	static const char body[] = "  virtual-ethernets: {v1: {peer: {netns: t1, name: e}}}\n"
				   "  namespaces: {t1: {sysctl: {net.ipv4.ip_forward: 1}, virtual-ethernets: "
				   "{e: {}}}, t2: {dummy-devices: {d0: {}}}}\n";
	struct nctl_want *want = world_parse(body);
	struct nctl_plan_options opts = {0};
	struct nctl_plan_netns v[4] = {
		{.want = want->netns[0], .there = true, .have = w.have, .ledger = w.ledger},
		{.want = want->netns[1], .name = "t1", .there = true, .nsid = NCTL_NSID_NONE},
		{.want = want->netns[2], .name = "t2", .nsid = NCTL_NSID_NONE},
		{.name = "t9", .there = true, .ours = true, .nsid = NCTL_NSID_NONE},
	};
	struct nctl_plan *p;

	(void)state;
	assert_int_equal(nctl_plan_build(want, v, 4, &opts, &p), 0);
	world_expect(p, "netns: netns-new t2\n"
			"create: link-new dummy t2/d0\n"
			"up: link-set dummy t2/d0 up\n"
			"remove: netns-del t9\n"
			"wait: namespace t1 cannot be read yet\n");
	assert_false(p->blocked);
	nctl_plan_free(p);
	nctl_want_free(want);
}

/*
 * How much a plan looks up: the linker puts these between lib/plan and what it calls (meson.build). Time
 * would depend on who else is at work.
 */
static uint64_t looks;

void __real_nctl_plan_enter(void *b, uint32_t netns);
void __wrap_nctl_plan_enter(void *b, uint32_t netns);
const struct nctl_mirror_link *__real_nctl_mirror_link_get(const struct nctl_mirror *m, nctl_ifindex i);
const struct nctl_mirror_link *__wrap_nctl_mirror_link_get(const struct nctl_mirror *m, nctl_ifindex i);
const struct nctl_mirror_link *__real_nctl_mirror_link_find(const struct nctl_mirror *m, const char *name);
const struct nctl_mirror_link *__wrap_nctl_mirror_link_find(const struct nctl_mirror *m, const char *name);
const struct nctl_mirror_link *__real_nctl_mirror_link_next(const struct nctl_mirror_link *l);
const struct nctl_mirror_link *__wrap_nctl_mirror_link_next(const struct nctl_mirror_link *l);
const struct nctl_ledger_link *__real_nctl_ledger_link_from(const struct nctl_ledger *l, nctl_ifindex i);
const struct nctl_ledger_link *__wrap_nctl_ledger_link_from(const struct nctl_ledger *l, nctl_ifindex i);
struct nctl_hash_node *__real_nctl_hash_find(const struct nctl_hash *h, uint64_t hash);
struct nctl_hash_node *__wrap_nctl_hash_find(const struct nctl_hash *h, uint64_t hash);
struct nctl_hash_node *__real_nctl_hash_find_next(const struct nctl_hash_node *n);
struct nctl_hash_node *__wrap_nctl_hash_find_next(const struct nctl_hash_node *n);

void __wrap_nctl_plan_enter(void *b, uint32_t netns)
{
	looks++;
	__real_nctl_plan_enter(b, netns);
}

const struct nctl_mirror_link *__wrap_nctl_mirror_link_get(const struct nctl_mirror *m, nctl_ifindex i)
{
	looks++;
	return __real_nctl_mirror_link_get(m, i);
}

const struct nctl_mirror_link *__wrap_nctl_mirror_link_find(const struct nctl_mirror *m, const char *name)
{
	looks++;
	return __real_nctl_mirror_link_find(m, name);
}

const struct nctl_mirror_link *__wrap_nctl_mirror_link_next(const struct nctl_mirror_link *l)
{
	looks++;
	return __real_nctl_mirror_link_next(l);
}

const struct nctl_ledger_link *__wrap_nctl_ledger_link_from(const struct nctl_ledger *l, nctl_ifindex i)
{
	looks++;
	return __real_nctl_ledger_link_from(l, i);
}

struct nctl_hash_node *__wrap_nctl_hash_find(const struct nctl_hash *h, uint64_t hash)
{
	looks++;
	return __real_nctl_hash_find(h, hash);
}

struct nctl_hash_node *__wrap_nctl_hash_find_next(const struct nctl_hash_node *n)
{
	looks++;
	return __real_nctl_hash_find_next(n);
}

/* What planning want costs; n_ops of it are expected. */
static uint64_t looks_for(struct nctl_want *want, size_t n_ops)
{
	uint64_t before = looks;

	world_plan_want(&w, want, false);
	assert_int_equal(w.plan->n_ops, n_ops);
	return looks - before;
}

static uint64_t looks_to_undo(void)
{
	uint64_t before = looks;
	struct nctl_plan *back;

	assert_int_equal(nctl_plan_undo(w.plan, &back), 0);
	nctl_plan_free(back);
	return looks - before;
}

enum { FRESH, FRESH_BACK, SETTLED, REMOVED, REMOVED_BACK, N_COSTS };

static void many_cost(unsigned n, uint64_t ret[N_COSTS])
{
	struct nctl_strbuf body = NCTL_STRBUF_INIT;
	struct nctl_want *want, *none = world_parse(nothing);

	nctl_strbuf_printf(&body,
		"  virtual-ethernets: {\"v{1..%u}\": {peer: {netns: \"t{n}\", name: e}}}\n"
		"  namespaces: {\"t{1..%u}\": {sysctl: {net.ipv4.ip_forward: 1}, virtual-ethernets: {e: {}}, "
		"ethernets: {lo: {}}, dummy-devices: {d0: {addresses: [192.0.2.1/24]}}}}\n",
		n, n);
	want = world_parse(nctl_strbuf_str(&body));
	/* namespace, sysctl; pair, its two ends up; lo up; dummy, up, address */
	ret[FRESH] = looks_for(want, 9 * (size_t)n);
	world_apply(&w);
	ret[FRESH_BACK] = looks_to_undo();
	ret[SETTLED] = looks_for(want, 0);
	/* namespace, and the end of the pair that goes with it */
	ret[REMOVED] = looks_for(none, 2 * (size_t)n);
	world_apply(&w);
	ret[REMOVED_BACK] = looks_to_undo();
	looks_for(none, 0);
	w.plan = nctl_plan_free(w.plan);
	nctl_want_free(want);
	nctl_want_free(none);
	nctl_strbuf_fini(&body);
}

static void test_many(void **state)
{
	static const char *const names[] = {"fresh", "back", "settled", "removed", "back"};
	uint64_t small[N_COSTS], large[N_COSTS];

	(void)state;
	many_cost(400, small);
	many_cost(4000, large);
	for (size_t i = 0; i < N_COSTS; i++) {
		printf("# %s: 400 namespaces %" PRIu64 " looks, 4,000: %" PRIu64 "\n", names[i], small[i],
			large[i]);
		assert_true(large[i] > 0 && large[i] < small[i] * 11);
	}
}

#define CASE(name_) cmocka_unit_test_setup_teardown(test_##name_, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(fresh),
		CASE(apart),
		CASE(order),
		CASE(remove),
		CASE(remove_from_foreign),
		CASE(adopt),
		CASE(unread),
		CASE(many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
