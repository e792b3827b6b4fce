/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: virt_wifi (drivers/net/wireless/virtual/virt_wifi.c): no attributes of its own. */
#include "obj/kind.h"

const struct nctl_kind nctl_kind_virt_wifi = {
	.name = "virt_wifi",
	.help = "wireless interfaces on Ethernet ones",
	.traits = NCTL_KIND_LOWER_REQUIRED,
};
