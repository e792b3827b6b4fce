/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: parameters of a kind of links, or of a master's port, by its field table: the word of ip-link(8) is
 * the field's JSON name or its key, whatever stands between the parts of it; where it is neither, the list of
 * other words below has it. A truth value may stand alone ("learning", "nolearning"); so may one of the words
 * of a list ("gvrp on", "private"). Numbers are the kernel's, as ip(8) takes them, not those of YAML.
 */
#include "batch/lines.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "obj/rtname.h"

enum { WORD_MAX = 48 };

/* Words of ip-link(8) that are told by another one of the tables. */
static const char *const other_words[][2] = {
	{"dstport", "port"},
	{"srcport", "port-range"},
	{"dsfield", "tos"},
	{"tclass", "tos"},
	{"hoplimit", "ttl"},
	{"flowlabel", "label"},
	{"udp6zerocsumtx", "udp_zero_csum6_tx"},
	{"udp6zerocsumrx", "udp_zero_csum6_rx"},
	{"num_grat_arp", "gratuitous-arp"},
	{"num_unsol_na", "gratuitous-arp"},
	{"mcast_fast_leave", "fast-leave"},
	{"ingress-qos-map", "ingress-qos"},
	{"egress-qos-map", "egress-qos"},
	{"vni", "id"},
};

/* Where a word leads. */
struct match {
	const struct nctl_field *field;
	unsigned index;
	const char *name; /* of a list of words: that one */
	bool no;          /* "no" stands before it */
};

/* Without what stands between the parts of a word, in small letters. */
static const char *plain(const char *word, char buf[WORD_MAX])
{
	size_t n = 0;

	for (; *word && n < WORD_MAX - 1; word++)
		if (isalnum((unsigned char)*word))
			buf[n++] = (char)tolower((unsigned char)*word);
	buf[n] = '\0';
	return buf;
}

static bool is_plain(const char *word, const char *text)
{
	char buf[WORD_MAX];

	return text && !strcmp(plain(text, buf), word);
}

static bool is_usable(const struct data *d, unsigned i)
{
	const struct nctl_field *f = &d->table->v[i];

	return f->key && !(f->flags & (NCTL_FIELD_READONLY | NCTL_FIELD_LOWER)) &&
	       !(d->kind && d->table == &d->kind->data && d->kind->lacks >> i & 1);
}

static bool names_field(const struct nctl_field *f, const char *word)
{
	const char *dot = strrchr(f->key, '.');

	return is_plain(word, f->json) || is_plain(word, f->key) || (dot && is_plain(word, dot + 1));
}

static bool find_field(const struct data *d, const char *word, struct match *ret)
{
	for (unsigned i = 0; i < d->table->n; i++) {
		if (!is_usable(d, i) || !names_field(&d->table->v[i], word))
			continue;
		*ret = (struct match){.field = &d->table->v[i], .index = i};
		return true;
	}
	return false;
}

/* One of the words of a field that is known by them. */
static bool find_name(const struct data *d, const char *word, struct match *ret)
{
	for (unsigned i = 0; i < d->table->n; i++) {
		const struct nctl_field *f = &d->table->v[i];

		if (!is_usable(d, i) || (f->type != NCTL_FIELD_BITS && f->json))
			continue;
		for (const struct nctl_name *n = f->names; n && n->name; n++) {
			if (!is_plain(word, n->name) && !is_plain(word, n->alias))
				continue;
			*ret = (struct match){.field = f, .index = i, .name = n->alias ? n->alias : n->name};
			return true;
		}
	}
	return false;
}

static bool find(const struct data *d, const char *text, struct match *ret)
{
	char word[WORD_MAX], other[WORD_MAX];

	for (size_t i = 0; i < NCTL_ARRAY_SIZE(other_words); i++)
		if (!strcmp(text, other_words[i][0]) && find_field(d, plain(other_words[i][1], other), ret))
			return true;
	plain(text, word);
	if (find_field(d, word, ret) || find_name(d, word, ret))
		return true;
	if (strncmp(word, "no", 2) || !find_field(d, word + 2, ret) || ret->field->type != NCTL_FIELD_BOOL)
		return false;
	ret->no = true;
	return true;
}

