/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Next-hop objects of network or a namespace: a mapping from their numbers, or ranges of them, to what
 * they are: a gateway, a device, a black hole, or a group of others.
 */
#include <inttypes.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "config/routing.h"

/* One object while it is read. */
struct reading {
	struct nd_dev d;
	const struct nd_node *node, *group;
	struct nctl_nexthop_form form;
	uint64_t given;
	struct nd_nexthop *n;
};

/* net/ipv4/nexthop.c: nh_create_ipv4's RES_GROUP defaults, in USER_HZ ticks. */
enum { IDLE_TIMER = 120 * 100 };

static bool has(const struct reading *x, enum nctl_nexthop_key key)
{
	return x->given >> key & 1;
}

static bool refuse(struct reading *x, enum nctl_nexthop_key key, const char *advice, const char *message)
{
	const char *word = nctl_nexthop_keys.v[key].key;

	nd_error(x->d.p, nd_form_pos(&x->d, x->node, word), advice, "%s %s", word, message);
	return false;
}

static bool read_member(struct reading *x, const struct nd_node *node, struct nctl_nexthop_member *ret)
{
	struct nctl_member_form form = {0};
	uint64_t given;

	if (!nd_form_read(&x->d, node, &nctl_member_keys, &form, NULL, NULL, &given))
		return false;
	*ret = (struct nctl_nexthop_member){.id = form.id, .weight = (uint16_t)form.weight};
	return true;
}

static bool read_members(struct reading *x)
{
	struct nctl_nexthop_member *members;
	const struct nd_node *c;
	uint32_t n = 0, i = 0;
	bool fine = true;

	if (!nd_expect(x->d.p, x->group, ND_NODE_SEQUENCE))
		return false;
	for (c = x->group->first; c; c = c->next)
		n++;
	if (!n) {
		nd_error(x->d.p, x->group->pos, "write [{id: NUMBER}, ...]",
			"a group has at least one member");
		return false;
	}
	members = nd_want_alloc(x->d.p, n * sizeof(*members));
	x->n->member_pos = nd_alloc(x->d.p, n * sizeof(*x->n->member_pos));
	if (!members || !x->n->member_pos)
		return false;
	for (c = x->group->first; c; c = c->next, i++) {
		fine = read_member(x, c, &members[i]) && fine;
		x->n->member_pos[i] = c->pos;
	}
	x->n->w.v.members = members;
	x->n->w.v.n_members = n;
	return fine;
}

static bool fill_group(struct reading *x)
{
	struct nctl_nexthop *v = &x->n->w.v;

	for (int key = NCTL_NEXTHOP_KEY_VIA; key <= NCTL_NEXTHOP_KEY_BLACKHOLE; key++)
		if (has(x, (enum nctl_nexthop_key)key))
			return refuse(x, (enum nctl_nexthop_key)key, "remove it; the members have their own",
				"is not for groups");
	v->group = true;
	v->group_type = x->form.type;
	v->fdb = x->form.fdb;
	if (x->form.type == NEXTHOP_GRP_TYPE_RES) {
		if (!x->form.buckets)
			return refuse(x, NCTL_NEXTHOP_KEY_TYPE,
				"add \"buckets: NUMBER\", a few for each member", "resilient needs buckets");
		v->resilient = true;
		v->buckets = (uint16_t)x->form.buckets;
		v->idle_timer = has(x, NCTL_NEXTHOP_KEY_IDLE_TIMER) ? x->form.idle_timer : IDLE_TIMER;
		v->unbalanced_timer = x->form.unbalanced_timer;
	}
	for (int key = NCTL_NEXTHOP_KEY_BUCKETS; key <= NCTL_NEXTHOP_KEY_UNBALANCED_TIMER; key++)
		if (has(x, (enum nctl_nexthop_key)key) && !v->resilient)
			return refuse(x, (enum nctl_nexthop_key)key, "add \"type: resilient\"",
				"is for resilient groups");
	return read_members(x);
}

static bool check_single(struct reading *x)
{
	for (int key = NCTL_NEXTHOP_KEY_TYPE; key <= NCTL_NEXTHOP_KEY_UNBALANCED_TIMER; key++)
		if (has(x, (enum nctl_nexthop_key)key))
			return refuse(x, (enum nctl_nexthop_key)key, "remove it", "is for groups");
	if (x->form.blackhole && (x->form.via.family || x->form.device[0]))
		return refuse(x, NCTL_NEXTHOP_KEY_BLACKHOLE, "remove one of them",
			"goes with no via and no device");
	if (x->form.fdb && (x->form.blackhole || !x->form.via.family || x->form.device[0]))
		return refuse(
			x, NCTL_NEXTHOP_KEY_FDB, "give it a via alone", "is for gateways without a device");
	if (!x->form.blackhole && !x->form.fdb && !x->form.device[0]) {
		nd_error(x->d.p, x->node->key_pos, "give it a device, a group, or \"blackhole: true\"",
			"the next hop %s leads nowhere", x->node->key);
		return false;
	}
	if (x->form.via.family && has(x, NCTL_NEXTHOP_KEY_FAMILY) && x->form.family != x->form.via.family)
		return refuse(x, NCTL_NEXTHOP_KEY_FAMILY, "remove it", "is not that of the gateway");
	return true;
}

