/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: routes as values: what differs between two of them, and what of that is only state that follows from
 * links. Pure functions; the mirror, the plan and verify use them. How they look as JSON is in route-json.c.
 */
#include <linux/rtnetlink.h>

#include "obj/route.h"

#define HOP_FLAGS 0xFFU /* of rtm_flags: those of a single hop */

_Static_assert(
	NCTL_HOP_STATE == (RTNH_F_DEAD | RTNH_F_OFFLOAD | RTNH_F_LINKDOWN | RTNH_F_UNRESOLVED | RTNH_F_TRAP),
	"the flags that the kernel or a driver sets by itself");

static uint32_t without_state(uint32_t flags, bool with_state)
{
	return with_state ? flags : flags & ~NCTL_HOP_STATE;
}

/* All but the flags. */
static bool hop_like(const struct nctl_hop *a, const struct nctl_hop *b)
{
	return nctl_hop_same(a, b) && a->weight == b->weight && a->realms == b->realms &&
	       nctl_bytes_equal(a->rest, b->rest);
}

bool nctl_hop_equal(const struct nctl_hop *a, const struct nctl_hop *b, bool with_state)
{
	return without_state(a->flags, with_state) == without_state(b->flags, with_state) && hop_like(a, b);
}

bool nctl_hop_same(const struct nctl_hop *a, const struct nctl_hop *b)
{
	return a->oif == b->oif && nctl_prefix_equal(&a->via, &b->via) && a->encap_type == b->encap_type &&
	       nctl_bytes_equal(a->encap, b->encap);
}

/* The bits of flags that differ: state or not. */
static uint64_t flags_diff(uint32_t a, uint32_t b)
{
	uint32_t d = a ^ b;

	return (d & NCTL_HOP_STATE ? NCTL_ROUTE_BIT(STATE) : 0) |
	       (d & ~NCTL_HOP_STATE ? NCTL_ROUTE_BIT(FLAGS) : 0);
}

/* Those of a single hop count where the hop is looked at. */
static uint32_t own_flags(const struct nctl_route *r)
{
	return r->n_hops == 1 && !r->multipath ? r->flags & ~HOP_FLAGS : r->flags;
}

static uint64_t hops_diff(const struct nctl_route *a, const struct nctl_route *b)
{
	uint64_t d = 0;

	if (a->n_hops != b->n_hops || a->multipath != b->multipath)
		return NCTL_ROUTE_BIT(HOPS);
	if (a->hops == b->hops)
		return 0;
	for (uint32_t i = 0; i < a->n_hops; i++) {
		d |= flags_diff(a->hops[i].flags, b->hops[i].flags);
		if (!hop_like(&a->hops[i], &b->hops[i]))
			d |= NCTL_ROUTE_BIT(HOPS);
	}
	return d;
}

uint64_t nctl_route_diff(const struct nctl_route *a, const struct nctl_route *b)
{
	uint64_t d = flags_diff(own_flags(a), own_flags(b)) | hops_diff(a, b);

	if (a->protocol != b->protocol)
		d |= NCTL_ROUTE_BIT(PROTOCOL);
	if (a->scope != b->scope)
		d |= NCTL_ROUTE_BIT(SCOPE);
	if (a->type != b->type)
		d |= NCTL_ROUTE_BIT(TYPE);
	if (a->has_pref != b->has_pref || a->pref != b->pref)
		d |= NCTL_ROUTE_BIT(PREF);
	if (a->nhid != b->nhid)
		d |= NCTL_ROUTE_BIT(NHID);
	if (!nctl_prefix_equal(&a->prefsrc, &b->prefsrc))
		d |= NCTL_ROUTE_BIT(PREFSRC);
	if (a->realms != b->realms)
		d |= NCTL_ROUTE_BIT(REALMS);
	if (a->iif != b->iif)
		d |= NCTL_ROUTE_BIT(IIF);
	if (a->mark != b->mark)
		d |= NCTL_ROUTE_BIT(MARK);
	if (!nctl_bytes_equal(a->metrics, b->metrics))
		d |= NCTL_ROUTE_BIT(METRICS);
	if (!nctl_bytes_equal(a->rest, b->rest))
		d |= NCTL_ROUTE_BIT(REST);
	if (a->tos != b->tos)
		d |= NCTL_ROUTE_BIT(TOS);
	if (a->metric != b->metric)
		d |= NCTL_ROUTE_BIT(METRIC);
	return d;
}
