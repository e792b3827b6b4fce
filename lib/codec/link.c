/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: links to RTM_NEWLINK, RTM_DELLINK and RTM_*LINKPROP, and back (rtnetlink(7), linux/if_link.h). The
 * requester and the mirror call it, on the hot path: decoding allocates nothing but what a link owns.
 */
#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include "base/cleanup.h"
#include "codec/codec.h"
#include "codec/rest.h"
#include "net/lladdr.h"
#include "nl/attr.h"

enum {
	LINK_MAX = NCTL_CODEC_ATTR_MAX, /* attributes of links that this header may not have yet have fields,
	                                   too */
	PHYS_ID_MAX = 32,               /* MAX_PHYS_ITEM_ID_LEN of linux/netdevice.h */
};

static const struct nctl_attr_policy link_policy[LINK_MAX + 1] = {
	[IFLA_IFNAME] = {.kind = NCTL_ATTR_STR, .max = IF_NAMESIZE},
	[IFLA_LINKINFO] = {.kind = NCTL_ATTR_NEST},
	[IFLA_AF_SPEC] = {.kind = NCTL_ATTR_NEST},
	[IFLA_PROP_LIST] = {.kind = NCTL_ATTR_NEST},
	[IFLA_PHYS_PORT_ID] = {.kind = NCTL_ATTR_BYTES, .max = PHYS_ID_MAX},
	[IFLA_PHYS_SWITCH_ID] = {.kind = NCTL_ATTR_BYTES, .max = PHYS_ID_MAX},
};
static const struct nctl_attr_policy info_policy[IFLA_INFO_MAX + 1] = {
	[IFLA_INFO_KIND] = {.kind = NCTL_ATTR_STR},
	[IFLA_INFO_SLAVE_KIND] = {.kind = NCTL_ATTR_STR},
};
static const struct nctl_attr_policy inet6_policy[IFLA_INET6_MAX + 1] = {
	[IFLA_INET6_ADDR_GEN_MODE] = {.kind = NCTL_ATTR_U8},
	[IFLA_INET6_TOKEN] = {.kind = NCTL_ATTR_BYTES, .min = 16, .max = 16},
};

/* -- decode -- */

/* A nest by a table of fields; what has none goes to the rest. */
static int decode_nest(const struct nctl_field_table *t, const struct nlattr *nest, void *data, uint64_t *has,
	struct nctl_rest *rest, enum nctl_link_place place)
{
	struct nctl_codec_taken taken = NCTL_CODEC_TAKEN_NONE;
	int r = nctl_codec_fields_decode(t, nest, data, has, &taken);

	return r < 0 ? r : nctl_rest_collect_nest(rest, place, nest, &taken);
}

static int decode_kind(struct nctl_link *l, const struct nlattr *const *info, struct nctl_rest *rest)
{
	const struct nctl_kind *k;
	int r;

	k = info[IFLA_INFO_KIND] ? nctl_kind_find(nctl_attr_str(info[IFLA_INFO_KIND])) : NULL;
	if (info[IFLA_INFO_KIND] && !k) {
		l->kind_name = strdup(nctl_attr_str(info[IFLA_INFO_KIND]));
		if (!l->kind_name)
			return -ENOMEM;
	}
	r = k ? nctl_link_set_kind(l, k) : 0;
	if (r < 0 || !info[IFLA_INFO_DATA])
		return r;
	if (!l->data)
		return nctl_rest_add(rest, NCTL_PLACE_INFO, info[IFLA_INFO_DATA]);
	r = decode_nest(&k->data, info[IFLA_INFO_DATA], l->data, &l->data_has, rest, NCTL_PLACE_DATA);
	if (r == 0 && k->fixup)
		k->fixup(l->data, &l->data_has);
	return r;
}

static int decode_port(struct nctl_link *l, const struct nlattr *const *info, struct nctl_rest *rest)
{
	const struct nlattr *name = info[IFLA_INFO_SLAVE_KIND], *data = info[IFLA_INFO_SLAVE_DATA];
	const struct nctl_kind *k;
	int r;

	k = name ? nctl_kind_find(nctl_attr_str(name)) : NULL;
	if (name && !k) {
		l->port_kind_name = strdup(nctl_attr_str(name));
		if (!l->port_kind_name)
			return -ENOMEM;
	}
	r = k ? nctl_link_set_port_kind(l, k) : 0;
	if (r < 0 || !data)
		return r;
	if (!l->port)
		return nctl_rest_add(rest, NCTL_PLACE_INFO, data);
	return decode_nest(&k->port, data, l->port, &l->port_has, rest, NCTL_PLACE_PORT);
}

