/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: dumps routes, rules, next hops, neighbours, proxies and FDB entries of its namespace through lib/nl,
 * lib/codec and lib/obj and prints {"route": [...], "rule": [...], ...} as ip and bridge would with -j -d,
 * for tests/live/json_sets.py. On the way each message is encoded again from what was decoded, and must have
 * the same family header and the same attributes but for the volatile ones.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/fib_rules.h>
#include <linux/neighbour.h>
#include <linux/nexthop.h>
#include <linux/lwtunnel.h>
#include <linux/rtnetlink.h>

#include "ask.h"
#include "known.h"
#include "base/cleanup.h"
#include "base/json.h"
#include "codec/codec.h"
#include "codec/route.h"
#include "obj/bytes.h"
#include "nl/attr.h"

struct state {
	struct known links; /* what the names are asked of */
	/* messages of next hops, for those that routes name */
	struct nlmsghdr **nexthops;
	size_t n_nexthops;
	struct nctl_route_scratch nested; /* of nexthop_of */
	struct nctl_nexthop nexthop;
	struct nctl_route_scratch scratch;
	struct nctl_names names;
	struct nctl_strbuf out;
	struct nctl_json json;
	unsigned encoded, different;
};

static const struct nctl_nexthop *nexthop_of(const void *userdata, uint32_t id)
{
	struct state *s = nctl_container_of(userdata, struct state, links);

	for (size_t i = 0; i < s->n_nexthops; i++)
		if (nctl_nexthop_decode(s->nexthops[i], &s->nested, &s->nexthop) == 0 && s->nexthop.id == id)
			return &s->nexthop;
	return NULL;
}

static bool is_volatile(uint16_t message, uint16_t attr)
{
	switch (message) {
	case RTM_NEWROUTE:
		return attr == RTA_CACHEINFO;
	case RTM_NEWNEXTHOP:
		return attr == NHA_RES_GROUP; /* has a time in it */
	case RTM_NEWADDR:
		return attr == IFA_CACHEINFO;
	case RTM_NEWRULE:
		return attr == FRA_PAD; /* where the tunnel's number must be aligned */
	}
	return false;
}

/* The payload, without the padding in front of a tunnel's number, which depends on where the message stands. */
static struct nctl_bytes payload(uint16_t message, const struct nlattr *a)
{
	struct nctl_bytes b = {nctl_attr_data(a), (uint32_t)nctl_attr_len(a)};
	const struct nlattr *pad = (const void *)b.p;

	if (message == RTM_NEWROUTE && nctl_attr_type(a) == RTA_ENCAP && b.n >= sizeof(*pad) &&
		pad->nla_len == sizeof(*pad) && nctl_attr_type(pad) == LWTUNNEL_IP_PAD) {
		b.p += sizeof(*pad);
		b.n -= (uint32_t)sizeof(*pad);
	}
	return b;
}

/* How many attributes of a are not in b, byte for byte. */
static unsigned count_lacking(const struct nlmsghdr *a, const struct nlmsghdr *b, size_t header)
{
	size_t skip = NLMSG_LENGTH(header);
	const struct nlattr *x = NULL, *y;
	unsigned n = 0;

	while ((x = nctl_attr_next((const char *)a + skip, a->nlmsg_len - skip, x))) {
		if (is_volatile(a->nlmsg_type, nctl_attr_type(x)))
			continue;
		y = NULL;
		while ((y = nctl_attr_next((const char *)b + skip, b->nlmsg_len - skip, y)))
			if (x->nla_type == y->nla_type &&
				nctl_bytes_equal(payload(a->nlmsg_type, x), payload(b->nlmsg_type, y)))
				break;
		if (y)
			continue;
		fprintf(stderr, "jsonroutes: message %u: attribute %u of %u bytes differs\n", a->nlmsg_type,
			nctl_attr_type(x), x->nla_len);
		n++;
	}
	return n;
}

