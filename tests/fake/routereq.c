/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: RTM_NEWROUTE and RTM_DELROUTE taken apart, as rtm_to_fib_config() and rtm_to_fib6_config() do it: the
 * same struct for both families.
 */

#include <errno.h>
#include <string.h>

#include "fake/fib.h"

static int fk_read_gateway(struct fk_req *rq, const struct nlattr **tb, uint8_t family, struct fk_hop *h)
{
	static const uint8_t none[16];
	size_t alen = family == AF_INET ? 4 : 16;
	if (tb[RTA_GATEWAY]) {
		if (fk_len(tb[RTA_GATEWAY]) < alen)
			return -EINVAL;
		memcpy(h->via, fk_data(tb[RTA_GATEWAY]), alen);
		if (family == AF_INET6 || memcmp(h->via, none, alen) != 0)
			h->via_family = family;
	}
	if (tb[RTA_VIA]) {
		if (family == AF_INET6)
			return fk_refuse(rq, -EOPNOTSUPP, "IPv6 does not support RTA_VIA attribute");
		if (tb[RTA_GATEWAY] || fk_len(tb[RTA_VIA]) < 6)
			return -EINVAL;
		const uint8_t *via = fk_data(tb[RTA_VIA]);
		memcpy(&h->via_family, via, 1);
		size_t len = h->via_family == AF_INET ? 4 : h->via_family == AF_INET6 ? 16 : 0;
		if (!len || fk_len(tb[RTA_VIA]) != len + 2)
			return -EINVAL;
		memcpy(h->via, via + 2, len);
	}
	return 0;
}

static int fk_read_multipath(struct fk_req *rq, const struct nlattr *mp, struct fk_route_req *q)
{
	const uint8_t *p = fk_data(mp);
	size_t left = fk_len(mp);
	q->multipath = true;
	q->r.n_hops = 0;
	while (left >= sizeof(struct rtnexthop)) {
		const struct nlattr *tb[RTA_MAX + 1];
		const struct rtnexthop *nh = (const void *)p;
		struct fk_hop *h = &q->r.hops[q->r.n_hops];
		if (nh->rtnh_len < sizeof *nh || nh->rtnh_len > left || q->r.n_hops == FK_MAX_HOPS)
			return -EINVAL;
		*h = (struct fk_hop){
			.oif = nh->rtnh_ifindex, .weight = nh->rtnh_hops, .flags = nh->rtnh_flags};
		if (fk_parse(tb, RTA_MAX, p + sizeof *nh, nh->rtnh_len - sizeof *nh) < 0)
			return -EINVAL;
		int r = fk_read_gateway(rq, tb, q->r.family, h);
		if (r < 0)
			return r;
		q->r.n_hops++;
		size_t step = nctl_min((size_t)RTNH_ALIGN(nh->rtnh_len), left);
		p += step;
		left -= step;
	}
	return q->r.n_hops ? 0 : -EINVAL;
}

/* fib_get_mtu and its like are not modelled: metrics are kept as they came, by ascending type. */
static int fk_read_metrics(const struct nlattr *a, struct fk_route *r)
{
	const struct nlattr *tb[RTAX_MAX + 1];
	struct fk_buf b = {.p = r->metrics, .cap = sizeof r->metrics};
	if (fk_parse_nest(tb, RTAX_MAX, a) < 0)
		return -EINVAL;
	for (uint16_t i = 1; i <= RTAX_MAX; i++) {
		if (!tb[i])
			continue;
		if (i == RTAX_CC_ALGO || fk_len(tb[i]) != 4)
			return -EINVAL;
		if (fk_u32(tb[i]))
			fk_put_u32(&b, i, fk_u32(tb[i]));
	}
	r->metrics_len = b.len;
	return 0;
}

