/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Any bytes as messages of routes, next hops, rules and neighbours: each is refused, or becomes a value
 * that prints as one JSON object and, encoded and decoded again, is the same.
 *
 *	fuzz-routes CORPUS
 *	fuzz-routes-plain SECONDS [SEED]     without libFuzzer; makes its own messages and spoils them
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <linux/rtnetlink.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "codec/route.h"
#include "nl/attr.h"
#include "plain.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t believed, refused;
static struct nctl_route_scratch scratch, again;
static uint32_t out[1 << 17];

#define CHECK(expression)                                                                                    \
	do {                                                                                                 \
		if (!(expression)) {                                                                         \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #expression);                     \
			abort();                                                                             \
		}                                                                                            \
	} while (0)

static const char *link_name(const void *userdata, uint32_t ifindex)
{
	(void)userdata;
	return ifindex % 2 ? "v0" : NULL;
}

static const struct nctl_names names = {.link_name = link_name};

/* What was encoded, or NULL: it was too long. */
static const struct nlmsghdr *encoded(struct nctl_msgbuf *msg)
{
	return nctl_msg_commit(msg, 1) == 0 ? (const void *)out : NULL;
}

static void check_route(const struct nctl_route *a, struct nctl_msgbuf *msg, struct nctl_json *json)
{
	const struct nlmsghdr *nlh;
	struct nctl_route b;

	nctl_route_json(a, &names, json);
	nctl_route_encode_state(a, msg);
	nlh = encoded(msg);
	if (!nlh)
		return;
	CHECK(nctl_route_decode(nlh, &again, &b) == 0);
	CHECK(nctl_route_diff(a, &b) == 0 && a->table == b.table);
	CHECK(nctl_prefix_equal(&a->dst, &b.dst) && nctl_prefix_equal(&a->src, &b.src));
}

static void check_nexthop(const struct nctl_nexthop *a, struct nctl_msgbuf *msg, struct nctl_json *json)
{
	const struct nlmsghdr *nlh;
	struct nctl_nexthop b;

	nctl_nexthop_json(a, &names, json);
	nctl_nexthop_encode_state(a, msg);
	nlh = encoded(msg);
	if (!nlh)
		return;
	CHECK(nctl_nexthop_decode(nlh, &again, &b) == 0);
	CHECK(!nctl_nexthop_differs(a, &b, true));
}

static void check_rule(const struct nctl_rule *a, struct nctl_msgbuf *msg, struct nctl_json *json)
{
	const struct nlmsghdr *nlh;
	struct nctl_rule b;

	nctl_rule_json(a, json);
	nctl_rule_encode_state(a, msg);
	nlh = encoded(msg);
	if (!nlh)
		return;
	CHECK(nctl_rule_decode(nlh, &again, &b) == 0);
	CHECK(nctl_rule_equal(a, &b, true));
}

/* 0, or why it was refused. */
static int check_message(const struct nlmsghdr *nlh, struct nctl_json *json)
{
	struct nctl_nexthop nexthop;
	struct nctl_neigh neigh;
	struct nctl_route route;
	struct nctl_rule rule;
	struct nctl_msgbuf msg;
	int r;

	nctl_msgbuf_init(&msg, out, sizeof(out));
	r = nctl_route_decode(nlh, &scratch, &route);
	if (r == 0)
		check_route(&route, &msg, json);
	if (r != NCTL_CODEC_SKIP)
		return r;
	r = nctl_nexthop_decode(nlh, &scratch, &nexthop);
	if (r == 0)
		check_nexthop(&nexthop, &msg, json);
	if (r != NCTL_CODEC_SKIP)
		return r;
	r = nctl_rule_decode(nlh, &scratch, &rule);
	if (r == 0)
		check_rule(&rule, &msg, json);
	if (r != NCTL_CODEC_SKIP)
		return r;
	r = nctl_neigh_decode(nlh, &scratch, &neigh);
	if (r == 0)
		nctl_neigh_json(&neigh, &names, json);
	return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(nctl_freep) uint8_t *copy = malloc(size ? size : 1); /* aligned, and not a byte longer */
	struct nctl_strbuf text = NCTL_STRBUF_INIT;
	const struct nlmsghdr *nlh = NULL;
	struct nctl_json json;
	int r;

	if (!copy)
		return 0;
	memcpy(copy, data, size);
	while ((nlh = nctl_msg_next(copy, size, nlh))) {
		nctl_strbuf_reset(&text);
		nctl_json_init(&json, &text);
		r = check_message(nlh, &json);
		CHECK(r == 0 || r == NCTL_CODEC_SKIP || r == -EBADMSG || r == -ENOMEM);
		CHECK(text.err == 0 && json.depth == 0 && (text.len > 0) == (r == 0));
		believed += r == 0;
		refused += r < 0;
	}
	nctl_strbuf_fini(&text);
	return 0;
}

