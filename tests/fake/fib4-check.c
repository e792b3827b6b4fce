/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: what IPv4 looks up to check a route: gateways and source addresses (fib_check_nh(), fib_lookup()).
 */

#include <errno.h>
#include <string.h>
#include <linux/fib_rules.h>

#include "fake/fib.h"

struct fk_found {
	const struct fk_route *route;
	struct fk_hop hop;
};

static bool fk_hop_usable(const struct fk_route *r, const struct fk_hop *h, int oif)
{
	(void)r;
	return !(h->flags & RTNH_F_DEAD) && (!oif || oif == h->oif);
}

static int fk_type_error(uint8_t type)
{
	switch (type) {
	case RTN_BLACKHOLE:
		return -EINVAL;
	case RTN_UNREACHABLE:
		return -EHOSTUNREACH;
	case RTN_PROHIBIT:
		return -EACCES;
	case RTN_THROW:
		return -EAGAIN;
	default:
		return 0;
	}
}

/* One route of the right prefix. 1: it does not fit; else what fib_table_lookup() returns for it. */
static int fk_try(const struct fk_route *r, uint8_t scope, int oif, struct fk_found *ret)
{
	struct fk_hop hops[FK_MAX_HOPS];
	if (r->tos || r->scope < scope || r->flags & RTNH_F_DEAD)
		return 1;
	bool blackhole = r->nh && !r->nh->group && r->nh->blackhole;
	if (fk_type_error(r->type) || blackhole)
		return blackhole ? -EINVAL : fk_type_error(r->type);
	unsigned n = fk_route_hops(r, hops);
	for (unsigned i = 0; i < n; i++) {
		if (!fk_hop_usable(r, &hops[i], oif))
			continue;
		*ret = (struct fk_found){.route = r, .hop = hops[i]};
		return 0;
	}
	return 1;
}

/* fib_table_lookup(): longest prefix first. -EAGAIN: nothing. */
static int fk_table_lookup(
	struct fk_netns *ns, uint32_t table, const uint8_t *addr, uint8_t scope, int oif, struct fk_found *ret)
{
	for (int len = 32; len >= 0; len--) {
		struct nctl_list *pos;
		nctl_list_for_each(pos, &ns->routes4) {
			const struct fk_route *r = nctl_list_entry(pos, struct fk_route, node);
			if (r->table != table || r->len != len || !fk_prefix_has(r->dst, r->len, addr))
				continue;
			int e = fk_try(r, scope, oif, ret);
			if (e != 1)
				return e;
		}
	}
	return -EAGAIN;
}

/* fib_lookup() through the rules. */
static int fk_lookup(struct fk_netns *ns, const uint8_t *addr, uint8_t scope, int oif, struct fk_found *ret)
{
	const struct fk_link *l = oif ? fk_link_by_index(ns, oif) : NULL;
	struct nctl_list *pos;
	int jump = -1;
	nctl_list_for_each(pos, &ns->rules4) {
		const struct fk_rule *r = nctl_list_entry(pos, struct fk_rule, node);
		uint32_t table = r->table;
		if (jump >= 0 && r->priority < (uint32_t)jump)
			continue;
		if (!fk_rule_matches(r, addr, oif))
			continue;
		if (r->l3mdev) {
			if (!l || !(table = fk_table_of(l, 0)))
				continue;
		}
		switch (r->action) {
		case FR_ACT_GOTO:
			jump = (int)r->target;
			continue;
		case FR_ACT_TO_TBL:
			break;
		case FR_ACT_NOP:
			continue;
		case FR_ACT_UNREACHABLE:
			return -ENETUNREACH;
		case FR_ACT_PROHIBIT:
			return -EACCES;
		default:
			return -EINVAL;
		}
		int e = fk_table_lookup(ns, table, addr, scope, oif, ret);
		if (e != -EAGAIN)
			return e;
	}
	return -ENETUNREACH;
}

uint8_t fk_fib4_addr_type(struct fk_netns *ns, const uint8_t *addr, uint32_t table)
{
	static const uint8_t all[4] = {255, 255, 255, 255};
	struct fk_found found;
	if (addr[0] == 0 || memcmp(addr, all, 4) == 0)
		return RTN_BROADCAST;
	if ((addr[0] & 0xf0) == 0xe0)
		return RTN_MULTICAST;
	if (fk_table_lookup(ns, table, addr, RT_SCOPE_UNIVERSE, 0, &found) == 0)
		return found.route->type;
	return RTN_UNICAST;
}

