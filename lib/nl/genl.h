/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdint.h>
#include <linux/netlink.h>

#include "nl/attr.h"
#include "nl/msg.h"

/* Generic netlink (linux/genetlink.h): families have names, and numbers that the kernel gives out as they
 * come. */

enum { NCTL_GENL_HDRLEN = 4 }; /* struct genlmsghdr */

/* Opens a message of a family. */
void nctl_genl_begin(struct nctl_msgbuf *m, uint16_t family, uint16_t flags, uint8_t cmd, uint8_t version);
/* The command of a message; a negative errno: it is too short for one. */
int nctl_genl_cmd(const struct nlmsghdr *nlh);
/* The attributes of a message, as nctl_attr_parse_msg. */
static inline int nctl_genl_parse(const struct nlmsghdr *nlh, const struct nctl_attr_policy *policy,
	const struct nlattr **tb, size_t max)
{
	return nctl_attr_parse_msg(nlh, NCTL_GENL_HDRLEN, policy, tb, max);
}

/* Asks for the number of a family; the kernel loads its module if it has one. */
void nctl_genl_encode_getfamily(const char *name, struct nctl_msgbuf *m);
/* From the answer. 0 or -EBADMSG. */
int nctl_genl_decode_family(const struct nlmsghdr *nlh, uint16_t *ret);
