/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/prefix.h"

/*
 * The prefix index of one address family: a map from prefixes to 32-bit ids of the owner's objects, one id a
 * prefix, with exact and longest match and a walk in ascending order. It keeps no keys but asks the owner for
 * those of an id, so that an index costs little more than its ids. Host bits of a key must be zero.
 */

struct nctl_lpm;

#define NCTL_LPM_NONE   UINT32_C(0) /* no id; ids are 1 to NCTL_LPM_ID_MAX */
#define NCTL_LPM_ID_MAX ((UINT32_C(1) << 30) - 1)

/* The key of an id that is in the index: the address (network order; 4 or 16 bytes) and the length. */
typedef const uint8_t *(*nctl_lpm_key)(const void *owner, uint32_t id, unsigned *ret_len);

/* family: AF_INET or AF_INET6. owner is handed to key and outlives the index. 0 or -ENOMEM. */
int nctl_lpm_new(uint8_t family, nctl_lpm_key key, const void *owner, struct nctl_lpm **ret);
struct nctl_lpm *nctl_lpm_free(struct nctl_lpm *t); /* not the owner's objects */

/* 0 or -ENOMEM (the index is as before). p is not in the index yet. */
int nctl_lpm_insert(struct nctl_lpm *t, const struct nctl_prefix *p, uint32_t id);
/* p is in the index: id takes the place of the one there, and must have the same key. Never fails. */
void nctl_lpm_replace(struct nctl_lpm *t, const struct nctl_prefix *p, uint32_t id);
/* The id that p had, or NCTL_LPM_NONE. Never fails; other ids stay. */
uint32_t nctl_lpm_remove(struct nctl_lpm *t, const struct nctl_prefix *p);

uint32_t nctl_lpm_get(const struct nctl_lpm *t, const struct nctl_prefix *p);
/* The longest prefix that contains p and is no longer than p (give an address with its full length). */
uint32_t nctl_lpm_match(const struct nctl_lpm *t, const struct nctl_prefix *p);

/*
 * The walk: ascending by address, then by length, so that a prefix comes right before all that it contains.
 * after NULL: from the beginning; else the first behind after, which need not be in the index (any more): so
 * a walk survives whatever happens between two steps. Each step costs one descent.
 */
uint32_t nctl_lpm_next(const struct nctl_lpm *t, const struct nctl_prefix *after);
/* The first at or behind from (covered-by: from = the prefix itself, until one is not contained). */
uint32_t nctl_lpm_from(const struct nctl_lpm *t, const struct nctl_prefix *from);

/* A faster walk while the index does not change. */
struct nctl_lpm_iter {
	const struct nctl_lpm *t;
	uint8_t depth;
	struct {
		uint32_t node;
		uint16_t at;
	} stack[17];
};
/* from NULL: from the beginning; else from the first at or behind it. */
void nctl_lpm_iter_init(struct nctl_lpm_iter *it, const struct nctl_lpm *t, const struct nctl_prefix *from);
uint32_t nctl_lpm_iter_next(struct nctl_lpm_iter *it); /* NCTL_LPM_NONE: the end */

size_t nctl_lpm_count(const struct nctl_lpm *t);
size_t nctl_lpm_bytes(const struct nctl_lpm *t); /* of memory that the index holds */
