/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the addresses of a namespace: one tree a link, in the order of identity, and one tree by prefix over
 * all links. An address lives no longer than its link; one on a link that we do not know is left out, since
 * the link's own event or dump entry is still on its way and the address's comes behind it.
 */
#include "mirror/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <linux/if_addr.h>

static struct nctl_mirror_addr *by_identity(const struct nctl_rb_node *n)
{
	return n ? nctl_container_of(n, struct nctl_mirror_addr, by_identity) : NULL;
}

static struct nctl_mirror_addr *by_prefix(const struct nctl_rb_node *n)
{
	return n ? nctl_container_of(n, struct nctl_mirror_addr, by_prefix) : NULL;
}

static int cmp_identity(const struct nctl_rb_node *a, const struct nctl_rb_node *b)
{
	return nctl_addr_cmp(&by_identity(a)->v, &by_identity(b)->v);
}

static int cmp_identity_key(const void *key, const struct nctl_rb_node *n)
{
	return nctl_addr_cmp(key, &by_identity(n)->v);
}

static int cmp_prefix(const struct nctl_rb_node *a, const struct nctl_rb_node *b)
{
	const struct nctl_addr *x = &by_prefix(a)->v, *y = &by_prefix(b)->v;
	int c = nctl_prefix_cmp(&x->local, &y->local);

	return c ? c : nctl_addr_cmp(x, y);
}

/* The key is a bare address: the first holder is the one with the shortest length. */
static int cmp_address_key(const void *key, const struct nctl_rb_node *n)
{
	const struct nctl_prefix *k = key, *p = &by_prefix(n)->v.local;

	if (k->family != p->family)
		return k->family < p->family ? -1 : 1;
	return memcmp(k->addr, p->addr, sizeof(k->addr));
}

bool nctl_mirror_has_v4(const struct nctl_mirror *m, nctl_ifindex ifindex)
{
	const struct nctl_mirror_link *l = nctl_mirror_link_get(m, ifindex);
	const struct nctl_mirror_addr *a = l ? nctl_mirror_addr_first(l) : NULL;

	return a && a->v.local.family == AF_INET; /* they come first (nctl_addr_cmp) */
}

/* What tells an address from all others, for the tombs. */
static uint64_t addr_key(const struct nctl_addr *a)
{
	uint64_t h = nctl_hash_u64(a->ifindex) ^ nctl_hash_bytes(a->local.addr, sizeof(a->local.addr));

	if (a->local.family == AF_INET)
		h ^= nctl_hash_bytes(&a->peer, sizeof(a->peer)) + a->local.len;
	return h;
}

static void notify(struct nctl_mirror *m, enum nctl_change_op op, const struct nctl_addr *old,
	const struct nctl_addr *new, uint64_t diff)
{
	struct nctl_change c = {
		.type = NCTL_OBJECT_ADDR,
		.op = op,
		.ifindex = (new ? new : old)->ifindex,
		.old_addr = old,
		.new_addr = new,
		.addr_diff = diff,
	};

	if (op != NCTL_CHANGED)
		nctl_maddrs_addr(m->maddrs, new ? new : old, new);
	nctl_mirror_tell(m, &c);
}

/* A dump tells them in the kernel's order; a new one comes last in IPv4, and first in IPv6 (ipv6_link_dev_addr). */
static int64_t place_of(struct nctl_mirror *m, const struct nctl_addr *v, enum nctl_source src)
{
	if (src == NCTL_SOURCE_EVENT && v->local.family == AF_INET6)
		return --m->first_place;
	return ++m->last_place;
}

static int insert(struct nctl_mirror *m, struct nctl_mirror_link *l, const struct nctl_addr *v,
	uint64_t touched, enum nctl_source src)
{
	struct nctl_mirror_addr *a = calloc(1, sizeof(*a));
	bool first = v->local.family == AF_INET && !nctl_mirror_has_v4(m, v->ifindex);

	if (!a)
		return -ENOMEM;
	a->v = *v;
	a->touched = touched;
	a->place = place_of(m, v, src);
	nctl_rb_insert(&l->addrs, &a->by_identity, cmp_identity);
	nctl_rb_insert(&m->by_prefix, &a->by_prefix, cmp_prefix);
	nctl_genset_add(&m->lists[NCTL_OBJECT_ADDR].gen, &a->gen);
	m->stats.added++;
	notify(m, NCTL_ADDED, NULL, &a->v, 0);
	if (first)
		nctl_silent_addr_first(m, &l->v);
	return 0;
}

