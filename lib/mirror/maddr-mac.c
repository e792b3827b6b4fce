/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the link-layer multicast addresses of a link and who wants each: two trees, so that one of 1,500 VLANs
 * comes and goes at its own cost. An address that somebody wants, or that was read back, is handed down over
 * every edge of its link, once, as net/core/dev_addr_lists.c dev_mc_sync does; what follows further down is
 * settled from a queue, not by recursion. Used by the other files of maddr.
 */
#include "mirror/maddr-private.h"

#include <stdlib.h>
#include <string.h>

/* An address comes or goes at each link once in a settling, or a few times: links stand no higher on each
 * other than 8 (MAX_NEST_DEV of linux/netdevice.h). */
enum { TURNS_EACH = 16, TURNS_MIN = 1024 };

static struct nctl_maddr_mac *mac_of(const struct nctl_rb_node *n)
{
	return n ? nctl_container_of(n, struct nctl_maddr_mac, node) : NULL;
}

static int cmp_mac(const struct nctl_rb_node *a, const struct nctl_rb_node *b)
{
	return nctl_lladdr_cmp(&mac_of(a)->mac, &mac_of(b)->mac);
}

static int cmp_mac_key(const void *key, const struct nctl_rb_node *n)
{
	return nctl_lladdr_cmp(key, &mac_of(n)->mac);
}

static struct nctl_maddr_want *want_of(const struct nctl_rb_node *n)
{
	return n ? nctl_container_of(n, struct nctl_maddr_want, node) : NULL;
}

static int cmp_want_key(const void *key, const struct nctl_rb_node *n)
{
	const struct nctl_maddr_want *a = key, *b = want_of(n);

	if (a->by != b->by)
		return a->by < b->by ? -1 : 1;
	if (a->ifindex != b->ifindex)
		return a->ifindex < b->ifindex ? -1 : 1;
	return nctl_prefix_cmp(&a->group, &b->group);
}

static int cmp_want(const struct nctl_rb_node *a, const struct nctl_rb_node *b)
{
	return cmp_want_key(want_of(a), b);
}

struct nctl_maddr_mac *nctl_maddr_mac_find(const struct nctl_maddr_link *l, const struct nctl_lladdr *mac)
{
	return mac_of(nctl_rb_find(&l->macs, mac, cmp_mac_key));
}

struct nctl_maddr_mac *nctl_maddr_mac_make(
	struct nctl_maddrs *s, struct nctl_maddr_link *l, const struct nctl_lladdr *mac)
{
	struct nctl_maddr_mac *e = nctl_maddr_mac_find(l, mac);

	if (e)
		return e;
	e = calloc(1, sizeof(*e));
	if (!e) {
		s->incomplete = true;
		return NULL;
	}
	e->link = l;
	e->mac = *mac;
	e->wants = NCTL_RB_INIT;
	nctl_list_init(&e->queued);
	nctl_rb_insert(&l->macs, &e->node, cmp_mac);
	s->n_macs++;
	return e;
}

static void want_free(struct nctl_maddr_mac *e, struct nctl_maddr_want *w)
{
	e->n_addresses -= w->by == NCTL_MADDR_ADDRESS;
	nctl_rb_remove(&e->wants, &w->node);
	free(w);
}

static void mac_free(struct nctl_maddrs *s, struct nctl_maddr_mac *e)
{
	struct nctl_rb_node *n;

	while ((n = nctl_rb_first(&e->wants)))
		want_free(e, want_of(n));
	if (e->seen.gen)
		nctl_genset_del(&s->seen_macs, &e->seen);
	nctl_list_del(&e->queued);
	nctl_rb_remove(&e->link->macs, &e->node);
	s->n_macs--;
	free(e);
}

void nctl_maddr_queue(struct nctl_maddrs *s, struct nctl_maddr_mac *e)
{
	if (nctl_list_empty(&e->queued))
		nctl_list_add_tail(&s->queue, &e->queued);
}

void nctl_maddr_want(struct nctl_maddrs *s, struct nctl_maddr_link *l, const struct nctl_lladdr *mac,
	const struct nctl_maddr_want *who)
{
	struct nctl_maddr_mac *e = nctl_maddr_mac_make(s, l, mac);
	struct nctl_maddr_want *w;

	if (!e)
		return;
	nctl_maddr_queue(s, e);
	w = want_of(nctl_rb_find(&e->wants, who, cmp_want_key));
	if (w) {
		w->n++;
		return;
	}
	w = malloc(sizeof(*w));
	if (!w) {
		s->incomplete = true;
		return;
	}
	*w = *who;
	w->n = 1;
	e->n_addresses += w->by == NCTL_MADDR_ADDRESS;
	nctl_rb_insert(&e->wants, &w->node, cmp_want);
}

void nctl_maddr_unwant(struct nctl_maddrs *s, struct nctl_maddr_link *l, const struct nctl_lladdr *mac,
	const struct nctl_maddr_want *who)
{
	struct nctl_maddr_mac *e = nctl_maddr_mac_find(l, mac);
	struct nctl_maddr_want *w = e ? want_of(nctl_rb_find(&e->wants, who, cmp_want_key)) : NULL;

	if (!w)
		return;
	if (--w->n == 0)
		want_free(e, w);
	nctl_maddr_queue(s, e);
}

