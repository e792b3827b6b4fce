/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: Rules as rows. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "netctl/row.h"

enum { PRIORITY, FROM, TO, IIF, OIF, MARK, TABLE, ACTION, PROTO, DETAILS, N_COLUMNS };

static const char *const titles[N_COLUMNS] = {
	"PRIORITY", "FROM", "TO", "IIF", "OIF", "FWMARK", "TABLE", "ACTION", "PROTOCOL", "DETAILS"};

static const enum cli_style styles[N_COLUMNS] = {[PRIORITY] = CLI_CYAN, [DETAILS] = CLI_DIM};

static const struct cli_row_member members[] = {{"priority", PRIORITY}, {"src", FROM}, {"dst", TO},
	{"iif", IIF}, {"oif", OIF}, {"fwmark", MARK}, {"table", TABLE}, {"action", ACTION},
	{"protocol", PROTO}, {0}};

/* Prefix lengths and the mask come as members of their own. */
static bool special(struct cli_scan *s, const char *key, struct cli_row *row, struct cli_table *t)
{
	static const struct {
		const char *key;
		int column;
	} suffixes[] = {{"srclen", FROM}, {"dstlen", TO}, {"fwmask", MARK}};
	char value[32];
	size_t len;

	(void)t;
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(suffixes); i++) {
		if (strcmp(key, suffixes[i].key) != 0)
			continue;
		cli_scan_text(s, value, sizeof(value));
		len = strlen(row->cell[suffixes[i].column]);
		snprintf(row->cell[suffixes[i].column] + len, CLI_CELL_MAX - len, "/%s", value);
		return true;
	}
	return false;
}

static const struct cli_row_shape shape = {members, DETAILS, styles, N_COLUMNS, special, NULL};

static int rule_line(const char *text, size_t len, void *userdata)
{
	return cli_row_line(&shape, text, len, userdata);
}

const struct cli_rows cli_rule_rows = {titles, N_COLUMNS, rule_line};
