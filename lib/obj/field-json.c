/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: fields as JSON, in the shape that `ip -j -d` gives them. Called by the printers of links and of
 * anything else that has a field table. A field without a JSON key is never shown.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "net/lladdr.h"
#include "net/prefix.h"
#include "obj/field.h"

static void json_number(const struct nctl_field *f, uint64_t v, struct nctl_json *json)
{
	char buf[32];
	int n;

	switch ((enum nctl_field_format)f->format) {
	case NCTL_FORMAT_PLAIN:
	case NCTL_FORMAT_NUMBER:
		nctl_json_u64(json, v);
		break;
	case NCTL_FORMAT_HEX:
		snprintf(buf, sizeof(buf), "%" PRIx64, v);
		nctl_json_str(json, buf);
		break;
	case NCTL_FORMAT_HEX_0X:
		snprintf(buf, sizeof(buf), "%#" PRIx64, v);
		nctl_json_str(json, buf);
		break;
	case NCTL_FORMAT_ON_OFF:
		nctl_json_str(json, v ? "on" : "off");
		break;
	case NCTL_FORMAT_CENTISEC:
		n = snprintf(buf, sizeof(buf), "%" PRIu64 ".%02u", v / 100, (unsigned)(v % 100));
		nctl_json_raw(json, buf, (size_t)n);
		break;
	case NCTL_FORMAT_SIGNED:
		nctl_json_i64(json, f->size == 4 ? (int32_t)v : (int64_t)v);
		break;
	case NCTL_FORMAT_TEXT:
		snprintf(buf, sizeof(buf), "%" PRIu64, v);
		nctl_json_str(json, buf);
		break;
	}
}

static void json_bits(const struct nctl_field *f, uint64_t v, struct nctl_json *json)
{
	char buf[32];

	nctl_json_arr_begin(json);
	for (const struct nctl_name *n = f->names; n && n->name; n++) {
		if ((v & n->value) != n->value)
			continue;
		v &= ~n->value;
		nctl_json_str(json, n->name);
	}
	if (v) {
		snprintf(buf, sizeof(buf), "%" PRIx64, v);
		nctl_json_str(json, buf);
	}
	nctl_json_arr_end(json);
}

static void json_enum(const struct nctl_field *f, uint64_t v, struct nctl_json *json)
{
	for (const struct nctl_name *n = f->names; n && n->name; n++) {
		if (n->value == v) {
			nctl_json_str(json, n->name);
			return;
		}
	}
	json_number(f, v, json);
}

static void json_link(uint64_t v, const struct nctl_names *names, struct nctl_json *json)
{
	const char *name = names && names->link_name ? names->link_name(names->userdata, (uint32_t)v) : NULL;
	char buf[16];

	if (!name) {
		/* As iproute2 calls a link that it does not know. */
		snprintf(buf, sizeof(buf), "if%u", (unsigned)v);
		name = buf;
	}
	nctl_json_str(json, name);
}

static void json_ips(const struct nctl_ip_list *l, struct nctl_json *json)
{
	char buf[NCTL_ADDR_STR];

	nctl_json_arr_begin(json);
	for (uint32_t i = 0; i < l->n && i < NCTL_IP_LIST_MAX; i++)
		nctl_json_str(json, nctl_addr_format(&l->v[i], buf));
	nctl_json_arr_end(json);
}

static void json_texts(char *const *v, struct nctl_json *json)
{
	nctl_json_arr_begin(json);
	for (; v && *v; v++)
		nctl_json_str(json, *v);
	nctl_json_arr_end(json);
}

void nctl_field_json(
	const struct nctl_field *f, const void *data, const struct nctl_names *names, struct nctl_json *json)
{
	const void *p = (const char *)data + f->offset;
	char buf[NCTL_LLADDR_STR];

	if (f->ops && f->ops->print) {
		f->ops->print(f, data, json);
		return;
	}
	switch ((enum nctl_field_type)f->type) {
	case NCTL_FIELD_UINT:
		json_number(f, nctl_field_get(f, data), json);
		break;
	case NCTL_FIELD_BOOL:
		if (f->format == NCTL_FORMAT_PLAIN)
			nctl_json_bool(json, nctl_field_get(f, data) != 0);
		else
			json_number(f, nctl_field_get(f, data), json);
		break;
	case NCTL_FIELD_ENUM:
		json_enum(f, nctl_field_get(f, data), json);
		break;
	case NCTL_FIELD_BITS:
		json_bits(f, nctl_field_get(f, data), json);
		break;
	case NCTL_FIELD_STR:
		nctl_json_str(json, p);
		break;
	case NCTL_FIELD_LLADDR:
		nctl_json_str(json, nctl_lladdr_format(p, buf));
		break;
	case NCTL_FIELD_IP:
		nctl_json_str(json, nctl_addr_format(p, buf));
		break;
	case NCTL_FIELD_LINK:
		json_link(nctl_field_get(f, data), names, json);
		break;
	case NCTL_FIELD_TEXT:
		nctl_json_str(json, *(char *const *)p);
		break;
	case NCTL_FIELD_TEXTS:
		json_texts(*(char **const *)p, json);
		break;
	case NCTL_FIELD_IPS:
		json_ips(p, json);
		break;
	case NCTL_FIELD_BYTES:
	case NCTL_FIELD_RAW:
		nctl_json_null(json);
		break;
	}
}

/* What iproute2 leaves out: "no such link", "no such address". */
static bool field_is_hidden(const struct nctl_field *f, const void *data)
{
	const void *p = (const char *)data + f->offset;

	if (nctl_field_is_owned(f))
		return nctl_field_is_none(f, data);
	if (f->type == NCTL_FIELD_LINK || f->flags & NCTL_FIELD_HIDE_ZERO)
		return nctl_field_get(f, data) == 0;
	if (f->type == NCTL_FIELD_IPS)
		return ((const struct nctl_ip_list *)p)->n == 0;
	return false;
}

void nctl_fields_json(const struct nctl_field_table *t, const void *data, uint64_t mask,
	const struct nctl_names *names, struct nctl_json *json)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct nctl_field *f = &t->v[i];

		bool null = f->flags & NCTL_FIELD_NULL_ZERO && nctl_field_is_none(f, data);

		if (!(mask & UINT64_C(1) << i) || !f->json || (!null && field_is_hidden(f, data)))
			continue;
		nctl_json_key(json, f->json);
		if (null)
			nctl_json_null(json);
		else
			nctl_field_json(f, data, names, json);
	}
}
