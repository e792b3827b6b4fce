/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Growing byte string with a sticky error; under the JSON writer and all text that
 * has no fixed bound. Invariant: s is NULL, or holds len bytes and a NUL, len < cap.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strbuf.h"

#define CAP_MIN 64

void nctl_strbuf_fini(struct nctl_strbuf *b)
{
	free(b->s);
	*b = NCTL_STRBUF_INIT;
}

/* Makes room for n bytes and a NUL behind what is there; 0 or the sticky error. */
static int reserve(struct nctl_strbuf *b, size_t n)
{
	size_t cap = nctl_max(b->cap, (size_t)CAP_MIN);
	char *s;

	if (b->err)
		return b->err;
	if (n < b->cap - b->len)
		return 0;
	if (n > SIZE_MAX / 4 - b->len)
		return b->err = -ENOMEM;
	while (cap - b->len <= n)
		cap *= 2;
	s = realloc(b->s, cap);
	if (!s)
		return b->err = -ENOMEM;
	b->s = s;
	b->cap = cap;
	return 0;
}

void nctl_strbuf_put(struct nctl_strbuf *b, const void *data, size_t len)
{
	if (!len || reserve(b, len) < 0)
		return;
	memcpy(b->s + b->len, data, len);
	b->len += len;
	b->s[b->len] = '\0';
}

void nctl_strbuf_puts(struct nctl_strbuf *b, const char *s)
{
	nctl_strbuf_put(b, s, strlen(s));
}

void nctl_strbuf_putc(struct nctl_strbuf *b, char c)
{
	nctl_strbuf_put(b, &c, 1);
}

void nctl_strbuf_printf(struct nctl_strbuf *b, const char *format, ...)
{
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(NULL, 0, format, ap);
	va_end(ap);
	if (n < 0) {
		b->err = b->err ? b->err : -EINVAL;
		return;
	}
	if (reserve(b, (size_t)n) < 0)
		return;
	va_start(ap, format);
	vsnprintf(b->s + b->len, (size_t)n + 1, format, ap);
	va_end(ap);
	b->len += (size_t)n;
}

void nctl_strbuf_u64(struct nctl_strbuf *b, uint64_t v)
{
	char digits[20], *p = digits + sizeof(digits);

	do {
		*--p = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	nctl_strbuf_put(b, p, (size_t)(digits + sizeof(digits) - p));
}

void nctl_strbuf_reset(struct nctl_strbuf *b)
{
	b->len = 0;
	b->err = 0;
	if (b->s)
		b->s[0] = '\0';
}

const char *nctl_strbuf_str(const struct nctl_strbuf *b)
{
	return b->s ? b->s : "";
}

char *nctl_strbuf_steal(struct nctl_strbuf *b)
{
	char *s = NULL;

	if (!b->err)
		s = b->s ? take_ptr(b->s) : strdup("");
	nctl_strbuf_fini(b);
	return s;
}
