/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: what all kinds of lines need: the words of the line one after the other, numbers, addresses, and the
 * two ways in which a line is refused: something in it is wrong, wherever it is said, or what it names is not
 * there.
 */
#include "batch/private.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/array.h"
#include "base/num.h"
#include "base/suggest.h"

const char *nd_batch_word(const struct reader *r)
{
	return r->i < r->words->n ? r->words->v[r->i].text : NULL;
}

const char *nd_batch_take(struct reader *r)
{
	return r->i < r->words->n ? r->words->v[r->i++].text : NULL;
}

bool nd_batch_no_memory(struct reader *r)
{
	r->err = -ENOMEM;
	return false;
}

/* The place of the word before the next one, or behind the last one. */
static void place(struct reader *r, bool behind)
{
	const struct words *w = r->words;
	const struct word *v = &w->v[r->i ? r->i - 1 : 0];

	r->line->at_line = v->line;
	r->line->column = v->column + (behind ? (uint32_t)strlen(v->text) : 0);
}

static bool refuse(struct reader *r, const char *advice, const char *format, va_list ap)
{
	char text[512];

	if (r->err)
		return false;
	vsnprintf(text, sizeof(text), format, ap);
	r->line->error = nd_batch_strdup(r, text);
	r->line->advice = advice ? nd_batch_strdup(r, advice) : NULL;
	return false;
}

/* Who stops there must not have sent more; who does not must only be sure of what is there. */
void nd_batch_foresee_refusal(struct reader *r)
{
	bool strict = r->view && r->view->strict;

	r->alone = r->alone || strict || r->room->takes_along;
	r->last = r->last || strict;
}

bool nd_batch_wrong(struct reader *r, const char *advice, const char *format, ...)
{
	va_list ap;

	place(r, false);
	va_start(ap, format);
	refuse(r, advice, format, ap);
	va_end(ap);
	return false;
}

bool nd_batch_lacks(struct reader *r, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	refuse(r, NULL, format, ap);
	va_end(ap);
	return false;
}

bool nd_batch_unknown(struct reader *r, const char *what, const char *const *words, size_t n)
{
	const char *word = r->words->v[r->i ? r->i - 1 : 0].text, *near = nctl_suggest(word, words, n);
	char advice[128];

	if (near)
		snprintf(advice, sizeof(advice), "did you mean \"%s\"?", near);
	return nd_batch_wrong(r, near ? advice : NULL, "\"%.64s\" is not known %s", word, what);
}

static const struct known_word *entry(const struct known_word *first, size_t i, size_t size)
{
	return (const void *)((const char *)first + i * size);
}

bool nd_batch_unknown_of(struct reader *r, const char *what, const char *const *words, size_t n,
	const struct known_word *first, size_t n_table, size_t size)
{
	const char *all[64];
	size_t k = 0;

	for (size_t i = 0; i < n && k < NCTL_ARRAY_SIZE(all); i++)
		all[k++] = words[i];
	for (size_t i = 0; i < n_table && k < NCTL_ARRAY_SIZE(all); i++)
		all[k++] = entry(first, i, size)->word;
	return nd_batch_unknown(r, what, all, k);
}

const char *nd_batch_value(struct reader *r, const char *what)
{
	const char *v = nd_batch_take(r);
	char text[160];

	if (v)
		return v;
	place(r, true);
	snprintf(text, sizeof(text), "\"%.64s\" wants %s", r->words->v[r->words->n - 1].text, what);
	r->line->error = nd_batch_strdup(r, text);
	return NULL;
}

bool nd_batch_is(const char *word, const char *whole, size_t min)
{
	size_t n = strlen(word);

	return n >= min && strncmp(word, whole, n) == 0;
}

int nd_batch_known(const char *word, const struct known_word *first, size_t n, size_t size)
{
	for (size_t i = 0; i < n; i++)
		if (nd_batch_is(word, entry(first, i, size)->word, entry(first, i, size)->min))
			return (int)i;
	return -1;
}

bool nd_batch_skip(struct reader *r, const char *whole, size_t min)
{
	const char *word = nd_batch_word(r);

	if (!word || !nd_batch_is(word, whole, min))
		return false;
	r->i++;
	return true;
}

bool nd_batch_on_off(struct reader *r, bool *ret)
{
	const char *v = nd_batch_value(r, "on or off");

	if (!v)
		return false;
	if (strcmp(v, "on") && strcmp(v, "off"))
		return nd_batch_wrong(r, NULL, "must be on or off, not \"%.64s\"", v);
	*ret = !strcmp(v, "on");
	return true;
}

bool nd_batch_read_u64(const char *text, uint64_t *ret)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');

	return nctl_parse_u64(hex ? text + 2 : text, hex ? 16 : 10, ret) >= 0;
}

bool nd_batch_number(struct reader *r, const char *what, uint64_t max, uint64_t *ret)
{
	const char *v = nd_batch_value(r, what);

	if (!v)
		return false;
	if (!nd_batch_read_u64(v, ret) || *ret > max)
		return nd_batch_wrong(r, NULL, "must be %s, not \"%.64s\"", what, v);
	return true;
}

bool nd_batch_u32(struct reader *r, const char *what, uint32_t *ret)
{
	uint64_t v;

	if (!nd_batch_number(r, what, UINT32_MAX, &v))
		return false;
	*ret = (uint32_t)v;
	return true;
}