static bool fill_single(struct reading *x)
{
	struct nctl_nexthop *v = &x->n->w.v;

	if (!check_single(x))
		return false;
	v->family = x->form.via.family                ? x->form.via.family
	            : has(x, NCTL_NEXTHOP_KEY_FAMILY) ? x->form.family
	                                              : AF_INET;
	v->hop = (struct nctl_hop){
		.via = x->form.via, .weight = 1, .flags = x->form.on_link ? RTNH_F_ONLINK : 0};
	v->flags = v->hop.flags;
	v->blackhole = x->form.blackhole;
	v->fdb = x->form.fdb;
	if (x->form.device[0])
		x->n->w.dev = (struct nctl_want_ref){.name = nd_want_strdup(x->d.p, x->form.device),
			.pos = nd_form_pos(&x->d, x->node, "device")};
	return true;
}

/* False: reported, or no memory. */
static bool make(struct nd_parse *p, const struct nd_node *node, struct nctl_want_netns *netns,
	struct nd_numbers numbers, const char *name, bool first)
{
	struct reading x = {.d = {.p = p, .numbers = numbers, .first = first},
		.node = node,
		.n = nd_alloc(p, sizeof(*x.n))};
	uint64_t id;

	if (!x.n)
		return false;
	if (nctl_parse_u64(name, 10, &id) < 0 || !id || id > UINT32_MAX) {
		nd_error(p, node->key_pos, "next hops have numbers from 1 on, or ranges of them: \"{1..10}\"",
			"\"%s\" is no number of a next hop", name);
		return false;
	}
	x.n->netns = netns;
	x.n->w.v.id = (nctl_nhid)id;
	x.n->w.pos = node->key_pos;
	x.n->w.label = nd_want_strdup(p, name);
	if (!nd_form_read(&x.d, node, &nctl_nexthop_keys, &x.form, "group", &x.group, &x.given) ||
		!(x.group ? fill_group(&x) : fill_single(&x)) || p->err < 0)
		return false;
	*p->routing.nexthops_tail = x.n;
	p->routing.nexthops_tail = &x.n->next;
	return true;
}

static bool make_range(struct nd_parse *p, const struct nd_node *node, struct nctl_want_netns *netns,
	struct nd_numbers numbers, const struct nctl_range *range, bool first)
{
	char name[32];

	for (size_t i = 0; i < range->count; i++) {
		numbers.n = nctl_range_at(range, i);
		numbers.has_n = true;
		nctl_strbuf_reset(&p->scratch);
		nctl_range_name(range, node->key, numbers.n, &p->scratch);
		if (nd_failed(p, p->scratch.err))
			return false;
		snprintf(name, sizeof(name), "%s", nctl_strbuf_str(&p->scratch));
		if (!make(p, node, netns, numbers, name, first && !i))
			return false;
	}
	return true;
}

static void read_one(struct nd_parse *p, const struct nd_node *node, const struct nd_scope *scope)
{
	struct nctl_range_error error = {0};
	struct nctl_range range;
	int r = nctl_range_parse(node->key, &range, &error);
	size_t times = scope->n;
	bool fine = true;

	if (r < 0) {
		nd_error(p, nd_node_key_pos_at(p, node, error.offset), error.advice, "%s", error.message);
		return;
	}
	if ((r == 0 && __builtin_mul_overflow(times, range.count, &times)) ||
		!nd_take(&p->n_values, times, nd_node_count(node), ND_VALUES_MAX)) {
		nd_error(p, node->key_pos, "say less about each, or make fewer",
			"with this, there are more than %zu values for all devices", ND_VALUES_MAX);
		return;
	}
	for (size_t i = 0; i < scope->n && fine; i++) {
		struct nd_numbers numbers = nd_scope_numbers(scope, i);

		if (r == 0)
			fine = make_range(p, node, scope->netns[i], numbers, &range, !i);
		else
			fine = make(p, node, scope->netns[i], numbers, node->key, !i);
	}
}

void nd_nexthops_read(struct nd_parse *p, const struct nd_node *node, const struct nd_scope *scope)
{
	if (!nd_expect(p, node, ND_NODE_MAPPING))
		return;
	for (const struct nd_node *c = node->first; c && p->err == 0; c = c->next)
		read_one(p, c, scope);
}
