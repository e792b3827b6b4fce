/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: whole messages of links: what no field takes, what is skipped by name, messages made again, VLANs of
 * bridges; and every field of every kind with attributes of every wrong length.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/if_bridge.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/strbuf.h"
#include "codec/codec.h"
#include "codec/rest.h"
#include "codec/route.h"
#include "gen.h"
#include "nl/attr.h"

struct out {
	uint32_t buf[32768];
	struct nctl_msgbuf msg;
};

static void out_begin(struct out *o, uint16_t type, uint8_t family, int ifindex)
{
	struct ifinfomsg ifi = {.ifi_family = family, .ifi_index = ifindex};

	nctl_msgbuf_init(&o->msg, o->buf, sizeof(o->buf));
	nctl_msg_begin(&o->msg, type, 0, &ifi, sizeof(ifi));
}

static struct nlmsghdr *out_take(struct out *o)
{
	assert_int_equal(nctl_msg_commit(&o->msg, 1), 0);
	return (void *)o->buf;
}

static void count(void *userdata, const char *path)
{
	assert_non_null(path);
	++*(int *)userdata;
}

static int unlike(const struct nctl_link *l, const struct nlmsghdr *nlh)
{
	int told = 0, r = nctl_link_state_diff(l, nlh, count, &told);

	assert_int_equal(r, told);
	return r;
}

enum { UNKNOWN = 200, UNKNOWN_INSIDE = 90, UNKNOWN_FAMILY = 45 };

/* A link with an unknown attribute at each place; the order depends on turn, the values on v. */
static struct nlmsghdr *with_unknown(struct out *o, unsigned turn, uint32_t v)
{
	size_t info, data, spec, family;

	out_begin(o, RTM_NEWLINK, AF_UNSPEC, 7);
	for (unsigned i = 0; i < 4; i++)
		nctl_msg_put_u32(&o->msg, (uint16_t)(UNKNOWN + (i + turn) % 4), v + (i + turn) % 4);
	nctl_msg_put_str(&o->msg, IFLA_IFNAME, "x0");
	spec = nctl_msg_nest_begin(&o->msg, IFLA_AF_SPEC);
	family = nctl_msg_nest_begin(&o->msg, AF_INET6);
	nctl_msg_put(&o->msg, UNKNOWN_INSIDE, &v, 3);
	nctl_msg_nest_end(&o->msg, family);
	nctl_msg_put_u32(&o->msg, UNKNOWN_FAMILY, v);
	nctl_msg_nest_end(&o->msg, spec);
	info = nctl_msg_nest_begin(&o->msg, IFLA_LINKINFO);
	nctl_msg_put_str(&o->msg, IFLA_INFO_KIND, "vlan");
	data = nctl_msg_nest_begin(&o->msg, IFLA_INFO_DATA);
	for (unsigned i = 0; i < 2; i++)
		nctl_msg_put_u32(&o->msg, (uint16_t)(UNKNOWN_INSIDE + (i + turn) % 2), v);
	nctl_msg_put_u16(&o->msg, IFLA_VLAN_ID, 9);
	nctl_msg_nest_end(&o->msg, data);
	nctl_msg_put_str(&o->msg, IFLA_INFO_SLAVE_KIND, "nonesuch");
	data = nctl_msg_nest_begin(&o->msg, IFLA_INFO_SLAVE_DATA);
	nctl_msg_put_u32(&o->msg, 1, v);
	nctl_msg_nest_end(&o->msg, data);
	nctl_msg_nest_end(&o->msg, info);
	return out_take(o);
}

static void test_unknown(void **state)
{
	struct nctl_link a, b, copy;
	struct nctl_link_diff d;
	static struct out o, again;
	struct nlmsghdr *nlh;

	(void)state;
	assert_int_equal(nctl_link_decode(with_unknown(&o, 0, 5), &a), 0);
	assert_true(a.rest.n > 0);
	for (unsigned turn = 0; turn < 4; turn++) {
		assert_int_equal(nctl_link_decode(with_unknown(&o, turn, 5), &b), 0);
		assert_false(nctl_link_compare(&a, &b, NULL));
		nctl_link_fini(&b);
	}
	nlh = with_unknown(&o, 1, 5);
	assert_int_equal(unlike(&a, nlh), 0);
	assert_int_equal(nctl_link_copy(&copy, &a), 0);
	nctl_msgbuf_init(&again.msg, again.buf, sizeof(again.buf));
	nctl_link_encode_state(&copy, &again.msg);
	assert_int_equal(nctl_link_decode(out_take(&again), &b), 0);
	assert_false(nctl_link_compare(&a, &b, &d));
	nctl_link_fini(&b);

	assert_int_equal(nctl_link_decode(with_unknown(&o, 2, 6), &b), 0);
	assert_true(nctl_link_compare(&a, &b, &d));
	assert_true(d.rest);
	assert_true(!d.common && !d.data && !d.port && !d.kind && !d.port_kind && !d.vlans);
	/* Four at the top, one in each address family, two in the data, one of the port. */
	assert_int_equal(unlike(&copy, (void *)o.buf), 9);
	nctl_link_fini(&a);
	nctl_link_fini(&b);
	nctl_link_fini(&copy);
}

