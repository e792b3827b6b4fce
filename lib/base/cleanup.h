/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

/* Runs fn(&variable) when the variable leaves its scope. */
#define _cleanup_(fn) __attribute__((__cleanup__(fn)))

#define NCTL_CONCAT_(a, b) a##b
#define NCTL_CONCAT(a, b)  NCTL_CONCAT_(a, b)

/* Ownership moves: the value of p, which is left NULL. */
#define take_ptr(p)                                                                                          \
	({                                                                                                   \
		__typeof__(p) *take_pp_ = &(p);                                                              \
		__typeof__(p) take_v_ = *take_pp_;                                                           \
		*take_pp_ = NULL;                                                                            \
		take_v_;                                                                                     \
	})

/* Ownership moves: the descriptor in fd, which is left -1. */
#define take_fd(fd)                                                                                          \
	({                                                                                                   \
		int *take_fdp_ = &(fd);                                                                      \
		int take_fd_ = *take_fdp_;                                                                   \
		*take_fdp_ = -1;                                                                             \
		take_fd_;                                                                                    \
	})

/* For _cleanup_: p is the address of a pointer that malloc() or NULL gave. */
static inline void nctl_freep(void *p)
{
	free(*(void **)p);
}

/* For _cleanup_: closes *fd unless it is negative. */
static inline void nctl_closep(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

#define nctl_container_of(ptr, type, member)                                                                 \
	((type *)(void *)((char *)(uintptr_t)(ptr)-offsetof(type, member)))

#define NCTL_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define NCTL_MIN_(a, b, x, y)                                                                                \
	({                                                                                                   \
		__auto_type x = (a);                                                                         \
		__auto_type y = (b);                                                                         \
		y < x ? y : x;                                                                               \
	})
#define NCTL_MIN_ID_(a, b, id) NCTL_MIN_(a, b, NCTL_CONCAT(min_a_, id), NCTL_CONCAT(min_b_, id))

#define NCTL_MAX_(a, b, x, y)                                                                                \
	({                                                                                                   \
		__auto_type x = (a);                                                                         \
		__auto_type y = (b);                                                                         \
		x < y ? y : x;                                                                               \
	})
#define NCTL_MAX_ID_(a, b, id) NCTL_MAX_(a, b, NCTL_CONCAT(max_a_, id), NCTL_CONCAT(max_b_, id))

/* Each argument is evaluated once; nesting is fine; give both the same type. */
#define nctl_min(a, b) NCTL_MIN_ID_(a, b, __COUNTER__)
#define nctl_max(a, b) NCTL_MAX_ID_(a, b, __COUNTER__)
