/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: a world for the planner: what the mirror holds is put there by hand or by the plans themselves. Its
 * kernel knows no side effects; those are the business of tests/unit/exec.
 */
#include "world.h"

#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "config/config.h"
#include "test.h"

static struct world_netns *new_netns(struct world *w, const char *name)
{
	struct world_netns *n = calloc(1, sizeof(*n));

	snprintf(n->name, sizeof(n->name), "%s", name);
	n->cookie = w->n_netns + 1;
	n->nsid = *name ? (nctl_nsid)w->n_netns + 10 : NCTL_NSID_NONE;
	assert_int_equal(nctl_mirror_new(&n->have), 0);
	assert_int_equal(nctl_ledger_new(&n->ledger), 0);
	w->netns = realloc(w->netns, (w->n_netns + 1) * sizeof(*w->netns));
	w->netns[w->n_netns++] = n;
	return n;
}

void world_init(struct world *w)
{
	*w = (struct world){0};
	new_netns(w, "");
	w->have = w->netns[0]->have;
	w->ledger = w->netns[0]->ledger;
}

static void free_netns(struct world_netns *n)
{
	for (size_t i = 0; i < n->n_sysctls; i++) {
		free(n->sysctls[i].name);
		free(n->sysctls[i].value);
	}
	nctl_ledger_free(n->ledger);
	nctl_mirror_free(n->have);
	free(n);
}

void world_fini(struct world *w)
{
	w->plan = nctl_plan_free(w->plan);
	w->want = nctl_want_free(w->want);
	for (size_t i = 0; i < w->n_netns; i++)
		if (w->netns[i])
			free_netns(w->netns[i]);
	free(w->netns);
	free(w->planned);
}

struct world_netns *world_netns_find(const struct world *w, const char *name)
{
	for (size_t i = 0; i < w->n_netns; i++)
		if (w->netns[i] && !strcmp(w->netns[i]->name, name))
			return w->netns[i];
	return NULL;
}

struct nctl_want *world_parse(const char *body)
{
	struct nd_config_texts texts = ND_CONFIG_TEXTS_INIT;
	struct nd_diagnostics diag = ND_DIAGNOSTICS_INIT;
	struct nctl_strbuf text = NCTL_STRBUF_INIT, out = NCTL_STRBUF_INIT;
	struct nctl_want *want = NULL;

	nctl_strbuf_printf(&text, "network:\n  version: 2\n%s", body);
	assert_int_equal(nd_config_texts_add(&texts, "a.yaml", nctl_strbuf_str(&text), text.len), 0);
	if (nd_config_parse(&texts, &diag, &want) != 0) {
		nd_diagnostics_print(&diag, &out);
		fail_msg("%s", nctl_strbuf_str(&out));
	}
	nd_diagnostics_fini(&diag);
	nd_config_texts_fini(&texts);
	nctl_strbuf_fini(&text);
	nctl_strbuf_fini(&out);
	return want;
}

/* -- plans -- */

static const char **values_of(const struct world_netns *n, const struct nctl_want_netns *want)
{
	const char **v = calloc(want->n_sysctls + 1, sizeof(*v));

	for (size_t i = 0; n && i < want->n_sysctls; i++)
		v[i] = world_sysctl_get(n, want->sysctls[i].name);
	return v;
}

static struct nctl_plan_netns known(const struct world_netns *n, const char *name,
	const struct nctl_want_netns *want, const char **values)
{
	struct nctl_plan_netns k = {.want = want, .name = name, .nsid = NCTL_NSID_NONE, .sysctls = values};

	if (!n)
		return k;
	k.there = true;
	k.ours = n->ours;
	k.cookie = n->cookie;
	k.nsid = n->nsid;
	k.have = n->have;
	k.ledger = n->ledger;
	return k;
}

/* By a pointer, so that thousands of them cost no search each. */
static int cmp_name(const void *x, const void *y)
{
	return strcmp((*(struct world_netns *const *)x)->name, (*(struct world_netns *const *)y)->name);
}

static struct world_netns *take(struct world_netns **by_name, size_t n, const char *name)
{
	struct world_netns probe, *p = &probe, **found;

	snprintf(probe.name, sizeof(probe.name), "%s", name);
	found = n ? bsearch(&p, by_name, n, sizeof(*by_name), cmp_name) : NULL;
	return found ? *found : NULL;
}

