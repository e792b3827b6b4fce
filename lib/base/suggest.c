/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: "Did you mean" for keys, kinds and verbs. The optimal-string-alignment distance (Damerau-
 * Levenshtein without edits inside a swapped pair), three rows of it at a time.
 */
#include <ctype.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/suggest.h"

#define WORD_MAX 64

static int same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Edits from a to b; both are at most WORD_MAX bytes long. */
static size_t distance(const char *a, size_t na, const char *b, size_t nb)
{
	size_t rows[3][WORD_MAX + 1], *before = rows[0], *above = rows[1], *row = rows[2], *spare;
	size_t i, j;

	for (j = 0; j <= nb; j++)
		row[j] = j;
	for (i = 1; i <= na; i++) {
		spare = before;
		before = above;
		above = row;
		row = spare;
		row[0] = i;
		for (j = 1; j <= nb; j++) {
			row[j] = above[j - 1] + !same(a[i - 1], b[j - 1]);
			row[j] = nctl_min(row[j], nctl_min(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
				row[j] = nctl_min(row[j], before[j - 2] + 1);
		}
	}
	return row[nb];
}

const char *nctl_suggest(const char *word, const char *const *candidates, size_t n)
{
	size_t len = strlen(word), clen, d, best_d = SIZE_MAX, i;
	const char *best = NULL;

	if (!len || len > WORD_MAX)
		return NULL;
	for (i = 0; i < n; i++) {
		clen = candidates[i] ? strlen(candidates[i]) : 0;
		if (!clen || clen > WORD_MAX)
			continue;
		d = distance(word, len, candidates[i], clen);
		if (d < best_d && d <= (nctl_max(len, clen) + 2) / 3 && d < nctl_min(len, clen)) {
			best = candidates[i];
			best_d = d;
		}
	}
	return best;
}
