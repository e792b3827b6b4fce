/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: addresses to RTM_NEWADDR and RTM_DELADDR and back (rtnetlink(7), linux/if_addr.h). IFA_ADDRESS is the
 * peer on a point-to-point address and the address itself else; objects keep the two apart, messages do not.
 */
#include <errno.h>
#include <string.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>

#include "base/cleanup.h"
#include "codec/attrs.h"
#include "codec/codec.h"
#include "nl/attr.h"

static const struct nctl_attr_policy addr_policy[IFA_MAX + 1] = {
	[IFA_ADDRESS] = {.kind = NCTL_ATTR_BYTES, .min = 4, .max = 16},
	[IFA_LOCAL] = {.kind = NCTL_ATTR_BYTES, .min = 4, .max = 16},
	[IFA_BROADCAST] = {.kind = NCTL_ATTR_BYTES, .min = 4, .max = 16},
	[IFA_LABEL] = {.kind = NCTL_ATTR_STR, .max = IF_NAMESIZE},
	[IFA_CACHEINFO] = {.kind = NCTL_ATTR_BYTES, .min = sizeof(struct ifa_cacheinfo)},
	[IFA_FLAGS] = {.kind = NCTL_ATTR_U32},
	[IFA_RT_PRIORITY] = {.kind = NCTL_ATTR_U32},
	[IFA_PROTO] = {.kind = NCTL_ATTR_U8},
};

static int decode_prefix(const struct nlattr *attr, uint8_t family, uint8_t len, struct nctl_prefix *ret)
{
	if (nctl_attr_len(attr) != nctl_prefix_bytes(family))
		return -EBADMSG;
	return nctl_prefix_from_bytes(nctl_attr_data(attr), nctl_attr_len(attr), len, ret) < 0 ? -EBADMSG : 0;
}

static int decode_addresses(const struct ifaddrmsg *ifa, const struct nlattr *const *tb, struct nctl_addr *a)
{
	const struct nlattr *local = tb[IFA_LOCAL] ? tb[IFA_LOCAL] : tb[IFA_ADDRESS];
	uint8_t full = (uint8_t)nctl_prefix_bits(ifa->ifa_family);
	int r;

	if (!local)
		return -EBADMSG;
	r = decode_prefix(local, ifa->ifa_family, ifa->ifa_prefixlen, &a->local);
	if (r == 0 && tb[IFA_ADDRESS])
		r = decode_prefix(tb[IFA_ADDRESS], ifa->ifa_family, ifa->ifa_prefixlen, &a->peer);
	if (r == 0 && tb[IFA_BROADCAST])
		r = decode_prefix(tb[IFA_BROADCAST], ifa->ifa_family, full, &a->broadcast);
	if (r == 0 && nctl_prefix_equal(&a->peer, &a->local))
		a->peer = NCTL_PREFIX_NULL;
	return r;
}

static void decode_rest(const struct nlattr *const *tb, struct nctl_addr *a)
{
	struct ifa_cacheinfo ci;

	if (tb[IFA_FLAGS])
		a->flags = nctl_attr_u32(tb[IFA_FLAGS]);
	if (tb[IFA_RT_PRIORITY])
		a->metric = nctl_attr_u32(tb[IFA_RT_PRIORITY]);
	if (tb[IFA_PROTO])
		a->proto = nctl_attr_u8(tb[IFA_PROTO]);
	if (tb[IFA_LABEL])
		strncpy(a->label, nctl_attr_str(tb[IFA_LABEL]), sizeof(a->label) - 1);
	if (tb[IFA_CACHEINFO]) {
		memcpy(&ci, nctl_attr_data(tb[IFA_CACHEINFO]), sizeof(ci));
		a->valid = ci.ifa_valid;
		a->preferred = ci.ifa_prefered;
	}
}

int nctl_addr_decode(const struct nlmsghdr *nlh, struct nctl_addr *ret)
{
	const struct nlattr *tb[IFA_MAX + 1];
	struct nctl_addr a = NCTL_ADDR_INIT;
	struct ifaddrmsg ifa;
	int r;

	if (nlh->nlmsg_type != RTM_NEWADDR && nlh->nlmsg_type != RTM_DELADDR)
		return NCTL_CODEC_SKIP;
	if (nlh->nlmsg_len < NLMSG_LENGTH(sizeof(ifa)))
		return -EBADMSG;
	memcpy(&ifa, NLMSG_DATA(nlh), sizeof(ifa));
	if (nctl_prefix_bits(ifa.ifa_family) == 0)
		return NCTL_CODEC_SKIP;
	if (ifa.ifa_index == 0 || ifa.ifa_prefixlen > nctl_prefix_bits(ifa.ifa_family))
		return -EBADMSG;
	r = nctl_attr_parse_msg(nlh, sizeof(ifa), addr_policy, tb, IFA_MAX);
	if (r < 0)
		return r;
	a.ifindex = ifa.ifa_index;
	a.flags = ifa.ifa_flags;
	a.scope = ifa.ifa_scope;
	r = decode_addresses(&ifa, tb, &a);
	if (r < 0)
		return r;
	decode_rest(tb, &a);
	*ret = a;
	return 0;
}

