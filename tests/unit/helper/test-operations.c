/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* DOC: every operation of the helper and each of its refusals, in namespaces of our own, beside ip(8). */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include <linux/magic.h>
#include <linux/rtnetlink.h>

#include "base/cleanup.h"
#include "fixture.h"
#include "nl/transport.h"

enum { EXIT_SKIP = 77 };

static struct helper h;
static const char *program;

static bool is_netns(const char *path)
{
	struct statfs fs;

	return statfs(path, &fs) == 0 && (unsigned long)fs.f_type == NSFS_MAGIC;
}

static void test_create(void **state)
{
	char longest[NAME_MAX + 2];
	uint64_t cookie = helper_create(&h, "a");
	size_t i;

	(void)state;
	assert_true(is_netns("/run/netns/a"));
	assert_true(cookie_of("/run/netns/a") == cookie);
	assert_true(cookie_of("/proc/self/ns/net") != cookie);
	assert_int_equal(ASK(&h, .type = ND_PROTO_CREATE, .strings = {"a"}), -EEXIST);
	assert_int_equal(answer.n_strings, 1);
	assert_int_equal(
		ASK(&h, .type = ND_PROTO_CREATE, .strings = {"a"}, .flags = ND_PROTO_REPAIR), -EEXIST);
	assert_true(cookie_of("/run/netns/a") == cookie);
	memset(longest, 'x', sizeof(longest));
	longest[NAME_MAX + 1] = '\0';
	const char *const bad[] = {"", ".", "..", "/", "a/b", "../x", longest};
	for (i = 0; i < NCTL_ARRAY_SIZE(bad); i++) {
		assert_int_equal(ASK(&h, .type = ND_PROTO_CREATE, .strings = {bad[i]}), -EINVAL);
		assert_int_equal(ASK(&h, .type = ND_PROTO_DELETE, .strings = {bad[i]}), -EINVAL);
		if (*bad[i])
			assert_int_equal(ASK(&h, .type = ND_PROTO_JOIN, .strings = {bad[i]}), -EINVAL);
	}
	longest[NAME_MAX] = '\0';
	helper_create(&h, longest);
	helper_drop(&h, longest);
	helper_drop(&h, "a");
	assert_int_equal(access("/run/netns/a", F_OK), -1);
}

static void test_delete(void **state)
{
	uint64_t cookie = helper_create(&h, "a");

	(void)state;
	assert_int_equal(ASK(&h, .type = ND_PROTO_DELETE, .strings = {"a"}, .cookie = {cookie + 1}), -ESTALE);
	assert_true(is_netns("/run/netns/a"));
	assert_int_equal(ASK(&h, .type = ND_PROTO_DELETE, .strings = {"a"}, .cookie = {cookie}), 0);
	assert_int_equal(ASK(&h, .type = ND_PROTO_DELETE, .strings = {"a"}, .cookie = {cookie}), -ENOENT);
	assert_int_equal(ASK(&h, .type = ND_PROTO_DELETE, .strings = {"a"}), -ENOENT);
	/* A file that never became a namespace, and a link whose target stays. */
	write_file("/run/netns/b", "");
	assert_int_equal(ASK(&h, .type = ND_PROTO_DELETE, .strings = {"b"}, .cookie = {cookie}), -ESTALE);
	helper_drop(&h, "b");
	helper_create(&h, "c");
	assert_int_equal(symlink("c", "/run/netns/d"), 0);
	helper_drop(&h, "d");
	assert_true(is_netns("/run/netns/c"));
	helper_drop(&h, "c");
	assert_int_equal(mkdir("/run/netns/e", 0755), 0);
	assert_int_equal(ASK(&h, .type = ND_PROTO_DELETE, .strings = {"e"}), -EISDIR);
	assert_int_equal(rmdir("/run/netns/e"), 0);
}

static void test_repair(void **state)
{
	(void)state;
	write_file("/run/netns/a", "");
	assert_int_equal(chmod("/run/netns/a", 0), 0);
	assert_int_equal(ASK(&h, .type = ND_PROTO_JOIN, .strings = {"a"}), -ENXIO);
	assert_int_equal(ASK(&h, .type = ND_PROTO_CREATE, .strings = {"a"}), -EEXIST);
	assert_int_equal(ASK(&h, .type = ND_PROTO_CREATE, .strings = {"a"}, .flags = ND_PROTO_REPAIR), 0);
	assert_true(cookie_of("/run/netns/a") == answer.h.cookie);
	helper_drop(&h, "a");
	assert_int_equal(ASK(&h, .type = ND_PROTO_CREATE, .strings = {"a"}, .flags = ND_PROTO_REPAIR), 0);
	helper_drop(&h, "a");
	/* What is no file is no leftover. */
	assert_int_equal(mkdir("/run/netns/a", 0755), 0);
	assert_int_equal(
		ASK(&h, .type = ND_PROTO_CREATE, .strings = {"a"}, .flags = ND_PROTO_REPAIR), -EEXIST);
	assert_int_equal(rmdir("/run/netns/a"), 0);
}

