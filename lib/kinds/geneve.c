/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: geneve (drivers/net/geneve.c geneve_fill_info, RFC 8926). */
#include <linux/if_link.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "codec/codec.h"
#include "obj/kind.h"

struct geneve_data {
	uint32_t id, label;
	struct nctl_prefix remote, remote6;
	uint16_t port;
	uint8_t ttl, ttl_inherit, tos, df, external, udp_csum, zero_csum6_tx, zero_csum6_rx, inner_proto;
};

/* Indexes into geneve_fields of those that are shown by value, and of those that hooks look at. */
enum { REMOTE, REMOTE6, TTL, CSUM = 10, ZERO_CSUM6_TX, ZERO_CSUM6_RX };

static const struct nctl_name df_names[] = {
	{"unset", GENEVE_DF_UNSET, "false"},
	{"set", GENEVE_DF_SET, "true"},
	{"inherit", GENEVE_DF_INHERIT, NULL},
	{0},
};

/* clang-format off */
#define G(member_, attr_, json_, type_)                                                                      \
	{.json = json_, NCTL_FIELD(struct geneve_data, member_), .attr = IFLA_GENEVE_##attr_,                \
		.type = NCTL_FIELD_##type_

static const struct nctl_field geneve_fields[] = {
	[REMOTE] = G(remote, REMOTE, "remote", IP), .key = "remote",
		.help = "address of the other end"},
	[REMOTE6] = G(remote6, REMOTE6, "remote6", IP), .key = "remote",
		.flags = NCTL_FIELD_IPV6, .help = "address of the other end"},
	[TTL] = G(ttl, TTL, "ttl", UINT), .key = "ttl", .help = "hop limit of the outer packets, 0 the default"},
	G(ttl_inherit, TTL_INHERIT, NULL, BOOL)},
	G(external, COLLECT_METADATA, "external", BOOL), .ops = &nctl_codec_flag_ops, .flags = NCTL_FIELD_OMIT_ZERO},
	G(id, ID, "id", UINT), .key = "id", .max = 16777215,
		.flags = NCTL_FIELD_IDENTITY | NCTL_FIELD_REQUIRED,
		.change = NCTL_CHANGE_RECREATE, .help = "the virtual network identifier"},
	G(tos, TOS, "tos", UINT), .flags = NCTL_FIELD_HIDE_ZERO, .format = NCTL_FORMAT_HEX_0X, .key = "type-of-service",
		.help = "type of service of the outer packets, 1 that of the inner"},
	G(df, DF, "df", ENUM), .names = df_names, .key = "do-not-fragment",
		.help = "whether outer packets must not be fragmented"},
	G(label, LABEL, "label", UINT), .flags = NCTL_FIELD_HIDE_ZERO | NCTL_FIELD_BIG_ENDIAN,
		.format = NCTL_FORMAT_HEX_0X, .key = "flow-label", .max = 0xfffff,
		.help = "flow label of outer packets over IPv6"},
	G(port, PORT, "port", UINT), .flags = NCTL_FIELD_BIG_ENDIAN, .key = "port",
		.change = NCTL_CHANGE_RECREATE, .help = "UDP port of the other end"},
	[CSUM] = G(udp_csum, UDP_CSUM, "udp_csum", BOOL), .change = NCTL_CHANGE_RECREATE,
		.key = "checksums.udp",
		.help = "whether outer packets over IPv4 have a checksum"},
	[ZERO_CSUM6_TX] = G(zero_csum6_tx, UDP_ZERO_CSUM6_TX, "udp_zero_csum6_tx", BOOL), .change = NCTL_CHANGE_RECREATE,
		.key = "checksums.zero-udp6-tx",
		.help = "whether outer packets over IPv6 are sent without a checksum"},
	[ZERO_CSUM6_RX] = G(zero_csum6_rx, UDP_ZERO_CSUM6_RX, "udp_zero_csum6_rx", BOOL), .change = NCTL_CHANGE_RECREATE,
		.key = "checksums.zero-udp6-rx",
		.help = "whether outer packets over IPv6 may come without a checksum"},
	G(inner_proto, INNER_PROTO_INHERIT, "inner_proto_inherit", BOOL), .change = NCTL_CHANGE_RECREATE, .ops = &nctl_codec_flag_ops, .flags = NCTL_FIELD_OMIT_ZERO},
};
/* clang-format on */
_Static_assert(NCTL_ARRAY_SIZE(geneve_fields) == ZERO_CSUM6_RX + 2,
	"fields were added before those that hooks look at");

static uint64_t geneve_shown(const void *data, uint64_t has)
{
	const struct geneve_data *d = data;

	if (nctl_prefix_is_unspecified(&d->remote))
		has &= ~(UINT64_C(1) << REMOTE);
	if (nctl_prefix_is_unspecified(&d->remote6) || nctl_prefix_is_multicast(&d->remote6))
		has &= ~(UINT64_C(1) << REMOTE6);
	return d->ttl_inherit ? has & ~(UINT64_C(1) << TTL) : has;
}

static uint64_t bit(unsigned field)
{
	return UINT64_C(1) << field;
}

/* One bit of the kernel's stands for both checksums, and is shown as that of the family. */
static int geneve_check(const void *data, uint64_t has, struct nctl_strbuf *why)
{
	const struct geneve_data *d = data;

	if (!(has & (bit(REMOTE) | bit(REMOTE6)))) {
		nctl_strbuf_puts(why, "must be given");
		return REMOTE;
	}
	if (has & bit(REMOTE6) && d->udp_csum) {
		nctl_strbuf_puts(why, "is for tunnels over IPv4");
		return CSUM;
	}
	if (has & bit(REMOTE) && (d->zero_csum6_tx || d->zero_csum6_rx)) {
		nctl_strbuf_puts(why, "is for tunnels over IPv6");
		return d->zero_csum6_tx ? ZERO_CSUM6_TX : ZERO_CSUM6_RX;
	}
	return -1;
}

static void geneve_complete(void *data, uint64_t *has)
{
	(void)data;
	*has &= *has & bit(REMOTE6) ? ~bit(CSUM) : ~(bit(ZERO_CSUM6_TX) | bit(ZERO_CSUM6_RX));
}

/* The family stays (drivers/net/geneve.c geneve_nl2info: "Cannot change remote address family"). */
static enum nctl_change_class geneve_change_class(const void *have, const void *want, uint64_t mask)
{
	const struct geneve_data *h = have, *w = want;
	bool v6 = mask & bit(REMOTE6) && !nctl_prefix_is_unspecified(&w->remote6);
	bool v4 = mask & bit(REMOTE) && !nctl_prefix_is_unspecified(&w->remote);

	return (v6 && h->remote6.family == AF_UNSPEC) || (v4 && h->remote.family == AF_UNSPEC)
	               ? NCTL_CHANGE_RECREATE
	               : NCTL_CHANGE_LIVE;
}

static const struct nctl_name modes[] = {{"geneve", 0, NULL}, {0}};

const struct nctl_kind nctl_kind_geneve = {
	.name = "geneve",
	.section = "tunnels",
	.modes = modes,
	.help = "tunnels of Ethernet in UDP between two ends",
	.data_size = sizeof(struct geneve_data),
	.data = {geneve_fields, NCTL_ARRAY_SIZE(geneve_fields)},
	.shown = geneve_shown,
	.check = geneve_check,
	.complete = geneve_complete,
	.change_class = geneve_change_class,
};
