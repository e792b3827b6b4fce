/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the table of what every link has, whatever its kind. Numbers are those of linux/if_link.h; what a
 * creating message cannot carry (LATE) was measured on Linux 6.1 and 6.18: IFLA_IFALIAS is ignored there,
 * IFLA_AF_SPEC refused with EAFNOSUPPORT, IFLA_PROTO_DOWN ignored. Fields with attr 0 are the codec's own
 * business.
 */
#include <linux/if_link.h>

#include "base/cleanup.h"
#include "obj/link.h"

/* Numbers of linux/if_link.h since Linux 6.3, 6.13 and 6.15. */
enum {
	ATTR_GSO_IPV4_MAX_SIZE = 63,
	ATTR_GRO_IPV4_MAX_SIZE = 64,
	ATTR_MAX_PACING_OFFLOAD_HORIZON = 66,
	ATTR_NETNS_IMMUTABLE = 67,
};

#define F(member_) NCTL_FIELD(struct nctl_link, member_)
#define STATE(index_, member_, attr_, json_)                                                                 \
	[NCTL_LINK_##index_] = {.json = json_,                                                               \
		F(member_),                                                                                  \
		.attr = attr_,                                                                               \
		.type = NCTL_FIELD_UINT,                                                                     \
		.flags = NCTL_FIELD_READONLY}

#define OWNED(index_, member_, attr_, json_)                                                                 \
	[NCTL_LINK_##index_] = {.json = json_,                                                               \
		F(member_),                                                                                  \
		.attr = attr_,                                                                               \
		.type = NCTL_FIELD_TEXT,                                                                     \
		.flags = NCTL_FIELD_READONLY}

static const struct nctl_name group_names[] = {{"default", 0, NULL}, {0}};

/* IN6_ADDR_GEN_MODE_* of linux/if_link.h; the aliases are netplan's. */
static const struct nctl_name addr_gen_names[] = {
	{"eui64", IN6_ADDR_GEN_MODE_EUI64, NULL},
	{"none", IN6_ADDR_GEN_MODE_NONE, NULL},
	{"stable_secret", IN6_ADDR_GEN_MODE_STABLE_PRIVACY, "stable-privacy"},
	{"random", IN6_ADDR_GEN_MODE_RANDOM, NULL},
	{0},
};

/* IF_OPER_* of linux/if.h (RFC 2863 section 3.1.14). */
static const struct nctl_name operstate_names[] = {
	{"UNKNOWN", 0, NULL},
	{"NOTPRESENT", 1, NULL},
	{"DOWN", 2, NULL},
	{"LOWERLAYERDOWN", 3, NULL},
	{"TESTING", 4, NULL},
	{"DORMANT", 5, NULL},
	{"UP", 6, NULL},
	{0},
};

/* IF_LINK_MODE_* of linux/if.h. */
static const struct nctl_name linkmode_names[] = {{"DEFAULT", 0, NULL}, {"DORMANT", 1, NULL}, {0}};

