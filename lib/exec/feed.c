/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: one rtnetlink message, from an event or a dump, into the mirror. Messages of other objects are passed
 * over; what the codec refuses is counted, and what the mirror had no memory for makes it suspect.
 */
#include "exec/private.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include "codec/codec.h"
#include "mirror/route.h"
#include "mirror/vlans.h"
#include "nl/attr.h"

/*
 * A bond that is deleted gives its ports their old MTU back without a word (drivers/net/bonding/bond_main.c
 * __bond_release_one, __dev_set_mtu).
 */
static bool ends_silently(const struct nctl_session *s, nctl_ifindex ifindex)
{
	const struct nctl_mirror_link *l = nctl_mirror_link_get(s->mirror, ifindex);

	return l && l->v.kind && (l->v.kind->traits & NCTL_KIND_PORT_DOWN);
}

/* Is this the end of a link here that goes on in another namespace (net/core/dev.c dev_change_net_namespace)?
 */
static bool is_move(const struct nlmsghdr *nlh)
{
	static const struct nctl_attr_policy policy[] = {[IFLA_NEW_IFINDEX] = {.kind = NCTL_ATTR_U32}};
	const struct nlattr *tb[NCTL_ARRAY_SIZE(policy)];

	return nctl_attr_parse_msg(nlh, sizeof(struct ifinfomsg), policy, tb, NCTL_ARRAY_SIZE(policy) - 1) >=
	               0 &&
	       tb[IFLA_NEW_IFINDEX];
}

/*
 * An event of a bridge's own family also stands for what the port, and with it the bridge, is in the spanning tree
 * (net/bridge/br_stp_timer.c br_forward_delay_timer_expired, br_stp_if.c): no other one tells of that. There is no
 * list of one link.
 */
static void suspect_port(struct nctl_session *s, nctl_ifindex ifindex)
{
	const struct nctl_mirror_link *l = nctl_mirror_link_get(s->mirror, ifindex);

	if (l && l->v.master)
		nctl_scopes_add(s, &(struct nctl_dump_scope){.type = NCTL_OBJECT_LINK});
}

/* A bridge's word of its VLANs, or a port's: see lib/codec/vlans.c for who sends what. */
static int feed_vlans(struct nctl_session *s, const struct nlmsghdr *nlh, enum nctl_source src)
{
	struct nctl_vlans *vlans;
	nctl_ifindex ifindex;
	int r = nctl_bridge_vlans_decode(nlh, &ifindex, &vlans);

	if (r == 0)
		nctl_mirror_link_vlans_put(s->mirror, ifindex, vlans, src);
	if (r == 0 && src == NCTL_SOURCE_EVENT && nlh->nlmsg_type == RTM_NEWLINK)
		suspect_port(s, ifindex);
	return r;
}

/* A bridge has the VLAN of its default PVID from the start, of which RTNLGRP_BRVLAN alone is told (br_vlan_init). */
static int put_link(struct nctl_session *s, struct nctl_link *l, enum nctl_source src)
{
	bool born = src == NCTL_SOURCE_EVENT && l->kind && l->kind->traits & NCTL_KIND_VLANS &&
	            !nctl_mirror_link_get(s->mirror, l->ifindex);
	int r = nctl_mirror_link_put(s->mirror, l, src);

	if (born)
		nctl_scopes_add(s, &(struct nctl_dump_scope){.type = NCTL_OBJECT_LINK, .vlans = true});
	return r;
}

static int feed_link(struct nctl_session *s, const struct nlmsghdr *nlh, enum nctl_source src)
{
	struct nctl_link l;
	int r = nctl_link_decode(nlh, &l);

	if (r == NCTL_CODEC_SKIP)
		return feed_vlans(s, nlh, src);
	if (r != 0)
		return r;
	if (nlh->nlmsg_type == RTM_NEWLINK)
		return put_link(s, &l, src);
	if (is_move(nlh))
		nctl_pair_moves(s, l.ifindex);
	if (ends_silently(s, l.ifindex))
		nctl_sync_refresh(s);
	r = nctl_mirror_link_drop(s->mirror, l.ifindex);
	nctl_scopes_forget(s, l.ifindex);
	nctl_link_fini(&l);
	return r;
}