/* msg has the encoded one open. */
static void compare(struct state *s, const struct nlmsghdr *nlh, struct nctl_msgbuf *msg, size_t header)
{
	const struct nlmsghdr *ours = (const void *)msg->buf;
	unsigned n;

	if (nctl_msg_commit(msg, 0) != 0) {
		s->different++;
		return;
	}
	n = count_lacking(nlh, ours, header) + count_lacking(ours, nlh, header);
	if (memcmp(NLMSG_DATA(nlh), NLMSG_DATA(ours), header) != 0) {
		fprintf(stderr, "jsonroutes: message %u: the header differs\n", nlh->nlmsg_type);
		n++;
	}
	s->encoded++;
	s->different += n > 0;
}

static int add_link(struct state *s, const struct nlmsghdr *nlh)
{
	struct nctl_link l = NCTL_LINK_INIT;
	int r = nctl_link_decode(nlh, &l);

	if (r)
		return r;
	known_add(&s->links, &l);
	return 0;
}

static int add_nexthop(struct state *s, const struct nlmsghdr *nlh)
{
	struct nlmsghdr **v = realloc(s->nexthops, (s->n_nexthops + 1) * sizeof(*v));

	if (!v)
		abort();
	s->nexthops = v;
	v[s->n_nexthops] = malloc(nlh->nlmsg_len);
	if (!v[s->n_nexthops])
		abort();
	memcpy(v[s->n_nexthops++], nlh, nlh->nlmsg_len);
	return 0;
}

static int take_addr(struct state *s, const struct nlmsghdr *nlh, struct nctl_msgbuf *msg)
{
	struct nctl_addr a = NCTL_ADDR_INIT;
	int r = nctl_addr_decode(nlh, &a);

	if (r)
		return r;
	nctl_addr_encode_state(&a, msg);
	compare(s, nlh, msg, sizeof(struct ifaddrmsg));
	return 0;
}

static int take_route(struct state *s, const struct nlmsghdr *nlh, struct nctl_msgbuf *msg)
{
	struct nctl_route route;
	int r = nctl_route_decode(nlh, &s->scratch, &route);

	if (r)
		return r;
	nctl_route_json(&route, &s->names, &s->json);
	nctl_route_encode_state(&route, msg);
	compare(s, nlh, msg, sizeof(struct rtmsg));
	return 0;
}

static int take_rule(struct state *s, const struct nlmsghdr *nlh, struct nctl_msgbuf *msg)
{
	struct nctl_rule rule;
	int r = nctl_rule_decode(nlh, &s->scratch, &rule);

	if (r)
		return r;
	nctl_rule_json(&rule, &s->json);
	nctl_rule_encode_state(&rule, msg);
	compare(s, nlh, msg, sizeof(struct fib_rule_hdr));
	return 0;
}

static int take_nexthop(struct state *s, const struct nlmsghdr *nlh, struct nctl_msgbuf *msg)
{
	struct nctl_nexthop n;
	int r = nctl_nexthop_decode(nlh, &s->scratch, &n);

	if (r)
		return r;
	nctl_nexthop_json(&n, &s->names, &s->json);
	nctl_nexthop_encode_state(&n, msg);
	compare(s, nlh, msg, sizeof(struct nhmsg));
	return add_nexthop(s, nlh);
}

static int take_neigh(struct state *s, const struct nlmsghdr *nlh)
{
	struct nctl_neigh n;
	int r = nctl_neigh_decode(nlh, &s->scratch, &n);

	if (r == 0)
		nctl_neigh_json(&n, &s->names, &s->json);
	return r;
}

static int take(void *userdata, const struct nlmsghdr *nlh)
{
	static uint32_t buf[16384];
	struct nctl_msgbuf msg;

	nctl_msgbuf_init(&msg, buf, sizeof(buf));
	switch (nlh->nlmsg_type) {
	case RTM_NEWLINK:
		return add_link(userdata, nlh);
	case RTM_NEWADDR:
		return take_addr(userdata, nlh, &msg);
	case RTM_NEWROUTE:
		return take_route(userdata, nlh, &msg);
	case RTM_NEWRULE:
		return take_rule(userdata, nlh, &msg);
	case RTM_NEWNEXTHOP:
		return take_nexthop(userdata, nlh, &msg);
	case RTM_NEWNEIGH:
		return take_neigh(userdata, nlh);
	}
	return 0;
}

