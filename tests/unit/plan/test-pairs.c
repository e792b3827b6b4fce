/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: plans for pairs, whose ends may be in two namespaces: made by one message, kept, made again, lost.
 */
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"

/* From what is there to body and back, from any point of the way. */
static void undo_returns(const char *body)
{
	size_t n = world_plan(&w, body, true)->n_ops;

	for (size_t i = 0; i <= n; i++)
		world_return(&w, body, i);
}

static const char nothing[] = "  dummy-devices: {}\n";
static const char pair_with_home[] =
	"  virtual-ethernets: {v1: {peer: {netns: t1, name: e}}}\n"
	"  bridges: {br0: {interfaces: [v1]}}\n"
	"  namespaces: {t1: {virtual-ethernets: {e: {addresses: [192.0.2.1/24]}}, "
	"vrfs: {red: {table: 10, interfaces: [e]}}}}\n";

/* One message for both, and home is the other end; it joins its master later. */
static void test_pair_with_home(void **state)
{
	const struct nctl_plan *p = world_plan(&w, pair_with_home, false);

	(void)state;
	world_expect(p, "netns: netns-new t1\n"
			"create: link-new bridge br0\n"
			"create: link-new vrf t1/red\n"
			"create: link-new veth t1/e and v1\n"
			"tune: link-set veth v1 master\n"
			"up: link-set bridge br0 up\n"
			"up: link-set veth v1 up\n"
			"up: link-set vrf t1/red up\n"
			"up: link-set veth t1/e up\n"
			"address: addr-new t1/e 192.0.2.1/24\n");
	assert_int_equal(p->ops[3].netns, 1);
	assert_int_equal(p->ops[3].peer_netns, 0);
	assert_int_equal(p->ops[3].need[0], 0); /* t1 */
	assert_int_equal(p->ops[3].need[1], 2); /* red */
	assert_int_equal(p->ops[3].master, p->ops[2].ifindex);
	/* The end at home needs that message, too. */
	assert_int_equal(p->ops[4].need[0], 3);
	assert_int_equal(p->ops[6].ifindex, p->ops[3].peer_ifindex);
	world_settle(&w, pair_with_home);
	/* It goes with its namespace. */
	p = world_plan(&w, nothing, false);
	world_expect(p, "remove: netns-del t1\n"
			"remove: link-del bridge br0\n"
			"remove: link-del veth v1 (implied)\n");
	assert_int_equal(p->ops[2].need[0], 0);
	world_apply(&w);
	assert_int_equal(nctl_mirror_link_count(w.have), 0);
}

static const char pair_of_tenants[] =
	"  namespaces: {t1: {virtual-ethernets: {a: {peer: {netns: t2, name: b}}}}, "
	"t2: {virtual-ethernets: {b: {}}}}\n";

static void test_pair_of_tenants(void **state)
{
	const struct nctl_plan *p = world_plan(&w, pair_of_tenants, false);

	(void)state;
	world_expect(p, "netns: netns-new t1\n"
			"netns: netns-new t2\n"
			"netns: netns-id t2 of t1\n"
			"create: link-new veth t1/a and t2/b\n"
			"up: link-set veth t1/a up\n"
			"up: link-set veth t2/b up\n");
	assert_int_equal(p->ops[2].netns, 2);
	assert_int_equal(p->ops[2].peer_netns, 1);
	assert_int_equal(p->ops[2].need[0], 0);
	assert_int_equal(p->ops[2].need[3], 1);
	assert_int_equal(p->ops[3].need[0], 2);
	assert_int_equal(p->ops[3].netns, 1);
	assert_int_equal(p->ops[3].peer_netns, 2);
	world_settle(&w, pair_of_tenants);
	/* One of the two namespaces goes, and the pair with it. */
	p = world_plan(&w, "  namespaces: {t1: {}}\n", false);
	world_expect(p, "remove: netns-del t2\nremove: link-del veth t1/a (implied)\n");
	undo_returns("  namespaces: {t1: {}}\n");
	/* Both stay, the pair does not. */
	plan_is("  namespaces: {\"t{1..2}\": {}}\n",
		"remove: link-del veth t1/a\nremove: link-del veth t2/b (implied)\n");
	assert_int_equal(w.plan->ops[1].need[0], 0);
	undo_returns("  namespaces: {\"t{1..2}\": {}}\n");
	world_plan(&w, "  namespaces: {\"t{1..2}\": {}}\n", false);
	world_apply(&w);
	/* In namespaces that are there, too. */
	plan_is(pair_of_tenants, "netns: netns-id t2 of t1\n"
				 "create: link-new veth t1/a and t2/b\n"
				 "up: link-set veth t1/a up\n"
				 "up: link-set veth t2/b up\n");
}

