/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: the jobs, batches, and names that are made or deleted, as people see them; and how they are cancelled.
 */
#include <errno.h>

#include "exec/interrupt.h"
#include "netns/jobs.h"
#include "reconcile/batches.h"

struct teller {
	struct nd_reconcile *r;
	int (*pid_of)(const void *userdata, void *arg);
	void *arg;
	struct nctl_json *j;
};

static const char *origin_name(enum job_origin o)
{
	switch (o) {
	case JOB_START:
		return "start";
	case JOB_CLIENT:
		return "apply";
	case JOB_RELOAD:
		return "reload";
	case JOB_PLAN:
		return "plan";
	case JOB_CONFIRM:
		return "confirm";
	case JOB_RESTORE:
		return "restore";
	case JOB_REPAIR:
		return "repair";
	case JOB_DRIFT:
		return "drift";
	}
	return "?";
}

static void put_job(struct teller *t, uint64_t number, const char *what, const char *state, nctl_time began)
{
	nctl_json_obj_begin(t->j);
	nctl_json_ku64(t->j, "job", number);
	nctl_json_kstr(t->j, "what", what);
	nctl_json_kstr(t->j, "state", state);
	nctl_json_ku64(t->j, "since_us", (uint64_t)nctl_time_diff_us(nctl_time_now(), began));
}

static void end_job(struct teller *t, size_t done, size_t total, const void *userdata)
{
	int pid = userdata && t->pid_of ? t->pid_of(userdata, t->arg) : 0;

	nctl_json_ku64(t->j, "done", done);
	nctl_json_ku64(t->j, "total", total);
	if (pid)
		nctl_json_ki64(t->j, "pid", pid);
	nctl_json_obj_end(t->j);
}

/* On its way, on its way back, or not yet. */
static const struct nctl_plan *plan_under_way(const struct nd_reconcile *r, const struct job *job)
{
	if (&job->link != nctl_list_first(&r->jobs) || (r->step != STEP_RUNNING && r->step != STEP_RESTORING))
		return NULL;
	return job->undo ? job->undo : job->plan;
}

static void tell_job(struct teller *t, const struct job *job)
{
	const struct nctl_plan *p = plan_under_way(t->r, job);
	bool first = &job->link == nctl_list_first(&t->r->jobs);
	size_t done = 0, total = p ? p->n_ops : 0;

	if (p)
		nctl_hub_get_progress(t->r->hub, p, &done);
	put_job(t, job->number, origin_name(job->origin),
		!first || t->r->step == STEP_IDLE ? "waiting"
		: !p                              ? "checking"
		: job->undo                       ? "going-back"
						  : "running",
		job->began);
	if (p && total) {
		const struct nctl_op *op = &p->ops[nctl_min(done, total - 1)];
		const struct nctl_op_info *info = nctl_op_info(op);

		nctl_json_key(t->j, "doing");
		nctl_json_arr_begin(t->j);
		nctl_json_str(t->j, info->action);
		nctl_json_str(t->j, op->kind && *op->kind ? op->kind : info->object);
		nctl_json_arr_end(t->j);
	}
	end_job(t, done, total, job->answer ? job->userdata : NULL);
}

static void tell_batch(struct teller *t, const struct batch *b)
{
	const struct nd_batch_window *w = b->window;
	size_t done = 0;

	if (w && w->type == ND_BATCH_OPS)
		nctl_hub_get_progress(t->r->hub, w->plan, &done);
	put_job(t, b->id, "batch",
		b->step == BATCH_CHECKING                                            ? "checking"
		: b->windows || b->step == BATCH_RUNNING || b->step == BATCH_JOINING ? "running"
										     : "waiting",
		b->began);
	nctl_json_ku64(t->j, "failed", b->failed);
	end_job(t, nctl_min(b->read + done, b->total), b->total, b->answer ? b->userdata : NULL);
}

static void tell_names(struct teller *t, const struct nd_netns_job *job)
{
	put_job(t, job->number, job->del ? "netns-delete" : "netns-add", "running", job->began);
	end_job(t, job->done, job->total, job->userdata);
}

void nd_jobs_tell(struct nd_reconcile *r, struct nctl_json *j, int (*pid_of)(const void *userdata, void *arg),
	void *arg)
{
	struct teller t = {.r = r, .pid_of = pid_of, .arg = arg, .j = j};
	struct nd_netns_job names;
	struct nctl_list *n;

	nctl_json_key(j, "jobs");
	nctl_json_arr_begin(j);
	nctl_list_for_each(n, &r->jobs)
		tell_job(&t, nctl_list_entry(n, struct job, link));
	nctl_list_for_each(n, &r->batches.all)
		tell_batch(&t, nctl_list_entry(n, struct batch, link));
	for (size_t i = 0; nd_netns_job_at(r->netns, i, &names); i++)
		tell_names(&t, &names);
	nctl_json_arr_end(j);
}

void nd_reconcile_jobs(struct nd_reconcile *r, int (*pid_of)(const void *userdata, void *arg), void *arg,
	struct nctl_strbuf *out)
{
	struct nctl_json j;

	nctl_json_init(&j, out);
	nctl_json_obj_begin(&j);
	nd_jobs_tell(r, &j, pid_of, arg);
	nctl_json_obj_end(&j);
}

static int cancel_job(struct nd_reconcile *r, struct job *job)
{
	bool first = &job->link == nctl_list_first(&r->jobs);

	if (job->origin != JOB_CLIENT && job->origin != JOB_RELOAD && job->origin != JOB_PLAN)
		return -EBUSY;
	if (!first || r->step == STEP_IDLE) {
		nd_job_drop(r, job, "cancelled; nothing was changed");
		return 0;
	}
	if (job->cancelled || job->undo || r->step == STEP_RESTORING)
		return -EBUSY;
	job->cancelled = true;
	nctl_hub_stop(r->hub, job->plan);
	return 0;
}

static int cancel_batch(struct nd_reconcile *r, struct batch *b)
{
	b->cancelled = true;
	nd_batches_wake(r); /* its window is cut */
	return 0;
}

int nd_reconcile_cancel(struct nd_reconcile *r, uint64_t number)
{
	struct nctl_list *n;

	nctl_list_for_each(n, &r->jobs) {
		struct job *job = nctl_list_entry(n, struct job, link);

		if (job->number == number)
			return cancel_job(r, job);
	}
	nctl_list_for_each(n, &r->batches.all) {
		struct batch *b = nctl_list_entry(n, struct batch, link);

		if (b->id == number)
			return cancel_batch(r, b);
	}
	return nd_netns_job_cancel(r->netns, number) ? 0 : -ENOENT;
}
