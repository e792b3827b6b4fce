/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: routes and rules as libnl reads them. Of metrics libnl tells those with numbers; congestion control
 * it passes over, routes with encapsulations other than MPLS it cannot read at all, and next-hop objects it does
 * not know.
 */
#include <linux/fib_rules.h>
#include <linux/rtnetlink.h>
#include <netlink/addr.h>
#include <netlink/route/nexthop.h>
#include <netlink/route/route.h>
#include <netlink/route/rule.h>
#include <string.h>

#include "nl/attr.h"
#include "verify/libnl.h"

static struct rtnl_route *route_of(struct nl_object *o)
{
	return (struct rtnl_route *)o;
}

#define ROUTE_NUMBER(name_, getter_, member_)                                                                \
	static int route_##name_(struct nl_object *o, const struct verify_object *w)                         \
	{                                                                                                    \
		return (uint32_t)getter_(route_of(o)) == (uint32_t)w->route->member_;                        \
	}
ROUTE_NUMBER(family, rtnl_route_get_family, dst.family)
ROUTE_NUMBER(table, rtnl_route_get_table, table)
ROUTE_NUMBER(scope, rtnl_route_get_scope, scope)
ROUTE_NUMBER(tos, rtnl_route_get_tos, tos)
ROUTE_NUMBER(protocol, rtnl_route_get_protocol, protocol)
ROUTE_NUMBER(priority, rtnl_route_get_priority, metric)
ROUTE_NUMBER(type, rtnl_route_get_type, type)
ROUTE_NUMBER(flags, rtnl_route_get_flags, flags)
ROUTE_NUMBER(iif, rtnl_route_get_iif, iif)

static int route_dst(struct nl_object *o, const struct verify_object *w)
{
	struct nl_addr *dst = rtnl_route_get_dst(route_of(o));

	return libnl_same_prefix(dst, &w->route->dst) &&
	       (!dst || nl_addr_get_prefixlen(dst) == w->route->dst.len);
}

static int route_src(struct nl_object *o, const struct verify_object *w)
{
	return libnl_same_prefix(rtnl_route_get_src(route_of(o)), &w->route->src);
}

static int route_prefsrc(struct nl_object *o, const struct verify_object *w)
{
	return libnl_same_prefix(rtnl_route_get_pref_src(route_of(o)), &w->route->prefsrc);
}

static int route_metrics(struct nl_object *o, const struct verify_object *w)
{
	const struct nlattr *a = NULL;
	uint32_t n;

	while ((a = nctl_attr_next(w->route->metrics.p, w->route->metrics.n, a)))
		if (nctl_attr_len(a) == sizeof(n) &&
			(rtnl_route_get_metric(route_of(o), nctl_attr_type(a), &n) < 0 ||
				n != nctl_attr_u32(a)))
			return 0;
	return w->route->metrics.n ? 1 : -1;
}

static bool same_hop(struct rtnl_nexthop *nh, const struct nctl_hop *h, bool multipath)
{
	struct nl_addr *via = rtnl_route_nh_get_gateway(nh);

	if (!via)
		via = rtnl_route_nh_get_via(nh);
	if ((nctl_ifindex)rtnl_route_nh_get_ifindex(nh) != h->oif || !libnl_same_prefix(via, &h->via))
		return false;
	/* Flags and weights of a single hop are nowhere but in its route. */
	return !multipath ||
	       (rtnl_route_nh_get_weight(nh) + 1U == h->weight && rtnl_route_nh_get_flags(nh) == h->flags);
}

static int route_hops(struct nl_object *o, const struct verify_object *w)
{
	const struct nctl_route *r = w->route;

	if (r->n_hops == 0)
		return -1;
	if (r->multipath && rtnl_route_get_nnexthops(route_of(o)) != (int)r->n_hops)
		return 0;
	for (uint32_t i = 0; i < r->n_hops; i++) {
		struct rtnl_nexthop *nh = rtnl_route_nexthop_n(route_of(o), (int)i);

		if (!nh || !same_hop(nh, &r->hops[i], r->multipath))
			return 0;
	}
	return 1;
}

