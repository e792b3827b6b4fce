/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The event loop over libev. A watcher of ours carries the watcher of libev in its priv bytes, and
 * libev's data pointer leads back to ours. A turn is the time between the end of one wait and the beginning
 * of the next: the check watcher of the highest priority opens it, the prepare watcher of the lowest closes
 * it. Those two also keep the loop alive when nobody else watches anything. Everything in daemon/ that waits
 * does it here.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <ev.h>

#include "base/cleanup.h"
#include "loop/loop.h"

struct nd_loop {
	struct ev_loop *ev;
	struct ev_check turn_begin;
	struct ev_prepare turn_end;
	uint64_t cpu_woke_us; /* the thread's processor time at that moment */
	nctl_time woke; /* NCTL_TIME_NEVER: outside of a turn */
	struct nd_loop_stats stats;
	enum nd_loop_job job; /* in hand, since `since` */
	nctl_time since;
	uint64_t by_us[ND_LOOP_N_JOBS]; /* of this turn */
	bool stopped;
	int status;
};

/* What priv holds. */
struct io_priv {
	struct ev_io w;
	unsigned events; /* ND_*; those to start with while it is stopped */
};

struct timer_priv {
	struct ev_timer w;
	nctl_time at;
};

static_assert(sizeof(struct io_priv) <= sizeof(((struct nd_io *)0)->priv), "room for libev");
static_assert(sizeof(struct timer_priv) <= sizeof(((struct nd_timer *)0)->priv), "room for libev");
static_assert(sizeof(struct ev_async) <= sizeof(((struct nd_wake *)0)->priv), "room for libev");
static_assert(sizeof(struct ev_signal) <= sizeof(((struct nd_signal *)0)->priv), "room for libev");
static_assert(sizeof(struct ev_prepare) <= sizeof(((struct nd_prepare *)0)->priv), "room for libev");

static struct io_priv *io_priv(struct nd_io *io)
{
	return (struct io_priv *)(void *)io->priv;
}

static struct timer_priv *timer_priv(struct nd_timer *t)
{
	return (struct timer_priv *)(void *)t->priv;
}

/* clock_gettime(2): a system call, some 200 ns. */
static uint64_t thread_cpu_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static void turn_begins(struct ev_loop *ev, struct ev_check *w, int revents)
{
	struct nd_loop *l = w->data;

	(void)ev;
	(void)revents;
	l->woke = l->since = nctl_time_now();
	l->job = ND_LOOP_OTHER;
	memset(l->by_us, 0, sizeof(l->by_us));
	l->cpu_woke_us = thread_cpu_us();
	l->stats.turns++;
}

static size_t bucket(uint64_t us)
{
	size_t i = 0;

	while (us >= UINT64_C(64) << i && i < ND_LOOP_BUCKETS - 1)
		i++;
	return i;
}

void nd_loop_doing(struct nd_loop *l, enum nd_loop_job job)
{
	nctl_time now;

	if (job == l->job)
		return;
	now = nctl_time_now();
	l->by_us[l->job] += (uint64_t)nctl_time_diff_us(now, l->since);
	l->since = now;
	l->job = job;
}

static void turn_ends(struct ev_loop *ev, struct ev_prepare *w, int revents)
{
	struct nd_loop *l = w->data;
	nctl_time now = nctl_time_now();
	uint64_t us;

	(void)ev;
	(void)revents;
	if (nctl_time_cmp(l->woke, NCTL_TIME_NEVER) == 0)
		return;
	us = (uint64_t)nctl_time_diff_us(now, l->woke);
	l->by_us[l->job] += (uint64_t)nctl_time_diff_us(now, l->since);
	l->stats.lengths[bucket(us)]++;
	if (us > l->stats.longest_cpu_us)
		l->stats.longest_cpu_us = nctl_max(l->stats.longest_cpu_us, thread_cpu_us() - l->cpu_woke_us);
	if (us > l->stats.longest_turn_us) {
		l->stats.longest_turn_us = us;
		memcpy(l->stats.longest_by_us, l->by_us, sizeof(l->by_us));
	}
	l->woke = NCTL_TIME_NEVER;
}

