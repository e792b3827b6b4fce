/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: plans for addresses: what is ours goes, what is foreign stays, what is wanted comes, by itself or
 * after what the kernel takes for the same.
 */
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "test.h"
#include "world.h"

static struct world w;

static int setup(void **state)
{
	(void)state;
	world_init(&w);
	world_link(&w, 5, "eth0", NULL, 0, IFF_UP);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	world_fini(&w);
	return 0;
}

static void plan_is(const char *addrs, const char *text)
{
	char body[512];

	snprintf(body, sizeof(body), "  ethernets: {eth0: {addresses: [%s]}}\n", addrs);
	world_expect(world_plan(&w, body, false), text);
}

static void settle(const char *addrs)
{
	char body[512];

	snprintf(body, sizeof(body), "  ethernets: {eth0: {addresses: [%s]}}\n", addrs);
	world_settle(&w, body);
}

static void test_add_remove(void **state)
{
	(void)state;
	settle("192.0.2.1/24, \"2001:db8::1/64\"");
	world_addr(&w, "eth0", "198.51.100.1/24", 0, 0);
	world_addr(&w, "eth0", "fe80::1/64", 0, 3);
	plan_is("\"2001:db8::2/64\"", "clear: addr-del eth0 192.0.2.1/24\n"
				      "clear: addr-del eth0 2001:db8::1/64\n"
				      "address: addr-new eth0 2001:db8::2/64\n");
	plan_is("", "clear: addr-del eth0 192.0.2.1/24\nclear: addr-del eth0 2001:db8::1/64\n");
	/* The link in no file at all: the same. */
	world_expect(world_plan(&w, "  dummy-devices: {}\n", false),
		"clear: addr-del eth0 192.0.2.1/24\nclear: addr-del eth0 2001:db8::1/64\n");
	world_apply(&w);
	assert_int_equal(nctl_mirror_addr_count(w.have), 2);
}

static void test_adopt(void **state)
{
	(void)state;
	world_addr(&w, "eth0", "192.0.2.1/24", 0, 0);
	plan_is("192.0.2.1/24", "");
	assert_int_equal(w.plan->n_adopt_addrs, 1);
	world_apply(&w);
	plan_is("192.0.2.1/24", "");
	assert_int_equal(w.plan->n_adopt_addrs, 0);
	plan_is("", "clear: addr-del eth0 192.0.2.1/24\n");
}

static void test_length(void **state)
{
	(void)state;
	settle("192.0.2.1/24, \"2001:db8::1/64\"");
	plan_is("192.0.2.1/25, \"2001:db8::1/128\"", "clear: addr-del eth0 192.0.2.1/24\n"
						     "clear: addr-del eth0 2001:db8::1/64\n"
						     "address: addr-new eth0 192.0.2.1/25\n"
						     "address: addr-new eth0 2001:db8::1/128\n");
	settle("192.0.2.1/25, \"2001:db8::1/128\"");
	/* Somebody else's of another length stands in the way as well. */
	world_addr(&w, "eth0", "2001:db8::9/128", 0, 0);
	plan_is("192.0.2.1/25, \"2001:db8::1/128\", \"2001:db8::9/64\"",
		"clear: addr-del eth0 2001:db8::9/128\naddress: addr-new eth0 2001:db8::9/64\n");
}

static void test_lifetime(void **state)
{
	(void)state;
	settle("\"2001:db8::1/64\"");
	plan_is("{\"2001:db8::1/64\": {lifetime: 0}}", "address: addr-new eth0 2001:db8::1/64\n");
	settle("{\"2001:db8::1/64\": {lifetime: 0}}");
}

/* The kernel changes metric and lifetimes of an address that is there, of an IPv6 one all but a group. */
static void test_options(void **state)
{
	(void)state;
	settle("192.0.2.1/24, \"2001:db8::1/64\"");
	plan_is("{192.0.2.1/24: {metric: 7, lifetime: 60}}, {\"2001:db8::1/64\": {nodad: true, metric: 7}}",
		"address: addr-new eth0 192.0.2.1/24\naddress: addr-new eth0 2001:db8::1/64\n");
	settle("{192.0.2.1/24: {metric: 7}}, {\"2001:db8::1/64\": {nodad: true, metric: 7}}");
	plan_is("{192.0.2.1/24: {noprefixroute: true}}, {\"2001:db8::1/64\": {noprefixroute: true}}",
		"clear: addr-del eth0 192.0.2.1/24\n"
		"address: addr-new eth0 192.0.2.1/24\naddress: addr-new eth0 2001:db8::1/64\n");
	plan_is("{192.0.2.1/24: {broadcast: 192.0.2.255, scope: link}}, \"2001:db8::1/64\"",
		"clear: addr-del eth0 192.0.2.1/24\naddress: addr-new eth0 192.0.2.1/24\n");
	world_addr(&w, "eth0", "ff05::1/128", 0, 0);
	plan_is("192.0.2.1/24, \"2001:db8::1/64\", {\"ff05::1/128\": {autojoin: true}}",
		"clear: addr-del eth0 ff05::1/128\naddress: addr-new eth0 ff05::1/128\n");
	/* Seconds run down; what is over, and what goes on for ever, is something else. */
	settle("{192.0.2.1/24: {valid-lifetime: 600, lifetime: 300}}");
	plan_is("{192.0.2.1/24: {valid-lifetime: 700, lifetime: 200}}", "");
	plan_is("{192.0.2.1/24: {lifetime: 200}}", "address: addr-new eth0 192.0.2.1/24\n");
}

