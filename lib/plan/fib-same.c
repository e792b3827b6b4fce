/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: does the kernel show the route, next hop or rule that is wanted? Pure functions; whether something
 * must be done, and whether it has been done, is asked by the same ones.
 */
#include <linux/rtnetlink.h>

#include "plan/op-fib.h"

#define WANTED_HOP_FLAGS RTNH_F_ONLINK

bool nctl_fib_same_key(const struct nctl_route *a, const struct nctl_route *b)
{
	return a->metric == b->metric && a->tos == b->tos && a->table == b->table &&
	       nctl_prefix_equal(&a->dst, &b->dst) && nctl_prefix_equal(&a->src, &b->src);
}

static bool is_reject(uint8_t type)
{
	return type == RTN_BLACKHOLE || type == RTN_UNREACHABLE || type == RTN_PROHIBIT || type == RTN_THROW;
}

static bool hop_shows(const struct nctl_hop *want, const struct nctl_hop *have)
{
	return (!want->oif || want->oif == have->oif) && nctl_prefix_equal(&want->via, &have->via) &&
	       want->weight == have->weight && want->encap_type == have->encap_type &&
	       nctl_bytes_equal(want->encap, have->encap) && want->realms == have->realms &&
	       (want->flags & WANTED_HOP_FLAGS) == (have->flags & WANTED_HOP_FLAGS);
}

/* IPv6 keeps siblings in an order of its own. No two of a route are alike, so one way is enough. */
static bool hops_show_in_any_order(const struct nctl_route *want, const struct nctl_route *have)
{
	for (uint32_t i = 0; i < want->n_hops; i++) {
		uint32_t j = 0;

		while (j < have->n_hops && !hop_shows(&want->hops[i], &have->hops[j]))
			j++;
		if (j == have->n_hops)
			return false;
	}
	return true;
}

static bool hops_show(const struct nctl_route *want, const struct nctl_route *have)
{
	if (is_reject(want->type))
		return true; /* IPv6 shows one by lo */
	if (want->n_hops != have->n_hops)
		return false;
	if (want->dst.family == AF_INET6)
		return hops_show_in_any_order(want, have);
	for (uint32_t i = 0; i < want->n_hops; i++)
		if (!hop_shows(&want->hops[i], &have->hops[i]))
			return false;
	return true;
}

bool nctl_fib_route_shows(const struct nctl_route *want, const struct nctl_route *have)
{
	if (!nctl_fib_same_key(want, have) || want->nhid != have->nhid ||
		!nctl_prefix_equal(&want->prefsrc, &have->prefsrc) ||
		!nctl_bytes_equal(want->metrics, have->metrics) || want->realms != have->realms)
		return false;
	if (want->dst.family == AF_INET && want->scope != have->scope)
		return false;
	if (want->dst.family == AF_INET6 && want->pref != have->pref)
		return false;
	/* What an object leads to, it may change at any time. */
	return want->nhid || (want->type == have->type && hops_show(want, have));
}

static bool members_show(const struct nctl_nexthop *want, const struct nctl_nexthop *have)
{
	if (want->n_members != have->n_members)
		return false;
	for (uint32_t i = 0; i < want->n_members; i++)
		if (want->members[i].id != have->members[i].id ||
			want->members[i].weight != have->members[i].weight)
			return false;
	return true;
}

static bool group_shows(const struct nctl_nexthop *want, const struct nctl_nexthop *have)
{
	return have->group && want->group_type == have->group_type && want->resilient == have->resilient &&
	       want->buckets == have->buckets && want->idle_timer == have->idle_timer &&
	       want->unbalanced_timer == have->unbalanced_timer && members_show(want, have);
}

bool nctl_fib_nexthop_shows(const struct nctl_nexthop *want, const struct nctl_nexthop *have)
{
	if (want->id != have->id || want->fdb != have->fdb)
		return false;
	if (want->group)
		return group_shows(want, have);
	if (have->group || want->family != have->family || want->blackhole != have->blackhole)
		return false;
	/* A black hole is said to leave by lo (net/ipv4/nexthop.c nh_fill_node does not tell). */
	return want->blackhole || hop_shows(&want->hop, &have->hop);
}

bool nctl_fib_rule_shows(const struct nctl_rule *want, bool has_priority, const struct nctl_rule *have)
{
	struct nctl_rule r = *want;

	if (!has_priority)
		r.priority = have->priority;
	r.protocol = have->protocol;
	r.rest = have->rest;
	return nctl_rule_equal(&r, have, false);
}
