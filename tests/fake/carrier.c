/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: carrier and operational state. A change of carrier is seen at once in IFF_LOWER_UP; operstate and
 * IFF_RUNNING follow when linkwatch has run (net/core/link_watch.c), which is after the request that caused
 * it.
 */

#include "fake/core.h"

void fk_linkwatch_fire(struct nctl_fake *f, struct fk_link *l)
{
	if (l->registered && !l->dying && !nctl_list_linked(&l->watch))
		nctl_list_add_tail(&f->watch, &l->watch);
}

void fk_carrier(struct nctl_fake *f, struct fk_link *l, bool on)
{
	if (l->carrier == on)
		return;
	l->carrier = on;
	fk_linkwatch_fire(f, l);
}

/* netif_stacked_transfer_operstate() */
void fk_carrier_follow(struct nctl_fake *f, struct fk_link *l, const struct fk_link *lower)
{
	fk_carrier(f, l, lower->carrier);
}

/* default_operstate(). Since 6.5 a link whose lower one has a carrier is down of itself. */
static uint8_t fk_operstate(const struct nctl_fake *f, const struct fk_link *l)
{
	const struct fk_link *below = l->kind == &fk_kind_veth ? l->peer : l->lower;
	bool stacked = below || l->kind == &fk_kind_veth;
	if (l->carrier)
		return IF_OPER_UP;
	if (!stacked)
		return IF_OPER_DOWN;
	if (f->version < 6005)
		return IF_OPER_LOWERLAYERDOWN;
	return !below || below->carrier ? IF_OPER_DOWN : IF_OPER_LOWERLAYERDOWN;
}

void fk_linkwatch_init(struct nctl_fake *f, struct fk_link *l)
{
	if (!l->carrier)
		l->operstate = fk_operstate(f, l);
}

void fk_linkwatch_forget(struct nctl_fake *f, struct fk_link *l)
{
	(void)f;
	nctl_list_del(&l->watch);
}

/* linkwatch_urgent_event(), or less: whatever else is urgent there is called lazy here. */
static bool fk_urgent(const struct fk_link *l)
{
	bool stacked = l->lower || l->peer;
	bool bonded = l->kind == &fk_kind_bond || (l->master && l->master->kind == &fk_kind_bond);
	return l->flags & IFF_UP && (stacked || bonded);
}

/* One run of linkwatch: what it sets off is for the next. */
static void fk_linkwatch_round(struct nctl_fake *f)
{
	struct nctl_list now = NCTL_LIST_INIT(now), *pos;
	bool lazy = false;
	nctl_list_splice_tail(&now, &f->watch);
	while ((pos = nctl_list_first(&now))) {
		struct fk_link *l = nctl_list_entry(pos, struct fk_link, watch);
		nctl_list_del(&l->watch);
		lazy |= !fk_urgent(l);
		l->operstate = fk_operstate(f, l);
		fk_state_change(f, l);
	}
	f->lazy += lazy;
}

/* The delayed work of the last request, until there is none. */
void fk_settle(struct nctl_fake *f)
{
	while (!nctl_list_empty(&f->watch))
		fk_linkwatch_round(f);
	fk_inet6_dad(f, false);
}
