/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Ties the hub, and what the registry has to do by itself, to the loop. While batches are on their way
 * it leaves events in the socket's buffer: read by the dozen they cost a fifth (tests/bench/s1), and each
 * batch that comes back drains them; should the kernel take long over one, events are read all the same after
 * BUSY_US. Before each wait of the loop the chores are done: marks are told, joins and other requests sent;
 * so nothing else has to remember to do it.
 */
#include "netns/private.h"

#include <string.h>

#include "log/log.h"

enum {
	EVENT_BUDGET = 512, /* messages a turn: about 2 ms */
	RESULT_BUDGET = 4,  /* batches or dump chunks a turn */
	BUSY_US = 50 * 1000,
};

/* Sets the watchers to what the hub waits for now. */
static void rewatch(struct nd_netns_set *s)
{
	nctl_time at = nctl_hub_deadline(s->hub);

	if (nctl_hub_is_busy(s->hub)) {
		if (!s->busy_until.usec)
			s->busy_until = nctl_time_add_us(nctl_time_now(), BUSY_US);
		if (!s->let_in)
			nd_io_stop(&s->io);
		at = nd_netns_earlier(at, s->busy_until);
	} else {
		s->busy_until.usec = 0;
		nd_io_start(&s->io);
	}
	nd_timer_set(&s->timer, at);
}

/* What was marked inside of the hub is told when it is consistent. */
static void end_turn(struct nd_netns_set *s)
{
	s->stirred = false;
	s->let_in = false;
	nd_netns_deliver(s);
	if (s->ops->turn)
		s->ops->turn(s->userdata);
	nd_loop_doing(s->loop, ND_LOOP_OTHER);
}

static void on_events(struct nd_io *io, unsigned events)
{
	struct nd_netns_set *s = io->userdata;
	int e;

	(void)events;
	nd_loop_doing(s->loop, ND_LOOP_EVENTS);
	e = nctl_hub_dispatch_events(s->hub, EVENT_BUDGET);
	if (e < 0) {
		nd_error("cannot read events: %s", strerror(-e));
		nd_loop_stop(s->loop, 1);
		return;
	}
	end_turn(s);
}

static void on_results(struct nd_wake *w)
{
	struct nd_netns_set *s = w->userdata;

	nd_loop_doing(s->loop, ND_LOOP_RESULTS);
	if (nctl_hub_dispatch_results(s->hub, RESULT_BUDGET) == NCTL_PUMP_MORE)
		nd_wake_send(&s->wake);
	end_turn(s);
}

static void on_timer(struct nd_timer *t)
{
	struct nd_netns_set *s = t->userdata;

	nd_loop_doing(s->loop, ND_LOOP_RESULTS);
	nctl_hub_tick(s->hub, nctl_time_now());
	nd_loop_doing(s->loop, ND_LOOP_OTHER);
	s->busy_until.usec = 0;
	if (nctl_hub_is_busy(s->hub)) {
		s->let_in = true;
		nd_io_start(&s->io);
	}
}

/* It has done its work by waking the loop. */
static void on_chores(struct nd_timer *t)
{
	(void)t;
}

static nctl_time next_chore(const struct nd_netns_set *s, nctl_time now)
{
	nctl_time at = nd_netns_earlier(nd_netns_join_at(s, now), nd_netns_work_at(s));

	at = nd_netns_earlier(at, nd_netns_tasks_at(s));
	at = nd_netns_earlier(at, nd_netns_scan_at(s));
	at = nd_netns_earlier(at, s->folder_at);
	at = nd_netns_earlier(at, s->pool_at);
	if (nctl_time_cmp(s->retry_at, now) > 0)
		at = nd_netns_earlier(at, s->retry_at);
	if (!s->settled && s->home->told)
		at = nd_netns_earlier(at, s->settle_by);
	return at;
}

static void before_wait(struct nd_prepare *p)
{
	struct nd_netns_set *s = p->userdata;
	nctl_time now = nctl_time_now();
	bool more;

	nd_loop_doing(s->loop, ND_LOOP_CHORES);
	nd_netns_deliver(s);
	nd_netns_watch_chores(s, now);
	nd_netns_tasks_chores(s, now);
	more = nd_netns_work_chores(s, now);
	nd_netns_join_chores(s, now);
	nd_netns_scan_chores(s, now);
	nd_netns_pool_chores(s, now);
	nd_netns_settle(s, now);
	rewatch(s);
	nd_timer_set(&s->chores, next_chore(s, now));
	if (more || s->stirred || s->home_news || s->tasks_dirty || !nctl_list_empty(&s->news))
		nd_wake_send(&s->wake);
	nd_loop_doing(s->loop, ND_LOOP_OTHER);
}

/* From the requester's thread. */
void nd_netns_on_wake(void *userdata)
{
	struct nd_netns_set *s = userdata;

	nd_wake_send(&s->wake);
}

void nd_netns_loop_init(struct nd_netns_set *s)
{
	nd_wake_init(&s->wake, s->loop, on_results, s);
}

void nd_netns_loop_start(struct nd_netns_set *s)
{
	nd_io_init(&s->io, s->loop, nctl_hub_get_fd(s->hub), ND_READ, on_events, s);
	nd_timer_init(&s->timer, s->loop, on_timer, s);
	nd_timer_init(&s->chores, s->loop, on_chores, s);
	nd_prepare_init(&s->prepare, s->loop, before_wait, s);
	s->watching = true;
}

void nd_netns_loop_stop(struct nd_netns_set *s)
{
	if (!s->watching)
		return;
	nd_io_stop(&s->io);
	nd_timer_stop(&s->timer);
	nd_timer_stop(&s->chores);
	nd_prepare_stop(&s->prepare);
}

void nd_netns_loop_fini(struct nd_netns_set *s)
{
	nd_wake_stop(&s->wake);
}
