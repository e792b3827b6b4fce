/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: No device stands on itself. "Above" leads from a link to its lower link, and from a master to its
 * ports; a walk along it that meets a link which it has not left yet has found a loop.
 *
 * The walk keeps its own stack: a range of links one upon another may be a million deep.
 */
#include <string.h>

#include "config/refs.h"

#define NAMES_SHOWN 8

enum colour { NEW, OPEN, DONE };

struct mark {
	uint8_t colour;
	bool lower_seen;
	struct nctl_want_link *port;      /* the next port to look at */
	struct nctl_want_link *next_port; /* this link in its master's list */
	struct nctl_want_link *from;      /* the walk came from there */
};

struct walk {
	struct nd_parse *p;
	struct mark *marks; /* by number */
};

static struct mark *mark_of(const struct walk *w, const struct nctl_want_link *l)
{
	return &w->marks[l->number];
}

/* The next link below l that was not looked at, or NULL. */
static struct nctl_want_link *next_below(const struct walk *w, struct nctl_want_link *l)
{
	struct mark *m = mark_of(w, l);
	struct nctl_want_link *port;

	if (!m->lower_seen) {
		m->lower_seen = true;
		if (l->lower.link)
			return l->lower.link;
	}
	port = m->port;
	if (port)
		m->port = mark_of(w, port)->next_port;
	return port;
}

/* top stands on `again`, which the walk has come through. */
static void report(const struct walk *w, const struct nctl_want_link *top, const struct nctl_want_link *again)
{
	const char *names[NAMES_SHOWN], *text = again->v.name;
	const struct nctl_want_link *l;
	struct nctl_pos pos;
	size_t n = 0;

	for (l = top; l != again; l = mark_of(w, l)->from)
		if (n < NAMES_SHOWN)
			names[n++] = l->v.name;
	if (n == NAMES_SHOWN)
		text = nd_text(w->p, "%s, …", text);
	for (; n > 0; n--)
		text = nd_text(w->p, "%s, %s", text, names[n - 1]);
	pos = top->lower.link == again ? top->lower.pos : again->master.pos;
	nd_error(w->p, pos, nd_text(w->p, "each of these stands on the next: %s, %s", text, again->v.name),
		"\"%s\" stands on itself", again->v.name);
}

static void walk_from(const struct walk *w, struct nctl_want_link *start)
{
	struct nctl_want_link *l = start, *below;

	mark_of(w, l)->colour = OPEN;
	while (l) {
		below = next_below(w, l);
		if (!below) {
			mark_of(w, l)->colour = DONE;
			l = mark_of(w, l)->from;
		} else if (mark_of(w, below)->colour == OPEN) {
			report(w, l, below);
		} else if (mark_of(w, below)->colour == NEW) {
			mark_of(w, below)->colour = OPEN;
			mark_of(w, below)->from = l;
			l = below;
		}
	}
}

void nd_check_loops(struct nd_parse *p)
{
	struct walk w = {.p = p, .marks = nd_alloc(p, p->n_links * sizeof(*w.marks))};
	struct nctl_want_link *l;
	size_t i;

	if (!w.marks)
		return;
	for (i = p->n_links; i > 0; i--) {
		l = p->links[i - 1];
		if (!l->master.link)
			continue;
		mark_of(&w, l)->next_port = mark_of(&w, l->master.link)->port;
		mark_of(&w, l->master.link)->port = l;
	}
	for (i = 0; i < p->n_links; i++)
		if (mark_of(&w, p->links[i])->colour == NEW)
			walk_from(&w, p->links[i]);
}
