/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Hands a folder of the daemon to the user that it becomes, done by root in a place where that user may
 * have been at work before. So no symbolic link is followed, no other file system entered, and what has
 * another name elsewhere (a hard link) is left alone.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/openat2.h>

#include "base/cleanup.h"
#include "log/log.h"
#include "netns/drop.h"

enum { FOLDERS_MAX = 64, ENTRIES_MAX = 100000 };

struct walk {
	const char *path; /* of the top */
	const struct nd_identity *id;
	unsigned entries;
	int folders[FOLDERS_MAX]; /* still to be read */
	unsigned n;
};

static int give(const struct walk *w, int fd, const struct stat *st)
{
	if (st->st_uid == w->id->uid && st->st_gid == w->id->gid)
		return 0;
	return fchownat(fd, "", w->id->uid, w->id->gid, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW) < 0 ? -errno : 0;
}

/* The inode that is looked at is the one that is given away, whatever becomes of its name. */
static int open_entry(struct walk *w, int dir, const char *name, struct stat *st, int *ret_fd)
{
	/* Not by comparing st_dev: in an overlay, each file may have one of its own. */
	struct open_how how = {.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC, .resolve = RESOLVE_NO_XDEV};
	_cleanup_(nctl_closep) int fd = (int)syscall(SYS_openat2, dir, name, &how, sizeof(how));

	if (fd < 0 || fstat(fd, st) < 0)
		return -errno;
	if (++w->entries > ENTRIES_MAX)
		return -E2BIG;
	*ret_fd = take_fd(fd);
	return 0;
}

/* What was found is given away; folders in folders come on the list of those that are still to be read. */
static int give_entry(struct walk *w, int dir, const char *name)
{
	_cleanup_(nctl_closep) int fd = -1;
	struct stat st;
	int r = open_entry(w, dir, name, &st, &fd);

	if (r < 0)
		return r == -ENOENT || r == -EXDEV ? 0 : r;
	if (!S_ISDIR(st.st_mode) && st.st_nlink > 1) {
		nd_warn("%s: %s has another name elsewhere, and stays as it is", w->path, name);
		return 0;
	}
	if (S_ISDIR(st.st_mode)) {
		int sub = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		if (sub < 0)
			return -errno;
		if (w->n == FOLDERS_MAX) {
			close(sub);
			return -E2BIG;
		}
		w->folders[w->n++] = sub;
	}
	return give(w, fd, &st);
}

/* Takes fd over. */
static int give_entries(struct walk *w, int fd)
{
	DIR *d = fdopendir(fd);
	const struct dirent *e;
	int r = d ? 0 : -errno;

	if (!d)
		close(fd);
	while (r == 0 && (e = readdir(d)))
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			r = give_entry(w, dirfd(d), e->d_name);
	if (d)
		closedir(d);
	return r;
}

static int give_folder(const char *path, const struct nd_identity *id)
{
	_cleanup_(nctl_closep) int fd = -1;
	struct walk w = {.path = path, .id = id};
	struct stat st;
	bool made = mkdir(path, 0755) == 0;
	int r = 0;

	if (!made && errno != EEXIST)
		return -errno;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	/* A folder of everybody, as /tmp, was meant for nobody in particular. */
	if (st.st_mode & S_IWOTH)
		return -EPERM;
	w.folders[0] = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (w.folders[0] < 0)
		return -errno;
	for (w.n = 1; w.n && r == 0;)
		r = give_entries(&w, w.folders[--w.n]);
	while (w.n)
		close(w.folders[--w.n]);
	if (r < 0)
		return r;
	/* Everybody may ask the daemon, whatever the umask is. */
	if (made && fchmod(fd, 0755) < 0)
		return -errno;
	return fchown(fd, id->uid, id->gid) < 0 ? -errno : 0;
}

int nd_folder_give(const char *path, const struct nd_identity *id)
{
	int r;

	if (!id->change) {
		/* Who needs the folder will miss it; this process has the rights that it had. */
		(void)mkdir(path, 0755);
		return 0;
	}
	r = give_folder(path, id);
	if (r == -EPERM)
		nd_error("%s: not given to user %u; is it a folder that everybody may write to?", path,
			id->uid);
	else if (r < 0)
		nd_error("%s: cannot be given to user %u: %s", path, id->uid, strerror(-r));
	return r;
}
