/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/netlink.h>

/* A link or address message in words, the same for the fake's messages and a real kernel's. */
struct fk_words {
	char text[1024];
	int ifindex;
	bool object; /* a link or an address; false: a bridge port */
	bool removed;
};

/* Own MAC addresses of tests begin so; with mask_auto all others are printed as "auto", also in fe80::
 * addresses. */
#define FK_TEST_MAC0 0x02
#define FK_TEST_MAC1 0x6e
#define FK_TEST_MAC2 0x63

/* False: neither a link nor an address. */
bool fk_describe(const struct nlmsghdr *nlh, bool mask_auto, struct fk_words *ret);

/* A dump as lines, sorted; owned by the caller. */
struct fk_lines {
	char **v;
	size_t n, cap;
};
void fk_lines_add(struct fk_lines *l, const char *text);
void fk_lines_sort(struct fk_lines *l);
void fk_lines_clear(struct fk_lines *l);
char *fk_lines_join(const struct fk_lines *l);
