/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: netlink messages as bytes: a bounded writer and a reader of attributes, for the fake kernel and its
 * tests. Independent of lib/nl on purpose, so that a mistake there is not made twice.
 */

#include <errno.h>
#include <string.h>

#include "fake/wire.h"

static void *fk_reserve(struct fk_buf *b, size_t len)
{
	size_t total = NLMSG_ALIGN(len);
	if (b->full || b->cap - b->len < total) {
		b->full = true;
		return NULL;
	}
	void *p = b->p + b->len;
	memset(p, 0, total);
	b->len += total;
	return p;
}

void fk_put_raw(struct fk_buf *b, const void *data, size_t len)
{
	void *p = fk_reserve(b, len);
	if (p && len)
		memcpy(p, data, len);
}

size_t fk_msg_begin(
	struct fk_buf *b, uint16_t type, uint16_t flags, uint32_t seq, const void *hdr, size_t hdr_len)
{
	size_t start = b->len;
	struct nlmsghdr nlh = {.nlmsg_type = type, .nlmsg_flags = flags, .nlmsg_seq = seq};
	fk_put_raw(b, &nlh, sizeof nlh);
	fk_put_raw(b, hdr, hdr_len);
	return start;
}

void fk_msg_end(struct fk_buf *b, size_t start)
{
	uint32_t len = (uint32_t)(b->len - start);
	if (!b->full)
		memcpy(b->p + start, &len, sizeof len);
}

void fk_put(struct fk_buf *b, uint16_t type, const void *data, size_t len)
{
	struct nlattr a = {.nla_len = (uint16_t)(NLA_HDRLEN + len), .nla_type = type};
	uint8_t *p = fk_reserve(b, NLA_HDRLEN + len);
	if (!p)
		return;
	memcpy(p, &a, sizeof a);
	if (len)
		memcpy(p + NLA_HDRLEN, data, len);
}

void fk_put_u8(struct fk_buf *b, uint16_t type, uint8_t v)
{
	fk_put(b, type, &v, sizeof v);
}

void fk_put_u16(struct fk_buf *b, uint16_t type, uint16_t v)
{
	fk_put(b, type, &v, sizeof v);
}

void fk_put_u32(struct fk_buf *b, uint16_t type, uint32_t v)
{
	fk_put(b, type, &v, sizeof v);
}

void fk_put_str(struct fk_buf *b, uint16_t type, const char *s)
{
	fk_put(b, type, s, strlen(s) + 1);
}

size_t fk_nest_begin(struct fk_buf *b, uint16_t type)
{
	size_t nest = b->len;
	fk_put(b, type, NULL, 0);
	return nest;
}

void fk_nest_end(struct fk_buf *b, size_t nest)
{
	uint16_t len = (uint16_t)(b->len - nest);
	if (!b->full)
		memcpy(b->p + nest, &len, sizeof len);
}

int fk_parse(const struct nlattr **tb, size_t max, const void *data, size_t len)
{
	const uint8_t *p = data;
	memset(tb, 0, (max + 1) * sizeof *tb);
	while (len >= NLA_HDRLEN) {
		const struct nlattr *a = (const void *)p;
		if (a->nla_len < NLA_HDRLEN || a->nla_len > len)
			return -EINVAL;
		if ((size_t)(a->nla_type & NLA_TYPE_MASK) <= max)
			tb[a->nla_type & NLA_TYPE_MASK] = a;
		size_t step = NLA_ALIGN(a->nla_len);
		if (step >= len)
			break;
		p += step;
		len -= step;
	}
	return 0;
}

int fk_parse_msg(const struct nlattr **tb, size_t max, const struct nlmsghdr *nlh, size_t hdr_len)
{
	size_t off = NLMSG_SPACE(hdr_len);
	if (nlh->nlmsg_len < NLMSG_LENGTH(hdr_len))
		return -EINVAL;
	if (nlh->nlmsg_len <= off)
		return fk_parse(tb, max, NULL, 0);
	return fk_parse(tb, max, (const uint8_t *)nlh + off, nlh->nlmsg_len - off);
}

int fk_parse_nest(const struct nlattr **tb, size_t max, const struct nlattr *nest)
{
	return fk_parse(tb, max, fk_data(nest), fk_len(nest));
}

size_t fk_len(const struct nlattr *a)
{
	return a->nla_len - NLA_HDRLEN;
}

const void *fk_data(const struct nlattr *a)
{
	return (const uint8_t *)a + NLA_HDRLEN;
}

uint8_t fk_u8(const struct nlattr *a)
{
	return fk_len(a) ? *(const uint8_t *)fk_data(a) : 0;
}

uint16_t fk_u16(const struct nlattr *a)
{
	uint16_t v = 0;
	if (fk_len(a) >= sizeof v)
		memcpy(&v, fk_data(a), sizeof v);
	return v;
}

uint32_t fk_u32(const struct nlattr *a)
{
	uint32_t v = 0;
	if (fk_len(a) >= sizeof v)
		memcpy(&v, fk_data(a), sizeof v);
	return v;
}

bool fk_str(const struct nlattr *a, char *buf, size_t size)
{
	size_t n = strnlen(fk_data(a), fk_len(a));
	if (n >= size)
		return false;
	memcpy(buf, fk_data(a), n);
	buf[n] = '\0';
	return true;
}
