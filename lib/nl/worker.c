/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * DOC: sending and receiving in a requester's thread. rtnetlink answers inside send(), so that the answer is
 * nearly always there when receive is called first; poll(2) is only for the rest. Reading the clock and
 * polling are kept out of the usual path, since a system call costs 20 us in a slow guest. Of the namespaces
 * that it works in it keeps a few transports.
 */

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <linux/rtnetlink.h>

#include "base/cleanup.h"
#include "nl/worker.h"

enum {
	WORKER_VECTOR = 32, /* datagrams a receive call; a dump fills them all, so they cost memory */
	DEFAULT_TIMEOUT_MS = 30000,
	DEFAULT_DUMP_TRIES = 10,
};

uint32_t nctl_seq_take(uint32_t n)
{
	static atomic_uint_least32_t next = 1;

	return (uint32_t)atomic_fetch_add_explicit(&next, n, memory_order_relaxed);
}

int nctl_msg_error(const struct nlmsghdr *nlh)
{
	int error;

	if (nlh->nlmsg_len < NLMSG_HDRLEN + sizeof(error))
		return 0;
	memcpy(&error, (const uint8_t *)nlh + NLMSG_HDRLEN, sizeof(error));
	return nctl_min(error, 0);
}

static void close_place(struct nctl_worker *w, size_t i)
{
	nctl_transport_free(w->places[i].transport);
	nctl_kernel_unref(w->places[i].kernel);
	w->n_places--;
	memmove(&w->places[i], &w->places[i + 1], (w->n_places - i) * sizeof(w->places[0]));
}

static void to_front(struct nctl_worker *w, size_t i)
{
	struct nctl_worker_place p = w->places[i];

	memmove(&w->places[1], &w->places[0], i * sizeof(w->places[0]));
	w->places[0] = p;
	w->transport = p.transport;
}

/* The place that was not used for longest goes, but never home. */
static void make_room(struct nctl_worker *w)
{
	size_t last = w->n_places - 1;

	if (w->n_places == NCTL_ARRAY_SIZE(w->places))
		close_place(w, w->places[last].kernel == w->home ? last - 1 : last);
}

int nctl_worker_enter(struct nctl_worker *w, struct nctl_kernel *kernel)
{
	struct nctl_worker_place p = {.kernel = kernel};
	int r;

	for (size_t i = 0; i < w->n_places; i++) {
		if (w->places[i].kernel != kernel)
			continue;
		to_front(w, i);
		return 0;
	}
	w->transport = NULL;
	r = kernel->open(kernel, NCTL_TRANSPORT_REQUEST, &p.transport);
	if (r < 0)
		return r;
	make_room(w);
	nctl_kernel_ref(kernel);
	w->places[w->n_places++] = p;
	to_front(w, w->n_places - 1);
	return 0;
}

void nctl_worker_go_home(struct nctl_worker *w)
{
	for (size_t i = w->n_places; i-- > 0;)
		if (w->places[i].kernel != w->home)
			close_place(w, i);
	w->transport = w->places[0].transport;
}

int nctl_worker_init(
	struct nctl_worker *w, struct nctl_kernel *kernel, const struct nctl_requester_options *opts)
{
	int r;

	*w = (struct nctl_worker){.home = kernel, .stop_fd = -1};
	w->timeout_ms = opts && opts->timeout_ms ? opts->timeout_ms : DEFAULT_TIMEOUT_MS;
	w->dump_tries = opts && opts->dump_tries ? opts->dump_tries : DEFAULT_DUMP_TRIES;
	r = nctl_dgvec_init(&w->dgrams, WORKER_VECTOR);
	if (r < 0)
		return r;
	w->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r = w->stop_fd < 0 ? -errno : nctl_worker_enter(w, kernel);
	if (r < 0)
		nctl_worker_fini(w);
	return r;
}

void nctl_worker_fini(struct nctl_worker *w)
{
	while (w->n_places)
		close_place(w, w->n_places - 1);
	nctl_dgvec_fini(&w->dgrams);
	nctl_closep(&w->stop_fd);
	w->stop_fd = -1;
}

void nctl_worker_stop(struct nctl_worker *w)
{
	atomic_store(&w->stop, true);
	(void)eventfd_write(w->stop_fd, 1);
}

int nctl_worker_send(struct nctl_worker *w, const void *buf, size_t len, size_t n)
{
	w->stats.sends++;
	w->stats.messages += n;
	return w->transport->ops->send(w->transport, buf, len);
}

int nctl_worker_recv_nowait(struct nctl_worker *w)
{
	int k = w->transport->ops->recv(w->transport, w->dgrams.v, w->dgrams.n);

	w->stats.receives++;
	if (k == -ENOBUFS)
		w->stats.lost_acks++;
	return k;
}

static int worker_wait(struct nctl_worker *w)
{
	struct pollfd p[] = {
		{.fd = w->transport->ops->get_fd(w->transport), .events = POLLIN},
		{.fd = w->stop_fd, .events = POLLIN},
	};
	int k;

	do
		k = poll(p, NCTL_ARRAY_SIZE(p), (int)nctl_min(w->timeout_ms, (unsigned)INT_MAX));
	while (k < 0 && errno == EINTR);
	if (k < 0)
		return -errno;
	return k > 0 ? 0 : -ETIMEDOUT;
}

int nctl_worker_recv(struct nctl_worker *w)
{
	while (!atomic_load_explicit(&w->stop, memory_order_relaxed)) {
		int k = nctl_worker_recv_nowait(w);

		if (k != 0)
			return k;
		k = worker_wait(w);
		if (k < 0)
			return k;
	}
	return -ECANCELED;
}

int nctl_worker_reopen(struct nctl_worker *w)
{
	struct nctl_kernel *kernel = w->places[0].kernel;
	struct nctl_transport *fresh;
	int r;

	r = kernel->open(kernel, NCTL_TRANSPORT_REQUEST, &fresh);
	if (r < 0)
		return r;
	nctl_transport_free(w->transport);
	w->transport = w->places[0].transport = fresh;
	return 0;
}
