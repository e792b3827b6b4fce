/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "helper/protocol.h"
#include "loop/loop.h"

/*
 * The other end of the helper's client for its tests: keeper and helper in one, in the test's own loop. What
 * it answers is up to the script of the test, or sensible.
 */
enum { PEER_FILES = 150, PEER_PROCESSES = 3000 };

struct peer_request {
	enum nd_proto_channel channel;
	struct nd_proto_request h;
	const char *strings[ND_PROTO_STRINGS_MAX];
};

struct peer {
	struct nd_loop *loop;
	int control; /* of the keeper */
	struct {
		int fd;
		struct nd_io io;
	} channels[ND_PROTO_CHANNELS];
	unsigned n_requests;
	/* Is called instead of peer_answer if it is set. */
	void (*script)(struct peer *p, const struct peer_request *q, void *userdata);
	void *userdata;
};

/* ret_control: for nd_helper_new. */
void peer_init(struct peer *p, struct nd_loop *loop, int *ret_control);
void peer_fini(struct peer *p);
/* The keeper starts a helper: process pid; the one before, if there is one, is killed first. */
void peer_start(struct peer *p, int pid);
void peer_kill(struct peer *p); /* the helper alone */
void peer_send(int fd, const void *buf, size_t len, const int *fds, size_t n_fds);
void peer_answer(struct peer *p, const struct peer_request *q);
/* An answer without content. */
void peer_answer_error(struct peer *p, const struct peer_request *q, int error, const char *text);
uint64_t peer_cookie(void); /* of our own namespace */
