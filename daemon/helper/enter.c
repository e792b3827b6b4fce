/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * DOC: how a thread finds a namespace, goes there and comes home (setns(2) is for the calling thread alone),
 * and the operations that are no more than that. No operation leaves its thread elsewhere: it would keep that
 * namespace alive, and the next operation would start in the wrong one.
 */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/vfs.h>
#include <linux/magic.h>
#include <linux/netlink.h>
#include <linux/nsfs.h>

#include "base/cleanup.h"
#include "base/filename.h"
#include "helper/private.h"
#include "nl/transport.h"

int nd_netns_here_cookie(uint64_t *ret)
{
	/* The cheapest socket there is. */
	_cleanup_(nctl_closep) int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	uint64_t cookie;
	socklen_t len = sizeof(cookie);

	if (fd < 0 || getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &len) < 0)
		return -errno;
	*ret = cookie;
	return 0;
}

int nd_place_init(struct nd_place *p, struct nd_pool *pool, const struct nd_helper_options *o)
{
	int r;

	*p = (struct nd_place){.home = -1, .rtnl = -1, .proc_net = -1, .pool = pool, .options = o};
	p->home = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	r = p->home < 0 ? -errno : nd_netns_here_cookie(&p->home_cookie);
	if (r == 0)
		r = nd_rtnl_open(&p->rtnl);
	if (r < 0)
		nd_place_fini(p);
	return r;
}

void nd_place_fini(struct nd_place *p)
{
	nctl_closep(&p->home);
	nctl_closep(&p->rtnl);
	nctl_closep(&p->proc_net);
	p->home = p->rtnl = p->proc_net = -1;
}

/*
 * A name may be a symbolic link, to /proc/PID/ns/net say; what counts is what it leads to. That is looked at
 * before it is opened, since a file that is no namespace may be anything, and has no permissions while it is
 * being made.
 */
