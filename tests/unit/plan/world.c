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

void world_init(struct world *w)
{
	*w = (struct world){0};
	assert_int_equal(nctl_mirror_new(&w->have), 0);
	assert_int_equal(nctl_ledger_new(&w->ledger), 0);
}

void world_fini(struct world *w)
{
	w->plan = nctl_plan_free(w->plan);
	w->want = nctl_want_free(w->want);
	w->ledger = nctl_ledger_free(w->ledger);
	w->have = nctl_mirror_free(w->have);
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

const struct nctl_plan *world_plan_want(struct world *w, struct nctl_want *want, bool allow_recreate)
{
	struct nctl_plan_options opts = {.allow_recreate = allow_recreate};

	w->plan = nctl_plan_free(w->plan);
	assert_int_equal(nctl_plan_build(want, w->have, w->ledger, &opts, &w->plan), 0);
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

static void put_link(struct world *w, struct nctl_link *l)
{
	assert_int_equal(nctl_mirror_link_put(w->have, l, NCTL_SOURCE_EVENT), 0);
}

static void own(struct world *w, nctl_ifindex ifindex, const struct nctl_link *l, bool adopted)
{
	struct nctl_ledger_link e = {.ifindex = ifindex, .adopted = adopted};

	snprintf(e.kind, sizeof(e.kind), "%s", l->kind ? l->kind->name : "");
	snprintf(e.name, sizeof(e.name), "%s", l->name);
	assert_int_equal(nctl_ledger_link_add(w->ledger, &e), 0);
}

static void make_one(struct world *w, const struct nctl_link *wanted)
{
	struct nctl_link l = NCTL_LINK_INIT;

	assert_null(nctl_mirror_link_get(w->have, wanted->ifindex));
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
	l.flags = 0;
	own(w, l.ifindex, &l, false);
	put_link(w, &l);
}

static void link_new(struct world *w, const struct nctl_op *op)
{
	struct nctl_link l, peer;

	nctl_op_link(op, &l);
	assert_true(!l.lower || nctl_mirror_link_get(w->have, l.lower));
	assert_true(!l.master || nctl_mirror_link_get(w->have, l.master));
	assert_null(nctl_mirror_link_find(w->have, l.name));
	if (op->pair) {
		peer = op->want->peer.link->v;
		peer.ifindex = op->peer_ifindex;
		peer.has |= NCTL_LINK_BIT(NAME);
		l.lower = peer.ifindex;
		peer.lower = l.ifindex;
		make_one(w, &peer);
	}
	make_one(w, &l);
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
	const struct nctl_mirror_link *have = nctl_mirror_link_get(w->have, op->ifindex);
	const uint64_t special = NCTL_LINK_BIT(FLAGS) | NCTL_LINK_BIT(MASTER);
	struct nctl_link l = NCTL_LINK_INIT, wanted;

	assert_non_null(have);
	nctl_op_link(op, &wanted);
	assert_int_equal(nctl_link_copy(&l, &have->v), 0);
	set_fields(&nctl_link_fields, &l, &l.has, &wanted, op->diff.common & ~special);
	if (op->diff.common & NCTL_LINK_BIT(MASTER)) {
		assert_true(!wanted.master || nctl_mirror_link_get(w->have, wanted.master));
		l.master = wanted.master;
		nctl_link_set_port_kind(&l, NULL);
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
	put_link(w, &l);
}

static void altname_new(struct world *w, const struct nctl_op *op)
{
	struct nctl_link l = NCTL_LINK_INIT;
	size_t n = 0;

	assert_int_equal(nctl_link_copy(&l, &nctl_mirror_link_get(w->have, op->ifindex)->v), 0);
	while (l.altnames && l.altnames[n])
		n++;
	l.altnames = realloc(l.altnames, (n + 2) * sizeof(*l.altnames));
	l.altnames[n] = strdup(op->altname);
	l.altnames[n + 1] = NULL;
	put_link(w, &l);
}

/* A link that goes along with that lower one. */
static nctl_ifindex find_upper(const struct world *w, nctl_ifindex lower)
{
	const struct nctl_mirror_link *l = nctl_mirror_link_from(w->have, 1);

	while (l && l->v.lower != lower)
		l = nctl_mirror_link_next(l);
	return l ? l->v.ifindex : 0;
}

static void link_del(struct world *w, nctl_ifindex ifindex)
{
	nctl_ifindex upper;

	nctl_mirror_link_drop(w->have, ifindex);
	while ((upper = find_upper(w, ifindex)))
		link_del(w, upper);
}

static void addr_new(struct world *w, const struct nctl_op *op)
{
	struct nctl_addr a = op->want_addr->v;

	a.ifindex = op->ifindex;
	a.proto = NCTL_PROTO;
	assert_non_null(nctl_mirror_link_get(w->have, a.ifindex));
	assert_int_equal(nctl_mirror_addr_put(w->have, &a, NCTL_SOURCE_EVENT), 0);
}

static void apply_op(struct world *w, const struct nctl_op *op)
{
	switch ((enum nctl_op_type)op->type) {
	case NCTL_OP_LINK_NEW:
		link_new(w, op);
		break;
	case NCTL_OP_LINK_SET:
		link_set(w, op);
		break;
	case NCTL_OP_LINK_DEL:
		/* An implied one is gone, or goes with a later one. */
		if (!op->implied)
			link_del(w, op->ifindex);
		break;
	case NCTL_OP_ALTNAME_DEL:
		fail_msg("only the way back takes alternative names away");
		break;
	case NCTL_OP_ALTNAME_NEW:
		altname_new(w, op);
		break;
	case NCTL_OP_ADDR_NEW:
		addr_new(w, op);
		break;
	case NCTL_OP_ADDR_DEL:
		assert_non_null(nctl_mirror_addr_get(w->have, op->addr));
		nctl_mirror_addr_drop(w->have, op->addr);
		break;
	}
}

/* Phases in order, and nothing needs what comes later, but for implied deletions. */
static void check_order(const struct nctl_plan *p)
{
	for (size_t i = 0; i < p->n_ops; i++) {
		assert_true(!i || p->ops[i].phase >= p->ops[i - 1].phase);
		for (int k = 0; k < NCTL_OP_NEEDS; k++)
			if (p->ops[i].need[k] != NCTL_OP_NONE && !p->ops[i].implied)
				assert_true(p->ops[i].need[k] < i);
	}
}

void world_apply(struct world *w)
{
	const struct nctl_plan *p = w->plan;

	assert_false(p->blocked);
	check_order(p);
	for (size_t i = 0; i < p->n_ops; i++)
		apply_op(w, &p->ops[i]);
	for (size_t i = 0; i < p->n_ops; i++)
		if (p->ops[i].type == NCTL_OP_LINK_DEL)
			if (nctl_mirror_link_get(w->have, p->ops[i].ifindex)) {
				fail_msg("%s is still there:\n%s", p->ops[i].name, world_print(p));
			}
	for (size_t i = 0; i < p->n_adopt_links; i++)
		assert_int_equal(nctl_ledger_link_add(w->ledger, &p->adopt_links[i]), 0);
	for (size_t i = 0; i < p->n_adopt_addrs; i++)
		assert_int_equal(nctl_ledger_addr_add(w->ledger, &p->adopt_addrs[i]), 0);
	nctl_ledger_prune(w->ledger, w->have);
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
	struct nctl_link l = NCTL_LINK_INIT;

	l.ifindex = ifindex;
	snprintf(l.name, sizeof(l.name), "%s", name);
	l.flags = flags;
	l.mtu = 1500;
	l.has = NCTL_LINK_BIT(NAME) | NCTL_LINK_BIT(FLAGS) | NCTL_LINK_BIT(MASTER) | NCTL_LINK_BIT(MTU) |
	        NCTL_LINK_BIT(ALIAS) | NCTL_LINK_BIT(ALTNAMES);
	if (lower) {
		l.lower = lower;
		l.has |= NCTL_LINK_BIT(LOWER);
	}
	if (kind)
		nctl_link_set_kind(&l, nctl_kind_find(kind));
	put_link(w, &l);
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
	own(w, l->v.ifindex, &l->v, false);
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

static void print_op(struct nctl_strbuf *b, const struct nctl_op *op)
{
	char addr[NCTL_PREFIX_STR];

	nctl_strbuf_printf(b, "%s: ", nctl_phase_name(op->phase));
	switch ((enum nctl_op_type)op->type) {
	case NCTL_OP_LINK_NEW:
		nctl_strbuf_printf(b, "link-new %s %s", op->kind, op->name);
		if (op->pair)
			nctl_strbuf_printf(b, " and %s", op->want->peer.name);
		break;
	case NCTL_OP_LINK_SET:
		nctl_strbuf_printf(b, "link-set %s %s", op->kind, op->name);
		print_set(b, op);
		break;
	case NCTL_OP_LINK_DEL:
		nctl_strbuf_printf(
			b, "link-del %s %s%s", op->kind, op->name, op->implied ? " (implied)" : "");
		break;
	case NCTL_OP_ALTNAME_DEL:
	case NCTL_OP_ALTNAME_NEW:
		nctl_strbuf_printf(b, "altname-new %s %s", op->name, op->altname);
		break;
	case NCTL_OP_ADDR_NEW:
		nctl_prefix_format(&op->want_addr->v.local, addr);
		nctl_strbuf_printf(b, "addr-new %s %s", op->name, addr);
		break;
	case NCTL_OP_ADDR_DEL:
		nctl_prefix_format(&op->addr->local, addr);
		nctl_strbuf_printf(b, "addr-del %s %s", op->name, addr);
		break;
	}
	nctl_strbuf_putc(b, '\n');
}

char *world_print(const struct nctl_plan *p)
{
	static const char *const types[] = {"wait", "consent", "conflict"};
	struct nctl_strbuf b = NCTL_STRBUF_INIT;

	for (size_t i = 0; i < p->n_ops; i++)
		print_op(&b, &p->ops[i]);
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
