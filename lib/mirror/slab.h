/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * Records of one size, addressed by numbers from 1 on, in chunks that come and go: half the size of pointers,
 * and no header a record. A record keeps its place until it is given back.
 */
#define NCTL_SLAB_RECORDS 256U /* a chunk */

struct nctl_slab_chunk {
	uint8_t *mem; /* NULL: none at present */
	uint32_t next, prev; /* of those with room (or without memory: next only), + 1 */
	uint16_t used, fresh; /* records in use; those that were never */
	uint16_t free;        /* the first that was given back, + 1 */
};

struct nctl_slab {
	struct nctl_slab_chunk *chunks;
	uint32_t n_chunks, max_chunks;
	uint32_t roomy, missing; /* the first of those with room, without memory; + 1 */
	uint32_t size;           /* of a record; at least 2 */
	uint32_t n_mem;          /* chunks that have memory */
	size_t n;                /* records in use */
};

void nctl_slab_init(struct nctl_slab *s, uint32_t size);
void nctl_slab_fini(struct nctl_slab *s);
/* A zeroed record. 0: no memory. */
uint32_t nctl_slab_take(struct nctl_slab *s);
/* Zeroes it, but for its first two bytes. */
void nctl_slab_give(struct nctl_slab *s, uint32_t id);
size_t nctl_slab_bytes(const struct nctl_slab *s);

/* id is in use, or at most nctl_slab_last (NULL then, where there is no memory). */
static inline void *nctl_slab_at(const struct nctl_slab *s, uint32_t id)
{
	uint8_t *mem = s->chunks[(id - 1) / NCTL_SLAB_RECORDS].mem;

	return mem ? mem + (size_t)((id - 1) % NCTL_SLAB_RECORDS) * s->size : NULL;
}

/* No record has a higher number. */
static inline uint32_t nctl_slab_last(const struct nctl_slab *s)
{
	return s->n_chunks * NCTL_SLAB_RECORDS;
}
