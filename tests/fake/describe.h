/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/netlink.h>

/* A message about an object in words, the same for the fake's messages and a real kernel's. */
struct fk_words {
	char text[1024];
	int ifindex; /* links, addresses, and the only hop of a route */
	bool object; /* false: a bridge port */
	bool removed;
	unsigned nlm_flags; /* of routes: what the kernel says of how it came */
};

/* Own MAC addresses of tests begin so; with mask_auto all others are printed as "auto", also in fe80::
 * addresses. */
#define FK_TEST_MAC0 0x02
#define FK_TEST_MAC1 0x6e
#define FK_TEST_MAC2 0x63

/* False: of no type that is compared. */
bool fk_describe(const struct nlmsghdr *nlh, bool mask_auto, struct fk_words *ret);

/* For describe-fib.c, and what it has. */
void fk_words_say(struct fk_words *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
void fk_words_addr(struct fk_words *w, uint8_t family, const struct nlattr *a, bool mask_auto);
bool fk_describe_fib(const struct nlmsghdr *nlh, bool mask_auto, struct fk_words *w);

/* A dump as lines, sorted; owned by the caller. */
struct fk_lines {
	char **v;
	size_t n, cap;
};
void fk_lines_add(struct fk_lines *l, const char *text);
void fk_lines_sort(struct fk_lines *l);
void fk_lines_clear(struct fk_lines *l);
char *fk_lines_join(const struct fk_lines *l);
