/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: Lines of any object as rows of a table, by a description of which member goes where (row.h). */
#include "netctl/row.h"

#include <errno.h>
#include <string.h>

void cli_row_add(char cell[CLI_CELL_MAX], const char *key, const char *value)
{
	size_t len = strlen(cell);
	bool flag = !*value || strcmp(value, "true") == 0;

	snprintf(cell + len, CLI_CELL_MAX - len, "%s%s%s%s", len ? " " : "", key, flag || !*key ? "" : " ",
		flag ? "" : value);
}

/* Flags, mostly: words, which stand for themselves. */
static void scan_array(struct cli_scan *s, const char *key, char cell[CLI_CELL_MAX])
{
	char value[CLI_CELL_MAX], inner[CLI_SCAN_KEY_MAX];
	bool flags = strcmp(key, "flags") == 0;

	if (!cli_scan_array(s))
		return;
	while (cli_scan_item(s)) {
		if (cli_scan_peek(s) != '{') {
			cli_scan_text(s, value, sizeof(value));
			cli_row_add(cell, flags ? value : key, flags ? "" : value);
			continue;
		}
		if (!cli_scan_object(s))
			return;
		while (cli_scan_key(s, inner)) {
			cli_scan_text(s, value, sizeof(value));
			cli_row_add(cell, inner, value);
		}
	}
}

static void scan_object(struct cli_scan *s, const char *key, char cell[CLI_CELL_MAX])
{
	char value[CLI_CELL_MAX], inner[CLI_SCAN_KEY_MAX];

	cli_row_add(cell, key, "");
	if (!cli_scan_object(s))
		return;
	while (cli_scan_key(s, inner)) {
		cli_scan_text(s, value, sizeof(value));
		cli_row_add(cell, inner, value);
	}
}

static void scan_member(const struct cli_row_shape *shape, struct cli_scan *s, const char *key,
	struct cli_row *row, struct cli_table *t)
{
	char value[CLI_CELL_MAX];
	int column = shape->details;

	if (shape->special && shape->special(s, key, row, t))
		return;
	for (const struct cli_row_member *m = shape->members; m->key; m++) {
		if (strcmp(m->key, key) != 0)
			continue;
		column = m->column;
		break;
	}
	if (column < 0) {
		cli_scan_skip(s);
	} else if (column != shape->details) {
		cli_scan_text(s, row->cell[column], CLI_CELL_MAX);
	} else if (cli_scan_peek(s) == '[') {
		scan_array(s, key, row->cell[column]);
	} else if (cli_scan_peek(s) == '{') {
		scan_object(s, key, row->cell[column]);
	} else {
		cli_scan_text(s, value, sizeof(value));
		if (strcmp(value, "false") != 0)
			cli_row_add(row->cell[column], key, value);
	}
}

void cli_row_scan(
	const struct cli_row_shape *shape, struct cli_scan *s, struct cli_row *row, struct cli_table *t)
{
	char key[CLI_SCAN_KEY_MAX];

	while (cli_scan_key(s, key))
		if (strncmp(key, "netns", 5) == 0)
			cli_scan_skip(s);
		else
			scan_member(shape, s, key, row, t);
}

void cli_row_put(const struct cli_row_shape *shape, struct cli_row *row, struct cli_table *t)
{
	struct cli_cell cells[CLI_COLUMNS_MAX];

	if (shape->finish)
		shape->finish(row);
	for (size_t i = 0; i < shape->n_columns; i++)
		cells[i] = (struct cli_cell){row->cell[i], shape->styles[i]};
	cli_table_row(t, cells);
	for (size_t i = 0; i < shape->n_columns; i++)
		row->cell[i][0] = '\0';
	row->many = true;
}

int cli_row_line(const struct cli_row_shape *shape, const char *text, size_t len, struct cli_table *t)
{
	struct cli_row row;
	struct cli_scan s;

	for (size_t i = 0; i < CLI_COLUMNS_MAX; i++)
		row.cell[i][0] = '\0';
	row.many = false;
	cli_scan_init(&s, text, len);
	if (cli_scan_object(&s))
		cli_row_scan(shape, &s, &row, t);
	if (!cli_scan_done(&s))
		return -EBADMSG;
	if (!row.many)
		cli_row_put(shape, &row, t);
	return 0;
}
