/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: a link as JSON with the keys, values and order of `ip -j -d link` (iproute2 6.1). Most keys come from
 * the field tables; here stands what iproute2 shows in its own way: flags, the lower link, addresses of
 * tunnels.
 */
#include <arpa/inet.h>
#include <net/if.h> /* before linux/if.h, which then adds what it lacks */
#include <linux/if.h>
#include <linux/if_arp.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "net/lladdr.h"
#include "obj/link.h"

/* ARPHRD_* of linux/if_arp.h by the names that ip(8) gives them. */
static const struct {
	uint16_t type;
	const char *name;
} arphrd_names[] = {
	{ARPHRD_ETHER, "ether"},
	{ARPHRD_LOOPBACK, "loopback"},
	{ARPHRD_NONE, "none"},
	{ARPHRD_VOID, "void"},
	{ARPHRD_PPP, "ppp"},
	{ARPHRD_TUNNEL, "ipip"},
	{ARPHRD_TUNNEL6, "tunnel6"},
	{ARPHRD_SIT, "sit"},
	{ARPHRD_IPGRE, "gre"},
	{ARPHRD_IP6GRE, "gre6"},
	{ARPHRD_PIMREG, "pimreg"},
	{ARPHRD_NETLINK, "netlink"},
	{ARPHRD_INFINIBAND, "infiniband"},
	{ARPHRD_IEEE80211, "ieee802.11"},
	{ARPHRD_IEEE80211_PRISM, "ieee802.11/prism"},
	{ARPHRD_IEEE80211_RADIOTAP, "ieee802.11/radiotap"},
	{ARPHRD_IEEE802154, "ieee802.15.4"},
	{ARPHRD_IEEE802154_MONITOR, "ieee802.15.4/monitor"},
	{ARPHRD_IEEE1394, "ieee1394"},
	{ARPHRD_6LOWPAN, "6lowpan"},
	{ARPHRD_CAN, "can"},
	{ARPHRD_HDLC, "hdlc"},
	{ARPHRD_RAWHDLC, "rawhdlc"},
	{ARPHRD_LAPB, "lapb"},
	{ARPHRD_X25, "x25"},
	{ARPHRD_HWX25, "hwx25"},
	{ARPHRD_SLIP, "slip"},
	{ARPHRD_CSLIP, "cslip"},
	{ARPHRD_SLIP6, "slip6"},
	{ARPHRD_CSLIP6, "cslip6"},
	{ARPHRD_AX25, "ax25"},
	{ARPHRD_NETROM, "netrom"},
	{ARPHRD_ROSE, "rose"},
	{ARPHRD_ATM, "atm"},
	{ARPHRD_FDDI, "fddi"},
	{ARPHRD_HIPPI, "hippi"},
	{ARPHRD_IPDDP, "ip/ddp"},
	{ARPHRD_PHONET, "phonet"},
	{ARPHRD_PHONET_PIPE, "phonet_pipe"},
	{ARPHRD_CAIF, "caif"},
	{ARPHRD_EETHER, "eether"},
	{ARPHRD_ADAPT, "adapt"},
	{ARPHRD_FCFABRIC, "fcfb0"},
};

/* In the order of ip(8). IFF_RUNNING shows as its opposite, NO-CARRIER. */
static const struct {
	uint32_t bit;
	const char *name;
} flag_names[] = {
	{IFF_LOOPBACK, "LOOPBACK"},
	{IFF_BROADCAST, "BROADCAST"},
	{IFF_POINTOPOINT, "POINTOPOINT"},
	{IFF_MULTICAST, "MULTICAST"},
	{IFF_NOARP, "NOARP"},
	{IFF_ALLMULTI, "ALLMULTI"},
	{IFF_PROMISC, "PROMISC"},
	{IFF_MASTER, "MASTER"},
	{IFF_SLAVE, "SLAVE"},
	{IFF_DEBUG, "DEBUG"},
	{IFF_DYNAMIC, "DYNAMIC"},
	{IFF_AUTOMEDIA, "AUTOMEDIA"},
	{IFF_PORTSEL, "PORTSEL"},
	{IFF_NOTRAILERS, "NOTRAILERS"},
	{IFF_UP, "UP"},
	{IFF_LOWER_UP, "LOWER_UP"},
	{IFF_DORMANT, "DORMANT"},
	{IFF_ECHO, "ECHO"},
};

static void put_fields(const struct nctl_link *l, const uint8_t *order, size_t n,
	const struct nctl_names *names, struct nctl_json *json)
{
	for (size_t i = 0; i < n; i++) {
		const struct nctl_field *f = &nctl_link_fields.v[order[i]];

		if (!(l->has & UINT64_C(1) << order[i]))
			continue;
		nctl_json_key(json, f->json);
		nctl_field_json(f, l, names, json);
	}
}

