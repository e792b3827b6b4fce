/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the IPv4 routes that the kernel makes of addresses, and what it does to all routes when addresses and
 * links change (net/ipv4/fib_frontend.c, fib_semantics.c). Most of it happens without a word.
 */

#include <stdlib.h>
#include <string.h>

#include "fake/fib.h"

static void fk_mask4(const struct fk_addr *a, uint8_t any[static 4], uint8_t brd[static 4])
{
	memcpy(any, a->peer, 4);
	fk_prefix_mask(any, a->len, 4);
	for (unsigned i = 0; i < 4; i++) {
		unsigned keep = a->len > i * 8 ? nctl_min(a->len - i * 8, 8u) : 0;
		brd[i] = (uint8_t)(a->peer[i] | (0xff >> keep));
	}
}

/* fib_magic() */
static void fk_magic(
	bool add, uint8_t type, const uint8_t *dst, unsigned len, const struct fk_addr *prim, uint32_t metric)
{
	struct fk_netns *ns = prim->link->ns;
	struct fk_req rq = {.f = ns->f, .ns = ns, .target = ns};
	struct fk_route_req q = {
		.kernel = true,
		.flags = NLM_F_CREATE | NLM_F_APPEND,
		.r = {.family = AF_INET,
			.len = (uint8_t)len,
			.type = type,
			.scope = type == RTN_LOCAL ? RT_SCOPE_HOST : RT_SCOPE_LINK,
			.protocol = RTPROT_KERNEL,
			.metric = metric,
			.has_prefsrc = true,
			.n_hops = 1,
			.table = fk_table_of(prim->link, type == RTN_UNICAST ? RT_TABLE_MAIN : RT_TABLE_LOCAL)},
	};
	memcpy(q.r.dst, dst, 4);
	memcpy(q.r.prefsrc, prim->local, 4);
	q.r.hops[0].oif = prim->link->ifindex;
	if (add)
		fk_fib4_insert(&rq, ns, &q);
	else
		fk_fib4_delete(&rq, ns, &q);
}

/* inet_ifa_byprefix(): a itself is a primary if nothing else is. */
static struct fk_addr *fk_primary(struct fk_addr *a)
{
	struct nctl_list *pos;
	if (!(a->flags & IFA_F_SECONDARY))
		return a;
	nctl_list_for_each(pos, &a->link->addrs4) {
		struct fk_addr *p = nctl_list_entry(pos, struct fk_addr, node);
		if (p->len == a->len && fk_prefix_has(p->peer, p->len, a->peer))
			return p;
	}
	return NULL;
}

static bool fk_has_subnet(const struct fk_addr *a, const uint8_t *any)
{
	return any[0] != 0 && !(a->flags & IFA_F_SECONDARY) && (memcmp(any, a->local, 4) != 0 || a->len < 32);
}

static uint8_t fk_subnet_type(const struct fk_addr *a)
{
	return a->link->flags & IFF_LOOPBACK ? RTN_LOCAL : RTN_UNICAST;
}

/* fib_add_ifaddr() */
static void fk_add_ifaddr(struct fk_addr *a)
{
	static const uint8_t ones[4] = {255, 255, 255, 255};
	struct fk_addr *prim = fk_primary(a);
	uint8_t any[4], brd[4];
	if (!prim)
		return;
	fk_mask4(a, any, brd);
	fk_magic(true, RTN_LOCAL, a->local, 32, prim, 0);
	if (!(a->link->flags & IFF_UP))
		return;
	if (a->has_brd && memcmp(a->brd, ones, 4) != 0)
		fk_magic(true, RTN_BROADCAST, a->brd, 32, prim, 0);
	if (!fk_has_subnet(a, any))
		return;
	if (!(a->flags & IFA_F_NOPREFIXROUTE))
		fk_magic(true, fk_subnet_type(a), any, a->len, prim, a->metric);
	if (a->len < 31)
		fk_magic(true, RTN_BROADCAST, brd, 32, prim, 0);
}

enum { FK_LOCAL_OK = 1, FK_BRD_OK = 2, FK_BRD0_OK = 4, FK_BRD1_OK = 8 };

