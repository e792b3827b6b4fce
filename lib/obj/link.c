/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: links as values: what they own, copying, moving, comparing. Everything goes by the field tables, the
 * common one and those of the link's kind and of its master's kind. The mirror, the plan and the codec use
 * it.
 */
#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "obj/link.h"
#include "obj/vlans.h"

/* The common fields that are owned. */
static const uint8_t owned[] = {NCTL_LINK_ALIAS, NCTL_LINK_ALTNAMES, NCTL_LINK_PARENT_BUS,
	NCTL_LINK_PARENT_DEV, NCTL_LINK_PORT_NAME, NCTL_LINK_PORT_ID, NCTL_LINK_SWITCH_ID};

static void *data_free(const struct nctl_field_table *t, void *data)
{
	for (size_t i = 0; data && i < t->n; i++)
		if (nctl_field_is_owned(&t->v[i]))
			nctl_field_clear(&t->v[i], data);
	free(data);
	return NULL;
}

static void drop_kind(struct nctl_link *l)
{
	if (l->kind)
		l->data = data_free(&l->kind->data, l->data);
	free(take_ptr(l->kind_name));
	l->kind = NULL;
	l->data_has = 0;
}

static void drop_port_kind(struct nctl_link *l)
{
	if (l->port_kind)
		l->port = data_free(&l->port_kind->port, l->port);
	free(take_ptr(l->port_kind_name));
	l->port_kind = NULL;
	l->port_has = 0;
}

void nctl_link_fini(struct nctl_link *l)
{
	drop_kind(l);
	drop_port_kind(l);
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(owned); i++)
		nctl_field_clear(&nctl_link_fields.v[owned[i]], l);
	free((void *)l->rest.p);
	nctl_vlans_unref(l->vlans);
	*l = NCTL_LINK_INIT;
}

void nctl_link_move(struct nctl_link *dst, struct nctl_link *src)
{
	if (dst == src)
		return;
	nctl_link_fini(dst);
	*dst = *src;
	*src = NCTL_LINK_INIT;
}

int nctl_link_set_kind(struct nctl_link *l, const struct nctl_kind *k)
{
	void *data = NULL;

	if (k && k->data_size) {
		data = calloc(1, k->data_size);
		if (!data)
			return -ENOMEM;
	}
	drop_kind(l);
	l->kind = k;
	l->data = data;
	return 0;
}

int nctl_link_set_port_kind(struct nctl_link *l, const struct nctl_kind *k)
{
	void *port = NULL;

	if (k && k->port_size) {
		port = calloc(1, k->port_size);
		if (!port)
			return -ENOMEM;
	}
	drop_port_kind(l);
	l->port_kind = k;
	l->port = port;
	return 0;
}

static int data_copy(const struct nctl_field_table *t, void *dst, const void *src, size_t size)
{
	int r = 0;

	memcpy(dst, src, size);
	for (size_t i = 0; i < t->n; i++)
		if (nctl_field_is_owned(&t->v[i]))
			memset((char *)dst + t->v[i].offset, 0, t->v[i].size);
	for (size_t i = 0; i < t->n && r == 0; i++)
		if (nctl_field_is_owned(&t->v[i]))
			r = nctl_field_copy(&t->v[i], dst, src);
	return r;
}

static int name_copy(char **dst, const char *src)
{
	*dst = src ? strdup(src) : NULL;
	return src && !*dst ? -ENOMEM : 0;
}

/* What ret owns; its other members are set. */
static int copy_owned(struct nctl_link *ret, const struct nctl_link *src)
{
	int r = nctl_link_set_kind(ret, src->kind);

	if (r == 0)
		r = nctl_link_set_port_kind(ret, src->port_kind);
	if (r == 0 && ret->data)
		r = data_copy(&src->kind->data, ret->data, src->data, src->kind->data_size);
	if (r == 0 && ret->port)
		r = data_copy(&src->port_kind->port, ret->port, src->port, src->port_kind->port_size);
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(owned) && r == 0; i++)
		r = nctl_field_copy(&nctl_link_fields.v[owned[i]], ret, src);
	if (r == 0)
		r = nctl_bytes_copy(&ret->rest, src->rest);
	if (r == 0)
		r = name_copy(&ret->kind_name, src->kind_name);
	if (r == 0)
		r = name_copy(&ret->port_kind_name, src->port_kind_name);
	ret->data_has = src->data_has;
	ret->port_has = src->port_has;
	return r;
}

