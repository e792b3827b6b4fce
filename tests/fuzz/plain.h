/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Numbers as a seed has them, and how a fuzz target runs without libFuzzer: inputs of its own, for a while.
 * Included once, by the target; PLAIN: it has a main of its own.
 */
#include <stdint.h>
#include <stdio.h>

#include "base/num.h"
#include "base/time.h"

static uint64_t random_state; /* not 0 */

/* xorshift64 (Marsaglia, "Xorshift RNGs", 2003). */
static inline uint32_t any(uint32_t below)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)(random_state >> 32) % below;
}

#ifdef PLAIN
/* Calls step, each time with numbers of its own, for argv[1] seconds. Returns 0, or 2: wrong use. */
static int run_plain(int argc, char **argv, void (*step)(void), uint64_t *ret_n)
{
	uint32_t seconds = 1;
	uint64_t seed = nctl_time_now().usec, n = 0, state;
	nctl_time end;

	if ((argc > 1 && nctl_parse_u32(argv[1], 10, 1, 86400, &seconds) < 0) ||
		(argc > 2 && nctl_parse_u64(argv[2], 10, &seed) < 0)) {
		fprintf(stderr, "Usage: %s [SECONDS [SEED]]\n", argv[0]);
		return 2;
	}
	printf("# seed %llu\n", (unsigned long long)seed);
	fflush(stdout);
	end = nctl_time_add_ms(nctl_time_now(), seconds * UINT64_C(1000));
	for (state = seed; nctl_time_cmp(nctl_time_now(), end) < 0; n++) {
		random_state = (state += UINT64_C(0x9e3779b97f4a7c15)) ?: 1;
		step();
	}
	*ret_n = n;
	return 0;
}
#endif
