/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: who is a port of whom, and who stands on whom. Each link is in the list `ports` of its master and in
 * the list `uppers` of its lower. The kernel's dumps have no useful order, and a master in teardown may go
 * before its ports' last messages: a link named by others that is not here is a ghost, which keeps the two
 * lists until it arrives. A ghost with two empty lists is freed at once. So all of it is O(1) a link, in any
 * order of arrival.
 */
#include "mirror/private.h"

#include <errno.h>
#include <stdlib.h>

struct ghost {
	struct nctl_hash_node by_index;
	nctl_ifindex ifindex;
	struct nctl_list ports, uppers;
};

static struct ghost *ghost_find(const struct nctl_mirror *m, nctl_ifindex ifindex)
{
	struct nctl_hash_node *n;

	nctl_hash_for_each_equal(n, &m->ghosts, nctl_hash_u64(ifindex)) {
		struct ghost *g = nctl_container_of(n, struct ghost, by_index);

		if (g->ifindex == ifindex)
			return g;
	}
	return NULL;
}

static int ghost_make(struct nctl_mirror *m, nctl_ifindex ifindex)
{
	struct ghost *g;
	int r;

	if (ghost_find(m, ifindex))
		return 0;
	g = calloc(1, sizeof(*g));
	if (!g)
		return -ENOMEM;
	g->ifindex = ifindex;
	nctl_list_init(&g->ports);
	nctl_list_init(&g->uppers);
	r = nctl_hash_insert(&m->ghosts, &g->by_index, nctl_hash_u64(ifindex));
	if (r < 0)
		free(g);
	return r;
}

static void ghost_release(struct nctl_mirror *m, nctl_ifindex ifindex)
{
	struct ghost *g = ghost_find(m, ifindex);

	if (!g || !nctl_list_empty(&g->ports) || !nctl_list_empty(&g->uppers))
		return;
	nctl_hash_remove(&m->ghosts, &g->by_index);
	free(g);
}

/* The lower link in this namespace, 0 none: an index in another one says nothing here. */
static nctl_ifindex lower_here(const struct nctl_link *v)
{
	return v->lower_nsid == NCTL_NSID_NONE ? v->lower : 0;
}

static int reserve_one(struct nctl_mirror *m, nctl_ifindex ifindex)
{
	return !ifindex || nctl_mirror_link_lookup(m, ifindex) ? 0 : ghost_make(m, ifindex);
}

int nctl_relation_reserve(struct nctl_mirror *m, const struct nctl_link *v)
{
	int r = reserve_one(m, v->master);

	if (r >= 0)
		r = reserve_one(m, lower_here(v));
	if (r < 0) {
		ghost_release(m, v->master);
		ghost_release(m, lower_here(v));
	}
	return r;
}

void nctl_relation_link(struct nctl_mirror *m, struct nctl_mirror_link *l)
{
	nctl_ifindex master = l->v.master, lower = lower_here(&l->v);

	if (master) {
		struct nctl_mirror_link *to = nctl_mirror_link_lookup(m, master);

		nctl_list_add_tail(to ? &to->ports : &ghost_find(m, master)->ports, &l->in_master);
	}
	if (lower) {
		struct nctl_mirror_link *to = nctl_mirror_link_lookup(m, lower);

		nctl_list_add_tail(to ? &to->uppers : &ghost_find(m, lower)->uppers, &l->in_lower);
	}
}

void nctl_relation_repair(struct nctl_mirror *m, struct nctl_mirror_link *l)
{
	bool lost_master = l->v.master && !nctl_list_linked(&l->in_master);
	bool lost_lower = lower_here(&l->v) && !nctl_list_linked(&l->in_lower);

	if ((!lost_master && !lost_lower) || nctl_relation_reserve(m, &l->v) < 0)
		return;
	nctl_list_del(&l->in_master);
	nctl_list_del(&l->in_lower);
	nctl_relation_link(m, l);
}

void nctl_relation_forget(struct nctl_mirror *m, const struct nctl_link *old)
{
	ghost_release(m, old->master);
	ghost_release(m, lower_here(old));
}

void nctl_relation_unlink(struct nctl_mirror *m, struct nctl_mirror_link *l)
{
	nctl_list_del(&l->in_master);
	nctl_list_del(&l->in_lower);
	nctl_relation_forget(m, &l->v);
}

void nctl_relation_arrive(struct nctl_mirror *m, struct nctl_mirror_link *l)
{
	struct ghost *g = ghost_find(m, l->v.ifindex);

	if (!g)
		return;
	nctl_list_splice_tail(&l->ports, &g->ports);
	nctl_list_splice_tail(&l->uppers, &g->uppers);
	ghost_release(m, l->v.ifindex);
}

static void abandon(struct nctl_list *head)
{
	struct nctl_list *n;

	while ((n = nctl_list_first(head)))
		nctl_list_del(n);
}

void nctl_relation_leave(struct nctl_mirror *m, struct nctl_mirror_link *l)
{
	struct ghost *g;

	if (nctl_list_empty(&l->ports) && nctl_list_empty(&l->uppers))
		return;
	if (ghost_make(m, l->v.ifindex) < 0) {
		/* They are in no list until their next message (nctl_relation_repair): never dangling. */
		abandon(&l->ports);
		abandon(&l->uppers);
		return;
	}
	g = ghost_find(m, l->v.ifindex);
	nctl_list_splice_tail(&g->ports, &l->ports);
	nctl_list_splice_tail(&g->uppers, &l->uppers);
}

void nctl_relation_fini(struct nctl_mirror *m)
{
	struct nctl_hash_iter it;
	struct nctl_hash_node *n;

	nctl_hash_iter_init(&it, &m->ghosts);
	while ((n = nctl_hash_iter_next(&it)))
		free(nctl_container_of(n, struct ghost, by_index));
	nctl_hash_fini(&m->ghosts);
}