static int feed_addr(struct nctl_session *s, const struct nlmsghdr *nlh, enum nctl_source src)
{
	struct nctl_addr a;
	int r = nctl_addr_decode(nlh, &a);

	if (r != 0)
		return r;
	if (nlh->nlmsg_type == RTM_NEWADDR)
		return nctl_mirror_addr_put(s->mirror, &a, src);
	return nctl_mirror_addr_drop(s->mirror, &a);
}

/*
 * A route that is ignored, but may have replaced one that is not (net/ipv4/fib_trie.c fib_table_insert says
 * so by the flag): only a dump tells.
 */
static void ignore_route(struct nctl_session *s, const struct nctl_route *r, uint16_t nlm_flags)
{
	struct nctl_dump_scope scope = {
		.type = r->dst.family == AF_INET ? NCTL_OBJECT_ROUTE4 : NCTL_OBJECT_ROUTE6,
		.table = r->table,
	};

	s->ignored++;
	s->hub->ignored++;
	if (nlm_flags & NLM_F_REPLACE && nctl_mirror_route_get(s->mirror, r->table, &r->dst))
		nctl_scopes_add(s, &scope);
}

/* Exceptions of the path MTU and redirects are no routes of a table, though they look like such. */
static int feed_route(struct nctl_session *s, const struct nlmsghdr *nlh, enum nctl_source src)
{
	const struct nctl_event_filter *f = &s->hub->filter;
	struct nctl_route v;
	int r = nctl_route_decode(nlh, &s->hub->scratch, &v);

	if (r != 0 || v.flags & RTM_F_CLONED)
		return r;
	if (nctl_event_filter_has_table(f, v.table) || nctl_event_filter_has_protocol(f, v.protocol)) {
		ignore_route(s, &v, src == NCTL_SOURCE_EVENT ? nlh->nlmsg_flags : 0);
		return 0;
	}
	if (nlh->nlmsg_type == RTM_NEWROUTE)
		return nctl_mirror_route_put(s->mirror, &v, nlh->nlmsg_flags, src);
	return nctl_mirror_route_drop(s->mirror, &v);
}

static int feed_nexthop(struct nctl_session *s, const struct nlmsghdr *nlh, enum nctl_source src)
{
	struct nctl_nexthop v;
	int r = nctl_nexthop_decode(nlh, &s->hub->scratch, &v);

	if (r != 0)
		return r;
	if (nlh->nlmsg_type == RTM_NEWNEXTHOP)
		return nctl_mirror_nexthop_put(s->mirror, &v, src);
	return nctl_mirror_nexthop_drop(s->mirror, v.id);
}

/* Rules of multicast routing are dumped with the others, but have no events (net/ipv4/ipmr.c). */
static int feed_rule(struct nctl_session *s, const struct nlmsghdr *nlh, enum nctl_source src)
{
	struct nctl_rule v;
	int r = nctl_rule_decode(nlh, &s->hub->scratch, &v);

	if (r != 0 || (v.family != AF_INET && v.family != AF_INET6))
		return r;
	if (nlh->nlmsg_type == RTM_NEWRULE)
		return nctl_mirror_rule_put(s->mirror, &v, src);
	return nctl_mirror_rule_drop(s->mirror, &v);
}

static int feed_one(struct nctl_session *s, const struct nlmsghdr *nlh, enum nctl_source src)
{
	switch (nlh->nlmsg_type) {
	case RTM_NEWLINK:
	case RTM_DELLINK:
		return feed_link(s, nlh, src);
	case RTM_NEWADDR:
	case RTM_DELADDR:
		return feed_addr(s, nlh, src);
	case RTM_NEWROUTE:
	case RTM_DELROUTE:
		return feed_route(s, nlh, src);
	case RTM_NEWNEXTHOP:
	case RTM_DELNEXTHOP:
		return feed_nexthop(s, nlh, src);
	case RTM_NEWRULE:
	case RTM_DELRULE:
		return feed_rule(s, nlh, src);
	}
	return 0;
}

void nctl_session_feed(struct nctl_session *s, const struct nlmsghdr *nlh, enum nctl_source src)
{
	int r = feed_one(s, nlh, src);

	nctl_turn_touch(s);
	if (r == -ENOMEM)
		nctl_sync_lost(s, nctl_hub_now(s->hub));
	else if (r < 0)
		s->undecodable++;
}
