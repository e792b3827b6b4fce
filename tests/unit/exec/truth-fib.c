/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: routes, next-hop objects and rules of a mirror compared with what the fake kernel says of itself. Both
 * sides are encoded and compared byte by byte, so that no second mirror has to be right.
 */
#include "truth-fib.h"

#include <linux/fib_rules.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec/route.h"
#include "fake/describe.h"
#include "mirror/route.h"
#include "nl/attr.h"
#include "test.h"

enum { ENTRY_MAX = 4096 };

struct entry {
	uint8_t family;
	nctl_table table;
	struct nctl_prefix dst; /* of routes */
	uint16_t type;
	size_t nth, len;
	uint8_t *bytes;
};

struct list {
	struct entry *v;
	size_t n, cap;
};

static struct entry *add(struct list *l, uint16_t type)
{
	if (l->n == l->cap) {
		l->cap = l->cap ? 2 * l->cap : 64;
		l->v = realloc(l->v, l->cap * sizeof(*l->v));
		assert_non_null(l->v);
	}
	l->v[l->n] = (struct entry){.type = type, .nth = l->n};
	return &l->v[l->n++];
}

static void fini(struct list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->v[i].bytes);
	free(l->v);
}

/* Takes what enc has written. */
static void keep(struct entry *e, struct nctl_msgbuf *m)
{
	assert_int_equal(nctl_msg_commit(m, 0), 0);
	e->len = m->len;
	e->bytes = malloc(m->len);
	assert_non_null(e->bytes);
	memcpy(e->bytes, m->buf, m->len);
}

static void add_route(struct list *l, const struct nctl_route *r)
{
	_Alignas(8) uint8_t bytes[ENTRY_MAX];
	struct nctl_msgbuf m;
	struct entry *e = add(l, RTM_NEWROUTE);

	nctl_msgbuf_init(&m, bytes, sizeof(bytes));
	nctl_route_encode_state(r, &m);
	e->family = r->dst.family;
	e->table = r->table;
	e->dst = r->dst;
	keep(e, &m);
}

static void add_nexthop(struct list *l, const struct nctl_nexthop *n)
{
	_Alignas(8) uint8_t bytes[ENTRY_MAX];
	struct nctl_msgbuf m;

	nctl_msgbuf_init(&m, bytes, sizeof(bytes));
	nctl_nexthop_encode_state(n, &m);
	keep(add(l, RTM_NEWNEXTHOP), &m);
}

static void add_rule(struct list *l, const struct nctl_rule *r)
{
	_Alignas(8) uint8_t bytes[ENTRY_MAX];
	struct nctl_msgbuf m;
	struct entry *e = add(l, RTM_NEWRULE);

	nctl_msgbuf_init(&m, bytes, sizeof(bytes));
	nctl_rule_encode_state(r, &m);
	e->family = r->family;
	keep(e, &m);
}

static void add_message(struct list *l, const struct nlmsghdr *nlh)
{
	struct nctl_route_scratch s = NCTL_ROUTE_SCRATCH_INIT;
	struct nctl_nexthop n;
	struct nctl_route r;
	struct nctl_rule rule;

	switch (nlh->nlmsg_type) {
	case RTM_NEWROUTE:
		assert_int_equal(nctl_route_decode(nlh, &s, &r), 0);
		add_route(l, &r);
		break;
	case RTM_NEWNEXTHOP:
		assert_int_equal(nctl_nexthop_decode(nlh, &s, &n), 0);
		add_nexthop(l, &n);
		break;
	case RTM_NEWRULE:
		assert_int_equal(nctl_rule_decode(nlh, &s, &rule), 0);
		add_rule(l, &rule);
		break;
	default:
		fail_msg("message %u in a dump", nlh->nlmsg_type);
	}
	nctl_route_scratch_fini(&s);
}

