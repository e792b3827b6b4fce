/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "plan/parts.h"

/* What undo.c and again.c share while one plan back is built; nobody else includes it. */

/* A link that went with the plan, or with a namespace that it deleted: what is made again needs others of
 * them before. */
struct gone {
	struct nctl_hash_node by_ends; /* of pairs over two namespaces */
	const struct nctl_op *op; /* that deleted it: of the plan, or one that stands for it (netns_lost) */
	uint32_t depth;           /* 0: not known yet */
};

/* In CREATE, before anything is made. */
enum { RANK_FIELDS, RANK_UP };

struct undo {
	struct builder b;
	const struct nctl_plan *p;
	const struct nctl_want_netns *netns; /* by number: what wanted links that stand for old ones are in */
	bool *made;                          /* by number: the plan made it; so it goes, with all in it */
	struct gone *gone;                   /* by namespace and ifindex */
	size_t n_gone;
	struct nctl_hash by_ends;
	struct nctl_op
		*lost; /* for each link that may have gone with a namespace, as if the plan had deleted it */
	size_t n_lost;
};

/* undo.c: operations that turn op round; each in the namespace of op. */
bool nctl_undo_may_have_happened(const struct nctl_op *op);
struct nctl_op *nctl_undo_turn(
	struct undo *u, const struct nctl_op *op, enum nctl_op_type type, enum nctl_phase phase);
struct nctl_want_link *nctl_undo_want_before(struct undo *u, const struct nctl_op *op);
struct nctl_op *nctl_undo_set_back(struct undo *u, const struct nctl_op *op, struct nctl_want_link *w,
	enum nctl_phase phase, const struct nctl_link_diff *d);
void nctl_undo_addr_back(
	struct undo *u, const struct nctl_op *op, const struct nctl_addr *a, struct nctl_want_link *w);
void nctl_undo_addrs_back(struct undo *u, const struct nctl_op *op, struct nctl_want_link *w);
/* Keys and peers to what they were, from what they are now. */
void nctl_undo_wg_back(
	struct undo *u, const struct nctl_op *op, const struct nctl_wg *wg, const struct nctl_wg *now);
void nctl_undo_set(struct undo *u, const struct nctl_op *op);

/* undo-fib.c: of routes, next hops and rules, and those that op took along. */
void nctl_undo_fib(struct undo *u, const struct nctl_op *op);
/* undo-vlans.c: of a VLANS_ADD or VLANS_DEL; the whole list of a link that comes back, or is back in its
 * bridge. */
void nctl_undo_vlans(struct undo *u, const struct nctl_op *op);
void nctl_undo_vlans_again(struct undo *u, const struct nctl_op *op);

/* again.c: finds what is gone, and makes namespaces again. 0 or -ENOMEM. */
int nctl_undo_collect_gone(struct undo *u);
/* Makes the link of a LINK_DEL again. */
void nctl_undo_del(struct undo *u, const struct nctl_op *op);
/* The links in namespaces that are made again. */
void nctl_undo_lost(struct undo *u);
