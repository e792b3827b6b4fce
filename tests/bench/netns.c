/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: clients that make and delete namespaces one by one over connections that exist already, as a daemon of
 * containers would.
 *
 *   bench-netns DIR pairs WORKERS EACH
 *       so many connections at the same time, each so many times: add one, delete it
 *   bench-netns DIR latency COUNT
 *       adds COUNT, one after the other, by the half of the pool; deletes them, and goes on when the pool of
 *       ready namespaces (Status, netns_pool_ready) is full again
 *   bench-netns DIR pauses COUNT
 *       likewise, but waits for the full pool before each one
 *
 * DIR: the runtime folder. Prints one JSON object: for the additions p50_us, p99_us, longest_us and their
 * number, calls; latency: in status_us what a call that does nothing takes.
 */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../live/nsidle.h"
#include "base/cleanup.h"
#include "client.h"

enum {
	BUS_WAIT_MS = 60 * 1000,
	NAME_BYTES = 32,
	BATCH = 32,            /* deleted at a time */
	REFILL_MS = 10 * 1000, /* for one namespace */
	IDLE_MS = 60 * 1000,
	LOOK_NS = 200 * 1000,
};

static sd_bus *connect_to(const char *dir)
{
	sd_bus *bus = NULL;

	if (bench_bus_open(dir, BUS_WAIT_MS, &bus) < 0)
		errx(1, "%s: the daemon does not answer", dir);
	return bus;
}

static void change(sd_bus *bus, const char *method, const char *const *names, size_t n)
{
	bool failed;
	int r = bench_bus_netns(bus, method, names, n, false, &failed);

	if (r < 0 || failed)
		errx(1, "%s: %s", method, r < 0 ? strerror(-r) : "refused");
}

static void worker(const char *dir, unsigned w, unsigned each, uint64_t *us)
{
	sd_bus *bus = connect_to(dir);
	char text[NAME_BYTES];
	const char *name = text;

	for (unsigned i = 0; i < each; i++) {
		uint64_t start = bench_now_us();

		snprintf(text, sizeof(text), "w%u.%u", w, i);
		change(bus, "NetnsAdd", &name, 1);
		us[i] = bench_now_us() - start;
		change(bus, "NetnsDel", &name, 1);
	}
	sd_bus_flush_close_unref(bus);
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void print_latency(uint64_t *us, size_t n, uint64_t status_us)
{
	qsort(us, n, sizeof(*us), by_value);
	printf("{\"calls\":%zu,\"p50_us\":%" PRIu64 ",\"p99_us\":%" PRIu64 ",\"longest_us\":%" PRIu64
	       ",\"status_us\":%" PRIu64 "}\n",
		n, us[n / 2], us[n * 99 / 100], us[n - 1], status_us);
}

static int pairs(const char *dir, unsigned workers, unsigned each)
{
	size_t bytes = sizeof(uint64_t) * workers * each;
	uint64_t *us = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status, failed = 0;

	if (us == MAP_FAILED)
		err(1, "memory");
	for (unsigned w = 0; w < workers; w++) {
		pid_t pid = fork();

		if (pid < 0)
			err(1, "fork");
		if (pid == 0) {
			worker(dir, w, each, us + (size_t)w * each);
			exit(0);
		}
	}
	while (wait(&status) > 0)
		failed |= status;
	if (!failed)
		print_latency(us, (size_t)workers * each, 0);
	return failed != 0;
}

static uint64_t pool_ready(sd_bus *bus)
{
	_cleanup_(nctl_freep) char *json = NULL;

	if (bench_bus_status(bus, &json) < 0)
		errx(1, "the daemon is gone");
	return bench_json_number(json, "netns_pool_ready");
}

/* As many as there were before; the daemon tells nobody when. */
static void wait_for_pool(sd_bus *bus, uint64_t full)
{
	const struct timespec pause = {.tv_nsec = LOOK_NS};
	uint64_t deadline = bench_now_us() + (uint64_t)REFILL_MS * 1000;

	while (pool_ready(bus) < full) {
		if (bench_now_us() > deadline)
			errx(1, "the pool is not filled again");
		nanosleep(&pause, NULL);
	}
}

/* The pool at its largest: it grows from nothing after the start. */
static uint64_t full_pool(sd_bus *bus)
{
	const struct timespec pause = {.tv_nsec = 200 * 1000 * 1000};
	uint64_t before, now = pool_ready(bus), deadline = bench_now_us() + (uint64_t)REFILL_MS * 1000;

	do {
		if (bench_now_us() > deadline)
			errx(1, "no namespaces are ready: netns_pool_ready of Status is %" PRIu64, now);
		before = now;
		nanosleep(&pause, NULL);
		now = pool_ready(bus);
	} while (now != before || !now);
	return now;
}

static uint64_t measure_status(sd_bus *bus)
{
	uint64_t start = bench_now_us();

	for (unsigned i = 0; i < 100; i++)
		pool_ready(bus);
	return (bench_now_us() - start) / 100;
}

static int latency(const char *dir, unsigned count, bool pauses)
{
	char text[BATCH][NAME_BYTES];
	const char *names[BATCH];
	sd_bus *bus = connect_to(dir);
	uint64_t *us = calloc(count, sizeof(*us)), full = full_pool(bus);
	unsigned n = 0;
	int r;

	if (!us)
		err(1, "memory");
	for (unsigned i = 0; i < count; i++) {
		uint64_t start;

		if (n == 0 || pauses)
			wait_for_pool(bus, full);
		snprintf(text[n], sizeof(text[n]), "warm%u", i);
		names[n] = text[n];
		start = bench_now_us();
		change(bus, "NetnsAdd", &names[n], 1);
		us[i] = bench_now_us() - start;
		if (++n < BATCH && i + 1 < count)
			continue;
		change(bus, "NetnsDel", names, n);
		n = 0;
		r = nsidle_wait(IDLE_MS);
		if (r < 0)
			errx(1, "namespaces are not taken down: %s", strerror(-r));
	}
	print_latency(us, count, measure_status(bus));
	free(us);
	sd_bus_flush_close_unref(bus);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 5 && strcmp(argv[2], "pairs") == 0 && atoi(argv[3]) > 0 && atoi(argv[4]) > 0)
		return pairs(argv[1], (unsigned)atoi(argv[3]), (unsigned)atoi(argv[4]));
	if (argc == 4 && strcmp(argv[2], "latency") == 0 && atoi(argv[3]) > 0)
		return latency(argv[1], (unsigned)atoi(argv[3]), false);
	if (argc == 4 && strcmp(argv[2], "pauses") == 0 && atoi(argv[3]) > 0)
		return latency(argv[1], (unsigned)atoi(argv[3]), true);
	fputs("usage: bench-netns DIR pairs WORKERS EACH | bench-netns DIR latency|pauses COUNT\n", stderr);
	return 2;
}
