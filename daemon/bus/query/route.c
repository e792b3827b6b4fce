/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Routes for Query, as ip-route(8) selects them: a family, a table, prefixes, and what else tells a
 * route. "root" walks the part of the prefix index below a prefix, "match" asks it for each shorter one, so
 * that neither looks at the other routes. A million routes share a few sets of attributes: what of a line
 * comes from the set is printed once in a filling and copied then.
 */
#include "mirror/route.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "bus/query/object.h"

#define TAILS 128 /* slots, by hash: a set that has none is printed each time */

static int filter_table(struct nd_query *q, const char *value, sd_bus_error *error)
{
	if (strcmp(value, "all") == 0) {
		q->route.tables = ND_TABLES_ALL;
		return 0;
	}
	q->route.tables = ND_TABLES_ONE;
	if (nctl_route_table_parse(value, &q->route.table) < 0)
		return nd_filter_invalid(
			error, "No routing table", value, "main, local, default, all, or a number");
	return 0;
}

static int filter_vrf(struct nd_query *q, const char *value, sd_bus_error *error)
{
	q->route.tables = ND_TABLES_VRF;
	return nd_filter_vrf(q, value, error);
}

/* "default" is the prefix of length 0, of a family that may be known later only. */
static int parse_prefix(const char *value, struct nd_query_prefix *ret, sd_bus_error *error)
{
	ret->set = true;
	if (strcmp(value, "default") == 0) {
		ret->p = NCTL_PREFIX_NULL;
		return 0;
	}
	return nd_filter_prefix(value, &ret->p, error);
}

static int filter_root(struct nd_query *q, const char *value, sd_bus_error *error)
{
	return parse_prefix(value, &q->route.root, error);
}

static int filter_match(struct nd_query *q, const char *value, sd_bus_error *error)
{
	return parse_prefix(value, &q->route.match, error);
}

static int filter_exact(struct nd_query *q, const char *value, sd_bus_error *error)
{
	int r = parse_prefix(value, &q->route.root, error);

	q->route.match = q->route.root;
	return r;
}

static int filter_via(struct nd_query *q, const char *value, sd_bus_error *error)
{
	return nd_filter_prefix(value, &q->route.via, error);
}

static int filter_src(struct nd_query *q, const char *value, sd_bus_error *error)
{
	return nd_filter_prefix(value, &q->route.src, error);
}

static int filter_from(struct nd_query *q, const char *value, sd_bus_error *error)
{
	return nd_filter_prefix(value, &q->route.from, error);
}

static int filter_proto(struct nd_query *q, const char *value, sd_bus_error *error)
{
	q->route.has |= ND_ROUTE_PROTO;
	if (nctl_route_protocol_parse(value, &q->route.protocol) < 0)
		return nd_filter_invalid(error, "No routing protocol", value, NULL);
	return 0;
}

static int filter_type(struct nd_query *q, const char *value, sd_bus_error *error)
{
	q->route.has |= ND_ROUTE_TYPE;
	if (nctl_route_type_parse(value, &q->route.type) < 0)
		return nd_filter_invalid(
			error, "No type of a route", value, "unicast, local, blackhole, ...");
	return 0;
}

static int filter_scope(struct nd_query *q, const char *value, sd_bus_error *error)
{
	q->route.has |= ND_ROUTE_SCOPE;
	if (nctl_route_scope_parse(value, &q->route.scope) < 0)
		return nd_filter_invalid(
			error, "No scope", value, "global, site, link, host, nowhere, or a number");
	return 0;
}

static int filter_tos(struct nd_query *q, const char *value, sd_bus_error *error)
{
	uint32_t v;

	q->route.has |= ND_ROUTE_TOS;
	if (nctl_parse_u32(value, 16, 0, UINT8_MAX, &v) < 0)
		return nd_filter_invalid(error, "No TOS", value, "a hexadecimal number");
	q->route.tos = (uint8_t)v;
	return 0;
}

static int filter_metric(struct nd_query *q, const char *value, sd_bus_error *error)
{
	q->route.has |= ND_ROUTE_METRIC;
	return nd_filter_u32("No metric", value, UINT32_MAX, &q->route.metric, error);
}

static int filter_nhid(struct nd_query *q, const char *value, sd_bus_error *error)
{
	return nd_filter_u32("No id of a next hop", value, UINT32_MAX, &q->route.nhid, error);
}

/* As ip(8): who names no family means that of a prefix, or, unless all tables are meant, IPv4. */
static void settle_family(struct nd_query *q)
{
	struct nd_query_route *w = &q->route;

	if (!q->family)
		q->family = w->root.p.family ? w->root.p.family : w->match.p.family;
	if (!q->family && (w->tables != ND_TABLES_ALL || w->root.set || w->match.set))
		q->family = AF_INET;
	if (w->root.set && !w->root.p.family)
		w->root.p.family = q->family;
	if (w->match.set && !w->match.p.family)
		w->match.p.family = q->family;
	nctl_prefix_mask(&w->root.p);
}

