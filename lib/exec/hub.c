/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the hub: one event transport for all namespaces, whose messages go to the session that has their nsid,
 * and one requester, whose results go to dumps (sync.c) and to the run (run.c). Results are handled in the
 * order: note what came back, send what comes next (so that the requester works), then read the events of
 * what is done. All of it runs on the owner's thread, a few milliseconds at a time (turn.c).
 *
 * An nsid is a label that the kernel gives to one namespace after another. Events stand in the queue in the
 * order in which they happened, but a join comes by another way and may overtake them: so a new session hears
 * nothing until the queue was empty once (it is fenced), and only then is its namespace dumped. RTM_DELNSID,
 * or RTM_NEWNSID for an nsid that has a session, says that the one before is gone.
 */
#include "exec/private.h"

#include <errno.h>
#include <linux/net_namespace.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>

#include "exec/genl.h"
#include "nl/attr.h"

enum { EVENTS_AFTER = 1024 }; /* messages read behind the results of a turn */

static struct nctl_session *find_nsid(const struct nctl_hub *h, nctl_nsid nsid)
{
	struct nctl_hash_node *pos;

	nctl_hash_for_each_equal(pos, &h->by_nsid, nctl_hash_u64((uint32_t)nsid)) {
		struct nctl_session *s = nctl_container_of(pos, struct nctl_session, by_nsid);

		if (s->nsid == nsid)
			return s;
	}
	return NULL;
}

static struct nctl_session *find_cookie(const struct nctl_hub *h, uint64_t cookie)
{
	struct nctl_hash_node *pos;

	nctl_hash_for_each_equal(pos, &h->by_cookie, nctl_hash_u64(cookie)) {
		struct nctl_session *s = nctl_container_of(pos, struct nctl_session, by_cookie);

		if (s->cookie == cookie)
			return s;
	}
	return NULL;
}

static void stranger(struct nctl_hub *h, nctl_nsid nsid)
{
	h->strangers++;
	if (h->ops->stranger)
		h->ops->stranger(nsid, h->userdata);
}

void nctl_hub_bury(struct nctl_hub *h, struct nctl_session *s)
{
	if (h->ops->gone)
		h->ops->gone(s, h->userdata);
	nctl_session_free(s);
}

void nctl_hub_find_gone(struct nctl_hub *h, struct nctl_session *s)
{
	nctl_nsid nsid = s->nsid;

	nctl_hub_bury(h, s);
	if (!find_nsid(h, nsid))
		stranger(h, nsid);
}

/* An nsid was given or taken away, in home (net/core/net_namespace.c rtnl_net_notifyid). */
static void on_nsid(struct nctl_hub *h, const struct nlmsghdr *nlh)
{
	static const struct nctl_attr_policy policy[] = {[NETNSA_NSID] = {.kind = NCTL_ATTR_U32}};
	const struct nlattr *tb[NCTL_ARRAY_SIZE(policy)];
	struct nctl_session *s;
	nctl_nsid nsid;

	if (nctl_attr_parse_msg(nlh, sizeof(struct rtgenmsg), policy, tb, NCTL_ARRAY_SIZE(policy) - 1) < 0 ||
		!tb[NETNSA_NSID])
		return;
	nsid = (nctl_nsid)nctl_attr_u32(tb[NETNSA_NSID]);
	s = find_nsid(h, nsid);
	if (nlh->nlmsg_type == RTM_NEWNSID && !s)
		stranger(h, nsid);
	else if (nlh->nlmsg_type == RTM_NEWNSID)
		nctl_sync_refresh(s); /* its own, told late, or the next holder's: a dump will tell */
	else if (s && s->sync.state != SYNC_FENCED)
		nctl_hub_bury(h, s);
}

