/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The method Query. Names in /run/netns are looked at before, so that what another program has just done
 * is seen. A namespace that is known by name only is on its way to be joined: the query waits for its mirror,
 * one over all namespaces for those that were known when it came. Rather than half an answer there is
 * NotReady.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "bus/private.h"
#include "bus/query.h"

#define WAIT_ONE_MS  10000 /* after 6.5 s it is known that a name is no namespace */
#define WAIT_ALL_MS  20000 /* netctl waits for 30 s */
#define LOOKS_A_TURN 4096  /* namespaces */

/* A query that waits. */
struct pending {
	struct nd_query query;
	uint64_t next, last; /* serials: all before next are settled */
};

static struct nd_netns_set *set_of(const struct nd_client *c)
{
	return nd_reconcile_netns(c->bus->reconcile);
}

static int read_query(sd_bus_message *m, struct nd_query *q, sd_bus_error *error)
{
	const char *object, *key, *value;
	int r;

	r = sd_bus_message_read(m, "s", &object);
	if (r < 0)
		return r;
	r = nd_query_init(q, object, error);
	if (r < 0)
		return r;
	r = sd_bus_message_enter_container(m, 'a', "{ss}");
	if (r < 0)
		return r;
	while ((r = sd_bus_message_read(m, "{ss}", &key, &value)) > 0) {
		r = nd_query_filter(q, key, value, error);
		if (r < 0)
			return r;
	}
	return r;
}

static uint64_t last_serial(const struct nd_netns_set *set)
{
	uint64_t last = 0;

	for (const struct nd_netns *n = nd_netns_from(set, 0); n; n = nd_netns_next(n))
		last = nd_netns_serial(n);
	return last;
}

enum progress { SETTLED, NOT_YET, LOOK_ON };

/* Can it be answered, or is it known that it cannot? */
static enum progress look_at(struct pending *p, const struct nd_netns_set *set)
{
	const struct nd_netns *n;

	if (nd_query_is_of_netns(&p->query) || p->query.space == ND_SCOPE_OWN)
		return SETTLED;
	if (p->query.space == ND_SCOPE_ONE) {
		n = nd_netns_find(set, p->query.netns);
		return !n || nd_query_is_settled(n) ? SETTLED : NOT_YET;
	}
	n = nd_netns_from(set, p->next);
	for (unsigned i = 0; n && nd_netns_serial(n) <= p->last; n = nd_netns_next(n), i++) {
		if (i < LOOKS_A_TURN && nd_query_is_settled(n))
			continue;
		p->next = nd_netns_serial(n);
		return i == LOOKS_A_TURN ? LOOK_ON : NOT_YET;
	}
	return SETTLED;
}

/* 0 and a reply, or an error. */
static int reply(struct nd_client *c, sd_bus_message *m, struct nd_query *q, sd_bus_error *error)
{
	_cleanup_(nctl_closep) int fd = -1;
	int r;

	if (c->n_streams >= ND_STREAMS_MAX_PER_CLIENT)
		return nd_too_many(error, "answers to one client", ND_STREAMS_MAX_PER_CLIENT);
	if (c->bus->n_streams >= ND_STREAMS_MAX)
		return nd_too_many(error, "answers", ND_STREAMS_MAX);
	r = nd_query_begin(q, set_of(c), error);
	if (r < 0)
		return r;
	r = nd_stream_new(c, q, &fd);
	return r < 0 ? r : sd_bus_reply_method_return(m, "h", fd);
}

static void look(struct nd_call *call, bool late)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	struct pending *p = call->data;
	struct nd_client *c = call->client;
	int r;

	switch (look_at(p, set_of(c))) {
	case SETTLED:
		break;
	case LOOK_ON:
		/* Another turn, though no event calls for it. */
		nd_timer_set(&c->bus->feed, nctl_time_now());
		if (!late)
			return;
		break;
	case NOT_YET:
		if (!late)
			return;
		break;
	}
	if (late && p->query.space == ND_SCOPE_ALL) {
		nd_call_fail(call, nd_not_ready(&error), &error);
		return;
	}
	r = reply(c, call->m, &p->query, &error);
	if (r < 0) {
		nd_call_fail(call, r, &error);
		return;
	}
	nd_call_free(call);
	nd_client_update(c);
}

static int wait_for(struct nd_client *c, sd_bus_message *m, const struct pending *p, sd_bus_error *error)
{
	struct nd_call *call;
	int r;

	r = nd_call_new(c, m, error, &call);
	if (r < 0)
		return r;
	call->data = malloc(sizeof(*p));
	if (!call->data) {
		nd_call_free(call);
		return -ENOMEM;
	}
	*(struct pending *)call->data = *p;
	nd_call_wait(call, p->query.space == ND_SCOPE_ALL ? WAIT_ALL_MS : WAIT_ONE_MS, look);
	return 1;
}

int nd_method_query(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	struct nd_client *c = userdata;
	struct pending p = {0};
	int r;

	nd_reconcile_be_brief(c->bus->reconcile);
	if (!nd_reconcile_is_ready(c->bus->reconcile))
		return nd_not_ready(error);
	r = read_query(m, &p.query, error);
	if (r < 0)
		return r;
	if (nd_query_is_of_netns(&p.query) || p.query.space != ND_SCOPE_OWN)
		nd_netns_set_look(set_of(c));
	if (p.query.space == ND_SCOPE_ALL)
		p.last = last_serial(set_of(c));
	if (look_at(&p, set_of(c)) != SETTLED)
		return wait_for(c, m, &p, error);
	r = reply(c, m, &p.query, error);
	return r < 0 ? r : 1;
}
