/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: never confused. Five hundred namespaces that all look the same: links and addresses come and go in any
 * of them, links move between them, they die and others get their nsids, joins come early or late, events are
 * lost, cut or left unread. Whenever a mirror is said to be in step, and whenever all is settled, it is the
 * truth.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crowd.h"
#include "foreign.h"
#include "random.h"
#include "test.h"

enum {
	ROUNDS = 4,
	NAMESPACES = 500,
	HOT = 20, /* of them, where most things happen */
	STEPS = 20 * 1000,
	CHECKS = 4,
	LOSSES = 5, /* a hub: each doubles the pause before the next dump */
	LINKS = 6,
};

struct play {
	struct crowd c;
	struct random rnd;
	struct crowd_member *live[NAMESPACES * 2];
	size_t n_live;
	struct crowd_member **joins; /* to be made, in the order of the nsids' assignment */
	size_t n_joins, next_join;
	unsigned losses;
	bool small; /* the event transport's buffer */
};

static unsigned below(struct play *p, unsigned n)
{
	return random_below(&p->rnd, n);
}

static size_t any(struct play *p)
{
	size_t n = p->n_live > HOT && below(p, 5) ? HOT : p->n_live;

	return below(p, (unsigned)n);
}

static void announce(struct play *p, struct crowd_member *m)
{
	crowd_assign(m);
	p->joins = realloc(p->joins, (p->n_joins + 1) * sizeof(struct crowd_member *));
	assert_non_null(p->joins);
	p->joins[p->n_joins++] = m;
}

static void join_next(struct play *p)
{
	if (p->next_join < p->n_joins)
		crowd_join(p->joins[p->next_join++]);
}

/* A few never get an nsid, or get it by chance, as the other end of something. */
static void birth(struct play *p)
{
	struct crowd_member *m;

	if (p->n_live == NAMESPACES)
		return;
	m = crowd_make(&p->c, false);
	p->live[p->n_live++] = m;
	if (below(p, 20))
		announce(p, m);
	if (below(p, 3))
		while (p->next_join < p->n_joins)
			join_next(p);
}

static void death(struct play *p)
{
	size_t i = any(p);
	struct crowd_member *m = p->live[i];

	p->live[i] = p->live[--p->n_live];
	crowd_drop(m);
}

/* The namespace of a step: home, too. */
static uint64_t place(struct play *p)
{
	return p->n_live && below(p, 20) ? p->live[any(p)]->cookie : nctl_fake_home(p->c.fake);
}

static void link_step(struct play *p)
{
	static const char *const addrs[] = {"192.0.2.1/24", "192.0.2.2/24", "2001:db8::1/64"};
	struct nctl_fake *f = p->c.fake;
	uint64_t where = place(p);
	nctl_ifindex i = 2 + below(p, LINKS);
	char name[16];

	snprintf(name, sizeof(name), "d%u", below(p, LINKS));
	switch (below(p, 7)) {
	case 0:
	case 1:
		foreign_new(f, where, i, name, "dummy", 0);
		break;
	case 2:
		foreign_del(f, where, i);
		break;
	case 3:
		foreign_up(f, where, i, below(p, 4));
		break;
	case 4:
		foreign_mtu(f, where, i, 1300 + below(p, 200));
		break;
	default:
		foreign_addr(f, where, i, addrs[below(p, 3)], below(p, 3));
		break;
	}
}

static void move_step(struct play *p)
{
	nctl_ifindex i = 2 + below(p, LINKS);
	struct nctl_fake *f = p->c.fake;
	uint64_t from = place(p), to = place(p);
	nctl_nsid id;
	char name[16];

	snprintf(name, sizeof(name), "d%u", below(p, LINKS));
	switch (below(p, 3)) {
	case 0:
		nctl_fake_netns_move(f, from, (int)i, to, below(p, 2) ? name : NULL);
		break;
	case 1:
		id = from == to ? NCTL_NSID_NONE
		                : nctl_fake_netns_nsid_in(f, from, to, from != nctl_fake_home(f));
		if (id >= 0)
			foreign_pair(f, from, i, name, id, 2 + below(p, LINKS), name);
		break;
	default:
		if (below(p, 4) == 0)
			nctl_fake_netns_add_card(f, from, (int)i, name);
		break;
	}
}

/* Of the losses a hub is spared more than a few; see LOSSES. */
static void trouble_step(struct play *p)
{
	struct nctl_fake *f = p->c.fake;

	switch (below(p, 5)) {
	case 0:
		if (p->losses++ < LOSSES)
			nctl_fake_overrun_events(f, below(p, 30));
		break;
	case 1:
		if (p->losses++ < LOSSES)
			nctl_fake_truncate(f, 1, 64);
		break;
	case 2:
		if (p->losses++ < LOSSES)
			nctl_fake_set_rcvbuf(f, NCTL_TRANSPORT_EVENTS_ALL, 24 * 1024);
		break;
	case 3:
		nctl_fake_interrupt_dumps(f, below(p, 3));
		break;
	default:
		p->c.ignore_events = !p->c.ignore_events;
		break;
	}
}

static void step(struct play *p)
{
	unsigned what = below(p, 100);

	if (what < 2)
		birth(p);
	else if (what < 4 && p->n_live > NAMESPACES / 2)
		death(p);
	else if (what < 9)
		join_next(p);
	else if (what < 60)
		link_step(p);
	else if (what < 75)
		move_step(p);
	else if (what < 76)
		trouble_step(p);
	else
		crowd_turn(&p->c, 0);
}

static void check(struct play *p)
{
	struct nctl_fake *f = p->c.fake;

	nctl_fake_truncate(f, 0, 0);
	nctl_fake_interrupt_dumps(f, 0);
	nctl_fake_set_rcvbuf(f, NCTL_TRANSPORT_EVENTS_ALL, 64 << 20);
	p->c.ignore_events = false;
	while (p->next_join < p->n_joins)
		join_next(p);
	crowd_check(&p->c);
}

static void one_round(struct random *rnd)
{
	struct play *p = calloc(1, sizeof(*p));
	size_t joined = 0;

	assert_non_null(p);
	p->rnd = (struct random){random_next(rnd)};
	crowd_init(&p->c, random_next(rnd) % 1000);
	/* A link is told nothing of what becomes of its other end, or of what it stands on. */
	p->c.ignore = NCTL_LINK_BIT(LOWER) | NCTL_LINK_BIT(LOWER_NSID);
	while (p->n_live < NAMESPACES)
		birth(p);
	for (unsigned i = 0; i < STEPS; i++) {
		step(p);
		if (i % (STEPS / CHECKS) == STEPS / CHECKS - 1)
			check(p);
	}
	for (size_t i = 0; i < p->c.n_members; i++)
		joined += p->c.members[i]->session != NULL;
	assert_true(joined > NAMESPACES / 4);
	crowd_fini(&p->c);
	free(p->joins);
	free(p);
}

static void test_crowd(void **state)
{
	struct random rnd = random_init("a crowd of namespaces");

	(void)state;
	for (int i = 0; i < ROUNDS; i++)
		one_round(&rnd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_crowd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
