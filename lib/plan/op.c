/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: what one operation means: the link it wants as the kernel should show it, and whether the mirror shows
 * that. Every attribute is judged by the mirror, never by an ack, since the kernel accepts and ignores some.
 */
#include "plan/op-fib.h"
#include "plan/parts.h"

#include <net/if.h>
#include <string.h>

#include "obj/vlans.h"

const char *nctl_phase_name(enum nctl_phase p)
{
	switch (p) {
	case NCTL_PHASE_NETNS:
		return "netns";
	case NCTL_PHASE_CLEAR:
		return "clear";
	case NCTL_PHASE_CREATE:
		return "create";
	case NCTL_PHASE_TUNE:
		return "tune";
	case NCTL_PHASE_SYSCTL:
		return "sysctl";
	case NCTL_PHASE_UP:
		return "up";
	case NCTL_PHASE_SETTLE:
		return "settle";
	case NCTL_PHASE_ADDRESS:
		return "address";
	case NCTL_PHASE_ROUTE:
		return "route";
	case NCTL_PHASE_UNROUTE:
		return "unroute";
	case NCTL_PHASE_REMOVE:
		return "remove";
	case NCTL_PHASE_N:
		break;
	}
	return "";
}

enum nctl_stage nctl_phase_stage(enum nctl_phase p)
{
	switch (p) {
	case NCTL_PHASE_NETNS:
		return NCTL_STAGE_NETNS;
	case NCTL_PHASE_CLEAR:
		return NCTL_STAGE_CLEAR;
	case NCTL_PHASE_CREATE:
		return NCTL_STAGE_CREATE;
	case NCTL_PHASE_TUNE:
	case NCTL_PHASE_SYSCTL:
	case NCTL_PHASE_UP:
	case NCTL_PHASE_SETTLE:
	case NCTL_PHASE_ADDRESS:
		return NCTL_STAGE_CONFIGURE;
	case NCTL_PHASE_ROUTE:
	case NCTL_PHASE_UNROUTE:
		return NCTL_STAGE_ROUTE;
	case NCTL_PHASE_REMOVE:
		return NCTL_STAGE_REMOVE;
	case NCTL_PHASE_N:
		break;
	}
	return NCTL_STAGE_N;
}

void nctl_op_link(const struct nctl_op *op, struct nctl_link *ret)
{
	*ret = op->want->v;
	ret->ifindex = op->ifindex;
	ret->lower = op->lower;
	ret->master = op->master;
	ret->flags = op->diff.flags ? op->link_flags : op->up ? IFF_UP : 0;
	ret->has |= NCTL_LINK_BIT(NAME);
	if (op->data) {
		ret->data = (void *)(uintptr_t)op->data;
		ret->data_has |= op->diff.data;
	}
}

bool nctl_plan_diff(const struct nctl_link *wanted, const struct nctl_link *have, struct nctl_link_diff *ret)
{
	/* A link is found by its name, or by an altname that the configuration uses. */
	const uint64_t not_here = NCTL_LINK_BIT(NAME) | NCTL_LINK_BIT(FLAGS) | NCTL_LINK_BIT(MASTER) |
	                          NCTL_LINK_BIT(LOWER) | NCTL_LINK_BIT(ALTNAMES) |
	                          nctl_fields_with(&nctl_link_fields, NCTL_FIELD_READONLY);
	bool physical = wanted->kind->traits & NCTL_KIND_PHYSICAL;
	struct nctl_link_diff d;

	nctl_link_compare(wanted, have, &d);
	d.common &= wanted->has & ~not_here;
	if (wanted->master != have->master)
		d.common |= NCTL_LINK_BIT(MASTER);
	if (wanted->lower && (wanted->lower != nctl_link_lower(have) || have->lower_nsid != NCTL_NSID_NONE))
		d.common |= NCTL_LINK_BIT(LOWER);
	/* A bond rules over the MAC addresses of its ports (drivers/net/bonding fail_over_mac). */
	if (have->port_kind && have->port_kind->traits & NCTL_KIND_PORT_DOWN)
		d.common &= ~NCTL_LINK_BIT(ADDRESS);
	if (physical)
		d.kind = false;
	if (physical || d.kind)
		d.data = 0;
	else
		d.data &= wanted->data_has & ~nctl_fields_with(&wanted->kind->data, NCTL_FIELD_READONLY);
	if (wanted->port_kind && wanted->port_kind == have->port_kind)
		d.port &= wanted->port_has & ~nctl_fields_with(&wanted->port_kind->port, NCTL_FIELD_READONLY);
	else
		d.port = wanted->port_has;
	d.port_kind = d.rest = d.vlans = false;
	*ret = d;
	return d.common || d.data || d.port || d.kind;
}

/* What the creating message could not carry is the business of later operations. */
static bool is_made(const struct nctl_op *op, const struct nctl_mirror *m)
{
	const struct nctl_mirror_link *l = nctl_mirror_link_get(m, op->ifindex);
	struct nctl_link_diff d;
	struct nctl_link wanted;

	if (!l)
		return false;
	nctl_op_link(op, &wanted);
	nctl_plan_diff(&wanted, &l->v, &d);
	d.common &= ~nctl_fields_with(&nctl_link_fields, NCTL_FIELD_LATE);
	/* Made again: a MAC address that followed another link's goes on doing so (VLANs, bridges). */
	if (op->verbatim)
		d.common &= ~NCTL_LINK_BIT(ADDRESS);
	d.data &= ~nctl_fields_with(&wanted.kind->data, NCTL_FIELD_LATE);
	if (wanted.kind->creatable)
		d.data &= wanted.kind->creatable(wanted.data, d.data);
	return !d.kind && !d.common && !d.data;
}

