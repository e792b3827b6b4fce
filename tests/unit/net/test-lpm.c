/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The prefix index against the model: by hand at the edges, at random in worlds that are dense, sparse and
 * deep; walks while it changes; its memory.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "lpm-model.h"
#include "random.h"
#include "test.h"

struct world {
	const char *name;
	uint8_t family;
	unsigned fixed;         /* leading bytes that are the same in all */
	unsigned values;        /* of the bytes behind them */
	unsigned len_min, spread; /* lengths */
	unsigned live;          /* about so many at a time */
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
		p.addr[i] = (uint8_t)(i < w->fixed ? 0x20 + i : random_below(r, w->values) * (256 / w->values));
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
		for (unsigned n = 0; n < 40000; n++) {
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests_name("prefix index", tests, NULL, NULL);
}
