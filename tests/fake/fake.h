/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nl/transport.h"

/*
 * A fake kernel: network namespaces with links and addresses that answer rtnetlink messages as Linux does and
 * can be told to misbehave. Its first namespace is called home. All functions may be called from any thread,
 * but for free.
 */
struct nctl_fake;

/* Home, with nothing but lo, down. seed decides the MAC addresses that it invents. NULL: no memory. */
struct nctl_fake *nctl_fake_new(uint64_t seed);
/* All transports, and all kernels of nctl_fake_netns_kernel, must be gone. Returns NULL. */
struct nctl_fake *nctl_fake_free(struct nctl_fake *f);
void nctl_fake_freep(struct nctl_fake **f);
/* Where home's transports come from; lives as long as f. */
struct nctl_kernel *nctl_fake_kernel(struct nctl_fake *f);

/* Behave as this version of Linux where versions differ (renaming a link that is up: since 6.2).
 * Default 6.18. */
void nctl_fake_set_version(struct nctl_fake *f, unsigned major, unsigned minor);
/* The same from a release as uname(2) has it: stable releases have got some of what is newer. */
void nctl_fake_set_release(struct nctl_fake *f, const char *release);
/* accept_dad, everywhere. False (default): IPv6 addresses are never tentative for long. */
void nctl_fake_set_dad(struct nctl_fake *f, bool on);

/*
 * One request, as if another program had sent it on a socket at home: 0 or the negative errno of the
 * answer. Its events reach every event transport. len bytes hold one message. Injections do not apply.
 */
int nctl_fake_exec(struct nctl_fake *f, const void *msg, size_t len);
/*
 * How many times does Linux put off work of the last request, for a second each (net/core/link_watch.c)? The
 * fake has done it all.
 */
unsigned nctl_fake_lazy_rounds(struct nctl_fake *f);
/* Ends the tentative state of all addresses whose link is ready, with events. */
void nctl_fake_complete_dad(struct nctl_fake *f);

/* The state of home as sorted lines, one an object; owned by the caller (free). NULL: no memory. */
char *nctl_fake_print(struct nctl_fake *f);

/*
 * Namespaces. A cookie (SO_NETNS_COOKIE) is never used again; an nsid is, the lowest free one is the next. A
 * namespace lives while its maker or a transport holds it; with the last of them it is taken down: the nsids
 * for it go (RTM_DELNSID), its cards go home, its other links vanish without a word to anybody but the other
 * ends of pairs.
 */

/* One with nothing but lo, held by the caller until drop. 0 or -ENOMEM. */
int nctl_fake_netns_new(struct nctl_fake *f, uint64_t *ret_cookie);
/* Once: its maker lets go of it. Not of home. */
void nctl_fake_netns_drop(struct nctl_fake *f, uint64_t cookie);
bool nctl_fake_netns_is_alive(struct nctl_fake *f, uint64_t cookie);
/* Waits until it is gone: the last transport may be another thread's. False: it still is there then. */
bool nctl_fake_netns_wait(struct nctl_fake *f, uint64_t cookie, unsigned ms);
uint64_t nctl_fake_home(struct nctl_fake *f); /* its cookie */
/* Where its transports come from: a reference of the caller's, which does not hold the namespace; also of one
 * that is gone. NULL: no memory. */
struct nctl_kernel *nctl_fake_netns_kernel(struct nctl_fake *f, uint64_t cookie);
/* The nsid that viewer has for cookie. assign: it gets one if it has none, with RTM_NEWNSID to RTNLGRP_NSID.
 * -1: none, or one of them is gone. */
int32_t nctl_fake_netns_nsid_in(struct nctl_fake *f, uint64_t viewer, uint64_t cookie, bool assign);
/* The same as home sees it. */
int32_t nctl_fake_netns_nsid(struct nctl_fake *f, uint64_t cookie);
int32_t nctl_fake_netns_assign_nsid(struct nctl_fake *f, uint64_t cookie);
/* As nctl_fake_exec and nctl_fake_print; -ENOENT and NULL when it is gone. */
int nctl_fake_netns_exec(struct nctl_fake *f, uint64_t cookie, const void *msg, size_t len);
char *nctl_fake_netns_print(struct nctl_fake *f, uint64_t cookie);
/* A network card, as if a driver had found it; of no kind, and it cannot be deleted. 0 or a negative errno.
 */
