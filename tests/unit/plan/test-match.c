/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: definitions that match devices: which ones, what becomes of those that refer to them, new names.
 */
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <string.h>

#include "case.h"
#include "plan/match.h"

/* A physical device with a MAC address of its own, and perhaps another one now. */
static void device(nctl_ifindex ifindex, const char *name, uint8_t mac, uint8_t mac_now, unsigned flags)
{
	struct nctl_link l = NCTL_LINK_INIT;

	l.ifindex = ifindex;
	l.flags = flags;
	l.mtu = 1500;
	strcpy(l.name, name);
	l.perm_address = (struct nctl_lladdr){.len = 6, .b = {2, 0, 0, 0, 0, mac}};
	l.address = (struct nctl_lladdr){.len = 6, .b = {2, 0, 0, 0, 0, mac_now}};
	l.has = NCTL_LINK_BIT(NAME) | NCTL_LINK_BIT(FLAGS) | NCTL_LINK_BIT(MTU) | NCTL_LINK_BIT(MASTER) |
	        NCTL_LINK_BIT(ADDRESS) | NCTL_LINK_BIT(PERM_ADDRESS) | NCTL_LINK_BIT(ALIAS) |
	        NCTL_LINK_BIT(ALTNAMES);
	assert_int_equal(nctl_mirror_link_put(w.have, &l, NCTL_SOURCE_EVENT), 0);
}

static void test_fits(void **state)
{
	struct nctl_want_match m = {.name = "e[nt]*"};
	struct nctl_link l = NCTL_LINK_INIT;
	const char *drivers[] = {"virtio_*", "e1000"};
	struct nctl_driver_of of = {.ifindex = 7, .driver = "e1000"};
	struct nctl_hash known;

	(void)state;
	l.ifindex = 7;
	strcpy(l.name, "eth0");
	assert_true(nctl_match_fits(&m, &l, NULL));
	strcpy(l.name, "xeth0");
	assert_false(nctl_match_fits(&m, &l, NULL));
	m.set_name = "xeth0"; /* it has it already */
	assert_true(nctl_match_fits(&m, &l, NULL));
	l.flags = IFF_LOOPBACK;
	assert_false(nctl_match_fits(&m, &l, NULL));
	l.flags = 0;
	l.kind = nctl_kind_find("vlan");
	assert_false(nctl_match_fits(&m, &l, NULL));
	l.kind = NULL;
	m.address = (struct nctl_lladdr){.len = 6, .b = {2, 0, 0, 0, 0, 1}};
	assert_false(nctl_match_fits(&m, &l, NULL));
	l.address = m.address; /* without one that is burnt in */
	assert_true(nctl_match_fits(&m, &l, NULL));
	l.perm_address = (struct nctl_lladdr){.len = 6, .b = {2, 0, 0, 0, 0, 2}};
	assert_false(nctl_match_fits(&m, &l, NULL));
	m.address = l.perm_address;
	m.drivers = drivers;
	m.n_drivers = 2;
	assert_false(nctl_match_fits(&m, &l, NULL));
	nctl_hash_init(&known);
	assert_false(nctl_match_fits(&m, &l, &known));
	assert_int_equal(nctl_hash_insert(&known, &of.node, nctl_hash_u64(7)), 0);
	assert_true(nctl_match_fits(&m, &l, &known));
	of.driver = "e1000e";
	assert_false(nctl_match_fits(&m, &l, &known));
	nctl_hash_fini(&known);
}

/* All that fit, but for what has a definition of its own; virtual ones never, though they inherit the
 * address. */
static void test_many(void **state)
{
	static const char body[] =
		"  ethernets:\n"
		"    all: {match: {name: \"eth*\"}, mtu: 9000, addresses: [192.0.2.1/24]}\n"
		"    eth1: {}\n";

	(void)state;
	plan_is(body, "wait: all is not there yet\nwait: eth1 is not there yet\n");
	device(5, "eth0", 1, 1, IFF_UP);
	device(6, "eth1", 2, 2, IFF_UP);
	device(7, "eth2", 3, 3, 0);
	world_link(&w, 8, "eth3", "macvlan", 5, IFF_UP);
	plan_is(body, "create: link-set physical eth0 mtu\n"
		      "create: link-set physical eth2 mtu\n"
		      "up: link-set physical eth2 up\n"
		      "address: addr-new eth0 192.0.2.1/24\n"
		      "address: addr-new eth2 192.0.2.1/24\n");
	world_settle(&w, body);
	/* In no file any more: our addresses go, devices stay. */
	plan_is("  ethernets: {}\n",
		"clear: addr-del eth0 192.0.2.1/24\nclear: addr-del eth2 192.0.2.1/24\n");
}

