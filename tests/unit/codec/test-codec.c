/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: messages to objects and back, for every kind, with random values and with random damage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include "base/cleanup.h"
#include "codec/codec.h"
#include "gen.h"
#include "nl/attr.h"
#include "nl/msg.h"

struct out {
	uint32_t buf[8192];
	struct nctl_msgbuf msg;
};

static void out_init(struct out *o)
{
	nctl_msgbuf_init(&o->msg, o->buf, sizeof(o->buf));
}

static struct nlmsghdr *out_take(struct out *o)
{
	assert_int_equal(nctl_msg_commit(&o->msg, 1), 0);
	return (void *)o->buf;
}

/* What a decoder should find of what an encoder of a creating message was given. */
static uint64_t creatable(const struct nctl_field_table *t, uint64_t mask)
{
	return mask & ~nctl_fields_with(t, NCTL_FIELD_READONLY | NCTL_FIELD_LATE);
}

static void expect_fields(const struct nctl_field_table *t, const void *a, const void *b, uint64_t mask)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct nctl_field_ops *ops = t->v[i].ops;

		/* Says what is to go as well, which the kernel then does not show. */
		if (t->v[i].type == NCTL_FIELD_BYTES && ops && ops->encode)
			continue;
		if (mask & UINT64_C(1) << i && !nctl_field_equal(&t->v[i], a, b))
			fail_msg("%s is another after encoding and decoding", t->v[i].json);
	}
}

/* Of mask, what the kernel (and so an encoder) can say only by leaving the attribute out. */
static uint64_t unsaid(const struct nctl_field_table *t, const void *data, uint64_t mask)
{
	uint64_t ret = 0;

	for (size_t i = 0; i < t->n; i++)
		if (mask & UINT64_C(1) << i && t->v[i].flags & NCTL_FIELD_OMIT_ZERO &&
			nctl_field_is_none(&t->v[i], data))
			ret |= UINT64_C(1) << i;
	return ret;
}

static void new_round_trip(const struct nctl_kind *k, uint64_t *rng)
{
	uint64_t common = creatable(&nctl_link_fields, UINT64_MAX), data, lower;
	struct nctl_link a, b = NCTL_LINK_INIT;
	static struct out o;
	struct nlmsghdr *nlh;

	gen_link(&a, k, NULL, rng);
	out_init(&o);
	nctl_link_encode_new(&a, NULL, &o.msg);
	nlh = out_take(&o);
	assert_int_equal(nlh->nlmsg_type, RTM_NEWLINK);
	assert_int_equal(nlh->nlmsg_flags, NLM_F_REQUEST | NLM_F_CREATE | NLM_F_EXCL);
	assert_int_equal(nctl_link_decode(nlh, &b), 0);
	assert_int_equal(b.ifindex, a.ifindex);
	assert_int_equal(b.flags & IFF_UP, 0);
	if (k->traits & NCTL_KIND_PEERED)
		common &= ~NCTL_LINK_BIT(LOWER);
	expect_fields(&nctl_link_fields, &a, &b, common & a.has);
	/* The kind's own word for it says the same. */
	lower = a.lower ? nctl_fields_with(&k->data, NCTL_FIELD_LOWER) : 0;
	if (lower)
		assert_int_equal(nctl_link_lower(&b), a.lower);
	assert_ptr_equal(b.kind, k->traits & NCTL_KIND_PHYSICAL ? NULL : k);
	if (a.data) {
		data = creatable(&k->data, a.data_has);
		if (k->creatable)
			data = k->creatable(a.data, data);
		data &= ~(unsaid(&k->data, a.data, data) | lower);
		assert_int_equal(b.data_has & data, data);
		expect_fields(&k->data, a.data, b.data, data);
	}
	nctl_link_fini(&a);
	nctl_link_fini(&b);
}

static void test_new(void **state)
{
	uint64_t rng = gen_seed();

	(void)state;
	for (int n = 0; n < 200; n++)
		for (const struct nctl_kind *const *k = nctl_kinds; *k; k++)
			new_round_trip(*k, &rng);
}

static void set_round_trip(const struct nctl_kind *k, const struct nctl_kind *port_kind, uint64_t *rng)
{
	uint64_t common = ~(NCTL_LINK_BIT(ALTNAMES) | NCTL_LINK_BIT(FLAGS));
	struct nctl_link a, b = NCTL_LINK_INIT;
	static struct out o;
	struct nctl_link_diff d;

	gen_link(&a, k, port_kind, rng);
	d = (struct nctl_link_diff){.common = a.has, .data = a.data_has, .port = a.port_has};
	out_init(&o);
	nctl_link_encode_set(a.ifindex, &a, &d, &o.msg);
	assert_int_equal(nctl_link_decode(out_take(&o), &b), 0);
	assert_int_equal(b.flags & IFF_UP, a.flags & IFF_UP);
	expect_fields(&nctl_link_fields, &a, &b, a.has & common);
	if (a.data && b.data)
		expect_fields(&k->data, a.data, b.data, a.data_has);
	if (a.data)
		a.data_has &= ~unsaid(&k->data, a.data, a.data_has);
	assert_int_equal(b.data_has & a.data_has, a.data_has);
	if (a.port) {
		assert_int_equal(b.port_has & a.port_has, a.port_has);
		if (a.port_has)
			expect_fields(&port_kind->port, a.port, b.port, a.port_has);
	}
	nctl_link_fini(&a);
	nctl_link_fini(&b);
}

