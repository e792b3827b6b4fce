/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The method Resync: all that a mirror holds is read from the kernel once more, as after a loss. For
 * root alone, since it is work for the kernel, too. Answered when the mirrors are in step again, with the
 * longest time that one took (which begins with its loss, if it was out of step already).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/num.h"
#include "bus/private.h"
#include "bus/query/object.h"

enum {
	WAIT_MS = 60000,
	LOOKS_A_TURN = 1024, /* namespaces */
};

/* All before `next` are in step again. */
struct resync {
	uint64_t next, last; /* serials */
	size_t n;
	uint64_t us;
};

static void answer(struct nd_call *call, bool late)
{
	struct nctl_strbuf out = NCTL_STRBUF_INIT;
	const struct resync *w = call->data;
	struct nctl_json json;

	nctl_json_init(&json, &out);
	nctl_json_obj_begin(&json);
	nctl_json_ku64(&json, "exit", late ? 5 : 0);
	if (late)
		nctl_json_kstr(&json, "error", "The mirror is not in step yet.");
	nctl_json_ku64(&json, "namespaces", w->n);
	nctl_json_ku64(&json, "us", w->us);
	nctl_json_obj_end(&json);
	nd_call_answer_buf(call, &out);
}

static void look(struct nd_call *call, bool late)
{
	struct nd_bus *b = call->client->bus;
	struct resync *w = call->data;
	const struct nd_netns *n = nd_netns_from(nd_reconcile_netns(b->reconcile), w->next);
	struct nctl_session_stats stats;

	for (unsigned i = 0; n && nd_netns_serial(n) <= w->last; n = nd_netns_next(n), i++) {
		struct nctl_session *s = nd_netns_session(n);

		w->next = nd_netns_serial(n);
		if (!late && i == LOOKS_A_TURN) {
			/* Another turn, though no event calls for it. */
			nd_timer_set(&b->feed, nctl_time_now());
			return;
		}
		if (s && !nctl_session_is_synced(s)) {
			if (late)
				break;
			return;
		}
		if (s) {
			nctl_session_get_stats(s, &stats);
			w->us = nctl_max(w->us, stats.resync_us);
		}
	}
	answer(call, late);
}

/* Begins with n, or with all, and tells in w which these are. */
static void begin(struct nd_bus *b, const struct nd_netns *only, struct resync *w)
{
	struct nd_netns_set *set = nd_reconcile_netns(b->reconcile);
	const struct nd_netns *n = only ? only : nd_netns_from(set, 0);

	w->next = nd_netns_serial(n);
	for (; n; n = only ? NULL : nd_netns_next(n)) {
		w->last = nd_netns_serial(n);
		if (!nd_netns_session(n))
			continue;
		nctl_hub_resync(nd_netns_set_hub(set), nd_netns_session(n));
		w->n++;
	}
}

static int read_scope(sd_bus_message *m, struct nd_query *q, sd_bus_error *error)
{
	const char *key, *value;
	int r = sd_bus_message_enter_container(m, 'a', "{ss}");

	while (r >= 0 && (r = sd_bus_message_read(m, "{ss}", &key, &value)) > 0) {
		if (strcmp(key, "netns") == 0)
			r = nd_filter_netns(q, value, error);
		else if (strcmp(key, "all-netns") == 0)
			r = nd_filter_all_netns(q, value, error);
		else
			r = nd_filter_invalid(error, "Nothing that can be resynchronised", key, NULL);
	}
	return r;
}

int nd_method_resync(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	_cleanup_(nctl_freep) struct resync *w = calloc(1, sizeof(*w));
	struct nd_client *c = userdata;
	struct nd_netns_set *set = nd_reconcile_netns(c->bus->reconcile);
	struct nd_query q = {.space = ND_SCOPE_OWN};
	const struct nd_netns *n;
	struct nd_call *call;
	int r = w ? nd_allow_change(c, error) : -ENOMEM;

	if (r < 0)
		return r;
	r = read_scope(m, &q, error);
	if (r < 0)
		return r;
	n = *q.netns ? nd_netns_find(set, q.netns) : nd_netns_from(set, 0);
	if (!n || !nd_query_mirror(n))
		return *q.netns ? nd_query_no_netns(error, q.netns, n) : nd_not_ready(error);
	r = nd_call_new(c, m, error, &call);
	if (r < 0)
		return r;
	begin(c->bus, q.space == ND_SCOPE_ALL ? NULL : n, w);
	call->data = take_ptr(w);
	nd_call_wait(call, WAIT_MS, look);
	return 1;
}
