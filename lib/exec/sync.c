/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: keeps the mirrors in step. A round dumps links, then addresses; objects that events spoke of meanwhile
 * ignore their dump entry (lib/mirror), the others are swept when the dump does not have them. A loss
 * (overrun, truncation) at any time makes everything suspect: the round in hand is spoiled, or a new one is
 * due. The first repetition comes at once; while losses go on the pause doubles up to 5 s, and nothing ever
 * sleeps or gives up. Of all namespaces a few are dumped at a time, in the order in which they fell due.
 */
#include "exec/private.h"

#include <errno.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>

#include "nl/attr.h"

enum {
	DELAY_FIRST_US = 10 * 1000,
	DELAY_MAX_US = 5 * 1000 * 1000,
	CALM_US = 10 * 1000 * 1000, /* without a loss for so long, the pause starts small again */
};

void nctl_sync_init(struct nctl_session *s)
{
	s->sync.state = SYNC_FENCED;
	nctl_list_init(&s->sync.due);
}

void nctl_sync_fini(struct nctl_session *s)
{
	if (s->sync.state == SYNC_WAIT)
		nctl_rb_remove(&s->hub->waiting, &s->sync.waiting);
	nctl_list_del(&s->sync.due);
	if (s->sync.ticket)
		s->sync.ticket->session = NULL;
}

static void set_state(struct nctl_session *s, enum sync_state state)
{
	if (s->sync.state == SYNC_WAIT)
		nctl_rb_remove(&s->hub->waiting, &s->sync.waiting);
	s->hub->unsynced += (state != SYNC_DONE) - (s->sync.state != SYNC_DONE);
	s->sync.state = state;
}

/* By time, then by cookie: no two are equal. */
static int cmp_waiting(const struct nctl_rb_node *x, const struct nctl_rb_node *y)
{
	const struct nctl_session *a = nctl_container_of(x, struct nctl_session, sync.waiting);
	const struct nctl_session *b = nctl_container_of(y, struct nctl_session, sync.waiting);
	int r = nctl_time_cmp(a->sync.at, b->sync.at);

	return r ? r : (a->cookie > b->cookie) - (a->cookie < b->cookie);
}

static void schedule(struct nctl_session *s, nctl_time at)
{
	set_state(s, SYNC_WAIT);
	s->sync.at = at;
	nctl_rb_insert(&s->hub->waiting, &s->sync.waiting, cmp_waiting);
}

static void put_due(struct nctl_session *s)
{
	struct nctl_hub *h = s->hub;

	set_state(s, SYNC_DUE);
	nctl_list_del(&s->sync.due);
	if (s == h->home)
		nctl_list_add_head(&h->due, &s->sync.due);
	else
		nctl_list_add_tail(&h->due, &s->sync.due);
}

/* RTEXT_FILTER_SKIP_STATS: a quarter of a link's bytes, and nobody here reads them. */
static int dump_links(struct nctl_session *s)
{
	struct {
		struct nlattr nla;
		uint32_t mask;
	} ext = {{.nla_len = sizeof(ext), .nla_type = IFLA_EXT_MASK}, RTEXT_FILTER_SKIP_STATS};
	struct ifinfomsg ifi = {.ifi_family = AF_UNSPEC};

	return nctl_requester_dump(s->hub->requester, s->kernel, RTM_GETLINK, &ifi, sizeof(ifi), &ext,
		sizeof(ext), s->sync.ticket);
}

static int dump_addrs(struct nctl_session *s)
{
	struct ifaddrmsg ifa = {.ifa_family = AF_UNSPEC};

	return nctl_requester_dump(
		s->hub->requester, s->kernel, RTM_GETADDR, &ifa, sizeof(ifa), NULL, 0, s->sync.ticket);
}

/* Starts the dump of sync.type. False: the requester's queue is full, or memory is short. */
static bool dump(struct nctl_session *s)
{
	enum nctl_object_type type = s->sync.type;
	int r;

	s->sync.ticket = malloc(sizeof(*s->sync.ticket));
	if (!s->sync.ticket)
		return false;
	*s->sync.ticket = (struct dump_ticket){.session = s, .hub = s->hub};
	nctl_list_init(&s->sync.ticket->link);
	nctl_mirror_dump_begin(s->mirror, &(struct nctl_dump_scope){.type = type});
	r = type == NCTL_OBJECT_LINK ? dump_links(s) : dump_addrs(s);
	if (r == 0) {
		nctl_list_add_tail(&s->hub->tickets, &s->sync.ticket->link);
		s->hub->dumping++;
		return true;
	}
	nctl_mirror_dump_end(s->mirror, false);
	free(s->sync.ticket);
	s->sync.ticket = NULL;
	return false;
}

void nctl_sync_start(struct nctl_session *s)
{
	s->sync.spoiled = false;
	s->sync.type = NCTL_OBJECT_LINK;
	put_due(s);
}

