/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/time.h"

/*
 * The event loop of netctld, the only user of libev (S4). Watchers are embedded in their owner, initialised once,
 * and may be stopped or started from any callback. All of it belongs to one thread, nd_wake_send alone excepted.
 */

struct nd_loop;

int nd_loop_new(struct nd_loop **ret);
struct nd_loop *nd_loop_free(struct nd_loop *l);
int nd_loop_run(struct nd_loop *l); /* until nd_loop_stop; returns its status */
void nd_loop_stop(struct nd_loop *l, int status);

/* What a turn may be spent on. */
enum nd_loop_job {
	ND_LOOP_OTHER, /* clients, signals, whatever nobody told */
	ND_LOOP_EVENTS,
	ND_LOOP_RESULTS,
	ND_LOOP_CHORES,
	ND_LOOP_N_JOBS
};

enum { ND_LOOP_BUCKETS = 16 };

struct nd_loop_stats {
	uint64_t turns;		  /* times that the loop woke up */
	uint64_t longest_turn_us; /* longest time between waking up and waiting again */
	uint64_t longest_cpu_us;  /* likewise of the processor's time: without what others took meanwhile */
	/* Turns by length: [0] below 64 us, [i] below 64 << i us, the last one all others. */
	uint64_t lengths[ND_LOOP_BUCKETS];
	uint64_t longest_by_us[ND_LOOP_N_JOBS]; /* what the longest one was spent on */
};
void nd_loop_get_stats(const struct nd_loop *l, struct nd_loop_stats *ret);
/* From here on the turn is spent on that job, until another one or the end of the callback. */
void nd_loop_doing(struct nd_loop *l, enum nd_loop_job job);

enum { ND_READ = 1, ND_WRITE = 2 };

/* Opaque room for libev's watchers; loop.c asserts that they fit. */
struct nd_io {
	struct nd_loop *loop;
	void (*fn)(struct nd_io *io, unsigned events);
	void *userdata;
	_Alignas(8) unsigned char priv[64];
};
void nd_io_init(struct nd_io *io, struct nd_loop *l, int fd, unsigned events, void (*fn)(struct nd_io *, unsigned),
	void *userdata);
void nd_io_start(struct nd_io *io); /* both are harmless when repeated */
void nd_io_stop(struct nd_io *io);
void nd_io_set_events(struct nd_io *io, unsigned events); /* 0 stops */

struct nd_timer {
	struct nd_loop *loop;
	void (*fn)(struct nd_timer *t);
	void *userdata;
	_Alignas(8) unsigned char priv[64];
};
void nd_timer_init(struct nd_timer *t, struct nd_loop *l, void (*fn)(struct nd_timer *), void *userdata);
void nd_timer_set(struct nd_timer *t, nctl_time at); /* one shot, CLOCK_MONOTONIC; NCTL_TIME_NEVER stops */
void nd_timer_stop(struct nd_timer *t);

struct nd_wake {
	struct nd_loop *loop;
	void (*fn)(struct nd_wake *w);
	void *userdata;
	_Alignas(8) unsigned char priv[64];
};
void nd_wake_init(struct nd_wake *w, struct nd_loop *l, void (*fn)(struct nd_wake *), void *userdata); /* and starts */
void nd_wake_stop(struct nd_wake *w);
void nd_wake_send(struct nd_wake *w); /* from any thread; many sends may give one call */

struct nd_signal {
	struct nd_loop *loop;
	void (*fn)(struct nd_signal *s, int signum);
	void *userdata;
	_Alignas(8) unsigned char priv[64];
};
void nd_signal_init(struct nd_signal *s, struct nd_loop *l, int signum, void (*fn)(struct nd_signal *, int),
	void *userdata); /* and starts */
void nd_signal_stop(struct nd_signal *s);

/* Called in each turn before the loop waits. */
struct nd_prepare {
	struct nd_loop *loop;
	void (*fn)(struct nd_prepare *p);
	void *userdata;
	_Alignas(8) unsigned char priv[64];
};
void nd_prepare_init(struct nd_prepare *p, struct nd_loop *l, void (*fn)(struct nd_prepare *), void *userdata); /* and starts */
void nd_prepare_stop(struct nd_prepare *p);
