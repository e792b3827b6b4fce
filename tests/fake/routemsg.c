/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: routes, next-hop objects and rules as the kernel sends them (fib_dump_info(), rt6_fill_node(),
 * nh_fill_node(), fib_nl_fill_rule()).
 */

#include <string.h>
#include <linux/fib_rules.h>
#include <linux/nexthop.h>

#include "fake/fib.h"

enum { FK_NHA_OP_FLAGS = 14 }; /* linux/nexthop.h since 6.12 */

static void fk_put_via(struct fk_buf *b, uint8_t family, const struct fk_hop *h)
{
	if (h->via_family == family) {
		fk_put(b, RTA_GATEWAY, h->via, family == AF_INET ? 4 : 16);
	} else if (h->via_family) {
		struct {
			uint16_t family;
			uint8_t addr[16];
		} via = {.family = h->via_family};
		memcpy(via.addr, h->via, sizeof via.addr);
		fk_put(b, RTA_VIA, &via, h->via_family == AF_INET ? 6 : 18);
	}
}

static void fk_put_multipath_hop(struct fk_buf *b, uint8_t family, const struct fk_hop *h)
{
	size_t start = b->len;
	struct rtnexthop nh = {.rtnh_flags = h->flags, .rtnh_hops = h->weight, .rtnh_ifindex = h->oif};
	fk_put_raw(b, &nh, sizeof nh);
	fk_put_via(b, family, h);
	uint16_t len = (uint16_t)(b->len - start);
	if (!b->full)
		memcpy(b->p + start, &len, sizeof len);
}

/* IPv6: from r on around the ring of its siblings. */
unsigned fk_collect_hops(struct fk_netns *ns, const struct fk_route *r, bool alone, struct fk_hop *hops)
{
	unsigned n = fk_route_hops(r, hops);
	if (r->family == AF_INET || alone || r->nh || !fk_fib6_is_ecmp(r))
		return n;
	struct fk_route *first = fk_route_first(ns, r), *s;
	bool behind = false;
	for (int pass = 0; pass < 2; pass++) {
		for (s = first; s; s = fk_route_next(ns, s)) {
			if (s == r)
				behind = true;
			else if (fk_fib6_siblings(r, s) && behind == (pass == 0) && n < FK_MAX_HOPS)
				hops[n++] = s->hops[0];
		}
		behind = false;
	}
	return n;
}

static void fk_put_cacheinfo(struct fk_buf *b, const struct fk_route *r)
{
	const struct rta_cacheinfo ci = {0};
	fk_put(b, RTA_CACHEINFO, &ci, sizeof ci);
	fk_put_u8(b, RTA_PREF, r->pref);
}

void fk_put_route(struct fk_buf *b, struct fk_netns *ns, const struct fk_route *r, bool alone, uint16_t type,
	uint16_t flags, uint32_t seq)
{
	struct fk_hop hops[FK_MAX_HOPS];
	unsigned n = fk_collect_hops(ns, r, alone, hops);
	bool six = r->family == AF_INET6, hop_set = n > 1 || (six && r->nh && r->nh->group);
	size_t alen = six ? 16 : 4;
	struct rtmsg rtm = {
		.rtm_family = r->family,
		.rtm_dst_len = r->len,
		.rtm_tos = r->tos,
		.rtm_table = r->table < 256 ? (uint8_t)r->table : RT_TABLE_COMPAT,
		.rtm_protocol = r->protocol,
		.rtm_scope = r->scope,
		.rtm_type = r->nh && !r->nh->group && r->nh->blackhole ? RTN_BLACKHOLE : r->type,
		.rtm_flags = hop_set ? (six ? 0 : r->flags)
	                     : n     ? hops[0].flags
	                             : 0,
	};
	size_t start = fk_msg_begin(b, type, flags, seq, &rtm, sizeof rtm);
	fk_put_u32(b, RTA_TABLE, r->table);
	if (r->len)
		fk_put(b, RTA_DST, r->dst, alen);
	if (six && r->has_prefsrc)
		fk_put(b, RTA_PREFSRC, r->prefsrc, alen);
	if (six && r->metrics_len)
		fk_put(b, RTA_METRICS, r->metrics, r->metrics_len);
	if (r->metric || six)
		fk_put_u32(b, RTA_PRIORITY, r->metric);
	if (!six && r->metrics_len)
		fk_put(b, RTA_METRICS, r->metrics, r->metrics_len);
	if (!six && r->has_prefsrc)
		fk_put(b, RTA_PREFSRC, r->prefsrc, alen);
	if (r->nh)
		fk_put_u32(b, RTA_NH_ID, r->nh->id);
	if (hop_set) {
		size_t nest = fk_nest_begin(b, RTA_MULTIPATH);
		for (unsigned i = 0; i < n; i++)
			fk_put_multipath_hop(b, r->family, &hops[i]);
		fk_nest_end(b, nest);
	} else if (n) {
		fk_put_via(b, r->family, &hops[0]);
		if (hops[0].oif)
			fk_put_u32(b, RTA_OIF, (uint32_t)hops[0].oif);
	}
	if (six)
		fk_put_cacheinfo(b, r);
	fk_msg_end(b, start);
}

