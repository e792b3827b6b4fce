/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the links of a namespace and their indexes: by ifindex in order, by name, by altname, by master, by
 * lower. One insert, one update, one remove change them all. Whatever may fail is reserved before the first
 * index changes.
 */
#include "mirror/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct nctl_mirror_link *by_index(const struct nctl_rb_node *n)
{
	return n ? nctl_container_of(n, struct nctl_mirror_link, by_index) : NULL;
}

static int cmp_index(const struct nctl_rb_node *a, const struct nctl_rb_node *b)
{
	nctl_ifindex x = by_index(a)->v.ifindex, y = by_index(b)->v.ifindex;

	return (x > y) - (x < y);
}

static int cmp_index_key(const void *key, const struct nctl_rb_node *n)
{
	nctl_ifindex x = *(const nctl_ifindex *)key, y = by_index(n)->v.ifindex;

	return (x > y) - (x < y);
}

static size_t count_altnames(const struct nctl_link *v)
{
	size_t n = 0;

	while (v->altnames && v->altnames[n])
		n++;
	return n;
}

static void drop_altnames(struct nctl_mirror *m, struct nctl_mirror_altname *a, size_t n)
{
	for (size_t i = 0; i < n; i++)
		nctl_hash_remove(&m->by_altname, &a[i].by_name);
	free(a);
}

/* Indexes the altnames of v as those of l; the strings stay where they are when v moves. NULL when it has
 * none. */
static int make_altnames(struct nctl_mirror *m, struct nctl_mirror_link *l, const struct nctl_link *v,
	struct nctl_mirror_altname **ret)
{
	size_t n = count_altnames(v);
	struct nctl_mirror_altname *a;

	*ret = NULL;
	if (!n)
		return 0;
	a = calloc(n, sizeof(*a));
	if (!a)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		a[i].link = l;
		a[i].name = v->altnames[i];
		if (nctl_hash_insert(&m->by_altname, &a[i].by_name, nctl_hash_str(a[i].name)) < 0) {
			drop_altnames(m, a, i);
			return -ENOMEM;
		}
	}
	*ret = a;
	return 0;
}

void nctl_mirror_link_notify(struct nctl_mirror *m, enum nctl_change_op op, const struct nctl_link *old,
	const struct nctl_link *new, const struct nctl_link_diff *diff)
{
	struct nctl_change c = {
		.type = NCTL_OBJECT_LINK,
		.op = op,
		.ifindex = (new ? new : old)->ifindex,
		.old_link = old,
		.new_link = new,
	};

	if (diff)
		c.link_diff = *diff;
	if (new)
		nctl_maddrs_link(m->maddrs, new);
	else
		nctl_maddrs_link_gone(m->maddrs, old->ifindex);
	nctl_mirror_tell(m, &c);
}

/* All that may fail for a new link, with nothing left behind when it does. */
static int insert_reserve(struct nctl_mirror *m, struct nctl_mirror_link *l, const struct nctl_link *v)
{
	if (nctl_hash_insert(&m->by_name, &l->by_name, nctl_hash_str(v->name)) < 0)
		return -ENOMEM;
	if (make_altnames(m, l, v, &l->altnames) < 0)
		goto unname;
	if (nctl_bonds_add(m, l, v) < 0)
		goto unaltname;
	if (nctl_relation_reserve(m, v) < 0)
		goto unbond;
	return 0;

unbond:
	nctl_bonds_del(m, l);
unaltname:
	drop_altnames(m, l->altnames, count_altnames(v));
unname:
	nctl_hash_remove(&m->by_name, &l->by_name);
	return -ENOMEM;
}

