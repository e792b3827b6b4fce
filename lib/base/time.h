/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdint.h>

/* A point of CLOCK_MONOTONIC in microseconds. */
typedef struct {
	uint64_t usec;
} nctl_time;

/* Later than every other time; adding to it changes nothing. */
#define NCTL_TIME_NEVER ((nctl_time){UINT64_MAX})

nctl_time nctl_time_now(void);

/* Saturating. */
static inline nctl_time nctl_time_add_us(nctl_time t, uint64_t us)
{
	return us < UINT64_MAX - t.usec ? (nctl_time){t.usec + us} : NCTL_TIME_NEVER;
}

static inline nctl_time nctl_time_add_ms(nctl_time t, uint64_t ms)
{
	return ms < UINT64_MAX / 1000 ? nctl_time_add_us(t, ms * 1000) : NCTL_TIME_NEVER;
}

static inline int nctl_time_cmp(nctl_time a, nctl_time b)
{
	return (a.usec > b.usec) - (a.usec < b.usec);
}

/* a - b in microseconds: positive if a is later. NCTL_TIME_NEVER on one side saturates. */
int64_t nctl_time_diff_us(nctl_time a, nctl_time b);
