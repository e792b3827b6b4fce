/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: records by number. A chunk holds 256 of them; those with room are in one list, chunks that became
 * empty give their memory back (but for the last one with room, so that one record that comes and goes costs
 * nothing) and their place waits in another list. Records that were given back are chained through their
 * first two bytes.
 */
#include "mirror/slab.h"

#include <stdlib.h>
#include <string.h>

#define MAX_CHUNKS ((UINT32_C(1) << 31) / NCTL_SLAB_RECORDS - 1) /* ids have 31 bits (net/lpm.h) */

void nctl_slab_init(struct nctl_slab *s, uint32_t size)
{
	*s = (struct nctl_slab){.size = size};
}

void nctl_slab_fini(struct nctl_slab *s)
{
	for (uint32_t i = 0; i < s->n_chunks; i++)
		free(s->chunks[i].mem);
	free(s->chunks);
	nctl_slab_init(s, s->size);
}

static void link_roomy(struct nctl_slab *s, uint32_t i)
{
	s->chunks[i].prev = 0;
	s->chunks[i].next = s->roomy;
	if (s->roomy)
		s->chunks[s->roomy - 1].prev = i + 1;
	s->roomy = i + 1;
}

static void unlink_roomy(struct nctl_slab *s, uint32_t i)
{
	struct nctl_slab_chunk *c = &s->chunks[i];

	if (c->prev)
		s->chunks[c->prev - 1].next = c->next;
	else
		s->roomy = c->next;
	if (c->next)
		s->chunks[c->next - 1].prev = c->prev;
	c->next = c->prev = 0;
}

/* A place for a chunk, in no list. -1: no memory. */
static int64_t chunk_place(struct nctl_slab *s)
{
	struct nctl_slab_chunk *chunks;
	uint32_t max = s->max_chunks ? s->max_chunks * 2 : 4, i;

	if (s->missing) {
		i = s->missing - 1;
		s->missing = s->chunks[i].next;
		return i;
	}
	if (s->n_chunks == s->max_chunks) {
		if (max > MAX_CHUNKS)
			return -1;
		chunks = calloc(max, sizeof(*chunks));
		if (!chunks)
			return -1;
		if (s->n_chunks)
			memcpy(chunks, s->chunks, s->n_chunks * sizeof(*chunks));
		free(s->chunks);
		s->chunks = chunks;
		s->max_chunks = max;
	}
	return s->n_chunks++;
}

static void abandon(struct nctl_slab *s, uint32_t i)
{
	s->chunks[i] = (struct nctl_slab_chunk){.next = s->missing};
	s->missing = i + 1;
}

static int grow(struct nctl_slab *s)
{
	int64_t i = chunk_place(s);
	struct nctl_slab_chunk *c;

	if (i < 0)
		return -1;
	c = &s->chunks[i];
	*c = (struct nctl_slab_chunk){.mem = calloc(NCTL_SLAB_RECORDS, s->size), .fresh = NCTL_SLAB_RECORDS};
	if (!c->mem) {
		abandon(s, (uint32_t)i);
		return -1;
	}
	s->n_mem++;
	link_roomy(s, (uint32_t)i);
	return 0;
}

uint32_t nctl_slab_take(struct nctl_slab *s)
{
	struct nctl_slab_chunk *c;
	uint32_t i, at;
	uint8_t *p;

	if (!s->roomy && grow(s) < 0)
		return 0;
	i = s->roomy - 1;
	c = &s->chunks[i];
	if (c->free) {
		at = c->free - 1U;
		p = c->mem + (size_t)at * s->size;
		memcpy(&c->free, p, sizeof(c->free));
		memset(p, 0, sizeof(c->free));
	} else {
		at = NCTL_SLAB_RECORDS - c->fresh--;
	}
	s->n++;
	if (++c->used == NCTL_SLAB_RECORDS)
		unlink_roomy(s, i);
	return i * NCTL_SLAB_RECORDS + at + 1;
}

void nctl_slab_give(struct nctl_slab *s, uint32_t id)
{
	uint32_t i = (id - 1) / NCTL_SLAB_RECORDS;
	struct nctl_slab_chunk *c = &s->chunks[i];
	uint8_t *p = nctl_slab_at(s, id);

	s->n--;
	if (c->used-- == NCTL_SLAB_RECORDS)
		link_roomy(s, i);
	if (c->used == 0 && (c->next || c->prev)) {
		unlink_roomy(s, i);
		free(c->mem);
		s->n_mem--;
		abandon(s, i);
		return;
	}
	memset(p, 0, s->size);
	memcpy(p, &c->free, sizeof(c->free));
	c->free = (uint16_t)((id - 1) % NCTL_SLAB_RECORDS + 1);
}

size_t nctl_slab_bytes(const struct nctl_slab *s)
{
	return s->max_chunks * sizeof(*s->chunks) + (size_t)s->n_mem * NCTL_SLAB_RECORDS * s->size;
}
