/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: a link as the kernel itself describes it, made again from what was kept of it, and the comparison of
 * the two, attribute by attribute: what `netctl verify` goes by. Both sides are laid out as lists ordered by
 * place, type and bytes, so that the order of attributes, which is no information, does not count.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include "base/cleanup.h"
#include "codec/codec.h"
#include "codec/rest.h"
#include "codec/route.h"
#include "nl/attr.h"

enum { STATE_MAX = 1 << 17 }; /* bytes: more than a message's attributes can say (nla_len has 16 bits) */

/* -- encode -- */

static void encode_nest(uint16_t attr, const struct nctl_field_table *t, const void *data, uint64_t has,
	struct nctl_bytes rest, enum nctl_link_place place, struct nctl_msgbuf *msg)
{
	size_t nest;

	if (!data)
		return;
	nest = nctl_msg_nest_begin(msg, attr);
	nctl_codec_fields_encode_state(t, data, has, msg);
	nctl_rest_encode(rest, place, msg);
	nctl_msg_nest_end(msg, nest);
}

static void encode_linkinfo(const struct nctl_link *l, struct nctl_msgbuf *msg)
{
	const char *kind = nctl_link_kind_name(l);
	const char *port = l->port_kind ? l->port_kind->name : l->port_kind_name;
	size_t nest;

	if (!kind && !port && !nctl_rest_has(l->rest, NCTL_PLACE_INFO))
		return;
	nest = nctl_msg_nest_begin(msg, IFLA_LINKINFO);
	if (kind)
		nctl_msg_put_str(msg, IFLA_INFO_KIND, kind);
	if (l->kind)
		encode_nest(
			IFLA_INFO_DATA, &l->kind->data, l->data, l->data_has, l->rest, NCTL_PLACE_DATA, msg);
	if (port)
		nctl_msg_put_str(msg, IFLA_INFO_SLAVE_KIND, port);
	if (l->port_kind)
		encode_nest(IFLA_INFO_SLAVE_DATA, &l->port_kind->port, l->port, l->port_has, l->rest,
			NCTL_PLACE_PORT, msg);
	nctl_rest_encode(l->rest, NCTL_PLACE_INFO, msg);
	nctl_msg_nest_end(msg, nest);
}

static void encode_af_spec(const struct nctl_link *l, struct nctl_msgbuf *msg)
{
	size_t spec = nctl_msg_nest_begin(msg, IFLA_AF_SPEC), family;

	family = nctl_msg_nest_begin(msg, AF_INET);
	nctl_rest_encode(l->rest, NCTL_PLACE_INET, msg);
	nctl_msg_nest_end(msg, family);
	if (l->has & (NCTL_LINK_BIT(ADDR_GEN_MODE) | NCTL_LINK_BIT(TOKEN)) ||
		nctl_rest_has(l->rest, NCTL_PLACE_INET6)) {
		family = nctl_msg_nest_begin(msg, AF_INET6);
		if (l->has & NCTL_LINK_BIT(ADDR_GEN_MODE))
			nctl_msg_put_u8(msg, IFLA_INET6_ADDR_GEN_MODE, l->addr_gen_mode);
		if (l->has & NCTL_LINK_BIT(TOKEN))
			nctl_msg_put(msg, IFLA_INET6_TOKEN, l->token.addr, 16);
		nctl_rest_encode(l->rest, NCTL_PLACE_INET6, msg);
		nctl_msg_nest_end(msg, family);
	}
	nctl_rest_encode(l->rest, NCTL_PLACE_SPEC, msg);
	nctl_msg_nest_end(msg, spec);
}

static void encode_props(const struct nctl_link *l, struct nctl_msgbuf *msg)
{
	size_t nest;

	if (!l->altnames && !nctl_rest_has(l->rest, NCTL_PLACE_PROPS))
		return;
	nest = nctl_msg_nest_begin(msg, IFLA_PROP_LIST);
	for (char **name = l->altnames; name && *name; name++)
		nctl_msg_put_str(msg, IFLA_ALT_IFNAME, *name);
	nctl_rest_encode(l->rest, NCTL_PLACE_PROPS, msg);
	nctl_msg_nest_end(msg, nest);
}

