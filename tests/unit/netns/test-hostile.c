/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Answers that no honest helper sends. Each of them ends the helper, and nothing of it is believed; a
 * new helper is as good as any.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "fixture.h"

enum { READ_VALUES = 3 };

/* Which request it answers, how its header differs from that of a right one, and what stands behind the
 * header. */
struct hostile {
	const char *what;
	enum nd_proto_type type;
	struct nd_proto_answer differs; /* is added to the right header field by field */
	const char *rest;
	size_t len;
	size_t n_fds;
	size_t cut;      /* so many bytes are sent */
	unsigned before; /* so many right parts come first */
};

#define BYTES(s) .rest = (s), .len = sizeof(s) - 1

static const struct nd_proto_process bad_process = {.dev = 1, .ino = 1, .pid = 0};

static const struct hostile cases[] = {
	{"magic", ND_PROTO_JOIN, {.magic = 1}},
	{"type", ND_PROTO_JOIN, {.type = 1}},
	{"no type at all", ND_PROTO_JOIN, {.type = 1u << 31}},
	{"a later id", ND_PROTO_JOIN, {.id = 1}},
	{"an earlier id", ND_PROTO_JOIN, {.id = UINT64_MAX}},
	{"a positive error", ND_PROTO_JOIN, {.error = 1}},
	{"a huge error", ND_PROTO_JOIN, {.error = -4096}},
	{"the smallest error", ND_PROTO_JOIN, {.error = INT32_MIN}},
	{"a negative nsid", ND_PROTO_JOIN, {.nsid = -2}},
	{"one byte", ND_PROTO_JOIN, {0}, .cut = 1},
	{"not quite a header", ND_PROTO_JOIN, {0}, .cut = sizeof(struct nd_proto_answer) - 1},
	{"bytes behind it", ND_PROTO_JOIN, {0}, BYTES("x\0")},
	{"a string too much", ND_PROTO_JOIN, {.n_strings = 1}, BYTES("x\0")},
	{"a descriptor too much", ND_PROTO_JOIN, {0}, .n_fds = 1},
	{"processes", ND_PROTO_JOIN, {.n_processes = 1}, (const char *)&bad_process, sizeof(bad_process)},
	{"more", ND_PROTO_JOIN, {.more = 1}},
	{"error and descriptor", ND_PROTO_OPEN_FILES, {.error = -1}, .n_fds = 1},
	{"error and more", ND_PROTO_OPEN_FILES, {.error = -1, .more = 1}},
	{"two texts", ND_PROTO_JOIN, {.error = -1, .n_strings = 2}, BYTES("a\0b\0")},
	{"no end of the text", ND_PROTO_JOIN, {.error = -1, .n_strings = 1}, BYTES("aaaa")},
	{"too few values", ND_PROTO_SYSCTL_READ, {.n_strings = 2}, BYTES("a\0b\0")},
	{"too many values", ND_PROTO_SYSCTL_READ, {.n_strings = 4}, BYTES("a\0b\0c\0d\0")},
	{"values not there", ND_PROTO_SYSCTL_READ, {.n_strings = 3}, BYTES("a\0b\0")},
	{"no value", ND_PROTO_SYSCTL_WRITE, {0}},
	{"130 strings", ND_PROTO_OPEN_FILES, {.n_strings = 130}, BYTES("a\0b\0")},
	{"2^32 - 1 strings", ND_PROTO_OPEN_FILES, {.n_strings = UINT32_MAX}, BYTES("a\0b\0")},
	{"path without file", ND_PROTO_OPEN_FILES, {.n_strings = 1}, BYTES("a\0")},
	{"file without path", ND_PROTO_OPEN_FILES, {0}, .n_fds = 1},
	{"files and processes", ND_PROTO_OPEN_FILES, {.n_processes = 1}, (const char *)&bad_process,
		sizeof(bad_process)},
	{"an empty path", ND_PROTO_OPEN_FILES, {.n_strings = 1}, BYTES("\0"), .n_fds = 1},
	{"an empty part", ND_PROTO_OPEN_FILES, {.more = 1}},
	{"more than one more", ND_PROTO_OPEN_FILES, {.n_strings = 1, .more = 2}, BYTES("a\0"), .n_fds = 1},
	{"bad second part", ND_PROTO_OPEN_FILES, {.n_strings = 1}, BYTES("\0"), .n_fds = 1, .before = 1},
	{"no file", ND_PROTO_OPEN_MADDR, {0}},
	{"four files", ND_PROTO_OPEN_MADDR, {.n_strings = 4}, BYTES("a\0b\0c\0d\0"), .n_fds = 1},
	{"fewer descriptors", ND_PROTO_OPEN_MADDR, {.n_strings = 2}, BYTES("a\0b\0"), .n_fds = 1},
	{"a nameless file", ND_PROTO_OPEN_MADDR, {.n_strings = 1}, BYTES("\0"), .n_fds = 1},
	{"files in parts", ND_PROTO_OPEN_MADDR, {.n_strings = 1, .more = 1}, BYTES("a\0"), .n_fds = 1},
	{"no key", ND_PROTO_READ_KEY, {0}},
	{"two keys", ND_PROTO_READ_KEY, {.n_strings = 2}, BYTES("a\0b\0")},
	{"process 0", ND_PROTO_SCAN, {.n_processes = 1}, (const char *)&bad_process, sizeof(bad_process)},
	{"2^32 - 1 processes", ND_PROTO_SCAN, {.n_processes = UINT32_MAX}, (const char *)&bad_process,
		sizeof(bad_process)},
	{"fewer processes", ND_PROTO_SCAN, {.n_processes = 2}, (const char *)&bad_process,
		sizeof(bad_process)},
	{"a process cut short", ND_PROTO_SCAN, {.n_processes = 1}, (const char *)&bad_process, 23},
	{"a string of processes", ND_PROTO_SCAN, {.n_strings = 1}, BYTES("a\0")},
};

