/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the operations that set something of one wanted link, when links.c has settled where it comes from:
 * what a creating message could not carry, what differs in one that is kept, its master, and up or down.
 */
#include "plan/parts.h"

#include <string.h>

#include <errno.h>
#include <string.h>

/* The operation added last belongs to what is done at this rank. */
static void at_rank(struct builder *b, uint32_t rank)
{
	if (!b->err)
		b->plan->ops[nctl_plan_last(b)].rank = rank;
}

static void set(struct builder *b, const struct nctl_want_link *w, enum nctl_phase phase,
	const struct nctl_link_diff *d, bool up, enum nctl_change_class cls)
{
	struct nctl_op *op = nctl_plan_link_op(b, w, NCTL_OP_LINK_SET, phase);

	if (!op)
		return;
	op->diff = *d;
	op->up = up;
	op->cls = cls;
	if ((d->common & NCTL_LINK_BIT(FLAGS)) && up) {
		op->need[2] = b->items[w->number].tuned_by;
		op->after = b->items[w->number].told_by;
	}
	if (w->master.link && ((d->common & NCTL_LINK_BIT(MASTER)) || d->port))
		op->need[1] = b->items[w->master.link->number].made_by;
}

static void set_up(struct builder *b, const struct nctl_want_link *w, enum nctl_phase phase, bool up)
{
	struct nctl_link_diff d = {.common = NCTL_LINK_BIT(FLAGS)};

	set(b, w, phase, &d, up, up ? NCTL_CHANGE_LIVE : NCTL_CHANGE_FLAP);
	if (up)
		b->items[w->number].risen_by = nctl_plan_last(b);
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
		op = nctl_plan_link_op(b, w, NCTL_OP_ALTNAME_NEW, NCTL_PHASE_TUNE);
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
		const struct nctl_mirror_link *have = nctl_plan_find(b, port);

		differs = !have || have->v.master != b->items[w->number].ifindex;
	}
	if (differs)
		set(b, w, NCTL_PHASE_UP, &mtu, false, nctl_fields_class(&nctl_link_fields, mtu.common));
}

static bool settles_mtu(const struct nctl_want_link *w)
{
	return (w->v.kind->traits & NCTL_KIND_MTU_OF_PORTS) && (w->v.has & NCTL_LINK_BIT(MTU));
}

/* The kernel takes a token only where router advertisements are accepted (net/ipv6/addrconf.c
 * inet6_set_iftoken). */
static void set_token(struct builder *b, const struct nctl_want_link *w, bool differs)
{
	const struct nctl_link_diff d = {.common = NCTL_LINK_BIT(TOKEN)};

	if (!differs)
		return;
	set(b, w, NCTL_PHASE_SYSCTL, &d, false, NCTL_CHANGE_LIVE);
	if (!b->err)
		b->plan->ops[nctl_plan_last(b)].need[2] = b->items[w->number].tuned_by;
}

/* Second messages for a new link: what the first one could not carry. The peer of a pair was not given a
 * master. */
