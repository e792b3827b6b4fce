/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: what is ours and wanted no more. An owned link that no wanted one keeps is doomed; so are our
 * addresses on links that the configuration does not name. Deletions come last, since they cannot be undone,
 * but for a doomed link that stands in the way of a new one (the same VLAN ID on the same lower, say). A
 * deletion that the kernel does along with another one (uppers of a doomed lower, the other end of a pair) is
 * in the plan, but sends no message.
 */
#include "plan/private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct doomed *find(const struct builder *b, nctl_ifindex ifindex)
{
	size_t lo = 0, hi = b->n_doomed;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (b->doomed[mid].link->v.ifindex < ifindex)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < b->n_doomed && b->doomed[lo].link->v.ifindex == ifindex ? &b->doomed[lo] : NULL;
}

/* What no two links of a kind may share on one lower; 0: this kind has no such fields. */
static uint64_t identity(const struct nctl_kind *k, nctl_ifindex lower, const void *data, uint64_t has)
{
	uint64_t mask = k ? nctl_fields_with(&k->data, NCTL_FIELD_IDENTITY) : 0, h;

	if (!mask || !data || (has & mask) != mask)
		return 0;
	h = nctl_hash_str(k->name) ^ nctl_hash_u64(lower);
	for (size_t i = 0; i < k->data.n; i++)
		if (mask & (UINT64_C(1) << i))
			h = nctl_hash_u64(h ^ nctl_field_get(&k->data.v[i], data));
	return h ? h : 1;
}

/* By its name, or by an altname that the configuration uses. */
static bool is_wanted(const struct builder *b, const struct nctl_mirror_link *l)
{
	if (nctl_want_find(b->want, l->v.name))
		return true;
	for (char **a = l->v.altnames; a && *a; a++)
		if (nctl_want_find(b->want, *a))
			return true;
	return false;
}

int nctl_plan_doom(struct builder *b)
{
	const struct nctl_ledger_link *e;

	b->doomed = calloc(nctl_ledger_link_count(b->ledger) + 1, sizeof(*b->doomed));
	if (!b->doomed)
		return -ENOMEM;
	for (e = nctl_ledger_link_from(b->ledger, 1); e;
		e = nctl_ledger_link_from(b->ledger, e->ifindex + 1)) {
		const struct nctl_mirror_link *l = nctl_mirror_link_get(b->have, e->ifindex);
		struct doomed *d = &b->doomed[b->n_doomed];
		uint64_t id;

		if (!l || is_wanted(b, l))
			continue;
		d->link = l;
		b->n_doomed++;
		id = identity(l->v.kind, l->v.lower, l->v.data, l->v.data_has);
		if (id && nctl_hash_insert(&b->doomed_by_identity, &d->by_identity, id) < 0)
			return -ENOMEM;
	}
	return 0;
}

void nctl_plan_make_way(struct builder *b, const struct nctl_want_link *w)
{
	uint64_t id = identity(w->v.kind, b->items[w->number].lower, w->v.data, w->v.data_has);
	struct nctl_hash_node *n = id ? nctl_hash_find(&b->doomed_by_identity, id) : NULL;

	if (n)
		nctl_container_of(n, struct doomed, by_identity)->early = true;
}

/* The doomed one whose deletion takes l along by itself, or NULL. */
static const struct doomed *implied_by(const struct builder *b, const struct nctl_link *l)
{
	unsigned traits = l->kind ? l->kind->traits : 0;
	const struct doomed *lower = l->lower_nsid == NCTL_NSID_NONE ? find(b, l->lower) : NULL;

	if (!lower || (traits & NCTL_KIND_LOWER_REQUIRED))
		return lower;
	/* Of a pair, the first one is deleted. */
	return (traits & NCTL_KIND_PEERED) && l->lower < l->ifindex ? lower : NULL;
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

void nctl_plan_spare_foreign(struct builder *b, const struct nctl_mirror_link *l, const struct nctl_pos *pos)
{
	struct nctl_list *n;

	nctl_list_for_each(n, &l->uppers) {
		const struct nctl_mirror_link *u = nctl_list_entry(n, struct nctl_mirror_link, in_lower);

		if (u->v.kind && !(u->v.kind->traits & NCTL_KIND_LOWER_REQUIRED))
			continue;
		if (nctl_ledger_link_get(b->ledger, u->v.ifindex))
			continue;
		nctl_plan_problem(b, NCTL_PROBLEM_CONFLICT, pos,
			"deleting %s would take %s along, which netctld does not own; delete or move it "
			"first",
			l->v.name, u->v.name);
		return;
	}
}

static void del(struct builder *b, struct doomed *d)
{
	const struct nctl_link *l = &d->link->v;
	struct nctl_op *op =
		nctl_plan_add(b, NCTL_OP_LINK_DEL, d->early ? NCTL_PHASE_CLEAR : NCTL_PHASE_REMOVE);
	struct nctl_pos nowhere = {0};

	if (!op)
		return;
	d->removed_by = nctl_plan_last(b);
	op->ifindex = l->ifindex;
	op->kind = l->kind ? l->kind->name : "generic";
	op->implied = !d->early && implied_by(b, l);
	op->name = nctl_plan_copy_name(b, l->name);
	nctl_plan_spare_foreign(b, d->link, &nowhere);
}

/* An implied deletion fails with the one that implies it. */
static void link_implied(struct builder *b)
{
	for (size_t i = 0; i < b->n_doomed && !b->err; i++) {
		struct nctl_op *op = &b->plan->ops[b->doomed[i].removed_by];

		if (op->implied)
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

void nctl_plan_remove(struct builder *b)
{
	for (size_t i = 0; i < b->n_doomed; i++)
		del(b, &b->doomed[i]);
	link_implied(b);
	for (const struct nctl_mirror_link *l = nctl_mirror_link_from(b->have, 1); l;
		l = nctl_mirror_link_next(l))
		if (!is_wanted(b, l) && !find(b, l->v.ifindex))
			strip(b, l);
}
