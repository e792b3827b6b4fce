/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: a session keeps its mirror in step: at the start, through overruns, truncation and interrupted dumps,
 * and with changes while a dump is read.
 */
#include <stdio.h>
#include <string.h>
#include <linux/rtnetlink.h>

#include "rig.h"
#include "test.h"

static struct rig r;

static int setup(void **state)
{
	(void)state;
	rig_init(&r, 1);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	rig_fini(&r);
	return 0;
}

static uint64_t losses(void)
{
	struct nctl_session_stats s;

	nctl_session_get_stats(r.session, &s);
	return s.losses;
}

static uint64_t epoch(void)
{
	struct nctl_session_stats s;

	nctl_session_get_stats(r.session, &s);
	return s.epoch;
}

static void test_start(void **state)
{
	(void)state;
	assert_false(nctl_session_is_synced(r.session));
	rig_until_synced(&r);
	assert_int_equal(r.synced, 1);
	assert_int_equal(epoch(), 1);
	assert_non_null(rig_link(&r, "lo"));
	assert_non_null(rig_link(&r, "eth0"));
	rig_check_mirror(&r);
	assert_int_equal(nctl_time_cmp(nctl_hub_deadline(r.hub), NCTL_TIME_NEVER), 0);
}

static void test_events(void **state)
{
	(void)state;
	rig_until_synced(&r);
	assert_int_equal(rig_foreign_new(r.fake, 9, "d0", "dummy", 0), 0);
	assert_int_equal(rig_foreign_up(r.fake, 9, true), 0);
	assert_int_equal(rig_foreign_addr(r.fake, 9, "192.0.2.1/24", true), 0);
	assert_int_equal(rig_foreign_mtu(r.fake, 2, 1400), 0);
	assert_int_equal(rig_foreign_del(r.fake, 3), 0);
	rig_settle(&r);
	rig_check_mirror(&r);
	assert_null(rig_link(&r, "eth1"));
	assert_int_equal(losses(), 0);
	assert_int_equal(r.synced, 1);
}

static void test_overrun(void **state)
{
	(void)state;
	rig_until_synced(&r);
	nctl_fake_overrun_events(r.fake, 3);
	assert_int_equal(rig_foreign_new(r.fake, 9, "d0", "dummy", 0), 0);
	assert_int_equal(rig_foreign_del(r.fake, 3), 0);
	rig_turn(&r, 1000);
	assert_false(nctl_session_is_synced(r.session));
	rig_settle(&r);
	assert_true(losses() >= 1);
	assert_int_equal(epoch(), 2);
	assert_int_equal(r.synced, 2);
	rig_check_mirror(&r);
	assert_non_null(rig_link(&r, "d0"));
}

/* A loss while the dump that repairs another one is read spoils that one. */
static unsigned overruns_left;

static void overrun_on_dump(void *userdata, unsigned chunk)
{
	(void)chunk;
	if (!overruns_left)
		return;
	overruns_left--;
	nctl_fake_overrun_events(userdata, 1);
	rig_foreign_mtu(userdata, 2, 1300 + overruns_left);
}

static void test_overrun_while_dumping(void **state)
{
	nctl_time start = nctl_time_now();
	uint64_t dumps;

	(void)state;
	overruns_left = 5;
	nctl_fake_on_dump(r.fake, overrun_on_dump, r.fake);
	rig_settle(&r);
	assert_int_equal(overruns_left, 0);
	rig_settle(&r);
	rig_check_mirror(&r);
	assert_int_equal(rig_link(&r, "eth0")->v.mtu, 1300);
	/* Again and again, but not as fast as it can: 0, 10, 20, … ms. */
	dumps = nctl_fake_count(r.fake, RTM_GETLINK);
	assert_true(dumps <= 10);
	assert_true(dumps < 4 || nctl_time_diff_us(nctl_time_now(), start) >= 10 * 1000);
}

/* While losses go on from the very first dump, the pause grows. */
static void test_backoff(void **state)
{
	nctl_time end = nctl_time_add_ms(nctl_time_now(), 300);

	(void)state;
	overruns_left = 1000 * 1000;
	nctl_fake_on_dump(r.fake, overrun_on_dump, r.fake);
	while (nctl_time_cmp(nctl_time_now(), end) < 0)
		rig_turn(&r, 20);
	assert_false(nctl_session_is_synced(r.session));
	assert_true(nctl_fake_count(r.fake, RTM_GETLINK) < 12);
	nctl_fake_on_dump(r.fake, NULL, NULL);
	rig_settle(&r);
	rig_check_mirror(&r);
}

