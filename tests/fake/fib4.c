/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: IPv4 routes as net/ipv4/fib_trie.c keeps them: at one prefix by falling tos, then by rising metric,
 * and among equals as the flags of the requests say. Two routes of equal attributes share them (struct
 * fib_info), which shows in the state of their hops.
 */

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fake/fib.h"

/* fib_props[].scope */
static uint8_t fk_least_scope(uint8_t type)
{
	switch (type) {
	case RTN_LOCAL:
		return RT_SCOPE_HOST;
	case RTN_BROADCAST:
	case RTN_ANYCAST:
		return RT_SCOPE_LINK;
	case RTN_UNSPEC:
	case RTN_NAT:
	case RTN_XRESOLVE:
		return RT_SCOPE_NOWHERE;
	default:
		return RT_SCOPE_UNIVERSE;
	}
}

static bool fk_is_error(uint8_t type)
{
	return type >= RTN_BLACKHOLE && type <= RTN_THROW;
}

static bool fk_same_hops(const struct fk_route *a, const struct fk_route *b)
{
	if (a->nh != b->nh || (!a->nh && a->n_hops != b->n_hops))
		return false;
	for (unsigned i = 0; !a->nh && i < a->n_hops; i++) {
		const struct fk_hop *x = &a->hops[i], *y = &b->hops[i];
		if (x->oif != y->oif || x->via_family != y->via_family || memcmp(x->via, y->via, 16) != 0 ||
			x->weight != y->weight || x->scope != y->scope ||
			((x->flags ^ y->flags) & ~FK_F_STATE))
			return false;
	}
	return true;
}

/* fib_find_info() */
static bool fk_same_info(const struct fk_route *a, const struct fk_route *b)
{
	return a->protocol == b->protocol && a->scope == b->scope && a->type == b->type &&
	       a->metric == b->metric && a->table == b->table && a->has_prefsrc == b->has_prefsrc &&
	       memcmp(a->prefsrc, b->prefsrc, 4) == 0 && a->metrics_len == b->metrics_len &&
	       memcmp(a->metrics, b->metrics, a->metrics_len) == 0 &&
	       ((a->flags ^ b->flags) & ~(uint32_t)FK_F_STATE) == 0 && fk_same_hops(a, b);
}

/* The state that routes of equal attributes have. */
static void fk_share_info(struct fk_netns *ns, struct fk_route *r)
{
	struct nctl_list *pos;
	nctl_list_for_each(pos, &ns->routes4) {
		const struct fk_route *o = nctl_list_entry(pos, struct fk_route, node);
		if (!fk_same_info(o, r))
			continue;
		memcpy(r->hops, o->hops, sizeof r->hops);
		r->flags = o->flags;
		return;
	}
}

static int fk_check_hops(struct fk_req *rq, struct fk_netns *ns, struct fk_route_req *q)
{
	struct fk_route *r = &q->r;
	unsigned down = 0;
	if (r->scope == RT_SCOPE_HOST) {
		if (r->n_hops != 1 || r->hops[0].via_family)
			return fk_refuse(rq, -EINVAL, "Route with host scope can not have a gateway");
		r->hops[0].scope = RT_SCOPE_NOWHERE;
		return fk_link_by_index(ns, r->hops[0].oif) ? 0 : -ENODEV;
	}
	for (unsigned i = 0; i < r->n_hops; i++) {
		int e = fk_fib4_check_hop(
			rq, ns, &r->hops[i], r->table, r->scope, r->hops[i].flags & RTNH_F_ONLINK);
		if (e < 0)
			return e;
		down += (r->hops[i].flags & RTNH_F_LINKDOWN) != 0;
	}
	if (down == r->n_hops)
		r->flags |= RTNH_F_LINKDOWN;
	return 0;
}

/* fib_check_nexthop() */
static int fk_check_object(struct fk_req *rq, const struct fk_route *r)
{
	const struct fk_nexthop *n = r->nh;
	for (unsigned i = 0; i < (n->group ? n->n_members : 1); i++) {
		const struct fk_nexthop *m = n->group ? n->members[i].nh : n;
		if (r->scope == RT_SCOPE_HOST && m->hop.via_family)
			return fk_refuse(rq, -EINVAL, "Route with host scope can not have a gateway");
		if (m->hop.flags & RTNH_F_ONLINK && r->scope >= RT_SCOPE_LINK)
			return fk_refuse(rq, -EINVAL, "Scope mismatch with nexthop");
		if (n->group && r->scope == RT_SCOPE_HOST)
			return fk_refuse(rq, -EINVAL, "Route with host scope can not have multiple nexthops");
	}
	return 0;
}

