/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The values behind keys: expanded for this device of a range, checked for the traps of YAML 1.1, then
 * read by their field.
 *
 * What a field's object owns elsewhere (TEXT, TEXTS) lives in the want's arena here, so these types are read
 * by hand.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "config/device.h"
#include "config/refs.h"
#include "obj/field.h"

static const char OCTAL_ADVICE[] =
	"YAML 1.1 reads a number with a leading zero as octal; write it without the zero";
static const char BASE60_ADVICE[] =
	"YAML 1.1 reads digits with colons as one number in base 60; put quotes around";
static const char BOOL_ADVICE[] =
	"YAML 1.1 reads yes, no, on and off as truth values; put quotes around what is none";

bool nd_expect(struct nd_parse *p, const struct nd_node *node, enum nd_node_type type)
{
	const char *advice = NULL;

	if (node->type == type)
		return true;
	switch (type) {
	case ND_NODE_SCALAR:
		if (node->flow)
			advice = "put quotes around an expression: \"{n}\"";
		nd_error(p, node->pos, advice ? advice : "write the value behind the key",
			"a single value was expected here");
		break;
	case ND_NODE_SEQUENCE:
		nd_error(p, node->pos, "write [VALUE, VALUE], or one \"- VALUE\" a line",
			"a list was expected here");
		break;
	case ND_NODE_MAPPING:
		if (node->type == ND_NODE_SCALAR && nd_is_null(node))
			advice = "write {} if there is nothing to say";
		nd_error(p, node->pos, advice ? advice : "write {KEY: VALUE}, or one \"KEY: VALUE\" a line",
			"a mapping was expected here");
		break;
	}
	return false;
}

/* text for this device; NULL with the error reported. */
static const char *expand(struct nd_dev *d, const struct nd_node *node, bool key)
{
	const char *text = key ? node->key : node->text;
	struct nd_expr_error error = {0};
	struct nctl_pos pos;
	int r;

	if (!d->numbers.has_n || !strchr(text, '{'))
		return text;
	nctl_strbuf_reset(&d->p->scratch);
	r = nd_expr_expand(text, &d->numbers, &d->p->scratch, &error);
	if (r == 0)
		return nctl_strbuf_str(&d->p->scratch);
	if (r != -EINVAL) {
		nd_failed(d->p, r);
		return NULL;
	}
	pos = key ? nd_node_key_pos_at(d->p, node, error.offset) : nd_node_pos_at(d->p, node, error.offset);
	if (d->first)
		nd_error(d->p, pos, error.advice, "%s", error.message);
	else if (!d->numbers.has_N)
		nd_error(d->p, pos, error.advice, "%s (n is %" PRId64 ")", error.message, d->numbers.n);
	else
		nd_error(d->p, pos, error.advice, "%s (n is %" PRId64 ", N is %" PRId64 ")", error.message,
			d->numbers.n, d->numbers.N);
	return NULL;
}

const char *nd_dev_text(struct nd_dev *d, const struct nd_node *node)
{
	if (!nd_expect(d->p, node, ND_NODE_SCALAR))
		return NULL;
	if (nd_is_null(node)) {
		nd_error(d->p, node->pos, "write a value, or remove the key", "there is no value here");
		return NULL;
	}
	return expand(d, node, false);
}

const char *nd_dev_key(struct nd_dev *d, const struct nd_node *node)
{
	return expand(d, node, true);
}

/* A word that people mean as text. */
static bool check_word(struct nd_dev *d, const struct nd_node *node)
{
	if (!node->plain || !nd_looks_bool(node->text))
		return true;
	nd_error(
		d->p, node->pos, BOOL_ADVICE, "\"%s\" is a truth value, and a text was expected", node->text);
	return false;
}

const char *nd_dev_name(struct nd_dev *d, const struct nd_node *node)
{
	const char *text = nd_dev_text(d, node);

	if (!text || !check_word(d, node) || !nd_name_check(d->p, text, IF_NAMESIZE, node->pos))
		return NULL;
	return nd_want_strdup(d->p, text);
}

bool nd_dev_bool(struct nd_dev *d, const struct nd_node *node, bool *ret)
{
	const char *text = nd_dev_text(d, node);

	if (!text)
		return false;
	if (nd_parse_bool(text, ret))
		return true;
	nd_error(d->p, node->pos, "write true or false", "\"%s\" is no truth value", text);
	return false;
}

