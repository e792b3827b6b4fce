/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the generator of requests of the differential test: what changes links that exist. Nearly all of its
 * choices hit an existing link and sensible values, one in ten does not.
 */

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <net/if.h>
#include <linux/rtnetlink.h>

#include "fake/diff.h"

unsigned diff_rand(struct diff_gen *g, unsigned n)
{
	g->rng = g->rng * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(g->rng >> 33) % n;
}

bool diff_chance(struct diff_gen *g, unsigned percent)
{
	return diff_rand(g, 100) < percent;
}

void diff_gen_init(struct diff_gen *g, uint64_t seed, bool all_kinds)
{
	*g = (struct diff_gen){.rng = seed * UINT64_C(0x9e3779b97f4a7c15) + 1, .all_kinds = all_kinds};
	diff_rand(g, 2);
	g->inherit = all_kinds && diff_chance(g, 50);
	g->fib = diff_chance(g, 65);
}

void diff_gen_learn(struct diff_gen *g, const struct fk_lines *state)
{
	g->n_links = 0;
	for (size_t i = 0; i < state->n && g->n_links < DIFF_MAX_LINKS; i++)
		if (sscanf(state->v[i], "link %d ", &g->links[g->n_links]) == 1)
			g->n_links++;
}

/* An existing link, seldom lo or one that is not there. */
int diff_pick(struct diff_gen *g)
{
	if (g->n_links < 2 || diff_chance(g, 4))
		return diff_chance(g, 50) ? 1 : 10 + (int)diff_rand(g, 8);
	return g->links[1 + diff_rand(g, (unsigned)g->n_links - 1)];
}

void diff_say(struct diff_op *op, const char *format, ...)
{
	size_t len = strlen(op->text);
	va_list ap;
	va_start(ap, format);
	vsnprintf(op->text + len, sizeof op->text - len, format, ap);
	va_end(ap);
}

void diff_put_mac(struct diff_gen *g, struct diff_op *op, uint16_t attr)
{
	uint8_t mac[6] = {FK_TEST_MAC0, FK_TEST_MAC1, FK_TEST_MAC2, 0, 0, 0};
	unsigned n = diff_chance(g, 90) ? ++g->macs : 1 + diff_rand(g, g->macs + 1);
	/* spread, so that later ones may be lower */
	mac[4] = (uint8_t)(n * 37);
	mac[5] = (uint8_t)n;
	diff_say(op, " mac %02x:%02x", mac[4], mac[5]);
	fk_put(&op->b, attr, mac, sizeof mac);
}

static void diff_begin(struct diff_op *op, uint16_t type, int ifindex, unsigned up, unsigned change)
{
	struct ifinfomsg ifi = {.ifi_index = ifindex, .ifi_flags = up, .ifi_change = change};
	fk_msg_begin(&op->b, type, NLM_F_REQUEST | NLM_F_ACK, 0, &ifi, sizeof ifi);
	diff_say(op, "%s %d", type == RTM_DELLINK ? "del" : "set", ifindex);
	if (change)
		diff_say(op, " flags %x/%x", up, change);
}

static void diff_op_updown(struct diff_gen *g, struct diff_op *op)
{
	diff_begin(op, RTM_NEWLINK, diff_pick(g), diff_chance(g, 70) ? IFF_UP : 0, IFF_UP);
}

static void diff_op_master(struct diff_gen *g, struct diff_op *op)
{
	unsigned change = diff_chance(g, 20) ? IFF_UP : 0;
	int port = diff_pick(g), master = diff_chance(g, 25) ? 0 : diff_pick(g);
	if (g->all_kinds && port == 1)
		port = 10; /* a bond takes lo and its type, which the fake does not model */
	diff_begin(op, RTM_NEWLINK, port, change && diff_chance(g, 70) ? IFF_UP : 0, change);
	diff_say(op, " master %d", master);
	fk_put_u32(&op->b, IFLA_MASTER, (uint32_t)master);
}