/* fib_create_info(): completes q->r. */
static int fk_create_info(struct fk_req *rq, struct fk_netns *ns, struct fk_route_req *q)
{
	struct fk_route *r = &q->r;
	if (r->type > RTN_MAX || fk_least_scope(r->type) > r->scope)
		return fk_refuse(rq, -EINVAL, "Invalid scope");
	if (r->flags & FK_F_STATE)
		return fk_refuse(rq, -EINVAL, "Invalid rtm_flags");
	if (q->nhid) {
		r->nh = fk_nexthop_find(ns, q->nhid);
		r->n_hops = 0;
		if (!r->nh)
			return fk_refuse(rq, -EINVAL, "Nexthop id does not exist");
	}
	for (unsigned i = 0; i < r->n_hops; i++)
		if (r->hops[i].flags & FK_F_STATE)
			return fk_refuse(rq, -EINVAL, "Invalid flags for nexthop");
	if (fk_is_error(r->type)) {
		if (q->multipath || r->hops[0].oif || r->hops[0].via_family)
			return fk_refuse(rq, -EINVAL,
				"Gateway, device and multipath can not be specified for this route type");
		fk_share_info(ns, r);
		return 0;
	}
	if (r->type > RTN_MULTICAST || r->type == RTN_UNSPEC)
		return fk_refuse(rq, -EINVAL, "Invalid route type");
	if (r->scope > RT_SCOPE_HOST)
		return fk_refuse(rq, -EINVAL, "Invalid scope");
	int e = r->nh ? fk_check_object(rq, r) : fk_check_hops(rq, ns, q);
	if (e < 0)
		return e;
	if (r->has_prefsrc && !fk_fib4_valid_prefsrc(ns, r))
		return fk_refuse(rq, -EINVAL, "Invalid prefsrc address");
	fk_share_info(ns, r);
	return 0;
}

static bool fk_key_valid(const struct fk_route *r)
{
	uint8_t masked[16];
	memcpy(masked, r->dst, sizeof masked);
	if (r->len > 32)
		return false;
	fk_prefix_mask(masked, r->len, 4);
	return memcmp(masked, r->dst, 4) == 0;
}

static bool fk_is_equal(const struct fk_route *a, const struct fk_route *r)
{
	return a->tos == r->tos && a->metric == r->metric;
}

/* fib_find_alias(): the first of equals, or what comes behind r. */
static struct fk_route *fk_find_alias(struct fk_netns *ns, const struct fk_route *r)
{
	for (struct fk_route *a = fk_route_first(ns, r); a; a = fk_route_next(ns, a))
		if (a->tos < r->tos || (a->tos == r->tos && a->metric >= r->metric))
			return a;
	return NULL;
}

/* Behind the routes of its prefix, or where such would be. */
static void fk_insert(struct fk_netns *ns, const struct fk_route *q, struct fk_route *before)
{
	struct fk_route *r = malloc(sizeof *r);
	if (!r)
		abort();
	*r = *q;
	nctl_list_init(&r->node);
	fk_route_insert(ns, r, before);
}

/* What becomes of r where its equals begin with first; *ret_before: it is added there. 1: it is not added. */
static int fk_among_equals(struct fk_netns *ns, const struct fk_route_req *q, struct fk_route *first,
	uint16_t *nlflags, struct fk_route **ret_before)
{
	struct fk_route *match = NULL, *a;
	if (q->flags & NLM_F_EXCL)
		return -EEXIST;
	*nlflags &= (uint16_t)~NLM_F_EXCL;
	for (a = first; a && fk_is_equal(a, &q->r); a = fk_route_next(ns, a))
		if (!match && fk_same_info(a, &q->r))
			match = a;
	if (q->flags & NLM_F_REPLACE) {
		if (match)
			return match == first ? 1 : -EEXIST;
		struct fk_route was = *first;
		*first = q->r;
		first->node = was.node;
		first->prefix = was.prefix;
		fk_route_event(ns, first, RTM_NEWROUTE, *nlflags | NLM_F_REPLACE);
		return 1;
	}
	if (match)
		return -EEXIST;
	if (q->flags & NLM_F_APPEND) {
		*nlflags |= NLM_F_APPEND;
		*ret_before = a;
	} else {
		*ret_before = first;
	}
	return 0;
}