/* What of the routes of a is also o's, whose primary has the same address as a's. */
static unsigned fk_shared(const struct fk_addr *a, const struct fk_addr *o, bool primary)
{
	uint8_t any[4], brd[4], any1[4], brd1[4];
	unsigned ok = 0;
	fk_mask4(a, any, brd);
	fk_mask4(o, any1, brd1);
	ok |= memcmp(a->local, o->local, 4) == 0 ? FK_LOCAL_OK : 0;
	ok |= memcmp(a->brd, o->brd, 4) == 0 ? FK_BRD_OK : 0;
	ok |= memcmp(brd, o->brd, 4) == 0 ? FK_BRD1_OK : 0;
	ok |= memcmp(any, o->brd, 4) == 0 ? FK_BRD0_OK : 0;
	if (!primary || o->len >= 31 || any1[0] == 0)
		return ok;
	ok |= memcmp(a->brd, brd1, 4) == 0 || memcmp(a->brd, any1, 4) == 0 ? FK_BRD_OK : 0;
	ok |= memcmp(brd, brd1, 4) == 0 || memcmp(brd, any1, 4) == 0 ? FK_BRD1_OK : 0;
	ok |= memcmp(any, brd1, 4) == 0 || memcmp(any, any1, 4) == 0 ? FK_BRD0_OK : 0;
	return ok;
}

/* The scan of fib_del_ifaddr(); a is in no list any more. */
static unsigned fk_still_used(const struct fk_addr *a, const struct fk_addr *prim)
{
	struct fk_addr *prim1 = NULL;
	struct nctl_list *pos;
	unsigned ok = 0;
	bool same_prefsrc = false;
	nctl_list_for_each(pos, &a->link->addrs4) {
		struct fk_addr *o = nctl_list_entry(pos, struct fk_addr, node);
		if (o->flags & IFA_F_SECONDARY) {
			if (o->len == prim->len && fk_prefix_has(prim->peer, prim->len, o->peer)) {
				prim1 = (struct fk_addr *)prim;
			} else {
				if (!same_prefsrc)
					continue;
				if (!prim1 || o->len != prim1->len ||
					!fk_prefix_has(prim1->peer, prim1->len, o->peer))
					prim1 = fk_primary(o);
				if (!prim1 || memcmp(prim1->local, prim->local, 4) != 0)
					continue;
			}
		} else {
			if (memcmp(prim->local, o->local, 4) != 0)
				continue;
			prim1 = o;
			if (prim != prim1)
				same_prefsrc = true;
		}
		ok |= fk_shared(a, o, prim1 == o);
	}
	return ok;
}

/* fib_sync_down_addr(): only in the table of the link. */
static bool fk_sync_down_addr(const struct fk_addr *a)
{
	uint32_t table = fk_table_of(a->link, RT_TABLE_MAIN);
	struct nctl_list *pos;
	bool any = false;
	nctl_list_for_each(pos, &a->link->ns->routes4) {
		struct fk_route *r = nctl_list_entry(pos, struct fk_route, node);
		if (r->table != table || !r->has_prefsrc || memcmp(r->prefsrc, a->local, 4) != 0)
			continue;
		r->flags |= RTNH_F_DEAD;
		r->prefsrc_gone = any = true;
	}
	return any;
}

/* fib_del_ifaddr() */
static void fk_del_ifaddr(struct fk_addr *a)
{
	struct fk_addr *prim = fk_primary(a);
	struct fk_netns *ns = a->link->ns;
	uint8_t any[4], brd[4];
	if (!prim)
		return;
	fk_mask4(a, any, brd);
	bool subnet = fk_has_subnet(a, any);
	if (subnet && !(a->flags & IFA_F_NOPREFIXROUTE))
		fk_magic(false, fk_subnet_type(a), any, a->len, prim, 0);
	unsigned ok = fk_still_used(a, prim);
	if (!(ok & FK_BRD_OK))
		fk_magic(false, RTN_BROADCAST, a->brd, 32, prim, 0);
	if (subnet && a->len < 31) {
		if (!(ok & FK_BRD1_OK))
			fk_magic(false, RTN_BROADCAST, brd, 32, prim, 0);
		if (!(ok & FK_BRD0_OK))
			fk_magic(false, RTN_BROADCAST, any, 32, prim, 0);
	}
	if (ok & FK_LOCAL_OK)
		return;
	fk_magic(false, RTN_LOCAL, a->local, 32, prim, 0);
	uint32_t table = fk_table_of(a->link, RT_TABLE_LOCAL);
	if (fk_fib4_addr_type(ns, a->local, table) != RTN_LOCAL && fk_sync_down_addr(a))
		fk_fib4_flush(ns);
}

