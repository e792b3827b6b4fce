/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The prefix index against the model: by hand at the edges, at random in worlds that are dense, sparse
 * and deep; walks while it changes; its memory.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "lpm-model.h"
#include "memory.h"
#include "random.h"
#include "test.h"

struct world {
	const char *name;
	uint8_t family;
	unsigned fixed;           /* leading bytes that are the same in all */
	unsigned values;          /* of the bytes behind them */
	unsigned len_min, spread; /* lengths */
	unsigned live;            /* about so many at a time */
};

static const struct world worlds[] = {
	{"everything of 10 bits", AF_INET, 0, 4, 0, 11, 600},
	{"sparse", AF_INET, 0, 256, 8, 25, 2000},
	{"one node", AF_INET, 2, 256, 15, 10, 511},
	{"the last bytes", AF_INET, 3, 256, 22, 11, 700},
	{"any length", AF_INET6, 0, 256, 0, 129, 2000},
	{"few values", AF_INET6, 0, 2, 0, 129, 1000},
	{"deep", AF_INET6, 14, 16, 100, 29, 500},
	{"deepest", AF_INET6, 15, 256, 120, 9, 511},
};

static struct nctl_prefix random_prefix(struct random *r, const struct world *w)
{
	struct nctl_prefix p = {.family = w->family};

	p.len = (uint8_t)(w->len_min + random_below(r, w->spread));
	for (unsigned i = 0; i < nctl_prefix_bytes(w->family); i++)
		p.addr[i] =
			(uint8_t)(i < w->fixed ? 0x20 + i : random_below(r, w->values) * (256 / w->values));
	nctl_prefix_mask(&p);
	return p;
}

static struct nctl_lpm *table_new(struct model *m, uint8_t family)
{
	struct nctl_lpm *t;

	*m = (struct model){.family = family};
	assert_int_equal(nctl_lpm_new(family, model_key, m, &t), 0);
	return t;
}

static void same(const char *difference)
{
	if (difference)
		fail_msg("%s differs", difference);
}

static void insert(struct model *m, struct nctl_lpm *t, const struct nctl_prefix *p)
{
	uint32_t id = model_free_id(m);

	assert_int_equal(nctl_lpm_insert(t, p, id), 0);
	model_insert(m, p, id);
}

static void removed(struct model *m, struct nctl_lpm *t, const struct nctl_prefix *p)
{
	uint32_t id = nctl_lpm_remove(t, p);

	assert_int_equal(model_remove(m, p), id);
}

/* One change and some questions. */
static void step(struct random *r, const struct world *w, struct model *m, struct nctl_lpm *t)
{
	struct nctl_prefix p = random_prefix(r, w), q = random_prefix(r, w);
	bool grow = random_below(r, 2 * w->live) >= m->n;

	if (m->n && random_below(r, 2))
		p = m->keys[m->sorted[random_below(r, (unsigned)m->n)]];
	if (!model_get(m, &p)) {
		if (grow && m->n < MODEL_IDS)
			insert(m, t, &p);
		else
			removed(m, t, &p);
	} else if (random_below(r, 4) == 0 && m->n < MODEL_IDS) {
		uint32_t id = model_free_id(m);

		nctl_lpm_replace(t, &p, id);
		model_replace(m, &p, id);
	} else if (!grow || random_below(r, 2)) {
		removed(m, t, &p);
	}
	same(model_compare(m, t, &p));
	q.len = random_below(r, 2) ? (uint8_t)nctl_prefix_bits(w->family) : q.len;
	same(model_compare(m, t, &q));
}

static void test_random(void **state)
{
	struct random r = random_init("random");
	_cleanup_(nctl_freep) struct model *m = calloc(1, sizeof(*m));
	struct nctl_lpm *t;
	size_t empty;

	(void)state;
	assert_non_null(m);
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(worlds); i++) {
		t = table_new(m, worlds[i].family);
		empty = nctl_lpm_bytes(t);
		for (unsigned n = 0; n < 25000; n++) {
			step(&r, &worlds[i], m, t);
			if (n % 1000 == 0)
				same(model_compare_all(m, t));
		}
		same(model_compare_all(m, t));
		while (m->n) {
			struct nctl_prefix p = m->keys[m->sorted[random_below(&r, (unsigned)m->n)]];

			removed(m, t, &p);
			if (m->n % 64 == 0)
				same(model_compare_all(m, t));
		}
		assert_int_equal(nctl_lpm_bytes(t), empty);
		nctl_lpm_free(t);
	}
}

/* -- by hand -- */

static struct nctl_prefix parse(const char *text)
{
	struct nctl_prefix p = NCTL_PREFIX_NULL;

	assert_int_equal(nctl_prefix_parse(text, NCTL_PREFIX_ANY, &p), 0);
	return p;
}