int nd_loop_new(struct nd_loop **ret)
{
	_cleanup_(nctl_freep) struct nd_loop *l = calloc(1, sizeof(*l));

	if (!l)
		return -ENOMEM;
	l->ev = ev_loop_new(EVBACKEND_EPOLL | EVFLAG_NOENV);
	if (!l->ev)
		return -ENOMEM;
	l->woke = NCTL_TIME_NEVER;
	ev_check_init(&l->turn_begin, turn_begins);
	ev_set_priority(&l->turn_begin, EV_MAXPRI);
	l->turn_begin.data = l;
	ev_check_start(l->ev, &l->turn_begin);
	ev_prepare_init(&l->turn_end, turn_ends);
	ev_set_priority(&l->turn_end, EV_MINPRI);
	l->turn_end.data = l;
	ev_prepare_start(l->ev, &l->turn_end);
	*ret = take_ptr(l);
	return 0;
}

struct nd_loop *nd_loop_free(struct nd_loop *l)
{
	if (!l)
		return NULL;
	ev_check_stop(l->ev, &l->turn_begin);
	ev_prepare_stop(l->ev, &l->turn_end);
	ev_loop_destroy(l->ev);
	free(l);
	return NULL;
}

int nd_loop_run(struct nd_loop *l)
{
	if (!l->stopped)
		ev_run(l->ev, 0);
	l->stopped = false;
	l->woke = NCTL_TIME_NEVER;
	return l->status;
}

void nd_loop_stop(struct nd_loop *l, int status)
{
	l->stopped = true;
	l->status = status;
	ev_break(l->ev, EVBREAK_ALL);
}

void nd_loop_get_stats(const struct nd_loop *l, struct nd_loop_stats *ret)
{
	*ret = l->stats;
}

static int to_ev(unsigned events)
{
	return (events & ND_READ ? EV_READ : 0) | (events & ND_WRITE ? EV_WRITE : 0);
}

static void io_event(struct ev_loop *ev, struct ev_io *w, int revents)
{
	struct nd_io *io = w->data;

	(void)ev;
	/* On EV_ERROR libev has stopped the watcher and sets both directions: its owner meets the error. */
	io->fn(io, (revents & EV_READ ? ND_READ : 0) | (revents & EV_WRITE ? ND_WRITE : 0));
}

void nd_io_init(struct nd_io *io, struct nd_loop *l, int fd, unsigned events,
	void (*fn)(struct nd_io *, unsigned), void *userdata)
{
	struct io_priv *p = io_priv(io);

	*io = (struct nd_io){.loop = l, .fn = fn, .userdata = userdata};
	ev_io_init(&p->w, io_event, fd, to_ev(events));
	p->w.data = io;
	p->events = events;
}

void nd_io_start(struct nd_io *io)
{
	if (io_priv(io)->events)
		ev_io_start(io->loop->ev, &io_priv(io)->w);
}

void nd_io_stop(struct nd_io *io)
{
	if (io->loop)
		ev_io_stop(io->loop->ev, &io_priv(io)->w);
}

void nd_io_set_events(struct nd_io *io, unsigned events)
{
	struct io_priv *p = io_priv(io);

	if (!events) {
		nd_io_stop(io);
		return;
	}
	if (p->events == events && ev_is_active(&p->w))
		return;
	ev_io_stop(io->loop->ev, &p->w);
	ev_io_set(&p->w, p->w.fd, to_ev(events));
	p->events = events;
	ev_io_start(io->loop->ev, &p->w);
}

static void timer_event(struct ev_loop *ev, struct ev_timer *w, int revents)
{
	struct nd_timer *t = w->data;

	(void)ev;
	(void)revents;
	t->fn(t);
}

