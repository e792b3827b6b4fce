/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: bond (drivers/net/bonding/bond_options.c) and its ports. Many options exist in some modes only: the
 * kernel then refuses even their default values. The rules below say which, and bond_creatable and bond_check
 * go by them. Mode and fail-over policy change only without ports; the LACP options only while the bond is
 * down.
 */
#include <errno.h>
#include <linux/if_link.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/strbuf.h"
#include "codec/codec.h"
#include "net/lladdr.h"
#include "nl/attr.h"
#include "nl/msg.h"
#include "obj/kind.h"

/* Numbers of linux/if_link.h since Linux 6.9 to 6.19. */
enum {
	IFLA_BOND_COUPLED_CONTROL_ = IFLA_BOND_MISSED_MAX + 2,
	IFLA_BOND_BROADCAST_NEIGH_ = IFLA_BOND_MISSED_MAX + 3,
	IFLA_BOND_SLAVE_ACTOR_PORT_PRIO_ = 10,
	IFLA_BOND_SLAVE_AD_CHURN_ACTOR_STATE_ = 11,
	IFLA_BOND_SLAVE_AD_CHURN_PARTNER_STATE_ = 12,
};

/* Numbers of linux/if_bonding.h, whose header does not go with net/if.h. */
enum { MODE_RR, MODE_BACKUP, MODE_XOR, MODE_BROADCAST, MODE_8023AD, MODE_TLB, MODE_ALB, MODE_N };

struct bond_data {
	uint8_t mode, use_carrier, missed_max, primary_reselect, fail_over_mac, xmit_hash_policy;
	uint8_t coupled_control, broadcast_neigh, num_peer_notif, all_slaves_active, ad_lacp_active,
		ad_lacp_rate, ad_select, tlb_dynamic_lb;
	uint16_t ad_actor_sys_prio, ad_user_port_key;
	uint32_t active_slave, miimon, updelay, downdelay, peer_notif_delay, arp_interval, arp_validate;
	uint32_t arp_all_targets, primary, resend_igmp, min_links, lp_interval, packets_per_slave;
	struct nctl_lladdr ad_actor_system;
	struct nctl_bytes ad_info; /* IFLA_BOND_AD_INFO_* */
	struct nctl_ip_list arp_ip_target, ns_ip6_target;
};

struct bond_port {
	uint8_t state, mii_status, actor_state, churn_actor, churn_partner;
	uint16_t queue_id, aggregator_id, actor_port_prio;
	uint16_t partner_state; /* unlike actor_state the kernel sends it in two bytes */
	uint32_t link_failure_count, prio;
	struct nctl_lladdr perm_hwaddr;
};

enum {
	BOND_MODE,
	BOND_ACTIVE_SLAVE,
	BOND_MIIMON,
	BOND_UPDELAY,
	BOND_DOWNDELAY,
	BOND_PEER_NOTIF_DELAY,
	BOND_USE_CARRIER,
	BOND_ARP_INTERVAL,
	BOND_MISSED_MAX,
	BOND_ARP_IP_TARGET,
	BOND_NS_IP6_TARGET,
	BOND_ARP_VALIDATE,
	BOND_ARP_ALL_TARGETS,
	BOND_PRIMARY,
	BOND_PRIMARY_RESELECT,
	BOND_FAIL_OVER_MAC,
	BOND_XMIT_HASH_POLICY,
	BOND_RESEND_IGMP,
	BOND_NUM_PEER_NOTIF,
	BOND_ALL_SLAVES_ACTIVE,
	BOND_MIN_LINKS,
	BOND_LP_INTERVAL,
	BOND_PACKETS_PER_SLAVE,
	BOND_AD_LACP_ACTIVE,
	BOND_AD_LACP_RATE,
	BOND_AD_SELECT,
	BOND_AD_INFO,
	BOND_AD_ACTOR_SYS_PRIO,
	BOND_AD_USER_PORT_KEY,
	BOND_AD_ACTOR_SYSTEM,
	BOND_TLB_DYNAMIC_LB,
	BOND_COUPLED_CONTROL,
	BOND_BROADCAST_NEIGH,
	BOND_N_FIELDS
};
#define BIT(name_) (UINT64_C(1) << BOND_##name_)

