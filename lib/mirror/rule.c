/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: routing rules, in one array in the kernel's order (net/core/fib_rules.c fib_nl_newrule: a new rule
 * stands behind those of its priority), and in a hash by content. Without NLM_F_EXCL the kernel takes a rule
 * that it has already once more: so an event always tells of one more, unless a dump was ahead of it. What a
 * dump names first of several that are equal is the first of them here. Some of their flags are state that
 * changes without a word: whether a link of the name in iif or oif is there (fib_rules_event), and whether
 * there is a rule that a goto leads to (fib_nl_newrule, fib_nl_delrule). Both are known here for certain.
 */
#include "mirror/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <linux/fib_rules.h>

static unsigned rank(uint8_t family)
{
	return family == AF_INET ? 0 : family == AF_INET6 ? 1 : 2U + family;
}

static int cmp_place(uint8_t a_family, uint32_t a_priority, const struct nctl_rule *b)
{
	unsigned x = rank(a_family), y = rank(b->family);

	if (x != y)
		return x < y ? -1 : 1;
	return (a_priority > b->priority) - (a_priority < b->priority);
}

/* The first rule behind this place (or at it: at). */
static size_t bound(const struct nctl_mirror *m, uint8_t family, uint32_t priority, bool at)
{
	size_t low = 0, high = m->n_rules;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int c = cmp_place(family, priority, &m->rules[mid]->v);

		if (c > 0 || (c == 0 && !at))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static uint64_t hash_of(const struct nctl_rule *r)
{
	uint64_t h = nctl_hash_u64((uint64_t)r->priority << 32 | r->table);

	h = nctl_hash_u64(h ^ ((uint64_t)r->mark << 32 | (uint32_t)r->family << 8 | r->action));
	h = nctl_hash_u64(h ^ r->target) ^ nctl_prefix_hash(&r->src);
	h = nctl_hash_u64(h) ^ nctl_prefix_hash(&r->dst);
	h = nctl_hash_u64(h) ^ nctl_hash_str(r->iif);
	return nctl_hash_u64(h) ^ nctl_hash_str(r->oif);
}

static size_t index_of(const struct nctl_mirror *m, const struct nctl_rule_entry *e)
{
	size_t at = bound(m, e->v.family, e->v.priority, true);

	while (m->rules[at] != e)
		at++;
	return at;
}

typedef bool (*rule_filter)(const struct nctl_mirror *m, const struct nctl_rule_entry *e);

/* Of those equal to r that the filter takes, the first one, or the last. */
static struct nctl_rule_entry *lookup(
	const struct nctl_mirror *m, const struct nctl_rule *r, rule_filter takes, bool last)
{
	struct nctl_rule_entry *found = NULL;
	struct nctl_hash_node *n;

	nctl_hash_for_each_equal(n, &m->rules_by_content, hash_of(r)) {
		struct nctl_rule_entry *e = nctl_container_of(n, struct nctl_rule_entry, by_content);

		if (!nctl_rule_equal(&e->v, r, false) || !takes(m, e))
			continue;
		if (!found || (index_of(m, e) > index_of(m, found)) == last)
			found = e;
	}
	return found;
}

static bool is_any(const struct nctl_mirror *m, const struct nctl_rule_entry *e)
{
	(void)m;
	(void)e;
	return true;
}

/* The dump that is on has not named it yet. */
static bool is_unnamed(const struct nctl_mirror *m, const struct nctl_rule_entry *e)
{
	return e->dumped != m->lists[NCTL_OBJECT_RULE].serial;
}

/* Its event may still come. */
static bool is_untold(const struct nctl_mirror *m, const struct nctl_rule_entry *e)
{
	(void)m;
	return e->untold;
}

static void tell(struct nctl_mirror *m, enum nctl_change_op op, const struct nctl_rule *old,
	const struct nctl_rule *new)
{
	struct nctl_change c = {.type = NCTL_OBJECT_RULE, .op = op, .old_rule = old, .new_rule = new};

	nctl_mirror_tell(m, &c);
}

static void set_state(struct nctl_mirror *m, struct nctl_rule_entry *e, uint32_t flags)
{
	struct nctl_rule old = e->v;

	if (old.flags == flags)
		return;
	e->v.flags = flags;
	m->stats.changed++;
	tell(m, NCTL_CHANGED, &old, &e->v);
}

/* The rules of a family that lead to a priority: is there anything? */
static void resolve(struct nctl_mirror *m, uint8_t family, uint32_t priority)
{
	size_t at = bound(m, family, priority, true);
	bool there = at < m->n_rules && !cmp_place(family, priority, &m->rules[at]->v);

	/* Only of those before it: a goto leads forwards. */
	for (size_t i = bound(m, family, 0, true); m->n_gotos && i < at; i++) {
		struct nctl_rule_entry *e = m->rules[i];

		if (e->v.action == FR_ACT_GOTO && e->v.target == priority)
			set_state(m, e,
				there ? e->v.flags & ~(uint32_t)FIB_RULE_UNRESOLVED
				      : e->v.flags | FIB_RULE_UNRESOLVED);
	}
}

static const char *link_name(const struct nctl_rule *r, int i)
{
	return i ? r->oif : r->iif;
}

/* A name of its own, no other. */
static bool is_link(const struct nctl_mirror *m, const char *name)
{
	struct nctl_hash_node *n;

	nctl_hash_for_each_equal(n, &m->by_name, nctl_hash_str(name))
		if (!strcmp(nctl_container_of(n, struct nctl_mirror_link, by_name)->v.name, name))
			return true;
	return false;
}

/*
 * A rule knows a link by its alternative names too if it had them when the rule came, and then for the link's life
 * under its name, which its end or a new name ends (detach_rules). False: that may be so with r.
 */
static bool is_plain(const struct nctl_mirror *m, const struct nctl_rule *r)
{
	return (!r->iif[0] || r->flags & FIB_RULE_IIF_DETACHED || is_link(m, r->iif)) &&
	       (!r->oif[0] || r->flags & FIB_RULE_OIF_DETACHED || is_link(m, r->oif));
}

/* What an event says of links may be old, if a dump was ahead of it. */
static uint32_t flags_now(const struct nctl_mirror *m, const struct nctl_rule *r)
{
	uint32_t flags = r->flags & ~(uint32_t)(FIB_RULE_IIF_DETACHED | FIB_RULE_OIF_DETACHED);

	flags |= r->iif[0] && !is_link(m, r->iif) ? FIB_RULE_IIF_DETACHED : 0;
	return flags | (r->oif[0] && !is_link(m, r->oif) ? FIB_RULE_OIF_DETACHED : 0);
}

void nctl_rule_link(struct nctl_mirror *m, const char *name)
{
	bool here = is_link(m, name); /* one may have taken over the name of the one that is gone */
	struct nctl_hash_node *n;

	if (!here && m->rules_by_altname)
		nctl_suspect(m, NCTL_OBJECT_RULE, 0, 0);
	for (int i = 0; i < 2; i++) {
		uint32_t flag = i ? FIB_RULE_OIF_DETACHED : FIB_RULE_IIF_DETACHED;

		nctl_hash_for_each_equal(n, &m->rules_by_link[i], nctl_hash_str(name)) {
			struct nctl_rule_entry *e = nctl_container_of(n, struct nctl_rule_entry, by_link[i]);

			if (!strcmp(link_name(&e->v, i), name))
				set_state(m, e, here ? e->v.flags & ~flag : e->v.flags | flag);
		}
	}
}

static int reserve(struct nctl_mirror *m)
{
	size_t max = m->max_rules ? m->max_rules * 2 : 16;
	struct nctl_rule_entry **rules;

	if (m->n_rules < m->max_rules)
		return 0;
	rules = calloc(max, sizeof(struct nctl_rule_entry *));
	if (!rules)
		return -ENOMEM;
	if (m->n_rules)
		memcpy(rules, m->rules, m->n_rules * sizeof(struct nctl_rule_entry *));
	free(m->rules);
	m->rules = rules;
	m->max_rules = max;
	return 0;
}

static void unhash(struct nctl_mirror *m, struct nctl_rule_entry *e, int links, bool content)
{
	for (int i = 0; i < links; i++)
		if (link_name(&e->v, i)[0])
			nctl_hash_remove(&m->rules_by_link[i], &e->by_link[i]);
	if (content)
		nctl_hash_remove(&m->rules_by_content, &e->by_content);
}

static int hash(struct nctl_mirror *m, struct nctl_rule_entry *e)
{
	for (int i = 0; i < 2; i++) {
		const char *name = link_name(&e->v, i);

		if (name[0] &&
			nctl_hash_insert(&m->rules_by_link[i], &e->by_link[i], nctl_hash_str(name)) < 0) {
			unhash(m, e, i, false);
			return -ENOMEM;
		}
	}
	if (nctl_hash_insert(&m->rules_by_content, &e->by_content, hash_of(&e->v)) == 0)
		return 0;
	unhash(m, e, 2, false);
	return -ENOMEM;
}

static void shift(struct nctl_mirror *m, size_t to, size_t from, size_t n)
{
	memmove(&m->rules[to], &m->rules[from], n * sizeof(struct nctl_rule_entry *));
}

/* Behind the one before it in the dump; what came by events meanwhile is at the end of its priority. */
static size_t place_dumped(const struct nctl_mirror *m, const struct nctl_rule *v)
{
	const struct nctl_rule_entry *after = m->rule_placed;

	if (after && !cmp_place(v->family, v->priority, &after->v))
		return index_of(m, after) + 1;
	return bound(m, v->family, v->priority, true);
}

/* To a place before which there is one more, itself, if it was there. */
static void move(struct nctl_mirror *m, struct nctl_rule_entry *e, size_t to)
{
	size_t at = index_of(m, e);

	if (at >= to)
		return;
	shift(m, at, at + 1, to - 1 - at);
	m->rules[to - 1] = e;
}

static int insert(struct nctl_mirror *m, const struct nctl_rule *v, enum nctl_source src,
	struct nctl_rule_entry **ret)
{
	struct nctl_rule_entry *e = calloc(1, sizeof(*e) + v->rest.n);
	size_t at;

	if (!e)
		return -ENOMEM;
	e->v = *v;
	if (v->rest.n)
		e->v.rest.p = memcpy(e + 1, v->rest.p, v->rest.n);
	if (reserve(m) < 0 || hash(m, e) < 0) {
		free(e);
		return -ENOMEM;
	}
	at = src == NCTL_SOURCE_DUMP ? place_dumped(m, v) : bound(m, v->family, v->priority, false);
	shift(m, at + 1, at, m->n_rules - at);
	m->rules[at] = e;
	m->n_rules++;
	m->n_gotos += v->action == FR_ACT_GOTO;
	nctl_genset_add(&m->lists[NCTL_OBJECT_RULE].gen, &e->gen);
	m->stats.added++;
	tell(m, NCTL_ADDED, NULL, &e->v);
	resolve(m, v->family, v->priority);
	*ret = e;
	return 0;
}

static void refresh(struct nctl_mirror *m, struct nctl_rule_entry *e, const struct nctl_rule *v)
{
	nctl_genset_touch(&m->lists[NCTL_OBJECT_RULE].gen, &e->gen);
	if (nctl_rule_equal(&e->v, v, true))
		m->stats.unchanged++;
	else
		set_state(m, e, v->flags);
}

/* Events and dumps do not tell one from its equals, or know less of gotos than we: once more, when it is quiet. */
static void suspect_all(struct nctl_mirror *m)
{
	nctl_suspect(m, NCTL_OBJECT_RULE, 0, 0);
}

static int put_dumped(struct nctl_mirror *m, const struct nctl_rule *v)
{
	struct nctl_mirror_list *l = &m->lists[NCTL_OBJECT_RULE];
	struct nctl_rule_entry *e = lookup(m, v, is_unnamed, false);
	int r = 0;

	m->rules_by_altname |= !is_plain(m, v);
	if (v->action == FR_ACT_GOTO && m->rules_told == l->serial)
		suspect_all(m);
	if (!e && nctl_mirror_list_is_buried(l, hash_of(v))) {
		m->stats.dump_ignored++;
		suspect_all(m);
		return 0;
	}
	if (e && e->touched == l->serial) {
		e->dumped = l->serial;
		m->stats.dump_ignored++;
		return 0;
	}
	if (e) {
		refresh(m, e, v);
		if (m->rule_placed && !cmp_place(v->family, v->priority, &m->rule_placed->v))
			move(m, e, index_of(m, m->rule_placed) + 1);
	} else {
		r = insert(m, v, NCTL_SOURCE_DUMP, &e);
		if (r == 0)
			e->untold = true;
	}
	if (r < 0)
		return r;
	e->dumped = l->serial;
	m->rule_placed = e;
	return 0;
}

static int put_event(struct nctl_mirror *m, struct nctl_rule *v)
{
	struct nctl_mirror_list *l = &m->lists[NCTL_OBJECT_RULE];
	bool recent = nctl_list_is_recent(m, NCTL_OBJECT_RULE);
	struct nctl_rule_entry *e = recent ? lookup(m, v, is_untold, true) : NULL;
	int r = 0;

	if (!is_plain(m, v))
		suspect_all(m);
	if (nctl_mirror_link_count(m))
		v->flags = flags_now(m, v);
	nctl_mirror_list_revive(l, hash_of(v));
	m->rules_told = l->serial;
	if (e) {
		/* A dump was ahead of the event, most likely. */
		suspect_all(m);
		refresh(m, e, v);
		move(m, e, bound(m, v->family, v->priority, false));
		e->untold = false;
	} else {
		if (lookup(m, v, is_any, false))
			suspect_all(m);
		r = insert(m, v, NCTL_SOURCE_EVENT, &e);
	}
	if (r == 0)
		e->touched = l->serial;
	return r;
}

int nctl_mirror_rule_put(struct nctl_mirror *m, const struct nctl_rule *v, enum nctl_source src)
{
	struct nctl_rule copy = *v;

	return src == NCTL_SOURCE_DUMP ? put_dumped(m, v) : put_event(m, &copy);
}

void nctl_rule_remove(struct nctl_mirror *m, struct nctl_rule_entry *e)
{
	size_t at = index_of(m, e);

	m->n_rules--;
	shift(m, at, at + 1, m->n_rules - at);
	if (m->rule_placed == e)
		m->rule_placed = NULL;
	m->n_gotos -= e->v.action == FR_ACT_GOTO;
	unhash(m, e, 2, true);
	nctl_genset_del(&m->lists[NCTL_OBJECT_RULE].gen, &e->gen);
	m->stats.removed++;
	tell(m, NCTL_REMOVED, &e->v, NULL);
	resolve(m, e->v.family, e->v.priority);
	free(e);
}

int nctl_mirror_rule_drop(struct nctl_mirror *m, const struct nctl_rule *v)
{
	struct nctl_rule_entry *e = lookup(m, v, is_any, false);

	nctl_mirror_list_bury(&m->lists[NCTL_OBJECT_RULE], hash_of(v));
	m->rules_told = m->lists[NCTL_OBJECT_RULE].serial;
	if (e && nctl_list_is_recent(m, NCTL_OBJECT_RULE))
		suspect_all(m);
	if (e)
		nctl_rule_remove(m, e);
	return 0;
}

void nctl_rule_fini(struct nctl_mirror *m)
{
	for (size_t i = 0; i < m->n_rules; i++)
		free(m->rules[i]);
	free(m->rules);
	m->rules = NULL;
	m->n_rules = m->max_rules = 0;
	for (int i = 0; i < 2; i++)
		nctl_hash_fini(&m->rules_by_link[i]);
	nctl_hash_fini(&m->rules_by_content);
}

const struct nctl_rule *nctl_mirror_rule_at(const struct nctl_mirror *m, uint8_t family, size_t nth)
{
	size_t at = family == AF_UNSPEC ? 0 : bound(m, family, 0, true);

	if (nth >= m->n_rules - at)
		return NULL;
	at += nth;
	return family == AF_UNSPEC || m->rules[at]->v.family == family ? &m->rules[at]->v : NULL;
}

bool nctl_mirror_rule_has(const struct nctl_mirror *m, const struct nctl_rule *r)
{
	return lookup(m, r, is_any, false);
}

size_t nctl_mirror_rule_count(const struct nctl_mirror *m, uint8_t family)
{
	if (family == AF_UNSPEC)
		return m->n_rules;
	return bound(m, family, UINT32_MAX, false) - bound(m, family, 0, true);
}
