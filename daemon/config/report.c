/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: How the parts of the parser report: a place becomes file, line, column and the source line.
 *
 * Lack of memory is remembered in nd_parse.err and makes everything after it void, so that the parts
 * need not unwind by hand; nd_config_parse looks at it at the end.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "config/parse.h"

#define SOURCE_MAX 1024 /* a longer line was made by a machine and is not shown */

/* The line's start and length (without its end), or NULL. */
static const char *find_line(const struct nd_parse *p, struct nctl_pos pos, size_t *ret_len)
{
	const struct nd_config_text *t;
	const char *s, *end, *nl;
	uint32_t line;

	if (pos.file >= p->texts->n || !pos.line)
		return NULL;
	t = &p->texts->v[pos.file];
	s = t->data;
	end = s + t->len;
	if (t->len >= 3 && !memcmp(s, "\xef\xbb\xbf", 3))
		s += 3;
	for (line = 1; line < pos.line; line++) {
		nl = memchr(s, '\n', (size_t)(end - s));
		if (!nl)
			return NULL;
		s = nl + 1;
	}
	nl = memchr(s, '\n', (size_t)(end - s));
	nl = nl ? nl : end;
	if (nl > s && nl[-1] == '\r')
		nl--;
	*ret_len = (size_t)(nl - s);
	return s;
}

bool nd_was_reported(const struct nd_parse *p, struct nctl_pos pos, const char *format)
{
	const struct nd_reported *r;
	size_t i;

	for (i = 0; i < p->n_reported; i++) {
		r = &p->reported[i];
		if (r->format == format && r->pos.file == pos.file && r->pos.line == pos.line &&
			r->pos.column == pos.column)
			return true;
	}
	return false;
}

__attribute__((format(printf, 5, 0))) static void report(struct nd_parse *p, enum nd_severity severity,
	struct nctl_pos pos, const char *advice, const char *format, va_list ap)
{
	const char *file = pos.file < p->texts->n ? p->texts->v[pos.file].path : NULL, *line;
	char message[1024], source[SOURCE_MAX + 1];
	size_t len = 0;

	if (p->err < 0 || nd_was_reported(p, pos, format))
		return;
	if (p->n_reported < ND_REPORTED_MAX)
		p->reported[p->n_reported++] = (struct nd_reported){pos, format};
	vsnprintf(message, sizeof(message), format, ap);
	line = find_line(p, pos, &len);
	if (line && len <= SOURCE_MAX) {
		memcpy(source, line, len);
		source[len] = '\0';
		nd_hide_secrets(source);
	} else {
		line = NULL;
	}
	nd_failed(p, nd_diagnostics_add(p->diag, severity, file, pos.line, pos.column, line ? source : NULL,
			     message, advice));
}

void nd_error(struct nd_parse *p, struct nctl_pos pos, const char *advice, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	report(p, ND_ERROR, pos, advice, format, ap);
	va_end(ap);
}

void nd_warning(struct nd_parse *p, struct nctl_pos pos, const char *advice, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	report(p, ND_WARNING, pos, advice, format, ap);
	va_end(ap);
}

void nd_notice(struct nd_parse *p, struct nctl_pos pos, const char *advice, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	report(p, ND_NOTICE, pos, advice, format, ap);
	va_end(ap);
}

bool nd_failed(struct nd_parse *p, int r)
{
	if (r >= 0)
		return false;
	if (!p->err)
		p->err = r;
	return true;
}

const char *nd_text(struct nd_parse *p, const char *format, ...)
{
	char buf[1024], *s;
	va_list ap;

	va_start(ap, format);
	vsnprintf(buf, sizeof(buf), format, ap);
	va_end(ap);
	s = nctl_arena_strdup(&p->tree.arena, buf);
	if (!s)
		nd_failed(p, -ENOMEM);
	return s ? s : "";
}

const char *nd_place(struct nd_parse *p, struct nctl_pos pos)
{
	return nd_text(p, "%s:%u", pos.file < p->texts->n ? p->texts->v[pos.file].path : "?", pos.line);
}

const char *nd_did_you_mean(
	struct nd_parse *p, const char *word, const char *const *candidates, size_t n, const char *otherwise)
{
	const char *s = nctl_suggest(word, candidates, n);

	return s ? nd_text(p, "did you mean \"%s\"?", s) : otherwise;
}

void *nd_alloc(struct nd_parse *p, size_t size)
{
	void *m = nctl_arena_alloc(&p->tree.arena, size);

	if (!m)
		nd_failed(p, -ENOMEM);
	return m;
}

void *nd_want_alloc(struct nd_parse *p, size_t size)
{
	void *m = nctl_arena_alloc(&p->want->arena, size);

	if (!m)
		nd_failed(p, -ENOMEM);
	return m;
}

const char *nd_want_strdup(struct nd_parse *p, const char *s)
{
	char *m = nctl_arena_strdup(&p->want->arena, s);

	if (!m)
		nd_failed(p, -ENOMEM);
	return m;
}

/*
 * The text of a scalar stands in its line as it is, perhaps behind a quote, unless it was escaped or folded:
 * then only the start is certain.
 */
static struct nctl_pos pos_at(
	const struct nd_parse *p, struct nctl_pos pos, const char *text, bool plain, size_t offset)
{
	size_t len = 0, i;
	const char *s = find_line(p, pos, &len);
	uint32_t column = 1;

	if (!s || !text)
		return pos;
	for (i = 0; i < len && column < pos.column; column++)
		for (i++; i < len && ((unsigned char)s[i] & 0xc0) == 0x80; i++)
			;
	if (!plain && i < len)
		i++;
	if (len - i < offset || memcmp(s + i, text, offset))
		return pos;
	pos.column += !plain;
	for (i = 0; i < offset; i++)
		pos.column += ((unsigned char)text[i] & 0xc0) != 0x80;
	return pos;
}

struct nctl_pos nd_node_pos_at(const struct nd_parse *p, const struct nd_node *node, size_t offset)
{
	return pos_at(p, node->pos, node->text, node->plain, offset);
}

struct nctl_pos nd_node_key_pos_at(const struct nd_parse *p, const struct nd_node *node, size_t offset)
{
	return pos_at(p, node->key_pos, node->key, node->key_plain, offset);
}
