/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: how long the daemon takes to answer Status, over one connection, one call at a time, at a steady pace. Runs
 * until SIGTERM or for a number of seconds. A call that takes longer than the pace hides the calls that would have
 * waited behind it; they are counted as what they would have taken (t - pace, t - 2 pace and so on), so that a stall
 * of 100 ms is a hundred bad calls and not one.
 *
 *   bench-latency [-i PACE_US] [-t SECONDS] [-r] DIR|-
 *
 * -r: prints "ready" first, for bench-run's start. With "-" it asks a child of its own that sends back each byte at
 * once: what this shows is the scheduler's doing and no daemon's, the control of the experiment. Prints one JSON
 * object with p50, p99, maximum and all samples in microseconds.
 */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "client.h"

enum { WAIT_MS = 30000, SAMPLES_MAX = 4 * 1000 * 1000 };

struct samples {
	uint32_t *us;
	size_t n, cap, calls;
};

static void add(struct samples *s, uint64_t us)
{
	if (s->n == s->cap) {
		s->cap = s->cap ? s->cap * 2 : 1024;
		s->us = reallocarray(s->us, s->cap, sizeof(*s->us));
		if (!s->us)
			err(1, "samples");
	}
	s->us[s->n++] = (uint32_t)us;
}

static void add_call(struct samples *s, uint64_t us, uint64_t pace)
{
	s->calls++;
	add(s, us);
	while (us > pace && s->n < SAMPLES_MAX) {
		us -= pace;
		add(s, us);
	}
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void print(struct samples *s)
{
	if (!s->n)
		errx(1, "not one call");
	qsort(s->us, s->n, sizeof(*s->us), compare);
	printf("{\"calls\":%zu,\"count\":%zu,\"p50_us\":%" PRIu32 ",\"p99_us\":%" PRIu32
	       ",\"max_us\":%" PRIu32 ",\"samples\":[",
		s->calls, s->n, s->us[s->n / 2], s->us[s->n * 99 / 100], s->us[s->n - 1]);
	for (size_t i = 0; i < s->n; i++)
		printf("%s%" PRIu32, i ? "," : "", s->us[i]);
	puts("]}");
}

/* Waits until then, at least looks; true when SIGTERM came, which is blocked else so that it breaks no call. */
static bool pause_until(uint64_t us)
{
	uint64_t now = bench_now_us(), left = us > now ? us - now : 0;
	struct timespec t = {.tv_sec = (time_t)(left / 1000000), .tv_nsec = (long)(left % 1000000) * 1000};
	sigset_t term;

	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	return sigtimedwait(&term, NULL, &t) == SIGTERM;
}

/* A child that sends back each byte. It ends with the other end of the socket. */
static int start_echo(void)
{
	int fds[2];
	char c;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
		err(1, "socketpair");
	switch (fork()) {
	case -1:
		err(1, "fork");
	case 0:
		close(fds[0]);
		while (read(fds[1], &c, 1) == 1 && write(fds[1], &c, 1) == 1)
			;
		_exit(0);
	}
	close(fds[1]);
	return fds[0];
}

static void call(sd_bus *bus, int echo)
{
	_cleanup_(nctl_freep) char *json = NULL;
	char c = 0;

	if (bus ? bench_bus_status(bus, &json) < 0 : write(echo, &c, 1) != 1 || read(echo, &c, 1) != 1)
		errx(1, "no answer");
}

/* bus, or NULL and echo. */
static void measure(sd_bus *bus, int echo, uint64_t pace, uint64_t end, struct samples *s)
{
	uint64_t start;

	do {
		start = bench_now_us();
		call(bus, echo);
		add_call(s, bench_now_us() - start, pace);
	} while (!pause_until(start + pace) && bench_now_us() < end && s->n < SAMPLES_MAX);
}

int main(int argc, char **argv)
{
	_cleanup_(sd_bus_flush_close_unrefp) sd_bus *bus = NULL;
	uint64_t pace = 1000, end = UINT64_MAX;
	struct samples s = {0};
	int c, r = 0, say_ready = 0, echo = -1;
	sigset_t term;

	while ((c = getopt(argc, argv, "i:t:r")) != -1) {
		if (c == '?')
			return 2;
		if (c == 'i')
			pace = strtoull(optarg, NULL, 10);
		if (c == 't')
			end = bench_now_us() + strtoull(optarg, NULL, 10) * 1000000;
		say_ready |= c == 'r';
	}
	if (optind + 1 != argc || pace == 0) {
		fputs("usage: bench-latency [-i PACE_US] [-t SECONDS] [-r] DIR|-\n", stderr);
		return 2;
	}
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_BLOCK, &term, NULL);
	if (strcmp(argv[optind], "-") == 0)
		echo = start_echo();
	else
		r = bench_bus_open(argv[optind], WAIT_MS, &bus);
	if (r < 0)
		errx(1, "%s: %s", argv[optind], strerror(-r));
	if (say_ready) {
		puts("ready");
		fflush(stdout);
	}
	measure(bus, echo, pace, end, &s);
	print(&s);
	free(s.us);
	return 0;
}