static const struct nctl_name mode_names[] = {
	{"balance-rr", MODE_RR, NULL},
	{"active-backup", MODE_BACKUP, NULL},
	{"balance-xor", MODE_XOR, NULL},
	{"broadcast", MODE_BROADCAST, NULL},
	{"802.3ad", MODE_8023AD, NULL},
	{"balance-tlb", MODE_TLB, NULL},
	{"balance-alb", MODE_ALB, NULL},
	{0},
};
static const struct nctl_name validate_names[] = {
	{"none", 0, NULL},
	{"active", 1, NULL},
	{"backup", 2, NULL},
	{"all", 3, NULL},
	{"filter", 4, NULL},
	{"filter_active", 5, NULL},
	{"filter_backup", 6, NULL},
	{0},
};
static const struct nctl_name all_targets_names[] = {{"any", 0, NULL}, {"all", 1, NULL}, {0}};
static const struct nctl_name reselect_names[] = {
	{"always", 0, NULL}, {"better", 1, NULL}, {"failure", 2, NULL}, {0}};
static const struct nctl_name fail_over_names[] = {
	{"none", 0, NULL}, {"active", 1, NULL}, {"follow", 2, NULL}, {0}};
static const struct nctl_name hash_names[] = {
	{"layer2", 0, NULL},
	{"layer3+4", 1, NULL},
	{"layer2+3", 2, NULL},
	{"encap2+3", 3, NULL},
	{"encap3+4", 4, NULL},
	{"vlan+srcmac", 5, NULL},
	{0},
};
static const struct nctl_name off_on_names[] = {{"off", 0, "false"}, {"on", 1, "true"}, {0}};
static const struct nctl_name rate_names[] = {{"slow", 0, NULL}, {"fast", 1, NULL}, {0}};
static const struct nctl_name select_names[] = {
	{"stable", 0, NULL}, {"bandwidth", 1, NULL}, {"count", 2, NULL}, {0}};
static const struct nctl_name port_state_names[] = {{"ACTIVE", 0, NULL}, {"BACKUP", 1, NULL}, {0}};
static const struct nctl_name mii_names[] = {
	{"UP", 0, NULL}, {"GOING_DOWN", 1, NULL}, {"DOWN", 2, NULL}, {"GOING_BACK", 3, NULL}, {0}};
static const struct nctl_name churn_names[] = {
	{"MONITOR", 0, NULL}, {"CHURN", 1, NULL}, {"NO_CHURN", 2, NULL}, {0}};
/* IEEE 802.3ad 43.4.2.2 */
static const struct nctl_name lacp_state_names[] = {
	{"active", 0x01, NULL},
	{"short_timeout", 0x02, NULL},
	{"aggregating", 0x04, NULL},
	{"in_sync", 0x08, NULL},
	{"collecting", 0x10, NULL},
	{"distributing", 0x20, NULL},
	{"defaulted", 0x40, NULL},
	{"expired", 0x80, NULL},
	{0},
};

/* iproute2 shows "none" as null here, and here alone. */
static void validate_print(const struct nctl_field *f, const void *data, struct nctl_json *json)
{
	uint64_t v = nctl_field_get(f, data);

	if (v == 0)
		nctl_json_null(json);
	else if (v < NCTL_ARRAY_SIZE(validate_names) - 1)
		nctl_json_str(json, validate_names[v].name);
	else
		nctl_json_u64(json, v);
}

static const struct nctl_attr_policy ad_info_policy[IFLA_BOND_AD_INFO_MAX + 1] = {
	[IFLA_BOND_AD_INFO_AGGREGATOR] = {.kind = NCTL_ATTR_U16},
	[IFLA_BOND_AD_INFO_NUM_PORTS] = {.kind = NCTL_ATTR_U16},
	[IFLA_BOND_AD_INFO_ACTOR_KEY] = {.kind = NCTL_ATTR_U16},
	[IFLA_BOND_AD_INFO_PARTNER_KEY] = {.kind = NCTL_ATTR_U16},
	[IFLA_BOND_AD_INFO_PARTNER_MAC] = {.kind = NCTL_ATTR_BYTES, .min = 6, .max = 6},
};

