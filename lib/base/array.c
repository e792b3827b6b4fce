/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: arrays on the heap that grow by doubling.
 */
#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

enum { FIRST = 16 };

int nctl_array_grow(void *array, size_t *cap, size_t n, size_t size)
{
	size_t want = *cap ? *cap * 2 : FIRST;
	void *p;

	if (n < *cap)
		return 0;
	p = reallocarray(*(void **)array, want, size);
	if (!p)
		return -ENOMEM;
	*(void **)array = p;
	*cap = want;
	return 0;
}
