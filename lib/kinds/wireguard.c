/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: wireguard (drivers/net/wireguard): keys and peers are told by generic netlink, not here. */
#include "obj/kind.h"

static const struct nctl_name modes[] = {{"wireguard", 0, NULL}, {0}};

const struct nctl_kind nctl_kind_wireguard = {
	.name = "wireguard",
	.section = "tunnels",
	.modes = modes,
	.traits = NCTL_KIND_KEYS,
	.help = "WireGuard tunnels; see WIREGUARD",
};
