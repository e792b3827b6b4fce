/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: addresses as values: identity as the kernel takes it, difference, and JSON in the shape of `ip -j
 * addr` (iproute2 6.1; "protocol" as iproute2 6.3). Pure functions; the mirror, the plan and the printers use
 * them.
 */
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "obj/addr.h"

static int compare_u32(uint32_t a, uint32_t b)
{
	return a < b ? -1 : a > b;
}

/* The subnet that the kernel compares: that of the peer, which is the address itself without one. */
static struct nctl_prefix subnet(const struct nctl_addr *a)
{
	struct nctl_prefix p = a->peer.family != AF_UNSPEC ? a->peer : a->local;

	p.len = a->local.len;
	nctl_prefix_mask(&p);
	return p;
}

int nctl_addr_cmp(const struct nctl_addr *a, const struct nctl_addr *b)
{
	struct nctl_prefix pa, pb;
	int r = compare_u32(a->ifindex, b->ifindex);

	if (r == 0)
		r = compare_u32(a->local.family, b->local.family);
	if (r == 0)
		r = memcmp(a->local.addr, b->local.addr, sizeof(a->local.addr));
	if (r != 0 || a->local.family != AF_INET)
		return r;
	r = compare_u32(a->local.len, b->local.len);
	if (r != 0)
		return r;
	pa = subnet(a);
	pb = subnet(b);
	return nctl_prefix_cmp(&pa, &pb);
}

static bool same_address(const struct nctl_prefix *a, const struct nctl_prefix *b)
{
	return a->family == b->family && memcmp(a->addr, b->addr, sizeof(a->addr)) == 0;
}

uint64_t nctl_addr_diff(const struct nctl_addr *a, const struct nctl_addr *b)
{
	uint64_t d = 0;

	if (!same_address(&a->local, &b->local))
		d |= NCTL_ADDR_BIT(LOCAL);
	if (!same_address(&a->peer, &b->peer))
		d |= NCTL_ADDR_BIT(PEER);
	if (!same_address(&a->broadcast, &b->broadcast))
		d |= NCTL_ADDR_BIT(BROADCAST);
	if (a->flags != b->flags)
		d |= NCTL_ADDR_BIT(FLAGS);
	if (a->scope != b->scope)
		d |= NCTL_ADDR_BIT(SCOPE);
	if (a->proto != b->proto)
		d |= NCTL_ADDR_BIT(PROTO);
	if (a->metric != b->metric)
		d |= NCTL_ADDR_BIT(METRIC);
	if (a->valid != b->valid || a->preferred != b->preferred)
		d |= NCTL_ADDR_BIT(LIFETIMES);
	if (strncmp(a->label, b->label, sizeof(a->label)) != 0)
		d |= NCTL_ADDR_BIT(LABEL);
	if (a->local.len != b->local.len)
		d |= NCTL_ADDR_BIT(LENGTH);
	return d;
}

static void put_scope(uint8_t scope, struct nctl_json *json)
{
	static const struct {
		uint8_t scope;
		const char *name;
	} names[] = {
		{RT_SCOPE_UNIVERSE, "global"},
		{RT_SCOPE_LINK, "link"},
		{RT_SCOPE_HOST, "host"},
		{RT_SCOPE_SITE, "site"},
		{RT_SCOPE_NOWHERE, "nowhere"},
	};
	char buf[8];

	for (size_t i = 0; i < NCTL_ARRAY_SIZE(names); i++) {
		if (names[i].scope == scope) {
			nctl_json_kstr(json, "scope", names[i].name);
			return;
		}
	}
	snprintf(buf, sizeof(buf), "%u", scope);
	nctl_json_kstr(json, "scope", buf);
}

static void put_protocol(uint8_t proto, struct nctl_json *json)
{
	static const char *const names[] = {
		[IFAPROT_KERNEL_LO] = "kernel_lo",
		[IFAPROT_KERNEL_RA] = "kernel_ra",
		[IFAPROT_KERNEL_LL] = "kernel_ll",
	};
	char buf[8];

	if (proto == IFAPROT_UNSPEC)
		return;
	if (proto < NCTL_ARRAY_SIZE(names)) {
		nctl_json_kstr(json, "protocol", names[proto]);
		return;
	}
	snprintf(buf, sizeof(buf), "%u", proto);
	nctl_json_kstr(json, "protocol", buf);
}

/* IFA_F_PERMANENT shows as its opposite, dynamic; the first flag has another name in each family. */
static void put_flags(const struct nctl_addr *a, struct nctl_json *json)
{
	static const struct {
		uint32_t bit;
		const char *name;
	} names[] = {
		{IFA_F_NODAD, "nodad"},
		{IFA_F_OPTIMISTIC, "optimistic"},
		{IFA_F_DADFAILED, "dadfailed"},
		{IFA_F_HOMEADDRESS, "home"},
		{IFA_F_DEPRECATED, "deprecated"},
		{IFA_F_TENTATIVE, "tentative"},
		{IFA_F_PERMANENT, "dynamic"},
		{IFA_F_MANAGETEMPADDR, "mngtmpaddr"},
		{IFA_F_NOPREFIXROUTE, "noprefixroute"},
		{IFA_F_MCAUTOJOIN, "autojoin"},
		{IFA_F_STABLE_PRIVACY, "stable-privacy"},
	};
	uint32_t shown = a->flags ^ IFA_F_PERMANENT, rest = a->flags & ~(uint32_t)IFA_F_SECONDARY;
	char buf[16];

	if (a->flags & IFA_F_SECONDARY)
		nctl_json_kbool(json, a->local.family == AF_INET6 ? "temporary" : "secondary", true);
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(names); i++) {
		if (shown & names[i].bit)
			nctl_json_kbool(json, names[i].name, true);
		rest &= ~names[i].bit;
	}
	if (rest) {
		snprintf(buf, sizeof(buf), "%02x", rest);
		nctl_json_kstr(json, "ifa_flags", buf);
	}
}

void nctl_addr_json(const struct nctl_addr *a, struct nctl_json *json)
{
	char buf[NCTL_ADDR_STR];

	nctl_json_obj_begin(json);
	nctl_json_kstr(json, "family", a->local.family == AF_INET6 ? "inet6" : "inet");
	nctl_json_kstr(json, "local", nctl_addr_format(&a->local, buf));
	if (a->peer.family != AF_UNSPEC)
		nctl_json_kstr(json, "address", nctl_addr_format(&a->peer, buf));
	nctl_json_ku64(json, "prefixlen", a->local.len);
	if (a->metric)
		nctl_json_ku64(json, "metric", a->metric);
	if (a->broadcast.family != AF_UNSPEC)
		nctl_json_kstr(json, "broadcast", nctl_addr_format(&a->broadcast, buf));
	put_scope(a->scope, json);
	put_flags(a, json);
	put_protocol(a->proto, json);
	if (a->label[0])
		nctl_json_kstr(json, "label", a->label);
	nctl_json_ku64(json, "valid_life_time", a->valid);
	nctl_json_ku64(json, "preferred_life_time", a->preferred);
	nctl_json_obj_end(json);
}
