/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The counters of each namespace for Query, a line each: how often its mirror was resynchronised and
 * why, and what is in it. The same numbers are added up for Stats.
 */
#include "bus/query/object.h"

static void add_mirror(struct nctl_mirror_stats *sum, const struct nctl_mirror_stats *s)
{
	sum->added += s->added;
	sum->changed += s->changed;
	sum->removed += s->removed;
	sum->unchanged += s->unchanged;
	sum->dump_ignored += s->dump_ignored;
	sum->swept += s->swept;
}

void nd_stats_add(struct nd_mirror_sums *sum, const struct nd_netns *n)
{
	struct nctl_session *s = nd_netns_session(n);
	struct nctl_session_stats stats;
	const struct nctl_mirror *m;

	if (!s)
		return;
	m = nctl_session_mirror(s);
	nctl_session_get_stats(s, &stats);
	sum->session.epoch += stats.epoch;
	sum->session.losses += stats.losses;
	sum->session.resyncs += stats.resyncs;
	sum->session.undecodable += stats.undecodable;
	sum->session.retries += stats.retries;
	sum->session.resync_us = nctl_max(sum->session.resync_us, stats.resync_us);
	sum->session.scoped += stats.scoped;
	sum->session.ignored += stats.ignored;
	sum->session.suspects += stats.suspects;
	sum->links += nctl_mirror_link_count(m);
	sum->addresses += nctl_mirror_addr_count(m);
	sum->routes += nctl_mirror_route_count(m, AF_UNSPEC);
	sum->nexthops += nctl_mirror_nexthop_count(m);
	sum->rules += nctl_mirror_rule_count(m, AF_INET) + nctl_mirror_rule_count(m, AF_INET6);
	sum->bytes += nctl_mirror_route_bytes(m);
	add_mirror(&sum->mirror, nctl_mirror_get_stats(m));
}

void nd_stats_put_mirror(const struct nd_mirror_sums *sum, struct nctl_json *json)
{
	nctl_json_ku64(json, "links", sum->links);
	nctl_json_ku64(json, "addresses", sum->addresses);
	nctl_json_ku64(json, "routes", sum->routes);
	nctl_json_ku64(json, "nexthops", sum->nexthops);
	nctl_json_ku64(json, "rules", sum->rules);
	nctl_json_ku64(json, "route_bytes", sum->bytes);
	nctl_json_ku64(json, "added", sum->mirror.added);
	nctl_json_ku64(json, "changed", sum->mirror.changed);
	nctl_json_ku64(json, "removed", sum->mirror.removed);
	nctl_json_ku64(json, "unchanged", sum->mirror.unchanged);
	nctl_json_ku64(json, "dump_ignored", sum->mirror.dump_ignored);
	nctl_json_ku64(json, "swept", sum->mirror.swept);
}

static int begin(struct nd_query *q, const struct nctl_mirror *m, const char **ret_name)
{
	(void)q;
	(void)m;
	(void)ret_name;
	return 0;
}

static int fill(struct nd_query *q, struct nd_fill *f)
{
	struct nctl_session *s = nd_netns_session(f->netns);
	struct nd_mirror_sums sum = {0};
	struct nctl_json json;

	nd_stats_add(&sum, f->netns);
	nd_fill_line(f, &json);
	nctl_json_obj_begin(&json);
	nctl_json_ku64(&json, "epoch", sum.session.epoch);
	nctl_json_kbool(&json, "synced", nctl_session_is_synced(s));
	nctl_json_ku64(&json, "losses", sum.session.losses);
	nctl_json_ku64(&json, "resyncs", sum.session.resyncs);
	nctl_json_ku64(&json, "last_resync_us", sum.session.resync_us);
	nctl_json_ku64(&json, "retries", sum.session.retries);
	nctl_json_ku64(&json, "scoped", sum.session.scoped);
	nctl_json_ku64(&json, "undecodable", sum.session.undecodable);
	nctl_json_ku64(&json, "ignored", sum.session.ignored);
	nd_stats_put_mirror(&sum, &json);
	nctl_json_obj_end(&json);
	nd_fill_line_end(f, true);
	q->inside = false;
	return f->out->err;
}

static const struct nd_query_filter filters[] = {ND_FILTERS_NETNS, {0}};

const struct nd_query_object nd_query_of_stats = {
	.name = "stats", .filters = filters, .begin = begin, .fill = fill};
