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

void fk_transport_push(struct fk_transport *t, const void *data, size_t len)
{
	size_t charge = fk_charge(len);
	if (t->congested || t->rmem + charge > t->f->rcvbuf[t->role]) {
		fk_transport_overrun(t);
		return;
	}
	struct fk_dgram *d = malloc(sizeof *d + len);
	if (!d) {
		fk_transport_overrun(t);
		return;
	}
	d->len = len;
	d->charge = charge;
	memcpy(d->data, data, len);
	nctl_list_add_tail(&t->queue, &d->node);
	t->rmem += charge;
	fk_transport_signal(t);
}

static void fk_deliver(struct nctl_fake *f, unsigned group, const void *data, size_t len)
{
	struct nctl_list *pos;
	nctl_list_for_each(pos, &f->transports) {
		struct fk_transport *t = nctl_list_entry(pos, struct fk_transport, node);
		if (!(t->groups & (UINT64_C(1) << group)))
			continue;
		if (t->drop == 0) {
			fk_transport_push(t, data, len);
		} else {
			t->drop--;
			t->overrun = true;
			fk_transport_signal(t);
		}
	}
}

void fk_broadcast(struct nctl_fake *f, unsigned group, const void *data, size_t len)
{
	if (!f->hold) {
		fk_deliver(f, group, data, len);
		return;
	}
	struct fk_dgram *d = malloc(sizeof *d + len);
	if (!d)
		abort(); /* a test without memory has nothing to say */
	d->group = group;
	d->len = len;
	memcpy(d->data, data, len);
	nctl_list_add_tail(&f->held, &d->node);
}

void fk_release_held(struct nctl_fake *f)
{
	struct nctl_list *pos, *tmp;
	f->hold = false;
	nctl_list_for_each_safe(pos, tmp, &f->held) {
		struct fk_dgram *d = nctl_list_entry(pos, struct fk_dgram, node);
		nctl_list_del(&d->node);
		fk_deliver(f, d->group, d->data, d->len);
		free(d);
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
	fk_datagram(t->f, t, buf, len);
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
	v->has_nsid = false;
	v->nsid = -1;
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
	struct nctl_list *pos, *tmp;
	struct nctl_fake *f = t->f;
	fk_lock(f);
	nctl_list_del(&t->node);
	fk_unlock(f);
	nctl_list_for_each_safe(pos, tmp, &t->queue) {
		nctl_list_del(pos);
		free(nctl_list_entry(pos, struct fk_dgram, node));
	}
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

int fk_transport_open(struct nctl_kernel *k, enum nctl_transport_role role, struct nctl_transport **ret)
{
	struct nctl_fake *f = nctl_container_of(k, struct nctl_fake, kernel);
	struct fk_transport *t = calloc(1, sizeof *t);
	if (!t)
		return -ENOMEM;
	t->efd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (t->efd < 0) {
		int r = -errno;
		free(t);
		return r;
	}
	t->base.ops = &fk_transport_ops;
	t->f = f;
	t->role = role;
	nctl_list_init(&t->queue);
	fk_lock(f);
	nctl_list_add_tail(&f->transports, &t->node);
	fk_unlock(f);
	*ret = &t->base;
	return 0;
}
