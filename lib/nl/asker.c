/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * DOC: the asker, a thread that carries out one step of one conversation at a time, in turn. Two lists under
 * one mutex: asks that want a step, and those whose step is done; each ask is in one of them at most, so that
 * both are bounded by the number of asks. While a step is under way the ask belongs to the thread; one that
 * its owner frees meanwhile is freed by the thread.
 */

#include "nl/asker.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/list.h"
#include "nl/attr.h"
#include "nl/worker.h"

enum {
	PIECE_BYTES = 32 << 10, /* netlink(7): holds any datagram of a dump */
	TIMEOUT_MS = 30000,
};

enum ask_state { ASK_IDLE, ASK_QUEUED, ASK_RUNNING, ASK_READY };

struct ask {
	struct nctl_ask pub;
	struct nctl_asker *asker;
	struct nctl_kernel *kernel; /* referenced */
	enum nctl_transport_role role;
	struct nctl_list link;
	/* Under the lock: */
	enum ask_state state;
	bool orphan;
	/* The thread's while a step is under way: */
	struct nctl_transport *transport;
	uint8_t *request;
	size_t request_len, request_cap; /* 0: nothing to send */
	uint32_t last_seq;  /* whose answer ends it */
	bool is_dump;
};

struct nctl_asker {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t has_job;
	struct nctl_list jobs, ready; /* struct ask by .link */
	bool stop;
	int stop_fd;
	void (*wake)(void *userdata);
	void *userdata;
};

static void forget_request(struct ask *q)
{
	if (q->request && q->role == NCTL_TRANSPORT_GENERIC)
		explicit_bzero(q->request, q->request_cap);
	free(q->request);
	q->request = NULL;
	q->request_len = q->request_cap = 0;
}

static void ask_destroy(struct ask *q)
{
	nctl_transport_free(q->transport);
	nctl_kernel_unref(q->kernel);
	/* Keys of WireGuard come this way. */
	if (q->role == NCTL_TRANSPORT_GENERIC)
		explicit_bzero(q->pub.data, PIECE_BYTES);
	forget_request(q);
	free(q->pub.data);
	free(q);
}

static int wait_for(const struct nctl_asker *a, struct nctl_transport *t)
{
	struct pollfd p[] = {
		{.fd = t->ops->get_fd(t), .events = POLLIN}, {.fd = a->stop_fd, .events = POLLIN}};
	int k;

	do
		k = poll(p, NCTL_ARRAY_SIZE(p), TIMEOUT_MS);
	while (k < 0 && errno == EINTR);
	if (k < 0)
		return -errno;
	if (k == 0)
		return -ETIMEDOUT;
	return p[1].revents ? -ECANCELED : 0;
}

/* One datagram. Its bytes, or a negative errno. */
static int receive(const struct ask *q, struct nctl_dgram *d)
{
	struct nctl_transport *t = q->transport;
	int r;

	while ((r = t->ops->recv(t, d, 1)) == 0) {
		r = wait_for(q->asker, t);
		if (r < 0)
			return r;
	}
	if (r < 0)
		return r;
	return d->truncated ? -EMSGSIZE : (int)d->len;
}

/* Is the answer over? */
static void look_at(struct ask *q)
{
	const struct nlmsghdr *nlh = NULL;

	while ((nlh = nctl_msg_next(q->pub.data, q->pub.len, nlh))) {
		if (nlh->nlmsg_flags & NLM_F_DUMP_INTR)
			q->pub.interrupted = true;
		if ((nlh->nlmsg_type != NLMSG_DONE && nlh->nlmsg_type != NLMSG_ERROR) ||
			nlh->nlmsg_seq != q->last_seq)
			continue;
		q->pub.over = true;
		/* A refusal of one of many is the taker's to see. */
		q->pub.status = q->is_dump ? nctl_msg_error(nlh) : 0;
	}
}

static int run(struct ask *q)
{
	struct nctl_dgram d = {.buf = q->pub.data, .cap = PIECE_BYTES};
	int r = 0;

	if (!q->transport)
		r = q->kernel->open(q->kernel, q->role, &q->transport);
	if (r >= 0 && q->request_len)
		r = q->transport->ops->send(q->transport, q->request, q->request_len);
	q->request_len = 0;
	if (r >= 0)
		r = receive(q, &d);
	if (r < 0)
		return r;
	q->pub.len = (size_t)r;
	look_at(q);
	return 0;
}

static struct ask *take(struct nctl_list *list)
{
	struct nctl_list *first = nctl_list_first(list);

	if (!first)
		return NULL;
	nctl_list_del(first);
	return nctl_list_entry(first, struct ask, link);
}

/* Under the lock; it is let go while the step runs. */
static void carry_out(struct nctl_asker *a, struct ask *q)
{
	int r;

	q->state = ASK_RUNNING;
	pthread_mutex_unlock(&a->lock);
	r = run(q);
	if (r < 0) {
		q->pub.status = r;
		q->pub.over = true;
	}
	pthread_mutex_lock(&a->lock);
	if (q->orphan) {
		ask_destroy(q);
		return;
	}
	q->state = ASK_READY;
	nctl_list_add_tail(&a->ready, &q->link);
	a->wake(a->userdata);
}

