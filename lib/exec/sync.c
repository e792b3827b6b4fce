/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: keeps the mirrors in step. A round dumps one type of objects after the other, what refers to others
 * behind them; objects that events spoke of meanwhile ignore their dump entry (lib/mirror), the others are
 * swept when the dump does not have them. A round is over when the events are read that came before the end
 * of its last dump. A loss (overrun, truncation) at any time makes everything suspect: the round in hand is
 * spoiled, or a new one is due. The first repetition comes at once; while losses go on the pause doubles up
 * to 5 s, and nothing ever sleeps or gives up. Of all namespaces a few are dumped at a time, in the order in
 * which they fell due. scope.c has the dumps of a part.
 */
#include "exec/private.h"
#include "mirror/vlans.h"

#include <errno.h>
#include <stdlib.h>

#include "nl/attr.h"

enum {
	DELAY_FIRST_US = 10 * 1000,
	DELAY_MAX_US = 5 * 1000 * 1000,
	CALM_US = 10 * 1000 * 1000, /* without a loss for so long, the pause starts small again */
	FEED_PORTION = 32,          /* messages of a dump between two looks at the clock */
	FEED_MAX = 4096,            /* messages of a dump at once, whatever the clock says */
	WORK_BEFORE = 64,           /* objects of the mirror's own work that a dump may wait for */
};

/* The type that a whole round ends with. */
#define ROUND_LAST ((enum nctl_object_type)(NCTL_OBJECT_N_TYPES - 1))

void nctl_sync_init(struct nctl_session *s)
{
	s->sync.state = SYNC_FENCED;
	s->sync.last = ROUND_LAST;
	s->sync.began = nctl_hub_now(s->hub);
	nctl_list_init(&s->sync.due);
	nctl_list_init(&s->touched);
	nctl_scopes_init(s);
}

void nctl_sync_stop_waiting(struct nctl_session *s)
{
	if (!s->sync.waits)
		return;
	nctl_rb_remove(&s->hub->waiting, &s->sync.waiting);
	s->sync.waits = false;
	s->hub->n_waiting--;
}

void nctl_sync_fini(struct nctl_session *s)
{
	nctl_sync_stop_waiting(s);
	nctl_list_del(&s->sync.due);
	nctl_list_del(&s->touched);
	nctl_scopes_fini(s);
	if (s->sync.ticket)
		s->sync.ticket->session = NULL;
}

