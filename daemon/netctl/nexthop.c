/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: Next-hop objects as rows. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "netctl/row.h"

enum { ID, VIA, DEV, GROUP, SCOPE, PROTO, DETAILS, N_COLUMNS };

static const char *const titles[N_COLUMNS] = {"ID", "VIA", "DEV", "GROUP", "SCOPE", "PROTOCOL", "DETAILS"};

static const enum cli_style styles[N_COLUMNS] = {[ID] = CLI_CYAN, [DETAILS] = CLI_DIM};

static const struct cli_row_member members[] = {
	{"id", ID}, {"gateway", VIA}, {"dev", DEV}, {"scope", SCOPE}, {"protocol", PROTO}, {0}};

/* 1/2/3,5: ids, and weights other than 1, as ip(8) writes them. */
static bool special(struct cli_scan *s, const char *key, struct cli_row *row, struct cli_table *t)
{
	char *cell = row->cell[GROUP], inner[CLI_SCAN_KEY_MAX], value[16];
	size_t len = 0;

	(void)t;
	if (strcmp(key, "group") != 0)
		return false;
	if (!cli_scan_array(s))
		return true;
	while (cli_scan_item(s)) {
		if (!cli_scan_object(s))
			continue;
		while (cli_scan_key(s, inner)) {
			cli_scan_text(s, value, sizeof(value));
			if (strcmp(inner, "id") == 0)
				snprintf(cell + len, CLI_CELL_MAX - len, "%s%s", len ? "/" : "", value);
			else if (strcmp(inner, "weight") == 0 && strcmp(value, "1") != 0)
				snprintf(cell + len, CLI_CELL_MAX - len, ",%s", value);
			len = strlen(cell);
		}
	}
	return true;
}

static const struct cli_row_shape shape = {members, DETAILS, styles, N_COLUMNS, special, NULL};

static int nexthop_line(const char *text, size_t len, void *userdata)
{
	return cli_row_line(&shape, text, len, userdata);
}

const struct cli_rows cli_nexthop_rows = {titles, N_COLUMNS, nexthop_line};