static const struct nctl_field link_field_v[] = {
	[NCTL_LINK_NAME] = {.json = "ifname", F(name), .attr = IFLA_IFNAME, .type = NCTL_FIELD_STR, .min = 1},
	[NCTL_LINK_MTU] = {.key = "mtu",
		.json = "mtu",
		.help = "largest packet in bytes",
		F(mtu),
		.attr = IFLA_MTU,
		.type = NCTL_FIELD_UINT},
	[NCTL_LINK_LOWER] = {.json = "link",
		F(lower),
		.attr = IFLA_LINK,
		.type = NCTL_FIELD_LINK,
		.change = NCTL_CHANGE_RECREATE},
	[NCTL_LINK_MASTER] = {.json = "master",
		F(master),
		.attr = IFLA_MASTER,
		.type = NCTL_FIELD_LINK,
		.flags = NCTL_FIELD_OMIT_ZERO},
	[NCTL_LINK_GROUP] = {.key = "group",
		.json = "group",
		.help = "the device group, default or a number",
		.names = group_names,
		F(group),
		.attr = IFLA_GROUP,
		.type = NCTL_FIELD_ENUM,
		.format = NCTL_FORMAT_TEXT,
		.max = INT32_MAX},
	[NCTL_LINK_ADDRESS] = {.key = "macaddress",
		.json = "address",
		.help = "the link-layer address",
		F(address),
		.attr = IFLA_ADDRESS,
		.type = NCTL_FIELD_LLADDR,
		.min = 6,
		.max = 20},
	[NCTL_LINK_ALIAS] = {.key = "alias",
		.json = "ifalias",
		.help = "a free text that the kernel keeps with the link",
		F(alias),
		.attr = IFLA_IFALIAS,
		.type = NCTL_FIELD_TEXT,
		.flags = NCTL_FIELD_LATE | NCTL_FIELD_OMIT_ZERO,
		.max = 255},
	[NCTL_LINK_TXQLEN] = {.key = "txqueuelen",
		.json = "txqlen",
		.help = "length of the transmit queue in packets",
		F(txqlen),
		.attr = IFLA_TXQLEN,
		.type = NCTL_FIELD_UINT,
		.max = INT32_MAX},
	[NCTL_LINK_ADDR_GEN_MODE] = {.key = "ipv6-address-generation",
		.json = "inet6_addr_gen_mode",
		.help = "how IPv6 link-local and SLAAC addresses are made",
		.names = addr_gen_names,
		F(addr_gen_mode),
		.type = NCTL_FIELD_ENUM,
		.flags = NCTL_FIELD_LATE},
	/* Not shown by ip-link(8), but by ip-token(8). */
	[NCTL_LINK_TOKEN] = {.key = "ipv6-address-token",
		.help = "the host part of addresses that are made for router advertisements",
		F(token),
		.type = NCTL_FIELD_IP,
		.flags = NCTL_FIELD_LATE},
	[NCTL_LINK_FLAGS] = {.json = "flags", F(flags), .type = NCTL_FIELD_UINT, .flags = NCTL_FIELD_LATE},
	[NCTL_LINK_ALTNAMES] = {.key = "altnames",
		.json = "altnames",
		.help = "further names of the link",
		F(altnames),
		.type = NCTL_FIELD_TEXTS,
		.flags = NCTL_FIELD_LATE,
		.min = 1,
		.max = 127},
	[NCTL_LINK_LOWER_NSID] = {.json = "link_netnsid",
		F(lower_nsid),
		.attr = IFLA_LINK_NETNSID,
		.type = NCTL_FIELD_UINT,
		.format = NCTL_FORMAT_SIGNED,
		.change = NCTL_CHANGE_RECREATE},
	[NCTL_LINK_BROADCAST] = {.json = "broadcast",
		F(broadcast),
		.attr = IFLA_BROADCAST,
		.type = NCTL_FIELD_LLADDR,
		.flags = NCTL_FIELD_READONLY},
	STATE(MIN_MTU, min_mtu, IFLA_MIN_MTU, "min_mtu"),
	STATE(MAX_MTU, max_mtu, IFLA_MAX_MTU, "max_mtu"),
	/* Goes up silently on a link that cannot filter by address (net/core/dev.c __dev_set_rx_mode). */
	[NCTL_LINK_PROMISCUITY] = {.json = "promiscuity",
		F(promiscuity),
		.attr = IFLA_PROMISCUITY,
		.type = NCTL_FIELD_UINT,
		.flags = NCTL_FIELD_READONLY | NCTL_FIELD_VOLATILE},
	STATE(ALLMULTI, allmulti, IFLA_ALLMULTI, "allmulti"),
	STATE(NUM_TX_QUEUES, num_tx_queues, IFLA_NUM_TX_QUEUES, "num_tx_queues"),
	STATE(NUM_RX_QUEUES, num_rx_queues, IFLA_NUM_RX_QUEUES, "num_rx_queues"),
	STATE(GSO_MAX_SIZE, gso_max_size, IFLA_GSO_MAX_SIZE, "gso_max_size"),
	STATE(GSO_MAX_SEGS, gso_max_segs, IFLA_GSO_MAX_SEGS, "gso_max_segs"),
	STATE(TSO_MAX_SIZE, tso_max_size, IFLA_TSO_MAX_SIZE, "tso_max_size"),
	STATE(TSO_MAX_SEGS, tso_max_segs, IFLA_TSO_MAX_SEGS, "tso_max_segs"),
	STATE(GRO_MAX_SIZE, gro_max_size, IFLA_GRO_MAX_SIZE, "gro_max_size"),
	[NCTL_LINK_OPERSTATE] = {.json = "operstate",
		.names = operstate_names,
		F(operstate),
		.attr = IFLA_OPERSTATE,
		.type = NCTL_FIELD_ENUM,
		.flags = NCTL_FIELD_READONLY},
	[NCTL_LINK_LINKMODE] = {.json = "linkmode",
		.names = linkmode_names,
		F(linkmode),
		.attr = IFLA_LINKMODE,
		.type = NCTL_FIELD_ENUM,
		.flags = NCTL_FIELD_READONLY},
	[NCTL_LINK_PROTO_DOWN] = {.json = "proto_down",
		F(proto_down),
		.attr = IFLA_PROTO_DOWN,
		.type = NCTL_FIELD_BOOL,
		.flags = NCTL_FIELD_READONLY},
	[NCTL_LINK_QDISC] = {.json = "qdisc",
		F(qdisc),
		.attr = IFLA_QDISC,
		.type = NCTL_FIELD_STR,
		.flags = NCTL_FIELD_READONLY},
	[NCTL_LINK_ARPHRD] = {.json = "link_type",
		F(arphrd),
		.type = NCTL_FIELD_UINT,
		.flags = NCTL_FIELD_READONLY},
	[NCTL_LINK_PERM_ADDRESS] = {.json = "permaddr",
		F(perm_address),
		.attr = IFLA_PERM_ADDRESS,
		.type = NCTL_FIELD_LLADDR,
		.flags = NCTL_FIELD_READONLY},
	OWNED(PARENT_BUS, parent_bus, IFLA_PARENT_DEV_BUS_NAME, "parentbus"),
	OWNED(PARENT_DEV, parent_dev, IFLA_PARENT_DEV_NAME, "parentdev"),
	OWNED(PORT_NAME, port_name, IFLA_PHYS_PORT_NAME, "phys_port_name"),
	OWNED(PORT_ID, port_id, 0, "phys_port_id"),
	OWNED(SWITCH_ID, switch_id, 0, "phys_switch_id"),
	STATE(GSO_IPV4_MAX_SIZE, gso_ipv4_max_size, ATTR_GSO_IPV4_MAX_SIZE, "gso_ipv4_max_size"),
	STATE(GRO_IPV4_MAX_SIZE, gro_ipv4_max_size, ATTR_GRO_IPV4_MAX_SIZE, "gro_ipv4_max_size"),
	STATE(PACING_HORIZON, pacing_horizon, ATTR_MAX_PACING_OFFLOAD_HORIZON, "max_pacing_offload_horizon"),
	[NCTL_LINK_NETNS_IMMUTABLE] = {.json = "netns-immutable",
		F(netns_immutable),
		.attr = ATTR_NETNS_IMMUTABLE,
		.type = NCTL_FIELD_BOOL,
		.flags = NCTL_FIELD_READONLY},
};
_Static_assert(NCTL_ARRAY_SIZE(link_field_v) == NCTL_LINK_N_FIELDS, "a link field without an entry");
_Static_assert(NCTL_LINK_N_FIELDS <= 64, "masks have 64 bits");

const struct nctl_field_table nctl_link_fields = {link_field_v, NCTL_ARRAY_SIZE(link_field_v)};
