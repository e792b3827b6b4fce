/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: batches. First all lines are read, so that one that is wrong keeps all from being carried out; then
 * window by window (batch/batch.h): each is a run of its own, as long as the kernel takes for some
 * milliseconds, and after it it is the turn of the next batch, or of a job. A job's own run makes way for a
 * window between two of its messages to the kernel (nctl_hub_interrupt). What is made belongs to nobody: no
 * ledger knows of it, and nothing is undone.
 */
#include "reconcile/batches.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "exec/interrupt.h"
#include "log/log.h"
#include "netns/jobs.h"

enum {
	CHECK_US = 2000, /* of a turn, for reading lines */
	CHECK_LINES = 256,
	/* How long a window may keep others waiting; the kernel's own part of it is cut to size by the run.
	 */
	WINDOW_US = 20 * 1000,
	WINDOW_FIRST = 256, /* lines */
	WINDOW_MAX = 1024,
	WINDOW_OPS = 2048,
	JOIN_MS = 10 * 1000,
	RETRY_MS = 10,      /* between two looks whether a namespace has come in step */
	REFILLS_MAX = 2048, /* windows of one line: more than a mirror has routes */
};

static struct batch *first(const struct nd_reconcile *r)
{
	struct nctl_list *n = nctl_list_first(&r->batches.all);

	return n ? nctl_list_entry(n, struct batch, link) : NULL;
}

static void batch_free(struct batch *b)
{
	nctl_list_del(&b->link);
	b->r->batches.n--;
	b->r->batches.bytes -= b->lines.len;
	nd_batch_window_free(b->window);
	nd_diagnostics_fini(&b->diag);
	nctl_strbuf_fini(&b->failures);
	free(b->path);
	free(b->text);
	free(b);
}

static void finish(struct batch *b)
{
	static const char no_memory[] = "{\"exit\":4,\"error\":\"out of memory\"}";
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf out = NCTL_STRBUF_INIT;

	nd_batch_report(b, &out);
	nd_info("batch %llu: %zu of %zu lines done, %zu failed%s", (unsigned long long)b->id, b->done,
		b->total, b->failed, b->cancelled ? ", cancelled" : "");
	if (b->answer && !out.err)
		b->answer(nctl_strbuf_str(&out), out.len, b->userdata);
	else if (b->answer)
		b->answer(no_memory, sizeof(no_memory) - 1, b->userdata);
	batch_free(b);
}

bool nd_batches_are_on(const struct nd_reconcile *r)
{
	return r->batches.on;
}

void nd_batches_wake(struct nd_reconcile *r)
{
	if (r->batches.n && r->settled)
		nd_wake_send(&r->batches.wake);
}

/* Behind the others. */
static void step_back(struct batch *b)
{
	nctl_list_del(&b->link);
	nctl_list_add_tail(&b->r->batches.all, &b->link);
}

/* Lines for some milliseconds; what is wrong with them. True: all are read. */
static bool check(struct batch *b)
{
	nctl_time until = nctl_time_add_us(nctl_time_now(), CHECK_US);

	do {
		_cleanup_(nd_batch_window_freep) struct nd_batch_window *w = NULL;
		int e = nd_batch_fill(&b->lines, NULL, CHECK_LINES, SIZE_MAX, &w);

		if (e < 0) {
			b->error = e;
			return true;
		}
		b->total += w->n_lines;
		for (size_t i = 0; i < w->n_lines; i++)
			if (w->lines[i].error)
				nd_batch_note_wrong(b, &w->lines[i]);
		if (w->end)
			return true;
	} while (nctl_time_cmp(nctl_time_now(), until) < 0);
	return false;
}

static void check_turn(struct batch *b)
{
	if (!check(b)) {
		step_back(b);
		return;
	}
	if (b->error || (b->diag.n_errors && !(b->how.flags & ND_BATCH_FORCE))) {
		finish(b);
		return;
	}
	b->lines.at = 0;
	b->lines.line = 0;
	b->step = BATCH_READY;
}

static struct nd_netns *find(struct nd_reconcile *r, const char *name)
{
	return *name ? nd_netns_find(r->netns, name) : nd_netns_from(r->netns, 0);
}

/* False: it is not there, or (b->waits) not yet. */
static bool describe(struct batch *b, const char *name, struct nctl_plan_netns *ret)
{
	struct nd_reconcile *r = b->r;
	struct nd_netns *n = find(r, name);
	struct nctl_session *s = n ? nd_netns_session(n) : NULL;

	if (n && !nd_netns_error(n) && !(s && nctl_session_is_synced(s)))
		b->waits = true;
	if (!s || !nctl_session_is_synced(s))
		return false;
	*ret = (struct nctl_plan_netns){.name = *name ? name : NULL, .nsid = NCTL_NSID_NONE};
	nd_gather_describe(r, n, ret);
	return ret->there && ret->have;
}

