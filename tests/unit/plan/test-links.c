/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: plans for links: what is made, set, made again, adopted, left alone and deleted, and in which order.
 */
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "case.h"

static const char s1[] =
	"  virtual-ethernets: {v0: {peer: v1}, v1: {peer: v0}}\n"
	"  bonds: {b1: {interfaces: [v0], parameters: {mode: active-backup}}}\n"
	"  vrfs: {red: {table: 10}}\n"
	"  vlans: {\"f.{1..2}\": {id: \"{n}\", link: b1, vrf: red, addresses: [\"2000::{n}/64\"]}}\n";

/*
 * Bond before its port, port before VLANs on the bond, VRF before them; the pair is one message. What the
 * VLANs would follow up (the bond, with its port and the port's peer) is up before they are made.
 */
static void test_create(void **state)
{
	(void)state;
	plan_is(s1, "create: link-new bond b1\n"
		    "create: link-new vrf red\n"
		    "create: link-new veth v0 and v1\n"
		    "create: link-set bond b1 up\n"
		    "create: link-set veth v0 up\n"
		    "create: link-set veth v1 up\n"
		    "create: link-new vlan f.1\n"
		    "create: link-new vlan f.2\n"
		    "up: link-set vrf red up\n"
		    "up: link-set vlan f.1 up\n"
		    "up: link-set vlan f.2 up\n"
		    "address: addr-new f.1 2000::1/64\n"
		    "address: addr-new f.2 2000::2/64\n");
	world_apply(&w);
	assert_int_equal(nctl_ledger_link_count(w.ledger), 6);
	plan_is(s1, "");
}

/* A link's operations need the one that makes it, its lower's and its master's. */
static void test_needs(void **state)
{
	const struct nctl_plan *p = world_plan(&w, s1, false);

	(void)state;
	assert_int_equal(p->ops[2].need[1], 0); /* v0 joins b1 */
	assert_int_equal(p->ops[6].need[0], 0); /* f.1 stands on b1 */
	assert_int_equal(p->ops[6].need[1], 1); /* and is in red */
	assert_int_equal(p->ops[11].need[0], 6);
	assert_int_equal(p->ops[5].need[0], 2); /* v1 is made along with v0 */
	assert_int_equal(p->ops[2].master, p->ops[0].ifindex);
	assert_int_equal(p->ops[5].ifindex, p->ops[2].peer_ifindex);
}

/* The other end of a pair cannot be given its master when it is made. */
static void test_peer_with_master(void **state)
{
	static const char body[] = "  virtual-ethernets: {v0: {peer: v1}, v1: {peer: v0}}\n"
				   "  bridges: {br0: {interfaces: [v1], parameters: {path-cost: {v1: 7}}}}\n";

	(void)state;
	plan_is(body, "create: link-new bridge br0\n"
		      "create: link-new veth v0 and v1\n"
		      "tune: link-set veth v1 master\n"
		      "tune: link-set veth v1 path-cost\n"
		      "up: link-set bridge br0 up\n"
		      "up: link-set veth v0 up\n"
		      "up: link-set veth v1 up\n");
	world_settle(&w, body);
}

static void test_set(void **state)
{
	(void)state;
	world_settle(&w, "  dummy-devices: {d0: {mtu: 1400, alias: one}}\n");
	plan_is("  dummy-devices: {d0: {mtu: 1400, alias: two, group: 7}}\n",
		"tune: link-set dummy d0 group alias\n");
	/* What is no longer said is left as it is. */
	plan_is("  dummy-devices: {d0: {}}\n", "");
	/* A larger MTU comes early, a smaller one late. */
	plan_is("  dummy-devices: {d0: {mtu: 9000}}\n", "create: link-set dummy d0 mtu\n");
	plan_is("  dummy-devices: {d0: {mtu: 1300}}\n", "tune: link-set dummy d0 mtu\n");
}

static void test_altnames(void **state)
{
	(void)state;
	world_settle(&w, "  dummy-devices: {d0: {altnames: [one]}}\n");
	plan_is("  dummy-devices: {d0: {altnames: [one, two]}}\n", "tune: altname-new d0 two\n");
	plan_is("  dummy-devices: {d0: {}}\n", "");
}

