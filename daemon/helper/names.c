/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * DOC: namespaces and their names, in the way of ip-netns(8), so that both can be used side by side: a name
 * is a file in /run/netns, which belongs to who made it (O_EXCL), with the namespace mounted on it; the
 * folder is a shared mount, so that mount namespaces made before see the names. Serves the channel MAKE.
 */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>
#include <linux/magic.h>

#include "base/cleanup.h"
#include "base/filename.h"
#include "base/time.h"
#include "helper/private.h"

#define PATH_SIZE (sizeof(ND_NETNS_DIR) + NAME_MAX + 1)

enum {
	LOCK_WAIT_MS = 2000,
	LOCK_STEP_NS = 2 * 1000 * 1000,
	STACKED_MAX = 16, /* mounts on one name that are taken away with it */
};

/*
 * ip(8) holds this lock while it makes the folder a mount. Any user can take the lock of a folder that he may
 * read, so it is waited for, but not for ever; at worst the folder is then mounted on itself twice.
 */
static void lock_folder(int fd)
{
	const struct timespec step = {.tv_nsec = LOCK_STEP_NS};
	nctl_time deadline = nctl_time_add_ms(nctl_time_now(), LOCK_WAIT_MS);

	while (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK &&
		nctl_time_cmp(nctl_time_now(), deadline) < 0)
		nanosleep(&step, NULL);
}

static int make_shared(void)
{
	return mount("", ND_NETNS_DIR, "none", MS_SHARED | MS_REC, NULL) < 0 ? -errno : 0;
}

