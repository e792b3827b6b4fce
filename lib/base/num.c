/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Strict parsing of unsigned numbers from files, arguments and /proc. strtoul(3)
 * would let blanks, signs, prefixes and trailing text pass.
 */
#include <errno.h>

#include "base/num.h"

unsigned nctl_digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'z')
		return (unsigned)(c - 'a') + 10;
	if (c >= 'A' && c <= 'Z')
		return (unsigned)(c - 'A') + 10;
	return 36;
}

int nctl_parse_u64(const char *s, unsigned base, uint64_t *ret)
{
	uint64_t v = 0;
	int r = 0;
	unsigned d;

	if (!*s)
		return -EINVAL;
	/* Too large is said only when the rest is a number as well. */
	for (; *s; s++) {
		d = nctl_digit(*s);
		if (d >= base)
			return -EINVAL;
		if (__builtin_mul_overflow(v, (uint64_t)base, &v) ||
			__builtin_add_overflow(v, (uint64_t)d, &v))
			r = -ERANGE;
	}
	if (r < 0)
		return r;
	*ret = v;
	return 0;
}

int nctl_parse_u32(const char *s, unsigned base, uint32_t min, uint32_t max, uint32_t *ret)
{
	uint64_t v;
	int r;

	r = nctl_parse_u64(s, base, &v);
	if (r < 0)
		return r;
	if (v < min || v > max)
		return -ERANGE;
	*ret = (uint32_t)v;
	return 0;
}
