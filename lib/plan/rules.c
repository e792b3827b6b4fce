/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the routing rules of one namespace. A rule has no key: each wanted one takes one that shows it, of
 * ours first; ours that are left go, after the new ones have come.
 */
#include "plan/fib.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct wanted {
	struct nctl_hash_node node;
	const struct nctl_want_rule *of;
	bool shown;
};

/* Of what a wanted rule and the one that shows it have in common. */
static uint64_t hash_of(const struct nctl_rule *r)
{
	uint64_t h = nctl_hash_u64((uint64_t)r->table << 32 | (uint32_t)r->family << 8 | r->action);

	h = nctl_hash_u64(h ^ ((uint64_t)r->mark << 32 | r->target)) ^ nctl_prefix_hash(&r->src);
	h = nctl_hash_u64(h) ^ nctl_prefix_hash(&r->dst);
	h = nctl_hash_u64(h) ^ nctl_hash_str(r->iif);
	return nctl_hash_u64(h) ^ nctl_hash_str(r->oif);
}

/* Finds one that r shows, and that nothing else has shown yet. */
static bool take(struct nctl_hash *wanted, const struct nctl_rule *r)
{
	struct nctl_hash_node *pos;

	nctl_hash_for_each_equal(pos, wanted, hash_of(r)) {
		struct wanted *w = nctl_container_of(pos, struct wanted, node);

		if (w->shown || !nctl_fib_rule_shows(&w->of->v, w->of->has_priority, r))
			continue;
		w->shown = true;
		return true;
	}
	return false;
}

static void del(struct fib *f, const struct nctl_rule *r)
{
	struct nctl_op_fib *fib = nctl_fib_copy_rule(f->b->plan, r);
	char label[16];

	if (!fib) {
		f->b->err = -ENOMEM;
		return;
	}
	fib->has_priority = true;
	snprintf(label, sizeof(label), "%u", r->priority);
	nctl_fib_op(f, NCTL_OP_RULE_DEL, NCTL_FIB_UNRULE, nctl_plan_copy_name(f->b, label), NULL, &fib);
}

/* Ours take what is wanted, and go if there is nothing; others' may show the rest. */
static void match(struct fib *f, struct nctl_hash *wanted, uint8_t family, bool ours)
{
	const struct nctl_rule *r;

	for (size_t i = 0; !f->b->err && (r = nctl_mirror_rule_at(f->b->have, family, i)); i++)
		if ((r->protocol == NCTL_PROTO) == ours && !take(wanted, r) && ours)
			del(f, r);
}

static void add(struct fib *f, const struct nctl_want_rule *w)
{
	struct nctl_op_fib *fib = nctl_fib_copy_rule(f->b->plan, &w->v);

	if (!fib) {
		f->b->err = -ENOMEM;
		return;
	}
	fib->v.rule.protocol = NCTL_PROTO;
	fib->has_priority = w->has_priority;
	nctl_fib_op(f, NCTL_OP_RULE_NEW, NCTL_FIB_RULE, w->label, &w->pos, &fib);
}

void nctl_fib_rules(struct fib *f)
{
	struct wanted *v = calloc(f->w->n_rules + 1, sizeof(*v));
	struct nctl_hash wanted;

	nctl_hash_init(&wanted);
	if (!v)
		f->b->err = -ENOMEM;
	for (size_t i = 0; i < f->w->n_rules && !f->b->err; i++) {
		v[i].of = &f->w->rules[i];
		f->b->err = nctl_hash_insert(&wanted, &v[i].node, hash_of(&v[i].of->v));
	}
	for (int ours = 1; ours >= 0 && !f->b->err; ours--) {
		match(f, &wanted, AF_INET, ours);
		match(f, &wanted, AF_INET6, ours);
	}
	for (size_t i = 0; i < f->w->n_rules && !f->b->err; i++)
		if (!v[i].shown)
			add(f, v[i].of);
	nctl_hash_fini(&wanted);
	free(v);
}
