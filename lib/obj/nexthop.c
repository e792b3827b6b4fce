/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: next-hop objects as values: do two differ? How they look as JSON is in nexthop-json.c. */
#include "obj/nexthop.h"

static bool members_differ(const struct nctl_nexthop *a, const struct nctl_nexthop *b)
{
	if (a->n_members != b->n_members)
		return true;
	for (uint32_t i = 0; i < a->n_members; i++)
		if (a->members[i].id != b->members[i].id || a->members[i].weight != b->members[i].weight)
			return true;
	return false;
}

static bool group_differs(const struct nctl_nexthop *a, const struct nctl_nexthop *b)
{
	return a->group != b->group || a->group_type != b->group_type || a->resilient != b->resilient ||
	       a->buckets != b->buckets || a->idle_timer != b->idle_timer ||
	       a->unbalanced_timer != b->unbalanced_timer || members_differ(a, b);
}

bool nctl_nexthop_differs(const struct nctl_nexthop *a, const struct nctl_nexthop *b, bool state)
{
	uint32_t flags = a->flags ^ b->flags;

	return a->id != b->id || a->family != b->family || a->scope != b->scope ||
	       a->protocol != b->protocol || (state ? flags : flags & ~NCTL_HOP_STATE) != 0 ||
	       !nctl_hop_equal(&a->hop, &b->hop, state) || a->blackhole != b->blackhole || a->fdb != b->fdb ||
	       group_differs(a, b) || !nctl_bytes_equal(a->rest, b->rest);
}
