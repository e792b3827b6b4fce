/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: what a plan deleted, and the plan back makes again: links under their old ifindex, with what was set
 * in them, their addresses and their ports; namespaces with the links in them. Links that were not ours are
 * made again, too, where that can be: they went with what is ours.
 */
#include "plan/undo.h"

#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 32 }; /* the kernel stacks no more than 8 (MAX_NEST_DEV of linux/netdevice.h) */

static int cmp_gone(const void *x, const void *y)
{
	const struct nctl_op *a = ((const struct gone *)x)->op, *b = ((const struct gone *)y)->op;

	if (a->netns != b->netns)
		return a->netns > b->netns ? 1 : -1;
	return (a->ifindex > b->ifindex) - (a->ifindex < b->ifindex);
}

static struct gone *find_gone(const struct undo *u, uint32_t netns, nctl_ifindex ifindex)
{
	const struct nctl_op probe_op = {.netns = netns, .ifindex = ifindex};
	const struct gone probe = {.op = &probe_op};

	return u->n_gone ? bsearch(&probe, u->gone, u->n_gone, sizeof(probe), cmp_gone) : NULL;
}

/* Its name is not there any more; the rest of it may still be on its way out. */
static bool is_netns_gone(const struct undo *u, const struct nctl_op *op)
{
	if (op->type != NCTL_OP_NETNS_DEL)
		return false;
	return op->state == NCTL_OP_ACKED || op->state == NCTL_OP_DONE ||
	       (nctl_undo_may_have_happened(op) && !u->p->netns[op->netns].have);
}

/* One operation for each link that is in it, as if the plan had deleted them one by one. */
static void lose(struct undo *u, const struct nctl_op *op)
{
	for (size_t i = 0; i < op->before->n_ports; i++) {
		struct nctl_op_before *before = &op->before->ports[i];
		const char *kind = nctl_link_kind_name(&before->link);
		struct nctl_op *lost = &u->lost[u->n_lost++];

		*lost = (struct nctl_op){
			.type = NCTL_OP_LINK_DEL,
			.netns = op->netns,
			.ifindex = before->link.ifindex,
			.kind = before->link.kind ? before->link.kind->name
		                : kind            ? "generic"
		                                  : "physical",
			.name = before->link.name,
			.pos = op->pos,
			.before = before,
		};
		for (int k = 0; k < NCTL_OP_NEEDS; k++)
			lost->need[k] = NCTL_OP_NONE;
	}
}

static bool is_peered(const struct nctl_link *l)
{
	return l->kind && (l->kind->traits & NCTL_KIND_PEERED);
}

/* The deletion of an end of a pair whose other end may be in a namespace that the plan deletes. */
static bool cuts_pair(const struct nctl_op *op)
{
	return op->type == NCTL_OP_LINK_DEL && op->before && nctl_undo_may_have_happened(op) &&
	       is_peered(&op->before->link) && op->before->link.lower_nsid != NCTL_NSID_NONE;
}

/* Looks which namespaces are gone. How many links there were in all that the plan deletes; 0: none was lost.
 */
static size_t count_lost(struct undo *u)
{
	const struct nctl_plan *p = u->p;
	bool lost = false;
	size_t n = 0;

	for (size_t i = 0; i < p->n_ops; i++) {
		struct nctl_plan_netns *netns = &u->b.plan->netns[p->ops[i].netns];

		if (p->ops[i].type == NCTL_OP_NETNS_DEL && p->ops[i].before)
			n += p->ops[i].before->n_ports;
		lost |= cuts_pair(&p->ops[i]);
		if (!is_netns_gone(u, &p->ops[i]))
			continue;
		lost = true;
		netns->there = false;
		netns->have = NULL;
		netns->cookie = 0;
	}
	return lost ? n : 0;
}

/*
 * Namespaces that are gone are made again, first of all. What was in them is listed, and what is in those
 * that were to go, but did not yet: pairs between the two went, too.
 */
static int collect_netns(struct undo *u)
{
	const struct nctl_plan *p = u->p;
	size_t n = count_lost(u);

	u->lost = nctl_arena_alloc(&u->b.plan->arena, (n + 1) * sizeof(*u->lost));
	if (!u->lost || nctl_plan_netns_fresh(&u->b) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < p->n_ops && !u->b.err; i++) {
		if (n && p->ops[i].type == NCTL_OP_NETNS_DEL && p->ops[i].before)
			lose(u, &p->ops[i]);
		if (!is_netns_gone(u, &p->ops[i]))
			continue;
		nctl_plan_enter(&u->b, p->ops[i].netns);
		if (nctl_plan_netns_op(&u->b, NCTL_OP_NETNS_NEW, NCTL_PHASE_NETNS))
			u->b.netns_made[p->ops[i].netns] = nctl_plan_last(&u->b);
		if (!p->ops[i].before)
			nctl_plan_problem(&u->b, NCTL_PROBLEM_CONFLICT, &p->ops[i].pos,
				"namespace %s is made again without what was in it, which is not known",
				p->ops[i].name);
	}
	return u->b.err;
}

