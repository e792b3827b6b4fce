/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the tables of what a configuration can say of routes, next hops and rules. The words are netplan's
 * where it has one, those of ip-route(8) and ip-rule(8) otherwise. Limits are those of the kernel
 * (net/ipv4/metrics.c ip_metrics_convert clamps what is above; rtnh_hops + 1 is a weight).
 */
#include <linux/fib_rules.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "obj/fib-keys.h"

_Static_assert(NCTL_RTAX_N == RTAX_MAX + 1 || NCTL_RTAX_N > RTAX_MAX, "a place for each metric");
_Static_assert(
	NCTL_ROUTE_TYPE_NAT == RTN_NAT && NCTL_ROUTE_TYPE_XRESOLVE == RTN_XRESOLVE, "linux/rtnetlink.h");

static const struct nctl_name type_names[] = {
	{"unicast", RTN_UNICAST, NULL},
	{"anycast", RTN_ANYCAST, NULL},
	{"blackhole", RTN_BLACKHOLE, NULL},
	{"broadcast", RTN_BROADCAST, NULL},
	{"local", RTN_LOCAL, NULL},
	{"multicast", RTN_MULTICAST, NULL},
	{"nat", RTN_NAT, NULL},
	{"prohibit", RTN_PROHIBIT, NULL},
	{"throw", RTN_THROW, NULL},
	{"unreachable", RTN_UNREACHABLE, NULL},
	{"xresolve", RTN_XRESOLVE, NULL},
	{0},
};

static const struct nctl_name scope_names[] = {
	{"global", RT_SCOPE_UNIVERSE, NULL},
	{"link", RT_SCOPE_LINK, NULL},
	{"host", RT_SCOPE_HOST, NULL},
	{0},
};

static const struct nctl_name lock_names[] = {
	{"mtu", 1 << RTAX_MTU, NULL},
	{"window", 1 << RTAX_WINDOW, NULL},
	{"rtt", 1 << RTAX_RTT, NULL},
	{"rttvar", 1 << RTAX_RTTVAR, NULL},
	{"ssthresh", 1 << RTAX_SSTHRESH, NULL},
	{"cwnd", 1 << RTAX_CWND, NULL},
	{"advertised-mss", 1 << RTAX_ADVMSS, NULL},
	{"reordering", 1 << RTAX_REORDERING, NULL},
	{"hop-limit", 1 << RTAX_HOPLIMIT, NULL},
	{"congestion-window", 1 << RTAX_INITCWND, NULL},
	{"rto-min", 1 << RTAX_RTO_MIN, NULL},
	{"advertised-receive-window", 1 << RTAX_INITRWND, NULL},
	{"congestion-control", 1 << RTAX_CC_ALGO, NULL},
	{0},
};

static const struct nctl_name feature_names[] = {{"ecn", RTAX_FEATURE_ECN, NULL}, {0}};

static const struct nctl_name family_names[] = {
	{"ipv4", AF_INET, NULL},
	{"ipv6", AF_INET6, NULL},
	{0},
};

static const struct nctl_name group_type_names[] = {
	{"mpath", NEXTHOP_GRP_TYPE_MPATH, NULL},
	{"resilient", NEXTHOP_GRP_TYPE_RES, NULL},
	{0},
};

static const struct nctl_name action_names[] = {
	{"lookup", FR_ACT_TO_TBL, NULL},
	{"nop", FR_ACT_NOP, NULL},
	{"blackhole", FR_ACT_BLACKHOLE, NULL},
	{"unreachable", FR_ACT_UNREACHABLE, NULL},
	{"prohibit", FR_ACT_PROHIBIT, NULL},
	{0},
};

static const struct nctl_name ip_proto_names[] = {
	{"icmp", 1, NULL},
	{"igmp", 2, NULL},
	{"ipip", 4, NULL},
	{"tcp", 6, NULL},
	{"udp", 17, NULL},
	{"gre", 47, NULL},
	{"esp", 50, NULL},
	{"ah", 51, NULL},
	{"icmpv6", 58, "ipv6-icmp"},
	{"ospf", 89, NULL},
	{"vrrp", 112, NULL},
	{"sctp", 132, NULL},
	{0},
};

/* clang-format off */
#define R(key_, member_, type_, help_) .key = key_, NCTL_FIELD(struct nctl_route_form, member_), .help = help_, \
	.type = NCTL_FIELD_##type_
