/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the way of a configuration through the reconciler, over the fake kernel: apply, refusal and the way
 * back, reload, the bounds of the queue, clients that go, restarts and kills.
 */
#include "desk.h"

static const char one[] = "  dummy-devices: {d0: {addresses: [192.0.2.1/24]}}\n";
static const char two[] =
	"  dummy-devices: {d0: {addresses: [192.0.2.1/24]}, d1: {}}\n  vlans: {v: {id: 1, link: d1}}\n";

static void test_apply(void **state)
{
	(void)state;
	write_text(file, "  dummy-devices: {}\n");
	start();
	assert_string_equal(status("state"), "settled");
	assert_string_equal(status("generation"), "1");
	apply(one, 0);
	answer_is(0, "applied");
	assert_true(has("d0"));
	assert_int_equal(json_object_get_int(field("/result/generation")), 2);
	assert_int_equal(json_object_get_int(field("/result/refused")), 0);
	assert_string_equal(status("owned_links"), "1");
	/* The same once more is nothing, and no new generation. */
	nctl_fake_reset_counts(fake);
	apply(one, 0);
	answer_is(0, "unchanged");
	assert_int_equal(nctl_fake_count_changes(fake), 0);
	assert_string_equal(status("generation"), "2");
}

static void test_files_at_start(void **state)
{
	(void)state;
	write_text(file, one);
	start();
	assert_true(has("d0"));
	assert_string_equal(status("state"), "settled");
}

/* A client that is faster than the mirrors: the first pass comes first all the same, and does not undo it. */
static void test_early_client(void **state)
{
	(void)state;
	write_text(file, one);
	open_reconciler();
	assert_string_equal(status("state"), "synchronising");
	assert_int_equal(queue(two, 0, NULL), 0);
	until_answers(1);
	answer_is(0, "applied");
	while (!readies)
		run();
	assert_true(has("v"));
	assert_string_equal(status("state"), "settled");
	assert_string_equal(status("generation"), "2");
}

/* A bad configuration still becomes ready, and changes nothing. */
static void test_invalid(void **state)
{
	(void)state;
	write_text(file, "  dummy-devices: {d0: {mtuu: 1}}\n");
	start();
	assert_string_equal(status("state"), "failed");
	assert_int_equal(nctl_fake_count_changes(fake), 0);
	apply("  dummy-devices: {d0: {mtu: lots}}\n", 0);
	answer_is(2, NULL);
	assert_true(json_object_array_length(field("/diagnostics")) > 0);
	assert_int_equal(nctl_fake_count_changes(fake), 0);
	apply(one, 0);
	answer_is(0, "applied");
	assert_string_equal(status("state"), "settled");
}

static void test_blocked(void **state)
{
	(void)state;
	write_text(file, "  dummy-devices: {}\n");
	start();
	apply("  bridges: {eth0: {}}\n", 0);
	answer_is(2, NULL);
	assert_true(json_object_get_boolean(field("/plan/blocked")));
	assert_int_equal(nctl_fake_count_changes(fake), 0);
}

/* A refusal: all that was done is undone, and the answer says where and why. */
static void test_rollback(void **state)
{
	char *before, *after;

	(void)state;
	write_text(file, one);
	start();
	before = nctl_fake_print(fake);
	refuse(RTM_NEWLINK, "v");
	apply(two, 0);
	answer_is(4, "rolled-back");
	assert_string_equal(json_object_get_string(field("/result/refusals/0/name")), "v");
	assert_string_equal(json_object_get_string(field("/result/refusals/0/kernel")), "not today");
	assert_string_equal(json_object_get_string(field("/result/refusals/0/file")), "client.yaml");
	after = nctl_fake_print(fake);
	assert_string_equal(before, after);
	free(before);
	free(after);
	assert_string_equal(status("state"), "failed");
	assert_string_equal(status("generation"), "1");
	assert_string_equal(status("owned_links"), "1");
	apply(two, 0);
	answer_is(0, "applied");
	assert_true(has("v"));
}

static void test_keep_going(void **state)
{
	(void)state;
	write_text(file, one);
	start();
	refuse(RTM_NEWLINK, "v");
	apply(two, ND_APPLY_KEEP_GOING);
	answer_is(4, "partly-applied");
	assert_true(has("d1"));
	assert_false(has("v"));
	assert_string_equal(status("generation"), "2");
	apply(two, 0);
	answer_is(0, "applied");
	assert_true(has("v"));
}

static void test_reload(void **state)
{
	unsigned before;

	(void)state;
	write_text(file, one);
	start();
	apply(two, 0);
	before = answers;
	assert_int_equal(nd_reconcile_apply(reconcile, NULL, &(struct nd_apply){0}, on_answer, NULL), 0);
	until_answers(before + 1);
	answer_is(0, "applied");
	assert_false(has("d1"));
	assert_true(has("d0"));
}

