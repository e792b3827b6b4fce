/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#define NCTL_ADDR_STR   46                  /* INET6_ADDRSTRLEN of netinet/in.h */
#define NCTL_PREFIX_STR (NCTL_ADDR_STR + 4) /* and "/128" */

/*
 * An address or prefix of either family. IPv4 stands in the first 4 bytes of addr, the rest is
 * zero. AF_UNSPEC means none; all bytes are zero then. Has no padding. Host bits may be
 * set: 192.0.2.7/24 is the address of an interface, nctl_prefix_mask makes its network.
 */
struct nctl_prefix {
	uint8_t family; /* AF_INET, AF_INET6, AF_UNSPEC */
	uint8_t len;    /* 0..32 or 0..128 */
	uint8_t addr[16];
};

#define NCTL_PREFIX_NULL ((struct nctl_prefix){0})

enum nctl_prefix_flags {
	NCTL_PREFIX_ANY = 0,              /* "/length" may be missing: 32 or 128 then */
	NCTL_PREFIX_NEED_LENGTH = 1 << 0, /* "/length" must be there */
	NCTL_PREFIX_ADDR_ONLY = 1 << 1,   /* "/length" must not be there */
};

/* Positive result of nctl_prefix_parse. */
#define NCTL_PREFIX_NO_LENGTH 1

/*
 * Parses "192.0.2.1/24" or "2001:db8::1/64"; keeps host bits. -EINVAL if text is
 * anything else (short or octal forms, a zone, blanks, a length that is too long or
 * has leading zeros). NCTL_PREFIX_NO_LENGTH if text is a good address, but flags ask for
 * the length that it lacks; *ret is not written then.
 */
int nctl_prefix_parse(const char *text, unsigned flags, struct nctl_prefix *ret);

/* An address alone, with len 32 or 128. */
static inline int nctl_addr_parse(const char *text, struct nctl_prefix *ret)
{
	return nctl_prefix_parse(text, NCTL_PREFIX_ADDR_ONLY, ret);
}

/* From the bytes of a netlink attribute: n is 4 or 16 and decides the family. -EINVAL otherwise. */
int nctl_prefix_from_bytes(const void *addr, size_t n, uint8_t len, struct nctl_prefix *ret);

/* Address with "/len", address alone; "" for AF_UNSPEC. IPv6 as in RFC 5952. Both return buf. */
const char *nctl_prefix_format(const struct nctl_prefix *p, char buf[NCTL_PREFIX_STR]);
const char *nctl_addr_format(const struct nctl_prefix *p, char buf[NCTL_ADDR_STR]);

/* Total order: family, address (host bits included), length. equal: all three the same. */
int nctl_prefix_cmp(const struct nctl_prefix *a, const struct nctl_prefix *b);
bool nctl_prefix_equal(const struct nctl_prefix *a, const struct nctl_prefix *b);

/* Is every address of inner in outer? Same family, outer no longer than inner; host bits are ignored. */
bool nctl_prefix_contains(const struct nctl_prefix *outer, const struct nctl_prefix *inner);

/* Sets the host bits to zero. */
void nctl_prefix_mask(struct nctl_prefix *p);

/* Bits of an address: 32, 128, or 0. Bytes of an address: 4, 16, or 0. */
static inline unsigned nctl_prefix_bits(uint8_t family)
{
	return family == AF_INET ? 32 : family == AF_INET6 ? 128 : 0;
}

static inline unsigned nctl_prefix_bytes(uint8_t family)
{
	return nctl_prefix_bits(family) / 8;
}

/* 169.254.0.0/16 (RFC 3927) or fe80::/10 (RFC 4291 section 2.5.6). */
bool nctl_prefix_is_link_local(const struct nctl_prefix *p);

/* 224.0.0.0/4 (RFC 5771) or ff00::/8 (RFC 4291 section 2.7). */
bool nctl_prefix_is_multicast(const struct nctl_prefix *p);

/* 127.0.0.0/8 or ::1. */
bool nctl_prefix_is_loopback(const struct nctl_prefix *p);

/* 0.0.0.0 or ::, whatever the length. */
bool nctl_prefix_is_unspecified(const struct nctl_prefix *p);

/* Keyed (see base/hash.h); over family, address and length. */
uint64_t nctl_prefix_hash(const struct nctl_prefix *p);
