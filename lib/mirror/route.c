/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: routes into the mirror and out of it. A message says what the kernel did; where in the order of its
 * prefix a route stands follows from its flags (rtnetlink events carry those by which the kernel decided):
 *
 * IPv4 (net/ipv4/fib_trie.c fib_table_insert): NLM_F_REPLACE: it took the place of the first of its equals;
 * NLM_F_APPEND: it stands behind them; NLM_F_CREATE: in front. No flags (fib_alias_hw_flags_set) or
 * NLM_F_REPLACE for a route through a next-hop object (fib_info_notify_update): one that is there changed.
 *
 * IPv6 (net/ipv6/ip6_fib.c fib6_add_rt2node): NLM_F_REPLACE likewise, of those that are siblings or not as it
 * is; all others stand behind their equals. A message about siblings names all of them.
 *
 * RTM_DELROUTE describes the one that went, as it was; of IPv6 siblings it names those that go.
 *
 * What a dump says comes in the kernel's order: each entry of a prefix belongs behind the one before it.
 */
#include "mirror/fib.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <linux/netlink.h>

void nctl_route_fill(const struct nctl_fib *f, uint32_t route, struct nctl_route *ret)
{
	const struct nctl_rec *rec = nctl_rec_at(f, route);

	*ret = nctl_set_of(f, route)->v;
	ret->dst = nctl_fib_prefix(f, route);
	ret->metric = rec->metric;
	ret->expires = rec->timed ? nctl_expiry_get(f, route) : 0;
}

void nctl_route_tell(struct nctl_fib *f, enum nctl_change_op op, const struct nctl_route *old,
	const struct nctl_route *new, uint64_t diff)
{
	struct nctl_change c = {
		.type = nctl_fib_type(f),
		.op = op,
		.old_route = old,
		.new_route = new,
		.route_diff = diff,
	};

	nctl_subs_notify(&f->m->subs, &c);
	if ((old && old->protocol == f->m->own_protocol) || (new && new->protocol == f->m->own_protocol))
		nctl_subs_notify(&f->m->own_subs, &c);
}

static void touch(struct nctl_fib *f, uint32_t route, enum nctl_touch by)
{
	struct nctl_rec *rec = nctl_rec_at(f, route);

	if (by == NCTL_TOUCH_NOT)
		return;
	/* That an event spoke of it since the dump began, and where it put it, is not forgotten. */
	if (rec->gen != f->gen || by > rec->by)
		rec->by = by;
	rec->gen = f->gen;
}

/* The last word on it since the dump began. */
static enum nctl_touch touched_by(const struct nctl_fib *f, uint32_t route)
{
	const struct nctl_rec *rec = nctl_rec_at(f, route);

	return rec->gen == f->gen ? rec->by : NCTL_TOUCH_DUMP;
}

/* This dump has given it. */
static bool is_given(const struct nctl_fib *f, uint32_t route)
{
	const struct nctl_rec *rec = nctl_rec_at(f, route);

	return rec->gen == f->gen && rec->by == NCTL_TOUCH_DUMP;
}

void nctl_route_remove(struct nctl_fib *f, uint32_t route, bool keep_table)
{
	struct nctl_set *s = nctl_set_of(f, route);
	struct nctl_fib_table *t = nctl_fib_table(f, s->v.table);
	struct nctl_route old;

	nctl_route_fill(f, route, &old);
	nctl_sweep_leave(f, route);
	nctl_fib_unlink(f, t, route);
	nctl_set_del(f, s, route);
	if (nctl_rec_at(f, route)->timed)
		nctl_expiry_set(f, route, 0);
	if (f->placed.id == route)
		f->placed.id = 0;
	nctl_rec_at(f, route)->set = 0;
	nctl_slab_give(&f->recs, route);
	f->m->stats.removed++;
	if (nctl_mirror_is_heard(f->m, old.protocol))
		nctl_route_tell(f, NCTL_REMOVED, &old, NULL, 0);
	nctl_set_release(f->m, s);
	if (!keep_table)
		nctl_fib_table_release(f, t);
}