/* Gives whether the lower link is known to be down: M-DOWN. */
static bool put_lower(const struct nctl_link *l, const struct nctl_names *names, struct nctl_json *json)
{
	if (!(l->has & NCTL_LINK_BIT(LOWER)))
		return false;
	if (l->lower == 0) {
		nctl_json_key(json, "link");
		nctl_json_null(json);
		return false;
	}
	if (l->has & NCTL_LINK_BIT(LOWER_NSID)) {
		nctl_json_ku64(json, "link_index", l->lower);
		return false;
	}
	nctl_json_key(json, "link");
	nctl_field_json(&nctl_link_fields.v[NCTL_LINK_LOWER], l, names, json);
	return names && names->link_is_up && !names->link_is_up(names->userdata, l->lower);
}

static void put_flags(const struct nctl_link *l, bool lower_down, struct nctl_json *json)
{
	uint32_t flags = l->flags;
	char buf[16];

	nctl_json_key(json, "flags");
	nctl_json_arr_begin(json);
	if (flags & IFF_UP && !(flags & IFF_RUNNING))
		nctl_json_str(json, "NO-CARRIER");
	flags &= ~(uint32_t)IFF_RUNNING;
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(flag_names); i++) {
		if (flags & flag_names[i].bit)
			nctl_json_str(json, flag_names[i].name);
		flags &= ~flag_names[i].bit;
	}
	if (flags) {
		snprintf(buf, sizeof(buf), "%x", flags);
		nctl_json_str(json, buf);
	}
	if (lower_down)
		nctl_json_str(json, "M-DOWN");
	nctl_json_arr_end(json);
}

static void put_link_type(const struct nctl_link *l, struct nctl_json *json)
{
	char buf[16];

	for (size_t i = 0; i < NCTL_ARRAY_SIZE(arphrd_names); i++) {
		if (arphrd_names[i].type == l->arphrd) {
			nctl_json_kstr(json, "link_type", arphrd_names[i].name);
			return;
		}
	}
	snprintf(buf, sizeof(buf), "[%u]", l->arphrd);
	nctl_json_kstr(json, "link_type", buf);
}

/* Tunnels over IP have the IP address of their end for a link-layer address. */
static void put_lladdr(
	const struct nctl_link *l, const char *key, const struct nctl_lladdr *a, struct nctl_json *json)
{
	bool v4 = l->arphrd == ARPHRD_TUNNEL || l->arphrd == ARPHRD_SIT || l->arphrd == ARPHRD_IPGRE;
	bool v6 = l->arphrd == ARPHRD_TUNNEL6 || l->arphrd == ARPHRD_IP6GRE;
	char buf[NCTL_LLADDR_STR];

	if (v4 && a->len == 4)
		inet_ntop(AF_INET, a->b, buf, sizeof(buf));
	else if (v6 && a->len == 16)
		inet_ntop(AF_INET6, a->b, buf, sizeof(buf));
	else
		nctl_lladdr_format(a, buf);
	nctl_json_kstr(json, key, buf);
}

static void put_addresses(const struct nctl_link *l, struct nctl_json *json)
{
	put_link_type(l, json);
	if (l->has & NCTL_LINK_BIT(ADDRESS))
		put_lladdr(l, "address", &l->address, json);
	if (l->has & NCTL_LINK_BIT(BROADCAST)) {
		if (l->flags & IFF_POINTOPOINT)
			nctl_json_kbool(json, "link_pointtopoint", true);
		put_lladdr(l, "broadcast", &l->broadcast, json);
	}
	if (l->has & NCTL_LINK_BIT(PERM_ADDRESS) && !nctl_lladdr_equal(&l->perm_address, &l->address))
		put_lladdr(l, "permaddr", &l->perm_address, json);
}

static uint64_t data_shown(const struct nctl_link *l)
{
	return l->kind->shown ? l->kind->shown(l->data, l->data_has) : l->data_has;
}

static void put_kind(const struct nctl_link *l, const struct nctl_names *names, struct nctl_json *json)
{
	const char *kind = nctl_link_kind_name(l);
	const char *port = l->port_kind ? l->port_kind->name : l->port_kind_name;

	if (!kind && !port)
		return;
	nctl_json_key(json, "linkinfo");
	nctl_json_obj_begin(json);
	if (kind)
		nctl_json_kstr(json, "info_kind", kind);
	if (kind && l->data) {
		nctl_json_key(json, "info_data");
		nctl_json_obj_begin(json);
		nctl_fields_json(&l->kind->data, l->data, data_shown(l), names, json);
		nctl_json_obj_end(json);
	}
	if (port)
		nctl_json_kstr(json, "info_slave_kind", port);
	if (port && l->port) {
		nctl_json_key(json, "info_slave_data");
		nctl_json_obj_begin(json);
		nctl_fields_json(&l->port_kind->port, l->port, l->port_has, names, json);
		nctl_json_obj_end(json);
	}
	nctl_json_obj_end(json);
}

