/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: windows: as many lines as may go to the kernel together. A line that must see what those before it
 * have done (one whose name is in use, or not known, a flush) begins a window, one after which nobody knows
 * (a name that the kernel chooses) ends it, and namespaces have windows of their own.
 */
#include "batch/lines.h"

#include <errno.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

enum verb { ADD, CHANGE, REPLACE, PREPEND, APPEND, DEL, FLUSH, SET, PROPERTY };

struct object {
	struct known_word word;
	bool (*line)(struct reader *r, enum verb verb);
	const char *verbs[9]; /* by verb; NULL: it has not */
};

static const uint16_t new_flags[] = {
	[ADD] = NLM_F_CREATE | NLM_F_EXCL,
	[CHANGE] = NLM_F_REPLACE,
	[REPLACE] = NLM_F_CREATE | NLM_F_REPLACE,
	[PREPEND] = NLM_F_CREATE,
	[APPEND] = NLM_F_CREATE | NLM_F_APPEND,
};

static bool link_line(struct reader *r, enum verb verb)
{
	if (verb == ADD)
		return nd_batch_link_add(r);
	if (verb == DEL)
		return nd_batch_link_del(r);
	return verb == PROPERTY ? nd_batch_link_property(r) : nd_batch_link_set(r);
}

static bool addr_line(struct reader *r, enum verb verb)
{
	if (verb == FLUSH)
		return nd_batch_addr_flush(r);
	if (verb == DEL)
		return nd_batch_addr(r, NCTL_OP_ADDR_DEL, 0);
	return nd_batch_addr(r, NCTL_OP_ADDR_NEW, new_flags[verb]);
}

static bool route_line(struct reader *r, enum verb verb)
{
	if (verb == FLUSH)
		return nd_batch_route_flush(r);
	if (verb == DEL)
		return nd_batch_route(r, NCTL_OP_ROUTE_DEL, 0);
	return nd_batch_route(r, NCTL_OP_ROUTE_NEW, new_flags[verb]);
}

static bool rule_line(struct reader *r, enum verb verb)
{
	return nd_batch_rule(r, verb == ADD ? NCTL_OP_RULE_NEW : NCTL_OP_RULE_DEL);
}

static bool neigh_line(struct reader *r, enum verb verb)
{
	if (verb == DEL)
		return nd_batch_neigh(r, NCTL_OP_NEIGH_DEL, 0);
	return nd_batch_neigh(r, NCTL_OP_NEIGH_NEW, new_flags[verb]);
}

static bool nexthop_line(struct reader *r, enum verb verb)
{
	if (verb == DEL)
		return nd_batch_nexthop(r, NCTL_OP_NEXTHOP_DEL, 0);
	return nd_batch_nexthop(r, NCTL_OP_NEXTHOP_NEW, new_flags[verb]);
}

static bool netns_line(struct reader *r, enum verb verb)
{
	return nd_batch_netns_line(r, verb == ADD ? ND_BATCH_NETNS_ADD : ND_BATCH_NETNS_DEL);
}

/* In the order in which ip(8) looks for what is cut short. */
static const struct object objects[] = {
	{{"address", 1}, addr_line,
		{[ADD] = "add",
			[CHANGE] = "change",
			[REPLACE] = "replace",
			[DEL] = "delete",
			[FLUSH] = "flush"}},
	{{"route", 1}, route_line,
		{[ADD] = "add",
			[CHANGE] = "change",
			[REPLACE] = "replace",
			[PREPEND] = "prepend",
			[APPEND] = "append",
			[DEL] = "delete",
			[FLUSH] = "flush"}},
	{{"rule", 2}, rule_line, {[ADD] = "add", [DEL] = "delete"}},
	{{"neighbor", 1}, neigh_line,
		{[ADD] = "add", [CHANGE] = "change", [REPLACE] = "replace", [DEL] = "delete"}},
	{{"neighbour", 1}, neigh_line,
		{[ADD] = "add", [CHANGE] = "change", [REPLACE] = "replace", [DEL] = "delete"}},
	{{"link", 1}, link_line,
		{[ADD] = "add",
			[SET] = "set",
			[DEL] = "delete",
			[PROPERTY] = "property",
			[CHANGE] = "change"}},
	{{"nexthop", 3}, nexthop_line, {[ADD] = "add", [REPLACE] = "replace", [DEL] = "delete"}},
	{{"netns", 3}, netns_line, {[ADD] = "add", [DEL] = "delete"}},
};

