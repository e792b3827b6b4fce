/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: next-hop objects and groups as net/ipv4/nexthop.c keeps them. One goes with its link's state, groups
 * lose it, IPv4 routes of what is gone go, all without a word unless a request asked for it; IPv6 routes are
 * always told of (nexthop_compat_mode is on). Not modelled: fdb, resilient groups, encapsulation.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <linux/nexthop.h>

#include "fake/fib.h"

static struct fk_nexthop *fk_nexthop_of(struct nctl_list *pos)
{
	return nctl_list_entry(pos, struct fk_nexthop, node);
}

struct fk_nexthop *fk_nexthop_find(struct fk_netns *ns, uint32_t id)
{
	struct nctl_list *pos;
	nctl_list_for_each(pos, &ns->nexthops)
		if (fk_nexthop_of(pos)->id == id)
			return fk_nexthop_of(pos);
	return NULL;
}

static bool fk_is_member(const struct fk_nexthop *group, const struct fk_nexthop *n)
{
	for (unsigned i = 0; group->group && i < group->n_members; i++)
		if (group->members[i].nh == n)
			return true;
	return false;
}

/* The youngest group with n in it that is older than before. */
static struct fk_nexthop *fk_group_of(struct fk_netns *ns, const struct fk_nexthop *n, uint64_t before)
{
	struct fk_nexthop *youngest = NULL;
	struct nctl_list *pos;
	nctl_list_for_each(pos, &ns->nexthops) {
		struct fk_nexthop *g = fk_nexthop_of(pos);
		if (fk_is_member(g, n) && g->born < before && (!youngest || g->born > youngest->born))
			youngest = g;
	}
	return youngest;
}

/* __remove_nexthop_fib() */
static void fk_remove_routes(struct fk_netns *ns, const struct fk_nexthop *n)
{
	struct nctl_list *pos, *tmp;
	nctl_list_for_each(pos, &ns->routes4) {
		struct fk_route *r = nctl_list_entry(pos, struct fk_route, node);
		r->flags |= r->nh == n ? RTNH_F_DEAD : 0;
	}
	fk_fib4_flush(ns);
	nctl_list_for_each_safe(pos, tmp, &ns->routes6) {
		struct fk_route *r = nctl_list_entry(pos, struct fk_route, node);
		if (r->nh == n)
			fk_fib6_remove(ns, r, true);
	}
}

static void fk_nexthop_remove(struct fk_netns *ns, struct fk_nexthop *n, bool say);

static void fk_leave_group(struct fk_netns *ns, struct fk_nexthop *g, const struct fk_nexthop *n, bool say)
{
	unsigned kept = 0;
	if (g->n_members == 1) {
		fk_nexthop_remove(ns, g, say);
		return;
	}
	for (unsigned i = 0; i < g->n_members; i++)
		if (g->members[i].nh != n)
			g->members[kept++] = g->members[i];
	g->n_members = kept;
	if (say)
		fk_nexthop_event(ns, g, RTM_NEWNEXTHOP);
}

/* remove_nexthop() */
static void fk_nexthop_remove(struct fk_netns *ns, struct fk_nexthop *n, bool say)
{
	struct fk_nexthop *g;
	uint64_t before = UINT64_MAX;
	nctl_list_del(&n->node);
	if (say)
		fk_nexthop_event(ns, n, RTM_DELNEXTHOP);
	fk_remove_routes(ns, n);
	while (!n->group && (g = fk_group_of(ns, n, before))) {
		before = g->born;
		fk_leave_group(ns, g, n, say);
	}
	free(n);
}

void fk_nexthop_link_event(struct fk_link *l, enum fk_event ev)
{
	struct nctl_list *pos;
	bool up = fk_link_flags(l) & (IFF_RUNNING | (unsigned)IFF_LOWER_UP);
	if (ev != FK_DOWN && ev != FK_UNREGISTER && (ev != FK_CHANGE || up))
		return;
	for (;;) { /* one may take others along */
		struct fk_nexthop *n = NULL;
		nctl_list_for_each(pos, &l->ns->nexthops) {
			struct fk_nexthop *o = fk_nexthop_of(pos);
			if (!o->group && o->hop.oif == l->ifindex && (!o->blackhole || ev == FK_UNREGISTER) &&
				(!n || o->born > n->born))
				n = o;
		}
		if (!n)
			return;
		fk_nexthop_remove(l->ns, n, false);
	}
}

