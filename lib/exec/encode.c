/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: one operation of a plan as one rtnetlink message. The only place where plans meet the codec.
 */
#include "exec/private.h"

#include <linux/if_link.h>
#include <stdio.h>
#include <string.h>

#include "codec/route.h"
#include "plan/op-fib.h"

/* The other end of a pair: its own wanted fields, and the index that it will have. */
static void peer_link(const struct nctl_op *op, struct nctl_link *ret)
{
	*ret = op->want->peer.link->v;
	ret->ifindex = op->peer_ifindex;
	ret->has |= NCTL_LINK_BIT(NAME);
}

static void encode_addr(const struct nctl_op *op, struct nctl_msgbuf *msg)
{
	struct nctl_addr a = op->want_addr->v;

	a.ifindex = op->ifindex;
	if (!op->verbatim)
		a.proto = NCTL_PROTO;
	nctl_addr_encode_new(&a, msg);
	if (op->nlm_flags)
		nctl_msg_set_flags(msg, op->nlm_flags);
}

/*
 * A pair of two namespaces is made in that of the second end: the first one is what the message describes,
 * for a namespace that is named by its nsid; the second one, behind VETH_INFO_PEER, can only be named by a
 * descriptor, or be made where the message arrives (drivers/net/veth.c veth_newlink).
 */
static bool is_abroad(const struct nctl_op *op)
{
	return op->pair && op->netns != op->peer_netns;
}

uint32_t nctl_op_carrier(const struct nctl_op *op)
{
	return is_abroad(op) ? op->peer_netns : op->netns;
}

/* The nsid by which the carrier knows the namespace of op, or the one that it moves to. */
static nctl_nsid nsid_at_carrier(const struct nctl_plan *p, const struct nctl_op *op)
{
	if (op->moves && !op->netns)
		return p->netns[op->peer_netns].nsid;
	if (!op->moves && !op->peer_netns)
		return p->netns[op->netns].nsid;
	for (int i = 0; i < NCTL_OP_NEEDS; i++)
		if (op->need[i] != NCTL_OP_NONE && p->ops[op->need[i]].type == NCTL_OP_NETNS_ID)
			return p->ops[op->need[i]].nsid;
	return NCTL_NSID_NONE; /* which the kernel refuses */
}

static void encode_new(const struct nctl_plan *p, const struct nctl_op *op, struct nctl_msgbuf *msg)
{
	struct nctl_link l, peer;

	nctl_op_link(op, &l);
	if (op->pair)
		peer_link(op, &peer);
	nctl_link_encode_new(&l, op->pair ? &peer : NULL, msg);
	if (is_abroad(op))
		nctl_msg_put_u32(msg, IFLA_TARGET_NETNSID, (uint32_t)nsid_at_carrier(p, op));
}

void nctl_op_encode(const struct nctl_plan *p, const struct nctl_op *op, struct nctl_msgbuf *msg)
{
	struct nctl_link l;

	switch ((enum nctl_op_type)op->type) {
	case NCTL_OP_LINK_NEW:
		encode_new(p, op, msg);
		return;
	case NCTL_OP_LINK_SET:
		nctl_op_link(op, &l);
		nctl_link_encode_set(op->ifindex, &l, &op->diff, msg);
		if (op->moves)
			nctl_msg_put_u32(msg, IFLA_TARGET_NETNSID, (uint32_t)nsid_at_carrier(p, op));
		return;
	case NCTL_OP_LINK_DEL:
		nctl_link_encode_del(op->ifindex, msg);
		return;
	case NCTL_OP_ALTNAME_NEW:
	case NCTL_OP_ALTNAME_DEL:
		nctl_link_encode_altname(op->ifindex, op->altname, op->type == NCTL_OP_ALTNAME_NEW, msg);
		return;
	case NCTL_OP_ADDR_NEW:
		encode_addr(op, msg);
		return;
	case NCTL_OP_ADDR_DEL:
		nctl_addr_encode_del(op->addr, msg);
		return;
	case NCTL_OP_ROUTE_NEW:
		nctl_route_encode_new(&op->fib->v.route, op->fib->nlm_flags, msg);
		return;
	case NCTL_OP_ROUTE_DEL:
		nctl_route_encode_del(&op->fib->v.route, msg);
		return;
	case NCTL_OP_NEXTHOP_NEW:
		nctl_nexthop_encode_new(&op->fib->v.nexthop, op->fib->nlm_flags, msg);
		return;
	case NCTL_OP_NEXTHOP_DEL:
		nctl_nexthop_encode_del(op->fib->v.nexthop.id, msg);
		return;
	case NCTL_OP_RULE_NEW:
		nctl_rule_encode_new(&op->fib->v.rule, op->fib->has_priority, msg);
		return;
	case NCTL_OP_RULE_DEL:
		nctl_rule_encode_del(&op->fib->v.rule, !p->script || op->fib->has_priority, msg);
		return;
	case NCTL_OP_NEIGH_NEW:
		nctl_neigh_encode_new(&op->fib->v.neigh, msg);
		if (op->nlm_flags)
			nctl_msg_set_flags(msg, op->nlm_flags);
		return;
	case NCTL_OP_NEIGH_DEL:
		nctl_neigh_encode_del(&op->fib->v.neigh, msg);
		return;
	case NCTL_OP_VLANS_ADD:
	case NCTL_OP_VLANS_DEL:
		nctl_bridge_vlans_encode(
			op->ifindex, op->self, op->vlans, op->type == NCTL_OP_VLANS_ADD, msg);
		return;
	case NCTL_OP_NETNS_NEW:
	case NCTL_OP_NETNS_DEL:
	case NCTL_OP_NETNS_ID:
	case NCTL_OP_SYSCTL_SET:
	case NCTL_OP_ETHTOOL_SET:
	case NCTL_OP_WG_SET:
		return;
	}
}

static void intent(
	struct nctl_intent *ret, uint64_t cookie, nctl_ifindex ifindex, const char *kind, const char *name)
{
	*ret = (struct nctl_intent){.cookie = cookie, .link = {.ifindex = ifindex}};
	snprintf(ret->link.kind, sizeof(ret->link.kind), "%s", kind);
	snprintf(ret->link.name, sizeof(ret->link.name), "%s", name);
}

size_t nctl_op_intents(const struct nctl_plan *p, const struct nctl_op *op, struct nctl_intent ret[2])
{
	if (op->type != NCTL_OP_LINK_NEW || p->script)
		return 0;
	intent(&ret[0], p->netns[op->netns].cookie, op->ifindex, op->kind, op->name);
	if (!op->pair)
		return 1;
	intent(&ret[1], p->netns[op->peer_netns].cookie, op->peer_ifindex, op->kind,
		op->want->peer.link->v.name);
	return 2;
}
