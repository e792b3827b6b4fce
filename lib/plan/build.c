/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: builds a plan: settles who is doomed, makes namespaces, walks the wanted links in dependency order,
 * adds the deletions, and sorts the operations (sort.c: stable, so the dependency order inside a phase
 * stays). Memory runs out in one place only: nctl_plan_add remembers it in b->err, and the end of the walk
 * looks at it.
 */
#include "plan/parts.h"
#include "base/array.h"
#include "plan/want-route.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct nctl_op *nctl_plan_add(struct builder *b, enum nctl_op_type type, enum nctl_phase phase)
{
	struct nctl_plan *p = b->plan;
	struct nctl_op *op;

	if (!b->err)
		b->err = nctl_array_grow(&p->ops, &p->cap_ops, p->n_ops, sizeof(*p->ops));
	if (b->err)
		return NULL;
	op = &p->ops[p->n_ops++];
	*op = (struct nctl_op){.type = type, .phase = phase, .netns = b->netns, .of = b->of,
		.blame = NCTL_OP_NONE, .after = NCTL_OP_NONE};
	for (int i = 0; i < NCTL_OP_NEEDS; i++)
		op->need[i] = NCTL_OP_NONE;
	op->need[NEED_NETNS] = b->netns_made[b->netns];
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
	if (type == NCTL_PROBLEM_FOREIGN_LOSS)
		p->blocked |= !b->opts->allow_foreign_loss;
	else if (type != NCTL_PROBLEM_WAIT)
		p->blocked = true;
	if (!b->err)
		b->err = nctl_array_grow(&p->problems, &p->cap_problems, p->n_problems, sizeof(*p->problems));
	if (b->err)
		return;
	p->problems[p->n_problems] = (struct nctl_problem){
		.type = type,
		.of = b->of,
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
	struct nctl_adopt_link *a;

	if (!b->err)
		b->err =
			nctl_array_grow(&p->adopt_links, &p->cap_adopt_links, p->n_adopt_links, sizeof(*p->adopt_links));
	if (b->err)
		return;
	a = &p->adopt_links[p->n_adopt_links++];
	*a = (struct nctl_adopt_link){.netns = b->netns, .link = {.ifindex = l->v.ifindex, .adopted = true}};
	e = &a->link;
	snprintf(e->kind, sizeof(e->kind), "%s", l->v.kind ? l->v.kind->name : "");
	memcpy(e->name, l->v.name, sizeof(e->name));
}

void nctl_plan_adopt_addr(struct builder *b, const struct nctl_addr *a)
{
	struct nctl_plan *p = b->plan;

	if (!b->err)
		b->err =
			nctl_array_grow(&p->adopt_addrs, &p->cap_adopt_addrs, p->n_adopt_addrs, sizeof(*p->adopt_addrs));
	if (!b->err)
		p->adopt_addrs[p->n_adopt_addrs++] = (struct nctl_adopt_addr){b->netns, *a};
}

static size_t count_routing(const struct nctl_want_routing *w)
{
	return w ? w->n_routes + w->n_nexthops + w->n_rules + w->n_neighs : 0;
}

/* Room for all that a plan from nothing needs, so that the array does not move; what is not used is never
 * touched. */
static int reserve(struct builder *b)
{
	size_t n = 3 * b->want->n_links + b->plan->n_netns + 1;

	for (size_t i = 0; i < b->want->n_links; i++)
		n += b->want->links[i]->n_addrs + b->want->links[i]->n_sysctls +
		     (b->want->links[i]->has_vlans ? 2 : 0);
	for (size_t i = 0; i < b->want->n_netns; i++)
		n += b->want->netns[i]->n_sysctls + count_routing(b->want->netns[i]->routing);
	b->plan->ops = malloc(n * sizeof(*b->plan->ops));
	if (!b->plan->ops)
		return -ENOMEM;
	b->plan->cap_ops = n;
	return 0;
}

static int plan_links(struct builder *b)
{
	for (size_t i = 0; i < b->want->n_links && !b->err; i++) {
		const struct nctl_want_link *w = b->want->links[b->order[i]];

		b->of = w->from ? w->from : w;
		nctl_plan_enter(b, w->netns->number);
		nctl_plan_link(b, w);
		if (b->items[w->number].state != ITEM_WAIT)
			nctl_plan_addrs(b, w);
	}
	for (size_t i = 0; i < b->want->n_links && !b->err; i++) {
		const struct nctl_want_link *w = b->want->links[i];

		b->of = w->from ? w->from : w;
		nctl_plan_enter(b, w->netns->number);
		nctl_plan_ports(b, w);
		nctl_plan_vlans(b, w);
	}
	b->of = NULL;
	return b->err;
}

static int build(struct builder *b)
{
	int r = reserve(b);

	if (r >= 0)
		r = nctl_plan_doom(b);
	if (r >= 0)
		r = nctl_plan_order(b);
	if (r < 0)
		return r;
	for (size_t i = 0; i < b->want->n_links; i++) {
		b->items[i].made_by = NCTL_OP_NONE;
		b->items[i].removed_by = NCTL_OP_NONE;
		b->items[i].joined_by = NCTL_OP_NONE;
		b->items[i].tuned_by = NCTL_OP_NONE;
		b->items[i].renamed_by = NCTL_OP_NONE;
		b->items[i].risen_by = NCTL_OP_NONE;
		b->items[i].told_by = NCTL_OP_NONE;
	}
	nctl_plan_netns_new(b);
	r = plan_links(b);
	if (r >= 0) {
		nctl_plan_netns_tune(b);
		nctl_plan_remove(b);
		nctl_plan_fib(b);
		r = b->err;
	}
	if (r >= 0)
		r = nctl_plan_sort(b->plan);
	return r < 0 ? r : nctl_plan_remember(b->plan);
}

/* Nothing that only nctl_plan_build may read stays in the plan. */
static void let_go(struct nctl_plan *p)
{
	for (size_t i = 0; i < p->n_netns; i++) {
	{
		p->netns[i].sysctls = NULL;
		p->netns[i].neighs = NULL;
	}
		p->netns[i].link_sysctls = NULL;
		p->netns[i].drivers = NULL;
	}
}

int nctl_plan_build(const struct nctl_want *want, const struct nctl_plan_netns *netns, size_t n,
	const struct nctl_plan_options *opts, struct nctl_plan **ret)
{
	_cleanup_(nctl_plan_freep) struct nctl_plan *plan = calloc(1, sizeof(*plan));
	struct builder b = {.want = want, .opts = opts, .plan = plan, .last_nsid = NCTL_OP_NONE};
	int r;

	if (!plan)
		return -ENOMEM;
	nctl_arena_init(&plan->arena);
	plan->want = want;
	plan->devices = opts->devices;
	plan->n_devices = opts->n_devices;
	b.next_ifindex = opts->next_ifindex ? opts->next_ifindex : NCTL_IFINDEX_FIRST;
	nctl_hash_init(&b.doomed_by_identity);
	nctl_hash_init(&b.pair_ends);
	r = nctl_plan_netns_init(&b, netns, n);
	if (r >= 0)
		r = nctl_plan_bind(&b);
	b.items = calloc(b.want->n_links + 1, sizeof(*b.items));
	if (!b.items)
		r = -ENOMEM;
	if (r >= 0)
		r = nctl_plan_netns_fresh(&b);
	if (r >= 0)
		r = build(&b);
	free(b.items);
	free(b.order);
	free(b.ports);
	free(b.first_port);
	free(b.doomed);
	free(b.first_doomed);
	free(b.netns_made);
	nctl_hash_fini(&b.doomed_by_identity);
	nctl_hash_fini(&b.pair_ends);
	if (r < 0)
		return r;
	let_go(plan);
	*ret = take_ptr(plan);
	return 0;
}

struct nctl_plan *nctl_plan_free(struct nctl_plan *p)
{
	if (!p)
		return NULL;
	nctl_plan_forget(p);
	nctl_plan_free(p->turned);
	nctl_mirror_free(p->fresh);
	nctl_want_free(p->bound);
	free(p->netns);
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