static void test_activation(void **state)
{
	(void)state;
	world_settle(&w, "  dummy-devices: {d0: {}}\n");
	plan_is("  dummy-devices: {d0: {activation-mode: manual}}\n", "");
	plan_is("  dummy-devices: {d0: {activation-mode: \"off\"}}\n",
		"tune: link-set dummy d0 down (flap)\n");
	world_apply(&w);
	plan_is("  dummy-devices: {d0: {activation-mode: manual}}\n", "");
	plan_is("  dummy-devices: {d0: {}}\n", "up: link-set dummy d0 up\n");
}

static const char one_vlan[] = "  dummy-devices: {d0: {}}\n  vlans: {v: {id: 1, link: d0}}\n";
static const char other_id[] = "  dummy-devices: {d0: {}}\n  vlans: {v: {id: 2, link: d0}}\n";

static void test_recreate(void **state)
{
	const struct nctl_plan *p;

	(void)state;
	world_settle(&w, one_vlan);
	p = world_plan(&w, other_id, false);
	assert_true(p->blocked);
	world_expect(p, "clear: link-del vlan v\n"
			"create: link-new vlan v\n"
			"up: link-set vlan v up\n"
			"consent: vlan v must be deleted and made again; allow it with --allow-recreate\n");
	recreate_is(other_id, "clear: link-del vlan v\ncreate: link-new vlan v\nup: link-set vlan v up\n");
	assert_false(w.plan->blocked);
	assert_int_equal(w.plan->ops[0].cls, NCTL_CHANGE_RECREATE);
	/* A refused deletion is to blame for what cannot be made. */
	assert_int_equal(w.plan->ops[1].need[2], 0);
	world_settle(&w, other_id);
}

/* Uppers of what is made again are made again too; their deletions come by themselves. */
static void test_recreate_lower(void **state)
{
	static const char body[] = "  dummy-devices: {d0: {}, d1: {}}\n"
				   "  vlans: {v: {id: 1, link: %s}, w: {id: 2, link: v}}\n";
	char before[256], after[256];

	(void)state;
	snprintf(before, sizeof(before), body, "d0");
	snprintf(after, sizeof(after), body, "d1");
	world_settle(&w, before);
	recreate_is(after, "clear: link-del vlan v\n"
			   "clear: link-del vlan w (implied)\n"
			   "create: link-new vlan v\n"
			   "create: link-set vlan v up\n"
			   "create: link-new vlan w\n"
			   "up: link-set vlan w up\n");
	assert_int_equal(w.plan->ops[1].need[0], 0);
	world_settle(&w, after);
	/* A foreign link on it would go along: not without somebody else's hand. */
	world_link(&w, 5, "foreign", "vlan", world_index(&w, "v"), 0);
	world_plan(&w, before, true);
	assert_true(w.plan->blocked);
}

static void test_adopt(void **state)
{
	const struct nctl_plan *p;

	(void)state;
	world_link(&w, 5, "d0", "dummy", 0, IFF_UP);
	p = world_plan(&w, "  dummy-devices: {d0: {}}\n", false);
	world_expect(p, "");
	assert_int_equal(p->n_adopt_links, 1);
	assert_true(p->adopt_links[0].link.ifindex == 5 && p->adopt_links[0].link.adopted);
	assert_string_equal(p->adopt_links[0].link.kind, "dummy");
	world_apply(&w);
	/* Once. */
	assert_int_equal(world_plan(&w, "  dummy-devices: {d0: {}}\n", false)->n_adopt_links, 0);
	/* From now on it is ours, and goes when nobody wants it. */
	plan_is("  dummy-devices: {}\n", "remove: link-del dummy d0\n");
}

static void test_in_the_way(void **state)
{
	(void)state;
	world_link(&w, 5, "d0", NULL, 0, 0);
	recreate_is("  dummy-devices: {d0: {activation-mode: manual}}\n",
		"create: link-new dummy d0\n"
		"conflict: a link that netctld does not own is in the way of dummy d0: a physical link "
		"(ifindex 5); delete or rename it\n");
	assert_true(w.plan->blocked);
}