bool fk_fib4_valid_prefsrc(struct fk_netns *ns, const struct fk_route *r)
{
	static const uint8_t none[4];
	if (r->type == RTN_LOCAL && memcmp(r->dst, none, 4) != 0 && memcmp(r->dst, r->prefsrc, 4) == 0)
		return true;
	uint32_t table = r->table == RT_TABLE_MAIN ? RT_TABLE_LOCAL : r->table;
	if (fk_fib4_addr_type(ns, r->prefsrc, table) == RTN_LOCAL)
		return true;
	return table != RT_TABLE_LOCAL && fk_fib4_addr_type(ns, r->prefsrc, RT_TABLE_LOCAL) == RTN_LOCAL;
}

static int fk_check_device(struct fk_req *rq, struct fk_netns *ns, struct fk_hop *h)
{
	struct fk_link *l = fk_link_by_index(ns, h->oif);
	if (h->flags & (RTNH_F_PERVASIVE | RTNH_F_ONLINK))
		return fk_refuse(rq, -EINVAL, "Invalid flags for nexthop - PERVASIVE and ONLINK can not be set");
	if (!l || !l->has_inet4)
		return -ENODEV;
	if (!(l->flags & IFF_UP))
		return fk_refuse(rq, -ENETDOWN, "Device for nexthop is not up");
	h->scope = RT_SCOPE_HOST;
	h->flags |= l->carrier ? 0 : RTNH_F_LINKDOWN;
	return 0;
}

static int fk_check_onlink(struct fk_req *rq, struct fk_netns *ns, struct fk_hop *h, uint8_t scope)
{
	struct fk_link *l = fk_link_by_index(ns, h->oif);
	if (scope >= RT_SCOPE_LINK)
		return fk_refuse(rq, -EINVAL, "Nexthop has invalid scope");
	if (!l)
		return fk_refuse(rq, -ENODEV, "Nexthop device required for onlink");
	if (!(l->flags & IFF_UP))
		return fk_refuse(rq, -ENETDOWN, "Nexthop device is not up");
	if (fk_fib4_addr_type(ns, h->via, fk_table_of(l, RT_TABLE_LOCAL)) != RTN_UNICAST)
		return fk_refuse(rq, -EINVAL, "Nexthop has invalid gateway");
	h->scope = RT_SCOPE_LINK;
	h->flags |= l->carrier ? 0 : RTNH_F_LINKDOWN;
	return 0;
}

/* fib_check_nh_v6_gw() */
static int fk_check_six(struct fk_req *rq, struct fk_netns *ns, struct fk_hop *h, uint32_t table, bool onlink)
{
	struct fk_route r = {.family = AF_INET6, .table = table};
	struct fk_hop six = *h;
	int e = fk_fib6_check_hop(rq, ns, &r, &six, onlink);
	if (e < 0)
		return e;
	h->oif = six.oif;
	h->flags |= six.flags & RTNH_F_LINKDOWN;
	h->scope = RT_SCOPE_LINK;
	return 0;
}

int fk_fib4_check_hop(
	struct fk_req *rq, struct fk_netns *ns, struct fk_hop *h, uint32_t table, uint8_t scope, bool onlink)
{
	struct fk_found found;
	int e = -1;
	if (!h->via_family)
		return fk_check_device(rq, ns, h);
	if (h->via_family == AF_INET6)
		return fk_check_six(rq, ns, h, table, onlink);
	if (onlink)
		return fk_check_onlink(rq, ns, h, scope);
	uint8_t want = nctl_max((uint8_t)(scope + 1), (uint8_t)RT_SCOPE_LINK);
	if (table && table != RT_TABLE_MAIN && fk_table_exists(ns, AF_INET, table))
		e = fk_table_lookup(ns, table, h->via, want, h->oif, &found);
	if (e < 0)
		e = fk_lookup(ns, h->via, want, h->oif, &found);
	if (e < 0)
		return fk_refuse(rq, e, "Nexthop has invalid gateway");
	if (found.route->type != RTN_UNICAST && found.route->type != RTN_LOCAL)
		return fk_refuse(rq, -EINVAL, "Nexthop has invalid gateway");
	struct fk_link *l = fk_link_by_index(ns, found.hop.oif);
	if (!l)
		return fk_refuse(rq, -EINVAL, "No egress device for nexthop gateway");
	h->scope = found.route->scope;
	h->oif = found.hop.oif;
	h->flags |= l->carrier ? 0 : RTNH_F_LINKDOWN;
	return l->flags & IFF_UP ? 0 : -ENETDOWN;
}