static unsigned digit(char c)
{
	return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static void encode_id(uint16_t attr, const char *text, struct nctl_msgbuf *msg)
{
	uint8_t b[32]; /* MAX_PHYS_ITEM_ID_LEN of linux/netdevice.h, which the decoder sees to */
	size_t n;

	if (!text)
		return;
	for (n = 0; n < sizeof(b) && text[2 * n]; n++)
		b[n] = (uint8_t)(digit(text[2 * n]) << 4 | digit(text[2 * n + 1]));
	nctl_msg_put(msg, attr, b, n);
}

void nctl_link_encode_state(const struct nctl_link *l, struct nctl_msgbuf *msg)
{
	struct ifinfomsg ifi = {
		.ifi_family = AF_UNSPEC,
		.ifi_type = l->arphrd,
		.ifi_index = (int)l->ifindex,
		.ifi_flags = l->flags,
	};

	nctl_msg_begin(msg, RTM_NEWLINK, 0, &ifi, sizeof(ifi));
	nctl_codec_fields_encode_state(&nctl_link_fields, l, l->has, msg);
	encode_id(IFLA_PHYS_PORT_ID, l->port_id, msg);
	encode_id(IFLA_PHYS_SWITCH_ID, l->switch_id, msg);
	nctl_rest_encode(l->rest, NCTL_PLACE_TOP, msg);
	encode_linkinfo(l, msg);
	encode_af_spec(l, msg);
	encode_props(l, msg);
}

/* -- compare -- */

static const struct nctl_codec_taken none;

/* The attributes of a table's volatile fields count as taken, so that they are not looked at. */
static struct nctl_codec_taken volatiles(const struct nctl_field_table *t)
{
	struct nctl_codec_taken taken = NCTL_CODEC_TAKEN_NONE;

	for (size_t i = 0; i < t->n; i++)
		if (t->v[i].flags & NCTL_FIELD_VOLATILE)
			nctl_codec_take(&taken, t->v[i].attr);
	return taken;
}

static int list_nest(struct nctl_rest *r, enum nctl_link_place place, const struct nctl_field_table *t,
	const struct nlattr *nest)
{
	struct nctl_codec_taken taken;

	if (!t)
		return nctl_rest_add(r, NCTL_PLACE_INFO, nest);
	taken = volatiles(t);
	return nctl_rest_collect_nest(r, place, nest, &taken);
}

/* l says of which kinds the nests are. */
static int list_info(struct nctl_rest *r, const struct nctl_link *l, const struct nlattr *info)
{
	const struct nlattr *a = NULL;
	int e = 0;

	while (e == 0 && (a = nctl_attr_next(nctl_attr_data(info), nctl_attr_len(info), a))) {
		if (nctl_attr_type(a) == IFLA_INFO_DATA)
			e = list_nest(r, NCTL_PLACE_DATA, l->data ? &l->kind->data : NULL, a);
		else if (nctl_attr_type(a) == IFLA_INFO_SLAVE_DATA)
			e = list_nest(r, NCTL_PLACE_PORT, l->port ? &l->port_kind->port : NULL, a);
		else
			e = nctl_rest_add(r, NCTL_PLACE_INFO, a);
	}
	return e;
}

static int list_spec(struct nctl_rest *r, const struct nlattr *spec)
{
	const struct nlattr *a = NULL;
	int e = 0;

	while (e == 0 && (a = nctl_attr_next(nctl_attr_data(spec), nctl_attr_len(spec), a))) {
		if (nctl_attr_type(a) == AF_INET)
			e = nctl_rest_collect_nest(r, NCTL_PLACE_INET, a, &none);
		else if (nctl_attr_type(a) == AF_INET6)
			e = nctl_rest_collect_nest(r, NCTL_PLACE_INET6, a, &none);
		else
			e = nctl_rest_add(r, NCTL_PLACE_SPEC, a);
	}
	return e;
}

static int list_all(struct nctl_rest *r, const struct nctl_link *l, const struct nlmsghdr *nlh)
{
	struct nctl_codec_taken taken = volatiles(&nctl_link_fields);
	size_t skip = NLMSG_LENGTH(sizeof(struct ifinfomsg));
	const struct nlattr *a = NULL;
	int e = 0;

	while (e == 0 && (a = nctl_attr_next((const uint8_t *)nlh + skip, nlh->nlmsg_len - skip, a))) {
		if (nctl_attr_type(a) == IFLA_LINKINFO)
			e = list_info(r, l, a);
		else if (nctl_attr_type(a) == IFLA_AF_SPEC)
			e = list_spec(r, a);
		else if (nctl_attr_type(a) == IFLA_PROP_LIST)
			e = nctl_rest_collect_nest(r, NCTL_PLACE_PROPS, a, &none);
		else if (!nctl_codec_is_taken(&taken, nctl_attr_type(a)))
			e = nctl_rest_add(r, NCTL_PLACE_TOP, a);
	}
	nctl_rest_sort(r);
	return e;
}

struct telling {
	void (*tell)(void *userdata, const char *path);
	void *userdata;
	int n;
};

static void tell_header(struct telling *t, const char *path)
{
	t->tell(t->userdata, path);
	t->n++;
}

static void tell_item(struct telling *t, const struct nctl_rest_item *i)
{
	static const char *const places[NCTL_PLACE_END] = {
		[NCTL_PLACE_TOP] = "IFLA",
		[NCTL_PLACE_INFO] = "LINKINFO",
		[NCTL_PLACE_DATA] = "INFO_DATA",
		[NCTL_PLACE_PORT] = "INFO_SLAVE_DATA",
		[NCTL_PLACE_SPEC] = "AF_SPEC",
		[NCTL_PLACE_INET] = "AF_INET",
		[NCTL_PLACE_INET6] = "AF_INET6",
		[NCTL_PLACE_PROPS] = "PROP_LIST",
	};
	char path[64];

	snprintf(path, sizeof(path), "%s.%u", places[i->place], nctl_attr_type(i->attr));
	tell_header(t, path);
}

/* Place and type alone: an attribute that is in both with other bytes is one difference. */
static int compare_keys(const struct nctl_rest_item *a, const struct nctl_rest_item *b)
{
	uint16_t x = nctl_attr_type(a->attr), y = nctl_attr_type(b->attr);

	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	return (x > y) - (x < y);
}

static bool bytes_equal(const struct nlattr *a, const struct nlattr *b)
{
	size_t n = nctl_attr_len(a);

	return n == nctl_attr_len(b) && memcmp(nctl_attr_data(a), nctl_attr_data(b), n) == 0;
}

static void compare_lists(struct telling *t, const struct nctl_rest *a, const struct nctl_rest *b)
{
	size_t i = 0, j = 0;

	while (i < a->n || j < b->n) {
		int c = i == a->n ? 1 : j == b->n ? -1 : compare_keys(&a->v[i], &b->v[j]);

		if (c != 0 || !bytes_equal(a->v[i].attr, b->v[j].attr))
			tell_item(t, c <= 0 ? &a->v[i] : &b->v[j]);
		i += c <= 0;
		j += c >= 0;
	}
}

static void compare_headers(struct telling *t, const struct nlmsghdr *a, const struct nlmsghdr *b)
{
	struct ifinfomsg x, y;

	memcpy(&x, NLMSG_DATA(a), sizeof(x));
	memcpy(&y, NLMSG_DATA(b), sizeof(y));
	if (x.ifi_index != y.ifi_index)
		tell_header(t, "ifi_index");
	if (x.ifi_type != y.ifi_type)
		tell_header(t, "ifi_type");
	if (x.ifi_flags != y.ifi_flags)
		tell_header(t, "ifi_flags");
}

int nctl_link_state_diff(const struct nctl_link *l, const struct nlmsghdr *now,
	void (*tell)(void *userdata, const char *path), void *userdata)
{
	_cleanup_(nctl_freep) uint32_t *buf = malloc(STATE_MAX);
	struct telling t = {tell, userdata, 0};
	struct nctl_rest ours, theirs;
	struct nctl_msgbuf msg;
	int r;

	if (now->nlmsg_type != RTM_NEWLINK || now->nlmsg_len < NLMSG_LENGTH(sizeof(struct ifinfomsg)))
		return -EBADMSG;
	if (!buf)
		return -ENOMEM;
	nctl_msgbuf_init(&msg, buf, STATE_MAX);
	nctl_link_encode_state(l, &msg);
	if (nctl_msg_commit(&msg, 0) != 0)
		return -ENOMEM;
	nctl_rest_init(&ours);
	nctl_rest_init(&theirs);
	r = list_all(&ours, l, (const void *)buf);
	if (r == 0)
		r = list_all(&theirs, l, now);
	if (r == 0) {
		compare_headers(&t, (const void *)buf, now);
		compare_lists(&t, &ours, &theirs);
	}
	nctl_rest_fini(&ours);
	nctl_rest_fini(&theirs);
	return r < 0 ? r : t.n;
}
