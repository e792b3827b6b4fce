/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: builds a plan: settles who is doomed, walks the wanted links in dependency order, adds the deletions,
 * and sorts the operations by phase (stable, so the dependency order inside a phase stays), CREATE by rank.
 * Memory runs out in one place only: nctl_plan_add remembers it in b->err, and the end of the walk looks at
 * it.
 */
#include "plan/private.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for one more element; the array moves. */
static int grow(void *array, size_t *cap, size_t n, size_t size)
{
	size_t want = *cap ? *cap * 2 : 64;
	void *p;

	if (n < *cap)
		return 0;
	p = reallocarray(*(void **)array, want, size);
	if (!p)
		return -ENOMEM;
	*(void **)array = p;
	*cap = want;
	return 0;
}

struct nctl_op *nctl_plan_add(struct builder *b, enum nctl_op_type type, enum nctl_phase phase)
{
	struct nctl_plan *p = b->plan;
	struct nctl_op *op;

	if (!b->err)
		b->err = grow(&p->ops, &p->cap_ops, p->n_ops, sizeof(*p->ops));
	if (b->err)
		return NULL;
	op = &p->ops[p->n_ops++];
	*op = (struct nctl_op){.type = type, .phase = phase, .blame = NCTL_OP_NONE};
	for (int i = 0; i < NCTL_OP_NEEDS; i++)
		op->need[i] = NCTL_OP_NONE;
	return op;
}

uint32_t nctl_plan_last(const struct builder *b)
{
	return (uint32_t)(b->plan->n_ops - 1);
}

void nctl_plan_problem(struct builder *b, int type, const struct nctl_pos *pos, const char *fmt, ...)
{
	struct nctl_plan *p = b->plan;
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (type != NCTL_PROBLEM_WAIT)
		p->blocked = true;
	if (!b->err)
		b->err = grow(&p->problems, &p->cap_problems, p->n_problems, sizeof(*p->problems));
	if (b->err)
		return;
	p->problems[p->n_problems] = (struct nctl_problem){
		.type = type,
		.pos = *pos,
		.text = nctl_arena_strdup(&p->arena, text),
	};
	if (p->problems[p->n_problems].text)
		p->n_problems++;
	else
		b->err = -ENOMEM;
}

struct nctl_addr *nctl_plan_copy_addr(struct builder *b, const struct nctl_addr *a)
{
	struct nctl_addr *copy = nctl_arena_alloc(&b->plan->arena, sizeof(*copy));

	if (copy)
		*copy = *a;
	else
		b->err = -ENOMEM;
	return copy;
}

const char *nctl_plan_copy_name(struct builder *b, const char *name)
{
	const char *copy = nctl_arena_strdup(&b->plan->arena, name);

	if (!copy)
		b->err = -ENOMEM;
	return copy ? copy : "";
}

void nctl_plan_adopt_link(struct builder *b, const struct nctl_mirror_link *l)
{
	struct nctl_plan *p = b->plan;
	struct nctl_ledger_link *e;

	if (!b->err)
		b->err =
			grow(&p->adopt_links, &p->cap_adopt_links, p->n_adopt_links, sizeof(*p->adopt_links));
	if (b->err)
		return;
	e = &p->adopt_links[p->n_adopt_links++];
	*e = (struct nctl_ledger_link){.ifindex = l->v.ifindex, .adopted = true};
	snprintf(e->kind, sizeof(e->kind), "%s", l->v.kind ? l->v.kind->name : "");
	memcpy(e->name, l->v.name, sizeof(e->name));
}

void nctl_plan_adopt_addr(struct builder *b, const struct nctl_addr *a)
{
	struct nctl_plan *p = b->plan;

	if (!b->err)
		b->err =
			grow(&p->adopt_addrs, &p->cap_adopt_addrs, p->n_adopt_addrs, sizeof(*p->adopt_addrs));
	if (!b->err)
		p->adopt_addrs[p->n_adopt_addrs++] = *a;
}

