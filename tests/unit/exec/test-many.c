/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: a hub with several namespaces, and the moments at which one could be taken for another: the same names
 * and indexes everywhere, an nsid that passes on, joins that come too early and too late.
 */
#include <errno.h>
#include <poll.h>
#include <linux/rtnetlink.h>

#include "crowd.h"
#include "foreign.h"
#include "test.h"

static struct crowd c;

static int setup(void **state)
{
	(void)state;
	crowd_init(&c, 1);
	crowd_settle(&c);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	crowd_fini(&c);
	return 0;
}

static struct crowd_member *make(void)
{
	struct crowd_member *m = crowd_make(&c, true);

	crowd_join(m);
	return m;
}

static uint64_t home(void)
{
	return nctl_fake_home(c.fake);
}

static int dummy(const struct crowd_member *m, nctl_ifindex ifindex, const char *name)
{
	return foreign_new(c.fake, m->cookie, ifindex, name, "dummy", 0);
}

static uint64_t losses(const struct nctl_session *s)
{
	struct nctl_session_stats st;

	nctl_session_get_stats(s, &st);
	return st.losses;
}

static void test_twins(void **state)
{
	struct crowd_member *a = make(), *b = make();

	(void)state;
	crowd_settle(&c);
	assert_int_equal(dummy(a, 7, "eth0"), 0);
	assert_int_equal(dummy(b, 7, "eth0"), 0);
	assert_int_equal(foreign_new(c.fake, home(), 7, "eth0", "dummy", 0), 0);
	assert_int_equal(foreign_addr(c.fake, b->cookie, 7, "192.0.2.1/24", true), 0);
	assert_int_equal(foreign_mtu(c.fake, a->cookie, 7, 1300), 0);
	crowd_check(&c);
	assert_int_equal(foreign_del(c.fake, a->cookie, 7), 0);
	crowd_check(&c);
	assert_false(crowd_has(a, "eth0"));
	assert_true(crowd_has(b, "eth0"));
	assert_int_equal(a->synced, 1);
	assert_int_equal(c.strangers, 0);
}

static void test_errors(void **state)
{
	struct crowd_member *a = make(), *b = crowd_make(&c, false);
	struct nctl_kernel *k = nctl_fake_netns_kernel(c.fake, a->cookie);
	struct nctl_session *s;

	(void)state;
	assert_int_equal(nctl_hub_join(c.hub, k, a->cookie, 77, NULL, &s), -EEXIST);
	assert_int_equal(nctl_hub_join(c.hub, k, b->cookie, NCTL_NSID_NONE, NULL, &s), -EINVAL);
	nctl_kernel_unref(k);
	crowd_check(&c);
}

/* The nsid passes on before anybody reads of it: what the first holder did is not for the second. */
static void test_early(void **state)
{
	struct crowd_member *a = make(), *b;

	(void)state;
	crowd_settle(&c);
	assert_int_equal(dummy(a, 7, "a0"), 0);
	assert_int_equal(foreign_addr(c.fake, a->cookie, 7, "192.0.2.1/24", true), 0);
	crowd_kill(a);
	b = make();
	assert_int_equal(b->nsid, 0);
	assert_true(a->gone);
	assert_int_equal(dummy(b, 7, "b0"), 0);
	crowd_check(&c);
	assert_true(crowd_has(b, "b0"));
	assert_int_equal(b->synced, 1);
}

/* A join that comes when its namespace is gone and the next one speaks under its nsid. */
static void test_late(void **state)
{
	struct crowd_member *a = crowd_make(&c, true), *b;

	(void)state;
	crowd_kill(a);
	b = crowd_make(&c, true);
	assert_int_equal(b->nsid, a->nsid);
	assert_int_equal(dummy(b, 7, "b0"), 0);
	crowd_settle(&c);
	crowd_join(a);
	assert_int_equal(dummy(b, 8, "b1"), 0);
	crowd_settle(&c);
	assert_true(a->gone);
	assert_int_equal(a->synced, 0);
	crowd_join(b);
	crowd_check(&c);
	assert_true(crowd_has(b, "b1"));
}

/* Taken down while it is being dumped: the transport of the dump is the last that holds it. */
static struct crowd_member *victim;

