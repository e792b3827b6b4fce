/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Each watcher, stopped and started from its own callbacks, and what is measured of turns.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "loop/loop.h"

struct fixture {
	struct nd_loop *loop;
	struct nd_timer guard; /* a test that waits for something that does not come ends with -ETIMEDOUT */
	unsigned calls, prepares;
	nctl_time at;
	int pipe[2];
	struct nd_io io;
	struct nd_timer timer, other;
	struct nd_wake wake;
	struct nd_signal sig;
	struct nd_prepare prepare;
};

static void guard_fn(struct nd_timer *t)
{
	nd_loop_stop(t->loop, -ETIMEDOUT);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f || pipe2(f->pipe, O_CLOEXEC | O_NONBLOCK) < 0 || nd_loop_new(&f->loop) < 0)
		return -1;
	nd_timer_init(&f->guard, f->loop, guard_fn, f);
	nd_timer_set(&f->guard, nctl_time_add_ms(nctl_time_now(), 10000));
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	nd_timer_stop(&f->guard);
	close(f->pipe[0]);
	close(f->pipe[1]);
	nd_loop_free(f->loop);
	free(f);
	return 0;
}

static void stop_before(void **state)
{
	struct fixture *f = *state;

	nd_loop_stop(f->loop, 7);
	assert_int_equal(nd_loop_run(f->loop), 7);
}

static void timer_fn(struct nd_timer *t)
{
	struct fixture *f = t->userdata;

	assert_true(nctl_time_cmp(nctl_time_now(), f->at) >= 0);
	if (++f->calls == 2)
		nd_loop_stop(t->loop, 3);
	else
		nd_timer_set(t, f->at = nctl_time_add_ms(nctl_time_now(), 5));
}

static void never_fn(struct nd_timer *t)
{
	(void)t;
	fail_msg("a stopped timer fired");
}

static void timers(void **state)
{
	struct fixture *f = *state;

	nd_timer_stop(&f->timer); /* harmless before init, when all is zero */
	nd_timer_init(&f->timer, f->loop, timer_fn, f);
	nd_timer_init(&f->other, f->loop, never_fn, f);
	nd_timer_set(&f->other, (nctl_time){1});
	nd_timer_set(&f->other, NCTL_TIME_NEVER);
	f->at = nctl_time_add_ms(nctl_time_now(), 3);
	nd_timer_set(&f->timer, f->at);
	nd_timer_set(&f->timer, f->at);
	assert_int_equal(nd_loop_run(f->loop), 3);
	assert_int_equal(f->calls, 2);
}

static void past_fn(struct nd_timer *t)
{
	nd_loop_stop(t->loop, 0);
}

static void past(void **state)
{
	struct fixture *f = *state;

	nd_timer_init(&f->timer, f->loop, past_fn, f);
	nd_timer_set(&f->timer, (nctl_time){1});
	assert_int_equal(nd_loop_run(f->loop), 0);
}

/* Writes one byte, then reads it, changing directions from inside of the callback. */
static void io_fn(struct nd_io *io, unsigned events)
{
	struct fixture *f = io->userdata;
	char c;

	assert_int_equal(events, ND_READ);
	assert_int_equal(read(f->pipe[0], &c, 1), 1);
	f->calls++;
	nd_io_stop(io);
	nd_io_stop(io);
	if (f->calls == 2) {
		nd_loop_stop(io->loop, 0);
		return;
	}
	nd_io_start(io);
	nd_io_set_events(io, 0);
	nd_io_set_events(io, ND_READ);
	assert_int_equal(write(f->pipe[1], "b", 1), 1);
}

static void ios(void **state)
{
	struct fixture *f = *state;

	nd_io_init(&f->io, f->loop, f->pipe[0], 0, io_fn, f);
	nd_io_start(&f->io); /* without events: nothing */
	nd_io_set_events(&f->io, ND_READ);
	nd_io_start(&f->io);
	assert_int_equal(write(f->pipe[1], "a", 1), 1);
	assert_int_equal(nd_loop_run(f->loop), 0);
	assert_int_equal(f->calls, 2);
}

