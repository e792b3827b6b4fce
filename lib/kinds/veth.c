/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: veth (drivers/net/veth.c), made in pairs: see pair.c. */
#include "kinds/pair.h"

const struct nctl_kind nctl_kind_veth = {
	.name = "veth",
	.section = "virtual-ethernets",
	.peer_key = "peer",
	.help = "pairs of interfaces: what enters one leaves the other",
	.traits = NCTL_KIND_PEERED,
	.encode_extra = nctl_pair_encode,
};
