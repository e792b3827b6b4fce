/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: When all devices are known, what was said of routing by name becomes pointers, routes and rules of a
 * VRF get its table, and all of it moves into the want, by namespace.
 */
#include <linux/fib_rules.h>
#include <stdlib.h>
#include <string.h>

#include "config/refs.h"
#include "config/routing.h"
#include "obj/kind.h"

void nd_routing_init(struct nd_parse *p)
{
	p->routing.routes_tail = &p->routing.routes;
	p->routing.nexthops_tail = &p->routing.nexthops;
	p->routing.rules_tail = &p->routing.rules;
	p->routing.neighs_tail = &p->routing.neighs;
}

static bool is_vrf(const struct nctl_want_link *l)
{
	return l && (l->v.kind->traits & NCTL_KIND_VRF);
}

nctl_table nd_routing_table(const struct nctl_want_link *l)
{
	const struct nctl_want_link *vrf = is_vrf(l)                     ? l
	                                   : l && is_vrf(l->master.link) ? l->master.link
	                                                                 : NULL;
	int i = vrf ? nctl_fields_find(&vrf->v.kind->data, "table") : -1;

	return i >= 0 ? (nctl_table)nctl_field_get(&vrf->v.kind->data.v[i], vrf->v.data) : 0;
}

static void resolve_ref(struct nd_parse *p, const struct nctl_want_netns *netns, struct nctl_want_ref *ref)
{
	const struct nd_name *n = ref->name ? nd_name_look_up(p, netns, ref->name, ref->pos, NULL) : NULL;

	ref->link = n ? n->link : NULL;
}

/* What stands at a VRF is in its table; at its ports, if nothing else is said. local: the kernel's own kinds.
 */
static void resolve_table(struct nd_parse *p, const struct nctl_want_link *l, bool has_table,
	struct nctl_pos pos, nctl_table *table)
{
	nctl_table vrf = nd_routing_table(l);

	if (!vrf)
		return;
	if (!has_table)
		*table = vrf;
	else if (is_vrf(l) && *table != vrf)
		nd_error(p, pos, nd_text(p, "remove it, or move this to another device"),
			"the table of \"%s\" is %u, not %u", l->v.name, vrf, *table);
}

static void resolve_route(struct nd_parse *p, struct nd_route *r)
{
	struct nctl_want_link *own = (struct nctl_want_link *)(uintptr_t)r->w.link;

	for (uint32_t i = 0; i < r->w.v.n_hops; i++) {
		if (r->w.devs[i].name == own->v.name)
			r->w.devs[i].link = own;
		else
			resolve_ref(p, r->netns, &r->w.devs[i]);
	}
	resolve_table(p, r->w.link, r->has_table, r->table_pos, &r->w.v.table);
}

static void resolve_rule(struct nd_parse *p, struct nd_rule *r)
{
	if (r->link && r->w.v.action == FR_ACT_TO_TBL && !r->w.v.l3mdev)
		resolve_table(p, r->link, r->has_table, r->table_pos, &r->w.v.table);
}

/* Counts what there is of each namespace, and makes room. False: no memory. */
static bool make_room(struct nd_parse *p)
{
	struct nctl_want_routing *w;
	struct nd_nexthop *n;
	struct nd_route *r;
	struct nd_rule *u;

	for (size_t i = 0; i < p->n_netns; i++) {
		p->netns[i]->routing = nd_want_alloc(p, sizeof(*w));
		if (!p->netns[i]->routing)
			return false;
	}
	for (r = p->routing.routes; r; r = r->next)
		r->netns->routing->n_routes++;
	for (n = p->routing.nexthops; n; n = n->next)
		n->netns->routing->n_nexthops++;
	for (u = p->routing.rules; u; u = u->next)
		u->netns->routing->n_rules++;
	for (const struct nd_neigh *e = p->routing.neighs; e; e = e->next)
		e->netns->routing->n_neighs++;
	for (size_t i = 0; i < p->n_netns; i++) {
		w = p->netns[i]->routing;
		w->routes = nd_want_alloc(p, w->n_routes * sizeof(*w->routes));
		w->nexthops = nd_want_alloc(p, w->n_nexthops * sizeof(*w->nexthops));
		w->rules = nd_want_alloc(p, w->n_rules * sizeof(*w->rules));
		w->neighs = nd_want_alloc(p, w->n_neighs * sizeof(*w->neighs));
		w->n_routes = w->n_nexthops = w->n_rules = w->n_neighs = 0;
	}
	return p->err == 0;
}

static int cmp_nexthop(const void *x, const void *y)
{
	const struct nctl_want_nexthop *a = x, *b = y;

	return (a->v.id > b->v.id) - (a->v.id < b->v.id);
}

static void put(struct nd_parse *p)
{
	struct nctl_want_routing *w;

	for (struct nd_route *r = p->routing.routes; r; r = r->next) {
		w = r->netns->routing;
		w->routes[w->n_routes++] = r->w;
	}
	for (struct nd_nexthop *n = p->routing.nexthops; n; n = n->next) {
		w = n->netns->routing;
		w->nexthops[w->n_nexthops++] = n->w;
	}
	for (struct nd_rule *u = p->routing.rules; u; u = u->next) {
		w = u->netns->routing;
		w->rules[w->n_rules++] = u->w;
	}
	for (size_t i = 0; i < p->n_netns; i++) {
		w = p->netns[i]->routing;
		if (w->n_nexthops)
			qsort(w->nexthops, w->n_nexthops, sizeof(*w->nexthops), cmp_nexthop);
	}
	for (struct nd_neigh *e = p->routing.neighs; e; e = e->next) {
		w = e->netns->routing;
		w->neighs[w->n_neighs++] = e->w;
	}
}

void nd_routing_resolve(struct nd_parse *p)
{
	const struct nd_routing *g = &p->routing;

	if (!g->routes && !g->nexthops && !g->rules && !g->neighs)
		return;
	for (struct nd_route *r = g->routes; r; r = r->next)
		resolve_route(p, r);
	for (struct nd_nexthop *n = g->nexthops; n; n = n->next)
		resolve_ref(p, n->netns, &n->w.dev);
	for (struct nd_rule *u = g->rules; u; u = u->next)
		resolve_rule(p, u);
	nd_routes_check(p);
	nd_neighs_check(p);
	if (p->err == 0 && !p->diag->n_errors && make_room(p))
		put(p);
}
