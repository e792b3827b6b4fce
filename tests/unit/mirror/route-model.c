/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: the naive kernel of routes, see route-model.h. */
#include "route-model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>

#include "test.h"

struct nctl_route rmodel_view(const struct rm_route *r)
{
	struct nctl_route v = r->v;

	v.hops = v.n_hops ? r->hops : NULL;
	return v;
}

void rmodel_take(struct rm_route *to, const struct nctl_route *v)
{
	assert_true(v->n_hops <= RM_HOPS);
	to->v = *v;
	to->v.metrics = to->v.rest = NCTL_BYTES_NULL;
	if (v->n_hops)
		memcpy(to->hops, v->hops, v->n_hops * sizeof(*v->hops));
	to->v.hops = NULL;
}

static bool same_place(const struct nctl_route *a, const struct nctl_route *b)
{
	return a->table == b->table && nctl_prefix_equal(&a->dst, &b->dst);
}

bool rmodel_same_key(const struct nctl_route *a, const struct nctl_route *b)
{
	return same_place(a, b) && a->metric == b->metric && a->tos == b->tos;
}

bool rmodel_equal(const struct rm_route *a, const struct rm_route *b)
{
	struct nctl_route x = rmodel_view(a), y = rmodel_view(b);

	return rmodel_same_key(&x, &y) && !nctl_route_diff(&x, &y);
}

/* -- memory that fails -- */

static int fail_in = -1;

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);

void *__wrap_calloc(size_t n, size_t size)
{
	if (fail_in >= 0 && fail_in-- == 0)
		return NULL;
	return __real_calloc(n, size);
}

/* -- the records -- */

int rmodel_find_hop(const struct rm_route *r, const struct nctl_hop *h)
{
	for (uint32_t i = 0; i < r->v.n_hops; i++)
		if (nctl_hop_same(&r->hops[i], h))
			return (int)i;
	return -1;
}

unsigned rmodel_told(struct rmodel *m, const struct nctl_route *v)
{
	struct rm_route r;

	rmodel_take(&r, v);
	for (unsigned i = 0; i < m->n_told; i++)
		if (rmodel_equal(&m->told[i], &r))
			return i;
	/* What goes with a link was told later than it was seen. */
	for (unsigned i = 0; i < m->n_told; i++)
		if (rmodel_same_key(&m->told[i].v, v) && v->n_hops && m->told[i].v.n_hops > v->n_hops &&
			rmodel_find_hop(&m->told[i], &v->hops[0]) >= 0)
			return i;
	fail_msg("%s", "a record of a route that was never told");
	return 0;
}

static void on_change(void *userdata, const void *arg)
{
	struct rmodel *m = userdata;
	const struct nctl_change *c = arg;
	unsigned i;

	if (c->type != NCTL_OBJECT_ROUTE4 && c->type != NCTL_OBJECT_ROUTE6)
		return;
	switch (c->op) {
	case NCTL_ADDED:
		assert_true(m->n_told < RM_ROUTES);
		rmodel_take(&m->told[m->n_told++], c->new_route);
		break;
	case NCTL_CHANGED:
		i = rmodel_told(m, c->old_route);
		rmodel_take(&m->told[i], c->new_route);
		break;
	case NCTL_REMOVED:
		i = rmodel_told(m, c->old_route);
		m->told[i] = m->told[--m->n_told];
		break;
	}
}

struct rmodel *rmodel_new(uint64_t seed)
{
	struct rmodel *m = calloc(1, sizeof(*m));

	assert_int_equal(nctl_mirror_new(&m->mirror), 0);
	nctl_subs_add(nctl_mirror_subs(m->mirror), &m->sub, on_change, m);
	m->rng.state = seed;
	m->prefixes = 4;
	return m;
}

void rmodel_free(struct rmodel *m)
{
	nctl_mirror_free(m->mirror);
	free(m);
}

void rmodel_route(struct nctl_route *ret, struct nctl_hop *hop, const char *dst, nctl_table table,
	nctl_ifindex oif, const char *via)
{
	*hop = (struct nctl_hop){.oif = oif, .weight = 1};
	if (via)
		assert_int_equal(nctl_addr_parse(via, &hop->via), 0);
	*ret = (struct nctl_route){.table = table, .protocol = RTPROT_STATIC, .type = RTN_UNICAST};
	assert_int_equal(nctl_prefix_parse(dst, NCTL_PREFIX_NEED_LENGTH, &ret->dst), 0);
	ret->hops = hop;
	ret->n_hops = 1;
}

