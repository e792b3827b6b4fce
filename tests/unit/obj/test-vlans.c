/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: sets of VLANs: each operation against the same one VLAN by VLAN, with random sets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <string.h>

#include "gen.h"
#include "obj/vlans.h"

enum { IDS = 4096, NONE = -1 };

/* Few enough VLANs that ranges meet. */
static struct nctl_vlans *random_set(uint64_t *rng, bool pvid)
{
	struct nctl_vlan_range v[12];
	struct nctl_vlans *ret;
	size_t n = gen_next(rng) % 12;

	for (size_t i = 0; i < n; i++) {
		v[i].first = (uint16_t)(1 + gen_next(rng) % 60);
		v[i].last = (uint16_t)(v[i].first + gen_next(rng) % 8);
		v[i].flags = gen_next(rng) % 2 ? NCTL_VLAN_UNTAGGED : 0;
	}
	if (n && pvid) {
		v[n - 1].last = v[n - 1].first;
		v[n - 1].flags |= NCTL_VLAN_PVID;
	}
	assert_int_equal(nctl_vlans_new(v, n, &ret), 0);
	return ret;
}

static int flags_of(const struct nctl_vlans *s, unsigned id)
{
	for (uint32_t i = 0; s && i < s->n; i++)
		if (s->v[i].first <= id && id <= s->v[i].last)
			return s->v[i].flags;
	return NONE;
}

static void check_pair(const struct nctl_vlans *a, const struct nctl_vlans *b)
{
	struct nctl_vlans *except, *differing, *common, *others;
	bool all = true, any = false;

	assert_int_equal(nctl_vlans_except(a, b, false, &except), 0);
	assert_int_equal(nctl_vlans_except(a, b, true, &differing), 0);
	assert_int_equal(nctl_vlans_common(a, b, &common), 0);
	assert_int_equal(nctl_vlans_others(a, &others), 0);
	for (unsigned id = 1; id < IDS - 1; id++) {
		int x = flags_of(a, id), y = flags_of(b, id);

		assert_int_equal(flags_of(except, id), y == NONE ? x : NONE);
		assert_int_equal(flags_of(differing, id), x != y ? x : NONE);
		assert_int_equal(flags_of(common, id), y != NONE ? x : NONE);
		assert_int_equal(flags_of(others, id), x == NONE ? 0 : NONE);
		all &= y == NONE || x == y;
		any |= x != NONE && y != NONE;
	}
	assert_int_equal(nctl_vlans_has_all(a, b), all);
	assert_int_equal(nctl_vlans_has_any(a, b), any);
	nctl_vlans_unref(except);
	nctl_vlans_unref(differing);
	nctl_vlans_unref(common);
	nctl_vlans_unref(others);
}

static void test_sets(void **state)
{
	uint64_t rng = gen_seed();

	(void)state;
	for (int n = 0; n < 300; n++) {
		struct nctl_vlans *a = random_set(&rng, n % 3 == 0), *b = random_set(&rng, n % 2 == 0);

		check_pair(a, b);
		check_pair(a, a);
		check_pair(a, NULL);
		check_pair(NULL, b);
		if (n % 3 == 0 && a)
			assert_non_null(nctl_vlans_pvid(a));
		else
			assert_null(nctl_vlans_pvid(a));
		nctl_vlans_unref(a);
		nctl_vlans_unref(b);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {cmocka_unit_test(test_sets)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
