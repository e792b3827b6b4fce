/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: What the tests of the helper's client have in common.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <dirent.h>
#include <errno.h>

#include "fixture.h"
#include "log/log.h"

int count_fds(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

static void on_guard(struct nd_timer *t)
{
	nd_loop_stop(t->loop, -ETIMEDOUT);
}

static void on_alive(bool yes, void *userdata)
{
	struct fixture *f = userdata;

	f->alive_calls++;
	assert_int_not_equal(f->alive, yes);
	assert_int_equal(nd_helper_is_alive(f->helper), yes);
	f->alive = yes;
	if (f->stop_on_alive)
		nd_loop_stop(f->loop, 0);
}

void count_done(const struct nd_helper_answer *a, void *userdata)
{
	struct fixture *f = userdata;

	f->error = a->error;
	f->errors += a->error != 0;
	if (++f->done_calls == f->wanted)
		nd_loop_stop(f->loop, 0);
}

void run(struct fixture *f)
{
	assert_int_equal(nd_loop_run(f->loop), 0);
}

void run_until_done(struct fixture *f, unsigned n)
{
	f->wanted = n;
	if (f->done_calls < n)
		run(f);
	assert_int_equal(f->done_calls, n);
}

void run_until_alive(struct fixture *f, bool alive)
{
	f->stop_on_alive = true;
	while (f->alive != alive)
		run(f);
	f->stop_on_alive = false;
}

int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	int control;

	assert_non_null(f);
	nd_log_open("test", 2); /* what the hostile answers cause is not to be read by people */
	f->n_fds = count_fds();
	assert_int_equal(nd_loop_new(&f->loop), 0);
	nd_timer_init(&f->guard, f->loop, on_guard, f);
	nd_timer_set(&f->guard, nctl_time_add_ms(nctl_time_now(), 60000));
	peer_init(&f->peer, f->loop, &control);
	assert_int_equal(nd_helper_new(f->loop, control, on_alive, f, &f->helper), 0);
	assert_false(nd_helper_is_alive(f->helper));
	peer_start(&f->peer, 100);
	run_until_alive(f, true);
	assert_int_equal(nd_helper_pid(f->helper), 100);
	*state = f;
	return 0;
}

int teardown(void **state)
{
	struct fixture *f = *state;

	nd_helper_free(f->helper);
	peer_fini(&f->peer);
	nd_timer_stop(&f->guard);
	nd_loop_free(f->loop);
	assert_int_equal(count_fds(), f->n_fds);
	free(f);
	return 0;
}
