/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: Neighbours and forwarding entries of bridges as rows. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "netctl/row.h"

enum { ADDRESS, DEV, LLADDR, STATE, DETAILS, N_COLUMNS };

static const char *const titles[N_COLUMNS] = {"ADDRESS", "DEV", "LLADDR", "STATE", "DETAILS"};

static const enum cli_style styles[N_COLUMNS] = {[ADDRESS] = CLI_CYAN, [DETAILS] = CLI_DIM};

static const struct cli_row_member members[] = {{"dst", ADDRESS}, {"dev", DEV}, {"lladdr", LLADDR}, {0}};

static bool special(struct cli_scan *s, const char *key, struct cli_row *row, struct cli_table *t)
{
	char value[32];

	(void)t;
	if (strcmp(key, "state") != 0)
		return false;
	if (cli_scan_peek(s) != '[') {
		cli_scan_text(s, row->cell[STATE], CLI_CELL_MAX);
		return true;
	}
	if (!cli_scan_array(s))
		return true;
	while (cli_scan_item(s)) {
		cli_scan_text(s, value, sizeof(value));
		cli_row_add(row->cell[STATE], value, "");
	}
	return true;
}

static const struct cli_row_shape shape = {members, DETAILS, styles, N_COLUMNS, special, NULL};

static int neigh_line(const char *text, size_t len, void *userdata)
{
	return cli_row_line(&shape, text, len, userdata);
}

const struct cli_rows cli_neigh_rows = {titles, N_COLUMNS, neigh_line};

static const char *const fdb_titles[N_COLUMNS] = {"MAC", "DEV", "TO", "STATE", "DETAILS"};

static const struct cli_row_member fdb_members[] = {
	{"mac", ADDRESS}, {"lladdr", ADDRESS}, {"ifname", DEV}, {"dev", DEV}, {"dst", LLADDR}, {0}};

static const struct cli_row_shape fdb_shape = {fdb_members, DETAILS, styles, N_COLUMNS, special, NULL};

static int fdb_line(const char *text, size_t len, void *userdata)
{
	return cli_row_line(&fdb_shape, text, len, userdata);
}

const struct cli_rows cli_fdb_rows = {fdb_titles, N_COLUMNS, fdb_line};
