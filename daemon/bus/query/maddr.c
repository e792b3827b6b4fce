/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Multicast memberships for Query: a line a link that has any, as ip-maddress(8) has it. They are read
 * back from the kernel when the cursor enters a namespace, before its first line, since nobody tells of their
 * changes.
 */
#include <errno.h>
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

static int begin(struct nd_query *q, const struct nctl_mirror *m, const char **ret_name)
{
	q->maddr.was_read = false;
	return nd_query_links_begin(q, m, ret_name);
}

static void on_read(int error, void *userdata)
{
	struct nd_query *q = userdata;

	q->maddr.reading = false;
	q->maddr.was_read = true;
	q->maddr.error = error;
	q->ready(q->userdata);
}

static int read_first(struct nd_query *q, struct nd_fill *f)
{
	int r = 0;

	if (!q->ready)
		return -EOPNOTSUPP;
	if (!q->maddr.reading)
		r = nd_netns_maddr_read(f->netns, on_read, q);
	if (r < 0)
		return r;
	q->maddr.set = f->set;
	q->maddr.reading = true;
	q->waiting = true;
	return 0;
}

static int fill(struct nd_query *q, struct nd_fill *f)
{
	int r = q->maddr.was_read ? q->maddr.error : read_first(q, f);

	if (q->waiting)
		return 0;
	if (r == 0)
		return nd_query_links_fill(q, f, put);
	if (r != -ENOENT)
		return r;
	/* The namespace has gone: of all of them, just go on. */
	q->inside = false;
	return q->space == ND_SCOPE_ALL ? 0 : -ENXIO;
}

static void end(struct nd_query *q)
{
	if (q->maddr.reading)
		nd_netns_maddr_forget(q->maddr.set, q);
	q->maddr.reading = false;
}

static const struct nd_query_filter filters[] = {
	ND_FILTERS_LINK, ND_FILTERS_NETNS, {"family", filter_family}, {"why", filter_why}, {0}};

const struct nd_query_object nd_query_of_maddr = {
	.name = "maddr", .filters = filters, .begin = begin, .fill = fill, .end = end};