/* Somebody else's link has the wanted name as an altname. */
static void test_altname_in_the_way(void **state)
{
	static char *names[] = {(char *)"d0", NULL};
	struct nctl_link l = NCTL_LINK_INIT;

	(void)state;
	world_link(&w, 5, "x", "dummy", 0, 0);
	assert_int_equal(nctl_link_copy(&l, &nctl_mirror_link_get(w.have, 5)->v), 0);
	l.altnames = calloc(2, sizeof(*l.altnames));
	l.altnames[0] = strdup(names[0]);
	assert_int_equal(nctl_mirror_link_put(w.have, &l, NCTL_SOURCE_EVENT), 0);
	world_plan(&w, "  dummy-devices: {d0: {}}\n", true);
	assert_true(w.plan->blocked);
	/* A network card may be configured by its altname: no renaming, and no second thoughts about its
	 * addresses. */
	world_settle(&w, "  ethernets: {d0: {addresses: [192.0.2.1/24]}}\n");
	assert_string_equal(nctl_mirror_link_get(w.have, 5)->v.name, "x");
}

static void test_wait(void **state)
{
	static const char body[] =
		"  ethernets: {eth0: {addresses: [192.0.2.1/24]}}\n"
		"  vlans: {\"f.{1..3}\": {id: \"{n}\", link: eth0}, d: {id: 9, link: eth0}}\n"
		"  dummy-devices: {d0: {activation-mode: manual}}\n";

	(void)state;
	plan_is(body, "create: link-new dummy d0\n"
		      "wait: eth0 is not there yet\n"
		      "wait: f.{1..3} waits for eth0, which is not there yet\n"
		      "wait: d waits for eth0, which is not there yet\n");
	assert_false(w.plan->blocked);
	world_apply(&w);
	world_link(&w, 5, "eth0", NULL, 0, IFF_UP);
	world_settle(&w, body);
	assert_non_null(nctl_mirror_link_find(w.have, "f.3"));
	assert_null(nctl_ledger_link_get(w.ledger, 5)); /* network cards are nobody's */
}

/* What waits is not what nobody wants. */
static void test_wait_is_wanted(void **state)
{
	static const char body[] = "  ethernets: {eth0: {}}\n  vlans: {v: {id: 1, link: eth0}}\n"
				   "  bridges: {br0: {interfaces: [v]}}\n";

	(void)state;
	world_link(&w, 5, "eth0", NULL, 0, IFF_UP);
	world_settle(&w, body);
	nctl_mirror_link_drop(w.have, 5);
	plan_is(body, "wait: eth0 is not there yet\n"
		      "wait: v waits for eth0, which is not there yet\n");
}

static void test_remove(void **state)
{
	(void)state;
	world_settle(&w, s1);
	world_link(&w, 5, "foreign", "dummy", 0, 0);
	/* By ifindex: b1, v0 and its other end, red, f.1, f.2. */
	plan_is("  dummy-devices: {}\n", "remove: link-del bond b1\n"
					 "remove: link-del veth v0\n"
					 "remove: link-del veth v1 (implied)\n"
					 "remove: link-del vrf red\n"
					 "remove: link-del vlan f.1 (implied)\n"
					 "remove: link-del vlan f.2 (implied)\n");
	assert_int_equal(w.plan->ops[2].need[0], 1);
	assert_int_equal(w.plan->ops[4].need[0], 0);
	world_apply(&w);
	assert_int_equal(nctl_mirror_link_count(w.have), 1);
	assert_int_equal(nctl_ledger_link_count(w.ledger), 0);
}

static void test_remove_takes_foreign(void **state)
{
	(void)state;
	world_settle(&w, "  dummy-devices: {d0: {}}\n");
	world_link(&w, 5, "foreign", "vlan", world_index(&w, "d0"), 0);
	plan_is("  dummy-devices: {}\n", "remove: link-del dummy d0\n"
					 "foreign-loss: deleting d0 takes link foreign along, which netctld "
					 "does not own\n");
	assert_true(w.plan->blocked);
}

/* The same VLAN under another name: the old one makes way first. */
static void test_make_way(void **state)
{
	(void)state;
	world_settle(&w, one_vlan);
	plan_is("  dummy-devices: {d0: {}}\n  vlans: {other: {id: 1, link: d0}}\n",
		"clear: link-del vlan v\ncreate: link-new vlan other\nup: link-set vlan other up\n");
	plan_is("  dummy-devices: {d0: {}}\n  vlans: {other: {id: 3, link: d0}}\n",
		"create: link-new vlan other\nup: link-set vlan other up\nremove: link-del vlan v\n");
}

