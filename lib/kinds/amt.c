/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: amt (drivers/net/amt.c amt_fill_info, RFC 7450): multicast to where none is routed. */
#include <stdint.h>
#include <linux/amt.h>

#include "base/cleanup.h"
#include "obj/kind.h"

struct amt_data {
	uint32_t mode, link, max_tunnels;
	struct nctl_prefix local, remote, discovery;
	uint16_t relay_port, gateway_port;
};

static const struct nctl_name mode_names[] = {
	{"gateway", AMT_MODE_GATEWAY, NULL}, {"relay", AMT_MODE_RELAY, NULL}, {0}};

/* clang-format off */
#define A(member_, attr_, json_, type_)                                                                      \
	{.json = json_, NCTL_FIELD(struct amt_data, member_), .attr = IFLA_AMT_##attr_,                      \
		.type = NCTL_FIELD_##type_, .change = NCTL_CHANGE_RECREATE

static const struct nctl_field amt_fields[] = {
	A(mode, MODE, "mode", ENUM), .names = mode_names},
	A(gateway_port, GATEWAY_PORT, "gateway_port", UINT), .flags = NCTL_FIELD_BIG_ENDIAN},
	A(relay_port, RELAY_PORT, "relay_port", UINT), .flags = NCTL_FIELD_BIG_ENDIAN},
	A(local, LOCAL_IP, "local", IP), .key = "local", .help = "address of this end"},
	A(remote, REMOTE_IP, "remote", IP), .flags = NCTL_FIELD_READONLY},
	A(discovery, DISCOVERY_IP, "discovery", IP)},
	A(link, LINK, "link", LINK)},
	A(max_tunnels, MAX_TUNNELS, "max_tunnels", UINT)},
};
/* clang-format on */

const struct nctl_kind nctl_kind_amt = {
	.name = "amt",
	.help = "tunnels that bring multicast to where none is routed",
	.data_size = sizeof(struct amt_data),
	.data = {amt_fields, NCTL_ARRAY_SIZE(amt_fields)},
};
