/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The hash table against an array that says which node is in it, through growing and
 * shrinking, with hashes that collide on purpose; and the hash functions.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "random.h"
#include "test.h"

#define NODES 4000

struct item {
	struct nctl_hash_node node;
	uint64_t hash;
	bool in, seen;
};

static struct item items[NODES];

static void put(struct nctl_hash *h, struct item *it)
{
	assert_int_equal(nctl_hash_insert(h, &it->node, it->hash), 0);
	it->in = true;
}

static void drop(struct nctl_hash *h, struct item *it)
{
	nctl_hash_remove(h, &it->node);
	it->in = false;
}

static void check_find(const struct nctl_hash *h, const struct item *it)
{
	struct nctl_hash_node *pos;
	size_t got = 0, want = 0, i;

	nctl_hash_for_each_equal(pos, h, it->hash) {
		assert_true(nctl_container_of(pos, struct item, node)->in);
		assert_true(pos->hash == it->hash);
		got++;
	}
	for (i = 0; i < NODES; i++)
		want += items[i].in && items[i].hash == it->hash;
	assert_int_equal(got, want);
}

static void check_walk(const struct nctl_hash *h)
{
	struct nctl_hash_iter it;
	struct nctl_hash_node *n;
	size_t count = 0, i;
	struct item *item;

	for (i = 0; i < NODES; i++)
		items[i].seen = false;
	nctl_hash_iter_init(&it, h);
	while ((n = nctl_hash_iter_next(&it))) {
		item = nctl_container_of(n, struct item, node);
		assert_true(item->in && !item->seen);
		item->seen = true;
		count++;
	}
	assert_int_equal(count, nctl_hash_count(h));
	for (i = 0; i < NODES; i++)
		assert_int_equal(items[i].in, items[i].seen);
}

static void test_model(void **state)
{
	struct random r = random_init("hash");
	struct nctl_hash h;
	struct item *it;
	unsigned i;

	(void)state;
	nctl_hash_init(&h);
	memset(items, 0, sizeof(items));
	for (i = 0; i < NODES; i++)
		items[i].hash = nctl_hash_u64(random_below(&r, NODES / 2));
	for (i = 0; i < 40000; i++) {
		it = &items[random_below(&r, NODES)];
		/* Phases that fill and empty the table, so that it grows and shrinks. */
		if (random_below(&r, 100) < (i / 10000 % 2 ? 3u : 70u)) {
			if (!it->in)
				put(&h, it);
		} else if (it->in) {
			drop(&h, it);
		}
		if (i % 64 == 0)
			check_find(&h, it);
		if (i % 512 == 0)
			check_walk(&h);
	}
	check_walk(&h);
	nctl_hash_fini(&h);
	assert_int_equal(nctl_hash_count(&h), 0);
}

static void test_shrinks(void **state)
{
	struct nctl_hash h = NCTL_HASH_INIT;
	unsigned i, bits;

	(void)state;
	memset(items, 0, sizeof(items));
	for (i = 0; i < NODES; i++) {
		items[i].hash = nctl_hash_u64(i);
		put(&h, &items[i]);
	}
	bits = h.cur.bits;
	assert_true((size_t)1 << bits >= NODES / 2);
	for (i = 1; i < NODES; i++)
		drop(&h, &items[i]);
	for (i = 0; i < 20000; i++) {
		put(&h, &items[1]);
		drop(&h, &items[1]);
	}
	assert_true(h.cur.bits <= 4);
	check_walk(&h);
	nctl_hash_fini(&h);
}

/* The node that the walk returned last may be removed, in the middle of a resize too. */
static void test_remove_in_walk(void **state)
{
	struct nctl_hash h = NCTL_HASH_INIT;
	struct nctl_hash_iter it;
	struct nctl_hash_node *n;
	unsigned i;

	(void)state;
	memset(items, 0, sizeof(items));
	for (i = 0; i < 520; i++) {
		items[i].hash = nctl_hash_u64(i / 3);
		put(&h, &items[i]);
	}
	assert_non_null(h.old.buckets);
	nctl_hash_iter_init(&it, &h);
	while ((n = nctl_hash_iter_next(&it)))
		drop(&h, nctl_container_of(n, struct item, node));
	assert_int_equal(nctl_hash_count(&h), 0);
	check_walk(&h);
	nctl_hash_fini(&h);
}

static void test_empty(void **state)
{
	struct nctl_hash h = NCTL_HASH_INIT;
	struct nctl_hash_iter it;

	(void)state;
	assert_null(nctl_hash_find(&h, 1));
	nctl_hash_iter_init(&it, &h);
	assert_null(nctl_hash_iter_next(&it));
	nctl_hash_fini(&h);
}

static void test_functions(void **state)
{
	char text[64], copy[65];
	unsigned i, j;

	(void)state;
	for (i = 0; i < sizeof(text); i++)
		text[i] = (char)('a' + i % 26);
	for (i = 0; i < sizeof(text); i++) {
		/* The same bytes at another alignment; one byte more or one bit else. */
		memcpy(copy + 1, text, i);
		assert_true(nctl_hash_bytes(text, i) == nctl_hash_bytes(copy + 1, i));
		assert_true(nctl_hash_bytes(text, i) != nctl_hash_bytes(text, i + 1));
		for (j = 0; j < i; j++) {
			copy[1 + j] ^= 1;
			assert_true(nctl_hash_bytes(text, i) != nctl_hash_bytes(copy + 1, i));
			copy[1 + j] ^= 1;
		}
	}
	assert_true(nctl_hash_str("lo") == nctl_hash_bytes("lo", 2));
	assert_true(nctl_hash_u64(1) != nctl_hash_u64(2));
	/* Keyed: with the key 0 SipHash-1-3 of nothing would be this. */
	assert_true(nctl_hash_bytes("", 0) != 0xd1fba762150c532cu);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_model),
		cmocka_unit_test(test_shrinks),
		cmocka_unit_test(test_remove_in_walk),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