static void drop_on_dump(void *userdata, unsigned chunk)
{
	(void)userdata;
	(void)chunk;
	if (victim && !victim->dropped)
		crowd_drop(victim);
}

static void test_dies_in_dump(void **state)
{
	(void)state;
	victim = crowd_make(&c, true);
	assert_int_equal(dummy(victim, 7, "a0"), 0);
	nctl_fake_on_dump(c.fake, drop_on_dump, NULL);
	crowd_join(victim);
	crowd_check(&c);
	nctl_fake_on_dump(c.fake, NULL, NULL);
	assert_true(victim->gone);
}

/* Ids that namespaces have for each other are not home's. */
static void test_ids_elsewhere(void **state)
{
	struct crowd_member *a = make(), *b = make();
	nctl_nsid in_b;

	(void)state;
	crowd_settle(&c);
	in_b = nctl_fake_netns_nsid_in(c.fake, b->cookie, a->cookie, true);
	assert_int_equal(in_b, 0);
	assert_int_equal(a->nsid, 0);
	assert_int_equal(nctl_fake_netns_nsid_in(c.fake, a->cookie, b->cookie, true), 0);
	crowd_check(&c);
	/* b is told that its 0 is no more; home, that its 0 is not. */
	crowd_kill(a);
	crowd_check(&c);
	assert_true(a->gone);
	assert_false(b->gone);
	assert_int_equal(c.strangers, 0);
}

/* Strangers are told of once they have an nsid, however that was. */
static void test_strangers(void **state)
{
	struct crowd_member *a = make(), *b = crowd_make(&c, false);
	nctl_nsid id;

	(void)state;
	crowd_settle(&c);
	c.strangers = 0;
	assert_int_equal(dummy(b, 7, "b0"), 0);
	crowd_settle(&c);
	assert_int_equal(c.strangers, 0);
	/* A pair from a to home's stranger gives a an id for it, and home none. */
	id = nctl_fake_netns_nsid_in(c.fake, a->cookie, b->cookie, true);
	assert_int_equal(foreign_pair(c.fake, a->cookie, 9, "v0", id, 9, "v1"), 0);
	assert_int_equal(foreign_up(c.fake, a->cookie, 9, true), 0); /* only now told of its other end */
	crowd_settle(&c);
	assert_int_equal(c.strangers, 0);
	crowd_assign(b);
	crowd_settle(&c);
	assert_int_equal(c.strangers, 1);
	assert_int_equal(c.stranger, b->nsid);
	assert_int_equal(dummy(b, 8, "b1"), 0);
	crowd_settle(&c);
	assert_int_equal(c.strangers, 2);
	crowd_join(b);
	crowd_check(&c);
	assert_int_equal(c.strangers, 2);
}

static void join_stranger(struct crowd *crowd, nctl_nsid nsid)
{
	for (size_t i = 0; i < crowd->n_members; i++) {
		struct crowd_member *m = crowd->members[i];

		if (!m->joined && m->nsid == nsid && nctl_fake_netns_is_alive(crowd->fake, m->cookie))
			crowd_join(m);
	}
}

/* The owner knows of namespaces by what the hub tells alone, and joins from inside the call. */
static void test_told(void **state)
{
	struct crowd_member *a, *b, *d;

	(void)state;
	c.on_stranger = join_stranger;
	a = crowd_make(&c, true);
	assert_int_equal(dummy(a, 7, "a0"), 0);
	crowd_check(&c);
	assert_true(crowd_has(a, "a0"));
	crowd_kill(a);
	b = crowd_make(&c, true);
	assert_int_equal(dummy(b, 7, "b0"), 0);
	crowd_check(&c);
	assert_true(a->gone);
	assert_true(crowd_has(b, "b0"));
	/* Two holders in a row, before any of it is read. */
	crowd_kill(b);
	d = crowd_make(&c, true);
	crowd_kill(d);
	d = crowd_make(&c, true);
	assert_int_equal(dummy(d, 7, "d0"), 0);
	crowd_check(&c);
	assert_true(crowd_has(d, "d0"));
}

/* The first holder dies before its session has heard of anything, and the next one says nothing more: it is
 * told of all the same. */
