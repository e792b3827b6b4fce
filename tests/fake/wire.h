/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/netlink.h>

struct fk_link;
struct fk_addr;
struct nctl_fake;

/*
 * Messages as bytes, for the fake and its tests. Deliberately not lib/nl's builder and policies: the fake is
 * a second opinion on them.
 */
struct fk_buf {
	uint8_t *p;
	size_t len, cap;
	bool full; /* something did not fit */
};

#define FK_BUF(array) ((struct fk_buf){.p = (array), .cap = sizeof(array)})

/* Opens a message at the end of b; returns its offset for fk_msg_end. */
size_t fk_msg_begin(
	struct fk_buf *b, uint16_t type, uint16_t flags, uint32_t seq, const void *hdr, size_t hdr_len);
void fk_msg_end(struct fk_buf *b, size_t start);
void fk_put(struct fk_buf *b, uint16_t type, const void *data, size_t len);
void fk_put_u8(struct fk_buf *b, uint16_t type, uint8_t v);
void fk_put_u16(struct fk_buf *b, uint16_t type, uint16_t v);
void fk_put_u32(struct fk_buf *b, uint16_t type, uint32_t v);
void fk_put_str(struct fk_buf *b, uint16_t type, const char *s);
void fk_put_raw(struct fk_buf *b, const void *data, size_t len);
size_t fk_nest_begin(struct fk_buf *b, uint16_t type);
void fk_nest_end(struct fk_buf *b, size_t nest);

/* Attributes by type, the last of equals wins; unknown types are skipped. 0 or -EINVAL. */
int fk_parse(const struct nlattr **tb, size_t max, const void *data, size_t len);
int fk_parse_msg(const struct nlattr **tb, size_t max, const struct nlmsghdr *nlh, size_t hdr_len);
int fk_parse_nest(const struct nlattr **tb, size_t max, const struct nlattr *nest);
size_t fk_len(const struct nlattr *a);
const void *fk_data(const struct nlattr *a);
uint8_t fk_u8(const struct nlattr *a);
uint16_t fk_u16(const struct nlattr *a);
uint32_t fk_u32(const struct nlattr *a);
/* Copies a string attribute with or without its NUL into size bytes; false if it does not fit. */
bool fk_str(const struct nlattr *a, char *buf, size_t size);

/* linkmsg.c, addrmsg.c: objects as the kernel sends them */
void fk_put_link(struct fk_buf *b, const struct fk_link *l, uint16_t type, uint16_t flags, uint32_t seq);
void fk_put_addr(struct fk_buf *b, const struct fk_addr *a, uint16_t type, uint16_t flags, uint32_t seq);
/* A bridge port as the bridge tells of it: family AF_BRIDGE, group RTNLGRP_LINK. */
void fk_put_bridge_port(struct fk_buf *b, const struct fk_link *l, const struct fk_link *bridge,
	uint16_t type, uint16_t flags, uint32_t seq);
