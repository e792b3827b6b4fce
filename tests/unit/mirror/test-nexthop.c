/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: next-hop objects and rules beside plain arrays, with dumps, sweeps and memory that fails. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/fib_rules.h>

#include "mirror/route.h"
#include "random.h"
#include "test.h"

enum { OBJECTS = 40, RULES = 24 };

static int fail_in = -1;

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);

void *__wrap_calloc(size_t n, size_t size)
{
	if (fail_in >= 0 && fail_in-- == 0)
		return NULL;
	return __real_calloc(n, size);
}

struct object {
	bool here;
	nctl_ifindex oif;
	nctl_nhid members[2]; /* 0 none */
};

static struct object objects[OBJECTS + 1];
static long records;

static void on_change(void *userdata, const void *arg)
{
	const struct nctl_change *c = arg;

	(void)userdata;
	if (c->op == NCTL_CHANGED || c->type == NCTL_OBJECT_LINK)
		return;
	records += c->op == NCTL_ADDED ? 1 : -1;
}

static int put(struct nctl_mirror *m, nctl_nhid id, const struct object *o, enum nctl_source src)
{
	struct nctl_nexthop_member members[2] = {{o->members[0], 1}, {o->members[1], 1}};
	struct nctl_nexthop n = {.id = id, .family = AF_INET, .hop = {.oif = o->oif, .weight = 1}};
	int r = -ENOMEM;

	n.members = members;
	n.n_members = !!o->members[0] + !!o->members[1];
	n.group = n.n_members;
	for (int i = 0; r == -ENOMEM; i++) {
		fail_in = i;
		r = nctl_mirror_nexthop_put(m, &n, src);
		fail_in = -1;
	}
	return r;
}

static void check(const struct nctl_mirror *m)
{
	const struct nctl_nexthop *n = nctl_mirror_nexthop_from(m, 0);
	size_t count = 0;

	for (nctl_nhid id = 1; id <= OBJECTS; id++) {
		const struct object *o = &objects[id];

		assert_int_equal(o->here, nctl_mirror_nexthop_get(m, id) != NULL);
		if (!o->here)
			continue;
		count++;
		assert_non_null(n);
		assert_int_equal(n->id, id);
		assert_int_equal(n->hop.oif, o->oif);
		assert_int_equal(n->n_members, !!o->members[0] + !!o->members[1]);
		n = nctl_mirror_nexthop_from(m, id + 1);
	}
	assert_null(n);
	assert_int_equal(nctl_mirror_nexthop_count(m), count);
	assert_int_equal(records, count);
}

/* The kernel's: groups lose it, and go with the last one. */
static void model_drop(nctl_nhid id)
{
	objects[id].here = false;
	for (nctl_nhid g = 1; g <= OBJECTS; g++) {
		struct object *o = &objects[g];

		if (!o->here || !o->members[0])
			continue;
		if (o->members[1] == id)
			o->members[1] = 0;
		if (o->members[0] != id)
			continue;
		o->members[0] = o->members[1];
		o->members[1] = 0;
		if (!o->members[0])
			model_drop(g);
	}
}

static void model_link_gone(nctl_ifindex oif)
{
	for (nctl_nhid id = 1; id <= OBJECTS; id++)
		if (objects[id].here && objects[id].oif == oif)
			model_drop(id);
}

static void random_object(struct random *rng, struct nctl_mirror *m)
{
	nctl_nhid id = 1 + random_below(rng, OBJECTS), a = 1 + random_below(rng, OBJECTS / 2);
	struct object o = {.here = true};

	if (id <= OBJECTS / 2) {
		o.oif = 1 + random_below(rng, 4);
	} else {
		nctl_nhid b = 1 + random_below(rng, OBJECTS / 2);

		if (!objects[a].here)
			return;
		o.members[0] = a;
		o.members[1] = b != a && objects[b].here ? b : 0;
	}
	objects[id] = o;
	assert_int_equal(put(m, id, &o, NCTL_SOURCE_EVENT), 0);
}

