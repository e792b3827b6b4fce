/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: what drivers and WireGuard are to be told of one wanted link, beside all that is rtnetlink's. It is no
 * part of the mirror: whoever asks for a plan has read it (nctl_plan_options.devices), and each change is
 * judged by what reads back. It comes before the link goes up.
 */
#include "plan/parts.h"

#include <errno.h>
#include <string.h>

static int cmp_device(const struct nctl_plan_device *d, uint32_t netns, nctl_ifindex ifindex)
{
	if (d->netns != netns)
		return d->netns < netns ? -1 : 1;
	return (d->ifindex > ifindex) - (d->ifindex < ifindex);
}

const struct nctl_plan_device *nctl_plan_device_find(
	const struct nctl_plan *p, uint32_t netns, nctl_ifindex ifindex)
{
	size_t from = 0, to = p->n_devices;

	while (from < to) {
		size_t middle = from + (to - from) / 2;
		int order = cmp_device(&p->devices[middle], netns, ifindex);

		if (!order)
			return &p->devices[middle];
		if (order < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return NULL;
}

static struct nctl_op *device_op(struct builder *b, const struct nctl_want_link *w, enum nctl_op_type type)
{
	struct item *it = &b->items[w->number];
	struct nctl_op *op = nctl_plan_link_op(b, w, type, it->early ? NCTL_PHASE_CREATE : NCTL_PHASE_TUNE);

	if (!op)
		return NULL;
	op->rank = it->early;
	it->told_by = nctl_plan_last(b);
	return op;
}

/* Of what group g has now, all that want means: to go back to. NULL: no memory. */
static struct nctl_ethtool *copy_old(struct builder *b, const struct nctl_ethtool *want,
	const struct nctl_ethtool *now, enum nctl_ethtool_group g)
{
	struct nctl_ethtool *old = nctl_arena_alloc(&b->plan->arena, sizeof(*old));
	struct nctl_switch some[NCTL_SWITCHES_MAX];
	size_t n = g < NCTL_ETHTOOL_N_SWITCHES
	                   ? nctl_ethtool_subset(&want->switches[g], &now->switches[g], some)
	                   : 0;
	struct nctl_switch *v = nctl_arena_alloc(&b->plan->arena, n * sizeof(*v));

	if (!old || !v) {
		b->err = -ENOMEM;
		return NULL;
	}
	*old = *now;
	old->has = now->has & want->has & nctl_ethtool_group_mask(g);
	memset(old->switches, 0, sizeof(old->switches));
	memcpy(v, some, n * sizeof(*v));
	if (g < NCTL_ETHTOOL_N_SWITCHES)
		old->switches[g] = (struct nctl_switches){v, n};
	return old;
}

static bool any_is_on(const struct nctl_switches *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].on)
			return true;
	return false;
}

static void tell_driver(struct builder *b, const struct nctl_want_link *w, enum nctl_ethtool_group g,
	const struct nctl_ethtool *now)
{
	const struct nctl_ethtool *want = &w->ethtool->v;
	struct nctl_switch room[NCTL_SWITCHES_MAX];
	struct nctl_switches differing = {room, 0};
	struct nctl_ethtool *old;
	struct nctl_op *op;

	if (!now && g == NCTL_ETHTOOL_WAKE && !any_is_on(&want->switches[g]))
		return; /* most drivers can neither be asked nor do it */
	if (now && !nctl_ethtool_diff(want, now, g, &differing) && !differing.n)
		return;
	old = now ? copy_old(b, want, now, g) : NULL;
	op = device_op(b, w, NCTL_OP_ETHTOOL_SET);
	if (!op)
		return;
	op->pos = w->ethtool->pos[g];
	op->ethtool = want;
	op->old_ethtool = old;
	op->group = g;
}

static void tell_wireguard(struct builder *b, const struct nctl_want_link *w, const struct nctl_wg *now)
{
	struct nctl_op *op;

	if (now && !nctl_wg_diff(&w->wg->v, now))
		return;
	op = device_op(b, w, NCTL_OP_WG_SET);
	if (!op)
		return;
	op->pos = w->wg->pos;
	op->wg = &w->wg->v;
	op->old_wg = now;
}

void nctl_plan_devices(struct builder *b, const struct nctl_want_link *w, bool is_new)
{
	static const struct nctl_wg blank; /* as it comes from the kernel */
	const struct item *it = &b->items[w->number];
	const struct nctl_plan_device *d =
		is_new ? NULL : nctl_plan_device_find(b->plan, b->netns, it->ifindex);

	for (unsigned g = 0; w->ethtool && g < NCTL_ETHTOOL_N_GROUPS; g++)
		if (nctl_ethtool_has_group(&w->ethtool->v, g))
			tell_driver(b, w, g, d && (d->known & 1u << g) ? d->ethtool : NULL);
	if (w->wg)
		tell_wireguard(b, w, is_new ? &blank : d ? d->wg : NULL);
}
