/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the state of a WireGuard link as a value: keys from text, the order of peers, and what differs. Keys
 * are compared in constant time only where they are secret; nothing here prints.
 */
#include "obj/wireguard.h"

#include <stdlib.h>
#include <string.h>

static int base64_digit(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

bool nctl_wg_key_parse(const char *text, size_t len, uint8_t ret[NCTL_WG_KEY])
{
	uint8_t key[NCTL_WG_KEY + 1];
	uint32_t bits = 0;
	size_t n = 0;

	while (len && is_blank(text[len - 1]))
		len--;
	for (; len && is_blank(*text); len--)
		text++;
	if (len != NCTL_WG_KEY_STR - 1 || text[len - 1] != '=')
		return false;
	/* 43 digits are 258 bits, of which the last two are 0. */
	for (size_t i = 0; i < len; i++) {
		int digit = i + 1 < len ? base64_digit(text[i]) : 0;

		if (digit < 0 || (i + 2 == len && (digit & 3)))
			return false;
		bits = bits << 6 | (uint32_t)digit;
		if (i % 4 != 3)
			continue;
		for (int shift = 16; shift >= 0; shift -= 8)
			if (n < sizeof(key))
				key[n++] = (uint8_t)(bits >> shift);
		bits = 0;
	}
	memcpy(ret, key, NCTL_WG_KEY);
	explicit_bzero(key, sizeof(key));
	return true;
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