static int ad_info_decode(const struct nctl_field *f, const struct nlattr *attr, void *data)
{
	const struct nlattr *tb[IFLA_BOND_AD_INFO_MAX + 1];
	int r = nctl_attr_parse_nest(attr, ad_info_policy, tb, IFLA_BOND_AD_INFO_MAX);

	return r < 0 ? r : nctl_codec_bytes_decode(f, attr, data);
}

static void ad_info_print(const struct nctl_field *f, const void *data, struct nctl_json *json)
{
	static const char *const names[IFLA_BOND_AD_INFO_MAX + 1] = {
		[IFLA_BOND_AD_INFO_AGGREGATOR] = "aggregator",
		[IFLA_BOND_AD_INFO_NUM_PORTS] = "num_ports",
		[IFLA_BOND_AD_INFO_ACTOR_KEY] = "actor_key",
		[IFLA_BOND_AD_INFO_PARTNER_KEY] = "partner_key",
	};
	const struct nctl_bytes *b = (const void *)((const char *)data + f->offset);
	const struct nlattr *tb[IFLA_BOND_AD_INFO_MAX + 1], *mac;
	struct nctl_lladdr partner = {.len = 6};
	char buf[NCTL_LLADDR_STR];

	nctl_json_obj_begin(json);
	if (nctl_attr_parse(b->p, b->n, ad_info_policy, tb, IFLA_BOND_AD_INFO_MAX) == 0) {
		for (unsigned i = 0; i < NCTL_ARRAY_SIZE(names); i++)
			if (names[i] && tb[i])
				nctl_json_ku64(json, names[i], nctl_attr_u16(tb[i]));
		mac = tb[IFLA_BOND_AD_INFO_PARTNER_MAC];
		if (mac) {
			memcpy(partner.b, nctl_attr_data(mac), partner.len);
			nctl_json_kstr(json, "partner_mac", nctl_lladdr_format(&partner, buf));
		}
	}
	nctl_json_obj_end(json);
}

static const struct nctl_field_ops validate_ops = {.print = validate_print};
static const struct nctl_field_ops ad_info_ops = {.decode = ad_info_decode, .print = ad_info_print};

