/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: keeps the mirror in step. A round dumps links, then addresses; objects that events spoke of meanwhile
 * ignore their dump entry (lib/mirror), the others are swept when the dump does not have them. A loss
 * (overrun, truncation) at any time makes everything suspect: the round in hand is spoiled, or a new one is
 * due. The first repetition comes at once; while losses go on the pause doubles up to 5 s, and nothing ever
 * sleeps or gives up.
 */
#include "exec/private.h"

#include <linux/if_addr.h>
#include <linux/rtnetlink.h>

#include "nl/attr.h"

enum {
	DELAY_FIRST_US = 10 * 1000,
	DELAY_MAX_US = 5 * 1000 * 1000,
	CALM_US = 10 * 1000 * 1000, /* without a loss for so long, the pause starts small again */
};

static void schedule(struct nctl_session *s, nctl_time at)
{
	s->sync.state = SYNC_WAIT;
	s->sync.at = at;
}

/* RTEXT_FILTER_SKIP_STATS: a quarter of a link's bytes, and nobody here reads them. */
static int dump_links(struct nctl_session *s)
{
	struct {
		struct nlattr nla;
		uint32_t mask;
	} ext = {{.nla_len = sizeof(ext), .nla_type = IFLA_EXT_MASK}, RTEXT_FILTER_SKIP_STATS};
	struct ifinfomsg ifi = {.ifi_family = AF_UNSPEC};

	return nctl_requester_dump(s->requester, RTM_GETLINK, &ifi, sizeof(ifi), &ext, sizeof(ext), NULL);
}

static int dump_addrs(struct nctl_session *s)
{
	struct ifaddrmsg ifa = {.ifa_family = AF_UNSPEC};

	return nctl_requester_dump(s->requester, RTM_GETADDR, &ifa, sizeof(ifa), NULL, 0, NULL);
}

static void dump(struct nctl_session *s, enum nctl_object_type type)
{
	int r;

	s->sync.state = SYNC_DUMP;
	s->sync.type = type;
	nctl_mirror_dump_begin(s->mirror, type);
	r = type == NCTL_OBJECT_LINK ? dump_links(s) : dump_addrs(s);
	if (r == 0)
		return;
	/* The requester's queue is full, or memory is short: soon again. */
	nctl_mirror_dump_end(s->mirror, type, false);
	schedule(s, nctl_time_add_us(nctl_time_now(), DELAY_FIRST_US));
}

void nctl_sync_start(struct nctl_session *s)
{
	s->sync.spoiled = false;
	dump(s, NCTL_OBJECT_LINK);
}

/* The next round: now if this is the first loss in a while, later if they keep coming. */
static void again(struct nctl_session *s)
{
	nctl_time now = nctl_time_now();

	if (nctl_time_diff_us(now, s->sync.lost_at) > CALM_US)
		s->sync.delay_us = 0;
	schedule(s, nctl_time_add_us(now, s->sync.delay_us));
	s->sync.lost_at = s->sync.at;
	s->sync.delay_us = s->sync.delay_us ? s->sync.delay_us * 2 : DELAY_FIRST_US;
	if (s->sync.delay_us > DELAY_MAX_US)
		s->sync.delay_us = DELAY_MAX_US;
}

void nctl_sync_lost(struct nctl_session *s)
{
	s->losses++;
	switch (s->sync.state) {
	case SYNC_WAIT:
		break;
	case SYNC_DUMP:
		s->sync.spoiled = true;
		break;
	case SYNC_DONE:
		again(s);
		break;
	}
}

void nctl_sync_refresh(struct nctl_session *s)
{
	switch (s->sync.state) {
	case SYNC_WAIT:
		break;
	case SYNC_DUMP: /* what it reads may be older */
		s->sync.spoiled = true;
		break;
	case SYNC_DONE:
		nctl_sync_start(s);
		break;
	}
}

static void finish(struct nctl_session *s)
{
	s->sync.state = SYNC_DONE;
	s->resyncs++;
	s->epoch++;
	/* What the kernel told while the dump was read is still in the queue. */
	nctl_session_drain(s);
	if (s->sync.state == SYNC_DONE && s->ops->synced)
		s->ops->synced(s, s->userdata);
}

static void dump_over(struct nctl_session *s, int status)
{
	enum nctl_object_type type = s->sync.type;

	nctl_mirror_dump_end(s->mirror, type, status == 0 && !s->sync.spoiled);
	if (status < 0 || s->sync.spoiled)
		again(s);
	else if (type + 1 < NCTL_OBJECT_N_TYPES)
		dump(s, type + 1);
	else
		finish(s);
}

void nctl_sync_result(struct nctl_session *s, const struct nctl_result *r)
{
	const struct nlmsghdr *nlh = NULL;

	if (s->sync.state != SYNC_DUMP)
		return;
	if (r->type == NCTL_RESULT_DUMP_END) {
		dump_over(s, r->status);
		return;
	}
	while ((nlh = nctl_msg_next(r->data, r->len, nlh)))
		nctl_session_feed(s, nlh, NCTL_SOURCE_DUMP);
}

void nctl_sync_tick(struct nctl_session *s, nctl_time now)
{
	if (s->sync.state == SYNC_WAIT && nctl_time_cmp(s->sync.at, now) <= 0)
		nctl_sync_start(s);
}
