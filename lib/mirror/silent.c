/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: THE table of what the kernel changes without a word: the event that implies it, what it changes, how
 * we predict it, and what is dumped again to be sure. What is certain is not confirmed: so losing one link
 * among very many costs no walk, neither here nor in the kernel. Predictions go by the lists of those that
 * refer to the link, the address or the object (refs.c); they change sets of attributes, not routes one by
 * one.
 *
 * Not in the table: what nothing implies (a sysctl that changes what the kernel shows, as
 * ignore_routes_with_linkdown and nexthop_compat_mode do), and what the kernel does tell: connected and local
 * routes that go with an address, secondary addresses that go with or are promoted after their primary
 * (net/ipv4/devinet.c __inet_del_ifa), IPv6 routes that expire (net/ipv6/ip6_fib.c fib6_age) or go with a
 * link (addrconf_ifdown; unless sysctl skip_notify_on_dev_down is set), the flush of a table by ip(8).
 */
#include "mirror/parts.h"

#include <linux/if.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>

#define IPV6_MIN_MTU 1280 /* linux/ipv6.h has it with headers of its own */

struct facts {
	struct nctl_mirror *m;
	const struct nctl_link *old, *new;
	const struct nctl_addr *addr;
	uint32_t number; /* an ifindex, or the id of an object */
};

enum event {
	LINK_GONE,
	LINK_NEW,
	LINK_RENAMED,
	LINK_DOWN,
	LINK_UP,
	CARRIER_LOST,
	CARRIER_BACK,
	LINK_MTU,
	VRF_CHANGED,
	ADDR4_FIRST,
	ADDR4_GONE,
	ADDR4_LAST,
	ADDR6_GONE,
	LINK_TOLD,
	BOND_ADDRESS,
	NEXTHOP_GONE,
	MEMBERS_CHANGED,
};

/* What changes; SURE: as predicted, else it is dumped again if the prediction says so. */
enum {
	ROUTES4 = 1 << NCTL_OBJECT_ROUTE4,
	ROUTES6 = 1 << NCTL_OBJECT_ROUTE6,
	ROUTES = ROUTES4 | ROUTES6,
	NEXTHOPS = 1 << NCTL_OBJECT_NEXTHOP,
	LINKS = 1 << NCTL_OBJECT_LINK,
	RULES = 1 << NCTL_OBJECT_RULE,
	SURE = 1 << NCTL_OBJECT_N_TYPES,
};

struct silent {
	enum event event;
	bool (*predict)(const struct facts *f); /* true: something was (or may be) concerned */
	unsigned what;
};

typedef bool (*visit)(const struct facts *f, struct nctl_set *s);

/* All sets that refer to one thing; visit may kill the set. True if one of the visits says so. */
static bool each_set(const struct facts *f, enum nctl_ref_kind kind, uint32_t number,
	const struct nctl_prefix *prefix, visit fn)
{
	struct nctl_ref_head *h = nctl_ref_head(f->m, kind, number, prefix);
	struct nctl_list *n, *next;
	bool any = false, last;

	for (n = h ? nctl_list_first(&h->refs) : NULL; n; n = last ? NULL : next) {
		next = n->next;
		last = next == &h->refs; /* h is gone with its last one */
		any |= fn(f, nctl_list_entry(n, struct nctl_ref, link)->owner);
	}
	return any;
}

static bool kill(const struct facts *f, struct nctl_set *s)
{
	nctl_set_kill(f->m, s);
	return true;
}

/* Sets and clears state on those hops of s that are on the link. True if that changed anything. */
static bool set_state(const struct facts *f, struct nctl_set *s, uint8_t set, uint8_t clear)
{
	bool any = false;

	for (uint32_t i = 0; i < s->v.n_hops; i++) {
		struct nctl_hop *h = (struct nctl_hop *)&s->v.hops[i];
		uint8_t flags = (uint8_t)((h->flags & ~clear) | set);

		if (h->oif != f->number || h->flags == flags)
			continue;
		h->flags = flags;
		any = true;
	}
	if (!any)
		return false;
	if (s->v.n_hops == 1 && !s->v.multipath)
		s->v.flags = (s->v.flags & ~(uint32_t)clear) | set;
	nctl_set_changed(f->m, s, NCTL_ROUTE_BIT(STATE));
	return true;
}

