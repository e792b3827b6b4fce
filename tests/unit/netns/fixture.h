/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "netns/client.h"
#include "peer.h"

/* A client and its peer in one loop, and what the client's callbacks said. */
struct fixture {
	struct nd_loop *loop;
	struct nd_timer guard; /* what does not come ends a test with -ETIMEDOUT */
	struct peer peer;
	struct nd_helper *helper;
	unsigned alive_calls;
	bool alive, stop_on_alive;
	unsigned done_calls, wanted; /* run_until_done returns when there are so many */
	int error;                   /* of the last answer */
	unsigned errors, texts;
	int n_fds; /* open at the start */
};

int setup(void **state);     /* the helper is there */
int teardown(void **state);  /* all descriptors must be closed again */
void run(struct fixture *f); /* until somebody stops the loop */
void run_until_done(struct fixture *f, unsigned n);
void run_until_alive(struct fixture *f, bool alive);
void count_done(const struct nd_helper_answer *a, void *userdata);
int count_fds(void);