/* CREATE by rank, the other phases as they are. */
static size_t place_of(const struct nctl_op *op, uint32_t max_rank)
{
	if (op->phase == NCTL_PHASE_CREATE)
		return NCTL_PHASE_CREATE + op->rank;
	return op->phase < NCTL_PHASE_CREATE ? op->phase : op->phase + max_rank;
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

/* Counting sort by phase and rank; needs are indexes and move along. */
int nctl_plan_sort(struct nctl_plan *p)
{
	uint32_t *to = calloc(p->n_ops + 1, sizeof(*to)), max_rank = 0;
	size_t *start, n_places;

	for (size_t i = 0; i < p->n_ops; i++)
		if (p->ops[i].phase == NCTL_PHASE_CREATE && p->ops[i].rank > max_rank)
			max_rank = p->ops[i].rank;
	n_places = (size_t)NCTL_PHASE_N + max_rank;
	start = calloc(n_places + 1, sizeof(*start));
	if (!to || !start) {
		free(to);
		free(start);
		return -ENOMEM;
	}
	for (size_t i = 0; i < p->n_ops; i++)
		start[place_of(&p->ops[i], max_rank) + 1]++;
	for (size_t i = 0; i < n_places; i++)
		start[i + 1] += start[i];
	for (size_t i = 0; i < p->n_ops; i++)
		to[i] = (uint32_t)start[place_of(&p->ops[i], max_rank)]++;
	for (size_t i = 0; i < p->n_ops; i++)
		for (int j = 0; j < NCTL_OP_NEEDS; j++)
			if (p->ops[i].need[j] != NCTL_OP_NONE)
				p->ops[i].need[j] = to[p->ops[i].need[j]];
	permute(p->ops, to, p->n_ops);
	free(start);
	free(to);
	return 0;
}

/* Room for all that a plan from nothing needs, so that the array does not move; what is not used is never
 * touched. */
static int reserve(struct builder *b)
{
	size_t n = 3 * b->want->n_links + 1;

	for (size_t i = 0; i < b->want->n_links; i++)
		n += b->want->links[i]->n_addrs;
	b->plan->ops = malloc(n * sizeof(*b->plan->ops));
	if (!b->plan->ops)
		return -ENOMEM;
	b->plan->cap_ops = n;
	return 0;
}

static int build(struct builder *b)
{
	int r = reserve(b);

	if (r >= 0)
		r = nctl_plan_doom(b);
	if (r >= 0)
		r = nctl_plan_order(b);
	for (size_t i = 0; r >= 0 && i < b->want->n_links; i++) {
		const struct nctl_want_link *w = b->want->links[b->order[i]];

		nctl_plan_link(b, w);
		if (b->items[w->number].state != ITEM_WAIT)
			nctl_plan_addrs(b, w);
		r = b->err;
	}
	for (size_t i = 0; r >= 0 && i < b->want->n_links; i++)
		nctl_plan_ports(b, b->want->links[i]);
	if (r >= 0) {
		nctl_plan_remove(b);
		r = b->err;
	}
	if (r >= 0)
		r = nctl_plan_sort(b->plan);
	return r < 0 ? r : nctl_plan_remember(b->plan, b->have);
}

int nctl_plan_build(const struct nctl_want *want, const struct nctl_mirror *have,
	const struct nctl_ledger *ledger, const struct nctl_plan_options *opts, struct nctl_plan **ret)
{
	_cleanup_(nctl_plan_freep) struct nctl_plan *plan = calloc(1, sizeof(*plan));
	struct builder b = {.want = want, .have = have, .ledger = ledger, .opts = opts, .plan = plan};
	int r = -ENOMEM;

	if (!plan)
		return -ENOMEM;
	nctl_arena_init(&plan->arena);
	plan->want = want;
	b.next_ifindex = opts->next_ifindex ? opts->next_ifindex : NCTL_IFINDEX_FIRST;
	nctl_hash_init(&b.doomed_by_identity);
	b.items = calloc(want->n_links + 1, sizeof(*b.items));
	if (b.items)
		r = build(&b);
	free(b.items);
	free(b.order);
	free(b.ports);
	free(b.first_port);
	free(b.doomed);
	nctl_hash_fini(&b.doomed_by_identity);
	if (r < 0)
		return r;
	*ret = take_ptr(plan);
	return 0;
}

struct nctl_plan *nctl_plan_free(struct nctl_plan *p)
{
	if (!p)
		return NULL;
	nctl_plan_forget(p);
	nctl_arena_fini(&p->arena);
	free(p->ops);
	free(p->problems);
	free(p->adopt_links);
	free(p->adopt_addrs);
	free(p);
	return NULL;
}

void nctl_plan_freep(struct nctl_plan **p)
{
	*p = nctl_plan_free(*p);
}