static int decode_linkinfo(struct nctl_link *l, const struct nlattr *nest, struct nctl_rest *rest)
{
	struct nctl_codec_taken taken = NCTL_CODEC_TAKEN_NONE;
	const struct nlattr *info[IFLA_INFO_MAX + 1];
	int r;

	if (!nest)
		return 0;
	r = nctl_attr_parse_nest(nest, info_policy, info, IFLA_INFO_MAX);
	if (r == 0)
		r = decode_kind(l, info, rest);
	if (r == 0)
		r = decode_port(l, info, rest);
	nctl_codec_take(&taken, IFLA_INFO_KIND);
	nctl_codec_take(&taken, IFLA_INFO_DATA);
	nctl_codec_take(&taken, IFLA_INFO_SLAVE_KIND);
	nctl_codec_take(&taken, IFLA_INFO_SLAVE_DATA);
	return r < 0 ? r : nctl_rest_collect_nest(rest, NCTL_PLACE_INFO, nest, &taken);
}

static int decode_inet6(struct nctl_link *l, const struct nlattr *nest, struct nctl_rest *rest)
{
	struct nctl_codec_taken taken = NCTL_CODEC_TAKEN_NONE;
	const struct nlattr *tb[IFLA_INET6_MAX + 1];
	int r = nctl_attr_parse_nest(nest, inet6_policy, tb, IFLA_INET6_MAX);

	if (r < 0)
		return r;
	if (tb[IFLA_INET6_ADDR_GEN_MODE]) {
		l->addr_gen_mode = nctl_attr_u8(tb[IFLA_INET6_ADDR_GEN_MODE]);
		l->has |= NCTL_LINK_BIT(ADDR_GEN_MODE);
	}
	if (tb[IFLA_INET6_TOKEN]) {
		r = nctl_prefix_from_bytes(nctl_attr_data(tb[IFLA_INET6_TOKEN]), 16, 128, &l->token);
		if (r < 0)
			return r;
		l->has |= NCTL_LINK_BIT(TOKEN);
	}
	nctl_codec_take(&taken, IFLA_INET6_ADDR_GEN_MODE);
	nctl_codec_take(&taken, IFLA_INET6_TOKEN);
	return nctl_rest_collect_nest(rest, NCTL_PLACE_INET6, nest, &taken);
}

static int decode_inet(const struct nlattr *nest, struct nctl_rest *rest)
{
	static const struct nctl_codec_taken none;
	const struct nlattr *tb[1];
	int r = nctl_attr_parse_nest(nest, &(struct nctl_attr_policy){0}, tb, 0);

	return r < 0 ? r : nctl_rest_collect_nest(rest, NCTL_PLACE_INET, nest, &none);
}

/* IFLA_AF_SPEC { AF_INET6 { IFLA_INET6_ADDR_GEN_MODE } ... }; absent where IPv6 is off on the link. */
static int decode_af_spec(struct nctl_link *l, const struct nlattr *nest, struct nctl_rest *rest)
{
	const struct nlattr *a = NULL;
	int r = 0;

	while (nest && r == 0 && (a = nctl_attr_next(nctl_attr_data(nest), nctl_attr_len(nest), a))) {
		if (nctl_attr_type(a) == AF_INET6)
			r = decode_inet6(l, a, rest);
		else if (nctl_attr_type(a) == AF_INET)
			r = decode_inet(a, rest);
		else
			r = nctl_rest_add(rest, NCTL_PLACE_SPEC, a);
	}
	return r;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* IFLA_PROP_LIST { IFLA_ALT_IFNAME ... } */
static int decode_altnames(struct nctl_link *l, const struct nlattr *nest, struct nctl_rest *rest)
{
	const struct nlattr *a = NULL;
	size_t n = 0, max = 0;

	while (nest && (a = nctl_attr_next(nctl_attr_data(nest), nctl_attr_len(nest), a))) {
		if (nctl_attr_type(a) == IFLA_ALT_IFNAME)
			max++;
		else if (nctl_rest_add(rest, NCTL_PLACE_PROPS, a) < 0)
			return -ENOMEM;
	}
	if (max == 0)
		return 0;
	l->altnames = calloc(max + 1, sizeof(*l->altnames));
	if (!l->altnames)
		return -ENOMEM;
	while ((a = nctl_attr_next(nctl_attr_data(nest), nctl_attr_len(nest), a))) {
		if (nctl_attr_type(a) != IFLA_ALT_IFNAME)
			continue;
		l->altnames[n] = nctl_attr_strdup(a);
		if (!l->altnames[n++])
			return -ENOMEM;
	}
	qsort(l->altnames, n, sizeof(*l->altnames), compare_names);
	return 0;
}

/* An identity of bytes (IFLA_PHYS_*_ID) as hexadecimal digits. */
static int decode_id(struct nctl_link *l, const struct nlattr *attr, char **ret, uint64_t bit)
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t *b;
	size_t n;

	if (!attr)
		return 0;
	b = nctl_attr_data(attr);
	n = nctl_attr_len(attr);
	*ret = malloc(2 * n + 1);
	if (!*ret)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		(*ret)[2 * i] = digits[b[i] >> 4];
		(*ret)[2 * i + 1] = digits[b[i] & 15];
	}
	(*ret)[2 * n] = '\0';
	l->has |= bit;
	return 0;
}

