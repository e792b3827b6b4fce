/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the objects that a dump has named, as a set of numbers: open addressing, at most two thirds full. It
 * lives as long as the verification of one type.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "verify/private.h"

enum { SEEN_FIRST = 1024 };

static size_t place(const struct verify_seen *s, uint64_t key)
{
	size_t i = nctl_hash_u64(key) & (s->cap - 1);

	while (s->v[i] && s->v[i] != key)
		i = (i + 1) & (s->cap - 1);
	return i;
}

static int grow(struct verify_seen *s)
{
	struct verify_seen bigger = {.cap = s->cap ? s->cap * 2 : SEEN_FIRST, .n = s->n};

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

int verify_seen_add(struct verify_seen *s, uint64_t key)
{
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

bool verify_seen_has(const struct verify_seen *s, uint64_t key)
{
	return s->cap && s->v[place(s, key)];
}

void verify_seen_reset(struct verify_seen *s)
{
	free(s->v);
	*s = (struct verify_seen){0};
}
