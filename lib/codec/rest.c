/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: what a link's message holds beyond the fields: attributes of newer kernels and of kinds without a file
 * here. They are kept as they came, so that they survive a round trip and a difference shows. What ticks or
 * changes without a message is named in the tables below and left out: kept, it would make every link look
 * changed, or stay wrong. Each entry says why.
 */
#include "codec/rest.h"

#include <errno.h>
#include <linux/if_link.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "codec/codec.h"
#include "nl/attr.h"

/* Numbers of linux/if_link.h since Linux 6.16. */
enum { ATTR_HEADROOM = 68, ATTR_TAILROOM = 69 };

struct skip {
	const char *name, *why;
};

/* clang-format off */
#define SKIP(attr_, why_) [attr_] = {#attr_, why_}

static const struct skip top_skips[] = {
	SKIP(IFLA_STATS, "counters"),
	SKIP(IFLA_STATS64, "counters"),
	SKIP(IFLA_CARRIER_CHANGES, "a counter"),
	SKIP(IFLA_CARRIER_UP_COUNT, "a counter"),
	SKIP(IFLA_CARRIER_DOWN_COUNT, "a counter"),
	SKIP(IFLA_CARRIER, "changes silently while the link is down; the flags have LOWER_UP"),
	SKIP(IFLA_MAP, "hardware resources, which an ioctl changes silently"),
	SKIP(IFLA_XDP, "a BPF link attaches silently"),
	SKIP(IFLA_WIRELESS, "an event of the wireless extensions, no state"),
	SKIP(IFLA_EVENT, "says why a message was sent"),
	SKIP(IFLA_NEW_NETNSID, "where a link goes, in its last message here"),
	SKIP(IFLA_NEW_IFINDEX, "where a link goes, in its last message here"),
	SKIP(IFLA_TARGET_NETNSID, "repeats the request"),
	SKIP(IFLA_EXT_MASK, "repeats the request"),
	SKIP(IFLA_PAD, "nothing"),
	SKIP(IFLA_NUM_VF, "only in answers to RTEXT_FILTER_VF"),
	SKIP(IFLA_VFINFO_LIST, "only in answers to RTEXT_FILTER_VF"),
	SKIP(IFLA_VF_PORTS, "only in answers to RTEXT_FILTER_VF"),
	SKIP(IFLA_PORT_SELF, "only in answers to RTEXT_FILTER_VF"),
	[ATTR_HEADROOM] = {"IFLA_HEADROOM", "grows silently with what is sent (ip_tunnel_adj_headroom)"},
	[ATTR_TAILROOM] = {"IFLA_TAILROOM", "grows silently with what is sent"},
};
static const struct skip info_skips[] = {
	SKIP(IFLA_INFO_XSTATS, "counters"),
};
static const struct skip inet_skips[] = {
	SKIP(IFLA_INET_CONF, "sysctls, which change silently"),
};
static const struct skip inet6_skips[] = {
	SKIP(IFLA_INET6_FLAGS, "how far router discovery is: changes silently"),
	SKIP(IFLA_INET6_CONF, "sysctls, which change silently"),
	SKIP(IFLA_INET6_STATS, "counters"),
	SKIP(IFLA_INET6_ICMP6STATS, "counters"),
	SKIP(IFLA_INET6_CACHEINFO, "time stamps"),
	SKIP(IFLA_INET6_RA_MTU, "follows router advertisements, told to RTNLGRP_IPV6_IFINFO only"),
};
static const struct {
	const struct skip *v;
	size_t n;
} skips[NCTL_PLACE_END] = {
	[NCTL_PLACE_TOP] = {top_skips, NCTL_ARRAY_SIZE(top_skips)},
	[NCTL_PLACE_INFO] = {info_skips, NCTL_ARRAY_SIZE(info_skips)},
	[NCTL_PLACE_INET] = {inet_skips, NCTL_ARRAY_SIZE(inet_skips)},
	[NCTL_PLACE_INET6] = {inet6_skips, NCTL_ARRAY_SIZE(inet6_skips)},
};
/* clang-format on */

static bool is_skipped(enum nctl_link_place place, uint16_t type)
{
	return type < skips[place].n && skips[place].v[type].name;
}

/* The i-th volatile field of a kind's table, counted down in *i. */
static const struct nctl_field *nth_volatile(const struct nctl_field_table *t, size_t *i)
{
	for (size_t j = 0; j < t->n; j++)
		if (t->v[j].flags & NCTL_FIELD_VOLATILE && (*i)-- == 0)
			return &t->v[j];
	return NULL;
}

static bool nth_volatile_field(size_t i, struct nctl_link_skip *ret)
{
	for (const struct nctl_kind *const *k = nctl_kinds; *k; k++) {
		const struct nctl_field *f = nth_volatile(&(*k)->data, &i);
		bool port = !f;

		if (!f)
			f = nth_volatile(&(*k)->port, &i);
		if (!f)
			continue;
		*ret = (struct nctl_link_skip){
			(*k)->name, f->json ? f->json : f->help, "ticks or changes silently", port};
		return true;
	}
	return false;
}

bool nctl_link_skipped(size_t i, struct nctl_link_skip *ret)
{
	for (size_t place = 0; place < NCTL_ARRAY_SIZE(skips); place++) {
		for (size_t type = 0; type < skips[place].n; type++) {
			const struct skip *s = &skips[place].v[type];

			if (!s->name || i-- != 0)
				continue;
			*ret = (struct nctl_link_skip){NULL, s->name, s->why, false};
			return true;
		}
	}
	return nth_volatile_field(i, ret);
}

