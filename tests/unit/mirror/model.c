/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the naive model of a mirror, and the comparison with the real one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "test.h"

static int fail_in = -1;

void model_fail_calloc(int n)
{
	fail_in = n;
}

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);

void *__wrap_calloc(size_t n, size_t size)
{
	if (fail_in >= 0 && fail_in-- == 0)
		return NULL;
	return __real_calloc(n, size);
}

void model_name(unsigned number, char ret[IF_NAMESIZE])
{
	snprintf(ret, IF_NAMESIZE, "name%u", number);
}

/* -- the records -- */

static void assert_told(const struct model_link *told, const struct nctl_link *v)
{
	assert_true(told->here);
	assert_string_equal(told->name, v->name);
	assert_int_equal(told->mtu, v->mtu);
	assert_int_equal(told->master, v->master);
	assert_int_equal(told->lower, v->lower);
}

static void tell(struct model_link *told, const struct nctl_link *v)
{
	*told = (struct model_link){.here = true, .master = v->master, .lower = v->lower, .mtu = v->mtu};
	strcpy(told->name, v->name);
	told->lower_elsewhere = v->lower_nsid != NCTL_NSID_NONE;
	for (; v->altnames && v->altnames[told->n_altnames]; told->n_altnames++)
		strcpy(told->altnames[told->n_altnames], v->altnames[told->n_altnames]);
}

static struct nctl_addr *find_addr(struct model_state *s, const struct nctl_addr *a)
{
	for (size_t i = 0; i < MODEL_ADDRS; i++)
		if (s->addrs[i].local.family && !nctl_addr_cmp(&s->addrs[i], a))
			return &s->addrs[i];
	return NULL;
}

static struct nctl_addr *free_addr(struct model_state *s)
{
	for (size_t i = 0; i < MODEL_ADDRS; i++)
		if (!s->addrs[i].local.family)
			return &s->addrs[i];
	fail_msg("the model has no room");
	return NULL;
}

static void on_link_change(struct model *m, const struct nctl_change *c)
{
	struct model_link *told = &m->told.links[c->ifindex];

	assert_true(!c->old_addr && !c->new_addr);
	switch (c->op) {
	case NCTL_ADDED:
		assert_null(c->old_link);
		assert_false(told->here);
		tell(told, c->new_link);
		break;
	case NCTL_CHANGED: {
		struct nctl_link_diff d;

		assert_told(told, c->old_link);
		assert_true(nctl_link_compare(c->old_link, c->new_link, &d));
		assert_true(d.common == c->link_diff.common && d.data == c->link_diff.data &&
			    d.port == c->link_diff.port && d.kind == c->link_diff.kind &&
			    d.port_kind == c->link_diff.port_kind);
		tell(told, c->new_link);
		break;
	}
	case NCTL_REMOVED:
		assert_null(c->new_link);
		assert_told(told, c->old_link);
		told->here = false;
		/* Its addresses went before. */
		for (size_t i = 0; i < MODEL_ADDRS; i++)
			assert_false(m->told.addrs[i].local.family && m->told.addrs[i].ifindex == c->ifindex);
		break;
	}
}

static void on_addr_change(struct model *m, const struct nctl_change *c)
{
	struct nctl_addr *told = find_addr(&m->told, c->old_addr ? c->old_addr : c->new_addr);

	assert_true(!c->old_link && !c->new_link);
	assert_true(m->told.links[c->ifindex].here);
	switch (c->op) {
	case NCTL_ADDED:
		assert_null(c->old_addr);
		assert_null(told);
		*free_addr(&m->told) = *c->new_addr;
		break;
	case NCTL_CHANGED:
		assert_non_null(told);
		assert_true(model_addr_same(told, c->old_addr));
		assert_int_equal(c->addr_diff, nctl_addr_diff(c->old_addr, c->new_addr));
		assert_int_not_equal(c->addr_diff, 0);
		*told = *c->new_addr;
		break;
	case NCTL_REMOVED:
		assert_null(c->new_addr);
		assert_non_null(told);
		assert_true(model_addr_same(told, c->old_addr));
		told->local.family = AF_UNSPEC;
		break;
	}
}

static void on_change(void *userdata, const void *arg)
{
	const struct nctl_change *c = arg;
	struct model *m = userdata;

	m->records++;
	if (c->type == NCTL_OBJECT_LINK)
		on_link_change(m, c);
	else
		on_addr_change(m, c);
}

void model_init(struct model *m)
{
	memset(m, 0, sizeof(*m));
	model_fail_calloc(-1);
	assert_int_equal(nctl_mirror_new(&m->mirror), 0);
	nctl_subs_add(nctl_mirror_subs(m->mirror), &m->sub, on_change, m);
}

void model_fini(struct model *m)
{
	m->mirror = nctl_mirror_free(m->mirror);
}

/* -- feeding -- */

static char **make_altnames(const struct model_link *v)
{
	char **names = malloc((v->n_altnames + 1) * sizeof(*names));

	for (unsigned i = 0; i < v->n_altnames; i++)
		names[i] = strdup(v->altnames[i]);
	names[v->n_altnames] = NULL;
	return names;
}

