/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the ledger as a set: adding, replacing, walking in order, pruning what the mirror does not bear out.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "random.h"
#include "test.h"
#include "world.h"

static struct nctl_ledger_link entry(nctl_ifindex ifindex, const char *kind, const char *name)
{
	struct nctl_ledger_link e = {.ifindex = ifindex};

	snprintf(e.kind, sizeof(e.kind), "%s", kind);
	snprintf(e.name, sizeof(e.name), "%s", name);
	return e;
}

static void test_links(void **state)
{
	struct nctl_ledger *l;
	struct random r = random_init("ledger");
	bool here[64] = {0};

	(void)state;
	assert_int_equal(nctl_ledger_new(&l), 0);
	for (int i = 0; i < 2000; i++) {
		nctl_ifindex n = 1 + random_below(&r, 63);
		struct nctl_ledger_link e = entry(n, "dummy", "x");
		size_t count = 0;

		if (random_below(&r, 2)) {
			assert_int_equal(nctl_ledger_link_add(l, &e), 0);
			here[n] = true;
		} else {
			nctl_ledger_link_del(l, n);
			here[n] = false;
		}
		for (nctl_ifindex k = 1; k < 64; k++) {
			count += here[k];
			assert_int_equal(nctl_ledger_link_get(l, k) != NULL, here[k]);
		}
		assert_int_equal(nctl_ledger_link_count(l), count);
		for (const struct nctl_ledger_link *p = nctl_ledger_link_from(l, 1); p;
			p = nctl_ledger_link_from(l, p->ifindex + 1)) {
			assert_true(here[p->ifindex]);
			count--;
		}
		assert_int_equal(count, 0);
	}
	nctl_ledger_free(l);
}

static void test_replace(void **state)
{
	struct nctl_ledger_link a = entry(5, "dummy", "a"), b = entry(5, "vlan", "b");
	struct nctl_ledger *l;

	(void)state;
	assert_int_equal(nctl_ledger_new(&l), 0);
	b.adopted = true;
	nctl_ledger_link_add(l, &a);
	nctl_ledger_link_add(l, &b);
	assert_int_equal(nctl_ledger_link_count(l), 1);
	assert_string_equal(nctl_ledger_link_get(l, 5)->kind, "vlan");
	assert_true(nctl_ledger_link_get(l, 5)->adopted);
	nctl_ledger_free(l);
}

static void test_prune(void **state)
{
	struct nctl_ledger_link good = entry(5, "dummy", "d0"), other = entry(6, "vlan", "d1");
	struct nctl_ledger_link gone = entry(7, "dummy", "d2");
	struct nctl_addr a = NCTL_ADDR_INIT, b = NCTL_ADDR_INIT;
	struct world w;

	(void)state;
	world_init(&w);
	world_link(&w, 5, "renamed", "dummy", 0, 0); /* the name may change */
	world_link(&w, 6, "d1", "dummy", 0, 0);      /* the kind may not */
	world_addr(&w, "renamed", "192.0.2.1/24", 0, 0);
	nctl_ledger_link_add(w.ledger, &good);
	nctl_ledger_link_add(w.ledger, &other);
	nctl_ledger_link_add(w.ledger, &gone);
	a.ifindex = 5;
	nctl_prefix_parse("192.0.2.1/24", NCTL_PREFIX_NEED_LENGTH, &a.local);
	b = a;
	b.local.len = 25;
	nctl_ledger_addr_add(w.ledger, &a);
	nctl_ledger_addr_add(w.ledger, &a);
	nctl_ledger_addr_add(w.ledger, &b);
	assert_int_equal(nctl_ledger_prune(w.ledger, w.have), 3);
	assert_int_equal(nctl_ledger_link_count(w.ledger), 1);
	assert_true(nctl_ledger_addr_has(w.ledger, &a));
	assert_false(nctl_ledger_addr_has(w.ledger, &b));
	assert_memory_equal(nctl_ledger_addr_next(w.ledger, NULL)->local.addr, a.local.addr, 4);
	assert_null(nctl_ledger_addr_next(w.ledger, &a));
	nctl_ledger_addr_del(w.ledger, &a);
	assert_null(nctl_ledger_addr_next(w.ledger, NULL));
	world_fini(&w);
}

/* Namespaces: in the order of their names, whatever was added, replaced and deleted. */
static void test_netns(void **state)
{
	struct random r = random_init("ledger of namespaces");
	struct nctl_netns_ledger *l;
	uint64_t here[32] = {0};
	bool known[32] = {0};

	(void)state;
	assert_int_equal(nctl_netns_ledger_new(&l), 0);
	for (int i = 0; i < 2000; i++) {
		unsigned n = random_below(&r, 32);
		const struct nctl_ledger_netns *e;
		size_t count = 0;
		char name[16];

		snprintf(name, sizeof(name), "t%02u", n);
		known[n] = random_below(&r, 3);
		here[n] = random_below(&r, 3); /* 0: an intent */
		if (known[n])
			assert_int_equal(nctl_netns_ledger_add(l, name, here[n]), 0);
		else
			nctl_netns_ledger_del(l, name);
		e = nctl_netns_ledger_next(l, NULL);
		for (unsigned k = 0; k < 32; k++) {
			snprintf(name, sizeof(name), "t%02u", k);
			assert_int_equal(nctl_netns_ledger_get(l, name) != NULL, known[k]);
			if (!known[k])
				continue;
			assert_string_equal(e->name, name);
			assert_int_equal(e->cookie, here[k]);
			assert_ptr_equal(nctl_netns_ledger_get(l, name), e);
			e = nctl_netns_ledger_next(l, name);
			count++;
		}
		assert_null(e);
		assert_int_equal(nctl_netns_ledger_count(l), count);
	}
	nctl_netns_ledger_free(l);
}

static void test_netns_names(void **state)
{
	struct nctl_netns_ledger *l;
	char longest[257];

	(void)state;
	assert_int_equal(nctl_netns_ledger_new(&l), 0);
	memset(longest, 'x', sizeof(longest) - 1);
	longest[256] = '\0';
	assert_int_equal(nctl_netns_ledger_add(l, longest, 1), -ENAMETOOLONG);
	assert_int_equal(nctl_netns_ledger_add(l, "", 1), -EINVAL);
	assert_int_equal(nctl_netns_ledger_count(l), 0);
	longest[255] = '\0';
	assert_int_equal(nctl_netns_ledger_add(l, longest, 1), 0);
	assert_int_equal(nctl_netns_ledger_get(l, longest)->cookie, 1);
	/* After one that is not in it. */
	assert_string_equal(nctl_netns_ledger_next(l, "a")->name, longest);
	assert_null(nctl_netns_ledger_next(l, "z"));
	nctl_netns_ledger_del(l, "nobody");
	nctl_netns_ledger_freep(&l);
	assert_null(l);
	assert_null(nctl_netns_ledger_free(NULL));
}

/* No ledger is one without entries. */
static void test_none(void **state)
{
	struct nctl_addr a = NCTL_ADDR_INIT;

	(void)state;
	assert_null(nctl_ledger_link_get(NULL, 1));
	assert_null(nctl_ledger_link_from(NULL, 1));
	assert_int_equal(nctl_ledger_link_count(NULL), 0);
	assert_false(nctl_ledger_addr_has(NULL, &a));
	assert_null(nctl_ledger_addr_next(NULL, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_links),
		cmocka_unit_test(test_replace),
		cmocka_unit_test(test_prune),
		cmocka_unit_test(test_netns),
		cmocka_unit_test(test_netns_names),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
