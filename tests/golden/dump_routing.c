/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: what config_dump prints of routes, next-hop objects and rules: the JSON of the object, as for people,
 * then what a plan adds to it.
 */
#include "dump_routing.h"

#include "base/json.h"
#include "plan/want-route.h"

/* A want knows no indexes. */
static const char *no_name(const void *userdata, uint32_t ifindex)
{
	(void)userdata;
	(void)ifindex;
	return NULL;
}

static const struct nctl_names no_names = {.link_name = no_name};

static void put_place(
	const struct nctl_want *w, const char *what, struct nctl_pos pos, struct nctl_strbuf *out)
{
	const char *slash = strrchr(w->files[pos.file], '/');

	nctl_strbuf_printf(
		out, "  %s@%s:%u:%u ", what, slash ? slash + 1 : w->files[pos.file], pos.line, pos.column);
}

static void put_dev(const struct nctl_want_ref *ref, struct nctl_strbuf *out)
{
	if (ref->name)
		nctl_strbuf_printf(out, " dev=%s%s", ref->name, ref->link ? "" : "(foreign)");
	else
		nctl_strbuf_puts(out, " dev=?");
}

static void put_route(const struct nctl_want *w, const struct nctl_want_route *r, struct nctl_strbuf *out)
{
	struct nctl_json j;

	put_place(w, "route", r->pos, out);
	nctl_json_init(&j, out);
	nctl_route_json(&r->v, &no_names, &j);
	for (uint32_t i = 0; i < r->v.n_hops; i++)
		put_dev(&r->devs[i], out);
	nctl_strbuf_putc(out, '\n');
}

static void put_nexthop(const struct nctl_want *w, const struct nctl_want_nexthop *n, struct nctl_strbuf *out)
{
	struct nctl_json j;

	put_place(w, "nexthop", n->pos, out);
	nctl_json_init(&j, out);
	nctl_nexthop_json(&n->v, &no_names, &j);
	if (n->dev.name)
		put_dev(&n->dev, out);
	nctl_strbuf_putc(out, '\n');
}

static void put_rule(const struct nctl_want *w, const struct nctl_want_rule *r, struct nctl_strbuf *out)
{
	struct nctl_json j;

	put_place(w, r->v.family == AF_INET ? "rule4" : "rule6", r->pos, out);
	nctl_json_init(&j, out);
	nctl_rule_json(&r->v, &j);
	nctl_strbuf_puts(out, r->has_priority ? "\n" : " any-priority\n");
}

static void put_neigh(const struct nctl_want *w, const struct nctl_want_neigh *n, struct nctl_strbuf *out)
{
	struct nctl_json j;

	put_place(w, "neighbour", n->pos, out);
	nctl_json_init(&j, out);
	nctl_neigh_json(&n->v, &no_names, &j);
	nctl_strbuf_printf(out, " dev=%s\n", n->link->v.name);
}

void put_routing(const struct nctl_want *w, struct nctl_strbuf *out)
{
	for (size_t i = 0; i < w->n_netns; i++) {
		const struct nctl_want_routing *g = w->netns[i]->routing;

		if (!g || !(g->n_routes + g->n_nexthops + g->n_rules + g->n_neighs))
			continue;
		nctl_strbuf_printf(
			out, "routing of %s:\n", w->netns[i]->name ? w->netns[i]->name : "the own namespace");
		for (size_t j = 0; j < g->n_nexthops; j++)
			put_nexthop(w, &g->nexthops[j], out);
		for (size_t j = 0; j < g->n_routes; j++)
			put_route(w, &g->routes[j], out);
		for (size_t j = 0; j < g->n_rules; j++)
			put_rule(w, &g->rules[j], out);
		for (size_t j = 0; j < g->n_neighs; j++)
			put_neigh(w, &g->neighs[j], out);
	}
}
