/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: IPv6 routes as net/ipv6/ip6_fib.c and route.c keep them: one route a hop, at one prefix by rising
 * metric; those with a gateway and the same metric are siblings and are told of together.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fake/fib.h"

static const uint8_t fk_any6[16];

/* rt6_qualify_for_ecmp() */
bool fk_fib6_is_ecmp(const struct fk_route *r)
{
	return !r->nh && r->hops[0].via_family;
}

bool fk_fib6_siblings(const struct fk_route *a, const struct fk_route *b)
{
	return a->metric == b->metric && fk_fib6_is_ecmp(a) && fk_fib6_is_ecmp(b) &&
	       fk_route_same_prefix(a, b);
}

static bool fk_is_error(uint8_t type)
{
	return type >= RTN_BLACKHOLE && type <= RTN_THROW;
}

/* RTF_REJECT, which a route by way of lo has as well. */
static bool fk_rejects(const struct fk_route *r, const struct fk_hop *h)
{
	return fk_is_error(r->type) || (h->oif == 1 && r->type == RTN_UNICAST);
}

static bool fk_is_link_local(const uint8_t *addr)
{
	return addr[0] == 0xfe && (addr[1] & 0xc0) == 0x80;
}

/* rt6_select() at one prefix, from the lowest metric on; dev NULL: any. */
static const struct fk_route *fk_select(
	struct fk_netns *ns, uint32_t table, unsigned len, const uint8_t *addr, int oif, struct fk_hop *ret)
{
	struct nctl_list *pos;
	nctl_list_for_each(pos, &ns->routes6) {
		const struct fk_route *r = nctl_list_entry(pos, struct fk_route, node);
		struct fk_hop hops[FK_MAX_HOPS];
		if (r->table != table || r->len != len || !fk_prefix_has(r->dst, len, addr))
			continue;
		unsigned n = fk_route_hops(r, hops);
		for (unsigned i = 0; i < n; i++) {
			if (hops[i].flags & RTNH_F_DEAD || (oif && hops[i].oif != oif))
				continue;
			*ret = hops[i];
			return r;
		}
	}
	return NULL;
}

static const struct fk_route *fk_lookup_table(
	struct fk_netns *ns, uint32_t table, const uint8_t *addr, int oif, struct fk_hop *ret)
{
	const struct fk_route *r = NULL;
	for (int len = 128; !r && len >= 0; len--)
		r = fk_select(ns, table, (unsigned)len, addr, oif, ret);
	return r;
}

static const struct fk_route *fk_lookup(struct fk_netns *ns, const uint8_t *addr, int oif, struct fk_hop *ret)
{
	const struct fk_link *l = oif ? fk_link_by_index(ns, oif) : NULL;
	struct nctl_list *pos;
	nctl_list_for_each(pos, &ns->rules6) {
		const struct fk_rule *rule = nctl_list_entry(pos, struct fk_rule, node);
		if (!fk_rule_matches(rule, addr, oif) || rule->action != 1 /* FR_ACT_TO_TBL */)
			continue;
		uint32_t table = !rule->l3mdev ? rule->table : l ? fk_table_of(l, 0) : 0;
		const struct fk_route *r = table ? fk_lookup_table(ns, table, addr, oif, ret) : NULL;
		if (r)
			return r;
	}
	return NULL;
}

/* ip6_route_check_nh() */
static int fk_check_gateway(struct fk_netns *ns, uint32_t table, struct fk_hop *h)
{
	struct fk_hop found;
	const struct fk_route *r = table ? fk_lookup_table(ns, table, h->via, h->oif, &found) : NULL;
	if (!r || fk_rejects(r, &found) || found.via_family || (h->oif && h->oif != found.oif))
		r = fk_lookup(ns, h->via, h->oif, &found);
	if (!r || fk_rejects(r, &found) || found.via_family || (h->oif && h->oif != found.oif))
		return -EHOSTUNREACH;
	h->oif = found.oif;
	return 0;
}

