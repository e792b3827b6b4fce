/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the mirror against its model, without dumps: every index and every change record after each of many
 * random operations, in any order of arrival, and with allocations that fail.
 */
#include <errno.h>
#include <string.h>

#include "model.h"
#include "random.h"
#include "test.h"

static struct model_link random_link(struct random *r)
{
	struct model_link v = {.mtu = 1500 + random_below(r, 2)};

	model_name(random_below(r, MODEL_NAMES), v.name);
	if (random_below(r, 3))
		v.master = random_below(r, MODEL_LINKS + 1);
	if (random_below(r, 3))
		v.lower = random_below(r, MODEL_LINKS + 1);
	v.lower_elsewhere = v.lower && random_below(r, 5) == 0;
	v.n_altnames = random_below(r, MODEL_ALTNAMES + 1);
	for (unsigned i = 0; i < v.n_altnames; i++)
		model_name(random_below(r, MODEL_NAMES), v.altnames[i]);
	/* Sorted, as the decoder leaves them. */
	for (unsigned i = 1; i < v.n_altnames; i++)
		for (unsigned k = i; k && strcmp(v.altnames[k - 1], v.altnames[k]) > 0; k--) {
			char tmp[IF_NAMESIZE];

			memcpy(tmp, v.altnames[k], IF_NAMESIZE);
			memcpy(v.altnames[k], v.altnames[k - 1], IF_NAMESIZE);
			memcpy(v.altnames[k - 1], tmp, IF_NAMESIZE);
		}
	return v;
}

static struct nctl_addr random_addr(struct random *r)
{
	static const char *const local[] = {"192.0.2.1/24", "192.0.2.1/25", "192.0.2.2/24", "2001:db8::1/64",
		"2001:db8::1/128", "2001:db8::2/64"};
	static const char *const peer[] = {NULL, "198.51.100.1/24", "198.51.100.2/24"};
	unsigned i = random_below(r, NCTL_ARRAY_SIZE(local));
	struct nctl_addr a = model_addr(1 + random_below(r, 4), local[i],
		i < 3 ? peer[random_below(r, NCTL_ARRAY_SIZE(peer))] : NULL);

	a.metric = random_below(r, 2);
	if (a.peer.family)
		a.peer.len = a.local.len;
	return a;
}

/* Half of the link's old value, so that updates of one thing alone are common. */
static struct model_link mutate(struct random *r, const struct model_link *old)
{
	struct model_link v = random_link(r), u = *old;

	switch (random_below(r, 6)) {
	case 0:
		return u;
	case 1:
		u.mtu = v.mtu;
		return u;
	case 2:
		memcpy(u.name, v.name, sizeof(u.name));
		return u;
	case 3:
		u.master = v.master;
		return u;
	case 4:
		u.lower = v.lower;
		u.lower_elsewhere = v.lower_elsewhere;
		return u;
	}
	u.n_altnames = v.n_altnames;
	memcpy(u.altnames, v.altnames, sizeof(u.altnames));
	return u;
}

static void step(struct model *m, struct random *r, bool failing)
{
	nctl_ifindex ifindex = 1 + random_below(r, MODEL_LINKS);
	const struct model_link *old = &m->want.links[ifindex];
	struct model_link v = old->here ? mutate(r, old) : random_link(r);
	struct nctl_addr a = random_addr(r);

	if (failing)
		model_fail_calloc((int)random_below(r, 4));
	switch (random_below(r, 10)) {
	case 0:
	case 1:
	case 2:
	case 3:
		model_put_link(m, ifindex, &v, NCTL_SOURCE_EVENT);
		break;
	case 4:
		model_fail_calloc(-1);
		model_drop_link(m, ifindex);
		break;
	case 5:
	case 6:
	case 7:
		model_put_addr(m, &a, NCTL_SOURCE_EVENT);
		break;
	default:
		model_drop_addr(m, &a);
	}
	model_fail_calloc(-1);
}

static void run_random(const char *name, unsigned rounds, bool failing)
{
	struct random r = random_init(name);

	for (unsigned round = 0; round < rounds; round++) {
		struct model m;

		model_init(&m);
		for (unsigned i = 0; i < 150; i++) {
			step(&m, &r, failing && random_below(&r, 2));
			model_check(&m);
		}
		model_fini(&m);
	}
}

static void test_random(void **state)
{
	(void)state;
	run_random("mirror random", 60, false);
}

static void test_random_no_memory(void **state)
{
	(void)state;
	run_random("mirror random without memory", 60, true);
}

static const struct model_link plain = {.name = "name0", .mtu = 1500};

static struct model_link named(const char *name, nctl_ifindex master, nctl_ifindex lower)
{
	struct model_link v = plain;

	strcpy(v.name, name);
	v.master = master;
	v.lower = lower;
	return v;
}

