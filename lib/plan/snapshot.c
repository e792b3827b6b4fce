/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: takes the snapshot of a plan: of each link that an operation sets or deletes, the link itself, those
 * that stand on it (their MTU and state follow), its masters, its ports and the other end of its pair, with
 * their addresses; what the plan makes is noted by its identity. Costs what the plan touches, not what there
 * is.
 */
#include "plan/snapshot.h"

#include <errno.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "plan/fib.h"
#include "plan/parts.h"

static uint64_t link_hash(uint32_t netns, nctl_ifindex ifindex)
{
	return nctl_hash_u64((uint64_t)netns << 32 | ifindex);
}

struct nctl_snap_link *nctl_snapshot_find(const struct nctl_snapshot *s, uint32_t netns, nctl_ifindex ifindex)
{
	struct nctl_hash_node *pos;

	nctl_hash_for_each_equal(pos, &s->by_ifindex, link_hash(netns, ifindex)) {
		struct nctl_snap_link *l = nctl_container_of(pos, struct nctl_snap_link, node);

		if (l->netns == netns && l->v.ifindex == ifindex)
			return l;
	}
	return NULL;
}

int nctl_snapshot_add_link(struct nctl_snapshot *s, const struct nctl_snap_link *l, struct nctl_link *link)
{
	struct nctl_snap_link *copy = nctl_arena_alloc(&s->arena, sizeof(*copy));
	int r = copy ? nctl_array_grow(&s->links, &s->cap_links, s->n_links, sizeof(struct nctl_snap_link *))
	             : -ENOMEM;

	if (r < 0)
		return r;
	*copy = *l;
	copy->v = NCTL_LINK_INIT;
	r = nctl_hash_insert(&s->by_ifindex, &copy->node, link_hash(l->netns, link->ifindex));
	if (r < 0)
		return r;
	nctl_link_move(&copy->v, link);
	s->links[s->n_links++] = copy;
	return 0;
}

int nctl_snapshot_add_made(struct nctl_snapshot *s, const struct nctl_snap_made *m)
{
	int r = nctl_array_grow(&s->made, &s->cap_made, s->n_made, sizeof(*m));

	if (r >= 0)
		s->made[s->n_made++] = *m;
	return r;
}

int nctl_snapshot_add_addr(struct nctl_snapshot *s, const struct nctl_snap_addr *a)
{
	int r = nctl_array_grow(&s->addrs, &s->cap_addrs, s->n_addrs, sizeof(*a));

	if (r >= 0)
		s->addrs[s->n_addrs++] = *a;
	return r;
}

int nctl_snapshot_add_altname(struct nctl_snapshot *s, const struct nctl_snap_altname *a)
{
	struct nctl_snap_altname copy = *a;
	int r = nctl_array_grow(&s->altnames, &s->cap_altnames, s->n_altnames, sizeof(copy));

	copy.name = nctl_arena_strdup(&s->arena, a->name);
	if (r < 0 || !copy.name)
		return -ENOMEM;
	s->altnames[s->n_altnames++] = copy;
	return 0;
}

int nctl_snapshot_add_sysctl(struct nctl_snapshot *s, const struct nctl_snap_sysctl *v)
{
	struct nctl_snap_sysctl copy = *v;
	int r = nctl_array_grow(&s->sysctls, &s->cap_sysctls, s->n_sysctls, sizeof(copy));

	copy.name = nctl_arena_strdup(&s->arena, v->name);
	copy.value = nctl_arena_strdup(&s->arena, v->value);
	copy.old = v->old ? nctl_arena_strdup(&s->arena, v->old) : NULL;
	if (r < 0 || !copy.name || !copy.value || (v->old && !copy.old))
		return -ENOMEM;
	s->sysctls[s->n_sysctls++] = copy;
	return 0;
}

int nctl_snapshot_new(size_t n_netns, struct nctl_snapshot **ret)
{
	struct nctl_snapshot *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	nctl_arena_init(&s->arena);
	nctl_hash_init(&s->by_ifindex);
	s->n_netns = n_netns;
	s->netns = nctl_arena_alloc(&s->arena, n_netns * sizeof(*s->netns));
	if (!s->netns) {
		nctl_snapshot_free(s);
		return -ENOMEM;
	}
	*ret = s;
	return 0;
}

