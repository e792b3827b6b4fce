/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stddef.h>

/* Memory with one common end of life: it is taken piece by piece and freed as a whole. */
struct nctl_arena_chunk;

struct nctl_arena {
	struct nctl_arena_chunk *chunks; /* the current one first */
	size_t used;                     /* of the current chunk */
	size_t bytes;
};

#define NCTL_ARENA_INIT ((struct nctl_arena){NULL, 0, 0})

void nctl_arena_init(struct nctl_arena *a);

/* Frees everything; a is as after nctl_arena_init. Usable with _cleanup_. */
void nctl_arena_fini(struct nctl_arena *a);

/* Zeroed, 16-aligned; a size of 0 gives a valid pointer. NULL when there is no memory. */
void *nctl_arena_alloc(struct nctl_arena *a, size_t size);

/* NULL when there is no memory. strndup copies at most n bytes and stops at a NUL. */
char *nctl_arena_strdup(struct nctl_arena *a, const char *s);
char *nctl_arena_strndup(struct nctl_arena *a, const char *s, size_t n);
char *nctl_arena_printf(struct nctl_arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Bytes taken from the system, with what is not handed out yet. */
size_t nctl_arena_bytes(const struct nctl_arena *a);
