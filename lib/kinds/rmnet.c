/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: rmnet (drivers/net/ethernet/qualcomm/rmnet rmnet_fill_info): one of the channels of a modem. */
#include <linux/if_link.h>

#include "base/cleanup.h"
#include "obj/kind.h"

struct rmnet_data {
	uint16_t mux_id;
	struct ifla_rmnet_flags flags;
};

static const struct nctl_field rmnet_fields[] = {
	{.json = "mux_id",
		NCTL_FIELD(struct rmnet_data, mux_id),
		.attr = IFLA_RMNET_MUX_ID,
		.type = NCTL_FIELD_UINT,
		.flags = NCTL_FIELD_IDENTITY,
		.max = 254},
	{NCTL_FIELD(struct rmnet_data, flags), .attr = IFLA_RMNET_FLAGS, .type = NCTL_FIELD_RAW,
		.flags = NCTL_FIELD_READONLY},
};

const struct nctl_kind nctl_kind_rmnet = {
	.name = "rmnet",
	.lower_key = "link",
	.help = "channels of a modem",
	.traits = NCTL_KIND_LOWER_REQUIRED,
	.data_size = sizeof(struct rmnet_data),
	.data = {rmnet_fields, NCTL_ARRAY_SIZE(rmnet_fields)},
};