static bool find_other(const char *name, struct nctl_plan_netns *ret, void *userdata)
{
	return describe(userdata, name, ret);
}

/* Beyond all that is there, that a job has chosen, and that an earlier window has. */
static nctl_ifindex next_ifindex(struct nd_reconcile *r)
{
	nctl_ifindex last = nctl_max(r->batches.last_ifindex, (nctl_ifindex)NCTL_IFINDEX_FIRST);
	const struct nd_netns *n;

	for (n = nd_netns_from(r->netns, 0); n; n = nd_netns_next(n)) {
		struct nctl_session *s = nd_netns_session(n);

		if (s)
			last = nctl_max(last, nctl_mirror_link_last(nctl_session_mirror(s)));
	}
	if (last >= INT32_MAX / 2)
		last = NCTL_IFINDEX_FIRST;
	return last + 1;
}

void nd_batches_note(struct nd_reconcile *r, const struct nctl_plan *p)
{
	for (size_t i = 0; i < p->n_ops; i++)
		if (p->ops[i].type == NCTL_OP_LINK_NEW)
			r->batches.last_ifindex = nctl_max(
				r->batches.last_ifindex, nctl_max(p->ops[i].ifindex, p->ops[i].peer_ifindex));
}

/* The next window. 0, -EAGAIN: a namespace is on its way; -ENOENT: that of the lines is not there. */
static int fill(struct batch *b)
{
	struct nctl_plan_netns home, in;
	struct nd_reconcile *r = b->r;
	struct nd_batch_view view = {.home = &home, .find = find_other, .userdata = b};
	const struct nd_batch before = b->lines;
	int e;

	b->waits = false;
	view.strict = !(b->how.flags & ND_BATCH_FORCE);
	nd_netns_set_look(r->netns);
	if (!describe(b, "", &home))
		return -EAGAIN;
	if (*b->how.netns) {
		if (!describe(b, b->how.netns, &in))
			return b->waits ? -EAGAIN : -ENOENT;
		view.in = &in;
	}
	view.next_ifindex = next_ifindex(r);
	e = nd_batch_fill(&b->lines, &view, b->window_lines, WINDOW_OPS, &b->window);
	if (e < 0)
		return e;
	if (b->waits && nctl_time_cmp(nctl_time_now(), b->until) < 0) {
		b->window = nd_batch_window_free(b->window);
		b->lines = before;
		return -EAGAIN;
	}
	nd_batches_note(r, b->window->plan);
	return 0;
}

/* Lines that a cut left for later. */
static void put_back(struct batch *b)
{
	struct nd_batch_window *w = b->window;
	size_t n = 0;

	while (n < w->n_lines) {
		const struct nd_batch_line *l = &w->lines[n];

		if (l->n_ops && l->first_op < w->plan->n_ops &&
			w->plan->ops[l->first_op].state == NCTL_OP_PENDING)
			break;
		n++;
	}
	nd_batch_rewind(&b->lines, w, n);
}

static bool has_refusal(const struct nctl_plan *p)
{
	for (size_t i = 0; i < p->n_ops; i++)
		if (p->ops[i].state == NCTL_OP_REFUSED || p->ops[i].state == NCTL_OP_POISONED)
			return true;
	return false;
}

/* It is known what became of the window. */
static void window_over(struct batch *b, uint64_t us)
{
	struct nd_reconcile *r = b->r;
	struct nd_batch_window *w = b->window;
	size_t fit = us ? w->n_lines * WINDOW_US / us : WINDOW_MAX;
	size_t failed = b->failed;
	bool end;

	if (!b->error && (b->how.flags & ND_BATCH_FORCE || !has_refusal(w->plan)))
		put_back(b);
	end = w->end;
	b->windows++;
	nd_batch_count(b);
	/* What cannot be had is not asked for again and again. */
	if (w->unfinished && (b->failed > failed || b->lines.refills > REFILLS_MAX))
		nd_batch_skip_line(&b->lines);
	if (w->n_lines >= b->window_lines || fit < b->window_lines)
		b->window_lines =
			nctl_max(nctl_min(nctl_min(fit, 2 * b->window_lines), (size_t)WINDOW_MAX), (size_t)1);
	b->window = nd_batch_window_free(b->window);
	b->step = BATCH_READY;
	if (end || b->cancelled || b->stopped || b->error)
		finish(b);
	else
		step_back(b);
	nd_batches_wake(r);
}

static void ran(struct nctl_plan *plan, const struct nctl_outcome *outcome, void *userdata)
{
	struct batch *b = userdata;
	struct nd_reconcile *r = b->r;

	(void)plan;
	b->messages += outcome->messages;
	b->sends += outcome->sends;
	if (outcome->status < 0 && outcome->status != -ECANCELED)
		b->error = outcome->status;
	r->batches.on = false;
	nd_timer_stop(&r->batches.slice);
	window_over(b, outcome->duration_us);
	nctl_hub_resume(r->hub);
	nd_jobs_advance(r);
}

