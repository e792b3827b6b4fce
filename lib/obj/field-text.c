/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: fields as the text of YAML, both ways. The parser is strict and writes nothing into the object unless
 * the whole text is good; its errors are the second half of a sentence whose first half is the key ("mtu:
 * must be
 * ..."). The configuration and the plan's printer call it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "base/strbuf.h"
#include "base/suggest.h"
#include "net/lladdr.h"
#include "net/prefix.h"
#include "obj/field.h"

#define NAMES_MAX 32 /* words of one field that a suggestion looks at */

static uint64_t unit_msec(const struct nctl_field *f)
{
	switch ((enum nctl_field_unit)f->unit) {
	case NCTL_UNIT_NONE:
		return 0;
	case NCTL_UNIT_MSEC:
		return 1;
	case NCTL_UNIT_SEC:
		return 1000;
	case NCTL_UNIT_CENTISEC:
		return 10;
	}
	return 0;
}

static uint64_t number_max(const struct nctl_field *f)
{
	if (f->max)
		return f->max;
	return f->size >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * f->size) - 1;
}

static void put_number(const struct nctl_field *f, uint64_t v, struct nctl_strbuf *out)
{
	/* Without a suffix YAML means seconds, but for MSEC. */
	if (f->unit == NCTL_UNIT_CENTISEC && v % 100 == 0)
		nctl_strbuf_u64(out, v / 100);
	else if (f->unit == NCTL_UNIT_CENTISEC)
		nctl_strbuf_printf(out, "%" PRIu64 "ms", v * 10);
	else
		nctl_strbuf_u64(out, v);
}

/* Splits "15", "15s", "15ms" and gives milliseconds. */
static int parse_time(const struct nctl_field *f, const char *text, uint64_t *ret)
{
	size_t digits = strspn(text, "0123456789");
	const char *suffix = text + digits;
	char number[24];
	uint64_t v, factor;
	int r;

	if (strcmp(suffix, "ms") == 0)
		factor = 1;
	else if (strcmp(suffix, "s") == 0)
		factor = 1000;
	else if (*suffix == '\0')
		factor = f->unit == NCTL_UNIT_MSEC ? 1 : 1000;
	else
		return -EINVAL;
	if (digits >= sizeof(number))
		return -ERANGE;
	memcpy(number, text, digits);
	number[digits] = '\0';
	r = nctl_parse_u64(number, 10, &v);
	if (r < 0)
		return r;
	if (__builtin_mul_overflow(v, factor, ret))
		return -ERANGE;
	return 0;
}

static int fail_range(const struct nctl_field *f, const char *text, struct nctl_strbuf *why)
{
	nctl_strbuf_puts(why, "must be between ");
	put_number(f, f->min, why);
	nctl_strbuf_puts(why, " and ");
	put_number(f, number_max(f), why);
	nctl_strbuf_printf(why, ", not %s", text);
	return -ERANGE;
}

static int parse_number(const struct nctl_field *f, const char *text, uint64_t *ret, struct nctl_strbuf *why)
{
	uint64_t unit = unit_msec(f), v = 0;
	int r = unit ? parse_time(f, text, &v) : nctl_parse_u64(text, 10, &v);

	if (r == -EINVAL) {
		nctl_strbuf_printf(why,
			unit ? "must be a time such as \"200ms\" or \"2s\", not \"%s\""
			     : "must be a whole number, not \"%s\"",
			text);
		return r;
	}
	if (r == 0 && unit && v % unit) {
		nctl_strbuf_printf(why, "must be a multiple of %" PRIu64 " milliseconds, not %s", unit, text);
		return -EINVAL;
	}
	if (unit)
		v /= unit;
	if (r < 0 || v < f->min || v > number_max(f))
		return fail_range(f, text, why);
	*ret = v;
	return 0;
}

