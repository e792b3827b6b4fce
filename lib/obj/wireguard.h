/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/prefix.h"

/*
 * What a WireGuard link has beside what all links have (linux/wireguard.h). It holds secrets: it is never
 * printed, and whoever lets go of one wipes it.
 */

enum {
	NCTL_WG_KEY = 32,              /* bytes */
	NCTL_WG_KEY_STR = 45,          /* base64, with the NUL */
	NCTL_WG_PEERS_MAX = 1 << 16,   /* of a link */
	NCTL_WG_ALLOWED_MAX = 1 << 20, /* of a link */
};

struct nctl_wg_peer {
	uint8_t public_key[NCTL_WG_KEY]; /* its identity */
	uint8_t shared_key[NCTL_WG_KEY]; /* all 0: none */
	struct nctl_prefix endpoint;     /* AF_UNSPEC: none; wanted: whatever it is */
	uint16_t endpoint_port, keepalive;
	struct nctl_prefix *allowed; /* without host bits, ascending */
	size_t n_allowed;
};

enum nctl_wg_has {
	NCTL_WG_PRIVATE_KEY = 1 << 0,
	NCTL_WG_PORT = 1 << 1,
	NCTL_WG_MARK = 1 << 2,
	NCTL_WG_PEERS = 1 << 3,
};

struct nctl_wg {
	unsigned has;
	uint8_t private_key[NCTL_WG_KEY];
	uint32_t mark;
	uint16_t port;
	struct nctl_wg_peer *peers; /* ascending by key */
	size_t n_peers;
};

/* Of 44 characters of base64, with blanks around. False: it is no key. */
bool nctl_wg_key_parse(const char *text, size_t len, uint8_t ret[NCTL_WG_KEY]);
/* As the kernel keeps a private key (curve25519_clamp_secret). */
void nctl_wg_key_clamp(uint8_t key[NCTL_WG_KEY]);
bool nctl_wg_key_is_none(const uint8_t key[NCTL_WG_KEY]);

int nctl_wg_peer_cmp(const struct nctl_wg_peer *a, const struct nctl_wg_peer *b); /* by key */
/* Brings peers and what they allow into order. */
void nctl_wg_sort(struct nctl_wg *w);

/* What a peer that is to be as want differs in. */
enum nctl_wg_peer_diff {
	NCTL_WG_PEER_SHARED_KEY = 1 << 0,
	NCTL_WG_PEER_ENDPOINT = 1 << 1,
	NCTL_WG_PEER_KEEPALIVE = 1 << 2,
	NCTL_WG_PEER_ALLOWED = 1 << 3,
};
unsigned nctl_wg_peer_diff(const struct nctl_wg_peer *want, const struct nctl_wg_peer *have);
/* NCTL_WG_* of want that differ in have. */
unsigned nctl_wg_diff(const struct nctl_wg *want, const struct nctl_wg *have);

/* Walks both lists of peers at once: *want or *have is NULL where the other side alone has it. False: the
 * end. */
struct nctl_wg_walk {
	size_t want, have;
};
bool nctl_wg_walk_next(struct nctl_wg_walk *walk, const struct nctl_wg *w, const struct nctl_wg *h,
	const struct nctl_wg_peer **ret_want, const struct nctl_wg_peer **ret_have);

/* A copy, for nctl_wg_fini and free; NULL: no memory. */
struct nctl_wg *nctl_wg_dup(const struct nctl_wg *w);
/* Wipes what is secret; for one in an arena. */
void nctl_wg_wipe(struct nctl_wg *w);
/* The same of one that owns its arrays (malloc), which are freed. */
void nctl_wg_fini(struct nctl_wg *w);
