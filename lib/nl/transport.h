/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/time.h"

/*
 * A transport moves netlink datagrams: a real AF_NETLINK socket or, in tests, one end of a fake kernel.
 * Nothing above this header knows which. A transport is used by one thread at a time.
 */

struct nctl_transport;

/* One received datagram. buf and cap belong to the caller; the rest is filled by recv. */
struct nctl_dgram {
	void *buf;
	size_t cap;     /* bytes; 32 KiB hold any dump datagram of the kernel (netlink(7)) */
	size_t len;     /* bytes received, at most cap */
	bool truncated; /* the datagram was longer than cap; its rest is lost */
	bool has_nsid;  /* NETLINK_LISTEN_ALL_NSID gave the sender's namespace */
	int32_t nsid;
};

/* The queue of what was received and not read (linux/sock_diag.h SK_MEMINFO_*). */
struct nctl_transport_queue {
	size_t bytes, max; /* charged now, and how many may be */
	uint64_t drops;    /* datagrams that had no room */
};

struct nctl_event_filter;

struct nctl_transport_ops {
	/* A descriptor for poll(2), readable when recv would give something; stays the transport's. */
	int (*get_fd)(struct nctl_transport *t);
	/*
	 * Sends one datagram of len bytes holding any number of messages to the kernel. rtnetlink does the
	 * work inside this call, so it may take long (see PERF in tests/bench). 0 or a negative errno.
	 */
	int (*send)(struct nctl_transport *t, const void *buf, size_t len);
	/*
	 * Receives up to n datagrams without waiting. Returns how many (0: none there), or a negative errno:
	 * -ENOBUFS when the receive buffer overran and messages are lost; the transport stays usable.
	 */
	int (*recv)(struct nctl_transport *t, struct nctl_dgram *v, size_t n);
	/*
	 * Waits until recv would give something: 0 readable, -ETIMEDOUT, -errno. deadline may be
	 * NCTL_TIME_NEVER.
	 */
	int (*wait)(struct nctl_transport *t, nctl_time deadline);
	/* Joins the multicast group (RTNLGRP_*, linux/rtnetlink.h). */
	int (*join)(struct nctl_transport *t, unsigned group);
	void (*destroy)(struct nctl_transport *t);
	/* What follows is for events and may be NULL: not to be had. 0 or -errno. */
	int (*get_queue)(struct nctl_transport *t, struct nctl_transport_queue *ret);
	/* The receive buffer of that many bytes, as far as the right to it goes; the kernel doubles it. */
	int (*set_buffer)(struct nctl_transport *t, size_t bytes);
	/* Only what f lets pass is queued from here on; to be called before groups are joined. */
	int (*set_filter)(struct nctl_transport *t, const struct nctl_event_filter *f);
};

struct nctl_transport {
	const struct nctl_transport_ops *ops;
};

/* Destroys t (NULL is fine). Returns NULL. */
struct nctl_transport *nctl_transport_free(struct nctl_transport *t);
void nctl_transport_freep(struct nctl_transport **t);

enum nctl_transport_role {
	NCTL_TRANSPORT_EVENTS,     /* big receive buffer, joins groups, sends nothing */
	NCTL_TRANSPORT_EVENTS_ALL, /* the same, and hears all namespaces that this one has an nsid for */
	NCTL_TRANSPORT_REQUEST,    /* requests, acks and dumps; strict checking, extended acks, capped acks */
	NCTL_TRANSPORT_GENERIC,    /* the same of NETLINK_GENERIC (ethtool, WireGuard); all others are rtnetlink */
};

/*
 * Where transports come from: the kernel of one network namespace, real or fake. Shared by reference; open is
 * called by any thread, even when the one before has not returned, and may wait for another process. It gives
 * a transport owned by the caller. -ENOENT: the namespace is gone. -EOPNOTSUPP: no such role here (EVENTS_ALL
 * without the right to it). cookie is the namespace's SO_NETNS_COOKIE (socket(7)), its identity while it
 * lives.
 */
struct nctl_kernel {
	int (*open)(struct nctl_kernel *k, enum nctl_transport_role role, struct nctl_transport **ret);
	int (*get_cookie)(struct nctl_kernel *k, uint64_t *ret);
	void (*destroy)(struct nctl_kernel *k); /* when the last reference goes; NULL: it is static */
	atomic_uint refs;                       /* beyond the first one */
};
struct nctl_kernel *nctl_kernel_ref(struct nctl_kernel *k);
struct nctl_kernel *nctl_kernel_unref(struct nctl_kernel *k); /* NULL is fine; returns NULL */

/* The kernel of the calling thread's namespace; static, never freed. */
struct nctl_kernel *nctl_kernel_here(void);
/*
 * A transport over a netlink socket that another process has opened, set up (nctl_socket_set_up) and
 * bound. Takes fd over, also on failure. 0 or -ENOMEM.
 */
int nctl_transport_from_fd(int fd, struct nctl_transport **ret);
/* NETLINK_*, for socket(2). */
int nctl_transport_protocol(enum nctl_transport_role role);
/* Sets buffers and options for role and binds; for the process that opens it. 0 or -errno. */
int nctl_socket_set_up(int fd, enum nctl_transport_role role);