/* clang-format off */
#define B(index_, member_, attr_, json_, type_)                                                              \
	[BOND_##index_] = {.json = json_, NCTL_FIELD(struct bond_data, member_), .attr = IFLA_BOND_##attr_,  \
		.type = NCTL_FIELD_##type_
#define P(member_, attr_, json_, type_)                                                                      \
	{.json = json_, NCTL_FIELD(struct bond_port, member_), .attr = IFLA_BOND_SLAVE_##attr_,              \
		.type = NCTL_FIELD_##type_

/* What LACP has found out, which no message tells. */
#define LACP .flags = NCTL_FIELD_READONLY | NCTL_FIELD_VOLATILE

static const struct nctl_field bond_fields[] = {
	B(MODE, mode, MODE, "mode", ENUM), .key = "mode", .names = mode_names,
		.change = NCTL_CHANGE_RECREATE, .help = "how traffic is spread over the ports"},
	B(ACTIVE_SLAVE, active_slave, ACTIVE_SLAVE, "active_slave", LINK), .flags = NCTL_FIELD_READONLY},
	B(MIIMON, miimon, MIIMON, "miimon", UINT), .key = "mii-monitor-interval", .unit = NCTL_UNIT_MSEC,
		.max = INT32_MAX, .help = "time between two looks at the ports' carrier, 0 never"},
	B(UPDELAY, updelay, UPDELAY, "updelay", UINT), .key = "up-delay", .unit = NCTL_UNIT_MSEC,
		.max = INT32_MAX, .help = "how long a port must be up before it is used"},
	B(DOWNDELAY, downdelay, DOWNDELAY, "downdelay", UINT), .key = "down-delay", .unit = NCTL_UNIT_MSEC,
		.max = INT32_MAX, .help = "how long a port may be down before it is given up"},
	B(PEER_NOTIF_DELAY, peer_notif_delay, PEER_NOTIF_DELAY, "peer_notify_delay", UINT), .key = "peer-notify-delay",
		.unit = NCTL_UNIT_MSEC, .max = 300000, .help = "time between two announcements after a failover"},
	B(USE_CARRIER, use_carrier, USE_CARRIER, "use_carrier", BOOL), .key = "use-carrier",
		.format = NCTL_FORMAT_NUMBER, .help = "whether ports are asked by their carrier, not by MII"},
	B(ARP_INTERVAL, arp_interval, ARP_INTERVAL, "arp_interval", UINT), .key = "arp-interval",
		.unit = NCTL_UNIT_MSEC, .max = INT32_MAX, .help = "time between two ARP probes, 0 never"},
	B(MISSED_MAX, missed_max, MISSED_MAX, "arp_missed_max", UINT), .key = "arp-missed-max", .min = 1,
		.help = "ARP probes without an answer after which a port is down"},
	B(ARP_IP_TARGET, arp_ip_target, ARP_IP_TARGET, "arp_ip_target", IPS), .key = "arp-ip-targets",
		.flags = NCTL_FIELD_OMIT_ZERO, .help = "IPv4 addresses to probe, 16 at most"},
	B(NS_IP6_TARGET, ns_ip6_target, NS_IP6_TARGET, "ns_ip6_target", IPS), .key = "ns-ip6-targets",
		.flags = NCTL_FIELD_OMIT_ZERO, .help = "IPv6 addresses to probe, 16 at most"},
	B(ARP_VALIDATE, arp_validate, ARP_VALIDATE, "arp_validate", ENUM), .key = "arp-validate",
		.names = validate_names, .ops = &validate_ops, .help = "which ports check ARP replies"},
	B(ARP_ALL_TARGETS, arp_all_targets, ARP_ALL_TARGETS, "arp_all_targets", ENUM),
		.key = "arp-all-targets", .names = all_targets_names,
		.help = "whether one target that answers is enough"},
	B(PRIMARY, primary, PRIMARY, "primary", LINK), .key = "primary",
		.flags = NCTL_FIELD_LATE | NCTL_FIELD_OMIT_ZERO,
		.help = "the port to prefer"},
	B(PRIMARY_RESELECT, primary_reselect, PRIMARY_RESELECT, "primary_reselect", ENUM),
		.key = "primary-reselect-policy", .names = reselect_names,
		.help = "when the primary port becomes the active one again"},
	B(FAIL_OVER_MAC, fail_over_mac, FAIL_OVER_MAC, "fail_over_mac", ENUM),
		.key = "fail-over-mac-policy", .names = fail_over_names, .change = NCTL_CHANGE_RECREATE,
		.help = "whose MAC address the bond has"},
	B(XMIT_HASH_POLICY, xmit_hash_policy, XMIT_HASH_POLICY, "xmit_hash_policy", ENUM),
		.key = "transmit-hash-policy", .names = hash_names, .help = "what decides on a packet's port"},
	B(RESEND_IGMP, resend_igmp, RESEND_IGMP, "resend_igmp", UINT), .key = "resend-igmp", .max = 255,
		.help = "IGMP reports to send after a failover"},
	B(NUM_PEER_NOTIF, num_peer_notif, NUM_PEER_NOTIF, "num_peer_notif", UINT), .key = "gratuitous-arp",
		.help = "ARP and ND announcements to send after a failover"},
	B(ALL_SLAVES_ACTIVE, all_slaves_active, ALL_SLAVES_ACTIVE, "all_slaves_active", BOOL),
		.key = "all-members-active", .format = NCTL_FORMAT_NUMBER,
		.help = "whether inactive ports receive too"},
	B(MIN_LINKS, min_links, MIN_LINKS, "min_links", UINT), .key = "min-links", .max = INT32_MAX,
		.help = "ports that must be up for the bond to be up"},
	B(LP_INTERVAL, lp_interval, LP_INTERVAL, "lp_interval", UINT), .key = "learn-packet-interval",
		.unit = NCTL_UNIT_SEC, .min = 1, .max = INT32_MAX,
		.help = "time between learning packets to the switches"},
	B(PACKETS_PER_SLAVE, packets_per_slave, PACKETS_PER_SLAVE, "packets_per_slave", UINT),
		.key = "packets-per-member", .max = 65535,
		.help = "packets to send through one port before the next one's turn, 0 random"},
	B(AD_LACP_ACTIVE, ad_lacp_active, AD_LACP_ACTIVE, "ad_lacp_active", ENUM), .key = "lacp-active",
		.names = off_on_names, .change = NCTL_CHANGE_FLAP, .help = "whether LACPDUs are sent unasked"},
	B(AD_LACP_RATE, ad_lacp_rate, AD_LACP_RATE, "ad_lacp_rate", ENUM), .key = "lacp-rate",
		.names = rate_names, .change = NCTL_CHANGE_FLAP, .help = "how often the partner shall send LACPDUs"},
	B(AD_SELECT, ad_select, AD_SELECT, "ad_select", ENUM), .key = "ad-select", .names = select_names,
		.change = NCTL_CHANGE_FLAP, .help = "how the aggregator is selected"},
	B(AD_INFO, ad_info, AD_INFO, "ad_info", BYTES), .ops = &ad_info_ops, LACP},
	B(AD_ACTOR_SYS_PRIO, ad_actor_sys_prio, AD_ACTOR_SYS_PRIO, "ad_actor_sys_prio", UINT),
		.key = "ad-actor-sys-prio", .min = 1, .help = "system priority in LACP"},
	B(AD_USER_PORT_KEY, ad_user_port_key, AD_USER_PORT_KEY, "ad_user_port_key", UINT),
		.key = "ad-user-port-key", .max = 1023, .change = NCTL_CHANGE_FLAP,
		.help = "upper bits of the port keys in LACP"},
	B(AD_ACTOR_SYSTEM, ad_actor_system, AD_ACTOR_SYSTEM, "ad_actor_system", LLADDR),
		.key = "ad-actor-system", .min = 6, .max = 6, .change = NCTL_CHANGE_FLAP,
		.help = "MAC address of the system in LACP"},
	B(TLB_DYNAMIC_LB, tlb_dynamic_lb, TLB_DYNAMIC_LB, "tlb_dynamic_lb", BOOL),
		.key = "tlb-dynamic-lb", .format = NCTL_FORMAT_NUMBER, .change = NCTL_CHANGE_FLAP,
		.help = "whether the load of the ports counts"},
	B(COUPLED_CONTROL, coupled_control, COUPLED_CONTROL_, "coupled_control", BOOL),
		.key = "coupled-control", .change = NCTL_CHANGE_FLAP,
		.help = "whether LACP collects and distributes as one (Linux 6.9)"},
	B(BROADCAST_NEIGH, broadcast_neigh, BROADCAST_NEIGH_, "broadcast_neighbor", BOOL),
		.key = "broadcast-neighbor", .help = "whether ARP and ND go through all ports (Linux 6.17)"},
};
_Static_assert(NCTL_ARRAY_SIZE(bond_fields) == BOND_N_FIELDS, "a bond field without an entry");

