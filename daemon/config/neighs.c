/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The list of neighbours of a device: permanent ones, and addresses that are answered for.
 */
#include <linux/neighbour.h>

#include "base/cleanup.h"
#include "config/routing.h"

#ifndef NTF_ROUTER
#define NTF_ROUTER 0x80
#endif

struct seen {
	struct nctl_hash_node node;
	const struct nd_neigh *of;
};

static bool check(struct nd_dev *d, const struct nd_node *node, const struct nctl_neigh_form *f)
{
	if (nctl_prefix_is_multicast(&f->to) || nctl_prefix_is_unspecified(&f->to))
		nd_error(d->p, nd_form_pos(d, node, "to"), "write the address of one neighbour",
			"this is no neighbour's address");
	else if (f->proxy && f->lladdr.len)
		nd_error(d->p, nd_form_pos(d, node, "lladdr"), "remove it: the device's own is given",
			"a proxy has no link-layer address of its own");
	else if (!f->proxy && !f->lladdr.len)
		nd_error(d->p, node->pos, "add \"lladdr: ADDRESS\", or \"proxy: true\"",
			"a neighbour needs a link-layer address");
	else if (f->router && f->to.family == AF_INET)
		nd_error(d->p, nd_form_pos(d, node, "router"), "remove it",
			"only IPv6 knows which are routers");
	else
		return true;
	return false;
}

static void read_neigh(struct nd_dev *d, const struct nd_node *node)
{
	struct nctl_neigh_form form = {0};
	char buf[NCTL_ADDR_STR];
	struct nd_neigh *n;
	uint64_t given;

	if (!nd_form_read(d, node, &nctl_neigh_keys, &form, NULL, NULL, &given) || !check(d, node, &form))
		return;
	n = nd_alloc(d->p, sizeof(*n));
	if (!n)
		return;
	n->netns = d->p->netns[d->link->netns->number];
	n->w.link = d->link;
	n->w.pos = node->pos;
	n->w.label = nd_want_strdup(d->p, nctl_addr_format(&form.to, buf));
	n->w.v.family = form.to.family;
	n->w.v.dst = form.to;
	n->w.v.lladdr = form.lladdr;
	n->w.v.state = form.proxy ? 0 : NUD_PERMANENT;
	n->w.v.flags = (uint8_t)((form.proxy ? NTF_PROXY : 0) | (form.router ? NTF_ROUTER : 0));
	*d->p->routing.neighs_tail = n;
	d->p->routing.neighs_tail = &n->next;
}

void nd_step_neighs(struct nd_dev *d, const struct nd_step *s)
{
	if (!nd_expect(d->p, s->node, ND_NODE_SEQUENCE))
		return;
	for (const struct nd_node *c = s->node->first; c && d->p->err == 0; c = c->next)
		read_neigh(d, c);
}

static bool is_same(const struct nctl_want_neigh *a, const struct nctl_want_neigh *b)
{
	return a->link == b->link && nctl_prefix_equal(&a->v.dst, &b->v.dst) &&
	       !((a->v.flags ^ b->v.flags) & NTF_PROXY);
}

static void check_one(struct nd_parse *p, struct nctl_hash *seen, struct nd_neigh *n)
{
	uint64_t hash = nctl_prefix_hash(&n->w.v.dst) ^ nctl_hash_u64((uintptr_t)n->w.link);
	struct seen *s = nd_alloc(p, sizeof(*s));
	struct nctl_hash_node *pos;

	nctl_hash_for_each_equal(pos, seen, hash) {
		const struct nd_neigh *other = nctl_container_of(pos, struct seen, node)->of;

		if (!is_same(&n->w, &other->w))
			continue;
		nd_error(p, n->w.pos, nd_text(p, "the other one is at %s", nd_place(p, other->w.pos)),
			"\"%s\" has the neighbour %s twice", n->w.link->v.name, n->w.label);
		return;
	}
	if (!s)
		return;
	s->of = n;
	nd_failed(p, nctl_hash_insert(seen, &s->node, hash));
}

void nd_neighs_check(struct nd_parse *p)
{
	struct nctl_hash seen;

	nctl_hash_init(&seen);
	for (struct nd_neigh *n = p->routing.neighs; n && p->err == 0; n = n->next)
		check_one(p, &seen, n);
	nctl_hash_fini(&seen);
}
