/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: RTM_NEWNEIGH and RTM_DELNEIGH to neighbours, proxy entries and FDB entries (linux/neighbour.h,
 * net/core/neighbour.c neigh_fill_info, net/bridge/br_fdb.c fdb_fill_info, drivers/net/vxlan vxlan_fdb_info).
 * Nobody keeps them; of the way back there are requests only.
 */
#include <arpa/inet.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>

#include "codec/attrs.h"

#define USER_HZ 100 /* ticks of nda_cacheinfo a second (include/asm-generic/param.h) */

/* Of an FDB entry: where a VXLAN sends it. */
static int take_dst(const struct nlattr *a, struct nctl_neigh *n)
{
	if (n->family == AF_BRIDGE)
		return nctl_take_any_address(a, &n->dst);
	return nctl_take_address(a, n->family, &n->dst);
}

static int take_lladdr(const struct nlattr *a, struct nctl_lladdr *ret)
{
	size_t n = nctl_take_len(a);

	if (n > NCTL_LLADDR_MAX)
		return -EBADMSG;
	*ret = (struct nctl_lladdr){.len = (uint8_t)n};
	memcpy(ret->b, nctl_take_data(a), n);
	return 0;
}

static int take_cacheinfo(const struct nlattr *a, struct nctl_neigh *n)
{
	struct nda_cacheinfo ci;

	if (nctl_take_len(a) < sizeof(ci))
		return -EBADMSG;
	memcpy(&ci, nctl_take_data(a), sizeof(ci));
	n->used = ci.ndm_used / USER_HZ;
	n->confirmed = ci.ndm_confirmed / USER_HZ;
	n->updated = ci.ndm_updated / USER_HZ;
	n->refcnt = ci.ndm_refcnt;
	return 0;
}

static int take_port(const struct nlattr *a, struct nctl_neigh *n)
{
	uint16_t port;

	if (nctl_take_u16(a, &port) < 0)
		return -EBADMSG;
	n->port = ntohs(port);
	return 0;
}

static int decode_attr(const struct nlattr *a, struct nctl_unknown *unknown, struct nctl_neigh *n)
{
	switch (a->nla_type & NLA_TYPE_MASK) {
	case NDA_DST:
		return take_dst(a, n);
	case NDA_LLADDR:
		return take_lladdr(a, &n->lladdr);
	case NDA_CACHEINFO:
		return take_cacheinfo(a, n);
	case NDA_PROBES:
		return nctl_take_u32(a, &n->probes);
	case NDA_VLAN:
		return nctl_take_u16(a, &n->vlan);
	case NDA_PORT:
		return take_port(a, n);
	case NDA_VNI:
		return nctl_take_u32(a, &n->vni);
	case NDA_SRC_VNI:
		return nctl_take_u32(a, &n->src_vni);
	case NDA_IFINDEX:
		return nctl_take_u32(a, &n->via);
	case NDA_MASTER:
		return nctl_take_u32(a, &n->master);
	case NDA_PROTOCOL:
		return nctl_take_u8(a, &n->protocol);
	case NDA_NH_ID:
		return nctl_take_u32(a, &n->nhid);
	case NDA_FLAGS_EXT:
		return nctl_take_u32(a, &n->ext_flags);
	}
	return nctl_unknown_add(unknown, a);
}

int nctl_neigh_decode(const struct nlmsghdr *nlh, struct nctl_route_scratch *s, struct nctl_neigh *ret)
{
	struct nctl_neigh n = {0};
	struct nctl_unknown unknown;
	const struct nlattr *a;
	struct nctl_walk w;
	struct ndmsg ndm;
	size_t used = 0;
	int r = 0;

	if (nlh->nlmsg_type != RTM_NEWNEIGH && nlh->nlmsg_type != RTM_DELNEIGH)
		return NCTL_CODEC_SKIP;
	if (nlh->nlmsg_len < NLMSG_LENGTH(sizeof(ndm)))
		return -EBADMSG;
	memcpy(&ndm, NLMSG_DATA(nlh), sizeof(ndm));
	if (nctl_prefix_bits(ndm.ndm_family) == 0 && ndm.ndm_family != AF_BRIDGE)
		return NCTL_CODEC_SKIP;
	n.family = ndm.ndm_family;
	n.flags = ndm.ndm_flags;
	n.state = ndm.ndm_state;
	n.ifindex = (uint32_t)ndm.ndm_ifindex;
	unknown.n = 0;
	w = nctl_walk_msg(nlh, sizeof(ndm));
	while (r == 0 && (a = nctl_walk_next(&w)))
		r = decode_attr(a, &unknown, &n);
	if (r == 0)
		r = w.bad ? -EBADMSG : nctl_unknown_store(&unknown, nlh, s, &used, &n.rest);
	if (r < 0)
		return r;
	*ret = n;
	return 0;
}

static void encode(const struct nctl_neigh *n, uint16_t type, uint16_t nlm_flags, struct nctl_msgbuf *msg)
{
	const struct ndmsg ndm = {
		.ndm_family = n->family,
		.ndm_flags = n->flags,
		.ndm_state = n->state,
		.ndm_ifindex = (int)n->ifindex,
	};

	nctl_msg_begin(msg, type, nlm_flags, &ndm, sizeof(ndm));
	nctl_encode_address(&n->dst, NDA_DST, msg);
	if (n->lladdr.len && type == RTM_NEWNEIGH)
		nctl_msg_put(msg, NDA_LLADDR, n->lladdr.b, n->lladdr.len);
	if (n->protocol && type == RTM_NEWNEIGH)
		nctl_msg_put_u8(msg, NDA_PROTOCOL, n->protocol);
}

void nctl_neigh_encode_new(const struct nctl_neigh *n, struct nctl_msgbuf *msg)
{
	encode(n, RTM_NEWNEIGH, NLM_F_CREATE | NLM_F_REPLACE, msg);
}

void nctl_neigh_encode_del(const struct nctl_neigh *n, struct nctl_msgbuf *msg)
{
	encode(n, RTM_DELNEIGH, 0, msg);
}
