/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: What happens between a request and its answer: names taken away and made again, a helper that dies,
 * that does not answer, that has too much to do, namespaces that cannot be entered; scans; and all of it at
 * random, with what the registry believes compared with what is there in the end.
 */
#include "world.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "random.h"
#include "test.h"

static unsigned scans_done;
static int scan_error;

static int setup(void **state)
{
	(void)state;
	scans_done = 0;
	world_open();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	world_close();
	return 0;
}

static bool is_rested(void)
{
	bool rested = world_is_quiet();

	for (size_t i = 0; i < NETNS_RESTS; i++) {
		struct nctl_list *pos;

		nctl_list_for_each(pos, &w.set->resting[i]) {
			nctl_list_entry(pos, struct netns_name, waiting)->at.usec = 0;
			rested = false;
		}
	}
	return rested;
}

static bool is_asked(void)
{
	return helper.outstanding;
}

static void start_manually(void)
{
	world_start(true);
	world_until(world_is_quiet);
	helper.manual = true;
}

static void go_on(void)
{
	helper.manual = false;
	helper_work(SIZE_MAX);
	helper_answer(SIZE_MAX);
	world_until(is_rested);
}

/* The answer speaks of the namespace that had the name before. */
static void made_again_after_the_work(void **state)
{
	uint64_t a1, a2;

	(void)state;
	start_manually();
	a1 = world_add("a");
	world_until(is_asked);
	assert_int_equal(helper_work(1), 1);
	world_del("a");
	a2 = world_add("a");
	assert_int_equal(helper_answer(1), 1);
	assert_int_equal(nd_netns_cookie(world_find("a")), 0);
	assert_null(nd_netns_find_cookie(w.set, a1));
	go_on();
	assert_true(nd_netns_cookie(world_find("a")) == a2);
	assert_string_equal(w.log, "+a ");
}

/* The helper has already met the new one, but the question was about the old one. */
static void made_again_before_the_work(void **state)
{
	uint64_t a2;

	(void)state;
	start_manually();
	world_add("a");
	world_until(is_asked);
	world_del("a");
	a2 = world_add("a");
	helper_work(1);
	helper_answer(1);
	assert_int_equal(nd_netns_cookie(world_find("a")), 0);
	go_on();
	assert_true(nd_netns_cookie(world_find("a")) == a2);
	assert_string_equal(w.log, "+a ");
	assert_int_equal(helper.joins, 2);
}

static bool are_two_gone(void)
{
	return w.gone == 2;
}

static void made_again_in_one_batch(void **state)
{
	uint64_t a1, a2;
	struct nd_netns *old;

	(void)state;
	a1 = world_add("a");
	start_manually();
	world_process(3, a1);
	old = world_find("a");
	world_del("a");
	a2 = world_add("a");
	nd_netns_set_look(w.set);
	assert_ptr_not_equal(world_find("a"), old);
	assert_ptr_equal(nd_netns_find_cookie(w.set, a1), old);
	assert_null(nd_netns_name(old));
	go_on();
	assert_true(nd_netns_cookie(world_find("a")) == a2);
	assert_int_equal(nd_netns_count(w.set), 3);
	assert_int_equal(w.gone, 0);
	world_process(3, 0);
	world_del("a");
	go_on();
	world_until(are_two_gone);
	assert_int_equal(nd_netns_count(w.set), 1);
}

static void dropped_while_joining(void **state)
{
	(void)state;
	start_manually();
	world_add("a");
	world_until(is_asked);
	helper_work(1);
	world_del("a");
	go_on();
	assert_int_equal(nd_netns_count(w.set), 1);
	assert_int_equal(w.joined, 0);
}

/* Its RTM_DELNSID was read before it was joined: opening says that it is gone. */
static void gone_before_it_is_mirrored(void **state)
{
	uint64_t a;

	(void)state;
	start_manually();
	a = world_add("a");
	world_until(is_asked);
	helper_work(1);
	nctl_fake_netns_drop(w.fake, a); /* the name stays behind */
	world_turns(3);
	helper_answer(1);
	helper.manual = false;
	helper_work(SIZE_MAX);
	while (helper_answer(SIZE_MAX))
		;
	world_until(is_rested);
	assert_non_null(nd_netns_error(world_find("a")));
	assert_int_equal(w.joined, 0);
	assert_true(helper.joins <= NETNS_TRIES + 2);
	assert_int_equal(nd_netns_count(w.set), 2);
}

static void cannot_be_opened(void **state)
{
	(void)state;
	world_start(true);
	world_until(world_is_quiet);
	helper.sockets = 1000;
	world_add("shut");
	nd_netns_set_look(w.set);
	world_until(is_rested);
	assert_string_equal(
		nd_netns_error(world_find("shut")), "it is gone whenever its mirror is to be made");
	assert_true(helper.joins <= NETNS_TRIES + 1);
	helper.sockets = 0;
	world_del("shut");
	world_add("shut");
	nd_netns_set_look(w.set);
	world_until(is_rested);
	assert_null(nd_netns_error(world_find("shut")));
	assert_int_equal(w.joined, 1);
}

