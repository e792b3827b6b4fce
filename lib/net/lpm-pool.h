/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The memory of a prefix index: blocks of 32-bit units, in size classes, without a header each. */

enum {
	NCTL_LPM_PAGE_BITS = 12, /* units of a page: 16 KiB */
	NCTL_LPM_CLASSES = 55,
};

struct nctl_lpm_class {
	uint32_t page;      /* the last page; all before it are full */
	uint16_t used, cap; /* blocks of the last page; cap 0: there is no page */
};

union nctl_lpm_page {
	uint32_t *units;
	uint32_t next; /* a free number: 1 + the next free one, or 0 */
};

struct nctl_lpm_pool {
	union nctl_lpm_page *pages; /* by number */
	struct nctl_lpm_class *classes;
	uint32_t n_pages, pages_cap;
	uint32_t free_page; /* 1 + a free number, or 0 */
	uint8_t n_classes;
	size_t bytes;
};

unsigned nctl_lpm_class_of(unsigned units);
unsigned nctl_lpm_class_units(unsigned class);

/* The block's number, never 0; or 0: no memory. Blocks keep their numbers, but the memory behind them may
 * move. */
uint32_t nctl_lpm_block_new(struct nctl_lpm_pool *p, unsigned class);
/*
 * Frees block. The last block of its class takes its place and number: the number that it had is returned, or
 * 0 if no block moved (as when blocks are freed in the reverse order of their making). Never fails.
 */
uint32_t nctl_lpm_block_free(struct nctl_lpm_pool *p, uint32_t block, unsigned class);
void nctl_lpm_pool_fini(struct nctl_lpm_pool *p); /* as zeroed */

static inline uint32_t *nctl_lpm_block(const struct nctl_lpm_pool *p, uint32_t block)
{
	return p->pages[block >> NCTL_LPM_PAGE_BITS].units + (block & ((1U << NCTL_LPM_PAGE_BITS) - 1));
}
