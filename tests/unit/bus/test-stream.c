/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Query: filters, complete answers, readers that are slow or gone, and the limits.
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

#include "stub.h"

#define LINKS 10000
#define MANY  40000 /* more than a pipe holds, so that no answer ends unread */

/* The lines of an answer, which must be whole, in ascending order, and lead up to the empty one. */
static size_t count_lines(int fd)
{
	unsigned long last = 0, index;
	char *text, *line, *end;
	size_t n = 0, len;

	text = client_slurp(fd, &len);
	for (line = text; *line != '\n'; line = end + 1, n++) {
		/* Each line becomes a string: strict sanitizers measure what the string functions are given. */
		end = memchr(line, '\n', len - (size_t)(line - text));
		CHECK(end && end > line && line[0] == '{' && end[-1] == '}');
		*end = '\0';
		CHECK(strncmp(line, "{\"ifindex\":", 11) == 0);
		index = strtoul(line + 11, NULL, 10);
		CHECK(index > last);
		last = index;
	}
	CHECK(line + 1 == text + len);
	free(text);
	return n;
}

static void all_client(struct fixture *f)
{
	sd_bus *bus = client_connect(f);

	CHECK(count_lines(client_query(bus, NULL, "link", NULL)) == LINKS);
	CHECK(count_lines(client_query(bus, NULL, "address", NULL)) == LINKS);
	sd_bus_close_unref(bus);
}

static void filters_client(struct fixture *f)
{
	sd_bus *bus = client_connect(f);

	CHECK(count_lines(client_query(bus, NULL, "link", "dev", "l77", NULL)) == 1);
	CHECK(count_lines(client_query(bus, NULL, "link", "index", "9999", NULL)) == 1);
	CHECK(count_lines(client_query(bus, NULL, "link", "up", "", NULL)) == LINKS / 10 + 1);
	CHECK(count_lines(client_query(bus, NULL, "link", "dev", "l77", "up", "", NULL)) == 0);
	CHECK(count_lines(client_query(bus, NULL, "link", "type", "vlan", NULL)) == LINKS / 2 - 1);
	CHECK(count_lines(client_query(bus, NULL, "link", "type", "dummy", NULL)) == 0);
	CHECK(count_lines(client_query(bus, NULL, "link", "master", "red", NULL)) == LINKS / 100);
	CHECK(count_lines(client_query(bus, NULL, "link", "vrf", "red", "up", "", NULL)) == LINKS / 100);
	CHECK(count_lines(client_query(bus, NULL, "address", "family", "inet", "dev", "l5", NULL)) == 1);
	CHECK(count_lines(client_query(bus, NULL, "address", "family", "inet6", NULL)) == 0);
	CHECK(count_lines(client_query(bus, NULL, "address", "to", "10.0.16.0/20", NULL)) == 16);
	CHECK(count_lines(client_query(bus, NULL, "address", "to", "10.0.1.1", NULL)) == 1);
	CHECK(count_lines(client_query(bus, NULL, "address", "to", "10.0.1.0", NULL)) == 0);
	CHECK(count_lines(client_query(bus, NULL, "address", "scope", "host", NULL)) == 0);
	CHECK(count_lines(client_query(bus, NULL, "address", "scope", "global", "type", "vrf", NULL)) == 1);
	client_query(bus, "NotFound", "link", "dev", "l77777", NULL);
	client_query(bus, "NotFound", "link", "index", "77777", NULL);
	client_query(bus, "NotFound", "link", "vrf", "blue", NULL);
	client_query(bus, "InvalidFilter", "link", "vrf", "l7", NULL);
	client_query(bus, "InvalidFilter", "link", "index", "0x7", NULL);
	client_query(bus, "InvalidFilter", "link", "to", "10.0.0.0/8", NULL);
	client_query(bus, "InvalidFilter", "link", "kind", "vlan", NULL);
	client_query(bus, "InvalidFilter", "address", "to", "10.0.0/8", NULL);
	client_query(bus, "InvalidFilter", "address", "family", "ipx", NULL);
	client_query(bus, "UnknownObject", "routes", NULL);
	sd_bus_close_unref(bus);
}

static void all(void **state)
{
	struct fixture *f = *state;

	add_links(f, LINKS);
	assert_int_equal(run_client(f, -1, all_client), 0);
	assert_int_equal(run_client(f, -1, filters_client), 0);
}

