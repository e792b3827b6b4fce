/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the field-table engine, binary part: reading, writing, copying and comparing fields of objects by
 * their tables. It knows the types of enum nctl_field_type and nothing about any object. Owned values (TEXT,
 * TEXTS, BYTES) are malloc'ed; whoever frees the object calls nctl_field_clear on them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "net/lladdr.h"
#include "net/prefix.h"
#include "obj/field.h"

static const char *field_at(const struct nctl_field *f, const void *data)
{
	return (const char *)data + f->offset;
}

static char *field_at_mut(const struct nctl_field *f, void *data)
{
	return (char *)data + f->offset;
}

uint64_t nctl_field_get(const struct nctl_field *f, const void *data)
{
	const char *p = field_at(f, data);
	uint16_t v16;
	uint32_t v32;
	uint64_t v64;

	switch (f->size) {
	case 1:
		return *(const uint8_t *)p;
	case 2:
		memcpy(&v16, p, sizeof(v16));
		return v16;
	case 4:
		memcpy(&v32, p, sizeof(v32));
		return v32;
	case 8:
		memcpy(&v64, p, sizeof(v64));
		return v64;
	}
	return 0;
}

void nctl_field_set(const struct nctl_field *f, void *data, uint64_t value)
{
	char *p = field_at_mut(f, data);
	uint16_t v16 = (uint16_t)value;
	uint32_t v32 = (uint32_t)value;

	switch (f->size) {
	case 1:
		*(uint8_t *)p = (uint8_t)value;
		break;
	case 2:
		memcpy(p, &v16, sizeof(v16));
		break;
	case 4:
		memcpy(p, &v32, sizeof(v32));
		break;
	case 8:
		memcpy(p, &value, sizeof(value));
		break;
	}
}

static void texts_free(char **v)
{
	for (size_t i = 0; v && v[i]; i++)
		free(v[i]);
	free(v);
}

static bool texts_equal(char *const *a, char *const *b)
{
	size_t i = 0;

	if (!a || !b)
		return (!a || !*a) && (!b || !*b);
	while (a[i] && b[i] && strcmp(a[i], b[i]) == 0)
		i++;
	return !a[i] && !b[i];
}

static char **texts_dup(char *const *v)
{
	char **ret;
	size_t n = 0;

	while (v[n])
		n++;
	ret = calloc(n + 1, sizeof(*ret));
	if (!ret)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		ret[i] = strdup(v[i]);
		if (!ret[i]) {
			texts_free(ret);
			return NULL;
		}
	}
	return ret;
}

static bool ips_equal(const struct nctl_ip_list *a, const struct nctl_ip_list *b)
{
	if (a->n != b->n)
		return false;
	for (uint32_t i = 0; i < a->n && i < NCTL_IP_LIST_MAX; i++)
		if (!nctl_prefix_equal(&a->v[i], &b->v[i]))
			return false;
	return true;
}

static bool text_equal(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") == 0;
}

bool nctl_field_equal(const struct nctl_field *f, const void *a, const void *b)
{
	const void *pa = field_at(f, a), *pb = field_at(f, b);

	switch ((enum nctl_field_type)f->type) {
	case NCTL_FIELD_UINT:
	case NCTL_FIELD_ENUM:
	case NCTL_FIELD_BITS:
	case NCTL_FIELD_LINK:
		return nctl_field_get(f, a) == nctl_field_get(f, b);
	case NCTL_FIELD_BOOL:
		return !nctl_field_get(f, a) == !nctl_field_get(f, b);
	case NCTL_FIELD_STR:
		return strncmp(pa, pb, f->size) == 0;
	case NCTL_FIELD_LLADDR:
		return nctl_lladdr_equal(pa, pb);
	case NCTL_FIELD_IP:
		return nctl_prefix_equal(pa, pb);
	case NCTL_FIELD_TEXT:
		return text_equal(*(char *const *)pa, *(char *const *)pb);
	case NCTL_FIELD_TEXTS:
		return texts_equal(*(char **const *)pa, *(char **const *)pb);
	case NCTL_FIELD_IPS:
		return ips_equal(pa, pb);
	case NCTL_FIELD_BYTES:
		return nctl_bytes_equal(*(const struct nctl_bytes *)pa, *(const struct nctl_bytes *)pb);
	case NCTL_FIELD_RAW:
		return memcmp(pa, pb, f->size) == 0;
	}
	return false;
}

bool nctl_field_is_owned(const struct nctl_field *f)
{
	return f->type == NCTL_FIELD_TEXT || f->type == NCTL_FIELD_TEXTS || f->type == NCTL_FIELD_BYTES;
}

