/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The tree against a bitmap of the keys that are in it, with its own invariants
 * checked after every change.
 */
#include <stdbool.h>

#include "base/rbtree.h"
#include "random.h"
#include "test.h"

#define KEYS  300
#define STEPS 6000

struct item {
	struct nctl_rb_node node;
	int key;
};

struct model {
	struct nctl_rb_tree tree;
	struct item items[KEYS];
	int in[KEYS];
	size_t n;
};

static struct item *item_of(const struct nctl_rb_node *n)
{
	return n ? nctl_container_of(n, struct item, node) : NULL;
}

static int cmp(const struct nctl_rb_node *a, const struct nctl_rb_node *b)
{
	return item_of(a)->key - item_of(b)->key;
}

static int cmp_key(const void *key, const struct nctl_rb_node *n)
{
	return *(const int *)key - item_of(n)->key;
}

/* Black height of the subtree; checks colours and links on the way. */
static int check_subtree(const struct nctl_rb_node *n, const struct nctl_rb_node *parent)
{
	int i, height[2];

	if (!n)
		return 0;
	assert_ptr_equal((void *)(n->up & ~(uintptr_t)1), parent);
	if (n->up & 1) {
		assert_non_null(parent);
		assert_false(parent->up & 1);
	}
	for (i = 0; i < 2; i++)
		height[i] = check_subtree(n->child[i], n);
	assert_int_equal(height[0], height[1]);
	return height[0] + !(n->up & 1);
}

/* The first key of the model from `from` on, in steps of dir; -1 if there is none. */
static int model_seek(const struct model *m, int from, int dir)
{
	for (; from >= 0 && from < KEYS; from += dir)
		if (m->in[from])
			return from;
	return -1;
}

static int key_or_none(const struct nctl_rb_node *n)
{
	return n ? item_of(n)->key : -1;
}

static void check(const struct model *m, int key)
{
	struct nctl_rb_node *pos;
	int expect = model_seek(m, 0, 1);

	check_subtree(m->tree.root, NULL);
	assert_int_equal(m->tree.n, m->n);
	assert_int_equal(key_or_none(nctl_rb_find(&m->tree, &key, cmp_key)), m->in[key] ? key : -1);
	assert_int_equal(key_or_none(nctl_rb_lower_bound(&m->tree, &key, cmp_key)), model_seek(m, key, 1));
	assert_int_equal(
		key_or_none(nctl_rb_upper_bound(&m->tree, &key, cmp_key)), model_seek(m, key + 1, 1));
	assert_int_equal(key_or_none(nctl_rb_first(&m->tree)), expect);
	assert_int_equal(key_or_none(nctl_rb_last(&m->tree)), model_seek(m, KEYS - 1, -1));
	nctl_rb_for_each(pos, &m->tree) {
		assert_int_equal(item_of(pos)->key, expect);
		assert_int_equal(key_or_none(nctl_rb_prev(pos)), model_seek(m, expect - 1, -1));
		expect = model_seek(m, expect + 1, 1);
	}
	assert_int_equal(expect, -1);
}

static void step(struct model *m, int key, bool insert)
{
	struct item *item = &m->items[key], twin = {.key = key};

	if (insert && m->in[key]) {
		assert_ptr_equal(nctl_rb_insert(&m->tree, &twin.node, cmp), &item->node);
	} else if (insert) {
		item->key = key;
		assert_null(nctl_rb_insert(&m->tree, &item->node, cmp));
		m->n++;
		m->in[key] = 1;
	} else if (m->in[key]) {
		nctl_rb_remove(&m->tree, &item->node);
		m->n--;
		m->in[key] = 0;
	}
}

static void test_model(void **state)
{
	struct random r = random_init("rbtree");
	static struct model m;
	int i, key;

	(void)state;
	for (i = 0; i < STEPS; i++) {
		/* Phases that mostly fill and mostly empty the tree. */
		key = (int)random_below(&r, KEYS);
		step(&m, key, random_below(&r, 10) < (i / 1000 % 2 ? 2u : 8u));
		if (i % 16 == 0 || m.n < 12)
			check(&m, key);
	}
	while (m.tree.root)
		step(&m, item_of(m.tree.root)->key, false);
	check(&m, 0);
}

static void test_orders(void **state)
{
	static struct model m;
	int i;

	(void)state;
	for (i = 0; i < KEYS; i++)
		step(&m, i, true);
	check(&m, 0);
	for (i = KEYS - 1; i >= 0; i--)
		step(&m, i, false);
	for (i = KEYS - 1; i >= 0; i--)
		step(&m, i, true);
	check(&m, KEYS - 1);
	for (i = 0; i < KEYS; i += 2)
		step(&m, i, false);
	check(&m, KEYS / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_model),
		cmocka_unit_test(test_orders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