static void rename_link(const char *from, const char *to)
{
	struct nctl_link l = NCTL_LINK_INIT;

	assert_int_equal(nctl_link_copy(&l, &nctl_mirror_link_find(w.have, from)->v), 0);
	strcpy(l.name, to);
	assert_int_equal(nctl_mirror_link_put(w.have, &l, NCTL_SOURCE_EVENT), 0);
}

/* An owned link that somebody renamed gets its name back, and nothing of it is lost that need not be. */
static void test_renamed(void **state)
{
	static const char body[] = "  dummy-devices: {d0: {addresses: [192.0.2.1/24]}}\n"
				   "  vlans: {v: {id: 1, link: d0, addresses: [\"2001:db8::1/64\"]}}\n";
	const struct nctl_mirror_link *l;
	nctl_ifindex ifindex;

	(void)state;
	world_settle(&w, body);
	ifindex = world_index(&w, "v");
	rename_link("v", "renamed");
	/* Down before, as an older kernel wants it; that costs it its IPv6 address. */
	plan_is(body, "create: link-set vlan v down (flap)\n"
		      "create: link-set vlan v ifname (flap)\n"
		      "up: link-set vlan v up\n"
		      "address: addr-new v 2001:db8::1/64\n");
	for (size_t i = 0; i <= 4; i++)
		world_return(&w, body, i);
	world_settle(&w, body);
	l = nctl_mirror_link_find(w.have, "v");
	assert_non_null(l);
	assert_int_equal(l->v.ifindex, ifindex);
	/* What stands on it is none the wiser. */
	rename_link("d0", "lower");
	plan_is(body, "create: link-set dummy d0 down (flap)\n"
		      "create: link-set dummy d0 ifname (flap)\n"
		      "up: link-set dummy d0 up\n"
		      "address: addr-new v 2001:db8::1/64\n");
	world_settle(&w, body);
	/* Where the name is another link's by now, it is not its own any more. */
	rename_link("v", "renamed");
	world_link(&w, 7, "v", "vlan", 5, 0);
	plan_is(body, "clear: link-del vlan renamed\n"
		      "create: link-new vlan v\n"
		      "up: link-set vlan v up\n"
		      "address: addr-new v 2001:db8::1/64\n"
		      "conflict: a link that netctld does not own is in the way of vlan v: kind vlan "
		      "(ifindex 7); delete or rename it\n");
}

/* So do both ends of a pair. */
static void test_renamed_pair(void **state)
{
	static const char body[] = "  virtual-ethernets: {v0: {peer: v1}, v1: {peer: v0}}\n";

	(void)state;
	world_settle(&w, body);
	rename_link("v0", "x0");
	rename_link("v1", "x1");
	plan_is(body, "create: link-set veth v0 down (flap)\n"
		      "create: link-set veth v0 ifname (flap)\n"
		      "create: link-set veth v1 down (flap)\n"
		      "create: link-set veth v1 ifname (flap)\n"
		      "up: link-set veth v0 up\n"
		      "up: link-set veth v1 up\n");
	world_settle(&w, body);
}

static const char no_master[] =
	"  dummy-devices: {d0: {addresses: [\"2001:db8::1/64\"]}}\n  bonds: {b0: {}}\n"
	"  vrfs: {red: {table: 10}}\n  bridges: {br0: {}, br1: {}}\n";

static const char *in(const char *master)
{
	static char body[512];

	snprintf(body, sizeof(body),
		"  dummy-devices: {d0: {addresses: [\"2001:db8::1/64\"]}}\n  bonds: {b0: {%s}}\n"
		"  vrfs: {red: {table: 10%s}}\n  bridges: {br0: {%s}, br1: {%s}}\n",
		strcmp(master, "b0") ? "" : "interfaces: [d0]",
		strcmp(master, "red") ? "" : ", interfaces: [d0]",
		strcmp(master, "br0") ? "" : "interfaces: [d0], parameters: {path-cost: {d0: 7}}",
		strcmp(master, "br1") ? "" : "interfaces: [d0], parameters: {path-cost: {d0: 7}}");
	return body;
}

