/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: WireGuard links as messages and back. A change is sent as the difference to what is there, so that the
 * sessions of peers that stay as they are go on; a link with many peers takes several messages, of which each
 * says all that it says by itself.
 */
#include "codec/wireguard.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <linux/wireguard.h>

#include "base/cleanup.h"
#include "nl/attr.h"
#include "nl/genl.h"

enum {
	PEER_BYTES = 256,   /* of a peer at most, without what it allows */
	ALLOWED_BYTES = 48, /* of one prefix */
};

void nctl_wg_encode_get(uint16_t family, nctl_ifindex ifindex, struct nctl_msgbuf *msg)
{
	nctl_genl_begin(msg, family, NLM_F_DUMP, WG_CMD_GET_DEVICE, WG_GENL_VERSION);
	nctl_msg_put_u32(msg, WGDEVICE_A_IFINDEX, ifindex);
}

/* Room for one more of size bytes. */
static int grow(void *array, size_t *cap, size_t n, size_t max, size_t size)
{
	size_t want = *cap ? 2 * *cap : 8;
	void *p;

	if (n < *cap)
		return 0;
	if (n >= max)
		return -E2BIG;
	p = calloc(want, size);
	if (!p)
		return -ENOMEM;
	/* No realloc: it would leave keys behind. */
	if (n) {
		memcpy(p, *(void **)array, n * size);
		explicit_bzero(*(void **)array, n * size);
	}
	free(*(void **)array);
	*(void **)array = p;
	*cap = want;
	return 0;
}

static int take_allowed(const struct nlattr *nest, struct nctl_wg_reading *r, struct nctl_wg_peer *p)
{
	static const struct nctl_attr_policy policy[] = {
		[WGALLOWEDIP_A_IPADDR] = {.kind = NCTL_ATTR_BYTES, .min = 4, .max = 16},
		[WGALLOWEDIP_A_CIDR_MASK] = {.kind = NCTL_ATTR_U8},
	};
	const struct nlattr *tb[NCTL_ARRAY_SIZE(policy)], *addr;
	int e;

	if (nctl_attr_parse_nest(nest, policy, tb, NCTL_ARRAY_SIZE(policy) - 1) < 0 ||
		!tb[WGALLOWEDIP_A_IPADDR] || !tb[WGALLOWEDIP_A_CIDR_MASK])
		return -EBADMSG;
	if (++r->n_allowed > NCTL_WG_ALLOWED_MAX)
		return -E2BIG;
	e = grow(&p->allowed, &r->cap_allowed, p->n_allowed, NCTL_WG_ALLOWED_MAX, sizeof(*p->allowed));
	if (e < 0)
		return e;
	addr = tb[WGALLOWEDIP_A_IPADDR];
	if (nctl_prefix_from_bytes(nctl_attr_data(addr), nctl_attr_len(addr),
		    nctl_attr_u8(tb[WGALLOWEDIP_A_CIDR_MASK]), &p->allowed[p->n_allowed]) < 0)
		return -EBADMSG;
	p->n_allowed++;
	return 0;
}

static int take_endpoint(const struct nlattr *a, struct nctl_wg_peer *p)
{
	const void *data = nctl_attr_data(a);
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;

	if (nctl_attr_len(a) == sizeof(v4)) {
		memcpy(&v4, data, sizeof(v4));
		p->endpoint_port = ntohs(v4.sin_port);
		return nctl_prefix_from_bytes(&v4.sin_addr, 4, 32, &p->endpoint);
	}
	if (nctl_attr_len(a) != sizeof(v6))
		return -EBADMSG;
	memcpy(&v6, data, sizeof(v6));
	p->endpoint_port = ntohs(v6.sin6_port);
	return nctl_prefix_from_bytes(&v6.sin6_addr, 16, 128, &p->endpoint);
}

/* The peer of that key: the last one again, or a new one. */
static int find_peer(struct nctl_wg_reading *r, const uint8_t *key, struct nctl_wg_peer **ret)
{
	struct nctl_wg *v = &r->v;
	int e;

	if (v->n_peers && !memcmp(v->peers[v->n_peers - 1].public_key, key, NCTL_WG_KEY)) {
		*ret = &v->peers[v->n_peers - 1];
		return 0;
	}
	e = grow(&v->peers, &r->cap_peers, v->n_peers, NCTL_WG_PEERS_MAX, sizeof(*v->peers));
	if (e < 0)
		return e;
	*ret = &v->peers[v->n_peers++];
	**ret = (struct nctl_wg_peer){0};
	memcpy((*ret)->public_key, key, NCTL_WG_KEY);
	r->cap_allowed = 0;
	return 0;
}

