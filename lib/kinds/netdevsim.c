/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: netdevsim (drivers/net/netdevsim): no attributes of its own. */
#include "obj/kind.h"

const struct nctl_kind nctl_kind_netdevsim = {
	.name = "netdevsim",
	.help = "interfaces for tests of the kernel",
};
