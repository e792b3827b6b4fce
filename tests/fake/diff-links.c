/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the generator of requests of the differential test: new links, and addresses.
 */

#include <arpa/inet.h>
#include <string.h>
#include <net/if.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>

#include "fake/diff.h"

static const char *diff_kind(struct diff_gen *g)
{
	static const char *const native[] = {"veth", "veth", "bridge", "macvlan"};
	static const char *const all[] = {
		"veth", "bridge", "macvlan", "dummy", "dummy", "vlan", "vlan", "bond", "vrf"};
	static const char *const inherit[] = {
		"veth", "macvlan", "dummy", "dummy", "vlan", "vlan", "bond", "bond", "vrf"};
	if (diff_chance(g, 2))
		return "nonsense";
	if (!g->all_kinds)
		return native[diff_rand(g, NCTL_ARRAY_SIZE(native))];
	if (g->inherit)
		return inherit[diff_rand(g, NCTL_ARRAY_SIZE(inherit))];
	return all[diff_rand(g, NCTL_ARRAY_SIZE(all))];
}

/* A new link's number: it decides its name and its index. */
static unsigned diff_number(struct diff_gen *g)
{
	for (unsigned tries = 0; tries < 8; tries++) {
		unsigned n = diff_rand(g, 8);
		bool used = false;
		for (size_t i = 0; i < g->n_links; i++)
			used |= g->links[i] == 10 + (int)n || g->links[i] == 20 + (int)n;
		if (!used || diff_chance(g, 10))
			return n;
	}
	return diff_rand(g, 8);
}

static void diff_put_peer(struct diff_gen *g, struct diff_op *op, unsigned n, int ifindex)
{
	unsigned up = diff_chance(g, 3) ? IFF_UP : 0;
	struct ifinfomsg ifi = {.ifi_index = ifindex ? 20 + (int)n : 0, .ifi_flags = up, .ifi_change = up};
	char name[] = "p0";
	name[1] = (char)('0' + n);
	size_t peer = fk_nest_begin(&op->b, VETH_INFO_PEER);
	fk_put_raw(&op->b, &ifi, sizeof ifi);
	fk_put_str(&op->b, IFLA_IFNAME, name);
	diff_say(op, " peer %s%s", name, up ? " up" : "");
	diff_put_mac(g, op, IFLA_ADDRESS);
	fk_nest_end(&op->b, peer);
}

static void diff_put_data(struct diff_gen *g, struct diff_op *op, const char *kind, unsigned n, int ifindex)
{
	if (strcmp(kind, "bridge") == 0 || strcmp(kind, "dummy") == 0 || strcmp(kind, "nonsense") == 0)
		return;
	size_t data = fk_nest_begin(&op->b, IFLA_INFO_DATA);
	if (strcmp(kind, "veth") == 0)
		diff_put_peer(g, op, n, ifindex);
	if (strcmp(kind, "macvlan") == 0)
		fk_put_u32(&op->b, IFLA_MACVLAN_MODE,
			diff_chance(g, 80) ? MACVLAN_MODE_BRIDGE : MACVLAN_MODE_PRIVATE);
	if (strcmp(kind, "vlan") == 0) {
		unsigned id = diff_chance(g, 95) ? 1 + diff_rand(g, 5) : 4096;
		diff_say(op, " id %u", id);
		fk_put_u16(&op->b, IFLA_VLAN_ID, (uint16_t)id);
	}
	if (strcmp(kind, "vrf") == 0 && diff_chance(g, 95))
		fk_put_u32(&op->b, IFLA_VRF_TABLE, 100 + n);
	if (strcmp(kind, "bond") == 0)
		fk_put_u8(&op->b, IFLA_BOND_MODE, diff_chance(g, 50) ? 1 : 2);
	fk_nest_end(&op->b, data);
}

static void diff_put_extras(struct diff_gen *g, struct diff_op *op, const char *kind)
{
	bool stacked = strcmp(kind, "vlan") == 0 || strcmp(kind, "macvlan") == 0;
	bool may_inherit =
		strcmp(kind, "bridge") == 0 || (g->inherit && (stacked || strcmp(kind, "bond") == 0));
	if (strcmp(kind, "macvlan") == 0 || !may_inherit || diff_chance(g, 50))
		diff_put_mac(g, op, IFLA_ADDRESS);
	if (stacked && diff_chance(g, 97)) {
		int lower = diff_pick(g);
		diff_say(op, " link %d", lower);
		fk_put_u32(&op->b, IFLA_LINK, (uint32_t)lower);
	}
	if (diff_chance(g, 15)) {
		uint32_t mtu = diff_chance(g, 80) ? 1300 + 100 * diff_rand(g, 4) : 40;
		diff_say(op, " mtu %u", mtu);
		fk_put_u32(&op->b, IFLA_MTU, mtu);
	}
	if (diff_chance(g, 15)) {
		int master = diff_pick(g);
		diff_say(op, " master %d", master);
		fk_put_u32(&op->b, IFLA_MASTER, (uint32_t)master);
	}
	if (diff_chance(g, 10)) {
		diff_say(op, " group 1");
		fk_put_u32(&op->b, IFLA_GROUP, 1);
	}
}

