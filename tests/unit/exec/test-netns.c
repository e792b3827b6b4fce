/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: plans over several namespaces carried out: those that a plan makes and ends, pairs between them,
 * refusals and ends in the middle, and what stays as it was elsewhere.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/rtnetlink.h>

#include "foreign.h"
#include "rig.h"
#include "test.h"
#include "world.h"

static struct rig r;

static const char tenants[] = "  bridges: {br0: {interfaces: [\"v{1..10}\"], addresses: [10.66.0.1/24]}}\n"
			      "  virtual-ethernets: {\"v{1..10}\": {peer: {netns: \"t{n}\", name: eth0}}}\n"
			      "  namespaces:\n"
			      "    \"t{1..10}\":\n"
			      "      sysctl: {net.ipv4.ip_forward: 1}\n"
			      "      ethernets: {lo: {addresses: [\"192.0.2.{n}/32\"]}}\n"
			      "      virtual-ethernets: {eth0: {addresses: [\"10.66.0.{n + 10}/24\"]}}\n"
			      "      dummy-devices: {\"d{1..3}\": {addresses: [\"198.51.100.{n}/32\"]}}\n";

static const char nothing[] = "  dummy-devices: {}\n";

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

static void show(const char *what)
{
	char *plan = world_print(r.plan);

	for (size_t i = 0; i < r.plan->n_ops; i++) {
		const struct nctl_op *op = &r.plan->ops[i];

		if (op->state != NCTL_OP_DONE)
			fprintf(stderr, "operation %zu (%s): state %d error %d %s\n", i, op->name, op->state,
				op->error, op->text ? op->text : "");
	}
	fprintf(stderr, "%s\n--- plan\n%s", what, plan);
	free(plan);
	fail();
}

static void all_done(void)
{
	if (r.outcome.status || r.outcome.done != r.plan->n_ops)
		show("not all is done");
}

static void nothing_left(const char *body)
{
	rig_settle(&r);
	rig_check_mirror(&r);
	if (rig_plan(&r, body))
		show("something is left to do");
	nctl_fake_reset_counts(r.fake);
	rig_apply(&r, body, false);
	assert_int_equal(nctl_fake_count_changes(r.fake), 0);
	assert_int_equal(r.outcome.messages, 0);
}

static void reach(const char *body)
{
	rig_apply(&r, body, false);
	all_done();
	nothing_left(body);
}

static const struct nctl_op *find_op(const char *netns, const char *name, enum nctl_op_type type)
{
	for (size_t i = 0; i < r.plan->n_ops; i++) {
		const struct nctl_op *op = &r.plan->ops[i];
		const char *where = r.plan->netns[op->netns].name;

		if (op->type == type && !strcmp(where ? where : "", netns) &&
			(!name || (op->name && !strcmp(op->name, name))))
			return op;
	}
	fail_msg("no such operation of %s in %s", name ? name : "any", netns);
	return NULL;
}

static void there_and_away(void)
{
	reach(tenants);
	assert_int_equal(rig_there(&r), 10);
	assert_int_equal(r.carried[NCTL_OP_NETNS_NEW], 10);
	assert_int_equal(r.carried[NCTL_OP_SYSCTL_SET], 10);
	assert_int_equal(nctl_ledger_link_count(rig_netns(&r, "t3")->ledger), 4);
	assert_non_null(rig_link_in(&r, "t10", "d3"));
	assert_int_equal(rig_link(&r, "v7")->v.lower_nsid, rig_netns(&r, "t7")->nsid);
	rig_apply(&r, nothing, false);
	all_done();
	rig_until_there(&r, 0);
	assert_int_equal(r.gone, 10);
	assert_int_equal(r.carried[NCTL_OP_NETNS_DEL], 10);
	assert_int_equal(nctl_mirror_link_count(nctl_session_mirror(r.session)), 3);
	rig_settle(&r);
	rig_check_mirror(&r);
}

static void test_tenants(void **state)
{
	(void)state;
	there_and_away();
}