void nd_timer_init(struct nd_timer *t, struct nd_loop *l, void (*fn)(struct nd_timer *), void *userdata)
{
	struct timer_priv *p = timer_priv(t);

	*t = (struct nd_timer){.loop = l, .fn = fn, .userdata = userdata};
	ev_timer_init(&p->w, timer_event, 0., 0.);
	p->w.data = t;
	p->at = NCTL_TIME_NEVER;
}

void nd_timer_set(struct nd_timer *t, nctl_time at)
{
	struct timer_priv *p = timer_priv(t);
	int64_t us;

	if (nctl_time_cmp(at, NCTL_TIME_NEVER) == 0) {
		nd_timer_stop(t);
		return;
	}
	/* Most owners set the same time again in each turn. */
	if (ev_is_active(&p->w) && nctl_time_cmp(at, p->at) == 0)
		return;
	ev_timer_stop(t->loop->ev, &p->w);
	/* libev counts from its own idea of now; one microsecond more, so that rounding is never early. */
	ev_now_update(t->loop->ev);
	us = nctl_time_diff_us(at, nctl_time_now());
	ev_timer_set(&p->w, us > 0 ? ((double)us + 1.) / 1e6 : 0., 0.);
	p->at = at;
	ev_timer_start(t->loop->ev, &p->w);
}

void nd_timer_stop(struct nd_timer *t)
{
	if (t->loop)
		ev_timer_stop(t->loop->ev, &timer_priv(t)->w);
}

static void wake_event(struct ev_loop *ev, struct ev_async *w, int revents)
{
	struct nd_wake *wake = w->data;

	(void)ev;
	(void)revents;
	wake->fn(wake);
}

void nd_wake_init(struct nd_wake *w, struct nd_loop *l, void (*fn)(struct nd_wake *), void *userdata)
{
	struct ev_async *p = (struct ev_async *)(void *)w->priv;

	*w = (struct nd_wake){.loop = l, .fn = fn, .userdata = userdata};
	ev_async_init(p, wake_event);
	p->data = w;
	ev_async_start(l->ev, p);
}

void nd_wake_stop(struct nd_wake *w)
{
	if (w->loop)
		ev_async_stop(w->loop->ev, (struct ev_async *)(void *)w->priv);
}

void nd_wake_send(struct nd_wake *w)
{
	ev_async_send(w->loop->ev, (struct ev_async *)(void *)w->priv);
}

static void signal_event(struct ev_loop *ev, struct ev_signal *w, int revents)
{
	struct nd_signal *s = w->data;

	(void)ev;
	(void)revents;
	s->fn(s, w->signum);
}

void nd_signal_init(struct nd_signal *s, struct nd_loop *l, int signum, void (*fn)(struct nd_signal *, int),
	void *userdata)
{
	struct ev_signal *p = (struct ev_signal *)(void *)s->priv;

	*s = (struct nd_signal){.loop = l, .fn = fn, .userdata = userdata};
	ev_signal_init(p, signal_event, signum);
	p->data = s;
	ev_signal_start(l->ev, p);
}

void nd_signal_stop(struct nd_signal *s)
{
	if (s->loop)
		ev_signal_stop(s->loop->ev, (struct ev_signal *)(void *)s->priv);
}

static void prepare_event(struct ev_loop *ev, struct ev_prepare *w, int revents)
{
	struct nd_prepare *p = w->data;

	(void)ev;
	(void)revents;
	p->fn(p);
}

void nd_prepare_init(struct nd_prepare *p, struct nd_loop *l, void (*fn)(struct nd_prepare *), void *userdata)
{
	struct ev_prepare *w = (struct ev_prepare *)(void *)p->priv;

	*p = (struct nd_prepare){.loop = l, .fn = fn, .userdata = userdata};
	ev_prepare_init(w, prepare_event);
	w->data = p;
	ev_prepare_start(l->ev, w);
}

void nd_prepare_stop(struct nd_prepare *p)
{
	if (p->loop)
		ev_prepare_stop(p->loop->ev, (struct ev_prepare *)(void *)p->priv);
}
