/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: operations that somebody has put in line himself, and runs that make way for them: in their order,
 * nothing ours, refusals at their place; a run that is put aside between two batches comes to the same end.
 */
#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/interrupt.h"
#include "plan/script.h"
#include "rig.h"
#include "test.h"
#include "world.h"

enum { MANY = 500 };

static struct rig r;
static struct nctl_plan *script;
static struct nctl_want_link wants[MANY];
static struct nctl_outcome outcome;
static unsigned ends;
static bool is_idle;

static int setup(void **state)
{
	(void)state;
	rig_init(&r, 1);
	rig_until_synced(&r);
	nctl_fake_reset_counts(r.fake);
	script = nctl_script_new(
		&(struct nctl_plan_netns){
			.there = true,
			.cookie = nctl_session_cookie(r.session),
			.nsid = NCTL_NSID_NONE,
			.have = nctl_session_mirror(r.session),
		},
		1);
	ends = 0;
	is_idle = false;
	return script ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	rig_fini(&r);
	nctl_plan_free(script);
	return 0;
}

static struct nctl_op *add(unsigned i, const char *name)
{
	struct nctl_op *op = nctl_script_add(script, NCTL_OP_LINK_NEW);

	assert_non_null(op);
	wants[i].v = NCTL_LINK_INIT;
	wants[i].v.kind = nctl_kind_find("dummy");
	snprintf(wants[i].v.name, sizeof(wants[i].v.name), "%s", name);
	op->ifindex = 2000000 + i;
	op->want = &wants[i];
	op->name = wants[i].v.name;
	op->kind = "dummy";
	op->pos.line = i;
	return op;
}

static void add_many(unsigned n)
{
	char name[16];

	for (unsigned i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "s%u", i);
		add(i, name);
	}
}

static void ended(struct nctl_plan *plan, const struct nctl_outcome *o, void *userdata)
{
	assert_ptr_equal(plan, script);
	outcome = *o;
	ends++;
	if (userdata)
		nctl_hub_resume(r.hub);
}

static void until_ended(void)
{
	for (int i = 0; i < 10000 && !ends; i++)
		rig_turn(&r, 1000);
	assert_int_equal(ends, 1);
}

static void idle(void *userdata)
{
	(void)userdata;
	is_idle = true;
}

static size_t count(enum nctl_op_state state)
{
	size_t n = 0;

	for (size_t i = 0; i < script->n_ops; i++)
		n += script->ops[i].state == state;
	return n;
}

/* In its order, though a link is set in the batch that makes it; and nothing of it is ours. */
static void test_script(void **state)
{
	struct nctl_op *op;

	(void)state;
	add(0, "a");
	add(1, "b");
	op = nctl_script_add(script, NCTL_OP_LINK_SET);
	op->ifindex = 2000000;
	op->want = &wants[0];
	op->diff.common = NCTL_LINK_BIT(FLAGS);
	op->up = true;
	op->name = "a";
	op->need[0] = 0;
	op = nctl_script_add(script, NCTL_OP_LINK_DEL);
	op->ifindex = 2000001;
	op->name = "b";
	assert_int_equal(nctl_hub_run(r.hub, script, false, ended, NULL), 0);
	until_ended();
	assert_int_equal(count(NCTL_OP_DONE), 4);
	assert_int_equal(outcome.refused, 0);
	assert_int_equal(r.intended, 0);
	assert_true(nctl_link_is_up(&rig_link(&r, "a")->v));
	assert_null(rig_link(&r, "b"));
}

/* What is there is refused, and what is gone, too; without keep_going what was not sent is left. */
static void test_refusals(void **state)
{
	struct nctl_op *op;

	(void)state;
	add(0, "eth0");
	op = nctl_script_add(script, NCTL_OP_LINK_SET);
	op->ifindex = 2000000;
	op->want = &wants[0];
	op->diff.common = NCTL_LINK_BIT(FLAGS);
	op->name = "eth0";
	op->need[0] = 0;
	op = nctl_script_add(script, NCTL_OP_LINK_DEL);
	op->ifindex = 77777;
	op->name = "nobody";
	add(1, "z");
	assert_int_equal(nctl_hub_run(r.hub, script, true, ended, NULL), 0);
	until_ended();
	assert_int_equal(script->ops[0].state, NCTL_OP_REFUSED);
	assert_int_equal(script->ops[0].error, -EEXIST);
	assert_int_equal(script->ops[1].state, NCTL_OP_POISONED);
	assert_int_equal(script->ops[2].state, NCTL_OP_REFUSED);
	assert_int_equal(script->ops[2].error, -ENODEV);
	assert_int_equal(script->ops[3].state, NCTL_OP_DONE);
}

static const char s1[] = "  dummy-devices: {\"d.{1..600}\": {addresses: [\"2000::{n}/64\"]}}\n";

/* Wherever it is interrupted. */
static void test_interrupted(void **state)
{
	(void)state;
	for (int turns = 0; turns < 12; turns++) {
		if (turns) {
			teardown(NULL);
			setup(NULL);
		}
		add_many(3);
		rig_start(&r, s1, false);
		for (int i = 0; i < turns; i++)
			rig_turn(&r, 1000);
		nctl_hub_interrupt(r.hub, idle, NULL);
		for (int i = 0; i < 1000 && !is_idle; i++)
			rig_turn(&r, 1000);
		assert_true(is_idle);
		assert_int_equal(nctl_hub_run(r.hub, script, false, ended, &r), 0);
		until_ended();
		assert_int_equal(count(NCTL_OP_DONE), 3);
		rig_until_done(&r);
		assert_int_equal(r.outcome.status, 0);
		assert_int_equal(r.outcome.done, r.plan->n_ops);
		assert_false(nctl_hub_is_running(r.hub));
		rig_settle(&r);
		rig_check_mirror(&r);
	}
}

/* It ends between two lines, and well. */
static void test_cut(void **state)
{
	(void)state;
	add_many(MANY);
	assert_int_equal(nctl_hub_run(r.hub, script, false, ended, NULL), 0);
	nctl_hub_cut(r.hub, script);
	until_ended();
	assert_int_equal(outcome.status, 0);
	assert_true(count(NCTL_OP_DONE) > 0 && count(NCTL_OP_PENDING) > 0);
	assert_int_equal(count(NCTL_OP_DONE) + count(NCTL_OP_PENDING), MANY);
	for (size_t i = 0; i < count(NCTL_OP_DONE); i++)
		assert_int_equal(script->ops[i].state, NCTL_OP_DONE);
	assert_int_equal(nctl_fake_count(r.fake, RTM_NEWLINK), count(NCTL_OP_DONE));
}

static void test_stopped(void **state)
{
	size_t done;

	(void)state;
	rig_start(&r, s1, false);
	nctl_hub_stop(r.hub, r.plan);
	rig_until_done(&r);
	assert_int_equal(r.outcome.status, -ECANCELED);
	done = r.outcome.done;
	assert_true(done > 0 && done < r.plan->n_ops);
	/* And back from there. */
	rig_undo(&r);
	rig_settle(&r);
	rig_check_mirror(&r);
	assert_null(rig_link(&r, "d.1"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_script, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refusals, setup, teardown),
		cmocka_unit_test_setup_teardown(test_interrupted, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cut, setup, teardown),
		cmocka_unit_test_setup_teardown(test_stopped, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
