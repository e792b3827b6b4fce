/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: full lists beside events: whatever came first, the event is right; sweeping; dumps that break off. The
 * property test plays a kernel whose state changes while it is being dumped, and whose events may be read
 * before or after the dump's entries.
 */
#include <string.h>

#include "model.h"
#include "random.h"
#include "test.h"

static const struct model_link plain = {.name = "name0", .mtu = 1500};

static struct model_link with_mtu(nctl_mtu mtu)
{
	struct model_link v = plain;

	v.mtu = mtu;
	return v;
}

static void begin(struct model *m)
{
	nctl_mirror_dump_begin(m->mirror, &(struct nctl_dump_scope){.type = NCTL_OBJECT_LINK});
}

static void end(struct model *m, bool complete)
{
	nctl_mirror_dump_end(m->mirror, complete);
}

static nctl_mtu mtu_of(const struct model *m, nctl_ifindex ifindex)
{
	const struct nctl_mirror_link *l = nctl_mirror_link_get(m->mirror, ifindex);

	return l ? l->v.mtu : 0;
}

static void feed(struct model *m, nctl_ifindex ifindex, nctl_mtu mtu, enum nctl_source src)
{
	struct model_link v = with_mtu(mtu);

	assert_int_equal(model_feed_link(m, ifindex, &v, src), 0);
}

static void test_event_wins(void **state)
{
	struct model m;

	(void)state;
	model_init(&m);
	feed(&m, 1, 1000, NCTL_SOURCE_EVENT);
	begin(&m);
	feed(&m, 1, 2000, NCTL_SOURCE_EVENT);
	feed(&m, 2, 2000, NCTL_SOURCE_EVENT);
	feed(&m, 1, 1000, NCTL_SOURCE_DUMP); /* read before the event, told after it */
	feed(&m, 2, 1000, NCTL_SOURCE_DUMP);
	assert_int_equal(mtu_of(&m, 1), 2000);
	assert_int_equal(mtu_of(&m, 2), 2000);
	assert_int_equal(nctl_mirror_get_stats(m.mirror)->dump_ignored, 2);
	end(&m, true);
	assert_int_equal(mtu_of(&m, 1), 2000);
	/* The next dump is younger than that event. */
	begin(&m);
	feed(&m, 1, 3000, NCTL_SOURCE_DUMP);
	end(&m, true);
	assert_int_equal(mtu_of(&m, 1), 3000);
	assert_int_equal(mtu_of(&m, 2), 0);
	assert_int_equal(nctl_mirror_get_stats(m.mirror)->swept, 1);
	model_fini(&m);
}

static void test_deleted_stays_deleted(void **state)
{
	struct model m;

	(void)state;
	model_init(&m);
	feed(&m, 1, 1000, NCTL_SOURCE_EVENT);
	begin(&m);
	nctl_mirror_link_drop(m.mirror, 1);
	nctl_mirror_link_drop(m.mirror, 2); /* never seen here */
	feed(&m, 1, 1000, NCTL_SOURCE_DUMP);
	feed(&m, 2, 1000, NCTL_SOURCE_DUMP);
	assert_int_equal(nctl_mirror_link_count(m.mirror), 0);
	/* Made again, as an event tells: it is there, whatever the dump says. */
	feed(&m, 1, 2000, NCTL_SOURCE_EVENT);
	feed(&m, 1, 1000, NCTL_SOURCE_DUMP);
	assert_int_equal(mtu_of(&m, 1), 2000);
	end(&m, true);
	assert_int_equal(mtu_of(&m, 1), 2000);
	/* Tombs end with their dump. */
	begin(&m);
	feed(&m, 2, 1000, NCTL_SOURCE_DUMP);
	end(&m, false);
	assert_int_equal(mtu_of(&m, 2), 1000);
	model_fini(&m);
}

static void test_broken_off(void **state)
{
	struct model m;

	(void)state;
	model_init(&m);
	feed(&m, 1, 1000, NCTL_SOURCE_EVENT);
	feed(&m, 2, 1000, NCTL_SOURCE_EVENT);
	begin(&m);
	feed(&m, 2, 1500, NCTL_SOURCE_DUMP);
	end(&m, false); /* nothing goes, what it said stays */
	assert_int_equal(mtu_of(&m, 1), 1000);
	assert_int_equal(mtu_of(&m, 2), 1500);
	/* A broken-off dump's touches do not count for the next one. */
	begin(&m);
	feed(&m, 1, 1000, NCTL_SOURCE_DUMP);
	end(&m, true);
	assert_int_equal(mtu_of(&m, 2), 0);
	/* Begun twice without an end. */
	begin(&m);
	feed(&m, 1, 1000, NCTL_SOURCE_DUMP);
	begin(&m);
	end(&m, true);
	assert_int_equal(nctl_mirror_link_count(m.mirror), 0);
	model_fini(&m);
}

/* The sweep of links takes addresses along, each with its record; a dump of addresses leaves links alone. */
static void test_sweep_records(void **state)
{
	struct nctl_addr a = model_addr(1, "192.0.2.1/24", NULL), b = model_addr(2, "2001:db8::1/64", NULL);
	struct model_link v = plain;
	struct model m;

	(void)state;
	model_init(&m);
	model_put_link(&m, 1, &v, NCTL_SOURCE_EVENT);
	model_put_link(&m, 2, &v, NCTL_SOURCE_EVENT);
	model_put_addr(&m, &a, NCTL_SOURCE_EVENT);
	model_put_addr(&m, &b, NCTL_SOURCE_EVENT);
	nctl_mirror_dump_begin(m.mirror, &(struct nctl_dump_scope){.type = NCTL_OBJECT_ADDR});
	nctl_mirror_addr_put(m.mirror, &b, NCTL_SOURCE_DUMP);
	m.records = 0;
	nctl_mirror_dump_end(m.mirror, true);
	assert_int_equal(m.records, 1);
	assert_int_equal(nctl_mirror_addr_count(m.mirror), 1);
	begin(&m);
	m.records = 0;
	end(&m, true);
	assert_int_equal(m.records, 3);
	assert_int_equal(nctl_mirror_link_count(m.mirror), 0);
	model_fini(&m);
}

