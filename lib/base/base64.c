/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: keys in base64 (RFC 4648). What is left of a key on the stack is wiped. */
#include "base/base64.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { FILE_MAX = 256 }; /* a key, and blanks */

static int base64_digit(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

bool nctl_key_parse(const char *text, size_t len, uint8_t ret[NCTL_KEY_BYTES])
{
	uint8_t key[NCTL_KEY_BYTES + 1];
	uint32_t bits = 0;
	size_t n = 0;

	while (len && is_blank(text[len - 1]))
		len--;
	for (; len && is_blank(*text); len--)
		text++;
	if (len != NCTL_KEY_TEXT || text[len - 1] != '=')
		return false;
	/* 43 digits are 258 bits, of which the last two are 0. */
	for (size_t i = 0; i < len; i++) {
		int digit = i + 1 < len ? base64_digit(text[i]) : 0;

		if (digit < 0 || (i + 2 == len && (digit & 3)))
			return false;
		bits = bits << 6 | (uint32_t)digit;
		if (i % 4 != 3)
			continue;
		for (int shift = 16; shift >= 0; shift -= 8)
			if (n < sizeof(key))
				key[n++] = (uint8_t)(bits >> shift);
		bits = 0;
	}
	memcpy(ret, key, NCTL_KEY_BYTES);
	explicit_bzero(key, sizeof(key));
	return true;
}

int nctl_key_read(int fd, char ret[NCTL_KEY_TEXT + 1])
{
	char buf[FILE_MAX + 1];
	uint8_t key[NCTL_KEY_BYTES];
	ssize_t n = read(fd, buf, sizeof(buf));
	bool good = n > 0 && n <= FILE_MAX && nctl_key_parse(buf, (size_t)n, key);
	size_t skip = good ? strspn(buf, " \t\r\n") : 0; /* the key ends it */

	if (good) {
		memcpy(ret, buf + skip, NCTL_KEY_TEXT);
		ret[NCTL_KEY_TEXT] = '\0';
	}
	explicit_bzero(buf, sizeof(buf));
	explicit_bzero(key, sizeof(key));
	return n < 0 ? -errno : good ? 0 : -EBADMSG;
}
