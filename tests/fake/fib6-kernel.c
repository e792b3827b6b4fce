/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the IPv6 routes that the kernel makes of addresses and links, and what it does to all routes when
 * these change (net/ipv6/addrconf.c, route.c). What goes is told of; the state of hops, source addresses and
 * MTUs change without a word.
 */

#include <stdlib.h>
#include <string.h>

#include "fake/fib.h"

static void fk_kernel_route(const struct fk_link *l, const uint8_t *dst, unsigned len, uint8_t type,
	uint32_t table, uint32_t metric)
{
	struct fk_req rq = {.f = l->ns->f, .ns = l->ns, .target = l->ns};
	struct fk_route_req q = {
		.kernel = true,
		.flags = NLM_F_CREATE,
		.r = {.family = AF_INET6,
			.len = (uint8_t)len,
			.type = type,
			.protocol = RTPROT_KERNEL,
			.metric = metric,
			.n_hops = 1,
			.table = fk_table_of(l, table)},
	};
	memcpy(q.r.dst, dst, 16);
	q.r.hops[0].oif = l->ifindex;
	if (type != RTN_LOCAL) {
		fk_fib6_add(&rq, l->ns, &q);
		return;
	}
	/* addrconf_f6i_alloc(): of a link that is down, too */
	struct fk_route *r = malloc(sizeof *r), *first, *at = NULL;
	if (!r)
		abort();
	*r = q.r;
	nctl_list_init(&r->node);
	for (first = fk_route_first(l->ns, r); first; first = fk_route_next(l->ns, first)) {
		bool same = !first->nh && first->hops[0].oif == l->ifindex && !first->hops[0].via_family;
		if (first->metric == r->metric && same) {
			free(r);
			return;
		}
		if (!at && first->metric > r->metric)
			at = first;
	}
	fk_table_make(l->ns, AF_INET6, r->table);
	bool alone = true;
	for (first = fk_route_first(l->ns, r); first; first = fk_route_next(l->ns, first))
		alone &= first->metric != r->metric;
	fk_route_insert(l->ns, r, at);
	fk_route_event(l->ns, r, RTM_NEWROUTE, NLM_F_CREATE | (alone ? NLM_F_EXCL : 0));
}

bool fk_fib6_has_addr(struct fk_netns *ns, const uint8_t *addr, const struct fk_link *l, bool any_link)
{
	uint32_t domain = l ? fk_table_of(l, 0) : 0;
	struct nctl_list *pos, *a;
	nctl_list_for_each(pos, &ns->links) {
		const struct fk_link *o = nctl_list_entry(pos, struct fk_link, node);
		if (o != l && (!any_link || (l && fk_table_of(o, 0) != domain)))
			continue;
		nctl_list_for_each(a, &o->addrs6)
			if (memcmp(nctl_list_entry(a, struct fk_addr, node)->local, addr, 16) == 0)
				return true;
	}
	return false;
}

/* addrconf_add_mroute() */
void fk_fib6_multicast(struct fk_link *l)
{
	static const uint8_t all[16] = {0xff};
	if (!(l->flags & IFF_LOOPBACK) && l->kind != &fk_kind_vrf)
		fk_kernel_route(l, all, 8, RTN_MULTICAST, RT_TABLE_LOCAL, FK_PRIO_ADDRCONF);
}

/* addrconf_prefix_route() */
static void fk_add_prefix(const struct fk_addr *a, const uint8_t *addr, unsigned len)
{
	fk_kernel_route(
		a->link, addr, len, RTN_UNICAST, RT_TABLE_MAIN, a->metric ? a->metric : FK_PRIO_ADDRCONF);
}

void fk_fib6_prefix(const struct fk_addr *a)
{
	fk_add_prefix(a, a->local, a->len);
}

static bool fk_has_peer(const struct fk_addr *a)
{
	return memcmp(a->local, a->peer, 16) != 0;
}

/* RTM_NEWADDR in __ipv6_ifa_notify() */
void fk_fib6_addr(struct fk_addr *a)
{
	fk_kernel_route(a->link, a->local, 128, RTN_LOCAL, RT_TABLE_LOCAL, 0);
	if (fk_has_peer(a))
		fk_add_prefix(a, a->peer, 128);
}

