/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <errno.h>
#include <string.h>
#include <linux/netlink.h>

#include "codec/route.h"

/*
 * What the decoders of routes, next hops, rules and neighbours share: a walk that is inlined (a million
 * routes pass here), readers that check the length, and the attributes that nobody knows.
 */

struct nctl_walk {
	const uint8_t *p, *end;
	bool bad; /* what is left is no attribute */
};

static inline struct nctl_walk nctl_walk_of(const void *data, size_t n)
{
	return (struct nctl_walk){data, n ? (const uint8_t *)data + n : data, false};
}

/* The attributes behind a family header of hdr_len bytes, a multiple of 4 that the message has. */
static inline struct nctl_walk nctl_walk_msg(const struct nlmsghdr *nlh, size_t hdr_len)
{
	return nctl_walk_of(
		(const uint8_t *)nlh + NLMSG_HDRLEN + hdr_len, nlh->nlmsg_len - NLMSG_HDRLEN - hdr_len);
}

/* NULL at the end, or where what is left is malformed (bad). */
static inline const struct nlattr *nctl_walk_next(struct nctl_walk *w)
{
	const struct nlattr *a = (const void *)w->p;
	size_t left = (size_t)(w->end - w->p), padded;

	if (left == 0)
		return NULL;
	if (left < sizeof(*a) || a->nla_len < sizeof(*a) || a->nla_len > left) {
		w->bad = true;
		return NULL;
	}
	padded = NLA_ALIGN(a->nla_len);
	w->p += padded < left ? padded : left;
	return a;
}

static inline const uint8_t *nctl_take_data(const struct nlattr *a)
{
	return (const uint8_t *)a + NLA_HDRLEN;
}

static inline size_t nctl_take_len(const struct nlattr *a)
{
	return (size_t)a->nla_len - NLA_HDRLEN;
}

/* The payload, which must have exactly n bytes. 0 or -EBADMSG, as all below. */
static inline int nctl_take(const struct nlattr *a, void *ret, size_t n)
{
	if (nctl_take_len(a) != n)
		return -EBADMSG;
	memcpy(ret, nctl_take_data(a), n);
	return 0;
}

/* Nothing: it counts that the attribute is there. */
static inline int nctl_take_flag(const struct nlattr *a, bool *ret)
{
	*ret = true;
	return nctl_take_len(a) == 0 ? 0 : -EBADMSG;
}

static inline int nctl_take_u8(const struct nlattr *a, uint8_t *ret)
{
	return nctl_take(a, ret, sizeof(*ret));
}

static inline int nctl_take_u16(const struct nlattr *a, uint16_t *ret)
{
	return nctl_take(a, ret, sizeof(*ret));
}

static inline int nctl_take_u32(const struct nlattr *a, uint32_t *ret)
{
	return nctl_take(a, ret, sizeof(*ret));
}

static inline int nctl_take_u64(const struct nlattr *a, uint64_t *ret)
{
	return nctl_take(a, ret, sizeof(*ret));
}

/* An address of that family and a length that it may have. */
static inline int nctl_take_prefix(
	const struct nlattr *a, uint8_t family, uint8_t len, struct nctl_prefix *ret)
{
	size_t n = nctl_prefix_bytes(family);

	if (n == 0 || nctl_take_len(a) != n)
		return -EBADMSG;
	*ret = (struct nctl_prefix){.family = family, .len = len};
	memcpy(ret->addr, nctl_take_data(a), n);
	return 0;
}

static inline int nctl_take_address(const struct nlattr *a, uint8_t family, struct nctl_prefix *ret)
{
	return nctl_take_prefix(a, family, (uint8_t)nctl_prefix_bits(family), ret);
}

/* An address of the family that its size tells. */
static inline int nctl_take_any_address(const struct nlattr *a, struct nctl_prefix *ret)
{
	return nctl_take_address(a, nctl_take_len(a) == 4 ? AF_INET : AF_INET6, ret);
}

/* Attributes, kept as they are; they must be well-formed. */
int nctl_take_nest(const struct nlattr *a, struct nctl_bytes *ret);
/*
 * Without what some architectures put in front of the first attribute of an IP encapsulation, so that it is aligned
 * (net/ipv4/ip_tunnel_core.c ip_tun_fill_encap_info): in an event and in a dump it may differ.
 */
void nctl_take_encap_pad(struct nctl_hop *h);
/* struct rtvia: an address of any family of ours. */
int nctl_take_via(const struct nlattr *a, struct nctl_prefix *ret);

/* Unknown attributes of one level, ascending by type; equal types in the order of the message. */
#define NCTL_UNKNOWN_MAX 64 /* no kernel sends as many that we do not know */
struct nctl_unknown {
	size_t n;
	const struct nlattr *v[NCTL_UNKNOWN_MAX];
};
/* 0, or -EBADMSG: too many. */
int nctl_unknown_add(struct nctl_unknown *u, const struct nlattr *a);
/*
 * Copies them one behind the other, padded with zeros, to s->rest behind the *used bytes that the same
 * message has there already. 0 or -ENOMEM.
 */
int nctl_unknown_store(const struct nctl_unknown *u, const struct nlmsghdr *nlh, struct nctl_route_scratch *s,
	size_t *used, struct nctl_bytes *ret);

/* Room for n hops. 0 or -ENOMEM. Those that are there stay. */
int nctl_route_scratch_hops(struct nctl_route_scratch *s, size_t n);

/* RTA_* or NHA_* of an encapsulation, in the kernel's order; nothing without one. */
void nctl_encode_encap(const struct nctl_hop *h, uint16_t attr, uint16_t attr_type, struct nctl_msgbuf *msg);
void nctl_encode_address(const struct nctl_prefix *p, uint16_t attr, struct nctl_msgbuf *msg);
void nctl_encode_rest(struct nctl_bytes rest, struct nctl_msgbuf *msg);
