/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: what is ours and wanted no more, namespace by namespace. An owned link that no wanted one keeps is
 * doomed; so are our addresses on links that the configuration does not name. A namespace that we made goes
 * as a whole. Deletions come last, since they cannot be undone, but for a doomed link that stands in the way
 * of a new one (the same VLAN ID on the same lower, say). A deletion that the kernel does along with another
 * one (uppers of a doomed lower, the other end of a pair) is in the plan, but sends no message.
 */
#include "plan/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct doomed *find(const struct builder *b, nctl_ifindex ifindex)
{
	size_t lo = b->first_doomed[b->netns], hi = b->first_doomed[b->netns + 1], end = hi;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (b->doomed[mid].link->v.ifindex < ifindex)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < end && b->doomed[lo].link->v.ifindex == ifindex ? &b->doomed[lo] : NULL;
}

bool nctl_plan_is_doomed(const struct builder *b, nctl_ifindex ifindex)
{
	return find(b, ifindex);
}

static uint64_t hash_field(const struct nctl_field *f, const void *data)
{
	const struct nctl_prefix *p = (const void *)((const char *)data + f->offset);

	return f->type == NCTL_FIELD_IP ? nctl_hash_bytes(p->addr, sizeof(p->addr)) : nctl_field_get(f, data);
}

/* What no two links of a kind may share on one lower; 0: this kind has no such fields. */
static uint64_t identity(
	uint32_t netns, const struct nctl_kind *k, nctl_ifindex lower, const void *data, uint64_t has)
{
	uint64_t mask = k ? nctl_fields_with(&k->data, NCTL_FIELD_IDENTITY) : 0, h;

	/* Of a kind that is told as a whole, what is left out is none. */
	if (!mask || !data || ((has & mask) != mask && !(k->traits & NCTL_KIND_SET_WHOLE)))
		return 0;
	h = nctl_hash_str(k->name) ^ nctl_hash_u64((uint64_t)netns << 32 | lower);
	for (size_t i = 0; i < k->data.n; i++)
		if (mask & (UINT64_C(1) << i))
			h = nctl_hash_u64(h ^ hash_field(&k->data.v[i], data));
	return h ? h : 1;
}

/* By its name, or by an altname that the configuration uses. */
static bool is_wanted(const struct builder *b, const struct nctl_mirror_link *l)
{
	if (nctl_want_find(b->want, b->netns, l->v.name) || nctl_want_bound(b->want, b->netns, l->v.ifindex))
		return true;
	for (char **a = l->v.altnames; a && *a; a++)
		if (nctl_want_find(b->want, b->netns, *a))
			return true;
	return false;
}

/*
 * Somebody gave a link of ours another name, which nobody wants: it is what it was made for, and gets its
 * name back. False: it is not wanted.
 */
static bool is_renamed(struct builder *b, const struct nctl_mirror_link *l)
{
	const struct nctl_ledger_link *e = nctl_ledger_link_get(b->ledger, l->v.ifindex);
	const struct nctl_want_link *w = e ? nctl_want_find(b->want, b->netns, e->name) : NULL;
	struct item *it = w ? &b->items[w->number] : NULL;

	if (!it || w->v.kind != l->v.kind || nctl_mirror_link_find(b->have, e->name))
		return false;
	if (!it->renamed)
		it->renamed = l;
	return it->renamed == l;
}

static uint64_t pair_hash(nctl_ifindex ifindex, nctl_ifindex other)
{
	return nctl_hash_u64((uint64_t)ifindex << 32 | other);
}

struct pair_end *nctl_plan_pair_goes(struct builder *b, const struct nctl_mirror_link *l)
{
	struct pair_end *e = nctl_arena_alloc(&b->plan->arena, sizeof(*e));

	if (!e || nctl_hash_insert(&b->pair_ends, &e->node, pair_hash(l->v.ifindex, l->v.lower)) < 0) {
		b->err = -ENOMEM;
		return NULL;
	}
	e->link = l;
	e->netns = b->netns;
	e->removed_by = NCTL_OP_NONE;
	return e;
}

