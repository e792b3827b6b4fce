/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: settings of drivers: what differs from what a driver says, and messages of the ethtool family: answers
 * in the form in which the kernel sends them, and requests as it takes them.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>

#include "base/cleanup.h"
#include "codec/ethtool.h"
#include "nl/attr.h"
#include "nl/genl.h"
#include "test.h"

enum { FAMILY = 21, LINK = 7 };

static _Alignas(8) uint8_t room[32 * 1024];
static struct nctl_msgbuf msg;

static const struct nlmsghdr *committed(void)
{
	assert_int_equal(nctl_msg_commit(&msg, 1), 0);
	return (const void *)(room + msg.last);
}

/* An answer with a header for the link, as far as attributes go. */
static void begin_answer(uint8_t cmd, uint16_t header)
{
	size_t nest;

	nctl_msgbuf_init(&msg, room, sizeof(room));
	nctl_genl_begin(&msg, FAMILY, 0, cmd, 1);
	nest = nctl_msg_nest_begin(&msg, NLA_F_NESTED | header);
	nctl_msg_put_u32(&msg, ETHTOOL_A_HEADER_DEV_INDEX, LINK);
	nctl_msg_nest_end(&msg, nest);
}

/* "+a -b": with a mask, as the kernel lists what can be changed; nomask: all those listed are set. */
static void put_bits(uint16_t attr, bool nomask, const char *const *names)
{
	size_t set = nctl_msg_nest_begin(&msg, NLA_F_NESTED | attr), bits, bit;

	if (nomask)
		nctl_msg_put(&msg, ETHTOOL_A_BITSET_NOMASK, NULL, 0);
	nctl_msg_put_u32(&msg, ETHTOOL_A_BITSET_SIZE, 64);
	bits = nctl_msg_nest_begin(&msg, NLA_F_NESTED | ETHTOOL_A_BITSET_BITS);
	for (; *names; names++) {
		bit = nctl_msg_nest_begin(&msg, NLA_F_NESTED | ETHTOOL_A_BITSET_BITS_BIT);
		nctl_msg_put_u32(&msg, ETHTOOL_A_BITSET_BIT_INDEX, 1);
		nctl_msg_put_str(&msg, ETHTOOL_A_BITSET_BIT_NAME, *names + 1);
		if (**names == '+' && !nomask)
			nctl_msg_put(&msg, ETHTOOL_A_BITSET_BIT_VALUE, NULL, 0);
		nctl_msg_nest_end(&msg, bit);
	}
	nctl_msg_nest_end(&msg, bits);
	nctl_msg_nest_end(&msg, set);
}

static void read_features(struct nctl_ethtool *ret)
{
	static const char *const hw[] = {
		"+tx-checksum-ipv4", "+tx-checksum-ipv6", "-tx-checksum-sctp", "+rx-gro", "-loopback", NULL};
	static const char *const active[] = {"+tx-checksum-ipv4", "+rx-gro", NULL};

	begin_answer(ETHTOOL_MSG_FEATURES_GET_REPLY, ETHTOOL_A_FEATURES_HEADER);
	put_bits(ETHTOOL_A_FEATURES_HW, false, hw);
	put_bits(ETHTOOL_A_FEATURES_WANTED, true, active);
	put_bits(ETHTOOL_A_FEATURES_ACTIVE, true, active);
	assert_int_equal(nctl_ethtool_decode(committed(), NCTL_ETHTOOL_FEATURES, ret), 0);
}

static void test_features(void **state)
{
	struct nctl_ethtool now = {0};
	const struct nctl_switch *s;

	(void)state;
	read_features(&now);
	assert_int_equal(now.switches[NCTL_ETHTOOL_FEATURES].n, 5);
	s = nctl_switches_find(&now.switches[NCTL_ETHTOOL_FEATURES], "rx-gro");
	assert_true(s->on && !s->fixed);
	s = nctl_switches_find(&now.switches[NCTL_ETHTOOL_FEATURES], "tx-checksum-ipv6");
	assert_true(!s->on && !s->fixed);
	s = nctl_switches_find(&now.switches[NCTL_ETHTOOL_FEATURES], "loopback");
	assert_true(!s->on && s->fixed);
	/* Read once more, nothing is left of what was on. */
	now.switches[NCTL_ETHTOOL_FEATURES].v[3].on = true;
	now.switches[NCTL_ETHTOOL_FEATURES].v[4].on = true;
	now.switches[NCTL_ETHTOOL_FEATURES].n = 0;
	read_features(&now);
	assert_false(nctl_switches_find(&now.switches[NCTL_ETHTOOL_FEATURES], "loopback")->on);
	nctl_ethtool_fini(&now);
}