/* Somebody deleted the namespace: it is made again, with the pair, and nobody is asked. */
static void test_lost_netns(void **state)
{
	static const char again[] = "netns: netns-new t1\n"
				    "create: link-new vrf t1/red\n"
				    "create: link-new veth t1/e and v1\n"
				    "tune: link-set veth v1 master\n"
				    "up: link-set veth v1 up\n"
				    "up: link-set vrf t1/red up\n"
				    "up: link-set veth t1/e up\n"
				    "address: addr-new t1/e 192.0.2.1/24\n";
	static const char fading[] = "netns: netns-new t1\n"
				     "clear: link-del veth v1\n"
				     "create: link-new vrf t1/red\n"
				     "create: link-new veth t1/e and v1\n"
				     "tune: link-set veth v1 master\n"
				     "up: link-set veth v1 up\n"
				     "up: link-set vrf t1/red up\n"
				     "up: link-set veth t1/e up\n"
				     "address: addr-new t1/e 192.0.2.1/24\n";
	struct nctl_link l = NCTL_LINK_INIT;
	nctl_ifindex index;
	char *text;

	(void)state;
	world_settle(&w, pair_with_home);
	index = world_index(&w, "v1");
	assert_int_equal(nctl_link_copy(&l, &nctl_mirror_link_get(w.have, index)->v), 0);
	world_netns_del(&w, "t1");
	plan_is(pair_with_home, again);
	/* The name is gone, but its end of the pair is still on its way out; first its number goes, too. */
	assert_int_equal(nctl_mirror_link_put(w.have, &l, NCTL_SOURCE_EVENT), 0);
	plan_is(pair_with_home, fading);
	l.lower_nsid = NCTL_NSID_NONE;
	assert_int_equal(nctl_mirror_link_put(w.have, &l, NCTL_SOURCE_EVENT), 0);
	plan_is(pair_with_home, fading);
	assert_int_equal(w.plan->ops[3].need[3], 1);
	text = world_print(w.plan);
	assert_null(strstr(text, "consent"));
	free(text);
	world_apply(&w);
	plan_is(pair_with_home, "");
}

/* What stands on such an end goes with it, and comes again. */
static void test_lost_lower(void **state)
{
	static const char body[] = "  virtual-ethernets: {v1: {peer: {netns: t1, name: e}}}\n"
				   "  vlans: {f: {id: 1, link: v1}, g: {id: 2, link: f}}\n"
				   "  namespaces: {t1: {virtual-ethernets: {e: {}}}}\n";
	static const char *const names[] = {"v1", "f", "g"};
	struct nctl_link l[3];

	(void)state;
	world_settle(&w, body);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(nctl_link_copy(&l[i], &nctl_mirror_link_find(w.have, names[i])->v), 0);
	world_netns_del(&w, "t1");
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(nctl_mirror_link_put(w.have, &l[i], NCTL_SOURCE_EVENT), 0);
	plan_is(body, "netns: netns-new t1\n"
		      "clear: link-del veth v1\n"
		      "clear: link-del vlan f (implied)\n"
		      "clear: link-del vlan g (implied)\n"
		      "create: link-new veth t1/e and v1\n"
		      "create: link-set veth v1 up\n"
		      "create: link-new vlan f\n"
		      "create: link-set vlan f up\n"
		      "create: link-new vlan g\n"
		      "up: link-set vlan g up\n"
		      "up: link-set veth t1/e up\n");
	world_settle(&w, body);
}

