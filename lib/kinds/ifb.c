/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: ifb (drivers/net/ifb.c): no attributes of its own. */
#include "obj/kind.h"

const struct nctl_kind nctl_kind_ifb = {
	.name = "ifb",
	.section = "ifb-devices",
	.help = "interfaces that traffic is sent through to be shaped",
};
