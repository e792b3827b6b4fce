/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Namespaces on the bus: lists, queries into one or all of them while they come and go, names that are
 * made and removed, links that move.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "stub.h"

#define NOBODY 65534
#define MANY   4000
#define LINKS  20000

/* The answer is these lines, then the empty one. */
static void expect_lines(int fd, const char *want)
{
	size_t len;
	char *text = client_slurp(fd, &len);

	if (strcmp(text, want) != 0)
		client_fail(text, 0, want);
	free(text);
}

/* The number of lines of a whole answer; of each, the value of key must have come before, or be new for good.
 */
static size_t count_lines(int fd, size_t *ret_netns)
{
	char *text, *line, *end, last[96] = "";
	size_t n = 0, len;

	*ret_netns = 0;
	text = client_slurp(fd, &len);
	for (line = text; *line != '\n'; line = end + 1, n++) {
		end = memchr(line, '\n', len - (size_t)(line - text));
		CHECK(end && end > line && line[0] == '{' && end[-1] == '}');
		*end = '\0';
		CHECK(strncmp(line, "{\"netns\":", 9) == 0);
		if (strncmp(line, last, strcspn(line, ",")) != 0)
			(*ret_netns)++;
		snprintf(last, sizeof(last), "%.*s", (int)strcspn(line, ","), line);
	}
	CHECK(line + 1 == text + len);
	free(text);
	return n;
}

static void expect_json(sd_bus_message *reply, const char *want)
{
	const char *json;

	CHECK(sd_bus_message_read(reply, "s", &json) >= 0);
	if (strcmp(json, want) != 0)
		client_fail(json, 0, want);
	sd_bus_message_unref(reply);
}

static sd_bus_message *move_call(
	sd_bus *bus, const char *from, const char *link, const char *to, const char *name)
{
	sd_bus_message *m = client_call(bus, "LinkMove");

	CHECK(sd_bus_message_append(m, "ssss", from, link, to, name) >= 0);
	return m;
}

static void list_client(struct fixture *f)
{
	sd_bus *bus = client_connect(f);

	expect_lines(client_query(bus, NULL, "netns", NULL),
		"{\"name\":\"self\",\"id\":7,\"cookie\":1003,\"same_as\":\"\"}\n"
		"{\"name\":\"a\",\"id\":7}\n"
		"{\"name\":\"b\",\"id\":7,\"cookie\":1006,\"same_as\":\"a\"}\n"
		"{\"name\":\"odd \\\"one\\\"\",\"id\":7}\n\n");
	expect_lines(client_query(bus, NULL, "netns", "all", "", NULL),
		"{\"id\":7}\n"
		"{\"name\":\"self\",\"id\":7,\"cookie\":1003,\"same_as\":\"\"}\n"
		"{\"name\":\"a\",\"id\":7}\n"
		"{\"name\":\"b\",\"id\":7,\"cookie\":1006,\"same_as\":\"a\"}\n"
		"{\"name\":\"odd \\\"one\\\"\",\"id\":7}\n"
		"{\"id\":7}\n\n");
	expect_lines(client_query(bus, NULL, "netns", "name", "a", NULL), "{\"name\":\"a\",\"id\":7}\n\n");
	expect_lines(client_query(bus, NULL, "netns", "name", "b", NULL),
		"{\"name\":\"b\",\"id\":7,\"cookie\":1006,\"same_as\":\"a\"}\n\n");
	client_query(bus, "NotFound", "netns", "name", "c", NULL);
	client_query(bus, "InvalidFilter", "netns", "name", "", NULL);
	client_query(bus, "InvalidFilter", "netns", "all", "x", NULL);
	client_query(bus, "InvalidFilter", "netns", "dev", "lo", NULL);
	client_query(bus, "InvalidFilter", "link", "all", "", NULL);
	sd_bus_close_unref(bus);
}

static void list(void **state)
{
	struct fixture *f = *state;

	strcpy(f->stub.set.v[0]->names[0], "self");
	strcpy(add_netns(f, "a", false)->names[1], "b");
	add_netns(f, "odd \"one\"", false);
	add_netns(f, "", false);
	assert_int_equal(run_client(f, -1, list_client), 0);
	assert_true(f->stub.set.n_looks >= 4);
}

