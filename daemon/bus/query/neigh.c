/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Neighbours and forwarding entries of bridges for Query. They are not mirrored: the kernel is asked,
 * and its answer passed on piece by piece as the reader takes it. What the kernel can filter by (a device, a
 * master) it is asked to; the rest is done here. So one object of Query is one dump, in the kernel's order.
 */
#include "obj/neigh.h"

#include <errno.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "bus/query/object.h"
#include "codec/route.h"
#include "exec/live.h"

#define NUD_ANY      0xFFU
#define NUD_NOTHING  0x100U /* of a filter: no state at all */
#define REQUEST_ROOM 128

static int filter_to(struct nd_query *q, const char *value, sd_bus_error *error)
{
	return nd_filter_prefix(value, &q->neigh.to, error);
}

static int filter_nud(struct nd_query *q, const char *value, sd_bus_error *error)
{
	if (strcmp(value, "all") == 0) {
		q->neigh.states = NUD_ANY | NUD_NOTHING;
		return 0;
	}
	/* The word of bridge(8). */
	if (strcmp(value, "static") == 0)
		value = "noarp";
	for (const struct nctl_name *s = nctl_neigh_states; s->name; s++) {
		if (strcmp(value, s->name) == 0) {
			q->neigh.states = s->value ? (unsigned)s->value : NUD_NOTHING;
			return 0;
		}
	}
	return nd_filter_invalid(error, "No state", value, "reachable, stale, permanent, ..., none, or all");
}

static int filter_vlan(struct nd_query *q, const char *value, sd_bus_error *error)
{
	return nd_filter_u32("No VLAN", value, 4095, &q->neigh.vlan, error);
}

static int filter_proxy(struct nd_query *q, const char *value, sd_bus_error *error)
{
	return nd_filter_flag("proxy", value, &q->neigh.proxy, error);
}

static int set_flag(
	struct nd_query *q, uint8_t flag, const char *name, const char *value, sd_bus_error *error)
{
	bool on = false;

	q->neigh.flags |= flag;
	return nd_filter_flag(name, value, &on, error);
}

static int filter_router(struct nd_query *q, const char *value, sd_bus_error *error)
{
	return set_flag(q, NTF_ROUTER, "router", value, error);
}

static int filter_extern_learn(struct nd_query *q, const char *value, sd_bus_error *error)
{
	return set_flag(q, NTF_EXT_LEARNED, "extern_learn", value, error);
}

static int filter_unused(struct nd_query *q, const char *value, sd_bus_error *error)
{
	return nd_filter_flag("unused", value, &q->neigh.unused, error);
}

static int filter_dynamic(struct nd_query *q, const char *value, sd_bus_error *error)
{
	return nd_filter_flag("dynamic", value, &q->neigh.dynamic, error);
}

static int begin(struct nd_query *q, const struct nctl_mirror *m, const char **ret_name)
{
	q->neigh.asked = false;
	return nd_devs_find(&q->devs, m, ret_name);
}

static bool state_fits(const struct nd_query *q, const struct nctl_neigh *n)
{
	unsigned want = q->neigh.states;

	/* As ip(8) does without a word about it. */
	if (!want)
		want = NUD_ANY & ~(unsigned)NUD_NOARP;
	if (n->state & want)
		return true;
	if (n->flags & (NTF_PROXY | NTF_EXT_LEARNED) && !q->neigh.states)
		return true;
	return !n->state && want & NUD_NOTHING;
}

static bool neigh_fits(const struct nd_query *q, const struct nctl_neigh *n)
{
	if ((n->family != AF_INET && n->family != AF_INET6) || (q->family && n->family != q->family))
		return false;
	if (q->devs.dev && n->ifindex != q->devs.dev)
		return false;
	if ((n->flags & q->neigh.flags) != q->neigh.flags || (q->neigh.unused && n->refcnt))
		return false;
	if (q->neigh.to.family && (!n->dst.family || !nctl_prefix_contains(&q->neigh.to, &n->dst)))
		return false;
	return q->neigh.proxy || state_fits(q, n);
}

