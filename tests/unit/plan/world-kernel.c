/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the kernel of a world: does what an operation asks for, and refuses (fails the test) what cannot be.
 * It knows no side effects but deletions that take others along; those are the business of tests/unit/exec.
 */
#include "world-private.h"

#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "mirror/vlans.h"

static void put_link(struct world_netns *n, struct nctl_link *l)
{
	assert_int_equal(nctl_mirror_link_put(n->have, l, NCTL_SOURCE_EVENT), 0);
}

void world_own_link(struct world_netns *n, nctl_ifindex ifindex, const struct nctl_link *l, bool adopted)
{
	struct nctl_ledger_link e = {.ifindex = ifindex, .adopted = adopted};

	snprintf(e.kind, sizeof(e.kind), "%s", l->kind ? l->kind->name : "");
	snprintf(e.name, sizeof(e.name), "%s", l->name);
	assert_int_equal(nctl_ledger_link_add(n->ledger, &e), 0);
}

static uint32_t number_of(const struct world *w, const struct world_netns *n)
{
	uint32_t i = 0;

	while (w->netns[i] != n)
		i++;
	return i;
}

/* How `in` calls `of`: home calls them by what they say, others count from 1,000 up. */
static nctl_nsid nsid_in(const struct world *w, const struct world_netns *in, const struct world_netns *of)
{
	return in == of            ? NCTL_NSID_NONE
	       : in == w->netns[0] ? of->nsid
	                           : (nctl_nsid)(1000 + number_of(w, of));
}

struct world_netns *world_by_nsid(const struct world *w, struct world_netns *in, nctl_nsid nsid)
{
	if (nsid == NCTL_NSID_NONE)
		return in;
	if (in != w->netns[0])
		return (size_t)nsid - 1000 < w->n_netns ? w->netns[nsid - 1000] : NULL;
	return (size_t)nsid - 10 < w->n_netns ? w->netns[nsid - 10] : NULL;
}

static void make_one(struct world_netns *n, const struct nctl_link *wanted)
{
	struct nctl_link l = NCTL_LINK_INIT;

	assert_null(nctl_mirror_link_get(n->have, wanted->ifindex));
	assert_null(nctl_mirror_link_find(n->have, wanted->name));
	assert_true(!wanted->master || nctl_mirror_link_get(n->have, wanted->master));
	assert_int_equal(nctl_link_copy(&l, wanted), 0);
	/* The creating message does not carry these. */
	l.has &= ~nctl_fields_with(&nctl_link_fields, NCTL_FIELD_LATE);
	l.data_has &= ~nctl_fields_with(&l.kind->data, NCTL_FIELD_LATE);
	nctl_link_set_port_kind(&l, NULL);
	nctl_field_clear(&nctl_link_fields.v[NCTL_LINK_ALTNAMES], &l);
	nctl_field_clear(&nctl_link_fields.v[NCTL_LINK_ALIAS], &l);
	l.has |=
		NCTL_LINK_BIT(FLAGS) | NCTL_LINK_BIT(MASTER) | NCTL_LINK_BIT(ALTNAMES) | NCTL_LINK_BIT(ALIAS);
	if (l.lower)
		l.has |= NCTL_LINK_BIT(LOWER);
	if (!(l.has & NCTL_LINK_BIT(MTU)))
		l.mtu = 1500;
	if (!(l.has & NCTL_LINK_BIT(GROUP)))
		l.group = 0;
	l.has |= NCTL_LINK_BIT(MTU) | NCTL_LINK_BIT(GROUP);
	l.flags = 0;
	world_own_link(n, l.ifindex, &l, false);
	put_link(n, &l);
}

static void link_new(struct world *w, const struct nctl_op *op)
{
	struct world_netns *n = w->planned[op->netns], *other = op->pair ? w->planned[op->peer_netns] : NULL;
	struct nctl_link l, peer;

	assert_non_null(n);
	nctl_op_link(op, &l);
	assert_true(!l.lower || nctl_mirror_link_get(n->have, l.lower));
	assert_true(!(l.kind->traits & NCTL_KIND_PEERED) == !op->pair);
	l.lower_nsid = NCTL_NSID_NONE;
	if (op->pair) {
		assert_non_null(other);
		assert_true(op->netns || !op->peer_netns); /* home is the other one */
		peer = op->want->peer.link->v;
		peer.ifindex = op->peer_ifindex;
		peer.master = 0;
		peer.has |= NCTL_LINK_BIT(NAME);
		l.lower = peer.ifindex;
		l.lower_nsid = nsid_in(w, n, other);
		peer.lower = l.ifindex;
		peer.lower_nsid = nsid_in(w, other, n);
		make_one(other, &peer);
	}
	make_one(n, &l);
}