/* What joining and leaving costs; IPv6 addresses that go on the way come back. */
static void test_change_master(void **state)
{
	(void)state;
	world_settle(&w, no_master);
	plan_is(in("b0"), "create: link-set dummy d0 down (flap)\n"
			  "create: link-set dummy d0 master (flap)\n"
			  "up: link-set dummy d0 up\n"
			  "address: addr-new d0 2001:db8::1/64\n");
	world_settle(&w, in("b0"));
	plan_is(no_master, "tune: link-set dummy d0 master (flap)\n"
			   "up: link-set dummy d0 up\n"
			   "address: addr-new d0 2001:db8::1/64\n");
	plan_is(in("red"), "tune: link-set dummy d0 master (flap)\n"
			   "up: link-set dummy d0 up\n"
			   "address: addr-new d0 2001:db8::1/64\n");
	world_settle(&w, in("red"));
	plan_is(no_master, "tune: link-set dummy d0 master (flap)\n"
			   "address: addr-new d0 2001:db8::1/64\n");
	world_settle(&w, in("br0"));
	/* The port's own fields do not move along. */
	plan_is(in("br1"), "tune: link-set dummy d0 master\n"
			   "tune: link-set dummy d0 path-cost\n");
}

/* A master that is not ours, of a link that needs none: somebody else's business. */
static void test_foreign_master(void **state)
{
	struct nctl_link l = NCTL_LINK_INIT;

	(void)state;
	world_settle(&w, no_master);
	world_link(&w, 5, "docker0", "bridge", 0, IFF_UP);
	assert_int_equal(nctl_link_copy(&l, &nctl_mirror_link_find(w.have, "d0")->v), 0);
	l.master = 5;
	assert_int_equal(nctl_mirror_link_put(w.have, &l, NCTL_SOURCE_EVENT), 0);
	plan_is(no_master, "");
	plan_is(in("br0"), "tune: link-set dummy d0 master\ntune: link-set dummy d0 path-cost\n");
}

/* What the kernel refuses while a bond is up costs a flap, and VLANs on it lose their IPv6 addresses. */
static void test_flap(void **state)
{
	static const char body[] =
		"  bonds: {b0: {parameters: {mode: 802.3ad, lacp-rate: %s}}}\n"
		"  vlans: {v: {id: 1, link: b0, addresses: [\"2001:db8::1/64\", 192.0.2.1/24]}}\n";
	char slow[256], fast[256];

	(void)state;
	snprintf(slow, sizeof(slow), body, "slow");
	snprintf(fast, sizeof(fast), body, "fast");
	world_settle(&w, slow);
	plan_is(fast, "tune: link-set bond b0 down (flap)\n"
		      "tune: link-set bond b0 lacp-rate (flap)\n"
		      "up: link-set bond b0 up\n"
		      "address: addr-new v 2001:db8::1/64\n");
	world_settle(&w, fast);
}

/* A bond's primary is set when the port has joined, to its ifindex, and once. */
static void test_primary(void **state)
{
	static const char body[] =
		"  dummy-devices: {d0: {}, d1: {}}\n"
		"  bonds: {b0: {interfaces: [d0, d1], parameters: {mode: active-backup, primary: %s}}}\n";
	const struct nctl_plan *p;
	char first[256], second[256];

	(void)state;
	snprintf(first, sizeof(first), body, "d0");
	snprintf(second, sizeof(second), body, "d1");
	p = world_plan(&w, first, false);
	world_expect(p, "create: link-new bond b0\n"
			"create: link-new dummy d0\n"
			"create: link-new dummy d1\n"
			"tune: link-set bond b0 primary\n"
			"up: link-set bond b0 up\n"
			"up: link-set dummy d0 up\n"
			"up: link-set dummy d1 up\n");
	assert_int_equal(p->ops[3].need[0], 0);
	assert_int_equal(p->ops[3].need[1], 1);
	world_apply(&w);
	plan_is(first, "");
	plan_is(second, "tune: link-set bond b0 primary\n");
	world_apply(&w);
	plan_is(second, "");
	/* What the configuration does not speak of stays. */
	plan_is("  dummy-devices: {d0: {}, d1: {}}\n"
		"  bonds: {b0: {interfaces: [d0, d1], parameters: {mode: active-backup}}}\n",
		"");
}

