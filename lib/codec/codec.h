/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <linux/netlink.h>

#include "nl/msg.h"
#include "obj/addr.h"
#include "obj/field.h"
#include "obj/link.h"
#include "obj/vlans.h"

/* rtnetlink messages to objects and back. Decoders trust nothing; encoders leave a message to commit. */

enum {
	NCTL_CODEC_SKIP = 1, /* decode: a good message that is no such object (AF_BRIDGE, wireless) */
};

/* No field of a table has a higher attribute number. */
#define NCTL_CODEC_ATTR_MAX 95

/* Attributes that a table has a field for, a bit each. */
struct nctl_codec_taken {
	uint64_t bits[NCTL_CODEC_ATTR_MAX / 64 + 1];
};
#define NCTL_CODEC_TAKEN_NONE ((struct nctl_codec_taken){0})

static inline void nctl_codec_take(struct nctl_codec_taken *t, uint16_t attr)
{
	t->bits[attr / 64] |= UINT64_C(1) << attr % 64;
}

static inline bool nctl_codec_is_taken(const struct nctl_codec_taken *t, uint16_t attr)
{
	return attr <= NCTL_CODEC_ATTR_MAX && t->bits[attr / 64] & UINT64_C(1) << attr % 64;
}

/* A field table, from the attributes inside a nest. Adds to has and taken. 0, -EBADMSG, -ENOMEM (owned
 * fields). */
int nctl_codec_fields_decode(const struct nctl_field_table *t, const struct nlattr *nest, void *data,
	uint64_t *has, struct nctl_codec_taken *taken);
/* The same from attributes that are parsed already; tb has max + 1 entries. */
int nctl_codec_fields_take(const struct nctl_field_table *t, const struct nlattr *const *tb, size_t max,
	void *data, uint64_t *has, struct nctl_codec_taken *taken);
/* One attribute for each field in mask that has one, into the open message. */
void nctl_codec_fields_encode(
	const struct nctl_field_table *t, const void *data, uint64_t mask, struct nctl_msgbuf *msg);
/* The same as the kernel sends them: each attribute once, VOLATILE fields and what is none left out. */
void nctl_codec_fields_encode_state(
	const struct nctl_field_table *t, const void *data, uint64_t has, struct nctl_msgbuf *msg);

/* For ops: an attribute without payload, whose presence says yes (a BOOL, with OMIT_ZERO). */
extern const struct nctl_field_ops nctl_codec_flag_ops;
/* For ops: one bit of an attribute (dflt) as a true of its own; the number itself has a field of its own. */
extern const struct nctl_field_ops nctl_codec_bit_ops;
/* For ops: takes note of an attribute that is not kept. */
int nctl_codec_ignore(const struct nctl_field *f, const struct nlattr *attr, void *data);
/* For ops: what the engine does with BYTES. */
int nctl_codec_bytes_decode(const struct nctl_field *f, const struct nlattr *attr, void *data);

struct ifinfomsg;
/* The family header of a link's message, if it is one of that family. 0, NCTL_CODEC_SKIP, -EBADMSG. */
int nctl_codec_link_header(const struct nlmsghdr *nlh, uint8_t family, struct ifinfomsg *ret);
/* RTM_NEWLINK or RTM_DELLINK. ret must be fini'd by the caller on 0. NCTL_CODEC_SKIP, -EBADMSG, -ENOMEM. */
int nctl_link_decode(const struct nlmsghdr *nlh, struct nctl_link *ret);

/* An attribute of links, or a field of a kind's links (or of its ports), that is not compared, and why. */
struct nctl_link_skip {
	const char *kind; /* NULL: of any */
	const char *name, *why;
	bool port;
};
/* The i-th of them; false behind the last. */
bool nctl_link_skipped(size_t i, struct nctl_link_skip *ret);
/*
 * Compares what nctl_link_encode_state makes of l with what the kernel says now (RTM_NEWLINK), attribute by
 * attribute, those skipped by name left out. tell is called with the path of each that differs or is only in
 * one
 * ("INFO_DATA.7"). The number of differences, -EBADMSG, -ENOMEM.
 */
int nctl_link_state_diff(const struct nctl_link *l, const struct nlmsghdr *now,
	void (*tell)(void *userdata, const char *path), void *userdata);

/*
 * RTM_NEWLINK that creates l: ifindex (0: the kernel chooses), kind, name, lower, master, and those of l->has
 * and l->data_has that a creating message can carry (not READONLY, not LATE). peer: the other end of a PEERED
 * kind, described the same way, or NULL; its master is ignored by the kernel (set it later).
 * NLM_F_CREATE|NLM_F_EXCL. IFF_UP is never set: it costs walks over the other links.
 */
void nctl_link_encode_new(const struct nctl_link *l, const struct nctl_link *peer, struct nctl_msgbuf *msg);

/*
 * RTM_NEWLINK that changes ifindex: the fields in d, with values from l (d->common FLAGS: those in d->flags, or
 * IFF_UP; MASTER 0 frees; port fields as IFLA_LINKINFO slave data of port_kind, which the link must be a port of already).
 * ALTNAMES have messages of their own, see below.
 */
void nctl_link_encode_set(nctl_ifindex ifindex, const struct nctl_link *l, const struct nctl_link_diff *d,
	struct nctl_msgbuf *msg);
/* The common attributes of such a message, into an open one: what a PEERED kind needs for its peer. */
void nctl_codec_link_attrs_encode(const struct nctl_link *l, struct nctl_msgbuf *msg);
/* RTM_NEWLINKPROP or RTM_DELLINKPROP for one alternative name. */
void nctl_link_encode_altname(nctl_ifindex ifindex, const char *altname, bool add, struct nctl_msgbuf *msg);
void nctl_link_encode_del(nctl_ifindex ifindex, struct nctl_msgbuf *msg);

/*
 * The VLANs of a bridge or a port: an entry of a dump of AF_BRIDGE links with RTEXT_FILTER_BRVLAN_COMPRESSED,
 * or an event of RTNLGRP_LINK (net/bridge/br_netlink.c br_ifinfo_notify, which always has them all). The set
 * is whole: what is not in it is gone; RTM_DELLINK says that the link is no port any more, and gives none.
 * ret is a reference of the caller's, NULL for none. 0, NCTL_CODEC_SKIP (no bridge's word), -EBADMSG,
 * -ENOMEM.
 */
int nctl_bridge_vlans_decode(const struct nlmsghdr *nlh, nctl_ifindex *ret_ifindex, struct nctl_vlans **ret);

/*
 * RTM_SETLINK that adds these VLANs, or sets their flags, or RTM_DELLINK that takes them away, of a port, or
 * of a bridge (self). All of them in one message.
 */
void nctl_bridge_vlans_encode(
	nctl_ifindex ifindex, bool self, const struct nctl_vlans *vlans, bool add, struct nctl_msgbuf *msg);

/* RTM_NEWADDR or RTM_DELADDR. 0, NCTL_CODEC_SKIP, -EBADMSG. */
int nctl_addr_decode(const struct nlmsghdr *nlh, struct nctl_addr *ret);
/* RTM_NEWADDR with NLM_F_CREATE|NLM_F_REPLACE (lifetimes and flags of an equal one are updated). */
void nctl_addr_encode_new(const struct nctl_addr *a, struct nctl_msgbuf *msg);
void nctl_addr_encode_del(const struct nctl_addr *a, struct nctl_msgbuf *msg);
