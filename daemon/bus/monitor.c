/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The streams of Monitor: records of what changes, over a pipe, each a JSON line with a number. Records
 * come from inside of the hub's dispatch (watch.c) and are only copied, into a buffer with a bound. A reader
 * for whom it is full loses what is in it and all that follows, until it has read what is left; then it is
 * told how many were lost, in a record "gap", and knows that it has to ask again. So a reader that is stuck
 * costs that buffer and nothing else, and one that reads knows whether it missed something.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "bus/monitor.h"
#include "bus/query/object.h"
#include "log/log.h"

#define BUFFER_BYTES  (256 << 10) /* of records not yet written; the pipe holds some more */
#define WRITES_A_TURN 4

static struct nd_monitor *monitor_free(struct nd_monitor *m)
{
	struct nd_bus *b = m->client->bus;

	nd_io_stop(&m->io);
	nctl_list_del(&m->link);
	nctl_list_del(&m->all);
	nctl_list_del(&m->hungry);
	m->client->n_monitors--;
	b->n_monitors--;
	nctl_strbuf_fini(&m->buf);
	if (m->fd >= 0)
		close(m->fd);
	free(m);
	if (nctl_list_empty(&b->monitors))
		nd_watch_end(b);
	return NULL;
}

/* Where the line that is being written, or must not be lost, ends. */
static size_t end_of_first(const struct nd_monitor *m)
{
	const char *nl;

	if (!m->gap_first && (m->sent == 0 || m->buf.s[m->sent - 1] == '\n'))
		return m->sent;
	nl = memchr(m->buf.s + m->sent, '\n', m->buf.len - m->sent);
	return nl ? (size_t)(nl + 1 - m->buf.s) : m->buf.len;
}

static void drop_all(struct nd_monitor *m)
{
	size_t keep = m->buf.len ? end_of_first(m) : 0;

	for (const char *p = m->buf.s + keep; p < m->buf.s + m->buf.len; p++)
		m->lost += *p == '\n';
	m->buf.len = keep;
	m->client->bus->counters.gaps++;
}

static void hunger(struct nd_monitor *m)
{
	struct nd_bus *b = m->client->bus;

	nd_io_stop(&m->io);
	nctl_list_del(&m->hungry);
	nctl_list_add_tail(&b->hungry_monitors, &m->hungry);
	nd_timer_set(&b->feed, nctl_time_now());
}

/* What was sent goes when it is more than what is left: each byte is moved once at most. */
static void compact(struct nd_monitor *m)
{
	if (m->sent * 2 < m->buf.len)
		return;
	memmove(m->buf.s, m->buf.s + m->sent, m->buf.len - m->sent);
	m->buf.len -= m->sent;
	m->sent = 0;
}

void nd_monitor_put(struct nd_monitor *m, const char *body, size_t len)
{
	char seq[40];
	int n;

	m->seq++;
	if (m->lost) {
		m->lost++;
		return;
	}
	if (m->sent)
		compact(m);
	n = snprintf(seq, sizeof(seq), "{\"seq\":%llu,", (unsigned long long)m->seq);
	if (!body || m->buf.len - m->sent + (size_t)n + len > BUFFER_BYTES) {
		drop_all(m);
		m->lost++;
	} else {
		nctl_strbuf_put(&m->buf, seq, (size_t)n);
		nctl_strbuf_put(&m->buf, body + 1, len - 1);
		nctl_strbuf_putc(&m->buf, '\n');
	}
	if (m->buf.len > m->sent)
		nd_io_start(&m->io);
	else
		hunger(m);
}

