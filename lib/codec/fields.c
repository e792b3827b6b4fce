/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: field tables to netlink attributes and back. Decoding makes one pass over the attributes (into a table
 * by number) and one over the fields; it trusts no length. Encoding writes one attribute a field; what does
 * not fit is the message builder's business.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "codec/codec.h"
#include "net/lladdr.h"
#include "net/prefix.h"
#include "nl/attr.h"

static const struct nctl_attr_policy any_policy[NCTL_CODEC_ATTR_MAX + 1];

static uint64_t swap_be(const struct nctl_field *f, uint64_t v)
{
	if (!(f->flags & NCTL_FIELD_BIG_ENDIAN))
		return v;
	switch (f->size) {
	case 2:
		return be16toh((uint16_t)v);
	case 4:
		return be32toh((uint32_t)v);
	case 8:
		return be64toh(v);
	}
	return v;
}

static int decode_str(const struct nctl_field *f, const struct nlattr *attr, char *p)
{
	size_t len = strnlen(nctl_attr_data(attr), nctl_attr_len(attr));

	/* Unterminated is fine, too long is not. */
	if (len >= f->size)
		return -EBADMSG;
	memset(p, 0, f->size);
	memcpy(p, nctl_attr_data(attr), len);
	return 0;
}

static int decode_text(const struct nctl_field *f, const struct nlattr *attr, void *data)
{
	char *copy = nctl_attr_strdup(attr);

	if (!copy)
		return -ENOMEM;
	nctl_field_clear(f, data);
	*(char **)(void *)((char *)data + f->offset) = copy;
	return 0;
}

int nctl_codec_bytes_decode(const struct nctl_field *f, const struct nlattr *attr, void *data)
{
	size_t n = nctl_attr_len(attr);
	uint8_t *copy = n ? malloc(n) : NULL;

	if (n && !copy)
		return -ENOMEM;
	if (copy)
		memcpy(copy, nctl_attr_data(attr), n);
	nctl_field_clear(f, data);
	*(struct nctl_bytes *)(void *)((char *)data + f->offset) = (struct nctl_bytes){copy, (uint32_t)n};
	return 0;
}

static int decode_raw(const struct nctl_field *f, const struct nlattr *attr, void *p)
{
	if (nctl_attr_len(attr) != f->size)
		return -EBADMSG;
	memcpy(p, nctl_attr_data(attr), f->size);
	return 0;
}

static int decode_lladdr(const struct nlattr *attr, struct nctl_lladdr *ret)
{
	size_t len = nctl_attr_len(attr);

	if (len > NCTL_LLADDR_MAX)
		return -EBADMSG;
	*ret = NCTL_LLADDR_NULL;
	ret->len = (uint8_t)len;
	memcpy(ret->b, nctl_attr_data(attr), len);
	return 0;
}

static int decode_ip(const struct nlattr *attr, struct nctl_prefix *ret)
{
	size_t n = nctl_attr_len(attr);

	return nctl_prefix_from_bytes(nctl_attr_data(attr), n, (uint8_t)(n * 8), ret) < 0 ? -EBADMSG : 0;
}

static int decode_ips(const struct nlattr *nest, struct nctl_ip_list *ret)
{
	struct nctl_ip_list l = {0};
	const struct nlattr *a = NULL;
	int r;

	while ((a = nctl_attr_next(nctl_attr_data(nest), nctl_attr_len(nest), a))) {
		if (l.n == NCTL_IP_LIST_MAX)
			return -EBADMSG;
		r = decode_ip(a, &l.v[l.n]);
		if (r < 0)
			return r;
		l.n++;
	}
	*ret = l;
	return 0;
}

