/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: the lists of keys of drivers' settings say the same as the tables that read them. */
#include <string.h>

#include "config/grammar.h"
#include "obj/ethtool.h"
#include "test.h"

static const struct nd_grammar_key *list_of(const char *name)
{
	for (const struct nd_grammar_list *l = nd_grammar; l->name; l++)
		if (!strcmp(l->name, name))
			return l->keys;
	return NULL;
}

static const struct nd_grammar_key *find(const char *list, const char *key)
{
	const struct nd_grammar_key *k = list_of(list);

	while (k && k->key && strcmp(k->key, key))
		k++;
	return k && k->key ? k : NULL;
}

static void test_groups(void **state)
{
	(void)state;
	for (unsigned g = 0; g < NCTL_ETHTOOL_N_GROUPS; g++) {
		const struct nctl_ethtool_group_info *info = &nctl_ethtool_groups[g];
		const char *list = info->name ? info->name : "ethtool";
		const struct nd_grammar_key *k = list_of(list);
		size_t n = 0;

		if (info->name)
			assert_non_null(find("ethtool", info->name));
		for (size_t i = 0; i < info->n; i++) {
			const struct nctl_field *f = &nctl_ethtool_fields.v[info->first + i];
			const struct nd_grammar_key *said = find(list, f->key);

			assert_non_null(said);
			assert_string_equal(said->help, f->help);
		}
		for (; info->name && info->n && k[n].key; n++)
			;
		if (info->name)
			assert_int_equal(n, info->n);
	}
}

static void test_keys(void **state)
{
	(void)state;
	for (const struct nctl_ethtool_key *k = nctl_ethtool_keys; k->key; k++) {
		const struct nd_grammar_key *said = find("device", k->key);

		assert_non_null(said);
		assert_string_equal(said->help, k->help);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
