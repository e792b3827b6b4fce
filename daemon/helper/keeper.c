/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * DOC: the keeper: starts the helper, hands the daemon its ends of the channels, and does so again when the
 * helper dies, so that neither a fault in it nor the end of one helper takes the daemon's powers for good.
 * Has one thread and reads nothing. Lives exactly as long as the daemon keeps the control socket open.
 */

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/time.h"
#include "helper/private.h"

enum {
	DELAY_MIN_MS = 50, /* before the next helper is started; doubled each time */
	DELAY_MAX_MS = 5000,
	HEALTHY_MS = 10 * 1000, /* a helper that lived this long starts the doubling anew */
};

struct child {
	pid_t pid;
	int pidfd;
};

/* The ends of the channels. */
struct ends {
	int daemon[ND_PROTO_CHANNELS], helper[ND_PROTO_CHANNELS];
};

static void ends_close(int fds[static ND_PROTO_CHANNELS])
{
	int i;

	for (i = 0; i < ND_PROTO_CHANNELS; i++) {
		nctl_closep(&fds[i]);
		fds[i] = -1;
	}
}

static void ends_fini(struct ends *e)
{
	ends_close(e->daemon);
	ends_close(e->helper);
}

static int ends_open(struct ends *e)
{
	int i, on = 1, pair[2];

	for (i = 0; i < ND_PROTO_CHANNELS; i++) {
		if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
			return -errno;
		e->daemon[i] = pair[0];
		e->helper[i] = pair[1];
		if (setsockopt(pair[1], SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) < 0)
			return -errno;
	}
	return 0;
}

static int send_hello(int control_fd, const struct ends *e, pid_t pid)
{
	struct nd_proto_hello hello = {.magic = ND_PROTO_MAGIC, .pid = pid};
	union {
		struct cmsghdr align;
		char buf[CMSG_SPACE(sizeof(e->daemon))];
	} control = {0};
	struct iovec iov = {&hello, sizeof(hello)};
	struct msghdr m = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(e->daemon));
	memcpy(CMSG_DATA(c), e->daemon, sizeof(e->daemon));
	while (sendmsg(control_fd, &m, MSG_NOSIGNAL) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

static _Noreturn void run_helper(const struct nd_helper_options *o, struct ends *e, pid_t keeper)
{
	/* Not even the death of the keeper leaves a helper behind. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != keeper)
		_exit(1);
	close(o->control_fd);
	ends_close(e->daemon);
	_exit(nd_channels_serve(e->helper, o));
}

/* 0; -EPIPE: the daemon is gone; or -errno. On 0 and -EPIPE there is a child. */
static int child_start(const struct nd_helper_options *o, struct child *ret)
{
	_cleanup_(ends_fini) struct ends e = {.daemon = {-1, -1, -1}, .helper = {-1, -1, -1}};
	pid_t keeper = getpid();
	struct child c;
	int r = ends_open(&e);

	if (r < 0)
		return r;
	c.pid = fork();
	if (c.pid < 0)
		return -errno;
	if (c.pid == 0)
		run_helper(o, &e, keeper);
	c.pidfd = pidfd_open(c.pid, 0);
	if (c.pidfd < 0) {
		r = -errno;
		kill(c.pid, SIGKILL);
		waitpid(c.pid, NULL, 0);
		return r;
	}
	*ret = c;
	r = send_hello(o->control_fd, &e, c.pid);
	return r < 0 ? -EPIPE : 0;
}

/* Makes sure that it is dead, and says why unless we killed it. */
static void child_end(struct child *c, bool quiet)
{
	int status = 0;

	if (quiet)
		kill(c->pid, SIGKILL);
	while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
		;
	nctl_closep(&c->pidfd);
	if (!quiet && WIFSIGNALED(status))
		fprintf(stderr, "netctld-helper: killed by signal %d, is started again\n", WTERMSIG(status));
	else if (!quiet)
		fprintf(stderr, "netctld-helper: ended with %d, is started again\n", WEXITSTATUS(status));
}

/* Waits for the end of the child (pidfd -1: there is none), at most timeout_ms (-1: for ever). true: the
 * daemon is gone; it never says anything here, so that anything that can be read is as good as that. */
static bool wait_for(int control_fd, int pidfd, int timeout_ms)
{
	struct pollfd v[] = {{.fd = control_fd, .events = POLLIN}, {.fd = pidfd, .events = POLLIN}};

	while (poll(v, NCTL_ARRAY_SIZE(v), timeout_ms) < 0)
		if (errno != EINTR)
			return true;
	return v[0].revents != 0;
}

int nd_keeper_run(const struct nd_helper_options *o)
{
	int delay_ms = DELAY_MIN_MS, r;
	nctl_time healthy;
	struct child c = {.pidfd = -1};
	bool gone;

	for (;;) {
		healthy = nctl_time_add_ms(nctl_time_now(), HEALTHY_MS);
		r = child_start(o, &c);
		gone = r == -EPIPE;
		if (r == 0)
			gone = wait_for(o->control_fd, c.pidfd, -1);
		else if (!gone)
			fprintf(stderr, "netctld-helper: cannot be started: %s\n", strerror(-r));
		if (r == 0 || gone)
			child_end(&c, gone);
		if (gone)
			return 0;
		if (nctl_time_cmp(nctl_time_now(), healthy) > 0)
			delay_ms = DELAY_MIN_MS;
		if (wait_for(o->control_fd, -1, delay_ms))
			return 0;
		delay_ms = nctl_min(delay_ms * 2, (int)DELAY_MAX_MS);
	}
}