static void test_told_of_the_next(void **state)
{
	struct crowd_member *a = crowd_make(&c, true), *b;

	(void)state;
	crowd_settle(&c);
	crowd_join(a);
	crowd_kill(a);
	b = crowd_make(&c, true);
	assert_int_equal(b->nsid, a->nsid);
	c.strangers = 0;
	crowd_settle(&c);
	assert_true(a->gone);
	assert_true(c.strangers >= 1);
	assert_int_equal(c.stranger, b->nsid);
}

static void test_move(void **state)
{
	struct crowd_member *a = make(), *b = make();

	(void)state;
	crowd_settle(&c);
	assert_int_equal(dummy(a, 7, "d0"), 0);
	assert_int_equal(dummy(b, 7, "e0"), 0);
	assert_int_equal(foreign_addr(c.fake, a->cookie, 7, "192.0.2.1/24", true), 0);
	assert_int_equal(nctl_fake_netns_move(c.fake, a->cookie, 7, b->cookie, NULL), 0);
	crowd_check(&c);
	assert_false(crowd_has(a, "d0"));
	assert_true(crowd_has(b, "d0"));
	assert_int_equal(nctl_mirror_addr_count(crowd_mirror(b)), 0);
	/* A card comes home when its namespace ends. */
	assert_int_equal(nctl_fake_netns_add_card(c.fake, home(), 3, "eth0"), 0);
	assert_int_equal(nctl_fake_netns_move(c.fake, home(), 3, b->cookie, "wan"), 0);
	crowd_check(&c);
	assert_true(crowd_has(b, "wan"));
	crowd_kill(b);
	crowd_check(&c);
	assert_non_null(nctl_mirror_link_find(nctl_session_mirror(nctl_hub_home(c.hub)), "wan"));
}

/* Both ends of pairs, and what becomes of the one whose other one's namespace ends. */
static void test_pairs(void **state)
{
	struct crowd_member *a = make(), *b = make();
	const struct nctl_mirror_link *l;
	nctl_nsid id;

	(void)state;
	id = nctl_fake_netns_nsid_in(c.fake, a->cookie, b->cookie, true);
	assert_int_equal(foreign_pair(c.fake, a->cookie, 9, "v0", id, 9, "v0"), 0);
	assert_int_equal(foreign_pair(c.fake, home(), 10, "v1", b->nsid, 11, "v1"), 0);
	/* The first word of the near end is said before it is tied to the far one. */
	assert_int_equal(foreign_up(c.fake, a->cookie, 9, true), 0);
	assert_int_equal(foreign_up(c.fake, home(), 10, true), 0);
	crowd_check(&c);
	l = nctl_mirror_link_find(crowd_mirror(a), "v0");
	assert_int_equal(l->v.lower, 9);
	assert_int_equal(l->v.lower_nsid, id);
	l = nctl_mirror_link_find(nctl_session_mirror(nctl_hub_home(c.hub)), "v1");
	assert_int_equal(l->v.lower, 11);
	assert_int_equal(l->v.lower_nsid, b->nsid);
	crowd_kill(b);
	crowd_check(&c);
	assert_false(crowd_has(a, "v0"));
	assert_null(nctl_mirror_link_find(nctl_session_mirror(nctl_hub_home(c.hub)), "v1"));
}

/* What was lost may have been anybody's; and the way a namespace ends. */
static void test_overrun(void **state)
{
	struct crowd_member *a = make(), *b = make(), *d;

	(void)state;
	crowd_settle(&c);
	nctl_fake_overrun_events(c.fake, 100);
	assert_int_equal(dummy(a, 7, "a0"), 0);
	crowd_kill(b);
	d = crowd_make(&c, true);
	assert_int_equal(d->nsid, b->nsid);
	assert_int_equal(dummy(d, 7, "d0"), 0);
	crowd_check(&c);
	assert_int_equal(losses(a->session), 1);
	assert_int_equal(losses(nctl_hub_home(c.hub)), 1);
	assert_true(b->gone);
	crowd_join(d);
	nctl_fake_overrun_events(c.fake, 0);
	crowd_check(&c);
	assert_true(crowd_has(d, "d0"));
}

/* The end of one is lost, and what is read next is the nsid given to another one. */
static void test_lost_end(void **state)
{
	struct crowd_member *a = make(), *b;

	(void)state;
	crowd_settle(&c);
	nctl_fake_overrun_events(c.fake, 1);
	crowd_kill(a);
	c.strangers = 0;
	b = crowd_make(&c, true);
	crowd_settle(&c);
	assert_true(a->gone);
	assert_true(c.strangers >= 1);
	assert_int_equal(c.stranger, b->nsid);
	crowd_join(b);
	crowd_check(&c);
}