void nctl_rest_init(struct nctl_rest *r)
{
	r->v = r->fixed;
	r->n = 0;
	r->cap = NCTL_ARRAY_SIZE(r->fixed);
}

void nctl_rest_fini(struct nctl_rest *r)
{
	if (r->v != r->fixed)
		free(r->v);
	nctl_rest_init(r);
}

static int grow(struct nctl_rest *r)
{
	struct nctl_rest_item *v = reallocarray(r->v == r->fixed ? NULL : r->v, r->cap, 2 * sizeof(*v));

	if (!v)
		return -ENOMEM;
	if (r->v == r->fixed)
		memcpy(v, r->fixed, sizeof(r->fixed));
	r->v = v;
	r->cap *= 2;
	return 0;
}

int nctl_rest_add(struct nctl_rest *r, enum nctl_link_place place, const struct nlattr *attr)
{
	if (is_skipped(place, nctl_attr_type(attr)))
		return 0;
	if (r->n == r->cap && grow(r) < 0)
		return -ENOMEM;
	r->v[r->n++] = (struct nctl_rest_item){attr, (uint8_t)place};
	return 0;
}

int nctl_rest_collect(struct nctl_rest *r, enum nctl_link_place place, const void *data, size_t len,
	const struct nctl_codec_taken *taken)
{
	const struct nlattr *a = NULL;

	while ((a = nctl_attr_next(data, len, a)))
		if (!nctl_codec_is_taken(taken, nctl_attr_type(a)) && nctl_rest_add(r, place, a) < 0)
			return -ENOMEM;
	return 0;
}

int nctl_rest_collect_nest(struct nctl_rest *r, enum nctl_link_place place, const struct nlattr *nest,
	const struct nctl_codec_taken *taken)
{
	return nest ? nctl_rest_collect(r, place, nctl_attr_data(nest), nctl_attr_len(nest), taken) : 0;
}

static int compare_items(const void *a, const void *b)
{
	const struct nctl_rest_item *x = a, *y = b;
	uint16_t tx = nctl_attr_type(x->attr), ty = nctl_attr_type(y->attr);
	size_t lx = nctl_attr_len(x->attr), ly = nctl_attr_len(y->attr);

	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	if (tx != ty)
		return tx < ty ? -1 : 1;
	if (lx != ly)
		return lx < ly ? -1 : 1;
	return memcmp(nctl_attr_data(x->attr), nctl_attr_data(y->attr), lx);
}

void nctl_rest_sort(struct nctl_rest *r)
{
	if (r->n > 1)
		qsort(r->v, r->n, sizeof(*r->v), compare_items);
}

/* Bytes of the items from i on that share its place, padding included. */
static size_t place_size(const struct nctl_rest *r, size_t i)
{
	size_t n = 0;

	for (size_t j = i; j < r->n && r->v[j].place == r->v[i].place; j++)
		n += NLA_ALIGN(r->v[j].attr->nla_len);
	return n;
}

static uint8_t *put_item(uint8_t *p, const struct nlattr *a)
{
	size_t padded = NLA_ALIGN(a->nla_len);

	memcpy(p, a, a->nla_len);
	memset(p + a->nla_len, 0, padded - a->nla_len);
	return p + padded;
}

/*
 * A place is a length and a number of 4 bytes each, then its attributes: a message's attributes of one place
 * may be longer than a nest.
 */
struct place_header {
	uint32_t len, place;
};

int nctl_rest_take(struct nctl_rest *r, struct nctl_bytes *ret)
{
	struct place_header h;
	size_t total = 0;
	uint8_t *buf, *p;

	nctl_rest_sort(r);
	for (size_t i = 0; i < r->n; i++)
		total += (i == 0 || r->v[i].place != r->v[i - 1].place ? sizeof(h) : 0) +
		         NLA_ALIGN(r->v[i].attr->nla_len);
	*ret = NCTL_BYTES_NULL;
	if (total == 0)
		return 0;
	p = buf = malloc(total);
	if (!buf)
		return -ENOMEM;
	for (size_t i = 0; i < r->n; i++) {
		if (i == 0 || r->v[i].place != r->v[i - 1].place) {
			h = (struct place_header){(uint32_t)place_size(r, i), r->v[i].place};
			memcpy(p, &h, sizeof(h));
			p += sizeof(h);
		}
		p = put_item(p, r->v[i].attr);
	}
	*ret = (struct nctl_bytes){buf, (uint32_t)total};
	return 0;
}

static struct nctl_bytes of_place(struct nctl_bytes rest, enum nctl_link_place place)
{
	struct place_header h;

	for (uint32_t at = 0; at < rest.n; at += (uint32_t)sizeof(h) + h.len) {
		memcpy(&h, rest.p + at, sizeof(h));
		if (h.place == place)
			return (struct nctl_bytes){rest.p + at + sizeof(h), h.len};
	}
	return NCTL_BYTES_NULL;
}

void nctl_rest_encode(struct nctl_bytes rest, enum nctl_link_place place, struct nctl_msgbuf *msg)
{
	struct nctl_bytes b = of_place(rest, place);

	if (b.n)
		nctl_msg_put_raw(msg, b.p, b.n);
}

bool nctl_rest_has(struct nctl_bytes rest, enum nctl_link_place place)
{
	return of_place(rest, place).n > 0;
}
