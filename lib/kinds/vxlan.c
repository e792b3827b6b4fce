/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: vxlan (drivers/net/vxlan/vxlan_core.c vxlan_fill_info, RFC 7348). The remote address is a group or one
 * end's, which ip(8) tells apart by its key; either family has attributes of its own.
 */
#include <linux/if_link.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "codec/codec.h"
#include "obj/kind.h"

struct vxlan_data {
	uint32_t id, link, ageing, limit, label;
	struct nctl_prefix group, local, group6, local6;
	struct {
		uint8_t low[2], high[2];
	} port_range;
	uint16_t port;
	uint8_t external, vnifilter, learning, proxy, rsc, l2miss, l3miss, tos, ttl, ttl_inherit, df;
	uint8_t udp_csum, zero_csum6_tx, zero_csum6_rx, remcsum_tx, remcsum_rx, nopartial, gbp, gpe;
};

/* Indexes into vxlan_fields of those that are shown by value. */
enum { GROUP, REMOTE, GROUP6, REMOTE6, LOCAL, LOCAL6, TTL, N_SHOWN };

static const struct nctl_name df_names[] = {
	{"unset", VXLAN_DF_UNSET, NULL},
	{"set", VXLAN_DF_SET, NULL},
	{"inherit", VXLAN_DF_INHERIT, NULL},
	{0},
};

static void range_print(const struct nctl_field *f, const void *data, struct nctl_json *json)
{
	const uint8_t *b = (const uint8_t *)data + f->offset;

	nctl_json_obj_begin(json);
	nctl_json_ku64(json, "low", (uint64_t)b[0] << 8 | b[1]);
	nctl_json_ku64(json, "high", (uint64_t)b[2] << 8 | b[3]);
	nctl_json_obj_end(json);
}

static const struct nctl_field_ops range_ops = {.print = range_print};