const struct nctl_plan *world_plan_want(struct world *w, struct nctl_want *want, bool allow_recreate)
{
	struct nctl_plan_options opts = {.allow_recreate = allow_recreate};
	struct world_netns **by_name = calloc(w->n_netns, sizeof(*by_name));
	struct nctl_plan_netns *v = calloc(want->n_netns + w->n_netns, sizeof(*v));
	const char ***values = calloc(want->n_netns, sizeof(*values));
	size_t n = 0, n_there = 0;

	w->plan = nctl_plan_free(w->plan);
	w->planned = realloc(w->planned, (want->n_netns + w->n_netns) * sizeof(struct world_netns *));
	for (size_t i = 0; i < w->n_netns; i++)
		if (w->netns[i])
			by_name[n_there++] = w->netns[i];
	qsort(by_name, n_there, sizeof(struct world_netns *), cmp_name);
	for (; n < want->n_netns; n++) {
		w->planned[n] = take(by_name, n_there, n ? want->netns[n]->name : "");
		values[n] = values_of(w->planned[n], want->netns[n]);
		v[n] = known(w->planned[n], want->netns[n]->name, want->netns[n], values[n]);
	}
	for (size_t i = 1; i < w->n_netns; i++) {
		if (!w->netns[i] || nctl_want_netns_find(want, w->netns[i]->name))
			continue;
		w->planned[n] = w->netns[i];
		v[n++] = known(w->netns[i], w->netns[i]->name, NULL, NULL);
	}
	assert_int_equal(nctl_plan_build(want, v, n, &opts, &w->plan), 0);
	for (size_t i = 0; i < want->n_netns; i++)
		free(values[i]);
	free(values);
	free(v);
	free(by_name);
	return w->plan;
}

const struct nctl_plan *world_plan(struct world *w, const char *body, bool allow_recreate)
{
	w->plan = nctl_plan_free(w->plan);
	w->want = nctl_want_free(w->want);
	w->want = world_parse(body);
	return world_plan_want(w, w->want, allow_recreate);
}

/* -- what the kernel would do -- */

static void put_link(struct world_netns *n, struct nctl_link *l)
{
	assert_int_equal(nctl_mirror_link_put(n->have, l, NCTL_SOURCE_EVENT), 0);
}

static void own(struct world_netns *n, nctl_ifindex ifindex, const struct nctl_link *l, bool adopted)
{
	struct nctl_ledger_link e = {.ifindex = ifindex, .adopted = adopted};

	snprintf(e.kind, sizeof(e.kind), "%s", l->kind ? l->kind->name : "");
	snprintf(e.name, sizeof(e.name), "%s", l->name);
	assert_int_equal(nctl_ledger_link_add(n->ledger, &e), 0);
}

static uint32_t number_of(const struct world *w, const struct world_netns *n)
{
	uint32_t i = 0;

	while (w->netns[i] != n)
		i++;
	return i;
}

/* How `in` calls `of`: home calls them by what they say, others count from 1,000 up. */
static nctl_nsid nsid_in(const struct world *w, const struct world_netns *in, const struct world_netns *of)
{
	return in == of            ? NCTL_NSID_NONE
	       : in == w->netns[0] ? of->nsid
	                           : (nctl_nsid)(1000 + number_of(w, of));
}

static struct world_netns *by_nsid(const struct world *w, struct world_netns *in, nctl_nsid nsid)
{
	if (nsid == NCTL_NSID_NONE)
		return in;
	if (in != w->netns[0])
		return (size_t)nsid - 1000 < w->n_netns ? w->netns[nsid - 1000] : NULL;
	return (size_t)nsid - 10 < w->n_netns ? w->netns[nsid - 10] : NULL;
}

static void make_one(struct world_netns *n, const struct nctl_link *wanted)
{
	struct nctl_link l = NCTL_LINK_INIT;

	assert_null(nctl_mirror_link_get(n->have, wanted->ifindex));
	assert_null(nctl_mirror_link_find(n->have, wanted->name));
	assert_true(!wanted->master || nctl_mirror_link_get(n->have, wanted->master));
	assert_int_equal(nctl_link_copy(&l, wanted), 0);
	/* The creating message does not carry these. */
	l.has &= ~nctl_fields_with(&nctl_link_fields, NCTL_FIELD_LATE);
	l.data_has &= ~nctl_fields_with(&l.kind->data, NCTL_FIELD_LATE);
	nctl_link_set_port_kind(&l, NULL);
	nctl_field_clear(&nctl_link_fields.v[NCTL_LINK_ALTNAMES], &l);
	nctl_field_clear(&nctl_link_fields.v[NCTL_LINK_ALIAS], &l);
	l.has |=
		NCTL_LINK_BIT(FLAGS) | NCTL_LINK_BIT(MASTER) | NCTL_LINK_BIT(ALTNAMES) | NCTL_LINK_BIT(ALIAS);
	if (l.lower)
		l.has |= NCTL_LINK_BIT(LOWER);
	if (!(l.has & NCTL_LINK_BIT(MTU)))
		l.mtu = 1500;
	if (!(l.has & NCTL_LINK_BIT(GROUP)))
		l.group = 0;
	l.has |= NCTL_LINK_BIT(MTU) | NCTL_LINK_BIT(GROUP);
	l.flags = 0;
	own(n, l.ifindex, &l, false);
	put_link(n, &l);
}