/* An unknown kind's whole data survives, as does more than fits into what needs no allocation. */
static void test_unknown_many(void **state)
{
	struct nctl_link l;
	static struct out o;
	size_t info, data;

	(void)state;
	out_begin(&o, RTM_NEWLINK, AF_UNSPEC, 7);
	nctl_msg_put_str(&o.msg, IFLA_IFNAME, "x0");
	for (uint32_t i = 0; i < 500; i++)
		nctl_msg_put_u32(&o.msg, (uint16_t)(UNKNOWN + i * 7 % 500), i);
	info = nctl_msg_nest_begin(&o.msg, IFLA_LINKINFO);
	nctl_msg_put_str(&o.msg, IFLA_INFO_KIND, "nonesuch");
	data = nctl_msg_nest_begin(&o.msg, IFLA_INFO_DATA);
	nctl_msg_put_u32(&o.msg, 1, 2);
	nctl_msg_nest_end(&o.msg, data);
	nctl_msg_nest_end(&o.msg, info);
	assert_int_equal(nctl_link_decode(out_take(&o), &l), 0);
	assert_int_equal(unlike(&l, (void *)o.buf), 0);
	nctl_link_fini(&l);
}

/* What ticks makes no difference, wherever it stands. */
static void test_skips(void **state)
{
	static const uint16_t top[] = {
		IFLA_STATS, IFLA_STATS64, IFLA_CARRIER_CHANGES, IFLA_MAP, IFLA_XDP, IFLA_EVENT, 68, 69};
	struct nctl_link l;
	static struct out o;
	size_t spec, family;

	(void)state;
	out_begin(&o, RTM_NEWLINK, AF_UNSPEC, 7);
	nctl_msg_put_str(&o.msg, IFLA_IFNAME, "x0");
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(top); i++)
		nctl_msg_put(&o.msg, top[i], &o, 4 * i);
	spec = nctl_msg_nest_begin(&o.msg, IFLA_AF_SPEC);
	family = nctl_msg_nest_begin(&o.msg, AF_INET);
	nctl_msg_put_u32(&o.msg, IFLA_INET_CONF, 1);
	nctl_msg_nest_end(&o.msg, family);
	family = nctl_msg_nest_begin(&o.msg, AF_INET6);
	nctl_msg_put_u32(&o.msg, IFLA_INET6_CACHEINFO, 1);
	nctl_msg_put_u32(&o.msg, IFLA_INET6_STATS, 1);
	nctl_msg_nest_end(&o.msg, family);
	nctl_msg_nest_end(&o.msg, spec);
	assert_int_equal(nctl_link_decode(out_take(&o), &l), 0);
	assert_int_equal(l.rest.n, 0);
	assert_int_equal(unlike(&l, (void *)o.buf), 0);
	nctl_link_fini(&l);
}

