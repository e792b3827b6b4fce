/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: routes, next-hop objects, rules and neighbours of a snapshot as records of the journal: numbers, and
 * the kernel's own message about the object.
 */
#include "reconcile/journal.h"

#include <errno.h>
#include <string.h>

#include "codec/route.h"

enum { FIB_ADDED = 1 << 0, FIB_HAS_PRIORITY = 1 << 1 };

struct fib_numbers {
	uint32_t netns, flags, type;
};
/* What the journal calls them. */
enum { FIB_ROUTE = 1, FIB_NEXTHOP, FIB_RULE, FIB_NEIGH };

void nd_journal_put_fib(const struct nctl_snap_fib *f, struct nctl_msgbuf *m, void *userdata,
	void (*put)(void *userdata, const void *numbers, size_t n_numbers, struct nctl_msgbuf *m))
{
	struct fib_numbers v = {.netns = f->netns,
		.flags = (f->added ? FIB_ADDED : 0) | (f->fib->has_priority ? FIB_HAS_PRIORITY : 0)};

	if (f->type == NCTL_OP_ROUTE_NEW) {
		v.type = FIB_ROUTE;
		nctl_route_encode_state(&f->fib->v.route, m);
	} else if (f->type == NCTL_OP_NEXTHOP_NEW) {
		v.type = FIB_NEXTHOP;
		nctl_nexthop_encode_state(&f->fib->v.nexthop, m);
	} else if (f->type == NCTL_OP_RULE_NEW) {
		v.type = FIB_RULE;
		nctl_rule_encode_state(&f->fib->v.rule, m);
	} else {
		v.type = FIB_NEIGH;
		nctl_neigh_encode_new(&f->fib->v.neigh, m);
	}
	put(userdata, &v, sizeof(v), m);
}

static int decode(
	const struct nlmsghdr *nlh, uint32_t type, struct nctl_route_scratch *s, struct nctl_op_fib *ret)
{
	if (type == FIB_ROUTE)
		return nctl_route_decode(nlh, s, &ret->v.route);
	if (type == FIB_NEXTHOP)
		return nctl_nexthop_decode(nlh, s, &ret->v.nexthop);
	if (type == FIB_RULE)
		return nctl_rule_decode(nlh, s, &ret->v.rule);
	return type == FIB_NEIGH ? nctl_neigh_decode(nlh, s, &ret->v.neigh) : -EBADMSG;
}

int nd_journal_read_fib(struct nctl_snapshot *s, const char *p, size_t len)
{
	static const uint8_t types[] = {[FIB_ROUTE] = NCTL_OP_ROUTE_NEW,
		[FIB_NEXTHOP] = NCTL_OP_NEXTHOP_NEW,
		[FIB_RULE] = NCTL_OP_RULE_NEW,
		[FIB_NEIGH] = NCTL_OP_NEIGH_NEW};
	struct nctl_route_scratch scratch = NCTL_ROUTE_SCRATCH_INIT;
	struct nctl_op_fib fib = {0};
	const struct nlmsghdr *nlh;
	struct fib_numbers v;
	int r;

	if (!s || len < sizeof(v) + sizeof(*nlh))
		return -EBADMSG;
	memcpy(&v, p, sizeof(v));
	nlh = (const void *)(p + sizeof(v));
	if (nlh->nlmsg_len < sizeof(*nlh) || nlh->nlmsg_len > len - sizeof(v) || v.netns >= s->n_netns)
		return -EBADMSG;
	r = decode(nlh, v.type, &scratch, &fib);
	fib.has_priority = v.flags & FIB_HAS_PRIORITY;
	if (r == 0)
		r = nctl_snapshot_add_fib(s, &(struct nctl_snap_fib){.netns = v.netns,
						     .type = types[v.type],
						     .added = v.flags & FIB_ADDED,
						     .fib = &fib});
	nctl_route_scratch_fini(&scratch);
	return r > 0 ? -EBADMSG : r;
}
