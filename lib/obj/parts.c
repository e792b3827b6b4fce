/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: pieces of JSON that routes, next hops, rules and neighbours share, and reading of the attributes that
 * they keep as bytes. Those came from a kernel, but nothing here relies on what is in them.
 */
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "obj/parts.h"
#include "obj/rtname.h"

void nctl_json_dev(
	struct nctl_json *json, const char *key, nctl_ifindex ifindex, const struct nctl_names *names)
{
	const char *name = names->link_name(names->userdata, ifindex);
	char buf[16];

	if (!name) {
		snprintf(buf, sizeof(buf), "if%u", ifindex);
		name = buf;
	}
	nctl_json_kstr(json, key, name);
}

void nctl_json_addr(struct nctl_json *json, const char *key, const struct nctl_prefix *p)
{
	char buf[NCTL_ADDR_STR];

	nctl_json_kstr(json, key, nctl_addr_format(p, buf));
}

void nctl_json_dst(struct nctl_json *json, const char *key, const struct nctl_prefix *p)
{
	char buf[NCTL_PREFIX_STR];

	if (p->len == 0)
		nctl_json_kstr(json, key, "default");
	else if (p->len == nctl_prefix_bits(p->family))
		nctl_json_addr(json, key, p);
	else
		nctl_json_kstr(json, key, nctl_prefix_format(p, buf));
}

void nctl_json_hex(struct nctl_json *json, const char *key, uint64_t v)
{
	char buf[24];

	snprintf(buf, sizeof(buf), "%#llx", (unsigned long long)v);
	nctl_json_kstr(json, key, buf);
}

void nctl_json_set(struct nctl_json *json, const char *key)
{
	nctl_json_key(json, key);
	nctl_json_null(json);
}

void nctl_json_ticks(struct nctl_json *json, const char *key, uint64_t ticks)
{
	nctl_json_key(json, key);
	if (ticks % 100 == 0)
		nctl_json_u64(json, ticks / 100);
	else
		nctl_json_double(json, (double)ticks / 100, ticks % 10 ? 2 : 1);
}

void nctl_json_protocol(struct nctl_json *json, uint8_t protocol)
{
	char buf[NCTL_RTNAME_STR];

	nctl_json_kstr(json, "protocol", nctl_rtname(NCTL_RTNAME_PROTOCOL, protocol, buf));
}

void nctl_json_scope(struct nctl_json *json, uint8_t scope)
{
	char buf[NCTL_RTNAME_STR];

	nctl_json_kstr(json, "scope", nctl_rtname(NCTL_RTNAME_SCOPE, scope, buf));
}

void nctl_json_hop_flags(struct nctl_json *json, uint32_t flags)
{
	static const struct {
		uint32_t bit;
		const char *name;
	} names[] = {
		{RTNH_F_DEAD, "dead"},
		{RTNH_F_ONLINK, "onlink"},
		{RTNH_F_PERVASIVE, "pervasive"},
		{RTNH_F_OFFLOAD, "offload"},
		{RTNH_F_TRAP, "trap"},
		{RTM_F_NOTIFY, "notify"},
		{RTNH_F_LINKDOWN, "linkdown"},
		{RTNH_F_UNRESOLVED, "unresolved"},
		{RTM_F_OFFLOAD, "rt_offload"},
		{RTM_F_TRAP, "rt_trap"},
		{RTM_F_OFFLOAD_FAILED, "rt_offload_failed"},
	};

	nctl_json_key(json, "flags");
	nctl_json_arr_begin(json);
	for (size_t i = 0; flags && i < NCTL_ARRAY_SIZE(names); i++)
		if (flags & names[i].bit)
			nctl_json_str(json, names[i].name);
	nctl_json_arr_end(json);
}

const struct nlattr *nctl_bytes_find(struct nctl_bytes b, uint16_t type)
{
	const struct nlattr *found = NULL, *a;
	size_t at = 0;

	while (b.n - at >= sizeof(*a)) {
		a = (const void *)(b.p + at);
		if (a->nla_len < sizeof(*a) || a->nla_len > b.n - at)
			break;
		if ((a->nla_type & NLA_TYPE_MASK) == type)
			found = a;
		if (NLA_ALIGN((size_t)a->nla_len) >= b.n - at)
			break;
		at += NLA_ALIGN((size_t)a->nla_len);
	}
	return found;
}

struct nctl_bytes nctl_bytes_payload(struct nctl_bytes b, uint16_t type)
{
	const struct nlattr *a = nctl_bytes_find(b, type);

	if (!a || a->nla_len == NLA_HDRLEN)
		return NCTL_BYTES_NULL;
	return (struct nctl_bytes){(const uint8_t *)a + NLA_HDRLEN, (uint32_t)a->nla_len - NLA_HDRLEN};
}

bool nctl_bytes_uint(struct nctl_bytes b, uint16_t type, uint64_t *ret)
{
	struct nctl_bytes v = nctl_bytes_payload(b, type);
	uint16_t u16;
	uint32_t u32;

	switch (v.n) {
	case sizeof(uint8_t):
		*ret = *v.p;
		return true;
	case sizeof(u16):
		memcpy(&u16, v.p, sizeof(u16));
		*ret = u16;
		return true;
	case sizeof(u32):
		memcpy(&u32, v.p, sizeof(u32));
		*ret = u32;
		return true;
	case sizeof(*ret):
		memcpy(ret, v.p, sizeof(*ret));
		return true;
	}
	return false;
}