/* Whoever adds to what is not compared says so here. */
static void test_skip_list(void **state)
{
	static const char *const want[] = {
		"IFLA_STATS",
		"IFLA_WIRELESS",
		"IFLA_MAP",
		"IFLA_NUM_VF",
		"IFLA_VFINFO_LIST",
		"IFLA_STATS64",
		"IFLA_VF_PORTS",
		"IFLA_PORT_SELF",
		"IFLA_EXT_MASK",
		"IFLA_CARRIER",
		"IFLA_CARRIER_CHANGES",
		"IFLA_PAD",
		"IFLA_XDP",
		"IFLA_EVENT",
		"IFLA_NEW_NETNSID",
		"IFLA_TARGET_NETNSID",
		"IFLA_CARRIER_UP_COUNT",
		"IFLA_CARRIER_DOWN_COUNT",
		"IFLA_NEW_IFINDEX",
		"IFLA_HEADROOM",
		"IFLA_TAILROOM",
		"IFLA_INFO_XSTATS",
		"IFLA_INET_CONF",
		"IFLA_INET6_FLAGS",
		"IFLA_INET6_CONF",
		"IFLA_INET6_STATS",
		"IFLA_INET6_CACHEINFO",
		"IFLA_INET6_ICMP6STATS",
		"IFLA_INET6_RA_MTU",
		"promiscuity",
		"bond.ad_info",
		"bond port.link_failure_count",
		"bond port.ad_aggregator_id",
		"bond port.ad_actor_oper_port_state",
		"bond port.ad_actor_oper_port_state_str",
		"bond port.ad_partner_oper_port_state",
		"bond port.ad_partner_oper_port_state_str",
		"bond port.churn_actor_state",
		"bond port.churn_partner_state",
		"bridge.hello_timer",
		"bridge.tcn_timer",
		"bridge.topology_change_timer",
		"bridge.gc_timer",
		"bridge.fdb_n_learned",
		"bridge.mcast_querier_state",
		"bridge port.hold_timer",
		"bridge port.message_age_timer",
		"bridge port.forward_delay_timer",
		"bridge port.mcast_eht_hosts_cnt",
		"bridge port.mcast_n_groups",
		"hsr.seq_nr",
		"macvlan.usedbcqueuelen",
		"macvtap.usedbcqueuelen",
		"tun.numqueues",
		"tun.numdisabled",
	};
	struct nctl_link_skip s;
	char name[80];
	size_t i;

	(void)state;
	for (i = 0; nctl_link_skipped(i, &s); i++) {
		snprintf(name, sizeof(name), "%s%s%s%s", s.kind ? s.kind : "", s.port ? " port" : "",
			s.kind ? "." : "", s.name);

		assert_true(i < NCTL_ARRAY_SIZE(want));
		assert_string_equal(name, want[i]);
		assert_true(s.why && *s.why);
	}
	assert_int_equal(i, NCTL_ARRAY_SIZE(want));
}

/* A random link of each kind as the kernel would say it; each of its fields, spoiled, shows. */
static void spoil(const struct nctl_field_table *t, void *data, uint64_t has, const struct nctl_link *l,
	const struct nlmsghdr *nlh)
{
	uint64_t shared = 0;

	for (size_t i = 0; i < t->n; i++) {
		const struct nctl_field *f = &t->v[i];
		uint8_t *p = (uint8_t *)data + f->offset, old = *p;

		/* What another field says first, and what is not compared; pointers are no values. */
		for (size_t j = 0; j < i; j++)
			if (f->attr && t->v[j].attr == f->attr && has & UINT64_C(1) << j)
				shared |= UINT64_C(1) << i;
		if (!f->attr || shared & UINT64_C(1) << i || !(has & UINT64_C(1) << i) ||
			f->flags & NCTL_FIELD_VOLATILE || nctl_field_is_owned(f) ||
			f->type == NCTL_FIELD_IP || f->type == NCTL_FIELD_IPS || f->type == NCTL_FIELD_LLADDR)
			continue;
		*p ^= 1;
		if (unlike(l, nlh) == 0)
			fail_msg("attribute %u of %s: a difference does not show", f->attr,
				nctl_link_kind_name(l) ? nctl_link_kind_name(l) : "-");
		*p = old;
	}
}

static void test_state(void **state)
{
	uint64_t rng = gen_seed();
	struct nctl_link a, b;
	static struct out o;

	(void)state;
	for (int n = 0; n < 20; n++) {
		for (const struct nctl_kind *const *k = nctl_kinds; *k; k++) {
			gen_link(&a, *k, nctl_kind_find(n & 1 ? "bond" : "bridge"), &rng);
			nctl_msgbuf_init(&o.msg, o.buf, sizeof(o.buf));
			nctl_link_encode_state(&a, &o.msg);
			assert_int_equal(nctl_link_decode(out_take(&o), &b), 0);
			assert_int_equal(unlike(&b, (void *)o.buf), 0);
			spoil(&nctl_link_fields, &b, b.has, &b, (void *)o.buf);
			if (b.data)
				spoil(&b.kind->data, b.data, b.data_has, &b, (void *)o.buf);
			if (b.port)
				spoil(&b.port_kind->port, b.port, b.port_has, &b, (void *)o.buf);
			nctl_link_fini(&a);
			nctl_link_fini(&b);
		}
	}
}

