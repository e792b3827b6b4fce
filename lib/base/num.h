/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdint.h>

/* The value of a digit in base 2 to 36, either case; 36 for what is none. */
unsigned nctl_digit(char c);

/*
 * The whole of s as an unsigned number in base 2 to 36, without sign, blanks or prefix; leading
 * zeros are digits like others. -EINVAL if s is no such number (or empty), -ERANGE if
 * it is too large (u64) or outside min..max (u32).
 */
int nctl_parse_u64(const char *s, unsigned base, uint64_t *ret);
int nctl_parse_u32(const char *s, unsigned base, uint32_t min, uint32_t max, uint32_t *ret);