int model_feed_link(struct model *m, nctl_ifindex ifindex, const struct model_link *v, enum nctl_source src)
{
	struct nctl_link l = NCTL_LINK_INIT;

	l.ifindex = ifindex;
	l.has = NCTL_LINK_BIT(NAME) | NCTL_LINK_BIT(MTU) | NCTL_LINK_BIT(MASTER) | NCTL_LINK_BIT(ALTNAMES);
	strcpy(l.name, v->name);
	l.mtu = v->mtu;
	l.master = v->master;
	if (v->lower) {
		l.lower = v->lower;
		l.has |= NCTL_LINK_BIT(LOWER);
	}
	if (v->lower_elsewhere) {
		l.lower_nsid = 7;
		l.has |= NCTL_LINK_BIT(LOWER_NSID);
	}
	if (v->n_altnames)
		l.altnames = make_altnames(v);
	return nctl_mirror_link_put(m->mirror, &l, src);
}

static bool link_same(const struct model_link *a, const struct model_link *b)
{
	if (strcmp(a->name, b->name) || a->n_altnames != b->n_altnames || a->master != b->master ||
		a->lower != b->lower || a->lower_elsewhere != b->lower_elsewhere || a->mtu != b->mtu)
		return false;
	for (unsigned i = 0; i < a->n_altnames; i++)
		if (strcmp(a->altnames[i], b->altnames[i]))
			return false;
	return true;
}

int model_put_link(struct model *m, nctl_ifindex ifindex, const struct model_link *v, enum nctl_source src)
{
	struct model_link *l = &m->want.links[ifindex];
	bool same = l->here && link_same(l, v);
	int r;

	m->records = 0;
	r = model_feed_link(m, ifindex, v, src);
	if (r < 0) {
		assert_int_equal(m->records, 0);
		return r;
	}
	assert_int_equal(m->records, same ? 0 : 1);
	*l = *v;
	l->here = true;
	return 0;
}

int model_put_addr(struct model *m, const struct nctl_addr *a, enum nctl_source src)
{
	struct nctl_addr *old = find_addr(&m->want, a);
	bool here = m->want.links[a->ifindex].here, same = old && !nctl_addr_diff(old, a);
	int r;

	m->records = 0;
	r = nctl_mirror_addr_put(m->mirror, a, src);
	if (r < 0 || !here) {
		assert_int_equal(m->records, 0);
		return r;
	}
	assert_int_equal(m->records, same ? 0 : 1);
	*(old ? old : free_addr(&m->want)) = *a;
	return 0;
}

void model_drop_link(struct model *m, nctl_ifindex ifindex)
{
	unsigned expect = m->want.links[ifindex].here;

	for (size_t i = 0; i < MODEL_ADDRS; i++) {
		if (!m->want.addrs[i].local.family || m->want.addrs[i].ifindex != ifindex)
			continue;
		m->want.addrs[i].local.family = AF_UNSPEC;
		expect++;
	}
	m->want.links[ifindex].here = false;
	m->records = 0;
	assert_int_equal(nctl_mirror_link_drop(m->mirror, ifindex), 0);
	assert_int_equal(m->records, expect);
}

void model_drop_addr(struct model *m, const struct nctl_addr *a)
{
	struct nctl_addr *old = find_addr(&m->want, a);
	bool here = old;

	m->records = 0;
	assert_int_equal(nctl_mirror_addr_drop(m->mirror, a), 0);
	assert_int_equal(m->records, here ? 1 : 0);
	if (old)
		old->local.family = AF_UNSPEC;
}

/* -- comparing -- */

bool model_addr_same(const struct nctl_addr *a, const struct nctl_addr *b)
{
	return !nctl_addr_cmp(a, b) && !nctl_addr_diff(a, b);
}

static bool is_upper_of(const struct model_link *l, nctl_ifindex lower)
{
	return l->here && l->lower == lower && !l->lower_elsewhere;
}

/* Both lists of one link hold exactly those that name it. */
static void check_relations(const struct model *m, const struct nctl_mirror_link *l)
{
	size_t ports = 0, uppers = 0;
	struct nctl_list *n;

	nctl_list_for_each(n, &l->ports) {
		const struct nctl_mirror_link *p = nctl_list_entry(n, struct nctl_mirror_link, in_master);

		assert_int_equal(m->want.links[p->v.ifindex].master, l->v.ifindex);
		ports++;
	}
	nctl_list_for_each(n, &l->uppers) {
		const struct nctl_mirror_link *u = nctl_list_entry(n, struct nctl_mirror_link, in_lower);

		assert_true(is_upper_of(&m->want.links[u->v.ifindex], l->v.ifindex));
		uppers++;
	}
	for (nctl_ifindex i = 1; i <= MODEL_LINKS; i++) {
		ports -= m->want.links[i].here && m->want.links[i].master == l->v.ifindex;
		uppers -= is_upper_of(&m->want.links[i], l->v.ifindex);
	}
	assert_int_equal(ports, 0);
	assert_int_equal(uppers, 0);
}