static void link_new(struct world *w, const struct nctl_op *op)
{
	struct world_netns *n = w->planned[op->netns], *other = op->pair ? w->planned[op->peer_netns] : NULL;
	struct nctl_link l, peer;

	assert_non_null(n);
	nctl_op_link(op, &l);
	assert_true(!l.lower || nctl_mirror_link_get(n->have, l.lower));
	assert_true(!(l.kind->traits & NCTL_KIND_PEERED) == !op->pair);
	l.lower_nsid = NCTL_NSID_NONE;
	if (op->pair) {
		assert_non_null(other);
		assert_true(op->netns || !op->peer_netns); /* home is the other one */
		peer = op->want->peer.link->v;
		peer.ifindex = op->peer_ifindex;
		peer.master = 0;
		peer.has |= NCTL_LINK_BIT(NAME);
		l.lower = peer.ifindex;
		l.lower_nsid = nsid_in(w, n, other);
		peer.lower = l.ifindex;
		peer.lower_nsid = nsid_in(w, other, n);
		make_one(other, &peer);
	}
	make_one(n, &l);
}

static void set_fields(
	const struct nctl_field_table *t, void *dst, uint64_t *has, const void *src, uint64_t mask)
{
	for (size_t i = 0; i < t->n; i++)
		if (mask & (UINT64_C(1) << i))
			assert_int_equal(nctl_field_copy(&t->v[i], dst, src), 0);
	*has |= mask;
}

static void link_set(struct world *w, const struct nctl_op *op)
{
	struct world_netns *n = w->planned[op->netns];
	const struct nctl_mirror_link *have = nctl_mirror_link_get(n->have, op->ifindex);
	const uint64_t special = NCTL_LINK_BIT(FLAGS) | NCTL_LINK_BIT(MASTER);
	struct nctl_link l = NCTL_LINK_INIT, wanted;

	if (!have)
		fail_msg("%s is not there:\n%s", op->name, world_print(w->plan));
	nctl_op_link(op, &wanted);
	assert_int_equal(nctl_link_copy(&l, &have->v), 0);
	set_fields(&nctl_link_fields, &l, &l.has, &wanted, op->diff.common & ~special);
	if (op->diff.common & NCTL_LINK_BIT(MASTER)) {
		assert_true(!wanted.master || nctl_mirror_link_get(n->have, wanted.master));
		if (l.master != wanted.master)
			nctl_link_set_port_kind(&l, NULL);
		l.master = wanted.master;
	}
	if (op->diff.common & NCTL_LINK_BIT(FLAGS))
		l.flags = (l.flags & ~(unsigned)IFF_UP) | (op->up ? IFF_UP : 0);
	if (op->diff.data)
		set_fields(&l.kind->data, l.data, &l.data_has, wanted.data, op->diff.data);
	if (op->diff.port) {
		assert_true(l.master);
		if (!l.port_kind)
			nctl_link_set_port_kind(&l, wanted.port_kind);
		set_fields(&l.port_kind->port, l.port, &l.port_has, wanted.port, op->diff.port);
	}
	put_link(n, &l);
}

static void altname_new(struct world *w, const struct nctl_op *op)
{
	struct world_netns *in = w->planned[op->netns];
	struct nctl_link l = NCTL_LINK_INIT;
	size_t n = 0;

	assert_int_equal(nctl_link_copy(&l, &nctl_mirror_link_get(in->have, op->ifindex)->v), 0);
	while (l.altnames && l.altnames[n])
		n++;
	l.altnames = realloc(l.altnames, (n + 2) * sizeof(*l.altnames));
	l.altnames[n] = strdup(op->altname);
	l.altnames[n + 1] = NULL;
	put_link(in, &l);
}

