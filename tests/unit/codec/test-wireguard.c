/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: keys from text, and messages of the wireguard family: random links with many peers go through the
 * messages that make one into the other, which a small model of the kernel's side carries out, and through
 * its answers.
 */
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <linux/wireguard.h>

#include "base/cleanup.h"
#include "codec/wireguard.h"
#include "nl/attr.h"
#include "nl/genl.h"
#include "random.h"
#include "test.h"

enum { FAMILY = 30, LINK = 9, ROOM = NCTL_WG_MESSAGE + 1024 };

static _Alignas(8) uint8_t room[ROOM];

/* -- the kernel's side (drivers/net/wireguard/netlink.c set_peer, set_allowedip) -- */

static const struct nctl_attr_policy any[16];

static struct nctl_wg_peer *model_find(struct nctl_wg *m, const uint8_t *key)
{
	for (size_t i = 0; i < m->n_peers; i++)
		if (!memcmp(m->peers[i].public_key, key, NCTL_WG_KEY))
			return &m->peers[i];
	return NULL;
}

static void model_remove(struct nctl_wg *m, struct nctl_wg_peer *p)
{
	free(p->allowed);
	m->n_peers--;
	memmove(p, p + 1, (size_t)(m->peers + m->n_peers - p) * sizeof(*p));
}

/* A prefix belongs to the peer that was told last. */
static void model_allow(struct nctl_wg *m, struct nctl_wg_peer *p, const struct nctl_prefix *a)
{
	for (size_t i = 0; i < m->n_peers; i++)
		for (size_t k = 0; k < m->peers[i].n_allowed; k++)
			if (nctl_prefix_equal(&m->peers[i].allowed[k], a)) {
				m->peers[i].allowed[k] = m->peers[i].allowed[--m->peers[i].n_allowed];
				break;
			}
	p->allowed = realloc(p->allowed, (p->n_allowed + 1) * sizeof(*p->allowed));
	p->allowed[p->n_allowed++] = *a;
}

static void model_peer(struct nctl_wg *m, const struct nlattr *nest)
{
	const struct nlattr *tb[WGPEER_A_MAX + 1], *ip[WGALLOWEDIP_A_MAX + 1], *a = NULL, *list;
	struct nctl_wg_peer *p;
	struct sockaddr_in6 v6;
	struct sockaddr_in v4;
	uint32_t flags;

	assert_int_equal(nctl_attr_parse_nest(nest, any, tb, WGPEER_A_MAX), 0);
	flags = tb[WGPEER_A_FLAGS] ? nctl_attr_u32(tb[WGPEER_A_FLAGS]) : 0;
	p = model_find(m, nctl_attr_data(tb[WGPEER_A_PUBLIC_KEY]));
	if (flags & WGPEER_F_REMOVE_ME) {
		if (p)
			model_remove(m, p);
		return;
	}
	if (!p) {
		m->peers = realloc(m->peers, (m->n_peers + 1) * sizeof(*m->peers));
		p = &m->peers[m->n_peers++];
		*p = (struct nctl_wg_peer){0};
		memcpy(p->public_key, nctl_attr_data(tb[WGPEER_A_PUBLIC_KEY]), NCTL_WG_KEY);
	}
	if (flags & WGPEER_F_REPLACE_ALLOWEDIPS)
		p->n_allowed = 0;
	if (tb[WGPEER_A_PRESHARED_KEY])
		memcpy(p->shared_key, nctl_attr_data(tb[WGPEER_A_PRESHARED_KEY]), NCTL_WG_KEY);
	if (tb[WGPEER_A_PERSISTENT_KEEPALIVE_INTERVAL])
		p->keepalive = nctl_attr_u16(tb[WGPEER_A_PERSISTENT_KEEPALIVE_INTERVAL]);
	if (tb[WGPEER_A_ENDPOINT] && nctl_attr_len(tb[WGPEER_A_ENDPOINT]) == sizeof(v4)) {
		memcpy(&v4, nctl_attr_data(tb[WGPEER_A_ENDPOINT]), sizeof(v4));
		p->endpoint_port = ntohs(v4.sin_port);
		nctl_prefix_from_bytes(&v4.sin_addr, 4, 32, &p->endpoint);
	} else if (tb[WGPEER_A_ENDPOINT]) {
		memcpy(&v6, nctl_attr_data(tb[WGPEER_A_ENDPOINT]), sizeof(v6));
		p->endpoint_port = ntohs(v6.sin6_port);
		nctl_prefix_from_bytes(&v6.sin6_addr, 16, 128, &p->endpoint);
	}
	list = tb[WGPEER_A_ALLOWEDIPS];
	while (list && (a = nctl_attr_next(nctl_attr_data(list), nctl_attr_len(list), a))) {
		struct nctl_prefix prefix;

		assert_int_equal(nctl_attr_parse_nest(a, any, ip, WGALLOWEDIP_A_MAX), 0);
		assert_int_equal(nctl_prefix_from_bytes(nctl_attr_data(ip[WGALLOWEDIP_A_IPADDR]),
					 nctl_attr_len(ip[WGALLOWEDIP_A_IPADDR]),
					 nctl_attr_u8(ip[WGALLOWEDIP_A_CIDR_MASK]), &prefix),
			0);
		assert_int_equal(nctl_attr_u16(ip[WGALLOWEDIP_A_FAMILY]), prefix.family);
		model_allow(m, p, &prefix);
	}
}