/* ip6_route_check_nh_onlink() */
static int fk_check_onlink(struct fk_netns *ns, const struct fk_link *l, const struct fk_hop *h)
{
	struct fk_hop found;
	const struct fk_route *r = fk_lookup_table(ns, fk_table_of(l, RT_TABLE_MAIN), h->via, h->oif, &found);
	bool wrong = r && !fk_is_error(r->type) && r->len != 0 &&
	             (r->type == RTN_LOCAL || r->type == RTN_ANYCAST || found.oif != h->oif);
	return wrong ? -EINVAL : 0;
}

/* ip6_validate_gw() */
static int fk_validate_gateway(
	struct fk_req *rq, struct fk_netns *ns, uint32_t table, struct fk_hop *h, bool onlink)
{
	const struct fk_link *l = h->oif ? fk_link_by_index(ns, h->oif) : NULL;
	bool local = fk_is_link_local(h->via);
	if (l && fk_fib6_has_addr(ns, h->via, l, !local))
		return fk_refuse(rq, -EINVAL, "Gateway can not be a local address");
	if (!local) {
		if (h->via[0] == 0xff || memcmp(h->via, fk_any6, 16) == 0)
			return fk_refuse(rq, -EINVAL, "Invalid gateway address");
		int r = onlink ? fk_check_onlink(ns, l, h) : fk_check_gateway(ns, table, h);
		if (r < 0)
			return fk_refuse(rq, r, "Nexthop has invalid gateway or device mismatch");
	}
	const struct fk_link *via = fk_link_by_index(ns, h->oif);
	if (!via)
		return fk_refuse(rq, -EINVAL, "Egress device not specified");
	if (via->flags & IFF_LOOPBACK)
		return fk_refuse(rq, -EINVAL, "Egress device can not be loopback device for this route");
	if (!l && fk_fib6_has_addr(ns, h->via, via, !local))
		return fk_refuse(rq, -EINVAL, "Gateway can not be a local address");
	return 0;
}

/* fib6_nh_init() */
int fk_fib6_check_hop(
	struct fk_req *rq, struct fk_netns *ns, const struct fk_route *r, struct fk_hop *h, bool onlink)
{
	struct fk_link *l = h->oif ? fk_link_by_index(ns, h->oif) : NULL;
	if (h->oif && (!l || !l->has_inet6))
		return -ENODEV;
	if (onlink) {
		if (!l)
			return fk_refuse(rq, -ENODEV, "Nexthop device required for onlink");
		if (!(l->flags & IFF_UP))
			return fk_refuse(rq, -ENETDOWN, "Nexthop device is not up");
		h->flags |= RTNH_F_ONLINK;
	}
	if (fk_is_error(r->type)) {
		*h = (struct fk_hop){.oif = 1};
		l = fk_link_by_index(ns, 1);
		return l && l->has_inet6 ? 0 : -ENODEV;
	}
	if (h->via_family) {
		int e = fk_validate_gateway(rq, ns, r->table, h, onlink);
		if (e < 0)
			return e;
		l = fk_link_by_index(ns, h->oif);
	}
	if (!l)
		return -ENODEV;
	if (!l->has_inet6)
		return fk_refuse(rq, -EACCES, "IPv6 is disabled on nexthop device");
	if (!(l->flags & IFF_UP))
		return fk_refuse(rq, -ENETDOWN, "Nexthop device is not up");
	h->flags |= l->carrier || r->type == RTN_LOCAL ? 0 : RTNH_F_LINKDOWN;
	return 0;
}

/* fib6_check_nexthop() */
static int fk_check_object(struct fk_req *rq, const struct fk_nexthop *n)
{
	for (unsigned i = 0; i < (n->group ? n->n_members : 1); i++) {
		const struct fk_nexthop *m = n->group ? n->members[i].nh : n;
		if (m->family != AF_INET6)
			return fk_refuse(rq, -EINVAL, "IPv6 routes can not use an IPv4 nexthop.");
	}
	return 0;
}

