/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Kernels of other namespaces: transports that the helper opens. Requester threads ask for them, one at
 * a time, on the line, a channel of its own; the loop replaces the channel when a helper dies and another one
 * comes. Two locks: that of the line is held for a few instructions only, so that the loop never waits; that
 * of a channel is held while a thread waits for its answer. Replacing shuts the old channel down, which ends
 * such a wait.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <linux/netlink.h>

#include "base/cleanup.h"
#include "base/time.h"
#include "log/log.h"
#include "netns/client.h"

enum {
	OPEN_TIMEOUT_MS = 10000,
	LATE_MAX = 16, /* answers that nobody waits for any more; then the helper is given up */
};

/* The channel to one helper. */
struct wire {
	atomic_uint refs;
	int fd;
	pthread_mutex_t use; /* held for one exchange; guards what follows */
	uint64_t sent, answered;
	bool broken;
	struct nd_message m;
};

struct nd_line {
	atomic_uint refs;
	atomic_uint timeout_ms;
	pthread_mutex_t lock; /* guards: */
	struct wire *wire;    /* NULL: no helper */
};

struct line_kernel {
	struct nctl_kernel base;
	struct nd_line *line;
	struct nd_netns_ref ref;
	char name[];
};

static struct wire *wire_unref(struct wire *w)
{
	if (!w || atomic_fetch_sub(&w->refs, 1) > 1)
		return NULL;
	pthread_mutex_destroy(&w->use);
	close(w->fd);
	free(w);
	return NULL;
}

static void wire_unrefp(struct wire **w)
{
	wire_unref(*w);
}

static struct wire *wire_new(int fd)
{
	struct wire *w = fd >= 0 ? calloc(1, sizeof(*w)) : NULL;

	if (!w) {
		nctl_closep(&fd);
		return NULL;
	}
	w->refs = 1;
	w->fd = fd;
	pthread_mutex_init(&w->use, NULL);
	return w;
}

int nd_line_new(struct nd_line **ret)
{
	struct nd_line *l = calloc(1, sizeof(*l));

	if (!l)
		return -ENOMEM;
	l->refs = 1;
	l->timeout_ms = OPEN_TIMEOUT_MS;
	pthread_mutex_init(&l->lock, NULL);
	*ret = l;
	return 0;
}

struct nd_line *nd_line_unref(struct nd_line *l)
{
	if (!l || atomic_fetch_sub(&l->refs, 1) > 1)
		return NULL;
	wire_unref(l->wire);
	pthread_mutex_destroy(&l->lock);
	free(l);
	return NULL;
}

void nd_line_set_timeout(struct nd_line *l, unsigned ms)
{
	l->timeout_ms = ms;
}

void nd_line_replace(struct nd_line *l, int fd)
{
	struct wire *old, *new = wire_new(fd);

	pthread_mutex_lock(&l->lock);
	old = l->wire;
	l->wire = new;
	pthread_mutex_unlock(&l->lock);
	if (old)
		shutdown(old->fd, SHUT_RDWR);
	wire_unref(old);
}

static struct wire *line_wire(struct nd_line *l)
{
	struct wire *w;

	pthread_mutex_lock(&l->lock);
	w = l->wire;
	if (w)
		atomic_fetch_add(&w->refs, 1);
	pthread_mutex_unlock(&l->lock);
	return w;
}

static int wire_wait(struct wire *w, short events, nctl_time deadline)
{
	struct pollfd p = {.fd = w->fd, .events = events};
	int64_t us = nctl_time_diff_us(deadline, nctl_time_now());
	int k = poll(&p, 1, us > 0 ? (int)((us + 999) / 1000) : 0);

	if (k < 0)
		return errno == EINTR ? 0 : -errno;
	return k > 0 ? 0 : -ETIMEDOUT;
}

static int wire_send(struct wire *w, const struct nd_call *c, nctl_time deadline)
{
	_cleanup_(nctl_freep) char *msg = NULL;
	size_t len;
	int r = nd_call_encode(c, w->sent + 1, &msg, &len);

	if (r < 0)
		return r;
	while ((r = nd_send(w->fd, msg, len)) == -EAGAIN) {
		r = wire_wait(w, POLLOUT, deadline);
		if (r < 0)
			return r;
	}
	if (r == 0)
		w->sent++;
	return r;
}