static void altname_del(struct world *w, const struct nctl_op *op)
{
	struct world_netns *in = w->planned[op->netns];
	struct nctl_link l = NCTL_LINK_INIT;
	size_t n = 0, last = 0;

	assert_int_equal(nctl_link_copy(&l, &nctl_mirror_link_get(in->have, op->ifindex)->v), 0);
	while (strcmp(l.altnames[n], op->altname))
		n++;
	for (last = n; l.altnames[last + 1]; last++)
		;
	free(l.altnames[n]);
	l.altnames[n] = l.altnames[last];
	l.altnames[last] = NULL;
	put_link(in, &l);
}

/* A link that goes along with that lower one, which is in the same namespace. */
static nctl_ifindex find_upper(const struct world_netns *n, nctl_ifindex lower)
{
	const struct nctl_mirror_link *l = nctl_mirror_link_from(n->have, 1);

	while (l && (l->v.lower != lower || l->v.lower_nsid != NCTL_NSID_NONE))
		l = nctl_mirror_link_next(l);
	return l ? l->v.ifindex : 0;
}

static void link_del(struct world *w, struct world_netns *n, nctl_ifindex ifindex)
{
	const struct nctl_mirror_link *l = nctl_mirror_link_get(n->have, ifindex), *peer;
	struct world_netns *other;
	nctl_ifindex upper, lower;

	if (!l)
		return;
	other = by_nsid(w, n, l->v.lower_nsid);
	lower = l->v.lower;
	nctl_mirror_link_drop(n->have, ifindex);
	while ((upper = find_upper(n, ifindex)))
		link_del(w, n, upper);
	peer = other && other != n ? nctl_mirror_link_get(other->have, lower) : NULL;
	if (peer && peer->v.lower == ifindex && peer->v.lower_nsid != NCTL_NSID_NONE)
		link_del(w, other, lower);
}

/* Ports of a master that goes are let go. */
static void link_del_of_ports(struct world *w, struct world_netns *n, nctl_ifindex ifindex)
{
	const struct nctl_mirror_link *l = nctl_mirror_link_from(n->have, 1);

	while (l) {
		struct nctl_link port = NCTL_LINK_INIT;
		nctl_ifindex next = l->v.ifindex + 1;

		if (l->v.master == ifindex) {
			assert_int_equal(nctl_link_copy(&port, &l->v), 0);
			port.master = 0;
			nctl_link_set_port_kind(&port, NULL);
			put_link(n, &port);
		}
		l = nctl_mirror_link_from(n->have, next);
	}
	link_del(w, n, ifindex);
}

static void addr_new(struct world *w, const struct nctl_op *op)
{
	struct world_netns *n = w->planned[op->netns];
	struct nctl_addr a = op->want_addr->v;

	a.ifindex = op->ifindex;
	a.proto = op->verbatim ? a.proto : NCTL_PROTO;
	assert_non_null(nctl_mirror_link_get(n->have, a.ifindex));
	assert_int_equal(nctl_mirror_addr_put(n->have, &a, NCTL_SOURCE_EVENT), 0);
}

void world_link_in(struct world *w, const char *netns, nctl_ifindex ifindex, const char *name,
	const char *kind, nctl_ifindex lower, unsigned flags)
{
	struct nctl_link l = NCTL_LINK_INIT;

	l.ifindex = ifindex;
	snprintf(l.name, sizeof(l.name), "%s", name);
	l.flags = flags;
	l.mtu = 1500;
	l.has = NCTL_LINK_BIT(NAME) | NCTL_LINK_BIT(FLAGS) | NCTL_LINK_BIT(MASTER) | NCTL_LINK_BIT(MTU) |
	        NCTL_LINK_BIT(GROUP) | NCTL_LINK_BIT(ALIAS) | NCTL_LINK_BIT(ALTNAMES);
	if (lower) {
		l.lower = lower;
		l.has |= NCTL_LINK_BIT(LOWER);
	}
	if (kind)
		nctl_link_set_kind(&l, nctl_kind_find(kind));
	put_link(world_netns_find(w, netns), &l);
}

struct world_netns *world_netns_add(struct world *w, const char *name)
{
	struct world_netns *n;
	struct nctl_link lo = NCTL_LINK_INIT;

