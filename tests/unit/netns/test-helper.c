/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The client of the helper: each request and its answer, answers in parts, the bound of the queue, the
 * death of helper and keeper, and callbacks that do what they like.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "fixture.h"

/* What came, as text. */
static char said[4096];

static void note(const struct nd_helper_answer *a, void *userdata)
{
	char *p = said + strlen(said);

	assert_int_equal(a->error, 0);
	p += sprintf(p, "%llu %d", (unsigned long long)a->cookie, (int)a->nsid);
	for (size_t i = 0; i < a->n && a->values; i++)
		p += sprintf(p, " %s", a->values[i] ? a->values[i] : "-");
	strcpy(p, "\n");
	count_done(a, userdata);
}

static char asked[4096];

static void note_request(struct peer *p, const struct peer_request *q, void *userdata)
{
	char *s = asked + strlen(asked);

	(void)userdata;
	s += sprintf(s, "%u c%llu,%llu p%d,%d n%u f%u", q->h.type, (unsigned long long)q->h.cookie[0],
		(unsigned long long)q->h.cookie[1], q->h.pid[0], q->h.pid[1], q->h.number, q->h.flags);
	for (unsigned i = 0; i < q->h.n_strings; i++)
		s += sprintf(s, " '%s'", q->strings[i]);
	strcpy(s, "\n");
	peer_answer(p, q);
}

static void make_requests(void **state)
{
	struct fixture *f = *state;
	struct nd_helper *h = f->helper;
	const struct nd_netns_ref a = {.name = "a", .cookie = 7}, b = {.pid = 3, .cookie = 9};

	said[0] = asked[0] = '\0';
	f->peer.script = note_request;
	/* These take whichever channel has less to do. */
	assert_int_equal(nd_helper_create(h, "red", true, note, f), 0);
	run_until_done(f, 1);
	assert_int_equal(nd_helper_create(h, "blue", false, note, f), 0);
	run_until_done(f, 2);
	assert_int_equal(nd_helper_delete(h, "red", 5, note, f), 0);
	run_until_done(f, 3);
	assert_int_equal(nd_helper_sysctl_write(h, &a, "ipv4/ip_forward", "1", note, f), 0);
	assert_int_equal(nd_helper_link_move(h, &a, 44, &b, "eth0", note, f), 0);
	assert_int_equal(nd_helper_link_move(h, &b, 45, &(struct nd_netns_ref){0}, NULL, note, f), 0);
	assert_int_equal(nd_helper_pool(h, 12, note, f), 0);
	assert_int_equal(nd_helper_prepare(h, note, f), 0);
	assert_int_equal(f->done_calls, 3);
	run_until_done(f, 8);
	assert_string_equal(asked, "0 c0,0 p0,0 n0 f1 'red'\n"
				   "0 c0,0 p0,0 n0 f0 'blue'\n"
				   "1 c5,0 p0,0 n0 f0 'red'\n"
				   "5 c7,0 p0,0 n0 f0 'a' 'ipv4/ip_forward' '1'\n"
				   "6 c7,9 p0,3 n44 f0 'a' '' 'eth0'\n"
				   "6 c9,0 p3,0 n45 f0 '' '' ''\n"
				   "9 c0,0 p0,0 n12 f0\n"
				   "10 c0,0 p0,0 n0 f0\n");
	assert_string_equal(said, "1003 -1\n1004 -1\n0 -1\n0 -1 1\n0 -1\n0 -1\n0 -1\n0 -1\n");
}

static void look_requests(void **state)
{
	struct fixture *f = *state;
	const struct nd_netns_ref a = {.name = "a", .pid = 1}, b = {.pid = 3, .cookie = 9};
	const char *const names[] = {"w", "x", "y", "z"};

	said[0] = asked[0] = '\0';
	f->peer.script = note_request;
	assert_int_equal(nd_helper_join(f->helper, &b, note, f), 0);
	assert_int_equal(nd_helper_nsid_in(f->helper, &a, &b, note, f), 0);
	assert_int_equal(nd_helper_sysctl_read(f->helper, &a, names, 4, note, f), 0);
	run_until_done(f, 3);
	assert_string_equal(asked, "2 c9,0 p3,0 n0 f0 ''\n"
				   "3 c0,9 p1,3 n0 f0 'a' ''\n"
				   "4 c0,0 p1,0 n0 f0 'a' 'w' 'x' 'y' 'z'\n");
	assert_string_equal(said, "2003 5\n0 4\n0 -1 [w] [x] - [z]\n");
}