static void wants(const struct nctl_ethtool *now, const char *name, bool on, const char *expected)
{
	struct nctl_switch want = {.on = on}, found[NCTL_SWITCHES_MAX];
	struct nctl_ethtool e = {.switches = {[NCTL_ETHTOOL_FEATURES] = {&want, 1}}};
	struct nctl_switches differing = {found, 0};
	char text[1024] = "";

	strcpy(want.name, name);
	assert_int_equal(nctl_ethtool_diff(&e, now, NCTL_ETHTOOL_FEATURES, &differing), 0);
	for (size_t i = 0; i < differing.n; i++) {
		strcat(text, differing.v[i].on ? "+" : "-");
		strcat(text, differing.v[i].name);
	}
	assert_string_equal(text, expected);
}

static void test_difference(void **state)
{
	struct nctl_ethtool now = {0};

	(void)state;
	read_features(&now);
	wants(&now, "rx-gro", true, "");
	wants(&now, "rx-gro", false, "-rx-gro");
	wants(&now, "tx-checksum-*", true, "+tx-checksum-ipv6");
	wants(&now, "tx-checksum-*", false, "-tx-checksum-ipv4");
	/* A fixed one that is as wanted is fine; else the driver is asked, and has the word. */
	wants(&now, "loopback", false, "");
	wants(&now, "loopback", true, "+loopback");
	wants(&now, "lopback", false, "-lopback");
	nctl_ethtool_fini(&now);
}

static void test_fields(void **state)
{
	struct nctl_ethtool now = {0}, want = {.ring_rx = 512, .ring_tx = 256, .speed = 1000};
	struct nctl_switches none = {0};
	uint64_t rx = 1 << 0, tx = 1 << 1;

	(void)state;
	begin_answer(ETHTOOL_MSG_RINGS_GET_REPLY, ETHTOOL_A_RINGS_HEADER);
	nctl_msg_put_u32(&msg, ETHTOOL_A_RINGS_RX_MAX, 4096);
	nctl_msg_put_u32(&msg, ETHTOOL_A_RINGS_RX, 512);
	nctl_msg_put_u32(&msg, ETHTOOL_A_RINGS_TX, 512);
	assert_int_equal(nctl_ethtool_decode(committed(), NCTL_ETHTOOL_RINGS, &now), 0);
	assert_true(now.has == (rx | tx));
	want.has = rx | tx;
	assert_true(nctl_ethtool_diff(&want, &now, NCTL_ETHTOOL_RINGS, &none) == tx);
	assert_true(nctl_ethtool_diff(&want, &now, NCTL_ETHTOOL_CHANNELS, &none) == 0);

	/* Each group has its own numbers: attribute 3 of pauses is no ring. */
	begin_answer(ETHTOOL_MSG_PAUSE_GET_REPLY, ETHTOOL_A_PAUSE_HEADER);
	nctl_msg_put_u8(&msg, ETHTOOL_A_PAUSE_RX, 1);
	assert_int_equal(nctl_ethtool_decode(committed(), NCTL_ETHTOOL_PAUSE, &now), 0);
	assert_int_equal(now.pause_rx, 1);
	assert_int_equal(now.ring_rx, 512);
}

/* The attributes of a request behind its header. */
static void parse_request(uint8_t cmd, const struct nlattr **tb, size_t max, uint16_t header)
{
	static const struct nctl_attr_policy any[64];
	const struct nlmsghdr *nlh = committed();
	const struct nlattr *h[ETHTOOL_A_HEADER_FLAGS + 1];

	assert_int_equal(nlh->nlmsg_type, FAMILY);
	assert_int_equal(nctl_genl_cmd(nlh), cmd);
	assert_int_equal(nctl_genl_parse(nlh, any, tb, max), 0);
	assert_non_null(tb[header]);
	assert_true(tb[header]->nla_type & NLA_F_NESTED);
	assert_int_equal(nctl_attr_parse_nest(tb[header], any, h, ETHTOOL_A_HEADER_FLAGS), 0);
	assert_int_equal(nctl_attr_u32(h[ETHTOOL_A_HEADER_DEV_INDEX]), LINK);
}

