/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: One channel of requests to the helper, in the loop: a bounded queue whose front has been sent and
 * whose back waits for room in the socket. Answers come in the order of the requests, each with its request's
 * number. Calls nobody: what is answered, or what is left when it breaks, goes to its owner (helper.c).
 */
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "netns/client.h"

enum { SENDS_A_TURN = 256 };

static struct nd_request *request_of(struct nctl_list *l)
{
	return nctl_list_entry(l, struct nd_request, link);
}

void nd_request_end(struct nd_request *q)
{
	nctl_list_del(&q->link);
	if (q->done)
		q->done(&q->answer.a, q->userdata);
	nd_answer_fini(&q->answer);
	free(q->msg);
	free(q);
}

void nd_channel_init(struct nd_channel *c)
{
	*c = (struct nd_channel){.fd = -1};
	nctl_list_init(&c->requests);
	c->unsent = &c->requests;
}

void nd_channel_open(struct nd_channel *c, struct nd_loop *loop, int fd,
	void (*event)(struct nd_io *io, unsigned), void *userdata)
{
	c->fd = fd;
	nd_io_init(&c->io, loop, fd, ND_READ, event, userdata);
	nd_io_start(&c->io);
}

void nd_channel_close(struct nd_channel *c, struct nctl_list *ret_orphans)
{
	if (c->fd >= 0) {
		nd_io_stop(&c->io);
		close(take_fd(c->fd));
	}
	nctl_list_splice_tail(ret_orphans, &c->requests);
	c->unsent = &c->requests;
	c->n = 0;
}

int nd_channel_add(struct nd_channel *c, const struct nd_call *call, nd_helper_done done, void *userdata)
{
	_cleanup_(nctl_freep) struct nd_request *q = calloc(1, sizeof(*q));
	int r;

	if (!q)
		return -ENOMEM;
	if (c->n >= ND_CHANNEL_REQUESTS)
		return -EBUSY;
	r = nd_call_encode(call, c->last_id + 1, &q->msg, &q->len);
	if (r < 0)
		return r;
	nd_answer_init(&q->answer, call->type, ++c->last_id);
	if (call->type == ND_PROTO_SYSCTL_READ)
		q->answer.n_values = call->n_strings;
	q->done = done;
	q->userdata = userdata;
	nctl_list_add_tail(&c->requests, &q->link);
	c->n++;
	/* At once, if it can be: whoever waits for the answer waits a turn less. */
	if (c->unsent == &c->requests && nd_send(c->fd, q->msg, q->len) == 0) {
		free(take_ptr(q->msg));
	} else {
		if (c->unsent == &c->requests)
			c->unsent = &q->link;
		nd_io_set_events(&c->io, ND_READ | ND_WRITE);
	}
	take_ptr(q);
	return 0;
}

int nd_channel_send(struct nd_channel *c)
{
	int r = 0;

	for (unsigned i = 0; i < SENDS_A_TURN && c->unsent != &c->requests; i++) {
		struct nd_request *q = request_of(c->unsent);

		r = nd_send(c->fd, q->msg, q->len);
		if (r < 0)
			return r == -EAGAIN ? 0 : r;
		free(take_ptr(q->msg));
		c->unsent = q->link.next;
	}
	if (c->unsent == &c->requests)
		nd_io_set_events(&c->io, ND_READ);
	return 0;
}

int nd_channel_recv(struct nd_channel *c, struct nd_message *m, struct nd_request **ret, const char **ret_why)
{
	struct nctl_list *first = nctl_list_first(&c->requests);
	int r = nd_message_recv(m, c->fd);

	if (r < 0)
		return r;
	if (!first || first == c->unsent) {
		*ret_why = "nobody asked for it";
		r = -EBADMSG;
	} else {
		r = nd_answer_add(&request_of(first)->answer, m, ret_why);
	}
	nd_message_fini(m);
	if (r != 0)
		return r == ND_ANSWER_MORE ? 0 : r;
	nctl_list_del(first);
	c->n--;
	*ret = request_of(first);
	return 1;
}