static void not_to_be_heard(void **state)
{
	(void)state;
	nctl_fake_deny_all(w.fake, true);
	world_add("a");
	world_start(true);
	world_until(world_is_settled);
	assert_string_equal(
		nd_netns_error(world_find("a")), "the events of other namespaces cannot be heard");
	assert_true(nd_netns_cookie(world_find("a")));
	assert_null(nd_netns_session(world_find("a")));
	assert_int_equal(w.joined, 0);
	world_del("a");
	nd_netns_set_look(w.set);
	assert_int_equal(nd_netns_count(w.set), 1);
}

static bool is_stuck(void)
{
	return w.joined == 70;
}

/* Some that never answer hold up neither the others nor the start for ever. */
static void stuck(void **state)
{
	char name[32];

	(void)state;
	helper.hang = true;
	for (unsigned i = 0; i < 63; i++) {
		snprintf(name, sizeof(name), "stuck%u", i);
		world_add(name);
	}
	for (unsigned i = 0; i < 70; i++) {
		snprintf(name, sizeof(name), "fine%u", i);
		world_add(name);
	}
	world_start(true);
	world_until(is_stuck);
	assert_false(w.settled);
	w.set->settle_by = nctl_time_now();
	world_until(world_is_settled);
	assert_int_equal(w.settled, 1);
}

static bool are_hundred_joined(void)
{
	return w.joined == 100 && world_is_quiet();
}

static void helper_dies(void **state)
{
	char name[32];

	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		world_add(name);
	}
	world_start(true);
	while (helper.joins < 64) /* all that may be outstanding, with some carried out */
		world_turns(1);
	helper.manual = true;
	world_turns(2);
	helper_work(20);
	helper_die();
	world_turns(5);
	assert_false(w.settled);
	helper.manual = false;
	helper_come();
	world_until(are_hundred_joined);
	assert_int_equal(w.settled, 1);
	assert_int_equal(helper.prepares, 2);
}

static void busy(void **state)
{
	(void)state;
	helper.busy = 3;
	world_add("a");
	world_start(true);
	world_until(world_is_quiet);
	assert_int_equal(helper.busy, 0);
	assert_int_equal(w.joined, 1);
}

static void on_scan(int error, void *userdata)
{
	(void)userdata;
	scans_done++;
	scan_error = error;
}

static bool is_scanned(void)
{
	return scans_done;
}

static void scan(void **state)
{
	uint64_t a, b;

	(void)state;
	a = world_add("a");
	assert_int_equal(nctl_fake_netns_new(w.fake, &b), 0);
	world_process(1, nctl_fake_home(w.fake));
	world_process(2, a);
	world_process(3, b);
	world_start(true);
	world_until(world_is_quiet);
	assert_int_equal(nd_netns_scan(w.set, on_scan, NULL), 0);
	assert_int_equal(nd_netns_scan(w.set, on_scan, NULL), 0);
	world_until(is_scanned);
	assert_int_equal(scans_done, 2);
	assert_int_equal(helper.scans, 1);
	assert_int_equal(scan_error, 0);
	assert_int_equal(nd_netns_count(w.set), 3);
	assert_int_equal(nd_netns_pid(nd_netns_find_cookie(w.set, b)), 3);
	assert_int_equal(nd_netns_pid(world_find("a")), 0);
	assert_true(nctl_session_is_synced(nd_netns_session(nd_netns_find_cookie(w.set, b))));
	/* Once more: nothing new; and somebody who does not wait for it. */
	scans_done = 0;
	assert_int_equal(nd_netns_scan(w.set, on_scan, NULL), 0);
	assert_int_equal(nd_netns_scan(w.set, on_scan, &a), 0);
	nd_netns_forget(w.set, &a);
	world_until(is_scanned);
	assert_int_equal(scans_done, 1);
	assert_int_equal(nd_netns_count(w.set), 3);
	world_process(3, 0);
	while (!w.gone)
		world_turns(1);
	assert_true(w.last_gone == b);
}

static void scan_without_end(void **state)
{
	(void)state;
	start_manually();
	world_process(2, nctl_fake_home(w.fake));
	assert_int_equal(nd_netns_scan(w.set, on_scan, NULL), 0);
	world_until(is_asked);
	w.set->scan.until = nctl_time_now();
	world_until(is_scanned);
	assert_int_equal(scan_error, -ETIMEDOUT);
	/* The next one begins only when that one is answered. */
	assert_int_equal(nd_netns_scan(w.set, on_scan, NULL), 0);
	world_turns(3);
	assert_int_equal(helper.scans, 1);
	scans_done = 0;
	helper_die();
	world_until(is_scanned);
	assert_int_equal(scan_error, -EPIPE);
	assert_int_equal(nd_netns_scan(w.set, on_scan, NULL), -EPIPE);
	helper.manual = false;
	helper_come();
	scans_done = 0;
	assert_int_equal(nd_netns_scan(w.set, on_scan, NULL), 0);
	world_until(is_scanned);
	assert_int_equal(scan_error, 0);
}