	assert_null(world_netns_find(w, name));
	n = new_netns(w, name);
	lo.ifindex = 1;
	strcpy(lo.name, "lo");
	lo.flags = IFF_LOOPBACK;
	lo.mtu = 65536;
	lo.has = NCTL_LINK_BIT(NAME) | NCTL_LINK_BIT(FLAGS) | NCTL_LINK_BIT(MASTER) | NCTL_LINK_BIT(MTU) |
	         NCTL_LINK_BIT(GROUP) | NCTL_LINK_BIT(ALIAS) | NCTL_LINK_BIT(ALTNAMES);
	put_link(n, &lo);
	return n;
}

static void drop_netns(struct world *w, struct world_netns *n)
{
	const struct nctl_mirror_link *l;

	while ((l = nctl_mirror_link_from(n->have, 1)))
		link_del(w, n, l->v.ifindex);
	w->netns[number_of(w, n)] = NULL;
	free_netns(n);
}

void world_netns_del(struct world *w, const char *name)
{
	w->plan = nctl_plan_free(w->plan);
	drop_netns(w, world_netns_find(w, name));
}

void world_sysctl(struct world_netns *n, const char *name, const char *value)
{
	size_t i = 0;

	while (i < n->n_sysctls && strcmp(n->sysctls[i].name, name))
		i++;
	assert_true(i < WORLD_SYSCTLS);
	if (i == n->n_sysctls)
		n->sysctls[n->n_sysctls++].name = strdup(name);
	free(n->sysctls[i].value);
	n->sysctls[i].value = value ? strdup(value) : NULL;
}

const char *world_sysctl_get(const struct world_netns *n, const char *name)
{
	for (size_t i = 0; i < n->n_sysctls; i++)
		if (!strcmp(n->sysctls[i].name, name))
			return n->sysctls[i].value;
	return NULL;
}

static void netns_new(struct world *w, const struct nctl_op *op)
{
	struct nctl_plan_netns *known_as = &w->plan->netns[op->netns];
	struct world_netns *n;

	assert_null(w->planned[op->netns]);
	n = world_netns_add(w, known_as->name);
	n->ours = true;
	w->planned[op->netns] = n;
	known_as->cookie = n->cookie;
	known_as->have = n->have;
	known_as->nsid = n->nsid;
}

/* The name lives on in the plan. */
static void netns_del(struct world *w, const struct nctl_op *op)
{
	struct nctl_plan_netns *known_as = &w->plan->netns[op->netns];

	assert_non_null(w->planned[op->netns]);
	assert_true(w->planned[op->netns]->ours);
	known_as->name = nctl_arena_strdup(&w->plan->arena, known_as->name);
	known_as->cookie = 0;
	known_as->have = NULL;
	known_as->ledger = NULL;
	drop_netns(w, w->planned[op->netns]);
	w->planned[op->netns] = NULL;
}

static void sysctl_set(struct world *w, const struct nctl_op *op)
{
	world_sysctl(w->planned[op->netns], op->sysctl, op->value);
}

static void apply_op(struct world *w, const struct nctl_op *op)
{
	struct world_netns *n = w->planned[op->netns];

	switch ((enum nctl_op_type)op->type) {
	case NCTL_OP_LINK_NEW:
		link_new(w, op);
		break;
	case NCTL_OP_LINK_SET:
		link_set(w, op);
		break;
	case NCTL_OP_LINK_DEL:
		/* An implied one is gone, or goes with a later one. */
		if (!op->implied && n)
			link_del_of_ports(w, n, op->ifindex);
		break;
	case NCTL_OP_ALTNAME_DEL:
		altname_del(w, op);
		break;
	case NCTL_OP_ALTNAME_NEW:
		altname_new(w, op);
		break;
	case NCTL_OP_ADDR_NEW:
		addr_new(w, op);
		break;
	case NCTL_OP_ADDR_DEL:
		assert_non_null(nctl_mirror_addr_get(n->have, op->addr));
		nctl_mirror_addr_drop(n->have, op->addr);
		break;
	case NCTL_OP_NETNS_NEW:
		netns_new(w, op);
		break;
	case NCTL_OP_NETNS_DEL:
		netns_del(w, op);
		break;
	case NCTL_OP_NETNS_ID:
		assert_true(op->netns && op->peer_netns && n && w->planned[op->peer_netns]);
		break;
	case NCTL_OP_SYSCTL_SET:
		sysctl_set(w, op);
		break;
	}
}

static bool needs(const struct nctl_plan *p, uint32_t i, uint32_t netns, unsigned depth)
{
	const struct nctl_op *op = &p->ops[i];

	if (op->type == NCTL_OP_NETNS_NEW)
		return op->netns == netns;
	for (int k = 0; depth && k < NCTL_OP_NEEDS; k++)
		if (op->need[k] != NCTL_OP_NONE && needs(p, op->need[k], netns, depth - 1))
			return true;
	return false;
}

