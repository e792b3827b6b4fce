/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The registry as it follows the folder: what is there at the start, what comes and goes, names that are
 * no namespace, several names of one, the daemon's own, and what it costs.
 */
#include "world.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test.h"

static int setup(void **state)
{
	(void)state;
	world_open();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	world_close();
	return 0;
}

static char *json_of(const struct nd_netns *n)
{
	struct nctl_strbuf out = NCTL_STRBUF_INIT;
	struct nctl_json j;
	char *text;

	nctl_json_init(&j, &out);
	nd_netns_json(n, &j);
	text = nctl_strbuf_steal(&out);
	assert_non_null(text);
	return text;
}

static void assert_json(const struct nd_netns *n, const char *fmt, uint64_t cookie)
{
	char want[256], *got = json_of(n);

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(want, sizeof(want), fmt, cookie);
#pragma GCC diagnostic pop
	assert_string_equal(got, want);
	free(got);
}

/* Times pass at once: names at rest are tried again. */
static void hasten(void)
{
	for (size_t i = 0; i < NETNS_RESTS; i++) {
		struct nctl_list *pos;

		nctl_list_for_each(pos, &w.set->resting[i])
			nctl_list_entry(pos, struct netns_name, waiting)->at.usec = 0;
	}
}

static bool is_rested(void)
{
	hasten();
	for (size_t i = 0; i < NETNS_RESTS; i++)
		if (!nctl_list_empty(&w.set->resting[i]))
			return false;
	return world_is_quiet();
}

static void without_helper(void **state)
{
	(void)state;
	world_add("a");
	world_start(false);
	world_until(world_is_settled);
	assert_int_equal(w.homes, 1);
	assert_int_equal(nd_netns_count(w.set), 1);
	assert_null(nd_netns_find(w.set, "a"));
	assert_null(nd_netns_set_helper(w.set));
	assert_true(nd_netns_is_home(nd_netns_from(w.set, 0)));
	assert_json(nd_netns_from(w.set, 0),
		"{\"cookie\":%lu,\"links\":1,\"addresses\":0,\"state\":\"home\"}", nctl_fake_home(w.fake));
	assert_int_equal(nd_netns_create(w.set, &(const char *){"x"}, 1, NULL, NULL), -EPIPE);
	assert_int_equal(nd_netns_scan(w.set, NULL, NULL), -EPIPE);
	nd_netns_set_look(w.set);
}

static void at_the_start(void **state)
{
	uint64_t a, b;
	struct nd_netns *n;

	(void)state;
	a = world_add("a");
	b = world_add("b");
	world_start(true);
	assert_false(w.settled);
	world_until(world_is_quiet);
	assert_int_equal(w.settled, 1);
	assert_int_equal(w.joined, 2);
	assert_int_equal(nd_netns_count(w.set), 3);
	n = world_find("a");
	assert_true(nd_netns_cookie(n) == a);
	assert_ptr_equal(nd_netns_find_cookie(w.set, b), world_find("b"));
	assert_string_equal(nd_netns_name(n), "a");
	assert_null(nd_netns_name_at(n, 1));
	assert_null(nd_netns_error(n));
	assert_int_equal(nd_netns_pid(n), 0);
	assert_ptr_equal(nctl_session_owner(nd_netns_session(n)), n);
	assert_ptr_equal(nd_netns_from(w.set, nd_netns_serial(n)), n);
	assert_true(nd_netns_is_home(nd_netns_from(w.set, 0)));
	assert_non_null(nd_netns_next(nd_netns_from(w.set, 0)));
	assert_null(nd_netns_from(w.set, 1000));
	assert_true(w.turns);
}

