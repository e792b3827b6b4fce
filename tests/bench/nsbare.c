/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the bare loop of namespaces, the limit that the kernel sets: makes N network namespaces, each with a
 * name in /run/netns as ip(8) gives one, and takes them away, with no more calls than that needs and no state
 * at all.
 *
 *   bench-nsbare [-p] [-j PROCESSES] N
 *
 * -p: each is taken away before the next one is made (pairs); else all are made first. -j: N is shared among
 * so many processes. Prints one JSON object: microseconds for making and for taking away (of the first
 * process).
 */
#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static void path_of(unsigned process, unsigned i, char path[64])
{
	snprintf(path, 64, "/run/netns/bare-%u-%u", process, i);
}

/* We stay in it until the next one: its name holds it. */
static void make(unsigned process, unsigned i)
{
	char path[64];
	int fd;

	path_of(process, i, path);
	fd = open(path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0);
	if (fd < 0)
		err(1, "%s", path);
	close(fd);
	if (unshare(CLONE_NEWNET) < 0 || mount("/proc/self/ns/net", path, "none", MS_BIND, NULL) < 0)
		err(1, "%s", path);
}

static void take_away(unsigned process, unsigned i)
{
	char path[64];

	path_of(process, i, path);
	if (umount2(path, MNT_DETACH) < 0 || unlink(path) < 0)
		err(1, "%s", path);
}

static void work(unsigned process, unsigned n, bool pairs)
{
	uint64_t start = now_us(), made;

	for (unsigned i = 0; i < n; i++) {
		make(process, i);
		if (pairs)
			take_away(process, i);
	}
	made = now_us();
	for (unsigned i = 0; i < n && !pairs; i++)
		take_away(process, i);
	if (process == 0)
		printf("{\"make_us\":%" PRIu64 ",\"take_away_us\":%" PRIu64 "}\n", made - start,
			now_us() - made);
}

int main(int argc, char **argv)
{
	unsigned n, processes = 1;
	bool pairs = false;
	int c, status, failed = 0;

	while ((c = getopt(argc, argv, "pj:")) >= 0) {
		if (c == 'p')
			pairs = true;
		else if (c == 'j')
			processes = (unsigned)atoi(optarg);
	}
	if (optind + 1 != argc || !processes)
		errx(2, "usage: bench-nsbare [-p] [-j PROCESSES] N");
	n = (unsigned)atoi(argv[optind]) / processes;
	for (unsigned i = 1; i < processes; i++) {
		pid_t pid = fork();

		if (pid < 0)
			err(1, "fork");
		if (pid == 0) {
			work(i, n, pairs);
			return 0;
		}
	}
	work(0, n, pairs);
	while (wait(&status) > 0)
		failed |= status;
	return failed != 0;
}
