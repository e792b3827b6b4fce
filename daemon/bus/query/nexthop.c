/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: Next-hop objects for Query, in ascending order of their ids; the cursor is the next id. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "bus/query/object.h"
#include "mirror/route.h"

static int filter_id(struct nd_query *q, const char *value, sd_bus_error *error)
{
	return nd_filter_u32("No id of a next hop", value, UINT32_MAX, &q->nexthop.id, error);
}

static int filter_groups(struct nd_query *q, const char *value, sd_bus_error *error)
{
	return nd_filter_flag("groups", value, &q->nexthop.groups, error);
}

static int filter_fdb(struct nd_query *q, const char *value, sd_bus_error *error)
{
	return nd_filter_flag("fdb", value, &q->nexthop.fdb, error);
}

static int filter_protocol(struct nd_query *q, const char *value, sd_bus_error *error)
{
	q->nexthop.has_protocol = true;
	if (nctl_route_protocol_parse(value, &q->nexthop.protocol) < 0)
		return nd_filter_invalid(error, "No routing protocol", value, NULL);
	return 0;
}

static bool fits(const struct nd_query *q, const struct nctl_mirror *m, const struct nctl_nexthop *n)
{
	const struct nd_query_nexthop *w = &q->nexthop;
	const struct nctl_mirror_link *l;

	if ((w->id && n->id != w->id) || (w->groups && !n->group) || (w->fdb && !n->fdb))
		return false;
	if (w->has_protocol && n->protocol != w->protocol)
		return false;
	if (q->family && n->family != q->family)
		return false;
	if ((q->devs.dev || q->devs.master) && n->group)
		return false;
	if (q->devs.dev && n->hop.oif != q->devs.dev)
		return false;
	if (!q->devs.master)
		return true;
	l = nctl_mirror_link_get(m, n->hop.oif);
	return l && l->v.master == q->devs.master;
}

static int begin(struct nd_query *q, const struct nctl_mirror *m, const char **ret_name)
{
	q->nexthop.next = q->nexthop.id ? q->nexthop.id : 1;
	return nd_devs_find(&q->devs, m, ret_name);
}

static int fill(struct nd_query *q, struct nd_fill *f)
{
	const struct nctl_names names = nctl_mirror_names(f->m);
	const struct nctl_nexthop *n;
	struct nctl_json json;

	while (q->nexthop.next && (n = nctl_mirror_nexthop_from(f->m, q->nexthop.next))) {
		if (nd_fill_is_full(f))
			return f->out->err;
		q->nexthop.next = n->id == UINT32_MAX || q->nexthop.id ? 0 : n->id + 1;
		if (!fits(q, f->m, n))
			continue;
		nd_fill_line(f, &json);
		nctl_nexthop_json(n, &names, &json);
		nd_fill_line_end(f, true);
	}
	q->inside = false;
	return f->out->err;
}

static const struct nd_query_filter filters[] = {ND_FILTERS_NETNS, {"family", nd_filter_family},
	{"id", filter_id}, {"dev", nd_filter_dev}, {"vrf", nd_filter_vrf}, {"master", nd_filter_master},
	{"groups", filter_groups}, {"fdb", filter_fdb}, {"protocol", filter_protocol}, {0}};

const struct nd_query_object nd_query_of_nexthop = {
	.name = "nexthop", .filters = filters, .begin = begin, .fill = fill};