static void set_fields(
	const struct nctl_field_table *t, void *dst, uint64_t *has, const void *src, uint64_t mask)
{
	for (size_t i = 0; i < t->n; i++)
		if (mask & (UINT64_C(1) << i))
			assert_int_equal(nctl_field_copy(&t->v[i], dst, src), 0);
	*has |= mask;
}

static void link_set(struct world *w, const struct nctl_op *op)
{
	struct world_netns *n = w->planned[op->netns];
	const struct nctl_mirror_link *have = nctl_mirror_link_get(n->have, op->ifindex);
	const uint64_t special = NCTL_LINK_BIT(FLAGS) | NCTL_LINK_BIT(MASTER);
	struct nctl_link l = NCTL_LINK_INIT, wanted;

	if (!have)
		fail_msg("%s is not there:\n%s", op->name, world_print(w->plan));
	nctl_op_link(op, &wanted);
	assert_int_equal(nctl_link_copy(&l, &have->v), 0);
	set_fields(&nctl_link_fields, &l, &l.has, &wanted, op->diff.common & ~special);
	if (op->diff.common & NCTL_LINK_BIT(MASTER)) {
		assert_true(!wanted.master || nctl_mirror_link_get(n->have, wanted.master));
		if (l.master != wanted.master)
			nctl_link_set_port_kind(&l, NULL);
		l.master = wanted.master;
	}
	if (op->diff.common & NCTL_LINK_BIT(FLAGS))
		l.flags = (l.flags & ~(unsigned)IFF_UP) | (op->up ? IFF_UP : 0);
	if (op->diff.data)
		set_fields(&l.kind->data, l.data, &l.data_has, wanted.data, op->diff.data);
	if (op->diff.port) {
		assert_true(l.master);
		if (!l.port_kind)
			nctl_link_set_port_kind(&l, wanted.port_kind);
		set_fields(&l.port_kind->port, l.port, &l.port_has, wanted.port, op->diff.port);
	}
	put_link(n, &l);
}

static void altname_new(struct world *w, const struct nctl_op *op)
{
	struct world_netns *in = w->planned[op->netns];
	struct nctl_link l = NCTL_LINK_INIT;
	size_t n = 0;

	assert_int_equal(nctl_link_copy(&l, &nctl_mirror_link_get(in->have, op->ifindex)->v), 0);
	while (l.altnames && l.altnames[n])
		n++;
	l.altnames = realloc(l.altnames, (n + 2) * sizeof(*l.altnames));
	l.altnames[n] = strdup(op->altname);
	l.altnames[n + 1] = NULL;
	put_link(in, &l);
}

static void altname_del(struct world *w, const struct nctl_op *op)
{
	struct world_netns *in = w->planned[op->netns];
	struct nctl_link l = NCTL_LINK_INIT;
	size_t n = 0, last = 0;

	assert_int_equal(nctl_link_copy(&l, &nctl_mirror_link_get(in->have, op->ifindex)->v), 0);
	while (strcmp(l.altnames[n], op->altname))
		n++;
	for (last = n; l.altnames[last + 1]; last++)
		;
	free(l.altnames[n]);
	l.altnames[n] = l.altnames[last];
	l.altnames[last] = NULL;
	put_link(in, &l);
}

/* A link that goes along with that lower one, which is in the same namespace. */
static nctl_ifindex find_upper(const struct world_netns *n, nctl_ifindex lower)
{
	const struct nctl_mirror_link *l = nctl_mirror_link_from(n->have, 1);

	while (l && (l->v.lower != lower || l->v.lower_nsid != NCTL_NSID_NONE))
		l = nctl_mirror_link_next(l);
	return l ? l->v.ifindex : 0;
}

static void link_del(struct world *w, struct world_netns *n, nctl_ifindex ifindex)
{
	const struct nctl_mirror_link *l = nctl_mirror_link_get(n->have, ifindex), *peer;
	struct world_netns *other;
	nctl_ifindex upper, lower;

	if (!l)
		return;
	other = world_by_nsid(w, n, l->v.lower_nsid);
	lower = l->v.lower;
	nctl_mirror_link_drop(n->have, ifindex);
	while ((upper = find_upper(n, ifindex)))
		link_del(w, n, upper);
	peer = other && other != n ? nctl_mirror_link_get(other->have, lower) : NULL;
	if (peer && peer->v.lower == ifindex && peer->v.lower_nsid != NCTL_NSID_NONE)
		link_del(w, other, lower);
}