struct nctl_snapshot *nctl_snapshot_free(struct nctl_snapshot *s)
{
	if (!s)
		return NULL;
	for (size_t i = 0; i < s->n_links; i++)
		nctl_link_fini(&s->links[i]->v);
	nctl_hash_fini(&s->by_ifindex);
	free(s->links);
	free(s->made);
	free(s->addrs);
	free(s->altnames);
	free(s->sysctls);
	free(s->fibs);
	nctl_snapshot_forget_told(s);
	nctl_arena_fini(&s->arena);
	free(s);
	return NULL;
}

void nctl_snapshot_freep(struct nctl_snapshot **s)
{
	*s = nctl_snapshot_free(*s);
}

/* -- what a plan touches -- */

struct taking {
	const struct nctl_plan *p;
	struct nctl_snapshot *s;
	uint32_t netns;
	const struct nctl_mirror *have;
	const struct nctl_mirror_link **stack; /* links whose neighbours are to be taken, too */
	size_t n_stack, cap_stack;
};

static int take_addr(struct taking *t, const struct nctl_addr *a)
{
	const struct nctl_ledger *ledger = t->p->netns[t->netns].ledger;
	const struct nctl_snap_addr v = {
		.netns = t->netns, .v = *a, .adopted = nctl_ledger_addr_has(ledger, a)};

	return nctl_snapshot_add_addr(t->s, &v);
}

/* The link with all its addresses; once. */
static int take_link(struct taking *t, const struct nctl_mirror_link *l)
{
	const struct nctl_ledger_link *ours =
		nctl_ledger_link_get(t->p->netns[t->netns].ledger, l->v.ifindex);
	const struct nctl_snap_link v = {.netns = t->netns, .ours = ours, .adopted = ours && ours->adopted};
	struct nctl_link copy;
	int r;

	if (nctl_snapshot_find(t->s, t->netns, l->v.ifindex))
		return 0;
	r = nctl_array_grow(&t->stack, &t->cap_stack, t->n_stack, sizeof(struct nctl_mirror_link *));
	if (r >= 0)
		r = nctl_link_copy(&copy, &l->v);
	if (r < 0)
		return r;
	r = nctl_snapshot_add_link(t->s, &v, &copy);
	nctl_link_fini(&copy);
	for (const struct nctl_mirror_addr *a = nctl_mirror_addr_first(l); r >= 0 && a;
		a = nctl_mirror_addr_next(a))
		if (nctl_plan_addr_is_kept(&a->v))
			r = take_addr(t, &a->v);
	t->stack[t->n_stack++] = l;
	return r;
}

static int take_ifindex(struct taking *t, nctl_ifindex ifindex)
{
	const struct nctl_mirror_link *l = ifindex ? nctl_mirror_link_get(t->have, ifindex) : NULL;

	return l ? take_link(t, l) : 0;
}

static int take_ports(struct taking *t, const struct nctl_mirror_link *l)
{
	struct nctl_list *n;
	int r = 0;

	nctl_list_for_each(n, &l->ports) {
		r = take_link(t, nctl_list_entry(n, struct nctl_mirror_link, in_master));
		if (r < 0)
			break;
	}
	return r;
}

/* What may follow a change of l: all that stands on it, what it is a port of, the other end of a pair. */
static int take_neighbours(struct taking *t, const struct nctl_mirror_link *l)
{
	struct nctl_list *n;
	int r = take_ifindex(t, l->v.master);

	if (r >= 0 && l->v.lower_nsid == NCTL_NSID_NONE && l->v.kind &&
		(l->v.kind->traits & NCTL_KIND_PEERED))
		r = take_ifindex(t, l->v.lower);
	nctl_list_for_each(n, &l->uppers) {
		if (r < 0)
			break;
		r = take_link(t, nctl_list_entry(n, struct nctl_mirror_link, in_lower));
	}
	return r;
}