static int fk_read_rest(struct fk_req *rq, const struct nlattr **tb, struct fk_route_req *q)
{
	struct fk_route *r = &q->r;
	size_t alen = r->family == AF_INET ? 4 : 16;
	for (int i = 0; i < 2; i++) {
		const struct nlattr *a = tb[i ? RTA_PREFSRC : RTA_DST];
		if (a && fk_len(a) < alen)
			return -EINVAL;
		if (a)
			memcpy(i ? r->prefsrc : r->dst, fk_data(a), alen);
	}
	r->has_prefsrc = tb[RTA_PREFSRC] != NULL;
	r->metric = tb[RTA_PRIORITY] ? fk_u32(tb[RTA_PRIORITY]) : 0;
	r->table = tb[RTA_TABLE] ? fk_u32(tb[RTA_TABLE]) : r->table;
	if (!r->table)
		r->table = RT_TABLE_MAIN;
	if (tb[RTA_PREF] && r->family == AF_INET6) {
		r->pref = fk_u8(tb[RTA_PREF]);
		if (r->pref != 1 && r->pref != 3)
			r->pref = 0; /* ICMPV6_ROUTER_PREF_MEDIUM */
	}
	if (tb[RTA_METRICS] && fk_read_metrics(tb[RTA_METRICS], r) < 0)
		return -EINVAL;
	q->nhid = tb[RTA_NH_ID] ? fk_u32(tb[RTA_NH_ID]) : 0;
	if (q->nhid && (tb[RTA_OIF] || tb[RTA_GATEWAY] || tb[RTA_VIA] || tb[RTA_MULTIPATH]))
		return fk_refuse(rq, -EINVAL,
			"Nexthop specification and nexthop id are mutually exclusive");
	return 0;
}

static int fk_read_route(struct fk_req *rq, struct fk_route_req *q)
{
	const struct nlattr *tb[RTA_MAX + 1];
	const struct rtmsg *rtm = NLMSG_DATA(rq->nlh);
	int r = fk_parse_msg(tb, RTA_MAX, rq->nlh, sizeof *rtm);
	if (r < 0)
		return r;
	if (rtm->rtm_family == AF_INET6 ? rtm->rtm_tos : rtm->rtm_tos & 3)
		return fk_refuse(rq, -EINVAL, "Invalid dsfield (tos)");
	*q = (struct fk_route_req){
		.flags = rq->nlh->nlmsg_flags,
		.onlink = rtm->rtm_flags & RTNH_F_ONLINK,
		.r = {.family = rtm->rtm_family,
			.len = rtm->rtm_dst_len,
			.tos = rtm->rtm_tos,
			.type = rtm->rtm_type,
			.scope = rtm->rtm_scope,
			.protocol = rtm->rtm_protocol,
			.table = rtm->rtm_table,
			.flags = rtm->rtm_flags & 0xff,
			.n_hops = 1},
	};
	q->r.hops[0].flags = q->onlink ? RTNH_F_ONLINK : 0;
	q->r.hops[0].oif = tb[RTA_OIF] ? (int)fk_u32(tb[RTA_OIF]) : 0;
	r = fk_read_gateway(rq, tb, q->r.family, &q->r.hops[0]);
	if (r == 0)
		r = fk_read_rest(rq, tb, q);
	if (r == 0 && tb[RTA_MULTIPATH])
		r = fk_read_multipath(rq, tb[RTA_MULTIPATH], q);
	return r;
}

int fk_route_request(struct fk_req *rq)
{
	struct fk_route_req q;
	const struct rtmsg *rtm = NLMSG_DATA(rq->nlh);
	bool add = rq->nlh->nlmsg_type == RTM_NEWROUTE;
	if (rq->nlh->nlmsg_len < NLMSG_LENGTH(sizeof *rtm))
		return -EINVAL;
	if (rtm->rtm_family != AF_INET && rtm->rtm_family != AF_INET6)
		return -EOPNOTSUPP;
	int r = fk_read_route(rq, &q);
	if (r < 0)
		return r;
	if (q.nhid && !add && !fk_nexthop_find(rq->ns, q.nhid))
		return fk_refuse(rq, -EINVAL, "Nexthop id does not exist");
	if (q.r.family == AF_INET)
		return add ? fk_fib4_insert(rq, rq->ns, &q) : fk_fib4_delete(rq, rq->ns, &q);
	return add ? fk_fib6_add(rq, rq->ns, &q) : fk_fib6_del(rq, rq->ns, &q);
}
