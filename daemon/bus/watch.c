/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: What monitors are told: subscribes to the records of the set of namespaces and to the changes of each
 * mirror that some monitor is interested in, and makes JSON of them, once a change whatever the number of
 * monitors. Called from inside of the hub's dispatch: it copies, and marks work. While nobody monitors,
 * nothing is subscribed.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "bus/monitor.h"

const char *const nd_monitor_objects[ND_MONITOR_N_OBJECTS] = {
	[ND_MONITOR_NETNS] = "netns",
	[ND_MONITOR_LINK] = "link",
	[ND_MONITOR_ADDRESS] = "address",
	[ND_MONITOR_NEXTHOP] = "nexthop",
	[ND_MONITOR_RULE] = "rule",
	[ND_MONITOR_ROUTE] = "route",
};

static const char *const address_fields[NCTL_ADDR_N_FIELDS] = {
	[NCTL_ADDR_LOCAL] = "local",
	[NCTL_ADDR_PEER] = "address",
	[NCTL_ADDR_BROADCAST] = "broadcast",
	[NCTL_ADDR_FLAGS] = "flags",
	[NCTL_ADDR_SCOPE] = "scope",
	[NCTL_ADDR_PROTO] = "protocol",
	[NCTL_ADDR_METRIC] = "metric",
	[NCTL_ADDR_LIFETIMES] = "lifetimes",
	[NCTL_ADDR_LABEL] = "label",
	[NCTL_ADDR_LENGTH] = "prefixlen",
};

static const char *const route_fields[NCTL_ROUTE_N_FIELDS] = {
	[NCTL_ROUTE_PROTOCOL] = "protocol",
	[NCTL_ROUTE_SCOPE] = "scope",
	[NCTL_ROUTE_TYPE] = "type",
	[NCTL_ROUTE_PREF] = "pref",
	[NCTL_ROUTE_FLAGS] = "flags",
	[NCTL_ROUTE_STATE] = "state",
	[NCTL_ROUTE_NHID] = "nhid",
	[NCTL_ROUTE_PREFSRC] = "prefsrc",
	[NCTL_ROUTE_REALMS] = "flow",
	[NCTL_ROUTE_IIF] = "iif",
	[NCTL_ROUTE_MARK] = "mark",
	[NCTL_ROUTE_METRICS] = "metrics",
	[NCTL_ROUTE_REST] = "rest",
	[NCTL_ROUTE_HOPS] = "nexthops",
	[NCTL_ROUTE_TOS] = "tos",
	[NCTL_ROUTE_METRIC] = "metric",
};

/* A mirror that is listened to. */
struct tap {
	struct nctl_hash_node by_netns;
	struct nd_bus *bus;
	const struct nd_netns *netns;
	const struct nctl_mirror *mirror;
	struct nctl_sub sub;
};

struct nd_watch {
	struct nctl_sub netns; /* records of the set */
	struct nctl_hash taps;
};

void nd_watch_head(const struct nd_netns *n, const char *op, const char *object, struct nctl_json *json)
{
	nctl_json_obj_begin(json);
	nd_query_put_netns(n, json);
	nctl_json_kstr(json, "op", op);
	if (object)
		nctl_json_kstr(json, "object", object);
}

static enum nd_monitor_object object_of(enum nctl_object_type type)
{
	switch (type) {
	case NCTL_OBJECT_LINK:
		return ND_MONITOR_LINK;
	case NCTL_OBJECT_ADDR:
		return ND_MONITOR_ADDRESS;
	case NCTL_OBJECT_NEXTHOP:
		return ND_MONITOR_NEXTHOP;
	case NCTL_OBJECT_RULE:
		return ND_MONITOR_RULE;
	case NCTL_OBJECT_ROUTE4:
	case NCTL_OBJECT_ROUTE6:
		return ND_MONITOR_ROUTE;
	case NCTL_OBJECT_N_TYPES:
		break;
	}
	return ND_MONITOR_N_OBJECTS;
}

