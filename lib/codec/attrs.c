/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: what the decoders of routes, next hops, rules and neighbours share, and is not hot. Unknown attributes
 * are gathered in ascending order of their types, so that two objects are equal if these bytes are, whatever
 * order a kernel sends them in.
 */
#include <stdlib.h>
#include <string.h>
#include <linux/lwtunnel.h>
#include <linux/rtnetlink.h>

#include "codec/attrs.h"

int nctl_take_nest(const struct nlattr *a, struct nctl_bytes *ret)
{
	struct nctl_walk w = nctl_walk_of(nctl_take_data(a), nctl_take_len(a));

	while (nctl_walk_next(&w))
		;
	if (w.bad)
		return -EBADMSG;
	*ret = nctl_take_len(a) ? (struct nctl_bytes){nctl_take_data(a), (uint32_t)nctl_take_len(a)}
	                        : NCTL_BYTES_NULL;
	return 0;
}

void nctl_take_encap_pad(struct nctl_hop *h)
{
	struct nlattr a;

	if ((h->encap_type != LWTUNNEL_ENCAP_IP && h->encap_type != LWTUNNEL_ENCAP_IP6) ||
		h->encap.n < sizeof(a))
		return;
	memcpy(&a, h->encap.p, sizeof(a));
	if (a.nla_len != sizeof(a) || (a.nla_type & NLA_TYPE_MASK) != LWTUNNEL_IP_PAD)
		return;
	h->encap.n -= (uint32_t)sizeof(a);
	h->encap.p = h->encap.n ? h->encap.p + sizeof(a) : NULL;
}

int nctl_take_via(const struct nlattr *a, struct nctl_prefix *ret)
{
	struct rtvia via;
	size_t n;

	if (nctl_take_len(a) < sizeof(via))
		return -EBADMSG;
	memcpy(&via, nctl_take_data(a), sizeof(via));
	n = via.rtvia_family <= UINT8_MAX ? nctl_prefix_bytes((uint8_t)via.rtvia_family) : 0;
	if (n == 0 || nctl_take_len(a) != sizeof(via) + n)
		return -EBADMSG;
	return nctl_prefix_from_bytes(nctl_take_data(a) + sizeof(via), n, (uint8_t)(n * 8), ret);
}

int nctl_unknown_add(struct nctl_unknown *u, const struct nlattr *a)
{
	uint16_t type = a->nla_type & NLA_TYPE_MASK;
	size_t i = u->n;

	if (i == NCTL_UNKNOWN_MAX)
		return -EBADMSG;
	for (; i > 0 && (u->v[i - 1]->nla_type & NLA_TYPE_MASK) > type; i--)
		u->v[i] = u->v[i - 1];
	u->v[i] = a;
	u->n++;
	return 0;
}

/*
 * All of a message at once, so that what points there stays: the attributes of a message, padded, never take
 * more than itself, padded.
 */
static int reserve_rest(struct nctl_route_scratch *s, const struct nlmsghdr *nlh)
{
	size_t n = NLMSG_ALIGN((size_t)nlh->nlmsg_len);
	uint8_t *p;

	if (s->n_rest >= n)
		return 0;
	p = realloc(s->rest, n);
	if (!p)
		return -ENOMEM;
	s->rest = p;
	s->n_rest = n;
	return 0;
}

int nctl_unknown_store(const struct nctl_unknown *u, const struct nlmsghdr *nlh, struct nctl_route_scratch *s,
	size_t *used, struct nctl_bytes *ret)
{
	size_t begin = *used, at = begin, padded;
	int r;

	*ret = NCTL_BYTES_NULL;
	if (u->n == 0)
		return 0;
	r = reserve_rest(s, nlh);
	if (r < 0)
		return r;
	for (size_t i = 0; i < u->n; i++) {
		padded = NLA_ALIGN(u->v[i]->nla_len);
		memcpy(s->rest + at, u->v[i], u->v[i]->nla_len);
		memset(s->rest + at + u->v[i]->nla_len, 0, padded - u->v[i]->nla_len);
		at += padded;
	}
	*used = at;
	*ret = (struct nctl_bytes){s->rest + begin, (uint32_t)(at - begin)};
	return 0;
}

int nctl_route_scratch_hops(struct nctl_route_scratch *s, size_t n)
{
	struct nctl_hop *hops;

	if (s->n_hops >= n)
		return 0;
	n = n > 2 * s->n_hops ? n : 2 * s->n_hops;
	hops = reallocarray(s->hops, n, sizeof(*hops));
	if (!hops)
		return -ENOMEM;
	s->hops = hops;
	s->n_hops = n;
	return 0;
}

void nctl_route_scratch_fini(struct nctl_route_scratch *s)
{
	free(s->hops);
	free(s->members);
	free(s->rest);
	*s = NCTL_ROUTE_SCRATCH_INIT;
}

void nctl_encode_encap(const struct nctl_hop *h, uint16_t attr, uint16_t attr_type, struct nctl_msgbuf *msg)
{
	if (h->encap_type == 0 && h->encap.n == 0)
		return;
	nctl_msg_put(msg, attr, h->encap.p, h->encap.n);
	nctl_msg_put_u16(msg, attr_type, h->encap_type);
}

void nctl_encode_address(const struct nctl_prefix *p, uint16_t attr, struct nctl_msgbuf *msg)
{
	if (p->family != AF_UNSPEC)
		nctl_msg_put(msg, attr, p->addr, nctl_prefix_bytes(p->family));
}

void nctl_encode_rest(struct nctl_bytes rest, struct nctl_msgbuf *msg)
{
	nctl_msg_put_raw(msg, rest.p, rest.n);
}
