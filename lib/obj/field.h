/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/prefix.h"
#include "obj/bytes.h"
#include "obj/field-type.h"

/*
 * The field-table engine (S25): one const table is the truth about the attributes of an object. From it come
 * the YAML key and its type errors, the JSON key, the difference of two objects, and (lib/codec) the netlink
 * attribute both ways. An object is a plain struct plus a 64-bit mask of the fields it has; field i is bit i.
 */

struct nctl_json;
struct nctl_strbuf;
struct nctl_msgbuf;
struct nlattr;

#define NCTL_IP_LIST_MAX 16 /* BOND_MAX_ARP_TARGETS of net/bonding.h */
struct nctl_ip_list {
	uint32_t n;
	struct nctl_prefix v[NCTL_IP_LIST_MAX];
};

struct nctl_field;
/* For what the engine's types do not cover; each may be NULL: then the engine does it. data is the object. */
struct nctl_field_ops {
	/* Reads the attribute into data. 0, 1 if the field is not in it, or -EBADMSG for a malformed one. */
	int (*decode)(const struct nctl_field *f, const struct nlattr *attr, void *data);
	void (*encode)(const struct nctl_field *f, const void *data, struct nctl_msgbuf *msg);
	/* As the kernel itself sends it, where that is not what it takes. */
	void (*encode_state)(const struct nctl_field *f, const void *data, struct nctl_msgbuf *msg);
	/* Writes the value behind the key, which is already there. */
	void (*print)(const struct nctl_field *f, const void *data, struct nctl_json *json);
	/*
	 * Reads YAML's value into data, as nctl_field_parse; of a list (RAW) one item after the other, of a
	 * mapping (BYTES) one "KEY:VALUE". The first half of a sentence is the key.
	 */
	int (*parse)(const struct nctl_field *f, const char *text, void *data, struct nctl_strbuf *why);
	/* Writes it as such text. */
	void (*format)(const struct nctl_field *f, const void *data, struct nctl_strbuf *out);
};

struct nctl_field {
	/*
	 * YAML key; NULL: cannot be configured. "keys.input" is the entry "input" of the mapping "keys"; a
	 * single value behind "keys" is meant for all its entries, a list for those (BOOL) that are true.
	 */
	const char *key;
	const char *json; /* key of `ip -j -d`, or our own; NULL: not shown */
	const char *help; /* half a sentence for the man page and the schema */
	const struct nctl_name *names;
	const struct nctl_field_ops *ops;
	uint16_t offset; /* in the object */
	uint16_t size;   /* bytes in the object; on the wire as well for numbers */
	uint16_t attr;   /* netlink attribute, 0 none */
	uint16_t flags;
	uint8_t type;   /* enum nctl_field_type */
	uint8_t change; /* enum nctl_change_class */
	uint8_t format;
	uint8_t unit;
	uint64_t min, max; /* of YAML's number, in the object's unit (TEXT, LLADDR: bytes); max 0: any */
	uint64_t dflt;
};

struct nctl_field_table {
	const struct nctl_field *v;
	size_t n; /* at most 64 */
};
#define NCTL_FIELD(type_, member_)                                                                           \
	.offset = offsetof(type_, member_), .size = sizeof(((type_ *)NULL)->member_)

/* The mask of fields that differ: in one only, or in both with other values. VOLATILE ones never do. */
uint64_t nctl_fields_diff(
	const struct nctl_field_table *t, const void *a, uint64_t a_has, const void *b, uint64_t b_has);
bool nctl_field_equal(const struct nctl_field *f, const void *a, const void *b);
/* The mask of fields with any of these NCTL_FIELD_* flags. */
uint64_t nctl_fields_with(const struct nctl_field_table *t, unsigned flags);
/* The costliest change class among the fields in mask. */
enum nctl_change_class nctl_fields_class(const struct nctl_field_table *t, uint64_t mask);
const char *nctl_change_class_name(enum nctl_change_class c);
/* Index of the field with this YAML key, or -1. */
int nctl_fields_find(const struct nctl_field_table *t, const char *key);

uint64_t nctl_field_get(const struct nctl_field *f, const void *data);       /* numbers, links */
void nctl_field_set(const struct nctl_field *f, void *data, uint64_t value); /* numbers, links */
/* dst's old value is freed where the object owns it. 0 or -ENOMEM, dst has none then. */
int nctl_field_copy(const struct nctl_field *f, void *dst, const void *src);

/* The field that has the address which was read into field i: that one, or its IPV6 twin, to which it moves. */
unsigned nctl_fields_settle_ip(const struct nctl_field_table *t, void *data, unsigned i);

/* Does the object own memory for it (TEXT, TEXTS, BYTES)? Is it 0, none, an empty list? */
bool nctl_field_is_owned(const struct nctl_field *f);
bool nctl_field_is_none(const struct nctl_field *f, const void *data);
/* Frees what data owns in field f and zeroes it. */
void nctl_field_clear(const struct nctl_field *f, void *data);

#include "obj/field-text.h" /* as text and JSON */