/* fib_sync_down_dev() for one route. */
static void fk_route_down(struct fk_route *r, int ifindex, enum fk_event ev, bool force)
{
	unsigned dead = 0;
	bool uses = false;
	for (unsigned i = 0; i < r->n_hops; i++)
		uses |= r->hops[i].oif == ifindex;
	if (!uses)
		return;
	for (unsigned i = 0; i < r->n_hops; i++) {
		struct fk_hop *h = &r->hops[i];
		if (h->flags & RTNH_F_DEAD) {
			dead++;
		} else if (h->oif == ifindex && (force || h->scope != RT_SCOPE_NOWHERE)) {
			h->flags |= ev == FK_CHANGE ? RTNH_F_LINKDOWN : FK_F_STATE;
			dead++;
		}
		if (ev == FK_UNREGISTER && h->oif == ifindex) {
			dead = r->n_hops;
			break;
		}
	}
	if (dead == r->n_hops)
		r->flags |= ev == FK_CHANGE ? RTNH_F_LINKDOWN : FK_F_STATE;
}

static void fk_sync_down_dev(struct fk_link *l, enum fk_event ev, bool force)
{
	struct nctl_list *pos;
	nctl_list_for_each(pos, &l->ns->routes4)
		fk_route_down(nctl_list_entry(pos, struct fk_route, node), l->ifindex, ev, force);
}

/* fib_disable_ip() */
static void fk_disable_ip(struct fk_link *l, enum fk_event ev, bool force)
{
	fk_sync_down_dev(l, ev, force);
	fk_fib4_flush(l->ns);
}

/* fib_sync_up() */
static void fk_sync_up(struct fk_link *l, uint8_t flags)
{
	struct nctl_list *pos;
	if (!(l->flags & IFF_UP))
		return;
	if (flags & RTNH_F_DEAD && fk_link_flags(l) & (IFF_RUNNING | (unsigned)IFF_LOWER_UP))
		flags |= RTNH_F_LINKDOWN;
	nctl_list_for_each(pos, &l->ns->routes4) {
		struct fk_route *r = nctl_list_entry(pos, struct fk_route, node);
		unsigned alive = 0;
		bool uses = false;
		for (unsigned i = 0; i < r->n_hops; i++)
			uses |= r->hops[i].oif == l->ifindex;
		for (unsigned i = 0; uses && i < r->n_hops; i++) {
			struct fk_hop *h = &r->hops[i];
			if (h->flags & flags && (h->oif != l->ifindex || !l->has_inet4))
				continue;
			alive++;
			if (h->oif == l->ifindex)
				h->flags &= (uint8_t)~flags;
		}
		if (alive)
			r->flags &= ~(uint32_t)flags;
	}
}

void fk_fib4_event(struct nctl_fake *f, struct fk_link *l, enum fk_event ev)
{
	struct nctl_list *pos;
	(void)f;
	if (ev == FK_UNREGISTER) {
		fk_disable_ip(l, ev, true);
		return;
	}
	if (!l->has_inet4)
		return;
	if (ev == FK_UP) {
		nctl_list_for_each(pos, &l->addrs4)
			fk_add_ifaddr(nctl_list_entry(pos, struct fk_addr, node));
		fk_sync_up(l, RTNH_F_DEAD);
	} else if (ev == FK_DOWN) {
		fk_disable_ip(l, ev, false);
	} else if (ev == FK_CHANGE) {
		if (fk_link_flags(l) & (IFF_RUNNING | (unsigned)IFF_LOWER_UP))
			fk_sync_up(l, RTNH_F_LINKDOWN);
		else
			fk_sync_down_dev(l, ev, false);
	}
}

/* A port joined or left a VRF. */
void fk_fib4_vrf_moved(struct fk_link *l)
{
	if (l->has_inet4)
		fk_disable_ip(l, FK_DOWN, true);
}

/* fib_inetaddr_event() */
void fk_fib4_addr(struct fk_addr *a, bool added)
{
	if (added) {
		fk_add_ifaddr(a);
		fk_sync_up(a->link, RTNH_F_DEAD);
		return;
	}
	fk_del_ifaddr(a);
	if (nctl_list_empty(&a->link->addrs4))
		fk_disable_ip(a->link, FK_DOWN, true);
}

/* fib_modify_prefix_metric() */
void fk_fib4_metric(struct fk_addr *a, uint32_t metric)
{
	uint8_t any[4], brd[4];
	fk_mask4(a, any, brd);
	if (!(a->link->flags & IFF_UP) || a->flags & IFA_F_NOPREFIXROUTE || !fk_has_subnet(a, any))
		return;
	fk_magic(true, fk_subnet_type(a), any, a->len, a, metric);
	fk_magic(false, fk_subnet_type(a), any, a->len, a, a->metric);
}
