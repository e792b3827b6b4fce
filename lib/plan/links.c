/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the operations of one wanted link. Called in dependency order, so that the lower, the master and the
 * ports that come first have their items settled: kept with the kernel's ifindex, or made with one of ours.
 * Decides whether a link of that name is kept (tune.c goes on then), replaced or in the way; of a pair, for
 * both ends at once.
 */
#include "plan/parts.h"

#include <string.h>

struct nctl_op *nctl_plan_link_op(
	struct builder *b, const struct nctl_want_link *w, enum nctl_op_type type, enum nctl_phase phase)
{
	const struct item *it = &b->items[w->number];
	struct nctl_op *op = nctl_plan_add(b, type, phase);

	if (!op)
		return NULL;
	op->want = w;
	op->ifindex = it->ifindex;
	op->lower = it->lower;
	op->master = it->master;
	op->pos = w->pos;
	op->kind = w->v.kind->name;
	op->need[0] = it->made_by;
	op->rank = 2 * it->level;
	op->name = w->v.name;
	return op;
}

/* The index that a name stands for; 0 for no name. False: there is no such link now. */
static bool resolve(struct builder *b, const struct nctl_want_ref *ref, nctl_ifindex *ret)
{
	const struct nctl_mirror_link *l;

	*ret = 0;
	if (!ref->name)
		return true;
	if (ref->link) {
		*ret = b->items[ref->link->number].ifindex;
		return b->items[ref->link->number].state != ITEM_WAIT;
	}
	l = nctl_mirror_link_find(b->have, ref->name);
	if (!l)
		return false;
	*ret = l->v.ifindex;
	return true;
}

const struct nctl_mirror_link *nctl_plan_find(const struct builder *b, const struct nctl_want_link *w)
{
	const struct nctl_mirror_link *l;

	if (!b->have || w->absent)
		return NULL;
	if (w->ifindex)
		return nctl_mirror_link_get(b->have, w->ifindex);
	l = nctl_mirror_link_find(b->have, w->v.name);
	return l ? l : b->items[w->number].renamed;
}

/* Under its own name, or another one that somebody gave it, and not just by an altname. */
static bool is_it(
	const struct builder *b, const struct nctl_want_link *w, const struct nctl_mirror_link *have)
{
	return !strcmp(have->v.name, w->v.name) || have == b->items[w->number].renamed;
}

static void wait_for(struct builder *b, const struct nctl_want_link *w, const char *name)
{
	const struct nctl_plan *p = b->plan;
	const struct nctl_pos *last = p->n_problems ? &p->problems[p->n_problems - 1].pos : NULL;

	b->items[w->number].state = ITEM_WAIT;
	/* One sentence for a whole range. */
	if (last && last->file == w->pos.file && last->line == w->pos.line && last->column == w->pos.column)
		return;
	if (!strcmp(name, w->v.name))
		nctl_plan_problem(b, NCTL_PROBLEM_WAIT, &w->pos, "%s is not there yet", w->def->label);
	else
		nctl_plan_problem(b, NCTL_PROBLEM_WAIT, &w->pos, "%s waits for %s, which is not there yet",
			w->def->label, name);
}

/* Finds the indexes of lower and master; false when one is missing, which is said. */
static bool resolve_refs(struct builder *b, const struct nctl_want_link *w)
{
	struct item *it = &b->items[w->number];

	if (!resolve(b, &w->lower, &it->lower)) {
		wait_for(b, w, w->lower.name);
		return false;
	}
	if (!resolve(b, &w->master, &it->master)) {
		wait_for(b, w, w->master.name);
		return false;
	}
	return true;
}

/* Does a link keep its identity when it is brought to w? False: it must be made again. */
static bool is_match(struct builder *b, const struct nctl_want_link *w, const struct nctl_link *have)
{
	const struct item *it = &b->items[w->number];
	struct nctl_op probe = {
		.want = w, .ifindex = have->ifindex, .lower = it->lower, .master = it->master};
	struct nctl_link_diff d;
	struct nctl_link wanted;

	nctl_op_link(&probe, &wanted);
	nctl_plan_diff(&wanted, have, &d);
	if (d.common & NCTL_LINK_BIT(LOWER))
		return false;
	return nctl_link_change_class(have, &wanted, &d) != NCTL_CHANGE_RECREATE;
}

static void in_the_way(struct builder *b, const struct nctl_want_link *w, const struct nctl_mirror_link *have)
{
	const char *kind = nctl_link_kind_name(&have->v);

	nctl_plan_problem(b, NCTL_PROBLEM_CONFLICT, &w->pos,
		"a link that netctld does not own is in the way of %s %s: %s%s (ifindex %u); delete or "
		"rename it",
		w->v.kind->name, w->v.name, kind ? "kind " : "a physical link", kind ? kind : "",
		have->v.ifindex);
}