static void writable_fn(struct nd_io *io, unsigned events)
{
	assert_int_equal(events, ND_WRITE);
	nd_io_stop(io);
	nd_loop_stop(io->loop, 0);
}

static void writable(void **state)
{
	struct fixture *f = *state;

	nd_io_init(&f->io, f->loop, f->pipe[1], ND_WRITE, writable_fn, f);
	nd_io_start(&f->io);
	assert_int_equal(nd_loop_run(f->loop), 0);
}

static void wake_fn(struct nd_wake *w)
{
	struct fixture *f = w->userdata;

	f->calls++;
	nd_loop_stop(w->loop, 0);
}

static void *sender(void *arg)
{
	struct fixture *f = arg;

	for (int i = 0; i < 1000; i++)
		nd_wake_send(&f->wake);
	return NULL;
}

static void wakes(void **state)
{
	struct fixture *f = *state;
	pthread_t thread;

	nd_wake_init(&f->wake, f->loop, wake_fn, f);
	assert_int_equal(pthread_create(&thread, NULL, sender, f), 0);
	assert_int_equal(nd_loop_run(f->loop), 0);
	pthread_join(thread, NULL);
	assert_true(f->calls >= 1 && f->calls <= 1000);
	nd_wake_stop(&f->wake);
}

static void signal_fn(struct nd_signal *s, int signum)
{
	assert_int_equal(signum, SIGUSR1);
	nd_loop_stop(s->loop, 0);
}

static void signals(void **state)
{
	struct fixture *f = *state;

	nd_signal_init(&f->sig, f->loop, SIGUSR1, signal_fn, f);
	raise(SIGUSR1);
	assert_int_equal(nd_loop_run(f->loop), 0);
	nd_signal_stop(&f->sig);
}

static void prepare_fn(struct nd_prepare *p)
{
	struct fixture *f = p->userdata;

	f->prepares++;
}

static void slow_fn(struct nd_timer *t)
{
	nctl_time end;

	nd_loop_doing(t->loop, ND_LOOP_EVENTS);
	end = nctl_time_add_ms(nctl_time_now(), 5);
	while (nctl_time_cmp(nctl_time_now(), end) < 0)
		continue;
	nd_loop_doing(t->loop, ND_LOOP_OTHER);
	nd_timer_set(t, NCTL_TIME_NEVER);
	nd_timer_init(t, t->loop, past_fn, t->userdata);
	nd_timer_set(t, nctl_time_now());
}

static void turns(void **state)
{
	struct fixture *f = *state;
	struct nd_loop_stats stats;
	uint64_t n = 0, slow = 0, us = 0;

	nd_prepare_init(&f->prepare, f->loop, prepare_fn, f);
	nd_timer_init(&f->timer, f->loop, slow_fn, f);
	nd_timer_set(&f->timer, nctl_time_now());
	assert_int_equal(nd_loop_run(f->loop), 0);
	nd_prepare_stop(&f->prepare);
	nd_loop_get_stats(f->loop, &stats);
	assert_true(stats.turns >= 2);
	assert_true(stats.longest_turn_us >= 5000 && stats.longest_turn_us < 5000000);
	assert_true(f->prepares >= 2);
	/* The last turn is not over when the loop is left. */
	for (size_t i = 0; i < ND_LOOP_BUCKETS; i++)
		n += stats.lengths[i];
	for (size_t i = 7; i < ND_LOOP_BUCKETS; i++) /* from 4,096 us */
		slow += stats.lengths[i];
	assert_int_equal(n, stats.turns - 1);
	assert_true(slow >= 1);
	for (size_t i = 0; i < ND_LOOP_N_JOBS; i++)
		us += stats.longest_by_us[i];
	assert_int_equal(us, stats.longest_turn_us);
	assert_true(stats.longest_by_us[ND_LOOP_EVENTS] >= 5000);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(stop_before),
		TEST(timers),
		TEST(past),
		TEST(ios),
		TEST(writable),
		TEST(wakes),
		TEST(signals),
		TEST(turns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