static void begin_addr(const struct nctl_addr *a, uint16_t type, uint16_t flags, struct nctl_msgbuf *msg)
{
	const struct nctl_prefix *peer = a->peer.family != AF_UNSPEC ? &a->peer : &a->local;
	struct ifaddrmsg ifa = {
		.ifa_family = a->local.family,
		.ifa_prefixlen = a->local.len,
		.ifa_scope = a->scope,
		.ifa_index = a->ifindex,
	};
	size_t n = nctl_prefix_bytes(a->local.family);

	nctl_msg_begin(msg, type, flags, &ifa, sizeof(ifa));
	nctl_msg_put(msg, IFA_LOCAL, a->local.addr, n);
	nctl_msg_put(msg, IFA_ADDRESS, peer->addr, n);
}

void nctl_addr_encode_new(const struct nctl_addr *a, struct nctl_msgbuf *msg)
{
	uint32_t flags = a->flags & (a->local.family == AF_INET ? NCTL_ADDR_SETTABLE_V4 : NCTL_ADDR_SETTABLE);
	struct ifa_cacheinfo ci = {.ifa_valid = a->valid, .ifa_prefered = a->preferred};

	begin_addr(a, RTM_NEWADDR, NLM_F_CREATE | NLM_F_REPLACE, msg);
	if (a->broadcast.family != AF_UNSPEC)
		nctl_msg_put(msg, IFA_BROADCAST, a->broadcast.addr, nctl_prefix_bytes(a->broadcast.family));
	if (flags)
		nctl_msg_put_u32(msg, IFA_FLAGS, flags);
	if (a->proto)
		nctl_msg_put_u8(msg, IFA_PROTO, a->proto);
	if (a->metric)
		nctl_msg_put_u32(msg, IFA_RT_PRIORITY, a->metric);
	if (a->label[0] && a->local.family == AF_INET)
		nctl_msg_put_str(msg, IFA_LABEL, a->label);
	/* Without it the kernel takes both for infinite, also when it replaces (inet_rtm_newaddr). */
	if (a->valid != NCTL_ADDR_FOREVER || a->preferred != NCTL_ADDR_FOREVER)
		nctl_msg_put(msg, IFA_CACHEINFO, &ci, sizeof(ci));
}

void nctl_addr_encode_del(const struct nctl_addr *a, struct nctl_msgbuf *msg)
{
	begin_addr(a, RTM_DELADDR, 0, msg);
}

/* As inet_fill_ifaddr and inet6_fill_ifaddr: IPv6 says IFA_LOCAL only beside a peer. */
void nctl_addr_encode_state(const struct nctl_addr *a, struct nctl_msgbuf *msg)
{
	struct ifaddrmsg ifa = {
		.ifa_family = a->local.family,
		.ifa_prefixlen = a->local.len,
		.ifa_flags = (uint8_t)a->flags,
		.ifa_scope = a->scope,
		.ifa_index = a->ifindex,
	};
	bool has_peer = a->peer.family != AF_UNSPEC;

	nctl_msg_begin(msg, RTM_NEWADDR, 0, &ifa, sizeof(ifa));
	nctl_encode_address(has_peer ? &a->peer : &a->local, IFA_ADDRESS, msg);
	if (has_peer || a->local.family == AF_INET)
		nctl_encode_address(&a->local, IFA_LOCAL, msg);
	nctl_encode_address(&a->broadcast, IFA_BROADCAST, msg);
	if (a->label[0])
		nctl_msg_put_str(msg, IFA_LABEL, a->label);
	nctl_msg_put_u32(msg, IFA_FLAGS, a->flags);
	if (a->metric)
		nctl_msg_put_u32(msg, IFA_RT_PRIORITY, a->metric);
	if (a->proto)
		nctl_msg_put_u8(msg, IFA_PROTO, a->proto);
}
