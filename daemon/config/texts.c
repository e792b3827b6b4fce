/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: From paths and descriptors to the bytes of configuration files.
 *
 * What is wrong with a file (unreadable, writable by others, too large) is a finding, so that one run
 * tells about all of them; only lack of memory ends a run. Files are read whole, once: what is checked is
 * what is used.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/io.h"
#include "config/config.h"

#define FILE_MAX ((size_t)64 * 1024 * 1024)

/* A file that was found, before it is read. */
struct source {
	char *path;       /* owned */
	const char *name; /* its last part */
	size_t root;      /* which of the paths it comes from */
	bool named;       /* was given itself: nothing shadows it */
};

struct sources {
	struct source *v;
	size_t n, cap;
};

void nd_config_texts_fini(struct nd_config_texts *t)
{
	size_t i;

	for (i = 0; i < t->n; i++) {
		free(t->v[i].path);
		free(t->v[i].data);
	}
	free(t->v);
	*t = ND_CONFIG_TEXTS_INIT;
}

/* Takes over data, also when it fails. */
static int texts_add_owned(struct nd_config_texts *t, const char *path, char *data, size_t len)
{
	_cleanup_(nctl_freep) char *owned = data, *path_copy = strdup(path);
	struct nd_config_text *v;

	if (!path_copy)
		return -ENOMEM;
	v = reallocarray(t->v, t->n + 1, sizeof(*v));
	if (!v)
		return -ENOMEM;
	t->v = v;
	v[t->n++] = (struct nd_config_text){.path = take_ptr(path_copy), .data = take_ptr(owned), .len = len};
	return 0;
}

int nd_config_texts_add(struct nd_config_texts *t, const char *path, const char *data, size_t len)
{
	char *copy = malloc(len + 1);

	if (!copy)
		return -ENOMEM;
	if (len)
		memcpy(copy, data, len);
	copy[len] = '\0';
	return texts_add_owned(t, path, copy, len);
}

/* A finding about a whole file. ND_CONFIG_INVALID or -ENOMEM. */
static int refuse(struct nd_diagnostics *diag, const char *path, const char *message, const char *advice)
{
	int r = nd_diagnostics_add(diag, ND_ERROR, path, 0, 0, NULL, message, advice);

	return r < 0 ? r : ND_CONFIG_INVALID;
}

static int refuse_errno(struct nd_diagnostics *diag, const char *path, int error)
{
	char message[256];

	snprintf(message, sizeof(message), "cannot be read: %s", strerror(-error));
	return refuse(diag, path, message, error == -ENOENT ? "check the path" : NULL);
}

int nd_config_read_fd(int fd, const char *path, struct nd_config_texts *texts, struct nd_diagnostics *diag)
{
	char *data = NULL;
	size_t len = 0;
	struct stat st;
	int r;

	if (fstat(fd, &st) < 0)
		return refuse_errno(diag, path, -errno);
	if (S_ISDIR(st.st_mode))
		return refuse_errno(diag, path, -EISDIR);
	if (S_ISREG(st.st_mode) && st.st_mode & (S_IWGRP | S_IWOTH))
		return refuse(diag, path, "may be written by others than its owner",
			"whoever writes it rules the network: chmod go-w");
	r = nctl_read_all(fd, FILE_MAX, &data, &len);
	if (r == -ENOMEM)
		return r;
	if (r == -EFBIG)
		return refuse(diag, path, "is larger than 64 MiB", "use ranges, or several files");
	if (r < 0)
		return refuse_errno(diag, path, r);
	return texts_add_owned(texts, path, data, len);
}

static void sources_fini(struct sources *s)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		free(s->v[i].path);
	free(s->v);
}

/* folder NULL: name is the whole path. */
static int sources_add(struct sources *s, const char *folder, const char *name, size_t root)
{
	char *path, *slash;

	if (nctl_array_grow(&s->v, &s->cap, s->n, sizeof(*s->v)) < 0)
		return -ENOMEM;
	if (!folder)
		path = strdup(name);
	else if (asprintf(&path, "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/", name) < 0)
		path = NULL;
	if (!path)
		return -ENOMEM;
	slash = strrchr(path, '/');
	s->v[s->n++] = (struct source){
		.path = path, .name = slash ? slash + 1 : path, .root = root, .named = !folder};
	return 0;
}

static bool ends_in_yaml(const char *name)
{
	size_t n = strlen(name);

	return n > 5 && !strcmp(name + n - 5, ".yaml");
}

static int scan_folder(DIR *dir, const char *path, size_t root, struct sources *s)
{
	const struct dirent *e;
	int r;

	while ((e = readdir(dir))) {
		if (e->d_name[0] == '.' || !ends_in_yaml(e->d_name))
			continue;
		r = sources_add(s, path, e->d_name, root);
		if (r < 0)
			return r;
	}
	return 0;
}

/* A folder's files, or the file itself. 0, ND_CONFIG_INVALID, -ENOMEM. */
static int scan_path(const char *path, size_t root, struct sources *s, struct nd_diagnostics *diag)
{
	DIR *dir = *path ? opendir(path) : NULL;
	int r;

	if (dir) {
		r = scan_folder(dir, path, root, s);
		closedir(dir);
		return r;
	}
	if (*path && errno == ENOTDIR)
		return sources_add(s, NULL, path, root);
	if (!*path || (errno == ENOENT && ends_in_yaml(path)))
		return refuse_errno(diag, path, -ENOENT);
	return errno == ENOENT ? 0 : refuse_errno(diag, path, -errno);
}

/* By name; of one name, files that were given themselves first, then in the order of the folders. */
static int source_cmp(const void *a, const void *b)
{
	const struct source *x = a, *y = b;
	int r = strcmp(x->name, y->name);

	if (r)
		return r;
	if (x->named != y->named)
		return x->named ? -1 : 1;
	return x->root < y->root ? -1 : x->root > y->root;
}

static int read_source(const struct source *s, struct nd_config_texts *texts, struct nd_diagnostics *diag)
{
	/* O_NONBLOCK: a FIFO must not hang us; it has no effect on files. */
	_cleanup_(nctl_closep) int fd = open(s->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;

	if (fd < 0)
		return refuse_errno(diag, s->path, -errno);
	if (!s->named && fstat(fd, &st) == 0 && !S_ISREG(st.st_mode))
		return refuse(diag, s->path, "is not a regular file", NULL);
	return nd_config_read_fd(fd, s->path, texts, diag);
}

int nd_config_read_paths(
	const char *const *paths, size_t n, struct nd_config_texts *texts, struct nd_diagnostics *diag)
{
	_cleanup_(sources_fini) struct sources s = {0};
	const char *folder_file = NULL;
	int r, ret = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		r = scan_path(paths[i], i, &s, diag);
		if (r < 0)
			return r;
		ret = r ? r : ret;
	}
	if (s.n)
		qsort(s.v, s.n, sizeof(*s.v), source_cmp);
	for (i = 0; i < s.n; i++) {
		if (!s.v[i].named) {
			if (folder_file && !strcmp(folder_file, s.v[i].name))
				continue;
			folder_file = s.v[i].name;
		}
		r = read_source(&s.v[i], texts, diag);
		if (r < 0)
			return r;
		ret = r ? r : ret;
	}
	return ret;
}
