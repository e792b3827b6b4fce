/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <limits.h>

#include "batch/batch.h"
#include "reconcile/private.h"

/* Batches: texts of lines of ip(8) that are carried out beside the jobs. Internal to daemon/reconcile. */

enum {
	BATCHES_MAX = 16,
	BATCH_FAILURES_MAX = 100000, /* told one by one; of the others the number */
	BATCH_DIAGNOSTICS_MAX = 100, /* wrong lines that are shown with their place (config/config.h) */
};
#define BATCHES_BYTES ((size_t)64 << 20) /* of text, of all together */

enum batch_step {
	BATCH_CHECKING,
	BATCH_READY,   /* the next window is to be filled */
	BATCH_JOINING, /* it waits for a namespace to be mirrored */
	BATCH_RUNNING, /* its window is with the kernel, or with the owner of the namespaces */
};

struct batch {
	struct nctl_list link; /* in r->batches.all, whose turn it is first */
	struct nd_reconcile *r;
	uint64_t id;
	enum batch_step step;
	struct nd_batch_how how;
	char *path, *text;
	struct nd_batch lines;
	struct nd_batch_window *window;
	struct nd_diagnostics diag;
	struct nctl_strbuf failures; /* JSON, without the brackets */
	size_t total, read, done, failed, not_listed, beyond, windows;
	size_t wrong;        /* of those that failed: they say nothing that could be done */
	size_t window_lines; /* lines in the next window */
	uint64_t messages, sends;
	nctl_time began, until, retry; /* until, retry: of BATCH_JOINING */
	bool cancelled, stopped, waits;
	int error;                                                    /* broken off: transport, memory */
	void (*answer)(const char *json, size_t len, void *userdata); /* NULL: nobody waits */
	void *userdata;
};

/* batch.c */
void nd_batches_init(struct nd_reconcile *r);
void nd_batches_fini(struct nd_reconcile *r);
/* Something has changed that a batch may wait for. */
void nd_batches_wake(struct nd_reconcile *r);
/* As nd_reconcile_forget. */
void nd_batches_forget(struct nd_reconcile *r, void *userdata);
/* p is about to be carried out by somebody else: batches choose no index that it has chosen. */
void nd_batches_note(struct nd_reconcile *r, const struct nctl_plan *p);
/* A window is on, so that nothing else may be sent. */
bool nd_batches_are_on(const struct nd_reconcile *r);

/* batch-report.c */
void nd_batch_note_failure(
	struct batch *b, const struct nd_batch_line *line, int error, const char *text, bool kernel);
void nd_batch_note_wrong(struct batch *b, const struct nd_batch_line *line);
/* Counts what became of the lines of the window. */
void nd_batch_count(struct batch *b);
void nd_batch_report(struct batch *b, struct nctl_strbuf *out);
