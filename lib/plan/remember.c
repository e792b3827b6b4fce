/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: what the way back (undo.c) needs to know: while a plan is built, the state of what it will change or
 * delete is copied into its operations, with what goes along: addresses of a link that flaps, ports of a
 * master that goes, secondaries of an IPv4 address, those of IPv6 when it is switched off, all that is in a
 * namespace.
 */
#include "plan/parts.h"

#include <errno.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

/* What the kernel makes again by itself is left out; older ones do not say which those are. */
bool nctl_plan_addr_is_kept(const struct nctl_addr *a)
{
	enum { OF_KERNEL_LL = 3 }; /* IFAPROT_KERNEL_LL of linux/if_addr.h, since Linux 5.18 */

	return a->local.family == AF_INET || a->scope != RT_SCOPE_LINK ||
	       (a->proto && a->proto != OF_KERNEL_LL);
}

static int remember_addrs(struct nctl_op_before *before, const struct nctl_mirror_link *l)
{
	const struct nctl_mirror_addr *a;

	if (!l->addrs.n)
		return 0;
	before->addrs = calloc(l->addrs.n, sizeof(*before->addrs));
	if (!before->addrs)
		return -ENOMEM;
	for (a = nctl_mirror_addr_first(l); a; a = nctl_mirror_addr_next(a))
		if (nctl_plan_addr_is_kept(&a->v))
			before->addrs[before->n_addrs++] = a->v;
	return 0;
}

/* Can this operation cost the link its addresses? */
static bool takes_addrs(const struct nctl_op *op)
{
	return op->type == NCTL_OP_LINK_DEL || op->cls >= NCTL_CHANGE_FLAP ||
	       (op->diff.common & (NCTL_LINK_BIT(MASTER) | NCTL_LINK_BIT(FLAGS) | NCTL_LINK_BIT(NAME)));
}

/* Ports of a link that goes are let go, whether or not the plan has anything to say of them. */
static int remember_ports(struct nctl_op_before *before, const struct nctl_mirror_link *l)
{
	struct nctl_list *n;
	size_t count = 0;

	nctl_list_for_each(n, &l->ports)
		count++;
	if (!count)
		return 0;
	before->ports = calloc(count, sizeof(*before->ports));
	if (!before->ports)
		return -ENOMEM;
	nctl_list_for_each(n, &l->ports) {
		const struct nctl_mirror_link *port = nctl_list_entry(n, struct nctl_mirror_link, in_master);
		struct nctl_op_before *p = &before->ports[before->n_ports];

		if (nctl_link_copy(&p->link, &port->v) < 0)
			return -ENOMEM;
		before->n_ports++;
		if (remember_addrs(p, port) < 0)
			return -ENOMEM;
	}
	return 0;
}

static bool has_secondaries(const struct nctl_mirror_link *l)
{
	const struct nctl_mirror_addr *a = nctl_mirror_addr_first(l);

	while (a && (a->v.local.family != AF_INET || !(a->v.flags & IFA_F_SECONDARY)))
		a = nctl_mirror_addr_next(a);
	return a;
}

/* An IPv4 address takes the secondaries of its subnet along. */
static int remember_secondaries(struct nctl_op *op, const struct nctl_mirror_link *l)
{
	const struct nctl_prefix subnet = nctl_plan_subnet(op->addr);
	const struct nctl_mirror_addr *a;

	op->before = calloc(1, sizeof(*op->before));
	if (!op->before)
		return -ENOMEM;
	op->before->link = NCTL_LINK_INIT;
	op->before->addrs = calloc(l->addrs.n, sizeof(*op->before->addrs));
	if (!op->before->addrs)
		return -ENOMEM;
	for (a = nctl_mirror_addr_first(l); a; a = nctl_mirror_addr_next(a)) {
		struct nctl_prefix other = nctl_plan_subnet(&a->v);

		if (a->v.local.family == AF_INET && (a->v.flags & IFA_F_SECONDARY) &&
			nctl_prefix_equal(&other, &subnet))
			op->before->addrs[op->before->n_addrs++] = a->v;
	}
	return 0;
}

static const struct nctl_wg *known_wg(const struct nctl_plan *p, uint32_t netns, nctl_ifindex ifindex)
{
	const struct nctl_plan_device *d = nctl_plan_device_find(p, netns, ifindex);

	return d ? d->wg : NULL;
}