static void match_is(const struct model *m, const struct nctl_lpm *t, const char *addr, const char *expected)
{
	struct nctl_prefix p = parse(addr);
	char buf[NCTL_PREFIX_STR];
	uint32_t id = nctl_lpm_match(t, &p);

	assert_string_equal(id ? nctl_prefix_format(&m->keys[id], buf) : "none", expected);
}

static void test_nothing(void **state)
{
	static struct model m;
	static const char *const texts[] = {"0.0.0.0/0", "10.0.0.0/8", "255.255.255.255/32"};
	struct nctl_lpm *t = table_new(&m, AF_INET);
	struct nctl_prefix p;

	(void)state;
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(texts); i++) {
		p = parse(texts[i]);
		same(model_compare(&m, t, &p));
		assert_int_equal(nctl_lpm_remove(t, &p), NCTL_LPM_NONE);
		nctl_lpm_replace(t, &p, 1);
		assert_int_equal(nctl_lpm_count(t), 0);
		insert(&m, t, &p);
		same(model_compare(&m, t, &p));
		assert_int_equal(nctl_lpm_insert(t, &p, 2), -EEXIST);
		removed(&m, t, &p);
	}
	same(model_compare_all(&m, t));
	assert_null(nctl_lpm_free(t));
	assert_null(nctl_lpm_free(NULL));
}

/* Prefixes that meet at the ends of bytes and addresses, in each order of three. */
static void test_edges(void **state)
{
	static struct model m;
	static const char *const v4[] = {"0.0.0.0/0", "0.0.0.0/1", "10.0.0.0/8", "10.0.0.0/7", "10.0.0.0/9",
		"10.1.0.0/16", "10.1.1.0/24", "10.1.1.0/31", "10.1.1.0/32", "10.1.1.1/32",
		"255.255.255.255/32"};
	static const char *const v6[] = {"::/0", "::/1", "::/128", "::1/128", "2001:db8::/32",
		"2001:db8::/127", "2001:db8::/128", "2001:db8::1/128", "2001:db8:0:1::/64", "2000::/3",
		"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/128"};
	enum { N = NCTL_ARRAY_SIZE(v4) };
	struct nctl_prefix p[N];

	(void)state;
	assert_int_equal(NCTL_ARRAY_SIZE(v6), N);
	for (unsigned n = 0; n < 2 * N * N * N; n++) {
		const unsigned order[] = {n % N, n / N % N, n / N / N % N};
		bool is_v6 = n >= N * N * N;
		struct nctl_lpm *t;

		if (order[0] == order[1] || order[1] == order[2] || order[0] == order[2])
			continue;
		for (unsigned i = 0; i < N; i++)
			p[i] = parse(is_v6 ? v6[i] : v4[i]);
		t = table_new(&m, is_v6 ? AF_INET6 : AF_INET);
		for (unsigned i = 0; i < 3; i++)
			insert(&m, t, &p[order[i]]);
		for (unsigned i = 0; i <= 3; i++) {
			for (unsigned j = 0; j < N; j++)
				same(model_compare(&m, t, &p[j]));
			same(model_compare_all(&m, t));
			if (i < 3)
				removed(&m, t, &p[order[i]]);
		}
		nctl_lpm_free(t);
	}
}

static void test_match(void **state)
{
	static struct model m;
	static const char *const texts[] = {
		"10.0.0.0/8", "10.1.0.0/16", "10.1.2.0/23", "10.1.2.128/25", "192.0.2.1/32"};
	struct nctl_lpm *t = table_new(&m, AF_INET);
	struct nctl_prefix p;

	(void)state;
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(texts); i++) {
		p = parse(texts[i]);
		insert(&m, t, &p);
	}
	match_is(&m, t, "10.1.2.129", "10.1.2.128/25");
	match_is(&m, t, "10.1.2.1", "10.1.2.0/23");
	match_is(&m, t, "10.1.3.255", "10.1.2.0/23");
	match_is(&m, t, "10.1.4.0", "10.1.0.0/16");
	match_is(&m, t, "10.2.0.0", "10.0.0.0/8");
	match_is(&m, t, "11.0.0.0", "none");
	match_is(&m, t, "192.0.2.1", "192.0.2.1/32");
	match_is(&m, t, "192.0.2.0", "none");
	match_is(&m, t, "10.1.2.0/23", "10.1.2.0/23");
	match_is(&m, t, "10.1.2.0/22", "10.1.0.0/16");
	match_is(&m, t, "10.0.0.0/7", "none");
	p = parse("0.0.0.0/0");
	insert(&m, t, &p);
	match_is(&m, t, "192.0.2.0", "0.0.0.0/0");
	nctl_lpm_free(t);
}

/* -- walks while it changes -- */

/*
 * A cursor meets in ascending order all that is there from the beginning to the end, whatever comes and goes
 * meanwhile: itself, too.
 */