/* The owner answers from inside the call, or only when the new mirrors are in step. */
static void test_answers(void **state)
{
	(void)state;
	r.at_once = true;
	there_and_away();
	r.gone = 0;
	memset(r.carried, 0, sizeof(r.carried));
	r.in_step = true;
	there_and_away();
	r.gone = 0;
	memset(r.carried, 0, sizeof(r.carried));
	r.at_once = false;
	there_and_away();
}

static void test_many(void **state)
{
	static const char body[] = "  namespaces: {\"n{1..600}\": {dummy-devices: {d0: {}}}}\n";

	(void)state;
	reach(body);
	assert_int_equal(rig_there(&r), 600);
	assert_int_equal(r.most_ops, NCTL_HUB_OPS_IN_FLIGHT);
	rig_apply(&r, nothing, false);
	all_done();
	rig_until_there(&r, 0);
}

static const char between[] =
	"  namespaces:\n"
	"    a: {virtual-ethernets: {x: {peer: {netns: b, name: y}, addresses: [10.0.0.1/30]}}}\n"
	"    b: {virtual-ethernets: {y: {peer: {netns: a, name: x}, addresses: [10.0.0.2/30]}}}\n"
	"    c: {dummy-devices: {d: {}}}\n";

static void test_pair(void **state)
{
	const struct nctl_mirror_link *x, *y;

	(void)state;
	reach(between);
	assert_int_equal(r.carried[NCTL_OP_NETNS_ID], 1);
	x = rig_link_in(&r, "a", "x");
	y = rig_link_in(&r, "b", "y");
	assert_int_equal(x->v.lower, y->v.ifindex);
	assert_int_equal(y->v.lower, x->v.ifindex);
	assert_int_equal(x->v.lower_nsid, 0); /* the first that a had to call anything */
}

/* Of an end that stays down the kernel never says whose other end it is. */
static void test_pair_down(void **state)
{
	static const char body[] =
		"  virtual-ethernets: {v: {peer: {netns: a, name: w}, activation-mode: \"off\"}}\n"
		"  namespaces:\n"
		"    a:\n"
		"      virtual-ethernets:\n"
		"        w: {peer: {netns: \"\", name: v}, activation-mode: \"off\"}\n"
		"        x: {peer: {netns: b, name: y}, activation-mode: \"off\"}\n"
		"    b: {virtual-ethernets: {y: {peer: {netns: a, name: x}, activation-mode: \"off\"}}}\n";

	(void)state;
	reach(body);
	assert_int_equal(rig_link(&r, "v")->v.lower, rig_link_in(&r, "a", "w")->v.ifindex);
	assert_int_equal(rig_link_in(&r, "a", "x")->v.lower, rig_link_in(&r, "b", "y")->v.ifindex);
	assert_int_equal(rig_link_in(&r, "b", "y")->v.lower, rig_link_in(&r, "a", "x")->v.ifindex);
}

/* The id is not to be had: the pair is not made, all else is. */
static void test_no_id(void **state)
{
	(void)state;
	r.refuse_type = NCTL_OP_NETNS_ID;
	r.refuse_error = -EPERM;
	rig_apply(&r, between, true);
	assert_int_equal(r.outcome.refused, 1);
	for (size_t i = 0; i < r.plan->n_ops; i++)
		if (r.plan->ops[i].type == NCTL_OP_LINK_NEW)
			assert_int_equal(r.plan->ops[i].state,
				strcmp(r.plan->ops[i].kind, "veth") ? NCTL_OP_DONE : NCTL_OP_POISONED);
	r.refuse_error = 0;
	reach(between);
}

/* A namespace cannot be made: what should be in it, and the pairs that lead there, wait; nothing else does.
 */
