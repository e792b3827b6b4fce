/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <linux/netlink.h>

#include "nl/transport.h"

/* The receive pump of an event transport: takes datagrams by the dozen, hands out message by message. */

struct nctl_pump;

struct nctl_pump_ops {
	/*
	 * One message; nsid is -1 (NCTL_NSID_NONE) for the transport's own namespace. nlh lives until the
	 * call returns.
	 */
	void (*message)(void *userdata, int32_t nsid, const struct nlmsghdr *nlh);
	/*
	 * Messages are lost: the receive buffer overran, or a datagram was truncated or malformed. What we
	 * know is suspect from here.
	 */
	void (*lost)(void *userdata);
	/* The same of a single datagram, of that namespace (truncated, malformed). NULL: lost is called. */
	void (*damaged)(void *userdata, int32_t nsid);
};

struct nctl_pump_stats {
	uint64_t wakeups;  /* dispatch calls */
	uint64_t receives; /* recvmmsg calls */
	uint64_t datagrams;
	uint64_t messages;
	uint64_t overruns;
	uint64_t truncated;
	uint64_t malformed;
};

/* Takes the transport over. ops and userdata outlive the pump. */
int nctl_pump_new(
	struct nctl_transport *t, const struct nctl_pump_ops *ops, void *userdata, struct nctl_pump **ret);
struct nctl_pump *nctl_pump_free(struct nctl_pump *p);
void nctl_pump_freep(struct nctl_pump **p);
int nctl_pump_get_fd(const struct nctl_pump *p);
/* As of the transport; -EOPNOTSUPP: it does not know. */
int nctl_pump_get_queue(const struct nctl_pump *p, struct nctl_transport_queue *ret);

enum { NCTL_PUMP_MORE = 1 }; /* the budget is used up and more is there */

/*
 * Hands out up to about budget messages (a datagram is never split). 0: drained, NCTL_PUMP_MORE, or -errno
 * (not ENOBUFS).
 */
int nctl_pump_dispatch(struct nctl_pump *p, size_t budget);
const struct nctl_pump_stats *nctl_pump_get_stats(const struct nctl_pump *p);
