/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: which address of ours a packet gets. IPv4: the first primary one of the device that is of the next
 * hop's subnet, or the first one at all (inet_select_addr). IPv6: RFC 6724 section 5 (ipv6_dev_get_saddr),
 * with the labels that Linux has by default. Among equals the kernel goes by age, which the mirror does not
 * know: here the lowest wins.
 */
#include "mirror/resolve-parts.h"

#include <linux/if_addr.h>
#include <linux/rtnetlink.h>

#include "base/cleanup.h"

/* The first primary address of a link whose scope is no narrower; one in via's subnet is better. */
static struct nctl_prefix primary_of(
	const struct nctl_mirror_link *l, const struct nctl_prefix *via, uint8_t scope, bool not_link_scope)
{
	struct nctl_prefix found = NCTL_PREFIX_NULL, subnet;
	const struct nctl_mirror_addr *a;

	for (a = nctl_mirror_addr_first(l); a; a = nctl_mirror_addr_next(a)) {
		if (a->v.local.family != AF_INET || a->v.flags & IFA_F_SECONDARY || a->v.scope > scope ||
			(not_link_scope && a->v.scope == RT_SCOPE_LINK))
			continue;
		subnet = a->v.peer.family == AF_INET ? a->v.peer : a->v.local;
		subnet.len = a->v.local.len;
		if (via->family != AF_INET || nctl_prefix_contains(&subnet, via))
			return a->v.local;
		if (found.family == AF_UNSPEC)
			found = a->v.local;
	}
	return found;
}

static struct nctl_prefix whole(struct nctl_prefix p)
{
	p.len = (uint8_t)nctl_prefix_bits(p.family);
	return p;
}

struct nctl_prefix nctl_resolve_source4(
	const struct nctl_mirror *m, nctl_ifindex oif, const struct nctl_prefix *via, uint8_t scope)
{
	const struct nctl_mirror_link *l = nctl_mirror_link_get(m, oif);
	nctl_ifindex vrf = nctl_resolve_vrf(m, oif);
	const struct nctl_prefix none = NCTL_PREFIX_NULL;
	struct nctl_prefix p = NCTL_PREFIX_NULL;

	if (l)
		p = primary_of(l, via, scope, false);
	if (p.family != AF_UNSPEC)
		return whole(p);
	/* A VRF stands in for the loopback device, which is the first of all. */
	l = vrf ? nctl_mirror_link_get(m, vrf) : NULL;
	if (l)
		p = primary_of(l, &none, scope, true);
	for (l = nctl_mirror_link_from(m, 1); l && p.family == AF_UNSPEC; l = nctl_mirror_link_next(l))
		if (nctl_resolve_vrf(m, l->v.ifindex) == vrf)
			p = primary_of(l, &none, scope, true);
	return whole(p);
}

/* Scopes of RFC 4291 section 2.7, for unicast as RFC 6724 section 3.1 counts them. */
static unsigned scope_of(const struct nctl_prefix *p)
{
	if (nctl_prefix_is_multicast(p))
		return p->addr[1] & 15;
	if (nctl_prefix_is_link_local(p) || nctl_prefix_is_loopback(p))
		return 2;
	return p->addr[0] == 0xFE && (p->addr[1] & 0xC0) == 0xC0 ? 5 : 14;
}

/* net/ipv6/addrlabel.c, the longest prefix first. */
static unsigned label_of(const struct nctl_prefix *p)
{
	static const struct {
		struct nctl_prefix prefix;
		unsigned label;
	} labels[] = {
		{{AF_INET6, 128, {[15] = 1}}, 0},
		{{AF_INET6, 96, {[10] = 0xFF, [11] = 0xFF}}, 4},
		{{AF_INET6, 96, {0}}, 3},
		{{AF_INET6, 32, {0x20, 0x01}}, 6},
		{{AF_INET6, 28, {0x20, 0x01, 0x00, 0x10}}, 7},
		{{AF_INET6, 16, {0x20, 0x02}}, 2},
		{{AF_INET6, 7, {0xFC}}, 5},
	};

	for (size_t i = 0; i < NCTL_ARRAY_SIZE(labels); i++)
		if (nctl_prefix_contains(&labels[i].prefix, p))
			return labels[i].label;
	return 1;
}