static int open_netns(const char *path, int *ret_fd)
{
	_cleanup_(nctl_closep) int at = open(path, O_PATH | O_CLOEXEC), fd = -1;
	char self[64];
	struct statfs fs;

	if (at < 0)
		return errno == ESRCH ? -ENOENT : -errno;
	if (fstatfs(at, &fs) < 0)
		return -errno;
	if ((unsigned long)fs.f_type != NSFS_MAGIC)
		return -ENXIO;
	snprintf(self, sizeof(self), "/proc/thread-self/fd/%d", at);
	fd = open(self, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (ioctl(fd, NS_GET_NSTYPE) != CLONE_NEWNET)
		return -ENXIO;
	*ret_fd = take_fd(fd);
	return 0;
}

int nd_place_open(const struct nd_place *p, const struct nd_request *q, uint32_t i, int *ret_fd)
{
	const char *name = q->strings[i];
	char path[sizeof(ND_NETNS_DIR) + NAME_MAX + 1];
	int fd;

	if (*name) {
		if (!nctl_is_file_name(name))
			return -EINVAL;
		snprintf(path, sizeof(path), ND_NETNS_DIR "/%s", name);
		return open_netns(path, ret_fd);
	}
	if (q->h.pid[i]) {
		snprintf(path, sizeof(path), "/proc/%d/ns/net", q->h.pid[i]);
		return open_netns(path, ret_fd);
	}
	fd = fcntl(p->home, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	*ret_fd = fd;
	return 0;
}

int nd_place_enter(
	const struct nd_place *p, const struct nd_request *q, uint32_t i, int *ret_fd, uint64_t *ret_cookie)
{
	_cleanup_(nctl_closep) int fd = -1;
	uint64_t cookie;
	int r = nd_place_open(p, q, i, &fd);

	if (r < 0)
		return r;
	if (setns(fd, CLONE_NEWNET) < 0)
		return -errno;
	r = nd_netns_here_cookie(&cookie);
	if (r == 0 && q->h.cookie[i] && q->h.cookie[i] != cookie)
		r = -ESTALE;
	if (r < 0) {
		nd_place_home(p);
		return r;
	}
	if (ret_fd)
		*ret_fd = take_fd(fd);
	*ret_cookie = cookie;
	return 0;
}

void nd_place_home(const struct nd_place *p)
{
	if (setns(p->home, CLONE_NEWNET) < 0) {
		fprintf(stderr, "netctld-helper: no way back to the first namespace: %m\n");
		_exit(1);
	}
}

void nd_place_homep(const struct nd_place **p)
{
	if (*p)
		nd_place_home(*p);
}

int nd_place_refuse(struct nd_reply *a, int error, const struct nd_request *q, uint32_t i)
{
	const char *name = q->strings[i];

	if (!*name && !q->h.pid[i])
		return nd_reply_refuse(a, error, "the namespace of the daemon");
	if (!*name)
		return nd_reply_refuse(a, error, "the namespace of process %d", q->h.pid[i]);
	if (error == -ENXIO)
		return nd_reply_refuse(a, error, ND_NETNS_DIR "/%.255s is no network namespace", name);
	if (error == -ESTALE)
		return nd_reply_refuse(a, error, "another namespace has the name %.255s now", name);
	return nd_reply_refuse(a, error, "the namespace %.255s", name);
}

/* Into namespace i and home again: what one has to know about it. */
static int look(const struct nd_place *p, const struct nd_request *q, struct nd_reply *a, uint32_t i,
	int *ret_fd, uint64_t *ret_cookie)
{
	int r = nd_place_enter(p, q, i, ret_fd, ret_cookie);

	if (r < 0)
		return nd_place_refuse(a, r, q, i);
	nd_place_home(p);
	return 0;
}

int nd_op_join(struct nd_place *p, const struct nd_request *q, struct nd_reply *a)
{
	_cleanup_(nctl_closep) int fd = -1;
	int r = look(p, q, a, 0, &fd, &a->h.cookie);

	if (r < 0)
		return r;
	/* Home gets no nsid of its own: its events would carry it. */
	r = nd_rtnl_nsid(p->rtnl, fd, a->h.cookie != p->home_cookie, &a->h.nsid);
	return r < 0 ? nd_reply_refuse(a, r, "the nsid of a namespace") : 0;
}

int nd_op_nsid_in(struct nd_place *p, const struct nd_request *q, struct nd_reply *a)
{
	_cleanup_(nctl_closep) int of = -1, rtnl = -1;
	uint64_t of_cookie, in_cookie;
	int r = look(p, q, a, 1, &of, &of_cookie);

	if (r < 0)
		return r;
	r = nd_place_enter(p, q, 0, NULL, &in_cookie);
	if (r < 0)
		return nd_place_refuse(a, r, q, 0);
	r = nd_rtnl_open(&rtnl);
	nd_place_home(p);
	if (r == 0)
		r = nd_rtnl_nsid(rtnl, of, in_cookie != of_cookie, &a->h.nsid);
	return r < 0 ? nd_reply_refuse(a, r, "the nsid of a namespace in another one") : 0;
}

int nd_op_socket(struct nd_place *p, const struct nd_request *q, struct nd_reply *a)
{
	_cleanup_(nctl_closep) int fd = -1;
	int r;

	switch (q->h.number) {
	case NCTL_TRANSPORT_EVENTS:
	case NCTL_TRANSPORT_EVENTS_ALL:
	case NCTL_TRANSPORT_REQUEST:
	case NCTL_TRANSPORT_GENERIC:
		break;
	default: /* a number from outside, not our enum */
		return nd_reply_refuse(a, -EINVAL, "there is no such role of a socket");
	}
	r = nd_place_enter(p, q, 0, NULL, &a->h.cookie);
	if (r < 0)
		return nd_place_refuse(a, r, q, 0);
	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC,
		nctl_transport_protocol((enum nctl_transport_role)q->h.number));
	r = fd < 0 ? -errno : 0;
	nd_place_home(p); /* a socket belongs to where it was opened */
	if (r == 0)
		r = nctl_socket_set_up(fd, (enum nctl_transport_role)q->h.number);
	if (r < 0)
		return nd_reply_refuse(a, r, "a netlink socket");
	a->fds[a->n_fds++] = take_fd(fd);
	return 0;
}

int nd_op_link_move(struct nd_place *p, const struct nd_request *q, struct nd_reply *a)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf text = NCTL_STRBUF_INIT;
	_cleanup_(nctl_closep) int to = -1, rtnl = -1;
	const char *name = q->strings[2];
	uint64_t cookie;
	int r;

	if (q->h.number == 0 || q->h.number > INT32_MAX || strlen(name) >= IFNAMSIZ)
		return nd_reply_refuse(a, -EINVAL, "no such link, or a name too long for one");
	r = look(p, q, a, 1, &to, &cookie);
	if (r < 0)
		return r;
	r = nd_place_enter(p, q, 0, NULL, &cookie);
	if (r < 0)
		return nd_place_refuse(a, r, q, 0);
	r = nd_rtnl_open(&rtnl);
	nd_place_home(p);
	if (r == 0)
		r = nd_rtnl_move(rtnl, q->h.number, to, name, &text);
	if (r < 0)
		return nd_reply_refuse(
			a, r, "%s", text.len ? nctl_strbuf_str(&text) : "the link was not moved");
	return 0;
}
