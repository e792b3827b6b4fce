/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: vrf (drivers/net/vrf.c). The table is given at creation and never again: there is no changelink. */
#include <linux/if_link.h>

#include "base/cleanup.h"
#include "obj/kind.h"

struct vrf_data {
	uint32_t table;
};

static const struct nctl_field vrf_fields[] = {
	{.key = "table",
		.json = "table",
		.help = "the routing table of the VRF",
		NCTL_FIELD(struct vrf_data, table),
		.attr = IFLA_VRF_TABLE,
		.type = NCTL_FIELD_UINT,
		.flags = NCTL_FIELD_REQUIRED,
		.change = NCTL_CHANGE_RECREATE,
		.min = 1},
};

static const struct nctl_field vrf_port_fields[] = {
	{.json = "table",
		NCTL_FIELD(struct vrf_data, table),
		.attr = IFLA_VRF_PORT_TABLE,
		.type = NCTL_FIELD_UINT,
		.flags = NCTL_FIELD_READONLY},
};

const struct nctl_kind nctl_kind_vrf = {
	.name = "vrf",
	.section = "vrfs",
	.ports_key = "interfaces",
	.help = "virtual routing and forwarding: links with a routing table of their own",
	.traits = NCTL_KIND_VRF,
	.data_size = sizeof(struct vrf_data),
	.data = {vrf_fields, NCTL_ARRAY_SIZE(vrf_fields)},
	.port_size = sizeof(struct vrf_data),
	.port = {vrf_port_fields, NCTL_ARRAY_SIZE(vrf_port_fields)},
};