static uint64_t ends_hash(nctl_ifindex ifindex, nctl_ifindex other)
{
	return nctl_hash_u64((uint64_t)ifindex << 32 | other);
}

int nctl_undo_collect_gone(struct undo *u)
{
	const struct nctl_plan *p = u->p;
	int r = collect_netns(u);

	u->gone = calloc(p->n_ops + u->n_lost + 1, sizeof(*u->gone));
	if (r < 0 || !u->gone)
		return -ENOMEM;
	for (size_t i = 0; i < p->n_ops; i++)
		if (p->ops[i].type == NCTL_OP_LINK_DEL && p->ops[i].before)
			u->gone[u->n_gone++].op = &p->ops[i];
	for (size_t i = 0; i < u->n_lost; i++)
		u->gone[u->n_gone++].op = &u->lost[i];
	qsort(u->gone, u->n_gone, sizeof(*u->gone), cmp_gone);
	for (size_t i = 0; r >= 0 && i < u->n_gone; i++) {
		const struct nctl_link *l = &u->gone[i].op->before->link;

		if (is_peered(l) && l->lower_nsid != NCTL_NSID_NONE)
			r = nctl_hash_insert(
				&u->by_ends, &u->gone[i].by_ends, ends_hash(l->ifindex, l->lower));
	}
	return r;
}

/* The other end of a pair, or NULL: it is not gone. */
static struct gone *other_end(const struct undo *u, const struct nctl_op *op)
{
	const struct nctl_link *l = &op->before->link;
	struct nctl_hash_node *pos;

	if (l->lower_nsid == NCTL_NSID_NONE)
		return find_gone(u, op->netns, l->lower);
	nctl_hash_for_each_equal(pos, &u->by_ends, ends_hash(l->lower, l->ifindex)) {
		struct gone *g = nctl_container_of(pos, struct gone, by_ends);
		nctl_nsid nsid = g->op->before->link.lower_nsid;

		if (g->op->netns == op->netns)
			continue;
		/* What home calls them is known. */
		if (!op->netns && u->p->netns[g->op->netns].nsid != l->lower_nsid)
			continue;
		if (!g->op->netns && u->p->netns[op->netns].nsid != nsid)
			continue;
		return g;
	}
	return NULL;
}

/* How many of the gone links stand below this one or are its master, itself counted. */
static uint32_t depth_of(const struct undo *u, uint32_t netns, nctl_ifindex ifindex, unsigned limit)
{
	struct gone *g = ifindex && limit ? find_gone(u, netns, ifindex) : NULL;
	const struct nctl_link *l;
	uint32_t lower, master;

	if (!g)
		return 0;
	if (g->depth)
		return g->depth;
	l = &g->op->before->link;
	/* The two ends of a pair name each other, and are made by one message: behind the masters of both. */
	if (is_peered(l)) {
		const struct gone *other = other_end(u, g->op);

		lower = other ? depth_of(u, other->op->netns, other->op->before->link.master, limit - 1) : 0;
	} else {
		lower = l->lower_nsid == NCTL_NSID_NONE ? depth_of(u, netns, l->lower, limit - 1) : 0;
	}
	master = depth_of(u, netns, l->master, limit - 1);
	g->depth = 1 + (lower > master ? lower : master);
	return g->depth;
}

/*
 * What a link is not made with, since it may not be had yet or not be kept: an MTU that its lower has only
 * when its ports are back, and what a bond changes of its ports.
 */
static uint64_t not_at_once(const struct nctl_link *l)
{
	uint64_t mask = 0;

	if (l->kind->traits & NCTL_KIND_LOWER_REQUIRED)
		mask |= NCTL_LINK_BIT(MTU);
	if (l->port_kind && (l->port_kind->traits & NCTL_KIND_PORT_DOWN))
		mask |= NCTL_LINK_BIT(MTU) | NCTL_LINK_BIT(ADDRESS);
	return mask & l->has;
}

/* Of a pair, is it op's message that makes both? Of home, it is that of the other end (plan.h). */
static bool is_first_end(const struct nctl_op *op, const struct nctl_op *other)
{
	if (!op->netns != !other->netns)
		return op->netns;
	return op->ifindex != other->ifindex ? op->ifindex < other->ifindex : op->netns < other->netns;
}

/* One message for both ends; false: it is the other end's. */
static bool pair_again(
	struct undo *u, const struct nctl_op *op, const struct nctl_op *other, struct nctl_want_link *w)
{
	struct nctl_want_link *peer;