int nctl_link_copy(struct nctl_link *dst, const struct nctl_link *src)
{
	struct nctl_link l = *src;
	int r;

	for (size_t i = 0; i < NCTL_ARRAY_SIZE(owned); i++)
		memset((char *)&l + nctl_link_fields.v[owned[i]].offset, 0,
			nctl_link_fields.v[owned[i]].size);
	l.kind_name = l.port_kind_name = NULL;
	l.rest = NCTL_BYTES_NULL;
	l.vlans = nctl_vlans_ref(src->vlans);
	l.data = l.port = NULL;
	l.kind = l.port_kind = NULL;
	r = copy_owned(&l, src);
	if (r < 0) {
		nctl_link_fini(&l);
		return r;
	}
	*dst = l;
	return 0;
}

const char *nctl_link_kind_name(const struct nctl_link *l)
{
	if (!l->kind)
		return l->kind_name;
	return l->kind->traits & NCTL_KIND_PHYSICAL ? NULL : l->kind->name;
}

static const char *port_kind_name(const struct nctl_link *l)
{
	return l->port_kind ? l->port_kind->name : l->port_kind_name;
}

static bool names_equal(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

bool nctl_link_is_up(const struct nctl_link *l)
{
	return l->flags & IFF_UP;
}

bool nctl_link_compare(const struct nctl_link *a, const struct nctl_link *b, struct nctl_link_diff *ret)
{
	struct nctl_link_diff d = {
		.common = nctl_fields_diff(&nctl_link_fields, a, a->has, b, b->has),
		.kind = !names_equal(nctl_link_kind_name(a), nctl_link_kind_name(b)),
		.port_kind = !names_equal(port_kind_name(a), port_kind_name(b)),
		.rest = !nctl_bytes_equal(a->rest, b->rest),
		.vlans = !nctl_vlans_equal(a->vlans, b->vlans),
	};

	if (!d.kind && a->data && b->data)
		d.data = nctl_fields_diff(&a->kind->data, a->data, a->data_has, b->data, b->data_has);
	if (!d.port_kind && a->port && b->port)
		d.port = nctl_fields_diff(&a->port_kind->port, a->port, a->port_has, b->port, b->port_has);
	if (ret)
		*ret = d;
	return d.common || d.data || d.port || d.kind || d.port_kind || d.rest || d.vlans;
}

enum nctl_change_class nctl_link_change_class(
	const struct nctl_link *have, const struct nctl_link *want, const struct nctl_link_diff *d)
{
	enum nctl_change_class worst = nctl_fields_class(&nctl_link_fields, d->common), c;

	if (d->kind)
		return NCTL_CHANGE_RECREATE;
	if (want->kind) {
		c = nctl_fields_class(&want->kind->data, d->data);
		worst = c > worst ? c : worst;
	}
	if (want->kind && want->kind->change_class && have->data && want->data) {
		c = want->kind->change_class(have->data, want->data, d->data);
		worst = c > worst ? c : worst;
	}
	if (want->port_kind && !d->port_kind) {
		c = nctl_fields_class(&want->port_kind->port, d->port);
		worst = c > worst ? c : worst;
	}
	return worst;
}

nctl_ifindex nctl_link_lower(const struct nctl_link *l)
{
	const struct nctl_field_table *t = l->kind && l->data ? &l->kind->data : NULL;
	uint64_t mask = t ? nctl_fields_with(t, NCTL_FIELD_LOWER) & l->data_has : 0;

	return mask ? (nctl_ifindex)nctl_field_get(&t->v[__builtin_ctzll(mask)], l->data) : l->lower;
}