/* Reads one answer. 0: it is that of request w->sent; 1: a late one of before, or nothing yet; -errno. */
static int wire_recv(struct wire *w, struct nd_answer *a, const char **ret_why)
{
	struct nd_answer late;
	int r = nd_message_recv(&w->m, w->fd);

	if (r < 0)
		return r == -EAGAIN ? 1 : r;
	nd_answer_init(&late, ND_PROTO_OPEN_SOCKET, w->answered + 1);
	r = nd_answer_add(w->answered + 1 == w->sent ? a : &late, &w->m, ret_why);
	nd_answer_fini(&late);
	if (r == 0 && ++w->answered < w->sent) {
		nd_message_fini(&w->m);
		return 1;
	}
	return r;
}

static int check_socket(int fd, uint64_t cookie, enum nctl_transport_role role)
{
	static const int options[] = {SO_DOMAIN, SO_PROTOCOL};
	const int values[] = {AF_NETLINK, nctl_transport_protocol(role)};
	socklen_t len = sizeof(int);
	uint64_t real;
	int v;

	for (size_t i = 0; i < NCTL_ARRAY_SIZE(options); i++)
		if (getsockopt(fd, SOL_SOCKET, options[i], &v, &len) < 0 || v != values[i])
			return -EBADMSG;
	len = sizeof(real);
	if (getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, &real, &len) < 0 || real != cookie)
		return -EBADMSG;
	return 0;
}

/* One exchange, with w->use held. */
static int wire_ask(struct wire *w, const struct nd_call *c, nctl_time deadline, int *ret_fd)
{
	const char *why = "it is too long";
	struct nd_answer a;
	int r;

	if (w->broken || w->sent - w->answered >= LATE_MAX)
		return -EPIPE;
	r = wire_send(w, c, deadline);
	if (r < 0)
		return r;
	nd_answer_init(&a, ND_PROTO_OPEN_SOCKET, w->sent);
	while ((r = wire_recv(w, &a, &why)) == 1) {
		r = wire_wait(w, POLLIN, deadline);
		if (r < 0)
			break;
	}
	if (r == 0 && a.a.error == 0) {
		why = "it is no socket of that namespace";
		r = check_socket(w->m.fds[0], c->refs[0]->cookie, (enum nctl_transport_role)c->number);
		if (r == 0)
			*ret_fd = take_fd(w->m.fds[0]);
	} else if (r == 0) {
		r = a.a.error == -ESTALE ? -ENOENT : a.a.error;
	}
	nd_answer_fini(&a);
	nd_message_fini(&w->m);
	if (r == -EBADMSG)
		nd_error("the helper's answer about a socket is wrong: %s", why);
	return r;
}

static int line_open(struct nctl_kernel *base, enum nctl_transport_role role, struct nctl_transport **ret)
{
	struct line_kernel *k = nctl_container_of(base, struct line_kernel, base);
	nctl_time deadline = nctl_time_add_ms(nctl_time_now(), k->line->timeout_ms);
	_cleanup_(wire_unrefp) struct wire *w = line_wire(k->line);
	struct nd_call c = {
		.type = ND_PROTO_OPEN_SOCKET,
		.refs = {&k->ref},
		.n_refs = 1,
		.number = role,
	};
	int r, fd = -1;

	if (!w)
		return -EPIPE;
	pthread_mutex_lock(&w->use);
	r = wire_ask(w, &c, deadline, &fd);
	if (r == -EBADMSG || w->sent - w->answered >= LATE_MAX) {
		/* The helper ends when one of its channels does; the loop sees that. */
		w->broken = true;
		shutdown(w->fd, SHUT_RDWR);
	}
	pthread_mutex_unlock(&w->use);
	if (r == -EBADMSG)
		return -EPIPE;
	return r < 0 ? r : nctl_transport_from_fd(fd, ret);
}

static int line_get_cookie(struct nctl_kernel *base, uint64_t *ret)
{
	*ret = nctl_container_of(base, struct line_kernel, base)->ref.cookie;
	return 0;
}

static void line_destroy(struct nctl_kernel *base)
{
	struct line_kernel *k = nctl_container_of(base, struct line_kernel, base);

	nd_line_unref(k->line);
	free(k);
}

int nd_line_kernel(struct nd_line *l, const struct nd_netns_ref *ref, struct nctl_kernel **ret)
{
	const char *name = ref->name ? ref->name : "";
	struct line_kernel *k;

	if (!ref->cookie)
		return -EINVAL;
	k = calloc(1, sizeof(*k) + strlen(name) + 1);
	if (!k)
		return -ENOMEM;
	k->base.open = line_open;
	k->base.get_cookie = line_get_cookie;
	k->base.destroy = line_destroy;
	k->ref = (struct nd_netns_ref){.name = k->name, .pid = ref->pid, .cookie = ref->cookie};
	strcpy(k->name, name);
	atomic_fetch_add(&l->refs, 1);
	k->line = l;
	*ret = &k->base;
	return 0;
}