/* addrconf_get_prefix_route(); NULL: none. */
static struct fk_route *fk_prefix_route(const struct fk_addr *a, const uint8_t *addr, unsigned len)
{
	struct fk_route key = {
		.family = AF_INET6, .len = (uint8_t)len, .table = fk_table_of(a->link, RT_TABLE_MAIN)};
	memcpy(key.dst, addr, 16);
	fk_prefix_mask(key.dst, key.len, 16);
	for (struct fk_route *r = fk_route_first(a->link->ns, &key); r; r = fk_route_next(a->link->ns, r))
		if (!r->nh && r->hops[0].oif == a->link->ifindex && !r->hops[0].via_family)
			return r;
	return NULL;
}

static void fk_remove_prefix(const struct fk_addr *a, const uint8_t *addr, unsigned len)
{
	struct fk_route *r = fk_prefix_route(a, addr, len);
	if (r)
		fk_fib6_remove(a->link->ns, r, true);
}

/* cleanup_prefix_route() of a peer about to be replaced: of the address's length, whatever else uses it. */
void fk_fib6_peer_gone(const struct fk_addr *a)
{
	if (fk_has_peer(a))
		fk_remove_prefix(a, a->peer, a->len);
}

/* check_cleanup_prefix_route() */
static bool fk_prefix_is_used(const struct fk_addr *a)
{
	struct nctl_list *pos;
	nctl_list_for_each(pos, &a->link->addrs6) {
		const struct fk_addr *o = nctl_list_entry(pos, struct fk_addr, node);
		if (o != a && o->len == a->len && fk_prefix_has(a->local, a->len, o->local) &&
			o->flags & (IFA_F_PERMANENT | IFA_F_NOPREFIXROUTE))
			return true;
	}
	return false;
}

/* rt6_remove_prefsrc(): since 6.6 whatever the link, as long as no other one has the address. */
static void fk_remove_prefsrc(const struct fk_addr *a)
{
	struct fk_netns *ns = a->link->ns;
	bool local = a->local[0] == 0xfe && (a->local[1] & 0xc0) == 0x80;
	struct nctl_list *pos;
	nctl_list_for_each(pos, &ns->routes6) {
		struct fk_route *r = nctl_list_entry(pos, struct fk_route, node);
		if (!r->has_prefsrc || r->nh || memcmp(r->prefsrc, a->local, 16) != 0)
			continue;
		const struct fk_link *l = fk_link_by_index(ns, r->hops[0].oif);
		if (ns->f->version < 6006 ? l == a->link : !fk_fib6_has_addr(ns, a->local, l, !local)) {
			r->has_prefsrc = false;
			memset(r->prefsrc, 0, sizeof r->prefsrc);
		}
	}
}

/* RTM_DELADDR in __ipv6_ifa_notify(), and ipv6_del_addr() around it unless the link went down. a is in no
 * list any more. */
void fk_fib6_addr_gone(struct fk_addr *a, bool down)
{
	struct fk_route key = {.family = AF_INET6, .len = 128, .table = fk_table_of(a->link, RT_TABLE_LOCAL)};
	struct fk_netns *ns = a->link->ns;
	memcpy(key.dst, a->local, 16);
	if (fk_has_peer(a))
		fk_remove_prefix(a, a->peer, 128);
	for (struct fk_route *r = fk_route_first(ns, &key), *next; r; r = next) {
		next = fk_route_next(ns, r);
		if (r->type == RTN_LOCAL && r->protocol == RTPROT_KERNEL && r->metric == 0 && !r->nh &&
			r->hops[0].oif == a->link->ifindex)
			fk_fib6_remove(ns, r, true);
	}
	if (down)
		return;
	bool cleans = a->flags & IFA_F_PERMANENT && !(a->flags & IFA_F_NOPREFIXROUTE);
	if (cleans && !fk_prefix_is_used(a))
		fk_remove_prefix(a, a->local, a->len);
	fk_remove_prefsrc(a);
}

static void fk_modify_prefix(const struct fk_addr *a, bool had, const uint8_t *addr)
{
	struct fk_route *r = had ? fk_prefix_route(a, addr, a->len) : NULL;
	uint32_t metric = a->metric ? a->metric : FK_PRIO_ADDRCONF;
	if (r && r->metric == metric)
		return;
	if (r)
		fk_fib6_remove(a->link->ns, r, true);
	fk_add_prefix(a, addr, a->len);
}

