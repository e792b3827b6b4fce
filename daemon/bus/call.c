/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Calls that are answered later: the message is held until a job is done, or until something is there
 * that is known to come (a namespace that is being joined, the event of a link that was moved). Such a call
 * looks for it at the end of each turn in which the loop woke up, since only events can bring it, and gives
 * up after a time. A call belongs to its client and goes with it, unless the helper has its address: then it
 * stays, without a client, until the helper has answered.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "bus/private.h"

int nd_too_many(sd_bus_error *error, const char *what, unsigned n)
{
	return sd_bus_error_setf(error, ND_BUS_ERROR "LimitsExceeded", "At most %u %s at once.", n, what);
}

int nd_not_ready(sd_bus_error *error)
{
	return sd_bus_error_set(error, ND_BUS_ERROR "NotReady",
		"The daemon is still reading the kernel's state; try again in a moment.");
}

static void late_event(struct nd_timer *t)
{
	struct nd_call *call = t->userdata;

	call->look(call, true);
}

int nd_call_new(struct nd_client *c, sd_bus_message *m, sd_bus_error *error, struct nd_call **ret)
{
	struct nd_call *call;

	if (c->n_calls >= ND_CALLS_MAX)
		return nd_too_many(error, "unanswered calls", ND_CALLS_MAX);
	call = calloc(1, sizeof(*call));
	if (!call)
		return -ENOMEM;
	call->client = c;
	call->m = sd_bus_message_ref(m);
	nctl_list_init(&call->link);
	nctl_list_init(&call->waiting);
	nctl_list_add_tail(&c->calls, &call->link);
	c->n_calls++;
	nd_timer_init(&call->late, c->bus->loop, late_event, call);
	*ret = call;
	return 0;
}

/* From its client, which is or will be no more. */
static void leave(struct nd_call *call)
{
	if (!call->client)
		return;
	nd_call_stop_waiting(call);
	nctl_list_del(&call->link);
	call->client->n_calls--;
	call->client = NULL;
}

struct nd_call *nd_call_free(struct nd_call *call)
{
	leave(call);
	sd_bus_message_unref(call->m);
	free(call->data);
	free(call);
	return NULL;
}

/* The reply was queued (r >= 0), or could not be: without it the client would wait for ever. */
static void end(struct nd_call *call, int r)
{
	struct nd_client *c = call->client;

	nd_call_free(call);
	if (r < 0)
		nd_client_doom(c);
	else
		nd_client_update(c);
}

void nd_call_answer(struct nd_call *call, const char *json)
{
	end(call, sd_bus_reply_method_return(call->m, "s", json));
}

void nd_call_answer_buf(struct nd_call *call, struct nctl_strbuf *out)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf text = *out;

	*out = NCTL_STRBUF_INIT;
	if (text.err)
		nd_call_fail(call, text.err, NULL);
	else
		nd_call_answer(call, nctl_strbuf_str(&text));
}

void nd_call_fail(struct nd_call *call, int r, sd_bus_error *error)
{
	if (error && sd_bus_error_is_set(error))
		r = sd_bus_reply_method_error(call->m, error);
	else
		r = sd_bus_reply_method_errno(call->m, r, NULL);
	if (error)
		sd_bus_error_free(error);
	end(call, r);
}

void nd_call_stopping(struct nd_call *call)
{
	end(call, sd_bus_reply_method_errorf(call->m, ND_BUS_ERROR "Stopping", "The daemon is stopping."));
}

static void turn_event(struct nd_prepare *p)
{
	struct nd_bus *b = p->userdata;
	struct nctl_list *pos, *next;

	nd_netns_set_hurry(nd_reconcile_netns(b->reconcile));
	nctl_list_for_each_safe(pos, next, &b->waiting) {
		struct nd_call *call = nctl_list_entry(pos, struct nd_call, waiting);

		call->look(call, false);
	}
}

void nd_call_wait(struct nd_call *call, unsigned ms, void (*look)(struct nd_call *call, bool late))
{
	struct nd_bus *b = call->client->bus;

	call->look = look;
	if (nctl_list_empty(&b->waiting))
		nd_prepare_init(&b->turn, b->loop, turn_event, b);
	nctl_list_del(&call->waiting);
	nctl_list_add_tail(&b->waiting, &call->waiting);
	nd_timer_set(&call->late, nctl_time_add_ms(nctl_time_now(), ms));
}

void nd_call_stop_waiting(struct nd_call *call)
{
	struct nd_bus *b = call->client->bus;

	nd_timer_stop(&call->late);
	if (!nctl_list_linked(&call->waiting))
		return;
	nctl_list_del(&call->waiting);
	if (nctl_list_empty(&b->waiting))
		nd_prepare_stop(&b->turn);
}

void nd_calls_forget(struct nd_client *c)
{
	struct nctl_list *pos;

	while ((pos = nctl_list_first(&c->calls))) {
		struct nd_call *call = nctl_list_entry(pos, struct nd_call, link);

		nd_reconcile_forget(c->bus->reconcile, call);
		nd_netns_forget(nd_reconcile_netns(c->bus->reconcile), call);
		if (call->kept)
			leave(call);
		else
			nd_call_free(call);
	}
}
