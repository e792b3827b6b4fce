/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: the field-table engine, on the tables of all kinds and of links. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/strbuf.h"
#include "gen.h"
#include "obj/link.h"

static const struct nctl_field *field_of(const struct nctl_field_table *t, const char *key)
{
	int i = nctl_fields_find(t, key);

	assert_true(i >= 0);
	return &t->v[i];
}

/* What parsing text gives: its error text, or the value as text. */
static void expect(const struct nctl_field_table *t, const char *key, const char *text, const char *want)
{
	struct nctl_strbuf out = NCTL_STRBUF_INIT;
	const struct nctl_field *f = field_of(t, key);
	union {
		char bytes[4096];
		uint64_t align;
	} data = {0};

	if (nctl_field_parse(f, text, &data, &out) == 0)
		nctl_field_format_text(f, &data, &out);
	assert_string_equal(nctl_strbuf_str(&out), want);
	nctl_field_clear(f, &data);
	nctl_strbuf_fini(&out);
}

static void test_numbers(void **state)
{
	const struct nctl_field_table *link = &nctl_link_fields, *vlan = &nctl_kind_find("vlan")->data;

	(void)state;
	expect(link, "mtu", "1500", "1500");
	expect(link, "mtu", "4294967295", "4294967295");
	expect(link, "mtu", "4294967296", "must be between 0 and 4294967295, not 4294967296");
	expect(link, "mtu", "99999999999999999999999",
		"must be between 0 and 4294967295, not 99999999999999999999999");
	expect(link, "mtu", "0x10", "must be a whole number, not \"0x10\"");
	expect(link, "mtu", "-1", "must be a whole number, not \"-1\"");
	expect(link, "mtu", "", "must be a whole number, not \"\"");
	expect(vlan, "id", "0", "0");
	expect(vlan, "id", "010", "10");
	expect(vlan, "id", "4095", "must be between 0 and 4094, not 4095");
}

static void test_times(void **state)
{
	const struct nctl_field_table *bond = &nctl_kind_find("bond")->data;
	const struct nctl_field_table *bridge = &nctl_kind_find("bridge")->data;

	(void)state;
	expect(bond, "mii-monitor-interval", "100", "100");
	expect(bond, "mii-monitor-interval", "100ms", "100");
	expect(bond, "mii-monitor-interval", "2s", "2000");
	expect(bond, "mii-monitor-interval", "2m", "must be a time such as \"200ms\" or \"2s\", not \"2m\"");
	expect(bond, "learn-packet-interval", "3", "3");
	expect(bond, "learn-packet-interval", "3s", "3");
	expect(bond, "learn-packet-interval", "3500ms",
		"must be a multiple of 1000 milliseconds, not 3500ms");
	expect(bond, "learn-packet-interval", "0", "must be between 1 and 2147483647, not 0");
	expect(bridge, "ageing-time", "300", "300");
	expect(bridge, "ageing-time", "1510ms", "1510ms");
	expect(bridge, "ageing-time", "99999999999999999999s",
		"must be between 0 and 42949672950ms, not 99999999999999999999s");
	expect(bridge, "hello-time", "11", "must be between 1 and 10, not 11");
	expect(bridge, "hello-time", "5ms", "must be a multiple of 10 milliseconds, not 5ms");
}

static void test_words(void **state)
{
	const struct nctl_field_table *link = &nctl_link_fields, *bond = &nctl_kind_find("bond")->data;

	(void)state;
	expect(bond, "mode", "802.3ad", "802.3ad");
	expect(bond, "mode", "active-backp",
		"must be one of balance-rr, active-backup, balance-xor, broadcast, 802.3ad, balance-tlb, "
		"balance-alb, not \"active-backp\" (did you mean \"active-backup\"?)");
	expect(bond, "mode", "1",
		"must be one of balance-rr, active-backup, balance-xor, broadcast, 802.3ad, balance-tlb, "
		"balance-alb, not \"1\"");
	expect(bond, "all-members-active", "YES", "true");
	expect(bond, "all-members-active", "maybe", "must be true or false, not \"maybe\"");
	expect(link, "group", "default", "default");
	expect(link, "group", "17", "17");
	expect(link, "group", "defaut",
		"must be default or a number up to 2147483647, not \"defaut\" (did you mean "
	        "\"default\"?)");
	expect(link, "group", "2147483648", "must be between 0 and 2147483647, not 2147483648");
	expect(link, "ipv6-address-generation", "stable-privacy", "stable-privacy");
	expect(link, "ipv6-address-generation", "stable_secret", "stable-privacy");
}

