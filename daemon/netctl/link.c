/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Links as rows. Kinds are not known here: the details are those attributes of any kind that tell two
 * links of it apart.
 */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "netctl/rows.h"
#include "netctl/scan.h"

enum { NAME, INDEX, KIND, STATE, MTU, MASTER, LOWER, ADDRESS, DETAILS, N_COLUMNS };

static const char *const titles[N_COLUMNS] = {
	"NAME", "INDEX", "KIND", "STATE", "MTU", "MASTER", "LOWER", "ADDRESS", "DETAILS"};

struct row {
	char cell[N_COLUMNS][128];
	char lower_index[16];
	bool up, no_carrier;
};

/* Attributes worth a word; with this value they go without saying. */
static const struct {
	const char *key, *usual;
} details[] = {
	{"id", NULL},
	{"protocol", "802.1Q"},
	{"table", NULL},
	{"mode", NULL},
	{"port", NULL},
	{"local", NULL},
	{"remote", NULL},
	{"xmit_hash_policy", "layer2"},
	{"vlan_filtering", "0"},
};

static const struct {
	const char *key;
	int column;
} keys[] = {
	{"ifindex", INDEX},
	{"ifname", NAME},
	{"operstate", STATE},
	{"mtu", MTU},
	{"master", MASTER},
	{"link", LOWER},
	{"address", ADDRESS},
};

static void add_detail(struct row *row, const char *key, const char *value)
{
	char *text = row->cell[DETAILS];
	size_t len = strlen(text);

	for (size_t i = 0; i < NCTL_ARRAY_SIZE(details); i++) {
		if (strcmp(key, details[i].key) != 0)
			continue;
		if (!details[i].usual || strcmp(value, details[i].usual) != 0)
			snprintf(text + len, sizeof(row->cell[DETAILS]) - len, "%s%s %s", len ? " " : "", key,
				value);
		return;
	}
}

static void scan_data(struct cli_scan *s, struct row *row)
{
	char key[CLI_SCAN_KEY_MAX], value[80];

	if (!cli_scan_object(s))
		return;
	while (cli_scan_key(s, key)) {
		cli_scan_text(s, value, sizeof(value));
		if (*value)
			add_detail(row, key, value);
	}
}

static void scan_info(struct cli_scan *s, struct row *row)
{
	char key[CLI_SCAN_KEY_MAX];

	if (!cli_scan_object(s))
		return;
	while (cli_scan_key(s, key)) {
		if (strcmp(key, "info_kind") == 0)
			cli_scan_text(s, row->cell[KIND], sizeof(row->cell[KIND]));
		else if (strcmp(key, "info_data") == 0)
			scan_data(s, row);
		else
			cli_scan_skip(s);
	}
}

static void scan_flags(struct cli_scan *s, struct row *row)
{
	char flag[32];

	if (!cli_scan_array(s))
		return;
	while (cli_scan_item(s)) {
		cli_scan_text(s, flag, sizeof(flag));
		row->up |= strcmp(flag, "UP") == 0;
		row->no_carrier |= strcmp(flag, "NO-CARRIER") == 0;
	}
}

static void scan_member(struct cli_scan *s, const char *key, struct row *row)
{
	if (strcmp(key, "flags") == 0) {
		scan_flags(s, row);
		return;
	}
	if (strcmp(key, "linkinfo") == 0) {
		scan_info(s, row);
		return;
	}
	if (strcmp(key, "link_index") == 0) {
		cli_scan_text(s, row->lower_index, sizeof(row->lower_index));
		return;
	}
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(keys); i++) {
		if (strcmp(key, keys[i].key) == 0) {
			cli_scan_text(s, row->cell[keys[i].column], sizeof(row->cell[0]));
			return;
		}
	}
	cli_scan_skip(s);
}

static enum cli_style set_state(struct row *row)
{
	char *state = row->cell[STATE];

	if (!row->up)
		strcpy(state, "DOWN");
	else if (row->no_carrier)
		strcpy(state, "NO-CARRIER");
	if (!row->up)
		return CLI_DIM;
	return strcmp(state, "UP") == 0 ? CLI_GREEN : strcmp(state, "UNKNOWN") == 0 ? CLI_PLAIN : CLI_RED;
}

static int link_line(const char *text, size_t len, void *userdata)
{
	struct cli_cell cells[N_COLUMNS];
	char key[CLI_SCAN_KEY_MAX];
	struct cli_scan s;
	struct row row;

	for (size_t i = 0; i < N_COLUMNS; i++)
		row.cell[i][0] = '\0';
	row.lower_index[0] = '\0';
	row.up = row.no_carrier = false;
	cli_scan_init(&s, text, len);
	if (cli_scan_object(&s))
		while (cli_scan_key(&s, key))
			scan_member(&s, key, &row);
	if (!cli_scan_done(&s))
		return -EBADMSG;
	/* In another namespace: the index is all that is known, as ip(8) shows it. */
	if (*row.lower_index)
		snprintf(row.cell[LOWER], sizeof(row.cell[LOWER]), "if%s", row.lower_index);
	for (size_t i = 0; i < N_COLUMNS; i++)
		cells[i] = (struct cli_cell){row.cell[i], CLI_PLAIN};
	cells[NAME].style = CLI_CYAN;
	cells[DETAILS].style = CLI_DIM;
	cells[STATE].style = set_state(&row);
	cli_table_row(userdata, cells);
	return 0;
}

const struct cli_rows cli_link_rows = {titles, N_COLUMNS, link_line};