static unsigned common_bits(const struct nctl_prefix *a, const struct nctl_prefix *b, unsigned most)
{
	unsigned n = 0;

	while (n < most && !((a->addr[n / 8] ^ b->addr[n / 8]) & 0x80 >> n % 8))
		n++;
	return n;
}

/* One candidate; what is better is larger, in the order of the rules. */
struct rank {
	const struct nctl_addr *a;
	int v[7];
};

/* Rule 2: the smallest scope that is enough, else the largest. */
static int rank_scope(unsigned have, unsigned want)
{
	return have >= want ? 32 - (int)have : (int)have - 128;
}

static struct rank rank_of(const struct nctl_addr *a, nctl_ifindex oif, const struct nctl_prefix *dst)
{
	bool is_dst = common_bits(&a->local, dst, 128) == 128;
	bool preferred = !(a->flags & (IFA_F_DEPRECATED | IFA_F_OPTIMISTIC));

	return (struct rank){a, {is_dst, rank_scope(scope_of(&a->local), scope_of(dst)), preferred,
					!!(a->flags & IFA_F_HOMEADDRESS), oif == 0 || a->ifindex == oif,
					label_of(&a->local) == label_of(dst), !(a->flags & IFA_F_TEMPORARY)}};
}

static bool is_better(const struct rank *x, const struct rank *y, const struct nctl_prefix *dst)
{
	if (!y->a)
		return true;
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(x->v); i++)
		if (x->v[i] != y->v[i])
			return x->v[i] > y->v[i];
	/* Rule 8, as far as the prefix of the address goes. */
	return common_bits(&x->a->local, dst, x->a->local.len) >
	       common_bits(&y->a->local, dst, y->a->local.len);
}

static void look_at_link(
	const struct nctl_mirror_link *l, nctl_ifindex oif, const struct nctl_prefix *dst, struct rank *best)
{
	const struct nctl_mirror_addr *a;
	struct rank r;

	for (a = nctl_mirror_addr_first(l); a; a = nctl_mirror_addr_next(a)) {
		if (a->v.local.family != AF_INET6 ||
			(a->v.flags & IFA_F_TENTATIVE && !(a->v.flags & IFA_F_OPTIMISTIC)))
			continue;
		r = rank_of(&a->v, oif, dst);
		if (is_better(&r, best, dst))
			*best = r;
	}
}

static struct nctl_prefix result_of(const struct rank *best)
{
	return best->a ? whole(best->a->local) : NCTL_PREFIX_NULL;
}

struct nctl_prefix nctl_resolve_source6(
	const struct nctl_mirror *m, nctl_ifindex oif, const struct nctl_prefix *dst)
{
	nctl_ifindex vrf = nctl_resolve_vrf(m, oif);
	const struct nctl_mirror_link *l = nctl_mirror_link_get(m, oif);
	struct rank best = {0};

	if (l && (nctl_prefix_is_link_local(dst) || nctl_prefix_is_multicast(dst))) {
		look_at_link(l, oif, dst, &best);
		return result_of(&best);
	}
	/* Of a VRF first the device itself. */
	l = vrf && vrf != oif ? nctl_mirror_link_get(m, vrf) : NULL;
	if (l)
		look_at_link(l, oif, dst, &best);
	if (best.a && best.v[1] >= 0)
		return result_of(&best);
	for (l = nctl_mirror_link_from(m, 1); l; l = nctl_mirror_link_next(l))
		if (nctl_resolve_vrf(m, l->v.ifindex) == vrf)
			look_at_link(l, oif, dst, &best);
	return result_of(&best);
}
