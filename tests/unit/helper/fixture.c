/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* DOC: a daemon's part of the conversation with the helper, for the tests beside. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/cleanup.h"
#include "fixture.h"

struct answer answer;

bool sandbox(void)
{
	return unshare(CLONE_NEWNET | CLONE_NEWNS) == 0 &&
	       mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	       mount("none", "/run", "tmpfs", 0, "mode=0755") == 0;
}

static void wait_readable(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	assert_int_equal(poll(&p, 1, WAIT_MS), 1);
}

/* One message with its descriptors; its length. */
static size_t receive(int fd, void *buf, size_t size, int *ret_fds, size_t *ret_n_fds)
{
	union {
		struct cmsghdr align;
		char buf[CMSG_SPACE(ND_PROTO_FDS_MAX * sizeof(int))];
	} control;
	struct iovec iov = {buf, size};
	struct msghdr m = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
	struct cmsghdr *c;
	ssize_t k;

	*ret_n_fds = 0;
	wait_readable(fd);
	k = recvmsg(fd, &m, MSG_CMSG_CLOEXEC);
	if (k < 0 && errno == ECONNRESET)
		return 0;
	assert_true(k >= 0);
	assert_int_equal(m.msg_flags & (MSG_TRUNC | MSG_CTRUNC), 0);
	c = CMSG_FIRSTHDR(&m);
	if (c) {
		assert_int_equal(c->cmsg_type, SCM_RIGHTS);
		*ret_n_fds = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(ret_fds, CMSG_DATA(c), *ret_n_fds * sizeof(int));
	}
	return (size_t)k;
}

void helper_hello(struct helper *h)
{
	struct nd_proto_hello hello;
	size_t n, i;

	for (i = 0; i < ND_PROTO_CHANNELS; i++)
		nctl_closep(&h->channels[i]);
	assert_int_equal(receive(h->control, &hello, sizeof(hello), h->channels, &n), sizeof(hello));
	assert_int_equal(hello.magic, ND_PROTO_MAGIC);
	assert_int_equal(n, ND_PROTO_CHANNELS);
	assert_int_not_equal(hello.pid, h->worker);
	h->worker = hello.pid;
}

void helper_start(struct helper *h, const char *program, const char *const *paths)
{
	const char *argv[16] = {program, "--control-fd", "N", "--user-id", "0", "--runtime", "/nowhere"};
	size_t n = 7;
	char number[16];
	int pair[2];

	*h = (struct helper){.channels = {-1, -1, -1, -1}};
	while (paths && *paths)
		argv[n++] = *paths++;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	snprintf(number, sizeof(number), "%d", pair[1]);
	argv[2] = number;
	h->keeper = fork();
	assert_true(h->keeper >= 0);
	if (h->keeper == 0) {
		fcntl(pair[1], F_SETFD, 0);
		execv(program, (char **)(uintptr_t)argv);
		_exit(127);
	}
	close(pair[1]);
	h->control = pair[0];
	helper_hello(h);
}

int watch(pid_t pid)
{
	int fd = pidfd_open(pid, 0);

	assert_true(fd >= 0);
	return fd;
}

bool is_gone(int pidfd)
{
	struct pollfd p = {.fd = pidfd, .events = POLLIN};
	bool gone = poll(&p, 1, WAIT_MS) == 1;

	close(pidfd);
	return gone;
}

int helper_stop(struct helper *h)
{
	int status, worker = watch(h->worker);
	size_t i;

	close(h->control);
	assert_int_equal(waitpid(h->keeper, &status, 0), h->keeper);
	assert_true(is_gone(worker));
	for (i = 0; i < ND_PROTO_CHANNELS; i++)
		close(h->channels[i]);
	return status;
}

bool channel_is_over(int fd)
{
	char buf[256];
	size_t n;
	int fds[ND_PROTO_FDS_MAX];

	return receive(fd, buf, sizeof(buf), fds, &n) == 0;
}

void send_raw(struct helper *h, enum nd_proto_channel c, const void *data, size_t len)
{
	assert_int_equal(send(h->channels[c], data, len, MSG_NOSIGNAL), len);
}

size_t build(struct helper *h, const struct question *q, void *buf)
{
	struct nd_proto_request head = {.magic = ND_PROTO_MAGIC,
		.type = q->type,
		.id = ++h->id,
		.cookie = {q->cookie[0], q->cookie[1]},
		.pid = {q->pid[0], q->pid[1]},
		.number = q->number,
		.flags = q->flags};
	char *p = (char *)buf + sizeof(head);

	for (; head.n_strings < NCTL_ARRAY_SIZE(q->strings) && q->strings[head.n_strings]; head.n_strings++)
		p = stpcpy(p, q->strings[head.n_strings]) + 1;
	memcpy(buf, &head, sizeof(head));
	return (size_t)(p - (char *)buf);
}

