/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: bridge (net/bridge/br_netlink.c) and its ports. Times are in USER_HZ ticks, that is centiseconds. A
 * port's attributes are ignored in the message that makes it a port.
 */
#include <errno.h>
#include <linux/if_bridge.h>
#include <linux/if_ether.h>
#include <linux/if_link.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/strbuf.h"
#include "codec/codec.h"
#include "net/lladdr.h"
#include "nl/attr.h"
#include "obj/kind.h"

struct bridge_id {
	uint8_t b[8]; /* priority and MAC address: struct ifla_bridge_id of linux/if_link.h */
};

struct bridge_data {
	uint64_t hello_timer, tcn_timer, topology_change_timer, gc_timer;
	uint64_t mcast_last_member_intvl, mcast_membership_intvl, mcast_querier_intvl, mcast_query_intvl;
	uint64_t mcast_query_response_intvl, mcast_startup_query_intvl;
	uint32_t forward_delay, hello_time, max_age, ageing_time, stp_state, root_path_cost;
	uint32_t fdb_n_learned, fdb_max_learned, mcast_hash_elasticity, mcast_hash_max, mcast_last_member_cnt,
		mcast_startup_query_cnt;
	uint16_t priority, vlan_protocol, root_port, vlan_default_pvid, group_fwd_mask;
	uint8_t vlan_filtering, topology_change, topology_change_detected, vlan_stats_enabled;
	uint8_t vlan_stats_per_port, mcast_snooping, mcast_router;
	uint8_t mcast_query_use_ifaddr, mcast_querier, mcast_stats_enabled, mcast_igmp_version;
	uint8_t mcast_mld_version, nf_call_iptables, nf_call_ip6tables, nf_call_arptables;
	struct bridge_id bridge_id, root_id;
	struct br_boolopt_multi boolopt;
	struct nctl_lladdr group_addr;
};

struct bridge_port {
	uint64_t hold_timer, message_age_timer, forward_delay_timer;
	uint32_t cost, backup_port, backup_nhid, eht_hosts_limit, eht_hosts_cnt, n_groups, max_groups;
	uint16_t priority, id, no, designated_port, designated_cost, group_fwd_mask;
	uint8_t state, hairpin, guard, root_block, fastleave, learning, flood, topology_change_ack;
	uint8_t config_pending, proxy_arp, proxy_arp_wifi, multicast_router, mcast_flood, bcast_flood;
	uint8_t mcast_to_unicast, neigh_suppress, neigh_vlan_suppress, vlan_tunnel, isolated, locked, mab;
	uint8_t mrp_ring_open, mrp_in_open;
	struct bridge_id bridge_id, root_id;
};

/* Numbers of linux/if_link.h and if_bridge.h since Linux 6.1 to 6.17. */
enum {
	IFLA_BR_FDB_N_LEARNED_ = 48,
	IFLA_BR_FDB_MAX_LEARNED_ = 49,
	IFLA_BRPORT_MAB_ = 40,
	IFLA_BRPORT_MCAST_N_GROUPS_ = 41,
	IFLA_BRPORT_MCAST_MAX_GROUPS_ = 42,
	IFLA_BRPORT_NEIGH_VLAN_SUPPRESS_ = 43,
	IFLA_BRPORT_BACKUP_NHID_ = 44,
	BOOLOPT_MST_ENABLE = 2,
	BOOLOPT_MDB_OFFLOAD_FAIL_NOTIFICATION = 3,
	BOOLOPT_FDB_LOCAL_VLAN_0 = 4,
};

/* Indexes into bridge_fields of those that the hooks look at. */
enum { BRIDGE_FORWARD_DELAY = 0, BRIDGE_STP = 4, BRIDGE_VLAN_FILTERING = 6 };

/* The MAC address without leading zeros: 8000.2:0:0:0:0:1. */
static void id_print(const struct nctl_field *f, const void *data, struct nctl_json *json)
{
	const uint8_t *b = (const uint8_t *)data + f->offset;
	char buf[32];

	snprintf(buf, sizeof(buf), "%02x%02x.%x:%x:%x:%x:%x:%x", b[0], b[1], b[2], b[3], b[4], b[5], b[6],
		b[7]);
	nctl_json_str(json, buf);
}

