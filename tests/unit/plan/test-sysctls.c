/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: sysctls of namespaces and of links: which are set, when, and back again.
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
			 "sysctl: sysctl-set t1/ipv4/conf/d0/forwarding = 0\n"
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
			 "sysctl: sysctl-set t1/ipv4/conf/d0/forwarding = 0 (1)\n");
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
		      "sysctl: sysctl-set t1/ipv4/conf/v.1/forwarding = 1\n"
		      "up: link-set vlan t1/v.1 up\n"
		      "wait: ipv6/neigh/x/ucast_solicit waits for x, which is not there yet\n");
	world_apply(&w);
	world_link_in(&w, "t1", 5, "x", "dummy", 0, 0);
	plan_is(text, "sysctl: sysctl-set t1/ipv6/neigh/x/ucast_solicit = 2\n");
	world_apply(&w);
	plan_is(text, "");
	/* A new VLAN has new sysctls. */
	snprintf(text, sizeof(text), body, 2);
	recreate_is(text, "clear: link-del vlan t1/v.1\n"
			  "create: link-new vlan t1/v.1\n"
			  "sysctl: sysctl-set t1/ipv4/conf/v.1/forwarding = 1 (1)\n"
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
		"sysctl: sysctl-set t1/ipv4/conf/d0/forwarding = 1 (0)\n"
		"conflict: ipv4/ip_local_port_range stays as it was set, since its old value is not known\n"
		"conflict: ipv4/conf/default/rp_filter stays as it was set, since its old value is not "
		"known\n");
	nctl_plan_free(back);
	world_undo(&w);
	assert_string_equal(world_sysctl_get(n, "ipv4/ip_forward"), "0");
	assert_string_equal(world_sysctl_get(n, "ipv4/conf/d0/forwarding"), "1");
}

static const char of_links[] = "  sysctl: {net.ipv4.ip_forward: 1}\n"
			       "  dummy-devices:\n"
			       "    d0: {accept-ra: true, ipv6-mtu: 1400, addresses: [\"2001:db8::1/64\"]}\n"
			       "  vrfs: {v0: {table: 9, interfaces: [d0]}}\n";

/* After the master, before the link is up, but for what coming up undoes; and nothing of what is right. */
static void test_links(void **state)
{
	struct world_netns *home = world_netns_find(&w, "");

	(void)state;
	plan_is(of_links, "netns: sysctl-set ipv4/ip_forward = 1\n"
			  "create: link-new vrf v0\n"
			  "create: link-new dummy d0\n"
			  "sysctl: sysctl-set ipv6/conf/d0/accept_ra = 2\n"
			  "up: link-set vrf v0 up\n"
			  "up: link-set dummy d0 up\n"
			  "settle: sysctl-set ipv6/conf/d0/mtu = 1400\n"
			  "address: addr-new d0 2001:db8::1/64\n");
	assert_int_equal(w.plan->ops[3].need[0], 2);
	assert_int_equal(w.plan->ops[5].need[2], 3);
	assert_int_equal(w.plan->ops[6].need[1], 5);
	assert_int_equal(w.plan->ops[7].need[1], 3);
	world_apply(&w);
	plan_is(of_links, "");
	world_sysctl(home, "ipv6/conf/d0/accept_ra", "0");
	plan_is(of_links, "sysctl: sysctl-set ipv6/conf/d0/accept_ra = 2 (0)\n");
	world_return(&w, of_links, 1);
	world_settle(&w, of_links);
	/* What joins another VRF goes down and up. */
	plan_is("  dummy-devices: {d0: {accept-ra: true, ipv6-mtu: 1400, mtu: 9000}}\n"
		"  vrfs: {v0: {table: 9}, v1: {table: 10, interfaces: [d0]}}\n",
		"clear: addr-del d0 2001:db8::1/64\n"
		"create: link-new vrf v1\n"
		"create: link-set dummy d0 mtu\n"
		"tune: link-set dummy d0 master (flap)\n"
		"up: link-set vrf v1 up\n"
		"settle: sysctl-set ipv6/conf/d0/mtu = 1400 (1400)\n");
}

