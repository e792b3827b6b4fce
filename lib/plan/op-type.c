/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: what is so of all operations of one type, in one table.
 */
#include "plan/op.h"

static const struct nctl_op_info infos[] = {
	[NCTL_OP_LINK_NEW] = {"create", "link", .rtnl = true},
	[NCTL_OP_LINK_SET] = {"change", "link", .rtnl = true},
	[NCTL_OP_LINK_DEL] = {"delete", "link", .rtnl = true, .deletes = true},
	[NCTL_OP_ALTNAME_NEW] = {"add", "altname", .rtnl = true},
	[NCTL_OP_ALTNAME_DEL] = {"remove", "altname", .rtnl = true},
	[NCTL_OP_ADDR_NEW] = {"add", "address", .rtnl = true},
	[NCTL_OP_ADDR_DEL] = {"remove", "address", .rtnl = true, .deletes = true},
	[NCTL_OP_ROUTE_NEW] = {"add", "route", .rtnl = true, .fib = true},
	[NCTL_OP_ROUTE_DEL] = {"remove", "route", .rtnl = true, .fib = true, .deletes = true},
	[NCTL_OP_NEXTHOP_NEW] = {"add", "nexthop", .rtnl = true, .fib = true},
	[NCTL_OP_NEXTHOP_DEL] = {"remove", "nexthop", .rtnl = true, .fib = true, .deletes = true},
	[NCTL_OP_RULE_NEW] = {"add", "rule", .rtnl = true, .fib = true},
	[NCTL_OP_RULE_DEL] = {"remove", "rule", .rtnl = true, .fib = true, .deletes = true},
	[NCTL_OP_NEIGH_NEW] = {"add", "neigh", .rtnl = true, .fib = true},
	[NCTL_OP_NEIGH_DEL] = {"remove", "neigh", .rtnl = true, .fib = true, .deletes = true},
	[NCTL_OP_VLANS_ADD] = {"add", "vlans", .rtnl = true},
	[NCTL_OP_VLANS_DEL] = {"remove", "vlans", .rtnl = true},
	[NCTL_OP_ETHTOOL_SET] = {"set", "ethtool"},
	[NCTL_OP_WG_SET] = {"set", "wireguard"},
	[NCTL_OP_NETNS_NEW] = {"create", "netns"},
	[NCTL_OP_NETNS_DEL] = {"delete", "netns", .deletes = true},
	[NCTL_OP_NETNS_ID] = {"look up", "netns"},
	[NCTL_OP_SYSCTL_SET] = {"set", "sysctl"},
};
_Static_assert(sizeof(infos) / sizeof(infos[0]) == NCTL_OP_TYPES, "each type has its row");

const struct nctl_op_info *nctl_op_info(const struct nctl_op *op)
{
	return &infos[op->type];
}
