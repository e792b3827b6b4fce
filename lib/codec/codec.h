/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <linux/netlink.h>

#include "nl/msg.h"
#include "obj/addr.h"
#include "obj/field.h"
#include "obj/link.h"

/* rtnetlink messages to objects and back. Decoders trust nothing; encoders leave a message to commit. */

enum {
	NCTL_CODEC_SKIP = 1, /* decode: a good message that is no such object (AF_BRIDGE, wireless) */
};

/* No field of a table has a higher attribute number. */
#define NCTL_CODEC_ATTR_MAX 95

/* A field table, from the attributes inside a nest. 0, -EBADMSG, -ENOMEM (owned fields). */
int nctl_codec_fields_decode(
	const struct nctl_field_table *t, const struct nlattr *nest, void *data, uint64_t *has);
/* The same from attributes that are parsed already; tb has max + 1 entries. Adds to has. */
int nctl_codec_fields_take(const struct nctl_field_table *t, const struct nlattr *const *tb, size_t max,
	void *data, uint64_t *has);
/* One attribute for each field in mask that has one, into the open message. */
void nctl_codec_fields_encode(
	const struct nctl_field_table *t, const void *data, uint64_t mask, struct nctl_msgbuf *msg);

/* RTM_NEWLINK or RTM_DELLINK. ret must be fini'd by the caller on 0. NCTL_CODEC_SKIP, -EBADMSG, -ENOMEM. */
int nctl_link_decode(const struct nlmsghdr *nlh, struct nctl_link *ret);

/*
 * RTM_NEWLINK that creates l: ifindex (0: the kernel chooses), kind, name, lower, master, and those of l->has
 * and l->data_has that a creating message can carry (not READONLY, not LATE). peer: the other end of a PEERED
 * kind, described the same way, or NULL; its master is ignored by the kernel (set it later).
 * NLM_F_CREATE|NLM_F_EXCL. IFF_UP is never set: it costs walks over the other links.
 */
void nctl_link_encode_new(const struct nctl_link *l, const struct nctl_link *peer, struct nctl_msgbuf *msg);

/*
 * RTM_NEWLINK that changes ifindex: the fields in d, with values from l (d->common FLAGS: IFF_UP only; MASTER
 * 0 frees; port fields as IFLA_LINKINFO slave data of port_kind, which the link must be a port of already).
 * ALTNAMES have messages of their own, see below.
 */
void nctl_link_encode_set(nctl_ifindex ifindex, const struct nctl_link *l, const struct nctl_link_diff *d,
	struct nctl_msgbuf *msg);
/* The common attributes of such a message, into an open one: what a PEERED kind needs for its peer. */
void nctl_codec_link_attrs_encode(const struct nctl_link *l, struct nctl_msgbuf *msg);
/* RTM_NEWLINKPROP or RTM_DELLINKPROP for one alternative name. */
void nctl_link_encode_altname(nctl_ifindex ifindex, const char *altname, bool add, struct nctl_msgbuf *msg);
void nctl_link_encode_del(nctl_ifindex ifindex, struct nctl_msgbuf *msg);

/* RTM_NEWADDR or RTM_DELADDR. 0, NCTL_CODEC_SKIP, -EBADMSG. */
int nctl_addr_decode(const struct nlmsghdr *nlh, struct nctl_addr *ret);
/* RTM_NEWADDR with NLM_F_CREATE|NLM_F_REPLACE (lifetimes and flags of an equal one are updated). */
void nctl_addr_encode_new(const struct nctl_addr *a, struct nctl_msgbuf *msg);
void nctl_addr_encode_del(const struct nctl_addr *a, struct nctl_msgbuf *msg);
