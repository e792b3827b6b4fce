/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: What must not be twice, and what does not go together, over all devices.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "config/device.h"
#include "config/refs.h"
#include "obj/addr.h"
#include "obj/kind.h"

#define IPV6_MIN_MTU 1280 /* RFC 8200 section 5 */

/* A link under the hash of its identity. */
struct identity {
	struct nctl_hash_node node;
	const struct nctl_want_link *link;
};

static const char *lower_name(const struct nctl_want_link *l)
{
	return l->lower.name ? l->lower.name : "";
}

static uint64_t identity_hash(const struct nctl_want_link *l, uint64_t fields)
{
	const struct nctl_field_table *t = &l->def->kind->data;
	uint64_t hash = nctl_hash_u64(nctl_hash_str(lower_name(l)) ^ l->netns->number) ^
	                nctl_hash_u64((uintptr_t)l->def->kind);
	size_t i;

	for (i = 0; i < t->n; i++)
		if (fields >> i & 1)
			hash = nctl_hash_u64(hash ^ nctl_hash_bytes((const char *)l->v.data + t->v[i].offset,
							    t->v[i].size));
	return hash;
}

static bool identity_equal(const struct nctl_want_link *a, const struct nctl_want_link *b, uint64_t fields)
{
	const struct nctl_field_table *t = &a->def->kind->data;
	size_t i;

	if (a->netns != b->netns || a->def->kind != b->def->kind || strcmp(lower_name(a), lower_name(b)))
		return false;
	for (i = 0; i < t->n; i++)
		if ((fields >> i & 1) && !nctl_field_equal(&t->v[i], a->v.data, b->v.data))
			return false;
	return true;
}

/* A VRF is its table. */
static uint64_t identity_fields(const struct nctl_kind *k)
{
	return nctl_fields_with(
		&k->data, k->traits & NCTL_KIND_VRF ? NCTL_FIELD_REQUIRED : NCTL_FIELD_IDENTITY);
}

/* "id 7, protocol 802.1q" */
static const char *identity_text(struct nd_parse *p, const struct nctl_want_link *l, uint64_t fields)
{
	const struct nctl_field_table *t = &l->def->kind->data;
	const char *comma = "";
	size_t i;

	nctl_strbuf_reset(&p->scratch);
	for (i = 0; i < t->n; i++) {
		if (!((fields & l->v.data_has) >> i & 1))
			continue;
		nctl_strbuf_printf(&p->scratch, "%s%s ", comma, t->v[i].key ? t->v[i].key : "?");
		nctl_field_format_text(&t->v[i], l->v.data, &p->scratch);
		comma = ", ";
	}
	return nctl_strbuf_str(&p->scratch);
}

static void check_identity(struct nd_parse *p, struct nctl_hash *seen, struct identity *id)
{
	const struct nctl_want_link *l = id->link, *other;
	const struct nctl_kind *k = l->def->kind;
	uint64_t fields = identity_fields(k), hash;
	struct nctl_hash_node *pos;

	/* Of a kind that is told as a whole, what is left out is none. */
	if (!fields || ((fields & ~l->v.data_has) && !(k->traits & NCTL_KIND_SET_WHOLE)) ||
		((k->traits & NCTL_KIND_LOWER_REQUIRED) && !l->lower.name))
		return;
	hash = identity_hash(l, fields);
	nctl_hash_for_each_equal(pos, seen, hash) {
		other = nctl_container_of(pos, struct identity, node)->link;
		if (!identity_equal(l, other, fields))
			continue;
		nd_error(p, l->pos,
			nd_text(p, "\"%s\" is defined at %s", other->v.name, nd_place(p, other->pos)),
			l->lower.name ? "\"%s\" and \"%s\" are the same on \"%s\": %s"
				      : "\"%s\" and \"%s\" are the same%s: %s",
			l->v.name, other->v.name, lower_name(l), identity_text(p, l, fields));
		return;
	}
	nd_failed(p, nctl_hash_insert(seen, &id->node, hash));
}

static int addr_order(const void *a, const void *b)
{
	const struct nctl_want_addr *x = *(struct nctl_want_addr *const *)a,
				    *y = *(struct nctl_want_addr *const *)b;
	int r = nctl_addr_cmp(&x->v, &y->v);

	return r ? r : x < y ? -1 : x > y;
}

/* The same address from two files is one address, as in netplan. */
static void check_addrs(struct nd_parse *p, struct nctl_want_link *l)
{
	struct nctl_want_addr **v, *a, *b;
	size_t i, kept = 0;

	if (l->n_addrs < 2)
		return;
	v = nd_alloc(p, l->n_addrs * sizeof(struct nctl_want_addr *));
	if (!v)
		return;
	for (i = 0; i < l->n_addrs; i++)
		v[i] = &l->addrs[i];
	qsort(v, l->n_addrs, sizeof(struct nctl_want_addr *), addr_order);
	for (i = 1; i < l->n_addrs; i++) {
		a = v[i - 1];
		b = v[i];
		if (nctl_addr_cmp(&a->v, &b->v))
			continue;
		if (a->pos.file == b->pos.file)
			nd_error(p, b->pos, nd_text(p, "the other one is at %s", nd_place(p, a->pos)),
				"\"%s\" has this address twice", l->v.name);
		a->v.local.family = AF_UNSPEC;
	}
	for (i = 0; i < l->n_addrs; i++)
		if (l->addrs[i].v.local.family != AF_UNSPEC)
			l->addrs[kept++] = l->addrs[i];
	l->n_addrs = kept;
}

static void check_mtu(struct nd_parse *p, const struct nctl_want_link *l)
{
	const struct nctl_want_link *lower = l->lower.link;
	size_t i;

	if (!(l->v.has & NCTL_LINK_BIT(MTU)))
		return;
	if ((l->def->kind->traits & NCTL_KIND_LOWER_REQUIRED) && lower &&
		(lower->v.has & NCTL_LINK_BIT(MTU)) && l->v.mtu > lower->v.mtu)
		nd_error(p, l->pos,
			nd_text(p, "raise the MTU of \"%s\" at %s, or lower this one", lower->v.name,
				nd_place(p, lower->pos)),
			"the MTU of \"%s\" is %u, and that of \"%s\" below it only %u", l->v.name, l->v.mtu,
			lower->v.name, lower->v.mtu);
	for (i = 0; i < l->n_addrs && l->v.mtu < IPV6_MIN_MTU; i++)
		if (l->addrs[i].v.local.family == AF_INET6) {
			nd_warning(p, l->addrs[i].pos, "raise the MTU, or remove the address",
				"\"%s\" has an MTU of %u, and IPv6 needs %d", l->v.name, l->v.mtu,
				IPV6_MIN_MTU);
			return;
		}
}

void nd_check_links(struct nd_parse *p)
{
	struct identity *ids = nd_alloc(p, p->n_links * sizeof(*ids));
	struct nctl_hash seen;
	size_t i;

	if (!ids)
		return;
	nctl_hash_init(&seen);
	for (i = 0; i < p->n_links; i++) {
		ids[i].link = p->links[i];
		check_identity(p, &seen, &ids[i]);
		check_addrs(p, p->links[i]);
		check_mtu(p, p->links[i]);
		nd_check_link_sysctls(p, p->links[i]);
	}
	nctl_hash_fini(&seen);
}
