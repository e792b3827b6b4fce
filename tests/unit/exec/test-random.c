/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: random configurations, random faults, random neighbours. After it has settled, the mirror is what the
 * kernel says, and an apply without faults reaches what is wanted and leaves nothing to do.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random-config.h"
#include "rig.h"
#include "test.h"
#include "world.h"

/* Of home, or over several namespaces. */
typedef void config_fn(struct random *r, bool mtus, struct nctl_strbuf *out);

static void inject(struct rig *r, struct random *rnd)
{
	struct nctl_fake_refusal f = {.skip = random_below(rnd, 12), .error = -EPERM, .text = "injected"};

	switch (random_below(rnd, 8)) {
	case 0:
		f.count = 1 + random_below(rnd, 3);
		nctl_fake_refuse(r->fake, &f);
		break;
	case 1:
		nctl_fake_overrun_events(r->fake, 1 + random_below(rnd, 20));
		break;
	case 2:
		nctl_fake_interrupt_dumps(r->fake, random_below(rnd, 3));
		break;
	case 3:
		nctl_fake_truncate(r->fake, 1, 256);
		break;
	case 4:
		nctl_fake_set_rcvbuf(r->fake, NCTL_TRANSPORT_EVENTS_ALL, 16 * 1024);
		break;
	case 5:
		nctl_fake_reverse_acks(r->fake, true);
		break;
	case 6:
		nctl_fake_set_dump_chunk(r->fake, 1024 + random_below(rnd, 2048));
		break;
	default:
		break;
	}
}

static void end_one(struct rig *r, struct random *rnd)
{
	struct rig_netns *n = r->n_netns ? r->netns[random_below(rnd, (unsigned)r->n_netns)] : NULL;

	if (n && n->session && !n->ended)
		rig_netns_end(r, n->name);
}

/* Somebody else: adds and removes links and addresses of his own, and meddles with ours. */
static void meddle(struct rig *r, struct random *rnd)
{
	const struct nctl_mirror *m = nctl_session_mirror(r->session);
	const struct nctl_mirror_link *l =
		nctl_mirror_link_from(m, NCTL_IFINDEX_FIRST + random_below(rnd, 30));
	nctl_ifindex ours = l ? l->v.ifindex : 0;

	switch (random_below(rnd, 7)) {
	case 0:
		rig_foreign_new(
			r->fake, 50 + random_below(rnd, 3), random_below(rnd, 2) ? "u0" : "u1", "dummy", 0);
		break;
	case 1:
		rig_foreign_del(r->fake, 50 + random_below(rnd, 3));
		break;
	case 2:
		rig_foreign_addr(r->fake, 2 + random_below(rnd, 2), "203.0.113.1/24", random_below(rnd, 2));
		break;
	case 3:
		rig_foreign_up(r->fake, ours, random_below(rnd, 2));
		break;
	case 4:
		rig_foreign_del(r->fake, ours);
		break;
	case 5:
		if (random_below(rnd, 4) == 0)
			end_one(r, rnd);
		break;
	default:
		break;
	}
}

static void heal(struct rig *r)
{
	nctl_fake_interrupt_dumps(r->fake, 0);
	nctl_fake_truncate(r->fake, 0, 0);
	nctl_fake_reverse_acks(r->fake, false);
	nctl_fake_set_rcvbuf(r->fake, NCTL_TRANSPORT_EVENTS_ALL, 64 << 20);
	nctl_fake_set_dump_chunk(r->fake, 0);
	nctl_fake_clear_refusals(r->fake);
}

static void fail_with(struct rig *r, const char *what, const char *body)
{
	char *plan = world_print(r->plan), *state = nctl_fake_print(r->fake);

	for (size_t i = 0; i < r->plan->n_ops; i++)
		if (r->plan->ops[i].state != NCTL_OP_DONE && r->plan->ops[i].state != NCTL_OP_PENDING)
			fprintf(stderr, "operation %zu: state %d error %d %s\n", i, r->plan->ops[i].state,
				r->plan->ops[i].error, r->plan->ops[i].text ? r->plan->ops[i].text : "");
	fprintf(stderr, "%s\n--- configuration\n%s--- plan\n%s--- kernel\n%s", what, body, plan, state);
	free(plan);
	free(state);
	fail();
}

/* Without faults: everything is done in one go, and then nothing is left to do. */
static void reach(struct rig *r, const char *body)
{
	rig_settle(r);
	rig_apply(r, body, false);
	if (r->outcome.status || r->outcome.refused || r->outcome.unseen || r->outcome.done != r->plan->n_ops)
		fail_with(r, "not all is done", body);
	rig_settle(r);
	rig_check_mirror(r);
	if (rig_plan(r, body))
		fail_with(r, "something is left to do", body);
	nctl_fake_reset_counts(r->fake);
	rig_apply(r, body, false);
	assert_int_equal(nctl_fake_count_changes(r->fake), 0);
}