static void test_set(void **state)
{
	uint64_t rng = gen_seed();

	(void)state;
	for (int n = 0; n < 30; n++)
		for (const struct nctl_kind *const *k = nctl_kinds; *k; k++)
			for (const struct nctl_kind *const *p = nctl_kinds; *p; p++)
				if ((*p)->port_size)
					set_round_trip(*k, *p, &rng);
}

/* The veth's other end is a whole message inside. */
static void test_peer(void **state)
{
	const struct nlattr *tb[IFLA_MAX + 1] = {0}, *info[IFLA_INFO_MAX + 1], *data[2];
	const struct nctl_attr_policy policy[IFLA_MAX + 1] = {0};
	const struct nctl_kind *veth = nctl_kind_find("veth");
	struct nctl_link a = NCTL_LINK_INIT, b = NCTL_LINK_INIT;
	struct ifinfomsg ifi;
	static struct out o;

	(void)state;
	nctl_link_set_kind(&a, veth);
	nctl_link_set_kind(&b, veth);
	strcpy(a.name, "left");
	strcpy(b.name, "right");
	b.ifindex = 77;
	b.master = 5;
	b.mtu = 1400;
	b.has = NCTL_LINK_BIT(MTU);
	out_init(&o);
	nctl_link_encode_new(&a, &b, &o.msg);
	assert_int_equal(nctl_attr_parse_msg(out_take(&o), sizeof(ifi), policy, tb, IFLA_MAX), 0);
	assert_string_equal(nctl_attr_str(tb[IFLA_IFNAME]), "left");
	assert_int_equal(nctl_attr_parse_nest(tb[IFLA_LINKINFO], policy, info, IFLA_INFO_MAX), 0);
	assert_int_equal(nctl_attr_parse_nest(info[IFLA_INFO_DATA], policy, data, 1), 0);
	memcpy(&ifi, nctl_attr_data(data[1]), sizeof(ifi));
	assert_int_equal(ifi.ifi_index, 77);
	assert_int_equal(nctl_attr_parse((const char *)nctl_attr_data(data[1]) + sizeof(ifi),
				 nctl_attr_len(data[1]) - sizeof(ifi), policy, tb, IFLA_MAX),
		0);
	assert_string_equal(nctl_attr_str(tb[IFLA_IFNAME]), "right");
	assert_int_equal(nctl_attr_u32(tb[IFLA_MTU]), 1400);
	assert_null(tb[IFLA_MASTER]);
	nctl_link_fini(&a);
	nctl_link_fini(&b);
}

static void test_addr(void **state)
{
	uint64_t rng = gen_seed();
	struct nctl_addr a, b;
	static struct out o;
	struct nlmsghdr *nlh;

	(void)state;
	for (int n = 0; n < 2000; n++) {
		gen_addr(&a, &rng);
		out_init(&o);
		nctl_addr_encode_new(&a, &o.msg);
		nlh = out_take(&o);
		assert_int_equal(nlh->nlmsg_flags, NLM_F_REQUEST | NLM_F_CREATE | NLM_F_REPLACE);
		assert_int_equal(nctl_addr_decode(nlh, &b), 0);
		assert_int_equal(nctl_addr_cmp(&a, &b), 0);
		assert_int_equal(nctl_addr_diff(&a, &b), 0);
		out_init(&o);
		nctl_addr_encode_del(&a, &o.msg);
		nlh = out_take(&o);
		assert_int_equal(nlh->nlmsg_type, RTM_DELADDR);
		assert_int_equal(nctl_addr_decode(nlh, &b), 0);
		assert_int_equal(nctl_addr_cmp(&a, &b), 0);
	}
}

static void test_skip(void **state)
{
	struct ifinfomsg ifi = {.ifi_family = AF_BRIDGE, .ifi_index = 1};
	struct ifaddrmsg ifa = {.ifa_family = AF_DECnet, .ifa_index = 1};
	struct nctl_link l = NCTL_LINK_INIT;
	struct nctl_addr a = NCTL_ADDR_INIT;
	static struct out o;

	(void)state;
	out_init(&o);
	nctl_msg_begin(&o.msg, RTM_NEWLINK, 0, &ifi, sizeof(ifi));
	nctl_msg_put_str(&o.msg, IFLA_IFNAME, "x");
	assert_int_equal(nctl_link_decode(out_take(&o), &l), NCTL_CODEC_SKIP);
	ifi.ifi_family = AF_UNSPEC;
	out_init(&o);
	nctl_msg_begin(&o.msg, RTM_NEWLINK, 0, &ifi, sizeof(ifi));
	assert_int_equal(nctl_link_decode(out_take(&o), &l), NCTL_CODEC_SKIP);
	out_init(&o);
	nctl_msg_begin(&o.msg, RTM_NEWADDR, 0, &ifa, sizeof(ifa));
	assert_int_equal(nctl_addr_decode(out_take(&o), &a), NCTL_CODEC_SKIP);
	out_init(&o);
	nctl_msg_begin(&o.msg, RTM_NEWLINK, 0, &ifi, 4);
	assert_int_equal(nctl_link_decode(out_take(&o), &l), -EBADMSG);
	assert_int_equal(nctl_addr_decode((void *)o.buf, &a), NCTL_CODEC_SKIP);
}

