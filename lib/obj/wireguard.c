/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the state of a WireGuard link as a value: keys from text, the order of peers, and what differs. Keys
 * are compared in constant time only where they are secret; nothing here prints.
 */
#include "obj/wireguard.h"

#include <stdlib.h>
#include <string.h>

#include "base/base64.h"

bool nctl_wg_key_parse(const char *text, size_t len, uint8_t ret[NCTL_WG_KEY])
{
	return nctl_key_parse(text, len, ret);
}

void nctl_wg_key_clamp(uint8_t key[NCTL_WG_KEY])
{
	key[0] &= 248;
	key[NCTL_WG_KEY - 1] = (uint8_t)((key[NCTL_WG_KEY - 1] & 127) | 64);
}

static bool is_same_secret(const uint8_t *a, const uint8_t *b)
{
	uint8_t differs = 0;

	for (size_t i = 0; i < NCTL_WG_KEY; i++)
		differs |= a[i] ^ b[i];
	return !differs;
}

bool nctl_wg_key_is_none(const uint8_t key[NCTL_WG_KEY])
{
	static const uint8_t none[NCTL_WG_KEY];

	return is_same_secret(key, none);
}

int nctl_wg_peer_cmp(const struct nctl_wg_peer *a, const struct nctl_wg_peer *b)
{
	return memcmp(a->public_key, b->public_key, NCTL_WG_KEY);
}

static int cmp_peers(const void *a, const void *b)
{
	return nctl_wg_peer_cmp(a, b);
}

static int cmp_prefixes(const void *a, const void *b)
{
	return nctl_prefix_cmp(a, b);
}

void nctl_wg_sort(struct nctl_wg *w)
{
	for (size_t i = 0; i < w->n_peers; i++)
		if (w->peers[i].n_allowed)
			qsort(w->peers[i].allowed, w->peers[i].n_allowed, sizeof(*w->peers[i].allowed),
				cmp_prefixes);
	if (w->n_peers)
		qsort(w->peers, w->n_peers, sizeof(*w->peers), cmp_peers);
}

static bool is_same_list(const struct nctl_wg_peer *a, const struct nctl_wg_peer *b)
{
	bool same = a->n_allowed == b->n_allowed;

	for (size_t i = 0; same && i < a->n_allowed; i++)
		same = nctl_prefix_equal(&a->allowed[i], &b->allowed[i]);
	return same;
}

unsigned nctl_wg_peer_diff(const struct nctl_wg_peer *want, const struct nctl_wg_peer *have)
{
	bool same_endpoint = want->endpoint_port == have->endpoint_port &&
	                     nctl_prefix_equal(&want->endpoint, &have->endpoint);
	unsigned diff = 0;

	if (!is_same_secret(want->shared_key, have->shared_key))
		diff |= NCTL_WG_PEER_SHARED_KEY;
	if (want->endpoint.family && !same_endpoint)
		diff |= NCTL_WG_PEER_ENDPOINT;
	if (want->keepalive != have->keepalive)
		diff |= NCTL_WG_PEER_KEEPALIVE;
	if (!is_same_list(want, have))
		diff |= NCTL_WG_PEER_ALLOWED;
	return diff;
}

bool nctl_wg_walk_next(struct nctl_wg_walk *walk, const struct nctl_wg *w, const struct nctl_wg *h,
	const struct nctl_wg_peer **ret_want, const struct nctl_wg_peer **ret_have)
{
	const struct nctl_wg_peer *want = walk->want < w->n_peers ? &w->peers[walk->want] : NULL;
	const struct nctl_wg_peer *have = walk->have < h->n_peers ? &h->peers[walk->have] : NULL;
	int order = want && have ? nctl_wg_peer_cmp(want, have) : 0;

	*ret_want = order > 0 ? NULL : want;
	*ret_have = order < 0 ? NULL : have;
	walk->want += *ret_want != NULL;
	walk->have += *ret_have != NULL;
	return want || have;
}

unsigned nctl_wg_diff(const struct nctl_wg *want, const struct nctl_wg *have)
{
	const struct nctl_wg_peer *w, *h;
	struct nctl_wg_walk walk = {0};
	unsigned diff = 0;

	if (!is_same_secret(want->private_key, have->private_key))
		diff |= NCTL_WG_PRIVATE_KEY;
	if (want->port != have->port)
		diff |= NCTL_WG_PORT;
	if (want->mark != have->mark)
		diff |= NCTL_WG_MARK;
	while (!(diff & NCTL_WG_PEERS) && nctl_wg_walk_next(&walk, want, have, &w, &h))
		if (!w || !h || nctl_wg_peer_diff(w, h))
			diff |= NCTL_WG_PEERS;
	return diff & want->has;
}

struct nctl_wg *nctl_wg_dup(const struct nctl_wg *w)
{
	struct nctl_wg *copy = malloc(sizeof(*copy));
	bool fine = copy;

	if (!copy)
		return NULL;
	*copy = *w;
	copy->n_peers = 0;
	copy->peers = calloc(w->n_peers + 1, sizeof(*copy->peers));
	fine = copy->peers;
	for (size_t i = 0; fine && i < w->n_peers; i++) {
		struct nctl_wg_peer *p = &copy->peers[copy->n_peers];
		size_t n = w->peers[i].n_allowed;

		*p = w->peers[i];
		p->allowed = calloc(n + 1, sizeof(*p->allowed));
		fine = p->allowed;
		if (fine && n)
			memcpy(p->allowed, w->peers[i].allowed, n * sizeof(*p->allowed));
		copy->n_peers += fine;
	}
	if (fine)
		return copy;
	nctl_wg_fini(copy);
	free(copy);
	return NULL;
}

void nctl_wg_wipe(struct nctl_wg *w)
{
	explicit_bzero(w->private_key, sizeof(w->private_key));
	for (size_t i = 0; i < w->n_peers; i++)
		explicit_bzero(w->peers[i].shared_key, sizeof(w->peers[i].shared_key));
}

void nctl_wg_fini(struct nctl_wg *w)
{
	nctl_wg_wipe(w);
	for (size_t i = 0; i < w->n_peers; i++)
		free(w->peers[i].allowed);
	free(w->peers);
	*w = (struct nctl_wg){0};
}