static void as_json(void **state)
{
	uint64_t a;

	(void)state;
	a = world_add("a");
	world_file("b");
	world_start(true);
	world_until(world_is_settled);
	assert_json(world_find("a"),
		"{\"name\":\"a\",\"id\":0,\"cookie\":%lu,\"links\":1,\"addresses\":0,\"state\":\"joined\"}",
		a);
	world_until(is_rested);
	assert_json(world_find("b"),
		"{\"name\":\"b\",\"state\":\"broken\",\"error\":\"No such device or address\"}", 0);
	world_rename("b", "c");
	world_mount_cookie("c", a);
	nd_netns_set_look(w.set);
	assert_null(nd_netns_find(w.set, "b"));
	world_until(world_is_quiet);
	assert_ptr_equal(world_find("c"), world_find("a"));
}

/* The answer to a question that comes right after somebody made one knows of it. */
static void at_a_look(void **state)
{
	(void)state;
	world_start(true);
	world_until(world_is_quiet);
	world_add("late");
	assert_null(nd_netns_find(w.set, "late"));
	nd_netns_set_look(w.set);
	assert_json(world_find("late"), "{\"name\":\"late\",\"state\":\"joining\"}", 0);
	world_del("late");
	nd_netns_set_look(w.set);
	assert_null(nd_netns_find(w.set, "late"));
	world_until(world_is_quiet);
	assert_int_equal(helper.joins, 0); /* gone before its join was sent */
	assert_int_equal(nd_netns_count(w.set), 1);
}

static bool was_joined(void)
{
	return w.joined == 1;
}

static bool was_tried(void)
{
	return helper.joins >= 3;
}

/* ip-netns(8) makes the file first, and no event tells of the mount. */
static void before_it_is_mounted(void **state)
{
	uint64_t cookie;

	(void)state;
	world_start(true);
	world_until(world_is_quiet);
	world_file("slow");
	world_until(was_tried);
	assert_null(nd_netns_error(world_find("slow")));
	cookie = world_mount("slow");
	world_until(was_joined);
	assert_true(nd_netns_cookie(world_find("slow")) == cookie);
}

static void never_mounted(void **state)
{
	unsigned joins;

	(void)state;
	world_start(true);
	world_until(world_is_quiet);
	world_file("dud");
	nd_netns_set_look(w.set);
	world_until(is_rested);
	assert_string_equal(nd_netns_error(world_find("dud")), "No such device or address");
	assert_int_equal(helper.joins, NETNS_TRIES);
	joins = helper.joins;
	world_turns(5);
	assert_int_equal(helper.joins, joins); /* and now it rests in peace */
	world_del("dud");
	world_add("dud");
	world_until(was_joined);
	assert_null(nd_netns_error(world_find("dud")));
}

static bool were_joined_two(void)
{
	return w.joined == 2 && world_is_quiet();
}

static bool was_gone(void)
{
	return w.gone >= 1;
}

static void several_names(void **state)
{
	uint64_t a;

	(void)state;
	a = world_add("a");
	world_start(true);
	world_until(world_is_quiet);
	world_file("b");
	world_mount_cookie("b", a);
	nd_netns_set_look(w.set);
	world_until(world_is_quiet);
	assert_ptr_equal(world_find("a"), world_find("b"));
	assert_int_equal(nd_netns_count(w.set), 2);
	assert_json(world_find("a"),
		"{\"name\":\"a\",\"id\":0,\"cookie\":%lu,\"links\":1,\"addresses\":0,"
		"\"state\":\"joined\"}",
		a);
	world_del("a");
	nd_netns_set_look(w.set);
	assert_string_equal(nd_netns_name(world_find("b")), "b");
	assert_int_equal(w.gone, 0);
	world_del("b");
	world_until(was_gone);
	assert_true(w.last_gone == a);
	assert_int_equal(nd_netns_count(w.set), 1);
}

