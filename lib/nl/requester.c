/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * DOC: the requester, a thread between two bounded queues. The owner's thread puts jobs in and takes results
 * out; one mutex guards both queues, the published counters and stop. A full job queue is the owner's to
 * handle, a full result queue makes the thread wait, so that a slow owner slows the kernel's work down
 * instead of filling memory. The worker (worker.h) belongs to the thread alone. Every job carries its last
 * result from the beginning, so that no lack of memory can lose a batch or the end of a dump.
 */

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/list.h"
#include "nl/worker.h"

enum {
	DEFAULT_QUEUE_MAX = 16,
	IDLE_MS = 100, /* then transports of other namespaces are closed: a job for one seldom comes alone */
};

/* What the owner sees as a struct nctl_result. */
struct result_node {
	struct nctl_result result;
	struct nctl_list link;
};

struct job {
	struct nctl_list link;
	struct nctl_kernel *kernel; /* referenced */
	struct nctl_result *end;    /* NCTL_RESULT_BATCH with the batch, or NCTL_RESULT_DUMP_END */
	struct nlmsghdr msg[];      /* of a dump, with all that follows the header */
};

struct queue {
	struct nctl_list items;
	size_t n;
};

struct nctl_requester {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t has_job;
	pthread_cond_t has_room; /* in results */
	struct queue jobs;
	struct queue results;
	size_t queue_max;
	bool stop;
	struct nctl_requester_stats stats; /* the worker's, as of the last result */
	void (*wake)(void *userdata);
	void *userdata;
	struct nctl_worker worker;
};

struct nctl_result *nctl_result_new(enum nctl_result_type type, void *userdata)
{
	struct result_node *n = calloc(1, sizeof(*n));

	if (!n)
		return NULL;
	n->result = (struct nctl_result){.type = type, .userdata = userdata};
	nctl_list_init(&n->link);
	return &n->result;
}

static struct result_node *result_node_of(struct nctl_result *r)
{
	return nctl_container_of(r, struct result_node, result);
}

struct nctl_result *nctl_result_free(struct nctl_result *r)
{
	if (!r)
		return NULL;
	nctl_batch_free(r->batch);
	free(r->data);
	free(result_node_of(r));
	return NULL;
}

static struct job *job_free(struct job *j)
{
	if (!j)
		return NULL;
	nctl_result_free(j->end);
	nctl_kernel_unref(j->kernel);
	free(j);
	return NULL;
}

static void job_freep(struct job **j)
{
	*j = job_free(*j);
}

static struct job *job_new(
	struct nctl_kernel *kernel, enum nctl_result_type type, void *userdata, size_t msg_len)
{
	_cleanup_(job_freep) struct job *j = calloc(1, sizeof(*j) + msg_len);

	if (!j)
		return NULL;
	nctl_list_init(&j->link);
	j->kernel = nctl_kernel_ref(kernel);
	j->end = nctl_result_new(type, userdata);
	return j->end ? take_ptr(j) : NULL;
}

static void queue_put(struct queue *q, struct nctl_list *link)
{
	nctl_list_add_tail(&q->items, link);
	q->n++;
}

static struct nctl_list *queue_take(struct queue *q)
{
	struct nctl_list *first = nctl_list_first(&q->items);

	if (first) {
		nctl_list_del(first);
		q->n--;
	}
	return first;
}

/* The thread's side. */

/*
 * Queues a result, waiting for room. 0 or -ECANCELED: the owner does not want it any more. Takes result
 * over.
 */
static int requester_push(struct nctl_requester *r, struct nctl_result *result)
{
	bool stop, was_empty;

	pthread_mutex_lock(&r->lock);
	while (r->results.n >= r->queue_max && !r->stop)
		pthread_cond_wait(&r->has_room, &r->lock);
	stop = r->stop;
	was_empty = r->results.n == 0;
	r->stats = r->worker.stats;
	if (!stop)
		queue_put(&r->results, &result_node_of(result)->link);
	pthread_mutex_unlock(&r->lock);

	if (stop) {
		nctl_result_free(result);
		return -ECANCELED;
	}
	if (was_empty)
		r->wake(r->userdata);
	return 0;
}

