/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: asks the kernel of its namespace (RTM_GETROUTE) and a mirror of it (mirror/resolve.h) for the same
 *random packets: error, type, table, device, gateway and source address must be the same. Where the kernel
 *chooses a hop by a hash, only the table and type are compared.
 *
 *	resolve [N [SEED]]
 */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/fib_rules.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "base/cleanup.h"
#include "base/json.h"
#include "base/num.h"
#include "base/time.h"
#include "codec/codec.h"
#include "codec/route.h"
#include "mirror/resolve.h"
#include "nl/attr.h"

struct state {
	struct nctl_transport *t;
	struct nctl_mirror *m;
	struct nctl_route_scratch scratch;
	uint64_t rng;
	/* the kernel's answer */
	bool answered;
	struct rtmsg rtm;
	nctl_table table;
	nctl_ifindex oif;
	struct nctl_prefix via, prefsrc;
};

/* splitmix64 */
static uint32_t any(struct state *s, uint32_t below)
{
	uint64_t z = s->rng += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (uint32_t)((z ^ z >> 31) % below);
}

static int feed_link(struct state *s, const struct nlmsghdr *nlh)
{
	struct nctl_link l = NCTL_LINK_INIT;
	int r = nctl_link_decode(nlh, &l);

	return r ? r : nctl_mirror_link_put(s->m, &l, NCTL_SOURCE_DUMP);
}

static int feed_addr(struct state *s, const struct nlmsghdr *nlh)
{
	struct nctl_addr a = NCTL_ADDR_INIT;
	int r = nctl_addr_decode(nlh, &a);

	return r ? r : nctl_mirror_addr_put(s->m, &a, NCTL_SOURCE_DUMP);
}

static int feed_route(struct state *s, const struct nlmsghdr *nlh)
{
	struct nctl_route v;
	int r = nctl_route_decode(nlh, &s->scratch, &v);

	return r ? r : nctl_mirror_route_put(s->m, &v, 0, NCTL_SOURCE_DUMP);
}

static int feed_nexthop(struct state *s, const struct nlmsghdr *nlh)
{
	struct nctl_nexthop v;
	int r = nctl_nexthop_decode(nlh, &s->scratch, &v);

	return r ? r : nctl_mirror_nexthop_put(s->m, &v, NCTL_SOURCE_DUMP);
}

static int feed_rule(struct state *s, const struct nlmsghdr *nlh)
{
	struct nctl_rule v;
	int r = nctl_rule_decode(nlh, &s->scratch, &v);

	return r ? r : nctl_mirror_rule_put(s->m, &v, NCTL_SOURCE_DUMP);
}

static int feed(void *userdata, const struct nlmsghdr *nlh)
{
	switch (nlh->nlmsg_type) {
	case RTM_NEWLINK:
		return feed_link(userdata, nlh);
	case RTM_NEWADDR:
		return feed_addr(userdata, nlh);
	case RTM_NEWROUTE:
		return feed_route(userdata, nlh);
	case RTM_NEWNEXTHOP:
		return feed_nexthop(userdata, nlh);
	case RTM_NEWRULE:
		return feed_rule(userdata, nlh);
	}
	return 0;
}

static int load(struct state *s)
{
	static const struct {
		enum nctl_object_type object;
		uint16_t type;
		uint8_t family;
		size_t len;
	} dumps[] = {
		{NCTL_OBJECT_LINK, RTM_GETLINK, AF_UNSPEC, sizeof(struct ifinfomsg)},
		{NCTL_OBJECT_ADDR, RTM_GETADDR, AF_UNSPEC, sizeof(struct ifaddrmsg)},
		{NCTL_OBJECT_NEXTHOP, RTM_GETNEXTHOP, AF_UNSPEC, sizeof(struct nhmsg)},
		{NCTL_OBJECT_RULE, RTM_GETRULE, AF_UNSPEC, sizeof(struct fib_rule_hdr)},
		{NCTL_OBJECT_ROUTE4, RTM_GETROUTE, AF_INET, sizeof(struct rtmsg)},
		{NCTL_OBJECT_ROUTE6, RTM_GETROUTE, AF_INET6, sizeof(struct rtmsg)},
	};
	static uint32_t buf[64];
	struct nctl_dump_scope scope = {0};
	uint8_t header[32] = {0};
	struct nctl_msgbuf msg;
	int r = 0;

	nctl_msgbuf_init(&msg, buf, sizeof(buf));
	for (size_t i = 0; r == 0 && i < NCTL_ARRAY_SIZE(dumps); i++) {
		scope.type = dumps[i].object;
		header[0] = dumps[i].family;
		nctl_mirror_dump_begin(s->m, &scope);
		nctl_msg_begin(&msg, dumps[i].type, NLM_F_DUMP, header, dumps[i].len);
		nctl_msg_commit(&msg, 1);
		r = ask(s->t, &msg, feed, s);
		nctl_mirror_dump_end(s->m, r == 0);
	}
	return r;
}

