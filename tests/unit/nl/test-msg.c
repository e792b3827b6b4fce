/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* DOC: the bounded builder: what is committed is whole and clean, what does not fit leaves no trace. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <linux/rtnetlink.h>

#include "base/cleanup.h"
#include "nl/attr.h"
#include "nl/msg.h"

struct fixture {
	_Alignas(8) uint8_t buf[512];
	struct nctl_msgbuf m;
};

static void fixture_init(struct fixture *f, size_t cap)
{
	memset(f->buf, 0xa5, sizeof(f->buf));
	nctl_msgbuf_init(&f->m, f->buf, cap);
}

static void begin_link(struct nctl_msgbuf *m)
{
	struct ifinfomsg ifi = {.ifi_index = 7};

	nctl_msg_begin(m, RTM_NEWLINK, NLM_F_CREATE, &ifi, sizeof(ifi));
}

static void test_commit(void **state)
{
	const struct nctl_attr_policy policy[IFLA_MAX + 1] = {
		[IFLA_IFNAME] = {.kind = NCTL_ATTR_STR, .max = 16},
		[IFLA_MTU] = {.kind = NCTL_ATTR_U32},
		[IFLA_CARRIER] = {.kind = NCTL_ATTR_U8},
		[IFLA_LINKINFO] = {.kind = NCTL_ATTR_NEST},
	};
	const struct nlattr *tb[IFLA_MAX + 1];
	const struct nlmsghdr *nlh;
	struct fixture f;
	size_t nest, inner;

	(void)state;
	fixture_init(&f, sizeof(f.buf));
	begin_link(&f.m);
	nctl_msg_put_str(&f.m, IFLA_IFNAME, "veth0");
	nctl_msg_put_u8(&f.m, IFLA_CARRIER, 1);
	nctl_msg_put_u32(&f.m, IFLA_MTU, 1400);
	nest = nctl_msg_nest_begin(&f.m, IFLA_LINKINFO);
	nctl_msg_put_str(&f.m, IFLA_INFO_KIND, "vlan");
	inner = nctl_msg_nest_begin(&f.m, IFLA_INFO_DATA);
	nctl_msg_put_u16(&f.m, 1, 42);
	nctl_msg_nest_end(&f.m, inner);
	nctl_msg_nest_end(&f.m, nest);
	assert_int_equal(nctl_msg_commit(&f.m, 99), 0);
	assert_int_equal(f.m.n, 1);
	assert_int_equal(f.m.open, 0);

	nlh = nctl_msg_next(f.buf, f.m.len, NULL);
	assert_non_null(nlh);
	assert_int_equal(nlh->nlmsg_len, f.m.len);
	assert_int_equal(nlh->nlmsg_seq, 99);
	assert_int_equal(nlh->nlmsg_flags, NLM_F_REQUEST | NLM_F_CREATE);
	assert_null(nctl_msg_next(f.buf, f.m.len, nlh));
	assert_int_equal(nctl_attr_parse_msg(nlh, sizeof(struct ifinfomsg), policy, tb, IFLA_MAX), 0);
	assert_string_equal(nctl_attr_str(tb[IFLA_IFNAME]), "veth0");
	assert_int_equal(nctl_attr_u32(tb[IFLA_MTU]), 1400);
	assert_int_equal(nctl_attr_u8(tb[IFLA_CARRIER]), 1);
	assert_int_equal(nctl_attr_len(tb[IFLA_LINKINFO]), 12 + 12);
	/* Padding is zeroed: behind "veth0\0" and behind the byte. */
	assert_int_equal(((const uint8_t *)tb[IFLA_IFNAME])[10], 0);
	assert_int_equal(((const uint8_t *)tb[IFLA_CARRIER])[5], 0);
}

