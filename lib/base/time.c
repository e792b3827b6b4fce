/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Points of the monotonic clock. Time-outs and damping use nothing else, so that a
 * step of the wall clock moves none of them.
 */
#include <time.h>

#include "base/time.h"

nctl_time nctl_time_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (nctl_time){(uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000};
}

int64_t nctl_time_diff_us(nctl_time a, nctl_time b)
{
	uint64_t d = a.usec > b.usec ? a.usec - b.usec : b.usec - a.usec;
	int64_t us = d > INT64_MAX ? INT64_MAX : (int64_t)d;

	return a.usec > b.usec ? us : -us;
}
