/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

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

/*
 * Appends text to out, with each {EXPR} replaced by its value for this n, and "{{" by "{". EXPR: integers
 * (decimal, or 0x and hexadecimal), n, + - * / % (division towards zero, as in C), parentheses, then perhaps
 * a format:
 * ":x" hexadecimal, ":04x" or ":04" padded with zeros. All arithmetic is that of int64_t, checked. 0; -EINVAL
 * with ret_error; -ENOMEM.
 */
int nd_expr_expand(const char *text, int64_t n, struct nctl_strbuf *out, struct nd_expr_error *ret_error);

/* So many devices, or namespaces, may there be. */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#define ND_RANGE_MAX ((size_t)512)
#else
#define ND_RANGE_MAX NCTL_RANGE_MAX
#endif
