/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: IPv6 addresses as net/ipv6/addrconf.c keeps them: a link-local address by EUI-64 and ::1 when the link
 * becomes ready, all addresses gone when it goes down or its MTU falls below 1280, tentative until duplicate
 * address detection is over (at once unless nctl_fake_set_dad asked for it). No router advertisements, no
 * temporary addresses, no timers.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fake/core.h"
#include "fake/fib.h"
#include "fake/wire.h"

enum { FK_IPV6_MIN_MTU = 1280, FK_SCOPE_HOST = 254, FK_SCOPE_LINK = 253, FK_SCOPE_SITE = 200 };
enum { FK_PROTO_LO = 1, FK_PROTO_LL = 3 }; /* IFAPROT_KERNEL_LO, IFAPROT_KERNEL_LL of linux/if_addr.h */

static const uint8_t fk_loopback6[16] = {[15] = 1};

static struct fk_addr *fk_addr6(struct nctl_list *pos)
{
	return nctl_list_entry(pos, struct fk_addr, node);
}

static uint8_t fk_scope6(const uint8_t *addr)
{
	if (memcmp(addr, fk_loopback6, 16) == 0)
		return FK_SCOPE_HOST;
	if (addr[0] == 0xfe && (addr[1] & 0xc0) == 0x80)
		return FK_SCOPE_LINK;
	if (addr[0] == 0xfe && (addr[1] & 0xc0) == 0xc0)
		return FK_SCOPE_SITE;
	return RT_SCOPE_UNIVERSE;
}

static struct fk_addr *fk_addr6_find(struct fk_link *l, const uint8_t *addr)
{
	struct nctl_list *pos;
	nctl_list_for_each(pos, &l->addrs6)
		if (memcmp(fk_addr6(pos)->local, addr, 16) == 0)
			return fk_addr6(pos);
	return NULL;
}

/* ipv6_addr_src_scope(): ::1 is as wide as a link-local address. */
static uint8_t fk_order6(const struct fk_addr *a)
{
	return nctl_min(a->scope, (uint8_t)FK_SCOPE_LINK);
}

/* ipv6_link_dev_addr(): wider scopes first (their numbers are smaller here), younger before older. */
static void fk_addr6_link(struct fk_link *l, struct fk_addr *a)
{
	struct nctl_list *pos = l->addrs6.next;
	while (pos != &l->addrs6 && fk_order6(fk_addr6(pos)) < fk_order6(a))
		pos = pos->next;
	nctl_list_insert_before(pos, &a->node);
}

static struct fk_addr *fk_addr6_new(struct fk_link *l, const uint8_t *addr, uint8_t len, uint8_t proto)
{
	struct fk_addr *a = calloc(1, sizeof *a);
	if (!a)
		abort();
	a->link = l;
	a->family = AF_INET6;
	a->len = len;
	a->scope = fk_scope6(addr);
	a->proto = proto;
	a->flags = IFA_F_PERMANENT | IFA_F_TENTATIVE;
	a->valid = a->preferred = UINT32_MAX;
	a->dad = true;
	if (!nctl_list_linked(&l->ns->dad))
		nctl_list_add_tail(&l->ns->f->dad_spaces, &l->ns->dad);
	memcpy(a->local, addr, 16);
	memcpy(a->peer, addr, 16);
	return a;
}

static bool fk_dad_over(const struct nctl_fake *f, const struct fk_addr *a, bool complete)
{
	if (!f->dad || a->flags & IFA_F_NODAD || a->link->flags & (IFF_NOARP | IFF_LOOPBACK))
		return true;
	return complete && a->link->ready;
}

/* How many still wait. */
static unsigned fk_netns_dad(struct fk_netns *ns, bool complete)
{
	struct nctl_list *pos, *a;
	unsigned waiting = 0;
	nctl_list_for_each(pos, &ns->links) {
		struct fk_link *l = nctl_list_entry(pos, struct fk_link, node);
		nctl_list_for_each(a, &l->addrs6) {
			struct fk_addr *ifa = fk_addr6(a);
			if (!ifa->dad)
				continue;
			if (!fk_dad_over(ns->f, ifa, complete)) {
				waiting++;
				continue;
			}
			ifa->dad = false;
			ifa->flags &= ~(uint32_t)(IFA_F_TENTATIVE | IFA_F_OPTIMISTIC | IFA_F_DADFAILED);
			fk_addr_event(ns->f, ifa, RTM_NEWADDR);
			fk_fib6_addr(ifa);
		}
	}
	return waiting;
}

