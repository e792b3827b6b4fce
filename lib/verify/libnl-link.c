/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: links and addresses as libnl reads them. What only some kinds have is looked up in the kind's field
 * table by its JSON key, so that no kind is named here but by libnl's own question for it.
 */
#include <linux/rtnetlink.h>
#include <netlink/addr.h>
#include <netlink/route/addr.h>
#include <netlink/route/link.h>
#include <netlink/route/link/geneve.h>
#include <netlink/route/link/macvlan.h>
#include <netlink/route/link/vlan.h>
#include <netlink/route/link/vrf.h>
#include <netlink/route/link/vxlan.h>
#include <string.h>

#include "base/cleanup.h"
#include "verify/libnl.h"

static struct rtnl_link *link_of(struct nl_object *o)
{
	return (struct rtnl_link *)o;
}

static int same_lladdr(
	const struct nl_addr *theirs, const struct nctl_link *l, unsigned bit, const struct nctl_lladdr *ours)
{
	if (!theirs)
		return l->has & UINT64_C(1) << bit ? ours->len == 0 : -1;
	return nl_addr_get_len(theirs) == ours->len &&
	       memcmp(nl_addr_get_binary_addr(theirs), ours->b, ours->len) == 0;
}

#define LINK_NUMBER(name_, getter_, member_)                                                                 \
	static int link_##name_(struct nl_object *o, const struct verify_object *w)                          \
	{                                                                                                    \
		return (uint32_t)getter_(link_of(o)) == (uint32_t)w->link->member_;                          \
	}
LINK_NUMBER(ifindex, rtnl_link_get_ifindex, ifindex)
LINK_NUMBER(flags, rtnl_link_get_flags, flags)
LINK_NUMBER(mtu, rtnl_link_get_mtu, mtu)
LINK_NUMBER(txqlen, rtnl_link_get_txqlen, txqlen)
LINK_NUMBER(group, rtnl_link_get_group, group)
LINK_NUMBER(arptype, rtnl_link_get_arptype, arphrd)
LINK_NUMBER(master, rtnl_link_get_master, master)
LINK_NUMBER(lower, rtnl_link_get_link, lower)
LINK_NUMBER(operstate, rtnl_link_get_operstate, operstate)
LINK_NUMBER(linkmode, rtnl_link_get_linkmode, linkmode)
LINK_NUMBER(promiscuity, rtnl_link_get_promiscuity, promiscuity)
LINK_NUMBER(num_tx_queues, rtnl_link_get_num_tx_queues, num_tx_queues)
LINK_NUMBER(num_rx_queues, rtnl_link_get_num_rx_queues, num_rx_queues)

static int link_name(struct nl_object *o, const struct verify_object *w)
{
	return libnl_same_text(rtnl_link_get_name(link_of(o)), w->link->name);
}

static int link_qdisc(struct nl_object *o, const struct verify_object *w)
{
	return libnl_same_text(rtnl_link_get_qdisc(link_of(o)), w->link->qdisc);
}

static int link_alias(struct nl_object *o, const struct verify_object *w)
{
	return libnl_same_text(rtnl_link_get_ifalias(link_of(o)), w->link->alias);
}

static int link_kind(struct nl_object *o, const struct verify_object *w)
{
	return libnl_same_text(rtnl_link_get_type(link_of(o)), nctl_link_kind_name(w->link));
}

static int link_address(struct nl_object *o, const struct verify_object *w)
{
	return same_lladdr(rtnl_link_get_addr(link_of(o)), w->link, NCTL_LINK_ADDRESS, &w->link->address);
}

static int link_broadcast(struct nl_object *o, const struct verify_object *w)
{
	return same_lladdr(
		rtnl_link_get_broadcast(link_of(o)), w->link, NCTL_LINK_BROADCAST, &w->link->broadcast);
}

#define LINK_LIMIT(name_, getter_, member_)                                                                  \
	static int link_##name_(struct nl_object *o, const struct verify_object *w)                          \
	{                                                                                                    \
		uint32_t n;                                                                                  \
                                                                                                             \
		return getter_(link_of(o), &n) < 0 ? -1 : n == w->link->member_;                             \
	}
LINK_LIMIT(gso_max_segs, rtnl_link_get_gso_max_segs, gso_max_segs)
LINK_LIMIT(gso_max_size, rtnl_link_get_gso_max_size, gso_max_size)

/* -- what a kind has -- */

/* The number in the kind's field that JSON calls key; false: it has none. */
static bool kind_number(const struct nctl_link *l, const char *key, uint64_t *ret)
{
	if (!l->kind || !l->data)
		return false;
	for (size_t i = 0; i < l->kind->data.n; i++) {
		const struct nctl_field *f = &l->kind->data.v[i];

		if (!f->json || strcmp(f->json, key) != 0 || !(l->data_has & UINT64_C(1) << i))
			continue;
		*ret = nctl_field_get(f, l->data);
		return true;
	}
	return false;
}

static int same_number(const struct verify_object *w, const char *key, int64_t theirs)
{
	uint64_t ours;

	return theirs < 0 || !kind_number(w->link, key, &ours) ? -1 : ours == (uint64_t)theirs;
}

