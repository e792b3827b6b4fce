/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: vxlan (drivers/net/vxlan/vxlan_core.c vxlan_fill_info, RFC 7348). The remote address is a group or one
 * end's, which ip(8) tells apart by its key; either family has attributes of its own.
 */
#include <errno.h>
#include <linux/if_link.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/num.h"
#include "base/strbuf.h"
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

/* Indexes into vxlan_fields of those that are shown by value, and of those that hooks look at. */
enum {
	GROUP,
	REMOTE,
	GROUP6,
	REMOTE6,
	LOCAL,
	LOCAL6,
	TTL,
	N_SHOWN,
	EXTERNAL = 8,
	VNIFILTER,
	ID,
	LINK,
	RANGE,
	PORT,
	LEARNING,
	GBP = 30,
	GPE
};

static const struct nctl_name df_names[] = {
	{"unset", VXLAN_DF_UNSET, "false"},
	{"set", VXLAN_DF_SET, "true"},
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

/* One port after the other, at most two. */
static int range_parse(const struct nctl_field *f, const char *text, void *data, struct nctl_strbuf *why)
{
	uint8_t *b = (uint8_t *)data + f->offset, *at = b[0] || b[1] ? b + 2 : b;
	uint64_t port;

	if (nctl_parse_u64(text, 10, &port) < 0 || port == 0 || port > UINT16_MAX) {
		nctl_strbuf_printf(why, "must be ports between 1 and 65535, not \"%s\"", text);
		return -EINVAL;
	}
	if (at[0] || at[1]) {
		nctl_strbuf_puts(why, "must have two ports, the lowest and the highest");
		return -EINVAL;
	}
	at[0] = (uint8_t)(port >> 8);
	at[1] = (uint8_t)port;
	return 0;
}

static void range_format(const struct nctl_field *f, const void *data, struct nctl_strbuf *out)
{
	const uint8_t *b = (const uint8_t *)data + f->offset;

	nctl_strbuf_printf(out, "[%d, %d]", b[0] << 8 | b[1], b[2] << 8 | b[3]);
}

static const struct nctl_field_ops range_ops = {
	.print = range_print, .parse = range_parse, .format = range_format};

/* clang-format off */
#define V(member_, attr_, json_, type_)                                                                      \
	{.json = json_, NCTL_FIELD(struct vxlan_data, member_), .attr = IFLA_VXLAN_##attr_,                  \
		.type = NCTL_FIELD_##type_
#define HIDE .flags = NCTL_FIELD_HIDE_ZERO
#define FLAG (NCTL_FIELD_OMIT_ZERO | NCTL_FIELD_HIDE_ZERO)
#define FIXED .change = NCTL_CHANGE_RECREATE

static const struct nctl_field vxlan_fields[] = {
	[GROUP] = V(group, GROUP, "group", IP), .key = "remote",
		.help = "where frames without an entry go"},
	[REMOTE] = V(group, GROUP, "remote", IP), .flags = NCTL_FIELD_READONLY},
	[GROUP6] = V(group6, GROUP6, "group6", IP), .key = "remote",
		.flags = NCTL_FIELD_IPV6, .help = "where frames without an entry go"},
	[REMOTE6] = V(group6, GROUP6, "remote6", IP), .flags = NCTL_FIELD_READONLY},
	[LOCAL] = V(local, LOCAL, "local", IP), .key = "local", .help = "address of this end"},
	[LOCAL6] = V(local6, LOCAL6, "local6", IP), .key = "local",
		.flags = NCTL_FIELD_IPV6, .help = "address of this end"},
	[TTL] = V(ttl, TTL, "ttl", UINT), .key = "ttl", .help = "hop limit of the outer packets, 0 the default"},
	V(ttl_inherit, TTL_INHERIT, NULL, BOOL)},
	[EXTERNAL] = V(external, COLLECT_METADATA, "external", BOOL), HIDE, FIXED, .key = "external",
		.help = "whether routes and filters say where each packet goes; then there is no id"},
	[VNIFILTER] = V(vnifilter, VNIFILTER, "vnifilter", BOOL), HIDE, FIXED, .key = "vni-filter",
		.help = "whether only listed network identifiers come in, with external"},
	[ID] = V(id, ID, "id", UINT), .key = "id", .min = 1, .max = 16777215,
		.flags = NCTL_FIELD_IDENTITY,
		.change = NCTL_CHANGE_RECREATE, .help = "the VXLAN network identifier, required without external"},
	[LINK] = V(link, LINK, "link", LINK), .flags = NCTL_FIELD_LOWER},
	[RANGE] = V(port_range, PORT_RANGE, "port_range", RAW), .ops = &range_ops, .key = "port-range",
		.change = NCTL_CHANGE_RECREATE, .help = "UDP ports to send from, the lowest and the highest"},
	[PORT] = V(port, PORT, "port", UINT), .key = "port", .flags = NCTL_FIELD_BIG_ENDIAN,
		.change = NCTL_CHANGE_RECREATE, .help = "UDP port of the other ends"},
	[LEARNING] = V(learning, LEARNING, "learning", BOOL), .key = "mac-learning",
		.help = "whether source addresses are learnt from the tunnel"},
	V(proxy, PROXY, "proxy", BOOL), HIDE, FIXED, .key = "arp-proxy",
		.help = "whether ARP is answered here"},
	V(rsc, RSC, "rsc", BOOL), HIDE, FIXED, .key = "short-circuit",
		.help = "whether routes are cut short"},
	V(l2miss, L2MISS, "l2miss", BOOL), HIDE, FIXED, .key = "notifications.l2-miss",
		.help = "whether programs are told of MAC addresses without an entry"},
	V(l3miss, L3MISS, "l3miss", BOOL), HIDE, FIXED, .key = "notifications.l3-miss",
		.help = "whether programs are told of IP addresses without a neighbour"},
	V(tos, TOS, "tos", UINT), HIDE, .format = NCTL_FORMAT_HEX_0X, .key = "type-of-service",
		.help = "type of service of the outer packets, 1 that of the inner"},
	V(df, DF, "df", ENUM), .names = df_names, .key = "do-not-fragment",
		.help = "whether outer packets must not be fragmented"},
	V(label, LABEL, "label", UINT), .flags = NCTL_FIELD_HIDE_ZERO | NCTL_FIELD_BIG_ENDIAN,
		.format = NCTL_FORMAT_HEX_0X, .key = "flow-label", .max = 0xfffff,
		.help = "flow label of outer packets over IPv6"},
	V(ageing, AGEING, "ageing", UINT), .unit = NCTL_UNIT_SEC, .key = "ageing",
		.help = "age at which a learnt address is forgotten"},
	V(limit, LIMIT, "limit", UINT), HIDE, FIXED, .key = "limit", .help = "most addresses to learn, 0 any number"},
	V(udp_csum, UDP_CSUM, "udp_csum", BOOL), FIXED, .key = "checksums.udp",
		.help = "whether outer packets over IPv4 have a checksum"},
	V(zero_csum6_tx, UDP_ZERO_CSUM6_TX, "udp_zero_csum6_tx", BOOL), FIXED, .key = "checksums.zero-udp6-tx",
		.help = "whether outer packets over IPv6 are sent without a checksum"},
	V(zero_csum6_rx, UDP_ZERO_CSUM6_RX, "udp_zero_csum6_rx", BOOL), FIXED, .key = "checksums.zero-udp6-rx",
		.help = "whether outer packets over IPv6 may come without a checksum"},
	V(remcsum_tx, REMCSUM_TX, "remcsum_tx", BOOL), HIDE, FIXED, .key = "checksums.remote-tx",
		.help = "whether the other end is left to compute inner checksums"},
	V(remcsum_rx, REMCSUM_RX, "remcsum_rx", BOOL), HIDE, FIXED, .key = "checksums.remote-rx",
		.help = "whether inner checksums are computed that the other end has left to this one"},
	V(nopartial, REMCSUM_NOPARTIAL, NULL, BOOL), .ops = &nctl_codec_flag_ops, .flags = NCTL_FIELD_OMIT_ZERO},
	[GBP] = V(gbp, GBP, "gbp", BOOL), .ops = &nctl_codec_flag_ops, .flags = FLAG, FIXED,
		.key = "extensions.group-policy", .help = "whether packets carry the mark of their sender's group"},
	[GPE] = V(gpe, GPE, "gpe", BOOL), .ops = &nctl_codec_flag_ops, .flags = FLAG, FIXED,
		.key = "extensions.generic-protocol", .help = "whether packets say what they carry, without Ethernet"},
};
/* clang-format on */
_Static_assert(NCTL_ARRAY_SIZE(vxlan_fields) == GPE + 1, "fields were added before those that hooks look at");

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

