/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * DOC: reads a key of WireGuard from a file that the configuration names, which may be readable by root
 * alone. Any file may be named, so nothing but a key is ever handed out: whoever rules the daemon learns no
 * other file by this.
 */

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/cleanup.h"
#include "helper/private.h"

int nd_op_read_key(struct nd_place *p, const struct nd_request *q, struct nd_reply *a)
{
	_cleanup_(nctl_closep) int fd = -1;
	const char *path = q->strings[0];
	char text[NCTL_KEY_TEXT + 1];
	int r = *path == '/' ? nd_open_own(path, p->options->user, S_IWGRP | S_IWOTH, &fd) : -EINVAL;

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
