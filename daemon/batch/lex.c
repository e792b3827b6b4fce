/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: a text to lines of words, as ip(8) does it with -batch (lib/utils.c getcmdline, makeargs): blanks part
 * words, a backslash at the end goes on in the next line, # begins a comment, and a word that begins with '
 * or " goes to the next one of these. Each word knows where it stood. What is too long, or no text, is told
 * as an error of its line.
 */
#include <string.h>

#include "base/cleanup.h"
#include "batch/private.h"

/* Where the lexer is: in the text, and in people's terms. */
struct lexer {
	struct nd_batch *b;
	struct words *w;
	size_t used; /* of w->buf */
	uint32_t column;
};

static bool at_end(const struct lexer *x)
{
	return x->b->at == x->b->len;
}

static char peek(const struct lexer *x)
{
	return x->b->text[x->b->at];
}

static void step(struct lexer *x)
{
	/* Columns are characters: bytes that go on with one are none. */
	if (((unsigned char)peek(x) & 0xc0) != 0x80)
		x->column++;
	x->b->at++;
}

static void fail(struct lexer *x, const char *error)
{
	if (x->w->error)
		return;
	x->w->error = error;
	x->w->at_line = x->b->line;
	x->w->column = x->column;
}

/* Blanks, and the ends of lines that go on. */
static void skip_blanks(struct lexer *x)
{
	const struct nd_batch *b = x->b;

	while (!at_end(x)) {
		if (peek(x) == '\\' && b->at + 1 < b->len && b->text[b->at + 1] == '\n') {
			x->b->at += 2;
			x->b->line++;
			x->column = 1;
		} else if (peek(x) == ' ' || peek(x) == '\t' || peek(x) == '\r') {
			step(x);
		} else {
			return;
		}
	}
}

static void skip_comment(struct lexer *x)
{
	while (!at_end(x) && peek(x) != '\n')
		x->b->at++;
}

static void keep(struct lexer *x, char c)
{
	if (x->used == sizeof(x->w->buf))
		fail(x, "the line is too long");
	else if (!c)
		fail(x, "there is a NUL byte in the line");
	else
		x->w->buf[x->used++] = c;
}

static void keep_end(struct lexer *x)
{
	if (x->used == sizeof(x->w->buf))
		fail(x, "the line is too long");
	else
		x->w->buf[x->used++] = '\0';
}

static void read_quoted(struct lexer *x)
{
	char quote = peek(x);

	step(x);
	while (!at_end(x) && peek(x) != quote && peek(x) != '\n') {
		keep(x, peek(x));
		step(x);
	}
	if (at_end(x) || peek(x) != quote)
		fail(x, "the quoted word does not end");
	else
		step(x);
}

static bool ends_word(const struct lexer *x)
{
	const struct nd_batch *b = x->b;
	char c = peek(x);

	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '#' ||
	       (c == '\\' && b->at + 1 < b->len && b->text[b->at + 1] == '\n');
}

static void read_word(struct lexer *x)
{
	struct words *w = x->w;
	struct word word = {.text = w->buf + x->used, .line = x->b->line, .column = x->column};

	if (peek(x) == '"' || peek(x) == '\'') {
		read_quoted(x);
	} else {
		while (!at_end(x) && !ends_word(x)) {
			keep(x, peek(x));
			step(x);
		}
	}
	keep_end(x);
	if (w->n == ND_BATCH_WORDS_MAX)
		fail(x, "the line has too many words");
	else
		w->v[w->n++] = word;
}

bool nd_batch_next_words(struct nd_batch *b, struct words *ret)
{
	struct lexer x = {.b = b, .w = ret};

	ret->error = NULL;
	for (ret->n = 0; !at_end(&x); x.b->at++) {
		b->line++;
		ret->line = b->line;
		x.column = 1;
		for (skip_blanks(&x); !at_end(&x) && peek(&x) != '\n'; skip_blanks(&x)) {
			if (peek(&x) == '#')
				skip_comment(&x);
			else
				read_word(&x);
		}
		if (!ret->n && at_end(&x))
			return false;
		if (!ret->n)
			continue;
		if (!at_end(&x))
			b->at++;
		return true;
	}
	return false;
}

const char *nd_batch_source(const struct nd_batch *b, const struct nd_batch_line *l, char *buf, size_t size)
{
	const char *at = b->text + l->at, *end = b->text + b->len, *next;
	size_t n;

	for (uint32_t i = l->first; i < l->at_line && at < end; i++) {
		next = memchr(at, '\n', (size_t)(end - at));
		at = next ? next + 1 : end;
	}
	next = memchr(at, '\n', (size_t)(end - at));
	n = nctl_min((size_t)((next ? next : end) - at), size - 1);
	memcpy(buf, at, n);
	buf[n] = '\0';
	return buf;
}