/* One message; how often a peer was named is counted. */
static void model_set(struct nctl_wg *m, const struct nlmsghdr *nlh, bool first, size_t *ret_named)
{
	const struct nlattr *tb[WGDEVICE_A_MAX + 1], *a = NULL, *list;

	assert_int_equal(nctl_genl_cmd(nlh), WG_CMD_SET_DEVICE);
	assert_int_equal(nctl_genl_parse(nlh, any, tb, WGDEVICE_A_MAX), 0);
	assert_int_equal(nctl_attr_u32(tb[WGDEVICE_A_IFINDEX]), LINK);
	if (tb[WGDEVICE_A_FLAGS]) {
		assert_true(first);
		assert_int_equal(nctl_attr_u32(tb[WGDEVICE_A_FLAGS]), WGDEVICE_F_REPLACE_PEERS);
		while (m->n_peers)
			model_remove(m, m->peers);
	}
	if (tb[WGDEVICE_A_PRIVATE_KEY])
		memcpy(m->private_key, nctl_attr_data(tb[WGDEVICE_A_PRIVATE_KEY]), NCTL_WG_KEY);
	if (tb[WGDEVICE_A_LISTEN_PORT])
		m->port = nctl_attr_u16(tb[WGDEVICE_A_LISTEN_PORT]);
	if (tb[WGDEVICE_A_FWMARK])
		m->mark = nctl_attr_u32(tb[WGDEVICE_A_FWMARK]);
	list = tb[WGDEVICE_A_PEERS];
	while (list && (a = nctl_attr_next(nctl_attr_data(list), nctl_attr_len(list), a))) {
		model_peer(m, a);
		(*ret_named)++;
	}
}

/* All messages from have (NULL: unknown) to want, into m. Returns how many. */
static size_t carry_out(
	struct nctl_wg *m, const struct nctl_wg *want, const struct nctl_wg *have, size_t *ret_named)
{
	struct nctl_wg_writing w = {0};
	struct nctl_msgbuf msg;
	size_t n = 0;

	*ret_named = 0;
	for (;; n++) {
		nctl_msgbuf_init(&msg, room, sizeof(room));
		if (!nctl_wg_encode_set(FAMILY, LINK, want, have, &w, &msg))
			return n;
		assert_int_equal(nctl_msg_commit(&msg, 1), 0);
		assert_true(msg.len <= NCTL_WG_MESSAGE + 512);
		model_set(m, (const void *)room, !n, ret_named);
	}
}