static void test_addresses(void **state)
{
	const struct nctl_field_table *link = &nctl_link_fields, *bond = &nctl_kind_find("bond")->data;

	(void)state;
	expect(link, "macaddress", "02:00:00:00:00:0A", "02:00:00:00:00:0a");
	expect(link, "macaddress", "02:00:00:00:00", "must have 6 bytes, not 5");
	expect(link, "macaddress", "40626667100",
		"must be a MAC address such as 02:00:00:00:00:01, not \"40626667100\" (an unquoted MAC "
	        "address of "
		"digits is a number: quote it)");
	expect(bond, "arp-ip-targets", "10.0.0.1", "[10.0.0.1]");
	expect(bond, "arp-ip-targets", "[10.0.0.2, 10.0.0.1, 10.0.0.2]", "[10.0.0.2, 10.0.0.1]");
	expect(bond, "arp-ip-targets", "10.0.0.1/24",
		"must be an IP address without \"/\", not \"10.0.0.1/24\"");
}

static void test_texts(void **state)
{
	const struct nctl_field_table *link = &nctl_link_fields;
	char text[300];

	(void)state;
	expect(link, "alias", "to the north", "to the north");
	expect(link, "altnames", "[b, a, b]", "[a, b]");
	memset(text, 'x', sizeof(text));
	text[256] = '\0';
	expect(link, "alias", text, "must be at most 255 bytes long, not 256");
	text[128] = '\0';
	expect(link, "altnames", text, "must be at most 127 bytes long, not 128");
	expect(link, "altnames", "", "must not be empty");
}

static void test_list_full(void **state)
{
	const struct nctl_field *f = field_of(&nctl_kind_find("bond")->data, "arp-ip-targets");
	struct nctl_strbuf why = NCTL_STRBUF_INIT;
	struct nctl_link l = NCTL_LINK_INIT;
	char text[32];

	(void)state;
	assert_int_equal(nctl_link_set_kind(&l, nctl_kind_find("bond")), 0);
	for (int i = 0; i < NCTL_IP_LIST_MAX; i++) {
		snprintf(text, sizeof(text), "10.0.0.%d", i);
		assert_int_equal(nctl_field_parse(f, text, l.data, &why), 0);
	}
	assert_int_equal(nctl_field_parse(f, "10.0.1.0", l.data, &why), -E2BIG);
	assert_string_equal(nctl_strbuf_str(&why), "must have at most 16 addresses");
	nctl_strbuf_fini(&why);
	nctl_link_fini(&l);
}

/* print -> parse -> equal, for each field of t. */
static void round_trip(const struct nctl_field_table *t, size_t size, uint64_t *rng)
{
	void *a = calloc(1, size), *b = calloc(1, size);
	struct nctl_strbuf text = NCTL_STRBUF_INIT, why = NCTL_STRBUF_INIT;

	for (size_t i = 0; i < t->n; i++) {
		const struct nctl_field *f = &t->v[i];

		if (f->type == NCTL_FIELD_RAW || f->type == NCTL_FIELD_BYTES || f->type == NCTL_FIELD_LINK)
			continue;
		if (f->ops && f->ops->parse)
			continue; /* takes less than the type does */
		gen_field(f, a, rng);
		nctl_field_clear(f, b);
		nctl_strbuf_reset(&text);
		nctl_field_format_text(f, a, &text);
		if (nctl_field_parse(f, nctl_strbuf_str(&text), b, &why) != 0)
			fail_msg("%s: %s: %s", f->json, nctl_strbuf_str(&text), nctl_strbuf_str(&why));
		if (!nctl_field_equal(f, a, b))
			fail_msg("%s: %s reads as another value", f->json, nctl_strbuf_str(&text));
		nctl_field_clear(f, a);
		nctl_field_clear(f, b);
	}
	nctl_strbuf_fini(&text);
	nctl_strbuf_fini(&why);
	free(a);
	free(b);
}

static void test_round_trip(void **state)
{
	uint64_t rng = gen_seed();

	(void)state;
	for (int n = 0; n < 200; n++) {
		round_trip(&nctl_link_fields, sizeof(struct nctl_link), &rng);
		for (const struct nctl_kind *const *k = nctl_kinds; *k; k++) {
			round_trip(&(*k)->data, (*k)->data_size + 1, &rng);
			round_trip(&(*k)->port, (*k)->port_size + 1, &rng);
		}
	}
}