static void query_client(struct fixture *f)
{
	sd_bus *bus = client_connect(f);
	size_t n;

	CHECK(count_lines(client_query(bus, NULL, "link", "all-netns", "", NULL), &n) == 10 + 3 + 2 + 1);
	CHECK(n == 4);
	/* Names mean something else everywhere, or nothing. */
	CHECK(count_lines(client_query(bus, NULL, "address", "all-netns", "", "dev", "lo", NULL), &n) == 3);
	CHECK(count_lines(client_query(bus, NULL, "link", "all-netns", "", "dev", "d3", NULL), &n) == 1);
	CHECK(count_lines(client_query(bus, NULL, "link", "index", "2", "all-netns", "", NULL), &n) == 3);
	CHECK(count_lines(client_query(bus, NULL, "link", "dev", "d2", "index", "3", "all-netns", "", NULL),
		      &n) == 0);
	CHECK(count_lines(client_query(bus, NULL, "link", "dev", "nope", "all-netns", "", NULL), &n) == 0);
	CHECK(count_lines(client_query(bus, NULL, "link", "vrf", "red", "all-netns", "", NULL), &n) == 0);
	expect_lines(client_query(bus, NULL, "address", "netns", "b", "dev", "d2", NULL),
		"{\"ifindex\":2,\"ifname\":\"d2\",\"flags\":[],\"mtu\":1500,\"link_type\":\"netrom\",\"addr_"
		"info\":[]}\n\n");
	client_query(bus, "NotFound", "link", "dev", "d3", "netns", "b", NULL);
	client_query(bus, "NotFound", "link", "netns", "nope", NULL);
	client_query(bus, "NotFound", "link", "netns", "broken", NULL);
	client_query(bus, "InvalidFilter", "link", "netns", "", NULL);
	client_query(bus, "InvalidFilter", "link", "netns", "a", "all-netns", "", NULL);
	client_query(bus, "InvalidFilter", "link", "all-netns", "", "netns", "a", NULL);
	client_query(bus, "InvalidFilter", "link", "all-netns", "yes", NULL);
	sd_bus_close_unref(bus);
}

static void query(void **state)
{
	struct fixture *f = *state;
	struct nd_netns *n;

	add_links(f, 10);
	n = add_netns(f, "broken", false);
	n->joined = false;
	n->error = "Invalid argument";
	fill_netns(add_netns(f, "a", false), 3);
	fill_netns(add_netns(f, "b", false), 2);
	add_netns(f, "", false);
	assert_int_equal(run_client(f, -1, query_client), 0);
}

static void joining_client(struct fixture *f)
{
	sd_bus *bus = client_connect(f);
	size_t n;

	CHECK(count_lines(client_query(bus, NULL, "link", "all-netns", "", NULL), &n) == 2);
	sd_bus_close_unref(bus);
}

static void joining_one_client(struct fixture *f)
{
	sd_bus *bus = client_connect(f);

	close(client_query(bus, NULL, "link", "netns", "late", "dev", "lo", NULL));
	client_query(bus, "NotFound", "link", "netns", "late2", "dev", "nope", NULL);
	sd_bus_close_unref(bus);
}

/* Who asks too early waits. */
static void joining(void **state)
{
	struct fixture *f = *state;

	add_netns(f, "late", true);
	add_netns(f, "late2", true);
	assert_int_equal(run_client(f, -1, joining_one_client), 0);
	f->stub.set.v[1]->joined = false;
	nd_timer_set(&f->stub.set.join, nctl_time_add_ms(nctl_time_now(), 100));
	assert_int_equal(run_client(f, -1, joining_client), 0);
}

static void never_client(struct fixture *f)
{
	sd_bus *bus = client_connect(f);

	client_query(bus, "NotReady", "link", "netns", "never", NULL);
	sd_bus_close_unref(bus);
}

static void leaving_client(struct fixture *f)
{
	sd_bus *bus = client_connect(f);
	sd_bus_message *m = client_call(bus, "Query");

	CHECK(sd_bus_message_append(m, "sa{ss}", "link", 1, "netns", "never") >= 0);
	CHECK(sd_bus_call_async(bus, NULL, m, NULL, NULL, 0) >= 0);
	sd_bus_message_unref(client_send(bus, client_call(bus, "Status"), NULL));
}

/* One that does not come, and a client that does not wait for it. */
static void never(void **state)
{
	struct fixture *f = *state;

	add_netns(f, "never", false)->joined = false;
	assert_int_equal(run_client(f, -1, leaving_client), 0);
	assert_int_equal(run_client(f, -1, never_client), 0);
	assert_int_equal(run_client(f, -1, leaving_client), 0);
}

