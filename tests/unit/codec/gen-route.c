/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: makes random routes, next hops, rules and neighbours as a kernel could tell them. */
#include <arpa/inet.h>
#include <endian.h>
#include <linux/fib_rules.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <string.h>

#include "gen-route.h"
#include "gen.h"

static bool coin(uint64_t *rng)
{
	return gen_next(rng) % 2;
}

static uint8_t any_family(uint64_t *rng)
{
	return coin(rng) ? AF_INET : AF_INET6;
}

/* Of 1 bit at least where some is wanted at all: length 0 is told by no attribute. */
static struct nctl_prefix any_prefix(uint8_t family, unsigned min_len, uint64_t *rng)
{
	struct nctl_prefix p = {.family = family};
	unsigned bits = nctl_prefix_bits(family);

	p.len = (uint8_t)(min_len + gen_next(rng) % (bits - min_len + 1));
	for (unsigned i = 0; i < bits / 8; i++)
		p.addr[i] = (uint8_t)gen_next(rng);
	nctl_prefix_mask(&p);
	return p;
}

static struct nctl_prefix any_address(uint8_t family, uint64_t *rng)
{
	return any_prefix(family, nctl_prefix_bits(family), rng);
}

/* Attributes with ascending types from first, as a decoder would leave them. */
static struct nctl_bytes any_attrs(struct gen_box *box, uint16_t first, uint64_t *rng)
{
	uint8_t *begin = (uint8_t *)box->bytes + box->used, *p = begin;
	struct nlattr a;

	for (uint64_t n = gen_next(rng) % 4; n > 0; n--) {
		a.nla_type = (uint16_t)(first + 4 - n);
		a.nla_len = (uint16_t)(sizeof(a) + gen_next(rng) % 20);
		memset(p, 0, NLA_ALIGN(a.nla_len));
		memcpy(p, &a, sizeof(a));
		for (size_t i = sizeof(a); i < a.nla_len; i++)
			p[i] = (uint8_t)gen_next(rng);
		p += NLA_ALIGN(a.nla_len);
	}
	box->used += (size_t)(p - begin);
	return p > begin ? (struct nctl_bytes){begin, (uint32_t)(p - begin)} : NCTL_BYTES_NULL;
}

static void any_hop(struct nctl_hop *h, uint8_t family, struct gen_box *box, uint64_t *rng)
{
	*h = (struct nctl_hop){.oif = (uint32_t)gen_next(rng) | 1, .weight = 1};
	h->flags = (uint8_t)gen_next(rng);
	if (coin(rng))
		h->via = any_address(coin(rng) ? family : AF_INET6, rng);
	if (gen_next(rng) % 4 == 0) {
		h->encap_type = (uint16_t)(1 + gen_next(rng) % 8);
		h->encap = any_attrs(box, 1, rng);
	}
}

static void any_hops(struct nctl_route *r, struct gen_box *box, uint64_t *rng)
{
	r->hops = box->hops;
	r->multipath = coin(rng);
	r->n_hops = r->multipath ? 1 + (uint32_t)gen_next(rng) % 8 : 1;
	for (uint32_t i = 0; i < r->n_hops; i++) {
		any_hop(&box->hops[i], r->dst.family, box, rng);
		if (!r->multipath)
			continue;
		box->hops[i].weight = (uint16_t)(1 + gen_next(rng) % 256);
		box->hops[i].realms = coin(rng) ? 0 : (uint32_t)gen_next(rng);
		if (gen_next(rng) % 8 == 0)
			box->hops[i].rest = any_attrs(box, 100, rng);
	}
	if (!r->multipath)
		r->flags = (r->flags & ~0xFFU) | r->hops->flags;
}