static int take_answer(void *userdata, const struct nlmsghdr *nlh)
{
	static const struct nctl_attr_policy policy[RTA_MAX + 1];
	const struct nlattr *tb[RTA_MAX + 1];
	struct state *s = userdata;

	if (nlh->nlmsg_type != RTM_NEWROUTE)
		return 0;
	memcpy(&s->rtm, NLMSG_DATA(nlh), sizeof(s->rtm));
	if (nctl_attr_parse_msg(nlh, sizeof(s->rtm), policy, tb, RTA_MAX) < 0)
		return -EBADMSG;
	s->answered = true;
	s->table = tb[RTA_TABLE] ? nctl_attr_u32(tb[RTA_TABLE]) : s->rtm.rtm_table;
	s->oif = tb[RTA_OIF] ? nctl_attr_u32(tb[RTA_OIF]) : 0;
	s->via = s->prefsrc = NCTL_PREFIX_NULL;
	for (unsigned i = 0; i < 3; i++) {
		const struct nlattr *a = tb[i == 0 ? RTA_GATEWAY : i == 1 ? RTA_VIA : RTA_PREFSRC];
		size_t skip = i == 1 ? 2 : 0;

		if (a)
			nctl_prefix_from_bytes((const char *)nctl_attr_data(a) + skip,
				nctl_attr_len(a) - skip, (uint8_t)((nctl_attr_len(a) - skip) * 8),
				i < 2 ? &s->via : &s->prefsrc);
	}
	return 0;
}

static int ask_kernel(struct state *s, const struct nctl_resolve_query *q)
{
	struct rtmsg rtm = {.rtm_family = q->dst.family, .rtm_dst_len = q->dst.len, .rtm_tos = q->tos};
	static uint32_t buf[128];
	struct nctl_msgbuf msg;
	int r;

	if (q->dst.family == AF_INET)
		rtm.rtm_flags = RTM_F_LOOKUP_TABLE;
	rtm.rtm_src_len = q->src.len;
	nctl_msgbuf_init(&msg, buf, sizeof(buf));
	nctl_msg_begin(&msg, RTM_GETROUTE, 0, &rtm, sizeof(rtm));
	nctl_msg_put(&msg, RTA_DST, q->dst.addr, nctl_prefix_bytes(q->dst.family));
	if (q->src.len)
		nctl_msg_put(&msg, RTA_SRC, q->src.addr, nctl_prefix_bytes(q->src.family));
	if (q->oif)
		nctl_msg_put_u32(&msg, RTA_OIF, q->oif);
	if (q->mark)
		nctl_msg_put_u32(&msg, RTA_MARK, q->mark);
	nctl_msg_put_u32(&msg, RTA_UID, q->uid);
	nctl_msg_put_u8(&msg, RTA_IP_PROTO, q->ip_proto);
	nctl_msg_put_u16(&msg, RTA_SPORT, htons(q->sport));
	nctl_msg_put_u16(&msg, RTA_DPORT, htons(q->dport));
	nctl_msg_commit(&msg, 2);
	nctl_msgbuf_ack_last(&msg);
	s->answered = false;
	r = ask(s->t, &msg, take_answer, s);
	return r == 0 && !s->answered ? -EPROTO : r;
}

/* Somewhere in the prefix of any route, or anywhere. */
static struct nctl_prefix any_target(struct state *s, uint8_t family)
{
	struct nctl_route_cursor c = {.family = family};
	struct nctl_prefix p = {.family = family};
	uint32_t skip = any(s, (uint32_t)nctl_mirror_route_count(s->m, family) + 1);
	struct nctl_route r = {.dst = p};
	nctl_route_ref ref;

	while (skip-- > 0 && (ref = nctl_mirror_route_next(s->m, &c)))
		nctl_mirror_route_view(s->m, ref, &r);
	p = r.dst;
	for (unsigned bit = p.len; bit < nctl_prefix_bits(family); bit++)
		if (any(s, bit + 8 < nctl_prefix_bits(family) && any(s, 2) ? 64 : 2) == 1)
			p.addr[bit / 8] |= (uint8_t)(0x80 >> bit % 8);
	p.len = (uint8_t)nctl_prefix_bits(family);
	return p;
}

static struct nctl_prefix any_own(struct state *s, uint8_t family)
{
	const struct nctl_mirror_link *l;
	const struct nctl_mirror_addr *a;
	struct nctl_prefix p = NCTL_PREFIX_NULL;
	uint32_t n = 0;

	for (l = nctl_mirror_link_from(s->m, 1); l; l = nctl_mirror_link_next(l))
		for (a = nctl_mirror_addr_first(l); a; a = nctl_mirror_addr_next(a))
			if (a->v.local.family == family && any(s, ++n) == 0)
				p = a->v.local;
	p.len = (uint8_t)nctl_prefix_bits(p.family);
	return p;
}

static nctl_ifindex any_link(struct state *s)
{
	const struct nctl_mirror_link *l =
		nctl_mirror_link_from(s->m, 1 + any(s, nctl_mirror_link_last(s->m)));

	return l ? l->v.ifindex : 0;
}

