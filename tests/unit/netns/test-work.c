/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Making and deleting by name: answers, bounds, the window and its fairness, the pace of deleting,
 * clients that go and a helper that dies.
 */
#include "world.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test.h"

static unsigned answers;
static int errors[4096];
static size_t n_errors, most_undead;

static int setup(void **state)
{
	(void)state;
	answers = 0;
	n_errors = most_undead = 0;
	world_open();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	world_close();
	return 0;
}

static void on_done(const char *const *names, const int *v, size_t n, void *userdata)
{
	(void)userdata;
	answers++;
	for (size_t i = 0; i < n; i++) {
		assert_non_null(names[i]);
		if (n_errors < NCTL_ARRAY_SIZE(errors))
			errors[n_errors++] = v[i];
	}
}

static bool is_answered(void)
{
	most_undead = nctl_max(most_undead, nd_netns_undead(w.set));
	return answers;
}

static const char **name_many(const char *prefix, size_t n)
{
	const char **v = calloc(n, sizeof(*v));

	assert_non_null(v);
	for (size_t i = 0; i < n; i++) {
		char text[32];

		snprintf(text, sizeof(text), "%s%zu", prefix, i);
		v[i] = strdup(text);
		assert_non_null(v[i]);
	}
	return v;
}

static void free_many(const char **v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free((char *)(uintptr_t)v[i]);
	free(v);
}

static void make_and_delete(void **state)
{
	static const char *const names[] = {"a", "b", "a"};
	uint64_t a;

	(void)state;
	world_start(true);
	world_until(world_is_quiet);
	assert_int_equal(nd_netns_create(w.set, names, 3, on_done, NULL), 0);
	world_until(is_answered);
	assert_int_equal(answers, 1);
	assert_int_equal(n_errors, 3);
	assert_int_equal(errors[0], 0);
	assert_int_equal(errors[1], 0);
	assert_int_equal(errors[2], -EEXIST);
	world_find("a"); /* in the set when the answer comes */
	world_find("b");
	world_until(world_is_quiet);
	assert_int_equal(w.joined, 2);
	a = world_cookie("a");
	assert_true(nd_netns_cookie(world_find("a")) == a);
	answers = 0;
	assert_int_equal(nd_netns_delete(w.set, names, 3, on_done, NULL), 0);
	world_until(is_answered);
	assert_int_equal(errors[3], 0);
	assert_int_equal(errors[5], -ENOENT);
	assert_null(nd_netns_find(w.set, "a"));
	while (w.gone < 2)
		world_turns(1);
	assert_int_equal(nd_netns_count(w.set), 1);
	assert_int_equal(nd_netns_undead(w.set), 0);
}

/* Deleted and made again while the folder's events stand unread: neither answer is taken for the other. */
static void delete_and_make(void **state)
{
	(void)state;
	world_add("a");
	world_start(true);
	world_until(world_is_quiet);
	helper.manual = true;
	assert_int_equal(nd_netns_delete(w.set, &(const char *){"a"}, 1, on_done, NULL), 0);
	while (!helper.outstanding)
		world_turns(1);
	assert_int_equal(nd_netns_create(w.set, &(const char *){"a"}, 1, on_done, NULL), 0);
	while (helper.outstanding < 2)
		world_turns(1);
	assert_int_equal(helper_work(2), 2);
	assert_int_equal(helper_answer(1), 1);
	assert_int_equal(nd_netns_cookie(world_find("a")), 0);
	assert_int_equal(helper_answer(1), 1);
	helper.manual = false;
	world_until(world_is_quiet);
	assert_true(nd_netns_cookie(world_find("a")) == world_cookie("a"));
	assert_int_equal(answers, 2);
}

