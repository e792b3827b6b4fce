/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "obj/ethtool.h"
#include "obj/wireguard.h"
#include "plan/pos.h"

/* What is wanted of drivers and of WireGuard; part of plan/want.h. */

/* What the driver is told; of each group, where it stands. */
struct nctl_want_ethtool {
	struct nctl_ethtool v;
	struct nctl_pos pos[NCTL_ETHTOOL_N_GROUPS];
};

struct nctl_want_wg {
	struct nctl_wg v; /* holds secrets: nctl_want_free wipes them */
	struct nctl_pos pos;
};

/* A key in a file of its own: whoever may read that fills it in before a plan is made. */
struct nctl_want_key_file {
	struct nctl_want_key_file *next;
	const char *path;
	struct nctl_pos pos;
	uint8_t *key; /* in a nctl_want_wg */
	bool is_private;
};