static const struct nctl_field bond_port_fields[] = {
	P(state, STATE, "state", ENUM), .names = port_state_names, .flags = NCTL_FIELD_READONLY},
	P(mii_status, MII_STATUS, "mii_status", ENUM), .names = mii_names, .flags = NCTL_FIELD_READONLY},
	P(link_failure_count, LINK_FAILURE_COUNT, "link_failure_count", UINT),
		.flags = NCTL_FIELD_READONLY | NCTL_FIELD_VOLATILE},
	P(perm_hwaddr, PERM_HWADDR, "perm_hwaddr", LLADDR), .flags = NCTL_FIELD_READONLY},
	P(queue_id, QUEUE_ID, "queue_id", UINT), .key = "queue-id", .flags = NCTL_FIELD_LATE,
		.help = "number of the transmission queue that is for this port, 0 none"},
	P(prio, PRIO, "prio", UINT), .key = "port-priority", .max = INT32_MAX, .format = NCTL_FORMAT_SIGNED,
		.flags = NCTL_FIELD_LATE, .help = "preference as the active port, higher is better"},
	P(aggregator_id, AD_AGGREGATOR_ID, "ad_aggregator_id", UINT), LACP},
	P(actor_state, AD_ACTOR_OPER_PORT_STATE, "ad_actor_oper_port_state", UINT),
		LACP},
	P(actor_state, AD_ACTOR_OPER_PORT_STATE, "ad_actor_oper_port_state_str", BITS),
		.names = lacp_state_names, LACP},
	P(partner_state, AD_PARTNER_OPER_PORT_STATE, "ad_partner_oper_port_state", UINT),
		LACP},
	P(partner_state, AD_PARTNER_OPER_PORT_STATE, "ad_partner_oper_port_state_str", BITS),
		.names = lacp_state_names, LACP},
	P(actor_port_prio, ACTOR_PORT_PRIO_, "actor_port_prio", UINT), .key = "actor-port-prio",
		.flags = NCTL_FIELD_LATE, .help = "priority of the port in LACP (Linux 6.19)"},
	P(churn_actor, AD_CHURN_ACTOR_STATE_, "churn_actor_state", ENUM), .names = churn_names, LACP},
	P(churn_partner, AD_CHURN_PARTNER_STATE_, "churn_partner_state", ENUM), .names = churn_names, LACP},
};