static bool unknown_object(struct reader *r, const char *word)
{
	if (!strcmp(word, "ip"))
		return nd_batch_wrong(r, "leave the word out", "lines begin with what comes behind \"ip\"");
	if (*word == '-')
		return nd_batch_wrong(r, "say them to netctl batch", "a line has no options of ip(8)");
	return nd_batch_unknown_of(
		r, "here", NULL, 0, &objects[0].word, NCTL_ARRAY_SIZE(objects), sizeof(objects[0]));
}

static bool read_line(struct reader *r)
{
	const char *word = nd_batch_take(r);
	int at = nd_batch_known(word, &objects[0].word, NCTL_ARRAY_SIZE(objects), sizeof(objects[0]));
	const struct object *o = &objects[at < 0 ? 0 : at];

	if (at < 0)
		return unknown_object(r, word);
	word = nd_batch_value(r, "add, del or the like");
	if (!word)
		return false;
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(o->verbs); i++)
		if (o->verbs[i] && nd_batch_is(word, o->verbs[i], 1))
			return o->line(r, (enum verb)i);
	if (nd_batch_is(word, "show", 2) || nd_batch_is(word, "list", 3) || !strcmp(word, "ls"))
		return nd_batch_wrong(r, "ask by netctl itself", "lines change something, and show nothing");
	return nd_batch_unknown(r, "here", o->verbs, NCTL_ARRAY_SIZE(o->verbs));
}

static void room_free(struct room *room)
{
	if (!room)
		return;
	for (struct wanted *w = room->wanted; w; w = w->next)
		nctl_link_fini(&w->link.v);
	nctl_hash_fini(&room->names);
	free(room);
}

struct nd_batch_window *nd_batch_window_free(struct nd_batch_window *w)
{
	if (!w)
		return NULL;
	room_free(w->room); /* before the arena, in which names and links are */
	nctl_plan_free(w->plan);
	free(w->lines);
	free(w);
	return NULL;
}

void nd_batch_window_freep(struct nd_batch_window **w)
{
	*w = nd_batch_window_free(*w);
}

static struct nd_batch_window *window_new(const struct nd_batch_view *view, size_t max_lines)
{
	static const struct nctl_plan_netns nothing = {.there = true};
	_cleanup_(nd_batch_window_freep) struct nd_batch_window *w = calloc(1, sizeof(*w));
	struct nctl_plan_netns netns[2] = {view ? *view->home : nothing};
	struct room *room;

	if (!w)
		return NULL;
	if (view && view->in)
		netns[1] = *view->in;
	w->room = room = calloc(1, sizeof(*room));
	w->lines = calloc(max_lines, sizeof(*w->lines));
	w->plan = nctl_script_new(netns, view && view->in ? 2 : 1);
	if (!room || !w->lines || !w->plan)
		return NULL;
	w->cap_lines = max_lines;
	nctl_hash_init(&room->names);
	room->in = view && view->in ? 1 : 0;
	room->next_ifindex = view ? view->next_ifindex : 1;
	return take_ptr(w);
}

/* What a line that does not count has put into the window. */
static void take_back(struct nd_batch_window *w, const struct nd_batch_line *line)
{
	w->plan->n_ops = line->first_op;
}

/* Something that the line names is not there: it is right, and says nothing to the kernel. */
static bool lacks(const struct nd_batch_line *l)
{
	return l->error && !l->column;
}

