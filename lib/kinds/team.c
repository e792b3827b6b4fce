/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: team (drivers/net/team): options are told by generic netlink, not here. A port must be down to join,
 * and gets its MTU back in the end.
 */
#include "obj/kind.h"

const struct nctl_kind nctl_kind_team = {
	.name = "team",
	.help = "several links that act as one, led by a program",
	.traits = NCTL_KIND_PORT_DOWN | NCTL_KIND_MULTICAST_TO_PORTS,
};
