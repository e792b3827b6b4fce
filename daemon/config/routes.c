/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The list of routes of a device, and netplan's old gateway4 and gateway6. One route becomes what the
 * kernel would show of it; the links of its hops, and its table if that is a VRF's, follow in routing.c.
 */
#include <linux/rtnetlink.h>
#include <string.h>

#include "base/cleanup.h"
#include "config/routing.h"

/* A route while it is read. */
struct reading {
	struct nd_dev *d;
	const struct nd_node *node, *hops;
	struct nctl_route_form form;
	uint64_t given;
	struct nd_route *r;
};

static bool has(const struct reading *x, enum nctl_route_key key)
{
	return x->given >> key & 1;
}

static struct nctl_pos at(const struct reading *x, enum nctl_route_key key)
{
	return nd_form_pos(x->d, x->node, nctl_route_keys.v[key].key);
}

/* It drops or refuses: there is no way to go. */
static bool is_reject(uint8_t type)
{
	return type == RTN_BLACKHOLE || type == RTN_UNREACHABLE || type == RTN_PROHIBIT || type == RTN_THROW;
}

static bool is_here(uint8_t type)
{
	return type == RTN_LOCAL || type == RTN_BROADCAST || type == RTN_ANYCAST;
}

/* "default" has the family of what else is said. */
static uint8_t family_by_gateways(struct reading *x)
{
	const struct nd_node *c, *via;
	struct nctl_prefix p;
	const char *text;

	if (has(x, NCTL_ROUTE_KEY_VIA))
		return x->form.via.family;
	if (has(x, NCTL_ROUTE_KEY_FROM))
		return x->form.from.family;
	for (c = x->hops && x->hops->type == ND_NODE_SEQUENCE ? x->hops->first : NULL; c; c = c->next) {
		via = c->type == ND_NODE_MAPPING ? nd_node_get(&x->d->p->tree, c, "via") : NULL;
		text = via ? nd_dev_text(x->d, via) : NULL;
		if (text && nctl_addr_parse(text, &p) == 0)
			return p.family;
	}
	return AF_UNSPEC;
}

static bool read_to(struct reading *x)
{
	struct nctl_prefix *dst = &x->r->w.v.dst;

	if (strcmp(x->form.to, "default"))
		return nd_form_prefix(x->d, x->node, "to", x->form.to, dst);
	*dst = (struct nctl_prefix){.family = family_by_gateways(x)};
	if (dst->family)
		return true;
	nd_error(x->d->p, at(x, NCTL_ROUTE_KEY_TO), "write 0.0.0.0/0 or ::/0",
		"nothing here tells whether this default is of IPv4 or IPv6");
	return false;
}

/* An IPv4 route may have an IPv6 gateway (RTA_VIA), not the other way round. */
static bool check_via(struct reading *x, const struct nctl_prefix *via, struct nctl_pos pos)
{
	uint8_t family = x->r->w.v.dst.family;
	char buf[NCTL_ADDR_STR];

	if (family == AF_INET6 && via->family == AF_INET)
		nd_error(x->d->p, pos, "an IPv6 route needs an IPv6 gateway",
			"the gateway %s is of IPv4, and the route of IPv6", nctl_addr_format(via, buf));
	else if (nctl_prefix_is_unspecified(via) || nctl_prefix_is_multicast(via))
		nd_error(x->d->p, pos, "write the address of the router", "%s cannot be a gateway",
			nctl_addr_format(via, buf));
	else
		return true;
	return false;
}

static bool check_families(struct reading *x)
{
	char buf[NCTL_ADDR_STR];

	if (has(x, NCTL_ROUTE_KEY_VIA) && !check_via(x, &x->form.via, at(x, NCTL_ROUTE_KEY_VIA)))
		return false;
	if (!has(x, NCTL_ROUTE_KEY_FROM) || x->form.from.family == x->r->w.v.dst.family)
		return true;
	nd_error(x->d->p, at(x, NCTL_ROUTE_KEY_FROM), "both must be of one family",
		"the source address %s is of %s, and the route of %s", nctl_addr_format(&x->form.from, buf),
		nd_family_name(x->form.from.family), nd_family_name(x->r->w.v.dst.family));
	return false;
}