static void check_addrs_of(struct model *m, const struct nctl_mirror_link *l, size_t *total)
{
	const struct nctl_mirror_addr *a, *last = NULL;
	size_t n = 0;

	for (a = nctl_mirror_addr_first(l); a; last = a, a = nctl_mirror_addr_next(a)) {
		const struct nctl_addr *want = find_addr(&m->want, &a->v);

		assert_non_null(want);
		assert_int_equal(a->v.ifindex, l->v.ifindex);
		assert_true(model_addr_same(want, &a->v));
		assert_ptr_equal(nctl_mirror_addr_get(m->mirror, want), a);
		if (last)
			assert_true(nctl_addr_cmp(&last->v, &a->v) < 0);
		n++;
	}
	for (size_t i = 0; i < MODEL_ADDRS; i++)
		n -= m->want.addrs[i].local.family && m->want.addrs[i].ifindex == l->v.ifindex;
	assert_int_equal(n, 0);
	for (size_t i = 0; i < MODEL_ADDRS; i++)
		*total += m->want.addrs[i].local.family && m->want.addrs[i].ifindex == l->v.ifindex;
}

/* The first holder of an address is the one with the shortest length. */
static void check_prefixes(struct model *m)
{
	for (size_t i = 0; i < MODEL_ADDRS; i++) {
		const struct nctl_addr *a = &m->want.addrs[i];
		const struct nctl_mirror_addr *found;

		if (!a->local.family)
			continue;
		found = nctl_mirror_addr_find(m->mirror, &a->local);
		assert_non_null(found);
		assert_memory_equal(found->v.local.addr, a->local.addr, sizeof(a->local.addr));
		assert_true(found->v.local.len <= a->local.len);
	}
}

static void check_name(const struct model *m, const char *name)
{
	const struct nctl_mirror_link *l = nctl_mirror_link_find(m->mirror, name);
	bool named = false, altnamed = false;

	for (nctl_ifindex i = 1; i <= MODEL_LINKS; i++) {
		const struct model_link *w = &m->want.links[i];

		if (!w->here)
			continue;
		named = named || !strcmp(w->name, name);
		for (unsigned k = 0; k < w->n_altnames; k++)
			altnamed = altnamed || !strcmp(w->altnames[k], name);
	}
	assert_int_equal(l != NULL, named || altnamed);
	if (!l)
		return;
	assert_int_equal(!strcmp(l->v.name, name), named);
	assert_ptr_equal(nctl_mirror_link_get(m->mirror, l->v.ifindex), l);
}

static void check_told(struct model *m)
{
	for (nctl_ifindex i = 1; i <= MODEL_LINKS; i++) {
		assert_int_equal(m->told.links[i].here, m->want.links[i].here);
		if (m->want.links[i].here)
			assert_true(link_same(&m->told.links[i], &m->want.links[i]));
	}
	for (size_t i = 0; i < MODEL_ADDRS; i++) {
		const struct nctl_addr *a = &m->want.addrs[i], *told;

		if (!a->local.family)
			continue;
		told = find_addr(&m->told, a);
		assert_true(told && model_addr_same(told, a));
	}
}

void model_check(struct model *m)
{
	const struct nctl_mirror_link *l = nctl_mirror_link_from(m->mirror, 1);
	size_t links = 0, addrs = 0;
	nctl_ifindex last = 0;
	char name[IF_NAMESIZE];

	for (nctl_ifindex i = 1; i <= MODEL_LINKS; i++) {
		if (!m->want.links[i].here) {
			assert_null(nctl_mirror_link_get(m->mirror, i));
			continue;
		}
		assert_non_null(l);
		assert_int_equal(l->v.ifindex, i);
		assert_ptr_equal(nctl_mirror_link_get(m->mirror, i), l);
		assert_ptr_equal(nctl_mirror_link_from(m->mirror, last + 1), l);
		check_relations(m, l);
		check_addrs_of(m, l, &addrs);
		links++;
		last = i;
		l = nctl_mirror_link_next(l);
	}
	assert_null(l);
	assert_int_equal(nctl_mirror_link_count(m->mirror), links);
	assert_int_equal(nctl_mirror_link_last(m->mirror), last);
	assert_int_equal(nctl_mirror_addr_count(m->mirror), addrs);
	for (unsigned i = 0; i < MODEL_NAMES; i++) {
		model_name(i, name);
		check_name(m, name);
	}
	check_prefixes(m);
	check_told(m);
}

struct nctl_addr model_addr(nctl_ifindex ifindex, const char *local, const char *peer)
{
	struct nctl_addr a = NCTL_ADDR_INIT;

	a.ifindex = ifindex;
	assert_int_equal(nctl_prefix_parse(local, NCTL_PREFIX_NEED_LENGTH, &a.local), 0);
	if (peer)
		assert_int_equal(nctl_prefix_parse(peer, NCTL_PREFIX_NEED_LENGTH, &a.peer), 0);
	return a;
}