static int take_around(struct taking *t, nctl_ifindex ifindex)
{
	const struct nctl_mirror_link *l = nctl_mirror_link_get(t->have, ifindex);
	int r = l ? take_link(t, l) : 0;
	struct nctl_snap_link *taken = nctl_snapshot_find(t->s, t->netns, ifindex);

	if (r < 0 || !taken || taken->whole)
		return r;
	taken->whole = true;
	r = take_ports(t, l);
	while (r >= 0 && t->n_stack)
		r = take_neighbours(t, t->stack[--t->n_stack]);
	return r;
}

static int take_set(struct taking *t, const struct nctl_op *op)
{
	struct nctl_snap_link *l;
	int r = take_around(t, op->ifindex);

	/* A master that gets a port, or loses one, may follow it. */
	if (r >= 0 && (op->diff.common & NCTL_LINK_BIT(MASTER)) && op->master)
		r = take_around(t, op->master);
	l = nctl_snapshot_find(t->s, op->netns, op->ifindex);
	if (r < 0 || !l)
		return r;
	l->touched.common |= op->diff.common;
	l->touched.data |= op->diff.data;
	l->touched.port |= op->diff.port;
	return 0;
}

static int take_vlans(struct taking *t, const struct nctl_op *op)
{
	int r = take_around(t, op->ifindex);
	struct nctl_snap_link *l = nctl_snapshot_find(t->s, op->netns, op->ifindex);

	if (r >= 0 && l)
		l->touched.vlans = true;
	return r;
}

static int take_made(struct taking *t, const struct nctl_op *op)
{
	const struct nctl_snap_made m = {op->netns, op->ifindex, op->want->v.kind};
	const struct nctl_snap_made peer = {op->peer_netns, op->peer_ifindex, op->want->v.kind};
	int r = nctl_snapshot_add_made(t->s, &m);

	if (r >= 0 && op->pair)
		r = nctl_snapshot_add_made(t->s, &peer);
	/* Its master may follow it. */
	if (r >= 0 && op->master && t->have)
		r = take_around(t, op->master);
	return r;
}

static int take_new_addr(struct taking *t, const struct nctl_op *op)
{
	const struct nctl_mirror_link *l = t->have ? nctl_mirror_link_get(t->have, op->ifindex) : NULL;
	struct nctl_snap_addr a = {.netns = t->netns, .v = op->want_addr->v, .added = true};
	const struct nctl_mirror_addr *now;

	if (!l)
		return 0; /* goes with its link */
	a.v.ifindex = op->ifindex;
	now = nctl_mirror_addr_get(t->have, &a.v);
	if (!now)
		return nctl_snapshot_add_addr(t->s, &a);
	return nctl_snapshot_find(t->s, t->netns, op->ifindex) ? 0 : take_addr(t, &now->v);
}

/* An IPv4 address takes others of its subnet along, and their order counts. */
static int take_lost_addr(struct taking *t, const struct nctl_op *op)
{
	const struct nctl_mirror_link *l = nctl_mirror_link_get(t->have, op->ifindex);

	if (nctl_snapshot_find(t->s, t->netns, op->ifindex))
		return 0;
	if (op->addr->local.family == AF_INET && l)
		return take_link(t, l);
	return take_addr(t, op->addr);
}

static int take_netns(struct taking *t)
{
	const struct nctl_mirror_link *l = nctl_mirror_link_from(t->have, 1);
	int r = 0;

	for (; r >= 0 && l; l = nctl_mirror_link_next(l))
		if ((l->v.flags & IFF_LOOPBACK) ||
			nctl_ledger_link_get(t->p->netns[t->netns].ledger, l->v.ifindex))
			r = take_link(t, l);
	return r;
}

/* Where IPv6 is switched off, its addresses go. */
static int take_sysctl(struct taking *t, const struct nctl_op *op, const struct nctl_snap_sysctl *v)
{
	const struct nctl_mirror_link *l =
		op->ifindex ? nctl_mirror_link_get(t->have, op->ifindex) : nctl_mirror_link_from(t->have, 1);
	int r = nctl_snapshot_add_sysctl(t->s, v);

	for (; r >= 0 && op->stops_ipv6 && l; l = op->ifindex ? NULL : nctl_mirror_link_next(l))
		r = take_link(t, l);
	return r;
}

