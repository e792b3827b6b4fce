/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/prefix.h"
#include "obj/bytes.h"

/*
 * The field-table engine (S25): one const table is the truth about the attributes of an object. From it come
 * the YAML key and its type errors, the JSON key, the difference of two objects, and (lib/codec) the netlink
 * attribute both ways. An object is a plain struct plus a 64-bit mask of the fields it has; field i is bit i.
 */

struct nctl_json;
struct nctl_strbuf;
struct nctl_msgbuf;
struct nlattr;

enum nctl_field_type {
	NCTL_FIELD_UINT,   /* unsigned, 1, 2, 4 or 8 bytes */
	NCTL_FIELD_BOOL,   /* the same; all but 0 is true */
	NCTL_FIELD_ENUM,   /* unsigned with names; YAML may give a number as well if max is set */
	NCTL_FIELD_BITS,   /* unsigned whose bits have names (values are masks); a list of words */
	NCTL_FIELD_STR,    /* char[size], NUL-terminated */
	NCTL_FIELD_LLADDR, /* struct nctl_lladdr */
	NCTL_FIELD_IP,     /* struct nctl_prefix holding one address of either family */
	NCTL_FIELD_LINK,   /* nctl_ifindex; a link's name to people */
	NCTL_FIELD_TEXT,   /* char *, owned by the object; NULL none */
	NCTL_FIELD_TEXTS,  /* char **, owned, sorted, NULL-terminated; NULL none; a list */
	NCTL_FIELD_IPS,    /* struct nctl_ip_list; a list */
	NCTL_FIELD_BYTES,  /* struct nctl_bytes, owned by the object: an attribute's payload; ops print it */
	NCTL_FIELD_RAW,    /* size bytes that only ops understand */
};

/* What a change of a live field costs (shown by plan), cheapest first. */
enum nctl_change_class {
	NCTL_CHANGE_LIVE,     /* nothing */
	NCTL_CHANGE_FLAP,     /* the link goes down and up */
	NCTL_CHANGE_FLUSH,    /* loses neighbours or FDB entries */
	NCTL_CHANGE_RECREATE, /* the link is deleted and made again */
};

enum nctl_field_flag {
	NCTL_FIELD_REQUIRED = 1 << 0, /* YAML must give it */
	NCTL_FIELD_IDENTITY = 1 << 1, /* no two links of one kind and lower link are equal in all of these */
	NCTL_FIELD_READONLY = 1 << 2, /* state: never sent */
	NCTL_FIELD_LATE = 1 << 3,     /* a creating message refuses or ignores it: send it in a second one */
	NCTL_FIELD_VOLATILE = 1 << 4, /* timers, counters: a difference is no change */
	NCTL_FIELD_BIG_ENDIAN = 1 << 5, /* network byte order on the wire */
	NCTL_FIELD_HIDE_ZERO = 1 << 6,  /* JSON leaves it out when it is 0 */
	NCTL_FIELD_OMIT_ZERO = 1 << 7,  /* the kernel leaves the attribute out when it is none */
	NCTL_FIELD_NULL_ZERO = 1 << 8,  /* JSON shows it as null when it is none */
};

/* How a number looks in JSON, where iproute2 does not print a plain one. */
enum nctl_field_format {
	NCTL_FORMAT_PLAIN,
	NCTL_FORMAT_HEX,      /* "8000" */
	NCTL_FORMAT_HEX_0X,   /* "0x8000" */
	NCTL_FORMAT_ON_OFF,   /* "on", "off" */
	NCTL_FORMAT_CENTISEC, /* USER_HZ ticks as seconds, two decimals */
	NCTL_FORMAT_NUMBER,   /* of a BOOL: 0, 1 */
	NCTL_FORMAT_SIGNED,   /* two's complement */
	NCTL_FORMAT_TEXT,     /* "7" */
};

/* The unit of the number in YAML; in the object it is always the kernel's. */
enum nctl_field_unit {
	NCTL_UNIT_NONE,
	NCTL_UNIT_MSEC,     /* "100", "100ms", "1s": milliseconds, as netplan's bonds */
	NCTL_UNIT_SEC,      /* "15", "15s": seconds */
	NCTL_UNIT_CENTISEC, /* YAML seconds, kernel USER_HZ ticks, as netplan's bridges */
};

struct nctl_name {
	const char *name; /* iproute2's word; NULL ends the table */
	uint64_t value;
	const char *alias; /* another word that YAML may use (netplan's), or NULL */
};

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
};

struct nctl_field {
	const char *key;  /* YAML key; NULL: cannot be configured */
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

/* Does the object own memory for it (TEXT, TEXTS, BYTES)? Is it 0, none, an empty list? */
bool nctl_field_is_owned(const struct nctl_field *f);
bool nctl_field_is_none(const struct nctl_field *f, const void *data);
/* Frees what data owns in field f and zeroes it. */
void nctl_field_clear(const struct nctl_field *f, void *data);

#include "obj/field-text.h" /* as text and JSON */