static void test_interrupted(void **state)
{
	struct nctl_hub_stats s;

	(void)state;
	nctl_fake_interrupt_dumps(r.fake, 3);
	rig_until_synced(&r);
	nctl_hub_get_stats(r.hub, &s);
	assert_int_equal(s.requester.dump_retries, 3);
	assert_int_equal(losses(), 0);
	rig_check_mirror(&r);
}

/* Interrupted more often than the requester tries: a new round, and nothing is swept meanwhile. */
static void test_interrupted_for_long(void **state)
{
	(void)state;
	rig_until_synced(&r);
	nctl_fake_interrupt_dumps(r.fake, 15);
	nctl_fake_overrun_events(r.fake, 1);
	rig_foreign_mtu(r.fake, 2, 1300);
	rig_turn(&r, 1000);
	rig_settle(&r);
	rig_check_mirror(&r);
}

static void test_truncated(void **state)
{
	(void)state;
	rig_until_synced(&r);
	rig_foreign_mtu(r.fake, 2, 1300);
	nctl_fake_truncate(r.fake, 1, 200);
	rig_turn(&r, 1000);
	assert_true(losses() >= 1);
	rig_settle(&r);
	rig_check_mirror(&r);
}

/* The kernel changes before each piece of a dump, and the events are read before or after it. */
static unsigned changes_left;

static void change_on_dump(void *userdata, unsigned chunk)
{
	char name[16];

	(void)chunk;
	if (!changes_left)
		return;
	changes_left--;
	snprintf(name, sizeof(name), "n%u", changes_left);
	rig_foreign_del(userdata, 20 + changes_left);
	rig_foreign_new(userdata, 100 + changes_left, name, "dummy", 0);
	rig_foreign_mtu(userdata, 3, 1300 + changes_left);
}

static void test_changes_while_dumping(void **state)
{
	(void)state;
	for (nctl_ifindex i = 20; i < 40; i++) {
		char name[16];

		snprintf(name, sizeof(name), "x%u", i);
		assert_int_equal(rig_foreign_new(r.fake, i, name, "dummy", 0), 0);
	}
	rig_settle(&r);
	for (int late = 0; late < 2; late++) {
		changes_left = 15;
		nctl_fake_set_dump_chunk(r.fake, 1024);
		nctl_fake_on_dump(r.fake, change_on_dump, r.fake);
		nctl_fake_overrun_events(r.fake, 1);
		rig_foreign_mtu(r.fake, 2, 1300 + (unsigned)late);
		rig_turn(&r, 1000);
		r.ignore_events = late;
		rig_until_synced(&r);
		r.ignore_events = false;
		rig_settle(&r);
		nctl_fake_on_dump(r.fake, NULL, NULL);
		rig_check_mirror(&r);
	}
}

/* On demand, at any time: what was read before does not do. */
static void test_resync(void **state)
{
	struct nctl_session_stats s;
	uint64_t epoch;

	(void)state;
	rig_until_synced(&r);
	nctl_session_get_stats(r.session, &s);
	epoch = s.epoch;
	for (unsigned turns = 0; turns < 20; turns++) {
		nctl_hub_resync(r.hub, r.session);
		assert_false(nctl_session_is_synced(r.session));
		for (unsigned i = 0; i < turns && !nctl_session_is_synced(r.session); i++)
			rig_turn(&r, 1000);
		nctl_hub_resync(r.hub, r.session);
		assert_false(nctl_session_is_synced(r.session));
		rig_until_synced(&r);
		nctl_session_get_stats(r.session, &s);
		assert_true(s.epoch > epoch);
		epoch = s.epoch;
		rig_check_mirror(&r);
	}
	assert_int_equal(s.losses, 0);
	/* The silent kind of change, which only a dump shows. */
	r.ignore_events = true;
	rig_foreign_mtu(r.fake, 2, 1300);
	nctl_hub_resync(r.hub, r.session);
	for (unsigned i = 0; i < 20; i++)
		rig_turn(&r, 10);
	r.ignore_events = false;
	rig_settle(&r);
	rig_check_mirror(&r);
}

/* Freed in the middle of its first dump. */
static void test_free_early(void **state)
{
	struct rig other;

	(void)state;
	rig_init_over(&other, r.fake);
	rig_close(&other);
	nctl_ledger_free(other.ledger);
}

#define CASE(name_) cmocka_unit_test_setup_teardown(test_##name_, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(start),
		CASE(events),
		CASE(overrun),
		CASE(overrun_while_dumping),
		CASE(backoff),
		CASE(interrupted),
		CASE(interrupted_for_long),
		CASE(truncated),
		CASE(changes_while_dumping),
		CASE(resync),
		CASE(free_early),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
