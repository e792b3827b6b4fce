/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: links and addresses as values, their JSON, and what the kinds say about changes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <linux/if_addr.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/strbuf.h"
#include "gen.h"
#include "obj/addr.h"
#include "obj/link.h"

static void set(struct nctl_link *l, const char *key, const char *text)
{
	struct nctl_strbuf why = NCTL_STRBUF_INIT;
	int i = nctl_fields_find(&nctl_link_fields, key);

	if (i >= 0) {
		assert_int_equal(nctl_field_parse(&nctl_link_fields.v[i], text, l, &why), 0);
		l->has |= UINT64_C(1) << i;
	} else {
		i = nctl_fields_find(&l->kind->data, key);
		assert_true(i >= 0);
		assert_int_equal(nctl_field_parse(&l->kind->data.v[i], text, l->data, &why), 0);
		l->data_has |= UINT64_C(1) << i;
	}
	nctl_strbuf_fini(&why);
}

static void test_copy(void **state)
{
	uint64_t rng = gen_seed();
	struct nctl_link_diff d;

	(void)state;
	for (const struct nctl_kind *const *k = nctl_kinds; *k; k++) {
		struct nctl_link a, b = NCTL_LINK_INIT, c = NCTL_LINK_INIT;

		gen_link(&a, *k, nctl_kind_find("bond"), &rng);
		assert_int_equal(nctl_link_copy(&b, &a), 0);
		assert_false(nctl_link_compare(&a, &b, &d));
		nctl_link_move(&c, &b);
		assert_false(nctl_link_compare(&a, &c, NULL));
		assert_null(b.data);
		c.mtu++;
		assert_true(nctl_link_compare(&a, &c, &d));
		assert_int_equal(d.common, NCTL_LINK_BIT(MTU));
		nctl_link_fini(&a);
		nctl_link_fini(&b);
		nctl_link_fini(&c);
	}
}

static void test_kinds_differ(void **state)
{
	struct nctl_link a = NCTL_LINK_INIT, b = NCTL_LINK_INIT;
	struct nctl_link_diff d;

	(void)state;
	assert_int_equal(nctl_link_set_kind(&a, nctl_kind_by_section("ethernets")), 0);
	assert_false(nctl_link_compare(&a, &b, &d));
	assert_null(nctl_link_kind_name(&a));
	b.kind_name = strdup("geneve");
	assert_true(nctl_link_compare(&a, &b, &d));
	assert_true(d.kind);
	assert_int_equal(nctl_link_change_class(&a, &b, &d), NCTL_CHANGE_RECREATE);
	nctl_link_fini(&a);
	nctl_link_fini(&b);
}

static void test_change_class(void **state)
{
	struct nctl_link a = NCTL_LINK_INIT, b = NCTL_LINK_INIT;
	struct nctl_link_diff d;

	(void)state;
	nctl_link_set_kind(&a, nctl_kind_find("macvlan"));
	nctl_link_set_kind(&b, nctl_kind_find("macvlan"));
	set(&a, "mode", "bridge");
	set(&b, "mode", "private");
	assert_true(nctl_link_compare(&a, &b, &d));
	assert_int_equal(nctl_link_change_class(&a, &b, &d), NCTL_CHANGE_LIVE);
	set(&b, "mode", "passthru");
	assert_true(nctl_link_compare(&a, &b, &d));
	assert_int_equal(nctl_link_change_class(&a, &b, &d), NCTL_CHANGE_RECREATE);
	nctl_link_fini(&a);
	nctl_link_fini(&b);
}

static void check_says(const char *kind, const char *const *words, const char *key, const char *want)
{
	struct nctl_strbuf why = NCTL_STRBUF_INIT;
	struct nctl_link l = NCTL_LINK_INIT;
	int i;

	nctl_link_set_kind(&l, nctl_kind_find(kind));
	for (; *words; words += 2)
		set(&l, words[0], words[1]);
	i = l.kind->check(l.data, l.data_has, &why);
	assert_int_equal(i, key ? nctl_fields_find(&l.kind->data, key) : -1);
	assert_string_equal(nctl_strbuf_str(&why), want);
	nctl_strbuf_fini(&why);
	nctl_link_fini(&l);
}
#define WORDS(...)                                                                                           \
	(const char *const[])                                                                                \
	{                                                                                                    \
		__VA_ARGS__, NULL                                                                            \
	}