/* AF_UNSPEC: it has none, and passes. */
static uint8_t family_of(const struct nctl_change *c)
{
	const struct nctl_rule *r = c->new_rule ? c->new_rule : c->old_rule;
	const struct nctl_addr *a = c->new_addr ? c->new_addr : c->old_addr;

	switch (c->type) {
	case NCTL_OBJECT_ADDR:
		return a->local.family;
	case NCTL_OBJECT_RULE:
		return r->family;
	case NCTL_OBJECT_ROUTE4:
		return AF_INET;
	case NCTL_OBJECT_ROUTE6:
		return AF_INET6;
	case NCTL_OBJECT_LINK:
	case NCTL_OBJECT_NEXTHOP:
	case NCTL_OBJECT_N_TYPES:
		break;
	}
	return AF_UNSPEC;
}

static void put_names(const char *const *names, size_t n, uint64_t mask, struct nctl_json *json)
{
	for (size_t i = 0; i < n; i++)
		if (mask >> i & 1)
			nctl_json_str(json, names[i]);
}

static void put_fields(const struct nctl_field_table *t, uint64_t mask, struct nctl_json *json)
{
	for (size_t i = 0; i < t->n; i++)
		if (mask >> i & 1 && (t->v[i].json || t->v[i].key))
			nctl_json_str(json, t->v[i].json ? t->v[i].json : t->v[i].key);
}

static void put_changed(const struct nctl_change *c, struct nctl_json *json)
{
	const struct nctl_link *l = c->new_link;

	if (c->type == NCTL_OBJECT_NEXTHOP || c->type == NCTL_OBJECT_RULE)
		return;
	nctl_json_key(json, "changed");
	nctl_json_arr_begin(json);
	put_names(address_fields, NCTL_ADDR_N_FIELDS, c->addr_diff, json);
	put_names(route_fields, NCTL_ROUTE_N_FIELDS, c->route_diff, json);
	if (l) {
		put_fields(&nctl_link_fields, c->link_diff.common, json);
		if (l->kind)
			put_fields(&l->kind->data, c->link_diff.data, json);
		if (l->port_kind)
			put_fields(&l->port_kind->port, c->link_diff.port, json);
		if (c->link_diff.kind)
			nctl_json_str(json, "info_kind");
		if (c->link_diff.port_kind)
			nctl_json_str(json, "info_slave_kind");
	}
	nctl_json_arr_end(json);
}

/* In the shape of Query, where addresses stand below their link. */
static void put_address(const struct nctl_addr *a, const struct nctl_mirror *m, struct nctl_json *json)
{
	const struct nctl_mirror_link *l = nctl_mirror_link_get(m, a->ifindex);

	nctl_json_obj_begin(json);
	nctl_json_ku64(json, "ifindex", a->ifindex);
	if (l)
		nctl_json_kstr(json, "ifname", l->v.name);
	nctl_json_key(json, "addr_info");
	nctl_json_arr_begin(json);
	nctl_addr_json(a, json);
	nctl_json_arr_end(json);
	nctl_json_obj_end(json);
}

static void put_value(const struct nctl_change *c, const struct nctl_mirror *m, struct nctl_json *json)
{
	const struct nctl_names names = nctl_mirror_names(m);

	nctl_json_key(json, "value");
	switch (c->type) {
	case NCTL_OBJECT_LINK:
		nctl_link_json(c->new_link ? c->new_link : c->old_link, &names, json);
		break;
	case NCTL_OBJECT_ADDR:
		put_address(c->new_addr ? c->new_addr : c->old_addr, m, json);
		break;
	case NCTL_OBJECT_NEXTHOP:
		nctl_nexthop_json(c->new_nexthop ? c->new_nexthop : c->old_nexthop, &names, json);
		break;
	case NCTL_OBJECT_RULE:
		nctl_rule_json(c->new_rule ? c->new_rule : c->old_rule, json);
		break;
	case NCTL_OBJECT_ROUTE4:
	case NCTL_OBJECT_ROUTE6:
		nctl_route_json(c->new_route ? c->new_route : c->old_route, &names, json);
		break;
	case NCTL_OBJECT_N_TYPES:
		nctl_json_null(json);
		break;
	}
}