/* All that was left is written: the reader is told what it missed. */
static void put_gap(struct nd_monitor *m)
{
	struct nctl_session *s = m->only ? nd_netns_session(m->only) : NULL;
	struct nctl_session_stats stats = {0};
	struct nctl_json json;

	if (s)
		nctl_session_get_stats(s, &stats);
	nctl_strbuf_reset(&m->buf);
	m->sent = 0;
	nctl_json_init(&json, &m->buf);
	nctl_json_obj_begin(&json);
	nctl_json_ku64(&json, "seq", m->seq);
	nctl_json_kstr(&json, "op", "gap");
	nctl_json_ku64(&json, "lost", m->lost);
	if (s)
		nctl_json_ku64(&json, "epoch", stats.epoch);
	nctl_json_obj_end(&json);
	nctl_strbuf_putc(&m->buf, '\n');
	m->gap_first = true;
	m->lost = 0;
	if (m->initial)
		nd_present_begin(m);
}

/* 0, or a negative errno: it is over. */
static int pump(struct nd_monitor *m)
{
	ssize_t n;

	for (int i = 0; i < WRITES_A_TURN && m->sent < m->buf.len; i++) {
		n = write(m->fd, m->buf.s + m->sent, m->buf.len - m->sent);
		if (n < 0)
			return errno == EAGAIN || errno == EINTR ? 0 : -errno;
		/* A gap is the first line, and short: it was written as a whole. */
		m->gap_first = false;
		m->sent += (size_t)n;
		m->client->bus->counters.bytes += (uint64_t)n;
	}
	return m->buf.err;
}

static void io_event(struct nd_io *io, unsigned events)
{
	struct nd_monitor *m = io->userdata;
	int r = pump(m);

	(void)events;
	if (r < 0) {
		monitor_free(m);
		return;
	}
	if (m->sent < m->buf.len)
		return;
	nctl_strbuf_reset(&m->buf);
	m->sent = 0;
	if (m->lost || m->present.on)
		hunger(m);
	else
		nd_io_stop(io);
}

void nd_monitors_feed(struct nd_bus *b)
{
	struct nctl_list *pos = nctl_list_first(&b->hungry_monitors);
	struct nd_monitor *m;

	if (!pos)
		return;
	/* One a turn: a piece is half a millisecond of work. */
	m = nctl_list_entry(pos, struct nd_monitor, hungry);
	nctl_list_del(&m->hungry);
	if (m->lost && m->buf.len == m->sent)
		put_gap(m);
	else if (!m->lost && m->present.on && nd_present_some(m, nd_reconcile_netns(b->reconcile)) < 0)
		nd_monitor_put(m, NULL, 0);
	if (m->buf.len > m->sent)
		nd_io_start(&m->io);
	else if (m->present.on || m->lost)
		hunger(m);
	if (!nctl_list_empty(&b->hungry_monitors))
		nd_timer_set(&b->feed, nctl_time_now());
}

/* Readers that closed the pipe are noticed at a write, or when their room is needed. */
static void reap(struct nd_bus *b)
{
	struct nctl_list *pos, *next;

	nctl_list_for_each_safe(pos, next, &b->monitors) {
		struct nd_monitor *m = nctl_list_entry(pos, struct nd_monitor, all);
		struct pollfd p = {.fd = m->fd, .events = POLLOUT};

		if (poll(&p, 1, 0) > 0 && p.revents & POLLERR)
			monitor_free(m);
	}
}

static int take_filter(
	struct nd_query *q, struct nd_monitor *m, const char *key, const char *value, sd_bus_error *error)
{
	bool flag = false;

	if (strcmp(key, "netns") == 0)
		return nd_filter_netns(q, value, error);
	if (strcmp(key, "all-netns") == 0)
		return nd_filter_all_netns(q, value, error);
	if (strcmp(key, "family") == 0)
		return nd_filter_family(q, value, error);
	if (strcmp(key, "initial") == 0)
		return nd_filter_flag(key, value, &m->initial, error);
	if (strcmp(key, "all") == 0) {
		m->objects |= (1U << ND_MONITOR_N_OBJECTS) - 1;
		return nd_filter_flag(key, value, &flag, error);
	}
	for (unsigned i = 0; i < ND_MONITOR_N_OBJECTS; i++) {
		if (strcmp(key, nd_monitor_objects[i]) != 0)
			continue;
		m->objects |= 1U << i;
		return nd_filter_flag(key, value, &flag, error);
	}
	return nd_filter_invalid(
		error, "Nothing that can be monitored", key, "link, address, route, rule, nexthop, netns");
}