static void many_client(struct fixture *f)
{
	sd_bus *bus = client_connect(f);
	size_t n;

	CHECK(count_lines(client_query(bus, NULL, "link", "all-netns", "", NULL), &n) == MANY + LINKS - 1);
	CHECK(n == MANY);
	CHECK(count_lines(client_query(bus, NULL, "address", "all-netns", "", NULL), &n) == MANY + LINKS - 1);
	CHECK(count_lines(client_query(bus, NULL, "link", "all-netns", "", "dev", "d2", NULL), &n) == 1);
	sd_bus_close_unref(bus);
}

static void many(void **state)
{
	struct fixture *f = *state;
	struct nd_loop_stats stats;
	char name[32];

	for (unsigned i = 1; i <= MANY; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		add_netns(f, name, false);
	}
	fill_netns(f->stub.set.v[MANY / 2], LINKS);
	assert_int_equal(run_client(f, -1, many_client), 0);
	nd_loop_get_stats(f->loop, &stats);
	print_message("longest turn %u us\n", (unsigned)stats.longest_turn_us);
}

/* While an answer is under way, namespaces go; those that stay are told once, and the one asked for is
 * missed. */
static void vanishing_client(struct fixture *f)
{
	sd_bus *bus = client_connect(f);
	sd_bus_message *m;
	char *text, *at;
	size_t n, len;
	int all, one;

	all = client_query(bus, NULL, "link", "all-netns", "", NULL);
	one = client_query(bus, NULL, "link", "netns", "big", NULL);
	m = client_call(bus, "NetnsDel");
	CHECK(sd_bus_message_append(m, "as", 1, "big") >= 0);
	expect_json(client_send(bus, m, NULL), "{\"exit\":0,\"done\":1,\"failed_count\":0,\"failed\":[]}");
	text = client_slurp(one, &len);
	CHECK(len < 2 || strcmp(text + len - 2, "\n\n") != 0);
	free(text);
	text = client_slurp(all, &len);
	for (n = 0, at = text; (at = strstr(at, "\"netns\":\"after")); at++)
		n++;
	CHECK(n == LINKS);
	CHECK(strcmp(text + len - 2, "\n\n") == 0);
	free(text);
	sd_bus_close_unref(bus);
}

static void vanishing(void **state)
{
	struct fixture *f = *state;

	fill_netns(add_netns(f, "before", false), 10);
	fill_netns(add_netns(f, "big", false), 8 * LINKS);
	fill_netns(add_netns(f, "after", false), LINKS);
	assert_int_equal(run_client(f, geteuid() == 0 ? -1 : (int)geteuid(), vanishing_client), 0);
}

static void names_client(struct fixture *f)
{
	static const char *const wrong[] = {"", ".", "..", "a/b", "/"};
	sd_bus *bus = client_connect(f);
	char long_name[257];
	sd_bus_message *m;

	m = client_call(bus, "NetnsAdd");
	CHECK(sd_bus_message_append(m, "as", 4, "x", "no", "y", "no\"") >= 0);
	expect_json(client_send(bus, m, NULL), "{\"exit\":4,\"done\":2,\"failed_count\":2,\"failed\":["
					       "{\"name\":\"no\",\"errno\":17,\"error\":\"Cannot create "
					       "namespace file \\\"/run/netns/no\\\": File exists\"},"
					       "{\"name\":\"no\\\"\",\"errno\":17,\"error\":\"Cannot create "
					       "namespace file \\\"/run/netns/no\\\"\\\": File "
					       "exists\"}]}");
	m = client_call(bus, "NetnsAdd");
	CHECK(sd_bus_message_append(m, "as", 0) >= 0);
	expect_json(client_send(bus, m, NULL), "{\"exit\":0,\"done\":0,\"failed_count\":0,\"failed\":[]}");
	m = client_call(bus, "NetnsDel");
	CHECK(sd_bus_message_append(m, "as", 1, "nope") >= 0);
	expect_json(client_send(bus, m, NULL),
		"{\"exit\":4,\"done\":0,\"failed_count\":1,\"failed\":[{\"name\":\"nope\",\"errno\":2,"
		"\"error\":\"Cannot "
		"remove namespace file \\\"/run/netns/nope\\\": No such file or directory\"}]}");
	memset(long_name, 'x', 256);
	long_name[256] = '\0';
	for (size_t i = 0; i <= NCTL_ARRAY_SIZE(wrong); i++) {
		m = client_call(bus, "NetnsAdd");
		CHECK(sd_bus_message_append(
			      m, "as", 2, "fine", i < NCTL_ARRAY_SIZE(wrong) ? wrong[i] : long_name) >= 0);
		client_send(bus, m, "InvalidName");
	}
	expect_json(client_send(bus, client_call(bus, "NetnsScan"), NULL), "{\"exit\":0}");
	sd_bus_close_unref(bus);
}

