/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: next-hop objects and groups in the order of their ids. A group stands in the list of each member, an
 * object with a link in the list of that link (refs.c). A change makes a new entry in the place of the old.
 */
#include "mirror/pack.h"
#include "mirror/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct nctl_nexthop_entry *by_id(const struct nctl_rb_node *n)
{
	return n ? nctl_container_of(n, struct nctl_nexthop_entry, by_id) : NULL;
}

static int cmp_id(const struct nctl_rb_node *a, const struct nctl_rb_node *b)
{
	nctl_nhid x = by_id(a)->v.id, y = by_id(b)->v.id;

	return (x > y) - (x < y);
}

static int cmp_id_key(const void *key, const struct nctl_rb_node *n)
{
	nctl_nhid x = *(const nctl_nhid *)key, y = by_id(n)->v.id;

	return (x > y) - (x < y);
}

static struct nctl_nexthop_entry *lookup(const struct nctl_mirror *m, nctl_nhid id)
{
	return by_id(nctl_rb_find(&m->nexthops, &id, cmp_id_key));
}

static void tell(struct nctl_mirror *m, enum nctl_change_op op, const struct nctl_nexthop *old,
	const struct nctl_nexthop *new)
{
	struct nctl_change c = {
		.type = NCTL_OBJECT_NEXTHOP,
		.op = op,
		.ifindex = (new ? new : old)->hop.oif,
		.old_nexthop = old,
		.new_nexthop = new,
	};

	nctl_mirror_tell(m, &c);
}

static void detach(struct nctl_mirror *m, struct nctl_nexthop_entry *e)
{
	for (uint32_t i = 0; i < e->n_refs; i++)
		nctl_ref_detach(m, &e->refs[i]);
	e->n_refs = 0;
}

static int attach(struct nctl_mirror *m, struct nctl_nexthop_entry *e)
{
	int r = 0;

	if (e->v.hop.oif)
		r = nctl_ref_attach(m, &e->refs[e->n_refs++], e, NCTL_REF_NEXTHOP_OIF, e->v.hop.oif, NULL);
	for (uint32_t i = 0; r == 0 && i < e->v.n_members; i++)
		r = nctl_ref_attach(m, &e->refs[e->n_refs++], e, NCTL_REF_MEMBER, e->v.members[i].id, NULL);
	return r;
}

/* In no tree and set. NULL: no memory. */
static struct nctl_nexthop_entry *make(struct nctl_mirror *m, const struct nctl_nexthop *v)
{
	size_t members = v->n_members * sizeof(*v->members);
	size_t head = nctl_pad(sizeof(struct nctl_nexthop_entry) + (v->n_members + 1) * sizeof(struct nctl_ref));
	struct nctl_nexthop_entry *e =
		calloc(1, head + nctl_pad(members) + nctl_pad(v->hop.encap.n) + nctl_pad(v->hop.rest.n) + nctl_pad(v->rest.n));
	uint8_t *to = (uint8_t *)e + head;

	if (!e)
		return NULL;
	e->v = *v;
	e->v.members = nctl_pack(&to, v->members, members);
	e->v.hop.encap.p = nctl_pack(&to, v->hop.encap.p, v->hop.encap.n);
	e->v.hop.rest.p = nctl_pack(&to, v->hop.rest.p, v->hop.rest.n);
	e->v.rest.p = nctl_pack(&to, v->rest.p, v->rest.n);
	nctl_list_init(&e->doomed);
	if (attach(m, e) < 0) {
		detach(m, e);
		free(e);
		return NULL;
	}
	return e;
}

static void put_away(struct nctl_mirror *m, struct nctl_nexthop_entry *e)
{
	detach(m, e);
	nctl_list_del(&e->doomed);
	nctl_rb_remove(&m->nexthops, &e->by_id);
	nctl_genset_del(&m->lists[NCTL_OBJECT_NEXTHOP].gen, &e->gen);
}

static void enter(struct nctl_mirror *m, struct nctl_nexthop_entry *e, uint64_t touched)
{
	e->touched = touched;
	nctl_rb_insert(&m->nexthops, &e->by_id, cmp_id);
	nctl_genset_add(&m->lists[NCTL_OBJECT_NEXTHOP].gen, &e->gen);
}

static int update(
	struct nctl_mirror *m, struct nctl_nexthop_entry *old, const struct nctl_nexthop *v, uint64_t touched)
{
	struct nctl_nexthop_entry *e;

	if (!nctl_nexthop_differs(&old->v, v, true)) {
		nctl_genset_touch(&m->lists[NCTL_OBJECT_NEXTHOP].gen, &old->gen);
		old->v.unbalanced_time = v->unbalanced_time;
		old->touched = touched ? touched : old->touched;
		m->stats.unchanged++;
		return 0;
	}
	e = make(m, v);
	if (!e)
		return -ENOMEM;
	touched = touched ? touched : old->touched;
	put_away(m, old);
	enter(m, e, touched);
	m->stats.changed++;
	tell(m, NCTL_CHANGED, &old->v, &e->v);
	if (e->v.group && e->v.n_members < old->v.n_members)
		nctl_silent_members_changed(m, e->v.id);
	free(old);
	return 0;
}

/*
 * A member that has gone may have taken the group along without a word. In a dump, members of higher numbers
 * come behind their group: there, only those count that are known to be gone.
 */