int nd_vrf_table(const struct nctl_mirror *m, nctl_ifindex ifindex, nctl_table *ret)
{
	const struct nctl_mirror_link *l = nctl_mirror_link_get(m, ifindex);
	int i = l && l->v.kind && l->v.data ? nctl_fields_find(&l->v.kind->data, "table") : -1;

	if (i < 0)
		return -ENODATA;
	*ret = (nctl_table)nctl_field_get(&l->v.kind->data.v[i], l->v.data);
	return 0;
}

static int begin(struct nd_query *q, const struct nctl_mirror *m, const char **ret_name)
{
	struct nd_query_route *w = &q->route;
	int r = nd_devs_find(&q->devs, m, ret_name);

	if (r < 0)
		return r;
	settle_family(q);
	if (w->tables == ND_TABLES_MAIN)
		w->table = RT_TABLE_MAIN;
	if (w->tables == ND_TABLES_ALL)
		w->table = 0;
	if (w->tables == ND_TABLES_VRF && nd_vrf_table(m, q->devs.master, &w->table) < 0)
		return -EINVAL;
	w->cursor = (struct nctl_route_cursor){.family = q->family,
		.one_table = w->tables != ND_TABLES_ALL,
		.table = w->table,
		.within = w->root.set ? w->root.p : NCTL_PREFIX_NULL};
	w->len = 0;
	w->nth = 0;
	return 0;
}

static bool hop_fits(const struct nd_query *q, const struct nctl_hop *h)
{
	if (q->devs.dev && h->oif != q->devs.dev)
		return false;
	return !q->route.via.family || (h->via.family && nctl_prefix_contains(&q->route.via, &h->via));
}

/* Of a next-hop object or, if it is a group, any of its members. */
static bool nexthop_fits(const struct nd_query *q, const struct nctl_mirror *m, nctl_nhid id)
{
	const struct nctl_nexthop *n = nctl_mirror_nexthop_get(m, id), *one;

	if (!n || !n->group)
		return n && hop_fits(q, &n->hop);
	for (uint32_t i = 0; i < n->n_members; i++) {
		one = nctl_mirror_nexthop_get(m, n->members[i].id);
		if (one && !one->group && hop_fits(q, &one->hop))
			return true;
	}
	return false;
}

static bool any_hop_fits(const struct nd_query *q, const struct nctl_mirror *m, const struct nctl_route *r)
{
	for (uint32_t i = 0; i < r->n_hops; i++)
		if (hop_fits(q, r->hops + i))
			return true;
	return r->n_hops == 0 && r->nhid && nexthop_fits(q, m, r->nhid);
}

static bool fits(const struct nd_query *q, const struct nctl_mirror *m, const struct nctl_route *r)
{
	const struct nd_query_route *w = &q->route;

	if (w->match.set && (r->dst.len > w->match.p.len || !nctl_prefix_contains(&r->dst, &w->match.p)))
		return false;
	if ((w->has & ND_ROUTE_PROTO && r->protocol != w->protocol) ||
		(w->has & ND_ROUTE_TYPE && r->type != w->type) ||
		(w->has & ND_ROUTE_SCOPE && r->scope != w->scope) ||
		(w->has & ND_ROUTE_TOS && r->tos != w->tos) ||
		(w->has & ND_ROUTE_METRIC && r->metric != w->metric) || (w->nhid && r->nhid != w->nhid))
		return false;
	if (w->src.family && (!r->prefsrc.family || !nctl_prefix_contains(&w->src, &r->prefsrc)))
		return false;
	if (w->from.family && (!r->src.family || !nctl_prefix_contains(&w->from, &r->src)))
		return false;
	return (!q->devs.dev && !w->via.family) || any_hop_fits(q, m, r);
}

/* What lines of equal sets end with; text of all slots one behind the other. */
struct tails {
	struct {
		uint32_t set;
		nctl_table table;
		uint8_t family; /* 0: empty */
		uint32_t at, len;
	} slot[TAILS];
	struct nctl_strbuf text;
};