int nctl_route_update(struct nctl_fib *f, uint32_t route, const struct nctl_route *r, enum nctl_touch by)
{
	struct nctl_mirror *m = f->m;
	struct nctl_set *s, *was = nctl_set_of(f, route);
	struct nctl_route old, new;
	uint64_t diff;

	if (r->expires || nctl_rec_at(f, route)->timed) {
		if (nctl_expiry_set(f, route, r->expires) < 0)
			return -ENOMEM;
	}
	if (nctl_route_content_equal(&was->v, r)) {
		touch(f, route, by);
		m->stats.unchanged++;
		return 0;
	}
	s = nctl_set_make(m, r);
	if (!s)
		return -ENOMEM;
	touch(f, route, by);
	nctl_route_fill(f, route, &old);
	nctl_set_del(f, was, route);
	nctl_set_add(f, s, route);
	if (nctl_rec_at(f, route)->crowd)
		nctl_crowd_rekey(f, route);
	nctl_route_fill(f, route, &new);
	diff = nctl_route_diff(&old, &new);
	if (diff)
		m->stats.changed++;
	else
		m->stats.unchanged++;
	if (diff && (nctl_mirror_is_heard(m, old.protocol) || nctl_mirror_is_heard(m, new.protocol)))
		nctl_route_tell(f, NCTL_CHANGED, &old, &new, diff);
	nctl_set_release(m, was);
	return 0;
}

static void unrecord(struct nctl_fib *f, uint32_t route, struct nctl_set *s)
{
	struct nctl_rec *rec = nctl_rec_at(f, route);

	if (rec->timed)
		nctl_expiry_set(f, route, 0);
	if (rec->set)
		nctl_set_del(f, s, route);
	rec->set = 0;
	nctl_slab_give(&f->recs, route);
}

/* A record of r with its set, in no order yet. 0: no memory. */
static uint32_t record(struct nctl_fib *f, const struct nctl_route *r, struct nctl_set *s)
{
	uint32_t route = nctl_slab_take(&f->recs);
	struct nctl_rec *rec;

	if (!route)
		return 0;
	rec = nctl_rec_at(f, route);
	rec->metric = r->metric;
	rec->len = r->dst.len;
	memcpy(rec->addr, r->dst.addr, nctl_prefix_bytes(f->family));
	if (r->expires && nctl_expiry_set(f, route, r->expires) < 0) {
		unrecord(f, route, s);
		return 0;
	}
	nctl_set_add(f, s, route);
	return route;
}

static int insert(struct nctl_fib *f, struct nctl_spot *spot, const struct nctl_route *r, uint32_t after,
	enum nctl_touch by, uint32_t *ret)
{
	struct nctl_set *s = nctl_set_make(f->m, r);
	uint32_t route = s ? record(f, r, s) : 0;
	struct nctl_route new;

	if (route && nctl_fib_link(f, spot, route, after) < 0) {
		unrecord(f, route, s);
		route = 0;
	}
	if (!route) {
		if (s)
			nctl_set_release(f->m, s);
		return -ENOMEM;
	}
	touch(f, route, by);
	f->m->stats.added++;
	if (nctl_mirror_is_heard(f->m, r->protocol)) {
		nctl_route_fill(f, route, &new);
		nctl_route_tell(f, NCTL_ADDED, NULL, &new, 0);
	}
	*ret = route;
	return 0;
}

static bool has_key(const struct nctl_fib *f, uint32_t route, const struct nctl_route *r)
{
	struct nctl_key want = nctl_key_of(r, r->metric);
	struct nctl_key key = nctl_key_of(&nctl_set_of(f, route)->v, nctl_rec_at(f, route)->metric);

	return !nctl_key_cmp(&key, &want);
}

/*
 * A dump's entry belongs behind the one before it; what events put in front or at the end meanwhile stays
 * there (and if their events are yet to come, they will: put_event). Returns
 * what it belongs behind, 0 for the front of its equals; *ret_there: it is there already.
 */
static uint32_t place(
	struct nctl_fib *f, const struct nctl_spot *spot, const struct nctl_route *r, bool *ret_there)
{
	uint32_t after = f->placed.id, at;

	if (after && (f->placed.table != r->table || !nctl_prefix_equal(&f->placed.prefix, &r->dst) ||
			     !has_key(f, after, r)))
		after = 0;
	if (f->m->scope.oif) {
		/* Without those on other links, the order is not told. */
		*ret_there = spot->match;
		return after ? after : spot->last;
	}
	at = after ? nctl_fib_next(f, after) : spot->first;
	while (at && at != spot->match && touched_by(f, at) == NCTL_TOUCH_FRONT && has_key(f, at, r)) {
		after = at;
		at = nctl_fib_next(f, at);
	}
	*ret_there = spot->match && (at == spot->match || after == spot->match);
	return after;
}

