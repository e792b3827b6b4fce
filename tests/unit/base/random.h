/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/time.h"

/*
 * Random numbers of a property test (splitmix64). Each test prints its seed; NCTL_SEED=N
 * repeats a run.
 */
struct random {
	uint64_t state;
};

static inline struct random random_init(const char *test)
{
	const char *env = getenv("NCTL_SEED");
	struct random r = {env ? strtoull(env, NULL, 0) : nctl_time_now().usec};

	printf("# %s: NCTL_SEED=%" PRIu64 "\n", test, r.state);
	return r;
}

static inline uint64_t random_next(struct random *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static inline unsigned random_below(struct random *r, unsigned n)
{
	return (unsigned)(random_next(r) % n);
}