static void name_of_home(void **state)
{
	(void)state;
	world_file("me");
	world_mount_cookie("me", nctl_fake_home(w.fake));
	world_start(true);
	world_until(world_is_settled);
	assert_true(nd_netns_is_home(world_find("me")));
	assert_null(nd_netns_name(world_find("me")));
	assert_string_equal(nd_netns_name_at(world_find("me"), 0), "me");
	assert_json(world_find("me"),
		"{\"name\":\"me\",\"cookie\":%lu,\"links\":1,\"addresses\":0,\"state\":\"home\"}",
		nctl_fake_home(w.fake));
	assert_int_equal(nd_netns_count(w.set), 1);
	assert_int_equal(w.joined, 0);
	world_del("me");
	nd_netns_set_look(w.set);
	assert_null(nd_netns_find(w.set, "me"));
	assert_int_equal(nd_netns_count(w.set), 1);
}

/* A process keeps it alive: it stays, without a name, until the hub says that it is gone. */
static void nameless(void **state)
{
	uint64_t a;
	uint64_t serial;

	(void)state;
	a = world_add("a");
	world_start(true);
	world_until(world_is_quiet);
	serial = nd_netns_serial(world_find("a"));
	world_process(7, a);
	world_del("a");
	nd_netns_set_look(w.set);
	assert_null(nd_netns_find(w.set, "a"));
	assert_null(nd_netns_name(nd_netns_find_cookie(w.set, a)));
	assert_json(nd_netns_find_cookie(w.set, a),
		"{\"id\":0,\"cookie\":%lu,\"links\":1,\"addresses\":0,\"state\":\"unnamed\"}", a);
	world_turns(5);
	assert_int_equal(w.gone, 0);
	world_file("again");
	world_mount_cookie("again", a);
	nd_netns_set_look(w.set);
	world_until(world_is_quiet);
	assert_true(nd_netns_serial(world_find("again")) == serial);
	world_del("again");
	world_process(7, 0);
	world_until(was_gone);
	assert_null(nd_netns_find_cookie(w.set, a));
}

static bool was_set_up(void)
{
	return helper.prepares >= 2 && w.set->watch >= 0;
}

static void without_a_folder(void **state)
{
	(void)state;
	assert_int_equal(rmdir(w.folder), 0);
	world_start(true);
	world_until(world_is_quiet);
	world_add("a"); /* the helper has made it */
	world_until(was_joined);
	world_del("a");
	world_until(was_gone);
	assert_int_equal(rmdir(w.folder), 0);
	w.set->folder_tries = 0;
	nd_netns_set_look(w.set);
	assert_int_equal(w.set->watch, -1);
	world_until(was_set_up);
	world_add("b");
	world_until(were_joined_two);
}

/* A place of events is lost: whatever is told apart by its cookie is found out. */
static void overflow(void **state)
{
	uint64_t a, b;

	(void)state;
	world_add("a");
	b = world_add("b");
	world_add("c");
	world_start(true);
	world_until(world_is_quiet);
	w.joined = 0;
	for (size_t i = 0; i < 9000; i++) {
		world_file("x");
		world_del("x");
	}
	world_del("a");
	a = world_add("a");
	world_del("c");
	world_add("d");
	nd_netns_set_look(w.set);
	assert_null(nd_netns_find(w.set, "c"));
	assert_null(nd_netns_find(w.set, "x"));
	world_find("d");
	world_until(were_joined_two);
	assert_true(nd_netns_cookie(world_find("a")) == a);
	assert_true(nd_netns_cookie(world_find("b")) == b);
	world_until(was_gone);
}

static bool are_all_joined(void)
{
	return w.joined == 4000 && world_is_quiet();
}

static bool are_all_gone(void)
{
	return w.gone == 4000;
}

