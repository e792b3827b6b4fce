/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The operations of plans that the registry carries out, handed to it by the hub: namespaces made and
 * deleted, ids learnt, sysctls written, and what is said of each when it fails.
 */
#include "world.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test.h"

static struct nctl_plan *plan;
static struct nctl_outcome outcome;
static unsigned done;

static int setup(void **state)
{
	(void)state;
	done = 0;
	plan = calloc(1, sizeof(*plan));
	assert_non_null(plan);
	nctl_arena_init(&plan->arena);
	plan->netns = calloc(8, sizeof(*plan->netns));
	plan->ops = calloc(300, sizeof(*plan->ops));
	assert_non_null(plan->netns);
	assert_non_null(plan->ops);
	plan->n_netns = 1;
	plan->netns[0] = (struct nctl_plan_netns){.there = true, .nsid = NCTL_NSID_NONE};
	world_open();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	world_close();
	nctl_plan_free(plan);
	return 0;
}

/* A namespace of the plan: its number. */
static uint32_t netns(const char *name)
{
	const struct nd_netns *n = nd_netns_find(w.set, name);
	struct nctl_plan_netns *p = &plan->netns[plan->n_netns];

	*p = (struct nctl_plan_netns){.name = name, .nsid = NCTL_NSID_NONE};
	if (n && nd_netns_session(n)) {
		p->there = true;
		p->cookie = nd_netns_cookie(n);
		p->have = nctl_session_mirror(nd_netns_session(n));
	}
	return (uint32_t)plan->n_netns++;
}

static struct nctl_op *op(enum nctl_op_type type, enum nctl_phase phase, uint32_t number)
{
	struct nctl_op *o = &plan->ops[plan->n_ops++];

	*o = (struct nctl_op){
		.type = (uint8_t)type, .phase = (uint8_t)phase, .netns = number, .nsid = NCTL_NSID_NONE};
	o->blame = o->after = NCTL_OP_NONE;
	for (size_t i = 0; i < NCTL_OP_NEEDS; i++)
		o->need[i] = NCTL_OP_NONE;
	return o;
}

static struct nctl_op *sysctl(uint32_t number, const char *name, const char *value)
{
	struct nctl_op *o = op(NCTL_OP_SYSCTL_SET, NCTL_PHASE_NETNS, number);

	o->sysctl = name;
	o->value = value;
	return o;
}

static void on_done(struct nctl_plan *p, const struct nctl_outcome *o, void *userdata)
{
	(void)userdata;
	assert_ptr_equal(p, plan);
	outcome = *o;
	done++;
}

static bool is_done(void)
{
	return done;
}

static void start(void)
{
	world_start(true);
	world_until(world_is_quiet);
}

static void run(void)
{
	done = 0;
	assert_int_equal(nctl_hub_run(w.set->hub, plan, true, on_done, NULL), 0);
	world_until(is_done);
	assert_int_equal(outcome.status, 0);
}

static void make(void **state)
{
	const struct nctl_op *o;
	uint32_t t;

	(void)state;
	start();
	t = netns("t");
	o = op(NCTL_OP_NETNS_NEW, NCTL_PHASE_NETNS, t);
	run();
	assert_int_equal(o->state, NCTL_OP_DONE);
	assert_true(plan->netns[t].there);
	assert_true(plan->netns[t].cookie == world_cookie("t"));
	assert_ptr_equal(plan->netns[t].have, nctl_session_mirror(nd_netns_session(world_find("t"))));
	assert_int_equal(w.intends, 2);
	assert_true(w.intended == world_cookie("t"));
}

static void make_many(void **state)
{
	char names[7][8];

	(void)state;
	start();
	for (unsigned i = 0; i < 7; i++) {
		snprintf(names[i], sizeof(names[i]), "t%u", i);
		op(NCTL_OP_NETNS_NEW, NCTL_PHASE_NETNS, netns(names[i]));
	}
	run();
	assert_int_equal(outcome.done, 7);
	assert_int_equal(nd_netns_count(w.set), 8);
}

static void in_the_way(void **state)
{
	const struct nctl_op *o;

	(void)state;
	world_add("t");
	start();
	o = op(NCTL_OP_NETNS_NEW, NCTL_PHASE_NETNS, netns("t"));
	run();
	assert_int_equal(o->state, NCTL_OP_REFUSED);
	assert_int_equal(o->error, -EEXIST);
	assert_string_equal(o->text, "there is a network namespace of that name");
	assert_int_equal(helper.creates, 0);
}