static bool is_dead(const struct nctl_set *s)
{
	for (uint32_t i = 0; i < s->v.n_hops; i++)
		if (!(s->v.hops[i].flags & RTNH_F_DEAD))
			return false;
	return true;
}

/* In place: s without its hops on the link; it has others. */
static void lose_hops(const struct facts *f, struct nctl_set *s)
{
	struct nctl_hop *hops = (struct nctl_hop *)s->v.hops;
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->v.n_hops; i++)
		if (hops[i].oif != f->number)
			hops[n++] = hops[i];
	s->v.n_hops = n;
	if (n == 1 && s->v.multipath) {
		s->v.multipath = false;
		hops[0].weight = 1;
		s->v.flags |= hops[0].flags;
	}
	nctl_set_unlink(f->m, s, f->number);
	nctl_set_changed(f->m, s, NCTL_ROUTE_BIT(HOPS));
}

/*
 * net/ipv4/fib_semantics.c fib_sync_down_dev, NETDEV_UNREGISTER: an IPv4 route goes with any of its links.
 * net/ipv6/ip6_fib.c fib6_ifdown: an IPv6 one loses the hops there.
 */
static bool set_link_gone(const struct facts *f, struct nctl_set *s)
{
	bool others = false;

	for (uint32_t i = 0; i < s->v.n_hops; i++)
		others |= s->v.hops[i].oif != f->number;
	if (s->v.dst.family == AF_INET || !others)
		nctl_set_kill(f->m, s);
	else
		lose_hops(f, s);
	return true;
}

static bool routes_link_gone(const struct facts *f)
{
	nctl_ref_bury(f->m, NCTL_OBJECT_ROUTE4, NCTL_REF_OIF, f->number, NULL);
	nctl_ref_bury(f->m, NCTL_OBJECT_ROUTE6, NCTL_REF_OIF, f->number, NULL);
	return each_set(f, NCTL_REF_OIF, f->number, NULL, set_link_gone);
}

/*
 * fib_sync_down_dev, NETDEV_DOWN: hops on the link are dead, and a route is that has no other; the local
 * routes of its addresses stay (their hops have RT_SCOPE_NOWHERE). Of IPv6 routes only the dead hop of some
 * is not told (fib6_ifdown, rt6_multipath_nh_flags_set), but all may be (skip_notify_on_dev_down): to be
 * confirmed.
 */
static bool set_link_down(const struct facts *f, struct nctl_set *s)
{
	if (s->v.dst.family == AF_INET && s->v.scope == RT_SCOPE_HOST)
		return false;
	if (s->v.dst.family == AF_INET || s->v.n_hops > 1)
		set_state(f, s, RTNH_F_DEAD | RTNH_F_LINKDOWN, 0);
	if (s->v.dst.family == AF_INET && is_dead(s))
		nctl_set_kill(f->m, s);
	return true;
}

static bool routes_link_down(const struct facts *f)
{
	nctl_ref_bury(f->m, NCTL_OBJECT_ROUTE4, NCTL_REF_DOWN, f->number, NULL);
	return each_set(f, NCTL_REF_OIF, f->number, NULL, set_link_down);
}

/* fib_sync_up, net/ipv6/route.c rt6_sync_up. */
static bool set_link_up(const struct facts *f, struct nctl_set *s)
{
	return set_state(f, s, 0, (uint8_t)(RTNH_F_DEAD | (nctl_link_has_carrier(f->new) ? RTNH_F_LINKDOWN : 0)));
}

static bool routes_link_up(const struct facts *f)
{
	return each_set(f, NCTL_REF_OIF, f->number, NULL, set_link_up);
}

static bool set_carrier_lost(const struct facts *f, struct nctl_set *s)
{
	if (nctl_route_is_held_open(&s->v))
		return false;
	return set_state(f, s, RTNH_F_LINKDOWN, 0);
}

