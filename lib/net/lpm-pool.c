/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The memory of a prefix index: blocks of 3 to 576 units of 4 bytes, in size classes an eighth apart.
 * A class is a dense stack of blocks over pages of at most 16 KiB: what is freed is filled with the last
 * block, so that no churn leaves holes, and of its last page a class holds a quarter too much, about. A page is
 * as large as its blocks need, more or less, so that a table of five routes costs no page. A block's number
 * is that of its page and its offset therein; the first unit of a page is the number of the class's page
 * before it, so no block has the number 0. Called by lpm.c alone, which tells the one slot that refers to a
 * block that moved.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "net/lpm-node.h"
#include "net/lpm-pool.h"

#define PAGE_NONE UINT32_MAX
#define PAGES_MAX (UINT32_C(1) << (31 - NCTL_LPM_PAGE_BITS))

_Static_assert(NCTL_LPM_UNITS_MAX <= 9 << 6, "the last class is large enough for any node");

/* Up to 16 units there is a class for each number, from there on 8 for each doubling. */
unsigned nctl_lpm_class_of(unsigned units)
{
	unsigned u = units - 1, bits;

	if (units <= 16)
		return units - NCTL_LPM_UNITS_MIN;
	bits = 31 - (unsigned)__builtin_clz(u);
	return 14 + (bits - 4) * 8 + (u >> (bits - 3)) - 8;
}

unsigned nctl_lpm_class_units(unsigned class)
{
	return class < 14 ? class + NCTL_LPM_UNITS_MIN : (9 + (class - 14) % 8) << (1 + (class - 14) / 8);
}

static unsigned per_page(unsigned class)
{
	return ((1U << NCTL_LPM_PAGE_BITS) - 1) / nctl_lpm_class_units(class);
}

/* By how many blocks a page grows at once, at most: a quarter of it, which an insertion that fails leaves. */
static unsigned step(unsigned class)
{
	return nctl_max(per_page(class) / 4, 1U);
}

static size_t page_bytes(unsigned class, unsigned blocks)
{
	return (1 + (size_t)blocks * nctl_lpm_class_units(class)) * sizeof(uint32_t);
}

/* Is there a free number for a page? Else makes some. */
static bool have_number(struct nctl_lpm_pool *p)
{
	uint32_t cap = p->pages_cap ? p->pages_cap * 2 : 4;
	union nctl_lpm_page *pages;

	if (p->free_page || p->n_pages < p->pages_cap)
		return true;
	if (cap > PAGES_MAX)
		return false;
	pages = reallocarray(p->pages, cap, sizeof(*pages));
	if (!pages)
		return false;
	p->bytes += (cap - p->pages_cap) * sizeof(*pages);
	p->pages = pages;
	p->pages_cap = cap;
	return true;
}

static bool have_class(struct nctl_lpm_pool *p, unsigned class)
{
	unsigned n = nctl_min((class + 8) & ~7U, (unsigned)NCTL_LPM_CLASSES);
	struct nctl_lpm_class *classes;

	if (class < p->n_classes)
		return true;
	classes = reallocarray(p->classes, n, sizeof(*classes));
	if (!classes)
		return false;
	memset(classes + p->n_classes, 0, (n - p->n_classes) * sizeof(*classes));
	p->bytes += (n - p->n_classes) * sizeof(*classes);
	p->classes = classes;
	p->n_classes = (uint8_t)n;
	return true;
}

static bool page_add(struct nctl_lpm_pool *p, unsigned class)
{
	struct nctl_lpm_class *c = &p->classes[class];
	unsigned cap = c->cap ? step(class) : 1;
	uint32_t *units, number;

	if (!have_number(p))
		return false;
	units = malloc(page_bytes(class, cap));
	if (!units)
		return false;
	p->bytes += page_bytes(class, cap);
	units[0] = c->cap ? c->page : PAGE_NONE;
	if (p->free_page) {
		number = p->free_page - 1;
		p->free_page = p->pages[number].next;
	} else {
		number = p->n_pages++;
	}
	p->pages[number].units = units;
	*c = (struct nctl_lpm_class){.page = number, .cap = (uint16_t)cap};
	return true;
}

static void page_free(struct nctl_lpm_pool *p, unsigned class)
{
	struct nctl_lpm_class *c = &p->classes[class];
	union nctl_lpm_page *page = &p->pages[c->page];
	uint32_t before = page->units[0], number = c->page;
	uint16_t full = (uint16_t)per_page(class);

	p->bytes -= page_bytes(class, c->cap);
	free(page->units);
	page->next = p->free_page;
	p->free_page = number + 1;
	*c = (struct nctl_lpm_class){0};
	if (before != PAGE_NONE)
		*c = (struct nctl_lpm_class){.page = before, .used = full, .cap = full};
}

static bool page_resize(struct nctl_lpm_pool *p, unsigned class, unsigned cap)
{
	struct nctl_lpm_class *c = &p->classes[class];
	uint32_t *units = realloc(p->pages[c->page].units, page_bytes(class, cap));

	if (!units)
		return false;
	p->pages[c->page].units = units;
	p->bytes += page_bytes(class, cap) - page_bytes(class, c->cap);
	c->cap = (uint16_t)cap;
	return true;
}

static uint32_t number_of(const struct nctl_lpm_class *c, unsigned class, unsigned i)
{
	return c->page << NCTL_LPM_PAGE_BITS | (1 + i * nctl_lpm_class_units(class));
}

uint32_t nctl_lpm_block_new(struct nctl_lpm_pool *p, unsigned class)
{
	struct nctl_lpm_class *c;
	unsigned full = per_page(class), cap;

	if (!have_class(p, class))
		return 0;
	c = &p->classes[class];
	if (c->used == c->cap) {
		cap = c->cap + nctl_min(c->cap / 8U + 1, step(class));
		if (!c->cap || c->cap == full ? !page_add(p, class)
					      : !page_resize(p, class, nctl_min(full, cap)))
			return 0;
	}
	return number_of(c, class, c->used++);
}

uint32_t nctl_lpm_block_free(struct nctl_lpm_pool *p, uint32_t block, unsigned class)
{
	struct nctl_lpm_class *c = &p->classes[class];
	uint32_t last = number_of(c, class, c->used - 1U);

	if (last != block)
		memcpy(nctl_lpm_block(p, block), nctl_lpm_block(p, last),
			nctl_lpm_class_units(class) * sizeof(uint32_t));
	c->used--;
	if (!c->used)
		page_free(p, class);
	else if (c->used <= c->cap / 4U * 3)
		page_resize(p, class, c->used + c->used / 8U); /* if not: it stays as large as it is */
	return last != block ? last : 0;
}

void nctl_lpm_pool_fini(struct nctl_lpm_pool *p)
{
	for (unsigned i = 0; i < p->n_classes; i++)
		while (p->classes[i].cap)
			page_free(p, i);
	free(p->pages);
	free(p->classes);
	*p = (struct nctl_lpm_pool){0};
}
