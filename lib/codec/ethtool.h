/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <linux/netlink.h>

#include "net/types.h"
#include "nl/msg.h"
#include "obj/ethtool.h"

/* Messages of the ethtool family (linux/ethtool_netlink.h), one group each; family is the family's number. */

#define NCTL_ETHTOOL_FAMILY "ethtool"

/* Asks a link for one group. */
void nctl_ethtool_encode_get(
	uint16_t family, nctl_ifindex ifindex, enum nctl_ethtool_group g, struct nctl_msgbuf *msg);
/* The answer, into ret, which then owns its switches, also on failure. 0, -EBADMSG, -ENOMEM. */
int nctl_ethtool_decode(const struct nlmsghdr *nlh, enum nctl_ethtool_group g, struct nctl_ethtool *ret);
/* Sets of group g the fields in mask with values from v, and the switches. */
void nctl_ethtool_encode_set(uint16_t family, nctl_ifindex ifindex, enum nctl_ethtool_group g,
	const struct nctl_ethtool *v, uint64_t mask, const struct nctl_switches *switches,
	struct nctl_msgbuf *msg);
