/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * DOC: /proc/sys/net without its past. The kernel keeps the directory entries that it made for each namespace
 * under the same parent and name (fs/proc/proc_sysctl.c proc_sys_compare), and walks all of them to find one:
 * with 4,000 namespaces visited, a look at a sysctl costs a millisecond more than with 64. So a thread uses
 * an instance of procfs of its own, mounted nowhere, and after some namespaces another one. Where it cannot
 * have one (a container that hides parts of /proc), it uses /proc.
 */

#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "helper/private.h"

enum { VISITS_MAX = 64 };

static int mount_proc(int *ret_fd)
{
	_cleanup_(nctl_closep) int context = fsopen("proc", FSOPEN_CLOEXEC), mount = -1;
	int fd;

	if (context < 0 || fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return -errno;
	mount = fsmount(context, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
	if (mount < 0)
		return -errno;
	fd = openat(mount, "sys/net", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	*ret_fd = fd;
	return 0;
}

int nd_proc_net(struct nd_place *p)
{
	if (p->proc_net >= 0 && p->proc_visits++ < VISITS_MAX)
		return p->proc_net;
	nctl_closep(&p->proc_net);
	p->proc_net = -1;
	p->proc_visits = 0;
	if (mount_proc(&p->proc_net) < 0)
		p->proc_net = open("/proc/sys/net", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return p->proc_net < 0 ? -errno : p->proc_net;
}