static int insert(struct nctl_mirror *m, struct nctl_link *v, uint64_t touched)
{
	struct nctl_mirror_link *l = calloc(1, sizeof(*l));

	if (!l || insert_reserve(m, l, v) < 0) {
		free(l);
		return -ENOMEM;
	}
	l->v = NCTL_LINK_INIT;
	nctl_link_move(&l->v, v);
	l->touched = touched;
	nctl_list_init(&l->ports);
	nctl_list_init(&l->uppers);
	nctl_list_init(&l->in_master);
	nctl_list_init(&l->in_lower);
	l->addrs = NCTL_RB_INIT;
	nctl_rb_insert(&m->by_index, &l->by_index, cmp_index);
	nctl_relation_arrive(m, l);
	nctl_relation_link(m, l);
	nctl_genset_add(&m->lists[NCTL_OBJECT_LINK].gen, &l->gen);
	m->stats.added++;
	nctl_mirror_count_bridge(m, NULL, &l->v);
	nctl_mirror_link_notify(m, NCTL_ADDED, NULL, &l->v, NULL);
	nctl_silent_link(m, NULL, &l->v, NULL);
	return 0;
}

/* Nothing that counts differs, so no index does; what does not count (timers) is taken over. */
static void refresh(struct nctl_mirror *m, struct nctl_mirror_link *l, struct nctl_link *v)
{
	nctl_genset_touch(&m->lists[NCTL_OBJECT_LINK].gen, &l->gen);
	nctl_link_move(&l->v, v);
	for (size_t i = 0, n = count_altnames(&l->v); i < n; i++)
		l->altnames[i].name = l->v.altnames[i];
	nctl_relation_repair(m, l);
	m->stats.unchanged++;
}

static int update(struct nctl_mirror *m, struct nctl_mirror_link *l, struct nctl_link *v)
{
	struct nctl_mirror_altname *altnames;
	struct nctl_link_diff diff;
	struct nctl_link old = NCTL_LINK_INIT;

	if (!nctl_link_compare(&l->v, v, &diff)) {
		refresh(m, l, v);
		return 0;
	}
	if (make_altnames(m, l, v, &altnames) < 0)
		return -ENOMEM;
	if (nctl_relation_reserve(m, v) < 0) {
		drop_altnames(m, altnames, count_altnames(v));
		return -ENOMEM;
	}
	nctl_genset_touch(&m->lists[NCTL_OBJECT_LINK].gen, &l->gen);
	drop_altnames(m, l->altnames, count_altnames(&l->v));
	l->altnames = altnames;
	nctl_hash_remove(&m->by_name, &l->by_name);
	nctl_bonds_del(m, l);
	nctl_list_del(&l->in_master);
	nctl_list_del(&l->in_lower);
	nctl_link_move(&old, &l->v);
	nctl_link_move(&l->v, v);
	nctl_hash_insert(&m->by_name, &l->by_name, nctl_hash_str(l->v.name)); /* the table is there */
	nctl_bonds_add(m, l, &l->v); /* this one too, unless it has become a bond */
	nctl_relation_link(m, l);
	nctl_relation_forget(m, &old);
	m->stats.changed++;
	nctl_mirror_count_bridge(m, &old, &l->v);
	nctl_mirror_link_notify(m, NCTL_CHANGED, &old, &l->v, &diff);
	nctl_silent_link(m, &old, &l->v, &diff);
	nctl_link_fini(&old);
	return 0;
}

/*
 * The first end of a pair is announced before it has its other end, and nothing is said when it gets it
 * (drivers/net/veth.c veth_newlink); but the other end names it.
 */
static void infer_peer(struct nctl_mirror *m, const struct nctl_mirror_link *l)
{
	struct nctl_mirror_link *peer;
	struct nctl_link v;

	if (!l->v.kind || !(l->v.kind->traits & NCTL_KIND_PEERED) || l->v.lower_nsid != NCTL_NSID_NONE)
		return;
	peer = nctl_mirror_link_lookup(m, l->v.lower);
	if (!peer || peer->v.kind != l->v.kind || peer->v.lower || nctl_link_copy(&v, &peer->v) < 0)
		return;
	v.lower = l->v.ifindex;
	v.has |= NCTL_LINK_BIT(LOWER);
	update(m, peer, &v);
	nctl_link_fini(&v);
}

