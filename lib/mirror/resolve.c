/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: `route get` from the mirror: rules in order (net/core/fib_rules.c fib_rules_lookup), the tables that
 * they name, and what the kernel makes of the result before it answers. Pure functions over a mirror.
 */
#include "mirror/resolve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/fib_rules.h>
#include <linux/rtnetlink.h>
#include <string.h>

#include "base/json.h"
#include "mirror/resolve-parts.h"
#include "obj/parts.h"
#include "obj/rtname.h"

#define RT_TOS_MASK 0x1C /* IPTOS_RT_MASK of net/route.h */

static bool is_vrf(const struct nctl_mirror_link *l)
{
	return l && l->v.kind && l->v.kind->traits & NCTL_KIND_VRF;
}

nctl_ifindex nctl_resolve_vrf(const struct nctl_mirror *m, nctl_ifindex ifindex)
{
	const struct nctl_mirror_link *l = ifindex ? nctl_mirror_link_get(m, ifindex) : NULL;

	if (is_vrf(l))
		return ifindex;
	return l && is_vrf(nctl_mirror_link_get(m, l->v.master)) ? l->v.master : 0;
}

nctl_table nctl_resolve_vrf_table(const struct nctl_mirror *m, nctl_ifindex vrf)
{
	const struct nctl_mirror_link *l = vrf ? nctl_mirror_link_get(m, vrf) : NULL;
	int i = is_vrf(l) && l->v.data ? nctl_fields_find(&l->v.kind->data, "table") : -1;

	return i < 0 ? 0 : (nctl_table)nctl_field_get(&l->v.kind->data.v[i], l->v.data);
}

/* By name, as long as a link has it (else the rule is detached); or it is the packet's VRF (Linux 6.13). */
static bool is_link(const struct nctl_flow *f, const char *name, nctl_ifindex ifindex)
{
	const struct nctl_mirror_link *l = nctl_mirror_link_find(f->m, name);

	return l && strcmp(l->v.name, name) == 0 &&
	       (l->v.ifindex == ifindex || (f->vrf && l->v.ifindex == f->vrf));
}

static bool in_range(bool has, struct nctl_port_range range, uint16_t port)
{
	return !has || (port >= range.first && port <= range.last);
}

static bool matches_addresses(const struct nctl_flow *f, const struct nctl_rule *r)
{
	const struct nctl_resolve_query *q = f->q;
	struct nctl_prefix any = {.family = AF_INET, .len = 32};

	if (r->dst.len && !nctl_prefix_contains(&r->dst, &q->dst))
		return false;
	if (!r->src.len)
		return true;
	/* To IPv4 no source yet is 0.0.0.0. */
	if (q->src.family == AF_UNSPEC)
		return r->family == AF_INET && nctl_prefix_contains(&r->src, &any);
	return nctl_prefix_contains(&r->src, &q->src);
}

static bool matches_flow(const struct nctl_flow *f, const struct nctl_rule *r)
{
	const struct nctl_resolve_query *q = f->q;
	uint8_t tos = r->family == AF_INET ? q->tos & RT_TOS_MASK : q->tos & 0xFC;

	return (!r->tos || r->tos == tos) && (!r->dscp || r->dscp - 1 == q->tos >> 2) &&
	       (!r->ip_proto || r->ip_proto == q->ip_proto) && in_range(r->has_sport, r->sport, q->sport) &&
	       in_range(r->has_dport, r->dport, q->dport);
}

static bool matches(const struct nctl_flow *f, const struct nctl_rule *r)
{
	const struct nctl_resolve_query *q = f->q;
	bool yes = (!r->iif[0] || is_link(f, r->iif, f->iif)) && (!r->oif[0] || is_link(f, r->oif, f->oif)) &&
	           !((r->mark ^ q->mark) & r->mask) && (!r->tun_id || r->tun_id == q->tun_id) &&
	           (!r->l3mdev || nctl_resolve_vrf_table(f->m, f->vrf)) &&
	           (!r->has_uids || (q->uid >= r->uid_first && q->uid <= r->uid_last)) &&
	           matches_addresses(f, r) && matches_flow(f, r);

	return r->flags & FIB_RULE_INVERT ? !yes : yes;
}

