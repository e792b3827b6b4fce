/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: dumps of routes, next-hop objects and rules, with the filters of a strict request. Where the kernel
 * goes on by counting, and so may lose an object when another one goes meanwhile, this goes on behind the
 * last prefix, id or priority that is complete.
 */

#include <errno.h>
#include <string.h>
#include <linux/fib_rules.h>
#include <linux/nexthop.h>

#include "fake/fib.h"

static int fk_route_filters(struct fk_req *rq, struct fk_dump *d)
{
	const struct nlattr *tb[RTA_MAX + 1];
	const struct rtmsg *rtm = NLMSG_DATA(rq->nlh);
	if (rq->nlh->nlmsg_len < NLMSG_LENGTH(sizeof *rtm))
		return fk_refuse(rq, -EINVAL, "Invalid header for FIB dump request");
	if (rtm->rtm_dst_len || rtm->rtm_src_len || rtm->rtm_tos || rtm->rtm_scope)
		return fk_refuse(rq, -EINVAL, "Invalid values in header for FIB dump request");
	int r = fk_parse_msg(tb, RTA_MAX, rq->nlh, sizeof *rtm);
	if (r < 0)
		return r;
	d->family = rtm->rtm_family;
	d->protocol = rtm->rtm_protocol;
	d->rtype = rtm->rtm_type;
	d->table = tb[RTA_TABLE] ? fk_u32(tb[RTA_TABLE]) : rtm->rtm_table;
	d->ifindex = tb[RTA_OIF] ? (int)fk_u32(tb[RTA_OIF]) : 0;
	if (d->ifindex && !fk_link_by_index(rq->ns, d->ifindex))
		return -ENODEV;
	if (d->table && d->family && !fk_table_exists(rq->ns, d->family, d->table))
		return fk_refuse(rq, -ENOENT, "FIB table does not exist");
	d->filtered = d->protocol || d->rtype || d->table || d->ifindex;
	return 0;
}

int fk_fib_dump_filters(struct fk_req *rq, struct fk_dump *d)
{
	const struct nlattr *tb[NHA_MAX + 1];
	if (rq->nlh->nlmsg_type == RTM_GETROUTE)
		return fk_route_filters(rq, d);
	if (rq->nlh->nlmsg_type == RTM_GETRULE) {
		if (rq->nlh->nlmsg_len < NLMSG_LENGTH(sizeof(struct fib_rule_hdr)))
			return fk_refuse(rq, -EINVAL, "Invalid header for fib rule dump request");
		d->family = ((const struct fib_rule_hdr *)NLMSG_DATA(rq->nlh))->family;
		return 0;
	}
	if (rq->nlh->nlmsg_len < NLMSG_LENGTH(sizeof(struct nhmsg)))
		return -EINVAL;
	int r = fk_parse_msg(tb, NHA_MAX, rq->nlh, sizeof(struct nhmsg));
	if (r == 0 && tb[NHA_OIF])
		d->ifindex = (int)fk_u32(tb[NHA_OIF]);
	if (r == 0)
		d->groups = tb[NHA_GROUPS] != NULL;
	return r;
}

/* Siblings are wanted if one of them is (fib6_info_uses_dev()). */
static bool fk_wants_route(struct fk_netns *ns, const struct fk_dump *d, const struct fk_route *r)
{
	struct fk_hop hops[FK_MAX_HOPS];
	bool uses = false;
	if ((d->table && r->table != d->table) || (d->protocol && r->protocol != d->protocol) ||
		(d->rtype && r->type != d->rtype))
		return false;
	if (!d->ifindex)
		return true;
	unsigned n = fk_collect_hops(ns, r, false, hops);
	for (unsigned i = 0; i < n; i++)
		uses |= hops[i].oif == d->ifindex;
	return uses;
}

/* An IPv6 route with siblings speaks for them; what stands between it and the last of them is skipped
 * (fib6_dump_node()). */
static struct fk_route *fk_last_sibling(struct fk_netns *ns, struct fk_route *r)
{
	struct fk_route *last = r;
	if (r->family == AF_INET || r->nh || !fk_fib6_is_ecmp(r))
		return r;
	for (struct fk_route *s = r; s; s = fk_route_next(ns, s))
		if (fk_fib6_siblings(s, r))
			last = s;
	return last;
}

static bool fk_is_later_sibling(struct fk_netns *ns, const struct fk_route *r)
{
	if (r->family == AF_INET || !fk_fib6_is_ecmp(r))
		return false;
	for (const struct fk_route *s = fk_route_first(ns, r); s != r;
		s = fk_route_next(ns, (struct fk_route *)s))
		if (fk_fib6_siblings(s, r))
			return true;
	return false;
}

/* All routes of the prefix of first, or none; if even an empty datagram cannot hold them, some, and d->nth is
 * where to go on. */
