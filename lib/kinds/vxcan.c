/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: vxcan (drivers/net/can/vxcan.c), made in pairs: see pair.c. */
#include "kinds/pair.h"

const struct nctl_kind nctl_kind_vxcan = {
	.name = "vxcan",
	.help = "pairs of CAN interfaces: what enters one leaves the other",
	.traits = NCTL_KIND_PEERED,
	.encode_extra = nctl_pair_encode,
};
