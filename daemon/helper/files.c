/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * DOC: opens the configuration, which may be readable by root alone, for the daemon: nothing but what the
 * paths on the command line name, in the order and with the shadowing of nd_config_read_paths
 * (daemon/config/texts.c). What cannot be opened ends the answer with an error, since a configuration with a
 * part missing is another one.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "helper/private.h"

enum { FILES_MAX = 4096 };

struct file {
	char *path;       /* owned */
	const char *name; /* its last part */
	size_t root;      /* which of the paths it comes from */
	bool named;       /* was given itself: nothing shadows it */
};

struct files {
	struct file v[FILES_MAX];
	size_t n;
};

static void files_freep(struct files **f)
{
	if (!*f)
		return;
	while ((*f)->n)
		free((*f)->v[--(*f)->n].path);
	free(*f);
}

static bool ends_in_yaml(const char *name)
{
	size_t n = strlen(name);

	return n > 5 && strcmp(name + n - 5, ".yaml") == 0;
}

/* folder NULL: name is the whole path. */
static int files_add(struct files *f, const char *folder, const char *name, size_t root)
{
	const char *slash;
	char *path;
	int k;

	if (f->n == FILES_MAX)
		return -E2BIG;
	if (folder)
		k = asprintf(&path, "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/", name);
	else
		k = asprintf(&path, "%s", name);
	if (k < 0)
		return -ENOMEM;
	slash = strrchr(path, '/');
	f->v[f->n++] =
		(struct file){.path = path, .name = slash ? slash + 1 : path, .root = root, .named = !folder};
	return 0;
}

/* A folder's files, or the file itself. A folder that is not there has none. */
static int find_files(const char *path, size_t root, struct files *f)
{
	const struct dirent *e;
	DIR *folder = opendir(path); /* "" is -ENOENT */
	int r = 0;

	if (!folder && errno == ENOTDIR)
		return files_add(f, NULL, path, root);
	if (!folder)
		return errno == ENOENT && *path && !ends_in_yaml(path) ? 0 : -errno;
	while (r == 0 && (e = readdir(folder)))
		if (e->d_name[0] != '.' && ends_in_yaml(e->d_name))
			r = files_add(f, path, e->d_name, root);
	closedir(folder);
	return r;
}

/* By name; of one name, files that were given themselves first, then in the order of the folders. */
static int file_cmp(const void *a, const void *b)
{
	const struct file *x = a, *y = b;
	int r = strcmp(x->name, y->name);

	if (r)
		return r;
	if (x->named != y->named)
		return x->named ? -1 : 1;
	return (x->root > y->root) - (x->root < y->root);
}

int nd_open_own(const char *path, uid_t user, mode_t forbidden, int *ret_fd)
{
	_cleanup_(nctl_closep) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if ((st.st_uid != geteuid() && st.st_uid != user) || (st.st_mode & forbidden))
		return -EACCES;
	*ret_fd = take_fd(fd);
	return 0;
}

static int answer_add_file(struct nd_reply *a, const char *path, uid_t user)
{
	_cleanup_(nctl_closep) int fd = -1;
	int r = nd_open_own(path, user, 0, &fd);

	if (r < 0)
		return nd_reply_refuse(a, r, "%.400s%s", path,
			r == -EINVAL ? " is not a regular file"
			: r == -EACCES
				? " belongs to somebody who is neither root nor the daemon's user: whoever "
				  "owns it rules the network"
				: "");
	if (a->n_fds == ND_PROTO_FDS_MAX ||
		sizeof(a->h) + a->strings.len + strlen(path) + 1 > ND_PROTO_MESSAGE_MAX) {
		r = nd_reply_send(a, true);
		if (r < 0)
			return r;
	}
	nd_reply_add_string(a, path);
	a->fds[a->n_fds++] = take_fd(fd);
	return 0;
}

int nd_op_open_files(struct nd_place *p, const struct nd_request *q, struct nd_reply *a)
{
	_cleanup_(files_freep) struct files *f = calloc(1, sizeof(*f));
	const struct nd_helper_options *o = p->options;
	const char *folder_file = NULL;
	size_t i;
	int r;

	(void)q;
	if (!f)
		return -ENOMEM;
	for (i = 0; i < o->n_paths; i++) {
		r = find_files(o->paths[i], i, f);
		if (r < 0)
			return nd_reply_refuse(a, r, "%.400s", o->paths[i]);
	}
	qsort(f->v, f->n, sizeof(*f->v), file_cmp);
	for (i = 0; i < f->n; i++) {
		if (!f->v[i].named && folder_file && strcmp(folder_file, f->v[i].name) == 0)
			continue;
		if (!f->v[i].named)
			folder_file = f->v[i].name;
		r = answer_add_file(a, f->v[i].path, o->user);
		if (r < 0)
			return r;
	}
	return 0;
}
