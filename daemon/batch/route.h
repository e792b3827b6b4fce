/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "batch/lines.h"
#include "obj/fib-keys.h"

/* A route as a line says it, while it is read. */

enum { HOPS_MAX = 64 };

struct route_words {
	struct nctl_route v; /* without hops */
	struct nctl_hop hops[HOPS_MAX];
	struct found devs[HOPS_MAX];
	uint32_t n_hops;
	uint32_t metrics[NCTL_RTAX_N];
	const char *congestion_control;
	bool has_scope, has_table, has_type, has_gateway, all_tables;
	struct found vrf;
	int64_t ref; /* flush: what the prefix means, '=' exact, '<' within */
};

/* Words that add, del and flush have in common. 0: it is none; 1: taken; -1: refused. */
int nd_batch_route_word(struct reader *r, struct route_words *x, const char *word);