static void *asker_main(void *arg)
{
	struct nctl_asker *a = arg;
	struct ask *q;

	pthread_mutex_lock(&a->lock);
	while (!a->stop) {
		q = take(&a->jobs);
		if (q)
			carry_out(a, q);
		else
			pthread_cond_wait(&a->has_job, &a->lock);
	}
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

int nctl_asker_new(void (*wake)(void *userdata), void *userdata, struct nctl_asker **ret)
{
	struct nctl_asker *a = calloc(1, sizeof(*a));
	sigset_t all, before;
	int r;

	if (!a)
		return -ENOMEM;
	a->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (a->stop_fd < 0) {
		r = -errno;
		free(a);
		return r;
	}
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->has_job, NULL);
	nctl_list_init(&a->jobs);
	nctl_list_init(&a->ready);
	a->wake = wake;
	a->userdata = userdata;
	/* Signals are the owner's. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = -pthread_create(&a->thread, NULL, asker_main, a);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (r < 0) {
		pthread_cond_destroy(&a->has_job);
		pthread_mutex_destroy(&a->lock);
		close(a->stop_fd);
		free(a);
		return r;
	}
	pthread_setname_np(a->thread, "asker");
	*ret = a;
	return 0;
}

struct nctl_asker *nctl_asker_free(struct nctl_asker *a)
{
	if (!a)
		return NULL;
	pthread_mutex_lock(&a->lock);
	a->stop = true;
	pthread_cond_signal(&a->has_job);
	pthread_mutex_unlock(&a->lock);
	(void)eventfd_write(a->stop_fd, 1);
	pthread_join(a->thread, NULL);
	pthread_cond_destroy(&a->has_job);
	pthread_mutex_destroy(&a->lock);
	close(a->stop_fd);
	free(a);
	return NULL;
}

int nctl_ask_new(struct nctl_asker *a, struct nctl_kernel *kernel, enum nctl_transport_role role, void *userdata,
	struct nctl_ask **ret)
{
	struct ask *q = calloc(1, sizeof(*q));

	if (!q)
		return -ENOMEM;
	q->pub.data = malloc(PIECE_BYTES);
	if (!q->pub.data) {
		free(q);
		return -ENOMEM;
	}
	q->asker = a;
	q->role = role;
	q->pub.userdata = userdata;
	nctl_list_init(&q->link);
	q->kernel = nctl_kernel_ref(kernel);
	*ret = &q->pub;
	return 0;
}

static struct ask *ask_of(struct nctl_ask *pub)
{
	return nctl_container_of(pub, struct ask, pub);
}

struct nctl_ask *nctl_ask_free(struct nctl_ask *pub)
{
	struct ask *q = pub ? ask_of(pub) : NULL;
	struct nctl_asker *a;

	if (!q)
		return NULL;
	a = q->asker;
	pthread_mutex_lock(&a->lock);
	nctl_list_del(&q->link);
	q->orphan = q->state == ASK_RUNNING;
	if (!q->orphan)
		ask_destroy(q);
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

/* A copy of m, with sequence numbers. */
static int set_request(struct ask *q, const struct nctl_msgbuf *m)
{
	uint8_t *copy = malloc(m->len);
	uint32_t seq = nctl_seq_take((uint32_t)m->n);
	struct nlmsghdr *nlh;

	if (!copy)
		return -ENOMEM;
	forget_request(q);
	q->request = copy;
	q->request_len = q->request_cap = m->len;
	memcpy(copy, m->buf, m->len);
	for (size_t at = 0; at < m->len; at += NLMSG_ALIGN(nlh->nlmsg_len)) {
		nlh = (struct nlmsghdr *)(void *)(copy + at);
		nlh->nlmsg_seq = q->last_seq = seq++;
		q->is_dump = (nlh->nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP;
		if (!q->is_dump && at + NLMSG_ALIGN(nlh->nlmsg_len) >= m->len)
			nlh->nlmsg_flags |= NLM_F_ACK;
	}
	return 0;
}

int nctl_ask_step(struct nctl_ask *pub, const struct nctl_msgbuf *m)
{
	struct ask *q = ask_of(pub);
	struct nctl_asker *a = q->asker;
	int r = m ? set_request(q, m) : 0;

	if (r < 0)
		return r;
	pub->len = 0;
	pub->over = false;
	pub->status = 0;
	pub->interrupted = pub->interrupted && !m;
	pthread_mutex_lock(&a->lock);
	q->state = ASK_QUEUED;
	nctl_list_add_tail(&a->jobs, &q->link);
	pthread_cond_signal(&a->has_job);
	pthread_mutex_unlock(&a->lock);
	return 0;
}

struct nctl_ask *nctl_asker_pop(struct nctl_asker *a)
{
	struct ask *q;

	pthread_mutex_lock(&a->lock);
	q = take(&a->ready);
	if (q)
		q->state = ASK_IDLE;
	pthread_mutex_unlock(&a->lock);
	return q ? &q->pub : NULL;
}
