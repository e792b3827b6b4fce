/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* DOC: the scripted kernel of the tests in this folder (script.h). */

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "nl/msg.h"
#include "script.h"

struct entry {
	struct nctl_list link;
	int error;
	bool has_nsid;
	int32_t nsid;
	size_t len;
	uint8_t data[];
};

struct script_transport {
	struct nctl_transport base;
	struct script *script;
};

static struct script *script_of(struct nctl_transport *t)
{
	return nctl_container_of(t, struct script_transport, base)->script;
}

static int script_get_fd(struct nctl_transport *t)
{
	return script_of(t)->fd;
}

static int script_send(struct nctl_transport *t, const void *buf, size_t len)
{
	struct script *s = script_of(t);

	pthread_mutex_lock(&s->lock);
	s->sends++;
	pthread_mutex_unlock(&s->lock);
	if (s->on_send)
		s->on_send(s, buf, len);
	sem_post(&s->sent);
	return 0;
}

static struct entry *script_take(struct script *s)
{
	struct nctl_list *link = nctl_list_first(&s->queue);
	eventfd_t v;

	if (!link)
		return NULL;
	nctl_list_del(link);
	if (nctl_list_empty(&s->queue))
		(void)eventfd_read(s->fd, &v);
	return nctl_list_entry(link, struct entry, link);
}

static void entry_copy(const struct entry *e, struct nctl_dgram *d)
{
	d->len = nctl_min(e->len, d->cap);
	d->truncated = e->len > d->cap;
	d->has_nsid = e->has_nsid;
	d->nsid = e->nsid;
	if (d->len > 0)
		memcpy(d->buf, e->data, d->len);
}

static int script_recv(struct nctl_transport *t, struct nctl_dgram *v, size_t n)
{
	struct script *s = script_of(t);
	struct nctl_list *first;
	int k = 0;

	pthread_mutex_lock(&s->lock);
	while ((size_t)k < n && (first = nctl_list_first(&s->queue))) {
		struct entry *e = nctl_list_entry(first, struct entry, link);
		int error = e->error;

		if (error && k > 0)
			break;
		e = script_take(s);
		if (!error)
			entry_copy(e, &v[k++]);
		free(e);
		if (error) {
			k = error;
			break;
		}
	}
	pthread_mutex_unlock(&s->lock);
	return k;
}

static int script_wait(struct nctl_transport *t, nctl_time deadline)
{
	struct pollfd p = {.fd = script_of(t)->fd, .events = POLLIN};
	int64_t us = nctl_time_diff_us(deadline, nctl_time_now());

	return poll(&p, 1, us > 0 ? (int)(us / 1000) : 0) > 0 ? 0 : -ETIMEDOUT;
}

static int script_join(struct nctl_transport *t, unsigned group)
{
	(void)t;
	return group > 0 ? 0 : -EINVAL;
}

static void script_clear(struct script *s)
{
	struct entry *e;

	while ((e = script_take(s)))
		free(e);
}

static void script_destroy(struct nctl_transport *t)
{
	struct script *s = script_of(t);

	pthread_mutex_lock(&s->lock);
	s->alive--;
	pthread_mutex_unlock(&s->lock);
	free(nctl_container_of(t, struct script_transport, base));
}

static const struct nctl_transport_ops script_ops = {
	.get_fd = script_get_fd,
	.send = script_send,
	.recv = script_recv,
	.wait = script_wait,
	.join = script_join,
	.destroy = script_destroy,
};

static int script_open(struct nctl_kernel *k, enum nctl_transport_role role, struct nctl_transport **ret)
{
	struct script *s = nctl_container_of(k, struct script, kernel);
	struct script_transport *t;

	(void)role;
	if (s->no_open)
		return -EMFILE;
	t = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	t->base.ops = &script_ops;
	t->script = s;
	pthread_mutex_lock(&s->lock);
	script_clear(s);
	s->opens++;
	s->alive++;
	pthread_mutex_unlock(&s->lock);
	*ret = &t->base;
	return 0;
}

static int script_get_cookie(struct nctl_kernel *k, uint64_t *ret)
{
	(void)k;
	*ret = 1;
	return 0;
}

void script_init(struct script *s)
{
	*s = (struct script){.kernel = {.open = script_open, .get_cookie = script_get_cookie}};
	pthread_mutex_init(&s->lock, NULL);
	nctl_list_init(&s->queue);
	sem_init(&s->sent, 0, 0);
	s->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

void script_fini(struct script *s)
{
	script_clear(s);
	nctl_closep(&s->fd);
	sem_destroy(&s->sent);
	pthread_mutex_destroy(&s->lock);
}

static void script_queue(struct script *s, const struct entry *head, const void *data)
{
	struct entry *e = malloc(sizeof(*e) + head->len);

	*e = *head;
	if (data)
		memcpy(e->data, data, e->len);
	pthread_mutex_lock(&s->lock);
	if (nctl_list_empty(&s->queue))
		(void)eventfd_write(s->fd, 1);
	nctl_list_add_tail(&s->queue, &e->link);
	pthread_mutex_unlock(&s->lock);
}

void script_put(struct script *s, const void *data, size_t len)
{
	script_queue(s, &(struct entry){.len = len}, data);
}

void script_put_nsid(struct script *s, const void *data, size_t len, int32_t nsid)
{
	script_queue(s, &(struct entry){.len = len, .has_nsid = true, .nsid = nsid}, data);
}

void script_put_error(struct script *s, int error)
{
	script_queue(s, &(struct entry){.error = error}, NULL);
}

void script_put_ack(struct script *s, const struct script_ack *ack)
{
	_Alignas(8) uint8_t buf[512];
	uint8_t echo[128] = {0xee};
	struct nlmsgerr err = {.error = ack->error, .msg = {.nlmsg_seq = ack->seq}};
	struct nctl_msgbuf m;
	struct nlmsghdr *nlh = (void *)buf;

	err.msg.nlmsg_len = (uint32_t)(NLMSG_HDRLEN + ack->echo);
	nctl_msgbuf_init(&m, buf, sizeof(buf));
	nctl_msg_begin(&m, NLMSG_ERROR, 0, &err, sizeof(err));
	if (ack->echo)
		nctl_msg_put_raw(&m, echo, ack->echo);
	if (ack->text)
		nctl_msg_put_str(&m, NLMSGERR_ATTR_MSG, ack->text);
	if (ack->offset)
		nctl_msg_put_u32(&m, NLMSGERR_ATTR_OFFS, ack->offset);
	nctl_msg_commit(&m, ack->seq);
	nlh->nlmsg_flags = (ack->echo ? 0 : NLM_F_CAPPED) | (ack->text || ack->offset ? NLM_F_ACK_TLVS : 0);
	script_put(s, buf, m.len);
}
