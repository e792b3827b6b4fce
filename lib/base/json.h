/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"

#define NCTL_JSON_DEPTH 16

/*
 * Writes compact JSON (RFC 8259) into a strbuf; commas come by themselves. Misuse
 * (nesting beyond NCTL_JSON_DEPTH, an end without its begin, a value without a key in
 * an object or a key elsewhere) sets out->err to -EINVAL. Several values at the top
 * level may follow each other; the caller puts the newline between them.
 */
struct nctl_json {
	struct nctl_strbuf *out;
	unsigned depth;
	bool keyed;                      /* a key was written and waits for its value */
	bool in_object[NCTL_JSON_DEPTH]; /* by level; else an array */
	bool has_items[NCTL_JSON_DEPTH];
};

/* out is the caller's and outlives j. There is nothing to free. */
void nctl_json_init(struct nctl_json *j, struct nctl_strbuf *out);

void nctl_json_obj_begin(struct nctl_json *j);
void nctl_json_obj_end(struct nctl_json *j);
void nctl_json_arr_begin(struct nctl_json *j);
void nctl_json_arr_end(struct nctl_json *j);

/* key is escaped like a string. */
void nctl_json_key(struct nctl_json *j, const char *key);

/* Escapes; each byte that is not part of valid UTF-8 becomes \ufffd. NULL gives null. */
void nctl_json_str(struct nctl_json *j, const char *s);
void nctl_json_u64(struct nctl_json *j, uint64_t v);
void nctl_json_i64(struct nctl_json *j, int64_t v);
void nctl_json_bool(struct nctl_json *j, bool v);
void nctl_json_null(struct nctl_json *j);

/* With this many digits after the point, whatever the locale. null if v is no finite number. */
void nctl_json_double(struct nctl_json *j, double v, unsigned decimals);

/* text is one complete JSON value. */
void nctl_json_raw(struct nctl_json *j, const char *text, size_t len);

/* Key and value in one call. */
void nctl_json_kstr(struct nctl_json *j, const char *key, const char *s);
void nctl_json_ku64(struct nctl_json *j, const char *key, uint64_t v);
void nctl_json_ki64(struct nctl_json *j, const char *key, int64_t v);
void nctl_json_kbool(struct nctl_json *j, const char *key, bool v);