#ifdef PLAIN
enum { INPUT_MAX = 4096 };

static uint32_t below(uint32_t n)
{
	return n ? any(n) : 0;
}

/* Attributes of mostly the sizes that they should have, nested now and then. Returns the bytes. */
static size_t make_attrs(uint8_t *p, size_t room, unsigned depth)
{
	static const uint8_t sizes[] = {4, 4, 4, 4, 8, 16, 1, 2, 0, 32};
	struct nlattr a;
	size_t at = 0, n;

	for (uint32_t left = below(8); left > 0 && room - at > 64; left--) {
		a.nla_type = (uint16_t)any(32);
		n = sizes[any(sizeof(sizes))];
		if (depth < 3 && any(8) == 0)
			n = make_attrs(p + at + sizeof(a), room - at - sizeof(a), depth + 1);
		else
			for (size_t i = 0; i < n; i++)
				p[at + sizeof(a) + i] = (uint8_t)(any(2) ? any(256) : any(3));
		a.nla_len = (uint16_t)(sizeof(a) + n);
		memcpy(p + at, &a, sizeof(a));
		at += NLA_ALIGN(sizeof(a) + n);
	}
	return at;
}

static size_t make_message(uint8_t *buf)
{
	static const uint16_t types[] = {
		RTM_NEWROUTE, RTM_DELROUTE, RTM_NEWNEXTHOP, RTM_NEWRULE, RTM_NEWNEIGH};
	static const uint8_t families[] = {AF_INET, AF_INET6, AF_BRIDGE, AF_UNSPEC};
	struct nlmsghdr nlh = {.nlmsg_type = types[any(5)]};
	size_t header = nlh.nlmsg_type == RTM_NEWNEXTHOP ? 8 : 12;

	memset(buf, 0, INPUT_MAX);
	for (size_t i = 1; i < header; i++)
		buf[sizeof(nlh) + i] = (uint8_t)(any(2) ? 0 : any(4) ? any(33) : any(256));
	buf[sizeof(nlh)] = families[any(any(4) ? 2 : 4)];
	nlh.nlmsg_len = (uint32_t)(sizeof(nlh) + header);
	nlh.nlmsg_len += (uint32_t)make_attrs(buf + nlh.nlmsg_len, INPUT_MAX - nlh.nlmsg_len, 0);
	memcpy(buf, &nlh, sizeof(nlh));
	return nlh.nlmsg_len;
}

static void step(void)
{
	static uint8_t buf[INPUT_MAX];
	size_t len = make_message(buf);

	for (uint32_t n = any(4); n > 0; n--)
		buf[any((uint32_t)len)] = (uint8_t)any(256);
	if (any(8) == 0)
		len = any((uint32_t)len + 1);
	LLVMFuzzerTestOneInput(buf, len);
}

int main(int argc, char **argv)
{
	uint64_t n;
	int r = run_plain(argc, argv, step, &n);

	nctl_route_scratch_fini(&scratch);
	nctl_route_scratch_fini(&again);
	if (r)
		return r;
	printf("# %llu messages, %llu believed, %llu refused\n", (unsigned long long)n,
		(unsigned long long)believed, (unsigned long long)refused);
	return believed && refused ? 0 : 1;
}
#endif
