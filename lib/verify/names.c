/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: names of attributes as the kernel's headers have them (linux/if_link.h, if_addr.h, rtnetlink.h,
 * nexthop.h, fib_rules.h), for people who read a difference; those that these headers lack show as numbers.
 */
#include <linux/fib_rules.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "verify/private.h"

#define N(name_) [name_] = #name_

static const char *const link_names[] = {
	N(IFLA_ADDRESS),
	N(IFLA_BROADCAST),
	N(IFLA_IFNAME),
	N(IFLA_MTU),
	N(IFLA_LINK),
	N(IFLA_QDISC),
	N(IFLA_STATS),
	N(IFLA_MASTER),
	N(IFLA_WIRELESS),
	N(IFLA_PROTINFO),
	N(IFLA_TXQLEN),
	N(IFLA_MAP),
	N(IFLA_WEIGHT),
	N(IFLA_OPERSTATE),
	N(IFLA_LINKMODE),
	N(IFLA_LINKINFO),
	N(IFLA_IFALIAS),
	N(IFLA_NUM_VF),
	N(IFLA_VFINFO_LIST),
	N(IFLA_STATS64),
	N(IFLA_AF_SPEC),
	N(IFLA_GROUP),
	N(IFLA_PROMISCUITY),
	N(IFLA_NUM_TX_QUEUES),
	N(IFLA_NUM_RX_QUEUES),
	N(IFLA_CARRIER),
	N(IFLA_PHYS_PORT_ID),
	N(IFLA_CARRIER_CHANGES),
	N(IFLA_PHYS_SWITCH_ID),
	N(IFLA_LINK_NETNSID),
	N(IFLA_PHYS_PORT_NAME),
	N(IFLA_PROTO_DOWN),
	N(IFLA_GSO_MAX_SEGS),
	N(IFLA_GSO_MAX_SIZE),
	N(IFLA_XDP),
	N(IFLA_EVENT),
	N(IFLA_NEW_NETNSID),
	N(IFLA_CARRIER_UP_COUNT),
	N(IFLA_CARRIER_DOWN_COUNT),
	N(IFLA_NEW_IFINDEX),
	N(IFLA_MIN_MTU),
	N(IFLA_MAX_MTU),
	N(IFLA_PROP_LIST),
	N(IFLA_ALT_IFNAME),
	N(IFLA_PERM_ADDRESS),
	N(IFLA_PROTO_DOWN_REASON),
	N(IFLA_PARENT_DEV_NAME),
	N(IFLA_PARENT_DEV_BUS_NAME),
	N(IFLA_GRO_MAX_SIZE),
	N(IFLA_TSO_MAX_SIZE),
	N(IFLA_TSO_MAX_SEGS),
	N(IFLA_ALLMULTI),
	/* of newer headers */
	[62] = "IFLA_DEVLINK_PORT",
	[63] = "IFLA_GSO_IPV4_MAX_SIZE",
	[64] = "IFLA_GRO_IPV4_MAX_SIZE",
	[65] = "IFLA_DPLL_PIN",
	[66] = "IFLA_MAX_PACING_OFFLOAD_HORIZON",
	[67] = "IFLA_NETNS_IMMUTABLE",
};

static const char *const addr_names[] = {
	N(IFA_ADDRESS),
	N(IFA_LOCAL),
	N(IFA_LABEL),
	N(IFA_BROADCAST),
	N(IFA_ANYCAST),
	N(IFA_CACHEINFO),
	N(IFA_MULTICAST),
	N(IFA_FLAGS),
	N(IFA_RT_PRIORITY),
	N(IFA_TARGET_NETNSID),
	N(IFA_PROTO),
};

static const char *const nexthop_names[] = {
	N(NHA_ID),
	N(NHA_GROUP),
	N(NHA_GROUP_TYPE),
	N(NHA_BLACKHOLE),
	N(NHA_OIF),
	N(NHA_GATEWAY),
	N(NHA_ENCAP_TYPE),
	N(NHA_ENCAP),
	N(NHA_GROUPS),
	N(NHA_MASTER),
	N(NHA_FDB),
	N(NHA_RES_GROUP),
	N(NHA_RES_BUCKET),
	[14] = "NHA_OP_FLAGS", /* of newer headers */
};