static void put_tail(struct tails *t, uint32_t set, const struct nctl_route *r,
	const struct nctl_names *names, struct nctl_json *json)
{
	size_t i = (set * 2654435761U ^ r->table * 40503U) % TAILS, at;

	if (r->src.family || !set) {
		nctl_route_json_tail(r, names, json);
		return;
	}
	if (t->slot[i].set != set || t->slot[i].table != r->table || t->slot[i].family != r->dst.family) {
		at = json->out->len;
		nctl_route_json_tail(r, names, json);
		if (json->out->err || t->slot[i].family)
			return; /* the first one keeps the slot */
		t->slot[i].set = set;
		t->slot[i].table = r->table;
		t->slot[i].family = r->dst.family;
		t->slot[i].at = (uint32_t)t->text.len;
		t->slot[i].len = (uint32_t)(json->out->len - at);
		nctl_strbuf_put(&t->text, json->out->s + at, json->out->len - at);
		return;
	}
	if (t->text.err)
		nctl_route_json_tail(r, names, json);
	else
		nctl_strbuf_put(json->out, t->text.s + t->slot[i].at, t->slot[i].len);
}

static void put(struct nd_fill *f, struct tails *t, const struct nctl_names *names, nctl_route_ref ref,
	const struct nctl_route *r)
{
	struct nctl_json json;

	nd_fill_line(f, &json);
	nctl_route_json_head(r, &json);
	put_tail(t, nctl_mirror_route_set(f->m, ref), r, names, &json);
	nd_fill_line_end(f, true);
}

/* All of a table, of all tables, or of a prefix. */
static void walk(struct nd_query *q, struct nd_fill *f, struct tails *t, const struct nctl_names *names)
{
	struct nctl_route r;
	nctl_route_ref ref;

	while (!nd_fill_is_full(f)) {
		ref = nctl_mirror_route_next(f->m, &q->route.cursor);
		if (!ref) {
			q->inside = false;
			return;
		}
		nctl_mirror_route_view(f->m, ref, &r);
		if (fits(q, f->m, &r))
			put(f, t, names, ref, &r);
	}
}

/* The routes of one prefix of the table, from w->nth on. False: the filling is full. */
static bool walk_prefix(struct nd_query *q, struct nd_fill *f, struct tails *t,
	const struct nctl_names *names, const struct nctl_prefix *p)
{
	struct nd_query_route *w = &q->route;
	uint32_t n = 0;
	struct nctl_route r;

	for (nctl_route_ref ref = nctl_mirror_route_get(f->m, w->table, p); ref;
		ref = nctl_mirror_route_sibling(f->m, ref)) {
		if (n++ < w->nth)
			continue;
		if (nd_fill_is_full(f))
			return false;
		w->nth = n;
		nctl_mirror_route_view(f->m, ref, &r);
		if (fits(q, f->m, &r))
			put(f, t, names, ref, &r);
	}
	w->nth = 0;
	return true;
}

/* Only the prefixes that contain w->match can fit: a descent of the index for each, from the shortest that
 * w->root leaves. */
static void climb(struct nd_query *q, struct nd_fill *f, struct tails *t, const struct nctl_names *names)
{
	struct nd_query_route *w = &q->route;
	bool all = w->tables == ND_TABLES_ALL;
	struct nctl_prefix p;

	while (!all || nctl_mirror_table_from(f->m, q->family, &w->table)) {
		for (w->len = nctl_max(w->len, (unsigned)w->root.p.len); w->len <= w->match.p.len; w->len++) {
			p = w->match.p;
			p.len = (uint8_t)w->len;
			nctl_prefix_mask(&p);
			if (w->root.set && !nctl_prefix_contains(&w->root.p, &p))
				break;
			if (nd_fill_is_full(f) || !walk_prefix(q, f, t, names, &p))
				return;
		}
		w->len = 0;
		if (!all || w->table == UINT32_MAX)
			break;
		w->table++;
	}
	q->inside = false;
}

static int fill(struct nd_query *q, struct nd_fill *f)
{
	const struct nctl_names names = nctl_mirror_names(f->m);
	struct tails t;

	for (size_t i = 0; i < TAILS; i++)
		t.slot[i].family = 0;
	t.text = NCTL_STRBUF_INIT;
	if (q->route.match.set)
		climb(q, f, &t, &names);
	else
		walk(q, f, &t, &names);
	nctl_strbuf_fini(&t.text);
	return f->out->err;
}

static const struct nd_query_filter filters[] = {ND_FILTERS_NETNS, {"family", nd_filter_family},
	{"table", filter_table}, {"vrf", filter_vrf}, {"root", filter_root}, {"match", filter_match},
	{"exact", filter_exact}, {"dev", nd_filter_dev}, {"via", filter_via}, {"src", filter_src},
	{"from", filter_from}, {"proto", filter_proto}, {"protocol", filter_proto}, {"type", filter_type},
	{"scope", filter_scope}, {"tos", filter_tos}, {"metric", filter_metric}, {"nhid", filter_nhid}, {0}};

const struct nd_query_object nd_query_of_route = {
	.name = "route", .filters = filters, .begin = begin, .fill = fill};
