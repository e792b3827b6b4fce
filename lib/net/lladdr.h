/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define NCTL_LLADDR_MAX 32                    /* MAX_ADDR_LEN of linux/netdevice.h */
#define NCTL_LLADDR_STR (NCTL_LLADDR_MAX * 3) /* text with its NUL */

/* A link-layer address. len 0: none; the bytes past len are 0. */
struct nctl_lladdr {
	uint8_t len;
	uint8_t b[NCTL_LLADDR_MAX];
};

#define NCTL_LLADDR_NULL ((struct nctl_lladdr){0})

/* Pairs of hexadecimal digits between colons, 1 to 32 of them. -EINVAL otherwise. */
int nctl_lladdr_parse(const char *text, struct nctl_lladdr *ret);

/* Lower-case pairs between colons, "" for none. Returns buf. */
const char *nctl_lladdr_format(const struct nctl_lladdr *a, char buf[NCTL_LLADDR_STR]);

bool nctl_lladdr_equal(const struct nctl_lladdr *a, const struct nctl_lladdr *b);

/* Total order: length, then bytes. */
int nctl_lladdr_cmp(const struct nctl_lladdr *a, const struct nctl_lladdr *b);

/* The group bit of an Ethernet address (IEEE 802: lowest bit of the first byte). */
bool nctl_lladdr_is_multicast(const struct nctl_lladdr *a);
