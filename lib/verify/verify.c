/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: one verification of one mirror: what came of each type, and the report. objects.c finds what a message
 * describes, attrs.c and libnl.c compare. All of it looks at the mirror as it is at the time: whoever drives
 * it asks at the end whether it has changed since the dump began (nctl_verify_is_stale). The mirror is only
 * read.
 */
#include "verify/private.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/json.h"

enum { BUF_CAP = 64 * 1024 }; /* no message of the kernel is longer */

static void result_reset(struct verify_result *r)
{
	for (size_t i = 0; i < r->n_texts; i++)
		free(r->texts[i]);
	*r = (struct verify_result){0};
}

int nctl_verify_new(const struct nctl_mirror *m, struct nctl_verify **ret)
{
	struct nctl_verify *v = calloc(1, sizeof(*v));

	if (!v)
		return -ENOMEM;
	v->buf = malloc(BUF_CAP);
	if (!v->buf) {
		free(v);
		return -ENOMEM;
	}
	v->m = m;
	v->scratch = NCTL_ROUTE_SCRATCH_INIT;
	nctl_msgbuf_init(&v->msg, v->buf, BUF_CAP);
	*ret = v;
	return 0;
}

struct nctl_verify *nctl_verify_free(struct nctl_verify *v)
{
	if (!v)
		return NULL;
	for (int i = 0; i < NCTL_OBJECT_N_TYPES; i++)
		result_reset(&v->results[i]);
	verify_seen_reset(&v->seen);
	nctl_route_scratch_fini(&v->scratch);
	free(v->buf);
	free(v);
	return NULL;
}

void nctl_verify_freep(struct nctl_verify **v)
{
	*v = nctl_verify_free(*v);
}

static uint64_t changes(const struct nctl_mirror *m)
{
	const struct nctl_mirror_stats *s = nctl_mirror_get_stats(m);

	return s->added + s->changed + s->removed;
}

void nctl_verify_begin(struct nctl_verify *v, enum nctl_object_type type)
{
	result_reset(&v->results[type]);
	verify_seen_reset(&v->seen);
	v->type = type;
	v->next = 0;
	v->cursor = (struct nctl_route_cursor){
		.family = type == NCTL_OBJECT_ROUTE6 ? AF_INET6 : AF_INET,
	};
	v->changes = changes(v->m);
	v->failed = false;
}

int nctl_verify_message(struct nctl_verify *v, const struct nlmsghdr *nlh)
{
	int r = verify_object(v, nlh);

	v->failed |= r < 0;
	return r;
}

bool nctl_verify_end(struct nctl_verify *v, size_t budget)
{
	while (budget--)
		if (!verify_missing(v)) {
			v->results[v->type].done = !v->failed;
			return false;
		}
	return true;
}

bool nctl_verify_is_stale(const struct nctl_verify *v)
{
	return changes(v->m) != v->changes;
}

bool nctl_verify_differs(const struct nctl_verify *v)
{
	return v->results[v->type].differences;
}

void verify_differ(struct nctl_verify *v, const char *format, ...)
{
	struct verify_result *r = &v->results[v->type];
	char text[VERIFY_PATH_MAX + 128];
	va_list ap;

	r->differences++;
	if (r->n_texts == NCTL_VERIFY_TEXTS_MAX)
		return;
	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	if (asprintf(&r->texts[r->n_texts], "%s: %s", v->what, text) >= 0)
		r->n_texts++;
}

size_t nctl_verify_count_objects(const struct nctl_verify *v)
{
	size_t n = 0;

	for (int i = 0; i < NCTL_OBJECT_N_TYPES; i++)
		n += v->results[i].objects;
	return n;
}

size_t nctl_verify_count_differences(const struct nctl_verify *v)
{
	size_t n = 0;

	for (int i = 0; i < NCTL_OBJECT_N_TYPES; i++)
		n += v->results[i].differences;
	return n;
}

static void put_attrs(const struct verify_result *r, enum nctl_object_type type, struct nctl_json *json)
{
	const char *name, *reason;
	char buf[64];

	nctl_json_key(json, "attributes");
	nctl_json_obj_begin(json);
	for (unsigned i = 0; i < VERIFY_ATTRS_MAX; i++)
		if (r->attrs[i])
			nctl_json_ku64(json, verify_attr_name(type, i, buf), r->attrs[i]);
	nctl_json_obj_end(json);
	nctl_json_key(json, "libnl");
	nctl_json_obj_begin(json);
	for (size_t i = 0; i < verify_libnl_fields(type); i++)
		if (r->fields[i])
			nctl_json_ku64(json, verify_libnl_field(type, i), r->fields[i]);
	nctl_json_obj_end(json);
	nctl_json_key(json, "skipped");
	nctl_json_obj_begin(json);
	for (size_t i = 0; nctl_verify_skipped(type, i, buf, &name, &reason); i++)
		nctl_json_kstr(json, name, reason);
	nctl_json_obj_end(json);
}

static void put_type(const struct verify_result *r, enum nctl_object_type type, struct nctl_json *json)
{
	nctl_json_key(json, verify_type_name(type));
	nctl_json_obj_begin(json);
	nctl_json_kbool(json, "complete", r->done);
	nctl_json_ku64(json, "objects", r->objects);
	nctl_json_ku64(json, "differences", r->differences);
	put_attrs(r, type, json);
	nctl_json_key(json, "texts");
	nctl_json_arr_begin(json);
	for (size_t i = 0; i < r->n_texts; i++)
		nctl_json_str(json, r->texts[i]);
	nctl_json_arr_end(json);
	nctl_json_obj_end(json);
}

void nctl_verify_json(const struct nctl_verify *v, struct nctl_json *json)
{
	bool done = true;

	for (int i = 0; i < NCTL_OBJECT_N_TYPES; i++)
		done = done && v->results[i].done;
	nctl_json_obj_begin(json);
	nctl_json_kbool(json, "equal", done && nctl_verify_count_differences(v) == 0);
	nctl_json_ku64(json, "objects", nctl_verify_count_objects(v));
	nctl_json_ku64(json, "differences", nctl_verify_count_differences(v));
	nctl_json_key(json, "types");
	nctl_json_obj_begin(json);
	for (int i = 0; i < NCTL_OBJECT_N_TYPES; i++)
		put_type(&v->results[i], (enum nctl_object_type)i, json);
	nctl_json_obj_end(json);
	nctl_json_obj_end(json);
}