static void test_walk_changing(void **state)
{
	struct random r = random_init("walk changing");
	static struct model m;
	static bool stays[MODEL_IDS + 1], met[MODEL_IDS + 1];

	(void)state;
	for (unsigned round = 0; round < 200; round++) {
		const struct world *w = &worlds[round % NCTL_ARRAY_SIZE(worlds)];
		struct nctl_lpm *t = table_new(&m, w->family);
		struct nctl_prefix at = NCTL_PREFIX_NULL, p;
		uint32_t id;

		memset(met, 0, sizeof(met));
		for (unsigned n = 0; n < 300; n++) {
			p = random_prefix(&r, w);
			if (!model_get(&m, &p))
				insert(&m, t, &p);
		}
		for (id = 1; id <= MODEL_IDS; id++)
			stays[id] = m.keys[id].family && random_below(&r, 2);
		while ((id = nctl_lpm_next(t, at.family ? &at : NULL))) {
			assert_true(!at.family || nctl_prefix_cmp(&at, &m.keys[id]) < 0);
			at = m.keys[id];
			met[id] = true;
			for (unsigned n = random_below(&r, 4); n; n--) {
				p = random_below(&r, 3) ? m.keys[m.sorted[random_below(&r, (unsigned)m.n)]]
				                        : random_prefix(&r, w);
				id = model_get(&m, &p);
				if (id && !stays[id])
					removed(&m, t, &p);
				else if (!id && m.n < 400)
					insert(&m, t, &p);
				if (!m.n)
					break;
			}
		}
		for (id = 1; id <= MODEL_IDS; id++)
			assert_true(!stays[id] || met[id]);
		nctl_lpm_free(t);
	}
}

/* -- memory -- */

/* Without memory an insertion changes nothing; a removal and a replacement need none. */
static void test_no_memory(void **state)
{
	struct random r = random_init("no memory");
	static struct model m;
	unsigned failed = 0;
	struct nctl_lpm *t;

	(void)state;
	countdown = 0;
	assert_int_equal(nctl_lpm_new(AF_INET, model_key, &m, &t), -ENOMEM);
	countdown = -1;
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(worlds); i++) {
		t = table_new(&m, worlds[i].family);
		for (unsigned n = 0; n < 4000; n++) {
			struct nctl_prefix p = random_prefix(&r, &worlds[i]);
			uint32_t id = model_free_id(&m);
			int result;

			if (model_get(&m, &p)) {
				countdown = 0;
				removed(&m, t, &p);
				countdown = -1;
				continue;
			}
			for (long at = 0;; at++) {
				size_t bytes = nctl_lpm_bytes(t);

				countdown = at;
				result = nctl_lpm_insert(t, &p, id);
				if (countdown >= 0)
					break;
				if (result == 0)
					break; /* it was a smaller block for another one that was not to be
					          had */
				assert_int_equal(result, -ENOMEM);
				failed++;
				/* What it got before may be kept for the next time, but not used. */
				assert_true(nctl_lpm_bytes(t) <= bytes + 4096);
				same(model_compare(&m, t, &p));
				if (n % 64 == 0)
					same(model_compare_all(&m, t));
			}
			countdown = -1;
			assert_int_equal(result, 0);
			model_insert(&m, &p, id);
			same(model_compare(&m, t, &p));
		}
		same(model_compare_all(&m, t));
		countdown = 0;
		while (m.n) {
			struct nctl_prefix p = m.keys[m.sorted[random_below(&r, (unsigned)m.n)]];

			removed(&m, t, &p);
			if (m.n % 64 == 0)
				same(model_compare_all(&m, t));
		}
		countdown = -1;
		nctl_lpm_free(t);
	}
	assert_true(failed > 1000);
}

/* A small table is small, and no churn makes one grow. */
static void test_memory(void **state)
{
	struct random r = random_init("memory");
	static struct model m;
	const struct world *w = &worlds[1];
	struct nctl_lpm *t = table_new(&m, AF_INET);
	size_t bytes = 0;

	(void)state;
	for (unsigned n = 0; n < 5; n++) {
		struct nctl_prefix p = parse("10.0.0.0/24");

		p.addr[1] = (uint8_t)n;
		insert(&m, t, &p);
	}
	assert_true(nctl_lpm_bytes(t) <= 320);
	for (unsigned n = 0; n < 100000; n++) {
		struct nctl_prefix p = random_prefix(&r, w);

		if (m.n < 2000) {
			if (!model_get(&m, &p))
				insert(&m, t, &p);
			continue;
		}
		if (!bytes)
			bytes = nctl_lpm_bytes(t);
		p = m.keys[m.sorted[random_below(&r, (unsigned)m.n)]];
		removed(&m, t, &p);
		assert_true(nctl_lpm_bytes(t) <= bytes * 5 / 4);
	}
	same(model_compare_all(&m, t));
	nctl_lpm_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_match),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_walk_changing),
		cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_memory),
	};

	return cmocka_run_group_tests_name("prefix index", tests, NULL, NULL);
}
