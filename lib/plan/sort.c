/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: brings the operations of a plan into the order in which they are carried out: by stage, in CREATE by
 * rank over all namespaces, in CONFIGURE and ROUTE by namespace and phase (and rank), and as they were added where
 * that says nothing. Costs what there are of operations, ranks and namespaces.
 */
#include "plan/op-fib.h"
#include "plan/parts.h"

#include <errno.h>
#include <stdlib.h>

enum { N_CONFIGURE = NCTL_PHASE_ADDRESS - NCTL_PHASE_TUNE + 1 }; /* phases of the stage */

/* How many places there are before each stage: one for each rank in CREATE, and so on. */
struct places {
	size_t configure, route, remove, n;
};

static size_t place_of(const struct nctl_op *op, const struct places *p)
{
	switch ((enum nctl_phase)op->phase) {
	case NCTL_PHASE_NETNS:
	case NCTL_PHASE_CLEAR:
		return op->phase;
	case NCTL_PHASE_CREATE:
		return (size_t)NCTL_PHASE_CREATE + op->rank;
	case NCTL_PHASE_TUNE:
	case NCTL_PHASE_SYSCTL:
	case NCTL_PHASE_UP:
	case NCTL_PHASE_SETTLE:
	case NCTL_PHASE_ADDRESS:
		return p->configure + N_CONFIGURE * (size_t)op->netns + (op->phase - NCTL_PHASE_TUNE);
	case NCTL_PHASE_ROUTE:
	case NCTL_PHASE_UNROUTE:
		return p->route + NCTL_FIB_RANKS * (size_t)op->netns + op->rank;
	case NCTL_PHASE_REMOVE:
		return p->remove + (op->type != NCTL_OP_NETNS_DEL);
	case NCTL_PHASE_N:
		break;
	}
	return p->remove;
}

/* Moves each operation to its place along the cycles of the permutation: a second array would cost as much
 * memory. */
static void permute(struct nctl_op *ops, uint32_t *to, size_t n)
{
	for (size_t i = 0; i < n; i++)
		while (to[i] != i) {
			uint32_t place = to[i];
			struct nctl_op op = ops[place];

			ops[place] = ops[i];
			ops[i] = op;
			to[i] = to[place];
			to[place] = place;
		}
}

/* Counting sort; needs are indexes and move along. */
int nctl_plan_sort(struct nctl_plan *p)
{
	uint32_t *to = calloc(p->n_ops + 1, sizeof(*to)), max_rank = 0;
	struct places places;
	size_t *start;

	for (size_t i = 0; i < p->n_ops; i++)
		if (p->ops[i].phase == NCTL_PHASE_CREATE && p->ops[i].rank > max_rank)
			max_rank = p->ops[i].rank;
	places.configure = (size_t)NCTL_PHASE_CREATE + max_rank + 1;
	places.route = places.configure + N_CONFIGURE * p->n_netns;
	places.remove = places.route + NCTL_FIB_RANKS * p->n_netns;
	places.n = places.remove + 2;
	start = calloc(places.n + 1, sizeof(*start));
	if (!to || !start) {
		free(to);
		free(start);
		return -ENOMEM;
	}
	for (size_t i = 0; i < p->n_ops; i++)
		start[place_of(&p->ops[i], &places) + 1]++;
	for (size_t i = 0; i < places.n; i++)
		start[i + 1] += start[i];
	for (size_t i = 0; i < p->n_ops; i++)
		to[i] = (uint32_t)start[place_of(&p->ops[i], &places)]++;
	for (size_t i = 0; i < p->n_ops; i++)
		for (int j = 0; j < NCTL_OP_NEEDS; j++)
			if (p->ops[i].need[j] != NCTL_OP_NONE)
				p->ops[i].need[j] = to[p->ops[i].need[j]];
	for (size_t i = 0; i < p->n_ops; i++)
		if (p->ops[i].after != NCTL_OP_NONE)
			p->ops[i].after = to[p->ops[i].after];
	permute(p->ops, to, p->n_ops);
	free(start);
	free(to);
	return 0;
}
