/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: routes as `ip -j -d route show table all` of iproute2 6.1 prints them, and the words that ip(8) takes.
 * Keys of our own: metrics_lock (it prints no locks), and encap_* where it would write a key twice.
 */
#include <errno.h>
#include <linux/icmpv6.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "obj/parts.h"
#include "obj/rtname.h"

static const char *const type_names[] = {
	[RTN_UNSPEC] = "none",
	[RTN_UNICAST] = "unicast",
	[RTN_LOCAL] = "local",
	[RTN_BROADCAST] = "broadcast",
	[RTN_ANYCAST] = "anycast",
	[RTN_MULTICAST] = "multicast",
	[RTN_BLACKHOLE] = "blackhole",
	[RTN_UNREACHABLE] = "unreachable",
	[RTN_PROHIBIT] = "prohibit",
	[RTN_THROW] = "throw",
	[RTN_NAT] = "nat",
	[RTN_XRESOLVE] = "xresolve",
};

const char *nctl_route_type_name(uint8_t type, char buf[4])
{
	if (type < NCTL_ARRAY_SIZE(type_names))
		return type_names[type];
	snprintf(buf, 4, "%u", type);
	return buf;
}

int nctl_route_type_parse(const char *text, uint8_t *ret)
{
	for (size_t i = RTN_UNICAST; i < NCTL_ARRAY_SIZE(type_names); i++) {
		if (strcmp(type_names[i], text) == 0) {
			*ret = (uint8_t)i;
			return 0;
		}
	}
	return -ENOENT;
}

static int parse_u8(enum nctl_rtname_kind kind, const char *text, uint8_t *ret)
{
	uint32_t v;
	int r = nctl_rtname_parse(kind, text, UINT8_MAX, &v);

	if (r == 0)
		*ret = (uint8_t)v;
	return r;
}

int nctl_route_protocol_parse(const char *text, uint8_t *ret)
{
	return parse_u8(NCTL_RTNAME_PROTOCOL, text, ret);
}

int nctl_route_scope_parse(const char *text, uint8_t *ret)
{
	return parse_u8(NCTL_RTNAME_SCOPE, text, ret);
}

int nctl_route_table_parse(const char *text, nctl_table *ret)
{
	return nctl_rtname_parse(NCTL_RTNAME_TABLE, text, UINT32_MAX, ret);
}

void nctl_route_json_head(const struct nctl_route *r, struct nctl_json *json)
{
	char buf[NCTL_RTNAME_STR];

	nctl_json_obj_begin(json);
	nctl_json_dst(json, "dst", &r->dst);
	if (r->src.family != AF_UNSPEC)
		nctl_json_dst(json, "from", &r->src);
	if (r->tos)
		nctl_json_kstr(json, "tos", nctl_rtname(NCTL_RTNAME_DSFIELD, r->tos, buf));
	if (r->table)
		nctl_json_kstr(json, "table", nctl_rtname(NCTL_RTNAME_TABLE, r->table, buf));
	/* IPv6 always tells it. */
	if (r->metric || r->dst.family == AF_INET6)
		nctl_json_ku64(json, "metric", r->metric);
	if (r->expires)
		nctl_json_ki64(json, "expires", r->expires);
	if (r->error)
		nctl_json_ku64(json, "error", r->error);
}

static void put_realms(uint32_t realms, struct nctl_json *json)
{
	char buf[NCTL_RTNAME_STR];

	if (!realms)
		return;
	nctl_json_key(json, "flow");
	nctl_json_obj_begin(json);
	if (realms >> 16)
		nctl_json_kstr(json, "from", nctl_rtname(NCTL_RTNAME_REALM, realms >> 16, buf));
	nctl_json_kstr(json, "to", nctl_rtname(NCTL_RTNAME_REALM, realms & 0xFFFF, buf));
	nctl_json_obj_end(json);
}

static void put_gateway(uint8_t family, const struct nctl_prefix *via, struct nctl_json *json)
{
	if (via->family == AF_UNSPEC)
		return;
	if (via->family == family) {
		nctl_json_addr(json, "gateway", via);
		return;
	}
	nctl_json_key(json, "via");
	nctl_json_obj_begin(json);
	nctl_json_kstr(json, "family", via->family == AF_INET6 ? "inet6" : "inet");
	nctl_json_addr(json, "host", via);
	nctl_json_obj_end(json);
}

/* RTAX_*, and how many of the kernel's units are one of ours. */
static const struct {
	const char *name;
	uint32_t divisor;
} metric_names[] = {
	[RTAX_MTU] = {"mtu", 1},
	[RTAX_WINDOW] = {"window", 1},
	[RTAX_RTT] = {"rtt", 8},
	[RTAX_RTTVAR] = {"rttvar", 4},
	[RTAX_SSTHRESH] = {"ssthresh", 1},
	[RTAX_CWND] = {"cwnd", 1},
	[RTAX_ADVMSS] = {"advmss", 1},
	[RTAX_REORDERING] = {"reordering", 1},
	[RTAX_HOPLIMIT] = {"hoplimit", 1},
	[RTAX_INITCWND] = {"initcwnd", 1},
	[RTAX_FEATURES] = {"features", 1},
	[RTAX_RTO_MIN] = {"rto_min", 1},
	[RTAX_INITRWND] = {"initrwnd", 1},
	[RTAX_QUICKACK] = {"quickack", 1},
	[RTAX_CC_ALGO] = {"congestion", 1},
	[RTAX_FASTOPEN_NO_COOKIE] = {"fastopen_no_cookie", 1},
};

static void put_features(uint32_t features, struct nctl_json *json)
{
	if (features & RTAX_FEATURE_ECN)
		nctl_json_set(json, "ecn");
	if (features & ~(uint32_t)RTAX_FEATURE_ECN)
		nctl_json_hex(json, "features", features);
}

