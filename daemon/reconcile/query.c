/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: what the reconciler answers at once: check and status. All of it from memory.
 */
#include "reconcile/check.h"
#include "reconcile/confirm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int nd_reconcile_check(struct nd_reconcile *r, const struct nd_config_texts *texts, struct nctl_strbuf *out)
{
	_cleanup_(nd_diagnostics_fini) struct nd_diagnostics diag = ND_DIAGNOSTICS_INIT;

	(void)r;
	return nd_check_texts(texts, &diag, false, out, NULL);
}

int nd_reconcile_config(struct nd_reconcile *r, bool origin, struct nctl_strbuf *out)
{
	_cleanup_(nd_diagnostics_fini) struct nd_diagnostics diag = ND_DIAGNOSTICS_INIT;

	return nd_check_show(&r->texts, &diag, origin, out, NULL);
}

/* A job that makes nothing the configuration. */
static bool is_by_the_way(const struct job *job)
{
	return job->origin == JOB_REPAIR || job->origin == JOB_DRIFT;
}

static const char *state_name(struct nd_reconcile *r)
{
	if (!r->settled || !nctl_session_is_synced(nctl_hub_home(r->hub)))
		return "synchronising";
	if (r->step != STEP_IDLE && !is_by_the_way(nd_job_current(r)))
		return "applying";
	if (r->journal.waiting)
		return "to-be-confirmed";
	if (r->step == STEP_RUNNING)
		return "repairing";
	if (r->last_error)
		return r->partly ? "partly-applied" : "failed";
	if (!r->generation)
		return "idle";
	return r->pending.len ? "waiting" : "settled";
}

static void put_confirm(struct nctl_json *j, const struct nd_reconcile *r)
{
	if (!r->journal.waiting)
		return;
	nctl_json_key(j, "confirm");
	nctl_json_obj_begin(j);
	nctl_json_ku64(j, "generation", r->journal.generation);
	nctl_json_ku64(j, "seconds_left", nd_confirm_seconds_left(r));
	nctl_json_obj_end(j);
}

static void put_files(struct nctl_json *j, const struct nd_reconcile *r)
{
	nctl_json_key(j, "files");
	nctl_json_arr_begin(j);
	for (size_t i = 0; i < r->texts.n; i++)
		nctl_json_str(j, r->texts.v[i].path);
	nctl_json_arr_end(j);
}

static void put_pending(struct nctl_json *j, const struct nd_reconcile *r)
{
	const char *p = nctl_strbuf_str(&r->pending), *end;
	char line[512];

	nctl_json_key(j, "pending");
	nctl_json_arr_begin(j);
	for (; (end = strchr(p, '\n')); p = end + 1) {
		size_t n = (size_t)(end - p) < sizeof(line) - 1 ? (size_t)(end - p) : sizeof(line) - 1;

		memcpy(line, p, n);
		line[n] = '\0';
		nctl_json_str(j, line);
	}
	nd_dad_failures(r, j);
	nctl_json_arr_end(j);
}

