/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * DOC: which network namespaces have processes: one process of each, the one with the lowest number. Needs
 * the right to look at others' processes (CAP_SYS_PTRACE). A process that goes away meanwhile is nothing to
 * tell of.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/num.h"
#include "helper/private.h"

enum { SCAN_MAX = 1024 * 1024 }; /* processes that are looked at */

struct scan {
	struct nd_proto_process *v; /* owned */
	size_t n, cap;
};

static void scan_fini(struct scan *s)
{
	free(s->v);
}

static int scan_add(struct scan *s, const struct nd_proto_process *x)
{
	if (nctl_array_grow(&s->v, &s->cap, s->n, sizeof(*x)) < 0)
		return -ENOMEM;
	s->v[s->n++] = *x;
	return 0;
}

static int scan_proc(DIR *proc, struct scan *s)
{
	const struct dirent *e;
	struct nd_proto_process x;
	char path[64];
	struct stat st;
	uint32_t pid;
	int r;

	while (s->n < SCAN_MAX && (e = readdir(proc))) {
		if (nctl_parse_u32(e->d_name, 10, 1, INT32_MAX, &pid) < 0)
			continue;
		snprintf(path, sizeof(path), "%u/ns/net", pid);
		if (fstatat(dirfd(proc), path, &st, 0) < 0)
			continue;
		x = (struct nd_proto_process){.dev = st.st_dev, .ino = st.st_ino, .pid = (int32_t)pid};
		r = scan_add(s, &x);
		if (r < 0)
			return r;
	}
	return 0;
}

static int process_cmp(const void *a, const void *b)
{
	const struct nd_proto_process *x = a, *y = b;

	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	if (x->ino != y->ino)
		return x->ino < y->ino ? -1 : 1;
	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* The first of each namespace moves to the front; returns how many. */
static size_t first_of_each(struct scan *s)
{
	size_t i, n = 0;

	if (s->n)
		qsort(s->v, s->n, sizeof(*s->v), process_cmp);
	for (i = 0; i < s->n; i++)
		if (i == 0 || s->v[i].dev != s->v[n - 1].dev || s->v[i].ino != s->v[n - 1].ino)
			s->v[n++] = s->v[i];
	return n;
}

int nd_op_scan(struct nd_place *p, const struct nd_request *q, struct nd_reply *a)
{
	_cleanup_(scan_fini) struct scan s = {0};
	DIR *proc = opendir("/proc");
	size_t n;
	int r;

	(void)p;
	(void)q;
	if (!proc)
		return nd_reply_refuse(a, -errno, "/proc");
	r = scan_proc(proc, &s);
	closedir(proc);
	if (r < 0)
		return r;
	n = first_of_each(&s);
	a->processes = s.v;
	a->memory = take_ptr(s.v);
	for (; n > ND_REPLY_PROCESSES; n -= ND_REPLY_PROCESSES) {
		a->h.n_processes = ND_REPLY_PROCESSES;
		r = nd_reply_send(a, true);
		if (r < 0)
			return r;
		a->processes += ND_REPLY_PROCESSES;
	}
	a->h.n_processes = (uint32_t)n;
	return 0;
}
