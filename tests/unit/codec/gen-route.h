/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "codec/route.h"

/* Random routes, next hops, rules and neighbours; what they point to lives in the box, one object at a time.
 */
struct gen_box {
	struct nctl_hop hops[8];
	struct nctl_nexthop_member members[8];
	uint32_t bytes[1024];
	size_t used; /* bytes */
};

void gen_route(struct nctl_route *ret, struct gen_box *box, uint64_t *rng);
void gen_nexthop(struct nctl_nexthop *ret, struct gen_box *box, uint64_t *rng);
void gen_rule(struct nctl_rule *ret, struct gen_box *box, uint64_t *rng);
/* There is no encoder of these in lib: a message of type RTM_NEWNEIGH into msg, and what it should become. */
void gen_neigh(struct nctl_neigh *ret, struct gen_box *box, struct nctl_msgbuf *msg, uint64_t *rng);
