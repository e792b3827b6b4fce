/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: JSON writer (RFC 8259) over a strbuf. It keeps one bit of state per level: is a
 * comma due. Everything that leaves the daemon as JSON passes here, so this is where names
 * with odd bytes become valid UTF-8.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"

void nctl_json_init(struct nctl_json *j, struct nctl_strbuf *out)
{
	*j = (struct nctl_json){.out = out};
}

static void misuse(struct nctl_json *j)
{
	if (!j->out->err)
		j->out->err = -EINVAL;
}

/* A comma, if this is not the first item of its level. */
static void next_item(struct nctl_json *j)
{
	if (!j->depth)
		return;
	if (j->has_items[j->depth - 1])
		nctl_strbuf_putc(j->out, ',');
	j->has_items[j->depth - 1] = true;
}

/* What comes before each value. */
static void before_value(struct nctl_json *j)
{
	if (!j->depth)
		return;
	if (j->in_object[j->depth - 1] != j->keyed)
		misuse(j);
	if (!j->keyed)
		next_item(j);
	j->keyed = false;
}

static void begin(struct nctl_json *j, bool object)
{
	before_value(j);
	if (j->depth == NCTL_JSON_DEPTH) {
		misuse(j);
		return;
	}
	j->in_object[j->depth] = object;
	j->has_items[j->depth] = false;
	j->depth++;
	nctl_strbuf_putc(j->out, object ? '{' : '[');
}

static void end(struct nctl_json *j, bool object)
{
	if (!j->depth || j->in_object[j->depth - 1] != object || j->keyed) {
		misuse(j);
		return;
	}
	j->depth--;
	nctl_strbuf_putc(j->out, object ? '}' : ']');
}

void nctl_json_obj_begin(struct nctl_json *j)
{
	begin(j, true);
}

void nctl_json_obj_end(struct nctl_json *j)
{
	end(j, true);
}

void nctl_json_arr_begin(struct nctl_json *j)
{
	begin(j, false);
}

void nctl_json_arr_end(struct nctl_json *j)
{
	end(j, false);
}

/* Length of the UTF-8 character at s (RFC 3629 section 4: no overlong forms, no surrogates), 0 if there is
 * none. */
static size_t utf8_len(const unsigned char *s)
{
	unsigned char low = 0x80, high = 0xbf;
	size_t n, i;

	if (s[0] < 0x80)
		return 1;
	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		n = 2;
	else if (s[0] >= 0xe0 && s[0] <= 0xef)
		n = 3;
	else if (s[0] >= 0xf0 && s[0] <= 0xf4)
		n = 4;
	else
		return 0;
	if (s[0] == 0xe0)
		low = 0xa0;
	else if (s[0] == 0xf0)
		low = 0x90;
	if (s[0] == 0xed)
		high = 0x9f;
	else if (s[0] == 0xf4)
		high = 0x8f;
	if (s[1] < low || s[1] > high)
		return 0;
	for (i = 2; i < n; i++)
		if (s[i] < 0x80 || s[i] > 0xbf)
			return 0;
	return n;
}

static void put_control(struct nctl_strbuf *out, unsigned char c)
{
	static const char short_form[] = "btn\0fr"; /* for 8 to 13; 11 has none */

	nctl_strbuf_putc(out, '\\');
	if (c >= 8 && c <= 13 && short_form[c - 8])
		nctl_strbuf_putc(out, short_form[c - 8]);
	else
		nctl_strbuf_printf(out, "u%04x", c);
}

static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

static void put_string(struct nctl_strbuf *out, const char *text)
{
	const unsigned char *s = (const unsigned char *)text, *plain = s;
	size_t n;

	nctl_strbuf_putc(out, '"');
	while (*s) {
		/* Nearly all that is ever written. */
		if (is_plain(*s)) {
			s++;
			continue;
		}
		n = utf8_len(s);
		if (n > 1) {
			s += n;
			continue;
		}
		nctl_strbuf_put(out, plain, (size_t)(s - plain));
		if (!n) {
			nctl_strbuf_puts(out, "\\ufffd");
		} else if (*s == '"' || *s == '\\') {
			nctl_strbuf_putc(out, '\\');
			nctl_strbuf_putc(out, (char)*s);
		} else {
			put_control(out, *s);
		}
		plain = ++s;
	}
	nctl_strbuf_put(out, plain, (size_t)(s - plain));
	nctl_strbuf_putc(out, '"');
}

void nctl_json_key(struct nctl_json *j, const char *key)
{
	if (!j->depth || !j->in_object[j->depth - 1] || j->keyed) {
		misuse(j);
		return;
	}
	next_item(j);
	put_string(j->out, key);
	nctl_strbuf_putc(j->out, ':');
	j->keyed = true;
}

void nctl_json_str(struct nctl_json *j, const char *s)
{
	if (!s) {
		nctl_json_null(j);
		return;
	}
	before_value(j);
	put_string(j->out, s);
}

void nctl_json_u64(struct nctl_json *j, uint64_t v)
{
	before_value(j);
	nctl_strbuf_u64(j->out, v);
}

void nctl_json_i64(struct nctl_json *j, int64_t v)
{
	before_value(j);
	if (v < 0)
		nctl_strbuf_putc(j->out, '-');
	nctl_strbuf_u64(j->out, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

void nctl_json_bool(struct nctl_json *j, bool v)
{
	nctl_json_raw(j, v ? "true" : "false", v ? 4 : 5);
}

void nctl_json_null(struct nctl_json *j)
{
	nctl_json_raw(j, "null", 4);
}

void nctl_json_double(struct nctl_json *j, double v, unsigned decimals)
{
	size_t from, to;
	char text[400]; /* DBL_MAX has 309 digits */
	int n;

	if (!isfinite(v)) {
		nctl_json_null(j);
		return;
	}
	n = snprintf(text, sizeof(text), "%.*f", decimals < 40 ? (int)decimals : 40, v);
	/* A locale may have another point, of several bytes even. */
	for (from = to = 0; n > 0 && from < (size_t)n; from++) {
		if ((text[from] >= '0' && text[from] <= '9') || text[from] == '-')
			text[to++] = text[from];
		else if (to && text[to - 1] != '.')
			text[to++] = '.';
	}
	nctl_json_raw(j, text, to);
}

void nctl_json_raw(struct nctl_json *j, const char *text, size_t len)
{
	before_value(j);
	nctl_strbuf_put(j->out, text, len);
}

void nctl_json_kstr(struct nctl_json *j, const char *key, const char *s)
{
	nctl_json_key(j, key);
	nctl_json_str(j, s);
}

void nctl_json_ku64(struct nctl_json *j, const char *key, uint64_t v)
{
	nctl_json_key(j, key);
	nctl_json_u64(j, v);
}

void nctl_json_ki64(struct nctl_json *j, const char *key, int64_t v)
{
	nctl_json_key(j, key);
	nctl_json_i64(j, v);
}

void nctl_json_kbool(struct nctl_json *j, const char *key, bool v)
{
	nctl_json_key(j, key);
	nctl_json_bool(j, v);
}