/* All in a namespace that is to be made fails with its making. */
static void check_poison(const struct nctl_plan *p)
{
	for (uint32_t i = 0; i < p->n_ops; i++) {
		const struct nctl_op *op = &p->ops[i];

		if (!p->netns[op->netns].there)
			assert_true(needs(p, i, op->netns, 3));
		if ((op->pair || op->type == NCTL_OP_NETNS_ID) && !p->netns[op->peer_netns].there)
			assert_true(needs(p, i, op->peer_netns, 3));
	}
}

static bool is_in_order(const struct nctl_op *a, const struct nctl_op *b)
{
	enum nctl_stage x = nctl_phase_stage(a->phase), y = nctl_phase_stage(b->phase);

	if (x != y)
		return x < y;
	switch (x) {
	case NCTL_STAGE_CREATE:
		return a->rank <= b->rank;
	case NCTL_STAGE_CONFIGURE:
		return a->netns != b->netns ? a->netns < b->netns : a->phase <= b->phase;
	case NCTL_STAGE_REMOVE:
		return a->type == NCTL_OP_NETNS_DEL || b->type != NCTL_OP_NETNS_DEL;
	case NCTL_STAGE_NETNS:
	case NCTL_STAGE_CLEAR:
	case NCTL_STAGE_N:
		break;
	}
	return true;
}

/* Nothing needs what comes later, but for implied deletions. */
static void check_order(const struct nctl_plan *p)
{
	for (size_t i = 0; i < p->n_ops; i++) {
		assert_true(!i || is_in_order(&p->ops[i - 1], &p->ops[i]));
		for (int k = 0; k < NCTL_OP_NEEDS; k++)
			if (p->ops[i].need[k] != NCTL_OP_NONE && !p->ops[i].implied)
				assert_true(p->ops[i].need[k] < i);
	}
}

static void settle_ledgers(struct world *w, const struct nctl_plan *p)
{
	for (size_t i = 0; i < p->n_adopt_links; i++)
		assert_int_equal(nctl_ledger_link_add(w->planned[p->adopt_links[i].netns]->ledger,
					 &p->adopt_links[i].link),
			0);
	for (size_t i = 0; i < p->n_adopt_addrs; i++)
		assert_int_equal(nctl_ledger_addr_add(w->planned[p->adopt_addrs[i].netns]->ledger,
					 &p->adopt_addrs[i].addr),
			0);
	for (size_t i = 0; i < w->n_netns; i++)
		if (w->netns[i])
			nctl_ledger_prune(w->netns[i]->ledger, w->netns[i]->have);
}

/* What another deletion takes along is done with that one. */
static void settle_states(struct nctl_plan *p)
{
	for (size_t i = 0; i < p->n_ops; i++)
		if (p->ops[i].implied && p->ops[i].need[0] != NCTL_OP_NONE)
			p->ops[i].state = p->ops[p->ops[i].need[0]].state;
}

void world_apply_some(struct world *w, size_t n)
{
	struct nctl_plan *p = w->plan;

	check_order(p);
	check_poison(p);
	for (size_t i = 0; i < n && i < p->n_ops; i++) {
		apply_op(w, &p->ops[i]);
		p->ops[i].state = NCTL_OP_DONE;
	}
	settle_states(p);
	settle_ledgers(w, p);
}

void world_apply(struct world *w)
{
	const struct nctl_plan *p = w->plan;

	assert_false(p->blocked);
	world_apply_some(w, p->n_ops);
	for (size_t i = 0; i < p->n_ops; i++)
		if ((p->ops[i].type == NCTL_OP_LINK_DEL && !nctl_op_is_seen(p, &p->ops[i])) ||
			(p->ops[i].type == NCTL_OP_NETNS_NEW && !nctl_op_is_seen(p, &p->ops[i])))
			fail_msg("%s is not as it should be:\n%s", p->ops[i].name, world_print(p));
}

void world_undo(struct world *w)
{
	struct nctl_plan *p = w->plan, *back;

	assert_int_equal(nctl_plan_undo(p, &back), 0);
	w->plan = back;
	assert_int_equal(back->n_netns, p->n_netns);
	world_apply_some(w, back->n_ops);
	/* It borrows from the first one. */
	w->plan = nctl_plan_free(back);
	nctl_plan_free(p);
}