static uint64_t bit(unsigned field)
{
	return UINT64_C(1) << field;
}

/* vxlan_config_validate, VXLAN_F_ALLOWED_GPE */
static int check_external(const struct vxlan_data *d, uint64_t has, struct nctl_strbuf *why)
{
	if (!d->external != !!(has & bit(ID))) {
		nctl_strbuf_puts(why, d->external ? "must not be given with external" : "must be given");
		return ID;
	}
	if (d->vnifilter && !d->external) {
		nctl_strbuf_puts(why, "needs external");
		return VNIFILTER;
	}
	if (d->gpe && (!d->external || d->gbp)) {
		nctl_strbuf_puts(why, d->gbp ? "excludes group-policy" : "needs external");
		return GPE;
	}
	return -1;
}

static int vxlan_check(const void *data, uint64_t has, struct nctl_strbuf *why)
{
	const struct vxlan_data *d = data;
	bool v4 = has & (bit(GROUP) | bit(LOCAL)), v6 = has & (bit(GROUP6) | bit(LOCAL6));
	const struct nctl_prefix *remote = has & bit(GROUP6) ? &d->group6 : &d->group;
	const uint8_t *r = d->port_range.low;

	if (v4 && v6) {
		nctl_strbuf_puts(why, "must be of the same family as local");
		return has & bit(GROUP6) ? GROUP6 : GROUP;
	}
	if (nctl_prefix_is_multicast(remote) && !(has & bit(LINK))) {
		nctl_strbuf_puts(why, "is a group's address, so link must say where the group is");
		return has & bit(GROUP6) ? GROUP6 : GROUP;
	}
	if (has & bit(RANGE) && (r[0] << 8 | r[1]) > (r[2] << 8 | r[3])) {
		nctl_strbuf_puts(why, "must have two ports, the lowest and the highest");
		return RANGE;
	}
	return check_external(d, has, why);
}

