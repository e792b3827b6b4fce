/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: what a naive kernel does with routes, next hops and rules, and how they look as text. What the kernel
 * refuses of them fails the test: a plan never asks for it.
 */
#include <linux/fib_rules.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "mirror/route.h"
#include "plan/op-fib.h"
#include "test.h"
#include "world-private.h"

static bool is_reject(uint8_t type)
{
	return type == RTN_BLACKHOLE || type == RTN_UNREACHABLE || type == RTN_PROHIBIT || type == RTN_THROW;
}

enum { HOPS_MAX = 8 };

/* IPv6 shows what goes nowhere by lo; what the kernel was to find, it finds at eth0. */
static struct nctl_route as_shown(
	struct world_netns *n, const struct nctl_route *asked, struct nctl_hop *hops)
{
	const struct nctl_mirror_link *eth0 = nctl_mirror_link_find(n->have, "eth0");
	struct nctl_route r = *asked;

	assert_true(r.n_hops <= HOPS_MAX);
	for (uint32_t i = 0; i < r.n_hops; i++) {
		hops[i] = r.hops[i];
		if (!hops[i].oif && eth0)
			hops[i].oif = eth0->v.ifindex;
	}
	r.hops = hops;
	if (!is_reject(r.type) || r.dst.family == AF_INET)
		return r;
	hops[0] = (struct nctl_hop){.oif = 1, .weight = 1};
	r.n_hops = 1;
	return r;
}

static void route_new(struct world_netns *n, const struct nctl_op_fib *fib)
{
	struct nctl_hop hops[HOPS_MAX];
	struct nctl_route r = as_shown(n, &fib->v.route, hops);

	assert_true(!r.nhid || nctl_mirror_nexthop_get(n->have, r.nhid));
	for (uint32_t i = 0; i < r.n_hops; i++) {
		assert_non_null(nctl_mirror_link_get(n->have, hops[i].oif));
		assert_true(nctl_link_is_up(&nctl_mirror_link_get(n->have, hops[i].oif)->v));
	}
	if (fib->nlm_flags & NLM_F_EXCL)
		assert_false(nctl_mirror_route_find(n->have, &r));
	assert_int_equal(nctl_mirror_route_put(n->have, &r, fib->nlm_flags, NCTL_SOURCE_EVENT), 0);
}

static void route_del(struct world_netns *n, const struct nctl_op_fib *fib)
{
	struct nctl_hop hops[HOPS_MAX];
	struct nctl_route r = as_shown(n, &fib->v.route, hops);

	nctl_mirror_route_drop(n->have, &r);
}

static void rule_new(struct world_netns *n, const struct nctl_op_fib *fib)
{
	struct nctl_rule r = fib->v.rule;
	const struct nctl_rule *second = nctl_mirror_rule_at(n->have, r.family, 1);

	/* fib_default_rule_pref */
	if (!fib->has_priority)
		r.priority = second && second->priority ? second->priority - 1 : 0;
	assert_int_equal(nctl_mirror_rule_put(n->have, &r, NCTL_SOURCE_EVENT), 0);
}

void world_apply_fib(struct world *w, const struct nctl_op *op)
{
	struct world_netns *n = w->planned[op->netns];

	assert_non_null(n);
	if (op->if_missing && nctl_op_is_seen(w->plan, op))
		return;
	if (op->type == NCTL_OP_ROUTE_NEW)
		route_new(n, op->fib);
	else if (op->type == NCTL_OP_ROUTE_DEL)
		route_del(n, op->fib);
	else if (op->type == NCTL_OP_NEXTHOP_NEW)
		assert_int_equal(nctl_mirror_nexthop_put(n->have, &op->fib->v.nexthop, NCTL_SOURCE_EVENT), 0);
	else if (op->type == NCTL_OP_NEXTHOP_DEL)
		nctl_mirror_nexthop_drop(n->have, op->fib->v.nexthop.id);
	else if (op->type == NCTL_OP_RULE_NEW)
		rule_new(n, op->fib);
	else if (op->type == NCTL_OP_RULE_DEL)
		nctl_mirror_rule_drop(n->have, &op->fib->v.rule);
}

static const char *how(const struct nctl_op_fib *fib)
{
	return fib->nlm_flags & NLM_F_REPLACE ? " (replace)" : fib->nlm_flags & NLM_F_EXCL ? "" : " (beside)";
}

void world_print_fib(struct nctl_strbuf *b, const struct nctl_op *op, const char *here)
{
	static const char *const names[] = {
		"route-new", "route-del", "nexthop-new", "nexthop-del", "rule-new", "rule-del",
		"neigh-new", "neigh-del"};
	bool routes = op->type == NCTL_OP_ROUTE_NEW || op->type == NCTL_OP_ROUTE_DEL;

	nctl_strbuf_printf(b, "%s %s%s", names[op->type - NCTL_OP_ROUTE_NEW], here, op->name);
	if (routes && op->fib->v.route.metric)
		nctl_strbuf_printf(b, " metric %u", op->fib->v.route.metric);
	if (routes && op->fib->v.route.table != RT_TABLE_MAIN)
		nctl_strbuf_printf(b, " table %u", op->fib->v.route.table);
	if (op->type == NCTL_OP_ROUTE_NEW || op->type == NCTL_OP_NEXTHOP_NEW)
		nctl_strbuf_puts(b, op->if_missing ? " (if missing)" : how(op->fib));
}

static int cmp_line(const void *x, const void *y)
{
	return strcmp(*(char *const *)x, *(char *const *)y);
}

static void add_line(char ***lines, size_t *n, struct nctl_strbuf *b)
{
	*lines = realloc(*lines, (*n + 1) * sizeof(char *));
	(*lines)[(*n)++] = nctl_strbuf_steal(b);
	*b = NCTL_STRBUF_INIT;
}

void world_dump_fib(struct nctl_strbuf *out, const struct nctl_mirror *m)
{
	const struct nctl_names names = nctl_mirror_names(m);
	struct nctl_route_cursor cursor = {0};
	struct nctl_strbuf b = NCTL_STRBUF_INIT;
	const struct nctl_nexthop *n;
	const struct nctl_rule *rule;
	char **lines = NULL;
	struct nctl_json j;
	struct nctl_route r;
	nctl_route_ref ref;
	size_t count = 0;

	while ((ref = nctl_mirror_route_next(m, &cursor))) {
		nctl_mirror_route_view(m, ref, &r);
		nctl_json_init(&j, &b);
		nctl_route_json(&r, &names, &j);
		add_line(&lines, &count, &b);
	}
	for (nctl_nhid id = 0; (n = nctl_mirror_nexthop_from(m, id)); id = n->id + 1) {
		nctl_json_init(&j, &b);
		nctl_nexthop_json(n, &names, &j);
		add_line(&lines, &count, &b);
	}
	for (int family = AF_INET; family <= AF_INET6; family += AF_INET6 - AF_INET)
		for (size_t i = 0; (rule = nctl_mirror_rule_at(m, (uint8_t)family, i)); i++) {
			nctl_json_init(&j, &b);
			nctl_rule_json(rule, &j);
			add_line(&lines, &count, &b);
		}
	if (count)
		qsort(lines, count, sizeof(*lines), cmp_line);
	for (size_t i = 0; i < count; i++) {
		nctl_strbuf_printf(out, "  %s\n", lines[i]);
		free(lines[i]);
	}
	free(lines);
}