static int parse_bool(const char *text, uint64_t *ret, struct nctl_strbuf *why)
{
	static const char *const words[] = {"false", "true", "off", "on", "no", "yes", "n", "y"};

	for (size_t i = 0; i < NCTL_ARRAY_SIZE(words); i++) {
		if (strcasecmp(text, words[i]) == 0) {
			*ret = i & 1;
			return 0;
		}
	}
	nctl_strbuf_printf(why, "must be true or false, not \"%s\"", text);
	return -EINVAL;
}

static int fail_name(const struct nctl_field *f, const char *text, struct nctl_strbuf *why)
{
	const char *words[NAMES_MAX], *near;
	size_t n = 0, listed = 0;

	for (const struct nctl_name *name = f->names; name->name; name++) {
		nctl_strbuf_puts(why, listed++ ? ", " : name[1].name ? "must be one of " : "must be ");
		nctl_strbuf_puts(why, name->alias ? name->alias : name->name);
		if (n + 2 <= NAMES_MAX) {
			words[n++] = name->alias;
			words[n++] = name->name;
		}
	}
	if (f->max && f->type == NCTL_FIELD_ENUM)
		nctl_strbuf_printf(why, " or a number up to %" PRIu64, f->max);
	nctl_strbuf_printf(why, ", not \"%s\"", text);
	near = nctl_suggest(text, words, n);
	if (near)
		nctl_strbuf_printf(why, " (did you mean \"%s\"?)", near);
	return -EINVAL;
}

static int parse_name(const struct nctl_field *f, const char *text, uint64_t *ret, struct nctl_strbuf *why)
{
	for (const struct nctl_name *n = f->names; n->name; n++) {
		if (strcmp(text, n->name) == 0 || (n->alias && strcmp(text, n->alias) == 0)) {
			*ret = n->value;
			return 0;
		}
	}
	if (f->max && f->type == NCTL_FIELD_ENUM && *text >= '0' && *text <= '9')
		return parse_number(f, text, ret, why);
	return fail_name(f, text, why);
}

static int parse_lladdr(
	const struct nctl_field *f, const char *text, struct nctl_lladdr *ret, struct nctl_strbuf *why)
{
	struct nctl_lladdr a;

	if (nctl_lladdr_parse(text, &a) < 0) {
		nctl_strbuf_printf(why, "must be a MAC address such as 02:00:00:00:00:01, not \"%s\"", text);
		/* YAML 1.1 takes 10:20:30:40:50:11 for a number in base 60. */
		if (strlen(text) > 8 && text[strspn(text, "0123456789")] == '\0')
			nctl_strbuf_puts(why, " (an unquoted MAC address of digits is a number: quote it)");
		return -EINVAL;
	}
	if (f->max && (a.len < f->min || a.len > f->max)) {
		nctl_strbuf_printf(why, "must have %" PRIu64 " bytes, not %u", f->min, (unsigned)a.len);
		return -EINVAL;
	}
	*ret = a;
	return 0;
}

static int parse_ip(const char *text, struct nctl_prefix *ret, struct nctl_strbuf *why)
{
	int r = nctl_addr_parse(text, ret);

	if (r < 0)
		nctl_strbuf_printf(why, "must be an IP address without \"/\", not \"%s\"", text);
	return r;
}

static int parse_string(const struct nctl_field *f, const char *text, uint64_t max, struct nctl_strbuf *why)
{
	if (strlen(text) > max) {
		nctl_strbuf_printf(why, "must be at most %" PRIu64 " bytes long, not %zu", max, strlen(text));
		return -ENAMETOOLONG;
	}
	if (f->min && strlen(text) < f->min) {
		nctl_strbuf_puts(why, "must not be empty");
		return -EINVAL;
	}
	return 0;
}

static int fail_memory(struct nctl_strbuf *why)
{
	nctl_strbuf_puts(why, "out of memory");
	return -ENOMEM;
}

