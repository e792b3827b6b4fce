/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Bytes of variable length behind a structure, in the one block of memory that it has. */

static inline size_t nctl_pad(size_t n)
{
	return (n + 7) & ~(size_t)7;
}

/* Copies n bytes to *to, which goes on behind them, padded. Where they are now; NULL for none. */
static inline void *nctl_pack(uint8_t **to, const void *from, size_t n)
{
	void *p = *to;

	if (n == 0)
		return NULL;
	memcpy(p, from, n);
	*to += nctl_pad(n);
	return p;
}