/* fib4_rule_suppress, fib6_rule_suppress: a result that the rule does not want. */
static bool is_suppressed(
	const struct nctl_flow *f, const struct nctl_rule *r, const struct nctl_resolved *found)
{
	const struct nctl_mirror_link *l;

	if ((int32_t)found->route.dst.len <= r->suppress_prefixlen)
		return true;
	l = found->hop.oif ? nctl_mirror_link_get(f->m, found->hop.oif) : NULL;
	return r->suppress_ifgroup != -1 && l && l->v.group == (uint32_t)r->suppress_ifgroup;
}

/* What a rule that matches does. -EAGAIN: go on behind it. */
static int act(const struct nctl_flow *f, const struct nctl_rule *r, struct nctl_resolved *ret)
{
	int error;

	switch (r->action) {
	case FR_ACT_TO_TBL:
		break;
	case FR_ACT_NOP:
		return -EAGAIN;
	case FR_ACT_UNREACHABLE:
		return -ENETUNREACH;
	case FR_ACT_PROHIBIT:
		return -EACCES;
	default:
		return -EINVAL;
	}
	error = nctl_resolve_table(f, r->l3mdev ? nctl_resolve_vrf_table(f->m, f->vrf) : r->table, ret);
	if (error == 0 && is_suppressed(f, r, ret))
		return -EAGAIN;
	return error;
}

/* The first rule of that priority behind nth, or SIZE_MAX (fib_nl_newrule resolves the target so). */
static size_t target_of(const struct nctl_flow *f, size_t nth, uint32_t priority)
{
	const struct nctl_rule *r;

	while ((r = nctl_mirror_rule_at(f->m, f->q->dst.family, ++nth)))
		if (r->priority == priority)
			return nth;
	return SIZE_MAX;
}

static int walk_rules(const struct nctl_flow *f, struct nctl_resolved *ret)
{
	const struct nctl_rule *r;
	struct nctl_resolved found;
	size_t nth = 0, target;
	int error;

	while ((r = nctl_mirror_rule_at(f->m, f->q->dst.family, nth))) {
		if (matches(f, r)) {
			if (r->action == FR_ACT_GOTO) {
				target = target_of(f, nth, r->target);
				nth = target == SIZE_MAX ? nth + 1 : target;
				continue;
			}
			found = *ret;
			error = act(f, r, &found);
			if (error != -EAGAIN) {
				*ret = found;
				ret->rule = r;
				return error;
			}
		}
		nth++;
	}
	return -ENETUNREACH;
}

/* A kernel without rules (CONFIG_IP_MULTIPLE_TABLES) asks these. */
static int walk_tables(const struct nctl_flow *f, struct nctl_resolved *ret)
{
	static const nctl_table tables[] = {RT_TABLE_LOCAL, RT_TABLE_MAIN};
	int error = -EAGAIN;

	for (size_t i = 0; i < 2 && error == -EAGAIN; i++)
		error = nctl_resolve_table(f, tables[i], ret);
	return error == -EAGAIN ? -ENETUNREACH : error;
}

static int lookup(const struct nctl_flow *f, struct nctl_resolved *ret)
{
	if (nctl_mirror_rule_count(f->m, f->q->dst.family) == 0)
		return walk_tables(f, ret);
	return walk_rules(f, ret);
}

static bool is_ours(const struct nctl_flow *f, const struct nctl_prefix *p)
{
	struct nctl_route r;
	nctl_route_ref ref;

	if (nctl_mirror_addr_find(f->m, p))
		return true;
	/* 127/8 and its like: __ip_dev_find. */
	ref = nctl_mirror_route_match(f->m, RT_TABLE_LOCAL, p);
	if (!ref)
		return false;
	nctl_mirror_route_view(f->m, ref, &r);
	return r.type == RTN_LOCAL;
}

