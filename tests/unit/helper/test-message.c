/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* DOC: what is a request and what is none, and how answers are cut to size; without any helper. */

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/cleanup.h"
#include "base/filename.h"
#include "helper/private.h"

struct message {
	struct nd_proto_request h;
	char strings[512];
};

/* With n strings in the len bytes at s. */
static struct message message(enum nd_proto_type type, uint32_t n, const char *s, size_t len)
{
	struct message m = {.h = {.magic = ND_PROTO_MAGIC, .type = type, .id = 5, .n_strings = n}};

	if (len)
		memcpy(m.strings, s, len);
	return m;
}

static int parse(const struct message *m, size_t len, enum nd_proto_channel c)
{
	/* Of the exact size, so that a sanitizer sees every byte too far. */
	_cleanup_(nctl_freep) char *copy = malloc(sizeof(m->h) + len + 1);
	struct nd_request q;

	memcpy(copy, m, sizeof(m->h) + len);
	return nd_request_parse(copy, sizeof(m->h) + len, c, &q);
}

static void test_strings(void **state)
{
	struct message m = message(ND_PROTO_JOIN, 1, "a", 2);

	(void)state;
	assert_int_equal(parse(&m, 2, ND_PROTO_LOOK), 0);
	assert_int_equal(parse(&m, 1, ND_PROTO_LOOK), -EBADMSG);
	assert_int_equal(parse(&m, 3, ND_PROTO_LOOK), -EBADMSG);
	assert_int_equal(parse(&m, 0, ND_PROTO_LOOK), -EBADMSG);
	m.h.n_strings = 2;
	assert_int_equal(parse(&m, 2, ND_PROTO_LOOK), -EBADMSG);
	m.h.n_strings = 0;
	assert_int_equal(parse(&m, 0, ND_PROTO_LOOK), -EBADMSG);
	m = message(ND_PROTO_SYSCTL_READ, 129, NULL, 0);
	assert_int_equal(parse(&m, 129, ND_PROTO_LOOK), 0);
	m.h.n_strings = 130;
	assert_int_equal(parse(&m, 130, ND_PROTO_LOOK), -EBADMSG);
	m.h.n_strings = UINT32_MAX;
	assert_int_equal(parse(&m, 130, ND_PROTO_LOOK), -EBADMSG);
	m.h.n_strings = 1;
	assert_int_equal(parse(&m, 1, ND_PROTO_LOOK), -EBADMSG);
}

static void test_short(void **state)
{
	struct message m = message(ND_PROTO_SCAN, 0, NULL, 0);
	struct nd_request q;
	size_t len;

	(void)state;
	assert_int_equal(nd_request_parse(&m, sizeof(m.h), ND_PROTO_LOOK, &q), 0);
	for (len = 0; len < sizeof(m.h); len++)
		assert_int_equal(nd_request_parse(&m, len, ND_PROTO_LOOK, &q), -EBADMSG);
}

static bool is_made_by_either(uint32_t type)
{
	return type == ND_PROTO_CREATE || type == ND_PROTO_DELETE;
}

/* Each type on each channel, and with each part that it does not have. */
static void test_types(void **state)
{
	static const struct {
		uint32_t channel, n_strings;
		bool cookie, pid, two, number, flags;
	} forms[ND_PROTO_TYPES] = {
		[ND_PROTO_CREATE] = {ND_PROTO_MAKE, 1, .flags = true},
		[ND_PROTO_DELETE] = {ND_PROTO_MAKE, 1, .cookie = true},
		[ND_PROTO_JOIN] = {ND_PROTO_LOOK, 1, .cookie = true, .pid = true},
		[ND_PROTO_NSID_IN] = {ND_PROTO_LOOK, 2, .cookie = true, .pid = true, .two = true},
		[ND_PROTO_SYSCTL_READ] = {ND_PROTO_LOOK, 3, .cookie = true, .pid = true},
		[ND_PROTO_SYSCTL_WRITE] = {ND_PROTO_MAKE, 3, .cookie = true, .pid = true},
		[ND_PROTO_LINK_MOVE] = {ND_PROTO_MAKE, 3, true, true, true, .number = true},
		[ND_PROTO_OPEN_FILES] = {ND_PROTO_LOOK, 0},
		[ND_PROTO_SCAN] = {ND_PROTO_LOOK, 0},
		[ND_PROTO_POOL] = {ND_PROTO_MAKE, 0, .number = true},
		[ND_PROTO_PREPARE] = {ND_PROTO_MAKE, 0},
		[ND_PROTO_OPEN_SOCKET] = {ND_PROTO_SOCKET, 1, true, true, .number = true},
		[ND_PROTO_OPEN_MADDR] = {ND_PROTO_LOOK, 1, .cookie = true, .pid = true},
		[ND_PROTO_READ_KEY] = {ND_PROTO_LOOK, 1},
	};
	enum nd_proto_channel c;
	struct message m;
	uint32_t type, n;

	(void)state;
	for (type = 0; type < ND_PROTO_TYPES; type++) {
		n = forms[type].n_strings;
		c = (enum nd_proto_channel)forms[type].channel;
#define TRY(change, good)                                                                                    \
	do {                                                                                                 \
		m = message((enum nd_proto_type)type, n, NULL, 0);                                           \
		(void)(change);                                                                              \
		assert_int_equal(parse(&m, n, c), (good) ? 0 : -EBADMSG);                                    \
	} while (0)
		TRY(0, true);
		TRY(m.h.cookie[0] = 1, forms[type].cookie);
		TRY(m.h.cookie[1] = 1, forms[type].two);
		TRY(m.h.pid[0] = 1, forms[type].pid);
		TRY(m.h.pid[1] = 1, forms[type].two);
		TRY(m.h.pid[0] = -1, false);
		TRY(m.h.pid[1] = INT32_MIN, false);
		TRY(m.h.number = 1, forms[type].number);
		TRY(m.h.flags = ND_PROTO_REPAIR, forms[type].flags);
		TRY(m.h.flags = 2, false);
		TRY(m.h.magic = 0, false);
		for (c = 0; c <= ND_PROTO_CHANNELS; c++)
			TRY(0, c == forms[type].channel ||
					(c == ND_PROTO_MAKE_TOO && is_made_by_either(type)));
	}
	m = message(ND_PROTO_TYPES, 0, NULL, 0);
	assert_int_equal(parse(&m, 0, ND_PROTO_LOOK), -EBADMSG);
	m.h.type = UINT32_MAX;
	assert_int_equal(parse(&m, 0, ND_PROTO_LOOK), -EBADMSG);
}

