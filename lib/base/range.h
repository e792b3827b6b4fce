/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

/* Many names in one text: "tenant{1..300}". */

struct nctl_range_error {
	size_t offset;       /* in the text, in bytes */
	const char *message; /* static */
	const char *advice;  /* static */
};

/* A text with one range in it: head {first..last..step} tail. */
struct nctl_range {
	size_t head_len; /* bytes before the brace */
	size_t tail;     /* offset of what follows it */
	int64_t first, step;
	size_t count; /* at least 1, at most NCTL_RANGE_MAX */
};

#define NCTL_RANGE_MAX ((size_t)1000000)

enum { NCTL_RANGE_NONE = 1 };

/*
 * The range in text: {A..B} or {A..B..STEP}, of decimal numbers up to 4294967295 without leading zeros, A <=
 * B. 0; NCTL_RANGE_NONE: there are no braces in text, which names one thing; -EINVAL with ret_error.
 */
int nctl_range_parse(const char *text, struct nctl_range *ret, struct nctl_range_error *ret_error);

/* The number of instance i < count. */
static inline int64_t nctl_range_at(const struct nctl_range *r, size_t i)
{
	return r->first + (int64_t)i * r->step;
}

/* Appends the name of number n to out; text is the one that r was parsed from. */
void nctl_range_name(const struct nctl_range *r, const char *text, int64_t n, struct nctl_strbuf *out);
