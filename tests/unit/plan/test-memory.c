/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: lack of memory at every single place of planning, and of the way back: the answer is -ENOMEM or the
 * right plan, and nothing leaks (which the address sanitizer sees).
 */
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "test.h"
#include "world.h"

/* Two namespaces, one of them ours, with pairs, ports, flaps, sysctls, and links that go. */
static const char before[] =
	"  virtual-ethernets: {v1: {peer: {netns: t1, name: e}, addresses: [192.0.2.2/24]}, a: {peer: b}, "
	"b: {peer: a}}\n"
	"  bridges: {br0: {interfaces: [v1]}}\n"
	"  dummy-devices: {d0: {addresses: [\"2001:db8::1/64\", 192.0.2.1/24, 192.0.2.3/24], "
	"routes: [{to: default, via: 192.0.2.9, mtu: 1400}, {to: 10.0.0.0/8, nexthop: 2}]}, d1: {alias: x}}\n"
	"  nexthops: {1: {device: d0}, 2: {group: [{id: 1}]}}\n"
	"  routing-policy: [{from: 10.0.0.0/8, table: 7}]\n"
	"  vlans: {f: {id: 1, link: d0, altnames: [one]}}\n"
	"  namespaces:\n"
	"    t1: {virtual-ethernets: {e: {}, x: {peer: {netns: t2, name: y}}}, ethernets: {lo: {}}}\n"
	"    t2: {virtual-ethernets: {y: {}}, sysctl: {net.ipv4.ip_forward: 1}}\n";
static const char after[] =
	"  virtual-ethernets: {a: {peer: {netns: t3, name: b}}}\n"
	"  bonds: {b0: {interfaces: [d0], parameters: {mode: active-backup, primary: d0}}}\n"
	"  routing-policy: [{to: 10.0.0.0/8, table: 7, priority: 9}]\n"
	"  nexthops: {1: {via: 192.0.2.7, device: d0}}\n"
	"  dummy-devices: {d0: {addresses: [192.0.2.3/24], routes: [{to: default, via: 192.0.2.9}, "
	"{to: 10.0.0.0/8, nexthops: [{via: 192.0.2.5}, {via: 192.0.2.6}]}]}, d1: {alias: y, altnames: [two]}}\n"
	"  vlans: {g: {id: 1, link: d1}, z: {id: 7, link: nowhere}}\n"
	"  ethernets: {nowhere: {}}\n"
	"  namespaces:\n"
	"    t2: {virtual-ethernets: {y: {peer: {netns: t3, name: x}}}, sysctl: {net.ipv4.ip_forward: 0}}\n"
	"    t3: {virtual-ethernets: {b: {}, x: {}}, sysctl: {net/ipv4/conf/x/forwarding: 1}}\n";

/* As world_plan knows the namespaces; values: of t2's sysctl. */
static size_t describe(const struct world *w, const struct nctl_want *want, struct nctl_plan_netns *v)
{
	static const char *const values[] = {"1"};
	size_t n = 0;

	for (; n < want->n_netns; n++) {
		const struct world_netns *k = world_netns_find(w, n ? want->netns[n]->name : "");

		v[n] = (struct nctl_plan_netns){
			.want = want->netns[n], .name = want->netns[n]->name, .nsid = NCTL_NSID_NONE};
		if (!k)
			continue;
		v[n].there = true;
		v[n].ours = k->ours;
		v[n].cookie = k->cookie;
		v[n].nsid = k->nsid;
		v[n].have = k->have;
		v[n].ledger = k->ledger;
		v[n].sysctls = want->netns[n]->n_sysctls ? values : NULL;
	}
	return n;
}

static void add_unwanted(const struct world *w, const char *name, struct nctl_plan_netns *v)
{
	const struct world_netns *k = world_netns_find(w, name);

	*v = (struct nctl_plan_netns){
		.name = k->name,
		.there = true,
		.ours = true,
		.cookie = k->cookie,
		.nsid = k->nsid,
		.have = k->have,
		.ledger = k->ledger,
	};
}

static void test_build(void **state)
{
	struct nctl_plan_options opts = {.allow_recreate = true};
	struct nctl_want *want = world_parse(after);
	struct nctl_plan_netns v[8];
	struct nctl_plan *p = NULL;
	struct world w;
	size_t n;
	long at;

	(void)state;
	world_init(&w);
	world_settle(&w, before);
	n = describe(&w, want, v);
	add_unwanted(&w, "t1", &v[n++]);
	for (at = 0; at < 100000; at++) {
		int r;

		countdown = at;
		r = nctl_plan_build(want, v, n, &opts, &p);
		if (countdown >= 0)
			break;
		assert_true(r == -ENOMEM || r == 0); /* a hash table that could not grow works on */
		if (r == 0)
			p = nctl_plan_free(p);
	}
	printf("# %ld allocations\n", at);
	countdown = -1;
	assert_true(at > 10 && at < 100000);
	assert_true(p->n_ops > 25 && !p->blocked);
	nctl_plan_free(p);
	nctl_want_free(want);
	world_fini(&w);
}

static void test_undo(void **state)
{
	struct nctl_plan *back = NULL;
	struct world w;
	long at;

	(void)state;
	world_init(&w);
	world_settle(&w, before);
	world_plan(&w, after, true);
	world_apply(&w);
	for (at = 0; at < 100000; at++) {
		int r;

		countdown = at;
		r = nctl_plan_undo(w.plan, &back);
		if (countdown >= 0)
			break;
		assert_true(r == -ENOMEM || r == 0);
		if (r == 0)
			back = nctl_plan_free(back);
	}
	printf("# %ld allocations\n", at);
	countdown = -1;
	assert_true(at > 5 && at < 100000);
	assert_true(back->n_ops > 25);
	nctl_plan_free(back);
	world_fini(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_build),
		cmocka_unit_test(test_undo),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