static void on_message(void *userdata, int32_t nsid, const struct nlmsghdr *nlh)
{
	struct nctl_hub *h = userdata;
	struct nctl_session *s = nsid == NCTL_NSID_NONE ? h->home : find_nsid(h, nsid);

	if (nlh->nlmsg_type == RTM_NEWNSID || nlh->nlmsg_type == RTM_DELNSID) {
		if (nsid == NCTL_NSID_NONE)
			on_nsid(h, nlh);
	} else if (!s) {
		stranger(h, nsid);
	} else if (s->sync.state != SYNC_FENCED) {
		nctl_session_feed(s, nlh, NCTL_SOURCE_EVENT);
	}
}

/*
 * What is lost may have been anybody's. A queue that was full takes nothing, and says nothing of it, before
 * it is empty again (net/netlink/af_netlink.c NETLINK_S_CONGESTED).
 */
static void on_lost(void *userdata)
{
	struct nctl_hub *h = userdata;
	nctl_time now = nctl_hub_now(h);
	struct nctl_list *n;

	/* Since the one before nobody could become in step, nor begin to. */
	if (h->shut)
		return;
	h->shut = true;
	nctl_list_for_each(n, &h->sessions)
		nctl_sync_lost(nctl_list_entry(n, struct nctl_session, link), now);
}

/* One datagram, of that namespace; those of home tell of others as well. */
static void on_damaged(void *userdata, int32_t nsid)
{
	struct nctl_hub *h = userdata;
	struct nctl_session *s = nsid == NCTL_NSID_NONE ? NULL : find_nsid(h, nsid);

	if (nsid == NCTL_NSID_NONE)
		on_lost(h);
	else if (s)
		nctl_sync_lost(s, nctl_hub_now(h));
	else
		stranger(h, nsid);
}

static const struct nctl_pump_ops pump_ops = {.message = on_message, .lost = on_lost, .damaged = on_damaged};

/* The filter comes first, so that nothing is queued that it would not let pass. */
static int set_up_events(const struct nctl_hub *h, struct nctl_transport *t, size_t receive_buffer)
{
	static const unsigned groups[] = {RTNLGRP_LINK, RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV6_IFADDR,
		RTNLGRP_IPV4_ROUTE, RTNLGRP_IPV6_ROUTE, RTNLGRP_IPV4_RULE, RTNLGRP_IPV6_RULE, RTNLGRP_NSID};
	int r = 0;

	if (receive_buffer && t->ops->set_buffer)
		r = t->ops->set_buffer(t, receive_buffer);
	if (r >= 0 && t->ops->set_filter)
		r = t->ops->set_filter(t, &h->filter);
	for (size_t i = 0; r >= 0 && i < NCTL_ARRAY_SIZE(groups); i++)
		r = t->ops->join(t, groups[i]);
	/* Before Linux 5.3 there are no next-hop objects, and no such group. */
	if (r >= 0)
		(void)t->ops->join(t, RTNLGRP_NEXTHOP);
	return r;
}

/* Without the right to hear all, home alone is heard. */
static int open_events(struct nctl_hub *h, struct nctl_kernel *home, size_t receive_buffer)
{
	_cleanup_(nctl_transport_freep) struct nctl_transport *t = NULL;
	int r = home->open(home, NCTL_TRANSPORT_EVENTS_ALL, &t);

	h->hears_all = r >= 0;
	if (r == -EOPNOTSUPP)
		r = home->open(home, NCTL_TRANSPORT_EVENTS, &t);
	if (r >= 0)
		r = set_up_events(h, t, receive_buffer);
	return r < 0 ? r : nctl_pump_new(take_ptr(t), &pump_ops, h, &h->pump);
}

static void hub_init(struct nctl_hub *h, const struct nctl_hub_options *opts)
{
	nctl_list_init(&h->sessions);
	nctl_list_init(&h->fenced);
	nctl_list_init(&h->due);
	nctl_list_init(&h->settling);
	nctl_list_init(&h->settled);
	nctl_list_init(&h->suspects);
	nctl_list_init(&h->touched);
	nctl_list_init(&h->tickets);
	nctl_list_init(&h->lives);
	nctl_hash_init(&h->by_cookie);
	nctl_hash_init(&h->by_nsid);
	h->scratch = NCTL_ROUTE_SCRATCH_INIT;
	h->filter = opts->filter;
	h->clock = opts->clock ? opts->clock : nctl_time_now;
}