	if (!other || !is_first_end(op, other))
		return false;
	peer = nctl_undo_want_before(u, other);
	if (!peer)
		return false;
	w->peer.link = peer;
	w->peer.name = peer->v.name;
	peer->peer.link = w;
	peer->peer.name = w->v.name;
	peer->v.has &= ~not_at_once(&peer->v);
	return true;
}

static void make_again(struct undo *u, const struct nctl_op *op, struct nctl_want_link *w)
{
	const struct nctl_link *l = &op->before->link;
	const struct gone *g = is_peered(l) ? other_end(u, op) : NULL;
	uint32_t nsid = NCTL_OP_NONE;
	struct nctl_op *back;

	if (is_peered(l) && !pair_again(u, op, g ? g->op : NULL, w))
		return; /* made together with the other end */
	w->v.has &= ~not_at_once(l);
	if (g)
		nsid = nctl_plan_nsid(&u->b, op->netns, g->op->netns);
	back = nctl_undo_turn(u, op, NCTL_OP_LINK_NEW, NCTL_PHASE_CREATE);
	if (!back)
		return;
	back->rank = 2 * depth_of(u, op->netns, op->ifindex, DEPTH_MAX);
	back->want = w;
	back->verbatim = true;
	back->lower = g ? 0 : l->lower;
	back->master = l->master;
	back->pair = g;
	back->peer_ifindex = g ? g->op->ifindex : 0;
	back->peer_netns = g ? g->op->netns : 0;
	if (g)
		back->need[0] = nsid;
}

/* What a creating message cannot carry, and whether it is up: before the next one that stands on it is made.
 */
static void tune_again(struct undo *u, const struct nctl_op *op, struct nctl_want_link *w)
{
	const struct nctl_link *l = &op->before->link;
	/* Only links that listen to routers take one. */
	const uint64_t no_token = nctl_prefix_is_unspecified(&l->token) ? NCTL_LINK_BIT(TOKEN) : 0;
	const struct nctl_link_diff late = {
		.common = (l->has & nctl_fields_with(&nctl_link_fields, NCTL_FIELD_LATE) &
				  ~(NCTL_LINK_BIT(ALTNAMES) | NCTL_LINK_BIT(FLAGS) | no_token)) |
	                  NCTL_LINK_BIT(MASTER),
	};
	const struct nctl_link_diff flags = {.common = NCTL_LINK_BIT(FLAGS)},
				    mtu = {.common = NCTL_LINK_BIT(MTU)};
	uint32_t rank = 2 * depth_of(u, op->netns, op->ifindex, DEPTH_MAX) + 1;
	struct nctl_op *back = nctl_undo_set_back(u, op, w, NCTL_PHASE_CREATE, &late);

	if (back)
		back->rank = rank;
	if (not_at_once(l) & NCTL_LINK_BIT(MTU))
		nctl_undo_set_back(u, op, w, NCTL_PHASE_UP, &mtu); /* when its lower has its ports again */
	/* A lower that comes up may take it along: down is said last. */
	back = nctl_undo_set_back(u, op, w, nctl_link_is_up(l) ? NCTL_PHASE_CREATE : NCTL_PHASE_UP, &flags);
	if (back)
		back->rank = rank;
	for (char **a = l->altnames; a && *a; a++) {
		back = nctl_undo_turn(u, op, NCTL_OP_ALTNAME_NEW, NCTL_PHASE_TUNE);
		if (back)
			back->altname = *a;
	}
}

/* Fields of a port that a configuration can set; it has the defaults when it joins. */
static uint64_t port_fields(const struct nctl_link *l)
{
	uint64_t mask = 0;

	for (size_t i = 0; l->port_kind && i < l->port_kind->port.n; i++)
		if (l->port_kind->port.v[i].key)
			mask |= UINT64_C(1) << i;
	return mask & l->port_has;
}

/* Ports that op's link had, and that are in no other one now, come back into it. */
static void take_back_ports(struct undo *u, const struct nctl_op *op)
{
	struct builder *b = &u->b;

	for (size_t i = 0; i < op->before->n_ports; i++) {
		struct nctl_op_before *before = &op->before->ports[i];
		const struct nctl_mirror_link *now = nctl_mirror_link_get(b->have, before->link.ifindex);
		const char *kind = nctl_link_kind_name(&before->link);
		struct nctl_op set = {
			.cls = NCTL_CHANGE_FLAP,
			.netns = op->netns,
			.ifindex = before->link.ifindex,
			.kind = before->link.kind ? before->link.kind->name
		                : kind            ? "generic"
		                                  : "physical",
			.pos = op->pos,
			.before = before,
			.diff = {.common = NCTL_LINK_BIT(MASTER), .port = port_fields(&before->link)},
		};

		if (!now || now->v.master)
			continue;
		set.name = nctl_arena_strdup(&b->plan->arena, before->link.name);
		if (set.name)
			nctl_undo_set(u, &set);
		else
			b->err = -ENOMEM;
	}
}