/* What the registry believes is what is there. */
static void compare(unsigned names)
{
	size_t namespaces = 1;
	char name[16];

	for (unsigned i = 0; i < names; i++) {
		const struct nd_netns *n;

		snprintf(name, sizeof(name), "n%u", i);
		n = nd_netns_find(w.set, name);
		assert_int_equal(n != NULL, access(world_path(name), F_OK) == 0);
		if (!n)
			continue;
		assert_true(nd_netns_cookie(n) == world_cookie(name));
		assert_int_equal(nd_netns_session(n) != NULL, world_cookie(name) != 0);
		assert_int_equal(nd_netns_error(n) != NULL, world_cookie(name) == 0);
	}
	for (const struct nd_netns *n = nd_netns_from(w.set, 0); n; n = nd_netns_next(n))
		namespaces += !nd_netns_is_home(n) && nd_netns_name(n);
	assert_int_equal(nd_netns_count(w.set), namespaces);
}

/* No event tells of a mount on a name that has been a mere file for so long. */
static bool is_given_up(const char *name)
{
	const struct nd_netns *n = nd_netns_find(w.set, name);

	return n && nd_netns_error(n);
}

static void step(struct random *rnd, unsigned names)
{
	char name[16], other[16];
	bool there, is_mounted;

	snprintf(name, sizeof(name), "n%u", random_below(rnd, names));
	snprintf(other, sizeof(other), "n%u", random_below(rnd, names));
	there = access(world_path(name), F_OK) == 0;
	is_mounted = world_cookie(name);
	switch (random_below(rnd, 12)) {
	case 0:
	case 1:
		if (!there)
			world_add(name);
		break;
	case 2:
	case 3:
		if (there)
			world_del(name);
		break;
	case 4:
		if (!there)
			world_file(name);
		else if (!is_mounted && !is_given_up(name))
			world_mount(name);
		break;
	case 5: /* a second name of another one */
		if (!there && world_cookie(other)) {
			world_file(name);
			world_mount_cookie(name, world_cookie(other));
		}
		break;
	case 6:
		if (there && !is_mounted && !world_cookie(other))
			world_rename(name, other);
		break;
	case 7:
		nd_netns_create(w.set, (const char *const[]){name, other}, 2, NULL, NULL);
		break;
	case 8:
		nd_netns_delete(w.set, (const char *const[]){name, other}, 2, NULL, NULL);
		break;
	case 9:
		helper.manual = !helper.manual;
		break;
	case 10:
		helper_work(random_below(rnd, 4));
		helper_answer(random_below(rnd, 4));
		break;
	case 11:
		if (random_below(rnd, 8))
			break;
		helper_die();
		helper_come();
		break;
	}
	world_turns(random_below(rnd, 3));
}

/* Nothing holds a namespace here but its names. */
static bool all_is_seen(void)
{
	const struct nd_netns *n;

	nd_netns_set_look(w.set);
	if (!is_rested())
		return false;
	for (n = nd_netns_from(w.set, 0); n; n = nd_netns_next(n))
		if (!nd_netns_is_home(n) && !nd_netns_name(n))
			return false;
	return true;
}

static void at_random(void **state)
{
	struct random rnd = random_init("at_random");

	(void)state;
	world_start(true);
	world_until(world_is_quiet);
	for (unsigned round = 0; round < 20; round++) {
		for (unsigned i = 0; i < 60; i++)
			step(&rnd, 12);
		helper.manual = false;
		helper_work(SIZE_MAX);
		helper_answer(SIZE_MAX);
		world_until(all_is_seen);
		compare(12);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(made_again_after_the_work, setup, teardown),
		cmocka_unit_test_setup_teardown(made_again_before_the_work, setup, teardown),
		cmocka_unit_test_setup_teardown(made_again_in_one_batch, setup, teardown),
		cmocka_unit_test_setup_teardown(dropped_while_joining, setup, teardown),
		cmocka_unit_test_setup_teardown(gone_before_it_is_mirrored, setup, teardown),
		cmocka_unit_test_setup_teardown(cannot_be_opened, setup, teardown),
		cmocka_unit_test_setup_teardown(not_to_be_heard, setup, teardown),
		cmocka_unit_test_setup_teardown(stuck, setup, teardown),
		cmocka_unit_test_setup_teardown(helper_dies, setup, teardown),
		cmocka_unit_test_setup_teardown(busy, setup, teardown),
		cmocka_unit_test_setup_teardown(scan, setup, teardown),
		cmocka_unit_test_setup_teardown(scan_without_end, setup, teardown),
		cmocka_unit_test_setup_teardown(at_random, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
