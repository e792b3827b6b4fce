/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <linux/netlink.h>

#include "codec/codec.h"
#include "obj/bytes.h"

/*
 * The attributes of a link's message that no field takes, by the place where they stand; what is skipped by
 * name (see nctl_link_skipped) is left out. Kept in struct nctl_link in ascending order of place, type and
 * bytes, so that equal ones have equal bytes.
 */
enum nctl_link_place {
	NCTL_PLACE_TOP = 1,
	NCTL_PLACE_INFO,  /* in IFLA_LINKINFO */
	NCTL_PLACE_DATA,  /* in IFLA_INFO_DATA */
	NCTL_PLACE_PORT,  /* in IFLA_INFO_SLAVE_DATA */
	NCTL_PLACE_SPEC,  /* in IFLA_AF_SPEC: whole address families */
	NCTL_PLACE_INET,  /* in AF_INET of IFLA_AF_SPEC */
	NCTL_PLACE_INET6, /* in AF_INET6 of IFLA_AF_SPEC */
	NCTL_PLACE_PROPS, /* in IFLA_PROP_LIST */
	NCTL_PLACE_END
};

struct nctl_rest_item {
	const struct nlattr *attr; /* in the message */
	uint8_t place;
};

/* A collection on its way; most messages fit into what needs no allocation. */
struct nctl_rest {
	struct nctl_rest_item fixed[24], *v;
	size_t n, cap;
};

void nctl_rest_init(struct nctl_rest *r);
void nctl_rest_fini(struct nctl_rest *r);
/* Adds one attribute, or those in a nest (NULL: none) that are not in taken. 0 or -ENOMEM. */
int nctl_rest_add(struct nctl_rest *r, enum nctl_link_place place, const struct nlattr *attr);
int nctl_rest_collect(struct nctl_rest *r, enum nctl_link_place place, const void *data, size_t len,
	const struct nctl_codec_taken *taken);
int nctl_rest_collect_nest(struct nctl_rest *r, enum nctl_link_place place, const struct nlattr *nest,
	const struct nctl_codec_taken *taken);
/* Orders what there is by place, type and bytes. */
void nctl_rest_sort(struct nctl_rest *r);
/* All of it as bytes of the caller's, to be freed. 0 or -ENOMEM. */
int nctl_rest_take(struct nctl_rest *r, struct nctl_bytes *ret);
/* Those of one place, into an open message. */
void nctl_rest_encode(struct nctl_bytes rest, enum nctl_link_place place, struct nctl_msgbuf *msg);
bool nctl_rest_has(struct nctl_bytes rest, enum nctl_link_place place);
