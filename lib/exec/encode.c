/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: one operation of a plan as one rtnetlink message. The only place where plans meet the codec.
 */
#include "exec/private.h"

#include <stdio.h>
#include <string.h>

#include "codec/codec.h"

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
}

void nctl_op_encode(const struct nctl_op *op, struct nctl_msgbuf *msg)
{
	struct nctl_link l, peer;

	switch ((enum nctl_op_type)op->type) {
	case NCTL_OP_LINK_NEW:
		nctl_op_link(op, &l);
		if (op->pair)
			peer_link(op, &peer);
		nctl_link_encode_new(&l, op->pair ? &peer : NULL, msg);
		return;
	case NCTL_OP_LINK_SET:
		nctl_op_link(op, &l);
		nctl_link_encode_set(op->ifindex, &l, &op->diff, msg);
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
	}
}

static void intent(struct nctl_ledger_link *ret, nctl_ifindex ifindex, const char *kind, const char *name)
{
	*ret = (struct nctl_ledger_link){.ifindex = ifindex};
	snprintf(ret->kind, sizeof(ret->kind), "%s", kind);
	snprintf(ret->name, sizeof(ret->name), "%s", name);
}

size_t nctl_op_intents(const struct nctl_op *op, struct nctl_ledger_link ret[2])
{
	if (op->type != NCTL_OP_LINK_NEW)
		return 0;
	intent(&ret[0], op->ifindex, op->kind, op->name);
	if (!op->pair)
		return 1;
	intent(&ret[1], op->peer_ifindex, op->kind, op->want->peer.link->v.name);
	return 2;
}
