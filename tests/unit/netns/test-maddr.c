/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Multicast memberships as the registry reads them back: through the helper and at home, for many who
 * ask at once, for those who forget, and when helper or namespace go in the middle.
 */
#include "world.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mirror/maddr.h"
#include "test.h"

struct asker {
	unsigned calls;
	int error;
	struct nd_netns *again; /* asks once more from inside */
};

static struct asker askers[3];

static int setup(void **state)
{
	(void)state;
	memset(askers, 0, sizeof(askers));
	world_open();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	world_close();
	return 0;
}

static void on_read(int error, void *userdata)
{
	struct asker *a = userdata;
	struct nd_netns *n = a->again;

	a->again = NULL;
	a->calls++;
	a->error = error;
	if (n)
		assert_int_equal(nd_netns_maddr_read(n, on_read, a), 0);
}

static bool is_idle(void)
{
	return nctl_list_empty(&w.set->readings);
}

static bool is_asked(void)
{
	return helper.outstanding > 0;
}

static bool is_there(const struct nd_netns *n, const char *text)
{
	struct nctl_lladdr mac;

	assert_int_equal(nctl_lladdr_parse(text, &mac), 0);
	return nctl_maddrs_count(nctl_mirror_maddrs(nctl_session_mirror(nd_netns_session(n))), 1, &mac,
		       NCTL_MADDR_STATIC) >= 0;
}

static struct nd_netns *begin(void)
{
	world_add("a");
	world_start(true);
	world_until(world_is_settled);
	helper.maddr = "1    lo              1     0     333300000001\n"
		       "1    lo              2     1     01005e010203\n"
		       "99   unknown         1     0     333300000002\n";
	return world_find("a");
}

static void through_the_helper(void **state)
{
	struct nd_netns *n = begin();

	(void)state;
	assert_int_equal(nd_netns_maddr_read(n, on_read, &askers[0]), 0);
	assert_int_equal(askers[0].calls, 0);
	world_until(is_idle);
	assert_int_equal(askers[0].calls, 1);
	assert_int_equal(askers[0].error, 0);
	assert_true(is_there(n, "33:33:00:00:00:01"));
	assert_true(is_there(n, "01:00:5e:01:02:03"));
	assert_false(is_there(n, "33:33:00:00:00:02"));
	/* What is there no more goes. */
	helper.maddr = "1 lo 1 0 333300000001\n";
	assert_int_equal(nd_netns_maddr_read(n, on_read, &askers[0]), 0);
	world_until(is_idle);
	assert_false(is_there(n, "01:00:5e:01:02:03"));
	/* A kernel that writes what we do not know: no answer is better than half of one. */
	helper.maddr = "1 lo 1 0 333300000001\nwhat is this?\n";
	assert_int_equal(nd_netns_maddr_read(n, on_read, &askers[0]), 0);
	world_until(is_idle);
	assert_int_equal(askers[0].error, -EBADMSG);
	assert_int_equal(askers[0].calls, 3);
}

/* The namespace of the test itself, whatever is there. */
static void at_home(void **state)
{
	(void)state;
	world_start(false);
	world_until(world_is_settled);
	assert_int_equal(nd_netns_maddr_read(nd_netns_from(w.set, 0), on_read, &askers[0]), 0);
	world_until(is_idle);
	assert_int_equal(askers[0].calls, 1);
	assert_int_equal(askers[0].error, 0);
}

static void many(void **state)
{
	struct nd_netns *n = begin();

	(void)state;
	helper.manual = true;
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(nd_netns_maddr_read(n, on_read, &askers[i]), 0);
	world_until(is_asked);
	/* It has begun: who comes now needs another one. */
	assert_int_equal(nd_netns_maddr_read(n, on_read, &askers[2]), 0);
	askers[0].again = n;
	helper.manual = false;
	helper_work(SIZE_MAX);
	helper_answer(SIZE_MAX);
	world_until(is_idle);
	assert_int_equal(askers[0].calls, 2);
	assert_int_equal(askers[1].calls, 1);
	assert_int_equal(askers[2].calls, 1);
	assert_int_equal(helper.maddrs, 2);
	for (unsigned i = 0; i < 4096; i++)
		assert_int_equal(nd_netns_maddr_read(n, on_read, &askers[0]), 0);
	assert_int_equal(nd_netns_maddr_read(n, on_read, &askers[1]), -EBUSY);
	nd_netns_maddr_forget(w.set, &askers[0]);
	world_until(is_idle);
	assert_int_equal(askers[0].calls, 2);
	assert_int_equal(w.set->n_maddr_waiters, 0);
}

static void losses(void **state)
{
	struct nd_netns *n = begin();

	(void)state;
	helper.manual = true;
	assert_int_equal(nd_netns_maddr_read(n, on_read, &askers[0]), 0);
	world_until(is_asked);
	helper_die();
	assert_int_equal(askers[0].calls, 1);
	assert_int_equal(askers[0].error, -EPIPE);
	helper_come();
	helper_work(SIZE_MAX);
	helper_answer(SIZE_MAX);
	/* Another namespace by that name. */
	assert_int_equal(nd_netns_maddr_read(n, on_read, &askers[1]), 0);
	world_until(is_asked);
	world_del("a");
	world_add("a");
	helper.manual = false;
	helper_work(SIZE_MAX);
	helper_answer(SIZE_MAX);
	world_until(is_idle);
	assert_int_equal(askers[1].calls, 1);
	assert_int_equal(askers[1].error, -ENOENT);
	/* The set goes while one is read: who waits is told. */
	helper.manual = true;
	n = nd_netns_from(w.set, 0);
	assert_int_equal(nd_netns_maddr_read(n, on_read, &askers[2]), 0);
	assert_int_equal(nd_netns_maddr_read(n, on_read, &askers[2]), 0);
	w.set = nd_netns_set_free(w.set);
	assert_int_equal(askers[2].calls, 2);
	assert_int_equal(askers[2].error, -ECANCELED);
}

/* It is freed while the thread reads. */
static void end(void **state)
{
	(void)state;
	world_start(false);
	world_until(world_is_settled);
	for (unsigned i = 0; i < 20; i++) {
		assert_int_equal(nd_netns_maddr_read(nd_netns_from(w.set, 0), on_read, &askers[0]), 0);
		world_turns(i % 3);
		if (i % 5 == 4)
			world_until(is_idle);
	}
	assert_int_equal(nd_netns_maddr_read(nd_netns_from(w.set, 0), on_read, &askers[0]), 0);
	world_turns(1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(through_the_helper, setup, teardown),
		cmocka_unit_test_setup_teardown(at_home, setup, teardown),
		cmocka_unit_test_setup_teardown(many, setup, teardown),
		cmocka_unit_test_setup_teardown(losses, setup, teardown),
		cmocka_unit_test_setup_teardown(end, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