static void four_thousand(void **state)
{
	char name[32];

	(void)state;
	for (unsigned i = 0; i < 4000; i++) {
		snprintf(name, sizeof(name), "tenant%u", i);
		world_add(name);
	}
	world_start(true);
	world_until(are_all_joined);
	assert_int_equal(w.settled, 1);
	assert_int_equal(helper.joins, 4000);
	assert_true(helper.most_joins <= NETNS_JOINS);
	assert_int_equal(nd_netns_count(w.set), 4001);
	for (unsigned i = 0; i < 4000; i++) {
		snprintf(name, sizeof(name), "tenant%u", i);
		assert_true(nctl_session_is_synced(nd_netns_session(world_find(name))));
		world_del(name);
	}
	world_until(are_all_gone);
	assert_int_equal(nd_netns_count(w.set), 1);
	printf("# a namespace costs %zu bytes, a name of it %zu and its length\n", sizeof(struct nd_netns),
		sizeof(struct netns_name));
	assert_true(sizeof(struct nd_netns) + sizeof(struct netns_name) + 32 < 400);
}

/* What a stream is told of the namespace "a" and of home. */
static char told[256];
static uint64_t told_epoch;

static void on_record(void *userdata, const void *arg)
{
	static const char letters[] = {[ND_NETNS_BORN] = 'B', [ND_NETNS_LOST] = 'L', [ND_NETNS_SYNCED] = 'S',
		[ND_NETNS_GONE] = 'G'};
	const struct nd_netns_record *r = arg;
	const char *name = nd_netns_name(r->netns);
	size_t len = strlen(told);

	(void)userdata;
	assert_non_null(nd_netns_session(r->netns));
	assert_true(nctl_session_is_synced(nd_netns_session(r->netns)) == (r->type == ND_NETNS_SYNCED) ||
		    r->type == ND_NETNS_GONE);
	if (nd_netns_is_home(r->netns))
		name = "home";
	else if (!name)
		name = "?";
	if (!strcmp(name, "b"))
		return;
	told_epoch = r->epoch;
	snprintf(told + len, sizeof(told) - len, "%s%c%s ", name, letters[r->type],
		r->after_loss ? "!" : "");
}

static bool is_told_twice(void)
{
	return strstr(told, "homeS!") && strstr(told, "aS!");
}

static bool is_a_gone(void)
{
	return strstr(told, "G");
}

static bool is_a_synced(void)
{
	return strstr(told, "aS");
}

static void records(void **state)
{
	struct nctl_sub sub = NCTL_SUB_INIT;

	(void)state;
	world_start(true);
	world_until(world_is_settled);
	told[0] = '\0';
	nctl_subs_add(nd_netns_subs(w.set), &sub, on_record, NULL);
	world_add("a");
	world_until(is_a_synced);
	assert_string_equal(told, "aB aS ");
	assert_int_equal(told_epoch, 1);
	told[0] = '\0';
	nctl_fake_overrun_events(w.fake, 1);
	world_add("b");
	world_until(is_told_twice);
	assert_int_equal(told_epoch, 2);
	assert_string_equal(told, "homeL aL homeS! aS! ");
	told[0] = '\0';
	world_del("a");
	world_until(is_a_gone);
	assert_non_null(strstr(told, "G "));
	nctl_sub_remove(&sub);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(without_helper, setup, teardown),
		cmocka_unit_test_setup_teardown(records, setup, teardown),
		cmocka_unit_test_setup_teardown(at_the_start, setup, teardown),
		cmocka_unit_test_setup_teardown(as_json, setup, teardown),
		cmocka_unit_test_setup_teardown(at_a_look, setup, teardown),
		cmocka_unit_test_setup_teardown(before_it_is_mounted, setup, teardown),
		cmocka_unit_test_setup_teardown(never_mounted, setup, teardown),
		cmocka_unit_test_setup_teardown(several_names, setup, teardown),
		cmocka_unit_test_setup_teardown(name_of_home, setup, teardown),
		cmocka_unit_test_setup_teardown(nameless, setup, teardown),
		cmocka_unit_test_setup_teardown(without_a_folder, setup, teardown),
		cmocka_unit_test_setup_teardown(overflow, setup, teardown),
		cmocka_unit_test_setup_teardown(four_thousand, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
