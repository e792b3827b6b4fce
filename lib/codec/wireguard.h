/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <linux/netlink.h>

#include "net/types.h"
#include "nl/msg.h"
#include "obj/wireguard.h"

/* Messages of the wireguard family (linux/wireguard.h); family is the family's number. */

#define NCTL_WG_FAMILY "wireguard"

/* Asks for all of a link, in a dump. */
void nctl_wg_encode_get(uint16_t family, nctl_ifindex ifindex, struct nctl_msgbuf *msg);

/* One message of the answer; a peer may begin in one and go on in the next. ret owns its arrays. */
struct nctl_wg_reading {
	struct nctl_wg v;
	size_t cap_peers, cap_allowed, n_allowed; /* cap_allowed: of the last peer; n_allowed: of all */
};
/* 0, -EBADMSG, -E2BIG, -ENOMEM. */
int nctl_wg_decode(const struct nlmsghdr *nlh, struct nctl_wg_reading *ret);

/* How far the messages that make `have` into `want` have come. */
struct nctl_wg_writing {
	struct nctl_wg_walk walk;
	const struct nctl_wg_peer *want, *have; /* of which something is left */
	size_t allowed;                         /* of want: written so far */
	bool begun, over;
};
/*
 * The next message, open, of at most NCTL_WG_MESSAGE bytes; msg must have room for as many. False: there are
 * no more. have NULL: it is not known, and whatever peers there are go with the first message.
 */
enum { NCTL_WG_MESSAGE = 16 * 1024 };
bool nctl_wg_encode_set(uint16_t family, nctl_ifindex ifindex, const struct nctl_wg *want,
	const struct nctl_wg *have, struct nctl_wg_writing *w, struct nctl_msgbuf *msg);