void gen_route(struct nctl_route *ret, struct gen_box *box, uint64_t *rng)
{
	struct nctl_route r = {.dst = any_prefix(any_family(rng), 0, rng)};

	box->used = 0;
	r.table = (uint32_t)gen_next(rng) >> (gen_next(rng) & 31);
	r.metric = coin(rng) ? 0 : (uint32_t)gen_next(rng);
	r.tos = (uint8_t)gen_next(rng);
	r.protocol = (uint8_t)gen_next(rng);
	r.scope = (uint8_t)gen_next(rng);
	r.type = (uint8_t)(gen_next(rng) % 12);
	r.flags = (uint32_t)gen_next(rng) & ~(uint32_t)RTM_F_CLONED;
	if (r.dst.family == AF_INET6 && gen_next(rng) % 8 == 0)
		r.src = any_prefix(AF_INET6, 1, rng);
	r.has_pref = r.dst.family == AF_INET6;
	r.pref = r.has_pref ? (uint8_t)(gen_next(rng) % 4) : 0;
	r.nhid = coin(rng) ? 0 : (uint32_t)gen_next(rng);
	if (coin(rng))
		r.prefsrc = any_address(r.dst.family, rng);
	r.realms = coin(rng) ? 0 : (uint32_t)gen_next(rng);
	r.iif = coin(rng) ? 0 : (uint32_t)gen_next(rng);
	r.mark = coin(rng) ? 0 : (uint32_t)gen_next(rng);
	r.metrics = any_attrs(box, RTAX_MTU, rng);
	r.rest = any_attrs(box, 200, rng);
	if (gen_next(rng) % 8)
		any_hops(&r, box, rng);
	*ret = r;
}

void gen_nexthop(struct nctl_nexthop *ret, struct gen_box *box, uint64_t *rng)
{
	struct nctl_nexthop n = {.id = (uint32_t)gen_next(rng) | 1, .hop = {.weight = 1}};

	box->used = 0;
	n.family = any_family(rng);
	n.scope = (uint8_t)gen_next(rng);
	n.protocol = (uint8_t)gen_next(rng);
	n.flags = (uint32_t)gen_next(rng);
	n.group = coin(rng);
	n.fdb = gen_next(rng) % 4 == 0;
	if (!n.group) {
		n.blackhole = gen_next(rng) % 4 == 0;
		any_hop(&n.hop, n.family, box, rng);
	}
	n.hop.flags = (uint8_t)n.flags;
	if (n.group) {
		n.members = box->members;
		n.n_members = 1 + (uint32_t)gen_next(rng) % 8;
		for (uint32_t i = 0; i < n.n_members; i++)
			box->members[i] = (struct nctl_nexthop_member){
				(uint32_t)gen_next(rng), (uint16_t)(1 + gen_next(rng) % UINT16_MAX)};
		n.resilient = coin(rng);
		n.group_type = n.resilient;
	}
	if (n.resilient) {
		n.buckets = (uint16_t)gen_next(rng);
		n.idle_timer = (uint32_t)gen_next(rng);
		n.unbalanced_timer = (uint32_t)gen_next(rng);
	}
	n.rest = any_attrs(box, 200, rng);
	*ret = n;
}

static void any_name(char ret[IF_NAMESIZE], uint64_t *rng)
{
	size_t n = gen_next(rng) % IF_NAMESIZE;

	for (size_t i = 0; i < n; i++)
		ret[i] = (char)('a' + gen_next(rng) % 26);
}

static void any_ranges(struct nctl_rule *r, uint64_t *rng)
{
	r->has_uids = coin(rng);
	r->has_sport = coin(rng);
	r->has_dport = coin(rng);
	if (r->has_uids) {
		r->uid_first = (uint32_t)gen_next(rng);
		r->uid_last = (uint32_t)gen_next(rng);
	}
	if (r->has_sport)
		r->sport = (struct nctl_port_range){(uint16_t)gen_next(rng), (uint16_t)gen_next(rng)};
	if (r->has_dport)
		r->dport = (struct nctl_port_range){(uint16_t)gen_next(rng), (uint16_t)gen_next(rng)};
}

void gen_rule(struct nctl_rule *ret, struct gen_box *box, uint64_t *rng)
{
	struct nctl_rule r = {.family = any_family(rng), .suppress_ifgroup = -1, .suppress_prefixlen = -1};

	box->used = 0;
	r.action = (uint8_t)(gen_next(rng) % 9);
	r.tos = (uint8_t)gen_next(rng);
	r.protocol = (uint8_t)gen_next(rng);
	r.ip_proto = (uint8_t)gen_next(rng);
	r.dscp = (uint8_t)(gen_next(rng) % 65);
	r.l3mdev = coin(rng);
	r.flags = (uint32_t)gen_next(rng);
	r.table = (uint32_t)gen_next(rng) >> (gen_next(rng) & 31);
	r.priority = (uint32_t)gen_next(rng);
	if (coin(rng))
		r.src = any_prefix(r.family, 1, rng);
	if (coin(rng))
		r.dst = any_prefix(r.family, 1, rng);
	any_name(r.iif, rng);
	any_name(r.oif, rng);
	r.has_mark = coin(rng);
	r.mark = r.has_mark ? (uint32_t)gen_next(rng) | 1 : 0;
	r.mask = r.has_mark ? (uint32_t)gen_next(rng) : 0;
	r.realms = coin(rng) ? 0 : (uint32_t)gen_next(rng);
	r.target = coin(rng) ? 0 : (uint32_t)gen_next(rng);
	r.tun_id = coin(rng) ? 0 : gen_next(rng);
	if (coin(rng))
		r.suppress_prefixlen = (int32_t)(gen_next(rng) % 129);
	if (coin(rng))
		r.suppress_ifgroup = (int32_t)(gen_next(rng) & INT32_MAX);
	any_ranges(&r, rng);
	r.rest = any_attrs(box, 200, rng);
	*ret = r;
}