/* Ports of a master that goes are let go. */
static void link_del_of_ports(struct world *w, struct world_netns *n, nctl_ifindex ifindex)
{
	const struct nctl_mirror_link *l = nctl_mirror_link_from(n->have, 1);

	while (l) {
		struct nctl_link port = NCTL_LINK_INIT;
		nctl_ifindex next = l->v.ifindex + 1;

		if (l->v.master == ifindex) {
			assert_int_equal(nctl_link_copy(&port, &l->v), 0);
			port.master = 0;
			nctl_link_set_port_kind(&port, NULL);
			put_link(n, &port);
		}
		l = nctl_mirror_link_from(n->have, next);
	}
	link_del(w, n, ifindex);
}

static void addr_new(struct world *w, const struct nctl_op *op)
{
	struct world_netns *n = w->planned[op->netns];
	struct nctl_addr a = op->want_addr->v;

	a.ifindex = op->ifindex;
	a.proto = op->verbatim ? a.proto : NCTL_PROTO;
	assert_non_null(nctl_mirror_link_get(n->have, a.ifindex));
	assert_int_equal(nctl_mirror_addr_put(n->have, &a, NCTL_SOURCE_EVENT), 0);
}

void world_link_in(struct world *w, const char *netns, nctl_ifindex ifindex, const char *name,
	const char *kind, nctl_ifindex lower, unsigned flags)
{
	struct nctl_link l = NCTL_LINK_INIT;

	l.ifindex = ifindex;
	snprintf(l.name, sizeof(l.name), "%s", name);
	l.flags = flags;
	l.mtu = 1500;
	l.has = NCTL_LINK_BIT(NAME) | NCTL_LINK_BIT(FLAGS) | NCTL_LINK_BIT(MASTER) | NCTL_LINK_BIT(MTU) |
	        NCTL_LINK_BIT(GROUP) | NCTL_LINK_BIT(ALIAS) | NCTL_LINK_BIT(ALTNAMES);
	if (lower) {
		l.lower = lower;
		l.has |= NCTL_LINK_BIT(LOWER);
	}
	if (kind && nctl_kind_find(kind))
		nctl_link_set_kind(&l, nctl_kind_find(kind));
	else
		l.kind_name = kind ? strdup(kind) : NULL;
	put_link(world_netns_find(w, netns), &l);
}

struct world_netns *world_netns_add(struct world *w, const char *name)
{
	struct world_netns *n;
	struct nctl_link lo = NCTL_LINK_INIT;

	assert_null(world_netns_find(w, name));
	n = world_new_netns(w, name);
	lo.ifindex = 1;
	strcpy(lo.name, "lo");
	lo.flags = IFF_LOOPBACK;
	lo.mtu = 65536;
	lo.has = NCTL_LINK_BIT(NAME) | NCTL_LINK_BIT(FLAGS) | NCTL_LINK_BIT(MASTER) | NCTL_LINK_BIT(MTU) |
	         NCTL_LINK_BIT(GROUP) | NCTL_LINK_BIT(ALIAS) | NCTL_LINK_BIT(ALTNAMES);
	put_link(n, &lo);
	return n;
}

static void drop_netns(struct world *w, struct world_netns *n)
{
	const struct nctl_mirror_link *l;

	while ((l = nctl_mirror_link_from(n->have, 1)))
		link_del(w, n, l->v.ifindex);
	w->netns[number_of(w, n)] = NULL;
	world_free_netns(n);
}

void world_netns_del(struct world *w, const char *name)
{
	w->plan = nctl_plan_free(w->plan);
	drop_netns(w, world_netns_find(w, name));
}

void world_sysctl(struct world_netns *n, const char *name, const char *value)
{
	size_t i = 0;

	while (i < n->n_sysctls && strcmp(n->sysctls[i].name, name))
		i++;
	assert_true(i < WORLD_SYSCTLS);
	if (i == n->n_sysctls)
		n->sysctls[n->n_sysctls++].name = strdup(name);
	free(n->sysctls[i].value);
	n->sysctls[i].value = value ? strdup(value) : NULL;
}

const char *world_sysctl_get(const struct world_netns *n, const char *name)
{
	for (size_t i = 0; i < n->n_sysctls; i++)
		if (!strcmp(n->sysctls[i].name, name))
			return n->sysctls[i].value;
	return NULL;
}

