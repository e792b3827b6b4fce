/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/netlink.h>

#include "base/time.h"
#include "nl/msg.h"
#include "nl/transport.h"

/*
 * A requester is a thread with request transports of its own, one for each namespace that it is at work in.
 * It sends batches and reads dumps, since both do the kernel's work inside the system call; the owner (the
 * loop thread) only fills a bounded queue and takes results from another one. wake is called from the
 * requester's thread whenever the result queue becomes non-empty; it must be safe to call from any thread
 * (ev_async_send is).
 */

/* How the kernel answered one message of a batch. Refusals are data, not return codes (S13). */
struct nctl_reply {
	uint32_t index;  /* message number in its batch, from 0 */
	int error;       /* negative errno of the kernel */
	uint32_t offset; /* NLMSGERR_ATTR_OFFS: offset of the attribute blamed, 0 unknown */
	char *text;      /* NLMSGERR_ATTR_MSG: the kernel's own words, or NULL; owned by the batch */
};

/*
 * Each job names the kernel it is for. Jobs are carried out one after the other, in the order in which they
 * were queued, whatever their kernels. A transport stays open until it has been idle for longest among
 * NCTL_REQUESTER_TRANSPORTS, or there are no jobs: an open socket keeps its namespace alive. That of the
 * kernel given to nctl_requester_new stays.
 */
enum { NCTL_REQUESTER_TRANSPORTS = 16 };

/*
 * Reads an NLMSG_ERROR into ret: its error, and the extended acknowledgement. The text is malloc'ed. False:
 * it is no such message, or an ack.
 */
bool nctl_reply_read(const struct nlmsghdr *nlh, struct nctl_reply *ret);

/* Encoded messages that go out in one send, and what came back. Sequence numbers are first_seq + index. */
struct nctl_batch {
	struct nctl_msgbuf msgs;
	uint32_t first_seq; /* set by nctl_batch_new, unique in the process */
	void *userdata;     /* the owner's */
	/* filled by the requester: */
	int status; /* 0 all messages were answered for; -errno the transport failed, outcome unknown; -ENOENT
	               the namespace is gone, nothing was sent */
	struct nctl_reply *errors; /* only what was refused; all other messages succeeded */
	size_t n_errors;
	uint64_t send_us; /* time spent in send() */
};

/* An empty batch with room for cap bytes (at most the transport's send buffer; 64 KiB is typical). */
int nctl_batch_new(size_t cap, struct nctl_batch **ret);
struct nctl_batch *nctl_batch_free(struct nctl_batch *b);
/* Commits the open message of b->msgs with the next sequence number. 0 or NCTL_MSG_FULL. */
int nctl_batch_commit(struct nctl_batch *b);

enum nctl_result_type {
	NCTL_RESULT_BATCH,   /* batch is back, to be freed by the taker */
	NCTL_RESULT_DUMP,    /* a chunk of messages of a dump */
	NCTL_RESULT_DUMP_END /* the dump is over: status 0, or -errno */
};

struct nctl_result {
	enum nctl_result_type type;
	struct nctl_batch *batch;
	/* dumps: */
	void *userdata;   /* of nctl_requester_dump */
	unsigned attempt; /* from 1; steps when the dump started again (interrupted, overrun, truncated) */
	uint8_t *data;    /* len bytes of whole messages, no NLMSG_DONE; owned by the result */
	size_t len;
	int status;
	bool refused; /* status is what the kernel itself answered */
};
/* Frees r with its data and, unless the taker moved it out by take_ptr, its batch. Returns NULL. */
struct nctl_result *nctl_result_free(struct nctl_result *r);

struct nctl_requester_stats {
	uint64_t sends;    /* datagrams sent */
	uint64_t messages; /* messages in them, dumps included */
	uint64_t changes;  /* messages that are not RTM_GET* */
	uint64_t receives;
	uint64_t refusals;
	uint64_t dumps;
	uint64_t dump_retries;
	uint64_t lost_acks; /* overruns of the request transport: such a batch ends with -ENOBUFS */
	uint64_t longest_send_us;
};

struct nctl_requester;

struct nctl_requester_options {
	size_t queue_max;    /* jobs and, separately, results held at most; 0: 16 */
	unsigned dump_tries; /* attempts at an interrupted dump before DUMP_END says -EINTR; 0: 10 */
	unsigned timeout_ms; /* longest wait for an answer; 0: 30,000 */
};

/* Starts the thread; it opens its transport from kernel before this returns. */
int nctl_requester_new(struct nctl_kernel *kernel, const struct nctl_requester_options *opts,
	void (*wake)(void *userdata), void *userdata, struct nctl_requester **ret);
/* Finishes the job in hand, drops the queued ones, joins the thread. */
struct nctl_requester *nctl_requester_free(struct nctl_requester *r);
void nctl_requester_freep(struct nctl_requester **r);

enum { NCTL_REQUESTER_FULL = 1 };

/*
 * Queues b, which is then the requester's until it comes back as a result. Else NCTL_REQUESTER_FULL or
 * -ENOMEM: b stays the caller's.
 */
int nctl_requester_submit(struct nctl_requester *r, struct nctl_kernel *kernel, struct nctl_batch *b);
/*
 * Queues a dump request: type RTM_GET*, family header, attributes as attrs_len raw bytes (NULL: none), all
 * copied. 0, NCTL_REQUESTER_FULL or -ENOMEM.
 */
int nctl_requester_dump(struct nctl_requester *r, struct nctl_kernel *kernel, uint16_t type, const void *hdr,
	size_t hdr_len, const void *attrs, size_t attrs_len, void *userdata);
/* Takes the next result, or NULL. */
struct nctl_result *nctl_requester_pop(struct nctl_requester *r);
void nctl_requester_get_stats(struct nctl_requester *r, struct nctl_requester_stats *ret);
