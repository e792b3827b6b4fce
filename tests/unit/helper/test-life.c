/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * DOC: how a helper lives and dies: what it may do, that whatever is no request ends it, that its keeper
 * starts another, and that nothing of it outlives the daemon.
 */

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/cleanup.h"
#include "fixture.h"

enum { EXIT_SKIP = 77, USAGE = 2 };

static const char *program;

static bool works(struct helper *h)
{
	return ASK(h, .type = ND_PROTO_JOIN, .strings = {""}) == 0 && answer.h.cookie;
}

static void test_confined(void **state)
{
	struct helper h;

	(void)state;
	helper_start(&h, program, NULL);
	for (int i = 0; i < 2; i++) {
		pid_t pid = i ? h.keeper : h.worker;

		/* SYS_ADMIN 21, SYS_PTRACE 19, NET_RAW 13, NET_ADMIN 12, NET_BROADCAST 11 */
		assert_int_equal(run("for s in CapPrm CapEff CapBnd; do grep -q \"^$s:\\s*0*283800$\" "
				     "/proc/%d/status || exit 1; done",
					 pid),
			0);
		assert_int_equal(run("for s in CapInh CapAmb; do grep -q \"^$s:\\s*0*$\" "
				     "/proc/%d/status || exit 1; done",
					 pid),
			0);
		assert_int_equal(run("grep -q '^NoNewPrivs:\\s*1$' /proc/%d/status", pid), 0);
	}
	/* All threads, if the kernel can. */
	assert_int_equal(run("! grep -q ^Seccomp: /proc/self/status || "
			     "! grep -L '^Seccomp:\\s*2$' /proc/%d/task/*/status | grep -q .",
				 h.worker),
		0);
	assert_int_equal(helper_stop(&h), 0);
}

/* Sends this, and expects the end of that helper and the next one. */
static void expect_end(struct helper *h, enum nd_proto_channel c, const void *data, size_t len)
{
	int worker = watch(h->worker), i;

	send_raw(h, c, data, len);
	for (i = 0; i < ND_PROTO_CHANNELS; i++)
		assert_true(channel_is_over(h->channels[i]));
	assert_true(is_gone(worker));
	helper_hello(h);
}

static void test_wrong_message(void **state)
{
	const struct question join = {.type = ND_PROTO_JOIN, .strings = {"a"}};
	char buf[256] __attribute__((aligned(8)));
	struct nd_proto_request *head = (void *)buf;
	struct helper h;
	size_t len;

	(void)state;
	helper_start(&h, program, NULL);
	len = build(&h, &join, buf);
	expect_end(&h, ND_PROTO_LOOK, buf, len - 1); /* no NUL */
	head->magic++;
	expect_end(&h, ND_PROTO_LOOK, buf, len);
	head->magic--;
	expect_end(&h, ND_PROTO_MAKE, buf, len); /* not this channel's */
	assert_true(works(&h));
	assert_int_equal(helper_stop(&h), 0);
}

static void test_descriptors(void **state)
{
	const struct question join = {.type = ND_PROTO_JOIN, .strings = {""}};
	union {
		struct cmsghdr align;
		char buf[CMSG_SPACE(sizeof(int))];
	} control = {0};
	char buf[256];
	struct iovec iov = {buf, 0};
	struct msghdr m = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	struct helper h;

	(void)state;
	helper_start(&h, program, NULL);
	iov.iov_len = build(&h, &join, buf);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &h.control, sizeof(int));
	assert_int_equal(sendmsg(h.channels[ND_PROTO_LOOK], &m, 0), iov.iov_len);
	assert_true(channel_is_over(h.channels[ND_PROTO_LOOK]));
	helper_hello(&h);
	assert_true(works(&h));
	assert_int_equal(helper_stop(&h), 0);
}

/* A channel that got to another user is of no use there. */
static void test_other_user(void **state)
{
	const struct question join = {.type = ND_PROTO_JOIN, .strings = {""}};
	struct helper h;
	char buf[256];
	size_t len;
	int status;
	pid_t other;

	(void)state;
	helper_start(&h, program, NULL);
	len = build(&h, &join, buf);
	other = fork();
	assert_true(other >= 0);
	if (other == 0)
		_exit(setgid(65534) < 0 || setuid(65534) < 0 ||
			send(h.channels[ND_PROTO_LOOK], buf, len, 0) != (ssize_t)len);
	assert_int_equal(waitpid(other, &status, 0), other);
	assert_int_equal(status, 0);
	assert_true(channel_is_over(h.channels[ND_PROTO_LOOK]));
	helper_hello(&h);
	assert_true(works(&h));
	assert_int_equal(helper_stop(&h), 0);
}

