/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the objects that a dump has named, as a set of numbers: open addressing, at most two thirds full, in
 * many parts, so that growing moves some thousand of a million at a time. It lives as long as the
 * verification of one type.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "verify/private.h"

enum { SEEN_FIRST = 16 };

/* By other bits than those that tell the place in it. */
static size_t part_of(uint64_t key)
{
	return nctl_hash_u64(key) >> 32 & (VERIFY_SEEN_PARTS - 1);
}

static size_t place(const struct verify_seen_part *s, uint64_t key)
{
	size_t i = nctl_hash_u64(key) & (s->cap - 1);

	while (s->v[i] && s->v[i] != key)
		i = (i + 1) & (s->cap - 1);
	return i;
}

static int grow(struct verify_seen_part *s)
{
	struct verify_seen_part bigger = {.cap = s->cap ? s->cap * 2 : SEEN_FIRST, .n = s->n};

	bigger.v = calloc(bigger.cap, sizeof(*bigger.v));
	if (!bigger.v)
		return -ENOMEM;
	for (size_t i = 0; i < s->cap; i++)
		if (s->v[i])
			bigger.v[place(&bigger, s->v[i])] = s->v[i];
	free(s->v);
	*s = bigger;
	return 0;
}

int verify_seen_add(struct verify_seen *seen, uint64_t key)
{
	struct verify_seen_part *s = &seen->parts[part_of(key)];
	size_t i;

	if (s->n >= s->cap / 3 * 2 && grow(s) < 0)
		return -ENOMEM;
	i = place(s, key);
	if (s->v[i])
		return 1;
	s->v[i] = key;
	s->n++;
	return 0;
}

bool verify_seen_has(const struct verify_seen *seen, uint64_t key)
{
	const struct verify_seen_part *s = &seen->parts[part_of(key)];

	return s->cap && s->v[place(s, key)];
}

void verify_seen_reset(struct verify_seen *seen)
{
	for (size_t i = 0; i < VERIFY_SEEN_PARTS; i++)
		free(seen->parts[i].v);
	*seen = (struct verify_seen){0};
}