bool nctl_field_is_none(const struct nctl_field *f, const void *data)
{
	const char *p = field_at(f, data);

	if (f->type == NCTL_FIELD_IPS)
		return ((const struct nctl_ip_list *)(const void *)p)->n == 0;
	for (unsigned i = 0; i < f->size; i++)
		if (p[i])
			return false;
	return true;
}

void nctl_field_clear(const struct nctl_field *f, void *data)
{
	char *p = field_at_mut(f, data);

	if (f->type == NCTL_FIELD_TEXT)
		free(*(char **)(void *)p);
	else if (f->type == NCTL_FIELD_TEXTS)
		texts_free(*(char ***)(void *)p);
	else if (f->type == NCTL_FIELD_BYTES)
		free((void *)((struct nctl_bytes *)(void *)p)->p);
	memset(p, 0, f->size);
}

int nctl_field_copy(const struct nctl_field *f, void *dst, const void *src)
{
	const void *ps = field_at(f, src);
	void *pd = field_at_mut(f, dst);

	if (dst == src)
		return 0;
	if (f->type == NCTL_FIELD_TEXT) {
		const char *s = *(char *const *)ps;
		char *copy = s ? strdup(s) : NULL;

		nctl_field_clear(f, dst);
		*(char **)pd = copy;
		return s && !copy ? -ENOMEM : 0;
	}
	if (f->type == NCTL_FIELD_TEXTS) {
		char *const *v = *(char **const *)ps;
		char **copy = v ? texts_dup(v) : NULL;

		nctl_field_clear(f, dst);
		*(char ***)pd = copy;
		return v && !copy ? -ENOMEM : 0;
	}
	if (f->type == NCTL_FIELD_BYTES) {
		nctl_field_clear(f, dst);
		return nctl_bytes_copy(pd, *(const struct nctl_bytes *)ps);
	}
	memcpy(pd, ps, f->size);
	return 0;
}

uint64_t nctl_fields_diff(
	const struct nctl_field_table *t, const void *a, uint64_t a_has, const void *b, uint64_t b_has)
{
	uint64_t diff = 0;

	for (size_t i = 0; i < t->n; i++) {
		const struct nctl_field *f = &t->v[i];
		uint64_t bit = UINT64_C(1) << i;

		if (f->flags & NCTL_FIELD_VOLATILE || !((a_has | b_has) & bit))
			continue;
		if ((a_has ^ b_has) & bit || !nctl_field_equal(f, a, b))
			diff |= bit;
	}
	return diff;
}

uint64_t nctl_fields_with(const struct nctl_field_table *t, unsigned flags)
{
	uint64_t mask = 0;

	for (size_t i = 0; i < t->n; i++)
		if (t->v[i].flags & flags)
			mask |= UINT64_C(1) << i;
	return mask;
}

enum nctl_change_class nctl_fields_class(const struct nctl_field_table *t, uint64_t mask)
{
	enum nctl_change_class worst = NCTL_CHANGE_LIVE;

	for (size_t i = 0; i < t->n; i++)
		if (mask & UINT64_C(1) << i && t->v[i].change > worst)
			worst = t->v[i].change;
	return worst;
}

const char *nctl_change_class_name(enum nctl_change_class c)
{
	switch (c) {
	case NCTL_CHANGE_LIVE:
		return "live";
	case NCTL_CHANGE_FLAP:
		return "flap";
	case NCTL_CHANGE_FLUSH:
		return "flush";
	case NCTL_CHANGE_RECREATE:
		return "recreate";
	}
	return "?";
}

int nctl_fields_find(const struct nctl_field_table *t, const char *key)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->v[i].key && strcmp(t->v[i].key, key) == 0)
			return (int)i;
	return -1;
}

/* The field of the same key that takes IPv6 addresses, or -1. */
static int ipv6_twin(const struct nctl_field_table *t, const struct nctl_field *f)
{
	for (size_t i = 0; i < t->n; i++)
		if ((t->v[i].flags & NCTL_FIELD_IPV6) && t->v[i].key && f->key && !strcmp(t->v[i].key, f->key))
			return (int)i;
	return -1;
}

unsigned nctl_fields_settle_ip(const struct nctl_field_table *t, void *data, unsigned i)
{
	const struct nctl_field *f = &t->v[i];
	const struct nctl_prefix *p = (const void *)field_at(f, data);
	int twin = f->type == NCTL_FIELD_IP && p->family == AF_INET6 ? ipv6_twin(t, f) : -1;

	if (twin < 0 || (unsigned)twin == i)
		return i;
	memcpy(field_at_mut(&t->v[twin], data), p, sizeof(*p));
	memset(field_at_mut(f, data), 0, f->size);
	return (unsigned)twin;
}
