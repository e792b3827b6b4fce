/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Addresses and prefixes: what is refused, round trips through text with random
 * values, masks and containment against a model that looks at single bits.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/random.h"
#include "../base/test.h"
#include "base/cleanup.h"
#include "net/lladdr.h"
#include "net/prefix.h"

static struct nctl_prefix prefix(const char *text)
{
	struct nctl_prefix p;

	assert_int_equal(nctl_prefix_parse(text, NCTL_PREFIX_ANY, &p), 0);
	return p;
}

static void test_rejects(void **state)
{
	static const char *const bad[] = {"", "/", "/24", "1.2.3", "010.1.1.1", "1.2.3.04", "1.2.3.256",
		"1.2.3.4.5", "1.2.3.4/", "1.2.3.4/33", "1.2.3.4/024", "1.2.3.4/+8", "1.2.3.4/-1",
		"1.2.3.4/ 8", "1.2.3.4/8/8", "1.2.3.4/4294967304", "0x1.2.3.4", " 1.2.3.4", "1.2.3.4 ",
		"1.2.3.4\n", "::1/129", "::1/", "::1/0x10", ":::", "::1::", "1:2:3:4:5:6:7",
		"1:2:3:4:5:6:7:8:9", "fe80::1%eth0", "fe80::1%eth0/64", "::1.2.3", "::ffff:1.2.3.400",
		"12345::", "[::1]", "::g", "localhost", "default", "1.2.3.4/255.0.0.0",
		"1111:2222:3333:4444:5555:6666:111.111.111.1111",
		"0000000000000000000000000000000000000000000000000::1"};
	struct nctl_prefix p, before;
	size_t i;

	(void)state;
	memset(&p, 0x5a, sizeof(p));
	before = p;
	for (i = 0; i < NCTL_ARRAY_SIZE(bad); i++)
		if (nctl_prefix_parse(bad[i], NCTL_PREFIX_ANY, &p) != -EINVAL)
			fail_msg("\"%s\" passed", bad[i]);
	assert_int_equal(nctl_prefix_parse("1.2.3.4", NCTL_PREFIX_NEED_LENGTH, &p), NCTL_PREFIX_NO_LENGTH);
	assert_int_equal(nctl_prefix_parse("1.2.3", NCTL_PREFIX_NEED_LENGTH, &p), -EINVAL);
	assert_int_equal(nctl_prefix_parse("1.2.3.4/8", NCTL_PREFIX_ADDR_ONLY, &p), -EINVAL);
	assert_memory_equal(&p, &before, sizeof(p));
}

static void test_accepts(void **state)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{"192.0.2.7/24", "192.0.2.7/24"}, {"192.0.2.7", "192.0.2.7/32"}, {"0.0.0.0/0", "0.0.0.0/0"},
		{"::/0", "::/0"}, {"2001:DB8:0:0:1::1/64", "2001:db8::1:0:0:1/64"},
		{"2000::9/64", "2000::9/64"}, {"::ffff:192.0.2.1", "::ffff:192.0.2.1/128"},
		{"0001:0:0:0:0:0:0:0/16", "1::/16"},
		{"1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7/128"}, /* RFC 5952 section 4.2.2: no :: for one group */
	};
	char buf[NCTL_PREFIX_STR];
	struct nctl_prefix p;
	size_t i;

	(void)state;
	for (i = 0; i < NCTL_ARRAY_SIZE(cases); i++) {
		p = prefix(cases[i].in);
		assert_string_equal(nctl_prefix_format(&p, buf), cases[i].out);
	}
	assert_int_equal(nctl_addr_parse("10.0.0.1", &p), 0);
	assert_string_equal(nctl_addr_format(&p, buf), "10.0.0.1");
	assert_int_equal(p.len, 32);
	p = NCTL_PREFIX_NULL;
	assert_string_equal(nctl_prefix_format(&p, buf), "");
}

static struct nctl_prefix random_prefix(struct random *r)
{
	struct nctl_prefix p = NCTL_PREFIX_NULL;
	unsigned i;

	p.family = random_below(r, 2) ? AF_INET : AF_INET6;
	p.len = (uint8_t)random_below(r, nctl_prefix_bits(p.family) + 1);
	for (i = 0; i < nctl_prefix_bytes(p.family); i++)
		p.addr[i] = random_below(r, 3) ? 0 : (uint8_t)random_next(r);
	return p;
}

static int bit(const struct nctl_prefix *p, unsigned i)
{
	return p->addr[i / 8] >> (7 - i % 8) & 1;
}

static int model_contains(const struct nctl_prefix *a, const struct nctl_prefix *b)
{
	unsigned i;

	if (a->family != b->family || a->len > b->len)
		return 0;
	for (i = 0; i < a->len; i++)
		if (bit(a, i) != bit(b, i))
			return 0;
	return 1;
}

