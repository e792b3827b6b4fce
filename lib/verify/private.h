/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "base/strbuf.h"
#include "codec/route.h"
#include "mirror/route.h"
#include "obj/vlans.h"
#include "verify/verify.h"

/* What the files of lib/verify share; nobody else includes it. */

enum {
	VERIFY_ATTRS_MAX = 128, /* attribute numbers of a type */
	VERIFY_FIELDS_MAX = 48, /* of libnl's */
	VERIFY_PATH_MAX = 128,
};

/* What came of one type. */
struct verify_result {
	bool done;
	uint64_t objects;
	uint64_t differences;
	size_t n_texts;
	char *texts[NCTL_VERIFY_TEXTS_MAX];
	uint64_t attrs[VERIFY_ATTRS_MAX];   /* how often each was compared */
	uint64_t fields[VERIFY_FIELDS_MAX]; /* likewise, of the type's table of fields */
};

/* Numbers that were seen; open addressing, 0 is none. */
#define VERIFY_SEEN_PARTS 256
struct verify_seen {
	struct verify_seen_part {
		uint64_t *v;
		size_t n, cap;
	} parts[VERIFY_SEEN_PARTS]; /* by hash */
};

struct nctl_verify {
	const struct nctl_mirror *m;
	enum nctl_object_type type;
	struct verify_result results[NCTL_OBJECT_N_TYPES];
	struct verify_seen seen;
	uint64_t changes; /* of the mirror, at begin */
	bool failed;      /* for want of memory */
	struct nctl_route_scratch scratch;
	struct nctl_msgbuf msg;
	uint8_t *buf;
	/* where the walk of nctl_verify_end is */
	uint64_t next;
	struct nctl_route_cursor cursor;
	const char *what; /* the object in hand, for texts */
	char what_buf[160];
};

/* One object, as its own type sees it; only the member of the type is set. */
struct verify_object {
	const struct nctl_link *link;
	const struct nctl_addr *addr;
	const struct nctl_nexthop *nexthop;
	const struct nctl_rule *rule;
	const struct nctl_route *route;
};

/* names.c: "RTA_GATEWAY", or a number in buf. */
const char *verify_attr_name(enum nctl_object_type type, unsigned attr, char buf[16]);
const char *verify_type_name(enum nctl_object_type type);
bool verify_is_skipped(enum nctl_object_type type, const char *path);

/* verify.c */
void verify_differ(struct nctl_verify *v, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* attrs.c: where the comparison is. */
struct verify_spot {
	char path[VERIFY_PATH_MAX];
	unsigned depth;
	unsigned top; /* the attribute at the top */
};
/* The attributes of the kernel (a) and ours (b) in one nest; tell: differences are told, else only found. */
bool verify_nest(struct nctl_verify *v, const struct verify_spot *at, const void *a, size_t a_len,
	const void *b, size_t b_len, bool tell);
/* The attributes of the kernel's message and of ours; both have family headers of that length. */
void verify_attrs(
	struct nctl_verify *v, const struct nlmsghdr *theirs, const struct nlmsghdr *ours, size_t hdr_len);

/* libnl.c: what libnl reads in the kernel's message, against the mirror's object. */
void verify_libnl(struct nctl_verify *v, const struct nlmsghdr *theirs, const struct verify_object *o);
size_t verify_libnl_fields(enum nctl_object_type type);
const char *verify_libnl_field(enum nctl_object_type type, size_t i);

/* seen.c */
int verify_seen_add(struct verify_seen *seen, uint64_t key); /* 1: it was there, 0, -ENOMEM */
bool verify_seen_has(const struct verify_seen *seen, uint64_t key);
void verify_seen_reset(struct verify_seen *seen);

/* objects.c: what a message describes, in the mirror. */
int verify_object(struct nctl_verify *v, const struct nlmsghdr *nlh);
/* The walk over the mirror's objects of the type; false: at its end. */
bool verify_missing(struct nctl_verify *v);