static void any_fdb(struct nctl_neigh *n, struct nctl_msgbuf *msg, uint64_t *rng)
{
	n->vlan = (uint16_t)(1 + gen_next(rng) % 4094);
	n->port = (uint16_t)(1 + gen_next(rng) % 65535);
	n->vni = (uint32_t)gen_next(rng) | 1;
	n->src_vni = (uint32_t)gen_next(rng) | 1;
	n->nhid = (uint32_t)gen_next(rng) | 1;
	n->master = (uint32_t)gen_next(rng) | 1;
	n->via = (uint32_t)gen_next(rng) | 1;
	nctl_msg_put_u16(msg, NDA_VLAN, n->vlan);
	nctl_msg_put_u16(msg, NDA_PORT, htons(n->port));
	nctl_msg_put_u32(msg, NDA_VNI, n->vni);
	nctl_msg_put_u32(msg, NDA_SRC_VNI, n->src_vni);
	nctl_msg_put_u32(msg, NDA_NH_ID, n->nhid);
	nctl_msg_put_u32(msg, NDA_MASTER, n->master);
	nctl_msg_put_u32(msg, NDA_IFINDEX, n->via);
}

void gen_neigh(struct nctl_neigh *ret, struct gen_box *box, struct nctl_msgbuf *msg, uint64_t *rng)
{
	struct nctl_neigh n = {.family = gen_next(rng) % 3 ? any_family(rng) : AF_BRIDGE};
	struct nda_cacheinfo ci = {
		.ndm_used = 700, .ndm_confirmed = 299, .ndm_updated = 100, .ndm_refcnt = 3};
	struct ndmsg ndm;

	box->used = 0;
	n.flags = (uint8_t)gen_next(rng);
	n.ext_flags = (uint32_t)gen_next(rng);
	n.state = (uint16_t)gen_next(rng);
	n.ifindex = (uint32_t)gen_next(rng);
	n.dst = any_address(n.family == AF_BRIDGE ? any_family(rng) : n.family, rng);
	n.lladdr.len = (uint8_t)(gen_next(rng) % (NCTL_LLADDR_MAX + 1));
	for (unsigned i = 0; i < n.lladdr.len; i++)
		n.lladdr.b[i] = (uint8_t)gen_next(rng);
	n.protocol = (uint8_t)gen_next(rng);
	n.used = 7;
	n.confirmed = 2;
	n.updated = 1;
	n.refcnt = 3;
	n.probes = (uint32_t)gen_next(rng);
	n.rest = any_attrs(box, 200, rng);
	ndm = (struct ndmsg){.ndm_family = n.family, .ndm_ifindex = (int)n.ifindex, .ndm_state = n.state};
	ndm.ndm_flags = n.flags;
	nctl_msg_begin(msg, RTM_NEWNEIGH, 0, &ndm, sizeof(ndm));
	nctl_msg_put(msg, NDA_DST, n.dst.addr, nctl_prefix_bytes(n.dst.family));
	nctl_msg_put(msg, NDA_LLADDR, n.lladdr.b, n.lladdr.len);
	nctl_msg_put(msg, NDA_CACHEINFO, &ci, sizeof(ci));
	nctl_msg_put_u32(msg, NDA_PROBES, n.probes);
	nctl_msg_put_u8(msg, NDA_PROTOCOL, n.protocol);
	nctl_msg_put_u32(msg, NDA_FLAGS_EXT, n.ext_flags);
	if (n.family == AF_BRIDGE)
		any_fdb(&n, msg, rng);
	nctl_msg_put_raw(msg, n.rest.p, n.rest.n);
	*ret = n;
}