/* Inserts in order; what is there already stays alone. */
static int texts_add(char ***list, const char *text)
{
	char **v = *list, *copy;
	size_t n = 0, at = 0;

	while (v && v[n])
		n++;
	while (at < n && strcmp(v[at], text) < 0)
		at++;
	if (at < n && strcmp(v[at], text) == 0)
		return 0;
	copy = strdup(text);
	v = copy ? realloc(v, (n + 2) * sizeof(*v)) : NULL;
	if (!v) {
		free(copy);
		return -ENOMEM;
	}
	memmove(v + at + 1, v + at, (n - at) * sizeof(*v));
	v[at] = copy;
	v[n + 1] = NULL;
	*list = v;
	return 0;
}

static int ips_add(struct nctl_ip_list *l, const char *text, struct nctl_strbuf *why)
{
	struct nctl_prefix p;
	int r = parse_ip(text, &p, why);

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < l->n; i++)
		if (nctl_prefix_equal(&l->v[i], &p))
			return 0;
	if (l->n == NCTL_IP_LIST_MAX) {
		nctl_strbuf_printf(why, "must have at most %d addresses", NCTL_IP_LIST_MAX);
		return -E2BIG;
	}
	l->v[l->n++] = p;
	return 0;
}

static int parse_item(const struct nctl_field *f, const char *text, void *data, struct nctl_strbuf *why)
{
	void *p = (char *)data + f->offset;
	uint64_t v = 0;
	int r;

	if (f->type == NCTL_FIELD_IPS)
		return ips_add(p, text, why);
	if (f->type == NCTL_FIELD_TEXTS) {
		r = parse_string(f, text, f->max ? f->max : UINT64_MAX, why);
		if (r == 0 && texts_add(p, text) < 0)
			return fail_memory(why);
		return r;
	}
	r = parse_name(f, text, &v, why);
	if (r == 0)
		nctl_field_set(f, data, nctl_field_get(f, data) | v);
	return r;
}

static int parse_list(const struct nctl_field *f, const char *text, void *data, struct nctl_strbuf *why)
{
	_cleanup_(nctl_freep) char *copy = NULL;
	size_t len = strlen(text);
	char *save = NULL;

	if (len < 2 || text[0] != '[' || text[len - 1] != ']')
		return parse_item(f, text, data, why);
	copy = strndup(text + 1, len - 2);
	if (!copy)
		return fail_memory(why);
	for (char *w = strtok_r(copy, ", ", &save); w; w = strtok_r(NULL, ", ", &save)) {
		int r = parse_item(f, w, data, why);

		if (r < 0)
			return r;
	}
	return 0;
}

static int parse_text(const struct nctl_field *f, const char *text, void *data, struct nctl_strbuf *why)
{
	int r = parse_string(f, text, f->max ? f->max : UINT64_MAX, why);
	char *copy;

	if (r < 0)
		return r;
	copy = strdup(text);
	if (!copy)
		return fail_memory(why);
	nctl_field_clear(f, data);
	*(char **)(void *)((char *)data + f->offset) = copy;
	return 0;
}

static int parse_str(const struct nctl_field *f, const char *text, void *data, struct nctl_strbuf *why)
{
	int r = parse_string(f, text, f->size - 1U, why);

	if (r < 0)
		return r;
	memset((char *)data + f->offset, 0, f->size);
	memcpy((char *)data + f->offset, text, strlen(text));
	return 0;
}

int nctl_field_parse(const struct nctl_field *f, const char *text, void *data, struct nctl_strbuf *why)
{
	void *p = (char *)data + f->offset;
	uint64_t v = 0;
	int r = -EOPNOTSUPP;

	if (f->ops && f->ops->parse)
		return f->ops->parse(f, text, data, why);
	switch ((enum nctl_field_type)f->type) {
	case NCTL_FIELD_UINT:
		r = parse_number(f, text, &v, why);
		break;
	case NCTL_FIELD_BOOL:
		r = parse_bool(text, &v, why);
		break;
	case NCTL_FIELD_ENUM:
		r = parse_name(f, text, &v, why);
		break;
	case NCTL_FIELD_STR:
		return parse_str(f, text, data, why);
	case NCTL_FIELD_LLADDR:
		return parse_lladdr(f, text, p, why);
	case NCTL_FIELD_IP:
		return parse_ip(text, p, why);
	case NCTL_FIELD_TEXT:
		return parse_text(f, text, data, why);
	case NCTL_FIELD_BITS:
	case NCTL_FIELD_TEXTS:
	case NCTL_FIELD_IPS:
		return parse_list(f, text, data, why);
	case NCTL_FIELD_LINK:
	case NCTL_FIELD_BYTES:
	case NCTL_FIELD_RAW:
		nctl_strbuf_puts(why, "cannot be read as text");
		return -EOPNOTSUPP;
	}
	if (r == 0)
		nctl_field_set(f, data, v);
	return r;
}