static void again(struct undo *u, const struct nctl_op *op)
{
	static const struct nctl_wg blank; /* as the kernel makes it */
	struct builder *b = &u->b;
	struct nctl_want_link *w = op->before->link.kind ? nctl_undo_want_before(u, op) : NULL;

	if (!w) {
		nctl_plan_problem(b, NCTL_PROBLEM_CONFLICT, &op->pos,
			"%s is gone, and netctld cannot make links of its kind again", op->name);
		return;
	}
	make_again(u, op, w);
	tune_again(u, op, w);
	nctl_undo_vlans_again(u, op);
	if (op->before->wg)
		nctl_undo_wg_back(u, op, op->before->wg, &blank);
	nctl_undo_addrs_back(u, op, w);
	take_back_ports(u, op);
}

/* Of a deletion of the plan. Of those that come with a namespace, the mirror may not know yet. */
static bool is_still_there(const struct undo *u, const struct nctl_op *op)
{
	const struct nctl_op *first = op->need[0] != NCTL_OP_NONE ? &u->p->ops[op->need[0]] : NULL;
	const struct nctl_plan_netns *netns = &u->b.plan->netns[op->netns];

	if (first && is_netns_gone(u, first))
		return false;
	return netns->there && netns->have && nctl_mirror_link_get(netns->have, op->ifindex);
}

void nctl_undo_del(struct undo *u, const struct nctl_op *op)
{
	nctl_plan_enter(&u->b, op->netns);
	if (op->before && !is_still_there(u, op))
		again(u, op); /* it is gone, be it only along with another */
}

/* Not an operation of the plan, but one of u->lost. */
static bool is_listed(const struct undo *u, const struct nctl_op *op)
{
	return op >= u->lost && op < u->lost + u->n_lost;
}

/* Did it go with its namespace, with the other end of its pair, or with its lower? */
static bool is_lost(const struct undo *u, const struct nctl_op *op, unsigned limit)
{
	const struct nctl_link *l = &op->before->link;
	const struct gone *g;

	if (!is_listed(u, op))
		return !is_still_there(u, op);
	if (u->b.netns_made[op->netns] != NCTL_OP_NONE)
		return true;
	if (is_peered(l)) {
		g = l->lower_nsid != NCTL_NSID_NONE ? other_end(u, op) : NULL;
		if (g && !is_listed(u, g->op))
			return !is_still_there(u, g->op);
		return g && u->b.netns_made[g->op->netns] != NCTL_OP_NONE;
	}
	if (!l->kind || !(l->kind->traits & NCTL_KIND_LOWER_REQUIRED) || l->lower_nsid != NCTL_NSID_NONE)
		return false;
	g = limit ? find_gone(u, op->netns, l->lower) : NULL;
	return g && is_lost(u, g->op, limit - 1);
}

/* Its own addresses come with it. */
static bool is_of_loopback(const struct nctl_addr *a)
{
	static const uint8_t v4[4] = {127, 0, 0, 1}, v6[16] = {[15] = 1};

	return a->local.family == AF_INET ? !memcmp(a->local.addr, v4, sizeof(v4))
	                                  : !memcmp(a->local.addr, v6, sizeof(v6));
}

static void set_loopback(struct undo *u, const struct nctl_op *op)
{
	const struct nctl_link_diff flags = {.common = NCTL_LINK_BIT(FLAGS)};
	struct nctl_want_link *w = nctl_undo_want_before(u, op);

	if (w && nctl_link_is_up(&op->before->link))
		nctl_undo_set_back(u, op, w, NCTL_PHASE_UP, &flags);
	for (size_t i = 0; w && i < op->before->n_addrs; i++)
		if (!is_of_loopback(&op->before->addrs[i]))
			nctl_undo_addr_back(u, op, &op->before->addrs[i], w);
}

void nctl_undo_lost(struct undo *u)
{
	for (size_t i = u->n_lost; i-- > 0 && !u->b.err;) {
		const struct nctl_op *op = &u->lost[i];
		const struct nctl_link *l = &op->before->link;

		if (!is_lost(u, op, DEPTH_MAX))
			continue;
		nctl_plan_enter(&u->b, op->netns);
		if (l->flags & IFF_LOOPBACK)
			set_loopback(u, op);
		else if (l->kind)
			again(u, op);
		else if (nctl_link_kind_name(l))
			nctl_plan_problem(&u->b, NCTL_PROBLEM_CONFLICT, &op->pos,
				"%s is gone with namespace %s, and is not netctld's to make again", op->name,
				u->netns[op->netns].name);
		else
			nctl_plan_problem(&u->b, NCTL_PROBLEM_CONFLICT, &op->pos,
				"%s was in namespace %s, and stays where the kernel has put it", op->name,
				u->netns[op->netns].name);
	}
}
