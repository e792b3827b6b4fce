/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: what readers of all routes do to others, and to the daemon's memory. One client asks for a link, over
 * one connection, at a steady pace, from the call to the last line; another one, on a connection of its own,
 * asks for all routes and
 *
 *   idle     does not even do that,
 *   stuck    never reads,
 *   reading  reads as fast as it can, again and again, in a process of its own
 *
 *   bench-stuck [-i PACE_US] [-n CALLS] DIR PID idle|stuck|reading
 *
 * PID is the daemon. Prints one JSON object: percentiles of the calls in microseconds, and PID's resident
 * memory in KiB before and at most. A call that takes longer than the pace counts several times, as in
 * latency.c.
 */
#include <err.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "client.h"

enum { WAIT_MS = 30000, SAMPLES_MAX = 1000 * 1000 };

static sd_bus *must_open(const char *dir)
{
	sd_bus *bus;
	int r = bench_bus_open(dir, WAIT_MS, &bus);

	if (r < 0)
		errx(1, "%s: %s", dir, strerror(-r));
	return bus;
}

/* The pipe, which the bus's message owns; *ret_reply keeps it. */
static int ask(
	sd_bus *bus, const char *object, const char *key, const char *value, sd_bus_message **ret_reply)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *m = NULL;
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	int fd, r;

	r = sd_bus_message_new_method_call(bus, &m, NULL, "/org/netctld", "org.netctld.Manager", "Query");
	if (r >= 0)
		r = sd_bus_message_append(m, "sa{ss}", object, 1, key, value);
	if (r >= 0)
		r = sd_bus_call(bus, m, 0, &error, ret_reply);
	if (r >= 0)
		r = sd_bus_message_read(*ret_reply, "h", &fd);
	if (r < 0)
		errx(1, "Query: %s", error.message ? error.message : strerror(-r));
	return fd;
}

/* Reads to the end, how many bytes there were. */
static size_t drain(int fd)
{
	static char buf[1 << 16];
	size_t total = 0;
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) > 0)
		total += (size_t)n;
	if (n < 0 || total < 2)
		errx(1, "the answer is cut short");
	return total;
}

static void read_for_ever(const char *dir)
{
	sd_bus *bus;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	bus = must_open(dir);
	for (;;) {
		sd_bus_message *reply = NULL;

		drain(ask(bus, "route", "table", "all", &reply));
		sd_bus_message_unref(reply);
	}
}

static long rss_kib(const char *pid)
{
	char path[64], line[128];
	long kib = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%s/status", pid);
	f = fopen(path, "re");
	if (!f)
		err(1, "%s", path);
	while (fgets(line, sizeof(line), f) && sscanf(line, "VmRSS: %ld", &kib) != 1)
		;
	fclose(f);
	return kib;
}

static int compare(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static size_t add(uint32_t *us, size_t n, uint64_t took, uint64_t pace)
{
	do {
		us[n++] = (uint32_t)took;
		took -= took > pace ? pace : took;
	} while (took > pace && n < SAMPLES_MAX);
	return n;
}

static void measure(sd_bus *bus, unsigned calls, uint64_t pace, const char *pid, long before)
{
	uint32_t *us = malloc(SAMPLES_MAX * sizeof(*us));
	long most = before, now;
	size_t n = 0;

	if (!us)
		err(1, "samples");
	for (unsigned i = 0; i < calls && n < SAMPLES_MAX; i++) {
		uint64_t start = bench_now_us(), took;
		struct timespec t = {0};
		sd_bus_message *reply = NULL;

		drain(ask(bus, "link", "dev", "lo", &reply));
		took = bench_now_us() - start;
		sd_bus_message_unref(reply);
		n = add(us, n, took, pace);
		now = rss_kib(pid);
		most = now > most ? now : most;
		t.tv_nsec = took < pace ? (long)(pace - took) * 1000 : 0;
		nanosleep(&t, NULL);
	}
	qsort(us, n, sizeof(*us), compare);
	printf("{\"calls\":%u,\"p50_us\":%" PRIu32 ",\"p99_us\":%" PRIu32 ",\"max_us\":%" PRIu32
	       ",\"rss_kib\":%ld,\"rss_most_kib\":%ld}\n",
		calls, us[n / 2], us[n * 99 / 100], us[n - 1], before, most);
	free(us);
}

int main(int argc, char **argv)
{
	uint64_t pace = 1000;
	sd_bus *bus, *other = NULL;
	sd_bus_message *reply = NULL;
	unsigned calls = 3000;
	pid_t child = 0;
	long before;
	int c;

	while ((c = getopt(argc, argv, "i:n:")) != -1) {
		if (c == '?')
			return 2;
		if (c == 'i')
			pace = strtoull(optarg, NULL, 10);
		else
			calls = (unsigned)strtoul(optarg, NULL, 10);
	}
	if (optind + 3 != argc || pace == 0 || calls == 0) {
		fputs("usage: bench-stuck [-i PACE_US] [-n CALLS] DIR PID idle|stuck|reading\n", stderr);
		return 2;
	}
	bus = must_open(argv[optind]);
	before = rss_kib(argv[optind + 1]);
	if (strcmp(argv[optind + 2], "stuck") == 0) {
		other = must_open(argv[optind]);
		(void)ask(other, "route", "table", "all", &reply);
	} else if (strcmp(argv[optind + 2], "reading") == 0) {
		child = fork();
		if (child == 0)
			read_for_ever(argv[optind]);
	}
	measure(bus, calls, pace, argv[optind + 1], before);
	if (child > 0) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	sd_bus_message_unref(reply);
	sd_bus_flush_close_unref(other);
	sd_bus_flush_close_unref(bus);
	return 0;
}