static void test_prepare(void **state)
{
	pid_t other;
	int to[2], from[2], status;
	char byte = 0;

	(void)state;
	assert_int_equal(ASK(&h, .type = ND_PROTO_PREPARE), 0);
	/* A mount namespace that is there before the name sees the namespace as well. */
	assert_int_equal(pipe2(to, O_CLOEXEC), 0);
	assert_int_equal(pipe2(from, O_CLOEXEC), 0);
	other = fork();
	assert_true(other >= 0);
	if (other == 0) {
		if (unshare(CLONE_NEWNS) < 0 || write(from[1], &byte, 1) != 1 || read(to[0], &byte, 1) != 1)
			_exit(2);
		_exit(is_netns("/run/netns/a") ? 0 : 1);
	}
	assert_int_equal(read(from[0], &byte, 1), 1);
	helper_create(&h, "a");
	assert_int_equal(write(to[1], &byte, 1), 1);
	assert_int_equal(waitpid(other, &status, 0), other);
	assert_int_equal(status, 0);
	helper_drop(&h, "a");
	close(to[0]);
	close(to[1]);
	close(from[0]);
	close(from[1]);
	/* It is made again if somebody took it away. */
	assert_int_equal(run("umount -l /run/netns && rmdir /run/netns"), 0);
	helper_create(&h, "a");
	assert_int_equal(run("ip netns add b && test \"$(ip netns list | grep -c -w '[ab]')\" = 2"), 0);
	helper_drop(&h, "a");
	helper_drop(&h, "b");
}

static void test_ip_netns(void **state)
{
	(void)state;
	helper_create(&h, "ours");
	assert_int_equal(run("ip netns list | grep -q -w ours"), 0);
	assert_int_equal(run("ip netns exec ours ip link show dev lo >/dev/null"), 0);
	assert_int_equal(run("ip netns add ours 2>/dev/null"), 1);
	assert_int_equal(run("ip netns del ours"), 0);
	assert_int_equal(ASK(&h, .type = ND_PROTO_JOIN, .strings = {"ours"}), -ENOENT);
	assert_int_equal(run("ip netns add theirs"), 0);
	assert_int_equal(ASK(&h, .type = ND_PROTO_CREATE, .strings = {"theirs"}), -EEXIST);
	assert_int_equal(ASK(&h, .type = ND_PROTO_JOIN, .strings = {"theirs"}), 0);
	assert_true(answer.h.cookie == cookie_of("/run/netns/theirs"));
	helper_drop(&h, "theirs");
	assert_int_equal(run("test -z \"$(ip netns list)\""), 0);
}

static void test_join(void **state)
{
	uint64_t cookie = helper_create(&h, "a");
	int32_t nsid;
	pid_t child;

	(void)state;
	assert_int_equal(ASK(&h, .type = ND_PROTO_JOIN, .strings = {"a"}), 0);
	assert_true(answer.h.cookie == cookie);
	nsid = answer.h.nsid;
	assert_true(nsid >= 0);
	assert_int_equal(ASK(&h, .type = ND_PROTO_JOIN, .strings = {"a"}, .cookie = {cookie}), 0);
	assert_int_equal(answer.h.nsid, nsid);
	assert_int_equal(ASK(&h, .type = ND_PROTO_JOIN, .strings = {"a"}, .cookie = {cookie + 1}), -ESTALE);
	assert_int_equal(ASK(&h, .type = ND_PROTO_JOIN, .strings = {"b"}), -ENOENT);
	/* Home is not numbered, by whatever way it is found. */
	assert_int_equal(ASK(&h, .type = ND_PROTO_JOIN, .strings = {""}), 0);
	assert_true(answer.h.cookie == cookie_of("/proc/self/ns/net"));
	assert_int_equal(answer.h.nsid, -1);
	assert_int_equal(ASK(&h, .type = ND_PROTO_JOIN, .strings = {""}, .pid = {getpid()}), 0);
	assert_int_equal(answer.h.nsid, -1);
	/* By a process of another user; and when that is gone. */
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		if (unshare(CLONE_NEWNET) < 0 || setgid(65534) < 0 || setuid(65534) < 0)
			_exit(1);
		raise(SIGSTOP);
		_exit(0);
	}
	assert_int_equal(waitpid(child, NULL, WUNTRACED), child);
	assert_int_equal(ASK(&h, .type = ND_PROTO_JOIN, .strings = {""}, .pid = {child}), 0);
	assert_true(answer.h.cookie != cookie && answer.h.nsid >= 0 && answer.h.nsid != nsid);
	assert_int_equal(ASK(&h, .type = ND_PROTO_JOIN, .strings = {"a"}, .pid = {child}), 0);
	assert_true(answer.h.cookie == cookie);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(ASK(&h, .type = ND_PROTO_JOIN, .strings = {""}, .pid = {child}), -ENOENT);
	helper_drop(&h, "a");
}