/* With all of its hops the route is, and hops that are dead by then count too: it may be one of these. */
static bool set_may_be_down(const struct facts *f, struct nctl_set *s)
{
	bool down = s->v.dst.family == AF_INET && s->v.n_hops > 1 && !(s->v.flags & RTNH_F_LINKDOWN);

	for (uint32_t i = 0; down && i < s->v.n_hops; i++)
		down = s->v.hops[i].flags & RTNH_F_DEAD || s->v.hops[i].oif == f->number;
	return down;
}

static bool routes_may_be_down(const struct facts *f)
{
	return nctl_link_is_up(f->new) && !nctl_link_has_carrier(f->new) &&
	       each_set(f, NCTL_REF_OIF, f->number, NULL, set_may_be_down);
}

static bool routes_carrier_lost(const struct facts *f)
{
	return each_set(f, NCTL_REF_OIF, f->number, NULL, set_carrier_lost);
}

/* With ignore_routes_with_linkdown, hops without carrier show as dead too: both go. */
static bool set_carrier_back(const struct facts *f, struct nctl_set *s)
{
	return set_state(f, s, 0, RTNH_F_LINKDOWN | RTNH_F_DEAD);
}

static bool routes_carrier_back(const struct facts *f)
{
	return each_set(f, NCTL_REF_OIF, f->number, NULL, set_carrier_back);
}

/* net/ipv4/nexthop.c nexthop_flush_dev: objects on the link go, with all that hangs on them. */
static bool nexthops_go(const struct facts *f)
{
	struct nctl_ref_head *h;
	bool any = false;

	while ((h = nctl_ref_head(f->m, NCTL_REF_NEXTHOP_OIF, f->number, NULL))) {
		nctl_nexthop_remove(
			f->m, nctl_list_entry(nctl_list_first(&h->refs), struct nctl_ref, link)->owner);
		any = true;
	}
	return any;
}

/*
 * The same when anything is told of a link without carrier (net/core/dev.c netdev_state_change): objects may have
 * been made on it, the device of a VRF's gateway is not asked.
 */
static bool nexthops_may_go(const struct facts *f)
{
	return nctl_link_is_up(f->new) && !nctl_link_has_carrier(f->new) &&
	       nctl_ref_head(f->m, NCTL_REF_NEXTHOP_OIF, f->number, NULL);
}

/* net/core/fib_rules.c fib_rules_event: rules that name a link know whether it is there. */
static bool rules_detach(const struct facts *f)
{
	nctl_rule_link(f->m, f->old->name);
	return false;
}

static bool rules_attach(const struct facts *f)
{
	nctl_rule_link(f->m, f->new->name);
	return false;
}

static bool rules_rename(const struct facts *f)
{
	return rules_detach(f) || rules_attach(f);
}

/*
 * drivers/net/bonding/bond_main.c __bond_release_one: ports get their old MTU back by __dev_set_mtu. A link that
 * is not known may have been a bond, and a dump that is on may have its ports as they were.
 */
static bool ports_change(const struct facts *f)
{
	if (!f->old->name[0])
		return f->m->lists[NCTL_OBJECT_LINK].dumping;
	return f->old->kind && f->old->kind->traits & NCTL_KIND_PORT_DOWN;
}

/*
 * net/ipv4/ip_tunnel.c ip_tunnel_init_net: a namespace's own tunnel gets its MTU after the kernel has told of it.
 */
static bool own_tunnel(const struct facts *f)
{
	return f->new->kind && f->new->kind->traits & NCTL_KIND_OWN_TUNNEL;
}

static bool has_metrics(const struct facts *f, struct nctl_set *s)
{
	(void)f;
	return s->v.dst.family == AF_INET6 && s->v.metrics.n;
}

/* net/ipv6/route.c rt6_mtu_change: the MTU among their metrics may follow the link's. */
static bool routes_mtu(const struct facts *f)
{
	return each_set(f, NCTL_REF_OIF, f->number, NULL, has_metrics);
}

static bool is_any(const struct facts *f, struct nctl_set *s)
{
	(void)f;
	(void)s;
	return true;
}

