/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/script.h"

/*
 * Lines as ip(8) takes them with -batch, to operations, some lines at a time: a window. Each line means what
 * it means after those before it, so a window ends before a line whose meaning, or whose success, hangs on
 * what only the kernel can say of them. Sees no socket and no loop. What lines may say: netctl(1).
 */

/* Bounds: a longer line, or one with more words, is wrong; of a longer text nothing is read. */
enum {
	ND_BATCH_LINE_MAX = 16384, /* bytes, with what continues it */
	ND_BATCH_WORDS_MAX = 512,
	ND_BATCH_LINES_MAX = 4000000,
	ND_BATCH_NAMES_MAX = 256, /* of namespaces, in a window */
};

/* A text, and how far it was read. Zeroed but for the text. */
struct nd_batch {
	const char *text; /* the caller's */
	size_t len;
	size_t at;
	uint32_t line;    /* the number of the last one that was read */
	uint32_t refills; /* windows in a row of one line that goes on */
};

/* What is there when a window is filled. */
struct nd_batch_view {
	const struct nctl_plan_netns *home; /* the daemon's own namespace */
	const struct nctl_plan_netns *in;   /* where the lines are carried out; NULL: home */
	bool strict;                        /* a line that fails is the last one that is to be tried */
	nctl_ifindex next_ifindex;          /* free in all namespaces, with all above */
	/* Another namespace, by its name; false: there is none, or it is not mirrored. NULL: there are no
	 * others. */
	bool (*find)(const char *name, struct nctl_plan_netns *ret, void *userdata);
	void *userdata;
};

/* Why a line was not even tried. Column 0: it is right, but something that it names is not there. */
struct nd_batch_line {
	uint32_t number;          /* from 1; where it begins */
	uint32_t at_line, column; /* of what is wrong */
	const char *error,
		*advice;  /* error NULL: it has operations; in the plan's arena. advice may be NULL */
	const char *name; /* of netns add and del; likewise */
	int failure;      /* what became of that name, a negative errno; whoever carries it out notes it */
	uint32_t first_op, n_ops;
	size_t at;      /* where it begins in the text, with comments and empty lines before it */
	uint32_t first; /* the number of the line there */
};

enum nd_batch_type {
	ND_BATCH_OPS,
	ND_BATCH_NETNS_ADD, /* names instead of operations */
	ND_BATCH_NETNS_DEL,
};

struct nd_batch_window {
	enum nd_batch_type type;
	struct nctl_plan *plan;
	struct nd_batch_line *lines;
	size_t n_lines, cap_lines;
	bool unfinished; /* its one line has more to do: it is read again */
	bool end;        /* there are no more lines */
	void *room;      /* its own */
};

/*
 * Fills a window with at most max_lines lines and about max_ops operations. view NULL: checks only; every
 * name is taken as known, and the operations mean nothing. 0 or -ENOMEM: b is as before.
 */
int nd_batch_fill(struct nd_batch *b, const struct nd_batch_view *view, size_t max_lines, size_t max_ops,
	struct nd_batch_window **ret);
struct nd_batch_window *nd_batch_window_free(struct nd_batch_window *w);
void nd_batch_window_freep(struct nd_batch_window **w);
/* Only the first n lines of w were tried: the others are read again. */
void nd_batch_rewind(struct nd_batch *b, struct nd_batch_window *w, size_t n);
/* Steps over the next line. */
void nd_batch_skip_line(struct nd_batch *b);
/* The line that op was made for. */
const struct nd_batch_line *nd_batch_line_of(const struct nd_batch_window *w, const struct nctl_op *op);
/* The text of the file's line at which l is wrong, for people; in buf. */
const char *nd_batch_source(const struct nd_batch *b, const struct nd_batch_line *l, char *buf, size_t size);