/* References are to the definition, whatever the device is called. */
static void test_references(void **state)
{
	static const char body[] = "  ethernets:\n"
				   "    lom: {match: {macaddress: \"02:00:00:00:00:01\"}}\n"
				   "    ports: {match: {name: \"p*\"}}\n"
				   "  bridges: {br0: {interfaces: [ports]}}\n"
				   "  vlans: {v: {id: 1, link: lom}}\n";

	(void)state;
	plan_is(body, "create: link-new bridge br0\nup: link-set bridge br0 up\n"
		      "wait: lom is not there yet\nwait: ports is not there yet\n"
		      "wait: v waits for lom, which is not there yet\n");
	device(5, "x", 9, 1, IFF_UP); /* has this address, and another one of its own */
	device(6, "eth0", 1, 9, IFF_UP);
	device(7, "p0", 3, 3, IFF_UP);
	device(8, "p1", 4, 4, IFF_UP);
	plan_is(body, "create: link-new bridge br0\n"
		      "create: link-new vlan v\n"
		      "tune: link-set physical p0 master\n"
		      "tune: link-set physical p1 master\n"
		      "up: link-set bridge br0 up\n"
		      "up: link-set vlan v up\n");
	assert_int_equal(w.plan->ops[1].lower, 6);
	world_settle(&w, body);
	/* What needs one device does not get several. */
	plan_is("  ethernets: {ports: {match: {name: \"p*\"}}}\n  vlans: {v2: {id: 2, link: ports}}\n",
		"create: link-set physical p0 master\n"
		"tune: link-set physical p1 master\n"
		"remove: link-del bridge br0\n"
		"remove: link-del vlan v\n"
		"wait: v2 waits: ports stands for 2 devices, and it needs one\n");
}

static void test_set_name(void **state)
{
	static const char body[] = "  ethernets:\n"
				   "    lom:\n"
				   "      match: {name: eth0}\n"
				   "      set-name: lan0\n"
				   "      sysctl: {ipv4.rp_filter: 2}\n"
				   "      addresses: [192.0.2.1/24]\n";

	(void)state;
	device(5, "eth0", 1, 1, IFF_UP);
	world_addr(&w, "eth0", "2001:db8::1/64", 0, 0);
	/* The kernel of these tests renames no link that is up. */
	plan_is(body, "create: link-set physical lan0 down (flap)\n"
		      "create: link-set physical lan0 ifname (flap)\n"
		      "sysctl: sysctl-set ipv4/conf/lan0/rp_filter = 2\n"
		      "up: link-set physical lan0 up\n"
		      "address: addr-new lan0 192.0.2.1/24\n");
	assert_int_equal(w.plan->ops[2].need[2], 1);
	world_apply(&w);
	assert_non_null(nctl_mirror_link_find(w.have, "lan0"));
	assert_null(nctl_mirror_link_find(w.have, "eth0"));
	plan_is(body, "");
	/* Another one of its old name is none of it. */
	device(6, "eth0", 2, 2, IFF_UP);
	plan_is(body, "");
	world_return(
		&w, "  ethernets: {lom: {match: {macaddress: \"02:00:00:00:00:02\"}, set-name: wan0}}\n", 3);
}

static void test_ambiguous(void **state)
{
	static const char body[] =
		"  ethernets: {lom: {match: {name: \"eth*\"}, set-name: lan0, addresses: [192.0.2.1/24]}}\n";

	(void)state;
	device(5, "eth0", 1, 1, IFF_UP);
	device(6, "eth1", 2, 2, IFF_UP);
	plan_is(body, "wait: lom waits, since eth0 and eth1 both fit, and only one can be named lan0\n"
		      "wait: lom is not there yet\n");
	/* One device, two definitions: the first one has it. */
	plan_is("  ethernets: {a: {match: {name: eth0}}, b: {match: {name: \"eth*\"}, addresses: "
		"[192.0.2.1/24]}}\n",
		"address: addr-new eth1 192.0.2.1/24\n"
		"wait: b leaves eth0 alone, which a matches as well\n");
	/* The name is somebody else's. */
	world_link(&w, 7, "lan0", "dummy", 0, 0);
	plan_is("  ethernets: {lom: {match: {name: eth0}, set-name: lan0}}\n",
		"conflict: eth0 cannot be named lan0, which is the name of another link (ifindex 7); rename "
		"that\n");
}

/* Two devices that change their names with each other. */
static void test_swap(void **state)
{
	static const char body[] = "  ethernets:\n"
				   "    a: {match: {macaddress: \"02:00:00:00:00:01\"}, set-name: eth1}\n"
				   "    b: {match: {macaddress: \"02:00:00:00:00:02\"}, set-name: eth0}\n";

	(void)state;
	device(5, "eth0", 1, 1, 0);
	device(6, "eth1", 2, 2, 0);
	plan_is(body, "create: link-set physical eth1 ifname\n"
		      "create: link-set physical eth0 ifname\n"
		      "create: link-set physical eth1 ifname\n"
		      "create: link-set physical eth0 ifname\n"
		      "up: link-set physical eth1 up\n"
		      "up: link-set physical eth0 up\n");
	assert_string_equal(w.plan->ops[0].want->v.name, "ntmp5");
	for (size_t n = 0; n <= 6; n++)
		world_return(&w, body, n);
	world_settle(&w, body);
	assert_string_equal(nctl_mirror_link_get(w.have, 5)->v.name, "eth1");
	assert_string_equal(nctl_mirror_link_get(w.have, 6)->v.name, "eth0");
}

#define CASE(name_) cmocka_unit_test_setup_teardown(test_##name_, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(fits),
		CASE(many),
		CASE(references),
		CASE(set_name),
		CASE(ambiguous),
		CASE(swap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
