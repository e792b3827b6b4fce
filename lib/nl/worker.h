/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "nl/dgvec.h"
#include "nl/requester.h"
#include "nl/transport.h"

/*
 * What a requester's thread works with, private to lib/nl. Only that thread touches it, but for stop and
 * stop_fd, by which the owner ends a wait.
 */
struct nctl_worker {
	/* By the namespace's kernel, the one used last in front. */
	struct nctl_worker_place {
		struct nctl_kernel *kernel; /* referenced */
		struct nctl_transport *transport;
	} places[NCTL_REQUESTER_TRANSPORTS];
	size_t n_places;
	struct nctl_kernel *home;         /* its place stays */
	struct nctl_transport *transport; /* of places[0]: where the worker is */
	struct nctl_dgvec dgrams;
	unsigned timeout_ms;
	unsigned dump_tries;
	struct nctl_requester_stats stats;
	atomic_bool stop;
	int stop_fd; /* an eventfd, readable once stop is set */
};

/* Opens the transport of kernel. 0 or -errno; then nothing is left to free. */
int nctl_worker_init(
	struct nctl_worker *w, struct nctl_kernel *kernel, const struct nctl_requester_options *opts);
void nctl_worker_fini(struct nctl_worker *w);
/* Goes to another namespace, opening a transport if need be. 0, or -errno: it is nowhere then. */
int nctl_worker_enter(struct nctl_worker *w, struct nctl_kernel *kernel);
/* Closes all transports but home's. */
void nctl_worker_go_home(struct nctl_worker *w);
static inline bool nctl_worker_is_abroad(const struct nctl_worker *w)
{
	return w->n_places > 1;
}
/* Ends the wait in hand and all later ones with -ECANCELED; for the owner's thread. */
void nctl_worker_stop(struct nctl_worker *w);

/* Sends one datagram of n messages and counts it. */
int nctl_worker_send(struct nctl_worker *w, const void *buf, size_t len, size_t n);
/*
 * Receives into w->dgrams, waiting only if nothing is there. Returns how many datagrams (at least 1),
 * -ETIMEDOUT, -ECANCELED, -ENOBUFS (counted as lost_acks), or another -errno.
 */
int nctl_worker_recv(struct nctl_worker *w);
/* Receives what is there already, at least 0 datagrams; else as nctl_worker_recv. */
int nctl_worker_recv_nowait(struct nctl_worker *w);
/*
 * Exchanges the transport for a new one, so that nothing of an unfinished dump is left. -errno: the old one
 * stays.
 */
int nctl_worker_reopen(struct nctl_worker *w);

/* n sequence numbers that nobody in this process has used lately; the first of them. */
uint32_t nctl_seq_take(uint32_t n);
/* The error of an NLMSG_ERROR or NLMSG_DONE message, 0 or a negative errno; 0 if it carries none. */
int nctl_msg_error(const struct nlmsghdr *nlh);

/* Sends b, which has no open message, and collects the answers into it. */
void nctl_worker_run_batch(struct nctl_worker *w, struct nctl_batch *b);

/* A dump to be made. msg is a whole message, whose sequence number and flags are set for each attempt. */
struct nctl_dump {
	struct nlmsghdr *msg;
	void *userdata;
	/* Takes over a chunk, perhaps waiting. 0, or -errno to end the dump. */
	int (*deliver)(void *ctx, struct nctl_result *chunk);
	void *ctx;
};
/*
 * Reads a dump, delivering chunks. Returns the status of its end; ret_attempt is the number of the last
 * attempt, ret_refused whether the status is the kernel's own answer.
 */
int nctl_worker_run_dump(
	struct nctl_worker *w, const struct nctl_dump *d, unsigned *ret_attempt, bool *ret_refused);

/* An empty result, for nctl_result_free. NULL without memory. */
struct nctl_result *nctl_result_new(enum nctl_result_type type, void *userdata);