/* addrconf_dad_work() for all addresses that wait for it; complete: as if enough time had passed. */
void fk_inet6_dad(struct nctl_fake *f, bool complete)
{
	struct nctl_list *pos, *tmp;
	nctl_list_for_each_safe(pos, tmp, &f->dad_spaces)
		if (fk_netns_dad(nctl_list_entry(pos, struct fk_netns, dad), complete) == 0)
			nctl_list_del(pos);
}

/* down: the routes of its link have gone already. */
static void fk_addr6_remove(struct nctl_fake *f, struct fk_addr *a, bool down)
{
	nctl_list_del(&a->node);
	fk_addr_event(f, a, RTM_DELADDR);
	fk_fib6_addr_gone(a, down);
	free(a);
}

/* addrconf_ifdown() */
static void fk_inet6_down(struct nctl_fake *f, struct fk_link *l, bool unregister)
{
	struct nctl_list *pos;
	if (!l->has_inet6)
		return;
	l->ready = false;
	fk_fib6_sync_down(l, unregister ? FK_UNREGISTER : FK_DOWN);
	while ((pos = nctl_list_first(&l->addrs6)))
		fk_addr6_remove(f, fk_addr6(pos), true);
	if (unregister)
		l->has_inet6 = false;
}

static void fk_inet6_autoconf(struct nctl_fake *f, struct fk_link *l)
{
	uint8_t addr[16] = {0xfe, 0x80};
	if (l->flags & IFF_LOOPBACK) {
		if (fk_addr6_find(l, fk_loopback6))
			return;
		struct fk_addr *a = fk_addr6_new(l, fk_loopback6, 128, FK_PROTO_LO);
		a->flags = IFA_F_PERMANENT;
		a->dad = false;
		fk_addr6_link(l, a);
		fk_addr_event(f, a, RTM_NEWADDR);
		fk_fib6_addr(a);
		return;
	}
	fk_fib6_multicast(l);
	if (l->addr_gen_mode != IN6_ADDR_GEN_MODE_EUI64 || l->kind == &fk_kind_vrf)
		return;
	memcpy(addr + 8, l->addr, 3);
	addr[11] = 0xff;
	addr[12] = 0xfe;
	memcpy(addr + 13, l->addr + 3, 3);
	addr[8] ^= 2;
	if (fk_addr6_find(l, addr))
		return;
	struct fk_addr *a = fk_addr6_new(l, addr, 64, FK_PROTO_LL);
	fk_addr6_link(l, a);
	fk_fib6_prefix(a);
}

static bool fk_link_ready(const struct fk_link *l)
{
	return l->flags & IFF_UP && fk_oper_up(l) && l->carrier;
}

static void fk_inet6_new(struct fk_link *l)
{
	l->has_inet6 = true;
	l->mtu6 = l->mtu;
	l->addr_gen_mode = IN6_ADDR_GEN_MODE_EUI64;
	l->ready = fk_link_ready(l);
}

static void fk_inet6_up(struct nctl_fake *f, struct fk_link *l, enum fk_event ev)
{
	if (l->flags & IFF_SLAVE)
		return;
	if (ev == FK_UP)
		fk_fib6_permanent(l);
	if (!fk_link_ready(l)) {
		if (ev == FK_CHANGE)
			fk_fib6_sync_down(l, ev);
		return;
	}
	if (!l->has_inet6) {
		if (l->mtu < FK_IPV6_MIN_MTU)
			return;
		fk_inet6_new(l);
	} else if (l->ready) {
		if (ev == FK_CHANGE) {
			fk_fib6_sync_up(l, false);
			return;
		}
	}
	l->ready = true;
	fk_inet6_autoconf(f, l);
	fk_fib6_sync_up(l, true);
	if (l->mtu6 != l->mtu && l->mtu >= FK_IPV6_MIN_MTU)
		fk_fib6_mtu(l);
	if (l->mtu < FK_IPV6_MIN_MTU) /* changed while the link was down */
		fk_inet6_down(f, l, !(l->flags & IFF_LOOPBACK));
}