/* One option (dflt) of the attribute, if the kernel has it; all of them have a field of their own. */
static int boolopt_decode(const struct nctl_field *f, const struct nlattr *attr, void *data)
{
	struct br_boolopt_multi opts;

	(void)data;
	if (nctl_attr_len(attr) != sizeof(opts))
		return -EBADMSG;
	memcpy(&opts, nctl_attr_data(attr), sizeof(opts));
	return opts.optmask & 1U << f->dflt ? 0 : 1;
}

static void boolopt_print(const struct nctl_field *f, const void *data, struct nctl_json *json)
{
	const struct br_boolopt_multi *opts = (const void *)((const char *)data + f->offset);

	nctl_json_u64(json, opts->optval >> f->dflt & 1);
}

/* IEEE 802.1D reserved group addresses by their last byte, as words and numbers: "stp,lacp,0x20". */
static void fwd_mask_print(const struct nctl_field *f, const void *data, struct nctl_json *json)
{
	static const char *const names[16] = {[0] = "stp", [2] = "lacp", [14] = "lldp"};
	uint16_t mask = (uint16_t)nctl_field_get(f, data);
	const char *comma = "";
	char buf[128] = "0x0";
	size_t at = 0;

	for (unsigned i = 0; i < 16; i++) {
		if (!(mask & 1U << i))
			continue;
		if (names[i])
			at += (size_t)snprintf(buf + at, sizeof(buf) - at, "%s%s", comma, names[i]);
		else
			at += (size_t)snprintf(buf + at, sizeof(buf) - at, "%s0x%x", comma, 1U << i);
		comma = ",";
	}
	nctl_json_str(json, buf);
}

static const struct nctl_field_ops id_ops = {.print = id_print};
static const struct nctl_field_ops boolopt_ops = {.decode = boolopt_decode, .print = boolopt_print};
static const struct nctl_field_ops ignore_ops = {.decode = nctl_codec_ignore};
static const struct nctl_field_ops fwd_mask_ops = {.print = fwd_mask_print};

static const struct nctl_name protocol_names[] = {
	{"802.1Q", ETH_P_8021Q, NULL},
	{"802.1ad", ETH_P_8021AD, NULL},
	{0},
};
static const struct nctl_name state_names[] = {
	{"disabled", BR_STATE_DISABLED, NULL},
	{"listening", BR_STATE_LISTENING, NULL},
	{"learning", BR_STATE_LEARNING, NULL},
	{"forwarding", BR_STATE_FORWARDING, NULL},
	{"blocking", BR_STATE_BLOCKING, NULL},
	{0},
};