static int fk_read_group(struct fk_req *rq, const struct nlattr *a, struct fk_nexthop *n)
{
	const struct nexthop_grp *m = fk_data(a);
	size_t count = fk_len(a) / sizeof *m;
	if (!count || fk_len(a) % sizeof *m || count > FK_MAX_HOPS)
		return fk_refuse(rq, -EINVAL, "Invalid length for nexthop group attribute");
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < i; j++)
			if (m[j].id == m[i].id)
				return fk_refuse(rq, -EINVAL, "Nexthop id can not be used twice in a group");
		struct fk_nexthop *member = fk_nexthop_find(rq->ns, m[i].id);
		if (!member)
			return fk_refuse(rq, -EINVAL, "Invalid nexthop id");
		if (member->group)
			return fk_refuse(rq, -EINVAL, "Multipath group can not be a nexthop within a group");
		if (member->blackhole && count > 1)
			return fk_refuse(rq, -EINVAL,
				"Blackhole nexthop can not be used in a group with more than 1 path");
		n->members[i] = (struct fk_member){.nh = member, .weight = m[i].weight};
	}
	n->group = true;
	n->n_members = (unsigned)count;
	return 0;
}

static int fk_read_single(struct fk_req *rq, const struct nlattr **tb, struct fk_nexthop *n)
{
	struct fk_link *l = tb[NHA_OIF] ? fk_link_by_index(rq->ns, (int)fk_u32(tb[NHA_OIF])) : NULL;
	if (tb[NHA_BLACKHOLE]) {
		if (tb[NHA_GATEWAY] || tb[NHA_OIF])
			return fk_refuse(rq, -EINVAL,
				"Blackhole attribute can not be used with gateway, oif, encap or fdb");
		n->blackhole = true;
		n->hop.oif = 1;
		l = fk_link_by_index(rq->ns, 1);
		if (!(n->family == AF_INET ? l->has_inet4 : l->has_inet6))
			return -ENODEV;
		return l->flags & IFF_UP ? 0 : -ENETDOWN;
	}
	if (!tb[NHA_OIF])
		return fk_refuse(
			rq, -EINVAL, "Device attribute required for non-blackhole and non-fdb nexthops");
	if (!l)
		return fk_refuse(rq, -EINVAL, "Invalid device index");
	if (!(l->flags & IFF_UP))
		return fk_refuse(rq, -ENETDOWN, "Nexthop device is not up");
	if (!l->carrier)
		return fk_refuse(rq, -ENETDOWN, "Carrier for nexthop device is down");
	n->hop.oif = l->ifindex;
	n->hop.flags = n->flags & RTNH_F_ONLINK;
	n->flags = 0;
	if (tb[NHA_GATEWAY]) {
		size_t alen = n->family == AF_INET ? 4 : 16;
		if (fk_len(tb[NHA_GATEWAY]) != alen)
			return fk_refuse(rq, -EINVAL, "Invalid gateway");
		memcpy(n->hop.via, fk_data(tb[NHA_GATEWAY]), alen);
		n->hop.via_family = n->family;
	} else if (n->hop.flags) {
		return fk_refuse(rq, -EINVAL, "ONLINK flag can not be set for nexthop without a gateway");
	}
	uint32_t table = fk_table_of(l, 0);
	bool onlink = n->hop.flags & RTNH_F_ONLINK;
	if (n->family == AF_INET) {
		int e = fk_fib4_check_hop(rq, rq->ns, &n->hop, table, RT_SCOPE_UNIVERSE, onlink);
		n->scope = n->hop.scope;
		return e;
	}
	const struct fk_route r = {.family = AF_INET6, .type = RTN_UNICAST, .table = table};
	n->scope = RT_SCOPE_LINK;
	return fk_fib6_check_hop(rq, rq->ns, &r, &n->hop, onlink);
}

static bool fk_is_used(struct fk_netns *ns, const struct fk_nexthop *n, uint8_t family)
{
	struct nctl_list *pos;
	nctl_list_for_each(pos, fk_routes(ns, family))
		if (nctl_list_entry(pos, struct fk_route, node)->nh == n)
			return true;
	return false;
}

static bool fk_all_six(const struct fk_nexthop *n)
{
	for (unsigned i = 0; i < n->n_members; i++)
		if (n->members[i].nh->family != AF_INET6)
			return false;
	return n->group || n->family == AF_INET6;
}

/* What forbids that n takes the place of old. */
static int fk_check_replace(struct fk_req *rq, const struct fk_nexthop *old, const struct fk_nexthop *n)
{
	struct fk_nexthop *g;
	uint64_t before = UINT64_MAX;
	if (fk_is_used(rq->ns, old, AF_INET6) && !fk_all_six(n))
		return fk_refuse(rq, -EINVAL, "IPv6 routes can not use an IPv4 nexthop.");
	while (!old->group && (g = fk_group_of(rq->ns, old, before))) {
		before = g->born;
		if (n->blackhole && g->n_members > 1)
			return fk_refuse(rq, -EINVAL,
				"Blackhole nexthop can not be a member of a group with more than one path");
		if (fk_is_used(rq->ns, g, AF_INET6) && !fk_all_six(n))
			return fk_refuse(rq, -EINVAL, "IPv6 routes can not use an IPv4 nexthop.");
	}
	if (old->group != n->group)
		return fk_refuse(rq, -EINVAL, "Can not replace a nexthop group with a nexthop.");
	return 0;
}

