/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <systemd/sd-bus.h>

/* A client of the private socket for the benchmarks: one connection, one call after the other. */

uint64_t bench_now_us(void); /* CLOCK_MONOTONIC */

/* Waits up to wait_ms until DIR/private takes connections. 0 or -errno. */
int bench_bus_open(const char *dir, unsigned wait_ms, sd_bus **ret);
/* The answers are JSON text, to be freed. 0 or -errno; what went wrong is printed. */
int bench_bus_status(sd_bus *bus, char **ret_json);
int bench_bus_apply(sd_bus *bus, const char *path, char **ret_json);
/*
 * NetnsAdd or NetnsDel of n names. failed: they were refused, all or some, which is printed unless `quietly`.
 * 0, or -errno: no answer.
 */
int bench_bus_netns(
	sd_bus *bus, const char *method, const char *const *names, size_t n, bool quietly, bool *ret_failed);
/* All lines of a Query without filters, to be freed. 0 or -errno. */
int bench_bus_query(sd_bus *bus, const char *object, char **ret_lines);
/* The number behind "KEY": in json, wherever it stands first; 0 if it does not. */
uint64_t bench_json_number(const char *json, const char *key);