/* -- messages -- */

static void deliver(struct rmodel *m, const struct rm_message *msg)
{
	struct nctl_route v = rmodel_view(&msg->route);
	struct nctl_link l = NCTL_LINK_INIT;
	int result = -ENOMEM;

	switch (msg->what) {
	case RM_NEW:
	case RM_DEL:
		/* With each allocation failing in turn: nothing may have changed then. */
		for (int n = 0; result == -ENOMEM; n++) {
			fail_in = m->forgetful ? n : -1;
			result = msg->what == RM_NEW
			                 ? nctl_mirror_route_put(m->mirror, &v, msg->flags, NCTL_SOURCE_EVENT)
			                 : nctl_mirror_route_drop(m->mirror, &v);
			fail_in = -1;
		}
		assert_int_equal(result, 0);
		break;
	case RM_LINK_NEW:
		l.ifindex = msg->ifindex;
		snprintf(l.name, sizeof(l.name), "link%u", msg->ifindex);
		l.flags = IFF_UP;
		assert_int_equal(nctl_mirror_link_put(m->mirror, &l, NCTL_SOURCE_EVENT), 0);
		break;
	case RM_LINK_DEL:
		assert_int_equal(nctl_mirror_link_drop(m->mirror, msg->ifindex), 0);
		break;
	}
}

void rmodel_read(struct rmodel *m, unsigned n)
{
	for (; n && m->head != m->tail; n--)
		deliver(m, &m->queue[m->head++ % RM_QUEUE]);
}

static struct rm_message *queue(struct rmodel *m, int what, unsigned flags)
{
	struct rm_message *msg;

	if (m->tail - m->head == RM_QUEUE)
		rmodel_read(m, 1);
	msg = &m->queue[m->tail++ % RM_QUEUE];
	*msg = (struct rm_message){.what = what, .flags = flags};
	return msg;
}

static void send_route(struct rmodel *m, int what, unsigned flags, const struct rm_route *r)
{
	queue(m, what, flags)->route = *r;
}

/* -- the kernel -- */

static void insert_at(struct rmodel *m, unsigned at, const struct rm_route *r)
{
	assert_true(m->n < RM_ROUTES);
	memmove(&m->kernel[at + 1], &m->kernel[at], (m->n - at) * sizeof(*r));
	m->kernel[at] = *r;
	m->n++;
}

static void remove_at(struct rmodel *m, unsigned at)
{
	m->n--;
	memmove(&m->kernel[at], &m->kernel[at + 1], (m->n - at) * sizeof(m->kernel[0]));
}

static int order(const struct nctl_route *a, const struct nctl_route *b)
{
	int c = (a->dst.family > b->dst.family) - (a->dst.family < b->dst.family);

	if (!c)
		c = (a->table > b->table) - (a->table < b->table);
	if (!c)
		c = nctl_prefix_cmp(&a->dst, &b->dst);
	if (!c)
		c = (a->tos < b->tos) - (a->tos > b->tos);
	return c ? c : (a->metric > b->metric) - (a->metric < b->metric);
}

/* The first one behind (or at) the key of v. */
static unsigned bound(const struct rmodel *m, const struct nctl_route *v, bool at)
{
	unsigned i;

	for (i = 0; i < m->n; i++) {
		int c = order(v, &m->kernel[i].v);

		if (c < 0 || (c == 0 && at))
			break;
	}
	return i;
}

/* fib_table_insert */
static void add4(struct rmodel *m, const struct rm_route *r, unsigned flags)
{
	unsigned first = bound(m, &r->v, true), behind = bound(m, &r->v, false), match = behind;

	for (unsigned i = first; i < behind; i++)
		if (rmodel_equal(&m->kernel[i], r))
			match = i;
	if (match != behind)
		return; /* EEXIST */
	if (first != behind && flags & NLM_F_REPLACE) {
		m->kernel[first] = *r;
		send_route(m, RM_NEW, NLM_F_REPLACE, r);
		return;
	}
	insert_at(m, flags & NLM_F_APPEND ? behind : first, r);
	send_route(m, RM_NEW, NLM_F_CREATE | (first == behind ? NLM_F_EXCL : flags & NLM_F_APPEND), r);
}

static bool is_ecmp(const struct rm_route *r)
{
	return r->v.n_hops && !r->v.nhid && r->hops[0].via.family != AF_UNSPEC;
}