static void test_check(void **state)
{
	(void)state;
	check_says("bond", WORDS("mode", "active-backup", "lacp-rate", "fast"), "lacp-rate",
		"exists only in mode 802.3ad, and this is active-backup");
	check_says("bond", WORDS("mode", "802.3ad", "lacp-rate", "fast"), NULL, "");
	check_says("bond", WORDS("mode", "active-backup", "up-delay", "100"), "up-delay",
		"needs mii-monitor-interval");
	check_says("bond", WORDS("mode", "active-backup", "up-delay", "1", "mii-monitor-interval", "1"), NULL,
		"");
	check_says("bond", WORDS("mode", "balance-rr", "arp-interval", "1", "mii-monitor-interval", "1"),
		"arp-interval", "excludes mii-monitor-interval");
	check_says("bond", WORDS("arp-ip-targets", "::1"), "arp-ip-targets", "must be IPv4 addresses");
	check_says("bridge", WORDS("stp", "true", "forward-delay", "1"), "forward-delay",
		"must be between 2 and 30 with stp");
	check_says("bridge", WORDS("stp", "false", "forward-delay", "0"), NULL, "");
}

static const char *link_name(const void *userdata, uint32_t ifindex)
{
	(void)userdata;
	return ifindex == 4 ? "b1" : NULL;
}

static bool link_is_up(const void *userdata, uint32_t ifindex)
{
	(void)userdata;
	(void)ifindex;
	return false;
}

static void expect_json(const struct nctl_link *l, const char *want)
{
	static const struct nctl_names names = {link_name, link_is_up, NULL};
	struct nctl_strbuf out = NCTL_STRBUF_INIT;
	struct nctl_json json;

	nctl_json_init(&json, &out);
	nctl_link_json(l, &names, &json);
	assert_string_equal(nctl_strbuf_str(&out), want);
	assert_int_equal(out.err, 0);
	nctl_strbuf_fini(&out);
}

static void test_json(void **state)
{
	struct nctl_link l = NCTL_LINK_INIT;

	(void)state;
	l.ifindex = 6;
	l.flags = IFF_UP | IFF_BROADCAST | 0x40000000;
	l.arphrd = ARPHRD_ETHER;
	l.lower = 4;
	l.master = 5;
	strcpy(l.name, "foo.1");
	l.has = NCTL_LINK_BIT(NAME) | NCTL_LINK_BIT(FLAGS) | NCTL_LINK_BIT(LOWER) | NCTL_LINK_BIT(MASTER);
	nctl_link_set_kind(&l, nctl_kind_find("vlan"));
	set(&l, "id", "1");
	set(&l, "protocol", "802.1ad");
	set(&l, "group", "7");
	set(&l, "alias", "x \"y\"");
	set(&l, "altnames", "[zz, aa]");
	set(&l, "ipv6-address-generation", "stable-privacy");
	expect_json(&l, "{\"ifindex\":6,\"link\":\"b1\",\"ifname\":\"foo.1\",\"flags\":[\"NO-CARRIER\","
	                "\"BROADCAST\",\"UP\","
			"\"40000000\",\"M-DOWN\"],\"master\":\"if5\",\"group\":\"7\",\"link_type\":\"ether\","
	                "\"linkinfo\":{"
			"\"info_kind\":\"vlan\",\"info_data\":{\"protocol\":\"802.1ad\",\"id\":1}},"
			"\"inet6_addr_gen_mode\":\"stable_secret\",\"ifalias\":\"x "
	                "\\\"y\\\"\",\"altnames\":[\"aa\",\"zz\"]}");
	nctl_link_fini(&l);
	l.ifindex = 2;
	l.has = NCTL_LINK_BIT(LOWER) | NCTL_LINK_BIT(LOWER_NSID);
	l.lower = 9;
	l.lower_nsid = 3;
	l.arphrd = 4711;
	l.port_kind_name = strdup("team");
	expect_json(&l,
		"{\"ifindex\":2,\"link_index\":9,\"flags\":[],\"link_type\":\"[4711]\",\"link_netnsid\":3,"
		"\"linkinfo\":{\"info_slave_kind\":\"team\"}}");
	nctl_link_fini(&l);
}