/* drivers/net/vrf.c cycle_netdev: routes move to another table, what a link that is down left behind stays.
 */
static bool routes_vrf(const struct facts *f)
{
	return each_set(f, NCTL_REF_OIF, f->number, NULL, is_any);
}

/*
 * drivers/net/bonding/bond_main.c bond_enslave: a bond takes the MAC of its first port; if then the port is
 * refused, the bond gets another one at random. The same if it had that MAC before, when all that is told is
 * what it did to the port.
 */
static bool bond_may_lose_address(const struct facts *f)
{
	return !f->new->master && nctl_bonds_has_empty(f->m, f->new);
}

static bool bond_may_take_back(const struct facts *f)
{
	const struct nctl_mirror_link *l = nctl_mirror_link_get(f->m, f->number);

	return l && nctl_list_empty(&l->ports);
}

static bool is_in_vrf(const struct nctl_link *l)
{
	const struct nctl_kind *kind = l->port_kind ? l->port_kind : l->kind;

	return kind && kind->traits & NCTL_KIND_VRF;
}

/* inet_addr_type, without the local route of the address itself, whose end is told behind it. */
static bool is_local(const struct facts *f, const struct nctl_prefix *address)
{
	struct nctl_prefix p = *address;
	struct nctl_route v;
	nctl_route_ref ref;

	if (nctl_mirror_addr_find(f->m, address))
		return true;
	p.len--;
	nctl_prefix_mask(&p);
	ref = nctl_mirror_route_match(f->m, RT_TABLE_LOCAL, &p);
	if (!ref)
		return false;
	nctl_mirror_route_view(f->m, ref, &v);
	return v.type == RTN_LOCAL;
}

/*
 * fib_sync_down_addr: of the main table, or that of the VRF which the link is in, if no link there has the
 * address any more. Not of a secondary one that goes behind its primary, with the link (fib_del_ifaddr).
 */
static bool set_source_gone(const struct facts *f, struct nctl_set *s)
{
	const struct nctl_mirror_link *l = nctl_mirror_link_get(f->m, f->number);

	if (!l || is_in_vrf(&l->v) || f->addr->flags & IFA_F_SECONDARY)
		nctl_suspect_set(f->m, s);
	else if (s->v.table == RT_TABLE_MAIN && is_local(f, &s->v.prefsrc))
		nctl_suspect_set(f->m, s);
	else if (s->v.table == RT_TABLE_MAIN)
		nctl_set_kill(f->m, s);
	return true;
}

static struct nctl_prefix address_of(const struct nctl_addr *a)
{
	struct nctl_prefix p = a->local;

	p.len = (uint8_t)nctl_prefix_bits(p.family);
	return p;
}

static bool routes_source_gone(const struct facts *f)
{
	struct nctl_prefix p = address_of(f->addr);

	nctl_ref_bury(f->m, NCTL_OBJECT_ROUTE4, NCTL_REF_SOURCE_GONE, 0, &p);
	return each_set(f, NCTL_REF_PREFSRC, 0, &p, set_source_gone);
}

/* net/ipv4/fib_frontend.c fib_inetaddr_event: without any address IPv4 is off there (fib_disable_ip, force).
 */
static bool set_off(const struct facts *f, struct nctl_set *s)
{
	if (s->v.dst.family != AF_INET)
		return false;
	set_state(f, s, RTNH_F_DEAD | RTNH_F_LINKDOWN, 0);
	if (is_dead(s))
		nctl_set_kill(f->m, s);
	return true;
}

static bool set_on(const struct facts *f, struct nctl_set *s)
{
	return s->v.dst.family == AF_INET && set_link_up(f, s);
}

static bool routes_off(const struct facts *f)
{
	nctl_ref_bury(f->m, NCTL_OBJECT_ROUTE4, NCTL_REF_DOWN, f->number, NULL);
	return each_set(f, NCTL_REF_OIF, f->number, NULL, set_off);
}

/* The same, fib_sync_up: with the first one it is on again. A link that is to come up does that then. */
static bool routes_on(const struct facts *f)
{
	return nctl_link_is_up(f->new) && each_set(f, NCTL_REF_OIF, f->number, NULL, set_on);
}