/*
 * A dump that gives what it has given already tells of a twin: it is another one behind that, or one that is
 * not here yet (0). Not among many routes of one prefix.
 */
static uint32_t other_twin(const struct nctl_fib *f, const struct nctl_spot *spot, const struct nctl_route *r)
{
	uint32_t route = spot->match;

	if (!route || f->family != AF_INET6 || spot->crowd || !is_given(f, route))
		return route;
	while ((route = nctl_fib_next(f, route)) && has_key(f, route, r))
		if (!is_given(f, route) && nctl_route_same(&nctl_set_of(f, route)->v, r))
			return route;
	return 0;
}

static int put_dumped(struct nctl_fib *f, struct nctl_spot *spot, const struct nctl_route *r)
{
	bool there = false;
	uint32_t after = 0, twin = spot->match, route = other_twin(f, spot, r);
	int result = 0;

	/* A dump that was disturbed may give the same once more, too: the next one tells. */
	if (twin && !route)
		nctl_suspect_route(f->m, r);
	/* It was here, and taken for gone: only the dump of a table tells where among its equals it stands.
	 */
	if (f->m->scope.oif && f->family == AF_INET && !route && spot->first)
		nctl_suspect(f->m, nctl_fib_type(f), r->table, 0);
	spot->match = route;
	if (route && touched_by(f, route) != NCTL_TOUCH_DUMP) {
		f->m->stats.dump_ignored++;
		if (touched_by(f, route) != NCTL_TOUCH_EVENT)
			return 0;
	} else {
		after = place(f, spot, r, &there);
		if (!route) {
			result = insert(f, spot, r, after, NCTL_TOUCH_DUMP, &route);
		} else {
			result = nctl_route_update(f, route, r, NCTL_TOUCH_DUMP);
			if (result == 0 && !there)
				nctl_fib_move(f, spot, route, after);
		}
	}
	if (result < 0)
		return result;
	f->placed.table = r->table;
	f->placed.prefix = r->dst;
	f->placed.id = route;
	return 0;
}

/*
 * Siblings in the order in which we know them; new ones behind them, as the kernel lists them in a dump. What
 * else a dump says of them is the first one's, and an event says that of the one it is about.
 */
static int merge_siblings(struct nctl_mirror *m, const struct nctl_route *have, struct nctl_route *r)
{
	struct nctl_hop *hops;
	uint32_t n = 0, i, j;

	if (r->n_hops > m->n_hops) {
		hops = calloc(r->n_hops, sizeof(*hops));
		if (!hops)
			return -ENOMEM;
		free(m->hops);
		m->hops = hops;
		m->n_hops = r->n_hops;
	}
	hops = m->hops;
	for (i = 0; i < have->n_hops && n < r->n_hops; i++)
		for (j = 0; j < r->n_hops; j++)
			if (nctl_hop_same(&have->hops[i], &r->hops[j])) {
				hops[n++] = r->hops[j];
				break;
			}
	for (j = 0; j < r->n_hops && n < r->n_hops; j++) {
		for (i = 0; i < have->n_hops && !nctl_hop_same(&have->hops[i], &r->hops[j]); i++)
			;
		if (i == have->n_hops)
			hops[n++] = r->hops[j];
	}
	/* Twins among them would have been lost: the order is not worth that. */
	if (n != r->n_hops)
		return 0;
	r->hops = hops;
	if (!have->n_hops || !nctl_hop_same(&have->hops[0], &hops[0]))
		return 0;
	r->protocol = have->protocol;
	r->pref = have->pref;
	r->has_pref = have->has_pref;
	r->prefsrc = have->prefsrc;
	r->metrics = have->metrics;
	return 0;
}

/*
 * The new one is there already: a dump was ahead of the event. What it replaced was the first of its equals
 * then; one that came later in front of that has an event of its own to come.
 */
