/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: proves verify with the messages of the kernel of this namespace: each byte of each attribute of each
 * object is changed in turn, a mirror is made of the changed message, and verify, which is given the message
 * as it was, must report a difference. It need not where the change is none to the mirror: a volatile member,
 * a byte that says nothing. And of a mirror of the messages as they are it must report nothing, an object too
 * few and one too many it must report.
 *
 *   spoil
 *
 * Prints, for each type, how many changes were made, reported, refused by the decoder, and without a meaning.
 */
#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <linux/fib_rules.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>

#include "ask.h"
#include "base/cleanup.h"
#include "base/json.h"
#include "codec/route.h"
#include "mirror/route.h"
#include "nl/attr.h"
#include "verify/verify.h"

#include <stdio.h>
#include <sys/socket.h>

enum { MESSAGES_MAX = 4096 };

/* One list of the kernel, message by message. */
struct list {
	enum nctl_object_type type;
	struct nlmsghdr *v[MESSAGES_MAX];
	size_t n;
};

static struct list lists[NCTL_OBJECT_N_TYPES];
static struct nctl_route_scratch scratch, other_scratch;
static unsigned failed;

static int take(void *userdata, const struct nlmsghdr *h)
{
	struct list *l = userdata;

	if (l->n == MESSAGES_MAX)
		return -E2BIG;
	l->v[l->n] = malloc(NLMSG_ALIGN(h->nlmsg_len));
	if (!l->v[l->n])
		return -ENOMEM;
	memcpy(l->v[l->n++], h, h->nlmsg_len);
	return 0;
}

/* The list of a type; a kernel without such objects has none. */
static void dump(struct nctl_transport *t, struct list *l, uint16_t type, const void *hdr, size_t hdr_len)
{
	_Alignas(4) uint8_t room[128];
	struct nctl_msgbuf msg;
	int r;

	nctl_msgbuf_init(&msg, room, sizeof(room));
	nctl_msg_begin(&msg, type, NLM_F_DUMP, hdr, hdr_len);
	if (type == RTM_GETLINK)
		nctl_msg_put_u32(&msg, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS);
	if (nctl_msg_commit(&msg, 1) != 0)
		errx(1, "a request is too long");
	r = ask(t, &msg, take, l);
	if (r < 0 && r != -EOPNOTSUPP)
		errx(1, "dump %u: %s", type, strerror(-r));
}

/* What the decoder made of the message, put into m. As the decoders; > 0: not an object of ours. */
static int put(struct nctl_mirror *m, enum nctl_object_type type, const struct nlmsghdr *h)
{
	struct nctl_link link;
	struct nctl_addr addr;
	struct nctl_nexthop nexthop;
	struct nctl_rule rule;
	struct nctl_route route;
	int r = -EINVAL;

	switch (type) {
	case NCTL_OBJECT_LINK:
		r = nctl_link_decode(h, &link);
		return r ? r : nctl_mirror_link_put(m, &link, NCTL_SOURCE_EVENT);
	case NCTL_OBJECT_ADDR:
		r = nctl_addr_decode(h, &addr);
		return r ? r : nctl_mirror_addr_put(m, &addr, NCTL_SOURCE_EVENT);
	case NCTL_OBJECT_NEXTHOP:
		r = nctl_nexthop_decode(h, &scratch, &nexthop);
		return r ? r : nctl_mirror_nexthop_put(m, &nexthop, NCTL_SOURCE_EVENT);
	case NCTL_OBJECT_RULE:
		r = nctl_rule_decode(h, &scratch, &rule);
		/* Those of multicast routing are not the mirror's (lib/exec/feed.c). */
		if (r == 0 && rule.family != AF_INET && rule.family != AF_INET6)
			return 1;
		return r ? r : nctl_mirror_rule_put(m, &rule, NCTL_SOURCE_EVENT);
	case NCTL_OBJECT_ROUTE4:
	case NCTL_OBJECT_ROUTE6:
		r = nctl_route_decode(h, &scratch, &route);
		return r ? r
		         : nctl_mirror_route_put(m, &route, NLM_F_CREATE | NLM_F_APPEND, NCTL_SOURCE_EVENT);
	case NCTL_OBJECT_N_TYPES:
		break;
	}
	return r;
}

