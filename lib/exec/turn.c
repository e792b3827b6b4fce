/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: nothing here takes long. A call into the hub is a turn: what it has begun by SLICE_US is brought to
 * the end of its portion, all else waits for the next turn, for which the deadline is "now". Events, a chunk
 * of a dump and the mirrors' own work each get at least one portion of every turn, so none of them starves
 * the others.
 *
 * So "all events that are queued by now are read" is a state, a fence: it is passed when the queue was seen
 * empty once after it was set or, in a storm in which it never is, when more datagrams were read than the
 * queue can have held.
 */
#include "exec/private.h"

enum {
	SLICE_US = 1500,
	READ_PORTION = 64,   /* messages between two looks at the clock */
	READ_MAX = 2048,     /* messages a turn, whatever the clock says */
	WORK_PORTION = 256,  /* objects */
	DATAGRAM_MIN = 256,  /* bytes that one is charged at least (include/linux/skbuff.h SKB_TRUESIZE) */
	QUEUE_MAX = 1 << 20, /* datagrams, where the transport does not know what is queued */
};

void nctl_turn_begin(struct nctl_hub *h)
{
	h->turn_until = nctl_time_add_us(nctl_time_now(), SLICE_US);
}

bool nctl_turn_is_over(const struct nctl_hub *h)
{
	return nctl_time_cmp(nctl_time_now(), h->turn_until) >= 0;
}

void nctl_fence_set(struct nctl_hub *h, struct nctl_fence *f)
{
	struct nctl_transport_queue q;
	uint64_t n = QUEUE_MAX;

	if (nctl_pump_get_queue(h->pump, &q) >= 0)
		n = q.bytes / DATAGRAM_MIN;
	/* From inside of a callback of the pump: what it has received already was received before. */
	f->empties = h->empties + h->reading;
	f->datagrams = nctl_pump_get_stats(h->pump)->datagrams + n;
}

bool nctl_fence_is_passed(const struct nctl_hub *h, const struct nctl_fence *f)
{
	return h->empties > f->empties || nctl_pump_get_stats(h->pump)->datagrams > f->datagrams;
}

static int read_portions(struct nctl_hub *h, size_t budget)
{
	int r;

	do {
		size_t n = nctl_min(budget, (size_t)READ_PORTION);

		r = nctl_pump_dispatch(h->pump, n);
		budget -= n;
	} while (r == NCTL_PUMP_MORE && budget && !nctl_turn_is_over(h));
	return r;
}

int nctl_turn_read(struct nctl_hub *h, size_t budget)
{
	int r;

	if (h->reading || !budget)
		return NCTL_PUMP_MORE;
	h->reading = true;
	r = read_portions(h, nctl_min(budget, (size_t)READ_MAX));
	h->reading = false;
	if (r < 0)
		return r;
	h->empties += r == 0;
	if (r == 0)
		h->shut = false;
	nctl_sync_unfence(h);
	nctl_sync_settle(h);
	nctl_sync_advance(h);
	return r;
}

bool nctl_turn_drain(struct nctl_hub *h, struct nctl_fence *f)
{
	if (!f->set)
		nctl_fence_set(h, f);
	f->set = true;
	if (!nctl_fence_is_passed(h, f))
		nctl_turn_read(h, SIZE_MAX);
	if (!nctl_fence_is_passed(h, f))
		return false;
	f->set = false;
	return true;
}

void nctl_turn_touch(struct nctl_session *s)
{
	if (!nctl_list_linked(&s->touched))
		nctl_list_add_tail(&s->hub->touched, &s->touched);
}

void nctl_turn_work(struct nctl_hub *h)
{
	struct nctl_list *n;

	while ((n = nctl_list_first(&h->touched))) {
		struct nctl_session *s = nctl_list_entry(n, struct nctl_session, touched);

		nctl_list_del(n);
		if (nctl_mirror_work(s->mirror, WORK_PORTION))
			nctl_list_add_tail(&h->touched, &s->touched);
		else
			nctl_sync_worked(s);
		if (nctl_turn_is_over(h))
			break;
	}
	nctl_sync_settle(h);
	nctl_sync_advance(h);
}

bool nctl_turn_has_more(const struct nctl_hub *h)
{
	return h->chunk || h->results_left || h->run.fence.set || h->run.checking ||
	       !nctl_list_empty(&h->touched) || !nctl_list_empty(&h->fenced) ||
	       !nctl_list_empty(&h->settling);
}