static struct nctl_addr addr(const char *local, const char *peer)
{
	struct nctl_addr a = NCTL_ADDR_INIT;

	a.ifindex = 1;
	assert_int_equal(nctl_prefix_parse(local, NCTL_PREFIX_NEED_LENGTH, &a.local), 0);
	if (peer)
		assert_int_equal(nctl_prefix_parse(peer, NCTL_PREFIX_NEED_LENGTH, &a.peer), 0);
	return a;
}

static int compare(const char *la, const char *pa, const char *lb, const char *pb)
{
	struct nctl_addr a = addr(la, pa), b = addr(lb, pb);
	int r = nctl_addr_cmp(&a, &b);

	assert_int_equal(nctl_addr_cmp(&b, &a) > 0, r < 0);
	return r;
}

static void test_addr_identity(void **state)
{
	struct nctl_addr a = addr("10.0.0.1/24", NULL), b = a;

	(void)state;
	assert_int_equal(compare("10.0.0.1/24", NULL, "10.0.0.1/24", NULL), 0);
	assert_int_not_equal(compare("10.0.0.1/24", NULL, "10.0.0.1/25", NULL), 0);
	assert_int_not_equal(compare("10.0.0.1/32", "10.0.0.2/32", "10.0.0.1/32", "10.0.0.3/32"), 0);
	assert_int_equal(compare("10.0.0.1/24", "10.1.0.2/24", "10.0.0.1/24", "10.1.0.3/24"), 0);
	assert_int_equal(compare("2001:db8::1/64", NULL, "2001:db8::1/128", NULL), 0);
	assert_int_not_equal(compare("2001:db8::1/64", NULL, "2001:db8::2/64", NULL), 0);
	b.ifindex = 2;
	assert_true(nctl_addr_cmp(&a, &b) < 0);
	b = a;
	assert_int_equal(nctl_addr_diff(&a, &b), 0);
	b.metric = 5;
	b.local.len = 25;
	strcpy(b.label, "x");
	assert_int_equal(
		nctl_addr_diff(&a, &b), NCTL_ADDR_BIT(METRIC) | NCTL_ADDR_BIT(LENGTH) | NCTL_ADDR_BIT(LABEL));
}

static void expect_addr_json(const struct nctl_addr *a, const char *want)
{
	struct nctl_strbuf out = NCTL_STRBUF_INIT;
	struct nctl_json json;

	nctl_json_init(&json, &out);
	nctl_addr_json(a, &json);
	assert_string_equal(nctl_strbuf_str(&out), want);
	nctl_strbuf_fini(&out);
}

static void test_addr_json(void **state)
{
	struct nctl_addr a = addr("10.1.0.1/32", "10.1.0.2/32");

	(void)state;
	a.flags = IFA_F_PERMANENT | IFA_F_SECONDARY;
	a.scope = 253;
	strcpy(a.label, "foo.1");
	expect_addr_json(&a,
		"{\"family\":\"inet\",\"local\":\"10.1.0.1\",\"address\":\"10.1.0.2\",\"prefixlen\":32,"
		"\"scope\":\"link\",\"secondary\":true,\"label\":\"foo.1\",\"valid_life_time\":4294967295,"
		"\"preferred_life_time\":4294967295}");
	a = addr("2001:db8::1/64", NULL);
	a.flags = IFA_F_TEMPORARY | IFA_F_TENTATIVE | IFA_F_DEPRECATED | 0x1000;
	a.proto = IFAPROT_KERNEL_RA;
	a.scope = 7;
	a.valid = 10;
	a.preferred = 0;
	a.metric = 5;
	expect_addr_json(&a, "{\"family\":\"inet6\",\"local\":\"2001:db8::1\",\"prefixlen\":64,\"metric\":5,"
	                     "\"scope\":\"7\","
			     "\"temporary\":true,\"deprecated\":true,\"tentative\":true,\"dynamic\":true,"
			     "\"ifa_flags\":\"1000\",\"protocol\":\"kernel_ra\",\"valid_life_time\":10,"
			     "\"preferred_life_time\":0}");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_copy),
		cmocka_unit_test(test_kinds_differ),
		cmocka_unit_test(test_change_class),
		cmocka_unit_test(test_check),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_addr_identity),
		cmocka_unit_test(test_addr_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