int nctl_hub_new_with(struct nctl_kernel *home, const struct nctl_hub_options *opts,
	const struct nctl_hub_ops *ops, void *userdata, struct nctl_hub **ret)
{
	static const struct nctl_hub_options usual;
	const struct nctl_requester_options queue = {.queue_max = NCTL_HUB_QUEUE};
	_cleanup_(nctl_hub_freep) struct nctl_hub *h = calloc(1, sizeof(*h));
	uint64_t cookie;
	int r;

	if (!h)
		return -ENOMEM;
	h->ops = ops;
	h->userdata = userdata;
	opts = opts ? opts : &usual;
	hub_init(h, opts);
	r = home->get_cookie(home, &cookie);
	if (r >= 0)
		r = open_events(h, home, opts->receive_buffer);
	if (r >= 0)
		r = nctl_requester_new(home, &queue, ops->wake, userdata, &h->requester);
	if (r >= 0)
		r = nctl_session_new(h, home, cookie, NCTL_NSID_NONE, NULL, &h->home);
	if (r < 0)
		return r;
	nctl_sync_start(h->home);
	nctl_sync_advance(h);
	*ret = take_ptr(h);
	return 0;
}

int nctl_hub_new(
	struct nctl_kernel *home, const struct nctl_hub_ops *ops, void *userdata, struct nctl_hub **ret)
{
	return nctl_hub_new_with(home, NULL, ops, userdata, ret);
}

struct nctl_hub *nctl_hub_free(struct nctl_hub *h)
{
	struct nctl_list *n;

	if (!h)
		return NULL;
	nctl_run_abandon(h);
	nctl_genl_end(h);
	nctl_live_end(h);
	while ((n = nctl_list_first(&h->sessions)))
		nctl_session_free(nctl_list_entry(n, struct nctl_session, link));
	nctl_result_free(h->chunk);
	nctl_requester_free(h->requester);
	while ((n = nctl_list_first(&h->tickets))) {
		nctl_list_del(n);
		free(nctl_list_entry(n, struct dump_ticket, link));
	}
	nctl_pump_free(h->pump);
	nctl_hash_fini(&h->by_cookie);
	nctl_hash_fini(&h->by_nsid);
	nctl_route_scratch_fini(&h->scratch);
	free(h);
	return NULL;
}

void nctl_hub_freep(struct nctl_hub **h)
{
	*h = nctl_hub_free(*h);
}

int nctl_hub_join(struct nctl_hub *h, struct nctl_kernel *kernel, uint64_t cookie, nctl_nsid nsid,
	void *owner, struct nctl_session **ret)
{
	struct nctl_session *s = find_nsid(h, nsid);
	int r;

	if (!h->hears_all)
		return -EOPNOTSUPP;
	if (nsid < 0)
		return -EINVAL;
	if (find_cookie(h, cookie))
		return -EEXIST;
	if (s)
		nctl_hub_bury(h, s);
	r = nctl_session_new(h, kernel, cookie, nsid, owner, &s);
	if (r < 0)
		return r;
	nctl_sync_fence(s);
	*ret = s;
	return 0;
}

void nctl_hub_leave(struct nctl_hub *h, struct nctl_session *s)
{
	(void)h;
	nctl_session_free(s);
}

void nctl_hub_resync(struct nctl_hub *h, struct nctl_session *s)
{
	nctl_sync_again(s);
	nctl_sync_advance(h);
}

struct nctl_session *nctl_hub_home(const struct nctl_hub *h)
{
	return h->home;
}

struct nctl_session *nctl_hub_find(const struct nctl_hub *h, uint64_t cookie)
{
	return find_cookie(h, cookie);
}

struct nctl_session *nctl_hub_find_nsid(const struct nctl_hub *h, nctl_nsid nsid)
{
	return find_nsid(h, nsid);
}