static void step(struct random *rng, struct nctl_mirror *m)
{
	struct nctl_link l = NCTL_LINK_INIT;
	nctl_nhid id = 1 + random_below(rng, OBJECTS);
	nctl_ifindex oif = 1 + random_below(rng, 4);

	switch (random_below(rng, 8)) {
	case 0:
		model_drop(id);
		assert_int_equal(nctl_mirror_nexthop_drop(m, id), 0);
		break;
	case 1:
		l.ifindex = oif;
		snprintf(l.name, sizeof(l.name), "link%u", oif);
		assert_int_equal(nctl_mirror_link_put(m, &l, NCTL_SOURCE_EVENT), 0);
		if (random_below(rng, 4))
			break;
		model_link_gone(oif);
		assert_int_equal(nctl_mirror_link_drop(m, oif), 0);
		break;
	default:
		random_object(rng, m);
	}
}

/* The whole list, but for one that is gone without a word. */
static void dump(struct random *rng, struct nctl_mirror *m)
{
	nctl_nhid lost = 1 + random_below(rng, OBJECTS);

	nctl_mirror_dump_begin(m, &(struct nctl_dump_scope){.type = NCTL_OBJECT_NEXTHOP});
	for (nctl_nhid id = 1; id <= OBJECTS; id++) {
		if (objects[id].here && id != lost)
			assert_int_equal(put(m, id, &objects[id], NCTL_SOURCE_DUMP), 0);
		if (random_below(rng, 4) == 0)
			step(rng, m);
	}
	nctl_mirror_dump_end(m, false);
	check(m);
	nctl_mirror_dump_begin(m, &(struct nctl_dump_scope){.type = NCTL_OBJECT_NEXTHOP});
	for (nctl_nhid id = 1; id <= OBJECTS; id++)
		if (objects[id].here && id != lost)
			assert_int_equal(put(m, id, &objects[id], NCTL_SOURCE_DUMP), 0);
	if (lost && objects[lost].here)
		model_drop(lost);
	nctl_mirror_dump_end(m, true);
	check(m);
}

static void test_nexthops(void **state)
{
	struct random rng = random_init("mirror next hops");
	struct nctl_sub sub = NCTL_SUB_INIT;

	(void)state;
	for (unsigned run = 0; run < 100; run++) {
		struct nctl_mirror *m = NULL;

		memset(objects, 0, sizeof(objects));
		records = 0;
		assert_int_equal(nctl_mirror_new(&m), 0);
		sub = NCTL_SUB_INIT;
		nctl_subs_add(nctl_mirror_subs(m), &sub, on_change, NULL);
		for (unsigned i = 0; i < 200; i++) {
			step(&rng, m);
			check(m);
		}
		dump(&rng, m);
		nctl_mirror_free(m);
	}
}

/* -- rules -- */

static struct nctl_rule want[RULES];
static unsigned n_want;

static struct nctl_rule random_rule(struct random *rng)
{
	struct nctl_rule r = {.family = random_below(rng, 2) ? AF_INET : AF_INET6, .action = FR_ACT_TO_TBL};

	r.priority = random_below(rng, 4);
	r.table = 100 + random_below(rng, 6);
	return r;
}

static int put_rule(struct nctl_mirror *m, const struct nctl_rule *r, enum nctl_source src)
{
	int result = -ENOMEM;

	for (int i = 0; result == -ENOMEM; i++) {
		fail_in = i;
		result = nctl_mirror_rule_put(m, r, src);
		fail_in = -1;
	}
	return result;
}

static unsigned find_rule(const struct nctl_rule *r)
{
	unsigned i;

	for (i = 0; i < n_want; i++)
		if (nctl_rule_equal(&want[i], r, true))
			break;
	return i;
}

/* Behind those of its family and priority. */
static void want_rule(const struct nctl_rule *r)
{
	unsigned i;

	for (i = 0; i < n_want; i++) {
		bool later = want[i].family == r->family ? want[i].priority > r->priority
		                                         : want[i].family == AF_INET6;

		if (later)
			break;
	}
	memmove(&want[i + 1], &want[i], (n_want - i) * sizeof(*r));
	want[i] = *r;
	n_want++;
}

static void unwant_rule(unsigned i)
{
	n_want--;
	memmove(&want[i], &want[i + 1], (n_want - i) * sizeof(want[0]));
}