static int read_filters(sd_bus_message *m, struct nd_monitor *monitor, sd_bus_error *error)
{
	struct nd_query q = {0};
	const char *key, *value;
	int r = sd_bus_message_enter_container(m, 'a', "{ss}");

	while (r >= 0 && (r = sd_bus_message_read(m, "{ss}", &key, &value)) > 0)
		r = take_filter(&q, monitor, key, value, error);
	if (r < 0)
		return r;
	monitor->space = q.space;
	monitor->family = q.family;
	strcpy(monitor->name, q.netns);
	if (!monitor->objects)
		monitor->objects = (1U << ND_MONITOR_N_OBJECTS) - 1;
	return 0;
}

static int settle(struct nd_monitor *m, const struct nd_netns_set *set, sd_bus_error *error)
{
	const struct nd_netns *n = *m->name ? nd_netns_find(set, m->name) : nd_netns_from(set, 0);

	if (m->space == ND_SCOPE_ALL)
		return 0;
	if (!n || nd_netns_error(n))
		return nd_query_no_netns(error, m->name, n);
	/* One that is still being joined is met when it is born. */
	m->only = nd_netns_session(n) ? n : NULL;
	return 0;
}

static int start(struct nd_client *c, const struct nd_monitor *wanted, int *ret_fd)
{
	struct nd_bus *b = c->bus;
	struct nd_monitor *m = malloc(sizeof(*m));
	int r;

	if (!m)
		return -ENOMEM;
	*m = *wanted;
	r = nd_pipe_new(ret_fd, &m->fd);
	if (r < 0) {
		free(m);
		return r;
	}
	m->client = c;
	m->buf = NCTL_STRBUF_INIT;
	nctl_list_init(&m->link);
	nctl_list_init(&m->all);
	nctl_list_init(&m->hungry);
	nctl_list_add_tail(&c->monitors, &m->link);
	nctl_list_add_tail(&b->monitors, &m->all);
	c->n_monitors++;
	b->n_monitors++;
	b->counters.monitors++;
	nd_io_init(&m->io, b->loop, m->fd, ND_WRITE, io_event, m);
	r = nd_watch_begin(b, m);
	if (r < 0) {
		close(*ret_fd);
		monitor_free(m);
		return r;
	}
	if (m->initial) {
		nd_present_begin(m);
		hunger(m);
	}
	return 0;
}

int nd_method_monitor(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	_cleanup_(nctl_closep) int fd = -1;
	struct nd_monitor wanted = {.fd = -1};
	struct nd_client *c = userdata;
	int r;

	if (!nd_reconcile_is_ready(c->bus->reconcile))
		return nd_not_ready(error);
	r = read_filters(m, &wanted, error);
	if (r < 0)
		return r;
	if (wanted.space != ND_SCOPE_OWN)
		nd_netns_set_look(nd_reconcile_netns(c->bus->reconcile));
	r = settle(&wanted, nd_reconcile_netns(c->bus->reconcile), error);
	if (r < 0)
		return r;
	reap(c->bus);
	if (c->n_monitors >= ND_MONITORS_MAX_PER_CLIENT)
		return nd_too_many(error, "monitors of one client", ND_MONITORS_MAX_PER_CLIENT);
	if (c->bus->n_monitors >= ND_MONITORS_MAX)
		return nd_too_many(error, "monitors", ND_MONITORS_MAX);
	r = start(c, &wanted, &fd);
	return r < 0 ? r : sd_bus_reply_method_return(m, "h", fd);
}

void nd_monitors_end(struct nd_client *c)
{
	struct nctl_list *pos;

	while ((pos = nctl_list_first(&c->monitors)))
		monitor_free(nctl_list_entry(pos, struct nd_monitor, link));
}
