/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: VRFs as rows. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "netctl/row.h"

enum { NAME, INDEX, TABLE, STATE, PORTS, DETAILS, N_COLUMNS };

static const char *const titles[N_COLUMNS] = {"NAME", "INDEX", "TABLE", "STATE", "PORTS", "DETAILS"};

static const enum cli_style styles[N_COLUMNS] = {[NAME] = CLI_CYAN};

static const struct cli_row_member members[] = {{"name", NAME}, {"ifindex", INDEX}, {"table", TABLE}, {0}};

/* The first ones, and how many there are. */
static void scan_ports(struct cli_scan *s, char cell[CLI_CELL_MAX])
{
	char value[64];
	size_t n = 0, len;

	if (!cli_scan_array(s))
		return;
	for (; cli_scan_item(s); n++) {
		cli_scan_text(s, value, sizeof(value));
		len = strlen(cell);
		if (len < 80)
			snprintf(cell + len, CLI_CELL_MAX - len, "%s%s", len ? " " : "", value);
		else if (cell[len - 1] != '.')
			snprintf(cell + len, CLI_CELL_MAX - len, " ...");
	}
	len = strlen(cell);
	if (n > 1)
		snprintf(cell + len, CLI_CELL_MAX - len, " (%zu)", n);
}

static bool special(struct cli_scan *s, const char *key, struct cli_row *row, struct cli_table *t)
{
	char value[8];

	(void)t;
	if (strcmp(key, "up") == 0) {
		cli_scan_text(s, value, sizeof(value));
		strcpy(row->cell[STATE], strcmp(value, "true") == 0 ? "UP" : "DOWN");
		return true;
	}
	if (strcmp(key, "ports") != 0)
		return false;
	scan_ports(s, row->cell[PORTS]);
	return true;
}

static const struct cli_row_shape shape = {members, DETAILS, styles, N_COLUMNS, special, NULL};

static int vrf_line(const char *text, size_t len, void *userdata)
{
	return cli_row_line(&shape, text, len, userdata);
}

const struct cli_rows cli_vrf_rows = {titles, N_COLUMNS, vrf_line};