static void put_change(const struct tap *t, const struct nctl_change *c, struct nctl_strbuf *out)
{
	static const char *const ops[] = {
		[NCTL_ADDED] = "added", [NCTL_CHANGED] = "changed", [NCTL_REMOVED] = "removed"};
	struct nctl_json json;

	nctl_json_init(&json, out);
	nd_watch_head(t->netns, ops[c->op], nd_monitor_objects[object_of(c->type)], &json);
	put_value(c, t->mirror, &json);
	if (c->op == NCTL_CHANGED)
		put_changed(c, &json);
	nctl_json_obj_end(&json);
}

static bool is_in(const struct nd_monitor *m, const struct nd_netns *n)
{
	return m->space == ND_SCOPE_ALL || m->only == n;
}

static void on_change(void *userdata, const void *arg)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf body = NCTL_STRBUF_INIT;
	const struct tap *t = userdata;
	const struct nctl_change *c = arg;
	unsigned object = 1U << object_of(c->type);
	uint8_t family = family_of(c);
	struct nctl_list *pos;

	nctl_list_for_each(pos, &t->bus->monitors) {
		struct nd_monitor *m = nctl_list_entry(pos, struct nd_monitor, all);

		if (!(m->objects & object) || !is_in(m, t->netns) ||
			(m->family && family && m->family != family))
			continue;
		/* One that is behind takes nothing but the number. */
		if (!body.s && !m->lost)
			put_change(t, c, &body);
		nd_monitor_put(m, body.err ? NULL : body.s, body.len);
	}
}

static struct tap *find(const struct nd_watch *w, const struct nd_netns *n)
{
	uint64_t hash = nctl_hash_u64((uintptr_t)n);
	struct nctl_hash_node *pos;

	nctl_hash_for_each_equal(pos, &w->taps, hash) {
		struct tap *t = nctl_container_of(pos, struct tap, by_netns);

		if (t->netns == n)
			return t;
	}
	return NULL;
}

static void tap_free(struct nd_watch *w, struct tap *t)
{
	nctl_sub_remove(&t->sub);
	nctl_hash_remove(&w->taps, &t->by_netns);
	free(t);
}

static int tap_new(struct nd_bus *b, const struct nd_netns *n)
{
	struct nctl_session *s = nd_netns_session(n);
	struct tap *t;

	if (!s || find(b->watch, n))
		return 0;
	t = calloc(1, sizeof(*t));
	if (!t || nctl_hash_insert(&b->watch->taps, &t->by_netns, nctl_hash_u64((uintptr_t)n)) < 0) {
		free(t);
		return -ENOMEM;
	}
	t->bus = b;
	t->netns = n;
	t->mirror = nctl_session_mirror(s);
	nctl_subs_add(nctl_mirror_subs(nctl_session_mirror(s)), &t->sub, on_change, t);
	return 0;
}

static bool has_name(const struct nd_netns *n, const char *name)
{
	const char *other;

	for (size_t i = 0; (other = nd_netns_name_at(n, i)); i++)
		if (strcmp(name, other) == 0)
			return true;
	return false;
}

