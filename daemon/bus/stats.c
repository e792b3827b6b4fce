/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The method Stats: what the loop, the event socket, the requester, the mirrors and the bus have
 * counted, in groups. Those of each namespace are an object of Query (query/stats.c); here are their sums.
 */
#include <errno.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "bus/private.h"
#include "bus/query.h"

struct counter {
	const char *key;
	uint64_t value;
};

static void begin(struct nctl_json *json, const char *group)
{
	nctl_json_key(json, group);
	nctl_json_obj_begin(json);
}

static void put(struct nctl_json *json, const struct counter *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		nctl_json_ku64(json, v[i].key, v[i].value);
}
#define PUT(json_, ...)                                                                                      \
	do {                                                                                                 \
		const struct counter v_[] = {__VA_ARGS__};                                                   \
		put((json_), v_, NCTL_ARRAY_SIZE(v_));                                                       \
	} while (0)

static void put_loop(const struct nd_loop *loop, struct nctl_json *json)
{
	struct nd_loop_stats s;

	nd_loop_get_stats(loop, &s);
	begin(json, "loop");
	PUT(json, {"turns", s.turns}, {"longest_turn_us", s.longest_turn_us},
		{"longest_cpu_us", s.longest_cpu_us},
		{"longest_events_us", s.longest_by_us[ND_LOOP_EVENTS]},
		{"longest_results_us", s.longest_by_us[ND_LOOP_RESULTS]},
		{"longest_chores_us", s.longest_by_us[ND_LOOP_CHORES]},
		{"longest_other_us", s.longest_by_us[ND_LOOP_OTHER]});
	nctl_json_key(json, "lengths");
	nctl_json_arr_begin(json);
	for (unsigned i = 0; i < ND_LOOP_BUCKETS; i++) {
		nctl_json_obj_begin(json);
		/* The last one has no upper end. */
		if (i + 1 < ND_LOOP_BUCKETS)
			nctl_json_ku64(json, "below_us", UINT64_C(64) << i);
		nctl_json_ku64(json, "turns", s.lengths[i]);
		nctl_json_obj_end(json);
	}
	nctl_json_arr_end(json);
	nctl_json_obj_end(json);
}

static void put_hub(const struct nctl_hub *hub, struct nctl_json *json)
{
	struct nctl_hub_stats s;

	nctl_hub_get_stats(hub, &s);
	begin(json, "events");
	PUT(json, {"messages", s.pump.messages}, {"datagrams", s.pump.datagrams},
		{"receives", s.pump.receives}, {"wakeups", s.pump.wakeups}, {"overruns", s.pump.overruns},
		{"truncated", s.pump.truncated}, {"malformed", s.pump.malformed}, {"strangers", s.strangers},
		{"ignored", s.ignored});
	if (s.has_queue)
		PUT(json, {"drops", s.drops}, {"queued_bytes", s.queued}, {"queue_bytes", s.queue_max});
	nctl_json_obj_end(json);
	begin(json, "requester");
	PUT(json, {"sends", s.requester.sends}, {"messages", s.requester.messages},
		{"changing_messages", s.requester.changes}, {"receives", s.requester.receives},
		{"refusals", s.requester.refusals}, {"dumps", s.requester.dumps},
		{"dump_retries", s.requester.dump_retries}, {"scoped_dumps", s.scoped},
		{"lost_acks", s.requester.lost_acks}, {"longest_send_us", s.requester.longest_send_us});
	nctl_json_obj_end(json);
	begin(json, "namespaces");
	PUT(json, {"joined", s.sessions}, {"syncing", s.syncing}, {"dumping", s.dumping},
		{"waiting", s.waiting});
}

/* The sums of all mirrors; into "namespaces", which is open, and "mirror". */
static void put_mirrors(const struct nd_netns_set *set, struct nctl_json *json)
{
	struct nd_mirror_sums sum = {0};
	size_t known = 0;

	for (const struct nd_netns *n = nd_netns_from(set, 0); n; n = nd_netns_next(n), known++)
		nd_stats_add(&sum, n);
	PUT(json, {"known", known}, {"epochs", sum.session.epoch}, {"losses", sum.session.losses},
		{"resyncs", sum.session.resyncs}, {"longest_last_resync_us", sum.session.resync_us},
		{"retries", sum.session.retries},
		{"undecodable", sum.session.undecodable}, {"suspects", sum.session.suspects});
	nctl_json_obj_end(json);
	begin(json, "mirror");
	nd_stats_put_mirror(&sum, json);
	nctl_json_obj_end(json);
}

static void put_bus(const struct nd_bus *b, struct nctl_json *json)
{
	begin(json, "bus");
	PUT(json, {"clients", b->n_clients}, {"clients_ever", b->counters.clients}, {"answers", b->n_streams},
		{"answers_ever", b->counters.queries}, {"monitors", b->n_monitors},
		{"monitors_ever", b->counters.monitors}, {"bytes_sent", b->counters.bytes},
		{"gaps", b->counters.gaps}, {"stuck", b->counters.stuck});
	nctl_json_obj_end(json);
}

int nd_method_stats(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf out = NCTL_STRBUF_INIT;
	const struct nd_client *c = userdata;
	const struct nd_netns_set *set = nd_reconcile_netns(c->bus->reconcile);
	struct nctl_json json;
	int r;

	(void)error;
	nctl_json_init(&json, &out);
	nctl_json_obj_begin(&json);
	put_loop(c->bus->loop, &json);
	put_hub(nd_netns_set_hub(set), &json);
	put_mirrors(set, &json);
	put_bus(c->bus, &json);
	nctl_json_obj_end(&json);
	r = out.err ? out.err : sd_bus_reply_method_return(m, "s", nctl_strbuf_str(&out));
	return r < 0 ? r : 1;
}