static int remember_link(const struct nctl_plan *p, struct nctl_op *op, const struct nctl_mirror *have)
{
	const struct nctl_mirror_link *l = nctl_mirror_link_get(have, op->ifindex);

	if (!l)
		return 0; /* it is made by this plan */
	op->before = calloc(1, sizeof(*op->before));
	if (!op->before || nctl_link_copy(&op->before->link, &l->v) < 0)
		return -ENOMEM;
	op->before->wg = known_wg(p, op->netns, op->ifindex);
	if (op->type == NCTL_OP_LINK_DEL && remember_ports(op->before, l) < 0)
		return -ENOMEM;
	return takes_addrs(op) ? remember_addrs(op->before, l) : 0;
}

/* Those of IPv6. */
static int remember_ipv6(struct nctl_op_before *before, const struct nctl_mirror_link *l)
{
	int r = remember_addrs(before, l);
	size_t kept = 0;

	before->link = NCTL_LINK_INIT;
	before->link.ifindex = l->v.ifindex;
	memcpy(before->link.name, l->v.name, sizeof(l->v.name));
	for (size_t i = 0; r >= 0 && i < before->n_addrs; i++)
		if (before->addrs[i].local.family == AF_INET6)
			before->addrs[kept++] = before->addrs[i];
	before->n_addrs = kept;
	return r;
}

/* A sysctl that takes the addresses of this link along, or of all. */
static int remember_sysctl(struct nctl_op *op, const struct nctl_mirror *have)
{
	const struct nctl_mirror_link *l =
		op->ifindex ? nctl_mirror_link_get(have, op->ifindex) : nctl_mirror_link_from(have, 1);

	op->before = l ? calloc(1, sizeof(*op->before)) : NULL;
	if (!op->before)
		return l ? -ENOMEM : 0;
	op->before->link = NCTL_LINK_INIT;
	op->before->ports =
		calloc(op->ifindex ? 1 : nctl_mirror_link_count(have), sizeof(*op->before->ports));
	if (!op->before->ports)
		return -ENOMEM;
	for (; l; l = op->ifindex ? NULL : nctl_mirror_link_next(l))
		if (remember_ipv6(&op->before->ports[op->before->n_ports++], l) < 0)
			return -ENOMEM;
	return 0;
}

