/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <linux/netlink.h>

#include "codec/codec.h"
#include "nl/msg.h"
#include "obj/neigh.h"
#include "obj/nexthop.h"
#include "obj/route.h"
#include "obj/rule.h"

/*
 * Messages of routes, next hops, rules and neighbours to values and back. Values borrow from the message (and
 * from the scratch), and are dead with the next decode into that scratch. Decoders trust nothing: 0,
 * NCTL_CODEC_SKIP (another type or a family that is none of ours), -EBADMSG, -ENOMEM.
 */

/* Room for hops and members, which grows. One for each thread that decodes. */
struct nctl_route_scratch {
	struct nctl_hop *hops;
	size_t n_hops;
	struct nctl_nexthop_member *members;
	size_t n_members;
	uint8_t *rest; /* unknown attributes, gathered */
	size_t n_rest;
};
#define NCTL_ROUTE_SCRATCH_INIT ((struct nctl_route_scratch){0})
void nctl_route_scratch_fini(struct nctl_route_scratch *s);

int nctl_route_decode(const struct nlmsghdr *nlh, struct nctl_route_scratch *s, struct nctl_route *ret);
int nctl_nexthop_decode(const struct nlmsghdr *nlh, struct nctl_route_scratch *s, struct nctl_nexthop *ret);
int nctl_rule_decode(const struct nlmsghdr *nlh, struct nctl_route_scratch *s, struct nctl_rule *ret);
int nctl_neigh_decode(const struct nlmsghdr *nlh, struct nctl_route_scratch *s, struct nctl_neigh *ret);

/*
 * An object as the kernel itself would send it (RTM_NEW*, no NLM_F_CREATE), state and rest included: what
 * verify compares, attribute by attribute, with what the kernel sends now. Volatile members are left out.
 */
void nctl_route_encode_state(const struct nctl_route *r, struct nctl_msgbuf *msg);
void nctl_nexthop_encode_state(const struct nctl_nexthop *n, struct nctl_msgbuf *msg);
void nctl_rule_encode_state(const struct nctl_rule *r, struct nctl_msgbuf *msg);
/*
 * Requests. nlm_flags: NLM_F_CREATE and what goes with it (rtnetlink(7)). State of links and drivers is left out, and
 * the hops of what has a next-hop object. A deletion names all that the kernel compares, the protocol too, so that it
 * never takes one that is only alike.
 */
void nctl_route_encode_new(const struct nctl_route *r, uint16_t nlm_flags, struct nctl_msgbuf *msg);
void nctl_route_encode_del(const struct nctl_route *r, struct nctl_msgbuf *msg);
void nctl_nexthop_encode_new(const struct nctl_nexthop *n, uint16_t nlm_flags, struct nctl_msgbuf *msg);
void nctl_nexthop_encode_del(nctl_nhid id, struct nctl_msgbuf *msg);
/* has_priority: or else the kernel chooses one. */
void nctl_rule_encode_new(const struct nctl_rule *r, bool has_priority, struct nctl_msgbuf *msg);
void nctl_rule_encode_del(const struct nctl_rule *r, bool has_priority, struct nctl_msgbuf *msg);
/* A neighbour or a proxy, in the place of one of that address. */
void nctl_neigh_encode_new(const struct nctl_neigh *n, struct nctl_msgbuf *msg);
void nctl_neigh_encode_del(const struct nctl_neigh *n, struct nctl_msgbuf *msg);

void nctl_addr_encode_state(const struct nctl_addr *a, struct nctl_msgbuf *msg);
void nctl_link_encode_state(const struct nctl_link *l, struct nctl_msgbuf *msg);