/* A single hop of an IPv6 route joins its siblings; the message names it first. */
static void join6(struct rmodel *m, struct rm_route *have, const struct rm_route *r, unsigned flags)
{
	struct rm_route told;

	if (rmodel_find_hop(have, &r->hops[0]) >= 0 || have->v.n_hops == RM_HOPS)
		return;
	told = *have;
	told.hops[0] = r->hops[0];
	memcpy(&told.hops[1], have->hops, have->v.n_hops * sizeof(have->hops[0]));
	have->hops[have->v.n_hops++] = r->hops[0];
	have->v.multipath = true;
	told.v.n_hops = have->v.n_hops;
	told.v.multipath = true;
	send_route(m, RM_NEW, NLM_F_CREATE | (flags & NLM_F_APPEND), &told);
}

/* fib6_add_rt2node */
static void add6(struct rmodel *m, const struct rm_route *r, unsigned flags)
{
	unsigned first = bound(m, &r->v, true), behind = bound(m, &r->v, false), i;

	if (flags & NLM_F_REPLACE && first != behind) {
		for (i = first; i < behind && is_ecmp(&m->kernel[i]) != is_ecmp(r);)
			i++;
		i = i == behind ? first : i;
		for (unsigned k = first; k < behind; k++)
			if (k != i && !is_ecmp(r) && !is_ecmp(&m->kernel[k]) &&
				nctl_hop_same(&m->kernel[k].hops[0], &r->hops[0]))
				return; /* the kernel would have two: not our business */
		m->kernel[i] = *r;
		send_route(m, RM_NEW, NLM_F_REPLACE, r);
		return;
	}
	for (i = first; i < behind; i++) {
		struct rm_route *have = &m->kernel[i];

		if (is_ecmp(have) && is_ecmp(r)) {
			join6(m, have, r, flags);
			return;
		}
		if (!is_ecmp(have) && !is_ecmp(r) && nctl_hop_same(&have->hops[0], &r->hops[0]))
			return;
	}
	insert_at(m, behind, r);
	send_route(m, RM_NEW, NLM_F_CREATE | (first == behind ? NLM_F_EXCL : 0), r);
}

/* One hop of a route at i goes. */
static void lose_hop(struct rmodel *m, unsigned i, unsigned hop, bool silent)
{
	struct rm_route *r = &m->kernel[i], told = *r;

	told.v.n_hops = 1;
	told.v.multipath = false;
	told.hops[0] = r->hops[hop];
	told.hops[0].weight = 1;
	if (!silent)
		send_route(m, RM_DEL, 0, &told);
	if (r->v.n_hops == 1) {
		remove_at(m, i);
		return;
	}
	memmove(&r->hops[hop], &r->hops[hop + 1], (r->v.n_hops - hop - 1) * sizeof(r->hops[0]));
	r->v.n_hops--;
	r->v.multipath = r->v.n_hops > 1;
}

static void del(struct rmodel *m, unsigned i)
{
	struct rm_route *r = &m->kernel[i];

	if (r->v.dst.family == AF_INET6 && r->v.n_hops > 1 && random_below(&m->rng, 2)) {
		lose_hop(m, i, (unsigned)random_below(&m->rng, r->v.n_hops), false);
		return;
	}
	send_route(m, RM_DEL, 0, r);
	remove_at(m, i);
}

static void random_route(struct rmodel *m, struct rm_route *r)
{
	bool v6 = random_below(&m->rng, 2), gateway = random_below(&m->rng, 3);
	nctl_ifindex oif = (nctl_ifindex)random_below(&m->rng, RM_LINKS) + 1;
	unsigned which = (unsigned)random_below(&m->rng, m->prefixes);
	char dst[64], via[64];
	struct nctl_route v;
	struct nctl_hop h;

	snprintf(dst, sizeof(dst), v6 ? "2001:db8:%x::/%u" : "10.%u.0.0/%u", which,
		(v6 ? 48 : 16) + which % 3);
	snprintf(via, sizeof(via), v6 ? "fe80::%x" : "192.0.2.%u", 1 + (unsigned)random_below(&m->rng, 8));
	rmodel_route(&v, &h, dst, random_below(&m->rng, 4) ? 254 : 1000, oif, gateway ? via : NULL);
	v.metric = 100 * (uint32_t)random_below(&m->rng, 2);
	if (!v6 && !random_below(&m->rng, 4))
		v.tos = 16;
	if (!random_below(&m->rng, 3))
		v.protocol = RTPROT_BOOT;
	if (v6)
		v.protocol = RTPROT_STATIC;
	rmodel_take(r, &v);
	if (!v6 && gateway && !random_below(&m->rng, 4)) {
		r->hops[1] = r->hops[0];
		r->hops[1].oif = oif % RM_LINKS + 1;
		r->v.n_hops = 2;
		r->v.multipath = true;
	}
}