static int kept[2];

static void on_files(const struct nd_helper_answer *a, void *userdata)
{
	char path[32];

	assert_int_equal(a->error, 0);
	assert_int_equal(a->n, PEER_FILES);
	for (size_t i = 0; i < a->n; i++) {
		sprintf(path, "/conf/%zu", i);
		assert_string_equal(a->values[i], path);
		assert_true(a->fds[i] >= 0);
	}
	kept[0] = take_fd(a->fds[0]);
	kept[1] = take_fd(a->fds[99]);
	count_done(a, userdata);
}

static void on_processes(const struct nd_helper_answer *a, void *userdata)
{
	assert_int_equal(a->error, 0);
	assert_int_equal(a->n, PEER_PROCESSES);
	assert_null(a->values);
	assert_null(a->fds);
	for (size_t i = 0; i < a->n; i++) {
		assert_int_equal(a->processes[i].pid, i + 1);
		assert_int_equal(a->processes[i].ino, i);
		assert_int_equal(a->processes[i].dev, 4);
	}
	count_done(a, userdata);
}

static void parts(void **state)
{
	struct fixture *f = *state;
	int before = count_fds();

	assert_int_equal(nd_helper_scan(f->helper, on_processes, f), 0);
	assert_int_equal(nd_helper_open_files(f->helper, on_files, f), 0);
	assert_int_equal(nd_helper_scan(f->helper, on_processes, f), 0);
	run_until_done(f, 3);
	assert_int_equal(count_fds(), before + 2);
	close(kept[0]);
	close(kept[1]);
}

static void refuse(struct peer *p, const struct peer_request *q, void *userdata)
{
	(void)userdata;
	peer_answer_error(p, q, -EEXIST, q->h.type == ND_PROTO_CREATE ? "it is there" : NULL);
}

static void on_refused(const struct nd_helper_answer *a, void *userdata)
{
	struct fixture *f = userdata;

	assert_int_equal(a->error, -EEXIST);
	assert_int_equal(a->n, 0);
	if (a->text)
		assert_string_equal(a->text, "it is there");
	f->texts += a->text != NULL;
	count_done(a, userdata);
}

static void refusals(void **state)
{
	struct fixture *f = *state;

	f->peer.script = refuse;
	assert_int_equal(nd_helper_create(f->helper, "red", true, on_refused, f), 0);
	assert_int_equal(nd_helper_open_files(f->helper, on_refused, f), 0);
	run_until_done(f, 2);
	assert_int_equal(f->texts, 1);
	assert_int_equal(f->alive_calls, 1);
}

static void bad_calls(void **state)
{
	struct fixture *f = *state;
	char name[NAME_MAX + 2], *big = malloc(ND_PROTO_MESSAGE_MAX + 1);
	const char *names[65];

	memset(name, 'a', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	memset(big, 'a', ND_PROTO_MESSAGE_MAX);
	big[ND_PROTO_MESSAGE_MAX] = '\0';
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(names); i++)
		names[i] = "x";
	for (const char *const *p = (const char *const[]){"", ".", "..", "a/b", name, NULL}; *p; p++) {
		assert_int_equal(nd_helper_create(f->helper, *p, false, count_done, f), -EINVAL);
		assert_int_equal(nd_helper_delete(f->helper, *p, 0, count_done, f), -EINVAL);
	}
	assert_int_equal(
		nd_helper_join(f->helper, &(struct nd_netns_ref){.name = "a/b"}, count_done, f), -EINVAL);
	assert_int_equal(
		nd_helper_join(f->helper, &(struct nd_netns_ref){.name = name}, count_done, f), -EINVAL);
	assert_int_equal(
		nd_helper_sysctl_write(f->helper, &(struct nd_netns_ref){0}, "x", big, count_done, f),
		-E2BIG);
	assert_int_equal(
		nd_helper_join(f->helper, &(struct nd_netns_ref){.pid = -1}, count_done, f), -EINVAL);
	assert_int_equal(nd_helper_sysctl_read(f->helper, &(struct nd_netns_ref){0}, names, 0, count_done, f),
		-EINVAL);
	assert_int_equal(
		nd_helper_sysctl_read(f->helper, &(struct nd_netns_ref){0}, names, 65, count_done, f),
		-E2BIG);
	assert_int_equal(
		nd_helper_sysctl_read(f->helper, &(struct nd_netns_ref){0}, names, 64, count_done, f), 0);
	run_until_done(f, 1);
	free(big);
}