static bool route_means_the_same(const struct nlmsghdr *a, const struct nlmsghdr *b)
{
	struct nctl_route x, y;

	return nctl_route_decode(a, &scratch, &x) == 0 && nctl_route_decode(b, &other_scratch, &y) == 0 &&
	       nctl_route_diff(&x, &y) == 0 && x.table == y.table && x.metric == y.metric && x.tos == y.tos &&
	       nctl_prefix_equal(&x.dst, &y.dst) && nctl_prefix_equal(&x.src, &y.src);
}

static bool link_means_the_same(const struct nlmsghdr *a, const struct nlmsghdr *b)
{
	struct nctl_link x, y;
	struct nctl_link_diff diff;
	bool same;

	if (nctl_link_decode(a, &x) != 0)
		return false;
	if (nctl_link_decode(b, &y) != 0) {
		nctl_link_fini(&x);
		return false;
	}
	same = x.ifindex == y.ifindex && !nctl_link_compare(&x, &y, &diff);
	nctl_link_fini(&x);
	nctl_link_fini(&y);
	return same;
}

/* Is b, to the mirror, what a is? */
static bool means_the_same(enum nctl_object_type type, const struct nlmsghdr *a, const struct nlmsghdr *b)
{
	struct nctl_addr p, q;
	struct nctl_nexthop n, o;
	struct nctl_rule r, s;

	switch (type) {
	case NCTL_OBJECT_LINK:
		return link_means_the_same(a, b);
	case NCTL_OBJECT_ADDR:
		return nctl_addr_decode(a, &p) == 0 && nctl_addr_decode(b, &q) == 0 &&
		       nctl_addr_cmp(&p, &q) == 0 &&
		       (nctl_addr_diff(&p, &q) & ~NCTL_ADDR_BIT(LIFETIMES)) == 0;
	case NCTL_OBJECT_NEXTHOP:
		return nctl_nexthop_decode(a, &scratch, &n) == 0 &&
		       nctl_nexthop_decode(b, &other_scratch, &o) == 0 && n.id == o.id &&
		       !nctl_nexthop_differs(&n, &o, true);
	case NCTL_OBJECT_RULE:
		return nctl_rule_decode(a, &scratch, &r) == 0 &&
		       nctl_rule_decode(b, &other_scratch, &s) == 0 && nctl_rule_equal(&r, &s, true);
	case NCTL_OBJECT_ROUTE4:
	case NCTL_OBJECT_ROUTE6:
		return route_means_the_same(a, b);
	case NCTL_OBJECT_N_TYPES:
		break;
	}
	return true;
}

/* Differences between m and these messages; m is settled. */
static size_t verify(const struct nctl_mirror *m, enum nctl_object_type type, struct nlmsghdr *const *v,
	size_t n, bool tell)
{
	_cleanup_(nctl_verify_freep) struct nctl_verify *check = NULL;
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf out = NCTL_STRBUF_INIT;
	struct nctl_json json;

	if (nctl_verify_new(m, &check) < 0)
		err(1, NULL);
	nctl_verify_begin(check, type);
	for (size_t i = 0; i < n; i++)
		if (nctl_verify_message(check, v[i]) < 0)
			err(1, NULL);
	while (nctl_verify_end(check, 64))
		;
	if (tell && nctl_verify_count_differences(check)) {
		nctl_json_init(&json, &out);
		nctl_verify_json(check, &json);
		printf("# %s\n", nctl_strbuf_str(&out));
	}
	return nctl_verify_count_differences(check);
}

static struct nctl_mirror *mirror_of(enum nctl_object_type type, const struct nlmsghdr *h, int *ret)
{
	struct nctl_mirror *m;

	if (nctl_mirror_new(&m) < 0)
		err(1, NULL);
	/* An address lives on a link. */
	for (size_t i = 0; type == NCTL_OBJECT_ADDR && i < lists[NCTL_OBJECT_LINK].n; i++)
		put(m, NCTL_OBJECT_LINK, lists[NCTL_OBJECT_LINK].v[i]);
	*ret = put(m, type, h);
	while (nctl_mirror_work(m, 1000))
		;
	return m;
}