/*
 * net/ipv6/route.c rt6_remove_prefsrc: IPv6 routes stay and lose their preferred source, but not if the address
 * goes with its link (addrconf_ifdown), nor, before Linux 6.6, if they are on another link than it was.
 */
static bool set_sourceless(const struct facts *f, struct nctl_set *s)
{
	const struct nctl_mirror_link *l = nctl_mirror_link_get(f->m, f->number);

	nctl_suspect_set(f->m, s);
	if (!l || !nctl_link_is_up(&l->v) || l->v.mtu < IPV6_MIN_MTU || s->v.nhid ||
		nctl_mirror_addr_find(f->m, &s->v.prefsrc))
		return false;
	nctl_set_unsource(f->m, s);
	nctl_set_changed(f->m, s, NCTL_ROUTE_BIT(PREFSRC));
	return true;
}

static bool routes_sourceless(const struct facts *f)
{
	struct nctl_prefix p = address_of(f->addr);

	nctl_ref_bury(f->m, NCTL_OBJECT_ROUTE6, NCTL_REF_SOURCE_GONE, 0, &p);
	return each_set(f, NCTL_REF_PREFSRC, 0, &p, set_sourceless);
}

/* net/ipv4/nexthop.c __remove_nexthop_fib. */
static bool routes_nexthop_gone(const struct facts *f)
{
	nctl_ref_bury(f->m, NCTL_OBJECT_ROUTE4, NCTL_REF_NHID, f->number, NULL);
	nctl_ref_bury(f->m, NCTL_OBJECT_ROUTE6, NCTL_REF_NHID, f->number, NULL);
	return each_set(f, NCTL_REF_NHID, f->number, NULL, kill);
}

static bool set_hops_change(const struct facts *f, struct nctl_set *s)
{
	if (s->v.n_hops)
		nctl_suspect_set(f->m, s);
	return false;
}

/*
 * net/ipv4/nexthop.c remove_nh_grp_entry: the group is told, but not the routes through it, which show the
 * hops of its members (unless sysctl nexthop_compat_mode is off: then they show none).
 */
static bool routes_members(const struct facts *f)
{
	nctl_ref_bury(f->m, NCTL_OBJECT_ROUTE4, NCTL_REF_MEMBERS, f->number, NULL);
	nctl_ref_bury(f->m, NCTL_OBJECT_ROUTE6, NCTL_REF_MEMBERS, f->number, NULL);
	return each_set(f, NCTL_REF_NHID, f->number, NULL, set_hops_change);
}

/* In this order, of one event: objects before the routes through them. */
static const struct silent table[] = {
	{LINK_GONE, nexthops_go, NEXTHOPS | SURE},
	{LINK_GONE, routes_link_gone, ROUTES | SURE},
	{LINK_GONE, rules_detach, RULES | SURE},
	{LINK_GONE, ports_change, LINKS},
	{LINK_NEW, rules_attach, RULES | SURE},
	{LINK_NEW, own_tunnel, LINKS},
	{LINK_RENAMED, rules_rename, RULES | SURE},
	{LINK_DOWN, nexthops_go, NEXTHOPS},
	{LINK_DOWN, routes_link_down, ROUTES},
	{LINK_UP, routes_link_up, ROUTES},
	{CARRIER_LOST, nexthops_go, NEXTHOPS},
	{CARRIER_LOST, routes_carrier_lost, ROUTES},
	{CARRIER_BACK, routes_carrier_back, ROUTES},
	{LINK_MTU, routes_mtu, ROUTES6},
	{VRF_CHANGED, routes_vrf, ROUTES},
	{LINK_TOLD, bond_may_lose_address, LINKS},
	{LINK_TOLD, nexthops_may_go, NEXTHOPS},
	{LINK_TOLD, routes_may_be_down, ROUTES4},
	{BOND_ADDRESS, bond_may_take_back, LINKS},
	{ADDR4_FIRST, routes_on, ROUTES4},
	{ADDR4_LAST, routes_off, ROUTES4},
	/* each set by its own links, or by its object's death */
	{ADDR4_GONE, routes_source_gone, SURE},
	{ADDR6_GONE, routes_sourceless, SURE},
	{NEXTHOP_GONE, routes_nexthop_gone, SURE},
	{MEMBERS_CHANGED, routes_members, SURE},
};