#define AX(key_, rtax_, help_) {.key = key_, .offset = offsetof(struct nctl_route_form, metrics[RTAX_##rtax_]), \
	.size = sizeof(uint32_t), .help = help_, .attr = RTAX_##rtax_

static const struct nctl_field route_fields[] = {
	[NCTL_ROUTE_KEY_TO] = {R("to", to, TEXT, "where packets go to: an address, a network, or default"),
		.flags = NCTL_FIELD_REQUIRED, .min = 1},
	[NCTL_ROUTE_KEY_VIA] = {R("via", via, IP, "the gateway; of IPv4 routes it may be an IPv6 address")},
	[NCTL_ROUTE_KEY_FROM] = {R("from", from, IP, "source address that packets from here get")},
	[NCTL_ROUTE_KEY_ON_LINK] = {R("on-link", on_link, BOOL,
		"the gateway is taken for a neighbour on the device, whatever its addresses are")},
	[NCTL_ROUTE_KEY_METRIC] = {R("metric", metric, UINT,
		"the lowest one counts; 0, in IPv6 1024, where it is not given")},
	[NCTL_ROUTE_KEY_TYPE] = {R("type", type, ENUM, "what becomes of packets; unicast where it is not given"),
		.names = type_names},
	[NCTL_ROUTE_KEY_SCOPE] = {R("scope", scope, ENUM,
		"how far away it is; where it is not given, host for local, link for broadcast, multicast, anycast "
		"and what has no gateway, else global; IPv6 has none"), .names = scope_names},
	[NCTL_ROUTE_KEY_TABLE] = {R("table", table, UINT,
		"the routing table; that of the VRF, or else main (254), and local (255) for local, broadcast and anycast"),
		.min = 1, .max = UINT32_MAX},
	[NCTL_ROUTE_KEY_NEXTHOP] = {R("nexthop", nexthop, UINT, "the number of a next-hop object to use"),
		.min = 1, .max = UINT32_MAX},
	[NCTL_ROUTE_KEY_CONGESTION_CONTROL] = {R("congestion-control", congestion_control, TEXT,
		"congestion control algorithm of TCP"), .min = 1, .max = 15},
	AX("mtu", MTU, "largest packet in bytes"), .type = NCTL_FIELD_UINT, .min = 1, .max = 65520},
	AX("window", WINDOW, "most that TCP announces to the other end, in bytes"), .type = NCTL_FIELD_UINT},
	AX("rtt", RTT, "first estimate of the time there and back"), .type = NCTL_FIELD_UINT, .unit = NCTL_UNIT_MSEC,
		.max = UINT32_MAX / 8},
	AX("rttvar", RTTVAR, "first estimate of its variance"), .type = NCTL_FIELD_UINT, .unit = NCTL_UNIT_MSEC,
		.max = UINT32_MAX / 4},
	AX("ssthresh", SSTHRESH, "first slow start threshold"), .type = NCTL_FIELD_UINT},
	AX("cwnd", CWND, "bound of the congestion window, if it is locked"), .type = NCTL_FIELD_UINT},
	AX("advertised-mss", ADVMSS, "segment size that TCP announces, in bytes"), .type = NCTL_FIELD_UINT, .max = 65495},
	AX("reordering", REORDERING, "first estimate of how far packets overtake each other"), .type = NCTL_FIELD_UINT},
	AX("hop-limit", HOPLIMIT, "hop limit of packets"), .type = NCTL_FIELD_UINT, .max = 255},
	AX("congestion-window", INITCWND, "first congestion window of TCP, in segments"), .type = NCTL_FIELD_UINT},
	AX("features", FEATURES, "what is switched on for connections there"), .type = NCTL_FIELD_BITS,
		.names = feature_names},
	AX("rto-min", RTO_MIN, "least time until TCP sends again"), .type = NCTL_FIELD_UINT, .unit = NCTL_UNIT_MSEC},
	AX("advertised-receive-window", INITRWND, "first receive window of TCP, in segments"), .type = NCTL_FIELD_UINT},
	AX("quickack", QUICKACK, "TCP acknowledges at once"), .type = NCTL_FIELD_BOOL},
	AX("fastopen-no-cookie", FASTOPEN_NO_COOKIE, "TCP Fast Open without a cookie"), .type = NCTL_FIELD_BOOL},
	AX("lock", LOCK, "values that the kernel does not change by itself"), .type = NCTL_FIELD_BITS, .names = lock_names},
};