void nctl_mirror_link_remove(struct nctl_mirror *m, struct nctl_mirror_link *l)
{
	struct nctl_rb_node *n;

	while ((n = nctl_rb_first(&l->addrs)))
		nctl_mirror_addr_remove(m, l, nctl_container_of(n, struct nctl_mirror_addr, by_identity));
	nctl_rb_remove(&m->by_index, &l->by_index);
	nctl_hash_remove(&m->by_name, &l->by_name);
	nctl_bonds_del(m, l);
	drop_altnames(m, l->altnames, count_altnames(&l->v));
	nctl_relation_unlink(m, l);
	nctl_relation_leave(m, l);
	nctl_genset_del(&m->lists[NCTL_OBJECT_LINK].gen, &l->gen);
	m->stats.removed++;
	nctl_mirror_count_bridge(m, &l->v, NULL);
	nctl_mirror_link_notify(m, NCTL_REMOVED, &l->v, NULL, NULL);
	nctl_silent_link_gone(m, &l->v);
	nctl_link_fini(&l->v);
	free(l);
}

int nctl_mirror_link_put(struct nctl_mirror *m, struct nctl_link *v, enum nctl_source src)
{
	nctl_ifindex ifindex = v->ifindex;
	struct nctl_mirror_link *l = nctl_mirror_link_lookup(m, ifindex);
	uint64_t touched = src == NCTL_SOURCE_EVENT ? m->lists[NCTL_OBJECT_LINK].serial : 0;
	int r = 0;

	if (!nctl_mirror_is_overtaken(
		    m, NCTL_OBJECT_LINK, l ? &l->touched : NULL, nctl_hash_u64(v->ifindex), src)) {
		if (l && touched)
			l->touched = touched;
		if (l)
			nctl_mirror_link_keep_vlans(l, v);
		r = l ? update(m, l, v) : insert(m, v, touched);
		l = nctl_mirror_link_lookup(m, ifindex);
		if (r == 0 && l)
			infer_peer(m, l);
		if (r == 0 && l && touched)
			nctl_silent_link_told(m, &l->v);
	}
	nctl_link_fini(v);
	return r;
}

int nctl_mirror_link_drop(struct nctl_mirror *m, nctl_ifindex ifindex)
{
	struct nctl_mirror_link *l = nctl_mirror_link_lookup(m, ifindex);

	nctl_mirror_list_bury(&m->lists[NCTL_OBJECT_LINK], nctl_hash_u64(ifindex));
	if (l)
		nctl_mirror_link_remove(m, l);
	else
		nctl_silent_link_gone(m, &(struct nctl_link){.ifindex = ifindex});
	return 0;
}

struct nctl_mirror_link *nctl_mirror_link_lookup(const struct nctl_mirror *m, nctl_ifindex ifindex)
{
	return by_index(nctl_rb_find(&m->by_index, &ifindex, cmp_index_key));
}

const struct nctl_mirror_link *nctl_mirror_link_get(const struct nctl_mirror *m, nctl_ifindex ifindex)
{
	return nctl_mirror_link_lookup(m, ifindex);
}

const struct nctl_mirror_link *nctl_mirror_link_find(const struct nctl_mirror *m, const char *name)
{
	uint64_t hash = nctl_hash_str(name);
	struct nctl_hash_node *n;

	nctl_hash_for_each_equal(n, &m->by_name, hash) {
		struct nctl_mirror_link *l = nctl_container_of(n, struct nctl_mirror_link, by_name);

		if (!strcmp(l->v.name, name))
			return l;
	}
	nctl_hash_for_each_equal(n, &m->by_altname, hash) {
		struct nctl_mirror_altname *a = nctl_container_of(n, struct nctl_mirror_altname, by_name);

		if (!strcmp(a->name, name))
			return a->link;
	}
	return NULL;
}

const struct nctl_mirror_link *nctl_mirror_link_from(const struct nctl_mirror *m, nctl_ifindex ifindex)
{
	return by_index(nctl_rb_lower_bound(&m->by_index, &ifindex, cmp_index_key));
}

const struct nctl_mirror_link *nctl_mirror_link_next(const struct nctl_mirror_link *l)
{
	return by_index(nctl_rb_next(&l->by_index));
}

size_t nctl_mirror_link_count(const struct nctl_mirror *m)
{
	return m->by_index.n;
}

nctl_ifindex nctl_mirror_link_last(const struct nctl_mirror *m)
{
	const struct nctl_mirror_link *l = by_index(nctl_rb_last(&m->by_index));

	return l ? l->v.ifindex : 0;
}
