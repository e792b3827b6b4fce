/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The two ends of a pair, which may be in different namespaces. Each names the other; or one does, and
 * the other one, whose definition says nothing, takes that for its answer. A third one is told so.
 */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "config/steps.h"
#include "config/refs.h"
#include "obj/kind.h"

static const char *const peer_keys[] = {"name", "netns"};

void nd_peer_add(struct nd_parse *p, const struct nd_peer *peer)
{
	struct nd_peer *copy = nd_alloc(p, sizeof(*copy));

	if (!copy)
		return;
	*copy = *peer;
	*p->peers_tail = copy;
	p->peers_tail = &copy->next;
}

static void read_name(struct nd_dev *d, const struct nd_node *node)
{
	d->link->peer.name = nd_dev_name(d, node);
	d->link->peer.pos = node->pos;
}

static void read_netns(struct nd_dev *d, const struct nd_node *node)
{
	const char *text = nd_dev_text(d, node);
	const char *copy = text ? nctl_arena_strdup(&d->p->tree.arena, text) : NULL;

	if (text && !copy)
		nd_failed(d->p, -ENOMEM);
	nd_peer_add(d->p, &(struct nd_peer){.link = d->link, .netns = copy, .pos = node->pos});
}

/* {n} without quotes is a mapping to YAML. */
static bool is_bare_expression(const struct nd_node *node)
{
	return node->flow && node->first && !node->first->next && node->first->type == ND_NODE_SCALAR &&
	       nd_is_null(node->first);
}

/* A name, or {netns: NAMESPACE, name: NAME}. */
void nd_step_peer(struct nd_dev *d, const struct nd_step *s)
{
	const struct nd_node *c;

	if (s->node->type != ND_NODE_MAPPING || is_bare_expression(s->node)) {
		read_name(d, s->node);
		return;
	}
	if (!nd_node_get(&d->p->tree, s->node, "name"))
		nd_error(d->p, s->node->pos, "write {netns: NAMESPACE, name: NAME}",
			"%s lacks the key \"name\"", s->node->key);
	for (c = s->node->first; c; c = c->next) {
		if (!strcmp(c->key, "name"))
			read_name(d, c);
		else if (!strcmp(c->key, "netns"))
			read_netns(d, c);
		else
			nd_error(d->p, c->key_pos,
				nd_did_you_mean(d->p, c->key, peer_keys, NCTL_ARRAY_SIZE(peer_keys),
					"write {netns: NAMESPACE, name: NAME}"),
				"unknown key \"%s\"", c->key);
	}
}

void nd_left_alone(struct nd_parse *p, const char *name, struct nctl_pos pos)
{
	nd_error(p, pos, "set \"renderer: netctld\" there",
		"\"%s\" is left to another program and cannot be changed", name);
}

/* The namespace of the other end; NULL, reported, if there is none. */
static const struct nctl_want_netns *netns_of(struct nd_parse *p, const struct nd_peer *peer)
{
	static const char format[] = "there is no namespace \"%s\" in the configuration";
	const struct nctl_want_netns *netns = nd_space_find(p, peer->netns);

	if (!netns && !p->broken && !nd_was_reported(p, peer->pos, format))
		nd_error(p, peer->pos, nd_space_suggest(p, peer->netns), format, peer->netns);
	return netns;
}

static void resolve(struct nd_parse *p, struct nctl_want_link *l, const struct nctl_want_netns *netns)
{
	const char *section = l->def->kind->section;
	const struct nd_name *n = nd_name_look_up(p, netns, l->peer.name, l->peer.pos, section);

	if (!n)
		return;
	l->peer.link = n->link;
	if (!n->link)
		nd_left_alone(p, n->name, l->peer.pos);
	else if (n->link == l)
		nd_error(p, l->peer.pos, "a pair has two ends", "\"%s\" cannot be its own peer", l->v.name);
	else if (n->link->def->kind != l->def->kind)
		nd_error(p, l->peer.pos, nd_text(p, "define both ends under \"%s\"", section),
			"\"%s\" cannot be a peer: it is another kind of device", n->name);
}

static bool pos_equal(struct nctl_pos a, struct nctl_pos b)
{
	return a.file == b.file && a.line == b.line && a.column == b.column;
}

/* Both ends name each other, or one is silent. */
static void check(struct nd_parse *p, struct nctl_want_link *l)
{
	static const char format[] = "\"%s\"%s is not the peer of \"%s\"%s";
	struct nctl_want_link *other = l->peer.link, *third;
	const char *advice;

	if (!other || other == l || other->def->kind != l->def->kind)
		return;
	if (!other->peer.name)
		other->peer = (struct nctl_want_ref){.name = l->v.name, .link = l, .pos = l->peer.pos};
	third = other->peer.link;
	if (!third || third == l || nd_was_reported(p, l->peer.pos, format))
		return;
	if (third->def != other->def && pos_equal(third->peer.pos, other->peer.pos))
		advice = nd_text(p, "\"%s\"%s names it, too, at %s; a pair has two ends", third->v.name,
			nd_in_netns(p, third->netns), nd_place(p, third->peer.pos));
	else
		advice = nd_text(p, "\"%s\" names \"%s\"%s at %s; both ends must name each other",
			other->v.name, third->v.name, nd_in_netns(p, third->netns),
			nd_place(p, other->peer.pos));
	nd_error(p, l->peer.pos, advice, format, other->v.name, nd_in_netns(p, other->netns), l->v.name,
		nd_in_netns(p, l->netns));
}

void nd_peers_resolve(struct nd_parse *p)
{
	const struct nctl_want_netns *netns;
	const struct nd_peer *peer = p->peers;
	struct nctl_want_link *l;
	size_t i;

	for (i = 0; i < p->n_links; i++) {
		l = p->links[i];
		netns = l->netns;
		for (; peer && peer->link == l; peer = peer->next)
			netns = peer->missing ? netns : peer->netns ? netns_of(p, peer) : NULL;
		if (l->peer.name && netns)
			resolve(p, l, netns);
	}
	for (i = 0; i < p->n_links; i++)
		check(p, p->links[i]);
	for (peer = p->peers; peer; peer = peer->next)
		if (peer->missing && !peer->link->peer.name && !p->broken)
			nd_error(p, peer->link->pos,
				nd_text(p, "%s: the device at the other end, unless that one names it",
					peer->link->def->kind->peer_key),
				"\"%s\" lacks the key \"%s\"", peer->link->def->label,
				peer->link->def->kind->peer_key);
}
