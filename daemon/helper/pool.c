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
#include <time.h>

#include "base/cleanup.h"
#include "helper/private.h"

struct nd_pool {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* All of this only with the lock. */
	unsigned target, n;
	unsigned busy; /* threads that have requests to serve */
	struct timespec quiet_at;
	bool failed, sleeping; /* sleeping: until there is work, however long that takes */
	struct ready {
		int fd;
		uint64_t cookie;
	} v[ND_POOL_MAX];
};

enum { QUIET_NS = 2 * 1000 * 1000, NS = 1000 * 1000 * 1000 };

int nd_pool_new(struct nd_pool **ret)
{
	struct nd_pool *pool = calloc(1, sizeof(*pool));
	pthread_condattr_t monotonic;

	if (!pool)
		return -ENOMEM;
	/* With default attributes these cannot fail on Linux. */
	pthread_mutex_init(&pool->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&pool->changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
	*ret = pool;
	return 0;
}

static void pool_trim(struct nd_pool *pool)
{
	while (pool->n > pool->target)
		nctl_closep(&pool->v[--pool->n].fd);
}

static bool has_work(const struct nd_pool *pool)
{
	return !pool->busy && !pool->failed && pool->n < pool->target;
}

static struct timespec now_plus(long ns)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_nsec += ns;
	t.tv_sec += t.tv_nsec / NS;
	t.tv_nsec %= NS;
	return t;
}

static bool is_over(const struct timespec *t)
{
	struct timespec now = now_plus(0);

	return now.tv_sec != t->tv_sec ? now.tv_sec > t->tv_sec : now.tv_nsec >= t->tv_nsec;
}

/*
 * Waits until there is something to do, and there was no request for QUIET_NS: making a namespace keeps a
 * processor for as long as many answers take, and such a kernel may not be preempted.
 */
static void wait_for_work(struct nd_pool *pool)
{
	struct timespec until;

	for (;;) {
		if (!has_work(pool)) {
			pool->sleeping = true;
			pthread_cond_wait(&pool->changed, &pool->lock);
			pool->sleeping = false;
			continue;
		}
		if (is_over(&pool->quiet_at))
			return;
		until = pool->quiet_at;
		(void)pthread_cond_timedwait(&pool->changed, &pool->lock, &until);
	}
}

void nd_pool_serve(struct nd_pool *pool, const struct nd_place *p)
{
	struct ready made;
	int r;

	pthread_mutex_lock(&pool->lock);
	for (;;) {
		wait_for_work(pool);
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
		pool->quiet_at = now_plus(QUIET_NS);
		pool->failed = false;
		/* One that waits for quiet looks again by itself. */
		if (pool->n < pool->target && pool->sleeping)
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
