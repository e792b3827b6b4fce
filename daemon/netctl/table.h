/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "base/strbuf.h"
#include "netctl/cli.h"

/*
 * A table of any length on stdout. The widths are those of the first rows, which are kept until enough are
 * there; all later ones are printed at once, a wider cell pushes its neighbours. Columns that are empty in a
 * table that was kept whole are left out.
 */
#define CLI_COLUMNS_MAX 12

struct cli_cell {
	const char *text; /* NULL or "": none */
	enum cli_style style;
};

struct cli_table {
	const char *const *titles;
	size_t n_columns;
	size_t width[CLI_COLUMNS_MAX];
	bool used[CLI_COLUMNS_MAX];
	bool flowing; /* widths are decided */
	bool words;   /* no columns: titles as keywords, no end of the line */
	bool begun;   /* of words: something is in the line */
	size_t n_kept;
	struct nctl_strbuf kept; /* per cell: style + 1 as a byte, text, NUL */
};

void cli_table_begin(struct cli_table *t, const char *const *titles, size_t n_columns);
/* Rows are sentences: the first cell, then each other that is not empty behind its title in small letters; those
 * of "DETAILS" speak for themselves. The line is the caller's to end; cli_table_end is not needed. */
void cli_table_begin_words(struct cli_table *t, const char *const *titles, size_t n_columns);
void cli_table_row(struct cli_table *t, const struct cli_cell *cells);
void cli_table_end(struct cli_table *t); /* prints what is left; frees */
