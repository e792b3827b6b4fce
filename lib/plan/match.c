/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: definitions with `match`: which devices they are about is known when there is a mirror. Before
 * anything is planned, each becomes one wanted link for each device that fits, all of it in a copy of the
 * want: the planner then knows of no matching but for the ifindex that such a link has. A definition that
 * fits nothing waits. What is defined by its name is never matched.
 */
#include "plan/match.h"

#include <errno.h>
#include <fnmatch.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#include "plan/parts.h"

bool nctl_match_is_physical(const struct nctl_link *l)
{
	return !nctl_link_kind_name(l) && !(l->flags & IFF_LOOPBACK);
}

static bool fits_driver(
	const struct nctl_want_match *m, const struct nctl_link *l, const struct nctl_hash *drivers)
{
	const char *driver = NULL;
	struct nctl_hash_node *pos;

	if (!m->n_drivers)
		return true;
	if (!drivers)
		return false;
	nctl_hash_for_each_equal(pos, drivers, nctl_hash_u64(l->ifindex)) {
		const struct nctl_driver_of *d = nctl_container_of(pos, struct nctl_driver_of, node);

		if (d->ifindex == l->ifindex)
			driver = d->driver;
	}
	for (size_t i = 0; driver && i < m->n_drivers; i++)
		if (!fnmatch(m->drivers[i], driver, 0))
			return true;
	return false;
}

/* The burnt-in address; of a device that has none, the one that it has now. */
static bool fits_address(const struct nctl_want_match *m, const struct nctl_link *l)
{
	return !m->address.len ||
	       nctl_lladdr_equal(&m->address, l->perm_address.len ? &l->perm_address : &l->address);
}

bool nctl_match_fits(
	const struct nctl_want_match *m, const struct nctl_link *l, const struct nctl_hash *drivers)
{
	/* What has its new name already has lost the old one. */
	bool named =
		!m->name || !fnmatch(m->name, l->name, 0) || (m->set_name && !strcmp(m->set_name, l->name));

	return nctl_match_is_physical(l) && named && fits_address(m, l) && fits_driver(m, l, drivers);
}

struct binding {
	struct builder *b;
	struct nctl_want *to;
	size_t cap;
	uint32_t *count; /* by number: how many devices it has */
};

static int put_link(struct binding *g, struct nctl_want_link *l)
{
	struct nctl_want *to = g->to;

	if (to->n_links == g->cap) {
		size_t cap = g->cap * 2 + 16;
		struct nctl_want_link **v =
			nctl_arena_alloc(&to->arena, cap * sizeof(struct nctl_want_link *));

		if (!v)
			return -ENOMEM;
		if (to->n_links)
			memcpy((void *)v, (const void *)to->links,
				to->n_links * sizeof(struct nctl_want_link *));
		to->links = v;
		g->cap = cap;
	}
	l->number = (uint32_t)to->n_links;
	to->links[to->n_links++] = l;
	return 0;
}

static struct nctl_want_link *copy_link(struct binding *g, const struct nctl_want_link *l)
{
	struct nctl_want_link *copy = nctl_arena_alloc(&g->to->arena, sizeof(*copy));

	if (!copy)
		return NULL;
	*copy = *l;
	copy->from = l;
	return copy;
}

/* Is it defined by a name of its own? */
static bool is_named(const struct nctl_want *want, uint32_t netns, const struct nctl_link *l)
{
	const struct nctl_want_link *w = nctl_want_find(want, netns, l->name);

	if (w && !w->match)
		return true;
	for (char **a = l->altnames; a && *a; a++) {
		w = nctl_want_find(want, netns, *a);
		if (w && !w->match)
			return true;
	}
	return false;
}

/* Another definition came first. */
static const struct nctl_want_link *taken_by(const struct binding *g, uint32_t netns, nctl_ifindex ifindex)
{
	for (size_t i = 0; i < g->to->n_links; i++) {
		const struct nctl_want_link *l = g->to->links[i];

		if (l->match && l->netns->number == netns && l->ifindex == ifindex)
			return l;
	}
	return NULL;
}

/* w is about l. */
static int bind_one(struct binding *g, const struct nctl_want_link *w, const struct nctl_link *l)
{
	struct nctl_want_link *first = g->to->links[w->number], *bound = first;
	int r = 0;

	if (g->count[w->number]++) {
		bound = copy_link(g, w);
		r = bound ? put_link(g, bound) : -ENOMEM;
	}
	if (r < 0)
		return r;
	bound->ifindex = l->ifindex;
	bound->absent = false;
	memcpy(bound->v.name, l->name, sizeof(l->name));
	return 0;
}

/* The next device from l on that w is about, unless another definition has it. */
static const struct nctl_mirror_link *next_fit(
	struct binding *g, const struct nctl_want_link *w, const struct nctl_mirror_link *l)
{
	const struct nctl_plan_netns *n = &g->b->plan->netns[w->netns->number];