static void one_faulty(struct rig *r, struct random *rnd, const char *body)
{
	rig_settle(r);
	if (random_below(rnd, 2))
		inject(r, rnd);
	inject(r, rnd);
	rig_plan(r, body);
	if (r->plan->blocked)
		fail_with(r, "blocked", body);
	rig_start(r, body, random_below(rnd, 2));
	while (nctl_hub_is_running(r->hub)) {
		if (random_below(rnd, 4) == 0)
			meddle(r, rnd);
		rig_turn(r, 10);
	}
	/* Nothing waits for what cannot come; pauses between dumps go up to 5 s while events are lost. */
	if (r->outcome.duration_us > 20 * 1000 * 1000)
		fail_with(r, "this took long", body);
	heal(r);
	rig_settle(r);
	rig_check_mirror(r);
}

/* From a settled state to another one, with a refusal on the way, and back: then nothing is left to do there.
 */
static void there_and_back(struct rig *r, struct random *rnd, const char *from, const char *to)
{
	char *text, *undo;
	struct nctl_fake_refusal f = {.skip = random_below(rnd, 25), .error = -EPERM, .text = "injected"};
	bool known = random_below(rnd, 2); /* what came of each operation; else only the snapshot */

	nctl_fake_refuse(r->fake, &f);
	rig_apply(r, to, false);
	nctl_fake_clear_refusals(r->fake);
	if (!r->outcome.refused)
		return;
	text = world_print(r->plan);
	if (known) {
		rig_undo(r);
		if (r->outcome.status || r->outcome.refused || r->outcome.unseen)
			fail_with(r, "the way back is not free", to);
	}
	rig_settle(r);
	rig_check_mirror(r);
	undo = world_print(r->plan);
	if (!rig_restore(r, known)) {
		fprintf(stderr, "--- was undone\n%s--- by\n%s", text, undo);
		fail_with(r, "not all is as it was", from);
	}
	if (rig_plan(r, from)) {
		fprintf(stderr, "--- was undone\n%s--- by\n%s", text, undo);
		fail_with(r, "the state is not as before", from);
	}
	free(text);
	free(undo);
}

static void run_undo(struct random *rnd, unsigned rounds, config_fn *config)
{
	for (unsigned i = 0; i < rounds; i++) {
		struct nctl_strbuf from = NCTL_STRBUF_INIT, to = NCTL_STRBUF_INIT;
		struct rig r;

		rig_init(&r, random_next(rnd) % 1000);
		r.at_once = random_below(rnd, 2);
		r.in_step = random_below(rnd, 2);
		for (int k = 0; k < 3; k++) {
			nctl_strbuf_reset(&from);
			nctl_strbuf_reset(&to);
			config(rnd, false, &from);
			config(rnd, false, &to);
			reach(&r, nctl_strbuf_str(&from));
			there_and_back(&r, rnd, nctl_strbuf_str(&from), nctl_strbuf_str(&to));
		}
		nctl_strbuf_fini(&from);
		nctl_strbuf_fini(&to);
		rig_fini(&r);
	}
}

static void run(struct random *rnd, unsigned rounds, bool faulty, config_fn *config)
{
	for (unsigned i = 0; i < rounds; i++) {
		struct rig r;

		rig_init(&r, random_next(rnd) % 1000);
		r.at_once = random_below(rnd, 2);
		r.in_step = random_below(rnd, 2);
		for (int k = 0; k < 4; k++) {
			struct nctl_strbuf body = NCTL_STRBUF_INIT;

			config(rnd, true, &body);
			if (faulty)
				one_faulty(&r, rnd, nctl_strbuf_str(&body));
			reach(&r, nctl_strbuf_str(&body));
			nctl_strbuf_fini(&body);
		}
		reach(&r, "  dummy-devices: {}\n");
		rig_until_there(&r, 0);
		rig_fini(&r);
	}
}

static void test_clean(void **state)
{
	struct random rnd = random_init("exec without faults");

	(void)state;
	run(&rnd, 40, false, random_config);
}

static void test_faulty(void **state)
{
	struct random rnd = random_init("exec with faults");

	(void)state;
	run(&rnd, 40, true, random_config);
}

static void test_undo(void **state)
{
	struct random rnd = random_init("exec undo");

	(void)state;
	run_undo(&rnd, 60, random_config);
}

static void test_clean_netns(void **state)
{
	struct random rnd = random_init("exec over namespaces without faults");

	(void)state;
	run(&rnd, 10, false, random_netns_config);
}

static void test_faulty_netns(void **state)
{
	struct random rnd = random_init("exec over namespaces with faults");

	(void)state;
	run(&rnd, 10, true, random_netns_config);
}

static void test_undo_netns(void **state)
{
	struct random rnd = random_init("exec over namespaces undo");

	(void)state;
	run_undo(&rnd, 10, random_netns_config);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clean),
		cmocka_unit_test(test_faulty),
		cmocka_unit_test(test_undo),
		cmocka_unit_test(test_clean_netns),
		cmocka_unit_test(test_faulty_netns),
		cmocka_unit_test(test_undo_netns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