static bool fdb_fits(const struct nd_query *q, const struct nctl_neigh *n)
{
	if (n->family != AF_BRIDGE || (q->devs.dev && n->ifindex != q->devs.dev))
		return false;
	if (q->devs.master && n->master != q->devs.master && n->ifindex != q->devs.master)
		return false;
	if (q->neigh.vlan && n->vlan != q->neigh.vlan)
		return false;
	if (q->neigh.states && q->neigh.states != (NUD_ANY | NUD_NOTHING) && !(n->state & q->neigh.states))
		return false;
	return !q->neigh.dynamic || !(n->state & (NUD_NOARP | NUD_PERMANENT));
}

static int ask(struct nd_query *q, struct nctl_live *live, bool fdb)
{
	_Alignas(4) uint8_t room[REQUEST_ROOM];
	struct ndmsg ndm = {.ndm_family = fdb ? AF_BRIDGE : q->family,
		.ndm_flags = q->neigh.proxy && !fdb ? NTF_PROXY : 0};
	struct nctl_msgbuf m;

	nctl_msgbuf_init(&m, room, sizeof(room));
	nctl_msg_begin(&m, RTM_GETNEIGH, NLM_F_DUMP, &ndm, sizeof(ndm));
	/* Entries of a device that is no port have no index that the kernel would filter FDBs by. */
	if (q->devs.dev && !fdb)
		nctl_msg_put_u32(&m, NDA_IFINDEX, q->devs.dev);
	if (q->devs.master && !fdb)
		nctl_msg_put_u32(&m, NDA_MASTER, q->devs.master);
	if (nctl_msg_commit(&m, 0) != 0)
		return -EMSGSIZE;
	q->neigh.asked = true;
	return nctl_live_ask(live, &m);
}

static void put(struct nd_query *q, struct nd_fill *f, const struct nlmsghdr *nlh,
	struct nctl_route_scratch *scratch, const struct nctl_names *names, bool fdb)
{
	struct nctl_neigh n;
	struct nctl_json json;

	if (nctl_neigh_decode(nlh, scratch, &n) != 0 || !(fdb ? fdb_fits(q, &n) : neigh_fits(q, &n)))
		return;
	nd_fill_line(f, &json);
	nctl_neigh_json(&n, names, &json);
	nd_fill_line_end(f, true);
}

static int fill_any(struct nd_query *q, struct nd_fill *f, bool fdb)
{
	_cleanup_(nctl_route_scratch_fini) struct nctl_route_scratch scratch = NCTL_ROUTE_SCRATCH_INIT;
	const struct nctl_names names = nctl_mirror_names(f->m);
	const struct nlmsghdr *nlh;
	int r = nd_query_live(q, f);

	if (r == 0 && !q->neigh.asked)
		r = ask(q, q->live, fdb);
	while (r == 0 && !nd_fill_is_full(f)) {
		nlh = nctl_live_next(q->live, &r);
		if (nlh) {
			put(q, f, nlh, &scratch, &names, fdb);
			r = 0;
		} else if (r == 0) {
			q->inside = false;
			break;
		}
	}
	if (r == NCTL_LIVE_WAIT) {
		q->waiting = true;
		return f->out->err;
	}
	return r < 0 ? r : f->out->err;
}

static int fill_neigh(struct nd_query *q, struct nd_fill *f)
{
	return fill_any(q, f, false);
}

static int fill_fdb(struct nd_query *q, struct nd_fill *f)
{
	return fill_any(q, f, true);
}

static const struct nd_query_filter neigh_filters[] = {ND_FILTERS_NETNS, {"family", nd_filter_family},
	{"to", filter_to}, {"dev", nd_filter_dev}, {"master", nd_filter_master}, {"vrf", nd_filter_vrf},
	{"nud", filter_nud}, {"proxy", filter_proxy}, {"router", filter_router},
	{"extern_learn", filter_extern_learn}, {"unused", filter_unused}, {0}};

const struct nd_query_object nd_query_of_neigh = {
	.name = "neigh", .filters = neigh_filters, .begin = begin, .fill = fill_neigh};

static const struct nd_query_filter fdb_filters[] = {ND_FILTERS_NETNS, {"br", nd_filter_master},
	{"dev", nd_filter_dev}, {"vlan", filter_vlan}, {"state", filter_nud}, {"dynamic", filter_dynamic},
	{0}};

const struct nd_query_object nd_query_of_fdb = {
	.name = "fdb", .filters = fdb_filters, .begin = begin, .fill = fill_fdb};
