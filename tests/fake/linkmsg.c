/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: links and addresses as messages, with the attributes and the values that rtnl_fill_ifinfo(),
 * inet_fill_ifaddr() and inet6_fill_ifaddr() give them, as far as the fake knows them.
 */

#include <stdio.h>
#include <string.h>

#include "fake/wire.h"
#include "fake/parts.h"

enum { FK_PORT_DISABLED, FK_PORT_FORWARDING = 3 }; /* BR_STATE_* of linux/if_bridge.h */

static void fk_put_linkinfo(struct fk_buf *b, const struct fk_link *l)
{
	bool port = l->master && l->master->kind;
	if (!fk_is_virtual(l) && !port)
		return;
	size_t nest = fk_nest_begin(b, IFLA_LINKINFO);
	if (fk_is_virtual(l)) {
		fk_put_str(b, IFLA_INFO_KIND, l->kind->name);
		if (l->kind->put_data || l->data_len) {
			uint8_t bytes[256];
			size_t data = fk_nest_begin(b, IFLA_INFO_DATA);
			if (l->kind->put_data)
				fk_put_raw(b, bytes, l->kind->put_data(l, bytes));
			fk_put_raw(b, l->data, l->data_len);
			fk_nest_end(b, data);
		}
	}
	if (port)
		fk_put_str(b, IFLA_INFO_SLAVE_KIND, l->master->kind->name);
	fk_nest_end(b, nest);
}

static void fk_put_altnames(struct fk_buf *b, const struct fk_link *l)
{
	if (!l->n_altnames)
		return;
	size_t nest = fk_nest_begin(b, IFLA_PROP_LIST);
	for (unsigned i = 0; i < l->n_altnames; i++)
		fk_put_str(b, IFLA_ALT_IFNAME, l->altnames[i]);
	fk_nest_end(b, nest);
}

static void fk_put_af_spec(struct fk_buf *b, const struct fk_link *l)
{
	size_t nest = fk_nest_begin(b, IFLA_AF_SPEC);
	if (l->has_inet6) {
		size_t six = fk_nest_begin(b, AF_INET6);
		fk_put_u32(b, IFLA_INET6_FLAGS, l->ready ? 0x80000000u : 0);
		fk_put_u8(b, IFLA_INET6_ADDR_GEN_MODE, l->addr_gen_mode);
		fk_nest_end(b, six);
	}
	fk_nest_end(b, nest);
}

/* The index of the lower link as dev_get_iflink() has it; the link's own: none. */
static int fk_iflink(const struct fk_link *l)
{
	if (l->kind == &fk_kind_veth)
		return l->peer ? l->peer->ifindex : 0;
	return l->lower ? l->lower->ifindex : l->ifindex;
}

/* rtnl_fill_link_netnsid(): a link in another namespace is named whatever its index. */
static void fk_put_iflink(struct fk_buf *b, const struct fk_link *l)
{
	const struct fk_link *below = l->kind == &fk_kind_veth ? l->peer : l->lower;
	bool far = below && below->ns != l->ns;
	if (far)
		fk_put_u32(b, IFLA_LINK_NETNSID, (uint32_t)fk_netns_id_alloc(l->ns, below->ns));
	if (far || fk_iflink(l) != l->ifindex)
		fk_put_u32(b, IFLA_LINK, (uint32_t)fk_iflink(l));
}