/* clang-format off */
#define V(member_, attr_, json_, type_)                                                                      \
	{.json = json_, NCTL_FIELD(struct vxlan_data, member_), .attr = IFLA_VXLAN_##attr_,                  \
		.type = NCTL_FIELD_##type_
#define HIDE .flags = NCTL_FIELD_HIDE_ZERO

static const struct nctl_field vxlan_fields[] = {
	[GROUP] = V(group, GROUP, "group", IP), .key = "remote", .help = "where frames without an entry go"},
	[REMOTE] = V(group, GROUP, "remote", IP), .flags = NCTL_FIELD_READONLY},
	[GROUP6] = V(group6, GROUP6, "group6", IP)},
	[REMOTE6] = V(group6, GROUP6, "remote6", IP), .flags = NCTL_FIELD_READONLY},
	[LOCAL] = V(local, LOCAL, "local", IP), .key = "local", .help = "address of this end"},
	[LOCAL6] = V(local6, LOCAL6, "local6", IP)},
	[TTL] = V(ttl, TTL, "ttl", UINT), .key = "ttl", .help = "hop limit of the outer packets, 0 the default"},
	V(ttl_inherit, TTL_INHERIT, NULL, BOOL)},
	V(external, COLLECT_METADATA, "external", BOOL), HIDE},
	V(vnifilter, VNIFILTER, "vnifilter", BOOL), HIDE},
	V(id, ID, "id", UINT), .key = "id", .max = 16777215, .flags = NCTL_FIELD_IDENTITY,
		.change = NCTL_CHANGE_RECREATE, .help = "the VXLAN network identifier"},
	V(link, LINK, "link", LINK)},
	V(port_range, PORT_RANGE, "port_range", RAW), .ops = &range_ops, .change = NCTL_CHANGE_RECREATE},
	V(port, PORT, "port", UINT), .key = "port", .flags = NCTL_FIELD_BIG_ENDIAN,
		.change = NCTL_CHANGE_RECREATE, .help = "UDP port of the other ends"},
	V(learning, LEARNING, "learning", BOOL), .key = "mac-learning",
		.help = "whether source addresses are learnt from the tunnel"},
	V(proxy, PROXY, "proxy", BOOL), HIDE, .key = "arp-proxy", .help = "whether ARP is answered here"},
	V(rsc, RSC, "rsc", BOOL), HIDE, .key = "short-circuit", .help = "whether routes are cut short"},
	V(l2miss, L2MISS, "l2miss", BOOL), HIDE},
	V(l3miss, L3MISS, "l3miss", BOOL), HIDE},
	V(tos, TOS, "tos", UINT), HIDE, .format = NCTL_FORMAT_HEX_0X, .key = "type-of-service",
		.help = "type of service of the outer packets, 1 that of the inner"},
	V(df, DF, "df", ENUM), .names = df_names, .key = "do-not-fragment",
		.help = "whether outer packets must not be fragmented"},
	V(label, LABEL, "label", UINT), .flags = NCTL_FIELD_HIDE_ZERO | NCTL_FIELD_BIG_ENDIAN,
		.format = NCTL_FORMAT_HEX_0X, .key = "flow-label", .max = 0xfffff,
		.help = "flow label of outer packets over IPv6"},
	V(ageing, AGEING, "ageing", UINT), .unit = NCTL_UNIT_SEC, .key = "ageing",
		.help = "age at which a learnt address is forgotten"},
	V(limit, LIMIT, "limit", UINT), HIDE, .key = "limit", .help = "most addresses to learn, 0 any number"},
	V(udp_csum, UDP_CSUM, "udp_csum", BOOL)},
	V(zero_csum6_tx, UDP_ZERO_CSUM6_TX, "udp_zero_csum6_tx", BOOL)},
	V(zero_csum6_rx, UDP_ZERO_CSUM6_RX, "udp_zero_csum6_rx", BOOL)},
	V(remcsum_tx, REMCSUM_TX, "remcsum_tx", BOOL), HIDE},
	V(remcsum_rx, REMCSUM_RX, "remcsum_rx", BOOL), HIDE},
	V(nopartial, REMCSUM_NOPARTIAL, NULL, BOOL), .ops = &nctl_codec_flag_ops, .flags = NCTL_FIELD_OMIT_ZERO},
	V(gbp, GBP, "gbp", BOOL), .ops = &nctl_codec_flag_ops, .flags = NCTL_FIELD_OMIT_ZERO},
	V(gpe, GPE, "gpe", BOOL), .ops = &nctl_codec_flag_ops, .flags = NCTL_FIELD_OMIT_ZERO},
};
/* clang-format on */

static bool is_none(const struct nctl_prefix *p)
{
	return p->family == AF_UNSPEC || nctl_prefix_is_unspecified(p);
}

static uint64_t vxlan_shown(const void *data, uint64_t has)
{
	const struct vxlan_data *d = data;
	bool hidden[N_SHOWN] = {
		[GROUP] = is_none(&d->group) || !nctl_prefix_is_multicast(&d->group),
		[REMOTE] = is_none(&d->group) || nctl_prefix_is_multicast(&d->group),
		[GROUP6] = is_none(&d->group6) || !nctl_prefix_is_multicast(&d->group6),
		[REMOTE6] = is_none(&d->group6) || nctl_prefix_is_multicast(&d->group6),
		[LOCAL] = is_none(&d->local),
		[LOCAL6] = is_none(&d->local6),
		[TTL] = d->ttl_inherit != 0,
	};

	for (unsigned i = 0; i < N_SHOWN; i++)
		has &= ~((uint64_t)hidden[i] << i);
	return has;
}

const struct nctl_kind nctl_kind_vxlan = {
	.name = "vxlan",
	.lower_key = "link",
	.help = "tunnels of Ethernet in UDP between any number of ends",
	.data_size = sizeof(struct vxlan_data),
	.data = {vxlan_fields, NCTL_ARRAY_SIZE(vxlan_fields)},
	.shown = vxlan_shown,
};
