/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: wireguard (drivers/net/wireguard): keys and peers are told by generic netlink, not here. */
#include "obj/kind.h"

const struct nctl_kind nctl_kind_wireguard = {
	.name = "wireguard",
	.help = "WireGuard tunnels",
};
