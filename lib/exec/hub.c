/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the hub: one event transport for all namespaces, whose messages go to the session that has their nsid,
 * and one requester, whose results go to dumps (sync.c) and to the run (run.c). Results are handled in the
 * order: note what came back, send what comes next (so that the requester works), then read the events of
 * what is done. All of it runs on the owner's thread.
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

#include "nl/attr.h"

enum {
	DRAIN_BUDGET = 4096,
	DRAIN_ROUNDS = 256, /* a drain ends even if events never do */
};

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
	nctl_time now = nctl_time_now();
	struct nctl_list *n;

	h->shut = true;
	nctl_list_for_each(n, &h->sessions)
		nctl_sync_lost(nctl_list_entry(n, struct nctl_session, link), now);
}

static const struct nctl_pump_ops pump_ops = {.message = on_message, .lost = on_lost};

/* Without the right to hear all, home alone is heard. */
static int open_events(struct nctl_hub *h, struct nctl_kernel *home)
{
	static const unsigned groups[] = {
		RTNLGRP_LINK, RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV6_IFADDR, RTNLGRP_NSID};
	_cleanup_(nctl_transport_freep) struct nctl_transport *t = NULL;
	int r = home->open(home, NCTL_TRANSPORT_EVENTS_ALL, &t);

	h->hears_all = r >= 0;
	if (r == -EOPNOTSUPP)
		r = home->open(home, NCTL_TRANSPORT_EVENTS, &t);
	for (size_t i = 0; r >= 0 && i < NCTL_ARRAY_SIZE(groups); i++)
		r = t->ops->join(t, groups[i]);
	return r < 0 ? r : nctl_pump_new(take_ptr(t), &pump_ops, h, &h->pump);
}

int nctl_hub_new(
	struct nctl_kernel *home, const struct nctl_hub_ops *ops, void *userdata, struct nctl_hub **ret)
{
	const struct nctl_requester_options opts = {.queue_max = NCTL_HUB_QUEUE};
	_cleanup_(nctl_hub_freep) struct nctl_hub *h = calloc(1, sizeof(*h));
	uint64_t cookie;
	int r;

	if (!h)
		return -ENOMEM;
	h->ops = ops;
	h->userdata = userdata;
	nctl_list_init(&h->sessions);
	nctl_list_init(&h->fenced);
	nctl_list_init(&h->due);
	nctl_list_init(&h->tickets);
	nctl_list_init(&h->lives);
	nctl_hash_init(&h->by_cookie);
	nctl_hash_init(&h->by_nsid);
	r = home->get_cookie(home, &cookie);
	if (r >= 0)
		r = open_events(h, home);
	if (r >= 0)
		r = nctl_requester_new(home, &opts, ops->wake, userdata, &h->requester);
	if (r >= 0)
		r = nctl_session_new(h, home, cookie, NCTL_NSID_NONE, NULL, &h->home);
	if (r < 0)
		return r;
	nctl_sync_start(h->home);
	nctl_sync_advance(h);
	*ret = take_ptr(h);
	return 0;
}

struct nctl_hub *nctl_hub_free(struct nctl_hub *h)
{
	struct nctl_list *n;

	if (!h)
		return NULL;
	nctl_run_abandon(h);
	nctl_live_end(h);
	while ((n = nctl_list_first(&h->sessions)))
		nctl_session_free(nctl_list_entry(n, struct nctl_session, link));
	nctl_requester_free(h->requester);
	while ((n = nctl_list_first(&h->tickets))) {
		nctl_list_del(n);
		free(nctl_list_entry(n, struct dump_ticket, link));
	}
	nctl_pump_free(h->pump);
	nctl_hash_fini(&h->by_cookie);
	nctl_hash_fini(&h->by_nsid);
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
	nctl_list_add_tail(&h->fenced, &s->sync.due);
	*ret = s;
	return 0;
}

void nctl_hub_leave(struct nctl_hub *h, struct nctl_session *s)
{
	(void)h;
	nctl_session_free(s);
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

/* A pump that says "drained" has emptied the queue. */
static void after_drain(struct nctl_hub *h)
{
	h->shut = false;
	nctl_sync_unfence(h);
	nctl_sync_advance(h);
}

int nctl_hub_dispatch_events(struct nctl_hub *h, size_t budget)
{
	int r = nctl_pump_dispatch(h->pump, budget);

	if (r == 0) {
		after_drain(h);
		nctl_run_verify(h);
	}
	return r;
}

void nctl_hub_drain(struct nctl_hub *h)
{
	int r = NCTL_PUMP_MORE;

	for (int i = 0; r == NCTL_PUMP_MORE && i < DRAIN_ROUNDS; i++)
		r = nctl_pump_dispatch(h->pump, DRAIN_BUDGET);
	if (r == 0)
		after_drain(h);
}

static void handle(struct nctl_hub *h, struct nctl_result *r)
{
	switch (r->type) {
	case NCTL_RESULT_BATCH:
		nctl_run_batch_back(h, r->batch);
		nctl_run_advance(h);
		break;
	case NCTL_RESULT_DUMP:
	case NCTL_RESULT_DUMP_END:
		nctl_sync_result(r);
		nctl_sync_advance(h);
		break;
	}
}

int nctl_hub_dispatch_results(struct nctl_hub *h, size_t budget)
{
	struct nctl_result *r;

	nctl_live_dispatch(h);
	while (budget-- && (r = nctl_requester_pop(h->requester))) {
		handle(h, r);
		nctl_result_free(r);
	}
	nctl_hub_drain(h);
	nctl_run_verify(h);
	return budget == SIZE_MAX ? NCTL_PUMP_MORE : 0;
}

static nctl_time earlier(nctl_time a, nctl_time b)
{
	return nctl_time_cmp(a, b) < 0 ? a : b;
}

nctl_time nctl_hub_deadline(const struct nctl_hub *h)
{
	nctl_time at = nctl_sync_deadline(h);

	if (h->run.plan && h->run.verifying)
		at = earlier(at, h->run.deadline);
	return at;
}

void nctl_hub_tick(struct nctl_hub *h, nctl_time now)
{
	if (!nctl_list_empty(&h->fenced))
		nctl_hub_drain(h);
	nctl_sync_tick(h, now);
	nctl_run_tick(h, now);
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
	*ret = (struct nctl_hub_stats){
		.strangers = h->strangers,
		.sessions = h->n_sessions,
		.syncing = h->unsynced,
		.pump = *nctl_pump_get_stats(h->pump),
	};
	nctl_requester_get_stats(h->requester, &ret->requester);
}