static void format_enum(const struct nctl_field *f, uint64_t v, struct nctl_strbuf *out)
{
	for (const struct nctl_name *n = f->names; n && n->name; n++) {
		if (n->value == v) {
			nctl_strbuf_puts(out, n->alias ? n->alias : n->name);
			return;
		}
	}
	nctl_strbuf_u64(out, v);
}

static void format_bits(const struct nctl_field *f, uint64_t v, struct nctl_strbuf *out)
{
	const char *comma = "";

	nctl_strbuf_putc(out, '[');
	for (const struct nctl_name *n = f->names; n && n->name; n++) {
		if ((v & n->value) != n->value)
			continue;
		nctl_strbuf_printf(out, "%s%s", comma, n->name);
		comma = ", ";
	}
	nctl_strbuf_putc(out, ']');
}

static void format_ips(const struct nctl_ip_list *l, struct nctl_strbuf *out)
{
	char buf[NCTL_ADDR_STR];

	nctl_strbuf_putc(out, '[');
	for (uint32_t i = 0; i < l->n && i < NCTL_IP_LIST_MAX; i++)
		nctl_strbuf_printf(out, "%s%s", i ? ", " : "", nctl_addr_format(&l->v[i], buf));
	nctl_strbuf_putc(out, ']');
}

static void format_texts(char *const *v, struct nctl_strbuf *out)
{
	nctl_strbuf_putc(out, '[');
	for (size_t i = 0; v && v[i]; i++)
		nctl_strbuf_printf(out, "%s%s", i ? ", " : "", v[i]);
	nctl_strbuf_putc(out, ']');
}

void nctl_field_format_text(const struct nctl_field *f, const void *data, struct nctl_strbuf *out)
{
	const void *p = (const char *)data + f->offset;
	const char *text;
	char buf[NCTL_LLADDR_STR];

	if (f->ops && f->ops->format) {
		f->ops->format(f, data, out);
		return;
	}
	switch ((enum nctl_field_type)f->type) {
	case NCTL_FIELD_UINT:
	case NCTL_FIELD_LINK:
		put_number(f, nctl_field_get(f, data), out);
		break;
	case NCTL_FIELD_BOOL:
		nctl_strbuf_puts(out, nctl_field_get(f, data) ? "true" : "false");
		break;
	case NCTL_FIELD_ENUM:
		format_enum(f, nctl_field_get(f, data), out);
		break;
	case NCTL_FIELD_BITS:
		format_bits(f, nctl_field_get(f, data), out);
		break;
	case NCTL_FIELD_STR:
		nctl_strbuf_puts(out, p);
		break;
	case NCTL_FIELD_LLADDR:
		nctl_strbuf_puts(out, nctl_lladdr_format(p, buf));
		break;
	case NCTL_FIELD_IP:
		nctl_strbuf_puts(out, nctl_addr_format(p, buf));
		break;
	case NCTL_FIELD_TEXT:
		text = *(char *const *)p;
		nctl_strbuf_puts(out, text ? text : "");
		break;
	case NCTL_FIELD_TEXTS:
		format_texts(*(char **const *)p, out);
		break;
	case NCTL_FIELD_IPS:
		format_ips(p, out);
		break;
	case NCTL_FIELD_BYTES:
	case NCTL_FIELD_RAW:
		break;
	}
}
