/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: transports of the fake kernel: queues of datagrams with a receive buffer that overruns as
 * af_netlink.c's does (ENOBUFS once, then silence until the queue has been emptied), multicast delivery,
 * events held back. The descriptor is an eventfd that is readable exactly while recv would give something.
 * Everything runs under the fake's lock; wait polls outside of it.
 */

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "fake/core.h"

static struct fk_transport *fk_transport_of(struct nctl_transport *t)
{
	return nctl_container_of(t, struct fk_transport, base);
}

static void fk_transport_signal(struct fk_transport *t)
{
	bool want = t->overrun || !nctl_list_empty(&t->queue);
	uint64_t v = 1;
	if (want == t->signalled)
		return;
	ssize_t n = want ? write(t->efd, &v, sizeof v) : read(t->efd, &v, sizeof v);
	if (n == sizeof v)
		t->signalled = want;
}

/* What the kernel charges for a datagram: measured 832 bytes for an ack, 2304 for a link's event. */
static size_t fk_charge(size_t len)
{
	size_t size = 512;
	while (size < len + 320)
		size *= 2;
	return size + (size == 512 ? 320 : 256);
}

void fk_transport_overrun(struct fk_transport *t)
{
	t->overrun = true;
	t->congested = true;
	fk_transport_signal(t);
}

void fk_transport_push(struct fk_transport *t, const void *data, size_t len, int32_t nsid)
{
	size_t charge = fk_charge(len);
	if (t->congested)
		return;
	if (t->rmem + charge > t->f->rcvbuf[t->role]) {
		fk_transport_overrun(t);
		return;
	}
	struct fk_dgram *d = malloc(sizeof *d + len);
	if (!d) {
		fk_transport_overrun(t);
		return;
	}
	d->len = len;
	d->nsid = nsid;
	d->charge = charge;
	memcpy(d->data, data, len);
	nctl_list_add_tail(&t->queue, &d->node);
	t->rmem += charge;
	fk_transport_signal(t);
}

static void fk_deliver(struct fk_transport *t, const void *data, size_t len, int32_t nsid)
{
	if (t->drop == 0) {
		fk_transport_push(t, data, len, nsid);
		return;
	}
	t->drop--;
	t->overrun = true;
	fk_transport_signal(t);
}

static void fk_hold(struct fk_transport *t, const void *data, size_t len, int32_t nsid)
{
	struct fk_dgram *d = malloc(sizeof *d + len);
	if (!d)
		abort(); /* a test without memory has nothing to say */
	d->len = len;
	d->nsid = nsid;
	memcpy(d->data, data, len);
	nctl_list_add_tail(&t->held, &d->node);
}

/* do_one_broadcast(): to those who are in ns, and to those who listen to all and have an nsid for it. */
void fk_broadcast(struct fk_netns *ns, unsigned group, const void *data, size_t len)
{
	struct nctl_list *pos;
	nctl_list_for_each(pos, &ns->f->transports) {
		struct fk_transport *t = nctl_list_entry(pos, struct fk_transport, node);
		if (!(t->groups & (UINT64_C(1) << group)))
			continue;
		if (t->ns != ns && t->role != NCTL_TRANSPORT_EVENTS_ALL)
			continue;
		int32_t nsid = fk_netns_id(t->ns, ns);
		if (t->ns != ns && nsid < 0)
			continue;
		if (ns->f->hold)
			fk_hold(t, data, len, nsid);
		else
			fk_deliver(t, data, len, nsid);
	}
}

void fk_release_held(struct nctl_fake *f)
{
	struct nctl_list *pos, *held;
	f->hold = false;
	nctl_list_for_each(pos, &f->transports) {
		struct fk_transport *t = nctl_list_entry(pos, struct fk_transport, node);
		while ((held = nctl_list_first(&t->held))) {
			struct fk_dgram *d = nctl_list_entry(held, struct fk_dgram, node);
			nctl_list_del(&d->node);
			fk_deliver(t, d->data, d->len, d->nsid);
			free(d);
		}
	}
}

void fk_queue_free(struct nctl_list *queue)
{
	struct nctl_list *pos;
	while ((pos = nctl_list_first(queue))) {
		nctl_list_del(pos);
		free(nctl_list_entry(pos, struct fk_dgram, node));
	}
}

static int fk_op_get_fd(struct nctl_transport *base)
{
	return fk_transport_of(base)->efd;
}

static int fk_op_send(struct nctl_transport *base, const void *buf, size_t len)
{
	struct fk_transport *t = fk_transport_of(base);
	fk_lock(t->f);
	fk_datagram(t->ns, t, buf, len);
	fk_unlock(t->f);
	return 0;
}

