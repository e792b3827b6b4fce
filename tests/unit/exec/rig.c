/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the owner of a session in tests.
 */
#include "rig.h"

#include <net/if.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "codec/codec.h"
#include "test.h"
#include "world.h"

enum { PATIENCE_MS = 10 * 1000 };

static void on_wake(void *userdata)
{
	struct rig *r = userdata;

	(void)eventfd_write(r->wake_fd, 1);
}

static void on_synced(struct nctl_session *s, void *userdata)
{
	struct rig *r = userdata;

	(void)s;
	r->synced++;
}

static int on_intend(struct nctl_session *s, const struct nctl_ledger_link *links, size_t n, void *userdata)
{
	struct rig *r = userdata;

	(void)s;
	r->intends++;
	if (r->intend_error)
		return r->intend_error;
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(nctl_ledger_link_add(r->ledger, &links[i]), 0);
		r->intended++;
	}
	return 0;
}

static const struct nctl_session_ops ops = {
	.wake = on_wake, .synced = on_synced, .intend = on_intend, .verify_ms = 50};

void rig_init_over(struct rig *r, struct nctl_fake *fake)
{
	*r = (struct rig){.fake = fake, .wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
	assert_true(r->wake_fd >= 0);
	assert_int_equal(nctl_ledger_new(&r->ledger), 0);
	assert_int_equal(nctl_session_new(nctl_fake_kernel(fake), &ops, r, &r->session), 0);
}

void rig_init(struct rig *r, uint64_t seed)
{
	struct nctl_fake *fake = nctl_fake_new(seed);

	assert_non_null(fake);
	assert_int_equal(rig_foreign_new(fake, 2, "eth0", "dummy", 0), 0);
	assert_int_equal(rig_foreign_new(fake, 3, "eth1", "dummy", 0), 0);
	rig_init_over(r, fake);
}

void rig_close(struct rig *r)
{
	r->session = nctl_session_free(r->session);
	r->plan = nctl_plan_free(r->plan);
	r->undone = nctl_plan_free(r->undone);
	r->want = nctl_want_free(r->want);
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
	nctl_time at = nctl_session_deadline(r->session);
	int64_t ms;

	if (!nctl_time_cmp(at, NCTL_TIME_NEVER))
		return timeout_ms;
	ms = (nctl_time_diff_us(at, nctl_time_now()) + 999) / 1000;
	return ms < 0 ? 0 : ms < timeout_ms ? (int)ms : timeout_ms;
}

bool rig_turn(struct rig *r, int timeout_ms)
{
	struct pollfd p[] = {{.fd = r->wake_fd, .events = POLLIN},
		{.fd = r->ignore_events || nctl_session_is_busy(r->session) ? -1
	                                                                    : nctl_session_get_fd(r->session),
			.events = POLLIN}};
	nctl_time at = nctl_session_deadline(r->session), now;
	int n = poll(p, 2, time_left(r, timeout_ms));
	eventfd_t v;

	now = nctl_time_now();
	if (nctl_time_cmp(at, now) <= 0)
		nctl_session_tick(r->session, now);
	else if (n <= 0)
		return false;
	if (p[0].revents) {
		(void)eventfd_read(r->wake_fd, &v);
		while (nctl_session_dispatch_results(r->session, 4) == NCTL_PUMP_MORE)
			;
	}
	if (p[1].revents)
		assert_true(nctl_session_dispatch_events(r->session, 512) >= 0);
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

	while (nctl_session_is_running(r->session)) {
		assert_true(nctl_time_cmp(nctl_time_now(), end) < 0);
		rig_turn(r, 100);
	}
}

/* Whether events are waiting is known at once; results and dumps show in the session's state. */
void rig_settle(struct rig *r)
{
	do {
		rig_until_synced(r);
		while (rig_turn(r, 0))
			;
	} while (!nctl_session_is_synced(r->session));
}

static void on_done(
	struct nctl_session *s, struct nctl_plan *plan, const struct nctl_outcome *outcome, void *userdata)
{
	struct rig *r = userdata;

	assert_ptr_equal(s, r->session);
	assert_ptr_equal(plan, r->plan);
	assert_false(nctl_session_is_running(s));
	r->done++;
	r->outcome = *outcome;
}

static void build(struct rig *r, const char *body)
{
	const struct nctl_mirror *m = nctl_session_mirror(r->session);
	nctl_ifindex last = nctl_mirror_link_last(m);
	struct nctl_plan_options opts = {
		.allow_recreate = true, .next_ifindex = last >= NCTL_IFINDEX_FIRST ? last + 1 : 0};

	r->plan = nctl_plan_free(r->plan);
	r->undone = nctl_plan_free(r->undone);
	r->want = nctl_want_free(r->want);
	r->want = world_parse(body);
	nctl_ledger_prune(r->ledger, m);
	assert_int_equal(nctl_plan_build(r->want, m, r->ledger, &opts, &r->plan), 0);
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
	r->done = 0;
	assert_int_equal(nctl_session_run(r->session, r->plan, keep_going, on_done, r), 0);
}

void rig_apply(struct rig *r, const char *body, bool keep_going)
{
	rig_start(r, body, keep_going);
	rig_until_done(r);
	assert_int_equal(r->done, 1);
	for (size_t i = 0; i < r->plan->n_adopt_links; i++)
		assert_int_equal(nctl_ledger_link_add(r->ledger, &r->plan->adopt_links[i]), 0);
	for (size_t i = 0; i < r->plan->n_adopt_addrs; i++)
		assert_int_equal(nctl_ledger_addr_add(r->ledger, &r->plan->adopt_addrs[i]), 0);
	nctl_ledger_prune(r->ledger, nctl_session_mirror(r->session));
}

void rig_undo(struct rig *r)
{
	struct nctl_plan *undo, *first = r->plan;

	assert_int_equal(nctl_plan_undo(first, nctl_session_mirror(r->session), &undo), 0);
	r->plan = undo;
	r->done = 0;
	assert_int_equal(nctl_session_run(r->session, undo, true, on_done, r), 0);
	rig_until_done(r);
	assert_int_equal(r->done, 1);
	nctl_ledger_prune(r->ledger, nctl_session_mirror(r->session));
	r->undone = first; /* undo borrows from it */
}

const struct nctl_mirror_link *rig_link(const struct rig *r, const char *name)
{
	return nctl_mirror_link_find(nctl_session_mirror(r->session), name);
}

/* -- comparing -- */

static void check_addrs(const struct nctl_mirror_link *a, const struct nctl_mirror_link *b)
{
	const struct nctl_mirror_addr *x = nctl_mirror_addr_first(a), *y = nctl_mirror_addr_first(b);

	for (; x && y; x = nctl_mirror_addr_next(x), y = nctl_mirror_addr_next(y)) {
		assert_int_equal(nctl_addr_cmp(&x->v, &y->v), 0);
		assert_int_equal(nctl_addr_diff(&x->v, &y->v), 0);
	}
	assert_null(x);
	assert_null(y);
}

static void check_same(const struct nctl_mirror *m, const struct nctl_mirror *fresh)
{
	const struct nctl_mirror_link *a = nctl_mirror_link_from(m, 1), *b = nctl_mirror_link_from(fresh, 1);

	for (; a && b; a = nctl_mirror_link_next(a), b = nctl_mirror_link_next(b)) {
		struct nctl_link_diff d;

		assert_int_equal(a->v.ifindex, b->v.ifindex);
		if (nctl_link_compare(&a->v, &b->v, &d))
			fail_msg("%s differs in %llx %llx %llx %d %d (flags %x and %x, mtu %u and %u)",
				a->v.name, (unsigned long long)d.common, (unsigned long long)d.data,
				(unsigned long long)d.port, d.kind, d.port_kind, a->v.flags, b->v.flags,
				a->v.mtu, b->v.mtu);
		check_addrs(a, b);
	}
	assert_null(a);
	assert_null(b);
}

void rig_check_mirror(struct rig *r)
{
	struct rig fresh;

	rig_init_over(&fresh, r->fake);
	rig_until_synced(&fresh);
	check_same(nctl_session_mirror(r->session), nctl_session_mirror(fresh.session));
	rig_close(&fresh);
	nctl_ledger_free(fresh.ledger);
}

/* -- somebody else -- */

static int exec(struct nctl_fake *f, struct nctl_msgbuf *m)
{
	assert_int_equal(nctl_msg_commit(m, 1), 0);
	return nctl_fake_exec(f, m->buf, m->len);
}

int rig_foreign_new(
	struct nctl_fake *f, nctl_ifindex ifindex, const char *name, const char *kind, nctl_ifindex lower)
{
	_Alignas(8) uint8_t bytes[1024];
	struct nctl_link l = NCTL_LINK_INIT;
	struct nctl_msgbuf m;

	nctl_msgbuf_init(&m, bytes, sizeof(bytes));
	l.ifindex = ifindex;
	l.lower = lower;
	l.kind = nctl_kind_find(kind);
	strcpy(l.name, name);
	nctl_link_encode_new(&l, NULL, &m);
	return exec(f, &m);
}

int rig_foreign_del(struct nctl_fake *f, nctl_ifindex ifindex)
{
	_Alignas(8) uint8_t bytes[256];
	struct nctl_msgbuf m;

	nctl_msgbuf_init(&m, bytes, sizeof(bytes));
	nctl_link_encode_del(ifindex, &m);
	return exec(f, &m);
}

static int foreign_set(struct nctl_fake *f, nctl_ifindex ifindex, const struct nctl_link *l, uint64_t mask)
{
	struct nctl_link_diff d = {.common = mask};
	_Alignas(8) uint8_t bytes[256];
	struct nctl_msgbuf m;

	nctl_msgbuf_init(&m, bytes, sizeof(bytes));
	nctl_link_encode_set(ifindex, l, &d, &m);
	return exec(f, &m);
}

int rig_foreign_up(struct nctl_fake *f, nctl_ifindex ifindex, bool up)
{
	struct nctl_link l = NCTL_LINK_INIT;

	l.flags = up ? IFF_UP : 0;
	return foreign_set(f, ifindex, &l, NCTL_LINK_BIT(FLAGS));
}

int rig_foreign_mtu(struct nctl_fake *f, nctl_ifindex ifindex, nctl_mtu mtu)
{
	struct nctl_link l = NCTL_LINK_INIT;

	l.mtu = mtu;
	return foreign_set(f, ifindex, &l, NCTL_LINK_BIT(MTU));
}

int rig_foreign_addr(struct nctl_fake *f, nctl_ifindex ifindex, const char *prefix, bool add)
{
	struct nctl_addr a = NCTL_ADDR_INIT;
	_Alignas(8) uint8_t bytes[256];
	struct nctl_msgbuf m;

	a.ifindex = ifindex;
	assert_int_equal(nctl_prefix_parse(prefix, NCTL_PREFIX_NEED_LENGTH, &a.local), 0);
	nctl_msgbuf_init(&m, bytes, sizeof(bytes));
	if (add)
		nctl_addr_encode_new(&a, &m);
	else
		nctl_addr_encode_del(&a, &m);
	return exec(f, &m);
}