/* "10/8", as ip(8) takes it: what is missing is 0. */
static bool read_short(const char *text, struct nctl_prefix *ret)
{
	size_t n = strspn(text, "0123456789."), dots = 0;
	char buf[48];

	if (!n || n > 15 || (text[n] && text[n] != '/') || strlen(text + n) > 3)
		return false;
	for (size_t i = 0; i < n; i++)
		dots += text[i] == '.';
	if (dots > 2)
		return false;
	snprintf(buf, sizeof(buf), "%.*s%s%s", (int)n, text, &".0.0.0"[2 * dots], text + n);
	return nctl_prefix_parse(buf, text[n] ? NCTL_PREFIX_NEED_LENGTH : NCTL_PREFIX_ANY, ret) == 0;
}

bool nd_batch_prefix(struct reader *r, const char *text, uint8_t family, struct nctl_prefix *ret)
{
	if (!strcmp(text, "default") || !strcmp(text, "any") || !strcmp(text, "all")) {
		*ret = (struct nctl_prefix){.family = family};
		return true;
	}
	if (nctl_prefix_parse(text, NCTL_PREFIX_ANY, ret) < 0 && !read_short(text, ret))
		return nd_batch_wrong(r, NULL, "\"%.64s\" is no address or prefix", text);
	if (family && ret->family != family)
		return nd_batch_wrong(r, NULL, "\"%.64s\" is of the other family", text);
	return true;
}

bool nd_batch_address(struct reader *r, const char *text, struct nctl_prefix *ret)
{
	if (nctl_addr_parse(text, ret) < 0)
		return nd_batch_wrong(r, NULL, "\"%.64s\" is no address", text);
	return true;
}

bool nd_batch_gateway(struct reader *r, struct nctl_prefix *ret)
{
	const char *text = nd_batch_value(r, "an address");

	if (text && (!strcmp(text, "inet") || !strcmp(text, "inet6")))
		text = nd_batch_value(r, "an address");
	return text && nd_batch_address(r, text, ret);
}

bool nd_batch_protocol(struct reader *r, uint8_t *ret)
{
	const char *text = nd_batch_value(r, "a protocol");

	if (!text)
		return false;
	return nctl_route_protocol_parse(text, ret) == 0 ||
	       nd_batch_wrong(r, NULL, "\"%.64s\" is no protocol", text);
}

void *nd_batch_alloc(struct reader *r, size_t size)
{
	void *p = nctl_arena_alloc(&r->w->plan->arena, size);

	if (!p)
		nd_batch_no_memory(r);
	return p;
}

const char *nd_batch_strdup(struct reader *r, const char *s)
{
	const char *copy = nctl_arena_strdup(&r->w->plan->arena, s);

	if (!copy)
		nd_batch_no_memory(r);
	return copy;
}

struct nctl_op *nd_batch_op(struct reader *r, enum nctl_op_type type)
{
	struct nctl_op *op = nctl_script_add(r->w->plan, type);

	if (!op) {
		nd_batch_no_memory(r);
		return NULL;
	}
	op->netns = r->room->in;
	op->pos.line = (uint32_t)(r->line - r->w->lines);
	return op;
}

struct nctl_want_link *nd_batch_want(struct reader *r, const struct nctl_kind *kind)
{
	struct wanted *w = nd_batch_alloc(r, sizeof(*w));

	if (!w)
		return NULL;
	w->link.v = NCTL_LINK_INIT;
	w->next = r->room->wanted;
	r->room->wanted = w;
	if (kind && nctl_link_set_kind(&w->link.v, kind) < 0) {
		nd_batch_no_memory(r);
		return NULL;
	}
	return &w->link;
}

const struct nctl_mirror *nd_batch_have(const struct reader *r, uint32_t netns)
{
	return r->view ? r->w->plan->netns[netns].have : NULL;
}

static bool add_netns(struct reader *r, const struct nctl_plan_netns *n, uint32_t *ret)
{
	struct nctl_plan *p = r->w->plan;
	size_t cap = p->n_netns;

	if (nctl_array_grow(&p->netns, &cap, p->n_netns, sizeof(*p->netns)) < 0)
		return nd_batch_no_memory(r);
	*ret = (uint32_t)p->n_netns;
	p->netns[p->n_netns++] = *n;
	return true;
}

bool nd_batch_netns(struct reader *r, const char *name, uint32_t *ret)
{
	const struct nctl_plan *p = r->w->plan;
	struct nctl_plan_netns n;

	if (!*name || strlen(name) > NAME_MAX || strchr(name, '/'))
		return nd_batch_wrong(r, NULL, "\"%.64s\" is no name of a namespace", name);
	if (!r->view) {
		*ret = 0;
		return true;
	}
	for (size_t i = 1; i < p->n_netns; i++) {
		if (p->netns[i].name && !strcmp(p->netns[i].name, name)) {
			*ret = (uint32_t)i;
			return true;
		}
	}
	if (!r->view->find || !r->view->find(name, &n, r->view->userdata))
		return nd_batch_lacks(r, "Cannot open network namespace \"%.64s\"", name);
	n.name = nd_batch_strdup(r, name);
	return n.name && add_netns(r, &n, ret);
}