static void link_goes(struct rmodel *m, nctl_ifindex ifindex)
{
	bool told = random_below(&m->rng, 2);

	for (unsigned i = m->n; i--;) {
		struct rm_route *r = &m->kernel[i];

		for (unsigned k = r->v.n_hops; k--;) {
			if (r->hops[k].oif != ifindex)
				continue;
			if (r->v.dst.family == AF_INET) {
				remove_at(m, i);
				break;
			}
			lose_hop(m, i, k, !told);
			if (i >= m->n || r->v.n_hops == 0)
				break;
			if (k == 0)
				break;
		}
	}
	m->links[ifindex] = false;
	queue(m, RM_LINK_DEL, 0)->ifindex = ifindex;
}

void rmodel_change(struct rmodel *m)
{
	static const unsigned flags[] = {0, NLM_F_APPEND, NLM_F_REPLACE};
	unsigned what = (unsigned)random_below(&m->rng, 16);
	nctl_ifindex ifindex = 1 + (nctl_ifindex)random_below(&m->rng, RM_LINKS);
	struct rm_route r;

	if (what == 0 && m->links[ifindex]) {
		link_goes(m, ifindex);
	} else if (what <= 6 && m->n) {
		del(m, (unsigned)random_below(&m->rng, m->n));
	} else if (m->n < RM_ROUTES / 2) {
		random_route(m, &r);
		for (uint32_t i = 0; i < r.v.n_hops; i++) {
			if (m->links[r.hops[i].oif])
				continue;
			m->links[r.hops[i].oif] = true;
			queue(m, RM_LINK_NEW, 0)->ifindex = r.hops[i].oif;
		}
		(r.v.dst.family == AF_INET ? add4 : add6)(m, &r, flags[random_below(&m->rng, 3)]);
	}
}

static bool in_scope(const struct nctl_dump_scope *s, const struct rm_route *r)
{
	bool on = !s->oif;

	if ((r->v.dst.family == AF_INET) != (s->type == NCTL_OBJECT_ROUTE4))
		return false;
	for (uint32_t i = 0; i < r->v.n_hops; i++)
		on |= r->hops[i].oif == s->oif;
	return on && (!s->table || s->table == r->v.table);
}

void rmodel_dump(struct rmodel *m, const struct nctl_dump_scope *scope, unsigned changes)
{
	struct rm_route last;
	unsigned i = 0;
	bool begun = false;

	m->raced |= m->head != m->tail;
	nctl_mirror_dump_begin(m->mirror, scope);
	for (;;) {
		/* Where it goes on is found again by the key: the kernel counts within a prefix. */
		if (begun)
			for (i = 0; i < m->n && order(&m->kernel[i].v, &last.v) <= 0;)
				i++;
		begun = true;
		while (i < m->n && !in_scope(scope, &m->kernel[i]))
			i++;
		if (i >= m->n)
			break;
		last = m->kernel[i];
		for (; i < m->n && rmodel_same_key(&m->kernel[i].v, &last.v); i++) {
			struct nctl_route v = rmodel_view(&m->kernel[i]);

			if (in_scope(scope, &m->kernel[i]))
				assert_int_equal(
					nctl_mirror_route_put(m->mirror, &v, 0, NCTL_SOURCE_DUMP), 0);
		}
		if (changes && !random_below(&m->rng, 3)) {
			rmodel_change(m);
			changes--;
			m->raced = true;
		}
		rmodel_read(m, (unsigned)random_below(&m->rng, 3));
	}
	nctl_mirror_dump_end(m->mirror, true);
}

void rmodel_settle(struct rmodel *m)
{
	struct nctl_dump_scope s;
	unsigned turns = 0;

	rmodel_read(m, RM_QUEUE);
	while (nctl_mirror_next_suspect(m->mirror, &s)) {
		if (s.type == NCTL_OBJECT_ROUTE4 || s.type == NCTL_OBJECT_ROUTE6)
			rmodel_dump(m, &s, 0);
		assert_true(++turns < 1000);
	}
	while (nctl_mirror_work(m->mirror, 1 + random_below(&m->rng, 5)))
		assert_true(++turns < 100000);
}
