/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the VLANs of bridges and their ports from AF_BRIDGE messages (linux/if_bridge.h). Three events tell of
 * a change: AF_BRIDGE RTM_NEWLINK to RTNLGRP_LINK, with the whole list, when VLANs are set by netlink and
 * when a port joins (net/bridge/br_netlink.c br_setlink, br_if.c br_add_if); AF_BRIDGE RTM_DELLINK when a
 * port leaves; and since Linux 5.5 RTM_NEWVLAN and RTM_DELVLAN to RTNLGRP_BRVLAN for each range, which alone
 * tell of a new default PVID and of VLANs that other protocols make (br_vlan.c br_vlan_notify). The first two
 * are read here.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <linux/if_bridge.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include "base/cleanup.h"
#include "codec/codec.h"
#include "nl/attr.h"
#include "nl/msg.h"

enum { RANGES_MAX = 4096 };

static const struct nctl_attr_policy policy[IFLA_MAX + 1] = {
	[IFLA_MASTER] = {.kind = NCTL_ATTR_U32},
	[IFLA_AF_SPEC] = {.kind = NCTL_ATTR_NEST},
};

/* A card's own switch answers for itself in the same messages (net/core/rtnetlink.c ndo_dflt_bridge_getlink).
 */
static bool is_cards(const struct nlattr *spec)
{
	const struct nlattr *a = NULL;

	while (spec && (a = nctl_attr_next(nctl_attr_data(spec), nctl_attr_len(spec), a)))
		if (nctl_attr_type(a) == IFLA_BRIDGE_FLAGS && nctl_attr_uint(a) & BRIDGE_FLAGS_SELF)
			return true;
	return false;
}

static uint16_t flags_of(const struct bridge_vlan_info *info)
{
	return (uint16_t)((info->flags & BRIDGE_VLAN_INFO_PVID ? NCTL_VLAN_PVID : 0) |
			  (info->flags & BRIDGE_VLAN_INFO_UNTAGGED ? NCTL_VLAN_UNTAGGED : 0));
}

/* Ranges come as two attributes: the first VLAN's and the last one's. */
static int read_ranges(const struct nlattr *spec, struct nctl_vlan_range *v, size_t *ret_n)
{
	const struct nlattr *a = NULL;
	struct bridge_vlan_info info;
	uint16_t first = 0;
	size_t n = 0;

	while (spec && (a = nctl_attr_next(nctl_attr_data(spec), nctl_attr_len(spec), a))) {
		if (nctl_attr_type(a) != IFLA_BRIDGE_VLAN_INFO)
			continue;
		if (nctl_attr_len(a) != sizeof(info))
			return -EBADMSG;
		memcpy(&info, nctl_attr_data(a), sizeof(info));
		if (info.vid == 0 || info.vid >= RANGES_MAX || n == RANGES_MAX)
			return -EBADMSG;
		if (info.flags & BRIDGE_VLAN_INFO_RANGE_BEGIN) {
			first = info.vid;
			continue;
		}
		if (info.flags & BRIDGE_VLAN_INFO_RANGE_END && (first == 0 || first > info.vid))
			return -EBADMSG;
		v[n++] = (struct nctl_vlan_range){info.flags & BRIDGE_VLAN_INFO_RANGE_END ? first : info.vid,
			info.vid, flags_of(&info)};
		first = 0;
	}
	*ret_n = n;
	return 0;
}

int nctl_bridge_vlans_decode(const struct nlmsghdr *nlh, nctl_ifindex *ret_ifindex, struct nctl_vlans **ret)
{
	_cleanup_(nctl_freep) struct nctl_vlan_range *v = NULL;
	const struct nlattr *tb[IFLA_MAX + 1];
	struct ifinfomsg ifi;
	size_t n = 0;
	int r;

	r = nctl_codec_link_header(nlh, AF_BRIDGE, &ifi);
	if (r == 0)
		r = nctl_attr_parse_msg(nlh, sizeof(ifi), policy, tb, IFLA_MAX);
	if (r != 0)
		return r;
	if (!tb[IFLA_MASTER] || is_cards(tb[IFLA_AF_SPEC]))
		return NCTL_CODEC_SKIP;
	if (ifi.ifi_index <= 0)
		return -EBADMSG;
	if (nlh->nlmsg_type == RTM_NEWLINK && tb[IFLA_AF_SPEC]) {
		v = malloc(RANGES_MAX * sizeof(*v));
		r = v ? read_ranges(tb[IFLA_AF_SPEC], v, &n) : -ENOMEM;
	}
	if (r == 0)
		r = nctl_vlans_new(v, n, ret);
	if (r == 0)
		*ret_ifindex = (nctl_ifindex)ifi.ifi_index;
	return r;
}

static void put_vlan(uint16_t vid, unsigned flags, struct nctl_msgbuf *msg)
{
	struct bridge_vlan_info info = {.flags = (uint16_t)flags, .vid = vid};

	nctl_msg_put(msg, IFLA_BRIDGE_VLAN_INFO, &info, sizeof(info));
}

static unsigned kernel_flags(uint16_t flags)
{
	return (flags & NCTL_VLAN_PVID ? BRIDGE_VLAN_INFO_PVID : 0U) |
	       (flags & NCTL_VLAN_UNTAGGED ? BRIDGE_VLAN_INFO_UNTAGGED : 0U);
}

void nctl_bridge_vlans_encode(
	nctl_ifindex ifindex, bool self, const struct nctl_vlans *vlans, bool add, struct nctl_msgbuf *msg)
{
	struct ifinfomsg ifi = {.ifi_family = AF_BRIDGE, .ifi_index = (int)ifindex};
	size_t nest;

	nctl_msg_begin(msg, add ? RTM_SETLINK : RTM_DELLINK, 0, &ifi, sizeof(ifi));
	nest = nctl_msg_nest_begin(msg, IFLA_AF_SPEC);
	/* Without it a port's bridge is meant (net/core/rtnetlink.c rtnl_bridge_setlink). */
	if (self)
		nctl_msg_put_u16(msg, IFLA_BRIDGE_FLAGS, BRIDGE_FLAGS_SELF);
	for (uint32_t i = 0; i < vlans->n; i++) {
		const struct nctl_vlan_range *v = &vlans->v[i];
		unsigned flags = add ? kernel_flags(v->flags) : 0;

		if (v->first == v->last) {
			put_vlan(v->first, flags, msg);
			continue;
		}
		put_vlan(v->first, flags | BRIDGE_VLAN_INFO_RANGE_BEGIN, msg);
		put_vlan(v->last, flags | BRIDGE_VLAN_INFO_RANGE_END, msg);
	}
	nctl_msg_nest_end(msg, nest);
}
