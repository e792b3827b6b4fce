/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: What of routes, next-hop objects and rules must not be twice or does not go together, over all
 * devices: one route of a family, table, network and metric; numbers of next hops; gateways that no address
 * of their device reaches. What is said twice word for word is dropped without a word, as by netplan.
 */
#include <linux/rtnetlink.h>
#include <string.h>

#include "base/cleanup.h"
#include "config/refs.h"
#include "config/routing.h"

struct seen {
	struct nctl_hash_node node;
	const void *entry;
};

static bool add_seen(struct nd_parse *p, struct nctl_hash *h, const void *entry, uint64_t hash)
{
	struct seen *s = nd_alloc(p, sizeof(*s));

	if (!s)
		return false;
	s->entry = entry;
	return !nd_failed(p, nctl_hash_insert(h, &s->node, hash));
}

static uint64_t route_hash(const struct nd_route *r)
{
	return nctl_hash_u64(nctl_prefix_hash(&r->w.v.dst) ^ ((uint64_t)r->w.v.table << 32 | r->w.v.metric)) ^
	       nctl_hash_u64(r->netns->number);
}

static bool is_same_key(const struct nd_route *a, const struct nd_route *b)
{
	return a->netns == b->netns && a->w.v.table == b->w.v.table && a->w.v.metric == b->w.v.metric &&
	       nctl_prefix_equal(&a->w.v.dst, &b->w.v.dst);
}

