/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

/* Ranges in definition IDs, and expressions over their number in the bodies. Internal to daemon/config. */

struct nd_expr_error {
	size_t offset;       /* in the text, in bytes */
	const char *message; /* static */
	const char *advice;  /* static, or NULL */
};

/*
 * Appends text to out, with each {EXPR} replaced by its value for this n, and "{{" by "{". EXPR: integers
 * (decimal, or 0x and hexadecimal), n, + - * / % (division towards zero, as in C), parentheses, then perhaps
 * a format:
 * ":x" hexadecimal, ":04x" or ":04" padded with zeros. All arithmetic is that of int64_t, checked. 0; -EINVAL
 * with ret_error; -ENOMEM.
 */
int nd_expr_expand(const char *text, int64_t n, struct nctl_strbuf *out, struct nd_expr_error *ret_error);

/* A text with one range in it: head {first..last..step} tail. */
struct nd_range {
	size_t head_len; /* bytes before the brace */
	size_t tail;     /* offset of what follows it */
	int64_t first, step;
	size_t count; /* at least 1, at most ND_RANGE_MAX */
};

#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#define ND_RANGE_MAX ((size_t)512)
#else
#define ND_RANGE_MAX ((size_t)1000000)
#endif

enum { ND_RANGE_NONE = 1 };

/* 0; ND_RANGE_NONE: there are no braces in text; -EINVAL with ret_error. */
int nd_range_parse(const char *text, struct nd_range *ret, struct nd_expr_error *ret_error);

/* The number of instance i. */
static inline int64_t nd_range_at(const struct nd_range *r, size_t i)
{
	return r->first + (int64_t)i * r->step;
}

/* The name of number n, appended to out. */
void nd_range_name(const struct nd_range *r, const char *text, int64_t n, struct nctl_strbuf *out);