static int requester_deliver(void *ctx, struct nctl_result *chunk)
{
	return requester_push(ctx, chunk);
}

/* Waits until there is a job, or IDLE_MS; under the lock. False: the time is over. */
static bool requester_wait_idle(struct nctl_requester *r)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += IDLE_MS * 1000000L;
	until.tv_sec += until.tv_nsec / 1000000000L;
	until.tv_nsec %= 1000000000L;
	while (r->jobs.n == 0 && !r->stop)
		if (pthread_cond_timedwait(&r->has_job, &r->lock, &until) == ETIMEDOUT)
			return r->jobs.n || r->stop;
	return true;
}

/* Waits for the next job; NULL at the end. */
static struct job *requester_next(struct nctl_requester *r)
{
	struct nctl_list *link = NULL;

	pthread_mutex_lock(&r->lock);
	if (nctl_worker_is_abroad(&r->worker) && !requester_wait_idle(r)) {
		pthread_mutex_unlock(&r->lock);
		nctl_worker_go_home(&r->worker);
		pthread_mutex_lock(&r->lock);
	}
	while (r->jobs.n == 0 && !r->stop)
		pthread_cond_wait(&r->has_job, &r->lock);
	if (!r->stop)
		link = queue_take(&r->jobs);
	pthread_mutex_unlock(&r->lock);
	return link ? nctl_list_entry(link, struct job, link) : NULL;
}

static void requester_run(struct nctl_requester *r, struct job *j)
{
	struct nctl_dump dump = {.msg = j->msg, .deliver = requester_deliver, .ctx = r};
	int e = nctl_worker_enter(&r->worker, j->kernel);

	switch (j->end->type) {
	case NCTL_RESULT_BATCH:
		j->end->batch->status = e;
		if (e == 0)
			nctl_worker_run_batch(&r->worker, j->end->batch);
		break;
	case NCTL_RESULT_DUMP:
		break; /* no job ends with a chunk */
	case NCTL_RESULT_DUMP_END:
		dump.userdata = j->end->userdata;
		j->end->status = e;
		if (e == 0)
			j->end->status = nctl_worker_run_dump(
				&r->worker, &dump, &j->end->attempt, &j->end->refused);
		break;
	}
	(void)requester_push(r, take_ptr(j->end));
}

static void *requester_main(void *arg)
{
	struct nctl_requester *r = arg;
	struct job *j;

	while ((j = requester_next(r))) {
		requester_run(r, j);
		job_free(j);
	}
	return NULL;
}

/* The owner's side. */

/*
 * Starts the thread with all signals blocked: they are the owner's, who may have no handler that is thread-
 * safe.
 */
static int requester_start(struct nctl_requester *r)
{
	sigset_t all, before;
	int e;

	sigfillset(&all);
	e = pthread_sigmask(SIG_SETMASK, &all, &before);
	if (e)
		return -e;
	e = pthread_create(&r->thread, NULL, requester_main, r);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (e)
		return -e;
	pthread_setname_np(r->thread, "requester");
	return 0;
}

static void requester_fini(struct nctl_requester *r)
{
	nctl_worker_fini(&r->worker);
	pthread_cond_destroy(&r->has_room);
	pthread_cond_destroy(&r->has_job);
	pthread_mutex_destroy(&r->lock);
	free(r);
}

