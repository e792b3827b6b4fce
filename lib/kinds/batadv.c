/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: batadv (net/batman-adv/soft-interface.c): what it has is told by generic netlink, not here. */
#include "obj/kind.h"

const struct nctl_kind nctl_kind_batadv = {
	.name = "batadv",
	.help = "interfaces of B.A.T.M.A.N. meshes",
};