#define H(key_, member_, type_, help_) .key = key_, NCTL_FIELD(struct nctl_hop_form, member_), .help = help_, \
	.type = NCTL_FIELD_##type_

static const struct nctl_field hop_fields[] = {
	[NCTL_HOP_KEY_VIA] = {H("via", via, IP, "the gateway")},
	[NCTL_HOP_KEY_DEVICE] = {H("device", device, STR,
		"the device; without one that of the definition, or what the gateway is found by"), .min = 1},
	[NCTL_HOP_KEY_WEIGHT] = {H("weight", weight, UINT, "its share"), .min = 1, .max = 256, .dflt = 1},
	[NCTL_HOP_KEY_ON_LINK] = {H("on-link", on_link, BOOL,
		"the gateway is taken for a neighbour on the device, whatever its addresses are")},
};

#define N(key_, member_, type_, help_) .key = key_, NCTL_FIELD(struct nctl_nexthop_form, member_), .help = help_, \
	.type = NCTL_FIELD_##type_

static const struct nctl_field nexthop_fields[] = {
	[NCTL_NEXTHOP_KEY_VIA] = {N("via", via, IP, "the gateway")},
	[NCTL_NEXTHOP_KEY_DEVICE] = {N("device", device, STR, "the device that packets leave by"), .min = 1},
	[NCTL_NEXTHOP_KEY_ON_LINK] = {N("on-link", on_link, BOOL,
		"the gateway is taken for a neighbour on the device, whatever its addresses are")},
	[NCTL_NEXTHOP_KEY_BLACKHOLE] = {N("blackhole", blackhole, BOOL, "packets are dropped")},
	[NCTL_NEXTHOP_KEY_FDB] = {N("fdb", fdb, BOOL, "for forwarding entries of a VXLAN, not for routes")},
	[NCTL_NEXTHOP_KEY_FAMILY] = {N("family", family, ENUM,
		"whose routes may use one without a gateway; ipv4 where it is not given"), .names = family_names},
	[NCTL_NEXTHOP_KEY_TYPE] = {N("type", type, ENUM,
		"of a group: mpath, or resilient, which keeps flows where they are when a member goes"),
		.names = group_type_names},
	[NCTL_NEXTHOP_KEY_BUCKETS] = {N("buckets", buckets, UINT, "of a resilient group: slots that flows fall into"),
		.min = 1, .max = 65535},
	[NCTL_NEXTHOP_KEY_IDLE_TIMER] = {N("idle-timer", idle_timer, UINT,
		"of a resilient group: how long a slot must be idle to be moved"), .unit = NCTL_UNIT_CENTISEC,
		.max = UINT32_MAX},
	[NCTL_NEXTHOP_KEY_UNBALANCED_TIMER] = {N("unbalanced-timer", unbalanced_timer, UINT,
		"of a resilient group: how long it may be out of balance, 0 for ever"), .unit = NCTL_UNIT_CENTISEC,
		.max = UINT32_MAX},
};

static const struct nctl_field member_fields[] = {
	{.key = "id", NCTL_FIELD(struct nctl_member_form, id), .type = NCTL_FIELD_UINT, .min = 1, .max = UINT32_MAX,
		.flags = NCTL_FIELD_REQUIRED, .help = "number of the next-hop object"},
	{.key = "weight", NCTL_FIELD(struct nctl_member_form, weight), .type = NCTL_FIELD_UINT, .min = 1, .max = 256,
		.dflt = 1, .help = "its share"},
};

#define E(key_, member_, type_, help_) .key = key_, NCTL_FIELD(struct nctl_neigh_form, member_), .help = help_, \
	.type = NCTL_FIELD_##type_

static const struct nctl_field neigh_fields[] = {
	[NCTL_NEIGH_KEY_TO] = {E("to", to, IP, "its address"), .flags = NCTL_FIELD_REQUIRED},
	[NCTL_NEIGH_KEY_LLADDR] = {E("lladdr", lladdr, LLADDR, "its link-layer address"), .min = 6, .max = 20},
	[NCTL_NEIGH_KEY_PROXY] = {E("proxy", proxy, BOOL, "who asks for the address gets our own link-layer address")},
	[NCTL_NEIGH_KEY_ROUTER] = {E("router", router, BOOL, "it is a router, IPv6 only")},
};