static void replace_twin(struct nctl_fib *f, struct nctl_spot *spot, const struct nctl_route *r)
{
	if (f->family == AF_INET6 || !spot->first_kin || spot->first_kin == spot->match)
		return;
	nctl_route_remove(f, spot->first_kin, true);
	nctl_fib_find(f, spot->table, r, spot);
	if (spot->first != spot->match)
		nctl_fib_move(f, spot, spot->match, 0);
}

/* A dump was ahead of the event that tells where it was put. */
static void move_late(struct nctl_fib *f, struct nctl_spot *spot, bool behind)
{
	if (behind && spot->match != spot->last)
		nctl_fib_move(f, spot, spot->match, spot->last);
	else if (!behind && spot->match != spot->first)
		nctl_fib_move(f, spot, spot->match, 0);
}

/*
 * IPv6 replaces the first of its kin and does not look for the new one among those behind it: there are two
 * of them then (net/ipv6/ip6_fib.c fib6_add_rt2node).
 */
static bool leaves_twin(struct nctl_fib *f, const struct nctl_spot *spot, const struct nctl_route *r)
{
	return f->family == AF_INET6 && !spot->crowd && !r->nhid && spot->match != spot->first_kin &&
	       nctl_fib_is_kin(f, spot->first_kin, r) && !nctl_sweep_is_recent(f);
}

static int put_event(
	struct nctl_fib *f, struct nctl_spot *spot, const struct nctl_route *r, unsigned nlm_flags)
{
	uint32_t route = spot->match, first = spot->first_kin;
	bool replace = nlm_flags & NLM_F_REPLACE, behind = f->family == AF_INET6 || nlm_flags & NLM_F_APPEND;
	enum nctl_touch placed = behind ? NCTL_TOUCH_BACK : NCTL_TOUCH_FRONT, by = NCTL_TOUCH_EVENT;
	struct nctl_route v = *r;

	/* If a dump brought what came after that, what it replaced may be another one, or none that is here.
	 */
	if (replace && first && nctl_sweep_is_recent(f)) {
		bool none = !nctl_fib_is_kin(f, first, r) || nctl_sweep_is_in_doubt(f, r);

		/* Only the dump of a table tells the order. */
		if (none)
			nctl_suspect(f->m, nctl_fib_type(f), r->table, 0);
		else if (spot->first != spot->last)
			nctl_suspect_equals(f, spot);
		first = none ? 0 : first;
	}
	if (replace && first && (!route || leaves_twin(f, spot, r))) {
		struct nctl_route old;

		nctl_route_fill(f, first, &old);
		nctl_route_bury(f->m, &old);
		return nctl_route_update(f, first, r, NCTL_TOUCH_EVENT);
	}
	if (!route) {
		/* It had equals when it came, and they are gone from here already. */
		bool doubt = !spot->first && nlm_flags & NLM_F_CREATE && !(nlm_flags & NLM_F_EXCL) &&
		             (f->family == AF_INET || !r->multipath) && nctl_sweep_is_recent(f);
		int result = insert(
			f, spot, r, behind ? spot->last : 0, replace ? NCTL_TOUCH_EVENT : placed, &route);

		if (result == 0 && doubt)
			nctl_suspect_set(f->m, nctl_set_of(f, route));
		return result;
	}
	if (!replace && v.multipath && nctl_route_is_ecmp(r) &&
		merge_siblings(f->m, &nctl_set_of(f, route)->v, &v) < 0)
		return -ENOMEM;
	if (replace && !r->nhid && spot->first != spot->last)
		replace_twin(f, spot, r);
	if (!replace && nlm_flags & NLM_F_CREATE && !(f->family == AF_INET6 && v.multipath)) {
		move_late(f, spot, behind);
		by = placed;
	}
	return nctl_route_update(f, route, &v, by);
}

int nctl_mirror_route_put(
	struct nctl_mirror *m, const struct nctl_route *r, unsigned nlm_flags, enum nctl_source src)
{
	struct nctl_fib *f = nctl_fib_of(m, r->dst.family);
	struct nctl_mirror_list *l = &m->lists[nctl_fib_type(f)];
	struct nctl_fib_table *t;
	struct nctl_spot spot;
	int result;