/* -- random links -- */

/* key number i, and prefixes of its own */
static void make_peer(struct random *r, uint32_t i, size_t n_allowed, struct nctl_wg_peer *ret)
{
	*ret = (struct nctl_wg_peer){.keepalive = (uint16_t)random_below(r, 3)};
	memcpy(ret->public_key, &i, sizeof(i));
	ret->public_key[31] = 1;
	if (random_below(r, 2))
		ret->shared_key[0] = (uint8_t)(1 + random_below(r, 200));
	if (random_below(r, 2)) {
		ret->endpoint = (struct nctl_prefix){
			.family = AF_INET6, .len = 128, .addr = {0x20, 1, [15] = (uint8_t)i}};
		ret->endpoint_port = (uint16_t)(1 + random_below(r, 60000));
	} else if (random_below(r, 2)) {
		ret->endpoint =
			(struct nctl_prefix){.family = AF_INET, .len = 32, .addr = {192, 0, 2, (uint8_t)i}};
		ret->endpoint_port = 51820;
	}
	ret->allowed = calloc(n_allowed + 1, sizeof(*ret->allowed));
	for (uint32_t k = 0; k < n_allowed; k++) {
		struct nctl_prefix *a = &ret->allowed[ret->n_allowed++];

		*a = (struct nctl_prefix){.family = AF_INET6, .len = 128, .addr = {0xfd}};
		memcpy(&a->addr[4], &i, sizeof(i));
		memcpy(&a->addr[8], &k, sizeof(k));
	}
}

static void make_link(struct random *r, size_t n, size_t most_allowed, struct nctl_wg *ret)
{
	*ret = (struct nctl_wg){.has = NCTL_WG_PRIVATE_KEY | NCTL_WG_PORT | NCTL_WG_MARK | NCTL_WG_PEERS,
		.port = (uint16_t)random_below(r, 3),
		.mark = random_below(r, 3)};
	ret->private_key[3] = (uint8_t)random_below(r, 2);
	ret->peers = calloc(n + 1, sizeof(*ret->peers));
	for (uint32_t i = 0; i < n; i++)
		if (random_below(r, 4))
			make_peer(r, i, random_below(r, (uint32_t)most_allowed + 1),
				&ret->peers[ret->n_peers++]);
	nctl_wg_sort(ret);
}

static void expect_same(struct nctl_wg *m, const struct nctl_wg *want)
{
	nctl_wg_sort(m);
	m->has = want->has;
	assert_int_equal(m->n_peers, want->n_peers);
	assert_int_equal(nctl_wg_diff(want, m), 0);
}

static void test_there_and_back(void **state)
{
	struct random r = {.state = 5};

	(void)state;
	for (int i = 0; i < 60; i++) {
		struct nctl_wg a, b, m = {0};
		static const struct nctl_wg blank;
		size_t named, n = 1 + random_below(&r, 40);

		make_link(&r, n, 5, &a);
		make_link(&r, n, 5, &b);
		carry_out(&m, &a, &blank, &named);
		expect_same(&m, &a);
		assert_int_equal(carry_out(&m, &a, &m, &named), 0);
		carry_out(&m, &b, &a, &named);
		expect_same(&m, &b);
		carry_out(&m, &a, &b, &named);
		for (size_t k = 0; k < a.n_peers; k++) /* an endpoint that is known is not forgotten */
			if (!a.peers[k].endpoint.family)
				model_find(&m, a.peers[k].public_key)->endpoint = (struct nctl_prefix){0};
		expect_same(&m, &a);
		/* From an unknown state. */
		carry_out(&m, &b, NULL, &named);
		assert_int_equal(named, b.n_peers);
		expect_same(&m, &b);
		nctl_wg_fini(&a);
		nctl_wg_fini(&b);
		nctl_wg_fini(&m);
	}
}

