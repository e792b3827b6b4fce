/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: two messages, attribute by attribute. Order says nothing; a nest is compared by what is inside, since
 * ours may be in another order, everything else byte by byte. Anything whose bytes differ and that both sides
 * can read as attributes is taken for a nest: equal contents in another order are equal then, and for what is
 * no nest that is as good as never so.
 */
#include <stdio.h>
#include <string.h>
#include <linux/lwtunnel.h>
#include <linux/rtnetlink.h>

#include "base/cleanup.h"
#include "nl/attr.h"
#include "verify/private.h"

enum {
	NEST_MAX = 8192, /* attributes of one nest: all VLANs of a port, and more */
	DEPTH_MAX = 6,
};

static bool is_nest(const void *data, size_t len)
{
	const struct nlattr *a = NULL;
	size_t seen = 0;

	while ((a = nctl_attr_next(data, len, a)))
		seen = (size_t)((const uint8_t *)a - (const uint8_t *)data) + NLA_ALIGN(a->nla_len);
	return len && seen >= len;
}

static void enter(const struct nctl_verify *v, const struct verify_spot *from, const struct nlattr *a,
	struct verify_spot *to)
{
	char buf[16];

	*to = *from;
	to->depth++;
	if (from->depth == 0) {
		to->top = nctl_attr_type(a);
		snprintf(to->path, sizeof(to->path), "%s", verify_attr_name(v->type, to->top, buf));
	} else {
		snprintf(to->path, sizeof(to->path), "%.100s/%u", from->path, nctl_attr_type(a));
	}
}

/* RTA_MULTIPATH: hop by hop, in order, each a struct rtnexthop and attributes (linux/rtnetlink.h). */
static bool compare_hops(struct nctl_verify *v, struct verify_spot *at, const uint8_t *a, size_t a_len,
	const uint8_t *b, size_t b_len, bool tell)
{
	while (a_len >= sizeof(struct rtnexthop) && b_len >= sizeof(struct rtnexthop)) {
		struct rtnexthop x, y;

		memcpy(&x, a, sizeof(x));
		memcpy(&y, b, sizeof(y));
		if (x.rtnh_len < sizeof(x) || y.rtnh_len < sizeof(y) || x.rtnh_len > a_len ||
			y.rtnh_len > b_len || x.rtnh_flags != y.rtnh_flags || x.rtnh_hops != y.rtnh_hops ||
			x.rtnh_ifindex != y.rtnh_ifindex)
			return false;
		if (!verify_nest(v, at, a + sizeof(x), x.rtnh_len - sizeof(x), b + sizeof(y),
			    y.rtnh_len - sizeof(y), tell))
			return false;
		a_len -= nctl_min((size_t)RTNH_ALIGN(x.rtnh_len), a_len);
		b_len -= nctl_min((size_t)RTNH_ALIGN(y.rtnh_len), b_len);
		a += RTNH_ALIGN(x.rtnh_len);
		b += RTNH_ALIGN(y.rtnh_len);
	}
	return a_len == 0 && b_len == 0;
}

static bool payload_equal(
	struct nctl_verify *v, struct verify_spot *at, const struct nlattr *x, const struct nlattr *y)
{
	const void *a = nctl_attr_data(x), *b = nctl_attr_data(y);
	size_t a_len = nctl_attr_len(x), b_len = nctl_attr_len(y);

	if (a_len == b_len && memcmp(a, b, a_len) == 0)
		return true;
	if (at->depth == 1 && at->top == RTA_MULTIPATH &&
		(v->type == NCTL_OBJECT_ROUTE4 || v->type == NCTL_OBJECT_ROUTE6))
		return compare_hops(v, at, a, a_len, b, b_len, false);
	/* An empty nest and one of which all is skipped are alike. */
	if (at->depth >= DEPTH_MAX || (a_len && !is_nest(a, a_len)) || (b_len && !is_nest(b, b_len)))
		return false;
	return verify_nest(v, at, a, a_len, b, b_len, false);
}

static bool is_used(const uint8_t *used, int i)
{
	return used[i / 8] & 1u << i % 8;
}

