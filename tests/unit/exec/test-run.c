/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: plans carried out: phases, refusals and who is to blame, intents before batches, lost acks and events,
 * foreign changes, and nothing sent where nothing is to do.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/rtnetlink.h>

#include "rig.h"
#include "test.h"
#include "world.h"

static struct rig r;

static int setup(void **state)
{
	(void)state;
	rig_init(&r, 1);
	rig_until_synced(&r);
	nctl_fake_reset_counts(r.fake);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	rig_fini(&r);
	return 0;
}

static const char s1[] =
	"  virtual-ethernets: {v0: {peer: v1}, v1: {peer: v0}}\n"
	"  bonds: {b1: {interfaces: [v0], parameters: {mode: active-backup}}}\n"
	"  vrfs: {red: {table: 10}}\n"
	"  vlans: {\"f.{1..700}\": {id: \"{n}\", link: b1, vrf: red, addresses: [\"2000::{n}/64\"]}}\n";

static const struct nctl_op *find_op(const char *name, enum nctl_op_type type)
{
	for (size_t i = 0; i < r.plan->n_ops; i++)
		if (r.plan->ops[i].type == type && !strcmp(r.plan->ops[i].name, name))
			return &r.plan->ops[i];
	fail_msg("no such operation of %s", name);
	return NULL;
}

static void refuse(uint16_t type, const char *name, int error, const char *text)
{
	const struct nctl_fake_refusal f = {.type = type, .ifname = name, .error = error, .text = text};

	assert_int_equal(nctl_fake_refuse(r.fake, &f), 0);
}

static void assert_all(enum nctl_op_state state)
{
	for (size_t i = 0; i < r.plan->n_ops; i++)
		assert_int_equal(r.plan->ops[i].state, state);
}

static void test_s1(void **state)
{
	(void)state;
	rig_apply(&r, s1, false);
	assert_int_equal(r.outcome.status, 0);
	assert_all(NCTL_OP_DONE);
	assert_int_equal(r.outcome.done, r.plan->n_ops);
	assert_int_equal(r.outcome.messages, nctl_fake_count_changes(r.fake));
	assert_int_equal(r.intended, 704);
	assert_int_equal(nctl_ledger_link_count(r.ledger), 704);
	rig_settle(&r);
	rig_check_mirror(&r);
	/* The same again sends nothing at all. */
	nctl_fake_reset_counts(r.fake);
	rig_apply(&r, s1, false);
	assert_int_equal(r.outcome.messages, 0);
	assert_int_equal(nctl_fake_count_changes(r.fake), 0);
	/* And away with it. */
	rig_apply(&r, "  dummy-devices: {}\n", false);
	assert_all(NCTL_OP_DONE);
	assert_int_equal(nctl_fake_count(r.fake, RTM_DELLINK), 3); /* the bond, a pair's end, the VRF */
	rig_settle(&r);
	rig_check_mirror(&r);
	assert_int_equal(nctl_mirror_link_count(nctl_session_mirror(r.session)), 3);
	assert_int_equal(nctl_ledger_link_count(r.ledger), 0);
}

static void test_empty(void **state)
{
	(void)state;
	rig_start(&r, "  dummy-devices: {}\n", false);
	assert_int_equal(r.done, 1);
	assert_int_equal(r.outcome.messages, 0);
	assert_false(nctl_hub_is_running(r.hub));
}

static void test_busy(void **state)
{
	(void)state;
	rig_start(&r, s1, false);
	assert_int_equal(nctl_hub_run(r.hub, r.plan, false, NULL, NULL), -EBUSY);
	rig_until_done(&r);
	assert_int_equal(r.done, 1);
}

static const char chain[] =
	"  dummy-devices: {a: {}, z: {addresses: [192.0.2.9/24]}}\n"
	"  vlans:\n    b: {id: 1, link: a}\n    c: {id: 2, link: b, addresses: [192.0.2.1/24]}\n";

/* The rest of what can be done is done; what cannot names the operation that is to blame. */
static void test_keep_going(void **state)
{
	const struct nctl_op *b;

	(void)state;
	refuse(RTM_NEWLINK, "b", -EPERM, "not today");
	rig_apply(&r, chain, true);
	b = find_op("b", NCTL_OP_LINK_NEW);
	assert_int_equal(b->state, NCTL_OP_REFUSED);
	assert_int_equal(b->error, -EPERM);
	assert_string_equal(b->text, "not today");
	assert_int_equal(find_op("b", NCTL_OP_LINK_SET)->state, NCTL_OP_POISONED);
	assert_int_equal(find_op("c", NCTL_OP_LINK_NEW)->state, NCTL_OP_POISONED);
	assert_ptr_equal(&r.plan->ops[find_op("c", NCTL_OP_LINK_NEW)->blame], b);
	assert_int_equal(find_op("c", NCTL_OP_ADDR_NEW)->state, NCTL_OP_POISONED);
	assert_int_equal(find_op("z", NCTL_OP_ADDR_NEW)->state, NCTL_OP_DONE);
	assert_int_equal(r.outcome.refused, 1);
	assert_int_equal(r.outcome.poisoned, 4);
	assert_int_equal(r.outcome.done + 5, r.plan->n_ops);
	/* Only what is missing. */
	rig_apply(&r, chain, false);
	assert_all(NCTL_OP_DONE);
	assert_int_equal(rig_plan(&r, chain), 0);
}