/* Requests larger than a socket's buffer wait for room; more than 1,024 are not taken. */
static void full(void **state)
{
	struct fixture *f = *state;
	char *big = malloc(1001);
	unsigned n = 0;

	memset(big, 'a', 1000);
	big[1000] = '\0';
	while (nd_helper_sysctl_write(f->helper, &(struct nd_netns_ref){0}, "x", big, count_done, f) == 0)
		n++;
	assert_int_equal(n, ND_CHANNEL_REQUESTS);
	while (nd_helper_create(f->helper, "red", false, count_done, f) == 0)
		n++;
	assert_int_equal(n, 2 * ND_CHANNEL_REQUESTS);
	assert_int_equal(nd_helper_join(f->helper, &(struct nd_netns_ref){0}, count_done, f), 0);
	run_until_done(f, n + 1);
	assert_int_equal(f->errors, 0);
	assert_int_equal(nd_helper_create(f->helper, "red", false, NULL, NULL), 0);
	assert_int_equal(nd_helper_create(f->helper, "red", false, count_done, f), 0);
	run_until_done(f, n + 2);
	free(big);
}

static void ignore(struct peer *p, const struct peer_request *q, void *userdata)
{
	(void)q;
	(void)userdata;
	if (p->n_requests == 3)
		peer_kill(p);
}

/* Asks again as soon as it is told that the helper is gone, and is told so once more. */
static void on_lost(const struct nd_helper_answer *a, void *userdata)
{
	struct fixture *f = userdata;
	unsigned before = f->done_calls;

	assert_int_equal(a->error, -EPIPE);
	assert_int_equal(f->alive_calls, 1);
	assert_false(nd_helper_is_alive(f->helper));
	assert_int_equal(nd_helper_pid(f->helper), 0);
	assert_int_equal(nd_helper_create(f->helper, "red", false, count_done, f), 0);
	assert_int_equal(f->done_calls, before + 1);
	assert_int_equal(f->error, -EPIPE);
	count_done(a, userdata);
}

static void death(void **state)
{
	struct fixture *f = *state;

	f->peer.script = ignore;
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(nd_helper_create(f->helper, "red", false, on_lost, f), 0);
	assert_int_equal(nd_helper_scan(f->helper, on_lost, f), 0);
	run_until_alive(f, false);
	assert_int_equal(f->done_calls, 12);
	f->peer.script = NULL;
	peer_start(&f->peer, 101);
	run_until_alive(f, true);
	assert_int_equal(nd_helper_pid(f->helper), 101);
	assert_int_equal(nd_helper_create(f->helper, "red", false, count_done, f), 0);
	run_until_done(f, 13);
	assert_int_equal(f->error, 0);
}

/* A helper that takes nothing any more, though it is there. */
static void deaf(void **state)
{
	struct fixture *f = *state;

	shutdown(f->peer.channels[ND_PROTO_MAKE].fd, SHUT_RD);
	assert_int_equal(nd_helper_create(f->helper, "red", false, count_done, f), 0);
	run_until_alive(f, false);
	assert_int_equal(f->error, -EPIPE);
}

/* A helper that comes while the one before is still there takes its place. */
static void replaced(void **state)
{
	struct fixture *f = *state;
	struct peer other = f->peer;

	for (size_t i = 0; i < ND_PROTO_CHANNELS; i++)
		nd_io_stop(&f->peer.channels[i].io);
	assert_int_equal(nd_helper_create(f->helper, "red", false, count_done, f), 0);
	for (size_t i = 0; i < ND_PROTO_CHANNELS; i++)
		f->peer.channels[i].fd = -1;
	peer_start(&f->peer, 102);
	run_until_done(f, 1);
	assert_int_equal(f->error, -EPIPE);
	assert_int_equal(f->alive_calls, 3);
	assert_int_equal(nd_helper_pid(f->helper), 102);
	for (size_t i = 0; i < ND_PROTO_CHANNELS; i++)
		close(other.channels[i].fd);
	assert_int_equal(nd_helper_create(f->helper, "red", false, count_done, f), 0);
	run_until_done(f, 2);
	assert_int_equal(f->error, 0);
}