static sd_bus_message *many_names(sd_bus *bus, unsigned n, const char *prefix)
{
	sd_bus_message *m = client_call(bus, "NetnsAdd");
	char name[32];

	CHECK(sd_bus_message_open_container(m, 'a', "s") >= 0);
	for (unsigned i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "%s%u", prefix, i);
		CHECK(sd_bus_message_append(m, "s", name) >= 0);
	}
	CHECK(sd_bus_message_close_container(m) >= 0);
	return m;
}

static void many_names_client(struct fixture *f)
{
	static const char want[] = "{\"exit\":4,\"done\":0,\"failed_count\":100000,\"failed\":[";
	sd_bus *bus = client_connect(f);
	sd_bus_message *reply;
	const char *json, *at;
	size_t n = 0;

	reply = client_send(bus, many_names(bus, 100000, "no"), NULL);
	CHECK(sd_bus_message_read(reply, "s", &json) >= 0);
	CHECK(strncmp(json, want, sizeof(want) - 1) == 0);
	for (at = json; (at = strstr(at, "\"name\":")); at++)
		n++;
	CHECK(n == 100);
	sd_bus_message_unref(reply);
	client_send(bus, many_names(bus, 100001, "n"), "LimitsExceeded");
	sd_bus_close_unref(bus);
}

static void names(void **state)
{
	struct fixture *f = *state;
	struct nd_loop_stats stats;

	assert_int_equal(run_client(f, -1, names_client), 0);
	assert_int_equal(run_client(f, -1, many_names_client), 0);
	nd_loop_get_stats(f->loop, &stats);
	print_message("longest turn %u us\n", (unsigned)stats.longest_turn_us);
}

static void gone_client(struct fixture *f)
{
	sd_bus *bus = client_connect(f);

	client_send(bus, many_names(bus, 1, "x"), "NoHelper");
	client_send(bus, client_call(bus, "NetnsScan"), "NoHelper");
	expect_json(client_send(bus, move_call(bus, "", "l2", "a", ""), NULL),
		"{\"exit\":4,\"error\":\"Cannot move \\\"l2\\\" to network namespace \\\"a\\\": Broken "
		"pipe\",\"errno\":32}");
	sd_bus_close_unref(bus);
}

static void denied_client(struct fixture *f)
{
	sd_bus *bus = client_connect(f);
	sd_bus_message *m;

	client_send(bus, many_names(bus, 1, "x"), "Denied");
	m = client_call(bus, "NetnsDel");
	CHECK(sd_bus_message_append(m, "as", 1, "a") >= 0);
	client_send(bus, m, "Denied");
	client_send(bus, client_call(bus, "NetnsScan"), "Denied");
	client_send(bus, move_call(bus, "", "l2", "a", ""), "Denied");
	close(client_query(bus, NULL, "link", "netns", "a", NULL));
	sd_bus_close_unref(bus);
}

static sd_bus_message *resync_call(sd_bus *bus, const char *key, const char *value)
{
	sd_bus_message *m = client_call(bus, "Resync");

	CHECK(sd_bus_message_append(m, "a{ss}", key ? 1 : 0, key, value) >= 0);
	return m;
}

static void resync_client(struct fixture *f)
{
	sd_bus *bus = client_connect(f);

	expect_json(client_send(bus, resync_call(bus, NULL, NULL), NULL),
		"{\"exit\":0,\"namespaces\":1,\"us\":0}");
	expect_json(client_send(bus, resync_call(bus, "netns", "a"), NULL),
		"{\"exit\":0,\"namespaces\":1,\"us\":0}");
	expect_json(client_send(bus, resync_call(bus, "all-netns", ""), NULL),
		"{\"exit\":0,\"namespaces\":2002,\"us\":0}");
	client_send(bus, resync_call(bus, "netns", "nowhere"), "NotFound");
	client_send(bus, resync_call(bus, "dev", "lo"), "InvalidFilter");
	sd_bus_close_unref(bus);
}

static void resync_denied(struct fixture *f)
{
	sd_bus *bus = client_connect(f);

	client_send(bus, resync_call(bus, NULL, NULL), "Denied");
	sd_bus_close_unref(bus);
}

/* More namespaces than are looked at in one turn. */
static void resync(void **state)
{
	struct fixture *f = *state;
	char name[32];

	add_netns(f, "a", false);
	for (unsigned i = 0; i < 2000; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		add_netns(f, name, false);
	}
	assert_int_equal(run_client(f, -1, resync_client), 0);
	if (geteuid() == 0)
		assert_int_equal(run_client(f, NOBODY, resync_denied), 0);
}