static void test_names(void **state)
{
	char name[NAME_MAX + 2];

	(void)state;
	memset(name, 'a', sizeof(name));
	name[NAME_MAX + 1] = '\0';
	assert_false(nctl_is_file_name(name));
	name[NAME_MAX] = '\0';
	assert_true(nctl_is_file_name(name));
	assert_true(nctl_is_file_name("..."));
	assert_true(nctl_is_file_name(".a"));
	assert_false(nctl_is_file_name(""));
	assert_false(nctl_is_file_name("."));
	assert_false(nctl_is_file_name(".."));
	assert_false(nctl_is_file_name("a/"));
	assert_false(nctl_is_file_name("/"));
}

static struct nd_proto_answer send_and_receive(struct nd_reply *a, int fd, size_t *ret_len)
{
	static char buf[ND_PROTO_MESSAGE_MAX + 1];
	struct nd_proto_answer h;
	ssize_t k;

	assert_int_equal(nd_reply_send(a, false), 0);
	k = recv(fd, buf, sizeof(buf), 0);
	assert_true(k >= (ssize_t)sizeof(h) && k <= ND_PROTO_MESSAGE_MAX);
	memcpy(&h, buf, sizeof(h));
	*ret_len = (size_t)k;
	return h;
}

static void test_reply(void **state)
{
	const struct nd_request q = {.h = {.type = ND_PROTO_SYSCTL_READ, .id = 77}};
	_cleanup_(nctl_freep) char *big = malloc(4096);
	struct nd_proto_answer h;
	struct nd_reply a;
	int pair[2], i;
	size_t len;

	(void)state;
	memset(big, 'x', 4095);
	big[4095] = '\0';
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	nd_reply_init(&a, pair[0], &q);
	for (i = 0; i < 15; i++)
		nd_reply_add_string(&a, big);
	h = send_and_receive(&a, pair[1], &len);
	assert_int_equal(h.error, 0);
	assert_int_equal(h.id, 77);
	assert_int_equal(h.n_strings, 15);
	/* What does not fit is an error, not a part of the truth. */
	for (i = 0; i < 16; i++)
		nd_reply_add_string(&a, big);
	a.h.cookie = 3;
	h = send_and_receive(&a, pair[1], &len);
	assert_int_equal(h.error, -EMSGSIZE);
	assert_int_equal(h.n_strings, 0);
	assert_int_equal(h.cookie, 0);
	assert_int_equal(len, sizeof(h));
	/* An error has nothing but its words. */
	a.h.error = 0;
	nd_reply_add_string(&a, "good");
	a.fds[a.n_fds++] = dup(pair[0]);
	a.h.nsid = 4;
	nd_reply_set_error(&a, nd_reply_refuse(&a, -EIO, "%s", "words"));
	h = send_and_receive(&a, pair[1], &len);
	assert_int_equal(h.error, -EIO);
	assert_int_equal(h.nsid, -1);
	assert_int_equal(h.n_strings, 1);
	assert_int_equal(len, sizeof(h) + sizeof("words"));
	close(pair[1]);
	assert_int_equal(nd_reply_send(&a, false), -EPIPE);
	nd_reply_fini(&a);
	close(pair[0]);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_short),
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_reply),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