/* ip6_route_info_create() for one hop; completes r. */
static int fk_info_create(
	struct fk_req *rq, struct fk_netns *ns, const struct fk_route_req *q, struct fk_route *r)
{
	if (r->len > 128)
		return fk_refuse(rq, -EINVAL, "Invalid prefix length");
	if (q->nhid) {
		r->nh = fk_nexthop_find(ns, q->nhid);
		r->n_hops = 0;
		if (!r->nh)
			return fk_refuse(rq, -EINVAL, "Nexthop id does not exist");
		int e = fk_check_object(rq, r->nh);
		if (e < 0)
			return e;
	}
	fk_table_make(ns, AF_INET6, r->table);
	r->type = r->type ? r->type : RTN_UNICAST;
	r->scope = RT_SCOPE_UNIVERSE;
	r->flags = 0;
	fk_prefix_mask(r->dst, r->len, 16);
	int e = r->nh ? 0 : fk_fib6_check_hop(rq, ns, r, &r->hops[0], q->onlink);
	if (e < 0)
		return e;
	if (r->has_prefsrc && memcmp(r->prefsrc, fk_any6, 16) == 0)
		r->has_prefsrc = false;
	struct fk_hop hops[FK_MAX_HOPS];
	fk_route_hops(r, hops);
	if (r->has_prefsrc && !fk_fib6_has_addr(ns, r->prefsrc, fk_link_by_index(ns, hops[0].oif),
				      !fk_is_link_local(r->prefsrc)))
		return fk_refuse(rq, -EINVAL, "Invalid source address");
	return 0;
}

/* rt6_duplicate_nexthop() */
static bool fk_duplicate(const struct fk_route *a, const struct fk_route *b)
{
	if (a->nh || b->nh)
		return a->nh == b->nh;
	return a->hops[0].oif == b->hops[0].oif && memcmp(a->hops[0].via, b->hops[0].via, 16) == 0;
}

static struct fk_route *fk_copy(const struct fk_route *r)
{
	struct fk_route *n = malloc(sizeof *n);
	if (!n)
		abort();
	*n = *r;
	nctl_list_init(&n->node);
	return n;
}

static void fk_unlink(struct fk_netns *ns, struct fk_route *r)
{
	fk_route_unlink(ns, r);
	free(r);
}

/* Takes the place of old, and of its siblings if it has any. */
static struct fk_route *fk_take_place(
	struct fk_netns *ns, const struct fk_route *r, struct fk_route *old, bool say)
{
	struct fk_route *n = fk_copy(r), *first = fk_route_first(ns, r), *next;
	unsigned siblings = 0;
	for (struct fk_route *s = first; s; s = fk_route_next(ns, s))
		siblings += s != old && fk_fib6_siblings(s, old);
	fk_route_insert(ns, n, old);
	struct fk_route was = *old;
	fk_unlink(ns, old);
	if (siblings) {
		for (struct fk_route *s = fk_route_next(ns, n); s; s = next) {
			next = fk_route_next(ns, s);
			if (s->metric <= was.metric && fk_fib6_is_ecmp(s))
				fk_unlink(ns, s);
		}
	}
	if (say)
		fk_route_event(ns, n, RTM_NEWROUTE, NLM_F_REPLACE);
	return n;
}