	for (; l; l = nctl_mirror_link_next(l)) {
		const struct nctl_want_link *other;

		if (!nctl_match_fits(w->match, &l->v, n->drivers) ||
			is_named(g->b->want, w->netns->number, &l->v))
			continue;
		other = taken_by(g, w->netns->number, l->v.ifindex);
		if (!other)
			return l;
		nctl_plan_problem(g->b, NCTL_PROBLEM_WAIT, &w->pos,
			"%s leaves %s alone, which %s matches as well", w->def->label, l->v.name,
			other->def->label);
	}
	return NULL;
}

/* A name is for one device: the one that has it, or else the only one that fits. */
static int bind_name(struct binding *g, const struct nctl_want_link *w, const struct nctl_mirror *m)
{
	const struct nctl_want_match *match = w->match;
	const struct nctl_mirror_link *l = next_fit(g, w, nctl_mirror_link_from(m, 1)), *second;
	const struct nctl_mirror_link *holder = nctl_mirror_link_find(m, match->set_name);
	int r;

	if (holder && !strcmp(holder->v.name, match->set_name) && next_fit(g, w, holder) == holder)
		l = holder;
	else if (l && (second = next_fit(g, w, nctl_mirror_link_next(l)))) {
		nctl_plan_problem(g->b, NCTL_PROBLEM_WAIT, &match->set_name_pos,
			"%s waits, since %s and %s both fit, and only one can be named %s", w->def->label,
			l->v.name, second->v.name, match->set_name);
		l = NULL;
	}
	r = l ? bind_one(g, w, &l->v) : 0;
	if (l && r >= 0)
		strcpy(g->to->links[w->number]->v.name, match->set_name);
	return r;
}

static int bind_link(struct binding *g, const struct nctl_want_link *w)
{
	const struct nctl_plan_netns *n = &g->b->plan->netns[w->netns->number];
	const struct nctl_mirror_link *l;
	int r = 0;

	g->to->links[w->number]->absent = true;
	if (!n->there || !n->have)
		return 0;
	if (w->match->set_name)
		return bind_name(g, w, n->have);
	for (l = next_fit(g, w, nctl_mirror_link_from(n->have, 1)); r >= 0 && l;
		l = next_fit(g, w, nctl_mirror_link_next(l)))
		r = bind_one(g, w, &l->v);
	return r;
}

/* The wanted link that stands for the one that was referred to, in to. */
static void point(struct binding *g, struct nctl_want_link *from, struct nctl_want_ref *ref, bool one)
{
	if (!ref->link)
		return;
	if (one && ref->link->match && g->count[ref->link->number] > 1) {
		nctl_plan_problem(g->b, NCTL_PROBLEM_WAIT, &ref->pos,
			"%s waits: %s stands for %u devices, and it needs one", from->def->label, ref->name,
			g->count[ref->link->number]);
		from->stuck = true;
	}
	ref->link = g->to->links[ref->link->number];
}

static int point_ports(struct binding *g, struct nctl_want_link *l)
{
	struct nctl_want_port_ref *ref = l->port_refs, **at = &l->port_refs;

	for (; ref; ref = ref->next) {
		struct nctl_want_port_ref *copy = nctl_arena_alloc(&g->to->arena, sizeof(*copy));

		if (!copy)
			return -ENOMEM;
		*copy = *ref;
		point(g, l, &copy->port, true);
		*at = copy;
		at = &copy->next;
	}
	return 0;
}

static int bind_all(struct binding *g)
{
	const struct nctl_want *from = g->b->want;
	int r = 0;

	for (size_t i = 0; r >= 0 && i < from->n_links; i++) {
		struct nctl_want_link *copy = copy_link(g, from->links[i]);

		r = copy ? put_link(g, copy) : -ENOMEM;
	}
	for (size_t i = 0; r >= 0 && i < from->n_links; i++)
		if (from->links[i]->match)
			r = bind_link(g, from->links[i]);
	for (size_t i = 0; r >= 0 && i < g->to->n_links; i++) {
		struct nctl_want_link *l = g->to->links[i];

		point(g, l, &l->lower, true);
		point(g, l, &l->master, false);
		point(g, l, &l->peer, false);
		r = point_ports(g, l);
	}
	return r;
}

int nctl_plan_bind(struct builder *b)
{
	const struct nctl_want_link *twice;
	struct binding g = {.b = b};
	bool any = false;
	int r;

	for (size_t i = 0; !any && i < b->want->n_links; i++)
		any = b->want->links[i]->match;
	if (!any)
		return 0;
	g.to = b->plan->bound = nctl_want_new();
	g.count = calloc(b->want->n_links, sizeof(*g.count));
	if (!g.to || !g.count) {
		free(g.count);
		return -ENOMEM;
	}
	g.to->netns = b->want->netns;
	g.to->n_netns = b->want->n_netns;
	r = bind_all(&g);
	free(g.count);
	if (r >= 0)
		r = nctl_want_seal(g.to, &twice);
	if (r >= 0)
		b->want = g.to;
	return r < 0 ? r : b->err;
}