static bool is_all_ones(const struct nctl_prefix *p)
{
	static const uint8_t ones[4] = {255, 255, 255, 255};

	return p->family == AF_INET && memcmp(p->addr, ones, sizeof(ones)) == 0;
}

/* What is for everybody on one link, or has no route, leaves where it was told to. */
static void on_link(nctl_ifindex oif, struct nctl_resolved *ret)
{
	*ret = (struct nctl_resolved){.type = RTN_UNICAST, .hop = {.oif = oif, .weight = 1}, .n_hops = 1};
}

/*
 * Where what is for many goes by itself: to the link that was named, be it a VRF, or has the source. 0: a route
 * decides.
 */
static nctl_ifindex link_of_many(const struct nctl_flow *f)
{
	const struct nctl_prefix *dst = &f->q->dst;
	nctl_ifindex oif = f->q->oif;
	const struct nctl_mirror_addr *a;

	if (f->q->iif || !(nctl_prefix_is_multicast(dst) || is_all_ones(dst)))
		return 0;
	/* 224.0.0.0/24 (ipv4_is_local_multicast) never leaves its link. */
	if (oif)
		return is_all_ones(dst) || (dst->addr[0] == 224 && !dst->addr[1] && !dst->addr[2]) ? oif : 0;
	a = f->q->src.family == AF_INET ? nctl_mirror_addr_find(f->m, &f->q->src) : NULL;
	return a ? a->v.ifindex : 0;
}

/* __mkroute_output: to many without a gateway, unless a route to them says so. */
static void to_many(const struct nctl_flow *f, struct nctl_resolved *ret)
{
	if (is_all_ones(&f->q->dst))
		ret->type = RTN_BROADCAST;
	else if (nctl_prefix_is_multicast(&f->q->dst))
		ret->type = RTN_MULTICAST;
	if (ret->type == RTN_BROADCAST || (ret->type == RTN_MULTICAST && ret->route.dst.len < 4))
		ret->hop.via = NCTL_PREFIX_NULL;
}

static int check_ends(const struct nctl_flow *f)
{
	const struct nctl_prefix *src = &f->q->src;
	const struct nctl_mirror_link *l;

	if (f->q->dst.family == AF_INET6)
		return 0;
	if (f->q->iif)
		return src->family == AF_INET && !nctl_prefix_is_unspecified(src) ? 0 : -EINVAL;
	if (src->family == AF_INET &&
		(nctl_prefix_is_multicast(src) || nctl_prefix_is_unspecified(src) || is_all_ones(src)))
		return -EINVAL;
	/* Linux 6.1 says EINVAL here. */
	if (src->family == AF_INET && !is_ours(f, src))
		return -ENETUNREACH;
	l = f->q->oif ? nctl_mirror_link_get(f->m, f->q->oif) : NULL;
	return f->q->oif && (!l || !nctl_link_is_up(&l->v)) ? -ENETUNREACH : 0;
}

/* __mkroute_output: addresses that never leave the machine. */
static int check_leaving(const struct nctl_flow *f, const struct nctl_resolved *r)
{
	const struct nctl_mirror_link *l = nctl_mirror_link_get(f->m, r->hop.oif);

	if (f->q->src.family != AF_INET || !nctl_prefix_is_loopback(&f->q->src) || r->type == RTN_LOCAL)
		return 0;
	return l && !(l->v.flags & IFF_LOOPBACK) && !is_vrf(l) ? -EINVAL : 0;
}

/* ip_route_output_key_hash_rcu, ip_route_input_slow. */
static int resolve4(const struct nctl_flow *f, struct nctl_resolved *ret)
{
	nctl_ifindex oif;
	int error = check_ends(f);

	if (error)
		return error;
	if (nctl_prefix_is_unspecified(&f->q->dst)) {
		*ret = (struct nctl_resolved){.type = RTN_LOCAL};
		return 0;
	}
	oif = link_of_many(f);
	if (oif)
		on_link(oif, ret);
	else
		error = lookup(f, ret);
	if (error && f->oif && !f->q->iif && (!f->vrf || nctl_prefix_is_multicast(&f->q->dst))) {
		on_link(f->oif, ret);
		error = 0;
	}
	if (error)
		return error;
	/* Only what is forwarded or for us may come in. */
	if (f->q->iif && ret->type != RTN_UNICAST && ret->type != RTN_LOCAL && ret->type != RTN_BROADCAST)
		return -EINVAL;
	if (!f->q->iif)
		error = check_leaving(f, ret);
	if (error == 0)
		to_many(f, ret);
	return error;
}