/* clang-format off */
#define B(member_, attr_, json_, type_)                                                                      \
	{.json = json_, NCTL_FIELD(struct bridge_data, member_), .attr = IFLA_BR_##attr_,                    \
		.type = NCTL_FIELD_##type_
#define P(member_, attr_, json_, type_)                                                                      \
	{.json = json_, NCTL_FIELD(struct bridge_port, member_), .attr = IFLA_BRPORT_##attr_,                \
		.type = NCTL_FIELD_##type_
#define STATE .flags = NCTL_FIELD_READONLY
#define TIMER .flags = NCTL_FIELD_READONLY | NCTL_FIELD_VOLATILE, .format = NCTL_FORMAT_CENTISEC
#define LATE .flags = NCTL_FIELD_LATE
#define OPTION(json_, bit_) B(boolopt, MULTI_BOOLOPT, json_, RAW), .ops = &boolopt_ops, .dflt = bit_, STATE}
#define NUMBER .format = NCTL_FORMAT_NUMBER
/* What changes without a message. */
#define SILENT .flags = NCTL_FIELD_READONLY | NCTL_FIELD_VOLATILE
#define UNKEPT(attr_, help_)                                                                                 \
	{.help = help_, .ops = &ignore_ops, .attr = attr_, .type = NCTL_FIELD_RAW, SILENT}

static const struct nctl_field bridge_fields[] = {
	[BRIDGE_FORWARD_DELAY] = B(forward_delay, FORWARD_DELAY, "forward_delay", UINT), .key = "forward-delay",
		.unit = NCTL_UNIT_CENTISEC, .help = "time that a port listens and learns before it forwards"},
	B(hello_time, HELLO_TIME, "hello_time", UINT), .key = "hello-time", .unit = NCTL_UNIT_CENTISEC,
		.min = 100, .max = 1000, .help = "time between two hello packets of the root bridge"},
	B(max_age, MAX_AGE, "max_age", UINT), .key = "max-age", .unit = NCTL_UNIT_CENTISEC, .min = 600,
		.max = 4000, .help = "age at which the word of another bridge is forgotten"},
	B(ageing_time, AGEING_TIME, "ageing_time", UINT), .key = "ageing-time", .unit = NCTL_UNIT_CENTISEC,
		.help = "age at which a learnt MAC address is forgotten"},
	[BRIDGE_STP] = B(stp_state, STP_STATE, "stp_state", BOOL), .key = "stp", NUMBER, .dflt = 1,
		.help = "whether the spanning tree protocol runs"},
	B(priority, PRIORITY, "priority", UINT), .key = "priority",
		.help = "priority in the election of the root bridge, lower is better"},
	[BRIDGE_VLAN_FILTERING] = B(vlan_filtering, VLAN_FILTERING, "vlan_filtering", BOOL), .key = "vlan-filtering", NUMBER,
		.help = "whether VLAN tags decide where a frame may go"},
	B(vlan_protocol, VLAN_PROTOCOL, "vlan_protocol", ENUM), .key = "vlan-protocol",
		.names = protocol_names, .flags = NCTL_FIELD_BIG_ENDIAN, .help = "the protocol of the tags that count"},
	B(bridge_id, BRIDGE_ID, "bridge_id", RAW), .ops = &id_ops, STATE},
	B(root_id, ROOT_ID, "root_id", RAW), .ops = &id_ops, STATE},
	B(root_port, ROOT_PORT, "root_port", UINT), STATE},
	B(root_path_cost, ROOT_PATH_COST, "root_path_cost", UINT), STATE},
	B(topology_change, TOPOLOGY_CHANGE, "topology_change", UINT), STATE},
	B(topology_change_detected, TOPOLOGY_CHANGE_DETECTED, "topology_change_detected", UINT), STATE},
	B(hello_timer, HELLO_TIMER, "hello_timer", UINT), TIMER},
	B(tcn_timer, TCN_TIMER, "tcn_timer", UINT), TIMER},
	B(topology_change_timer, TOPOLOGY_CHANGE_TIMER, "topology_change_timer", UINT), TIMER},
	B(gc_timer, GC_TIMER, "gc_timer", UINT), TIMER},
	B(vlan_default_pvid, VLAN_DEFAULT_PVID, "vlan_default_pvid", UINT), .key = "vlan-default-pvid",
		.max = 4094, .help = "VLAN of untagged frames on new ports, 0 none"},
	B(vlan_stats_enabled, VLAN_STATS_ENABLED, "vlan_stats_enabled", BOOL), .key = "vlan-stats", NUMBER,
		.help = "whether frames are counted by VLAN"},
	B(vlan_stats_per_port, VLAN_STATS_PER_PORT, "vlan_stats_per_port", BOOL),
		.key = "vlan-stats-per-port", NUMBER, .change = NCTL_CHANGE_RECREATE,
		.help = "whether they are counted by port and VLAN"},
	B(group_fwd_mask, GROUP_FWD_MASK, "group_fwd_mask", UINT), .key = "group-fwd-mask",
		.max = 0xfff8, .format = NCTL_FORMAT_HEX_0X,
		.help = "link-local groups that are forwarded, a bit for each last digit of their address"},
	B(group_addr, GROUP_ADDR, "group_addr", LLADDR), .key = "group-address", .min = 6, .max = 6,
		.help = "link-local group that the spanning tree uses"},
	B(mcast_snooping, MCAST_SNOOPING, "mcast_snooping", BOOL), .key = "mcast-snooping", NUMBER,
		.help = "whether groups go only where they were asked for"},
	B(boolopt, MULTI_BOOLOPT, NULL, RAW), STATE},
	OPTION("no_linklocal_learn", BR_BOOLOPT_NO_LL_LEARN),
	OPTION("mcast_vlan_snooping", BR_BOOLOPT_MCAST_VLAN_SNOOPING),
	OPTION("mst_enabled", BOOLOPT_MST_ENABLE),
	OPTION("mdb_offload_fail_notification", BOOLOPT_MDB_OFFLOAD_FAIL_NOTIFICATION),
	OPTION("fdb_local_vlan_0", BOOLOPT_FDB_LOCAL_VLAN_0),
	B(mcast_router, MCAST_ROUTER, "mcast_router", UINT), .key = "mcast-router", .max = 2,
		.help = "whether the bridge takes all groups as a router does: 0 never, 1 as it learns, 2 always"},
	B(mcast_query_use_ifaddr, MCAST_QUERY_USE_IFADDR, "mcast_query_use_ifaddr", BOOL),
		.key = "mcast-query-use-ifaddr", NUMBER, .help = "whether queries come from the bridge's address"},
	B(mcast_querier, MCAST_QUERIER, "mcast_querier", BOOL), .key = "mcast-querier", NUMBER,
		.help = "whether the bridge asks for groups"},
	B(mcast_hash_elasticity, MCAST_HASH_ELASTICITY, "mcast_hash_elasticity", UINT)}, /* means nothing any more */
	B(mcast_hash_max, MCAST_HASH_MAX, "mcast_hash_max", UINT), .key = "mcast-hash-max", .min = 1,
		.help = "most groups to know"},
	B(mcast_last_member_cnt, MCAST_LAST_MEMBER_CNT, "mcast_last_member_cnt", UINT),
		.key = "mcast-last-member-count", .help = "queries to send when a member leaves"},
	B(mcast_startup_query_cnt, MCAST_STARTUP_QUERY_CNT, "mcast_startup_query_cnt", UINT),
		.key = "mcast-startup-query-count", .help = "queries to send at the start"},
	B(mcast_last_member_intvl, MCAST_LAST_MEMBER_INTVL, "mcast_last_member_intvl", UINT),
		.key = "mcast-last-member-interval", .unit = NCTL_UNIT_CENTISEC,
		.max = INT32_MAX, .help = "time between two queries when a member leaves"},
	B(mcast_membership_intvl, MCAST_MEMBERSHIP_INTVL, "mcast_membership_intvl", UINT),
		.key = "mcast-membership-interval", .unit = NCTL_UNIT_CENTISEC,
		.max = INT32_MAX, .help = "how long a group is known without a report"},
	B(mcast_querier_intvl, MCAST_QUERIER_INTVL, "mcast_querier_intvl", UINT),
		.key = "mcast-querier-interval", .unit = NCTL_UNIT_CENTISEC,
		.max = INT32_MAX, .help = "how long another querier is waited for"},
	B(mcast_query_intvl, MCAST_QUERY_INTVL, "mcast_query_intvl", UINT),
		.key = "mcast-query-interval", .unit = NCTL_UNIT_CENTISEC,
		.min = 100, .max = INT32_MAX, .help = "time between two queries"},
	B(mcast_query_response_intvl, MCAST_QUERY_RESPONSE_INTVL, "mcast_query_response_intvl", UINT),
		.key = "mcast-query-response-interval", .unit = NCTL_UNIT_CENTISEC,
		.max = INT32_MAX, .help = "longest time to answer a query"},
	B(mcast_startup_query_intvl, MCAST_STARTUP_QUERY_INTVL, "mcast_startup_query_intvl", UINT),
		.key = "mcast-startup-query-interval", .unit = NCTL_UNIT_CENTISEC,
		.min = 100, .max = INT32_MAX, .help = "time between two queries at the start"},
	B(mcast_stats_enabled, MCAST_STATS_ENABLED, "mcast_stats_enabled", BOOL), .key = "mcast-stats", NUMBER,
		.help = "whether messages of multicast are counted"},
	B(mcast_igmp_version, MCAST_IGMP_VERSION, "mcast_igmp_version", UINT), .key = "mcast-igmp-version",
		.help = "version of IGMP", .min = 2, .max = 3},
	B(mcast_mld_version, MCAST_MLD_VERSION, "mcast_mld_version", UINT), .key = "mcast-mld-version",
		.help = "version of MLD", .min = 1, .max = 2},
	B(nf_call_iptables, NF_CALL_IPTABLES, "nf_call_iptables", BOOL), .key = "nf-call-iptables", NUMBER,
		.help = "whether iptables sees bridged frames"},
	B(nf_call_ip6tables, NF_CALL_IP6TABLES, "nf_call_ip6tables", BOOL), .key = "nf-call-ip6tables", NUMBER,
		.help = "whether ip6tables sees bridged frames"},
	B(nf_call_arptables, NF_CALL_ARPTABLES, "nf_call_arptables", BOOL), .key = "nf-call-arptables", NUMBER,
		.help = "whether arptables sees bridged frames"},
	B(fdb_n_learned, FDB_N_LEARNED_, "fdb_n_learned", UINT), SILENT},
	B(fdb_max_learned, FDB_MAX_LEARNED_, "fdb_max_learned", UINT), .key = "fdb-max-learned",
		.help = "most MAC addresses to learn, 0 any number (Linux 6.7)"},
	UNKEPT(IFLA_BR_MCAST_QUERIER_STATE, "mcast_querier_state"), /* has timers */
};

