/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* DOC: attributes under a policy, against well-formed, malformed and random input. */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/cleanup.h"
#include "nl/attr.h"
#include "nl/msg.h"

enum { A_ANY, A_U8, A_U16, A_U32, A_U64, A_STR, A_BYTES, A_NEST, A_MAX = A_NEST };

static const struct nctl_attr_policy policy[A_MAX + 1] = {
	[A_U8] = {.kind = NCTL_ATTR_U8},
	[A_U16] = {.kind = NCTL_ATTR_U16},
	[A_U32] = {.kind = NCTL_ATTR_U32},
	[A_U64] = {.kind = NCTL_ATTR_U64},
	[A_STR] = {.kind = NCTL_ATTR_STR, .max = 6},
	[A_BYTES] = {.kind = NCTL_ATTR_BYTES, .min = 4, .max = 8},
	[A_NEST] = {.kind = NCTL_ATTR_NEST},
};

/*
 * One attribute of this type and payload alone, in an allocation of just its size so that sanitizers see
 * more.
 */
static int parse_one(uint16_t type, const void *data, size_t len)
{
	size_t size = NLA_HDRLEN + len;
	_cleanup_(nctl_freep) uint8_t *buf = malloc(size);
	struct nlattr a = {.nla_type = type, .nla_len = (uint16_t)size};
	const struct nlattr *tb[A_MAX + 1];
	int r;

	memcpy(buf, &a, sizeof(a));
	if (len > 0)
		memcpy(buf + NLA_HDRLEN, data, len);
	r = nctl_attr_parse(buf, size, policy, tb, A_MAX);
	if (r == 0 && type <= A_MAX) {
		assert_ptr_equal(tb[type], buf);
		assert_int_equal(nctl_attr_len(tb[type]), len);
	}
	return r;
}

static void test_lengths(void **state)
{
	static const uint8_t zero[16];
	static const size_t fixed[] = {[A_U8] = 1, [A_U16] = 2, [A_U32] = 4, [A_U64] = 8};

	(void)state;
	for (uint16_t type = A_U8; type <= A_U64; type++)
		for (size_t len = 0; len <= sizeof(zero); len++)
			assert_int_equal(parse_one(type, zero, len), len == fixed[type] ? 0 : -EBADMSG);
	for (size_t len = 0; len <= sizeof(zero); len++) {
		assert_int_equal(parse_one(A_BYTES, zero, len), len >= 4 && len <= 8 ? 0 : -EBADMSG);
		assert_int_equal(parse_one(A_ANY, zero, len), 0);
		assert_int_equal(parse_one(A_MAX + 1, zero, len), 0);
		assert_int_equal(parse_one(0x3fff, zero, len), 0);
	}
}

static void test_strings(void **state)
{
	(void)state;
	assert_int_equal(parse_one(A_STR, "", 1), 0);
	assert_int_equal(parse_one(A_STR, "abcde", 6), 0);
	assert_int_equal(parse_one(A_STR, "abc\0\0\0\0\0", 8), 0);
	assert_int_equal(parse_one(A_STR, "abcdef", 7), -EBADMSG);
	assert_int_equal(parse_one(A_STR, "abc", 3), -EBADMSG);
	assert_int_equal(parse_one(A_STR, "", 0), -EBADMSG);
}

static void test_nests(void **state)
{
	const struct nlattr good[2] = {{.nla_len = 4, .nla_type = 1}, {.nla_len = 4, .nla_type = 2}};
	const struct nlattr longer[2] = {{.nla_len = 9, .nla_type = 1}};
	const struct nlattr shorter[2] = {{.nla_len = 3, .nla_type = 1}};

	(void)state;
	assert_int_equal(parse_one(A_NEST, NULL, 0), 0);
	assert_int_equal(parse_one(A_NEST, good, 8), 0);
	assert_int_equal(parse_one(A_NEST, good, 7), -EBADMSG);
	assert_int_equal(parse_one(A_NEST, good, 2), -EBADMSG);
	assert_int_equal(parse_one(A_NEST, longer, 8), -EBADMSG);
	assert_int_equal(parse_one(A_NEST, shorter, 8), -EBADMSG);
}