void world_settle(struct world *w, const char *body)
{
	world_plan(w, body, true);
	world_apply(w);
	world_plan(w, body, false);
	world_expect(w->plan, "");
}

/* -- by hand -- */

void world_link(struct world *w, nctl_ifindex ifindex, const char *name, const char *kind, nctl_ifindex lower,
	unsigned flags)
{
	world_link_in(w, "", ifindex, name, kind, lower, flags);
}

nctl_ifindex world_index(const struct world *w, const char *name)
{
	const struct nctl_mirror_link *l = nctl_mirror_link_find(w->have, name);

	assert_non_null(l);
	return l->v.ifindex;
}

void world_own(struct world *w, const char *name)
{
	const struct nctl_mirror_link *l = nctl_mirror_link_find(w->have, name);

	assert_non_null(l);
	own(w->netns[0], l->v.ifindex, &l->v, false);
}

void world_addr(struct world *w, const char *link, const char *prefix, uint32_t flags, uint8_t proto)
{
	struct nctl_addr a = NCTL_ADDR_INIT;

	a.ifindex = world_index(w, link);
	assert_int_equal(nctl_prefix_parse(prefix, NCTL_PREFIX_NEED_LENGTH, &a.local), 0);
	a.flags = flags;
	a.proto = proto;
	assert_int_equal(nctl_mirror_addr_put(w->have, &a, NCTL_SOURCE_EVENT), 0);
}

/* -- printing -- */

static void print_fields(struct nctl_strbuf *b, const struct nctl_field_table *t, uint64_t mask)
{
	for (size_t i = 0; i < t->n; i++)
		if (mask & (UINT64_C(1) << i))
			nctl_strbuf_printf(b, " %s", t->v[i].key ? t->v[i].key : t->v[i].json);
}

static void print_set(struct nctl_strbuf *b, const struct nctl_op *op)
{
	print_fields(b, &nctl_link_fields, op->diff.common & ~NCTL_LINK_BIT(FLAGS));
	if (op->diff.common & NCTL_LINK_BIT(FLAGS))
		nctl_strbuf_puts(b, op->up ? " up" : " down");
	print_fields(b, &op->want->v.kind->data, op->diff.data);
	if (op->want->v.port_kind)
		print_fields(b, &op->want->v.port_kind->port, op->diff.port);
	if (op->cls != NCTL_CHANGE_LIVE)
		nctl_strbuf_printf(b, " (%s)", nctl_change_class_name(op->cls));
}

static const char *in(const struct nctl_plan *p, uint32_t netns, char *buf, size_t size)
{
	const char *name = p->netns[netns].name;

	snprintf(buf, size, "%s%s", name ? name : "", name ? "/" : "");
	return buf;
}

static void print_op(struct nctl_strbuf *b, const struct nctl_plan *p, const struct nctl_op *op)
{
	char addr[NCTL_PREFIX_STR], here[64], there[64];

	in(p, op->netns, here, sizeof(here));
	nctl_strbuf_printf(b, "%s: ", nctl_phase_name(op->phase));
	switch ((enum nctl_op_type)op->type) {
	case NCTL_OP_LINK_NEW:
		nctl_strbuf_printf(b, "link-new %s %s%s", op->kind, here, op->name);
		if (op->pair)
			nctl_strbuf_printf(b, " and %s%s", in(p, op->peer_netns, there, sizeof(there)),
				op->want->peer.name);
		break;
	case NCTL_OP_LINK_SET:
		nctl_strbuf_printf(b, "link-set %s %s%s", op->kind, here, op->name);
		print_set(b, op);
		break;
	case NCTL_OP_LINK_DEL:
		nctl_strbuf_printf(
			b, "link-del %s %s%s%s", op->kind, here, op->name, op->implied ? " (implied)" : "");
		break;
	case NCTL_OP_ALTNAME_DEL:
		nctl_strbuf_printf(b, "altname-del %s%s %s", here, op->name, op->altname);
		break;
	case NCTL_OP_ALTNAME_NEW:
		nctl_strbuf_printf(b, "altname-new %s%s %s", here, op->name, op->altname);
		break;
	case NCTL_OP_ADDR_NEW:
		nctl_prefix_format(&op->want_addr->v.local, addr);
		nctl_strbuf_printf(b, "addr-new %s%s %s", here, op->name, addr);
		break;
	case NCTL_OP_ADDR_DEL:
		nctl_prefix_format(&op->addr->local, addr);
		nctl_strbuf_printf(b, "addr-del %s%s %s", here, op->name, addr);
		break;
	case NCTL_OP_NETNS_NEW:
		nctl_strbuf_printf(b, "netns-new %s", op->name);
		break;
	case NCTL_OP_NETNS_DEL:
		nctl_strbuf_printf(b, "netns-del %s", op->name);
		break;
	case NCTL_OP_NETNS_ID:
		nctl_strbuf_printf(b, "netns-id %s of %s", op->name, p->netns[op->peer_netns].name);
		break;
	case NCTL_OP_SYSCTL_SET:
		nctl_strbuf_printf(b, "sysctl-set %s%s = %s", here, op->sysctl, op->value);
		if (op->old_value)
			nctl_strbuf_printf(b, " (%s)", op->old_value);
		break;
	}
	nctl_strbuf_putc(b, '\n');
}