static void ask_consent(struct builder *b, const struct nctl_want_link *w)
{
	if (!b->opts->allow_recreate)
		nctl_plan_problem(b, NCTL_PROBLEM_CONSENT, &w->pos,
			"%s %s must be deleted and made again; allow it with --allow-recreate",
			w->v.kind->name, w->v.name);
}

static bool goes_with_lower(
	const struct builder *b, const struct nctl_want_link *w, const struct nctl_mirror_link *have)
{
	const struct item *lower = w->lower.link ? &b->items[w->lower.link->number] : NULL;

	return lower && lower->removed_by != NCTL_OP_NONE && have->v.lower == lower->have->v.ifindex &&
	       (w->v.kind->traits & NCTL_KIND_LOWER_REQUIRED);
}

/* Its deletion goes first, unless that of its lower, or of the other end of its pair, takes it along. */
static void clear(struct builder *b, const struct nctl_want_link *w, const struct nctl_mirror_link *have)
{
	bool peered = have->v.kind && (have->v.kind->traits & NCTL_KIND_PEERED);
	const struct pair_end *other = peered ? nctl_plan_pair_other(b, have) : NULL;
	struct pair_end *end = peered ? nctl_plan_pair_goes(b, have) : NULL;
	struct nctl_op *op = nctl_plan_link_op(b, w, NCTL_OP_LINK_DEL, NCTL_PHASE_CLEAR);

	if (!op)
		return;
	op->want = NULL;
	op->ifindex = have->v.ifindex;
	op->kind = have->v.kind ? have->v.kind->name : nctl_plan_copy_name(b, have->v.kind_name);
	op->cls = NCTL_CHANGE_RECREATE;
	if (goes_with_lower(b, w, have))
		op->need[0] = b->items[w->lower.link->number].removed_by;
	else if (other && other->removed_by != NCTL_OP_NONE &&
		 b->plan->ops[other->removed_by].phase == NCTL_PHASE_CLEAR)
		op->need[0] = other->removed_by;
	op->implied = op->need[0] != NCTL_OP_NONE;
	b->items[w->number].removed_by = nctl_plan_last(b);
	if (end)
		end->removed_by = nctl_plan_last(b);
	nctl_plan_spare_foreign(b, have, w, &w->pos);
}

static void replace(struct builder *b, const struct nctl_want_link *w, const struct nctl_mirror_link *have)
{
	if (!nctl_plan_is_ours(b, have->v.ifindex)) {
		in_the_way(b, w, have);
		return;
	}
	b->items[w->number].fading = goes_with_lower(b, w, have) && b->items[w->lower.link->number].fading;
	if (!b->items[w->number].fading)
		ask_consent(b, w);
	clear(b, w, have);
}

/* Of all namespaces, no two links get the same one; and it is free in that one. */
static nctl_ifindex next_ifindex(struct builder *b)
{
	while (nctl_mirror_link_get(b->have, b->next_ifindex) ||
		nctl_ledger_link_get(b->ledger, b->next_ifindex))
		b->next_ifindex++;
	return b->next_ifindex++;
}

static void make(struct builder *b, const struct nctl_want_link *w)
{
	struct item *it = &b->items[w->number];
	struct nctl_op *op;

	it->state = ITEM_NEW;
	it->made_by = NCTL_OP_NONE;
	it->ifindex = next_ifindex(b);
	nctl_plan_make_way(b, w);
	op = nctl_plan_link_op(b, w, NCTL_OP_LINK_NEW, NCTL_PHASE_CREATE);
	if (!op)
		return;
	if (w->lower.link)
		op->need[0] = b->items[w->lower.link->number].made_by;
	if (w->master.link)
		op->need[1] = b->items[w->master.link->number].made_by;
	op->need[2] = it->removed_by;
	it->made_by = nctl_plan_last(b);
	nctl_plan_tune_new(b, w, false);
}

/*
 * The one that the message tells all of; the other one gets its name and index, and the rest later. A message
 * to the daemon's own namespace can name one other: the end there is the other one.
 */
static const struct nctl_want_link *first_end(const struct nctl_want_link *w)
{
	return !w->netns->number && w->peer.link->netns->number ? w->peer.link : w;
}

