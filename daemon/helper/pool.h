/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct nd_place;
struct nd_pool;

/* Namespaces that are ready; a thread makes them while nothing else is to be done. */
int nd_pool_new(struct nd_pool **ret);
void nd_pool_serve(struct nd_pool *pool, const struct nd_place *p)
	__attribute__((noreturn)); /* in its thread */
/* At most ND_POOL_MAX; what is too much goes. -ERANGE, -ENOMEM. */
int nd_pool_set(struct nd_pool *pool, uint32_t n);
/* While one of those who call it is busy, none are made. */
void nd_pool_set_busy(struct nd_pool *pool, bool busy);
unsigned nd_pool_ready(struct nd_pool *pool); /* how many there are */
/* A namespace and its cookie. false: there is none. */
bool nd_pool_take(struct nd_pool *pool, int *ret_fd, uint64_t *ret_cookie);
enum { ND_POOL_MAX = 256 };