/* What says where packets leave: at most one of these. */
static bool check_ways(struct reading *x)
{
	const char *first = NULL, *second = NULL;
	const struct {
		const char *key;
		bool given;
	} ways[] = {{"via", has(x, NCTL_ROUTE_KEY_VIA)}, {"nexthops", x->hops},
		{"nexthop", has(x, NCTL_ROUTE_KEY_NEXTHOP)}};

	for (size_t i = 0; i < NCTL_ARRAY_SIZE(ways); i++) {
		if (!ways[i].given)
			continue;
		second = first ? ways[i].key : NULL;
		first = first ? first : ways[i].key;
		if (second)
			break;
	}
	if (second)
		nd_error(x->d->p, nd_form_pos(x->d, x->node, second), "remove one of them",
			"%s and %s exclude each other", first, second);
	else if (first && is_reject(x->form.type))
		nd_error(x->d->p, nd_form_pos(x->d, x->node, first),
			nd_text(x->d->p, "remove %s, or the type", first),
			"packets of a route of this type go nowhere");
	else
		return true;
	return false;
}

static bool check_type(struct reading *x)
{
	if (x->form.type == NCTL_ROUTE_TYPE_NAT)
		nd_error(x->d->p, at(x, NCTL_ROUTE_KEY_TYPE), "translate addresses by nftables",
			"Linux has no routes of type nat since 2.6.9");
	else if (x->form.type == NCTL_ROUTE_TYPE_XRESOLVE)
		nd_error(x->d->p, at(x, NCTL_ROUTE_KEY_TYPE), "remove it",
			"Linux never had routes of type xresolve");
	else
		return check_ways(x);
	return false;
}

static uint8_t scope_of(const struct reading *x)
{
	const struct nctl_route *v = &x->r->w.v;

	if (v->dst.family == AF_INET6)
		return RT_SCOPE_UNIVERSE; /* the kernel shows no other */
	if (has(x, NCTL_ROUTE_KEY_SCOPE))
		return x->form.scope;
	if (v->type == RTN_LOCAL)
		return RT_SCOPE_HOST;
	if (v->type == RTN_BROADCAST || v->type == RTN_MULTICAST || v->type == RTN_ANYCAST)
		return RT_SCOPE_LINK;
	if (v->type == RTN_UNICAST && !has(x, NCTL_ROUTE_KEY_VIA) && !x->hops &&
		!has(x, NCTL_ROUTE_KEY_NEXTHOP))
		return RT_SCOPE_LINK;
	return RT_SCOPE_UNIVERSE;
}

/* Of a VRF's own routes with a gateway, the kernel finds the port by it. */
static bool is_found_by_gateway(const struct nctl_want_link *l, const struct nctl_prefix *via)
{
	return via->family != AF_UNSPEC && (l->v.kind->traits & NCTL_KIND_VRF);
}

static void place_hop(struct reading *x, uint32_t i, const struct nctl_hop_form *form, struct nctl_pos pos)
{
	struct nctl_hop *hop = &((struct nctl_hop *)(uintptr_t)x->r->w.v.hops)[i];
	struct nctl_want_ref *dev = &x->r->w.devs[i];

	hop->via = form->via;
	hop->weight = (uint16_t)form->weight;
	hop->flags = form->on_link ? RTNH_F_ONLINK : 0;
	dev->pos = pos;
	if (form->device[0])
		dev->name = nd_want_strdup(x->d->p, form->device);
	else if (!is_found_by_gateway(x->d->link, &form->via))
		dev->name = x->d->link->v.name;
}

static bool make_hops(struct reading *x, uint32_t n)
{
	struct nctl_route *v = &x->r->w.v;

	v->hops = nd_want_alloc(x->d->p, n * sizeof(*v->hops));
	x->r->w.devs = nd_want_alloc(x->d->p, n * sizeof(*x->r->w.devs));
	v->n_hops = n;
	v->multipath = n > 1;
	return v->hops && x->r->w.devs;
}

static bool read_hop(struct reading *x, const struct nd_node *node, uint32_t i)
{
	struct nctl_hop_form form = {.weight = 1};
	uint64_t given;

	if (!nd_form_read(x->d, node, &nctl_hop_keys, &form, NULL, NULL, &given))
		return false;
	if (form.via.family && !check_via(x, &form.via, nd_form_pos(x->d, node, "via")))
		return false;
	if (!form.via.family && !form.device[0]) {
		nd_error(x->d->p, node->pos, "give it a via, or a device", "this hop leads nowhere");
		return false;
	}
	if (x->r->w.v.n_hops == 1)
		form.weight = 1; /* of one alone, it says nothing */
	x->r->onlink |= form.on_link;
	place_hop(x, i, &form, node->pos);
	return true;
}

static bool read_hops(struct reading *x)
{
	const struct nd_node *c;
	uint32_t n = 0, i = 0;
	bool fine = true;

	if (!nd_expect(x->d->p, x->hops, ND_NODE_SEQUENCE))
		return false;
	for (c = x->hops->first; c; c = c->next)
		n++;
	if (!n) {
		nd_error(x->d->p, x->hops->pos, "write [{via: ADDRESS}, ...]", "there are no next hops here");
		return false;
	}
	if (!make_hops(x, n))
		return false;
	for (c = x->hops->first; c; c = c->next)
		fine = read_hop(x, c, i++) && fine;
	return fine;
}

