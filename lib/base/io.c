/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: whole files by read(2) and write(2), which give and take less than asked for as they please. For files
 * and other descriptors that never make a caller wait for long; not for sockets.
 */
#include "base/io.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"

enum { FIRST_SIZE = 4096 };

int nctl_read_all(int fd, size_t max, char **ret, size_t *ret_len)
{
	size_t len = 0, cap = FIRST_SIZE;
	_cleanup_(nctl_freep) char *buf = malloc(cap);

	if (!buf)
		return -ENOMEM;
	for (;;) {
		ssize_t n;

		if (len + 1 == cap) {
			char *p = realloc(buf, cap * 2);

			if (!p)
				return -ENOMEM;
			buf = p;
			cap *= 2;
		}
		n = read(fd, buf + len, cap - len - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		len += (size_t)n;
		if (len > max)
			return -EFBIG;
	}
	buf[len] = '\0';
	*ret = take_ptr(buf);
	*ret_len = len;
	return 0;
}

int nctl_write_all(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}