	if (nctl_fib_table_make(f, r->table, &t) < 0)
		return -ENOMEM;
	nctl_fib_find(f, t, r, &spot);
	if (src == NCTL_SOURCE_EVENT) {
		if (nctl_hash_count(&l->tombs))
			nctl_mirror_list_revive(l, nctl_route_tomb(r));
		result = put_event(f, &spot, r, nlm_flags);
		if ((nctl_list_is_recent(m, NCTL_OBJECT_LINK) || nctl_sweep_is_recent(f)) &&
			nctl_silent_is_late(m, r))
			nctl_suspect_route(m, r);
	} else if (!spot.match && nctl_hash_count(&l->tombs) && nctl_route_is_buried(m, r)) {
		m->stats.dump_ignored++;
		/*
		 * One of its links took it along, or only a hop. Or another one took its place, as it seemed: but
		 * before a round is over we may not know of all that stood before it.
		 */
		if (r->n_hops > 1 || (spot.first && !m->scope.table && !m->scope.oif))
			nctl_suspect(m, nctl_fib_type(f), r->table, 0);
		result = 0;
	} else {
		result = put_dumped(f, &spot, r);
		if (nctl_hash_count(&l->tombs) && nctl_route_is_outdated(m, r))
			nctl_suspect_route(m, r);
	}
	nctl_fib_table_release(f, t);
	return result;
}

static bool names(const struct nctl_route *r, const struct nctl_hop *h)
{
	for (uint32_t i = 0; i < r->n_hops; i++)
		if (nctl_hop_same(&r->hops[i], h))
			return true;
	return false;
}

int nctl_route_without(
	struct nctl_fib *f, uint32_t route, nctl_hop_filter goes, const void *userdata, enum nctl_touch by)
{
	struct nctl_mirror *m = f->m;
	struct nctl_route v;
	struct nctl_hop *hops;

	nctl_route_fill(f, route, &v);
	hops = calloc(v.n_hops + 1, sizeof(*hops));
	if (!hops)
		return -ENOMEM;
	free(m->hops);
	m->hops = hops;
	m->n_hops = v.n_hops + 1;
	for (uint32_t i = 0; i < v.n_hops; i++)
		if (!goes(userdata, &v.hops[i]))
			*hops++ = v.hops[i];
	v.n_hops = (uint32_t)(hops - m->hops);
	v.hops = m->hops;
	if (v.n_hops == 1 && v.multipath) {
		/* One hop alone is told without a weight, and its flags as the route's (rt6_fill_node). */
		v.multipath = false;
		m->hops[0].weight = 1;
		v.flags |= m->hops[0].flags;
	}
	if (v.n_hops)
		return nctl_route_update(f, route, &v, by);
	nctl_route_remove(f, route, true);
	return 0;
}

/* The next sibling stands where it was put, and with its own attributes. */
static void suspect_first(struct nctl_fib *f, const struct nctl_spot *spot, const struct nctl_route *gone)
{
	const struct nctl_route *v = &nctl_set_of(f, spot->match)->v;
	bool all = true;

	for (uint32_t i = 0; i < v->n_hops; i++)
		all = all && names(gone, &v->hops[i]);
	if (all || !names(gone, &v->hops[0]))
		return;
	if (spot->first != spot->last)
		nctl_suspect(f->m, NCTL_OBJECT_ROUTE6, v->table, 0);
	else
		nctl_suspect_route(f->m, v);
}

static bool is_named(const void *userdata, const struct nctl_hop *h)
{
	return names(userdata, h);
}

int nctl_mirror_route_drop(struct nctl_mirror *m, const struct nctl_route *r)
{
	struct nctl_fib *f = nctl_fib_of(m, r->dst.family);
	struct nctl_fib_table *t = nctl_fib_table(f, r->table);
	struct nctl_spot spot;
	int result = 0;

	if (!t) {
		nctl_route_bury(m, r);
		return 0;
	}
	nctl_fib_find(f, t, r, &spot);
	if (spot.match && nctl_route_is_ecmp(&nctl_set_of(f, spot.match)->v)) {
		suspect_first(f, &spot, r);
		result = nctl_route_without(f, spot.match, is_named, r, NCTL_TOUCH_EVENT);
	} else if (spot.match) {
		nctl_route_remove(f, spot.match, true);
	} else if (spot.first) {
		nctl_suspect_equals(f, &spot);
	}
	nctl_route_bury(m, r);
	nctl_fib_table_release(f, t);
	return result;
}
