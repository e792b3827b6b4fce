/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: keys of WireGuard that stand in files of their own, which may be root's: the helper reads them, or
 * without one the daemon itself. They go into the want of the current job and nowhere else.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base64.h"
#include "reconcile/private.h"

enum { QUESTIONS_MAX = 64 };

struct question {
	struct nd_reconcile *r;
	struct nctl_want_key_file *file;
};

static void report(
	struct nd_reconcile *r, const struct nctl_want_key_file *f, const char *what, const char *why)
{
	struct job *job = nd_job_current(r);
	char text[600];

	snprintf(text, sizeof(text), "%.400s%s%s", what, why ? ": " : "", why ? why : "");
	nd_diagnostics_add(&job->diag, ND_ERROR, job->want->files[f->pos.file], f->pos.line, f->pos.column,
		NULL, text, "the file must be root's, and hold nothing but a key, as \"wg genkey\" makes it");
}

static void take_key(struct nd_reconcile *r, const struct nctl_want_key_file *f, const char *text)
{
	if (!nctl_key_parse(text, strlen(text), f->key) || (f->is_private && nctl_wg_key_is_none(f->key)))
		report(r, f, f->path, "it holds no key");
	else if (f->is_private)
		nctl_wg_key_clamp(f->key);
}

static void on_key(const struct nd_helper_answer *a, void *userdata)
{
	_cleanup_(nctl_freep) struct question *q = userdata;
	struct nd_reconcile *r = q->r;

	if (r->closing)
		return;
	nd_job_current(r)->gather.devices.reading_keys--;
	if (a->error)
		report(r, q->file, a->text ? a->text : q->file->path, strerror(-a->error));
	else
		take_key(r, q->file, a->values[0]);
	nd_gather_look(r);
}

/* By the daemon itself. */
static void read_here(struct nd_reconcile *r, const struct nctl_want_key_file *f)
{
	_cleanup_(nctl_closep) int fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	char text[NCTL_KEY_TEXT + 1];
	struct stat st;
	int e = fd < 0 || fstat(fd, &st) < 0 ? -errno
	        : S_ISREG(st.st_mode)        ? nctl_key_read(fd, text)
	                                     : -EINVAL;

	if (e < 0)
		report(r, f, f->path, strerror(-e));
	else
		take_key(r, f, text);
	explicit_bzero(text, sizeof(text));
}

static void ask(struct nd_reconcile *r, struct nctl_want_key_file *f)
{
	struct nd_helper *helper = nd_netns_set_helper(r->netns);
	struct devices *ds = &nd_job_current(r)->gather.devices;
	struct question *q;
	int e;

	if (!helper) {
		read_here(r, f);
		return;
	}
	q = malloc(sizeof(*q));
	if (!q) {
		report(r, f, f->path, strerror(ENOMEM));
		return;
	}
	*q = (struct question){r, f};
	ds->reading_keys++;
	e = nd_helper_is_alive(helper) ? nd_helper_read_key(helper, f->path, on_key, q) : -EPIPE;
	if (e < 0) {
		ds->reading_keys--;
		free(q);
		report(r, f, f->path, strerror(-e));
	}
}

bool nd_keys_look(struct nd_reconcile *r)
{
	struct devices *ds = &nd_job_current(r)->gather.devices;

	if (!ds->keys_begun)
		ds->next_key = nd_job_current(r)->want->key_files;
	ds->keys_begun = true;
	while (ds->next_key && ds->reading_keys < QUESTIONS_MAX) {
		struct nctl_want_key_file *f = ds->next_key;

		ds->next_key = f->next;
		ask(r, f);
	}
	return !ds->next_key && !ds->reading_keys;
}