static int vlan_id(struct nl_object *o, const struct verify_object *w)
{
	struct rtnl_link *l = link_of(o);

	return rtnl_link_is_vlan(l) ? same_number(w, "id", rtnl_link_vlan_get_id(l)) : -1;
}

static int vlan_flags(struct nl_object *o, const struct verify_object *w)
{
	struct rtnl_link *l = link_of(o);

	return rtnl_link_is_vlan(l) ? same_number(w, "flags", rtnl_link_vlan_get_flags(l)) : -1;
}

static int macvlan_mode(struct nl_object *o, const struct verify_object *w)
{
	struct rtnl_link *l = link_of(o);

	return rtnl_link_is_macvlan(l) ? same_number(w, "mode", rtnl_link_macvlan_get_mode(l)) : -1;
}

#define KIND_NUMBER(name_, is_, getter_, key_)                                                               \
	static int name_(struct nl_object *o, const struct verify_object *w)                                 \
	{                                                                                                    \
		struct rtnl_link *l = link_of(o);                                                            \
		uint32_t n;                                                                                  \
                                                                                                             \
		return is_(l) && getter_(l, &n) >= 0 ? same_number(w, key_, n) : -1;                         \
	}
KIND_NUMBER(vrf_table, rtnl_link_is_vrf, rtnl_link_vrf_get_tableid, "table")
KIND_NUMBER(vxlan_id, rtnl_link_is_vxlan, rtnl_link_vxlan_get_id, "id")
KIND_NUMBER(vxlan_ageing, rtnl_link_is_vxlan, rtnl_link_vxlan_get_ageing, "ageing")
KIND_NUMBER(geneve_id, rtnl_link_is_geneve, rtnl_link_geneve_get_id, "id")

const struct libnl_field libnl_link_fields[] = {
	{"ifindex", link_ifindex},
	{"name", link_name},
	{"flags", link_flags},
	{"arptype", link_arptype},
	{"mtu", link_mtu},
	{"txqlen", link_txqlen},
	{"group", link_group},
	{"address", link_address},
	{"broadcast", link_broadcast},
	{"link", link_lower},
	{"master", link_master},
	{"operstate", link_operstate},
	{"linkmode", link_linkmode},
	{"promiscuity", link_promiscuity},
	{"num_tx_queues", link_num_tx_queues},
	{"num_rx_queues", link_num_rx_queues},
	{"gso_max_size", link_gso_max_size},
	{"gso_max_segs", link_gso_max_segs},
	{"qdisc", link_qdisc},
	{"ifalias", link_alias},
	{"kind", link_kind},
	{"vlan id", vlan_id},
	{"vlan flags", vlan_flags},
	{"macvlan mode", macvlan_mode},
	{"vrf table", vrf_table},
	{"vxlan id", vxlan_id},
	{"vxlan ageing", vxlan_ageing},
	{"geneve id", geneve_id},
	{0},
};

/* -- addresses -- */

static struct rtnl_addr *addr_of(struct nl_object *o)
{
	return (struct rtnl_addr *)o;
}

#define ADDR_NUMBER(name_, getter_, member_)                                                                 \
	static int addr_##name_(struct nl_object *o, const struct verify_object *w)                          \
	{                                                                                                    \
		return (uint32_t)getter_(addr_of(o)) == (uint32_t)w->addr->member_;                          \
	}
ADDR_NUMBER(ifindex, rtnl_addr_get_ifindex, ifindex)
ADDR_NUMBER(family, rtnl_addr_get_family, local.family)
ADDR_NUMBER(prefixlen, rtnl_addr_get_prefixlen, local.len)
ADDR_NUMBER(scope, rtnl_addr_get_scope, scope)
ADDR_NUMBER(flags, rtnl_addr_get_flags, flags)

static int addr_local(struct nl_object *o, const struct verify_object *w)
{
	return libnl_same_prefix(rtnl_addr_get_local(addr_of(o)), &w->addr->local);
}

/* libnl drops a peer that is the address itself. */
static int addr_peer(struct nl_object *o, const struct verify_object *w)
{
	return libnl_same_prefix(rtnl_addr_get_peer(addr_of(o)), &w->addr->peer);
}

static int addr_broadcast(struct nl_object *o, const struct verify_object *w)
{
	return libnl_same_prefix(rtnl_addr_get_broadcast(addr_of(o)), &w->addr->broadcast);
}

static int addr_label(struct nl_object *o, const struct verify_object *w)
{
	return w->addr->local.family == AF_INET
	               ? libnl_same_text(rtnl_addr_get_label(addr_of(o)), w->addr->label)
	               : -1;
}

const struct libnl_field libnl_addr_fields[] = {
	{"ifindex", addr_ifindex},
	{"family", addr_family},
	{"prefixlen", addr_prefixlen},
	{"scope", addr_scope},
	{"flags", addr_flags},
	{"local", addr_local},
	{"peer", addr_peer},
	{"broadcast", addr_broadcast},
	{"label", addr_label},
	{0},
};
