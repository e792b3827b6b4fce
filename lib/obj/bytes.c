/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: opaque bytes on the heap, for the objects that own theirs. */
#include "obj/bytes.h"

#include <errno.h>
#include <stdlib.h>

int nctl_bytes_copy(struct nctl_bytes *dst, struct nctl_bytes src)
{
	uint8_t *copy = src.n ? malloc(src.n) : NULL;

	if (src.n && !copy)
		return -ENOMEM;
	if (copy)
		memcpy(copy, src.p, src.n);
	*dst = (struct nctl_bytes){copy, src.n};
	return 0;
}