/*
 * The place of what is equal to x among the attributes of data that are not used yet, or -1; other: of one of
 * the same type at least.
 */
static int find_partner(struct nctl_verify *v, struct verify_spot *at, const struct nlattr *x,
	const void *data, size_t len, const uint8_t *used, int *ret_other)
{
	const struct nlattr *y = NULL;

	*ret_other = -1;
	for (int i = 0; i < NEST_MAX && (y = nctl_attr_next(data, len, y)); i++) {
		if (nctl_attr_type(y) != nctl_attr_type(x) || is_used(used, i))
			continue;
		if (payload_equal(v, at, x, y))
			return i;
		*ret_other = *ret_other < 0 ? i : *ret_other;
	}
	return -1;
}

static bool leftover(struct nctl_verify *v, const struct verify_spot *at, const void *data, size_t len,
	const uint8_t *used, bool tell)
{
	const struct nlattr *y = NULL;
	bool equal = true;
	struct verify_spot in;

	for (int i = 0; i < NEST_MAX && (y = nctl_attr_next(data, len, y)); i++) {
		if (is_used(used, i))
			continue;
		enter(v, at, y, &in);
		if (verify_is_skipped(v->type, in.path))
			continue;
		equal = false;
		if (tell)
			verify_differ(v, "%s is in the mirror, not in the kernel", in.path);
	}
	return equal;
}

/* Nothing, so that what follows in an encapsulation is aligned; ours has none (nctl_take_encap_pad). */
static bool is_padding(const struct verify_spot *in, const struct nlattr *x)
{
	_Static_assert((int)LWTUNNEL_IP_PAD == 7 && (int)LWTUNNEL_IP6_PAD == 7 && RTA_ENCAP == 22, "the numbers below");
	return nctl_attr_len(x) == 0 &&
	       (strcmp(in->path, "RTA_ENCAP/7") == 0 || strcmp(in->path, "NHA_ENCAP/7") == 0 ||
		       strcmp(in->path, "RTA_MULTIPATH/22/7") == 0);
}

/* Counts an attribute at the top as compared. True: it is skipped. */
static bool note(struct nctl_verify *v, const struct verify_spot *in, const struct nlattr *x)
{
	if (verify_is_skipped(v->type, in->path) || is_padding(in, x))
		return true;
	if (in->depth == 1 && in->top < VERIFY_ATTRS_MAX)
		v->results[v->type].attrs[in->top]++;
	return false;
}

bool verify_nest(struct nctl_verify *v, const struct verify_spot *at, const void *a, size_t a_len,
	const void *b, size_t b_len, bool tell)
{
	uint8_t used[NEST_MAX / 8] = {0};
	const struct nlattr *x = NULL;
	bool equal = true;
	struct verify_spot in;

	while ((x = nctl_attr_next(a, a_len, x))) {
		int i, other;

		enter(v, at, x, &in);
		if (note(v, &in, x))
			continue;
		i = find_partner(v, &in, x, b, b_len, used, &other);
		if (i < 0) {
			equal = false;
			if (tell)
				verify_differ(v, "%s %s", in.path,
					other >= 0 ? "differs" : "is in the kernel, not in the mirror");
			i = other; /* told as one difference */
		}
		if (i >= 0)
			used[i / 8] |= (uint8_t)(1u << i % 8);
	}
	return leftover(v, at, b, b_len, used, tell) && equal;
}

void verify_attrs(
	struct nctl_verify *v, const struct nlmsghdr *theirs, const struct nlmsghdr *ours, size_t hdr_len)
{
	size_t skip_len = NLMSG_LENGTH(NLMSG_ALIGN(hdr_len));
	struct verify_spot top = {.depth = 0};

	if (theirs->nlmsg_len < skip_len || ours->nlmsg_len < skip_len)
		return;
	verify_nest(v, &top, (const uint8_t *)theirs + skip_len, theirs->nlmsg_len - skip_len,
		(const uint8_t *)ours + skip_len, ours->nlmsg_len - skip_len, true);
}
