/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: keeps somebody who is logged in from afar from sawing off the branch: netctl says which addresses its
 * session has, and a plan that touches the link, the address or the route that carries it is refused unless
 * it is to be confirmed. It is advice, not protection: whoever may apply may also say --no-guard. The session
 * is taken to be in the daemon's own network namespace; the link that carries it is the one that holds its
 * local address and the one by which the mirror would send to its peer, with all that these stand on, are
 * ports of, or have as ports.
 */
#include "reconcile/confirm.h"

#include <stdio.h>
#include <string.h>

#include "mirror/resolve.h"
#include "plan/op-fib.h"

enum { CARRIERS_MAX = 256 }; /* ports of a larger bridge are not guarded */

/* Links that carry the session. */
struct carriers {
	const struct nctl_mirror *m;
	nctl_ifindex v[CARRIERS_MAX];
	size_t n;
	struct nctl_route route; /* to the peer: its identity; dst.family AF_UNSPEC: none */
};

static bool carries(const struct carriers *c, nctl_ifindex ifindex)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->v[i] == ifindex)
			return true;
	return false;
}

static void add(struct carriers *c, nctl_ifindex ifindex)
{
	if (ifindex && c->n < CARRIERS_MAX && !carries(c, ifindex))
		c->v[c->n++] = ifindex;
}

static void find_carriers(struct carriers *c, const struct nd_apply *how)
{
	struct nctl_resolve_query q = {.dst = how->peer, .src = how->local};
	const struct nctl_mirror_addr *a = nctl_mirror_addr_find(c->m, &how->local);
	struct nctl_resolved r;

	if (a)
		add(c, a->v.ifindex);
	nctl_mirror_resolve(c->m, &q, &r);
	if (!r.error)
		add(c, r.hop.oif);
	if (!r.error && r.ref) {
		c->route.dst = r.route.dst;
		c->route.table = r.route.table;
		c->route.metric = r.route.metric;
	}
	for (size_t i = 0; i < c->n; i++) {
		const struct nctl_mirror_link *l = nctl_mirror_link_get(c->m, c->v[i]);
		struct nctl_list *n;

		if (!l)
			continue;
		if (l->v.lower_nsid == NCTL_NSID_NONE)
			add(c, l->v.lower);
		add(c, l->v.master);
		nctl_list_for_each(n, &l->ports)
			add(c, nctl_list_entry(n, struct nctl_mirror_link, in_master)->v.ifindex);
	}
}

/* What a link is called, and how it is sorted, cuts nobody off. */
static bool is_harmless(const struct nctl_op *op)
{
	const uint64_t harmless = NCTL_LINK_BIT(ALIAS) | NCTL_LINK_BIT(GROUP) | NCTL_LINK_BIT(TXQLEN);

	return op->type == NCTL_OP_LINK_SET && !(op->diff.common & ~harmless) && !op->diff.data &&
	       !op->diff.port && op->cls < NCTL_CHANGE_FLAP;
}

static bool is_address(const struct nctl_op *op, const struct nd_apply *how)
{
	return op->type == NCTL_OP_ADDR_DEL && op->addr->local.family == how->local.family &&
	       !memcmp(op->addr->local.addr, how->local.addr, sizeof(how->local.addr));
}

/* The one to the peer is taken away, or gets another one in its place. */
static bool is_route(const struct nctl_op *op, const struct carriers *c)
{
	const struct nctl_route *r = &op->fib->v.route;

	return (op->type == NCTL_OP_ROUTE_DEL || op->fib->old) && r->table == c->route.table &&
	       nctl_prefix_equal(&r->dst, &c->route.dst) && r->metric == c->route.metric;
}

static bool touches(const struct nctl_op *op, const struct carriers *c, const struct nd_apply *how)
{
	if (op->netns)
		return false;
	if (op->type == NCTL_OP_LINK_SET || op->type == NCTL_OP_LINK_DEL)
		return carries(c, op->ifindex) && !is_harmless(op);
	if (op->type == NCTL_OP_ROUTE_DEL || op->type == NCTL_OP_ROUTE_NEW)
		return is_route(op, c);
	return is_address(op, how);
}

bool nd_guard(const struct nd_reconcile *r, const struct job *job, char *ret, size_t size)
{
	const struct nd_apply *how = &job->how;
	struct carriers c = {.m = nctl_session_mirror(nctl_hub_home(r->hub))};
	char peer[NCTL_ADDR_STR];

	if (!how->peer.family || how->confirm_s || (how->flags & ND_APPLY_NO_GUARD))
		return false;
	find_carriers(&c, how);
	for (size_t i = 0; i < job->plan->n_ops; i++) {
		const struct nctl_op *op = &job->plan->ops[i];

		if (!touches(op, &c, how))
			continue;
		nctl_addr_format(&how->peer, peer);
		snprintf(ret, size,
			"this touches %s, which carries your own session from %s; nothing was changed. Use "
			"--confirm 60, which goes back unless you confirm it, or --no-guard",
			op->name, peer);
		return true;
	}
	return false;
}
