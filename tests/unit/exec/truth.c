/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: mirrors compared with the fake kernel, which is asked without a hub.
 */
#include "truth.h"

#include <errno.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "codec/codec.h"
#include "nl/attr.h"
#include "test.h"

static void feed(struct nctl_mirror *m, const struct nlmsghdr *nlh)
{
	struct nctl_link l;
	struct nctl_addr a;

	if (nlh->nlmsg_type == RTM_NEWLINK) {
		assert_int_equal(nctl_link_decode(nlh, &l), 0);
		assert_int_equal(nctl_mirror_link_put(m, &l, NCTL_SOURCE_DUMP), 0);
	} else if (nlh->nlmsg_type == RTM_NEWADDR) {
		assert_int_equal(nctl_addr_decode(nlh, &a), 0);
		assert_int_equal(nctl_mirror_addr_put(m, &a, NCTL_SOURCE_DUMP), 0);
	}
}

/* True when the dump is over. */
static bool read_one(struct nctl_transport *t, struct nctl_mirror *m)
{
	_Alignas(8) static uint8_t buf[32768];
	struct nctl_dgram d = {.buf = buf, .cap = sizeof(buf)};
	const struct nlmsghdr *nlh = NULL;

	assert_int_equal(t->ops->recv(t, &d, 1), 1);
	while ((nlh = nctl_msg_next(buf, d.len, nlh))) {
		assert_int_not_equal(nlh->nlmsg_type, NLMSG_ERROR);
		if (nlh->nlmsg_type == NLMSG_DONE)
			return true;
		feed(m, nlh);
	}
	return false;
}

static void dump(struct nctl_transport *t, struct nctl_mirror *m, enum nctl_object_type type)
{
	struct {
		struct nlmsghdr nlh;
		union {
			struct ifinfomsg ifi;
			struct ifaddrmsg ifa;
		};
	} rq = {.nlh = {.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP}};
	bool link = type == NCTL_OBJECT_LINK;

	rq.nlh.nlmsg_type = link ? RTM_GETLINK : RTM_GETADDR;
	rq.nlh.nlmsg_len = NLMSG_LENGTH(link ? sizeof(rq.ifi) : sizeof(rq.ifa));
	nctl_mirror_dump_begin(m, &(struct nctl_dump_scope){.type = type});
	assert_int_equal(t->ops->send(t, &rq, rq.nlh.nlmsg_len), 0);
	while (!read_one(t, m))
		;
	nctl_mirror_dump_end(m, true);
}

struct nctl_mirror *truth_new(struct nctl_fake *f, uint64_t netns)
{
	struct nctl_kernel *k = nctl_fake_netns_kernel(f, netns);
	struct nctl_transport *t;
	struct nctl_mirror *m;
	int r;

	assert_non_null(k);
	r = k->open(k, NCTL_TRANSPORT_REQUEST, &t);
	if (r == -ENOENT) {
		nctl_kernel_unref(k);
		return NULL;
	}
	assert_int_equal(r, 0);
	assert_int_equal(nctl_mirror_new(&m), 0);
	dump(t, m, NCTL_OBJECT_LINK);
	dump(t, m, NCTL_OBJECT_ADDR);
	nctl_transport_free(t);
	nctl_kernel_unref(k);
	return m;
}

__attribute__((format(printf, 2, 3))) static bool differs(const char *label, const char *format, ...)
{
	va_list ap;

	fprintf(stderr, "%s: ", label);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fprintf(stderr, "\n");
	return false;
}

static bool check_addrs(const struct nctl_mirror_link *a, const struct nctl_mirror_link *b, const char *label)
{
	const struct nctl_mirror_addr *x = nctl_mirror_addr_first(a), *y = nctl_mirror_addr_first(b);

	for (; x && y; x = nctl_mirror_addr_next(x), y = nctl_mirror_addr_next(y))
		if (nctl_addr_cmp(&x->v, &y->v) || nctl_addr_diff(&x->v, &y->v))
			return differs(label, "an address of %s differs", a->v.name);
	if (x || y)
		return differs(label, "%s has an address %s", a->v.name, x ? "too many" : "too few");
	return true;
}

static bool check_link(const struct nctl_mirror_link *a, const struct nctl_mirror_link *b, uint64_t ignore,
	const char *label)
{
	struct nctl_link_diff d;

	if (a->v.ifindex != b->v.ifindex)
		return differs(label, "%s (%u) where the kernel has %s (%u)", a->v.name, a->v.ifindex,
			b->v.name, b->v.ifindex);
	nctl_link_compare(&a->v, &b->v, &d);
	d.common &= ~ignore;
	/* What a kind has is changed without a word while the link is down (net/core/dev.c
	 * netdev_state_change). */
	if (ignore && !nctl_link_is_up(&b->v))
		d.data = d.port = 0;
	if (d.common || d.data || d.port || d.kind || d.port_kind)
		return differs(label,
			"%s (%u, lower %u@%d) differs from %s (lower %u@%d) in %llx %llx %llx %d %d "
			"(flags %x and %x, mtu %u and %u)",
			a->v.name, a->v.ifindex, a->v.lower, a->v.lower_nsid, b->v.name, b->v.lower,
			b->v.lower_nsid, (unsigned long long)d.common, (unsigned long long)d.data,
			(unsigned long long)d.port, d.kind, d.port_kind, a->v.flags, b->v.flags, a->v.mtu,
			b->v.mtu);
	return check_addrs(a, b, label);
}

bool truth_equal(
	const struct nctl_mirror *truth, const struct nctl_mirror *m, uint64_t ignore, const char *label)
{
	const struct nctl_mirror_link *a = nctl_mirror_link_from(m, 1), *b = nctl_mirror_link_from(truth, 1);

	for (; a && b; a = nctl_mirror_link_next(a), b = nctl_mirror_link_next(b))
		if (!check_link(a, b, ignore, label))
			return false;
	if (a || b)
		return differs(label, "%s is %s", a ? a->v.name : b->v.name, a ? "not there" : "missing");
	return true;
}

void truth_compare(
	const struct nctl_mirror *truth, const struct nctl_mirror *m, uint64_t ignore, const char *label)
{
	if (!truth_equal(truth, m, ignore, label))
		fail();
}

void truth_check(
	struct nctl_fake *f, uint64_t netns, const struct nctl_mirror *m, uint64_t ignore, const char *label)
{
	struct nctl_mirror *truth = truth_new(f, netns);

	assert_non_null(truth);
	truth_compare(truth, m, ignore, label);
	nctl_mirror_free(truth);
}
