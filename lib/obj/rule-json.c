/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: rules as `ip -j -d rule` of iproute2 6.1 prints them; what only newer kernels have (DSCP, masks of
 * ports, flow labels), as iproute2 6.15 does.
 */
#include <arpa/inet.h>
#include <linux/fib_rules.h>
#include <stdio.h>

#include "base/json.h"
#include "obj/parts.h"
#include "obj/rtname.h"
#include "obj/rule.h"

/* FRA_* since Linux 6.14. */
enum {
	ATTR_FLOWLABEL = 26,
	ATTR_FLOWLABEL_MASK = 27,
	ATTR_SPORT_MASK = 28,
	ATTR_DPORT_MASK = 29,
	ATTR_DSCP_MASK = 30,
};

static void put_prefix(
	struct nctl_json *json, const char *key, const char *key_len, const struct nctl_prefix *p)
{
	nctl_json_addr(json, key, p);
	if (p->len != nctl_prefix_bits(p->family))
		nctl_json_ku64(json, key_len, p->len);
}

static void put_name(struct nctl_json *json, const char *key, enum nctl_rtname_kind kind, uint32_t id)
{
	char buf[NCTL_RTNAME_STR];

	nctl_json_kstr(json, key, nctl_rtname(kind, id, buf));
}

static void put_hex_of(
	const struct nctl_rule *r, struct nctl_json *json, const char *key, uint16_t attr, bool big_endian)
{
	uint64_t v;

	if (nctl_bytes_uint(r->rest, attr, &v))
		nctl_json_hex(json, key, big_endian ? ntohl((uint32_t)v) : v);
}

static void put_addresses(const struct nctl_rule *r, struct nctl_json *json)
{
	if (r->src.family != AF_UNSPEC)
		put_prefix(json, "src", "srclen", &r->src);
	else
		nctl_json_kstr(json, "src", "all");
	if (r->dst.family != AF_UNSPEC)
		put_prefix(json, "dst", "dstlen", &r->dst);
}

static void put_links(const struct nctl_rule *r, struct nctl_json *json)
{
	if (r->iif[0]) {
		nctl_json_kstr(json, "iif", r->iif);
		if (r->flags & FIB_RULE_IIF_DETACHED)
			nctl_json_set(json, "iif_detached");
	}
	if (r->oif[0]) {
		nctl_json_kstr(json, "oif", r->oif);
		if (r->flags & FIB_RULE_OIF_DETACHED)
			nctl_json_set(json, "oif_detached");
	}
	if (r->l3mdev)
		nctl_json_set(json, "l3mdev");
}

static void put_ports(const struct nctl_port_range *p, const char *const keys[3], struct nctl_json *json)
{
	if (p->first == p->last) {
		nctl_json_ku64(json, keys[0], p->first);
		return;
	}
	nctl_json_ku64(json, keys[1], p->first);
	nctl_json_ku64(json, keys[2], p->last);
}

static void put_flow(const struct nctl_rule *r, struct nctl_json *json)
{
	static const char *const sport[] = {"sport", "sport_start", "sport_end"};
	static const char *const dport[] = {"dport", "dport_start", "dport_end"};
	char buf[NCTL_RTNAME_STR];

	if (r->has_uids) {
		nctl_json_ku64(json, "uid_start", r->uid_first);
		nctl_json_ku64(json, "uid_end", r->uid_last);
	}
	if (r->ip_proto)
		put_name(json, "ipproto", NCTL_RTNAME_IP_PROTO, r->ip_proto);
	if (r->has_sport) {
		put_ports(&r->sport, sport, json);
		put_hex_of(r, json, "sport_mask", ATTR_SPORT_MASK, false);
	}
	if (r->has_dport) {
		put_ports(&r->dport, dport, json);
		put_hex_of(r, json, "dport_mask", ATTR_DPORT_MASK, false);
	}
	if (r->tun_id)
		nctl_json_ku64(json, "tun_id", r->tun_id);
	if (r->dscp) {
		const char *name = nctl_rtname(NCTL_RTNAME_DSFIELD, (uint32_t)(r->dscp - 1) << 2, buf);

		/* The fields have names, the plain number is that of the DSCP. */
		if (name == buf)
			snprintf(buf, sizeof(buf), "%u", r->dscp - 1U);
		nctl_json_kstr(json, "dscp", name);
		put_hex_of(r, json, "dscp_mask", ATTR_DSCP_MASK, false);
	}
	put_hex_of(r, json, "flowlabel", ATTR_FLOWLABEL, true);
	put_hex_of(r, json, "flowlabel_mask", ATTR_FLOWLABEL_MASK, true);
}

static void put_table(const struct nctl_rule *r, struct nctl_json *json)
{
	if (!r->table)
		return;
	put_name(json, "table", NCTL_RTNAME_TABLE, r->table);
	if (r->suppress_prefixlen != -1)
		nctl_json_ki64(json, "suppress_prefixlen", r->suppress_prefixlen);
	if (r->suppress_ifgroup != -1)
		put_name(json, "suppress_ifgroup", NCTL_RTNAME_GROUP, (uint32_t)r->suppress_ifgroup);
}

static void put_action(const struct nctl_rule *r, struct nctl_json *json)
{
	char buf[4];

	switch (r->action) {
	case FR_ACT_TO_TBL:
		break;
	case FR_ACT_GOTO:
		if (r->target)
			nctl_json_ku64(json, "goto", r->target);
		else
			nctl_json_kstr(json, "goto", "none");
		if (r->flags & FIB_RULE_UNRESOLVED)
			nctl_json_set(json, "unresolved");
		break;
	case FR_ACT_NOP:
		nctl_json_set(json, "nop");
		break;
	default:
		/* The actions that refuse have the numbers of route types. */
		nctl_json_kstr(json, "action", nctl_route_type_name(r->action, buf));
		break;
	}
}

void nctl_rule_json(const struct nctl_rule *r, struct nctl_json *json)
{
	nctl_json_obj_begin(json);
	nctl_json_ku64(json, "priority", r->priority);
	if (r->flags & FIB_RULE_INVERT)
		nctl_json_set(json, "not");
	put_addresses(r, json);
	if (r->tos)
		put_name(json, "tos", NCTL_RTNAME_DSFIELD, r->tos);
	if (r->has_mark) {
		nctl_json_hex(json, "fwmark", r->mark);
		if (r->mask != UINT32_MAX)
			nctl_json_hex(json, "fwmask", r->mask);
	}
	put_links(r, json);
	put_flow(r, json);
	put_table(r, json);
	if (r->realms >> 16)
		put_name(json, "flow_from", NCTL_RTNAME_REALM, r->realms >> 16);
	if (r->realms)
		put_name(json, "flow_to", NCTL_RTNAME_REALM, r->realms & 0xFFFF);
	put_action(r, json);
	nctl_json_protocol(json, r->protocol);
	nctl_json_obj_end(json);
}
