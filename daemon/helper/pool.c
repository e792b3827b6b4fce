/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * DOC: namespaces made in advance, as descriptors: to make one costs a third of a millisecond, to mount one
 * that is there a fifteenth of that. A thread of its own makes them, one after the other, only while the
 * channel MAKE has nothing to do, since all making of namespaces in a system goes through one lock of the
 * kernel.
 */

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "helper/private.h"

struct nd_pool {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* All of this only with the lock. */
	unsigned target, n;
	unsigned busy; /* threads that have requests to serve */
	bool failed;
	struct ready {
		int fd;
		uint64_t cookie;
	} v[ND_POOL_MAX];
};

int nd_pool_new(struct nd_pool **ret)
{
	struct nd_pool *pool = calloc(1, sizeof(*pool));

	if (!pool)
		return -ENOMEM;
	/* With default attributes these cannot fail on Linux. */
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->changed, NULL);
	*ret = pool;
	return 0;
}

static void pool_trim(struct nd_pool *pool)
{
	while (pool->n > pool->target)
		nctl_closep(&pool->v[--pool->n].fd);
}

void nd_pool_serve(struct nd_pool *pool, const struct nd_place *p)
{
	struct ready made;
	int r;

	pthread_mutex_lock(&pool->lock);
	for (;;) {
		while (pool->busy || pool->failed || pool->n >= pool->target)
			pthread_cond_wait(&pool->changed, &pool->lock);
		pthread_mutex_unlock(&pool->lock);
		r = nd_netns_make(p, &made.fd, &made.cookie);
		pthread_mutex_lock(&pool->lock);
		/* Tried again after the next request: whoever needs one meanwhile gets to know why. */
		pool->failed = r < 0;
		if (r == 0) {
			pool->v[pool->n++] = made; /* nobody else adds, so that there is room */
			pool_trim(pool);
		}
	}
}

int nd_pool_set(struct nd_pool *pool, uint32_t n)
{
	if (n > ND_POOL_MAX)
		return -ERANGE;
	pthread_mutex_lock(&pool->lock);
	pool->target = n;
	pool_trim(pool);
	pthread_mutex_unlock(&pool->lock);
	return 0; /* the thread wakes when the channel is idle */
}

void nd_pool_set_busy(struct nd_pool *pool, bool busy)
{
	pthread_mutex_lock(&pool->lock);
	pool->busy += busy ? 1u : -1u;
	if (!pool->busy) {
		pool->failed = false;
		if (pool->n < pool->target)
			pthread_cond_signal(&pool->changed);
	}
	pthread_mutex_unlock(&pool->lock);
}

unsigned nd_pool_ready(struct nd_pool *pool)
{
	unsigned n;

	pthread_mutex_lock(&pool->lock);
	n = pool->n;
	pthread_mutex_unlock(&pool->lock);
	return n;
}

bool nd_pool_take(struct nd_pool *pool, int *ret_fd, uint64_t *ret_cookie)
{
	bool there;

	pthread_mutex_lock(&pool->lock);
	there = pool->n > 0;
	if (there) {
		pool->n--;
		*ret_fd = pool->v[pool->n].fd;
		*ret_cookie = pool->v[pool->n].cookie;
	}
	pthread_mutex_unlock(&pool->lock);
	return there;
}
