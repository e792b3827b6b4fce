/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: sysctls of namespaces: which are set, when, and back again.
 */
#include <net/if.h>
#include <stdio.h>

#include "case.h"

static const char sysctls[] =
	"  namespaces:\n"
	"    t1:\n"
	"      sysctl: {net.ipv4.ip_forward: 1, net/ipv4/conf/d0/forwarding: 0,\n"
	"        net.ipv4.conf.default.rp_filter: 2, net.ipv4.ip_local_port_range: \"1024 2048\"}\n"
	"      dummy-devices: {d0: {}}\n";

static void test_sysctls(void **state)
{
	struct world_netns *n;

	(void)state;
	plan_is(sysctls, "netns: netns-new t1\n"
			 "netns: sysctl-set t1/ipv4/ip_forward = 1\n"
			 "netns: sysctl-set t1/ipv4/conf/default/rp_filter = 2\n"
			 "netns: sysctl-set t1/ipv4/ip_local_port_range = 1024 2048\n"
			 "create: link-new dummy t1/d0\n"
			 "tune: sysctl-set t1/ipv4/conf/d0/forwarding = 0\n"
			 "up: link-set dummy t1/d0 up\n");
	assert_int_equal(w.plan->ops[5].need[0], 4);
	assert_int_equal(w.plan->ops[1].need[3], 0);
	world_apply(&w);
	n = world_netns_find(&w, "t1");
	/* The kernel prints with tabs. */
	world_sysctl(n, "ipv4/ip_local_port_range", "\t1024\t2048\n");
	plan_is(sysctls, "");
	/* One is not known, one differs, one only looks as if. */
	world_sysctl(n, "ipv4/ip_local_port_range", "1024 204 8");
	world_sysctl(n, "ipv4/ip_forward", NULL);
	world_sysctl(n, "ipv4/conf/d0/forwarding", "1");
	plan_is(sysctls, "netns: sysctl-set t1/ipv4/ip_forward = 1\n"
			 "netns: sysctl-set t1/ipv4/ip_local_port_range = 1024 2048 (1024 204 8)\n"
			 "tune: sysctl-set t1/ipv4/conf/d0/forwarding = 0 (1)\n");
	assert_true(nctl_op_is_seen(w.plan, &w.plan->ops[0]));
}

/* Of a link that is not there, or is made again. */
static void test_sysctl_of_link(void **state)
{
	static const char body[] =
		"  namespaces:\n"
		"    t1:\n"
		"      sysctl: {net/ipv4/conf/v.1/forwarding: 1, net/ipv6/neigh/x/ucast_solicit: 2,\n"
		"        net/ipv4/neigh/default/ucast_solicit: 2}\n"
		"      dummy-devices: {d0: {}}\n"
		"      vlans: {v.1: {id: %u, link: d0}}\n";
	char text[512];

	(void)state;
	snprintf(text, sizeof(text), body, 1);
	plan_is(text, "netns: netns-new t1\n"
		      "netns: sysctl-set t1/ipv4/neigh/default/ucast_solicit = 2\n"
		      "create: link-new dummy t1/d0\n"
		      "create: link-set dummy t1/d0 up\n"
		      "create: link-new vlan t1/v.1\n"
		      "tune: sysctl-set t1/ipv4/conf/v.1/forwarding = 1\n"
		      "up: link-set vlan t1/v.1 up\n"
		      "wait: ipv6/neigh/x/ucast_solicit waits for x, which is not there yet\n");
	world_apply(&w);
	world_link_in(&w, "t1", 5, "x", "dummy", 0, 0);
	plan_is(text, "tune: sysctl-set t1/ipv6/neigh/x/ucast_solicit = 2\n");
	world_apply(&w);
	plan_is(text, "");
	/* A new VLAN has new sysctls. */
	snprintf(text, sizeof(text), body, 2);
	recreate_is(text, "clear: link-del vlan t1/v.1\n"
			  "create: link-new vlan t1/v.1\n"
			  "tune: sysctl-set t1/ipv4/conf/v.1/forwarding = 1 (1)\n"
			  "up: link-set vlan t1/v.1 up\n");
}

static void test_undo_sysctls(void **state)
{
	struct world_netns *n = world_netns_add(&w, "t1");
	struct nctl_plan *back;

	(void)state;
	world_link_in(&w, "t1", 5, "d0", "dummy", 0, IFF_UP);
	world_sysctl(n, "ipv4/ip_forward", "0");
	world_sysctl(n, "ipv4/conf/d0/forwarding", "1");
	world_plan(&w, sysctls, false);
	world_apply(&w);
	assert_string_equal(world_sysctl_get(n, "ipv4/ip_forward"), "1");
	assert_int_equal(nctl_plan_undo(w.plan, &back), 0);
	world_expect(back,
		"netns: sysctl-set t1/ipv4/ip_forward = 0 (1)\n"
		"tune: sysctl-set t1/ipv4/conf/d0/forwarding = 1 (0)\n"
		"conflict: ipv4/ip_local_port_range stays as it was set, since its old value is not known\n"
		"conflict: ipv4/conf/default/rp_filter stays as it was set, since its old value is not "
		"known\n");
	nctl_plan_free(back);
	world_undo(&w);
	assert_string_equal(world_sysctl_get(n, "ipv4/ip_forward"), "0");
	assert_string_equal(world_sysctl_get(n, "ipv4/conf/d0/forwarding"), "1");
}

#define CASE(name_) cmocka_unit_test_setup_teardown(test_##name_, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(sysctls),
		CASE(sysctl_of_link),
		CASE(undo_sysctls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