/* Options that only some modes have, with the values that a new bond has (bond_opts, bond_check_params). */
#define ONLY(...) (0 __VA_ARGS__)
#define IN(mode_) | 1U << MODE_##mode_
static const struct bond_rule {
	uint8_t field, modes;
	uint32_t dflt;
} bond_rules[] = {
	{BOND_ARP_INTERVAL, ONLY(IN(RR) IN(BACKUP) IN(XOR) IN(BROADCAST)), 0},
	{BOND_ARP_VALIDATE, ONLY(IN(RR) IN(BACKUP) IN(XOR) IN(BROADCAST)), 0},
	{BOND_MISSED_MAX, ONLY(IN(RR) IN(BACKUP) IN(XOR) IN(BROADCAST)), 2},
	{BOND_PRIMARY, ONLY(IN(BACKUP) IN(TLB) IN(ALB)), 0},
	{BOND_PACKETS_PER_SLAVE, ONLY(IN(RR)), 1},
	{BOND_AD_LACP_ACTIVE, ONLY(IN(8023AD)), 1},
	{BOND_AD_LACP_RATE, ONLY(IN(8023AD)), 0},
	{BOND_AD_ACTOR_SYS_PRIO, ONLY(IN(8023AD)), 65535},
	{BOND_AD_USER_PORT_KEY, ONLY(IN(8023AD)), 0},
	{BOND_TLB_DYNAMIC_LB, ONLY(IN(TLB)), 1},
	{BOND_COUPLED_CONTROL, ONLY(IN(8023AD)), 1},
	{BOND_BROADCAST_NEIGH, ONLY(IN(8023AD)), 0},
};
/* clang-format on */

static bool rule_allows(const struct bond_rule *r, const struct bond_data *d)
{
	return d->mode >= MODE_N || r->modes & 1U << d->mode;
}

static uint64_t bond_creatable(const void *data, uint64_t mask)
{
	const struct bond_data *d = data;

	/* The delays count in MII intervals: without one the kernel refuses even 0. */
	if (d->miimon == 0)
		mask &= ~((d->updelay ? 0 : BIT(UPDELAY)) | (d->downdelay ? 0 : BIT(DOWNDELAY)) |
			  (d->peer_notif_delay ? 0 : BIT(PEER_NOTIF_DELAY)));
	if (d->arp_ip_target.n == 0)
		mask &= ~BIT(ARP_IP_TARGET);
	if (d->ns_ip6_target.n == 0)
		mask &= ~BIT(NS_IP6_TARGET);
	if (nctl_lladdr_equal(&d->ad_actor_system, &(struct nctl_lladdr){.len = 6}))
		mask &= ~BIT(AD_ACTOR_SYSTEM);
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(bond_rules); i++) {
		const struct bond_rule *r = &bond_rules[i];

		if (!rule_allows(r, d) && nctl_field_get(&bond_fields[r->field], d) == r->dflt)
			mask &= ~(UINT64_C(1) << r->field);
	}
	return mask;
}