static void test_no_netns(void **state)
{
	char path[64];

	(void)state;
	assert_int_equal(mkfifo("/run/netns/fifo", 0600), 0);
	assert_int_equal(symlink("/proc/self/ns/mnt", "/run/netns/mnt"), 0);
	snprintf(path, sizeof(path), "/proc/%d/ns/net", getpid());
	assert_int_equal(symlink(path, "/run/netns/first"), 0);
	assert_int_equal(symlink("/nowhere", "/run/netns/nowhere"), 0);
	assert_int_equal(ASK(&h, .type = ND_PROTO_JOIN, .strings = {"fifo"}), -ENXIO);
	assert_int_equal(ASK(&h, .type = ND_PROTO_JOIN, .strings = {"mnt"}), -ENXIO);
	assert_int_equal(ASK(&h, .type = ND_PROTO_JOIN, .strings = {"nowhere"}), -ENOENT);
	assert_int_equal(ASK(&h, .type = ND_PROTO_OPEN_SOCKET, .strings = {"fifo"}), -ENXIO);
	assert_int_equal(
		ASK(&h, .type = ND_PROTO_SYSCTL_READ, .strings = {"mnt", "ipv4/ip_forward"}), -ENXIO);
	/* A link to a namespace is as good as a mount. */
	assert_int_equal(ASK(&h, .type = ND_PROTO_JOIN, .strings = {"first"}), 0);
	assert_true(answer.h.cookie == cookie_of(path));
	helper_drop(&h, "fifo");
	helper_drop(&h, "mnt");
	helper_drop(&h, "first");
	helper_drop(&h, "nowhere");
}

static void test_nsid_in(void **state)
{
	uint64_t a = helper_create(&h, "a"), b = helper_create(&h, "b");
	int32_t nsid;

	(void)state;
	assert_int_equal(ASK(&h, .type = ND_PROTO_NSID_IN, .strings = {"a", "b"}), 0);
	nsid = answer.h.nsid;
	assert_true(nsid >= 0);
	assert_int_equal(ASK(&h, .type = ND_PROTO_NSID_IN, .strings = {"a", "b"}, .cookie = {a, b}), 0);
	assert_int_equal(answer.h.nsid, nsid);
	assert_int_equal(ASK(&h, .type = ND_PROTO_NSID_IN, .strings = {"a", ""}), 0);
	assert_true(answer.h.nsid >= 0 && answer.h.nsid != nsid);
	assert_int_equal(ASK(&h, .type = ND_PROTO_NSID_IN, .strings = {"a", "a"}), 0);
	assert_int_equal(answer.h.nsid, -1);
	assert_int_equal(ASK(&h, .type = ND_PROTO_NSID_IN, .strings = {"a", "b"}, .cookie = {b, b}), -ESTALE);
	assert_int_equal(ASK(&h, .type = ND_PROTO_NSID_IN, .strings = {"a", "b"}, .cookie = {a, a}), -ESTALE);
	assert_int_equal(ASK(&h, .type = ND_PROTO_NSID_IN, .strings = {"a", "c"}), -ENOENT);
	assert_int_equal(ASK(&h, .type = ND_PROTO_NSID_IN, .strings = {"c", "a"}), -ENOENT);
	helper_drop(&h, "a");
	helper_drop(&h, "b");
}