static const struct nctl_field bridge_port_fields[] = {
	P(state, STATE, "state", ENUM), .names = state_names, STATE},
	P(priority, PRIORITY, "priority", UINT), .key = "port-priority", .max = 63, LATE,
		.help = "priority of the port in the spanning tree, lower is better"},
	P(cost, COST, "cost", UINT), .key = "path-cost", .min = 1, .max = 65535, LATE,
		.help = "cost of the way through this port in the spanning tree"},
	P(hairpin, MODE, "hairpin", BOOL), .key = "hairpin", LATE,
		.help = "whether a frame may leave by the port that it came from"},
	P(guard, GUARD, "guard", BOOL), LATE, .key = "guard",
		.help = "whether a bridge behind this port takes it out of use"},
	P(root_block, PROTECT, "root_block", BOOL), LATE, .key = "root-block",
		.help = "whether the way to the root bridge must not lead through it"},
	P(fastleave, FAST_LEAVE, "fastleave", BOOL), LATE, .key = "fast-leave",
		.help = "whether a group ends with the first member that leaves"},
	P(learning, LEARNING, "learning", BOOL), .key = "port-mac-learning", LATE, .dflt = 1,
		.help = "whether source addresses are learnt here"},
	P(flood, UNICAST_FLOOD, "flood", BOOL), LATE, .key = "flood",
		.help = "whether frames to unknown addresses go out here"},
	P(id, ID, "id", UINT), .format = NCTL_FORMAT_HEX_0X, STATE},
	P(no, NO, "no", UINT), .format = NCTL_FORMAT_HEX_0X, STATE},
	P(designated_port, DESIGNATED_PORT, "designated_port", UINT), STATE},
	P(designated_cost, DESIGNATED_COST, "designated_cost", UINT), STATE},
	P(bridge_id, BRIDGE_ID, "bridge_id", RAW), .ops = &id_ops, STATE},
	P(root_id, ROOT_ID, "root_id", RAW), .ops = &id_ops, STATE},
	P(hold_timer, HOLD_TIMER, "hold_timer", UINT), TIMER},
	P(message_age_timer, MESSAGE_AGE_TIMER, "message_age_timer", UINT), TIMER},
	P(forward_delay_timer, FORWARD_DELAY_TIMER, "forward_delay_timer", UINT), TIMER},
	P(topology_change_ack, TOPOLOGY_CHANGE_ACK, "topology_change_ack", UINT), STATE},
	P(config_pending, CONFIG_PENDING, "config_pending", UINT), STATE},
	P(proxy_arp, PROXYARP, "proxy_arp", BOOL), LATE, .key = "proxy-arp",
		.help = "whether the bridge answers ARP in here"},
	P(proxy_arp_wifi, PROXYARP_WIFI, "proxy_arp_wifi", BOOL), LATE, .key = "proxy-arp-wifi",
		.help = "the same for stations that must not see each other"},
	P(multicast_router, MULTICAST_ROUTER, "multicast_router", UINT), .max = 3, LATE, .key = "mcast-router",
		.help = "whether a router is behind it: 0 no, 1 as is learnt, 2 yes, 3 for a while"},
	P(mcast_flood, MCAST_FLOOD, "mcast_flood", BOOL), LATE, .key = "mcast-flood",
		.help = "whether frames to unknown groups go out here"},
	P(bcast_flood, BCAST_FLOOD, "bcast_flood", BOOL), LATE, .key = "bcast-flood",
		.help = "whether broadcasts go out here"},
	P(mcast_to_unicast, MCAST_TO_UCAST, "mcast_to_unicast", BOOL), LATE, .key = "mcast-to-unicast",
		.help = "whether members of a group get frames of their own"},
	P(neigh_suppress, NEIGH_SUPPRESS, "neigh_suppress", BOOL), .key = "neigh-suppress", LATE,
		.help = "whether the bridge answers ARP and ND from its own knowledge"},
	P(group_fwd_mask, GROUP_FWD_MASK, "group_fwd_mask", UINT), .key = "group-fwd-mask", .max = 0xfff8,
		.format = NCTL_FORMAT_HEX_0X, LATE, .help = "link-local groups that are forwarded from here"},
	P(group_fwd_mask, GROUP_FWD_MASK, "group_fwd_mask_str", UINT), .ops = &fwd_mask_ops, STATE},
	P(vlan_tunnel, VLAN_TUNNEL, "vlan_tunnel", BOOL), LATE, .key = "vlan-tunnel",
		.help = "whether VLANs are mapped to tunnels"},
	P(isolated, ISOLATED, "isolated", BOOL), LATE, .key = "isolated",
		.help = "whether it reaches only ports that are not isolated"},
	P(locked, LOCKED, "locked", BOOL), LATE, .key = "locked",
		.help = "whether only known addresses may send"},
	P(backup_port, BACKUP_PORT, "backup_port", LINK), LATE},
	P(mrp_ring_open, MRP_RING_OPEN, "mrp_ring_open", BOOL), STATE},
	P(mrp_in_open, MRP_IN_OPEN, "mrp_in_open", BOOL), STATE},
	P(eht_hosts_limit, MCAST_EHT_HOSTS_LIMIT, "mcast_eht_hosts_limit", UINT), LATE, .key = "mcast-eht-hosts-limit",
		.help = "most hosts of groups to track"},
	P(eht_hosts_cnt, MCAST_EHT_HOSTS_CNT, "mcast_eht_hosts_cnt", UINT), SILENT},
	P(mab, MAB_, "mab", BOOL), LATE, .key = "mab",
		.help = "whether unknown senders of a locked port are noted (Linux 6.2)"},
	P(n_groups, MCAST_N_GROUPS_, "mcast_n_groups", UINT), SILENT},
	P(max_groups, MCAST_MAX_GROUPS_, "mcast_max_groups", UINT), LATE, .key = "mcast-max-groups",
		.help = "most groups, 0 any number (Linux 6.3)"},
	P(neigh_vlan_suppress, NEIGH_VLAN_SUPPRESS_, "neigh_vlan_suppress", BOOL), LATE, .key = "neigh-vlan-suppress",
		.help = "whether neigh-suppress is a matter of each VLAN (Linux 6.4)"},
	P(backup_nhid, BACKUP_NHID_, "backup_nhid", UINT), LATE, .key = "backup-nhid",
		.help = "next hop that frames take when it has no carrier (Linux 6.5)"},
};
/* clang-format on */