static bool fail(struct reader *r, const struct match *m, struct nctl_strbuf *why)
{
	const char *name = m->field->json ? m->field->json : m->field->key;

	return why->err ? nd_batch_no_memory(r)
	                : nd_batch_wrong(r, NULL, "%s %s", name, nctl_strbuf_str(why));
}

static bool parse(struct reader *r, struct data *d, const struct match *m, const char *text)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf why = NCTL_STRBUF_INIT;

	return nctl_field_parse(m->field, text, d->data, &why) == 0 || fail(r, m, &why);
}

static bool set_number(struct reader *r, struct data *d, const struct match *m, uint64_t v, const char *text)
{
	const struct nctl_field *f = m->field;

	if (f->size < 8 && v >> 8 * f->size)
		return nd_batch_wrong(
			r, NULL, "\"%.64s\" is too large for %s", text, f->json ? f->json : f->key);
	nctl_field_set(f, d->data, v);
	return true;
}

/* A number in the kernel's unit, which YAML's may not be; or hexadecimal. */
static bool is_raw_number(const struct nctl_field *f, const char *text)
{
	return f->type == NCTL_FIELD_UINT && (f->unit == NCTL_UNIT_CENTISEC || !strncmp(text, "0x", 2));
}

/* By number, or in other letters ("802.1q"). */
static bool parse_name(struct reader *r, struct data *d, const struct match *m, const char *text)
{
	uint64_t v;
	bool number = nctl_parse_u64(text, 10, &v) == 0;

	for (const struct nctl_name *n = m->field->names; n->name; n++) {
		if (!strcasecmp(n->name, text) || (number && n->value == v)) {
			nctl_field_set(m->field, d->data, n->value);
			return true;
		}
	}
	return parse(r, d, m, text);
}

/* "ttl inherit": 0 to tunnels of IP, and the bit of the type of service. */
static bool is_inherited(const struct nctl_field *f, const char *text, uint64_t *ret)
{
	bool tos = f->json && !strcmp(f->json, "tos"), ttl = f->json && !strcmp(f->json, "ttl");

	*ret = tos;
	return (tos && !strcmp(text, "inherit")) || (ttl && !strcmp(text, "auto"));
}

static bool parse_list(struct reader *r, struct data *d, const struct match *m, const char *text)
{
	char list[1024];

	if (snprintf(list, sizeof(list), "[%s]", text) >= (int)sizeof(list))
		return nd_batch_wrong(r, NULL, "the list is too long");
	return parse(r, d, m, list);
}

static bool set_link(struct reader *r, struct data *d, const struct match *m, const char *name)
{
	struct found f;

	if (!nd_batch_find(r, name, &f))
		return false;
	nctl_field_set(m->field, d->data, f.ifindex);
	return true;
}

/* Of a list that is told by several words: those that look like what the field takes. */
static bool parse_words(struct reader *r, struct data *d, const struct match *m, const char *text)
{
	bool pair = m->field->type == NCTL_FIELD_BYTES;

	if (!parse(r, d, m, text))
		return false;
	while ((text = nd_batch_word(r)) &&
		(pair ? strchr(text, ':') != NULL : isdigit((unsigned char)*text))) {
		r->i++;
		if (!parse(r, d, m, text))
			return false;
	}
	return true;
}

/* Of an address, which may be of the other family. */
static bool parse_ip(struct reader *r, struct data *d, struct match *m, const char *text)
{
	if (!parse(r, d, m, text))
		return false;
	m->index = nctl_fields_settle_ip(d->table, d->data, m->index);
	return true;
}

static bool parse_value(struct reader *r, struct data *d, struct match *m, const char *text)
{
	const struct nctl_field *f = m->field;
	uint64_t v;
	uint32_t table;

	if (is_inherited(f, text, &v))
		return set_number(r, d, m, v, text);
	if (is_raw_number(f, text) && nd_batch_read_u64(text, &v))
		return set_number(r, d, m, v, text);
	if (f->key && !strcmp(f->key, "table") &&
		nctl_rtname_parse(NCTL_RTNAME_TABLE, text, UINT32_MAX, &table) == 0)
		return set_number(r, d, m, table, text);
	switch ((enum nctl_field_type)f->type) {
	case NCTL_FIELD_ENUM:
		return parse_name(r, d, m, text);
	case NCTL_FIELD_LINK:
		return set_link(r, d, m, text);
	case NCTL_FIELD_IPS:
		return parse_list(r, d, m, text);
	case NCTL_FIELD_BYTES:
	case NCTL_FIELD_RAW:
		return parse_words(r, d, m, text);
	case NCTL_FIELD_IP:
		return parse_ip(r, d, m, text);
	case NCTL_FIELD_UINT:
	case NCTL_FIELD_BOOL:
	case NCTL_FIELD_BITS:
	case NCTL_FIELD_STR:
	case NCTL_FIELD_LLADDR:
	case NCTL_FIELD_TEXT:
	case NCTL_FIELD_TEXTS:
		break;
	}
	return parse(r, d, m, text);
}