/* Moves the first datagram of the queue to v. */
static void fk_take(struct fk_transport *t, struct nctl_dgram *v)
{
	struct fk_dgram *d = nctl_list_entry(nctl_list_first(&t->queue), struct fk_dgram, node);
	size_t cap = v->cap;
	if (t->f->truncate) {
		t->f->truncate--;
		cap = nctl_min(cap, t->f->truncate_len);
	}
	v->len = nctl_min(d->len, cap);
	v->truncated = d->len > cap;
	v->has_nsid = t->role == NCTL_TRANSPORT_EVENTS_ALL && d->nsid >= 0;
	v->nsid = v->has_nsid ? d->nsid : -1;
	memcpy(v->buf, d->data, v->len);
	nctl_list_del(&d->node);
	t->rmem -= d->charge;
	free(d);
	if (nctl_list_empty(&t->queue))
		t->congested = false;
	if (t->dump.active && t->rmem <= t->f->rcvbuf[t->role] / 2)
		fk_dump_next(t);
}

static int fk_op_recv(struct nctl_transport *base, struct nctl_dgram *v, size_t n)
{
	struct fk_transport *t = fk_transport_of(base);
	int got = 0;
	fk_lock(t->f);
	if (t->overrun) {
		t->overrun = false;
		if (nctl_list_empty(&t->queue))
			t->congested = false;
		got = -ENOBUFS;
	} else {
		while ((size_t)got < n && !nctl_list_empty(&t->queue))
			fk_take(t, &v[got++]);
	}
	fk_transport_signal(t);
	fk_unlock(t->f);
	return got;
}

static int fk_op_wait(struct nctl_transport *base, nctl_time deadline)
{
	struct fk_transport *t = fk_transport_of(base);
	struct pollfd p = {.fd = t->efd, .events = POLLIN};
	for (;;) {
		struct timespec ts;
		bool never = nctl_time_cmp(deadline, NCTL_TIME_NEVER) == 0;
		if (!never) {
			int64_t us = nctl_max(nctl_time_diff_us(deadline, nctl_time_now()), (int64_t)0);
			ts = (struct timespec){us / 1000000, us % 1000000 * 1000};
		}
		int r = ppoll(&p, 1, never ? NULL : &ts, NULL);
		if (r > 0)
			return 0;
		if (r == 0)
			return -ETIMEDOUT;
		if (errno != EINTR)
			return -errno;
	}
}

static int fk_op_join(struct nctl_transport *base, unsigned group)
{
	struct fk_transport *t = fk_transport_of(base);
	if (group == 0 || group >= 64)
		return -EINVAL;
	fk_lock(t->f);
	t->groups |= UINT64_C(1) << group;
	fk_unlock(t->f);
	return 0;
}

static void fk_op_destroy(struct nctl_transport *base)
{
	struct fk_transport *t = fk_transport_of(base);
	struct nctl_fake *f = t->f;
	fk_lock(f);
	nctl_list_del(&t->node);
	t->ns->n_transports--;
	fk_netns_unhold(t->ns);
	fk_unlock(f);
	fk_queue_free(&t->queue);
	fk_queue_free(&t->held);
	close(t->efd);
	free(t);
}

static const struct nctl_transport_ops fk_transport_ops = {
	.get_fd = fk_op_get_fd,
	.send = fk_op_send,
	.recv = fk_op_recv,
	.wait = fk_op_wait,
	.join = fk_op_join,
	.destroy = fk_op_destroy,
};

/* 0; -ENOENT when the namespace is gone. */
static int fk_transport_attach(struct fk_transport *t, const struct fk_kernel *k)
{
	int r = 0;
	fk_lock(k->f);
	t->ns = fk_netns_find(k->f, k->cookie);
	if (!t->ns)
		r = -ENOENT;
	else if (t->role == NCTL_TRANSPORT_EVENTS_ALL && k->f->deaf)
		r = -EOPNOTSUPP;
	if (r == 0) {
		t->ns->n_transports++;
		nctl_list_add_tail(&k->f->transports, &t->node);
	}
	fk_unlock(k->f);
	return r;
}

int fk_transport_open(struct nctl_kernel *base, enum nctl_transport_role role, struct nctl_transport **ret)
{
	const struct fk_kernel *k = nctl_container_of(base, struct fk_kernel, base);
	if (role == NCTL_TRANSPORT_GENERIC)
		return -EOPNOTSUPP; /* it knows no family */
	struct fk_transport *t = calloc(1, sizeof *t);
	if (!t)
		return -ENOMEM;
	t->efd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	int r = t->efd < 0 ? -errno : 0;
	t->base.ops = &fk_transport_ops;
	t->f = k->f;
	t->role = role;
	nctl_list_init(&t->queue);
	nctl_list_init(&t->held);
	if (r == 0)
		r = fk_transport_attach(t, k);
	if (r < 0) {
		if (t->efd >= 0)
			close(t->efd);
		free(t);
		return r;
	}
	*ret = &t->base;
	return 0;
}
