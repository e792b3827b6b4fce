/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the multicast memberships of a namespace: what its links are to each other for that purpose. A link
 * that is up hands its addresses down to its lower link, or to its ports, if its kind does so; each such edge
 * is kept with the one end that has at most one of its sort, so that no event walks over more links than are
 * its own. Fed by the mirror (link.c, addr.c), read and fed with what was read back by the daemon.
 */
#include "mirror/maddr-private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/if_arp.h>

static const struct nctl_prefix all_hosts = {.family = AF_INET, .len = 32, .addr = {224, 0, 0, 1}};
static const struct nctl_prefix all_nodes = {.family = AF_INET6, .len = 128, .addr = {0xff, 2, [15] = 1}};

bool nctl_maddr_of_group(const struct nctl_prefix *g, struct nctl_lladdr *ret)
{
	const uint8_t *a = g->addr;

	if (g->family == AF_INET && a[0] >> 4 == 0xe) {
		*ret = (struct nctl_lladdr){.len = 6, .b = {1, 0, 0x5e, a[1] & 0x7f, a[2], a[3]}};
		return true;
	}
	/* Interface-local and reserved scopes stay inside (net/ipv6/mcast.c igmp6_group_added). */
	if (g->family == AF_INET6 && a[0] == 0xff && (a[1] & 0xf) >= 2) {
		*ret = (struct nctl_lladdr){.len = 6, .b = {0x33, 0x33, a[12], a[13], a[14], a[15]}};
		return true;
	}
	return false;
}

void nctl_maddr_solicited_node(const struct nctl_prefix *addr, struct nctl_prefix *ret)
{
	*ret = (struct nctl_prefix){.family = AF_INET6, .len = 128, .addr = {0xff, 2, [11] = 1, [12] = 0xff}};
	memcpy(ret->addr + 13, addr->addr + 13, 3);
}

int nctl_maddrs_new(struct nctl_maddrs **ret)
{
	struct nctl_maddrs *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	nctl_hash_init(&s->links);
	nctl_list_init(&s->queue);
	nctl_genset_init(&s->seen_macs);
	nctl_genset_init(&s->seen_groups);
	*ret = s;
	return 0;
}

static struct nctl_maddr_link *link_of(struct nctl_hash_node *n)
{
	return nctl_container_of(n, struct nctl_maddr_link, node);
}

void nctl_maddrs_reset(struct nctl_maddrs *s)
{
	struct nctl_hash_iter it;
	struct nctl_hash_node *n;

	nctl_hash_iter_init(&it, &s->links);
	while ((n = nctl_hash_iter_next(&it))) {
		nctl_maddr_drop(s, link_of(n));
		nctl_hash_remove(&s->links, n);
		free(link_of(n));
	}
	s->incomplete = false;
}

struct nctl_maddrs *nctl_maddrs_free(struct nctl_maddrs *s)
{
	if (!s)
		return NULL;
	nctl_maddrs_reset(s);
	nctl_hash_fini(&s->links);
	free(s);
	return NULL;
}

bool nctl_maddrs_is_incomplete(const struct nctl_maddrs *s)
{
	return s->incomplete;
}

size_t nctl_maddrs_size(const struct nctl_maddrs *s)
{
	return s->n_macs;
}

struct nctl_maddr_link *nctl_maddr_link_find(const struct nctl_maddrs *s, nctl_ifindex ifindex)
{
	struct nctl_hash_node *n;

	nctl_hash_for_each_equal(n, &s->links, nctl_hash_u64(ifindex))
		if (link_of(n)->ifindex == ifindex)
			return link_of(n);
	return NULL;
}

static struct nctl_maddr_link *link_make(struct nctl_maddrs *s, nctl_ifindex ifindex)
{
	struct nctl_maddr_link *l = nctl_maddr_link_find(s, ifindex);

	if (l)
		return l;
	l = calloc(1, sizeof(*l));
	if (!l || nctl_hash_insert(&s->links, &l->node, nctl_hash_u64(ifindex)) < 0) {
		s->incomplete = true;
		free(l);
		return NULL;
	}
	l->ifindex = ifindex;
	nctl_list_init(&l->outs);
	nctl_list_init(&l->ports);
	nctl_list_init(&l->in_master);
	l->macs = NCTL_RB_INIT;
	l->groups = NCTL_RB_INIT;
	return l;
}

