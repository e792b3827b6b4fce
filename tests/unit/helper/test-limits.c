/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* DOC: the helper beside others who make namespaces, at the limits of the system, and over many rounds. */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/cleanup.h"
#include "fixture.h"
#include "nl/transport.h"

enum { EXIT_SKIP = 77, ROUNDS = 100, RACES = 60 };

static struct helper h;
static const char *program;

static void test_leaks(void **state)
{
	size_t fds = 0, mounts, i;
	uint64_t cookie;

	(void)state;
	assert_int_equal(ASK(&h, .type = ND_PROTO_PREPARE), 0);
	mounts = count_mounts();
	for (i = 0; i < ROUNDS; i++) {
		if (i == 1)
			fds = count_fds(h.worker);
		cookie = helper_create(&h, "a");
		helper_create(&h, "b");
		ASK(&h, .type = ND_PROTO_CREATE, .strings = {"a"});
		ASK(&h, .type = ND_PROTO_JOIN, .strings = {"a"}, .cookie = {cookie});
		ASK(&h, .type = ND_PROTO_JOIN, .strings = {"a"}, .cookie = {cookie + 1});
		ASK(&h, .type = ND_PROTO_NSID_IN, .strings = {"a", "b"});
		ASK(&h, .type = ND_PROTO_NSID_IN, .strings = {"c", "b"});
		ASK(&h, .type = ND_PROTO_OPEN_SOCKET, .strings = {"a"}, .number = NCTL_TRANSPORT_REQUEST);
		ASK(&h, .type = ND_PROTO_OPEN_SOCKET, .strings = {"a"}, .number = 77);
		ASK(&h, .type = ND_PROTO_SYSCTL_WRITE, .strings = {"a", "ipv4/ip_forward", "1"});
		ASK(&h, .type = ND_PROTO_SYSCTL_WRITE, .strings = {"a", "ipv4/ip_forward", "x"});
		ASK(&h, .type = ND_PROTO_LINK_MOVE, .strings = {"a", "b", ""}, .number = 1);
		ASK(&h, .type = ND_PROTO_SCAN);
		ASK(&h, .type = ND_PROTO_DELETE, .strings = {"a"}, .cookie = {cookie + 1});
		helper_drop(&h, "a");
		helper_drop(&h, "b");
	}
	assert_int_equal(count_fds(h.worker), fds);
	assert_int_equal(count_mounts(), mounts);
}

/* A lock that any user can hold delays the first name, and does not stop it. */
static void test_lock(void **state)
{
	int fd;

	(void)state;
	assert_int_equal(run("umount -l /run/netns; rmdir /run/netns; mkdir /run/netns"), 0);
	fd = open("/run/netns", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	helper_create(&h, "a");
	helper_drop(&h, "a");
	close(fd);
}

/* Where no namespace can be made any more, nothing is left of the name. Runs in a user namespace. */
static void test_undone(void **state)
{
	(void)state;
	helper_create(&h, "a");
	write_file("/proc/sys/user/max_net_namespaces", "0");
	assert_int_equal(ASK(&h, .type = ND_PROTO_CREATE, .strings = {"b"}), -ENOSPC);
	assert_int_equal(access("/run/netns/b", F_OK), -1);
	/* Nor is what was there before taken away. */
	write_file("/run/netns/c", "");
	assert_int_equal(
		ASK(&h, .type = ND_PROTO_CREATE, .strings = {"c"}, .flags = ND_PROTO_REPAIR), -ENOSPC);
	assert_int_equal(access("/run/netns/c", F_OK), 0);
	/* The pool tries, and does not spin. */
	assert_int_equal(ASK(&h, .type = ND_PROTO_POOL, .number = 2), 0);
	assert_int_equal(ASK(&h, .type = ND_PROTO_CREATE, .strings = {"b"}), -ENOSPC);
	write_file("/proc/sys/user/max_net_namespaces", "100");
	helper_create(&h, "b");
	helper_drop(&h, "a");
	helper_drop(&h, "b");
	helper_drop(&h, "c");
}

static void test_limited(void **state)
{
	char self[PATH_MAX] = "";

	(void)state;
	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	if (run("unshare --user --map-root-user true 2>/dev/null") != 0)
		skip();
	assert_int_equal(run("unshare --user --map-root-user %s %s limited", self, program), 0);
}

/* ip(8) makes and we make, at the same time. */
static void test_race(void **state)
{
	size_t won = 0, i;
	char name[32];
	pid_t other = fork();
	int status, r;

	(void)state;
	assert_true(other >= 0);
	if (other == 0) /* tells how many it got of the names that both want */
		_exit(run("n=0; for i in $(seq 0 %d); do ip netns add theirs$i || exit 255;"
			  " ip netns add both$i 2>/dev/null && n=$((n + 1)); done; exit $n",
			RACES - 1));
	for (i = 0; i < RACES; i++) {
		snprintf(name, sizeof(name), "ours%zu", i);
		helper_create(&h, name);
		snprintf(name, sizeof(name), "both%zu", i);
		r = ASK(&h, .type = ND_PROTO_CREATE, .strings = {name});
		assert_true(r == 0 || r == -EEXIST);
		won += r == 0;
		if (i % 8 == 0) /* lets the other side come first now and then */
			run("ip netns list >/dev/null");
	}
	assert_int_equal(waitpid(other, &status, 0), other);
	assert_true(WIFEXITED(status));
	assert_int_equal(won + (size_t)WEXITSTATUS(status), RACES);
	for (i = 0; i < RACES; i++) {
		static const char *const kinds[] = {"ours", "theirs", "both"};

		for (size_t k = 0; k < NCTL_ARRAY_SIZE(kinds); k++) {
			snprintf(name, sizeof(name), "%s%zu", kinds[k], i);
			assert_int_equal(ASK(&h, .type = ND_PROTO_JOIN, .strings = {name}), 0);
			helper_drop(&h, name);
		}
	}
	assert_int_equal(run("test -z \"$(ip netns list)\""), 0);
}

static int set_up(void **state)
{
	(void)state;
	helper_start(&h, program, NULL);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	return helper_stop(&h);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_leaks),
		cmocka_unit_test(test_race),
		cmocka_unit_test(test_lock),
		cmocka_unit_test(test_limited),
	};
	static const struct CMUnitTest limited[] = {cmocka_unit_test(test_undone)};

	program = argc > 1 ? argv[1] : "netctld-helper";
	if (!sandbox()) {
		puts("SKIP: no right to make network and mount namespaces");
		return EXIT_SKIP;
	}
	if (argc > 2)
		return cmocka_run_group_tests(limited, set_up, tear_down);
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
