/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: what a job needs to know before it can be planned, and what only others can tell: the daemon's own
 * files (root's; the helper opens them), the values of the sysctls that it names (sysctls.c), and the
 * mirrors of the namespaces that it names, which may have been made a moment ago. Answers come by and by, a
 * bounded number of questions is open at a time. Then the planner gets its view of all namespaces.
 */
#include "reconcile/batches.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log/log.h"

enum {
	JOIN_PATIENCE_MS = 5000, /* for namespaces that have a name and no mirror yet */
};

static bool has_helper(const struct nd_reconcile *r)
{
	struct nd_helper *h = nd_netns_set_helper(r->netns);

	return h && nd_helper_is_alive(h);
}

static int read_opened(struct job *job, const struct nd_helper_answer *a)
{
	int e = a->error, invalid = 0;

	for (size_t i = 0; e >= 0 && i < a->n; i++) {
		e = nd_config_read_fd(a->fds[i], a->values[i], &job->texts, &job->diag);
		invalid = e > 0 ? e : invalid;
	}
	return e < 0 ? e : invalid;
}

static void on_files(const struct nd_helper_answer *a, void *userdata)
{
	struct nd_reconcile *r = userdata;
	struct job *job;
	int e;

	if (r->closing)
		return;
	job = nd_job_current(r);
	e = read_opened(job, a);
	job->own_files = false;
	r->step = STEP_IDLE;
	if (e < 0)
		nd_job_fail_errno(r, a->text ? a->text : "cannot read the configuration", e);
	else if (e == ND_CONFIG_INVALID)
		nd_job_fail(r, ND_EXIT_CONFIG, NULL);
	nd_jobs_advance(r);
}

int nd_gather_files(struct nd_reconcile *r, struct job *job)
{
	int e;

	if (!has_helper(r))
		return nd_config_read_paths(r->opts.paths, r->opts.n_paths, &job->texts, &job->diag);
	r->step = STEP_READING;
	e = nd_helper_open_files(nd_netns_set_helper(r->netns), on_files, r);
	return e < 0 ? e : GATHER_LATER;
}

/* It has a name, but not yet a mirror that is in step. */
static bool is_on_its_way(const struct nd_netns *n)
{
	struct nctl_session *s = nd_netns_session(n);

	return !nd_netns_error(n) && !(s && nctl_session_is_synced(s));
}

/* Asks on, until enough questions are open, or all are answered. */
static void look_on(struct nd_reconcile *r, struct gather *g)
{
	const struct nctl_want *want = nd_job_current(r)->want;

	for (; g->next < want->n_netns; g->next++) {
		const struct nctl_want_netns *w = want->netns[g->next];
		struct nd_netns *n = w->name ? nd_netns_find(r->netns, w->name) : nd_netns_from(r->netns, 0);

		if (!n)
			continue; /* to be made */
		if (nd_sysctls_are_wanted(g, w) && !has_helper(r) && nd_netns_set_helper(r->netns) &&
			nctl_time_cmp(nctl_time_now(), g->patience) < 0) {
			nd_timer_set(&r->late, g->patience);
			return; /* another one is started, unless its keeper is gone as well */
		}
		if (is_on_its_way(n) && nctl_time_cmp(nctl_time_now(), g->patience) < 0) {
			nd_netns_set_hurry(r->netns);
			nd_timer_set(&r->late, g->patience);
			return; /* a turn of the loop looks again */
		}
		if (nd_sysctls_are_wanted(g, w) && !nd_netns_error(n) && !nd_sysctls_ask(r, w, n))
			return; /* an answer looks again */
	}
	if (g->next == want->n_netns && !g->waiting && nd_devices_look(r) &&
		!nd_gather_neighs(r, nd_job_current(r)))
		nd_job_step(r, STEP_LOOKED);
}

void nd_gather_look(struct nd_reconcile *r)
{
	struct job *job = nd_job_current(r);
	struct gather *g = &job->gather;

	if (r->step == STEP_PARSED) {
		r->step = STEP_LOOKING;
		nd_netns_set_look(r->netns);
		nctl_arena_init(&g->arena);
		g->patience = nctl_time_add_ms(nctl_time_now(), JOIN_PATIENCE_MS);
		g->next = g->waiting = 0;
		if (nd_sysctls_begin(g, job->want) < 0) {
			nd_job_fail_errno(r, "cannot plan", -ENOMEM);
			return;
		}
	}
	look_on(r, g);
}

void nd_gather_fini(struct gather *g)
{
	nd_sysctls_fini(g);
	nd_drivers_fini(g);
	nd_gather_neighs_fini(g);
	nd_devices_fini(&g->devices);
	nctl_arena_fini(&g->arena);
}

void nd_gather_describe(const struct nd_reconcile *r, const struct nd_netns *n, struct nctl_plan_netns *ret)
{
	const struct nctl_ledger_netns *ours =
		ret->name ? nctl_netns_ledger_get(r->ledgers.netns, ret->name) : NULL;
	struct nctl_session *s = nd_netns_session(n);

	/* A name of ours behind which no namespace was ever mounted: it can be deleted, or completed. */
	ret->ours = ours && !s;
	ret->there = ret->ours && !ret->want;
	if (!s)
		return;
	ret->there = true;
	ret->cookie = nctl_session_cookie(s);
	ret->nsid = nctl_session_nsid(s);
	ret->have = nctl_session_mirror(s);
	ret->ledger = nd_ledgers_find(&r->ledgers, ret->cookie);
	ret->ours = ours && (!ours->cookie || ours->cookie == ret->cookie);
}

/* In the order that nctl_plan_build wants. */
struct view {
	struct nctl_plan_netns *v;
	size_t n;
};

/* Only those are worth a look: home may be named, too. */
static bool names_several(const struct nd_netns *n)
{
	return nd_netns_is_home(n) || nd_netns_name_at(n, 1);
}

/* The name of another wanted namespace that is the same one, "" for our own, or NULL. */
static const char *find_twin(const struct view *view, const struct nctl_plan_netns *p)
{
	for (size_t i = 0; p->cookie && i + 1 < view->n; i++)
		if (view->v[i].cookie == p->cookie)
			return view->v[i].name ? view->v[i].name : "";
	return NULL;
}

/* One namespace under two names cannot be two things. */
static void check_twin(struct job *job, const struct view *view, const struct nctl_plan_netns *p)
{
	const struct nctl_pos *pos = &p->want->pos;
	const char *twin = find_twin(view, p);
	char text[2 * NAME_MAX + 64];

	if (!twin)
		return;
	if (*twin)
		snprintf(text, sizeof(text), "%s and %s are one network namespace", p->name, twin);
	else
		snprintf(text, sizeof(text), "%s is the daemon's own network namespace", p->name);
	nd_diagnostics_add(&job->diag, ND_ERROR, job->want->files[pos->file], pos->line, pos->column, NULL,
		text, *twin ? "write all of it under one name" : "write what is in it under \"network:\"");
}

static void view_wanted(const struct nd_reconcile *r, struct job *job, struct view *view)
{
	const struct nctl_want *want = job->want;

	for (size_t i = 0; i < want->n_netns; i++) {
		const struct nctl_want_netns *w = want->netns[i];
		struct nctl_plan_netns *p = &view->v[view->n++];
		struct nd_netns *n = w->name ? nd_netns_find(r->netns, w->name) : nd_netns_from(r->netns, 0);

		*p = (struct nctl_plan_netns){.want = w, .name = w->name, .nsid = NCTL_NSID_NONE};
		if (job->gather.n_now) {
			p->sysctls = job->gather.sysctls[i];
			p->link_sysctls = &job->gather.now[i];
		}
		if (job->gather.neighs) {
			p->neighs = job->gather.neighs[i].v;
			p->n_neighs = job->gather.neighs[i].n;
			p->neighs_known = job->gather.neighs[i].known;
		}
		if (n)
			nd_gather_describe(r, n, p);
		/* Nobody waited for it, and it is not to be made again. */
		if (n && job->origin == JOB_REPAIR && is_on_its_way(n)) {
			p->there = true;
			p->have = NULL;
		}
		if (n && w->name && names_several(n))
			check_twin(job, view, p);
	}
}

/* Namespaces that the configuration does not name: ours, or with something of ours in them. */
static int view_others(const struct nd_reconcile *r, struct job *job, struct view *view)
{
	struct nd_netns *n;

	for (n = nd_netns_from(r->netns, 0); n; n = nd_netns_next(n)) {
		struct nctl_plan_netns *p = &view->v[view->n];
		const char *name = nd_netns_name(n);

		/* Without a name nobody can go there; what is in it goes with whoever keeps it. */
		if (nd_netns_is_home(n) || !name || nctl_want_netns_find(job->want, name))
			continue;
		*p = (struct nctl_plan_netns){.name = name, .nsid = NCTL_NSID_NONE};
		nd_gather_describe(r, n, p);
		if (!p->there || (!p->ours && !(p->ledger && nctl_ledger_link_count(p->ledger)) &&
					 !(p->have && nctl_plan_has_ours(p->have))))
			continue;
		p->name = nctl_arena_strdup(&job->gather.arena, p->name); /* n may go before the plan does */
		if (!p->name)
			return -ENOMEM;
		view->n++;
	}
	return 0;
}

static nctl_ifindex next_ifindex(const struct view *view)
{
	nctl_ifindex last = 0;

	for (size_t i = 0; i < view->n; i++)
		if (view->v[i].have && nctl_mirror_link_last(view->v[i].have) > last)
			last = nctl_mirror_link_last(view->v[i].have);
	return last >= NCTL_IFINDEX_FIRST && last < INT32_MAX / 2 ? last + 1 : 0;
}

int nd_gather_plan(struct nd_reconcile *r, struct job *job)
{
	struct nctl_plan_options opts = {
		.allow_recreate = job->how.flags & ND_APPLY_ALLOW_RECREATE,
		.renames_up = r->renames_up,
		.allow_foreign_loss = job->how.flags & ND_APPLY_ALLOW_FOREIGN_LOSS,
		.confirm = job->how.confirm_s,
		.repair = job->origin == JOB_REPAIR,
	};
	struct view view = {0};
	int e;

	if (!nctl_hub_is_running(r->hub))
		nd_ledgers_prune(&r->ledgers, r->netns);
	view.v = calloc(job->want->n_netns + nd_netns_count(r->netns) + 1, sizeof(*view.v));
	if (!view.v)
		return -ENOMEM;
	view_wanted(r, job, &view);
	e = view_others(r, job, &view);
	if (e >= 0 && job->diag.n_errors)
		e = ND_CONFIG_INVALID;
	opts.next_ifindex = next_ifindex(&view);
	if (e == 0)
		e = nd_drivers_look(&job->gather, job->want, view.v);
	if (e == 0)
		e = nd_devices_list(&job->gather.devices, &opts);
	if (e == 0)
		e = nctl_plan_build(job->want, view.v, view.n, &opts, &job->plan);
	if (e == 0)
		nd_batches_note(r, job->plan);
	free(view.v);
	return e;
}