/* Frees a link that is not here and that nobody names. All that came from above is gone with its edges. */
static void link_release(struct nctl_maddrs *s, struct nctl_maddr_link *l)
{
	if (l->here || l->n_named)
		return;
	nctl_maddr_drop(s, l);
	nctl_hash_remove(&s->links, &l->node);
	free(l);
}

static void switch_down(struct nctl_maddrs *s, struct nctl_maddr_link *l)
{
	bool on = l->here && l->up && l->to_lower;

	nctl_maddr_edge_set(s, &l->down, l, on ? l->lower : NULL, false);
}

static void switch_above(struct nctl_maddrs *s, struct nctl_maddr_link *l)
{
	struct nctl_maddr_link *m = l->master;
	bool on = l->here && m && m->here && m->up && m->to_ports;

	if (on && m->ports_rule.one)
		on = m->ports_rule.the_one == l->ifindex;
	nctl_maddr_edge_set(s, &l->above, m, on ? l : NULL, on && m->ports_rule.lacp);
}

/* Before the end of an edge may go, the edge is off. */
static void point(struct nctl_maddrs *s, struct nctl_maddr_link **slot, struct nctl_maddr_edge *edge,
	struct nctl_maddr_link *to)
{
	struct nctl_maddr_link *old = *slot;

	if (old == to)
		return;
	nctl_maddr_edge_set(s, edge, NULL, NULL, false);
	*slot = to;
	if (to)
		to->n_named++;
	if (old) {
		old->n_named--;
		link_release(s, old);
	}
}

/* Registration protocols: as long as there is a VLAN, be it down. */
static void set_registered(struct nctl_maddrs *s, struct nctl_maddr_link *l, bool on)
{
	static const struct nctl_lladdr mac = {.len = 6, .b = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x21}};
	const struct nctl_maddr_want who = {.by = NCTL_MADDR_VLANS};

	on = on && l->lower;
	if (on == l->registered)
		return;
	l->registered = on;
	if (on)
		nctl_maddr_want(s, l->lower, &mac, &who);
	else
		nctl_maddr_unwant(s, l->lower, &mac, &who);
}

static void set_lower(struct nctl_maddrs *s, struct nctl_maddr_link *l, nctl_ifindex ifindex)
{
	struct nctl_maddr_link *lower = ifindex && ifindex != l->ifindex ? link_make(s, ifindex) : NULL;

	if (lower != l->lower)
		set_registered(s, l, false);
	point(s, &l->lower, &l->down, lower);
}

static void set_master(struct nctl_maddrs *s, struct nctl_maddr_link *l, nctl_ifindex ifindex)
{
	nctl_list_del(&l->in_master);
	point(s, &l->master, &l->above, ifindex && ifindex != l->ifindex ? link_make(s, ifindex) : NULL);
	if (l->master)
		nctl_list_add_tail(&l->master->ports, &l->in_master);
}

/* What every link wants that is up. A port of a bond has no IPv6 of its own (addrconf_notify). */
static void set_all(struct nctl_maddrs *s, struct nctl_maddr_link *l, bool on, bool *slot,
	const struct nctl_prefix *group)
{
	struct nctl_maddr_want who = {.by = NCTL_MADDR_ALL, .group = *group};
	struct nctl_lladdr mac;

	if (*slot == on || !nctl_maddr_of_group(group, &mac))
		return;
	*slot = on;
	if (on)
		nctl_maddr_want(s, l, &mac, &who);
	else
		nctl_maddr_unwant(s, l, &mac, &who);
}

static void set_solicits(struct nctl_maddrs *s, struct nctl_maddr_link *l, bool solicits)
{
	struct nctl_rb_node *n;

	if (l->solicits == solicits)
		return;
	l->solicits = solicits;
	nctl_rb_for_each(n, &l->macs)
		nctl_maddr_queue(s, nctl_container_of(n, struct nctl_maddr_mac, node));
}

