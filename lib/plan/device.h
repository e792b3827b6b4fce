/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "net/types.h"
#include "obj/ethtool.h"
#include "obj/wireguard.h"

/* What was read of a link by generic netlink. Outlives the plan and the plan back. */
struct nctl_plan_device {
	uint32_t netns; /* number in the plan */
	nctl_ifindex ifindex;
	const struct nctl_ethtool *ethtool;
	unsigned known;           /* groups of ethtool that could be read */
	const struct nctl_wg *wg; /* NULL: none, or not known */
};