/* What a dump that is on says of others may be older than the event: then nothing is sure. */
static void happened(enum event event, const struct facts *f)
{
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(table); i++) {
		unsigned what = table[i].what;
		bool again;

		if (table[i].event != event)
			continue;
		again = table[i].predict(f) && !(what & SURE);
		for (int type = 0; type < NCTL_OBJECT_N_TYPES; type++)
			if (what & 1U << type && (again || (type != NCTL_OBJECT_LINK && f->m->lists[type].dumping)))
				nctl_suspect(f->m, type, 0, ROUTES & 1U << type ? f->number : 0);
	}
}

static bool is_vrf_port(const struct nctl_link *l)
{
	return l->port_kind && l->port_kind->traits & NCTL_KIND_VRF;
}

static void link_changed(const struct facts *f, const struct nctl_link_diff *diff)
{
	bool was_up = nctl_link_is_up(f->old), up = nctl_link_is_up(f->new);

	if (diff->common & NCTL_LINK_BIT(NAME))
		happened(LINK_RENAMED, f);
	if (diff->common & NCTL_LINK_BIT(MTU))
		happened(LINK_MTU, f);
	if (diff->common & NCTL_LINK_BIT(MASTER) && (is_vrf_port(f->old) || is_vrf_port(f->new)))
		happened(VRF_CHANGED, f);
	if (diff->common & NCTL_LINK_BIT(ADDRESS) && f->new->kind && f->new->kind->traits & NCTL_KIND_PORT_DOWN)
		happened(BOND_ADDRESS, f);
	if (was_up != up)
		happened(up ? LINK_UP : LINK_DOWN, f);
	else if (up && nctl_link_has_carrier(f->old) != nctl_link_has_carrier(f->new))
		happened(nctl_link_has_carrier(f->new) ? CARRIER_BACK : CARRIER_LOST, f);
}

void nctl_silent_link(struct nctl_mirror *m, const struct nctl_link *old, const struct nctl_link *new,
	const struct nctl_link_diff *diff)
{
	struct facts f = {.m = m, .old = old, .new = new, .number = new->ifindex};

	if (old)
		link_changed(&f, diff);
	else
		happened(LINK_NEW, &f);
}

void nctl_silent_link_told(struct nctl_mirror *m, const struct nctl_link *v)
{
	happened(LINK_TOLD, &(struct facts){.m = m, .new = v, .number = v->ifindex});
}

/* Whatever happened to the link before, nothing of it is left: what was to be confirmed need not be. */
void nctl_silent_link_gone(struct nctl_mirror *m, const struct nctl_link *old)
{
	nctl_suspect_none(m, old->ifindex);
	happened(LINK_GONE, &(struct facts){.m = m, .old = old, .number = old->ifindex});
}

void nctl_silent_addr_first(struct nctl_mirror *m, const struct nctl_link *l)
{
	happened(ADDR4_FIRST, &(struct facts){.m = m, .new = l, .number = l->ifindex});
}

void nctl_silent_addr_gone(struct nctl_mirror *m, const struct nctl_addr *old)
{
	struct facts f = {.m = m, .addr = old, .number = old->ifindex};

	if (old->local.family == AF_INET6) {
		happened(ADDR6_GONE, &f);
		return;
	}
	happened(ADDR4_GONE, &f);
	if (!nctl_mirror_has_v4(m, old->ifindex))
		happened(ADDR4_LAST, &f);
}

void nctl_silent_nexthop_gone(struct nctl_mirror *m, nctl_nhid id)
{
	happened(NEXTHOP_GONE, &(struct facts){.m = m, .number = id});
}

void nctl_silent_members_changed(struct nctl_mirror *m, nctl_nhid id)
{
	happened(MEMBERS_CHANGED, &(struct facts){.m = m, .number = id});
}