static struct nctl_resolve_query any_query(struct state *s)
{
	static const uint32_t marks[] = {0, 0, 5, 0x105, 0x10, 0xf0, 0xffffffff};
	static const uint8_t protos[] = {IPPROTO_TCP, IPPROTO_UDP};
	static const uint8_t toses[] = {0, 0, 0, 0x10, 0x28, 0x08};
	static const uint16_t ports[] = {22, 50, 150, 1000};
	uint8_t family = any(s, 2) ? AF_INET : AF_INET6;
	struct nctl_resolve_query q = {.dst = any_target(s, family)};

	if (any(s, 3) == 0)
		q.src = any(s, 8) ? any_own(s, family) : any_target(s, family);
	if (any(s, 4) == 0)
		q.oif = any_link(s);
	q.mark = marks[any(s, NCTL_ARRAY_SIZE(marks))];
	q.uid = any(s, 2) ? 0 : any(s, 2000);
	q.tos = toses[any(s, NCTL_ARRAY_SIZE(toses))];
	q.ip_proto = protos[any(s, 2)];
	q.sport = ports[any(s, NCTL_ARRAY_SIZE(ports))];
	q.dport = ports[any(s, NCTL_ARRAY_SIZE(ports))];
	return q;
}

static void describe(const struct state *s, const struct nctl_resolve_query *q, const struct nctl_resolved *r,
	int error, const char *what)
{
	struct nctl_names names = nctl_mirror_names(s->m);
	struct nctl_strbuf out = NCTL_STRBUF_INIT;
	char dst[NCTL_ADDR_STR], src[NCTL_ADDR_STR], via[NCTL_ADDR_STR], pref[NCTL_ADDR_STR];
	struct nctl_json json;

	nctl_json_init(&json, &out);
	nctl_resolved_json(q, r, &names, &json);
	printf("%s: %s from %s oif %u mark %#x uid %u tos %#x proto %u sport %u dport %u\n", what,
		nctl_addr_format(&q->dst, dst), nctl_addr_format(&q->src, src), q->oif, q->mark, q->uid,
		q->tos, q->ip_proto, q->sport, q->dport);
	printf("  ours   %s\n", nctl_strbuf_str(&out));
	if (error)
		printf("  kernel %d\n", error);
	else
		printf("  kernel type %u table %u oif %u via %s src %s\n", s->rtm.rtm_type, s->table, s->oif,
			nctl_addr_format(&s->via, via), nctl_addr_format(&s->prefsrc, pref));
	nctl_strbuf_fini(&out);
}

/* NULL, or what differs. */
static const char *difference(
	const struct state *s, const struct nctl_resolve_query *q, const struct nctl_resolved *r, int error)
{
	if (r->error != error && !(r->error == -ENETUNREACH && error == -EINVAL && q->src.family == AF_INET))
		return "error";
	if (error)
		return NULL;
	if (r->type != s->rtm.rtm_type)
		return "type";
	/*
	 * An answer without a table of its own (a link was named) tells main; so do local ones as long as
	 * both tables are one (fib_trie_table, until the first rule).
	 */
	if (r->table && r->table != s->table &&
		!(r->table == RT_TABLE_LOCAL && s->table == RT_TABLE_MAIN && q->dst.family == AF_INET))
		return "table";
	if (r->n_hops > 1)
		return NULL;
	if (r->hop.oif != s->oif)
		return "device";
	if (!nctl_prefix_equal(&r->hop.via, &s->via))
		return "gateway";
	if (!nctl_prefix_equal(&r->prefsrc, &s->prefsrc))
		return "source";
	return NULL;
}

static int run(struct state *s, uint32_t n)
{
	uint32_t different = 0, errors = 0, hashed = 0;
	struct nctl_resolve_query q;
	struct nctl_resolved r;
	const char *what;
	int error;

	for (uint32_t i = 0; i < n; i++) {
		q = any_query(s);
		nctl_mirror_resolve(s->m, &q, &r);
		error = ask_kernel(s, &q);
		what = difference(s, &q, &r, error);
		errors += error != 0;
		hashed += r.n_hops > 1;
		different += what != NULL;
		if (what && different <= 20)
			describe(s, &q, &r, error, what);
	}
	printf("%u packets, %u refused, %u with hops to choose from, %u answers differ\n", n, errors, hashed,
		different);
	return different > 0;
}

int main(int argc, char **argv)
{
	struct nctl_kernel *k = nctl_kernel_here();
	struct state s = {.rng = nctl_time_now().usec};
	uint32_t n = 1000;
	int r;

	if ((argc > 1 && nctl_parse_u32(argv[1], 10, 1, UINT32_MAX, &n) < 0) ||
		(argc > 2 && nctl_parse_u64(argv[2], 10, &s.rng) < 0))
		return 2;
	printf("# seed %" PRIu64 "\n", s.rng);
	r = k->open(k, NCTL_TRANSPORT_REQUEST, &s.t);
	if (r == 0)
		r = nctl_mirror_new(&s.m);
	if (r == 0)
		r = load(&s);
	if (r < 0)
		fprintf(stderr, "resolve: %s\n", strerror(-r));
	else
		r = run(&s, n);
	nctl_route_scratch_fini(&s.scratch);
	nctl_mirror_free(s.m);
	nctl_transport_free(s.t);
	return r != 0;
}
