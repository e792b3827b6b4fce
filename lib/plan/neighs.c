/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: permanent neighbours and proxies of one namespace. Nobody mirrors neighbours: what there is was asked
 * for before the plan was made (nctl_plan_netns.neighs). What the kernel has learnt gives way to what is
 * wanted; what another program has set does not.
 */
#include "plan/fib.h"

#include <errno.h>
#include <linux/neighbour.h>
#include <stdlib.h>

struct entry {
	struct nctl_hash_node node;
	const struct nctl_neigh *v;
	bool wanted;
};

struct entries {
	struct nctl_hash by_address;
	struct entry *v;
	size_t n;
};

static uint64_t hash_of(nctl_ifindex ifindex, const struct nctl_neigh *n)
{
	return nctl_prefix_hash(&n->dst) ^ nctl_hash_u64((uint64_t)ifindex << 8 | (n->flags & NTF_PROXY));
}

static void collect(struct fib *f, struct entries *e)
{
	const struct nctl_plan_netns *n = &f->b->plan->netns[f->b->netns];

	nctl_hash_init(&e->by_address);
	e->v = calloc(n->n_neighs + 1, sizeof(*e->v));
	if (!e->v)
		f->b->err = -ENOMEM;
	for (size_t i = 0; i < n->n_neighs && !f->b->err; i++) {
		e->v[i].v = &n->neighs[i];
		e->n++;
		f->b->err = nctl_hash_insert(
			&e->by_address, &e->v[i].node, hash_of(n->neighs[i].ifindex, &n->neighs[i]));
	}
}

static struct entry *find(struct entries *e, nctl_ifindex ifindex, const struct nctl_neigh *n)
{
	struct nctl_hash_node *pos;

	nctl_hash_for_each_equal(pos, &e->by_address, hash_of(ifindex, n)) {
		struct entry *x = nctl_container_of(pos, struct entry, node);

		if (x->v->ifindex == ifindex && nctl_prefix_equal(&x->v->dst, &n->dst) &&
			!((x->v->flags ^ n->flags) & NTF_PROXY))
			return x;
	}
	return NULL;
}

static bool shows(const struct nctl_neigh *want, const struct nctl_neigh *have)
{
	const uint8_t flags = NTF_PROXY | NTF_ROUTER;

	return !((want->flags ^ have->flags) & flags) &&
	       ((want->flags & NTF_PROXY) ||
		       (have->state == want->state && nctl_lladdr_equal(&want->lladdr, &have->lladdr)));
}

static void put(
	struct fib *f, const struct nctl_want_neigh *n, const struct fib_way *way, const struct entry *x)
{
	struct nctl_op_fib *fib = nctl_fib_copy_neigh(f->b->plan, &n->v);
	struct nctl_op *op;

	if (!fib) {
		f->b->err = -ENOMEM;
		return;
	}
	fib->v.neigh.protocol = NCTL_PROTO;
	fib->v.neigh.ifindex = way->ifindex;
	op = nctl_fib_op(f, NCTL_OP_NEIGH_NEW, NCTL_FIB_NEIGH, n->label, &n->pos, &fib);
	if (!op)
		return;
	op->need[0] = way->made_by;
	if (x)
		fib->old = nctl_fib_copy_neigh(f->b->plan, x->v);
}

static void plan_neigh(struct fib *f, const struct nctl_want_neigh *n, struct entries *e)
{
	const struct nctl_want_ref ref = {
		.name = n->link->v.name, .link = (struct nctl_want_link *)(uintptr_t)n->link};
	struct fib_way way;
	struct entry *x;

	f->b->of = n->link;
	nctl_fib_way(f, &ref, "the neighbour", n->label, &n->pos, &way);
	x = find(e, way.ifindex, &n->v);
	if (x)
		x->wanted = true;
	if (way.waits || (x && shows(&n->v, x->v) && !way.fades))
		return;
	if (x && !shows(&n->v, x->v) && x->v->protocol != NCTL_PROTO && (x->v->state & NUD_PERMANENT)) {
		nctl_plan_problem(f->b, NCTL_PROBLEM_CONFLICT, &n->pos,
			"a neighbour %s that netctld does not own (protocol %u) is in the way on %s; delete "
		        "it",
			n->label, x->v->protocol, n->link->v.name);
		return;
	}
	put(f, n, &way, x);
}

static void drop(struct fib *f, const struct entry *x)
{
	struct nctl_op_fib *fib;
	char buf[NCTL_ADDR_STR];

	if (x->wanted || x->v->protocol != NCTL_PROTO || nctl_plan_is_doomed(f->b, x->v->ifindex))
		return;
	fib = nctl_fib_copy_neigh(f->b->plan, x->v);
	if (!fib)
		f->b->err = -ENOMEM;
	else
		nctl_fib_op(f, NCTL_OP_NEIGH_DEL, NCTL_FIB_UNNEIGH,
			nctl_plan_copy_name(f->b, nctl_addr_format(&x->v->dst, buf)), NULL, &fib);
}

void nctl_fib_neighs(struct fib *f)
{
	struct entries e = {0};

	collect(f, &e);
	for (size_t i = 0; i < f->w->n_neighs && !f->b->err; i++)
		plan_neigh(f, &f->w->neighs[i], &e);
	f->b->of = NULL;
	for (size_t i = 0; i < e.n && !f->b->err; i++)
		drop(f, &e.v[i]);
	nctl_hash_fini(&e.by_address);
	free(e.v);
}