/* While one is carried out, 15 may wait behind it. */
static void test_queue(void **state)
{
	int here, gone;

	(void)state;
	write_text(file, "  dummy-devices: {}\n");
	start();
	assert_int_equal(queue(one, 0, &here), 0);
	for (int i = 0; i < 15; i++)
		assert_int_equal(queue(i % 2 ? one : two, 0, i == 3 ? &gone : &here), 0);
	assert_int_equal(queue(one, 0, &here), -EBUSY);
	nd_reconcile_forget(reconcile, &gone);
	until_answers(15);
	assert_int_equal(queue(one, 0, &here), 0);
	until_answers(16);
	assert_true(has("d0"));
}

/* Who waits when the daemon ends is told so. */
static void test_end_with_jobs(void **state)
{
	(void)state;
	write_text(file, "  dummy-devices: {}\n");
	start();
	for (int i = 0; i < 3; i++)
		assert_int_equal(queue(two, 0, NULL), 0);
	stop();
	assert_int_equal(nulls, 3);
	assert_int_equal(answers, 0);
}

/* A look at a plan while another one is carried out waits for it, and must not cost it its intents. */
static void test_plan_during_apply(void **state)
{
	(void)state;
	write_text(file, "  dummy-devices: {}\n");
	start();
	assert_int_equal(queue("  dummy-devices: {\"d{1..300}\": {}}\n", 0, NULL), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(
			nd_reconcile_plan(reconcile, NULL, &(struct nd_apply){0}, on_answer, NULL), 0);
	until_answers(1);
	answer_is(0, "applied");
	until_answers(4);
	answer_is(1, NULL);
	assert_string_equal(status("owned_links"), "300");
	apply("  dummy-devices: {}\n", 0);
	assert_string_equal(status("links"), "2");
}

/* The accepted generation is resumed, not the files, and the kernel is not touched. */
static void test_restart(void **state)
{
	(void)state;
	write_text(file, one);
	start();
	apply(two, 0);
	stop();
	write_text(file, "  dummy-devices: {}\n");
	nctl_fake_reset_counts(fake);
	start();
	assert_string_equal(status("generation"), "2");
	assert_string_equal(status("owned_links"), "3");
	assert_int_equal(nctl_fake_count_changes(fake), 0);
	apply("  dummy-devices: {}\n", 0);
	assert_string_equal(status("links"), "2");
}

/* Adopted addresses and links are remembered as well. */
static void test_restart_adopted(void **state)
{
	(void)state;
	assert_int_equal(rig_foreign_new(fake, 5, "d0", "dummy", 0), 0);
	assert_int_equal(rig_foreign_addr(fake, 5, "192.0.2.1/24", true), 0);
	assert_int_equal(rig_foreign_addr(fake, 2, "198.51.100.1/24", true), 0);
	write_text(file, "  dummy-devices: {d0: {addresses: [192.0.2.1/24]}}\n"
			 "  ethernets: {eth0: {addresses: [198.51.100.1/24]}}\n");
	start();
	stop();
	start();
	apply("  ethernets: {eth0: {}}\n", 0);
	answer_is(0, "applied");
	assert_string_equal(status("links"), "2");
	/* What is left are the addresses that the kernel made. */
	assert_null(nctl_mirror_addr_find(
		nctl_session_mirror(nctl_hub_home(nd_netns_set_hub(nd_reconcile_netns(reconcile)))),
		&(struct nctl_prefix){.family = AF_INET, .addr = {198, 51, 100, 1}}));
}

static int finished(const char *body, const struct nd_apply *how)
{
	unsigned before = answers;

	assert_int_equal(queue_with(body, how, NULL), 0);
	until_answers(before + 1);
	return json_object_get_int(field("/exit"));
}

static void end_waiting(int (*job)(
	struct nd_reconcile *r, void (*answer)(const char *json, size_t len, void *userdata), void *userdata))
{
	unsigned before = answers;

	assert_int_equal(job(reconcile, on_answer, NULL), 0);
	until_answers(before + 1);
}

static void pass_ms(uint64_t ms)
{
	nd_timer_set(&guard, nctl_time_add_ms(nctl_time_now(), ms));
	(void)nd_loop_run(loop);
	nd_timer_set(&guard, nctl_time_add_ms(nctl_time_now(), 20000));
}

/* Kept, taken back, or taken back by itself; and what is deleted waits. */
static void test_confirm(void **state)
{
	const struct nd_apply how = {.confirm_s = 3600}, soon = {.confirm_s = 1};

	(void)state;
	write_text(file, "  dummy-devices: {d1: {}}\n");
	start();
	assert_int_equal(finished("  dummy-devices: {d2: {}}\n", &how), 0);
	answer_is(0, "to-be-confirmed");
	assert_string_equal(status("state"), "to-be-confirmed");
	assert_true(has("d1") && has("d2"));
	assert_int_equal(finished("  dummy-devices: {d3: {}}\n", &soon), 2);
	end_waiting(nd_reconcile_rollback);
	answer_is(0, "rolled-back");
	assert_true(has("d1") && !has("d2"));
	assert_string_equal(status("state"), "settled");
	assert_int_equal(finished("  dummy-devices: {d2: {}}\n", &soon), 0);
	while (has("d2"))
		pass_ms(50);
	assert_int_equal(finished("  dummy-devices: {d2: {}}\n", &how), 0);
	stop();
	start();
	assert_string_equal(status("state"), "to-be-confirmed");
	end_waiting(nd_reconcile_confirm);
	answer_is(0, "confirmed");
	assert_true(!has("d1") && has("d2"));
}

/* Killed while links are changed and made: a daemon that is started again goes back. */
static void test_kill(void **state)
{
	static const char before[] =
		"  dummy-devices: {\"d{1..100}\": {mtu: 1400, addresses: [\"2001:db8::{n}/64\"]}}\n";
	static const char after[] =
		"  dummy-devices: {\"d{51..200}\": {mtu: 1300, addresses: [\"2001:db8::1:{n}/64\"]}}\n";

	char path[128];

	(void)state;
	for (int turns = 0; turns < 12; turns++) {
		write_text(file, before);
		start();
		assert_int_equal(queue(after, 0, NULL), 0);
		nd_timer_set(&guard, nctl_time_add_ms(nctl_time_now(), (uint64_t)turns * 2));
		(void)nd_loop_run(loop);
		stop();
		start();
		if (!strcmp(status("generation"), "1")) {
			nctl_fake_reset_counts(fake);
			apply(before, 0);
			assert_int_equal(nctl_fake_count_changes(fake), 0);
		}
		apply("  dummy-devices: {}\n", 0);
		assert_string_equal(status("links"), "2");
		stop();
		snprintf(path, sizeof(path), "%s/generation", dir);
		unlink(path);
	}
}

static void test_locked(void **state)
{
	const struct nd_reconcile_options opts = {.paths = paths,
		.n_paths = 1,
		.runtime_dir = dir,
		.kernel = nctl_fake_kernel(fake),
		.control_fd = -1};
	struct nd_reconcile *second = NULL;

	(void)state;
	write_text(file, one);
	start();
	assert_int_equal(nd_reconcile_new(loop, &opts, NULL, NULL, &second), -EBUSY);
	assert_null(second);
}

static void test_check_and_plan(void **state)
{
	struct nd_config_texts texts = ND_CONFIG_TEXTS_INIT;
	struct nctl_strbuf b = NCTL_STRBUF_INIT;

	(void)state;
	write_text(file, one);
	start();
	nd_config_texts_add(&texts, "x.yaml", two, strlen(two)); /* without "network:" */
	assert_int_equal(nd_reconcile_check(reconcile, &texts, &b), 0);
	last = (json_object_put(last), json_tokener_parse(nctl_strbuf_str(&b)));
	answer_is(2, NULL);
	nd_config_texts_fini(&texts);
	write_text(file, two);
	nctl_fake_reset_counts(fake);
	assert_int_equal(nd_reconcile_plan(reconcile, NULL, &(struct nd_apply){0}, on_answer, NULL), 0);
	until_answers(1);
	answer_is(1, NULL);
	assert_true(json_object_array_length(field("/plan/entries")) >= 2);
	assert_int_equal(nctl_fake_count_changes(fake), 0);
	nctl_strbuf_fini(&b);
}

/* Links that are not there yet: told in status, and no error. */
static void test_waiting(void **state)
{
	(void)state;
	write_text(file, "  ethernets: {eth9: {}}\n  vlans: {v: {id: 1, link: eth9}}\n");
	start();
	assert_string_equal(status("state"), "waiting");
	assert_int_equal(json_object_array_length(field("/pending")), 2);
}

#define CASE(name_) cmocka_unit_test_setup_teardown(test_##name_, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(apply),
		CASE(files_at_start),
		CASE(early_client),
		CASE(invalid),
		CASE(blocked),
		CASE(rollback),
		CASE(keep_going),
		CASE(reload),
		CASE(queue),
		CASE(end_with_jobs),
		CASE(plan_during_apply),
		CASE(restart),
		CASE(restart_adopted),
		CASE(kill),
		CASE(confirm),
		CASE(locked),
		CASE(check_and_plan),
		CASE(waiting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
