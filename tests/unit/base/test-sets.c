/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Lists, the generation-marked set, and subscribers that change their list from
 * inside a call.
 */
#include <stdbool.h>
#include <string.h>

#include "base/genset.h"
#include "base/list.h"
#include "base/subs.h"
#include "random.h"
#include "test.h"

static void test_list(void **state)
{
	struct nctl_list a = NCTL_LIST_INIT(a), b = NCTL_LIST_INIT(b), n[4], *pos, *tmp;
	unsigned i = 0;

	(void)state;
	for (i = 0; i < 4; i++)
		nctl_list_init(&n[i]);
	assert_null(nctl_list_first(&a));
	nctl_list_add_tail(&a, &n[1]);
	nctl_list_add_head(&a, &n[0]);
	nctl_list_add_tail(&b, &n[2]);
	nctl_list_add_tail(&b, &n[3]);
	nctl_list_splice_tail(&a, &b);
	nctl_list_splice_tail(&a, &b);
	assert_true(nctl_list_empty(&b));
	assert_ptr_equal(nctl_list_next(&a, &n[2]), &n[3]);
	assert_null(nctl_list_next(&a, &n[3]));
	i = 0;
	nctl_list_for_each(pos, &a)
		assert_ptr_equal(pos, &n[i++]);
	assert_int_equal(i, 4);
	nctl_list_for_each_safe(pos, tmp, &a)
		nctl_list_del(pos);
	assert_true(nctl_list_empty(&a));
	nctl_list_del(&n[0]);
	assert_false(nctl_list_linked(&n[0]));
}

#define NODES 200

/* Random rounds; what stale gives must be what no one touched. */
static void test_genset(void **state)
{
	static struct nctl_genset_node nodes[NODES];
	struct random r = random_init("genset");
	static bool in[NODES], touched[NODES];
	struct nctl_genset_node *node;
	struct nctl_genset set;
	size_t want = 0, k;
	int round, i;

	(void)state;
	nctl_genset_init(&set);
	for (round = 0; round < 200; round++) {
		nctl_genset_begin(&set);
		memset(touched, 0, sizeof(touched));
		for (i = 0; i < NODES; i++) {
			k = random_below(&r, NODES);
			if (in[k])
				nctl_genset_touch(&set, &nodes[k]);
			else
				nctl_genset_add(&set, &nodes[k]);
			in[k] = touched[k] = true;
		}
		if (round % 5 == 4)
			continue; /* a round that breaks off */
		while ((node = nctl_genset_stale(&set))) {
			k = (size_t)(node - nodes);
			assert_true(in[k] && !touched[k]);
			assert_false(nctl_genset_touched(&set, node));
			nctl_genset_del(&set, node);
			in[k] = false;
		}
		for (k = 0, want = 0; k < NODES; k++) {
			assert_int_equal(in[k], touched[k]);
			want += in[k];
		}
		assert_int_equal(nctl_genset_count(&set), want);
	}
}

struct actor {
	struct nctl_sub sub;
	struct nctl_subs *list;
	unsigned calls;
	struct nctl_sub *remove[3]; /* to remove from inside the call */
	struct actor *add;          /* to add from inside the call */
	bool notify;                /* to notify again, once */
	bool fini;
};

static void act(void *userdata, const void *arg)
{
	struct actor *a = userdata;
	unsigned i;

	a->calls++;
	if (a->notify) {
		a->notify = false;
		nctl_subs_notify(a->list, arg);
	}
	for (i = 0; i < 3; i++)
		if (a->remove[i])
			nctl_sub_remove(a->remove[i]);
	if (a->add && !a->add->sub.list)
		nctl_subs_add(a->list, &a->add->sub, act, a->add);
	if (a->fini)
		nctl_subs_fini(a->list);
}

static void cast(struct nctl_subs *list, struct actor *actors, unsigned n)
{
	unsigned i;

	nctl_subs_init(list);
	memset(actors, 0, n * sizeof(*actors));
	for (i = 0; i < n; i++) {
		actors[i].list = list;
		nctl_subs_add(list, &actors[i].sub, act, &actors[i]);
	}
}

static void test_subs_remove(void **state)
{
	struct nctl_subs list;
	struct actor a[4];

	(void)state;
	cast(&list, a, 4);
	/* The first removes itself and the two behind it; the fourth is still called. */
	a[0].remove[0] = &a[0].sub;
	a[0].remove[1] = &a[1].sub;
	a[0].remove[2] = &a[2].sub;
	nctl_subs_notify(&list, NULL);
	assert_int_equal(a[0].calls, 1);
	assert_int_equal(a[1].calls + a[2].calls, 0);
	assert_int_equal(a[3].calls, 1);
	nctl_subs_notify(&list, NULL);
	assert_int_equal(a[0].calls, 1);
	assert_int_equal(a[3].calls, 2);
	nctl_sub_remove(&a[0].sub);

	/* The last removes those before it and itself. */
	cast(&list, a, 3);
	a[2].remove[0] = &a[0].sub;
	a[2].remove[1] = &a[1].sub;
	a[2].remove[2] = &a[2].sub;
	nctl_subs_notify(&list, NULL);
	nctl_subs_notify(&list, NULL);
	assert_int_equal(a[0].calls + a[1].calls + a[2].calls, 3);
	assert_true(nctl_list_empty(&list.subs));
}

static void test_subs_add(void **state)
{
	struct actor a[2], late = {0};
	struct nctl_subs list;

	(void)state;
	cast(&list, a, 2);
	late.list = &list;
	a[0].add = &late;
	/* The nested round is later than the addition only for what was there before it. */
	a[1].notify = true;
	nctl_subs_notify(&list, NULL);
	assert_int_equal(a[0].calls, 2);
	assert_int_equal(a[1].calls, 2);
	assert_int_equal(late.calls, 1);
	nctl_subs_notify(&list, NULL);
	assert_int_equal(late.calls, 2);
}

static void test_subs_nested_remove(void **state)
{
	struct nctl_subs list;
	struct actor a[3];

	(void)state;
	cast(&list, a, 3);
	/* Called first by the inner round, the second removes itself, where the outer would go on. */
	a[0].notify = true;
	a[1].remove[0] = &a[1].sub;
	nctl_subs_notify(&list, NULL);
	assert_int_equal(a[0].calls, 2);
	assert_int_equal(a[1].calls, 1);
	assert_int_equal(a[2].calls, 2);
}

static void test_subs_fini(void **state)
{
	struct nctl_subs list;
	struct actor a[3];

	(void)state;
	cast(&list, a, 3);
	a[1].fini = true;
	nctl_subs_notify(&list, NULL);
	assert_int_equal(a[0].calls + a[1].calls, 2);
	assert_int_equal(a[2].calls, 0);
	assert_null(a[2].sub.list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_genset),
		cmocka_unit_test(test_subs_remove),
		cmocka_unit_test(test_subs_add),
		cmocka_unit_test(test_subs_fini),
		cmocka_unit_test(test_subs_nested_remove),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