static void put_congestion(struct nctl_bytes v, struct nctl_json *json)
{
	char text[64];

	if (v.n == 0)
		return;
	snprintf(text, sizeof(text), "%.*s", (int)nctl_min((size_t)v.n, sizeof(text) - 1), (const char *)v.p);
	nctl_json_kstr(json, "congestion", text);
}

static void put_metric(struct nctl_bytes metrics, uint16_t i, uint32_t lock, struct nctl_json *json)
{
	uint64_t v = 0;

	if (!nctl_bytes_find(metrics, i) && !(lock & 1U << i))
		return;
	if (i == RTAX_CC_ALGO) {
		put_congestion(nctl_bytes_payload(metrics, i), json);
		return;
	}
	nctl_bytes_uint(metrics, i, &v);
	if (i == RTAX_HOPLIMIT && v == UINT32_MAX)
		return;
	if (i == RTAX_FEATURES)
		put_features((uint32_t)v, json);
	else
		nctl_json_ku64(json, metric_names[i].name, v / metric_names[i].divisor);
}

static void put_metrics(struct nctl_bytes metrics, struct nctl_json *json)
{
	uint64_t lock = 0;

	if (!metrics.n)
		return;
	nctl_bytes_uint(metrics, RTAX_LOCK, &lock);
	nctl_json_key(json, "metrics");
	nctl_json_arr_begin(json);
	nctl_json_obj_begin(json);
	for (uint16_t i = RTAX_MTU; i < NCTL_ARRAY_SIZE(metric_names); i++)
		put_metric(metrics, i, (uint32_t)lock, json);
	nctl_json_obj_end(json);
	nctl_json_arr_end(json);
	if (!lock)
		return;
	nctl_json_key(json, "metrics_lock");
	nctl_json_arr_begin(json);
	for (uint16_t i = RTAX_MTU; i < NCTL_ARRAY_SIZE(metric_names); i++)
		if (lock & UINT64_C(1) << i)
			nctl_json_str(json, metric_names[i].name);
	nctl_json_arr_end(json);
}

static void put_pref(const struct nctl_route *r, struct nctl_json *json)
{
	if (!r->has_pref)
		return;
	switch (r->pref) {
	case ICMPV6_ROUTER_PREF_LOW:
		nctl_json_kstr(json, "pref", "low");
		break;
	case ICMPV6_ROUTER_PREF_MEDIUM:
		nctl_json_kstr(json, "pref", "medium");
		break;
	case ICMPV6_ROUTER_PREF_HIGH:
		nctl_json_kstr(json, "pref", "high");
		break;
	default:
		nctl_json_ku64(json, "pref", r->pref);
		break;
	}
}

static void put_hops(const struct nctl_route *r, const struct nctl_names *names, struct nctl_json *json)
{
	const struct nctl_hop *h;

	nctl_json_key(json, "nexthops");
	nctl_json_arr_begin(json);
	for (h = r->hops; h < r->hops + r->n_hops; h++) {
		nctl_json_obj_begin(json);
		nctl_json_encap(h, NULL, names, json);
		put_gateway(r->dst.family, &h->via, json);
		put_realms(h->realms, json);
		nctl_json_dev(json, "dev", h->oif, names);
		nctl_json_ku64(json, "weight", h->weight);
		nctl_json_hop_flags(json, h->flags);
		nctl_json_obj_end(json);
	}
	nctl_json_arr_end(json);
}

static void put_nexthop(nctl_nhid id, const struct nctl_names *names, struct nctl_json *json)
{
	const struct nctl_nexthop *n;

	if (!id)
		return;
	nctl_json_ku64(json, "nhid", id);
	n = names->nexthop ? names->nexthop(names->userdata, id) : NULL;
	if (n) {
		nctl_json_key(json, "nh_info");
		nctl_nexthop_json(n, names, json);
	}
}

void nctl_route_json_tail(const struct nctl_route *r, const struct nctl_names *names, struct nctl_json *json)
{
	static const char *const taken[] = {"dst", "tos", "table", "iif", NULL};
	const struct nctl_hop *single = !r->multipath && r->n_hops ? r->hops : NULL;
	uint32_t flags = single ? (r->flags & ~0xFFU) | single->flags : r->flags;
	char buf[4];
	uint64_t uid;

	nctl_json_kstr(json, "type", nctl_route_type_name(r->type, buf));
	put_nexthop(r->nhid, names, json);
	if (single) {
		nctl_json_encap(single, taken, names, json);
		put_gateway(r->dst.family, &single->via, json);
		if (single->oif)
			nctl_json_dev(json, "dev", single->oif, names);
	}
	nctl_json_protocol(json, r->protocol);
	nctl_json_scope(json, r->scope);
	if (r->prefsrc.family != AF_UNSPEC)
		nctl_json_addr(json, "prefsrc", &r->prefsrc);
	nctl_json_hop_flags(json, flags);
	if (r->mark)
		nctl_json_ku64(json, "mark", r->mark);
	put_realms(r->realms, json);
	if (r->rest.n && nctl_bytes_uint(r->rest, RTA_UID, &uid))
		nctl_json_ku64(json, "uid", uid);
	put_metrics(r->metrics, json);
	if (r->iif)
		nctl_json_dev(json, "iif", r->iif, names);
	put_pref(r, json);
	if (r->multipath)
		put_hops(r, names, json);
	nctl_json_obj_end(json);
}

void nctl_route_json(const struct nctl_route *r, const struct nctl_names *names, struct nctl_json *json)
{
	nctl_route_json_head(r, json);
	nctl_route_json_tail(r, names, json);
}