static int decode_attrs(struct nctl_link *l, const struct nlmsghdr *nlh, const struct nlattr *const *tb,
	struct nctl_rest *rest)
{
	static const uint16_t others[] = {
		IFLA_LINKINFO, IFLA_AF_SPEC, IFLA_PROP_LIST, IFLA_PHYS_PORT_ID, IFLA_PHYS_SWITCH_ID};
	struct nctl_codec_taken taken = NCTL_CODEC_TAKEN_NONE;
	size_t skip = NLMSG_LENGTH(sizeof(struct ifinfomsg));
	int r = nctl_codec_fields_take(&nctl_link_fields, tb, LINK_MAX, l, &l->has, &taken);

	for (size_t i = 0; i < NCTL_ARRAY_SIZE(others); i++)
		nctl_codec_take(&taken, others[i]);
	if (r == 0)
		r = nctl_rest_collect(
			rest, NCTL_PLACE_TOP, (const uint8_t *)nlh + skip, nlh->nlmsg_len - skip, &taken);
	if (r == 0)
		r = decode_id(l, tb[IFLA_PHYS_PORT_ID], &l->port_id, NCTL_LINK_BIT(PORT_ID));
	if (r == 0)
		r = decode_id(l, tb[IFLA_PHYS_SWITCH_ID], &l->switch_id, NCTL_LINK_BIT(SWITCH_ID));
	if (r == 0)
		r = decode_linkinfo(l, tb[IFLA_LINKINFO], rest);
	if (r == 0)
		r = decode_af_spec(l, tb[IFLA_AF_SPEC], rest);
	if (r == 0)
		r = decode_altnames(l, tb[IFLA_PROP_LIST], rest);
	return r < 0 ? r : nctl_rest_take(rest, &l->rest);
}

int nctl_codec_link_header(const struct nlmsghdr *nlh, uint8_t family, struct ifinfomsg *ret)
{
	if (nlh->nlmsg_type != RTM_NEWLINK && nlh->nlmsg_type != RTM_DELLINK)
		return NCTL_CODEC_SKIP;
	if (nlh->nlmsg_len < NLMSG_LENGTH(sizeof(*ret)))
		return -EBADMSG;
	memcpy(ret, NLMSG_DATA(nlh), sizeof(*ret));
	return ret->ifi_family == family ? 0 : NCTL_CODEC_SKIP;
}

int nctl_link_decode(const struct nlmsghdr *nlh, struct nctl_link *ret)
{
	const struct nlattr *tb[LINK_MAX + 1];
	struct nctl_link l = NCTL_LINK_INIT;
	struct nctl_rest rest;
	struct ifinfomsg ifi;
	int r;

	r = nctl_codec_link_header(nlh, AF_UNSPEC, &ifi);
	if (r == 0)
		r = nctl_attr_parse_msg(nlh, sizeof(ifi), link_policy, tb, LINK_MAX);
	if (r != 0)
		return r;
	/* Wireless events (net/wireless/wext-core.c) come as RTM_NEWLINK with next to nothing inside. */
	if (!tb[IFLA_IFNAME])
		return NCTL_CODEC_SKIP;
	if (ifi.ifi_index <= 0)
		return -EBADMSG;
	l.ifindex = (nctl_ifindex)ifi.ifi_index;
	l.flags = ifi.ifi_flags;
	l.arphrd = ifi.ifi_type;
	l.has = NCTL_LINK_BIT(FLAGS) | NCTL_LINK_BIT(ARPHRD) | NCTL_LINK_BIT(MASTER) | NCTL_LINK_BIT(ALIAS) |
	        NCTL_LINK_BIT(ALTNAMES);
	nctl_rest_init(&rest);
	r = decode_attrs(&l, nlh, tb, &rest);
	nctl_rest_fini(&rest);
	if (r < 0) {
		nctl_link_fini(&l);
		return r;
	}
	*ret = l;
	return 0;
}