/* The name in the kernel counts; a link that is made again gets them again, and on the way back the old ones.
 */
static void test_links_again(void **state)
{
	struct world_netns *home = world_netns_find(&w, "");
	struct nctl_plan *back;

	(void)state;
	world_link(&w, 5, "eth0", NULL, 0, IFF_UP);
	plan_is("  ethernets: {eth0: {sysctl: {ipv4.rp_filter: 2, ipv4.neigh.gc_stale_time: 30}}}\n",
		"sysctl: sysctl-set ipv4/conf/eth0/rp_filter = 2\n"
		"sysctl: sysctl-set ipv4/neigh/eth0/gc_stale_time = 30\n");
	world_settle(&w,
		"  dummy-devices: {d0: {}}\n  vlans: {v: {id: 1, link: d0, sysctl: {ipv4.rp_filter: 2}}}\n");
	world_sysctl(home, "ipv4/conf/v/rp_filter", "1");
	recreate_is(
		"  dummy-devices: {d0: {}}\n  vlans: {v: {id: 2, link: d0, sysctl: {ipv4.rp_filter: 2}}}\n",
		"clear: link-del vlan v\n"
		"create: link-new vlan v\n"
		"sysctl: sysctl-set ipv4/conf/v/rp_filter = 2 (1)\n"
		"up: link-set vlan v up\n");
	world_apply(&w);
	assert_int_equal(nctl_plan_undo(w.plan, &back), 0);
	world_expect(back, "clear: link-del vlan v\n"
			   "create: link-new vlan v\n"
			   "create: link-set vlan v master alias\n"
			   "create: link-set vlan v up\n"
			   "sysctl: sysctl-set ipv4/conf/v/rp_filter = 1 (2)\n"
			   "up: link-set vlan v mtu\n");
	nctl_plan_free(back);
}

/* What goes with IPv6 is there again on the way back, be it ours or not. */
static void test_no_ipv6(void **state)
{
	struct world_netns *home = world_netns_find(&w, "");
	struct nctl_plan *back;

	(void)state;
	world_link(&w, 5, "eth0", NULL, 0, IFF_UP);
	world_link(&w, 6, "eth1", NULL, 0, IFF_UP);
	world_addr(&w, "eth0", "2001:db8::1/64", 0, 0);
	world_addr(&w, "eth0", "192.0.2.1/24", 0, 0);
	world_addr(&w, "eth1", "2001:db8:1::1/64", 0, 0);
	world_sysctl(home, "ipv6/conf/eth0/disable_ipv6", "0");
	world_sysctl(home, "ipv6/conf/all/disable_ipv6", "0");
	world_plan(&w, "  ethernets: {eth0: {sysctl: {ipv6.disable_ipv6: 1}}}\n", false);
	world_apply(&w);
	assert_int_equal(nctl_plan_undo(w.plan, &back), 0);
	world_expect(back, "sysctl: sysctl-set ipv6/conf/eth0/disable_ipv6 = 0 (1)\n"
			   "address: addr-new eth0 2001:db8::1/64\n");
	assert_int_equal(back->ops[1].need[1], 0);
	nctl_plan_free(back);
	world_undo(&w);
	world_plan(&w, "  sysctl: {net.ipv6.conf.all.disable_ipv6: 1}\n", false);
	world_apply(&w);
	assert_int_equal(nctl_plan_undo(w.plan, &back), 0);
	world_expect(back, "netns: sysctl-set ipv6/conf/all/disable_ipv6 = 0 (1)\n"
			   "address: addr-new eth0 2001:db8::1/64\n"
			   "address: addr-new eth1 2001:db8:1::1/64\n");
	nctl_plan_free(back);
}

#define CASE(name_) cmocka_unit_test_setup_teardown(test_##name_, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(sysctls),
		CASE(sysctl_of_link),
		CASE(undo_sysctls),
		CASE(links),
		CASE(links_again),
		CASE(no_ipv6),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