static void test_many(void **state)
{
	static const struct nctl_wg blank;
	struct random r = {.state = 7};
	struct nctl_wg want, m = {0}, fewer;
	size_t named, n;

	(void)state;
	make_link(&r, 2000, 3, &want);
	/* One has more prefixes than a message holds. */
	free(want.peers[7].allowed);
	make_peer(&r, 5000000, 3000, &want.peers[7]);
	nctl_wg_sort(&want);
	n = carry_out(&m, &want, &blank, &named);
	assert_true(n > 10);
	expect_same(&m, &want);
	/* One that goes is the only one that is named. */
	fewer = want;
	fewer.n_peers--;
	assert_int_equal(carry_out(&m, &fewer, &want, &named), 1);
	assert_int_equal(named, 1);
	expect_same(&m, &fewer);
	nctl_wg_fini(&want);
	nctl_wg_fini(&m);
}

/* What one peer loses and another one gets. */
static void test_moved_prefix(void **state)
{
	struct nctl_prefix x = {.family = AF_INET, .len = 24, .addr = {10, 1, 2}}, all = {.family = AF_INET};
	struct nctl_wg_peer before[2] = {
		{.public_key = {1}, .allowed = &x, .n_allowed = 1}, {.public_key = {2}}};
	struct nctl_wg_peer after[2] = {{.public_key = {1}, .allowed = &all, .n_allowed = 1},
		{.public_key = {2}, .allowed = &x, .n_allowed = 1}};
	struct nctl_wg a = {.has = NCTL_WG_PEERS, .peers = before, .n_peers = 2}, b = a, m = {0};
	static const struct nctl_wg blank;
	size_t named;

	(void)state;
	b.peers = after;
	carry_out(&m, &a, &blank, &named);
	carry_out(&m, &b, &a, &named);
	expect_same(&m, &b);
	carry_out(&m, &a, &b, &named);
	expect_same(&m, &a);
	nctl_wg_fini(&m);
}

/* As the kernel answers (get_peer): peers in several messages, one of them cut between two prefixes. */
static void put_answer(const struct nctl_wg *v, size_t peer, size_t from, size_t to, struct nctl_msgbuf *msg)
{
	const struct nctl_wg_peer *p = &v->peers[peer];
	struct sockaddr_in6 at = {.sin6_family = AF_INET6, .sin6_port = htons(p->endpoint_port)};
	size_t peers, nest, list, one;

	memcpy(&at.sin6_addr, p->endpoint.addr, 16);
	nctl_msgbuf_init(msg, room, sizeof(room));
	nctl_genl_begin(msg, FAMILY, NLM_F_MULTI, WG_CMD_GET_DEVICE, 1);
	if (!peer && !from) {
		nctl_msg_put(msg, WGDEVICE_A_PRIVATE_KEY, v->private_key, NCTL_WG_KEY);
		nctl_msg_put_u16(msg, WGDEVICE_A_LISTEN_PORT, v->port);
		nctl_msg_put_u32(msg, WGDEVICE_A_FWMARK, v->mark);
	}
	peers = nctl_msg_nest_begin(msg, NLA_F_NESTED | WGDEVICE_A_PEERS);
	nest = nctl_msg_nest_begin(msg, NLA_F_NESTED);
	nctl_msg_put(msg, WGPEER_A_PUBLIC_KEY, p->public_key, NCTL_WG_KEY);
	if (!from) {
		nctl_msg_put(msg, WGPEER_A_PRESHARED_KEY, p->shared_key, NCTL_WG_KEY);
		nctl_msg_put_u16(msg, WGPEER_A_PERSISTENT_KEEPALIVE_INTERVAL, p->keepalive);
		if (p->endpoint.family)
			nctl_msg_put(msg, WGPEER_A_ENDPOINT, &at, sizeof(at));
	}
	list = nctl_msg_nest_begin(msg, NLA_F_NESTED | WGPEER_A_ALLOWEDIPS);
	for (size_t i = from; i < to; i++) {
		one = nctl_msg_nest_begin(msg, NLA_F_NESTED);
		nctl_msg_put_u16(msg, WGALLOWEDIP_A_FAMILY, p->allowed[i].family);
		nctl_msg_put(msg, WGALLOWEDIP_A_IPADDR, p->allowed[i].addr,
			nctl_prefix_bytes(p->allowed[i].family));
		nctl_msg_put_u8(msg, WGALLOWEDIP_A_CIDR_MASK, p->allowed[i].len);
		nctl_msg_nest_end(msg, one);
	}
	nctl_msg_nest_end(msg, list);
	nctl_msg_nest_end(msg, nest);
	nctl_msg_nest_end(msg, peers);
	assert_int_equal(nctl_msg_commit(msg, 1), 0);
}