static void dump(struct nctl_transport *t, struct list *l, uint16_t type)
{
	_Alignas(8) static uint8_t buf[32768];
	struct {
		struct nlmsghdr nlh;
		uint8_t header[sizeof(struct rtmsg)];
	} rq = {.nlh = {.nlmsg_type = type, .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP}};

	rq.nlh.nlmsg_len = NLMSG_LENGTH(type == RTM_GETNEXTHOP ? sizeof(struct nhmsg) : sizeof(struct rtmsg));
	assert_int_equal(t->ops->send(t, &rq, rq.nlh.nlmsg_len), 0);
	for (;;) {
		struct nctl_dgram d = {.buf = buf, .cap = sizeof(buf)};
		const struct nlmsghdr *nlh = NULL;

		assert_int_equal(t->ops->recv(t, &d, 1), 1);
		while ((nlh = nctl_msg_next(buf, d.len, nlh))) {
			assert_int_not_equal(nlh->nlmsg_type, NLMSG_ERROR);
			if (nlh->nlmsg_type == NLMSG_DONE)
				return;
			add_message(l, nlh);
		}
	}
}

static void collect_truth(struct nctl_fake *f, uint64_t netns, struct list *l)
{
	struct nctl_kernel *k = nctl_fake_netns_kernel(f, netns);
	struct nctl_transport *t;

	assert_non_null(k);
	assert_int_equal(k->open(k, NCTL_TRANSPORT_REQUEST, &t), 0);
	dump(t, l, RTM_GETROUTE);
	dump(t, l, RTM_GETNEXTHOP);
	dump(t, l, RTM_GETRULE);
	nctl_transport_free(t);
	nctl_kernel_unref(k);
}

static void collect_mirror(const struct nctl_mirror *m, struct list *l)
{
	static const uint8_t families[] = {AF_INET, AF_INET6};
	struct nctl_route_cursor c = {0};
	const struct nctl_nexthop *n;
	nctl_route_ref ref;

	while ((ref = nctl_mirror_route_next(m, &c))) {
		struct nctl_route r;

		nctl_mirror_route_view(m, ref, &r);
		add_route(l, &r);
	}
	for (nctl_nhid id = 1; (n = nctl_mirror_nexthop_from(m, id)); id = n->id + 1)
		add_nexthop(l, n);
	for (size_t i = 0; i < 2; i++) {
		const struct nctl_rule *r;

		for (size_t nth = 0; (r = nctl_mirror_rule_at(m, families[i], nth)); nth++)
			add_rule(l, r);
	}
}

/* By prefix, and in the order that they had there. */
static int cmp(const void *x, const void *y)
{
	const struct entry *a = x, *b = y;
	int c = (a->type > b->type) - (a->type < b->type);

	if (c == 0)
		c = (a->family > b->family) - (a->family < b->family);
	if (c == 0)
		c = (a->table > b->table) - (a->table < b->table);
	if (c == 0)
		c = nctl_prefix_cmp(&a->dst, &b->dst);
	return c ? c : (a->nth > b->nth) - (a->nth < b->nth);
}

static bool is_equal(const struct entry *a, const struct entry *b)
{
	return a->len == b->len && memcmp(a->bytes, b->bytes, a->len) == 0;
}

/* Those of a that b does not have. */
static void print_surplus(const char *label, const struct list *a, const struct list *b)
{
	for (size_t i = 0; i < a->n; i++) {
		struct fk_words w;
		size_t j = 0;

		while (j < b->n && !is_equal(&a->v[i], &b->v[j]))
			j++;
		if (j < b->n)
			continue;
		fk_describe((const struct nlmsghdr *)a->v[i].bytes, false, &w);
		fprintf(stderr, "  %s %s\n", label, w.text);
	}
}

static void print_all(const char *label, const struct list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		struct fk_words w;

		fk_describe((const struct nlmsghdr *)l->v[i].bytes, false, &w);
		fprintf(stderr, "  %s %s\n", label, w.text);
	}
}

bool truth_fib_is(struct nctl_fake *f, uint64_t netns, const struct nctl_mirror *m)
{
	struct list truth = {0}, have = {0};
	bool same;

	collect_truth(f, netns, &truth);
	collect_mirror(m, &have);
	qsort(truth.v, truth.n, sizeof(*truth.v), cmp);
	qsort(have.v, have.n, sizeof(*have.v), cmp);
	same = truth.n == have.n;
	for (size_t i = 0; same && i < truth.n; i++)
		same = is_equal(&truth.v[i], &have.v[i]);
	if (!same) {
		print_surplus("kernel:", &truth, &have);
		print_surplus("mirror:", &have, &truth);
		if (getenv("NCTL_TRUTH_ALL")) {
			print_all("kernel has", &truth);
			print_all("mirror has", &have);
		}
	}
	fini(&truth);
	fini(&have);
	return same;
}