/* Ports and uppers come before what they name, and what they name goes before them, in either order. */
static void test_any_order(void **state)
{
	struct model_link bond = named("name1", 0, 0), port = named("name2", 1, 0),
			  vlan = named("name3", 0, 1);
	struct model m;

	(void)state;
	model_init(&m);
	for (int order = 0; order < 2; order++) {
		model_put_link(&m, 3, &vlan, NCTL_SOURCE_EVENT);
		model_put_link(&m, 2, &port, NCTL_SOURCE_EVENT);
		model_check(&m);
		model_put_link(&m, 1, &bond, NCTL_SOURCE_EVENT);
		model_check(&m);
		model_drop_link(&m, order ? 2 : 1);
		model_check(&m);
		model_drop_link(&m, order ? 1 : 2);
		model_check(&m);
		model_drop_link(&m, 3);
		model_check(&m);
	}
	model_fini(&m);
}

/* Two links swap their names: for a moment both have one. The mirror must not lose either. */
static void test_rename_swap(void **state)
{
	struct model_link a = named("name1", 0, 0), b = named("name2", 0, 0);
	struct model m;

	(void)state;
	model_init(&m);
	model_put_link(&m, 1, &a, NCTL_SOURCE_EVENT);
	model_put_link(&m, 2, &b, NCTL_SOURCE_EVENT);
	model_put_link(&m, 1, &b, NCTL_SOURCE_EVENT);
	model_check(&m);
	model_put_link(&m, 2, &a, NCTL_SOURCE_EVENT);
	model_check(&m);
	assert_int_equal(nctl_mirror_link_find(m.mirror, "name1")->v.ifindex, 2);
	assert_int_equal(nctl_mirror_link_find(m.mirror, "name2")->v.ifindex, 1);
	model_fini(&m);
}

/* A name goes before an altname, and the altname's holder is found when the name's is gone. */
static void test_name_before_altname(void **state)
{
	struct model_link a = named("name1", 0, 0), b = named("name2", 0, 0);
	struct model m;

	(void)state;
	a.n_altnames = 1;
	strcpy(a.altnames[0], "name2");
	model_init(&m);
	model_put_link(&m, 1, &a, NCTL_SOURCE_EVENT);
	assert_int_equal(nctl_mirror_link_find(m.mirror, "name2")->v.ifindex, 1);
	model_put_link(&m, 2, &b, NCTL_SOURCE_EVENT);
	assert_int_equal(nctl_mirror_link_find(m.mirror, "name2")->v.ifindex, 2);
	model_drop_link(&m, 2);
	assert_int_equal(nctl_mirror_link_find(m.mirror, "name2")->v.ifindex, 1);
	model_drop_link(&m, 1);
	assert_null(nctl_mirror_link_find(m.mirror, "name2"));
	model_fini(&m);
}

/* An IPv6 address that changes its length stays one object; IPv4 ones of two lengths are two. */
static void test_addr_length(void **state)
{
	struct nctl_addr a6 = model_addr(1, "2001:db8::1/64", NULL),
			 b6 = model_addr(1, "2001:db8::1/128", NULL);
	struct nctl_addr a4 = model_addr(1, "192.0.2.1/24", NULL), b4 = model_addr(1, "192.0.2.1/32", NULL);
	struct model m;

	(void)state;
	model_init(&m);
	model_put_link(&m, 1, &plain, NCTL_SOURCE_EVENT);
	model_put_addr(&m, &a6, NCTL_SOURCE_EVENT);
	model_put_addr(&m, &b6, NCTL_SOURCE_EVENT);
	assert_int_equal(nctl_mirror_addr_count(m.mirror), 1);
	model_put_addr(&m, &a4, NCTL_SOURCE_EVENT);
	model_put_addr(&m, &b4, NCTL_SOURCE_EVENT);
	assert_int_equal(nctl_mirror_addr_count(m.mirror), 3);
	assert_int_equal(nctl_mirror_addr_find(m.mirror, &b4.local)->v.local.len, 24);
	model_check(&m);
	model_fini(&m);
}

/* Seconds that tick down are told as a change of lifetimes, and of nothing else. */
static void test_lifetimes(void **state)
{
	struct nctl_addr a = model_addr(1, "2001:db8::1/64", NULL);
	struct model m;

	(void)state;
	model_init(&m);
	model_put_link(&m, 1, &plain, NCTL_SOURCE_EVENT);
	a.valid = a.preferred = 100;
	model_put_addr(&m, &a, NCTL_SOURCE_EVENT);
	a.valid = a.preferred = 90;
	model_put_addr(&m, &a, NCTL_SOURCE_EVENT);
	assert_int_equal(nctl_mirror_addr_get(m.mirror, &a)->v.valid, 90);
	model_check(&m);
	model_fini(&m);
}

/*
 * No memory for the one that others still name: they are in no list, but nothing dangles, and their next
 * message puts them back, though it says nothing new.
 */