static int dump(struct state *s, struct nctl_transport *t, uint16_t type, const void *header, size_t len)
{
	static uint32_t buf[64];
	struct nctl_msgbuf msg;

	nctl_msgbuf_init(&msg, buf, sizeof(buf));
	nctl_msg_begin(&msg, type, NLM_F_DUMP, header, len);
	nctl_msg_commit(&msg, 1);
	return ask(t, &msg, take, s);
}

/* "key": [all that these dumps give], one for each family. */
static int list(struct state *s, struct nctl_transport *t, const char *key, uint16_t type, size_t len,
	const uint8_t *families)
{
	uint8_t header[32] = {0};
	int r = 0;

	nctl_json_key(&s->json, key);
	nctl_json_arr_begin(&s->json);
	for (; r == 0 && *families; families++) {
		header[0] = *families;
		if (strcmp(key, "proxy") == 0)
			((struct ndmsg *)(void *)header)->ndm_flags = NTF_PROXY;
		r = dump(s, t, type, header, len);
	}
	nctl_json_arr_end(&s->json);
	return r;
}

static int list_all(struct state *s, struct nctl_transport *t)
{
	static const uint8_t ip[] = {AF_INET, AF_INET6, 0}, bridge[] = {AF_BRIDGE, 0};
	struct ifinfomsg ifi = {.ifi_family = AF_UNSPEC};
	struct ifaddrmsg ifa = {.ifa_family = AF_UNSPEC};
	struct nhmsg nhm = {.nh_family = AF_UNSPEC};
	int r;

	r = dump(s, t, RTM_GETLINK, &ifi, sizeof(ifi));
	if (r == 0)
		r = dump(s, t, RTM_GETADDR, &ifa, sizeof(ifa));
	nctl_json_obj_begin(&s->json);
	nctl_json_key(&s->json, "nexthop");
	nctl_json_arr_begin(&s->json);
	if (r == 0)
		r = dump(s, t, RTM_GETNEXTHOP, &nhm, sizeof(nhm));
	nctl_json_arr_end(&s->json);
	if (r == 0)
		r = list(s, t, "route", RTM_GETROUTE, sizeof(struct rtmsg), ip);
	if (r == 0)
		r = list(s, t, "rule", RTM_GETRULE, sizeof(struct fib_rule_hdr), ip);
	if (r == 0)
		r = list(s, t, "neigh", RTM_GETNEIGH, sizeof(struct ndmsg), ip);
	if (r == 0)
		r = list(s, t, "proxy", RTM_GETNEIGH, sizeof(struct ndmsg), ip);
	if (r == 0)
		r = list(s, t, "fdb", RTM_GETNEIGH, sizeof(struct ndmsg), bridge);
	nctl_json_obj_end(&s->json);
	return r;
}

static void fini(struct state *s)
{
	for (size_t i = 0; i < s->n_nexthops; i++)
		free(s->nexthops[i]);
	known_fini(&s->links);
	free(s->nexthops);
	nctl_route_scratch_fini(&s->scratch);
	nctl_route_scratch_fini(&s->nested);
	nctl_strbuf_fini(&s->out);
}

int main(void)
{
	_cleanup_(nctl_transport_freep) struct nctl_transport *t = NULL;
	struct nctl_kernel *k = nctl_kernel_here();
	static struct state s;
	bool different;
	int r;

	s.names = known_names(&s.links);
	s.names.nexthop = nexthop_of;
	nctl_json_init(&s.json, &s.out);
	r = k->open(k, NCTL_TRANSPORT_REQUEST, &t);
	if (r == 0)
		r = list_all(&s, t);
	if (r == 0)
		r = s.out.err;
	if (r == 0)
		puts(nctl_strbuf_str(&s.out));
	else
		fprintf(stderr, "jsonroutes: %s\n", strerror(-r));
	fprintf(stderr, "%u messages encoded again, %u of them differ\n", s.encoded, s.different);
	different = s.different > 0;
	fini(&s);
	return r < 0 || different;
}