void fk_inet6_event(struct nctl_fake *f, struct fk_link *l, enum fk_event ev)
{
	switch (ev) {
	case FK_REGISTER:
		if (l->mtu >= FK_IPV6_MIN_MTU)
			fk_inet6_new(l);
		break;
	case FK_CHANGEMTU:
		if (l->mtu < FK_IPV6_MIN_MTU) {
			fk_inet6_down(f, l, !(l->flags & IFF_LOOPBACK));
		} else if (!l->has_inet6 && !l->dying) {
			fk_inet6_new(l);
			if (l->ready)
				fk_inet6_autoconf(f, l);
		} else if (l->has_inet6) {
			fk_fib6_mtu(l);
		}
		break;
	case FK_UP:
	case FK_CHANGE:
		fk_inet6_up(f, l, ev);
		break;
	case FK_DOWN:
		fk_inet6_down(f, l, false);
		break;
	case FK_UNREGISTER:
		fk_inet6_down(f, l, true);
		break;
	case FK_CHANGEUPPER: /* to or from a VRF: vrf.c */
	case FK_CHANGEADDR:
	case FK_CHANGENAME:
	case FK_CHANGEINFO:
		break;
	}
}

static int fk_addr6_lifetimes(struct fk_req *rq, const struct nlattr *ci, struct fk_addr *a)
{
	struct ifa_cacheinfo info = {.ifa_valid = UINT32_MAX, .ifa_prefered = UINT32_MAX};
	if (ci) {
		if (fk_len(ci) < sizeof info)
			return fk_refuse(rq, -ERANGE, "Attribute failed policy validation");
		memcpy(&info, fk_data(ci), sizeof info);
	}
	if (!info.ifa_valid)
		return fk_refuse(rq, -EINVAL, "address lifetime invalid");
	if (info.ifa_prefered > info.ifa_valid)
		return fk_refuse(rq, -EINVAL, "preferred lifetime greater than valid lifetime");
	a->valid = info.ifa_valid;
	a->preferred = info.ifa_prefered;
	a->flags |= a->valid == UINT32_MAX ? IFA_F_PERMANENT : 0;
	a->flags |= a->preferred == 0 ? IFA_F_DEPRECATED : 0;
	return 0;
}

static int fk_addr6_check(struct fk_req *rq, const struct fk_link *l, const uint8_t *addr)
{
	static const uint8_t any[16];
	bool loopback = memcmp(addr, fk_loopback6, 16) == 0;
	if (!l->has_inet6)
		return l->mtu < FK_IPV6_MIN_MTU ? -EINVAL : -ENOBUFS;
	if (memcmp(addr, any, 16) == 0 || addr[0] == 0xff)
		return fk_refuse(rq, -EADDRNOTAVAIL, "Cannot assign this address");
	if (loopback && !(l->flags & IFF_LOOPBACK) && l->kind != &fk_kind_vrf)
		return fk_refuse(rq, -EADDRNOTAVAIL, "Cannot assign loopback address on this device");
	return 0;
}

static int fk_addr6_modify(struct fk_req *rq, struct fk_addr *old, struct fk_addr *a)
{
	const uint32_t set =
		IFA_F_PERMANENT | IFA_F_DEPRECATED | IFA_F_NODAD | IFA_F_HOMEADDRESS | IFA_F_NOPREFIXROUTE;
	uint16_t flags = rq->nlh->nlmsg_flags;
	bool replace = flags & NLM_F_REPLACE && !(flags & NLM_F_EXCL);
	if (!replace)
		return fk_refuse(rq, -EEXIST, "address already assigned");
	bool had = old->flags & IFA_F_PERMANENT && !(old->flags & IFA_F_NOPREFIXROUTE);
	if (memcmp(a->peer, a->local, 16) != 0 && memcmp(a->peer, old->peer, 16) != 0) {
		fk_fib6_peer_gone(old);
		memcpy(old->peer, a->peer, 16);
	}
	old->flags = (old->flags & ~set) | (a->flags & set);
	old->valid = a->valid;
	old->preferred = a->preferred;
	old->metric = a->metric ? a->metric : old->metric;
	old->proto = a->proto;
	if (!(old->flags & IFA_F_TENTATIVE))
		fk_addr_event(rq->f, old, RTM_NEWADDR);
	fk_fib6_modified(old, had);
	return 0;
}