static void test_not_made(void **state)
{
	(void)state;
	r.refuse_type = NCTL_OP_NETNS_NEW;
	r.refuse_error = -ENOSPC;
	rig_apply(&r, tenants, true);
	assert_int_equal(r.outcome.refused, 10);
	assert_int_equal(find_op("t4", "d1", NCTL_OP_LINK_NEW)->state, NCTL_OP_POISONED);
	assert_string_equal(find_op("t4", NULL, NCTL_OP_NETNS_NEW)->text, "the owner does not want to");
	assert_non_null(rig_link(&r, "br0"));
	assert_null(rig_link(&r, "v1"));
	assert_int_equal(rig_there(&r), 0);
	/* Without keep_going nothing at all is begun after it. */
	rig_apply(&r, nothing, false);
	nctl_fake_reset_counts(r.fake);
	rig_apply(&r, tenants, false);
	assert_int_equal(nctl_fake_count_changes(r.fake), 0);
	r.refuse_error = 0;
	reach(tenants);
}

/* A refusal in one namespace is that one's business, though the same link is everywhere. */
static void test_refusal(void **state)
{
	static const char body[] = "  namespaces:\n"
				   "    \"t{1..5}\":\n"
				   "      dummy-devices: {d: {}}\n"
				   "      vlans: {e: {id: 5, link: d, addresses: [10.1.1.1/24]}}\n";
	struct nctl_fake_refusal f = {
		.type = RTM_NEWLINK, .ifname = "d", .error = -EPERM, .text = "not here"};

	(void)state;
	for (int i = 1; i <= 5; i++) {
		char name[8];

		snprintf(name, sizeof(name), "t%d", i);
		rig_netns_make(&r, name);
	}
	rig_settle(&r);
	f.cookie = rig_netns(&r, "t3")->cookie;
	assert_int_equal(nctl_fake_refuse(r.fake, &f), 0);
	rig_apply(&r, body, true);
	assert_int_equal(r.outcome.refused, 1);
	assert_string_equal(find_op("t3", "d", NCTL_OP_LINK_NEW)->text, "not here");
	for (size_t i = 0; i < r.plan->n_ops; i++) {
		const struct nctl_op *op = &r.plan->ops[i];
		bool hit = !strcmp(r.plan->netns[op->netns].name, "t3");

		if (hit && op->type != NCTL_OP_NETNS_NEW)
			assert_true(op->state == NCTL_OP_REFUSED || op->state == NCTL_OP_POISONED);
		else
			assert_int_equal(op->state, NCTL_OP_DONE);
	}
	reach(body);
}

/* Namespaces end in the middle of a run, at any time: the others are as wanted. */
static void test_vanish(void **state)
{
	(void)state;
	for (int turns = 0; turns < 14; turns++) {
		struct rig_netns *n;

		rig_start(&r, tenants, true);
		for (int i = 0; i < turns && nctl_hub_is_running(r.hub); i++)
			rig_turn(&r, 20);
		n = rig_netns(&r, "t4");
		if (n && n->session)
			rig_netns_end(&r, "t4");
		rig_until_done(&r);
		for (size_t i = 0; i < r.plan->n_ops; i++) {
			const struct nctl_op *op = &r.plan->ops[i];
			const char *where = r.plan->netns[op->netns].name;
			bool hit = (where && !strcmp(where, "t4")) || (op->name && !strcmp(op->name, "v4"));

			if (!hit && op->state != NCTL_OP_DONE)
				show("another one was hit");
			assert_int_not_equal(op->state, NCTL_OP_SENT);
		}
		rig_settle(&r);
		rig_check_mirror(&r);
		reach(tenants);
		rig_apply(&r, nothing, false);
		all_done();
		rig_until_there(&r, 0);
		rig_settle(&r);
	}
}

/* Somebody still uses a namespace that was deleted: the ends of pairs that would have gone with it go all the
 * same. */
