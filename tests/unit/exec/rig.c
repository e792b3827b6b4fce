/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the owner of a hub in tests: the loop, and plans.
 */
#include "rig.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "foreign.h"
#include "test.h"
#include "truth.h"
#include "world.h"

enum { PATIENCE_MS = 60 * 1000 };

void rig_init_over(struct rig *r, struct nctl_fake *fake)
{
	*r = (struct rig){.fake = fake, .wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
	assert_true(r->wake_fd >= 0);
	assert_int_equal(nctl_ledger_new(&r->ledger), 0);
	assert_int_equal(nctl_hub_new(nctl_fake_kernel(fake), &rig_ops, r, &r->hub), 0);
	r->session = nctl_hub_home(r->hub);
}

void rig_init(struct rig *r, uint64_t seed)
{
	struct nctl_fake *fake = nctl_fake_new(seed);

	assert_non_null(fake);
	assert_int_equal(rig_foreign_new(fake, 2, "eth0", "dummy", 0), 0);
	assert_int_equal(rig_foreign_new(fake, 3, "eth1", "dummy", 0), 0);
	rig_init_over(r, fake);
}

static void rig_forget(struct rig *r)
{
	r->plan = nctl_plan_free(r->plan);
	r->undone = nctl_plan_free(r->undone);
	r->want = nctl_want_free(r->want);
	r->snapshot = nctl_snapshot_free(r->snapshot);
}

void rig_close(struct rig *r)
{
	r->hub = nctl_hub_free(r->hub);
	r->session = NULL;
	rig_netns_free(r);
	r->n_ops = 0;
	rig_forget(r);
	if (r->wake_fd >= 0)
		close(r->wake_fd);
	r->wake_fd = -1;
}

void rig_fini(struct rig *r)
{
	rig_close(r);
	r->ledger = nctl_ledger_free(r->ledger);
	r->fake = nctl_fake_free(r->fake);
}

static int time_left(const struct rig *r, int timeout_ms)
{
	nctl_time at = nctl_hub_deadline(r->hub);
	int64_t ms;

	if (!nctl_time_cmp(at, NCTL_TIME_NEVER))
		return timeout_ms;
	ms = (nctl_time_diff_us(at, nctl_time_now()) + 999) / 1000;
	return ms < 0 ? 0 : ms < timeout_ms ? (int)ms : timeout_ms;
}

bool rig_turn(struct rig *r, int timeout_ms)
{
	struct pollfd p[] = {{.fd = r->wake_fd, .events = POLLIN},
		{.fd = r->ignore_events || nctl_hub_is_busy(r->hub) ? -1 : nctl_hub_get_fd(r->hub),
			.events = POLLIN}};
	nctl_time at = nctl_hub_deadline(r->hub), now;
	int n = poll(p, 2, r->n_ops ? 0 : time_left(r, timeout_ms));
	bool answered = rig_answer(r);
	eventfd_t v;

	now = nctl_time_now();
	if (nctl_time_cmp(at, now) <= 0)
		nctl_hub_tick(r->hub, now);
	else if (n <= 0)
		return answered;
	if (p[0].revents) {
		(void)eventfd_read(r->wake_fd, &v);
		while (nctl_hub_dispatch_results(r->hub, 4) == NCTL_PUMP_MORE)
			;
	}
	if (p[1].revents)
		assert_true(nctl_hub_dispatch_events(r->hub, 512) >= 0);
	return true;
}

void rig_until_synced(struct rig *r)
{
	nctl_time end = nctl_time_add_ms(nctl_time_now(), PATIENCE_MS);

	while (!nctl_session_is_synced(r->session)) {
		assert_true(nctl_time_cmp(nctl_time_now(), end) < 0);
		rig_turn(r, 100);
	}
}

void rig_until_done(struct rig *r)
{
	nctl_time end = nctl_time_add_ms(nctl_time_now(), PATIENCE_MS + 5000);

	while (nctl_hub_is_running(r->hub)) {
		assert_true(nctl_time_cmp(nctl_time_now(), end) < 0);
		rig_turn(r, 100);
	}
}

static bool is_syncing(const struct rig *r)
{
	struct nctl_hub_stats s;

	nctl_hub_get_stats(r->hub, &s);
	return s.syncing;
}

/* Whether events are waiting is known at once; results and dumps show in the sessions' states. */
void rig_settle(struct rig *r)
{
	nctl_time end = nctl_time_add_ms(nctl_time_now(), PATIENCE_MS);

	do {
		assert_true(nctl_time_cmp(nctl_time_now(), end) < 0);
		rig_turn(r, is_syncing(r) ? 100 : 0);
	} while (is_syncing(r) || rig_turn(r, 0));
}

static void on_done(struct nctl_plan *plan, const struct nctl_outcome *outcome, void *userdata)
{
	struct rig *r = userdata;

	assert_ptr_equal(plan, r->plan);
	assert_false(nctl_hub_is_running(r->hub));
	assert_int_equal(r->n_ops, 0);
	r->done++;
	r->outcome = *outcome;
}

static void follow(nctl_ifindex *next, const struct nctl_session *s)
{
	nctl_ifindex last = s ? nctl_mirror_link_last(nctl_session_mirror((struct nctl_session *)s)) : 0;

	if (last >= NCTL_IFINDEX_FIRST && last >= *next)
		*next = last + 1;
}

static struct nctl_plan_netns describe(struct rig *r, const char *name)
{
	struct nctl_plan_netns p = {.name = name, .nsid = NCTL_NSID_NONE};
	struct rig_netns *n = rig_netns(r, name);

	if (!n)
		return p;
	p.name = n->name;
	if (!n->session)
		return p;
	p.there = true;
	p.ours = n->ours;
	p.cookie = n->cookie;
	p.nsid = n->nsid;
	p.have = nctl_session_mirror(n->session);
	p.ledger = n->ledger;
	nctl_ledger_prune(n->ledger, p.have);
	return p;
}

/* What is set there, in the order of want; owned by the caller. */
static const char **sysctls(struct rig *r, const struct nctl_want_netns *want)
{
	const char **v = calloc(want->n_sysctls + 1, sizeof(char *));
	const struct rig_netns *n = rig_netns(r, want->name);

	assert_non_null(v);
	for (size_t i = 0; n && n->session && i < want->n_sysctls; i++)
		v[i] = rig_sysctl(n, want->sysctls[i].name);
	return v;
}

static void build(struct rig *r, const char *body)
{
	struct nctl_plan_options opts = {.allow_recreate = true};
	struct nctl_plan_netns *v;
	size_t n;

	rig_forget(r);
	r->want = world_parse(body);
	follow(&opts.next_ifindex, r->session);
	v = calloc(r->want->n_netns + r->n_netns, sizeof(*v));
	assert_non_null(v);
	nctl_ledger_prune(r->ledger, nctl_session_mirror(r->session));
	v[0] = (struct nctl_plan_netns){.want = r->want->netns[0],
		.there = true,
		.cookie = nctl_session_cookie(r->session),
		.nsid = NCTL_NSID_NONE,
		.have = nctl_session_mirror(r->session),
		.ledger = r->ledger};
	for (n = 1; n < r->want->n_netns; n++) {
		v[n] = describe(r, r->want->netns[n]->name);
		v[n].want = r->want->netns[n];
		v[n].sysctls = sysctls(r, r->want->netns[n]);
	}
	for (size_t i = 0; i < r->n_netns; i++) {
		const struct rig_netns *o = r->netns[i];

		follow(&opts.next_ifindex, o->session);
		if (!o->session || o->ended || nctl_want_netns_find(r->want, o->name))
			continue;
		if (o->ours || nctl_ledger_link_count(o->ledger))
			v[n++] = describe(r, o->name);
	}
	assert_int_equal(nctl_plan_build(r->want, v, n, &opts, &r->plan), 0);
	for (size_t i = 1; i < n; i++)
		free((void *)v[i].sysctls);
	free(v);
}

size_t rig_plan(struct rig *r, const char *body)
{
	build(r, body);
	return r->plan->n_ops;
}

void rig_start(struct rig *r, const char *body, bool keep_going)
{
	build(r, body);
	assert_false(r->plan->blocked);
	assert_int_equal(nctl_snapshot_take(r->plan, &r->snapshot), 0);
	r->done = 0;
	assert_int_equal(nctl_hub_run(r->hub, r->plan, keep_going, on_done, r), 0);
}

static void prune(struct rig *r)
{
	nctl_ledger_prune(r->ledger, nctl_session_mirror(r->session));
	for (size_t i = 0; i < r->n_netns; i++)
		if (r->netns[i]->session)
			nctl_ledger_prune(r->netns[i]->ledger, nctl_session_mirror(r->netns[i]->session));
}

void rig_apply(struct rig *r, const char *body, bool keep_going)
{
	rig_start(r, body, keep_going);
	rig_until_done(r);
	assert_int_equal(r->done, 1);
	for (size_t i = 0; i < r->plan->n_adopt_links; i++) {
		const struct nctl_adopt_link *a = &r->plan->adopt_links[i];
		struct nctl_ledger *l = rig_ledger(r, r->plan->netns[a->netns].cookie);

		assert_true(!l || nctl_ledger_link_add(l, &a->link) == 0);
	}
	for (size_t i = 0; i < r->plan->n_adopt_addrs; i++) {
		const struct nctl_adopt_addr *a = &r->plan->adopt_addrs[i];
		struct nctl_ledger *l = rig_ledger(r, r->plan->netns[a->netns].cookie);

		assert_true(!l || nctl_ledger_addr_add(l, &a->addr) == 0);
	}
	prune(r);
}

void rig_undo(struct rig *r)
{
	struct nctl_plan *undo, *first = r->plan;

	assert_int_equal(nctl_plan_undo(first, &undo), 0);
	r->plan = undo;
	r->done = 0;
	assert_int_equal(nctl_hub_run(r->hub, undo, true, on_done, r), 0);
	rig_until_done(r);
	assert_int_equal(r->done, 1);
	prune(r);
	r->undone = first; /* undo borrows from it */
}

/* What it takes to be where the snapshot was taken. */
static struct nctl_plan *plan_back(struct rig *r, bool all)
{
	const struct nctl_snapshot *s = r->snapshot;
	struct nctl_plan_netns *now = calloc(s->n_netns, sizeof(*now));
	struct nctl_plan *back;

	assert_non_null(now);
	now[0] = (struct nctl_plan_netns){.there = true,
		.cookie = nctl_session_cookie(r->session),
		.nsid = NCTL_NSID_NONE,
		.have = nctl_session_mirror(r->session),
		.ledger = r->ledger};
	for (size_t i = 1; i < s->n_netns; i++)
		now[i] = describe(r, s->netns[i].name);
	assert_int_equal(nctl_snapshot_restore(s, now, all, &back), 0);
	free(now);
	return back;
}

bool rig_restore(struct rig *r, bool all)
{
	bool was_all;

	for (int pass = 0; pass < 5; pass++, all = true) {
		struct nctl_plan *back = plan_back(r, all);

		was_all = all;
		r->undone = nctl_plan_free(r->undone);
		r->undone = r->plan;
		r->plan = back;
		if (!back->n_ops && was_all)
			return true;
		r->done = 0;
		assert_int_equal(nctl_hub_run(r->hub, back, true, on_done, r), 0);
		rig_until_done(r);
		assert_int_equal(r->done, 1);
		prune(r);
		rig_settle(r);
	}
	return false;
}

const struct nctl_mirror_link *rig_link(const struct rig *r, const char *name)
{
	return nctl_mirror_link_find(nctl_session_mirror(r->session), name);
}

void rig_check_mirror(struct rig *r)
{
	truth_check(r->fake, nctl_session_cookie(r->session), nctl_session_mirror(r->session), 0, "home");
	for (size_t i = 0; i < r->n_netns; i++) {
		const struct rig_netns *n = r->netns[i];

		if (n->session)
			truth_check(r->fake, n->cookie, nctl_session_mirror(n->session), 0, n->name);
	}
}

/* -- somebody else, at home -- */

int rig_foreign_new(
	struct nctl_fake *f, nctl_ifindex ifindex, const char *name, const char *kind, nctl_ifindex lower)
{
	return foreign_new(f, nctl_fake_home(f), ifindex, name, kind, lower);
}

int rig_foreign_del(struct nctl_fake *f, nctl_ifindex ifindex)
{
	return foreign_del(f, nctl_fake_home(f), ifindex);
}

int rig_foreign_up(struct nctl_fake *f, nctl_ifindex ifindex, bool up)
{
	return foreign_up(f, nctl_fake_home(f), ifindex, up);
}

int rig_foreign_mtu(struct nctl_fake *f, nctl_ifindex ifindex, nctl_mtu mtu)
{
	return foreign_mtu(f, nctl_fake_home(f), ifindex, mtu);
}

int rig_foreign_name(struct nctl_fake *f, nctl_ifindex ifindex, const char *name)
{
	return foreign_name(f, nctl_fake_home(f), ifindex, name);
}

int rig_foreign_addr(struct nctl_fake *f, nctl_ifindex ifindex, const char *prefix, bool add)
{
	return foreign_addr(f, nctl_fake_home(f), ifindex, prefix, add);
}