static void check_rules(const struct nctl_mirror *m)
{
	size_t v4 = 0;

	assert_int_equal(nctl_mirror_rule_count(m, AF_UNSPEC), n_want);
	assert_int_equal(records, n_want);
	for (unsigned i = 0; i < n_want; i++) {
		const struct nctl_rule *r = nctl_mirror_rule_at(m, AF_UNSPEC, i);

		v4 += want[i].family == AF_INET;
		assert_true(r && nctl_rule_equal(r, &want[i], true));
	}
	assert_int_equal(nctl_mirror_rule_count(m, AF_INET), v4);
	assert_int_equal(nctl_mirror_rule_count(m, AF_INET6), n_want - v4);
	assert_null(nctl_mirror_rule_at(m, AF_UNSPEC, n_want));
	if (v4 < n_want)
		assert_ptr_equal(nctl_mirror_rule_at(m, AF_INET6, 0), nctl_mirror_rule_at(m, AF_UNSPEC, v4));
}

static void step_rule(struct random *rng, struct nctl_mirror *m)
{
	struct nctl_rule r = random_rule(rng);
	unsigned i = find_rule(&r);

	if (i < n_want && random_below(rng, 2)) {
		unwant_rule(i);
		assert_int_equal(nctl_mirror_rule_drop(m, &r), 0);
	} else if (i == n_want && n_want < RULES) {
		want_rule(&r);
		assert_int_equal(put_rule(m, &r, NCTL_SOURCE_EVENT), 0);
	} else {
		assert_int_equal(nctl_mirror_rule_drop(m, &r), 0);
		if (i < n_want)
			unwant_rule(i);
	}
}

static void test_rules(void **state)
{
	struct random rng = random_init("mirror rules");
	struct nctl_sub sub = NCTL_SUB_INIT;
	struct nctl_mirror *m = NULL;

	(void)state;
	n_want = 0;
	records = 0;
	assert_int_equal(nctl_mirror_new(&m), 0);
	nctl_subs_add(nctl_mirror_subs(m), &sub, on_change, NULL);
	for (unsigned i = 0; i < 3000; i++) {
		step_rule(&rng, m);
		check_rules(m);
		if (i % 100)
			continue;
		nctl_mirror_dump_begin(m, &(struct nctl_dump_scope){.type = NCTL_OBJECT_RULE});
		if (n_want)
			unwant_rule(0); /* without a word */
		for (unsigned k = 0; k < n_want; k++)
			assert_int_equal(put_rule(m, &want[k], NCTL_SOURCE_DUMP), 0);
		nctl_mirror_dump_end(m, true);
		check_rules(m);
	}
	nctl_mirror_free(m);
}

/* A group outlives none of its members: one that names what has gone, or never came, is asked for once more.
 */
static void test_lost_member(void **state)
{
	const struct nctl_dump_scope all = {.type = NCTL_OBJECT_NEXTHOP};
	const struct object lone = {.oif = 7}, group = {.members = {2}};
	struct nctl_dump_scope scope;
	struct nctl_mirror *m;

	(void)state;
	assert_int_equal(nctl_mirror_new(&m), 0);
	assert_int_equal(put(m, 5, &group, NCTL_SOURCE_EVENT), 0);
	assert_true(nctl_mirror_next_suspect(m, &scope));
	assert_int_equal(scope.type, NCTL_OBJECT_NEXTHOP);
	nctl_mirror_dump_begin(m, &all);
	assert_int_equal(put(m, 1, &group, NCTL_SOURCE_DUMP), 0);
	assert_int_equal(put(m, 2, &lone, NCTL_SOURCE_DUMP), 0);
	assert_false(nctl_mirror_next_suspect(m, &scope)); /* behind its group, as numbers go */
	assert_int_equal(nctl_mirror_nexthop_drop(m, 2), 0);
	assert_int_equal(put(m, 3, &lone, NCTL_SOURCE_DUMP), 0);
	assert_int_equal(put(m, 6, &group, NCTL_SOURCE_DUMP), 0);
	assert_true(nctl_mirror_next_suspect(m, &scope));
	nctl_mirror_dump_end(m, true);
	nctl_mirror_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lost_member),
		cmocka_unit_test(test_nexthops),
		cmocka_unit_test(test_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