/* Peers change: both old ends go, if they are ours and the user agrees. */
static void test_other_peer(void **state)
{
	static const char body[] = "  virtual-ethernets: {v0: {peer: %s}, v1: {peer: %s}, v2: {peer: %s}, "
				   "v3: {peer: %s}}\n";
	char before[256], after[256];

	(void)state;
	snprintf(before, sizeof(before), body, "v1", "v0", "v3", "v2");
	snprintf(after, sizeof(after), body, "v2", "v3", "v0", "v1");
	world_settle(&w, before);
	world_plan(&w, after, false);
	assert_true(w.plan->blocked);
	recreate_is(after, "clear: link-del veth v0\n"
			   "clear: link-del veth v2\n"
			   "clear: link-del veth v1 (implied)\n"
			   "clear: link-del veth v3 (implied)\n"
			   "create: link-new veth v0 and v2\n"
			   "create: link-new veth v1 and v3\n"
			   "up: link-set veth v0 up\n"
			   "up: link-set veth v1 up\n"
			   "up: link-set veth v2 up\n"
			   "up: link-set veth v3 up\n");
	assert_int_equal(w.plan->ops[2].need[0], 0);
	assert_int_equal(w.plan->ops[3].need[0], 1);
	assert_int_equal(w.plan->ops[4].need[2], 0);
	assert_int_equal(w.plan->ops[4].need[3], 1);
	undo_returns(after);
	world_settle(&w, after);
}

/* The peer moves to another namespace, or back. */
static void test_moved_peer(void **state)
{
	static const char here[] = "  virtual-ethernets: {v0: {peer: v1}, v1: {peer: v0}}\n"
				   "  namespaces: {t1: {}}\n",
			  there[] = "  virtual-ethernets: {v0: {peer: {netns: t1, name: v1}}}\n"
				    "  namespaces: {t1: {virtual-ethernets: {v1: {}}}}\n";

	(void)state;
	world_settle(&w, here);
	plan_is(there, "clear: link-del veth v0\n"
		       "create: link-new veth t1/v1 and v0\n"
		       "up: link-set veth v0 up\n"
		       "up: link-set veth t1/v1 up\n"
		       "remove: link-del veth v1 (implied)\n"
		       "consent: veth v0 must be deleted and made again; allow it with --allow-recreate\n");
	undo_returns(there);
	world_settle(&w, there);
	plan_is(here, "clear: link-del veth v0\n"
		      "create: link-new veth v0 and v1\n"
		      "up: link-set veth v0 up\n"
		      "up: link-set veth v1 up\n"
		      "remove: link-del veth t1/v1 (implied)\n"
		      "consent: veth v0 must be deleted and made again; allow it with --allow-recreate\n");
	undo_returns(here);
	world_settle(&w, here);
}

/* The same into a namespace that is to be made: v0 is no end that lost its peer, and the user is asked. */
static void test_moved_to_fresh(void **state)
{
	static const char here[] = "  virtual-ethernets: {v0: {peer: v1}, v1: {peer: v0}}\n",
			  there[] = "  virtual-ethernets: {v0: {peer: {netns: t1, name: v1}}}\n"
				    "  namespaces: {t1: {virtual-ethernets: {v1: {}}}}\n",
			  next[] = "  virtual-ethernets: {v0: {peer: {netns: t2, name: v1}}}\n"
				   "  namespaces: {t1: {}, t2: {virtual-ethernets: {v1: {}}}}\n";

	(void)state;
	world_settle(&w, here);
	world_plan(&w, there, false);
	assert_true(w.plan->blocked);
	undo_returns(there);
	world_settle(&w, there);
	world_plan(&w, next, false);
	assert_true(w.plan->blocked);
	undo_returns(next);
	world_settle(&w, next);
	/* The old namespace goes, too: the old pair is deleted first, by the end that stays. */
	recreate_is("  virtual-ethernets: {v0: {peer: {netns: t1, name: v1}}}\n"
		    "  namespaces: {t1: {virtual-ethernets: {v1: {}}}}\n",
		"clear: link-del veth v0\n"
		"create: link-new veth t1/v1 and v0\n"
		"up: link-set veth v0 up\n"
		"up: link-set veth t1/v1 up\n"
		"remove: netns-del t2\n");
	undo_returns(there);
}