/* Can it be in the window with those before it? */
static bool fits(const struct nd_batch_window *w, const struct reader *r, enum nd_batch_type before)
{
	if (!w->n_lines)
		return true;
	/* What it lacks may be there when those before it are done. */
	if (lacks(r->line))
		return !w->plan->n_ops && before == ND_BATCH_OPS;
	return !r->alone && w->type == before;
}

static void lex_error(struct reader *r)
{
	const struct words *words = r->words;

	r->line->at_line = words->at_line;
	r->line->column = words->column;
	r->line->error = nd_batch_strdup(r, words->error);
}

/* What is behind the last line that there may be is wrong, as a whole. */
static void end_text(struct nd_batch *b, struct words *words)
{
	words->error = "the text has too many lines: this one and those behind it are not read";
	words->at_line = words->line;
	words->column = 1;
	b->at = b->len;
}

/* One line. 0: it is in the window; 1: it is not, or is the last one; -ENOMEM. */
static int add_line(
	struct nd_batch *b, const struct nd_batch_view *view, size_t max_ops, struct nd_batch_window *w)
{
	const struct nd_batch before = *b;
	enum nd_batch_type type = w->type;
	struct room *room = w->room;
	struct reader r = {.w = w, .room = room, .words = &room->words, .view = view, .max_ops = max_ops};

	if (!nd_batch_next_words(b, r.words)) {
		w->end = true;
		return 1;
	}
	if (b->line > ND_BATCH_LINES_MAX)
		end_text(b, r.words);
	r.line = &w->lines[w->n_lines];
	*r.line = (struct nd_batch_line){.number = r.words->line, .first_op = (uint32_t)w->plan->n_ops};
	r.line->at = before.at;
	r.line->first = before.line + 1;
	w->type = ND_BATCH_OPS;
	if (r.words->error)
		lex_error(&r);
	else if (!read_line(&r))
		take_back(w, r.line);
	if (r.err < 0)
		return r.err;
	/* A line that is wrong is so in any window; what another one lacks may be there when those before it
	 * are done. */
	if (r.line->error)
		w->type = type;
	if (view && !fits(w, &r, type)) {
		take_back(w, r.line);
		w->type = type;
		*b = before;
		return 1;
	}
	if (r.more) {
		w->unfinished = true;
		b->at = before.at;
		b->line = before.line;
	}
	r.line->n_ops = (uint32_t)w->plan->n_ops - r.line->first_op;
	w->n_lines++;
	return view && (r.last || r.more) ? 1 : 0;
}

int nd_batch_fill(struct nd_batch *b, const struct nd_batch_view *view, size_t max_lines, size_t max_ops,
	struct nd_batch_window **ret)
{
	_cleanup_(nd_batch_window_freep) struct nd_batch_window *w = window_new(view, max_lines);
	const struct nd_batch before = *b;
	int r = 0;

	if (!w)
		return -ENOMEM;
	while (r == 0 && w->n_lines < max_lines && w->plan->n_ops < max_ops &&
		(!view || w->type == ND_BATCH_OPS || w->n_lines < ND_BATCH_NAMES_MAX))
		r = add_line(b, view, max_ops, w);
	if (r < 0) {
		*b = before;
		return r;
	}
	b->refills = w->unfinished ? before.refills + 1 : 0;
	*ret = take_ptr(w);
	return 0;
}

void nd_batch_rewind(struct nd_batch *b, struct nd_batch_window *w, size_t n)
{
	if (n >= w->n_lines)
		return;
	b->at = w->lines[n].at;
	b->line = w->lines[n].first - 1;
	b->refills = 0;
	w->n_lines = n;
	w->end = w->unfinished = false;
}

void nd_batch_skip_line(struct nd_batch *b)
{
	struct words *w = malloc(sizeof(*w));

	if (w)
		nd_batch_next_words(b, w);
	free(w);
	b->refills = 0;
}

const struct nd_batch_line *nd_batch_line_of(const struct nd_batch_window *w, const struct nctl_op *op)
{
	return op->pos.line < w->n_lines ? &w->lines[op->pos.line] : NULL;
}