/* Makes both ends of the pair of w. False: no memory. */
static bool make_both(struct builder *b, const struct nctl_want_link *w)
{
	const struct nctl_want_link *first = first_end(w), *second = first == w ? w->peer.link : w;
	struct item *it = &b->items[first->number], *other = &b->items[second->number];
	uint32_t nsid = nctl_plan_nsid(b, first->netns->number, second->netns->number);
	struct nctl_op *op;

	nctl_plan_enter(b, first->netns->number);
	if (!resolve(b, &first->master, &it->master))
		it->master = 0; /* it waits for it */
	it->ifindex = next_ifindex(b);
	it->made_by = NCTL_OP_NONE;
	op = nctl_plan_link_op(b, first, NCTL_OP_LINK_NEW, NCTL_PHASE_CREATE);
	nctl_plan_enter(b, second->netns->number);
	other->ifindex = next_ifindex(b);
	nctl_plan_enter(b, w->netns->number);
	if (!op)
		return false;
	op->pair = true;
	op->peer_netns = second->netns->number;
	op->peer_ifindex = other->ifindex;
	op->need[0] = nsid;
	if (first->master.link && it->master)
		op->need[1] = b->items[first->master.link->number].made_by;
	op->need[2] = it->removed_by;
	op->need[3] = other->removed_by;
	it->made_by = other->made_by = nctl_plan_last(b);
	return true;
}

/* One end of a pair; the other one's item may be settled already, or be so later. */
static void make_end(struct builder *b, const struct nctl_want_link *w)
{
	struct item *it = &b->items[w->number];

	if (it->made_by == NCTL_OP_NONE && !make_both(b, w))
		return;
	it->state = ITEM_NEW;
	nctl_plan_tune_new(b, w, b->plan->ops[it->made_by].want != w);
}

/* Without a master in the configuration, one that is not ours is left alone: containers and others enslave
 * too. */
static void keep_foreign_master(
	struct builder *b, const struct nctl_want_link *w, const struct nctl_link *have)
{
	struct item *it = &b->items[w->number];

	if (!w->master.name && have->master && !nctl_plan_is_ours(b, have->master))
		it->master = have->master;
}

static void not_a_pair(struct builder *b, const struct nctl_want_link *w, const char *peer)
{
	nctl_plan_problem(b, NCTL_PROBLEM_CONFLICT, &w->pos,
		"%s and %s are not the two ends of one pair; delete or rename the one that is there",
		w->v.name, peer);
}

/* An end that is there, and is not just another link with the wanted name as an altname. */
static bool is_ours_by_name(
	struct builder *b, const struct nctl_want_link *w, const struct nctl_mirror_link *have)
{
	return !have || (nctl_plan_is_ours(b, have->v.ifindex) && is_it(b, w, have));
}

static const struct nctl_mirror_link *enter_and_find(struct builder *b, const struct nctl_want_link *w)
{
	nctl_plan_enter(b, w->netns->number);
	return nctl_plan_find(b, w);
}

static bool is_same_pair(struct builder *b, const struct nctl_want_link *w,
	const struct nctl_mirror_link *have, const struct nctl_want_link *peer,
	const struct nctl_mirror_link *peer_have)
{
	if (!is_it(b, w, have) || !is_it(b, peer, peer_have))
		return false;
	return nctl_plan_is_pair(b->plan, w->netns->number, &have->v, peer->netns->number, &peer_have->v) &&
	       is_match(b, w, &have->v) && is_match(b, peer, &peer_have->v);
}

/* The other end is in the same namespace, as no number of another one says. */
static bool is_other_end_here(
	const struct builder *b, const struct nctl_want_link *w, const struct nctl_mirror_link *have)
{
	const struct nctl_mirror *m = b->plan->netns[w->netns->number].have;
	const struct nctl_mirror_link *other = m ? nctl_mirror_link_get(m, have->v.lower) : NULL;

	return other && other->v.lower == have->v.ifindex;
}

/*
 * Is `have`, an end in a namespace, alone, since the other end went with its own? It follows by itself, only
 * later. What home calls a namespace that is there is known; what others call it is not; and one that is
 * being torn down has no number any more (peernet2id_alloc of net/core/net_namespace.c).
 */
static bool is_alone(const struct builder *b, const struct nctl_want_link *w,
	const struct nctl_mirror_link *have, const struct nctl_want_link *peer)
{
	const struct nctl_plan *p = b->plan;

	if (!have || p->netns[peer->netns->number].there)
		return false;
	if (have->v.lower_nsid == NCTL_NSID_NONE)
		return !is_other_end_here(b, w, have);
	for (size_t i = 1; !w->netns->number && i < p->n_netns; i++)
		if (p->netns[i].there && p->netns[i].nsid == have->v.lower_nsid)
			return false;
	return true;
}