static void test_killed(void **state)
{
	struct helper h;
	size_t fds = 0;

	(void)state;
	helper_start(&h, program, NULL);
	for (int i = 0; i < 3; i++) {
		assert_true(works(&h));
		if (i == 0)
			fds = count_fds(h.keeper);
		kill(h.worker, SIGKILL);
		assert_true(channel_is_over(h.channels[ND_PROTO_MAKE]));
		helper_hello(&h);
	}
	assert_true(works(&h));
	assert_int_equal(count_fds(h.keeper), fds);
	assert_int_equal(helper_stop(&h), 0);
}

static void test_channel_closed(void **state)
{
	struct helper h;

	(void)state;
	helper_start(&h, program, NULL);
	nctl_closep(&h.channels[ND_PROTO_SOCKET]);
	h.channels[ND_PROTO_SOCKET] = -1;
	helper_hello(&h);
	assert_true(works(&h));
	assert_int_equal(helper_stop(&h), 0);
}

/* The keeper's death, by whatever it comes, is the helper's. */
static void test_keeper_killed(void **state)
{
	static const int signals[] = {SIGKILL, SIGTERM};
	struct helper h;
	int status, worker;
	char byte;

	(void)state;
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(signals); i++) {
		helper_start(&h, program, NULL);
		worker = watch(h.worker);
		kill(h.keeper, signals[i]);
		assert_int_equal(waitpid(h.keeper, &status, 0), h.keeper);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == signals[i]);
		assert_true(is_gone(worker));
		assert_int_equal(recv(h.control, &byte, 1, 0), 0);
		for (int k = 0; k < ND_PROTO_CHANNELS; k++) {
			assert_true(channel_is_over(h.channels[k]));
			close(h.channels[k]);
		}
		close(h.control);
	}
}

static void test_terminal(void **state)
{
	static const int signals[] = {SIGINT, SIGHUP, SIGPIPE};
	struct helper h;

	(void)state;
	helper_start(&h, program, NULL);
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(signals); i++) {
		kill(h.keeper, signals[i]);
		kill(h.worker, signals[i]);
		assert_true(works(&h));
	}
	assert_int_equal(helper_stop(&h), 0);
}

/* The end of the daemon while there is no helper: the keeper is between two. */
static void test_end_while_waiting(void **state)
{
	struct helper h;
	int status;

	(void)state;
	helper_start(&h, program, NULL);
	kill(h.worker, SIGKILL);
	assert_true(channel_is_over(h.channels[ND_PROTO_MAKE]));
	close(h.control);
	assert_int_equal(waitpid(h.keeper, &status, 0), h.keeper);
	assert_int_equal(status, 0);
	for (size_t i = 0; i < ND_PROTO_CHANNELS; i++)
		close(h.channels[i]);
}

static void test_usage(void **state)
{
	(void)state;
	assert_int_equal(run("%s --help >/dev/null", program), 0);
	assert_int_equal(run("%s --version | grep -q '^netctld-helper [0-9]'", program), 0);
	assert_int_equal(run("%s 2>/dev/null", program), USAGE);
	assert_int_equal(run("%s --control-fd 5 2>/dev/null", program), USAGE);
	assert_int_equal(run("%s --control-fd 5 --user-id 0 2>/dev/null", program), USAGE);
	assert_int_equal(run("%s --control-fd 5 --user-id 0 5</dev/null 2>/dev/null", program), USAGE);
	assert_int_equal(run("%s --control-fd 1 --user-id 0 2>/dev/null", program), USAGE);
	assert_int_equal(run("%s --control-fd 5 --user-id root 2>/dev/null", program), USAGE);
	assert_int_equal(run("%s --nonsense 2>/dev/null", program), USAGE);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_confined),
		cmocka_unit_test(test_wrong_message),
		cmocka_unit_test(test_descriptors),
		cmocka_unit_test(test_other_user),
		cmocka_unit_test(test_killed),
		cmocka_unit_test(test_channel_closed),
		cmocka_unit_test(test_keeper_killed),
		cmocka_unit_test(test_terminal),
		cmocka_unit_test(test_end_while_waiting),
		cmocka_unit_test(test_usage),
	};

	program = argc > 1 ? argv[1] : "netctld-helper";
	if (!sandbox()) {
		puts("SKIP: no right to make network and mount namespaces");
		return EXIT_SKIP;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
