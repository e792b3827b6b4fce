/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: who else loses something by a deletion: the kernel takes along what stands on a link that goes, and
 * what others have put on it. Each such thing is a problem of the plan, which keeps it from being carried out
 * unless the user agrees; what the kernel makes by itself is nobody's loss.
 */
#include "base/cleanup.h"
#include "mirror/route.h"
#include "plan/parts.h"

#include <linux/rtnetlink.h>
#include <net/if.h>
#include <string.h>

enum { VICTIMS_MAX = 20 }; /* of one link, that are told */

/* One deletion, while its victims are gathered. */
struct loss {
	struct builder *b;
	const struct nctl_mirror_link *link;
	const struct nctl_want_link *again; /* it is made again as this; NULL: it is not */
	const struct nctl_pos *pos;
	size_t n;
};

static void tell(struct loss *loss, const char *what, const char *which)
{
	if (loss->n++ < VICTIMS_MAX)
		nctl_plan_problem(loss->b, NCTL_PROBLEM_FOREIGN_LOSS, loss->pos,
			"deleting %s takes %s %s along, which netctld does not own", loss->link->v.name, what,
			which);
}

static void lose_uppers(struct loss *loss)
{
	struct nctl_list *n;

	nctl_list_for_each(n, &loss->link->uppers) {
		const struct nctl_mirror_link *u = nctl_list_entry(n, struct nctl_mirror_link, in_lower);

		if (u->v.kind && !(u->v.kind->traits & NCTL_KIND_LOWER_REQUIRED))
			continue;
		if (!nctl_ledger_link_get(loss->b->ledger, u->v.ifindex))
			tell(loss, "link", u->v.name);
	}
}

/* It is there again with the link. */
static bool is_wanted_again(const struct loss *loss, const struct nctl_addr *a)
{
	for (size_t i = 0; loss->again && i < loss->again->n_addrs; i++) {
		struct nctl_addr wanted = loss->again->addrs[i].v;

		wanted.ifindex = a->ifindex;
		if (nctl_addr_cmp(&wanted, a) == 0)
			return true;
	}
	return false;
}

/* ::10.0.0.1 on a tunnel from 10.0.0.1, which is its own hardware address (net/ipv6/addrconf.c add_v4_addrs).
 */
static bool is_of_tunnel(const struct nctl_link *l, const struct nctl_addr *a)
{
	static const uint8_t zero[12];

	return a->local.family == AF_INET6 && l->address.len == 4 &&
	       !memcmp(a->local.addr, zero, sizeof(zero)) &&
	       !memcmp(a->local.addr + sizeof(zero), l->address.b, 4);
}

/* Those that go by themselves one day (router advertisements, DHCP) come again by themselves as well. */
static bool is_foreign(const struct loss *loss, const struct nctl_addr *a)
{
	return a->proto != NCTL_PROTO && a->valid == NCTL_ADDR_FOREVER && nctl_plan_addr_is_kept(a) &&
	       !nctl_ledger_addr_has(loss->b->ledger, a) && !is_wanted_again(loss, a) &&
	       !is_of_tunnel(&loss->link->v, a);
}

static void lose_addrs(struct loss *loss)
{
	const struct nctl_mirror_addr *a = nctl_mirror_addr_first(loss->link);
	char text[NCTL_PREFIX_STR];

	for (; a; a = nctl_mirror_addr_next(a)) {
		if (!is_foreign(loss, &a->v))
			continue;
		nctl_prefix_format(&a->v.local, text);
		tell(loss, "address", text);
	}
}

/* What the kernel, router advertisements, DHCP and we ourselves (path MTUs, too) make comes again or is
 * known. */
static bool is_of_others(const struct nctl_route *r)
{
	static const uint8_t not_lost[] = {RTPROT_UNSPEC, RTPROT_REDIRECT, RTPROT_KERNEL, RTPROT_RA,
		RTPROT_DHCP, NCTL_PROTO, NCTL_PROTO + 1};

	for (size_t i = 0; i < NCTL_ARRAY_SIZE(not_lost); i++)
		if (r->protocol == not_lost[i])
			return false;
	return true;
}

static void lose_routes(struct loss *loss)
{
	struct nctl_route_walk w;
	nctl_route_ref ref;

	nctl_mirror_routes_of_link(loss->b->have, loss->link->v.ifindex, &w);
	while (loss->n < VICTIMS_MAX && (ref = nctl_mirror_routes_of_next(&w))) {
		char text[NCTL_PREFIX_STR];
		struct nctl_route r;

		nctl_mirror_route_view(loss->b->have, ref, &r);
		if (!is_of_others(&r))
			continue;
		nctl_prefix_format(&r.dst, text);
		tell(loss, "route", text);
	}
}

void nctl_plan_spare_foreign(struct builder *b, const struct nctl_mirror_link *l,
	const struct nctl_want_link *again, const struct nctl_pos *pos)
{
	struct loss loss = {.b = b, .link = l, .again = again, .pos = pos};

	lose_uppers(&loss);
	lose_addrs(&loss);
	lose_routes(&loss);
}