void fk_put_nexthop(struct fk_buf *b, const struct nctl_fake *f, const struct fk_nexthop *n, uint16_t type,
	uint16_t flags, uint32_t seq)
{
	struct nhmsg nhm = {
		.nh_family = n->group ? AF_UNSPEC : n->family,
		.nh_scope = n->group || n->blackhole ? 0 : n->scope,
		.nh_protocol = n->protocol,
		.nh_flags = n->flags | (n->group ? 0 : n->hop.flags),
	};
	size_t start = fk_msg_begin(b, type, flags, seq, &nhm, sizeof nhm);
	fk_put_u32(b, NHA_ID, n->id);
	if (n->group) {
		struct nexthop_grp members[FK_MAX_HOPS] = {0};
		for (unsigned i = 0; i < n->n_members; i++) {
			members[i].id = n->members[i].nh->id;
			members[i].weight = (uint8_t)n->members[i].weight;
		}
		fk_put_u16(b, NHA_GROUP_TYPE, NEXTHOP_GRP_TYPE_MPATH);
		fk_put(b, NHA_GROUP, members, n->n_members * sizeof members[0]);
		if (f->version >= 6012)
			fk_put_u32(b, FK_NHA_OP_FLAGS, UINT32_C(1) << 31);
	} else if (n->blackhole) {
		fk_put(b, NHA_BLACKHOLE, NULL, 0);
	} else {
		fk_put_u32(b, NHA_OIF, (uint32_t)n->hop.oif);
		if (n->hop.via_family)
			fk_put(b, NHA_GATEWAY, n->hop.via, n->hop.via_family == AF_INET ? 4 : 16);
	}
	fk_msg_end(b, start);
}

static bool fk_rule_unresolved(struct fk_netns *ns, const struct fk_rule *r)
{
	struct nctl_list *pos;
	if (r->action != FR_ACT_GOTO)
		return false;
	nctl_list_for_each(pos, fk_rules(ns, r->family))
		if (nctl_list_entry(pos, struct fk_rule, node)->priority == r->target)
			return false;
	return true;
}

void fk_put_rule(struct fk_buf *b, struct fk_netns *ns, const struct fk_rule *r, uint16_t type,
	uint16_t flags, uint32_t seq)
{
	size_t alen = r->family == AF_INET ? 4 : 16;
	struct fib_rule_hdr frh = {
		.family = r->family,
		.dst_len = r->dst_len,
		.src_len = r->src_len,
		.tos = r->tos,
		.table = r->table < 256 ? (uint8_t)r->table : RT_TABLE_COMPAT,
		.action = r->action,
		.flags = r->flags,
	};
	frh.flags |= *r->iif && r->iifindex < 0 ? FIB_RULE_IIF_DETACHED : 0;
	frh.flags |= *r->oif && r->oifindex < 0 ? FIB_RULE_OIF_DETACHED : 0;
	frh.flags |= fk_rule_unresolved(ns, r) ? FIB_RULE_UNRESOLVED : 0;
	size_t start = fk_msg_begin(b, type, flags, seq, &frh, sizeof frh);
	fk_put_u32(b, FRA_TABLE, r->table);
	fk_put_u32(b, FRA_SUPPRESS_PREFIXLEN, UINT32_MAX);
	fk_put_u8(b, FRA_PROTOCOL, r->protocol);
	if (*r->iif)
		fk_put_str(b, FRA_IIFNAME, r->iif);
	if (*r->oif)
		fk_put_str(b, FRA_OIFNAME, r->oif);
	if (r->priority)
		fk_put_u32(b, FRA_PRIORITY, r->priority);
	if (r->mark)
		fk_put_u32(b, FRA_FWMARK, r->mark);
	if (r->mark || r->mask)
		fk_put_u32(b, FRA_FWMASK, r->mask);
	if (r->target)
		fk_put_u32(b, FRA_GOTO, r->target);
	if (r->l3mdev)
		fk_put_u8(b, FRA_L3MDEV, 1);
	if (r->dst_len)
		fk_put(b, FRA_DST, r->dst, alen);
	if (r->src_len)
		fk_put(b, FRA_SRC, r->src, alen);
	fk_msg_end(b, start);
}

void fk_route_event(struct fk_netns *ns, const struct fk_route *r, uint16_t type, uint16_t flags)
{
	uint8_t bytes[2048];
	struct fk_buf b = FK_BUF(bytes);
	fk_put_route(&b, ns, r, type == RTM_DELROUTE, type, flags, 0);
	fk_broadcast(ns, r->family == AF_INET ? RTNLGRP_IPV4_ROUTE : RTNLGRP_IPV6_ROUTE, bytes, b.len);
}

void fk_nexthop_event(struct fk_netns *ns, const struct fk_nexthop *n, uint16_t type)
{
	uint8_t bytes[512];
	struct fk_buf b = FK_BUF(bytes);
	fk_put_nexthop(&b, ns->f, n, type, 0, 0);
	fk_broadcast(ns, RTNLGRP_NEXTHOP, bytes, b.len);
}

void fk_rule_event(struct fk_netns *ns, const struct fk_rule *r, uint16_t type)
{
	uint8_t bytes[512];
	struct fk_buf b = FK_BUF(bytes);
	fk_put_rule(&b, ns, r, type, 0, 0);
	fk_broadcast(ns, r->family == AF_INET ? RTNLGRP_IPV4_RULE : RTNLGRP_IPV6_RULE, bytes, b.len);
}