void nctl_plan_tune_new(struct builder *b, const struct nctl_want_link *w, bool is_second)
{
	const struct item *it = &b->items[w->number];
	struct nctl_link_diff d = {
		.common = w->v.has & nctl_fields_with(&nctl_link_fields, NCTL_FIELD_LATE) &
	                  ~(NCTL_LINK_BIT(ALTNAMES) | NCTL_LINK_BIT(TOKEN)),
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
	nctl_plan_link_sysctls(b, w, false, false);
	set_token(b, w, w->v.has & NCTL_LINK_BIT(TOKEN));
	nctl_plan_devices(b, w, true);
	if (settles_mtu(w))
		settle_mtu(b, w, false);
	if (w->admin == NCTL_WANT_UP)
		rise(b, w);
	else if (w->admin == NCTL_WANT_DOWN)
		sink(b, w, false);
	nctl_plan_link_sysctls(b, w, true, true);
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

static bool is_no_address(const struct nctl_field *f, const void *data)
{
	return nctl_prefix_is_unspecified((const void *)((const char *)data + f->offset));
}

/*
 * Of a kind whose changing message says all: what it has, with what is wanted in it, and d is about all of
 * that. Such kinds own no memory in their data.
 */
static const void *whole(struct builder *b, const struct nctl_link *wanted, const struct nctl_link *have,
	struct nctl_link_diff *d, uint64_t *along)
{
	const struct nctl_field_table *t = &wanted->kind->data;
	char *data = nctl_arena_alloc(&b->plan->arena, wanted->kind->data_size);

	if (!data) {
		b->err = -ENOMEM;
		return NULL;
	}
	memcpy(data, have->data, wanted->kind->data_size);
	for (size_t i = 0; i < t->n; i++)
		if (d->data >> i & 1)
			memcpy(data + t->v[i].offset, (const char *)wanted->data + t->v[i].offset,
				t->v[i].size);
	*along = have->data_has & ~(d->data | nctl_fields_with(t, NCTL_FIELD_READONLY));
	/* Of an address none is what is left out, and some kinds refuse to be told so (ipgre_tap_validate).
	 */
	for (size_t i = 0; i < t->n; i++)
		if (t->v[i].type == NCTL_FIELD_IP && is_no_address(&t->v[i], data))
			*along &= ~(UINT64_C(1) << i);
	d->data |= *along;
	return data;
}

/*
 * Its own name back. Returns whether it is down then: before 6.2, the kernel renamed no link that is up
 * (net/core/dev.c dev_change_name).
 */
static bool rename_back(
	struct builder *b, const struct nctl_want_link *w, const struct nctl_mirror_link *have, bool is_up)
{
	struct nctl_link_diff d = {.common = NCTL_LINK_BIT(NAME)};
	bool flaps = is_up && !b->opts->renames_up;

	if (b->items[w->number].renamed != have)
		return false;
	if (flaps)
		set_down_for_next(b, w, NCTL_PHASE_CREATE);
	set(b, w, NCTL_PHASE_CREATE, &d, is_up && !flaps, flaps ? NCTL_CHANGE_FLAP : NCTL_CHANGE_LIVE);
	return flaps;
}

void nctl_plan_keep(struct builder *b, const struct nctl_want_link *w, const struct nctl_mirror_link *have)
{
	struct item *it = &b->items[w->number];
	struct nctl_op probe = {.want = w, .ifindex = it->ifindex, .lower = it->lower, .master = it->master};
	bool is_up = nctl_link_is_up(&have->v), went_down = false, tuned, resized, token;
	struct nctl_link_diff d;
	struct nctl_link wanted;
	const void *data = NULL;
	uint64_t along = 0;

	if (w->lower.link && w->v.kind->traits & NCTL_KIND_FOLLOWS_UP) {
		/* The kernel takes it along, and those on it in turn. */
		it->rises_early |= b->items[w->lower.link->number].rises_early;
		it->rises_late |= b->items[w->lower.link->number].rises_late;
	}
	if (!(w->v.kind->traits & NCTL_KIND_PHYSICAL) && !nctl_plan_is_ours(b, it->ifindex))
		nctl_plan_adopt_link(b, have);
	nctl_op_link(&probe, &wanted);
	nctl_plan_diff(&wanted, &have->v, &d);
	went_down = rename_back(b, w, have, is_up);
	if (w->ifindex && strcmp(w->v.name, have->v.name) != 0)
		went_down |= nctl_plan_rename(b, w, have);
	is_up &= !went_down;
	resized = d.common & NCTL_LINK_BIT(MTU);
	token = d.common & NCTL_LINK_BIT(TOKEN);
	d.common &= ~NCTL_LINK_BIT(TOKEN);
	if (settles_mtu(w)) {
		settle_mtu(b, w, d.common & NCTL_LINK_BIT(MTU));
		d.common &= ~NCTL_LINK_BIT(MTU);
	}
	raise_mtu(b, w, have, &d);
	if (d.common & NCTL_LINK_BIT(MASTER)) {
		went_down |= set_master(b, w, is_up);
		d.common &= ~NCTL_LINK_BIT(MASTER);
		d.common |= lost_to_master(b, w, have);
		resized |= d.common & NCTL_LINK_BIT(MTU);
		d.port = w->v.port_has; /* a port that joins has the defaults */
	}
	tuned = d.common || d.data || d.port;
	it->tuned = d.data;
	if (tuned) {
		enum nctl_change_class cls = nctl_link_change_class(&have->v, &wanted, &d);

		if (d.data && (w->v.kind->traits & NCTL_KIND_SET_WHOLE))
			data = whole(b, &wanted, &have->v, &d, &along);
		/* What flaps is what the kernel refuses to change while the link is up. */
		if (cls == NCTL_CHANGE_FLAP && is_up && !went_down) {
			set_down_for_next(b, w, NCTL_PHASE_TUNE);
			went_down = true;
		}
		set(b, w, NCTL_PHASE_TUNE, &d, is_up && !went_down, cls);
		if (data && !b->err) {
			b->plan->ops[nctl_plan_last(b)].data = data;
			b->plan->ops[nctl_plan_last(b)].along = along;
		}
	}
	add_altnames(b, w, &have->v);
	nctl_plan_link_sysctls(b, w, false, false);
	set_token(b, w, token);
	nctl_plan_devices(b, w, false);
	if (w->admin == NCTL_WANT_DOWN)
		went_down |= sink(b, w, is_up && !went_down);
	else if (w->admin == NCTL_WANT_UP && !is_up && !went_down && !tuned)
		rise(b, w);
	else if ((w->admin == NCTL_WANT_UP && !is_up) || went_down)
		rise_late(b, w);
	it->flushed |= went_down || (w->lower.link && b->items[w->lower.link->number].flushed);
	nctl_plan_link_sysctls(b, w, true, it->flushed || resized || it->risen_by != NCTL_OP_NONE);
}
