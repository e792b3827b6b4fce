/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: which routes are the same to the kernel, in what order it keeps those of one prefix, and what a set of
 * attributes is made of.
 *
 * IPv4 (net/ipv4/fib_trie.c fib_find_alias, fib_table_insert): at a prefix by descending tos, then ascending
 * metric; among equals by history. There are no two with equal key, type and fib_info
 * (net/ipv4/fib_semantics.c fib_find_info), which the state of links is no part of.
 *
 * IPv6 (net/ipv6/ip6_fib.c fib6_add_rt2node): by ascending metric. Routes through gateways of one metric are
 * siblings, one multipath route (rt6_qualify_for_ecmp), but for those by router advertisements; of all others
 * there is one for each device, gateway and encapsulation, or next-hop object (rt6_duplicate_nexthop).
 */
#include "mirror/parts.h"

#include <string.h>
#include <linux/rtnetlink.h>

bool nctl_route_is_ecmp(const struct nctl_route *r)
{
	return r->dst.family == AF_INET6 && !r->nhid && r->n_hops > 0 && r->hops[0].via.family != AF_UNSPEC &&
	       (r->multipath || r->protocol != RTPROT_RA);
}

static bool hops_equal(const struct nctl_route *a, const struct nctl_route *b, bool with_state)
{
	if (a->n_hops != b->n_hops)
		return false;
	for (uint32_t i = 0; i < a->n_hops; i++)
		if (!nctl_hop_equal(&a->hops[i], &b->hops[i], with_state))
			return false;
	return true;
}

static bool same4(const struct nctl_route *a, const struct nctl_route *b)
{
	if (a->protocol != b->protocol || a->scope != b->scope || a->nhid != b->nhid ||
		!nctl_prefix_equal(&a->prefsrc, &b->prefsrc) || !nctl_bytes_equal(a->metrics, b->metrics))
		return false;
	/* The hops of an object may be others by now, or not be told (sysctl nexthop_compat_mode), and one that
	 * is a blackhole makes the route show as one. */
	return a->nhid || (a->type == b->type && hops_equal(a, b, false) && a->realms == b->realms &&
				  !((a->flags ^ b->flags) & ~NCTL_ROUTE_STATE_FLAGS));
}

static bool has_hop(const struct nctl_route *r, const struct nctl_hop *h)
{
	for (uint32_t i = 0; i < r->n_hops; i++)
		if (nctl_hop_same(&r->hops[i], h))
			return true;
	return false;
}

static bool same6(const struct nctl_route *a, const struct nctl_route *b)
{
	if (a->nhid || b->nhid)
		return a->nhid == b->nhid;
	if (nctl_route_is_ecmp(a) && nctl_route_is_ecmp(b))
		return true;
	if (a->n_hops == 0 || b->n_hops == 0)
		return a->n_hops == b->n_hops;
	return has_hop(a, &b->hops[0]) || has_hop(b, &a->hops[0]);
}

bool nctl_route_same(const struct nctl_route *a, const struct nctl_route *b)
{
	return a->dst.family == AF_INET ? same4(a, b) : same6(a, b);
}

int nctl_key_cmp(const struct nctl_key *a, const struct nctl_key *b)
{
	if (a->src.family != b->src.family || a->src.family != AF_UNSPEC) {
		int c = nctl_prefix_cmp(&a->src, &b->src);

		if (c)
			return c;
	}
	if (a->tos != b->tos)
		return a->tos > b->tos ? -1 : 1;
	return (a->metric > b->metric) - (a->metric < b->metric);
}

struct hop_key {
	uint32_t oif, realms;
	uint16_t weight, encap_type;
	uint8_t flags, family, zero[2];
	uint8_t via[16];
};

/* Of what tells hops apart everywhere; with more, of all that it is. */
static uint64_t hash_hop(const struct nctl_hop *h, bool identity, bool state)
{
	struct hop_key k = {.oif = h->oif, .encap_type = h->encap_type, .family = h->via.family};
	uint64_t hash;

	if (!identity) {
		k.realms = h->realms;
		k.weight = h->weight;
		k.flags = (uint8_t)(h->flags & ~(state ? 0 : NCTL_HOP_STATE));
	}
	memcpy(k.via, h->via.addr, sizeof(k.via));
	hash = nctl_hash_bytes(&k, sizeof(k));
	if (h->encap.n)
		hash = nctl_hash_u64(hash ^ nctl_hash_bytes(h->encap.p, h->encap.n));
	if (h->rest.n && !identity)
		hash = nctl_hash_u64(hash + nctl_hash_bytes(h->rest.p, h->rest.n));
	return hash;
}

