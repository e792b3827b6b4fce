/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Kernels whose transports the helper opens: asked for by threads, while helpers come, go, lie and are
 * late.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <linux/netlink.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "fixture.h"

enum { THREADS = 4, OPENS = 50 };

struct opener {
	struct fixture *f;
	struct nctl_kernel *kernel;
	struct nd_wake wake;
	pthread_t thread;
	unsigned times, opened;
	int r; /* of the last open */
	unsigned ended;
};

static void *open_thread(void *arg)
{
	struct opener *o = arg;

	for (unsigned i = 0; i < o->times; i++) {
		struct nctl_transport *t = NULL;

		o->r = o->kernel->open(o->kernel, NCTL_TRANSPORT_REQUEST, &t);
		o->opened += o->r == 0;
		nctl_transport_free(t);
	}
	nd_wake_send(&o->wake);
	return NULL;
}

static void on_ended(struct nd_wake *w)
{
	struct opener *o = w->userdata;

	/* A wake may be called without need. */
	if (o->ended || pthread_tryjoin_np(o->thread, NULL) == EBUSY) {
		nd_wake_send(w);
		return;
	}
	o->ended = 1;
	nd_wake_stop(w);
	nd_loop_stop(w->loop, 0);
}

static void begin(struct opener *o, struct fixture *f, struct nctl_kernel *k, unsigned times)
{
	*o = (struct opener){.f = f, .kernel = k, .times = times};
	nd_wake_init(&o->wake, f->loop, on_ended, o);
	assert_int_equal(pthread_create(&o->thread, NULL, open_thread, o), 0);
}

static int end(struct opener *o)
{
	while (!o->ended)
		run(o->f);
	return o->r;
}

static int open_one(struct fixture *f, struct nctl_kernel *k)
{
	struct opener o;

	begin(&o, f, k, 1);
	return end(&o);
}

static struct nctl_kernel *kernel_of(struct fixture *f)
{
	struct nd_netns_ref ref = {.name = "red", .pid = 7, .cookie = peer_cookie()};
	struct nctl_kernel *k;
	uint64_t cookie;

	assert_int_equal(nd_helper_kernel_new(f->helper, &ref, &k), 0);
	assert_int_equal(k->get_cookie(k, &cookie), 0);
	assert_int_equal(cookie, ref.cookie);
	return k;
}

static void good(struct peer *p, const struct peer_request *q, void *userdata)
{
	(void)userdata;
	assert_string_equal(q->strings[0], "red");
	assert_int_equal(q->h.pid[0], 7);
	assert_int_equal(q->h.cookie[0], peer_cookie());
	assert_int_equal(q->h.number, NCTL_TRANSPORT_REQUEST);
	peer_answer(p, q);
}

static void opens(void **state)
{
	struct fixture *f = *state;
	struct nctl_kernel *k = kernel_of(f);
	struct opener o[THREADS];

	f->peer.script = good;
	for (unsigned i = 0; i < THREADS; i++)
		begin(&o[i], f, k, OPENS);
	for (unsigned i = 0; i < THREADS; i++) {
		assert_int_equal(end(&o[i]), 0);
		assert_int_equal(o[i].opened, OPENS);
	}
	assert_int_equal(f->peer.n_requests, THREADS * OPENS);
	assert_int_equal(nd_helper_kernel_new(f->helper, &(struct nd_netns_ref){.name = "a"}, &k), -EINVAL);
	nctl_kernel_unref(o[0].kernel);
}

static void refuse(struct peer *p, const struct peer_request *q, void *userdata)
{
	peer_answer_error(p, q, *(int *)userdata, "no");
}

static void refusals(void **state)
{
	static const int cases[][2] = {
		{-ESTALE, -ENOENT}, {-ENOENT, -ENOENT}, {-EOPNOTSUPP, -EOPNOTSUPP}, {-EPERM, -EPERM}};
	struct fixture *f = *state;
	struct nctl_kernel *k = kernel_of(f);
	int error;

	f->peer.script = refuse;
	f->peer.userdata = &error;
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(cases); i++) {
		error = cases[i][0];
		assert_int_equal(open_one(f, k), cases[i][1]);
	}
	assert_true(f->alive);
	nctl_kernel_unref(k);
}

/* Sockets that are not what was asked for, and none at all. */
static void lie(struct peer *p, const struct peer_request *q, void *userdata)
{
	struct nd_proto_answer a = {ND_PROTO_MAGIC, q->h.type, q->h.id};
	int kind = *(int *)userdata, fds[2] = {-1, STDERR_FILENO};

	fds[0] = kind == 0   ? socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)
	         : kind == 1 ? socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_KOBJECT_UEVENT)
	                     : dup(STDERR_FILENO);
	a.id += kind == 5;
	peer_send(p->channels[q->channel].fd, &a, sizeof(a), fds, kind == 3 ? 0 : kind == 4 ? 2 : 1);
	nctl_closep(&fds[0]);
}

