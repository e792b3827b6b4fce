/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: back to the snapshot of the journal, in as many plans as it takes: the first one undoes what the plan
 * has done, the next ones what followed by itself and is still there. Each is made from what the mirrors show
 * then, so it is all the same how far anything got. Done when nothing differs; then what is ours is again
 * what was ours before, and the journal goes.
 */
#include "reconcile/confirm.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log/log.h"
#include "reconcile/fault.h"

enum { PASSES_MAX = 6 };

static int describe_all(struct nd_reconcile *r, struct nctl_plan_netns **ret)
{
	const struct nctl_snapshot *s = r->journal.snapshot;
	struct nctl_plan_netns *now = calloc(s->n_netns, sizeof(*now));

	if (!now)
		return -ENOMEM;
	nd_netns_set_look(r->netns);
	for (size_t i = 0; i < s->n_netns; i++) {
		const char *name = s->netns[i].name;
		struct nd_netns *n = name ? nd_netns_find(r->netns, name) : nd_netns_from(r->netns, 0);

		now[i] = (struct nctl_plan_netns){.name = name, .nsid = NCTL_NSID_NONE};
		if (n)
			nd_gather_describe(r, n, &now[i]);
	}
	*ret = now;
	return 0;
}

/* The links and addresses of the snapshot are ours or not, as they were. */
static int restore_ledger(struct nd_reconcile *r, const struct nctl_plan_netns *now)
{
	const struct nctl_snapshot *s = r->journal.snapshot;
	int e = 0;

	for (size_t i = 0; e >= 0 && i < s->n_links; i++) {
		const struct nctl_snap_link *l = s->links[i];
		const char *kind = nctl_link_kind_name(&l->v);
		struct nctl_ledger_link entry = {.ifindex = l->v.ifindex, .adopted = l->adopted};
		struct nctl_ledger *ledger = nd_ledgers_get(&r->ledgers, now[l->netns].cookie);

		if (!ledger)
			return -ENOMEM;
		snprintf(entry.kind, sizeof(entry.kind), "%s", kind ? kind : "");
		memcpy(entry.name, l->v.name, sizeof(entry.name));
		if (l->ours)
			e = nctl_ledger_link_add(ledger, &entry);
		else
			nctl_ledger_link_del(ledger, l->v.ifindex);
	}
	for (size_t i = 0; e >= 0 && i < s->n_addrs; i++) {
		struct nctl_ledger *ledger = nd_ledgers_get(&r->ledgers, now[s->addrs[i].netns].cookie);

		if (s->addrs[i].adopted)
			e = ledger ? nctl_ledger_addr_add(ledger, &s->addrs[i].v) : -ENOMEM;
	}
	nd_ledgers_prune(&r->ledgers, r->netns);
	return e < 0 ? e : nd_store_write_ledger(&r->store, &r->ledgers);
}

static void end(struct nd_reconcile *r, const struct nctl_plan_netns *now, bool whole)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf why = NCTL_STRBUF_INIT;
	struct job *job = nd_job_current(r);
	int e = restore_ledger(r, now);

	if (!whole && job->undo) {
		nd_report_first_refusal(job->undo, &why);
		if (!why.len)
			nd_report_first_problem(job->undo, &why);
		if (!why.len)
			nd_report_first_change(job->undo, &why);
	}
	if (e >= 0)
		e = nd_journal_drop(r);
	if (e < 0)
		nd_error("cannot write the runtime folder %s: %s", r->opts.runtime_name, strerror(-e));
	nd_job_restored(r, whole ? NULL : nctl_strbuf_str(&why));
}

static void pass_done(struct nctl_plan *plan, const struct nctl_outcome *outcome, void *userdata)
{
	struct nd_reconcile *r = userdata;

	(void)plan;
	nd_debug("going back: %zu operations done, %zu refused", outcome->done, outcome->refused);
	nd_job_step(r, STEP_RESTORING);
}

void nd_restore_turn(struct nd_reconcile *r)
{
	_cleanup_(nctl_freep) struct nctl_plan_netns *now = NULL;
	struct job *job = nd_job_current(r);
	struct nctl_plan *back = NULL;
	bool all = job->pass > 0;
	int e = describe_all(r, &now);

	if (e >= 0)
		e = nctl_snapshot_restore(r->journal.snapshot, now, all, &back);
	if (e < 0) {
		nd_job_fail_errno(r, "cannot plan the way back", e);
		return;
	}
	if (!back->n_ops && !back->n_problems && all) {
		nctl_plan_free(back);
		end(r, now, true);
		return;
	}
	/* What is not right after so many will not be. */
	if (job->pass == PASSES_MAX || (!back->n_ops && all)) {
		nctl_plan_free(job->undo);
		job->undo = back;
		end(r, now, false);
		return;
	}
	job->pass++;
	nctl_plan_free(job->undo);
	job->undo = back;
	r->step = STEP_RUNNING;
	nd_fault(r->hub, true);
	e = nctl_hub_run(r->hub, back, true, pass_done, r);
	if (e < 0)
		nd_job_fail_errno(r, "cannot start the way back", e);
}