static void say_modes(const struct bond_rule *r, const struct bond_data *d, struct nctl_strbuf *why)
{
	const char *comma = "";

	nctl_strbuf_puts(why, "exists only in mode ");
	for (unsigned m = 0; m < MODE_N; m++) {
		if (!(r->modes & 1U << m))
			continue;
		nctl_strbuf_printf(why, "%s%s", comma, mode_names[m].name);
		comma = ", ";
	}
	nctl_strbuf_printf(why, ", and this is %s", mode_names[d->mode].name);
}

static int check_targets(const struct bond_data *d, struct nctl_strbuf *why)
{
	for (uint32_t i = 0; i < d->ns_ip6_target.n; i++) {
		if (d->ns_ip6_target.v[i].family == AF_INET6)
			continue;
		nctl_strbuf_puts(why, "must be IPv6 addresses");
		return BOND_NS_IP6_TARGET;
	}
	for (uint32_t i = 0; i < d->arp_ip_target.n; i++) {
		if (d->arp_ip_target.v[i].family == AF_INET)
			continue;
		nctl_strbuf_puts(why, "must be IPv4 addresses");
		return BOND_ARP_IP_TARGET;
	}
	return -1;
}

static int bond_check(const void *data, uint64_t has, struct nctl_strbuf *why)
{
	const struct bond_data *d = data;
	/* 802.3ad, balance-tlb and balance-alb turn MII monitoring on by themselves. */
	bool monitors = d->mode >= MODE_8023AD || (has & BIT(MIIMON) && d->miimon);

	for (size_t i = 0; i < NCTL_ARRAY_SIZE(bond_rules); i++) {
		const struct bond_rule *r = &bond_rules[i];

		if (!(has & UINT64_C(1) << r->field) || rule_allows(r, d) ||
			(r->field != BOND_PRIMARY && nctl_field_get(&bond_fields[r->field], d) == r->dflt))
			continue;
		say_modes(r, d, why);
		return r->field;
	}
	if (has & BIT(ARP_INTERVAL) && d->arp_interval && has & BIT(MIIMON) && d->miimon) {
		nctl_strbuf_puts(why, "excludes mii-monitor-interval");
		return BOND_ARP_INTERVAL;
	}
	if (!monitors && ((has & BIT(UPDELAY) && d->updelay) || (has & BIT(DOWNDELAY) && d->downdelay))) {
		nctl_strbuf_puts(why, "needs mii-monitor-interval");
		return has & BIT(UPDELAY) && d->updelay ? BOND_UPDELAY : BOND_DOWNDELAY;
	}
	if (!monitors && has & BIT(PEER_NOTIF_DELAY) && d->peer_notif_delay) {
		nctl_strbuf_puts(why, "needs mii-monitor-interval");
		return BOND_PEER_NOTIF_DELAY;
	}
	return check_targets(d, why);
}

/* The kernel leaves out what is none, so that "none" would look like "unknown". */
static void bond_fixup(void *data, uint64_t *has)
{
	(void)data;
	*has |= BIT(ARP_IP_TARGET) | BIT(NS_IP6_TARGET) | BIT(PRIMARY);
}

/* bond_set_rx_mode, bond_uses_primary, bond_enslave */
static void bond_ports(const void *data, uint64_t has, struct nctl_kind_ports *ret)
{
	const struct bond_data *d = data;

	ret->one = d->mode == MODE_BACKUP || d->mode == MODE_TLB || d->mode == MODE_ALB;
	if (ret->one && has & BIT(ACTIVE_SLAVE))
		ret->the_one = d->active_slave;
	ret->lacp = d->mode == MODE_8023AD;
}

const struct nctl_kind nctl_kind_bond = {
	.name = "bond",
	.section = "bonds",
	.parameters = "parameters",
	.ports_key = "interfaces",
	.help = "several links that act as one",
	.traits = NCTL_KIND_PORT_DOWN | NCTL_KIND_PORTS_FIRST | NCTL_KIND_MULTICAST_TO_PORTS,
	.data_size = sizeof(struct bond_data),
	.data = {bond_fields, NCTL_ARRAY_SIZE(bond_fields)},
	.port_size = sizeof(struct bond_port),
	.port = {bond_port_fields, NCTL_ARRAY_SIZE(bond_port_fields)},
	.creatable = bond_creatable,
	.check = bond_check,
	.fixup = bond_fixup,
	.ports = bond_ports,
};
