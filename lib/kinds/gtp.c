/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: gtp (drivers/net/gtp.c gtp_fill_info, 3GPP TS 29.060): made by a program, which gives it its sockets.
 */
#include <linux/if_link.h>

#include "base/cleanup.h"
#include "obj/kind.h"

struct gtp_data {
	uint32_t hashsize, role;
	uint8_t restart_count;
};

static const struct nctl_name role_names[] = {
	{"ggsn", GTP_ROLE_GGSN, NULL}, {"sgsn", GTP_ROLE_SGSN, NULL}, {0}};

/* clang-format off */
#define G(member_, attr_, json_, type_)                                                                      \
	{.json = json_, NCTL_FIELD(struct gtp_data, member_), .attr = IFLA_GTP_##attr_,                      \
		.type = NCTL_FIELD_##type_, .change = NCTL_CHANGE_RECREATE

static const struct nctl_field gtp_fields[] = {
	G(role, ROLE, "role", ENUM), .names = role_names},
	G(hashsize, PDP_HASHSIZE, "hsize", UINT)},
	G(restart_count, RESTART_COUNT, "restart_count", UINT)},
};
/* clang-format on */

const struct nctl_kind nctl_kind_gtp = {
	.name = "gtp",
	.help = "tunnels of mobile subscribers' packets",
	.data_size = sizeof(struct gtp_data),
	.data = {gtp_fields, NCTL_ARRAY_SIZE(gtp_fields)},
};