static void wrong_names(void **state)
{
	char longest[NAME_MAX + 2];
	const char *const names[] = {"", ".", "..", "a/b", longest, "good"};

	(void)state;
	memset(longest, 'x', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	world_start(true);
	world_until(world_is_quiet);
	assert_int_equal(nd_netns_create(w.set, names, 6, on_done, NULL), 0);
	world_until(is_answered);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(errors[i], -EINVAL);
	assert_int_equal(errors[5], 0);
	assert_int_equal(helper.creates, 1);
	assert_int_equal(nd_netns_create(w.set, names, 0, on_done, NULL), -EINVAL);
	world_until(world_is_quiet);
}

static void bounds(void **state)
{
	const char **names = calloc(NETNS_GROUP + 1, sizeof(*names));

	(void)state;
	assert_non_null(names);
	for (size_t i = 0; i <= NETNS_GROUP; i++)
		names[i] = "x";
	world_start(true);
	world_until(world_is_quiet);
	helper.manual = true;
	assert_int_equal(nd_netns_create(w.set, names, NETNS_GROUP + 1, on_done, NULL), -E2BIG);
	for (size_t i = 0; i < NETNS_WAITING / NETNS_GROUP; i++)
		assert_int_equal(nd_netns_create(w.set, names, NETNS_GROUP, on_done, NULL), 0);
	assert_int_equal(nd_netns_create(w.set, names, 1, on_done, NULL), -EBUSY);
	world_turns(5);
	assert_int_equal(helper.outstanding, NETNS_WINDOW);
	free(names);
	/* The helper dies: all of it is answered, without a loop that turns for ever. */
	helper_die();
	while (answers < NETNS_WAITING / NETNS_GROUP)
		world_turns(1);
	assert_int_equal(errors[0], -EPIPE);
	assert_int_equal(w.set->n_waiting, 0);
	assert_int_equal(nd_netns_create(w.set, &(const char *){"x"}, 1, on_done, NULL), -EPIPE);
}

static void small_beside_large(void **state)
{
	const char **many = name_many("many", 1000);
	static const char *const few[] = {"few0", "few1"};
	const char *at;

	(void)state;
	world_start(true);
	world_until(world_is_quiet);
	helper.manual = true;
	assert_int_equal(nd_netns_create(w.set, many, 1000, NULL, NULL), 0);
	world_turns(3);
	assert_int_equal(nd_netns_create(w.set, few, 2, on_done, NULL), 0);
	while (!answers) {
		helper_work(1);
		helper_answer(1);
		world_turns(1);
	}
	at = strstr(helper.order, "few1");
	assert_non_null(at);
	assert_null(strstr(helper.order, "many140"));
	assert_true(helper.most_work <= NETNS_WINDOW);
	helper.manual = false;
	helper_work(1);
	world_turns(1);
	helper_answer(SIZE_MAX);
	free_many(many, 1000);
	world_until(world_is_quiet);
	assert_int_equal(nd_netns_count(w.set), 1003);
}

/* A client that has gone is not told; the work goes on. */
static void forgotten(void **state)
{
	int me;

	(void)state;
	world_start(true);
	world_until(world_is_quiet);
	assert_int_equal(nd_netns_create(w.set, &(const char *){"a"}, 1, on_done, &me), 0);
	nd_netns_forget(w.set, &me);
	world_until(world_is_quiet);
	assert_int_equal(answers, 0);
	world_find("a");
}

static void busy(void **state)
{
	static const char *const names[] = {"a", "b", "c"};

	(void)state;
	world_start(true);
	world_until(world_is_quiet);
	helper.busy = 4;
	assert_int_equal(nd_netns_create(w.set, names, 3, on_done, NULL), 0);
	world_until(is_answered);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(errors[i], 0);
	assert_int_equal(helper.busy, 0);
	world_until(world_is_quiet);
}

/* The helper dies over a group: what it did is seen in the folder. */
static void helper_dies(void **state)
{
	const char **names = name_many("n", 100);

	(void)state;
	world_start(true);
	world_until(world_is_quiet);
	nd_netns_pool(w.set, 9);
	world_until(world_is_quiet);
	helper.manual = true;
	assert_int_equal(nd_netns_create(w.set, names, 100, on_done, NULL), 0);
	while (helper.outstanding < NETNS_WINDOW)
		world_turns(1);
	helper_work(40);
	helper_die();
	world_until(is_answered);
	for (size_t i = 0; i < 100; i++)
		assert_int_equal(errors[i], -EPIPE);
	helper.manual = false;
	helper.pool = 0;
	helper_come();
	while (w.joined < 40)
		world_turns(1);
	assert_int_equal(nd_netns_count(w.set), 41);
	assert_int_equal(helper.pool, 9);
	free_many(names, 100);
	world_until(world_is_quiet);
}

/* Those that are held by somebody do not keep deleting from going on. */
static void pace_of_the_living(void **state)
{
	const char **names = name_many("n", 1200);
	nctl_time begun;

	(void)state;
	for (size_t i = 0; i < 1200; i++)
		world_add(names[i]);
	world_start(true);
	world_until(world_is_quiet);
	assert_int_equal(w.joined, 1200);
	world_keep = true;
	begun = nctl_time_now();
	assert_int_equal(nd_netns_delete(w.set, names, 1200, on_done, NULL), 0);
	while (helper.deletes < NETNS_UNDEAD)
		world_turns(1);
	world_turns(20);
	if (nctl_time_diff_us(nctl_time_now(), begun) < 900 * 1000) {
		assert_int_equal(helper.deletes, NETNS_UNDEAD);
		assert_int_equal(nd_netns_undead(w.set), NETNS_UNDEAD);
	}
	world_until(is_answered);
	assert_true(most_undead <= NETNS_UNDEAD);
	assert_true(nctl_time_diff_us(nctl_time_now(), begun) >= 1000 * 1000);
	assert_int_equal(w.gone, 0);
	assert_int_equal(nd_netns_count(w.set), 1201);
	free_many(names, 1200);
}

static void pace_of_the_dying(void **state)
{
	const char **names = name_many("n", 3000);

	(void)state;
	for (size_t i = 0; i < 3000; i++)
		world_add(names[i]);
	world_start(true);
	world_until(world_is_quiet);
	assert_int_equal(nd_netns_delete(w.set, names, 3000, on_done, NULL), 0);
	world_until(is_answered);
	assert_true(most_undead <= NETNS_UNDEAD);
	while (w.gone < 3000)
		world_turns(1);
	assert_int_equal(nd_netns_count(w.set), 1);
	free_many(names, 3000);
}

/* Nobody tells of the end of those that were never joined: they count for a while. */
static void pace_of_the_unknown(void **state)
{
	const char **names = name_many("stuck", 1100);
	nctl_time begun;

	(void)state;
	helper.hang = true;
	for (size_t i = 0; i < 1100; i++)
		world_add(names[i]);
	world_start(true);
	world_turns(5);
	begun = nctl_time_now();
	assert_int_equal(nd_netns_delete(w.set, names, 1100, on_done, NULL), 0);
	world_until(is_answered);
	assert_true(most_undead <= NETNS_UNDEAD);
	assert_true(nctl_time_diff_us(nctl_time_now(), begun) >= 250 * 1000);
	assert_int_equal(helper.joins, NETNS_JOINS);
	assert_int_equal(nd_netns_count(w.set), 1);
	free_many(names, 1100);
}

/* The set goes while there is work in hand. */
static void freed_at_work(void **state)
{
	const char **names = name_many("n", 100);

	(void)state;
	world_start(true);
	world_until(world_is_quiet);
	helper.manual = true;
	assert_int_equal(nd_netns_create(w.set, names, 100, on_done, NULL), 0);
	assert_int_equal(nd_netns_scan(w.set, NULL, NULL), 0);
	world_turns(3);
	helper_work(50);
	world_turns(3);
	w.set = nd_netns_set_free(w.set);
	assert_int_equal(answers, 0);
	free_many(names, 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(make_and_delete, setup, teardown),
		cmocka_unit_test_setup_teardown(delete_and_make, setup, teardown),
		cmocka_unit_test_setup_teardown(wrong_names, setup, teardown),
		cmocka_unit_test_setup_teardown(bounds, setup, teardown),
		cmocka_unit_test_setup_teardown(small_beside_large, setup, teardown),
		cmocka_unit_test_setup_teardown(forgotten, setup, teardown),
		cmocka_unit_test_setup_teardown(busy, setup, teardown),
		cmocka_unit_test_setup_teardown(helper_dies, setup, teardown),
		cmocka_unit_test_setup_teardown(pace_of_the_living, setup, teardown),
		cmocka_unit_test_setup_teardown(pace_of_the_dying, setup, teardown),
		cmocka_unit_test_setup_teardown(pace_of_the_unknown, setup, teardown),
		cmocka_unit_test_setup_teardown(freed_at_work, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