/* -EINVAL of make_shared: the folder is no mount point yet. */
static int make_mount(void)
{
	_cleanup_(nctl_closep) int fd = open(ND_NETNS_DIR, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r;

	if (fd < 0)
		return -errno;
	lock_folder(fd);
	r = make_shared(); /* perhaps someone was faster */
	if (r != -EINVAL)
		return r;
	if (mount(ND_NETNS_DIR, ND_NETNS_DIR, "none", MS_BIND | MS_REC, NULL) < 0)
		return -errno;
	return make_shared();
}

static int prepare(struct nd_place *p)
{
	int r;

	if (mkdir(ND_NETNS_DIR, 0755) < 0 && errno != EEXIST)
		return -errno;
	r = make_shared();
	if (r == -EINVAL)
		r = make_mount();
	p->prepared = r == 0;
	return r;
}

/* Cheap: the preparation walks all mounts below, so it is done anew only when the folder is a mount no more.
 */
static int ensure_prepared(struct nd_place *p)
{
	struct statx st;

	if (p->prepared && statx(AT_FDCWD, ND_NETNS_DIR, AT_STATX_DONT_SYNC, 0, &st) == 0 &&
		st.stx_attributes & STATX_ATTR_MOUNT_ROOT)
		return 0;
	return prepare(p);
}

int nd_op_prepare(struct nd_place *p, const struct nd_request *q, struct nd_reply *a)
{
	int r = prepare(p);

	(void)q;
	return r < 0 ? nd_reply_refuse(a, r, "preparing " ND_NETNS_DIR) : 0;
}

int nd_netns_make(const struct nd_place *p, int *ret_fd, uint64_t *ret_cookie)
{
	_cleanup_(nctl_closep) int fd = -1;
	uint64_t cookie;
	int r;

	if (unshare(CLONE_NEWNET) < 0)
		return -errno;
	fd = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	r = fd < 0 ? -errno : nd_netns_here_cookie(&cookie);
	nd_place_home(p);
	if (r < 0)
		return r;
	*ret_fd = take_fd(fd);
	*ret_cookie = cookie;
	return 0;
}

/* May the name that is there be taken over? Only a file that nothing is mounted on. */
static int check_leftover(const char *path)
{
	struct stat st;
	struct statfs fs;

	if (lstat(path, &st) < 0 || statfs(path, &fs) < 0)
		return -errno;
	return S_ISREG(st.st_mode) && (unsigned long)fs.f_type != NSFS_MAGIC ? 0 : -EEXIST;
}

/* The file for a name. 0: ret_made says whether it was made now. -EEXIST: the name is another's. */
static int make_name(const char *path, bool repair, bool *ret_made)
{
	bool made = mknod(path, S_IFREG, 0) == 0;
	int r;

	if (!made && (errno != EEXIST || !repair))
		return -errno;
	if (!made) {
		r = check_leftover(path);
		if (r < 0)
			return r;
	}
	*ret_made = made;
	return 0;
}

static int mount_netns(int fd, const char *path)
{
	char self[64];

	snprintf(self, sizeof(self), "/proc/thread-self/fd/%d", fd);
	return mount(self, path, "none", MS_BIND, NULL) < 0 ? -errno : 0;
}

int nd_op_create(struct nd_place *p, const struct nd_request *q, struct nd_reply *a)
{
	_cleanup_(nctl_closep) int fd = -1;
	const char *name = q->strings[0];
	char path[PATH_SIZE];
	bool made = false;
	int r;

	if (!nctl_is_file_name(name))
		return nd_reply_refuse(a, -EINVAL, "that is no name for a namespace");
	r = ensure_prepared(p);
	if (r < 0)
		return nd_reply_refuse(a, r, "preparing " ND_NETNS_DIR);
	snprintf(path, sizeof(path), ND_NETNS_DIR "/%s", name);
	r = make_name(path, q->h.flags & ND_PROTO_REPAIR, &made);
	if (r < 0)
		return nd_reply_refuse(a, r, "making the file %s", path);
	if (!nd_pool_take(p->pool, &fd, &a->h.cookie))
		r = nd_netns_make(p, &fd, &a->h.cookie);
	if (r == 0)
		r = mount_netns(fd, path);
	if (r < 0) {
		if (made)
			(void)unlink(path);
		a->h.cookie = 0;
		return nd_reply_refuse(a, r, "making the namespace %s", name);
	}
	return 0;
}

/* The namespace that goes must be the one that is meant. A name without one has the cookie 0. */
static int check_cookie(const struct nd_place *p, const char *name, uint64_t expected)
{
	struct nd_request q = {.h.cookie = {expected}, .strings = {name}, .n_netns = 1};
	uint64_t cookie;
	int r = nd_place_enter(p, &q, 0, NULL, &cookie);

	if (r == -ENXIO)
		return -ESTALE;
	if (r == 0)
		nd_place_home(p);
	return r;
}

int nd_op_delete(struct nd_place *p, const struct nd_request *q, struct nd_reply *a)
{
	const char *name = q->strings[0];
	char path[PATH_SIZE];
	int i, r;

	if (!nctl_is_file_name(name))
		return nd_reply_refuse(a, -EINVAL, "that is no name for a namespace");
	if (q->h.cookie[0]) {
		r = check_cookie(p, name, q->h.cookie[0]);
		if (r < 0)
			return nd_reply_refuse(a, r, "the namespace %s is not the one that is meant", name);
	}
	snprintf(path, sizeof(path), ND_NETNS_DIR "/%s", name);
	for (i = 0; i < STACKED_MAX && umount2(path, MNT_DETACH | UMOUNT_NOFOLLOW) == 0; i++)
		;
	/* Errors other than -EINVAL, no mount, show again in what follows. */
	if (unlink(path) < 0)
		return nd_reply_refuse(a, -errno, "taking away %s", path);
	return 0;
}

int nd_op_pool(struct nd_place *p, const struct nd_request *q, struct nd_reply *a)
{
	int r = nd_pool_set(p->pool, q->h.number);

	if (r < 0)
		return nd_reply_refuse(a, r, "a pool of %u namespaces", q->h.number);
	a->h.nsid = (int32_t)nd_pool_ready(p->pool);
	return 0;
}