static const char *const rule_names[] = {
	N(FRA_DST),
	N(FRA_SRC),
	N(FRA_IIFNAME),
	N(FRA_GOTO),
	N(FRA_PRIORITY),
	N(FRA_FWMARK),
	N(FRA_FLOW),
	N(FRA_TUN_ID),
	N(FRA_SUPPRESS_IFGROUP),
	N(FRA_SUPPRESS_PREFIXLEN),
	N(FRA_TABLE),
	N(FRA_FWMASK),
	N(FRA_OIFNAME),
	N(FRA_PAD),
	N(FRA_L3MDEV),
	N(FRA_UID_RANGE),
	N(FRA_PROTOCOL),
	N(FRA_IP_PROTO),
	N(FRA_SPORT_RANGE),
	N(FRA_DPORT_RANGE),
};

static const char *const route_names[] = {
	N(RTA_DST),
	N(RTA_SRC),
	N(RTA_IIF),
	N(RTA_OIF),
	N(RTA_GATEWAY),
	N(RTA_PRIORITY),
	N(RTA_PREFSRC),
	N(RTA_METRICS),
	N(RTA_MULTIPATH),
	N(RTA_FLOW),
	N(RTA_CACHEINFO),
	N(RTA_TABLE),
	N(RTA_MARK),
	N(RTA_MFC_STATS),
	N(RTA_VIA),
	N(RTA_NEWDST),
	N(RTA_PREF),
	N(RTA_ENCAP_TYPE),
	N(RTA_ENCAP),
	N(RTA_EXPIRES),
	N(RTA_UID),
	N(RTA_TTL_PROPAGATE),
	N(RTA_IP_PROTO),
	N(RTA_SPORT),
	N(RTA_DPORT),
	N(RTA_NH_ID),
};

static const struct {
	const char *type;
	const char *const *attrs;
	size_t n;
} names[NCTL_OBJECT_N_TYPES] = {
	[NCTL_OBJECT_LINK] = {"link", link_names, NCTL_ARRAY_SIZE(link_names)},
	[NCTL_OBJECT_ADDR] = {"address", addr_names, NCTL_ARRAY_SIZE(addr_names)},
	[NCTL_OBJECT_NEXTHOP] = {"nexthop", nexthop_names, NCTL_ARRAY_SIZE(nexthop_names)},
	[NCTL_OBJECT_RULE] = {"rule", rule_names, NCTL_ARRAY_SIZE(rule_names)},
	[NCTL_OBJECT_ROUTE4] = {"route", route_names, NCTL_ARRAY_SIZE(route_names)},
	[NCTL_OBJECT_ROUTE6] = {"route6", route_names, NCTL_ARRAY_SIZE(route_names)},
};

const char *verify_type_name(enum nctl_object_type type)
{
	return names[type].type;
}

const char *verify_attr_name(enum nctl_object_type type, unsigned attr, char buf[16])
{
	if (attr < names[type].n && names[type].attrs[attr])
		return names[type].attrs[attr];
	snprintf(buf, 16, "%u", attr);
	return buf;
}

/* Those of links are the codec's business (nctl_link_skipped). */
static const struct {
	enum nctl_object_type type;
	const char *path, *reason;
} skips[] = {
	{NCTL_OBJECT_ADDR, "IFA_CACHEINFO", "seconds left, and time stamps"},
	{NCTL_OBJECT_RULE, "FRA_PAD", "nothing"},
	{NCTL_OBJECT_NEXTHOP, "NHA_RES_GROUP/4", "time since the group became unbalanced"},
	{NCTL_OBJECT_ROUTE4, "RTA_CACHEINFO", "time stamps, use counts and seconds left"},
	{NCTL_OBJECT_ROUTE6, "RTA_CACHEINFO", "time stamps, use counts and seconds left"},
};

bool verify_is_skipped(enum nctl_object_type type, const char *path)
{
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(skips); i++)
		if (skips[i].type == type && strcmp(skips[i].path, path) == 0)
			return true;
	return false;
}

static bool link_skipped(size_t i, char buf[64], const char **ret_name, const char **ret_reason)
{
	struct nctl_link_skip s;

	if (!nctl_link_skipped(i, &s))
		return false;
	snprintf(buf, 64, "%s%s%s%s", s.kind ? s.kind : "", s.port ? " port" : "", s.kind ? " " : "", s.name);
	*ret_name = buf;
	*ret_reason = s.why;
	return true;
}

bool nctl_verify_skipped(
	enum nctl_object_type type, size_t i, char buf[64], const char **ret_name, const char **ret_reason)
{
	if (type == NCTL_OBJECT_LINK)
		return link_skipped(i, buf, ret_name, ret_reason);
	for (size_t j = 0; j < NCTL_ARRAY_SIZE(skips); j++) {
		if (skips[j].type != type || i-- != 0)
			continue;
		*ret_name = skips[j].path;
		*ret_reason = skips[j].reason;
		return true;
	}
	return false;
}