static int field_decode(const struct nctl_field *f, const struct nlattr *attr, void *data)
{
	void *p = (char *)data + f->offset;

	if (f->ops && f->ops->decode)
		return f->ops->decode(f, attr, data);
	switch ((enum nctl_field_type)f->type) {
	case NCTL_FIELD_UINT:
	case NCTL_FIELD_BOOL:
	case NCTL_FIELD_ENUM:
	case NCTL_FIELD_BITS:
	case NCTL_FIELD_LINK:
		if (nctl_attr_len(attr) != f->size)
			return -EBADMSG;
		nctl_field_set(f, data, swap_be(f, nctl_attr_uint(attr)));
		return 0;
	case NCTL_FIELD_STR:
		return decode_str(f, attr, p);
	case NCTL_FIELD_TEXT:
		return decode_text(f, attr, data);
	case NCTL_FIELD_LLADDR:
		return decode_lladdr(attr, p);
	case NCTL_FIELD_IP:
		return decode_ip(attr, p);
	case NCTL_FIELD_IPS:
		return decode_ips(attr, p);
	case NCTL_FIELD_BYTES:
		return nctl_codec_bytes_decode(f, attr, data);
	case NCTL_FIELD_RAW:
		return decode_raw(f, attr, p);
	case NCTL_FIELD_TEXTS:
		break;
	}
	return -EBADMSG;
}

static int flag_decode(const struct nctl_field *f, const struct nlattr *attr, void *data)
{
	if (nctl_attr_len(attr) != 0)
		return -EBADMSG;
	nctl_field_set(f, data, 1);
	return 0;
}

static void flag_encode(const struct nctl_field *f, const void *data, struct nctl_msgbuf *msg)
{
	if (nctl_field_get(f, data))
		nctl_msg_put(msg, f->attr, NULL, 0);
}

static int bit_decode(const struct nctl_field *f, const struct nlattr *attr, void *data)
{
	(void)data;
	if (nctl_attr_len(attr) != f->size)
		return -EBADMSG;
	return swap_be(f, nctl_attr_uint(attr)) & f->dflt ? 0 : 1;
}

static void bit_print(const struct nctl_field *f, const void *data, struct nctl_json *json)
{
	(void)f;
	(void)data;
	nctl_json_bool(json, true);
}

int nctl_codec_ignore(const struct nctl_field *f, const struct nlattr *attr, void *data)
{
	(void)f;
	(void)attr;
	(void)data;
	return 1;
}

const struct nctl_field_ops nctl_codec_flag_ops = {.decode = flag_decode, .encode = flag_encode};
const struct nctl_field_ops nctl_codec_bit_ops = {.decode = bit_decode, .print = bit_print};

int nctl_codec_fields_take(const struct nctl_field_table *t, const struct nlattr *const *tb, size_t max,
	void *data, uint64_t *has, struct nctl_codec_taken *taken)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct nctl_field *f = &t->v[i];
		int r;

		if (f->attr == 0 || f->attr > max || !tb[f->attr])
			continue;
		nctl_codec_take(taken, f->attr);
		r = field_decode(f, tb[f->attr], data);
		if (r < 0)
			return r;
		if (r == 0)
			*has |= UINT64_C(1) << i;
	}
	return 0;
}

int nctl_codec_fields_decode(const struct nctl_field_table *t, const struct nlattr *nest, void *data,
	uint64_t *has, struct nctl_codec_taken *taken)
{
	const struct nlattr *tb[NCTL_CODEC_ATTR_MAX + 1];
	int r = nctl_attr_parse_nest(nest, any_policy, tb, NCTL_CODEC_ATTR_MAX);

	if (r < 0)
		return r;
	return nctl_codec_fields_take(t, tb, NCTL_CODEC_ATTR_MAX, data, has, taken);
}

static void encode_number(const struct nctl_field *f, const void *data, struct nctl_msgbuf *msg)
{
	uint64_t v = swap_be(f, nctl_field_get(f, data));

	switch (f->size) {
	case 1:
		nctl_msg_put_u8(msg, f->attr, (uint8_t)v);
		break;
	case 2:
		nctl_msg_put_u16(msg, f->attr, (uint16_t)v);
		break;
	case 4:
		nctl_msg_put_u32(msg, f->attr, (uint32_t)v);
		break;
	case 8:
		nctl_msg_put_u64(msg, f->attr, v);
		break;
	}
}