/* With the spanning tree the kernel wants 2 to 30 seconds (net/bridge/br_stp.c), without it takes any. */
static int bridge_check(const void *data, uint64_t has, struct nctl_strbuf *why)
{
	const struct bridge_data *d = data;
	uint64_t both = UINT64_C(1) << BRIDGE_FORWARD_DELAY | UINT64_C(1) << BRIDGE_STP;

	if ((has & both) != both || !d->stp_state || (d->forward_delay >= 200 && d->forward_delay <= 3000))
		return -1;
	nctl_strbuf_puts(why, "must be between 2 and 30 with stp");
	return BRIDGE_FORWARD_DELAY;
}

/* A kernel without CONFIG_BRIDGE_VLAN_FILTERING shows 0 and refuses to be told so. */
static uint64_t bridge_creatable(const void *data, uint64_t mask)
{
	const struct bridge_data *d = data;

	return d->vlan_filtering ? mask : mask & ~(UINT64_C(1) << BRIDGE_VLAN_FILTERING);
}

const struct nctl_kind nctl_kind_bridge = {
	.name = "bridge",
	.section = "bridges",
	.parameters = "parameters",
	.ports_key = "interfaces",
	.help = "Ethernet bridges",
	.traits = NCTL_KIND_MTU_OF_PORTS | NCTL_KIND_VLANS,
	.data_size = sizeof(struct bridge_data),
	.data = {bridge_fields, NCTL_ARRAY_SIZE(bridge_fields)},
	.port_size = sizeof(struct bridge_port),
	.port = {bridge_port_fields, NCTL_ARRAY_SIZE(bridge_port_fields)},
	.creatable = bridge_creatable,
	.check = bridge_check,
};