static void answer_reset(void)
{
	while (answer.n_fds)
		close(answer.fds[--answer.n_fds]);
	while (answer.n_strings)
		free((char *)(uintptr_t)answer.strings[--answer.n_strings]);
	memset(&answer.h, 0, sizeof(answer.h));
	answer.n_processes = answer.n_parts = 0;
}

static void receive_part(struct helper *h, const struct question *q, enum nd_proto_channel c)
{
	static char buf[ND_PROTO_MESSAGE_MAX] __attribute__((aligned(8)));
	size_t n, len = receive(h->channels[c], buf, sizeof(buf), answer.fds + answer.n_fds, &n), i;
	const char *p = buf + sizeof(answer.h);

	assert_true(len >= sizeof(answer.h));
	memcpy(&answer.h, buf, sizeof(answer.h));
	assert_int_equal(answer.h.magic, ND_PROTO_MAGIC);
	assert_int_equal(answer.h.type, q->type);
	assert_int_equal(answer.h.id, h->id);
	assert_true(answer.h.error <= 0);
	memcpy(answer.processes + answer.n_processes, p, answer.h.n_processes * sizeof(*answer.processes));
	p += answer.h.n_processes * sizeof(*answer.processes);
	for (i = 0; i < answer.h.n_strings; i++) {
		assert_non_null(memchr(p, '\0', (size_t)(buf + len - p)));
		answer.strings[answer.n_strings++] = strdup(p);
		p += strlen(p) + 1;
	}
	assert_ptr_equal(p, buf + len);
	answer.n_fds += n;
	answer.n_processes += answer.h.n_processes;
	answer.n_parts++;
}

enum nd_proto_channel channel_of(enum nd_proto_type type)
{
	static const enum nd_proto_channel channels[] = {
		[ND_PROTO_CREATE] = ND_PROTO_MAKE,
		[ND_PROTO_DELETE] = ND_PROTO_MAKE,
		[ND_PROTO_JOIN] = ND_PROTO_LOOK,
		[ND_PROTO_NSID_IN] = ND_PROTO_LOOK,
		[ND_PROTO_SYSCTL_READ] = ND_PROTO_LOOK,
		[ND_PROTO_SYSCTL_WRITE] = ND_PROTO_MAKE,
		[ND_PROTO_LINK_MOVE] = ND_PROTO_MAKE,
		[ND_PROTO_OPEN_FILES] = ND_PROTO_LOOK,
		[ND_PROTO_SCAN] = ND_PROTO_LOOK,
		[ND_PROTO_POOL] = ND_PROTO_MAKE,
		[ND_PROTO_PREPARE] = ND_PROTO_MAKE,
		[ND_PROTO_OPEN_SOCKET] = ND_PROTO_SOCKET,
		[ND_PROTO_OPEN_MADDR] = ND_PROTO_LOOK,
		[ND_PROTO_READ_KEY] = ND_PROTO_LOOK,
	};

	return channels[type];
}

int ask(struct helper *h, const struct question *q)
{
	static char buf[ND_PROTO_MESSAGE_MAX];
	enum nd_proto_channel c = channel_of(q->type);

	answer_reset();
	send_raw(h, c, buf, build(h, q, buf));
	do
		receive_part(h, q, c);
	while (answer.h.more);
	if (answer.h.error)
		assert_true(answer.h.n_strings <= 1 && !answer.h.n_processes);
	return answer.h.error;
}

uint64_t helper_create(struct helper *h, const char *name)
{
	assert_int_equal(ASK(h, .type = ND_PROTO_CREATE, .strings = {name}), 0);
	assert_true(answer.h.cookie != 0);
	return answer.h.cookie;
}

void helper_drop(struct helper *h, const char *name)
{
	assert_int_equal(ASK(h, .type = ND_PROTO_DELETE, .strings = {name}), 0);
}

int run(const char *format, ...)
{
	char command[1024];
	va_list args;
	int status;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	status = system(command);
	assert_true(status >= 0 && WIFEXITED(status));
	return WEXITSTATUS(status);
}

uint64_t cookie_of(const char *path)
{
	uint64_t cookie = 0;
	socklen_t len = sizeof(cookie);
	int home = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC),
	    fd = open(path, O_RDONLY | O_CLOEXEC), s;

	assert_true(home >= 0 && fd >= 0);
	assert_int_equal(setns(fd, CLONE_NEWNET), 0);
	s = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	assert_int_equal(getsockopt(s, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &len), 0);
	assert_int_equal(setns(home, CLONE_NEWNET), 0);
	close(s);
	close(fd);
	close(home);
	return cookie;
}

void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

size_t count_fds(pid_t pid)
{
	char path[64];
	size_t n = 0;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	d = opendir(path);
	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

size_t count_mounts(void)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	size_t n = 0;
	int c;

	assert_non_null(f);
	while ((c = getc(f)) != EOF)
		n += c == '\n';
	fclose(f);
	return n;
}
