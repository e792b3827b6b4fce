/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The answer of Query: JSON lines into a pipe. One stream holds at most one filling of its buffer,
 * refills it when the reader has taken the last one, and does a bounded amount of work in each call of the
 * loop. A reader that is slow costs that buffer, one that is stuck loses the stream after a time, one that is
 * gone ends it. An empty line before the end tells the reader that nothing is missing. A stream ends with its
 * connection.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "bus/private.h"
#include "bus/query.h"
#include "log/log.h"

/* Larger fillings gain nothing any more; this one is 1.3 ms of work (tests/unit/bus tells the longest turn).
 */
#define FILL_BYTES    (256 << 10)
#define FILL_COST     (16 << 10) /* counted for a filling that found little: it looked at many links */
#define FEED_US       2000 /* in a turn, and the filling in hand */
#define PIPE_BYTES    (1 << 20)
#define WRITES_A_TURN 4
#define STALL_MS      30000

struct stream {
	struct nctl_list link;   /* in the client's streams */
	struct nctl_list hungry; /* in the bus's queue; its io is stopped then */
	struct nd_client *client;
	struct nd_query query;
	int fd; /* the writing end, non-blocking */
	struct nd_io io;
	struct nd_timer timer;
	struct nctl_strbuf buf;
	size_t sent; /* bytes of buf */
	bool ended;  /* the last filling is in buf */
	bool idle;   /* waits for the kernel, see query.ready */
};

static struct stream *stream_free(struct stream *s)
{
	nd_io_stop(&s->io);
	nd_timer_stop(&s->timer);
	nctl_list_del(&s->link);
	nctl_list_del(&s->hungry);
	s->client->n_streams--;
	s->client->bus->n_streams--;
	nd_query_end(&s->query);
	nctl_strbuf_fini(&s->buf);
	if (s->fd >= 0)
		close(s->fd);
	free(s);
	return NULL;
}

static int refill(struct stream *s)
{
	int r;

	nctl_strbuf_reset(&s->buf);
	s->sent = 0;
	r = nd_query_fill(&s->query, nd_reconcile_netns(s->client->bus->reconcile), FILL_BYTES, &s->buf);
	if (r < 0)
		return r;
	s->ended = s->query.done;
	if (s->ended)
		nctl_strbuf_putc(&s->buf, '\n');
	return s->buf.err;
}

/* 1: all is sent. 0: to be continued. A negative errno: it cannot be. */
static int pump(struct stream *s)
{
	ssize_t n;

	for (int i = 0; i < WRITES_A_TURN && s->sent < s->buf.len; i++) {
		n = write(s->fd, s->buf.s + s->sent, s->buf.len - s->sent);
		if (n < 0)
			return errno == EAGAIN || errno == EINTR ? 0 : -errno;
		s->sent += (size_t)n;
		s->client->bus->counters.bytes += (uint64_t)n;
		nd_timer_set(&s->timer, nctl_time_add_ms(nctl_time_now(), STALL_MS));
	}
	return s->ended && s->sent == s->buf.len;
}

static void fail(struct stream *s, int r)
{
	/* Neither a reader nor a namespace that is gone is our trouble. */
	if (r != -EPIPE && r != -ENXIO) {
		errno = -r;
		nd_warn("bus: an answer is cut short: %m");
	}
	stream_free(s);
}

static void queue(struct stream *s)
{
	struct nd_bus *b = s->client->bus;

	nd_io_stop(&s->io);
	nd_timer_stop(&s->timer);
	nctl_list_add_tail(&b->hungry, &s->hungry);
	nd_timer_set(&b->feed, nctl_time_now());
}

static void io_event(struct nd_io *io, unsigned events)
{
	struct stream *s = io->userdata;
	int r = pump(s);

	(void)events;
	if (r < 0)
		fail(s, r);
	else if (r > 0)
		stream_free(s);
	else if (s->sent == s->buf.len)
		queue(s);
}

/* The kernel has answered. */
static void ready(void *userdata)
{
	struct stream *s = userdata;

	/* Else it is at work with what was there before. */
	if (s->idle)
		queue(s);
	s->idle = false;
}

void nd_streams_feed(struct nd_bus *b)
{
	nctl_time until = nctl_time_add_us(nctl_time_now(), FEED_US);
	struct nctl_list *pos;
	struct stream *s;
	size_t done = 0;
	int r;

	while (done < FILL_BYTES && nctl_time_cmp(nctl_time_now(), until) < 0 &&
		(pos = nctl_list_first(&b->hungry))) {
		s = nctl_list_entry(pos, struct stream, hungry);
		nctl_list_del(&s->hungry);
		r = refill(s);
		done += s->buf.len + FILL_COST;
		if (r < 0) {
			fail(s, r);
			continue;
		}
		if (s->buf.len == 0) {
			s->idle = s->query.waiting;
			if (!s->idle)
				queue(s);
			continue;
		}
		nd_timer_set(&s->timer, nctl_time_add_ms(nctl_time_now(), STALL_MS));
		nd_io_start(&s->io);
	}
	if (!nctl_list_empty(&b->hungry))
		nd_timer_set(&b->feed, nctl_time_now());
}

static void timer_event(struct nd_timer *t)
{
	struct stream *s = t->userdata;

	s->client->bus->counters.stuck++;
	nd_info("bus: a reader of uid %u is stuck, its answer is cut short", s->client->uid);
	stream_free(s);
}

/* pipe(7): users have a quota of pipe pages; what is there already does as well, in more turns. */
static void widen(int fd)
{
	for (int size = PIPE_BYTES; size > 65536; size /= 2)
		if (fcntl(fd, F_SETPIPE_SZ, size) >= 0)
			return;
}

int nd_pipe_new(int *ret_reader, int *ret_writer)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	/* The writing end only: the reader, who gets the other one, may wait. */
	fcntl(fds[1], F_SETFL, O_NONBLOCK);
	widen(fds[1]);
	*ret_reader = fds[0];
	*ret_writer = fds[1];
	return 0;
}

int nd_stream_new(struct nd_client *c, const struct nd_query *q, int *ret_fd)
{
	struct stream *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return -ENOMEM;
	r = nd_pipe_new(ret_fd, &s->fd);
	if (r < 0) {
		free(s);
		return r;
	}
	s->client = c;
	s->query = *q;
	s->query.ready = ready;
	s->query.userdata = s;
	s->buf = NCTL_STRBUF_INIT;
	nctl_list_init(&s->link);
	nctl_list_init(&s->hungry);
	nctl_list_add_tail(&c->streams, &s->link);
	c->n_streams++;
	c->bus->n_streams++;
	nd_timer_init(&s->timer, c->bus->loop, timer_event, s);
	nd_io_init(&s->io, c->bus->loop, s->fd, ND_WRITE, io_event, s);
	c->bus->counters.queries++;
	queue(s);
	return 0;
}

void nd_streams_end(struct nd_client *c)
{
	struct nctl_list *pos;

	while ((pos = nctl_list_first(&c->streams)))
		stream_free(nctl_list_entry(pos, struct stream, link));
}
