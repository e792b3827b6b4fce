/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: vcan (drivers/net/can/vcan.c): no attributes of its own. */
#include "obj/kind.h"

const struct nctl_kind nctl_kind_vcan = {
	.name = "vcan",
	.help = "CAN buses without hardware",
};