/* A mere file is repaired if it is on record as ours, and is somebody else's affair if it is not. */
static void repaired(void **state)
{
	const struct nctl_op *o, *foreign;
	uint32_t t;

	(void)state;
	world_file("t");
	world_file("u");
	world_start(true);
	world_turns(5);
	t = netns("t");
	plan->netns[t].ours = true;
	o = op(NCTL_OP_NETNS_NEW, NCTL_PHASE_NETNS, t);
	foreign = op(NCTL_OP_NETNS_NEW, NCTL_PHASE_NETNS, netns("u"));
	run();
	assert_int_equal(o->state, NCTL_OP_DONE);
	assert_int_equal(foreign->state, NCTL_OP_REFUSED);
	assert_int_equal(foreign->error, -EEXIST);
	world_until(world_is_quiet);
}

static void without_a_record(void **state)
{
	const struct nctl_op *o;

	(void)state;
	start();
	w.intend_error = -ENOSPC;
	o = op(NCTL_OP_NETNS_NEW, NCTL_PHASE_NETNS, netns("t"));
	run();
	assert_int_equal(o->error, -ENOSPC);
	assert_string_equal(o->text, "the new network namespace cannot be put on record");
	assert_int_equal(helper.creates, 0);
}

/* The helper has made t, and has not said so yet. */
static const struct nctl_op *start_creation(void)
{
	const struct nctl_op *o;

	start();
	o = op(NCTL_OP_NETNS_NEW, NCTL_PHASE_NETNS, netns("t"));
	helper.manual = true;
	assert_int_equal(nctl_hub_run(w.set->hub, plan, true, on_done, NULL), 0);
	while (!helper.outstanding)
		world_turns(1);
	helper_work(1);
	return o;
}

/* Somebody takes it away between its making and its joining. */
static void taken_away(void **state)
{
	const struct nctl_op *o = start_creation();

	(void)state;
	world_del("t");
	helper_answer(1);
	helper.manual = false;
	world_until(is_done);
	assert_int_equal(o->state, NCTL_OP_REFUSED);
	assert_int_equal(o->error, -ENOENT);
	assert_string_equal(o->text, "somebody has deleted it meanwhile");
}

static void put_in_place(void **state)
{
	const struct nctl_op *o = start_creation();

	(void)state;
	helper_answer(1);
	world_del("t");
	world_add("t");
	helper.manual = false;
	helper_work(SIZE_MAX);
	helper_answer(SIZE_MAX);
	world_until(is_done);
	assert_int_equal(o->error, -EEXIST);
	assert_true(nd_netns_cookie(world_find("t")) == world_cookie("t"));
}

static void helper_dies(void **state)
{
	const struct nctl_op *made, *set, *id;

	(void)state;
	world_add("u");
	start();
	made = op(NCTL_OP_NETNS_NEW, NCTL_PHASE_NETNS, netns("t"));
	set = sysctl(netns("u"), "ipv4/ip_forward", "1");
	id = op(NCTL_OP_NETNS_ID, NCTL_PHASE_NETNS, 2);
	helper.manual = true;
	assert_int_equal(nctl_hub_run(w.set->hub, plan, true, on_done, NULL), 0);
	while (helper.outstanding < 3)
		world_turns(1);
	helper_die();
	world_until(is_done);
	assert_int_equal(made->error, -EPIPE);
	assert_int_equal(set->error, -EPIPE);
	assert_int_equal(id->error, -EPIPE);
}

static void never_in_step(void **state)
{
	const struct nctl_op *o;

	(void)state;
	start();
	helper.sockets = 1000;
	o = op(NCTL_OP_NETNS_NEW, NCTL_PHASE_NETNS, netns("t"));
	done = 0;
	assert_int_equal(nctl_hub_run(w.set->hub, plan, true, on_done, NULL), 0);
	while (!done) {
		for (size_t i = 0; i < NETNS_RESTS; i++) {
			struct nctl_list *pos;

			nctl_list_for_each(pos, &w.set->resting[i])
				nctl_list_entry(pos, struct netns_name, waiting)->at.usec = 0;
		}
		world_turns(1);
	}
	assert_int_equal(o->error, -EIO);
	assert_string_equal(o->text, "it is gone whenever its mirror is to be made");
}

static void delete (void **state)
{
	const struct nctl_op *gone, *missing, *other;
	uint32_t number;

	(void)state;
	world_add("t");
	world_add("other");
	start();
	gone = op(NCTL_OP_NETNS_DEL, NCTL_PHASE_REMOVE, netns("t"));
	missing = op(NCTL_OP_NETNS_DEL, NCTL_PHASE_REMOVE, netns("missing"));
	number = netns("other");
	plan->netns[number].cookie += 1000;
	other = op(NCTL_OP_NETNS_DEL, NCTL_PHASE_REMOVE, number);
	run();
	assert_int_equal(gone->state, NCTL_OP_DONE);
	assert_int_equal(missing->state, NCTL_OP_DONE);
	assert_int_equal(other->state, NCTL_OP_REFUSED);
	assert_int_equal(other->error, -ESTALE);
	assert_null(nd_netns_find(w.set, "t"));
	world_find("other");
	while (!w.gone)
		world_turns(1);
}

