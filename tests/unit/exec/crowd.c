/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the owner of a hub in tests of many namespaces. Whatever happens, it insists: "in step" is said of a
 * mirror that is the truth at this moment, and "gone" of a namespace that is.
 */
#include "crowd.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "test.h"
#include "truth.h"

enum { PATIENCE_MS = 30 * 1000 };

static void check(struct crowd *c, uint64_t cookie, struct nctl_session *s)
{
	char label[64];

	snprintf(label, sizeof(label), "settled, %llu as %d",
		(unsigned long long)(cookie - nctl_fake_home(c->fake)), (int)nctl_session_nsid(s));
	truth_check(c->fake, cookie, nctl_session_mirror(s), c->ignore, label);
}

/* The requester's thread may take a namespace down at any time, by closing its last transport: then the truth
 * is a new one, and there are events to be read. */
static void check_now(struct crowd *c, struct nctl_session *s)
{
	struct pollfd p = {.fd = nctl_hub_get_fd(c->hub), .events = POLLIN};
	struct nctl_mirror *truth = truth_new(c->fake, nctl_session_cookie(s));
	char label[64];

	snprintf(label, sizeof(label), "in step, %llu as %d",
		(unsigned long long)(nctl_session_cookie(s) - nctl_fake_home(c->fake)),
		(int)nctl_session_nsid(s));
	if (truth && poll(&p, 1, 0) == 0)
		truth_compare(truth, nctl_session_mirror(s), c->ignore, label);
	nctl_mirror_free(truth);
}

static void on_wake(void *userdata)
{
	struct crowd *c = userdata;

	(void)eventfd_write(c->wake_fd, 1);
}

static void on_synced(struct nctl_session *s, void *userdata)
{
	struct crowd_member *m = nctl_session_owner(s);
	struct crowd *c = userdata;

	if (m) {
		assert_ptr_equal(m->session, s);
		assert_int_equal(m->cookie, nctl_session_cookie(s));
		m->synced++;
	} else {
		assert_ptr_equal(s, nctl_hub_home(c->hub));
		c->home_synced++;
	}
	check_now(c, s);
}

static void on_gone(struct nctl_session *s, void *userdata)
{
	struct crowd_member *m = nctl_session_owner(s);
	struct crowd *c = userdata;

	assert_non_null(m);
	assert_ptr_equal(m->session, s);
	assert_false(m->gone);
	assert_false(nctl_fake_netns_is_alive(c->fake, m->cookie));
	m->session = NULL;
	m->gone = true;
}

static void on_stranger(nctl_nsid nsid, void *userdata)
{
	struct crowd *c = userdata;

	c->strangers++;
	c->stranger = nsid;
	if (c->on_stranger)
		c->on_stranger(c, nsid);
}

static const struct nctl_hub_ops ops = {
	.wake = on_wake, .synced = on_synced, .gone = on_gone, .stranger = on_stranger, .verify_ms = 50};

void crowd_open(struct crowd *c)
{
	assert_int_equal(nctl_hub_new(nctl_fake_kernel(c->fake), &ops, c, &c->hub), 0);
}