static void diff_op_mtu(struct diff_gen *g, struct diff_op *op)
{
	static const uint32_t mtus[] = {1280, 1300, 1400, 1500, 1500, 2000, 9000, 1279, 68, 67, 65535, 70000};
	uint32_t mtu = mtus[diff_rand(g, NCTL_ARRAY_SIZE(mtus))];
	diff_begin(op, RTM_NEWLINK, diff_pick(g), 0, 0);
	diff_say(op, " mtu %u", mtu);
	fk_put_u32(&op->b, IFLA_MTU, mtu);
}

static void diff_op_mac(struct diff_gen *g, struct diff_op *op)
{
	static const uint8_t multicast[6] = {1, 2, 3, 4, 5, 6}, zero[6];
	diff_begin(op, RTM_NEWLINK, diff_pick(g), 0, 0);
	if (diff_chance(g, 90))
		diff_put_mac(g, op, IFLA_ADDRESS);
	else
		fk_put(&op->b, IFLA_ADDRESS, diff_chance(g, 50) ? multicast : zero, 6);
}

static void diff_op_words(struct diff_gen *g, struct diff_op *op)
{
	static const char *const names[] = {
		"x0", "x1", "a0", "bad/name", "a name", "averyverylongname", ".."};
	const char *name = names[diff_rand(g, diff_chance(g, 75) ? 3 : NCTL_ARRAY_SIZE(names))];
	diff_begin(op, diff_chance(g, 80) ? RTM_NEWLINK : RTM_SETLINK, diff_pick(g), 0, 0);
	switch (diff_rand(g, 4)) {
	case 0:
		diff_say(op, " group");
		fk_put_u32(&op->b, IFLA_GROUP, diff_rand(g, 3));
		break;
	case 1:
		diff_say(op, " alias");
		fk_put_str(&op->b, IFLA_IFALIAS, diff_chance(g, 70) ? "an alias" : "");
		break;
	case 2:
		diff_say(op, " txqlen");
		fk_put_u32(&op->b, IFLA_TXQLEN, 500 + diff_rand(g, 3));
		break;
	default:
		diff_say(op, " name %s", name);
		fk_put_str(&op->b, IFLA_IFNAME, name);
	}
}

static void diff_op_addrgen(struct diff_gen *g, struct diff_op *op)
{
	uint8_t mode = diff_chance(g, 80) ? (uint8_t)diff_rand(g, 2) : (uint8_t)(2 + 2 * diff_rand(g, 2));
	diff_begin(op, RTM_NEWLINK, diff_pick(g), 0, 0);
	diff_say(op, " addrgen %u", mode);
	size_t spec = fk_nest_begin(&op->b, IFLA_AF_SPEC);
	size_t six = fk_nest_begin(&op->b, AF_INET6);
	fk_put_u8(&op->b, IFLA_INET6_ADDR_GEN_MODE, mode);
	fk_nest_end(&op->b, six);
	fk_nest_end(&op->b, spec);
}

static void diff_op_altname(struct diff_gen *g, struct diff_op *op)
{
	static const char *const names[] = {"alternative-name-one", "alternative-name-two", "x1"};
	bool add = diff_chance(g, 70);
	const char *name = names[diff_rand(g, NCTL_ARRAY_SIZE(names))];
	struct ifinfomsg ifi = {.ifi_index = diff_pick(g)};
	uint16_t flags = NLM_F_REQUEST | NLM_F_ACK | (add ? NLM_F_CREATE | NLM_F_EXCL | NLM_F_APPEND : 0);
	fk_msg_begin(&op->b, add ? RTM_NEWLINKPROP : RTM_DELLINKPROP, flags, 0, &ifi, sizeof ifi);
	diff_say(op, "%s altname %s of %d", add ? "add" : "del", name, ifi.ifi_index);
	size_t nest = fk_nest_begin(&op->b, IFLA_PROP_LIST | NLA_F_NESTED);
	fk_put_str(&op->b, IFLA_ALT_IFNAME, name);
	fk_nest_end(&op->b, nest);
}

