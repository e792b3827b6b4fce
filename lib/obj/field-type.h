/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdint.h>

/* What a field of a table (obj/field.h) is: its type, what a change of it costs, how it is written. */

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
	NCTL_FIELD_LOWER = 1 << 9, /* LINK: by it the kernel is told of the lower link, not by IFLA_LINK */
	NCTL_FIELD_IPV6 = 1 << 10, /* IP: takes the IPv6 addresses of the field before with the same key */
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