/* The kernel never changes these of an IPv4 address that is there. */
static void test_label(void **state)
{
	(void)state;
	settle("192.0.2.1/24");
	plan_is("{192.0.2.1/24: {label: \"eth0:1\"}}",
		"clear: addr-del eth0 192.0.2.1/24\naddress: addr-new eth0 192.0.2.1/24\n");
	settle("{192.0.2.1/24: {label: \"eth0:1\"}}");
	plan_is("192.0.2.1/24", ""); /* no label is no wish */
}

/* Secondaries go with their primary, so they are made again; others stay. */
static void test_secondaries(void **state)
{
	(void)state;
	world_addr(&w, "eth0", "192.0.2.1/24", 0, NCTL_PROTO);
	world_addr(&w, "eth0", "192.0.2.2/24", IFA_F_SECONDARY, NCTL_PROTO);
	world_addr(&w, "eth0", "192.0.2.3/25", 0, NCTL_PROTO);
	world_addr(&w, "eth0", "198.51.100.1/24", 0, NCTL_PROTO);
	plan_is("192.0.2.1/24, 192.0.2.2/24, 192.0.2.3/25, 198.51.100.1/24", "");
	plan_is("192.0.2.2/24, 192.0.2.3/25, 198.51.100.1/24",
		"clear: addr-del eth0 192.0.2.1/24\naddress: addr-new eth0 192.0.2.2/24\n");
	/* Of a secondary nothing hangs. */
	plan_is("192.0.2.1/24, 192.0.2.3/25, 198.51.100.1/24", "clear: addr-del eth0 192.0.2.2/24\n");
}

/* Made by hand: peers of one subnet are one address to the kernel, others are two. */
static void test_peers(void **state)
{
	static const struct nctl_want_def def = {.label = "eth0"};
	struct nctl_want_addr addr = {.v = NCTL_ADDR_INIT};
	struct nctl_want_link link = {.v = NCTL_LINK_INIT, .def = &def, .addrs = &addr, .n_addrs = 1};
	struct nctl_want_link *links[] = {&link};
	const struct nctl_want_link *twice;
	struct nctl_addr there = NCTL_ADDR_INIT;
	struct nctl_want *want = nctl_want_new();

	(void)state;
	link.v.kind = nctl_kind_by_section("ethernets");
	strcpy(link.v.name, "eth0");
	nctl_prefix_parse("192.0.2.1/24", NCTL_PREFIX_NEED_LENGTH, &addr.v.local);
	nctl_prefix_parse("198.51.100.1/24", NCTL_PREFIX_NEED_LENGTH, &addr.v.peer);
	want->links = links;
	link.netns = want->netns[0];
	want->n_links = 1;
	assert_int_equal(nctl_want_seal(want, &twice), 0);

	there.ifindex = 5;
	there.proto = NCTL_PROTO;
	there.local = addr.v.local;
	nctl_prefix_parse("198.51.100.2/24", NCTL_PREFIX_NEED_LENGTH, &there.peer);
	assert_int_equal(nctl_mirror_addr_put(w.have, &there, NCTL_SOURCE_EVENT), 0);
	world_expect(world_plan_want(&w, want, false),
		"clear: addr-del eth0 192.0.2.1/24\naddress: addr-new eth0 192.0.2.1/24\n");
	assert_memory_equal(w.plan->ops[0].addr->peer.addr, there.peer.addr, 4);
	world_apply(&w);
	world_expect(world_plan_want(&w, want, false), "");

	nctl_prefix_parse("203.0.113.1/24", NCTL_PREFIX_NEED_LENGTH, &addr.v.peer);
	world_expect(world_plan_want(&w, want, false),
		"clear: addr-del eth0 192.0.2.1/24\naddress: addr-new eth0 192.0.2.1/24\n");
	world_apply(&w);
	world_expect(world_plan_want(&w, want, false), "");
	assert_int_equal(nctl_mirror_addr_count(w.have), 1);
	w.plan = nctl_plan_free(w.plan);
	nctl_want_free(want);
}

/* A link that goes down loses its IPv6 addresses, and only those. */
static void test_down(void **state)
{
	(void)state;
	settle("192.0.2.1/24, \"2001:db8::1/64\"");
	world_expect(world_plan(&w,
			     "  ethernets: {eth0: {activation-mode: \"off\", "
			     "addresses: [192.0.2.1/24, \"2001:db8::1/64\"]}}\n",
			     false),
		"tune: link-set physical eth0 down (flap)\naddress: addr-new eth0 2001:db8::1/64\n");
}

/* A link that is made again gets all of its addresses; nothing is deleted from the one that goes. */
static void test_recreate(void **state)
{
	(void)state;
	world_settle(&w,
		"  vlans: {v: {id: 1, link: eth0, addresses: [192.0.2.1/24]}}\n  ethernets: {eth0: {}}\n");
	world_expect(world_plan(&w,
			     "  vlans: {v: {id: 2, link: eth0, addresses: [192.0.2.1/24]}}\n"
			     "  ethernets: {eth0: {}}\n",
			     true),
		"clear: link-del vlan v\ncreate: link-new vlan v\nup: link-set vlan v up\n"
		"address: addr-new v 192.0.2.1/24\n");
}

#define CASE(name_) cmocka_unit_test_setup_teardown(test_##name_, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(add_remove),
		CASE(adopt),
		CASE(length),
		CASE(lifetime),
		CASE(options),
		CASE(label),
		CASE(secondaries),
		CASE(peers),
		CASE(down),
		CASE(recreate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