static void helpless(void **state)
{
	struct fixture *f = *state;

	add_links(f, 2);
	add_netns(f, "a", false);
	f->stub.set.helper = STUB_HELPER_GONE;
	assert_int_equal(run_client(f, -1, gone_client), 0);
	if (geteuid() == 0)
		assert_int_equal(run_client(f, NOBODY, denied_client), 0);
}

static void move_client(struct fixture *f)
{
	sd_bus *bus = client_connect(f);
	size_t n;

	expect_json(client_send(bus, move_call(bus, "", "l2", "a", ""), NULL), "{\"exit\":0}");
	CHECK(count_lines(client_query(bus, NULL, "link", "all-netns", "", "dev", "l2", NULL), &n) == 1);
	close(client_query(bus, NULL, "link", "netns", "a", "dev", "l2", NULL));
	expect_json(client_send(bus, move_call(bus, "a", "l2", "late", "new"), NULL), "{\"exit\":0}");
	close(client_query(bus, NULL, "link", "netns", "late", "dev", "new", NULL));
	expect_json(client_send(bus, move_call(bus, "late", "new", "", ""), NULL), "{\"exit\":0}");
	close(client_query(bus, NULL, "link", "dev", "new", NULL));
	/* A name first, then a process. */
	expect_json(client_send(bus, move_call(bus, "", "l3", "12", ""), NULL), "{\"exit\":0}");
	close(client_query(bus, NULL, "link", "netns", "12", "dev", "l3", NULL));
	expect_json(client_send(bus, move_call(bus, "", "l4", "13", ""), NULL), "{\"exit\":0}");
	client_query(bus, "NotFound", "link", "dev", "l4", NULL);
	client_send(bus, move_call(bus, "nope", "l5", "a", ""), "NotFound");
	client_send(bus, move_call(bus, "", "nope", "a", ""), "NotFound");
	client_send(bus, move_call(bus, "", "", "a", ""), "NotFound");
	client_send(bus, move_call(bus, "", "l5", "nope", ""), "NotFound");
	client_send(bus, move_call(bus, "", "l5", "0", ""), "NotFound");
	client_send(bus, move_call(bus, "", "l5", "a/b", ""), "InvalidName");
	client_send(bus, move_call(bus, "..", "l5", "a", ""), "InvalidName");
	client_send(bus, move_call(bus, "", "l5", "a", "0123456789abcdef"), "InvalidName");
	sd_bus_close_unref(bus);
}

static void move(void **state)
{
	struct fixture *f = *state;

	add_links(f, 10);
	add_netns(f, "a", false);
	add_netns(f, "12", false);
	add_netns(f, "late", true);
	assert_int_equal(run_client(f, -1, move_client), 0);
	assert_int_equal(f->stub.set.n_moves, 5);
	assert_int_equal(f->stub.set.to_pid, 13);
}

static void refused_client(struct fixture *f)
{
	sd_bus *bus = client_connect(f);

	expect_json(client_send(bus, move_call(bus, "", "l2", "a", ""), NULL),
		"{\"exit\":4,\"error\":\"Cannot move \\\"l2\\\" to network namespace \\\"a\\\": File "
		"exists\",\"errno\":17}");
	sd_bus_close_unref(bus);
}

static void held_client(struct fixture *f)
{
	sd_bus *bus = client_connect(f);
	sd_bus_message *m = move_call(bus, "", "l2", "a", "");

	CHECK(sd_bus_call_async(bus, NULL, m, NULL, NULL, 0) >= 0);
	sd_bus_message_unref(client_send(bus, client_call(bus, "Status"), NULL));
}

/* The helper refuses; or answers when nobody is there any more. */
static void refused(void **state)
{
	struct fixture *f = *state;
	struct nd_helper_answer answer = {0};

	add_links(f, 2);
	add_netns(f, "a", false);
	f->stub.set.helper = STUB_HELPER_REFUSES;
	assert_int_equal(run_client(f, -1, refused_client), 0);
	f->stub.set.helper = STUB_HELPER_HOLD;
	assert_int_equal(run_client(f, -1, held_client), 0);
	run_for(f, 50);
	assert_non_null(f->stub.set.held_done);
	f->stub.set.held_done(&answer, f->stub.set.held_userdata);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(list),
		TEST(query),
		TEST(joining),
		TEST(never),
		TEST(many),
		TEST(vanishing),
		TEST(names),
		TEST(helpless),
		TEST(resync),
		TEST(move),
		TEST(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
