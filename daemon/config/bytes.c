/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Files are UTF-8 text whose lines end in LF or CR LF, and nothing else.
 *
 * YAML 1.1 (section 4.2) knows five line ends and two more encodings; an editor counts lines by one. Refusing
 * the others keeps our line numbers those of every editor.
 */
#include <string.h>

#include "config/bytes.h"

const char *nd_bytes_start(const struct nd_config_text *t, size_t *ret_len)
{
	size_t skip = t->len >= 3 && !memcmp(t->data, "\xef\xbb\xbf", 3) ? 3 : 0;

	*ret_len = t->len - skip;
	return t->data + skip;
}

size_t nd_bytes_decode(const char *text, size_t n, uint32_t *ret)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t len = s[0] < 0x80 ? 1 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 : 4, i;
	uint32_t c;

	if ((s[0] >= 0x80 && s[0] < 0xc2) || s[0] > 0xf4 || n < len)
		return 0;
	c = len == 1 ? s[0] : s[0] & (0x7fu >> len);
	for (i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if ((len == 3 && c < 0x800) || (len == 4 && (c < 0x10000 || c > 0x10ffff)) ||
		(c >= 0xd800 && c < 0xe000))
		return 0;
	*ret = c;
	return len;
}

static bool is_refused(uint32_t c)
{
	if (c < 0x20)
		return c != '\t' && c != '\n' && c != '\r';
	return (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029 || c == 0xfeff || c >= 0xfffe;
}

static void refuse(struct nd_parse *p, struct nctl_pos pos, size_t len, uint32_t c)
{
	if (!len)
		nd_error(p, pos, "save the file as UTF-8", "this is not UTF-8");
	else if (c == '\r')
		nd_error(p, pos, "end lines with LF or CR LF", "a carriage return inside a line");
	else if (c == 0)
		nd_error(p, pos, "save the file as UTF-8", "a NUL byte: this is no text file");
	else
		nd_error(p, pos, "remove it", "the character U+%04X may not be used here", (unsigned)c);
}

bool nd_bytes_check(struct nd_parse *p, uint32_t file)
{
	struct nctl_pos pos = {file, 1, 1};
	size_t n, len;
	const char *s = nd_bytes_start(&p->texts->v[file], &n), *end = s + n;
	uint32_t c = 0;

	for (; s < end; s += len) {
		if (*s >= 0x20 && *s < 0x7f) { /* most are */
			len = 1;
			pos.column++;
			continue;
		}
		len = nd_bytes_decode(s, (size_t)(end - s), &c);
		if (!len || is_refused(c) || (c == '\r' && !(s + 1 < end && s[1] == '\n'))) {
			refuse(p, pos, len, c);
			return false;
		}
		pos.column = c == '\n' ? 1 : pos.column + 1;
		pos.line += c == '\n';
	}
	return true;
}