static int take_peer(const struct nlattr *nest, struct nctl_wg_reading *r)
{
	static const struct nctl_attr_policy policy[] = {
		[WGPEER_A_PUBLIC_KEY] = {.kind = NCTL_ATTR_BYTES, .min = NCTL_WG_KEY, .max = NCTL_WG_KEY},
		[WGPEER_A_PRESHARED_KEY] = {.kind = NCTL_ATTR_BYTES, .min = NCTL_WG_KEY, .max = NCTL_WG_KEY},
		[WGPEER_A_PERSISTENT_KEEPALIVE_INTERVAL] = {.kind = NCTL_ATTR_U16},
		[WGPEER_A_ENDPOINT] = {.kind = NCTL_ATTR_ANY},
		[WGPEER_A_ALLOWEDIPS] = {.kind = NCTL_ATTR_NEST},
	};
	const struct nlattr *tb[NCTL_ARRAY_SIZE(policy)], *list, *a = NULL;
	struct nctl_wg_peer *p;
	int e;

	if (nctl_attr_parse_nest(nest, policy, tb, NCTL_ARRAY_SIZE(policy) - 1) < 0 ||
		!tb[WGPEER_A_PUBLIC_KEY])
		return -EBADMSG;
	e = find_peer(r, nctl_attr_data(tb[WGPEER_A_PUBLIC_KEY]), &p);
	if (e == 0 && tb[WGPEER_A_PRESHARED_KEY])
		memcpy(p->shared_key, nctl_attr_data(tb[WGPEER_A_PRESHARED_KEY]), NCTL_WG_KEY);
	if (e == 0 && tb[WGPEER_A_PERSISTENT_KEEPALIVE_INTERVAL])
		p->keepalive = nctl_attr_u16(tb[WGPEER_A_PERSISTENT_KEEPALIVE_INTERVAL]);
	if (e == 0 && tb[WGPEER_A_ENDPOINT])
		e = take_endpoint(tb[WGPEER_A_ENDPOINT], p);
	list = tb[WGPEER_A_ALLOWEDIPS];
	while (e == 0 && list && (a = nctl_attr_next(nctl_attr_data(list), nctl_attr_len(list), a)))
		e = take_allowed(a, r, p);
	return e;
}

int nctl_wg_decode(const struct nlmsghdr *nlh, struct nctl_wg_reading *ret)
{
	static const struct nctl_attr_policy policy[] = {
		[WGDEVICE_A_PRIVATE_KEY] = {.kind = NCTL_ATTR_BYTES, .min = NCTL_WG_KEY, .max = NCTL_WG_KEY},
		[WGDEVICE_A_LISTEN_PORT] = {.kind = NCTL_ATTR_U16},
		[WGDEVICE_A_FWMARK] = {.kind = NCTL_ATTR_U32},
		[WGDEVICE_A_PEERS] = {.kind = NCTL_ATTR_NEST},
	};
	const struct nlattr *tb[NCTL_ARRAY_SIZE(policy)], *list, *a = NULL;
	struct nctl_wg *v = &ret->v;
	int e = 0;

	if (nctl_genl_cmd(nlh) != WG_CMD_GET_DEVICE ||
		nctl_genl_parse(nlh, policy, tb, NCTL_ARRAY_SIZE(policy) - 1) < 0)
		return -EBADMSG;
	v->has = NCTL_WG_PRIVATE_KEY | NCTL_WG_PORT | NCTL_WG_MARK | NCTL_WG_PEERS;
	if (tb[WGDEVICE_A_PRIVATE_KEY])
		memcpy(v->private_key, nctl_attr_data(tb[WGDEVICE_A_PRIVATE_KEY]), NCTL_WG_KEY);
	if (tb[WGDEVICE_A_LISTEN_PORT])
		v->port = nctl_attr_u16(tb[WGDEVICE_A_LISTEN_PORT]);
	if (tb[WGDEVICE_A_FWMARK])
		v->mark = nctl_attr_u32(tb[WGDEVICE_A_FWMARK]);
	list = tb[WGDEVICE_A_PEERS];
	while (e == 0 && list && (a = nctl_attr_next(nctl_attr_data(list), nctl_attr_len(list), a)))
		e = take_peer(a, ret);
	return e;
}

static void put_endpoint(const struct nctl_wg_peer *p, struct nctl_msgbuf *msg)
{
	struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(p->endpoint_port)};
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(p->endpoint_port)};

	memcpy(&v4.sin_addr, p->endpoint.addr, sizeof(v4.sin_addr));
	memcpy(&v6.sin6_addr, p->endpoint.addr, sizeof(v6.sin6_addr));
	if (p->endpoint.family == AF_INET)
		nctl_msg_put(msg, WGPEER_A_ENDPOINT, &v4, sizeof(v4));
	else
		nctl_msg_put(msg, WGPEER_A_ENDPOINT, &v6, sizeof(v6));
}

static void put_allowed(const struct nctl_prefix *p, struct nctl_msgbuf *msg)
{
	size_t nest = nctl_msg_nest_begin(msg, NLA_F_NESTED);

	nctl_msg_put_u16(msg, WGALLOWEDIP_A_FAMILY, p->family);
	nctl_msg_put(msg, WGALLOWEDIP_A_IPADDR, p->addr, nctl_prefix_bytes(p->family));
	nctl_msg_put_u8(msg, WGALLOWEDIP_A_CIDR_MASK, p->len);
	nctl_msg_nest_end(msg, nest);
}