/* A truth value stands alone, or has a word behind it. 0 or 1; -1: there is no such word. */
static int take_truth(struct reader *r)
{
	static const char *const words[] = {"0", "1", "off", "on", "no", "yes", "false", "true", "n", "y"};
	const char *word = nd_batch_word(r);

	for (size_t i = 0; word && i < NCTL_ARRAY_SIZE(words); i++) {
		if (strcmp(word, words[i]))
			continue;
		r->i++;
		return i & 1;
	}
	return -1;
}

/* One word of a list, which may be switched off. */
static bool set_named(struct reader *r, struct data *d, const struct match *m)
{
	int truth = m->field->type == NCTL_FIELD_BITS ? take_truth(r) : -1;
	char word[WORD_MAX];

	if (truth)
		return parse(r, d, m, m->name);
	snprintf(word, sizeof(word), "no-%s", m->name);
	return !m->field->ops || parse(r, d, m, word);
}

static bool set_one(struct reader *r, struct data *d, struct match *m)
{
	const char *name = m->field->json ? m->field->json : m->field->key, *text;
	char what[WORD_MAX + 16];
	int truth;

	if (m->name)
		return set_named(r, d, m);
	if (m->field->type == NCTL_FIELD_BOOL) {
		truth = m->no ? 0 : take_truth(r);
		nctl_field_set(m->field, d->data, truth != 0);
		return true;
	}
	snprintf(what, sizeof(what), "a value for %.40s", name);
	text = nd_batch_value(r, what);
	return text && parse_value(r, d, m, text);
}

/* "key" is both, that of packets that come and of those that go. */
static bool set_keys(struct reader *r, struct data *d, const char *value)
{
	static const char *const words[] = {"keysinput", "keysoutput"};
	struct match m;

	for (size_t i = 0; i < NCTL_ARRAY_SIZE(words); i++) {
		if (!find_field(d, words[i], &m) || !parse_value(r, d, &m, value))
			return false;
		d->has |= UINT64_C(1) << m.index;
	}
	return true;
}

static bool unknown(struct reader *r, const struct data *d)
{
	const char *words[2 * 64 + 2];
	char what[64];
	size_t n = 0;

	for (unsigned i = 0; i < d->table->n; i++) {
		if (!is_usable(d, i))
			continue;
		words[n++] = d->table->v[i].json;
		words[n++] = d->table->v[i].key;
	}
	words[n++] = d->lowers ? "dev" : NULL;
	snprintf(what, sizeof(what), "to %s links", d->kind->name);
	return nd_batch_unknown(r, what, words, n);
}

static bool is_lower(const struct data *d, const char *word)
{
	return d->lowers && (!strcmp(word, "dev") || !strcmp(word, "link") || !strcmp(word, "physdev"));
}

bool nd_batch_data(struct reader *r, struct data *d)
{
	struct match m;
	const char *word, *value;

	while ((word = nd_batch_take(r))) {
		if (is_lower(d, word)) {
			value = nd_batch_value(r, "the name of a device");
			if (!value || !nd_batch_find(r, value, &d->lower))
				return false;
		} else if (!strcmp(word, "key") && find_field(d, "keysinput", &m)) {
			value = nd_batch_value(r, "a number");
			if (!value || !set_keys(r, d, value))
				return false;
		} else if (!find(d, word, &m)) {
			return unknown(r, d);
		} else if (set_one(r, d, &m)) {
			d->has |= UINT64_C(1) << m.index;
		} else {
			return false;
		}
	}
	if (d->kind->complete && d->table == &d->kind->data)
		d->kind->complete(d->data, &d->has);
	return true;
}