/* Whether and how it hands down to its ports. */
static void set_ports_rule(struct nctl_maddrs *s, struct nctl_maddr_link *l, const struct nctl_link *v)
{
	struct nctl_kind_ports rule = {0};
	bool to_ports = v && v->kind && v->kind->traits & NCTL_KIND_MULTICAST_TO_PORTS;
	bool up = v && nctl_link_is_up(v);
	struct nctl_list *pos;

	if (to_ports && v->data && v->kind->ports)
		v->kind->ports(v->data, v->data_has, &rule);
	if (up == l->up && to_ports == l->to_ports && rule.one == l->ports_rule.one &&
		rule.the_one == l->ports_rule.the_one && rule.lacp == l->ports_rule.lacp)
		return;
	to_ports |= l->to_ports;
	l->up = up;
	l->to_ports = v && v->kind && v->kind->traits & NCTL_KIND_MULTICAST_TO_PORTS;
	l->ports_rule = rule;
	if (!to_ports)
		return;
	nctl_list_for_each(pos, &l->ports)
		switch_above(s, nctl_list_entry(pos, struct nctl_maddr_link, in_master));
}

/* Groups are mapped alike on all of these (net/ipv6/ndisc.c ndisc_mc_map). */
static bool is_ethernet(const struct nctl_link *v)
{
	return v->arphrd == ARPHRD_ETHER || v->arphrd == ARPHRD_IEEE802 || v->arphrd == ARPHRD_FDDI;
}

void nctl_maddrs_link(struct nctl_maddrs *s, const struct nctl_link *v)
{
	struct nctl_maddr_link *l = link_make(s, v->ifindex);
	bool all;

	if (!l)
		return;
	l->here = true;
	l->ethernet = is_ethernet(v);
	l->to_lower = v->kind && v->kind->traits & NCTL_KIND_MULTICAST_TO_LOWER;
	set_ports_rule(s, l, v);
	l->registers = v->kind && v->kind->traits & NCTL_KIND_REGISTERS;
	set_lower(s, l, v->lower_nsid == NCTL_NSID_NONE ? v->lower : 0);
	set_master(s, l, v->master);
	set_registered(s, l, l->registers);
	switch_down(s, l);
	switch_above(s, l);
	set_solicits(s, l, l->ethernet && !(v->flags & (IFF_LOOPBACK | IFF_NOARP)));
	all = l->up && l->ethernet && v->flags & IFF_MULTICAST;
	set_all(s, l, all, &l->all_hosts, &all_hosts);
	set_all(s, l, all && !(v->flags & IFF_SLAVE), &l->all_nodes, &all_nodes);
	nctl_maddr_settle(s);
}

void nctl_maddrs_link_gone(struct nctl_maddrs *s, nctl_ifindex ifindex)
{
	struct nctl_maddr_link *l = nctl_maddr_link_find(s, ifindex);

	if (!l || !l->here)
		return;
	l->here = false;
	set_ports_rule(s, l, NULL);
	nctl_list_del(&l->in_master);
	set_registered(s, l, false);
	point(s, &l->lower, &l->down, NULL);
	point(s, &l->master, &l->above, NULL);
	nctl_maddr_clear(s, l);
	l->solicits = l->all_hosts = l->all_nodes = false;
	nctl_maddr_settle(s);
	link_release(s, l);
}

void nctl_maddrs_addr(struct nctl_maddrs *s, const struct nctl_addr *a, bool there)
{
	struct nctl_maddr_link *l = nctl_maddr_link_find(s, a->ifindex);
	struct nctl_maddr_want who = {.by = NCTL_MADDR_ADDRESS, .group = a->local};
	struct nctl_prefix group;
	struct nctl_lladdr mac;

	if (!l || !l->here || a->local.family != AF_INET6)
		return;
	who.group.len = 128;
	nctl_maddr_solicited_node(&a->local, &group);
	if (!nctl_maddr_of_group(&group, &mac))
		return;
	if (there)
		nctl_maddr_want(s, l, &mac, &who);
	else
		nctl_maddr_unwant(s, l, &mac, &who);
	nctl_maddr_settle(s);
}