static void test_leave_without_memory(void **state)
{
	struct model_link bond = named("name1", 0, 0), port = named("name2", 1, 0),
			  vlan = named("name3", 0, 1);
	struct model m;

	(void)state;
	model_init(&m);
	model_put_link(&m, 1, &bond, NCTL_SOURCE_EVENT);
	model_put_link(&m, 2, &port, NCTL_SOURCE_EVENT);
	model_put_link(&m, 3, &vlan, NCTL_SOURCE_EVENT);
	model_fail_calloc(0);
	model_drop_link(&m, 1);
	model_fail_calloc(-1);
	model_put_link(&m, 1, &bond, NCTL_SOURCE_EVENT);
	model_put_link(&m, 2, &port, NCTL_SOURCE_EVENT);
	model_put_link(&m, 3, &vlan, NCTL_SOURCE_EVENT);
	model_check(&m);
	model_fini(&m);
}

static void put_end(struct model *m, nctl_ifindex ifindex, const char *name, nctl_ifindex other)
{
	struct nctl_link l = NCTL_LINK_INIT;

	l.ifindex = ifindex;
	l.lower = other;
	l.has = NCTL_LINK_BIT(NAME) | NCTL_LINK_BIT(LOWER);
	strcpy(l.name, name);
	assert_int_equal(nctl_link_set_kind(&l, nctl_kind_find("veth")), 0);
	assert_int_equal(nctl_mirror_link_put(m->mirror, &l, NCTL_SOURCE_EVENT), 0);
}

/* The kernel tells of the first end of a pair before it has the other, and not again. */
static void test_pair(void **state)
{
	const struct nctl_mirror_link *a, *b;
	struct model m;

	(void)state;
	model_init(&m);
	put_end(&m, 1, "name1", 0);
	put_end(&m, 2, "name2", 1);
	a = nctl_mirror_link_get(m.mirror, 1);
	b = nctl_mirror_link_get(m.mirror, 2);
	assert_int_equal(a->v.lower, 2);
	assert_ptr_equal(nctl_list_entry(nctl_list_first(&b->uppers), struct nctl_mirror_link, in_lower), a);
	assert_int_equal(m.told.links[1].lower, 2);
	/* An end that has another one keeps it. */
	put_end(&m, 3, "name3", 1);
	assert_int_equal(a->v.lower, 2);
	model_fini(&m);
}

static void test_stats(void **state)
{
	const struct nctl_mirror_stats *s;
	struct model_link v = plain;
	struct model m;

	(void)state;
	model_init(&m);
	s = nctl_mirror_get_stats(m.mirror);
	model_put_link(&m, 1, &v, NCTL_SOURCE_EVENT);
	model_put_link(&m, 1, &v, NCTL_SOURCE_EVENT);
	v.mtu++;
	model_put_link(&m, 1, &v, NCTL_SOURCE_EVENT);
	model_drop_link(&m, 1);
	model_drop_link(&m, 1);
	assert_int_equal(s->added, 1);
	assert_int_equal(s->unchanged, 1);
	assert_int_equal(s->changed, 1);
	assert_int_equal(s->removed, 1);
	model_fini(&m);
}

/* A subscriber may look into the mirror: it is consistent when the record is told. */
static void look(void *userdata, const void *arg)
{
	const struct nctl_change *c = arg;
	struct model *m = userdata;
	const struct nctl_mirror_link *l = nctl_mirror_link_get(m->mirror, c->ifindex);

	if (c->type == NCTL_OBJECT_LINK)
		assert_int_equal(l != NULL, c->op != NCTL_REMOVED);
	if (c->type == NCTL_OBJECT_LINK && c->op == NCTL_CHANGED)
		assert_ptr_equal(nctl_mirror_link_find(m->mirror, c->new_link->name), l);
	if (c->type == NCTL_OBJECT_ADDR)
		assert_int_equal(
			nctl_mirror_addr_get(m->mirror, c->old_addr ? c->old_addr : c->new_addr) != NULL,
			c->op != NCTL_REMOVED);
}

static void test_subscriber_sees_truth(void **state)
{
	struct nctl_addr a = model_addr(1, "192.0.2.1/24", NULL);
	struct model_link v = plain;
	struct nctl_sub sub;
	struct model m;

	(void)state;
	model_init(&m);
	nctl_subs_add(nctl_mirror_subs(m.mirror), &sub, look, &m);
	model_put_link(&m, 1, &v, NCTL_SOURCE_EVENT);
	model_put_addr(&m, &a, NCTL_SOURCE_EVENT);
	strcpy(v.name, "name5");
	model_put_link(&m, 1, &v, NCTL_SOURCE_EVENT);
	model_drop_link(&m, 1);
	model_fini(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_random_no_memory),
		cmocka_unit_test(test_any_order),
		cmocka_unit_test(test_rename_swap),
		cmocka_unit_test(test_name_before_altname),
		cmocka_unit_test(test_addr_length),
		cmocka_unit_test(test_lifetimes),
		cmocka_unit_test(test_leave_without_memory),
		cmocka_unit_test(test_pair),
		cmocka_unit_test(test_stats),
		cmocka_unit_test(test_subscriber_sees_truth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