bool nctl_maddr_has_want(const struct nctl_maddr_mac *e, const struct nctl_maddr_want *who)
{
	return nctl_rb_find(&e->wants, who, cmp_want_key);
}

/* Is it with the device, as far as we know? Addresses of a link that solicits nobody do not count. */
static bool is_alive(const struct nctl_maddr_mac *e)
{
	return e->seen.gen || e->wants.n > (e->link->solicits ? 0 : e->n_addresses);
}

static void hand_down(
	struct nctl_maddrs *s, const struct nctl_maddr_mac *e, const struct nctl_maddr_edge *edge)
{
	struct nctl_maddr_want who = {.by = NCTL_MADDR_UPPER, .ifindex = edge->from->ifindex};

	if (e->handed_down)
		nctl_maddr_want(s, edge->to, &e->mac, &who);
	else
		nctl_maddr_unwant(s, edge->to, &e->mac, &who);
}

/*
 * Links in a circle, as events and a dump between them may show for a moment, could make addresses come and
 * go without end: then they stay as they are, and the store is incomplete.
 */
void nctl_maddr_settle(struct nctl_maddrs *s)
{
	size_t turns = TURNS_MIN + TURNS_EACH * s->n_macs;
	struct nctl_list *first, *pos;

	while ((first = nctl_list_first(&s->queue))) {
		struct nctl_maddr_mac *e = nctl_list_entry(first, struct nctl_maddr_mac, queued);
		bool alive = is_alive(e);

		nctl_list_del(&e->queued);
		s->incomplete |= !turns;
		if (alive != e->handed_down && turns) {
			turns--;
			e->handed_down = alive;
			nctl_list_for_each(pos, &e->link->outs)
				hand_down(s, e, nctl_list_entry(pos, struct nctl_maddr_edge, in_from));
		}
		if (!e->wants.n && !e->seen.gen && nctl_list_empty(&e->queued))
			mac_free(s, e);
	}
}

/* Hands down, or takes back, all that the upper end has. */
static void edge_turn(struct nctl_maddrs *s, struct nctl_maddr_edge *edge, bool on)
{
	static const struct nctl_lladdr lacp = {.len = 6, .b = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x02}};
	void (*turn)(struct nctl_maddrs *, struct nctl_maddr_link *, const struct nctl_lladdr *,
		const struct nctl_maddr_want *) = on ? nctl_maddr_want : nctl_maddr_unwant;
	struct nctl_maddr_want who = {.by = NCTL_MADDR_UPPER, .ifindex = edge->from->ifindex};
	struct nctl_rb_node *n;

	nctl_rb_for_each(n, &edge->from->macs)
		if (mac_of(n)->handed_down)
			turn(s, edge->to, &mac_of(n)->mac, &who);
	who.by = NCTL_MADDR_PORT;
	if (edge->lacp)
		turn(s, edge->to, &lacp, &who);
}

void nctl_maddr_edge_set(struct nctl_maddrs *s, struct nctl_maddr_edge *e, struct nctl_maddr_link *from,
	struct nctl_maddr_link *to, bool lacp)
{
	if (e->to == to && (!to || (e->from == from && e->lacp == lacp)))
		return;
	if (e->to) {
		edge_turn(s, e, false);
		nctl_list_del(&e->in_from);
	}
	e->from = from;
	e->to = to;
	e->lacp = lacp;
	if (to) {
		nctl_list_add_tail(&from->outs, &e->in_from);
		edge_turn(s, e, true);
	}
}

void nctl_maddr_group_free(struct nctl_maddrs *s, struct nctl_maddr_group *g)
{
	struct nctl_maddr_want who = {.by = NCTL_MADDR_GROUP, .group = g->group};
	struct nctl_lladdr mac;

	if (g->wants && nctl_maddr_of_group(&g->group, &mac))
		nctl_maddr_unwant(s, g->link, &mac, &who);
	nctl_genset_del(&s->seen_groups, &g->seen);
	nctl_rb_remove(&g->link->groups, &g->node);
	free(g);
}

/* Does it come from the link itself, and not from those above? */
static bool is_own(const struct nctl_maddr_want *w)
{
	return w->by != NCTL_MADDR_UPPER && w->by != NCTL_MADDR_PORT && w->by != NCTL_MADDR_VLANS;
}

void nctl_maddr_clear(struct nctl_maddrs *s, struct nctl_maddr_link *l)
{
	struct nctl_rb_node *n, *w, *next;

	while ((n = nctl_rb_first(&l->groups)))
		nctl_maddr_group_free(s, nctl_container_of(n, struct nctl_maddr_group, node));
	nctl_rb_for_each(n, &l->macs) {
		struct nctl_maddr_mac *e = mac_of(n);

		if (e->seen.gen)
			nctl_genset_del(&s->seen_macs, &e->seen);
		e->is_static = false;
		for (w = nctl_rb_first(&e->wants); w; w = next) {
			next = nctl_rb_next(w);
			if (is_own(want_of(w)))
				want_free(e, want_of(w));
		}
		nctl_maddr_queue(s, e);
	}
}

void nctl_maddr_drop(struct nctl_maddrs *s, struct nctl_maddr_link *l)
{
	struct nctl_rb_node *n;

	while ((n = nctl_rb_first(&l->groups)))
		nctl_maddr_group_free(s, nctl_container_of(n, struct nctl_maddr_group, node));
	while ((n = nctl_rb_first(&l->macs)))
		mac_free(s, mac_of(n));
}