static bool fk_dump_prefix(struct fk_netns *ns, struct fk_dump *d, struct fk_buf *b, struct fk_route *first)
{
	uint16_t flags = NLM_F_MULTI | (d->filtered ? NLM_F_DUMP_FILTERED : 0);
	size_t before = b->len;
	unsigned at = 0;
	for (struct fk_route *r = first; r; r = fk_route_next(ns, r), at++) {
		size_t one = b->len;
		if (at < d->nth || !fk_wants_route(ns, d, r))
			continue;
		if (ns->f->whole_dumps && fk_is_later_sibling(ns, r))
			continue;
		fk_put_route(b, ns, r, false, RTM_NEWROUTE, flags, d->seq);
		if (b->full) {
			b->full = false;
			b->len = before ? before : one;
			d->nth = before ? d->nth : at;
			return false;
		}
		const struct fk_route *last = ns->f->whole_dumps ? r : fk_last_sibling(ns, r);
		for (; r != last; at++)
			r = fk_route_next(ns, r);
	}
	d->nth = 0;
	return true;
}

static void fk_dump_at(struct fk_dump *d, const struct fk_route *r)
{
	d->begun = true;
	d->at_table = r->table;
	d->at_len = r->len;
	memcpy(d->at, r->dst, sizeof d->at);
}

/* False: there is more. */
static bool fk_dump_family(struct fk_netns *ns, struct fk_dump *d, struct fk_buf *b, uint8_t family)
{
	struct fk_route at = {.family = family, .table = d->at_table, .len = d->at_len};
	const struct fk_route *last = NULL;
	const bool resumed = d->begun, within = d->nth > 0;
	struct nctl_list *pos;
	memcpy(at.dst, d->at, sizeof at.dst);
	nctl_list_for_each(pos, fk_routes(ns, family)) {
		struct fk_route *r = nctl_list_entry(pos, struct fk_route, node);
		int c = resumed ? fk_route_key_cmp(r, &at) : 1;
		if (c < 0 || (c == 0 && !within) || (last && fk_route_same_prefix(last, r)))
			continue;
		if (c > 0)
			d->nth = 0;
		if (!fk_dump_prefix(ns, d, b, r)) {
			if (d->nth)
				fk_dump_at(d, r);
			return false;
		}
		last = r;
		fk_dump_at(d, r);
	}
	return true;
}

static bool fk_dump_routes(struct fk_netns *ns, struct fk_dump *d, struct fk_buf *b)
{
	for (; d->pass < 2; d->pass++, d->begun = false, d->nth = 0) {
		uint8_t family = d->pass ? AF_INET6 : AF_INET;
		if ((!d->family || d->family == family) && !fk_dump_family(ns, d, b, family))
			return false;
	}
	return true;
}

static bool fk_dump_nexthops(struct fk_netns *ns, struct fk_dump *d, struct fk_buf *b)
{
	struct nctl_list *pos;
	nctl_list_for_each(pos, &ns->nexthops) {
		const struct fk_nexthop *n = nctl_list_entry(pos, struct fk_nexthop, node);
		size_t before = b->len;
		if (n->id < d->next || (d->groups && !n->group) ||
			(d->ifindex && (n->group || n->hop.oif != d->ifindex)))
			continue;
		fk_put_nexthop(b, ns->f, n, RTM_NEWNEXTHOP, NLM_F_MULTI, d->seq);
		if (b->full) {
			b->len = before;
			b->full = false;
			return false;
		}
		d->next = (uint64_t)n->id + 1;
	}
	return true;
}

/* As routes: all of one priority, or none, unless they are too many. False: there is more. */
static bool fk_dump_rules_of(struct fk_netns *ns, struct fk_dump *d, struct fk_buf *b, uint8_t family)
{
	struct nctl_list *pos;
	size_t begin = b->len;
	unsigned at = 0;
	nctl_list_for_each(pos, fk_rules(ns, family)) {
		const struct fk_rule *r = nctl_list_entry(pos, struct fk_rule, node);
		size_t one = b->len;
		if (r->priority < d->next)
			continue;
		if (r->priority > d->next) { /* all before it are complete */
			d->next = r->priority;
			d->nth = at = 0;
			begin = b->len;
		}
		if (at++ < d->nth)
			continue;
		fk_put_rule(b, ns, r, RTM_NEWRULE, NLM_F_MULTI, d->seq);
		if (b->full) {
			b->full = false;
			b->len = begin ? begin : one;
			d->nth = begin ? d->nth : at - 1;
			return false;
		}
	}
	return true;
}

static bool fk_dump_rules(struct fk_netns *ns, struct fk_dump *d, struct fk_buf *b)
{
	for (; d->pass < 2; d->pass++, d->next = 0, d->nth = 0) {
		uint8_t family = d->pass ? AF_INET6 : AF_INET;
		if ((!d->family || d->family == family) && !fk_dump_rules_of(ns, d, b, family))
			return false;
	}
	return true;
}

bool fk_fib_dump_fill(struct fk_netns *ns, struct fk_dump *d, struct fk_buf *b)
{
	if (d->type == RTM_GETROUTE)
		return fk_dump_routes(ns, d, b);
	return d->type == RTM_GETRULE ? fk_dump_rules(ns, d, b) : fk_dump_nexthops(ns, d, b);
}
