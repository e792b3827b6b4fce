/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: routes, next-hop objects and rules of all namespaces, planned when the operations of links and
 * addresses are known. What is there and matches is left alone, whoever made it; ours (by their protocol)
 * that nobody wants go; what others made is never touched. The kernel takes routes along without a word when
 * a link goes down, when an address or a next-hop object goes: those of links that this plan touches get an
 * operation that is only sent if they are missing when its turn comes.
 */
#include "plan/fib.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int cmp_link(const void *x, const void *y)
{
	const struct fib_link *a = x, *b = y;

	if (a->netns != b->netns)
		return a->netns > b->netns ? 1 : -1;
	return (a->ifindex > b->ifindex) - (a->ifindex < b->ifindex);
}

bool nctl_fib_is_touched(const struct fib *f, nctl_ifindex ifindex)
{
	const struct fib_link key = {f->b->netns, ifindex}, all = {f->b->netns, 0};

	return f->n_touched && (bsearch(&key, f->touched, f->n_touched, sizeof(key), cmp_link) ||
				       bsearch(&all, f->touched, f->n_touched, sizeof(all), cmp_link));
}

/* A new link has none; its ports may lose theirs by operations of their own. */
bool nctl_fib_touches(const struct nctl_op *op)
{
	if (op->type == NCTL_OP_LINK_SET)
		return op->cls >= NCTL_CHANGE_FLAP ||
		       (op->diff.common & (NCTL_LINK_BIT(MASTER) | NCTL_LINK_BIT(FLAGS)));
	return op->type == NCTL_OP_ADDR_DEL || (op->type == NCTL_OP_SYSCTL_SET && op->stops_ipv6);
}

static void collect_touched(struct fib *f)
{
	const struct nctl_plan *p = f->b->plan;
	size_t n = 0;

	for (size_t i = 0; i < p->n_ops; i++)
		n += nctl_fib_touches(&p->ops[i]);
	f->touched = calloc(n + 1, sizeof(*f->touched));
	if (!f->touched) {
		f->b->err = -ENOMEM;
		return;
	}
	for (size_t i = 0; i < p->n_ops; i++)
		if (nctl_fib_touches(&p->ops[i]))
			f->touched[f->n_touched++] = (struct fib_link){p->ops[i].netns, p->ops[i].ifindex};
	if (f->n_touched)
		qsort(f->touched, f->n_touched, sizeof(*f->touched), cmp_link);
}

void nctl_fib_wait(struct fib *f, const struct nctl_pos *pos, const char *fmt, ...)
{
	const struct nctl_plan *p = f->b->plan;
	const struct nctl_pos *last = p->n_problems ? &p->problems[p->n_problems - 1].pos : NULL;
	char text[512];
	va_list ap;

	if (last && !memcmp(last, pos, sizeof(*pos)))
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	nctl_plan_problem(f->b, NCTL_PROBLEM_WAIT, pos, "%s", text);
}

/* Will it be up? The kernel takes no route over a link that is down. */
static bool will_be_up(const struct fib *f, const struct nctl_want_link *w)
{
	const struct item *it = &f->b->items[w->number];
	const struct nctl_want_link *lower = w->lower.link;

	/* One that follows its lower is no more up than that is. The configuration has no loops. */
	if (lower && (w->v.kind->traits & NCTL_KIND_FOLLOWS_UP) && !will_be_up(f, lower))
		return false;

	switch (w->admin) {
	case NCTL_WANT_UP:
		return true;
	case NCTL_WANT_DOWN:
		return false;
	case NCTL_WANT_MANUAL:
		break;
	}
	return it->state == ITEM_KEEP && nctl_link_is_up(&it->have->v);
}

static void way_of_wanted(struct fib *f, const struct nctl_want_link *w, struct fib_way *ret)
{
	const struct item *it = &f->b->items[w->number];

	ret->ifindex = it->ifindex;
	ret->made_by = it->state == ITEM_NEW ? it->made_by : NCTL_OP_NONE;
	ret->waits = it->state == ITEM_WAIT;
	ret->fades = it->flushed || nctl_fib_is_touched(f, it->ifindex);
}

void nctl_fib_way(struct fib *f, const struct nctl_want_ref *ref, const char *what, const char *label,
	const struct nctl_pos *pos, struct fib_way *ret)
{
	const struct nctl_mirror_link *l;

	*ret = (struct fib_way){.made_by = NCTL_OP_NONE};
	if (!ref->name)
		return;
	if (ref->link) {
		way_of_wanted(f, ref->link, ret);
		if (ret->waits)
			return; /* which is said of the link */
		ret->waits = !will_be_up(f, ref->link);
	} else {
		l = nctl_mirror_link_find(f->b->have, ref->name);
		ret->ifindex = l ? l->v.ifindex : 0;
		ret->waits = !l || !nctl_link_is_up(&l->v);
	}
	if (ret->waits && !f->b->err)
		nctl_fib_wait(f, pos, "%s %s waits for %s, which is %s", what, label, ref->name,
			ret->ifindex ? "down" : "not there yet");
}