/* At every capacity a message is there as a whole or not at all, and nothing is written past the end. */
static void test_overflow(void **state)
{
	(void)state;
	for (size_t cap = 0; cap < 160; cap++) {
		struct fixture f;
		size_t nest, kept;
		int r;

		fixture_init(&f, cap);
		begin_link(&f.m);
		(void)nctl_msg_commit(&f.m, 1);
		kept = f.m.len;
		begin_link(&f.m);
		nctl_msg_put_str(&f.m, IFLA_IFNAME, "a-long-name");
		nest = nctl_msg_nest_begin(&f.m, IFLA_LINKINFO);
		nctl_msg_put_str(&f.m, IFLA_INFO_KIND, "dummy");
		nctl_msg_nest_end(&f.m, nest);
		nctl_msg_put_u64(&f.m, 99, 1);
		r = nctl_msg_commit(&f.m, 2);
		assert_int_equal(r, cap < 108 ? NCTL_MSG_FULL : 0);
		assert_int_equal(f.m.len, r == 0 ? 108 : kept);
		assert_int_equal(f.m.n, r == 0 ? 2 : cap >= 32);
		assert_false(f.m.overflow);
		for (size_t i = cap; i < sizeof(f.buf); i++)
			assert_int_equal(f.buf[i], 0xa5);
	}
}

static void test_cancel(void **state)
{
	struct fixture f;
	size_t nest;

	(void)state;
	fixture_init(&f, sizeof(f.buf));
	begin_link(&f.m);
	nest = nctl_msg_nest_begin(&f.m, IFLA_LINKINFO);
	nctl_msg_put_u32(&f.m, 1, 1);
	nctl_msg_nest_cancel(&f.m, nest);
	assert_int_equal(nctl_msg_commit(&f.m, 1), 0);
	assert_int_equal(f.m.len, 32);

	begin_link(&f.m);
	nctl_msg_cancel(&f.m);
	assert_int_equal(f.m.len, 32);
	assert_int_equal(nctl_msg_commit(&f.m, 2), NCTL_MSG_FULL);
	begin_link(&f.m);
	begin_link(&f.m);
	assert_int_equal(nctl_msg_commit(&f.m, 2), 0);
	assert_int_equal(f.m.n, 2);
	nctl_msgbuf_reset(&f.m);
	assert_int_equal(f.m.len, 0);
	assert_int_equal(f.m.n, 0);
}

static void test_ack_last(void **state)
{
	struct fixture f;
	const struct nlmsghdr *nlh = NULL;
	size_t n = 0;

	(void)state;
	fixture_init(&f, sizeof(f.buf));
	nctl_msgbuf_ack_last(&f.m);
	for (uint32_t i = 0; i < 3; i++) {
		begin_link(&f.m);
		assert_int_equal(nctl_msg_commit(&f.m, i), 0);
	}
	begin_link(&f.m); /* one that is dropped is not the last */
	nctl_msg_put(&f.m, 1, f.buf, sizeof(f.buf));
	assert_int_equal(nctl_msg_commit(&f.m, 3), NCTL_MSG_FULL);
	nctl_msgbuf_ack_last(&f.m);
	while ((nlh = nctl_msg_next(f.buf, f.m.len, nlh)))
		assert_int_equal(!!(nlh->nlmsg_flags & NLM_F_ACK), ++n == 3);
	assert_int_equal(n, 3);
}

/* Lengths of attributes have 16 bits. */
static void test_long(void **state)
{
	static _Alignas(8) uint8_t buf[200 * 1024], data[70 * 1024];
	struct nctl_msgbuf m;
	size_t nest;

	(void)state;
	nctl_msgbuf_init(&m, buf, sizeof(buf));
	begin_link(&m);
	nctl_msg_put(&m, 1, data, sizeof(data));
	assert_int_equal(nctl_msg_commit(&m, 1), NCTL_MSG_FULL);
	begin_link(&m);
	nest = nctl_msg_nest_begin(&m, 1);
	nctl_msg_put(&m, 1, data, 40000);
	nctl_msg_put(&m, 2, data, 40000);
	nctl_msg_nest_end(&m, nest);
	assert_int_equal(nctl_msg_commit(&m, 1), NCTL_MSG_FULL);
	begin_link(&m);
	nctl_msg_put(&m, 1, data, SIZE_MAX - 2);
	assert_int_equal(nctl_msg_commit(&m, 1), NCTL_MSG_FULL);
	begin_link(&m);
	nctl_msg_put_raw(&m, data, SIZE_MAX - 2);
	assert_int_equal(nctl_msg_commit(&m, 1), NCTL_MSG_FULL);
	assert_int_equal(m.len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_commit),
		cmocka_unit_test(test_overflow),
		cmocka_unit_test(test_cancel),
		cmocka_unit_test(test_ack_last),
		cmocka_unit_test(test_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
