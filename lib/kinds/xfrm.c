/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: xfrm (net/xfrm/xfrm_interface_core.c xfrmi_fill_info): IPsec policies apply to what it sends by its
 * number. */
#include <linux/if_link.h>

#include "base/cleanup.h"
#include "codec/codec.h"
#include "obj/kind.h"

struct xfrm_data {
	uint32_t link, if_id;
	uint8_t external;
};

enum { IF_ID }; /* its place in xfrm_fields */

/* clang-format off */
#define X(member_, attr_, json_, type_)                                                                      \
	{.json = json_, NCTL_FIELD(struct xfrm_data, member_), .attr = IFLA_XFRM_##attr_,                    \
		.type = NCTL_FIELD_##type_, .change = NCTL_CHANGE_RECREATE

static const struct nctl_field xfrm_fields[] = {
	[IF_ID] = X(if_id, IF_ID, "if_id", UINT), .format = NCTL_FORMAT_HEX_0X, .key = "if-id", .min = 1,
		.flags = NCTL_FIELD_IDENTITY | NCTL_FIELD_REQUIRED, .help = "number by which policies and states name it"},
	X(link, LINK, NULL, LINK), .flags = NCTL_FIELD_LOWER},
	X(external, COLLECT_METADATA, "external", BOOL), .ops = &nctl_codec_flag_ops, .flags = NCTL_FIELD_OMIT_ZERO},
};
/* clang-format on */

static uint64_t xfrm_shown(const void *data, uint64_t has)
{
	const struct xfrm_data *d = data;

	return d->external ? has & ~(UINT64_C(1) << IF_ID) : has;
}

const struct nctl_kind nctl_kind_xfrm = {
	.name = "xfrm",
	.section = "xfrm-interfaces",
	.lower_key = "link",
	.help = "interfaces of IPsec tunnels",
	.data_size = sizeof(struct xfrm_data),
	.data = {xfrm_fields, NCTL_ARRAY_SIZE(xfrm_fields)},
	.shown = xfrm_shown,
};
