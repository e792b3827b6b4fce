/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stddef.h>

/*
 * Room for one more element in an array on the heap that has n of them, and may move: array points to the
 * pointer to it (NULL at first), *cap is how many fit, size is that of an element. 0, or -ENOMEM: as before.
 */
int nctl_array_grow(void *array, size_t *cap, size_t n, size_t size);
