/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Starts the privileged helper while this process still has root's rights: the program beside our own,
 * else the one that was installed, with one end of a socketpair and nothing else of ours but stdout and
 * stderr.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "log/log.h"
#include "netns/drop.h"

enum { CONTROL_FD = 3 };

#define HELPER "netctld-helper"

static int find_helper(char path[static PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - sizeof(HELPER));
	char *slash;

	if (n > 0) {
		path[n] = '\0';
		slash = strrchr(path, '/');
		if (slash) {
			strcpy(slash + 1, HELPER);
			if (access(path, X_OK) == 0)
				return 0;
		}
	}
	if (snprintf(path, PATH_MAX, "%s/" HELPER, ND_LIBEXEC_DIR) >= PATH_MAX)
		return -ENAMETOOLONG;
	return access(path, X_OK) < 0 ? -errno : 0;
}

/* In the child: replaces it, or returns errno. Only what signal-safety(7) lists, though there are no threads
 * yet. */
static int become_helper(const char *path, char *const *argv, int control)
{
	int null = open("/dev/null", O_RDWR);
	sigset_t none;

	sigemptyset(&none);
	/* dup2 to itself would leave it close-on-exec. */
	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || sigprocmask(SIG_SETMASK, &none, NULL) < 0)
		return errno;
	if (control == CONTROL_FD ? fcntl(control, F_SETFD, 0) < 0 : dup2(control, CONTROL_FD) < 0)
		return errno;
	if (null > CONTROL_FD)
		close(null);
	signal(SIGPIPE, SIG_DFL);
	execv(path, argv);
	return errno;
}

/* Waits for exec: nothing in the pipe means that it worked. */
static int read_error(int fd)
{
	int error = 0;
	ssize_t k;

	do
		k = read(fd, &error, sizeof(error));
	while (k < 0 && errno == EINTR);
	return k == (ssize_t)sizeof(error) ? -error : 0;
}

static int fork_helper(const char *path, char *const *argv, int control)
{
	/* A helper that ends leaves nothing behind that somebody would have to wait for. */
	const struct sigaction leave = {.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDWAIT};
	_cleanup_(nctl_closep) int report = -1;
	int fds[2], error;
	pid_t pid;

	if (sigaction(SIGCHLD, &leave, NULL) < 0 || pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	report = fds[0];
	/* Out of the way of CONTROL_FD. */
	error = fcntl(fds[1], F_DUPFD_CLOEXEC, CONTROL_FD + 1);
	close(fds[1]);
	if (error < 0)
		return -errno;
	fds[1] = error;
	pid = fork();
	if (pid == 0) {
		error = become_helper(path, argv, control);
		(void)!write(fds[1], &error, sizeof(error));
		_exit(127);
	}
	error = pid < 0 ? -errno : 0;
	close(fds[1]);
	return error ? error : read_error(report);
}

int nd_spawn_helper(const struct nd_privileges *p, uid_t uid, int *ret_fd)
{
	_cleanup_(nctl_freep) char **argv = calloc(p->n_paths + 7, sizeof(*argv));
	_cleanup_(nctl_closep) int ours = -1, theirs = -1;
	char path[PATH_MAX], user[16], control[] = {'0' + CONTROL_FD, '\0'};
	int fds[2], r;
	size_t n = 0;

	if (!argv)
		return -ENOMEM;
	r = find_helper(path);
	if (r < 0)
		return r;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0)
		return -errno;
	ours = fds[0];
	theirs = fds[1];
	snprintf(user, sizeof(user), "%u", (unsigned)uid);
	argv[n++] = path;
	argv[n++] = (char[]){"--control-fd"};
	argv[n++] = control;
	argv[n++] = (char[]){"--user-id"};
	argv[n++] = user;
	argv[n++] = (char[]){"--"};
	/* execv(2) does not write to them. */
	for (size_t i = 0; i < p->n_paths; i++)
		argv[n++] = (char *)(uintptr_t)p->paths[i];
	r = fork_helper(path, argv, theirs);
	if (r < 0)
		return r;
	nd_debug("the helper was started: %s", path);
	*ret_fd = take_fd(ours);
	return 0;
}