static int remember_addr(struct nctl_plan *p, struct nctl_op *op, const struct nctl_mirror *have)
{
	struct nctl_addr wanted = op->want_addr->v, *copy;
	const struct nctl_mirror_addr *a;

	wanted.ifindex = op->ifindex;
	a = nctl_mirror_addr_get(have, &wanted);
	if (!a)
		return 0;
	copy = nctl_arena_alloc(&p->arena, sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	*copy = a->v;
	op->addr = copy;
	return 0;
}

/* A link that is not ours is not ours to make again: of it, only its name and kind are kept, to be told. */
static int remember_foreign(struct nctl_op_before *before, const struct nctl_link *l)
{
	const char *kind = nctl_link_kind_name(l);

	before->link = NCTL_LINK_INIT;
	before->link.ifindex = l->ifindex;
	memcpy(before->link.name, l->name, sizeof(l->name));
	before->link.kind_name = kind ? strdup(kind) : NULL;
	return kind && !before->link.kind_name ? -ENOMEM : 0;
}

/* The kernel gives some links (sit0, say) to every namespace that it makes: home has them, too. */
static bool is_everywhere(const struct nctl_plan *p, const struct nctl_link *l)
{
	const struct nctl_plan_netns *home = &p->netns[0];
	const struct nctl_mirror_link *twin = home->have ? nctl_mirror_link_find(home->have, l->name) : NULL;
	struct nctl_link_diff d;

	if (!nctl_link_kind_name(l) || !twin || nctl_ledger_link_get(home->ledger, twin->v.ifindex))
		return false;
	nctl_link_compare(l, &twin->v, &d);
	return !d.kind;
}

static int remember_netns(const struct nctl_plan *p, struct nctl_op *op)
{
	const struct nctl_plan_netns *n = &p->netns[op->netns];
	const struct nctl_mirror_link *l = nctl_mirror_link_from(n->have, 1);

	op->before = calloc(1, sizeof(*op->before));
	if (!op->before)
		return -ENOMEM;
	op->before->link = NCTL_LINK_INIT;
	op->before->ports = calloc(nctl_mirror_link_count(n->have) + 1, sizeof(*op->before->ports));
	if (!op->before->ports)
		return -ENOMEM;
	for (; l; l = nctl_mirror_link_next(l)) {
		struct nctl_op_before *before = &op->before->ports[op->before->n_ports];
		bool whole = (l->v.flags & IFF_LOOPBACK) || nctl_ledger_link_get(n->ledger, l->v.ifindex);

		if (!whole && is_everywhere(p, &l->v))
			continue;
		if ((whole ? nctl_link_copy(&before->link, &l->v) : remember_foreign(before, &l->v)) < 0)
			return -ENOMEM;
		op->before->n_ports++;
		before->wg = known_wg(p, op->netns, l->v.ifindex);
		if (whole && remember_addrs(before, l) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* Where the last ADDR_DEL was: they come link by link. */
struct last_link {
	const struct nctl_mirror_link *link;
	uint32_t netns;
	bool mixed; /* it has secondaries */
};

static int remember_addr_del(struct nctl_op *op, const struct nctl_mirror *have, struct last_link *last)
{
	if (!last->link || last->netns != op->netns || last->link->v.ifindex != op->ifindex) {
		last->link = nctl_mirror_link_get(have, op->ifindex);
		last->netns = op->netns;
		last->mixed = last->link && has_secondaries(last->link);
	}
	if (!last->mixed || op->addr->local.family != AF_INET)
		return 0;
	return remember_secondaries(op, last->link);
}

int nctl_plan_remember(struct nctl_plan *p)
{
	struct last_link last = {0};
	int r = 0;

	for (size_t i = 0; r >= 0 && i < p->n_ops; i++) {
		struct nctl_op *op = &p->ops[i];
		const struct nctl_mirror *have = p->netns[op->netns].have;

		if (!have || !p->netns[op->netns].there)
			continue; /* nothing is there yet */
		switch ((enum nctl_op_type)op->type) {
		case NCTL_OP_LINK_SET:
		case NCTL_OP_LINK_DEL:
		case NCTL_OP_VLANS_ADD:
		case NCTL_OP_VLANS_DEL:
			r = remember_link(p, op, have);
			break;
		case NCTL_OP_ADDR_NEW:
			r = remember_addr(p, op, have);
			break;
		case NCTL_OP_ADDR_DEL:
			r = remember_addr_del(op, have, &last);
			break;
		case NCTL_OP_NETNS_DEL:
			r = remember_netns(p, op);
			break;
		case NCTL_OP_SYSCTL_SET:
			r = op->stops_ipv6 ? remember_sysctl(op, have) : 0;
			break;
		case NCTL_OP_LINK_NEW:
		case NCTL_OP_ALTNAME_NEW:
		case NCTL_OP_ALTNAME_DEL:
		case NCTL_OP_NETNS_NEW:
		case NCTL_OP_NETNS_ID:
		case NCTL_OP_ROUTE_NEW:
		case NCTL_OP_ROUTE_DEL:
		case NCTL_OP_NEXTHOP_NEW:
		case NCTL_OP_NEXTHOP_DEL:
		case NCTL_OP_RULE_NEW:
		case NCTL_OP_RULE_DEL:
		case NCTL_OP_NEIGH_NEW:
		case NCTL_OP_NEIGH_DEL:
		case NCTL_OP_ETHTOOL_SET:
		case NCTL_OP_WG_SET:
			break;
		}
	}
	return r < 0 ? r : nctl_plan_remember_fib(p);
}

static void fini_before(struct nctl_op_before *before)
{
	for (size_t i = 0; i < before->n_ports; i++)
		fini_before(&before->ports[i]);
	nctl_link_fini(&before->link);
	free(before->ports);
	free(before->addrs);
}

void nctl_plan_forget(struct nctl_plan *p)
{
	for (size_t i = 0; i < p->n_ops; i++) {
		if (p->ops[i].before)
			fini_before(p->ops[i].before);
		free(p->ops[i].before);
	}
}