/*
 * In a VRF what is of one link's scope is asked of its table alone (vrf_link_scope_lookup), and never of the
 * VRF device itself.
 */
static int resolve6(const struct nctl_flow *f, struct nctl_resolved *ret)
{
	struct nctl_flow scoped = *f;
	int error;

	if (!f->vrf || !f->q->oif ||
		!(nctl_prefix_is_link_local(&f->q->dst) || nctl_prefix_is_multicast(&f->q->dst)))
		return lookup(f, ret);
	if (f->q->oif == f->vrf)
		return -ENETUNREACH;
	scoped.strict = true;
	error = nctl_resolve_table(&scoped, nctl_resolve_vrf_table(f->m, f->vrf), ret);
	return error == -EAGAIN ? -ENETUNREACH : error;
}

/* An IPv6 address that means nothing without its link (rt6_need_strict). */
static bool needs_link(const struct nctl_prefix *p)
{
	return nctl_prefix_is_link_local(p) || nctl_prefix_is_multicast(p) || nctl_prefix_is_loopback(p);
}

/* Where the packet stays: the VRF of the link that has the address, or lo (ip6_rt_get_dev_rcu). */
static void stay_here(const struct nctl_flow *f, struct nctl_resolved *ret)
{
	nctl_ifindex vrf = nctl_resolve_vrf(f->m, ret->hop.oif);

	if (ret->route.dst.family == AF_INET6 && needs_link(&ret->route.dst) && vrf != ret->hop.oif)
		vrf = 0;
	ret->hop = (struct nctl_hop){.oif = vrf ? vrf : NCTL_LOOPBACK, .weight = 1};
	ret->n_hops = 1;
}

static void choose_source(const struct nctl_flow *f, struct nctl_resolved *ret)
{
	const struct nctl_prefix none = NCTL_PREFIX_NULL;
	nctl_ifindex dev = ret->hop.oif;

	if (f->q->dst.family == AF_INET && (f->q->src.family != AF_UNSPEC || f->q->iif))
		return;
	/* A route that leads out of the packet's VRF (fib_select_path). */
	if (f->q->dst.family == AF_INET && f->vrf && ret->ref && ret->type != RTN_LOCAL &&
		nctl_resolve_vrf(f->m, dev) != f->vrf)
		ret->prefsrc = nctl_resolve_source4(f->m, f->vrf, &none, RT_SCOPE_LINK);
	else if (ret->route.prefsrc.family != AF_UNSPEC)
		ret->prefsrc = ret->route.prefsrc;
	else if (f->q->dst.family == AF_INET6)
		ret->prefsrc = nctl_resolve_source6(f->m, dev, &f->q->dst);
	else if (ret->type == RTN_LOCAL)
		ret->prefsrc = f->q->dst;
	else
		ret->prefsrc = nctl_resolve_source4(
			f->m, dev, &ret->hop.via, ret->ref ? ret->route.scope : RT_SCOPE_LINK);
}

/* l3mdev_update_flow, and what ip6_route_output_flags and ip_route_output_key_hash begin with. */
static struct nctl_flow flow_of(const struct nctl_mirror *m, const struct nctl_resolve_query *q)
{
	struct nctl_flow f = {.m = m, .q = q, .iif = q->iif ? q->iif : NCTL_LOOPBACK, .oif = q->oif};

	f.vrf = nctl_resolve_vrf(m, q->oif);
	if (q->oif && f.vrf == q->oif)
		f.oif = 0;
	if (!q->oif && q->iif > NCTL_LOOPBACK)
		f.vrf = nctl_resolve_vrf(m, q->iif);
	f.strict = needs_link(&q->dst) || (q->oif && q->src.family == AF_UNSPEC);
	return f;
}