#define U(key_, member_, type_, help_) .key = key_, NCTL_FIELD(struct nctl_rule_form, member_), .help = help_, \
	.type = NCTL_FIELD_##type_

static const struct nctl_field rule_fields[] = {
	[NCTL_RULE_KEY_FROM] = {U("from", from, TEXT, "of packets from this network"), .min = 1},
	[NCTL_RULE_KEY_TO] = {U("to", to, TEXT, "of packets to this network"), .min = 1},
	[NCTL_RULE_KEY_TABLE] = {U("table", table, UINT, "the routing table to look into; that of the VRF, or else main (254)"),
		.min = 1, .max = UINT32_MAX},
	[NCTL_RULE_KEY_PRIORITY] = {U("priority", priority, UINT,
		"the lowest one comes first; where it is not given, the kernel puts the rule before all others but that of 0")},
	[NCTL_RULE_KEY_MARK] = {U("mark", mark, TEXT, "of packets with this mark: a number, or NUMBER/MASK"), .min = 1},
	[NCTL_RULE_KEY_TOS] = {U("type-of-service", tos, UINT, "of packets with this type of service")},
	[NCTL_RULE_KEY_IIF] = {U("iif", iif, STR, "of packets that come in by this device; lo for those from here"), .min = 1},
	[NCTL_RULE_KEY_OIF] = {U("oif", oif, STR, "of packets from sockets bound to this device"), .min = 1},
	[NCTL_RULE_KEY_IP_PROTO] = {U("ipproto", ip_proto, ENUM, "of packets of this protocol"), .names = ip_proto_names,
		.max = 255},
	[NCTL_RULE_KEY_SPORT] = {U("sport", sport, TEXT, "of packets from this port: a number, or FIRST-LAST"), .min = 1},
	[NCTL_RULE_KEY_DPORT] = {U("dport", dport, TEXT, "of packets to this port: a number, or FIRST-LAST"), .min = 1},
	[NCTL_RULE_KEY_UIDS] = {U("uidrange", uids, TEXT, "of packets of these users: FIRST-LAST"), .min = 1},
	[NCTL_RULE_KEY_SUPPRESS_PREFIXLEN] = {U("suppress-prefixlength", suppress_prefixlen, UINT,
		"routes with a prefix of this length or a shorter one do not count"), .max = 128},
	[NCTL_RULE_KEY_SUPPRESS_IFGROUP] = {U("suppress-ifgroup", suppress_ifgroup, UINT,
		"routes over devices of this group do not count"), .max = INT32_MAX},
	[NCTL_RULE_KEY_L3MDEV] = {U("l3mdev", l3mdev, BOOL, "the table is that of the packet's VRF")},
	[NCTL_RULE_KEY_GOTO] = {U("goto", target, UINT, "go on with the rule of this priority"), .min = 1, .max = UINT32_MAX},
	[NCTL_RULE_KEY_ACTION] = {U("action", action, ENUM, "what becomes of packets; lookup where it is not given"),
		.names = action_names},
	[NCTL_RULE_KEY_INVERT] = {U("invert", invert, BOOL, "the rule is for all other packets")},
	[NCTL_RULE_KEY_FAMILY] = {U("family", family, ENUM,
		"of IPv4 or IPv6 packets; where neither this nor a network is given, there are two rules"),
		.names = family_names},
	[NCTL_RULE_KEY_TUN_ID] = {U("tun-id", tun_id, UINT, "of packets from the tunnel with this number")},
};
/* clang-format on */

const struct nctl_field_table nctl_route_keys = {route_fields, NCTL_ARRAY_SIZE(route_fields)};
const struct nctl_field_table nctl_hop_keys = {hop_fields, NCTL_ARRAY_SIZE(hop_fields)};
const struct nctl_field_table nctl_nexthop_keys = {nexthop_fields, NCTL_ARRAY_SIZE(nexthop_fields)};
const struct nctl_field_table nctl_member_keys = {member_fields, NCTL_ARRAY_SIZE(member_fields)};
const struct nctl_field_table nctl_neigh_keys = {neigh_fields, NCTL_ARRAY_SIZE(neigh_fields)};
const struct nctl_field_table nctl_rule_keys = {rule_fields, NCTL_ARRAY_SIZE(rule_fields)};