static void encode_ips(uint16_t attr, const struct nctl_ip_list *l, struct nctl_msgbuf *msg)
{
	size_t nest = nctl_msg_nest_begin(msg, attr);

	for (uint32_t i = 0; i < l->n && i < NCTL_IP_LIST_MAX; i++)
		nctl_msg_put(msg, (uint16_t)i, l->v[i].addr, nctl_prefix_bytes(l->v[i].family));
	nctl_msg_nest_end(msg, nest);
}

static void field_encode(const struct nctl_field *f, const void *data, struct nctl_msgbuf *msg)
{
	const void *p = (const char *)data + f->offset;
	const struct nctl_lladdr *lladdr = p;
	const struct nctl_prefix *prefix = p;
	const char *text;

	if (f->ops && f->ops->encode) {
		f->ops->encode(f, data, msg);
		return;
	}
	switch ((enum nctl_field_type)f->type) {
	case NCTL_FIELD_UINT:
	case NCTL_FIELD_BOOL:
	case NCTL_FIELD_ENUM:
	case NCTL_FIELD_BITS:
	case NCTL_FIELD_LINK:
		encode_number(f, data, msg);
		break;
	case NCTL_FIELD_STR:
		nctl_msg_put_str(msg, f->attr, p);
		break;
	case NCTL_FIELD_TEXT:
		/* Without its NUL: an empty one must be empty to be taken away (dev_set_alias). */
		text = *(char *const *)p;
		nctl_msg_put(msg, f->attr, text ? text : "", text ? strlen(text) : 0);
		break;
	case NCTL_FIELD_LLADDR:
		nctl_msg_put(msg, f->attr, lladdr->b, lladdr->len);
		break;
	case NCTL_FIELD_IP:
		nctl_msg_put(msg, f->attr, prefix->addr, nctl_prefix_bytes(prefix->family));
		break;
	case NCTL_FIELD_IPS:
		encode_ips(f->attr, p, msg);
		break;
	case NCTL_FIELD_BYTES:
		nctl_msg_put(
			msg, f->attr, ((const struct nctl_bytes *)p)->p, ((const struct nctl_bytes *)p)->n);
		break;
	case NCTL_FIELD_RAW:
		nctl_msg_put(msg, f->attr, p, f->size);
		break;
	case NCTL_FIELD_TEXTS:
		break;
	}
}

static void field_encode_state(const struct nctl_field *f, const void *data, struct nctl_msgbuf *msg)
{
	const char *text;

	if (f->ops && f->ops->encode_state) {
		f->ops->encode_state(f, data, msg);
	} else if (f->type == NCTL_FIELD_TEXT) {
		text = *(char *const *)(const void *)((const char *)data + f->offset);
		nctl_msg_put_str(msg, f->attr, text ? text : "");
	} else {
		field_encode(f, data, msg);
	}
}

void nctl_codec_fields_encode(
	const struct nctl_field_table *t, const void *data, uint64_t mask, struct nctl_msgbuf *msg)
{
	for (size_t i = 0; i < t->n; i++)
		if (mask & UINT64_C(1) << i && t->v[i].attr)
			field_encode(&t->v[i], data, msg);
}

void nctl_codec_fields_encode_state(
	const struct nctl_field_table *t, const void *data, uint64_t has, struct nctl_msgbuf *msg)
{
	struct nctl_codec_taken written = NCTL_CODEC_TAKEN_NONE;

	for (size_t i = 0; i < t->n; i++) {
		const struct nctl_field *f = &t->v[i];

		if (!f->attr || nctl_codec_is_taken(&written, f->attr) || f->flags & NCTL_FIELD_VOLATILE ||
			!(has & UINT64_C(1) << i) ||
			(f->flags & NCTL_FIELD_OMIT_ZERO && nctl_field_is_none(f, data)))
			continue;
		nctl_codec_take(&written, f->attr);
		field_encode_state(f, data, msg);
	}
}