static bool is_same_name(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool is_same_route(const struct nd_route *a, const struct nd_route *b)
{
	if (nctl_route_diff(&a->w.v, &b->w.v))
		return false;
	for (uint32_t i = 0; i < a->w.v.n_hops; i++)
		if (!is_same_name(a->w.devs[i].name, b->w.devs[i].name))
			return false;
	return true;
}

static void report_twice(struct nd_parse *p, const struct nd_route *r, const struct nd_route *other)
{
	const struct nctl_route *v = &r->w.v;

	nd_error(p, r->w.pos,
		nd_text(p,
			"the other one is at %s; give one of them another metric or table, or join them by "
			"nexthops: [{via: ...}, ...]",
			nd_place(p, other->w.pos)),
		v->dst.len ? "there are two different %s routes to %s in table %u with metric %u"
			   : "there are two different %s default routes (%s) in table %u with metric %u",
		nd_family_name(v->dst.family), r->w.label, v->table, v->metric);
}

/* True: it is one more, and its way through the list goes on behind it. */
static bool keep_route(struct nd_parse *p, struct nctl_hash *seen, const struct nd_route *r)
{
	struct nctl_hash_node *pos;
	uint64_t hash = route_hash(r);

	nctl_hash_for_each_equal(pos, seen, hash) {
		const struct nd_route *other = nctl_container_of(pos, struct seen, node)->entry;

		if (!is_same_key(r, other))
			continue;
		if (is_same_route(r, other))
			return false;
		report_twice(p, r, other);
		return true;
	}
	add_seen(p, seen, r, hash);
	return true;
}

static void check_routes(struct nd_parse *p)
{
	struct nd_route **at = &p->routing.routes;
	struct nctl_hash seen;

	nctl_hash_init(&seen);
	while (*at && p->err == 0) {
		if (keep_route(p, &seen, *at))
			at = &(*at)->next;
		else
			*at = (*at)->next;
	}
	p->routing.routes_tail = at;
	nctl_hash_fini(&seen);
}

/* Is the gateway in a network of this device, as far as the configuration says? True if it says nothing. */
static bool is_reached(const struct nctl_want_link *l, const struct nctl_prefix *via)
{
	bool any = false;

	for (size_t i = 0; i < l->n_addrs; i++) {
		const struct nctl_addr *a = &l->addrs[i].v;

		if (a->local.family != via->family)
			continue;
		any = true;
		if (nctl_prefix_contains(a->peer.family ? &a->peer : &a->local, via))
			return true;
	}
	return !any;
}

/* A route of the device without a gateway may lead to it as well. */
static bool has_device_route(
	const struct nd_parse *p, const struct nctl_want_link *l, const struct nctl_prefix *via)
{
	for (const struct nd_route *r = p->routing.routes; r; r = r->next)
		if (r->w.link == l && r->w.v.n_hops && !r->w.v.hops[0].via.family &&
			nctl_prefix_contains(&r->w.v.dst, via))
			return true;
	return false;
}

static void check_gateways(struct nd_parse *p, const struct nd_route *r)
{
	static const char format[] = "no address of \"%s\" is in a network with the gateway %s";
	char buf[NCTL_ADDR_STR];

	if (nd_was_reported(p, r->via_pos, format))
		return; /* of a range, once */

	for (uint32_t i = 0; i < r->w.v.n_hops; i++) {
		const struct nctl_hop *h = &r->w.v.hops[i];
		const struct nctl_want_link *l = r->w.devs[i].link;

		if (!l || !h->via.family || (h->flags & RTNH_F_ONLINK) ||
			nctl_prefix_is_link_local(&h->via) || is_reached(l, &h->via) ||
			has_device_route(p, l, &h->via))
			continue;
		nd_warning(p, r->via_pos,
			"add an address of its network, or \"on-link: true\"; until it can be reached, the "
		        "route waits",
			format, l->v.name, nctl_addr_format(&h->via, buf));
		return;
	}
}

static uint64_t id_hash(const struct nctl_want_netns *netns, nctl_nhid id)
{
	return nctl_hash_u64((uint64_t)netns->number << 32 | id);
}

static const struct nd_nexthop *find_nexthop(
	const struct nctl_hash *h, const struct nctl_want_netns *netns, nctl_nhid id)
{
	struct nctl_hash_node *pos;

	nctl_hash_for_each_equal(pos, h, id_hash(netns, id)) {
		const struct nd_nexthop *n = nctl_container_of(pos, struct seen, node)->entry;

		if (n->netns == netns && n->w.v.id == id)
			return n;
	}
	return NULL;
}

static void missing_nexthop(
	struct nd_parse *p, const struct nctl_want_netns *netns, nctl_nhid id, struct nctl_pos pos)
{
	nd_error(p, pos, nd_text(p, "define it: \"nexthops: {%u: {via: ADDRESS, device: NAME}}\"", id),
		"there is no next hop %u%s", id, nd_in_netns(p, netns));
}

static void check_members(struct nd_parse *p, const struct nctl_hash *ids, const struct nd_nexthop *n)
{
	for (uint32_t i = 0; i < n->w.v.n_members; i++) {
		const struct nd_nexthop *m = find_nexthop(ids, n->netns, n->w.v.members[i].id);

		if (!m)
			missing_nexthop(p, n->netns, n->w.v.members[i].id, n->member_pos[i]);
		else if (m->w.v.group)
			nd_error(p, n->member_pos[i], "name its members instead",
				"the next hop %u is a group itself", m->w.v.id);
		else if (m->w.v.fdb != n->w.v.fdb)
			nd_error(p, n->member_pos[i], "all or none of a group are for forwarding entries",
				"the next hop %u and its group %u differ in fdb", m->w.v.id, n->w.v.id);
		for (uint32_t j = 0; j < i; j++)
			if (n->w.v.members[j].id == n->w.v.members[i].id)
				nd_error(p, n->member_pos[i], "give it more weight instead",
					"the next hop %u is in this group twice", n->w.v.members[i].id);
	}
}

static void check_nexthop_of(struct nd_parse *p, const struct nctl_hash *ids, const struct nd_route *r)
{
	const struct nd_nexthop *n;

	if (!r->w.v.nhid)
		return;
	n = find_nexthop(ids, r->netns, r->w.v.nhid);
	if (!n)
		missing_nexthop(p, r->netns, r->w.v.nhid, r->nexthop_pos);
	else if (n->w.v.fdb)
		nd_error(p, r->nexthop_pos, "it is for forwarding entries of a VXLAN",
			"the next hop %u is not for routes", n->w.v.id);
}

static void check_nexthops(struct nd_parse *p)
{
	struct nctl_hash ids;

	nctl_hash_init(&ids);
	for (const struct nd_nexthop *n = p->routing.nexthops; n && p->err == 0; n = n->next) {
		const struct nd_nexthop *other = find_nexthop(&ids, n->netns, n->w.v.id);

		if (other)
			nd_error(p, n->w.pos, nd_text(p, "the other one is at %s", nd_place(p, other->w.pos)),
				"the next hop %u is defined twice", n->w.v.id);
		else
			add_seen(p, &ids, n, id_hash(n->netns, n->w.v.id));
	}
	for (const struct nd_nexthop *n = p->routing.nexthops; n && p->err == 0; n = n->next)
		check_members(p, &ids, n);
	for (const struct nd_route *r = p->routing.routes; r && p->err == 0; r = r->next)
		check_nexthop_of(p, &ids, r);
	nctl_hash_fini(&ids);
}

static uint64_t rule_hash(const struct nd_rule *r)
{
	uint64_t h = nctl_hash_u64((uint64_t)r->w.v.priority << 32 | r->w.v.table);

	h ^= nctl_hash_u64((uint64_t)r->netns->number << 32 | r->w.v.mark);
	return h ^ nctl_prefix_hash(&r->w.v.src) ^ nctl_hash_u64(nctl_prefix_hash(&r->w.v.dst));
}

static bool has_rule(const struct nctl_hash *seen, const struct nd_rule *r)
{
	struct nctl_hash_node *pos;

	nctl_hash_for_each_equal(pos, seen, rule_hash(r)) {
		const struct nd_rule *other = nctl_container_of(pos, struct seen, node)->entry;

		if (other->netns == r->netns && other->w.has_priority == r->w.has_priority &&
			nctl_rule_equal(&other->w.v, &r->w.v, true))
			return true;
	}
	return false;
}

static void check_rules(struct nd_parse *p)
{
	struct nd_rule **at = &p->routing.rules;
	struct nctl_hash seen;

	nctl_hash_init(&seen);
	while (*at && p->err == 0) {
		if (has_rule(&seen, *at)) {
			*at = (*at)->next;
		} else {
			add_seen(p, &seen, *at, rule_hash(*at));
			at = &(*at)->next;
		}
	}
	p->routing.rules_tail = at;
	nctl_hash_fini(&seen);
}

void nd_routes_check(struct nd_parse *p)
{
	check_routes(p);
	check_nexthops(p);
	check_rules(p);
	for (const struct nd_route *r = p->routing.routes; r && p->err == 0; r = r->next)
		check_gateways(p, r);
}