static void set_state(struct nctl_session *s, enum sync_state state)
{
	nctl_sync_stop_waiting(s);
	nctl_list_del(&s->sync.due);
	s->hub->unsynced += (state != SYNC_DONE) - (s->sync.state != SYNC_DONE);
	if (s->sync.state == SYNC_DONE && state != SYNC_DONE)
		s->sync.began = nctl_hub_now(s->hub);
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

void nctl_sync_wait(struct nctl_session *s, nctl_time at)
{
	nctl_sync_stop_waiting(s);
	s->sync.at = at;
	s->sync.waits = true;
	s->hub->n_waiting++;
	nctl_rb_insert(&s->hub->waiting, &s->sync.waiting, cmp_waiting);
}

static void put_due(struct nctl_session *s, bool first)
{
	struct nctl_hub *h = s->hub;

	set_state(s, SYNC_DUE);
	if (first || s == h->home)
		nctl_list_add_head(&h->due, &s->sync.due);
	else
		nctl_list_add_tail(&h->due, &s->sync.due);
}

bool nctl_sync_dump(struct nctl_session *s, const struct nctl_dump_scope *scope)
{
	struct dump_ticket *t = malloc(sizeof(*t));

	if (!t)
		return false;
	*t = (struct dump_ticket){.session = s, .hub = s->hub};
	nctl_list_init(&t->link);
	nctl_mirror_dump_begin(s->mirror, scope);
	if (nctl_request_dump(s, scope, t) == 0) {
		nctl_list_add_tail(&s->hub->tickets, &t->link);
		s->hub->dumping++;
		s->sync.ticket = t;
		return true;
	}
	nctl_mirror_dump_end(s->mirror, false);
	free(t);
	return false;
}

void nctl_sync_fence(struct nctl_session *s)
{
	nctl_fence_set(s->hub, &s->sync.fence);
	nctl_list_add_tail(&s->hub->fenced, &s->sync.due);
}

static void rewind_round(struct nctl_session *s)
{
	s->sync.type = NCTL_OBJECT_LINK;
	s->sync.vlans = false;
}

static struct nctl_dump_scope scope_of(const struct nctl_session *s)
{
	return (struct nctl_dump_scope){.type = s->sync.type, .vlans = s->sync.vlans};
}

/* The next list of the round. False: that was the last one. */
static bool step(struct nctl_session *s)
{
	bool links = s->sync.type == NCTL_OBJECT_LINK && !s->sync.vlans;

	s->sync.vlans = links && nctl_mirror_has_vlans(s->mirror);
	if (s->sync.vlans)
		return true;
	if (s->sync.type == s->sync.last)
		return false;
	s->sync.type++;
	return true;
}

void nctl_sync_start(struct nctl_session *s)
{
	nctl_scopes_abandon(s, s->sync.last == ROUND_LAST);
	s->sync.spoiled = false;
	s->sync.refresh = false;
	rewind_round(s);
	put_due(s, false);
}

static void begin_dump(struct nctl_session *s)
{
	struct nctl_dump_scope scope = scope_of(s);

	if (nctl_mirror_work(s->mirror, WORK_BEFORE)) {
		set_state(s, SYNC_WORK);
		nctl_turn_touch(s);
	} else if (nctl_sync_dump(s, &scope)) {
		set_state(s, SYNC_DUMP);
	} else {
		set_state(s, SYNC_WAIT);
		nctl_sync_wait(s, nctl_time_add_us(nctl_hub_now(s->hub), DELAY_FIRST_US));
	}
}

void nctl_sync_advance(struct nctl_hub *h)
{
	struct nctl_list *n;

	while (!h->shut && h->dumping < NCTL_DUMPS_IN_FLIGHT && (n = nctl_list_first(&h->due))) {
		nctl_list_del(n);
		begin_dump(nctl_list_entry(n, struct nctl_session, sync.due));
	}
	nctl_scopes_advance(h);
}

nctl_time nctl_backoff_next(struct nctl_backoff *b, nctl_time now)
{
	nctl_time at;

	if (nctl_time_diff_us(now, b->last) > CALM_US)
		b->delay_us = 0;
	at = nctl_time_add_us(now, b->delay_us);
	b->last = at;
	b->delay_us = b->delay_us ? b->delay_us * 2 : DELAY_FIRST_US;
	b->delay_us = nctl_min(b->delay_us, (uint64_t)DELAY_MAX_US);
	return at;
}

/* The next round: now if this is the first loss in a while, later if they keep coming. */
static void again(struct nctl_session *s, nctl_time now)
{
	nctl_time at = nctl_backoff_next(&s->sync.backoff, now);

	set_state(s, SYNC_WAIT);
	nctl_sync_wait(s, at);
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
	s->sync.last = ROUND_LAST;
	switch (s->sync.state) {
	case SYNC_FENCED:
	case SYNC_WAIT:
		break;
	case SYNC_DUE: /* of a round that has begun, what was read is old */
	case SYNC_WORK:
		rewind_round(s);
		break;
	case SYNC_DUMP:
		s->sync.spoiled = true;
		break;
	case SYNC_SETTLE:
	case SYNC_DONE:
		nctl_scopes_abandon(s, true); /* what it would sweep may be there */
		again(s, now);
		break;
	}
	tell_lost(s);
}

void nctl_sync_again(struct nctl_session *s)
{
	s->sync.last = ROUND_LAST;
	switch (s->sync.state) {
	case SYNC_FENCED:
		break;
	case SYNC_DUMP: /* its answer belongs to nothing else: another round comes behind it */
		s->sync.spoiled = true;
		break;
	case SYNC_WAIT:
	case SYNC_DUE:
	case SYNC_WORK:
	case SYNC_SETTLE:
	case SYNC_DONE:
		nctl_sync_start(s);
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
	case SYNC_WORK:
	case SYNC_DUMP:
	case SYNC_SETTLE:
		s->sync.refresh = true;
		break;
	case SYNC_DONE:
		s->sync.last = NCTL_OBJECT_ADDR;
		nctl_sync_start(s);
		break;
	}
}

/* What the kernel told while the dump was read may still be in the queue. */
static void begin_to_settle(struct nctl_session *s)
{
	set_state(s, SYNC_SETTLE);
	nctl_fence_set(s->hub, &s->sync.fence);
	nctl_list_add_tail(&s->hub->settling, &s->sync.due);
}

static void finish(struct nctl_session *s)
{
	struct nctl_hub *h = s->hub;

	if (s->sync.refresh) {
		s->sync.last = NCTL_OBJECT_ADDR;
		nctl_sync_start(s);
		return;
	}
	set_state(s, SYNC_DONE);
	s->resync_us = (uint64_t)nctl_time_diff_us(nctl_hub_now(h), s->sync.began);
	s->resyncs++;
	s->epoch++;
	s->sync.lost = false;
	nctl_turn_touch(s); /* for what it suspects by now */
	if (h->ops->synced)
		h->ops->synced(s, h->userdata);
}

void nctl_sync_settle(struct nctl_hub *h)
{
	struct nctl_list *n, *next;

	for (n = nctl_list_first(&h->settling); n; n = next) {
		struct nctl_session *s = nctl_list_entry(n, struct nctl_session, sync.due);

		next = nctl_list_next(&h->settling, n);
		/* What the last dump did not have is swept before, too. */
		if (!nctl_fence_is_passed(h, &s->sync.fence) || nctl_list_linked(&s->touched))
			continue;
		nctl_list_del(n);
		nctl_list_add_tail(&h->settled, n);
	}
	/* Who hears of it may read events, and come here again. */
	while ((n = nctl_list_first(&h->settled)))
		finish(nctl_list_entry(n, struct nctl_session, sync.due));
}

void nctl_sync_worked(struct nctl_session *s)
{
	switch (s->sync.state) {
	case SYNC_FENCED:
	case SYNC_WAIT:
	case SYNC_DUE:
	case SYNC_DUMP:
	case SYNC_SETTLE:
		break;
	case SYNC_WORK:
		put_due(s, true);
		break;
	case SYNC_DONE:
		nctl_scopes_gather(s);
		break;
	}
}

static void dump_over(struct nctl_session *s, const struct nctl_result *r)
{
	struct nctl_dump_scope scope = scope_of(s);
	int status = nctl_request_is_empty(&scope, r) ? 0 : r->status;

	nctl_mirror_dump_end(s->mirror, status == 0 && !s->sync.spoiled);
	nctl_turn_touch(s);
	if (status == -ENOENT && s != s->hub->home) {
		nctl_hub_find_gone(s->hub, s);
	} else if (status < 0 || s->sync.spoiled) {
		s->retries++;
		again(s, nctl_hub_now(s->hub));
	} else if (step(s)) {
		put_due(s, true); /* while its transport is open */
	} else {
		begin_to_settle(s);
	}
}

static void end(struct nctl_hub *h, struct dump_ticket *t, const struct nctl_result *r)
{
	struct nctl_session *s = t->session;

	h->dumping--;
	nctl_list_del(&t->link);
	free(t);
	if (!s)
		return;
	s->sync.ticket = NULL;
	if (s->scopes.dumping)
		nctl_scopes_over(s, r);
	else
		dump_over(s, r);
}

/* True: all of the chunk is fed. */
static bool feed(struct nctl_hub *h, const struct dump_ticket *t, const struct nctl_result *r)
{
	for (size_t n = 0; t->session && n < FEED_MAX; n++) {
		h->chunk_at = nctl_msg_next(r->data, r->len, h->chunk_at);
		if (!h->chunk_at)
			return true;
		nctl_session_feed(t->session, h->chunk_at, NCTL_SOURCE_DUMP);
		if (n % FEED_PORTION == FEED_PORTION - 1 && nctl_turn_is_over(h))
			return false;
	}
	return !t->session;
}

bool nctl_sync_result(struct nctl_hub *h, const struct nctl_result *r)
{
	struct dump_ticket *t = r->userdata;

	if (r->type == NCTL_RESULT_DUMP)
		return feed(h, t, r);
	end(h, t, r);
	nctl_sync_advance(h);
	return true;
}

void nctl_sync_unfence(struct nctl_hub *h)
{
	struct nctl_list *n;

	while ((n = nctl_list_first(&h->fenced))) {
		struct nctl_session *s = nctl_list_entry(n, struct nctl_session, sync.due);

		if (!nctl_fence_is_passed(h, &s->sync.fence))
			return;
		nctl_sync_start(s);
	}
}

static struct nctl_session *first_waiting(const struct nctl_hub *h)
{
	struct nctl_rb_node *n = nctl_rb_first(&h->waiting);

	return n ? nctl_container_of(n, struct nctl_session, sync.waiting) : NULL;
}

nctl_time nctl_sync_deadline(const struct nctl_hub *h)
{
	const struct nctl_session *s = first_waiting(h);

	return s ? s->sync.at : NCTL_TIME_NEVER;
}

void nctl_sync_tick(struct nctl_hub *h, nctl_time now)
{
	struct nctl_session *s;

	while ((s = first_waiting(h)) && nctl_time_cmp(s->sync.at, now) <= 0) {
		nctl_sync_stop_waiting(s);
		if (s->sync.state == SYNC_WAIT)
			nctl_sync_start(s);
		else
			nctl_scopes_due(s);
	}
	nctl_sync_advance(h);
}
