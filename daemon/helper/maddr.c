/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * DOC: opens what the kernel tells of multicast memberships in a namespace. /proc/thread-self/net shows that
 * of the thread that opens; the daemon reads on from wherever it is (fs/proc/proc_net.c seq_open_net).
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "helper/private.h"

int nd_op_open_maddr(struct nd_place *p, const struct nd_request *q, struct nd_reply *a)
{
	static const char *const files[] = {"dev_mcast", "igmp", "igmp6"};
	_cleanup_(nd_place_homep) const struct nd_place *away = NULL;
	char path[64];
	size_t i;
	int r, fd;

	r = nd_place_enter(p, q, 0, NULL, &a->h.cookie);
	if (r < 0)
		return nd_place_refuse(a, r, q, 0);
	away = p;
	for (i = 0; i < NCTL_ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), "/proc/thread-self/net/%s", files[i]);
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
		if (fd < 0 && errno == ENOENT && i > 0)
			continue; /* a kernel without that family */
		if (fd < 0)
			return nd_reply_refuse(a, -errno, "%s", path);
		nd_reply_add_string(a, files[i]);
		a->fds[a->n_fds++] = fd;
	}
	return 0;
}
