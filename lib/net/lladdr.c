/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Link-layer addresses of any length that a netdevice may have (Ethernet 6, InfiniBand
 * 20, tunnels 4 or 16). Pure functions. The bytes past len are always zero.
 */
#include <errno.h>
#include <string.h>

#include "base/num.h"
#include "net/lladdr.h"

int nctl_lladdr_parse(const char *text, struct nctl_lladdr *ret)
{
	struct nctl_lladdr a = NCTL_LLADDR_NULL;
	unsigned high, low;

	for (;;) {
		high = nctl_digit(text[0]);
		low = high > 15 ? high : nctl_digit(text[1]);
		if (low > 15 || a.len == NCTL_LLADDR_MAX)
			return -EINVAL;
		a.b[a.len++] = (uint8_t)(high << 4 | low);
		text += 2;
		if (!*text)
			break;
		if (*text++ != ':')
			return -EINVAL;
	}
	*ret = a;
	return 0;
}

const char *nctl_lladdr_format(const struct nctl_lladdr *a, char buf[NCTL_LLADDR_STR])
{
	static const char hex[] = "0123456789abcdef";
	char *p = buf;
	unsigned i;

	for (i = 0; i < a->len && i < NCTL_LLADDR_MAX; i++) {
		if (i)
			*p++ = ':';
		*p++ = hex[a->b[i] >> 4];
		*p++ = hex[a->b[i] & 15];
	}
	*p = '\0';
	return buf;
}

int nctl_lladdr_cmp(const struct nctl_lladdr *a, const struct nctl_lladdr *b)
{
	if (a->len != b->len)
		return a->len < b->len ? -1 : 1;
	return memcmp(a->b, b->b, a->len);
}

bool nctl_lladdr_equal(const struct nctl_lladdr *a, const struct nctl_lladdr *b)
{
	return nctl_lladdr_cmp(a, b) == 0;
}

bool nctl_lladdr_is_multicast(const struct nctl_lladdr *a)
{
	return a->len && (a->b[0] & 1);
}