int nctl_hub_get_fd(const struct nctl_hub *h)
{
	return nctl_pump_get_fd(h->pump);
}

/* What each turn ends with. */
static void end_turn(struct nctl_hub *h)
{
	nctl_turn_work(h);
	nctl_run_resume(h);
	nctl_run_verify(h);
}

int nctl_hub_dispatch_events(struct nctl_hub *h, size_t budget)
{
	int r;

	nctl_turn_begin(h);
	r = nctl_turn_read(h, budget);
	if (r >= 0)
		end_turn(h);
	return r;
}

/* The next result, or the rest of one. */
static struct nctl_result *next_result(struct nctl_hub *h)
{
	return h->chunk ? take_ptr(h->chunk) : nctl_requester_pop(h->requester);
}

/* True: r is done with. */
static bool handle(struct nctl_hub *h, struct nctl_result *r)
{
	switch (r->type) {
	case NCTL_RESULT_BATCH:
		nctl_run_batch_back(h, r->batch);
		nctl_run_advance(h);
		return true;
	case NCTL_RESULT_DUMP:
	case NCTL_RESULT_DUMP_END:
		return nctl_sync_result(h, r);
	}
	return true;
}

static void handle_results(struct nctl_hub *h, size_t budget)
{
	struct nctl_result *r;

	h->results_left = true;
	while (budget--) {
		r = next_result(h);
		if (!r) {
			h->results_left = false;
			return;
		}
		if (handle(h, r)) {
			nctl_result_free(r);
			h->chunk_at = NULL;
		} else {
			h->chunk = r;
		}
		if (nctl_turn_is_over(h))
			return;
	}
}

int nctl_hub_dispatch_results(struct nctl_hub *h, size_t budget)
{
	nctl_turn_begin(h);
	nctl_live_dispatch(h);
	nctl_genl_dispatch(h);
	handle_results(h, budget);
	nctl_turn_read(h, EVENTS_AFTER);
	end_turn(h);
	return nctl_turn_has_more(h) ? NCTL_PUMP_MORE : 0;
}

static nctl_time earlier(nctl_time a, nctl_time b)
{
	return nctl_time_cmp(a, b) < 0 ? a : b;
}

nctl_time nctl_hub_deadline(const struct nctl_hub *h)
{
	nctl_time at = nctl_turn_has_more(h) ? nctl_hub_now(h) : nctl_sync_deadline(h);

	if (h->run.plan && (h->run.verifying || h->run.waiting))
		at = earlier(at, h->run.deadline);
	return at;
}

void nctl_hub_tick(struct nctl_hub *h, nctl_time now)
{
	nctl_turn_begin(h);
	if (h->results_left)
		handle_results(h, 1);
	if (nctl_turn_has_more(h))
		nctl_turn_read(h, EVENTS_AFTER);
	nctl_sync_tick(h, now);
	nctl_run_tick(h, now);
	end_turn(h);
}

bool nctl_hub_is_busy(const struct nctl_hub *h)
{
	return h->run.in_flight;
}

bool nctl_hub_hears_all(const struct nctl_hub *h)
{
	return h->hears_all;
}

void nctl_hub_get_stats(const struct nctl_hub *h, struct nctl_hub_stats *ret)
{
	struct nctl_transport_queue q = {0};
	bool has_queue = nctl_pump_get_queue(h->pump, &q) >= 0;

	*ret = (struct nctl_hub_stats){
		.strangers = h->strangers,
		.ignored = h->ignored,
		.scoped = h->scoped,
		.sessions = h->n_sessions,
		.syncing = h->unsynced,
		.dumping = h->dumping,
		.waiting = h->n_waiting,
		.pump = *nctl_pump_get_stats(h->pump),
		.has_queue = has_queue,
		.drops = q.drops,
		.queued = q.bytes,
		.queue_max = q.max,
	};
	nctl_requester_get_stats(h->requester, &ret->requester);
}