/* Decodes a copy of exactly the message's size, so that a sanitizer sees each byte too far. */
static int decode_copy(const struct nlmsghdr *nlh)
{
	struct nlmsghdr *copy = malloc(nlh->nlmsg_len);
	struct nctl_strbuf text = NCTL_STRBUF_INIT;
	struct nctl_json json;
	struct nctl_link l;
	int r;

	memcpy(copy, nlh, nlh->nlmsg_len);
	r = nctl_link_decode(copy, &l);
	if (r == 0) {
		nctl_json_init(&json, &text);
		nctl_link_json(&l, NULL, &json);
		assert_true(unlike(&l, copy) >= 0);
		nctl_link_fini(&l);
	}
	nctl_strbuf_fini(&text);
	free(copy);
	return r;
}

/* Numbers of another size than the field's are refused; nothing is read past its end. */
static void bad_lengths(
	const char *kind, const struct nctl_field_table *t, uint16_t kind_attr, uint16_t data_attr)
{
	static const uint8_t bytes[80] = {3, 0, 1, 0, 5, 0, 0, 0, 1};
	static struct out o;

	for (size_t i = 0; i < t->n; i++) {
		const struct nctl_field *f = &t->v[i];
		bool number = f->type <= NCTL_FIELD_BITS || f->type == NCTL_FIELD_LINK;

		for (size_t len = 0; f->attr && len < sizeof(bytes); len++) {
			size_t info, data;
			int r;

			out_begin(&o, RTM_NEWLINK, AF_UNSPEC, 7);
			nctl_msg_put_str(&o.msg, IFLA_IFNAME, "x0");
			info = nctl_msg_nest_begin(&o.msg, IFLA_LINKINFO);
			nctl_msg_put_str(&o.msg, kind_attr, kind);
			data = nctl_msg_nest_begin(&o.msg, data_attr);
			nctl_msg_put(&o.msg, f->attr, bytes, len);
			nctl_msg_nest_end(&o.msg, data);
			nctl_msg_nest_end(&o.msg, info);
			r = decode_copy(out_take(&o));
			assert_true(r == 0 || r == -EBADMSG);
			if (number && !f->ops && len != f->size)
				assert_int_equal(r, -EBADMSG);
			if (number && len > 8)
				assert_int_equal(r, -EBADMSG);
		}
	}
}

static void test_lengths(void **state)
{
	(void)state;
	for (const struct nctl_kind *const *k = nctl_kinds; *k; k++) {
		if ((*k)->traits & NCTL_KIND_PHYSICAL)
			continue;
		bad_lengths((*k)->name, &(*k)->data, IFLA_INFO_KIND, IFLA_INFO_DATA);
		bad_lengths((*k)->name, &(*k)->port, IFLA_INFO_SLAVE_KIND, IFLA_INFO_SLAVE_DATA);
	}
}

/* -- VLANs -- */

static struct nlmsghdr *vlan_message(struct out *o, uint16_t type, const struct bridge_vlan_info *v, size_t n)
{
	size_t spec;

	out_begin(o, type, AF_BRIDGE, 7);
	nctl_msg_put_str(&o->msg, IFLA_IFNAME, "x0");
	nctl_msg_put_u32(&o->msg, IFLA_MASTER, 3);
	spec = nctl_msg_nest_begin(&o->msg, IFLA_AF_SPEC);
	for (size_t i = 0; i < n; i++)
		nctl_msg_put(&o->msg, IFLA_BRIDGE_VLAN_INFO, &v[i], sizeof(v[i]));
	nctl_msg_nest_end(&o->msg, spec);
	return out_take(o);
}