static void update(struct nctl_mirror *m, struct nctl_mirror_addr *a, const struct nctl_addr *v)
{
	struct nctl_addr old = a->v;
	uint64_t diff = nctl_addr_diff(&old, v);

	nctl_genset_touch(&m->lists[NCTL_OBJECT_ADDR].gen, &a->gen);
	if (!diff) {
		m->stats.unchanged++;
		a->v = *v; /* the seconds left, say */
		return;
	}
	/* An IPv6 address may change its length, which is part of the order by prefix. */
	nctl_rb_remove(&m->by_prefix, &a->by_prefix);
	a->v = *v;
	nctl_rb_insert(&m->by_prefix, &a->by_prefix, cmp_prefix);
	m->stats.changed++;
	notify(m, NCTL_CHANGED, &old, &a->v, diff);
}

void nctl_mirror_addr_remove(struct nctl_mirror *m, struct nctl_mirror_link *l, struct nctl_mirror_addr *a)
{
	nctl_rb_remove(&l->addrs, &a->by_identity);
	nctl_rb_remove(&m->by_prefix, &a->by_prefix);
	nctl_genset_del(&m->lists[NCTL_OBJECT_ADDR].gen, &a->gen);
	m->stats.removed++;
	notify(m, NCTL_REMOVED, &a->v, NULL, 0);
	free(a);
}

void nctl_mirror_addr_lose(struct nctl_mirror *m, struct nctl_mirror_link *l, struct nctl_mirror_addr *a)
{
	struct nctl_addr old = a->v;

	nctl_mirror_addr_remove(m, l, a);
	nctl_silent_addr_gone(m, &old);
}

int nctl_mirror_addr_put(struct nctl_mirror *m, const struct nctl_addr *v, enum nctl_source src)
{
	struct nctl_mirror_link *l = nctl_mirror_link_lookup(m, v->ifindex);
	uint64_t touched = src == NCTL_SOURCE_EVENT ? m->lists[NCTL_OBJECT_ADDR].serial : 0;
	struct nctl_mirror_addr *a;

	if (!l)
		return 0;
	a = by_identity(nctl_rb_find(&l->addrs, v, cmp_identity_key));
	if (nctl_mirror_is_overtaken(m, NCTL_OBJECT_ADDR, a ? &a->touched : NULL, addr_key(v), src))
		return 0;
	if (!a)
		return insert(m, l, v, touched, src);
	if (touched)
		a->touched = touched;
	update(m, a, v);
	return 0;
}

int nctl_mirror_addr_drop(struct nctl_mirror *m, const struct nctl_addr *v)
{
	struct nctl_mirror_link *l = nctl_mirror_link_lookup(m, v->ifindex);
	struct nctl_mirror_addr *a = l ? by_identity(nctl_rb_find(&l->addrs, v, cmp_identity_key)) : NULL;

	nctl_mirror_list_bury(&m->lists[NCTL_OBJECT_ADDR], addr_key(v));
	if (!a) {
		/* A dump was ahead, but maybe not of the events that came before this one. */
		nctl_silent_addr_gone(m, v);
		return 0;
	}
	/* As it was when it went, whatever a dump said before or since. */
	a->v.flags |= v->flags & IFA_F_SECONDARY;
	nctl_mirror_addr_lose(m, l, a);
	return 0;
}

const struct nctl_mirror_addr *nctl_mirror_addr_get(
	const struct nctl_mirror *m, const struct nctl_addr *identity)
{
	const struct nctl_mirror_link *l = nctl_mirror_link_get(m, identity->ifindex);

	return l ? by_identity(nctl_rb_find(&l->addrs, identity, cmp_identity_key)) : NULL;
}

const struct nctl_mirror_addr *nctl_mirror_addr_first(const struct nctl_mirror_link *l)
{
	return by_identity(nctl_rb_first(&l->addrs));
}

const struct nctl_mirror_addr *nctl_mirror_addr_next(const struct nctl_mirror_addr *a)
{
	return by_identity(nctl_rb_next(&a->by_identity));
}

const struct nctl_mirror_addr *nctl_mirror_addr_find(const struct nctl_mirror *m, const struct nctl_prefix *p)
{
	const struct nctl_mirror_addr *a = by_prefix(nctl_rb_lower_bound(&m->by_prefix, p, cmp_address_key));

	return a && !cmp_address_key(p, &a->by_prefix) ? a : NULL;
}

size_t nctl_mirror_addr_count(const struct nctl_mirror *m)
{
	return m->by_prefix.n;
}
