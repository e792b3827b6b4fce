/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The private socket's file. A socket that a dead daemon left is replaced; one at which somebody listens
 * is not, and neither is anything that is no socket. Everybody may connect (0666): who may do what is decided
 * by call.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "bus/private.h"

/* Removes the file at addr if it is a socket without a listener. */
static int remove_stale(const struct sockaddr_un *addr)
{
	_cleanup_(nctl_closep) int fd = -1;
	struct stat st;

	if (lstat(addr->sun_path, &st) < 0)
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISSOCK(st.st_mode))
		return -EADDRINUSE;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	/* unix(7): ECONNREFUSED when nobody listens; EAGAIN when the listener's queue is full. */
	if (connect(fd, (const struct sockaddr *)addr, sizeof(*addr)) == 0 || errno != ECONNREFUSED)
		return -EADDRINUSE;
	return unlink(addr->sun_path) < 0 && errno != ENOENT ? -errno : 0;
}

int nd_socket_listen(const char *path, int *ret_fd)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	_cleanup_(nctl_closep) int fd = -1;
	int r;

	if (strlen(path) >= sizeof(addr.sun_path))
		return -ENAMETOOLONG;
	strcpy(addr.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0) {
		if (errno != EADDRINUSE)
			return -errno;
		r = remove_stale(&addr);
		if (r < 0)
			return r;
		if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0)
			return -errno;
	}
	/* Before listen: until then nobody can connect, whatever the umask left. */
	if (chmod(path, 0666) < 0 || listen(fd, ND_CLIENTS_MAX) < 0) {
		r = -errno;
		unlink(path);
		return r;
	}
	*ret_fd = take_fd(fd);
	return 0;
}