static void test_vlans(void **state)
{
	static const struct bridge_vlan_info v[] = {
		{BRIDGE_VLAN_INFO_PVID | BRIDGE_VLAN_INFO_UNTAGGED, 1},
		{BRIDGE_VLAN_INFO_RANGE_BEGIN, 100},
		{BRIDGE_VLAN_INFO_RANGE_END, 200},
		{BRIDGE_VLAN_INFO_UNTAGGED, 4094},
	};
	struct nctl_strbuf text = NCTL_STRBUF_INIT;
	struct nctl_vlans *vlans, *same;
	nctl_ifindex ifindex = 0;
	struct nctl_json json;
	static struct out o;

	(void)state;
	assert_int_equal(nctl_bridge_vlans_decode(
				 vlan_message(&o, RTM_NEWLINK, v, NCTL_ARRAY_SIZE(v)), &ifindex, &vlans),
		0);
	assert_int_equal(ifindex, 7);
	nctl_json_init(&json, &text);
	nctl_vlans_json(vlans, &json);
	assert_string_equal(nctl_strbuf_str(&text),
		"[{\"vlan\":1,\"flags\":[\"PVID\",\"Egress "
	        "Untagged\"]},{\"vlan\":100,\"vlanEnd\":200,\"flags\":[]},"
		"{\"vlan\":4094,\"flags\":[\"Egress Untagged\"]}]");
	nctl_strbuf_fini(&text);
	/* Ranges in pieces and out of order are the same set. */
	assert_int_equal(
		nctl_vlans_new((const struct nctl_vlan_range[]){{150, 200, 0},
				       {4094, 4094, NCTL_VLAN_UNTAGGED}, {100, 149, 0},
				       {1, 1, NCTL_VLAN_PVID | NCTL_VLAN_UNTAGGED}, {9, 8, 0}, {5, 5000, 0}},
			6, &same),
		0);
	assert_true(nctl_vlans_equal(vlans, same));
	nctl_vlans_unref(same);
	assert_false(nctl_vlans_equal(vlans, NULL));
	nctl_vlans_unref(nctl_vlans_ref(vlans));
	nctl_vlans_unref(vlans);
	assert_int_equal(nctl_bridge_vlans_decode(vlan_message(&o, RTM_DELLINK, v, 1), &ifindex, &vlans), 0);
	assert_null(vlans);
	assert_int_equal(nctl_bridge_vlans_decode(vlan_message(&o, RTM_NEWLINK, v, 0), &ifindex, &vlans), 0);
	assert_null(vlans);
}

static void test_vlans_bad(void **state)
{
	static const struct bridge_vlan_info bad[][2] = {
		{{0, 0}},
		{{0, 4096}},
		{{BRIDGE_VLAN_INFO_RANGE_END, 5}},
		{{BRIDGE_VLAN_INFO_RANGE_BEGIN, 9}, {BRIDGE_VLAN_INFO_RANGE_END, 8}},
	};
	struct nctl_vlans *vlans;
	nctl_ifindex ifindex;
	static struct out o;
	size_t spec;

	(void)state;
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(bad); i++)
		assert_int_equal(
			nctl_bridge_vlans_decode(vlan_message(&o, RTM_NEWLINK, bad[i], 2), &ifindex, &vlans),
			-EBADMSG);
	/* A card's own switch, and a message that is no bridge's. */
	out_begin(&o, RTM_NEWLINK, AF_BRIDGE, 7);
	nctl_msg_put_u32(&o.msg, IFLA_MASTER, 3);
	spec = nctl_msg_nest_begin(&o.msg, IFLA_AF_SPEC);
	nctl_msg_put_u16(&o.msg, IFLA_BRIDGE_FLAGS, BRIDGE_FLAGS_SELF);
	nctl_msg_nest_end(&o.msg, spec);
	assert_int_equal(nctl_bridge_vlans_decode(out_take(&o), &ifindex, &vlans), NCTL_CODEC_SKIP);
	out_begin(&o, RTM_NEWLINK, AF_BRIDGE, 7);
	assert_int_equal(nctl_bridge_vlans_decode(out_take(&o), &ifindex, &vlans), NCTL_CODEC_SKIP);
	out_begin(&o, RTM_NEWLINK, AF_UNSPEC, 7);
	assert_int_equal(nctl_bridge_vlans_decode(out_take(&o), &ifindex, &vlans), NCTL_CODEC_SKIP);
	out_begin(&o, RTM_NEWLINK, AF_BRIDGE, 7);
	nctl_msg_put_u32(&o.msg, IFLA_MASTER, 3);
	spec = nctl_msg_nest_begin(&o.msg, IFLA_AF_SPEC);
	nctl_msg_put_u16(&o.msg, IFLA_BRIDGE_VLAN_INFO, 3);
	nctl_msg_nest_end(&o.msg, spec);
	assert_int_equal(nctl_bridge_vlans_decode(out_take(&o), &ifindex, &vlans), -EBADMSG);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_unknown_many),
		cmocka_unit_test(test_skips),
		cmocka_unit_test(test_skip_list),
		cmocka_unit_test(test_state),
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_vlans),
		cmocka_unit_test(test_vlans_bad),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