static void send_part(struct peer *p, const struct peer_request *q, int null)
{
	struct {
		struct nd_proto_answer h;
		char path[4];
	} m = {.h = {ND_PROTO_MAGIC, q->h.type, q->h.id, .more = 1, .n_strings = 1}, .path = "abc"};

	peer_send(p->channels[q->channel].fd, &m, sizeof(m.h) + 4, &null, 1);
}

static void be_hostile(struct peer *p, const struct peer_request *q, void *userdata)
{
	const struct hostile *c = userdata;
	const struct nd_proto_answer *d = &c->differs;
	_cleanup_(nctl_closep) int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	struct {
		struct nd_proto_answer h;
		char rest[64];
	} m = {
		.h =
			{
				.magic = ND_PROTO_MAGIC + d->magic,
				.type = q->h.type + d->type,
				.id = q->h.id + d->id,
				.error = d->error,
				.nsid = d->nsid,
				.more = d->more,
				.n_strings = d->n_strings,
				.n_processes = d->n_processes,
			},
	};

	if (c->len)
		memcpy(m.rest, c->rest, c->len);
	for (unsigned i = 0; i < c->before; i++)
		send_part(p, q, null);
	peer_send(p->channels[q->channel].fd, &m, c->cut ? c->cut : sizeof(m.h) + c->len, &null, c->n_fds);
}

static void ask(struct fixture *f, enum nd_proto_type type)
{
	static const char *const names[READ_VALUES] = {"a", "b", "c"};
	struct nd_netns_ref here = {0};
	int r = -EINVAL;

	if (type == ND_PROTO_JOIN)
		r = nd_helper_join(f->helper, &here, count_done, f);
	else if (type == ND_PROTO_SYSCTL_READ)
		r = nd_helper_sysctl_read(f->helper, &here, names, READ_VALUES, count_done, f);
	else if (type == ND_PROTO_SYSCTL_WRITE)
		r = nd_helper_sysctl_write(f->helper, &here, "a", "b", count_done, f);
	else if (type == ND_PROTO_OPEN_FILES)
		r = nd_helper_open_files(f->helper, count_done, f);
	else if (type == ND_PROTO_OPEN_MADDR)
		r = nd_helper_open_maddr(f->helper, &here, count_done, f);
	else if (type == ND_PROTO_READ_KEY)
		r = nd_helper_read_key(f->helper, "/a", count_done, f);
	else if (type == ND_PROTO_SCAN)
		r = nd_helper_scan(f->helper, count_done, f);
	assert_int_equal(r, 0);
}

/* The helper must be gone, and a new one is asked the same and answers. */
static void must_end(struct fixture *f, enum nd_proto_type type, const char *what)
{
	unsigned n = f->done_calls;

	run_until_alive(f, false);
	if (f->done_calls != n + 2 || f->error != -EPIPE)
		fail_msg("%s: %u answers, the last %d", what, f->done_calls - n, f->error);
	f->peer.script = NULL;
	peer_start(&f->peer, 100);
	run_until_alive(f, true);
	ask(f, type);
	run_until_done(f, n + 3);
	assert_int_equal(f->error, 0);
}

static void hostile(void **state)
{
	struct fixture *f = *state;

	for (size_t i = 0; i < NCTL_ARRAY_SIZE(cases); i++) {
		f->peer.script = be_hostile;
		f->peer.userdata = (void *)(uintptr_t)&cases[i];
		ask(f, cases[i].type);
		assert_int_equal(nd_helper_create(f->helper, "red", false, count_done, f), 0);
		must_end(f, cases[i].type, cases[i].what);
	}
}