int nctl_requester_new(struct nctl_kernel *kernel, const struct nctl_requester_options *opts,
	void (*wake)(void *userdata), void *userdata, struct nctl_requester **ret)
{
	struct nctl_requester *r = calloc(1, sizeof(*r));
	pthread_condattr_t monotonic;
	int e;

	if (!r)
		return -ENOMEM;
	pthread_mutex_init(&r->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&r->has_job, &monotonic);
	pthread_condattr_destroy(&monotonic);
	pthread_cond_init(&r->has_room, NULL);
	nctl_list_init(&r->jobs.items);
	nctl_list_init(&r->results.items);
	r->queue_max = opts && opts->queue_max ? opts->queue_max : DEFAULT_QUEUE_MAX;
	r->wake = wake;
	r->userdata = userdata;
	e = nctl_worker_init(&r->worker, kernel, opts);
	if (e == 0)
		e = requester_start(r);
	if (e < 0) {
		requester_fini(r);
		return e;
	}
	*ret = r;
	return 0;
}

struct nctl_requester *nctl_requester_free(struct nctl_requester *r)
{
	struct nctl_list *link;

	if (!r)
		return NULL;
	pthread_mutex_lock(&r->lock);
	r->stop = true;
	pthread_cond_broadcast(&r->has_job);
	pthread_cond_broadcast(&r->has_room);
	pthread_mutex_unlock(&r->lock);
	nctl_worker_stop(&r->worker);
	pthread_join(r->thread, NULL);

	while ((link = queue_take(&r->jobs)))
		job_free(nctl_list_entry(link, struct job, link));
	while ((link = queue_take(&r->results)))
		nctl_result_free(&nctl_list_entry(link, struct result_node, link)->result);
	requester_fini(r);
	return NULL;
}

void nctl_requester_freep(struct nctl_requester **r)
{
	*r = nctl_requester_free(*r);
}

/* 0: j is queued. NCTL_REQUESTER_FULL: j stays the caller's. */
static int requester_queue(struct nctl_requester *r, struct job *j)
{
	bool full;

	pthread_mutex_lock(&r->lock);
	full = r->jobs.n >= r->queue_max;
	if (!full) {
		queue_put(&r->jobs, &j->link);
		pthread_cond_signal(&r->has_job);
	}
	pthread_mutex_unlock(&r->lock);
	return full ? NCTL_REQUESTER_FULL : 0;
}

int nctl_requester_submit(struct nctl_requester *r, struct nctl_kernel *kernel, struct nctl_batch *b)
{
	struct job *j = job_new(kernel, NCTL_RESULT_BATCH, NULL, 0);
	int e;

	if (!j)
		return -ENOMEM;
	nctl_msg_cancel(&b->msgs);
	j->end->batch = b;
	e = requester_queue(r, j);
	if (e != 0) {
		j->end->batch = NULL;
		job_free(j);
	}
	return e;
}

int nctl_requester_dump(struct nctl_requester *r, struct nctl_kernel *kernel, uint16_t type, const void *hdr,
	size_t hdr_len, const void *attrs, size_t attrs_len, void *userdata)
{
	size_t cap = NLMSG_SPACE(hdr_len) + NLMSG_ALIGN(attrs_len);
	struct job *j = job_new(kernel, NCTL_RESULT_DUMP_END, userdata, cap);
	struct nctl_msgbuf m;
	int e;

	if (!j)
		return -ENOMEM;
	nctl_msgbuf_init(&m, j->msg, cap);
	nctl_msg_begin(&m, type, NLM_F_DUMP, hdr, hdr_len);
	nctl_msg_put_raw(&m, attrs, attrs_len);
	(void)nctl_msg_commit(&m, 0); /* fits by construction; each attempt gets its own sequence number */
	e = requester_queue(r, j);
	if (e != 0)
		job_free(j);
	return e;
}

struct nctl_result *nctl_requester_pop(struct nctl_requester *r)
{
	struct nctl_list *link;

	pthread_mutex_lock(&r->lock);
	link = queue_take(&r->results);
	if (link)
		pthread_cond_signal(&r->has_room);
	pthread_mutex_unlock(&r->lock);
	return link ? &nctl_list_entry(link, struct result_node, link)->result : NULL;
}

void nctl_requester_get_stats(struct nctl_requester *r, struct nctl_requester_stats *ret)
{
	pthread_mutex_lock(&r->lock);
	*ret = r->stats;
	pthread_mutex_unlock(&r->lock);
}
