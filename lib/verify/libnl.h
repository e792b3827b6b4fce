/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "verify/private.h"

/* The fields that libnl can tell of, type by type; nobody but libnl*.c includes it. */

struct nl_object;

struct libnl_field {
	const char *name;
	/* Is what libnl read what the mirror has? 1, 0, or -1: libnl has nothing to say of this object. */
	int (*equal)(struct nl_object *theirs, const struct verify_object *ours);
};

/* Does libnl's address (NULL: none) say the same as ours, masks aside? */
struct nl_addr;
bool libnl_same_prefix(const struct nl_addr *theirs, const struct nctl_prefix *ours);
bool libnl_same_text(const char *theirs, const char *ours); /* NULL is "" */

/* libnl-link.c, libnl-route.c: ended by a NULL name */
extern const struct libnl_field libnl_link_fields[], libnl_addr_fields[], libnl_rule_fields[],
	libnl_route_fields[];