static enum nctl_phase phase_of(enum nctl_fib_rank rank)
{
	return rank < NCTL_FIB_UNRULE ? NCTL_PHASE_ROUTE : NCTL_PHASE_UNROUTE;
}

static const char *kind_of(enum nctl_op_type type)
{
	if (type == NCTL_OP_ROUTE_NEW || type == NCTL_OP_ROUTE_DEL)
		return "route";
	if (type == NCTL_OP_NEIGH_NEW || type == NCTL_OP_NEIGH_DEL)
		return "neigh";
	return type == NCTL_OP_RULE_NEW || type == NCTL_OP_RULE_DEL ? "rule" : "nexthop";
}

struct nctl_op *nctl_fib_op(struct fib *f, enum nctl_op_type type, enum nctl_fib_rank rank, const char *label,
	const struct nctl_pos *pos, struct nctl_op_fib **ret)
{
	struct nctl_op_fib *fib = *ret ? *ret : nctl_arena_alloc(&f->b->plan->arena, sizeof(*fib));
	struct nctl_op *op = fib ? nctl_plan_add(f->b, type, phase_of(rank)) : NULL;

	if (!op) {
		f->b->err = f->b->err ? f->b->err : -ENOMEM;
		return NULL;
	}
	op->rank = rank;
	op->kind = kind_of(type);
	op->name = label;
	if (pos)
		op->pos = *pos;
	op->fib = fib;
	*ret = fib;
	return op;
}

static int cmp_nexthop(const void *key, const void *entry)
{
	nctl_nhid x = *(const nctl_nhid *)key, y = ((const struct nctl_want_nexthop *)entry)->v.id;

	return (x > y) - (x < y);
}

ssize_t nctl_fib_find_nexthop(const struct nctl_want_routing *w, nctl_nhid id)
{
	const struct nctl_want_nexthop *n =
		w->n_nexthops ? bsearch(&id, w->nexthops, w->n_nexthops, sizeof(*n), cmp_nexthop) : NULL;

	return n ? n - w->nexthops : -1;
}

const char *nctl_fib_route_label(struct builder *b, const struct nctl_route *r)
{
	char buf[NCTL_PREFIX_STR];

	return r->dst.len ? nctl_plan_copy_name(b, nctl_prefix_format(&r->dst, buf)) : "default";
}

const char *nctl_fib_label(struct builder *b, uint8_t type, const struct nctl_op_fib *fib)
{
	char label[16], addr[NCTL_ADDR_STR];

	if (type == NCTL_OP_ROUTE_NEW)
		return nctl_fib_route_label(b, &fib->v.route);
	if (type == NCTL_OP_NEIGH_NEW)
		return nctl_plan_copy_name(b, nctl_addr_format(&fib->v.neigh.dst, addr));
	snprintf(label, sizeof(label), "%u",
		type == NCTL_OP_RULE_NEW ? fib->v.rule.priority : fib->v.nexthop.id);
	return nctl_plan_copy_name(b, label);
}

static void plan_in(struct fib *f, const struct nctl_plan_netns *n)
{
	static const struct nctl_want_routing nothing;

	f->w = n->want && n->want->routing ? n->want->routing : &nothing;
	f->n_kept = 0;
	f->nexthops = calloc(f->w->n_nexthops + 1, sizeof(*f->nexthops));
	if (!f->nexthops) {
		f->b->err = -ENOMEM;
		return;
	}
	nctl_fib_device_routes(f);
	nctl_fib_nexthops(f);
	nctl_fib_routes(f);
	nctl_fib_rules(f);
	if (n->neighs_known)
		nctl_fib_neighs(f);
	nctl_fib_unroute(f);
	nctl_fib_drop_nexthops(f);
	free(f->nexthops);
}

void nctl_plan_fib(struct builder *b)
{
	struct fib f = {.b = b};

	collect_touched(&f);
	for (uint32_t i = 0; i < b->plan->n_netns && !b->err; i++) {
		nctl_plan_enter(b, i);
		if (b->have && !nctl_plan_netns_is_doomed(&b->plan->netns[i]))
			plan_in(&f, &b->plan->netns[i]);
	}
	free(f.touched);
	free(f.kept);
}

static bool has_our_rules(const struct nctl_mirror *m, uint8_t family)
{
	const struct nctl_rule *r;

	for (size_t i = 0; (r = nctl_mirror_rule_at(m, family, i)); i++)
		if (r->protocol == NCTL_PROTO)
			return true;
	return false;
}

bool nctl_plan_has_ours(const struct nctl_mirror *m)
{
	const struct nctl_nexthop *n = nctl_mirror_nexthop_from(m, 0);
	struct nctl_route_walk walk;

	nctl_mirror_routes_of_protocol(m, NCTL_PROTO, &walk);
	if (nctl_mirror_routes_of_next(&walk) || has_our_rules(m, AF_INET) || has_our_rules(m, AF_INET6))
		return true;
	while (n && n->protocol != NCTL_PROTO)
		n = n->id < UINT32_MAX ? nctl_mirror_nexthop_from(m, n->id + 1) : NULL;
	return n;
}
