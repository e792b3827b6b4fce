/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdint.h>

#include "obj/addr.h"
#include "obj/link.h"

/* Random objects for property tests. The state is a seed; tests print it. */
uint64_t gen_seed(void); /* NCTL_TEST_SEED, or another one each time; printed */
uint64_t gen_next(uint64_t *rng);
/* A valid value for the field. */
void gen_field(const struct nctl_field *f, void *data, uint64_t *rng);
/* All fields of mask. */
void gen_fields(const struct nctl_field_table *t, void *data, uint64_t mask, uint64_t *rng);
/* A link of kind k with everything that can be set, and a port of port_kind (or NULL). */
void gen_link(
	struct nctl_link *ret, const struct nctl_kind *k, const struct nctl_kind *port_kind, uint64_t *rng);
void gen_addr(struct nctl_addr *ret, uint64_t *rng);
