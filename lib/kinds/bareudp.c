/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: bareudp (drivers/net/bareudp.c bareudp_fill_info, RFC 7510): one protocol in UDP. */
#include <linux/if_ether.h>
#include <linux/if_link.h>

#include "base/cleanup.h"
#include "codec/codec.h"
#include "obj/kind.h"

struct bareudp_data {
	uint16_t port, ethertype, srcport_min;
	uint8_t multiproto;
};

enum { MULTIPROTO }; /* its place in bareudp_fields */

static const struct nctl_name ethertype_names[] = {
	{"ip", ETH_P_IP, NULL},
	{"ipv6", ETH_P_IPV6, NULL},
	{"mpls_uc", ETH_P_MPLS_UC, NULL},
	{"mpls_mc", ETH_P_MPLS_MC, NULL},
	{0},
};

/* clang-format off */
#define B(member_, attr_, json_, type_)                                                                      \
	{.json = json_, NCTL_FIELD(struct bareudp_data, member_), .attr = IFLA_BAREUDP_##attr_,              \
		.type = NCTL_FIELD_##type_, .change = NCTL_CHANGE_RECREATE

static const struct nctl_field bareudp_fields[] = {
	[MULTIPROTO] = B(multiproto, MULTIPROTO_MODE, "multiproto", BOOL), .ops = &nctl_codec_flag_ops,
		.flags = NCTL_FIELD_OMIT_ZERO},
	B(port, PORT, "dstport", UINT), .flags = NCTL_FIELD_BIG_ENDIAN, .key = "port",
		.help = "UDP port of the other ends"},
	B(ethertype, ETHERTYPE, "ethertype", ENUM), .names = ethertype_names, .flags = NCTL_FIELD_BIG_ENDIAN,
		.key = "ethertype", .help = "the protocol inside"},
	B(srcport_min, SRCPORT_MIN, "srcportmin", UINT)},
};
/* clang-format on */

/* The kernel says only yes, ip(8) says no as well. */
static void bareudp_fixup(void *data, uint64_t *has)
{
	(void)data;
	*has |= UINT64_C(1) << MULTIPROTO;
}

const struct nctl_kind nctl_kind_bareudp = {
	.name = "bareudp",
	.help = "tunnels of one protocol in UDP",
	.data_size = sizeof(struct bareudp_data),
	.data = {bareudp_fields, NCTL_ARRAY_SIZE(bareudp_fields)},
	.fixup = bareudp_fixup,
};