/* __nexthop_replace_notify() */
static void fk_tell_routes(struct fk_netns *ns, const struct fk_nexthop *n)
{
	for (int i = 0; i < 2; i++) {
		struct nctl_list *pos;
		nctl_list_for_each(pos, i ? &ns->routes6 : &ns->routes4) {
			struct fk_route *r = nctl_list_entry(pos, struct fk_route, node);
			if (r->nh == n)
				fk_route_event(ns, r, RTM_NEWROUTE, NLM_F_REPLACE);
		}
	}
}

static int fk_replace(struct fk_req *rq, struct fk_nexthop *old, const struct fk_nexthop *n)
{
	struct fk_nexthop *g, was = *old;
	uint64_t before = UINT64_MAX;
	int r = fk_check_replace(rq, old, n);
	if (r < 0)
		return r;
	*old = *n;
	old->node = was.node;
	old->id = was.id;
	old->born = n->group ? ++rq->ns->births : was.born; /* groups are linked anew to their members */
	if (n->group)
		old->protocol = was.protocol;
	fk_nexthop_event(rq->ns, old, RTM_NEWNEXTHOP);
	fk_tell_routes(rq->ns, old);
	while (!old->group && (g = fk_group_of(rq->ns, old, before))) {
		before = g->born;
		fk_tell_routes(rq->ns, g);
	}
	return 0;
}

static int fk_nexthop_new(struct fk_req *rq, const struct nlattr **tb)
{
	const struct nhmsg *nhm = NLMSG_DATA(rq->nlh);
	uint16_t flags = rq->nlh->nlmsg_flags;
	struct fk_nexthop n = {.family = nhm->nh_family,
		.protocol = nhm->nh_protocol,
		.flags = nhm->nh_flags,
		.id = tb[NHA_ID] ? fk_u32(tb[NHA_ID]) : 0};
	if (nhm->nh_scope || nhm->nh_flags & ~(unsigned)RTNH_F_ONLINK)
		return fk_refuse(rq, -EINVAL, "Invalid values in ancillary header");
	if (nhm->nh_family != AF_INET && nhm->nh_family != AF_INET6 &&
		!(nhm->nh_family == AF_UNSPEC && tb[NHA_GROUP]))
		return fk_refuse(rq, -EINVAL, "Invalid address family");
	if (tb[NHA_GROUP] && nhm->nh_family != AF_UNSPEC)
		return fk_refuse(rq, -EINVAL, "Invalid family for a nexthop group");
	if (flags & NLM_F_REPLACE && !n.id)
		return fk_refuse(rq, -EINVAL, "Replace requires nexthop id");
	int r = tb[NHA_GROUP] ? fk_read_group(rq, tb[NHA_GROUP], &n) : fk_read_single(rq, tb, &n);
	if (r < 0)
		return r;
	while (!n.id || (!tb[NHA_ID] && fk_nexthop_find(rq->ns, n.id)))
		n.id = ++rq->ns->last_nhid;
	struct fk_nexthop *old = fk_nexthop_find(rq->ns, n.id);
	if (old)
		return flags & NLM_F_REPLACE ? fk_replace(rq, old, &n) : -EEXIST;
	if (flags & NLM_F_REPLACE && !(flags & NLM_F_CREATE))
		return fk_refuse(rq, -ENOENT, "Replace specified without create and no entry exists");
	struct fk_nexthop *made = malloc(sizeof *made);
	if (!made)
		return -ENOMEM;
	*made = n;
	made->born = ++rq->ns->births;
	nctl_list_init(&made->node);
	struct nctl_list *pos = rq->ns->nexthops.next;
	while (pos != &rq->ns->nexthops && fk_nexthop_of(pos)->id < n.id)
		pos = pos->next;
	nctl_list_insert_before(pos, &made->node);
	fk_nexthop_event(rq->ns, made, RTM_NEWNEXTHOP);
	return 0;
}

int fk_nexthop_request(struct fk_req *rq)
{
	const struct nlattr *tb[NHA_MAX + 1];
	if (rq->nlh->nlmsg_len < NLMSG_LENGTH(sizeof(struct nhmsg)))
		return -EINVAL;
	int r = fk_parse_msg(tb, NHA_MAX, rq->nlh, sizeof(struct nhmsg));
	if (r < 0)
		return r;
	if (rq->nlh->nlmsg_type == RTM_NEWNEXTHOP)
		return fk_nexthop_new(rq, tb);
	if (!tb[NHA_ID] || !fk_u32(tb[NHA_ID]))
		return fk_refuse(rq, -EINVAL, "Nexthop id is missing");
	struct fk_nexthop *n = fk_nexthop_find(rq->ns, fk_u32(tb[NHA_ID]));
	if (!n)
		return -ENOENT;
	fk_nexthop_remove(rq->ns, n, true);
	return 0;
}

void fk_nexthops_free(struct fk_netns *ns)
{
	struct nctl_list *pos, *tmp;
	nctl_list_for_each_safe(pos, tmp, &ns->nexthops) {
		nctl_list_del(pos);
		free(fk_nexthop_of(pos));
	}
}
