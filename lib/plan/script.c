/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: plans that are put together by hand. All operations are of one phase, so that they are carried out in
 * the order in which they were added.
 */
#include "plan/script.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"

struct nctl_plan *nctl_script_new(const struct nctl_plan_netns *netns, size_t n)
{
	struct nctl_plan *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	nctl_arena_init(&p->arena);
	p->script = true;
	p->netns = calloc(n, sizeof(*p->netns));
	if (!p->netns)
		return nctl_plan_free(p);
	memcpy(p->netns, netns, n * sizeof(*netns));
	p->n_netns = n;
	return p;
}

struct nctl_op *nctl_script_add(struct nctl_plan *p, enum nctl_op_type type)
{
	struct nctl_op *op;

	if (nctl_array_grow(&p->ops, &p->cap_ops, p->n_ops, sizeof(*p->ops)) < 0)
		return NULL;
	op = &p->ops[p->n_ops++];
	*op = (struct nctl_op){.type = (uint8_t)type, .phase = NCTL_PHASE_NETNS, .after = NCTL_OP_NONE};
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(op->need); i++)
		op->need[i] = NCTL_OP_NONE;
	op->blame = NCTL_OP_NONE;
	return op;
}
