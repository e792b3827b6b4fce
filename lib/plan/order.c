/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the order of wanted links: whatever a link needs comes before it. It needs its lower, its master, what
 * its peer needs, and, on a lower whose ports join first (a bond takes its MAC from them), those ports. A
 * depth-first search with a stack of its own: a range can chain a million links. The configuration has no
 * loops (daemon/config refuses them); should there be one all the same, it is cut and the kernel refuses what
 * does not fit.
 */
#include "plan/parts.h"

#include <errno.h>
#include <stdlib.h>

enum { UNSEEN, ON_STACK, PLACED };

struct frame {
	uint32_t number;
	uint32_t next; /* dependency to look at next */
};

static int collect_ports(struct builder *b)
{
	size_t n = b->want->n_links;
	uint32_t *fill;

	b->first_port = calloc(n + 1, sizeof(*b->first_port));
	b->ports = calloc(n + 1, sizeof(*b->ports));
	fill = calloc(n + 1, sizeof(*fill));
	if (!b->first_port || !b->ports || !fill) {
		free(fill);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++)
		if (b->want->links[i]->master.link)
			b->first_port[b->want->links[i]->master.link->number + 1]++;
	for (size_t i = 0; i < n; i++)
		b->first_port[i + 1] += b->first_port[i];
	for (size_t i = 0; i < n; i++) {
		const struct nctl_want_link *master = b->want->links[i]->master.link;

		if (master)
			b->ports[b->first_port[master->number] + fill[master->number]++] = (uint32_t)i;
	}
	free(fill);
	return 0;
}

/* The i-th dependency of w. NCTL_OP_NONE: there is no such (skip); -1 by ret false: there are no more. */
static bool dependency(const struct builder *b, const struct nctl_want_link *w, uint32_t i, uint32_t *ret)
{
	const struct nctl_want_link *lower = w->lower.link, *peer = w->peer.link;
	const struct nctl_want_link *fixed[] = {lower, w->master.link, peer ? peer->master.link : NULL};
	uint32_t first, n;

	*ret = NCTL_OP_NONE;
	if (i < NCTL_ARRAY_SIZE(fixed)) {
		if (fixed[i])
			*ret = fixed[i]->number;
		return true;
	}
	if (!lower || !(lower->v.kind->traits & NCTL_KIND_PORTS_FIRST))
		return false;
	first = b->first_port[lower->number];
	n = b->first_port[lower->number + 1] - first;
	i -= NCTL_ARRAY_SIZE(fixed);
	if (i >= n)
		return false;
	*ret = b->ports[first + i];
	return true;
}

static uint32_t level_of(const struct builder *b, uint32_t number)
{
	uint32_t level = 0, dep;

	for (uint32_t i = 0; dependency(b, b->want->links[number], i, &dep); i++)
		if (dep != NCTL_OP_NONE && b->items[dep].mark == PLACED && b->items[dep].level > level)
			level = b->items[dep].level;
	return level + 1;
}

static void visit(struct builder *b, uint32_t root, struct frame *stack, size_t *placed)
{
	size_t depth = 0;

	stack[depth++] = (struct frame){.number = root};
	b->items[root].mark = ON_STACK;
	while (depth) {
		struct frame *f = &stack[depth - 1];
		uint32_t dep;

		if (!dependency(b, b->want->links[f->number], f->next++, &dep)) {
			b->items[f->number].level = level_of(b, f->number);
			b->items[f->number].mark = PLACED;
			b->order[(*placed)++] = f->number;
			depth--;
		} else if (dep != NCTL_OP_NONE && b->items[dep].mark == UNSEEN) {
			b->items[dep].mark = ON_STACK;
			stack[depth++] = (struct frame){.number = dep};
		}
	}
}

static void rise_early(struct builder *b, const struct nctl_want_link *w, uint32_t rank)
{
	struct item *it = w ? &b->items[w->number] : NULL;

	/* One that is made later itself (a bridge's port, say) comes up with all others. */
	if (it && rank > 2 * it->level && (!it->early || rank < it->early))
		it->early = rank;
}

/*
 * A lower whose uppers follow it up is up before the first of them is made, and so are its ports and their
 * peers, without which it has no carrier to pass on.
 */
static void find_early(struct builder *b)
{
	for (size_t i = 0; i < b->want->n_links; i++) {
		const struct nctl_want_link *w = b->want->links[i], *lower = w->lower.link;
		uint32_t rank = 2 * b->items[i].level - 1;

		if (lower)
			b->items[lower->number].has_uppers = true;
		if (!lower || !(w->v.kind->traits & NCTL_KIND_FOLLOWS_UP))
			continue;
		if (b->items[lower->number].early && b->items[lower->number].early <= rank)
			continue; /* as its other uppers have said */
		rise_early(b, lower, rank);
		for (uint32_t p = b->first_port[lower->number]; p < b->first_port[lower->number + 1]; p++) {
			const struct nctl_want_link *port = b->want->links[b->ports[p]];

			rise_early(b, port, rank);
			rise_early(b, port->peer.link, rank);
		}
	}
}

int nctl_plan_order(struct builder *b)
{
	size_t n = b->want->n_links, placed = 0;
	struct frame *stack;
	int r = collect_ports(b);

	if (r < 0)
		return r;
	b->order = calloc(n + 1, sizeof(*b->order));
	stack = calloc(n + 1, sizeof(*stack));
	if (!b->order || !stack) {
		free(stack);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < n; i++)
		if (b->items[i].mark == UNSEEN)
			visit(b, i, stack, &placed);
	free(stack);
	find_early(b);
	return 0;
}