static void test_requests(void **state)
{
	const struct nlattr *tb[16], *bitset[ETHTOOL_A_BITSET_MASK + 1], *bit;
	static const struct nctl_attr_policy any[16];
	struct nctl_switch v = {.name = "rx-gro", .on = true};
	struct nctl_switches s = {&v, 1};
	struct nctl_ethtool e = {.channels_rx = 2, .channels_combined = 4};
	const struct nctl_ethtool_group_info *info = &nctl_ethtool_groups[NCTL_ETHTOOL_CHANNELS];

	(void)state;
	nctl_msgbuf_init(&msg, room, sizeof(room));
	nctl_ethtool_encode_get(FAMILY, LINK, NCTL_ETHTOOL_CHANNELS, &msg);
	parse_request(ETHTOOL_MSG_CHANNELS_GET, tb, 15, ETHTOOL_A_CHANNELS_HEADER);

	nctl_ethtool_encode_set(FAMILY, LINK, NCTL_ETHTOOL_CHANNELS, &e, UINT64_C(5) << info->first,
		&(struct nctl_switches){0}, &msg);
	parse_request(ETHTOOL_MSG_CHANNELS_SET, tb, 15, ETHTOOL_A_CHANNELS_HEADER);
	assert_int_equal(nctl_attr_u32(tb[ETHTOOL_A_CHANNELS_RX_COUNT]), 2);
	assert_int_equal(nctl_attr_u32(tb[ETHTOOL_A_CHANNELS_COMBINED_COUNT]), 4);
	assert_null(tb[ETHTOOL_A_CHANNELS_TX_COUNT]);

	nctl_ethtool_encode_set(FAMILY, LINK, NCTL_ETHTOOL_FEATURES, &e, 0, &s, &msg);
	parse_request(ETHTOOL_MSG_FEATURES_SET, tb, 15, ETHTOOL_A_FEATURES_HEADER);
	assert_int_equal(
		nctl_attr_parse_nest(tb[ETHTOOL_A_FEATURES_WANTED], any, bitset, ETHTOOL_A_BITSET_MASK), 0);
	assert_null(bitset[ETHTOOL_A_BITSET_NOMASK]); /* what is not named stays */
	bit = nctl_attr_next(nctl_attr_data(bitset[ETHTOOL_A_BITSET_BITS]),
		nctl_attr_len(bitset[ETHTOOL_A_BITSET_BITS]), NULL);
	assert_int_equal(nctl_attr_parse_nest(bit, any, tb, 15), 0);
	assert_string_equal(nctl_attr_str(tb[ETHTOOL_A_BITSET_BIT_NAME]), "rx-gro");
	assert_non_null(tb[ETHTOOL_A_BITSET_BIT_VALUE]);
}

static void test_hostile(void **state)
{
	static const char *const too_long[] = {"+a-name-that-is-longer-than-thirty-two-bytes", NULL};
	struct nctl_ethtool now = {0};
	char name[NCTL_SWITCHES_MAX + 1][16];
	const char *names[NCTL_SWITCHES_MAX + 2] = {0};

	(void)state;
	begin_answer(ETHTOOL_MSG_PRIVFLAGS_GET_REPLY, ETHTOOL_A_PRIVFLAGS_HEADER);
	put_bits(ETHTOOL_A_PRIVFLAGS_FLAGS, false, too_long);
	assert_int_equal(nctl_ethtool_decode(committed(), NCTL_ETHTOOL_PRIVATE_FLAGS, &now), -EBADMSG);
	for (size_t i = 0; i <= NCTL_SWITCHES_MAX; i++) {
		snprintf(name[i], sizeof(name[i]), "+flag%zu", i);
		names[i] = name[i];
	}
	begin_answer(ETHTOOL_MSG_PRIVFLAGS_GET_REPLY, ETHTOOL_A_PRIVFLAGS_HEADER);
	put_bits(ETHTOOL_A_PRIVFLAGS_FLAGS, false, names);
	assert_int_equal(nctl_ethtool_decode(committed(), NCTL_ETHTOOL_PRIVATE_FLAGS, &now), -EBADMSG);
	nctl_ethtool_fini(&now);
	/* The answer to another question. */
	begin_answer(ETHTOOL_MSG_PAUSE_GET_REPLY, ETHTOOL_A_PAUSE_HEADER);
	assert_int_equal(nctl_ethtool_decode(committed(), NCTL_ETHTOOL_RINGS, &now), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_features),
		cmocka_unit_test(test_difference),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_requests),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