static void test_answers(void **state)
{
	struct nctl_wg_reading reading = {0};
	struct random r = {.state = 11};
	struct nctl_msgbuf msg;
	struct nctl_wg v;

	(void)state;
	make_link(&r, 60, 30, &v);
	for (size_t i = 0; i < v.n_peers; i++) {
		size_t half = v.peers[i].n_allowed / 2;

		if (v.peers[i].endpoint.family == AF_INET)
			v.peers[i].endpoint = (struct nctl_prefix){0};
		put_answer(&v, i, 0, half, &msg);
		assert_int_equal(nctl_wg_decode((const void *)room, &reading), 0);
		if (half == v.peers[i].n_allowed)
			continue;
		put_answer(&v, i, half, v.peers[i].n_allowed, &msg);
		assert_int_equal(nctl_wg_decode((const void *)room, &reading), 0);
	}
	nctl_wg_sort(&reading.v);
	assert_int_equal(nctl_wg_diff(&v, &reading.v), 0);
	assert_int_equal(nctl_wg_diff(&reading.v, &v), 0);
	/* Damaged in any way, it is refused or read; never more. */
	for (int i = 0; i < 3000; i++) {
		put_answer(&v, i % v.n_peers, 0, v.peers[(size_t)i % v.n_peers].n_allowed, &msg);
		room[NLMSG_HDRLEN + NCTL_GENL_HDRLEN + random_below(&r, (uint32_t)msg.len - 20)] ^=
			(uint8_t)(1u << random_below(&r, 8));
		(void)nctl_wg_decode((const void *)room, &reading);
	}
	nctl_wg_fini(&reading.v);
	nctl_wg_fini(&v);
}

static void test_keys(void **state)
{
	static const char good[] = "yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk=";
	uint8_t key[NCTL_WG_KEY], same[NCTL_WG_KEY];
	char text[64];

	(void)state;
	assert_true(nctl_wg_key_parse(good, strlen(good), key));
	assert_int_equal(key[0], 0xc8);
	assert_int_equal(key[31], 0x69);
	snprintf(text, sizeof(text), " %s\n", good);
	assert_true(nctl_wg_key_parse(text, strlen(text), same));
	assert_memory_equal(key, same, NCTL_WG_KEY);
	assert_false(nctl_wg_key_parse(good, strlen(good) - 1, same));
	assert_false(nctl_wg_key_parse("", 0, same));
	assert_false(nctl_wg_key_parse("   ", 3, same));
	/* Two bits too many; a digit that is none; one more character. */
	assert_false(nctl_wg_key_parse("yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBml=", 44, same));
	assert_false(nctl_wg_key_parse("yAnz5TF-lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk=", 44, same));
	assert_false(nctl_wg_key_parse("ayAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk=", 45, same));
	memset(key, 0xff, sizeof(key));
	nctl_wg_key_clamp(key);
	assert_int_equal(key[0], 0xf8);
	assert_int_equal(key[31], 0x7f);
	assert_false(nctl_wg_key_is_none(key));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_there_and_back),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_moved_prefix),
		cmocka_unit_test(test_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
