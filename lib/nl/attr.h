/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/netlink.h>

/*
 * Reading attributes under a policy: what the kernel (or a hostile peer) sends is checked once, for length,
 * on the way into a table of pointers; readers then need no check of their own. Unknown attributes are
 * skipped, since newer kernels have more; a known one of a wrong length makes the whole parse fail.
 */
enum nctl_attr_kind {
	NCTL_ATTR_ANY, /* any length: nests, binary */
	NCTL_ATTR_U8,
	NCTL_ATTR_U16,
	NCTL_ATTR_U32,
	NCTL_ATTR_U64,
	NCTL_ATTR_STR,   /* NUL-terminated inside the payload, at most max bytes with the NUL (0: any) */
	NCTL_ATTR_BYTES, /* min..max bytes (max 0: any number from min) */
	NCTL_ATTR_NEST,  /* well-formed attributes inside */
};

struct nctl_attr_policy {
	uint8_t kind;
	uint16_t min, max;
};

/*
 * Parses len bytes of attributes at data. policy and tb have max + 1 entries, by attribute type; an entry of
 * kind NCTL_ATTR_ANY is unchecked. tb is cleared first. The last of equal attributes wins. 0 or -EBADMSG.
 */
int nctl_attr_parse(const void *data, size_t len, const struct nctl_attr_policy *policy,
	const struct nlattr **tb, size_t max);
/* The same for a message: attributes behind a family header of hdr_len bytes. -EBADMSG if it is shorter. */
int nctl_attr_parse_msg(const struct nlmsghdr *nlh, size_t hdr_len, const struct nctl_attr_policy *policy,
	const struct nlattr **tb, size_t max);
int nctl_attr_parse_nest(const struct nlattr *nest, const struct nctl_attr_policy *policy,
	const struct nlattr **tb, size_t max);

uint8_t nctl_attr_u8(const struct nlattr *a);
uint16_t nctl_attr_u16(const struct nlattr *a);
uint32_t nctl_attr_u32(const struct nlattr *a);
uint64_t nctl_attr_u64(const struct nlattr *a); /* unaligned is fine */
const char *nctl_attr_str(const struct nlattr *a);
/* A copy up to the first NUL or the end, the caller's; NULL: no memory. Any payload will do. */
char *nctl_attr_strdup(const struct nlattr *a);
const void *nctl_attr_data(const struct nlattr *a);
size_t nctl_attr_len(const struct nlattr *a);    /* bytes of payload */
uint16_t nctl_attr_type(const struct nlattr *a); /* without the NLA_F_* bits */
/* The payload as an unsigned number of 1, 2, 4 or 8 bytes in host order; 0 for other lengths. */
uint64_t nctl_attr_uint(const struct nlattr *a);

/*
 * Walks the attributes in [data, data+len): the one after prev (NULL: the first). NULL at the end or if
 * malformed.
 */
const struct nlattr *nctl_attr_next(const void *data, size_t len, const struct nlattr *prev);
/* Walks messages in a datagram the same way. */
const struct nlmsghdr *nctl_msg_next(const void *data, size_t len, const struct nlmsghdr *prev);
