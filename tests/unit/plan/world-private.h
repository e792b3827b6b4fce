/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "base/strbuf.h"
#include "world.h"

/* What the files of a world share. */

struct world_netns *world_new_netns(struct world *w, const char *name); /* empty */
void world_free_netns(struct world_netns *n);
int world_cmp_name(const void *x, const void *y); /* pointers to struct world_netns */
/* The namespace that `in` knows by that nsid. */
struct world_netns *world_by_nsid(const struct world *w, struct world_netns *in, nctl_nsid nsid);
void world_own_link(struct world_netns *n, nctl_ifindex ifindex, const struct nctl_link *l, bool adopted);
void world_apply_op(struct world *w, const struct nctl_op *op);
/* The same for routes, next hops and rules (world-fib.c). */
void world_apply_fib(struct world *w, const struct nctl_op *op);
void world_print_fib(struct nctl_strbuf *b, const struct nctl_op *op, const char *here);
/* All routes, next hops and rules, a line each. */
void world_dump_fib(struct nctl_strbuf *b, const struct nctl_mirror *m);