int nctl_fake_netns_add_card(struct nctl_fake *f, uint64_t cookie, int ifindex, const char *name);
/*
 * Moves a link; it keeps its index if that is free. name: what it is called there, NULL: as before. 0, or
 * -ENOENT (no such namespace), -ENODEV, -EINVAL (of a kind that stays where it is), -EEXIST (the name is in
 * use there).
 */
int nctl_fake_netns_move(struct nctl_fake *f, uint64_t from, int ifindex, uint64_t to, const char *name);
/* NCTL_TRANSPORT_EVENTS_ALL is not to be had (-EOPNOTSUPP). */
void nctl_fake_deny_all(struct nctl_fake *f, bool on);

/* Messages that transports were sent, by type (RTM_*); injections and refusals count as well, exec does not.
 */
uint64_t nctl_fake_count(struct nctl_fake *f, uint16_t type);
/* All that are not RTM_GET*. */
uint64_t nctl_fake_count_changes(struct nctl_fake *f);
void nctl_fake_reset_counts(struct nctl_fake *f);

/* Injections. What is armed stays so until it has been used up. */

struct nctl_fake_refusal {
	uint16_t type;      /* RTM_*, 0: any */
	const char *ifname; /* IFLA_IFNAME or the name of the link with the message's index; NULL: any */
	int ifindex;        /* of the family header; 0: any */
	uint64_t cookie;    /* of the socket's namespace; 0: any */
	unsigned skip;      /* let that many matching ones pass first */
	unsigned count;     /* then refuse that many; 0: one */
	int error;          /* negative errno */
	const char *text;   /* NLMSGERR_ATTR_MSG, NULL: none */
	uint32_t offset;    /* NLMSGERR_ATTR_OFFS, 0: none */
};
/* Refuses matching messages without looking at them. Strings are copied. 0 or -ENOMEM. */
int nctl_fake_refuse(struct nctl_fake *f, const struct nctl_fake_refusal *r);
/* Forgets those that are armed. */
void nctl_fake_clear_refusals(struct nctl_fake *f);

/* Every event transport (of both roles) loses its next n events (0: those now queued) and reports ENOBUFS. */
void nctl_fake_overrun_events(struct nctl_fake *f, unsigned n);
/* SO_RCVBUF of the transports of that role, in bytes as the kernel charges them; existing ones too. */
void nctl_fake_set_rcvbuf(struct nctl_fake *f, enum nctl_transport_role role, size_t bytes);
/* NLM_F_DUMP_INTR on the last messages of the next n dumps. */
void nctl_fake_interrupt_dumps(struct nctl_fake *f, unsigned n);
/* Bytes a dump puts into a datagram at most; 0: 32 KiB. */
void nctl_fake_set_dump_chunk(struct nctl_fake *f, size_t bytes);
/* Linux hides an IPv6 route that stands between two siblings of its prefix and metric from dumps, not from
 * events. True: all are shown. */
void nctl_fake_set_whole_dumps(struct nctl_fake *f, bool on);
/* Called before every datagram of a dump is made, with its number from 0; may use exec. NULL: none. */
void nctl_fake_on_dump(struct nctl_fake *f, void (*fn)(void *userdata, unsigned chunk), void *userdata);
/* The next n acks and errors are lost without a trace. */
void nctl_fake_lose_acks(struct nctl_fake *f, unsigned n);
/* Answers of one datagram come in reverse order. */
void nctl_fake_reverse_acks(struct nctl_fake *f, bool on);
/* The next n datagrams received (of any role) hold only their first len bytes and are marked truncated. */
void nctl_fake_truncate(struct nctl_fake *f, unsigned n, size_t len);
/* Events stay in the kernel until released. */
void nctl_fake_hold_events(struct nctl_fake *f);
void nctl_fake_release_events(struct nctl_fake *f);
