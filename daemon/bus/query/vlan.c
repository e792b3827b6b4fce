/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: VLANs of bridges and their ports for Query, as `bridge -compressvlans -j vlan` tells them. A link
 * without any is left out.
 */
#include "obj/vlans.h"

#include "bus/query/object.h"

static void put(const struct nd_query *q, struct nd_fill *f, const struct nctl_mirror_link *l,
	const struct nctl_names *names)
{
	struct nctl_json json;

	(void)names;
	if (!l->v.vlans ||
		(q->devs.master && l->v.master != q->devs.master && l->v.ifindex != q->devs.master))
		return;
	nd_fill_line(f, &json);
	nctl_json_obj_begin(&json);
	nctl_json_kstr(&json, "ifname", l->v.name);
	nctl_json_key(&json, "vlans");
	nctl_vlans_json(l->v.vlans, &json);
	nctl_json_obj_end(&json);
	nd_fill_line_end(f, true);
}

static int fill(struct nd_query *q, struct nd_fill *f)
{
	return nd_query_links_fill(q, f, put);
}

static const struct nd_query_filter filters[] = {ND_FILTERS_NETNS, {"dev", nd_filter_dev},
	{"index", nd_filter_index}, {"master", nd_filter_master}, {0}};

const struct nd_query_object nd_query_of_vlan = {
	.name = "vlan", .filters = filters, .begin = nd_query_links_begin, .fill = fill};