struct pair_end *nctl_plan_pair_other(const struct builder *b, const struct nctl_mirror_link *l)
{
	struct nctl_hash_node *pos;

	nctl_hash_for_each_equal(pos, &b->pair_ends, pair_hash(l->v.lower, l->v.ifindex)) {
		struct pair_end *e = nctl_container_of(pos, struct pair_end, node);

		if (nctl_plan_is_pair(b->plan, b->netns, &l->v, e->netns, &e->link->v))
			return e;
	}
	return NULL;
}

static bool is_peered(const struct nctl_mirror_link *l)
{
	return l->v.kind && (l->v.kind->traits & NCTL_KIND_PEERED);
}

/* Of a namespace that goes, only pairs need a thought: their other ends go along. */
static void doom_netns(struct builder *b)
{
	struct nctl_op *op = nctl_plan_netns_op(b, NCTL_OP_NETNS_DEL, NCTL_PHASE_REMOVE);
	const struct nctl_mirror_link *l = op && b->have ? nctl_mirror_link_from(b->have, 1) : NULL;

	for (; l; l = nctl_mirror_link_next(l)) {
		struct pair_end *e;

		if (!is_peered(l) || l->v.lower_nsid == NCTL_NSID_NONE)
			continue;
		e = nctl_plan_pair_goes(b, l);
		if (!e)
			return;
		e->removed_by = nctl_plan_last(b);
	}
}

/* Our links in the namespace that b is in. */
static void doom_links(struct builder *b)
{
	const struct nctl_ledger_link *e;

	for (e = nctl_ledger_link_from(b->ledger, 1); e && !b->err;
		e = nctl_ledger_link_from(b->ledger, e->ifindex + 1)) {
		const struct nctl_mirror_link *l = nctl_mirror_link_get(b->have, e->ifindex);
		struct doomed *d = &b->doomed[b->n_doomed];
		uint64_t id;

		if (!l || is_wanted(b, l) || is_renamed(b, l))
			continue;
		d->link = l;
		d->removed_by = NCTL_OP_NONE;
		b->n_doomed++;
		if (is_peered(l))
			d->end = nctl_plan_pair_goes(b, l);
		id = identity(b->netns, l->v.kind, l->v.lower, l->v.data, l->v.data_has);
		if (id && nctl_hash_insert(&b->doomed_by_identity, &d->by_identity, id) < 0)
			b->err = -ENOMEM;
	}
}

int nctl_plan_doom(struct builder *b)
{
	const struct nctl_plan *p = b->plan;
	size_t n = 0;

	for (size_t i = 0; i < p->n_netns; i++)
		n += nctl_ledger_link_count(p->netns[i].ledger);
	b->doomed = calloc(n + 1, sizeof(*b->doomed));
	b->first_doomed = calloc(p->n_netns + 1, sizeof(*b->first_doomed));
	if (!b->doomed || !b->first_doomed)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->n_netns && !b->err; i++) {
		nctl_plan_enter(b, i);
		if (nctl_plan_netns_is_doomed(&p->netns[i]))
			doom_netns(b);
		else if (p->netns[i].there && b->have)
			doom_links(b);
		b->first_doomed[i + 1] = b->n_doomed;
	}
	return b->err;
}

void nctl_plan_make_way(struct builder *b, const struct nctl_want_link *w)
{
	uint64_t id = identity(b->netns, w->v.kind, b->items[w->number].lower, w->v.data, w->v.data_has);
	struct nctl_hash_node *n = id ? nctl_hash_find(&b->doomed_by_identity, id) : NULL;

	if (n)
		nctl_container_of(n, struct doomed, by_identity)->early = true;
}

/* The doomed lower whose deletion takes l along by itself, or NULL. */
static const struct doomed *implied_by(const struct builder *b, const struct nctl_link *l)
{
	unsigned traits = l->kind ? l->kind->traits : 0;

	if (!(traits & NCTL_KIND_LOWER_REQUIRED) || l->lower_nsid != NCTL_NSID_NONE)
		return NULL;
	return find(b, l->lower);
}

