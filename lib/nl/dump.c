/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * DOC: reading dumps in a requester's thread. The kernel makes the next part of a dump inside the receive
 * call, so receiving goes on until NLMSG_DONE without ever having to wait. Messages are gathered into chunks,
 * so that the taker is woken seldom. An attempt that the kernel marks as interrupted (NLM_F_DUMP_INTR) is
 * read to its end, since a socket has one dump at a time, and made again; one that lost something is given up
 * together with its socket.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "nl/attr.h"
#include "nl/worker.h"

enum { CHUNK_CAP = 128 * 1024 }; /* bytes gathered before they are delivered */

struct attempt {
	struct nctl_worker *w;
	const struct nctl_dump *dump;
	unsigned number;
	bool interrupted;
	bool truncated;
	bool done;
	int error; /* of NLMSG_DONE or NLMSG_ERROR */
	struct nctl_result *chunk;
	size_t chunk_cap;
};

static void result_freep(struct nctl_result **r)
{
	*r = nctl_result_free(*r);
}

static int attempt_flush(struct attempt *a)
{
	struct nctl_result *chunk = take_ptr(a->chunk);
	uint8_t *fitting;

	if (!chunk)
		return 0;
	if (chunk->len < a->chunk_cap / 2) {
		fitting = realloc(chunk->data, chunk->len);
		if (fitting)
			chunk->data = fitting;
	}
	return a->dump->deliver(a->dump->ctx, chunk);
}

static int attempt_open_chunk(struct attempt *a, size_t len)
{
	_cleanup_(result_freep) struct nctl_result *chunk =
		nctl_result_new(NCTL_RESULT_DUMP, a->dump->userdata);
	size_t cap = nctl_max(len, (size_t)CHUNK_CAP);

	if (!chunk)
		return -ENOMEM;
	chunk->data = malloc(cap);
	if (!chunk->data)
		return -ENOMEM;
	chunk->attempt = a->number;
	a->chunk = take_ptr(chunk);
	a->chunk_cap = cap;
	return 0;
}

static int attempt_put(struct attempt *a, const struct nlmsghdr *nlh)
{
	size_t len = NLMSG_ALIGN(nlh->nlmsg_len);
	int r;

	if (a->chunk && len > a->chunk_cap - a->chunk->len) {
		r = attempt_flush(a);
		if (r < 0)
			return r;
	}
	if (!a->chunk) {
		r = attempt_open_chunk(a, len);
		if (r < 0)
			return r;
	}
	memcpy(a->chunk->data + a->chunk->len, nlh, nlh->nlmsg_len);
	memset(a->chunk->data + a->chunk->len + nlh->nlmsg_len, 0, len - nlh->nlmsg_len);
	a->chunk->len += len;
	return 0;
}

static int attempt_take(struct attempt *a, const struct nlmsghdr *nlh)
{
	if (nlh->nlmsg_seq != a->dump->msg->nlmsg_seq)
		return 0;
	if (nlh->nlmsg_flags & NLM_F_DUMP_INTR)
		a->interrupted = true;
	if (nlh->nlmsg_type == NLMSG_DONE || nlh->nlmsg_type == NLMSG_ERROR) {
		a->error = nctl_msg_error(nlh);
		a->done = true;
		return 0;
	}
	if (nlh->nlmsg_type < NLMSG_MIN_TYPE)
		return 0;
	/* What will be dumped again need not be handed out; the last attempt's rest may still be of use. */
	if (a->interrupted && a->number < a->w->dump_tries)
		return 0;
	return attempt_put(a, nlh);
}

static int attempt_take_all(struct attempt *a, size_t k)
{
	for (size_t i = 0; i < k; i++) {
		const struct nctl_dgram *d = &a->w->dgrams.v[i];
		const struct nlmsghdr *nlh = NULL;

		if (d->truncated)
			a->truncated = true;
		while ((nlh = nctl_msg_next(d->buf, d->len, nlh))) {
			int r = attempt_take(a, nlh);

			if (r < 0)
				return r;
		}
	}
	return 0;
}

/*
 * Reads one attempt to its end. -EINTR interrupted, -EMSGSIZE truncated, -ENOBUFS overrun; else its status.
 * After -EINTR and what the kernel said itself nothing is left on the socket.
 */
static int attempt_run(struct attempt *a)
{
	int r, k;

	a->dump->msg->nlmsg_seq = nctl_seq_take(1);
	r = nctl_worker_send(a->w, a->dump->msg, a->dump->msg->nlmsg_len, 1);
	if (r < 0)
		return r;
	while (!a->done && !a->truncated) {
		k = nctl_worker_recv(a->w);
		if (k < 0)
			return k;
		r = attempt_take_all(a, (size_t)k);
		if (r < 0)
			return r;
	}
	if (a->truncated)
		return -EMSGSIZE;
	r = attempt_flush(a);
	if (r < 0 || a->error < 0)
		return r < 0 ? r : a->error;
	return a->interrupted ? -EINTR : 0;
}

/*
 * Makes ready for another attempt, after a failed one. 0, or the status that ends the dump. Unless the kernel
 * ended the attempt itself, it goes on with the old dump on that socket for ever: take a new one.
 */
static int dump_recover(struct nctl_worker *w, const struct attempt *a, int status)
{
	bool again = status == -EINTR || status == -EMSGSIZE || status == -ENOBUFS;
	int r;

	if (status == -EMSGSIZE) {
		r = nctl_dgvec_grow(&w->dgrams);
		if (r < 0)
			return r;
	}
	if (!a->done && status != -ECANCELED) {
		r = nctl_worker_reopen(w);
		if (r < 0)
			return again ? r : status;
	}
	return again ? 0 : status;
}

int nctl_worker_run_dump(
	struct nctl_worker *w, const struct nctl_dump *d, unsigned *ret_attempt, bool *ret_refused)
{
	int r = -EINTR, end;

	w->stats.dumps++;
	for (unsigned i = 1; i <= w->dump_tries; i++) {
		struct attempt a = {.w = w, .dump = d, .number = i};

		if (i > 1)
			w->stats.dump_retries++;
		*ret_attempt = i;
		r = attempt_run(&a);
		nctl_result_free(a.chunk);
		*ret_refused = r < 0 && r == a.error;
		if (r == 0)
			return 0;
		end = dump_recover(w, &a, r);
		if (end < 0)
			return end;
	}
	return r;
}