static void names_done(const char *const *names, const int *errors, size_t n, void *userdata)
{
	struct batch *b = userdata;
	struct nd_batch_window *w = b->window;
	size_t at = 0;

	(void)names;
	for (size_t i = 0; i < w->n_lines; i++) {
		if (w->lines[i].error)
			continue;
		if (at < n && errors[at] < 0)
			w->lines[i].failure = errors[at];
		at++;
	}
	window_over(b, 0);
}

/* Names instead of operations. */
static int run_names(struct batch *b)
{
	struct nd_batch_window *w = b->window;
	const char **names = calloc(w->n_lines + 1, sizeof(*names));
	bool add = w->type == ND_BATCH_NETNS_ADD;
	size_t n = 0;
	int e;

	if (!names)
		return -ENOMEM;
	for (size_t i = 0; i < w->n_lines; i++)
		if (!w->lines[i].error)
			names[n++] = w->lines[i].name;
	e = add ? nd_netns_create(b->r->netns, names, n, names_done, b)
	        : nd_netns_delete(b->r->netns, names, n, names_done, b);
	free(names);
	return e;
}

/* Without force, nothing behind a line that is refused already. */
static void cut(struct batch *b)
{
	struct nd_batch_window *w = b->window;

	for (size_t i = 0; i < w->n_lines && !(b->how.flags & ND_BATCH_FORCE); i++) {
		if (!w->lines[i].error)
			continue;
		w->plan->n_ops = w->lines[i].first_op;
		w->n_lines = i + 1;
		w->end = false;
	}
}

static bool has_names(const struct nd_batch_window *w)
{
	for (size_t i = 0; i < w->n_lines; i++)
		if (w->lines[i].name && !w->lines[i].error)
			return true;
	return false;
}

/* Sends the window; the hub is free. */
static void send_window(struct batch *b)
{
	struct nd_reconcile *r = b->r;
	int e;

	cut(b);
	b->step = BATCH_RUNNING;
	if (b->window->type != ND_BATCH_OPS && has_names(b->window)) {
		e = run_names(b);
	} else {
		r->batches.on = true;
		r->batches.running = b;
		r->batches.since = nctl_time_now();
		e = nctl_hub_run(r->hub, b->window->plan, b->how.flags & ND_BATCH_FORCE, ran, b);
		r->batches.on = r->batches.on && e >= 0;
	}
	if (e == 0)
		return;
	b->error = e;
	b->window = nd_batch_window_free(b->window);
	finish(b);
}

static void fill_and_send(struct batch *b)
{
	int e;

	if (b->step != BATCH_JOINING)
		b->until = nctl_time_add_ms(nctl_time_now(), JOIN_MS);
	e = fill(b);
	if (e == 0) {
		send_window(b);
	} else if (e == -EAGAIN && nctl_time_cmp(nctl_time_now(), b->until) < 0) {
		b->step = BATCH_JOINING;
		nd_netns_set_hurry(b->r->netns);
		b->retry = nctl_time_add_ms(nctl_time_now(), RETRY_MS);
		nd_timer_set(&b->r->batches.late, b->retry);
		step_back(b);
	} else {
		b->error = e == -EAGAIN ? -ETIMEDOUT : e;
		finish(b);
	}
}

/* The run that was on has made way. */
static void on_idle(void *userdata)
{
	struct nd_reconcile *r = userdata;

	r->batches.asked = false;
	r->batches.granted = true;
	nd_wake_send(&r->batches.wake);
}

static struct batch *next_ready(struct nd_reconcile *r)
{
	nctl_time now = nctl_time_now();
	struct nctl_list *n;

	nctl_list_for_each(n, &r->batches.all) {
		struct batch *b = nctl_list_entry(n, struct batch, link);

		if (b->step == BATCH_READY)
			return b;
		if (b->step == BATCH_JOINING && (b->cancelled || nctl_time_cmp(b->retry, now) <= 0))
			return b;
	}
	return NULL;
}

/* The first job is about to plan and run. */
static bool wants_hub(const struct nd_reconcile *r)
{
	return r->step == STEP_PARSED || r->step == STEP_LOOKED || r->step == STEP_RESTORING;
}

/* Somebody else wants the kernel: a window that has had its time ends with the line that it is at. */
static void mind_the_time(struct nd_reconcile *r)
{
	struct batch *b = r->batches.running;
	nctl_time end = nctl_time_add_us(r->batches.since, WINDOW_US);
	bool wanted = b->cancelled || next_ready(r) || wants_hub(r);

	if (!wanted)
		return;
	if (b->cancelled || nctl_time_cmp(nctl_time_now(), end) >= 0)
		nctl_hub_cut(r->hub, b->window->plan);
	else
		nd_timer_set(&r->batches.slice, end);
}