/* The end of inet6_addr_modify(). */
void fk_fib6_modified(struct fk_addr *a, bool had_prefix)
{
	if (!(a->flags & IFA_F_NOPREFIXROUTE)) {
		fk_modify_prefix(a, had_prefix, a->local);
		if (fk_has_peer(a))
			fk_modify_prefix(a, had_prefix, a->peer);
	} else if (had_prefix && !fk_prefix_is_used(a)) {
		fk_remove_prefix(a, a->local, a->len);
	}
}

/* addrconf_permanent_addr() */
void fk_fib6_permanent(struct fk_link *l)
{
	struct nctl_list *pos;
	nctl_list_for_each(pos, &l->addrs6) {
		struct fk_addr *a = nctl_list_entry(pos, struct fk_addr, node);
		if (a->flags & IFA_F_PERMANENT && !(a->flags & IFA_F_NOPREFIXROUTE))
			fk_fib6_prefix(a);
	}
}

/* rt6_mtu_change() */
void fk_fib6_mtu(struct fk_link *l)
{
	struct nctl_list *pos;
	nctl_list_for_each(pos, &l->ns->routes6) {
		struct fk_route *r = nctl_list_entry(pos, struct fk_route, node);
		struct nlattr *a = (void *)r->metrics;
		if (r->nh || r->hops[0].oif != l->ifindex)
			continue;
		for (size_t off = 0; off < r->metrics_len; off += NLA_ALIGN(a->nla_len)) {
			a = (void *)(r->metrics + off);
			if (a->nla_type != RTAX_MTU)
				continue;
			uint32_t mtu = fk_u32(a);
			if (mtu >= l->mtu || mtu == l->mtu6)
				memcpy((uint8_t *)a + NLA_HDRLEN, &l->mtu, sizeof l->mtu);
		}
	}
	l->mtu6 = l->mtu;
}

/* rt6_sync_up() */
void fk_fib6_sync_up(struct fk_link *l, bool dead)
{
	uint8_t flags = dead ? RTNH_F_DEAD : RTNH_F_LINKDOWN;
	struct nctl_list *pos;
	if (dead && l->carrier)
		flags |= RTNH_F_LINKDOWN;
	nctl_list_for_each(pos, &l->ns->routes6) {
		struct fk_route *r = nctl_list_entry(pos, struct fk_route, node);
		if (!r->nh && r->hops[0].oif == l->ifindex)
			r->hops[0].flags &= (uint8_t)~flags;
	}
}

/* Of the siblings of r: how many there are, how many would be dead without the link. */
static void fk_count_siblings(
	const struct fk_route *r, const struct fk_link *l, unsigned *ret, unsigned *ret_dead)
{
	struct fk_netns *ns = l->ns;
	*ret = *ret_dead = 0;
	for (struct fk_route *s = fk_route_first(ns, r); s; s = fk_route_next(ns, s)) {
		if (!fk_fib6_siblings(s, r))
			continue;
		++*ret;
		*ret_dead += s->hops[0].oif == l->ifindex || s->hops[0].flags & RTNH_F_DEAD;
	}
}

/* fib6_ifdown(). True: r goes. */
static bool fk_ifdown(struct fk_route *r, struct fk_link *l, enum fk_event ev)
{
	bool here = r->hops[0].oif == l->ifindex;
	unsigned n, dead;
	if (r->nh)
		return false;
	if (ev == FK_UNREGISTER)
		return here;
	if (ev == FK_CHANGE) {
		if (here && r->type != RTN_LOCAL && r->type != RTN_ANYCAST)
			r->hops[0].flags |= RTNH_F_LINKDOWN;
		return false;
	}
	if (r->flush)
		return true;
	fk_count_siblings(r, l, &n, &dead);
	if (n <= 1)
		return here;
	if (dead == n) {
		for (struct fk_route *s = fk_route_first(l->ns, r); s; s = fk_route_next(l->ns, s))
			s->flush |= fk_fib6_siblings(s, r);
		return true;
	}
	if (here)
		r->hops[0].flags |= FK_F_STATE;
	return false;
}

/* rt6_sync_down_dev(). FK_CHANGE: no carrier. */
void fk_fib6_sync_down(struct fk_link *l, enum fk_event ev)
{
	struct nctl_list *pos, *tmp;
	nctl_list_for_each_safe(pos, tmp, &l->ns->routes6) {
		struct fk_route *r = nctl_list_entry(pos, struct fk_route, node);
		if (fk_ifdown(r, l, ev))
			fk_fib6_remove(l->ns, r, true);
	}
}