static void put_counters(struct nctl_json *j, struct nd_reconcile *r)
{
	struct nctl_session *home = nctl_hub_home(r->hub);
	const struct nctl_mirror_stats *m = nctl_mirror_get_stats(nctl_session_mirror(home));
	struct nctl_session_stats own;
	struct nctl_hub_stats s;
	struct nd_loop_stats l;

	nctl_session_get_stats(home, &own);
	nctl_hub_get_stats(r->hub, &s);
	nd_loop_get_stats(r->loop, &l);
	nctl_json_ku64(j, "epoch", own.epoch);
	nctl_json_ku64(j, "losses", own.losses);
	nctl_json_ku64(j, "undecodable", own.undecodable);
	nctl_json_ku64(j, "syncing", s.syncing);
	nctl_json_ku64(j, "strangers", s.strangers);
	nctl_json_key(j, "kernel");
	nctl_json_obj_begin(j);
	nctl_json_ku64(j, "sends", s.requester.sends);
	nctl_json_ku64(j, "messages", s.requester.messages);
	nctl_json_ku64(j, "changes", s.requester.changes);
	nctl_json_ku64(j, "receives", s.requester.receives);
	nctl_json_ku64(j, "refusals", s.requester.refusals);
	nctl_json_ku64(j, "dumps", s.requester.dumps);
	nctl_json_ku64(j, "dump_retries", s.requester.dump_retries);
	nctl_json_ku64(j, "lost_acks", s.requester.lost_acks);
	nctl_json_ku64(j, "longest_send_us", s.requester.longest_send_us);
	nctl_json_obj_end(j);
	nctl_json_key(j, "events");
	nctl_json_obj_begin(j);
	nctl_json_ku64(j, "wakeups", s.pump.wakeups);
	nctl_json_ku64(j, "receives", s.pump.receives);
	nctl_json_ku64(j, "messages", s.pump.messages);
	nctl_json_ku64(j, "overruns", s.pump.overruns);
	nctl_json_ku64(j, "truncated", s.pump.truncated);
	nctl_json_ku64(j, "malformed", s.pump.malformed);
	nctl_json_obj_end(j);
	nctl_json_key(j, "mirror");
	nctl_json_obj_begin(j);
	nctl_json_ku64(j, "added", m->added);
	nctl_json_ku64(j, "changed", m->changed);
	nctl_json_ku64(j, "removed", m->removed);
	nctl_json_ku64(j, "unchanged", m->unchanged);
	nctl_json_ku64(j, "dump_ignored", m->dump_ignored);
	nctl_json_ku64(j, "swept", m->swept);
	nctl_json_obj_end(j);
	nctl_json_key(j, "drift");
	nctl_json_obj_begin(j);
	nctl_json_ku64(j, "passes", r->drift.passes);
	nctl_json_ku64(j, "repairs", r->drift.repairs);
	nctl_json_ku64(j, "unrepaired", r->drift.refusals);
	nctl_json_obj_end(j);
	nctl_json_key(j, "loop");
	nctl_json_obj_begin(j);
	nctl_json_ku64(j, "turns", l.turns);
	nctl_json_ku64(j, "longest_turn_us", l.longest_turn_us);
	nctl_json_obj_end(j);
}

/* The process that may do what this one may not. */
static void put_helper(struct nctl_json *j, const struct nd_reconcile *r)
{
	struct nd_helper *h = nd_netns_set_helper(r->netns);

	nctl_json_kstr(j, "helper", !h ? "none" : nd_helper_is_alive(h) ? "alive" : "gone");
	if (h && nd_helper_is_alive(h))
		nctl_json_ki64(j, "helper_pid", nd_helper_pid(h));
}

void nd_reconcile_status(struct nd_reconcile *r, struct nctl_strbuf *out)
{
	const struct nctl_mirror *home = nctl_session_mirror(nctl_hub_home(r->hub));
	struct nctl_json j;

	nd_reconcile_be_brief(r);
	nctl_json_init(&j, out);
	nctl_json_obj_begin(&j);
	nctl_json_kstr(&j, "version", NETCTLD_VERSION);
	nctl_json_kstr(&j, "state", state_name(r));
	nctl_json_ku64(&j, "generation", r->generation);
	put_confirm(&j, r);
	if (r->networkd)
		nctl_json_kstr(&j, "warning", r->networkd);
	put_files(&j, r);
	nctl_json_ku64(&j, "links", nctl_mirror_link_count(home));
	nctl_json_ku64(&j, "addresses", nctl_mirror_addr_count(home));
	nctl_json_ku64(&j, "owned_links", nd_ledgers_link_count(&r->ledgers));
	nctl_json_ku64(&j, "namespaces", nd_netns_count(r->netns));
	nctl_json_ku64(&j, "owned_namespaces", nctl_netns_ledger_count(r->ledgers.netns));
	nctl_json_ku64(&j, "netns_pool_ready", nd_netns_pool_ready(r->netns));
	put_helper(&j, r);
	put_counters(&j, r);
	put_pending(&j, r);
	nd_jobs_tell(r, &j, NULL, NULL);
	if (r->last_error)
		nctl_json_kstr(&j, "last_error", r->last_error);
	nctl_json_obj_end(&j);
}