static void ids(void **state)
{
	struct nctl_op *pair, *home, *missing;
	uint64_t t, u;

	(void)state;
	t = world_add("t");
	u = world_add("u");
	start();
	pair = op(NCTL_OP_NETNS_ID, NCTL_PHASE_NETNS, netns("t"));
	pair->peer_netns = netns("u");
	home = op(NCTL_OP_NETNS_ID, NCTL_PHASE_NETNS, 1);
	home->peer_netns = 0;
	missing = op(NCTL_OP_NETNS_ID, NCTL_PHASE_NETNS, netns("missing"));
	run();
	assert_int_equal(pair->state, NCTL_OP_DONE);
	assert_int_equal(pair->nsid, nctl_fake_netns_nsid_in(w.fake, t, u, false));
	assert_int_equal(home->nsid, nctl_fake_netns_nsid_in(w.fake, t, nctl_fake_home(w.fake), false));
	assert_true(home->nsid >= 0);
	assert_int_equal(missing->error, -ESTALE);
}

static void sysctls(void **state)
{
	const struct nctl_op *o;

	(void)state;
	world_add("t");
	start();
	o = sysctl(netns("t"), "ipv4/tcp_rmem", "4096 131072   6291456");
	helper.sysctl = " 4096\t131072\t6291456\n";
	run();
	assert_int_equal(o->state, NCTL_OP_DONE);
	plan->n_ops = 0;
	o = sysctl(1, "ipv4/ip_forward", "2");
	helper.sysctl = "0";
	run();
	assert_int_equal(o->state, NCTL_OP_REFUSED);
	assert_int_equal(o->error, -EINVAL);
	assert_string_equal(o->text, "the kernel made it 0");
	plan->n_ops = 0;
	o = sysctl(1, "ipv4/ip_forward", "1");
	helper.sysctl = "";
	run();
	assert_string_equal(o->text, "the kernel made it nothing");
}

/* More than the helper takes at once. */
static void many_sysctls(void **state)
{
	(void)state;
	world_add("t");
	start();
	netns("t");
	for (unsigned i = 0; i < 300; i++)
		sysctl(1, "ipv4/ip_forward", "1");
	helper.busy = 20;
	run();
	assert_int_equal(outcome.done, 300);
	assert_int_equal(helper.busy, 0);
}

static void without_helper(void **state)
{
	const struct nctl_op *o;

	(void)state;
	world_start(false);
	world_until(world_is_settled);
	o = op(NCTL_OP_NETNS_NEW, NCTL_PHASE_NETNS, netns("t"));
	run();
	assert_int_equal(o->error, -EOPNOTSUPP);
	assert_string_equal(o->text, "there is no privileged helper");
}

static void not_to_be_heard(void **state)
{
	const struct nctl_op *o;

	(void)state;
	nctl_fake_deny_all(w.fake, true);
	start();
	o = op(NCTL_OP_NETNS_NEW, NCTL_PHASE_NETNS, netns("t"));
	run();
	assert_int_equal(o->error, -EOPNOTSUPP);
	assert_string_equal(o->text, "the events of other namespaces cannot be heard");
}

/* The registry goes in the middle of a run. */
static void freed(void **state)
{
	(void)state;
	start();
	op(NCTL_OP_NETNS_NEW, NCTL_PHASE_NETNS, netns("t"));
	op(NCTL_OP_NETNS_NEW, NCTL_PHASE_NETNS, netns("u"));
	helper.manual = true;
	assert_int_equal(nctl_hub_run(w.set->hub, plan, true, on_done, NULL), 0);
	while (helper.outstanding < 2)
		world_turns(1);
	helper_work(2);
	helper_answer(1);
	world_turns(2);
	w.set = nd_netns_set_free(w.set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(make, setup, teardown),
		cmocka_unit_test_setup_teardown(make_many, setup, teardown),
		cmocka_unit_test_setup_teardown(in_the_way, setup, teardown),
		cmocka_unit_test_setup_teardown(repaired, setup, teardown),
		cmocka_unit_test_setup_teardown(without_a_record, setup, teardown),
		cmocka_unit_test_setup_teardown(taken_away, setup, teardown),
		cmocka_unit_test_setup_teardown(put_in_place, setup, teardown),
		cmocka_unit_test_setup_teardown(helper_dies, setup, teardown),
		cmocka_unit_test_setup_teardown(never_in_step, setup, teardown),
		cmocka_unit_test_setup_teardown(delete, setup, teardown),
		cmocka_unit_test_setup_teardown(ids, setup, teardown),
		cmocka_unit_test_setup_teardown(sysctls, setup, teardown),
		cmocka_unit_test_setup_teardown(many_sysctls, setup, teardown),
		cmocka_unit_test_setup_teardown(without_helper, setup, teardown),
		cmocka_unit_test_setup_teardown(not_to_be_heard, setup, teardown),
		cmocka_unit_test_setup_teardown(freed, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
