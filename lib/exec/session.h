/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "mirror/mirror.h"

/* One namespace of a hub: its mirror, kept in step. Made and ended by the hub alone (exec/hub.h). */

struct nctl_session;

struct nctl_session_stats {
	uint64_t epoch;       /* steps at each resynchronisation */
	uint64_t losses;      /* overruns and truncations noticed */
	uint64_t resyncs;     /* rounds of dumps that were completed */
	uint64_t undecodable; /* messages that the codec refused */
	uint64_t retries;     /* dumps that had to be made again: spoiled by a loss, or interrupted */
	uint64_t scoped;      /* dumps of a part, to confirm what the kernel changes without a word */
	uint64_t ignored;     /* routes that nobody here wants (struct nctl_event_filter) */
	uint64_t delay_us;    /* how long the next repetition would be put off */
	uint64_t resync_us;   /* from when it last fell out of step, or was begun, until it was in step */
	size_t suspects;      /* parts that are to be dumped */
	size_t bytes;         /* of memory that its routes take */
	bool dumping;         /* a dump is on its way */
};

bool nctl_session_is_synced(const struct nctl_session *s);
struct nctl_mirror *nctl_session_mirror(struct nctl_session *s);
uint64_t nctl_session_cookie(const struct nctl_session *s); /* SO_NETNS_COOKIE */
nctl_nsid nctl_session_nsid(const struct nctl_session *s);  /* as home sees it; of home NCTL_NSID_NONE */
void *nctl_session_owner(const struct nctl_session *s);     /* as given to nctl_hub_join; of home NULL */
void nctl_session_get_stats(const struct nctl_session *s, struct nctl_session_stats *ret);