/* fib6_add_rt2node(). skip: told of later. *ret: the route made. */
static int fk_add_to_node(
	struct fk_netns *ns, const struct fk_route *r, uint16_t flags, bool say, struct fk_route **ret)
{
	struct fk_route *it, *fallback = NULL, *found = NULL;
	uint16_t nlflags = NLM_F_EXCL | (flags & NLM_F_APPEND);
	bool replace = flags & NLM_F_REPLACE;
	for (it = fk_route_first(ns, r); it; it = fk_route_next(ns, it)) {
		if (it->metric == r->metric) {
			if (flags & NLM_F_EXCL)
				return -EEXIST;
			nlflags &= (uint16_t)~NLM_F_EXCL;
			if (replace && fk_fib6_is_ecmp(r) == fk_fib6_is_ecmp(it)) {
				found = it;
				break;
			}
			if (replace) {
				fallback = fallback ? fallback : it;
				continue;
			}
			if (fk_duplicate(it, r))
				return -EEXIST;
		}
		if (it->metric > r->metric)
			break;
	}
	found = found ? found : fallback;
	if (replace && found) {
		*ret = fk_take_place(ns, r, found, say);
		return 0;
	}
	if (replace && !(flags & NLM_F_CREATE))
		return -ENOENT;
	*ret = fk_copy(r);
	fk_route_insert(ns, *ret, it);
	if (say)
		fk_route_event(ns, *ret, RTM_NEWROUTE, nlflags | NLM_F_CREATE);
	return 0;
}

/* fib6_add(): a prefix that is not there needs NLM_F_CREATE, unless none of the flags is given. */
static int fk_add_one(
	struct fk_netns *ns, const struct fk_route *r, uint16_t flags, bool say, struct fk_route **ret)
{
	bool create = flags & NLM_F_CREATE, replace = flags & NLM_F_REPLACE;
	if (!create && replace && !fk_route_first(ns, r))
		return -ENOENT;
	return fk_add_to_node(ns, r, flags, say, ret);
}

/* ip6_route_mpath_notify(): what was appended is told of from the first of all siblings on. */
static void fk_tell_multipath(
	struct fk_netns *ns, const struct fk_route *first, const struct fk_route *last, uint16_t flags)
{
	uint16_t say = flags & NLM_F_REPLACE ? NLM_F_REPLACE : NLM_F_CREATE;
	say |= flags & NLM_F_APPEND;
	for (const struct fk_route *s = fk_route_first(ns, last); s && flags & NLM_F_APPEND;
		s = fk_route_next(ns, (struct fk_route *)s)) {
		if (fk_fib6_siblings(s, last)) {
			first = s;
			break;
		}
	}
	fk_route_event(ns, first, RTM_NEWROUTE, say);
}

/* ip6_route_multipath_add(): one after the other; told of once, at the end or before the first refusal. */
static int fk_add_multipath(struct fk_req *rq, struct fk_netns *ns, struct fk_route_req *q)
{
	struct fk_route routes[FK_MAX_HOPS], *made[FK_MAX_HOPS], *last = NULL;
	uint16_t flags = q->flags;
	unsigned n = q->r.n_hops;
	int e = 0;
	for (unsigned i = 0; i < n; i++) {
		routes[i] = q->r;
		routes[i].n_hops = 1;
		routes[i].hops[0] = q->r.hops[i];
		if (q->onlink)
			routes[i].hops[0].flags |= RTNH_F_ONLINK;
		struct fk_route_req one = *q;
		one.onlink = routes[i].hops[0].flags & RTNH_F_ONLINK;
		e = fk_info_create(rq, ns, &one, &routes[i]);
		if (e < 0)
			return e;
		for (unsigned j = 0; j < i; j++)
			if (fk_duplicate(&routes[j], &routes[i]))
				return -EEXIST;
	}
	for (unsigned i = 0; i < n; i++) {
		made[i] = NULL;
		e = fk_add_one(ns, &routes[i], flags, false, &made[i]);
		if (e < 0)
			break;
		last = made[i];
		flags = (uint16_t)((flags & ~(NLM_F_EXCL | NLM_F_REPLACE)) | NLM_F_CREATE);
	}
	if (last)
		fk_tell_multipath(ns, made[0], last, q->flags);
	for (unsigned i = 0; e < 0 && i < n && made[i]; i++)
		fk_fib6_remove(ns, made[i], true);
	return e;
}