/* A job that is about to plan and run goes first, once: else none would ever get its turn between two
 * windows. */
static bool gives_way(struct nd_reconcile *r)
{
	if (!wants_hub(r) || r->batches.granted)
		return false;
	nd_wake_send(&r->wake);
	nd_wake_send(&r->batches.wake);
	return true;
}

static void run_turn(struct nd_reconcile *r)
{
	struct batch *b = next_ready(r);

	if (r->batches.on)
		mind_the_time(r);
	if (r->batches.on || (b && gives_way(r)))
		return;
	if (b && b->cancelled) {
		finish(b);
		b = NULL;
	}
	if (b && (r->batches.granted || !nctl_hub_is_running(r->hub))) {
		r->batches.granted = false;
		fill_and_send(b);
	} else if (b && !r->batches.asked) {
		r->batches.asked = true;
		nctl_hub_be_brief(r->hub); /* the next one finds less on its way */
		nctl_hub_interrupt(r->hub, on_idle, r);
	}
}

static bool any(const struct nd_reconcile *r, enum batch_step step)
{
	struct nctl_list *n;

	nctl_list_for_each(n, &r->batches.all)
		if (nctl_list_entry(n, struct batch, link)->step == step)
			return true;
	return false;
}

static void go_on(struct nd_reconcile *r)
{
	struct nctl_list *n, *next;
	bool checked = false;

	nctl_list_for_each_safe(n, next, &r->batches.all) {
		struct batch *b = nctl_list_entry(n, struct batch, link);

		if (b->step != BATCH_CHECKING || checked)
			continue;
		checked = true;
		check_turn(b);
	}
	run_turn(r);
	if (any(r, BATCH_CHECKING) || (any(r, BATCH_READY) && !r->batches.on && !r->batches.asked))
		nd_wake_send(&r->batches.wake);
}

static void turn(struct nd_reconcile *r)
{
	if (r->closing)
		return;
	if (r->settled && nctl_session_is_synced(nctl_hub_home(r->hub)))
		go_on(r);
	/* Nothing came of it: what was put aside goes on. */
	if (!r->batches.on && !r->batches.asked) {
		r->batches.granted = false;
		nctl_hub_resume(r->hub);
	}
}

static void on_wake(struct nd_wake *w)
{
	turn(w->userdata);
}

static void on_late(struct nd_timer *t)
{
	turn(t->userdata);
}

void nd_batches_init(struct nd_reconcile *r)
{
	nctl_list_init(&r->batches.all);
	nd_wake_init(&r->batches.wake, r->loop, on_wake, r);
	nd_timer_init(&r->batches.late, r->loop, on_late, r);
	nd_timer_init(&r->batches.slice, r->loop, on_late, r);
}

void nd_batches_fini(struct nd_reconcile *r)
{
	struct batch *b;

	nd_wake_stop(&r->batches.wake);
	nd_timer_stop(&r->batches.late);
	nd_timer_stop(&r->batches.slice);
	while ((b = first(r))) {
		if (b->answer)
			b->answer(NULL, 0, b->userdata);
		batch_free(b);
	}
}

void nd_batches_forget(struct nd_reconcile *r, void *userdata)
{
	struct nctl_list *n;

	nctl_list_for_each(n, &r->batches.all) {
		struct batch *b = nctl_list_entry(n, struct batch, link);

		if (b->userdata == userdata)
			b->answer = NULL;
	}
}

int nd_reconcile_batch(struct nd_reconcile *r, struct nd_config_text *text, const struct nd_batch_how *how,
	void (*answer)(const char *json, size_t len, void *userdata), void *userdata)
{
	struct batch *b;

	if (r->batches.n >= BATCHES_MAX || text->len > BATCHES_BYTES - r->batches.bytes)
		return -EBUSY;
	b = calloc(1, sizeof(*b));
	if (!b)
		return -ENOMEM;
	*b = (struct batch){
		.r = r,
		.id = nd_netns_job_number(r->netns),
		.how = *how,
		.path = take_ptr(text->path),
		.text = take_ptr(text->data),
		.diag = ND_DIAGNOSTICS_INIT,
		.failures = NCTL_STRBUF_INIT,
		.window_lines = WINDOW_FIRST,
		.began = nctl_time_now(),
		.answer = answer,
		.userdata = userdata,
	};
	nctl_list_init(&b->link);
	b->lines = (struct nd_batch){.text = b->text, .len = text->len};
	nctl_list_add_tail(&r->batches.all, &b->link);
	r->batches.n++;
	r->batches.bytes += text->len;
	nd_batches_wake(r);
	return 0;
}