/* What `ip -j addr` has of a link as well, up to its details; the link mode is one of them. */
static void put_head(
	const struct nctl_link *l, const struct nctl_names *names, bool detailed, struct nctl_json *json)
{
	static const uint8_t name[] = {NCTL_LINK_NAME};
	static const uint8_t mtu_qdisc[] = {NCTL_LINK_MTU, NCTL_LINK_QDISC};
	static const uint8_t master[] = {NCTL_LINK_MASTER}, operstate[] = {NCTL_LINK_OPERSTATE};
	static const uint8_t linkmode[] = {NCTL_LINK_LINKMODE}, group[] = {NCTL_LINK_GROUP};
	static const uint8_t txqlen[] = {NCTL_LINK_TXQLEN}, nsid[] = {NCTL_LINK_LOWER_NSID};
	bool lower_down;

	nctl_json_ku64(json, "ifindex", l->ifindex);
	lower_down = put_lower(l, names, json);
	put_fields(l, name, NCTL_ARRAY_SIZE(name), names, json);
	put_flags(l, lower_down, json);
	put_fields(l, mtu_qdisc, NCTL_ARRAY_SIZE(mtu_qdisc), names, json);
	if (l->master)
		put_fields(l, master, NCTL_ARRAY_SIZE(master), names, json);
	put_fields(l, operstate, NCTL_ARRAY_SIZE(operstate), names, json);
	if (detailed)
		put_fields(l, linkmode, NCTL_ARRAY_SIZE(linkmode), names, json);
	put_fields(l, group, NCTL_ARRAY_SIZE(group), names, json);
	if (l->txqlen)
		put_fields(l, txqlen, NCTL_ARRAY_SIZE(txqlen), names, json);
	put_addresses(l, json);
	put_fields(l, nsid, NCTL_ARRAY_SIZE(nsid), names, json);
	if (l->has & NCTL_LINK_BIT(PROTO_DOWN) && l->proto_down)
		nctl_json_kbool(json, "proto_down", true);
}

static void put_altnames(const struct nctl_link *l, const struct nctl_names *names, struct nctl_json *json)
{
	static const uint8_t altnames[] = {NCTL_LINK_ALTNAMES};

	if (l->altnames && *l->altnames)
		put_fields(l, altnames, NCTL_ARRAY_SIZE(altnames), names, json);
}

void nctl_link_json(const struct nctl_link *l, const struct nctl_names *names, struct nctl_json *json)
{
	static const uint8_t limits[] = {
		NCTL_LINK_PROMISCUITY, NCTL_LINK_ALLMULTI, NCTL_LINK_MIN_MTU, NCTL_LINK_MAX_MTU};
	static const uint8_t sizes[] = {NCTL_LINK_ADDR_GEN_MODE, NCTL_LINK_NUM_TX_QUEUES,
		NCTL_LINK_NUM_RX_QUEUES, NCTL_LINK_GSO_MAX_SIZE, NCTL_LINK_GSO_MAX_SEGS,
		NCTL_LINK_TSO_MAX_SIZE, NCTL_LINK_TSO_MAX_SEGS, NCTL_LINK_GRO_MAX_SIZE,
		NCTL_LINK_GSO_IPV4_MAX_SIZE, NCTL_LINK_GRO_IPV4_MAX_SIZE, NCTL_LINK_PACING_HORIZON};
	static const uint8_t device[] = {NCTL_LINK_PORT_NAME, NCTL_LINK_PORT_ID, NCTL_LINK_SWITCH_ID,
		NCTL_LINK_PARENT_BUS, NCTL_LINK_PARENT_DEV};
	static const uint8_t alias[] = {NCTL_LINK_ALIAS};

	nctl_json_obj_begin(json);
	put_head(l, names, true, json);
	put_fields(l, limits, NCTL_ARRAY_SIZE(limits), names, json);
	if (l->netns_immutable)
		nctl_json_kbool(json, "netns-immutable", true);
	put_kind(l, names, json);
	put_fields(l, sizes, NCTL_ARRAY_SIZE(sizes), names, json);
	put_fields(l, device, NCTL_ARRAY_SIZE(device), names, json);
	if (l->alias)
		put_fields(l, alias, NCTL_ARRAY_SIZE(alias), names, json);
	put_altnames(l, names, json);
	nctl_json_obj_end(json);
}

void nctl_link_json_brief(const struct nctl_link *l, const struct nctl_names *names, struct nctl_json *json)
{
	put_head(l, names, false, json);
	put_altnames(l, names, json);
}