static void lies(void **state)
{
	struct fixture *f = *state;
	struct nctl_kernel *k = kernel_of(f), *wrong;
	struct nd_netns_ref ref = {.cookie = UINT64_MAX};
	int kind;

	for (kind = 0; kind < 7; kind++) {
		f->peer.script = kind < 6 ? lie : NULL;
		f->peer.userdata = &kind;
		assert_int_equal(nd_helper_kernel_new(f->helper, &ref, &wrong), 0);
		/* The last answer is the right socket for the wrong cookie. */
		assert_int_equal(open_one(f, kind < 6 ? k : wrong), -EPIPE);
		nctl_kernel_unref(wrong);
		/* The channel is closed, which a real helper answers by its end. */
		assert_int_equal(open_one(f, k), -EPIPE);
		f->peer.script = NULL;
		peer_start(&f->peer, 100);
		f->alive_calls = 0;
		while (f->alive_calls < 2) {
			f->stop_on_alive = true;
			run(f);
		}
		f->stop_on_alive = false;
		assert_int_equal(open_one(f, k), 0);
	}
	nctl_kernel_unref(k);
}

struct held {
	struct peer_request v[32];
	unsigned n;
};

/* Keeps the requests. */
static void hold(struct peer *p, const struct peer_request *q, void *userdata)
{
	struct held *h = userdata;

	(void)p;
	assert_true(h->n < NCTL_ARRAY_SIZE(h->v));
	h->v[h->n] = *q;
	h->v[h->n++].strings[0] = "red";
}

static void late(void **state)
{
	struct fixture *f = *state;
	struct nctl_kernel *k = kernel_of(f);
	struct held h = {.n = 0};

	f->peer.script = hold;
	f->peer.userdata = &h;
	nd_helper_set_open_timeout(f->helper, 20);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(open_one(f, k), -ETIMEDOUT);
	/* They are answered when nobody waits any more; the next one gets its own answer all the same. */
	peer_answer(&f->peer, &h.v[0]);
	peer_answer_error(&f->peer, &h.v[1], -ESTALE, NULL);
	peer_answer(&f->peer, &h.v[2]);
	nd_helper_set_open_timeout(f->helper, 60000);
	f->peer.script = NULL;
	assert_int_equal(open_one(f, k), 0);
	assert_int_equal(open_one(f, k), 0);
	/* A helper that never answers is given up. */
	f->peer.script = hold;
	nd_helper_set_open_timeout(f->helper, 1);
	h.n = 0;
	for (unsigned i = 0; i < 16; i++)
		assert_int_equal(open_one(f, k), -ETIMEDOUT);
	assert_int_equal(open_one(f, k), -EPIPE);
	assert_int_equal(h.n, 16);
	nctl_kernel_unref(k);
}

static void kill_it(struct peer *p, const struct peer_request *q, void *userdata)
{
	struct fixture *f = userdata;

	(void)q;
	if (f->wanted == 1)
		peer_kill(p);
	else if (f->wanted == 2)
		f->helper = nd_helper_free(f->helper);
	else
		peer_start(p, 101);
	p->script = NULL;
}

/* While a thread waits, the helper dies, or is replaced, or all of the client is freed. */
static void ends(void **state)
{
	struct fixture *f = *state;
	struct nctl_kernel *k = kernel_of(f);

	f->peer.userdata = f;
	f->peer.script = kill_it;
	f->wanted = 1;
	assert_int_equal(open_one(f, k), -EPIPE);
	run_until_alive(f, false);
	assert_int_equal(open_one(f, k), -EPIPE);
	peer_start(&f->peer, 100);
	run_until_alive(f, true);
	f->peer.script = kill_it;
	f->wanted = 3;
	assert_int_equal(open_one(f, k), -EPIPE);
	run_until_alive(f, true);
	assert_int_equal(open_one(f, k), 0);
	f->peer.script = kill_it;
	f->wanted = 2;
	assert_int_equal(open_one(f, k), -EPIPE);
	assert_null(f->helper);
	assert_int_equal(open_one(f, k), -EPIPE);
	nctl_kernel_unref(k);
}

static void on_restart(struct nd_timer *t)
{
	struct fixture *f = t->userdata;

	peer_start(&f->peer, 100 + (int)f->wanted++);
	if (f->wanted < 50)
		nd_timer_set(t, nctl_time_add_us(nctl_time_now(), 500));
	else
		nd_loop_stop(f->loop, 0);
}

/* Four threads open without a pause while one helper after the other comes. */
static void storm(void **state)
{
	struct fixture *f = *state;
	struct nctl_kernel *k = kernel_of(f);
	struct opener o[THREADS];
	struct nd_timer restart;

	for (unsigned i = 0; i < THREADS; i++)
		begin(&o[i], f, k, 2000);
	nd_timer_init(&restart, f->loop, on_restart, f);
	nd_timer_set(&restart, nctl_time_now());
	for (unsigned i = 0; i < THREADS; i++)
		assert_true(end(&o[i]) == 0 || o[i].r == -EPIPE);
	while (f->wanted < 50)
		run(f);
	nd_timer_stop(&restart);
	while (open_one(f, k) == -EPIPE)
		continue;
	assert_int_equal(open_one(f, k), 0);
	nctl_kernel_unref(k);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(opens),
		TEST(refusals),
		TEST(lies),
		TEST(late),
		TEST(ends),
		TEST(storm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