/* Of RTA_MULTIPATH: where the attributes of the hop start that has the byte at, and where they end. */
static bool find_hop(const uint8_t *data, size_t len, size_t at, size_t *ret_start, size_t *ret_end)
{
	struct rtnexthop nh;

	for (size_t pos = 0; pos + sizeof(nh) <= len; pos += RTNH_ALIGN(nh.rtnh_len)) {
		memcpy(&nh, data + pos, sizeof(nh));
		if (nh.rtnh_len < sizeof(nh) || pos + nh.rtnh_len > len)
			return false;
		*ret_start = pos + sizeof(nh);
		*ret_end = pos + nh.rtnh_len;
		if (at >= *ret_start && at < *ret_end)
			return true;
	}
	return false;
}

/*
 * Is the byte at the offset at none of an attribute, but behind one inside of a nest? What cannot be a nest
 * is none. Kernels send zeros there, and nothing is meant by it.
 */
static bool is_padding(const uint8_t *data, size_t len, size_t at)
{
	const struct nlattr *a = NULL;

	while ((a = nctl_attr_next(data, len, a))) {
		size_t start = (size_t)((const uint8_t *)a - data), end = start + a->nla_len, hop, hop_end;

		if (at < start + NLA_HDRLEN || at >= start + NLA_ALIGN(a->nla_len))
			continue;
		if (at < end && nctl_attr_type(a) == RTA_MULTIPATH &&
			find_hop(data + start + NLA_HDRLEN, end - start - NLA_HDRLEN, at - start - NLA_HDRLEN,
				&hop, &hop_end))
			return is_padding(data + start + NLA_HDRLEN + hop, hop_end - hop,
				at - start - NLA_HDRLEN - hop);
		return at >= end || is_padding(data + start + NLA_HDRLEN, end - start - NLA_HDRLEN,
					    at - start - NLA_HDRLEN);
	}
	return false;
}

struct counts {
	unsigned made, reported, refused, meaningless;
};

/* h, one byte of which is another one, against the message as it was. */
static void spoil_byte(const struct list *l, struct nlmsghdr *spoilt, struct nlmsghdr *whole, size_t hdr_len,
	size_t at, struct counts *c)
{
	uint8_t *byte = (uint8_t *)spoilt + at;
	struct nctl_mirror *m;
	int r;

	*byte ^= 1;
	c->made++;
	m = mirror_of(l->type, spoilt, &r);
	if (r != 0) {
		c->refused++;
	} else if (means_the_same(l->type, whole, spoilt)) {
		c->meaningless++;
	} else if (verify(m, l->type, &whole, 1, false)) {
		c->reported++;
	} else if (is_padding((uint8_t *)whole + NLMSG_LENGTH(hdr_len),
			   whole->nlmsg_len - NLMSG_LENGTH(hdr_len), at - NLMSG_LENGTH(hdr_len))) {
		c->meaningless++;
	} else {
		failed++;
		printf("# type %d: byte %zu of a message of %u is spoilt, and verify says nothing\n", l->type,
			at, whole->nlmsg_len);
	}
	nctl_mirror_free(m);
	*byte ^= 1;
}

static void spoil(const struct list *l, size_t hdr_len, struct counts *c)
{
	for (size_t i = 0; i < l->n; i++) {
		struct nlmsghdr *spoilt = malloc(NLMSG_ALIGN(l->v[i]->nlmsg_len));

		if (!spoilt)
			err(1, NULL);
		memcpy(spoilt, l->v[i], l->v[i]->nlmsg_len);
		for (size_t at = NLMSG_LENGTH(hdr_len); at < l->v[i]->nlmsg_len; at++)
			spoil_byte(l, spoilt, l->v[i], hdr_len, at, c);
		free(spoilt);
	}
}

static void expect(bool ok, const char *what)
{
	failed += !ok;
	printf("%s - %s\n", ok ? "ok" : "not ok", what);
}