static void diff_op_delete(struct diff_gen *g, struct diff_op *op)
{
	if (diff_chance(g, 80)) {
		diff_begin(op, RTM_DELLINK, diff_pick(g), 0, 0);
		return;
	}
	diff_begin(op, RTM_DELLINK, 0, 0, 0);
	if (diff_chance(g, 50)) {
		diff_say(op, " group");
		fk_put_u32(&op->b, IFLA_GROUP, diff_rand(g, 3));
	} else {
		diff_say(op, " by name");
		fk_put_str(&op->b, IFLA_IFNAME, diff_chance(g, 50) ? "a0" : "alternative-name-one");
	}
}

/* Requests that no kernel takes, or of which it takes only a part. */
static void diff_op_bad(struct diff_gen *g, struct diff_op *op)
{
	uint8_t byte = 1;
	switch (diff_rand(g, 6)) {
	case 0:
		diff_begin(op, RTM_NEWLINK, diff_pick(g), 0, 0);
		diff_say(op, " short mtu");
		fk_put(&op->b, IFLA_MTU, &byte, 1);
		break;
	case 1:
		diff_begin(op, RTM_NEWLINK, -5, IFF_UP, IFF_UP);
		break;
	case 2:
		diff_begin(op, RTM_DELLINK, 0, 0, 0);
		break;
	case 3:
		diff_begin(op, RTM_NEWLINK, diff_pick(g), 0, 0);
		diff_say(op, " short mac");
		fk_put(&op->b, IFLA_ADDRESS, &byte, 1);
		break;
	case 4: /* the first part takes hold although the second is refused */
		diff_begin(op, RTM_NEWLINK, diff_pick(g), 0, 0);
		diff_say(op, " mtu 1450 master 77");
		fk_put_u32(&op->b, IFLA_MTU, 1450);
		fk_put_u32(&op->b, IFLA_MASTER, 77);
		break;
	default:
		diff_begin(op, RTM_NEWLINK, 0, IFF_UP, IFF_UP);
		diff_say(op, " group 1");
		fk_put_u32(&op->b, IFLA_GROUP, 1);
	}
}

/* Most routes need links that are up and addresses. */
static void diff_op_prepare(struct diff_gen *g, struct diff_op *op)
{
	if (g->n_ops <= 2)
		diff_begin(op, RTM_NEWLINK, g->links[g->n_ops], IFF_UP, IFF_UP);
	else
		diff_op_add_address(g, op, g->n_ops == 3 ? AF_INET : AF_INET6, g->links[1]);
	fk_msg_end(&op->b, 0);
}

void diff_gen_next(struct diff_gen *g, struct diff_op *op)
{
	static const struct {
		unsigned weight, fib_weight;
		void (*fn)(struct diff_gen *g, struct diff_op *op);
	} ops[] = {
		{20, 12, diff_op_updown},
		{14, 3, diff_op_master},
		{7, 3, diff_op_mtu},
		{6, 0, diff_op_mac},
		{8, 2, diff_op_words},
		{3, 0, diff_op_addrgen},
		{3, 0, diff_op_altname},
		{7, 3, diff_op_delete},
		{3, 0, diff_op_bad},
		{0, 40, diff_op_route},
		{0, 9, diff_op_unroute},
		{0, 13, diff_op_nexthop},
		{0, 7, diff_op_rule},
		{18, 20, diff_op_address},
		{20, 5, diff_op_create},
	};
	unsigned total = 0;
	memset(op, 0, sizeof *op);
	op->b = FK_BUF(op->bytes);
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(ops); i++)
		total += g->fib ? ops[i].fib_weight : ops[i].weight;
	unsigned at = diff_rand(g, total);
	const size_t create = NCTL_ARRAY_SIZE(ops) - 1;
	if (g->fib && g->n_links >= 3 && g->n_ops++ < 4) {
		diff_op_prepare(g, op);
		return;
	}
	size_t i = g->n_links < 4 && diff_chance(g, 60) ? create : 0;
	for (; i < create; i++) {
		unsigned weight = g->fib ? ops[i].fib_weight : ops[i].weight;
		if (at < weight)
			break;
		at -= weight;
	}
	ops[i].fn(g, op);
	fk_msg_end(&op->b, 0);
}