void nctl_plan_clear_uppers(struct builder *b, const struct nctl_mirror_link *l)
{
	struct nctl_list *n;

	nctl_list_for_each(n, &l->uppers) {
		struct doomed *d = find(b, nctl_list_entry(n, struct nctl_mirror_link, in_lower)->v.ifindex);

		if (d)
			d->early = true;
	}
}

/* It goes before the new one comes, so it cannot wait for anybody. */
static void ask_consent(struct builder *b, const struct nctl_link *l)
{
	const struct nctl_pos nowhere = {0};

	if (b->opts->confirm && !b->opts->allow_recreate)
		nctl_plan_problem(b, NCTL_PROBLEM_CONSENT, &nowhere,
			"%s must be deleted to make room, which cannot be undone and cannot wait for the "
			"confirm; allow it with --allow-recreate",
			l->name);
}

static void del(struct builder *b, struct doomed *d)
{
	const struct nctl_link *l = &d->link->v;
	const struct pair_end *other = d->end ? nctl_plan_pair_other(b, d->link) : NULL;
	struct nctl_op *op =
		nctl_plan_add(b, NCTL_OP_LINK_DEL, d->early ? NCTL_PHASE_CLEAR : NCTL_PHASE_REMOVE);
	struct nctl_pos nowhere = {0};

	if (!op)
		return;
	d->removed_by = nctl_plan_last(b);
	if (d->end)
		d->end->removed_by = d->removed_by;
	op->ifindex = l->ifindex;
	op->kind = l->kind ? l->kind->name : "generic";
	/* Of a pair, the first one is deleted. */
	if (!d->early && other)
		op->need[0] = other->removed_by;
	op->implied = !d->early && (op->need[0] != NCTL_OP_NONE || implied_by(b, l));
	op->name = nctl_plan_copy_name(b, l->name);
	nctl_plan_spare_foreign(b, d->link, NULL, &nowhere);
	if (d->early)
		ask_consent(b, l);
}

/* An implied deletion fails with the one that implies it. */
static void link_implied(struct builder *b, size_t first, size_t end)
{
	for (size_t i = first; i < end && !b->err; i++) {
		struct nctl_op *op = &b->plan->ops[b->doomed[i].removed_by];

		if (op->implied && op->need[0] == NCTL_OP_NONE)
			op->need[0] = implied_by(b, &b->doomed[i].link->v)->removed_by;
	}
}

/* Our addresses on a link that stays, but is in no file any more. */
static void strip(struct builder *b, const struct nctl_mirror_link *l)
{
	for (const struct nctl_mirror_addr *a = nctl_mirror_addr_first(l); a; a = nctl_mirror_addr_next(a)) {
		struct nctl_op *op;

		if (a->v.proto != NCTL_PROTO && !nctl_ledger_addr_has(b->ledger, &a->v))
			continue;
		op = nctl_plan_add(b, NCTL_OP_ADDR_DEL, NCTL_PHASE_CLEAR);
		if (!op)
			return;
		op->ifindex = l->v.ifindex;
		op->addr = nctl_plan_copy_addr(b, &a->v);
		op->kind = l->v.kind ? l->v.kind->name : "physical";
		op->name = nctl_plan_copy_name(b, l->v.name);
	}
}

static void remove_in(struct builder *b)
{
	size_t first = b->first_doomed[b->netns], end = b->first_doomed[b->netns + 1];
	const struct nctl_mirror_link *l;

	for (size_t i = first; i < end; i++)
		del(b, &b->doomed[i]);
	link_implied(b, first, end);
	for (l = nctl_mirror_link_from(b->have, 1); l && !b->err; l = nctl_mirror_link_next(l))
		if (!is_wanted(b, l) && !find(b, l->v.ifindex) && !is_renamed(b, l))
			strip(b, l);
}

void nctl_plan_remove(struct builder *b)
{
	const struct nctl_plan *p = b->plan;

	for (uint32_t i = 0; i < p->n_netns && !b->err; i++) {
		nctl_plan_enter(b, i);
		if (p->netns[i].there && b->have && !nctl_plan_netns_is_doomed(&p->netns[i]))
			remove_in(b);
	}
}
