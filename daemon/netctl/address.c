/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Addresses as rows: one an address; one for a link without any.
 */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "netctl/rows.h"
#include "netctl/scan.h"

enum { NAME, STATE, ADDRESS, PEER, SCOPE, FLAGS, N_COLUMNS };

static const char *const titles[N_COLUMNS] = {"NAME", "STATE", "ADDRESS", "PEER", "SCOPE", "FLAGS"};

struct row {
	char name[64], state[32];
	char local[64], len[8], address[80], peer[64], scope[32], flags[128];
};

/* Members of addr_info that are flags: true or absent. */
static const char *const flags[] = {"dynamic", "tentative", "deprecated", "dadfailed", "temporary",
	"secondary", "noprefixroute", "nodad", "optimistic", "home", "mngtmpaddr", "autojoin"};

static void add_flag(struct row *row, const char *key)
{
	size_t len = strlen(row->flags);

	for (size_t i = 0; i < NCTL_ARRAY_SIZE(flags); i++)
		if (strcmp(key, flags[i]) == 0)
			snprintf(row->flags + len, sizeof(row->flags) - len, "%s%s", len ? " " : "", key);
}

static void put(struct row *row, struct cli_table *t)
{
	const struct cli_cell cells[N_COLUMNS] = {
		[NAME] = {row->name, CLI_CYAN},
		[STATE] = {row->state, strcmp(row->state, "UP") == 0 ? CLI_GREEN : CLI_PLAIN},
		[ADDRESS] = {row->address, CLI_PLAIN},
		[PEER] = {row->peer, CLI_PLAIN},
		[SCOPE] = {row->scope, CLI_PLAIN},
		[FLAGS] = {row->flags, CLI_DIM},
	};

	cli_table_row(t, cells);
}

static void scan_address(struct cli_scan *s, struct row *row)
{
	char key[CLI_SCAN_KEY_MAX], value[64];

	row->local[0] = row->len[0] = row->peer[0] = row->scope[0] = row->flags[0] = '\0';
	if (!cli_scan_object(s))
		return;
	while (cli_scan_key(s, key)) {
		cli_scan_text(s, value, sizeof(value));
		if (strcmp(key, "local") == 0)
			memcpy(row->local, value, sizeof(value));
		else if (strcmp(key, "address") == 0)
			memcpy(row->peer, value, sizeof(value));
		else if (strcmp(key, "prefixlen") == 0)
			snprintf(row->len, sizeof(row->len), "%.7s", value);
		else if (strcmp(key, "scope") == 0)
			snprintf(row->scope, sizeof(row->scope), "%.31s", value);
		else if (strcmp(value, "true") == 0)
			add_flag(row, key);
	}
	snprintf(row->address, sizeof(row->address), "%s/%s", row->local, row->len);
}

/* Rows can only be made when the members that come first in the line, name and state, are known: they are. */
static size_t scan_addresses(struct cli_scan *s, struct row *row, struct cli_table *t)
{
	size_t n = 0;

	if (!cli_scan_array(s))
		return 0;
	while (cli_scan_item(s)) {
		scan_address(s, row);
		if (s->bad)
			break;
		put(row, t);
		n++;
	}
	return n;
}

static int address_line(const char *text, size_t len, void *userdata)
{
	char key[CLI_SCAN_KEY_MAX];
	struct row row = {0};
	struct cli_scan s;
	size_t n = 0;

	cli_scan_init(&s, text, len);
	if (cli_scan_object(&s)) {
		while (cli_scan_key(&s, key)) {
			if (strcmp(key, "ifname") == 0)
				cli_scan_text(&s, row.name, sizeof(row.name));
			else if (strcmp(key, "operstate") == 0)
				cli_scan_text(&s, row.state, sizeof(row.state));
			else if (strcmp(key, "addr_info") == 0)
				n = scan_addresses(&s, &row, userdata);
			else
				cli_scan_skip(&s);
		}
	}
	if (!cli_scan_done(&s))
		return -EBADMSG;
	if (n == 0)
		put(&row, userdata);
	return 0;
}

const struct cli_rows cli_address_rows = {titles, N_COLUMNS, address_line};