void fk_put_link(struct fk_buf *b, const struct fk_link *l, uint16_t type, uint16_t flags, uint32_t seq)
{
	struct ifinfomsg ifi = {
		.ifi_type = l->type,
		.ifi_index = l->ifindex,
		.ifi_flags = fk_link_flags(l),
	};
	size_t start = fk_msg_begin(b, type, flags, seq, &ifi, sizeof ifi);
	fk_put_str(b, IFLA_IFNAME, l->name);
	fk_put_u32(b, IFLA_TXQLEN, l->txqlen);
	fk_put_u8(b, IFLA_OPERSTATE, l->running ? l->operstate : IF_OPER_DOWN);
	fk_put_u8(b, IFLA_LINKMODE, 0);
	fk_put_u32(b, IFLA_MTU, l->mtu);
	fk_put_u32(b, IFLA_MIN_MTU, l->min_mtu);
	fk_put_u32(b, IFLA_MAX_MTU, l->max_mtu);
	fk_put_u32(b, IFLA_GROUP, l->group);
	fk_put_u32(b, IFLA_PROMISCUITY, l->master && l->master->kind == &fk_kind_bridge);
	fk_put_u32(b, IFLA_NUM_TX_QUEUES, 1);
	fk_put_u32(b, IFLA_NUM_RX_QUEUES, 1);
	fk_put_u8(b, IFLA_CARRIER, l->carrier);
	fk_put_str(b, IFLA_QDISC, l->flags & IFF_UP ? "noqueue" : "noop");
	if (*l->alias)
		fk_put_str(b, IFLA_IFALIAS, l->alias);
	if (l->master)
		fk_put_u32(b, IFLA_MASTER, (uint32_t)l->master->ifindex);
	fk_put_iflink(b, l);
	fk_put_u8(b, IFLA_PROTO_DOWN, 0);
	fk_put(b, IFLA_ADDRESS, l->addr, sizeof l->addr);
	fk_put(b, IFLA_BROADCAST, l->brd, sizeof l->brd);
	fk_put_linkinfo(b, l);
	fk_put_af_spec(b, l);
	fk_put_altnames(b, l);
	fk_msg_end(b, start);
}

void fk_put_bridge_port(struct fk_buf *b, const struct fk_link *l, const struct fk_link *bridge,
	uint16_t type, uint16_t flags, uint32_t seq)
{
	struct ifinfomsg ifi = {
		.ifi_family = AF_BRIDGE,
		.ifi_type = l->type,
		.ifi_index = l->ifindex,
		.ifi_flags = fk_link_flags(l),
	};
	size_t start = fk_msg_begin(b, type, flags, seq, &ifi, sizeof ifi);
	fk_put_str(b, IFLA_IFNAME, l->name);
	fk_put_u32(b, IFLA_MASTER, (uint32_t)bridge->ifindex);
	fk_put_u32(b, IFLA_MTU, l->mtu);
	fk_put_u8(b, IFLA_OPERSTATE, l->running ? l->operstate : IF_OPER_DOWN);
	fk_put(b, IFLA_ADDRESS, l->addr, sizeof l->addr);
	if (fk_iflink(l) != l->ifindex)
		fk_put_u32(b, IFLA_LINK, (uint32_t)fk_iflink(l));
	size_t nest = fk_nest_begin(b, IFLA_PROTINFO | NLA_F_NESTED);
	fk_put_u8(b, IFLA_BRPORT_STATE, l->port_live ? FK_PORT_FORWARDING : FK_PORT_DISABLED);
	fk_nest_end(b, nest);
	fk_msg_end(b, start);
}

void fk_put_addr(struct fk_buf *b, const struct fk_addr *a, uint16_t type, uint16_t flags, uint32_t seq)
{
	size_t len = a->family == AF_INET ? 4 : 16;
	struct ifaddrmsg ifa = {
		.ifa_family = a->family,
		.ifa_prefixlen = a->len,
		.ifa_flags = (uint8_t)a->flags,
		.ifa_scope = a->scope,
		.ifa_index = (uint32_t)a->link->ifindex,
	};
	struct ifa_cacheinfo ci = {.ifa_prefered = a->preferred, .ifa_valid = a->valid};
	if (a->family == AF_INET && a->flags & IFA_F_PERMANENT)
		ci.ifa_prefered = UINT32_MAX; /* whatever it was given */
	bool peer = memcmp(a->local, a->peer, len) != 0;
	size_t start = fk_msg_begin(b, type, flags, seq, &ifa, sizeof ifa);
	if (a->family == AF_INET || peer)
		fk_put(b, IFA_LOCAL, a->local, len);
	fk_put(b, IFA_ADDRESS, a->peer, len);
	if (a->has_brd)
		fk_put(b, IFA_BROADCAST, a->brd, sizeof a->brd);
	if (*a->label)
		fk_put_str(b, IFA_LABEL, a->label);
	if (a->proto)
		fk_put_u8(b, IFA_PROTO, a->proto);
	fk_put_u32(b, IFA_FLAGS, a->flags);
	if (a->metric)
		fk_put_u32(b, IFA_RT_PRIORITY, a->metric);
	fk_put(b, IFA_CACHEINFO, &ci, sizeof ci);
	fk_msg_end(b, start);
}
