/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: VLANs of bridges and ports as rows: one a range. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "netctl/row.h"

enum { NAME, VLAN, FLAGS, N_COLUMNS };

static const char *const titles[N_COLUMNS] = {"NAME", "VLAN", "FLAGS"};

static void scan_flags(struct cli_scan *s, char *to, size_t size)
{
	char flag[32];
	size_t len;

	if (!cli_scan_array(s))
		return;
	while (cli_scan_item(s)) {
		cli_scan_text(s, flag, sizeof(flag));
		len = strlen(to);
		snprintf(to + len, size - len, "%s%s", len ? " " : "", flag);
	}
}

static void scan_range(struct cli_scan *s, const char *name, struct cli_table *t)
{
	char key[CLI_SCAN_KEY_MAX], first[8] = "", last[8] = "", range[20], flags[64] = "";
	struct cli_cell cells[N_COLUMNS] = {{name, CLI_CYAN}, {range, CLI_PLAIN}, {flags, CLI_DIM}};

	if (!cli_scan_object(s))
		return;
	while (cli_scan_key(s, key)) {
		if (strcmp(key, "vlan") == 0)
			cli_scan_text(s, first, sizeof(first));
		else if (strcmp(key, "vlanEnd") == 0)
			cli_scan_text(s, last, sizeof(last));
		else if (strcmp(key, "flags") == 0)
			scan_flags(s, flags, sizeof(flags));
		else
			cli_scan_skip(s);
	}
	snprintf(range, sizeof(range), "%s%s%s", first, *last ? "-" : "", last);
	cli_table_row(t, cells);
}

static int vlan_line(const char *text, size_t len, void *userdata)
{
	char key[CLI_SCAN_KEY_MAX], name[64] = "";
	struct cli_scan s;

	cli_scan_init(&s, text, len);
	if (!cli_scan_object(&s))
		return -EBADMSG;
	while (cli_scan_key(&s, key)) {
		if (strcmp(key, "ifname") == 0)
			cli_scan_text(&s, name, sizeof(name));
		else if (strcmp(key, "vlans") == 0 && cli_scan_array(&s))
			while (cli_scan_item(&s))
				scan_range(&s, name, userdata);
		else if (strcmp(key, "vlans") != 0)
			cli_scan_skip(&s);
	}
	return cli_scan_done(&s) ? 0 : -EBADMSG;
}

const struct cli_rows cli_vlan_rows = {titles, N_COLUMNS, vlan_line};
