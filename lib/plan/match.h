/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "base/hash.h"
#include "obj/link.h"
#include "plan/want.h"

/* Which device a definition with `match` is about. */

/* The driver of a device, in a hash by nctl_hash_u64(ifindex). */
struct nctl_driver_of {
	struct nctl_hash_node node;
	nctl_ifindex ifindex;
	const char *driver;
};

/* A device that no other one was made from: only such are matched, since others inherit MAC addresses. */
bool nctl_match_is_physical(const struct nctl_link *l);
/* Is l a device that m is about? drivers: NULL: none is known. */
bool nctl_match_fits(
	const struct nctl_want_match *m, const struct nctl_link *l, const struct nctl_hash *drivers);