/* A namespace by the name that m waits for is its one. */
static void meet(struct nd_bus *b, const struct nd_netns *n)
{
	struct nctl_list *pos;
	bool wanted = false;

	nctl_list_for_each(pos, &b->monitors) {
		struct nd_monitor *m = nctl_list_entry(pos, struct nd_monitor, all);

		if (m->space == ND_SCOPE_ONE && !m->only && has_name(n, m->name))
			m->only = n;
		wanted |= is_in(m, n);
	}
	/* Whoever wants it misses something from here on. */
	if (!wanted || tap_new(b, n) == 0)
		return;
	nctl_list_for_each(pos, &b->monitors) {
		struct nd_monitor *m = nctl_list_entry(pos, struct nd_monitor, all);

		if (is_in(m, n))
			nd_monitor_put(m, NULL, 0);
	}
}

static void put_record(const struct nd_netns_record *r, struct nctl_strbuf *out)
{
	struct nctl_json json;

	nctl_json_init(&json, out);
	switch (r->type) {
	case ND_NETNS_BORN:
		nd_watch_head(r->netns, "added", "netns", &json);
		break;
	case ND_NETNS_GONE:
		nd_watch_head(r->netns, "removed", "netns", &json);
		break;
	case ND_NETNS_LOST:
		nd_watch_head(r->netns, "lost", NULL, &json);
		break;
	case ND_NETNS_SYNCED:
		nd_watch_head(r->netns, r->after_loss ? "resynced" : "synced", NULL, &json);
		break;
	}
	if (r->type == ND_NETNS_BORN || r->type == ND_NETNS_GONE) {
		nctl_json_key(&json, "value");
		nd_netns_json(r->netns, &json);
	} else {
		nctl_json_ku64(&json, "epoch", r->epoch);
		nctl_json_ku64(&json, "losses", r->losses);
	}
	nctl_json_obj_end(&json);
}

static void on_record(void *userdata, const void *arg)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf body = NCTL_STRBUF_INIT;
	const struct nd_netns_record *r = arg;
	struct nd_bus *b = userdata;
	struct nctl_list *pos;
	struct tap *t;

	if (r->type == ND_NETNS_BORN)
		meet(b, r->netns);
	put_record(r, &body);
	nctl_list_for_each(pos, &b->monitors) {
		struct nd_monitor *m = nctl_list_entry(pos, struct nd_monitor, all);

		if (!is_in(m, r->netns))
			continue;
		/* How trustworthy the others are is told to all. */
		if (m->objects & 1U << ND_MONITOR_NETNS || r->type == ND_NETNS_LOST ||
			r->type == ND_NETNS_SYNCED)
			nd_monitor_put(m, body.err ? NULL : body.s, body.len);
		if (r->type == ND_NETNS_GONE && m->only == r->netns)
			m->only = NULL;
	}
	t = r->type == ND_NETNS_GONE ? find(b->watch, r->netns) : NULL;
	if (t)
		tap_free(b->watch, t);
}

int nd_watch_begin(struct nd_bus *b, const struct nd_monitor *m)
{
	struct nd_netns_set *set = nd_reconcile_netns(b->reconcile);
	int r = 0;

	if (!b->watch) {
		b->watch = calloc(1, sizeof(*b->watch));
		if (!b->watch)
			return -ENOMEM;
		nctl_hash_init(&b->watch->taps);
		nctl_subs_add(nd_netns_subs(set), &b->watch->netns, on_record, b);
	}
	if (m->space != ND_SCOPE_ALL)
		return m->only ? tap_new(b, m->only) : 0;
	for (const struct nd_netns *n = nd_netns_from(set, 0); n && r == 0; n = nd_netns_next(n))
		r = tap_new(b, n);
	return r;
}

void nd_watch_end(struct nd_bus *b)
{
	struct nctl_hash_node *node;
	struct nctl_hash_iter it;

	if (!b->watch)
		return;
	nctl_sub_remove(&b->watch->netns);
	nctl_hash_iter_init(&it, &b->watch->taps);
	while ((node = nctl_hash_iter_next(&it)))
		tap_free(b->watch, nctl_container_of(node, struct tap, by_netns));
	nctl_hash_fini(&b->watch->taps);
	free(b->watch);
	b->watch = NULL;
}
