/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * DOC: reads a key of WireGuard from a file that the configuration names, which may be readable by root
 * alone. Any file may be named, so nothing but a key is ever handed out: whoever rules the daemon learns no
 * other file by this.
 */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/cleanup.h"
#include "helper/private.h"

static int open_key(const char *path, uid_t user, int *ret_fd)
{
	_cleanup_(nctl_closep) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if ((st.st_uid != geteuid() && st.st_uid != user) || (st.st_mode & (S_IWGRP | S_IWOTH)))
		return -EACCES;
	*ret_fd = take_fd(fd);
	return 0;
}

int nd_op_read_key(struct nd_place *p, const struct nd_request *q, struct nd_reply *a)
{
	_cleanup_(nctl_closep) int fd = -1;
	const char *path = q->strings[0];
	char text[NCTL_KEY_TEXT + 1];
	int r = *path == '/' ? open_key(path, p->options->user, &fd) : -EINVAL;

	if (r == 0)
		r = nctl_key_read(fd, text);
	if (r < 0)
		return nd_reply_refuse(a, r, "%.400s%s", path,
			r == -EBADMSG  ? " holds no key of 44 characters of base64"
			: r == -EINVAL ? " is not a regular file"
			: r == -EACCES ? " may be read or written by somebody who is neither root nor the "
		                         "daemon's user"
				       : "");
	nd_reply_add_string(a, text);
	explicit_bzero(text, sizeof(text));
	return 0;
}
