/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the operations of one wanted link. Called in dependency order, so that the lower, the master and the
 * ports that come first have their items settled: kept with the kernel's ifindex, or made with one of ours.
 * Decides whether a link of that name is kept, replaced or in the way, and adds creating and setting
 * operations to their phases.
 */
#include "plan/private.h"

#include <string.h>

static bool is_ours(const struct builder *b, nctl_ifindex ifindex)
{
	return nctl_ledger_link_get(b->ledger, ifindex);
}

static struct nctl_op *link_op(
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

/* The operation added last belongs to what is done at this rank. */
static void at_rank(struct builder *b, uint32_t rank)
{
	if (!b->err)
		b->plan->ops[nctl_plan_last(b)].rank = rank;
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

/* Replaces `have`: its deletion goes first, unless the deletion of its lower takes it along. */
static void replace(struct builder *b, const struct nctl_want_link *w, const struct nctl_mirror_link *have)
{
	const struct item *lower = w->lower.link ? &b->items[w->lower.link->number] : NULL;
	struct nctl_op *op;

	if (!is_ours(b, have->v.ifindex)) {
		in_the_way(b, w, have);
		return;
	}
	if (!b->opts->allow_recreate)
		nctl_plan_problem(b, NCTL_PROBLEM_CONSENT, &w->pos,
			"%s %s must be deleted and made again; allow it with --allow-recreate",
			w->v.kind->name, w->v.name);
	op = link_op(b, w, NCTL_OP_LINK_DEL, NCTL_PHASE_CLEAR);
	if (!op)
		return;
	op->want = NULL;
	op->ifindex = have->v.ifindex;
	op->kind = have->v.kind ? have->v.kind->name : nctl_plan_copy_name(b, have->v.kind_name);
	op->cls = NCTL_CHANGE_RECREATE;
	op->implied = lower && lower->removed_by != NCTL_OP_NONE && have->v.lower == lower->have->v.ifindex &&
	              (w->v.kind->traits & NCTL_KIND_LOWER_REQUIRED);
	if (op->implied)
		op->need[0] = lower->removed_by;
	b->items[w->number].removed_by = nctl_plan_last(b);
	nctl_plan_spare_foreign(b, have, &w->pos);
}

static void set(struct builder *b, const struct nctl_want_link *w, enum nctl_phase phase,
	const struct nctl_link_diff *d, bool up, enum nctl_change_class cls)
{
	struct nctl_op *op = link_op(b, w, NCTL_OP_LINK_SET, phase);

	if (!op)
		return;
	op->diff = *d;
	op->up = up;
	op->cls = cls;
	if (w->master.link && ((d->common & NCTL_LINK_BIT(MASTER)) || d->port))
		op->need[1] = b->items[w->master.link->number].made_by;
}

static void set_up(struct builder *b, const struct nctl_want_link *w, enum nctl_phase phase, bool up)
{
	struct nctl_link_diff d = {.common = NCTL_LINK_BIT(FLAGS)};

	set(b, w, phase, &d, up, up ? NCTL_CHANGE_LIVE : NCTL_CHANGE_FLAP);
}

static void rise_late(struct builder *b, const struct nctl_want_link *w)
{
	b->items[w->number].rises_late = true;
	set_up(b, w, NCTL_PHASE_UP, true);
}

/* Up before its uppers are made, or with all others: then at least, when its lower does so. */
static void rise(struct builder *b, const struct nctl_want_link *w)
{
	struct item *it = &b->items[w->number];

	if (!it->early || (w->lower.link && b->items[w->lower.link->number].rises_late)) {
		rise_late(b, w);
		return;
	}
	it->rises_early = true;
	set_up(b, w, NCTL_PHASE_CREATE, true);
	at_rank(b, it->early);
}

/*
 * Down for good. A lower that comes up takes those along that follow it, whatever they were before: then it
 * must be said behind that. False: it is down, and stays so.
 */
static bool sink(struct builder *b, const struct nctl_want_link *w, bool is_up)
{
	const struct item *lower = w->lower.link ? &b->items[w->lower.link->number] : NULL;
	bool follows = w->v.kind->traits & NCTL_KIND_FOLLOWS_UP;
	bool late = follows && lower && lower->rises_late, early = follows && lower && lower->rises_early;

	if (!is_up && !late && !early)
		return false;
	set_up(b, w, late ? NCTL_PHASE_UP : NCTL_PHASE_TUNE, false);
	return true;
}

/* Down, for what the kernel refuses to do with a link that is up (and what it may end: a bond opens its new
 * port). */
static void set_down_for_next(struct builder *b, const struct nctl_want_link *w, enum nctl_phase phase)
{
	set_up(b, w, phase, false);
	if (!b->err)
		b->plan->ops[nctl_plan_last(b)].passing = true;
}

static const struct nctl_kind *master_kind(const struct builder *b, const struct nctl_want_link *w)
{
	const struct nctl_mirror_link *l;

	if (w->master.link)
		return w->master.link->v.kind;
	l = w->master.name ? nctl_mirror_link_get(b->have, b->items[w->number].master) : NULL;
	return l ? l->v.kind : NULL;
}

/* Traits of the master that the link has now. */
static unsigned old_master_traits(const struct builder *b, const struct nctl_mirror_link *have)
{
	const struct nctl_mirror_link *l = have ? nctl_mirror_link_get(b->have, have->v.master) : NULL;

	return l && l->v.kind ? l->v.kind->traits : 0;
}

/*
 * Joins (or leaves) the master. Returns whether the link is down then. A bond closes the port that leaves it
 * (drivers/net/bonding/bond_main.c __bond_release_one). IPv6 addresses go when the link goes down, and
 * whenever it joins or leaves a VRF (net/ipv6/addrconf.c addrconf_notify, NETDEV_CHANGEUPPER).
 */
static bool set_master(struct builder *b, const struct nctl_want_link *w, bool is_up)
{
	struct item *it = &b->items[w->number];
	const struct nctl_kind *k = master_kind(b, w);
	unsigned traits = k ? k->traits : 0, old_traits = old_master_traits(b, it->have);
	struct nctl_link_diff d = {.common = NCTL_LINK_BIT(MASTER)};
	bool flaps = is_up && (traits & NCTL_KIND_PORT_DOWN),
	     closed = is_up && (old_traits & NCTL_KIND_PORT_DOWN);
	bool first = traits & (NCTL_KIND_PORT_DOWN | NCTL_KIND_PORTS_FIRST);
	enum nctl_phase phase;

	/* A port takes no uppers of some kinds (macvlan), and what has such uppers becomes no port. */
	first |= it->has_uppers && it->have && it->have->v.master;
	phase = first ? NCTL_PHASE_CREATE : NCTL_PHASE_TUNE;
	if (it->have)
		nctl_plan_clear_uppers(b, it->have);

	if (flaps) {
		set_down_for_next(b, w, phase);
		at_rank(b, 2 * it->level + 1);
	}
	/* A VRF cycles a port that is up by itself (drivers/net/vrf.c cycle_netdev). */
	set(b, w, phase, &d, is_up && !flaps,
		is_up && ((traits | old_traits) & (NCTL_KIND_PORT_DOWN | NCTL_KIND_VRF)) ? NCTL_CHANGE_FLAP
											 : NCTL_CHANGE_LIVE);
	it->joined_by = nctl_plan_last(b);
	at_rank(b, 2 * it->level + 1);
	it->flushed |= flaps || closed || ((traits | old_traits) & NCTL_KIND_VRF);
	it->rises_early |= (traits | old_traits) & NCTL_KIND_VRF;
	return flaps || closed;
}

static void add_altnames(struct builder *b, const struct nctl_want_link *w, const struct nctl_link *have)
{
	for (char **a = w->v.altnames; a && *a; a++) {
		struct nctl_op *op;

		if (have && nctl_plan_has_altname(have, *a))
			continue;
		op = link_op(b, w, NCTL_OP_ALTNAME_NEW, NCTL_PHASE_TUNE);
		if (op)
			op->altname = *a;
	}
}

/*
 * A bond gives its MTU to a port that joins, and the old MTU and MAC back when it leaves (drivers/net/bonding
 * bond_enslave, __bond_release_one): what is wanted must be said again.
 */
static uint64_t lost_to_master(
	const struct builder *b, const struct nctl_want_link *w, const struct nctl_mirror_link *have)
{
	const struct nctl_kind *k = master_kind(b, w);
	uint64_t lost = 0;

	if (k && (k->traits & NCTL_KIND_PORT_DOWN))
		lost |= NCTL_LINK_BIT(MTU);
	else if (old_master_traits(b, have) & NCTL_KIND_PORT_DOWN)
		lost |= NCTL_LINK_BIT(MTU) | NCTL_LINK_BIT(ADDRESS);
	return lost & w->v.has;
}

/*
 * A bridge takes the smallest MTU of its ports as they join, unless it was given one by a message of its own
 * that changed it (net/bridge/br_if.c br_mtu_auto_adjust): so that message comes when all have joined.
 */
static void settle_mtu(struct builder *b, const struct nctl_want_link *w, bool differs)
{
	const struct nctl_link_diff mtu = {.common = NCTL_LINK_BIT(MTU)};

	for (uint32_t p = b->first_port[w->number]; !differs && p < b->first_port[w->number + 1]; p++) {
		const struct nctl_want_link *port = b->want->links[b->ports[p]];
		const struct nctl_mirror_link *have = nctl_mirror_link_find(b->have, port->v.name);

		differs = !have || have->v.master != b->items[w->number].ifindex;
	}
	if (differs)
		set(b, w, NCTL_PHASE_UP, &mtu, false, nctl_fields_class(&nctl_link_fields, mtu.common));
}

static bool settles_mtu(const struct nctl_want_link *w)
{
	return (w->v.kind->traits & NCTL_KIND_MTU_OF_PORTS) && (w->v.has & NCTL_LINK_BIT(MTU));
}

/* Second messages for a new link: what the first one could not carry. The peer of a pair was not given a
 * master. */
static void tune_new(struct builder *b, const struct nctl_want_link *w, bool is_second)
{
	const struct item *it = &b->items[w->number];
	struct nctl_link_diff d = {
		.common = w->v.has & nctl_fields_with(&nctl_link_fields, NCTL_FIELD_LATE) &
	                  ~NCTL_LINK_BIT(ALTNAMES),
		.data = w->v.data_has & nctl_fields_with(&w->v.kind->data, NCTL_FIELD_LATE),
		.port = w->v.port_has,
	};

	d.common |= lost_to_master(b, w, NULL);
	if (is_second && it->master)
		set_master(b, w, false);
	if (d.common || d.data || d.port) {
		set(b, w, it->early ? NCTL_PHASE_CREATE : NCTL_PHASE_TUNE, &d, false, NCTL_CHANGE_LIVE);
		at_rank(b, it->early);
	}
	add_altnames(b, w, NULL);
	if (settles_mtu(w))
		settle_mtu(b, w, false);
	if (w->admin == NCTL_WANT_UP)
		rise(b, w);
	else if (w->admin == NCTL_WANT_DOWN)
		sink(b, w, false);
}

static nctl_ifindex next_ifindex(struct builder *b)
{
	while (nctl_mirror_link_get(b->have, b->next_ifindex) ||
		nctl_ledger_link_get(b->ledger, b->next_ifindex))
		b->next_ifindex++;
	return b->next_ifindex++;
}

static void make(struct builder *b, const struct nctl_want_link *w)
{
	const struct nctl_want_link *peer = w->v.kind->traits & NCTL_KIND_PEERED ? w->peer.link : NULL;
	struct item *it = &b->items[w->number], *other = peer ? &b->items[peer->number] : NULL;
	struct nctl_op *op;

	it->state = ITEM_NEW;
	it->made_by = NCTL_OP_NONE;
	if (other && other->state == ITEM_NEW && other->made_by != NCTL_OP_NONE) {
		it->ifindex = b->plan->ops[other->made_by].peer_ifindex;
		it->made_by = other->made_by;
		tune_new(b, w, true);
		return;
	}
	it->ifindex = next_ifindex(b);
	nctl_plan_make_way(b, w);
	op = link_op(b, w, NCTL_OP_LINK_NEW, NCTL_PHASE_CREATE);
	if (!op)
		return;
	if (w->lower.link)
		op->need[0] = b->items[w->lower.link->number].made_by;
	if (w->master.link)
		op->need[1] = b->items[w->master.link->number].made_by;
	op->need[2] = it->removed_by;
	if (peer) {
		op->pair = true;
		op->peer_ifindex = next_ifindex(b);
	}
	it->made_by = nctl_plan_last(b);
	tune_new(b, w, false);
}

/* A larger MTU comes before new links are made: those on this one may be as large, and no larger. */
static void raise_mtu(struct builder *b, const struct nctl_want_link *w, const struct nctl_mirror_link *have,
	struct nctl_link_diff *d)
{
	struct nctl_link_diff mtu = {.common = NCTL_LINK_BIT(MTU)};

	if (!(d->common & NCTL_LINK_BIT(MTU)) || w->v.mtu < have->v.mtu)
		return;
	set(b, w, NCTL_PHASE_CREATE, &mtu, false, nctl_fields_class(&nctl_link_fields, mtu.common));
	d->common &= ~NCTL_LINK_BIT(MTU);
}

static void keep(struct builder *b, const struct nctl_want_link *w, const struct nctl_mirror_link *have)
{
	struct item *it = &b->items[w->number];
	struct nctl_op probe = {.want = w, .ifindex = it->ifindex, .lower = it->lower, .master = it->master};
	bool is_up = nctl_link_is_up(&have->v), went_down = false, tuned;
	struct nctl_link_diff d;
	struct nctl_link wanted;

	if (!(w->v.kind->traits & NCTL_KIND_PHYSICAL) && !is_ours(b, it->ifindex))
		nctl_plan_adopt_link(b, have);
	nctl_op_link(&probe, &wanted);
	nctl_plan_diff(&wanted, &have->v, &d);
	if (settles_mtu(w)) {
		settle_mtu(b, w, d.common & NCTL_LINK_BIT(MTU));
		d.common &= ~NCTL_LINK_BIT(MTU);
	}
	raise_mtu(b, w, have, &d);
	if (d.common & NCTL_LINK_BIT(MASTER)) {
		went_down = set_master(b, w, is_up);
		d.common &= ~NCTL_LINK_BIT(MASTER);
		d.common |= lost_to_master(b, w, have);
		d.port = w->v.port_has; /* a port that joins has the defaults */
	}
	tuned = d.common || d.data || d.port;
	if (tuned) {
		enum nctl_change_class cls = nctl_link_change_class(&have->v, &wanted, &d);

		/* What flaps is what the kernel refuses to change while the link is up. */
		if (cls == NCTL_CHANGE_FLAP && is_up && !went_down) {
			set_down_for_next(b, w, NCTL_PHASE_TUNE);
			went_down = true;
		}
		set(b, w, NCTL_PHASE_TUNE, &d, is_up && !went_down, cls);
	}
	add_altnames(b, w, &have->v);
	if (w->admin == NCTL_WANT_DOWN)
		went_down |= sink(b, w, is_up && !went_down);
	else if (w->admin == NCTL_WANT_UP && !is_up && !went_down && !tuned)
		rise(b, w);
	else if ((w->admin == NCTL_WANT_UP && !is_up) || went_down)
		rise_late(b, w);
	it->flushed |= went_down || (w->lower.link && b->items[w->lower.link->number].flushed);
}

/* Without a master in the configuration, one that is not ours is left alone: containers and others enslave
 * too. */
static void keep_foreign_master(
	struct builder *b, const struct nctl_want_link *w, const struct nctl_link *have)
{
	struct item *it = &b->items[w->number];

	if (!w->master.name && have->master && !is_ours(b, have->master))
		it->master = have->master;
}

/* Half a pair cannot be made: the other end is there and belongs to something else. */
static bool is_split_pair(
	struct builder *b, const struct nctl_want_link *w, const struct nctl_mirror_link *have)
{
	const struct nctl_mirror_link *peer;

	if (!(w->v.kind->traits & NCTL_KIND_PEERED) || !w->peer.name)
		return false;
	peer = nctl_mirror_link_find(b->have, w->peer.name);
	if (have && peer && have->v.lower == peer->v.ifindex && have->v.lower_nsid == NCTL_NSID_NONE)
		return false;
	return have || peer;
}

void nctl_plan_link(struct builder *b, const struct nctl_want_link *w)
{
	const struct nctl_mirror_link *have = nctl_mirror_link_find(b->have, w->v.name);
	struct item *it = &b->items[w->number];
	bool physical = w->v.kind->traits & NCTL_KIND_PHYSICAL;

	it->made_by = NCTL_OP_NONE;
	it->removed_by = NCTL_OP_NONE;
	it->joined_by = NCTL_OP_NONE;
	if (!resolve_refs(b, w))
		return;
	if (!have && physical) {
		wait_for(b, w, w->v.name);
		return;
	}
	if (is_split_pair(b, w, have)) {
		nctl_plan_problem(b, NCTL_PROBLEM_CONFLICT, &w->pos,
			"%s and %s are not the two ends of one pair; delete or rename the one that is there",
			w->v.name, w->peer.name);
		it->state = ITEM_WAIT;
		return;
	}
	it->have = have;
	if (have)
		keep_foreign_master(b, w, &have->v);
	if (have && !physical && strcmp(have->v.name, w->v.name)) {
		in_the_way(b, w, have);
		it->state = ITEM_WAIT;
	} else if (have && (physical || is_match(b, w, &have->v))) {
		it->state = ITEM_KEEP;
		it->ifindex = have->v.ifindex;
		keep(b, w, have);
	} else {
		if (have)
			replace(b, w, have);
		make(b, w);
	}
}
