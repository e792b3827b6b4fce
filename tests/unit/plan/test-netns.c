/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: plans over namespaces: made, left alone, deleted; what is in them; pairs between them; sysctls; and
 * the way back from all of that.
 */
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/time.h"
#include "test.h"
#include "world.h"

static struct world w;

static int setup(void **state)
{
	(void)state;
	world_init(&w);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	world_fini(&w);
	return 0;
}

static void plan_is(const char *body, const char *text)
{
	world_expect(world_plan(&w, body, false), text);
}

static void recreate_is(const char *body, const char *text)
{
	world_expect(world_plan(&w, body, true), text);
}

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

/* -- pairs -- */

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
	struct nctl_link l = NCTL_LINK_INIT;
	nctl_ifindex index;
	char *text;

	(void)state;
	world_settle(&w, pair_with_home);
	index = world_index(&w, "v1");
	assert_int_equal(nctl_link_copy(&l, &nctl_mirror_link_get(w.have, index)->v), 0);
	world_netns_del(&w, "t1");
	plan_is(pair_with_home, again);
	/* The name is gone, but its end of the pair is still on its way out. */
	assert_int_equal(nctl_mirror_link_put(w.have, &l, NCTL_SOURCE_EVENT), 0);
	plan_is(pair_with_home, "netns: netns-new t1\n"
				"clear: link-del veth v1\n"
				"create: link-new vrf t1/red\n"
				"create: link-new veth t1/e and v1\n"
				"tune: link-set veth v1 master\n"
				"up: link-set veth v1 up\n"
				"up: link-set vrf t1/red up\n"
				"up: link-set veth t1/e up\n"
				"address: addr-new t1/e 192.0.2.1/24\n");
	assert_int_equal(w.plan->ops[3].need[3], 1);
	text = world_print(w.plan);
	assert_null(strstr(text, "consent"));
	free(text);
	world_apply(&w);
	plan_is(pair_with_home, "");
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

/* -- sysctls -- */

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

/* -- the way back -- */

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
	world_plan(&w, nothing, false);
	world_apply(&w);
	assert_int_equal(nctl_plan_undo(w.plan, &back), 0);
	assert_int_equal(back->n_problems, 1);
	assert_string_equal(back->problems[0].text,
		"foreign is gone with namespace t2, and is not netctld's to make again");
	nctl_plan_free(back);
}

/* -- many -- */

static double many_time(unsigned n)
{
	struct nctl_strbuf body = NCTL_STRBUF_INIT;
	struct nctl_want *want;
	double best = 1e12;

	nctl_strbuf_printf(&body,
		"  virtual-ethernets: {\"v{1..%u}\": {peer: {netns: \"t{n}\", name: e}}}\n"
		"  namespaces: {\"t{1..%u}\": {sysctl: {net.ipv4.ip_forward: 1}, virtual-ethernets: {e: {}}, "
		"ethernets: {lo: {}}, dummy-devices: {d0: {addresses: [192.0.2.1/24]}}}}\n",
		n, n);
	want = world_parse(nctl_strbuf_str(&body));
	for (int i = 0; i < 3; i++) {
		nctl_time start;
		double us;

		w.plan = nctl_plan_free(w.plan);
		start = nctl_time_now();
		world_plan_want(&w, want, false);
		us = (double)nctl_time_diff_us(nctl_time_now(), start);
		best = us < best ? us : best;
	}
	/* namespace, sysctl; pair, its two ends up; lo up; dummy, up, address */
	assert_int_equal(w.plan->n_ops, 9 * n);
	if (n <= 1000) {
		world_apply(&w);
		world_expect(world_plan_want(&w, want, false), "");
		world_plan(&w, nothing, false);
		assert_int_equal(w.plan->n_ops, 2 * n);
		world_apply(&w);
		world_plan(&w, nothing, false);
		assert_int_equal(w.plan->n_ops, 0);
	}
	w.plan = nctl_plan_free(w.plan);
	nctl_want_free(want);
	nctl_strbuf_fini(&body);
	return best;
}

static void test_many(void **state)
{
	double small = many_time(400), large = many_time(4000);

	(void)state;
	/* Told, and only judged where it is beyond doubt: quadratic would be a hundred. */
	printf("# 400 namespaces: %.0f us, 4,000: %.0f us, ratio %.1f\n", small, large, large / small);
	assert_true(large < small * 60);
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
		CASE(pair_with_home),
		CASE(pair_of_tenants),
		CASE(lost_netns),
		CASE(other_peer),
		CASE(moved_peer),
		CASE(in_the_way),
		CASE(no_pair),
		CASE(stacked),
		CASE(sysctls),
		CASE(sysctl_of_link),
		CASE(undo_sysctls),
		CASE(undo_new),
		CASE(undo_refused),
		CASE(undo_del),
		CASE(many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