static void test_socket(void **state)
{
	static const uint32_t roles[] = {
		NCTL_TRANSPORT_EVENTS, NCTL_TRANSPORT_EVENTS_ALL, NCTL_TRANSPORT_REQUEST, NCTL_TRANSPORT_GENERIC};
	uint64_t cookie = helper_create(&h, "a"), seen;
	socklen_t len;
	size_t i;

	(void)state;
	for (i = 0; i < NCTL_ARRAY_SIZE(roles); i++) {
		assert_int_equal(
			ASK(&h, .type = ND_PROTO_OPEN_SOCKET, .strings = {"a"}, .number = roles[i]), 0);
		assert_true(answer.h.cookie == cookie);
		assert_int_equal(answer.n_fds, 1);
		len = sizeof(seen);
		assert_int_equal(getsockopt(answer.fds[0], SOL_SOCKET, SO_NETNS_COOKIE, &seen, &len), 0);
		assert_true(seen == cookie);
	}
	assert_int_equal(ASK(&h, .type = ND_PROTO_OPEN_SOCKET, .strings = {"a"}, .number = NCTL_TRANSPORT_GENERIC + 1), -EINVAL);
	assert_int_equal(ASK(&h, .type = ND_PROTO_OPEN_SOCKET, .strings = {"b"}), -ENOENT);
	assert_int_equal(
		ASK(&h, .type = ND_PROTO_OPEN_SOCKET, .strings = {"a"}, .cookie = {cookie + 1}), -ESTALE);
	assert_int_equal(answer.n_fds, 0);
	helper_drop(&h, "a");
}

/* The daemon, without the right to it, hears all namespaces from the socket that it was given. */
static void test_socket_all(void **state)
{
	struct nctl_transport *t;
	char buf[32 * 1024];
	struct nctl_dgram d = {.buf = buf, .cap = sizeof(buf)};
	int32_t nsid;

	(void)state;
	helper_create(&h, "a");
	assert_int_equal(ASK(&h, .type = ND_PROTO_JOIN, .strings = {"a"}), 0);
	nsid = answer.h.nsid;
	assert_int_equal(
		ASK(&h, .type = ND_PROTO_OPEN_SOCKET, .strings = {""}, .number = NCTL_TRANSPORT_EVENTS_ALL),
		0);
	assert_int_equal(nctl_transport_from_fd(dup(answer.fds[0]), &t), 0);
	assert_int_equal(t->ops->join(t, RTNLGRP_LINK), 0);
	assert_int_equal(run("ip -n a link set lo up"), 0);
	assert_int_equal(t->ops->wait(t, nctl_time_add_ms(nctl_time_now(), WAIT_MS)), 0);
	assert_int_equal(t->ops->recv(t, &d, 1), 1);
	assert_true(d.has_nsid);
	assert_int_equal(d.nsid, nsid);
	nctl_transport_free(t);
	helper_drop(&h, "a");
}

static void test_sysctl(void **state)
{
	static const char *const outside[] = {"", "/", "../kernel/ostype", "ipv4/../../kernel/ostype",
		"ipv4//x", "/proc/sys/net/ipv4/ip_forward", ".", "ipv4/."};
	uint64_t cookie = helper_create(&h, "a");
	size_t i;

	(void)state;
	assert_int_equal(ASK(&h, .type = ND_PROTO_SYSCTL_READ,
				 .strings = {"a", "ipv4/ip_forward", "ipv4/no_such", "ipv4/tcp_rmem"}),
		0);
	assert_int_equal(answer.n_strings, 3);
	assert_string_equal(answer.strings[0], "0");
	assert_string_equal(answer.strings[1], "");
	assert_int_equal(answer.h.missing[0], 2);
	assert_non_null(strchr(answer.strings[2], ' '));
	assert_null(strpbrk(answer.strings[2], "\t\n"));
	assert_int_equal(ASK(&h, .type = ND_PROTO_SYSCTL_WRITE, .strings = {"a", "ipv4/ip_forward", "1"}), 0);
	assert_string_equal(answer.strings[0], "1");
	/* There, not here. */
	assert_int_equal(ASK(&h, .type = ND_PROTO_SYSCTL_READ, .strings = {"", "ipv4/ip_forward"}), 0);
	assert_string_equal(answer.strings[0], "0");
	assert_int_equal(run("test \"$(ip netns exec a cat /proc/sys/net/ipv4/ip_forward)\" = 1"), 0);
	assert_int_equal(
		ASK(&h, .type = ND_PROTO_SYSCTL_WRITE, .strings = {"a", "ipv4/ip_forward", "much"}), -EINVAL);
	assert_int_equal(
		ASK(&h, .type = ND_PROTO_SYSCTL_WRITE, .strings = {"a", "ipv4/no_such", "1"}), -ENOENT);
	assert_int_equal(ASK(&h, .type = ND_PROTO_SYSCTL_WRITE, .strings = {"a", "ipv4/ip_forward", "0"},
				 .cookie = {cookie + 1}),
		-ESTALE);
	assert_int_equal(
		ASK(&h, .type = ND_PROTO_SYSCTL_WRITE, .strings = {"b", "ipv4/ip_forward", "0"}), -ENOENT);
	assert_int_equal(ASK(&h, .type = ND_PROTO_SYSCTL_READ, .strings = {"a", "ipv4"}), -EISDIR);
	for (i = 0; i < NCTL_ARRAY_SIZE(outside); i++) {
		assert_int_equal(
			ASK(&h, .type = ND_PROTO_SYSCTL_READ, .strings = {"a", outside[i]}), -EINVAL);
		assert_int_equal(
			ASK(&h, .type = ND_PROTO_SYSCTL_WRITE, .strings = {"a", outside[i], "1"}), -EINVAL);
	}
	helper_drop(&h, "a");
}