/* What is there of the two ends goes, if all of it is ours. */
static enum pair_state replace_ends(struct builder *b, const struct nctl_want_link *w,
	const struct nctl_mirror_link *have, const struct nctl_want_link *peer,
	const struct nctl_mirror_link *peer_have)
{
	bool ours;

	nctl_plan_enter(b, peer->netns->number);
	ours = is_ours_by_name(b, peer, peer_have);
	nctl_plan_enter(b, w->netns->number);
	if (!ours || !is_ours_by_name(b, w, have)) {
		not_a_pair(b, w, peer->v.name);
		return PAIR_STUCK;
	}
	b->items[w->number].fading = is_alone(b, w, have, peer);
	b->items[peer->number].fading = is_alone(b, peer, peer_have, w);
	if (!b->items[w->number].fading && !b->items[peer->number].fading)
		ask_consent(b, w);
	if (have)
		clear(b, w, have);
	nctl_plan_enter(b, peer->netns->number);
	if (peer_have)
		clear(b, peer, peer_have);
	return PAIR_MADE;
}

/* Both ends stay, or both are made: half a pair cannot be. */
static void settle_pair(
	struct builder *b, const struct nctl_want_link *w, const struct nctl_mirror_link *have)
{
	const struct nctl_want_link *peer = w->peer.link;
	const struct nctl_mirror_link *peer_have = enter_and_find(b, peer);
	enum pair_state state = PAIR_MADE;

	if (!b->have)
		state = PAIR_STUCK; /* its namespace cannot be read, which is said */
	else if (have && peer_have && is_same_pair(b, w, have, peer, peer_have))
		state = PAIR_STAYS;
	else if (have || peer_have)
		state = replace_ends(b, w, have, peer, peer_have);
	nctl_plan_enter(b, w->netns->number);
	b->items[w->number].have = have;
	b->items[w->number].pair = state;
	b->items[peer->number].have = peer_have;
	b->items[peer->number].pair = state;
}

static void keep_found(struct builder *b, const struct nctl_want_link *w, const struct nctl_mirror_link *have)
{
	struct item *it = &b->items[w->number];

	it->state = ITEM_KEEP;
	it->ifindex = have->v.ifindex;
	keep_foreign_master(b, w, &have->v);
	nctl_plan_keep(b, w, have);
}

static void plan_end(struct builder *b, const struct nctl_want_link *w, const struct nctl_mirror_link *have)
{
	struct item *it = &b->items[w->number];

	if (it->pair == PAIR_OPEN)
		settle_pair(b, w, have);
	switch ((enum pair_state)it->pair) {
	case PAIR_STAYS:
		keep_found(b, w, have);
		break;
	case PAIR_MADE:
		make_end(b, w);
		break;
	case PAIR_OPEN:
	case PAIR_STUCK:
		it->state = ITEM_WAIT;
		break;
	}
}

/* The other end is not ours to plan (another renderer's, say): it is there with this one, or both are not. */
static bool is_split_pair(
	struct builder *b, const struct nctl_want_link *w, const struct nctl_mirror_link *have)
{
	const struct nctl_mirror_link *peer;

	if (!(w->v.kind->traits & NCTL_KIND_PEERED) || !w->peer.name)
		return false;
	peer = nctl_mirror_link_find(b->have, w->peer.name);
	if (have && peer && nctl_plan_is_pair(b->plan, b->netns, &have->v, b->netns, &peer->v))
		return false;
	return have || peer;
}

void nctl_plan_link(struct builder *b, const struct nctl_want_link *w)
{
	const struct nctl_mirror_link *have = nctl_plan_find(b, w);
	struct item *it = &b->items[w->number];
	bool physical = w->v.kind->traits & NCTL_KIND_PHYSICAL;

	if (!b->have) {
		it->state = ITEM_WAIT; /* for its namespace, which is said */
		return;
	}
	if (!resolve_refs(b, w))
		return;
	if (w->stuck) {
		it->state = ITEM_WAIT; /* which is said */
		return;
	}
	if (w->absent || (!have && physical)) {
		wait_for(b, w, w->v.name);
		return;
	}
	if ((w->v.kind->traits & NCTL_KIND_PEERED) && w->peer.link) {
		plan_end(b, w, have);
		return;
	}
	if (is_split_pair(b, w, have)) {
		not_a_pair(b, w, w->peer.name);
		it->state = ITEM_WAIT;
		return;
	}
	it->have = have;
	if (have)
		keep_foreign_master(b, w, &have->v);
	if (have && !physical && !is_it(b, w, have)) {
		in_the_way(b, w, have);
		it->state = ITEM_WAIT;
	} else if (have && (physical || is_match(b, w, &have->v))) {
		it->state = ITEM_KEEP;
		it->ifindex = have->v.ifindex;
		nctl_plan_keep(b, w, have);
	} else {
		if (have)
			replace(b, w, have);
		make(b, w);
	}
}