static int fk_addr6_add(struct fk_req *rq, const struct nlattr **tb, struct fk_link *l, const uint8_t *local,
	const uint8_t *peer)
{
	const uint32_t user = IFA_F_NODAD | IFA_F_HOMEADDRESS | IFA_F_NOPREFIXROUTE;
	const struct ifaddrmsg *ifa = NLMSG_DATA(rq->nlh);
	struct fk_addr *a =
		fk_addr6_new(l, local, ifa->ifa_prefixlen, tb[IFA_PROTO] ? fk_u8(tb[IFA_PROTO]) : 0);
	struct fk_addr *old = fk_addr6_find(l, local);
	uint32_t flags = tb[IFA_FLAGS] ? fk_u32(tb[IFA_FLAGS]) : ifa->ifa_flags;
	a->flags = (flags & user) | (flags & IFA_F_NODAD && !old ? 0 : IFA_F_TENTATIVE);
	a->metric = tb[IFA_RT_PRIORITY] ? fk_u32(tb[IFA_RT_PRIORITY]) : 0;
	memcpy(a->peer, peer, 16);
	bool replace = rq->nlh->nlmsg_flags & NLM_F_REPLACE && !(rq->nlh->nlmsg_flags & NLM_F_EXCL);
	int r = old && !replace ? 0 : fk_addr6_lifetimes(rq, tb[IFA_CACHEINFO], a);
	if (r == 0 && !old && ifa->ifa_prefixlen > 128)
		r = fk_refuse(rq, -EINVAL, "ipv6: Invalid prefix length");
	if (r == 0 && old) {
		r = fk_addr6_modify(rq, old, a);
	} else if (r == 0) {
		if (l->has_inet6)
			fk_fib6_multicast(l); /* addrconf_add_dev(), whatever comes of it */
		r = fk_addr6_check(rq, l, local);
	}
	if (r < 0 || old) {
		free(a);
		return r;
	}
	fk_addr6_link(l, a);
	if (!(a->flags & IFA_F_NOPREFIXROUTE))
		fk_fib6_prefix(a);
	if (!(a->flags & IFA_F_NODAD)) {
		fk_addr_event(rq->f, a, RTM_NEWADDR);
		fk_fib6_addr(a);
	}
	return 0;
}

static int fk_addr6_del(struct fk_req *rq, struct fk_link *l, const uint8_t *addr)
{
	const struct ifaddrmsg *ifa = NLMSG_DATA(rq->nlh);
	if (!l->has_inet6)
		return fk_refuse(rq, -ENXIO, "IPv6 is disabled on this device");
	struct fk_addr *a = fk_addr6_find(l, addr);
	if (!a || a->len != ifa->ifa_prefixlen)
		return fk_refuse(rq, -EADDRNOTAVAIL, "address not found");
	fk_addr6_remove(rq->f, a, false);
	return 0;
}

int fk_addr6_request(struct fk_req *rq)
{
	const struct nlattr *tb[IFA_MAX + 1];
	const struct ifaddrmsg *ifa = NLMSG_DATA(rq->nlh);
	int r = fk_parse_msg(tb, IFA_MAX, rq->nlh, sizeof *ifa);
	if (r < 0)
		return r;
	for (unsigned i = IFA_ADDRESS; i <= IFA_LOCAL; i++) {
		if (tb[i] && fk_len(tb[i]) < 16) {
			rq->bad = tb[i];
			return fk_refuse(rq, -ERANGE, "Attribute failed policy validation");
		}
	}
	const struct nlattr *local = tb[IFA_LOCAL] ? tb[IFA_LOCAL] : tb[IFA_ADDRESS];
	const struct nlattr *peer = tb[IFA_ADDRESS] ? tb[IFA_ADDRESS] : local;
	if (!local)
		return -EINVAL;
	struct fk_link *l = fk_link_by_index(rq->ns, (int)ifa->ifa_index);
	struct fk_addr times = {0};
	r = rq->f->version < 6013 || rq->nlh->nlmsg_type == RTM_DELADDR
	            ? 0
	            : fk_addr6_lifetimes(rq, tb[IFA_CACHEINFO], &times);
	if (r < 0)
		return r;
	if (rq->nlh->nlmsg_type == RTM_DELADDR && ifa->ifa_prefixlen > 128)
		return fk_refuse(rq, -EINVAL, "ipv6: Invalid prefix length");
	if (!l)
		return fk_refuse(rq, -ENODEV, "Unable to find the interface");
	if (rq->nlh->nlmsg_type == RTM_DELADDR)
		return fk_addr6_del(rq, l, fk_data(local));
	return fk_addr6_add(rq, tb, l, fk_data(local), fk_data(peer));
}