/* What is read is that of the namespace, long after the helper has left it; and the name may be gone. */
static void test_maddr(void **state)
{
	static const char *const names[] = {"dev_mcast", "igmp", "igmp6"};
	uint64_t cookie = helper_create(&h, "a");
	char text[8192];
	ssize_t k;
	size_t i;
	int fd;

	(void)state;
	assert_int_equal(run("ip -n a link add vmaddr type veth peer name wmaddr"), 0);
	assert_int_equal(run("ip -n a maddr add 01:00:5e:11:22:33 dev vmaddr"), 0);
	assert_int_equal(ASK(&h, .type = ND_PROTO_OPEN_MADDR, .strings = {"a"}, .cookie = {cookie + 1}), -ESTALE);
	assert_int_equal(ASK(&h, .type = ND_PROTO_OPEN_MADDR, .strings = {"b"}), -ENOENT);
	assert_int_equal(ASK(&h, .type = ND_PROTO_OPEN_MADDR, .strings = {"a"}, .cookie = {cookie}), 0);
	assert_true(answer.h.cookie == cookie);
	assert_int_equal(answer.n_strings, answer.n_fds);
	assert_in_range(answer.n_fds, 1, 3);
	for (i = 0; i < answer.n_fds; i++) {
		assert_string_equal(answer.strings[i], names[i]);
		assert_int_equal(fcntl(answer.fds[i], F_GETFL) & O_ACCMODE, O_RDONLY);
	}
	fd = dup(answer.fds[0]);
	helper_drop(&h, "a");
	k = read(fd, text, sizeof(text) - 1);
	close(fd);
	assert_true(k > 0);
	text[k] = '\0';
	assert_non_null(strstr(text, "vmaddr"));
	assert_non_null(strstr(text, "01005e112233"));
	/* The daemon's own. */
	assert_int_equal(ASK(&h, .type = ND_PROTO_OPEN_MADDR, .strings = {""}), 0);
	k = read(answer.fds[0], text, sizeof(text) - 1);
	assert_true(k >= 0);
	text[k] = '\0';
	assert_null(strstr(text, "vmaddr"));
}

static void test_link_move(void **state)
{
	uint64_t a = helper_create(&h, "a"), b = helper_create(&h, "b");

	(void)state;
	assert_int_equal(run("ip link add v1 type veth peer name v2"), 0);
	assert_int_equal(
		ASK(&h, .type = ND_PROTO_LINK_MOVE, .strings = {"", "a", ""}, .number = if_nametoindex("v1")),
		0);
	assert_int_equal(run("ip -n a link show dev v1 >/dev/null"), 0);
	assert_int_equal(ASK(&h, .type = ND_PROTO_LINK_MOVE, .strings = {"", "a", "v3"},
				 .number = if_nametoindex("v2"), .cookie = {0, b}),
		-ESTALE);
	assert_int_equal(ASK(&h, .type = ND_PROTO_LINK_MOVE, .strings = {"", "b", "v3"},
				 .number = if_nametoindex("v2"), .cookie = {0, b}),
		0);
	assert_int_equal(run("ip -n b link show dev v3 >/dev/null"), 0);
	/* The loopback device cannot move, and the kernel says so. */
	assert_int_equal(
		ASK(&h, .type = ND_PROTO_LINK_MOVE, .strings = {"a", "b", ""}, .number = 1, .cookie = {a, b}),
		-EINVAL);
	assert_int_equal(answer.n_strings, 1);
	assert_int_equal(
		ASK(&h, .type = ND_PROTO_LINK_MOVE, .strings = {"a", "b", ""}, .number = 4711), -ENODEV);
	assert_int_equal(ASK(&h, .type = ND_PROTO_LINK_MOVE, .strings = {"a", "b", ""}), -EINVAL);
	assert_int_equal(
		ASK(&h, .type = ND_PROTO_LINK_MOVE, .strings = {"a", "b", "sixteen-letters."}, .number = 1),
		-EINVAL);
	assert_int_equal(
		ASK(&h, .type = ND_PROTO_LINK_MOVE, .strings = {"c", "b", ""}, .number = 1), -ENOENT);
	assert_int_equal(
		ASK(&h, .type = ND_PROTO_LINK_MOVE, .strings = {"a", "c", ""}, .number = 1), -ENOENT);
	helper_drop(&h, "a");
	helper_drop(&h, "b");
}