static int take_op(struct taking *t, const struct nctl_op *op)
{
	const struct nctl_snap_altname altname = {op->netns, op->ifindex, op->altname};
	const char *name = op->old_sysctl ? op->old_sysctl : op->sysctl;
	const struct nctl_snap_sysctl sysctl = {op->netns, name, op->old_value, op->value};
	int r;
	bool of_new = op->need[0] != NCTL_OP_NONE && t->p->ops[op->need[0]].type == NCTL_OP_LINK_NEW;

	t->netns = op->netns;
	t->have = t->p->netns[op->netns].there ? t->p->netns[op->netns].have : NULL;
	if (op->type == NCTL_OP_NETNS_NEW)
		t->s->netns[op->netns].made = true;
	if (op->type == NCTL_OP_LINK_NEW)
		return take_made(t, op);
	if (!t->have)
		return 0; /* goes with its namespace */
	switch ((enum nctl_op_type)op->type) {
	case NCTL_OP_LINK_SET:
		return take_set(t, op);
	case NCTL_OP_LINK_DEL:
		r = nctl_snapshot_take_told(t->s, op);
		return r < 0 ? r : take_around(t, op->ifindex);
	case NCTL_OP_VLANS_ADD:
	case NCTL_OP_VLANS_DEL:
		return take_vlans(t, op);
	case NCTL_OP_ALTNAME_NEW:
		return of_new ? 0 : nctl_snapshot_add_altname(t->s, &altname);
	case NCTL_OP_ADDR_NEW:
		return take_new_addr(t, op);
	case NCTL_OP_ADDR_DEL:
		return take_lost_addr(t, op);
	case NCTL_OP_NETNS_DEL:
		return take_netns(t);
	case NCTL_OP_ETHTOOL_SET:
	case NCTL_OP_WG_SET:
		return of_new ? 0 : nctl_snapshot_take_told(t->s, op);
	case NCTL_OP_SYSCTL_SET:
		return of_new ? 0 : take_sysctl(t, op, &sysctl);
	case NCTL_OP_LINK_NEW:
	case NCTL_OP_NETNS_NEW:
	case NCTL_OP_NETNS_ID:
	case NCTL_OP_ALTNAME_DEL: /* on the way back only */
	case NCTL_OP_ROUTE_NEW:
	case NCTL_OP_ROUTE_DEL:
	case NCTL_OP_NEXTHOP_NEW:
	case NCTL_OP_NEXTHOP_DEL:
	case NCTL_OP_RULE_NEW:
	case NCTL_OP_RULE_DEL:
	case NCTL_OP_NEIGH_NEW:
	case NCTL_OP_NEIGH_DEL:
		break;
	}
	return 0;
}

int nctl_snapshot_take(const struct nctl_plan *p, struct nctl_snapshot **ret)
{
	_cleanup_(nctl_snapshot_freep) struct nctl_snapshot *s = NULL;
	struct taking t = {.p = p};
	int r = nctl_snapshot_new(p->n_netns, &s);

	for (size_t i = 0; r >= 0 && i < p->n_netns; i++) {
		const struct nctl_plan_netns *n = &p->netns[i];

		s->netns[i] = (struct nctl_snap_netns){.cookie = n->cookie, .ours = n->ours};
		if (n->name && !(s->netns[i].name = nctl_arena_strdup(&s->arena, n->name)))
			r = -ENOMEM;
	}
	t.s = s;
	/* Links first: of those, all addresses are taken, and so not one by one. */
	for (int links = 1; links >= 0; links--)
		for (size_t i = 0; r >= 0 && i < p->n_ops; i++) {
			bool is_addr =
				p->ops[i].type == NCTL_OP_ADDR_NEW || p->ops[i].type == NCTL_OP_ADDR_DEL;

			if (is_addr != links)
				r = take_op(&t, &p->ops[i]);
			t.n_stack = 0;
		}
	free(t.stack);
	for (size_t i = 0; r >= 0 && i < p->n_ops; i++)
		r = nctl_snapshot_take_fib(s, &p->ops[i]);
	if (r < 0)
		return r;
	*ret = take_ptr(s);
	return 0;
}
