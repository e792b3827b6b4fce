/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nl/transport.h"

/*
 * A fake kernel: one network namespace with links and addresses that answers rtnetlink messages as Linux does
 * and can be told to misbehave. All functions may be called from any thread, but for free.
 */
struct nctl_fake;

/* A namespace with nothing but lo, down. seed decides the MAC addresses that it invents. NULL: no memory. */
struct nctl_fake *nctl_fake_new(uint64_t seed);
/* All transports must be gone. Returns NULL. */
struct nctl_fake *nctl_fake_free(struct nctl_fake *f);
void nctl_fake_freep(struct nctl_fake **f);
/* Where its transports come from; lives as long as f. */
struct nctl_kernel *nctl_fake_kernel(struct nctl_fake *f);

/* Behave as this version of Linux where versions differ (renaming a link that is up: since 6.2).
 * Default 6.18. */
void nctl_fake_set_version(struct nctl_fake *f, unsigned major, unsigned minor);
/* accept_dad of the namespace. False (default): IPv6 addresses are never tentative for long. */
void nctl_fake_set_dad(struct nctl_fake *f, bool on);

/*
 * One request, as if another program had sent it on a socket of its own: 0 or the negative errno of the
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

/* The state as sorted lines, one an object; owned by the caller (free). NULL: no memory. */
char *nctl_fake_print(struct nctl_fake *f);

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

/* Every event transport loses its next n events (0: those now queued) and reports ENOBUFS. */
void nctl_fake_overrun_events(struct nctl_fake *f, unsigned n);
/* SO_RCVBUF of the transports of that role, in bytes as the kernel charges them; existing ones too. */
void nctl_fake_set_rcvbuf(struct nctl_fake *f, enum nctl_transport_role role, size_t bytes);
/* NLM_F_DUMP_INTR on the last messages of the next n dumps. */
void nctl_fake_interrupt_dumps(struct nctl_fake *f, unsigned n);
/* Bytes a dump puts into a datagram at most; 0: 32 KiB. */
void nctl_fake_set_dump_chunk(struct nctl_fake *f, size_t bytes);
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