static bool read_way(struct reading *x)
{
	struct nctl_hop_form form = {.via = x->form.via, .weight = 1, .on_link = x->form.on_link};
	struct nctl_route *v = &x->r->w.v;

	x->r->via_pos = at(x, NCTL_ROUTE_KEY_VIA);
	x->r->nexthop_pos = at(x, NCTL_ROUTE_KEY_NEXTHOP);
	x->r->onlink = x->form.on_link;
	v->nhid = x->form.nexthop;
	if (x->hops)
		return read_hops(x);
	if (v->nhid || is_reject(v->type))
		return true;
	if (!make_hops(x, 1))
		return false;
	place_hop(x, 0, &form, x->node->pos);
	return true;
}

static void fill(struct reading *x)
{
	struct nctl_route *v = &x->r->w.v;

	v->type = x->form.type;
	v->scope = scope_of(x);
	v->metric = x->form.metric;
	if (v->dst.family == AF_INET6) {
		v->metric = v->metric ? v->metric : 1024; /* IP6_RT_PRIO_USER of net/ip6_route.h */
		v->has_pref = true;
	}
	v->prefsrc = x->form.from;
	v->metrics = nd_route_metrics(x->d->p, &x->form);
	v->table = x->form.table;
	x->r->has_table = has(x, NCTL_ROUTE_KEY_TABLE);
	x->r->table_pos = at(x, NCTL_ROUTE_KEY_TABLE);
	if (!x->r->has_table)
		v->table = is_here(v->type) ? RT_TABLE_LOCAL : RT_TABLE_MAIN;
}

static void add(struct nd_dev *d, struct nd_route *r)
{
	char buf[NCTL_PREFIX_STR];

	nctl_prefix_format(&r->w.v.dst, buf);
	r->w.label = r->w.v.dst.len ? nd_want_strdup(d->p, buf) : "default";
	r->w.link = d->link;
	r->netns = d->p->netns[d->link->netns->number];
	*d->p->routing.routes_tail = r;
	d->p->routing.routes_tail = &r->next;
}

static void read_route(struct nd_dev *d, const struct nd_node *node)
{
	struct reading x = {
		.d = d, .node = node, .form = {.type = RTN_UNICAST}, .r = nd_alloc(d->p, sizeof(*x.r))};

	if (!x.r || !nd_form_read(d, node, &nctl_route_keys, &x.form, "nexthops", &x.hops, &x.given))
		return;
	x.r->w.pos = node->pos;
	if (!read_to(&x) || !check_families(&x) || !check_type(&x))
		return;
	fill(&x);
	if (read_way(&x) && d->p->err == 0)
		add(d, x.r);
}

void nd_step_routes(struct nd_dev *d, const struct nd_step *s)
{
	const struct nd_node *c;

	if (!nd_expect(d->p, s->node, ND_NODE_SEQUENCE))
		return;
	for (c = s->node->first; c && d->p->err == 0; c = c->next)
		read_route(d, c);
}

/* netplan's older word for a default route. */
void nd_step_gateway(struct nd_dev *d, const struct nd_step *s)
{
	uint8_t family = strcmp(s->node->key, "gateway4") ? AF_INET6 : AF_INET;
	struct reading x = {
		.d = d, .node = s->node, .form = {.type = RTN_UNICAST}, .r = nd_alloc(d->p, sizeof(*x.r))};
	const char *text = nd_dev_text(d, s->node);

	if (!text || !x.r)
		return;
	nd_warning(d->p, s->node->key_pos, nd_text(d->p, "write \"routes: [{to: default, via: %s}]\"", text),
		"%s is an old word of netplan", s->node->key);
	if (nctl_addr_parse(text, &x.form.via) < 0 || x.form.via.family != family) {
		nd_error(d->p, s->node->pos,
			nd_text(d->p, "write the %s address of the router", nd_family_name(family)),
			"\"%s\" is no %s address", text, nd_family_name(family));
		return;
	}
	x.given = UINT64_C(1) << NCTL_ROUTE_KEY_VIA;
	x.r->w.v.dst.family = family;
	x.r->w.pos = s->node->pos;
	fill(&x);
	if (check_via(&x, &x.form.via, s->node->pos) && read_way(&x) && d->p->err == 0) {
		x.r->via_pos = s->node->pos;
		add(d, x.r);
	}
}