static void empty_client(struct fixture *f)
{
	sd_bus *bus = client_connect(f);

	CHECK(count_lines(client_query(bus, NULL, "link", NULL)) == 0);
	sd_bus_close_unref(bus);
}

static void empty(void **state)
{
	assert_int_equal(run_client(*state, -1, empty_client), 0);
}

/* While nobody reads two answers, the bus goes on with everything else; then they are complete. */
static void slow_client(struct fixture *f)
{
	sd_bus *bus = client_connect(f);
	int a, b;

	a = client_query(bus, NULL, "link", NULL);
	b = client_query(bus, NULL, "address", NULL);
	for (int i = 0; i < 100; i++)
		sd_bus_message_unref(client_send(bus, client_call(bus, "Status"), NULL));
	CHECK(count_lines(client_query(bus, NULL, "link", NULL)) == LINKS);
	CHECK(count_lines(b) == LINKS);
	CHECK(count_lines(a) == LINKS);
	sd_bus_close_unref(bus);
}

static void slow(void **state)
{
	struct fixture *f = *state;
	struct nd_loop_stats stats;

	add_links(f, LINKS);
	assert_int_equal(run_client(f, -1, slow_client), 0);
	nd_loop_get_stats(f->loop, &stats);
	print_message("longest turn %u us\n", (unsigned)stats.longest_turn_us);
}

/* The bus may meet a query before it hears that older readers are gone, so try again. */
static int try_query(sd_bus *bus)
{
	sd_bus_message *m, *reply;
	int fd, r;

	for (int i = 0; i < 1000; i++) {
		m = client_call(bus, "Query");
		CHECK(sd_bus_message_append(m, "sa{ss}", "link", 0) >= 0);
		r = sd_bus_call(bus, m, 0, NULL, &reply);
		sd_bus_message_unref(m);
		if (r < 0)
			continue;
		CHECK(sd_bus_message_read(reply, "h", &fd) >= 0);
		fd = dup(fd);
		sd_bus_message_unref(reply);
		return fd;
	}
	client_fail(__FILE__, __LINE__, "no room");
	return -1;
}

static void limit_client(struct fixture *f)
{
	sd_bus *bus = client_connect(f), *other = client_connect(f);
	int fds[8], gone;

	for (int i = 0; i < 8; i++)
		fds[i] = client_query(bus, NULL, "link", NULL);
	client_query(bus, "LimitsExceeded", "link", NULL);
	CHECK(count_lines(client_query(other, NULL, "link", NULL)) == MANY);
	/* Readers that go away make room. */
	for (int i = 1; i < 8; i++)
		close(fds[i]);
	for (int i = 0; i < 30; i++) {
		gone = try_query(bus);
		close(gone);
	}
	CHECK(count_lines(fds[0]) == MANY);
	/* A connection that is gone takes its answers along: they have no end. */
	fds[0] = client_query(bus, NULL, "link", NULL);
	sd_bus_close_unref(bus);
	sd_bus_message_unref(client_send(other, client_call(other, "Status"), NULL));
	sd_bus_close_unref(other);
}

static void limits(void **state)
{
	struct fixture *f = *state;

	add_links(f, MANY);
	assert_int_equal(run_client(f, -1, limit_client), 0);
	run_for(f, 20);
}

static void crowd_client(struct fixture *f)
{
	sd_bus *bus[9];

	for (int i = 0; i < 9; i++)
		bus[i] = client_connect(f);
	for (int i = 0; i < 64; i++)
		client_query(bus[i / 8], NULL, "link", NULL);
	client_query(bus[8], "LimitsExceeded", "link", NULL);
}

static void one_client(struct fixture *f)
{
	sd_bus *bus = client_connect(f);

	CHECK(count_lines(client_query(bus, NULL, "link", NULL)) == MANY);
	sd_bus_close_unref(bus);
}

static void crowd(void **state)
{
	struct fixture *f = *state;

	add_links(f, MANY);
	assert_int_equal(run_client(f, -1, crowd_client), 0);
	/* All are gone now. */
	assert_int_equal(run_client(f, -1, one_client), 0);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(all),
		TEST(empty),
		TEST(slow),
		TEST(limits),
		TEST(crowd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
