/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: what one operation means: the link it wants as the kernel should show it, and whether the mirror shows
 * that. Every attribute is judged by the mirror, never by an ack, since the kernel accepts and ignores some.
 */
#include "plan/private.h"

#include <net/if.h>
#include <string.h>

const char *nctl_phase_name(enum nctl_phase p)
{
	switch (p) {
	case NCTL_PHASE_CLEAR:
		return "clear";
	case NCTL_PHASE_CREATE:
		return "create";
	case NCTL_PHASE_TUNE:
		return "tune";
	case NCTL_PHASE_UP:
		return "up";
	case NCTL_PHASE_ADDRESS:
		return "address";
	case NCTL_PHASE_REMOVE:
		return "remove";
	case NCTL_PHASE_N:
		break;
	}
	return "";
}

void nctl_op_link(const struct nctl_op *op, struct nctl_link *ret)
{
	*ret = op->want->v;
	ret->ifindex = op->ifindex;
	ret->lower = op->lower;
	ret->master = op->master;
	ret->flags = op->up ? IFF_UP : 0;
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
	if (wanted->lower && (wanted->lower != have->lower || have->lower_nsid != NCTL_NSID_NONE))
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
	d.port_kind = false;
	*ret = d;
	return d.common || d.data || d.port || d.kind;
}

/* What the creating message could not carry is the business of later operations. */
static bool is_made(const struct nctl_op *op, const struct nctl_mirror *m)
{
	const struct nctl_mirror_link *l = nctl_mirror_link_get(m, op->ifindex);
	struct nctl_link_diff d;
	struct nctl_link wanted;

	if (!l || (op->pair && !nctl_mirror_link_get(m, op->peer_ifindex)))
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
	if ((op->diff.common & NCTL_LINK_BIT(FLAGS)) && nctl_link_is_up(&l->v) != op->up)
		return false;
	nctl_plan_diff(&wanted, &l->v, &d);
	return !(d.common & op->diff.common) && !(d.data & op->diff.data) && !(d.port & op->diff.port);
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

bool nctl_op_is_seen(const struct nctl_op *op, const struct nctl_mirror *m)
{
	switch ((enum nctl_op_type)op->type) {
	case NCTL_OP_LINK_NEW:
		return is_made(op, m);
	case NCTL_OP_LINK_SET:
		return is_set(op, m);
	case NCTL_OP_LINK_DEL:
		return !nctl_mirror_link_get(m, op->ifindex);
	case NCTL_OP_ALTNAME_NEW:
		return shows_altname(op, m);
	case NCTL_OP_ALTNAME_DEL:
		return !shows_altname(op, m);
	case NCTL_OP_ADDR_NEW: {
		struct nctl_addr wanted = op->want_addr->v;
		const struct nctl_mirror_addr *a;

		wanted.ifindex = op->ifindex;
		a = nctl_mirror_addr_get(m, &wanted);
		return a && !nctl_plan_addr_differs(&wanted, &a->v);
	}
	case NCTL_OP_ADDR_DEL:
		return !nctl_mirror_addr_get(m, op->addr);
	}
	return false;
}