/* Either family is for good (vxlan_nl2conf). */
static enum nctl_change_class vxlan_change_class(const void *have, const void *want, uint64_t mask)
{
	const struct vxlan_data *h = have, *w = want;
	bool v6 = !is_none(&h->group6) || !is_none(&h->local6);
	bool v4 = !is_none(&h->group) || !is_none(&h->local);
	bool to_v6 = mask & (bit(GROUP6) | bit(LOCAL6)) && (!is_none(&w->group6) || !is_none(&w->local6));
	bool to_v4 = mask & (bit(GROUP) | bit(LOCAL)) && (!is_none(&w->group) || !is_none(&w->local));

	return (v4 && to_v6) || (v6 && to_v4) ? NCTL_CHANGE_RECREATE : NCTL_CHANGE_LIVE;
}

/* With external there is nothing to learn, and some extensions exclude it (VXLAN_F_ALLOWED_GPE); ip(8) says
 * no, too. */
static void vxlan_complete(void *data, uint64_t *has)
{
	struct vxlan_data *d = data;

	if (d->external)
		*has |= bit(LEARNING);
}

/* The kernel says only yes. */
static void vxlan_fixup(void *data, uint64_t *has)
{
	(void)data;
	*has |= bit(GBP) | bit(GPE);
}

static const struct nctl_name modes[] = {{"vxlan", 0, NULL}, {0}};

const struct nctl_kind nctl_kind_vxlan = {
	.name = "vxlan",
	.section = "tunnels",
	.modes = modes,
	.lower_key = "link",
	.help = "tunnels of Ethernet in UDP between any number of ends",
	.data_size = sizeof(struct vxlan_data),
	.data = {vxlan_fields, NCTL_ARRAY_SIZE(vxlan_fields)},
	.shown = vxlan_shown,
	.check = vxlan_check,
	.complete = vxlan_complete,
	.fixup = vxlan_fixup,
	.change_class = vxlan_change_class,
};
