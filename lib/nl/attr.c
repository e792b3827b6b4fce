/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * DOC: walking and checking attributes and messages. All that is read from a datagram goes through here
 * first, so this file trusts no length. Data may lie at any address that is 4-aligned (attributes always
 * are).
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <libmnl/libmnl.h>

#include "nl/attr.h"

static const uint8_t *attr_end(const void *data, size_t len)
{
	return len > 0 ? (const uint8_t *)data + len : data;
}

/*
 * Where what follows an item of item_len bytes at item begins; at most end, as the last one may lack its
 * padding.
 */
static const uint8_t *attr_behind(const void *item, size_t item_len, const uint8_t *end)
{
	size_t padded = NLMSG_ALIGN(item_len);
	const uint8_t *p = item;

	return padded < (size_t)(end - p) ? p + padded : end;
}

static const struct nlattr *attr_at(const uint8_t *p, const uint8_t *end)
{
	const struct nlattr *a = (const void *)p;

	if ((size_t)(end - p) < sizeof(*a) || a->nla_len < sizeof(*a) || a->nla_len > (size_t)(end - p))
		return NULL;
	return a;
}

const struct nlattr *nctl_attr_next(const void *data, size_t len, const struct nlattr *prev)
{
	const uint8_t *end = attr_end(data, len);

	return attr_at(prev ? attr_behind(prev, prev->nla_len, end) : data, end);
}

const struct nlmsghdr *nctl_msg_next(const void *data, size_t len, const struct nlmsghdr *prev)
{
	const uint8_t *end = attr_end(data, len);
	const uint8_t *p = prev ? attr_behind(prev, prev->nlmsg_len, end) : data;
	const struct nlmsghdr *nlh = (const void *)p;
	size_t left = (size_t)(end - p);

	if (left < sizeof(*nlh) || nlh->nlmsg_len < sizeof(*nlh) || nlh->nlmsg_len > left)
		return NULL;
	return nlh;
}

/* Are the len bytes at data nothing but whole attributes? */
static bool attrs_well_formed(const void *data, size_t len)
{
	const uint8_t *end = attr_end(data, len), *p = data;

	while (p < end) {
		const struct nlattr *a = attr_at(p, end);

		if (!a)
			return false;
		p = attr_behind(a, a->nla_len, end);
	}
	return true;
}

static bool attr_str_fits(const struct nlattr *a, size_t max)
{
	const char *nul = memchr(nctl_attr_data(a), '\0', nctl_attr_len(a));

	return nul && (max == 0 || (size_t)(nul - nctl_attr_str(a)) < max);
}

static bool attr_fits(const struct nlattr *a, const struct nctl_attr_policy *p)
{
	size_t len = nctl_attr_len(a);

	switch ((enum nctl_attr_kind)p->kind) {
	case NCTL_ATTR_ANY:
		return true;
	case NCTL_ATTR_U8:
		return len == sizeof(uint8_t);
	case NCTL_ATTR_U16:
		return len == sizeof(uint16_t);
	case NCTL_ATTR_U32:
		return len == sizeof(uint32_t);
	case NCTL_ATTR_U64:
		return len == sizeof(uint64_t);
	case NCTL_ATTR_STR:
		return attr_str_fits(a, p->max);
	case NCTL_ATTR_BYTES:
		return len >= p->min && (p->max == 0 || len <= p->max);
	case NCTL_ATTR_NEST:
		return attrs_well_formed(nctl_attr_data(a), len);
	}
	return false;
}

int nctl_attr_parse(const void *data, size_t len, const struct nctl_attr_policy *policy,
	const struct nlattr **tb, size_t max)
{
	const uint8_t *end = attr_end(data, len), *p = data;

	memset(tb, 0, (max + 1) * sizeof(*tb));
	while (p < end) {
		const struct nlattr *a = attr_at(p, end);
		uint16_t type;

		if (!a)
			return -EBADMSG;
		p = attr_behind(a, a->nla_len, end);
		type = nctl_attr_type(a);
		if (type > max)
			continue;
		if (!attr_fits(a, &policy[type]))
			return -EBADMSG;
		tb[type] = a;
	}
	return 0;
}

int nctl_attr_parse_msg(const struct nlmsghdr *nlh, size_t hdr_len, const struct nctl_attr_policy *policy,
	const struct nlattr **tb, size_t max)
{
	size_t len, skip = NLMSG_ALIGN(hdr_len);

	if (nlh->nlmsg_len < NLMSG_HDRLEN || nlh->nlmsg_len - NLMSG_HDRLEN < hdr_len)
		return -EBADMSG;
	len = nlh->nlmsg_len - NLMSG_HDRLEN;
	return nctl_attr_parse(
		mnl_nlmsg_get_payload_offset(nlh, hdr_len), len > skip ? len - skip : 0, policy, tb, max);
}

int nctl_attr_parse_nest(const struct nlattr *nest, const struct nctl_attr_policy *policy,
	const struct nlattr **tb, size_t max)
{
	return nctl_attr_parse(nctl_attr_data(nest), nctl_attr_len(nest), policy, tb, max);
}

uint8_t nctl_attr_u8(const struct nlattr *a)
{
	return mnl_attr_get_u8(a);
}

uint16_t nctl_attr_u16(const struct nlattr *a)
{
	return mnl_attr_get_u16(a);
}

uint32_t nctl_attr_u32(const struct nlattr *a)
{
	return mnl_attr_get_u32(a);
}

uint64_t nctl_attr_u64(const struct nlattr *a)
{
	return mnl_attr_get_u64(a);
}

const char *nctl_attr_str(const struct nlattr *a)
{
	return mnl_attr_get_str(a);
}

char *nctl_attr_strdup(const struct nlattr *a)
{
	size_t n = strnlen(nctl_attr_data(a), nctl_attr_len(a));
	char *copy = malloc(n + 1);

	if (!copy)
		return NULL;
	memcpy(copy, nctl_attr_data(a), n);
	copy[n] = '\0';
	return copy;
}

const void *nctl_attr_data(const struct nlattr *a)
{
	return (const uint8_t *)a + NLA_HDRLEN;
}

size_t nctl_attr_len(const struct nlattr *a)
{
	return (size_t)a->nla_len - NLA_HDRLEN;
}

uint16_t nctl_attr_type(const struct nlattr *a)
{
	return a->nla_type & NLA_TYPE_MASK;
}

uint64_t nctl_attr_uint(const struct nlattr *a)
{
	switch (nctl_attr_len(a)) {
	case sizeof(uint8_t):
		return nctl_attr_u8(a);
	case sizeof(uint16_t):
		return nctl_attr_u16(a);
	case sizeof(uint32_t):
		return nctl_attr_u32(a);
	case sizeof(uint64_t):
		return nctl_attr_u64(a);
	}
	return 0;
}
