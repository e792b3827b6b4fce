/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <semaphore.h>

#include "nl/requester.h"
#include "script.h"

/* A requester before a scripted kernel, for the tests of this folder; set up and torn down by cmocka. */
struct fixture {
	struct script script;
	struct nctl_requester *requester;
	sem_t woken;
};

int fixture_set_up(void **state);
int fixture_tear_down(void **state);
/* Starts the requester; on_send answers for the kernel. */
struct fixture *fixture_start(void **state, void (*on_send)(struct script *, const struct nlmsghdr *, size_t),
	const struct nctl_requester_options *opts);
/* The next result; fails the test if none comes in time. */
struct nctl_result *fixture_wait(struct fixture *f);