const struct libnl_field libnl_route_fields[] = {
	{"family", route_family},
	{"table", route_table},
	{"dst", route_dst},
	{"src", route_src},
	{"tos", route_tos},
	{"priority", route_priority},
	{"protocol", route_protocol},
	{"scope", route_scope},
	{"type", route_type},
	{"flags", route_flags},
	{"iif", route_iif},
	{"prefsrc", route_prefsrc},
	{"metrics", route_metrics},
	{"nexthops", route_hops},
	{0},
};

/* -- rules -- */

static struct rtnl_rule *rule_of(struct nl_object *o)
{
	return (struct rtnl_rule *)o;
}

#define RULE_NUMBER(name_, getter_, member_)                                                                 \
	static int rule_##name_(struct nl_object *o, const struct verify_object *w)                          \
	{                                                                                                    \
		return (uint32_t)getter_(rule_of(o)) == (uint32_t)w->rule->member_;                          \
	}
RULE_NUMBER(family, rtnl_rule_get_family, family)
RULE_NUMBER(priority, rtnl_rule_get_prio, priority)
RULE_NUMBER(table, rtnl_rule_get_table, table)
RULE_NUMBER(mark, rtnl_rule_get_mark, mark)
RULE_NUMBER(mask, rtnl_rule_get_mask, mask)
RULE_NUMBER(dsfield, rtnl_rule_get_dsfield, tos)
RULE_NUMBER(action, rtnl_rule_get_action, action)
RULE_NUMBER(realms, rtnl_rule_get_realms, realms)
RULE_NUMBER(target, rtnl_rule_get_goto, target)

static int rule_l3mdev(struct nl_object *o, const struct verify_object *w)
{
	int l3mdev = rtnl_rule_get_l3mdev(rule_of(o));

	return l3mdev < 0 ? -1 : l3mdev == w->rule->l3mdev;
}

#define RULE_BYTE(name_, getter_, member_)                                                                   \
	static int rule_##name_(struct nl_object *o, const struct verify_object *w)                          \
	{                                                                                                    \
		uint8_t n;                                                                                   \
                                                                                                             \
		return getter_(rule_of(o), &n) < 0 ? -1 : n == w->rule->member_;                             \
	}
RULE_BYTE(protocol, rtnl_rule_get_protocol, protocol)
RULE_BYTE(ip_proto, rtnl_rule_get_ipproto, ip_proto)

#define RULE_PORTS(name_, getter_)                                                                           \
	static int rule_##name_(struct nl_object *o, const struct verify_object *w)                          \
	{                                                                                                    \
		uint16_t first, last;                                                                        \
                                                                                                             \
		if (getter_(rule_of(o), &first, &last) < 0)                                                  \
			return w->rule->has_##name_ ? 0 : -1;                                                \
		return first == w->rule->name_.first && last == w->rule->name_.last;                         \
	}
RULE_PORTS(sport, rtnl_rule_get_sport)
RULE_PORTS(dport, rtnl_rule_get_dport)

static int rule_src(struct nl_object *o, const struct verify_object *w)
{
	return libnl_same_prefix(rtnl_rule_get_src(rule_of(o)), &w->rule->src);
}

static int rule_dst(struct nl_object *o, const struct verify_object *w)
{
	return libnl_same_prefix(rtnl_rule_get_dst(rule_of(o)), &w->rule->dst);
}

static int rule_iif(struct nl_object *o, const struct verify_object *w)
{
	return libnl_same_text(rtnl_rule_get_iif(rule_of(o)), w->rule->iif);
}

static int rule_oif(struct nl_object *o, const struct verify_object *w)
{
	return libnl_same_text(rtnl_rule_get_oif(rule_of(o)), w->rule->oif);
}

const struct libnl_field libnl_rule_fields[] = {
	{"family", rule_family},
	{"priority", rule_priority},
	{"table", rule_table},
	{"src", rule_src},
	{"dst", rule_dst},
	{"iif", rule_iif},
	{"oif", rule_oif},
	{"mark", rule_mark},
	{"mask", rule_mask},
	{"dsfield", rule_dsfield},
	{"action", rule_action},
	{"realms", rule_realms},
	{"goto", rule_target},
	{"l3mdev", rule_l3mdev},
	{"protocol", rule_protocol},
	{"ip_proto", rule_ip_proto},
	{"sport", rule_sport},
	{"dport", rule_dport},
	{0},
};
