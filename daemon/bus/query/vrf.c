/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: VRFs for Query: links whose kind is one, as `ip -j vrf` tells them, with what is in them. The ports of
 * one VRF are one line.
 */
#include <errno.h>

#include "bus/query/object.h"

static void put(const struct nd_query *q, struct nd_fill *f, const struct nctl_mirror_link *l,
	const struct nctl_names *names)
{
	const struct nctl_list *pos;
	struct nctl_json json;
	nctl_table table;

	(void)q;
	(void)names;
	if (!l->v.kind || !(l->v.kind->traits & NCTL_KIND_VRF) ||
		nd_vrf_table(f->m, l->v.ifindex, &table) < 0)
		return;
	nd_fill_line(f, &json);
	nctl_json_obj_begin(&json);
	nctl_json_kstr(&json, "name", l->v.name);
	nctl_json_ku64(&json, "table", table);
	nctl_json_ku64(&json, "ifindex", l->v.ifindex);
	nctl_json_kbool(&json, "up", nctl_link_is_up(&l->v));
	nctl_json_key(&json, "ports");
	nctl_json_arr_begin(&json);
	nctl_list_for_each(pos, &l->ports) {
		nctl_json_str(&json, nctl_list_entry(pos, struct nctl_mirror_link, in_master)->v.name);
		f->looked++;
	}
	nctl_json_arr_end(&json);
	nctl_json_obj_end(&json);
	nd_fill_line_end(f, true);
}

static int fill(struct nd_query *q, struct nd_fill *f)
{
	return nd_query_links_fill(q, f, put);
}

static const struct nd_query_filter filters[] = {
	ND_FILTERS_NETNS, {"dev", nd_filter_dev}, {"index", nd_filter_index}, {"up", nd_filter_up}, {0}};

const struct nd_query_object nd_query_of_vrf = {
	.name = "vrf", .filters = filters, .begin = nd_query_links_begin, .fill = fill};