/* All of them, one too few in the mirror, and one too few in the kernel. */
static void whole(const struct list *l, const char *name)
{
	struct nctl_mirror *m, *fewer;
	char what[64];

	if (nctl_mirror_new(&m) < 0 || nctl_mirror_new(&fewer) < 0)
		err(1, NULL);
	for (size_t i = 0; l->type == NCTL_OBJECT_ADDR && i < lists[NCTL_OBJECT_LINK].n; i++) {
		put(m, NCTL_OBJECT_LINK, lists[NCTL_OBJECT_LINK].v[i]);
		put(fewer, NCTL_OBJECT_LINK, lists[NCTL_OBJECT_LINK].v[i]);
	}
	for (size_t i = 0; i < l->n; i++) {
		put(m, l->type, l->v[i]);
		if (i + 1 < l->n)
			put(fewer, l->type, l->v[i]);
	}
	snprintf(what, sizeof(what), "%s: %zu as they are", name, l->n);
	expect(verify(m, l->type, l->v, l->n, true) == 0, what);
	if (l->n) {
		snprintf(what, sizeof(what), "%s: one that the kernel lacks", name);
		expect(verify(m, l->type, l->v, l->n - 1, false) > 0, what);
		snprintf(what, sizeof(what), "%s: one that the mirror lacks", name);
		expect(verify(fewer, l->type, l->v, l->n, false) > 0, what);
	}
	nctl_mirror_free(m);
	nctl_mirror_free(fewer);
}

int main(void)
{
	static const struct {
		const char *name;
		uint16_t request;
		size_t hdr_len;
		uint8_t family;
	} types[NCTL_OBJECT_N_TYPES] = {
		[NCTL_OBJECT_LINK] = {"link", RTM_GETLINK, sizeof(struct ifinfomsg), AF_UNSPEC},
		[NCTL_OBJECT_ADDR] = {"address", RTM_GETADDR, sizeof(struct ifaddrmsg), AF_UNSPEC},
		[NCTL_OBJECT_NEXTHOP] = {"nexthop", RTM_GETNEXTHOP, sizeof(struct nhmsg), AF_UNSPEC},
		[NCTL_OBJECT_RULE] = {"rule", RTM_GETRULE, sizeof(struct fib_rule_hdr), AF_UNSPEC},
		[NCTL_OBJECT_ROUTE4] = {"route", RTM_GETROUTE, sizeof(struct rtmsg), AF_INET},
		[NCTL_OBJECT_ROUTE6] = {"route6", RTM_GETROUTE, sizeof(struct rtmsg), AF_INET6},
	};
	_cleanup_(nctl_transport_freep) struct nctl_transport *t = NULL;
	struct nctl_kernel *k = nctl_kernel_here();
	int r;

	r = k->open(k, NCTL_TRANSPORT_REQUEST, &t);
	if (r < 0)
		errx(1, "netlink: %s", strerror(-r));
	for (int i = 0; i < NCTL_OBJECT_N_TYPES; i++) {
		uint8_t hdr[16] = {
			types[i].family}; /* the family is the first byte of all of these headers */

		lists[i].type = (enum nctl_object_type)i;
		dump(t, &lists[i], types[i].request, hdr, types[i].hdr_len);
	}
	for (int i = 0; i < NCTL_OBJECT_N_TYPES; i++) {
		struct counts c = {0};
		char what[160];

		whole(&lists[i], types[i].name);
		spoil(&lists[i], types[i].hdr_len, &c);
		snprintf(what, sizeof(what),
			"%s: %u bytes spoilt, %u reported, %u refused, %u without a meaning", types[i].name,
			c.made, c.reported, c.refused, c.meaningless);
		expect(c.made == c.reported + c.refused + c.meaningless, what);
	}
	nctl_route_scratch_fini(&scratch);
	nctl_route_scratch_fini(&other_scratch);
	for (int i = 0; i < NCTL_OBJECT_N_TYPES; i++)
		while (lists[i].n)
			free(lists[i].v[--lists[i].n]);
	return failed != 0;
}
