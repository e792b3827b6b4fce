/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: Multicast memberships as rows, one each; with --why, who wants it is the last column. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "netctl/row.h"

enum { NAME, TYPE, ADDRESS, USERS, DETAILS, N_COLUMNS };

static const char *const titles[N_COLUMNS] = {"NAME", "TYPE", "ADDRESS", "USERS", "DETAILS"};

static const enum cli_style styles[N_COLUMNS] = {[NAME] = CLI_CYAN, [DETAILS] = CLI_DIM};

static const struct cli_row_member members[] = {
	{"ifindex", -1}, {"ifname", NAME}, {"family", TYPE}, {"address", ADDRESS}, {"users", USERS}, {0}};

/* {"by":"upper","dev":"v1"}: "upper v1", parted by commas. */
static void scan_why(struct cli_scan *s, char cell[CLI_CELL_MAX])
{
	char key[CLI_SCAN_KEY_MAX], value[64];
	size_t len;

	if (!cli_scan_array(s))
		return;
	while (cli_scan_item(s)) {
		len = strlen(cell);
		if (len && len + 1 < CLI_CELL_MAX)
			strcpy(cell + len, ",");
		if (!cli_scan_object(s))
			return;
		while (cli_scan_key(s, key)) {
			cli_scan_text(s, value, sizeof(value));
			if (strcmp(key, "users") == 0)
				cli_row_add(cell, key, value);
			else if (strcmp(key, "family") != 0)
				cli_row_add(cell, value, "");
		}
	}
}

static bool special_entry(struct cli_scan *s, const char *key, struct cli_row *row, struct cli_table *t)
{
	char value[32];

	(void)t;
	if (strcmp(key, "link") == 0) {
		strcpy(row->cell[TYPE], "link");
		cli_scan_text(s, row->cell[ADDRESS], CLI_CELL_MAX);
		return true;
	}
	if (strcmp(key, "features") == 0) {
		cli_scan_text(s, value, sizeof(value));
		cli_row_add(row->cell[DETAILS], value, "");
		return true;
	}
	if (strcmp(key, "why") != 0)
		return false;
	scan_why(s, row->cell[DETAILS]);
	return true;
}

static const struct cli_row_shape entry_shape = {members, DETAILS, styles, N_COLUMNS, special_entry, NULL};

static bool special(struct cli_scan *s, const char *key, struct cli_row *row, struct cli_table *t)
{
	char name[CLI_CELL_MAX];

	if (strcmp(key, "maddr") != 0)
		return false;
	strcpy(name, row->cell[NAME]);
	if (!cli_scan_array(s))
		return true;
	while (cli_scan_item(s)) {
		if (!cli_scan_object(s))
			return true;
		strcpy(row->cell[NAME], name);
		cli_row_scan(&entry_shape, s, row, t);
		cli_row_put(&entry_shape, row, t);
	}
	return true;
}

static const struct cli_row_shape shape = {members, DETAILS, styles, N_COLUMNS, special, NULL};

static int maddr_line(const char *text, size_t len, void *userdata)
{
	return cli_row_line(&shape, text, len, userdata);
}

const struct cli_rows cli_maddr_rows = {titles, N_COLUMNS, maddr_line};