static void test_addr_events_win(void **state)
{
	struct nctl_addr a = model_addr(1, "192.0.2.1/24", NULL),
			 p = model_addr(1, "192.0.2.1/24", "198.51.100.1/24");
	struct nctl_addr elsewhere = model_addr(9, "192.0.2.1/24", NULL), changed = a;
	struct model_link v = plain;
	struct model m;

	(void)state;
	model_init(&m);
	model_put_link(&m, 1, &v, NCTL_SOURCE_EVENT);
	model_put_addr(&m, &a, NCTL_SOURCE_EVENT);
	nctl_mirror_dump_begin(m.mirror, &(struct nctl_dump_scope){.type = NCTL_OBJECT_ADDR});
	changed.metric = 7;
	nctl_mirror_addr_put(m.mirror, &changed, NCTL_SOURCE_EVENT);
	nctl_mirror_addr_put(m.mirror, &a, NCTL_SOURCE_DUMP);
	assert_int_equal(nctl_mirror_addr_get(m.mirror, &a)->v.metric, 7);
	/* The tomb is for that very address, not for the one with a peer. */
	nctl_mirror_addr_drop(m.mirror, &a);
	nctl_mirror_addr_put(m.mirror, &a, NCTL_SOURCE_DUMP);
	assert_null(nctl_mirror_addr_get(m.mirror, &a));
	nctl_mirror_addr_put(m.mirror, &p, NCTL_SOURCE_DUMP);
	assert_non_null(nctl_mirror_addr_get(m.mirror, &p));
	/* An address on a link that is not here is left out. */
	assert_int_equal(nctl_mirror_addr_put(m.mirror, &elsewhere, NCTL_SOURCE_DUMP), 0);
	assert_int_equal(nctl_mirror_addr_count(m.mirror), 1);
	nctl_mirror_dump_end(m.mirror, true);
	assert_int_equal(nctl_mirror_addr_count(m.mirror), 1);
	model_fini(&m);
}

/* -- a kernel that changes while it is dumped -- */

enum { KERNEL_LINKS = 6, QUEUE = 4096 };

struct kernel {
	nctl_mtu links[KERNEL_LINKS + 1]; /* 0: not there */
	struct {
		nctl_ifindex ifindex;
		nctl_mtu mtu; /* 0: deleted */
	} events[QUEUE];
	size_t head, tail; /* of the socket's queue */
};

static void kernel_change(struct kernel *k, struct random *r)
{
	nctl_ifindex i = 1 + random_below(r, KERNEL_LINKS);

	k->links[i] = k->links[i] && random_below(r, 3) == 0 ? 0 : 1000 + random_below(r, 1000);
	assert_true(k->tail < QUEUE);
	k->events[k->tail].ifindex = i;
	k->events[k->tail++].mtu = k->links[i];
}

static void read_events(struct kernel *k, struct model *m, size_t n)
{
	for (; n && k->head < k->tail; n--, k->head++) {
		if (k->events[k->head].mtu)
			feed(m, k->events[k->head].ifindex, k->events[k->head].mtu, NCTL_SOURCE_EVENT);
		else
			nctl_mirror_link_drop(m->mirror, k->events[k->head].ifindex);
	}
}

/* One dump: the kernel's walk, then what it said, both with changes and events in between. */
static void one_dump(struct kernel *k, struct model *m, struct random *r, bool complete)
{
	nctl_mtu said[KERNEL_LINKS + 1] = {0};

	begin(m);
	for (nctl_ifindex i = 1; i <= KERNEL_LINKS; i++) {
		while (random_below(r, 2))
			kernel_change(k, r);
		said[i] = k->links[i];
	}
	for (nctl_ifindex i = 1; i <= KERNEL_LINKS; i++) {
		if (said[i])
			feed(m, i, said[i], NCTL_SOURCE_DUMP);
		while (random_below(r, 2))
			kernel_change(k, r);
		read_events(k, m, random_below(r, 4));
	}
	end(m, complete);
}

static void test_churn(void **state)
{
	struct random r = random_init("mirror churn");

	(void)state;
	for (unsigned round = 0; round < 300; round++) {
		static struct kernel k;
		struct model m;

		memset(&k, 0, sizeof(k));
		model_init(&m);
		for (int i = 0; i < 10; i++)
			kernel_change(&k, &r);
		k.head = k.tail; /* what was before we listened, or was lost */
		for (unsigned dump = random_below(&r, 3); dump; dump--)
			one_dump(&k, &m, &r, false);
		one_dump(&k, &m, &r, true);
		read_events(&k, &m, QUEUE);
		for (nctl_ifindex i = 1; i <= KERNEL_LINKS; i++)
			assert_int_equal(mtu_of(&m, i), k.links[i]);
		model_fini(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_event_wins),
		cmocka_unit_test(test_deleted_stays_deleted),
		cmocka_unit_test(test_broken_off),
		cmocka_unit_test(test_sweep_records),
		cmocka_unit_test(test_addr_events_win),
		cmocka_unit_test(test_churn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