/* A field that differs shows as its own bit and as no other's that lies elsewhere; VOLATILE ones never. */
static void diff_each(const struct nctl_field_table *t, size_t size, uint64_t *rng)
{
	uint64_t all = t->n ? UINT64_MAX >> (64 - t->n) : 0;
	void *a = calloc(1, size), *b = calloc(1, size);

	assert_int_equal(nctl_fields_diff(t, a, all, b, all), 0);
	for (size_t i = 0; i < t->n; i++) {
		const struct nctl_field *f = &t->v[i];
		uint64_t bit = UINT64_C(1) << i, want = f->flags & NCTL_FIELD_VOLATILE ? 0 : bit, got;

		assert_int_equal(nctl_fields_diff(t, a, bit, b, 0), want);
		if (f->type == NCTL_FIELD_RAW)
			continue;
		gen_field(f, b, rng);
		got = nctl_fields_diff(t, a, all, b, all);
		if (!nctl_field_equal(f, a, b))
			assert_int_equal(got & bit, want);
		assert_int_equal(nctl_field_copy(f, a, b), 0);
		assert_int_equal(nctl_fields_diff(t, a, all, b, all), 0);
		nctl_field_clear(f, a);
		nctl_field_clear(f, b);
	}
	free(a);
	free(b);
}

static void test_diff(void **state)
{
	uint64_t rng = gen_seed();

	(void)state;
	for (int n = 0; n < 20; n++) {
		diff_each(&nctl_link_fields, sizeof(struct nctl_link), &rng);
		for (const struct nctl_kind *const *k = nctl_kinds; *k; k++) {
			diff_each(&(*k)->data, (*k)->data_size + 1, &rng);
			diff_each(&(*k)->port, (*k)->port_size + 1, &rng);
		}
	}
}

static void test_classes(void **state)
{
	const struct nctl_field_table *vlan = &nctl_kind_find("vlan")->data;
	uint64_t required = nctl_fields_with(vlan, NCTL_FIELD_REQUIRED);

	(void)state;
	assert_int_equal(required, UINT64_C(1) << nctl_fields_find(vlan, "id"));
	assert_int_equal(nctl_fields_class(vlan, required), NCTL_CHANGE_RECREATE);
	assert_int_equal(nctl_fields_class(vlan, 0), NCTL_CHANGE_LIVE);
	assert_int_equal(nctl_fields_class(&nctl_link_fields, NCTL_LINK_BIT(MTU)), NCTL_CHANGE_LIVE);
	assert_string_equal(nctl_change_class_name(NCTL_CHANGE_FLUSH), "flush");
	assert_int_equal(nctl_fields_find(vlan, "nonesuch"), -1);
	assert_null(nctl_kind_find("physical"));
	assert_string_equal(nctl_kind_by_section("ethernets")->name, "physical");
}

/* A table must say enough to print, parse and send each field. */
static void check_table(const struct nctl_kind *k, const struct nctl_field_table *t, size_t size)
{
	assert_true(t->n <= 64);
	for (size_t i = 0; i < t->n; i++) {
		const struct nctl_field *f = &t->v[i];

		/* What ticks and is not shown is taken note of, not kept. */
		assert_true(f->size > 0 || (f->flags & NCTL_FIELD_VOLATILE && f->ops && f->ops->decode && f->help));
		assert_true((size_t)f->offset + f->size <= size);
		assert_true(f->key || f->json || f->attr);
		if (f->key && !f->help)
			fail_msg("%s: %s has no help", k ? k->name : "link", f->key);
		if (f->type == NCTL_FIELD_ENUM || f->type == NCTL_FIELD_BITS)
			assert_non_null(f->names);
		if (f->key && !(f->flags & NCTL_FIELD_IPV6))
			assert_int_equal(nctl_fields_find(t, f->key), i);
	}
}

static void test_tables(void **state)
{
	(void)state;
	check_table(NULL, &nctl_link_fields, sizeof(struct nctl_link));
	for (const struct nctl_kind *const *k = nctl_kinds; *k; k++) {
		check_table(*k, &(*k)->data, (*k)->data_size);
		check_table(*k, &(*k)->port, (*k)->port_size);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_list_full),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_diff),
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
