/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the way back over namespaces: what was made goes, what went is made again.
 */
#include <stdlib.h>

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

static const char pair_with_home[] =
	"  virtual-ethernets: {v1: {peer: {netns: t1, name: e}}}\n"
	"  bridges: {br0: {interfaces: [v1]}}\n"
	"  namespaces: {t1: {virtual-ethernets: {e: {addresses: [192.0.2.1/24]}}, "
	"vrfs: {red: {table: 10, interfaces: [e]}}}}\n";

static const char pair_of_tenants[] =
	"  namespaces: {t1: {virtual-ethernets: {a: {peer: {netns: t2, name: b}}}}, "
	"t2: {virtual-ethernets: {b: {}}}}\n";

static const char sysctls[] =
	"  namespaces:\n"
	"    t1:\n"
	"      sysctl: {net.ipv4.ip_forward: 1, net/ipv4/conf/d0/forwarding: 0,\n"
	"        net.ipv4.conf.default.rp_filter: 2, net.ipv4.ip_local_port_range: \"1024 2048\"}\n"
	"      dummy-devices: {d0: {}}\n";

static void test_undo_new(void **state)
{
	struct nctl_plan *back;

	(void)state;
	undo_returns(one);
	undo_returns(pair_with_home);
	undo_returns(pair_of_tenants);
	undo_returns(sysctls);
	world_plan(&w, pair_with_home, false);
	world_apply(&w);
	/* The end at home is deleted by itself: namespaces take their time. */
	assert_int_equal(nctl_plan_undo(w.plan, &back), 0);
	world_expect(back, "clear: link-del veth v1\nclear: link-del bridge br0\nremove: netns-del t1\n");
	nctl_plan_free(back);
}

/* A namespace that was refused is not there to be deleted; what was poisoned with it neither. */
static void test_undo_refused(void **state)
{
	struct nctl_plan *back;

	(void)state;
	world_plan(&w, pair_with_home, false);
	for (size_t i = 0; i < w.plan->n_ops; i++)
		w.plan->ops[i].state = NCTL_OP_POISONED;
	w.plan->ops[0].state = NCTL_OP_REFUSED;
	w.plan->ops[1].state = NCTL_OP_DONE;
	assert_int_equal(nctl_plan_undo(w.plan, &back), 0);
	world_expect(back, "clear: link-del bridge br0\n");
	nctl_plan_free(back);
}

static void test_undo_del(void **state)
{
	static const char body[] =
		"  virtual-ethernets: {v1: {peer: {netns: t1, name: e}, addresses: [192.0.2.2/24]}}\n"
		"  bridges: {br0: {interfaces: [v1]}}\n"
		"  namespaces:\n"
		"    t1:\n"
		"      ethernets: {lo: {addresses: [198.51.100.1/32]}}\n"
		"      virtual-ethernets: {e: {mtu: 1400}, p: {peer: q}, q: {peer: p}, "
		"x: {peer: {netns: t2, name: y}}}\n"
		"      vlans: {e.5: {id: 5, link: e, addresses: [192.0.2.1/24]}}\n"
		"      bridges: {br1: {interfaces: [p], mtu: 1300}}\n"
		"    t2: {virtual-ethernets: {y: {activation-mode: \"off\"}}}\n";
	struct nctl_plan *back;

	(void)state;
	world_settle(&w, body);
	undo_returns(nothing);
	undo_returns("  namespaces: {t2: {}}\n");
	undo_returns("  namespaces: {t1: {}}\n");
	undo_returns("  dummy-devices: {v1: {}}\n");
	/* What is not ours is not made again, and that is said. */
	world_link_in(&w, "t2", 5, "foreign", "dummy", 0, 0);
	world_link_in(&w, "t2", 6, "eth7", NULL, 0, 0);
	/* The kernel's own. */
	world_link_in(&w, "", 7, "sit0", "sit", 0, 0);
	world_link_in(&w, "t2", 7, "sit0", "sit", 0, 0);
	world_plan(&w, nothing, false);
	world_apply(&w);
	assert_int_equal(nctl_plan_undo(w.plan, &back), 0);
	assert_int_equal(back->n_problems, 2);
	assert_string_equal(
		back->problems[0].text, "eth7 was in namespace t2, and stays where the kernel has put it");
	assert_string_equal(back->problems[1].text,
		"foreign is gone with namespace t2, and is not netctld's to make again");
	nctl_plan_free(back);
}

/* A network card has no kind in the kernel, and its way back can be judged all the same. */
static void test_undo_physical(void **state)
{
	static const char body[] = "  ethernets: {eth0: {mtu: 1400, addresses: [192.0.2.1/24]}}\n";
	struct nctl_plan *back;

	(void)state;
	world_link(&w, 5, "eth0", NULL, 0, 0);
	undo_returns(body);
	world_plan(&w, body, false);
	world_apply(&w);
	assert_int_equal(nctl_plan_undo(w.plan, &back), 0);
	assert_int_equal(back->n_ops, 3);
	for (size_t i = 0; i < back->n_ops; i++)
		assert_false(nctl_op_is_seen(back, &back->ops[i]));
	nctl_plan_free(back);
}

#define CASE(name_) cmocka_unit_test_setup_teardown(test_##name_, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(undo_new),
		CASE(undo_refused),
		CASE(undo_del),
		CASE(undo_physical),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