static bool names_lost(const struct nctl_mirror *m, const struct nctl_nexthop *v, enum nctl_source src)
{
	const struct nctl_mirror_list *l = &m->lists[NCTL_OBJECT_NEXTHOP];

	for (uint32_t i = 0; i < v->n_members; i++)
		if (src == NCTL_SOURCE_EVENT ? !lookup(m, v->members[i].id)
					     : nctl_mirror_list_is_buried(l, nctl_hash_u64(v->members[i].id)))
			return true;
	return false;
}

int nctl_mirror_nexthop_put(struct nctl_mirror *m, const struct nctl_nexthop *v, enum nctl_source src)
{
	struct nctl_nexthop_entry *e = lookup(m, v->id);
	uint64_t touched = src == NCTL_SOURCE_EVENT ? m->lists[NCTL_OBJECT_NEXTHOP].serial : 0;

	if (nctl_mirror_is_overtaken(
		    m, NCTL_OBJECT_NEXTHOP, e ? &e->touched : NULL, nctl_hash_u64(v->id), src))
		return 0;
	if ((touched && nctl_silent_nexthop_is_late(m, v)) || names_lost(m, v, src))
		nctl_suspect(m, NCTL_OBJECT_NEXTHOP, 0, 0);
	if (e)
		return update(m, e, v, touched);
	e = make(m, v);
	if (!e)
		return -ENOMEM;
	enter(m, e, touched);
	m->stats.added++;
	tell(m, NCTL_ADDED, NULL, &e->v);
	return 0;
}

static void remove_one(struct nctl_mirror *m, struct nctl_nexthop_entry *e)
{
	put_away(m, e);
	nctl_mirror_list_bury(&m->lists[NCTL_OBJECT_NEXTHOP], nctl_hash_u64(e->v.id));
	m->stats.removed++;
	tell(m, NCTL_REMOVED, &e->v, NULL);
	free(e);
}

/* A group without one of its members, or, when that was the last one, in doomed. */
static void lose_member(
	struct nctl_mirror *m, struct nctl_nexthop_entry *e, nctl_nhid id, struct nctl_list *doomed)
{
	struct nctl_nexthop_member *members = calloc(e->v.n_members, sizeof(*members));
	struct nctl_nexthop v = e->v;

	v.n_members = 0;
	for (uint32_t i = 0; members && i < e->v.n_members; i++)
		if (e->v.members[i].id != id)
			members[v.n_members++] = e->v.members[i];
	v.members = members;
	/* Without memory the group goes as a whole; the dump that confirms brings the rest back. */
	if (v.n_members == 0 || update(m, e, &v, 0) < 0) {
		detach(m, e);
		nctl_list_del(&e->doomed);
		nctl_list_add_tail(doomed, &e->doomed);
	}
	free(members);
}

/*
 * With an object go, without a word, the IPv4 routes through it, and IPv6 ones too if sysctl
 * nexthop_compat_mode is off (net/ipv4/nexthop.c __remove_nexthop_fib); groups lose a member, and go with the
 * last one (remove_nh_grp_entry).
 */
void nctl_nexthop_remove(struct nctl_mirror *m, struct nctl_nexthop_entry *e)
{
	struct nctl_list doomed, *n;
	struct nctl_ref_head *h;

	nctl_list_init(&doomed);
	nctl_list_del(&e->doomed);
	nctl_list_add_tail(&doomed, &e->doomed);
	while ((n = nctl_list_first(&doomed))) {
		nctl_nhid id;

		e = nctl_list_entry(n, struct nctl_nexthop_entry, doomed);
		id = e->v.id;
		remove_one(m, e);
		nctl_silent_nexthop_gone(m, id);
		while ((h = nctl_ref_head(m, NCTL_REF_MEMBER, id, NULL))) {
			e = nctl_list_entry(nctl_list_first(&h->refs), struct nctl_ref, link)->owner;
			lose_member(m, e, id, &doomed);
		}
	}
}

int nctl_mirror_nexthop_drop(struct nctl_mirror *m, nctl_nhid id)
{
	struct nctl_nexthop_entry *e = lookup(m, id);

	nctl_mirror_list_bury(&m->lists[NCTL_OBJECT_NEXTHOP], nctl_hash_u64(id));
	if (e)
		nctl_nexthop_remove(m, e);
	else
		nctl_silent_nexthop_gone(m, id);
	return 0;
}

void nctl_nexthop_fini(struct nctl_mirror *m)
{
	struct nctl_rb_node *n;

	while ((n = nctl_rb_first(&m->nexthops))) {
		put_away(m, by_id(n));
		free(by_id(n));
	}
}

const struct nctl_nexthop *nctl_mirror_nexthop_get(const struct nctl_mirror *m, nctl_nhid id)
{
	const struct nctl_nexthop_entry *e = lookup(m, id);

	return e ? &e->v : NULL;
}

const struct nctl_nexthop *nctl_mirror_nexthop_from(const struct nctl_mirror *m, nctl_nhid id)
{
	const struct nctl_nexthop_entry *e = by_id(nctl_rb_lower_bound(&m->nexthops, &id, cmp_id_key));

	return e ? &e->v : NULL;
}

size_t nctl_mirror_nexthop_count(const struct nctl_mirror *m)
{
	return m->nexthops.n;
}