static bool has_room(const struct nctl_msgbuf *msg, size_t bytes)
{
	return msg->open + bytes <= NCTL_WG_MESSAGE && msg->len + msg->open + bytes <= msg->cap;
}

/* What a peer has, from where w is. False: the message is full, and it goes on in the next one. */
static bool put_wanted(struct nctl_wg_writing *w, struct nctl_msgbuf *msg)
{
	static const struct nctl_wg_peer nothing;
	const struct nctl_wg_peer *p = w->want;
	unsigned diff = nctl_wg_peer_diff(p, w->have ? w->have : &nothing);
	size_t nest;

	if (!w->allowed && w->have && (diff & NCTL_WG_PEER_ALLOWED))
		nctl_msg_put_u32(msg, WGPEER_A_FLAGS, WGPEER_F_REPLACE_ALLOWEDIPS);
	if (!w->allowed && (diff & NCTL_WG_PEER_SHARED_KEY))
		nctl_msg_put(msg, WGPEER_A_PRESHARED_KEY, p->shared_key, NCTL_WG_KEY);
	if (!w->allowed && (diff & NCTL_WG_PEER_ENDPOINT))
		put_endpoint(p, msg);
	if (!w->allowed && (diff & NCTL_WG_PEER_KEEPALIVE))
		nctl_msg_put_u16(msg, WGPEER_A_PERSISTENT_KEEPALIVE_INTERVAL, p->keepalive);
	if (!(diff & NCTL_WG_PEER_ALLOWED))
		return true;
	nest = nctl_msg_nest_begin(msg, NLA_F_NESTED | WGPEER_A_ALLOWEDIPS);
	for (; w->allowed < p->n_allowed && has_room(msg, ALLOWED_BYTES); w->allowed++)
		put_allowed(&p->allowed[w->allowed], msg);
	nctl_msg_nest_end(msg, nest);
	return w->allowed == p->n_allowed;
}

static bool put_peer(struct nctl_wg_writing *w, struct nctl_msgbuf *msg)
{
	const struct nctl_wg_peer *p = w->want ? w->want : w->have;
	size_t nest = nctl_msg_nest_begin(msg, NLA_F_NESTED);
	bool whole = true;

	nctl_msg_put(msg, WGPEER_A_PUBLIC_KEY, p->public_key, NCTL_WG_KEY);
	if (w->want)
		whole = put_wanted(w, msg);
	else
		nctl_msg_put_u32(msg, WGPEER_A_FLAGS, WGPEER_F_REMOVE_ME);
	nctl_msg_nest_end(msg, nest);
	return whole;
}

/* The next peer of which something is to be said. False: there is none. */
static bool next_peer(struct nctl_wg_writing *w, const struct nctl_wg *want, const struct nctl_wg *have)
{
	if (w->want || w->have)
		return true; /* it goes on */
	w->allowed = 0;
	while (nctl_wg_walk_next(&w->walk, want, have, &w->want, &w->have))
		if (!w->want || !w->have || nctl_wg_peer_diff(w->want, w->have))
			return true;
	w->want = w->have = NULL;
	return false;
}

static void put_device(const struct nctl_wg *want, unsigned diff, bool replace, struct nctl_msgbuf *msg)
{
	if (replace && (diff & NCTL_WG_PEERS))
		nctl_msg_put_u32(msg, WGDEVICE_A_FLAGS, WGDEVICE_F_REPLACE_PEERS);
	if (diff & NCTL_WG_PRIVATE_KEY)
		nctl_msg_put(msg, WGDEVICE_A_PRIVATE_KEY, want->private_key, NCTL_WG_KEY);
	if (diff & NCTL_WG_PORT)
		nctl_msg_put_u16(msg, WGDEVICE_A_LISTEN_PORT, want->port);
	if (diff & NCTL_WG_MARK)
		nctl_msg_put_u32(msg, WGDEVICE_A_FWMARK, want->mark);
}

bool nctl_wg_encode_set(uint16_t family, nctl_ifindex ifindex, const struct nctl_wg *want,
	const struct nctl_wg *have, struct nctl_wg_writing *w, struct nctl_msgbuf *msg)
{
	static const struct nctl_wg nothing;
	unsigned diff = have ? nctl_wg_diff(want, have) : want->has;
	size_t nest;

	if (w->over || !diff)
		return false;
	nctl_genl_begin(msg, family, 0, WG_CMD_SET_DEVICE, WG_GENL_VERSION);
	nctl_msg_put_u32(msg, WGDEVICE_A_IFINDEX, ifindex);
	if (!w->begun)
		put_device(want, diff, !have, msg);
	w->begun = true;
	w->over = !(diff & NCTL_WG_PEERS) || !next_peer(w, want, have ? have : &nothing);
	if (w->over)
		return true;
	nest = nctl_msg_nest_begin(msg, NLA_F_NESTED | WGDEVICE_A_PEERS);
	while (!w->over && has_room(msg, PEER_BYTES)) {
		if (!put_peer(w, msg))
			break;
		w->want = w->have = NULL;
		w->over = !next_peer(w, want, have ? have : &nothing);
	}
	nctl_msg_nest_end(msg, nest);
	return true;
}