static void test_properties(void **state)
{
	struct random r = random_init("prefix");
	struct nctl_prefix a, b, c;
	char buf[NCTL_PREFIX_STR];
	unsigned i, k;

	(void)state;
	for (k = 0; k < 20000; k++) {
		a = random_prefix(&r);
		assert_int_equal(
			nctl_prefix_parse(nctl_prefix_format(&a, buf), NCTL_PREFIX_NEED_LENGTH, &b), 0);
		assert_true(nctl_prefix_equal(&a, &b));
		assert_int_equal(nctl_prefix_cmp(&a, &b), 0);
		assert_true(nctl_prefix_hash(&a) == nctl_prefix_hash(&b));

		nctl_prefix_mask(&b);
		for (i = 0; i < nctl_prefix_bits(a.family); i++)
			assert_int_equal(bit(&b, i), i < a.len ? bit(&a, i) : 0);
		assert_true(nctl_prefix_contains(&a, &b) && nctl_prefix_contains(&b, &a));

		/* Nearly the same, so that containment is not always false. */
		c = random_below(&r, 4) ? a : random_prefix(&r);
		c.len = (uint8_t)random_below(&r, nctl_prefix_bits(c.family) + 1);
		i = random_below(&r, nctl_prefix_bits(c.family));
		c.addr[i / 8] ^= (uint8_t)(0x80 >> (i % 8));
		assert_int_equal(nctl_prefix_contains(&a, &c), model_contains(&a, &c));
		assert_int_equal(nctl_prefix_contains(&c, &a), model_contains(&c, &a));
		assert_int_equal(nctl_prefix_cmp(&a, &c) < 0, nctl_prefix_cmp(&c, &a) > 0);
		assert_int_equal(nctl_prefix_cmp(&a, &c) == 0, nctl_prefix_equal(&a, &c));
	}
}

static void test_classes(void **state)
{
	struct nctl_prefix p;

	(void)state;
	p = prefix("169.254.1.1/16");
	assert_true(nctl_prefix_is_link_local(&p));
	p = prefix("fe80::1/64");
	assert_true(nctl_prefix_is_link_local(&p));
	p = prefix("febf::1");
	assert_true(nctl_prefix_is_link_local(&p) && !nctl_prefix_is_multicast(&p));
	p = prefix("fec0::1");
	assert_false(nctl_prefix_is_link_local(&p));
	p = prefix("ff02::1");
	assert_true(nctl_prefix_is_multicast(&p));
	p = prefix("239.1.1.1");
	assert_true(nctl_prefix_is_multicast(&p));
	p = prefix("240.1.1.1");
	assert_false(nctl_prefix_is_multicast(&p));
	p = prefix("127.3.2.1/8");
	assert_true(nctl_prefix_is_loopback(&p));
	p = prefix("::1");
	assert_true(nctl_prefix_is_loopback(&p) && !nctl_prefix_is_unspecified(&p));
	p = prefix("::/0");
	assert_true(nctl_prefix_is_unspecified(&p));
	p = NCTL_PREFIX_NULL;
	assert_false(nctl_prefix_is_unspecified(&p) || nctl_prefix_is_loopback(&p) ||
		     nctl_prefix_contains(&p, &p));
}

static void test_from_bytes(void **state)
{
	static const uint8_t bytes[16] = {192, 0, 2, 1, [15] = 9};
	struct nctl_prefix p;
	char buf[NCTL_PREFIX_STR];

	(void)state;
	assert_int_equal(nctl_prefix_from_bytes(bytes, 4, 24, &p), 0);
	assert_string_equal(nctl_prefix_format(&p, buf), "192.0.2.1/24");
	assert_int_equal(nctl_prefix_from_bytes(bytes, 16, 128, &p), 0);
	assert_string_equal(nctl_prefix_format(&p, buf), "c000:201::9/128");
	assert_int_equal(nctl_prefix_from_bytes(bytes, 4, 33, &p), -EINVAL);
	assert_int_equal(nctl_prefix_from_bytes(bytes, 6, 0, &p), -EINVAL);
}

static void test_lladdr(void **state)
{
	static const char *const bad[] = {"", ":", "0", "00:", ":00", "00:1", "001:02", "00-11", "0011",
		"g0:00", "00::11",
		"00:11:22:33:44:55:66:77:88:99:aa:bb:cc:dd:ee:ff:00:11:22:33:44:55:66:77:88:99:aa:bb:cc:dd:"
		"ee:ff:00"};
	static const char *const good[] = {"02:00:5e:10:00:01", "7f",
		"00:11:22:33:44:55:66:77:88:99:aa:bb:cc:dd:ee:ff:00:11:22:33:44:55:66:77:88:99:aa:bb:cc:dd:"
		"ee:ff"};
	struct nctl_lladdr a = NCTL_LLADDR_NULL, b;
	char buf[NCTL_LLADDR_STR];
	size_t i;

	(void)state;
	assert_string_equal(nctl_lladdr_format(&a, buf), "");
	for (i = 0; i < NCTL_ARRAY_SIZE(bad); i++)
		if (nctl_lladdr_parse(bad[i], &a) != -EINVAL)
			fail_msg("\"%s\" passed", bad[i]);
	assert_int_equal(a.len, 0);
	for (i = 0; i < NCTL_ARRAY_SIZE(good); i++) {
		assert_int_equal(nctl_lladdr_parse(good[i], &a), 0);
		assert_string_equal(nctl_lladdr_format(&a, buf), good[i]);
	}
	assert_int_equal(nctl_lladdr_parse("01:00:5E:00:00:01", &a), 0);
	assert_int_equal(nctl_lladdr_parse("01:00:5e:00:00:02", &b), 0);
	assert_true(nctl_lladdr_is_multicast(&a));
	assert_false(nctl_lladdr_equal(&a, &b));
	assert_true(nctl_lladdr_cmp(&a, &b) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rejects),
		cmocka_unit_test(test_accepts),
		cmocka_unit_test(test_properties),
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_from_bytes),
		cmocka_unit_test(test_lladdr),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