void diff_op_create(struct diff_gen *g, struct diff_op *op)
{
	const char *kind = diff_kind(g);
	unsigned n = diff_number(g), up = diff_chance(g, 30) ? IFF_UP : 0;
	struct ifinfomsg ifi = {.ifi_flags = up, .ifi_change = up};
	uint16_t flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | (diff_chance(g, 90) ? NLM_F_EXCL : 0);
	char name[] = "a0";
	if (diff_chance(g, 85))
		ifi.ifi_index = 10 + (int)n;
	fk_msg_begin(&op->b, RTM_NEWLINK, flags, 0, &ifi, sizeof ifi);
	name[1] = (char)('0' + n);
	diff_say(op, "add %d %s %s%s", ifi.ifi_index, name, kind, up ? " up" : "");
	if (diff_chance(g, 97))
		fk_put_str(&op->b, IFLA_IFNAME, name);
	diff_put_extras(g, op, kind);
	size_t info = fk_nest_begin(&op->b, IFLA_LINKINFO);
	fk_put_str(&op->b, IFLA_INFO_KIND, kind);
	diff_put_data(g, op, kind, n, ifi.ifi_index);
	fk_nest_end(&op->b, info);
}

static void diff_put_address(struct diff_gen *g, struct diff_op *op, uint8_t family, uint16_t attr)
{
	static const char *const four[] = {"10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.1.1", "192.0.2.1"};
	static const char *const six[] = {
		"2001:db8::1", "2001:db8::2", "2001:db8:1::1", "fe80::1", "::1", "ff02::99"};
	uint8_t addr[16];
	const char *text = family == AF_INET
	                           ? four[diff_rand(g, NCTL_ARRAY_SIZE(four))]
	                           : six[diff_rand(g, diff_chance(g, 90) ? 4 : NCTL_ARRAY_SIZE(six))];
	inet_pton(family, text, addr);
	diff_say(op, " %s", text);
	fk_put(&op->b, attr, addr, family == AF_INET ? 4 : 16);
}

static void diff_put_address_extras(struct diff_gen *g, struct diff_op *op, uint8_t family)
{
	static const uint8_t brd[4] = {10, 0, 0, 255};
	struct ifa_cacheinfo ci = {
		.ifa_valid = UINT32_MAX, .ifa_prefered = diff_chance(g, 50) ? 0 : UINT32_MAX};
	if (family == AF_INET && diff_chance(g, 30))
		fk_put(&op->b, IFA_BROADCAST, brd, sizeof brd);
	if (family == AF_INET && diff_chance(g, 10))
		fk_put_str(&op->b, IFA_LABEL, "lab:1");
	if (diff_chance(g, 30))
		fk_put_u32(&op->b, IFA_FLAGS, diff_chance(g, 70) ? IFA_F_NODAD : IFA_F_NOPREFIXROUTE);
	if (diff_chance(g, 20))
		fk_put_u8(&op->b, IFA_PROTO, 78);
	if (diff_chance(g, 10))
		fk_put_u32(&op->b, IFA_RT_PRIORITY, 1000);
	if (diff_chance(g, 10)) {
		ci.ifa_valid = diff_chance(g, 80) ? UINT32_MAX : 0;
		fk_put(&op->b, IFA_CACHEINFO, &ci, sizeof ci);
	}
}

void diff_op_address(struct diff_gen *g, struct diff_op *op)
{
	static const uint8_t four[] = {24, 24, 24, 16, 32, 33}, six[] = {64, 64, 64, 128, 129};
	bool add = diff_chance(g, 75);
	uint8_t family = diff_chance(g, 50) ? AF_INET : AF_INET6;
	uint16_t flags = NLM_F_REQUEST | NLM_F_ACK;
	if (add)
		flags |= NLM_F_CREATE | (diff_chance(g, 80)          ? NLM_F_EXCL
						: diff_chance(g, 50) ? NLM_F_REPLACE
								     : 0);
	struct ifaddrmsg ifa = {
		.ifa_family = family,
		.ifa_index = (uint32_t)diff_pick(g),
		.ifa_prefixlen = family == AF_INET ? four[diff_rand(g, diff_chance(g, 95) ? 5 : 6)]
	                                           : six[diff_rand(g, diff_chance(g, 95) ? 4 : 5)],
		.ifa_scope = diff_chance(g, 90) ? RT_SCOPE_UNIVERSE : RT_SCOPE_LINK,
	};
	fk_msg_begin(&op->b, add ? RTM_NEWADDR : RTM_DELADDR, flags, 0, &ifa, sizeof ifa);
	diff_say(op, "%s address on %u /%u flags %x:", add ? "add" : "del", ifa.ifa_index, ifa.ifa_prefixlen,
		flags);
	diff_put_address(g, op, family, diff_chance(g, 97) ? IFA_LOCAL : IFA_ADDRESS);
	if (diff_chance(g, 8))
		diff_put_address(g, op, family, IFA_ADDRESS);
	if (add)
		diff_put_address_extras(g, op, family);
}

void diff_op_add_address(struct diff_gen *g, struct diff_op *op, uint8_t family, int ifindex)
{
	const char *text = family == AF_INET ? "10.0.0.1" : "2001:db8::1";
	uint8_t addr[16];
	struct ifaddrmsg ifa = {.ifa_family = family,
		.ifa_index = (uint32_t)ifindex,
		.ifa_prefixlen = family == AF_INET ? 24 : 64};
	(void)g;
	inet_pton(family, text, addr);
	fk_msg_begin(&op->b, RTM_NEWADDR, NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL, 0, &ifa,
		sizeof ifa);
	diff_say(op, "add address on %d: %s", ifindex, text);
	fk_put(&op->b, IFA_LOCAL, addr, family == AF_INET ? 4 : 16);
}
