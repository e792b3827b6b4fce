/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The strict reader behind netctl's big tables: a tree of json-c for each of a million lines would take
 * seconds, this takes what memory bandwidth does. What is skipped is checked just as well.
 */
#include <string.h>

#include "netctl/scan.h"

void cli_scan_init(struct cli_scan *s, const char *text, size_t len)
{
	*s = (struct cli_scan){.p = text, .end = text + len};
}

static bool fail(struct cli_scan *s)
{
	s->bad = true;
	s->p = s->end;
	return false;
}

static char peek(struct cli_scan *s)
{
	while (s->p < s->end && (*s->p == ' ' || *s->p == '\t' || *s->p == '\n' || *s->p == '\r'))
		s->p++;
	return s->p < s->end ? *s->p : '\0';
}

char cli_scan_peek(struct cli_scan *s)
{
	return peek(s);
}

static bool expect(struct cli_scan *s, char c)
{
	if (peek(s) != c || s->p == s->end)
		return fail(s);
	s->p++;
	return true;
}

static bool enter(struct cli_scan *s, char c)
{
	if (peek(s) != c) {
		cli_scan_skip(s);
		return false;
	}
	if (s->depth == CLI_SCAN_DEPTH)
		return fail(s);
	s->p++;
	s->first |= UINT32_C(1) << ++s->depth;
	return true;
}

bool cli_scan_object(struct cli_scan *s)
{
	return enter(s, '{');
}

bool cli_scan_array(struct cli_scan *s)
{
	return enter(s, '[');
}

/* Before an item: the comma, or the end. */
static bool next(struct cli_scan *s, char close)
{
	uint32_t bit = UINT32_C(1) << s->depth;
	bool first = s->first & bit;

	if (s->bad)
		return false;
	if (peek(s) == close) {
		s->p++;
		s->first &= ~bit;
		s->depth--;
		return false;
	}
	s->first &= ~bit;
	return first || expect(s, ',');
}

static int hex4(const char *p, const char *end)
{
	int v = 0;

	if (end - p < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		char c = p[i];
		int d = c >= '0' && c <= '9'   ? c - '0'
		        : c >= 'a' && c <= 'f' ? c - 'a' + 10
		        : c >= 'A' && c <= 'F' ? c - 'A' + 10
		                               : -1;

		if (d < 0)
			return -1;
		v = v << 4 | d;
	}
	return v;
}

/* As UTF-8; halves of surrogate pairs, which our daemon does not write, as '?'. */
static size_t put_char(char out[4], int c)
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c >= 0xd800 && c < 0xe000) {
		out[0] = '?';
		return 1;
	}
	out[0] = (char)(0xe0 | c >> 12);
	out[1] = (char)(0x80 | (c >> 6 & 0x3f));
	out[2] = (char)(0x80 | (c & 0x3f));
	return 3;
}

/* p is behind the backslash; what it says goes to out. Bytes used, 0: no such escape. */
static size_t escape(const char *p, const char *end, char out[4], size_t *ret_n)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *at;
	int c;

	if (p == end || !*p)
		return 0;
	at = strchr(from, *p);
	if (at) {
		out[0] = to[at - from];
		*ret_n = 1;
		return 1;
	}
	c = *p == 'u' ? hex4(p + 1, end) : -1;
	if (c < 0)
		return 0;
	*ret_n = put_char(out, c);
	return 5;
}

/* A string; buf may be NULL. Characters are not cut in the middle where they are escapes. */
static void string(struct cli_scan *s, char *buf, size_t size)
{
	size_t n = 0, used, len;
	char c[4];

	if (!expect(s, '"'))
		return;
	while (s->p < s->end && *s->p != '"') {
		if ((unsigned char)*s->p < ' ') {
			fail(s);
			break;
		}
		c[0] = *s->p;
		used = len = 1;
		if (*s->p == '\\') {
			used = escape(s->p + 1, s->end, c, &len);
			if (!used) {
				fail(s);
				break;
			}
			used++;
		}
		if (buf && n + len < size) {
			memcpy(buf + n, c, len);
			n += len;
		}
		s->p += used;
	}
	if (buf)
		buf[n] = '\0';
	expect(s, '"');
}

static size_t digits(const char *p, const char *end)
{
	const char *q = p;

	while (q < end && *q >= '0' && *q <= '9')
		q++;
	return (size_t)(q - p);
}

/* The length of the number, true, false or null at p; 0: none. */
static size_t scalar(const char *p, const char *end)
{
	static const char *const words[] = {"true", "false", "null"};
	const char *q = p;
	size_t n;

	for (size_t i = 0; i < 3; i++)
		if ((size_t)(end - p) >= strlen(words[i]) && memcmp(p, words[i], strlen(words[i])) == 0)
			return strlen(words[i]);
	q += q < end && *q == '-';
	n = digits(q, end);
	if (n == 0 || (n > 1 && *q == '0'))
		return 0;
	q += n;
	if (q < end && *q == '.') {
		n = digits(q + 1, end);
		if (n == 0)
			return 0;
		q += n + 1;
	}
	if (q < end && (*q == 'e' || *q == 'E')) {
		q++;
		q += q < end && (*q == '+' || *q == '-');
		n = digits(q, end);
		if (n == 0)
			return 0;
		q += n;
	}
	return (size_t)(q - p);
}

bool cli_scan_key(struct cli_scan *s, char key[CLI_SCAN_KEY_MAX])
{
	if (!next(s, '}'))
		return false;
	peek(s);
	string(s, key, CLI_SCAN_KEY_MAX);
	return expect(s, ':');
}

bool cli_scan_item(struct cli_scan *s)
{
	return next(s, ']');
}

void cli_scan_text(struct cli_scan *s, char *buf, size_t size)
{
	char c = peek(s);
	size_t n;

	buf[0] = '\0';
	if (c == '"') {
		string(s, buf, size);
		return;
	}
	n = c == '{' || c == '[' ? 0 : scalar(s->p, s->end);
	if (n == 0 || c == 'n') {
		cli_scan_skip(s);
		return;
	}
	memcpy(buf, s->p, n < size ? n : size - 1);
	buf[n < size ? n : size - 1] = '\0';
	s->p += n;
}

static void skip_scalar(struct cli_scan *s)
{
	size_t n;

	if (peek(s) == '"') {
		string(s, NULL, 0);
		return;
	}
	n = scalar(s->p, s->end);
	if (n == 0)
		fail(s);
	s->p += n;
}

void cli_scan_skip(struct cli_scan *s)
{
	unsigned depth = s->depth;
	uint32_t objects = 0; /* bit by depth */
	char c, key[CLI_SCAN_KEY_MAX];

	do {
		c = peek(s);
		if (c == '{' || c == '[') {
			if (!enter(s, c))
				return;
			objects &= ~(UINT32_C(1) << s->depth);
			objects |= (uint32_t)(c == '{') << s->depth;
		} else {
			skip_scalar(s);
		}
		/* On to the next value of ours, through the ends of containers. */
		while (s->depth > depth &&
			!(objects >> s->depth & 1 ? cli_scan_key(s, key) : cli_scan_item(s)) && !s->bad)
			continue;
	} while (s->depth > depth && !s->bad);
}

bool cli_scan_done(struct cli_scan *s)
{
	peek(s);
	return !s->bad && s->depth == 0 && s->p == s->end;
}