static void test_stop(void **state)
{
	(void)state;
	refuse(RTM_NEWLINK, "b", -EPERM, NULL);
	rig_apply(&r, chain, false);
	assert_int_equal(r.outcome.refused, 1);
	assert_null(find_op("b", NCTL_OP_LINK_NEW)->text);
	assert_int_equal(find_op("z", NCTL_OP_ADDR_NEW)->state, NCTL_OP_PENDING);
	assert_int_equal(find_op("z", NCTL_OP_LINK_SET)->state, NCTL_OP_PENDING);
	assert_int_equal(nctl_fake_count(r.fake, RTM_NEWADDR), 0);
	/* What was made is known as ours: the way back is a plan like any other. */
	rig_apply(&r, "  dummy-devices: {}\n", false);
	assert_all(NCTL_OP_DONE);
	assert_int_equal(nctl_mirror_link_count(nctl_session_mirror(r.session)), 3);
}

/* The answers of a batch come in reverse: what depends on a refusal is poisoned all the same. */
static void test_reversed_answers(void **state)
{
	(void)state;
	nctl_fake_reverse_acks(r.fake, true);
	refuse(RTM_NEWLINK, "b", -EPERM, "not today");
	rig_apply(&r, chain, true);
	assert_int_equal(find_op("b", NCTL_OP_LINK_NEW)->state, NCTL_OP_REFUSED);
	assert_int_equal(find_op("c", NCTL_OP_LINK_NEW)->state, NCTL_OP_POISONED);
	assert_int_equal(r.outcome.refused, 1);
	nctl_fake_reverse_acks(r.fake, false);
}

/* A deletion that fails is told once, at once: what would have gone along does not keep the run waiting. */
static void test_deletion_refused(void **state)
{
	nctl_time start;

	(void)state;
	rig_apply(&r, chain, false);
	refuse(RTM_DELLINK, "a", -EBUSY, "in use");
	start = nctl_time_now();
	rig_apply(&r, "  dummy-devices: {z: {}}\n", true);
	assert_true(nctl_time_diff_us(nctl_time_now(), start) < 5 * 1000 * 1000);
	assert_int_equal(r.outcome.refused, 1);
	assert_int_equal(r.outcome.poisoned, 2);
	assert_int_equal(r.outcome.unseen, 0);
}

/* Somebody else was faster. */
static void test_deleted_meanwhile(void **state)
{
	(void)state;
	rig_apply(&r, chain, false);
	rig_settle(&r);
	assert_int_equal(rig_plan(&r, "  dummy-devices: {}\n"), 4);
	assert_int_equal(rig_foreign_del(r.fake, rig_link(&r, "z")->v.ifindex), 0);
	rig_start(&r, "  dummy-devices: {}\n", false);
	rig_until_done(&r);
	assert_int_equal(r.outcome.refused, 0);
	assert_int_equal(r.outcome.done, r.plan->n_ops);
}

/* Intents are told before the links can be there, and a ledger that cannot be written stops the run. */
static void test_intents(void **state)
{
	(void)state;
	r.intend_error = -ENOSPC;
	rig_start(&r, s1, false);
	rig_until_done(&r);
	assert_int_equal(r.outcome.status, -ENOSPC);
	assert_int_equal(r.outcome.done, 0);
	assert_int_equal(nctl_fake_count_changes(r.fake), 0);
	assert_int_equal(r.intends, 1);
	r.intend_error = 0;
	rig_apply(&r, s1, false);
	assert_int_equal(r.outcome.status, 0);
	assert_all(NCTL_OP_DONE);
}

/* Too little room for acks: they are lost, the mirror tells what was done. */
static void test_lost_acks(void **state)
{
	struct nctl_hub_stats s;
	const struct nctl_fake_refusal f = {.type = RTM_NEWLINK, .error = -EPERM, .skip = 5, .count = 40};

	(void)state;
	nctl_fake_set_rcvbuf(r.fake, NCTL_TRANSPORT_REQUEST, 4 * 1024);
	assert_int_equal(nctl_fake_refuse(r.fake, &f), 0);
	rig_start(&r, "  dummy-devices: {\"d{1..100}\": {activation-mode: manual}}\n", true);
	/* Refusals that nobody heard of are waited for, so this is not the end of the run. */
	for (int i = 0; i < 20; i++)
		rig_turn(&r, 5);
	nctl_hub_get_stats(r.hub, &s);
	assert_true(s.requester.lost_acks > 0);
	nctl_fake_set_rcvbuf(r.fake, NCTL_TRANSPORT_REQUEST, 2 << 20);
}

/* Events are lost while a plan is carried out: what they would have told is known when the mirror is in step.
 */
static void test_overrun_during_run(void **state)
{
	(void)state;
	nctl_fake_set_rcvbuf(r.fake, NCTL_TRANSPORT_EVENTS_ALL, 4 * 1024);
	rig_apply(&r, s1, false);
	assert_all(NCTL_OP_DONE);
	rig_settle(&r);
	assert_true(r.synced > 1);
	rig_check_mirror(&r);
}