/* Another kind of link has the name; ours, so it may go. A foreign one stays where it is. */
static void test_in_the_way(void **state)
{
	(void)state;
	world_settle(&w, "  dummy-devices: {v1: {}}\n");
	recreate_is(pair_with_home, "netns: netns-new t1\n"
				    "clear: link-del dummy v1\n"
				    "create: link-new bridge br0\n"
				    "create: link-new vrf t1/red\n"
				    "create: link-new veth t1/e and v1\n"
				    "tune: link-set veth v1 master\n"
				    "up: link-set bridge br0 up\n"
				    "up: link-set veth v1 up\n"
				    "up: link-set vrf t1/red up\n"
				    "up: link-set veth t1/e up\n"
				    "address: addr-new t1/e 192.0.2.1/24\n");
	undo_returns(pair_with_home);
	world_settle(&w, nothing);
	world_link(&w, 5, "v1", "dummy", 0, 0);
	world_plan(&w, pair_with_home, true);
	assert_true(w.plan->blocked);
}

/* An nsid that means another namespace, and two links that only look like a pair. */
static void test_no_pair(void **state)
{
	struct nctl_link l = NCTL_LINK_INIT;
	struct world_netns *n;

	(void)state;
	world_settle(&w, pair_with_home);
	assert_int_equal(nctl_link_copy(&l, &nctl_mirror_link_find(w.have, "v1")->v), 0);
	l.lower_nsid++;
	assert_int_equal(nctl_mirror_link_put(w.have, &l, NCTL_SOURCE_EVENT), 0);
	world_plan(&w, pair_with_home, false);
	assert_true(w.plan->blocked);
	n = world_netns_find(&w, "t1");
	assert_int_equal(nctl_link_copy(&l, &nctl_mirror_link_find(w.have, "v1")->v), 0);
	l.lower_nsid--;
	assert_int_equal(nctl_mirror_link_put(w.have, &l, NCTL_SOURCE_EVENT), 0);
	plan_is(pair_with_home, "");
	assert_int_equal(nctl_link_copy(&l, &nctl_mirror_link_find(n->have, "e")->v), 0);
	l.lower++;
	assert_int_equal(nctl_mirror_link_put(n->have, &l, NCTL_SOURCE_EVENT), 0);
	world_plan(&w, pair_with_home, false);
	assert_true(w.plan->blocked);
}

/* A VLAN on one end of a pair, whose other end is a port of a bond with VLANs: over two namespaces. */
static void test_stacked(void **state)
{
	static const char body[] = "  virtual-ethernets: {v1: {peer: {netns: t1, name: e}}}\n"
				   "  bonds: {b0: {interfaces: [v1], parameters: {mode: active-backup}}}\n"
				   "  vlans: {\"f.{1..2}\": {id: \"{n}\", link: b0}}\n"
				   "  namespaces: {t1: {virtual-ethernets: {e: {}}, vlans: {\"f.{1..2}\": "
				   "{id: \"{n}\", link: e}}}}\n";

	(void)state;
	plan_is(body, "netns: netns-new t1\n"
		      "create: link-new bond b0\n"
		      "create: link-new veth t1/e and v1\n"
		      "create: link-set bond b0 up\n"
		      "create: link-set veth v1 master\n"
		      "create: link-set veth v1 up\n"
		      "create: link-set veth t1/e up\n"
		      "create: link-new vlan f.1\n"
		      "create: link-new vlan f.2\n"
		      "create: link-new vlan t1/f.1\n"
		      "create: link-new vlan t1/f.2\n"
		      "up: link-set vlan f.1 up\n"
		      "up: link-set vlan f.2 up\n"
		      "up: link-set vlan t1/f.1 up\n"
		      "up: link-set vlan t1/f.2 up\n");
	undo_returns(body);
	world_settle(&w, body);
	undo_returns(nothing);
}

#define CASE(name_) cmocka_unit_test_setup_teardown(test_##name_, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(pair_with_home),
		CASE(pair_of_tenants),
		CASE(lost_netns),
		CASE(lost_lower),
		CASE(other_peer),
		CASE(moved_peer),
		CASE(moved_to_fresh),
		CASE(in_the_way),
		CASE(no_pair),
		CASE(stacked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
