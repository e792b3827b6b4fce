/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: calls of the private socket (daemon/bus/bus.h) for bench-run and bench-latency. Blocking, and without
 * any work of its own around a call, so that what it takes is the daemon's time and the kernel's.
 */
#include "client.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"

#define OBJECT    "/org/netctld"
#define INTERFACE "org.netctld.Manager"

enum { APPLY_TIMEOUT_US = 600 * 1000 * 1000, RETRY_NS = 3 * 1000 * 1000 };

uint64_t bench_now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static int try_open(const char *dir, sd_bus **ret)
{
	_cleanup_(sd_bus_flush_close_unrefp) sd_bus *bus = NULL;
	char address[256];
	int r;

	snprintf(address, sizeof(address), "unix:path=%s/private", dir);
	r = sd_bus_new(&bus);
	if (r >= 0)
		r = sd_bus_set_address(bus, address);
	if (r >= 0)
		r = sd_bus_negotiate_fds(bus, 1);
	if (r >= 0)
		r = sd_bus_start(bus);
	if (r < 0)
		return r;
	*ret = take_ptr(bus);
	return 0;
}

int bench_bus_open(const char *dir, unsigned wait_ms, sd_bus **ret)
{
	const struct timespec pause = {.tv_nsec = RETRY_NS};
	uint64_t deadline = bench_now_us() + (uint64_t)wait_ms * 1000;
	int r;

	/* The socket's file comes and the daemon listens; nothing tells us when. */
	while ((r = try_open(dir, ret)) < 0 && (r == -ENOENT || r == -ECONNREFUSED) &&
		bench_now_us() < deadline)
		nanosleep(&pause, NULL);
	return r;
}

/* Sends m and takes the string of the answer. */
static int call(sd_bus *bus, sd_bus_message *m, uint64_t timeout_us, char **ret_json)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	const char *json;
	char *copy;
	int r;

	r = sd_bus_call(bus, m, timeout_us, &error, &reply);
	if (r < 0) {
		fprintf(stderr, "bench: call: %s\n", error.message ? error.message : strerror(-r));
		return r;
	}
	r = sd_bus_message_read(reply, "s", &json);
	if (r < 0)
		return r;
	copy = strdup(json);
	if (!copy)
		return -ENOMEM;
	*ret_json = copy;
	return 0;
}

int bench_bus_status(sd_bus *bus, char **ret_json)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *m = NULL;
	int r = sd_bus_message_new_method_call(bus, &m, NULL, OBJECT, INTERFACE, "Status");

	return r < 0 ? r : call(bus, m, 0, ret_json);
}

int bench_bus_apply(sd_bus *bus, const char *path, char **ret_json)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *m = NULL;
	_cleanup_(nctl_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	int r;

	if (fd < 0) {
		r = -errno;
		fprintf(stderr, "bench: %s: %s\n", path, strerror(errno));
		return r;
	}
	r = sd_bus_message_new_method_call(bus, &m, NULL, OBJECT, INTERFACE, "Apply");
	if (r >= 0)
		r = sd_bus_message_append(m, "a(sh)ua{ss}", 1, path, fd, 0, 0);
	return r < 0 ? r : call(bus, m, APPLY_TIMEOUT_US, ret_json);
}

int bench_bus_netns(
	sd_bus *bus, const char *method, const char *const *names, size_t n, bool quietly, bool *ret_failed)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *m = NULL, *reply = NULL;
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	const char *json = NULL;
	int r;

	r = sd_bus_message_new_method_call(bus, &m, NULL, OBJECT, INTERFACE, method);
	if (r >= 0)
		r = sd_bus_message_open_container(m, 'a', "s");
	for (size_t i = 0; i < n && r >= 0; i++)
		r = sd_bus_message_append(m, "s", names[i]);
	if (r >= 0)
		r = sd_bus_message_close_container(m);
	if (r < 0)
		return r;
	r = sd_bus_call(bus, m, APPLY_TIMEOUT_US, &error, &reply);
	if (r < 0 && !sd_bus_error_is_set(&error))
		return r;
	if (r >= 0)
		r = sd_bus_message_read(reply, "s", &json);
	*ret_failed = r < 0 || bench_json_number(json, "exit") != 0;
	if (*ret_failed && !quietly)
		fprintf(stderr, "bench: %s %s…: %.2000s\n", method, names[0], json ? json : error.message);
	return 0;
}

int bench_bus_query(sd_bus *bus, const char *object, char **ret_lines)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *m = NULL, *reply = NULL;
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	_cleanup_(nctl_freep) char *text = NULL;
	size_t size = 0;
	ssize_t k = 1;
	char buf[65536];
	FILE *out;
	int r, fd;

	r = sd_bus_message_new_method_call(bus, &m, NULL, OBJECT, INTERFACE, "Query");
	if (r >= 0)
		r = sd_bus_message_append(m, "sa{ss}", object, 0);
	if (r >= 0)
		r = sd_bus_call(bus, m, 0, &error, &reply);
	if (r >= 0)
		r = sd_bus_message_read(reply, "h", &fd);
	if (r < 0) {
		fprintf(stderr, "bench: Query: %s\n", error.message ? error.message : strerror(-r));
		return r;
	}
	out = open_memstream(&text, &size);
	if (!out)
		return -ENOMEM;
	while ((k = read(fd, buf, sizeof(buf))) > 0)
		fwrite(buf, 1, (size_t)k, out);
	if (fclose(out) != 0 || k < 0)
		return -EIO;
	*ret_lines = take_ptr(text);
	return 0;
}

uint64_t bench_json_number(const char *json, const char *key)
{
	char pattern[64];
	const char *p;

	snprintf(pattern, sizeof(pattern), "\"%s\":", key);
	p = strstr(json, pattern);
	return p ? strtoull(p + strlen(pattern), NULL, 10) : 0;
}