/* Events that do not come: a dump tells what they would have. When they come after all, nothing is wrong for
 * long. */
static void test_late_events(void **state)
{
	struct nctl_session_stats stats;

	(void)state;
	nctl_fake_hold_events(r.fake);
	rig_apply(&r, chain, false);
	assert_all(NCTL_OP_DONE);
	nctl_fake_release_events(r.fake);
	rig_settle(&r);
	rig_check_mirror(&r);
	nctl_session_get_stats(r.session, &stats);
	assert_int_equal(stats.losses, 0);
	assert_int_equal(stats.resyncs, 2);
}

/* A link that is down changes its alias without a word. */
static void test_silent_change(void **state)
{
	nctl_time start = nctl_time_now();

	(void)state;
	rig_apply(&r, "  dummy-devices: {a: {activation-mode: manual, alias: one, group: 7}}\n", false);
	assert_all(NCTL_OP_DONE);
	assert_true(nctl_time_diff_us(nctl_time_now(), start) < 2 * 1000 * 1000);
	rig_settle(&r);
	rig_check_mirror(&r);
}

/* The kernel agrees and does not do it: that is no success. */
static void test_never_seen(void **state)
{
	(void)state;
	rig_start(&r, "  dummy-devices: {a: {}}\n", false);
	rig_turn(&r, 100);
	while (nctl_hub_is_running(r.hub)) {
		rig_foreign_up(r.fake, NCTL_IFINDEX_FIRST, false);
		rig_turn(&r, 100);
	}
	assert_int_equal(r.outcome.unseen, find_op("a", NCTL_OP_LINK_SET)->state == NCTL_OP_UNSEEN);
	assert_int_equal(r.outcome.refused, 0);
}

/* Somebody changes what we set, in the middle of the run. */
static void on_turn_foreign(void)
{
	static unsigned n;

	rig_foreign_mtu(r.fake, 2, 1300 + n++ % 100);
	rig_foreign_new(r.fake, 500 + n, "", "dummy", 0);
}

static void test_foreign_changes(void **state)
{
	(void)state;
	rig_start(&r, s1, false);
	while (nctl_hub_is_running(r.hub)) {
		on_turn_foreign();
		rig_turn(&r, 100);
	}
	assert_all(NCTL_OP_DONE);
	rig_settle(&r);
	rig_check_mirror(&r);
	assert_int_equal(rig_plan(&r, s1), 0);
}

/* An index that we chose is taken by somebody else first: only that link is refused, and nobody else's is
 * touched. */
static void test_index_taken(void **state)
{
	nctl_ifindex taken = NCTL_IFINDEX_FIRST;

	(void)state;
	rig_plan(&r, chain);
	assert_int_equal(find_op("a", NCTL_OP_LINK_NEW)->ifindex, taken);
	nctl_fake_hold_events(r.fake);
	assert_int_equal(rig_foreign_new(r.fake, taken, "other", "dummy", 0), 0);
	rig_start(&r, chain, true);
	for (int i = 0; i < 10; i++)
		rig_turn(&r, 5);
	nctl_fake_release_events(r.fake);
	rig_until_done(&r);
	assert_int_equal(find_op("a", NCTL_OP_LINK_NEW)->state, NCTL_OP_REFUSED);
	assert_int_equal(find_op("a", NCTL_OP_LINK_SET)->state, NCTL_OP_POISONED);
	rig_settle(&r);
	assert_false(nctl_link_is_up(&rig_link(&r, "other")->v));
	rig_apply(&r, chain, false);
	assert_int_equal(rig_plan(&r, chain), 0);
}

static void test_free_during_run(void **state)
{
	(void)state;
	for (int turns = 0; turns < 6; turns++) {
		struct rig other;

		rig_init_over(&other, r.fake);
		rig_until_synced(&other);
		rig_start(&other, s1, false);
		for (int i = 0; i < turns; i++)
			rig_turn(&other, 10);
		rig_close(&other);
		/* Whatever was sent is in the ledger: nothing that was made is foreign. */
		rig_close(&r);
		nctl_ledger_free(r.ledger);
		rig_init_over(&r, r.fake);
		nctl_ledger_free(r.ledger);
		r.ledger = other.ledger;
		rig_until_synced(&r);
		rig_apply(&r, "  dummy-devices: {}\n", false);
		assert_int_equal(nctl_mirror_link_count(nctl_session_mirror(r.session)), 3);
	}
}

#define CASE(name_) cmocka_unit_test_setup_teardown(test_##name_, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(s1),
		CASE(empty),
		CASE(busy),
		CASE(keep_going),
		CASE(stop),
		CASE(reversed_answers),
		CASE(deletion_refused),
		CASE(deleted_meanwhile),
		CASE(intents),
		CASE(lost_acks),
		CASE(overrun_during_run),
		CASE(late_events),
		CASE(silent_change),
		CASE(never_seen),
		CASE(foreign_changes),
		CASE(index_taken),
		CASE(free_during_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