/* fib_table_insert() */
int fk_fib4_insert(struct fk_req *rq, struct fk_netns *ns, struct fk_route_req *q)
{
	struct fk_route *r = &q->r, *before;
	uint16_t nlflags = NLM_F_EXCL;
	if (!fk_key_valid(r))
		return fk_refuse(rq, -EINVAL, "Invalid prefix for given prefix length");
	fk_table_make(ns, AF_INET, r->table);
	int e = fk_create_info(rq, ns, q);
	if (e < 0)
		return e;
	before = fk_find_alias(ns, r);
	if (before && fk_is_equal(before, r)) {
		e = fk_among_equals(ns, q, before, &nlflags, &before);
		if (e)
			return e == 1 ? 0 : e;
	}
	if (!(q->flags & NLM_F_CREATE))
		return -ENOENT;
	nlflags |= NLM_F_CREATE;
	fk_insert(ns, r, before);
	r = before ? nctl_list_entry(before->node.prev, struct fk_route, node) : fk_route_last(ns, r);
	fk_route_event(ns, r, RTM_NEWROUTE, nlflags);
	return 0;
}

/* fib_nh_match() */
static bool fk_nh_match(const struct fk_route *a, const struct fk_route_req *q)
{
	const struct fk_hop *want = q->r.hops;
	if (q->r.metric && q->r.metric != a->metric)
		return false;
	if (q->nhid)
		return a->nh && a->nh->id == q->nhid;
	bool named = want[0].oif || want[0].via_family;
	if (a->nh)
		return !named && !q->multipath;
	/* a request of more hops has a say about the first ones only */
	if (q->multipath && a->n_hops > q->r.n_hops)
		return false;
	for (unsigned i = 0; i < (q->multipath ? a->n_hops : 1); i++) {
		const struct fk_hop *h = &a->hops[i];
		if (want[i].oif && want[i].oif != h->oif)
			return false;
		if (want[i].via_family &&
			(want[i].via_family != h->via_family || memcmp(want[i].via, h->via, 16) != 0))
			return false;
	}
	return true;
}

/* fib_table_delete() */
int fk_fib4_delete(struct fk_req *rq, struct fk_netns *ns, const struct fk_route_req *q)
{
	const struct fk_route *r = &q->r;
	if (!fk_key_valid(r))
		return fk_refuse(rq, -EINVAL, "Invalid prefix for given prefix length");
	if (!fk_table_exists(ns, AF_INET, r->table))
		return fk_refuse(rq, -ESRCH, "FIB table does not exist");
	for (struct fk_route *a = fk_route_first(ns, r); a; a = fk_route_next(ns, a)) {
		bool same = a->tos == r->tos && (!r->type || a->type == r->type) &&
		            (r->scope == RT_SCOPE_NOWHERE || a->scope == r->scope) &&
		            (!r->has_prefsrc || memcmp(a->prefsrc, r->prefsrc, 4) == 0) &&
		            (!r->protocol || a->protocol == r->protocol);
		if (!same || !fk_nh_match(a, q))
			continue;
		if (r->metrics_len && (r->metrics_len != a->metrics_len ||
					      memcmp(a->metrics, r->metrics, r->metrics_len) != 0))
			continue;
		fk_route_unlink(ns, a);
		fk_route_event(ns, a, RTM_DELROUTE, 0);
		free(a);
		return 0;
	}
	return -ESRCH;
}

/* Does it tell of routes whose source address went? */
static bool fk_tells_sources(const struct nctl_fake *f)
{
	return f->version >= 6006 || (f->version == 6001 && f->patch >= 60);
}

/* fib_flush(): without a word, but for those whose source address went, which older ones do not tell, either.
 */
void fk_fib4_flush(struct fk_netns *ns)
{
	struct nctl_list *pos, *tmp;
	nctl_list_for_each_safe(pos, tmp, &ns->routes4) {
		struct fk_route *r = nctl_list_entry(pos, struct fk_route, node);
		if (!(r->flags & RTNH_F_DEAD))
			continue;
		fk_route_unlink(ns, r);
		if (r->prefsrc_gone && fk_tells_sources(ns->f))
			fk_route_event(ns, r, RTM_DELROUTE, 0);
		free(r);
	}
}
