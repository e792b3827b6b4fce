/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nl/msg.h"
#include "nl/transport.h"

/*
 * An asker is a thread that reads answers of the kernel as fast as somebody takes them, and not faster: each
 * conversation (ask) has a socket of its own, and one piece of its answer is received when its owner wants
 * it. The kernel makes the next part of a dump inside of the receive call, so that what nobody wants yet
 * costs nothing. (A requester reads a dump to its end in one go, as fast as it can.) wake is called from the
 * thread whenever a piece is there; it must be safe to call from any thread.
 */

struct nctl_asker;

struct nctl_ask {
	void *userdata; /* the owner's */
	/* The piece, while no step is under way: */
	uint8_t *data; /* len bytes of whole messages, of the answer or of errors; the ask's */
	size_t len;
	bool over;        /* the answer has come to its end, or there is an error */
	int status;       /* 0 or a negative errno: of the transport, or what ended a dump */
	bool interrupted; /* NLM_F_DUMP_INTR: something changed while it was read, and may be missing */
};

/* Starts the thread. 0 or a negative errno. */
int nctl_asker_new(void (*wake)(void *userdata), void *userdata, struct nctl_asker **ret);
/* Ends the thread. All asks must have been freed. */
struct nctl_asker *nctl_asker_free(struct nctl_asker *a);

/* kernel is referenced. The socket (REQUEST or GENERIC) is opened by the first step. 0 or -ENOMEM. */
int nctl_ask_new(struct nctl_asker *a, struct nctl_kernel *kernel, enum nctl_transport_role role, void *userdata,
	struct nctl_ask **ret);
/* A step that is under way is waited for by nobody: what it brings is dropped. Returns NULL. */
struct nctl_ask *nctl_ask_free(struct nctl_ask *q);

/*
 * Sends the messages of m (copied), either one dump request or any number of others, of which the last one
 * gets NLM_F_ACK; m NULL: goes on with the answer. Then receives a piece. No step may be under way. 0 or
 * -ENOMEM.
 */
int nctl_ask_step(struct nctl_ask *q, const struct nctl_msgbuf *m);
/* The next ask whose step is done, or NULL. */
struct nctl_ask *nctl_asker_pop(struct nctl_asker *a);