void nctl_sync_advance(struct nctl_hub *h)
{
	struct nctl_list *n;

	while (!h->shut && h->dumping < NCTL_DUMPS_IN_FLIGHT && (n = nctl_list_first(&h->due))) {
		struct nctl_session *s = nctl_list_entry(n, struct nctl_session, sync.due);

		nctl_list_del(n);
		if (dump(s)) {
			set_state(s, SYNC_DUMP);
			continue;
		}
		schedule(s, nctl_time_add_us(nctl_time_now(), DELAY_FIRST_US));
		return;
	}
}

/* The next round: now if this is the first loss in a while, later if they keep coming. */
static void again(struct nctl_session *s, nctl_time now)
{
	uint64_t delay_us;

	if (nctl_time_diff_us(now, s->sync.lost_at) > CALM_US)
		s->sync.delay_us = 0;
	delay_us = s->sync.delay_us;
	s->sync.lost_at = nctl_time_add_us(now, delay_us);
	s->sync.delay_us = delay_us ? delay_us * 2 : DELAY_FIRST_US;
	if (s->sync.delay_us > DELAY_MAX_US)
		s->sync.delay_us = DELAY_MAX_US;
	schedule(s, s->sync.lost_at);
}

/* Who never was in step has lost nothing. */
static void tell_lost(struct nctl_session *s)
{
	if (s->sync.lost || !s->epoch)
		return;
	s->sync.lost = true;
	if (s->hub->ops->lost)
		s->hub->ops->lost(s, s->hub->userdata);
}

void nctl_sync_lost(struct nctl_session *s, nctl_time now)
{
	s->losses++;
	switch (s->sync.state) {
	case SYNC_FENCED:
	case SYNC_WAIT:
		break;
	case SYNC_DUE: /* of a round that has begun, what was read is old */
		s->sync.type = NCTL_OBJECT_LINK;
		break;
	case SYNC_DUMP:
		s->sync.spoiled = true;
		break;
	case SYNC_DONE:
		again(s, now);
		break;
	}
	tell_lost(s);
}

void nctl_sync_refresh(struct nctl_session *s)
{
	switch (s->sync.state) {
	case SYNC_FENCED:
	case SYNC_WAIT:
		break;
	case SYNC_DUE:
		s->sync.type = NCTL_OBJECT_LINK;
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
	struct nctl_hub *h = s->hub;
	uint64_t cookie = s->cookie;

	set_state(s, SYNC_DONE);
	s->resyncs++;
	s->epoch++;
	/* What the kernel told while the dump was read is still in the queue; even that s is gone. */
	nctl_hub_drain(h);
	s = nctl_hub_find(h, cookie);
	if (!s || s->sync.state != SYNC_DONE)
		return;
	s->sync.lost = false;
	if (h->ops->synced)
		h->ops->synced(s, h->userdata);
}

static void dump_over(struct nctl_session *s, int status)
{
	enum nctl_object_type type = s->sync.type;

	nctl_mirror_dump_end(s->mirror, status == 0 && !s->sync.spoiled);
	if (status == -ENOENT && s != s->hub->home) {
		nctl_hub_find_gone(s->hub, s);
	} else if (status < 0 || s->sync.spoiled) {
		again(s, nctl_time_now());
	} else if (type < NCTL_OBJECT_ADDR) {
		s->sync.type = type + 1;
		put_due(s);
		/* While its transport is open. */
		nctl_list_del(&s->sync.due);
		nctl_list_add_head(&s->hub->due, &s->sync.due);
	} else {
		finish(s);
	}
}

void nctl_sync_result(const struct nctl_result *r)
{
	struct dump_ticket *t = r->userdata;
	struct nctl_session *s = t->session;
	const struct nlmsghdr *nlh = NULL;

	if (r->type == NCTL_RESULT_DUMP_END) {
		t->hub->dumping--;
		nctl_list_del(&t->link);
		free(t);
		if (!s)
			return;
		s->sync.ticket = NULL;
		dump_over(s, r->status);
		return;
	}
	while (s && (nlh = nctl_msg_next(r->data, r->len, nlh)))
		nctl_session_feed(s, nlh, NCTL_SOURCE_DUMP);
}

void nctl_sync_unfence(struct nctl_hub *h)
{
	struct nctl_list *n;

	while ((n = nctl_list_first(&h->fenced)))
		nctl_sync_start(nctl_list_entry(n, struct nctl_session, sync.due));
}

static struct nctl_session *first_waiting(const struct nctl_hub *h)
{
	struct nctl_rb_node *n = nctl_rb_first(&h->waiting);

	return n ? nctl_container_of(n, struct nctl_session, sync.waiting) : NULL;
}

nctl_time nctl_sync_deadline(const struct nctl_hub *h)
{
	const struct nctl_session *s = first_waiting(h);

	if (!nctl_list_empty(&h->fenced))
		return nctl_time_now();
	return s ? s->sync.at : NCTL_TIME_NEVER;
}

void nctl_sync_tick(struct nctl_hub *h, nctl_time now)
{
	struct nctl_session *s;

	while ((s = first_waiting(h)) && nctl_time_cmp(s->sync.at, now) <= 0)
		nctl_sync_start(s);
	nctl_sync_advance(h);
}