/* Types lose their flag bits, the last of equals wins, and the last attribute may lack its padding. */
static void test_table(void **state)
{
	_Alignas(8) uint8_t buf[128];
	const struct nlattr *tb[A_MAX + 1], *a = NULL;
	const struct nlmsghdr *nlh = (void *)buf;
	struct nctl_msgbuf m;
	uint32_t hdr = 5;
	size_t n = 0;

	(void)state;
	nctl_msgbuf_init(&m, buf, sizeof(buf));
	nctl_msg_begin(&m, 16, 0, &hdr, sizeof(hdr));
	nctl_msg_put_u32(&m, A_U32, 1);
	nctl_msg_put_u32(&m, A_U32 | NLA_F_NET_BYTEORDER, 2);
	nctl_msg_put_u64(&m, A_U64, UINT64_MAX - 1);
	nctl_msg_put_u16(&m, A_U16, 77);
	nctl_msg_commit(&m, 1);
	assert_int_equal(nctl_attr_parse_msg(nlh, sizeof(hdr), policy, tb, A_MAX), 0);
	assert_int_equal(nctl_attr_u32(tb[A_U32]), 2);
	assert_true(nctl_attr_u64(tb[A_U64]) == UINT64_MAX - 1);
	assert_true(nctl_attr_uint(tb[A_U64]) == UINT64_MAX - 1);
	assert_int_equal(nctl_attr_uint(tb[A_U16]), 77);
	assert_int_equal(nctl_attr_type(tb[A_U32]), A_U32);
	assert_null(tb[A_STR]);
	while ((a = nctl_attr_next(buf + 20, m.len - 20 - 2, a)))
		n++;
	assert_int_equal(n, 4);
	assert_int_equal(nctl_attr_parse(buf + 20, m.len - 20 - 2, policy, tb, A_MAX), 0);
	assert_int_equal(nctl_attr_parse(buf + 20, m.len - 20 - 3, policy, tb, A_MAX), -EBADMSG);
	assert_int_equal(nctl_attr_parse(NULL, 0, policy, tb, A_MAX), 0);
	assert_null(nctl_attr_next(NULL, 0, NULL));
}

static void test_messages(void **state)
{
	_Alignas(8) uint8_t buf[64] = {0};
	struct nlmsghdr *nlh = (void *)buf;
	const struct nlattr *tb[A_MAX + 1];

	(void)state;
	for (uint32_t len = 0; len < 80; len++) {
		nlh->nlmsg_len = len;
		assert_true(!!nctl_msg_next(buf, sizeof(buf), NULL) == (len >= 16 && len <= 64));
	}
	assert_null(nctl_msg_next(buf, 15, NULL));
	for (uint32_t len = 0; len < 40; len++) { /* headers of 17 bytes end in padding, not in attributes */
		nlh->nlmsg_len = len;
		assert_int_equal(nctl_attr_parse_msg(nlh, 17, policy, tb, A_MAX),
			len >= 33 && len <= 36 ? 0 : -EBADMSG);
	}
}

/* Whatever the bytes, the walk ends, stays inside, and what parses may be read. */
static void test_random(void **state)
{
	(void)state;
	srandom(1);
	for (unsigned round = 0; round < 20000; round++) {
		size_t len = (size_t)random() % 64;
		_cleanup_(nctl_freep) uint8_t *buf = malloc(len + 1);
		const struct nlattr *tb[A_MAX + 1], *a = NULL;

		for (size_t i = 0; i < len; i++)
			buf[i] = (uint8_t)(random() % (i % 4 == 0          ? 20
							      : i % 4 == 2 ? 10
							      : i % 4 == 3 ? 1
									   : 2));
		while ((a = nctl_attr_next(buf, len, a)))
			assert_true((const uint8_t *)nctl_attr_data(a) + nctl_attr_len(a) <= buf + len);
		(void)nctl_msg_next(buf, len, NULL);
		if (nctl_attr_parse(buf, len, policy, tb, A_MAX) < 0)
			continue;
		for (size_t i = 0; i <= A_MAX; i++)
			if (tb[i])
				(void)nctl_attr_uint(tb[i]);
		if (tb[A_STR])
			assert_true(strlen(nctl_attr_str(tb[A_STR])) < 6);
		if (tb[A_NEST])
			(void)nctl_attr_parse_nest(tb[A_NEST], policy, tb, A_MAX);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_nests),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