/* Wrong sizes of known attributes are refused, not read past. */
static void test_bad_size(void **state)
{
	struct ifinfomsg ifi = {.ifi_index = 1};
	struct nctl_link l = NCTL_LINK_INIT;
	static struct out o;

	(void)state;
	out_init(&o);
	nctl_msg_begin(&o.msg, RTM_NEWLINK, 0, &ifi, sizeof(ifi));
	nctl_msg_put_str(&o.msg, IFLA_IFNAME, "x");
	nctl_msg_put_u16(&o.msg, IFLA_MTU, 1500);
	assert_int_equal(nctl_link_decode(out_take(&o), &l), -EBADMSG);
	out_init(&o);
	nctl_msg_begin(&o.msg, RTM_NEWLINK, 0, &ifi, sizeof(ifi));
	nctl_msg_put_str(&o.msg, IFLA_IFNAME, "a-name-of-16-byt");
	assert_int_equal(nctl_link_decode(out_take(&o), &l), -EBADMSG);
}

/* Damages a copy in memory of exactly its size, so that a sanitizer sees each byte too far. */
static void damage(const struct nlmsghdr *nlh, uint64_t *rng)
{
	size_t len = nlh->nlmsg_len;
	struct nlmsghdr *copy = malloc(len);
	struct nctl_link l = NCTL_LINK_INIT;
	struct nctl_addr a = NCTL_ADDR_INIT;

	memcpy(copy, nlh, len);
	for (uint64_t n = gen_next(rng) % 4; n > 0; n--)
		((uint8_t *)copy)[sizeof(*copy) + gen_next(rng) % (len - sizeof(*copy))] =
			(uint8_t)gen_next(rng);
	copy->nlmsg_len = (uint32_t)len;
	if (gen_next(rng) % 4 == 0) {
		copy->nlmsg_len = (uint32_t)(sizeof(*copy) + gen_next(rng) % (len - sizeof(*copy)));
		copy = realloc(copy, copy->nlmsg_len);
	}
	if (nctl_link_decode(copy, &l) == 0)
		nctl_link_fini(&l);
	(void)nctl_addr_decode(copy, &a);
	free(copy);
}

static void test_damage(void **state)
{
	const struct nctl_kind *const *k = nctl_kinds;
	uint64_t rng = gen_seed();
	struct nctl_link_diff d;
	struct nctl_link l;
	struct nctl_addr a;
	static struct out o;

	(void)state;
	for (int n = 0; n < 300; n++) {
		gen_link(&l, *k, nctl_kind_find(n & 1 ? "bond" : "bridge"), &rng);
		d = (struct nctl_link_diff){.common = l.has, .data = l.data_has, .port = l.port_has};
		out_init(&o);
		nctl_link_encode_set(l.ifindex, &l, &d, &o.msg);
		out_take(&o);
		for (int i = 0; i < 50; i++)
			damage((void *)o.buf, &rng);
		nctl_link_fini(&l);
		gen_addr(&a, &rng);
		out_init(&o);
		nctl_addr_encode_new(&a, &o.msg);
		out_take(&o);
		for (int i = 0; i < 20; i++)
			damage((void *)o.buf, &rng);
		if (!*++k)
			k = nctl_kinds;
	}
}

/* Not a test of speed (tests/bench has those): says what a decode costs here. */
static void test_cost(void **state)
{
	uint64_t rng = 1;
	struct timespec t0, t1;
	struct nctl_link l;
	static struct out o;
	double ns;

	(void)state;
	for (const struct nctl_kind *const *k = nctl_kinds; *k; k++) {
		gen_link(&l, *k, NULL, &rng);
		out_init(&o);
		nctl_link_encode_new(&l, NULL, &o.msg);
		out_take(&o);
		nctl_link_fini(&l);
		clock_gettime(CLOCK_MONOTONIC, &t0);
		for (int i = 0; i < 1000; i++) {
			assert_int_equal(nctl_link_decode((void *)o.buf, &l), 0);
			nctl_link_fini(&l);
		}
		clock_gettime(CLOCK_MONOTONIC, &t1);
		ns = (double)(t1.tv_sec - t0.tv_sec) * 1e9 + (double)(t1.tv_nsec - t0.tv_nsec);
		print_message("%-9s %5.0f ns a decode\n", (*k)->name, ns / 1000);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_new),
		cmocka_unit_test(test_set),
		cmocka_unit_test(test_peer),
		cmocka_unit_test(test_addr),
		cmocka_unit_test(test_skip),
		cmocka_unit_test(test_bad_size),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_cost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