static void test_scan(void **state)
{
	bool found = false, home = false;
	struct stat there, here;
	char path[64];
	pid_t child = fork();
	size_t i;

	(void)state;
	assert_true(child >= 0);
	if (child == 0) {
		if (unshare(CLONE_NEWNET) < 0)
			_exit(1);
		raise(SIGSTOP);
		_exit(0);
	}
	assert_int_equal(waitpid(child, NULL, WUNTRACED), child);
	snprintf(path, sizeof(path), "/proc/%d/ns/net", child);
	assert_int_equal(stat(path, &there), 0);
	assert_int_equal(stat("/proc/self/ns/net", &here), 0);
	assert_int_equal(ASK(&h, .type = ND_PROTO_SCAN), 0);
	for (i = 0; i < answer.n_processes; i++) {
		const struct nd_proto_process *p = &answer.processes[i];

		assert_true(p->pid > 0);
		if (p->ino == there.st_ino && p->dev == there.st_dev) {
			assert_false(found);
			assert_int_equal(p->pid, child);
			found = true;
		}
		home |= p->ino == here.st_ino;
	}
	assert_true(found && home);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static void test_pool(void **state)
{
	static const char *const names[] = {"a", "b", "c", "d"};
	size_t i, before;

	(void)state;
	assert_int_equal(ASK(&h, .type = ND_PROTO_POOL, .number = 257), -ERANGE);
	assert_int_equal(ASK(&h, .type = ND_PROTO_PREPARE), 0);
	before = count_fds(h.worker);
	assert_int_equal(ASK(&h, .type = ND_PROTO_POOL, .number = 3), 0);
	for (i = 0; count_fds(h.worker) < before + 3; i++) {
		assert_true(i < WAIT_MS);
		poll(NULL, 0, 1);
	}
	for (i = 0; i < NCTL_ARRAY_SIZE(names); i++) {
		char path[32];
		uint64_t cookie = helper_create(&h, names[i]);

		snprintf(path, sizeof(path), "/run/netns/%s", names[i]);
		assert_true(cookie_of(path) == cookie);
	}
	/* One is being made perhaps, and goes at once. */
	assert_int_equal(ASK(&h, .type = ND_PROTO_POOL, .number = 0), 0);
	for (i = 0; count_fds(h.worker) > before; i++) {
		assert_true(i < WAIT_MS);
		poll(NULL, 0, 1);
	}
	for (i = 0; i < NCTL_ARRAY_SIZE(names); i++)
		helper_drop(&h, names[i]);
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
		cmocka_unit_test(test_create),
		cmocka_unit_test(test_delete),
		cmocka_unit_test(test_repair),
		cmocka_unit_test(test_prepare),
		cmocka_unit_test(test_ip_netns),
		cmocka_unit_test(test_join),
		cmocka_unit_test(test_no_netns),
		cmocka_unit_test(test_nsid_in),
		cmocka_unit_test(test_socket),
		cmocka_unit_test(test_socket_all),
		cmocka_unit_test(test_sysctl),
		cmocka_unit_test(test_maddr),
		cmocka_unit_test(test_link_move),
		cmocka_unit_test(test_scan),
		cmocka_unit_test(test_pool),
	};

	program = argc > 1 ? argv[1] : "netctld-helper";
	if (!sandbox()) {
		puts("SKIP: no right to make network and mount namespaces");
		return EXIT_SKIP;
	}
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