static void netns_new(struct world *w, const struct nctl_op *op)
{
	struct nctl_plan_netns *known_as = &w->plan->netns[op->netns];
	struct world_netns *n;

	assert_null(w->planned[op->netns]);
	n = world_netns_add(w, known_as->name);
	n->ours = true;
	w->planned[op->netns] = n;
	known_as->cookie = n->cookie;
	known_as->have = n->have;
	known_as->nsid = n->nsid;
}

/* The name lives on in the plan. */
static void netns_del(struct world *w, const struct nctl_op *op)
{
	struct nctl_plan_netns *known_as = &w->plan->netns[op->netns];

	assert_non_null(w->planned[op->netns]);
	assert_true(w->planned[op->netns]->ours);
	known_as->name = nctl_arena_strdup(&w->plan->arena, known_as->name);
	known_as->cookie = 0;
	known_as->have = NULL;
	known_as->ledger = NULL;
	drop_netns(w, w->planned[op->netns]);
	w->planned[op->netns] = NULL;
}

static void sysctl_set(struct world *w, const struct nctl_op *op)
{
	world_sysctl(w->planned[op->netns], op->sysctl, op->value);
}

/* What it has, without what goes or is set anew, and with that. */
static void vlans_set(struct world *w, const struct nctl_op *op)
{
	struct nctl_mirror *m = w->planned[op->netns]->have;
	const struct nctl_mirror_link *l = nctl_mirror_link_get(m, op->ifindex);
	struct nctl_vlan_range v[4096];
	struct nctl_vlans *rest, *all;
	size_t n = 0;

	assert_non_null(l);
	assert_int_equal(nctl_vlans_except(l->v.vlans, op->vlans, false, &rest), 0);
	for (uint32_t i = 0; rest && i < rest->n; i++) {
		v[n] = rest->v[i];
		if (op->type == NCTL_OP_VLANS_ADD && nctl_vlans_pvid(op->vlans))
			v[n].flags &= (uint16_t)~NCTL_VLAN_PVID;
		n++;
	}
	for (uint32_t i = 0; op->type == NCTL_OP_VLANS_ADD && i < op->vlans->n; i++)
		v[n++] = op->vlans->v[i];
	nctl_vlans_unref(rest);
	assert_int_equal(nctl_vlans_new(v, n, &all), 0);
	nctl_mirror_link_vlans_put(m, op->ifindex, all, NCTL_SOURCE_EVENT);
}

void world_apply_op(struct world *w, const struct nctl_op *op)
{
	struct world_netns *n = w->planned[op->netns];

	switch ((enum nctl_op_type)op->type) {
	case NCTL_OP_LINK_NEW:
		link_new(w, op);
		break;
	case NCTL_OP_LINK_SET:
		link_set(w, op);
		break;
	case NCTL_OP_LINK_DEL:
		/* An implied one is gone, or goes with a later one. */
		if (!op->implied && n)
			link_del_of_ports(w, n, op->ifindex);
		break;
	case NCTL_OP_ALTNAME_DEL:
		altname_del(w, op);
		break;
	case NCTL_OP_ALTNAME_NEW:
		altname_new(w, op);
		break;
	case NCTL_OP_ADDR_NEW:
		addr_new(w, op);
		break;
	case NCTL_OP_ADDR_DEL:
		assert_non_null(nctl_mirror_addr_get(n->have, op->addr));
		nctl_mirror_addr_drop(n->have, op->addr);
		break;
	case NCTL_OP_ROUTE_NEW:
	case NCTL_OP_ROUTE_DEL:
	case NCTL_OP_NEXTHOP_NEW:
	case NCTL_OP_NEXTHOP_DEL:
	case NCTL_OP_RULE_NEW:
	case NCTL_OP_RULE_DEL:
	case NCTL_OP_NEIGH_NEW:
	case NCTL_OP_NEIGH_DEL:
		world_apply_fib(w, op);
		break;
	case NCTL_OP_VLANS_ADD:
	case NCTL_OP_VLANS_DEL:
		vlans_set(w, op);
		break;
	case NCTL_OP_NETNS_NEW:
		netns_new(w, op);
		break;
	case NCTL_OP_NETNS_DEL:
		netns_del(w, op);
		break;
	case NCTL_OP_NETNS_ID:
		assert_true(op->netns && op->peer_netns && n && w->planned[op->peer_netns]);
		break;
	case NCTL_OP_ETHTOOL_SET:
	case NCTL_OP_WG_SET:
		break; /* tests say what drivers have: world.devices */
	case NCTL_OP_SYSCTL_SET:
		sysctl_set(w, op);
		break;
	}
}
