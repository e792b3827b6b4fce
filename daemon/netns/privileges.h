/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * Forks the helper (daemon/helper, its own executable, beside this program's or in libexec) and gives up what
 * this process does not need: uid and gid become those of user, capabilities CAP_NET_ADMIN alone, in no set
 * anything else; no new privileges; a seccomp filter (libseccomp). Call it before any thread is started.
 */
struct nd_privileges {
	const char *user;         /* NULL: "netctld". No such user: "nobody", with a warning */
	const char *const *paths; /* configuration files and folders that the helper may open */
	size_t n_paths;
	const char *runtime_dir; /* is made, and becomes the user's, with all that is in it */
	const char *lock_dir;    /* likewise; or NULL */
};

/*
 * ret_control_fd: for nd_helper_new; -1: there is no helper (not root: CAP_SYS_ADMIN is missing), which is
 * logged. 0 or -errno: nothing may go on, what was to be dropped may not have been.
 */
int nd_privileges_drop(const struct nd_privileges *p, int *ret_control_fd);