static void no_keeper(void **state)
{
	struct fixture *f = *state;

	close(take_fd(f->peer.control));
	assert_int_equal(nd_helper_create(f->helper, "red", false, count_done, f), 0);
	run_until_done(f, 1);
	assert_int_equal(f->error, 0);
	peer_kill(&f->peer);
	run_until_alive(f, false);
}

/* What is no hello is the end of the keeper. */
static void bad_hello(void **state)
{
	static const struct {
		struct nd_proto_hello hello;
		size_t len, n_fds;
	} cases[] = {
		{{ND_PROTO_MAGIC + 1, 1}, sizeof(struct nd_proto_hello), ND_PROTO_CHANNELS},
		{{ND_PROTO_MAGIC, 0}, sizeof(struct nd_proto_hello), ND_PROTO_CHANNELS},
		{{ND_PROTO_MAGIC, 1}, sizeof(struct nd_proto_hello) - 1, ND_PROTO_CHANNELS},
		{{ND_PROTO_MAGIC, 1}, sizeof(struct nd_proto_hello), ND_PROTO_CHANNELS - 1},
		{{ND_PROTO_MAGIC, 1}, sizeof(struct nd_proto_hello), ND_PROTO_CHANNELS + 1},
		{{ND_PROTO_MAGIC, 1}, sizeof(struct nd_proto_hello), 100},
	};
	struct fixture *f = *state;
	int fds[100];
	char c;

	for (size_t i = 0; i < NCTL_ARRAY_SIZE(fds); i++)
		fds[i] = STDERR_FILENO;
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(cases); i++) {
		teardown(state);
		setup(state);
		f = *state;
		peer_send(f->peer.control, &cases[i].hello, cases[i].len, fds, cases[i].n_fds);
		/* Answered after that has been seen, since the loop's turn is over. */
		assert_int_equal(nd_helper_create(f->helper, "red", false, count_done, f), 0);
		run_until_done(f, 1);
		assert_int_equal(f->error, 0);
		assert_int_equal(recv(f->peer.control, &c, 1, 0), 0);
	}
}

static void on_canceled(const struct nd_helper_answer *a, void *userdata)
{
	struct fixture *f = userdata;

	assert_int_equal(a->error, -ECANCELED);
	assert_int_equal(nd_helper_create(f->helper, "red", false, NULL, NULL), 0);
	count_done(a, userdata);
}

static void canceled(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(nd_helper_create(f->helper, "red", false, on_canceled, f), 0);
	f->helper = nd_helper_free(f->helper);
	assert_int_equal(f->done_calls, 5);
}

static void free_it(const struct nd_helper_answer *a, void *userdata)
{
	struct fixture *f = userdata;

	f->helper = nd_helper_free(f->helper);
	count_done(a, userdata);
}

/* Freed by the first of five answers: the others are canceled before that returns. */
static void freed_inside(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(nd_helper_prepare(f->helper, free_it, f), 0);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(nd_helper_prepare(f->helper, count_done, f), 0);
	run_until_done(f, 5);
	assert_int_equal(f->errors, 4);
}

static void freed_by_death(void **state)
{
	struct fixture *f = *state;

	f->peer.script = ignore;
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(nd_helper_create(f->helper, "red", false, count_done, f), 0);
	assert_int_equal(nd_helper_create(f->helper, "red", false, free_it, f), 0);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(nd_helper_create(f->helper, "red", false, count_done, f), 0);
	run_until_done(f, 7);
	assert_int_equal(f->errors, 7);
	assert_int_equal(f->error, -EPIPE); /* of the one that freed it, which ended last */
	assert_int_equal(f->alive_calls, 1);
}

/* Each answer asks twice, until there have been many. */
static void on_more(const struct nd_helper_answer *a, void *userdata)
{
	struct fixture *f = userdata;

	assert_int_equal(a->error, 0);
	for (unsigned i = 0; i < 2 && f->done_calls < 500; i++)
		assert_int_equal(nd_helper_create(f->helper, "red", false, on_more, f), 0);
	count_done(a, userdata);
}

static void asks_more(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(nd_helper_create(f->helper, "red", false, on_more, f), 0);
	run_until_done(f, 1001);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(make_requests),
		TEST(look_requests),
		TEST(parts),
		TEST(refusals),
		TEST(bad_calls),
		TEST(full),
		TEST(death),
		TEST(deaf),
		TEST(replaced),
		TEST(no_keeper),
		TEST(bad_hello),
		TEST(canceled),
		TEST(freed_inside),
		TEST(freed_by_death),
		TEST(asks_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
