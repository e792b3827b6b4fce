/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Verify, an object of Query: one line a namespace, what came of comparing its mirror with a dump on a
 * fresh socket (lib/verify). The mirror is looked at when it is in step and nothing of it is suspect; a type
 * that changed while it was dumped, or that differs, is dumped again after a pause, since events may still
 * have been on their way. What differs again and again is a difference. Some milliseconds of work a turn.
 */
#include "verify/verify.h"

#include <errno.h>
#include <stdlib.h>

#include "bus/query/object.h"
#include "exec/live.h"
#include "mirror/vlans.h"

enum {
	SLICE_US = 2000,
	SLICE_MESSAGES = 16, /* between two looks at the clock */
	SLICE_OBJECTS = 256,
	STEP_MS = 20, /* while it is not in step; the first pause before a dump is made again */
	STEP_WAIT_MS = 30000,
	TRIES = 8, /* of a type */
};

enum phase { SETTLE, ASK, READ, MISSING };

struct nd_verification {
	struct nctl_verify *v;
	const struct nctl_mirror *m;
	enum phase phase;
	enum nctl_object_type type;
	unsigned tries;
	bool vlans;        /* of LINK: the second list is asked for, that of VLANs */
	bool changing;     /* it was never still while it was dumped */
	nctl_time give_up; /* being in step */
	struct nd_timer pause;
	struct nd_query *query;
};

static void pause_over(struct nd_timer *t)
{
	struct nd_verification *w = t->userdata;

	w->query->ready(w->query->userdata);
}

static int make(struct nd_query *q, struct nd_fill *f)
{
	struct nd_verification *w = calloc(1, sizeof(*w));
	int r;

	if (!w)
		return -ENOMEM;
	r = nctl_verify_new(f->m, &w->v);
	if (r < 0) {
		free(w);
		return r;
	}
	w->m = f->m;
	w->query = q;
	w->give_up = nctl_time_add_ms(nctl_time_now(), STEP_WAIT_MS);
	nd_timer_init(&w->pause, nd_netns_set_loop(f->set), pause_over, w);
	q->verify.w = w;
	return 0;
}

static void end(struct nd_query *q)
{
	struct nd_verification *w = q->verify.w;

	if (!w)
		return;
	nd_timer_stop(&w->pause);
	nctl_verify_free(w->v);
	free(w);
	q->verify.w = NULL;
}

static int begin(struct nd_query *q, const struct nctl_mirror *m, const char **ret_name)
{
	(void)m;
	(void)ret_name;
	end(q);
	return 0;
}

/* The query sleeps until ready is called. */
static int pause_for(struct nd_query *q, unsigned ms)
{
	q->waiting = true;
	nd_timer_set(&q->verify.w->pause, nctl_time_add_ms(nctl_time_now(), ms));
	return 0;
}

static void put_line(struct nd_query *q, struct nd_fill *f)
{
	struct nd_verification *w = q->verify.w;
	struct nctl_json json;
	bool in_step = w->type == NCTL_OBJECT_N_TYPES;

	nd_fill_line(f, &json);
	nctl_json_obj_begin(&json);
	nctl_json_kstr(&json, "state", !in_step ? "out of step" : w->changing ? "changing" : "still");
	nctl_json_key(&json, "report");
	nctl_verify_json(w->v, &json);
	nctl_json_obj_end(&json);
	nd_fill_line_end(f, true);
	q->inside = false;
	end(q);
}

static bool is_settled(const struct nctl_session *s)
{
	struct nctl_session_stats stats;

	nctl_session_get_stats(s, &stats);
	return nctl_session_is_synced(s) && !stats.suspects && !stats.dumping;
}

/* Waits for the mirror to be in step, or gives up. */
static int settle(struct nd_query *q, struct nd_fill *f)
{
	struct nd_verification *w = q->verify.w;

	if (is_settled(nd_netns_session(f->netns)))
		w->phase = ASK;
	else if (nctl_time_cmp(nctl_time_now(), w->give_up) < 0)
		return pause_for(q, STEP_MS);
	else
		put_line(q, f);
	return 0;
}

