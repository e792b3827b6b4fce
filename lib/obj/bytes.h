/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Bytes of somebody else's, kept opaque: the payload of an attribute, or attributes one behind the other. */
struct nctl_bytes {
	const uint8_t *p; /* 4-aligned; NULL if n is 0 */
	uint32_t n;
};

#define NCTL_BYTES_NULL ((struct nctl_bytes){0})

/* A copy on the heap, the caller's. 0 or -ENOMEM, dst is not written then. */
int nctl_bytes_copy(struct nctl_bytes *dst, struct nctl_bytes src);

static inline bool nctl_bytes_equal(struct nctl_bytes a, struct nctl_bytes b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}