static bool is_set(const struct nctl_op *op, const struct nctl_mirror *m)
{
	const struct nctl_mirror_link *l = nctl_mirror_link_get(m, op->ifindex);
	struct nctl_link_diff d;
	struct nctl_link wanted;

	if (!l)
		return false;
	if (op->passing)
		return true;
	nctl_op_link(op, &wanted);
	if ((op->diff.common & NCTL_LINK_BIT(NAME)) && strcmp(l->v.name, wanted.name))
		return false;
	if ((op->diff.common & NCTL_LINK_BIT(FLAGS)) && nctl_link_is_up(&l->v) != op->up)
		return false;
	if ((op->diff.common & NCTL_LINK_BIT(NAME)) && strcmp(wanted.name, l->v.name) != 0)
		return false;
	nctl_plan_diff(&wanted, &l->v, &d);
	/* What is only said along the kernel may change by itself (capabilities in a tunnel's flags). */
	return !(d.common & op->diff.common) && !(d.data & op->diff.data & ~op->along) &&
	       !(d.port & op->diff.port);
}

bool nctl_plan_has_altname(const struct nctl_link *l, const char *altname)
{
	for (char **a = l->altnames; a && *a; a++)
		if (!strcmp(*a, altname))
			return true;
	return false;
}

static bool shows_altname(const struct nctl_op *op, const struct nctl_mirror *m)
{
	const struct nctl_mirror_link *l = nctl_mirror_link_get(m, op->ifindex);

	return l && nctl_plan_has_altname(&l->v, op->altname);
}

static bool shows_addr(const struct nctl_op *op, const struct nctl_mirror *m)
{
	struct nctl_addr wanted = op->want_addr->v;
	const struct nctl_mirror_addr *a;

	wanted.ifindex = op->ifindex;
	a = nctl_mirror_addr_get(m, &wanted);
	return a && !nctl_plan_addr_differs(&wanted, &a->v);
}

/* The other end is told of before it is tied to this one (drivers/net/veth.c veth_newlink). */
static bool has_peer(const struct nctl_plan *p, const struct nctl_op *op)
{
	const struct nctl_mirror *m = p->netns[op->peer_netns].have;
	const struct nctl_mirror_link *l = op->pair && m ? nctl_mirror_link_get(m, op->peer_ifindex) : NULL;

	return !op->pair || (l && l->v.lower == op->ifindex);
}

static const struct nctl_vlans *vlans_of(const struct nctl_op *op, const struct nctl_mirror *m)
{
	const struct nctl_mirror_link *l = nctl_mirror_link_get(m, op->ifindex);

	return l ? l->v.vlans : NULL;
}

bool nctl_op_is_seen(const struct nctl_plan *p, const struct nctl_op *op)
{
	const struct nctl_mirror *m = p->netns[op->netns].have;

	/* Without a mirror, nothing is there. */
	switch ((enum nctl_op_type)op->type) {
	case NCTL_OP_LINK_NEW:
		return m && has_peer(p, op) && is_made(op, m);
	case NCTL_OP_LINK_SET:
		return m && is_set(op, m);
	case NCTL_OP_LINK_DEL:
		return !m || !nctl_mirror_link_get(m, op->ifindex);
	case NCTL_OP_ALTNAME_NEW:
		return m && shows_altname(op, m);
	case NCTL_OP_ALTNAME_DEL:
		return !m || !shows_altname(op, m);
	case NCTL_OP_ADDR_NEW:
		return m && shows_addr(op, m);
	case NCTL_OP_ADDR_DEL:
		return !m || !nctl_mirror_addr_get(m, op->addr);
	case NCTL_OP_ROUTE_NEW:
	case NCTL_OP_ROUTE_DEL:
	case NCTL_OP_NEXTHOP_NEW:
	case NCTL_OP_NEXTHOP_DEL:
	case NCTL_OP_RULE_NEW:
	case NCTL_OP_RULE_DEL:
	case NCTL_OP_NEIGH_NEW:
	case NCTL_OP_NEIGH_DEL:
		return nctl_fib_op_is_seen(op, m);
	case NCTL_OP_VLANS_ADD:
		return m && nctl_vlans_has_all(vlans_of(op, m), op->vlans);
	case NCTL_OP_VLANS_DEL:
		return !m || !nctl_vlans_has_any(vlans_of(op, m), op->vlans);
	case NCTL_OP_NETNS_NEW:
		return m;
	case NCTL_OP_NETNS_DEL:
		/* Its owner answers when the name is gone; what is inside goes in its own time. */
		return !m || op->state == NCTL_OP_ACKED || op->state == NCTL_OP_DONE;
	case NCTL_OP_NETNS_ID:
	case NCTL_OP_SYSCTL_SET:
	case NCTL_OP_ETHTOOL_SET:
	case NCTL_OP_WG_SET:
		return true;
	}
	return false;
}
