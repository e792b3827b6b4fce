/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/range.h"
#include "base/strbuf.h"

/* Expressions over the number of a range, in the bodies of definitions. Internal to daemon/config. */

struct nd_expr_error {
	size_t offset;       /* in the text, in bytes */
	const char *message; /* static */
	const char *advice;  /* static, or NULL */
};

/* What the letters of an expression stand for. */
struct nd_numbers {
	int64_t n, N;      /* of the innermost range; of the range of namespaces */
	bool has_n, has_N; /* has_N only with has_n */
};

/*
 * Appends text to out, with each {EXPR} replaced by its value, and "{{" by "{". EXPR: integers (decimal, or
 * 0x and hexadecimal), n, N, + - * / % (division towards zero, as in C), parentheses, then perhaps a format:
 * ":x" hexadecimal, ":04x" or ":04" padded with zeros. All arithmetic is that of int64_t, checked. 0; -EINVAL
 * with ret_error; -ENOMEM.
 */
int nd_expr_expand(const char *text, const struct nd_numbers *numbers, struct nctl_strbuf *out,
	struct nd_expr_error *ret_error);

/* So many devices, or namespaces, may there be; and so many values, counted once for each device. */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#define ND_RANGE_MAX  ((size_t)512)
#define ND_VALUES_MAX ((size_t)16384)
#else
#define ND_RANGE_MAX  NCTL_RANGE_MAX
#define ND_VALUES_MAX ((size_t)32 * 1024 * 1024)
#endif