static int ask(struct nd_query *q, struct nd_fill *f)
{
	struct nd_verification *w = q->verify.w;
	int r = nd_query_live(q, f);

	if (r < 0)
		return r;
	nctl_verify_begin(w->v, w->type);
	w->vlans = false;
	w->phase = READ;
	return nctl_live_ask_list(q->live, &(struct nctl_dump_scope){.type = w->type});
}

/* The same type once more, after a pause: what was dumped tells nothing. */
static int again(struct nd_query *q)
{
	struct nd_verification *w = q->verify.w;

	w->phase = SETTLE;
	return pause_for(q, STEP_MS << w->tries++);
}

static int read_some(struct nd_query *q, nctl_time until)
{
	struct nd_verification *w = q->verify.w;
	const struct nlmsghdr *nlh;
	int r = 0;

	for (unsigned i = 1; (nlh = nctl_live_next(q->live, &r)); i++) {
		r = nctl_verify_message(w->v, nlh);
		if (r < 0)
			return r;
		if (i % SLICE_MESSAGES == 0 && nctl_time_cmp(nctl_time_now(), until) >= 0)
			return 0;
	}
	if (r == NCTL_LIVE_WAIT) {
		q->waiting = true;
		return 0;
	}
	/* A kernel without such objects has none. */
	if (r < 0 && r != -EOPNOTSUPP && r != -EINTR)
		return r;
	if (r == -EINTR && w->tries + 1 < TRIES)
		return again(q);
	w->changing |= r == -EINTR;
	if (w->type == NCTL_OBJECT_LINK && !w->vlans && nctl_mirror_has_vlans(w->m)) {
		w->vlans = true;
		return nctl_live_ask_list(q->live, &(struct nctl_dump_scope){.type = w->type, .vlans = true});
	}
	w->phase = MISSING;
	return 0;
}

static int look_for_missing(struct nd_query *q, nctl_time until)
{
	struct nd_verification *w = q->verify.w;
	bool stale;

	while (nctl_verify_end(w->v, SLICE_OBJECTS))
		if (nctl_time_cmp(nctl_time_now(), until) >= 0)
			return 0;
	stale = nctl_verify_is_stale(w->v);
	if (nctl_verify_differs(w->v) && w->tries + 1 < TRIES)
		return again(q);
	w->changing |= stale && nctl_verify_differs(w->v);
	w->tries = 0;
	w->type++;
	w->phase = SETTLE;
	return 0;
}

static int step(struct nd_query *q, struct nd_fill *f, nctl_time until)
{
	switch (q->verify.w->phase) {
	case SETTLE:
		return settle(q, f);
	case ASK:
		return ask(q, f);
	case READ:
		return read_some(q, until);
	case MISSING:
		return look_for_missing(q, until);
	}
	return 0;
}

static int fill(struct nd_query *q, struct nd_fill *f)
{
	nctl_time until = nctl_time_add_us(nctl_time_now(), SLICE_US);
	struct nd_verification *w = q->verify.w;
	int r = 0;

	/* Its namespace is another one by now, of the same name. */
	if (w && w->m != f->m)
		end(q);
	if (!q->verify.w)
		r = make(q, f);
	while (r == 0 && q->inside && !q->waiting && nctl_time_cmp(nctl_time_now(), until) < 0) {
		w = q->verify.w;
		if (w->type == NCTL_OBJECT_N_TYPES)
			put_line(q, f);
		else
			r = step(q, f, until);
	}
	/* The rest is for the next turn, be it of this namespace or of another one. */
	if (nctl_time_cmp(nctl_time_now(), until) >= 0)
		f->looked = SIZE_MAX;
	return r < 0 ? r : f->out->err;
}

static const struct nd_query_filter filters[] = {ND_FILTERS_NETNS, {0}};

const struct nd_query_object nd_query_of_verify = {
	.name = "verify", .filters = filters, .begin = begin, .fill = fill, .end = end};