char *world_print(const struct nctl_plan *p)
{
	static const char *const types[] = {"wait", "consent", "conflict"};
	struct nctl_strbuf b = NCTL_STRBUF_INIT;

	for (size_t i = 0; i < p->n_ops; i++)
		print_op(&b, p, &p->ops[i]);
	for (size_t i = 0; i < p->n_problems; i++)
		nctl_strbuf_printf(&b, "%s: %s\n", types[p->problems[i].type], p->problems[i].text);
	return b.len ? nctl_strbuf_steal(&b) : strdup("");
}

void world_expect(const struct nctl_plan *p, const char *text)
{
	char *got = world_print(p);

	assert_string_equal(got, text);
	free(got);
}

static void dump_fields(
	struct nctl_strbuf *b, const struct nctl_field_table *t, const void *data, uint64_t has)
{
	for (size_t i = 0; i < t->n; i++) {
		if (!(has >> i & 1) || !t->v[i].key)
			continue;
		nctl_strbuf_printf(b, " %s=", t->v[i].key);
		nctl_field_format_text(&t->v[i], data, b);
	}
}

static void dump_link(
	struct nctl_strbuf *b, const struct world *w, struct world_netns *n, const struct nctl_mirror_link *l)
{
	char addr[NCTL_PREFIX_STR];
	const struct nctl_mirror_addr *a;
	const struct world_netns *other = by_nsid(w, n, l->v.lower_nsid);

	nctl_strbuf_printf(b, "%s/%u %s %s%s lower %s/%u master %u mtu %u group %u alias \"%s\"", n->name,
		l->v.ifindex, l->v.name, l->v.kind ? l->v.kind->name : "-",
		nctl_link_is_up(&l->v) ? " up" : "", other ? other->name : "?", l->v.lower, l->v.master,
		l->v.mtu, l->v.group, l->v.alias ? l->v.alias : "");
	for (char **alt = l->v.altnames; alt && *alt; alt++)
		nctl_strbuf_printf(b, " alt %s", *alt);
	if (l->v.kind)
		dump_fields(b, &l->v.kind->data, l->v.data, l->v.data_has);
	for (a = nctl_mirror_addr_first(l); a; a = nctl_mirror_addr_next(a))
		nctl_strbuf_printf(b, "\n  %s proto %u", nctl_prefix_format(&a->v.local, addr), a->v.proto);
	nctl_strbuf_putc(b, '\n');
}

char *world_dump(const struct world *w)
{
	struct world_netns **by_name = calloc(w->n_netns, sizeof(*by_name));
	struct nctl_strbuf b = NCTL_STRBUF_INIT;
	const struct nctl_mirror_link *l;
	size_t n = 0;

	for (size_t i = 0; i < w->n_netns; i++)
		if (w->netns[i])
			by_name[n++] = w->netns[i];
	qsort(by_name, n, sizeof(struct world_netns *), cmp_name);
	for (size_t i = 0; i < n; i++) {
		nctl_strbuf_printf(&b, "netns %s%s\n", by_name[i]->name, by_name[i]->ours ? " (ours)" : "");
		for (l = nctl_mirror_link_from(by_name[i]->have, 1); l; l = nctl_mirror_link_next(l))
			dump_link(&b, w, by_name[i], l);
	}
	free(by_name);
	return nctl_strbuf_steal(&b);
}

void world_return(struct world *w, const char *body, size_t n)
{
	char *before = world_dump(w), *after;

	world_plan(w, body, true);
	assert_false(w->plan->blocked);
	world_apply_some(w, n);
	world_undo(w);
	after = world_dump(w);
	assert_string_equal(after, before);
	free(after);
	free(before);
}