void nctl_mirror_resolve(
	const struct nctl_mirror *m, const struct nctl_resolve_query *q, struct nctl_resolved *ret)
{
	struct nctl_flow f = flow_of(m, q);

	*ret = (struct nctl_resolved){.type = RTN_UNSPEC};
	ret->error = q->dst.family == AF_INET6 ? resolve6(&f, ret) : resolve4(&f, ret);
	if (ret->error)
		return;
	choose_source(&f, ret);
	/* Of anycast routes only the kernel's own say so (RTF_ANYCAST). */
	if (ret->type == RTN_LOCAL || (ret->type == RTN_ANYCAST && q->dst.family == AF_INET6 &&
					      ret->route.protocol == RTPROT_KERNEL))
		stay_here(&f, ret);
}

static void put_hop(
	uint8_t family, const struct nctl_hop *h, const struct nctl_names *names, struct nctl_json *json)
{
	if (h->via.family == family) {
		nctl_json_addr(json, "gateway", &h->via);
	} else if (h->via.family != AF_UNSPEC) {
		nctl_json_key(json, "via");
		nctl_json_obj_begin(json);
		nctl_json_kstr(json, "family", h->via.family == AF_INET6 ? "inet6" : "inet");
		nctl_json_addr(json, "host", &h->via);
		nctl_json_obj_end(json);
	}
	if (h->oif)
		nctl_json_dev(json, "dev", h->oif, names);
}

/* IPv6 answers with the route itself, IPv4 with an entry of its cache. */
static void put_answer(const struct nctl_resolve_query *q, const struct nctl_resolved *r,
	const struct nctl_names *names, struct nctl_json *json)
{
	bool v6 = q->dst.family == AF_INET6;
	struct nctl_prefix none = {.family = AF_INET6, .len = 128};
	char buf[NCTL_RTNAME_STR], type[4];

	nctl_json_kstr(json, "type", nctl_route_type_name(r->type, type));
	nctl_json_addr(json, "dst", &q->dst);
	if (v6 || q->src.family != AF_UNSPEC)
		nctl_json_addr(json, "from", q->src.family != AF_UNSPEC ? &q->src : &none);
	if (q->tos && !v6)
		nctl_json_kstr(json, "tos", nctl_rtname(NCTL_RTNAME_DSFIELD, q->tos, buf));
	put_hop(q->dst.family, &r->hop, names, json);
	if (r->table)
		nctl_json_kstr(json, "table", nctl_rtname(NCTL_RTNAME_TABLE, r->table, buf));
	if (v6) {
		nctl_json_protocol(json, r->route.protocol);
		nctl_json_scope(json, r->route.scope);
		nctl_json_ku64(json, "metric", r->route.metric);
	}
	if (r->prefsrc.family != AF_UNSPEC)
		nctl_json_addr(json, "prefsrc", &r->prefsrc);
	nctl_json_hop_flags(json, 0);
	if (q->mark)
		nctl_json_ku64(json, "mark", q->mark);
	if (!v6) {
		nctl_json_ku64(json, "uid", q->uid);
		nctl_json_key(json, "cache");
		nctl_json_arr_begin(json);
		nctl_json_arr_end(json);
	}
	if (q->iif)
		nctl_json_dev(json, "iif", q->iif, names);
}

void nctl_resolved_json(const struct nctl_resolve_query *q, const struct nctl_resolved *r,
	const struct nctl_names *names, struct nctl_json *json)
{
	nctl_json_obj_begin(json);
	if (r->error) {
		nctl_json_addr(json, "dst", &q->dst);
		nctl_json_ki64(json, "error", r->error);
	} else {
		put_answer(q, r, names, json);
	}
	if (r->ref)
		nctl_json_dst(json, "prefix", &r->route.dst);
	if (r->rule)
		nctl_json_ku64(json, "rule", r->rule->priority);
	if (r->n_hops > 1)
		nctl_json_ku64(json, "hash_of", r->n_hops);
	nctl_json_obj_end(json);
}
