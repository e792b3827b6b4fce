/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "netctl/rows.h"
#include "netctl/scan.h"

/*
 * One line as a row: members that have a column of their own go there, whatever else is worth a word is
 * gathered in the last one. So an attribute that only a new kernel knows is shown as well.
 */

#define CLI_CELL_MAX 160

struct cli_row {
	char cell[CLI_COLUMNS_MAX][CLI_CELL_MAX];
	bool many; /* rows of it were put already */
};

struct cli_row_member {
	const char *key;
	int column; /* < 0: not shown */
};

struct cli_row_shape {
	const struct cli_row_member *members; /* ends with a NULL key */
	int details;                          /* the column of all others; < 0: they are not shown */
	const enum cli_style *styles;         /* by column */
	size_t n_columns;
	/* Takes a member that is no scalar, or another one that it knows better; false: not this one. */
	bool (*special)(struct cli_scan *s, const char *key, struct cli_row *row, struct cli_table *t);
	void (*finish)(struct cli_row *row); /* before it is put; NULL: nothing to do */
};

/* 0 or -EBADMSG. */
int cli_row_line(const struct cli_row_shape *shape, const char *text, size_t len, struct cli_table *t);
/* The members of an object that was entered, into row. */
void cli_row_scan(
	const struct cli_row_shape *shape, struct cli_scan *s, struct cli_row *row, struct cli_table *t);
void cli_row_put(const struct cli_row_shape *shape, struct cli_row *row, struct cli_table *t);
/* "key value", or the key alone, behind what the cell holds. */
void cli_row_add(char cell[CLI_CELL_MAX], const char *key, const char *value);