struct route_key {
	uint32_t table, flags, nhid, realms, iif, mark, error, n_hops;
	uint8_t protocol, scope, type, pref, bits, tos, prefsrc, zero;
	uint8_t addr[16];
};

static uint64_t hash_route(const struct nctl_route *r, bool state)
{
	bool hops = state || !r->nhid;
	struct route_key k = {.nhid = r->nhid, .protocol = r->protocol, .scope = r->scope};
	uint64_t hash;

	k.prefsrc = r->prefsrc.family;
	memcpy(k.addr, r->prefsrc.addr, sizeof(k.addr));
	if (hops) {
		k.flags = r->flags & ~(state ? 0 : NCTL_ROUTE_STATE_FLAGS);
		k.type = r->type;
		k.realms = r->realms;
		k.n_hops = r->n_hops;
	}
	if (state) {
		k.table = r->table;
		k.iif = r->iif;
		k.mark = r->mark;
		k.error = r->error;
		k.pref = r->pref;
		k.tos = r->tos;
		k.bits = (uint8_t)(r->has_pref | r->multipath << 1 | r->has_cacheinfo << 2 |
				   (r->dst.family == AF_INET6) << 3);
	}
	hash = nctl_hash_bytes(&k, sizeof(k) - (r->prefsrc.family == AF_INET6 ? 0 : 12));
	for (uint32_t i = 0; hops && i < r->n_hops; i++)
		hash = nctl_hash_u64(hash + hash_hop(&r->hops[i], false, state));
	if (r->metrics.n)
		hash = nctl_hash_u64(hash ^ nctl_hash_bytes(r->metrics.p, r->metrics.n));
	return hash;
}

uint64_t nctl_hop_ident(const struct nctl_hop *h)
{
	return hash_hop(h, true, false);
}

uint64_t nctl_route_ident(const struct nctl_route *r)
{
	if (r->dst.family == AF_INET)
		return hash_route(r, false);
	if (r->nhid)
		return nctl_hash_u64(r->nhid);
	if (nctl_route_is_ecmp(r) || r->n_hops == 0)
		return r->n_hops > 0;
	return nctl_hop_ident(&r->hops[0]);
}

uint64_t nctl_route_content_hash(const struct nctl_route *r)
{
	uint64_t hash = hash_route(r, true);

	if (r->rest.n)
		hash = nctl_hash_u64(hash + nctl_hash_bytes(r->rest.p, r->rest.n));
	if (r->src.family != AF_UNSPEC)
		hash ^= nctl_prefix_hash(&r->src);
	return hash;
}

bool nctl_route_content_equal(const struct nctl_route *a, const struct nctl_route *b)
{
	return a->dst.family == b->dst.family && a->table == b->table && a->tos == b->tos &&
	       a->protocol == b->protocol && a->scope == b->scope && a->type == b->type &&
	       a->pref == b->pref && a->has_pref == b->has_pref && a->flags == b->flags &&
	       a->nhid == b->nhid && a->realms == b->realms && a->iif == b->iif && a->mark == b->mark &&
	       a->multipath == b->multipath && a->has_cacheinfo == b->has_cacheinfo && a->error == b->error &&
	       memcmp(&a->prefsrc, &b->prefsrc, sizeof(a->prefsrc)) == 0 &&
	       memcmp(&a->src, &b->src, sizeof(a->src)) == 0 && nctl_bytes_equal(a->metrics, b->metrics) &&
	       nctl_bytes_equal(a->rest, b->rest) && hops_equal(a, b, true);
}

uint64_t nctl_route_tomb(const struct nctl_route *r)
{
	uint64_t ident = nctl_route_ident(r);

	ident = nctl_hash_u64(ident + ((uint64_t)r->table << 32 | r->metric));
	return nctl_hash_u64(ident ^ nctl_prefix_hash(&r->dst) ^ (uint64_t)r->tos << 56);
}
