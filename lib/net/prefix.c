/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Addresses and prefixes of both families as one value (STYLE S7). Pure functions; the
 * family matters only where text or the size of an address is concerned. Invariants:
 * bytes past the address are zero, and len is at most nctl_prefix_bits(family).
 */
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "base/hash.h"
#include "base/num.h"
#include "net/prefix.h"

_Static_assert(sizeof(struct nctl_prefix) == 18, "hash and comparison rely on no padding");
_Static_assert(NCTL_ADDR_STR == INET6_ADDRSTRLEN, "inet_ntop(3) fills NCTL_ADDR_STR");

/* The address alone, of length n, without a NUL. inet_pton(3) knows neither zones nor octal. */
static int parse_addr(const char *text, size_t n, struct nctl_prefix *p)
{
	char buf[NCTL_ADDR_STR];

	if (n >= sizeof(buf))
		return -EINVAL;
	memcpy(buf, text, n);
	buf[n] = '\0';
	p->family = strchr(buf, ':') ? AF_INET6 : AF_INET;
	p->len = (uint8_t)nctl_prefix_bits(p->family);
	return inet_pton(p->family, buf, p->addr) == 1 ? 0 : -EINVAL;
}

static int parse_len(const char *text, struct nctl_prefix *p)
{
	uint32_t len;

	if (text[0] == '0' && text[1])
		return -EINVAL;
	if (nctl_parse_u32(text, 10, 0, nctl_prefix_bits(p->family), &len) < 0)
		return -EINVAL;
	p->len = (uint8_t)len;
	return 0;
}

int nctl_prefix_parse(const char *text, unsigned flags, struct nctl_prefix *ret)
{
	const char *slash = strchr(text, '/');
	struct nctl_prefix p = NCTL_PREFIX_NULL;
	int r;

	r = parse_addr(text, slash ? (size_t)(slash - text) : strlen(text), &p);
	if (r < 0)
		return r;
	if (slash) {
		if (flags & NCTL_PREFIX_ADDR_ONLY)
			return -EINVAL;
		r = parse_len(slash + 1, &p);
		if (r < 0)
			return r;
	} else if (flags & NCTL_PREFIX_NEED_LENGTH) {
		return NCTL_PREFIX_NO_LENGTH;
	}
	*ret = p;
	return 0;
}

int nctl_prefix_from_bytes(const void *addr, size_t n, uint8_t len, struct nctl_prefix *ret)
{
	struct nctl_prefix p = {.len = len};

	if (n != 4 && n != 16)
		return -EINVAL;
	p.family = n == 4 ? AF_INET : AF_INET6;
	if (len > nctl_prefix_bits(p.family))
		return -EINVAL;
	memcpy(p.addr, addr, n);
	*ret = p;
	return 0;
}

/* v in decimal digits at p, without a NUL; behind them. snprintf(3) would be most of what a route costs to print. */
static char *put_u8(char *p, uint8_t v)
{
	if (v >= 100)
		*p++ = (char)('0' + v / 100);
	if (v >= 10)
		*p++ = (char)('0' + v / 10 % 10);
	*p++ = (char)('0' + v % 10);
	return p;
}

const char *nctl_addr_format(const struct nctl_prefix *p, char buf[NCTL_ADDR_STR])
{
	char *end = buf;

	if (p->family == AF_INET) {
		for (unsigned i = 0; i < 4; i++) {
			end = put_u8(end, p->addr[i]);
			*end++ = '.';
		}
		end[-1] = '\0';
	} else if (p->family != AF_INET6 || !inet_ntop(AF_INET6, p->addr, buf, NCTL_ADDR_STR)) {
		buf[0] = '\0';
	}
	return buf;
}

const char *nctl_prefix_format(const struct nctl_prefix *p, char buf[NCTL_PREFIX_STR])
{
	char *end;

	nctl_addr_format(p, buf);
	if (!*buf)
		return buf;
	end = buf + strlen(buf);
	*end++ = '/';
	*put_u8(end, p->len) = '\0';
	return buf;
}

int nctl_prefix_cmp(const struct nctl_prefix *a, const struct nctl_prefix *b)
{
	int c;

	if (a->family != b->family)
		return a->family < b->family ? -1 : 1;
	c = memcmp(a->addr, b->addr, sizeof(a->addr));
	if (c)
		return c;
	return (a->len > b->len) - (a->len < b->len);
}

bool nctl_prefix_equal(const struct nctl_prefix *a, const struct nctl_prefix *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

/* Are the first n bits the same? */
static bool same_bits(const uint8_t *a, const uint8_t *b, unsigned n)
{
	uint8_t mask = (uint8_t)(0xff00 >> (n % 8));

	if (memcmp(a, b, n / 8))
		return false;
	return !(n % 8) || !((a[n / 8] ^ b[n / 8]) & mask);
}

bool nctl_prefix_contains(const struct nctl_prefix *outer, const struct nctl_prefix *inner)
{
	return nctl_prefix_bits(outer->family) && outer->family == inner->family &&
	       outer->len <= inner->len && same_bits(outer->addr, inner->addr, outer->len);
}

void nctl_prefix_mask(struct nctl_prefix *p)
{
	unsigned i = p->len / 8;

	if (i >= sizeof(p->addr))
		return;
	p->addr[i] &= (uint8_t)(0xff00 >> (p->len % 8));
	memset(p->addr + i + 1, 0, sizeof(p->addr) - i - 1);
}

bool nctl_prefix_is_link_local(const struct nctl_prefix *p)
{
	static const uint8_t v4[] = {169, 254}, v6[] = {0xfe, 0x80};

	return (p->family == AF_INET && same_bits(p->addr, v4, 16)) ||
	       (p->family == AF_INET6 && same_bits(p->addr, v6, 10));
}

bool nctl_prefix_is_multicast(const struct nctl_prefix *p)
{
	return (p->family == AF_INET && (p->addr[0] & 0xf0) == 0xe0) ||
	       (p->family == AF_INET6 && p->addr[0] == 0xff);
}

bool nctl_prefix_is_loopback(const struct nctl_prefix *p)
{
	static const uint8_t one[16] = {[15] = 1};

	return (p->family == AF_INET && p->addr[0] == 127) ||
	       (p->family == AF_INET6 && !memcmp(p->addr, one, 16));
}

bool nctl_prefix_is_unspecified(const struct nctl_prefix *p)
{
	static const uint8_t zero[16];

	return nctl_prefix_bits(p->family) && !memcmp(p->addr, zero, 16);
}

uint64_t nctl_prefix_hash(const struct nctl_prefix *p)
{
	return nctl_hash_bytes(p, sizeof(*p));
}
