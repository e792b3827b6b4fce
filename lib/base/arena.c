/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Memory that is freed all at once (a configuration generation, a plan).
 *
 * A chain of chunks, each twice the size of the one before up to CHUNK_MAX; the first
 * in the chain is the one that pieces are cut from. A piece too big for a chunk gets one
 * of its own, behind the current one, so that the rest of that one is not lost.
 */
#include <stdarg.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

#define ALIGN     ((size_t)16)
#define CHUNK_MIN ((size_t)4096)
#define CHUNK_MAX ((size_t)256 * 1024)

struct nctl_arena_chunk {
	struct nctl_arena_chunk *next;
	size_t size; /* of data */
	alignas(16) char data[];
};

void nctl_arena_init(struct nctl_arena *a)
{
	*a = NCTL_ARENA_INIT;
}

void nctl_arena_fini(struct nctl_arena *a)
{
	struct nctl_arena_chunk *c = a->chunks, *next;

	for (; c; c = next) {
		next = c->next;
		free(c);
	}
	nctl_arena_init(a);
}

static struct nctl_arena_chunk *chunk_new(struct nctl_arena *a, size_t size)
{
	struct nctl_arena_chunk *c = calloc(1, sizeof(*c) + size);

	if (!c)
		return NULL;
	c->size = size;
	a->bytes += sizeof(*c) + size;
	return c;
}

/* A chunk for this piece alone. */
static void *alloc_big(struct nctl_arena *a, size_t size)
{
	struct nctl_arena_chunk *c = chunk_new(a, size);

	if (!c)
		return NULL;
	if (a->chunks) {
		c->next = a->chunks->next;
		a->chunks->next = c;
	} else {
		a->chunks = c;
		a->used = size;
	}
	return c->data;
}

void *nctl_arena_alloc(struct nctl_arena *a, size_t size)
{
	struct nctl_arena_chunk *c = a->chunks;
	size_t want;
	char *p;

	if (size > SIZE_MAX / 2)
		return NULL;
	size = size ? (size + ALIGN - 1) & ~(ALIGN - 1) : ALIGN;
	if (!c || size > c->size - a->used) {
		if (size > CHUNK_MAX / 4)
			return alloc_big(a, size);
		want = CHUNK_MIN;
		while (want < size || (c && want <= c->size && want < CHUNK_MAX))
			want *= 2;
		c = chunk_new(a, want);
		if (!c)
			return NULL;
		c->next = a->chunks;
		a->chunks = c;
		a->used = 0;
	}
	p = c->data + a->used;
	a->used += size;
	return p;
}

char *nctl_arena_strndup(struct nctl_arena *a, const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	char *p = nctl_arena_alloc(a, len + 1);

	return p ? memcpy(p, s, len) : NULL;
}

char *nctl_arena_strdup(struct nctl_arena *a, const char *s)
{
	return nctl_arena_strndup(a, s, SIZE_MAX);
}

char *nctl_arena_printf(struct nctl_arena *a, const char *format, ...)
{
	va_list ap;
	char *p;
	int n;

	va_start(ap, format);
	n = vsnprintf(NULL, 0, format, ap);
	va_end(ap);
	if (n < 0)
		return NULL;
	p = nctl_arena_alloc(a, (size_t)n + 1);
	if (!p)
		return NULL;
	va_start(ap, format);
	vsnprintf(p, (size_t)n + 1, format, ap);
	va_end(ap);
	return p;
}

size_t nctl_arena_bytes(const struct nctl_arena *a)
{
	return a->bytes;
}