/* -- encode -- */

static void begin_link(struct nctl_msgbuf *msg, uint16_t type, uint16_t flags, nctl_ifindex ifindex,
	unsigned ifi_flags, unsigned ifi_change)
{
	struct ifinfomsg ifi = {
		.ifi_family = AF_UNSPEC,
		.ifi_index = (int)ifindex,
		.ifi_flags = ifi_flags,
		.ifi_change = ifi_change,
	};

	nctl_msg_begin(msg, type, flags, &ifi, sizeof(ifi));
}

/* What a creating message can carry of the fields in mask. */
static uint64_t creatable(const struct nctl_field_table *t, uint64_t mask)
{
	return mask & ~nctl_fields_with(t, NCTL_FIELD_READONLY | NCTL_FIELD_LATE);
}

/* A bridge without ports shows such a MAC address, and no link takes one. */
static bool is_zero(const struct nctl_lladdr *a)
{
	return nctl_lladdr_equal(a, &(struct nctl_lladdr){.len = a->len});
}

void nctl_codec_link_attrs_encode(const struct nctl_link *l, struct nctl_msgbuf *msg)
{
	uint64_t mask =
		creatable(&nctl_link_fields, l->has) & ~(NCTL_LINK_BIT(LOWER) | NCTL_LINK_BIT(MASTER));

	if (is_zero(&l->address))
		mask &= ~NCTL_LINK_BIT(ADDRESS);
	if (l->name[0])
		mask |= NCTL_LINK_BIT(NAME);
	/* The lower link of a PEERED kind is its peer, which has a message of its own inside this one. */
	if (l->lower && !(l->kind && l->kind->traits & NCTL_KIND_PEERED))
		mask |= NCTL_LINK_BIT(LOWER);
	if (l->lower_nsid == NCTL_NSID_NONE || !(mask & NCTL_LINK_BIT(LOWER)))
		mask &= ~NCTL_LINK_BIT(LOWER_NSID);
	if (l->master)
		mask |= NCTL_LINK_BIT(MASTER);
	nctl_codec_fields_encode(&nctl_link_fields, l, mask, msg);
}

/* A nest of fields, unless there are none and no one else writes into it. */
static void encode_data(uint16_t attr, const struct nctl_field_table *t, const void *data, uint64_t mask,
	struct nctl_msgbuf *msg)
{
	size_t nest;

	if (!mask || !data)
		return;
	nest = nctl_msg_nest_begin(msg, attr);
	nctl_codec_fields_encode(t, data, mask, msg);
	nctl_msg_nest_end(msg, nest);
}

static void encode_new_kind(const struct nctl_link *l, const struct nctl_link *peer, struct nctl_msgbuf *msg)
{
	const struct nctl_kind *k = l->kind;
	uint64_t mask = k && l->data ? creatable(&k->data, l->data_has) : 0, lower;
	size_t nest;

	if (mask && k->creatable)
		mask = k->creatable(l->data, mask);
	nctl_msg_put_str(msg, IFLA_INFO_KIND, nctl_link_kind_name(l));
	lower = k && l->lower ? nctl_fields_with(&k->data, NCTL_FIELD_LOWER) : 0;
	mask &= ~lower;
	if (!k || (!k->encode_extra && !lower)) {
		encode_data(IFLA_INFO_DATA, k ? &k->data : NULL, l->data, mask, msg);
		return;
	}
	nest = nctl_msg_nest_begin(msg, IFLA_INFO_DATA);
	if (l->data)
		nctl_codec_fields_encode(&k->data, l->data, mask, msg);
	if (lower)
		nctl_msg_put_u32(msg, k->data.v[__builtin_ctzll(lower)].attr, l->lower);
	if (k->encode_extra)
		k->encode_extra(l, peer, msg);
	nctl_msg_nest_end(msg, nest);
}