/*
 * A full queue stays shut until it is empty again: what happens between the dump that repairs and that moment
 * is told to nobody.
 */
static void test_shut(void **state)
{
	struct crowd_member *a = make();
	struct pollfd p = {.fd = c.wake_fd, .events = POLLIN};

	(void)state;
	crowd_settle(&c);
	nctl_fake_set_rcvbuf(c.fake, NCTL_TRANSPORT_EVENTS_ALL, 16 * 1024);
	for (nctl_mtu mtu = 1300; mtu < 1320; mtu++)
		assert_int_equal(foreign_mtu(c.fake, home(), 1, mtu), 0);
	/* The loss is known, the queue is still full; dumps that are made now are too early. */
	assert_int_equal(nctl_hub_dispatch_events(c.hub, 1), NCTL_PUMP_MORE);
	assert_false(nctl_session_is_synced(a->session));
	nctl_hub_tick(c.hub, nctl_time_now());
	(void)poll(&p, 1, 100); /* no wait for anything: the chance to be wrong */
	assert_int_equal(dummy(a, 7, "a0"), 0);
	assert_int_equal(foreign_mtu(c.fake, home(), 1, 1400), 0);
	crowd_check(&c);
	nctl_fake_set_rcvbuf(c.fake, NCTL_TRANSPORT_EVENTS_ALL, 64 << 20);
}

static void test_leave(void **state)
{
	struct crowd_member *a = make(), *b = make();

	(void)state;
	crowd_settle(&c);
	nctl_hub_leave(c.hub, a->session);
	a->session = NULL;
	a->joined = false;
	assert_null(nctl_hub_find(c.hub, a->cookie));
	assert_null(nctl_hub_find_nsid(c.hub, a->nsid));
	c.strangers = 0;
	assert_int_equal(dummy(a, 7, "a0"), 0);
	crowd_check(&c);
	assert_int_equal(c.strangers, 1);
	assert_false(a->gone);
	assert_int_equal(b->synced, 1);
	/* And back; and away in the middle of a dump. */
	crowd_join(a);
	crowd_check(&c);
	assert_true(crowd_has(a, "a0"));
	nctl_fake_overrun_events(c.fake, 0);
	crowd_turn(&c, 1000);
	crowd_turn(&c, 1000);
	nctl_hub_leave(c.hub, a->session);
	a->session = NULL;
	a->joined = false;
	crowd_check(&c);
}

/* Without the right to hear all, home is mirrored as ever. */
static void test_home_only(void **state)
{
	struct crowd_member *m;
	struct nctl_kernel *k;
	struct nctl_session *s;

	(void)state;
	assert_true(nctl_hub_hears_all(c.hub));
	c.hub = nctl_hub_free(c.hub);
	nctl_fake_deny_all(c.fake, true);
	crowd_open(&c);
	assert_false(nctl_hub_hears_all(c.hub));
	m = crowd_make(&c, true);
	k = nctl_fake_netns_kernel(c.fake, m->cookie);
	assert_int_equal(nctl_hub_join(c.hub, k, m->cookie, m->nsid, NULL, &s), -EOPNOTSUPP);
	nctl_kernel_unref(k);
	assert_int_equal(foreign_new(c.fake, home(), 7, "h0", "dummy", 0), 0);
	assert_int_equal(dummy(m, 7, "a0"), 0);
	crowd_check(&c);
}

/* Freed while namespaces are dumped. */
static void test_free_early(void **state)
{
	(void)state;
	for (int i = 0; i < 50; i++)
		make();
	crowd_turn(&c, 0);
}

#define CASE(name_) cmocka_unit_test_setup_teardown(test_##name_, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(twins),
		CASE(errors),
		CASE(early),
		CASE(late),
		CASE(dies_in_dump),
		CASE(ids_elsewhere),
		CASE(strangers),
		CASE(told),
		CASE(told_of_the_next),
		CASE(move),
		CASE(pairs),
		CASE(overrun),
		CASE(lost_end),
		CASE(shut),
		CASE(leave),
		CASE(home_only),
		CASE(free_early),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
