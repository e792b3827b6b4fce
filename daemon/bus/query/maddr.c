/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Multicast memberships for Query: a line a link that has any, as ip-maddress(8) has it. They are read
 * back from the kernel when the cursor enters a namespace, before its first line, since nobody tells of their
 * changes.
 */
#include <linux/if_packet.h>
#include <string.h>

#include "bus/query/object.h"
#include "mirror/maddr.h"

static int filter_family(struct nd_query *q, const char *value, sd_bus_error *error)
{
	if (strcmp(value, "link") != 0)
		return nd_filter_family(q, value, error);
	q->family = AF_PACKET;
	return 0;
}

static int filter_why(struct nd_query *q, const char *value, sd_bus_error *error)
{
	return nd_filter_flag("why", value, &q->maddr.why, error);
}

static void put(const struct nd_query *q, struct nd_fill *f, const struct nctl_mirror_link *l,
	const struct nctl_names *names)
{
	const struct nctl_maddr_filter filter = {.family = q->family, .why = q->maddr.why};
	struct nctl_json json;
	size_t n;

	nd_fill_line(f, &json);
	nctl_json_obj_begin(&json);
	nctl_json_ku64(&json, "ifindex", l->v.ifindex);
	nctl_json_kstr(&json, "ifname", l->v.name);
	nctl_json_key(&json, "maddr");
	nctl_json_arr_begin(&json);
	n = nctl_maddrs_json(nctl_mirror_maddrs(f->m), l->v.ifindex, &filter, names, &json);
	nctl_json_arr_end(&json);
	nctl_json_obj_end(&json);
	nd_fill_line_end(f, n > 0);
}

static int fill(struct nd_query *q, struct nd_fill *f)
{
	return nd_query_links_fill(q, f, put);
}

static const struct nd_query_filter filters[] = {
	ND_FILTERS_LINK, ND_FILTERS_NETNS, {"family", filter_family}, {"why", filter_why}, {0}};

const struct nd_query_object nd_query_of_maddr = {.name = "maddr",
	.filters = filters,
	.begin = nd_query_links_begin,
	.fill = fill,
	.read = nd_netns_maddr_read,
	.forget = nd_netns_maddr_forget};
