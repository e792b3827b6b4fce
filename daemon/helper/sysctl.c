/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * DOC: sysctls of a namespace. /proc/sys/net shows those of the thread that looks, so the thread goes there
 * first. Nothing outside of that folder can be reached: the name is checked, and the kernel is told to
 * resolve it beneath (openat2(2), which is older than the cookies that this helper needs anyway).
 */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/openat2.h>

#include "base/cleanup.h"
#include "base/filename.h"
#include "helper/private.h"

enum { VALUE_MAX = 4096 }; /* bytes; more is cut off when read, refused when written */

bool nd_sysctl_is_good(const char *name)
{
	char part[NAME_MAX + 1];
	const char *s = name, *slash;
	size_t len;

	for (;; s = slash + 1) {
		slash = strchr(s, '/');
		len = slash ? (size_t)(slash - s) : strlen(s);
		if (len > NAME_MAX)
			return false;
		memcpy(part, s, len);
		part[len] = '\0';
		if (!nctl_is_file_name(part))
			return false;
		if (!slash)
			return true;
	}
}

static int open_sysctl(struct nd_place *p, const char *name, int flags, int *ret_fd)
{
	struct open_how how = {
		.flags = (uint64_t)(flags | O_CLOEXEC | O_NOCTTY),
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV,
	};
	int folder, fd;

	if (!nd_sysctl_is_good(name))
		return -EINVAL;
	folder = nd_proc_net(p);
	if (folder < 0)
		return folder;
	fd = (int)syscall(SYS_openat2, folder, name, &how, sizeof(how));
	if (fd < 0)
		return -errno;
	*ret_fd = fd;
	return 0;
}

/* As one writes it: no white space at the end, a blank for the tabs between numbers. */
static void tidy(char *s, size_t len)
{
	while (len && strchr(" \t\r\n", s[len - 1]))
		len--;
	s[len] = '\0';
	for (; *s; s++)
		if (*s == '\t')
			*s = ' ';
}

static int read_sysctl(struct nd_place *p, const char *name, char value[static VALUE_MAX + 1])
{
	_cleanup_(nctl_closep) int fd = -1;
	ssize_t k;
	int r = open_sysctl(p, name, O_RDONLY, &fd);

	if (r < 0)
		return r;
	k = read(fd, value, VALUE_MAX);
	if (k < 0)
		return -errno;
	tidy(value, (size_t)k);
	return 0;
}

int nd_op_sysctl_read(struct nd_place *p, const struct nd_request *q, struct nd_reply *a)
{
	_cleanup_(nd_place_homep) const struct nd_place *away = NULL;
	char value[VALUE_MAX + 1];
	uint32_t i;
	int r;

	r = nd_place_enter(p, q, 0, NULL, &a->h.cookie);
	if (r < 0)
		return nd_place_refuse(a, r, q, 0);
	away = p;
	for (i = 0; i + 1 < q->h.n_strings; i++) {
		r = read_sysctl(p, q->strings[i + 1], value);
		/* There is none, it was never set (stable_secret), or can only be written. */
		if (r == -ENOENT || r == -EIO || r == -EACCES) {
			value[0] = '\0';
			a->h.missing[i / 64] |= UINT64_C(1) << (i % 64);
		} else if (r < 0) {
			return nd_reply_refuse(a, r, "reading the sysctl net/%s", q->strings[i + 1]);
		}
		nd_reply_add_string(a, value);
	}
	return 0;
}

static int write_sysctl(struct nd_place *p, const char *name, const char *value)
{
	_cleanup_(nctl_closep) int fd = -1;
	size_t len = strlen(value);
	ssize_t k;
	int r;

	if (len > VALUE_MAX)
		return -EINVAL;
	r = open_sysctl(p, name, O_WRONLY, &fd);
	if (r < 0)
		return r;
	k = write(fd, value, len); /* in one go, or the kernel takes the parts for values */
	if (k < 0)
		return -errno;
	return (size_t)k == len ? 0 : -EIO;
}

int nd_op_sysctl_write(struct nd_place *p, const struct nd_request *q, struct nd_reply *a)
{
	_cleanup_(nd_place_homep) const struct nd_place *away = NULL;
	const char *name = q->strings[1];
	char value[VALUE_MAX + 1] = "";
	int r;

	r = nd_place_enter(p, q, 0, NULL, &a->h.cookie);
	if (r < 0)
		return nd_place_refuse(a, r, q, 0);
	away = p;
	r = write_sysctl(p, name, q->strings[2]);
	if (r < 0)
		return nd_reply_refuse(a, r, "writing the sysctl net/%s", name);
	r = read_sysctl(p, name, value);
	if (r < 0 && r != -EACCES && r != -EPERM) /* some can only be written */
		return nd_reply_refuse(a, r, "reading the sysctl net/%s", name);
	nd_reply_add_string(a, value);
	return 0;
}