static bool is_number(const struct nctl_field *f)
{
	return f->type == NCTL_FIELD_UINT || (f->type == NCTL_FIELD_ENUM && f->max);
}

bool nd_check_octal(struct nd_parse *p, const struct nd_node *node, const char *text)
{
	if (!nd_looks_octal(text))
		return true;
	nd_error(p, node->pos, OCTAL_ADVICE, "\"%s\": octal or decimal?", text);
	return false;
}

bool nd_check_base60(struct nd_parse *p, const struct nd_node *node, const char *text)
{
	if (!node->plain || !nd_looks_base60(text))
		return true;
	nd_error(p, node->pos, BASE60_ADVICE, "\"%s\" has no quotes around it", text);
	return false;
}

/* Looks that are wrong whatever the field says. */
static bool check_traps(
	struct nd_dev *d, const struct nctl_field *f, const struct nd_node *node, const char *text)
{
	if (is_number(f) && !nd_check_octal(d->p, node, text))
		return false;
	return f->type != NCTL_FIELD_LLADDR || nd_check_base60(d->p, node, text);
}

enum { MAC_STR = 18 };

/* Is it a number that YAML 1.1 may have made of a MAC address? ret: of which one, "" if that is not clear. */
static bool undo_base60(const char *text, char ret[static MAC_STR])
{
	unsigned bytes[6], i;
	uint64_t n;

	if (nctl_parse_u64(text, 10, &n) < 0 || n <= UINT32_MAX || n > UINT64_C(1) << 48)
		return false;
	for (i = 6; i-- > 1; n /= 60)
		bytes[i] = (unsigned)(n % 60);
	bytes[0] = (unsigned)n;
	*ret = '\0';
	if (n > 99)
		return true;
	snprintf(ret, MAC_STR, "%02u:%02u:%02u:%02u:%02u:%02u", bytes[0], bytes[1], bytes[2], bytes[3],
		bytes[4], bytes[5]);
	return true;
}

static const char *field_advice(struct nd_dev *d, const struct nctl_field *f, const char *key,
	const struct nd_node *node, const char *text)
{
	char mac[MAC_STR];

	if (f->type == NCTL_FIELD_LLADDR && undo_base60(text, mac))
		return nd_text(d->p,
			"this looks like an unquoted MAC eaten by a YAML 1.1 tool: quote it%s%s%s",
			*mac ? ", \"" : "", mac, *mac ? "\"" : "");
	if (node->plain && is_number(f) && nd_looks_base60(text))
		return BASE60_ADVICE;
	if (node->plain && f->type != NCTL_FIELD_BOOL && nd_looks_bool(text))
		return BOOL_ADVICE;
	if (!d->numbers.has_n && strchr(text, '{'))
		return "expressions are for ranges: give the device a name like \"x{1..10}\"";
	return f->help ? nd_text(d->p, "%s: %s", key, f->help) : NULL;
}

/* One scalar, read by the field itself. */
static bool read_scalar(
	struct nd_dev *d, const struct nctl_field *f, const char *key, const struct nd_node *node, void *data)
{
	const char *text = nd_dev_text(d, node);
	int r;

	if (!text || !check_traps(d, f, node, text))
		return false;
	if (f->type == NCTL_FIELD_STR && !check_word(d, node))
		return false;
	nctl_strbuf_reset(&d->p->why);
	r = nctl_field_parse(f, text, data, &d->p->why);
	if (r == 0)
		return true;
	if (r == -ENOMEM)
		nd_failed(d->p, r);
	nd_error(d->p, node->pos, field_advice(d, f, key, node, text), "%s %s", key,
		nctl_strbuf_str(&d->p->why));
	return false;
}

/* A text within the field's bounds, in the want's arena. */
static char *read_text(
	struct nd_dev *d, const struct nctl_field *f, const char *key, const struct nd_node *node)
{
	const char *text = nd_dev_text(d, node);
	size_t len;

	if (!text || !check_word(d, node))
		return NULL;
	len = strlen(text);
	if (len < f->min) {
		nd_error(d->p, node->pos, "write a value, or remove the key", "%s must not be empty", key);
		return NULL;
	}
	if (f->max && len > f->max) {
		nd_error(d->p, node->pos, "shorten it", "%s must be at most %" PRIu64 " bytes long, not %zu",
			key, f->max, len);
		return NULL;
	}
	return (char *)(uintptr_t)nd_want_strdup(d->p, text);
}

