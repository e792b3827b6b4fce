/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: what drivers and WireGuard are told: only what differs from what was read, before the link goes up,
 * and back again.
 */
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"

static const char body[] =
	"  ethernets:\n"
	"    e0:\n"
	"      tcp-segmentation-offload: false\n"
	"      ethtool: {features: {tx-checksum-*: true}, rings: {rx: 512, tx: 256}, speed: 1000}\n";

static struct nctl_switch switches[] = {
	{.name = "tx-tcp-segmentation", .on = true},
	{.name = "tx-checksum-ipv4", .on = true},
	{.name = "tx-checksum-sctp", .fixed = true},
};
static struct nctl_ethtool now = {
	.switches = {[NCTL_ETHTOOL_FEATURES] = {switches, 3}},
	.has = 3,
	.ring_rx = 512,
	.ring_tx = 512,
};
static struct nctl_plan_device device = {
	.ifindex = 5, .ethtool = &now, .known = 1u << NCTL_ETHTOOL_FEATURES | 1u << NCTL_ETHTOOL_RINGS};

static void test_differences(void **state)
{
	(void)state;
	world_link(&w, 5, "e0", NULL, 0, 0);
	/* Nothing is known: all is told. */
	plan_is(body, "tune: ethtool-set e0 features\n"
		      "tune: ethtool-set e0 rings\n"
		      "tune: ethtool-set e0 speed\n"
		      "up: link-set physical e0 up\n");
	assert_int_equal(w.plan->ops[3].after, 2);
	w.devices = &device;
	w.n_devices = 1;
	now.has |= nctl_ethtool_group_mask(NCTL_ETHTOOL_LINK);
	now.speed = 1000;
	device.known |= 1u << NCTL_ETHTOOL_LINK;
	plan_is(body, "tune: ethtool-set e0 features\n"
		      "tune: ethtool-set e0 rings\n"
		      "up: link-set physical e0 up\n");
	switches[0].on = false;
	now.ring_tx = 256;
	plan_is(body, "up: link-set physical e0 up\n");
	/* One of those that begin so. */
	switches[1].on = false;
	plan_is(body, "tune: ethtool-set e0 features\n"
		      "up: link-set physical e0 up\n");
	/* Another link of the same number, elsewhere. */
	device.netns = 1;
	plan_is(body, "tune: ethtool-set e0 features\n"
		      "tune: ethtool-set e0 rings\n"
		      "tune: ethtool-set e0 speed\n"
		      "up: link-set physical e0 up\n");
	device.netns = 0;
}

static void test_undo(void **state)
{
	const struct nctl_op *op;
	struct nctl_plan *back;

	(void)state;
	world_link(&w, 5, "e0", NULL, 0, IFF_UP);
	switches[0].on = true;
	switches[1].on = false;
	now.ring_tx = 512;
	device.known = 1u << NCTL_ETHTOOL_FEATURES | 1u << NCTL_ETHTOOL_RINGS;
	w.devices = &device;
	w.n_devices = 1;
	plan_is(body, "tune: ethtool-set e0 features\n"
		      "tune: ethtool-set e0 rings\n"
		      "tune: ethtool-set e0 speed\n");
	for (size_t i = 0; i < 3; i++)
		w.plan->ops[i].state = i < 2 ? NCTL_OP_DONE : NCTL_OP_REFUSED;
	assert_int_equal(nctl_plan_undo(w.plan, &back), 0);
	world_expect(back, "tune: ethtool-set e0 rings\n"
			   "tune: ethtool-set e0 features\n"
			   "conflict: speed of e0 stay as they were set, since the old ones are not known\n");
	op = &back->ops[0];
	assert_int_equal(op->ethtool->ring_tx, 512);
	assert_int_equal(op->ethtool->has, 3);
	op = &back->ops[1];
	assert_int_equal(op->ethtool->switches[NCTL_ETHTOOL_FEATURES].n, 2);
	assert_true(
		nctl_switches_find(&op->ethtool->switches[NCTL_ETHTOOL_FEATURES], "tx-tcp-segmentation")->on);
	assert_false(
		nctl_switches_find(&op->ethtool->switches[NCTL_ETHTOOL_FEATURES], "tx-checksum-ipv4")->on);
	nctl_plan_free(back);
}

/* A new link is told all before it goes up, and an early one early. */
static void test_new(void **state)
{
	(void)state;
	plan_is("  dummy-devices: {d0: {ethtool: {features: {rx-gro: false}}}}\n"
		"  vlans: {d0.1: {link: d0, id: 1}}\n",
		"create: link-new dummy d0\n"
		"create: ethtool-set d0 features\n"
		"create: link-set dummy d0 up\n"
		"create: link-new vlan d0.1\n"
		"up: link-set vlan d0.1 up\n");
	assert_int_equal(w.plan->ops[1].need[0], 0);
	assert_int_equal(w.plan->ops[2].after, 1);
	/* What goes with its link needs no way back. */
	world_apply_some(&w, 2);
	world_undo(&w);
}

#define CASE(name_) cmocka_unit_test_setup_teardown(test_##name_, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(differences),
		CASE(undo),
		CASE(new),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