void nctl_link_encode_new(const struct nctl_link *l, const struct nctl_link *peer, struct nctl_msgbuf *msg)
{
	size_t nest;

	begin_link(msg, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, l->ifindex, 0, 0);
	nctl_codec_link_attrs_encode(l, msg);
	if (nctl_link_kind_name(l)) {
		nest = nctl_msg_nest_begin(msg, IFLA_LINKINFO);
		encode_new_kind(l, peer, msg);
		nctl_msg_nest_end(msg, nest);
	}
}

static void encode_inet6(const struct nctl_link *l, uint64_t mask, struct nctl_msgbuf *msg)
{
	size_t spec = nctl_msg_nest_begin(msg, IFLA_AF_SPEC);
	size_t inet6 = nctl_msg_nest_begin(msg, AF_INET6);

	if (mask & NCTL_LINK_BIT(ADDR_GEN_MODE))
		nctl_msg_put_u8(msg, IFLA_INET6_ADDR_GEN_MODE, l->addr_gen_mode);
	if (mask & NCTL_LINK_BIT(TOKEN))
		nctl_msg_put(msg, IFLA_INET6_TOKEN, l->token.addr, 16);
	nctl_msg_nest_end(msg, inet6);
	nctl_msg_nest_end(msg, spec);
}

static uint64_t settable(const struct nctl_field_table *t, uint64_t mask)
{
	return mask & ~nctl_fields_with(t, NCTL_FIELD_READONLY);
}

static void encode_set_linkinfo(
	const struct nctl_link *l, const struct nctl_link_diff *d, struct nctl_msgbuf *msg)
{
	uint64_t data = l->kind && l->data ? settable(&l->kind->data, d->data) : 0;
	uint64_t port = l->port_kind && l->port ? settable(&l->port_kind->port, d->port) : 0;
	size_t nest;

	if (!data && !port)
		return;
	nest = nctl_msg_nest_begin(msg, IFLA_LINKINFO);
	if (data) {
		nctl_msg_put_str(msg, IFLA_INFO_KIND, l->kind->name);
		encode_data(IFLA_INFO_DATA, &l->kind->data, l->data, data, msg);
	}
	if (port) {
		nctl_msg_put_str(msg, IFLA_INFO_SLAVE_KIND, l->port_kind->name);
		encode_data(IFLA_INFO_SLAVE_DATA, &l->port_kind->port, l->port, port, msg);
	}
	nctl_msg_nest_end(msg, nest);
}

void nctl_link_encode_set(nctl_ifindex ifindex, const struct nctl_link *l, const struct nctl_link_diff *d,
	struct nctl_msgbuf *msg)
{
	unsigned change = d->common & NCTL_LINK_BIT(FLAGS) ? (d->flags ? d->flags : IFF_UP) : 0;

	begin_link(msg, RTM_NEWLINK, 0, ifindex, l->flags & change, change);
	nctl_codec_fields_encode(&nctl_link_fields, l, settable(&nctl_link_fields, d->common), msg);
	if (d->common & (NCTL_LINK_BIT(ADDR_GEN_MODE) | NCTL_LINK_BIT(TOKEN)))
		encode_inet6(l, d->common, msg);
	encode_set_linkinfo(l, d, msg);
}

void nctl_link_encode_del(nctl_ifindex ifindex, struct nctl_msgbuf *msg)
{
	begin_link(msg, RTM_DELLINK, 0, ifindex, 0, 0);
}

void nctl_link_encode_altname(nctl_ifindex ifindex, const char *altname, bool add, struct nctl_msgbuf *msg)
{
	size_t nest;

	if (add)
		begin_link(msg, RTM_NEWLINKPROP, NLM_F_CREATE | NLM_F_EXCL | NLM_F_APPEND, ifindex, 0, 0);
	else
		begin_link(msg, RTM_DELLINKPROP, 0, ifindex, 0, 0);
	/* These two are parsed strictly: a nest must say that it is one (net/core/rtnetlink.c). */
	nest = nctl_msg_nest_begin(msg, IFLA_PROP_LIST | NLA_F_NESTED);
	nctl_msg_put_str(msg, IFLA_ALT_IFNAME, altname);
	nctl_msg_nest_end(msg, nest);
}
