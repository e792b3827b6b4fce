/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the session of one namespace: an event transport behind a pump, a requester, the mirror, and the two
 * state machines on top, sync.c and run.c. Results are handled in the order: note what came back, send what
 * comes next (so that the requester works), then read the events of what is done. All of it runs on the
 * owner's thread.
 */
#include "exec/private.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>

enum {
	DRAIN_BUDGET = 4096,
	DRAIN_ROUNDS = 256, /* a drain ends even if events never do */
	QUEUE_MAX = 16,
};

static void on_message(void *userdata, int32_t nsid, const struct nlmsghdr *nlh)
{
	(void)nsid;
	nctl_session_feed(userdata, nlh, NCTL_SOURCE_EVENT);
}

static void on_lost(void *userdata)
{
	nctl_sync_lost(userdata);
}

static const struct nctl_pump_ops pump_ops = {.message = on_message, .lost = on_lost};

static int open_events(struct nctl_session *s)
{
	static const unsigned groups[] = {RTNLGRP_LINK, RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV6_IFADDR};
	_cleanup_(nctl_transport_freep) struct nctl_transport *t = NULL;
	int r = s->kernel->open(s->kernel, NCTL_TRANSPORT_EVENTS, &t);

	for (size_t i = 0; r >= 0 && i < NCTL_ARRAY_SIZE(groups); i++)
		r = t->ops->join(t, groups[i]);
	return r < 0 ? r : nctl_pump_new(take_ptr(t), &pump_ops, s, &s->pump);
}

int nctl_session_new(struct nctl_kernel *kernel, const struct nctl_session_ops *ops, void *userdata,
	struct nctl_session **ret)
{
	const struct nctl_requester_options opts = {.queue_max = QUEUE_MAX};
	_cleanup_(nctl_session_freep) struct nctl_session *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return -ENOMEM;
	s->kernel = kernel;
	s->ops = ops;
	s->userdata = userdata;
	r = nctl_mirror_new(&s->mirror);
	if (r >= 0)
		r = kernel->get_cookie(kernel, &s->cookie);
	if (r >= 0)
		r = open_events(s);
	if (r >= 0)
		r = nctl_requester_new(kernel, &opts, ops->wake, userdata, &s->requester);
	if (r < 0)
		return r;
	nctl_sync_start(s);
	*ret = take_ptr(s);
	return 0;
}

struct nctl_session *nctl_session_free(struct nctl_session *s)
{
	if (!s)
		return NULL;
	nctl_requester_free(s->requester);
	nctl_run_abandon(s);
	nctl_pump_free(s->pump);
	nctl_mirror_free(s->mirror);
	free(s);
	return NULL;
}

void nctl_session_freep(struct nctl_session **s)
{
	*s = nctl_session_free(*s);
}

int nctl_session_get_fd(const struct nctl_session *s)
{
	return nctl_pump_get_fd(s->pump);
}

int nctl_session_dispatch_events(struct nctl_session *s, size_t budget)
{
	int r = nctl_pump_dispatch(s->pump, budget);

	if (r == 0)
		nctl_run_verify(s);
	return r;
}

void nctl_session_drain(struct nctl_session *s)
{
	int r = NCTL_PUMP_MORE;

	for (int i = 0; r == NCTL_PUMP_MORE && i < DRAIN_ROUNDS; i++)
		r = nctl_pump_dispatch(s->pump, DRAIN_BUDGET);
}

static void handle(struct nctl_session *s, struct nctl_result *r)
{
	switch (r->type) {
	case NCTL_RESULT_BATCH:
		nctl_run_batch_back(s, r->batch);
		nctl_run_advance(s);
		break;
	case NCTL_RESULT_DUMP:
	case NCTL_RESULT_DUMP_END:
		nctl_sync_result(s, r);
		break;
	}
}

int nctl_session_dispatch_results(struct nctl_session *s, size_t budget)
{
	struct nctl_result *r;

	while (budget-- && (r = nctl_requester_pop(s->requester))) {
		handle(s, r);
		nctl_result_free(r);
	}
	nctl_session_drain(s);
	nctl_run_verify(s);
	return budget == SIZE_MAX ? NCTL_PUMP_MORE : 0;
}

static nctl_time earlier(nctl_time a, nctl_time b)
{
	return nctl_time_cmp(a, b) < 0 ? a : b;
}

nctl_time nctl_session_deadline(const struct nctl_session *s)
{
	nctl_time at = NCTL_TIME_NEVER;

	if (s->sync.state == SYNC_WAIT)
		at = earlier(at, s->sync.at);
	if (s->run.plan && s->run.verifying)
		at = earlier(at, s->run.deadline);
	return at;
}

int nctl_session_tick(struct nctl_session *s, nctl_time now)
{
	nctl_sync_tick(s, now);
	nctl_run_tick(s, now);
	return 0;
}

bool nctl_session_is_busy(const struct nctl_session *s)
{
	return s->run.in_flight;
}

bool nctl_session_is_synced(const struct nctl_session *s)
{
	return s->sync.state == SYNC_DONE;
}

struct nctl_mirror *nctl_session_mirror(struct nctl_session *s)
{
	return s->mirror;
}

uint64_t nctl_session_cookie(const struct nctl_session *s)
{
	return s->cookie;
}

void nctl_session_get_stats(struct nctl_session *s, struct nctl_session_stats *ret)
{
	*ret = (struct nctl_session_stats){
		.epoch = s->epoch,
		.losses = s->losses,
		.resyncs = s->resyncs,
		.undecodable = s->undecodable,
		.pump = *nctl_pump_get_stats(s->pump),
	};
	nctl_requester_get_stats(s->requester, &ret->requester);
}