int fk_fib6_add(struct fk_req *rq, struct fk_netns *ns, struct fk_route_req *q)
{
	struct fk_route *made;
	if (!q->kernel && !q->r.metric)
		q->r.metric = FK_PRIO_USER;
	if (q->multipath)
		return fk_add_multipath(rq, ns, q);
	int e = fk_info_create(rq, ns, q, &q->r);
	return e < 0 ? e : fk_add_one(ns, &q->r, q->flags, true, &made);
}

/* fib6_del_route(): the siblings that stay are not told of. */
void fk_fib6_remove(struct fk_netns *ns, struct fk_route *r, bool say)
{
	fk_route_unlink(ns, r);
	if (say)
		fk_route_event(ns, r, RTM_DELROUTE, 0);
	free(r);
}

/* ip6_route_del() for one hop. all: with all its siblings, if it names no gateway (fc_delete_all_nh). */
static int fk_del_one(struct fk_netns *ns, const struct fk_route_req *q, const struct fk_hop *want, bool all)
{
	for (struct fk_route *r = fk_route_first(ns, &q->r), *next; r; r = next) {
		next = fk_route_next(ns, r);
		if (q->nhid && (!r->nh || r->nh->id != q->nhid))
			continue;
		if (r->nh && !q->nhid && (want->oif || want->via_family))
			continue;
		if (!r->nh && want->oif && want->oif != r->hops[0].oif)
			continue;
		if (!r->nh && want->via_family && memcmp(want->via, r->hops[0].via, 16) != 0)
			continue;
		if (q->r.metric && q->r.metric != r->metric)
			continue;
		if (q->r.protocol && q->r.protocol != r->protocol)
			continue;
		if (!all || want->via_family || r->nh || !fk_fib6_is_ecmp(r)) {
			fk_fib6_remove(ns, r, true);
			return 0;
		}
		struct fk_route was = *r;
		unsigned n = 0;
		for (struct fk_route *s = fk_route_first(ns, &was); s; s = fk_route_next(ns, s))
			n += fk_fib6_siblings(s, &was);
		if (n > 1) { /* one message with all of them */
			uint8_t bytes[2048];
			struct fk_buf b = FK_BUF(bytes);
			fk_put_route(&b, ns, r, false, RTM_DELROUTE, 0, 0);
			fk_broadcast(ns, RTNLGRP_IPV6_ROUTE, bytes, b.len);
		}
		for (struct fk_route *s = fk_route_first(ns, &was), *after; s; s = after) {
			after = fk_route_next(ns, s);
			if (fk_fib6_siblings(s, &was))
				fk_fib6_remove(ns, s, n == 1);
		}
		return 0;
	}
	/* the root of a table without a default route has an entry that is none */
	bool null_entry = !q->r.len && !fk_route_first(ns, &q->r) && !q->nhid && !q->r.metric &&
	                  !q->r.protocol && !want->via_family && (!want->oif || want->oif == 1);
	return null_entry ? -ENOENT : -ESRCH;
}

int fk_fib6_del(struct fk_req *rq, struct fk_netns *ns, const struct fk_route_req *q)
{
	int e = 0;
	struct fk_route_req masked = *q;
	if (q->r.len > 128)
		return fk_refuse(rq, -EINVAL, "Invalid prefix length");
	if (!fk_table_exists(ns, AF_INET6, q->r.table))
		return fk_refuse(rq, -ESRCH, "FIB table does not exist");
	fk_prefix_mask(masked.r.dst, masked.r.len, 16);
	if (!q->multipath)
		return fk_del_one(ns, &masked, &q->r.hops[0], true);
	for (unsigned i = 0; i < q->r.n_hops; i++) {
		int r = fk_del_one(ns, &masked, &q->r.hops[i], false);
		e = r < 0 ? r : e;
	}
	return e;
}