void crowd_init(struct crowd *c, uint64_t seed)
{
	*c = (struct crowd){.fake = nctl_fake_new(seed), .wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
	assert_non_null(c->fake);
	assert_true(c->wake_fd >= 0);
	c->stranger = NCTL_NSID_NONE;
	crowd_open(c);
}

void crowd_fini(struct crowd *c)
{
	c->hub = nctl_hub_free(c->hub);
	for (size_t i = 0; i < c->n_members; i++)
		free(c->members[i]);
	free(c->members);
	c->fake = nctl_fake_free(c->fake);
	close(c->wake_fd);
}

struct crowd_member *crowd_make(struct crowd *c, bool assign)
{
	struct crowd_member *m = calloc(1, sizeof(*m));

	c->members = realloc(c->members, (c->n_members + 1) * sizeof(*c->members));
	assert_non_null(m);
	assert_non_null(c->members);
	m->crowd = c;
	m->nsid = NCTL_NSID_NONE;
	assert_int_equal(nctl_fake_netns_new(c->fake, &m->cookie), 0);
	c->members[c->n_members++] = m;
	if (assign)
		crowd_assign(m);
	return m;
}

void crowd_assign(struct crowd_member *m)
{
	m->nsid = nctl_fake_netns_assign_nsid(m->crowd->fake, m->cookie);
	assert_true(m->nsid >= 0);
}

void crowd_join(struct crowd_member *m)
{
	struct nctl_kernel *k = nctl_fake_netns_kernel(m->crowd->fake, m->cookie);

	assert_non_null(k);
	assert_int_equal(nctl_hub_join(m->crowd->hub, k, m->cookie, m->nsid, m, &m->session), 0);
	m->joined = true;
	nctl_kernel_unref(k);
}

void crowd_drop(struct crowd_member *m)
{
	m->dropped = true;
	nctl_fake_netns_drop(m->crowd->fake, m->cookie);
}

void crowd_kill(struct crowd_member *m)
{
	crowd_drop(m);
	assert_true(nctl_fake_netns_wait(m->crowd->fake, m->cookie, PATIENCE_MS));
}

struct nctl_mirror *crowd_mirror(const struct crowd_member *m)
{
	return nctl_session_mirror(m->session);
}

bool crowd_has(const struct crowd_member *m, const char *name)
{
	return m->session && nctl_mirror_link_find(crowd_mirror(m), name);
}

static int time_left(const struct crowd *c, int timeout_ms)
{
	nctl_time at = nctl_hub_deadline(c->hub);
	int64_t ms;

	if (!nctl_time_cmp(at, NCTL_TIME_NEVER))
		return timeout_ms;
	ms = (nctl_time_diff_us(at, nctl_time_now()) + 999) / 1000;
	return ms < 0 ? 0 : ms < timeout_ms ? (int)ms : timeout_ms;
}

bool crowd_turn(struct crowd *c, int timeout_ms)
{
	struct pollfd p[] = {{.fd = c->wake_fd, .events = POLLIN},
		{.fd = c->ignore_events ? -1 : nctl_hub_get_fd(c->hub), .events = POLLIN}};
	int n = poll(p, 2, time_left(c, timeout_ms));
	nctl_time now = nctl_time_now();
	eventfd_t v;

	if (nctl_time_cmp(nctl_hub_deadline(c->hub), now) <= 0)
		nctl_hub_tick(c->hub, now);
	else if (n <= 0)
		return false;
	if (p[0].revents) {
		(void)eventfd_read(c->wake_fd, &v);
		while (nctl_hub_dispatch_results(c->hub, 4) == NCTL_PUMP_MORE)
			;
	}
	if (p[1].revents)
		assert_true(nctl_hub_dispatch_events(c->hub, 64) >= 0);
	return true;
}

static bool is_syncing(const struct crowd *c)
{
	struct nctl_hub_stats s;

	nctl_hub_get_stats(c->hub, &s);
	return s.syncing;
}

void crowd_settle(struct crowd *c)
{
	nctl_time end = nctl_time_add_ms(nctl_time_now(), PATIENCE_MS);

	do {
		assert_true(nctl_time_cmp(nctl_time_now(), end) < 0);
		crowd_turn(c, is_syncing(c) ? 100 : 0);
	} while (is_syncing(c) || crowd_turn(c, 0));
}

/* A transport of the requester is still open there, but has nothing to do. */
static void wait_for_leaving(const struct crowd *c)
{
	for (size_t i = 0; i < c->n_members; i++)
		if (c->members[i]->dropped)
			assert_true(nctl_fake_netns_wait(c->fake, c->members[i]->cookie, PATIENCE_MS));
}

void crowd_check(struct crowd *c)
{
	struct nctl_hub_stats stats;
	size_t n = 1;

	crowd_settle(c);
	wait_for_leaving(c);
	crowd_settle(c);
	check(c, nctl_fake_home(c->fake), nctl_hub_home(c->hub));
	for (size_t i = 0; i < c->n_members; i++) {
		struct crowd_member *m = c->members[i];
		bool alive = nctl_fake_netns_is_alive(c->fake, m->cookie);

		assert_true(alive || m->dropped);
		if (m->joined && alive != (m->session != NULL))
			fail_msg("%llu as %d is %s",
				(unsigned long long)(m->cookie - nctl_fake_home(c->fake)), m->nsid,
				alive ? "alive, and has no session" : "dead, and has a session");
		if (!m->session)
			continue;
		n++;
		assert_ptr_equal(nctl_hub_find(c->hub, m->cookie), m->session);
		assert_ptr_equal(nctl_hub_find_nsid(c->hub, m->nsid), m->session);
		check(c, m->cookie, m->session);
	}
	nctl_hub_get_stats(c->hub, &stats);
	assert_int_equal(stats.sessions, n);
}
