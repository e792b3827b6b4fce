/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the box on the host in which the guest kernel runs.
 *
 * guest-jail SECONDS RESULTS PROGRAM [ARGUMENT...]
 *
 * Runs PROGRAM with an empty environment in own mount, PID, network and IPC
 * namespaces (and a user namespace unless called by root), where every mount
 * is read-only but two: the folder RESULTS ("-" for none) and a new tmpfs on
 * /dev/shm, in which the guest kernel keeps its memory. A guest may mount
 * hostfs as often and as writable as it likes, the host's kernel refuses.
 *
 * Everything ends with PROGRAM, at the limit, or when the caller dies: the
 * processes are children of a PID 1 of their own, which is killed with its
 * parent, and all of them with it.
 *
 * Exit status: PROGRAM's, or 128 + its signal; 124 at the limit; 125 if the
 * box cannot be built; 77 if the caller lacks the right to build one.
 *
 * The read-only tree is a recursive copy of all mounts, because "/" need not
 * be a mount point (in a chroot it is none) and because a mount covered by
 * another is reached that way, too. open_tree(2), mount_setattr(2): Linux 5.12.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	EXIT_NOT_ALLOWED = 77,
	EXIT_TIMED_OUT = 124,
	EXIT_NO_JAIL = 125,
};

static void die(const char *what)
{
	fprintf(stderr, "guest-jail: %s: %s\n", what, strerror(errno));
	exit(EXIT_NO_JAIL);
}

static void write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		die(path);
	close(fd);
}

static void leave_namespaces(void)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();
	char map[64];
	int flags = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC;

	if (unshare(flags | (uid ? CLONE_NEWUSER : 0)) < 0) {
		if (errno == EPERM || errno == ENOSPC) {
			fprintf(stderr, "guest-jail: not allowed to make namespaces here (%s)\n",
				strerror(errno));
			exit(EXIT_NOT_ALLOWED);
		}
		die("unshare");
	}
	if (uid == 0)
		return;
	snprintf(map, sizeof(map), "0 %u 1\n", uid);
	write_text("/proc/self/uid_map", map);
	write_text("/proc/self/setgroups", "deny");
	snprintf(map, sizeof(map), "0 %u 1\n", gid);
	write_text("/proc/self/gid_map", map);
}

static int clone_tree(const char *path, __u64 set)
{
	struct mount_attr attr = {.attr_set = set, .propagation = MS_PRIVATE};
	int fd = open_tree(AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);

	if (fd < 0 || mount_setattr(fd, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr, sizeof(attr)) < 0)
		die(path);
	return fd;
}

/* /proc is the place to hang the new tree, being a mount point wherever
 * programs run; made private first, or the host would see it. */
static void enter_read_only_tree(const char *results)
{
	struct statvfs root;
	int tree, keep = -1;

	if (mount(NULL, "/proc", NULL, MS_PRIVATE, NULL) < 0)
		die("/proc is not mounted");
	if (results)
		keep = clone_tree(results, 0);
	tree = clone_tree("/", MOUNT_ATTR_RDONLY);
	if (move_mount(tree, "", AT_FDCWD, "/proc", MOVE_MOUNT_F_EMPTY_PATH) < 0)
		die("attach the tree");
	if (fchdir(tree) < 0 || chroot(".") < 0 || chdir("/") < 0)
		die("chroot");
	if (results && move_mount(keep, "", AT_FDCWD, results, MOVE_MOUNT_F_EMPTY_PATH) < 0)
		die(results);
	if (mount("guest", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777") < 0)
		die("/dev/shm");
	if (statvfs("/", &root) < 0 || !(root.f_flag & ST_RDONLY)) {
		errno = ENOTSUP;
		die("a read-only tree");
	}
	close(tree);
	if (keep >= 0)
		close(keep);
}

/* PID 1 of the box: starts the program, reaps, and takes all down with it. */
_Noreturn static void run_inside(char **argv)
{
	static char path[] = "PATH=/usr/bin:/bin";
	static char *const environment[] = {path, NULL};
	sigset_t none;
	int status = 0;
	pid_t pid, ended;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid == 0) {
		execve(argv[0], argv, environment);
		die(argv[0]);
	}
	do {
		ended = wait(&status);
		if (ended < 0 && errno != EINTR)
			die("wait");
	} while (ended != pid);
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

/* The time left until the deadline; false if there is none. */
static bool time_left(const struct timespec *deadline, struct timespec *ret_left)
{
	struct timespec now, left;

	clock_gettime(CLOCK_MONOTONIC, &now);
	left.tv_sec = deadline->tv_sec - now.tv_sec;
	left.tv_nsec = deadline->tv_nsec - now.tv_nsec;
	if (left.tv_nsec < 0) {
		left.tv_sec--;
		left.tv_nsec += 1000000000;
	}
	if (left.tv_sec < 0)
		return false;
	*ret_left = left;
	return true;
}

/* Waits for the box to end, or ends it at the deadline or a signal of the set.
 * The death of its PID 1 is complete when no other process is left in it. */
static int watch(pid_t pid, const struct timespec *deadline, const sigset_t *set)
{
	int status, result = EXIT_TIMED_OUT, sig;
	struct timespec left;

	while (time_left(deadline, &left)) {
		pid_t ended = waitpid(pid, &status, WNOHANG);

		if (ended < 0)
			die("waitpid");
		if (ended == pid)
			return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
		sig = sigtimedwait(set, NULL, &left);
		if (sig > 0 && sig != SIGCHLD) {
			result = 128 + sig;
			break;
		}
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return result;
}

int main(int argc, char **argv)
{
	static const int watched[] = {SIGCHLD, SIGTERM, SIGINT, SIGHUP};
	struct timespec deadline;
	unsigned long seconds;
	sigset_t set;
	int alive[2];
	char byte;
	pid_t pid;

	if (argc < 4 || (seconds = strtoul(argv[1], NULL, 10)) == 0) {
		fputs("usage: guest-jail SECONDS RESULTS|- PROGRAM [ARGUMENT...]\n", stderr);
		return 2;
	}
	clock_gettime(CLOCK_MONOTONIC, &deadline);
	deadline.tv_sec += (time_t)seconds;
	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(watched) / sizeof(*watched); i++)
		sigaddset(&set, watched[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);

	leave_namespaces();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	enter_read_only_tree(strcmp(argv[2], "-") == 0 ? NULL : argv[2]);
	if (pipe2(alive, O_CLOEXEC) < 0)
		die("pipe2");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid == 0) {
		/* The byte proves that the parent lived after the signal was set. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(alive[1]);
		if (read(alive[0], &byte, 1) != 1)
			_exit(EXIT_NO_JAIL);
		run_inside(argv + 3);
	}
	if (write(alive[1], "", 1) != 1)
		die("write");
	return watch(pid, &deadline, &set);
}