static void too_long(struct peer *p, const struct peer_request *q, void *userdata)
{
	static char buf[ND_PROTO_MESSAGE_MAX + 1];

	(void)userdata;
	peer_send(p->channels[q->channel].fd, buf, sizeof(buf), NULL, 0);
}

static void ignore(struct peer *p, const struct peer_request *q, void *userdata)
{
	(void)p;
	(void)q;
	(void)userdata;
}

static void others(void **state)
{
	struct fixture *f = *state;
	struct nd_proto_answer a = {ND_PROTO_MAGIC, ND_PROTO_JOIN, .id = 1};
	struct peer_request q = {
		.channel = ND_PROTO_MAKE,
		.h = {.id = 1, .type = ND_PROTO_CREATE},
		.strings = {"x"},
	};

	f->peer.script = too_long;
	ask(f, ND_PROTO_JOIN);
	ask(f, ND_PROTO_JOIN);
	must_end(f, ND_PROTO_JOIN, "too long");
	/* Nobody asked, or not on this channel, or not yet. */
	peer_send(f->peer.channels[ND_PROTO_LOOK].fd, &a, sizeof(a), NULL, 0);
	run_until_alive(f, false);
	peer_start(&f->peer, 100);
	run_until_alive(f, true);
	f->peer.script = ignore;
	ask(f, ND_PROTO_JOIN);
	ask(f, ND_PROTO_JOIN);
	peer_answer(&f->peer, &q);
	must_end(f, ND_PROTO_JOIN, "the other channel");
	/* Twice the same. */
	f->done_calls = 0;
	f->peer.script = NULL;
	ask(f, ND_PROTO_JOIN);
	run_until_done(f, 1);
	peer_send(f->peer.channels[ND_PROTO_LOOK].fd, &a, sizeof(a), NULL, 0);
	run_until_alive(f, false);
}

static void endless(struct peer *p, const struct peer_request *q, void *userdata)
{
	bool files = q->h.type == ND_PROTO_OPEN_FILES;
	unsigned n = files ? 64 : 2000,
		 parts = (files ? ND_ANSWER_FILES_MAX : ND_ANSWER_PROCESSES_MAX) / n + 1;
	static struct {
		struct nd_proto_answer h;
		union {
			struct nd_proto_process v[2000];
			char paths[128];
		};
	} m;
	int fds[64], null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	(void)userdata;
	for (unsigned i = 0; i < 64; i++)
		fds[i] = null;
	for (unsigned i = 0; files && i < 64; i++)
		memcpy(m.paths + 2 * i, "x", 2);
	for (unsigned i = 0; !files && i < n; i++)
		m.v[i].pid = 1;
	m.h = (struct nd_proto_answer){ND_PROTO_MAGIC, q->h.type, q->h.id};
	m.h.n_strings = files ? n : 0;
	m.h.n_processes = files ? 0 : n;
	/* Into a socket that nobody reads meanwhile: with the bound lowered to what fits, or with room for
	 * all. */
	for (unsigned i = 0; i < parts; i++) {
		m.h.more = i + 1 < parts;
		peer_send(p->channels[q->channel].fd, &m, sizeof(m.h) + (files ? 2 * n : n * sizeof(m.v[0])),
			fds, files ? n : 0);
	}
	close(null);
}

/* Too much of what may be much is an error of that answer alone, and nothing of it stays. */
static void bounds(void **state)
{
	struct fixture *f = *state;
	int size = 16 << 20;

	f->peer.script = endless;
	assert_int_equal(setsockopt(f->peer.channels[ND_PROTO_LOOK].fd, SOL_SOCKET, SO_SNDBUFFORCE, &size,
				 sizeof(size)),
		0);
	ask(f, ND_PROTO_OPEN_FILES);
	run_until_done(f, 1);
	assert_int_equal(f->error, -E2BIG);
	ask(f, ND_PROTO_SCAN);
	run_until_done(f, 2);
	assert_int_equal(f->error, -E2BIG);
	f->peer.script = NULL;
	ask(f, ND_PROTO_SCAN);
	run_until_done(f, 3);
	assert_int_equal(f->error, 0);
}

/* No descriptors left in this process: an error of that answer, too. */
static void no_descriptors(void **state)
{
	struct fixture *f = *state;
	struct rlimit old, few;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	few = old;
	few.rlim_cur = (rlim_t)count_fds() + 20;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	ask(f, ND_PROTO_OPEN_FILES);
	run_until_done(f, 1);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	assert_int_equal(f->error, -EMFILE);
	ask(f, ND_PROTO_OPEN_FILES);
	run_until_done(f, 2);
	assert_int_equal(f->error, 0);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(hostile),
		TEST(others),
		TEST(bounds),
		TEST(no_descriptors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
