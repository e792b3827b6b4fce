/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: a world for the planner: what the mirrors hold is put there by hand or by the plans themselves.
 */
#include "world-private.h"

#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "config/config.h"
#include "test.h"

struct world_netns *world_new_netns(struct world *w, const char *name)
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
	world_new_netns(w, "");
	w->have = w->netns[0]->have;
	w->ledger = w->netns[0]->ledger;
}

void world_free_netns(struct world_netns *n)
{
	nctl_hash_fini(&n->by_name);
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
			world_free_netns(w->netns[i]);
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

static void look_at_sysctls(struct world_netns *n)
{
	nctl_hash_fini(&n->by_name);
	nctl_hash_init(&n->by_name);
	for (size_t i = 0; i < n->n_sysctls; i++) {
		n->now[i].name = n->sysctls[i].name;
		n->now[i].value = n->sysctls[i].value;
		assert_int_equal(
			nctl_hash_insert(&n->by_name, &n->now[i].node, nctl_hash_str(n->now[i].name)), 0);
	}
}

static struct nctl_plan_netns known(
	struct world_netns *n, const char *name, const struct nctl_want_netns *want, const char **values)
{
	struct nctl_plan_netns k = {.want = want, .name = name, .nsid = NCTL_NSID_NONE, .sysctls = values};

	if (!n)
		return k;
	look_at_sysctls(n);
	k.link_sysctls = &n->by_name;
	k.there = true;
	k.ours = n->ours;
	k.cookie = n->cookie;
	k.nsid = n->nsid;
	k.have = n->have;
	k.ledger = n->ledger;
	return k;
}

/* By a pointer, so that thousands of them cost no search each. */
int world_cmp_name(const void *x, const void *y)
{
	return strcmp((*(struct world_netns *const *)x)->name, (*(struct world_netns *const *)y)->name);
}

static struct world_netns *take(struct world_netns **by_name, size_t n, const char *name)
{
	struct world_netns probe, *p = &probe, **found;

	snprintf(probe.name, sizeof(probe.name), "%s", name);
	found = n ? bsearch(&p, by_name, n, sizeof(*by_name), world_cmp_name) : NULL;
	return found ? *found : NULL;
}

const struct nctl_plan *world_plan_want(struct world *w, struct nctl_want *want, bool allow_recreate)
{
	struct nctl_plan_options opts = {
		.allow_recreate = allow_recreate, .devices = w->devices, .n_devices = w->n_devices};
	struct world_netns **by_name = calloc(w->n_netns, sizeof(*by_name));
	struct nctl_plan_netns *v = calloc(want->n_netns + w->n_netns, sizeof(*v));
	const char ***values = calloc(want->n_netns, sizeof(*values));
	size_t n = 0, n_there = 0;

	w->plan = nctl_plan_free(w->plan);
	w->planned = realloc(w->planned, (want->n_netns + w->n_netns) * sizeof(struct world_netns *));
	for (size_t i = 0; i < w->n_netns; i++)
		if (w->netns[i])
			by_name[n_there++] = w->netns[i];
	qsort(by_name, n_there, sizeof(struct world_netns *), world_cmp_name);
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
	case NCTL_STAGE_ROUTE:
		return a->netns != b->netns ? a->netns < b->netns : a->rank <= b->rank;
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
		world_apply_op(w, &p->ops[i]);
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
	world_own_link(w->netns[0], l->v.ifindex, &l->v, false);
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
