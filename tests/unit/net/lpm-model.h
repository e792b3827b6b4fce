/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>

#include "net/lpm.h"

/*
 * What a prefix index is to say, by brute force: a sorted list that each question walks. Ids are 1 to
 * MODEL_IDS; the model owns their keys, and poisons those that are not in the index.
 */
#define MODEL_IDS 4000

struct model {
	uint8_t family;
	struct nctl_prefix keys[MODEL_IDS + 1]; /* AF_UNSPEC: not in */
	uint32_t sorted[MODEL_IDS];
	size_t n;
};

/* As nctl_lpm_key; owner is a struct model. Aborts when asked of an id that is not in. */
const uint8_t *model_key(const void *owner, uint32_t id, unsigned *ret_len);

uint32_t model_free_id(const struct model *m); /* NCTL_LPM_NONE: all are in */
void model_insert(struct model *m, const struct nctl_prefix *p, uint32_t id);
void model_replace(struct model *m, const struct nctl_prefix *p, uint32_t id);
uint32_t model_remove(struct model *m, const struct nctl_prefix *p);

uint32_t model_get(const struct model *m, const struct nctl_prefix *p);
uint32_t model_match(const struct model *m, const struct nctl_prefix *p);
uint32_t model_from(const struct model *m, const struct nctl_prefix *p, bool at); /* !at: behind p */

/* Asks both all there is to ask about p. NULL, or what is different. */
const char *model_compare(const struct model *m, const struct nctl_lpm *t, const struct nctl_prefix *p);
/* The same of all ids and both walks. */
const char *model_compare_all(const struct model *m, const struct nctl_lpm *t);