static void test_in_use(void **state)
{
	struct nctl_transport *t;
	struct rig_netns *n;
	struct nctl_kernel *k;

	(void)state;
	reach(tenants);
	n = rig_netns(&r, "t5");
	k = nctl_fake_netns_kernel(r.fake, n->cookie);
	assert_int_equal(k->open(k, NCTL_TRANSPORT_REQUEST, &t), 0);
	rig_apply(&r, nothing, false);
	rig_until_there(&r, 1);
	assert_null(rig_link(&r, "v5"));
	rig_settle(&r);
	rig_check_mirror(&r);
	nctl_transport_free(t);
	nctl_kernel_unref(k);
	rig_until_there(&r, 0);
}

/* Of a namespace that somebody else made, what we put there goes, and nothing else. */
static void test_foreign(void **state)
{
	static const char body[] = "  namespaces: {other: {dummy-devices: {ours: {}}}}\n";
	struct rig_netns *n = rig_netns_make(&r, "other");

	(void)state;
	assert_int_equal(foreign_new(r.fake, n->cookie, 9, "theirs", "dummy", 0), 0);
	rig_settle(&r);
	reach(body);
	assert_int_equal(r.carried[NCTL_OP_NETNS_NEW], 0);
	rig_apply(&r, nothing, false);
	all_done();
	rig_settle(&r);
	assert_int_equal(rig_there(&r), 1);
	assert_null(rig_link_in(&r, "other", "ours"));
	assert_non_null(rig_link_in(&r, "other", "theirs"));
	rig_check_mirror(&r);
}

static void test_sysctl_refused(void **state)
{
	(void)state;
	r.refuse_type = NCTL_OP_SYSCTL_SET;
	r.refuse_error = -EINVAL;
	rig_apply(&r, tenants, true);
	assert_int_equal(r.outcome.refused, 10);
	assert_string_equal(find_op("t1", NULL, NCTL_OP_SYSCTL_SET)->text, "the owner does not want to");
	assert_int_equal(find_op("t1", NULL, NCTL_OP_NETNS_NEW)->state, NCTL_OP_DONE);
}

/* The way back from a refusal: the namespaces that were made are no more, and home is as before. */
static void test_undo(void **state)
{
	static const char before[] =
		"  namespaces: {t1: {dummy-devices: {d1: {}}}, old: {dummy-devices: {o: {}}}}\n";

	(void)state;
	for (unsigned skip = 0; skip < 40; skip += 3) {
		const struct nctl_fake_refusal f = {.type = RTM_NEWLINK, .skip = skip, .error = -EPERM};

		reach(before);
		assert_int_equal(nctl_fake_refuse(r.fake, &f), 0);
		rig_apply(&r, tenants, false);
		nctl_fake_clear_refusals(r.fake);
		assert_int_equal(r.outcome.refused, 1);
		rig_undo(&r);
		if (r.outcome.refused || r.outcome.unseen || r.outcome.status)
			show("the way back is not free");
		rig_until_there(&r, 2);
		nothing_left(before);
	}
}

/* All events are lost while a plan is carried out. */
static void test_overrun(void **state)
{
	(void)state;
	nctl_fake_set_rcvbuf(r.fake, NCTL_TRANSPORT_EVENTS_ALL, 16 * 1024);
	rig_apply(&r, tenants, false);
	all_done();
	nctl_fake_set_rcvbuf(r.fake, NCTL_TRANSPORT_EVENTS_ALL, 64 << 20);
	nothing_left(tenants);
}

static void test_free_during_run(void **state)
{
	(void)state;
	for (int turns = 0; turns < 6; turns++) {
		struct rig other;

		rig_init(&other, 2);
		rig_until_synced(&other);
		rig_start(&other, tenants, false);
		for (int i = 0; i < turns; i++)
			rig_turn(&other, 20);
		rig_fini(&other);
	}
}

#define CASE(name_) cmocka_unit_test_setup_teardown(test_##name_, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(tenants),
		CASE(answers),
		CASE(many),
		CASE(pair),
		CASE(pair_down),
		CASE(no_id),
		CASE(not_made),
		CASE(refusal),
		CASE(vanish),
		CASE(in_use),
		CASE(foreign),
		CASE(sysctl_refused),
		CASE(undo),
		CASE(overrun),
		CASE(free_during_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