/* A primary that is there already joins first, and one that is not there is waited for. */
static void test_primary_joins(void **state)
{
	static const char body[] = "  dummy-devices: {d0: {}}\n"
				   "  ethernets: {e0: {}}\n"
				   "  bonds: {b0: {interfaces: [%s], parameters: {mode: active-backup%s}}}\n";
	const struct nctl_plan *p;
	char text[256];

	(void)state;
	snprintf(text, sizeof(text), body, "", "");
	world_plan(&w, text, false);
	world_apply(&w);
	snprintf(text, sizeof(text), body, "d0", ", primary: d0");
	p = world_plan(&w, text, false);
	world_expect(p, "create: link-set dummy d0 down (flap)\n"
			"create: link-set dummy d0 master (flap)\n"
			"tune: link-set bond b0 primary\n"
			"up: link-set dummy d0 up\n"
			"wait: e0 is not there yet\n");
	assert_int_equal(p->ops[2].need[1], 1);
	snprintf(text, sizeof(text), body, "d0, e0", ", primary: e0");
	plan_is(text, "create: link-set dummy d0 down (flap)\n"
		      "create: link-set dummy d0 master (flap)\n"
		      "up: link-set dummy d0 up\n"
		      "wait: e0 is not there yet\n");
}

static void test_split_pair(void **state)
{
	static const char body[] = "  virtual-ethernets: {v0: {peer: v1}, v1: {peer: v0}}\n";

	(void)state;
	world_link(&w, 5, "v0", "veth", 0, 0);
	world_plan(&w, body, true);
	assert_true(w.plan->blocked);
	world_link(&w, 6, "v1", "veth", 5, IFF_UP);
	world_link(&w, 5, "v0", "veth", 6, IFF_UP);
	plan_is(body, "");
	assert_int_equal(w.plan->n_adopt_links, 2);
}

/* Chosen indexes step over what is there and over what the ledger has promised. */
static void test_indexes(void **state)
{
	struct nctl_ledger_link e = {.ifindex = NCTL_IFINDEX_FIRST + 1, .kind = "dummy", .name = "x"};

	(void)state;
	world_link(&w, NCTL_IFINDEX_FIRST, "foreign", "dummy", 0, 0);
	assert_int_equal(nctl_ledger_link_add(w.ledger, &e), 0);
	world_plan(&w, "  dummy-devices: {d0: {}, d1: {}}\n", false);
	assert_int_equal(w.plan->ops[0].ifindex, NCTL_IFINDEX_FIRST + 2);
	assert_int_equal(w.plan->ops[1].ifindex, NCTL_IFINDEX_FIRST + 3);
}

/* The lower link's index means something else when it is one of another namespace. */
static void test_lower_elsewhere(void **state)
{
	struct nctl_link l = NCTL_LINK_INIT;

	(void)state;
	world_settle(&w, one_vlan);
	assert_int_equal(nctl_link_copy(&l, &nctl_mirror_link_find(w.have, "v")->v), 0);
	l.lower_nsid = 3;
	l.has |= NCTL_LINK_BIT(LOWER_NSID);
	assert_int_equal(nctl_mirror_link_put(w.have, &l, NCTL_SOURCE_EVENT), 0);
	world_plan(&w, one_vlan, false);
	assert_true(w.plan->blocked);
}

#define CASE(name_) cmocka_unit_test_setup_teardown(test_##name_, setup, teardown)

/* The table of types has a row for each of them. */
static void test_types(void **state)
{
	struct nctl_op op = {0};

	(void)state;
	for (op.type = 0; op.type < NCTL_OP_TYPES; op.type++) {
		assert_non_null(nctl_op_info(&op)->action);
		assert_non_null(nctl_op_info(&op)->object);
		assert_true(nctl_op_info(&op)->rtnl || !nctl_op_info(&op)->fib);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(types),
		CASE(create),
		CASE(needs),
		CASE(peer_with_master),
		CASE(set),
		CASE(altnames),
		CASE(activation),
		CASE(recreate),
		CASE(recreate_lower),
		CASE(adopt),
		CASE(in_the_way),
		CASE(altname_in_the_way),
		CASE(wait),
		CASE(wait_is_wanted),
		CASE(remove),
		CASE(remove_takes_foreign),
		CASE(make_way),
		CASE(renamed),
		CASE(renamed_pair),
		CASE(change_master),
		CASE(foreign_master),
		CASE(flap),
		CASE(primary),
		CASE(primary_joins),
		CASE(split_pair),
		CASE(indexes),
		CASE(lower_elsewhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
