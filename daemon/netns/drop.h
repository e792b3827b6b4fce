/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "netns/privileges.h"

/* What the files of privileges.h share: each gives up, or hands over, one thing. All: 0 or -errno. */

struct nd_identity {
	uid_t uid;
	gid_t gid;
	bool change; /* false: they are those that this process has and keeps */
};

/* Capabilities, as masks of 1 << CAP_*. */
uint64_t nd_caps_effective(void);
int nd_caps_empty_bounds(void);   /* the bounding set; needs CAP_SETPCAP, without which nothing happens */
int nd_caps_limit(uint64_t keep); /* effective and permitted: of keep what is permitted; the rest empty */
uint64_t nd_caps_left(void);      /* of all sets but the bounding one together */

/* Starts the helper for the user uid. *ret_fd: our end of its control socket. -ENOENT: there is no such
 * program. */
int nd_spawn_helper(const struct nd_privileges *p, uid_t uid, int *ret_fd);

/* Makes the folder if it is missing, and gives it and what is in it to id. -errno is logged. */
int nd_folder_give(const char *path, const struct nd_identity *id);

/* Filters the system calls of this process and all its threads to be. 1: there is no filter here, which is
 * logged. */
int nd_filter_calls(void);