static int text_cmp(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorted; of equal ones one stays. */
static bool read_texts(struct nd_dev *d, const struct nctl_field *f, const char *key,
	const struct nd_node *list, char ***ret)
{
	const struct nd_node *c;
	size_t n = 0, i, kept = 0;
	char **v;

	for (c = list->first; c; c = c->next)
		n++;
	v = nd_want_alloc(d->p, (n + 1) * sizeof(*v));
	if (!v)
		return false;
	for (c = list->first, n = 0; c; c = c->next) {
		v[n] = read_text(d, f, key, c);
		n += !!v[n];
	}
	if (n)
		qsort(v, n, sizeof(*v), text_cmp);
	for (i = 0; i < n; i++)
		if (!kept || strcmp(v[kept - 1], v[i]))
			v[kept++] = v[i];
	v[kept] = NULL;
	*ret = v;
	return true;
}

static bool read_list(
	struct nd_dev *d, const struct nctl_field *f, const char *key, const struct nd_node *list, void *data)
{
	const struct nd_node *c;
	bool fine = true;

	for (c = list->first; c; c = c->next)
		fine = read_scalar(d, f, key, c, data) && fine;
	return fine;
}

/* {KEY: VALUE, ...}: the field reads one "KEY:VALUE" after the other. */
static bool read_mapping(struct nd_dev *d, const struct nctl_field *f, const char *key,
	const struct nd_node *mapping, void *data)
{
	struct nd_node entry;
	const struct nd_node *c;
	const char *word, *text;
	bool fine = true;

	for (c = mapping->first; c && fine; c = c->next) {
		word = nd_dev_key(d, c);
		word = word ? nctl_arena_strdup(&d->p->tree.arena, word) : NULL;
		text = word ? nd_dev_text(d, c) : NULL;
		if (!text || !nd_check_octal(d->p, c, text))
			return false;
		entry = *c;
		entry.text = nd_text(d->p, "%s:%s", word, text);
		entry.plain = false;
		fine = read_scalar(d, f, key, &entry, data);
	}
	return fine;
}

/* What the field's own parser has made moves into the want's arena. */
static bool read_bytes(
	struct nd_dev *d, const struct nctl_field *f, const char *key, const struct nd_node *node, void *data)
{
	struct nctl_bytes *b = (void *)((char *)data + f->offset), made;
	uint8_t *copy;
	bool fine;

	*b = (struct nctl_bytes){0};
	fine = read_mapping(d, f, key, node, data);
	made = *b;
	copy = nd_want_alloc(d->p, made.n + 1);
	if (copy && made.n)
		memcpy(copy, made.p, made.n);
	nctl_field_clear(f, data);
	*b = (struct nctl_bytes){copy, copy ? made.n : 0};
	return fine && copy;
}

bool nd_dev_field(
	struct nd_dev *d, const struct nctl_field *f, const char *key, const struct nd_node *node, void *data)
{
	void *slot = (char *)data + f->offset;
	char *text;

	switch ((enum nctl_field_type)f->type) {
	case NCTL_FIELD_UINT:
	case NCTL_FIELD_BOOL:
	case NCTL_FIELD_ENUM:
	case NCTL_FIELD_STR:
	case NCTL_FIELD_LLADDR:
	case NCTL_FIELD_IP:
		return read_scalar(d, f, key, node, data);
	case NCTL_FIELD_TEXT:
		text = read_text(d, f, key, node);
		if (text)
			*(char **)slot = text;
		return text;
	case NCTL_FIELD_TEXTS:
		return nd_expect(d->p, node, ND_NODE_SEQUENCE) && read_texts(d, f, key, node, slot);
	case NCTL_FIELD_BITS:
	case NCTL_FIELD_IPS:
		return nd_expect(d->p, node, ND_NODE_SEQUENCE) && read_list(d, f, key, node, data);
	case NCTL_FIELD_BYTES:
		if (f->ops && f->ops->parse)
			return nd_expect(d->p, node, ND_NODE_MAPPING) && read_bytes(d, f, key, node, data);
		break;
	case NCTL_FIELD_RAW:
		if (f->ops && f->ops->parse)
			return nd_expect(d->p, node, ND_NODE_SEQUENCE) && read_list(d, f, key, node, data);
		break;
	case NCTL_FIELD_LINK:
		break;
	}
	nd_error(d->p, node->key_pos, "remove it", "%s cannot be configured yet", key);
	return false;
}
