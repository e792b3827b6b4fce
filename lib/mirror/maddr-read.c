/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: what was read back, laid over what follows from links and addresses. An entry that was read back stays
 * until a later reading lacks it, though who wanted it may be gone: until then nobody can know. Called by the
 * daemon, a number of lines a turn.
 */
#include "mirror/maddr-private.h"

#include <stdlib.h>
#include <sys/socket.h>

static struct nctl_maddr_group *group_of(const struct nctl_rb_node *n)
{
	return n ? nctl_container_of(n, struct nctl_maddr_group, node) : NULL;
}

static int cmp_group_key(const void *key, const struct nctl_rb_node *n)
{
	return nctl_prefix_cmp(key, &group_of(n)->group);
}

struct nctl_maddr_group *nctl_maddr_group_find(
	const struct nctl_maddr_link *l, const struct nctl_prefix *group)
{
	return group_of(nctl_rb_find(&l->groups, group, cmp_group_key));
}

static int cmp_group(const struct nctl_rb_node *a, const struct nctl_rb_node *b)
{
	return cmp_group_key(&group_of(a)->group, b);
}

void nctl_maddrs_read_begin(struct nctl_maddrs *s)
{
	nctl_genset_begin(&s->seen_macs);
	nctl_genset_begin(&s->seen_groups);
}

static void read_mac(struct nctl_maddrs *s, struct nctl_maddr_link *l, const struct nctl_maddr_line *line)
{
	const struct nctl_maddr_want who = {.by = NCTL_MADDR_STATIC};
	struct nctl_maddr_mac *e = nctl_maddr_mac_make(s, l, &line->mac);

	if (!e)
		return;
	if (e->seen.gen)
		nctl_genset_touch(&s->seen_macs, &e->seen);
	else
		nctl_genset_add(&s->seen_macs, &e->seen);
	e->users = line->users;
	if (e->is_static != line->is_static) {
		e->is_static = line->is_static;
		if (e->is_static)
			nctl_maddr_want(s, l, &line->mac, &who);
		else
			nctl_maddr_unwant(s, l, &line->mac, &who);
	}
	nctl_maddr_queue(s, e);
}

static struct nctl_maddr_group *group_make(
	struct nctl_maddrs *s, struct nctl_maddr_link *l, const struct nctl_prefix *group)
{
	struct nctl_maddr_group *g = nctl_maddr_group_find(l, group);

	if (g) {
		nctl_genset_touch(&s->seen_groups, &g->seen);
		return g;
	}
	g = calloc(1, sizeof(*g));
	if (!g) {
		s->incomplete = true;
		return NULL;
	}
	g->link = l;
	g->group = *group;
	nctl_genset_add(&s->seen_groups, &g->seen);
	nctl_rb_insert(&l->groups, &g->node, cmp_group);
	return g;
}

static void read_group(struct nctl_maddrs *s, struct nctl_maddr_link *l, const struct nctl_maddr_line *line)
{
	const struct nctl_maddr_want who = {.by = NCTL_MADDR_GROUP, .group = line->group};
	struct nctl_maddr_group *g = group_make(s, l, &line->group);
	bool wants = l->ethernet && line->loaded;
	struct nctl_lladdr mac;

	if (!g)
		return;
	g->users = line->users;
	/* The kernel does not say it of IPv4: down, none are with the device (ip_mc_down). */
	if (line->group.family == AF_INET)
		wants &= l->up;
	if (g->wants == wants || !nctl_maddr_of_group(&g->group, &mac))
		return;
	g->wants = wants;
	if (wants)
		nctl_maddr_want(s, l, &mac, &who);
	else
		nctl_maddr_unwant(s, l, &mac, &who);
}

void nctl_maddrs_read_line(struct nctl_maddrs *s, const struct nctl_maddr_line *line)
{
	struct nctl_maddr_link *l = nctl_maddr_link_find(s, line->ifindex);

	if (!l || !l->here)
		return;
	if (line->group.family)
		read_group(s, l, line);
	else
		read_mac(s, l, line);
	nctl_maddr_settle(s);
}

bool nctl_maddrs_read_end(struct nctl_maddrs *s, size_t budget)
{
	const struct nctl_maddr_want who = {.by = NCTL_MADDR_STATIC};
	struct nctl_genset_node *n;

	for (; budget && (n = nctl_genset_stale(&s->seen_groups)); budget--)
		nctl_maddr_group_free(s, nctl_container_of(n, struct nctl_maddr_group, seen));
	for (; budget && (n = nctl_genset_stale(&s->seen_macs)); budget--) {
		struct nctl_maddr_mac *e = nctl_container_of(n, struct nctl_maddr_mac, seen);

		nctl_genset_del(&s->seen_macs, n);
		if (e->is_static)
			nctl_maddr_unwant(s, e->link, &e->mac, &who);
		e->is_static = false;
		nctl_maddr_queue(s, e);
	}
	nctl_maddr_settle(s);
	return nctl_genset_stale(&s->seen_groups) || nctl_genset_stale(&s->seen_macs);
}
