/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Links for Query, in ascending order of their indexes; the cursor is the next index. The walk over
 * links and their filters serve other objects too that stand below a link.
 */
#include <string.h>

#include "bus/query/object.h"

int nd_filter_type(struct nd_query *q, const char *value, sd_bus_error *error)
{
	q->link.kind = nctl_kind_find(value);
	if (strlen(value) >= sizeof(q->link.kind_name) || !*value)
		return nd_filter_invalid(error, "No kind of a link", value, NULL);
	strcpy(q->link.kind_name, value);
	return 0;
}

int nd_filter_up(struct nd_query *q, const char *value, sd_bus_error *error)
{
	return nd_filter_flag("up", value, &q->link.up, error);
}

static bool fits(const struct nd_query *q, const struct nctl_link *l)
{
	const char *kind;

	if (q->devs.master && l->master != q->devs.master)
		return false;
	if (q->link.up && !nctl_link_is_up(l))
		return false;
	if (q->link.kind)
		return l->kind == q->link.kind;
	kind = nctl_link_kind_name(l);
	return !*q->link.kind_name || (kind && strcmp(kind, q->link.kind_name) == 0);
}

int nd_query_links_begin(struct nd_query *q, const struct nctl_mirror *m, const char **ret_name)
{
	q->link.next = 1;
	q->link.asked = false;
	return nd_devs_find(&q->devs, m, ret_name);
}

int nd_query_links_fill(struct nd_query *q, struct nd_fill *f,
	void (*put)(const struct nd_query *q, struct nd_fill *f, const struct nctl_mirror_link *l,
		const struct nctl_names *names))
{
	const struct nctl_names names = nctl_mirror_names(f->m);
	const struct nctl_mirror_link *l;

	l = q->devs.dev ? nctl_mirror_link_get(f->m, q->devs.dev) : nctl_mirror_link_from(f->m, q->link.next);
	for (; l; l = nctl_mirror_link_next(l)) {
		if (nd_fill_is_full(f)) {
			q->link.next = l->v.ifindex;
			return f->out->err;
		}
		if (fits(q, &l->v))
			put(q, f, l, &names);
		if (q->devs.dev)
			break;
	}
	q->inside = false;
	return f->out->err;
}

static void put(const struct nd_query *q, struct nd_fill *f, const struct nctl_mirror_link *l,
	const struct nctl_names *names)
{
	struct nctl_json json;

	(void)q;
	nd_fill_line(f, &json);
	nctl_link_json(&l->v, names, &json);
	nd_fill_line_end(f, true);
}

static int fill(struct nd_query *q, struct nd_fill *f)
{
	return q->link.stats ? nd_query_link_stats_fill(q, f) : nd_query_links_fill(q, f, put);
}

static int filter_stats(struct nd_query *q, const char *value, sd_bus_error *error)
{
	return nd_filter_flag("stats", value, &q->link.stats, error);
}

static const struct nd_query_filter filters[] = {
	ND_FILTERS_LINK, ND_FILTERS_NETNS, {"stats", filter_stats}, {0}};

const struct nd_query_object nd_query_of_link = {
	.name = "link", .filters = filters, .begin = nd_query_links_begin, .fill = fill};
