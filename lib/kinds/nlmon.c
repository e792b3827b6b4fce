/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: nlmon (drivers/net/nlmon.c): no attributes of its own. */
#include "obj/kind.h"

const struct nctl_kind nctl_kind_nlmon = {
	.name = "nlmon",
	.help = "taps of netlink messages",
};
